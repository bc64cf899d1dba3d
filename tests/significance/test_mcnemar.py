"""McNemar's test against scipy and statsmodels; its enumerated sizes are in tests/scripts/test_scorecard.py."""

import math

import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

import clearwin as cw
from clearwin.numerics import pvalues


def p_value(wins, losses, method, claim="different"):
    joint = cw.JointCounts(e1=0, e2=wins, e3=losses, e4=50, e5=0, e6=0, e7=0, e8=100)
    return cw.compare(joint, measure="accuracy", test="mcnemar", method=method, claim=claim).p_value


@pytest.mark.parametrize(("wins", "losses"), [(6, 16), (16, 6), (1, 0), (0, 9), (30, 31), (400, 300)])
def test_against_scipy_and_statsmodels(wins, losses):
    table = [[0, wins], [losses, 0]]
    exact = stats.binomtest(wins, wins + losses).pvalue
    assert p_value(wins, losses, "exact") == pytest.approx(exact, rel=1e-12)
    ours = p_value(wins, losses, "asymptotic")
    assert ours == pytest.approx(statsmodels_mcnemar(table, exact=False, correction=False).pvalue, rel=1e-12)
    ours = p_value(wins, losses, "corrected")
    assert ours == pytest.approx(statsmodels_mcnemar(table, exact=False, correction=True).pvalue, rel=1e-12)
    for claim, alternative in (("better", "greater"), ("worse", "less")):
        one_sided = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
        assert p_value(wins, losses, "exact", claim) == pytest.approx(one_sided, rel=1e-12)
        # mid-p: half of the observed atom comes off
        atom = stats.binom.pmf(wins, wins + losses, 0.5)
        assert p_value(wins, losses, "mid-p", claim) == pytest.approx(one_sided - atom / 2, rel=1e-10)


def test_one_sided_correction_is_the_normal_tail_half_a_step_in():
    # P(X ≥ 16) for X ~ Bin(22, 1/2), continuity-corrected: X − 1/2 standardised by n/2 and √n/2
    expected = stats.norm.sf((16 - 0.5 - 11) / math.sqrt(22 / 4))
    assert p_value(16, 6, "corrected", "better") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", ["asymptotic", "corrected", "exact", "mid-p", "unconditional"])
def test_equal_disagreement_gives_p_1(method):
    for each in (0, 1, 5, 200):
        assert p_value(each, each, method) == 1.0


def test_deep_tails_keep_their_logarithm():
    for wins in (2_000, 100_000):
        joint = cw.JointCounts(e1=0, e2=wins, e3=0, e4=0, e5=0, e6=0, e7=0, e8=1)
        r = cw.compare(joint, measure="accuracy", test="mcnemar", method="exact")
        # all wins: p = 2 · 2^−n
        assert r.log10_p == pytest.approx((1 - wins) * math.log10(2), rel=1e-13)
        assert 0 < r.p_value < 1e-300
        assert "p < 1e-300" in str(r)
    # far out but not at the end, against exact integers
    k, n = 4_000, 5_000
    exact = sum(math.comb(n, i) for i in range(k, n + 1))
    log10 = math.log10(2 * exact) - n * math.log10(2)
    assert pvalues.of_coin(k, n - k, "different", mid=False).log10 == pytest.approx(log10, rel=1e-12)


def test_sign_is_exact_mcnemar():
    joint = cw.JointCounts(e1=20, e2=6, e3=16, e4=8, e5=0, e6=5, e7=2, e8=100)
    for claim in ("different", "better", "worse"):
        by_sign = cw.compare(joint, measure="accuracy", test="sign", claim=claim)
        exact = cw.compare(joint, measure="accuracy", test="mcnemar", method="exact", claim=claim)
        assert by_sign.p_value == exact.p_value


@pytest.mark.parametrize(("method", "doubted"), [("asymptotic", True), ("corrected", True), ("exact", False)])
def test_the_normal_approximation_is_doubted_below_twenty_items_that_tell(method, doubted):
    """n·¼ ≥ 5, with n the items that only one model has wrong, whichever model that is."""
    for wins, losses, few in ((10, 10, False), (10, 9, True), (19, 0, True)):
        joint = cw.JointCounts(e1=0, e2=wins, e3=losses, e4=50, e5=0, e6=0, e7=0, e8=100)
        found = cw.compare(joint, measure="accuracy", test="mcnemar", method=method)
        told = [c.text for c in found.caveats if c.code == "normal_approximation"]
        assert len(told) == (few and doubted)
        assert all("4.75" in text for text in told)
