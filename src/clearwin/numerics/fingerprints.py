"""Numbers mixed beyond recognition, so that sums of them tell data apart whatever the order of the items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return splitmix64's finaliser of every number (Steele, Lea and Flood 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)  # and then in place: there may be millions
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x ^= x >> np.uint64(shift)
        x *= np.uint64(factor)
    x ^= x >> np.uint64(31)
    return np.asarray(x)


def sums(x: NDArray[np.uint64], times: NDArray[np.int64] | None = None) -> list[int]:
    """Return two sums over the mixed items: the same for the same items in any order.

    There are ``times`` items of each, or one.
    """
    each = np.uint64(1) if times is None else times.astype(np.uint64)
    return [int((x * each).sum(dtype=np.uint64)), int((mixed(x) * each).sum(dtype=np.uint64))]
