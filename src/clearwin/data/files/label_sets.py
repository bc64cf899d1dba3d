"""Label sets from files: 0/1 columns named by a pattern such as ``gold_*``, or one column with several labels.

Such a column holds texts ("3,17", with a separator) or, in JSONL and Parquet, lists. As in all files, labels are text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.data.arrays import EXTRA_ROLES
from clearwin.data.files.columns import (
    find_column,
    hold,
    join_files,
    name_of,
    names_that_differ,
    refuse_truth_against_itself,
    roles_asked_for,
)
from clearwin.data.files.formats import Table, open_table, refuse_long, run, run_as_arrays, workshop
from clearwin.data.files.sources import AnyPath, Source, open_source, read_json
from clearwin.data.label_sets import LabelSets, label_sets
from clearwin.data.label_tables import LabelTable, Where, check_separator, named_table, read_collections, read_texts
from clearwin.errors import DataError, FileError, OptionError, first_few, nearest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database


LISTS = 'a list of labels: ["joy", "anger"]'


@dataclass(frozen=True, eq=False)
class FileLabelSets:
    """The label sets, a name to show for each of truth, a and b, and the groups and strata of the items."""

    sets: LabelSets
    names: tuple[str, ...]
    extra: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Taken:
    """What a role takes from a file: the columns under names of our own, and how they are to be read."""

    source: Source
    column: str  # as the user gave it
    columns: dict[str, str]
    labels: tuple[str, ...] = ()  # of 0/1 columns
    lists: bool = False  # as JSON


def label_sets_file(
    path: AnyPath,
    columns: Mapping[str, str | None],
    *,
    separator: str | None = None,
    labels: Any = None,
    extra: Mapping[str, str | None] | None = None,
    id_column: str | None = None,
) -> FileLabelSets:
    """Read the label sets of truth, a and perhaps b from one file.

    ``columns`` maps each role to a pattern with one star, whose part is the label, or to a column of several labels;
    ``extra`` maps group and stratum to columns.
    """
    check_separator(separator)
    with workshop() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source)
        others = _extra_columns(table, extra)
        ids = {"id": find_column(table, "id", id_column)} if id_column is not None else {}
        taken: dict[str, _Taken] = {}
        for role, column in columns.items():
            table, taken[role] = _take(role, table, column, separator, [*ids.values(), *others.values()])
        refuse_truth_against_itself({role: f"column {take.column!r}" for role, take in taken.items()})
        _refuse_other_labels(taken)
        held = {name: column for take in taken.values() for name, column in take.columns.items()}
        hold(db, table, {**held, **others, **ids}, "held", _may_be_empty(taken.values()))
        tables = _tables(db, "held", taken, separator, None)
        found = _texts(db, "held", others, source)
    return FileLabelSets(_label_sets(tables, labels), tuple(_shown(take) for take in taken.values()), found)


def label_sets_joined_files(
    paths: Mapping[str, AnyPath],
    columns: Mapping[str, str | None],
    *,
    id_column: str,
    separator: str | None = None,
    labels: Any = None,
    extra: Mapping[str, str | None] | None = None,
) -> FileLabelSets:
    """Read the label sets from one file per role, joined by id; group and stratum are columns of the truth's file.

    A column may be None where the file has only one besides the id.
    """
    check_separator(separator)
    taken: dict[str, _Taken] = {}
    others: dict[str, str] = {}

    def pick(role: str, table: Table, id_name: str) -> tuple[Table, dict[str, str], Collection[str]]:
        here = _extra_columns(table, extra) if role == "truth" else {}
        others.update(here)
        table, taken[role] = _take(role, table, columns.get(role), separator, [id_name, *here.values()])
        return table, {**taken[role].columns, **here}, _may_be_empty([taken[role]])

    with workshop() as (db, scratch):
        sources, _ = join_files(db, scratch, paths, id_column, pick, sort=True)
        refuse_truth_against_itself({r: f"column {t.column!r} of {t.source.name}" for r, t in taken.items()})
        _refuse_other_labels(taken)
        ids = _texts(db, "held", {"id_text": id_column}, sources["truth"])["id_text"]
        tables = _tables(db, "held", taken, separator, ids)
        found = _texts(db, "held", others, sources["truth"])
    shown = names_that_differ([_shown(take) for take in taken.values()], [s.name for s in sources.values()])
    return FileLabelSets(_label_sets(tables, labels), shown, found)


def _extra_columns(table: Table, extra: Mapping[str, str | None] | None) -> dict[str, str]:
    asked = roles_asked_for(dict(extra or {}))
    return {role: find_column(table, role, column) for role, column in asked.items() if role in EXTRA_ROLES}


def _label_sets(tables: Mapping[str, LabelTable], labels: Any) -> LabelSets:
    for table in tables.values():
        refuse_long("A label", map(str, table.names))
    try:
        return label_sets(tables, labels)
    except DataError as error:
        raise FileError(error.what, error.expected, error.next) from None


# --- which columns --------------------------------------------------------------------------------------------


def _take(
    role: str, table: Table, column: str | None, separator: str | None, besides: Sequence[str]
) -> tuple[Table, _Taken]:
    """Find the columns of a role; the table then gives the text of each as it is to be read."""
    if column is not None and "*" in column and separator is None and column not in table.texts:
        labels = _matching(table, role, column, besides)
        numbered = {f"{role}_{i}": name for i, name in enumerate(labels.values())}
        return table, _Taken(table.source, column, numbered, tuple(labels))
    name = find_column(table, role, column, besides)
    if separator is not None and name not in table.lists:
        return table, _Taken(table.source, name, {role: name})
    if name not in table.lists:
        raise FileError(
            f"Column {name!r} of {table.source.name} is one column; it is not said how it holds several labels.",
            "a separator, or columns of 0 and 1 by a pattern with a star",
            f'`--separator ","`, or a pattern such as `--{role} "{name}_*"`',
        )
    return replace(table, texts={**table.texts, name: table.lists[name]}), _Taken(
        table.source, name, {role: name}, lists=True
    )


def _matching(table: Table, role: str, pattern: str, besides: Sequence[str]) -> dict[str, str]:
    """Return the columns that match the pattern, by the label that stands in the place of the star."""
    if pattern.count("*") > 1:
        raise OptionError(f"{pattern!r} has more than one star.", "one star, for the label", f'`--{role} "{role}_*"`')
    start, end = pattern.split("*")
    size = len(start) + len(end)
    found = {
        name[len(start) : len(name) - len(end)]: name
        for name in table.texts
        if name.startswith(start) and name.endswith(end) and len(name) > size and name not in besides
    }
    if not found:
        near = nearest(pattern, table.texts)
        raise FileError(
            f"No column of {table.source.name} matches {pattern!r}.",
            f"a pattern for some of {', '.join(table.texts)}",
            f"the column nearest to it is {near[0]!r}" if near else f"give another `--{role} PATTERN`",
        )
    return found


def _refuse_other_labels(taken: Mapping[str, _Taken]) -> None:
    """Refuse columns of a label that another role lacks."""
    starred = {role: take for role, take in taken.items() if take.labels}
    every = dict.fromkeys(label for take in starred.values() for label in take.labels)
    wrong = []
    for take in starred.values():
        lacking = [repr(take.column.replace("*", label)) for label in every if label not in take.labels]
        if lacking:
            wrong.append(f"{take.source.name} lacks {first_few(lacking, len(lacking))}")
    if wrong:
        raise FileError(
            f"The patterns do not find the same labels: {'; '.join(dict.fromkeys(wrong))}.",
            "a column of every label for truth, a and b",
            "add these columns (0 in every row if the label was never given), or narrow the patterns",
        )


def _shown(take: _Taken) -> str:
    """Name the model: svm for svm_* and *_svm."""
    parts = [part.strip(" _-.:/") for part in take.column.split("*")] if take.labels else []
    return " ".join(part for part in parts if part) or take.column


def _may_be_empty(taken: Collection[_Taken]) -> list[str]:
    return [name for take in taken for name in take.columns if not take.lists]


# --- what they hold -------------------------------------------------------------------------------------------


def _tables(
    db: Database, relation: str, taken: Mapping[str, _Taken], separator: str | None, ids: list[str] | None
) -> dict[str, LabelTable]:
    tables = {}
    for role, take in taken.items():
        if take.labels:
            tables[role] = _read_cells(db, relation, take, ids)
            continue
        where = _where(take.source, take.columns[role], ids)
        texts = _texts(db, relation, take.columns, take.source)[role]
        try:
            if take.lists:
                tables[role] = read_collections(role, read_lists(texts, where, separator), where, text=True)
            else:
                tables[role] = read_texts(role, texts, str(separator), where)
        except DataError as error:
            raise FileError(error.what, error.expected, error.next) from None
    return tables


def _where(source: Source, column: str, ids: list[str] | None) -> Where:
    """Name an item by its row, which joined files do not share, or by its id."""
    return lambda i: f"Column {column!r} of {source.name}, {f'row {i + 1:,}' if ids is None else f'id {ids[i]}'},"


def _texts(db: Database, relation: str, columns: Mapping[str, str], source: Source) -> dict[str, list[str]]:
    if not columns:
        return {}
    rows = run(db, source, f"SELECT {', '.join(name_of(role) for role in columns)} FROM {relation}")
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))


def _read_cells(db: Database, relation: str, take: _Taken, ids: list[str] | None) -> LabelTable:
    """Return the 0/1 columns of one role, or name the first cell that is neither."""
    cells = ", ".join(
        f"CASE WHEN lower({name_of(name)}) IN ('1', 'true') THEN true"
        f" WHEN lower({name_of(name)}) IN ('0', 'false') THEN false END AS {name_of(name)}"
        for name in take.columns
    )
    found = run_as_arrays(db, take.source, f"SELECT {cells} FROM {relation}")
    for name, column in take.columns.items():
        wrong = np.flatnonzero(np.ma.getmaskarray(found[name]))
        if wrong.size:
            row = int(wrong[0])
            value = _texts(db, relation, {name: column}, take.source)[name][row]
            raise FileError(
                f"{_where(take.source, column, ids)(row)} {f'is {value!r}' if value else 'is empty'}.",
                "0 or 1, or false or true, in every row: whether the item has the label",
                'correct it; for a column of several labels give `--separator ","`',
            )
    is_set = np.column_stack([np.ma.getdata(found[name]).astype(np.bool_) for name in take.columns])
    return named_table(is_set, take.labels)


def read_lists(texts: list[str], where: Where, separator: str | None = None) -> list[list[str]]:
    """Return the labels in JSON lists, as texts: 1, 1.0 and "1" are the same label, as in all files.

    With a separator a JSON text such as "3,17" is taken apart, too.
    """
    found = []
    for i, text in enumerate(texts):
        try:
            labels = read_json(text, parse_int=lambda digits: "0" if digits == "-0" else digits)
        except ValueError as problem:
            raise FileError(f"{where(i)} is {text[:80]}: {problem}.", LISTS, "correct it") from None
        if separator is not None and isinstance(labels, str) and text.startswith('"'):  # a number is a text, too
            labels = [label.strip() for label in labels.split(separator)] if labels.strip() else []
        if not isinstance(labels, list):
            what = f"{where(i)} is {text[:80]}."
            raise FileError(what, LISTS, '`--separator ","` for texts such as "3,17"')
        if not all((isinstance(x, str) and x) or (isinstance(x, float) and _is_exact(x)) for x in labels):
            what = f"{where(i)} is {text[:80]}."
            raise FileError(what, "labels in the list: texts or whole numbers", "write the labels themselves into it")
        found.append([str(int(x)) if isinstance(x, float) else x for x in labels])
    return found


def _is_exact(number: float) -> bool:
    """Whether a number with a point is a whole one of which no digit can have been lost."""
    return number.is_integer() and abs(number) < 2**53
