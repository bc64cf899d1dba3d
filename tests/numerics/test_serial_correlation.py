"""Numbers that resemble those before them are noticed, and sorted files are not taken for them."""

import numpy as np
import pytest

from clearwin.numerics.serial_correlation import resemble_neighbours, robust_correlations
from clearwin.streams import Seed
from tests.serial_data import series

SETS = 150


def share(draw, n, sets=SETS):
    rng, found = np.random.default_rng(3), 0
    for number in range(sets):
        numbers, kinds = draw(rng, n)
        found += resemble_neighbours(numbers, kinds, Seed.of(number).stream(1, 0))
    return found / sets


def alone(numbers):
    return numbers, np.zeros(numbers.size, dtype=np.int64)


def few_disagreements(rng, n):
    return alone(rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.9, 0.05], size=n))


def by_class(rng, n):
    kinds = np.sort(rng.integers(0, 5, size=n))
    return rng.normal(size=n) * (1 + kinds) + kinds, kinds


def of_small_classes(rng, n):
    kinds = np.arange(n) // 4
    return rng.normal(size=n) + kinds % 7, kinds


def by_difficulty(rng, n):
    hard = np.linspace(-4, 4, n)
    a, b = (rng.random(n) < 1 / (1 + np.exp(2 * hard - more)) for more in (0.0, 1.0))
    return alone(b * 1.0 - a)


def heavy_tails(rng, n):
    return alone(np.exp(2 * rng.normal(size=n)))


@pytest.mark.parametrize("draw", [few_disagreements, by_class, of_small_classes, by_difficulty, heavy_tails])
@pytest.mark.parametrize("n", [60, 300])
def test_independent_numbers_rarely_look_serial(draw, n):
    assert share(draw, n) <= 0.01 + 3 * (0.01 * 0.99 / SETS) ** 0.5


@pytest.mark.parametrize(("rho", "n", "least"), [(0.7, 200, 0.98), (0.3, 1_000, 0.98), (0.3, 200, 0.6)])
def test_serial_numbers_are_noticed(rho, n, least):
    assert share(lambda rng, n: alone(series(rng, n, rho)[0]), n, 60) >= least


def test_numbers_that_alternate_are_not_doubted():
    """They make a sum vary less than independent ones."""
    assert not share(lambda rng, n: alone(series(rng, n, -0.8)[0]), 200, 20)


def test_each_lag_has_its_own_standard_error():
    """Dalla, Giraitis and Phillips 2022, equation (8)."""
    x = np.random.default_rng(2).normal(size=40)
    known = [(x[k:] @ x[:-k]) / np.sqrt(((x[k:] * x[:-k]) ** 2).sum()) for k in range(1, 11)]
    assert robust_correlations(x[None])[:, 0] == pytest.approx(known)
