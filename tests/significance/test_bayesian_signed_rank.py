"""The Bayesian signed-rank test by its double sum and where its posterior is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clearwin as cw
from clearwin.numerics.value_kernels import largest_shares
from clearwin.significance.bayesian_signed_rank import places


def test_shares_of_the_bayesian_test_by_the_double_sum():
    rng = np.random.default_rng(5)
    z, limit = np.concatenate([[0.0], rng.normal(0.2, 1, size=9).round(1)]), 0.4
    weights = rng.standard_exponential((200, 10))
    sums = z[:, None] + z[None, :]
    counts = [0, 0, 0]
    for w in weights:
        both = np.outer(w, w)
        shares = [both[sums < -limit].sum(), both[np.abs(sums) <= limit].sum(), both[sums > limit].sum()]
        counts[int(np.argmax(shares))] += 1
    assert largest_shares(weights, *places(z[None, 1:], limit)).tolist() == [counts]
    assert min(counts) > 0


def test_the_posterior_is_where_it_must_be():
    r = cw.rank_data_sets({"a": [0.5] * 20, "b": [0.9] * 20, "c": [0.505] * 20}, rng=1)
    ab, ac, bc = (pair.posterior for pair in r.pairs)
    assert (ab.better, ac.equivalent, bc.worse) == (1.0, 1.0, 1.0)
    # a difference as large as the region is inside it, whatever the rounding of 0.81 − 0.8
    edge = cw.rank_data_sets({"a": [0.8] * 9, "b": [0.81] * 9}, margin=0.01, rng=1).pairs[0].posterior
    assert edge.equivalent == 1.0
    assert r.posterior_error == 0.5 / math.sqrt(50_000)


def test_one_difference_has_a_posterior_that_can_be_written_down():
    """Of weights (w₀, w₁) ~ Dirichlet(1, 2), two data sets with one difference: better wins if 1 − w₀² > 1/2."""
    r = cw.rank_data_sets([[0.0, 1.0], [0.0, 1.0]], margin=0.1, rng=3, n_resamples=50_000)
    # zᵢ + zⱼ is 0, 1 or 2 > 0.2 unless both are the prior's; w₀ ~ Beta(1, 2): P(w₀ < √½) = 1 − (1 − √½)²
    assert r.pairs[0].posterior.better == pytest.approx(1 - (1 - math.sqrt(0.5)) ** 2, abs=5 * r.posterior_error)


def test_a_difference_just_beyond_the_margin_is_better():
    """All twenty differences are 0.02; what lies between the margin and twice the margin is outside the region."""
    r = cw.rank_data_sets({"a": [0.5] * 20, "b": [0.52] * 20}, margin=0.015, rng=1)
    assert r.pairs[0].posterior.better > 0.99
