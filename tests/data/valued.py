"""Values of two models for each item, and the question about them."""

import math

import numpy as np

CLAIMS = {"different": "two-sided", "better": "greater", "worse": "less"}
MEANS = ["mean", "mean_loss"]


def sample(seed, n=60, shift=0.1, digits=None):
    """Two models' values, one better than the other; rounded they have ties and zeros."""
    rng = np.random.default_rng(seed)
    a = rng.random(n)
    b = a + rng.normal(shift, 0.2, n)
    return (a, b) if digits is None else (a.round(digits), b.round(digits))


def slow_errors(weights, sums, counts, strata):
    """Cluster-robust standard errors of weighted units, by their definition on the expanded sample."""
    at = np.repeat(np.arange(sums.size), weights)
    s, n, h = sums[at], counts[at], strata[at]
    mean = s.sum() / n.sum()
    e = s - n * mean
    variance = sum(
        (h == x).sum() / ((h == x).sum() - 1) * ((e[h == x] - e[h == x].mean()) ** 2).sum() for x in set(strata)
    )
    return mean, math.sqrt(variance) / n.sum()
