"""Confusion matrices in: arrays, frames and files, validated. Rows are truth, columns are predictions."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import MOST_ITEMS, ConfusionMatrix
from clearwin.data.arrays import Tally, refuse_texts
from clearwin.data.files.sources import AnyPath, is_number, read_text
from clearwin.data.labels import in_order, plain_labels
from clearwin.errors import DataError, FileError
from clearwin.text import composed, sums_up

NEXT = "rows are the true classes, columns the predicted ones, in the same order"


@dataclass(frozen=True, eq=False)
class LabelledMatrix:
    """A square table of counts with the names of its classes."""

    labels: tuple[str, ...]
    cells: NDArray[np.int64]


def matrix_of_tally(tally: Tally) -> LabelledMatrix:
    """Build from how often each (truth, prediction) occurred, over all labels that occur in either."""
    tally = plain_labels(tally)
    labels = in_order({label for key in tally for label in key})
    position = {label: i for i, label in enumerate(labels)}
    cells = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for (truth, prediction), count in tally.items():
        cells[position[truth], position[prediction]] = count
    return LabelledMatrix(tuple(str(label) for label in labels), cells)


def matrix_of(values: Any, labels: Sequence[Any] | None = None) -> LabelledMatrix:
    """Check a matrix given as an array, nested lists, a ConfusionMatrix or a frame such as ``pandas.crosstab``'s."""
    if isinstance(values, ConfusionMatrix):
        values = values.cells
    if labels is None and hasattr(values, "index") and hasattr(values, "columns") and hasattr(values, "reindex"):
        labels = _labels_of_frame(values)
        values = values.reindex(index=labels, columns=labels, fill_value=0)
    try:
        cells = np.asarray(values)
    except ValueError:
        raise DataError("The rows of the matrix have different lengths.", "a square matrix", NEXT) from None
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or cells.size == 0:
        raise DataError(
            f"The matrix has shape {cells.shape}.",
            "a square matrix with a row and a column for every class",
            NEXT + "; for labels use against_chance(truth, prediction)",
        )
    names = tuple(composed(str(x)) for x in (range(len(cells)) if labels is None else labels))
    if len(set(names)) < len(names):
        raise DataError(f"Two classes have the same label: {', '.join(names)}.", "a different label for every class")
    if len(names) != len(cells):
        raise DataError(f"There are {len(names)} labels for {len(cells)} classes.", "one label for each class")
    counts = _counts(cells, names)
    if sums_up(names[-1]) and len(names) > 2 and _has_margins(counts):
        raise DataError(
            f"The last row and the last column of the matrix, {names[-1]!r}, are the sums of the others.",
            "a row and a column for every class, and no others",
            "leave them out, for instance without margins=True in pandas.crosstab",
        )
    return LabelledMatrix(names, counts)


def _has_margins(counts: NDArray[np.int64]) -> bool:
    """Whether the last row and the last column are the sums of the others."""
    return bool((counts[-1] == counts[:-1].sum(axis=0)).all() and (counts[:, -1] == counts[:, :-1].sum(axis=1)).all())


def _labels_of_frame(frame: Any) -> list[Any]:
    """Return all labels of a cross-table; one that lacks a class in its rows or columns is filled up with zeros."""
    rows, columns = list(frame.index), list(frame.columns)
    if len(set(rows)) < len(rows) or len(set(columns)) < len(columns):
        raise DataError("A class has two rows or two columns.", "one row and one column for every class", NEXT)
    if not set(rows) & set(columns):
        raise DataError(
            f"Rows and columns have no label in common: {rows[:3]} against {columns[:3]}.",
            "the same classes in rows and columns",
            "give the values alone: frame.to_numpy()",
        )
    return rows + [label for label in columns if label not in set(rows)]


def _counts(cells: NDArray[Any], names: tuple[str, ...]) -> NDArray[np.int64]:
    refuse_texts("The matrix", cells)
    try:
        numbers = cells.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("The matrix holds something that is not a number.", "counts of items", NEXT) from None
    bad = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
    if cells.dtype.kind == "b":
        raise DataError("The matrix holds truth values.", "counts of items", NEXT)
    if bad.any():
        i, j = (int(x) for x in np.argwhere(bad)[0])
        where = f"row {i + 1} (class {names[i]}), column {j + 1} (class {names[j]})"
        raise DataError(
            f"The matrix holds {cells[i, j]} in {where}.",
            "counts of items: whole numbers, 0 or more",
            "give counts, not shares; multiply shares by the number of items" if 0 < numbers[i, j] < 1 else "",
        )
    if not 0 < numbers.sum() <= MOST_ITEMS:
        raise DataError(
            "The matrix has no items." if not numbers.any() else "The counts overflow.", "at least one item"
        )
    return cells.astype(np.int64)


def read_matrix(path: AnyPath) -> LabelledMatrix:
    """Read a matrix from a CSV or TSV file, with or without a header and a first column of labels."""
    name, text = read_text(path)
    first = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=first.count))
        rows = [row for row in lines if any(row)]
    except csv.Error as problem:  # a field of more than 131,072 characters
        raise FileError(f"{name} cannot be read: {problem}.", "a square matrix of counts", NEXT) from None
    if not rows:
        raise FileError(f"{name} is empty.", "a square matrix of counts", NEXT)
    header, names = _take_labels(rows)
    _refuse_odd_rows(name, rows)
    if header is not None and names is not None and header != names:
        raise FileError(
            f"{name} has the columns {', '.join(header)} and the rows {', '.join(names)}.",
            "the same classes in the same order",
            "sort one of them; for predictions, name the columns: --truth COLUMN --a COLUMN",
        )
    try:
        return matrix_of([[float(cell) for cell in row] for row in rows], names or header)
    except DataError as error:
        raise FileError(f"{name}: {error.what}", error.expected, error.next) from None


def _take_labels(rows: list[list[str]]) -> tuple[list[str] | None, list[str] | None]:
    """Take the header and the first column off the rows if they are labels, which may also be numbers."""
    first = rows[0]
    # a first row "a,9,7,3" is a header only if there are as many rows as columns: else "a" is the label of the row
    is_header = not all(map(is_number, first[1:])) or (not is_number(first[0]) and len(rows) >= len(first))
    header = rows.pop(0) if is_header else None
    texts = not all(is_number(row[0]) for row in rows)
    beside = texts or (header is not None and bool(rows) and len(rows[0]) == len(rows) + 1)
    names = [row.pop(0) for row in rows] if beside else None
    if header is not None and beside and len(header) == len(rows) + 1:
        header = header[1:]
    return header, names


def _refuse_odd_rows(name: str, rows: list[list[str]]) -> None:
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if not is_number(cell):
                raise FileError(
                    f"{name} holds {cell!r} in row {i + 1}, column {j + 1} of the matrix.",
                    "a square matrix of counts",
                    "if these are predictions, name the columns: --truth COLUMN --a COLUMN",
                )
        if len(row) != len(rows):
            raise FileError(
                f"Row {i + 1} of the matrix in {name} has {len(row)} columns, and there are {len(rows)} rows.",
                "a square matrix with a row and a column for every class",
                "if these are predictions, name the columns: --truth COLUMN --a COLUMN",
            )
