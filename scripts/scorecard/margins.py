"""Claims with a margin where they are hardest to keep: B is worse than A by just the margin.

The margin of a cell is the true difference of its population, so that "not worse" and "equivalent" are just false.
How often they are shown all the same is the size of the claim.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading
from clearwin.errors import ClearwinError
from clearwin.measures.naming import find
from clearwin.reading.reading import read_data
from clearwin.significance import choose
from clearwin.streams import Seed, Stream
from scorecard.hard_nulls import (
    APART_IN_GROUPS,
    DIFFERENT,
    Answers,
    Cell,
    Clustered,
    Population,
    Scored,
    Skewed,
    many_classes,
    two_classes,
)
from scorecard.rows import Row
from scorecard.trials import STREAM, entropy_of

SETS = 500
N_RESAMPLES = 999
ALPHA = 0.05
AT_THE_MARGIN = "at the margin"
NUMBERS = (50, 200, 1000, 5000)
CLAIMS = ("not worse", "equivalent", "not worse, in per cent")


@dataclass(frozen=True, eq=False)
class Spoilt(Population):
    """Groups in which B has a share of its answers made wrong, its positives scored lower, or its values shrunk."""

    groups: Clustered
    share: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return the items of n groups, and their groups."""
        truth, a, b, group = self.groups.draw(stream, n)
        if self.groups.measure == "mean":
            return truth, a, (1.0 - self.share) * b, group
        if self.groups.measure == "auc":
            return truth, a, b - self.share * truth, group
        return truth, a, np.where(stream.random(truth.size) < self.share, 1 - truth, b), group

    def values(self, measure: str) -> tuple[float, float]:
        """Return A's value and what is left of it."""
        a = self.groups.values(measure)[0]
        if measure == "mean":
            return a, 1.0 - self.share
        if measure == "auc":
            return a, float(norm.cdf((APART_IN_GROUPS - self.share) / np.sqrt(2.0)))
        left = 1.0 - self.share
        return a, two_classes(0.3, (0.7, 0.7 * left), (0.12, 0.12 * left + self.share)).values(measure)[1]


def cells() -> Iterator[Cell]:
    """Yield every cell: the measures, and the numbers of items or of groups."""
    decided = two_classes(0.3, (0.8, 0.7), (0.1, 0.13), same=0.6)
    others: dict[str, tuple[str, Population]] = {
        "accuracy": ("two classes", decided),
        "f1": ("two classes", decided),
        "dcf(cost_fp=2.0)": ("two classes", decided),
        "macro_f1": ("5 classes", many_classes(5, (0.72, 0.55))(0.0)),
        "auc": ("scores", Scored(1.45, prevalence=0.3, deviation=1.3, correlation=0.5)),
        "mean": ("values", Skewed(1.05, 0.5)),
    }
    for measure, (data, population) in others.items():
        for n in NUMBERS:
            yield Cell(data, measure, data, DIFFERENT, n, population)
    for measure in ("accuracy", "f1", "auc", "mean"):
        population = Spoilt(Clustered(measure, (0.05, 0.2)), 0.05)
        for n in (20, 50, 250):
            yield Cell("in groups", measure, "groups of 20", DIFFERENT, n, population)


def jobs(sets: int) -> list[Job]:
    """Return a job for each cell."""
    return [Job(cell, sets) for cell in cells()]


@dataclass(frozen=True)
class Job:
    """One cell, and the number of test sets that are drawn from it."""

    cell: Cell
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, make every claim, and count how often it is shown."""
        cell, count = self.cell, Counter[str]()
        measure = find(cell.measure)
        a, b = cell.population.values(cell.measure)
        margins: dict[str, Any] = {
            "not worse": {"claim": "not_worse", "margin": abs(b - a)},
            "equivalent": {"claim": "equivalent", "margin": abs(b - a)},
            "not worse, in per cent": {"claim": "not_worse", "margin": abs(b / a - 1.0), "relative": True},
        }
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"margins|{cell.measure}|{cell.name}|{cell.n}".encode()))
        entropy = entropy_of(stream)
        for number in range(self.trials):
            truth, *answers = cell.population.draw(stream, cell.n)
            reading = Reading(groups=answers[2]) if len(answers) > 2 else Reading()
            try:
                read = read_data(None, truth, {"a": answers[0], "b": answers[1]}, measure, reading)
            except ClearwinError:  # a test set without a class shows nothing
                continue
            first = Question(*read, Options(n_resamples=N_RESAMPLES, seed=Seed(entropy, (number,))))
            for claim, margin in margins.items():
                question = replace(first, options=replace(first.options, **margin))
                test = choose("auto", question)[0]
                count[claim] += test.p_value(question)[0].value <= ALPHA
        where = (cell.measure, AT_THE_MARGIN, cell.n, ALPHA)
        return [
            Row("size", "auto", "studentised", "", where[0], f"{cell.name}, {claim}", *where[1:], hits, self.trials)
            for claim in CLAIMS
            for hits in (count[claim] / self.trials,)
        ]
