"""What keeping the level costs: the power of the default beside every test by name, on the same test sets."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading
from clearwin.measures.naming import find
from clearwin.reading.reading import read_data
from clearwin.significance import choose
from clearwin.streams import Seed
from scorecard import few_of_a_class, hard_nulls
from scorecard.hard_nulls import DIFFERENT, MILD, Cell, Family, Scored, Skewed, equal_at, many_classes, two_classes
from scorecard.rows import Row
from scorecard.trials import STREAM

SETS = 600
N_RESAMPLES = 999
ALPHA = 0.05
OF_COUNTS, OF_SCORES = ("permutation", "bootstrap"), ("permutation", "bootstrap", "delong")
OF_VALUES = ("permutation", "bootstrap", "paired_t")


@dataclass(frozen=True)
class Contest:
    """A family of populations: at one value of t the models are equal, ``apart`` from it they are not."""

    measure: str
    name: str
    n: int
    family: Family
    low: float
    high: float
    apart: float
    tests: tuple[str, ...]

    def cells(self) -> list[Cell]:
        """Return the cell of equal models, and that of models that differ."""
        t = equal_at(self.family, self.measure, self.low, self.high)
        equal = Cell("", self.measure, self.name, MILD, self.n, self.family(t))
        return [equal, replace(equal, null=DIFFERENT, population=self.family(t + self.apart))]


def contests() -> list[Contest]:
    """Return the eight contests."""

    def alarms(prevalence: float, found: tuple[float, float], of_a: float) -> Family:
        return lambda t: two_classes(prevalence, found, (of_a, t))

    return [
        Contest(
            "accuracy",
            "accuracy, 200 items",
            200,
            lambda t: two_classes(0.4, (0.8, t), (0.1, 0.12)),
            0.6,
            1.0,
            0.13,
            (*OF_COUNTS, "mcnemar"),
        ),
        Contest("f1", "F1, 300 items, 30 % positive", 300, alarms(0.3, (0.75, 0.8), 0.06), 0, 0.3, -0.055, OF_COUNTS),
        Contest("f1", "F1, 1,000 items, 2 % positive", 1000, alarms(0.02, (0.7, 0.75), 0.01), 0, 0.1, -0.01, OF_COUNTS),
        Contest(
            "precision",
            "precision, 500 items",
            500,
            alarms(0.2, (0.8, 0.6), 0.08),
            0,
            0.3,
            -0.035,
            (*OF_COUNTS, "kosinski"),
        ),
        Contest("mcc", "MCC, 300 items", 300, alarms(0.2, (0.75, 0.8), 0.06), 0, 0.3, -0.045, OF_COUNTS),
        Contest(
            "macro_f1", "macro F1, 5 classes, 300 items", 300, many_classes(5, (0.75, 0.6)), -0.5, 0.5, 0.09, OF_COUNTS
        ),
        Contest("auc", "AUC, 200 items", 200, partial(_scored, deviation=1.3), -1, 6, 0.55, OF_SCORES),
        Contest("mean", "mean of 60 values", 60, lambda t: Skewed(t, 0.5), 0.1, 1.9, -0.18, OF_VALUES),
    ]


def _scored(t: float, deviation: float) -> hard_nulls.Population:
    return Scored(t, 0.3, deviation, 0.5)


def jobs(sets: int) -> list[Job]:
    """Return a job for each cell; where few items of a class make the test quick, there are more test sets."""
    found = [Job(cell, contest.tests, sets) for contest in contests() for cell in contest.cells()]
    few = (
        Job(cell, ("permutation", "delong") if cell.measure == "auc" else ("permutation",), few_of_a_class.SETS)
        for cell in few_of_a_class.cells()
    )
    return [*found, *few]


@dataclass(frozen=True)
class Job:
    """One cell, the tests that contend, and the number of test sets, which all of them judge."""

    cell: Cell
    tests: tuple[str, ...]
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask every test, and count."""
        cell, count = self.cell, Counter[Any]()
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"powers|{cell.name}|{cell.null}".encode()))
        measure = find(cell.measure)
        methods: dict[str, str] = {}
        for number in range(self.trials):
            truth, a, b, *_ = cell.population.draw(stream, cell.n)
            how = Options(n_resamples=N_RESAMPLES, seed=Seed(seed, (number,)))
            question: Question[Any] = Question(*read_data(None, truth, {"a": a, "b": b}, measure, Reading()), how)
            for name in ("auto", *self.tests):
                test = choose(name, question)[0]
                methods[name] = test.name if name == "auto" else ""
                count[name] += test.p_value(question.asking(test=name))[0].value <= ALPHA
        kind = "power" if cell.null == DIFFERENT else "size"
        return [
            Row(
                kind,
                name,
                method,
                "",
                cell.measure,
                cell.name,
                cell.null,
                cell.n,
                ALPHA,
                count[name] / self.trials,
                self.trials,
            )
            for name, method in methods.items()
        ]
