"""Two models in the sentence for a paper: numbers of the record and of scipy, and the form that the test took."""

import pytest
from scipy import stats

import clearwin as cw
from clearwin.significance import REGISTRY
from clearwin.words.phrases import FORMS
from clearwin.words.two_models import LETTERS
from tests.one_of_each import against_chance, folds
from tests.two_models import two


def test_the_sentence_has_test_statistic_p_interval_and_n():
    """McNemar's χ² and p against scipy, on the table of facts that statsmodels and R print, too."""
    joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    r = cw.compare(joint, measure="accuracy", test="mcnemar", method="asymptotic", names=("svm", "rbf"))
    chi2 = (16 - 6) ** 2 / (16 + 6)
    told = r.verdict(style="paper")
    assert told.startswith("On 161 items, rbf had a lower accuracy than svm (")
    for part in (
        "McNemar test",
        f"χ² = {chi2:.3g}",
        f"p = {stats.chi2.sf(chi2, 1):#.3g}",
        "95 % interval -0.124 to -0.005",
    ):
        assert part in told
    lower = cw.compare(joint, measure="error_rate", test="mcnemar", method="asymptotic", names=("svm", "rbf"))
    assert "rbf had a higher error rate than svm" in lower.verdict(style="paper")


def test_what_is_not_significant_is_not_called_so():
    r = cw.compare(*two(200), measure="accuracy", test="mcnemar", confidence_level=1 - 1e-9)
    assert "did not differ significantly in accuracy" in r.verdict(style="paper")


def test_letters_are_those_of_tests_that_exist():
    known = {*cw.list_tests(), *cw.list_tests("folds"), "studentised_unpaired", "delong_unpaired"}
    assert {name.partition("/")[0] for name in LETTERS} <= known


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("auto", "mid-p McNemar test, p = "),
        ("mid-p", "mid-p McNemar test, p = "),
        ("exact", "exact McNemar test, p = "),
        ("asymptotic", "asymptotic McNemar test, χ² = "),
        ("corrected", "continuity-corrected McNemar test, χ² = "),
        ("unconditional", "unconditional exact McNemar test, χ² = "),
    ],
)
def test_the_form_of_mcnemars_test_is_named(method, told):
    r = cw.compare(*two(200), measure="accuracy", test="mcnemar", method=method)
    assert told in r.verdict(style="paper")
    assert told.partition(",")[0] in r.to_latex()


def test_every_test_of_several_forms_names_the_one_it_took():
    """Two forms of a test have p-values of their own, so they need names of their own."""
    for test in REGISTRY["items"].values():
        if len(test.methods) > 1:
            assert len({FORMS[method] for method in test.methods}) == len(test.methods), test.name


def test_draws_are_counted_where_the_p_value_is_of_them():
    assert "paired permutation test with 500 sampled permutations, p" in _permuted("monte_carlo", 500)
    assert "exact paired permutation test, p" in _permuted("exact", 500)
    r = cw.compare(*two(200), measure="f1", n_resamples=400, rng=1)
    assert "studentised test with 400 drawn test sets, t = " in r.verdict(style="paper")
    assert "exact sign-flip permutation test" in folds(test="permutation").verdict(style="paper")
    assert "corrected resampled t test, t = " in folds().verdict(style="paper")
    assert "(exact test, p = " in against_chance(method="exact").verdict(style="paper")
    assert "(χ² test, p = " in against_chance(method="chi2").verdict(style="paper")


def _permuted(method, n_resamples):
    found = cw.compare(*two(60), test="permutation", method=method, n_resamples=n_resamples, rng=1)
    return found.verdict(style="paper")
