"""Scores with few positives: equal models with ROC curves of one shape or of two, and models that differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from clearwin.streams import Stream
from scorecard.hard_nulls import DIFFERENT, HARD, MILD, Answers, Cell, Population, binormal, equal_at

SETS = 1_000
AT_RANDOM, KEPT = "on average", "always"  # how many positives a test set has
OF_AUC = ((5, 200), (8, 200), (10, 200), (20, 200), (50, 200), (10, 1_000), (20, 1_000), (50, 1_000))
OF_OTHERS = ((10, 200), (20, 200), (20, 1_000))
A, BETTER = 1.0, 2.5  # how far positives lie above negatives, in deviations: AUC .76 and .96
SPREAD, CORRELATED = 3.0, 0.9  # of B's positives where the shapes differ


@dataclass(frozen=True)
class FewPositives(Population):
    """Normal scores; a test set has its share of positives exactly or on average."""

    apart: float
    deviation: float
    correlation: float
    prevalence: float
    number: str

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return 0/1 and two scores; both classes occur."""
        truth = (stream.random(n) < self.prevalence) * 1
        if self.number == KEPT or not 0 < truth.sum() < n:
            truth = (np.arange(n) < round(n * self.prevalence)) * 1
        first, second = stream.normal(size=n), stream.normal(size=n)
        second = self.correlation * first + math.sqrt(1 - self.correlation**2) * second
        return truth, A * truth + first, np.where(truth == 1, self.apart + self.deviation * second, second)

    def values(self, measure: str) -> tuple[float, float]:
        """Return the measure of the population's curves."""
        one = binormal(measure, A, 1.0, self.prevalence)
        return one, binormal(measure, self.apart, self.deviation, self.prevalence)


def cells() -> Iterator[Cell]:
    """Yield the cells: the number of positives kept for the area, and as it comes for all measures."""
    asked = [
        ("auc", OF_AUC, KEPT),
        *((measure, OF_OTHERS, AT_RANDOM) for measure in ("auc", "average_precision", "eer", "min_dcf")),
    ]
    for measure, sizes, number in asked:
        for positives, n in sizes:
            name = f"{measure}, {number} {positives} positives of {n:,}"
            share = positives / n
            for null, shape, deviation, correlation, apart in (
                (MILD, "equal", 1.0, 0.5, A),
                (HARD, "equal, other shapes", SPREAD, CORRELATED, None),
                (DIFFERENT, ".76 and .96", 1.0, 0.5, BETTER),
            ):
                family = partial(
                    FewPositives, deviation=deviation, correlation=correlation, prevalence=share, number=number
                )
                at = equal_at(family, measure, -12.0, 12.0) if apart is None else apart
                yield Cell("few positives", measure, f"{name}, {shape}", null, n, family(at))
