"""Test sets drawn on an accelerator: places drawn with replacement and counted, many replicates at a time.

This is the only place where the rest of the house asks about devices: are test sets drawn on one, and who refuses that.

Every step is one call over all items of all replicates of a block, in the words that numpy, CuPy and torch share: draw
places, count them, put them in a model's order, add up. Counts below 2^53 are exact as floats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clearwin.data.questions import Question
from clearwin.data.samples import FeatureSample, Sample
from clearwin.data.scores import Ranking, ScoreSample
from clearwin.data.units import Rows, Units
from clearwin.errors import NotApplicableError, setting
from clearwin.numerics import cuda_kernels
from clearwin.numerics.arrays import Floats
from clearwin.numerics.devices import Device, device
from clearwin.resampling.bootstrap import Drawn, StratumDraws
from clearwin.resampling.of_scores import blocks_of, totals_of, with_convention
from clearwin.streams import Purpose, Stream
from clearwin.workers import run_blocks

MOST_DRAWN = 2**31  # counts of units, one byte each, that are held at once
MOST_BLOCKS = 2**16 - 1  # of threads, side by side
AT_ONCE = 2**26  # numbers of a block of replicates, 8 bytes each; a constant, or bits would depend on the memory
PROCESSOR = "cpu"


class Placed(Protocol):
    """Options that say where test sets are drawn."""

    @property
    def device(self) -> str:
        """The name of the device."""
        ...


def on_accelerator(options: Placed) -> bool:
    """Whether test sets are to be drawn on an accelerator."""
    return options.device != PROCESSOR


def on_processor(question: Question[Any]) -> Question[Any]:
    """Return the same question, with whatever it draws drawn by the processor."""
    return question.asking(device=PROCESSOR)


def settings_of(options: Placed) -> dict[str, str]:
    """Return what repeats the draws: other devices than the processor draw other test sets from the same seed."""
    return {"device": options.device} if on_accelerator(options) else {}


def refuse_test(options: Placed, label: str) -> None:
    """Raise where test sets are to be drawn on an accelerator, for a test that draws none."""
    if on_accelerator(options):
        raise NotApplicableError(
            f"The {label} does not draw test sets on a device.",
            "a test that does, or the processor",
            setting("test", "bootstrap"),
        )


def refuse_interval(options: Placed, name: str) -> None:
    """Raise where test sets are to be drawn on an accelerator, for an interval that needs none."""
    if on_accelerator(options):
        raise NotApplicableError(
            f"The interval {name!r} does not come from test sets that are drawn on a device.",
            "an interval of the bootstrap, or the processor",
            setting("interval", "percentile"),
        )


@singledispatch
def replicates_of(sample: Sample, question: Question[Any]) -> Drawn:
    """Draw test sets of the same size on the device that was asked for, and return the measure on each."""
    raise NotApplicableError(
        "Means of values, and scores in bins, are not drawn on a device.",
        "scores, label sets, sums or decisions, or the processor",
        setting("device", PROCESSOR),
    )


@replicates_of.register(ScoreSample)
def _of_scores(sample: ScoreSample, question: Question[ScoreSample]) -> Drawn:
    arranged, place = sample.arranged, device(question.options.device)
    sizes, measure = arranged.stratum_sizes, question.measure
    draws = StratumDraws.of(sizes, sample.n)
    if place.kernels is not None and all(r.last.sum() >= cuda_kernels.FEWEST_SCORES for r in arranged.rankings):
        return _by_kernels(place, arranged, question)
    places = DrawnPlaces(place, sizes, draws.drawn)
    each = None if draws.whole else place.put(np.repeat(draws.weights, sizes))
    unit = place.put(arranged.unit_of_item.astype(np.int64)) if arranged.unit_of_item.size else None
    models = [Scan(place, ranking) for ranking in arranged.rankings]
    curve = CURVES[measure.scan]

    def block(stream: Stream, size: int) -> Floats:
        weights = place.floats(places.counts(stream, size))
        if each is not None:
            weights = weights * each
        if unit is not None:
            weights = weights[:, unit]
        return np.stack([place.fetch(model.values(weights, curve, measure.scan_options())) for model in models])

    at_once = max(1, AT_ONCE // max(places.n_drawn, sample.n))
    values = run_blocks(block, question.n_resamples, question.seed, Purpose.ON_DEVICE, block=at_once)
    return Drawn(*with_convention(question, np.concatenate(values, axis=1)))


def _by_kernels(place: Device, arranged: ScoreSample, question: Question[ScoreSample]) -> Drawn:
    """Draw and scan by CUDA's own kernels: nothing but the drawn counts, one byte each, is ever stored."""
    from clearwin.numerics import kernels

    assert place.kernels is not None
    draw, scan = place.kernels
    arrays, measure, stratum_sizes = place.arrays, question.measure, arranged.stratum_sizes
    unit, n_units = arranged.unit_of_item, sum(stratum_sizes)
    if n_units > cuda_kernels.MOST_UNITS:
        raise NotApplicableError(
            f"There are {n_units:,} items or groups to draw.",
            f"at most {cuda_kernels.MOST_UNITS:,} on a CUDA device",
            setting("test", "delong")
            + " for the AUC, or scores of a frame or file counted in bins: "
            + setting("bins", "auto"),
        )
    first, sizes, strata = blocks_of(stratum_sizes)
    draws = StratumDraws.of(stratum_sizes, arranged.n)
    on_device = [place.put(first), place.put(sizes)]
    each = place.put(np.ones(1) if draws.whole else np.repeat(draws.weights, stratum_sizes))
    entries = [
        place.put(
            cuda_kernels.entries_of((unit[r.order] if unit.size else r.order).astype(np.int64), r.positive != 0, r.last)
        )
        for r in arranged.rankings
    ]
    which = np.int32(getattr(kernels, measure.scan))
    options = [np.float64(option) for option in (*measure.scan_options(), 0.0, 0.0)[:2]]

    def block(stream: Stream, size: int) -> Floats:
        totals = place.put(totals_of(stream, sizes, strata, draws.drawn, size))
        key = [np.uint32(part) for part in stream.randint(0, 2**32, size=2, dtype=np.uint64)]
        weights = arrays.empty((size, n_units), dtype=np.uint8)
        drawing = (weights, np.int64(n_units), *on_device, totals, np.int32(sizes.size), *key)
        draw((sizes.size, size), (cuda_kernels.DRAWING,), drawing)
        values = arrays.empty((len(entries), size))
        for row, ranking in zip(values, entries, strict=True):
            scanning = (weights, np.int64(n_units), ranking, np.int32(len(ranking)), each, np.int32(not draws.whole))
            scan((size,), (cuda_kernels.THREADS,), (*scanning, which, *options, row))
        return place.fetch(values)

    at_once = max(1, min(MOST_DRAWN // n_units, MOST_BLOCKS))
    values = run_blocks(block, question.n_resamples, question.seed, Purpose.ON_DEVICE, block=at_once)
    return Drawn(*with_convention(question, np.concatenate(values, axis=1)))


@replicates_of.register(FeatureSample)
def _of_units(sample: FeatureSample, question: Question[FeatureSample]) -> Drawn:
    units, place, measure = sample.table(question.measure), device(question.options.device), question.measure
    drawn = DrawnRows(place, units, whole=measure.whole_items)

    def block(stream: Stream, size: int) -> tuple[Floats, NDArray[np.bool_]]:
        return sample.evaluate(measure, drawn.totals(stream, size))

    evaluated = run_blocks(block, question.n_resamples, question.seed, Purpose.ON_DEVICE, block=drawn.at_once)
    values, undefined = zip(*evaluated, strict=True)
    return Drawn(np.concatenate(values, axis=1), np.concatenate(undefined))


class DrawnPlaces:
    """Draws units with replacement, stratum by stratum, and counts how often each came up."""

    def __init__(self, device: Device, stratum_sizes: list[int], drawn: list[int]) -> None:
        self.device, self.n_units, self.n_drawn = device, sum(stratum_sizes), sum(drawn)
        ends = np.cumsum(stratum_sizes)
        self._sizes = device.put(np.repeat(np.array(stratum_sizes, dtype=np.float64), drawn))
        self._first = device.put(np.repeat(np.concatenate([[0], ends[:-1]]).astype(np.int64), drawn))

    def counts(self, stream: Stream, replicates: int) -> Any:
        """Return (replicates, units): how often each unit was drawn."""
        key = int(stream.randint(0, 2**63, dtype=np.int64))
        # 53 random bits: no unit is more likely than another by more than units/2^53
        places = self.device.whole(self.device.uniform(key, (replicates, self.n_drawn)) * self._sizes) + self._first
        offsets = self.device.put(np.arange(replicates, dtype=np.int64) * self.n_units)
        times = self.device.arrays.bincount(
            (places + offsets[:, None]).reshape(-1), minlength=replicates * self.n_units
        )
        return times.reshape(replicates, self.n_units)


class Curves:
    """How many positives and negatives lie at or above each threshold (columns), for every replicate (rows)."""

    def __init__(self, device: Device, tp: Any, fp: Any) -> None:
        self.device, self.tp, self.fp = device, tp, fp
        self.lacks_a_class = (tp[:, -1] == 0) | (fp[:, -1] == 0)
        # 1 where there are none: what is divided by it then has no meaning, and is not read
        self.positives, self.negatives = (device.arrays.where(n > 0, n, 1.0) for n in (tp[:, -1:], fp[:, -1:]))

    @staticmethod
    def before(counts: Any) -> Any:
        """Return the counts at the threshold before: 0 at the first."""
        return counts - _steps(counts)

    @property
    def gained(self) -> Any:
        """The positives at each threshold."""
        return _steps(self.tp)

    @property
    def lost(self) -> Any:
        """The negatives at each threshold."""
        return _steps(self.fp)

    def at_first(self, reached: Any, *values: Any) -> list[Any]:
        """Return the values where ``reached`` is true first; once true, it stays so."""
        place = (~reached).sum(axis=1)
        row = self.device.put(np.arange(len(place)))
        return [value[row, place] for value in values]


def _steps(counts: Any) -> Any:
    steps = counts + 0.0
    steps[:, 1:] -= counts[:, :-1]
    return steps


class Scan:
    """One model's ranking on the device."""

    def __init__(self, device: Device, ranking: Ranking) -> None:
        self.device = device
        in_place = bool((ranking.order == np.arange(ranking.order.size)).all())
        self._order = None if in_place else device.put(ranking.order.astype(np.int64))
        self._positive = device.put(ranking.positive.astype(np.float64))
        self._ends = None if ranking.last.all() else device.put(np.flatnonzero(ranking.last))

    def values(self, weights: Any, curve: Callable[..., Any], options: tuple[float, ...]) -> Any:
        """Return the measure of every row of weights; nan where a class has none."""
        arrays = self.device.arrays
        ordered = weights if self._order is None else weights[:, self._order]
        tp = arrays.cumsum(ordered * self._positive, axis=1)
        fp = arrays.cumsum(ordered, axis=1) - tp
        if self._ends is not None:
            tp, fp = tp[:, self._ends], fp[:, self._ends]
        curves = Curves(self.device, tp, fp)
        return arrays.where(curves.lacks_a_class, float("nan"), curve(curves, *options))


def auc(curves: Curves) -> Any:
    """Return the area, ties at one half."""
    area = (curves.lost * (curves.tp + curves.before(curves.tp))).sum(axis=1)
    return area / (2.0 * curves.positives * curves.negatives)[:, 0]


def partial_auc(curves: Curves, max_fpr: float) -> Any:
    """Return the area up to a false positive rate, so that chance is 1/2 and perfection 1 (McClish 1989)."""
    arrays, lost = curves.device.arrays, curves.lost
    left = max_fpr * curves.negatives - curves.before(curves.fp)
    share = arrays.clip(left / arrays.where(lost > 0, lost, 1.0), 0.0, 1.0)
    area = (share * lost * (curves.before(curves.tp) + share * curves.gained / 2.0)).sum(axis=1)
    area = area / (curves.positives * curves.negatives)[:, 0]
    least = max_fpr * max_fpr / 2.0
    return 0.5 * (1.0 + (area - least) / (max_fpr - least))


def average_precision(curves: Curves) -> Any:
    """Return the mean of the precision over the positives."""
    arrays, accepted = curves.device.arrays, curves.tp + curves.fp
    precision = curves.tp / arrays.where(accepted > 0, accepted, 1.0)
    return (curves.gained * precision).sum(axis=1) / curves.positives[:, 0]


def eer(curves: Curves) -> Any:
    """Return where the ROC polyline, straight across ties, meets false acceptance = false rejection."""
    tpr, fpr = curves.tp / curves.positives, curves.fp / curves.negatives
    up, right = curves.gained / curves.positives, curves.lost / curves.negatives
    tpr, fpr, up, right = curves.at_first(tpr + fpr >= 1.0, tpr, fpr, up, right)
    share = (1.0 - (tpr - up) - (fpr - right)) / (up + right)
    return fpr - right + share * right


def min_dcf(curves: Curves, miss: float, alarm: float) -> Any:
    """Return the lowest of miss · (1 − tpr) + alarm · fpr over all thresholds, and where none is accepted."""
    cost = miss * (curves.positives - curves.tp) / curves.positives + alarm * curves.fp / curves.negatives
    return curves.device.arrays.clip(curves.device.arrays.amin(cost, axis=1), -float("inf"), miss)


def break_even(curves: Curves) -> Any:
    """Return precision = recall where as many are accepted as are positive; within a tie, by its share."""
    accepted, here = curves.tp + curves.fp, curves.gained + curves.lost
    tp, accepted, here, gained = curves.at_first(accepted >= curves.positives, curves.tp, accepted, here, curves.gained)
    positives = curves.positives[:, 0]
    return (tp - gained + gained * ((positives - (accepted - here)) / here)) / positives


CURVES: dict[str, Callable[..., Any]] = {
    "AUC": auc,
    "PARTIAL_AUC": partial_auc,
    "AVERAGE_PRECISION": average_precision,
    "EER": eer,
    "MIN_DCF": min_dcf,
    "BREAK_EVEN": break_even,
}


class DrawnRows:
    """Draws units with replacement and adds up their features; units that are alike have one row."""

    def __init__(self, place: Device, units: Units, *, whole: bool) -> None:
        rows, self.device = units.rows, place
        present, stratum = np.unique(units.strata, return_inverse=True)
        order = np.argsort(stratum, kind="stable")
        sizes = np.bincount(stratum, weights=rows.times, minlength=present.size).astype(np.int64).tolist()
        n_items = int((np.bincount(rows.row_of_entry, weights=rows.values, minlength=rows.size) * rows.times).sum())
        draws = StratumDraws.of(sizes, n_items, whole=whole)
        self._places = DrawnPlaces(place, sizes, draws.drawn)
        self._ends = place.put(np.cumsum(rows.times[order]))
        self._order = place.put(np.argsort(order))
        self._weights = None if draws.whole else place.put(draws.weights[stratum])
        self._sums = RunningSums(place, rows, units.n_features)
        self.at_once = max(1, AT_ONCE // max(self._places.n_drawn, self._sums.n_entries))

    def totals(self, stream: Stream, replicates: int) -> NDArray[Any]:
        """Return the features' totals (features, replicates)."""
        counts = self.device.floats(self._places.counts(stream, replicates))
        counts = _between(self.device, counts, self._ends)[:, self._order]
        if self._weights is not None:
            return np.asarray(self.device.fetch(self._sums.totals(counts * self._weights)).T)
        return np.asarray(self.device.fetch(self.device.whole(self._sums.totals(counts))).T)


class RunningSums:
    """Adds up entries of rows, feature by feature."""

    def __init__(self, place: Device, rows: Rows, n_features: int) -> None:
        order = np.argsort(rows.features, kind="stable")
        self.device, self.n_entries = place, int(order.size)
        self._rows = place.put(rows.row_of_entry[order])
        self._values = place.put(rows.values[order].astype(np.float64))
        self._ends = place.put(np.cumsum(np.bincount(rows.features, minlength=n_features)))

    def totals(self, amounts: Any) -> Any:
        """Return (replicates, features) of amounts (replicates, rows)."""
        return _between(self.device, amounts[:, self._rows] * self._values, self._ends)


def _between(place: Device, amounts: Any, ends: Any) -> Any:
    """Return the sums of the columns between one end and the next."""
    arrays, nothing = place.arrays, place.put(np.zeros((len(amounts), 1)))
    return _steps(arrays.concatenate([nothing, arrays.cumsum(amounts, axis=1)], axis=1)[:, ends])
