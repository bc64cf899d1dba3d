"""Scores of two models, with ties or without."""

import numpy as np


def scores(n=200, seed=3, ties=True):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    a, b = rng.normal(y, 1.0, n), rng.normal(1.5 * y, 2.0, n)
    return (y, np.round(a, 1), np.round(b, 1)) if ties else (y, a, b)
