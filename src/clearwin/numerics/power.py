"""Power by the normal approximation: how often a test shows what is true, and how many units that takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

NORMAL = NormalDist()
MOST = 1e15  # units that a plan is looked for among
STEPS = 200


@dataclass(frozen=True)
class NormalPower:
    """The power of one test of a mean, or of several that must all reject (two one-sided tests of equivalence).

    ``distances`` are how far the truth lies from what each test assumes, above 0. ``tail`` is what each leaves out,
    and ``deviation`` that of one unit; ``null_deviation`` is what a test takes it for whose standard error is that of
    the null hypothesis, as McNemar's is.

        power(n) = Φ((distance·√n − z·σ₀)/σ₁)

    Source: Connor, Biometrics 43 (1987), p. 209, whose example (0.05 against 0.45, 80 %) needs 23 items:

    >>> math.ceil(NormalPower((0.4,), 0.025, math.sqrt(0.5 - 0.4**2), math.sqrt(0.5)).units(0.8))
    23
    """

    distances: tuple[float, ...]
    tail: float
    deviation: float
    null_deviation: float

    @property
    def critical(self) -> float:
        """The normal quantile that leaves out ``tail``."""
        return NORMAL.inv_cdf(1.0 - self.tail)

    def power(self, n: float) -> float:
        """Return how often n units show it; for several tests what is sure of all together (Bonferroni)."""
        missed = [1.0 - NORMAL.cdf(self._standardised(distance, n)) for distance in self.distances]
        return max(0.0, 1.0 - sum(missed))

    def _standardised(self, distance: float, n: float) -> float:
        return (distance * math.sqrt(n) - self.critical * self.null_deviation) / self.deviation

    def units(self, power: float) -> float:
        """Return how many units have the power; 0 where none are needed."""
        if len(self.distances) == 1:
            root = self.critical * self.null_deviation + NORMAL.inv_cdf(power) * self.deviation
            return max(root / self.distances[0], 0.0) ** 2
        low, high = 1e-6, MOST
        for _ in range(STEPS):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self.power(middle) < power else (low, middle)
        return high

    def smallest(self, n: float, power: float) -> float:
        """Return the smallest distance that n units show with the power, by one test."""
        return (self.critical * self.null_deviation + NORMAL.inv_cdf(power) * self.deviation) / math.sqrt(n)
