"""The variance of a sum of numbers that come in time order, and the distribution of its estimate.

Numbers that resemble their neighbours make a sum vary more than independent ones do. What is left of them after their
correlation ρ with the number before is nearly independent; its variance is estimated with Bartlett weights for the lags
(Newey and West, Econometrica 55, 1987) and divided by (1 − ρ)² (Andrews and Monahan, Econometrica 60, 1992). In few
numbers ρ comes out too low by about (1 + 3ρ)/n, which is added (Kendall, Biometrika 41, 1954).

The bandwidth is 1.3√n (Lazarus, Lewis, Stock and Watson, Journal of Business & Economic Statistics 36, 2018). The
estimate varies like a weighted sum of squared normal numbers, whose weights follow from the bandwidth as a share b of n
(Kiefer and Vogelsang, Econometric Theory 21, 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from clearwin.numerics.arrays import Floats

BANDWIDTH = 1.3  # times √n
MOST_CORRELATED = 0.97
GRID = 200  # numbers for which the weights are worked out; more of them hardly change those
FEWEST_LAGS = 4.0  # on that grid: with fewer, the weights are as good as equal


@dataclass(frozen=True)
class LongRunVariance:
    """The variance of a sum, the correlation of each number with the one before, and how the estimate varies."""

    variance: float
    correlation: float
    weights: tuple[float, ...]

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom of the variance."""
        weights = np.array(self.weights)
        return float(weights.sum() ** 2 / (weights**2).sum())


def long_run_variance(numbers: Floats) -> LongRunVariance:
    """Return the variance of the sum of numbers in time order."""
    n = numbers.size
    gaps = numbers - numbers.mean()
    bandwidth = max(round(BANDWIDTH * math.sqrt(n)), 1)
    before, after = gaps[:-1], gaps[1:]
    squares = float(before @ before)
    found = float(before @ after) / squares if squares > 0.0 else 0.0
    correlation = min(max(found + (1.0 + 3.0 * found) / n, 0.0), MOST_CORRELATED) if squares > 0.0 else 0.0
    left = after - correlation * before
    variance = bartlett_sum(left, bandwidth) * n / left.size / (1.0 - correlation) ** 2
    return LongRunVariance(variance, correlation, weights_of_squares(n, bandwidth))


def bartlett_sum(numbers: Floats, bandwidth: int) -> float:
    """Return Σ (1 − |k|/bandwidth) Σ xₜxₜ₋ₖ of numbers less their mean: a mean of squared sums of neighbours.

    >>> bartlett_sum(np.array([1.0, -1.0, 2.0, -2.0]), 1), bartlett_sum(np.array([1.0, -1.0, 2.0, -2.0]), 2)
    (10.0, 3.0)
    """
    gaps = numbers - numbers.mean()
    running = np.concatenate([np.zeros(bandwidth), np.cumsum(gaps), np.full(bandwidth - 1, gaps.sum())])
    sums = running[bandwidth:] - running[:-bandwidth]
    return float(sums @ sums) / bandwidth


@lru_cache(maxsize=256)
def weights_of_squares(n: int, bandwidth: int) -> tuple[float, ...]:
    """Return the weights of squared normal numbers that the estimate is distributed like, where the variance is 1."""
    share = bandwidth / n
    points = min(n, GRID)
    if points < n and share * points < FEWEST_LAGS:
        degrees = round(1.5 / share)  # Σ weights²/(Σ weights)² of Bartlett's weights is 2b/3
        return (((1.0 - share + share**2 / 3.0) / degrees),) * degrees
    lags = np.abs(np.subtract.outer(np.arange(points), np.arange(points)))
    kernel = np.maximum(0.0, 1.0 - lags / (share * points))
    centred = kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()
    weights = np.linalg.eigvalsh(centred) / points
    return tuple(weights[weights > 1e-12].tolist())
