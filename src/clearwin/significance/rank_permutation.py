"""Friedman's test by permutation: if every ranking were as likely as any other, how often would ranks part as far?

χ² and F are approximations of this distribution, and for few data sets poor ones: of 3 models on 3 data sets F rejects
a true null hypothesis 19 % of the time at 5 %.
"""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from clearwin import pvalues
from clearwin.execution import Seed, run_blocks
from clearwin.pvalues import PValue
from clearwin.streams import Stream, shuffled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STREAM = 11
MOST_STATES = 2_000_000  # sums of ranks times the ways to give out a row's ranks: about a second in all
MOST_NUMBERS = 2**22  # held at once when permutations are drawn
MOST_DRAWN = 2**28  # ranks drawn in all; beyond there are so many data sets that F is good enough


def friedman_permutation(ranks: Floats, n_resamples: int, seed: Seed) -> tuple[str, PValue] | None:
    """Return the method and the p-value of Friedman's statistic, or None where neither method is affordable.

    The statistic is the sum of the squared rank sums, about their middle: with the ranks of every row given it rises
    with χ² and F. ``exact`` adds up all ways to give out the ranks, row by row; else ``n_resamples`` are drawn.
    """
    n, k = ranks.shape
    doubled = np.rint(2.0 * ranks).astype(np.int64) - (k + 1)
    observed = int((doubled.sum(axis=0) ** 2).sum())
    if k == 2:
        wins, losses = int((doubled[:, 0] < 0).sum()), int((doubled[:, 0] > 0).sum())
        return "exact", pvalues.of_coin(wins, losses, "different", mid=False)
    exact = _exact(doubled, observed)
    if exact is not None:
        return "exact", exact
    if n * k * n_resamples > MOST_DRAWN:
        return None
    return "monte_carlo", _sampled(doubled, observed, n_resamples, seed)


def _exact(doubled: Ints, observed: int) -> PValue | None:
    """Follow the rank sums of all models but the last through the rows; equal sums are one state."""
    n, k = doubled.shape
    if k > 8:
        return None
    base = 2 * n * (k - 1) + 1
    if base ** (k - 1) >= 2**62:
        return None
    weights = base ** np.arange(k - 1)
    states: Ints = np.zeros(1, dtype=np.int64)
    chances: Floats = np.ones(1)
    for row in np.sort(doubled, axis=1):
        ways = np.array(sorted(set(permutations(row.tolist()))), dtype=np.int64)
        if states.size * len(ways) > MOST_STATES:
            return None
        steps = ways[:, :-1] @ weights
        states, place = np.unique(states[:, None] + steps, return_inverse=True)
        chances = np.bincount(place.ravel(), weights=np.repeat(chances / len(ways), len(ways))).astype(np.float64)
    sums = np.empty((states.size, k), dtype=np.int64)
    left = states.copy()
    for j in range(k - 1):  # digits from −n(k − 1) to n(k − 1)
        digit = (left + base // 2) % base - base // 2
        sums[:, j], left = digit, (left - digit) // base
    sums[:, -1] = -sums[:, :-1].sum(axis=1)
    extreme = (sums**2).sum(axis=1) >= observed
    return pvalues.from_log(0.0 if extreme.all() else math.log(float(chances[extreme].sum())))


def _sampled(doubled: Ints, observed: int, n_resamples: int, seed: Seed) -> PValue:
    def block(stream: Stream, size: int) -> Floats:
        drawn = shuffled(stream, doubled, size)
        return np.asarray((drawn.sum(axis=1) ** 2).sum(axis=1), dtype=np.float64)

    size = max(1, min(2_000, MOST_NUMBERS // doubled.size))
    found = np.concatenate(run_blocks(block, n_resamples, seed, STREAM, block=size))
    return pvalues.of_sample(found, float(observed), "better", 0.0)
