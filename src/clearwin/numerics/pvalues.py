"""From a distribution to a p-value: tails, the +1 rule, ties, the logarithm of tiny p. The only place that does.

Every function takes the *gain* of B over A (the difference, turned so that more is better) and the claim:
"different" asks for both tails, "better" for the upper, "worse" for the lower.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clearwin.numerics.arrays import Floats

Claim = Literal["different", "better", "worse"]
CLAIMS: tuple[Claim, ...] = ("different", "better", "worse")
# with a margin, the largest difference that does not matter: each is one tail, or two, somewhere else than at 0
MarginClaim = Literal["not_worse", "equivalent"]
AnyClaim = Claim | MarginClaim
MARGIN_CLAIMS: tuple[MarginClaim, ...] = ("not_worse", "equivalent")
ALL_CLAIMS = (*CLAIMS, *MARGIN_CLAIMS)
SMALLEST = float(np.finfo(np.float64).tiny)
LN10 = math.log(10.0)
# two statistics are tied when they differ by less than this part of the largest value of the measure: a thousand
# times the rounding error of the formulas, far below any difference that matters
TIE = 1e-12
MANY_DEGREES = 1e9  # beyond which the normal distribution is as exact, and 160 bits are too few
FURTHEST_T = 1e140  # whose square is still a float
NEAR_THE_MIDDLE = 1e-3  # |t| below which scipy's tail is right to the last digit, and exact arithmetic takes long


@dataclass(frozen=True)
class PValue:
    """A p-value in (0, 1] and its log10, which is right also where the float underflows.

    ``error`` is the Monte-Carlo standard error of a sampled one, ``bound`` the certified relative error of one that was
    calculated in exact arithmetic.
    """

    value: float
    log10: float
    error: float | None = None
    bound: float | None = None

    @property
    def is_bound(self) -> bool:
        """Whether it is only a bound: a sampled one, and no draw came as far as the data."""
        return at_the_floor(self.value, self.error)


def at_the_floor(p: float, error: float | None) -> bool:
    """Return whether a sampled p-value is the smallest that the draws can give, because none was as extreme.

    With n draws that is 1/(n + 1), and its standard error √(p(1 − p)/n) is then p itself; so it is for its multiples.
    """
    return error is not None and p < 1.0 and error >= p * (1.0 - 1e-9)


def from_log(log_p: float) -> PValue:
    """Return the record for a natural logarithm of p."""
    log_p = min(log_p, 0.0)
    return PValue(max(math.exp(log_p), SMALLEST), log_p / LN10)


def of_normal(gain: float, deviation: float, claim: Claim) -> PValue:
    """Tail of the normal distribution with mean 0 and standard ``deviation`` beyond the gain.

    Without any deviation (two identical models) there is no evidence against the null hypothesis: p = 1.

    >>> round(of_normal(1.959964, 1.0, "different").value, 6)
    0.05
    """
    from scipy.special import log_ndtr

    if deviation == 0.0:
        return from_log(0.0)
    z = gain / deviation
    if claim == "different":
        return from_log(float(log_ndtr(-abs(z))) + math.log(2.0))
    return from_log(float(log_ndtr(-z if claim == "better" else z)))


def tails_of_normal(gain: float, deviation: float) -> tuple[float, float]:
    """Return how rarely a whole number is as far below, and as far above, its mean, corrected for continuity.

    Without any deviation both are 1.

    >>> [round(p, 4) for p in tails_of_normal(-3.0, 2.0)]
    [0.1056, 0.9599]
    """
    if deviation == 0.0:
        return 1.0, 1.0
    # Python's erfc: every comparison asks this, and importing scipy's would take half as long as all the rest of it
    below, above = (math.erfc(x / (deviation * math.sqrt(2.0))) / 2.0 for x in (-gain - 0.5, gain - 0.5))
    return max(below, SMALLEST), max(above, SMALLEST)


def of_chi2(statistic: float, degrees: int) -> PValue:
    """Upper tail of the χ² distribution; without degrees of freedom (identical models) p = 1.

    >>> round(of_chi2(3.841459, 1).value, 6)
    0.05
    """
    from flint import arb, ctx

    if degrees == 0:
        return from_log(0.0)
    with ctx.workprec(128):
        return of_number((arb(statistic) / 2).gamma_upper(arb(degrees) / 2, 1))


def of_range(width: float, k: int) -> PValue:
    """P(range of k standard normal numbers ≥ width): the studentised range with infinite degrees of freedom.

    P = k ∫ φ(z) [Φ(z)^(k − 1) − (Φ(z) − Φ(z − width))^(k − 1)] dz, with z the largest of them (Tippett 1925), in
    logarithms. The integrand is smooth and falls off like a normal density, so that the trapezoid rule is exact to
    the last digits with steps far below 1.

    >>> round(of_range(3.6332, 4).value, 4)  # q of Nemenyi's test, Demšar 2006 table 5: 3.6332/√2 = 2.569
    0.05
    """
    from scipy.special import log_ndtr

    if width <= 0.0:
        return from_log(0.0)
    step = 1.0 / 32.0
    z = np.arange(-12.0, width + 12.0, step)
    below = log_ndtr(z)
    log_share = log_ndtr(z - width) - below  # of the numbers below z, those that lie further away than the width
    share = np.minimum(np.exp(log_share), 1.0 - 2.0**-53)
    tiny = share < 1e-17  # there 1 − (1 − share)^(k − 1) is (k − 1) · share
    some = -np.expm1((k - 1) * np.log1p(-share))
    log_some = np.where(tiny, math.log(k - 1) + log_share, np.log(np.where(tiny, 1.0, some)))
    logs = (k - 1) * below - z * z / 2.0 + log_some
    top = float(logs.max())
    total = float(np.exp(logs - top).sum()) * step
    return from_log(top + math.log(k * total) - math.log(2.0 * math.pi) / 2.0)


def of_student(t: float, degrees: float, claim: Claim) -> PValue:
    """Tail of Student's t distribution beyond ``t``: half of I_x(degrees/2, 1/2) with x = degrees/(degrees + t²).

    >>> round(of_student(2.228139, 10, "different").value, 6)
    0.05
    """
    from flint import arb, ctx
    from scipy.special import stdtr

    if abs(t) < NEAR_THE_MIDDLE:
        tail = 2.0 * stdtr(degrees, -abs(t)) if claim == "different" else stdtr(degrees, -t if claim == "better" else t)
        return PValue(float(tail), math.log10(tail))
    if degrees > MANY_DEGREES:
        return of_normal(_as_normal(t, degrees), 1.0, claim)
    with ctx.workprec(160):
        n, square = arb(degrees), arb(t) ** 2
        both = (n / (n + square)).beta_lower(n / 2, arb(1) / 2, 1)
        if claim == "different":
            p = of_number(both)
        else:
            out = (t > 0) == (claim == "better")
            p = of_number(both / 2 if out else 1 - both / 2)
    return PValue(min(p.value, 1.0), p.log10)


# how many units of an unseen kind a sample would have on average, among which the largest tail is looked for; always
# the same numbers, so that the largest tail falls wherever each of them does
EXPECTED = np.concatenate([np.linspace(0.0, 6.0, 601), np.geomspace(6.0, 700.0, 500)[1:]])


def of_unseen(gain: float, error: float, degrees: float, units: int, loss: float) -> PValue:
    """Tail of Student's t beyond gain/error, if a share q of the population, of which none was drawn, loses ``loss``.

    The n units that were drawn come from the rest, whose mean is q/(1 − q) · loss above that of all, and the chance
    that none is of the other kind is (1 − q)^n. So the tail is (1 − q)^n · P(t ≥ (gain − q/(1 − q) · loss)/error), at
    whatever q it is largest. With q = 0 it is Student's.

    >>> round(of_unseen(2.228139, 1.0, 10, 11, 0.0).value, 6), round(of_unseen(0.27, 0.1, 99, 100, 9.0).value, 3)
    (0.025, 0.028)
    """
    from scipy.special import stdtr

    t = (gain - max(loss, 0.0) * np.expm1(EXPECTED / units)) / error
    with np.errstate(divide="ignore"):
        logs = np.log(stdtr(degrees, -t)) - EXPECTED
    return from_log(float(logs.max()))


# of an angle between 0 and a right one: where a tail of the normal distribution is integrated (Craig 1991)
ANGLES, ANGLE_WEIGHTS = (array * math.pi / 4.0 for array in np.polynomial.legendre.leggauss(96))
SQUARED_SINES = np.sin(ANGLES + math.pi / 4.0) ** 2


def of_squares(t: float, weights: tuple[float, ...], claim: Claim) -> PValue:
    """Tail of a normal number over √(Σ w z²), z independent normal numbers: Student's t where all w are 1/degrees.

    P(|T| ≥ t) = 2/π ∫ Π (1 + w t²/sin²θ)^(−1/2) dθ from 0 to π/2, because the normal tail is such an integral (Craig
    1991). It is the fixed-b distribution of Kiefer and Vogelsang (2005) for the weights of their kernel.

    >>> round(of_squares(2.228139, (0.1,) * 10, "different").value, 6)
    0.05
    """
    sizes, times = np.unique(np.array(weights), return_counts=True)
    size = min(abs(t), FURTHEST_T)
    logs = -0.5 * times @ np.log1p(size**2 * sizes[:, None] / SQUARED_SINES)
    top = float(logs.max())
    both = min(top + math.log(float(ANGLE_WEIGHTS @ np.exp(logs - top)) * 2.0 / math.pi), 0.0)
    if claim == "different":
        return from_log(both)
    out = (t > 0.0) == (claim == "better")
    return from_log(both - math.log(2.0) if out else math.log1p(-0.5 * math.exp(both)))


def _as_normal(t: float, degrees: float) -> float:
    """Return the normal number with the same tail as t, but for terms with 1/degrees² (Hill 1970, algorithm 395)."""
    if math.isinf(degrees):
        return t
    return math.copysign(math.sqrt((degrees - 0.5) * math.log1p(t * t / degrees)), t)


def of_f(statistic: float, above: float, below: float) -> PValue:
    """Upper tail of the F distribution: I_x(below/2, above/2) with x = below/(below + above · F).

    >>> round(of_f(4.735063, 10, 5).value, 6)
    0.05
    """
    from flint import arb, ctx

    with ctx.workprec(160):
        x = arb(below) / (below + above * arb(statistic))
        p = of_number(x.beta_lower(arb(below) / 2, arb(above) / 2, 1) if statistic else arb(1))
    return PValue(min(p.value, 1.0), p.log10)


def of_symmetric(observed: int, log_upper: Callable[[int], float], claim: Claim) -> PValue:
    """p-value of a whole-numbered gain X that is symmetric about 0; ``log_upper(k)`` is ln P(X ≥ k) for k > 0.

    >>> of_symmetric(2, lambda k: math.log(0.25) if k <= 2 else -math.inf, "different").value
    0.5
    """
    if claim == "different":
        return from_log(math.log(2.0) + log_upper(abs(observed)) if observed else 0.0)
    gain = observed if claim == "better" else -observed
    if gain > 0:
        return from_log(log_upper(gain))
    return from_log(math.log1p(-math.exp(log_upper(1 - gain))))  # P(X ≥ g) = 1 − P(X ≥ 1 − g)


def of_coin(wins: int, losses: int, claim: Claim, *, mid: bool) -> PValue:
    """Exact tail of ``wins`` among ``wins + losses`` tosses of a fair coin; ``mid`` counts the observed atom half.

    >>> round(of_coin(16, 6, "different", mid=False).value, 6)
    0.052479
    """
    n = wins + losses
    if n == 0 or (wins == losses and claim == "different"):
        return from_log(0.0)
    extreme = max(wins, losses) if claim == "different" else wins if claim == "better" else losses
    beyond = log_upper_tail(extreme + 1, n)
    here = float(log_fair_binomial(np.array([extreme]), n)[0]) + (math.log(0.5) if mid else 0.0)
    return from_log(float(np.logaddexp(beyond, here)) + (math.log(2.0) if claim == "different" else 0.0))


def log_upper_tail(k: int, n: int) -> float:
    """Natural log of P(X ≥ k) for X ~ Bin(n, 1/2)."""
    from scipy.special import betainc

    if k <= 0:
        return 0.0
    if k > n:
        return -math.inf
    tail = float(betainc(k, n - k + 1, 0.5))
    if tail > 1e-280:
        return math.log(tail)
    # so far out that the ratios of neighbouring atoms are well below 1: √n terms are more than enough
    j = np.arange(k, min(n, k + math.isqrt(n) + 100), dtype=np.float64)
    series = 1.0 + float(np.cumprod((n - j) / (j + 1.0)).sum())
    return float(log_fair_binomial(np.array([k]), n)[0]) + math.log(series)


def log_fair_binomial(k: NDArray[np.int64], n: int) -> Floats:
    """Natural log of P(X = k) for X ~ Bin(n, 1/2), accurate to about 1e-15·√n.

    Written as deviance plus Stirling corrections: differences of log-gammas lose digits with growing n.

    >>> np.exp(log_fair_binomial(np.arange(3), 2)).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    k = np.asarray(k, dtype=np.float64)
    inner = (k > 0) & (k < n)
    i = np.where(inner, k, 1.0)  # any inner value will do where the answer is replaced below
    m = max(n, 2)
    x = (2.0 * i - m) / m
    deviance = i * np.log1p(x) + (m - i) * np.log1p(-x)
    stirling = _stirling_error(np.array([float(m)]))[0] - _stirling_error(i) - _stirling_error(m - i)
    body = stirling - deviance + 0.5 * np.log(m / (2.0 * math.pi * i * (m - i)))
    return np.where(inner, body, -n * math.log(2.0))


# a table and a series instead of scipy's gammaln: importing that is half of what the command costs
STIRLING_TABLE = np.array(
    [0.0] + [math.lgamma(m + 1.0) - (m + 0.5) * math.log(m) + m - 0.5 * math.log(2.0 * math.pi) for m in range(1, 31)]
)


def _stirling_error(m: Floats) -> Floats:
    """log m! minus Stirling's formula for it, for whole m."""
    big = np.maximum(m, 30.0)
    r = 1.0 / (big * big)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r / 1680))) / big
    return np.where(m > 30.0, series, STIRLING_TABLE[np.minimum(m, 30.0).astype(np.int64)])


def at_least(gains: Floats, observed: float, claim: Claim, scale: float) -> NDArray[np.bool_]:
    """Which gains are as extreme as the observed one, ties included whatever the rounding."""
    slack = TIE * scale
    if claim == "different":
        return np.abs(gains) >= abs(observed) - slack
    return gains >= observed - slack if claim == "better" else gains <= observed + slack


class ExactTail:
    """Adds up the probability of the atoms as extreme as the observed gain, block by block, in logarithms."""

    def __init__(self, observed: float, claim: Claim) -> None:
        self.observed = observed
        self.claim = claim
        self._log_sum = -math.inf
        self._everything = True

    def add(self, gains: Floats, log_weights: Floats, scale: float) -> None:
        """Take one block of atoms."""
        extreme = at_least(gains, self.observed, self.claim, scale)
        self._everything = self._everything and bool(extreme.all())
        weights = log_weights[extreme]
        if weights.size:
            top = float(weights.max())
            block = top + math.log(float(np.exp(weights - top).sum()))
            self._log_sum = float(np.logaddexp(self._log_sum, block))

    def p_value(self) -> PValue:
        """Return P(as extreme as observed); exactly 1 when every atom is."""
        return from_log(0.0 if self._everything else self._log_sum)


def of_number(p: Any) -> PValue:
    """Take over a probability that was calculated as a rational number or as a ball with its error bound.

    >>> from flint import fmpq
    >>> of_number(fmpq(1, 4)).value
    0.25
    """
    from flint import arb, ctx

    with ctx.workprec(128):
        ball = arb(p)
        log10 = float((ball.log() / arb(10).log()).mid())
        bound = float((ball.rad() / ball.mid()).abs_upper())
    # the float itself is rounded, too
    return PValue(max(float(ball.mid()), SMALLEST), min(log10, 0.0), bound=bound + 2.0**-53)


def of_count(hits: int, arrangements: int) -> PValue:
    """p-value where every arrangement was counted once, the observed one among them: lecture-measures' p/n.

    >>> of_count(8, 32).value
    0.25
    """
    return PValue(hits / arrangements, math.log10(hits / arrangements))


def of_sample(gains: Floats, observed: float, claim: Claim, scale: float) -> PValue:
    """p-value from draws under the null hypothesis: (count + 1)/(draws + 1), ties counted.

    The observed arrangement is one of those that could have been drawn, so p is never 0 and the test keeps its
    level (lecture-measures prints p/n, which is right only when every arrangement is counted once).

    >>> of_sample(np.zeros(99), 0.0, "different", 1.0).value
    1.0
    """
    draws = gains.size
    p = (int(at_least(gains, observed, claim, scale).sum()) + 1) / (draws + 1)
    return PValue(p, math.log10(p), math.sqrt(p * (1.0 - p) / draws))


def times(p: PValue, factor: float) -> PValue:
    """Return a multiple of p, at most 1.

    >>> round(times(of_student(2.228139, 10, "better"), 2.0).value, 6)
    0.05
    """
    log = min(p.log10 + math.log10(factor), 0.0)
    return PValue(min(factor * p.value, 1.0), log, None if p.error is None else factor * p.error)


def between(p: PValue, q: PValue, part: float) -> PValue:
    """Return the p-value that lies a part of the way from p to q, measured in normal quantiles.

    >>> round(between(of_normal(1.0, 1.0, "different"), of_normal(2.0, 1.0, "different"), 0.5).value, 6)
    0.133614
    """
    from scipy.special import log_ndtr, ndtri_exp

    z = [float(ndtri_exp(LN10 * ends.log10 - math.log(2.0))) for ends in (p, q)]
    return from_log(float(log_ndtr(z[0] + part * (z[1] - z[0]))) + math.log(2.0))


def no_less_than_coins(p: PValue, n: int, claim: Claim) -> PValue:
    """Return p, or the least that swapping n units could give, if that is larger.

    >>> no_less_than_coins(PValue(0.0002, math.log10(0.0002), 0.0001), 3, "different").value
    0.25
    """
    least = least_by_swaps(n, claim)
    return PValue(least, math.log10(least), None if p.error is None else 0.0) if p.value < least else p


def of_bootstrap(gains: Floats, claim: Claim) -> PValue:
    """p-value of "the gain is 0" from bootstrap replicates, dual to the percentile interval.

    Replicates at 0 count on both sides and the +1 keeps p above 0. With the order statistics that
    ``intervals.percentile`` takes, p ≤ alpha exactly when the (1 − alpha) interval leaves out 0.
    """
    draws = gains.size
    not_better = (int((gains <= 0.0).sum()) + 1) / (draws + 1)
    not_worse = (int((gains >= 0.0).sum()) + 1) / (draws + 1)
    tail = {"better": not_better, "worse": not_worse, "different": min(not_better, not_worse)}[claim]
    p = min(1.0, 2.0 * tail) if claim == "different" else tail
    error = (2.0 if claim == "different" else 1.0) * math.sqrt(tail * (1.0 - tail) / draws)
    return PValue(p, math.log10(p), error)


def least_by_swaps(units: int, claim: Claim = "different") -> float:
    """Return the smallest p-value that swapping can give when two models differ on ``units`` units.

    This holds for every exact test that conditions on their number (McNemar's unconditional test does not).

    If the models were exchangeable, each unit would favour either with probability 1/2: the most extreme outcome
    and its mirror image have 2 · (1/2)^units together, one of them half of that. No resampling of so few units can know
    more.

    >>> least_by_swaps(5), least_by_swaps(0)
    (0.0625, 1.0)
    """
    return min(1.0, 2.0 ** ((claim == "different") - min(units, 1_000)))


# what only rounding can have made of numbers of some size: 64 units in the last place of a float
ROUNDING = 64 * float(np.finfo(np.float64).eps)
