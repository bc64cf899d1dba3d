"""One derivative serves everything: a measure as a function of how often each unit is drawn.

A :class:`Functional` is the difference of two models, or the value of one, as a function of the units' weights. Its
*influence values* h say how fast it moves when a unit weighs more. From them alone come

* the standard error √(V/n), V = Σ p h², p being the units' shares;
* its degrees of freedom, 2 n V²/(Σ p h⁴ − V²): few units that decide much leave few of them (Satterthwaite 1946);
* the likeliest population that has any other value: p/(1 + λh), λ such that the value is reached. For counts that is
  the restricted fit of Lloyd (2008), for items Owen's empirical likelihood (1988).

A standard error is taken, and that population is looked for, with parts of units added (``extra``) on which only one
model is right. So nothing vanishes because some kind of disagreement happened not to occur.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, singledispatch
from typing import Any, cast

import numpy as np

from clearwin.counts import AnyCounts, ClassCounts, ConfusionMatrix, Counts, JointCounts
from clearwin.data.questions import Options, Question
from clearwin.data.samples import CountSample, Sample
from clearwin.data.scores import Ranking, ScoreSample
from clearwin.data.units import Units
from clearwin.data.values import ValueSample
from clearwin.measures import REGISTRY as MEASURES
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats
from clearwin.resampling.bootstrap import draw
from clearwin.resampling.of_values import standard_error
from clearwin.streams import Purpose, Seed, Stream, multinomial
from clearwin.workers import BLOCK, run_blocks

HALF, QUARTER, HUNDREDTH = 0.5, 0.25, 0.01  # parts of an item that are added for each way of disagreeing
FEW_PLACES = 2**10  # up to here a dense table adds up quicker than a sparse one
FEW_UNITS, MANY_EACH = 64, 16  # fewer units, or more draws for each, are drawn by binomials
MANY_CLASSES, FEWEST_EACH = 10, 10  # classes, and items of each on average, from which on less is added
LEAST_PART = 0.6  # of that half
SMALLEST = 1e-300  # of a variance
STEPS = 40  # towards the likeliest population; a handful is usual
NEAR = 1e-13  # of the range that λ can lie in
FURTHEST = 1.0  # a share grows or falls by at most this power of e in a step towards what is out of reach
MOST_HALVINGS = 12  # of such a step that leads away from the value
COUNTING = 1e-4  # of the largest influence value: an outcome with less does not count
CLOSE = 1e-6  # of the value's size, where the steps end
ROUGHLY = 0.01  # the same where only the spread of many such populations is asked for
LEAST_WEIGHT = 1e-9  # of all: a unit of less is as if it were not there
SHARES = 2**44  # shares become whole numbers to be drawn by


class Functional(ABC):
    """A number that depends on how often each distinct unit is drawn; weights have the shape (units, replicates).

    ``stepped`` ones jump where an item crosses a threshold; ``smooth`` ones have no jumps or kinks at all. For
    ``recentred`` ones the distribution of t does not depend on the value. Those that are ``bounded_by_sign_test`` know
    too little of disagreements that did not occur: their p-value is at least what swapping the units that differ could
    give. From ``enough_degrees`` on Student's t and what is drawn can hardly be told apart. ``work`` is how many units
    times replicates take a second or two, and ``numbers_at_once`` how many of them are held at a time.
    """

    times: Floats
    extra: Floats
    stepped = False
    smooth = True
    recentred = False
    bounded_by_sign_test = False
    enough_degrees = 1_000
    work = 5 * 10**8
    numbers_at_once = 2**21
    compiled = False
    close = CLOSE

    @abstractmethod
    def values(self, weights: Floats) -> Floats:
        """Return the number for every column of weights."""

    @abstractmethod
    def influence(self, weights: Floats) -> Floats:
        """Return how fast it moves with each unit's share, for every column of weights; weighted they sum to 0."""

    def undefined(self, weights: Floats) -> int:
        """Return in how many columns of weights the measure is 0/0 for a model, and has the value of the convention."""
        return 0

    @property
    def most_replicates(self) -> int:
        """How many test sets can be drawn in reasonable time."""
        return self.work // self.times.size

    @cached_property
    def observed(self) -> float:
        """The number as observed."""
        return float(self.values(self.times[:, None])[0])

    @property
    def error(self) -> float:
        """The standard error as observed."""
        return self._spread[0]

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom of the standard error."""
        return self._spread[1]

    @cached_property
    def _spread(self) -> tuple[float, float]:
        weights = self.times + self.extra
        return spread(self.influence(weights[:, None])[:, 0], weights)

    def errors(self, weights: Floats) -> Floats:
        """Return the standard error for every column of weights."""
        weights = weights + self.extra[:, None]
        n = weights.sum(axis=0)
        influence = self.influence(weights)
        return np.asarray(np.sqrt(np.maximum(np.einsum("ur,ur,ur->r", weights, influence, influence), SMALLEST)) / n)

    def tilted(self, value: float) -> Floats:
        """Return the units' shares in the likeliest population that has the value.

        Linearised where it stands, the value asks for a mean of the influence values; the likeliest shares with that
        mean are found, and so on. Where none have it, shares move in proportion to shares · h.
        """
        shares = self.start
        for _ in range(STEPS):
            if self._has(shares, value):
                break
            moved = self._moved(shares, value)
            if moved is None:
                break
            shares = moved
        return shares

    def tilted_closely(self, value: float) -> Floats:
        """Return the same, or where those steps end elsewhere, where steps end that must each come closer to the value.

        The measure of a ranking is not straight enough for whole steps: they can go to and fro for ever.
        """
        shares = self.tilted(value)
        if self._has(shares, value):
            return shares
        shares = self.start
        for _ in range(STEPS):
            moved = None if self._has(shares, value) else self._moved(shares, value)
            closer = None if moved is None else self._closer(shares, moved, value)
            if closer is None:
                break
            shares = closer
        return shares

    def _closer(self, shares: Floats, moved: Floats, value: float) -> Floats | None:
        """Return shares on the way to where a step leads that have come closer to the value; None if none have."""
        gap = abs(self._value(shares) - value)
        parts = (0.5**halvings for halvings in range(MOST_HALVINGS))
        ways = (shares + part * (moved - shares) for part in parts)
        return next((way for way in ways if abs(self._value(way) - value) < gap), None)

    @property
    def start(self) -> Floats:
        """The units' shares as observed, with the added parts of units."""
        return np.asarray((self.times + self.extra) / (self.times.sum() + self.extra.sum()))

    def _moved(self, shares: Floats, value: float) -> Floats | None:
        """Return the shares after a step towards the value; None where nothing moves it."""
        gap = self._value(shares) - value
        influence = self.influence(shares[:, None])[:, 0]
        if not influence.any():
            return None
        likeliest = _with_mean(self.start, influence, -gap)
        if likeliest is None:
            by = gap / max(float((shares * influence**2).sum()), SMALLEST)
            influence = np.where(shares > 0.0, influence, 0.0)  # what has no share may lie beyond any bound
            largest = abs(by) * float(np.abs(influence).max())
            likeliest = shares * np.exp(-min(1.0, FURTHEST / largest) * by * influence)
        return np.asarray(likeliest / likeliest.sum())

    def _value(self, shares: Floats) -> float:
        return float(self.values(shares[:, None])[0])

    def _has(self, shares: Floats, value: float) -> bool:
        return self._is_there(self._value(shares) - value, value)

    def _is_there(self, gap: float, value: float) -> bool:
        return abs(gap) <= self.close * max(abs(value), self.error)

    def measured(self, drawn: Floats) -> tuple[Floats, Floats, int]:
        """Return value and standard error for every column of weights, and how often the measure was 0/0."""
        return self.values(drawn), self.errors(drawn), self.undefined(drawn)

    def statistics(self, value: float, n: int, seed: Seed) -> tuple[Floats, int]:
        """Return t = (value of a test set − value)/standard error of n test sets, and in how many the measure was 0/0.

        They are drawn from the likeliest population that has the value. One without items of a class says nothing
        of a ranking: t = 0.
        """
        shares = self.tilted(value)
        reached = self.reached(shares, value)
        values, errors, undefined = self.test_sets(shares, round(self.times.sum()), n, seed)
        return np.where(np.isnan(values), 0.0, (values - reached) / errors), undefined

    def reached(self, shares: Floats, value: float) -> float:
        """Return the value of a population that was looked for: what was asked for, or else how far it went."""
        observed = float(self.values(shares[:, None])[0])
        # to the last bit, so that ties stay ties
        return value if self._is_there(observed - value, value) else observed

    def test_sets(self, shares: Floats, size: int, n: int, seed: Seed) -> tuple[Floats, Floats, int]:
        """Draw n test sets of ``size`` units by their shares; return values, errors, and how often it was 0/0."""
        draws = _draws(shares, size)

        def block(stream: Stream, replicates: int) -> tuple[Floats, Floats, int]:
            return self.measured(draws(stream, replicates))

        at_once = max(1, min(BLOCK, self.numbers_at_once // shares.size))
        parts = run_blocks(block, n, seed, Purpose.FUNCTIONALS, block=at_once, releases_gil=self.compiled)
        values, errors, undefined = zip(*parts, strict=True)
        return np.concatenate(values), np.concatenate(errors), sum(undefined)

    def redrawn(self, stream: Stream) -> Functional:
        """Return the same of units whose weights are as uncertain as their numbers leave them.

        They are drawn from a Dirichlet distribution: the Bayesian bootstrap (Rubin 1981) with the added parts of units.
        """
        other = copy(self)
        for known in ("observed", "_spread"):
            other.__dict__.pop(known, None)
        other.close = ROUGHLY
        weights = self.times + self.extra
        drawn = stream.standard_gamma(weights, size=weights.shape)
        drawn[drawn < LEAST_WEIGHT * drawn.sum()] = 0.0
        other.times, other.extra = drawn * (weights.sum() / drawn.sum()), np.zeros_like(weights)
        return other


def _draws(shares: Floats, size: int) -> Callable[[Stream, int], Floats]:
    """Return what draws ``size`` units by their shares: how often each came (rows), for every replicate (columns)."""
    if shares.size <= FEW_UNITS or size > MANY_EACH * shares.size:
        weights = np.rint(shares * SHARES).astype(np.int64)
        return lambda stream, replicates: multinomial(stream, size, weights, replicates).astype(np.float64)
    from clearwin.numerics import influence_kernels

    kept, goes_to = influence_kernels.aliases(shares)

    def one_by_one(stream: Stream, replicates: int) -> Floats:
        states = stream.randint(0, 2**64, size=(replicates, 4), dtype=np.uint64)
        return np.asarray(influence_kernels.drawn_weights(kept, goes_to, size, states)).T

    return one_by_one


def _with_mean(shares: Floats, numbers: Floats, mean: float) -> Floats | None:
    """Return the likeliest shares of numbers that have the mean: shares/(1 + λ(number − mean)); None if none have it.

    Σ (number − mean) · share falls with λ from end to end of where all shares are positive: Newton's steps find its 0,
    and halving where they leave that range.
    """
    gaps = (numbers - mean)[shares > 0]
    if not gaps.min() < 0.0 < gaps.max():
        return None
    low, high, at = -1.0 / gaps.max(), -1.0 / gaps.min(), 0.0
    weights, close = shares[shares > 0], NEAR * (high - low)
    for _ in range(STEPS):
        moved = gaps / (1.0 + at * gaps)
        left = float(weights @ moved)
        low, high = (at, high) if left > 0.0 else (low, at)
        step = left / float(weights @ moved**2)
        if abs(step) <= close:
            break
        at = at + step if low < at + step < high else (low + high) / 2.0
    tilted = np.zeros_like(shares)
    tilted[shares > 0] = weights / (1.0 + at * gaps)
    return tilted


def spread(influence: Floats, weights: Floats) -> tuple[float, float]:
    """Return the standard error of what has these influence values, and its degrees of freedom."""
    n = float(weights.sum())
    squares = influence**2
    variance = max(float(weights @ squares) / n, SMALLEST)
    fourth = float(weights @ squares**2) / n
    degrees = 2.0 * n * variance**2 / max(fourth - variance**2, SMALLEST)
    return float(np.sqrt(variance / n)), max(degrees, 1.0)


class OfDecisions(Functional):
    """For one decision for each item: the units are the joint outcomes (truth, a, b).

    Half an item that only A has right and half an item that only B has right are added: for each class where the
    measure is a mean over classes, which hangs on every class by itself, and else for two classes in all. For each of
    many classes it is less, unless their items are few.
    """

    def __init__(self, joint: JointCounts, measure: Measure, *, single: bool, weight: float) -> None:
        self.measure, self.single, self.weight, self.k = measure, single, weight, joint.k
        self.by_matrix = joint.k == 2 or measure.needs_matrix
        outcomes = {key: count for key, count in joint.outcomes.items() if count}
        extra: dict[tuple[int, int, int], float] = dict.fromkeys(outcomes, 0.0)
        part = _added_part(self.k, sum(outcomes.values())) if measure.in_parts else HALF * 2.0 / max(self.k, 2)
        truth, *decisions = np.array(list(outcomes), dtype=np.int64).T
        confused = most_confused(truth, decisions, np.array(list(outcomes.values())), self.k)
        for y, z in enumerate(confused.tolist()):
            for outcome in ((y, y, z), (y, z, y)):
                extra[outcome] = extra.get(outcome, 0.0) + part
        keys = sorted(extra)  # whatever the order of the items
        self._place = {key: place for place, key in enumerate(keys)}
        self.truth, self.a, self.b = np.array(keys, dtype=np.int64).T
        self.times = np.array([float(outcomes.get(key, 0)) for key in keys])
        self.extra = np.array([extra[key] for key in keys])

    def places(self, joint: JointCounts) -> Counts:
        """Return where each outcome of the joint counts stands; that of one without items does not matter."""
        return np.array([self._place.get(key, 0) for key in joint.outcomes], dtype=np.int64)

    def _counts(self, weights: Floats, decision: Counts) -> AnyCounts:
        if self.by_matrix:
            cells = _places(self.truth * self.k + decision, self.k * self.k) @ weights
            return ConfusionMatrix(cells.reshape(self.k, self.k, -1))
        right = np.where((decision == self.truth)[:, None], weights, 0.0)
        of_truth, of_decision = _places(self.truth, self.k), _places(decision, self.k)
        return ClassCounts(of_truth @ weights, of_decision @ weights, of_truth @ right, cast(Any, weights.sum(axis=0)))

    def values(self, weights: Floats) -> Floats:
        """Return b − weight · a, or a."""
        of_a = self.measure.evaluate(self._counts(weights, self.a)).values
        if self.single:
            return of_a
        return np.asarray(self.measure.evaluate(self._counts(weights, self.b)).values - self.weight * of_a)

    def undefined(self, weights: Floats) -> int:
        """Return in how many columns the measure is 0/0 for either model."""
        models = (self.a,) if self.single else (self.a, self.b)
        undefined_in = [self.measure.evaluate(self._counts(weights, decision)).undefined for decision in models]
        return int(np.logical_or.reduce(undefined_in).sum())

    def influence(self, weights: Floats) -> Floats:
        """Return the derivative along each outcome, less its mean."""
        of_a = self._slopes(weights, self.a)
        return centred(of_a if self.single else self._slopes(weights, self.b) - self.weight * of_a, weights)

    @property
    def counting(self) -> list[Floats]:
        """Which outcomes count for each model's value (1) and which do not (0): for a precision what it predicts."""
        weights, counted = self.times[:, None], []
        for decision in (self.a,) if self.single else (self.a, self.b):
            moved = np.abs(centred(self._slopes(weights, decision), weights)[:, 0])
            counted.append((moved > COUNTING * moved.max()).astype(np.float64))
        return counted

    def _slopes(self, weights: Floats, decision: Counts) -> Floats:
        slopes = self.measure.derivative(self._counts(weights, decision))
        if isinstance(slopes, ConfusionMatrix):
            return np.asarray(slopes.cells[self.truth, decision], dtype=np.float64)
        hits = np.where((decision == self.truth)[:, None], slopes.hits[self.truth], 0.0)
        return np.asarray(slopes.truths[self.truth] + slopes.predicted[decision] + hits)


def _added_part(k: int, items: int) -> float:
    """Return how much of an item is added for each of k classes, each way round.

    Halves of 50 classes would be a tenth of 500 items.
    """
    if items < FEWEST_EACH * k:
        return HALF
    return HALF * max(min(MANY_CLASSES / k, 1.0), LEAST_PART)


def centred(slopes: Floats, weights: Floats) -> Floats:
    """Turn slopes along each unit's weight into influence values: those of its share, less their mean."""
    n = weights.sum(axis=0)
    slopes = slopes * n
    return np.asarray(slopes - np.einsum("ur,ur->r", weights, slopes) / n)


def _places(place: Counts, size: int) -> Any:
    """Return the table that adds up what belongs to each place."""
    if place.size * size <= FEW_PLACES:
        return (np.arange(size)[:, None] == place).astype(np.float64)
    from scipy.sparse import csr_array

    return csr_array((np.ones(place.size), (place, np.arange(place.size))), shape=(size, place.size))


def most_confused(truth: Counts, decisions: Sequence[Counts], items: Floats | Counts, k: int) -> Counts:
    """Return what each class is most often taken for by all models; the largest other class where it never is.

    >>> a, b = np.array([0, 2, 1, 2]), np.array([2, 1, 1, 2])
    >>> most_confused(np.array([0, 0, 1, 2]), [a, b], np.array([1, 1, 4, 5]), 3)
    array([2, 2, 1])
    """
    mistaken = np.zeros((k, k))
    for said in decisions:
        np.add.at(mistaken, (truth, said), items)
    sizes = mistaken.sum(axis=1)
    np.fill_diagonal(mistaken, 0.0)
    others = np.where(np.eye(k, dtype=np.bool_), -1.0, sizes)
    return np.asarray(np.where(mistaken.any(axis=1), mistaken.argmax(axis=1), others.argmax(axis=1)))


class OfUnits(Functional):
    """For units that add whole numbers to features: documents with all their labels, or sums of counts.

    For each label half a unit is added that only A finds, only B finds, only A and only B gives in vain; where the
    measure is not a mean over labels, for one label in all. Every document is one item, so that their number is fixed.
    """

    work = 5 * 10**6
    numbers_at_once = 2**18
    compiled = True

    def __init__(self, units: Units, measure: Measure, *, single: bool, weight: float) -> None:
        from scipy.sparse import csr_array, eye_array

        assert units.disagreements is not None
        self.measure, self.single, self.weight, self.read = measure, single, weight, units.read
        rows, added = units.rows.followed_by(units.disagreements), units.disagreements.size
        self.times = rows.times.astype(np.float64)
        self.times[-added:] = 0.0
        self.extra = np.zeros_like(self.times)
        self.extra[-added:] = HALF if measure.in_parts else HALF * 4.0 / added
        entries = (rows.values.astype(np.float64), rows.features, rows.starts)
        self.rows = csr_array(entries, shape=(rows.size, units.n_features))
        # what one of each feature adds to the counts of A and B: a few numbers, where a dense table has labels²
        self.each = units.read(cast(Any, eye_array(units.n_features, dtype=np.int64, format="csr")))

    def values(self, weights: Floats) -> Floats:
        """Return b − weight · a, or a."""
        return self._values(self.rows.T @ weights)

    def _values(self, totals: Any) -> Floats:
        a, b = self.read(totals)
        of_a = self.measure.evaluate(a).values
        return of_a if self.single else np.asarray(self.measure.evaluate(b).values - self.weight * of_a)

    def influence(self, weights: Floats) -> Floats:
        """Return the derivative along each unit, less its mean."""
        return centred(np.asarray(self.rows @ self._slopes(self.rows.T @ weights)), weights)

    def _slopes(self, totals: Any) -> Floats:
        """Return the derivative along each feature."""
        slopes = []
        for each, counts in zip(self.each, self.read(totals), strict=True):
            slope = self.measure.derivative(counts)
            assert isinstance(each, ClassCounts)
            assert isinstance(slope, ClassCounts)
            slopes.append(each.truths.T @ slope.truths + each.predicted.T @ slope.predicted + each.hits.T @ slope.hits)
        return np.asarray(slopes[0] if self.single else slopes[1] - self.weight * slopes[0])

    def measured(self, drawn: Floats) -> tuple[Floats, Floats, int]:
        """Return value and standard error for every column of weights, and how often the measure was 0/0."""
        from clearwin.numerics import influence_kernels

        rows, weights = self.rows, np.ascontiguousarray(drawn.T)
        table = (rows.indptr, rows.indices, rows.data)
        totals = np.asarray(influence_kernels.unit_totals(weights, *table, rows.shape[1])).T
        added = np.asarray(rows.T @ self.extra)
        slopes = self._slopes(totals + added[:, None])
        errors = influence_kernels.unit_errors(weights, self.extra, *table, np.ascontiguousarray(slopes.T))
        undefined = [self.measure.evaluate(counts).undefined for counts in self.read(cast(Any, totals))]
        either = np.logical_or.reduce(undefined[:1] if self.single else undefined)
        return self._values(totals), np.asarray(errors), int(either.sum())


ADDED = np.array([True, True, False, False])  # the classes of the items that are added to a ranking


def _with_ends(ranking: Ranking, first: list[int], last: list[int]) -> Ranking:
    """Return the ranking with two of the added items, which have one score, before all others, and two behind them."""
    n, tied = ranking.order.size, [False, True]
    order = np.concatenate([np.add(first, n), ranking.order, np.add(last, n)]).astype(np.int32)
    positive = np.concatenate([ADDED[first], ranking.positive, ADDED[last]]).astype(np.uint8)
    return Ranking(order, positive, np.concatenate([tied, ranking.last, tied]))


def _runs(ranking: Ranking, alike: tuple[bool, ...]) -> Counts:
    """Number the items by falling score so that those of one class in a row have one number, where it is ``alike``.

    Items of equal score have one number in any case.
    """
    group = np.append(0, np.cumsum(ranking.last)[:-1])
    positives, sizes = np.bincount(group, ranking.positive), np.bincount(group)
    holds = np.where(positives == sizes, 1, np.where(positives == 0, 0, -1))  # which class alone, or both
    goes_on = (holds[1:] == holds[:-1]) & np.isin(holds[1:], alike)
    run_of_item = np.empty(group.size, dtype=np.int64)
    run_of_item[ranking.order] = np.append(0, np.cumsum(~goes_on))[group]
    return run_of_item


class OfScores(Functional):
    """For scores: compiled loops scan the items in each model's order.

    Items of a class between which neither model ranks one of the other class are one unit, because exchanging them
    changes nothing. So few positives leave few units, however many negatives there are.

    Parts of an item that A ranks first and B last, and the other way round, are added for either class: a quarter where
    the measure reads decisions at a threshold, a hundredth where it reads the whole ranking, in which such an item
    would weigh more than any real one.
    """

    bounded_by_sign_test = True
    enough_degrees = 200
    work = 10**7
    numbers_at_once = 2**16
    compiled = True

    def __init__(
        self,
        sample: ScoreSample,
        measure: Measure,
        *,
        single: bool,
        swapped: bool = False,
        weight: float,
    ) -> None:
        from clearwin.numerics import kernels

        self.measure = measure
        columns = sample.rankings[:1] if single else sample.rankings[:: -1 if swapped else 1]
        truth = np.append(sample.truth, ADDED)
        ends = ([0, 3], [1, 2])  # of the added items, those that A ranks first and those that it ranks last
        # each positive has a precision of its own, so positives in a row are not alike to the average precision
        alike = (False,) if measure.mean_over_positives else (False, True)
        runs = [
            _runs(_with_ends(ranking, first, last), alike)
            for ranking, (first, last) in zip(columns, (ends, ends[::-1]), strict=False)
        ]
        keys = runs[0] * (runs[-1].max() + 1) + runs[-1]
        _, items, unit = np.unique(2 * keys + truth, return_index=True, return_inverse=True)
        rankings = [Ranking.of(-run[items].astype(np.float64), truth[items]) for run in runs]
        self.orders, self.positive, self.last = (
            np.stack([getattr(ranking, name) for ranking in rankings]) for name in ("order", "positive", "last")
        )
        self.stepped = measure.at_one_threshold
        self.smooth = measure.is_area
        self.unit_of_item, self.unit_of_added = unit[:-4], unit[-4:]
        self.times = np.bincount(self.unit_of_item, minlength=items.size).astype(np.float64)
        part = np.full(4, HUNDREDTH if measure.whole_ranking else QUARTER)
        self.extra = np.asarray(np.bincount(unit[-4:], part, minlength=items.size), dtype=np.float64)
        self.signs = np.array([1.0] if single else [-weight, 1.0])
        self.which = getattr(kernels, measure.scan)
        self.options = np.array(measure.scan_options(), dtype=np.float64)

    def _scanned(self, weights: Floats) -> tuple[float, Floats]:
        from clearwin.numerics import influence_kernels

        value_and_influence = influence_kernels.value_and_influence(
            self.which, self.options, np.ascontiguousarray(weights), self.orders, self.positive, self.last, self.signs
        )
        return float(value_and_influence[0]), np.asarray(value_and_influence[1])

    def values(self, weights: Floats) -> Floats:
        """Return b − weight · a, or a."""
        return np.array([self._scanned(column)[0] for column in weights.T])

    def influence(self, weights: Floats) -> Floats:
        """Return every unit's influence."""
        return np.stack([self._scanned(column)[1] for column in weights.T], axis=1)

    def measured(self, drawn: Floats) -> tuple[Floats, Floats, int]:
        """Return value and standard error for every column of weights, and how many lack a class: they have nan."""
        from clearwin.numerics import influence_kernels

        weights = np.ascontiguousarray(drawn.T)
        scanned = (self.extra, self.orders, self.positive, self.last, self.signs)
        values, errors = np.asarray(influence_kernels.weighted_scans(self.which, self.options, weights, *scanned))
        return values, errors, int(np.isnan(values).sum())


class OfValues(Functional):
    """For a mean or a sum of per-item values: it moves with every value as the value itself, so nothing is tilted.

    t* = (d* − d)/se* of test sets like this one, whatever the true mean (the bootstrap-t; Efron 1981).
    """

    recentred = bounded_by_sign_test = True

    def __init__(self, sample: ValueSample, measure: Measure, *, single: bool = False, swapped: bool = False) -> None:
        # one way round whoever is A, and about 1 in size: t knows neither, and squares stay in a float's range
        flipped = not single and sample.difference(measure) < 0.0
        values = sample.values[:1] if single else sample.values[[-1, 0]] if flipped else sample.values[[0, -1]]
        self.sign = 1.0 if flipped == swapped or single else -1.0
        self.scale = 2.0 ** -np.frexp(np.abs(values).max())[1]
        self.question = Question(replace(sample, values=values * self.scale), measure)
        units = self.question.sample.units
        self.numbers = self.question.sample.factor(measure) * (units.a if single else units.differences)
        self.times, self.extra = np.ones(units.counts.size), np.zeros(units.counts.size)

    def values(self, weights: Floats) -> Floats:
        """Return the weighted mean."""
        return np.asarray(self.sign / self.scale * (self.numbers @ weights) / weights.sum(axis=0))

    def influence(self, weights: Floats) -> Floats:
        """Return the values about their mean."""
        return np.asarray(self.sign / self.scale * self.numbers[:, None] - self.values(weights))

    @cached_property
    def _own(self) -> float:
        single = self.question.sample.single
        return float(self.question.estimates[0] if single else self.question.difference)

    @cached_property
    def observed(self) -> float:
        """The mean as observed, of differences where there are two models."""
        return float(self.sign / self.scale * self._own)

    @cached_property
    def _spread(self) -> tuple[float, float]:
        error = standard_error(self.question) / self.scale
        degrees = spread(self._gaps, self.times)[1]
        return error, min(degrees, self.times.size - 1.0)

    @property
    def _gaps(self) -> Floats:
        """The values about their mean, the furthest at ±1: their third and fourth powers stay in a float's range."""
        gaps = self.numbers - self.numbers.mean()
        furthest = float(np.abs(gaps).max())
        return np.asarray(gaps / furthest) if furthest else gaps

    @cached_property
    def skewness(self) -> float:
        """The skewness of the mean: that of the values over √n."""
        gaps = self._gaps
        variance = float((gaps**2).mean())
        return float(abs((gaps**3).mean()) / max(variance, SMALLEST) ** 1.5 / np.sqrt(gaps.size))

    def statistics(self, value: float, n: int, seed: Seed) -> tuple[Floats, int]:
        """Return t of test sets like this one, about the observed mean, which is never 0/0."""
        options = Options(interval="studentised", n_resamples=n, seed=seed)
        drawn = draw(replace(self.question, options=options))
        values = drawn.a if self.question.sample.single else drawn.differences
        assert drawn.errors is not None
        gaps = values - self._own
        gaps[np.abs(gaps) <= 1e-12 * max(float(np.abs(values).max()), abs(self._own))] = 0.0
        flat = drawn.errors == 0.0  # units that all say the same: infinitely far out, unless they say just this
        studentised = gaps / np.where(flat, 1.0, drawn.errors)
        studentised[flat] = np.copysign(np.inf, gaps[flat])
        studentised[gaps == 0.0] = 0.0
        return np.asarray(self.sign * studentised), 0


class OfSteps(OfDecisions):
    """For a mean of values that are 0 or 1, or that differ by 1 or not at all: counts, as for the accuracy.

    A sum is that of as many items as there are.
    """

    def __init__(self, sample: ValueSample, measure: Measure, *, single: bool, swapped: bool, weight: float) -> None:
        joint = sample.right_and_wrong
        self.factor = sample.factor(measure)
        super().__init__(joint.swapped() if swapped else joint, MEASURES["accuracy"], single=single, weight=weight)

    def values(self, weights: Floats) -> Floats:
        """Return b − weight · a, or a."""
        return np.asarray(self.factor * super().values(weights))

    def influence(self, weights: Floats) -> Floats:
        """Return the derivative along each outcome, less its mean."""
        return np.asarray(self.factor * super().influence(weights))


class OfEqualValues(Functional):
    """For a mean of values on which two models never differ.

    As of decisions, an item that only A has better and an item that only B has better are added, by the range of the
    values. So a mean of 0 and 1 has the interval of the accuracy.
    """

    bounded_by_sign_test = True

    def __init__(self, sample: ValueSample, measure: Measure, *, weight: float = 1.0) -> None:
        apart = sample.step * np.array([-1.0, 0.0, 1.0])
        self.times, self.extra = np.array([0.0, float(sample.n), 0.0]), np.array([1.0, 0.0, 1.0])
        if weight != 1.0:  # what is left of each value
            left = (1.0 - weight) * sample.a
            apart = np.concatenate([apart + left.mean(), left])
            self.times = np.concatenate([np.zeros(3), np.ones(sample.n)])
            self.extra = np.concatenate([self.extra, np.zeros(sample.n)])
        self.numbers = sample.factor(measure) * apart

    def values(self, weights: Floats) -> Floats:
        """Return the mean of b − weight · a."""
        return np.asarray(self.numbers @ weights / weights.sum(axis=0))

    def influence(self, weights: Floats) -> Floats:
        """Return the differences about their mean."""
        return np.asarray(self.numbers[:, None] - self.values(weights))


@singledispatch
def functional(
    sample: Sample, measure: Measure, *, single: bool = False, swapped: bool = False, weight: float = 1.0
) -> Functional | None:
    """Return b − weight · a in the measure, or the value of A, as a function of the units' weights.

    With a weight of 1 it is the difference; ``swapped`` exchanges A and B. None where whole groups are drawn or strata
    kept, and where nothing is known to vary.
    """
    return None


@functional.register(CountSample)
def _of_counts(
    sample: CountSample, measure: Measure, *, single: bool = False, swapped: bool = False, weight: float = 1.0
) -> Functional | None:
    joint = sample.joint_outcomes
    if is_designed(sample) or not has_functional(sample, measure):
        return None
    if joint is not None and (sample.units is None or sample.units.disagreements is None):
        return OfDecisions(joint.swapped() if swapped else joint, measure, single=single, weight=weight)
    units = sample.table(measure)
    return OfUnits(units.swapped() if swapped else units, measure, single=single, weight=weight)


@functional.register(ScoreSample)
def _of_scores(
    sample: ScoreSample, measure: Measure, *, single: bool = False, swapped: bool = False, weight: float = 1.0
) -> Functional | None:
    if is_designed(sample) or not has_functional(sample, measure):
        return None
    return OfScores(sample, measure, single=single, swapped=swapped, weight=weight)


@functional.register(ValueSample)
def _of_values(
    sample: ValueSample, measure: Measure, *, single: bool = False, swapped: bool = False, weight: float = 1.0
) -> Functional | None:
    if is_designed(sample) or not has_functional(sample, measure):
        return None
    if sample.are_decisions or (sample.differ_by_one and not single and weight == 1.0 and not never_differ(sample)):
        return OfSteps(sample, measure, single=single, swapped=swapped, weight=weight)
    if not single and never_differ(sample):
        return OfEqualValues(sample, measure, weight=weight)
    weighted = weighed(sample, weight)
    if not single and never_differ(weighted):
        return OfEqualValues(weighted, measure)
    return OfValues(weighted, measure, single=single, swapped=swapped)


def weighed(sample: ValueSample, weight: float) -> ValueSample:
    """Return the sample with A's values multiplied: its difference is then b − weight · a."""
    if weight == 1.0:
        return sample
    return replace(sample, values=np.stack([weight * sample.a, sample.b]))


def never_differ(sample: ValueSample) -> bool:
    """Whether two models have the same value on every item."""
    return not sample.single and not sample.differences.any()


def is_designed(sample: Sample) -> bool:
    """Whether whole groups are drawn, strata kept, or items in time order."""
    sampling = sample.sampling
    return sampling is not None and (sampling.unit in ("group", "time point") or bool(sampling.strata))


def is_in_order(sample: Sample) -> bool:
    """Whether items came in an order that counts."""
    return sample.sampling is not None and sample.sampling.unit == "time point"


def has_functional(sample: Sample, measure: Measure) -> bool:
    """Whether the measure moves with each single item, and they, or the groups that they make, are known to vary."""
    return _varies(sample, measure)


@singledispatch
def _varies(sample: Sample, measure: Measure) -> bool:
    return False


@_varies.register(CountSample)
def _counts_vary(sample: CountSample, measure: Measure) -> bool:
    if sample.joint_outcomes is not None and (sample.units is None or sample.units.disagreements is None):
        return _is_formula_on_shares(sample, measure)
    return sample.table(measure).disagreements is not None and not measure.needs_matrix


def _is_formula_on_shares(sample: CountSample, measure: Measure) -> bool:
    """Whether half as many items of each kind have the same value; a user's own function may need whole items."""
    counts = sample.counts(measure)[0]
    half: AnyCounts
    if isinstance(counts, ConfusionMatrix):
        half = ConfusionMatrix(cast(Any, counts.cells / 2))
    else:
        parts = (cast(Any, part / 2) for part in (counts.truths, counts.predicted, counts.hits, counts.n))
        half = ClassCounts(*parts)
    try:
        return bool(np.allclose(measure.evaluate(half).values, measure.evaluate(counts).values, rtol=1e-9, atol=1e-12))
    except (TypeError, ValueError):
        return False


@_varies.register(ScoreSample)
def _scores_vary(sample: ScoreSample, measure: Measure) -> bool:
    by_class = sample.groups_of_classes  # a class in one group does not show how much its groups vary
    return 0 < sample.positives < sample.n and (by_class is None or by_class[0] > 1)


@_varies.register(ValueSample)
def _values_vary(sample: ValueSample, measure: Measure) -> bool:
    if not measure.is_mean or sample.n < 2:
        return False
    if sample.are_decisions:
        return True
    if not sample.values.any():
        return False
    if never_differ(sample):
        return True
    own = sample.ungrouped() if is_in_order(sample) else sample
    return OfValues(own, measure, single=sample.single).error > 0.0
