"""Bootstrap replicates: test sets like this one; for every test without an interval of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.questions import Question
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import BOOTSTRAP, DIRICHLET, Interval, Replicates
from clearwin.resampling import dirichlet, of_counts, of_scores  # noqa: F401 - they say how their samples are drawn
from clearwin.resampling.base import Drawn, replicates, without_units
from clearwin.resampling.jackknife import LeftOut
from clearwin.resampling.of_values import standard_error

FEW_RESAMPLES = 1_000  # a variance is known to a twentieth


def draw(question: Question[Any]) -> Drawn:
    """Draw test sets of the same size with replacement and return the measure on each."""
    return replicates(question.sample, question)


def left_out(question: Question[Any]) -> LeftOut:
    """Return the measure of A and B without one unit or set of items."""
    return without_units(question.sample, question)


def jackknife_variance(question: Question[Any], *, of_difference: bool = True) -> float:
    """Return the jackknife's variance of the difference, or of A's value."""
    found = left_out(question)
    return found.variance(found.differences if of_difference else found.a)


def bootstrap_variance(question: Question[Any], *, of_difference: bool = True) -> float:
    """Return the variance of the difference, or of A's value, over some replicates."""
    drawn = draw(question.asking(n_resamples=FEW_RESAMPLES))
    return float((drawn.b - drawn.a if of_difference else drawn.a).var(ddof=1))


def interval_of(question: Question[Any], drawn: Drawn, auto: str = "percentile") -> Interval:
    """Return the interval of the difference that was asked for; ``auto`` is the one where none was."""

    def without() -> tuple[Floats, NDArray[np.int64]]:
        found = left_out(question)
        return found.accelerating(found.differences)

    name = auto if question.interval == "auto" else question.interval
    if name == DIRICHLET:
        return dirichlet.interval(question)
    error = None if drawn.errors is None else standard_error(question)
    found = Replicates(drawn.differences, question.difference, without, drawn.errors, error)
    return BOOTSTRAP[name](found, question.coverage)


def confidence(question: Question[Any], drawn: Drawn) -> float:
    """keller2004 (13) as printed: the fraction of replicates in which B is better, ties not counted."""
    return float((question.measure.sign * drawn.differences > 0).mean())


def confidence_in_a(question: Question[Any], drawn: Drawn) -> float:
    """The same for A: less than 1 − confidence wherever both are level."""
    return float((question.measure.sign * drawn.differences < 0).mean())
