"""Signs and partitions of folds: scipy, and all arrangements against sampled ones."""

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.significance.folds import permutation
from tests.fold_scores import made


def test_partitions_against_scipy():
    a, b = made(5, 1)
    theirs = stats.permutation_test(
        (b, a), lambda x, y: x.mean() - y.mean(), permutation_type="independent", n_resamples=np.inf
    )
    assert cw.compare_folds(a, b, test="partition").p_value == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("test", ["permutation", "partition"])
def test_sampled_arrangements_agree_with_all_of_them(test, monkeypatch):
    a, b = made(9, 5, shift=0.007)
    exact = cw.compare_folds(a, b, test=test)
    monkeypatch.setattr(permutation, "MOST_ARRANGEMENTS", 1)
    n = 400 if test == "permutation" else 20_000
    r = cw.compare_folds(a, b, test=test, n_resamples=n, rng=1)
    assert r.method == "monte_carlo"
    assert r.arrangements == n + 1
    assert abs(r.p_value - exact.p_value) < 4 * r.p_error
    assert (r.interval.low, r.interval.high) == pytest.approx((exact.interval.low, exact.interval.high), abs=2e-3)
    assert r.p_value == cw.compare_folds(a, b, test=test, n_resamples=n, rng=1).p_value
    # without repeats: as many draws as there are other arrangements find them all
    if test == "permutation":
        everything = cw.compare_folds(a, b, test=test, n_resamples=2**9 - 1, rng=2)
        assert (everything.hits, everything.arrangements) == (exact.hits, exact.arrangements)


def test_a_million_arrangements_are_all_counted_and_more_are_drawn():
    """2²⁰ signs of twenty folds, C(22, 11) = 705,432 ways to part twice eleven scores."""
    for test, most in (("permutation", 20), ("partition", 11)):
        for n, method in ((most, "exact"), (most + 1, "monte_carlo")):
            a, b = made(n, 3)
            assert cw.compare_folds(a, b, test=test, n_resamples=50, rng=1).method == method, (test, n)


def test_the_interval_of_signed_ranks_is_dual_to_scipys_test():
    """Folds shifted by what lies inside the interval are not told apart, by what lies outside they are."""
    x = np.random.default_rng(3).normal(0.05, 0.1, size=13)
    r = cw.compare_folds(np.zeros(13), x, test="wilcoxon", design="independent", rng=1)
    for shift, inside in (
        (r.interval.low - 1e-9, False),
        (r.interval.low + 1e-9, True),
        (r.interval.high - 1e-9, True),
        (r.interval.high + 1e-9, False),
    ):
        assert (stats.wilcoxon(x - shift, method="exact").pvalue > 0.05) == inside


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_few_signs_are_told_and_a_thousand_are_no_burden(test):
    """Five folds that all favour B have p = 2/2⁵ at least; a fold without a difference has no sign."""
    for folds, told in ((5, True), (6, False), (1_100, False)):
        b = np.r_[0.5 + np.arange(1, folds + 1) / 10_000, 0.5]
        r = cw.compare_folds(np.full(folds + 1, 0.5), b, test=test)
        assert (any(c.code == "few_arrangements" for c in r.caveats), r.arrangements) == (told, None)


def test_a_chance_that_is_the_tail_itself_counts():
    """Five folds: W⁺ = 0 has a chance of 1/32, so at a level of 30/32 the interval ends at the outermost averages."""
    d = np.array([0.01, 0.02, 0.05, 0.03, 0.08])
    found = cw.compare_folds(np.full(5, 0.5), 0.5 + d, test="wilcoxon", confidence_level=30 / 32).interval
    assert (found.low, found.high) == (pytest.approx(0.01), pytest.approx(0.08))
