"""A gate at the first, the 18th and the 100th use of its test set: what is left of the level, and what it still finds.

A's and B's answers agree but for positives that only A has right. B's F1 is lower by a known drop, or by the margin
itself, where neither a pass nor a failure would be right.
"""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.analyses.compare import compare
from clearwin.analyses.gate import Check, Rules, gated
from clearwin.streams import Seed, Stream
from scorecard.hard_nulls import DIFFERENT, HARD
from scorecard.rows import Row
from scorecard.trials import STREAM

SETS = 200
MARGIN = 0.05
PREVALENCE, RIGHT = 0.3, 0.9  # A's recall and specificity
USES = (1, 18, 100)


@dataclass(frozen=True)
class Cell:
    """Test sets of n items on which B's F1 is lower than A's by ``drop``."""

    drop: float
    n: int

    @property
    def label(self) -> str:
        """What is drawn."""
        lower = "the margin" if self.drop == MARGIN else f"{100 * self.drop:g} points"
        return f"F1 lower by {lower}, {self.n:,} items" if self.drop else f"the same F1, {self.n:,} items"

    @property
    def lost(self) -> float:
        """The share of A's true positives that B misses: with F1 = 2t/(P + f + t), t = (P + f)·F1/(2 − F1)."""
        found, others = PREVALENCE * RIGHT, PREVALENCE + (1.0 - PREVALENCE) * (1.0 - RIGHT)
        wanted = 2.0 * found / (others + found) - self.drop
        return 1.0 - others * wanted / (2.0 - wanted) / found

    def drawn(self, stream: Stream) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return truth, A's and B's answers."""
        truth = stream.random(self.n) < PREVALENCE
        a = np.where(stream.random(self.n) < RIGHT, truth, ~truth)
        b = a & ~(truth & (stream.random(self.n) < self.lost))
        if not self.drop:  # as often right, on other items
            b = np.where(stream.random(self.n) < RIGHT, truth, ~truth)
        return truth * 1, a * 1, b * 1


def cells() -> list[Cell]:
    """Return every cell."""
    return [Cell(drop, n) for n in (400, 2_000) for drop in (0.0, MARGIN, 0.15, 0.37)]


def jobs(sets: int) -> list[Any]:
    """Return a job for each cell."""
    return [Job(cell, sets) for cell in cells()]


@dataclass(frozen=True)
class Job:
    """One cell, and the number of test sets that are drawn from it."""

    cell: Cell
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask the gate at every use, and count how often it passes and fails."""
        cell, count, check = self.cell, Counter[tuple[int, str]](), Check("f1", MARGIN)
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"ledger|{cell.label}".encode()))
        for _ in range(self.trials):
            ask = partial(compare, *cell.drawn(stream))
            for use in USES:
                count[use, gated(ask, [check], Rules(uses=use)).outcome] += 1
        return [row for use in USES for row in self._rows(use, count)]

    def _rows(self, use: int, count: Counter[tuple[int, str]]) -> list[Row]:
        cell, level = self.cell, Rules(uses=use).level
        wrong = {"pass": cell.drop >= MARGIN, "fail": cell.drop <= MARGIN}
        return [
            Row(
                "size" if wrong[outcome] else "power",
                f"use {use}",
                "",
                "",
                "f1",
                f"{cell.label}: {'passes' if outcome == 'pass' else 'fails'}",
                HARD if wrong[outcome] else DIFFERENT,
                cell.n,
                level,
                count[use, outcome] / self.trials,
                self.trials,
            )
            for outcome in ("pass", "fail")
        ]
