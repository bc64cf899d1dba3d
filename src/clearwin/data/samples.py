"""What is asked: two classifiers, a measure, a claim, and how the answer is to be found.

Decisions come as joint counts, scores and per-item values as items; a test sees neither the user's labels nor files.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import AnyCounts, ConfusionMatrix, Counts, JointCounts
from clearwin.data.arrays import Label
from clearwin.data.spelling import Strange
from clearwin.data.units import Units, units_of_classes, units_of_outcomes
from clearwin.execution import Seed
from clearwin.measures import Measure
from clearwin.numerics.intervals import Coverage, Side
from clearwin.numerics.pvalues import Claim
from clearwin.results.base import Caveat, Sampling


@dataclass(frozen=True)
class Items:
    """What is known of items that are no longer told apart: how many, their labels, how they divide, a hash."""

    n: int
    labels: tuple[object, ...]
    outcomes: dict[str, int]
    fingerprint: str


class AnyQuestion:
    """What all questions share: a measure, a claim, and how the answer is to be found."""

    measure: Measure
    sampling: Sampling | None
    claim: Claim
    method: str
    interval: str
    confidence_level: float
    n_resamples: int
    seed: Seed

    @property
    def estimates(self) -> tuple[float, float]:
        """The measure's values for A and B."""
        raise AttributeError  # each kind of question has its own

    @property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The classes and how many items each has; none where the data have no classes."""
        raise AttributeError

    @property
    def n(self) -> int:
        """All items."""
        return sum(size for _, size in self.class_sizes)

    @property
    def fingerprint(self) -> str:
        """A hash of the data."""
        raise AttributeError

    @property
    def outcomes(self) -> dict[str, int]:
        """How the items divide, for the record."""
        raise AttributeError

    @property
    def groups_for_delong(self) -> bool:
        """Whether there are groups, and enough of them for a variance by groups."""
        return False

    def ungrouped(self) -> AnyQuestion:
        """Return the same question as if every item stood for itself."""
        raise AttributeError

    @property
    def difference(self) -> float:
        """Return b − a."""
        return self.estimates[1] - self.estimates[0]

    @property
    def gain(self) -> float:
        """The difference turned so that more is better."""
        return self.measure.sign * self.difference

    @property
    def coverage(self) -> Coverage:
        """What is asked of the interval of the difference: a one-sided claim asks for one bound."""
        low, high = self.measure.bounds
        wants_more = (self.claim == "better") == self.measure.higher_is_better
        side: Side = "two-sided" if self.claim == "different" else "lower" if wants_more else "upper"
        return Coverage(self.confidence_level, side, low - high, high - low)


class CountQuestion(AnyQuestion):
    """What questions of counts share: units that add whole numbers to features, which the measure is a formula on."""

    alone: Units | None

    @property
    def table(self) -> Units:
        """The units."""
        raise AttributeError  # each kind of question has its own

    def evaluate(self, totals: Counts) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
        """Return the measure of A and of B for every column of totals, and how often it was 0/0 for either."""
        a, b = (self.measure.evaluate(counts) for counts in self.table.read(totals))
        return a.values, b.values, int((a.undefined | b.undefined).sum())

    @cached_property
    def counts(self) -> tuple[AnyCounts, AnyCounts]:
        """The observed counts of A and B that the measure is a formula on."""
        return self.table.read(self.table.observed)

    @cached_property
    def estimates(self) -> tuple[float, float]:
        """The measure's values for A and B."""
        a, b = (self.measure.evaluate(counts) for counts in self.counts)
        return float(a.values), float(b.values)


@dataclass(frozen=True, eq=False)
class Question(CountQuestion):
    """Two classifiers' decisions, as joint counts; ``units`` where items come in groups or strata."""

    joint: JointCounts
    measure: Measure
    claim: Claim
    method: str
    interval: str
    confidence_level: float
    n_resamples: int
    seed: Seed
    _: KW_ONLY
    units: Units | None = None
    alone: Units | None = None  # if every item stood for itself
    sampling: Sampling | None = None

    @cached_property
    def table(self) -> Units:
        """The units: those given, or the items."""
        if self.units is not None:
            return self.units
        if self.joint.k > 2 and not self.measure.needs_matrix:
            return units_of_classes(self.joint)
        return units_of_outcomes(self.joint)

    def ungrouped(self) -> Question:
        """Return the same question as if every item stood for itself."""
        return replace(self, units=self.alone, alone=None, sampling=None)

    @cached_property
    def confusions(self) -> tuple[ConfusionMatrix, ConfusionMatrix]:
        """The observed confusion matrices of A and B."""
        return self.joint.confusions()

    @property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The classes and how many items each has."""
        return list(zip(self.joint.labels, self.confusions[0].truths.tolist(), strict=True))

    @property
    def fingerprint(self) -> str:
        """A hash of the counts."""
        return self.joint.fingerprint if self.units is None else self.units.fingerprint(self.joint.fingerprint)

    @property
    def outcomes(self) -> dict[str, int]:
        """Who is wrong on how many items."""
        names = ("both_right", "only_a_wrong", "only_b_wrong", "both_wrong", "disagreements")
        return {name: getattr(self.joint, name) for name in names}


@dataclass(frozen=True, eq=False)
class UnitQuestion(CountQuestion):
    """Two classifiers' label sets, or sums of counts, as units; they have no joint outcomes of items."""

    units: Units
    items: Items
    measure: Measure
    claim: Claim
    method: str
    interval: str
    confidence_level: float
    n_resamples: int
    seed: Seed
    _: KW_ONLY
    alone: Units | None = None
    sampling: Sampling | None = None

    @property
    def table(self) -> Units:
        """The units."""
        return self.units

    def ungrouped(self) -> UnitQuestion:
        """Return the same question as if every item stood for itself."""
        return replace(self, units=self.alone or self.units, alone=None, sampling=None)

    @property
    def n(self) -> int:
        """All items."""
        return self.items.n

    @property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The labels and how many items have each."""
        return list(zip(self.items.labels, self.counts[0].truths.tolist(), strict=True))

    @property
    def fingerprint(self) -> str:
        """A hash of the data."""
        return self.units.fingerprint(self.items.fingerprint)

    @property
    def outcomes(self) -> dict[str, int]:
        """Who is right on how many items."""
        return self.items.outcomes


@dataclass(frozen=True)
class About:
    """What was decided about the classes and thresholds before the question could be asked."""

    positive: Label | None
    inferred: bool
    against_others: tuple[Label, ...] = ()
    thresholds: tuple[float, ...] | None = None
    caveats: tuple[Caveat, ...] = ()
    labels: tuple[str, ...] | None = None  # those that were chosen among more
    strange: tuple[Strange, ...] = ()  # each model's answers that the truth never has
