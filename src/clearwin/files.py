"""Prediction files in, a tally of label combinations out; everything is text first.

Ids and labels are never taken for numbers or dates: ``NA`` is a label, ``01`` and ``1`` differ, only an
empty field is missing. DuckDB reads, joins and counts, out of core; Python never sees a row, only the
tally. Whatever is wrong with a file becomes a ``FileError`` in plain words.

A role is what a column is for: ``truth``, ``a`` or ``b``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.errors import FileError, UnknownNameError, first_few, nearest
from clearwin.formats import Table, csv_rows, no_rows, open_table, run, workshop
from clearwin.sources import AnyPath, Source, json_object, open_source, read_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database

MOST_BROKEN_NUMBERS = 10  # a class may well be called 0.5 or 3.11, but not many of them
MOST_COMBINATIONS = 1_000_000  # more than this are ids or scores, not labels, and would fill the memory
CELLS = tuple(f"e{i}" for i in range(1, 9))


@dataclass(frozen=True, eq=False)
class FileScores:
    """The true label (if there is a truth) and each model's score for every item, and a name to show for each role."""

    truth: list[str] | None
    scores: tuple[Any, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class FileTally:
    """How many items have each combination of labels, and a name to show for each role."""

    counts: dict[tuple[str, ...], int]
    names: tuple[str, ...]


def tally_file(path: AnyPath, columns: Mapping[str, str | None], *, id_column: str | None = None) -> FileTally:
    """Count the label combinations in one file; ``columns`` maps each role to its column."""
    with workshop() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source)
        labels = {role: _column(table, role, column) for role, column in columns.items()}
        _refuse_truth_against_itself({role: f"column {column!r}" for role, column in labels.items()})
        if id_column is None:
            groups = _read(db, table, labels, _tally(labels, "items"))
            if not groups or any(None in group for group in groups):
                _refuse_unusable(db, source, "items", labels)
        else:
            _hold(db, table, {**labels, "id": _column(table, "id", id_column)}, "held")
            groups = run(db, source, _tally(labels, "held"))
    found = FileTally(_counts(groups, source.name), tuple(labels.values()))
    _refuse_scores(found, tuple(labels.values()))
    return found


def tally_joined_files(paths: Mapping[str, AnyPath], columns: Mapping[str, str | None], *, id_column: str) -> FileTally:
    """Count the label combinations over one file per role, joined by id, whatever the order of the rows.

    A column may be None where the file has only one besides the id.
    """
    with workshop() as (db, scratch):
        sources, names, joined = _join(db, scratch, paths, columns, id_column)
        counts = _counts(run(db, next(iter(sources.values())), _tally(names, joined)), "the joined files")
    _refuse_scores(FileTally(counts, tuple(names.values())), tuple(names.values()))
    return FileTally(counts, _names_that_differ(names.values(), [s.name for s in sources.values()]))


def scores_file(path: AnyPath, columns: Mapping[str, str | None], *, id_column: str | None = None) -> FileScores:
    """Read the truth as text, if there is one among the roles, and the other columns as numbers from one file."""
    with workshop() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source)
        labels = {role: _column(table, role, column) for role, column in columns.items()}
        _refuse_truth_against_itself({role: f"column {column!r}" for role, column in labels.items()})
        ids = {"id": _column(table, "id", id_column)} if id_column else {}
        _hold(db, table, {**labels, **ids}, "held")
        return _scores(db, "held", labels, dict.fromkeys(labels, source), tuple(labels.values()))


def scores_joined_files(
    paths: Mapping[str, AnyPath], columns: Mapping[str, str | None], *, id_column: str
) -> FileScores:
    """Read the truth as text, if there is one, and scores as numbers from one file per role, joined by id."""
    with workshop() as (db, scratch):
        sources, names, joined = _join(db, scratch, paths, columns, id_column)
        shown = _names_that_differ(names.values(), [s.name for s in sources.values()])
        return _scores(db, f"(SELECT * FROM {joined} ORDER BY id)", names, sources, shown)


def _join(
    db: Database, scratch: Path, paths: Mapping[str, AnyPath], columns: Mapping[str, str | None], id_column: str
) -> tuple[dict[str, Source], dict[str, str], str]:
    """Hold one table per file and return the sources, the columns taken and the SQL that joins the tables by id."""
    if [os.fspath(path) for path in paths.values()].count("-") > 1:
        raise FileError("Standard input (-) is given twice.", "at most one -", "save the others as files")
    names: dict[str, str] = {}
    sizes: dict[str, int] = {}
    sources = {role: open_source(path, scratch) for role, path in paths.items()}
    for role, source in sources.items():
        table = open_table(db, source)
        id_name = _column(table, "id", id_column)
        names[role] = _column(table, role, columns.get(role), besides=id_name)
        sizes[role] = _hold(db, table, {"id": id_name, role: names[role]}, f"file_{role}")
    _refuse_truth_against_itself({r: f"column {names[r]!r} of {s.name}" for r, s in sources.items()})
    joined = "file_" + " JOIN file_".join(f"{r} USING (id)" if i else r for i, r in enumerate(names))
    [(matched,)] = run(db, source, f"SELECT count(*) FROM {joined}")
    if set(sizes.values()) != {matched}:
        _refuse_unmatched_ids(db, sources)
    return sources, names, joined


def _scores(
    db: Database, relation: str, columns: Mapping[str, str], sources: Mapping[str, Source], shown: tuple[str, ...]
) -> FileScores:
    """Return the columns as arrays, or refuse what is not a number."""
    models = [role for role in columns if role != "truth"]
    for role in models:
        rows = f"SELECT row_number() OVER () AS row, TRY_CAST({_name(role)} AS DOUBLE) AS value FROM {relation}"
        bad = _offenders(db, sources[role], "row", f"SELECT row FROM ({rows}) WHERE value IS NULL OR isnan(value)")
        if bad:
            raise FileError(
                f"Column {columns[role]!r} of {sources[role].name} is not a number in {bad}; row 1 is the first item.",
                "a score for every item",
                "fill in the scores, or leave these items out; for labels choose a measure of decisions, such as f1",
            )
    wanted = ", ".join(
        _name(role) if role == "truth" else f"CAST({_name(role)} AS DOUBLE) AS {_name(role)}" for role in columns
    )
    found = db.execute(f"SELECT {wanted} FROM {relation}").fetchnumpy()
    truth = [str(label) for label in found["truth"].tolist()] if "truth" in columns else None
    return FileScores(truth, tuple(found[role] for role in models), shown)


def is_counts_file(path: AnyPath) -> bool:
    """Tell by its ending whether a file holds the eight joint counts instead of predictions."""
    return os.fspath(path).lower().endswith(".json")


def read_joint_counts(path: AnyPath) -> dict[str, int]:
    """Read the counts e1 ... e8 from a JSON file, or from standard input for ``-``."""
    rule = 'one JSON object with a whole number for each of e1 to e8: {"e1": 40, "e2": 3, ..., "e8": 51}'
    name, text = read_text(path)
    try:
        found = json_object(text)
    except (ValueError, RecursionError) as problem:
        raise FileError(f"{name} cannot be read as JSON: {problem}.", rule, "correct the file") from None
    missing = [cell for cell in CELLS if cell not in found]
    extra = [key for key in found if key not in CELLS]
    if missing or extra:
        wrong = [f"lacks {', '.join(missing)}"] if missing else []
        wrong += [f"has the unknown {', '.join(extra)}"] if extra else []
        raise FileError(f"{name} {' and '.join(wrong)}.", rule, "write 0 for a cell without items")
    for cell, value in found.items():
        if not (type(value) is int or (type(value) is float and value.is_integer())) or value < 0:
            raise FileError(f"{cell} in {name} is {json.dumps(value)}.", rule, f"give {cell} as a count")
    return {cell: int(found[cell]) for cell in CELLS}


def _column(table: Table, role: str, column: str | None, besides: str | None = None) -> str:
    """Return the column for a role: the one asked for, or the only one ``besides`` the id."""
    name = table.source.name
    if column in table.texts:
        return column
    if column is not None:
        hint = "" if nearest(column, table.texts) else "give one of these names"
        raise UnknownNameError(f"column of {name}", column, table.texts, hint)
    others = [other for other in table.texts if other != besides]
    if besides is not None and len(others) == 1:
        return others[0]
    choice = f"one of {', '.join(others)}" if others else f"a column besides {besides}"
    raise FileError(f"It is not said which column of {name} is {role}.", choice, f"give `--{role} COLUMN`")


def _names_that_differ(columns: Iterable[str], files: Sequence[str]) -> tuple[str, ...]:
    """Prefer the names of the columns, but three called "label" would tell the reader nothing."""
    stems = [Path(re.sub(r"(?i)\.gz$", "", file)).stem for file in files]
    return next((n for n in (tuple(columns), tuple(stems)) if len(set(n)) == len(n)), tuple(files))


def _refuse_truth_against_itself(labels: Mapping[str, str]) -> None:
    for role, label in labels.items():
        if role != "truth" and label == labels.get("truth"):
            what = f"The truth and {role} are both {label}."
            raise FileError(what, "predictions in a column of their own", f"give another `--{role} COLUMN`")


def _read(db: Database, table: Table, columns: Mapping[str, str], query: str) -> list[Any]:
    """Run a query on the view ``items``: the text of the columns, under the names of their roles.

    Several threads can take a line break inside quotes for the end of a row; DuckDB notices and complains.
    One thread does not, but it silently stops at a quote that is never closed, so its rows are counted.
    """
    texts = ", ".join(f"nullif({table.texts[column]}, '') AS {_name(role)}" for role, column in columns.items())
    view = f"CREATE OR REPLACE TEMP VIEW items AS SELECT {texts} FROM"
    try:
        return run(db, table.source, f"{view} {table.rows}; {query}")
    except FileError:
        if not table.delimiter:
            raise
        rows = f"{table.rows.removesuffix(')')}, parallel=false)"
        if run(db, table.source, f"SELECT count(*) FROM {rows}") != [(csv_rows(table),)]:
            raise
        return run(db, table.source, f"{view} {rows}; {query}")


def _hold(db: Database, table: Table, columns: Mapping[str, str], held: str) -> int:
    """Keep the columns in a table of DuckDB's own, check them, and return the number of items."""
    [(size,)] = _read(db, table, columns, f"CREATE TEMP TABLE {held} AS FROM items")
    _refuse_unusable(db, table.source, held, columns)
    return int(size)


def _tally(roles: Iterable[str], relation: str) -> str:
    labels = ", ".join(_name(role) for role in roles)
    return f"SELECT {labels}, count(*) FROM {relation} GROUP BY ALL LIMIT {MOST_COMBINATIONS + 1}"


def _counts(groups: list[Any], name: str) -> dict[tuple[str, ...], int]:
    if len(groups) > MOST_COMBINATIONS:
        what = f"There are more than {MOST_COMBINATIONS:,} combinations of labels in {name}."
        raise FileError(what, "columns of labels", "check that no column holds ids or scores")
    # threads find the groups in any order; sorted, the same file always gives the same result
    return {tuple(labels): count for *labels, count in sorted(groups)}


def _refuse_scores(found: FileTally, columns: tuple[str, ...]) -> None:
    """Refuse a column with many numbers that are not whole: those are scores, not labels."""
    for place, column in enumerate(columns):
        labels = {key[place] for key in found.counts}
        broken = sorted(label for label in labels if re.fullmatch(r"[-+]?\d*\.\d*[1-9]\d*([eE][-+]?\d+)?", label))
        if len(broken) > MOST_BROKEN_NUMBERS:
            raise FileError(
                f"Column {column!r} holds {broken[0]} and {len(broken) - 1:,} other numbers that look like scores.",
                "labels, for a measure of decisions",
                "--threshold 0.5 to make decisions of them, or a measure of scores, such as --measure auc",
            )


def _refuse_unusable(db: Database, source: Source, relation: str, columns: Mapping[str, str]) -> None:
    """Refuse a file without rows, with missing values or with repeated ids."""
    if not run(db, source, f"FROM {relation} LIMIT 1"):
        raise no_rows(source)
    for role, column in columns.items():
        rows = f"SELECT row_number() OVER () AS row, {_name(role)} AS value FROM {relation}"
        empty = _offenders(db, source, "row", f"SELECT row FROM ({rows}) WHERE value IS NULL")
        if empty:
            raise FileError(
                f"Column {column!r} of {source.name} is empty in {empty}; row 1 is the first item.",
                "a value in every row; if nothing is itself a label, write it: none",
                "fill in the values, or leave these items out",
            )
    if "id" in columns:
        twice = f"SELECT id FROM {relation} GROUP BY id HAVING count(*) > 1"
        repeated = _offenders(db, source, "id", twice)
        if repeated:
            what = f"Column {columns['id']!r} of {source.name} repeats {repeated}."
            raise FileError(what, "every id once", "remove the repeated items, or name another id column")


def _refuse_unmatched_ids(db: Database, sources: Mapping[str, Source]) -> None:
    first, *others = sources
    wrong = []
    for other in others:
        for here, there in ((first, other), (other, first)):
            lonely = f"SELECT id FROM file_{here} ANTI JOIN file_{there} USING (id)"
            ids = _offenders(db, sources[here], "id", lonely)
            if ids:
                wrong.append(f"{sources[there].name} lacks {ids} of {sources[here].name}")
    raise FileError(
        f"The files do not hold the same items: {'; '.join(wrong)}.",
        "the same ids in every file, written alike: ids are text, so 1 and 01 differ",
        "add or remove these items",
    )


def _offenders(db: Database, source: Source, noun: str, query: str) -> str:
    """Show the first three things that the query finds and how many there are: 2 rows (4, 7)."""
    found = run(db, source, f"SELECT *, count(*) OVER () FROM ({query}) ORDER BY 1 LIMIT 3")
    if not found:
        return ""
    count = found[0][1]
    return f"{count:,} {noun}{'s' if count > 1 else ''} ({first_few((value for value, _ in found), count)})"


def _name(role: str) -> str:
    return f'"{role}"'
