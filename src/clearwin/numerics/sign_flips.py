"""The exact distribution of a sum whose terms get their signs from fair coins: X = ± s₁ ± s₂ ± … .

For whole numbers it is found by dynamic programming, one term after the other. Far out in the tail the probabilities
would underflow, so the coins are loaded first (exponential tilting, Esscher 1932): with P(+) = 1/(1 + exp(−θs)) for a
term s the sum is expected at the observed value, where the loaded distribution is largest, and the tilt is undone in
logarithms. For other numbers all distinct outcomes are enumerated.
"""

from __future__ import annotations

import math

import numpy as np

from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats, Ints
from clearwin.numerics.pvalues import ROUNDING, Claim, PValue

EXACT_BUDGET = 2**30  # additions of the dynamic programme: about half a second
MOST_PLACES = 2**22  # numbers that it keeps at once: 32 MB, a few times over
THINNED = 1_001  # values of a distribution that has too many to be held
MOST_OUTCOMES = 2**20  # that are enumerated: a tenth of a second
SCALES = tuple(10**k for k in range(7))


def integer_sign_flips(steps: Ints, observed: int, claim: Claim) -> PValue:
    """Return the p-value of ``observed`` under X = Σ ± steps with fair signs; two-sided it is P(|X| ≥ |observed|).

    ``steps`` are whole numbers, whose signs and zeros do not matter; ``observed`` is a gain: more is better.
    ``affordable`` says beforehand whether this takes longer than a second or so.

    >>> round(integer_sign_flips(np.array([1, 2, 3, 4]), 8, "better").value, 6)  # only +10, +8 of 16 outcomes
    0.125
    """
    coins, unit = _reduced(steps)
    if coins.size and (coins == coins[0]).all():  # all terms alike: one binomial
        return _of_equal(coins.size, unit, observed, claim)

    def log_upper(k: int) -> float:
        return _log_upper_tail(coins, -(-k // unit))

    return pvalues.of_symmetric(observed, log_upper, claim)


def equal_sign_flips(count: int, step: int, observed: int, claim: Claim) -> tuple[PValue, Floats, Floats]:
    """Return the p-value of ``observed``, the values of X = Σ ± step and their probabilities, for ``count`` terms.

    Nothing as long as ``count`` is ever held: with more than 2²² terms the values are thinned, and near enough to
    normal.
    """
    p = _of_equal(count, step, observed, claim)
    if count <= MOST_PLACES:
        chances = np.exp(pvalues.log_fair_binomial(np.arange(count + 1), count))
        return p, _lattice(count, step), chances
    deviations = np.linspace(-10.0, 10.0, THINNED)
    density = np.exp(-(deviations**2) / 2.0)
    return p, deviations * math.sqrt(count) * step, density / density.sum()


def _of_equal(count: int, step: int, observed: int, claim: Claim) -> PValue:
    net = observed // step
    return pvalues.of_coin((count + net) // 2, (count - net) // 2, claim, mid=False)


def affordable(steps: Ints) -> bool:
    """Whether ``integer_sign_flips`` keeps to its budget of time and memory."""
    coins, _ = _reduced(steps)
    total = int(coins.sum())
    alike = coins.size == 0 or bool((coins == coins[0]).all())
    return alike or (coins.size * total <= EXACT_BUDGET and total <= MOST_PLACES)


def integer_distribution(steps: Ints) -> tuple[Floats, Floats]:
    """Return the values of X = Σ ± steps and their probabilities."""
    from clearwin.numerics import value_kernels

    coins, unit = _reduced(steps)
    if not coins.size:
        return np.zeros(1), np.ones(1)
    total = int(coins.sum())
    if (coins == coins[0]).all():
        chances = np.exp(pvalues.log_fair_binomial(np.arange(coins.size + 1), coins.size))
        return _lattice(total, unit), chances
    chances = np.asarray(value_kernels.sign_flip_distribution(coins, np.full(coins.size, 0.5)))
    return _lattice(total, unit), chances


def _lattice(total: int, unit: int) -> Floats:
    return np.arange(-total, total + 1, 2, dtype=np.float64) * unit


def _reduced(steps: Ints) -> tuple[Ints, int]:
    """Return the terms that can be flipped, smallest first, divided by what divides them all, and that divisor."""
    coins = np.sort(np.abs(np.asarray(steps, dtype=np.int64)))
    coins = coins[coins > 0]
    unit = int(np.gcd.reduce(coins)) if coins.size else 1
    return coins // unit, unit


def _log_upper_tail(coins: Ints, k: int) -> float:
    """Natural log of P(X ≥ k), k > 0, relative error about the number of terms · 1e-16."""
    from clearwin.numerics import value_kernels

    total = int(coins.sum())
    at = -(-(total + k) // 2)  # K, the sum of the terms with a plus, is (total + X)/2
    if at > total:
        return -math.inf
    if at == total:
        return -coins.size * math.log(2.0)
    tilt = _tilt(coins, at)
    plus = 1.0 / (1.0 + np.exp(-tilt * coins))
    loaded = np.asarray(value_kernels.sign_flip_distribution(coins, plus))
    beyond = np.arange(total - at + 1)
    # P(K = k) = loaded(k) · Π (1 + exp(θs))/2 · exp(−θk); Π exp(θs) = exp(θ · total) goes together with exp(−θk)
    log_norm = math.fsum(np.log1p(np.exp(-tilt * coins))) - coins.size * math.log(2.0) + tilt * (total - at)
    return log_norm + math.log(float((loaded[at:] * np.exp(-tilt * beyond)).sum()))


def _tilt(coins: Ints, at: int) -> float:
    """Return θ with Σ s/(1 + exp(−θs)) = at; any θ is right, this one puts the observed value in the middle."""
    low, high = 0.0, 1.0
    with np.errstate(over="ignore"):
        while float((coins / (1.0 + np.exp(-high * coins))).sum()) < at and high < 2.0**10:
            high *= 2.0
        for _ in range(60):
            middle = (low + high) / 2.0
            short = float((coins / (1.0 + np.exp(-middle * coins))).sum()) < at
            low, high = (middle, high) if short else (low, middle)
    return (low + high) / 2.0


def as_integers(steps: Floats, sizes: Floats) -> tuple[Ints, int] | None:
    """Return the steps as whole numbers of 1/scale, and the scale, a power of ten up to 10⁶; None if they are not.

    ``sizes`` say how large the numbers were that the steps are differences of: their rounding errors are forgiven.
    """
    for scale in SCALES:
        scaled = steps * scale
        slack = ROUNDING * sizes * scale
        if float(np.abs(scaled).max(initial=0.0)) > 2.0**52 or float(slack.max(initial=0.0)) > 1e-3:
            return None
        whole = np.rint(scaled)
        if (np.abs(scaled - whole) <= slack).all():
            return whole.astype(np.int64), scale
    return None


def distinct(numbers: Floats, slack: Floats | float) -> tuple[Floats, Ints]:
    """Return the distinct numbers, rising, and for each number which of them it is.

    Neighbours are one when they differ by no more than the slack of both: each number's own rounding error, so that one
    large value among the data does not make others alike.

    >>> distinct(np.array([0.3, 0.1 + 0.2, 0.5]), np.full(3, 1e-12))[1].tolist()
    [0, 0, 1]
    """
    order = np.argsort(numbers, kind="stable")
    ordered, slack = numbers[order], np.broadcast_to(slack, numbers.shape)[order]
    starts = np.concatenate([[True], np.diff(ordered) > np.minimum(slack[1:], slack[:-1])])[: numbers.size]
    which = np.empty(numbers.size, dtype=np.int64)
    which[order] = np.cumsum(starts) - 1
    return ordered[starts], which


def count_outcomes(times: Ints) -> float:
    """Return how many outcomes are distinct when ``times`` terms are alike; beyond all counting it is infinite."""
    few = float(np.log2(times + 1.0).sum()) < 60.0
    return math.prod(int(t) + 1 for t in times) if few else math.inf


def enumerate_sums(values: Floats, times: Ints) -> tuple[Floats, Floats]:
    """Return every distinct sum of ± values, where ``times`` of them are alike, and the logs of its probability."""
    sums, logs = np.zeros(1), np.zeros(1)
    for value, count in zip(values.tolist(), times.tolist(), strict=True):
        plus = np.arange(count + 1)
        sums = (sums[:, None] + value * (2.0 * plus - count)).ravel()
        logs = (logs[:, None] + pvalues.log_fair_binomial(plus, count)).ravel()
    return sums, logs
