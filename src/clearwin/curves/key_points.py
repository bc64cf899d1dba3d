"""Single points of a curve: at a rate, equal error, break-even, lowest cost; and tables of costs and thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np

from clearwin.curves.points import OperatingPoints, checked_rate
from clearwin.errors import OptionError
from clearwin.numerics.arrays import Floats
from clearwin.numerics.thresholds import in_type, written


@dataclass(frozen=True)
class RocPoint:
    """A point of the ROC curve. ``exact`` is False inside a step, between two operating points."""

    fpr: float
    tpr: float
    threshold: float
    exact: bool


def roc_at(points: OperatingPoints, *, fpr: float | None = None, tpr: float | None = None) -> RocPoint:
    """Return the highest recall at a false positive rate, or the lowest false positive rate at a recall.

    The threshold is that of the operating point at or before the place.

    >>> import clearwin as cw
    >>> roc_at(cw.curves.operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1]), fpr=0.5)
    RocPoint(fpr=0.5, tpr=1.0, threshold=0.4, exact=True)
    """
    if (fpr is None) == (tpr is None):
        raise OptionError("roc_at was given both rates or none.", "one of them", "roc_at(points, fpr=0.1)")
    if fpr is not None:
        rate, known_rates, sought_rates = checked_rate("fpr", fpr), points.fpr, points.tpr
        at = int(np.searchsorted(known_rates, rate, side="right")) - 1
    else:
        rate, known_rates, sought_rates = checked_rate("tpr", tpr), points.tpr, points.fpr
        at = int(np.searchsorted(known_rates, rate, side="left"))
        at -= int(known_rates[at] > rate)
    exact = bool(known_rates[at] == rate)
    sought = float(sought_rates[at])
    if not exact:
        sought += float(
            (sought_rates[at + 1] - sought_rates[at])
            * (rate - known_rates[at])
            / (known_rates[at + 1] - known_rates[at])
        )
    rates = (rate, sought) if fpr is not None else (sought, rate)
    return RocPoint(*rates, _threshold(points, at), exact)


def _threshold(points: OperatingPoints, at: int) -> float:
    return float(written(points.thresholds[at]))


@dataclass(frozen=True)
class EqualError:
    """The equal error rate, and the operating point whose own two rates are nearest to each other."""

    eer: float
    threshold: float
    fpr: float
    fnr: float


def equal_error(points: OperatingPoints) -> EqualError:
    """Return the point where both error rates are equal.

    It is where the ROC curve, straight across ties, meets the line fpr = fnr, which is always exactly one place.

    If two operating points are equally near to the line, the one with the higher threshold is named.

    >>> import clearwin as cw
    >>> equal_error(cw.curves.operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1]))
    EqualError(eer=0.25, threshold=0.9, fpr=0.0, fnr=0.5)
    """
    # This is (fpr − fnr) · positives · negatives, in whole numbers so that equality is exact.
    surplus = points.fp * points.positives - (points.positives - points.tp) * points.negatives
    eer = float(np.interp(0.0, surplus, points.fpr))
    nearest = int(np.argmin(np.abs(surplus)))
    return EqualError(eer, _threshold(points, nearest), float(points.fpr[nearest]), float(points.fnr[nearest]))


def break_even(points: OperatingPoints) -> float:
    """Return precision = recall, which is where as many items are accepted as are positive; straight inside a tie.

    >>> import clearwin as cw
    >>> break_even(cw.curves.operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1]))
    0.75
    """
    return float(np.interp(points.positives, points.accepted, points.tp)) / points.positives


@dataclass(frozen=True)
class LowestCost:
    """The operating point of lowest expected cost, and the costs and prior that were asked for."""

    cost: float
    threshold: float
    fpr: float
    fnr: float
    tp: float
    fp: float
    fn: float
    tn: float
    cost_fn: float
    cost_fp: float
    prior: float


def _costs(points: OperatingPoints, cost_fn: float, cost_fp: float, prior: float | None) -> tuple[Floats, float]:
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if not isinstance(cost, int | float | np.number) or not (math.isfinite(cost) and cost >= 0):
            raise OptionError(f"{name} is {cost!r}.", "a finite number, 0 or more")
    prevalence = points.positives / (points.positives + points.negatives)
    share = prevalence if prior is None else checked_rate("prior", prior, ends=False)
    return cost_fn * share * points.fnr + cost_fp * (1 - share) * points.fpr, share


def lowest_cost(
    points: OperatingPoints, *, cost_fn: float = 1.0, cost_fp: float = 1.0, prior: float | None = None
) -> LowestCost:
    """Return the point with the lowest cost.

    The cost is cost_fn · prior · fnr + cost_fp · (1 − prior) · fpr; the prior is the data's own unless given.

    If several points are lowest, the one with the highest threshold is used.

    >>> import clearwin as cw
    >>> best = lowest_cost(cw.curves.operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1]), cost_fn=3)
    >>> best.cost, best.threshold
    (0.25, 0.4)
    """
    costs, share = _costs(points, cost_fn, cost_fp, prior)
    # Costs that differ only by rounding are equal; otherwise the threshold would depend on the last bit.
    at = int(np.argmax(costs <= costs.min() * (1 + 1e-12)))
    tp, fp = points.tp[at].item(), points.fp[at].item()
    fn, tn = points.positives - tp, points.negatives - fp
    cost, threshold = float(costs[at]), _threshold(points, at)
    rates = fp / points.negatives, fn / points.positives
    return LowestCost(cost, threshold, *rates, tp, fp, fn, tn, cost_fn, cost_fp, share)


def cost_table(
    points: OperatingPoints, ratios: Iterable[float], *, prior: float | None = None
) -> list[dict[str, float]]:
    """Return the lowest-cost point for each ratio of costs.

    The ratio is cost_fn / cost_fp, with cost_fp = 1.

    >>> import clearwin as cw
    >>> points = cw.curves.operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1])
    >>> [(row["ratio"], row["threshold"]) for row in cost_table(points, [0.5, 2])]
    [(0.5, 0.9), (2, 0.4)]
    """
    return [{"ratio": ratio, **asdict(lowest_cost(points, cost_fn=ratio, prior=prior))} for ratio in ratios]


def threshold_table(
    points: OperatingPoints,
    thresholds: Iterable[float] | None = None,
    *,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    prior: float | None = None,
) -> list[dict[str, float]]:
    """Return counts and measures at thresholds, or at every operating point.

    ``cost`` is included if a cost or a prior is given; a missing cost is 1.

    >>> import clearwin as cw
    >>> row = threshold_table(cw.curves.operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1]), [0.6])[0]
    >>> row["tp"], row["fp"], row["recall"], row["precision"]
    (1, 0, 0.5, 1.0)
    """
    if thresholds is None:
        cuts, at = written(points.thresholds), np.arange(points.tp.size)
    else:
        cuts = np.fromiter(thresholds, dtype=np.float64)
        if np.isnan(cuts).any():
            raise OptionError("A threshold is nan.", "numbers")
        # The number of distinct scores at or above each threshold; the first operating point has none.
        score_type = points.thresholds.dtype
        at = np.searchsorted(-points.thresholds[1:].astype(np.float64), -in_type(cuts, score_type), side="right")
    tp, fp = points.tp[at], points.fp[at]
    fn, tn = points.positives - tp, points.negatives - fp
    columns = {"threshold": cuts, "tp": tp, "fp": fp, "fn": fn, "tn": tn}
    columns |= {"recall": points.tpr[at], "precision": points.precision[at], "fpr": points.fpr[at]}
    columns |= {"f1": 2 * tp / (2 * tp + fp + fn), "accuracy": (tp + tn) / (points.positives + points.negatives)}
    if (cost_fn, cost_fp, prior) != (None, None, None):
        costs = 1.0 if cost_fn is None else cost_fn, 1.0 if cost_fp is None else cost_fp
        columns["cost"] = _costs(points, *costs, prior)[0][at]
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]
