"""Prediction files in, a tally of label combinations out; everything is text first.

Ids and labels are never taken for numbers or dates: ``NA`` is a label, ``01`` and ``1`` differ, only an
empty field is missing. DuckDB reads, joins and counts, out of core; Python never sees a row, only the
tally. Whatever is wrong with a file becomes a ``FileError`` in plain words.

A role is what a column is for: ``truth``, ``a`` or ``b``.
"""

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.errors import FileError, UnknownNameError, first_few, nearest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database

AnyPath = str | os.PathLike[str]

KINDS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
SOUND_CSV = (
    "a header, then as many fields in every line; a field that holds a delimiter, a quote or a line break "
    'stands between double quotes, and a quote inside it is written twice: "say ""yes"""'
)
SOUND = {
    "csv": SOUND_CSV,
    "tsv": SOUND_CSV,
    "jsonl": 'one JSON object in each line: {"truth": "cat", "a": "dog"}',
    "parquet": "a complete Parquet file, with a plain text, number or truth value in each column",
}
BROKEN_GZIP = "GZIP stream"
GZIP_ERRORS = (OSError, EOFError, zlib.error)
# A pattern in DuckDB's message, what it means, and what to do next. DuckDB's line numbers count records,
# and a field may hold line breaks, so the text of the line is shown as well.
LINE = r"Line: (?P<line>\d+)\s+Original Line: (?P<text>.*?)\n"
COMPLAINTS = (
    (
        LINE + r"Expected .*?: (?P<due>\d+) Found: (?P<fields>\d+)",
        "Line {line} of {name} has {fields} fields, the header has {due}: {text}",
        "correct that line",
    ),
    (
        LINE + "Value with unterminated quote",
        "Line {line} of {name} has a quote that is never closed, or closed before its field ends: {text}",
        "correct the quotes in that line",
    ),
    (
        LINE + r"Maximum line size of (?P<most>\d+)",
        "Line {line} of {name} is longer than {most} bytes: {text}",
        "look for a quote that is never closed, or leave long texts out of the file",
    ),
    (
        "reached an invalid state",
        "{name} mixes line endings: some lines end with CR LF, others with LF or CR alone.",
        "convert it, for example with `dos2unix`",
    ),
    (BROKEN_GZIP, "{name} is a broken or cut off gzip file.", "check it with `gzip -t`, and copy it again"),
    (
        "magic bytes|too small to be|TProtocol",
        "{name} is not a Parquet file, or it is cut off.",
        "copy or write it again",
    ),
    (
        "nested label in (?P<column>.*?): (?P<text>.*)",
        "Column {column} of {name} holds a nested value: {text}",
        "choose another column, or write the label itself into this one",
    ),
)
MOST_COMBINATIONS = 1_000_000  # more than this are ids or scores, not labels, and would fill the memory
CELLS = tuple(f"e{i}" for i in range(1, 9))


@dataclass(frozen=True)
class FileTally:
    """How many items have each combination of labels, and a name to show for each role."""

    counts: dict[tuple[str, ...], int]
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Source:
    path: Path
    name: str  # as the user calls it
    kind: str
    zipped: bool

    def open(self) -> gzip.GzipFile | io.BufferedReader:
        return gzip.open(self.path) if self.zipped else self.path.open("rb")

    def sql(self) -> str:
        """Write the path for DuckDB, which takes * ? [ for a pattern and a folder y=1 for a column."""
        path = _quoted(glob.escape(str(self.path.absolute())))
        packing = "" if self.kind == "parquet" else f", compression='{'gzip' if self.zipped else 'none'}'"
        return f"{path}, hive_partitioning=false{packing}"


@dataclass(frozen=True)
class _Table:
    source: _Source
    texts: dict[str, str]  # column -> the SQL that gives its text
    ways: tuple[str, ...]  # SQL that reads the rows, the fastest way first


def tally_file(
    path: AnyPath, columns: Mapping[str, str | None], *, id_column: str | None = None
) -> FileTally:
    """Count the label combinations in one file; ``columns`` maps each role to its column."""
    with _workshop() as (db, scratch):
        source = _source(path, scratch)
        table = _table(db, source)
        labels = {role: _column(table, role, column) for role, column in columns.items()}
        _refuse_truth_against_itself({role: f"column {column!r}" for role, column in labels.items()})
        if id_column is None:
            groups = _read(db, table, labels, _tally(labels, "items"))
            if not groups or any(None in group for group in groups):
                _refuse_unusable(db, source, "items", labels)
        else:
            _hold(db, table, {**labels, "id": _column(table, "id", id_column)}, "held")
            groups = _run(db, source, _tally(labels, "held"))
    return FileTally(_counts(groups, source.name), tuple(labels.values()))


def tally_joined_files(
    paths: Mapping[str, AnyPath], columns: Mapping[str, str | None], *, id_column: str
) -> FileTally:
    """Count the label combinations over one file per role, joined by id, whatever the order of the rows.

    A column may be None where the file has only one besides the id.
    """
    if [os.fspath(path) for path in paths.values()].count("-") > 1:
        raise FileError("Standard input (-) is given twice.", "at most one -", "save the others as files")
    names: dict[str, str] = {}
    sizes: dict[str, int] = {}
    with _workshop() as (db, scratch):
        sources = {role: _source(path, scratch) for role, path in paths.items()}
        for role, source in sources.items():
            table = _table(db, source)
            id_name = _column(table, "id", id_column)
            names[role] = _column(table, role, columns.get(role), besides=id_name)
            sizes[role] = _hold(db, table, {"id": id_name, role: names[role]}, f"file_{role}")
        _refuse_truth_against_itself({r: f"column {names[r]!r} of {s.name}" for r, s in sources.items()})
        joined = "file_" + " JOIN file_".join(f"{r} USING (id)" if i else r for i, r in enumerate(names))
        counts = _counts(_run(db, source, _tally(names, joined)), "the joined files")
        if set(sizes.values()) != {sum(counts.values())}:
            _refuse_unmatched_ids(db, sources)
    if len(set(names.values())) < len(names):  # three columns called "label" would tell the reader nothing
        names = {role: Path(re.sub(r"(?i)\.gz$", "", s.name)).stem for role, s in sources.items()}
    return FileTally(counts, tuple(names.values()))


def is_counts_file(path: AnyPath) -> bool:
    """Tell by its ending whether a file holds the eight joint counts instead of predictions."""
    return os.fspath(path).lower().endswith(".json")


def read_joint_counts(path: AnyPath) -> dict[str, int]:
    """Read the counts e1 ... e8 from a JSON file, or from standard input for ``-``."""
    name = os.fspath(path)
    rule = 'one JSON object with a whole number for each of e1 to e8: {"e1": 40, "e2": 3, ..., "e8": 51}'
    if name == "-":
        name, content = "standard input", sys.stdin.buffer.read()
    else:
        _refuse_unreadable(Path(path))
        content = Path(path).read_bytes()
    try:
        found = _json_object(content.decode("utf-8-sig"))
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


@contextmanager
def _workshop() -> Iterator[tuple[Database, Path]]:
    """Open DuckDB, offline, with a folder for standard input and for what does not fit into memory."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="clearwin-") as scratch, duckdb.connect() as db:
        db.execute(f"SET temp_directory = {_quoted(str(Path(scratch, 'spill')))}")
        db.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
        yield db, Path(scratch)


def _source(path: AnyPath, scratch: Path) -> _Source:
    """Find the file, or copy standard input into one, and decide its format."""
    name, place, kind = os.fspath(path), Path(path), ""
    if name == "-":
        name, place = "standard input", scratch / "stdin"
        with place.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
    else:
        _refuse_unreadable(place)
        kind = _kind_by_ending(place)
    with place.open("rb") as file:
        source = _Source(place, name, kind or "csv", zipped=file.read(2) == b"\x1f\x8b")
    try:
        with source.open() as file:
            start = file.read(1024)
    except GZIP_ERRORS:
        raise _in_our_words(source, BROKEN_GZIP) from None
    if not start:
        raise FileError(f"{name} is empty.", SOUND[source.kind], "check how it was written")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileError(f"{name} is in UTF-16.", "text in UTF-8", "convert it: `iconv -f utf-16 -t utf-8`")
    if not kind:
        text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
        kind = "parquet" if start.startswith(b"PAR1") else "jsonl" if text.startswith(b"{") else "csv"
    return replace(source, kind=kind)


def _refuse_unreadable(path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise FileError(f"{path} is a folder.", "a file", "name a file in it")
    try:
        path.open("rb").close()
    except FileNotFoundError:
        if not folder.is_dir():
            raise FileError(f"There is no folder {folder}.", "a file that exists", "check the path") from None
        near = [str(folder / name) for name in nearest(path.name, (entry.name for entry in folder.iterdir()))]
        hint = f"did you mean {' or '.join(near)}?" if near else f"look at what is in {folder.absolute()}"
        raise FileError(f"There is no file {path}.", "a file that exists", hint) from None
    except OSError as problem:
        what = f"{path} cannot be opened: {problem.strerror}."
        raise FileError(what, "a file that you may read", "check its permissions") from None


def _kind_by_ending(path: Path) -> str:
    lower = path.name.lower()
    kind = KINDS.get(Path(lower.removesuffix(".gz")).suffix)
    if kind is None or (kind == "parquet" and lower.endswith(".gz")):
        raise FileError(
            f"The ending of {path} does not tell its format.",
            "a file ending with .csv, .tsv, .jsonl, .ndjson (each also with .gz) or .parquet",
            "rename it or save it as one of these, or pass it through standard input (-)",
        )
    return kind


def _table(db: Database, source: _Source) -> _Table:
    """Find the columns of a file, and how DuckDB reads each of them as text."""
    if source.kind == "parquet":
        return _parquet_table(db, source)
    return _jsonl_table(db, source) if source.kind == "jsonl" else _csv_table(source)


def _csv_table(source: _Source) -> _Table:
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
    # Several threads can fail, though never silently, on line breaks inside quotes; one thread does not
    ways = (f"read_csv({source.sql()}, {options}, parallel={parallel})" for parallel in (True, False))
    return _Table(source, {name: f"c{i}" for i, name in enumerate(header)}, tuple(ways))


def _csv_header(source: _Source) -> tuple[list[str], str, int]:
    """Return the names, the delimiter that finds most of them, and how many records precede the data."""
    readings = []
    problem = "there are only blank lines"
    for delimiter in "\t" if source.kind == "tsv" else ",;\t|":
        try:
            with source.open() as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
                records = enumerate(csv.reader(text, delimiter=delimiter, strict=True), 1)
                readings += [next((names, delimiter, skip) for skip, names in records if names)]
        except StopIteration:
            continue
        except csv.Error as error:
            problem = str(error)
        except UnicodeDecodeError as error:
            raise _in_our_words(source, str(error)) from None
        except GZIP_ERRORS:
            raise _in_our_words(source, BROKEN_GZIP) from None
    if not readings:
        what = f"The header of {source.name} cannot be read: {problem}."
        raise FileError(what, SOUND_CSV, "correct the first line")
    return max(readings, key=lambda reading: len(reading[0]))


def _jsonl_table(db: Database, source: _Source) -> _Table:
    """Collect the keys of all lines: one may appear late."""
    way = f"read_ndjson_objects({source.sql()})"
    shapes = f"SELECT DISTINCT json_type(json) AS type, json_keys(json) AS keys FROM {way}"
    sound = "type = 'OBJECT' AND len(list_distinct(keys)) = len(keys)"
    checked = f"CASE WHEN {sound} THEN keys ELSE error('not a JSON object, or with a key twice') END"
    names = _run(db, source, f"SELECT DISTINCT unnest({checked}) FROM ({shapes})")
    return _Table(source, {name: _jsonl_text(name) for (name,) in sorted(names)}, (way,))


def _jsonl_text(key: str) -> str:
    pointer = _quoted("/" + key.replace("~", "~0").replace("/", "~1"))
    text = f"json_extract_string(json, {pointer})"
    nested = f"error({_quoted(f'nested label in {key}: ')} || left({text}, 60))"
    return (
        f"CASE json_type(json, {pointer}) WHEN 'OBJECT' THEN {nested} WHEN 'ARRAY' THEN {nested}"
        f" WHEN 'DOUBLE' THEN {_number_text(text)} ELSE {text} END"
    )


def _parquet_table(db: Database, source: _Source) -> _Table:
    way = f"read_parquet({source.sql()}, binary_as_string=true)"
    columns = _run(db, source, f"DESCRIBE SELECT * FROM {way}")
    texts = {}
    for i, (name, sql_type, *_) in enumerate(columns):
        texts[name] = f"CAST(c{i} AS VARCHAR)"
        if re.match(r"FLOAT|DOUBLE|DECIMAL", sql_type):
            texts[name] = _number_text(texts[name])
        if re.match(r"STRUCT|MAP|UNION|VARIANT|.*\]$", sql_type):
            texts[name] = f"error({_quoted(f'nested label in {name}: ')} || left({texts[name]}, 60))"
    places = ", ".join(f"c{i}" for i in range(len(columns)))
    return _Table(source, texts, (f"{way} AS t({places})",))


def _number_text(text: str) -> str:
    """Write 1.0 as 1, as a column of integers would; a number that is nan is missing."""
    number = f"TRY_CAST({text} AS DOUBLE)"
    whole = f"{number} = trunc({number}) AND abs({number}) < 1e18"
    integer = f"CAST(CAST({number} AS BIGINT) AS VARCHAR)"
    return f"CASE WHEN isnan({number}) THEN NULL WHEN {whole} THEN {integer} ELSE {text} END"


def _column(table: _Table, role: str, column: str | None, besides: str | None = None) -> str:
    """Return the column for a role: the one asked for, or the only one ``besides`` the id."""
    name = table.source.name
    if column in table.texts:
        return column
    if column is not None:
        raise UnknownNameError(f"column of {name}", column, table.texts)
    others = [other for other in table.texts if other != besides]
    if besides is not None and len(others) == 1:
        return others[0]
    choice = f"one of {', '.join(others)}" if others else f"a column besides {besides}"
    raise FileError(f"It is not said which column of {name} is {role}.", choice, f"give `--{role} COLUMN`")


def _refuse_truth_against_itself(labels: Mapping[str, str]) -> None:
    for role, label in labels.items():
        if role != "truth" and label == labels.get("truth"):
            what = f"The truth and {role} are both {label}."
            raise FileError(what, "predictions in a column of their own", f"give another `--{role} COLUMN`")


def _run(db: Database, source: _Source, *attempts: str) -> list[Any]:
    """Return what the first attempt that succeeds finds; say in our words why the last one fails."""
    import duckdb

    complaint = ""
    for attempt in attempts:
        try:
            return db.execute(attempt).fetchall()
        except duckdb.Error as problem:
            complaint = str(problem)
    raise _in_our_words(source, complaint)


def _read(db: Database, table: _Table, columns: Mapping[str, str], query: str) -> list[Any]:
    """Run a query on the view ``items``: the text of the columns, under the names of their roles."""
    texts = ", ".join(
        f"nullif({table.texts[column]}, '') AS {_name(role)}" for role, column in columns.items()
    )
    view = f"CREATE OR REPLACE TEMP VIEW items AS SELECT {texts} FROM"
    return _run(db, table.source, *(f"{view} {way}; {query}" for way in table.ways))


def _hold(db: Database, table: _Table, columns: Mapping[str, str], held: str) -> int:
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
    return {tuple(labels): count for *labels, count in groups}


def _refuse_unusable(db: Database, source: _Source, relation: str, columns: Mapping[str, str]) -> None:
    """Refuse a file without rows, with missing values or with repeated ids."""
    if not _run(db, source, f"FROM {relation} LIMIT 1"):
        raise FileError(f"{source.name} has no rows.", "at least one item", "check how it was written")
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


def _refuse_unmatched_ids(db: Database, sources: Mapping[str, _Source]) -> None:
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


def _offenders(db: Database, source: _Source, noun: str, query: str) -> str:
    """Show the first three things that the query finds and how many there are: 2 rows (4, 7)."""
    found = _run(db, source, f"SELECT *, count(*) OVER () FROM ({query}) ORDER BY 1 LIMIT 3")
    if not found:
        return ""
    count = found[0][1]
    return f"{count:,} {noun}{'s' if count > 1 else ''} ({first_few((value for value, _ in found), count)})"


def _in_our_words(source: _Source, complaint: str) -> FileError:
    """Say what DuckDB's complaint means, without DuckDB's advice on options that we do not offer."""
    if source.kind != "parquet" and re.search(r"(?i)utf-?8|unicode|JSON", complaint):
        try:
            problem = _bad_line(source)
        except GZIP_ERRORS:
            return _in_our_words(source, BROKEN_GZIP)
        if problem:
            return problem
    for pattern, what, next_step in COMPLAINTS:
        match = re.search(pattern, complaint, re.DOTALL)
        if match:
            found = {key: value.strip()[:80] for key, value in match.groupdict().items()}
            return FileError(what.format(name=source.name, **found), SOUND[source.kind], next_step)
    gist = complaint.partition("\n")[0].replace(str(source.path.absolute()), source.name)
    what = f"{source.name} cannot be read. DuckDB says: {gist[:300]}"
    return FileError(what, SOUND[source.kind], "check how the file was written")


def _bad_line(source: _Source) -> FileError | None:
    """Find the line that is not UTF-8 or not a JSON object, which DuckDB counts wrongly or not at all."""
    with source.open() as file:
        for number, line in enumerate(file, 1):
            where = f"Line {number:,} of {source.name}"
            try:
                text = line.decode("utf-8")
                if source.kind == "jsonl" and text.strip():
                    _json_object(text)
            except UnicodeDecodeError:
                convert = "convert it; if it is Latin-1, with `iconv -f latin1 -t utf8`"
                return FileError(f"{where} is not UTF-8.", "text in UTF-8", convert)
            except (ValueError, RecursionError) as problem:
                what = f"{where} cannot be used: {getattr(problem, 'msg', problem)}."
                return FileError(what, SOUND["jsonl"], "correct that line")
    return None


def _json_object(text: str) -> dict[str, Any]:
    """Read a JSON object in which no key comes twice: the last one would silently win."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        if twice:
            raise ValueError(f"the key {twice[0]!r} comes twice")
        return dict(pairs)

    found = json.loads(text, object_pairs_hook=unique)
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")
    return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(role: str) -> str:
    return f'"{role}"'
