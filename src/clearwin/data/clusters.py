"""Which items belong together, and which sizes are held fixed.

Items of one group (an author, a passage, a speaker, the repeated runs of one question) are not independent: whole
groups are drawn, swapped and left out. Strata are parts of the test set whose sizes were chosen, not found: every
replicate keeps them. A group lies within one stratum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.data.arrays import as_list, is_missing, refuse_no_column
from clearwin.errors import DataError, at_positions, first_few
from clearwin.numerics.fingerprints import mixed
from clearwin.results.base import Sampling
from clearwin.text import composed, counted


@dataclass(frozen=True, eq=False)
class TimePoints:
    """The place of every item's time among all times, from 0; items of one time share it."""

    places: Counts


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group and the stratum of every item, as codes from 0; None where each item stands for itself.

    Groups that are ``in_order`` are time points, numbered as they follow one another.
    """

    groups: Counts | None = None
    strata: Counts | None = None
    stratum_names: tuple[str, ...] = ()
    in_order: bool = False

    def __bool__(self) -> bool:
        return self.groups is not None or self.strata is not None

    @cached_property
    def n_groups(self) -> int | None:
        """How many groups there are."""
        return None if self.groups is None else int(self.groups.max()) + 1

    def units(self, n: int) -> Counts:
        """Return each item's unit: its group, or itself."""
        return np.arange(n) if self.groups is None else self.groups

    def take(self, order: Counts) -> Grouping:
        """Return the grouping of the items in another order."""
        groups, strata = (None if x is None else x[order] for x in (self.groups, self.strata))
        return replace(self, groups=groups, strata=strata)

    def of_items(self, rows: Counts) -> Grouping:
        """Return the grouping of some of the items, as if there were no others."""
        groups: Any = None if self.groups is None else np.unique(self.groups[rows], return_inverse=True)[1]
        groups = TimePoints(groups) if self.in_order else groups
        strata = None if self.strata is None else [self.stratum_names[i] for i in self.strata[rows].tolist()]
        return read_grouping(rows.size, groups, strata)

    def numbered_by_stratum(self) -> Grouping:
        """Number the groups stratum by stratum, in each as they come."""
        assert self.groups is not None  # only asked of groups
        _, first, place = np.unique(self.groups, return_index=True, return_inverse=True)
        order = np.lexsort((first, self.strata_of_units(self.groups.size)))
        number = np.empty(order.size, dtype=np.int64)
        number[order] = np.arange(order.size)
        return replace(self, groups=number[place])

    def hashes(self, items: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return 64 bits for each unit by what its items and its stratum are, whatever the order of the items."""
        of_item = self.units(items.size)
        found = np.zeros(int(of_item.max()) + 1, dtype=np.uint64)
        np.add.at(found, of_item, items)
        names = [hashlib.sha256(name.encode()).digest()[:8] for name in self.stratum_names] or [bytes(8)]
        salts = np.array([int.from_bytes(name, "little") for name in names], dtype=np.uint64)
        if self.in_order:
            salts = mixed(np.arange(found.size, dtype=np.uint64))
        return mixed(found * np.uint64(3) + salts[self.strata_of_units(items.size)])

    def without_groups(self) -> Grouping:
        """Return the strata alone."""
        return Grouping(None, self.strata, self.stratum_names)

    def columns(self) -> dict[str, Any]:
        """Return groups and strata as columns of a tally, under their roles."""
        strata = None if self.strata is None else np.array(self.stratum_names)[self.strata]
        whole = "order" if self.in_order else "group"
        return {role: x for role, x in ((whole, self.groups), ("stratum", strata)) if x is not None}

    def sampling(self, n: int) -> Sampling | None:
        """Say what is drawn whole and what is held fixed; None where items are drawn and nothing is."""
        if not self:
            return None
        sizes = np.bincount(self.units(n))
        return sampling_of("item", sizes, np.ones_like(sizes), self.strata_of_units(n), self)

    def strata_of_units(self, n: int) -> Counts:
        """Return each unit's stratum; 0 for all where there are none. Time points are strata of their own."""
        units = self.units(n)
        found = np.zeros(int(units.max()) + 1, dtype=np.int64)
        if self.in_order:
            return np.arange(found.size)
        if self.strata is not None:
            found[units] = self.strata
        return found


def read_grouping(n: int, groups: Any = None, strata: Any = None, items: Counts | None = None) -> Grouping:
    """Check groups and strata of ``n`` items, or of rows that stand for ``items`` items each.

    ``groups`` may be several columns (a list of them, or a table with one row per item) if they are nested: then the
    coarsest counts. Crossed ones make several groupings (``crossed_groups``) and are refused here.
    """
    names: tuple[str, ...] = ()
    if isinstance(groups, TimePoints):
        return Grouping(groups.places, in_order=True)
    _refuse_text("groups", groups)
    _refuse_text("strata", strata)
    group_codes = None if groups is None else _coarsest([codes(g, "groups", n) for g in columns_of_groups(groups)])
    stratum_codes = None
    if strata is not None:
        first_come, found = codes(strata, "strata", n)
        # in the order of their names, so that the order of the items does not matter
        names = tuple(sorted({str(name) for name in found}))
        place = {name: i for i, name in enumerate(names)}
        stratum_codes = np.array([place[str(name)] for name in found], dtype=np.int64)[first_come]
    if group_codes is None:
        return _with_varying_strata(Grouping(None, stratum_codes, names), n, items)
    numbers, group_names = group_codes
    if numbers.max() == 0:
        raise DataError(
            "All items are in one group, so how much groups vary cannot be estimated.",
            "at least two groups, ideally twenty or more",
            "leave the groups out, or group by something finer",
        )
    if stratum_codes is not None:
        _refuse_split(numbers, stratum_codes, group_names, names)
    return _with_varying_strata(Grouping(numbers, stratum_codes, names), n)


def _refuse_text(role: str, values: Any) -> None:
    """A single text is a column's name, which only a frame or a file can look up; a number is not a column at all."""
    single = (
        values is not None
        and not isinstance(values, list | tuple)
        and np.ndim(values) == 0
        and not hasattr(values, "columns")
    )
    if isinstance(values, str | bytes) or single:
        raise DataError(
            f"{role} is {values!r}.",
            f"one value of {role} for each item, in the same order",
            f"{role}=frame[{values!r}], or compare(data=frame, …, {role}={values!r})"
            if isinstance(values, str)
            else "",
        )


def _with_varying_strata(grouping: Grouping, n: int, items: Counts | None = None) -> Grouping:
    """Refuse strata of one unit each, because every replicate would be the data themselves."""
    if grouping.strata is None:
        return grouping
    units = np.bincount(grouping.strata_of_units(n), weights=items)
    if units.max() == 1:
        raise DataError(
            "Every stratum has only one item or group, so every replicate equals the data.",
            "strata of several items or groups",
            "leave the strata out, or use coarser ones",
        )
    return grouping


def codes(values: Any, role: str, n: int) -> tuple[Counts, list[Hashable]]:
    """Return each item's place among the distinct values, and those values in order of appearance."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "ui" and values.shape == (n,):
        distinct, first, place = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return np.argsort(order)[place], distinct[order].tolist()
    if not isinstance(values, Iterable):
        raise DataError(f"{role} is {values!r}.", "a value for each item, in the same order")
    if isinstance(values, set | frozenset | Mapping):
        refuse_no_column(role, values)
    listed = as_list(values) or list(values)
    if len(listed) != n:
        raise DataError(f"{role} has {len(listed):,} values for {n:,} items.", "one for each item, in the same order")
    try:
        found = {value: composed(value) for value in dict.fromkeys(listed)}
    except TypeError:
        raise DataError(f"{role} holds lists or tables.", "a number or a text for each item") from None
    if any(is_missing(value) for value in found):
        missing = [i for i, value in enumerate(listed) if is_missing(value)]
        raise DataError(
            f"{role} has {counted(len(missing), 'missing value')}, {at_positions(missing)}.",
            f"a value of {role} for every item",
            "give an item without a group a name of its own",
        )
    number = {name: i for i, name in enumerate(dict.fromkeys(found.values()))}
    number_of = {value: number[name] for value, name in found.items()}
    return np.fromiter(map(number_of.__getitem__, listed), dtype=np.int64, count=n), list(number)


def columns_of_groups(groups: Any) -> Sequence[Any]:
    """Return the columns of ``groups``: one, or several as a list of columns or as a table."""
    if hasattr(groups, "columns") and not callable(groups.columns):  # a frame
        return [groups[name] for name in groups.columns]
    if getattr(groups, "ndim", 1) == 2:
        return [groups[:, j] for j in range(groups.shape[1])]
    several = isinstance(groups, list | tuple) and groups and not isinstance(groups[0], str | bytes | tuple)
    # tuples are names of groups, such as (document, run); columns are lists, arrays or series
    if several and (isinstance(groups[0], list) or np.ndim(groups[0]) == 1):
        return list(groups)
    return [groups]


CodedColumn = tuple[Counts, list[Hashable]]


def _coarsest(columns: list[CodedColumn]) -> CodedColumn:
    """Return the column of groups that holds all others, or refuse crossed ones."""
    columns = sorted(columns, key=lambda column: len(column[1]))
    coarse, names = columns[0]
    for fine, fine_names in columns[1:]:
        where = split_group(fine, coarse)
        if where is not None:
            name = fine_names[int(where)]
            raise DataError(
                f"The groups are crossed: {name!r} occurs with more than one group of the other column.",
                "one column of groups, or nested ones. Where items share one thing with some items and another thing "
                "with others (an enrolled speaker and a test speaker), drawing or swapping by one of them ignores the "
                "other",
                "compare() and estimate() take crossed groups; here group by what is connected: give all items that "
                "share either, directly or through others, one group",
            )
    return coarse, names


def crossed_groups(groups: Any) -> list[tuple[int, Counts]]:
    """Return the groupings that several columns make, the one with the fewest groups first; none of one column.

    If they are nested, the coarsest counts. If they are crossed, what varies with each factor adds up, and what was
    counted twice is subtracted again: +1 for items that share one factor, −1 for those that share two, and so on
    (Cameron, Gelbach and Miller 2011).
    """
    several = None if groups is None or isinstance(groups, str | bytes | TimePoints) else columns_of_groups(groups)
    if several is None or len(several) < 2:
        return []
    n = len(several[0])
    columns = [codes(column, "groups", n)[0] for column in several]
    # a column that lies within another says nothing that the coarser one does not say
    factors: list[Counts] = []
    for column in sorted(columns, key=lambda column: int(column.max())):
        if all(split_group(column, coarse) is not None for coarse in factors):
            factors.append(column)
    found = []
    for size in range(1, len(factors) + 1):
        for chosen in combinations(factors, size):
            together = np.unique(np.stack(chosen), axis=1, return_inverse=True)[1]
            found.append(((-1) ** (size + 1), np.asarray(together).ravel()))
    return found


def split_group(fine: Counts, coarse: Counts) -> int | None:
    """Return a fine group that lies in several coarse ones, if there is one."""
    one = np.zeros(int(fine.max()) + 1, dtype=np.int64)
    one[fine] = coarse
    wrong = np.flatnonzero(one[fine] != coarse)
    return int(fine[wrong[0]]) if wrong.size else None


def _refuse_split(groups: Counts, strata: Counts, names: list[Hashable], stratum_names: tuple[str, ...]) -> None:
    where = split_group(groups, strata)
    if where is None:
        return
    found = [stratum_names[int(s)] for s in np.unique(strata[groups == where])]
    raise DataError(
        f"Group {names[where]!r} has items in several strata: {first_few(found, len(found))}.",
        "each group within one stratum, because whole groups are drawn stratum by stratum",
        "leave the strata out, or stratify by something that is the same for all items of a group",
    )


def sampling_of(unit: str, sizes: Counts, times: Counts, strata: Counts, grouping: Grouping) -> Sampling:
    """Say what is drawn whole and what is held fixed; there are ``times`` units of each of these sizes and strata."""
    names = grouping.stratum_names
    if grouping.in_order:
        n = int(times.sum())
        return Sampling("time point", n, int(sizes.min()), int(sizes.max()), {}, float(n))
    counts = np.bincount(strata, weights=times, minlength=len(names)).astype(np.int64).tolist()
    fixed = dict(zip(names, counts, strict=True)) if names else {}
    if grouping.groups is None:
        return Sampling(unit, int(times.sum()), 1, 1, fixed, float(times.sum()))
    return Sampling("group", int(times.sum()), int(sizes.min()), int(sizes.max()), fixed, effective_number(sizes))


def sampling_of_rows(items: Counts, grouping: Grouping, unit: str = "item") -> Sampling:
    """Say it of rows that stand for several items each."""
    strata = grouping.strata_of_units(items.size)
    if grouping.groups is None:
        return sampling_of(unit, np.ones_like(items), items, strata, grouping)
    sizes = np.bincount(grouping.groups, weights=items).astype(np.int64)
    return sampling_of("group", sizes, np.ones_like(sizes), strata, grouping)


def effective_number(sizes: Counts) -> float:
    """Return how many groups of one size would weigh as much as groups of these sizes: N²/Σn².

    Carter, Schnepel and Steigerwald (2017) for what groups of unequal sizes do to tests.
    """
    return float(sizes.sum()) ** 2 / float((sizes.astype(np.float64) ** 2).sum())
