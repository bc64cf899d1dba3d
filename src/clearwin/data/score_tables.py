"""Tables of scores in, one row for each data set and one column for each model: arrays, mappings, frames and files."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.data.files.columns import INDEX, read_columns
from clearwin.data.files.sources import AnyPath, open_source, open_table, scratch_database
from clearwin.data.frames import columns_of_frame
from clearwin.errors import DataError, FileError, OptionError, UnknownNameError, first_few, setting
from clearwin.numerics.arrays import Floats
from clearwin.text import as_number, composed, other_number, refuse_alike, refuse_other_numbers

RULE = "one row for each data set, one column for each model"
LARGEST = 1e150  # sums and differences of scores must not overflow
FOLDS = "average the scores of each data set first, for instance over its folds"


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of models (columns) on data sets (rows), with their names."""

    models: tuple[str, ...]
    data_sets: tuple[str, ...]
    scores: Floats


def read_scores(scores: Any, names: Any = None) -> ScoreTable:
    """Read a two-dimensional array, a mapping from model to column, or a frame; ``names`` are those of the models."""
    if isinstance(scores, Mapping):
        return _of_columns(dict(scores), None, names)
    kind = type(scores)  # to ask a lazy frame itself would resolve its columns, of which polars warns
    if hasattr(kind, "columns") or hasattr(kind, "__dataframe__") or hasattr(kind, "__narwhals_dataframe__"):
        return _of_frame(scores, names)
    if np.ma.is_masked(scores):
        raise DataError("Some scores are masked.", "a score of each model on each data set", "leave these rows out")
    try:
        array = np.asarray(scores)
    except ValueError:
        raise DataError("The rows of the table have different lengths.", RULE) from None
    if array.ndim != 2:
        raise DataError(f"The table of scores has shape {array.shape}.", f"two dimensions: {RULE}")
    return _of_columns({name: array[:, j] for j, name in enumerate(_letters(array.shape[1]))}, None, names)


def read_long(frame: Any, columns: Any, names: Any = None) -> ScoreTable:
    """Read a frame, or a mapping, with one row for each score; ``columns`` name the data set, the model and the score.

    >>> rows = {"set": ["x", "x", "y", "y"], "who": ["svm", "knn", "svm", "knn"], "acc": [0.9, 0.8, 0.7, 0.6]}
    >>> table = read_long(rows, ("set", "who", "acc"))
    >>> table.models, table.scores.tolist()
    (('svm', 'knn'), [[0.9, 0.8], [0.7, 0.6]])
    """
    wanted = _three(columns)
    if isinstance(frame, Mapping):
        for column in wanted:
            if column not in frame:
                raise UnknownNameError("column", column, map(str, frame))
        found = [list(frame[column]) for column in wanted]
    else:
        found = columns_of_frame(frame, **dict(zip(("sets", "who", "score"), wanted, strict=True)))
    data_sets, models, scores = found
    return _pivoted(data_sets, models, scores, names)


def _three(columns: Any) -> list[str]:
    found = [name.strip() for name in columns.split(",")] if isinstance(columns, str) else columns
    if not isinstance(found, list | tuple) or len(found) != 3:
        raise OptionError(
            f"long is {columns!r}.",
            "three columns: that of the data set, that of the model and that of the score",
            setting("long", ["dataset", "model", "accuracy"]),
        )
    return [str(name) for name in found]


def _pivoted(data_sets: Sequence[Any], models: Sequence[Any], scores: Sequence[Any], names: Any) -> ScoreTable:
    """Put one score for each data set and model into a table, in the order in which they come."""
    found: dict[tuple[str, str], Any] = {}
    keys = ([composed(str(name)) for name in column] for column in (data_sets, models))
    for data_set, model, score in zip(*keys, scores, strict=True):
        if (data_set, model) in found:
            what = f"There are two scores or more of {model} on the data set {data_set!r}."
            raise DataError(what, "one score of each model on each data set", FOLDS)
        found[data_set, model] = score
    rows, columns = (list(dict.fromkeys(key[place] for key in found)) for place in (0, 1))
    lacking = [f"{model} on {row!r}" for row in rows for model in columns if (row, model) not in found]
    if lacking:
        raise DataError(
            f"There is no score of {first_few(lacking, len(lacking))}.",
            "a score of each model on each data set",
            "leave out these data sets or these models, because ranks need every score",
        )
    return _of_columns({model: [found[row, model] for row in rows] for model in columns}, rows, names)


def _letters(k: int) -> list[str]:
    return list(string.ascii_uppercase[:k]) if k <= 26 else [f"model {j + 1}" for j in range(k)]


def _of_frame(frame: Any, names: Any) -> ScoreTable:
    """Numeric columns are the models; a column of texts, or pandas' index of texts, names the data sets."""
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        eager = table.collect() if isinstance(table, nw.LazyFrame) else table
        columns = {str(name): eager.get_column(name) for name in eager.columns}
    except (TypeError, nw.exceptions.NarwhalsError) as error:
        what = f"The {type(frame).__name__} cannot be used: {' '.join(str(error).split())[:200]}"
        raise DataError(what, f"a frame with {RULE}") from None
    numeric = {name: column for name, column in columns.items() if column.dtype.is_numeric() or _holds_numbers(column)}
    others = [name for name in columns if name not in numeric]
    if len(others) > 1:
        raise DataError(
            f"The columns {first_few(others, len(others))} are not numbers.",
            "numbers for each model, and at most one column of texts, with the names of the data sets",
            "choose the columns first; "
            + setting("long", ["dataset", "model", "accuracy"])
            + " for a table with one row for each score",
        )
    named = columns[others[0]].to_list() if others else None
    index = getattr(frame, "index", None)
    if named is None and index is not None and len(index) and all(isinstance(label, str) for label in index):
        named = list(index)
    return _of_columns({name: column.to_list() for name, column in numeric.items()}, named, names)


def _holds_numbers(column: Any) -> bool:
    """Whether a column of objects holds numbers only, as pandas keeps Decimals and mixed columns."""
    from numbers import Number

    values = column.to_list()
    return bool(values) and all(isinstance(value, Number) and not isinstance(value, bool) for value in values)


def _refuse_row_numbers(model: str, scores: Floats) -> None:
    """0, 1, 2 … or 1, 2, 3 … are the numbers of the rows, which would rank as a model."""
    count = np.arange(scores.size)
    if scores.size > 2 and (np.array_equal(scores, count) or np.array_equal(scores, count + 1)):
        raise DataError(
            f"The column {model!r} counts the rows: {first_few((f'{x:g}' for x in scores), scores.size)}.",
            f"scores of models; {RULE}",
            "leave that column out, or choose the columns of the models",
        )


def _of_columns(columns: dict[Any, Any], data_sets: Sequence[Any] | None, names: Any) -> ScoreTable:
    models = [str(name) for name in columns]
    lengths = {str(name): len(column) for name, column in columns.items() if np.ndim(column) == 1}
    if len(lengths) < len(models) or len(set(lengths.values())) > 1:
        told = first_few((f"{name} has {n:,}" for name, n in lengths.items()), len(lengths))
        raise DataError(f"The columns are not equally long: {told}.", f"a score of each model on each data set: {RULE}")
    called = models if names is None else _given_names(names, len(models))
    if len(models) < 2:
        raise DataError(
            f"{'There is only 1 model' if models else 'There are no models'}.", f"two models or more; {RULE}"
        )
    twice = [name for name, count in Counter(called).items() if count > 1]
    if twice:
        raise DataError(f"Two models are called {twice[0]!r}.", "a different name for each model")
    refuse_alike(called)
    n = next(iter(lengths.values()))
    rows = [str(i + 1) for i in range(n)] if data_sets is None else [composed(str(name)) for name in data_sets]
    _refuse_repeated(rows)
    if n < 2:
        raise DataError(
            "There is only 1 data set." if n else "There are no data sets.",
            f"two data sets or more; {RULE}",
            "for two models on one test set use compare(truth, a, b)",
        )
    numbers = [_numbers(name, column, rows) for name, column in zip(called, columns.values(), strict=True)]
    for name, column in zip(called, numbers, strict=True):
        _refuse_row_numbers(name, column)
    return ScoreTable(tuple(called), tuple(rows), np.column_stack(numbers))


def _given_names(names: Any, k: int) -> list[str]:
    given = [] if isinstance(names, str) or not isinstance(names, Iterable) else [str(name) for name in names]
    if len(given) != k:
        raise OptionError(
            f"names is {names!r}.", f"a name for each of the {k} models", setting("names", ["nbc", "aode", "j48"])
        )
    return given


def _refuse_repeated(rows: list[str]) -> None:
    """Folds of one data set as rows of their own would count as several data sets."""
    name, count = Counter(rows).most_common(1)[0] if rows else ("", 0)
    if count > 1:
        raise DataError(f"The data set {name!r} has {count:,} rows.", "one row for each data set", FOLDS)


def _numbers(model: str, column: Any, rows: list[str]) -> Floats:
    values = np.empty(len(rows))
    for i, value in enumerate(column):
        try:
            if isinstance(value, bool | np.bool_ | complex | np.complexfloating):
                raise TypeError
            if isinstance(value, str) and as_number(value) is None:
                raise ValueError
            values[i] = float(value)
            sound = abs(values[i]) <= LARGEST  # nan is not
        except (TypeError, ValueError):
            sound = False
        if not sound:
            if isinstance(value, str):
                refuse_other_numbers(f"The column of {model}", [(value, f"on data set {rows[i]}")])
            raise DataError(
                f"The score of {model} on data set {rows[i]} is {value!r}.",
                "a number for each model on each data set",
                "leave out that data set or that model, because ranks need every score",
            )
    return values


def read_scores_file(
    path: AnyPath, models: Sequence[str] | None = None, name_column: str | None = None, long: str | None = None
) -> ScoreTable:
    """Read a file with one row for each data set, or for each score: ``long`` names data set, model and score then.

    ``models`` are the columns of scores, by default all but the names of the data sets; those stand in
    ``name_column``, by default the only column that does not hold numbers, if there is one.
    """
    with scratch_database() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source)
        known = list(table.texts)
        for column in [*(models or ()), *([name_column] if name_column else []), *(_three(long) if long else [])]:
            if column not in known:
                raise UnknownNameError(f"column of {source.name}", column, known)
        # what was not asked for may hold anything, unless it may be the column of names
        read = _three(long) if long else [*models, name_column] if models and name_column else known
        places = {f"c{i}": column for i, column in enumerate(read)}
        found = read_columns(db, table, places, "SELECT * FROM items")
    columns = dict(zip(read, zip(*found, strict=True), strict=True)) if found else dict.fromkeys(read, ())
    if long is None and name_column is None:
        name_column = _column_of_names(columns, models, source.name)
    without = (name_column, *INDEX) if models is None else (name_column,)
    chosen = {name: columns[name] for name in models or read if name not in without}
    try:
        if long is not None:
            return read_long(columns, long)
        return _of_columns(chosen, columns[name_column] if name_column else None, None)
    except DataError as error:
        raise FileError(f"{source.name}: {error.what}", error.expected, error.next) from None


def _column_of_names(columns: dict[str, Any], models: Sequence[str] | None, file: str) -> str | None:
    """Return the only column, besides those of the models, in which nothing is a number."""
    texts = [
        name for name, column in columns.items() if name not in (models or ()) and not any(map(_is_number, column))
    ]
    texts = [name for name in texts if columns[name]]
    if len(texts) > 1 and models is None:
        raise FileError(
            f"{file}: the columns {first_few(texts, len(texts))} do not hold numbers.",
            "one column with the names of the data sets",
            f"--name {texts[0]} --models "
            + ",".join(name for name in columns if name not in texts)
            + "; for a table with one row for each score --long DATASET,MODEL,SCORE",
        )
    return texts[0] if len(texts) == 1 else None


def _is_number(text: str | None) -> bool:
    """Whether a text is a number, or one that was not written plainly and is refused as such."""
    if text is None:
        return False
    number = as_number(text)
    return math.isfinite(number) if number is not None else other_number(text) is not None
