"""Measures of label sets only: Hamming loss, and F1 of counts that come per item."""

from __future__ import annotations

from typing import Any

from clearwin.counts import ClassCounts
from clearwin.measures.base import Ratio, measure

TAGGING = "tagging, where true, predicted and right spans are counted per sentence; CoNLL 2000"


@measure(
    label="Hamming loss",
    higher_is_better=False,
    decomposition="none",
    formula="wrong labels / (items · labels)",
    source="as in scikit-learn",
    any_number_of_classes=True,
    needs_positive=False,
    takes="label sets",
    of_label_sets=True,
    mean_over_documents=True,
)
def hamming_loss(counts: ClassCounts, ratio: Ratio) -> Any:
    """Share of all yes-or-no decisions, one for each item and label, that are wrong."""
    wrong = counts.truths.sum(axis=0) + counts.predicted.sum(axis=0) - 2 * counts.right
    return ratio(wrong, counts.n * counts.k)


@measure(
    label="span precision",
    decomposition="none",
    formula="Σ right / Σ predicted over the items",
    source=TAGGING,
    takes="sums",
    undefined_when="nothing is predicted",
    needs_positive=False,
    any_number_of_classes=True,
)
def precision_of_sums(counts: ClassCounts, ratio: Ratio) -> Any:
    """Share of all predicted spans that are right."""
    return ratio(counts.right, counts.predicted[0])


@measure(
    label="span recall",
    decomposition="none",
    formula="Σ right / Σ true over the items",
    source=TAGGING,
    takes="sums",
    undefined_when="there is nothing to find",
    needs_positive=False,
    any_number_of_classes=True,
)
def recall_of_sums(counts: ClassCounts, ratio: Ratio) -> Any:
    """Share of all true spans that are found."""
    return ratio(counts.right, counts.truths[0])


@measure(
    label="span F1",
    decomposition="none",
    formula="2 Σ right / Σ (true + predicted) over the items",
    source=TAGGING,
    takes="sums",
    undefined_when="there is nothing to find and nothing is predicted",
    needs_positive=False,
    any_number_of_classes=True,
    aliases=("span_f1",),
)
def f1_of_sums(counts: ClassCounts, ratio: Ratio) -> Any:
    """F1 of spans counted per item: right, predicted and true ones."""
    return ratio(2 * counts.right, counts.truths[0] + counts.predicted[0])
