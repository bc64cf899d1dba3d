"""Diebold and Mariano's test: do two forecasts lose equally much, where their losses are correlated in time?"""

from __future__ import annotations

import math

import numpy as np

from clearwin.data.questions import Question
from clearwin.data.values import ValueSample
from clearwin.errors import NotApplicableError, OptionError, setting
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import student
from clearwin.resampling.functionals import is_in_order
from clearwin.significance.base import Finding, instead, test
from clearwin.text import counted, degrees_of_freedom

FURTHEST = 12  # steps ahead
HORIZONS = tuple(f"horizon_{steps}" for steps in range(1, FURTHEST + 1))


@test(
    label="Diebold–Mariano test",
    question="Is the mean loss of two forecasts the same in the long run?",
    null_hypothesis="{a} and {b} have the same {measure} in the long run",
    judges=("items",),
    methods=HORIZONS,
    intervals=("t",),
    formula="t = d̄/√(V/n) · √((n + 1 − 2h + h(h − 1)/n)/n) on n − 1 degrees of freedom, V = γ₀ + 2 Σ γₖ, k from 1 to "
    "h − 1",
    source="Diebold and Mariano 1995; Harvey, Leybourne and Newbold 1997",
    assumes="loss differences whose correlation ends before the horizon h",
    takes=("losses", "values"),
    takes_order=True,
)
def diebold_mariano(question: Question[ValueSample]) -> Finding:
    """Return Diebold and Mariano's test with the correction of Harvey, Leybourne and Newbold.

    Question: do two forecasts h steps ahead lose equally much? Optimal ones have errors that correlate up to h − 1
    steps, so these autocovariances belong to the variance of the mean difference. ``method="horizon_3"`` is for
    forecasts three steps ahead; the default is one.

    Null hypothesis: the mean loss is the same in the long run.

    Source: Diebold and Mariano, Journal of Business & Economic Statistics 13 (1995); Harvey, Leybourne and Newbold,
    International Journal of Forecasting 13 (1997), for the factor and Student's t.

    Do not use it where losses stay correlated for longer than the horizon; the default with ``order=`` finds out how
    long they do.

    >>> import clearwin as cw
    >>> a, b = [2.1, 0.4, 1.7, 0.2, 1.1, 0.9, 2.4, 0.3, 1.3, 0.6], [1.0, 0.5, 1.2, 0.6, 0.4, 0.8, 1.9, 0.1, 1.0, 0.2]
    >>> r = cw.compare(None, a, b, measure="mean_loss", order=range(10), test="diebold_mariano")
    >>> print(f"t = {r.statistic:.3f}, p = {r.p_value:.4f}")
    t = -2.490, p = 0.0344
    """
    method = HORIZONS[0] if question.method == "auto" else question.method
    horizon = HORIZONS.index(method) + 1
    sample = question.sample
    in_order = is_in_order(sample)
    if horizon > 1 and not in_order:
        raise OptionError(
            f"Forecasts {horizon} steps ahead have errors that correlate in time, and the order of the items is not "
            "known.",
            "the time of each item",
            setting("order"),
        )
    units = sample.units
    if in_order and units.counts.max() > 1:
        raise NotApplicableError(
            "The Diebold–Mariano test takes one item at each time, and here several have the same.",
            "different times, or the default test, which takes the items of one time together",
            instead(question, "studentised"),
        )
    factor, n = sample.factor(question.measure), sample.n
    losses = factor * (units.differences if in_order else sample.differences)
    gaps = losses - math.fsum(losses) / n  # fsum, so that the order of rows without times does not matter
    lags = [math.fsum(gaps[lag:] * gaps[: n - lag]) / n for lag in range(min(horizon, n))]
    variance = lags[0] + 2.0 * math.fsum(lags[1:])
    shrunk = (n + 1.0 - 2.0 * horizon + horizon * (horizon - 1.0) / n) / n
    if variance <= 0.0 or shrunk <= 0.0:
        if not np.any(losses):
            return Finding(method, 0.0, pvalues.from_log(0.0), student(0.0, 0.0, n - 1.0, question.coverage))
        raise NotApplicableError(
            f"The variance of the mean difference is not positive with {counted(horizon, 'step')} ahead.",
            "losses that vary, or fewer steps",
            instead(question, "studentised"),
        )
    error = math.sqrt(variance / n / shrunk)
    t = question.difference / error
    p = pvalues.of_student(question.measure.sign * t, n - 1.0, question.claim)
    why = f"{counted(n, 'item')}, {counted(horizon, 'step')} ahead, {degrees_of_freedom(n - 1)}"
    return Finding(method, t, p, student(question.difference, error, n - 1.0, question.coverage), why)
