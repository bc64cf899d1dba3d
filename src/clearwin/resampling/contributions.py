"""Groups and strata: what each unit that was drawn adds to a difference, or to the value of one model.

If δ is the true value, every group adds c to the observed value less δ: the influence values of its items, taken in the
likeliest population that has the value δ, and summed. The groups are independent, so t = Σc/√Σ(c − c̄)² is compared
with Student's distribution with one degree of freedom less than there are groups. Taking the influence values at δ and
not where the data lie keeps a large group from hiding its own deviation (the restricted residuals of Cameron, Gelbach
and Miller 2008), and by Bakirov and Székely (2005) groups of unequal size only make the test more careful.

Where some groups hold much more than others of what the measure counts, there are fewer degrees of freedom: one less
than the effective number of groups of Carter, Schnepel and Steigerwald (Review of Economics and Statistics 99, 2017).
The difference of two rankings is not tilted: where few groups hold positives, the population would rest on one or two
of them. What the groups add to it is moved by the same amount, as in DeLong's test.

For strata the deviations are those within each, and the degrees of freedom add up (Satterthwaite 1946).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch

import numpy as np

from clearwin.counts import Counts
from clearwin.data.clusters import effective_number
from clearwin.data.samples import CountSample, Sample
from clearwin.data.scores import ScoreSample
from clearwin.data.units import Rows, Units, units_of_outcomes
from clearwin.data.values import ValueSample
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats
from clearwin.resampling.functionals import (
    SMALLEST,
    Functional,
    OfDecisions,
    OfScores,
    OfUnits,
    is_designed,
    never_differ,
    weighed,
)

MOST_TILTED = 20_000  # units up to which a population is looked for at every δ
UNREACHED = 0.05  # of a standard error: a population that is further from δ was not found
FOUND = 1e-3  # of a standard error: a population that is nearer to δ has that value, as good as exactly
MANY = 200  # groups, or items of strata, that hardly differ from the population's


@dataclass(frozen=True)
class Deviation:
    """How far the observed value is from δ: t, t corrected for skewness, and their degrees of freedom.

    ``skewness`` is that of what all units add, whatever its sign.
    """

    t: float
    corrected: float
    degrees: float
    skewness: float


class Contributions(ABC):
    """What units add to the observed value less δ; there are ``times`` units of each kind, in stratum ``strata``."""

    observed: float
    times: Counts
    strata: Counts

    @abstractmethod
    def at(self, delta: float) -> tuple[Floats, float]:
        """Return what each kind of unit adds if δ is true, and the variance of what did not occur but could have."""

    def is_smooth(self, delta: float) -> bool:
        """Return whether what units add moves smoothly with δ there."""
        return True

    @cached_property
    def n(self) -> int:
        """All units."""
        return int(self.times.sum())

    @cached_property
    def effective(self) -> float:
        """How many units that weigh equally much would be as good."""
        return float(self.n)

    @cached_property
    def error(self) -> float:
        """The standard error as observed."""
        return float(np.sqrt(self.moments(self.observed)[0]))

    def deviation(self, delta: float) -> Deviation:
        """Return how far the observed value is from δ.

        Hall (Journal of the Royal Statistical Society B 54, 1992): t + √n (γτ²/3 + γ²τ³/27 + γ/6n), τ = t/√n, has
        lost its skewness γ.
        """
        variance, skewness, degrees = self.moments(delta)
        t = float(self.at(delta)[0] @ self.times) / np.sqrt(variance)
        root = np.sqrt(self.n)
        tau = np.clip(t / root, -1e90, 1e90)  # so that its cube is still a float
        corrected = root * (tau + skewness * tau**2 / 3 + skewness**2 * tau**3 / 27) + skewness / (6 * root)
        return Deviation(float(t), float(corrected), degrees, abs(skewness) / float(root))

    def moments(self, delta: float) -> tuple[float, float, float]:
        """Return the variance of what all units add, the skewness of what one adds, and the degrees of freedom."""
        added, besides = self.at(delta)
        sizes = np.bincount(self._drawn_with, self.times).astype(np.float64)
        means = np.bincount(self._drawn_with, self.times * added) / np.maximum(sizes, 1.0)
        gaps = added - means[self._drawn_with]
        # n/(n − 1) within each stratum: its mean is estimated, too
        varied = np.bincount(self._drawn_with, self.times * gaps**2) * sizes / np.maximum(sizes - 1.0, 1.0)
        variance = max(float(varied.sum()) + besides, SMALLEST)
        spread, third = float(self.times @ gaps**2), float(self.times @ gaps**3)
        skewness = third / spread**1.5 * np.sqrt(self.n) if spread**1.5 > 0.0 else 0.0
        own, free = float((varied**2 / np.maximum(sizes - 1.0, 1.0)).sum()), float((sizes - 1.0).clip(0.0).sum())
        degrees = min(float(varied.sum()) ** 2 / own, free) if own > 0.0 else free
        # a whole number, where it is one but for rounding
        return variance, float(skewness), max(round(degrees, 6), 1.0)

    @cached_property
    def _drawn_with(self) -> Counts:
        """The strata; those of one unit are taken together, because alone it does not show how much they vary."""
        sizes = np.bincount(self.strata, self.times)
        alone = sizes <= 1
        if not alone.any():
            return self.strata
        strata = np.where(alone, sizes.size, np.arange(sizes.size))[self.strata]
        return np.asarray(np.unique(strata, return_inverse=True)[1])


class SumsOfInfluence(Contributions):
    """For a formula on counts, or a ranking: sums of the influence values of a unit's items."""

    def __init__(
        self,
        estimand: Functional,
        sums: Callable[[Floats], Floats],
        times: Counts,
        strata: Counts,
        *,
        whole_groups: bool = False,
        holding_classes: float = math.inf,
        shifted: bool = False,
    ) -> None:
        self.estimand, self.sums, self.times, self.strata = estimand, sums, times, strata
        self.observed, self.whole_groups, self.holding_classes = estimand.observed, whole_groups, holding_classes
        self.shifted = shifted or (estimand.times.size > MOST_TILTED and self.n >= MANY)
        self._at_delta: dict[float, tuple[Floats, float]] = {}  # at the δ that was asked for last
        self._missed: dict[float, float] = {}  # how far from each δ that was asked for its population is

    def at(self, delta: float) -> tuple[Floats, float]:
        """Return the sums in the likeliest population with the value δ, and the variance of the added items."""
        estimand = self.estimand
        if delta == self.observed:
            return self._as_observed
        if self.shifted:
            return self._shifted(delta)
        if delta not in self._at_delta:
            shares = estimand.tilted_closely(delta)
            self._missed[delta] = abs(float(estimand.values(shares[:, None])[0]) - delta)
            # a lowest cost jumps from threshold to threshold, and beyond the last one no population has the value
            there = self._missed[delta] <= UNREACHED * self.error
            self._at_delta = {delta: self._at(shares) if there else self._shifted(delta)}
        return self._at_delta[delta]

    def moments(self, delta: float) -> tuple[float, float, float]:
        """Return variance, skewness and degrees of freedom, of which groups that hold little have less."""
        variance, skewness, degrees = super().moments(delta)
        return variance, skewness, max(min(degrees, self.effective - 1.0), 1.0)

    @cached_property
    def effective(self) -> float:
        """How many groups that hold equally much of what a model's value counts would be as good (Carter et al. 2017).

        A precision counts what is predicted positive: where most of that is in a few groups, they decide. A ranking
        counts the items of either class.
        """
        if isinstance(self.estimand, OfScores):
            return min(float(self.n), self.holding_classes)
        if not self.whole_groups or not isinstance(self.estimand, OfDecisions):
            return float(self.n)
        held = [self.sums(counting) for counting in self.estimand.counting]
        return min((float(w @ self.times) ** 2 / float(w**2 @ self.times) for w in held if w.any()), default=1.0)

    def is_smooth(self, delta: float) -> bool:
        """Return whether the measure moves smoothly, and the population with the value δ was found."""
        if delta == self.observed or self.shifted:
            return True
        if delta not in self._missed:
            self.at(delta)
        return self.estimand.smooth and self._missed[delta] <= FOUND * self.error

    def _shifted(self, delta: float) -> tuple[Floats, float]:
        """Return the sums as observed, moved so that all of them add up to the observed value less δ."""
        added, besides = self._as_observed
        return added + (self.observed - delta) / self.n, besides

    @cached_property
    def _as_observed(self) -> tuple[Floats, float]:
        return self._at(self.estimand.times / self.estimand.times.sum())

    def _at(self, shares: Floats) -> tuple[Floats, float]:
        n = self.estimand.times.sum()
        influence = self.estimand.influence((shares * n)[:, None])[:, 0] / n
        return self.sums(influence), float(self.estimand.extra @ influence**2)


class SumsOfValues(Contributions):
    """For a mean of values: a unit adds its sum, less δ for each of its items."""

    def __init__(
        self, sample: ValueSample, measure: Measure, *, single: bool, swapped: bool, weight: float = 1.0
    ) -> None:
        alike, step, decisions = not single and never_differ(sample), sample.step, sample.are_decisions
        self.n_items = sample.n
        sample = weighed(sample, weight)
        # exchanging the models adds up the same numbers in the same order
        units = replace(sample, values=sample.values[[-1, 0]]).units if swapped else sample.units
        self.sums = sample.factor(measure) * (units.a if single else units.differences) / sample.n
        self.shares = units.counts / sample.n
        self.observed = float(self.sums.sum())
        self.counts = units.counts
        self.times = np.ones(units.counts.size, dtype=np.int64)
        self.strata = np.repeat(np.arange(units.first.size - 1), np.diff(units.first))
        # of two items on which the models differ, one each way, where there is none: as OfEqualValues adds them
        self.besides = 2.0 * (sample.factor(measure) * step / sample.n) ** 2 if alike else 0.0
        # values that are right and wrong always have two such items, as OfSteps adds them
        ends = np.array([0.0, 1.0] if single else [-weight, 1.0])
        self.ends = sample.factor(measure) / sample.n * ends if decisions else None

    @cached_property
    def effective(self) -> float:
        """How many units of one size would be as good: N²/Σn²."""
        return effective_number(self.counts)

    def at(self, delta: float) -> tuple[Floats, float]:
        """Return each unit's sum less δ for each of its items, and the variance of items that could differ."""
        besides = self.besides if self.ends is None else float(((self.ends - delta / self.n_items) ** 2).sum())
        return self.sums - delta * self.shares, besides


class OfCrossedGroups(Contributions):
    """For items that share one thing with some items and another with others: annotators and documents, say.

    What varies with either adds up, less what was counted twice (Cameron, Gelbach and Miller 2011), and is no less than
    what varies with one of them alone. The factor with the fewest groups says how many degrees of freedom there are.
    """

    def __init__(self, first: Contributions, others: list[tuple[int, Contributions]]) -> None:
        self.first, self.others = first, others
        self.observed, self.times, self.strata = first.observed, first.times, first.strata

    def at(self, delta: float) -> tuple[Floats, float]:
        """Return what the groups of the first factor add."""
        return self.first.at(delta)

    def is_smooth(self, delta: float) -> bool:
        """Return whether what the groups of every factor add moves smoothly."""
        return self.first.is_smooth(delta) and all(other.is_smooth(delta) for _, other in self.others)

    def moments(self, delta: float) -> tuple[float, float, float]:
        """Return variance, skewness and degrees of freedom."""
        variance, skewness, degrees = self.first.moments(delta)
        total, largest = variance, variance
        for sign, other in self.others:
            others_moments = other.moments(delta)
            total += sign * others_moments[0]
            if sign > 0:
                largest, degrees = max(largest, others_moments[0]), min(degrees, others_moments[2])
        return max(total, largest), skewness, degrees


def contributions(
    sample: Sample, measure: Measure, *, single: bool = False, swapped: bool = False, weight: float = 1.0
) -> Contributions | None:
    """Return what groups, or the items of strata, add to b − weight · a in the measure, or to the value of A.

    ``swapped`` exchanges A and B. None where the measure does not move with each item.
    """
    first = _contributions(sample, measure, single=single, swapped=swapped, weight=weight)
    if first is None or not is_designed(sample) or not sample.about.crossed:
        return first
    others = []
    for sign, other in sample.about.crossed:
        added = _contributions(other, measure, single=single, swapped=swapped, weight=weight)
        assert added is not None
        others.append((sign, added))
    return OfCrossedGroups(first, others)


@singledispatch
def _contributions(
    sample: Sample, measure: Measure, *, single: bool, swapped: bool, weight: float
) -> Contributions | None:
    return None


@_contributions.register(CountSample)
def _of_counts(
    sample: CountSample, measure: Measure, *, single: bool, swapped: bool, weight: float
) -> Contributions | None:
    joint = sample.joint_outcomes
    units = units_of_outcomes(joint) if joint is not None and sample.units is None else sample.table(measure)
    if swapped:
        units = units.swapped()
    estimand: Functional
    if joint is not None and units.disagreements is None:
        by_outcome = OfDecisions(joint.swapped() if swapped else joint, measure, single=single, weight=weight)
        place = by_outcome.places(joint)
        estimand = by_outcome
    elif units.disagreements is not None and not measure.needs_matrix:
        estimand = OfUnits(_one_by_one(units), measure, single=single, weight=weight)
        place = np.arange(units.n_features)
    else:
        return None
    rows = units.rows

    def sums(influence: Floats) -> Floats:
        weights = rows.values * influence[place[rows.features]]
        return np.asarray(np.bincount(rows.row_of_entry, weights, minlength=rows.size))

    whole_groups = sample.sampling is not None and sample.sampling.unit == "group"
    return SumsOfInfluence(estimand, sums, rows.times, units.strata, whole_groups=whole_groups)


def _one_by_one(units: Units) -> Units:
    """Return units that add one to one feature each, as many as there are in all."""
    features = np.arange(units.n_features)
    rows = Rows(np.arange(features.size + 1), features, np.ones_like(features), units.observed)
    return replace(units, rows=rows, strata=np.zeros_like(features))


@_contributions.register(ScoreSample)
def _of_scores(
    sample: ScoreSample, measure: Measure, *, single: bool, swapped: bool, weight: float
) -> Contributions | None:
    # in the order of whoever leads, so that neither the order of the items nor that of the models matters
    columns = sample.scores[:1] if single else sample.scores[:: -1 if swapped else 1]
    sample = replace(sample, scores=columns).arranged
    estimand = OfScores(sample, measure, single=single, weight=weight)
    unit = sample.grouping.units(sample.n)
    strata = sample.truth.astype(np.int64) if sample.stratified else sample.grouping.strata_of_units(sample.n)

    def sums(influence: Floats) -> Floats:
        return np.asarray(np.bincount(unit, influence[estimand.unit_of_item]))

    times, by_class = np.ones(int(unit.max()) + 1, dtype=np.int64), sample.groups_of_classes
    if by_class is None:
        return SumsOfInfluence(estimand, sums, times, strata)
    # a population in which few positives have the difference δ would rest on one or two of them
    return SumsOfInfluence(estimand, sums, times, strata, holding_classes=by_class[1], shifted=not single)


@_contributions.register(ValueSample)
def _of_values(
    sample: ValueSample, measure: Measure, *, single: bool, swapped: bool, weight: float
) -> Contributions | None:
    if not measure.is_mean:
        return None
    return SumsOfValues(sample, measure, single=single, swapped=swapped, weight=weight)
