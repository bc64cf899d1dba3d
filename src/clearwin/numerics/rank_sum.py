"""Does a ranking know anything of the classes? The area under the ROC curve held against chance.

Under chance every set of places is as likely for the positive items as any other, so the distribution of their rank sum
is known (Wilcoxon 1945; Mann and Whitney 1947): exactly for few items, ties and all, and for many by its mean and
variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats, Ints

MOST_COUNTED = 40  # items up to which all ways are counted


@dataclass(frozen=True)
class ChanceLevel:
    """How rarely chance gives as little (``below``) and as much (``above``) as a model; for scores with their ``area``.

    Both are 1 for a model that says the same of every item.
    """

    below: float
    above: float
    area: float | None = None


def against_chance(positives: Ints, negatives: Ints) -> ChanceLevel:
    """Return how a ranking stands against chance, given as the items of each class at each of its scores, rising.

    >>> found = against_chance(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))  # one of the 6 ways to rank them
    >>> found.area, round(found.above, 6), round(found.below, 6)
    (1.0, 0.166667, 1.0)
    """
    positives, negatives = positives.astype(np.int64), negatives.astype(np.int64)
    p, n = int(positives.sum()), int(negatives.sum())
    twice_below = 2 * (np.cumsum(negatives) - negatives) + negatives  # negatives below each score, those at it by half
    twice_wins = int(positives @ twice_below)
    area = twice_wins / (2 * p * n)
    sizes = positives + negatives
    if p + n <= MOST_COUNTED:
        below, above = _counted(sizes, p, twice_wins + p * (p + 1))
        return ChanceLevel(below, above, area)
    ties = math.fsum((sizes.astype(np.float64) ** 3 - sizes).tolist()) / ((p + n) * (p + n - 1))
    deviation = math.sqrt(max(p * n / 12.0 * (p + n + 1 - ties), 0.0))
    gain = (twice_wins - p * n) / 2.0
    below, above = pvalues.tails_of_normal(gain, deviation)
    return ChanceLevel(below, above, area)


def _counted(sizes: Ints, p: int, observed: int) -> tuple[float, float]:
    """Return the shares of all ways to choose p items whose doubled midranks add up to at most, and at least, so much.

    A subset sum, item by item: ``ways[k, s]`` is how many sets of k items have the sum s.
    """
    ranks = np.repeat(2 * np.cumsum(sizes) - sizes + 1, sizes).tolist()
    ways: Floats = np.zeros((p + 1, sum(ranks) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    shares = ways[p] / ways[p].sum()
    return min(float(shares[: observed + 1].sum()), 1.0), min(float(shares[observed:].sum()), 1.0)
