"""What a question is about: the answers of models on the same units, as counts, scores or values.

A sample knows its size, its classes, how its units were drawn, and what a measure makes of each model. Tests and
resampling see samples; neither the user's labels nor files come any further.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import AnyCounts, ConfusionMatrix, Counts, JointCounts
from clearwin.data.arrays import Label
from clearwin.data.clusters import Grouping
from clearwin.data.labels import Strange
from clearwin.data.units import Units, units_of_classes, units_of_outcomes
from clearwin.measures import Measure
from clearwin.numerics.arrays import Bools, Floats
from clearwin.numerics.rank_sum import ChanceLevel
from clearwin.results.base import Sampling
from clearwin.results.caveats import Caveat

if TYPE_CHECKING:
    from clearwin.data.row_order import ItemsInRows


@dataclass(frozen=True)
class ReadingNotes:
    """What was decided about the classes and thresholds when the sample was read."""

    positive: Label | None = None
    inferred: bool = False
    against_others: tuple[Label, ...] = ()
    thresholds: tuple[float, ...] | None = None
    caveats: tuple[Caveat, ...] = ()
    labels: tuple[str, ...] | None = None  # those that were chosen among more
    strange: tuple[Strange, ...] = ()  # each model's answers that the truth never has
    crossed: tuple[tuple[int, Sample], ...] = ()  # the same items in other groups, which cross those of the sample
    lower_is_positive: tuple[bool, ...] = ()  # the models whose lower scores mean the positive class
    in_rows: Callable[[], ItemsInRows | None] | None = None  # where the order of the rows is known and asked for
    chance: tuple[ChanceLevel, ...] = ()  # of scores that became decisions or losses: how each model ranked the items


class Sample(ABC):
    """The answers of one model or more on the same units: A is the first of them, B the last."""

    about: ReadingNotes

    @property
    @abstractmethod
    def n(self) -> int:
        """All items."""

    @property
    @abstractmethod
    def sampling(self) -> Sampling | None:
        """What is drawn whole and held fixed; None where items are drawn and nothing is."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of the data, the same whatever the order of the items."""

    @property
    @abstractmethod
    def outcomes(self) -> dict[str, int]:
        """How the items divide, for the record."""

    @abstractmethod
    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Return the classes and how many items each has; none where the data have no classes."""

    @abstractmethod
    def estimates(self, measure: Measure) -> tuple[float, ...]:
        """Return the measure's value for each model."""

    @abstractmethod
    def ungrouped(self) -> Self:
        """Return the same sample as if every item stood for itself."""

    @abstractmethod
    def n_differing_units(self, measure: Measure) -> int:
        """Return on how many units the models differ: items, documents or groups on which swapping them matters."""

    def bounds_of(self, measure: Measure) -> tuple[float, float]:
        """Return the least and the largest value that the measure can have on such data."""
        return measure.bounds

    def difference(self, measure: Measure) -> float:
        """Return b − a."""
        values = self.estimates(measure)
        return values[-1] - values[0]

    def counts(self, measure: Measure) -> tuple[AnyCounts, ...]:
        """Return each model's observed counts; none where the measure is not a formula on counts."""
        return ()

    @property
    def joint_outcomes(self) -> JointCounts | None:
        """The counts of the joint outcomes, where every item has one decision of each model."""
        return None


class ManyModels(Sample):
    """A sample whose models may be any number; it can be ranked."""

    @abstractmethod
    def of_model(self, model: int) -> Sample:
        """Return the sample of one model alone."""

    @abstractmethod
    def of_pair(self, a: int, b: int) -> Sample:
        """Return the sample of two models, as ``compare`` reads it."""

    @abstractmethod
    def units_that_differ(self, measure: Measure, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """Return on how many units the models of each pair disagree."""

    def n_differing_units(self, measure: Measure) -> int:
        """Return on how many units A and B disagree."""
        return self.units_that_differ(measure, [(0, -1)])[0]


class ItemSample(ManyModels):
    """Scores or values: every item is there, and groups of items that are drawn whole."""

    grouping: Grouping

    @abstractmethod
    def take(self, items: Counts, grouping: Grouping, swapped: Bools) -> Self:
        """Return the sample of these items, A and B swapped on some of them."""

    @abstractmethod
    def weighted_difference(self, measure: Measure, weights: Counts) -> float:
        """Return b − a if every item had its weight."""

    @abstractmethod
    def influence(self, measure: Measure) -> Floats:
        """Return how much each item moves the difference, up to a factor."""


@dataclass(frozen=True)
class Items:
    """What is known of items that are no longer separate: how many, their labels, how they divide, a hash."""

    n: int
    labels: tuple[object, ...]
    outcomes: dict[str, int]
    fingerprint: str


class FeatureSample(Sample):
    """Units that add whole numbers to features, which the measure is a formula on."""

    @abstractmethod
    def table(self, measure: Measure) -> Units:
        """Return the units, with the features that the measure needs."""

    def evaluate(self, measure: Measure, totals: Counts) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the measure of every model (rows) for every column of totals, and where it was 0/0 for any."""
        found = [measure.evaluate(counts) for counts in self.table(measure).read(totals)]
        undefined = np.logical_or.reduce([one.undefined for one in found])
        return np.stack([one.values for one in found]), undefined

    def counts(self, measure: Measure) -> tuple[AnyCounts, ...]:
        """Return each model's observed counts that the measure is a formula on."""
        table = self.table(measure)
        return table.read(table.observed)

    def estimates(self, measure: Measure) -> tuple[float, ...]:
        """Return the measure's value for each model."""
        return tuple(float(measure.evaluate(counts).values) for counts in self.counts(measure))


class CountSample(FeatureSample):
    """Two models' answers as units on which they can be swapped; a single model stands for both."""

    units: Units | None  # None where items stand for themselves and the measure decides what is counted
    alone: Units | None  # the units if every item stood for itself

    @abstractmethod
    def with_units(self, units: Units, items_per_unit: float = 1.0) -> Self:
        """Return the sample that these units make, drawn from it."""

    def n_differing_units(self, measure: Measure) -> int:
        """Return how many units change something when A and B are swapped on them."""
        return int(self.table(measure).swaps.steps.times.sum())


@dataclass(frozen=True, eq=False)
class DecisionSample(CountSample):
    """Two models' decisions, as joint counts; ``units`` where items come in groups or strata, or labels were chosen."""

    joint: JointCounts
    about: ReadingNotes = field(default_factory=ReadingNotes)
    units: Units | None = None
    alone: Units | None = None
    sampling: Sampling | None = None

    @property
    def joint_outcomes(self) -> JointCounts:
        """The counts of the joint outcomes."""
        return self.joint

    def table(self, measure: Measure) -> Units:
        """Return the units: those given, or the items."""
        if self.units is not None:
            return self.units
        return self._by_classes if self.joint.k > 2 and not measure.needs_matrix else self._by_outcomes

    @cached_property
    def _by_classes(self) -> Units:
        return units_of_classes(self.joint)

    @cached_property
    def _by_outcomes(self) -> Units:
        return units_of_outcomes(self.joint)

    def ungrouped(self) -> DecisionSample:
        """Return the same sample as if every item stood for itself."""
        return replace(self, units=self.alone, alone=None, sampling=None)

    def with_units(self, units: Units, items_per_unit: float = 1.0) -> DecisionSample:
        """Return the sample that these units make: their features are the joint outcomes.

        Items by themselves, with all their classes, are counts alone, as ``compare`` reads them: a set must be asked
        about as ``compare`` asks, or it gets another interval.
        """
        joint = self.joint.with_counts(units.observed)
        plain = self.sampling is None and units.plain and units.read == self.joint.confusions
        sampling = None if self.sampling is None else replace(self.sampling, n_units=units.n)
        return replace(self, joint=joint, units=None if plain else units, alone=None, sampling=sampling)

    @cached_property
    def confusions(self) -> tuple[ConfusionMatrix, ConfusionMatrix]:
        """The observed confusion matrices of A and B."""
        return self.joint.confusions()

    @property
    def n(self) -> int:
        """All items."""
        return self.joint.n

    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Return the classes and how many items each has."""
        return list(zip(self.joint.labels, self.confusions[0].truths.tolist(), strict=True))

    @property
    def fingerprint(self) -> str:
        """A hash of the counts."""
        return self.joint.fingerprint if self.units is None else self.units.fingerprint(self.joint.fingerprint)

    def won_and_lost(self, measure: Measure) -> tuple[int, int]:
        """Return how many items B alone has right, and A alone."""
        return self.joint.only_a_wrong, self.joint.only_b_wrong

    @property
    def outcomes(self) -> dict[str, int]:
        """Who is wrong on how many items."""
        names = ("both_right", "only_a_wrong", "only_b_wrong", "both_wrong", "disagreements")
        return {name: getattr(self.joint, name) for name in names}


@dataclass(frozen=True, eq=False)
class UnitSample(CountSample):
    """Two models' label sets, or sums of counts, as units; they have no joint outcomes of items."""

    units: Units
    items: Items
    about: ReadingNotes = field(default_factory=ReadingNotes)
    alone: Units | None = None
    sampling: Sampling | None = None

    def table(self, measure: Measure) -> Units:
        """Return the units."""
        return self.units

    def ungrouped(self) -> UnitSample:
        """Return the same sample as if every item stood for itself."""
        return replace(self, units=self.alone or self.units, alone=None, sampling=None)

    def with_units(self, units: Units, items_per_unit: float = 1.0) -> UnitSample:
        """Return the sample that these units make."""
        items = replace(self.items, n=round(units.n * items_per_unit))
        sampling = None if self.sampling is None else replace(self.sampling, n_units=units.n)
        return replace(self, units=units, items=items, alone=None, sampling=sampling)

    @property
    def n(self) -> int:
        """All items."""
        return self.items.n

    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Return the labels and how many items have each."""
        return list(zip(self.items.labels, self.counts(measure)[0].truths.tolist(), strict=True))

    @property
    def fingerprint(self) -> str:
        """A hash of the data."""
        return self.units.fingerprint(self.items.fingerprint)

    @property
    def outcomes(self) -> dict[str, int]:
        """Who is right on how many items."""
        return self.items.outcomes
