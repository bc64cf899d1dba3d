"""p(δ) of two models, each judged on items of its own: Student's t, corrected for skewness and for what was missed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Coverage, student_quantile
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.significance.claims import JudgedDifference, PValueFunction

FURTHEST = 1e90  # of t, so that its cube is still a float


@dataclass(frozen=True)
class Component:
    """A mean over independent units, such as the positives: what it adds to the variance of one model's value.

    ``skewness`` is that of the mean. A unit of a kind that the test set missed may be ``lost`` below the value, or
    ``gained`` above it.
    """

    units: int
    noun: str
    variance: float
    degrees: float
    skewness: float = 0.0
    lost: float = 0.0
    gained: float = 0.0


def component_of(numbers: Floats, noun: str, least: float = 0.0, lost: float = 0.0, gained: float = 0.0) -> Component:
    """Return what the mean of these numbers adds, with variance and third cumulant free of bias; two or more numbers.

    >>> part = component_of(np.array([0.0, 0.0, 3.0]), "item")
    >>> f"{part.variance:.3f} with {part.degrees:.0f} degrees of freedom, skewness {part.skewness:.3f}"
    '1.000 with 2 degrees of freedom, skewness 1.000'
    """
    n, gaps = numbers.size, numbers - numbers.mean()
    furthest = float(np.abs(gaps).max())
    if furthest == 0.0:
        return Component(n, noun, least, n - 1.0, 0.0, lost, gained)
    gaps = gaps / furthest  # their third powers stay in a float's range
    variance = max(float((gaps**2).sum()) / (n * (n - 1.0)), least / furthest**2)
    third = float((gaps**3).sum()) / (n * (n - 1.0) * (n - 2.0)) if n > 2 else 0.0
    return Component(n, noun, variance * furthest**2, n - 1.0, third / variance**1.5, lost, gained)


class PValuesOfTwoSets(PValueFunction):
    """p(δ) of a difference of two independent values, each of which is a sum of means.

    With v the variance of a mean on ν degrees of freedom, t(δ) = (difference − δ)/√Σv is compared with Student's t on
    (Σv)²/Σ(v²/ν) degrees (Welch 1947). A tail is the larger of that of t and that of t corrected for skewness (Hall
    1992). The model that is ahead may owe it to units that its test set missed and on which it fails, or to units on
    which the other model does well and which that one's test set missed; the tail allows for either, as in
    ``significance/unseen.py``. Two test sets do not miss the same units, so unlike on one test set a failure that
    both models share counts, too.
    """

    method, why = "welch", "the models were judged on different items"

    def __init__(self, observed: float, a: Iterable[Component], b: Iterable[Component]) -> None:
        self.observed, self.a, self.b = observed, tuple(a), tuple(b)
        parts = (*self.a, *self.b)
        variance, unknown = sum(p.variance for p in parts), sum(p.variance**2 / p.degrees for p in parts)
        self.error = math.sqrt(variance)
        self._degrees = variance**2 / unknown if unknown else math.inf
        skewed = [p.skewness * (p.variance / variance) ** 1.5 if variance else 0.0 for p in parts]
        self.correction = sum(skewed[len(self.a) :]) - sum(skewed[: len(self.a)])
        self.skewness = max(map(abs, skewed))

    @property
    def degrees(self) -> float:
        """Welch's degrees of freedom."""
        return self._degrees

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether p has a floor: no two models are swapped here."""
        return False

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return (self.observed - delta) / self.error

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ)."""
        missed = [self.if_missed(part, loss, delta, claim) for part, loss in self.could_miss(delta, claim)]
        return max([self.seen(delta, claim), *missed], key=lambda p: p.log10)

    def seen(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ) if no kind of unit was missed."""
        side, t = self._side(delta, claim), self.t(delta)
        tails = [pvalues.of_student(x, self._degrees, side) for x in (t, self._corrected(t))]
        return self._doubled(max(tails, key=lambda p: p.log10), claim)

    def if_missed(self, part: Component, loss: float, delta: float, claim: Claim) -> PValue:
        """Return p(δ) if units of a part were missed that lose so much of the lead each."""
        gain = self.observed - delta if self._side(delta, claim) == "better" else delta - self.observed
        tail = pvalues.of_unseen(gain, self.error, self._degrees, part.units, loss)
        return self._doubled(tail, claim)

    def could_miss(self, delta: float, claim: Claim) -> list[tuple[Component, float]]:
        """Return the parts whose missed units could explain the lead, with what each could lose of it."""
        if self._side(delta, claim) == "better":
            possible = [(part, part.lost) for part in self.b] + [(part, part.gained) for part in self.a]
        else:
            possible = [(part, part.lost) for part in self.a] + [(part, part.gained) for part in self.b]
        return [(part, loss) for part, loss in possible if loss > 0.0]

    def _side(self, delta: float, claim: Claim) -> Claim:
        return ("better" if self.observed > delta else "worse") if claim == "different" else claim

    def _doubled(self, tail: PValue, claim: Claim) -> PValue:
        return pvalues.times(tail, 2.0) if claim == "different" else tail

    def _corrected(self, t: float) -> float:
        """Return t less its skewness g, which rises with t everywhere: ((1 + gt/3)³ − 1)/g + g/6 (Hall 1992)."""
        g, t = self.correction, min(max(t, -FURTHEST), FURTHEST)
        return t + g * t**2 / 3.0 + g**2 * t**3 / 27.0 + g / 6.0

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return how far from the observed value an end of the interval lies: of a plain t it is known."""
        if any(part.skewness or part.lost or part.gained for part in (*self.a, *self.b)):
            return super()._end(direction, coverage, known)
        return student_quantile(coverage.tail, self._degrees) * self.error
