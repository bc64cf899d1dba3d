"""The labels of one role, several for an item: as 0/1 columns, as collections or as texts such as "3,17"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from clearwin.data.arrays import COLLECTIONS, LISTED_BY, Label, as_list, is_missing
from clearwin.data.labels import plain_label
from clearwin.errors import ClearwinError, DataError, OptionError, first_few, setting
from clearwin.numerics.arrays import Ints
from clearwin.text import composed, counted

Where = Callable[[int], str]  # what to call the item at a position
WORD = 56  # 0/1 columns that are packed into one number: seven bytes, which no engine takes for a negative one
BLOCK = 2**16  # items that are looked at together, so that few of them are objects at a time


@dataclass(frozen=True, eq=False)
class LabelTable:
    """One role's labels: sorted codes item * max(1, len(names)) + position in ``names`` of the labels that are set.

    Columns are all the labels there are, ``named`` or only ``numbered``; ``collected`` labels are those that occur.
    """

    n: int
    names: tuple[Label, ...]
    codes: Ints
    kind: Literal["named", "numbered", "collected"]

    def take(self, rows: Ints) -> LabelTable:
        """Return the labels of some items, numbered anew."""
        width, number = max(1, len(self.names)), np.full(self.n, -1, dtype=np.int64)
        number[rows] = np.arange(rows.size)
        item, label = np.divmod(self.codes, width)
        inside = number[item] >= 0
        codes = np.sort(number[item[inside]] * width + label[inside])
        return LabelTable(rows.size, self.names, codes, self.kind)

    @property
    def shape(self) -> str:
        """For messages: 3 items × 4 labels."""
        return f"{self.n:,} items" + ("" if self.kind == "collected" else f" × {len(self.names):,} labels")


def read_table(role: str, values: Any, separator: str | None = None) -> LabelTable:
    """Read whatever holds several labels for each item."""
    if isinstance(values, LabelTable):
        return values
    if separator is not None:
        return read_texts(role, _in_parts(role, values), separator, lambda i: f"{role}[{i}]")
    if hasattr(values, "tocoo"):  # scipy need not be imported to tell its matrices
        return _read_sparse(role, values)
    if is_frame(values):
        return _read_frame(role, values)
    if getattr(values, "ndim", 1) != 1:
        return _read_columns(role, values)
    return read_collections(role, _in_parts(role, values), lambda i: f"{role}[{i}]")


def is_frame(values: Any) -> bool:
    """Whether the values are a frame of any engine; asking the object itself would make some of them work."""
    return hasattr(type(values), "columns")


# --- columns --------------------------------------------------------------------------------------------------


def _read_columns(role: str, values: Any) -> LabelTable:
    array = values if np.ma.isMaskedArray(values) else np.asarray(values)
    _refuse_other_dimensions(role, array)
    is_set = true_cells(role, array)
    return LabelTable(len(array), tuple(range(array.shape[1])), np.flatnonzero(is_set), "numbered")


def _refuse_other_dimensions(role: str, table: Any) -> None:
    if table.ndim != 2:
        expected = "one row for each item and one column for each label"
        raise DataError(f"{role} has shape {table.shape}.", expected, f"reshape {role} to two dimensions")


def _read_frame(role: str, frame: Any) -> LabelTable:
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        eager = table.collect() if isinstance(table, nw.LazyFrame) else table
    except nw.exceptions.NarwhalsError as error:  # a column name twice
        what = " ".join(str(error).split())
        raise DataError(f"{role} cannot be used: {what}", "a different name for every column", "rename them") from None
    columns = []
    for name in eager.columns:
        column = eager.get_column(name)
        missing = np.flatnonzero(column.is_null().to_numpy())
        if missing.size:
            _refuse_missing(role, [f"row {row} of column {name!r}" for row in missing[:3]], missing.size)
        columns.append(true_cells(role, column.to_numpy().reshape(-1, 1), [name]))
    is_set = np.hstack(columns) if columns else np.zeros((len(eager), 0), dtype=np.bool_)
    return named_table(is_set, [plain_label(name, f"a column name of {role}") for name in eager.columns])


def named_table(is_set: NDArray[np.bool_], names: Sequence[Label]) -> LabelTable:
    """Make a table of truth values with a name for each column."""
    names = tuple(map(composed, names))
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise DataError(
            f"Two columns are the label {twice!r}.",
            "one column for each label; spellings of Unicode that look the same are the same label",
            "put these columns together, or rename one of them",
        )
    return LabelTable(len(is_set), names, np.flatnonzero(is_set), "named")


def packed_table(words: Sequence[NDArray[np.int64]], width: int) -> LabelTable:
    """Read 0/1 columns that are packed, 56 to a number: column j adds 2^(j mod 56) to number j // 56.

    >>> packed_table([np.array([0b101, 0, 0b010])], 3).codes.tolist()
    [0, 2, 7]
    """
    n, codes = words[0].size, []
    for first in range(0, n, BLOCK):
        here = [word[first : first + BLOCK].astype("<i8").view(np.uint8).reshape(-1, 8) for word in words]
        bits = np.hstack([np.unpackbits(part[:, : WORD // 8], axis=1, bitorder="little") for part in here])
        codes.append(np.flatnonzero(bits[:, :width]) + first * width)
    return LabelTable(n, tuple(range(width)), np.concatenate(codes), "numbered")


def true_cells(role: str, array: NDArray[Any], names: Sequence[Any] | None = None) -> NDArray[np.bool_]:
    """Return which cells are 1, or refuse what is neither 0 nor 1."""
    if np.ma.isMaskedArray(array):
        _refuse_missing_cells(role, np.ma.getmaskarray(array), names)
        array = np.ma.getdata(array)
    if array.dtype.kind == "b":
        return array
    objects = array
    if array.dtype.kind == "O":
        array = _numbers(array)
    if array.dtype.kind == "f":
        _refuse_missing_cells(role, np.isnan(array), names)
    ones = array == 1 if array.dtype.kind in "uif" else np.zeros(array.shape, dtype=np.bool_)
    wrong = ~(ones | (array == 0)) if array.dtype.kind in "uif" else ~ones
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        _refuse_cell(role, row, column if names is None else names[column], objects[row, column])
    return np.asarray(ones, dtype=np.bool_)


def _numbers(objects: NDArray[Any]) -> NDArray[np.float64]:
    """Return 0 and 1 for objects equal to them, nan for missing ones, 2 for all others."""

    def number(value: Any) -> float:
        if isinstance(value, str | bytes) or np.ndim(value):
            return 2
        return np.nan if is_missing(value) else 0 if value == 0 else 1 if value == 1 else 2

    values = objects.ravel().tolist()
    try:
        known = {value: number(value) for value in dict.fromkeys(values)}
        found = [known[value] for value in values]
    except TypeError:  # lists and the like
        found = [number(value) for value in values]
    return np.array(found, dtype=np.float64).reshape(objects.shape)


def _refuse_cell(role: str, row: int, column: Any, value: Any) -> NoReturn:
    plain = value.item() if isinstance(value, np.generic) else value
    raise DataError(
        f"{role} holds {plain!r} in row {row:,} of column {column!r}; the first row is 0.",
        "0 or 1 (or bools) in every cell: whether the item of the row has the label of the column",
        f"make decisions of scores, for instance {role} >= 0.5; for lists of labels, {role}.tolist()",
    )


def _refuse_missing_cells(role: str, missing: NDArray[np.bool_], names: Sequence[Any] | None) -> None:
    cells = np.argwhere(missing)
    if len(cells):
        shown = [(row, column if names is None else names[column]) for row, column in cells[:3].tolist()]
        _refuse_missing(role, [f"row {row} of column {column!r}" for row, column in shown], len(cells))


def _refuse_missing(role: str, places: Iterable[str], count: int) -> NoReturn:
    raise DataError(
        f"{role} has {counted(count, 'missing value')}: {first_few(places, count)}.",
        "an answer for every item: 0 or 1 for each label, or a collection, which may be empty",
        "decide what a missing answer means: drop those items from truth, a and b, or give them no label",
    )


def _read_sparse(role: str, matrix: Any) -> LabelTable:
    """Read a matrix of scipy, whose repeated entries count as their sum."""
    _refuse_other_dimensions(role, matrix)
    n, width = matrix.shape
    entries = matrix.tocoo()
    codes = entries.row.astype(np.int64) * width + entries.col
    data = np.asarray(entries.data)
    if (codes[1:] <= codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        codes, data = codes[order], data[order]
        starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
        wide = np.int64 if data.dtype.kind in "ui" else data.dtype  # many small integers may not fit into one
        codes, data = codes[starts], np.add.reduceat(data, starts, dtype=wide)
    is_set = np.asarray(data == 1)
    wrong = np.flatnonzero(~(is_set | (data == 0)))
    if wrong.size:
        row, column = divmod(int(codes[wrong[0]]), width)
        if is_missing(data[wrong[0]]):
            _refuse_missing(role, [f"row {row} of column {column}"], int(np.isnan(data).sum()))
        _refuse_cell(role, row, column, data[wrong[0]])
    return LabelTable(n, tuple(range(width)), codes[is_set], "numbered")


# --- collections and texts ------------------------------------------------------------------------------------


def check_separator(separator: str | None) -> None:
    """Raise unless there is no separator or a text to split at."""
    if separator is not None and (not isinstance(separator, str) or not separator):
        raise OptionError(f"The separator is {separator!r}.", "the text between two labels", setting("separator", ","))


def read_texts(role: str, texts: Any, separator: str, where: Where) -> LabelTable:
    """Split texts such as "3,17" at the separator; an empty text has no label."""
    check_separator(separator)
    return collect_labels(role, texts, where, lambda some: _pieces(role, some, separator, where), text=True)


def _pieces(role: str, texts: list[Any], separator: str, where: Where) -> list[list[str]]:
    """Return the labels in each text."""
    _refuse_missing_items(role, texts, where)
    wrong = next((i for i, text in enumerate(texts) if not isinstance(text, str)), None)
    if wrong is not None:
        raise DataError(
            f"{where(wrong)} is {texts[wrong]!r}.",
            f"with a separator, a text of labels for each item, such as 'x{separator}y'",
            f"{role}.astype(str) for numbers; no separator for tables and collections",
        )
    spaces, known = separator.isspace(), dict[str, list[str]]()
    for text in dict.fromkeys(texts):
        pieces = [label.strip() for label in text.split(separator)] if text.strip() else []
        known[text] = [label for label in pieces if label] if spaces else pieces
    if any("" in pieces for pieces in known.values()):
        empty = next(i for i, text in enumerate(texts) if "" in known[text])
        raise DataError(
            f"{where(empty)} is {texts[empty]!r}, where a label is empty.",
            f"labels with one {separator!r} between them, or an empty text for an item without labels",
            "remove the separator that stands alone",
        )
    return [known[text] for text in texts]


def read_collections(role: str, items: Any, where: Where) -> LabelTable:
    """Read one list, tuple, set or array of labels for each item."""
    return collect_labels(role, items, where, lambda some: _checked(role, some, where))


def _checked(role: str, items: list[Any], where: Where) -> list[Any]:
    """Return the items, or refuse what is not several labels."""
    _refuse_missing_items(role, items, where)
    wrong = next((i for i, x in enumerate(items) if not isinstance(x, COLLECTIONS) or getattr(x, "ndim", 1) != 1), None)
    if wrong is not None:
        raise DataError(
            f"{where(wrong)} is {items[wrong]!r}.",
            "several labels for each item: 0/1 columns, or a list, tuple or set of labels",
            setting("separator", ",") + ' for texts such as "3,17"; [label] for a single label',
        )
    return items


def collect_labels(
    role: str, values: Any, where: Where, collections: Callable[[list[Any]], list[Any]], *, text: bool = False
) -> LabelTable:
    """Read the labels of items block by block; ``collections`` makes a collection of labels of each value.

    An error counts what is wrong in all items, so they are then read once more, as one block.
    """
    try:
        return _collected(role, values, where, collections, BLOCK, text=text)
    except ClearwinError:
        if len(values) <= BLOCK:
            raise
    return _collected(role, values, where, collections, len(values), text=text)


def _collected(
    role: str, values: Any, where: Where, collections: Callable[[list[Any]], list[Any]], block: int, *, text: bool
) -> LabelTable:
    n, place = len(values), dict[Label, int]()
    positions, lengths = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int64)]
    ordered = not text
    for first in range(0, n, block):
        some = values.iloc[first : first + block] if hasattr(values, "iloc") else values[first : first + block]
        items = collections(_listed(role, some))
        labels = list(chain.from_iterable(items))
        lengths.append(np.fromiter(map(len, items), dtype=np.int64, count=len(items)))
        spelled = _plain_names(role, labels, lengths[-1], where)
        codes_of = {label: place.setdefault(name, len(place)) for label, name in spelled.items()}
        positions.append(np.fromiter(map(codes_of.__getitem__, labels), dtype=np.int32, count=len(labels)))
        ordered = ordered and not any(isinstance(item, set | frozenset) for item in items)
    names, every_length = tuple(place), np.concatenate(lengths)
    codes = np.repeat(np.arange(n) * max(1, len(names)), every_length)
    codes += np.concatenate(positions)
    codes.sort()
    _refuse_repeated(role, codes, names, where, text=text)
    if ordered and set(names) == {0, 1} and set(every_length.tolist()) == {2}:
        raise DataError(
            f"Every item of {role} is a list of 0 and 1: two columns, or the labels 0 and 1?",
            "an array for columns, sets for labels",
            f"np.array({role}) for columns, [set(item) for item in {role}] for labels",
        )
    return LabelTable(n, names, codes, "collected")


def _plain_names(role: str, labels: list[Any], lengths: Ints, where: Where) -> dict[Label, Label]:
    """Return the one spelling of every label: 1.0 and np.int64(1) are 1."""

    def holder(i: int) -> str:
        return where(int(np.searchsorted(lengths.cumsum(), i, side="right")))

    try:
        distinct = dict.fromkeys(labels)
    except TypeError:
        first = next(i for i, label in enumerate(labels) if isinstance(label, (dict, *COLLECTIONS)))
        what = f"{holder(first)} holds {labels[first]!r}."
        raise DataError(what, "labels: whole numbers or texts", "give each item one flat list of its labels") from None
    missing = [i for i, label in enumerate(labels) if is_missing(label)] if any(map(is_missing, distinct)) else []
    if missing:
        _refuse_missing(role, [holder(i) for i in missing[:3]], len(missing))
    if any(isinstance(label, bool | np.bool_) for label in distinct):
        first = next(i for i, label in enumerate(labels) if isinstance(label, bool | np.bool_))
        raise DataError(
            f"{holder(first)} holds {bool(labels[first])}, which is not a label.",
            "labels: whole numbers or texts",
            f"np.array({role}) if each item is a row of truth values",
        )
    return {label: plain_label(label, role) for label in distinct}


def _refuse_repeated(role: str, codes: Ints, names: tuple[Label, ...], where: Where, *, text: bool) -> None:
    again = np.flatnonzero(codes[1:] == codes[:-1])
    if again.size:
        item, label = divmod(int(codes[again[0]]), len(names))
        raise DataError(
            f"{where(item)} has the label {names[label]!r} more than once.",
            "each label at most once for an item",
            "remove the repeated label" + ("" if text else f"; np.array({role}) if each item is a row of 0 and 1"),
        )


def _refuse_missing_items(role: str, items: Sequence[Any], where: Where) -> None:
    missing = [i for i, item in enumerate(items) if not isinstance(item, (str, *COLLECTIONS)) and is_missing(item)]
    if missing:
        _refuse_missing(role, map(where, missing[:3]), len(missing))


def _in_parts(role: str, values: Any) -> Any:
    """Return a series or an array, which can be listed part by part, as it is; all else as a list."""
    is_series = any(hasattr(values, name) for name in LISTED_BY) and hasattr(values, "__len__")
    return values if is_series and getattr(values, "ndim", 1) > 0 else _listed(role, values)


def _listed(role: str, values: Any) -> list[Any]:
    found = as_list(values)
    if found is None:
        raise DataError(
            f"{role} is a {type(values).__name__}.",
            "a table of 0 and 1 (array, sparse matrix or frame), or a list with the labels of each item",
            'for instance [["joy"], [], ["joy", "anger"]]',
        )
    return found
