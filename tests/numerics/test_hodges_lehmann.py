"""The middle of paired differences: its interval is dual to Wilcoxon's test."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from clearwin.numerics.hodges_lehmann import critical_sum, walsh
from clearwin.numerics.intervals import Coverage


def test_the_walsh_interval_is_dual_to_wilcoxons_test():
    """Shifting the differences by a value inside the interval is not rejected, by one outside it is."""
    x = np.random.default_rng(3).normal(0.5, 1, size=13)
    middle, interval = walsh(x, critical_sum(13, Coverage(0.95)), 0.95)
    for shift, inside in (
        (interval.low - 1e-9, False),
        (interval.low + 1e-9, True),
        (interval.high - 1e-9, True),
        (interval.high + 1e-9, False),
    ):
        assert (stats.wilcoxon(x - shift, method="exact").pvalue > 0.05) == inside
    assert middle == np.median([(a + b) / 2 for a, b in itertools.combinations_with_replacement(x, 2)])


def test_critical_sums_exact_and_normal_meet():
    # Wilcoxon 1945 and every table since: 95 % two-sided, n = 6 … 12
    assert [critical_sum(n, Coverage(0.95)) for n in range(6, 13)] == [0, 2, 3, 5, 8, 10, 13]
    exact = critical_sum(900, Coverage(0.95))
    spread = math.sqrt(900 * 901 * 1801 / 24)
    assert exact == pytest.approx(900 * 901 / 4 - 1.959964 * spread, abs=2)
    for n, level in ((1500, 0.95), (3000, 0.99)):
        normal = stats.norm.isf((1 - level) / 2)
        assert critical_sum(n, Coverage(level)) == math.floor(
            n * (n + 1) / 4 - normal * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        )


def test_with_few_differences_the_walsh_interval_is_their_range_or_everything():
    x = np.array([0.3, -1.0, 2.0, 0.7, 1.1, 5.0])
    assert critical_sum(6, Coverage(0.95)) == 0
    _, interval = walsh(x, 0, 0.95)
    assert (interval.low, interval.high) == (-1.0, 5.0)  # P(W⁺ = 0) = 1/64: all six differences on one side
    _, interval = walsh(x[:5], critical_sum(5, Coverage(0.95)), 0.95)
    assert (interval.low, interval.high) == (-math.inf, math.inf)
