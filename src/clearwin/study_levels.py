"""From which level on an interval holds the truth: what the calibration of intervals is made of."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clearwin.intervals import DIRICHLET
from clearwin.result import Interval
from clearwin.significance import AnyQuestion, Finding
from clearwin.significance.base import Test
from clearwin.significance.posterior import interval as dirichlet_interval
from clearwin.significance.replicates import draw

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def reach(test: Test, question: AnyQuestion, finding: Finding, truth: float, slack: float) -> float:
    """Return the level from which on the interval holds the truth; what is within ``slack`` of the truth is the truth.

    Of bootstrap replicates that is told by how many of them are below the truth. Any other interval is asked for at
    some of ``LEVELS``: the smallest that holds the truth is returned, or 1 where none does.
    """
    if finding.interval.method == "percentile":
        return 2.0 * abs(position(_replicates(question, finding), truth, slack) - 0.5)

    def holds(level: float) -> bool:
        interval = _at(level, test, question, finding)
        return bool(interval.low - slack <= truth <= interval.high + slack)

    return (*LEVELS, 1.0)[bisect_left(LEVELS, True, key=holds)]  # a higher level only widens it


def _replicates(question: AnyQuestion, finding: Finding) -> NDArray[np.float64]:
    """Return what a percentile interval was made of; where the test does not hand it on, it is the same drawn again."""
    if finding.replicates is not None:
        return finding.replicates
    drawn = finding.distribution
    return drawn.values if drawn is not None and drawn.kind == "bootstrap" else draw(question).differences


def position(replicates: NDArray[np.float64], truth: float, slack: float) -> float:
    """Return the share of replicates below the truth, those level with it counted half."""
    gaps = replicates - truth
    return float((gaps < -slack).mean() + (np.abs(gaps) <= slack).mean() / 2.0)


def _at(level: float, test: Test, question: AnyQuestion, finding: Finding) -> Interval:
    """Return the test's interval at another level."""
    if level == question.confidence_level:
        return finding.interval
    asked = replace(question, confidence_level=level)  # type: ignore[type-var]
    if finding.interval.method == DIRICHLET:
        return dirichlet_interval(asked)  # the p-value need not be found again
    return test.answer(asked).interval
