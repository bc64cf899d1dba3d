"""Boards of models of which some are truly equal: how often ``rank`` shows a difference that is none.

A false finding is a pair of equal models that is shown to differ, or of unequal ones the wrong way round. The intervals
of the ranks hold together where every model's interval has all places that it truly may have.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import clearwin as cw
from clearwin.results import Leaderboard
from clearwin.streams import Seed, Stream
from scorecard.rows import Row
from scorecard.trials import STREAM

CORRECTIONS = ("holm", "max-t")
LARGE = 20  # from here on only the correction that rank takes by itself, max-T: Holm needs 20 replicates for every pair
LEVEL = 0.05
REPLICATES, OF_MANY = 1_999, 999  # of boards of less than LARGE models, and of others
BOARDS = {5: 400, 10: 400, 20: 300, 60: 100}  # of so many models, by what each takes
SAME, EQUAL = "exchangeable", "equal"
FOUND, FALSE_ALARMS, PREVALENCE = 0.8, 0.1, 0.3  # of models that predict as many positives as any
F1 = 0.75
RARE, APART = 0.1, 1.2  # positives of a measure of scores, and their distance in deviations

Floats = NDArray[np.float64]
Made = tuple[Any, Floats, dict[str, Any]]  # truth, answers of every model (rows), and how ``rank`` is to be asked


# --- what is drawn --------------------------------------------------------------------------------------------


def equally_good(stream: Stream, n: int, m: int, measure: str, *, of: int = 1) -> Made:
    """Return exchangeable models that share how hard an item is; three items in ten are positive.

    Items come in strata ``of`` so many, which are hard or easy together, if that is more than one.
    """
    y = stream.random(n) < PREVALENCE
    strata = np.arange(n) // of
    hard = stream.normal(size=n) if of == 1 else stream.normal(size=n // of)[strata]
    ease = 1.2 - hard + stream.normal(size=(m, n))  # below 0 a model is wrong
    answers = np.where(y, ease, -ease) if measure == "auc" else (y ^ (ease < 0)).astype(int)
    return y.astype(int), answers, {} if of == 1 else {"strata": strata}


def better_and_worse(stream: Stream, n: int, m: int, measure: str) -> Made:
    """Return two groups of equals: the first half of the models is better than the others."""
    y = stream.random(n) < PREVALENCE
    ease = 1.2 - stream.normal(size=n) + stream.normal(size=(m, n)) + 0.9 * (np.arange(m) < m // 2)[:, None]
    answers = np.where(y, ease, -ease) if measure == "auc" else (y ^ (ease < 0)).astype(int)
    return y.astype(int), answers, {}


def eager_and_shy(stream: Stream, n: int, m: int, measure: str) -> Made:
    """Return models of equal precision, or F1, that call more or fewer items positive."""
    y = stream.random(n) < PREVALENCE
    if measure == "precision":
        share = np.linspace(0.3, 1.0, m)
        hits, alarms = FOUND * share, FALSE_ALARMS * share
    else:
        hits = np.linspace(0.7, 0.9, m)
        alarms = PREVALENCE * (2 * hits / F1 - hits - 1.0) / (1.0 - PREVALENCE)
    u = ndtr((stream.normal(size=n) + stream.normal(size=(m, n))) / np.sqrt(2.0))
    return y.astype(int), (u < np.where(y, hits[:, None], alarms[:, None])).astype(int), {}


def rare_positives(stream: Stream, n: int, m: int, measure: str, *, spread: bool) -> Made:
    """Return scores with one positive in ten and equal AUC; if ``spread`` the positives of some models vary more."""
    y = stream.random(n) < RARE
    y[:2] = True, False
    deviation = np.linspace(0.4, 2.5, m) if spread else np.ones(m)
    z = (stream.normal(size=n) + stream.normal(size=(m, n))) / np.sqrt(2.0)
    of_positives = APART * np.sqrt((1.0 + deviation**2) / 2.0)[:, None] + deviation[:, None] * z
    return y.astype(int), np.where(y, of_positives, z), {}


def lognormal(stream: Stream, n: int, m: int, measure: str, *, spread: bool) -> Made:
    """Return skewed values with a mean of 1; if ``spread`` some models' are far more skewed than others'."""
    sigma = (np.linspace(0.3, 1.2, m) if spread else np.full(m, 0.8))[:, None]
    z = (stream.normal(size=n) + stream.normal(size=(m, n))) / np.sqrt(2.0)
    return None, np.exp(sigma * z - sigma**2 / 2.0), {}


# --- what is counted ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Board:
    """A board to draw: the models of the first ``better`` places are better than the others, all else is equal."""

    name: str
    null: str
    measure: str
    n: int
    m: int
    make: Callable[..., Made]
    better: int = 0

    @property
    def replicates(self) -> int:
        """The number of replicates: Holm needs 20 for every pair, max-T does not."""
        return REPLICATES if self.m < LARGE else OF_MANY

    @property
    def key(self) -> int:
        """A number of its own, whatever other boards there are."""
        return zlib.crc32(f"{self.measure}|{self.name}|{self.n}|{self.m}".encode())

    @property
    def corrections(self) -> tuple[str, ...]:
        """The corrections that are measured."""
        return CORRECTIONS if self.m < LARGE else CORRECTIONS[1:]

    def ranked(self, stream: Stream, number: int) -> Iterator[tuple[str, Leaderboard]]:
        """Draw one test set and yield what ``rank`` makes of it, by correction."""
        truth, answers, how = self.make(stream, self.n, self.m, self.measure)
        models = {_name(j): mine for j, mine in enumerate(answers)}
        how = {**how, "measure": self.measure, "n_resamples": self.replicates, "rng": number}
        for correction in self.corrections:
            yield correction, cw.rank(truth, models, correction=correction, **how)

    def false_finding(self, board: Leaderboard) -> bool:
        """Whether equal models are shown to differ, or unequal ones the wrong way round."""
        sign = 1 if board.higher_is_better else -1
        for pair in board.pairs:
            if pair.shown:
                truly = (_place(pair.b) < self.better) * 1 - (_place(pair.a) < self.better) * 1
                if truly * sign * pair.difference <= 0:
                    return True
        return False

    def ranks_hold(self, board: Leaderboard) -> bool:
        """Whether the interval of every model's rank has all places that it may have among its equals."""
        for model in board.models:
            ahead = 0 if _place(model.name) < self.better else self.better
            last = self.better if _place(model.name) < self.better else self.m
            if model.best_rank > ahead + 1 or model.worst_rank < last:
                return False
        return True


def _name(place: int) -> str:
    return f"m{place:02}"


def _place(name: str) -> int:
    return int(name[1:])


def boards() -> list[Board]:
    """Return all boards."""
    found = [Board("exchangeable", SAME, "f1", 200, m, equally_good) for m in BOARDS]
    for measure, n in (("accuracy", 60), ("auc", 200)):
        found.append(Board("exchangeable", SAME, measure, n, 10, equally_good))
    for of in (2, 4):
        make = partial(equally_good, of=of)
        found.append(Board(f"exchangeable, strata of {of}", SAME, "f1", 200, 10, make))
    found.append(Board("two groups of equals", EQUAL, "f1", 200, 10, better_and_worse, better=5))
    found.append(Board("two groups of equals", EQUAL, "auc", 200, 10, better_and_worse, better=5))
    found.append(Board("two groups of equals", EQUAL, "f1", 200, 60, better_and_worse, better=30))
    for measure, m in (("precision", 5), ("precision", 10), ("precision", 20), ("precision", 60), ("f1", 10)):
        found.append(Board("eager and shy models", EQUAL, measure, 200, m, eager_and_shy))
    found.append(Board("one positive in ten", SAME, "auc", 200, 10, partial(rare_positives, spread=False)))
    for m in BOARDS:
        name = "one positive in ten, positives vary less or more"
        found.append(Board(name, EQUAL, "auc", 200, m, partial(rare_positives, spread=True)))
    for spread, (n, m) in product((False, True), ((100, 5), (400, 10), (400, 20), (400, 60))):
        name = "lognormal values" + (", some far more skewed" if spread else "")
        make = partial(lognormal, spread=spread)
        found.append(Board(name, EQUAL if spread else SAME, "mean", n, m, make))
    return found


def jobs() -> list[Job]:
    """Return a job for each board."""
    return [Job(board, BOARDS[board.m]) for board in boards()]


@dataclass(frozen=True)
class Job:
    """So many test sets of a board."""

    board: Board
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Count false findings, rank intervals that hold together, and boards that were told to be too skewed."""
        board, stream = self.board, Seed(seed).stream(STREAM, self.board.key)
        counts = {correction: np.zeros(3, dtype=np.int64) for correction in board.corrections}
        for number in range(self.trials):
            for correction, found in board.ranked(stream, number):
                told = any(caveat.code == "too_skewed" for caveat in found.caveats)
                counts[correction] += (board.false_finding(found), board.ranks_hold(found), told)
        rows = []
        where = (board.measure, f"{board.m} models: {board.name}", board.null, board.n)
        for name, count in counts.items():
            false, hold, told = (count / self.trials).tolist()
            test = f"rank, {name}"
            rows.append(Row("size", test, "", "", *where, LEVEL, false, self.trials, told=told))
            rows.append(Row("ranks", test, "", "", *where, 1.0 - LEVEL, hold, self.trials, told=told))
        return rows
