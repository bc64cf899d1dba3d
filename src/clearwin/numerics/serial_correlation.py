"""Do numbers resemble those shortly before them, beyond what the kind of each explains and beyond a slow drift?"""

from __future__ import annotations

import math

import numpy as np

from clearwin.counts import Counts
from clearwin.execution import Stream, shuffled
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats

LAGS = 10
LEVEL = 0.01
SHUFFLES = 199
FEWEST = 30  # numbers
FEWEST_THAT_COUNT = 15.0  # (Σx²)²/Σx⁴: a handful of large numbers shows nothing about their order
FEWEST_WITH_DRIFT = 30  # numbers of a kind, for a drift of its own
DRIFT = {0: 1, 100: 3, 1_000: 7}  # from so many numbers on: degree of its polynomial


def resemble_neighbours(numbers: Floats, kinds: Counts, stream: Stream) -> bool:
    """Return whether numbers correlate with those up to 10 before them more than one time in a hundred by chance.

    The mean of each kind is subtracted first, and then its drift: a polynomial of the place. What is left must reject by
    the statistic of Box and Pierce, with each lag over its own standard error, so that it does not matter where numbers
    vary more (Dalla, Giraitis and Phillips 2022): against χ², and among shuffles within each kind. Only correlation
    that makes a sum vary more counts.
    """
    gaps = _without(numbers, kinds, 0)
    if numbers.size < FEWEST or not _rejects(gaps):
        return False
    degree = max(degree for fewest, degree in DRIFT.items() if numbers.size >= fewest)
    gaps = _without(numbers, kinds, degree)
    if not _rejects(gaps):
        return False
    observed = float(portmanteau(gaps[None])[0])
    drawn = np.empty((SHUFFLES, gaps.size))
    for kind in np.unique(kinds):
        places = np.flatnonzero(kinds == kind)
        drawn[:, places] = shuffled(stream, gaps[places], SHUFFLES)
    return (1.0 + float((portmanteau(drawn) >= observed).sum())) / (SHUFFLES + 1.0) <= LEVEL


def _rejects(gaps: Floats) -> bool:
    """Return whether χ² rejects, and the correlation is such that a sum varies more."""
    squares = gaps**2
    fourth = float(squares @ squares)
    if fourth <= 0.0 or float(squares.sum()) ** 2 / fourth < FEWEST_THAT_COUNT:
        return False
    lags = range(1, LAGS + 1)
    if sum((1.0 - lag / (LAGS + 1.0)) * float(gaps[lag:] @ gaps[:-lag]) for lag in lags) <= 0.0:
        return False
    return pvalues.of_chi2(float(portmanteau(gaps[None])[0]), LAGS).value <= LEVEL


def portmanteau(rows: Floats) -> Floats:
    """Return Σ r² over the lags, r = Σ xₜxₜ₋ₖ/√(Σ xₜ²xₜ₋ₖ²), of every row.

    >>> portmanteau(np.array([[1.0, -1.0] * 30])).round(6).tolist()
    [545.0]
    """
    found = np.zeros(len(rows))
    for lag in range(1, LAGS + 1):
        products = rows[:, lag:] * rows[:, :-lag]
        squares = np.maximum(np.einsum("ij,ij->i", products, products), math.ulp(0.0))
        found += products.sum(axis=1) ** 2 / squares
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
    return found
