"""Many models on the same test sets: t of every pair, with the standard error of every test set.

The difference of two models over one fixed standard error has a skewed distribution where few items decide, and the
largest of many such differences strays too rarely. Over the standard error of its own test set it does not (the
bootstrap-t; Efron 1981). That error comes from each model's influence values h (``functionals.py``):
V = Σ w (h_a − h_b)² over all items, and over the parts of items that only one of the two models has right.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from clearwin.counts import Counts
from clearwin.data.decisions import AnswerSample
from clearwin.data.samples import Sample
from clearwin.data.scores import Ranking, ScoreSample, midranks
from clearwin.data.values import ValueSample
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats
from clearwin.resampling.functionals import (
    HALF,
    HUNDREDTH,
    QUARTER,
    SMALLEST,
    OfDecisions,
    OfScores,
    centred,
    has_functional,
    most_confused,
    spread,
)
from clearwin.streams import Purpose, Seed, Stream, multinomial
from clearwin.workers import BLOCK, run_blocks

MOST_NUMBERS = 2**21  # of influence values that are held at once
MOST_WORK = 6 * 10**9  # units × pairs × replicates, and what the models take: some seconds
MOST_STATISTICS = 2**25  # pairs × replicates: 256 MB
OF_A_MODEL = 20  # pairs that take as long as the influence values of one model

Pairs = Sequence[tuple[int, int]]


class PairStatistics(ABC):
    """t of every pair of models: its standard error as observed, with its degrees of freedom, and t* of test sets.

    A pair (a, b) is judged by b − a.
    """

    enough_degrees = 1_000
    by_student_too = False  # whether Student's distribution is asked as well as the draws
    pairs: Pairs
    times: Floats  # how often each distinct unit occurs
    width: int  # numbers of a test set that are held at once
    errors: Floats
    degrees: Floats

    @abstractmethod
    def statistics(self, weights: Floats) -> Floats:
        """Return t* = (d* − d)/se* of every pair for every column of weights."""

    def drawn(self, n: int, seed: Seed) -> Floats:
        """Return t* of every pair (rows) on n test sets."""
        size, weights = round(self.times.sum()), self.times.astype(np.int64)

        def block(stream: Stream, replicates: int) -> Floats:
            return self.statistics(multinomial(stream, size, weights, replicates).astype(np.float64))

        at_once = max(1, min(BLOCK, MOST_NUMBERS // self.width))
        return np.concatenate(run_blocks(block, n, seed, Purpose.BOARDS, block=at_once, releases_gil=True), axis=1)


class ByInfluence(PairStatistics):
    """For measures whose models have influence values: rows of units, then of parts of items that are right and wrong.

    For a pair such a part is right for one model and wrong for the other, both ways round.
    """

    extra: Floats  # the parts: those that are right first, in the same order those that are wrong

    @abstractmethod
    def values(self, weights: Floats) -> Floats:
        """Return the measure of every model (rows); nan where a test set lacks a class."""

    @abstractmethod
    def influence(self, weights: Floats) -> Floats:
        """Return (models, units and parts, columns): how fast each model's value moves with each unit's share."""

    def _take_observed(self) -> None:
        weights = self.times[:, None]
        self._differences = self._over_pairs(self.values(weights))
        moved = self.influence(weights)[:, :, 0]
        n, half = self.times.size, self.extra.size // 2
        everyone = np.concatenate([self.times, self.extra])
        spreads = []
        for a, b in self.pairs:
            right, wrong = moved[:, n : n + half], moved[:, n + half :]
            parts = np.concatenate([right[b] - wrong[a], wrong[b] - right[a]])
            spreads.append(spread(np.concatenate([moved[b, :n] - moved[a, :n], parts]), everyone))
        self.errors, self.degrees = np.array(spreads).T
        self.width = moved.size

    def _over_pairs(self, values: Floats) -> Floats:
        a, b = np.array(self.pairs).T
        return np.asarray(values[b] - values[a])

    def statistics(self, weights: Floats) -> Floats:
        """Return t* of every pair; a test set without items of a class says nothing: t* = 0."""
        from clearwin.numerics import influence_kernels

        strayed = self._over_pairs(self.values(weights)) - self._differences
        squares = influence_kernels.pair_squares(
            np.ascontiguousarray(self.influence(weights)), weights, self.extra, np.array(self.pairs)
        )
        n = weights.sum(axis=0) + self.extra.sum()
        return np.asarray(np.nan_to_num(strayed * n / np.sqrt(np.maximum(squares, SMALLEST)), nan=0.0))


class _OfRows(OfDecisions):
    """The measure of any decisions on rows of this truth."""

    def __init__(self, truth: Counts, k: int, measure: Measure) -> None:
        self.truth, self.k, self.measure, self.single = truth, k, measure, True
        self.by_matrix = k == 2 or measure.needs_matrix

    def value_of(self, said: Counts, weights: Floats) -> Floats:
        return self.measure.evaluate(self._counts(weights, said)).values

    def influence_of(self, said: Counts, weights: Floats) -> Floats:
        return centred(self._slopes(weights, said), weights)


class OfAnswers(ByInfluence):
    """For one decision of every model for each item; half an item is added as for two models."""

    def __init__(self, sample: AnswerSample, measure: Measure, pairs: Pairs) -> None:
        self.pairs, k = pairs, len(sample.labels)
        classes = np.arange(k)
        confused = most_confused(sample.truth, list(sample.decisions), sample.items, k)
        self.rows = _OfRows(np.concatenate([sample.truth, classes, classes]), k, measure)
        parts = np.tile(np.concatenate([classes, confused]), (len(sample.decisions), 1))
        self.said = np.concatenate([sample.decisions, parts], axis=1)
        self.times = sample.items.astype(np.float64)
        self.extra = np.full(2 * k, HALF if measure.in_parts else HALF * 2.0 / max(k, 2))
        self._take_observed()

    def _with(self, weights: Floats, parts: Floats) -> Floats:
        return np.concatenate([weights, np.broadcast_to(parts[:, None], (parts.size, weights.shape[1]))])

    def values(self, weights: Floats) -> Floats:
        """Return the measure of every model."""
        weights = self._with(weights, np.zeros_like(self.extra))
        return np.stack([self.rows.value_of(said, weights) for said in self.said])

    def influence(self, weights: Floats) -> Floats:
        """Return the derivative along each row, less its mean."""
        weights = self._with(weights, self.extra)
        return np.stack([self.rows.influence_of(said, weights) for said in self.said])


class OfRankings(ByInfluence):
    """For scores: compiled loops scan the items in each model's order; parts of items are ranked first and last."""

    enough_degrees = OfScores.enough_degrees
    # With 20 positives, three of 1,000 pairs with equal AUC lie beyond all of 2,000 draws where one should (rank.md);
    # Holm's correction looks at those far tails.
    by_student_too = True

    def __init__(self, sample: ScoreSample, measure: Measure, pairs: Pairs) -> None:
        from clearwin.numerics import kernels

        arranged, self.pairs = sample.arranged, pairs
        truth = np.append(arranged.truth, [True, False, True, False])
        ends = np.array([arranged.n + 1.0, 0.0, 0.0, arranged.n + 1.0])
        self.rankings = [Ranking.of(np.append(midranks(scores), ends), truth) for scores in arranged.scores]
        self.times, self.extra = np.ones(arranged.n), np.full(4, HUNDREDTH if measure.whole_ranking else QUARTER)
        self.which = getattr(kernels, measure.scan)
        self.options = np.array(measure.scan_options(), dtype=np.float64)
        self._take_observed()

    def _scanned(self, weights: Floats, extra: Floats) -> tuple[Floats, Floats]:
        from clearwin.numerics import influence_kernels

        parts = np.broadcast_to(extra[:, None], (extra.size, weights.shape[1]))
        columns = np.ascontiguousarray(np.concatenate([weights, parts]).T)
        scans = [
            influence_kernels.values_and_influences(self.which, self.options, columns, r.order, r.positive, r.last)
            for r in self.rankings
        ]
        return np.stack([values for values, _ in scans]), np.stack([moved.T for _, moved in scans])

    def values(self, weights: Floats) -> Floats:
        """Return the measure of every model."""
        return self._scanned(weights, np.zeros_like(self.extra))[0]

    def influence(self, weights: Floats) -> Floats:
        """Return every item's influence on every model."""
        return self._scanned(weights, self.extra)[1]


class OfMeans(PairStatistics):
    """For means and sums of values: the items' own differences, about their mean and about 1 in size."""

    def __init__(self, sample: ValueSample, measure: Measure, pairs: Pairs) -> None:
        self.pairs = pairs
        gaps, furthest = zip(*(_gaps(sample, pair) for pair in pairs), strict=True)
        self._gaps, n = np.stack(gaps), gaps[0].size
        self.times, self.width = np.ones(n), max(n, len(pairs))
        spreads = [spread(mine, self.times) for mine in gaps]
        self.errors = sample.factor(measure) * np.array(furthest) * np.sqrt(n / (n - 1.0)) * [e for e, _ in spreads]
        self.degrees = np.array([min(degrees, n - 1.0) for _, degrees in spreads])

    def statistics(self, weights: Floats) -> Floats:
        """Return t* of every pair; where all units agree it is infinite, unless they agree with the observed value."""
        n = weights.shape[0]
        strayed = self._gaps @ weights / n
        mean_square = (self._gaps**2) @ weights / n
        variance = mean_square - strayed**2
        flat = variance <= 1e-12 * mean_square
        studentised = strayed / np.sqrt(np.where(flat, 1.0, variance) / (n - 1.0))
        return np.where(flat, np.where(strayed == 0.0, 0.0, np.copysign(np.inf, strayed)), studentised)


def _gaps(sample: ValueSample, pair: tuple[int, int]) -> tuple[Floats, float]:
    """Return the items' differences about their mean, the furthest at ±1, and how far that is."""
    gaps = sample.units.differences_of(*pair)
    gaps -= gaps.mean()
    furthest = float(max(gaps.max(), -gaps.min()))
    if furthest:
        gaps /= furthest
    return gaps, furthest


@singledispatch
def skewness(sample: Sample, measure: Measure, pairs: Pairs) -> Floats:
    """Return the skewness of every pair's difference, where it is a mean of single items' values; else 0."""
    return np.zeros(len(pairs))


@skewness.register(ValueSample)
def _skewness_of_values(sample: ValueSample, measure: Measure, pairs: Pairs) -> Floats:
    if sample.sampling is not None or not measure.is_mean:
        return np.zeros(len(pairs))
    skew_of_pair = []
    for pair in pairs:
        gaps = _gaps(sample, pair)[0]
        square, cube = float(gaps @ gaps), float((gaps * gaps) @ gaps)
        skew_of_pair.append(abs(cube) / square**1.5 if square > 0.0 else 0.0)
    return np.array(skew_of_pair)


@singledispatch
def pair_statistics(sample: Sample, measure: Measure, pairs: Pairs, n_resamples: int) -> PairStatistics | None:
    """Return t of every pair; None for groups and strata, and where it would take more than some seconds."""
    return None


@pair_statistics.register(AnswerSample)
def _of_answers(sample: AnswerSample, measure: Measure, pairs: Pairs, n_resamples: int) -> PairStatistics | None:
    units = sample.items.size + len(sample.labels) ** 2
    if not _can_be_drawn(sample, measure, units, len(sample.names), pairs, n_resamples):
        return None
    return OfAnswers(sample, measure, pairs)


@pair_statistics.register(ScoreSample)
def _of_scores(sample: ScoreSample, measure: Measure, pairs: Pairs, n_resamples: int) -> PairStatistics | None:
    if not _can_be_drawn(sample, measure, sample.n, len(sample.scores), pairs, n_resamples):
        return None
    return OfRankings(sample, measure, pairs)


@pair_statistics.register(ValueSample)
def _of_values(sample: ValueSample, measure: Measure, pairs: Pairs, n_resamples: int) -> PairStatistics | None:
    if not measure.is_mean or not _can_be_drawn(sample, measure, sample.n, 0, pairs, n_resamples):
        return None
    return OfMeans(sample, measure, pairs)


def _can_be_drawn(
    sample: AnswerSample | ScoreSample | ValueSample,
    measure: Measure,
    units: int,
    models: int,
    pairs: Pairs,
    n_resamples: int,
) -> bool:
    work = units * (len(pairs) + OF_A_MODEL * models) * n_resamples
    if sample.sampling is not None or work > MOST_WORK or len(pairs) * n_resamples > MOST_STATISTICS:
        return False
    return any(has_functional(sample.of_pair(*pair), measure) for pair in pairs)
