"""Compiled loops of values against the expanded sample."""

import numpy as np
import pytest
from scipy import stats

from clearwin.numerics import value_kernels
from tests.data.valued import slow_errors


def test_a_weighted_trimmed_mean_is_that_of_the_expanded_sample():
    rng = np.random.default_rng(2)
    for share in (0.0, 0.1, 0.3, 0.45):
        for _ in range(40):
            values, weights = np.sort(rng.normal(size=12)), rng.integers(0, 5, 12).astype(np.uint16)
            weights[0] += 1
            found = value_kernels.trimmed_mean(values, weights, share)
            assert found == pytest.approx(stats.trim_mean(np.repeat(values, weights), share), rel=1e-12, abs=1e-14)


def test_errors_of_replicates_by_their_definition():
    """The kernel's weights are drawn again with the same states and handed to a slow definition."""
    from clearwin.numerics.kernels import draw_weights

    rng = np.random.default_rng(19)
    sums, counts = rng.normal(size=30), rng.integers(1, 5, 30)
    first, sizes = np.array([0, 12]), np.array([12, 18])
    totals, states = np.tile(sizes, (50, 1)), rng.integers(0, 2**64, (50, 4), dtype=np.uint64)
    again = states.copy()
    found = value_kernels.bootstrap_means(
        first,
        sizes,
        totals,
        states,
        np.empty(0, np.uint16),
        np.stack([0 * sums, sums]),
        counts,
        sums,
        np.array([0, 12, 30]),
    )
    for r in range(50):
        weights = np.zeros(30, np.uint16)
        draw_weights(weights, first, sizes, totals[r], again[r])
        mean, error = slow_errors(weights, sums, counts, np.repeat([0, 1], sizes))
        assert found[1, r] == pytest.approx(mean, rel=1e-12)
        assert found[2, r] == pytest.approx(error, rel=1e-12)


def test_as_much_as_can_be_trimmed_leaves_the_median():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 8):
        values = np.sort(rng.normal(size=n))
        assert value_kernels.trimmed_mean(values, np.ones(n), 0.5) == pytest.approx(np.median(values), rel=1e-12)


def test_the_standard_error_of_a_mean_is_scipys_within_each_stratum():
    values = np.random.default_rng(4).normal(size=30)
    ones = np.ones(30, dtype=np.int64)
    assert value_kernels.standard_error(values, ones, np.array([0, 30])) == pytest.approx(stats.sem(values), rel=1e-12)
    by_strata = np.hypot(12 * stats.sem(values[:12]), 18 * stats.sem(values[12:])) / 30
    assert value_kernels.standard_error(values, ones, np.array([0, 12, 30])) == pytest.approx(by_strata, rel=1e-12)
