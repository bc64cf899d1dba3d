"""p(δ) of a ranking with few items of a class: Student's t, corrected for skewness, without any draws."""

from __future__ import annotations

import math

import numpy as np

from clearwin.numerics import pvalues
from clearwin.numerics.intervals import Coverage, alpha_of, student_quantile
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.resampling.by_class import Moments
from clearwin.significance.claims import JudgedDifference, PValueFunction
from clearwin.text import degrees_of_freedom

FURTHEST = 1e90  # of t, so that its cube is still a float
HARDLY_SKEWED = 1e-8


class PValuesByClass(PValueFunction):
    """p(δ) from the variance class by class: t(δ) = (value − δ)/se, against Student's t.

    A tail is the larger of that of t and that of t corrected for skewness. With few items of a class the skewness is
    not known well, so a one-sided p-value is twice the tail, like a two-sided one.
    """

    method = "student"

    def __init__(self, moments: Moments) -> None:
        self.observed, self.error = moments.observed, math.sqrt(moments.variance)
        self._degrees, self._skewed = moments.degrees, moments.skewness

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        fewest = round(self._degrees) + 1
        return f"the smaller class has {fewest} items, which leaves {degrees_of_freedom(round(self._degrees))}"

    @property
    def degrees(self) -> float:
        """One less than there are items of the smaller class."""
        return self._degrees

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether little is known about disagreements that did not occur: it always is."""
        return True

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return (self.observed - delta) / self.error

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ)."""
        t = self.t(delta)
        side: Claim = ("better" if t > 0.0 else "worse") if claim == "different" else claim
        tails = [pvalues.of_student(x, self._degrees, side) for x in (t, self._corrected(t))]
        return pvalues.times(max(tails, key=lambda p: p.value), 2.0)

    def _corrected(self, t: float) -> float:
        """Return t less its skewness g, which rises with t everywhere: ((1 + gt/3)³ − 1)/g + g/6 (Hall 1992)."""
        g, t = self._skewed, min(max(t, -FURTHEST), FURTHEST)
        return t + g * t**2 / 3.0 + g**2 * t**3 / 27.0 + g / 6.0

    def furthest(self, side: float, tail: float) -> float:
        """Return the largest |t| that is not rejected where the value lies on this side of δ: above 0, or below."""
        return furthest(self._skewed, self._degrees, side, tail)

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return how far from the observed value an end of the interval lies."""
        inside, outside = self._reach(direction, coverage, known)
        return min(max(self.furthest(-direction, alpha_of(coverage.level) / 2.0) * self.error, inside), outside)


def furthest(skewness: float, degrees: float, side: float, tail: float) -> float:
    """Return the largest |t| that neither Student's tail nor that of t less its skewness rejects, on this side."""
    quantile = student_quantile(tail, degrees)
    return max(quantile, side * _uncorrected(side * quantile, skewness))


def _uncorrected(corrected: float, g: float) -> float:
    """Return the t that is corrected to a number."""
    if abs(g) < HARDLY_SKEWED:
        return corrected - g / 6.0
    return 3.0 / g * float(np.cbrt(1.0 + g * (corrected - g / 6.0)) - 1.0)
