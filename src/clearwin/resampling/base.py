"""What resampling gives, and the two questions that every kind of sample answers in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any

import numpy as np

from clearwin.data.questions import Question
from clearwin.data.samples import Sample
from clearwin.numerics.arrays import Floats
from clearwin.numerics.pvalues import TIE
from clearwin.resampling.jackknife import LeftOut


@dataclass(frozen=True, eq=False)
class Drawn:
    """Bootstrap replicates of the measure (models × replicates), and in how many of them it was 0/0 for any model.

    ``errors`` are the standard errors that a studentised interval needs.
    """

    values: Floats
    undefined: int
    errors: Floats | None = None
    own: Floats | None = None  # differences that were drawn themselves

    @property
    def a(self) -> Floats:
        """Replicates of A, the first model."""
        return np.asarray(self.values[0])

    @property
    def b(self) -> Floats:
        """Replicates of B, the last model."""
        return np.asarray(self.values[-1])

    @cached_property
    def differences(self) -> Floats:
        """Replicates of b − a, with rounding errors around 0 set to 0 so that ties stay ties."""
        differences, scale = (self.b - self.a, self.scale) if self.own is None else (self.own, np.abs(self.own).max())
        return np.where(np.abs(differences) <= TIE * scale, 0.0, differences)

    @property
    def scale(self) -> float:
        """The largest value of the measure among the replicates."""
        return float(np.abs(self.values).max())


@singledispatch
def replicates(sample: Sample, question: Question[Any]) -> Drawn:
    """Draw test sets of the same size with replacement and return the measure on each."""
    raise TypeError(type(sample).__name__)


@singledispatch
def without_units(sample: Sample, question: Question[Any]) -> LeftOut:
    """Return the measure of A and B without one unit, or without a part of them."""
    raise TypeError(type(sample).__name__)
