"""The middle of paired differences and its interval, dual to Wilcoxon's signed-rank test (Hodges and Lehmann 1963).

Walsh averages are the means of two differences, each with itself too. Their median is the estimate; counting as many
in from both ends as the distribution of W⁺ allows gives the interval.
"""

from __future__ import annotations

import math

import numpy as np

from clearwin.numerics import sign_flips
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Coverage, Interval


def critical_sum(n: int, coverage: Coverage) -> int:
    """Return the largest c with P(W⁺ ≤ c) ≤ (1 − level)/2 for ``n`` differences, −1 if there is none.

    Exact up to about a thousand differences, normal beyond.

    >>> critical_sum(10, Coverage(0.95)), critical_sum(5, Coverage(0.95))
    (8, -1)
    """
    steps = np.arange(1, n + 1)
    if sign_flips.affordable(steps):
        _, chances = sign_flips.integer_distribution(steps)
        return int(np.searchsorted(np.cumsum(chances), coverage.tail, side="right")) - 1
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
    return max(-1, math.floor(n * (n + 1) / 4.0 - coverage.z * spread))


def walsh(differences: Floats, critical: int, level: float) -> tuple[float, Interval]:
    """Return the median of the Walsh averages and its interval, unbounded where the critical sum is −1."""
    from clearwin.numerics import value_kernels

    n = differences.size * (differences.size + 1) // 2
    ranks = np.array([(n - 1) // 2, n // 2, max(critical, 0), n - 1 - max(critical, 0)])
    left, right, low, high = value_kernels.walsh_averages(np.sort(differences), ranks).tolist()
    if critical < 0:
        low, high = -math.inf, math.inf
    return (left + right) / 2.0, Interval(low, high, level, "walsh")
