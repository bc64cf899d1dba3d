"""Learners on equivalent feature sets: equally good by construction, and trained as learners are.

A and B are the same learner on feature sets of their own, which have the same distribution. So both learners have the
same expected accuracy; on any one data set they differ. All training sets of a design are fitted at once, which makes
thousands of data sets affordable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearwin.data.folds import Design
from clearwin.streams import Stream

Floats = NDArray[np.float64]
Truth = NDArray[np.int64]
Masks = NDArray[np.bool_]  # splits × items: which items are tested
Learner = Callable[[Floats, Truth, Masks], Masks]  # (features, truth, training sets) → what each says of all items
APART = 2.0  # the distance of the class means, in standard deviations: an accuracy of .84 with the best rule
SMOOTHING = 1e-9  # scikit-learn's var_smoothing
STEPS = 100  # Newton's method: Hessians of a penalised likelihood are never singular


def naive_bayes(x: Floats, truth: Truth, trained: Masks) -> Masks:
    """Gaussian naive Bayes, as scikit-learn's GaussianNB."""
    weights = trained.astype(np.float64)
    smoothing = SMOOTHING * _moments(x, weights)[1].max(axis=1, keepdims=True)
    logs = []
    for label in (0, 1):
        mine = weights * (truth == label)
        mean, variance = _moments(x, mine)
        variance += smoothing
        distances = ((x - mean[:, None]) ** 2 / variance[:, None]).sum(axis=2)
        prior = np.log(mine.sum(axis=1, keepdims=True))
        logs.append(prior - (np.log(variance).sum(axis=1, keepdims=True) + distances) / 2.0)
    says: Masks = logs[1] > logs[0]
    return says


def _moments(x: Floats, weights: Floats) -> tuple[Floats, Floats]:
    total = weights.sum(axis=1, keepdims=True)
    mean = weights @ x / total
    return mean, weights @ x**2 / total - mean**2


def logistic_regression(x: Floats, truth: Truth, trained: Masks) -> Masks:
    """Logistic regression by Newton's method, as scikit-learn's with C = 1: the penalty leaves the intercept alone."""
    x = np.column_stack([x, np.ones(truth.size)])
    products = (x[:, :, None] * x[:, None, :]).reshape(truth.size, -1)
    penalty = np.append(np.ones(x.shape[1] - 1), 0.0)
    found = np.zeros((trained.shape[0], x.shape[1]))
    for _ in range(STEPS):
        says = 1.0 / (1.0 + np.exp(-(found @ x.T)))
        slope = (trained * (says - truth)) @ x + penalty * found
        bend = ((trained * says * (1.0 - says)) @ products).reshape(-1, x.shape[1], x.shape[1]) + np.diag(penalty)
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        found -= step
        if np.abs(step).max() < 1e-8:
            break
    return found @ x.T > 0.0


def nearest_neighbour(x: Floats, truth: Truth, trained: Masks) -> Masks:
    """The class of the nearest training item, said of the tested items alone; others are nobody's."""
    nearest = np.argsort(((x[:, None] - x[None]) ** 2).sum(axis=2), axis=1)
    says = np.zeros(trained.shape, dtype=np.bool_)
    for split, known in enumerate(trained):
        tested = np.flatnonzero(~known)
        order = nearest[tested]
        first = known[order].argmax(axis=1)
        says[split, tested] = truth[order[np.arange(tested.size), first]] == 1
    return says


UNSTABLE: dict[str, Learner] = {
    "1-nearest neighbour": nearest_neighbour
}  # each follows the single items it was trained on
LEARNERS: dict[str, Learner] = {"naive Bayes": naive_bayes, "logistic regression": logistic_regression}


@dataclass(frozen=True)
class Features:
    """``number`` features for each learner; a share ``same`` of the variance of their noise is what both see."""

    name: str
    number: int
    same: float


FEATURES = (Features("5 features, half of the noise shared", 5, 0.5), Features("20 features", 20, 0.0))


@dataclass(frozen=True)
class Splits:
    """How a data set is split: rounds of stratified folds, or ``draws`` random test sets of one item in ``folds``."""

    name: str
    design: Design
    draws: int = 0

    def masks(self, stream: Stream, truth: Truth) -> Masks:
        """Return which items are tested in each split."""
        if self.draws:
            size = truth.size // round(1.0 + 1.0 / (self.design.ratio or 1.0))
            return np.array([_first(stream.permutation(truth.size), size) for _ in range(self.draws)])
        rounds = [_dealt(stream, truth, self.design.folds) for _ in range(self.design.repeats)]
        return np.concatenate([fold == np.arange(self.design.folds)[:, None] for fold in rounds])


def _first(order: NDArray[np.int64], size: int) -> Masks:
    found = np.zeros(order.size, dtype=np.bool_)
    found[order[:size]] = True
    return found


def _dealt(stream: Stream, truth: Truth, folds: int) -> NDArray[np.int64]:
    """Deal the shuffled items of each class to the folds in turn."""
    found = np.empty(truth.size, dtype=np.int64)
    found[np.argsort(truth + stream.random(truth.size))] = np.arange(truth.size) % folds
    return found


SPLITS = (
    Splits("5 × 2 folds", Design("5x2", 5, 2, 1.0)),
    Splits("5 folds", Design("k-fold", 1, 5, 1 / 4)),
    Splits("10 folds", Design("k-fold", 1, 10, 1 / 9)),
    Splits("10 × 10 folds", Design("repeated k-fold", 10, 10, 1 / 9)),
    Splits("30 hold-outs, 2 : 1", Design("resampled", 1, 30, 1 / 2), 30),
    Splits("10 hold-outs, 9 : 1", Design("resampled", 1, 10, 1 / 9), 10),
)


def accuracies(
    stream: Stream, learner: Learner, splits: Splits, features: Features, n: int, data_sets: int
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the accuracies of A and B over the folds, data set by data set; half of the items are of each class."""
    truth = np.arange(n) % 2
    means = APART / math.sqrt(features.number) * (truth[:, None] - 0.5)
    for _ in range(data_sets):
        shared, *own = stream.normal(size=(3, n, features.number))
        tested = splits.masks(stream, truth)
        a, b = (means + math.sqrt(features.same) * shared + math.sqrt(1.0 - features.same) * noise for noise in own)
        yield _accuracy(learner(a, truth, ~tested), truth, tested), _accuracy(learner(b, truth, ~tested), truth, tested)


def _accuracy(says: Masks, truth: Truth, tested: Masks) -> Floats:
    right: Floats = ((says == truth) & tested).sum(axis=1) / tested.sum(axis=1)
    return right
