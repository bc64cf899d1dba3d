"""Accuracy and its relatives: proportions of items, of all or of one class, and their plain mean."""

from __future__ import annotations

from typing import Any

from clearwin.counts import AnyCounts, ConfusionMatrix
from clearwin.measures.base import Ratio, measure, proportion

NO_POSITIVES = "no item is positive"
NO_NEGATIVES = "no item is negative"


@proportion(
    label="accuracy",
    decomposition="items",
    formula="right / n",
    source="lecture-measures; 1 − keller2004 (1)",
    any_number_of_classes=True,
    needs_positive=False,
    is_share_right=True,
)
def accuracy(counts: AnyCounts) -> tuple[Any, Any]:
    """Share of items that are right."""
    return counts.right, counts.n


@proportion(
    label="subset accuracy",
    decomposition="items",
    formula="items with exactly the true labels / n",
    source="as scikit-learn's accuracy of label sets; for single labels it is the accuracy",
    any_number_of_classes=True,
    needs_positive=False,
    of_label_sets=True,
    of_whole_sets=True,
    is_share_right=True,
)
def subset_accuracy(counts: AnyCounts) -> tuple[Any, Any]:
    """Share of items whose predicted labels are exactly the true ones."""
    return counts.right, counts.n


@proportion(
    label="error rate",
    higher_is_better=False,
    decomposition="items",
    formula="wrong / n",
    source="keller2004 (1)",
    any_number_of_classes=True,
    needs_positive=False,
)
def error_rate(counts: AnyCounts) -> tuple[Any, Any]:
    """Share of items that are wrong."""
    return counts.n - counts.right, counts.n


@proportion(
    label="recall",
    decomposition="classes",
    formula="tp / (tp + fn)",
    source="keller2004 section 4",
    undefined_when=NO_POSITIVES,
    class_weights=lambda k: [0.0, 1.0],
    aliases=("sensitivity",),
)
def recall(counts: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the positive items that are found (sensitivity, true positive rate)."""
    return counts.tp, counts.tp + counts.fn


@proportion(
    label="specificity",
    decomposition="classes",
    formula="tn / (tn + fp)",
    source="lecture-measures, ROC curves",
    undefined_when=NO_NEGATIVES,
    class_weights=lambda k: [1.0, 0.0],
)
def specificity(counts: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the negative items that are predicted negative (true negative rate)."""
    return counts.tn, counts.tn + counts.fp


@proportion(
    label="false acceptance rate",
    higher_is_better=False,
    decomposition="classes",
    formula="fp / (fp + tn)",
    source="keller2004 (7), second term",
    undefined_when=NO_NEGATIVES,
    class_weights=lambda k: [1.0, 0.0],
    aliases=("far",),
)
def false_acceptance_rate(counts: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the negative items (impostors) that are accepted as positive."""
    return counts.fp, counts.fp + counts.tn


@proportion(
    label="false rejection rate",
    higher_is_better=False,
    decomposition="classes",
    formula="fn / (fn + tp)",
    source="keller2004 (7), first term",
    undefined_when=NO_POSITIVES,
    class_weights=lambda k: [0.0, 1.0],
    aliases=("frr",),
)
def false_rejection_rate(counts: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the positive items (clients) that are rejected."""
    return counts.fn, counts.fn + counts.tp


@measure(
    label="balanced accuracy",
    decomposition="classes",
    formula="mean over classes of (right of the class / its items)",
    source="mean of recall and specificity for two classes",
    undefined_when="a class has no item",
    any_number_of_classes=True,
    needs_positive=False,
    class_weights=lambda k: [1.0 / k] * k,
    in_parts=True,
)
def balanced_accuracy(counts: AnyCounts, ratio: Ratio) -> Any:
    """Mean of the classes' recalls: every class weighs the same, however rare."""
    hits, truths = counts.hits, counts.truths
    return sum(ratio(hits[i], truths[i]) for i in range(counts.k)) / counts.k
