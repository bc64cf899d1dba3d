"""Bootstrap replicates: test sets like this one; for every test without an interval of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clearwin.data.samples import AnyQuestion, CountQuestion
from clearwin.data.scores import ScoreQuestion
from clearwin.data.values import ValueQuestion
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import BOOTSTRAP, DIRICHLET, Interval, Replicates
from clearwin.numerics.pvalues import TIE
from clearwin.resampling import dirichlet
from clearwin.resampling.jackknife import LeftOut
from clearwin.resampling.of_counts import draw_units, leave_out_units
from clearwin.resampling.of_scores import draw_scores, leave_out_scores
from clearwin.resampling.of_values import draw_values, leave_out_values, standard_error

FEW_RESAMPLES = 1_000  # a variance is known to a twentieth


@dataclass(frozen=True, eq=False)
class Drawn:
    """Bootstrap replicates of the measure for A and B, and in how many of them it was 0/0 for either.

    ``errors`` are the standard errors that a studentised interval needs.
    """

    a: Floats
    b: Floats
    undefined: int
    errors: Floats | None = None
    own: Floats | None = None  # differences that were drawn themselves

    @cached_property
    def differences(self) -> Floats:
        """Replicates of b − a, with rounding errors around 0 set to 0 so that ties stay ties."""
        differences, scale = (self.b - self.a, self.scale) if self.own is None else (self.own, np.abs(self.own).max())
        return np.where(np.abs(differences) <= TIE * scale, 0.0, differences)

    @property
    def scale(self) -> float:
        """The largest value of the measure among the replicates."""
        return float(max(np.abs(self.a).max(), np.abs(self.b).max()))


def draw(question: AnyQuestion) -> Drawn:
    """Draw test sets of the same size with replacement and return the measure on each."""
    if isinstance(question, ScoreQuestion):
        return Drawn(*draw_scores(question))
    if isinstance(question, ValueQuestion):
        return Drawn(*draw_values(question))
    assert isinstance(question, CountQuestion)
    return Drawn(*draw_units(question))


def left_out(question: AnyQuestion) -> LeftOut:
    """Return the measure of A and B without one unit or set of items."""
    if isinstance(question, ScoreQuestion):
        return leave_out_scores(question)
    if isinstance(question, ValueQuestion):
        return leave_out_values(question)
    assert isinstance(question, CountQuestion)
    return leave_out_units(question)


def jackknife_variance(question: AnyQuestion, *, of_difference: bool = True) -> float:
    """Return the jackknife's variance of the difference, or of A's value."""
    found = left_out(question)
    return found.variance(found.differences if of_difference else found.a)


def telling(question: AnyQuestion) -> int:
    """Return how many units tell the models apart: items, documents or groups on which swapping them matters."""
    if isinstance(question, ScoreQuestion):
        items = question.items
        apart = np.flatnonzero(items.scores[0] != items.scores[-1])
        return int(np.unique(items.grouping.units(items.n)[apart]).size)
    if isinstance(question, ValueQuestion):
        return int(np.count_nonzero(question.values.units.differences))
    assert isinstance(question, CountQuestion)
    return int(question.table.swaps.steps.times.sum())


def bootstrap_variance(question: ScoreQuestion, *, of_difference: bool = True) -> float:
    """Return the variance of the difference, or of A's value, over some replicates."""
    drawn = draw(replace(question, n_resamples=FEW_RESAMPLES))
    return float((drawn.b - drawn.a if of_difference else drawn.a).var(ddof=1))


def interval_of(question: AnyQuestion, drawn: Drawn, auto: str = "percentile") -> Interval:
    """Return the interval of the difference that was asked for; ``auto`` is the one where none was."""

    def without() -> tuple[Floats, NDArray[np.int64]]:
        found = left_out(question)
        return found.accelerating(found.differences)

    name = auto if question.interval == "auto" else question.interval
    if name == DIRICHLET:
        return dirichlet.interval(question)
    error = standard_error(question) if isinstance(question, ValueQuestion) and drawn.errors is not None else None
    replicates = Replicates(drawn.differences, question.difference, without, drawn.errors, error)
    return BOOTSTRAP[name](replicates, question.coverage)


def confidence(question: AnyQuestion, drawn: Drawn) -> float:
    """keller2004 (13) as printed: the fraction of replicates in which B is better, ties not counted."""
    return float((question.measure.sign * drawn.differences > 0).mean())


def confidence_in_a(question: AnyQuestion, drawn: Drawn) -> float:
    """The same for A: less than 1 − confidence wherever both are level."""
    return float((question.measure.sign * drawn.differences < 0).mean())
