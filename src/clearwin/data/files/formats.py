"""How DuckDB reads the columns of a CSV, TSV, JSONL or Parquet file as text.

Nothing is guessed: every option is given, so that ids and labels are never taken for numbers or dates.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.data.files.sources import (
    BROKEN_GZIP,
    EXPECTED_CSV,
    GZIP_ERRORS,
    LONGEST_LABEL,
    Source,
    bad_line,
    in_our_words,
    in_words_of_the_system,
    quoted,
    reading,
)
from clearwin.errors import FileError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database


MOST_DIGITS = 38  # of DuckDB's DECIMAL; it rounds what Parquet has with more
# JSON's own numbers, from the end of what stands before them, texts whole: a digit within a text is none of them
BEFORE_NUMBER, NUMBER = r'((?:[^"0-9-]|"(?:[^"\\]|\\.)*")*)', r"-?[0-9][-+.0-9eE]*|-Infinity"
QUOTED_NUMBER = r"""'\1"\2"'"""
# more digits than floating point surely keeps, or an exponent that it may not have
MANY_DIGITS = r"[1-9][0-9]{15}|[1-9][0-9.]{16}|[0-9][eE][-+]?[0-9]{3}"
NOT_JSON = r"(?i),\s*[}\]]|[:\[,]\s*-?(nan|inf)"  # what DuckDB takes for JSON, if it stands outside of a text
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

    with reading("temporary files"):
        folder = tempfile.TemporaryDirectory(prefix="clearwin-")
    with folder as scratch, duckdb.connect() as db:
        db.execute(f"SET temp_directory = {quoted(str(Path(scratch, 'spill')))}")
        db.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
        db.execute("SET TimeZone = 'UTC'")  # else the text of a time would depend on where it is read
        db.execute(f"SET memory_limit = '{LITTLE_MEMORY}'; SET allowed_configs = ['memory_limit']")
        db.execute("SET lock_configuration = true")
        yield db, Path(scratch)


def run(db: Database, source: Source, query: str) -> list[Any]:
    """Return what a query finds, or say in our words why it fails."""
    found: list[Any] = _fetched(db, source, query, "fetchall")
    return found


def run_as_arrays(db: Database, source: Source, query: str) -> dict[str, Any]:
    """Return what a query finds as an array for each column, or say in our words why it fails."""
    found: dict[str, Any] = _fetched(db, source, query, "fetchnumpy")
    return found


def _fetched(db: Database, source: Source, query: str, how: str) -> Any:
    """Run a query in little memory or, where that is not enough (a thousand columns), in as much as there is."""
    import duckdb

    with _complaints(source):
        try:
            return getattr(db.execute(query), how)()
        except duckdb.OutOfMemoryException:
            db.execute("RESET memory_limit")
            return getattr(db.execute(query), how)()


@contextmanager
def _complaints(source: Source) -> Iterator[None]:
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException, MemoryError) as problem:
        text = "out of memory" if isinstance(problem, MemoryError) else str(problem)
        raise in_words_of_the_system(source.name, text) or in_our_words(source, text) from None
    except (duckdb.Error, RuntimeError) as problem:  # RuntimeError: a path that is not UTF-8
        raise in_our_words(source, str(problem)) from None


_check: ContextVar[Callable[[Table], None] | None] = ContextVar("check", default=None)


@contextmanager
def each_table(check: Callable[[Table], None]) -> Iterator[None]:
    """Hand every table that is opened meanwhile to ``check``, which may raise before anything reads its rows."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def open_table(db: Database, source: Source) -> Table:
    """Find the columns of a file, and how DuckDB reads each of them as text."""
    if source.kind == "parquet":
        table = _parquet_table(db, source)
    else:
        table = _jsonl_table(db, source) if source.kind == "jsonl" else _csv_table(source)
    refuse_long(f"The name of a column of {source.name}", table.texts)
    check = _check.get()
    if check is not None:
        check(table)
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
    _refuse_repeated(source, "The header", header)
    _refuse_odd_lines(source, len(header), delimiter)
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
        with reading(source.name), source.open() as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
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
    try:
        return sum(bool(fields) for _, fields in _records(table.source, table.delimiter)) - 1
    except (csv.Error, *GZIP_ERRORS):
        return -1


def _records(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Read with Python's csv module; yield the fields with the number of the line in which they end."""
    usual_limit = csv.field_size_limit(2**31 - 1)
    try:
        with (
            reading(source.name),
            source.open() as file,
            io.TextIOWrapper(file, "utf-8-sig", errors="replace", newline="") as text,
        ):
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            yield from ((reader.line_num, fields) for fields in reader)
    finally:
        csv.field_size_limit(usual_limit)


def _refuse_odd_lines(source: Source, width: int, delimiter: str) -> None:
    """Refuse what DuckDB lets pass: more fields than the header has if they are empty, and text after a quote."""
    last = 0
    try:
        if not _has_odd_ends(source, delimiter):
            return
        for line, fields in _records(source, delimiter):
            if len(fields) > width:
                problem = f"{len(fields)} fields, the header has {width}: {delimiter.join(fields)[:80]}"
                raise _odd_line(source, line, problem)
            last = line
    except csv.Error as error:
        if "expected after" in str(error):
            raise _odd_line(source, last + 1, "something between a closing quote and the end of its field.") from None
    except GZIP_ERRORS:
        return  # DuckDB will say so


def _odd_line(source: Source, line: int, problem: str) -> FileError:
    return FileError(f"Line {line:,} of {source.name} has {problem}", EXPECTED_CSV, "correct that line")


def _has_odd_ends(source: Source, delimiter: str) -> bool:
    """Whether some line may end with an empty field, or have a space after a closing quote: a look at the bytes."""
    comma, quote, before = ord(delimiter), ord('"'), b"\0\0\0"
    with reading(source.name), source.open() as file:
        while part := file.read(1 << 20):
            text = np.frombuffer(before + part, dtype=np.uint8)
            ends = 3 + np.flatnonzero((text[3:] == ord("\n")) | (text[3:] == ord("\r")))
            empty_quotes = ends[(text[ends - 1] == quote) & (text[ends - 2] == quote)]
            odd = (text[ends - 1] == comma).any() or (text[empty_quotes - 3] == comma).any()
            if odd or ((text[3:] == ord(" ")) & (text[2:-1] == quote)).any():
                return True
            before = (before + part)[-3:]
    return before.endswith((delimiter.encode(), (delimiter + '""').encode()))


def _jsonl_table(db: Database, source: Source) -> Table:
    """Collect the keys of all lines, in the order in which they first appear: one may appear late."""
    rows = f"read_ndjson_objects({source.sql()})"
    odd = f"regexp_matches(json, {quoted(NOT_JSON)})"
    lines = f"SELECT json_type(json) AS type, json_keys(json) AS keys, row_number() OVER () AS line, {odd} AS odd"
    shapes = (
        f"SELECT type, keys, min(line) AS first, bool_or(odd) AS odd FROM ({lines} FROM {rows}) GROUP BY type, keys"
    )
    sound = "type = 'OBJECT' AND len(list_distinct(keys)) = len(keys)"
    checked = f"CASE WHEN {sound} THEN keys ELSE error('not a JSON object, or with a key twice') END"
    found = run(db, source, f"SELECT {checked}, odd FROM ({shapes}) ORDER BY first")
    problem = bad_line(source) if any(odd for _, odd in found) else None
    if problem:
        raise problem
    keys = list(dict.fromkeys(name for names, _ in found for name in names))
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
        f" WHEN 'DOUBLE' THEN {_json_number(key)} ELSE {text} END"
    )


def _json_number(key: str) -> str:
    """Write the SQL of a number's text: 1.0 and 1e0 are 1, nan is missing, one of many digits is as it is written."""
    number, many = "TRY_CAST(text AS DOUBLE)", f"regexp_matches(text, {quoted(MANY_DIGITS)})"
    shown = (
        f"CASE WHEN {many} AND regexp_full_match(text, '-?[0-9]+[.][0-9]+') THEN {_without_zeros('text')}"
        f" WHEN {many} THEN text WHEN isnan({number}) THEN NULL"
        f" WHEN {number} = trunc({number}) AND abs({number}) < 1e37"
        f" THEN CAST(TRY_CAST(text AS DECIMAL(38, 0)) AS VARCHAR) ELSE CAST({number} AS VARCHAR) END"
    )
    return _let("text", _as_written(key), shown)


def _as_written(key: str) -> str:
    """Write the SQL of a number as it stands in the line: DuckDB's JSON has floating-point numbers only, rounded.

    Nearly always the key stands there once, before its number. Where an object inside has it, too, or where it may be
    spelled with escapes, all numbers of the line are put between quotes, and DuckDB finds it as a text.
    """
    after_key = re.escape(json.dumps(key, ensure_ascii=False)) + rf"\s*:\s*({NUMBER}|NaN|Infinity)"
    in_escapes = r"(?i)\\u(" + "|".join(f"{ord(letter):04x}" for letter in sorted(set(key))) + ")"
    with_quotes = f"regexp_replace(json, {quoted(f'{BEFORE_NUMBER}({NUMBER}|$)')}, {QUOTED_NUMBER}, 'g')"
    # the last match is the end of the line, and gets quotes, too
    text = f"json_extract_string(left({with_quotes}, -2), {_pointer(key)})"
    once = f"len(found) = 1 AND NOT regexp_matches(json, {quoted(in_escapes)})"
    found = f"regexp_extract_all(json, {quoted(after_key)}, 1)"
    return _let("found", found, f"CASE WHEN {once} THEN found[1] ELSE {text} END")


def _let(name: str, value: str, expression: str) -> str:
    """Write the SQL of an expression in which a value has a name, so that it is made only once."""
    return f"list_transform([{value}], lambda {name}: {expression})[1]"


def _without_zeros(text: str) -> str:
    """Write the SQL that makes 1 of 1.00, as a column of whole numbers has it; the text has a point."""
    return f"rtrim(rtrim({text}, '0'), '.')"


def _parquet_table(db: Database, source: Source) -> Table:
    rows = f"read_parquet({source.sql()}, binary_as_string=true)"
    types = [sql_type for _, sql_type, *_ in run(db, source, f"DESCRIBE SELECT * FROM {rows}")]
    names, too_wide = _parquet_names(db, source)
    _refuse_repeated(source, "The schema", names)
    texts, lists = {}, {}
    # by their places: DuckDB would call a Y beside y Y_1
    for i, (name, sql_type) in enumerate(zip(names, types, strict=True)):
        texts[name] = _parquet_text(name, f"c{i}", sql_type)
        if name in too_wide:
            texts[name] = f"error({quoted(f'wide number in {name}')})"
        elif sql_type.endswith("]"):
            lists[name] = _parquet_list(f"c{i}", sql_type)
    places = ", ".join(f"c{i}" for i in range(len(names)))
    return Table(source, texts, f"{rows} AS t({places})", lists=lists)


def _parquet_names(db: Database, source: Source) -> tuple[list[str], set[str]]:
    """Return the names of the columns as they stand in the file, and of those with numbers that DuckDB would round."""
    path = source.sql().partition(", hive")[0]
    query = f"SELECT name, coalesce(num_children, 0), coalesce(precision, 0) FROM parquet_schema({path})"
    names: list[str] = []
    too_wide: set[str] = set()
    depths: list[int] = []
    for name, children, digits in run(db, source, query):  # in the order of a tree: the root, a column, what is in it
        if len(depths) == 1:
            names.append(name)
        if digits > MOST_DIGITS:
            too_wide.add(names[-1])
        depths.append(children)
        while depths and depths[-1] == 0:
            depths.pop()
            if depths:
                depths[-1] -= 1
    return names, too_wide


def _parquet_text(name: str, column: str, sql_type: str) -> str:
    """Write the SQL of the text; whole numbers look alike whatever their type, and no digit of them is lost."""
    text = f"CAST({column} AS VARCHAR)"
    if re.match(r"STRUCT|MAP|UNION|VARIANT|.*\]$", sql_type):
        return f"error({quoted(f'nested label in {name}: ')} || left({text}, 60))"
    if sql_type in ("FLOAT", "DOUBLE"):
        whole = f"{column} = trunc({column}) AND abs({column}) < 1e38"
        integer = f"CAST(TRY_CAST({column} AS HUGEINT) AS VARCHAR)"
        return f"CASE WHEN isnan({column}) THEN NULL WHEN {whole} THEN {integer} ELSE {text} END"
    return _without_zeros(text) if _has_fraction(sql_type) else text


def _parquet_list(column: str, sql_type: str) -> str:
    """Write the SQL of a list as JSON; JSON's readers would round decimals, so whole ones become texts."""
    if _has_fraction(sql_type.removesuffix("[]")):
        whole = f"to_json({_without_zeros('CAST(x AS VARCHAR)')})"
        column = f"list_transform({column}, lambda x: CASE WHEN x = trunc(x) THEN {whole} ELSE to_json(x) END)"
    return f"CAST(to_json({column}) AS VARCHAR)"


def _has_fraction(sql_type: str) -> bool:
    return bool(re.fullmatch(r"DECIMAL\(\d+, ?[1-9]\d*\)", sql_type))


def _refuse_repeated(source: Source, where: str, names: Iterable[str]) -> None:
    twice = [repr(name) for name, count in Counter(names).items() if name and count > 1]
    if twice:
        what = f"{where} of {source.name} names more than one column {' and '.join(twice)}."
        raise FileError(what, "a different name for each column", "rename them")


def narrow_floats(db: Database, source: Source) -> dict[str, str]:
    """Return which columns hold floats narrower than float64, and their type as numpy calls it: of Parquet only."""
    if source.kind != "parquet":
        return {}
    stored = "CASE logical_type WHEN 'Float16Type()' THEN 'float16' ELSE 'float32' END"
    found = f"SELECT name, {stored} FROM parquet_schema({quoted(glob.escape(str(source.path.absolute())))})"
    return dict(run(db, source, f"{found} WHERE duckdb_type = 'FLOAT'"))


def no_rows(source: Source) -> FileError:
    """Say that there is nothing but a header."""
    return FileError(f"{source.name} has no rows.", "at least one item", "check how it was written")
