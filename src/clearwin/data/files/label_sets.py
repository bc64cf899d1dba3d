"""Label sets from files: 0/1 columns named by a pattern such as ``gold_*``, or one column with several labels.

Such a column holds texts ("3,17", with a separator) or, in JSONL and Parquet, lists. As in all files, labels are text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.data.files.columns import Files, Taken, find_column, name_of, one_column, opened
from clearwin.data.files.sources import Source, TextColumns, read_json, refuse_long, run, run_as_arrays
from clearwin.data.label_sets import LabelSets, label_sets
from clearwin.data.label_tables import LabelTable, Where, check_separator, collect_labels, named_table, read_texts
from clearwin.errors import DataError, FileError, OptionError, first_few, nearest
from clearwin.text import composed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database


LISTS = 'a list of labels: ["joy", "anger"]'


@dataclass(frozen=True, eq=False)
class FileLabelSets:
    """The label sets, a name to show for each of truth, a and b, and the groups and strata of the items."""

    sets: LabelSets
    names: tuple[str, ...]
    extra: dict[str, list[str]] = field(default_factory=dict)


def label_sets_file(
    files: Files,
    columns: Mapping[str, str | None],
    *,
    separator: str | None = None,
    labels: Any = None,
    id_column: str | None = None,
) -> FileLabelSets:
    """Read the label sets of truth, a and perhaps b from one file, or from one file per role, joined by id.

    ``columns`` maps each role to a pattern with one star, whose part is the label, or to a column of several labels;
    and group and stratum to columns.
    """
    check_separator(separator)

    def pick(role: str, table: TextColumns, column: str | None, besides: Sequence[str]) -> tuple[TextColumns, Taken]:
        return _take(role, table, column, separator, besides)

    with opened(files, columns, id_column, pick, sort=True) as found:
        _refuse_other_labels(found.taken)
        ids = _texts(found.db, found.ids, found.source)["id_text"] if found.joined else None
        tables = _tables(found.db, found.taken, separator, ids)
        extra = _texts(found.db, found.extra, found.source)
    shown = found.names([shown_name(take) for take in found.taken.values()])
    return FileLabelSets(_label_sets(tables, labels), shown, extra)


def _label_sets(tables: Mapping[str, LabelTable], labels: Any) -> LabelSets:
    for table in tables.values():
        refuse_long("A label", map(str, table.names))
    try:
        return label_sets(tables, labels)
    except DataError as error:
        raise FileError(error.what, error.expected, error.next) from None


# --- which columns --------------------------------------------------------------------------------------------


def _take(
    role: str, table: TextColumns, column: str | None, separator: str | None, besides: Sequence[str]
) -> tuple[TextColumns, Taken]:
    """Find the columns of a role; the table then gives the text of each as it is to be read."""
    if column is not None and "*" in column and separator is None and column not in table.texts:
        labels = _matching(table, role, column, besides)
        numbered = {f"{role}_{i}": name for i, name in enumerate(labels.values())}
        return table, Taken(table.source, column, numbered, tuple(labels), may_be_empty=True)
    name = find_column(table, role, column, besides)
    if separator is not None and name not in table.lists:
        return table, Taken(table.source, name, {role: name}, may_be_empty=True)
    if name not in table.lists:
        raise FileError(
            f"Column {name!r} of {table.source.name} is one column, and how it holds several labels was not given.",
            "a separator, or columns of 0 and 1 by a pattern with a star",
            f'`--separator ","`, or a pattern such as `--{role} "{name}_*"`',
        )
    return replace(table, texts={**table.texts, name: table.lists[name]}), Taken(
        table.source, name, {role: name}, lists=True
    )


def _matching(table: TextColumns, role: str, pattern: str, besides: Sequence[str]) -> dict[str, str]:
    """Return the columns that match the pattern, by the label that stands in the place of the star."""
    if pattern.count("*") > 1:
        raise OptionError(f"{pattern!r} has more than one star.", "one star, for the label", f'`--{role} "{role}_*"`')
    start, end = pattern.split("*")
    size = len(start) + len(end)
    found: dict[str, str] = {}
    for name in table.texts:
        if name.startswith(start) and name.endswith(end) and len(name) > size and name not in besides:
            label = composed(name[len(start) : len(name) - len(end)])
            if label in found:
                raise FileError(
                    f"Two columns of {table.source.name} are the label {label!r}: {found[label]!r} and {name!r}.",
                    "one column for each label; spellings of Unicode that look the same are the same label",
                    "put these columns together, or rename one of them",
                )
            found[label] = name
    if not found:
        near = nearest(pattern, table.texts)
        raise FileError(
            f"No column of {table.source.name} matches {pattern!r}.",
            f"a pattern for some of {', '.join(table.texts)}",
            f"the column nearest to it is {near[0]!r}" if near else f"give another `--{role} PATTERN`",
        )
    return found


def _refuse_other_labels(taken: Mapping[str, Taken]) -> None:
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


def star_or_column(
    role: str, table: TextColumns, column: str | None, besides: Sequence[str]
) -> tuple[TextColumns, Taken]:
    """Find the columns of a role, only to see what they are called."""
    if column is not None and "*" in column and column not in table.texts:
        return _take(role, table, column, None, besides)
    return one_column(role, table, column, besides)


def shown_name(take: Taken) -> str:
    """Name the model: svm for svm_* and *_svm."""
    parts = [part.strip(" _-.:/") for part in take.column.split("*")] if take.labels else []
    return " ".join(part for part in parts if part) or take.column


# --- what they hold -------------------------------------------------------------------------------------------


def _tables(
    db: Database, taken: Mapping[str, Taken], separator: str | None, ids: list[str] | None
) -> dict[str, LabelTable]:
    tables = {}
    for role, take in taken.items():
        if take.labels:
            tables[role] = _read_columns(db, take, ids)
            continue
        where = _where(take.source, take.columns[role], ids)
        texts = _texts(db, take.columns, take.source)[role]
        tables[role] = read_cells(role, texts, where, separator, as_lists=take.lists)
    return tables


def _where(source: Source, column: str, ids: list[str] | None) -> Where:
    """Name an item by its row, which joined files do not share, or by its id."""
    return lambda i: f"Column {column!r} of {source.name}, {f'row {i + 1:,}' if ids is None else f'id {ids[i]}'},"


def _texts(db: Database, columns: Mapping[str, str], source: Source) -> dict[str, list[str]]:
    if not columns:
        return {}
    rows = run(db, source, f"SELECT {', '.join(name_of(role) for role in columns)} FROM held")
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))


def _read_columns(db: Database, take: Taken, ids: list[str] | None) -> LabelTable:
    """Return the 0/1 columns of one role, or name the first cell that is neither."""
    cells = ", ".join(
        f"CASE WHEN lower({name_of(name)}) IN ('1', 'true') THEN true"
        f" WHEN lower({name_of(name)}) IN ('0', 'false') THEN false END AS {name_of(name)}"
        for name in take.columns
    )
    found = run_as_arrays(db, take.source, f"SELECT {cells} FROM held")
    for name, column in take.columns.items():
        wrong = np.flatnonzero(np.ma.getmaskarray(found[name]))
        if wrong.size:
            row = int(wrong[0])
            value = _texts(db, {name: column}, take.source)[name][row]
            raise FileError(
                f"{_where(take.source, column, ids)(row)} {f'is {value!r}' if value else 'is empty'}.",
                "0 or 1, or false or true, in every row: whether the item has the label",
                'correct it; for a column of several labels give `--separator ","`',
            )
    is_set = np.column_stack([np.ma.getdata(found[name]).astype(np.bool_) for name in take.columns])
    return named_table(is_set, take.labels)


def read_cells(role: str, texts: list[str], where: Where, separator: str | None, *, as_lists: bool) -> LabelTable:
    """Return the labels in cells of a file, which are JSON lists or texts with a separator."""
    try:
        if as_lists:
            split = partial(_lists, where=where, separator=separator)
            return collect_labels(role, texts, where, split, text=True)
        return read_texts(role, texts, str(separator), where)
    except DataError as error:
        raise FileError(error.what, error.expected, error.next) from None


def _lists(texts: list[str], where: Where, separator: str | None = None) -> list[list[str]]:
    """Return the labels in JSON lists, as texts: 1, 1.0 and "1" are the same label, as in all files.

    With a separator a JSON text such as "3,17" is also taken apart.
    """
    known: dict[str, list[str]] = {}
    for i, text in enumerate(texts):
        if text in known:
            continue
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
        known[text] = [str(int(x)) if isinstance(x, float) else x for x in labels]
    return [known[text] for text in texts]


def _is_exact(number: float) -> bool:
    """Whether a number with a point is a whole one of which no digit can have been lost."""
    return number.is_integer() and abs(number) < 2**53
