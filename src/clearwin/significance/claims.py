"""Claims with a margin, and what judges them: a p-value function p(δ) of any difference δ.

The p-value of a claim is p at the margin, and the interval is every δ that p does not reject, so the two cannot
contradict each other. Tests that can ask about any δ, and not only whether there is a difference, have such a function.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clearwin.data.questions import Question
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import INVERTED, Coverage, Interval, Side, alpha_of, student_quantile
from clearwin.numerics.pvalues import Claim, PValue, times
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Contrary
from clearwin.significance.base import Finding

if TYPE_CHECKING:
    from clearwin.significance.unseen import Unseen

SMOOTH = 0.02  # of the level, within which p is where an end was found, unless it jumps there
JUMP, JUMP_DIGITS = 1e-9, 7  # of a standard error, to which a jump is found
CLOSE = 0.01  # of a standard error, to which the ends of an interval are found
WIDEST = 20.0  # of what Student's t gives


@dataclass(frozen=True)
class JudgedDifference:
    """A difference δ, and whether p(δ) is above the level."""

    delta: float
    kept: bool


class PValueFunction(ABC):
    """p(δ): how rarely a test set is as far from δ as this one, if δ is the true value.

    The interval is every δ that p(δ) does not reject, so p-value and interval cannot contradict each other.
    """

    observed: float
    error: float  # the standard error as observed
    method: str
    skewness = 0.0
    unseen: Unseen | None = None  # what the test set could lack
    interval_method = INVERTED
    widest = WIDEST

    @property
    @abstractmethod
    def why(self) -> str:
        """What the p-value rests on."""

    @property
    @abstractmethod
    def degrees(self) -> float:
        """The degrees of freedom of the standard error."""

    @abstractmethod
    def t(self, delta: float) -> float:
        """Return how far the observed value is from δ, in standard errors."""

    @abstractmethod
    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ); "better" asks whether the value is above δ, "worse" whether it is below."""

    @abstractmethod
    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether p has a floor: what swapping the units on which the models differ could give."""

    def null(self) -> Floats | None:
        """Return the statistics that were drawn where the value is 0."""
        return None

    def undefined(self) -> int:
        """Return in how many of them the measure was 0/0."""
        return 0

    def interval(self, coverage: Coverage, at_zero: PValue | None = None) -> Interval:
        """Return every δ that p(δ) does not reject; p(0), where it is known, decides on which side of 0 an end lies."""
        known = None if at_zero is None else JudgedDifference(0.0, at_zero.value > alpha_of(coverage.level))
        ends = [
            self._end(direction, coverage, known) if coverage.side in ("two-sided", side) else math.inf
            for direction, side in ((-1, "lower"), (1, "upper"))
        ]
        if self.observed == 0.0 and at_zero is not None and coverage.side == "two-sided":
            ends = [max(ends)] * 2  # swapping A and B mirrors it
        return coverage.interval(self.observed - ends[0], self.observed + ends[1], INVERTED)

    def bound(self, side: Side, coverage: Coverage, known: JudgedDifference) -> float:
        """Return the one end of the interval on a side; p(δ), where it is known, decides on which side of δ it lies."""
        direction = -1 if side == "lower" else 1
        one_sided = replace(coverage, side=side)
        return self.observed + direction * self._end(direction, one_sided, known)

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return how far from the observed value an end of the interval lies: where p(δ) falls to the level."""
        from scipy.optimize import brentq

        inside, outside = self._reach(direction, coverage, known)
        claim: Claim = "different" if coverage.side == "two-sided" else "worse" if direction > 0 else "better"
        alpha = alpha_of(coverage.level)

        def kept(distance: float) -> float:
            return self.p_value(self.observed + direction * distance, claim).value - alpha

        step = student_quantile(alpha / 2.0, self.degrees) * self.error
        # few groups of very unequal sizes keep every δ, however far away, and a mean has no bounds, so we set some
        outside = min(outside, max(self.widest * step, inside))
        near, far = inside, min(max(inside + CLOSE * self.error, step), outside)
        while far < outside and kept(far) > 0.0:
            near, far = far, min(2.0 * far, outside)
        if kept(near) <= 0.0:
            return near
        if kept(far) > 0.0:
            return outside
        end = float(brentq(kept, near, far, xtol=CLOSE * self.error))
        if abs(kept(end)) <= SMOOTH * alpha:
            return end
        # p jumps there: the intervals of two levels end at the same place
        return round(float(brentq(kept, near, far, xtol=JUMP * self.error)) / self.error, JUMP_DIGITS) * self.error

    def _reach(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> tuple[float, float]:
        """Return between which distances from the observed value an end must lie."""
        limit = abs((coverage.highest if direction > 0 else coverage.lowest) - self.observed)
        if known is None:
            return 0.0, limit
        away = direction * (known.delta - self.observed)
        if away <= 0.0:  # δ lies behind the observed value, or on it
            return 0.0, limit
        if known.kept:
            return min(away, limit), limit
        # an end never lies on δ itself where p(δ) excludes it
        return 0.0, min(limit, max(away / 2.0, away - CLOSE * self.error))


# a claim with a margin → what it says of the gain: above or below which part of the margin
TAILS: dict[str, tuple[tuple[str, int], ...]] = {
    "not_worse": (("above", -1),),
    "worse": (("below", -1),),
    "better": (("above", 1),),
    "equivalent": (("above", -1), ("below", 1)),
}


# a claim with a margin → the claims that contradict it
CONTRARY: dict[str, tuple[Claim, ...]] = {"not_worse": ("worse",), "equivalent": ("worse", "better")}


def contrary_shown(question: Question[Any], function: PValueFunction) -> Contrary | None:
    """Return the contrary of a claim where it is shown: B is worse, or for equivalence also better, by more.

    Claim and contrary cannot both be true, so each is tested at the whole level. The two contraries of equivalence
    share it (Bonferroni). The bound lies beyond the margin exactly where the contrary is shown.
    """
    claims = CONTRARY.get(question.options.claim, ())
    for claim in claims:
        alpha = alpha_of(question.confidence_level) / len(claims)
        [(side, delta, p)] = one_sided_tests(question.asking(claim=claim), function)
        if p.value <= alpha:
            coverage = replace(question.coverage, level=1.0 - alpha)
            bound = function.bound(side, coverage, JudgedDifference(delta, kept=False))
            p = times(p, float(len(claims)))
            return Contrary(claim, p.value, p.log10, p.error, bound, coverage.level)
    return None


def one_sided_tests(question: Question[Any], function: PValueFunction) -> list[tuple[Side, float, PValue]]:
    """Return for each test of a claim the side of the interval that it bounds, its δ, and p(δ)."""
    assert question.margin is not None
    sign, tests = question.measure.sign, []
    for gains, part in TAILS[question.options.claim]:
        above = (gains == "above") == (sign > 0)
        side: Side = "lower" if above else "upper"
        delta = sign * part * question.margin
        tests.append((side, delta, function.p_value(delta, "better" if above else "worse")))
    return tests


def judged_with_margin(
    question: Question[Any], function: PValueFunction, caveats: tuple[Caveat, ...] = (), *, undecided: bool = False
) -> Finding:
    """Judge a claim with a margin: not worse by it or more, better or worse by more than it, equivalent within it.

    A claim that is not shown may be shown to be wrong, which its contrary says.

    "Not worse" and "worse" are one test each, of the gain against −margin, "better" is one against +margin.
    "Equivalent" is two one-sided tests, against −margin and against +margin, and p is the larger of theirs (Schuirmann
    1987). Each bound lies on the far side of the margin exactly where its test does not reject.

    A relative margin r is a share of A's value: "not worse" is then a gain above −r·a, where A's value is also
    estimated. The interval is that of b/a − 1.
    """
    alpha, coverage = alpha_of(question.confidence_level), replace(question.coverage, level=question.confidence_level)
    tests = one_sided_tests(question, function)
    bounds, side = {"lower": coverage.lowest, "upper": coverage.highest}, coverage.side
    for side, delta, p in tests:
        bounds[side] = function.bound(side, coverage, JudgedDifference(delta, p.value > alpha))
    if len(tests) == 2:
        ends = min(bounds["lower"], function.observed), max(bounds["upper"], function.observed)
        interval = Interval(*ends, question.coverage.level, function.interval_method, "two-sided")
    else:
        interval = replace(coverage, side=side).interval(bounds["lower"], bounds["upper"], function.interval_method)
    return Finding(
        function.method,
        function.t(tests[0][1]),
        max((p for *_, p in tests), key=lambda p: p.value),
        interval,
        function.why.replace("where neither is better", "where the difference is the margin"),
        caveats=caveats,
        undecided=undecided,
        contrary=None if undecided or all(p.value <= alpha for *_, p in tests) else contrary_shown(question, function),
    )
