"""Per-item values in: one number for each item and model (a loss, a grade, a sentence's BLEU), validated.

Whole *units* are drawn, flipped and left out: a unit is an item, or a group of items. Units are put in an order of
their own, stratum by stratum, so nothing depends on the order in which the items came.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data import refuse_shuffled_indexes
from clearwin.errors import DataError
from clearwin.fingerprints import mixed, sums
from clearwin.grouping import Grouping
from clearwin.scores import numbers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST_VALUE = 1e100  # so that sums of squares are still floats
# what only rounding can have made of numbers of some size: 64 units in the last place of a float
ROUNDING = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Units:
    """What the tests see of each unit, stratum by stratum: how many items it has, their sums, and how large they are.

    ``of_item`` is the unit of every item, in the order in which the items came; ``first`` has where each stratum
    starts, and the number of units last.
    """

    counts: Ints
    a: Floats
    b: Floats
    sizes: Floats
    of_item: Ints
    first: Ints

    @property
    def stratum_sizes(self) -> list[int]:
        """How many units each stratum has."""
        return [int(n) for n in np.diff(self.first)]

    @cached_property
    def differences(self) -> Floats:
        """Sums of b − a; what only rounding can have made is 0."""
        return without_rounding(self.b - self.a, self.sizes)


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The values of A and B for every item, and which items belong together.

    A single model is compared with itself: then ``a is b``.
    """

    a: Floats
    b: Floats
    grouping: Grouping = field(default_factory=Grouping)

    @property
    def n(self) -> int:
        """All items."""
        return int(self.a.size)

    @property
    def single(self) -> bool:
        """Whether there is one model only."""
        return self.a is self.b

    @cached_property
    def differences(self) -> Floats:
        """Each item's b − a; what only rounding can have made is 0."""
        return without_rounding(self.b - self.a, np.abs(self.a) + np.abs(self.b))

    @cached_property
    def scale(self) -> float:
        """How large the values are: rounding errors of sums are small parts of it."""
        return float((np.abs(self.a) + np.abs(self.b)).mean())

    @cached_property
    def units(self) -> Units:
        """The units in their own order: by stratum, then by what they hold."""
        of_item = self.grouping.units(self.n)
        n_units = int(of_item.max()) + 1
        # items of a unit are added up in an order of their own, so that the sums are the same to the last bit
        order = np.lexsort((self.b, self.a))
        of_ordered = of_item[order]
        counts = np.bincount(of_item, minlength=n_units)
        a, b, sizes = (
            np.bincount(of_ordered, weights=x[order], minlength=n_units).astype(np.float64)
            for x in (self.a, self.b, np.abs(self.a) + np.abs(self.b))
        )
        strata = self.grouping.strata_of_units(self.n)  # numbered by their names
        place = np.lexsort((self._unit_hashes, counts, b, a, strata))
        new_place = np.empty(n_units, dtype=np.int64)
        new_place[place] = np.arange(n_units)
        first = np.concatenate([[0], np.cumsum(np.bincount(strata))])
        return Units(counts[place], a[place], b[place], sizes[place], new_place[of_item], first)

    @cached_property
    def _unit_hashes(self) -> NDArray[np.uint64]:
        """64 bits for each unit by what it holds: items are mixed and added up, so that their order does not matter."""
        items = mixed((self.a + 0.0).view(np.uint64))  # −0.0 is 0.0
        items = mixed(items * np.uint64(3) + (self.b + 0.0).view(np.uint64))
        return self.grouping.hashes(items)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of values, groups and strata: equal for equal data, whatever the order of the items."""
        units = self._unit_hashes
        return hashlib.sha256(repr([*sums(units), self.n, units.size]).encode()).hexdigest()[:16]


def without_rounding(differences: Floats, sizes: Floats) -> Floats:
    """Return differences with those set to 0 that are rounding errors of numbers of these sizes."""
    return np.where(np.abs(differences) <= ROUNDING * sizes, 0.0, differences)


def paired_values(a: Any, b: Any, *, noun: str = "value") -> tuple[Floats, Floats]:
    """Validate the values of two models, matched by position; of one model when ``b`` is None."""
    refuse_shuffled_indexes({"a": a, "b": b})
    columns = [numbers(role, x, noun=noun) for role, x in (("a", a), ("b", b)) if role == "a" or x is not None]
    if not columns[0].size:
        raise DataError(
            "There are no items: the arrays are empty.",
            "at least one item",
            "compare(None, [0.3], [0.4], measure='mean')",
        )
    if columns[-1].size != columns[0].size:
        what = f"The lengths differ: a has {columns[0].size:,}, b has {columns[-1].size:,}."
        raise DataError(what, f"one {noun} for each item in both, in the same order", "leave out what one model lacks")
    for role, column in zip("ab", columns, strict=False):
        if np.abs(column).max() > LARGEST_VALUE:
            raise DataError(
                f"{role} holds {column[np.abs(column).argmax()]:g}, and sums of squares would overflow.",
                f"{noun}s of at most {LARGEST_VALUE:g} in size",
                f"rescale the {noun}s of both models alike",
            )
    # a model compared with itself is two columns; one column twice means that there is one model only
    return columns[0], columns[0] if b is None else columns[1].copy()
