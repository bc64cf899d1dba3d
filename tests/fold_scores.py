"""Scores of two learners over folds, and the tests that judge them."""

import tomllib
from pathlib import Path

import numpy as np

import clearwin as cw

REFERENCE = tomllib.loads((Path(__file__).parent / "reference" / "folds.toml").read_text())
TESTS = list(cw.list_tests("folds"))


def made(n, seed, shift=0.004):
    rng = np.random.default_rng(seed)
    a = rng.normal(0.8, 0.02, n)
    return a, a + rng.normal(shift, 0.01, n)


def design_for(test):
    return {"design": "5x2"} if test.startswith("5x2") else {"design": "k-fold"}


GOOD = [0.1, 0.2, 0.4, 0.5, 0.3, 0.2, 0.1]
