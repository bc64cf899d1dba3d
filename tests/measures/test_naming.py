"""Measures by name, alias and call, and misspelled ones."""

import pytest

import clearwin as cw
from clearwin.measures import find
from tests.measures.every import DCF


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ("f_one", "no measure named 'f_one'"),
        ("acuracy", "'accuracy'"),
        ("dcf(cost_fn=-1)", "cost_fn is -1"),
        ("dcf(prior=1.5)", "prior is 1.5"),
        ("dcf(cost=3)", "no option of dcf named 'cost'"),
        ("f_beta(beta=0)", "beta is 0"),
        ("f_beta(2)", "cannot be read"),
        ("f_beta(beta=", "cannot be read"),
        ("f_beta(beta=x)", "cannot be read"),
        ("f1(beta=1)", "no option of f1"),
        ("f1(zero_division='nan')", "finite number"),
        ("__import__('os').system('true')", "cannot be read"),
        ("f_beta(beta=1e999)", "finite number"),
        ("", "no measure named ''"),
    ],
)
def test_misspelled_measures_are_explained(spelled, message):
    with pytest.raises(cw.errors.OptionError) as raised:
        find(spelled)
    assert message in str(raised.value)


def test_aliases_and_calls_make_the_same_measure():
    assert find("sensitivity").name == "recall"
    assert find("FAR").name == "false_acceptance_rate"
    assert str(cw.list_measures()["dcf"](cost_fn=10, cost_fp=1, prior=0.01)) == DCF
    assert find(DCF).settings == {"cost_fn": 10, "cost_fp": 1, "prior": 0.01, "zero_division": 0.0}
