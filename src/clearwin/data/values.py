"""Per-item values in: one number for each item and model (a loss, a grade, a sentence's BLEU), validated.

They come as such, or as the losses of scores against the truth. Whole *units* are drawn, flipped and left out: a unit
is an item, or a group of items. Units are put in an order of their own, stratum by stratum, so nothing depends on the
order in which the items came.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import JointCounts
from clearwin.data.arrays import same_length
from clearwin.data.clusters import Grouping, read_grouping
from clearwin.data.samples import ItemSample, ReadingNotes
from clearwin.data.scores import are_classes, numbers, scored_items
from clearwin.errors import DataError, OptionError, at_positions, setting
from clearwin.measures import Measure
from clearwin.numerics.arrays import Bools, Floats, Ints
from clearwin.numerics.fingerprints import mixed, sums
from clearwin.numerics.pvalues import ROUNDING
from clearwin.results.base import Sampling

if TYPE_CHECKING:
    from clearwin.data.reading import Reading

LARGEST_VALUE = 1e70  # so that sums of fourth powers are still floats


@dataclass(frozen=True, eq=False)
class ValueUnits:
    """What the tests see of each unit, stratum by stratum: how many items it has, and each model's sums over them.

    ``magnitudes`` are the sums of the values without their signs: how large the numbers are that were added up.
    ``of_item`` is the unit of every item, in the order in which the items came; ``first`` has where each stratum
    starts, and the number of units last.
    """

    counts: Ints
    sums: Floats
    magnitudes: Floats
    of_item: Ints
    first: Ints

    @property
    def stratum_sizes(self) -> list[int]:
        """How many units each stratum has."""
        return [int(n) for n in np.diff(self.first)]

    @property
    def a(self) -> Floats:
        """A's sums."""
        return np.asarray(self.sums[0])

    @property
    def sizes(self) -> Floats:
        """How large the values of A and B are, added up."""
        return np.asarray(self.magnitudes[0] + self.magnitudes[-1])

    @cached_property
    def differences(self) -> Floats:
        """Sums of b − a; what only rounding can have made is 0."""
        return self.differences_of(0, -1)

    def differences_of(self, a: int, b: int) -> Floats:
        """Return the same for any two models."""
        return without_rounding(self.sums[b] - self.sums[a], self.magnitudes[a] + self.magnitudes[b])


@dataclass(frozen=True, eq=False)
class ValueSample(ItemSample):
    """Every model's value for every item (models × items), and which items belong together.

    Losses of scores know their classes. Models that are ``ranked`` have their units in the order of hashes.
    """

    values: Floats
    grouping: Grouping = field(default_factory=Grouping)
    about: ReadingNotes = field(default_factory=ReadingNotes)
    classes: tuple[tuple[object, int], ...] = ()
    ranked: bool = False

    @cached_property
    def a(self) -> Floats:
        """A's values."""
        return np.asarray(self.values[0])

    @cached_property
    def b(self) -> Floats:
        """B's values: those of the last model, or of the only one."""
        return np.asarray(self.values[-1])

    @property
    def n(self) -> int:
        """All items."""
        return int(self.values.shape[1])

    @property
    def single(self) -> bool:
        """Whether there is one model only."""
        return len(self.values) == 1

    @cached_property
    def differences(self) -> Floats:
        """Each item's b − a; what only rounding can have made is 0."""
        return without_rounding(self.b - self.a, np.abs(self.a) + np.abs(self.b))

    @cached_property
    def are_decisions(self) -> bool:
        """Whether every value is 0 or 1: right or wrong, solved or not."""
        return bool(((self.values == 0.0) | (self.values == 1.0)).all())

    @cached_property
    def differ_by_one(self) -> bool:
        """Whether two models differ by 1 on every item on which they differ."""
        return not self.single and bool(np.isin(self.differences, (-1.0, 0.0, 1.0)).all())

    @cached_property
    def right_and_wrong(self) -> JointCounts:
        """How often only A has the 1, only B, both, neither; where values are not 0 and 1, equal ones count as both."""
        if self.are_decisions:
            a, b = self.a == 1.0, self.b == 1.0
        else:
            a, b = self.differences <= 0.0, self.differences >= 0.0
        both, neither = int((a & b).sum()), int((~a & ~b).sum())
        only_a, only_b = int((a & ~b).sum()), int((~a & b).sum())
        return JointCounts(e1=both, e2=only_b, e3=only_a, e4=neither, e5=0, e6=0, e7=0, e8=0)

    def bounds_of(self, measure: Measure) -> tuple[float, float]:
        """Return the least and the largest value of a mean: as declared, or 0 and 1 of right and wrong."""
        return (0.0, 1.0) if self.are_decisions and not measure.is_sum else measure.bounds

    @cached_property
    def step(self) -> float:
        """How far apart two models may be on an item: the range of the values, or their size where all are alike."""
        return float(np.ptp(self.values) or np.abs(self.values).max())

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

    def of_model(self, model: int) -> ValueSample:
        """Return the values of one model alone."""
        return replace(self, values=self.values[[model]])

    def of_pair(self, a: int, b: int) -> ValueSample:
        """Return the values of two models."""
        return replace(self, values=self.values[[a, b]], ranked=False)

    def take(self, items: Ints, grouping: Grouping, swapped: Bools) -> ValueSample:
        """Return the sample of these items, A and B swapped on some of them."""
        a, b = self.a[items], self.b[items]
        return replace(self, values=np.stack([np.where(swapped, b, a), np.where(swapped, a, b)]), grouping=grouping)

    def weighted_difference(self, measure: Measure, weights: Ints) -> float:
        """Return b − a if every item had its weight."""
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

    def estimates(self, measure: Measure) -> tuple[float, ...]:
        """Return the measure's value for each model."""
        return tuple(mean_of(row, measure) for row in self.values)

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

    def units_that_differ(self, measure: Measure, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """Return on how many units the models of each pair disagree."""
        return [int(np.count_nonzero(self.units.differences_of(a, b))) for a, b in pairs]

    @cached_property
    def units(self) -> ValueUnits:
        """The units in their own order: by stratum, then by what they hold."""
        of_item = self.grouping.units(self.n)
        counts = np.bincount(of_item)
        # items of a unit are added up in an order of their own, so that the sums are the same to the last bit
        order = np.argsort(self._item_hashes, kind="stable") if self.ranked else np.lexsort(self.values[::-1])
        of_ordered = of_item[order]

        def added(row: Floats) -> Floats:
            return np.bincount(of_ordered, weights=row[order], minlength=counts.size).astype(np.float64)

        summed = np.stack([added(row) for row in self.values])
        magnitudes = np.stack([added(np.abs(row)) for row in self.values])
        strata = self.grouping.strata_of_units(self.n)  # numbered by their names
        content = () if self.ranked else (counts, *summed[::-1])
        place = np.lexsort((self._unit_hashes, *content, strata))
        new_place = np.empty(counts.size, dtype=np.int64)
        new_place[place] = np.arange(counts.size)
        first = np.concatenate([[0], np.cumsum(np.bincount(strata))])
        return ValueUnits(counts[place], summed[:, place], magnitudes[:, place], new_place[of_item], first)

    @cached_property
    def _item_hashes(self) -> NDArray[np.uint64]:
        """64 bits for each item by what it holds; a single model counts as two."""
        items = np.zeros(self.n, dtype=np.uint64)
        for row in (self.a, self.b) if self.single else self.values:
            items = mixed(items * np.uint64(3) + (row + 0.0).view(np.uint64))  # −0.0 is 0.0
        return items

    @cached_property
    def _unit_hashes(self) -> NDArray[np.uint64]:
        """64 bits for each unit by what it holds: items are mixed and added up, so that their order does not matter."""
        return self.grouping.hashes(self._item_hashes)

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


def value_columns(models: Mapping[str, Any], *, noun: str = "value") -> list[Floats]:
    """Validate the values of every model, matched by position."""
    columns = {name: numbers(name, values, noun=noun) for name, values in models.items()}
    same_length({name: column.size for name, column in columns.items()}, noun)
    for name, column in columns.items():
        if np.abs(column).max() > LARGEST_VALUE:
            raise DataError(
                f"{name} holds {column[np.abs(column).argmax()]:g}, and sums of its powers would overflow.",
                f"{noun}s of at most {LARGEST_VALUE:g} in size",
                f"rescale the {noun}s of all models alike",
            )
    return list(columns.values())


OF_ITEMS = ("losses", "values")  # measures that are read off one number for each item


def refuse_winners(measure: Measure) -> None:
    """Raise if the measure is one of battles, which only a comparison or a gate takes."""
    if measure.of_winners:
        raise OptionError(
            f"{measure.label.capitalize()} compares two models by who won each battle.",
            "compare() with the winners, without groups of models or slices",
            "compare(winner, measure='win_rate')",
        )


def check_truth(measure: Measure, truth: Any) -> None:
    """Raise unless there is a truth just where the measure needs one."""
    refuse_winners(measure)
    if measure.takes == "values" and truth is not None:
        raise OptionError(
            f"{measure.label} is a mean of per-item values and does not use a truth.",
            "None as the truth, for a measure of values",
            f"compare(None, a, b, measure={measure.name!r}), or mae for predictions of a number",
        )
    if measure.takes != "values" and truth is None:
        raise DataError(
            f"{measure.label} needs the truth, and it was not given.",
            "the true label or number of every item",
            "compare(truth, a, b), or " + setting("measure", "mean") + " for values that need no truth",
        )


def read_values(measure: Measure, truth: Any, models: Mapping[str, Any], how: Reading) -> ValueSample:
    """Validate the values of every model, or make losses of truth and scores."""
    strata = how.strata
    _refuse_others(measure, {"threshold": how.threshold, "dev": how.dev})
    if how.lower_is_positive:
        raise OptionError(
            f"{measure.label} uses the scores as given, so they cannot be reversed.",
            "lower_is_positive with a measure of the ranking, such as auc, or with a threshold",
            "give 1 − p where p is the probability of the other class",
        )
    if measure.takes == "values":
        _refuse_others(measure, {"positive": how.positive, "rank_infinite": how.rank_infinite})
        columns = value_columns(models)
        _check_bounds(measure, dict(zip(models, columns, strict=True)))
        return ValueSample(np.stack(columns), read_grouping(columns[0].size, how.groups, strata), ranked=how.ranked)
    regression = _numeric_truth(measure, truth) if how.positive is None else None
    by_class = are_classes(strata, truth)
    if regression is not None and by_class and np.unique(regression).size == 2:
        regression = None  # drawn class by class, so they are classes
    if regression is not None:
        _refuse_others(measure, {"rank_infinite": how.rank_infinite})
        columns = value_columns(models, noun="prediction")
        same_length({"truth": regression.size, next(iter(models)): columns[0].size}, "prediction")
        losses = _losses(measure, regression, columns)
        return ValueSample(losses, read_grouping(regression.size, how.groups, strata), ranked=how.ranked)
    items = scored_items(
        truth, *models.values(), roles=tuple(models), positive=how.positive, rank_infinite=how.rank_infinite
    )
    if by_class:
        strata = np.where(items.truth, str(items.positive), str(items.negative))
    # y = 1 for the positive class and 0 for the other
    losses = _losses(measure, items.truth, items.scores)
    grouping = read_grouping(items.n, how.groups, strata)
    about = replace(items.about, chance=tuple(ranking.chance for ranking in items.rankings))
    return ValueSample(losses, grouping, about, tuple(items.class_sizes(measure)), how.ranked)


def _check_bounds(measure: Measure, columns: Mapping[str, Floats]) -> None:
    """Raise if a value lies outside the range that was declared."""
    low, high = measure.bounds
    least, most = min(float(c.min()) for c in columns.values()), max(float(c.max()) for c in columns.values())
    for name, column in columns.items():
        outside = np.flatnonzero((column < low) | (column > high))
        if outside.size:
            raise DataError(
                f"{name} holds {column[outside[0]]:g}, {at_positions(outside.tolist())}, and the values were "
                f"declared to lie between {low:g} and {high:g}.",
                "values within the declared range",
                setting("measure", f"{measure.name}(lowest={min(low, least):g}, highest={max(high, most):g})"),
            )


def _refuse_others(measure: Measure, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None and value is not False:
            raise OptionError(
                f"{measure.label} is a mean or a sum of numbers and does not use {name}.",
                f"{name} with a measure that uses it",
                f"leave {name} out" + (", or " + setting("measure", "f1") if name in ("threshold", "dev") else ""),
            )


def _numeric_truth(measure: Measure, truth: Any) -> Floats | None:
    """Return the truth as numbers where the measure takes any numbers, and they are not just 0 and 1.

    For 0 and 1 the numbers are the same and the classes are known as well; −1 and 1 are used as numbers.
    """
    if not measure.any_truth:
        return None
    try:
        found = numbers("truth", truth, rank_infinite=True, noun="number")
    except DataError:
        return None  # labels: whatever is wrong with them is said where they are read
    return numbers("truth", found, noun="number") if not np.isin(found, (0.0, 1.0)).all() else None


def _losses(measure: Measure, truth: NDArray[Any], scores: Sequence[Floats]) -> Floats:
    with np.errstate(over="ignore"):
        losses = np.stack([measure.losses(truth, column) for column in scores])
    if not (losses.max() <= LARGEST_VALUE):
        raise DataError(
            f"{measure.label} overflows: an item's loss is above {LARGEST_VALUE:g}.",
            "finite scores of a usual size",
            "rescale the scores, or judge their order alone by auc",
        )
    return losses
