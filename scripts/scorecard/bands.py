"""What is demanded of every figure, and why; a figure out of its band is printed in bold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

# Cochran (1952), Annals of Mathematical Statistics 23:315-345, tolerated of the χ² approximation true levels of 4 to
# 6 % at a nominal 5 %, and of 0.7 to 1.5 % at 1 %; here only the upper ends are demanded
COCHRAN = {0.05: 0.06, 0.01: 0.015}
# no two-sided error of an interval by more than a point: the level is usually quoted in whole per cent
POINT = 0.01
CHANCE = 0.00135  # three standard errors of a normal: a figure at the end of its band is bold by chance once in 700

# methods that keep their level by construction; mid-p and the corrected form do so in all of the 9,595 cells of
# Fagerland et al. (2013), though mid-p would not with nearly all items discordant (7.7 % if all of 16 are)
NEVER_ABOVE = ("exact", "monte_carlo", "mid-p", "corrected")


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
    if kind == "coverage":
        low, high = _by_chance(level - POINT, trials, CHANCE), _by_chance(level + POINT, trials, 1.0 - CHANCE)
        return Band(low, high, "within a point of the level")
    exact = null == "exchangeable" and method in NEVER_ABOVE
    limit, reason = (level, "never above the level") if exact else (COCHRAN[level], "Cochran 1952")
    return Band(0.0, _by_chance(limit, trials, 1.0 - CHANCE), reason)


@cache
def _by_chance(share: float, trials: int, probability: float) -> float:
    """Return the quantile of a measured share: binomial, since there may be few hits."""
    if not trials:
        return share
    from scipy.stats import binom

    return float(binom.ppf(probability, trials, share)) / trials
