"""The answers of many models from files: as codes of labels, for with many models nearly every row is different.

DuckDB reads, joins and counts as for two models; Python gets small numbers in arrays, never a row of texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clearwin.data import EXTRA_ROLES, MOST_GROUPED, MOST_LABELS
from clearwin.errors import FileError
from clearwin.file_columns import (
    find_column,
    hold,
    name_of,
    names_that_differ,
    refuse_truth_against_itself,
    roles_asked_for,
)
from clearwin.files import MOST_BROKEN_NUMBERS, broken_numbers, join_roles, names_shown
from clearwin.formats import open_table, run, run_as_arrays, workshop
from clearwin.sources import AnyPath, Source, open_source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FileAnswers:
    """Distinct rows: of truth and models the places in ``labels``; how many items; groups and strata as text."""

    labels: list[str]
    names: tuple[str, ...]
    truth: Codes
    models: tuple[Codes, ...]
    counts: Codes
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
