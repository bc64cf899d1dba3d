"""Does the difference vary between slices of a test set? Brown and Forsythe's test of means with unequal variances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from clearwin.data.questions import Question
from clearwin.numerics.pvalues import of_f
from clearwin.resampling.by_class import by_class, has_few_of_a_class
from clearwin.resampling.contributions import contributions
from clearwin.resampling.functionals import SMALLEST, functional, is_designed
from clearwin.results.comparison import Interaction

# of the parts of items that other tests add: a tenth of an item for each way of disagreeing
A_FIFTH = 0.2


def interaction(questions: Iterable[Question[Any]]) -> Interaction | None:
    """Test whether two models differ by the same amount in every slice; None if fewer than two slices can vary.

    Null hypothesis: the difference d = b − a is the same in all slices, whatever it is. Each slice has its difference,
    its variance v with f degrees of freedom, and its share w of the items. With their mean difference m = Σ w d,

        F = Σ w (d − m)² / Σ w (1 − w) v

    is compared with the F distribution with (Σ w (1 − w) v)²/(Σ w² v² − 2 Σ w³ v² + (Σ w² v)²) and
    (Σ w (1 − w) v)²/Σ (w (1 − w) v)²/f degrees of freedom.

    Variances are summed, never divided by, so a slice in which the models happen to differ on no item needs no added
    disagreements. Weights of 1/v (Welch 1951) do, and with 10 to 40 items in a slice these hide every difference.

    Source: Brown and Forsythe, Technometrics 16 (1974); degrees above: Mehrotra, Communications in Statistics 26
    (1997). Level and power are measured in docs/scorecard.md.
    """
    of_slices = [of_slice for of_slice in map(_of_slice, questions) if of_slice is not None]
    k = len(of_slices)
    if k < 2:
        return None
    differences, variances, degrees, items = np.array(of_slices).T
    shares = items / items.sum()
    added = shares * (1.0 - shares) * variances
    expected = float(added.sum())
    if expected <= SMALLEST:
        return None
    statistic = float(shares @ (differences - shares @ differences) ** 2) / expected
    squares = shares**2 * variances**2
    above = expected**2 / float(squares.sum() - 2.0 * (shares * squares).sum() + (shares**2 @ variances) ** 2)
    below = expected**2 / float((added**2 / degrees).sum())
    p = of_f(statistic, above, below)
    return Interaction(k, statistic, (above, below), p.value, p.log10)


class OfSlice(NamedTuple):
    """The difference in one slice, its variance with degrees of freedom, and the number of items."""

    difference: float
    variance: float
    degrees: float
    items: float


def _of_slice(question: Question[Any]) -> OfSlice | None:
    """Return what a slice shows; None where the variance of its difference is unknown."""
    sample, measure, n = question.sample, question.measure, question.n
    if has_few_of_a_class(sample, measure):
        moments = by_class(sample, measure)
        return OfSlice(moments.observed, moments.variance, moments.degrees, n)
    if is_designed(sample):
        added = contributions(sample, measure)
        if added is None:
            return None
        return OfSlice(added.observed, added.error**2, added.deviation(added.observed).degrees, n)
    estimand = functional(sample, measure)
    if estimand is None:
        return None
    items = float(estimand.times.sum())
    if items < 2.0:
        return None
    weights = estimand.times if measure.is_mean else estimand.times + A_FIFTH * estimand.extra
    influence = estimand.influence(weights[:, None])[:, 0]
    variance = float(weights @ influence**2) / float(weights.sum()) ** 2 * items / (items - 1.0)
    return OfSlice(estimand.observed, variance, items - 1.0, n)
