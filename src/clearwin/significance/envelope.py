"""One monotone p(δ) where the p-values of single differences are not monotone.

A claim that the true difference is above δ contradicts every difference up to δ, so its p-value is the largest of
theirs. The likeliest population differs from δ to δ, and with few groups so does its variance: without the envelope
"not worse by 0.01" could hold where "not worse by 0.05" does not.

The largest p-value is taken over knots up to three standard errors from the observed difference, or as far as Student's
t makes as rare. Populations further out are too unlike the data to say anything about a nearer difference; from there
on p is the smallest so far. Between two knots p is as it is where it moves smoothly. It is interpolated further out,
and where it jumps, because a population was not found or a score crosses a threshold.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from functools import cached_property

from clearwin.numerics import pvalues
from clearwin.numerics.intervals import student_quantile
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.significance.claims import PValueFunction

# what the normal distribution leaves out beyond 0.5, 1, 1.5 … 3 standard errors
TAILS = (0.308538, 0.158655, 0.0668072, 0.0227501, 0.00620967, 0.00134990)
GROWTH = 1.25  # of the distance from knot to knot beyond these


class Envelope(PValueFunction):
    """A p-value function made monotone."""

    @abstractmethod
    def alone(self, delta: float, claim: Claim) -> PValue:
        """Return the p-value of this one difference."""

    @abstractmethod
    def is_smooth(self, delta: float) -> bool:
        """Return whether p moves smoothly near this difference."""

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ), which is never larger further out."""
        outwards = -1 if claim == "better" or (claim == "different" and delta < self.observed) else 1
        knots = self._knots(outwards, abs(delta - self.observed))
        place = bisect_right(knots, outwards * delta, key=lambda knot: outwards * knot)
        inner, outer = knots[place - 1 : place + 1]
        inside, outside = (self._settled(knot, knots, outwards, claim) for knot in (inner, outer))
        if delta == inner:
            return inside
        own = self._at(delta, claim)
        settled = inside is self._at(inner, claim) and outside is self._at(outer, claim)
        near = outwards * outer <= outwards * self._near(outwards)
        if settled and near and all(self.is_smooth(at) for at in (inner, delta, outer)):
            return min(max(own, outside, key=_size), inside, key=_size)
        return pvalues.between(inside, outside, (delta - inner) / (outer - inner))

    def _settled(self, knot: float, knots: list[float], outwards: int, claim: Claim) -> PValue:
        """Return p at a knot: the largest from there to the last of the near ones, or the smallest since then."""
        furthest = self._near(outwards)
        if outwards * knot <= outwards * furthest:
            along = [other for other in knots if outwards * knot <= outwards * other <= outwards * furthest]
            return max((self._at(other, claim) for other in along), key=_size)
        along = [other for other in knots if outwards * furthest <= outwards * other <= outwards * knot]
        return min((self._at(other, claim) for other in along), key=_size)

    def _at(self, delta: float, claim: Claim) -> PValue:
        if (delta, claim) not in self._known:
            self._known[delta, claim] = self.alone(delta, claim)
        return self._known[delta, claim]

    @cached_property
    def _known(self) -> dict[tuple[float, Claim], PValue]:
        return {}

    @cached_property
    def _steps(self) -> list[float]:
        return [student_quantile(tail, self.degrees) * self.error for tail in TAILS]

    def _near(self, outwards: int) -> float:
        return self.observed + outwards * self._steps[-1]

    def _knots(self, outwards: int, away: float) -> list[float]:
        """Return the knots in order, from inside out, on both sides of the observed value and past ``away``; 0 is one.

        They do not depend on which difference is asked about, so that all answers agree.
        """
        steps, furthest = list(self._steps), max(away, abs(self.observed))
        while steps[-1] <= furthest:
            steps.append(GROWTH * steps[-1])
        both = {self.observed + side * step for side in (-1, 1) for step in steps} | {0.0, self.observed}
        return sorted(both, reverse=outwards < 0)


def _size(p: PValue) -> float:
    return p.log10
