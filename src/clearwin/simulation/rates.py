"""From what the tests found on many sets to the rows of a study: size, coverage, power, calibration.

Intervals are calibrated by the lowest level at which they cover the truth. A study and the scorecard share one standard
of how far a test may miss its promises.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.questions import Question
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import DIRICHLET, Coverage, Interval, Side, clopper_pearson
from clearwin.numerics.pvalues import TIE
from clearwin.resampling.bootstrap import draw
from clearwin.resampling.dirichlet import interval as dirichlet_interval
from clearwin.results.study import (
    CalibrationPoint,
    CoverageRow,
    DetectableRow,
    NeededSizeRow,
    PowerRow,
    SizeRow,
    StudiedNull,
)
from clearwin.significance import Finding
from clearwin.significance.base import Test

# coverage may be off by a point, because levels are usually quoted in whole per cent
POINT = 0.01
CHANCE = 0.00135  # three standard errors of a normal: chance alone exceeds this once in about 700 times
# methods that keep their level by construction; mid-p and the corrected form do so in all of the 9,595 cells of
# Fagerland et al. (2013), though mid-p would not with nearly all items discordant (7.7 % if all of 16 are)
NEVER_ABOVE = ("exact", "monte_carlo", "mid-p", "corrected", "unconditional")


def largest_size(alpha: float) -> float:
    """Return the largest tolerated size of an approximate test: half as much again, at most a point more.

    Cochran (1952), Annals of Mathematical Statistics 23:315-345, accepted true levels of the χ² approximation of
    4 to 6 % at a nominal 5 %, and of 0.7 to 1.5 % at 1 %; here only the upper ends are required.

    >>> largest_size(0.05), largest_size(0.01), largest_size(0.1)
    (0.06, 0.015, 0.11)
    """
    return float(f"{alpha + min(alpha / 2.0, POINT):.12g}")  # not 0.060000000000000005


def least_coverage(level: float) -> float:
    """Return the smallest tolerated coverage of an interval.

    >>> least_coverage(0.95)
    0.94
    """
    return max(0.0, float(f"{level - POINT:.12g}"))


def most_coverage(level: float) -> float:
    """Return the largest tolerated coverage: an interval that covers more is too wide.

    >>> most_coverage(0.95)
    0.96
    """
    return min(1.0, float(f"{level + POINT:.12g}"))


LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def levels_of(side: Side) -> tuple[float, ...]:
    """Return the levels at which intervals are calibrated; one-sided bounds have none at 0.5 or below."""
    return LEVELS if side == "two-sided" else LEVELS[1:]


def reach(test: Test, question: Question[Any], finding: Finding, truth: float, slack: float) -> float:
    """Return the lowest level at which the interval covers the truth, to within ``slack``.

    For bootstrap replicates it follows from how many of them are below the truth. Any other interval is computed at
    some of ``LEVELS``: the lowest that covers the truth is returned, or 1 if none does.
    """
    side = question.coverage.side
    if finding.interval.method == "percentile":
        below = position(_replicates(question, finding), truth, slack)
        return {"two-sided": 2.0 * abs(below - 0.5), "lower": 1.0 - below, "upper": below}[side]
    levels = levels_of(side)

    def holds(level: float) -> bool:
        interval = _at(level, test, question, finding)
        return bool(interval.low - slack <= truth <= interval.high + slack)

    return (*levels, 1.0)[bisect_left(levels, True, key=holds)]  # a higher level only widens it


def _replicates(question: Question[Any], finding: Finding) -> NDArray[np.float64]:
    """Return the replicates of a percentile interval; where the test does not keep them, the same are drawn again."""
    if finding.replicates is not None:
        return finding.replicates
    drawn = finding.distribution
    return drawn.values if drawn is not None and drawn.kind == "bootstrap" else draw(question).differences


def position(replicates: NDArray[np.float64], truth: float, slack: float) -> float:
    """Return the share of replicates below the truth, ties counted half."""
    gaps = replicates - truth
    return float((gaps < -slack).mean() + (np.abs(gaps) <= slack).mean() / 2.0)


def _at(level: float, test: Test, question: Question[Any], finding: Finding) -> Interval:
    """Return the test's interval at another level."""
    if level == question.confidence_level:
        return finding.interval
    at_level = question.asking(confidence_level=level)
    if finding.interval.method == DIRICHLET:
        return dirichlet_interval(at_level)  # the p-value is not needed again
    return test.answer(at_level).interval


FOUND = 0.8  # four times in five
# sizes further apart than this, or a power that can hardly rise, do not allow interpolating to 0.8
NEAR_ENOUGH, SATURATED = 2.0, 0.99
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 0.999, 1.0)
SURE = Coverage(1.0 - 2.0 * CHANCE, "two-sided", 0.0, 1.0)
MOST_TIED = 0.1  # share of intervals that end at one value, above which intervals do not simply shift with the truth


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What one test found on many sets of one size, nan where it refused; ``truth`` is the true difference."""

    category_set: str
    test: str
    test_size: int
    truth: float
    sign: int  # 1 where more is better
    widest: float  # the largest difference that the measure can have
    columns: dict[str, list[Any]]
    side: Side = "two-sided"  # of the interval, which the claim asks for

    @property
    def has_something_to_find(self) -> bool:
        """Return whether the claim is true: there is a difference, on the side of the claim."""
        return {"two-sided": self.truth != 0.0, "lower": self.truth > 0.0, "upper": self.truth < 0.0}[self.side]

    def __getitem__(self, name: str) -> Floats:
        return np.array([math.nan if x is None else x for x in self.columns[name]], dtype=np.float64)

    @property
    def sets(self) -> int:
        """All sets."""
        return len(self.columns["p"])

    @property
    def refused(self) -> int:
        """Sets on which the test refused."""
        return sum(p is None for p in self.columns["p"])

    @property
    def answered(self) -> int:
        """Sets on which it did not."""
        return self.sets - self.refused

    @property
    def where(self) -> dict[str, Any]:
        """What every row begins with."""
        return {"category_set": self.category_set, "test": self.test, "test_size": self.test_size}

    @property
    def how_many(self) -> dict[str, Any]:
        """What every row ends with."""
        return {"sets": self.sets, "refused": self.refused}


def standard_error(count: int, n: int) -> float:
    """Return the standard error of a share; one success and one failure are added, so that it is never 0."""
    share = (count + 1) / (n + 2)
    return math.sqrt(share * (1 - share) / n)


def is_beyond(count: int, n: int, level: float) -> bool:
    """Return whether this many of n exceed a share of ``level`` by more than chance: exact binomial, three errors.

    >>> is_beyond(4, 100, 0.01), is_beyond(6, 100, 0.01)
    (False, True)
    """
    return clopper_pearson(count, n, SURE).low > level


def largest_left(count: int, n: int) -> float:
    """Return the largest true share compatible with this many of n, at the certainty of ``is_beyond``.

    >>> round(largest_left(50, 1_000), 3), round(largest_left(0, 700), 3)
    (0.074, 0.009)
    """
    return clopper_pearson(count, n, SURE).high


def smallest_shown(n: int, level: float) -> float | None:
    """Return the smallest share of n that is beyond the level; None if n is too small for any.

    >>> smallest_shown(40, 0.05), smallest_shown(1_000, 0.05), smallest_shown(2, 0.05)
    (0.2, 0.073, None)
    """
    count = bisect_left(range(n + 1), True, key=lambda count: is_beyond(count, n, level))
    return count / n if count <= n else None


def size_rows(outcomes: Outcomes, null: StudiedNull, alphas: Sequence[float], *, exact: bool) -> Iterator[SizeRow]:
    """Return how often the test found a difference that is not there; an ``exact`` test must keep its level."""
    p = outcomes["p"]
    for alpha in alphas:
        count = int((p <= alpha).sum())
        tolerated = alpha if exact and null == "swapped" else largest_size(alpha)
        yield SizeRow(
            **outcomes.where,
            null=null,
            alpha=alpha,
            value=count / outcomes.sets,
            error=standard_error(count, outcomes.sets),
            tolerated=tolerated,
            above=is_beyond(count, outcomes.sets, tolerated),
            **outcomes.how_many,
        )


def coverage_row(outcomes: Outcomes, level: float) -> CoverageRow:
    """Return how often the interval covers the true difference, and its width."""
    low, high = outcomes["low"], outcomes["high"]
    widths = (high - low)[np.isfinite(high - low)]
    n, tolerated = outcomes.answered, least_coverage(level)
    value = error = below = above = None
    short = False
    if n:
        count = int(((low <= outcomes.truth) & (outcomes.truth <= high)).sum())
        value, error = count / n, standard_error(count, n)
        below, above = int((high < outcomes.truth).sum()) / n, int((low > outcomes.truth).sum()) / n
        short = is_beyond(n - count, n, 1.0 - tolerated)
    return CoverageRow(
        **outcomes.where,
        level=level,
        value=value,
        error=error,
        below=below,
        above=above,
        tolerated=tolerated,
        short=short,
        mean_width=float(widths.mean()) if widths.size else None,
        width_error=_error_of_mean(widths) if widths.size > 1 else None,
        median_width=float(np.median(widths)) if widths.size else None,
        **outcomes.how_many,
    )


def _error_of_mean(numbers: Floats) -> float:
    """Return the standard error of their mean; by a power of 2 they come near 1, because squares of tiny ones are 0."""
    scale = math.ldexp(1.0, math.frexp(float(numbers.max()))[1])
    return scale * float((numbers / scale).std(ddof=1)) / math.sqrt(numbers.size)


def power_rows(outcomes: Outcomes, alphas: Sequence[float]) -> Iterator[PowerRow]:
    """Return how often the true difference was found, with the right sign and with the wrong one."""
    p, side = outcomes["p"], outcomes["lead"] * np.sign(outcomes.sign * outcomes.truth)
    for alpha in alphas:
        count, wrong = int(((p <= alpha) & (side > 0)).sum()), int(((p <= alpha) & (side <= 0)).sum())
        yield PowerRow(
            **outcomes.where,
            alpha=alpha,
            value=count / outcomes.sets,
            error=standard_error(count, outcomes.sets),
            wrong=wrong / outcomes.sets,
            **outcomes.how_many,
        )


def detectable_row(outcomes: Outcomes, level: float) -> DetectableRow:
    """Return the smallest difference found four times in five, or why it is not known.

    If the truth were δ instead of Δ, and all intervals shifted by δ − Δ, an interval would exclude 0 where δ > Δ − low:
    the 80 % quantile of Δ − low over the sets is found on four in five. Where A is ahead it is mirrored; with a
    one-sided claim the bound decides. The error is half the distance between the order statistics one binomial standard
    deviation below and above it, or, for ends on a grid, half the distance between its neighbours.
    """
    from_low = outcomes.truth >= 0 if outcomes.side == "two-sided" else outcomes.side == "lower"
    gaps = outcomes.truth - outcomes["low"] if from_low else outcomes["high"] - outcomes.truth
    ordered = np.sort(np.where(np.isnan(gaps), np.inf, gaps))
    place = math.ceil(FOUND * ordered.size) - 1
    why = _immovable(outcomes, level, ordered, float(ordered[place]))
    value = None if why else float(ordered[place])
    error = None if why else _quantile_error(ordered, place)
    return DetectableRow(**outcomes.where, level=level, value=value, error=error, why=why, **outcomes.how_many)


def _immovable(outcomes: Outcomes, level: float, ordered: Floats, quantile: float) -> str:
    """Say why the intervals cannot be shifted."""
    no_width = int((outcomes["high"] == outcomes["low"]).sum())
    covered = coverage_row(outcomes, level)
    if covered.short:
        return "the interval covers the truth too rarely"
    if is_beyond(round((covered.value or 0.0) * outcomes.answered), max(1, outcomes.answered), most_coverage(level)):
        return "the interval covers the truth too often"  # few items decide, so it cannot end anywhere
    if no_width > MOST_TIED * outcomes.answered:
        return f"{no_width:,} of {outcomes.answered:,} intervals have no width"
    if not math.isfinite(quantile):
        return "the test refused on more than one set in five"
    if quantile > outcomes.widest:
        return "even the largest possible difference is not found that often"
    tied = int((np.abs(ordered - quantile) <= _slack(ordered)).sum())
    if quantile <= 0.0 or tied > MOST_TIED * outcomes.answered:
        return f"{tied:,} of {outcomes.answered:,} intervals end on the same value"
    return ""


def _slack(ordered: Floats) -> float:
    """Return the size of a rounding error among these."""
    return TIE * float(np.abs(ordered[np.isfinite(ordered)]).max(initial=0.0))


def _quantile_error(ordered: Floats, place: int) -> float | None:
    n, quantile, slack = ordered.size, ordered[place], _slack(ordered)
    step = math.sqrt(FOUND * (1 - FOUND) * n)
    low, high = ordered[max(0, round(place - step))], ordered[min(n - 1, round(place + step))]
    if high - low <= slack:
        low = ordered[ordered < quantile - slack].max(initial=-math.inf)
        high = ordered[ordered > quantile + slack].min(initial=math.inf)
    return float(high - low) / 2 if math.isfinite(high - low) else None


def needed_row(rows: Sequence[PowerRow]) -> NeededSizeRow:
    """Return the size at which the difference is found four times in five, from the rows of one test at one alpha.

    Between two sizes power is assumed to be linear in the square root of the size, like standard errors. That holds
    only for neighbouring sizes: where they are far apart, or power is nearly 1 at the larger, both sizes are returned.
    """
    rows = sorted(rows, key=lambda row: row.test_size)
    first = rows[0]
    enough = [row.value >= FOUND for row in rows]
    reached = next((i for i in range(len(rows)) if all(enough[i:])), None)  # from here on it stays above
    value, why = None, ""
    if reached is None and any(enough):
        why = f"an unknown number of items (power falls again up to {rows[-1].test_size:,}, so there are too few sets)"
    elif reached is None:
        why = f"more than {rows[-1].test_size:,} items"
    elif reached == 0:
        why = f"at most {first.test_size:,} items"
    else:
        value, why = _between(rows[reached - 1], rows[reached])
    return NeededSizeRow(first.category_set, first.test, first.alpha, value, why)


def _between(below: PowerRow, above: PowerRow) -> tuple[int | None, str]:
    """Return the size by interpolation, or None and the two sizes if interpolating would mislead."""
    low, high = below.test_size, above.test_size
    why = f"between {low:,} and {high:,} items"
    if high > NEAR_ENOUGH * low or above.value >= SATURATED:
        return None, why
    part = (FOUND - below.value) / (above.value - below.value)
    return math.ceil((math.sqrt(low) + part * (math.sqrt(high) - math.sqrt(low))) ** 2), why


def calibration_points(outcomes: Outcomes) -> Iterator[CalibrationPoint]:
    """Return stated confidence against how often it was right, of winners in bins and of intervals by level."""
    stated = outcomes["stated"]
    right = np.sign(outcomes["difference"]) == np.sign(outcomes.truth)
    last = len(BINS) - 2
    # without a true difference no winner is right
    for i, (low, high) in enumerate(pairwise(BINS) if outcomes.truth != 0.0 else ()):
        here = (stated >= low if i else stated <= high) & ((stated <= high) if i == last else (stated < high))
        if here.any():
            n, count = int(here.sum()), int((here & right).sum())
            yield CalibrationPoint(
                **outcomes.where,
                kind="winner",
                stated=float(stated[here].mean()),
                value=count / n,
                error=standard_error(count, n),
                sets=n,
                refused=outcomes.refused,
            )
    reach = outcomes["reach"]
    n = int(np.isfinite(reach).sum())
    for level in levels_of(outcomes.side) if n else ():
        count = int((reach <= level).sum())
        yield CalibrationPoint(
            **outcomes.where,
            kind="level",
            stated=level,
            value=count / n,
            error=standard_error(count, n),
            sets=n,
            refused=outcomes.refused,
        )
