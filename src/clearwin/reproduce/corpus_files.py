"""A corpus from files: a row for each document, with its text and its categories."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from clearwin.errors import DataError, FileError, OptionError, first_few
from clearwin.file_columns import find_column, hold
from clearwin.formats import open_table, run, workshop
from clearwin.label_files import read_lists
from clearwin.label_tables import LabelTable, read_collections, read_texts
from clearwin.reproduce.corpora import PARTS, Bools, Corpus
from clearwin.sources import AnyPath, Source, open_source, read_text


@dataclass(frozen=True, eq=False)
class _Documents:
    """What one file holds; ``parts`` is empty where no column says it."""

    texts: list[str]
    labels: LabelTable
    parts: list[str]


def read_corpus(
    paths: Sequence[AnyPath], *, text: str = "text", labels: str = "labels", separator: str = ",",
    columns: Sequence[str] | None = None, label_names: AnyPath | None = None,
) -> Corpus:  # fmt: skip
    """Read documents from CSV, TSV, JSONL or Parquet files, one after the other.

    A column holds the text, another the categories: "3,17" with a separator, or lists. A document may have none. A
    column called ``split``, if there is one, says train, test or true. ``columns`` names the columns of CSV and TSV
    files without a header. ``label_names`` is a file with a name in each line; the category 0 gets the first of them.
    """
    found = [_read_file(path, text, labels, separator, columns) for path in paths]
    texts = [text for documents in found for text in documents.texts]
    parts = [part for documents in found for part in documents.parts]
    _check_parts(parts, len(texts))
    categories, is_in = _together([documents.labels for documents in found])
    if label_names is not None:
        categories = _named(categories, label_names)
    name = " and ".join(Path(path).name for path in paths)
    return Corpus(name, name, categories, is_in, texts, parts=parts or None)


def _read_file(path: AnyPath, text: str, labels: str, separator: str, columns: Sequence[str] | None) -> _Documents:
    with workshop() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source if columns is None else _with_header(source, columns, scratch))
        wanted = {"text": find_column(table, "text", text), "labels": find_column(table, "labels", labels)}
        if "split" in table.texts:
            wanted["split"] = "split"
        lists = labels in table.lists
        if lists:
            table = replace(table, texts={**table.texts, labels: table.lists[labels]})
        hold(db, table, wanted, "held", () if lists else ("labels",), ("text",))
        held = dict(zip(wanted, zip(*run(db, source, "FROM held"), strict=True), strict=True))
    cells = list(held["labels"])

    def where(i: int) -> str:
        return f"Column {labels!r} of {source.name}, row {i + 1:,},"

    try:
        if lists:
            filed = read_collections("labels", read_lists(cells, where, separator), where, text=True)
        else:
            filed = read_texts("labels", cells, separator, where)
    except DataError as error:
        raise FileError(error.what, error.expected, error.next) from None
    return _Documents(list(held["text"]), filed, list(held.get("split", ())))


def _with_header(source: Source, columns: Sequence[str], scratch: Path) -> Source:
    """Write the names of the columns above the rows of a file that has no header."""
    if source.kind not in ("csv", "tsv"):
        what = f"{source.name} names its columns itself."
        raise OptionError(what, "names of columns for CSV and TSV files without a header", "leave --columns out")
    headed = scratch / f"headed.{source.kind}"
    with source.open() as rows, headed.open("wb") as copy:
        first = rows.readline()
        end = b"\r\n" if first.endswith(b"\r\n") else b"\n"  # as the rows end: a file must not mix them
        copy.write(("\t" if source.kind == "tsv" else ",").join(columns).encode() + end + first)
        shutil.copyfileobj(rows, copy)
    return Source(headed, source.name, source.kind, zipped=False)


def _together(tables: list[LabelTable]) -> tuple[tuple[str, ...], Bools]:
    """Return the categories of all files and which document is in which."""
    names = {str(name) for table in tables for name in table.names}
    if not names:
        raise FileError(
            "No document has a category: the column of labels is empty.",
            "the categories of each document, such as 3,17",
            "--labels COLUMN for the column that holds them",
        )
    # numbers by their size, other names by the alphabet
    categories = tuple(sorted(names, key=lambda name: (0, int(name), "") if name.isdecimal() else (1, 0, name)))
    is_in = np.zeros((sum(table.n for table in tables), len(categories)), dtype=np.bool_)
    first = 0
    for table in tables:
        places = np.array([categories.index(str(name)) for name in table.names], dtype=np.int64)
        rows, labels = np.divmod(table.codes, max(1, len(table.names)))
        is_in[first + rows, places[labels]] = True
        first += table.n
    return categories, is_in


def _named(categories: tuple[str, ...], path: AnyPath) -> tuple[str, ...]:
    name, text = read_text(path)
    names = [line.strip() for line in text.splitlines()]
    lost = [c for c in categories if not (c.isdecimal() and int(c) < len(names) and names[int(c)])]
    if lost:
        raise FileError(
            f"{name} has no name for the categor{'ies' if len(lost) > 1 else 'y'} {first_few(lost, len(lost))}.",
            "a name in each line, the first for the category 0, and numbers as categories",
            "leave --label-names out",
        )
    found = tuple(names[int(c)] for c in categories)
    if len(set(found)) < len(found):
        raise FileError(f"{name} has a name twice.", "a different name for each category", "correct it")
    return found


def _check_parts(parts: list[str], size: int) -> None:
    """Raise unless no document says what it is for, or every one does and all three parts are there."""
    if not parts:
        return
    wrong = sorted(set(parts) - set(PARTS))
    missing = [part for part in PARTS if part not in parts]
    if len(parts) < size:
        problem = "is in some of the files only"
    elif wrong:
        problem = f"has {first_few(map(repr, wrong), len(wrong))}"
    elif missing:
        problem = f"never has {' and '.join(missing)}"
    else:
        return
    what = f"The column 'split' {problem}."
    raise FileError(what, f"each of {', '.join(PARTS)}", "rename the column to split at random, or correct it")
