"""Label sets and classes in groups, and the question about them."""

import numpy as np
import pytest
from sklearn import metrics

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.streams import Seed

SKLEARN = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
}


def label_sets(seed, n=300, k=6, odd=True):
    """Several labels per item, with what is odd: items without any, a label that never occurs, one never predicted."""
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < rng.random(k) * 0.4
    a, b = (truth ^ (rng.random((n, k)) < p) for p in (0.12, 0.09))
    if odd:
        truth[:, 0] = False
        a[:, 1] = b[:, 1] = False
        truth[: n // 10] = a[: n // 20] = b[: n // 20] = False
    return truth, a, b


def classes(seed, n=300, k=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    a, b = (np.where(rng.random(n) < p, rng.integers(0, k, n), y) for p in (0.35, 0.25))
    return y, a, b


def question(truth, a, b, measure="macro_f1", *, groups=None, strata=None, labels=None, n_resamples=4_000, seed=1):
    read = read_sample(truth, {"a": a, "b": b}, find(measure), Reading(groups=groups, strata=strata, labels=labels))
    return Question(*read, Options(n_resamples=n_resamples, seed=Seed(seed)))


def cases():
    truth, a, b = label_sets(11, odd=False)
    y, c, d = classes(12)
    rng = np.random.default_rng(13)
    groups = rng.integers(0, 60, 300)
    strata = np.where(np.arange(300) < 100, "old", "new")
    of_groups = np.where(groups < 20, "old", "new")
    yield "classes", (y, c, d), {}
    yield "label sets", (truth, a, b), {}
    yield "groups of classes", (y, c, d), {"groups": groups}
    yield "groups of label sets", (truth, a, b), {"groups": groups}
    yield "strata of classes", (y, c, d), {"strata": strata}
    yield "strata of label sets", (truth, a, b), {"strata": strata}
    yield "groups in strata", (y, c, d), {"groups": groups, "strata": of_groups}


CASES = {name: (data, how) for name, data, how in cases()}
every_case = pytest.mark.parametrize("name", CASES)
