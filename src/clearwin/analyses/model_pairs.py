"""Pairs of models on one test set: differences, p-values corrected for the number of pairs, and caveats.

A few pairs of single items (up to 50 of decisions between two classes) are tested as ``compare`` tests them, so both
agree to the last bit. For more pairs, and for items in groups or strata, the test is the recentred bootstrap: in how
many test sets like this one is the difference as far from the observed one as the observed one is from 0?

Where a standard error has few degrees of freedom, a difference is measured in the standard error of its own test set
(``resampling/boards.py``), both tails together and the nearer one twice. For scores Student's distribution is asked as
well, because draws of few positives know too little about the far tails that corrections for many pairs look at.

Otherwise, and with groups and strata, one standard error serves all test sets. If the true difference were 0 the n
units would vary about 0 and not about the observed mean d, so their variance would be larger by d²: the observed
difference is divided by √(1 + d²/(n·se²)), which makes a Wald statistic a score statistic (for accuracy: McNemar's,
whose variance is also that of the null hypothesis).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import JointCounts
from clearwin.data.labels import DECISIONS
from clearwin.data.questions import Question
from clearwin.data.values import ValueSample
from clearwin.errors import UnknownNameError
from clearwin.numerics.arrays import Floats
from clearwin.numerics.corrections import CORRECTIONS, adjust, fewest_replicates, max_t
from clearwin.numerics.intervals import INVERTED, Coverage, Interval, Replicates, alpha_of, student_quantile, symmetric
from clearwin.numerics.pvalues import TIE, PValue, least_by_swaps, of_sample, of_student, times
from clearwin.resampling.boards import pair_statistics, skewness
from clearwin.resampling.by_class import MomentsOfPairs, has_few_of_a_class
from clearwin.resampling.functionals import has_functional
from clearwin.results.caveats import FEWEST_DISAGREEMENTS, Caveat, caveat
from clearwin.results.leaderboard import PairDifference
from clearwin.significance import caveats
from clearwin.significance.by_class import PValuesByClass
from clearwin.significance.studentised import MOST_SKEWED, exceeded, p_value_function, studentised
from clearwin.text import counted
from clearwin.workers import with_progress

MAX_T = "max-t"
MOST_COMPARED = 5_000  # pairs, times the distinct units of each, that are tested one by one: some seconds
BY_GROUPS = 5  # times as long as items that stand for themselves
LEAST_UNITS = 100  # so that no more than 50 pairs are
KNOWN = (*CORRECTIONS, MAX_T)
# of a mean of values: where a pair of a board is more skewed, none is decided (0 to 5 % of boards of equal means show a
# difference then, at 5 %; docs/rank.md)
MOST_ASSUMED = 100  # pairs
MOST_SKEWED_OF_ALL = 0.4
TIED = 1e-9 / TIE  # of a standard error


@dataclass(frozen=True, eq=False)
class Board:
    """What is known about the models before they are compared: names, estimates, replicates (models × replicates)."""

    names: tuple[str, ...]
    estimates: Floats
    replicates: Floats

    @cached_property
    def slack(self) -> float:
        """Differences up to this are rounding errors."""
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

    def p_value(self, board: Board) -> PValue:
        """Return how often replicates are as far away, ties included."""
        return of_sample(board.strayed(self.pair), self.score, "different", board.slack / TIE)

    def interval(self, board: Board, coverage: Coverage, n_units: int) -> Interval:
        """Return all differences not rejected: |d − δ| ≤ half·√(1 + (d − δ)²/(n·se²)), solved for δ."""
        plain = symmetric(
            Replicates(board.strayed(self.pair), 0.0, no_jackknife),
            Coverage(coverage.level, "two-sided", -math.inf, math.inf),
        )
        half = plain.high
        room = 1.0 - (half / self.error) ** 2 / n_units if self.error > 0.0 else 1.0
        half = half / math.sqrt(room) if room > 0.0 else math.inf
        return coverage.interval(self.difference - half, self.difference + half, "symmetric")


@dataclass(frozen=True, eq=False)
class PairT:
    """One pair by t = difference/standard error, and t* of test sets, each with its own standard error.

    ``degrees`` are those of Student's distribution, which is asked as well; None where the draws are enough.
    """

    difference: float
    error: float
    drawn: Floats
    degrees: float | None = None

    @property
    def t(self) -> float:
        """The statistic; without any spread there is nothing to compare with."""
        return 0.0 if self.difference == 0.0 else self.difference / self.error if self.error > 0.0 else math.inf

    @property
    def towards(self) -> Floats:
        """Return t* turned so that above 0 is the side of the observed difference."""
        return self.drawn if self.t >= 0.0 else -self.drawn

    def p_value(self) -> PValue:
        """Return how often test sets are as far away: on both sides, or twice the nearer side if that is more."""
        nearer = of_sample(self.towards, abs(self.t), "better", TIED)
        found = [of_sample(self.drawn, self.t, "different", TIED), times(nearer, 2.0)]
        if self.degrees is not None:
            found.append(of_student(self.t, self.degrees, "different"))
        return max(found, key=lambda p: p.value)

    def interval(self, coverage: Coverage) -> Interval:
        """Return all differences that the test does not reject."""
        alpha = alpha_of(coverage.level)
        both = exceeded(np.abs(self.drawn), alpha)
        if self.degrees is not None:
            both = max(both, student_quantile(alpha / 2, self.degrees))
        below, above = (self.error * max(both, exceeded(side, alpha / 2), 0.0) for side in (self.drawn, -self.drawn))
        return coverage.interval(self.difference - below, self.difference + above, INVERTED)


def judge_pairs(
    board: Board, pairs: list[tuple[int, int]], question: Question[Any], correction: str, skewed: Floats
) -> tuple[PairDifference, ...]:
    """Test every pair and correct for the number of pairs; means whose differences are too ``skewed`` show nothing.

    A few pairs are tested as ``compare`` tests them. With more pairs, t of every pair is compared with t* of test sets,
    each with its own standard error; where that would take too long, and for many pairs with groups or strata, the
    replicates that all models share are recentred. No p-value is then smaller than the exact paired test could give on
    the units where the two differ.
    """
    units = question.sample.units_that_differ(question.measure, pairs)
    n_units = question.sampling.n_units if question.sampling else question.n
    scores = [PairScore.of(board, pair, n_units) for pair in pairs]
    compared = _can_be_compared(question, pairs)
    together = not compared or (correction == MAX_T and len(pairs) > 1)
    by_class = _by_class(pairs, question) if together else None
    by_t = _by_t(board, pairs, question) if together and by_class is None else None
    least = [0.0 if compared else least_by_swaps(n) for n in units]
    if compared:
        told = with_progress(pairs, len(pairs), "comparing pairs", late=True)
        found = [_compared(question, pair) for pair in told]
    elif by_class is not None:
        found = [_of_class(PValuesByClass(each), question.coverage) for each in by_class.moments]
    elif by_t is not None:
        found = [(one.difference, one.p_value(), one.interval(question.coverage)) for one in by_t]
    else:
        found = [
            (one.difference, one.p_value(board), one.interval(board, question.coverage, n_units)) for one in scores
        ]
    raw = [max(p.value, floor) for (_, p, _), floor in zip(found, least, strict=True)]
    bounds = [p.is_bound and p.value >= floor for (_, p, _), floor in zip(found, least, strict=True)]
    if correction in CORRECTIONS:
        adjusted = adjust(raw, correction)
    elif len(pairs) == 1:
        adjusted = raw
    elif by_class is not None:
        statistics = [
            -student_quantile(1.0 - p / 2.0, each.degrees) for p, each in zip(raw, by_class.moments, strict=True)
        ]
        adjusted = max_t(np.array(statistics), by_class.drawn(question.n_resamples, question.seed))
    else:
        adjusted = _by_max_t(board, scores) if by_t is None else _by_max_of_t(by_t)
    adjusted = [max(one) for one in zip(raw, adjusted, strict=True)]
    # the largest of all statistics may be further out in some draws, where none of a pair's own is
    most = 2.0 / (question.n_resamples + 1.0) if correction == MAX_T else 1.0
    decided = decided_pairs(skewed)
    return tuple(
        PairDifference(
            board.names[a],
            board.names[b],
            difference,
            between,
            p,
            q,
            n,
            bool(q <= alpha_of(question.confidence_level) and difference != 0.0 and sure),
            bound and q <= most * (1.0 + 1e-9),
        )
        for (a, b), (difference, _, between), p, q, n, sure, bound in zip(
            pairs, found, raw, adjusted, units, decided, bounds, strict=True
        )
    )


def _by_t(board: Board, pairs: list[tuple[int, int]], question: Question[Any]) -> list[PairT] | None:
    """Return t of every pair; None where all standard errors have many degrees of freedom, or none is known."""
    found = pair_statistics(question.sample, question.measure, pairs, question.n_resamples)
    if found is None or found.degrees.min() >= found.enough_degrees:
        return None
    drawn = found.drawn(question.n_resamples, question.seed)
    degrees = found.degrees.tolist() if found.by_student_too else [None] * len(pairs)
    return [
        PairT(board.difference(pair), float(error), mine, of_student)
        for pair, error, mine, of_student in zip(pairs, found.errors, drawn, degrees, strict=True)
    ]


def _by_class(pairs: list[tuple[int, int]], question: Question[Any]) -> MomentsOfPairs | None:
    """Return the moments of every pair of rankings with few items of a class; None for other data."""
    if not has_few_of_a_class(question.sample, question.measure):
        return None
    return MomentsOfPairs(question.sample, question.measure, pairs)


def _of_class(function: PValuesByClass, coverage: Coverage) -> tuple[float, PValue, Interval]:
    """Return difference, p-value and interval of a pair, whose bound at 0 agrees with p."""
    p = function.p_value(0.0, "different")
    return function.observed, p, function.interval(coverage, p)


def _by_max_of_t(tested: list[PairT]) -> list[float]:
    """Correct by max-T: the furthest of all on both sides, or twice on the observed sides if that is more."""
    statistics = np.array([abs(one.t) for one in tested])
    both = max_t(statistics, lambda i: np.abs(tested[i].drawn))
    towards = max_t(statistics, lambda i: tested[i].towards)
    return [max(p, min(1.0, 2.0 * q)) for p, q in zip(both, towards, strict=True)]


def decided_pairs(skewed: Floats) -> NDArray[np.bool_]:
    """Return which pairs can be decided: none, where one of them is far too skewed.

    The test sets in which a rare large value is missing look less skewed, and are those in which equal means look
    different. With five to ten models they would show a difference in 9 to 15 of 100 boards if each pair were looked at
    alone.
    """
    return np.asarray((skewed <= MOST_SKEWED) & (skewed.max() <= MOST_SKEWED_OF_ALL))


def _can_be_compared(question: Question[Any], pairs: list[tuple[int, int]]) -> bool:
    work = len(pairs) * _units(question) * (BY_GROUPS if question.sampling is not None else 1)
    if len(pairs) > 1 and work > MOST_COMPARED:
        return False
    return all(has_functional(question.sample.of_pair(*pair), question.measure) for pair in pairs)


def _units(question: Question[Any]) -> int:
    """Return the number of distinct units: for decisions the joint outcomes of two models, else the items."""
    k = len(question.class_sizes)
    return max(LEAST_UNITS, min(question.n, k**3 if question.measure.kind.decisions else question.n))


def _compared(question: Question[Any], pair: tuple[int, int]) -> tuple[float, PValue, Interval]:
    """Return difference, p-value and interval of two models as ``compare`` gives them."""
    two = _of_two(question, pair)
    found = studentised(two)
    assert found.p is not None
    return two.difference, found.p, found.interval


def _of_two(question: Question[Any], pair: tuple[int, int]) -> Question[Any]:
    """Return the question about one pair, as ``compare`` asks it."""
    a, b = (question.options.names[i] for i in pair)
    return replace(question, sample=question.sample.of_pair(*pair)).asking(interval="auto", names=(a, b))


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
    """Take the place of the leave-one-out values, which the intervals here do not need."""
    raise AssertionError("only BCa asks for it")


def caveats_of_pairs(
    pairs: Sequence[PairDifference], correction: str, alpha: float, n_resamples: int, unit: str
) -> tuple[Caveat, ...]:
    """Return the caveats about the pairs."""
    return (
        *_few_units(pairs, unit),
        *_no_width(pairs, unit),
        *_few_resamples(len(pairs), correction, alpha, n_resamples),
        *_near_level(pairs, correction, alpha, n_resamples),
        *_not_family_wise(correction),
    )


def skewness_of_pairs(question: Question[Any], pairs: list[tuple[int, int]]) -> Floats:
    """Return the skewness of every pair's mean difference; 0 where differences are counted, as ``compare`` does."""
    found, sample = skewness(question.sample, question.measure, pairs), question.sample
    if isinstance(sample, ValueSample) and _can_be_compared(question, pairs):
        counted_ones = [sample.of_pair(*pair).differ_by_one for pair in pairs]
        found = np.where(counted_ones, 0.0, found)
    return found


def missed_of_pairs(
    question: Question[Any], pairs: list[tuple[int, int]], judged: Sequence[PairDifference]
) -> tuple[Caveat, ...]:
    """Return what hides a difference that would be shown: a rare kind of item that the test set could have missed."""
    if not isinstance(question.sample, ValueSample) or not _can_be_compared(question, pairs):
        return ()
    alpha, told = alpha_of(question.confidence_level), []
    for pair, result in zip(pairs, judged, strict=True):
        if result.p_value > alpha:
            told += [(result, c) for c in studentised(_of_two(question, pair)).caveats if c.code == "unseen_failures"]
    if not told:
        return ()
    result, caveat = told[0]
    who = f"{result.a} and {result.b}" + (f" (and {counted(len(told) - 1, 'more pair')})" if len(told) > 1 else "")
    return (replace(caveat, text=f"{who}: {caveat.text}"),)


def assumed_of_pairs(question: Question[Any], pairs: list[tuple[int, int]]) -> tuple[Caveat, ...]:
    """Return what a test assumes of rare failures that were missed, for the pair on which most depends."""
    if not isinstance(question.sample, ValueSample) or len(pairs) > MOST_ASSUMED:
        return ()
    found = []
    for pair in pairs:
        one = replace(question, sample=question.sample.of_pair(*pair))
        if has_functional(one.sample, one.measure):
            found.append(p_value_function(one).unseen)
    known = [unseen for unseen in found if unseen is not None]
    return caveats.assumed_of_unseen(question, max(known, key=lambda unseen: unseen.ratio)) if known else ()


def too_skewed(skewed: Floats, pairs: list[tuple[int, int]], names: Sequence[str]) -> tuple[Caveat, ...]:
    """Means of few skewed values are not decided, as in ``compare``."""
    decided = decided_pairs(skewed)
    if decided.all():
        return ()
    a, b = pairs[int(skewed.argmax())]
    which = [f"{names[x]} and {names[y]}" for (x, y), sure in zip(pairs, decided, strict=True) if not sure]
    return (
        caveat(
            "too_skewed",
            "pairs",
            undecided=which if decided.any() else None,
            pair=(names[a], names[b]),
            skewness=float(skewed.max()),
            most=MOST_SKEWED,
            most_of_all=MOST_SKEWED_OF_ALL,
        ),
    )


def truth_itself(joint: JointCounts | None, name: str) -> tuple[Caveat, ...]:
    """A model without any error may be the column of the truth, left in the table by mistake."""
    if joint is None or joint.both_right < joint.n or {*joint.labels} <= {*DECISIONS}:
        return ()
    return (caveat("truth_itself", name=name),)


def _few_units(pairs: Sequence[PairDifference], unit: str) -> tuple[Caveat, ...]:
    """A handful of items that tell two models apart is little to rest a result on."""
    few = [f"{p.a} and {p.b} {p.units}" for p in pairs if p.units < FEWEST_DISAGREEMENTS]
    if not few:
        return ()
    return (caveat("few_disagreements", "pairs", few=few, pairs=len(pairs), unit=unit),)


def _no_width(pairs: Sequence[PairDifference], unit: str) -> tuple[Caveat, ...]:
    """An interval that ends at the estimate itself does not show how far off the estimate may be."""
    flat = [f"{p.a} and {p.b}" for p in pairs if p.difference != 0.0 and p.interval.ends_at(p.difference)]
    return (caveat("no_width", "pairs", flat=flat, unit=unit),) if flat else ()


def _few_resamples(tests: int, correction: str, alpha: float, n_resamples: int) -> tuple[Caveat, ...]:
    """The smallest p-value that replicates can give, times the number of tests, must be able to reach the level."""
    factor = 1 if correction == MAX_T else tests
    needed = fewest_replicates(factor, alpha)
    if n_resamples >= needed:
        return ()
    smallest = factor / (n_resamples + 1)
    return (caveat("few_resamples", replicates=n_resamples, smallest=smallest, needed=needed, instead=MAX_T),)


def _near_level(pairs: Sequence[PairDifference], correction: str, alpha: float, n_resamples: int) -> tuple[Caveat, ...]:
    """More replicates could change a decision."""
    near = []
    for pair in pairs:
        q = pair.adjusted_p if correction == MAX_T else pair.p_value
        error = pair.adjusted_p / q * math.sqrt(q * (1.0 - q) / n_resamples)
        if error > 0.0 and abs(pair.adjusted_p - alpha) <= 3.0 * error:
            near.append(f"{pair.a} and {pair.b}")
    return (caveat("sampled_near_level", "pairs", near=near, alpha=alpha),) if near else ()


def _not_family_wise(correction: str) -> tuple[Caveat, ...]:
    return (caveat("not_family_wise"),) if correction == "benjamini-hochberg" else ()
