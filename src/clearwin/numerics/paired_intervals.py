"""Confidence intervals of a paired difference of proportions, and of a sum of such differences over classes.

``gains`` and ``losses`` are items for and against, ``rest`` the others: (both right, both wrong). The
difference is (gains − losses)/n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clearwin.numerics.intervals import Coverage, Interval, wilson_limits
from clearwin.numerics.pvalues import TIE

LARGEST_Z = 1e3  # its p-value is far below any float


def tango(gains: int, losses: int, rest: tuple[int, int], coverage: Coverage) -> Interval:
    """Tango's score interval (Statistics in Medicine 17, 1998): all differences that the score test does not reject."""
    n = gains + losses + sum(rest)
    low, high = _tango_low(gains, losses, n, coverage.z), -_tango_low(losses, gains, n, coverage.z)
    return coverage.interval(low, high, "tango")


def _tango_low(gains: int, losses: int, n: int, z: float) -> float:
    """Return the lower limit; the upper one is that of losses against gains, with the sign turned.

    It is where a monotone function crosses z, found by bisection: scipy.optimize would do it too but costs more to
    import than everything else here.
    """
    if losses == n:
        return -1.0
    return bisect(lambda delta: tango_score(gains, losses, n, delta) > z, -1.0, (gains - losses) / n)


def tango_score(gains: int, losses: int, n: int, delta: float) -> float:
    """Return Tango's score statistic (1998) of a true difference δ: (gains − losses − nδ)/√(n(2q + δ(1 − δ))).

    q is the likeliest probability of a loss if δ is true. At δ = 0 it is McNemar's z.

    >>> round(tango_score(12, 5, 100, 0.0) - (12 - 5) / (12 + 5) ** 0.5, 12)
    0.0
    """
    # section 3 there: the nuisance probability of a loss given the difference, by maximum likelihood
    linear = -gains - losses + (2 * n - gains + losses) * delta
    constant = -losses * delta * (1 - delta)
    loss = (math.sqrt(max(linear * linear - 8 * n * constant, 0.0)) - linear) / (4 * n)
    variance = n * (2 * loss + delta * (1 - delta))
    distance = gains - losses - n * delta
    if distance == 0.0:
        return 0.0
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance)


def bisect(stays: Callable[[float], bool], low: float, high: float) -> float:
    """Where ``stays`` turns from True (at ``low``) to False (at ``high``)."""
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if stays(middle) else (low, middle)
    return (low + high) / 2


def newcombe(gains: int, losses: int, rest: tuple[int, int], coverage: Coverage) -> Interval:
    """Newcombe's method 10 (Statistics in Medicine 17, 1998): Wilson limits of both rates, with corrected phi."""
    right, wrong = rest
    n = gains + losses + right + wrong
    z = coverage.z
    p1, p2 = (right + gains) / n, (right + losses) / n
    low1, high1 = wilson_limits(right + gains, n, z)
    low2, high2 = wilson_limits(right + losses, n, z)
    margins = float(right + gains) * (losses + wrong) * (right + losses) * (gains + wrong)
    cross = float(right * wrong - gains * losses)
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    phi = cross / math.sqrt(margins) if margins > 0 else 0.0

    def half(x: float, y: float) -> float:
        return math.sqrt(max(x * x - 2 * phi * x * y + y * y, 0.0))

    estimate = (gains - losses) / n
    return coverage.interval(estimate - half(p1 - low1, high2 - p2), estimate + half(high1 - p1, p2 - low2), "newcombe")


def bonett_price(gains: int, losses: int, rest: tuple[int, int], coverage: Coverage) -> Interval:
    """Bonett and Price's adjusted Wald interval (J. Educational and Behavioral Statistics 37, 2012)."""
    n = gains + losses + sum(rest)
    p, q = (gains + 1) / (n + 2), (losses + 1) / (n + 2)
    half = coverage.z * math.sqrt((p + q - (p - q) ** 2) / (n + 2))
    return coverage.interval(p - q - half, p - q + half, "bonett-price")


def wald(gains: int, losses: int, rest: tuple[int, int], coverage: Coverage) -> Interval:
    """Wald's interval: keller2004 (6) without the null restriction."""
    n = gains + losses + sum(rest)
    half = coverage.z * math.sqrt(gains + losses - (gains - losses) ** 2 / n) / n
    return coverage.interval((gains - losses) / n - half, (gains - losses) / n + half, "wald")


PAIRED: dict[str, Callable[[int, int, tuple[int, int], Coverage], Interval]] = {
    "tango": tango,
    "newcombe": newcombe,
    "bonett-price": bonett_price,
    "wald": wald,
}


# --- a sum over classes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Share:
    """One class's part in a sum: its weight, its items, and those for and against."""

    weight: float
    n: int
    gains: int
    losses: int

    @property
    def difference(self) -> float:
        """What it adds to the sum."""
        return self.weight * (self.gains - self.losses) / self.n


def mover(shares: Sequence[Share], coverage: Coverage) -> Interval:
    """Return the interval of D = Σ w (gains − losses)/n over classes: D ∓ √(Σ w²(dᵢ − limitᵢ)²), limits by Tango.

    The method of variance estimates recovery (Zou and Donner, Statistics in Medicine 27, 2008; Newcombe 1998): a class
    adds to the variance what its own limits show. One in which the models never disagree adds what it leaves possible,
    where Wald's interval takes it as known. For one class it is Tango's interval.

    The limits of a class end at ±1, and many classes of a few items each would add too little: for several classes it
    is never narrower than D ∓ z √(Σ w² (gains + losses)/n²), which is the interval of keller2004 (9).

    >>> i = mover([Share(0.5, 4, 0, 0), Share(0.5, 196, 6, 1)], Coverage(0.95))
    >>> f"{i.low:.4f} to {i.high:.4f}"
    '-0.2326 to 0.2583'
    """
    low, high = _lowest(shares, coverage.z), -_lowest(_turned(shares), coverage.z)
    return coverage.interval(low, high, "mover")


def mover_z(shares: Sequence[Share]) -> float:
    """Return the z at which the interval of ``mover`` just reaches 0: its test statistic, of the sum's sign.

    >>> shares = [Share(0.5, 40, 9, 2), Share(0.5, 160, 6, 3)]
    >>> abs(_lowest(shares, mover_z(shares))) < 1e-9
    True
    """
    total = sum(share.difference for share in shares)
    if abs(total) <= TIE * sum(share.weight for share in shares):  # what is left of rounding is no difference
        return 0.0
    if total < 0.0:
        return -mover_z(_turned(shares))
    of_null = total / _null_deviation(shares)
    if _lowest_by_tango(shares, of_null) > 0.0:
        return of_null
    return _crossing(lambda z: _lowest_by_tango(shares, z) / total, 0.0, of_null)


def mover_score(shares: Sequence[Share], delta: float) -> float:
    """Return the z at which the interval of ``mover`` just reaches δ, of the sign of the sum less δ.

    For one class with weight 1 it is Tango's score statistic, which has a formula.

    >>> shares = [Share(0.5, 40, 9, 2), Share(0.5, 160, 6, 3)]
    >>> abs(_lowest(shares, mover_score(shares, -0.05)) + 0.05) < 1e-9
    True
    """
    if len(shares) == 1 and shares[0].weight == 1.0:
        return tango_score(shares[0].gains, shares[0].losses, shares[0].n, delta)
    if sum(share.difference for share in shares) < delta:
        return -mover_score(_turned(shares), -delta)
    return bisect(lambda z: _lowest(shares, z) > delta, 0.0, LARGEST_Z)


def _lowest(shares: Sequence[Share], z: float) -> float:
    low = _lowest_by_tango(shares, z)
    if len(shares) == 1:
        return low
    return min(low, sum(share.difference for share in shares) - z * _null_deviation(shares))


def _lowest_by_tango(shares: Sequence[Share], z: float) -> float:
    limits = [share.weight * _tango_low(share.gains, share.losses, share.n, z) for share in shares]
    distances = [share.difference - low for share, low in zip(shares, limits, strict=True)]
    return sum(share.difference for share in shares) - math.hypot(*distances)


def _null_deviation(shares: Sequence[Share]) -> float:
    # keller2004 (9): the classes are disjoint samples, so variances add
    return math.hypot(*(share.weight * math.sqrt(share.gains + share.losses) / share.n for share in shares))


def _turned(shares: Sequence[Share]) -> list[Share]:
    return [Share(share.weight, share.n, share.losses, share.gains) for share in shares]


def _crossing(of: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that falls from 1 crosses 0, by the Illinois form of regula falsi."""
    above, below, kept = of(low), of(high), 0
    for _ in range(100):
        middle = high - below * (high - low) / (below - above)
        here = of(middle)
        if abs(here) <= 1e-13 or high - low <= 1e-13 * high:
            break
        if here > 0.0:  # an end that is kept twice counts half, so that it cannot stay for ever
            low, above, below, kept = middle, here, below / (2.0 if kept == 1 else 1.0), 1
        else:
            high, below, above, kept = middle, here, above / (2.0 if kept == -1 else 1.0), -1
    return middle
