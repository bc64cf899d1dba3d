"""How far a test may miss what it promises: one standard for a study and for the scorecard."""

from __future__ import annotations

# no two-sided error of an interval by more than a point: the level is usually quoted in whole per cent
POINT = 0.01
CHANCE = 0.00135  # three standard errors of a normal: a figure at the end of its band is beyond it once in 700 times
# methods that keep their level by construction; mid-p and the corrected form do so in all of the 9,595 cells of
# Fagerland et al. (2013), though mid-p would not with nearly all items discordant (7.7 % if all of 16 are)
NEVER_ABOVE = ("exact", "monte_carlo", "mid-p", "corrected")


def largest_size(alpha: float) -> float:
    """Return the largest true size of an approximate test that is in order: half as much again, at most a point more.

    Cochran (1952), Annals of Mathematical Statistics 23:315-345, tolerated of the χ² approximation true levels of 4 to
    6 % at a nominal 5 %, and of 0.7 to 1.5 % at 1 %; here only the upper ends are demanded.

    >>> largest_size(0.05), largest_size(0.01), largest_size(0.1)
    (0.06, 0.015, 0.11)
    """
    return float(f"{alpha + min(alpha / 2.0, POINT):.12g}")  # not 0.060000000000000005


def least_coverage(level: float) -> float:
    """Return the smallest true coverage of an interval that is in order.

    >>> least_coverage(0.95)
    0.94
    """
    return max(0.0, float(f"{level - POINT:.12g}"))


def most_coverage(level: float) -> float:
    """Return the largest: an interval that covers more is wider than it need be.

    >>> most_coverage(0.95)
    0.96
    """
    return min(1.0, float(f"{level + POINT:.12g}"))
