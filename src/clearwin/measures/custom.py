"""Measures that a user brings: any function on a confusion matrix, or on (truth, prediction)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearwin.counts import ConfusionMatrix
from clearwin.errors import OptionError
from clearwin.measures.base import Measure, Ratio


def custom_measure(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    higher_is_better: bool = True,
    range: tuple[float, float] = (-math.inf, math.inf),
) -> Measure:
    """Return a measure made from a function, to pass as ``measure=``.

    It is not assumed to be a sum over items, so it is judged by resampling.

    One argument: it gets a :class:`~clearwin.counts.ConfusionMatrix` whose counts are arrays, and must work on them
    elementwise. Two arguments: it gets (truth, prediction) as arrays of 0 and 1 (or of positions in the sorted labels),
    like scikit-learn's metrics; it is called once for each distinct confusion matrix, which is slow. It must not depend
    on the order of the items. Where it returns nan or infinity, 0 is used, counted and reported.

    >>> import clearwin as cw
    >>> youden = cw.custom_measure(lambda c: c.tp/(c.tp+c.fn) + c.tn/(c.tn+c.fp) - 1, name="youden")
    >>> cw.estimate([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], measure=youden, rng=1).estimate.__round__(4)
    0.6667
    """
    label = name or getattr(function, "__name__", "custom").strip("<>")
    of_items = _takes_truth_and_prediction(function, label)

    def on_counts(counts: ConfusionMatrix, ratio: Ratio) -> Any:
        with np.errstate(all="ignore"):
            values = _over_items(function, counts) if of_items else function(counts)
        try:
            values = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.shape != counts.n.shape:
            raise OptionError(
                f"The measure {label!r} did not return one number for each confusion matrix.",
                f"numbers of shape {counts.n.shape}: use numpy operations on counts.tp, counts.fn, …",
            )
        undefined = ~np.isfinite(values)
        ratio.undefined = ratio.undefined | undefined
        return np.where(undefined, ratio.zero_division, values)

    return Measure(
        name=label,
        label=label,
        higher_is_better=higher_is_better,
        decomposition="none",
        formula=f"given by the function {label}",
        source="the user",
        function=on_counts,
        undefined_when="the function returns nan or infinity",
        range=lambda: range,
        any_number_of_classes=True,
        needs_matrix=True,
        whole_items=True,
        defaults={"zero_division": 0.0},
    )


def _takes_truth_and_prediction(function: Callable[..., Any], label: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        raise OptionError(
            f"The arguments of {label!r} cannot be inspected.", "a Python function", "wrap it: lambda counts: …"
        ) from None
    needed = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(needed) not in (1, 2):
        raise OptionError(
            f"The measure {label!r} needs {len(needed)} arguments.",
            "a function of one confusion matrix, or of (truth, prediction)",
        )
    return len(needed) == 2


def _over_items(function: Callable[..., Any], counts: ConfusionMatrix) -> Any:
    k = counts.k
    tables, back = np.unique(counts.cells.reshape(k * k, -1), axis=1, return_inverse=True)
    truth, prediction = np.divmod(np.arange(k * k), k)
    values = [function(np.repeat(truth, t), np.repeat(prediction, t)) for t in tables.T]
    return np.asarray(values, dtype=np.float64)[back.reshape(counts.n.shape)]
