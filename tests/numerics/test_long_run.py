"""The variance of sums in time order: against the double sum, published critical values, and its level."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

from clearwin.numerics import pvalues
from clearwin.numerics.long_run import bartlett_sum, long_run_variance, weights_of_squares
from tests.serial_data import series

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "serial.toml").read_text())["fixed_b"]
CRITICAL = {float(level): cubic for level, cubic in REFERENCE.items() if level != "origin"}


@pytest.mark.parametrize("bandwidth", [1, 2, 5, 12])
def test_sums_of_neighbours_are_weighted_autocovariances(bandwidth):
    """Newey and West 1987: the weight of lag k is 1 − k/bandwidth."""
    x = np.random.default_rng(1).normal(size=12)
    gaps = x - x.mean()
    known = sum(
        max(0.0, 1.0 - abs(i - j) / bandwidth) * gaps[i] * gaps[j] for i in range(x.size) for j in range(x.size)
    )
    assert bartlett_sum(x, bandwidth) == pytest.approx(known)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("level", CRITICAL)
def test_quantiles_are_those_of_kiefer_and_vogelsang(share, level):
    """Theirs are simulated, and the cubic fits them to about a hundredth."""
    published = np.polynomial.Polynomial(CRITICAL[level])(share)
    weights = weights_of_squares(200, round(200 * share))
    own = optimize.brentq(lambda t: pvalues.of_squares(t, weights, "better").value - (1 - level), 0.1, 30)
    assert own == pytest.approx(published, rel=0.02)


def test_many_numbers_have_students_t():
    """With a small share of lags the weights hardly differ: both forms meet."""
    few, many = (pvalues.of_squares(2.2, weights_of_squares(n, round(1.3 * n**0.5)), "better") for n in (4_200, 4_300))
    assert many.value == pytest.approx(few.value, rel=0.02)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7])
def test_it_keeps_its_level(rho):
    rng, times, n, rejected = np.random.default_rng(5), 400, 100, 0
    for _ in range(times):
        [x] = series(rng, n, rho)
        found = long_run_variance(x)
        rejected += pvalues.of_squares(x.sum() / found.variance**0.5, found.weights, "different").value <= 0.05
    assert rejected / times < 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5


def test_constant_numbers_have_no_variance():
    assert long_run_variance(np.ones(30)).variance == 0.0
