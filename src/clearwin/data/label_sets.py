"""Label sets in: several labels for each item, as when texts are filed under several categories (keller2004).

The labels that are set are kept as sorted codes, item * number of labels + label, so that a million items with a
hundred labels, of which few are set, take little room.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.arrays import COLLECTIONS, Label, Tally, as_list, as_rows, is_missing
from clearwin.data.label_tables import LabelTable, is_frame, read_table
from clearwin.data.labels import in_order, plain_label, plain_labels, refuse_misspelt
from clearwin.errors import DataError, OptionError, UnknownNameError, first_few, setting
from clearwin.numerics.arrays import Bools, Ints
from clearwin.numerics.fingerprints import mixed, sums
from clearwin.text import counted, listed


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The labels of every document: the true ones, and those that each of two classifiers gave it.

    Where ``times`` is given, it says how many documents are like each of the ``n``.
    """

    labels: tuple[Label, ...]
    n: int
    truth: Ints
    a: Ints
    b: Ints
    times: Ints | None = None

    @cached_property
    def outcomes(self) -> tuple[Ints, NDArray[np.uint8]]:
        """The codes set by anyone, and by whom: 4 (truth) + 2 (a) + 1 (b)."""
        marked = np.concatenate([self.truth, self.a, self.b])
        marked *= 8
        ends = np.cumsum([self.truth.size, self.a.size])
        for bit, own in zip((4, 2, 1), np.split(marked, ends), strict=True):
            own += bit
        marked.sort()
        codes = marked >> 3
        new = np.ones(codes.size, dtype=np.bool_)
        np.not_equal(codes[1:], codes[:-1], out=new[1:])
        starts = np.flatnonzero(new)
        by = (marked & 7).astype(np.uint8)
        return codes[starts], np.add.reduceat(by, starts, dtype=np.uint8) if starts.size else by

    @cached_property
    def tables(self) -> Ints:
        """For each label, how many documents have the outcomes 0 to 7: 4 (truth) + 2 (a) + 1 (b)."""
        codes, by = self.outcomes
        k = len(self.labels)
        times = None if self.times is None else self.times[codes // k]
        found = np.bincount(codes % k * 8 + by, times, minlength=8 * k).reshape(k, 8).astype(np.int64)
        found[:, 0] = self.n_documents - found.sum(axis=1)
        return found

    @property
    def n_documents(self) -> int:
        """All documents."""
        return self.n if self.times is None else int(self.times.sum())

    def count(self, some: Bools) -> int:
        """Return how many documents there are like some of the n."""
        return int(some.sum() if self.times is None else self.times[some].sum())

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the labels and all label sets: equal for equal data, whatever the order of the documents."""
        codes, by = self.outcomes
        documents = np.zeros(self.n, dtype=np.uint64)
        k = len(self.labels)
        np.add.at(documents, codes // k, mixed((codes % k * 8 + by).astype(np.uint64)))
        found = [*sums(mixed(documents), self.times), self.n_documents]
        labels = repr([str(label) for label in self.labels])
        return hashlib.sha256(f"label sets {labels} {found}".encode()).hexdigest()[:16]


def restricted(sets: LabelSets, labels: Any) -> LabelSets:
    """Return the same documents with some of the labels only.

    >>> sets = read_label_sets([["earn"], ["acq", "earn"], []], [["earn"], ["earn"], ["acq"]])
    >>> restricted(sets, ["acq"]).truth.tolist()
    [1]
    """
    chosen = chosen_labels(labels, sets.labels)
    truth, a, b = (
        _recoded(LabelTable(sets.n, sets.labels, codes, "named"), sets.labels, chosen)
        for codes in (sets.truth, sets.a, sets.b)
    )
    return LabelSets(chosen, sets.n, truth, a, b, sets.times)


def category(sets: LabelSets, position: int) -> Tally:
    """Return how many documents have each (truth, a, b) of one label, as 0 and 1."""
    counts = sets.tables[position].tolist()
    return {(by >> 2, by >> 1 & 1, by & 1): count for by, count in enumerate(counts) if count}


def of_documents(sets: LabelSets, rows: Ints) -> LabelSets:
    """Return the label sets of some documents, numbered anew; the labels are the same."""
    k, number = len(sets.labels), np.full(sets.n, -1, dtype=np.int64)
    number[rows] = np.arange(rows.size)

    def kept(given: Ints) -> Ints:
        document, label = np.divmod(given, k)
        inside = number[document] >= 0
        return number[document[inside]] * k + label[inside]

    times = None if sets.times is None else sets.times[rows]
    return LabelSets(sets.labels, rows.size, kept(sets.truth), kept(sets.a), kept(sets.b), times)


def exact_matches(sets: LabelSets) -> tuple[Bools, Bools]:
    """Return for each document whether A, and whether B, gave it exactly the true labels."""
    codes, by = sets.outcomes
    exact = []
    for bit in (1, 0):
        right = np.ones(sets.n, dtype=np.bool_)
        right[codes[by >> 2 != by >> bit & 1] // len(sets.labels)] = False
        exact.append(right)
    return exact[0], exact[1]


def is_label_sets(*columns: Any) -> bool:
    """Whether the data look like several labels for each item: columns, frames or collections.

    A single column is not enough, because it means one label per item with an extra axis.
    """
    return any(_looks_like_sets(values) for values in columns)


def _looks_like_sets(values: Any) -> bool:
    if isinstance(values, LabelTable):
        return True
    if is_frame(values):
        return bool(getattr(values, "shape", (0, 2))[1] > 1)  # a lazy one does not know its shape
    if hasattr(values, "tocoo"):
        return True
    dimensions = getattr(values, "ndim", 1)
    if dimensions != 1:
        return bool(dimensions == 2 and values.shape[1] > 1)
    if isinstance(values, Mapping) or not hasattr(values, "__getitem__"):
        return False
    values = as_rows(values)
    start = as_list(values.head(1) if hasattr(values, "head") else values[:1])
    if not start or not isinstance(start[0], COLLECTIONS):
        return False
    if isinstance(start[0], list | tuple | set | frozenset):
        return True
    every = as_list(values) or []
    return any(not isinstance(item, np.ndarray) or len(item) != 1 for item in every)


def _may_be_sets(values: Any) -> bool:
    """Whether the values could be label sets: also lists of one label each, of which is_label_sets is not sure."""
    if getattr(values, "ndim", 1) != 1 or hasattr(values, "tocoo") or is_frame(values):
        return True
    if isinstance(values, LabelTable):
        return True
    values = as_rows(values)
    start = as_list(values[:1]) if hasattr(values, "__getitem__") and not isinstance(values, Mapping) else None
    return start is None or not start or isinstance(start[0], COLLECTIONS) or is_missing(start[0])


def read_label_sets(
    truth: Any, a: Any, b: Any = None, *, labels: Any = None, separator: str | None = None
) -> LabelSets:
    """Read the labels of each document: true ones, A's and B's (none: one classifier, and b is a).

    Each is a table with a row for each document and a column of 0/1 or bools for each label (an array, a sparse
    matrix, a frame), or a list or series with a collection of labels for each document; with a ``separator``, with a
    text such as "3,17". ``labels`` picks the labels to judge, by name, or by number where columns have no names.

    >>> sets = read_label_sets([["earn"], ["acq", "earn"], []], [["earn"], ["earn"], ["acq"]])
    >>> sets.labels, sets.n, sets.truth.tolist(), sets.a.tolist()
    (('acq', 'earn'), 3, [1, 2, 3], [1, 3, 4])
    """
    given = {"truth": truth, "a": a} | ({} if b is None else {"b": b})
    alone = [role for role, values in given.items() if separator is None and not _may_be_sets(values)]
    if alone and len(alone) < len(given):
        several = next(role for role in given if role not in alone)
        raise DataError(
            f"{several} has several labels for each item, and {alone[0]} has one.",
            "several labels in all of them (0/1 columns or collections), or one label in all of them",
            f"{several}.argmax(axis=1) if each row of {several} marks one class"
            if getattr(given[several], "ndim", 1) == 2
            else f"{alone[0]} = [[label] for label in {alone[0]}]",
        )
    return label_sets({role: read_table(role, values, separator) for role, values in given.items()}, labels)


def label_sets(tables: Mapping[str, LabelTable], labels: Any = None, times: Ints | None = None) -> LabelSets:
    """Bring the tables of truth, a and perhaps b to the same labels."""
    sizes = {table.n for table in tables.values()}
    widths = {len(table.names) for table in tables.values() if table.kind != "collected"}
    numbered = any(table.kind == "numbered" for table in tables.values())
    if len(sizes) > 1 or (numbered and len(widths) > 1):
        raise DataError(
            "The shapes differ: " + ", ".join(f"{role} has {table.shape}" for role, table in tables.items()) + ".",
            "the same items in the same order in each of them, and the same labels",
            "add what is missing, or leave it out of the others",
        )
    [n] = sizes
    if not n:
        raise DataError("There are no items: the data are empty.", "at least one item", "check how they were made")
    every = _columns(tables) if widths else _collected(tables)
    if not widths:
        refuse_misspelt(*_said(tables))
    if not every:
        raise DataError("There are no labels: no item has any.", "at least one label", "check how they were made")
    chosen = every if labels is None else chosen_labels(labels, every)
    codes = {role: _recoded(table, every, chosen) for role, table in tables.items()}
    return LabelSets(chosen, n, codes["truth"], codes["a"], codes.get("b", codes["a"]), times)


def _said(tables: Mapping[str, LabelTable]) -> tuple[set[Label], dict[str, dict[Label, int]]]:
    """Return the labels of the truth, and how often each model gives which label."""
    counts = {
        role: dict(zip(table.names, np.bincount(table.codes % max(1, len(table.names))).tolist(), strict=True))
        for role, table in tables.items()
        if table.names
    }
    return set(tables["truth"].names), {role: found for role, found in counts.items() if role != "truth"}


def _columns(tables: Mapping[str, LabelTable]) -> tuple[Label, ...]:
    """Return the labels that the columns stand for, which must be the same for all."""
    named = {role: table.names for role, table in tables.items() if table.kind == "named"}
    kinds = {table.kind for table in tables.values()}
    if not named:
        first, every = next((role, table.names) for role, table in tables.items() if table.kind == "numbered")
    else:
        first, every = next(iter(named.items()))
    known = set(every)
    for role, table in tables.items():
        own = set(table.names)
        unknown = [label for label in table.names if label not in known] if table.kind != "numbered" else []
        lacking = [label for label in every if label not in own] if table.kind == "named" else []
        for others, here, there in ((unknown, role, first), (lacking, first, role)):
            if others:
                raise DataError(
                    f"{here} has {counted(len(others), 'label')} that {there} lacks: "
                    f"{first_few(map(repr, others), len(others))}.",
                    f"the labels of {first} in all of them: {first_few(map(repr, every), len(every))}",
                    f"add a column of 0 to {there}, or leave these labels out of {here}",
                )
    if "numbered" in kinds and len(set(named.values())) > 1:
        raise DataError(
            f"{' and '.join(named)} have the same columns in a different order, and another table has no names.",
            "names for all columns, or one order",
            f"bring the columns into the order of {first}",
        )
    return every


def _collected(tables: Mapping[str, LabelTable]) -> tuple[Label, ...]:
    """Return all labels that occur, in order."""
    found = {label for table in tables.values() for label in table.names}
    plain_labels({(label,): 1 for label in found})  # refuses texts beside numbers
    return tuple(in_order(found))


def chosen_labels(labels: Any, every: tuple[Label, ...], noun: str = "label") -> tuple[Label, ...]:
    """Find the labels to judge among all; "3" may name the label 3, and so may 3.0."""
    if isinstance(labels, str):
        labels = [labels] if labels in every else listed(labels)
    by_name: dict[Label, Label] = {str(label): label for label in every}
    by_name.update({label: label for label in every})
    chosen: list[Label] = []
    for name in [labels] if np.ndim(labels) == 0 else list(labels):
        try:
            chosen.append(by_name[plain_label(name, "labels")])
        except (KeyError, TypeError, DataError):
            raise UnknownNameError(noun, name, [str(label) for label in every]) from None
    twice = [label for label, times in Counter(chosen).items() if times > 1]
    if twice or not chosen:
        what = f"labels has {twice[0]!r} more than once." if twice else "labels is empty."
        example = setting("labels", ",".join(map(str, every[:2])))
        raise OptionError(what, f"each {noun} to be judged, once", example)
    return tuple(chosen)


def _recoded(table: LabelTable, every: tuple[Label, ...], chosen: tuple[Label, ...]) -> Ints:
    """Return the table's codes for the labels chosen, in their order."""
    own = every if table.kind == "numbered" else table.names
    if own == chosen:
        return table.codes
    place = {label: i for i, label in enumerate(chosen)}
    to = np.array([place.get(label, -1) for label in own] or [-1], dtype=np.int64)
    documents, positions = np.divmod(table.codes, max(1, len(own)))
    codes = (documents * len(chosen) + to[positions])[to[positions] >= 0]
    codes.sort()
    return codes
