"""Agreement between truth and prediction beyond chance: MCC and Cohen's kappa."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearwin.counts import AnyCounts, ConfusionMatrix
from clearwin.measures.base import Ratio, measure


def _margins(counts: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    # as floats, because products of four margins exceed 64-bit integers from N ≈ 55,000 on
    tp, fn, fp, tn = (np.asarray(x, dtype=np.float64) for x in (counts.tp, counts.fn, counts.fp, counts.tn))
    return tp + fn, fp + tn, tp + fp, fn + tn


def _covariance(counts: ConfusionMatrix) -> Any:
    tp, fn, fp, tn = (np.asarray(x, dtype=np.float64) for x in (counts.tp, counts.fn, counts.fp, counts.tn))
    return tp * tn - fp * fn


def _of_classes(counts: AnyCounts) -> tuple[Any, Any, Any, Any]:
    """Return n · right − Σ t p, n² − Σ t², n² − Σ p² and n² − Σ t p, t and p the classes' items and predictions.

    They are whole numbers, exact up to three billion items, because differences of shares would lose ties.
    """
    exact = np.int64 if counts.n.max() < 3e9 and counts.truths.dtype.kind == "i" else np.float64
    n, right = counts.n.astype(exact), counts.right.astype(exact)
    truths, predicted = counts.truths.astype(exact), counts.predicted.astype(exact)
    both = (truths * predicted).sum(axis=0)
    return n * right - both, n * n - (truths**2).sum(axis=0), n * n - (predicted**2).sum(axis=0), n * n - both


@measure(
    label="MCC",
    decomposition="none",
    formula="(tp · tn − fp · fn) / √((tp+fn)(fp+tn)(tp+fp)(fn+tn)); R_k for k > 2",
    source="Matthews 1975, Gorodkin 2004, as in scikit-learn's matthews_corrcoef",
    range=(-1.0, 1.0),
    needs_positive=False,
    any_number_of_classes=True,
    undefined_when="truth or prediction has one class only",
)
def mcc(counts: AnyCounts, ratio: Ratio) -> Any:
    """Matthews correlation coefficient: the correlation of truth and prediction."""
    if not isinstance(counts, ConfusionMatrix) or counts.k != 2:
        beyond, *squares, _ = _of_classes(counts)
        truth, prediction = (np.maximum(square, 0) for square in squares)  # shares are rounded, even to below 0
        return ratio(beyond, np.sqrt(truth) * np.sqrt(prediction))
    positives, negatives, predicted, rest = _margins(counts)
    return ratio(_covariance(counts), np.sqrt(positives * negatives) * np.sqrt(predicted * rest))


@measure(
    label="Cohen's kappa",
    decomposition="none",
    formula="(agreement − expected) / (1 − expected)",
    source="Cohen 1960, as in scikit-learn's cohen_kappa_score",
    range=(-1.0, 1.0),
    needs_positive=False,
    any_number_of_classes=True,
    undefined_when="truth and prediction have the same one class only",
)
def kappa(counts: AnyCounts, ratio: Ratio) -> Any:
    """Agreement beyond what the margins give by chance."""
    if not isinstance(counts, ConfusionMatrix) or counts.k != 2:
        beyond, *_, unexpected = _of_classes(counts)
        return ratio(beyond, unexpected)
    positives, negatives, predicted, rest = _margins(counts)
    # the same for two classes, without subtracting nearly equal numbers
    return ratio(2 * _covariance(counts), positives * rest + negatives * predicted)
