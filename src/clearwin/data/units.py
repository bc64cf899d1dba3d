"""What is drawn and swapped whole: an item, a document with all its labels, a group of items.

A unit adds whole numbers to *features*: the joint outcomes, or of every class its items, hits and predictions. Units
that add the same are kept once, with the number of them. Then

* a bootstrap replicate is a draw of how often each distinct unit occurs, multiplied into the features;
* swapping A and B on a unit moves the features by a fixed step, so a permutation replicate is coins times steps.

A formula on classes needs of each class its items, and for A and B how many were called it and how many rightly. Those
follow from seven counts of each label, one for every way in which truth, A and B can say yes to it (all three say no to
most labels of most items, and that adds nothing).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import AnyCounts, ClassCounts, Counts, JointCounts
from clearwin.data.clusters import Grouping
from clearwin.numerics.fingerprints import mixed

ReadTotals = Callable[[Counts], tuple[AnyCounts, ...]]


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct sparse rows: entries starts[r] … starts[r+1] of row r add values to features; times units are like r."""

    starts: Counts
    features: Counts
    values: Counts
    times: Counts

    @property
    def size(self) -> int:
        """How many distinct rows there are."""
        return int(self.times.size)

    @cached_property
    def row_of_entry(self) -> Counts:
        """The row that each entry belongs to."""
        return np.repeat(np.arange(self.size), np.diff(self.starts))

    def add_up(self, amounts: Counts, n_features: int) -> Counts:
        """Return the features' totals for ``amounts`` of each row, of shape (rows, replicates)."""
        totals = np.zeros((n_features, *amounts.shape[1:]), dtype=amounts.dtype)
        if amounts.ndim == 1:
            np.add.at(totals, self.features, self.values * amounts[self.row_of_entry])
            return totals
        for row, feature, value in zip(
            self.row_of_entry.tolist(), self.features.tolist(), self.values.tolist(), strict=True
        ):
            totals[feature] += amounts[row] if value == 1 else value * amounts[row]
        return totals

    def take(self, rows: NDArray[np.int64]) -> Rows:
        """Return some of the rows."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], lengths)
        return Rows(starts, self.features[entries], self.values[entries], self.times[rows])

    def mirrored(self, mirror: Counts) -> Rows:
        """Return the rows with A and B swapped; ``mirror`` says what each feature becomes."""
        return Rows(self.starts, mirror[self.features], self.values, self.times)

    def followed_by(self, other: Rows) -> Rows:
        """Return these rows and then the others."""
        return Rows(
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.features, other.features]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.times, other.times]),
        )

    def spread(self, first: int, last: int, n_features: int) -> Counts:
        """Return the rows first … last − 1 as columns of a dense table."""
        table = np.zeros((n_features, last - first), dtype=np.int64)
        here = slice(self.starts[first], self.starts[last])
        table[self.features[here], self.row_of_entry[here] - first] = self.values[here]
        return table


@dataclass(frozen=True, eq=False)
class Units:
    """The distinct units with the stratum of each; ``mirror`` says what each feature becomes when A and B swap."""

    rows: Rows
    strata: Counts
    mirror: Counts
    read: ReadTotals  # the features' totals → the counts of each model
    plain: bool = False  # every row adds 1 to the feature of its own number
    disagreements: Rows | None = None  # of label sets and sums: the smallest units that only one model has right

    @property
    def n(self) -> int:
        """All units."""
        return int(self.rows.times.sum())

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return int(self.mirror.size)

    @cached_property
    def observed(self) -> Counts:
        """The features' totals as they are."""
        return self.rows.times if self.plain else self.totals(self.rows.times)

    def totals(self, amounts: Counts) -> Counts:
        """Return the features' totals for ``amounts`` of each distinct unit."""
        return amounts if self.plain else self.rows.add_up(amounts, self.n_features)

    def fingerprint(self, besides: str) -> str:
        """Return a hash of the units and of what is known besides: the same whatever the order of the input."""
        found = hashlib.sha256(besides.encode())
        for array in (self.rows.starts, self.rows.features, self.rows.values, self.rows.times, self.strata):
            found.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
        return found.hexdigest()[:16]

    def swapped(self) -> Units:
        """Return the same units with A and B exchanged, in the order that these would have had."""
        rows, mirrored = self.rows, self.mirror[self.rows.features]
        found, strata = distinct(rows.row_of_entry, mirrored, rows.values, rows.times, self.n_features, self.strata)
        return replace(self, rows=found, strata=strata)

    @cached_property
    def swaps(self) -> Swaps:
        """What swapping A and B on units does to the totals."""
        return _plain_swaps(self) if self.plain else _swaps(self)


@dataclass(frozen=True, eq=False)
class Swaps:
    """The totals are ``base`` + Σ moved_j · step_j; if A and B are exchangeable, moved_j ~ Bin(times_j, 1/2)."""

    base: Counts
    steps: Rows

    def totals(self, moved: Counts) -> Counts:
        """Return the features' totals for ``moved`` of each step, of shape (steps, replicates)."""
        return self.base[:, None] + self.steps.add_up(moved, self.base.size)


def _plain_swaps(units: Units) -> Swaps:
    feature = np.arange(units.n_features)
    times = units.rows.times
    first = feature[(feature < units.mirror) & (times + times[units.mirror] > 0)]
    second = units.mirror[first]
    base = times.copy()
    base[first], base[second] = 0, times[first] + times[second]
    features = np.stack([first, second], axis=1).ravel()
    steps = Rows(2 * np.arange(first.size + 1), features, np.tile([1, -1], first.size), times[first] + times[second])
    return Swaps(base, steps)


def _swaps(units: Units) -> Swaps:
    rows = units.rows
    # a row's step: what it adds to the mirrored feature, less what it adds to its own
    moving = np.flatnonzero(units.mirror[rows.features] != rows.features)
    own, adds = rows.features[moving], rows.values[moving]
    row, feature = np.tile(rows.row_of_entry[moving], 2), np.concatenate([units.mirror[own], own])
    row, feature, value = _summed(row, feature, np.concatenate([adds, -adds]), units.n_features)
    # a step and its opposite are one: moving by −step is being moved already and moving back
    starts = np.searchsorted(row, np.arange(rows.size + 1))
    empty = np.diff(starts) == 0
    first = np.sign(np.append(value, 1)[np.minimum(starts[:-1], value.size)])
    sign = np.where(empty, 0, first)
    negative = sign == -1
    base = units.observed.copy()
    turned = negative[row]
    np.add.at(base, feature[turned], value[turned] * rows.times[row[turned]])
    moving = np.flatnonzero(~empty)
    if not moving.size:
        return Swaps(base, Rows(np.zeros(1, np.int64), *(np.empty(0, np.int64) for _ in range(3))))
    place = np.cumsum(~empty) - 1
    steps, _ = distinct(place[row], feature, value * sign[row], rows.times[moving], units.n_features)
    return Swaps(base, steps)


def _summed(row: Counts, feature: Counts, value: Counts, n_features: int) -> tuple[Counts, Counts, Counts]:
    """Sort entries by row and feature, add up those of the same place and leave out zeros."""
    keys = row * n_features
    keys += feature
    order = np.argsort(keys, kind="stable")
    keys, value = keys[order], value[order]
    del order  # of a million documents with many labels each of these is large
    new = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    if starts.size < keys.size:
        keys, value = keys[starts], np.add.reduceat(value, starts)
    some = value != 0
    if not some.all():
        keys, value = keys[some], value[some]
    rows, features = np.divmod(keys, n_features)
    return rows, features, value


def distinct(
    unit: Counts, feature: Counts, value: Counts, times: Counts, n_features: int, strata: Counts | None = None
) -> tuple[Rows, Counts]:
    """Collapse units that add the same (and lie in the same stratum); return the rows and each row's stratum.

    ``times`` says how often each unit occurs; a unit without entries adds nothing. The rows come in an order that
    depends on their content alone, so the order of the input does not matter.
    """
    unit, feature, value = _summed(unit, feature, value, n_features)
    starts = np.searchsorted(unit, np.arange(times.size + 1))
    del unit
    strata = np.zeros(times.size, dtype=np.int64) if strata is None else strata
    # two sums of mixed bits tell rows apart: 128 bits, so that equal sums of different rows do not happen
    once = mixed(mixed(feature.astype(np.uint64)) + value.astype(np.uint64))
    hashes = [_sums(once, starts) + mixed(strata.astype(np.uint64)), _sums(mixed(once), starts)]
    order = np.lexsort((hashes[1], hashes[0]))
    new = np.ones(times.size, dtype=np.bool_)
    new[1:] = (hashes[0][order][1:] != hashes[0][order][:-1]) | (hashes[1][order][1:] != hashes[1][order][:-1])
    number = np.empty(times.size, dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    together = np.zeros(int(new.sum()), dtype=np.int64)
    np.add.at(together, number, times)
    everyone = Rows(starts, feature, value, times)
    found = everyone.take(order[new])
    return Rows(found.starts, found.features, found.values, together), strata[order[new]]


def _sums(values: NDArray[np.uint64], starts: Counts) -> NDArray[np.uint64]:
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
    return np.asarray(running[starts[1:]] - running[starts[:-1]])  # overflow is what modular arithmetic is


# who says yes to a label: 4 (truth) + 2 (A) + 1 (B); swapping A and B turns 1 into 2 and 5 into 6
SWAPPED = {1: 2, 2: 1, 3: 3, 4: 4, 5: 6, 6: 5, 7: 7}
# of sums of counts: true ones, right and predicted ones of A, right and predicted ones of B
SUMS_SWAPPED = np.array([0, 3, 4, 1, 2])


@dataclass(frozen=True, eq=False)
class Cells:
    """Units of items in classes: unit ``unit[i]`` has ``count[i]`` items of outcome ``outcome[i]``.

    There are ``times[u]`` units like u, in stratum ``strata[u]``.
    """

    unit: Counts
    outcome: Counts
    count: Counts
    times: Counts
    strata: Counts

    @classmethod
    def of(cls, outcome: Counts, items: Counts, grouping: Grouping) -> Cells | None:
        """Return the units of rows that have an outcome and stand for several items; None without a grouping."""
        if not grouping:
            return None
        strata = grouping.strata_of_units(outcome.size)
        if grouping.groups is None:
            return cls(np.arange(outcome.size), outcome, np.ones_like(items), items, strata)
        return cls(grouping.groups, outcome, items, np.ones_like(strata), strata)


def units_of_outcomes(joint: JointCounts, cells: Cells | None = None) -> Units:
    """Return units whose features are the joint outcomes."""
    position = {outcome: p for p, outcome in enumerate(joint.outcomes)}
    mirror = np.array([position[y, b, a] for y, a, b in joint.outcomes], dtype=np.int64)
    if cells is None:
        each = np.arange(joint.counts.size)
        rows = Rows(np.arange(each.size + 1), each, np.ones_like(each), joint.counts)
        return Units(rows, np.zeros_like(each), mirror, joint.confusions, plain=True)
    rows, strata = distinct(cells.unit, cells.outcome, cells.count, cells.times, mirror.size, cells.strata)
    return Units(rows, strata, mirror, joint.confusions)


def units_of_classes(joint: JointCounts, cells: Cells | None = None, chosen: tuple[int, ...] | None = None) -> Units:
    """Return units whose features are the seven blocks of the classes, of all or of the ``chosen`` ones."""
    if cells is None:
        occupied = np.flatnonzero(joint.counts)
        once, each = np.ones_like(occupied), np.arange(occupied.size)
        cells = Cells(each, occupied, once, joint.counts[occupied], np.zeros_like(occupied))
    classes = tuple(range(joint.k)) if chosen is None else chosen
    place = np.full(joint.k, -1, dtype=np.int64)
    place[list(classes)] = np.arange(len(classes))
    y, a, b = joint.truth, joint.a, joint.b
    # an item says something of up to three labels: the true one, what A calls it and what B calls it
    label = np.stack([place[y], np.where(a != y, place[a], -1), np.where((b != y) & (b != a), place[b], -1)])
    who = np.stack([4 + 2 * (a == y) + (b == y), 2 + (b == a), np.ones_like(y)])
    feature = np.where(label >= 0, (who - 1) * len(classes) + label, -1)[:, cells.outcome]
    here = feature >= 0
    unit, count = np.broadcast_to(cells.unit, here.shape)[here], np.broadcast_to(cells.count, here.shape)[here]
    k = len(classes)
    rows, strata = distinct(unit, feature[here], count, cells.times, 7 * k, cells.strata)
    return Units(rows, strata, _mirror(k), lambda totals: _read(totals, k), disagreements=_disagreements(k))


def units_of_label_sets(
    codes: Counts, who: NDArray[np.uint8], k: int, times: Counts, grouping: Grouping, *, count_items: bool = False
) -> Units:
    """Return documents, or groups of them, from who says yes to which label (``codes`` are document · k + label).

    There are ``times`` documents like each. How many items a replicate has is only counted where groups of different
    sizes are drawn, or when asked for: it would be an entry for every document.
    """
    document, feature = np.divmod(codes, k)
    feature += (who - np.int64(1)) * k
    n, once = int(times.sum()), np.broadcast_to(np.int64(1), feature.shape)
    if grouping.groups is None and not count_items:
        rows, strata = _of_items(document, feature, once, times, 7 * k, grouping)
        return Units(rows, strata, _mirror(k), lambda totals: _read(totals, k, n=n), disagreements=_disagreements(k))
    document = np.concatenate([document, np.arange(times.size)])
    feature = np.concatenate([feature, np.full(times.size, 7 * k)])
    rows, strata = _of_items(document, feature, np.ones_like(feature), times, 7 * k + 1, grouping)
    return Units(
        rows,
        strata,
        np.append(_mirror(k), 7 * k),
        lambda totals: _read(totals, k, counts_items=True),
        disagreements=_disagreements(k, counts_items=True),
    )


def units_of_sums(sums: Counts, grouping: Grouping) -> Units:
    """Return items, or groups of them, that add up true, right and predicted counts (five rows of ``sums``)."""
    n = sums.shape[1]
    item, feature = np.tile(np.arange(n), 5), np.repeat(np.arange(5), n)
    rows, strata = _of_items(item, feature, sums.ravel(), np.ones(n, dtype=np.int64), 5, grouping)

    def read(totals: Counts) -> tuple[ClassCounts, ClassCounts]:
        truths, hits_a, predicted_a, hits_b, predicted_b = (totals[i : i + 1] for i in range(5))
        return ClassCounts(truths, predicted_a, hits_a, totals[0]), ClassCounts(truths, predicted_b, hits_b, totals[0])

    # found by A alone, by B alone; predicted in vain by A alone, by B alone
    smallest = Rows(
        np.array([0, 3, 6, 7, 8]), np.array([0, 1, 2, 0, 3, 4, 2, 4]), np.ones(8, np.int64), np.ones(4, np.int64)
    )
    return Units(rows, strata, SUMS_SWAPPED, read, disagreements=smallest)


def _of_items(
    item: Counts, feature: Counts, value: Counts, times: Counts, n_features: int, grouping: Grouping
) -> tuple[Rows, Counts]:
    """Return the distinct units of items; there are ``times`` of each."""
    strata = grouping.strata_of_units(times.size)
    if grouping.groups is None:
        return distinct(item, feature, value, times, n_features, strata)
    return distinct(grouping.groups[item], feature, value * times[item], np.ones_like(strata), n_features, strata)


def _disagreements(k: int, *, counts_items: bool = False) -> Rows:
    """Return for every label one item that only B or only A calls it, wrongly and rightly."""
    features = np.concatenate([(who - 1) * k + np.arange(k) for who in (1, 2, 5, 6)])
    times = np.ones_like(features)
    if counts_items:
        features = np.stack([features, np.full_like(features, 7 * k)], axis=1).ravel()
    entries = features.size // times.size
    return Rows(entries * np.arange(times.size + 1), features, np.ones_like(features), times)


def _mirror(k: int) -> Counts:
    return np.concatenate([np.arange(k) + (SWAPPED[who] - 1) * k for who in range(1, 8)])


def _read(
    totals: Counts, k: int, *, n: int | None = None, counts_items: bool = False
) -> tuple[ClassCounts, ClassCounts]:
    """Read the totals of the seven blocks as the counts of A and of B."""
    b, a, ab, t, tb, ta, tab = (totals[i * k : i * k + k] for i in range(7))
    truths, hits_a, hits_b = t + tb + ta + tab, ta + tab, tb + tab
    items = totals[7 * k] if counts_items else truths.sum(axis=0) if n is None else np.full(totals.shape[1:], n)
    return ClassCounts(truths, a + ab + hits_a, hits_a, items), ClassCounts(truths, b + ab + hits_b, hits_b, items)
