"""Losses of scores stay in their range or are refused."""

import math

import numpy as np
import pytest
from sklearn import metrics

import clearwin as cw
from tests.data.scored import sample


def test_log_loss_stays_in_its_range():
    y = np.r_[np.ones(30), np.zeros(30)].astype(int)
    r = cw.compare(y, y.astype(float), 1.0 - y, measure="log_loss", rng=1, n_resamples=200)
    assert r.estimate_b == pytest.approx(-math.log(1e-15), rel=1e-12)
    assert r.interval.low - 1e-9 <= r.difference <= r.interval.high + 1e-9
    assert any(c.code == "no_width" for c in r.caveats)


def test_losses_that_overflow_are_refused():
    y, a, b = sample(30, n=40)
    for scores in (a * 1e153, a * 1e200, np.where(a > 0.5, np.inf, a)):
        with pytest.raises(cw.errors.DataError, match="overflows"):
            cw.compare(y, scores, b, measure="mse", rank_infinite=True, n_resamples=50)


def test_losses_are_those_of_scikit_learn():
    rng = np.random.default_rng(8)
    y, p = rng.integers(0, 2, 50), rng.uniform(0.02, 0.98, 50)
    p[:4], y[:4] = (0.0, 1.0, 0.0, 1.0), (0, 1, 1, 0)  # certain, and twice wrong
    oracles = {
        "brier": metrics.brier_score_loss(y, p),
        "mse": metrics.mean_squared_error(y, p),
        "sse": 50 * metrics.mean_squared_error(y, p),
        "mae": metrics.mean_absolute_error(y, p),
        "log_loss(clip=0.01)": metrics.log_loss(y, np.clip(p, 0.01, 0.99)),
    }
    for name, expected in oracles.items():
        if name.startswith("log_loss"):
            # scikit-learn clips both ends; ours costs nothing where a certain answer is right
            expected += (np.isin(p, (0, 1)) & (p == y)).sum() * math.log(0.99) / 50
        value = cw.estimate(y, p, measure=name, interval="percentile", n_resamples=2, rng=1).estimate
        assert value == pytest.approx(expected, rel=1e-12), name


def test_probabilities_may_be_0_and_1_and_nothing_beyond():
    y = [0, 1, 0, 1]
    for name in ("brier", "log_loss"):
        assert cw.estimate(y, [0.0, 1.0, 0.0, 1.0], measure=name, n_resamples=2, rng=1).estimate == 0.0
        for beyond in (-1e-9, 1.0 + 1e-9):
            with pytest.raises(cw.errors.DataError, match="needs probabilities"):
                cw.estimate(y, [0.0, 1.0, beyond, 1.0], measure=name)


def test_the_clip_of_log_loss_is_a_probability_below_a_half():
    for clip in (0.0, 0.5, -0.1):
        with pytest.raises(cw.errors.OptionError, match="clip"):
            cw.estimate([0, 1], [0.2, 0.7], measure=f"log_loss(clip={clip})")
    r = cw.estimate([0, 1], [1.0, 0.0], measure="log_loss(clip=0.49)", interval="percentile", n_resamples=2, rng=1)
    assert r.estimate == pytest.approx(-math.log(0.49), rel=1e-12)
