"""Averages over classes or labels: macro (all weigh the same), weighted (by items), micro (counts added up).

The classes are those that occur anywhere in the data, fixed before anything is drawn: a replicate that loses a class
still averages over it. For single labels macro recall is ``balanced_accuracy``, and all micro averages are
``accuracy`` unless only some of the classes are averaged over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clearwin.counts import AnyCounts
from clearwin.measures.base import Ratio, measure
from clearwin.measures.f_measure import check_beta

OfClass = Callable[[Any, Any, Any, Ratio], Any]  # right, items, predicted of one class → its value
UNDEFINED = "a class neither occurs nor is predicted"
NEVER_PREDICTED = "a class is never predicted"
SOURCE = "as in scikit-learn, over a fixed set of labels"
AVERAGE: dict[str, Any] = {
    "decomposition": "none",
    "any_number_of_classes": True,
    "needs_positive": False,
    "of_label_sets": True,
    "in_parts": True,
}
MICRO = {
    **AVERAGE,
    "decomposition": "items",
    "in_parts": False,
    "of_totals": True,
}  # for single labels; reading label sets or some labels drops it
NO_LABEL = "no item has any of the labels"


def _mean(counts: AnyCounts, ratio: Ratio, of_class: OfClass) -> Any:
    hits, truths, predicted = counts.hits, counts.truths, counts.predicted
    return sum(of_class(hits[i], truths[i], predicted[i], ratio) for i in range(counts.k)) / counts.k


def _weighted(counts: AnyCounts, ratio: Ratio, of_class: OfClass) -> Any:
    hits, truths = counts.hits, counts.truths
    # a class without items has no weight, so its 0/0 does not matter
    predicted = np.where(truths == 0, 1, counts.predicted)
    total = sum(truths[i] * of_class(hits[i], truths[i], predicted[i], ratio) for i in range(counts.k))
    return ratio(total, truths.sum(axis=0))


def _precision(right: Any, items: Any, predicted: Any, ratio: Ratio) -> Any:
    return ratio(right, predicted)


def _f(beta: float) -> OfClass:
    b2 = beta * beta
    return lambda right, items, predicted, ratio: ratio((1 + b2) * right, b2 * items + predicted)


@measure(
    label="macro precision",
    **AVERAGE,
    mean_over_classes=True,
    formula="mean over classes of precision",
    source=SOURCE,
    undefined_when=NEVER_PREDICTED,
)
def macro_precision(counts: AnyCounts, ratio: Ratio) -> Any:
    """Mean of the classes' precisions."""
    return _mean(counts, ratio, _precision)


@measure(
    label="macro F1",
    **AVERAGE,
    mean_over_classes=True,
    formula="mean over classes of F1 (not F1 of the mean precision and recall)",
    source=SOURCE,
    undefined_when=UNDEFINED,
)
def macro_f1(counts: AnyCounts, ratio: Ratio) -> Any:
    """Mean of the classes' F1s; ``f1_of_macro`` is the other definition."""
    return _mean(counts, ratio, _f(1.0))


@measure(
    label="F1 of macro averages",
    **AVERAGE,
    formula="2 P R/(P + R) of mean precision P and mean recall R",
    source="the other definition of macro F1, Sokolova and Lapalme 2009",
    undefined_when="a class never occurs or is never predicted",
)
def f1_of_macro(counts: AnyCounts, ratio: Ratio) -> Any:
    """Harmonic mean of the mean precision and the mean recall."""
    precision = _mean(counts, ratio, _precision)
    recall = _mean(counts, ratio, lambda right, items, predicted, divide: divide(right, items))
    return ratio(2 * precision * recall, precision + recall)


@measure(
    label="macro F-beta",
    **AVERAGE,
    mean_over_classes=True,
    formula="mean over classes of F-beta",
    source=SOURCE,
    undefined_when=UNDEFINED,
    check=check_beta,
)
def macro_f_beta(counts: AnyCounts, ratio: Ratio, *, beta: float = 1.0) -> Any:
    """Mean of the classes' F-betas."""
    return _mean(counts, ratio, _f(beta))


@measure(
    label="weighted precision",
    **AVERAGE,
    weighted_over_classes=True,
    formula="Σ (items of the class / n) · precision",
    source=SOURCE,
    undefined_when=NEVER_PREDICTED,
)
def weighted_precision(counts: AnyCounts, ratio: Ratio) -> Any:
    """Mean of the classes' precisions, weighted by their items."""
    return _weighted(counts, ratio, _precision)


@measure(
    label="weighted F1",
    **AVERAGE,
    weighted_over_classes=True,
    formula="Σ (items of the class / n) · F1",
    source=SOURCE,
    undefined_when=NO_LABEL,
)
def weighted_f1(counts: AnyCounts, ratio: Ratio) -> Any:
    """Mean of the classes' F1s, weighted by their items."""
    return _weighted(counts, ratio, _f(1.0))


@measure(
    label="weighted F-beta",
    **AVERAGE,
    weighted_over_classes=True,
    formula="Σ (items of the class / n) · F-beta",
    source=SOURCE,
    undefined_when=NO_LABEL,
    check=check_beta,
)
def weighted_f_beta(counts: AnyCounts, ratio: Ratio, *, beta: float = 1.0) -> Any:
    """Mean of the classes' F-betas, weighted by their items."""
    return _weighted(counts, ratio, _f(beta))


@measure(
    label="macro recall",
    formula="mean over classes of recall",
    source=SOURCE,
    undefined_when="a class has no item",
    **{**AVERAGE, "decomposition": "classes"},
    mean_over_classes=True,
    class_weights=lambda k: [1.0 / k] * k,
)
def macro_recall(counts: AnyCounts, ratio: Ratio) -> Any:
    """Mean of the classes' recalls; for single labels it is the balanced accuracy."""
    return _mean(counts, ratio, lambda right, items, predicted, divide: divide(right, items))


@measure(
    label="micro precision",
    **MICRO,
    formula="Σ tp / Σ (tp + fp) over the classes",
    source=SOURCE,
    undefined_when="nothing is predicted",
)
def micro_precision(counts: AnyCounts, ratio: Ratio) -> Any:
    """Share of all predictions that are right."""
    return ratio(counts.right, counts.predicted.sum(axis=0))


@measure(
    label="micro recall",
    **MICRO,
    formula="Σ tp / Σ (tp + fn) over the classes",
    source=SOURCE,
    undefined_when=NO_LABEL,
    aliases=("weighted_recall",),
)
def micro_recall(counts: AnyCounts, ratio: Ratio) -> Any:
    """Share of all true labels that are found; recall weighted by items is the same."""
    return ratio(counts.right, counts.truths.sum(axis=0))


@measure(
    label="micro F1",
    **MICRO,
    formula="2 Σ tp / Σ (2 tp + fp + fn) over the classes",
    source=SOURCE,
    undefined_when="no item has or is given any of the labels",
)
def micro_f1(counts: AnyCounts, ratio: Ratio) -> Any:
    """F1 of the counts of all classes added up."""
    return ratio(2 * counts.right, counts.truths.sum(axis=0) + counts.predicted.sum(axis=0))


@measure(
    label="micro F-beta",
    **MICRO,
    formula="(1 + β²) Σ tp / Σ (β² (tp + fn) + tp + fp)",
    source=SOURCE,
    undefined_when="no item has or is given any of the labels",
    check=check_beta,
)
def micro_f_beta(counts: AnyCounts, ratio: Ratio, *, beta: float = 1.0) -> Any:
    """F-beta of the counts of all classes added up."""
    b2 = beta * beta
    return ratio((1 + b2) * counts.right, b2 * counts.truths.sum(axis=0) + counts.predicted.sum(axis=0))
