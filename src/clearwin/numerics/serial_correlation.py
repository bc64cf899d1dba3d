"""Do numbers resemble those shortly before them, beyond what the kind of each explains and beyond a slow drift?"""

from __future__ import annotations

import math

import numpy as np

from clearwin.counts import Counts
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.streams import Stream, shuffled

LAGS = 10
ROUNDING = 1e-12  # of the largest number
LEVEL = 0.01
SHUFFLES = 399
FEWEST = 30  # numbers
FEWEST_THAT_COUNT = 15.0  # (Σx²)²/Σx⁴: a handful of large numbers shows nothing about their order
FEWEST_WITH_DRIFT = 30  # numbers of a kind, for a drift of its own
DRIFT = {0: 1, 100: 3, 200: 5, 500: 7}  # numbers → degree of the polynomial from there on


def resemble_neighbours(numbers: Floats, kinds: Counts, stream: Stream) -> bool:
    """Return whether numbers correlate with those before them more than one time in a hundred by chance.

    The mean of each kind is subtracted first, and then its drift, a polynomial of the place. The number just before,
    and those up to 10 before together (Box and Pierce 1970), are tested at half the level each. Every lag has its own
    standard error, so that it does not matter where numbers vary more (Dalla, Giraitis and Phillips 2022). The normal
    distribution and χ² must reject, and so must shuffles within each kind. Only correlation that makes a sum vary more
    counts.
    """
    if numbers.size < FEWEST or not any(_rejected(_without(numbers, kinds, 0))):
        return False
    degree = max(degree for fewest, degree in DRIFT.items() if numbers.size >= fewest)
    gaps = _without(numbers, kinds, degree)
    rejected = _rejected(gaps)
    if not any(rejected):
        return False
    drawn = np.empty((SHUFFLES, gaps.size))
    for kind in np.unique(kinds):
        places = np.flatnonzero(kinds == kind)
        drawn[:, places] = shuffled(stream, gaps[places], SHUFFLES)
    observed, shuffles = robust_correlations(gaps[None]), robust_correlations(drawn)
    statistics = ((observed[0], shuffles[0]), ((observed**2).sum(axis=0), (shuffles**2).sum(axis=0)))
    found = [float((other >= own[0]).sum() + 1) / (SHUFFLES + 1) for own, other in statistics]
    return any(first and p <= LEVEL / 2.0 for first, p in zip(rejected, found, strict=True))


def _rejected(gaps: Floats) -> tuple[bool, bool]:
    """Return whether the first lag, and all lags together, reject and make a sum vary more."""
    squares = gaps**2
    fourth = float(squares @ squares)
    if fourth <= 0.0 or float(squares.sum()) ** 2 / fourth < FEWEST_THAT_COUNT:
        return False, False
    lags = range(1, LAGS + 1)
    if sum((1.0 - lag / (LAGS + 1.0)) * float(gaps[lag:] @ gaps[:-lag]) for lag in lags) <= 0.0:
        return False, False
    found = robust_correlations(gaps[None])[:, 0]
    first = pvalues.of_normal(float(found[0]), 1.0, "better").value
    return first <= LEVEL / 2.0, pvalues.of_chi2(float(found @ found), LAGS).value <= LEVEL / 2.0


def robust_correlations(rows: Floats) -> Floats:
    """Return Σ xₜxₜ₋ₖ/√(Σ xₜ²xₜ₋ₖ²) of every lag k (rows) and every row of numbers (columns).

    >>> robust_correlations(np.array([[1.0, -1.0] * 30]))[:2].round(3).tolist()
    [[-7.681], [7.616]]
    """
    found = np.empty((LAGS, len(rows)))
    for lag in range(1, LAGS + 1):
        products = rows[:, lag:] * rows[:, :-lag]
        squares = np.maximum(np.einsum("ij,ij->i", products, products), math.ulp(0.0))
        found[lag - 1] = products.sum(axis=1) / np.sqrt(squares)
    return found


def _without(numbers: Floats, kinds: Counts, degree: int) -> Floats:
    """Return the numbers less the mean of their kind, or less its polynomial of the place."""
    found = numbers.astype(np.float64)
    scale = float(np.abs(found).max()) or 1.0
    found = found / scale
    place = np.linspace(-1.0, 1.0, found.size)
    order = np.argsort(kinds, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1):
        powers = degree if places.size >= FEWEST_WITH_DRIFT else 0
        # about the middle of where this kind lies, so that columns of a sorted file do not look alike
        here = place[places] - place[places].mean()
        table = np.vander(here / (np.abs(here).max() or 1.0), powers + 1)
        found[places] -= table @ np.linalg.lstsq(table, found[places], rcond=None)[0]
    return np.where(np.abs(found) <= ROUNDING, 0.0, found)
