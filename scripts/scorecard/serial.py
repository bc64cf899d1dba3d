"""Items in time order: equal models whose values or errors resemble those before them, with and without ``order=``.

Of each cell the default is asked as if nothing was known of the order, and again with ``order=``. The share of false
alarms that carry the question about the order of the rows stands beside them. Independent rows, and files that are
sorted by class, slice, difficulty or a model's scores, show how often that question is asked in vain.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.analyses.judging import judge
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading
from clearwin.measures.naming import find
from clearwin.reading.reading import read_data
from clearwin.significance.row_order import in_time_order
from clearwin.streams import Seed, Stream
from scorecard.hard_nulls import MILD
from scorecard.rows import Row
from scorecard.trials import STREAM

SETS, N_RESAMPLES, ALPHA, LEVEL_OF_QUESTION = 1_000, 999, 0.05, 0.01
QUESTION, IN_ORDER = "time_order", "order="
Floats = NDArray[np.float64]
Answers = tuple[Any, ...]  # truth, a, b, slices


def series(stream: Stream, n: int, rho: float) -> Floats:
    """Return an autoregressive series of normal numbers with variance 1."""
    steps = stream.normal(size=n) * math.sqrt(1.0 - rho * rho)
    steps[0] /= math.sqrt(1.0 - rho * rho)
    found = np.empty(n)
    last = 0.0
    for i, step in enumerate(steps.tolist()):
        last = rho * last + step
        found[i] = last
    return found


def values(stream: Stream, n: int, rho: float) -> Answers:
    """Return values of two models, each with its own series."""
    return None, series(stream, n, rho), series(stream, n, rho), None


def decisions(stream: Stream, n: int, rho: float, error: float = 0.84) -> Answers:
    """Return decisions that are wrong where a series of their own is above a bound: on a fifth of the items."""
    truth = (series(stream, n, rho) > 0.3) * 1
    return truth, *(truth ^ (series(stream, n, rho) > error) for _ in range(2)), None


# --- files that are sorted by something else ------------------------------------------------------------------------


def by_class(stream: Stream, n: int) -> Answers:
    """Return decisions of two models that find one class harder than the other, class by class."""
    truth = np.sort((stream.random(n) < 0.4) * 1)
    wrong = np.where(truth == 1, 0.3, 0.1)
    return truth, *(truth ^ (stream.random(n) < wrong) for _ in range(2)), None


def by_slice(stream: Stream, n: int) -> Answers:
    """Return values of five slices in a row, in which the models differ by other amounts."""
    slices = np.arange(n) * 5 // n
    return None, stream.normal(size=n), stream.normal(size=n) + np.array([0.0, 1.0, -0.5, 0.5, -1.0])[slices], slices


def by_difficulty(stream: Stream, n: int) -> Answers:
    """Return decisions on items that become harder from row to row, for A sooner than for B."""
    truth, hard = (stream.random(n) < 0.4) * 1, np.linspace(-3.0, 3.0, n)
    return truth, *(truth ^ (stream.random(n) < 1.0 / (1.0 + np.exp(2.0 - hard + b))) for b in (0.0, 0.7)), None


def by_score(stream: Stream, n: int) -> Answers:
    """Return scores in the order of A's."""
    truth = (stream.random(n) < 0.4) * 1
    shared = stream.normal(size=n)
    a, b = (truth + shared + stream.normal(size=n) for _ in range(2))
    order = np.argsort(a)
    return truth[order], a[order], b[order], None


def by_length(stream: Stream, n: int) -> Answers:
    """Return losses that grow, and vary more, from row to row."""
    scale = np.exp(np.linspace(0.0, 2.0, n))
    return None, scale * stream.standard_gamma(1.0, size=n), scale * stream.standard_gamma(1.0, size=n), None


@dataclass(frozen=True)
class Cell:
    """Equal models, how their answers are drawn, and whether the rows follow one another in time."""

    name: str
    measure: str
    n: int
    draw: Callable[[Stream, int], Answers]
    in_order: bool


def cells() -> list[Cell]:
    """Return every cell."""
    found = []
    for measure, draw in (("mean", values), ("accuracy", decisions), ("f1", decisions)):
        for rho in (0.0, 0.3, 0.7):
            for n in (50, 200, 1_000):
                found.append(Cell(f"{measure}, ρ = {rho:g}", measure, n, partial(draw, rho=rho), True))
    sorted_by = (
        ("by class", "f1", by_class),
        ("by slice", "mean", by_slice),
        ("by difficulty", "accuracy", by_difficulty),
        ("by A's score", "auc", by_score),
        ("by length", "mean_loss", by_length),
    )
    for name, measure, draw_sorted in sorted_by:
        found += [Cell(name, measure, n, draw_sorted, False) for n in (50, 200, 1_000)]
    return found


def jobs(sets: int) -> list[Any]:
    """Return a job for each cell."""
    return [Job(cell, sets) for cell in cells()]


@dataclass(frozen=True)
class Job:
    """One cell, and the number of test sets that are drawn from it."""

    cell: Cell
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask with and without their order, and count."""
        cell, count = self.cell, Counter[str]()
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"serial|{cell.name}|{cell.n}".encode()))
        for number in range(self.trials):
            truth, a, b, slices = cell.draw(stream, cell.n)
            models, options = {"a": a, "b": b}, Options(n_resamples=N_RESAMPLES, seed=Seed(seed, (number,)))
            plain = Question(*read_data(None, truth, models, find(cell.measure), Reading(slices=slices)), options)
            asked = bool(in_time_order(plain))
            count[QUESTION] += asked
            if cell.in_order:
                shown = judge(plain).decision in ("better", "worse")
                count["auto"] += shown
                count["told"] += shown and asked
                order = Reading(order=np.arange(cell.n))
                in_order = judge(Question(*read_data(None, truth, models, find(cell.measure), order), options))
                count[IN_ORDER] += in_order.decision in ("better", "worse")
        told = count["told"] / max(1, count["auto"])
        found = [_row(cell, QUESTION, LEVEL_OF_QUESTION, count[QUESTION] / self.trials, self.trials, 0.0)]
        if cell.in_order:
            found += [
                _row(cell, "auto", ALPHA, count["auto"] / self.trials, self.trials, told),
                _row(cell, IN_ORDER, ALPHA, count[IN_ORDER] / self.trials, self.trials, 0.0),
            ]
        return found


def _row(cell: Cell, test: str, level: float, value: float, trials: int, told: float) -> Row:
    return Row("size", test, "", "", cell.measure, cell.name, MILD, cell.n, level, value, trials, told=told)
