"""Measures of scores as numbers: Brier score, log loss, squared and absolute error. Each is the mean of a loss.

Squared and absolute error also take a truth of any numbers (regression): then y is the number itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearwin.errors import DataError, OptionError
from clearwin.measures.base import loss_measure


def _probabilities(scores: Any, measure: str) -> Any:
    if scores.min() < 0 or scores.max() > 1:
        raise DataError(
            f"{measure} needs probabilities, and the scores go from {scores.min():g} to {scores.max():g}.",
            "scores from 0 to 1",
            "mse for scores of any size, or auc for their order alone",
        )
    return scores


@loss_measure(label="Brier score", formula="mean of (p − y)²", source="Brier 1950")
def brier(truth: Any, scores: Any) -> Any:
    """Mean squared error of probabilities."""
    return (_probabilities(scores, "The Brier score") - truth) ** 2


def _check_clip(clip: float) -> None:
    if not 0 < clip < 0.5:
        raise OptionError(f"log_loss: clip is {clip!r}.", "a probability between 0 and 0.5", "log_loss(clip=1e-15)")


@loss_measure(
    label="log loss",
    formula="mean of −log p(true class), with p at least clip",
    source="in nats",
    range=lambda clip: (0.0, -math.log(clip)),
    clipped=True,
    check=_check_clip,
)
def log_loss(truth: Any, scores: Any, *, clip: float = 1e-15) -> Any:
    """Mean surprise at the true class; a certain and wrong probability costs −log(clip)."""
    p = _probabilities(scores, "The log loss")
    return -np.log(np.clip(np.where(truth, p, 1.0 - p), clip, 1.0))


@loss_measure(
    label="MSE", formula="mean of (score − y)²", source="lecture-measures", range=(0.0, math.inf), any_truth=True
)
def mse(truth: Any, scores: Any) -> Any:
    """Mean squared error; for two classes y = 1 for the positive class and 0 for the other."""
    return (scores - truth) ** 2


@loss_measure(
    label="SSE",
    formula="sum of (score − y)²",
    source="lecture-measures",
    range=(0.0, math.inf),
    is_sum=True,
    any_truth=True,
)
def sse(truth: Any, scores: Any) -> Any:
    """Sum of squared errors."""
    return (scores - truth) ** 2


@loss_measure(
    label="MAE",
    formula="mean of |score − y|",
    source="Willmott and Matsuura 2005",
    range=(0.0, math.inf),
    any_truth=True,
)
def mae(truth: Any, scores: Any) -> Any:
    """Mean absolute error."""
    return abs(scores - truth)
