"""Joint counts of every day and of chance, and quick comparisons of them."""

import numpy as np

import clearwin as cw
from tests.tables import EVERYDAY

RNG = np.random.default_rng(8)
RANDOM = [cw.JointCounts(**{f"e{i}": int(n) for i, n in enumerate(RNG.integers(1, 60, size=8), 1)}) for _ in range(25)]
JOINTS = [*EVERYDAY.values(), *RANDOM]


def compare(joint, **settings):
    return cw.compare(joint, n_resamples=1, rng=1, **settings)
