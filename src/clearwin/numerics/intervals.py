"""Confidence intervals: of one proportion, of a mean, from bootstrap replicates; of pairs see paired_intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import NotApplicableError, setting
from clearwin.numerics.arrays import Floats

Side = Literal["two-sided", "lower", "upper"]


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    ``side`` is "two-sided", or "lower"/"upper" when a one-sided claim asks for one bound only; the other end is
    then as far as the measure can go.
    """

    low: float
    high: float
    level: float
    method: str
    side: Side = "two-sided"

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def ends_at(self, estimate: float, slack: float | None = None) -> bool:
        """Return whether it has no width, up to ``slack``.

        >>> Interval(0.02, 0.02, 0.95, "percentile").ends_at(0.02), Interval(0.02, 1.0, 0.95, "wald").ends_at(0.02)
        (True, False)
        """
        slack = 1e-12 * max(1.0, abs(estimate)) if slack is None else slack
        widths = {"two-sided": self.high - self.low, "lower": estimate - self.low, "upper": self.high - estimate}
        return widths[self.side] <= slack

    def reach(self, estimate: float, lowest: float, highest: float) -> float:
        """Return how far an end is from the estimate.

        With two ends it is half the width. It is infinite where the interval ends as the measure does.

        An end that no data could pass does not come nearer with √n.

        >>> Interval(-0.1, 1.0, 0.95, "wald", "lower").reach(0.02, -1.0, 1.0)
        0.12000000000000001
        >>> Interval(-1.0, 0.3, 0.95, "inverted").reach(0.02, -1.0, 1.0)
        inf
        """
        ends = {"lower": (self.low,), "upper": (self.high,)}.get(self.side, (self.low, self.high))
        if any(end <= lowest or end >= highest for end in ends):
            return math.inf
        distances = {"lower": estimate - self.low, "upper": self.high - estimate}
        return distances.get(self.side, (self.high - self.low) / 2.0)


def alpha_of(level: float) -> float:
    """Return 1 − level without the rounding error: 1 − 0.95 is 0.050000000000000044 to the machine."""
    return round(1.0 - level, 12) or 1.0 - level


@dataclass(frozen=True)
class Coverage:
    """What is asked of an interval: its level, its side, and how far the quantity can go at all."""

    level: float
    side: Side = "two-sided"
    lowest: float = -1.0
    highest: float = 1.0

    @property
    def tail(self) -> float:
        """The probability left out at each end that is bounded."""
        alpha = alpha_of(self.level)
        return alpha / 2.0 if self.side == "two-sided" else alpha

    @property
    def z(self) -> float:
        """The normal quantile that leaves out ``tail``."""
        from scipy.special import ndtri

        return -float(ndtri(self.tail))

    def interval(self, low: float, high: float, method: str) -> Interval:
        """Close the interval: a one-sided one is open as far as the quantity can go."""
        low = self.lowest if self.side == "upper" else max(low, self.lowest)
        high = self.highest if self.side == "lower" else min(high, self.highest)
        return Interval(float(low), float(high), self.level, method, self.side)


# --- one proportion -------------------------------------------------------------------------------------------


def wilson_limits(right: float, n: float, z: float) -> tuple[float, float]:
    """Limits of Wilson's score interval (Wilson 1927): all p with (r/n − p)² ≤ z² p(1 − p)/n."""
    p = right / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # the limits at r = 0 and r = n are 0 and 1; rounding must not push them off
    return (0.0 if right == 0 else centre - half), (1.0 if right == n else centre + half)


def wilson(right: int, n: int, coverage: Coverage) -> Interval:
    """Wilson's score interval of a proportion.

    >>> i = wilson(8, 10, Coverage(0.95, lowest=0.0))
    >>> round(i.low, 4), round(i.high, 4)
    (0.4902, 0.9433)
    """
    return coverage.interval(*wilson_limits(right, n, coverage.z), "wilson")


def clopper_pearson(right: int, n: int, coverage: Coverage) -> Interval:
    """Clopper and Pearson's exact interval of a proportion (1934): never covers less than its level."""
    from scipy.special import betaincinv

    low = float(betaincinv(right, n - right + 1, coverage.tail)) if right > 0 else 0.0
    high = float(betaincinv(right + 1, n - right, 1.0 - coverage.tail)) if right < n else 1.0
    return coverage.interval(low, high, "clopper-pearson")


def normal(right: int, n: int, coverage: Coverage) -> Interval:
    """Return p ± z √(p(1 − p)/n) (lecture-measures, "Binomial Estimators"); needs n p(1 − p) ≥ 5."""
    p = right / n
    half = coverage.z * math.sqrt(p * (1 - p) / n)
    return coverage.interval(p - half, p + half, "normal")


PROPORTION: dict[str, Callable[[int, int, Coverage], Interval]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "normal": normal,
}


# --- a mean with its standard error ---------------------------------------------------------------------------


def student(mean: float, error: float, degrees: float, coverage: Coverage) -> Interval:
    """Student's interval (1908): mean ± t · standard error.

    >>> i = student(0.0, 1.0, 10, Coverage(0.95, lowest=-9, highest=9))
    >>> round(i.high, 6)
    2.228139
    """
    half = student_quantile(coverage.tail, degrees) * error
    return coverage.interval(mean - half, mean + half, "t")


def student_quantile(tail: float, degrees: float) -> float:
    """Return what Student's t exceeds with the probability ``tail``."""
    from scipy.special import stdtrit

    return -float(stdtrit(degrees, tail))


def f_quantile(tail: float, above: int, below: int) -> float:
    """Return what F exceeds with the probability ``tail``."""
    from scipy.special import fdtri

    return float(fdtri(above, below, 1.0 - tail))


# --- from bootstrap replicates --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Replicates:
    """Bootstrap replicates of a quantity, its observed value, and its leave-one-out values with multiplicities.

    A mean of per-item values also has standard errors: of every replicate, and as observed.
    """

    values: Floats
    observed: float
    leave_one_out: Callable[[], tuple[Floats, NDArray[np.int64]]]
    errors: Floats | None = None
    error: float | None = None


def _between(ordered: Floats, low_rank: float, high_rank: float, coverage: Coverage) -> tuple[float, float]:
    """Return the order statistics of these 1-based ranks; beyond the sample lies the end of the range."""
    last = ordered.size
    low = ordered[min(math.floor(low_rank), last) - 1] if low_rank >= 1 else coverage.lowest
    high = ordered[max(math.ceil(high_rank), 1) - 1] if high_rank <= last else coverage.highest
    return float(low), float(high)


def percentile(replicates: Replicates, coverage: Coverage) -> Interval:
    """Efron's percentile interval, by order statistics so that ``pvalues.of_bootstrap`` is its exact dual."""
    last = replicates.values.size + 1
    rank = math.floor(last * coverage.tail + 1e-9)
    limits = _between(np.sort(replicates.values), rank, last - rank, coverage)
    return coverage.interval(*limits, "percentile")


def centred(replicates: Replicates, coverage: Coverage) -> Interval:
    """keller2004 (14) and Figure 1: symmetric about the mean of the replicates, holding ``level`` of them."""
    mean = float(replicates.values.mean())
    distance = np.sort(np.abs(replicates.values - mean))
    inside = 1.0 - 2.0 * coverage.tail
    half = float(distance[min(max(math.ceil(inside * distance.size - 1e-9), 1), distance.size) - 1])
    return coverage.interval(mean - half, mean + half, "centred")


def basic(replicates: Replicates, coverage: Coverage) -> Interval:
    """Return the basic (reflected) interval: 2·observed − the percentile limits (Davison and Hinkley 1997)."""
    last = replicates.values.size + 1
    rank = math.floor(last * coverage.tail + 1e-9)
    wide = Coverage(coverage.level, "two-sided", -math.inf, math.inf)
    low, high = _between(np.sort(replicates.values), rank, last - rank, wide)
    return coverage.interval(2 * replicates.observed - high, 2 * replicates.observed - low, "basic")


def symmetric(replicates: Replicates, coverage: Coverage) -> Interval:
    """Return d ± the size that |d* − d| rarely has: the dual of the recentred bootstrap test (Hall 1988).

    By order statistics, so that ``pvalues.of_sample`` on d* − d is its exact dual.
    """
    gaps = np.abs(replicates.values - replicates.observed)
    rank = math.floor((gaps.size + 1) * 2.0 * coverage.tail + 1e-9)
    half = float(np.partition(gaps, -rank)[-rank]) if rank else math.inf  # of thousands of pairs a sort would be most
    return coverage.interval(replicates.observed - half, replicates.observed + half, "symmetric")


def bca(replicates: Replicates, coverage: Coverage) -> Interval:
    """Efron's bias-corrected and accelerated interval (1987); the jackknife runs over outcomes, not items."""
    from scipy.special import ndtr, ndtri

    ordered = np.sort(replicates.values)
    last = ordered.size
    # replicates at the observed value count half, whatever the rounding
    slack = 1e-12 * float(np.abs(ordered).max())
    below = float((ordered < replicates.observed - slack).sum())
    tied = float((np.abs(ordered - replicates.observed) <= slack).sum())
    # a share of 0 or 1 would send the correction to infinity
    shift = float(ndtri(min(max((below + 0.5 * tied) / last, 0.5 / last), 1.0 - 0.5 / last)))
    left_out, times = replicates.leave_one_out()
    deviation = np.average(left_out, weights=times) - left_out
    spread = float((times * deviation**2).sum())
    skew = float((times * deviation**3).sum())
    acceleration = skew / (6.0 * spread**1.5) if spread > 0 else 0.0

    def rank(z: float) -> float:
        moved = shift + z
        return float(ndtr(shift + moved / max(1.0 - acceleration * moved, 1e-9))) * (last + 1)

    return coverage.interval(*_between(ordered, rank(-coverage.z), rank(coverage.z), coverage), "bca")


def studentised(replicates: Replicates, coverage: Coverage) -> Interval:
    """Return the bootstrap-t interval (Efron 1981; Hall 1988): d − t*·se with t* = (d* − d)/se* of each replicate.

    A replicate whose units all say the same has se* = 0: it counts as t* = 0 when it says just what was observed, and
    else as infinitely far out on its side. That makes the interval wider, never narrower.
    """
    if replicates.errors is None or replicates.error is None:
        raise NotApplicableError(
            "The studentised interval needs a standard error of every replicate, which this measure lacks.",
            "a mean or a sum of per-item values or losses",
            setting("interval", "bca", "percentile"),
        )
    gaps = replicates.values - replicates.observed
    gaps[np.abs(gaps) <= 1e-12 * max(float(np.abs(replicates.values).max()), abs(replicates.observed))] = 0.0
    flat = replicates.errors == 0.0
    ratios = gaps / np.where(flat, 1.0, replicates.errors)
    ratios[flat] = np.copysign(np.inf, gaps[flat])
    ratios[gaps == 0.0] = 0.0
    if replicates.error == 0.0:  # nothing varies
        return coverage.interval(replicates.observed, replicates.observed, "studentised")
    last = ratios.size + 1
    rank = math.floor(last * coverage.tail + 1e-9)
    low, high = _between(np.sort(ratios), rank, last - rank, Coverage(coverage.level, "two-sided", -math.inf, math.inf))
    d, error = replicates.observed, replicates.error
    return coverage.interval(d - high * error, d - low * error, "studentised")


BOOTSTRAP: dict[str, Callable[[Replicates, Coverage], Interval]] = {
    "percentile": percentile,
    "centred": centred,
    "basic": basic,
    "bca": bca,
    "studentised": studentised,
}
INVERTED = "inverted"  # every value that the studentised test keeps: significance/studentised.py
DIRICHLET = "dirichlet"  # also drawn, but not from replicates of the items: resampling/dirichlet.py
DRAWN = (*BOOTSTRAP, DIRICHLET)
