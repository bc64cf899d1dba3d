"""p(δ) of items in time order: a normal variance would be too small where neighbours resemble each other."""

from __future__ import annotations

import math

import numpy as np

from clearwin.numerics import pvalues
from clearwin.numerics.long_run import long_run_variance
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.resampling.contributions import Contributions
from clearwin.resampling.functionals import SMALLEST
from clearwin.results.caveats import Caveat, caveat
from clearwin.significance.claims import PValueFunction
from clearwin.text import degrees_of_freedom

METHOD = "newey_west"
FEWEST, FEWEST_EFFECTIVE = (
    30,
    5.0,
)  # times; with fewer, true null hypotheses are rejected in 7 to 29 % (ρ from .3 to .9)


class PValuesInOrder(PValueFunction):
    """p(δ) from what each time point adds to the value: t(δ) = (value − δ)/se, against the fixed-b distribution.

    The influence values of all items of a time are summed, and the variance of their sum allows for the correlation of
    each sum with those before it (``numerics/long_run.py``).
    """

    method = METHOD

    def __init__(self, added: Contributions) -> None:
        numbers, besides = added.at(added.observed)
        self.observed, self.n = added.observed, added.n
        self._spread = long_run_variance(numbers[np.argsort(added.strata, kind="stable")])
        self.error = math.sqrt(max(self._spread.variance + besides, SMALLEST))

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        correlation = f"neighbours correlate by {self._spread.correlation:.2f}"
        return f"{self.n:,} times whose {correlation}, {degrees_of_freedom(round(self.degrees))}"

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the standard error."""
        return self._spread.degrees

    @property
    def effective(self) -> float:
        """How many independent times would be as good, if each depends on the one before alone."""
        rho = self._spread.correlation
        return self.n * (1.0 - rho) / (1.0 + rho)

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether the models differ at few times, so that the variance says little."""
        return 2 * n_differing_units <= self.n

    def t(self, delta: float) -> float:
        """Return the statistic."""
        return (self.observed - delta) / self.error

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ)."""
        return pvalues.of_squares(self.t(delta), self._spread.weights, claim)


def few_times(function: PValueFunction) -> tuple[Caveat, ...]:
    """Doubt a variance of few times, or of times that resemble each other much."""
    if not isinstance(function, PValuesInOrder):
        return ()
    if function.n >= FEWEST and function.effective >= FEWEST_EFFECTIVE:
        return ()
    return (caveat("few_times", times=function.n, effective=function.effective),)
