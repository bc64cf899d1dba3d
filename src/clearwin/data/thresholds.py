"""From scores to decisions: a threshold for each model, given or chosen on a development set."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearwin.counts import ConfusionMatrix
from clearwin.data.arrays import Tally, tally_arrays
from clearwin.data.scores import ScoreSample
from clearwin.errors import OptionError, setting
from clearwin.measures import Measure
from clearwin.numerics.thresholds import called_positive, written


def read_thresholds(threshold: Any, models: int) -> tuple[float, ...]:
    """Return one threshold for each model from a number or one number each."""
    several = list(threshold) if np.ndim(threshold) == 1 else [threshold] * models
    try:
        found = tuple(float(t) for t in several)
    except (TypeError, ValueError):
        found = ()
    if len(found) != models or any(np.isnan(t) for t in found):
        raise OptionError(
            f"threshold is {threshold!r}.",
            "a number" if models == 1 else f"a number, or {models} numbers, one for each model",
            setting("threshold", 0.5),
        )
    return found


def decide(items: ScoreSample, thresholds: tuple[float, ...]) -> tuple[Tally, tuple[str, ...]]:
    """Count the joint decisions at these thresholds, with the labels that the truth has, by group and stratum.

    Returns the tally and what its keys carry besides: group, stratum.
    """
    code = items.truth.astype(np.int64)
    for scores, threshold, kind in zip(items.scores, thresholds, items.types, strict=True):
        code = 2 * code + called_positive(scores, threshold, kind)
    width = 1 + len(thresholds)
    extra = items.grouping.columns()
    labels = (items.negative, items.positive)
    tally = {
        (*(labels[key[0] >> (width - 1 - place) & 1] for place in range(width)), *key[1:]): count
        for key, count in tally_arrays(code=code, **extra).items()
    }
    return tally, tuple(extra)


def best_thresholds(items: ScoreSample, measure: Measure) -> tuple[float, ...]:
    """Return for each model the threshold with the best value of the measure, in the middle between two scores.

    Among equally good ones the highest is taken: it calls the fewest items positive.
    """
    found = []
    for scores, ranking, kind in zip(items.scores, items.rankings, items.types, strict=True):
        ends = np.flatnonzero(ranking.last)
        tp = np.concatenate([[0], np.cumsum(ranking.positive, dtype=np.int64)[ends]])
        accepted = np.concatenate([[0], ends + 1])
        fp = accepted - tp
        counts = ConfusionMatrix.of_two_classes(
            tp=tp, fn=items.positives - tp, fp=fp, tn=items.n - items.positives - fp
        )
        distinct = scores[ranking.order][ends].astype(kind)  # the middle is one of this type, too
        values = measure.sign * measure.evaluate(counts).values
        first = int(np.isposinf(distinct[0]))  # no threshold is above an infinite score
        best = first + int(np.argmax(values[first:]))
        above = distinct[best - 1] if best > 0 else kind.type(np.inf)
        below = distinct[best] if best < distinct.size else kind.type(-np.inf)
        # halves first: the sum of two scores near 1e308 would overflow
        middle = above / 2 + below / 2 if np.isfinite(above) and np.isfinite(below) else above
        found.append(float(written(middle if middle > below else above)))
    return tuple(found)
