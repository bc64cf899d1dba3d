"""The unconditional exact McNemar test: the largest p-value over all shares of items that only one model has wrong."""

from __future__ import annotations

import math

import numpy as np

from clearwin.numerics.arrays import Floats, Ints
from clearwin.numerics.pvalues import Claim, PValue, from_log, log_upper_tail

MOST_ITEMS = 20_000  # about two seconds
FIRST_GAP = 0.05  # how far, in ln p, the first cells may lie below the supremum
LAST_GAP = 1e-10
PARTS = 8
BLOCK = 2**20


def unconditional(wins: int, losses: int, n: int, claim: Claim) -> PValue:
    """Return the largest probability, over the share π of items on which the models differ, of a z as extreme.

    z = (wins − losses)/√(wins + losses), and 0 where they differ on no item. Under the null hypothesis the number M
    of such items is Bin(n, π), and the wins among them are Bin(M, 1/2).

    >>> round(unconditional(5, 0, 100, "different").value, 4)  # Suissa and Shuster 1991
    0.0259
    """
    lead = {"different": abs(wins - losses), "better": wins - losses, "worse": losses - wins}[claim]
    if lead <= 0:
        return from_log(0.0)  # π = 0 makes z = 0 certain
    apart, log_tails = _log_tails(lead, wins + losses, n)
    sides = math.log(2.0) if claim == "different" else 0.0
    return from_log(sides + _log_supremum(apart, log_tails, n))


def _log_tails(lead: int, apart: int, n: int) -> tuple[Ints, Floats]:
    """Return the numbers of items apart that can reach z = lead/√apart, and ln of the chance that they do.

    For m items, 2·wins − m must be at least lead·√(m/apart), compared in whole numbers so that ties are ties.
    """
    tails = []
    for m in range(1, n + 1):
        square = -(-(lead * lead * m) // apart)  # the least whole number not below
        least = math.isqrt(square - 1) + 1
        wins = (m + least + 1) // 2
        if wins <= m:
            tails.append((m, log_upper_tail(wins, m)))
    return np.array([m for m, _ in tails]), np.array([log for _, log in tails])


def _log_supremum(apart: Ints, log_tails: Floats, n: int) -> float:
    """Return ln of the largest f(π) = Σ_m Bin(m; n, π) tail_m over π, to 1e-10.

    The angle θ, π = sin²θ, is cut into cells, and those that may hold the largest value, f(π*), are cut again. Where π*
    lies in a cell with centre π and half width h, ln f(π) ≥ ln f(π*) − n·KL(π*, π): by Jensen's inequality, because at
    π* the mean of m, weighted by what it adds to f, is nπ*. And KL(π*, π) is at most 3h² (2h² but at the ends).
    """
    from scipy.special import gammaln

    logs = log_tails + gammaln(n + 1.0) - gammaln(apart + 1.0) - gammaln(n - apart + 1.0)

    def log_sums(angles: Floats) -> Floats:
        suprema = np.empty(angles.size)
        rows = max(1, BLOCK // apart.size)
        for start in range(0, angles.size, rows):
            here = angles[start : start + rows, None]
            terms = logs + 2.0 * (apart * np.log(np.sin(here)) + (n - apart) * np.log(np.cos(here)))
            top = terms.max(axis=1)
            suprema[start : start + rows] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        return suprema

    cells = math.ceil(math.pi / 4.0 * math.sqrt(3.0 * n / FIRST_GAP))
    half = math.pi / 4.0 / cells
    centres = half * (2.0 * np.arange(cells, dtype=np.float64) + 1.0)
    values = log_sums(centres)
    while True:
        best, gap = float(values.max()), 3.0 * n * half * half
        if gap <= LAST_GAP:
            return best
        centres = centres[values >= best - gap]
        half /= PARTS
        centres = (centres[:, None] + half * (2.0 * np.arange(PARTS, dtype=np.float64) - PARTS + 1.0)).ravel()
        values = log_sums(centres)
