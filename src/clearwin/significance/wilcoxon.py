"""Wilcoxon's signed-rank test: do B's wins outweigh its losses, by their ranks?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clearwin.data.questions import Question
from clearwin.data.values import ValueSample
from clearwin.errors import OptionError, setting
from clearwin.numerics import pvalues, sign_flips
from clearwin.numerics.arrays import Floats, Ints
from clearwin.numerics.intervals import BOOTSTRAP
from clearwin.numerics.pvalues import ROUNDING, Claim
from clearwin.resampling.bootstrap import draw, interval_of
from clearwin.significance.base import Finding, test
from clearwin.significance.caveats import of_replicates


@test(
    label="Wilcoxon signed-rank test",
    question="Are the differences of the items' values symmetric about 0?",
    null_hypothesis="the differences between {a} and {b} are symmetric about 0: a gain is as likely as a loss of the "
    "same size",
    judges=("items",),
    methods=("exact", "asymptotic", "corrected", "pratt", "pratt-corrected"),
    intervals=tuple(BOOTSTRAP),
    formula="W⁺ = sum of the midranks of |d| where B is better; exact over all signs, or "
    "z = (W⁺ − m(m + 1)/4)/√(m(m + 1)(2m + 1)/24 − Σ(t³ − t)/48); corrected takes 1/2 off |W⁺ − m(m + 1)/4|, and pratt "
    "counts units without a difference when it ranks the others: z = (W⁺ − Σr/2)/√(Σr²/4) of their ranks r",
    source="Wilcoxon 1945; ties: Pratt and Gibbons 1981; pratt: Pratt 1959",
    assumes="independent items (or groups); says little about the mean where the differences are skewed",
    draws="replicates",
    takes=("losses", "values"),
    whole_units=("losses", "values"),
)
def wilcoxon(question: Question[ValueSample]) -> Finding:
    """Return Wilcoxon's signed-rank test on the units' mean differences.

    Question: are gains and losses of the same size equally likely?

    Null hypothesis: the differences are symmetric about 0.

    Formula: units without a difference are dropped, and ``why`` says how many; the other m get midranks by |d|. W⁺ is
    the sum of ranks where B is better. ``exact`` goes over all 2^m signs by dynamic programming on doubled midranks, so
    it is exact even with ties; ``asymptotic`` is normal, with the correction for ties and none for continuity.
    ``corrected`` is the same with 1/2 subtracted from |W⁺ − its mean|. ``pratt`` is also normal; it gives the units
    without a difference the lowest ranks and then drops them, so each of them weakens small differences;
    ``pratt-corrected`` also subtracts the 1/2. ``auto`` is exact up to about a thousand units.

    Source: Wilcoxon 1945; Pratt, Journal of the American Statistical Association 54, 1959; Pratt and Gibbons 1981. The
    interval is the bootstrap's of the measure's difference.

    Do not use it to compare means of skewed differences, because its null hypothesis is symmetry.

    Darwin's maize in Wilcoxon's form (Fisher 1935, table 3), heights in eighths of an inch; exact two-sided p = 0.041.

    >>> import clearwin as cw
    >>> d = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    >>> r = cw.compare(None, [0] * 15, d, measure="mean", test="wilcoxon", rng=1)
    >>> print(f"W = {r.statistic:g}, p = {r.p_value:.4f}")
    W = 96, p = 0.0413
    >>> r = cw.compare(None, [0] * 15, d, measure="mean", test="wilcoxon", method="corrected", rng=1)
    >>> print(f"p = {r.p_value:.4f}")
    p = 0.0438
    """
    units = question.sample.units
    gains = question.measure.sign * units.differences / units.counts
    # each unit's own rounding error, so that one large value does not tie the others
    ranks = signed_ranks(gains, ROUNDING * units.sizes / units.counts, question.claim, question.method)
    drawn = draw(question)
    interval = interval_of(question, drawn)
    dropped = "ranked first and dropped" if ranks.method in PRATT else "dropped"
    why = f"{ranks.dropped:,} without a difference {dropped}, {ranks.ranked:,} ranked"
    return Finding(
        ranks.method,
        ranks.statistic,
        ranks.p,
        interval,
        why,
        caveats=of_replicates(question, drawn, interval),
        judged="ranks",
        lead=float(ranks.net),
    )


PRATT = ("pratt", "pratt-corrected")
CORRECTED = ("corrected", "pratt-corrected")


@dataclass(frozen=True)
class SignedRanks:
    """W⁺, its p-value and how it was found, how many differences were 0 and how many have ranks."""

    method: str
    statistic: float
    p: pvalues.PValue
    dropped: int
    ranked: int
    net: int  # the doubled ranks of the gains less those of the losses


def signed_ranks(gains: Floats, slack: Floats | float, claim: Claim, method: str = "auto") -> SignedRanks:
    """Return the test on gains of B over A; sizes that differ by no more than ``slack`` are tied, zeros are dropped."""
    moving = gains[gains != 0.0]
    doubled, times = doubled_midranks(moving, np.broadcast_to(slack, gains.shape)[gains != 0.0])
    if method in PRATT:
        doubled = doubled + 2 * (gains.size - moving.size)
    if method == "auto":
        method = "exact" if sign_flips.affordable(doubled) else "asymptotic"
    net = int(doubled[moving > 0].sum()) - int(doubled[moving < 0].sum())
    if method == "exact":
        p = _exact(doubled, net, claim)
    elif method == "asymptotic":
        p = asymptotic(times, net, claim)
    else:
        p = _normal(doubled, net, claim, corrected=method in CORRECTED)
    return SignedRanks(method, float(doubled[moving > 0].sum()) / 2.0, p, gains.size - moving.size, moving.size, net)


def _exact(doubled: Ints, net: int, claim: Claim) -> pvalues.PValue:
    if not sign_flips.affordable(doubled):
        raise OptionError(
            f"The exact signed-rank test of {doubled.size:,} differences would take too long.",
            "about a thousand differences at most",
            setting("method", "asymptotic", "auto"),
        )
    return sign_flips.integer_sign_flips(doubled, net, claim)


def doubled_midranks(moving: Floats, slack: Floats | float) -> tuple[Ints, Ints]:
    """Return twice the midrank of each |d|, a whole number, and how many are tied at each size.

    >>> doubled_midranks(np.array([0.3, -0.1, 0.3]), 1e-12)[0].tolist()
    [5, 2, 5]
    """
    _, places = sign_flips.distinct(np.abs(moving), slack)
    times = np.bincount(places)
    doubled = (2 * np.cumsum(times) - times + 1)[places] if moving.size else np.zeros(0, dtype=np.int64)
    return doubled, times


def _normal(doubled: Ints, net: int, claim: Claim, *, corrected: bool) -> pvalues.PValue:
    """Return the p-value of the normal approximation to W⁺, whose variance is a quarter of the sum of squared ranks."""
    gain = net / 4.0
    if corrected:  # half a rank towards the null hypothesis; W⁺ is at its mean or at least half a rank away from it
        gain -= {"different": 0.5 * float(np.sign(net)), "better": 0.5, "worse": -0.5}[claim]
    return pvalues.of_normal(gain, math.sqrt(float((doubled.astype(np.float64) ** 2).sum())) / 4.0, claim)


def asymptotic(times: Ints, net: int, claim: Claim) -> pvalues.PValue:
    """Return the p-value of the normal approximation, corrected for ties.

    W⁺ − m(m + 1)/4 is a quarter of the net sum of doubled ranks.
    """
    m, t = float(times.sum()), times.astype(np.float64)
    variance = m * (m + 1.0) * (2.0 * m + 1.0) / 24.0 - float((t**3 - t).sum()) / 48.0
    return pvalues.of_normal(net / 4.0, math.sqrt(variance), claim)
