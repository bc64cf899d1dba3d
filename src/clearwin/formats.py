"""How DuckDB reads the columns of a CSV, TSV, JSONL or Parquet file as text.

Nothing is guessed: every option is given, so that ids and labels are never taken for numbers or dates.
"""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.errors import FileError
from clearwin.sources import BROKEN_GZIP, EXPECTED_CSV, GZIP_ERRORS, LONGEST_LABEL, Source, in_our_words, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database

LITTLE_MEMORY = "300MB"  # that DuckDB fills before it writes to the disk; ten million items with ids need no more
LINE_BREAK = r"\r\n|\r|\n"
LINE_BREAKS = {"\r\n": "CR LF", "\r": "CR", "\n": "LF"}


@dataclass(frozen=True)
class Table:
    """A file's columns, as SQL that gives their text."""

    source: Source
    texts: dict[str, str]  # column -> the SQL that gives its text
    rows: str  # the SQL that reads them
    delimiter: str = ""  # of CSV only
    lists: dict[str, str] = field(default_factory=dict)  # column -> the SQL that gives its lists as JSON


@contextmanager
def workshop() -> Iterator[tuple[Database, Path]]:
    """Open DuckDB, offline, with a folder for standard input and for what does not fit into memory."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="clearwin-") as scratch, duckdb.connect() as db:
        db.execute(f"SET temp_directory = {quoted(str(Path(scratch, 'spill')))}")
        db.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
        db.execute(f"SET memory_limit = '{LITTLE_MEMORY}'; SET allowed_configs = ['memory_limit']")
        db.execute("SET lock_configuration = true")
        yield db, Path(scratch)


def run(db: Database, source: Source, query: str) -> list[Any]:
    """Return what a query finds, or say in our words why it fails."""
    found: list[Any] = _fetched(db, source, query, "fetchall")
    return found


def run_for_arrays(db: Database, source: Source, query: str) -> dict[str, Any]:
    """Return what a query finds as an array for each column."""
    found: dict[str, Any] = _fetched(db, source, query, "fetchnumpy")
    return found


def _fetched(db: Database, source: Source, query: str, how: str) -> Any:
    """Run a query in little memory or, where that is not enough (a thousand columns), in as much as there is."""
    import duckdb

    try:
        try:
            return getattr(db.execute(query), how)()
        except duckdb.OutOfMemoryException:
            db.execute("RESET memory_limit")
            return getattr(db.execute(query), how)()
    except (duckdb.Error, RuntimeError) as problem:  # RuntimeError: a path that is not UTF-8
        raise in_our_words(source, str(problem)) from None


def open_table(db: Database, source: Source) -> Table:
    """Find the columns of a file, and how DuckDB reads each of them as text."""
    if source.kind == "parquet":
        table = _parquet_table(db, source)
    else:
        table = _jsonl_table(db, source) if source.kind == "jsonl" else _csv_table(source)
    refuse_long(f"The name of a column of {source.name}", table.texts)
    return table


def refuse_long(what: str, names: Iterable[str]) -> None:
    """Refuse names that no report could show: they are texts in the wrong place."""
    name = max(names, key=len, default="")
    if len(name) > LONGEST_LABEL:
        raise FileError(
            f"{what} has {len(name):,} characters: {name[:60]}…",
            f"at most {LONGEST_LABEL:,} characters",
            "check how the file was written",
        )


def _csv_table(source: Source) -> Table:
    header, delimiter, skip = _csv_header(source)
    twice = [repr(name) for name, count in Counter(header).items() if name and count > 1]
    if twice:
        what = f"The header of {source.name} names more than one column {' and '.join(twice)}."
        raise FileError(what, "a different name for each column", "rename them in the header")
    # DuckDB calls the columns c0, c1, ...: it could not tell y from Y
    places = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    options = (
        f"auto_detect=false, header=false, skip={skip}, columns={{{places}}},"
        f" delim='{delimiter}', quote='\"', escape='\"', nullstr='', strict_mode=true, null_padding=false,"
        " ignore_errors=false"
    )
    rows = f"read_csv({source.sql()}, {options})"
    return Table(source, {name: f"c{i}" for i, name in enumerate(header)}, rows, delimiter)


def _csv_header(source: Source) -> tuple[list[str], str, int]:
    """Return the names, the delimiter that they suggest, and how many records precede the data."""
    problem = "there are only blank lines"
    try:
        with source.open() as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
            unquoted = re.sub(r'"[^"]*"', "", text.read(65_536)).lstrip("\r\n")
            first_line = re.split(r"[\r\n]", unquoted, maxsplit=1)[0]
            delimiter = "\t" if source.kind == "tsv" else max(",;\t|", key=first_line.count)
            text.seek(0)
            for skip, names in enumerate(csv.reader(text, delimiter=delimiter, strict=True), 1):
                if names:
                    _refuse_other_line_breaks(source, names, unquoted)
                    return names, delimiter, skip
    except csv.Error as error:
        problem = str(error)
    except UnicodeDecodeError as error:
        raise in_our_words(source, str(error)) from None
    except GZIP_ERRORS:
        raise in_our_words(source, BROKEN_GZIP) from None
    raise FileError(f"The header of {source.name} cannot be read: {problem}.", EXPECTED_CSV, "correct it")


def _refuse_other_line_breaks(source: Source, names: list[str], unquoted: str) -> None:
    """DuckDB takes the first line break of a file for that of all its lines, and finds no rows if it is another."""
    ends = re.search(LINE_BREAK, unquoted)
    other = [name for name in names if ends and set(re.findall(LINE_BREAK, name)) - {ends[0]}]
    if ends and other:
        raise FileError(
            f"The name {other[0]!r} in the header of {source.name} has a line break of another kind than the lines, "
            f"which end with {LINE_BREAKS[ends[0]]}.",
            "names without line breaks, or with the same as at the end of the lines",
            "rename that column, or convert the file, for example with `dos2unix`",
        )


def csv_rows(table: Table) -> int:
    """Count the rows with Python's csv module: slow, but it notices a quote that is never closed."""
    usual_limit = csv.field_size_limit(2**31 - 1)
    try:
        with (
            table.source.open() as file,
            io.TextIOWrapper(file, "utf-8-sig", errors="replace", newline="") as text,
        ):
            return sum(map(bool, csv.reader(text, delimiter=table.delimiter, strict=True))) - 1
    except (csv.Error, *GZIP_ERRORS):
        return -1
    finally:
        csv.field_size_limit(usual_limit)


def _jsonl_table(db: Database, source: Source) -> Table:
    """Collect the keys of all lines, in the order in which they first appear: one may appear late."""
    rows = f"read_ndjson_objects({source.sql()})"
    lines = f"SELECT json_type(json) AS type, json_keys(json) AS keys, row_number() OVER () AS line FROM {rows}"
    shapes = f"SELECT type, keys, min(line) AS first FROM ({lines}) GROUP BY type, keys"
    sound = "type = 'OBJECT' AND len(list_distinct(keys)) = len(keys)"
    checked = f"CASE WHEN {sound} THEN keys ELSE error('not a JSON object, or with a key twice') END"
    found = run(db, source, f"SELECT {checked} FROM ({shapes}) ORDER BY first")
    keys = list(dict.fromkeys(name for (names,) in found for name in names))
    if not keys:
        raise no_rows(source)
    lists = {key: f"CAST(json_extract(json, {_pointer(key)}) AS VARCHAR)" for key in keys}
    return Table(source, {key: _jsonl_text(key) for key in keys}, rows, lists=lists)


def _pointer(key: str) -> str:
    return quoted("/" + key.replace("~", "~0").replace("/", "~1"))


def _jsonl_text(key: str) -> str:
    pointer = _pointer(key)
    text = f"json_extract_string(json, {pointer})"
    nested = f"error({quoted(f'nested label in {key}: ')} || left({text}, 60))"
    return (
        f"CASE json_type(json, {pointer}) WHEN 'OBJECT' THEN {nested} WHEN 'ARRAY' THEN {nested}"
        f" WHEN 'DOUBLE' THEN {_number_text(text)} ELSE {text} END"
    )


def _parquet_table(db: Database, source: Source) -> Table:
    rows = f"read_parquet({source.sql()}, binary_as_string=true)"
    columns = run(db, source, f"DESCRIBE SELECT * FROM {rows}")
    texts, lists = {}, {}
    for i, (name, sql_type, *_) in enumerate(columns):
        texts[name] = f"CAST(c{i} AS VARCHAR)"
        if re.match(r"FLOAT|DOUBLE|DECIMAL", sql_type):
            texts[name] = _number_text(texts[name])
        if re.match(r"STRUCT|MAP|UNION|VARIANT|.*\]$", sql_type):
            texts[name] = f"error({quoted(f'nested label in {name}: ')} || left({texts[name]}, 60))"
        if sql_type.endswith("]"):
            lists[name] = f"CAST(to_json(c{i}) AS VARCHAR)"
    places = ", ".join(f"c{i}" for i in range(len(columns)))
    return Table(source, texts, f"{rows} AS t({places})", lists=lists)


def _number_text(text: str) -> str:
    """Write 1.0 as 1, as a column of integers would; a number that is nan is missing."""
    number = f"TRY_CAST({text} AS DOUBLE)"
    whole = f"{number} = trunc({number}) AND abs({number}) < 1e18"
    integer = f"CAST(CAST({number} AS BIGINT) AS VARCHAR)"
    return f"CASE WHEN isnan({number}) THEN NULL WHEN {whole} THEN {integer} ELSE {text} END"


def no_rows(source: Source) -> FileError:
    """Say that there is nothing but a header."""
    return FileError(f"{source.name} has no rows.", "at least one item", "check how it was written")
