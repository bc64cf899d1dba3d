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
from clearwin.populations import Population

FURTHEST = 7.0  # no unit may weigh more, or less, than about a thousand times what it weighed
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
    reach = float(np.abs(direction[population.urn.weights > 0]).max())

    def tilted(amount: float) -> Population:
        return population.reweighted(_weights(population, amount * direction))

    side = np.sign(population.difference)
    low, high = 0.0, -side * 2.0**-6
    while np.sign(tilted(high).difference) == side:
        low, high = high, 2.0 * high
        if abs(low) * reach > FURTHEST:
            raise UndefinedError(
                "no weights of these units bring the difference to 0: too few speak for the other side"
            )
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if np.sign(tilted(middle).difference) == side else (low, middle)
    return min((tilted(low), tilted(high)), key=lambda found: abs(found.difference))


def _deviation(values: NDArray[np.float64], weights: Counts) -> float:
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    values = values / largest  # squares of very small ones would be 0
    mean = np.average(values, weights=weights)
    return largest * float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _weights(population: Population, exponents: NDArray[np.float64]) -> Counts:
    """Return whole-number weights ∝ weight · exp(exponent); every stratum keeps its share."""
    urn = population.urn
    unit, largest = population.heaviest
    strata = np.zeros(urn.weights.size, dtype=np.int64) if urn.strata is None else urn.strata
    occupied = urn.weights > 0
    exponents = exponents - exponents[occupied].max()
    raw = urn.weights * np.exp(exponents)
    for stratum in np.unique(strata):
        here = strata == stratum
        total = raw[here].sum()
        raw[here] *= unit * urn.weights[here].sum() / total if total > 0.0 else 0.0
    found = np.minimum(np.rint(raw), largest).astype(np.int64)
    if not found.any():
        raise UndefinedError("no weights of these units bring the difference to 0")
    return found
