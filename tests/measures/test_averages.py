"""Averages over classes against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics

import clearwin as cw
from tests.measures.every import MANY, ORACLE, value_of


@pytest.mark.parametrize("name", [*MANY, "macro_f_beta(beta=2)", "weighted_f_beta(beta=0.5)"])
def test_many_classes_equal_scikit_learn(name):
    """Odd shapes included: a class that is never predicted, a label that only one model ever says."""
    rng = np.random.default_rng(9)
    oracle = {
        **ORACLE,
        "balanced_accuracy": lambda y, p: metrics.recall_score(y, p, average="macro", zero_division=0),
        "macro_f_beta(beta=2)": lambda y, p: metrics.fbeta_score(y, p, beta=2, average="macro"),
        "weighted_f_beta(beta=0.5)": lambda y, p: metrics.fbeta_score(y, p, beta=0.5, average="weighted"),
    }[name]
    for trial in range(12):
        k = 3 + trial % 4
        y = np.r_[np.arange(k), rng.integers(0, k, 80)]
        p = np.where(rng.random(y.size) < 0.4, rng.integers(0, k - trial % 2, y.size), y)
        assert value_of(name, y, p) == pytest.approx(oracle(y, p), rel=1e-10)


def test_a_label_that_only_a_model_says_counts_by_the_convention():
    y = ["a", "b", "c"] * 20
    a, b = list(y), list(y)
    a[:5], b[:9] = ["never true"] * 5, ["a"] * 9
    r = cw.compare(y, a, b, measure="macro_f1", rng=1, n_resamples=99)
    labels = ["a", "b", "c", "never true"]
    for value, p in ((r.estimate_a, a), (r.estimate_b, b)):
        assert value == pytest.approx(metrics.f1_score(y, p, labels=labels, average="macro", zero_division=0))
    assert any(c.code == "undefined_estimate" for c in r.caveats)  # B never says it: 0/0 there


def test_a_mean_over_classes_is_undefined_in_part():
    y = ["a"] * 30 + ["b"] * 30 + ["c"] * 2
    r = cw.compare(y, y[::-1], y, measure="macro_f1", test="bootstrap", rng=1, n_resamples=500)
    [caveat] = [c for c in r.caveats if c.code == "undefined_replicates"]
    assert "a part of macro F1 was undefined" in caveat.text
