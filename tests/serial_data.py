"""Items in time order that resemble those before them."""

import numpy as np

N = 200
TIMES = np.arange(N)


def series(rng, n, rho, k=1):
    """Return k autoregressive series of n normal numbers with variance 1."""
    found, steps = np.empty((k, n)), rng.normal(size=(k, n))
    found[:, 0] = steps[:, 0]
    for i in range(1, n):
        found[:, i] = rho * found[:, i - 1] + np.sqrt(1 - rho**2) * steps[:, i]
    return found


def decisions(rng, n, rho):
    """Return a truth without order, and decisions of two models that err in runs."""
    truth = (rng.random(n) < 0.4) * 1
    wrong = series(rng, n, rho, 2) > 1.0
    return truth, truth ^ wrong[0], truth ^ wrong[1]


TRUTH, A, B = decisions(np.random.default_rng(1), N, 0.7)
VALUES = series(np.random.default_rng(2), N, 0.7, 2)
