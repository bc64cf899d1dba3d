"""What is asked: two classifiers, a measure, a claim, and how the answer is to be found.

Decisions come as joint counts, scores and per-item values as items; a test sees neither the user's labels nor files.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clearwin.auc_covariance import AucCovariance, auc_covariance, clustered_variance, difference_variance
from clearwin.counts import AnyCounts, ConfusionMatrix, Counts, JointCounts
from clearwin.execution import Seed
from clearwin.grouping import effective_number
from clearwin.intervals import Coverage
from clearwin.measures import Measure
from clearwin.result import Claim, Sampling, Side
from clearwin.scores import Ranking, ScoredItems
from clearwin.unit_tables import units_of_classes, units_of_outcomes
from clearwin.units import Units
from clearwin.values import PairedValues

# DeLong by groups finds differences between equal models 5.5 % of the time at 5 % with 40 groups (`make study`)
FEWEST_GROUPS_FOR_DELONG = 40


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


@dataclass(frozen=True, eq=False)
class ScoreQuestion(AnyQuestion):
    """Two models' scores on the same items; ``stratified`` resampling keeps the class sizes."""

    items: ScoredItems
    measure: Measure
    claim: Claim
    method: str
    interval: str
    confidence_level: float
    n_resamples: int
    seed: Seed
    stratified: bool = False

    @cached_property
    def sampling(self) -> Sampling | None:  # type: ignore[override]
        """What is drawn whole and held fixed."""
        return self.items.grouping.sampling(self.items.n)

    def ungrouped(self) -> ScoreQuestion:
        """Return the same question as if every item stood for itself."""
        return replace(self, items=replace(self.items, grouping=self.items.grouping.without_groups()))

    @cached_property
    def arranged(self) -> ScoredItems:
        """The items in the order in which they are drawn."""
        return self.items.arranged(by_class=self.stratified)

    @cached_property
    def areas(self) -> AucCovariance:
        """The models' areas under the ROC curve, with their covariance."""
        return auc_covariance(self.items.truth, self.items.scores)

    @cached_property
    def groups_of_classes(self) -> tuple[int, float] | None:
        """How many groups hold items of the class that lies in fewer, and how many of one size would weigh as much."""
        groups = self.items.grouping.groups
        if groups is None:
            return None
        sizes = [np.bincount(groups[which]) for which in (self.items.truth, ~self.items.truth)]
        return min(int((s > 0).sum()) for s in sizes), min(effective_number(s) for s in sizes)

    @property
    def groups_for_delong(self) -> bool:
        """Whether there are groups, and enough of them for a variance by groups."""
        found = self.groups_of_classes
        return found is not None and found[1] >= FEWEST_GROUPS_FOR_DELONG and not self.items.grouping.stratum_names

    @cached_property
    def area_variance(self) -> float | None:
        """The variance of the difference of two areas, or of one area: DeLong's, or Obuchowski's by groups.

        None where a class lies in one group.
        """
        if self.items.grouping.groups is not None:
            if self.groups_of_classes is not None and self.groups_of_classes[0] < 2:
                return None
            return clustered_variance(self.items.truth, self.items.scores, self.items.grouping.groups)
        single = len(self.items.scores) == 1
        return float(self.areas.covariance[0, 0]) if single else difference_variance(self.areas)

    @cached_property
    def estimates(self) -> tuple[float, float]:
        """The measure's values for the first and the last model; one model is compared with itself."""
        if self.measure.name == "auc":
            values = [float(area) for area in self.areas.aucs]
        else:
            values = [scan(self.measure, ranking) for ranking in self.arranged.rankings]
        return values[0], values[-1]

    @property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The classes and how many items each has."""
        positives = self.items.positives
        return [(self.items.negative, self.items.n - positives), (self.items.positive, positives)]

    @property
    def fingerprint(self) -> str:
        """A hash of truth and scores."""
        return self.items.fingerprint

    @property
    def outcomes(self) -> dict[str, int]:
        """How many items each class has."""
        (_, negatives), (_, positives) = self.class_sizes
        return {"positives": positives, "negatives": negatives}


@dataclass(frozen=True, eq=False)
class ValueQuestion(AnyQuestion):
    """Two models' values on the same items: values as such, or losses of scores, which then know their classes."""

    values: PairedValues
    measure: Measure
    claim: Claim
    method: str
    interval: str
    confidence_level: float
    n_resamples: int
    seed: Seed
    classes: tuple[tuple[object, int], ...] = ()

    @cached_property
    def sampling(self) -> Sampling | None:  # type: ignore[override]
        """What is drawn whole and held fixed."""
        return self.values.grouping.sampling(self.n)

    def ungrouped(self) -> ValueQuestion:
        """Return the same question as if every item stood for itself."""
        return replace(self, values=replace(self.values, grouping=self.values.grouping.without_groups()))

    @property
    def n(self) -> int:
        """All items."""
        return self.values.n

    @property
    def is_mean(self) -> bool:
        """Whether the measure is a mean or a sum of the items' values; a trimmed mean is neither."""
        return self.measure.decomposition == "items"

    @property
    def factor(self) -> float:
        """What the mean is multiplied by: a sum is that of as many items as there are, in every replicate."""
        return float(self.n) if self.measure.is_sum else 1.0

    @cached_property
    def estimates(self) -> tuple[float, float]:
        """The measure's values for A and B; sums are rounded once, whatever the order of the items."""
        if self.is_mean:
            a, b = (self.factor * math.fsum(x) / self.n for x in (self.values.a, self.values.b))
            return a, b
        from clearwin import value_kernels

        once = np.ones(self.n, dtype=np.uint16)
        trimmed = [
            value_kernels.trimmed_mean(np.sort(x), once, self.measure.trimmed) for x in (self.values.a, self.values.b)
        ]
        return float(trimmed[0]), float(trimmed[1])

    @cached_property
    def difference(self) -> float:
        """Return b − a; of means by the items' own differences, which do not drown in large values that both share."""
        if self.is_mean:
            return self.factor * math.fsum(self.values.differences) / self.n
        return self.estimates[1] - self.estimates[0]

    @property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The classes of the truth behind losses and how many items each has."""
        return list(self.classes)

    @property
    def fingerprint(self) -> str:
        """A hash of values, groups and strata."""
        return self.values.fingerprint

    @property
    def outcomes(self) -> dict[str, int]:
        """Who has the higher value on how many items."""
        higher, lower = int((self.values.differences > 0).sum()), int((self.values.differences < 0).sum())
        return {"b_higher": higher, "a_higher": lower, "equal": self.n - higher - lower}


def scan(measure: Measure, ranking: Ranking) -> float:
    """Return a ranking measure of one model's items, each counted once."""
    from clearwin import kernels

    once = np.ones(ranking.order.size, dtype=np.uint16)
    options = np.array(measure.scan_options(), dtype=np.float64)
    return float(kernels.scan(getattr(kernels, measure.scan), once, ranking.positive, ranking.last, options))
