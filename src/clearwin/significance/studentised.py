"""The studentised test: is the measure equal? One p-value function gives the p-value and the interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from clearwin.data.questions import Question
from clearwin.data.samples import Sample
from clearwin.errors import NotApplicableError, OptionError, UndefinedError, setting
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import INVERTED, Coverage, Interval, Side, alpha_of, student_quantile
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.resampling.by_class import by_class, has_few_of_a_class
from clearwin.resampling.contributions import Contributions, SumsOfValues, contributions
from clearwin.resampling.functionals import SMALLEST, Functional, OfValues, functional, is_designed, is_in_order
from clearwin.results.base import Distribution
from clearwin.results.caveats import Caveat
from clearwin.significance import caveats, unseen
from clearwin.significance.base import Finding, instead, test
from clearwin.significance.by_class import PValuesByClass
from clearwin.significance.claims import CLOSE, JudgedDifference, PValueFunction, judged_with_margin, one_sided_tests
from clearwin.significance.envelope import Envelope
from clearwin.significance.serial import PValuesInOrder, few_times
from clearwin.significance.unseen import AllowingForUnseen, Unseen
from clearwin.streams import Seed
from clearwin.text import degrees_of_freedom

FEWEST_DRAWN = 500  # with fewer test sets Student's t is the better guide
ENDS = 2_000  # test sets that are used to find an end of an interval
USUAL = 0.05  # level; below it more test sets are drawn, so that about 20 lie beyond it
BEYOND = 20  # test sets: their share is known to about a fifth (1/√20)
MOST_DRAWN, MOST_FOR_ENDS = 100_000, 20_000  # that a level below the usual one can ask for
RARE = BEYOND / MOST_FOR_ENDS  # below this level Student's tail carries on where the draws end
NEAR = 0.2  # of a standard error: within this a straight line finds the end
FLATTEST = -0.5
MOST_STEPS = 30
TIE = 1e-9  # of a standard error
# above this skewness of a mean of items no method here keeps its level
MOST_SKEWED = 0.25
FEWEST_SKEWED = 20  # groups: of fewer, normal ones look as skewed as that one time in twenty
# of the skewness of a mean of many units, and of few by their number, which looks like this where values are normal
SLIGHTLY_SKEWED, SKEWED_BY_CHANCE = 0.05, 1.5
FEWEST_ONE_SIDED = 30  # groups: of fewer, a tail always counts twice, because skewed ones often look normal
OTHER_SIDE: dict[Claim, Claim] = {"different": "different", "better": "worse", "worse": "better"}
MIRRORED: dict[Side, Side] = {"two-sided": "two-sided", "lower": "upper", "upper": "lower"}


class PValuesOfItems(PValueFunction):
    """p(δ) for independent items: t(δ) = (value − δ)/se.

    It is compared with Student's distribution where the standard error has many degrees of freedom, and otherwise with
    test sets drawn from the likeliest population whose value is δ. At a level below 5 % at least 20/level of them are
    drawn. Where that would be too many, p is the larger of two: Student's, and Student's stretched to meet the 20 test
    sets that lie furthest out.
    """

    def __init__(
        self, estimand: Functional, n_resamples: int, seed: Seed, method: str = "auto", level: float = USUAL
    ) -> None:
        self.estimand, self.seed = estimand, seed
        self.observed, self.error = estimand.observed, estimand.error
        if isinstance(estimand, OfValues):
            self.skewness = estimand.skewness
        needed = math.ceil(BEYOND / level) if level < USUAL else 0
        wanted = max(n_resamples, min(needed, MOST_DRAWN))
        self.n = min(wanted, estimand.most_replicates) if method == "auto" else wanted
        self.ends = min(self.n, max(ENDS, min(needed, MOST_FOR_ENDS)))
        self.extends = level < RARE or self.n < needed
        enough = estimand.degrees >= estimand.enough_degrees or estimand.most_replicates < FEWEST_DRAWN
        self.by_student = enough if method == "auto" else method == "student"
        self.method = "student" if self.by_student else "drawn"
        self._drawn: dict[tuple[float, int], tuple[Floats, int]] = {}

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        if self.by_student:
            return f"the standard error has {degrees_of_freedom(round(self.estimand.degrees))}"
        drawn = f"{self.n:,} test sets were drawn from a population where neither is better"
        return f"{drawn}, and beyond them p follows Student's distribution" if self.extends else drawn

    @property
    def units(self) -> float:
        """How many items there are."""
        return float(self.estimand.times.sum())

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom."""
        return self.estimand.degrees

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether little is known about disagreements that did not occur."""
        return self.estimand.bounded_by_sign_test

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return (self.observed - delta) / self.error

    def null(self) -> Floats | None:
        """Return the statistics that were drawn where the value is 0."""
        return None if self.by_student else self.drawn(0.0, self.n)

    def drawn(self, delta: float, n: int) -> Floats:
        """Return the statistics of n test sets from a population whose value is δ."""
        return self._at(delta, n)[0]

    def undefined(self) -> int:
        """Return in how many test sets from a population where the value is 0 the measure was 0/0."""
        return 0 if self.by_student else self._at(0.0, self.n)[1]

    def _at(self, delta: float, n: int) -> tuple[Floats, int]:
        key = (0.0, self.n) if self.estimand.recentred else (delta, n)
        if key not in self._drawn:
            self._drawn[key] = self.estimand.statistics(*key, self.seed)
        return self._drawn[key]

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ); "better" asks whether the value is above δ, "worse" whether it is below."""
        t, degrees = self.t(delta), self.estimand.degrees
        if self.by_student:
            return pvalues.of_student(t, degrees, claim)
        drawn = self.drawn(delta, self.n)
        if self.estimand.recentred:  # Student's t, and the nearer tail of what was drawn, which counts twice if skewed
            side: Claim = ("better" if t > 0 else "worse") if claim == "different" else claim
            nearer = pvalues.times(self._of_draws(drawn, t, side), self._nearer(claim))
            return max(nearer, pvalues.of_student(t, self.units - 1.0, claim), key=lambda p: p.log10)
        p_values = [self._of_draws(drawn, t, claim)]
        if self.estimand.stepped or self.extends:
            # a value read at a threshold jumps, and draws know less about the tails than it seems
            p_values.append(pvalues.of_student(t, degrees, claim))
        return max(p_values, key=lambda p: p.log10)

    def _of_draws(self, drawn: Floats, t: float, claim: Claim) -> PValue:
        """Return the share of test sets as far out as t; with fewer than 20 of them, that of the stretched tail."""
        p = pvalues.of_sample(drawn, t, claim, TIE / pvalues.TIE)
        if not self.extends or p.value * (drawn.size + 1) > BEYOND:
            return p
        further = {"different": np.abs(drawn), "better": drawn, "worse": -drawn}[claim]
        return pvalues.of_student(t / self._stretch(further, claim == "different"), self.estimand.degrees, claim)

    def _stretch(self, further: Floats, two_sided: bool) -> float:
        """Return how much wider than Student's the tail of the draws is where 20 of them lie beyond."""
        tail = BEYOND / (further.size + 1) / (2.0 if two_sided else 1.0)
        return max(1.0, exceeded(further, BEYOND / (further.size + 1)) / student_quantile(tail, self.estimand.degrees))

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return the number of standard errors that p(δ) does not reject there."""
        estimand, error = self.estimand, self.error
        inside, outside = self._reach(direction, coverage, known)
        if self.by_student or estimand.recentred:  # the same wherever δ is
            return min(max(self._critical(direction, estimand.observed, coverage) * error, inside), outside)
        if not (self.extends or rank_that_exceeds(self.ends, alpha_of(coverage.level))):
            return outside  # so few test sets exclude nothing, wherever δ is
        if known is None:
            last, distance = (0.0, 0.0), self._student(coverage) * error
        else:  # the test has drawn there already
            distance = self._critical(direction, known.delta, coverage, self.n) * error
            away = direction * (known.delta - self.observed)
            last = (away, distance - away)
        for _ in range(MOST_STEPS):
            if outside - inside <= CLOSE * error:
                return outside
            if not inside < distance < outside:
                distance = (inside + outside) / 2.0
            beyond = self._critical(direction, estimand.observed + direction * distance, coverage) * error - distance
            inside, outside = (distance, outside) if beyond > 0.0 else (inside, distance)
            steepness = (beyond - last[1]) / (distance - last[0]) if last[0] != distance else -1.0
            last = (distance, beyond)
            step = -beyond / min(steepness, FLATTEST)  # the number kept changes slowly with δ, so the slope is about −1
            if abs(step) <= NEAR * error:
                return min(max(distance + step, inside), outside)
            distance += step
        return distance

    def _critical(self, direction: int, delta: float, coverage: Coverage, n: int | None = None) -> float:
        """Return the largest |t(δ)| that p(δ) does not reject."""
        if self.by_student:
            return self._student(coverage)
        drawn = self.drawn(delta, self.ends if n is None else n)
        two_sided, alpha = coverage.side == "two-sided", alpha_of(coverage.level)
        if self.estimand.recentred:
            tail = alpha / self._nearer("different" if two_sided else "better")
            student = student_quantile(coverage.tail, self.units - 1.0)
            return max(self._exceeded(drawn, direction, tail, two_sided=False), student)
        quantiles = [self._exceeded(drawn, direction, alpha, two_sided)]
        if self.estimand.stepped or self.extends:
            quantiles.append(self._student(coverage))
        return max(*quantiles, 0.0)

    def _exceeded(self, drawn: Floats, direction: int, tail: float, two_sided: bool) -> float:
        """Return the largest |t| whose p from these test sets is still above ``tail``."""
        further = np.abs(drawn) if two_sided else -direction * drawn
        if not self.extends or rank_that_exceeds(further.size, tail) >= BEYOND:
            return exceeded(further, tail)
        quantile = student_quantile(tail / 2.0 if two_sided else tail, self.estimand.degrees)
        return self._stretch(further, two_sided) * quantile

    def _nearer(self, claim: Claim) -> float:
        """Return how often the nearer tail of what was drawn counts."""
        return doubling(self.skewness, self.units) if claim == "different" else 1.0

    def _student(self, coverage: Coverage) -> float:
        """Return Student's quantile, computed only where needed because importing scipy costs as much as the test."""
        return student_quantile(coverage.tail, self.estimand.degrees)


def doubling(skewness: float, units: float) -> float:
    """Return how often a tail counts, because the skewness that it allows for is only an estimate.

    A sample that missed what is rare looks less skewed than it should. A tail of values that look normal stands as it
    is, because doubling it would cost a one-sided claim a sixth of its power. From there on it grows until it counts
    twice where the skewness is larger by 0.1.

    >>> doubling(0.05, 100), round(doubling(0.1, 100), 6), doubling(0.1, 15), doubling(0.4, 15)
    (1.0, 1.5, 1.0, 2.0)
    """
    slight = max(SLIGHTLY_SKEWED, SKEWED_BY_CHANCE / units)
    return 1.0 + min(max((skewness - slight) / 0.1, 0.0), 1.0)


def exceeded(values: Floats, tail: float) -> float:
    """Return the largest value at which p = (count + 1)/(draws + 1) is still above ``tail``."""
    rank = rank_that_exceeds(values.size, tail)
    if not 0 < rank <= values.size:
        return -math.inf if rank else math.inf
    return float(np.partition(values, -rank)[-rank])


def rank_that_exceeds(draws: int, tail: float) -> int:
    """Return the rank, from above, of that value; 0 if there are too few draws."""
    return math.floor((draws + 1) * tail + 1e-9)


class PValuesOfUnits(Envelope):
    """p(δ) for whole groups, or the items of strata: what they add to the value less δ, against Student's t.

    A tail is the larger of that of t and that of t corrected for skewness. Where the units look skewed, or are too few
    for that to be seen, a one-sided p-value is twice the tail, like a two-sided one.
    """

    method = "student"

    def __init__(self, added: Contributions, units: str) -> None:
        self.added, self.units, self.observed, self.error = added, units, added.observed, added.error
        if isinstance(added, SumsOfValues) and added.ends is None and added.n >= FEWEST_SKEWED:
            self.skewness = abs(added.moments(added.observed)[1]) / math.sqrt(added.n)

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        degrees = degrees_of_freedom(round(self.added.deviation(0.0).degrees))
        return f"what {self.units} add to the difference varies with {degrees}"

    @property
    def degrees(self) -> float:
        """The degrees of freedom at the observed difference."""
        return self.added.deviation(self.observed).degrees

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether the models differ on few of the units, whose contributions are then far from normal."""
        return 2 * n_differing_units <= self.added.n

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return self.added.deviation(delta).t

    def alone(self, delta: float, claim: Claim) -> PValue:
        """Return the p-value of this one difference."""
        deviation = self.added.deviation(delta)
        side: Claim = ("better" if deviation.t > 0.0 else "worse") if claim == "different" else claim
        tails = [pvalues.of_student(t, deviation.degrees, side) for t in (deviation.t, deviation.corrected)]
        tail = max(tails, key=lambda p: p.value)
        twice = claim == "different" or min(self.degrees + 1.0, self.added.effective) < FEWEST_ONE_SIDED
        return pvalues.times(tail, 2.0 if twice else doubling(deviation.skewness, self.added.effective))

    def is_smooth(self, delta: float) -> bool:
        """Return whether what the units add moves smoothly."""
        return self.added.is_smooth(delta)


class PValuesOfRatio(PValueFunction):
    """p(δ) of the relative difference b/a − 1: whether b − (1 + δ)·a is 0, by the p-value function of that contrast.

    A's value is estimated like B's, and the contrast allows for that: the interval is that of a ratio (Fieller 1954).
    Where A is not clearly above 0, it has no bounds.
    """

    widest = 1_000.0

    def __init__(self, question: Question[Any]) -> None:
        a, b = question.estimates[0], question.estimates[-1]
        if a <= 0.0:
            raise UndefinedError(
                f"{question.measure.label} of {question.options.names[0]} is {a:g}, so a margin in per cent of it is "
                "undefined.",
                "a value above 0, or a margin in the measure's own units",
                setting("margin", 0.01),
            )
        self.question, self.observed = question, b / a - 1.0
        self._contrasts: dict[float, PValueFunction] = {}
        own = self.contrast(self.observed)
        self.error, self.method, self.skewness, self.unseen = own.error / a, own.method, own.skewness, own.unseen

    def contrast(self, delta: float) -> PValueFunction:
        """Return the p-value function of b − (1 + δ)·a."""
        if delta not in self._contrasts:
            self._contrasts[delta] = p_value_function(self.question, weight=1.0 + delta)
        return self._contrasts[delta]

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        return self.contrast(self.observed).why

    @property
    def degrees(self) -> float:
        """The degrees of freedom at the observed ratio."""
        return self.contrast(self.observed).degrees

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Whether it asks whether the models differ at all: a ratio never does."""
        return False

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return self.contrast(delta).t(0.0)

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ)."""
        return self.contrast(delta).p_value(0.0, claim)

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return where p(δ) falls to the level, or infinity if it never does."""
        fewer = copy(self)
        fewer.question = self.question.asking(n_resamples=min(self.question.n_resamples, ENDS))
        fewer._contrasts = {}
        end = super(PValuesOfRatio, fewer)._end(direction, coverage, known)
        step = student_quantile(alpha_of(coverage.level) / 2.0, self.degrees) * self.error
        return math.inf if end >= self.widest * step else end


def p_value_function(
    question: Question[Any], *, single: bool = False, swapped: bool = False, weight: float = 1.0
) -> PValueFunction:
    """Return the p-value function of b − weight · a, or of A's value; raise if there is none."""
    sample, measure = question.sample, question.measure
    if not single and question.method != "drawn" and has_few_of_a_class(sample, measure):
        moments = by_class(sample, measure, swapped=swapped, weight=weight)
        if moments.is_known:
            return PValuesByClass(moments)
    if is_in_order(sample):
        if question.method != "auto":
            raise OptionError(
                "In time order the studentised test has one method, and another one was asked for.",
                setting("method", "auto"),
            )
        added = contributions(sample, measure, single=single, swapped=swapped, weight=weight)
        if added is not None and added.error**2 > SMALLEST:
            return PValuesInOrder(added)
    elif is_designed(sample):
        added = contributions(sample, measure, single=single, swapped=swapped, weight=weight)
        if added is not None:
            by_units = PValuesOfUnits(added, _units(sample, added.n))
            return _with_unseen(by_units, unseen.of_units(question, added, single=single, weight=weight))
    else:
        estimand = functional(sample, measure, single=single, swapped=swapped, weight=weight)
        if estimand is not None:
            level = alpha_of(question.confidence_level)
            by_items = PValuesOfItems(estimand, question.n_resamples, question.seed, question.method, level)
            return _with_unseen(by_items, unseen.of_items(question, estimand, single=single, weight=weight))
    raise NotApplicableError(
        f"The studentised {'interval' if single else 'test'} needs units that vary, and a measure that moves with each "
        "item.",
        "items or groups that do not all agree",
        setting("interval", "percentile") if single else instead(question, "permutation", "bootstrap"),
    )


def _with_unseen(function: PValueFunction, missed: Unseen | None) -> PValueFunction:
    """Return the function that allows for what the test set could have missed, or the same with what it assumes."""
    if missed is not None and missed.decides:
        return AllowingForUnseen(function, missed)
    function.unseen = missed
    return function


def _units(sample: Sample, n: int) -> str:
    """Say how many units there are, and of what kind."""
    if not sample.about.crossed:
        return f"{n:,} {'groups' if sample.sampling and sample.sampling.unit == 'group' else 'items'}"
    others = [other.sampling.n_units for sign, other in sample.about.crossed if sign > 0 and other.sampling]
    return f"{n:,} groups, crossed with " + " and ".join(f"{other:,}" for other in others) + ","


def judged(question: Question[Any], function: PValueFunction | None = None) -> tuple[PValueFunction, PValue, bool]:
    """Return the p-value function of the difference, the p-value, and whether A leads and the models were exchanged.

    Where the same question was asked before with another claim, its function reuses the test sets drawn then.
    """
    # the leader comes second, so that exchanging A and B draws the same test sets
    turned = question.gain < 0.0
    function = function or p_value_function(question, swapped=turned)
    claim = OTHER_SIDE[question.claim] if turned == (question.measure.sign > 0) else question.claim
    n_differing_units = question.sample.n_differing_units(question.measure)
    p = function.p_value(0.0, claim) if n_differing_units else pvalues.from_log(0.0)  # models that never differ
    if function.bounded_by_sign_test(n_differing_units):
        p = pvalues.no_less_than_coins(p, n_differing_units, question.claim)
    return function, p, turned


def _with_margin(question: Question[Any]) -> Finding:
    """Return the finding for a claim with a margin."""
    function = _function_at_margin(question)
    p = _largest(one_sided_tests(question, function))
    hidden = _hidden(question, function, p, lambda seen: _largest(one_sided_tests(question, seen)))
    caveats = _of_large_values(question, function, hidden) + few_times(function)
    return judged_with_margin(question, function, caveats, undecided=bool(hidden) or function.skewness > MOST_SKEWED)


def too_few_draws(question: Question[Any], interval: Interval) -> tuple[Caveat, ...]:
    """Return the doubt about few test sets; below the usual level as many are drawn as it takes."""
    return caveats.few_replicates(question, interval) if alpha_of(question.confidence_level) >= USUAL else ()


def _largest(tests: list[tuple[Side, float, PValue]]) -> PValue:
    return max((p for *_, p in tests), key=lambda p: p.value)


def _hidden(
    question: Question[Any], function: PValueFunction, p: PValue, judge: Callable[[PValueFunction], PValue]
) -> tuple[Caveat, ...]:
    """Return the caveat that a result would be shown, but for units that the test set could have missed."""
    alpha = alpha_of(question.confidence_level)
    if not isinstance(function, AllowingForUnseen) or p.value <= alpha:
        return ()
    without = judge(function.seen)
    return caveats.unseen_failures(question, function.unseen, p, without) if without.value <= alpha else ()


def _of_large_values(
    question: Question[Any], function: PValueFunction, hidden: tuple[Caveat, ...]
) -> tuple[Caveat, ...]:
    return (
        caveats.too_skewed(function.skewness, MOST_SKEWED)
        or hidden
        or caveats.assumed_of_unseen(question, function.unseen)
    )


def _function_at_margin(question: Question[Any]) -> PValueFunction:
    return PValuesOfRatio(question) if question.options.relative else p_value_function(question)


def _p_alone(question: Question[Any]) -> PValue:
    if question.margin is None:
        return judged(question)[1]
    return _largest(one_sided_tests(question, _function_at_margin(question)))


@test(
    label="studentised test",
    question="Is the measure the same for both models?",
    null_hypothesis="{a} and {b} have the same {measure} in the population that the {unit}s were drawn from",
    judges=("items", "classes", "none"),
    methods=("drawn", "student"),
    intervals=(INVERTED,),
    formula="p = P(|t*| ≥ |t|), t = d/se(d), t* from test sets of the likeliest population with d = 0",
    one_sided="p = P(t* ≥ t), t = g/se(g), g = d with the sign for which above 0 favours the claim, t* from test sets "
    "of the likeliest population with d = 0",
    source="Lloyd 2008 (p-values at the restricted fit); Efron 1981 (bootstrap-t); Satterthwaite 1946",
    assumes="items are independent, or groups where they are given",
    draws="replicates",
    takes=("decisions", "label sets", "sums", "scores", "losses", "values"),
    whole_units=("decisions", "label sets", "sums", "scores", "losses", "values"),
    takes_crossed=True,
    takes_order=True,
    takes_margin=True,
    takes_share=True,
    needs_functional=True,
    p_alone=_p_alone,
)
def studentised(question: Question[Any]) -> Finding:
    """Test whether two models have the same value of any measure, exchangeable or not.

    Null hypothesis: the difference d = b − a is 0 in the population. The statistic is t = d/se, with se from the
    influence values of the joint outcomes, of the items' ranks, or of their values. Test sets are drawn from the
    likeliest population in which d = 0, and p is the share of them whose |t*| is as large (``method="drawn"``). Where
    the standard error has many degrees of freedom (1,000; for scores 200), Student's t with Satterthwaite's degrees
    takes the place of the draws (``method="student"``). At a level below 5 % at least 20/level test sets are drawn, up
    to 100,000. Below 0.1 % the larger of two p-values counts: Student's, and where 20 draws or fewer are as far out,
    Student's stretched to meet them.

    For AUC, EER and minimum DCF with 3 to 50 items of the smaller class the variance is taken class by class, as
    DeLong's is, with a floor, and a tail is the larger of Student's of t and of t corrected for skewness
    (``resampling/by_class.py``), unless test sets are asked for (``method="drawn"``). One-sided p-values are then
    twice the tail.

    In time order (``order=``) what each time point adds is summed, and the standard error allows for the correlation
    of each sum with those before it (``significance/serial.py``).

    With groups and strata, what each unit adds to the difference in the likeliest population with d = 0 is summed, and
    t of the sum is compared with Student's distribution (``resampling/contributions.py``).

    The interval is every difference δ that the same p-value function does not reject: it contains 0 exactly when p is
    above 1 − confidence_level.

    Half an item is added to each way of disagreeing when the standard error is taken, so models that never disagree
    also have an interval. For means of values t* comes from test sets like this one, and p is that of Student's t or
    the share of test sets with t* beyond t on its side, which counts twice for skewed values, whichever is larger. If
    their skewness is above 0.25·√n, no method is known to keep its level, and the result is not decided. Where values
    have a range, p and the interval also allow for a rare kind of item that the test set missed and on which the better
    model fails (``significance/unseen.py``); where they have none, a caveat says what is assumed.

    Source: Lloyd, Australian & New Zealand Journal of Statistics 50 (2008), for the estimated p-value at a restricted
    fit. Level, coverage and power are measured in docs/scorecard.md.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    >>> r = cw.compare(joint, measure="f1", rng=1)
    >>> print(f"{r.difference:+.4f} from {r.interval.low:+.3f} to {r.interval.high:+.3f}, p = {r.p_value:.3f}")
    +0.0770 from -0.004 to +0.157, p = 0.056
    """
    if question.margin is not None:
        return _with_margin(question)
    function, p, turned = judged(question)
    hidden = _hidden(question, function, p, lambda seen: judged(question, seen)[1])
    undefined = function.undefined() if question.sample.n_differing_units(question.measure) else 0
    coverage = question.coverage
    if turned:
        coverage = Coverage(coverage.level, MIRRORED[coverage.side], -coverage.highest, -coverage.lowest)
    interval = function.interval(coverage, p)
    if turned:
        interval = Interval(-interval.high, -interval.low, interval.level, interval.method, question.coverage.side)
    sign, null = -1.0 if turned else 1.0, function.null()
    return Finding(
        function.method,
        sign * function.t(0.0),
        p,
        interval,
        function.why,
        distribution=None if null is None else Distribution("null", sign * function.error * null),
        caveats=(
            *_of_large_values(question, function, hidden),
            *few_times(function),
            *caveats.undefined_replicates(question, undefined),
            *(() if null is None else too_few_draws(question, interval)),
        ),
        undecided=bool(hidden) or function.skewness > MOST_SKEWED,
        undefined_replicates=undefined,
    )
