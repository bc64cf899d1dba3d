"""What the measure is without each unit: for the acceleration of BCa, and for variances by groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.numerics.arrays import Floats


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The measure of A and of B without one unit, for how many units that is the value, and in which stratum."""

    a: Floats
    b: Floats
    times: Counts
    strata: Counts

    @property
    def differences(self) -> Floats:
        """Values of b − a."""
        return self.b - self.a

    def accelerating(self, values: Floats) -> tuple[Floats, Counts]:
        """Return the values as the acceleration needs them, and their multiplicities.

        With strata they are centred stratum by stratum and shrunk by (n − 1)/n, which makes the acceleration that of
        several samples (Efron and Tibshirani 1993, section 14.3).
        """
        if np.unique(self.strata).size == 1:
            return values, self.times
        found = np.empty_like(values)
        for here, n in self._by_stratum():
            gap = values[here] - np.average(values[here], weights=self.times[here])
            found[here] = gap * (1.0 - 1.0 / n)
        return found, self.times

    def variance(self, values: Floats) -> float:
        """Return the jackknife's variance of the values: of a mean it is Σ n_h s_h²/N², n_h and s_h of each stratum."""
        total = 0.0
        for here, n in self._by_stratum():
            gap = values[here] - np.average(values[here], weights=self.times[here])
            if n > 1:
                total += n / (n - 1) * float((self.times[here] * gap**2).sum())
        everyone = int(self.times.sum())
        return total * ((everyone - 1) / everyone) ** 2

    def _by_stratum(self) -> list[tuple[NDArray[np.bool_], int]]:
        parts = [self.strata == stratum for stratum in np.unique(self.strata)]
        return [(here, int(self.times[here].sum())) for here in parts]
