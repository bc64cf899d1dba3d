"""Losses of scores stay in their range or are refused."""

import math

import numpy as np
import pytest

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
