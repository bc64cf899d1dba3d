"""The Bayesian signed-rank test: how likely is B practically better, equivalent or practically worse?

Source: Benavoli, Mangili, Corani, Zaffalon and Ruggeri 2014; Benavoli, Corani, Demšar and Zaffalon 2017.
The differences are seen as draws from an unknown distribution with a Dirichlet process prior, of strength 1 and all of
it at a difference of 0. Its posterior puts weights (w₀, w₁, …, w_N) ~ Dirichlet(1, 1, …, 1) on 0 and the N differences.
With weights drawn, the mean of two differences is practically better with θ_better = Σᵢ Σⱼ wᵢ wⱼ [zᵢ + zⱼ > 2 margin],
and so on for the other two; the answer is how often each of the three is the largest.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from clearwin.numerics.arrays import Floats, Ints
from clearwin.streams import Purpose, Seed, Stream
from clearwin.workers import BLOCK, run_blocks

ROUNDING = 1e-9
MOST_NUMBERS = 4_000_000  # of one block: 32 MB, a few times over


def posterior(gains: Floats, margin: float, n_resamples: int, seed: Seed) -> Ints:
    """Count for each pair (a row of ``gains``) how many draws have worse, equivalent and better as the largest.

    All pairs are judged by the same draws, because there is one posterior over data sets. The limits of the region
    belong to it, whatever the rounding.
    """
    order, worse_before, better_from = places(gains, 2.0 * margin * (1.0 + ROUNDING))
    block = max(1, min(BLOCK, MOST_NUMBERS // order.shape[1]))
    work = partial(_count, order, worse_before, better_from)
    parts = run_blocks(work, n_resamples, seed, Purpose.SIGNED_RANKS, block=block, releases_gil=True)
    return np.asarray(np.sum(parts, axis=0), dtype=np.int64)


def places(gains: Floats, limit: float) -> tuple[Ints, Ints, Ints]:
    """Return, for each pair, the order of 0 and its gains, and at each place where the others begin to matter.

    With the values z rising, zᵢ + zⱼ < −limit holds for all j before some place, zᵢ + zⱼ > limit for all j from some
    place on.
    """
    with_prior = np.concatenate([np.zeros((len(gains), 1)), gains], axis=1)
    order = np.argsort(with_prior, axis=1, kind="stable")
    rising = np.take_along_axis(with_prior, order, axis=1)
    worse_before = [np.searchsorted(z, -limit - z, side="left") for z in rising]
    better_from = [np.searchsorted(z, limit - z, side="right") for z in rising]
    return order, np.array(worse_before), np.array(better_from)


def _count(order: Ints, worse_before: Ints, better_from: Ints, stream: Stream, size: int) -> Ints:
    from clearwin.numerics import value_kernels

    # exponential numbers over their sum are Dirichlet(1, …, 1); which share is largest does not depend on the sum
    weights = stream.standard_exponential((size, order.shape[1]))
    return np.asarray(value_kernels.largest_shares(weights, order, worse_before, better_from))
