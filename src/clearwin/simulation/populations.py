"""A large labelled set as a population from which test sets are drawn, each with the question asked of the whole.

Sets are drawn with replacement, as in keller2004 section 5, so the large set's own values are exactly the truth. Counts
are the currency: for decisions and label sets, a set is how often each distinct unit was drawn. For scores and values,
items are drawn. Groups are drawn whole, from urns with whole-number weights.

A population can be recentred: one like it in which the difference is 0, although the models are not exchangeable. Units
are reweighted as little as necessary: w ∝ exp(λ · influence), the exponential tilting that moves a mean with the
smallest Kullback-Leibler divergence (Efron 1981, Canadian Journal of Statistics 9). λ is found by bisection on the
measure itself, so nonlinear measures are also matched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.data.clusters import Grouping
from clearwin.data.questions import Question
from clearwin.data.samples import CountSample, ItemSample, Sample
from clearwin.data.scores import ScoreSample, midranks
from clearwin.data.units import Rows, Units
from clearwin.errors import OptionError, UndefinedError, setting
from clearwin.numerics.arrays import Floats
from clearwin.resampling.bootstrap import left_out
from clearwin.streams import Seed, Stream, multinomial

ONE_BY_ONE = 2_000  # units; up to here drawing one by one is as quick as drawing by kinds


@dataclass(frozen=True, eq=False)
class Urn:
    """Kinds of units and how many there are of each; with ``strata``, every set keeps their shares.

    >>> import numpy as np
    >>> urn = Urn(np.array([90, 10]), np.array([0, 1]))
    >>> [x.tolist() for x in urn.draw(Stream(np.random.PCG64(1)), 20)]
    [[0, 1], [18, 2]]
    """

    weights: Counts
    strata: Counts | None = None

    @cached_property
    def total(self) -> int:
        """All units."""
        return int(self.weights.sum())

    @cached_property
    def _parts(self) -> list[tuple[Counts, Counts]]:
        """The kinds of each stratum, and where the units of each end when they are counted through."""
        occupied = np.flatnonzero(self.weights)
        if self.strata is None:
            return [(occupied, np.cumsum(self.weights[occupied]))]
        parts = [occupied[self.strata[occupied] == stratum] for stratum in np.unique(self.strata[occupied])]
        return [(kinds, np.cumsum(self.weights[kinds])) for kinds in parts]

    def draw(self, stream: Stream, n: int) -> tuple[Counts, Counts]:
        """Draw ``n`` units with replacement: the kinds that were drawn, and how often each."""
        sizes = [n] if self.strata is None else self.shares(stream, n)
        drawn = [_draw(stream, kinds, ends, size) for (kinds, ends), size in zip(self._parts, sizes, strict=True)]
        if len(drawn) == 1:
            return drawn[0]
        kinds, times = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
        return kinds, times

    def shares(self, stream: Stream, n: int) -> list[int]:
        """Divide ``n`` units over the strata: each gets its share, rounded down or up so that the average is right.

        If leftover units always went to the same strata, the sets would not be like the whole: one random start rounds
        all the running totals (systematic sampling, Madow 1949).
        """
        through = np.cumsum([int(ends[-1]) for _, ends in self._parts])
        start = int(stream.randint(0, int(through[-1]), dtype=np.int64))
        passed = [(n * int(end) + start) // int(through[-1]) for end in through]
        return [int(size) for size in np.diff(passed, prepend=0)]


def _draw(stream: Stream, kinds: Counts, ends: Counts, n: int) -> tuple[Counts, Counts]:
    """Draw from one stratum: a multinomial over few kinds, or unit by unit among many. Both are exact."""
    if n > ONE_BY_ONE and kinds.size <= n // 8:
        times = multinomial(stream, n, np.diff(ends, prepend=0), 1)[:, 0]
    else:
        places = np.searchsorted(ends, stream.randint(0, ends[-1], size=n, dtype=np.int64), side="right")
        times = np.bincount(places, minlength=kinds.size)
    drawn = np.flatnonzero(times)
    return kinds[drawn], times[drawn]


COUNT_WEIGHTS = 10**9  # what the weights of a reweighted population add up to: products of two still fit 64 bits
ITEM_WEIGHT = 256  # the mean weight of a reweighted item, which the compiled scans take as 16 bits


def units_of(items: int, items_per_unit: float) -> int:
    """Return the number of units that hold about ``items`` items; at least two if units are groups.

    >>> units_of(100, 1.0), units_of(100, 5.0), units_of(100, 200.0)
    (100, 20, 2)
    """
    units = round(items / items_per_unit)
    return units if items_per_unit == 1.0 else max(2, units)


class Population:
    """What all populations share; ``question`` is about the whole, with the settings for every set."""

    question: Any
    urn: Urn

    @property
    def items_per_unit(self) -> float:
        """The mean number of items in a unit: 1 unless groups are drawn."""
        raise AttributeError

    @property
    def difference(self) -> float:
        """The true difference: that in the whole population, weighted as it is drawn."""
        raise AttributeError

    @property
    def influence(self) -> Floats:
        """How much each kind of unit moves the difference, up to a factor."""
        raise AttributeError

    @property
    def heaviest(self) -> tuple[float, int]:
        """The mean weight of a reweighted unit, and the largest possible one."""
        raise AttributeError

    def ask(self, kinds: Counts, times: Counts, seed: Seed, coins: Stream | None = None) -> Question[Any]:
        """Ask about a drawn set; with ``coins`` A and B are swapped on every unit by a fair coin."""
        raise AttributeError

    def reweighted(self, weights: Counts) -> Population:
        """Return the population with other weights of its units."""
        return replace(self, urn=replace(self.urn, weights=weights))  # type: ignore[type-var]

    def units_of(self, items: int) -> int:
        """Return the number of units in a set of this many items."""
        return units_of(items, self.items_per_unit)


@dataclass(frozen=True, eq=False)
class CountPopulation(Population):
    """Decisions, label sets or sums: distinct units with their features."""

    question: Question[CountSample]
    urn: Urn

    @cached_property
    def units(self) -> Units:
        """The distinct units."""
        return self.question.sample.table(self.question.measure)

    @cached_property
    def _both(self) -> Rows:
        """The rows, and after them the same with A and B swapped."""
        return self.units.rows.followed_by(self.units.rows.mirrored(self.units.mirror))

    @cached_property
    def items_per_unit(self) -> float:
        """The mean number of items in a unit."""
        sampling = self.question.sampling
        if sampling is None or sampling.unit != "group":
            return 1.0
        return self.question.n / self.units.n

    @cached_property
    def difference(self) -> float:
        """What is true."""
        return self._about(self._weighted(self.urn.weights), self.question.seed).difference

    @cached_property
    def influence(self) -> Floats:
        """By leaving one unit of each kind out."""
        rows = self.units.rows
        moved = np.zeros(rows.size)
        moved[np.flatnonzero(rows.times)] = self.question.difference - left_out(self.question).differences
        return np.asarray(moved * rows.times.sum())

    @property
    def heaviest(self) -> tuple[float, int]:
        """Counts may be large."""
        return COUNT_WEIGHTS / self.units.rows.times.sum(), COUNT_WEIGHTS

    def _weighted(self, weights: Counts) -> Units:
        return replace(self.units, rows=replace(self.units.rows, times=weights))

    def ask(self, kinds: Counts, times: Counts, seed: Seed, coins: Stream | None = None) -> Question[Any]:
        """Ask about how often each distinct unit was drawn."""
        units, moved = self.units, np.zeros_like(times) if coins is None else coins.binomial(times, 0.5)
        if units.plain:
            counts = np.zeros(units.n_features, dtype=np.int64)
            counts[kinds] = times - moved
            np.add.at(counts, units.mirror[kinds], moved)
            return self._about(self._weighted(counts), seed)
        if coins is None:
            rows, strata = units.rows.take(kinds), units.strata[kinds]
        else:
            rows = self._both.take(np.concatenate([kinds, kinds + units.rows.size]))
            strata, times = np.tile(units.strata[kinds], 2), np.concatenate([times - moved, moved])
        return self._about(replace(units, rows=replace(rows, times=times), strata=strata), seed)

    def _about(self, units: Units, seed: Seed) -> Question[CountSample]:
        sample = self.question.sample.with_units(units, self.items_per_unit)
        return replace(self.question, sample=sample).asking(seed=seed)


@dataclass(frozen=True, eq=False)
class ItemPopulation(Population):
    """Scores or values: every item, and the groups that are drawn whole."""

    question: Question[ItemSample]
    urn: Urn

    @cached_property
    def _unit_of_item(self) -> Counts:
        return self.question.sample.grouping.units(self.question.n)

    @cached_property
    def _items_of_units(self) -> tuple[Counts, Counts]:
        """The items in the order of their units, and where each unit starts."""
        sizes = np.bincount(self._unit_of_item)
        return np.argsort(self._unit_of_item, kind="stable"), np.concatenate([[0], np.cumsum(sizes)])

    @property
    def items_per_unit(self) -> float:
        """The mean number of items in a unit."""
        return self.question.n / self.urn.weights.size

    @cached_property
    def difference(self) -> float:
        """What is true."""
        if np.ptp(self.urn.weights) == 0:
            return self.question.difference
        weights = self.urn.weights[self._unit_of_item]
        return self.question.sample.weighted_difference(self.question.measure, weights)

    @cached_property
    def influence(self) -> Floats:
        """The sums of the items' over each unit."""
        items = self.question.sample.influence(self.question.measure)
        return np.bincount(self._unit_of_item, weights=items).astype(np.float64)

    @property
    def heaviest(self) -> tuple[float, int]:
        """The compiled scans take weights of 16 bits."""
        return ITEM_WEIGHT, 2**16 - 1

    def ask(self, kinds: Counts, times: Counts, seed: Seed, coins: Stream | None = None) -> Question[Any]:
        """Ask about the items of the drawn units; a unit drawn twice occurs twice."""
        units = np.repeat(kinds, times)
        order, starts = self._items_of_units
        lengths = np.diff(starts)[units]
        number = np.repeat(np.arange(units.size), lengths)
        first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        items = order[np.arange(number.size) - first[number] + starts[units][number]]
        swapped = np.zeros(units.size, dtype=np.bool_) if coins is None else coins.random(units.size) < 0.5
        sample = self.question.sample
        drawn = sample.take(items, _grouping_of(sample.grouping, items, number), swapped[number])
        return replace(self.question, sample=drawn).asking(seed=seed)


def _grouping_of(grouping: Grouping, items: Counts, unit: Counts) -> Grouping:
    """Return the grouping of a set's items: a group drawn twice is two groups, strata that were not drawn are gone."""
    groups = None if grouping.groups is None else unit
    if grouping.strata is None:
        return Grouping(groups)
    present, strata = np.unique(grouping.strata[items], return_inverse=True)
    return Grouping(groups, strata.astype(np.int64), tuple(grouping.stratum_names[i] for i in present))


def population(question: Question[Any], *, stratified: bool) -> Population:
    """Make a population of the question about all of a large set; ``stratified`` sets keep the shares of strata.

    Strata are those given, or else the true classes of decisions and scores.
    """
    if question.measure.is_sum:
        raise OptionError(
            f"{question.measure.label} grows with the number of items, so a large set does not predict a small one.",
            "a mean",
            setting("measure", "mean"),
        )
    return _population(question.sample, question, stratified)


@singledispatch
def _population(sample: Sample, question: Question[Any], stratified: bool) -> Population:
    raise TypeError(type(sample).__name__)


@_population.register
def _of_counts(sample: CountSample, question: Question[Any], stratified: bool) -> Population:
    units = sample.table(question.measure)
    return CountPopulation(question, Urn(units.rows.times, _strata_of_counts(sample, units) if stratified else None))


@_population.register
def _of_items(
    sample: ItemSample, question: Question[Any], stratified: bool, classes: Counts | None = None
) -> Population:
    strata = None
    if stratified and sample.grouping.strata is not None:
        strata = sample.grouping.strata_of_units(sample.n)
    elif stratified:
        strata = classes if sample.grouping.groups is None else None
        if strata is None:
            raise _no_strata()
    n_units = sample.grouping.n_groups or sample.n
    return ItemPopulation(replace(question, sample=sample), Urn(np.ones(n_units, dtype=np.int64), strata))


@_population.register
def _of_scores(sample: ScoreSample, question: Question[Any], stratified: bool) -> Population:
    # ranks instead of scores: the order is the same, and the ranks of two models can be swapped
    places = replace(sample, scores=tuple(midranks(scores) for scores in sample.scores))
    return _of_items(places, question, stratified, sample.truth.astype(np.int64))


def _strata_of_counts(sample: CountSample, units: Units) -> Counts:
    if sample.sampling is not None and sample.sampling.strata:
        return units.strata
    if sample.joint_outcomes is not None and units.plain:
        return sample.joint_outcomes.truth
    raise _no_strata()


def _no_strata() -> OptionError:
    return OptionError(
        "stratified sets keep the shares of strata, and the true classes cannot serve as strata here.",
        "strata: a column that is the same for all items of a unit",
        setting("strata") + ", or leave stratified out",
    )


FURTHEST = 1_000.0  # times its old weight that a unit may weigh, or a few would stand for all
LOUDEST = 500.0  # largest spread of exponents: more tilting changes nothing and then overflows
STEPS = 60


def recentred(population: Population) -> Population:
    """Return the population reweighted to a difference of 0, or say why there is none."""
    influence = population.influence
    spread = _deviation(influence, population.urn.weights)
    if population.difference == 0.0:
        return population
    if spread == 0.0:
        raise UndefinedError("no unit moves the difference, so weights cannot bring it to 0")
    direction = influence / spread

    def tilted(amount: float) -> Population:
        return population.reweighted(_weights(population, amount * direction))

    side = np.sign(population.difference)
    low, high = 0.0, -side * 2.0**-6
    while np.sign(tilted(high).difference) == side:
        low, high = high, 2.0 * high
        _refuse_far(population, low * direction)
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if np.sign(tilted(middle).difference) == side else (low, middle)
    nearest = min((low, high), key=lambda amount: abs(tilted(amount).difference))
    _refuse_far(population, nearest * direction)
    return tilted(nearest)


def _refuse_far(population: Population, exponents: NDArray[np.float64]) -> None:
    """Raise if a unit's weight grows beyond the limit; a weight that falls to 0 does no harm."""
    here = population.urn.weights > 0
    factors = _factors(population, exponents)[here]
    if factors.max() > FURTHEST or np.ptp(exponents[here]) > LOUDEST:
        raise UndefinedError(
            f"no weights up to {FURTHEST:,.0f} times these units' bring the difference to 0, because too few "
            "favour the other side"
        )


def _deviation(values: NDArray[np.float64], weights: Counts) -> float:
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    values = values / largest  # squares of very small ones would be 0
    mean = np.average(values, weights=weights)
    return largest * float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _factors(population: Population, exponents: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each unit's new weight over its old one, ∝ exp(exponent); every stratum keeps its share."""
    urn = population.urn
    strata = np.zeros(urn.weights.size, dtype=np.int64) if urn.strata is None else urn.strata
    factors = np.zeros(exponents.size)
    for stratum in np.unique(strata[urn.weights > 0]):
        here = strata == stratum
        raw = np.exp(exponents[here] - exponents[here & (urn.weights > 0)].max())
        factors[here] = raw / np.average(raw, weights=urn.weights[here])
    return factors


def _weights(population: Population, exponents: NDArray[np.float64]) -> Counts:
    """Return whole-number weights; what had weight keeps some."""
    weights = population.urn.weights
    unit, largest = population.heaviest
    raw = unit * weights * _factors(population, exponents)
    return np.clip(np.rint(raw), np.minimum(weights, 1), largest).astype(np.int64)
