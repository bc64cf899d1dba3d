"""Many models on many data sets, by their ranks: Friedman, Iman and Davenport, Nemenyi.

Rank 1 is the best. Models with the same score on a data set share the average of their ranks (midranks). χ² and F
approximate the permutation distribution, but poorly for few data sets: with 3 models on 3 data sets F rejects a true
null hypothesis 19 % of the time at 5 %. So the verdict uses the permutation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from clearwin.numerics import pvalues, sign_flips
from clearwin.numerics.arrays import Floats, Ints
from clearwin.numerics.pvalues import PValue
from clearwin.streams import Purpose, Seed, Stream, shuffled
from clearwin.workers import run_blocks

MOST_STATES = 2_000_000  # sums of ranks times the ways to give out a row's ranks: about a second in all
MOST_PLACES = 2**23  # from the lowest sum to the highest that are held at once: 64 MB
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
    sums: Ints = np.zeros((1, k - 1), dtype=np.int64)
    chances: Floats = np.ones(1)
    reach = 0  # of every sum so far, on either side of 0
    for row in np.sort(doubled, axis=1):
        ways = np.array(sorted(set(permutations(row.tolist()))), dtype=np.int64)
        if len(sums) * len(ways) > MOST_STATES:
            return None
        reach += int(np.abs(row).max())
        weights = (2 * reach + 1) ** np.arange(k - 1)
        states = ((sums @ weights)[:, None] + ways[:, :-1] @ weights).ravel()
        states, chances = _added_up(states, np.repeat(chances / len(ways), len(ways)))
        sums = _digits(states, reach, k - 1)
    sums = np.column_stack([sums, -sums.sum(axis=1)])
    extreme = (sums**2).sum(axis=1) >= observed
    return pvalues.from_log(0.0 if extreme.all() else math.log(float(chances[extreme].sum())))


def _added_up(states: Ints, chances: Floats) -> tuple[Ints, Floats]:
    """Return the distinct states, rising, and the chance of each; those that lie close together need not be sorted."""
    places = states - states.min()
    if places.max() >= MOST_PLACES:
        distinct, places = np.unique(states, return_inverse=True)
        return distinct, np.bincount(places, weights=chances).astype(np.float64)
    there = np.flatnonzero(np.bincount(places))
    return there + states.min(), np.bincount(places, weights=chances)[there].astype(np.float64)


def _digits(states: Ints, reach: int, n: int) -> Ints:
    """Return the sums that states stand for: n digits from −reach to reach, the lowest first."""
    base, digits = 2 * reach + 1, np.empty((states.size, n), dtype=np.int64)
    for j in range(n):
        digits[:, j] = (states + reach) % base - reach
        states = (states - digits[:, j]) // base
    return digits


def _sampled(doubled: Ints, observed: int, n_resamples: int, seed: Seed) -> PValue:
    def block(stream: Stream, size: int) -> Floats:
        drawn = shuffled(stream, doubled, size)
        return np.asarray((drawn.sum(axis=1) ** 2).sum(axis=1), dtype=np.float64)

    size = max(1, min(2_000, MOST_NUMBERS // doubled.size))
    statistics = np.concatenate(run_blocks(block, n_resamples, seed, Purpose.FRIEDMAN_RANKS, block=size))
    return pvalues.of_sample(statistics, float(observed), "better", 0.0)


@dataclass(frozen=True)
class Friedman:
    """Friedman's χ² with the correction for ties, and Iman and Davenport's F computed from it.

    ``tie_correction`` is what χ² was divided by: 1 without ties, less with them. F is infinite where all data sets
    rank the models alike.
    """

    statistic: float
    degrees: int
    p: PValue
    tie_correction: float
    f: float
    f_degrees: tuple[int, int]
    f_p: PValue


def midranks(scores: Floats, slack: Floats) -> Floats:
    """Return the rank of every model on every data set (a row), 1 for the highest; ties within the row's slack share.

    >>> midranks(np.array([[0.9, 0.5, 0.9], [1.0, 2.0, 3.0]]), np.zeros(2)).tolist()
    [[1.5, 3.0, 1.5], [3.0, 2.0, 1.0]]
    """
    ranks = np.empty(scores.shape)
    for i, row in enumerate(scores):
        _, places = sign_flips.distinct(-row, float(slack[i]))
        times = np.bincount(places)
        ranks[i] = (np.cumsum(times) - (times - 1) / 2.0)[places]
    return ranks


def friedman(ranks: Floats) -> Friedman:
    """Test whether every ranking is as likely as any other, from the ranks (data sets × models).

    With R_j the sum of the ranks of model j, N data sets and k models: χ² = (k − 1) Σ (R_j − N(k + 1)/2)² /
    Σ (r_ij − (k + 1)/2)², which without ties is 12/(N k (k + 1)) Σ R_j² − 3N(k + 1) (Friedman 1937; with ties
    Conover 1999, section 5.8). F = (N − 1) χ² / (N (k − 1) − χ²) on k − 1 and (k − 1)(N − 1) degrees of freedom (Iman
    and Davenport 1980). All sums are of whole numbers, so equality is decided exactly. Models that are tied
    everywhere get p = 1.
    """
    n, k = ranks.shape
    doubled = np.rint(2.0 * ranks).astype(np.int64) - (k + 1)  # twice the deviation from the middle rank
    between = sum(int(total) ** 2 for total in doubled.sum(axis=0))
    within = int((doubled**2).sum())
    degrees, f_degrees = k - 1, (k - 1, (k - 1) * (n - 1))
    correction = 3.0 * within / (n * k * (k * k - 1))
    if within == 0:
        sure = pvalues.from_log(0.0)
        return Friedman(0.0, degrees, sure, correction, 0.0, f_degrees, sure)
    statistic = degrees * between / within
    p = pvalues.of_chi2(statistic, degrees)
    if between == n * within:
        return Friedman(statistic, degrees, p, correction, math.inf, f_degrees, _all_alike(ranks))
    f = (n - 1) * between / (n * within - between)
    return Friedman(statistic, degrees, p, correction, f, f_degrees, pvalues.of_f(f, *f_degrees))


def _all_alike(ranks: Floats) -> PValue:
    """P(all data sets rank the models as the first one does) under the null hypothesis, for the F that is infinite.

    The tail of F has zero probability there, but the event does not: there are k!/Π t! ways to give out the ranks.
    """
    n, k = ranks.shape
    _, times = np.unique(ranks[0], return_counts=True)
    ways = math.factorial(k) // math.prod(math.factorial(int(t)) for t in times)
    return pvalues.from_log(-(n - 1) * math.log(ways))


def nemenyi(mean_ranks: Floats, n: int) -> list[list[PValue]]:
    """Return the p-value of every pair, corrected for all of them (Nemenyi 1963; Demšar 2006, section 3.2).

    |R_i − R_j| / √(k(k + 1)/(6N)) is compared with the studentised range over √2, of infinite degrees of freedom.
    """
    k = mean_ranks.size
    scale = math.sqrt(k * (k + 1) / (6.0 * n))
    table = [[pvalues.from_log(0.0)] * k for _ in range(k)]
    for i in range(k):
        for j in range(i):
            gap = abs(float(mean_ranks[i] - mean_ranks[j]))
            table[i][j] = table[j][i] = pvalues.of_range(gap / scale * math.sqrt(2.0), k)
    return table


def critical_value(k: int, alpha: float) -> float:
    """Return Nemenyi's q: the (1 − alpha) point of the studentised range of k, infinite degrees, over √2.

    >>> [round(critical_value(k, 0.05), 3) for k in (2, 3, 4, 5)]  # Demšar 2006, table 5(a)
    [1.96, 2.344, 2.569, 2.728]
    """
    low, high = 0.0, 1.0
    while pvalues.of_range(high, k).value > alpha:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if pvalues.of_range(middle, k).value > alpha else (low, middle)
    return high / math.sqrt(2.0)


def critical_difference(k: int, n: int, alpha: float) -> float:
    """Return the critical difference of two average ranks: q √(k(k + 1)/(6N)).

    >>> round(critical_difference(4, 14, 0.05), 2)  # Demšar 2006, section 3.2
    1.25
    """
    return critical_value(k, alpha) * math.sqrt(k * (k + 1) / (6.0 * n))


def groups_not_told_apart(mean_ranks: Floats, p_values: list[list[PValue]], alpha: float) -> list[list[int]]:
    """Return the largest groups of two models or more, best first, in which no two are told apart at ``alpha``."""
    order = [int(i) for i in np.argsort(mean_ranks, kind="stable")]
    groups: list[list[int]] = []
    reached = 0
    for start, first in enumerate(order):
        end = start
        while end + 1 < len(order) and p_values[first][order[end + 1]].value > alpha:
            end += 1
        if end > start and end + 1 > reached:
            groups.append(order[start : end + 1])
            reached = end + 1
    return groups
