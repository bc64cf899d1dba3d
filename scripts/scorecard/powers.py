"""What keeping the level costs: the power of the default beside every test by name, on the same test sets."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading
from clearwin.measures.naming import find
from clearwin.numerics.pvalues import Claim
from clearwin.reading.reading import read_data
from clearwin.significance import choose
from clearwin.streams import Seed, Stream
from scorecard import few_of_a_class, hard_nulls, unseen
from scorecard.hard_nulls import (
    DIFFERENT,
    MILD,
    Answers,
    Cell,
    Family,
    Population,
    Scored,
    Skewed,
    equal_at,
    many_classes,
    two_classes,
)
from scorecard.rows import Row
from scorecard.trials import STREAM

SETS = 600
N_RESAMPLES = 999
ALPHA = 0.05
OF_COUNTS, OF_SCORES = ("permutation", "bootstrap"), ("permutation", "bootstrap", "delong")
OF_VALUES = ("permutation", "bootstrap", "paired_t")


@dataclass(frozen=True)
class Apart(Population):
    """What a function draws, with a gap between the models; without one they are equal."""

    function: Callable[..., Answers]
    gap: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return the answers on n items, or in n groups."""
        return self.function(stream, n, self.gap)

    def values(self, measure: str) -> tuple[float, float]:
        """Return how far apart the models are, in the function's own unit."""
        return 0.0, self.gap


def means_in_groups(stream: Stream, n: int, gap: float, size: int = 4) -> Answers:
    """Return normal values in n groups whose differences correlate .2; with a gap of 1 Student's power is .8."""
    group = np.repeat(np.arange(n), size)
    shared, own = stream.normal(size=n)[group], stream.normal(size=n * size)
    a = stream.normal(size=n * size)
    deviation = math.sqrt(0.2 + 0.8 / size)
    b = a + math.sqrt(0.2) * shared + math.sqrt(0.8) * own + gap * 2.8 * deviation / math.sqrt(n)
    return None, a, b, group


def alarms_in_groups(stream: Stream, n: int, gap: float, size: int = 20) -> Answers:
    """Return decisions in n groups whose errors correlate .1; B raises fewer false alarms than A."""
    group = np.repeat(np.arange(n), size)
    truth = stream.random(n * size) < 0.3
    answers = []
    for alarms in (0.12, 0.12 - 0.07 * gap):
        found, raised = (stream.beta(9.0 * rate, 9.0 * (1.0 - rate), size=n)[group] for rate in (0.7, alarms))
        answers.append((stream.random(n * size) < np.where(truth, found, raised)) * 1)
    return truth * 1, *answers, group


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
    claim: Claim = "different"

    def cells(self) -> list[Cell]:
        """Return the cell of equal models, and that of models that differ."""
        t = equal_at(self.family, self.measure, self.low, self.high)
        equal = Cell("", self.measure, self.name, MILD, self.n, self.family(t))
        return [equal, replace(equal, null=DIFFERENT, population=self.family(t + self.apart))]


def contests() -> list[Contest]:
    """Return the contests."""

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
        Contest(
            "macro_f1",
            "macro F1, 50 classes, 500 items",
            500,
            many_classes(50, (0.75, 0.6)),
            -0.5,
            0.5,
            0.07,
            OF_COUNTS,
        ),
        Contest("auc", "AUC, 200 items", 200, partial(_scored, deviation=1.3), -1, 6, 0.55, OF_SCORES),
        Contest("mean", "mean of 60 values", 60, lambda t: Skewed(t, 0.5), 0.1, 1.9, -0.18, OF_VALUES),
        *_of_values(),
        *_of_groups(),
    ]


def _of_values() -> list[Contest]:
    kinds: tuple[tuple[str, str, int, Callable[..., Answers]], ...] = (
        ("mean", "mean of 15 normal values", 15, unseen.normal),
        ("mean", "mean of 200 values of 0 and 1", 200, unseen.decisions),
        ("mean(lowest=1.0, highest=5.0)", "mean of 200 grades 1–5", 200, unseen.likert),
        ("brier", "Brier score, 1,000 items", 1000, unseen.brier),
    )
    return [
        Contest(measure, name, n, partial(Apart, draw), -1.0, 1.0, 1.0, ("permutation", "paired_t"))
        for measure, name, n, draw in kinds
    ]


def _of_groups() -> list[Contest]:
    kinds: tuple[tuple[str, int, Callable[..., Answers], tuple[str, ...]], ...] = (
        ("mean", 20, means_in_groups, ("permutation", "paired_t")),
        ("mean", 50, means_in_groups, ("permutation", "paired_t")),
        ("precision", 50, alarms_in_groups, OF_COUNTS),
    )
    sides: tuple[tuple[str, Claim], ...] = (("", "different"), (", one-sided", "better"))
    return [
        Contest(measure, f"{measure}, {n} groups{side}", n, partial(Apart, draw), -1.0, 1.0, 1.0, tests, claim)
        for measure, n, draw, tests in kinds
        for side, claim in sides
    ]


def _scored(t: float, deviation: float) -> hard_nulls.Population:
    return Scored(t, 0.3, deviation, 0.5)


def jobs(sets: int) -> list[Job]:
    """Return a job for each cell; where few items of a class make the test quick, there are more test sets."""
    found = [Job(cell, contest.tests, sets, contest.claim) for contest in contests() for cell in contest.cells()]
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
    claim: Claim = "different"

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask every test, and count."""
        cell, count = self.cell, Counter[Any]()
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"powers|{cell.name}|{cell.null}".encode()))
        measure = find(cell.measure)
        methods: dict[str, str] = {}
        for number in range(self.trials):
            truth, a, b, *groups = cell.population.draw(stream, cell.n)
            how = Options(claim=self.claim, n_resamples=N_RESAMPLES, seed=Seed(seed, (number,)))
            reading = Reading(groups=groups[0]) if groups else Reading()
            question: Question[Any] = Question(*read_data(None, truth, {"a": a, "b": b}, measure, reading), how)
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
