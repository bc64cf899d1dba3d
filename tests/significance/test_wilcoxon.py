"""Wilcoxon's signed-rank test against scipy and every assignment of signs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.significance.wilcoxon import signed_ranks


@pytest.mark.parametrize("seed", range(8))
def test_wilcoxon_is_scipys_exact_one_and_its_correction_holms(seed):
    scores = np.random.default_rng(seed).normal(size=(11, 4))
    r = cw.rank_data_sets(scores, n_resamples=10, rng=1)
    expected = [
        stats.wilcoxon(scores[:, b], scores[:, a], method="exact") for a, b in itertools.combinations(range(4), 2)
    ]
    assert [pair.p_value for pair in r.pairs] == pytest.approx([found.pvalue for found in expected], rel=1e-12)
    step = sorted(found.pvalue for found in expected)
    holm = np.maximum.accumulate([min(1, p * (6 - i)) for i, p in enumerate(step)])
    assert sorted(pair.adjusted_p for pair in r.pairs) == pytest.approx(holm.tolist(), rel=1e-12)
    assert all(pair.method == "exact" for pair in r.pairs)


def test_ties_and_zeros_in_wilcoxon_by_brute_force():
    gains = np.array([0.0, 1.0, -1.0, 2.0, 2.0, 3.0, 0.0])
    found = signed_ranks(gains, 1e-12, "different")
    ranks = stats.rankdata(np.abs(gains[gains != 0]))
    observed = abs((np.sign(gains[gains != 0]) * ranks).sum())
    flips = [abs(np.dot(signs, ranks)) >= observed for signs in itertools.product((-1, 1), repeat=5)]
    assert (found.p.value, found.dropped, found.ranked) == (pytest.approx(np.mean(flips), rel=1e-12), 2, 5)
