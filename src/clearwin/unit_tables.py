"""From joint outcomes, label sets or sums of counts to units with their features.

A formula on classes needs five numbers of each class: its items, and for A and B how many were called it and how many
rightly. They come in five blocks of k features, and where the units have different sizes one more feature counts the
items. For two classes, and for a function that a user brings, the features are the joint outcomes themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearwin.counts import ClassCounts, Counts, JointCounts
from clearwin.grouping import Grouping
from clearwin.units import Read, Rows, Units, distinct

TRUTHS, HITS_A, PREDICTED_A, HITS_B, PREDICTED_B = range(5)


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
    """Return units whose features are the five blocks of the classes, of all or of the ``chosen`` ones."""
    if cells is None:
        occupied = np.flatnonzero(joint.counts)
        once, each = np.ones_like(occupied), np.arange(occupied.size)
        cells = Cells(each, occupied, once, joint.counts[occupied], np.zeros_like(occupied))
    classes = tuple(range(joint.k)) if chosen is None else chosen
    place = np.full(joint.k, -1, dtype=np.int64)
    place[list(classes)] = np.arange(len(classes))
    y, a, b = place[joint.truth], place[joint.a], place[joint.b]
    right_a, right_b = joint.a == joint.truth, joint.b == joint.truth
    none = np.full_like(y, -1)
    blocks = np.stack([y, np.where(right_a, y, none), a, np.where(right_b, y, none), b])
    block = blocks[:, cells.outcome]
    counts = np.broadcast_to(cells.count, block.shape)
    of_unit = np.broadcast_to(cells.unit, block.shape)
    feature = block + np.arange(5)[:, None] * len(classes)
    here = block >= 0
    return _units(of_unit[here], feature[here], counts[here], cells, len(classes))


def units_of_blocks(item: Counts, feature: Counts, value: Counts, k: int, n: int, grouping: Grouping) -> Units:
    """Return items, or groups of them, from what each item adds to the five blocks of k labels."""
    units = grouping.units(n)
    strata = grouping.strata_of_units(n)
    cells = Cells(units, units, units, np.ones(strata.size, dtype=np.int64), strata)
    if grouping.groups is None:
        return _units(item, feature, value, cells, k, n=n)
    # groups differ in size, so how many items a replicate has must be counted
    item = np.concatenate([item, np.arange(n)])
    feature = np.concatenate([feature, np.full(n, 5 * k)])
    value = np.concatenate([value, np.ones(n, dtype=np.int64)])
    return _units(units[item], feature, value, cells, k, counts_items=True)


def _units(
    unit: Counts, feature: Counts, value: Counts, cells: Cells, k: int, *, n: int | None = None,
    counts_items: bool = False,
) -> Units:  # fmt: skip
    mirror = np.arange(5 * k + counts_items).copy()
    for one, other in ((HITS_A, HITS_B), (PREDICTED_A, PREDICTED_B)):
        mirror[one * k : one * k + k] = np.arange(other * k, other * k + k)
        mirror[other * k : other * k + k] = np.arange(one * k, one * k + k)
    rows, strata = distinct(unit, feature, value, cells.times, mirror.size, cells.strata)
    return Units(rows, strata, mirror, _reader(k, n, counts_items))


def _reader(k: int, n: int | None, counts_items: bool) -> Read:
    """Return how the features' totals are read as the counts of A and of B."""

    def read(totals: Counts) -> tuple[ClassCounts, ClassCounts]:
        truths, hits_a, predicted_a, hits_b, predicted_b = (totals[i * k : i * k + k] for i in range(5))
        items = totals[5 * k] if counts_items else truths.sum(axis=0) if n is None else np.full(totals.shape[1:], n)
        return ClassCounts(truths, predicted_a, hits_a, items), ClassCounts(truths, predicted_b, hits_b, items)

    return read
