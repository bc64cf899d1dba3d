"""Friedman's test, Iman and Davenport's F and Nemenyi's pairs: Demšar's tables, scipy and brute force."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.numerics import pvalues
from clearwin.significance.friedman import (
    critical_difference,
    critical_value,
    friedman_permutation,
    groups_not_told_apart,
    midranks,
    nemenyi,
)
from clearwin.streams import Seed

# Demšar, JMLR 7 (2006), Table 6: ranks of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf by their AUC on 14 data sets. The ranks
# and not the AUCs, which are printed with three digits: on voting two of them look tied and were not.
DEMSAR_RANKS = np.array(
    [
        [4, 3, 2, 1],  # adult (sample)
        [1, 2, 3, 4],  # breast cancer
        [4, 1, 2, 3],  # breast cancer wisconsin
        [4, 1, 3, 2],  # cmc
        [4, 2, 3, 1],  # ionosphere
        [1, 2.5, 4, 2.5],  # iris
        [3, 2, 4, 1],  # liver disorders
        [2.5, 2.5, 4, 1],  # lung cancer
        [4, 3, 2, 1],  # lymphography
        [2.5, 2.5, 2.5, 2.5],  # mushroom
        [4, 2.5, 1, 2.5],  # primary tumor
        [3, 2, 4, 1],  # rheum
        [4, 1, 2, 3],  # voting
        [3, 1, 4, 2],  # wine
    ]
)
# Demšar 2006, Table 5(a): q for k = 2 … 10
DEMSAR_Q = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


def test_demsars_worked_example():
    """Section 3.2: χ² = 9.28, F = 3.69 on 3 and 39, CD = 1.25. Demšar's χ² has no correction for ties."""
    r = cw.rank_data_sets(DEMSAR_RANKS, higher_is_better=False, rng=1)
    assert [round(rank, 3) for rank in r.mean_ranks] == [3.143, 2.000, 2.893, 1.964]
    uncorrected = r.friedman.statistic * r.tie_correction
    assert round(uncorrected, 2) == 9.28
    assert round(13 * uncorrected / (14 * 3 - uncorrected), 2) == 3.69
    assert r.iman_davenport.degrees == (3, 39)
    assert round(r.critical_difference, 2) == 1.25
    assert round(critical_difference(4, 14, 0.10), 2) == 1.12
    # "the post-hoc test is not powerful enough" at .05
    assert r.nemenyi_groups == (("D", "B", "C", "A"),)
    # at .10 the worst differs from the two best: 3.143 − 1.964 = 1.18 and 3.143 − 2.000 = 1.14 exceed 1.12
    assert cw.rank_data_sets(DEMSAR_RANKS, higher_is_better=False, confidence_level=0.9).nemenyi_groups == (
        ("D", "B", "C"),
        ("C", "A"),
    )
    # the correction for ties: mushroom has four tied, three other data sets two
    assert r.tie_correction == pytest.approx(1 - (60 + 3 * 6) / (14 * 60), abs=1e-15)


@pytest.mark.parametrize("alpha", DEMSAR_Q)
def test_demsars_critical_values(alpha):
    """Three of the eighteen are off by .001: Demšar divided rounded quantiles of the studentised range by √2."""
    found = [critical_value(k, alpha) for k in range(2, 11)]
    assert found == pytest.approx(DEMSAR_Q[alpha], abs=0.00101)
    expected = [stats.studentized_range.ppf(1 - alpha, k, np.inf) / math.sqrt(2) for k in range(2, 11)]
    assert found == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_friedman_is_scipys_with_ties(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(3, 9))
    scores = rng.integers(0, 6, size=(n, k)).astype(float)
    r = cw.rank_data_sets(scores, n_resamples=10, rng=1)
    np.testing.assert_array_equal(midranks(scores, np.zeros(n)), k + 1 - stats.rankdata(scores, axis=1))
    expected = stats.friedmanchisquare(*scores.T)
    assert r.friedman.statistic == pytest.approx(expected.statistic, rel=1e-10, abs=1e-10)
    assert r.friedman.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    # Iman and Davenport's F is the analysis of variance of the ranks in blocks
    ranks = stats.rankdata(scores, axis=1)
    between = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    rest = ((ranks - (k + 1) / 2) ** 2).sum() - between
    f = between / (k - 1) / (rest / ((k - 1) * (n - 1)))
    assert r.iman_davenport.statistic == pytest.approx(f, rel=1e-10)
    assert r.iman_davenport.p_value == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)), rel=1e-10)


def test_rounding_errors_are_ties():
    assert midranks(np.array([[0.3, 0.1 + 0.2, 0.5]]), np.array([1e-12])).tolist() == [[2.5, 2.5, 1.0]]
    r = cw.rank_data_sets([[0.3, 0.1 + 0.2]] * 12)
    assert (r.mean_ranks, r.p_value, r.pairs[0].equal) == ((1.5, 1.5), 1.0, 12)


def test_each_data_set_has_its_own_scale():
    """Errors of 1e9 on one data set do not make those of 1e-6 on another look tied."""
    r = cw.rank_data_sets([[1e9, 2e9], [1e-6, 3e-6], [1e-300, 4e-300], [0.0, 0.0]], n_resamples=10)
    assert (r.mean_ranks, r.pairs[0].equal, r.pairs[0].b_better) == ((1.875, 1.125), 1, 3)


def test_equal_differences_are_tied_whatever_their_rounding():
    a = np.array([0.8, 0.6, 0.3, 0.7, 0.1])
    [pair] = cw.rank_data_sets({"a": a, "b": a + np.array([0.01, 0.01, -0.01, 0.01, 0.02])}, n_resamples=10).pairs
    assert pair.statistic == 3 * 2.5 + 5


def test_nemenyi_agrees_with_the_critical_difference():
    for n in (3, 10, 60):
        cd = critical_difference(5, n, 0.05)
        for gap in (0.0, 0.999 * cd, 1.001 * cd):
            p = nemenyi(np.array([1.0, 1.0 + gap, 2, 3, 4]), n)[0][1].value
            assert (p <= 0.05) == (gap > cd)


def test_groups_are_the_largest_stretches():
    ranks = np.array([1.0, 1.5, 2.5, 3.0, 7.0])
    p = [[pvalues.from_log(0.0 if abs(a - b) <= 1.6 else -9.0) for b in ranks] for a in ranks]
    assert groups_not_told_apart(ranks, p, 0.05) == [[0, 1, 2], [1, 2, 3]]
    assert groups_not_told_apart(ranks[::-1], [row[::-1] for row in p[::-1]], 0.05) == [[4, 3, 2], [3, 2, 1]]


def test_all_data_sets_alike_have_an_infinite_f_and_the_exact_probability():
    """2 of 3 tied on each of 4 data sets: 3 ways to give out the ranks, so P = 3 · (1/3)⁴."""
    r = cw.rank_data_sets([[1, 1, 2]] * 4, n_resamples=10)
    assert r.iman_davenport.statistic == math.inf
    assert r.p_value == pytest.approx(1 / 27, rel=1e-14)
    assert json.loads(r.to_json())["iman_davenport"]["statistic"] == "inf"
    assert "F = ∞" in str(r)
    assert "all_alike" in [caveat.code for caveat in r.caveats]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_exact_friedman_is_brute_force(k):
    """Every way to give out the ranks of every row, ties included."""
    rng = np.random.default_rng(k)
    for n, _ in itertools.product((2, 3, 4) if k < 4 else (2, 3), range(6)):
        scores = rng.integers(0, 4, (n, k)) / 4
        r = cw.rank_data_sets(scores, n_resamples=50, rng=1)
        ranks = np.stack([stats.rankdata(-row) for row in scores])
        statistic = lambda table: ((np.sum(table, axis=0) - len(table) * (k + 1) / 2) ** 2).sum()  # noqa: E731
        rows = [list(itertools.permutations(row)) for row in ranks]
        extreme = [statistic(table) >= statistic(ranks) - 1e-9 for table in itertools.product(*rows)]
        assert r.permutation_method == "exact"
        assert r.p_value == pytest.approx(np.mean(extreme), rel=1e-10)


def test_few_data_sets_are_not_told_apart_by_an_approximation():
    r = cw.rank_data_sets([[0.9, 0.8, 0.7], [0.9, 0.8, 0.7], [0.9, 0.7, 0.8]], n_resamples=50, rng=1)
    assert r.p_value == pytest.approx(42 / 216)
    assert r.iman_davenport.p_value < 0.05
    assert "No clear evidence that the " in r.verdict()


def test_sampled_friedman_agrees_with_the_exact_one(monkeypatch):
    scores = np.random.default_rng(3).random((8, 3)) + np.array([0, 0.1, 0.2])
    exact = cw.rank_data_sets(scores, rng=1, n_resamples=20_000)
    monkeypatch.setattr("clearwin.significance.friedman.MOST_STATES", 0)
    sampled = cw.rank_data_sets(scores, rng=1, n_resamples=20_000)
    assert (exact.permutation_method, sampled.permutation_method) == ("exact", "monte_carlo")
    assert abs(exact.p_value - sampled.p_value) <= 5 * sampled.permutation_error + 1e-4


def test_rank_sums_that_would_not_fit_into_a_number_are_drawn():
    """Seven sums between ±7n are the digits of one number to the base 14n + 1: that fits below 2⁶² for n ≤ 33."""
    assert (14 * 33 + 1) ** 7 < 2**62 < (14 * 34 + 1) ** 7
    one_ahead, tied = [1.0] + [5.0] * 7, [4.5] * 8
    for n, method in ((33, "exact"), (34, "monte_carlo")):
        ranks = np.array([one_ahead] * 2 + [tied] * (n - 2))
        found, p = friedman_permutation(ranks, 4_000, Seed.of(1))
        assert found == method
        # the second row puts the same one of eight models ahead as the first; 4 standard errors where it is drawn
        assert p.value == pytest.approx(1 / 8, rel=1e-12, abs=0 if method == "exact" else 4 * (7 / 64 / 4_000) ** 0.5)


def test_what_would_take_too_many_numbers_is_not_drawn(monkeypatch):
    monkeypatch.setattr("clearwin.significance.friedman.MOST_DRAWN", 12 * 9 * 20)
    ranks = np.argsort(np.random.default_rng(2).random((12, 9)), axis=1) + 1.0  # nine models are never counted exactly
    assert friedman_permutation(ranks, 20, Seed.of(1))[0] == "monte_carlo"
    assert friedman_permutation(ranks, 21, Seed.of(1)) is None
