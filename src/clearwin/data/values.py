"""Per-item values in: one number for each item and model (a loss, a grade, a sentence's BLEU), validated.

They come as such, or as the losses of scores against the truth. Whole *units* are drawn, flipped and left out: a unit
is an item, or a group of items. Units are put in an order of their own, stratum by stratum, so nothing depends on the
order in which the items came.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.arrays import refuse_shuffled_indexes, same_length
from clearwin.data.clusters import Grouping, read_grouping
from clearwin.data.samples import About, ItemSample
from clearwin.data.scores import numbers, scored_items
from clearwin.errors import DataError, OptionError, setting
from clearwin.measures import Measure
from clearwin.numerics.arrays import Bools, Floats, Ints
from clearwin.numerics.fingerprints import mixed, sums
from clearwin.numerics.pvalues import ROUNDING
from clearwin.results.base import Sampling

LARGEST_VALUE = 1e100  # so that sums of squares are still floats


@dataclass(frozen=True, eq=False)
class ValueUnits:
    """What the tests see of each unit, stratum by stratum: how many items it has, their sums, and how large they are.

    ``of_item`` is the unit of every item, in the order in which the items came; ``first`` has where each stratum
    starts, and the number of units last.
    """

    counts: Ints
    a: Floats
    b: Floats
    sizes: Floats
    of_item: Ints
    first: Ints

    @property
    def stratum_sizes(self) -> list[int]:
        """How many units each stratum has."""
        return [int(n) for n in np.diff(self.first)]

    @cached_property
    def differences(self) -> Floats:
        """Sums of b − a; what only rounding can have made is 0."""
        return without_rounding(self.b - self.a, self.sizes)


@dataclass(frozen=True, eq=False)
class ValueSample(ItemSample):
    """The values of A and B for every item, and which items belong together; losses of scores know their classes.

    A single model is compared with itself: then ``a is b``.
    """

    a: Floats
    b: Floats
    grouping: Grouping = field(default_factory=Grouping)
    about: About = field(default_factory=About)
    classes: tuple[tuple[object, int], ...] = ()

    @property
    def n(self) -> int:
        """All items."""
        return int(self.a.size)

    @property
    def single(self) -> bool:
        """Whether there is one model only."""
        return self.a is self.b

    @cached_property
    def differences(self) -> Floats:
        """Each item's b − a; what only rounding can have made is 0."""
        return without_rounding(self.b - self.a, np.abs(self.a) + np.abs(self.b))

    @cached_property
    def scale(self) -> float:
        """How large the values are: rounding errors of sums are small parts of it."""
        return float((np.abs(self.a) + np.abs(self.b)).mean())

    @cached_property
    def sampling(self) -> Sampling | None:
        """What is drawn whole and held fixed."""
        return self.grouping.sampling(self.n)

    @property
    def noun(self) -> str:
        """What a unit is called."""
        return "item" if self.grouping.groups is None else "group"

    def ungrouped(self) -> ValueSample:
        """Return the same sample as if every item stood for itself."""
        return replace(self, grouping=self.grouping.without_groups())

    def take(self, items: Ints, grouping: Grouping, swapped: Bools) -> ValueSample:
        """Return the sample of these items, A and B swapped on some of them."""
        a, b = self.a[items], self.b[items]
        return replace(self, a=np.where(swapped, b, a), b=np.where(swapped, a, b), grouping=grouping)

    def weighted_difference(self, measure: Measure, weights: Ints) -> float:
        """Return b − a if every item counted so many times."""
        if measure.is_mean:
            return float(weights @ self.differences) / float(weights.sum())
        from clearwin.numerics import value_kernels

        a, b = (
            value_kernels.trimmed_mean(x[order], weights[order].astype(np.uint16), measure.trimmed)
            for x, order in ((x, np.argsort(x, kind="stable")) for x in (self.a, self.b))
        )
        return float(b - a)

    def influence(self, measure: Measure) -> Floats:
        """Return the items' own differences, about their mean."""
        return np.asarray(self.differences - self.differences.mean())

    def factor(self, measure: Measure) -> float:
        """Return what the mean is multiplied by: a sum is that of as many items as there are, in every replicate."""
        return float(self.n) if measure.is_sum else 1.0

    def estimates(self, measure: Measure) -> tuple[float, float]:
        """Return the measure's values for A and B."""
        a, b = (mean_of(x, measure) for x in (self.a, self.b))
        return a, b

    def difference(self, measure: Measure) -> float:
        """Return b − a; for means, from per-item differences, to avoid cancellation."""
        if measure.is_mean:
            return self.factor(measure) * math.fsum(self.differences) / self.n
        return super().difference(measure)

    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Return the classes of the truth behind losses and how many items each has."""
        return list(self.classes)

    @property
    def outcomes(self) -> dict[str, int]:
        """Who has the higher value on how many items."""
        higher, lower = int((self.differences > 0).sum()), int((self.differences < 0).sum())
        return {"b_higher": higher, "a_higher": lower, "equal": self.n - higher - lower}

    def won_and_lost(self, measure: Measure) -> tuple[int, int]:
        """Return on how many units B has the better mean, and A."""
        gains = measure.sign * self.units.differences
        return int((gains > 0).sum()), int((gains < 0).sum())

    def telling(self, measure: Measure) -> int:
        """Return how many units have a difference."""
        return int(np.count_nonzero(self.units.differences))

    @cached_property
    def units(self) -> ValueUnits:
        """The units in their own order: by stratum, then by what they hold."""
        of_item = self.grouping.units(self.n)
        n_units = int(of_item.max()) + 1
        # items of a unit are added up in an order of their own, so that the sums are the same to the last bit
        order = np.lexsort((self.b, self.a))
        of_ordered = of_item[order]
        counts = np.bincount(of_item, minlength=n_units)
        a, b, sizes = (
            np.bincount(of_ordered, weights=x[order], minlength=n_units).astype(np.float64)
            for x in (self.a, self.b, np.abs(self.a) + np.abs(self.b))
        )
        strata = self.grouping.strata_of_units(self.n)  # numbered by their names
        place = np.lexsort((self._unit_hashes, counts, b, a, strata))
        new_place = np.empty(n_units, dtype=np.int64)
        new_place[place] = np.arange(n_units)
        first = np.concatenate([[0], np.cumsum(np.bincount(strata))])
        return ValueUnits(counts[place], a[place], b[place], sizes[place], new_place[of_item], first)

    @cached_property
    def _unit_hashes(self) -> NDArray[np.uint64]:
        """64 bits for each unit by what it holds: items are mixed and added up, so that their order does not matter."""
        items = mixed((self.a + 0.0).view(np.uint64))  # −0.0 is 0.0
        items = mixed(items * np.uint64(3) + (self.b + 0.0).view(np.uint64))
        return self.grouping.hashes(items)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of values, groups and strata: equal for equal data, whatever the order of the items."""
        units = self._unit_hashes
        return hashlib.sha256(repr([*sums(units), self.n, units.size]).encode()).hexdigest()[:16]


def mean_of(values: Floats, measure: Measure) -> float:
    """Return the mean, sum or trimmed mean; sums are rounded once, whatever the order of the items."""
    if measure.is_mean:
        return (float(values.size) if measure.is_sum else 1.0) * math.fsum(values) / values.size
    from clearwin.numerics import value_kernels

    once = np.ones(values.size, dtype=np.uint16)
    return float(value_kernels.trimmed_mean(np.sort(values), once, measure.trimmed))


def without_rounding(differences: Floats, sizes: Floats) -> Floats:
    """Return differences with those set to 0 that are rounding errors of numbers of these sizes."""
    return np.where(np.abs(differences) <= ROUNDING * sizes, 0.0, differences)


def paired_values(a: Any, b: Any, *, noun: str = "value") -> tuple[Floats, Floats]:
    """Validate the values of two models, matched by position; of one model when ``b`` is None."""
    refuse_shuffled_indexes({"a": a, "b": b})
    columns = [numbers(role, x, noun=noun) for role, x in (("a", a), ("b", b)) if role == "a" or x is not None]
    if not columns[0].size:
        raise DataError(
            "There are no items: the arrays are empty.",
            "at least one item",
            "compare(None, [0.3], [0.4], measure='mean')",
        )
    if columns[-1].size != columns[0].size:
        what = f"The lengths differ: a has {columns[0].size:,}, b has {columns[-1].size:,}."
        raise DataError(what, f"one {noun} for each item in both, in the same order", "leave out what one model lacks")
    for role, column in zip("ab", columns, strict=False):
        if np.abs(column).max() > LARGEST_VALUE:
            raise DataError(
                f"{role} holds {column[np.abs(column).argmax()]:g}, and sums of squares would overflow.",
                f"{noun}s of at most {LARGEST_VALUE:g} in size",
                f"rescale the {noun}s of both models alike",
            )
    # a model compared with itself is two columns; one column twice means that there is one model only
    return columns[0], columns[0] if b is None else columns[1].copy()


OF_ITEMS = ("losses", "values")  # measures that are read off one number for each item


def check_truth(measure: Measure, truth: Any) -> None:
    """Raise unless there is a truth just where the measure needs one."""
    if measure.takes == "values" and truth is not None:
        raise OptionError(
            f"{measure.label} is a mean of the items' own values and takes no truth.",
            "None as the truth, for a measure of values",
            f"compare(None, a, b, measure={measure.name!r}), or mae for predictions of a number",
        )
    if measure.takes != "values" and truth is None:
        raise DataError(
            f"{measure.label} needs the truth, and there is none.",
            "the true label or number of every item",
            "compare(truth, a, b), or " + setting("measure", "mean") + " for values that need no truth",
        )


def read_values(
    measure: Measure,
    truth: Any,
    a: Any,
    b: Any = None,
    *,
    positive: Any = None,
    stratified: bool = False,
    rank_infinite: bool = False,
    groups: Any = None,
    strata: Any = None,
    **others: Any,
) -> ValueSample:
    """Validate values, or make losses of truth and scores; of one model when ``b`` is None."""
    _refuse_others(measure, others)
    refuse_shuffled_indexes({"truth": truth, "a": a, "b": b, "groups": groups, "strata": strata})
    if measure.takes == "values":
        _refuse_others(measure, {"positive": positive, "stratified": stratified, "rank_infinite": rank_infinite})
        columns = paired_values(a, b)
        return ValueSample(*columns, read_grouping(columns[0].size, groups, strata))
    regression = _numeric_truth(measure, truth) if positive is None else None
    if regression is not None and stratified and np.unique(regression).size == 2:
        regression = None  # drawn class by class, so they are classes
    if regression is not None:
        _refuse_others(measure, {"stratified": stratified, "rank_infinite": rank_infinite})
        columns = _losses(measure, regression, _predictions(regression, a, b), single=b is None)
        return ValueSample(*columns, read_grouping(columns[0].size, groups, strata))
    return _of_classes(
        measure, truth, (a,) if b is None else (a, b), positive, stratified, rank_infinite, groups, strata
    )


def _refuse_others(measure: Measure, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None and value is not False:
            raise OptionError(
                f"{measure.label} is a mean or a sum of numbers and takes no {name}.",
                f"{name} with a measure that has a use for it",
                f"leave {name} out" + (", or " + setting("measure", "f1") if name in ("threshold", "dev") else ""),
            )


def _of_classes(
    measure: Measure,
    truth: Any,
    scores: tuple[Any, ...],
    positive: Any,
    stratified: bool,
    rank_infinite: bool,
    groups: Any,
    strata: Any,
) -> ValueSample:
    """Losses of scores against two classes: y = 1 for the positive class and 0 for the other."""
    items = scored_items(truth, *scores, positive=positive, rank_infinite=rank_infinite)
    if stratified and strata is not None:
        raise OptionError(
            "stratified draws class by class, and strata were given, too.", "one of them", "leave stratified out"
        )
    if stratified:
        strata = np.where(items.truth, str(items.positive), str(items.negative))
    columns = _losses(measure, items.truth, items.scores, single=len(scores) == 1)
    return ValueSample(*columns, read_grouping(items.n, groups, strata), items.about, tuple(items.class_sizes(measure)))


def _numeric_truth(measure: Measure, truth: Any) -> Floats | None:
    """Return the truth as numbers where the measure takes any numbers, and they are not just 0 and 1.

    Of 0 and 1 the numbers are the same and the classes are known besides; −1 and 1 are taken as the numbers they are.
    """
    if not measure.any_truth:
        return None
    try:
        found = numbers("truth", truth, rank_infinite=True, noun="number")
    except DataError:
        return None  # labels: whatever is wrong with them is said where they are read
    return numbers("truth", found, noun="number") if not np.isin(found, (0.0, 1.0)).all() else None


def _predictions(truth: Floats, a: Any, b: Any) -> tuple[Floats, Floats]:
    columns = paired_values(a, b, noun="prediction")
    if columns[0].size != truth.size:
        what = f"The lengths differ: truth has {truth.size:,}, a has {columns[0].size:,}."
        raise DataError(what, "one prediction for each item, in the same order", "leave out what one of them lacks")
    return columns


def _losses(
    measure: Measure, truth: NDArray[Any], scores: tuple[Floats, ...], *, single: bool
) -> tuple[Floats, Floats]:
    with np.errstate(over="ignore"):
        a = measure.losses(truth, scores[0])
        b = a if single else measure.losses(truth, scores[-1])
    if not (max(a.max(), b.max()) <= LARGEST_VALUE):
        raise DataError(
            f"{measure.label} overflows: an item's loss is above {LARGEST_VALUE:g}.",
            "finite scores of a usual size",
            "rescale the scores, or judge their order alone by auc",
        )
    return a, b


@dataclass(frozen=True, eq=False)
class ModelUnits:
    """What is drawn whole, stratum by stratum: how many items each unit has, and every model's sum over them.

    ``of_item`` is the unit of every item; ``first`` has where each stratum starts, and the number of units last.
    """

    counts: Ints
    sums: Floats
    sizes: Floats
    of_item: Ints
    first: Ints


@dataclass(frozen=True, eq=False)
class ModelValues:
    """The values (models × items), which items belong together, and one model's own for what all share."""

    values: Floats
    grouping: Grouping
    one: ValueSample

    @property
    def n(self) -> int:
        """All items."""
        return int(self.values.shape[1])

    @cached_property
    def _item_hashes(self) -> NDArray[np.uint64]:
        items = np.zeros(self.n, dtype=np.uint64)
        for row in self.values:
            items = mixed(items * np.uint64(3) + (row + 0.0).view(np.uint64))  # −0.0 is 0.0
        return items

    @cached_property
    def units(self) -> ModelUnits:
        """The units in an order of their own, by stratum and by what they hold, so that none depends on the input's."""
        of_item = self.grouping.units(self.n)
        strata = self.grouping.strata_of_units(self.n)
        place = np.lexsort((self.grouping.hashes(self._item_hashes), strata))
        new_place = np.empty(place.size, dtype=np.int64)
        new_place[place] = np.arange(place.size)
        # items of a unit are added up in an order of their own, too, so that the sums are the same to the last bit
        order = np.argsort(self._item_hashes, kind="stable")
        moved = new_place[of_item]

        def added(row: Floats) -> Floats:
            return np.bincount(moved[order], weights=row[order], minlength=place.size).astype(np.float64)

        first = np.concatenate([[0], np.cumsum(np.bincount(strata))])
        sizes = np.stack([added(np.abs(row)) for row in self.values])
        return ModelUnits(np.bincount(moved), np.stack([added(row) for row in self.values]), sizes, moved, first)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of values, groups and strata: equal for equal data, whatever the order of the items."""
        units = self.grouping.hashes(self._item_hashes)
        return hashlib.sha256(repr([*sums(units), self.n, units.size]).encode()).hexdigest()[:16]

    def units_that_differ(self, pairs: list[tuple[int, int]]) -> list[int]:
        """Return how many units tell the models of each pair apart."""
        found = self.units
        return [
            int(np.count_nonzero(without_rounding(found.sums[b] - found.sums[a], found.sizes[a] + found.sizes[b])))
            for a, b in pairs
        ]

    def estimates(self, measure: Measure) -> Floats:
        """Return the measure of every model."""
        return np.array([mean_of(row, measure) for row in self.values])


def read_model_values(measure: Measure, truth: Any, models: Mapping[str, Any], **how: Any) -> ModelValues:
    """Validate values, or make losses of truth and scores, model by model; ``how`` as in ``item_values``."""
    check_truth(measure, truth)
    refuse_shuffled_indexes(models if truth is None else {"truth": truth, **models})
    noun = "value" if measure.takes == "values" else "score"
    columns = {name: numbers(name, values, noun=noun) for name, values in models.items()}
    lengths = {} if truth is None else {"truth": len(truth)}
    same_length(lengths | {name: column.size for name, column in columns.items()}, noun)
    read = [read_values(measure, truth, column, **how) for column in columns.values()]
    return ModelValues(np.stack([one.a for one in read]), read[0].grouping, read[0])
