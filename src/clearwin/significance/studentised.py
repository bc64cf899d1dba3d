"""The studentised test: is the measure equal? One p-value function gives the p-value and the interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearwin.data.questions import Question
from clearwin.errors import NotApplicableError, setting
from clearwin.execution import Seed
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import INVERTED, Coverage, Interval, Side, alpha_of, student_quantile
from clearwin.numerics.pvalues import Claim
from clearwin.resampling.functionals import Functional, OfValues, functional
from clearwin.results.base import Distribution
from clearwin.significance import caveats
from clearwin.significance.base import Finding, test

FEWEST_DRAWN = 500  # with fewer test sets Student's t is the better guide
ENDS = 2_000  # test sets that an end of an interval is looked for with
CLOSE = 0.01  # of a standard error, to which the ends of an interval are found
MOST_STEPS = 30
TIE = 1e-9  # of a standard error
# above this skewness of a mean no method here keeps its level: 7 to 12 % of equal means of lognormal values are told
# apart at 5 % (`make study`); below it at most 6 %
MOST_SKEWED = 0.25
OTHER_SIDE: dict[Claim, Claim] = {"different": "different", "better": "worse", "worse": "better"}
MIRRORED: dict[Side, Side] = {"two-sided": "two-sided", "lower": "upper", "upper": "lower"}


class PValueFunction:
    """p(δ): how seldom a test set strays as far from δ as this one, if δ is the true value.

    t(δ) = (value − δ)/se. It is held against Student's distribution where the standard error has many degrees of
    freedom, and else against test sets drawn from the likeliest population whose value is δ. The interval
    is every δ that p(δ) keeps, so p-value and interval cannot contradict each other.
    """

    def __init__(self, found: Functional, n_resamples: int, seed: Seed, method: str = "auto") -> None:
        self.found, self.seed = found, seed
        self.n = min(n_resamples, found.most_replicates) if method == "auto" else n_resamples
        enough = found.degrees >= found.enough_degrees or found.most_replicates < FEWEST_DRAWN
        self.by_student = enough if method == "auto" else method == "student"
        self._drawn: dict[tuple[float, int], Floats] = {}

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return (self.found.observed - delta) / self.found.error

    def drawn(self, delta: float, n: int) -> Floats:
        """Return the statistics of n test sets from a population whose value is δ."""
        key = (0.0, self.n) if self.found.recentred else (delta, n)
        if key not in self._drawn:
            self._drawn[key] = self.found.statistics(*key, self.seed)
        return self._drawn[key]

    def p_value(self, delta: float, claim: Claim) -> pvalues.PValue:
        """Return p(δ); "better" asks whether the value is above δ, "worse" whether it is below."""
        t, degrees = self.t(delta), self.found.degrees
        if self.by_student:
            return pvalues.of_student(t, degrees, claim)
        drawn = self.drawn(delta, self.n)
        found = [pvalues.of_sample(drawn, t, claim, TIE / pvalues.TIE)]
        if self.found.stepped:  # what is read at a threshold jumps, and draws know less of the tails than they say
            found.append(pvalues.of_student(t, degrees, claim))
        if self.found.recentred:  # skewed values: both tails together, and the nearer one twice
            other: Claim = ("better" if t > 0 else "worse") if claim == "different" else "different"
            factor = 2.0 if claim == "different" else 0.5
            found.append(_scaled(pvalues.of_sample(drawn, t, other, TIE / pvalues.TIE), factor))
        return max(found, key=lambda p: p.value)

    def interval(self, coverage: Coverage, at_zero: pvalues.PValue | None = None) -> Interval:
        """Return every δ that p(δ) keeps; p(0), where it is known, decides on which side of 0 an end lies."""
        holds_zero = None if at_zero is None else at_zero.value > alpha_of(coverage.level)
        ends = [
            self._end(direction, coverage, holds_zero) if coverage.side in ("two-sided", side) else math.inf
            for direction, side in ((-1, "lower"), (1, "upper"))
        ]
        observed = self.found.observed
        if observed == 0.0 and at_zero is not None and coverage.side == "two-sided":  # swapping A and B mirrors it
            ends = [max(ends)] * 2
        return coverage.interval(observed - ends[0], observed + ends[1], INVERTED)

    def _end(self, direction: int, coverage: Coverage, holds_zero: bool | None) -> float:
        """Return how far from the observed value an end lies."""
        found = self.found
        limit = abs((coverage.highest if direction > 0 else coverage.lowest) - found.observed)
        inside, outside, to_zero = 0.0, math.inf, -direction * found.observed
        if holds_zero is not None and to_zero > 0.0:
            inside, outside = (to_zero, outside) if holds_zero else (inside, to_zero)
        distance = student_quantile(coverage.tail, found.degrees) * found.error
        if self.by_student or found.recentred:
            wanted = self._critical(direction, found.observed + direction * distance, coverage) * found.error
            return min(max(wanted, inside), outside, limit)
        for _ in range(MOST_STEPS):
            if not inside < distance < outside:
                distance = 2.0 * inside if math.isinf(outside) else (inside + outside) / 2.0
            if distance >= limit and math.isinf(outside):
                distance = (inside + limit) / 2.0
            if limit - inside <= CLOSE * found.error:
                return limit
            wanted = self._critical(direction, found.observed + direction * distance, coverage) * found.error
            if wanted > distance:
                inside = max(inside, distance)
            else:
                outside = min(outside, distance)
            if outside - inside <= CLOSE * found.error:
                return (inside + outside) / 2.0
            if abs(wanted - distance) <= CLOSE * found.error and inside < wanted < outside:
                return wanted
            distance = wanted
        return distance

    def _critical(self, direction: int, delta: float, coverage: Coverage) -> float:
        """Return the largest |t(δ)| that p(δ) keeps."""
        student = student_quantile(coverage.tail, self.found.degrees)
        if self.by_student:
            return student
        drawn = self.drawn(delta, min(self.n, ENDS))
        two_sided, alpha = coverage.side == "two-sided", alpha_of(coverage.level)
        found = [exceeded(np.abs(drawn) if two_sided else -direction * drawn, alpha)]
        if self.found.stepped:
            found.append(student)
        if self.found.recentred:
            found.append(exceeded(-direction * drawn, alpha / 2) if two_sided else exceeded(np.abs(drawn), 2 * alpha))
        return max(*found, 0.0)


def _scaled(p: pvalues.PValue, factor: float) -> pvalues.PValue:
    value = min(1.0, factor * p.value)
    return pvalues.PValue(value, math.log10(value), None if p.error is None else factor * p.error)


def exceeded(values: Floats, tail: float) -> float:
    """Return what so small a part of the values exceeds that p = (count + 1)/(draws + 1) is above ``tail`` up to it."""
    rank = math.floor((values.size + 1) * tail + 1e-9)
    if not 0 < rank <= values.size:
        return -math.inf if rank else math.inf
    return float(np.partition(values, -rank)[-rank])


def p_value_function(question: Question[Any], *, single: bool = False, swapped: bool = False) -> PValueFunction:
    """Return the p-value function of the difference, or of A's value, or say why there is none."""
    found = functional(question.sample, question.measure, single=single, swapped=swapped)
    if found is None:
        raise NotApplicableError(
            f"The studentised {'interval' if single else 'test'} needs single items that vary, and a measure that "
            "moves with each of them.",
            "items without groups or strata, which do not all say the same",
            setting("interval", "percentile") if single else "use " + setting("test", "permutation", "bootstrap"),
        )
    return PValueFunction(found, question.n_resamples, question.seed, question.method)


def _judged(question: Question[Any]) -> tuple[PValueFunction, pvalues.PValue, bool]:
    # A and B are told apart by which of them leads, so that exchanging them draws the same test sets
    turned = question.gain < 0.0
    function = p_value_function(question, swapped=turned)
    claim = OTHER_SIDE[question.claim] if turned == (question.measure.sign > 0) else question.claim
    telling = question.sample.telling(question.measure)
    p = function.p_value(0.0, claim) if telling else pvalues.from_log(0.0)  # models that never differ
    if function.found.needs_coins:
        p = pvalues.no_less_than_coins(p, telling, question.claim)
    return function, p, turned


def _p_alone(question: Question[Any]) -> pvalues.PValue:
    return _judged(question)[1]


@test(
    label="studentised test",
    question="Is the measure the same for both models?",
    null_hypothesis="{a} and {b} have the same {measure} in the population that the {unit}s were drawn from",
    judges=("items", "classes", "none"),
    methods=("drawn", "student"),
    intervals=(INVERTED,),
    formula="p = P(|t*| ≥ |t|), t = d/se(d), t* from test sets of the likeliest population with d = 0",
    one_sided="p = P(t* ≥ t), t = g/se(g), g = d turned so that above 0 speaks for the claim, t* from test sets of the "
    "likeliest population with d = 0",
    source="Lloyd 2008 (p-values at the restricted fit); Efron 1981 (bootstrap-t); Satterthwaite 1946",
    assumes="items are independent",
    draws="replicates",
    takes=("decisions", "label sets", "sums", "scores", "losses", "values"),
    p_alone=_p_alone,
)
def studentised(question: Question[Any]) -> Finding:
    """Test whether two models have the same value of any measure, interchangeable or not.

    Null hypothesis: the difference d = b − a is 0 in the population. The statistic is t = d/se, with se from the
    influence values of the joint outcomes, of the items' ranks, or of their values. Test sets are drawn from the
    likeliest population in which d = 0, and p is the share of them whose |t*| is as large (``method="drawn"``). Where
    the standard error has many degrees of freedom (1,000; of scores 200), Student's t with Satterthwaite's degrees
    takes the place of the draws (``method="student"``).

    The interval is every difference δ that the same p-value function keeps: it contains 0 exactly when p is above
    1 − confidence_level.

    Half an item is added to each way of disagreeing when the standard error is taken, so models that never disagree
    have an interval, too. Of means of values t* comes from test sets like this one. If their skewness is above
    0.25·√n, no method is known to keep its level, and the result is not decided.

    Source: Lloyd, Australian & New Zealand Journal of Statistics 50 (2008), for the estimated p-value at a restricted
    fit. Level, coverage and power are measured in docs/scorecard.md.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    >>> r = cw.compare(joint, measure="f1", rng=1)
    >>> print(f"{r.difference:+.4f} from {r.interval.low:+.3f} to {r.interval.high:+.3f}, p = {r.p_value:.3f}")
    +0.0770 from -0.004 to +0.157, p = 0.056
    """
    function, p, turned = _judged(question)
    undefined = function.found.undefined_drawn
    coverage = question.coverage
    if turned:
        coverage = Coverage(coverage.level, MIRRORED[coverage.side], -coverage.highest, -coverage.lowest)
    interval = function.interval(coverage, p)
    if turned:
        interval = Interval(-interval.high, -interval.low, interval.level, interval.method, question.coverage.side)
    sign, found = -1.0 if turned else 1.0, function.found
    skewness = found.skewness if isinstance(found, OfValues) else 0.0
    if function.by_student:
        method, why = "student", f"the standard error has {found.degrees:,.0f} degrees of freedom"
        distribution = None
    else:
        method, why = "drawn", f"{function.n:,} test sets were drawn from a population where neither is better"
        distribution = Distribution("null", sign * found.error * function.drawn(0.0, function.n))
    return Finding(
        method,
        sign * function.t(0.0),
        p,
        interval,
        why,
        distribution=distribution,
        caveats=(
            *caveats.too_skewed(skewness, MOST_SKEWED),
            *caveats.undefined_replicates(question, undefined),
            *(() if function.by_student else caveats.few_replicates(question, interval)),
        ),
        undecided=skewness > MOST_SKEWED,
        undefined_replicates=undefined,
    )
