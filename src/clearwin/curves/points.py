"""Curves of scores as plain records: operating points, ROC, DET, precision–recall. Nothing is drawn here.

An item is called positive at threshold t when its score is t or more, in the scores' own type. Items with the same
score share one step, and the ROC curve runs straight across it, as if the tied items were accepted in random order.
Scores are compared and never subtracted, so ±1e308, denormals, neighbouring floats and infinities are ordinary scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clearwin.errors import DataError, OptionError, at_positions
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.arrays import Floats
from clearwin.numerics.thresholds import own_type


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """A model's operating points: true and false positives from "nothing accepted" to "everything accepted".

    One point for each distinct score, and before them one above every score, whose threshold is written +inf. The
    thresholds are of the scores' own type.
    ``precision`` is 1 where nothing is accepted, as in scikit-learn's curve.
    """

    thresholds: NDArray[Any]
    tp: NDArray[Any]  # int64, or float64 when the weights are not whole numbers; fp likewise
    fp: NDArray[Any]
    positives: float  # int, unless the weights are not whole numbers; negatives likewise
    negatives: float

    @property
    def accepted(self) -> NDArray[Any]:
        both: NDArray[Any] = self.tp + self.fp
        return both

    @property
    def tpr(self) -> Floats:
        return self.tp / self.positives

    @property
    def fpr(self) -> Floats:
        return self.fp / self.negatives

    @property
    def fnr(self) -> Floats:
        return (self.positives - self.tp) / self.positives

    @property
    def tnr(self) -> Floats:
        return (self.negatives - self.fp) / self.negatives

    @property
    def precision(self) -> Floats:
        return precision_of(self.tp, self.accepted)


def precision_of(tp: NDArray[Any], accepted: NDArray[Any]) -> Floats:
    """Return tp / accepted, and 1 where nothing is accepted."""
    result = np.ones(tp.size)
    np.divide(tp, accepted, out=result, where=accepted > 0)
    return result


@matched_by_position()
def operating_points(truth: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> OperatingPoints:
    """Return what every threshold accepts, from the items sorted once.

    An item of weight 0 counts as absent.

    >>> points = operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1])
    >>> points.thresholds.tolist(), points.tp.tolist(), points.fp.tolist()
    ([inf, 0.9, 0.5, 0.1], [0, 1, 2, 2], [0, 0, 1, 2])
    """
    positive, score = checked_scores(truth, scores)
    if weights is None:
        weight = np.ones(1, dtype=np.int64)
    else:
        weight = _checked_weights(weights, score.size)
        present = weight > 0
        positive, score, weight = positive[present], score[present], weight[present]
    need_both_classes(positive)
    order, ends = descending(score)
    positive, score = positive[order], score[order]
    if weights is not None:
        weight = weight[order]
    tp, fp = (counted(weight * chosen, ends) for chosen in (positive, ~positive))
    thresholds = np.concatenate([[np.inf], score[ends]]).astype(own_type(scores))
    for array in (thresholds, tp, fp):
        array.setflags(write=False)
    return OperatingPoints(thresholds, tp, fp, tp[-1].item(), fp[-1].item())


def checked_scores(truth: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], Floats]:
    """Return both as arrays of one length, booleans and numbers without nan, or raise."""
    positive, score = np.asarray(truth), np.asarray(scores)
    if positive.dtype != np.bool_ or score.dtype.kind not in "fiu":
        raise DataError(
            f"truth is of type {positive.dtype} and the scores are of type {score.dtype}.",
            "truth: True for every positive item, False for the others; scores: numbers",
            'truth == "spam", and the scores as float64',
        )
    if positive.ndim != 1 or positive.shape != score.shape:
        raise DataError(
            f"truth has shape {positive.shape} and the scores have shape {score.shape}.",
            "one score for each item, in the same order: two one-dimensional arrays of one length",
        )
    missing = np.flatnonzero(np.isnan(score))
    if missing.size:
        raise DataError(
            f"{missing.size:,} of the scores are nan, {at_positions(missing)}.",
            "a score for every item",
            "drop those items, or choose a score for items without one",
        )
    return positive, score.astype(np.float64, copy=False)


def _checked_weights(weights: ArrayLike, n: int) -> NDArray[Any]:
    weight = np.asarray(weights)
    if weight.shape != (n,) or weight.dtype.kind not in "fiub" or not (np.isfinite(weight) & (weight >= 0)).all():
        raise DataError("The weights cannot be used.", f"{n:,} finite numbers, 0 or more, one for each item")
    return weight.astype(np.float64 if weight.dtype.kind == "f" else np.int64)


def need_both_classes(positive: NDArray[np.bool_]) -> None:
    """Raise unless there are positive and negative items."""
    if positive.all() or not positive.any():
        classes = "no items" if positive.size == 0 else "only positive items" if positive[0] else "only negative items"
        raise DataError(
            f"There are {classes}.", "at least one positive and one negative item: a curve compares the two"
        )


def descending(score: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order from the highest score down, and where in it every group of equal scores ends."""
    order = np.argsort(score)[::-1]
    ordered = score[order]
    return order, np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), score.size - 1)


def counted(weight: NDArray[Any], ends: NDArray[np.int64]) -> NDArray[Any]:
    """Return how much weight is accepted at every operating point; at the first one it is none."""
    return np.concatenate([[0], np.cumsum(weight)[ends]])


def checked_rate(name: str, value: Any, *, ends: bool = True) -> float:
    """Return the value if it is a number from 0 to 1, with or without the ``ends``, or raise."""
    number = isinstance(value, int | float | np.number)
    if not number or not (0 <= value <= 1 if ends else 0 < value < 1):
        raise OptionError(f"{name} is {value!r}.", f"a number {'from 0 to 1' if ends else 'between 0 and 1'}")
    return float(value)


# --- curves -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve ready to draw, from the highest threshold to the lowest; ``area`` is None where it has no meaning."""

    kind: Literal["roc", "det", "pr"]
    x: Floats
    y: Floats
    thresholds: NDArray[Any]
    x_label: str
    y_label: str
    area: float | None


def roc_curve(points: OperatingPoints) -> Curve:
    """Return recall against the false positive rate, with the AUC.

    The AUC is the area by trapezoids, so a tie counts one half.

    >>> roc_curve(operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1])).area
    0.875
    """
    labels = "false positive rate", "true positive rate (recall)"
    return Curve("roc", points.fpr, points.tpr, points.thresholds, *labels, roc_area(points))


def roc_area(points: OperatingPoints) -> float:
    """Return the AUC."""
    tp = points.tp.astype(np.float64)
    # Twice the area in units of one positive by one negative: whole numbers, exact below 2⁵³.
    squares = np.diff(points.fp) @ (tp[1:] + tp[:-1])
    return float(squares) / (2 * points.positives * points.negatives)


def det_curve(points: OperatingPoints) -> Curve:
    """Return both error rates as normal deviates (Martin et al. 1997).

    Points are left out unless both rates lie strictly between 0 and 1.

    >>> det_curve(operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1])).x.tolist()
    [0.0]
    """
    from scipy.special import ndtri

    fpr, fnr = points.fpr, points.fnr
    inside = (fpr > 0) & (fpr < 1) & (fnr > 0) & (fnr < 1)
    labels = "false positive rate (normal deviate)", "false negative rate (normal deviate)"
    return Curve("det", ndtri(fpr[inside]), ndtri(fnr[inside]), points.thresholds[inside], *labels, None)


def pr_curve(points: OperatingPoints) -> Curve:
    """Return precision against recall, with the area under it.

    The area is average precision, Σ (recallᵢ − recallᵢ₋₁) · precisionᵢ.

    >>> round(pr_curve(operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1])).area, 4)
    0.8333
    """
    labels = "recall", "precision"
    return Curve("pr", points.tpr, points.precision, points.thresholds, *labels, average_precision(points))


def average_precision(points: OperatingPoints) -> float:
    """Return the area under the precision–recall curve as steps."""
    return float(np.diff(points.tp) @ points.precision[1:] / points.positives)
