"""The sentence and the table for a paper: numbers of the record and of scipy, and what a reader needs to check them."""

import pytest
from scipy import stats

import clearwin as cw
from clearwin.wording.paper import LETTERS
from tests.reports.pages import every_kind
from tests.two_models import two


@every_kind
def test_every_kind_has_a_sentence_a_line_and_the_software(results, kind):
    result = results[kind]
    paper, brief = result.verdict(style="paper"), result.verdict(style="brief")
    assert f"clearwin {cw.__version__}" in paper
    assert brief == result.summary().opening[0]
    assert "\n" not in paper + brief
    assert result.verdict(style="full") == result.verdict()
    with pytest.raises(cw.errors.UnknownNameError, match="There is no style named 'papr'"):
        result.verdict(style="papr")


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


def test_folds_have_their_degrees_of_freedom():
    a, b = [92, 90, 91, 93, 91], [90, 90, 92, 90, 89]
    t = stats.ttest_rel(b, a)
    told = cw.compare_folds(a, b, test="paired_t", design="independent").verdict(style="paper")
    assert f"t = {t.statistic:.3g} on 4 degrees of freedom, p = {t.pvalue:#.3g}" in told


def test_a_margin_is_told_in_every_style():
    r = cw.compare(*two(200), measure="accuracy", test="mcnemar")
    for style in cw.wording.STYLES:
        assert "margin of ±0.5" in r.verdict(margin=0.5, style=style)


def test_letters_are_those_of_tests_that_exist():
    known = {*cw.list_tests(), *cw.list_tests("folds"), "studentised_unpaired", "delong_unpaired"}
    assert {name.partition("/")[0] for name in LETTERS} <= known
