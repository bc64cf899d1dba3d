"""Confidence bands of a curve, point by point, by the bootstrap over items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clearwin.curves.points import checked_rate, checked_scores, counted, descending, need_both_classes, precision_of
from clearwin.errors import OptionError, UnknownNameError, setting
from clearwin.numerics.arrays import Floats
from clearwin.streams import Stream

BAND_KINDS = ("roc", "det", "pr")


@dataclass(frozen=True, eq=False)
class Bands:
    """A curve on a grid with its pointwise bootstrap limits; each x has its own interval of this level.

    The limits of a DET curve are normal deviates, like the curve, and infinite where a limit is 0 or 1.

    A replicate without positives or without negatives is kept and counted in ``undefined_replicates``: without
    positives recall and precision are 0, without negatives recall is 1 at every false positive rate.
    """

    kind: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    level: float
    n_resamples: int
    stratified: bool
    undefined_replicates: int


def bands(
    truth: ArrayLike,
    scores: ArrayLike,
    *,
    kind: str = "roc",
    level: float = 0.95,
    n_resamples: int = 1000,
    stratified: bool = False,
    rng: Stream,
    grid: ArrayLike | None = None,
) -> Bands:
    """Percentile limits of recall or miss rate at fixed false positive rates, or of precision at fixed recalls.

    The ``grid`` is of rates: false positive rates for "roc" and "det", recalls for "pr"; hundredths unless given.
    Precision at a recall is that of the first operating point that reaches it, as in average precision. ``stratified``
    draws within each class, which holds the numbers of positives and negatives fixed.

    >>> rng = Stream(np.random.PCG64(1))
    >>> truth = rng.random(500) < 0.5
    >>> found = bands(truth, truth + rng.normal(size=500), n_resamples=199, rng=rng, grid=[0.1, 0.5])
    >>> bool((found.low < found.y).all() and (found.y < found.high).all())
    True
    """
    positive, score = checked_scores(truth, scores)
    need_both_classes(positive)
    if kind not in BAND_KINDS:
        raise UnknownNameError("kind of band", kind, BAND_KINDS)
    # Divided, because 35 * 0.01 is not 35/100.
    x = np.arange(101) / 100 if grid is None else np.asarray(grid, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not ((x >= 0) & (x <= 1)).all():
        raise OptionError("The grid cannot be used.", "one or more rates from 0 to 1")
    rank = math.floor((n_resamples + 1) * (1 - checked_rate("level", level, ends=False)) / 2 + 1e-9)
    if rank < 1:
        raise OptionError(
            f"n_resamples is {n_resamples} and level is {level}.",
            "enough resamples to leave one out at each end: (n_resamples + 1) · (1 − level) / 2 at least 1",
            setting("n_resamples", math.ceil(2 / (1 - level) - 1e-9) - 1),
        )
    order, ends = descending(score)
    positive = positive[order]
    strata = [np.flatnonzero(positive), np.flatnonzero(~positive)] if stratified else [np.arange(positive.size)]
    replicates = np.empty((n_resamples, x.size))
    undefined = 0
    for (
        replicate
    ) in replicates:  # one at a time, so memory grows with the items or with the replicates, but never with both
        tp, fp = _accepted(positive, ends, _draw(strata, rng))
        replicate[:] = _height(kind, tp, fp, x)
        undefined += int(tp[-1] == 0 or fp[-1] == 0)
    replicates.sort(axis=0)
    y = _height(kind, *_accepted(positive, ends, np.ones(positive.size, dtype=np.int64)), x)
    limits = (x, y, replicates[rank - 1], replicates[-rank])
    if kind == "det":
        limits = _deviates(*limits)
    return Bands(kind, *limits, level, n_resamples, stratified, undefined)


def _deviates(fpr: Floats, tpr: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Turn a ROC curve and its limits upside down, into miss rates, and bend both axes."""
    from scipy.special import ndtri

    return ndtri(fpr), ndtri(1 - tpr), ndtri(1 - high), ndtri(1 - low)


def _draw(strata: Sequence[NDArray[np.int64]], rng: Stream) -> NDArray[np.int64]:
    """Draw with replacement inside each stratum; return how often each item was drawn."""
    times = np.empty(sum(items.size for items in strata), dtype=np.int64)
    for items in strata:
        # one by one is far quicker than a multinomial with as many cells as items. A random number times n is twice
        # as quick as a random whole number below n, and no item is likelier than another by more than n in 2⁵³
        drawn = (rng.random(items.size) * items.size).astype(np.int64)
        times[items] = np.bincount(drawn, minlength=items.size)
    return times


def _accepted(
    positive: NDArray[np.bool_], ends: NDArray[np.int64], times: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    tp, everything = counted(times * positive, ends), counted(times, ends)
    return tp, everything - tp


def _height(kind: str, tp: NDArray[Any], fp: NDArray[Any], x: Floats) -> Floats:
    recall: Floats = tp / max(tp[-1], 1)
    if kind != "pr":
        return np.interp(x, fp / max(fp[-1], 1), recall)
    first = np.minimum(np.searchsorted(recall, x), recall.size - 1)
    return precision_of(tp[first], tp[first] + fp[first])
