"""Decisions of two models about two classes."""

import numpy as np


def two(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.where(rng.random(n) < 0.3, 1 - y, y), np.where(rng.random(n) < 0.2, 1 - y, y)
