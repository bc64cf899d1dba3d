"""Averages over classes of one class against the others: macro (every class weighs the same) and weighted (by items).

The classes are those that occur anywhere in the data, fixed before anything is drawn: a replicate that loses a class
still averages over it. Macro recall is ``balanced_accuracy`` and weighted recall is ``accuracy``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clearwin.counts import ConfusionMatrix
from clearwin.measures.base import Ratio, measure
from clearwin.measures.f_measure import check_beta

OfClass = Callable[[Any, Any, Any, Ratio], Any]  # right, items, predicted of one class → its value
UNDEFINED = "a class neither occurs nor is predicted"
NEVER_PREDICTED = "a class is never predicted"
SOURCE = "as in scikit-learn, over a fixed set of labels"


def _mean(counts: ConfusionMatrix, ratio: Ratio, of_class: OfClass) -> Any:
    predicted = counts.cells.sum(axis=0)
    values = (of_class(counts.hits[i], counts.truths[i], predicted[i], ratio) for i in range(counts.k))
    return sum(values) / counts.k


def _weighted(counts: ConfusionMatrix, ratio: Ratio, of_class: OfClass) -> Any:
    truths = counts.truths
    # a class without items weighs nothing, so what it would be 0/0 of does not matter
    predicted = np.where(truths == 0, 1, counts.cells.sum(axis=0))
    values = (truths[i] * of_class(counts.hits[i], truths[i], predicted[i], ratio) for i in range(counts.k))
    return sum(values) / np.maximum(counts.n, 1)  # the jackknife of a single item has none left


def _precision(right: Any, items: Any, predicted: Any, ratio: Ratio) -> Any:
    return ratio(right, predicted)


def _f(beta: float) -> OfClass:
    b2 = beta * beta
    return lambda right, items, predicted, ratio: ratio((1 + b2) * right, b2 * items + predicted)


@measure(
    label="macro precision", decomposition="none", formula="mean over classes of precision", source=SOURCE,
    undefined_when=NEVER_PREDICTED, any_number_of_classes=True, needs_positive=False,
)  # fmt: skip
def macro_precision(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Mean of the classes' precisions."""
    return _mean(counts, ratio, _precision)


@measure(
    label="macro F1", decomposition="none", formula="mean over classes of F1 (not F1 of the mean precision and recall)",
    source=SOURCE, undefined_when=UNDEFINED, any_number_of_classes=True, needs_positive=False,
)  # fmt: skip
def macro_f1(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Mean of the classes' F1s; ``f1_of_macro`` is the other definition."""
    return _mean(counts, ratio, _f(1.0))


@measure(
    label="F1 of macro averages", decomposition="none", formula="2 P R/(P + R) of mean precision P and mean recall R",
    source="the other definition of macro F1, Sokolova and Lapalme 2009",
    undefined_when="a class never occurs or is never predicted",
    any_number_of_classes=True, needs_positive=False,
)  # fmt: skip
def f1_of_macro(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Harmonic mean of the mean precision and the mean recall."""
    precision = _mean(counts, ratio, _precision)
    recall = _mean(counts, ratio, lambda right, items, predicted, divide: divide(right, items))
    return ratio(2 * precision * recall, precision + recall)


@measure(
    label="macro F-beta", decomposition="none", formula="mean over classes of F-beta", source=SOURCE,
    undefined_when=UNDEFINED, any_number_of_classes=True, needs_positive=False, check=check_beta,
)  # fmt: skip
def macro_f_beta(counts: ConfusionMatrix, ratio: Ratio, *, beta: float = 1.0) -> Any:
    """Mean of the classes' F-betas."""
    return _mean(counts, ratio, _f(beta))


@measure(
    label="weighted precision", decomposition="none", formula="Σ (items of the class / n) · precision", source=SOURCE,
    undefined_when=NEVER_PREDICTED, any_number_of_classes=True, needs_positive=False,
)  # fmt: skip
def weighted_precision(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Mean of the classes' precisions, weighted by their items."""
    return _weighted(counts, ratio, _precision)


@measure(
    label="weighted F1", decomposition="none", formula="Σ (items of the class / n) · F1", source=SOURCE,
    any_number_of_classes=True, needs_positive=False,
)  # fmt: skip
def weighted_f1(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Mean of the classes' F1s, weighted by their items."""
    return _weighted(counts, ratio, _f(1.0))


@measure(
    label="weighted F-beta", decomposition="none", formula="Σ (items of the class / n) · F-beta", source=SOURCE,
    any_number_of_classes=True, needs_positive=False, check=check_beta,
)  # fmt: skip
def weighted_f_beta(counts: ConfusionMatrix, ratio: Ratio, *, beta: float = 1.0) -> Any:
    """Mean of the classes' F-betas, weighted by their items."""
    return _weighted(counts, ratio, _f(beta))
