"""Made-up models on one test set, of two classes, three classes, and scores."""

import numpy as np

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.resampling.bootstrap import draw
from clearwin.streams import Seed


def draw_all(truth, models, measure, n_resamples, seed, **how):
    """Replicates of every model, as rank draws them."""
    read = read_sample(truth, models, find(measure), Reading(**how, ranked=True))
    return draw(Question(*read, Options(n_resamples=n_resamples, seed=Seed(seed), names=tuple(models)))).values


CORRECTIONS = ("holm", "benjamini-hochberg", "max-t")


def two_classes(n=300, m=4, seed=1, step=0.03):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, {f"m{j}": np.where(rng.random(n) < 0.1 + step * j, 1 - y, y) for j in range(m)}


def three_classes(n=300, m=4, seed=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return y, {f"m{j}": np.where(rng.random(n) < 0.2 + 0.04 * j, rng.integers(0, 3, n), y) for j in range(m)}
