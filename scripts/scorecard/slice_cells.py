"""Does the difference vary between slices? Slices with the same difference, of any spread, and slices that differ."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.data.questions import Options, Question
from clearwin.data.reading import decisions
from clearwin.measures.naming import find
from clearwin.significance.interaction import interaction
from clearwin.streams import Seed, Stream
from scorecard.hard_nulls import DIFFERENT, HARD, MILD
from scorecard.rows import Row
from scorecard.trials import STREAM

SETS = 1_000
ALPHA = 0.05
PREVALENCE = 0.4
RIGHT = 0.8  # the share of items on which both are right, of those on which they agree
Shares = tuple[float, float]  # of items that only A has right, and that only B has right
RIVAL = "anova"


@dataclass(frozen=True)
class Cell:
    """Slices of ``n`` items each, in which the models differ by turns in one way and in the other."""

    name: str
    null: str
    slices: int
    n: int
    one: Shares
    other: Shares
    measure: str = "accuracy"
    first: int = 1  # how many times as many items the first slice has

    @property
    def label(self) -> str:
        """The name with the sizes."""
        return f"{self.name}, {self.slices} slices of {self.n}" + (
            "" if self.first == 1 else ", one four times as large"
        )

    def drawn(self, stream: Stream) -> list[tuple[Any, Any, Any]]:
        """Return truth, A's and B's answers in every slice."""
        found = []
        for i in range(self.slices):
            n = self.n * (self.first if i == 0 else 1)
            only_a, only_b = self.other if i % 2 else self.one
            u, both = stream.random(n), stream.random(n) < RIGHT
            truth = (stream.random(n) < PREVALENCE) * 1
            truth[:2] = 1, 0  # neither class is missing
            a, b = (u < only_a) | ((u >= only_a + only_b) & both), ((u >= only_a) & (u < only_a + only_b))
            found.append((truth, np.where(a, truth, 1 - truth), np.where(b | (a & (u >= only_a)), truth, 1 - truth)))
        return found


def cells() -> list[Cell]:
    """Return every cell: the same difference and spread, the same difference alone, and different differences."""
    found = []
    for slices, n in ((4, 10), (4, 20), (4, 40), (10, 10), (10, 20), (10, 40)):
        found += [
            Cell("the same spread", MILD, slices, n, (0.1, 0.15), (0.1, 0.15)),
            Cell("spreads of 9 and 55 %", HARD, slices, n, (0.02, 0.07), (0.25, 0.3)),
            Cell("spreads of 9 and 55 %", HARD, slices, n, (0.02, 0.07), (0.25, 0.3), first=4),
            Cell("5 and 25 % by turns", DIFFERENT, slices, n, (0.05, 0.25), (0.25, 0.05)),
        ]
        if n > 10:
            found.append(Cell("2 and 12 % by turns", DIFFERENT, slices, n, (0.02, 0.12), (0.12, 0.02)))
    for measure in ("f1", "mcc"):
        for slices, n in ((4, 10), (10, 20), (4, 40)):
            found.append(Cell(f"{measure}", MILD, slices, n, (0.1, 0.15), (0.1, 0.15), measure))
            found.append(
                Cell(f"{measure}, 5 and 25 % by turns", DIFFERENT, slices, n, (0.05, 0.25), (0.25, 0.05), measure)
            )
    return found


def jobs(sets: int) -> list[Any]:
    """Return a job for each cell, with half as many test sets where slices differ."""
    return [Job(cell, sets // 2 if cell.null == DIFFERENT else sets) for cell in cells()]


@dataclass(frozen=True)
class Job:
    """One cell, and the number of test sets that are drawn from it."""

    cell: Cell
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask, and count; the rival is the analysis of variance with one variance for all."""
        from scipy import stats

        cell, count, measure = self.cell, Counter[str](), find(self.cell.measure)
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"slices|{cell.label}|{cell.null}".encode()))
        for _ in range(self.trials):
            slices, questions = cell.drawn(stream), []
            for columns in slices:
                tally = Counter(zip(*(column.tolist() for column in columns), strict=True))
                questions.append(Question(*decisions(tally, measure, positive=1, whole=False), Options()))
            found = interaction(questions)
            count["auto"] += found is not None and found.p_value <= ALPHA
            if cell.measure == "accuracy":
                gains = [(b == truth) * 1.0 - (a == truth) for truth, a, b in slices]
                flat = len({x for gain in gains for x in gain.tolist()}) == 1
                count[RIVAL] += not flat and float(stats.f_oneway(*gains).pvalue) <= ALPHA
        kind, n = "power" if cell.null == DIFFERENT else "size", cell.n * cell.slices
        where = (cell.measure, cell.label, cell.null, n, ALPHA)
        tests = ("auto", RIVAL) if cell.measure == "accuracy" else ("auto",)
        return [Row(kind, test, "", "", *where, count[test] / self.trials, self.trials) for test in tests]
