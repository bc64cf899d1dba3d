"""Scores of two models with ties, and the question about them."""

import itertools

import numpy as np
from sklearn import metrics

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.streams import Seed

MIN_DCF = "min_dcf(cost_fn=10, cost_fp=1, prior=0.1)"
RANKING = ["auc", "partial_auc(max_fpr=0.2)", "average_precision", "eer", MIN_DCF, "break_even"]
LOSSES = ["brier", "log_loss", "mse", "sse", "mae"]
EVERY = RANKING + LOSSES


def sample(seed, n=300, share=0.3, ties=False, sharpness=1.2):
    """Two models with probabilities, one better than the other."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    a, b = (1 / (1 + np.exp(-(2 * s * y - s + rng.normal(size=n)))) for s in (0.6 * sharpness, sharpness))
    return (y, a.round(1), b.round(1)) if ties else (y, a, b)


def slow_points(y, scores):
    """(tp, fp) at every threshold, accepting nothing first: slow and obvious."""
    accepted = [scores >= t for t in sorted(set(scores))[::-1]]
    return [(0, 0)] + [(int((now & (y == 1)).sum()), int((now & (y == 0)).sum())) for now in accepted]


def slow_eer(y, scores):
    """Where the polyline through the operating points meets fpr = 1 − tpr."""
    P, N = y.sum(), (1 - y).sum()
    points = [(fp / N, tp / P) for tp, fp in slow_points(y, scores)]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x1 + y1 >= 1:
            share = (1 - x0 - y0) / (x1 + y1 - x0 - y0)
            return x0 + share * (x1 - x0)
    raise AssertionError


def slow_min_dcf(y, scores, cost_fn=10, cost_fp=1, prior=0.1):
    P, N = y.sum(), (1 - y).sum()
    return min(cost_fn * prior * (P - tp) / P + cost_fp * (1 - prior) * fp / N for tp, fp in slow_points(y, scores))


def slow_break_even(y, scores):
    P = int(y.sum())
    for (tp0, fp0), (tp1, fp1) in itertools.pairwise(slow_points(y, scores)):
        if tp1 + fp1 >= P:
            return (tp0 + (tp1 - tp0) * (P - tp0 - fp0) / (tp1 + fp1 - tp0 - fp0)) / P
    raise AssertionError


ORACLE = {
    "auc": metrics.roc_auc_score,
    "partial_auc(max_fpr=0.2)": lambda y, s: metrics.roc_auc_score(y, s, max_fpr=0.2),
    "average_precision": metrics.average_precision_score,
    "eer": slow_eer,
    MIN_DCF: slow_min_dcf,
    "break_even": slow_break_even,
    "brier": metrics.brier_score_loss,
    "log_loss": metrics.log_loss,
    "mse": lambda y, s: ((s - y) ** 2).mean(),
    "sse": lambda y, s: ((s - y) ** 2).sum(),
    "mae": metrics.mean_absolute_error,
}


def question_of(y, a, b, name, n_resamples=3_000, stratified=False):
    read = read_sample(y, {"a": a, "b": b}, find(name), Reading(strata=y if stratified else None))
    return Question(*read, Options(n_resamples=n_resamples, seed=Seed(1)))
