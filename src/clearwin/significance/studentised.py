"""The studentised test: is the measure equal? One p-value function gives the p-value and the interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearwin.data.questions import Question
from clearwin.errors import NotApplicableError
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Coverage, Interval, Side, alpha_of, student_quantile
from clearwin.numerics.pvalues import Claim
from clearwin.resampling.functionals import Functional, functional
from clearwin.results.base import Distribution
from clearwin.significance.base import Finding, test

# from here on Student's t and the drawn distribution can hardly be told apart
ENOUGH_DEGREES = 1_000
ENDS = 4_000  # test sets that an end of the interval is found by
TIE = 1e-9  # of a standard error
CLOSE = 0.01  # of a standard error, to which the ends of an interval are found
MOST_STEPS = 30
OTHER_SIDE: dict[Claim, Claim] = {"different": "different", "better": "worse", "worse": "better"}
MIRRORED: dict[Side, Side] = {"two-sided": "two-sided", "lower": "upper", "upper": "lower"}


class PValueFunction:
    """p(δ): how seldom a test set is as far from δ as this one, if δ is the true value. The interval is what p keeps.

    t(δ) = (value − δ)/se. It is compared with Student's distribution where the standard error has many degrees of
    freedom, and else with that of test sets drawn from the population nearest to this sample whose value is δ.
    """

    def __init__(self, found: Functional, question: Question[Any]) -> None:
        self.found, self.seed, self.n_resamples = found, question.seed, question.n_resamples
        self.by_student = found.degrees >= ENOUGH_DEGREES
        self._drawn: dict[tuple[float, int], Floats] = {}

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return (self.found.observed - delta) / self.found.error

    def drawn(self, delta: float, n: int) -> Floats:
        """Return the statistics of test sets from a population whose value is δ."""
        if (delta, n) not in self._drawn:
            self._drawn[delta, n] = self.found.statistics(delta, n, self.seed)
        return self._drawn[delta, n]

    def p_value(self, delta: float, claim: Claim) -> pvalues.PValue:
        """Return p(δ); "better" asks whether the value is above δ, "worse" whether it is below."""
        if self.by_student:
            return pvalues.of_student(self.t(delta), self.found.degrees, claim)
        return pvalues.of_sample(self.drawn(delta, self.n_resamples), self.t(delta), claim, TIE / pvalues.TIE)

    def interval(self, coverage: Coverage, at_zero: pvalues.PValue | None = None) -> Interval:
        """Return every δ that p(δ) keeps; p(0), where it is known, decides on which side of 0 an end lies."""
        holds_zero = None if at_zero is None else at_zero.value > alpha_of(coverage.level)
        ends = [
            self._end(direction, coverage, holds_zero) if coverage.side in ("two-sided", side) else math.inf
            for direction, side in ((-1, "lower"), (1, "upper"))
        ]
        if self.found.observed == 0.0 and holds_zero and coverage.side == "two-sided":  # swapping A and B mirrors it
            ends = [max(ends)] * 2
        return coverage.interval(self.found.observed - ends[0], self.found.observed + ends[1], "studentised")

    def _end(self, direction: int, coverage: Coverage, holds_zero: bool | None) -> float:
        """Return how far from the observed value an end lies."""
        found = self.found
        if self.by_student:
            return student_quantile(coverage.tail, found.degrees) * found.error
        limit = abs((coverage.highest if direction > 0 else coverage.lowest) - found.observed)
        inside, outside = 0.0, math.inf
        to_zero = -direction * found.observed
        if holds_zero is not None and to_zero > 0.0:
            inside, outside = (to_zero, outside) if holds_zero else (inside, to_zero)
        distance = student_quantile(coverage.tail, found.degrees) * found.error
        for _ in range(MOST_STEPS):
            if not inside < distance < outside:
                distance = 2.0 * inside if math.isinf(outside) else (inside + outside) / 2.0
            if distance >= limit and math.isinf(outside):
                distance = (inside + limit) / 2.0 if inside < limit else limit
            if distance >= limit:
                return min(distance, limit)
            wanted = self._critical(direction, found.observed + direction * distance, coverage) * found.error
            inside, outside = (
                (max(inside, distance), outside) if wanted > distance else (inside, min(outside, distance))
            )
            last, distance = distance, min(max(wanted, inside), outside)
            if abs(distance - last) <= CLOSE * found.error and inside < distance < outside:
                break
        return min(distance, limit)

    def _critical(self, direction: int, delta: float, coverage: Coverage) -> float:
        """Return the largest |t(δ)| that p(δ) keeps."""
        n = min(self.n_resamples, ENDS)
        drawn = self.drawn(delta, n)
        far = np.abs(drawn) if coverage.side == "two-sided" else -direction * drawn
        rank = math.floor((n + 1) * alpha_of(coverage.level) + 1e-9)
        return max(float(np.partition(far, -rank)[-rank]), 0.0) if rank else math.inf


def _function(question: Question[Any], *, swapped: bool = False) -> Functional:
    found = functional(question.sample, question.measure, swapped=swapped)
    if found is None:
        raise NotApplicableError(
            "The studentised test takes single items, and these come in groups or strata.",
            "items that stand for themselves",
            "use test='permutation' or 'bootstrap'",
        )
    return found


def _p_alone(question: Question[Any]) -> pvalues.PValue:
    return _judged(question)[1]


def _judged(question: Question[Any]) -> tuple[PValueFunction, pvalues.PValue, bool]:
    # A and B are told apart by which of them leads, so that exchanging them draws the same test sets
    turned = question.difference < 0.0
    function = PValueFunction(_function(question, swapped=turned), question)
    claim = OTHER_SIDE[question.claim] if turned == (question.measure.sign > 0) else question.claim
    return function, function.p_value(0.0, claim), turned


@test(
    label="studentised test",
    question="Is the measure the same for both models?",
    null_hypothesis="{a} and {b} have the same {measure} in the population that the items were drawn from",
    judges=("items", "classes", "none"),
    methods=("auto",),
    intervals=("studentised",),
    formula="p = P(|t*| ≥ |t|), t = d/se(d); t* of test sets from the population nearest to this one with d = 0",
    one_sided="p = P(t* ≥ t), t = g/se(g), g = d turned so that above 0 speaks for the claim; t* of test sets from the "
    "population nearest to this one with d = 0",
    source="Lloyd 2008 (estimated p-values at a restricted fit); Efron 1981; Satterthwaite 1946",
    assumes="items are independent",
    draws="replicates",
    takes=("decisions", "label sets", "sums", "scores"),
    p_alone=_p_alone,
)
def studentised(question: Question[Any]) -> Finding:
    """Test whether two models have the same value of any measure, interchangeable or not.

    Null hypothesis: d = b − a is 0 in the population. The statistic is t = d/se, se from the influence values of the
    joint outcomes, with half an item added to every way of disagreeing. Test sets are drawn from the population nearest
    to this sample in which d = 0, and p is the share of them with a |t*| as large. Where the standard error has 1,000
    degrees of freedom or more, Student's t takes the place of the draws.

    The interval is every difference δ that the same p-value function keeps, so the two cannot contradict each other.
    """
    function, p, turned = _judged(question)
    coverage = question.coverage
    if turned:
        coverage = Coverage(coverage.level, MIRRORED[coverage.side], -coverage.highest, -coverage.lowest)
    interval = function.interval(coverage, p)
    if turned:
        interval = Interval(-interval.high, -interval.low, interval.level, interval.method, question.coverage.side)
    sign = -1.0 if turned else 1.0
    found = function.found
    if function.by_student:
        method, why, distribution = "student", f"the standard error has {found.degrees:,.0f} degrees of freedom", None
    else:
        method, why = (
            "tilted",
            f"{question.n_resamples:,} test sets were drawn from a population with equal {question.measure.label}",
        )
        distribution = Distribution("null", sign * found.error * function.drawn(0.0, question.n_resamples))
    return Finding(method, sign * function.t(0.0), p, interval, why, distribution=distribution)
