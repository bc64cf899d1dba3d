"""The columns of prediction files: found by name, held by DuckDB as text, checked, and joined by id.

A role is what a column is for: ``truth``, ``a`` or ``b``, and perhaps ``group`` or ``stratum``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.data import EXTRA_ROLES
from clearwin.errors import FileError, UnknownNameError, first_few, nearest
from clearwin.formats import Table, csv_rows, no_rows, open_table, run
from clearwin.sources import LONGEST_LABEL, AnyPath, Source, open_source, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database


def roles_asked_for(columns: Mapping[str, str | None]) -> dict[str, str | None]:
    """Put group and stratum last, and leave them out where no column is named for them."""
    labels = {role: column for role, column in columns.items() if role not in EXTRA_ROLES}
    return labels | {role: columns[role] for role in EXTRA_ROLES if columns.get(role) is not None}


def find_column(table: Table, role: str, column: str | None, besides: Collection[str] = ()) -> str:
    """Return the column for a role: the one asked for, or the only one ``besides`` the id and others."""
    name = table.source.name
    if column in table.texts:
        return column
    if column is not None:
        hint = "" if nearest(column, table.texts) else "give one of these names"
        raise UnknownNameError(f"column of {name}", column, table.texts, hint)
    others = [other for other in table.texts if other not in besides]
    if besides and len(others) == 1:
        return others[0]
    choice = f"one of {', '.join(others)}" if others else f"a column besides {' and '.join(besides)}"
    raise FileError(f"It is not said which column of {name} is {role}.", choice, f"give `{option_of(role)}`")


def option_of(role: str) -> str:
    """Return the option that names the column of a role; those of many models are named together."""
    return "--models COLUMN,COLUMN,…" if role.startswith("model_") else f"--{role} COLUMN"


def names_that_differ(columns: Iterable[str], files: Sequence[str]) -> tuple[str, ...]:
    """Prefer the names of the columns, but three called "label" would tell the reader nothing."""
    stems = [Path(re.sub(r"(?i)\.gz$", "", file)).stem for file in files]
    return next((n for n in (tuple(columns), tuple(stems)) if len(set(n)) == len(n)), tuple(files))


def refuse_truth_against_itself(labels: Mapping[str, str]) -> None:
    """Refuse predictions from the column of the truth or of another model; the strata may well be the classes."""
    for role, label in labels.items():
        if role not in ("truth", *EXTRA_ROLES) and label == labels.get("truth"):
            what = f"The truth and {role} are both {label}."
            raise FileError(what, "predictions in a column of their own", f"give another `{option_of(role)}`")
    taken: dict[str, str] = {}
    for role, label in labels.items():
        if role in ("a", "b") or role.startswith("model_"):
            if label in taken:
                what = f"Two models are both {label}."
                raise FileError(what, "a column of its own for each model", f"give another `{option_of(role)}`")
            taken[label] = role


def read_columns(
    db: Database, table: Table, columns: Mapping[str, str], query: str, may_be_empty: Collection[str] = (),
    may_be_long: Collection[str] = (),
) -> list[Any]:  # fmt: skip
    """Run a query on the view ``items``: the text of the columns, under the names of their roles.

    Several threads can take a line break inside quotes for the end of a row; DuckDB notices and complains.
    One thread does not, but it silently stops at a quote that is never closed, so its rows are counted.
    Labels and ids are short; lists, what may be empty (several labels in a text) and ``may_be_long`` need not be.
    """
    texts = {role: f"nullif({table.texts[column]}, '')" for role, column in columns.items()}
    for role in may_be_empty:
        text = table.texts[columns[role]]
        texts[role] = f"coalesce({text}, '')" if table.delimiter else text  # CSV cannot tell missing from empty
    selected = ", ".join(f"{text} AS {name_of(role)}" for role, text in texts.items())
    long = {role for role, name in columns.items() if table.texts[name] == table.lists.get(name)}
    long |= {*may_be_empty, *may_be_long}
    checked = ", ".join(name_of(role) if role in long else _short(role, columns[role]) for role in columns)
    view = f"CREATE OR REPLACE TEMP VIEW items AS SELECT {checked} FROM (SELECT {selected} FROM"
    try:
        return run(db, table.source, f"{view} {table.rows}); {query}")
    except FileError:
        if not table.delimiter:
            raise
        rows = f"{table.rows.removesuffix(')')}, parallel=false)"
        if run(db, table.source, f"SELECT count(*) FROM {rows}") != [(csv_rows(table),)]:
            raise
        return run(db, table.source, f"{view} {rows}); {query}")


def _short(role: str, column: str) -> str:
    """Write the SQL of a text that is refused where it is too long to be a label."""
    name = name_of(role)
    refusal = f"error({quoted(f'long label in {column}: ')} || length({name}) || ' ' || left({name}, 60))"
    return f"CASE WHEN length({name}) > {LONGEST_LABEL} THEN {refusal} ELSE {name} END AS {name}"


def hold(
    db: Database, table: Table, columns: Mapping[str, str], held: str, may_be_empty: Collection[str] = (),
    may_be_long: Collection[str] = (),
) -> int:  # fmt: skip
    """Keep the columns in a table of DuckDB's own, check them, and return the number of items."""
    [(size,)] = read_columns(db, table, columns, f"CREATE TEMP TABLE {held} AS FROM items", may_be_empty, may_be_long)
    refuse_unusable(db, table.source, held, columns)
    return int(size)


Pick = Callable[[str, Table, str], tuple[Table, dict[str, str], Collection[str]]]


def join_files(
    db: Database, scratch: Path, paths: Mapping[str, AnyPath], id_column: str, pick: Pick
) -> tuple[dict[str, Source], dict[str, dict[str, str]], str]:
    """Hold one table per file and return the sources, the columns taken and the SQL that joins the tables by id.

    ``pick(role, table, id)`` says which columns to take from a file, under which names, and which may be empty.
    """
    if [os.fspath(path) for path in paths.values()].count("-") > 1:
        raise FileError("Standard input (-) is given twice.", "at most one -", "save the others as files")
    taken: dict[str, dict[str, str]] = {}
    sizes: dict[str, int] = {}
    sources = {role: open_source(path, scratch) for role, path in paths.items()}
    for role, source in sources.items():
        table = open_table(db, source)
        id_name = find_column(table, "id", id_column)
        table, taken[role], may_be_empty = pick(role, table, id_name)
        sizes[role] = hold(db, table, {"id": id_name, **taken[role]}, f"file_{role}", may_be_empty)
    joined = "file_" + " JOIN file_".join(f"{r} USING (id)" if i else r for i, r in enumerate(sources))
    [(matched,)] = run(db, source, f"SELECT count(*) FROM {joined}")
    if set(sizes.values()) != {matched}:
        _refuse_unmatched_ids(db, sources)
    return sources, taken, joined


def refuse_unusable(db: Database, source: Source, relation: str, columns: Mapping[str, str]) -> None:
    """Refuse a file without rows, with missing values or with repeated ids."""
    filled = ", ".join(f"count({name_of(role)})" for role in columns)
    [(size, *sizes)] = run(db, source, f"SELECT count(*), {filled} FROM {relation}")
    if not size:
        raise no_rows(source)
    for role in [role for role, count in zip(columns, sizes, strict=True) if count < size]:
        column = columns[role]
        rows = f"SELECT row_number() OVER () AS row, {name_of(role)} AS value FROM {relation}"
        empty = offenders(db, source, "row", f"SELECT row FROM ({rows}) WHERE value IS NULL")
        raise FileError(
            f"Column {column!r} of {source.name} is empty in {empty}; row 1 is the first item.",
            f"a {role} in every row"
            if role in EXTRA_ROLES
            else "a value in every row; if nothing is itself a label, write it: none",
            "fill in the values, or leave these items out",
        )
    if "id" in columns:
        twice = f"SELECT id FROM {relation} GROUP BY id HAVING count(*) > 1"
        repeated = offenders(db, source, "id", twice)
        if repeated:
            what = f"Column {columns['id']!r} of {source.name} repeats {repeated}."
            raise FileError(what, "every id once", "remove the repeated items, or name another id column")


def _refuse_unmatched_ids(db: Database, sources: Mapping[str, Source]) -> None:
    first, *others = sources
    wrong = []
    for other in others:
        for here, there in ((first, other), (other, first)):
            lonely = f"SELECT id FROM file_{here} ANTI JOIN file_{there} USING (id)"
            ids = offenders(db, sources[here], "id", lonely)
            if ids:
                wrong.append(f"{sources[there].name} lacks {ids} of {sources[here].name}")
    raise FileError(
        f"The files do not hold the same items: {'; '.join(wrong)}.",
        "the same ids in every file, written alike: ids are text, so 1 and 01 differ",
        "add or remove these items",
    )


def offenders(db: Database, source: Source, noun: str, query: str) -> str:
    """Show the first three things that the query finds and how many there are: 2 rows (4, 7)."""
    found = run(db, source, f"SELECT *, count(*) OVER () FROM ({query}) ORDER BY 1 LIMIT 3")
    if not found:
        return ""
    count = found[0][1]
    return f"{count:,} {noun}{'s' if count > 1 else ''} ({first_few((value for value, _ in found), count)})"


def name_of(role: str) -> str:
    """Write a role as SQL has names."""
    return f'"{role}"'
