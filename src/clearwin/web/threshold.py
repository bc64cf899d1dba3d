"""The points of the slider: at each threshold the exact counts of every model, thinned to what a slider can show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.scores import ScoreSample
from clearwin.numerics.thresholds import in_type, written
from clearwin.text import printable

POINTS_EACH = 1_000  # of each model's own scores


def operating_points(
    items: ScoreSample, names: tuple[str, ...], given: tuple[float, ...] | None = None
) -> dict[str, Any]:
    """Return thresholds from above all scores to the lowest, with each model's true and false positives at them.

    The thresholds are scores of the models, evenly thinned, and those ``given``, where the slider starts; the counts
    at each are exact.
    """
    typed = list(zip(items.scores, items.types, strict=True))
    own = [written(_thinned(np.unique(scores)).astype(kind)) for scores, kind in typed]
    grid = np.unique(np.concatenate([given or (), *own]))[::-1]
    models = []
    for name, (scores, kind) in zip(names, typed, strict=True):
        accepted, hits = (_at_least(values, in_type(grid, kind)) for values in (scores, scores[items.truth]))
        models.append({"name": printable(name), "tp": [0, *hits.tolist()], "fp": [0, *(accepted - hits).tolist()]})
    thresholds = [str(t) if np.isinf(t) else float(t) for t in grid]
    return {
        "thresholds": ["above all scores", *thresholds],
        "models": models,
        "positives": items.positives,
        "negatives": items.n - items.positives,
        "positive": printable(str(items.positive)),
        "negative": printable(str(items.negative)),
        "start": None if given is None else [1 + int(np.flatnonzero(grid == t)[0]) for t in given],
    }


def _thinned(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    if distinct.size <= POINTS_EACH:
        return distinct
    return distinct[np.linspace(0, distinct.size - 1, POINTS_EACH).round().astype(np.int64)]


def _at_least(scores: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count the scores that reach each threshold."""
    return np.asarray(scores.size - np.searchsorted(np.sort(scores), grid, side="left"), dtype=np.int64)
