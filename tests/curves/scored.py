"""Scores with ties, and rates in exact fractions."""

import itertools
from fractions import Fraction

import numpy as np

from clearwin.curves.points import operating_points

SEEDS = range(12)


def tied_data(seed, n=200, levels=None):
    """Truth and scores with many ties: both classes, and from 2 to n different scores."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < rng.uniform(0.1, 0.9)
    truth[:2] = True, False
    return truth, np.round((truth + rng.normal(size=n)) * (levels or rng.choice([0.5, 2, 10, 1e6])), 0)


def small_data(seed):
    """Data small enough for fractions and permutations."""
    rng = np.random.default_rng(seed)
    return tied_data(seed, n=int(rng.integers(2, 10)), levels=rng.choice([0.5, 1, 3]))


def small_points(seed):
    return operating_points(*small_data(seed))


def exact_rates(points):
    """The operating points as fractions (fpr, tpr)."""
    return [
        (Fraction(int(fp), points.negatives), Fraction(int(tp), points.positives))
        for tp, fp in zip(points.tp, points.fp, strict=True)
    ]


def heights(rates, asked):
    """All heights of the polyline at this fpr, lowest and highest, in fractions."""
    found = []
    for (x0, y0), (x1, y1) in itertools.pairwise(rates):
        if x0 <= asked <= x1:
            found += [y0, y1] if x0 == x1 else [y0 + (y1 - y0) * (asked - x0) / (x1 - x0)]
    return min(found), max(found)
