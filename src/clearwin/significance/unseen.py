"""What a test set could have missed: a rare kind of unit on which the model that is ahead fails.

Two test sets from the same source can have such failures or not, and the one without them looks better and more
certain. So nothing here depends on whether failures were seen. A kind that has a share q of the population is missing
among n units with chance (1 − q)^n, and a unit of it can take away no more than its values allow. Where they have a
range, the p-value allows for that; where they have none, a caveat says what the result assumes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearwin.data.questions import Question
from clearwin.data.values import ValueSample
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Coverage
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.resampling.contributions import Contributions, OfCrossedGroups, SumsOfInfluence, SumsOfValues
from clearwin.resampling.functionals import SMALLEST, Functional, OfEqualValues, OfScores, OfSteps, OfUnits
from clearwin.significance.claims import JudgedDifference, PValueFunction

HARMLESS = 0.8  # up to this ratio a failure that was missed can take no result at 5 % away
AS_LARGE_AGAIN = 3.0  # times the largest difference seen: what is assumed of values without a range
LIKELY_A_SHARE = 0.5  # values between 0 and 1 that come above this are taken for shares


@dataclass(frozen=True)
class Unseen:
    """What units that were missed could add to a mean over all units: from ``low`` to ``high`` each.

    ``decides`` says whether p and interval allow for them, ``what`` names them where a caveat must do.
    """

    units: int
    error: float
    degrees: float
    low: float
    high: float
    decides: bool = True
    what: str = ""

    def p_value(self, observed: float, delta: float, claim: Claim) -> PValue:
        """Return the tail of the observed value where δ is true; that of whoever is ahead where no side is claimed."""
        above = observed > delta if claim == "different" else claim == "better"
        gain, loss = (observed - delta, delta - self.low) if above else (delta - observed, self.high - delta)
        return pvalues.of_unseen(gain, self.error, self.degrees, self.units, loss)

    @property
    def ratio(self) -> float:
        """What one unit can take away, over the standard error of that many units' sum."""
        largest = max(-self.low, self.high) if self.low < 0.0 < self.high else self.high - self.low
        return largest / (self.error * self.units)

    @property
    def units_needed(self) -> float:
        """How many units make a failure that was missed harmless, if they vary as these do."""
        return self.units * (self.ratio / HARMLESS) ** 2

    @property
    def share(self) -> float:
        """The share of all units that is enough for such failures to move the mean by a standard error."""
        return 1.0 / (1.0 + self.ratio * self.units)

    @property
    def most_missed(self) -> float:
        """The share of a kind that this many units miss one time in twenty."""
        return -math.expm1(math.log(0.05) / self.units)


class AllowingForUnseen(PValueFunction):
    """p(δ) of another function, or the tail that allows for units that were missed, if that is larger."""

    unseen: Unseen

    def __init__(self, seen: PValueFunction, unseen: Unseen) -> None:
        self.seen, self.unseen = seen, unseen
        self.observed, self.error, self.method, self.skewness = seen.observed, seen.error, seen.method, seen.skewness

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        return self.seen.why

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the standard error."""
        return self.seen.degrees

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return self.seen.t(delta)

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether p has a floor."""
        return self.seen.bounded_by_sign_test(n_differing_units)

    def null(self) -> Floats | None:
        """Return the statistics that were drawn where the value is 0."""
        return self.seen.null()

    def undefined(self) -> int:
        """Return in how many of them the measure was 0/0."""
        return self.seen.undefined()

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ)."""
        p_values = self.seen.p_value(delta, claim), self.unseen.p_value(self.observed, delta, claim)
        return max(p_values, key=lambda p: p.log10)

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return the further of two ends: where p(δ) of what was seen falls to the level, and where the other does."""
        allowed = _OfUnseen(self.unseen, self.observed)
        return max(self.seen._end(direction, coverage, known), allowed._end(direction, coverage, known))


class _OfUnseen(PValueFunction):
    """The tail that allows for units that were missed, alone."""

    unseen: Unseen
    method, why, degrees = "", "", 0.0

    def __init__(self, unseen: Unseen, observed: float) -> None:
        self.unseen, self.observed, self.error, self.degrees = unseen, observed, unseen.error, unseen.degrees

    def t(self, delta: float) -> float:
        return (self.observed - delta) / self.error

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        return False

    def p_value(self, delta: float, claim: Claim) -> PValue:
        return self.unseen.p_value(self.observed, delta, claim)


def of_items(question: Question[Any], estimand: Functional, *, single: bool, weight: float) -> Unseen | None:
    """Return what independent items, or documents, could have missed; None where nothing more than was added."""
    sample, measure, n = question.sample, question.measure, round(float(estimand.times.sum()))
    if isinstance(estimand, OfUnits):
        plain = Unseen(n, estimand.error, n - 1.0, 0.0, 0.0, decides=False)
        if measure.mean_over_documents:
            low, high = _over_models(0.0, 1.0, single=single, weight=weight)
            return replace(plain, low=low, high=high, what="documents of which one model gets every label wrong")
        if measure.takes == "sums":
            drawn = estimand.influence(estimand.times[:, None])[estimand.times > 0.0, 0]
            return _beyond(plain, drawn, estimand.observed, "documents")
        return None
    if not isinstance(sample, ValueSample) or isinstance(estimand, OfEqualValues) or sample.are_decisions:
        return None
    plain = Unseen(n, estimand.error, n - 1.0, 0.0, 0.0)
    factor = sample.factor(measure)
    drawn = factor * (sample.a if single else sample.b - weight * sample.a)
    limits = _limits(question, single=single)
    if isinstance(estimand, OfSteps) and limits is not None and limits[1] - limits[0] <= 1.0:
        return None
    return _of_values(plain, question, drawn, estimand.observed, single=single, weight=weight)


def of_units(question: Question[Any], added: Contributions, *, single: bool, weight: float) -> Unseen | None:
    """Return what groups, or the items of strata, could have missed.

    A whole group that fails on all of its items is so far from those seen that hardly any number of groups could rule
    it out, so groups are treated as values without a range.
    """
    sample, sampling, n = question.sample, question.sampling, added.n
    of_scores = isinstance(added, SumsOfInfluence) and isinstance(added.estimand, OfScores)
    if sampling is None or added.error**2 <= SMALLEST or n < 2 or of_scores or isinstance(added, OfCrossedGroups):
        return None
    plain = Unseen(n, added.error, added.deviation(added.observed).degrees, 0.0, 0.0)
    if sampling.unit == "group":
        by_values = isinstance(added, SumsOfValues)
        drawn = n * (added.at(0.0 if by_values else added.observed)[0])
        return _beyond(plain, drawn, added.observed if single and by_values else 0.0, "groups", single=single)
    if not isinstance(sample, ValueSample) or sample.are_decisions:
        return None
    drawn = sample.factor(question.measure) * (sample.a if single else sample.b - weight * sample.a)
    return _of_values(plain, question, drawn, added.observed, single=single, weight=weight)


def _of_values(
    plain: Unseen, question: Question[Any], drawn: Floats, observed: float, *, single: bool, weight: float
) -> Unseen:
    """Return the same with the range of the values, or what is assumed where they have none."""
    measure = question.measure
    if measure.clipped:
        clipped, rare = measure.bounds[1], math.log(4.0 * plain.units)
        if clipped > rare:
            most = max(rare, float(np.abs(drawn).max()))
            low, high = _over_models(0.0, most, single=single, weight=weight)
            given = f"{math.exp(-most):.2g}"
            what = f"items to whose true class a model gives a probability of {given}"
            return replace(plain, low=low, high=high, decides=False, what=what)
    limits = _limits(question, single=single)
    if limits is None:
        return _beyond(plain, drawn, observed if single else 0.0, "items", single=single)
    factor = question.sample.factor(measure)
    low, high = _over_models(factor * limits[0], factor * limits[1], single=single, weight=weight)
    return replace(plain, low=low, high=high)


def _beyond(plain: Unseen, drawn: Floats, centre: float, noun: str, *, single: bool = False) -> Unseen:
    """Return the same for units that may lie three times as far out as the furthest one seen."""
    furthest = AS_LARGE_AGAIN * float(np.abs(drawn - centre).max())
    differ = "lie three times as far from the mean as" if single else "differ three times as much as"
    what = f"{noun} that {differ} any here"
    return replace(plain, low=centre - furthest, high=centre + furthest, decides=False, what=what)


def _limits(question: Question[Any], *, single: bool) -> tuple[float, float] | None:
    """Return the range of the values, or None: as declared, or from 0 to 1 where one model's values look like shares.

    For the difference of two models a range must be declared, because close models need many items to use it.
    """
    measure, sample = question.measure, question.sample
    low, high = measure.bounds
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    undeclared = single and measure.takes == "values" and measure.higher_is_better and not math.isfinite(low)
    if undeclared and sample.values.min() >= 0.0 and LIKELY_A_SHARE < sample.values.max() <= 1.0:
        return 0.0, 1.0
    return None


def _over_models(low: float, high: float, *, single: bool, weight: float) -> tuple[float, float]:
    """Return the range of b − weight · a, or of a."""
    return (low, high) if single else (low - weight * high, high - weight * low)
