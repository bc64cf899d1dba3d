"""Curves for more than two classes: each one against all others together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from clearwin.curves.points import OperatingPoints, operating_points, roc_area
from clearwin.errors import DataError, UnknownNameError
from clearwin.numerics.alignment import matched_by_position
from clearwin.text import counted

AVERAGES = ("macro", "weighted")


def one_against_others(
    truth_labels: ArrayLike, score_matrix: ArrayLike, labels: Sequence[Any]
) -> dict[Any, OperatingPoints]:
    """Return the operating points of each label against all others; column i of the scores belongs to labels[i].

    >>> found = one_against_others(["x", "y", "z"], [[3, 2, 1], [1, 3, 2], [2, 1, 3]], ["x", "y", "z"])
    >>> [roc_area(points) for points in found.values()]
    [1.0, 1.0, 1.0]
    """
    truth, matrix = np.asarray(truth_labels), np.asarray(score_matrix)
    if truth.ndim != 1 or matrix.shape != (truth.size, len(labels)) or len(set(labels)) < max(len(labels), 2):
        raise DataError(
            f"truth has shape {truth.shape}, the scores have shape {matrix.shape}, and the labels are {labels!r}.",
            "one row of scores for each item, one column for each label, and two or more labels, each once",
        )
    has_scores = np.zeros(truth.size, dtype=np.bool_)
    for label in labels:
        is_label = truth == label
        has_scores |= is_label
        if not is_label.any():
            raise DataError(f"No item is {label!r}.", "at least one item of each label", "leave that label out")
    if not has_scores.all():
        unscored = np.flatnonzero(~has_scores)
        example = truth[unscored[0]].item()
        raise DataError(
            f"{counted(unscored.size, 'item has', 'items have')} a label without scores, such as {example!r}.",
            "a column of scores for every label in truth",
            f"name it among the labels ({', '.join(map(repr, labels))}), or drop those items",
        )
    return {label: operating_points(truth == label, matrix[:, i]) for i, label in enumerate(labels)}


@matched_by_position()
def multiclass_auc(
    truth_labels: ArrayLike, score_matrix: ArrayLike, labels: Sequence[Any], *, average: str = "macro"
) -> float:
    """Return the average AUC of each label against the others.

    Labels count equally (macro) or by their numbers of items (weighted).

    >>> multiclass_auc(["x", "y", "z"], [[3, 2, 1], [1, 3, 2], [2, 1, 3]], ["x", "y", "z"])
    1.0
    """
    if average not in AVERAGES:
        raise UnknownNameError("average", average, AVERAGES)
    curves = one_against_others(truth_labels, score_matrix, labels).values()
    weights = [points.positives if average == "weighted" else 1 for points in curves]
    return float(np.average([roc_area(points) for points in curves], weights=weights))
