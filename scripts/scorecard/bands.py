"""What is demanded of every figure, and why; a figure out of its band is printed in bold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from clearwin.simulation import rates
from clearwin.simulation.rates import CHANCE, largest_size, least_coverage, most_coverage

# the numbers are those by which clearwin study judges, too
NEVER_ABOVE = rates.NEVER_ABOVE
DEFAULTS = (0.93, 0.99)  # coverage of the 95 % intervals that come without asking, in every cell of the hard nulls


@dataclass(frozen=True)
class Band:
    """The least and the largest figure that is in order, and the reason."""

    low: float
    high: float
    reason: str


def error(share: float, trials: int) -> float:
    """Return the standard error of a share; 0 where every outcome was enumerated.

    >>> round(error(0.05, 1000), 4)
    0.0069
    """
    return math.sqrt(share * (1.0 - share) / trials) if trials else 0.0


def band_of(kind: str, test: str, method: str, null: str, level: float, trials: int) -> Band:
    """Return the band of a figure.

    >>> band_of("size", "permutation", "exact", "exchangeable", 0.05, 0).high
    0.05
    """
    if kind == "power":
        return Band(0.0, 1.0, "power has no band")
    if kind == "contradictions":
        return Band(0.0, 0.0, "never")
    if kind in ("interval", "estimate"):
        low, high = _by_chance(DEFAULTS[0], trials, CHANCE), _by_chance(DEFAULTS[1], trials, 1.0 - CHANCE)
        return Band(low, high, "from two points below the level to four above")
    if kind == "ranks":
        return Band(_by_chance(least_coverage(level), trials, CHANCE), 1.0, "a point below the level at most")
    if kind == "coverage":
        low, high = least_coverage(level), most_coverage(level)
        low, high = _by_chance(low, trials, CHANCE), _by_chance(high, trials, 1.0 - CHANCE)
        return Band(low, high, "within a point of the level")
    exact = null == "exchangeable" and all(form in NEVER_ABOVE for form in method.split(" or "))
    limit, reason = (level, "never above the level") if exact else (largest_size(level), "Cochran 1952")
    return Band(0.0, _by_chance(limit, trials, 1.0 - CHANCE), reason)


@cache
def _by_chance(share: float, trials: int, probability: float) -> float:
    """Return the quantile of a measured share: binomial, since there may be few hits."""
    if not trials:
        return share
    from scipy.stats import binom

    return float(binom.ppf(probability, trials, share)) / trials
