"""Scores that are too many to hold: counted in bins on the engine that has them, with bounds of what that costs.

A bin is a range of scores, so which of two items in different bins has the higher score is known, and only items of one
bin may be in the wrong order. Bins are chosen on the first rows to hold about the same share of both classes together,
and chosen again if all rows show that they do not. Whichever they are, every bound is made of the counts, and the
lowest and highest score of each bin show that no two overlap. Items of a bin that holds one score only are tied, as
they should be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clearwin.data.arrays import Label, dropped
from clearwin.data.frames import collected, picked
from clearwin.data.labels import label_counts
from clearwin.data.samples import ReadingNotes, Sample
from clearwin.errors import ClearwinError, DataError, OptionError, setting
from clearwin.measures import Measure
from clearwin.numerics.arrays import Bools, Floats, Ints
from clearwin.numerics.auc_covariance import BinnedAreas, binned_auc_covariance
from clearwin.numerics.rank_sum import ChanceLevel, against_chance
from clearwin.results.base import Sampling
from clearwin.text import counted

MOST_BINS = 2**20
GRID = 512  # bins of each model in the joint table, which shows how the models vary together
KNOTS = 16  # where the lines that spread the scores over the bins meet
LOOKED_AT = 50_000  # rows that the first bins are chosen on
ROUNDS = 3  # in which bins are chosen
BYTES_AN_ITEM = 200  # that exact scores of two models take, with the orders in which they are ranked
UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@dataclass(frozen=True, eq=False)
class Margin:
    """One model's bins, lowest scores first: the items of each class in each, and which bins hold one score only."""

    positives: Ints
    negatives: Ints
    one_score: Bools

    def scanned(self, measure: Measure, favour: int = 0) -> float:
        """Return a ranking measure of the model.

        Items of a bin are tied; with ``favour`` 1 the positives among them come first and with −1 last, unless they
        have one score.
        """
        from clearwin.numerics import kernels

        first, second = (self.negatives, self.positives) if favour < 0 else (self.positives, self.negatives)
        times = np.stack([first, second], axis=1)[::-1].ravel()
        is_positive = np.tile(np.array([favour >= 0, favour < 0], dtype=np.uint8), first.size)
        ends = self.one_score | (favour == 0)
        last = np.stack([~ends, np.ones(first.size, dtype=np.bool_)], axis=1)[::-1].ravel()
        some = times > 0
        # where the second half of a bin is empty, the first one ends it
        last |= np.append(np.logical_and(~some[1:], last[1:]), False)
        options = np.array(measure.scan_options(), dtype=np.float64)
        which = getattr(kernels, measure.scan)
        return float(kernels.scan(which, times[some], is_positive[some], last[some], options))

    @property
    def least_precision(self) -> float:
        """An average precision that no order within the bins goes below.

        All positives of a bin count as its first one would after all of its negatives; those of one score are tied.
        """
        positives, negatives = self.positives[::-1], self.negatives[::-1]
        above, false = np.cumsum(positives) - positives, np.cumsum(negatives)
        true = np.where(self.one_score[::-1], above + positives, above + 1)
        return float(np.dot(positives, true / (true + false)) / positives.sum())


@dataclass(frozen=True, eq=False)
class BinnedScores(Sample):
    """Two models' scores, or one model's, as counts: each model's in fine bins, and all models' in a coarser grid."""

    margins: tuple[Margin, ...]
    coarse: tuple[Ints, ...]  # of each fine bin, its row or column of the grid
    cells: Ints  # models × cells: where in the grid there are items
    positives_in: Ints  # of each cell
    negatives_in: Ints
    positive: Label
    negative: Label
    bins: int
    about: ReadingNotes = field(default_factory=ReadingNotes)

    stratified = False
    groups_of_classes = None
    sampling: Sampling | None = None

    @property
    def n(self) -> int:
        """All items."""
        return self.positives + int(self.negatives_in.sum())

    @property
    def positives(self) -> int:
        """Items of the positive class."""
        return int(self.positives_in.sum())

    @cached_property
    def areas(self) -> BinnedAreas:
        """The models' areas under the ROC curve, with their covariance and what bins leave unknown of both."""
        margins = [(m.positives, m.negatives, m.one_score) for m in self.margins]
        return binned_auc_covariance(margins, self.coarse, self.cells, self.positives_in, self.negatives_in)

    @property
    def area_variance(self) -> float:
        """The variance of the difference of two areas, or of one area."""
        return self.areas.variance

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the counts."""
        found = hashlib.sha256(repr((str(self.negative), str(self.positive))).encode())
        for margin in self.margins:
            found.update(margin.positives.tobytes() + margin.negatives.tobytes())
        return found.hexdigest()[:16]

    @property
    def outcomes(self) -> dict[str, int]:
        """How many items each class has."""
        return {"positives": self.positives, "negatives": self.n - self.positives}

    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Return the classes and how many items each has."""
        return [(self.negative, self.n - self.positives), (self.positive, self.positives)]

    def estimates(self, measure: Measure) -> tuple[float, ...]:
        """Return the measure's value for each model, items of one bin tied."""
        if measure.is_area:
            return tuple(float(area) for area in self.areas.aucs)
        return tuple(margin.scanned(measure) for margin in self.margins)

    def bounds(self, measure: Measure) -> list[tuple[float, float]]:
        """Return the least and the greatest value of each model, however the items of each bin are ordered.

        A positive item that moves above a negative one never makes a ranking worse, so the extremes are those in which
        all positives of a bin come last, or first.
        """
        found = [[margin.scanned(measure, favour) for favour in (-1, 1)] for margin in self.margins]
        if measure.mean_over_positives:
            found = [[margin.least_precision, most] for margin, (_, most) in zip(self.margins, found, strict=True)]
        return [(min(values), max(values)) for values in found]

    def ungrouped(self) -> BinnedScores:
        """Return the sample itself: it has no groups."""
        return self

    def n_differing_units(self, measure: Measure) -> int:
        """Return how many items lie in another bin for B than for A, as far as the grid shows."""
        apart = self.cells[0] != self.cells[-1]
        return int((self.positives_in + self.negatives_in)[apart].sum())

    @cached_property
    def chance(self) -> tuple[ChanceLevel, ...]:
        """How each ranking stands against one that knows nothing of the classes."""
        return tuple(against_chance(margin.positives, margin.negatives) for margin in self.margins)


# --- whether to bin -------------------------------------------------------------------------------------------------


def bytes_of(memory_limit: Any) -> int:
    """Read "2GB" or a number of bytes.

    >>> bytes_of("1.5 GB"), bytes_of(1000)
    (1500000000, 1000)
    """
    text = str(memory_limit).upper().replace(" ", "")
    unit = next((unit for unit in ("KB", "MB", "GB", "TB", "B") if text.endswith(unit)), "")
    try:
        found = float(text.removesuffix(unit)) * UNITS[unit or "B"]
    except ValueError:
        found = -1.0
    if not 0 <= found < np.inf:
        raise OptionError(
            f"memory_limit is {memory_limit!r}.", "a size such as 500MB or 2GB", setting("memory_limit", "2GB")
        )
    return int(found)


def number_of_bins(bins: Any, memory_limit: Any, n: int, models: int) -> int | None:
    """Return how many bins to count scores in, or None for the scores themselves."""
    limit = bytes_of(memory_limit)
    if bins is None or (isinstance(bins, str) and bins == "auto"):
        return MOST_BINS if bins == "auto" and n * BYTES_AN_ITEM * models / 2 > limit else None
    try:
        found = int(bins)
    except (TypeError, ValueError):
        found = 0
    if isinstance(bins, bool) or not 2 <= found <= MOST_BINS:
        raise OptionError(
            f"bins is {bins!r}.",
            f'"auto", None for exact scores, or a number from 2 to {MOST_BINS:,}',
            setting("bins", "auto"),
        )
    return found


def rows_of(frame: Any) -> int:
    """Return how many rows a frame has, counted on its engine."""
    import narwhals as nw

    [(size,)] = collected(nw.from_native(frame).select(nw.len())).iter_rows()
    return int(size)


# --- from frames ----------------------------------------------------------------------------------------------------


def bin_scores(
    frame: Any,
    truth: str,
    models: Mapping[str, str],
    bins: int,
    *,
    positive: Any = None,
    lower_is_positive: Sequence[str] = (),
    missing: str = "refuse",
) -> BinnedScores:
    """Count the scores of a frame in bins, on its engine: one pass to look, one for each model, one for the grid."""
    import narwhals as nw

    table = _numbers(picked(frame, {"truth": truth, **models}), models, lower_is_positive)
    table, sizes, ranges, doubts = _looked_at(table, {"truth": truth, **models}, missing)
    counted = label_counts(
        {(label, label): size for label, size in sizes.items()},
        positive=positive,
        needs_positive=True,
        any_number_of_classes=False,
        measure="a measure of scores",
    )
    outcomes = list(counted.joint.outcomes)  # of the truth with itself; class 1 is the positive one
    of_positive = {label: outcomes[at][0] == 1 for label, at in zip(sizes, counted.places, strict=True)}
    if len(set(of_positive.values())) < 2:
        raise DataError(
            "All items are of one class.",
            "items of both classes, because scores are judged by how well they separate them",
        )
    first = collected(table.head(LOOKED_AT))
    margins, spread = {}, {}
    for role in models:
        margins[role], spread[role] = _margin(table, role, first, ranges[role], bins, of_positive)
    grid = min(GRID, bins)
    for role in models:
        table = spread[role].of(table)
    names = [spread[role].name for role in models]
    coarser = {name: nw.col(name) * grid // bins for name in names}
    together = collected(table.with_columns(**coarser).group_by("truth", *names).agg(nw.len().alias("n")))
    found = [np.asarray(together[name].to_numpy(), dtype=np.int64) for name in names]
    key = np.ravel_multi_index(tuple(found), (grid,) * len(found))
    present, place = np.unique(key, return_inverse=True)
    by_class = _by_class(together, of_positive, place, present.size)
    lower = tuple(role in lower_is_positive for role in models)
    return BinnedScores(
        tuple(margins[role][0] for role in models),
        tuple(margins[role][1] * grid // bins for role in models),
        np.stack(np.unravel_index(present, (grid,) * len(found))).astype(np.int64),
        by_class[1],
        by_class[0],
        counted.positive,
        counted.joint.labels[0],
        bins,
        ReadingNotes(
            counted.positive, counted.inferred, counted.against_others, caveats=doubts, lower_is_positive=lower
        ),
    )


def _numbers(table: Any, models: Mapping[str, str], lower_is_positive: Sequence[str]) -> Any:
    """Return the table with its scores as floats, negated where lower ones mean the positive class."""
    import narwhals as nw

    types = table.collect_schema()
    for role, column in models.items():
        if not types[role].is_numeric():
            raise DataError(f"Column {column!r} holds {types[role]}, not numbers.", "a score for every item")
    scores = {role: nw.col(role).cast(nw.Float64) for role in models}
    return table.with_columns(**{role: 0.0 - x if role in lower_is_positive else x for role, x in scores.items()})


def _looked_at(
    table: Any, columns: Mapping[str, str], missing: str
) -> tuple[Any, dict[Any, int], dict[str, tuple[float, float]], tuple[Any, ...]]:
    """Return the rows that lack nothing, the size of each class, the range of each model's scores, and doubts."""
    import narwhals as nw

    models = [role for role in columns if role != "truth"]
    absent = {"truth": nw.col("truth").is_null(), **{m: nw.col(m).is_null() | nw.col(m).is_nan() for m in models}}
    sums = {f"{role} lacks": flag.cast(nw.Int64) for role, flag in absent.items()}
    sums["any lacks"] = nw.max_horizontal(*(flag.cast(nw.Int64) for flag in absent.values()))
    marked = table.with_columns(**sums)
    [lacking] = collected(marked.select(nw.len().alias("n"), *(nw.col(name).sum() for name in sums))).iter_rows()
    size, *by_role, left_out = (int(value or 0) for value in lacking)
    if not size:
        raise DataError("The frame has no rows.", "at least one item")
    if left_out and missing == "refuse":
        column, count = next((columns[role], n) for role, n in zip(columns, by_role, strict=True) if n)
        raise DataError(
            f"Column {column!r} has {counted(count, 'missing value')}.",
            "a label and a score in every row",
            setting("missing", "drop") + " to leave those rows out",
        )
    doubts = dropped(dict(zip(columns, by_role, strict=True)), left_out, size)
    if left_out:
        table = marked.filter(nw.col("any lacks") == 0).select(*columns)
    ends = [nw.col(m).min().alias(f"low {m}") for m in models] + [nw.col(m).max().alias(f"high {m}") for m in models]
    rows = list(collected(table.group_by("truth").agg(nw.len().alias("n"), *ends)).iter_rows(named=True))
    ranges = {m: (min(row[f"low {m}"] for row in rows), max(row[f"high {m}"] for row in rows)) for m in models}
    for role, (low, high) in ranges.items():
        if not np.isfinite(high - low):
            raise DataError(
                f"The scores of column {columns[role]!r} range from {low:g} to {high:g}.",
                "finite scores, to be counted in bins",
                setting("bins", None) + " uses the exact scores, if they fit into memory",
            )
    return table, {row["truth"]: int(row["n"]) for row in rows}, ranges, doubts


@dataclass(frozen=True, eq=False)
class Binning:
    """From a score to its bin: lines between knots, each of which covers as many bins.

    Every term grows with the score, also after rounding, so a higher score never lies in a lower bin.
    """

    role: str
    knots: Floats
    bins: int

    def of(self, table: Any) -> Any:
        """Return the table with the bin of each score, in steps so that no engine works out the lines twice."""
        import narwhals as nw

        each = self.bins / (self.knots.size - 1)
        total: Any = 0.0
        for low, high in zip(self.knots[:-1].tolist(), self.knots[1:].tolist(), strict=True):
            inside = nw.max_horizontal(nw.min_horizontal(nw.col(self.role), nw.lit(high)), nw.lit(low))
            total = (inside - low) * (each / (high - low)) + total
        placed = table.with_columns(total.floor().alias(self.name))
        return placed.with_columns(nw.col(self.name).clip(0.0, self.bins - 1.0).cast(nw.Int64))

    @property
    def name(self) -> str:
        """What the column of the bins is called."""
        return f"bin of {self.role}"


def _margin(
    table: Any, role: str, first: Any, ends: tuple[float, float], bins: int, of_positive: Mapping[Any, bool]
) -> tuple[tuple[Margin, Ints], Binning]:
    """Return one model's bins that hold something, with their numbers, and how scores are spread over them."""
    import narwhals as nw

    scores = np.asarray(first[role].to_numpy(), dtype=np.float64)
    negatives, positives = _by_class(first, of_positive, np.arange(scores.size), scores.size)
    spread = Binning(role, _knots(scores, _shares(positives, negatives), ends), bins)
    for left in reversed(range(ROUNDS)):
        score = nw.col(role)
        counted = collected(
            spread.of(table.select("truth", score))
            .group_by("truth", spread.name)
            .agg(nw.len().alias("n"), score.min().alias("low"), score.max().alias("high"))
        )
        number, place = np.unique(np.asarray(counted[spread.name].to_numpy(), dtype=np.int64), return_inverse=True)
        negatives, positives = _by_class(counted, of_positive, place, number.size)
        low, high = np.full(number.size, np.inf), np.full(number.size, -np.inf)
        np.minimum.at(low, place, np.asarray(counted["low"].to_numpy(), dtype=np.float64))
        np.maximum.at(high, place, np.asarray(counted["high"].to_numpy(), dtype=np.float64))
        if not (high[:-1] < low[1:]).all():
            raise ClearwinError("The engine put scores into bins that overlap.", "bins in the order of the scores")
        margin = Margin(positives, negatives, low == high)
        unknown = (positives * 1.0 * negatives)[~margin.one_score].sum() / positives.sum() / negatives.sum() / 2.0
        if unknown <= 4.0 / bins or not left:
            break
        spread = Binning(role, _knots(high, _shares(positives, negatives), ends), bins)
    return (margin, number), spread


def _shares(positives: Ints, negatives: Ints) -> Floats:
    """Return how much of its class each holds, so that a rare class has as many bins as a frequent one."""
    return np.asarray(positives / max(positives.sum(), 1) + negatives / max(negatives.sum(), 1))


def _knots(scores: Floats, weights: Floats, ends: tuple[float, float]) -> Floats:
    """Return scores with about the same weight between any two neighbours, from the lowest to the highest of all."""
    low, high = ends
    order = np.argsort(scores, kind="stable")
    before = np.cumsum(weights[order])
    at = np.searchsorted(before, before[-1] * np.arange(1, KNOTS) / KNOTS)
    inner = np.unique(scores[order][np.minimum(at, order.size - 1)])
    least = 1e-290  # nearer knots would need slopes that floats do not have
    found = [low]
    for knot in inner.tolist():
        if knot - found[-1] > least and high - knot > least:
            found.append(knot)
    return np.array([*found, high if high > low else low + 1.0])


def _by_class(counted: Any, of_positive: Mapping[Any, bool], place: Ints, size: int) -> tuple[Ints, Ints]:
    """Return how many negative and how many positive items lie at each place."""
    times = np.asarray(counted["n"].to_numpy(), dtype=np.int64) if "n" in counted.columns else np.ones_like(place)
    is_positive = np.array([of_positive[label] for label in counted["truth"].to_list()], dtype=np.bool_)
    found = []
    for mine in (~is_positive, is_positive):
        sums = np.zeros(size, dtype=np.int64)
        np.add.at(sums, place[mine], times[mine])
        found.append(sums)
    return found[0], found[1]
