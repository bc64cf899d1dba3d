"""Frames of any engine in, a tally or columns out; counting, checking and joining run where the rows are.

narwhals speaks to pandas, polars, pyarrow, DuckDB, Dask and Spark alike. What comes back is small: the combinations of
labels with their counts, or a few ids that are wrong. Whatever is to be said about labels is said of the tally.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.data.arrays import (
    COLLECTIONS,
    EXTRA_ROLES,
    Tally,
    dropped,
    few_labels,
    is_missing,
    refuse_many_combinations,
)
from clearwin.data.label_tables import WORD
from clearwin.errors import DataError, UnknownNameError, first_few, setting
from clearwin.numerics.arrays import Ints
from clearwin.results.caveats import Caveat
from clearwin.text import composed, counted


def tally_frame(frame: Any, **columns: str) -> Tally:
    """Count the label combinations of columns of any frame that narwhals knows, eager or lazy: one group-by."""
    import narwhals as nw

    table = picked(frame, columns)
    tally = _grouped(table, columns)
    for i, (role, column) in enumerate(columns.items()):
        missing = sum(count for key, count in tally.items() if is_missing(key[i]))
        if missing:
            where = ""
            if isinstance(table, nw.DataFrame):
                rows = [j for j, value in enumerate(table.get_column(role).to_list()) if is_missing(value)]
                where = f", in row{'s' * (missing > 1)} {first_few(rows, missing)} (counted from 0)"
            raise DataError(
                f"Column {column!r} has {counted(missing, 'missing value')}{where}.",
                f"a {role} in every row" if role in EXTRA_ROLES else "a label in every row",
                setting("missing", "drop") + " to leave those rows out, or give a missing answer a label of its own",
            )
    return _checked(tally, columns)


def tally_complete_rows(frame: Any, **columns: str) -> tuple[Tally, tuple[Caveat, ...]]:
    """Count as ``tally_frame`` does, without the rows that lack something, and say how many do."""
    tally = _grouped(picked(frame, columns), columns)
    lacking = {key: [is_missing(value) for value in key] for key in tally}
    by_column = dict.fromkeys(columns.values(), 0)
    for column, of_keys in zip(columns.values(), zip(*lacking.values(), strict=True), strict=True):
        by_column[column] = sum(count for count, is_lacking in zip(tally.values(), of_keys, strict=True) if is_lacking)
    left_out = sum(count for key, count in tally.items() if any(lacking[key]))
    doubts = dropped(by_column, left_out, sum(tally.values()))
    return _checked({key: count for key, count in tally.items() if not any(lacking[key])}, columns), doubts


def _grouped(table: Any, roles: Mapping[str, str]) -> Tally:
    """Return how many rows have each combination of values, also of missing ones."""
    import narwhals as nw

    try:
        eager = collected(table.group_by(*roles).agg(nw.len().alias("n")))
        tally: dict[tuple[Any, ...], int] = {}
        for *values, count in eager.iter_rows():
            key = composed(tuple(values))
            tally[key] = tally.get(key, 0) + int(count)
    except Exception as error:  # every engine has exceptions of its own
        raise DataError(
            f"The frame's engine cannot count these columns: {str(error).partition(chr(10))[0]}",
            "columns of labels: numbers, bools or texts",
        ) from error
    if not tally:
        raise DataError("The frame has no rows.", "at least one item")
    return tally


def _checked(tally: Tally, columns: Mapping[str, str]) -> Tally:
    for i, (role, column) in enumerate(columns.items()):
        if role not in EXTRA_ROLES:
            few_labels(column, list({key[i] for key in tally}))
    refuse_many_combinations(columns, len(tally))
    return tally


@dataclass(frozen=True, eq=False)
class LabelPatterns:
    """The different rows of 0/1 columns, packed into numbers for each role, and how many rows are like each."""

    words: dict[str, list[Ints]]
    times: Ints
    extra: dict[str, Any]  # groups and strata of these rows


def count_label_columns(
    frame: Any, tables: Mapping[str, Sequence[str]], extra: Mapping[str, str]
) -> LabelPatterns | None:
    """Count rows that have the same labels, group and stratum, on the frame's own engine.

    None if anything is wrong: some cell is neither 0 nor 1, or something is missing. Whoever reads the cells can say
    where.
    """
    import narwhals as nw

    cells = {f"{role} {j}": name for role, names in tables.items() for j, name in enumerate(names)}
    table = picked(frame, {**cells, **extra})
    types = table.collect_schema()
    if not all(types[cell] == nw.Boolean or types[cell].is_numeric() for cell in cells):
        return None
    if any(types[name].is_float() for name in extra):  # of which nan is one to some engines
        return None
    if not _are_filled(table, types, cells, extra):
        return None
    words: dict[str, list[str]] = {role: [] for role in tables}
    packed = {}
    for role, names in tables.items():
        for first in range(0, len(names), WORD):
            *others, highest = [f"{role} {j}" for j in range(first, min(first + WORD, len(names)))]
            word: Any = nw.col(highest).cast(nw.Int64)
            for cell in reversed(others):  # Horner's way: an engine that works step by step keeps one column
                word = word * 2 + (nw.col(cell) if types[cell].is_signed_integer() else nw.col(cell).cast(nw.Int64))
            words[role].append(f"{role} word {first}")
            packed[words[role][-1]] = word
    packed_rows = table.select(*(word.alias(name) for name, word in packed.items()), *extra)
    counted = collected(packed_rows.group_by(*packed, *extra).agg(nw.len().alias("n")))

    def whole(name: str) -> Ints:
        return np.asarray(counted.get_column(name).to_numpy(), dtype=np.int64)

    return LabelPatterns(
        {role: [whole(name) for name in names] for role, names in words.items()},
        whole("n"),
        {role: _names(counted.get_column(role)) for role in extra},
    )


def _are_filled(table: Any, types: Any, cells: Iterable[str], extra: Iterable[str]) -> bool:
    """Whether there are rows, every cell is 0 or 1, and no group or stratum is missing."""
    import narwhals as nw

    names, numbers = [*cells, *extra], [cell for cell in cells if types[cell] != nw.Boolean]
    fractions = {cell: nw.col(cell).cast(nw.Float64) for cell in numbers if not types[cell].is_integer()}
    # whole numbers are 0 or 1 if the least and the greatest are, which takes no column of flags
    asked = [nw.col(name).count().alias(f"filled {name}") for name in names]
    asked += [nw.col(cell).min().alias(f"least {cell}") for cell in numbers]
    asked += [nw.col(cell).max().alias(f"most {cell}") for cell in numbers]
    # of fractions each is asked: to some engines nan is equal to itself, and neither the least nor the greatest
    asked += [((x == 0) | (x == 1)).cast(nw.Int64).sum().alias(f"filled whole {cell}") for cell, x in fractions.items()]
    [found] = collected(table.select(nw.len().alias("rows"), *asked)).iter_rows(named=True)
    if not found["rows"] or any(found[name] != found["rows"] for name in found if name.startswith("filled ")):
        return False
    return all(0 <= found[f"least {cell}"] <= found[f"most {cell}"] <= 1 for cell in numbers)


def hold_collections(frame: Any, columns: Iterable[Any]) -> bool:
    """Whether the columns have a collection of labels in each row; raise if only some of them do."""
    import narwhals as nw

    table, known = frame_and_columns(frame)
    wanted = [column for column in dict.fromkeys(columns) if column in known]
    types = table.select(*map(nw.col, wanted)).collect_schema() if wanted else {}
    of_lists = {column: isinstance(types[column], nw.List | nw.Array) for column in wanted}
    for column in [column for column in wanted if types[column] == nw.Object]:  # pandas does not say of what
        first = [*collected(table.select(nw.col(column)).drop_nulls().head(1)).iter_rows()]
        if first:
            of_lists[column] = isinstance(first[0][0], COLLECTIONS)
        else:
            del of_lists[column]  # nothing but missing values
    alone = [column for column, of_list in of_lists.items() if not of_list]
    several = [column for column, of_list in of_lists.items() if of_list]
    if alone and several:
        raise DataError(
            f"Column {several[0]!r} has several labels in each row, and column {alone[0]!r} has one.",
            "lists of labels in all of the columns, or one label in each row of all of them",
            f"make lists of the labels in {alone[0]!r}, or name another column",
        )
    return bool(several)


def _names(column: Any) -> Any:
    """Return names of groups or strata: an array of whole numbers, or a list."""
    return column.to_numpy() if column.dtype.is_integer() else column.to_list()


def rows_in_memory(frame: Any, most: int, besides: Iterable[Any]) -> tuple[Any, Any, str | None] | None:
    """Return the first rows of a frame in memory, with their times and what the column of these is called.

    None for other frames, whose rows have no order or would have to be worked out. Where a frame is longer, its times
    are not looked at, because sorting all rows would take long.
    """
    import narwhals as nw

    table, known = frame_and_columns(frame)
    if not isinstance(table, nw.DataFrame):
        return None
    types, times, name = table.collect_schema(), getattr(frame, "index", None), None
    if len(table) > most or getattr(getattr(times, "dtype", None), "kind", "") != "M":
        times = None
    dates = [column for column in known if column not in {*besides} and types[column] in (nw.Date, nw.Datetime)]
    if times is None and dates and len(table) <= most:
        name, times = str(dates[0]), table.get_column(dates[0]).to_numpy()
    return table.head(most).to_native(), times, name


def collected(table: Any) -> Any:
    """Return an eager frame: what the engine was asked for is worked out now."""
    import narwhals as nw

    return table.collect() if isinstance(table, nw.LazyFrame) else table


def columns_of_frame(frame: Any, **columns: str) -> list[Any]:
    """Return columns of any frame that narwhals knows, as lists or arrays in one order."""
    eager = collected(picked(frame, columns))
    if not len(eager):
        raise DataError("The frame has no rows.", "at least one item")
    return [_values(eager.get_column(role)) for role in columns]


def _values(column: Any) -> Any:
    """Return a list; an array of narrow floats, because a list would not tell that they are narrow.

    A column of lists is returned itself, because as objects all of them would fill the memory.
    """
    import narwhals as nw

    if isinstance(column.dtype, nw.List | nw.Array):
        return column.to_native()
    narrow = {"Float32": np.float32, "Float16": np.float16}.get(str(column.dtype))
    return column.to_list() if narrow is None else np.array(column.to_list(), dtype=narrow)


def fetch_columns(frame: Any, roles: Mapping[str, Any], groups: str | list[str] | None = None) -> dict[str, Any]:
    """Fetch the columns that were named; a list of names is fetched as a table, several columns of groups as a list."""
    named = {role: column for role, column in roles.items() if column is not None}
    of_groups = [] if groups is None else [groups] if isinstance(groups, str) else list(groups)
    wanted = {**named, **{f"groups {i}": column for i, column in enumerate(of_groups)}}
    several = {role: list(column) for role, column in wanted.items() if isinstance(column, list | tuple)}
    flat = {role: column for role, column in wanted.items() if role not in several}
    flat |= {f"{role} {i}": column for role, columns in several.items() for i, column in enumerate(columns)}
    fetched = dict(zip(flat, columns_of_frame(frame, **flat), strict=True))
    found = {role: fetched[role] for role in named if role not in several}
    for role, columns in several.items():
        found[role] = np.stack([np.asarray(fetched.pop(f"{role} {i}")) for i in range(len(columns))], axis=1)
    if of_groups:
        found["groups"] = [fetched[f"groups {i}"] for i in range(len(of_groups))]
    return found


def picked(frame: Any, columns: Mapping[str, str]) -> Any:
    """Return the columns under the names of their roles."""
    import narwhals as nw

    table, known = frame_and_columns(frame)
    _check_columns(known, columns)
    return table.select(*(nw.col(column).alias(role) for role, column in columns.items()))


def frame_and_columns(frame: Any) -> tuple[Any, list[Any]]:
    """Return a frame of any engine as narwhals has it, and the names of its columns."""
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        known = list(table.collect_schema().names())
    except TypeError:
        raise DataError(
            f"A {type(frame).__name__} is not a frame.",
            "a pandas, polars, pyarrow, DuckDB, Dask or Spark frame",
            "for arrays use compare(truth, a, b)",
        ) from None
    except nw.exceptions.NarwhalsError as error:  # a column name twice
        what = " ".join(str(error).split())
        raise DataError(f"The frame cannot be used: {what}", "a different name for every column") from None
    return table, known


def _check_columns(known: list[Any], columns: Mapping[str, Any]) -> None:
    for role, column in columns.items():
        if column is None or isinstance(column, list | tuple | dict | set) or column not in known:
            next = "" if known else "give a frame with columns"
            raise UnknownNameError("column", column, [str(name) for name in known], next)
        model, _, label = role.partition(" ")  # of label sets: "a 3" is to "truth 3" what "a" is to "truth"
        of_label = None if model in ("truth", "groups") else columns.get(f"truth {label}")
        # the classes themselves may well be the strata
        if role not in ("truth", "strata", *EXTRA_ROLES) and column in (columns.get("truth"), of_label):
            told = model if column == of_label else role
            raise DataError(f"truth and {told} are both the column {column!r}.", "decisions in a column of their own")
    a, b = ([column for role, column in columns.items() if role.partition(" ")[0] == name] for name in "ab")
    if b and a == b:
        told = f"the column {b[0]!r}" if len(b) == 1 else f"the columns {first_few(b, len(b))}"
        raise DataError(f"a and b are both {told}.", "two models, each in a column of its own")


# --- several frames, joined by id ---------------------------------------------------------------------------------


def join_frames(frames: Mapping[str, Any], *, id: str) -> Any:
    """Return frames of one engine joined by a column of ids.

    Rows are matched by ``id``, never by position. Every frame must have every id once: missing, repeated and unmatched
    ids are refused, and the engine does the counting. If a frame has one column besides the
    id, that column gets the name under which the frame was given; if it has more, every column gets that name, a point
    and its own name: ``svm.label``, ``svm.score``. The result is what the verbs take as ``data``.

    >>> import polars as pl
    >>> import clearwin as cw
    >>> gold = pl.DataFrame({"item": [1, 2, 3, 4], "label": [1, 0, 1, 0]})
    >>> svm = pl.DataFrame({"item": [4, 3, 2, 1], "label": [0, 0, 0, 1]})
    >>> cw.join_frames({"gold": gold, "svm": svm}, id="item").sort("item").rows()
    [(1, 1, 1), (2, 0, 0), (3, 1, 0), (4, 0, 0)]
    """
    import narwhals as nw

    if not isinstance(frames, Mapping) or len(frames) < 2:
        raise DataError(
            "There are not two frames to join.", "a mapping of names to frames", 'join_frames({"gold": …, "svm": …}, …)'
        )
    tables = {name: _with_columns_named(name, frame, id) for name, frame in frames.items()}
    engines = {name: str(table.implementation) for name, table in tables.items()}
    if len(set(engines.values())) > 1:
        raise DataError(
            "The frames are of different engines: "
            + ", ".join(f"{name} of {of}" for name, of in engines.items())
            + ".",
            "frames of one engine, which joins them",
            "convert them, for instance each with .to_pandas()",
        )
    texts = [name for name, table in tables.items() if table.collect_schema()[id] == nw.String]
    if texts and len(texts) < len(tables):
        raise DataError(
            f"Ids are texts in {', '.join(texts)}, and elsewhere they are not.",
            "ids of one type: as a number 01 is 1, as a text it is not",
            "convert one of them to the type of the other",
        )
    if texts:
        tables = {name: _with_composed_ids(table, id) for name, table in tables.items()}
    for name, table in tables.items():
        _refuse_wrong_ids(name, table, id)
    first, *others = tables
    for other in others:
        for here, there in ((first, other), (other, first)):
            lonely = tables[here].select(nw.col(id)).join(tables[there].select(nw.col(id)), on=id, how="anti")
            _refuse_ids(lonely, id, f"{there} lacks {{ids}} of {here}.", "the same ids in every frame, of one type")
    joined = tables[first]
    for other in others:
        joined = joined.join(tables[other], on=id, how="inner")
    return joined.to_native()


def _with_columns_named(name: str, frame: Any, id: str) -> Any:
    """Return a frame with its columns called by the name of the frame, but for the id."""
    import narwhals as nw

    table, known = frame_and_columns(frame)
    if id not in known:
        raise UnknownNameError(f"column of {name}", id, [str(column) for column in known])
    others = [column for column in known if column != id]
    if not others:
        raise DataError(f"{name} has no column besides {id!r}.", "a column with the truth or a model's answers")
    named = {column: name if len(others) == 1 else f"{name}.{column}" for column in others}
    return table.select(nw.col(id), *(nw.col(column).alias(new) for column, new in named.items()))


def _with_composed_ids(table: Any, id: str) -> Any:
    """Return a frame whose ids have every accent in one piece with its letter; ids that are not ASCII are fetched."""
    import narwhals as nw

    others = collected(table.select(nw.col(id)).filter(nw.col(id).str.contains(r"[^\x00-\x7F]")))
    changed = {text: composed(text) for (text,) in others.iter_rows() if composed(text) != text}
    if not changed:
        return table
    ids = nw.col(id).replace_strict(changed, default=nw.col(id), return_dtype=nw.String)
    return table.with_columns(ids.alias(id))


def _refuse_wrong_ids(name: str, table: Any, id: str) -> None:
    """Refuse a frame without rows, or one in which an id is missing or comes twice."""
    import narwhals as nw

    [(size, filled)] = collected(table.select(nw.len().alias("size"), nw.col(id).count().alias("filled"))).iter_rows()
    if not size:
        raise DataError(f"{name} has no rows.", "at least one item")
    if filled < size:
        raise DataError(f"{name} has {size - filled:,} rows without an id.", f"a value of {id!r} in every row")
    counted = table.select(nw.col(id)).group_by(id).agg(nw.len().alias("rows"))
    twice = counted.filter(nw.col("rows") > 1).select(nw.col(id))
    _refuse_ids(twice, id, f"{name} repeats {{ids}}.", "every id once")


def _refuse_ids(wrong: Any, id: str, what: str, expected: str) -> None:
    """Refuse the ids of a table, if it has some, naming the first three of them."""
    import narwhals as nw

    [(count,)] = collected(wrong.select(nw.len().alias("count"))).iter_rows()
    if count:
        few = [value for (value,) in collected(wrong.sort(id).head(3)).iter_rows()]
        told = f"{count:,} id{'s' if count > 1 else ''} ({first_few(map(repr, few), count)})"
        raise DataError(
            what.format(ids=told), expected, f"add or remove these items, or name another column than {id!r}"
        )
