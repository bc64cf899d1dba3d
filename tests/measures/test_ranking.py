"""Measures of ranking against scikit-learn and slow definitions, whatever the scale of the scores."""

import itertools

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from tests.data.scored import EVERY, ORACLE, RANKING, sample


@pytest.mark.parametrize("name", EVERY)
def test_equals_scikit_learn_or_a_slow_definition(name):
    for seed, ties in itertools.product(range(12), (False, True)):
        y, a, _ = sample(seed, n=30 + 20 * seed, share=(0.1, 0.3, 0.7)[seed % 3], ties=ties)
        value = cw.estimate(y, a, measure=name, interval="percentile", n_resamples=1).estimate
        assert value == pytest.approx(ORACLE[name](y, a), rel=1e-12, abs=1e-13)


def test_auc_is_mann_whitney():
    y, a, _ = sample(1, ties=True)
    u = stats.mannwhitneyu(a[y == 1], a[y == 0]).statistic
    area = cw.estimate(y, a, measure="auc", interval="percentile", n_resamples=1).estimate
    assert area == pytest.approx(u / (y.sum() * (1 - y).sum()))


@pytest.mark.parametrize(
    ("test", "name"), [("delong", "auc"), *itertools.product(("bootstrap", "permutation"), RANKING)]
)
def test_monotone_transforms_change_nothing(test, name):
    y, a, b = sample(6, n=200, ties=True)
    plain = cw.compare(y, a, b, measure=name, test=test, n_resamples=300, rng=2)
    moved = cw.compare(y, np.exp(5 * a), -1 / (b + 1), measure=name, test=test, n_resamples=300, rng=2)
    assert (moved.p_value, moved.interval, moved.difference) == (plain.p_value, plain.interval, plain.difference)


@pytest.mark.parametrize("name", EVERY)
def test_every_item_twice_changes_no_estimate(name):
    y, a, _ = sample(7, n=90, ties=True)
    twice = cw.estimate(np.r_[y, y], np.r_[a, a], measure=name, interval="percentile", n_resamples=1).estimate
    factor = 2 if name == "sse" else 1
    once = cw.estimate(y, a, measure=name, interval="percentile", n_resamples=1).estimate
    assert twice == pytest.approx(factor * once, rel=1e-12)


@pytest.mark.parametrize("scale", [1e308, 1e-310, 1.0])
def test_extreme_scores_give_the_same_answer_as_an_easy_copy(scale):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 80)
    ranks_a, ranks_b = (rng.permutation(80) + 40 * y for _ in range(2))
    if scale == 1.0:  # near-ties: neighbouring floats
        hard = [np.array([np.nextafter(1.0, 2.0) + k * np.finfo(float).eps for k in r]) for r in (ranks_a, ranks_b)]
    else:
        hard = [r / r.max() * scale for r in (ranks_a, ranks_b)]
        assert len(set(hard[0])) == len(set(ranks_a))
    for name in RANKING:
        easy = cw.compare(y, ranks_a, ranks_b, measure=name, test="bootstrap", n_resamples=50, rng=1)
        assert cw.compare(y, *hard, measure=name, test="bootstrap", n_resamples=50, rng=1).interval == easy.interval
