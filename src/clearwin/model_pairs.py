"""Pairs of models on shared replicates: differences, p-values, and p-values corrected for the number of pairs.

The test is the recentred bootstrap: how often does the difference stray from what was observed, among test sets like
this one, by as much as what was observed strays from 0? If the true difference were 0 the n units would vary about 0
and not about the observed mean d, so their variance would be larger by d²: the observed difference is divided by
√(1 + d²/(n·se²)), which makes a Wald statistic a score statistic (for accuracy: McNemar's, whose variance is that of
the null hypothesis, too). ``docs/rank.md`` tells how often ten equal models are told apart with this and without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearwin.corrections import CORRECTIONS, adjust, max_t
from clearwin.errors import UnknownNameError
from clearwin.intervals import Coverage, Replicates, symmetric
from clearwin.pvalues import TIE, least_by_swaps, of_sample
from clearwin.result import Interval

Floats = NDArray[np.float64]
MAX_T = "max-t"
KNOWN = (*CORRECTIONS, MAX_T)


@dataclass(frozen=True)
class PairDifference:
    """Model b against model a: ``difference`` is b − a; ``shown`` says that the corrected p-value is small enough.

    ``units`` is how many items (or groups) tell the two apart. The interval is that of this pair alone.
    """

    a: str
    b: str
    difference: float
    interval: Interval
    p_value: float
    adjusted_p: float
    units: int
    shown: bool


@dataclass(frozen=True, eq=False)
class Board:
    """What is known of the models before they are compared: names, estimates, and replicates (models × replicates)."""

    names: tuple[str, ...]
    estimates: Floats
    replicates: Floats

    @property
    def slack(self) -> float:
        """Differences up to here are rounding."""
        return TIE * float(max(np.abs(self.estimates).max(), np.abs(self.replicates).max()))

    def difference(self, pair: tuple[int, int]) -> float:
        """Return b − a as observed."""
        found = float(self.estimates[pair[1]] - self.estimates[pair[0]])
        return 0.0 if abs(found) <= self.slack else found

    def strayed(self, pair: tuple[int, int]) -> Floats:
        """Return how far b − a is from the observed one in every replicate, rounding set to 0."""
        found = np.asarray(self.replicates[pair[1]] - self.replicates[pair[0]] - self.difference(pair))
        found[np.abs(found) <= self.slack] = 0.0
        return found


def check_correction(correction: str) -> None:
    """Raise unless there is a correction of this name."""
    if not isinstance(correction, str) or correction not in KNOWN:
        raise UnknownNameError("correction", correction, KNOWN)


@dataclass(frozen=True, eq=False)
class PairScore:
    """One pair: the observed difference, as a score, its standard error, and how the replicates stray from it."""

    pair: tuple[int, int]
    difference: float
    error: float
    inflation: float

    @classmethod
    def of(cls, board: Board, pair: tuple[int, int], n_units: int) -> PairScore:
        """Measure how a pair varies."""
        difference, strayed = board.difference(pair), board.strayed(pair)
        error = float(strayed.std(ddof=1)) if strayed.size > 1 else 0.0
        # without any spread (all units say the same) there is nothing to compare with
        inflation = math.sqrt(1.0 + difference**2 / (n_units * error**2)) if error > 0.0 else 1.0
        return cls(pair, difference, error, inflation)

    @property
    def score(self) -> float:
        """The difference, made smaller by how much larger its error would be if the true one were 0."""
        return self.difference / self.inflation

    def p_value(self, board: Board) -> float:
        """Return how often replicates stray as far, ties counted."""
        return of_sample(board.strayed(self.pair), self.score, "different", board.slack / TIE).value

    def interval(self, board: Board, coverage: Coverage, n_units: int) -> Interval:
        """Return all differences that the test keeps: |d − δ| ≤ half·√(1 + (d − δ)²/(n·se²)), solved for δ."""
        plain = symmetric(
            Replicates(board.strayed(self.pair), 0.0, no_jackknife),
            Coverage(coverage.level, "two-sided", -math.inf, math.inf),
        )
        half = plain.high
        room = 1.0 - (half / self.error) ** 2 / n_units if self.error > 0.0 else 1.0
        half = half / math.sqrt(room) if room > 0.0 else math.inf
        return coverage.interval(self.difference - half, self.difference + half, "symmetric")


def judge_pairs(
    board: Board, pairs: list[tuple[int, int]], units: Sequence[int], correction: str, coverage: Coverage, alpha: float,
    n_units: int,
) -> tuple[PairDifference, ...]:  # fmt: skip
    """Test every pair, given how many of the ``n_units`` tell its models apart, and correct for the number of pairs.

    No p-value is smaller than the exact paired test could give with so many units.
    """
    tested = [PairScore.of(board, pair, n_units) for pair in pairs]
    least = [least_by_swaps(n) for n in units]
    raw = [max(one.p_value(board), floor) for one, floor in zip(tested, least, strict=True)]
    adjusted = adjust(raw, correction) if correction in CORRECTIONS else _by_max_t(board, tested)
    adjusted = [max(p, floor) for p, floor in zip(adjusted, least, strict=True)]
    return tuple(
        PairDifference(
            board.names[one.pair[0]], board.names[one.pair[1]], one.difference, one.interval(board, coverage, n_units),
            p, q, n, bool(q <= alpha and one.difference != 0.0),
        )
        for one, p, q, n in zip(tested, raw, adjusted, units, strict=True)
    )  # fmt: skip


def _by_max_t(board: Board, tested: list[PairScore]) -> list[float]:
    """Correct by max-T, each difference in units of its standard error, so that all pairs count alike."""

    def statistic(one: PairScore) -> float:
        if one.difference == 0.0:
            return 0.0
        return abs(one.score) / one.error if one.error > 0.0 else math.inf

    def nulls(i: int) -> Floats:
        error = tested[i].error
        return np.abs(board.strayed(tested[i].pair)) / error if error > 0.0 else np.zeros(board.replicates.shape[1])

    return max_t(np.array([statistic(one) for one in tested]), nulls)


def no_jackknife() -> tuple[Floats, NDArray[np.int64]]:
    """Stand in for the leave-one-out values, which the intervals here do without."""
    raise AssertionError("only BCa asks for it")
