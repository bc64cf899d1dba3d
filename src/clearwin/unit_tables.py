"""From joint outcomes, label sets or sums of counts to units with their features.

A formula on classes needs of each class its items, and for A and B how many were called it and how many rightly. Those
follow from seven counts of each label, one for every way in which truth, A and B can say yes to it (all three say no to
most labels of most items, and that adds nothing). They come in seven blocks of k features, and where the units have
different sizes one more feature counts the items. For two classes, and for a function that a user brings, the features
are the joint outcomes themselves; of sums of counts they are the sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearwin.counts import ClassCounts, Counts, JointCounts
from clearwin.grouping import Grouping
from clearwin.units import Rows, Units, distinct

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
    rows, strata = distinct(unit, feature[here], count, cells.times, 7 * len(classes), cells.strata)
    return Units(rows, strata, _mirror(len(classes)), lambda totals: _read(totals, len(classes)))


def units_of_label_sets(
    document: Counts, label: Counts, who: Counts, k: int, n: int, grouping: Grouping, *, count_items: bool = False
) -> Units:
    """Return documents, or groups of them, from who says yes to which label of which document.

    How many items a replicate has is only counted where groups of different sizes are drawn, or when asked for: it
    would be an entry for every document.
    """
    feature = (who - 1) * k + label
    if grouping.groups is None and not count_items:
        rows, strata = _of_items(document, feature, np.ones_like(feature), n, 7 * k, grouping)
        return Units(rows, strata, _mirror(k), lambda totals: _read(totals, k, n=n))
    document = np.concatenate([document, np.arange(n)])
    feature = np.concatenate([feature, np.full(n, 7 * k)])
    rows, strata = _of_items(document, feature, np.ones_like(feature), n, 7 * k + 1, grouping)
    return Units(rows, strata, np.append(_mirror(k), 7 * k), lambda totals: _read(totals, k, counts_items=True))


def units_of_sums(sums: Counts, grouping: Grouping) -> Units:
    """Return items, or groups of them, that add up true, right and predicted counts (five rows of ``sums``)."""
    n = sums.shape[1]
    item, feature = np.tile(np.arange(n), 5), np.repeat(np.arange(5), n)
    rows, strata = _of_items(item, feature, sums.ravel(), n, 5, grouping)

    def read(totals: Counts) -> tuple[ClassCounts, ClassCounts]:
        truths, hits_a, predicted_a, hits_b, predicted_b = (totals[i : i + 1] for i in range(5))
        return ClassCounts(truths, predicted_a, hits_a, totals[0]), ClassCounts(truths, predicted_b, hits_b, totals[0])

    return Units(rows, strata, SUMS_SWAPPED, read)


def _of_items(
    item: Counts, feature: Counts, value: Counts, n: int, n_features: int, grouping: Grouping
) -> tuple[Rows, Counts]:
    strata = grouping.strata_of_units(n)
    return distinct(grouping.units(n)[item], feature, value, np.ones_like(strata), n_features, strata)


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
