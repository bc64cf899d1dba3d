"""Curves of scores as plain records: ROC, DET, precision–recall, costs and thresholds. Nothing is drawn here.

An item is called positive at threshold t when its score is t or more. Items with the same score share one step, and
the ROC curve runs straight across it, as if the tied items were accepted in random order. Scores are compared and
never subtracted, so ±1e308, denormals, neighbouring floats and infinities are scores like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clearwin.errors import DataError, OptionError, UnknownNameError, first_few

Floats = NDArray[np.float64]
Above = Literal["a", "b", "equal"]

SAME_RATE = 1e-14  # two rates this close are one rate: rounding is below 1e-15, one item in 10⁷ is 1e-7
BAND_KINDS = ("roc", "pr")
AVERAGES = ("macro", "weighted")


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """What one model can do: true and false positives from "nothing accepted" to "everything accepted".

    One point for each distinct score, and before them one above every score, whose threshold is written +inf.
    ``precision`` is 1 where nothing is accepted, as in scikit-learn's curve.
    """

    thresholds: Floats
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
        return _precision(self.tp, self.accepted)


def _precision(tp: NDArray[Any], accepted: NDArray[Any]) -> Floats:
    result = np.ones(tp.size)
    np.divide(tp, accepted, out=result, where=accepted > 0)
    return result


def operating_points(truth: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> OperatingPoints:
    """Sort the items once and count what every threshold accepts. An item of weight 0 counts as absent.

    >>> points = operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1])
    >>> points.thresholds.tolist(), points.tp.tolist(), points.fp.tolist()
    ([inf, 0.9, 0.5, 0.1], [0, 1, 2, 2], [0, 0, 1, 2])
    """
    positive, score = _checked(truth, scores)
    if weights is None:
        weight = np.ones(1, dtype=np.int64)
    else:
        weight = _checked_weights(weights, score.size)
        present = weight > 0
        positive, score, weight = positive[present], score[present], weight[present]
    _need_both_classes(positive)
    order, ends = _descending(score)
    positive, score = positive[order], score[order]
    if weights is not None:
        weight = weight[order]
    tp, fp = (_counted(weight * chosen, ends) for chosen in (positive, ~positive))
    thresholds = np.concatenate([[np.inf], score[ends]])
    for array in (thresholds, tp, fp):
        array.setflags(write=False)
    return OperatingPoints(thresholds, tp, fp, tp[-1].item(), fp[-1].item())


def _checked(truth: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], Floats]:
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
            f"{missing.size:,} score(s) are nan, at position(s) {first_few(missing, missing.size)}.",
            "a score for every item",
            "drop those items, or decide which score an item without one shall have",
        )
    return positive, score.astype(np.float64, copy=False)


def _checked_weights(weights: ArrayLike, n: int) -> NDArray[Any]:
    weight = np.asarray(weights)
    if weight.shape != (n,) or weight.dtype.kind not in "fiub" or not (np.isfinite(weight) & (weight >= 0)).all():
        raise DataError("The weights cannot be used.", f"{n:,} finite numbers, 0 or more, one for each item")
    return weight.astype(np.float64 if weight.dtype.kind == "f" else np.int64)


def _need_both_classes(positive: NDArray[np.bool_]) -> None:
    if positive.all() or not positive.any():
        which = "no items" if positive.size == 0 else "only positive items" if positive[0] else "only negative items"
        raise DataError(f"There are {which}.", "at least one positive and one negative item: a curve compares the two")


def _descending(score: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order from the highest score down, and where in it every group of equal scores ends."""
    order = np.argsort(score)[::-1]
    ordered = score[order]
    return order, np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), score.size - 1)


def _counted(weight: NDArray[Any], ends: NDArray[np.int64]) -> NDArray[Any]:
    return np.concatenate([[0], np.cumsum(weight)[ends]])


# --- curves ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve ready to draw, from the highest threshold to the lowest; ``area`` is None where it says nothing."""

    kind: Literal["roc", "det", "pr"]
    x: Floats
    y: Floats
    thresholds: Floats
    x_label: str
    y_label: str
    area: float | None


def roc_curve(points: OperatingPoints) -> Curve:
    """Recall against the false positive rate; the area by trapezoids is the AUC, where a tie counts one half.

    >>> roc_curve(operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1])).area
    0.875
    """
    tp = points.tp.astype(np.float64)
    # twice the area in squares of one item by one item: whole numbers, hence exact below 2⁵³
    squares = np.diff(points.fp) @ (tp[1:] + tp[:-1])
    area = float(squares) / (2 * points.positives * points.negatives)
    labels = "false positive rate", "true positive rate (recall)"
    return Curve("roc", points.fpr, points.tpr, points.thresholds, *labels, area)


def det_curve(points: OperatingPoints) -> Curve:
    """Both error rates as normal deviates (Martin et al. 1997), where both lie strictly between 0 and 1.

    >>> det_curve(operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1])).x.tolist()
    [0.0]
    """
    from scipy.special import ndtri

    fpr, fnr = points.fpr, points.fnr
    inside = (fpr > 0) & (fpr < 1) & (fnr > 0) & (fnr < 1)
    labels = "false positive rate (normal deviate)", "false negative rate (normal deviate)"
    return Curve("det", ndtri(fpr[inside]), ndtri(fnr[inside]), points.thresholds[inside], *labels, None)


def pr_curve(points: OperatingPoints) -> Curve:
    """Precision against recall; the area is average precision, Σ (recallᵢ − recallᵢ₋₁) · precisionᵢ.

    >>> round(pr_curve(operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1])).area, 4)
    0.8333
    """
    recall, precision = points.tpr, points.precision
    area = float(np.diff(points.tp) @ precision[1:] / points.positives)
    return Curve("pr", recall, precision, points.thresholds, "recall", "precision", area)


# --- single points --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RocPoint:
    """A point of the ROC curve. ``exact`` is False inside a step, which the threshold itself has not yet taken."""

    fpr: float
    tpr: float
    threshold: float
    exact: bool


def roc_at(points: OperatingPoints, *, fpr: float | None = None, tpr: float | None = None) -> RocPoint:
    """Return the highest recall at a false positive rate, or the lowest false positive rate at a recall.

    The threshold is that of the operating point at or before the place.

    >>> roc_at(operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1]), fpr=0.5)
    RocPoint(fpr=0.5, tpr=1.0, threshold=0.4, exact=True)
    """
    if (fpr is None) == (tpr is None):
        raise OptionError("roc_at was given both rates or none.", "one of them", "roc_at(points, fpr=0.1)")
    if fpr is not None:
        asked, given, wanted = _rate("fpr", fpr), points.fpr, points.tpr
        at = int(np.searchsorted(given, asked, side="right")) - 1
    else:
        asked, given, wanted = _rate("tpr", tpr), points.tpr, points.fpr
        at = int(np.searchsorted(given, asked, side="left"))
        at -= int(given[at] > asked)
    exact = bool(given[at] == asked)
    found = float(wanted[at])
    if not exact:
        found += float((wanted[at + 1] - wanted[at]) * (asked - given[at]) / (given[at + 1] - given[at]))
    rates = (asked, found) if fpr is not None else (found, asked)
    return RocPoint(*rates, float(points.thresholds[at]), exact)


def _rate(name: str, value: Any, *, ends: bool = True) -> float:
    if not (0 <= value <= 1 if ends else 0 < value < 1):
        raise OptionError(f"{name} is {value!r}.", f"a number {'from 0 to 1' if ends else 'between 0 and 1'}")
    return float(value)


@dataclass(frozen=True)
class EqualError:
    """The equal error rate, and the operating point whose own two rates are nearest to each other."""

    eer: float
    threshold: float
    fpr: float
    fnr: float


def equal_error(points: OperatingPoints) -> EqualError:
    """Find where the ROC curve, straight across ties, meets the line fpr = fnr: always exactly one place.

    Of two operating points equally near to the line, the one with the higher threshold is named.

    >>> equal_error(operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1]))
    EqualError(eer=0.25, threshold=0.9, fpr=0.0, fnr=0.5)
    """
    # (fpr − fnr) · positives · negatives, in whole numbers so that equal is equal
    surplus = points.fp * points.positives - (points.positives - points.tp) * points.negatives
    eer = float(np.interp(0.0, surplus, points.fpr))
    nearest = int(np.argmin(np.abs(surplus)))
    return EqualError(eer, *(float(v[nearest]) for v in (points.thresholds, points.fpr, points.fnr)))


def break_even(points: OperatingPoints) -> float:
    """Return precision = recall, which is where as many items are accepted as are positive; straight inside a tie.

    >>> break_even(operating_points([True, False, True, False], [0.9, 0.5, 0.5, 0.1]))
    0.75
    """
    return float(np.interp(points.positives, points.accepted, points.tp)) / points.positives


# --- costs and thresholds -------------------------------------------------------------------------------------


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
        if not (math.isfinite(cost) and cost >= 0):
            raise OptionError(f"{name} is {cost!r}.", "a finite number, 0 or more")
    own = points.positives / (points.positives + points.negatives)
    share = own if prior is None else _rate("prior", prior, ends=False)
    return cost_fn * share * points.fnr + cost_fp * (1 - share) * points.fpr, share


def lowest_cost(
    points: OperatingPoints, *, cost_fn: float = 1.0, cost_fp: float = 1.0, prior: float | None = None
) -> LowestCost:
    """Minimise cost_fn · prior · fnr + cost_fp · (1 − prior) · fpr; the prior is the data's own unless given.

    Of several lowest points the one with the highest threshold is taken.

    >>> best = lowest_cost(operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1]), cost_fn=3)
    >>> best.cost, best.threshold
    (0.25, 0.4)
    """
    costs, share = _costs(points, cost_fn, cost_fp, prior)
    # costs that differ by rounding only are equal, else the threshold would depend on the last bit
    at = int(np.argmax(costs <= costs.min() * (1 + 1e-12)))
    tp, fp = points.tp[at].item(), points.fp[at].item()
    fn, tn = points.positives - tp, points.negatives - fp
    cost, threshold = float(costs[at]), float(points.thresholds[at])
    rates = fp / points.negatives, fn / points.positives
    return LowestCost(cost, threshold, *rates, tp, fp, fn, tn, cost_fn, cost_fp, share)


def cost_table(
    points: OperatingPoints, ratios: Iterable[float], *, prior: float | None = None
) -> list[dict[str, float]]:
    """Return the lowest-cost point for each ratio cost_fn / cost_fp, with cost_fp = 1.

    >>> points = operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1])
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
    """Return counts and measures at the given thresholds, or at every operating point.

    ``cost`` is there when a cost or a prior is given; a cost that is not given is 1.

    >>> row = threshold_table(operating_points([True, False, True, False], [0.9, 0.5, 0.4, 0.1]), [0.6])[0]
    >>> row["tp"], row["fp"], row["recall"], row["precision"]
    (1, 0, 0.5, 1.0)
    """
    if thresholds is None:
        asked, at = points.thresholds, np.arange(points.tp.size)
    else:
        asked = np.fromiter(thresholds, dtype=np.float64)
        if np.isnan(asked).any():
            raise OptionError("A threshold is nan.", "numbers")
        # how many distinct scores are at or above it; the first point stands for none
        at = np.searchsorted(-points.thresholds[1:], -asked, side="right")
    tp, fp = points.tp[at], points.fp[at]
    fn, tn = points.positives - tp, points.negatives - fp
    columns = {"threshold": asked, "tp": tp, "fp": fp, "fn": fn, "tn": tn}
    columns |= {"recall": points.tpr[at], "precision": points.precision[at], "fpr": points.fpr[at]}
    columns |= {"f1": 2 * tp / (2 * tp + fp + fn), "accuracy": (tp + tn) / (points.positives + points.negatives)}
    if (cost_fn, cost_fp, prior) != (None, None, None):
        given = 1.0 if cost_fn is None else cost_fn, 1.0 if cost_fp is None else cost_fp
        columns["cost"] = _costs(points, *given, prior)[0][at]
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


# --- two curves -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stretch:
    """Between these false positive rates this curve lies above the other, or they are one."""

    fpr_from: float
    fpr_to: float
    above: Above


@dataclass(frozen=True)
class Dominance:
    """``overall`` is the curve that is somewhere above and nowhere below; "neither" when they cross."""

    overall: Literal["a", "b", "neither", "equal"]
    stretches: tuple[Stretch, ...]


def dominance(a: OperatingPoints, b: OperatingPoints) -> Dominance:
    """Say which ROC curve lies above where (lecture-measures: of two curves that do not intersect one dominates).

    Points where the curves only touch, and vertical pieces they share, do not break a stretch.

    >>> truth = [True, False, True, False]
    >>> dominance(operating_points(truth, [4, 2, 3, 1]), operating_points(truth, [4, 3, 2, 1])).overall
    'a'
    """
    # along fpr + tpr both curves are functions, also where they are vertical as functions of fpr
    along_a, along_b = a.fpr + a.tpr, b.fpr + b.tpr
    knots = np.union1d(along_a, along_b)
    lead = np.interp(knots, along_a, a.tpr) - np.interp(knots, along_b, b.tpr)
    lead[np.abs(lead) <= SAME_RATE] = 0.0
    turns = np.flatnonzero(lead[:-1] * lead[1:] < 0)
    share = lead[turns] / (lead[turns] - lead[turns + 1])
    knots = np.insert(knots, turns + 1, knots[turns] + share * (knots[turns + 1] - knots[turns]))
    lead = np.insert(lead, turns + 1, 0.0)
    stretches = _stretches(np.sign(lead[:-1] + lead[1:]), np.interp(knots, along_a, a.fpr))
    winners = {stretch.above for stretch in stretches} - {"equal"}
    overall = "neither" if len(winners) == 2 else winners.pop() if winners else "equal"
    return Dominance(overall, tuple(stretches))


def _stretches(ahead: Floats, fpr: Floats) -> list[Stretch]:
    """Join pieces with one answer; piece i goes from fpr[i] to fpr[i + 1], and ahead[i] is 1 where a is above."""
    names: dict[float, Above] = {1.0: "a", -1.0: "b", 0.0: "equal"}
    found: list[Stretch] = []
    start = 0.0
    for last in np.append(np.flatnonzero(np.diff(ahead)), ahead.size - 1):
        above, end = names[float(ahead[last])], float(fpr[last + 1])
        if above == "equal" and end - start <= SAME_RATE:
            continue
        if found and found[-1].above == above:
            found[-1] = Stretch(found[-1].fpr_from, end, above)
        else:
            found.append(Stretch(start, end, above))
        start = end
    return found


def crossings(a: OperatingPoints, b: OperatingPoints) -> tuple[float, ...]:
    """Return the false positive rates where the two ROC curves change sides; none if and only if one dominates.

    Touching, or running together, is no crossing. When they change sides over a common piece, it counts once, where
    that piece begins.

    >>> truth = [True, False, True, False]
    >>> crossings(operating_points(truth, [4, 3, 1, 2]), operating_points(truth, [3, 4, 2, 1]))
    (0.5,)
    """
    sides = [stretch for stretch in dominance(a, b).stretches if stretch.above != "equal"]
    return tuple(left.fpr_to for left, right in pairwise(sides) if left.above != right.above)


# --- confidence bands -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bands:
    """A curve on a grid with its pointwise bootstrap limits; each x has its own interval of this level.

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
    rng: np.random.Generator,
    grid: ArrayLike | None = None,
) -> Bands:
    """Percentile limits of recall at fixed false positive rates, or of precision at fixed recalls.

    Precision at a recall is that of the first operating point that reaches it, as in average precision. ``stratified``
    draws within each class, which holds the numbers of positives and negatives fixed.

    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(500) < 0.5
    >>> found = bands(truth, truth + rng.normal(size=500), n_resamples=199, rng=rng, grid=[0.1, 0.5])
    >>> bool((found.low < found.y).all() and (found.y < found.high).all())
    True
    """
    positive, score = _checked(truth, scores)
    _need_both_classes(positive)
    if kind not in BAND_KINDS:
        raise UnknownNameError("kind of band", kind, BAND_KINDS)
    # hundredths by division: 35 * 0.01 is not 0.35, and then not the rate 35/100 either
    x = np.arange(101) / 100 if grid is None else np.asarray(grid, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not ((x >= 0) & (x <= 1)).all():
        raise OptionError("The grid cannot be used.", "one or more rates from 0 to 1")
    rank = math.floor((n_resamples + 1) * (1 - _rate("level", level, ends=False)) / 2 + 1e-9)
    if rank < 1:
        raise OptionError(
            f"n_resamples is {n_resamples} and level is {level}.",
            "enough resamples to leave one out at each end: (n_resamples + 1) · (1 − level) / 2 at least 1",
            f"n_resamples={math.ceil(2 / (1 - level) - 1e-9) - 1}",
        )
    order, ends = _descending(score)
    positive = positive[order]
    strata = [np.flatnonzero(positive), np.flatnonzero(~positive)] if stratified else [np.arange(positive.size)]
    replicates = np.empty((n_resamples, x.size))
    undefined = 0
    for replicate in replicates:  # one at a time: what is held grows with the items or the replicates, never both
        tp, fp = _accepted(positive, ends, _draw(strata, rng))
        replicate[:] = _height(kind, tp, fp, x)
        undefined += int(tp[-1] == 0 or fp[-1] == 0)
    replicates.sort(axis=0)
    y = _height(kind, *_accepted(positive, ends, np.ones(positive.size, dtype=np.int64)), x)
    return Bands(kind, x, y, replicates[rank - 1], replicates[-rank], level, n_resamples, stratified, undefined)


def _draw(strata: Sequence[NDArray[np.int64]], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw with replacement inside each stratum; return how often each item came."""
    times = np.empty(sum(items.size for items in strata), dtype=np.int64)
    for items in strata:
        # exactly multinomial, and ten times faster than rng.multinomial with as many cells as items
        times[items] = np.bincount(rng.integers(0, items.size, items.size), minlength=items.size)
    return times


def _accepted(
    positive: NDArray[np.bool_], ends: NDArray[np.int64], times: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    tp, everything = _counted(times * positive, ends), _counted(times, ends)
    return tp, everything - tp


def _height(kind: str, tp: NDArray[Any], fp: NDArray[Any], x: Floats) -> Floats:
    recall: Floats = tp / max(tp[-1], 1)
    if kind == "roc":
        return np.interp(x, fp / max(fp[-1], 1), recall)
    first = np.minimum(np.searchsorted(recall, x), recall.size - 1)
    return _precision(tp[first], tp[first] + fp[first])


# --- more than two classes ------------------------------------------------------------------------------------


def one_against_others(
    truth_labels: ArrayLike, score_matrix: ArrayLike, labels: Sequence[Any]
) -> dict[Any, OperatingPoints]:
    """Return the operating points of each label against all others; column i of the scores belongs to labels[i].

    >>> found = one_against_others(["x", "y", "z"], [[3, 2, 1], [1, 3, 2], [2, 1, 3]], ["x", "y", "z"])
    >>> [roc_curve(points).area for points in found.values()]
    [1.0, 1.0, 1.0]
    """
    truth, matrix = np.asarray(truth_labels), np.asarray(score_matrix)
    if truth.ndim != 1 or matrix.shape != (truth.size, len(labels)) or len(set(labels)) < max(len(labels), 2):
        raise DataError(
            f"truth has shape {truth.shape}, the scores have shape {matrix.shape}, and the labels are {labels!r}.",
            "one row of scores for each item, one column for each label, and two or more labels, each once",
        )
    known = np.zeros(truth.size, dtype=np.bool_)
    for label in labels:
        own = truth == label
        known |= own
        if not own.any():
            raise DataError(f"No item is {label!r}.", "at least one item of each label", "leave that label out")
    if not known.all():
        strange = np.flatnonzero(~known)
        which = truth[strange[0]].item()
        raise DataError(
            f"{strange.size:,} item(s) have a label without scores, such as {which!r}.",
            "a column of scores for every label in truth",
            f"name it among the labels ({', '.join(map(repr, labels))}), or drop those items",
        )
    return {label: operating_points(truth == label, matrix[:, i]) for i, label in enumerate(labels)}


def multiclass_auc(
    truth_labels: ArrayLike, score_matrix: ArrayLike, labels: Sequence[Any], *, average: str = "macro"
) -> float:
    """Average the AUC of each label against the others: equally (macro) or by its number of items (weighted).

    >>> multiclass_auc(["x", "y", "z"], [[3, 2, 1], [1, 3, 2], [2, 1, 3]], ["x", "y", "z"])
    1.0
    """
    if average not in AVERAGES:
        raise UnknownNameError("average", average, AVERAGES)
    found = one_against_others(truth_labels, score_matrix, labels).values()
    weights = [points.positives if average == "weighted" else 1 for points in found]
    return float(np.average([roc_curve(points).area for points in found], weights=weights))
