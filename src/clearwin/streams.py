"""What everything is drawn from: a stream that gives the same numbers with every numpy.

numpy may change what a ``Generator`` makes of the same bits, and 2.5 changed its binomials and multinomials. What
``RandomState`` makes of bits stays as it is for good, and so do the bits of PCG64 and how a SeedSequence seeds it
(NEP 19). One method is not used: ``RandomState.multinomial`` did change in 2.5 (numpy issue 32299), so multinomials are
made of binomials here.

>>> import numpy as np
>>> stream = Stream(np.random.PCG64(7))
>>> multinomial(stream, 1_000, np.array([1, 2, 7]), 2).tolist()
[[95, 86], [206, 209], [699, 705]]
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

# On PCG64 it draws binomials as quickly as a Generator does. Philox is no safer here, as every block has a seed of its
# own, and a seventh slower for binomials, twice as slow for plain numbers
Stream = np.random.RandomState
# The version of all that is drawn. Raise it when the same seed gives other numbers than before: another stream, other
# blocks, another order of draws, another kernel. Results show it, and a study refuses to go on with blocks of another.
STREAMS = 2

Kind = TypeVar("Kind", bound=np.generic)
Counts = NDArray[np.int64]
FEW_EACH = 8  # up to here drawing one by one is quicker than binomials
FEW_SHUFFLED = 1_000  # up to here sorting all rows at once is quicker than shuffling each


def multinomial(stream: Stream, n: int, weights: Counts, size: int) -> Counts:
    """Return how many of ``n`` draws fall to each weight (rows), ``size`` times over (columns).

    By halving: how many fall to the first half of the weights is binomial, and so on inside each half. Every level of
    halves is one call. If there are few for each weight, they are drawn one by one. Both are exact.
    """
    if max(n, weights.sum()) <= FEW_EACH * weights.size:
        return _one_by_one(stream, n, weights, size)
    found = np.zeros((weights.size, size), dtype=np.int64)
    found[0] = n
    step = 1 << (weights.size - 1).bit_length()
    padded = np.zeros(step, dtype=np.int64)
    padded[: weights.size] = weights
    while step > 1:
        halves = padded.reshape(-1, 2, step // 2).sum(axis=2)
        divided = np.flatnonzero(halves[:, 1])
        whole = found[divided * step]
        first = stream.binomial(whole, (halves[divided, 0] / halves[divided].sum(axis=1))[:, None])
        found[divided * step] = first
        found[divided * step + step // 2] = whole - first
        step //= 2
    return found


def _one_by_one(stream: Stream, n: int, weights: Counts, size: int) -> Counts:
    owner = np.repeat(np.arange(weights.size), weights)
    places = owner[stream.randint(0, owner.size, size=(size, n), dtype=np.int64)]
    places += weights.size * np.arange(size)[:, None]
    return np.bincount(places.ravel(), minlength=size * weights.size).reshape(size, -1).T


def hypergeometric(stream: Stream, good: Counts, bad: Counts, sample: Counts) -> Counts:
    """Return how many of each sample are good.

    RandomState refuses to draw none, and is slow where most are drawn: then those that stay are drawn instead.
    """
    rest = good + bad - sample
    fewer = np.minimum(sample, rest)
    found = np.zeros(fewer.shape, dtype=np.int64)
    some = fewer > 0
    found[some] = stream.hypergeometric(good[some], bad[some], fewer[some])
    return np.where(sample <= rest, found, good - found)


def shuffled(stream: Stream, values: NDArray[Kind], times: int) -> NDArray[Kind]:
    """Return so many copies of the values, each in a random order of its own along the last axis.

    Few are sorted by random words. The place of each stands in its word's last bits, so no two words are equal and it
    does not matter how numpy sorts.
    """
    n = values.shape[-1]
    if values.ndim == 1 and n > FEW_SHUFFLED:
        return np.stack([stream.permutation(values) for _ in range(times)])
    bits = (n - 1).bit_length()
    words = stream.randint(0, 2**64, size=(times, *values.shape), dtype=np.uint64)
    words >>= np.uint64(bits)
    words <<= np.uint64(bits)
    words |= np.arange(n, dtype=np.uint64)
    words.sort(axis=-1)
    words &= np.uint64((1 << bits) - 1)
    return np.take_along_axis(np.broadcast_to(values, words.shape), words.view(np.int64), axis=-1)
