"""Test sets like this one: drawn with replacement, and without one unit; and the intervals that come from them.

Every kind of sample says in its own way how it is drawn and what is left out of it: ``of_counts``,
``of_scores``, ``of_bins`` and ``of_values`` register it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.data.questions import Question, refuse_crossed
from clearwin.data.samples import Sample
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import BOOTSTRAP, DIRICHLET, Interval, Replicates
from clearwin.numerics.pvalues import TIE
from clearwin.resampling import dirichlet

MOST_DIGITS = 51  # of a float that counts items, and twice as many for strata of two


@dataclass(frozen=True, eq=False)
class Drawn:
    """Bootstrap replicates of the measure (models × replicates), and in which of them it was 0/0 for any model.

    ``errors`` are the standard errors that a studentised interval needs, ``error`` that of the data themselves.
    """

    values: Floats
    undefined_in: NDArray[np.bool_] | None = None  # None where it is never 0/0
    errors: Floats | None = None
    error: float | None = None
    own: Floats | None = None  # differences that were drawn themselves

    @property
    def undefined(self) -> int:
        """In how many replicates the measure was 0/0 for any model."""
        return 0 if self.undefined_in is None else int(self.undefined_in.sum())

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


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The measure of A and of B without one unit, for how many units that is the value, and in which stratum.

    For the acceleration of BCa.
    """

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
        gaps = np.empty_like(values)
        for here, n in self._by_stratum():
            gap = values[here] - np.average(values[here], weights=self.times[here])
            gaps[here] = gap * (1.0 - 1.0 / n)
        return gaps, self.times

    def _by_stratum(self) -> list[tuple[NDArray[np.bool_], int]]:
        parts = [self.strata == stratum for stratum in np.unique(self.strata)]
        return [(here, int(self.times[here].sum())) for here in parts]


@dataclass(frozen=True, eq=False)
class StratumDraws:
    """How many units of each stratum are drawn, and what each of them weighs then.

    Drawing n of n units understates their variance by (n − 1)/n: by half, in strata of two. So of n units n − 1 are
    drawn and weigh n/(n − 1) each (Rao and Wu 1988). A single unit is kept as it is; so are all where there is one
    stratum only, and where whole units are asked for.

    >>> draws = StratumDraws.of([2, 5, 1])
    >>> draws.drawn, draws.weights.tolist()
    ([1, 4, 1], [2.0, 1.25, 1.0])
    """

    drawn: list[int]
    weights: Floats
    whole: bool  # every weight is 1

    @classmethod
    def of(cls, sizes: Sequence[int], n_items: int = 0, *, whole: bool = False) -> StratumDraws:
        """Return the draws of strata with these numbers of units, and this many items in all."""
        if whole or len(sizes) == 1:
            return cls(list(sizes), np.ones(len(sizes)), True)
        drawn = [max(size - 1, 1) for size in sizes]
        # as binary fractions of so few digits their sums and differences are exact: what cancels is 0
        digits = 2.0 ** (MOST_DIGITS - max(n_items, sum(sizes)).bit_length())
        return cls(drawn, np.rint(np.array(sizes) / np.array(drawn) * digits) / digits, False)

    def of_units(self, sizes: Sequence[int]) -> NDArray[Any]:
        """Return what each unit weighs, as compiled loops take it: nothing, of the type of a counter, if that is 1."""
        return np.empty(0, np.uint16) if self.whole else np.repeat(self.weights, sizes)


@singledispatch
def replicates(sample: Sample, question: Question[Any]) -> Drawn:
    """Draw test sets of the same size with replacement and return the measure on each."""
    raise TypeError(type(sample).__name__)


@singledispatch
def without_units(sample: Sample, question: Question[Any]) -> LeftOut:
    """Return the measure of A and B without one unit, or without a part of them."""
    raise TypeError(type(sample).__name__)


def draw(question: Question[Any]) -> Drawn:
    """Draw test sets of the same size with replacement and return the measure on each."""
    from clearwin.resampling import on_device

    refuse_crossed(question, "The bootstrap", "use one column of groups")
    drawn = on_device.replicates_of if on_device.on_accelerator(question.options) else replicates
    return drawn(question.sample, question)


def left_out(question: Question[Any]) -> LeftOut:
    """Return the measure of A and B without one unit or set of items."""
    return without_units(question.sample, question)


def interval_of(question: Question[Any], drawn: Drawn, auto: str = "percentile") -> Interval:
    """Return the interval of the difference that was asked for; ``auto`` is the one where none was."""

    def without() -> tuple[Floats, NDArray[np.int64]]:
        left = left_out(question)
        return left.accelerating(left.differences)

    name = auto if question.interval == "auto" else question.interval
    if name == DIRICHLET:
        return dirichlet.interval(question)
    replicated = Replicates(drawn.differences, question.difference, without, drawn.errors, drawn.error)
    return BOOTSTRAP[name](replicated, question.coverage)


def confidence(question: Question[Any], drawn: Drawn) -> float | None:
    """keller2004 (13): the fraction of replicates in which B is better, ties not counted.

    A replicate in which the measure was 0/0 for either model says nothing, so it is left out; where all were, there is
    no fraction.
    """
    gains = _defined_gains(question, drawn)
    return float((gains > 0).mean()) if gains.size else None


def confidence_in_a(question: Question[Any], drawn: Drawn) -> float | None:
    """The same for A: less than 1 − confidence wherever both are level."""
    gains = _defined_gains(question, drawn)
    return float((gains < 0).mean()) if gains.size else None


def _defined_gains(question: Question[Any], drawn: Drawn) -> Floats:
    gains = question.measure.sign * drawn.differences
    # of an average over classes only a part was 0/0
    return gains if drawn.undefined_in is None or question.measure.in_parts else gains[~drawn.undefined_in]
