"""A population like the given one in which the difference is 0, although the models are not interchangeable.

Units are given other weights, as little as need be: w ∝ exp(λ · influence), the exponential tilting that moves a mean
with the smallest Kullback-Leibler divergence (Efron 1981, Canadian Journal of Statistics 9). λ is found by bisection on
the measure itself, so that nonlinear measures are met, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.errors import UndefinedError
from clearwin.simulation.populations import Population

FURTHEST = 1_000.0  # no unit may come to weigh more than so many times what it weighed: a few would stand for all
LOUDEST = 500.0  # between exponents: beyond, no further tilting changes anything, and then overflows
STEPS = 60


def recentred(population: Population) -> Population:
    """Return the population reweighted to a difference of 0, or say why there is none."""
    influence = population.influence
    spread = _deviation(influence, population.urn.weights)
    if population.difference == 0.0:
        return population
    if spread == 0.0:
        raise UndefinedError("no unit moves the difference, so no weights bring it to 0")
    direction = influence / spread

    def tilted(amount: float) -> Population:
        return population.reweighted(_weights(population, amount * direction))

    side = np.sign(population.difference)
    low, high = 0.0, -side * 2.0**-6
    while np.sign(tilted(high).difference) == side:
        low, high = high, 2.0 * high
        _refuse_far(population, low * direction)
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if np.sign(tilted(middle).difference) == side else (low, middle)
    nearest = min((low, high), key=lambda amount: abs(tilted(amount).difference))
    _refuse_far(population, nearest * direction)
    return tilted(nearest)


def _refuse_far(population: Population, exponents: NDArray[np.float64]) -> None:
    """Raise where a unit's weight grows by more than the limit; what comes to weigh nothing only goes unheard."""
    here = population.urn.weights > 0
    factors = _factors(population, exponents)[here]
    if factors.max() > FURTHEST or np.ptp(exponents[here]) > LOUDEST:
        raise UndefinedError(
            f"no weights up to {FURTHEST:,.0f} times these units' bring the difference to 0: too few speak for the "
            "other side"
        )


def _deviation(values: NDArray[np.float64], weights: Counts) -> float:
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    values = values / largest  # squares of very small ones would be 0
    mean = np.average(values, weights=weights)
    return largest * float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _factors(population: Population, exponents: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many times what it weighed a unit weighs, ∝ exp(exponent); every stratum keeps its share."""
    urn = population.urn
    strata = np.zeros(urn.weights.size, dtype=np.int64) if urn.strata is None else urn.strata
    found = np.zeros(exponents.size)
    for stratum in np.unique(strata[urn.weights > 0]):
        here = strata == stratum
        raw = np.exp(exponents[here] - exponents[here & (urn.weights > 0)].max())
        found[here] = raw / np.average(raw, weights=urn.weights[here])
    return found


def _weights(population: Population, exponents: NDArray[np.float64]) -> Counts:
    """Return whole-number weights; what weighed anything weighs something."""
    weights = population.urn.weights
    unit, largest = population.heaviest
    raw = unit * weights * _factors(population, exponents)
    return np.clip(np.rint(raw), np.minimum(weights, 1), largest).astype(np.int64)
