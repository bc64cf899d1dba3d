"""Arrays in, a tally out: how many items have each combination (truth, a, b) of labels.

The roles ``group`` and ``stratum`` may follow: (truth, a, b, group, stratum). They are names, not labels, so there may
be many of them.

Arrays, frames of any engine and files all give the same tally, which is small however many items there are.
Whatever there is to say about labels is then decided from the tally, in ``labels.py``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.errors import ClearwinError, DataError, UnknownNameError, at_positions, first_few, setting
from clearwin.results.caveats import Caveat, caveat
from clearwin.text import composed, counted, refuse_other_numbers

Label = Hashable
Coded = tuple[NDArray[np.int64], list[Hashable]]  # each item's place among the labels, and those labels
Tally = Mapping[tuple[Any, ...], int]
MOST_LABELS = 1_000
MOST_GROUPED = 2_000_000  # combinations of labels with groups or strata: more would fill the memory
GROUP_ROLES = ("group", "second group", "third group")
SIDES = ("model_a", "model_b")  # the columns that name the two models of each battle
EXTRA_ROLES = (*GROUP_ROLES, "order", "stratum", "slice", "item", *SIDES)
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
LISTED_BY = ("to_pylist", "tolist", "to_list")  # pandas has two of them, and of a Categorical the last is deprecated
WHOLE_NUMBERS = "whole numbers, 0 or more, one for each item"


def names_of(a: Any, b: Any, data: Any = None) -> tuple[str, str]:
    """Return what to call two models: the names of their columns or series if they differ, or A and B."""
    found = [getattr(x, "name", None) if data is None else x for x in (a, b)]
    named = all(isinstance(name, str | int) and name != "" for name in found) and found[0] != found[1]
    return (str(found[0]), str(found[1])) if named else ("A", "B")


# --- from arrays ----------------------------------------------------------------------------------------------


def tally_arrays(items: NDArray[np.int64] | None = None, /, **columns: Any) -> Tally:
    """Count the label combinations of equally long one-dimensional arrays, lists or series, matched by position.

    ``items`` says how many items each row is, 1 unless given.
    """
    coded = {role: label_codes(role, values) for role, values in columns.items()}
    same_length({role: len(codes) for role, (codes, _) in coded.items()})
    tally = tally_codes(list(coded.values()), items)
    refuse_many_combinations(columns, len(tally))
    return tally


def same_length(lengths: Mapping[str, int], noun: str = "label") -> None:
    """Raise unless every role has the same number of items, at least one."""
    if len(set(lengths.values())) > 1:
        raise DataError(
            "The lengths differ: " + ", ".join(f"{role} has {n:,}" for role, n in lengths.items()) + ".",
            f"one {noun} for each item in each of them, in the same order",
        )
    if not next(iter(lengths.values())):
        raise DataError("There are no items: the arrays are empty.", "at least one item")


def tally_codes(coded: list[Coded], items: NDArray[np.int64] | None = None) -> Tally:
    """Count the label combinations of columns of codes; ``items`` says how many items each row is, 1 unless given."""
    size = math.prod(len(found) for _, found in coded)
    if size > 2**62:  # too many for one number each, as with a million groups of a thousand classes: slow but right
        return Counter(zip(*([found[code] for code in codes.tolist()] for codes, found in coded), strict=True))
    combined = np.zeros(len(coded[0][0]), dtype=np.int64)
    for codes, found in coded:
        combined *= len(found)
        combined += codes
    if size <= 1_000_000:
        counts = np.bincount(combined, weights=items, minlength=size).astype(np.int64)
        present = np.flatnonzero(counts)
        counts = counts[present]
    else:
        present, number = np.unique(combined, return_inverse=True)
        counts = np.bincount(number, weights=items).astype(np.int64)
    positions = np.unravel_index(present, [len(found) for _, found in coded])
    keys = zip(*([found[p] for p in at] for at, (_, found) in zip(positions, coded, strict=True)), strict=True)
    return dict(zip(keys, counts.tolist(), strict=True))


def refuse_many_combinations(roles: Iterable[str], count: int) -> None:
    """Refuse so many combinations with groups or strata that they would fill the memory."""
    extra = [role for role in roles if role in EXTRA_ROLES]
    if extra and count > MOST_GROUPED:
        raise DataError(
            f"There are {count:,} combinations of labels with {' and '.join(extra)}.",
            f"at most {MOST_GROUPED:,} combinations of truth, a, b and {' and '.join(extra)}",
            "group by something coarser, or leave the groups out if items are independent",
        )


def taken(values: Any, rows: NDArray[np.int64], *, pairs: bool = False) -> Any:
    """Return some rows of whatever has a row for each item: arrays, lists, series, frames, sparse tables.

    ``pairs`` says that a tuple is not a row for each item, but columns.

    >>> taken(["a", "b", "c"], np.array([0, 2])), taken(([1, 2, 3], [4, 5, 6]), np.array([0, 2]), pairs=True)
    (['a', 'c'], ([1, 3], [4, 6]))
    """
    values = as_rows(values)
    if values is None:
        return None
    if pairs and isinstance(values, tuple):
        return tuple(taken(column, rows) for column in values)
    if isinstance(values, list | tuple):
        return [values[row] for row in rows.tolist()]
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    return values[rows] if hasattr(values, "__array_interface__") or not hasattr(values, "take") else values.take(rows)


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """A column of labels as files give it: each row's place among the labels."""

    places: NDArray[np.int64]
    labels: list[Label]


def label_codes(role: str, values: Any) -> Coded:
    """Return the position of each item's label among the distinct labels, and those labels as Python values."""
    if isinstance(values, LabelColumn):
        return values.places, values.labels
    values = as_rows(values)
    refuse_no_column(role, values)
    if isinstance(values, list | tuple) and not (values and np.ndim(values[0])):
        # numpy would turn [1, "a"] into texts and [2**63, -1] into floats
        return _codes_of_objects(role, list(values))
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        _refuse_missing(role, np.flatnonzero(np.ma.getmaskarray(values)))
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(f"{role} has rows of different lengths.", "one label for each item") from None
    except Exception:  # a type that numpy lacks, such as polars' integers of 128 bits
        if not hasattr(values, "to_list"):
            raise
        return _codes_of_objects(role, values.to_list())
    if array.ndim != 1:
        raise DataError(
            f"{role} has shape {array.shape}.",
            "one label for each item: a one-dimensional array or list",
            f"{role}.ravel() if it is a single column" if array.ndim == 2 and 1 in array.shape else "",
        )
    if array.dtype.kind in "bui" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low < MOST_LABELS and high < 2**63:
            # the cheap way for the common case: no sorting, no hashing
            kind = bool if array.dtype.kind == "b" else int
            found: list[Label] = [kind(value) for value in range(low, high + 1)]
            return array.astype(np.int64) - low, found
    if array.dtype.kind in "uif":
        _refuse_missing(role, np.flatnonzero(np.isnan(array)))
        distinct, codes = np.unique(array, return_inverse=True)
        return codes.astype(np.int64), few_labels(role, distinct.tolist())
    return _codes_of_objects(role, array.tolist())


def _codes_of_objects(role: str, values: list[Any]) -> Coded:
    try:
        found = {value: composed(value) for value in dict.fromkeys(values)}
    except TypeError:
        i, value = next((i, value) for i, value in enumerate(values) if not isinstance(value, Hashable))
        raise DataError(f"{role}[{i}] is {value!r}.", "one label for each item: a number, a bool or a text") from None
    if any(is_missing(value) for value in found):
        _refuse_missing(role, np.array([i for i, value in enumerate(values) if is_missing(value)]))
    place = {label: i for i, label in enumerate(dict.fromkeys(found.values()))}
    place_of = {value: place[label] for value, label in found.items()}
    codes = np.fromiter(map(place_of.__getitem__, values), dtype=np.int64, count=len(values))
    return codes, few_labels(role, list(place))


def as_rows(values: Any) -> Any:
    """Return a sequence of another kind, such as a deque, as a list; anything else as it is.

    >>> from collections import deque
    >>> as_rows(deque([1, 0])), as_rows("10")
    ([1, 0], '10')
    """
    plain = isinstance(values, list | tuple | str | bytes | range) or not isinstance(values, Sequence)
    return values if plain else list(values)


def refuse_no_column(role: str, values: Any) -> None:
    """Raise where values have no order, or could be gone through only once."""
    in_order = isinstance(values, Iterator | KeysView | ValuesView | ItemsView)
    if in_order or isinstance(values, set | frozenset | Mapping):
        raise DataError(
            f"{role} is a {type(values).__name__}.",
            "one value for each item, in the same order: an array, a list or a series",
            f"list({role})" if in_order else "",
        )


def as_list(values: Any) -> list[Any] | None:
    """Return the items of a list, an array or a series of any kind; None for what has no order."""
    for name in LISTED_BY:
        if hasattr(values, name):
            values = getattr(values, name)()
            break
    return list(values) if isinstance(values, Sequence) and not isinstance(values, str | bytes) else None


def is_missing(value: Any) -> bool:
    """None, nan, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):  # pandas.NA refuses to be a truth value, a signalling nan to be compared
        return True


MISSING = ("refuse", "drop")


def check_missing(missing: Any) -> None:
    """Raise unless it is known what to do with items that lack something."""
    if missing not in MISSING:
        raise UnknownNameError("way to treat missing values", missing, MISSING)


def drop_missing(
    columns: Mapping[str, Any], called: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], tuple[Caveat, ...]]:
    """Return the columns without the items on which any of them is missing, and what was left out.

    ``called`` is what to call the column of a role, where it has a name.
    Only columns of one value for each item can lack one, which may be a list of labels; tables are returned as they
    are, and so is what is None.
    """
    columns = {role: list(values) if isinstance(values, Iterator) else values for role, values in columns.items()}
    if any(isinstance(values, Mapping) or not isinstance(values, Iterable | None) for values in columns.values()):
        return dict(columns), ()  # no column, which is refused where it is read
    known = {role: found for role, values in columns.items() if (found := _where_missing(values)) is not None}
    if not known:
        return dict(columns), ()
    same_length({role: found.size for role, found in known.items()}, "value")
    lacking = np.logical_or.reduce(list(known.values()))
    if not lacking.any():
        return dict(columns), ()
    tables = [role for role, values in columns.items() if values is not None and role not in known]
    if tables:
        raise DataError(
            f"{tables[0]} is a table, so items that lack a value elsewhere cannot be left out of it.",
            "columns of one value for each item",
            "leave these items out of all arrays yourself",
        )
    keep = np.flatnonzero(~lacking)
    kept = {role: values if values is None else taken(values, keep) for role, values in columns.items()}
    names = {role: role for role in known} | dict(called or {})
    counts = {names[role]: int(found.sum()) for role, found in known.items()}
    return kept, dropped(counts, int(lacking.sum()), lacking.size)


def dropped(by_role: Mapping[str, int], items: int, of: int) -> tuple[Caveat, ...]:
    """Say how many items were left out because a value is missing, and what; raise if none are left."""
    told = ", ".join(f"{role} on {count:,}" for role, count in by_role.items() if count)
    if items == of:
        raise DataError(f"Every item lacks a value: {told}.", "some items with all values", "check the columns")
    if not items:
        return ()
    return (caveat("dropped", items=items, of=of, lacking=told),)


def _where_missing(values: Any) -> NDArray[np.bool_] | None:
    """Return which items are missing; None for what is not one column of values."""
    if values is None or isinstance(values, LabelColumn | tuple) or getattr(values, "ndim", 1) != 1:
        return None
    if np.ma.isMaskedArray(values):
        inside = _where_missing(np.ma.getdata(values))
        return None if inside is None else np.asarray(np.ma.getmaskarray(values) | inside)
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufU":
        return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.size, dtype=np.bool_)
    listed = as_list(values) or list(values)
    missing = (not isinstance(value, COLLECTIONS) and is_missing(value) for value in listed)
    return np.fromiter(missing, dtype=np.bool_, count=len(listed))


def _refuse_missing(role: str, positions: NDArray[np.int64]) -> None:
    if positions.size:
        raise DataError(
            f"{role} has {counted(positions.size, 'missing value')}, {at_positions(positions)}.",
            f"a {role} for every item" if role in EXTRA_ROLES else "a label for every item",
            setting("missing", "drop") + f" to leave those items out, or give each a {role} of its own"
            if role in EXTRA_ROLES
            else "decide what a missing answer means: "
            + setting("missing", "drop")
            + " leaves those items out, or give them a label of their own",
        )


def few_labels(role: str, found: list[Label]) -> list[Label]:
    """Return the labels, or refuse so many that they must be something else."""
    if len(found) > MOST_LABELS and role not in EXTRA_ROLES:
        raise DataError(
            f"{role} has {len(found):,} different values, for instance {first_few(found, 3)}.",
            f"decisions: at most {MOST_LABELS:,} different labels",
            "check whether these are ids; turn scores into decisions, for instance scores >= 0.5",
        )
    return found


def refuse_texts(role: str, array: NDArray[Any]) -> None:
    """Refuse texts that numpy takes for numbers, as Python does, and a reader does not: 1_003, digits of any script."""
    if array.dtype.kind in "OUT":
        texts = ((i, text) for i, text in enumerate(array.ravel().tolist()) if isinstance(text, str))
        refuse_other_numbers(role, ((text, f"at {i:,}, counted from 0") for i, text in texts))


# --- counts per item: true spans of a sentence, predicted ones, right ones -------------------------------------------


def read_sums(truth: Any, models: Mapping[str, Any]) -> list[Counts]:
    """Return the true counts, and for each model a table of (right, predicted) counts.

    A model's counts are a table of two columns, or two columns: right ones first, then predicted ones.

    >>> gold, a, b = read_sums([2, 3], {"a": [[1, 2], [3, 4]], "b": ([2, 3], [2, 3])})
    >>> a.tolist(), b.tolist()
    ([[1, 2], [3, 4]], [[2, 2], [3, 3]])
    """
    gold = _whole("truth", truth)
    if gold.ndim != 1 or not gold.size:
        raise DataError(f"truth has shape {gold.shape}.", f"the number of true spans: {WHOLE_NUMBERS}")
    tables = []
    for role, values in models.items():
        table = _table(role, values, gold.size)
        for column, limit, words in ((0, table[:, 1], "predicted"), (0, gold, "true")):
            wrong = np.flatnonzero(table[:, column] > limit)
            if wrong.size:
                raise DataError(
                    f"{role} has more right spans than {words} ones {at_positions(wrong)}.",
                    "the columns (right, predicted) of each model, and the true ones as truth",
                    "check the order of the columns",
                )
        tables.append(table)
    return [gold, *tables]


def _table(role: str, values: Any, n: int) -> Counts:
    # a tuple or list of two columns, unless there are two items and it reads as a table
    if isinstance(values, tuple) or (isinstance(values, list) and len(values) == 2 and n != 2):
        values = np.stack([_whole(role, column) for column in values], axis=1)
    table = _whole(role, values)
    if table.shape != (n, 2):
        raise DataError(
            f"{role} has shape {table.shape} for {n:,} items.",
            "two columns, right and predicted, with a row for each item",
            f"{role}=(right, predicted)",
        )
    return table


def _whole(role: str, values: Any) -> Counts:
    try:
        if values is None or np.iscomplexobj(values):
            raise TypeError
        refuse_texts(role, np.asarray(values))
        numbers = np.asarray(values, dtype=np.float64)
    except ClearwinError:
        raise
    except (TypeError, ValueError):
        raise DataError(f"{role} holds something that is not a number.", WHOLE_NUMBERS) from None
    wrong = np.argwhere(~(numbers >= 0) | (numbers != np.floor(numbers)) | (numbers > 2**53))
    if wrong.size:
        where = ", ".join(str(i) for i in wrong[0].tolist())
        raise DataError(f"{role}[{where}] is {numbers[tuple(wrong[0])]:g}.", WHOLE_NUMBERS)
    return numbers.astype(np.int64)
