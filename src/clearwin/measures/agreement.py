"""Agreement between truth and prediction beyond chance: MCC and Cohen's kappa."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearwin.counts import ConfusionMatrix
from clearwin.measures.base import Ratio, measure


def _margins(counts: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    # as floats: products of four margins leave 64-bit integers from N ≈ 55,000 on
    tp, fn, fp, tn = (np.asarray(x, dtype=np.float64) for x in (counts.tp, counts.fn, counts.fp, counts.tn))
    return tp + fn, fp + tn, tp + fp, fn + tn


def _covariance(counts: ConfusionMatrix) -> Any:
    tp, fn, fp, tn = (np.asarray(x, dtype=np.float64) for x in (counts.tp, counts.fn, counts.fp, counts.tn))
    return tp * tn - fp * fn


@measure(
    label="MCC", decomposition="none", formula="(tp · tn − fp · fn) / √((tp+fn)(fp+tn)(tp+fp)(fn+tn))",
    source="Matthews 1975, as in scikit-learn's matthews_corrcoef", range=(-1.0, 1.0), needs_positive=False,
    undefined_when="truth or prediction has one class only",
)  # fmt: skip
def mcc(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Matthews correlation coefficient: the correlation of truth and prediction."""
    positives, negatives, predicted, rest = _margins(counts)
    return ratio(_covariance(counts), np.sqrt(positives * negatives) * np.sqrt(predicted * rest))


@measure(
    label="Cohen's kappa", decomposition="none",
    formula="2 (tp · tn − fp · fn) / ((tp+fn)(fn+tn) + (fp+tn)(tp+fp))",
    source="Cohen 1960, as in scikit-learn's cohen_kappa_score", range=(-1.0, 1.0), needs_positive=False,
    undefined_when="truth and prediction have the same one class only",
)  # fmt: skip
def kappa(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Agreement beyond what the margins give by chance: (observed − expected)/(1 − expected)."""
    positives, negatives, predicted, rest = _margins(counts)
    return ratio(2 * _covariance(counts), positives * rest + negatives * predicted)
