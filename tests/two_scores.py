"""Scores of two models on one test set, and names that are hard to write down."""

from __future__ import annotations

import numpy as np

HOSTILE = ["$x_1$", "<b>", "[bold]", "a\x1b[2J", "_hidden", "two\nlines", "{}", "\\$y$", "%s"]


def made(n=300, seed=1):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, truth + rng.normal(size=n), 2 * truth + rng.normal(size=n)


TRUTH, A, B = made()


def spaced(text):
    return " ".join(str(text).split())
