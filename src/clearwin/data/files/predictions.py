"""Prediction files in, label combinations, scores or the answers of many models out; everything is text first.

Ids and labels are never taken for numbers or dates: ``NA`` is a label, ``01`` and ``1`` differ, only an
empty field is missing. DuckDB reads, joins and counts, out of core; Python never sees a row, only the
tally, or integer codes where almost every row is unique, as with many models. Whatever is wrong with a file becomes a
``FileError`` in plain words.

A role is what a column is for: ``truth``, ``a`` or ``b``; ``group`` and ``stratum``, where a column is named for
them, come last.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.data.arrays import EXTRA_ROLES, MOST_GROUPED, MOST_LABELS
from clearwin.data.files.columns import (
    find_column,
    hold,
    join_files,
    name_of,
    names_that_differ,
    offenders,
    read_columns,
    refuse_truth_against_itself,
    refuse_unusable,
    roles_asked_for,
)
from clearwin.data.files.formats import Table, narrow_floats, open_table, run, run_as_arrays, workshop
from clearwin.data.files.sources import AnyPath, Source, is_number, json_object, open_source, read_text
from clearwin.errors import FileError, first_few
from clearwin.numerics.arrays import Ints

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database


MOST_BROKEN_NUMBERS = 10  # a class may well be called 0.5 or 3.11, but not many of them
MOST_COMBINATIONS = 1_000_000  # more than this are ids or scores, not labels, and would fill the memory
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


def tally_file(path: AnyPath, columns: Mapping[str, str | None], *, id_column: str | None = None) -> FileTally:
    """Count the label combinations in one file; ``columns`` maps each role to its column."""
    with workshop() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source)
        labels = {role: find_column(table, role, column) for role, column in roles_asked_for(columns).items()}
        refuse_truth_against_itself({role: f"column {column!r}" for role, column in labels.items()})
        ids = {"id": find_column(table, "id", id_column)} if id_column is not None else {}
        groups = read_columns(db, table, labels, _tally(labels, "items"))
        if not groups or any(None in group for group in groups):
            refuse_unusable(db, source, "items", labels)
        if ids:
            hold(db, table, ids, "held")
    found = FileTally(_counts(groups, labels, source.name), names_shown(labels))
    _refuse_scores(found)
    return found


def tally_joined_files(paths: Mapping[str, AnyPath], columns: Mapping[str, str | None], *, id_column: str) -> FileTally:
    """Count the label combinations over one file per role, joined by id, whatever the order of the rows.

    A column may be None where the file has only one besides the id. Group and stratum are columns of the first file.
    """
    with workshop() as (db, scratch):
        sources, names = join_roles(db, scratch, paths, columns, id_column)
        counts = _counts(run(db, next(iter(sources.values())), _tally(names, "held")), names, "the joined files")
    _refuse_scores(FileTally(counts, names_shown(names)))
    return FileTally(counts, names_that_differ(names_shown(names), [s.name for s in sources.values()]))


def scores_file(
    path: AnyPath,
    columns: Mapping[str, str | None],
    *,
    id_column: str | None = None,
    rank_infinite: bool = False,
    own_types: bool = False,
) -> FileScores:
    """Read the truth as text, if it is among the roles, the models' columns as numbers, groups and strata as text.

    Numbers are read as they are written, so a float32 of a Parquet file that is written 0.7 is the float64 0.7;
    with ``own_types`` it stays a float32, to which a threshold is rounded.
    """
    with workshop() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source)
        labels = {role: find_column(table, role, column) for role, column in roles_asked_for(columns).items()}
        refuse_truth_against_itself({role: f"column {column!r}" for role, column in labels.items()})
        ids = {"id": find_column(table, "id", id_column)} if id_column else {}
        hold(db, table, {**labels, **ids}, "held")
        sources = dict.fromkeys(labels, source)
        return _scores(db, "held", labels, sources, names_shown(labels), rank_infinite, own_types)


def scores_joined_files(
    paths: Mapping[str, AnyPath],
    columns: Mapping[str, str | None],
    *,
    id_column: str,
    rank_infinite: bool = False,
    own_types: bool = False,
) -> FileScores:
    """Read the truth as text, if there is one, and scores as numbers from one file per role, joined by id."""
    with workshop() as (db, scratch):
        sources, names = join_roles(db, scratch, paths, columns, id_column, sort=True)
        shown = names_that_differ(names_shown(names), [s.name for s in sources.values()])
        return _scores(db, "held", names, sources, shown, rank_infinite, own_types)


def join_roles(
    db: Database,
    scratch: Path,
    paths: Mapping[str, AnyPath],
    columns: Mapping[str, str | None],
    id_column: str,
    *,
    sort: bool = False,
) -> tuple[dict[str, Source], dict[str, str]]:
    """Join the files in the table ``held``, and return them and the column of each role."""
    asked = roles_asked_for(columns)
    extra = {role: column for role, column in asked.items() if role in EXTRA_ROLES}
    first = next(iter(paths))  # the truth, or A where there is none

    def pick(role: str, table: Table, id_name: str) -> tuple[Table, dict[str, str], Collection[str]]:
        here = {r: find_column(table, r, column) for r, column in extra.items()} if role == first else {}
        return table, {role: find_column(table, role, asked.get(role), (id_name, *here.values())), **here}, ()

    sources, taken = join_files(db, scratch, paths, id_column, pick, sort=sort)
    refuse_truth_against_itself({r: f"column {taken[r][r]!r} of {s.name}" for r, s in sources.items()})
    names = {role: taken[role][role] for role in sources}
    return sources, names | {role: taken[first][role] for role in extra}


def names_shown(columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of truth, a and b: those of groups and strata are not shown."""
    return tuple(column for role, column in columns.items() if role not in EXTRA_ROLES)


def _scores(
    db: Database,
    relation: str,
    columns: Mapping[str, str],
    sources: Mapping[str, Source],
    shown: tuple[str, ...],
    rank_infinite: bool,
    own_types: bool,
) -> FileScores:
    """Return the columns as arrays, or refuse what is not a number."""
    models = [role for role in columns if role not in ("truth", *EXTRA_ROLES)]
    for role in models:
        rows = f"SELECT row_number() OVER () AS row, TRY_CAST({name_of(role)} AS DOUBLE) AS value FROM {relation}"
        bad = offenders(db, sources[role], "row", f"SELECT row FROM ({rows}) WHERE value IS NULL OR isnan(value)")
        if bad:
            _refuse_decimal_commas(db, relation, sources[role], role, columns[role])
            raise FileError(
                f"Column {columns[role]!r} of {sources[role].name} is not a number in {bad}; row 1 is the first item.",
                "a score for every item",
                _what_now(db, relation, sources[role], role, [columns[r] for r in models if r != role]),
            )
        infinite = offenders(db, sources[role], "row", f"SELECT row FROM ({rows}) WHERE isinf(value)")
        if infinite and not rank_infinite:
            where = f"Column {columns[role]!r} of {sources[role].name} is infinite in {infinite}"
            raise FileError(
                f"{where}; row 1 is the first item.",
                "finite numbers",
                "give these items a finite value, or leave them out; scores can be ranked so with --rank-infinite",
            )
    texts_of = [role for role in columns if role not in models]
    narrow = {role: narrow_floats(db, sources[role]).get(columns[role]) for role in models if own_types}
    numbers = [
        f"CAST({name_of(role)} AS {'FLOAT' if narrow.get(role) else 'DOUBLE'}) AS {name_of(role)}" for role in models
    ]
    wanted = ", ".join([name_of(role) for role in texts_of] + numbers)
    found = run_as_arrays(db, next(iter(sources.values())), f"SELECT {wanted} FROM {relation}")
    texts = {role: [str(text) for text in found[role].tolist()] for role in texts_of}
    scores = tuple(np.asarray(found[role], dtype=narrow.get(role) or "float64") for role in models)
    return FileScores(texts.pop("truth", None), scores, shown, texts)


def _refuse_decimal_commas(db: Database, relation: str, source: Source, role: str, column: str) -> None:
    """Spreadsheets of many countries write 0,5."""
    commas = f"regexp_full_match({name_of(role)}, '\\s*-?\\d+,\\d+\\s*')"
    found = run(db, source, f"SELECT {name_of(role)} FROM {relation} WHERE {commas} LIMIT 1")
    if found:
        text = found[0][0].strip()
        raise FileError(
            f"Column {column!r} of {source.name} has decimal commas, for instance {text}.",
            "decimal points",
            f"write {text.replace(',', '.')} instead of {text}, or save the file with decimal points",
        )


def _what_now(db: Database, relation: str, source: Source, role: str, others: list[str]) -> str:
    """Say what to do about a column that is not numbers: decisions can be judged, but not beside another's scores."""
    counted = f"SELECT count(TRY_CAST({name_of(role)} AS DOUBLE)) FROM {relation}"
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
    """Tell by its ending whether a file holds the eight joint counts instead of predictions."""
    return os.fspath(path).lower().endswith(".json")


def read_joint_counts(path: AnyPath) -> dict[str, int]:
    """Read the counts e1 ... e8 from a JSON file, or from standard input for ``-``."""
    rule = 'one JSON object with a whole number for each of e1 to e8: {"e1": 40, "e2": 3, ..., "e8": 51}'
    name, text = read_text(path)
    try:
        found = json_object(text)
    except ValueError as problem:
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


def _tally(roles: Collection[str], relation: str) -> str:
    labels = ", ".join(name_of(role) for role in roles)
    return f"SELECT {labels}, count(*) FROM {relation} GROUP BY ALL LIMIT {_most_combinations(roles) + 1}"


def _most_combinations(roles: Iterable[str]) -> int:
    return MOST_GROUPED if set(roles) & set(EXTRA_ROLES) else MOST_COMBINATIONS


def _counts(groups: list[Any], roles: Collection[str], name: str) -> dict[tuple[str, ...], int]:
    most = _most_combinations(roles)
    if len(groups) > most:
        extra = [role for role in roles if role in EXTRA_ROLES]
        if extra:
            what = f"There are more than {most:,} combinations of labels with {' and '.join(extra)} in {name}."
            raise FileError(what, f"at most {most:,} of them", "group by something coarser, or leave the groups out")
        what = f"There are more than {most:,} combinations of labels in {name}."
        raise FileError(what, "columns of labels", "check that no column holds ids or scores")
    # threads find the groups in any order; sorted, the same file always gives the same result
    return {tuple(labels): count for *labels, count in sorted(groups)}


def broken_numbers(labels: Iterable[str]) -> list[str]:
    """Return the labels that are numbers, but not whole ones."""
    return sorted(label for label in labels if re.fullmatch(r"[-+]?\d*\.\d*[1-9]\d*([eE][-+]?\d+)?", label))


def _refuse_scores(found: FileTally) -> None:
    """Refuse a column with many numbers that are not whole: those are scores, not labels."""
    for place, column in enumerate(found.names):
        labels = {key[place] for key in found.counts}
        broken = broken_numbers(labels)
        if len(broken) > MOST_BROKEN_NUMBERS:
            what = f"Column {column!r} holds {broken[0]} and {len(broken) - 1:,} other numbers that look like scores"
            next_step = "--threshold 0.5 to make decisions of them, or a measure of scores, such as --measure auc"
            decided = _column_of_words(found, besides=place)
            if decided:
                what += f", and column {decided!r} holds decisions"
                next_step = f"turn the scores into decisions first, with the labels of {decided!r}, in a column of "
                next_step += "their own: scores and decisions cannot be compared with each other"
            raise FileError(f"{what}.", "labels, for a measure of decisions", next_step)


def _column_of_words(found: FileTally, besides: int) -> str | None:
    """Return a model's column in which nothing is a number."""
    for place, column in enumerate(found.names):
        if place not in (0, besides) and not any(map(is_number, {key[place] for key in found.counts})):
            return column
    return None


@dataclass(frozen=True, eq=False)
class FileAnswers:
    """Distinct rows: of truth and models the places in ``labels``; how many items; groups and strata as text."""

    labels: list[str]
    names: tuple[str, ...]
    truth: Ints
    models: tuple[Ints, ...]
    counts: Ints
    extra: dict[str, list[str]]


def answers_file(path: AnyPath, columns: Mapping[str, str | None], *, id_column: str | None = None) -> FileAnswers:
    """Read the truth and every model's answers from one file; ``columns`` maps each role to its column."""
    with workshop() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source)
        labels = {role: find_column(table, role, column) for role, column in roles_asked_for(columns).items()}
        refuse_truth_against_itself({role: f"column {column!r}" for role, column in labels.items()})
        ids = {"id": find_column(table, "id", id_column)} if id_column else {}
        hold(db, table, {**labels, **ids}, "held")
        return _answers(db, source, "held", labels, names_shown(labels))


def answers_joined_files(
    paths: Mapping[str, AnyPath], columns: Mapping[str, str | None], *, id_column: str
) -> FileAnswers:
    """Read them from one file per role, joined by id, whatever the order of the rows."""
    with workshop() as (db, scratch):
        sources, columns_found = join_roles(db, scratch, paths, columns, id_column)
        shown = names_that_differ(names_shown(columns_found), [s.name for s in sources.values()])
        return _answers(db, next(iter(sources.values())), "held", columns_found, shown)


def _answers(
    db: Database, source: Source, relation: str, columns: Mapping[str, str], shown: tuple[str, ...]
) -> FileAnswers:
    roles = [role for role in columns if role not in EXTRA_ROLES]
    extra = [role for role in columns if role in EXTRA_ROLES]
    found: set[str] = set()
    for role in roles:
        labels = [label for (label,) in run(db, source, _labels_of(role, relation))]
        _refuse_ids_and_scores(columns[role], labels)
        found.update(labels)
    known = sorted(found)
    listed = ", ".join("'" + label.replace("'", "''") + "'" for label in known)
    run(db, source, f"CREATE TYPE labels AS ENUM ({listed})")
    wanted = [f"enum_code(CAST({name_of(role)} AS labels)) AS {name_of(role)}" for role in roles]
    wanted += [name_of(role) for role in extra]
    query = f"SELECT {', '.join(wanted)}, count(*) AS items FROM {relation} GROUP BY ALL LIMIT {MOST_GROUPED + 1}"
    rows = run_as_arrays(db, source, query)
    if len(rows["items"]) > MOST_GROUPED:
        raise FileError(
            f"There are more than {MOST_GROUPED:,} different rows of answers in {source.name}.",
            f"at most {MOST_GROUPED:,}",
            "rank fewer models at once, or a part of the items",
        )
    truth, *models = (np.asarray(rows[role], dtype=np.int64) for role in roles)
    texts = {role: [str(text) for text in rows[role].tolist()] for role in extra}
    return FileAnswers(known, shown[1:], truth, tuple(models), np.asarray(rows["items"], dtype=np.int64), texts)


def _labels_of(role: str, relation: str) -> str:
    return f"SELECT DISTINCT {name_of(role)} FROM {relation} LIMIT {MOST_LABELS + 1}"


def _refuse_ids_and_scores(column: str, labels: list[str]) -> None:
    broken = broken_numbers(labels)
    if len(broken) > MOST_BROKEN_NUMBERS or len(labels) > MOST_LABELS:
        example = broken[0] if broken else min(labels)
        raise FileError(
            f"Column {column!r} holds {example} and {len(labels) - 1:,} or more other values, as ids or scores do.",
            f"at most {MOST_LABELS:,} labels, for a measure of decisions",
            "name another column, or a measure of scores, such as --measure auc",
        )
