"""One derivative serves everything: a measure as a function of how often each unit is drawn.

A :class:`Functional` is the difference of two models, or the value of one, as a function of the units' weights. Its
*influence values* say how fast it moves when a unit weighs more. From them alone come its standard error, Satterthwaite's
degrees of freedom, and the walk to a population like this one in which it has any other value:

* variance V = Σ p h², standard error √(V/n);
* degrees of freedom 2 n V²/(Σ p h⁴ − V²): few units that decide much leave few of them (Satterthwaite 1946);
* the walk: shares p move in proportion to p·h, the direction in which the value changes most for the least change of
  the population, until the value is what was asked for (the least favourable family; Lloyd 2008 for counts).

A standard error is taken, and the walk begins, with parts of units added (``extra``): half an item on which only A is
right and half an item on which only B is, for either class. So none vanishes because a kind of disagreement happened not
to occur, and outcomes that never occurred are possible.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property, singledispatch
from typing import Any

import numpy as np

from clearwin.counts import AnyCounts, ClassCounts, ConfusionMatrix, JointCounts
from clearwin.data.samples import CountSample, DecisionSample, Sample
from clearwin.data.scores import Ranking, ScoreSample, midranks
from clearwin.data.units import Rows, Units
from clearwin.data.values import ValueSample
from clearwin.execution import BLOCK, Seed, Stream, multinomial, run_blocks
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats

STREAM = 10
MOST_NUMBERS = 2**21  # of weights that are held at once
REPLICATES_PER_BLOCK = 50  # of compiled loops
HALF = 0.5  # of an item, on either way of disagreeing
SMALLEST_VARIANCE = 1e-300
STEPS = 60  # of the walk; a handful is usual
FURTHEST = 1.0  # a share grows by at most this power of e in a step
CLOSE = 1e-9  # of the value's size, where the walk ends
HUNDREDTH, QUARTER = 0.01, 0.25
FEW_PLACES = 2**10  # up to here a dense table is quicker than a sparse one
SHARES = 2**44  # shares become whole numbers, to be drawn by


class Functional(ABC):
    """A number that depends on how often each distinct unit is drawn; weights have the shape (units, replicates)."""

    times: Floats
    extra: Floats

    @abstractmethod
    def values(self, weights: Floats) -> Floats:
        """Return the number for every column of weights."""

    @abstractmethod
    def influence(self, weights: Floats) -> Floats:
        """Return how fast it moves with each unit's share, for every column; centred where units are drawn."""

    @cached_property
    def observed(self) -> float:
        """The number as observed."""
        return float(self.values(self.times[:, None])[0])

    def errors(self, weights: Floats) -> Floats:
        """Return the standard error for every column of weights."""
        return self._moments(weights)[0]

    @cached_property
    def error(self) -> float:
        """The standard error as observed."""
        return float(self._moments(self.times[:, None])[0][0])

    @cached_property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom of the standard error."""
        return float(self._moments(self.times[:, None])[1][0])

    def _moments(self, weights: Floats) -> tuple[Floats, Floats]:
        weights = weights + self.extra[:, None]
        n = weights.sum(axis=0)
        squares = self.influence(weights)
        squares *= squares
        variance = np.maximum(np.einsum("ur,ur->r", weights, squares) / n, SMALLEST_VARIANCE)
        fourth = np.einsum("ur,ur,ur->r", weights, squares, squares) / n
        degrees = 2.0 * n * variance**2 / np.maximum(fourth - variance**2, SMALLEST_VARIANCE)
        return np.sqrt(variance / n), np.maximum(degrees, 1.0)

    def tilted(self, value: float) -> Floats:
        """Return the units' shares in the population nearest to this sample that has the value."""
        shares = (self.times + self.extra) / (self.times.sum() + self.extra.sum())
        for _ in range(STEPS):
            gap = float(self.values(shares[:, None])[0]) - value
            if abs(gap) <= CLOSE * max(abs(value), self.error):
                break
            influence = self.influence(shares[:, None])[:, 0]
            step = -gap / max(float((shares * influence**2).sum()), SMALLEST_VARIANCE)
            largest = abs(step) * float(np.abs(influence[shares > 0]).max())
            shares = shares * np.exp(min(1.0, FURTHEST / largest) * step * influence)
            shares /= shares.sum()
        return shares

    def statistics(self, value: float, n: int, seed: Seed) -> Floats:
        """Return t = (value of a test set − value)/standard error, of test sets from a population with the value."""
        shares = self.tilted(value)
        reached = float(self.values(shares[:, None])[0])  # the value, but for a walk that could not get there
        weights, size = np.rint(shares * SHARES).astype(np.int64), round(self.times.sum())

        def block(stream: Stream, replicates: int) -> Floats:
            drawn = multinomial(stream, size, weights, replicates).astype(np.float64)
            return (self.values(drawn) - reached) / self.errors(drawn)

        at_once = max(1, min(BLOCK, MOST_NUMBERS // weights.size))
        return np.concatenate(run_blocks(block, n, seed, STREAM, block=at_once))


class OfDecisions(Functional):
    """Of one decision for each item: the units are the joint outcomes (truth, a, b)."""

    def __init__(self, joint: JointCounts, measure: Measure, *, single: bool = False) -> None:
        self.measure, self.single = measure, single
        self.k, self.by_matrix = joint.k, joint.k == 2 or measure.needs_matrix
        outcomes = {key: float(count) for key, count in joint.outcomes.items() if count}
        extra = dict.fromkeys(outcomes, 0.0)  # by outcome
        # a mean over classes hangs on every class by itself; any other measure on all items together
        part = HALF if measure.in_parts else HALF * 2.0 / self.k
        for y, z in enumerate(_confused(outcomes, self.k)):
            for outcome in ((y, y, z), (y, z, y)):
                extra[outcome] = extra.get(outcome, 0.0) + part
        keys = sorted(extra)  # whatever the order of the items
        self.truth, self.a, self.b = np.array(keys, dtype=np.int64).T
        self.times = np.array([outcomes.get(key, 0.0) for key in keys])
        self.extra = np.array([extra[key] for key in keys])

    def _counts(self, weights: Floats, decision: Any) -> AnyCounts:
        if self.by_matrix:
            cells = _places(self.truth * self.k + decision, self.k * self.k) @ weights
            return ConfusionMatrix(cells.reshape(self.k, self.k, -1))
        right = np.where((decision == self.truth)[:, None], weights, 0.0)
        truths, predicted = _places(self.truth, self.k) @ weights, _places(decision, self.k) @ weights
        return ClassCounts(truths, predicted, _places(self.truth, self.k) @ right, weights.sum(axis=0))

    def values(self, weights: Floats) -> Floats:
        """Return b − a, or a."""
        found = self.measure.evaluate(self._counts(weights, self.a)).values
        return found if self.single else self.measure.evaluate(self._counts(weights, self.b)).values - found

    def influence(self, weights: Floats) -> Floats:
        """Return the derivative along each outcome, less its mean."""
        n = weights.sum(axis=0)
        found = self._slopes(weights, self.a)
        if not self.single:
            found = self._slopes(weights, self.b) - found
        found *= n
        return found - np.einsum("ur,ur->r", weights, found) / n

    def _slopes(self, weights: Floats, decision: Any) -> Floats:
        slopes = self.measure.derivative(self._counts(weights, decision))
        if isinstance(slopes, ConfusionMatrix):
            return slopes.cells[self.truth, decision]  # type: ignore[return-value]
        right = (decision == self.truth)[:, None]
        return slopes.truths[self.truth] + slopes.predicted[decision] + np.where(right, slopes.hits[self.truth], 0.0)


def _places(place: Any, size: int) -> Any:
    """Return the table that adds up what belongs to each place."""
    if place.size * size <= FEW_PLACES:
        return (np.arange(size)[:, None] == place).astype(np.float64)
    from scipy.sparse import csr_array

    return csr_array((np.ones(place.size), (place, np.arange(place.size))), shape=(size, place.size))


def _confused(outcomes: dict[tuple[int, int, int], float], k: int) -> list[int]:
    """Return what each class is most often taken for; the most frequent other class where it never is."""
    mistaken, sizes = np.zeros((k, k)), np.zeros(k)
    for (y, a, b), count in outcomes.items():
        sizes[y] += count
        mistaken[y, a] += count * (a != y)
        mistaken[y, b] += count * (b != y)
    others = np.where(np.eye(k, dtype=bool), -1.0, sizes)
    return [int(row.argmax() if row.any() else others[y].argmax()) for y, row in enumerate(mistaken)]


class OfUnits(Functional):
    """Of units that add whole numbers to features: documents with all their labels, or sums of counts."""

    def __init__(self, units: Units, measure: Measure, *, single: bool = False) -> None:
        from scipy.sparse import csr_array

        self.measure, self.single, self.read = measure, single, units.read
        rows, disagreeing = units.rows, units.disagreements
        assert disagreeing is not None
        k = disagreeing.size // 4
        part = HALF if measure.in_parts else HALF / k
        self.times = np.concatenate([rows.times, np.zeros(disagreeing.size)]).astype(np.float64)
        self.extra = np.concatenate([np.zeros(rows.size), np.full(disagreeing.size, part)])
        all_rows: Rows = rows.followed_by(disagreeing)
        shape = (all_rows.size, units.n_features)
        self.rows = csr_array((all_rows.values.astype(np.float64), all_rows.features, all_rows.starts), shape=shape)
        # what one of each feature adds to the counts of A and B: reading is linear but for a constant number of items
        self.unit_counts = [
            ClassCounts(*(part.astype(np.float64) for part in (c.truths, c.predicted, c.hits)), n=c.n)  # type: ignore[arg-type]
            for c in units.read(np.eye(units.n_features, dtype=np.int64))
        ]

    def _totals(self, weights: Floats) -> Floats:
        return np.asarray(self.rows.T @ weights)

    def values(self, weights: Floats) -> Floats:
        """Return b − a, or a."""
        a, b = self.read(self._totals(weights))  # type: ignore[arg-type]
        found = self.measure.evaluate(a).values
        return found if self.single else self.measure.evaluate(b).values - found

    def influence(self, weights: Floats) -> Floats:
        """Return the derivative along each unit, less its mean."""
        n = weights.sum(axis=0)
        slopes = [
            sum(getattr(one, name).T @ getattr(slope, name) for name in ("truths", "predicted", "hits"))
            for one, slope in zip(
                self.unit_counts,
                (self.measure.derivative(c) for c in self.read(self._totals(weights))),  # type: ignore[arg-type]
                strict=True,
            )
        ]
        found = np.asarray(self.rows @ (slopes[0] if self.single else slopes[1] - slopes[0])) * n
        return found - np.einsum("ur,ur->r", weights, found) / n


class OfScores(Functional):
    """Of scores: the units are items, and compiled loops scan them in each model's order.

    Parts of an item that A ranks first and B last, and the other way round, are added for either class: a quarter where
    the measure reads decisions at a threshold, a hundredth where it reads the whole ranking, in which such an item would
    weigh more than any real one.
    """

    def __init__(self, sample: ScoreSample, measure: Measure, *, single: bool = False, swapped: bool = False) -> None:
        from clearwin.numerics import kernels

        columns = sample.scores[:1] if single else sample.scores[:: -1 if swapped else 1]
        arranged = replace(sample, scores=columns).arranged
        truth = np.append(arranged.truth, [True, True, False, False])
        top = np.array([1.0, -1.0, -1.0, 1.0])
        rankings = []
        for scores, ends in zip(arranged.scores, (top, -top), strict=False):
            ranks = np.append(midranks(scores), np.where(ends > 0, scores.size + 1.0, 0.0))
            rankings.append(Ranking.of(ranks, truth))
        self.orders, self.positive, self.last = (
            np.stack([getattr(ranking, name) for ranking in rankings]) for name in ("order", "positive", "last")
        )
        self.times = np.append(np.ones(arranged.n), np.zeros(4))
        self.extra = np.append(
            np.zeros(arranged.n), np.full(4, HUNDREDTH if measure.scan in ("AUC", "AVERAGE_PRECISION") else QUARTER)
        )
        self.which = getattr(kernels, measure.scan)
        self.options = np.array(measure.scan_options(), dtype=np.float64)

    def _scanned(self, weights: Floats, extra: Floats) -> Any:
        from clearwin.numerics import influence_kernels

        return influence_kernels.studentise(
            self.which, self.options, weights, extra, self.orders, self.positive, self.last
        )

    def values(self, weights: Floats) -> Floats:
        """Return b − a, or a."""
        return np.array([self._scanned(column, 0.0 * self.extra)[0] for column in weights.T.copy()])

    def influence(self, weights: Floats) -> Floats:
        """Return every item's influence."""
        return np.stack([self._scanned(column, 0.0 * self.extra)[-1] for column in weights.T.copy()], axis=1)

    def statistics(self, value: float, n: int, seed: Seed) -> Floats:
        """Return t of test sets from a population with the value; one without items of a class says nothing: t = 0."""
        from clearwin.numerics import influence_kernels

        shares = self.tilted(value)
        reached = float(self.values(shares[:, None])[0])
        cumulated = np.cumsum(shares)
        cumulated[-1] = 1.0
        guide = np.searchsorted(cumulated, np.arange(cumulated.size) / cumulated.size, side="right")
        size = round(self.times.sum())

        def block(stream: Stream, replicates: int) -> Floats:
            states = stream.randint(0, 2**64, size=(replicates, 4), dtype=np.uint64)
            return np.asarray(
                influence_kernels.tilted_scans(
                    self.which,
                    self.options,
                    cumulated,
                    guide,
                    size,
                    states,
                    self.extra,
                    self.orders,
                    self.positive,
                    self.last,
                )
            )

        parts = run_blocks(block, n, seed, STREAM, block=REPLICATES_PER_BLOCK, releases_gil=True)
        values, errors = np.concatenate(parts, axis=1)
        return np.where(np.isnan(values), 0.0, (values - reached) / errors)


@singledispatch
def functional(sample: Sample, measure: Measure, *, single: bool = False, swapped: bool = False) -> Functional | None:
    """Return the difference b − a in the measure (or the value of A) as a function of the units' weights.

    ``swapped`` exchanges A and B. None where units are groups or strata are kept.
    """
    return None


@functional.register(CountSample)
def _of_counts(
    sample: CountSample, measure: Measure, *, single: bool = False, swapped: bool = False
) -> Functional | None:
    if isinstance(sample, DecisionSample) and sample.units is None:
        joint = sample.joint.swapped() if swapped else sample.joint
        return OfDecisions(joint, measure, single=single)
    units = sample.table(measure)
    if sample.sampling is not None or units.disagreements is None:
        return None
    return OfUnits(units.swapped() if swapped else units, measure, single=single)


@functional.register(ScoreSample)
def _of_scores(
    sample: ScoreSample, measure: Measure, *, single: bool = False, swapped: bool = False
) -> Functional | None:
    if sample.sampling is not None or sample.stratified:
        return None
    return OfScores(sample, measure, single=single, swapped=swapped)
