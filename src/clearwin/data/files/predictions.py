"""Prediction files in, label combinations, scores or the answers of many models out; everything is text first.

Ids and labels are never taken for numbers or dates: ``NA`` is a label, ``01`` and ``1`` differ, only an
empty field is missing. DuckDB reads, joins and counts, out of core; Python never sees a row, only the
tally, or integer codes where almost every row is unique, as with many models. Whatever is wrong with a file becomes a
``FileError`` in plain words.

A role is what a column is for: ``truth``, ``a`` or ``b``; ``group`` and ``stratum``, where a column is named for
them, come last.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.arrays import MOST_GROUPED, MOST_LABELS, Label, LabelColumn, dropped, is_missing
from clearwin.data.binned_scores import BinnedScores, bin_scores, bytes_of, number_of_bins
from clearwin.data.files.columns import (
    Files,
    Further,
    Opened,
    find_column,
    hold,
    name_of,
    offenders,
    opened,
    read_columns,
    refuse_unusable,
)
from clearwin.data.files.sources import (
    LONGEST_LABEL,
    AnyPath,
    Source,
    TextColumns,
    complaints,
    is_number,
    json_layout,
    json_object,
    narrow_floats,
    quoted,
    read_text,
    reading,
    run,
    run_as_arrays,
    sql_number,
)
from clearwin.data.marks import MARKS, mark_of
from clearwin.data.model_columns import LOOKED_AT, ModelColumns, columns_with_answers, named_columns
from clearwin.data.reading import Reading
from clearwin.data.row_order import MOST_ROWS
from clearwin.data.scores import models_with_lower_positive
from clearwin.errors import FileError, first_few, setting
from clearwin.measures import Measure
from clearwin.numerics.arrays import Ints
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Disagreement
from clearwin.text import refuse_other_numbers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database


MOST_BROKEN_NUMBERS = 10  # a class may well be called 0.5 or 3.11, but not many of them
MOST_COMBINATIONS = 1_000_000  # more than this are ids or scores, not labels, and would fill the memory
MEMORY_FOR_BINS = 300_000_000  # bytes in which DuckDB counts a million bins
NEXT_OF_ITEMS = (
    'if it has items: save them as an array with an object for each, [{"truth": "cat", "a": "dog", "b": "cat"}], and '
    "name the columns: --truth truth --a a --b b"
)
CELLS = tuple(f"e{i}" for i in range(1, 9))


@dataclass(frozen=True, eq=False)
class FileScores:
    """Each model's score for every item, the true label if there is a truth, names to show, groups and strata."""

    truth: list[str] | None
    scores: tuple[Any, ...]
    names: tuple[str, ...]
    extra: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class FileTally:
    """How many items have each combination of labels, groups and strata, and a name to show for truth, a and b."""

    counts: dict[tuple[str, ...], int]
    names: tuple[str, ...]
    doubts: tuple[Caveat, ...] = ()


def tally_file(
    files: Files, columns: Mapping[str, str | None], *, id_column: str | None = None, missing: str = "refuse"
) -> FileTally:
    """Count the label combinations in one file, or over one file per role; ``columns`` maps each role to its column."""
    with opened(files, columns, id_column, in_place=True, missing=missing) as found:
        most = MOST_GROUPED if found.extra else MOST_COMBINATIONS
        rows = found.combinations(most)
        if found.table is not None:
            if not rows or (missing == "refuse" and any(None in row for row in rows)):
                found.run("SELECT 1 FROM {items} LIMIT 1")  # all rows again, to say which
                refuse_unusable(found.db, found.source, "items", found.columns)
            if found.ids:
                hold(found.db, found.table, found.ids, "held")
    _refuse_many(len(rows), most, found)
    rows, doubts = _complete(rows, list(found.columns.values()))
    # threads find the groups in any order; sorted, the same file always gives the same result
    counts = {tuple(labels): count for *labels, count in sorted(rows)}
    _refuse_scores(counts, [take.column for take in found.taken.values()])
    return FileTally(counts, found.names(), doubts)


def first_items(file: Files, columns: Mapping[str, str | None]) -> dict[str, list[str]]:
    """Return the texts of the first rows in their order, by role, without rows that lack one."""
    with opened(file, columns, None, in_place=True, missing="drop") as found:
        roles = list(found.columns)
        rows = found.run(f"SELECT {', '.join(map(name_of, roles))} FROM {{items}} LIMIT {MOST_ROWS}")
    complete = [row for row in rows if None not in row]
    return {role: [row[i] for row in complete] for i, role in enumerate(roles)}


@dataclass(frozen=True)
class ItemsOfFile:
    """How many rows a file has, how many of them differ in some columns, and a digest of these in any order."""

    rows: int
    different: int
    digest: str


def items_of_file(file: Files, columns: Sequence[str]) -> ItemsOfFile:
    """Look at the ids and labels of any number of items; DuckDB adds up a hash of each row, so that none is kept."""
    roles = {f"item {i}": column for i, column in enumerate(columns)}
    with opened(file, roles, None, in_place=True) as found:
        row = f"to_json([{', '.join(name_of(role) for role in roles)}])::VARCHAR"
        query = f"SELECT count(*), count(DISTINCT {row}), sum(md5_number_lower({row})) FROM {{items}}"
        [(rows, different, total)] = found.run(query)
    return ItemsOfFile(rows, different, hashlib.sha256(f"{rows} {total}".encode()).hexdigest()[:16])


def _complete(rows: list[Any], columns: Sequence[str]) -> tuple[list[Any], tuple[Caveat, ...]]:
    """Return the rows of labels and a count without those that lack a label, and what was left out."""
    lacking = [row for row in rows if None in row]
    by_column = {name: sum(row[-1] for row in lacking if row[i] is None) for i, name in enumerate(columns)}
    doubts = dropped(by_column, sum(row[-1] for row in lacking), sum(row[-1] for row in rows))
    return [row for row in rows if None not in row], doubts


def _refuse_many(count: int, most: int, found: Opened) -> None:
    if count <= most:
        return
    if found.extra:
        what = f"There are more than {most:,} combinations of labels with {' and '.join(found.extra)} in {found.name}."
        raise FileError(what, f"at most {most:,} of them", "group by something coarser, or leave the groups out")
    what = f"There are more than {most:,} combinations of labels in {found.name}."
    raise FileError(what, "columns of labels", "check that no column holds ids or scores")


def disagreements_file(
    files: Files, columns: Mapping[str, str | None], *, id_column: str | None = None, missing: str = "refuse"
) -> list[Disagreement]:
    """Return the items of one file, or of one file per role, to which A and B give different labels.

    An item is called by its id, or by its row; row 1 is the first item. Items that lack something differ in nothing.
    """
    with opened(files, {**columns, "item": id_column}, id_column, sort=True, missing=missing) as found:
        truth = "" if "truth" in found.taken else ", NULL AS truth"
        rows = f"SELECT row_number() OVER () AS row, *{truth} FROM held"
        complete = " AND ".join(f"{name_of(role)} IS NOT NULL" for role in found.columns)
        item = "item" if id_column else "row"
        query = f"SELECT {item}, truth, a, b FROM ({rows}) WHERE a <> b AND {complete} ORDER BY row"
        return [Disagreement(*row) for row in run(found.db, found.source, query)]


def scores_file(
    files: Files,
    columns: Mapping[str, str | None],
    *,
    id_column: str | None = None,
    rank_infinite: bool = False,
    missing: str = "refuse",
    further: Further | None = None,
) -> FileScores:
    """Read the truth as text, if it is among the roles, the models' columns as numbers, groups and strata as text.

    Numbers are read as they are stored: a float32 of a Parquet file stays one, to which a threshold is rounded. Where
    what is ``missing`` is to be dropped, texts may be None and numbers nan.
    """
    with opened(files, columns, id_column, sort=True, missing=missing, further=further) as found:
        models = [role for role in found.taken if role != "truth"]
        for role in models:
            _refuse_other_than_numbers(found, role, models, rank_infinite, missing)
        narrow = {
            role: narrow_floats(found.db, take.source).get(take.column)
            for role, take in found.taken.items()
            if role != "truth"
        }
        wanted = [name_of(role) for role in found.columns if role not in models]
        wanted += [
            f"CAST({name_of(role)} AS {'FLOAT' if narrow.get(role) else 'DOUBLE'}) AS {name_of(role)}"
            for role in models
        ]
        arrays = run_as_arrays(found.db, found.source, f"SELECT {', '.join(wanted)} FROM held")
    texts = {role: _texts(arrays[role].tolist()) for role in found.columns if role not in models}
    scores = tuple(_floats(arrays[role], narrow.get(role) or "float64") for role in models)
    return FileScores(texts.pop("truth", None), scores, found.names(), texts)


@dataclass(frozen=True, eq=False)
class FileBins:
    """Scores that were counted in bins, and names to show."""

    sample: BinnedScores
    names: tuple[str, ...]


def bin_file(
    files: Files,
    columns: Mapping[str, str | None],
    how: Reading,
    lower_is_positive: Any = False,
    *,
    id_column: str | None = None,
) -> FileBins | None:
    """Count the scores of one file, or of one file per role, in bins; None where they fit into memory as they are."""
    with opened(files, columns, id_column, in_place=True, missing=how.missing) as found:
        models = {role: name_of(role) for role in found.taken if role != "truth"}
        auto = how.bins == "auto"
        few = auto and number_of_bins("auto", how.memory_limit, _most_rows(found), len(models)) is None
        n = found.run("SELECT count(*) FROM {items}")[0][0] if auto and not few else 0
        bins = None if few else number_of_bins(how.bins, how.memory_limit, n, len(models))
        if bins is None:
            return None
        names = found.names()
        numbers = ", ".join(f"{sql_number(name)} AS {name}" for name in models.values())
        found.run("SELECT 1 FROM {items} LIMIT 1")  # makes the view
        items = "held" if found.table is None else "items"
        with complaints(found.source):
            found.db.execute(f"SET memory_limit = '{max(bytes_of(how.memory_limit) // 2, MEMORY_FOR_BINS)}B'")
            sample = bin_scores(
                found.db.sql(f"SELECT truth, {numbers} FROM {items}"),
                "truth",
                {role: role for role in models},
                bins,
                positive=how.positive,
                missing=how.missing,
                lower_is_positive=models_with_lower_positive(
                    lower_is_positive, dict(zip(models, names[1:], strict=True))
                ),
            )
    return FileBins(sample, names)


def _most_rows(found: Opened) -> int:
    """Return a number of rows that the file does not exceed: a row of plain text has at least four bytes."""
    source = found.source
    plain = found.table is not None and (source.kind in ("csv", "tsv") or source.is_json) and not source.zipped
    return source.path.stat().st_size // 4 if plain else 2**62


def _texts(values: list[Any]) -> list[Any]:
    return [None if is_missing(value) else str(value) for value in values]


def _floats(values: Any, kind: Any) -> NDArray[Any]:
    """Return numbers; where the file has none, nan."""
    return np.asarray(np.ma.filled(values.astype(kind), np.nan) if np.ma.isMaskedArray(values) else values, dtype=kind)


def _refuse_other_than_numbers(found: Opened, role: str, models: list[str], rank_infinite: bool, missing: str) -> None:
    """Refuse a column that is not a number for every item, finite unless infinite ones are to be ranked."""
    db, source, column = found.db, found.taken[role].source, found.taken[role].column
    text = name_of(role)
    rows = f"SELECT row_number() OVER () AS row, {text} AS text, {sql_number(text)} AS value FROM held"
    wrong = "value IS NULL OR isnan(value)" if missing == "refuse" else "value IS NULL AND text IS NOT NULL"
    bad = offenders(db, source, "row", f"SELECT row FROM ({rows}) WHERE {wrong}")
    if bad:
        examples = run(db, source, f"SELECT text, row FROM ({rows}) WHERE {wrong} ORDER BY row LIMIT {LOOKED_AT}")
        refuse_other_numbers(
            f"Column {column!r} of {source.name}",
            [(text, f"in row {row:,}; row 1 is the first item") for text, row in examples if text is not None],
            FileError,
        )
        raise FileError(
            f"Column {column!r} of {source.name} is not a number in {bad}; row 1 is the first item.",
            "a score for every item",
            _what_now(db, source, role, [found.taken[r].column for r in models if r != role]),
        )
    _refuse_rounded(found, role, rows)
    infinite = offenders(db, source, "row", f"SELECT row FROM ({rows}) WHERE isinf(value)")
    if infinite and not rank_infinite:
        raise FileError(
            f"Column {column!r} of {source.name} is infinite in {infinite}; row 1 is the first item.",
            "finite numbers",
            "give these items a finite value, leave them out, or rank infinite scores with --rank-infinite",
        )


def _refuse_rounded(found: Opened, role: str, rows: str) -> None:
    """Refuse whole numbers beyond 2⁵³ that floats do not have: neighbours would become one."""
    source, column = found.taken[role].source, found.taken[role].column
    is_whole = "regexp_full_match(trim(text), '[-+]?[0-9]{16,38}')"
    rounded = f"{is_whole} AND TRY_CAST(value AS HUGEINT) <> TRY_CAST(text AS HUGEINT)"
    wrong = offenders(found.db, source, "row", f"SELECT row FROM ({rows}) WHERE {rounded}")
    if wrong:
        raise FileError(
            f"Column {column!r} of {source.name} holds a whole number that a float cannot hold exactly, in {wrong}; "
            "row 1 is the first item.",
            f"whole numbers of at most {2**53:,} in size",
            "subtract what all have in common, for instance the smallest of them",
        )


def _what_now(db: Database, source: Source, role: str, others: list[str]) -> str:
    """Say what to do about a column that is not numbers: decisions can be judged, but not beside another's scores."""
    counted = f"SELECT count({sql_number(name_of(role))}) FROM held"
    labels = run(db, source, f"SELECT DISTINCT {name_of(role)} FROM held LIMIT {len(MARKS)}")
    if all(mark_of(label) for (label,) in labels if label is not None):
        return "these are right and wrong answers: " + setting("measure", "accuracy") + ", without a truth"
    if run(db, source, counted) != [(0,)]:
        return "fill in the scores, or leave these items out; for labels choose a measure of decisions, such as f1"
    if not others:
        return "these are labels: choose a measure of decisions, such as f1, without a threshold"
    return (
        "these are labels: if all models have labels, choose a measure of decisions, such as f1, without a threshold; "
        f"if {first_few(others, len(others))} has scores, turn them into decisions with the truth's labels first, in a "
        "column of their own"
    )


def is_counts_file(path: AnyPath) -> bool:
    """Tell whether a file holds the eight joint counts: .json with one object, and not with an object for each item."""
    place = Path(path)
    if not os.fspath(path).lower().endswith(".json"):
        return False
    with reading(os.fspath(path)):
        return not place.is_file() or json_layout(Source(place, os.fspath(path), "json", zipped=False)) == "object"


def read_joint_counts(path: AnyPath) -> dict[str, int]:
    """Read the counts e1 ... e8 from a JSON file, or from standard input for ``-``."""
    rule = 'one JSON object with a whole number for each of e1 to e8: {"e1": 40, "e2": 3, ..., "e8": 51}'
    name, text = read_text(path)
    try:
        found = json_object(text)
    except ValueError as problem:
        items = text.lstrip()[:1] == "[" or str(problem).startswith("Extra data")
        next_step = NEXT_OF_ITEMS if items else "correct the file"
        raise FileError(f"{name} cannot be read as JSON: {problem}.", rule, next_step) from None
    missing = [cell for cell in CELLS if cell not in found]
    extra = [key for key in found if key not in CELLS]
    if missing or extra:
        wrong = [f"lacks {', '.join(missing)}"] if missing else []
        wrong += [f"has the unknown {', '.join(extra)}"] if extra else []
        next_step = NEXT_OF_ITEMS if len(missing) == len(CELLS) else "write 0 for a cell without items"
        raise FileError(f"{name} {' and '.join(wrong)}.", rule, next_step)
    for cell, value in found.items():
        if not (type(value) is int or (type(value) is float and value.is_integer())) or value < 0:
            raise FileError(f"{cell} in {name} is {json.dumps(value)}.", rule, f"give {cell} as a count")
    return {cell: int(found[cell]) for cell in CELLS}


def broken_numbers(labels: Iterable[str]) -> list[str]:
    """Return the labels that are numbers, but not whole ones."""
    return sorted(label for label in labels if re.fullmatch(r"[-+]?\d*\.\d*[1-9]\d*([eE][-+]?\d+)?", label))


def _refuse_scores(counts: Mapping[tuple[str, ...], int], columns: Sequence[str]) -> None:
    """Refuse a column with many numbers that are not whole: those are scores, not labels."""
    for place, column in enumerate(columns):
        labels = {key[place] for key in counts}
        broken = broken_numbers(labels)
        if len(broken) > MOST_BROKEN_NUMBERS:
            what = f"Column {column!r} holds {broken[0]} and {len(broken) - 1:,} other numbers that look like scores"
            next_step = "--threshold 0.5 to turn them into decisions, or a measure of scores, such as --measure auc"
            decided = _column_of_words(counts, columns, besides=place)
            if decided:
                what += f", and column {decided!r} holds decisions"
                next_step = f"turn the scores into decisions first, with the labels of {decided!r}, in a column of "
                next_step += "their own: scores and decisions cannot be compared with each other"
            raise FileError(f"{what}.", "labels, for a measure of decisions", next_step)


def _column_of_words(counts: Mapping[tuple[str, ...], int], columns: Sequence[str], besides: int) -> str | None:
    """Return a model's column in which nothing is a number."""
    for place, column in enumerate(columns):
        if place not in (0, besides) and not any(map(is_number, {key[place] for key in counts})):
            return column
    return None


@dataclass(frozen=True, eq=False)
class FileModels:
    """The truth, if there is one, and the answers of every model, as ``read_sample`` takes them.

    Decisions are distinct rows, with the number of ``items`` of each; numbers are one for every item. Groups and strata
    are texts.
    """

    truth: LabelColumn | list[str] | None
    models: tuple[Any, ...]
    names: tuple[str, ...]
    items: Ints | None
    extra: dict[str, list[str]]
    doubts: tuple[Caveat, ...] = ()  # about what was missing, and about columns that nobody has named


def read_models(
    files: Files,
    columns: Mapping[str, str | None],
    measure: Measure,
    *,
    wanted: Sequence[str] = (),
    id_column: str | None = None,
    rank_infinite: bool = False,
    missing: str = "refuse",
) -> FileModels:
    """Read any number of models: numbers, or decisions, whatever the measure judges.

    In a single file the models are the columns that ``wanted`` names, also by patterns, or all that hold answers.
    """
    found: list[ModelColumns] = []

    def further(db: Database, table: TextColumns) -> dict[str, str]:
        besides = [column for column in (*columns.values(), id_column) if column is not None]
        truth = columns.get("truth")
        if wanted:
            found.append(named_columns(list(table.texts), wanted, besides, f"column of {table.source.name}"))
        else:
            for role, column in columns.items():
                if role == "truth" or column is not None:
                    find_column(table, role, column)
            found.append(columns_with_answers(first_rows(db, table, truth), truth, besides, measure))
        return {f"model_{i}": name for i, name in enumerate(found[0].names, 1)}

    more = None if isinstance(files, Mapping) else further
    if measure.needs_numbers:
        how: dict[str, Any] = {"rank_infinite": rank_infinite, "missing": missing}
        read = scores_file(files, columns, id_column=id_column, further=more, **how)
        made = FileModels(read.truth, read.scores, read.names[-len(read.scores) :], None, read.extra)
    else:
        with opened(files, columns, id_column, missing=missing, further=more) as held:
            made = _decisions(held)
    return replace(made, doubts=(*found[0].caveats(measure, columns.get("truth")), *made.doubts)) if found else made


def first_rows(db: Database, table: TextColumns, truth: str | None) -> dict[str, list[str | None]]:
    """Return texts of every column. A nested truth is refused; nested values of other columns become None."""
    texts = {name: text if name == truth else _plain(text, table.lists.get(name)) for name, text in table.texts.items()}
    roles = {f"c{i}": name for i, name in enumerate(texts)}
    wanted = ", ".join(f"left({name_of(role)}, {LONGEST_LABEL + 1})" for role in roles)
    query = f"SELECT {wanted} FROM items LIMIT {LOOKED_AT}"
    rows = read_columns(db, replace(table, texts=texts), roles, query, (), roles)
    return {name: [row[i] for row in rows] for i, name in enumerate(texts)}


def _plain(text: str, as_json: str | None) -> str:
    """Write the SQL of a text that is missing where it would be refused as a nested value."""
    if text.startswith("error("):
        return "NULL::VARCHAR"
    return text if as_json is None else f"CASE WHEN left({as_json}, 1) IN ('[', '{{') THEN NULL ELSE {text} END"


def _decisions(found: Opened) -> FileModels:
    """Read the answers of every model as places among the labels of all: almost every row of many models is unique."""
    doubts = _drop_incomplete(found)
    known: set[str] = set()
    for role, take in found.taken.items():
        query = f"SELECT DISTINCT {name_of(role)} FROM held LIMIT {MOST_LABELS + 1}"
        mine = [label for (label,) in run(found.db, found.source, query)]
        _refuse_ids_and_scores(take.column, mine)
        known.update(mine)
    labels = sorted(known)
    run(found.db, found.source, f"CREATE TEMP TYPE labels AS ENUM ({', '.join(map(quoted, labels))})")
    wanted = [f"enum_code(CAST({name_of(role)} AS labels)) AS {name_of(role)}" for role in found.taken]
    wanted += [name_of(role) for role in found.extra]
    query = f"SELECT {', '.join(wanted)}, count(*) AS items FROM held GROUP BY ALL LIMIT {MOST_GROUPED + 1}"
    rows = run_as_arrays(found.db, found.source, query)
    if len(rows["items"]) > MOST_GROUPED:
        raise FileError(
            f"There are more than {MOST_GROUPED:,} different rows of answers in {found.source.name}.",
            f"at most {MOST_GROUPED:,}",
            "rank fewer models at once, or a part of the items",
        )
    every: list[Label] = list(labels)
    answers = {role: LabelColumn(np.asarray(rows[role], dtype=np.int64), every) for role in found.taken}
    truth = answers.pop("truth", None)
    texts = {role: [str(text) for text in rows[role].tolist()] for role in found.extra}
    items = np.asarray(rows["items"], dtype=np.int64)
    return FileModels(truth, tuple(answers.values()), found.names()[-len(answers) :], items, texts, doubts)


def _drop_incomplete(found: Opened) -> tuple[Caveat, ...]:
    """Drop the items that lack something, and say how many do."""
    roles, columns = [name_of(role) for role in found.columns], found.columns.values()
    lacking = " OR ".join(f"{role} IS NULL" for role in roles)
    counts = ", ".join(f"count(*) - count({role})" for role in roles)
    query = f"SELECT count(*), count(*) FILTER (WHERE {lacking}), {counts} FROM held"
    [(size, items, *by_role)] = run(found.db, found.source, query)
    doubts = dropped(dict(zip(columns, by_role, strict=True)), items, size)
    if items:
        run(found.db, found.source, f"DELETE FROM held WHERE {lacking}")
    return doubts


def _refuse_ids_and_scores(column: str, labels: list[str]) -> None:
    broken = broken_numbers(labels)
    if len(broken) > MOST_BROKEN_NUMBERS or len(labels) > MOST_LABELS:
        example = broken[0] if broken else min(labels)
        raise FileError(
            f"Column {column!r} holds {example} and {len(labels) - 1:,} or more other values, as ids or scores do.",
            f"at most {MOST_LABELS:,} labels, for a measure of decisions",
            "name another column, or a measure of scores, such as --measure auc",
        )
