"""Ten equally good models, 45 pairs: how often ``rank`` shows any difference."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import clearwin as cw
from clearwin.execution import Seed, Stream
from scorecard.rows import Row
from scorecard.trials import STREAM

CORRECTIONS = ("holm", "max-t")
N_RESAMPLES = 1_999


def ten_equal_models(stream: Stream, n: int, measure: str) -> tuple[Any, dict[str, Any]]:
    """Return truth and exchangeable models that share how hard an item is; three items in ten are positive."""
    y = stream.random(n) < 0.3
    ease = 1.2 - stream.normal(size=n) + stream.normal(size=(10, n))  # below 0 a model is wrong
    answers = np.where(y, ease, -ease) if measure == "auc" else (y ^ (ease < 0)).astype(int)
    return y.astype(int), {f"m{j}": mine for j, mine in enumerate(answers)}


def false_alarms(stream: Stream, trials: int, n: int, measure: str) -> dict[str, int]:
    """Return in how many of the trials any of the 45 pairs is shown to differ at 5 %, by correction."""
    found = dict.fromkeys(CORRECTIONS, 0)
    for number in range(trials):
        y, models = ten_equal_models(stream, n, measure)
        for correction in found:
            board = cw.rank(y, models, measure=measure, correction=correction, n_resamples=N_RESAMPLES, rng=number)
            found[correction] += any(pair.shown for pair in board.pairs)
    return found


def jobs(trials: int) -> list[Callable[[int], list[Row]]]:
    """Return a job for each measure and number of items."""
    return [_Job(measure, n, trials) for measure, n in product(("accuracy", "f1", "auc"), (60, 200))]


@dataclass(frozen=True)
class _Job:
    measure: str
    n: int
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"{self.measure}|{self.n}".encode()))
        found = false_alarms(stream, self.trials, self.n, self.measure)
        where = (self.measure, "ten equal models, any of 45 pairs", "exchangeable", self.n, 0.05)
        return [
            Row("size", f"rank, {name}", "", "", *where, hits / self.trials, self.trials)
            for name, hits in found.items()
        ]
