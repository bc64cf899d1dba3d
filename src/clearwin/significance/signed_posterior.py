"""The Bayesian signed-rank test: how likely is B practically better, equivalent, practically worse?

Source: Benavoli, Mangili, Corani, Zaffalon and Ruggeri 2014; Benavoli, Corani, Demšar and Zaffalon 2017, section 4.2.
The differences are seen as draws from an unknown distribution with a Dirichlet process prior, of strength 1 and all of
it at a difference of 0. Its posterior puts weights (w₀, w₁, …, w_N) ~ Dirichlet(1, 1, …, 1) on 0 and the N differences.
With weights drawn, the mean of two differences is practically better with θ_better = Σᵢ Σⱼ wᵢ wⱼ [zᵢ + zⱼ > 2 rope],
and so on for the other two; the answer is how often each of the three is the largest.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from clearwin.execution import BLOCK, Seed, run_blocks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STREAM = 9  # of the seed
MOST_NUMBERS = 4_000_000  # of one block: 32 MB, a few times over


def posterior(gains: Floats, rope: float, slack: float, n_resamples: int, seed: Seed) -> Ints:
    """Count for each pair (a row of ``gains``) how many draws have worse, equivalent and better as the largest.

    All pairs are judged by the same draws: it is one posterior over data sets. Means within ``slack`` of the limits
    of the region count as inside.
    """
    width = gains.shape[1] + 1
    block = max(1, min(BLOCK, MOST_NUMBERS // width))
    parts = run_blocks(partial(_count, gains, rope, slack), n_resamples, seed, STREAM, block=block)
    return np.asarray(np.sum(parts, axis=0), dtype=np.int64)


def _count(gains: Floats, rope: float, slack: float, stream: np.random.Generator, size: int) -> Ints:
    # exponential numbers over their sum are Dirichlet(1, …, 1); which share is largest does not depend on the sum
    weights = stream.standard_exponential((size, gains.shape[1] + 1))
    limit = 2.0 * (rope + slack)
    return np.array([_winners(weights, np.concatenate([[0.0], row]), limit) for row in gains])


def _winners(weights: Floats, z: Floats, limit: float) -> list[int]:
    """Return how many rows of weights have worse, equivalent and better as the largest share."""
    order = np.argsort(z, kind="stable")
    z, w = z[order], weights[:, order]
    below = np.concatenate([np.zeros((len(w), 1)), np.cumsum(w, axis=1)], axis=1)  # of the first 0, 1, … weights
    total = below[:, -1]
    # zᵢ + zⱼ > limit holds for all j from some place on, zᵢ + zⱼ < −limit for all j before some place
    better = (w * (total[:, None] - below[:, np.searchsorted(z, limit - z, side="right")])).sum(axis=1)
    worse = (w * below[:, np.searchsorted(z, -limit - z, side="left")]).sum(axis=1)
    equivalent = total * total - better - worse
    is_better = better > np.maximum(worse, equivalent)
    is_worse = worse > np.maximum(better, equivalent)
    return [int(is_worse.sum()), int((~is_better & ~is_worse).sum()), int(is_better.sum())]
