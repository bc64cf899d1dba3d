"""Where predictions come from: a file or standard input, its format, its columns as text, and what is wrong with it.

DuckDB does the reading. Nothing is guessed: every option is given, so that ids and labels are never taken for numbers
or dates. Its complaints name options that we do not offer and lines that it miscounts, so they never reach the user as
they are.
"""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import hashlib
import io
import itertools
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qs

import numpy as np

from clearwin.errors import FileError, UnknownNameError, first_few, nearest, shortened
from clearwin.text import as_number, sums_up

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database

AnyPath = str | os.PathLike[str]
KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}
EXPECTED_CSV = (
    "a header, then the same number of fields in every line; a field that holds a delimiter, a quote or a line break "
    'must be in double quotes, with quotes inside it doubled: "say ""yes"""'
)
EXPECTED = {
    "csv": EXPECTED_CSV,
    "tsv": EXPECTED_CSV,
    "jsonl": 'one JSON object in each line: {"truth": "cat", "a": "dog"}',
    "json": 'an array with an object for each item: [{"truth": "cat", "a": "dog"}, …]',
    "parquet": "a complete Parquet file, with a plain text, number or truth value in each column",
    "duckdb": "a database of DuckDB with a table of predictions: duckdb://preds.db?table=preds",
}
DATABASE = "duckdb://"
BROKEN_GZIP = "GZIP stream"
MIXED_LINES = "reached an invalid state"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte-order marks, as spreadsheets write them with "Unicode text"
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)
LONGEST_LINE = 2_000_000  # bytes that DuckDB takes for a line of CSV
BY_STANDARD_INPUT = ", or pass it through standard input (-)"  # which the page has not
LONGEST_LABEL = 1_000  # characters of a label, an id or the name of a column
PATIENCE = 2.0  # seconds in which somebody has to begin to write to a pipe
MOST_LEVELS = 8  # of lists in lists in a column of Parquet
MOST_DIGITS = 38  # of DuckDB's DECIMAL; it rounds what Parquet has with more
# JSON's own numbers, from the end of what stands before them, texts whole: a digit within a text is none of them
BEFORE_NUMBER, NUMBER = r'((?:[^"0-9-]|"(?:[^"\\]|\\.)*")*)', r"-?[0-9][-+.0-9eE]*|-Infinity"
QUOTED_NUMBER = r"""'\1"\2"'"""
# more digits than floating point surely keeps, or an exponent that it may not have
MANY_DIGITS = r"[1-9][0-9]{15}|[1-9][0-9.]{16}|[0-9][eE][-+]?[0-9]{3}"
NOT_JSON = r"(?i),\s*[}\]]|[:\[,]\s*-?(nan|inf)"  # what DuckDB takes for JSON, if it stands outside of a text
OBJECT_INSIDE = r":\s*\{"  # what a line of JSON has if an object lies in it
MOST_NESTED = 100  # keys of such an object that are columns
PART_OF_TEXT = 1 << 20  # characters of an array that are read at a time
LONGEST_OBJECT = 16_000_000  # characters that DuckDB takes for an object
LITTLE_MEMORY = "300MB"  # that DuckDB fills before it writes to the disk; ten million items with ids need no more
LINE_BREAK = r"\r\n|\r|\n"
LINE_BREAKS = {"\r\n": "CR LF", "\r": "CR", "\n": "LF"}


@dataclass(frozen=True)
class Source:
    """A file to read, with its format; or many Parquet files, or a table of a database, that are read as one."""

    path: Path
    name: str  # as the user calls it
    kind: str
    zipped: bool
    parts: tuple[Path, ...] = ()  # the files of a folder or a pattern
    table: str = ""  # of a database; the only one where none is named
    last_line: str = ""  # of CSV

    def open(self) -> gzip.GzipFile | io.BufferedReader:
        return gzip.open(self.path) if self.zipped else self.path.open("rb")

    @property
    def is_json(self) -> bool:
        """Whether it has an object for each item, in lines; an array was copied as such."""
        return self.kind in ("jsonl", "json")

    def sql(self) -> str:
        """Write the path for DuckDB, which takes * ? [ for a pattern and a folder y=1 for a column."""
        if self.parts:
            hive = str(bool(self.partitions)).lower()
            return f"{self.sql_paths()}, hive_partitioning={hive}, hive_types_autocast=false"
        path = self.sql_paths()
        packing = "" if self.kind == "parquet" else f", compression='{'gzip' if self.zipped else 'none'}'"
        return f"{path}, hive_partitioning=false{packing}"

    def sql_paths(self) -> str:
        """Write the path, or the list of all paths."""
        paths = [quoted(glob.escape(str(path.absolute()))) for path in self.parts or (self.path,)]
        return f"[{', '.join(paths)}]" if self.parts else paths[0]

    @property
    def partitions(self) -> tuple[str, ...]:
        """The columns that folders below the one that was named spell: y in y=3/part-0.parquet (Hive)."""
        if not self.parts:
            return ()
        folders = self.parts[0].relative_to(self.path).parts[:-1]
        return tuple(folder.partition("=")[0] for folder in folders if "=" in folder)


def open_source(path: AnyPath, scratch: Path) -> Source:
    """Find the file, or copy standard input or a pipe into one, and decide its format."""
    name, place, kind = os.fspath(path), Path(path), ""
    if not place.exists():
        if name.startswith(DATABASE):
            return _database(name)
        place = _only_match(name) or place
    if place.is_dir() or (glob.has_magic(name) and not place.exists()):
        return _many_files(name)
    if is_read_once(path):
        kind = KINDS.get(Path(name.lower().removesuffix(".gz")).suffix, "")
        with reading(name):
            number, copied = tempfile.mkstemp(dir=scratch)  # the files of several models share a folder
            with os.fdopen(number, "wb") as copy:
                copy.writelines(_parts(name))
        name, place = "standard input" if name == "-" else name, Path(copied)
    else:
        refuse_unreadable(place)
        kind = kind_by_ending(place)
    with reading(name):
        return _recognised(name, place, kind, scratch)


def _database(name: str) -> Source:
    """Read duckdb://preds.db?table=preds."""
    file, _, asked = name.removeprefix(DATABASE).partition("?")
    options = parse_qs(asked, keep_blank_values=True)
    if set(options) - {"table"} or len(options.get("table", [])) > 1:
        what = f"{name} asks for {', '.join(sorted(set(options) - {'table'})) or 'several tables'}."
        raise FileError(what, EXPECTED["duckdb"], f"{DATABASE}{file}?table=NAME")
    refuse_unreadable(Path(file))
    return Source(Path(file), name, "duckdb", zipped=False, table=options.get("table", [""])[0])


def _only_match(pattern: str) -> Path | None:
    """Return the file that fits a pattern, if it is the only one."""
    found = _matches(pattern)
    return found[0] if len(found) == 1 else None


def _matches(pattern: str) -> list[Path]:
    place = Path(pattern)
    start = Path(place.anchor)  # "" is here
    return list(start.glob(str(place.relative_to(start)))) if glob.has_magic(pattern) else []


def _many_files(name: str) -> Source:
    """Find the Parquet files of a folder, or those that fit a pattern."""
    place = Path(name)
    if place.is_dir():
        root, parts = place, sorted(place.rglob("*.parquet"))
    else:
        root = Path(*itertools.takewhile(lambda part: not glob.has_magic(part), place.parts))
        parts = sorted(
            {file for path in _matches(name) for file in (path.rglob("*.parquet") if path.is_dir() else [path])}
        )
    parts = [part for part in parts if not any(own.startswith((".", "_")) for own in part.relative_to(root).parts)]
    others = [str(part) for part in parts if part.suffix.lower() != ".parquet"]
    if others or not parts:
        what = f"{name} is a folder without Parquet files." if place.is_dir() else f"There is no file {name}."
        raise FileError(
            f"{name} fits {others[0]}, which is not a Parquet file." if others else what,
            "a file, or Parquet files that are read as one: a folder or a pattern in quotes",
            "name a single file, or save all of them as Parquet" if others else "check the path",
        )
    for part in parts:
        refuse_unreadable(part)
    return Source(root, name, "parquet", zipped=False, parts=tuple(parts))


def is_read_once(path: AnyPath) -> bool:
    """Whether it is standard input or a pipe, such as a shell makes of <(zcat preds.csv.gz)."""
    return os.fspath(path) == "-" or Path(path).is_fifo()


def _parts(name: str) -> Iterator[bytes]:
    """Read standard input (-) or a pipe, without waiting for ever for somebody to write to it."""
    if name == "-":
        yield from iter(lambda: sys.stdin.buffer.read(1 << 16), b"")
        return
    number = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield _first_part(name, number)
        os.set_blocking(number, True)
        yield from iter(lambda: os.read(number, 1 << 16), b"")
    finally:
        os.close(number)


def _first_part(name: str, number: int) -> bytes:
    """Return what is in a pipe already, and refuse one that nobody writes to."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            part = os.read(number, 1 << 16)
        except BlockingIOError:  # somebody is there, and has not written yet
            return b""
        if part:
            return part
        if time.monotonic() > until:
            raise FileError(
                f"{name} is a pipe with nothing in it, and no program writes to it.",
                "a file, or a pipe that a program writes to",
                "start that program first, or pass what it writes through standard input: `program | clearwin … -`",
            )
        time.sleep(0.02)


def _recognised(name: str, place: Path, kind: str, scratch: Path) -> Source:
    """Decide the format, by what a file begins with if its ending does not tell."""
    with place.open("rb") as file:
        source = Source(place, name, kind or "csv", zipped=file.read(2) == b"\x1f\x8b")
    try:
        with source.open() as file:
            start = file.read(1024)
    except GZIP_ERRORS:
        raise in_our_words(source, BROKEN_GZIP) from None
    if not start:
        raise FileError(f"{name} is empty.", EXPECTED[source.kind], "check how it was written")
    if start.startswith(UTF_16) and source.kind != "parquet":
        source = _in_utf_8(source, scratch)
        with source.open() as file:
            start = file.read(1024)
    if not kind:
        text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
        of_json = "jsonl" if text.startswith(b"{") else "json" if re.match(rb"\[\s*[{\]]", text) else ""
        kind = "parquet" if start.startswith(b"PAR1") else of_json or "csv"
    source = replace(source, kind=kind)
    source = replace(source, last_line=refuse_silent_losses(source))
    return _of_json(source, scratch) if kind == "json" else source


def refuse_silent_losses(source: Source) -> str:
    """Refuse what DuckDB reads without a word: a gzip file whose checksum is wrong, a last line that is too long.

    It compares no checksum, and drops the last line of a CSV file where that is longer than its buffer. Return the last
    line.
    """
    tail = b""
    try:
        with source.open() as file:
            if not source.zipped:
                file.seek(max(source.path.stat().st_size - LONGEST_LINE - 1, 0))
            while part := file.read(1 << 20):  # Python's gzip compares the checksum of every member
                tail = (tail + part)[-LONGEST_LINE - 1 :]
    except GZIP_ERRORS:
        raise in_our_words(source, BROKEN_GZIP) from None
    text = tail.rstrip(b"\r\n")
    if source.kind in ("csv", "tsv") and len(tail) > LONGEST_LINE and not re.search(rb"[\r\n]", text):
        raise FileError(
            f"The last line of {source.name} is longer than {LONGEST_LINE:,} bytes.",
            EXPECTED[source.kind],
            "look for a quote that is never closed, or leave long texts out of the file",
        )
    return text[max(text.rfind(b"\n"), text.rfind(b"\r")) + 1 :].decode("utf-8", "replace")


def _in_utf_8(source: Source, scratch: Path) -> Source:
    """Copy a text in UTF-16 as UTF-8, which is what DuckDB reads."""
    number, place = tempfile.mkstemp(dir=scratch)  # the files of several models share a folder
    os.close(number)
    try:
        with (
            source.open() as file,
            io.TextIOWrapper(file, "utf-16", newline="") as text,
            Path(place).open("w", encoding="utf-8", newline="") as copy,
        ):
            shutil.copyfileobj(text, copy)
    except UnicodeError:
        what = f"{source.name} begins as UTF-16 does, but is not."
        raise FileError(what, "text in UTF-8", "save it again, as CSV in UTF-8") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise in_our_words(source, BROKEN_GZIP) from None
    return replace(source, path=Path(place), zipped=False)


# --- JSON that is not in lines ----------------------------------------------------------------------------------


def _of_json(source: Source, scratch: Path) -> Source:
    """Copy an array of objects as JSON lines, which DuckDB reads; a file that has lines already stays as it is."""
    layout = json_layout(source)
    if layout == "lines":
        return replace(source, kind="jsonl")
    if layout == "object":
        raise FileError(
            f"{source.name} does not hold an array of objects.",
            EXPECTED["json"],
            'save it with an object for each item; with pandas, frame.to_json("preds.json", orient="records")',
        )
    number, place = tempfile.mkstemp(dir=scratch)  # the files of several models share a folder
    try:
        with (
            os.fdopen(number, "w", encoding="utf-8", newline="") as copy,
            source.open() as file,
            io.TextIOWrapper(file, "utf-8-sig") as text,
        ):
            copy.writelines(f"{line}\n" for line in _objects_of_array(source.name, text))
    except UnicodeDecodeError as error:
        raise in_our_words(source, str(error)) from None
    except GZIP_ERRORS:
        raise in_our_words(source, BROKEN_GZIP) from None
    return replace(source, path=Path(place), zipped=False)


def json_layout(source: Source) -> Literal["array", "lines", "object"]:
    """Return how a JSON file is laid out: one array, an object in each line, or one object or whatever else."""
    try:
        with source.open() as file, io.TextIOWrapper(file, "utf-8-sig", errors="replace") as text:
            if re.match(r"\s*\[", text.read(1 << 10)):
                return "array"
            text.seek(0)
            lines = (line for line in text if not line.isspace())
            json_object(next(lines, ""), parse_int=str)
            return "lines" if next(lines, "").lstrip().startswith("{") else "object"
    except (ValueError, *GZIP_ERRORS):
        return "object"


def _objects_of_array(name: str, file: io.TextIOWrapper) -> Iterator[str]:
    """Yield the texts of the objects in an array, each in one line, as they were written but for line breaks.

    Python reads every object on the way, so that nothing that is not JSON gets to DuckDB, which is asked for keys that
    come twice, as in lines.
    """
    signs, item = _Signs(file), 0
    signs.following()  # the opening bracket, by which the array was recognised
    sign = signs.following()
    while sign != "]" or item:
        item += 1
        if sign != "{":
            wrong = "a comma stands before the closing bracket" if sign == "]" else f"it begins with {sign}"
            raise _broken_array(name, item, wrong if sign else "the file ends there")
        try:
            yield signs.object_here()
        except ValueError as problem:
            raise _broken_array(name, item, getattr(problem, "msg", str(problem))) from None
        sign = signs.following()
        if sign == "]":
            break
        if sign != ",":
            wrong = f"{sign} follows it" if sign else "the file ends behind it"
            raise _broken_array(name, item, f"{wrong}, not a comma or the closing bracket")
        sign = signs.following()
    rest = signs.following()
    if rest:
        raise _broken_array(name, item, f"{rest} follows the closing bracket")


def _broken_array(name: str, item: int, problem: str) -> FileError:
    what = f"Item {item:,} of {name} cannot be used: {problem}; item 1 is the first."
    return FileError(what, EXPECTED["json"], "correct that item")


class _Signs:
    """The characters of a file, of which few are held at a time."""

    decoder = json.JSONDecoder(parse_int=str)  # as text, a number can have any number of digits
    sign = re.compile(r"[^ \t\r\n]")

    def __init__(self, file: io.TextIOWrapper) -> None:
        self._file, self._text, self._place = file, "", 0

    def following(self) -> str:
        """Return the next character that is not white space, and pass it; nothing at the end of the file."""
        while True:
            found = self.sign.search(self._text, self._place)
            if found is not None:
                self._place = found.end()
                return found[0]
            self._text, self._place = self._file.read(PART_OF_TEXT), 0
            if not self._text:
                return ""

    def object_here(self) -> str:
        """Return the text of the object whose brace was just passed, in one line, and pass it."""
        start, size = self._place - 1, PART_OF_TEXT
        while True:
            try:
                _, self._place = self.decoder.raw_decode(self._text, start)
                break
            except RecursionError:
                raise ValueError("it is nested too deeply") from None
            except json.JSONDecodeError:  # it may go on in the next part
                if len(self._text) - start > LONGEST_OBJECT:
                    raise ValueError(f"it is broken, or longer than {LONGEST_OBJECT:,} characters") from None
                part = self._file.read(size)
                if not part:
                    raise
                self._text, start, size = self._text[start:] + part, 0, 2 * size
        text = self._text[start : self._place]
        return text.replace("\n", " ").replace("\r", " ")  # breaks between values: JSON has none within texts


def read_text(path: AnyPath) -> tuple[str, str]:
    """Return what the user calls a small file, and its text."""
    name = os.fspath(path)
    if not is_read_once(path):
        refuse_unreadable(Path(path))
    with reading(name):
        content = b"".join(_parts(name)) if is_read_once(path) else Path(path).read_bytes()
    name = "standard input" if name == "-" else name
    try:
        return name, content.decode("utf-8-sig")
    except UnicodeDecodeError:
        convert = "convert it; if it is Latin-1, with `iconv -f latin1 -t utf8`"
        raise FileError(f"{name} is not UTF-8.", "text in UTF-8", convert) from None


def refuse_unreadable(path: Path) -> None:
    """Raise unless there is a file that may be read; suggest the nearest name in its folder."""
    folder = path.parent
    if path.is_dir():
        raise FileError(f"{path} is a folder.", "a file", "name a file in it")
    if path.is_char_device() or path.is_block_device() or path.is_socket():
        what = f"{path} is a {'socket' if path.is_socket() else 'device'}, not a file."
        raise FileError(what, "a file, or a pipe", f"save what it gives as a file{BY_STANDARD_INPUT}")
    try:
        path.open("rb").close()
    except FileNotFoundError:
        if not folder.is_dir():
            raise FileError(f"There is no folder {folder}.", "a file that exists", "check the path") from None
        near = [str(folder / name) for name in nearest(path.name, (entry.name for entry in folder.iterdir()))]
        hint = f"did you mean {' or '.join(near)}?" if near else f"look at what is in {folder.absolute()}"
        raise FileError(f"There is no file {path}.", "a file that exists", hint) from None
    except OSError as problem:
        raise cannot_be_read(str(path), problem) from None


def kind_by_ending(path: Path) -> str:
    """Return the format that the ending tells, or say which endings do."""
    lower = path.name.lower()
    kind = KINDS.get(Path(lower.removesuffix(".gz")).suffix)
    if kind is None or (kind == "parquet" and lower.endswith(".gz")):
        raise FileError(
            f"The ending of {path} does not name a format.",
            "a file ending with .csv, .tsv, .json, .jsonl, .ndjson (each also with .gz) or .parquet",
            "save it as CSV in the program that wrote it"
            if lower.endswith(SPREADSHEETS)
            else f"rename it or save it as one of these{BY_STANDARD_INPUT}",
        )
    return kind


# --- the columns of a file, as text ----------------------------------------------------------------------------


@dataclass(frozen=True)
class TextColumns:
    """A file's columns, as SQL that gives their text."""

    source: Source
    texts: dict[str, str]  # column -> the SQL that gives its text
    rows: str  # the SQL that reads them
    delimiter: str = ""  # of CSV only
    lists: dict[str, str] = field(default_factory=dict)  # column -> the SQL that gives its lists as JSON
    places: dict[str, str] = field(default_factory=dict)  # column -> what its text is made of, where that is one column


@contextmanager
def scratch_database() -> Iterator[tuple[Database, Path]]:
    """Yield DuckDB, offline, and a folder for standard input and what does not fit into memory."""
    with reading("temporary files"):
        folder = tempfile.TemporaryDirectory(prefix="clearwin-")
    with folder as scratch:
        try:
            home = _spare.pop()
        except IndexError:
            home = _new_database()
        home.execute(f"SET temp_directory = {quoted(str(Path(scratch, 'spill')))}")
        try:
            with home.cursor() as db:  # its tables, views and types go with it
                yield db, Path(scratch)
        finally:
            if not _kept(home):
                home.close()


# Opening DuckDB takes ten times as long as reading a small file, so the last one is kept for the next file.
_spare: list[Database] = []
if sys.platform != "win32":
    os.register_at_fork(before=_spare.clear)  # a copy of the process would not have its threads


def _new_database() -> Database:
    import duckdb

    db = duckdb.connect()
    db.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
    db.execute("SET GLOBAL TimeZone = 'UTC'")  # else the text of a time would depend on where it is read
    db.execute("SET enable_external_file_cache = false")  # a file may be another one the next time
    db.execute(f"SET memory_limit = '{LITTLE_MEMORY}'; SET allowed_configs = ['memory_limit', 'temp_directory']")
    db.execute("SET lock_configuration = true")
    return db


def _kept(db: Database) -> bool:
    """Keep a database as it was opened, unless it holds on to a file: one that was attached, or what it spilled."""
    import duckdb

    try:
        [(attached,)] = db.execute("SELECT count(*) - 1 FROM duckdb_databases() WHERE NOT internal").fetchall()
        db.execute(f"SET memory_limit = '{LITTLE_MEMORY}'; SET temp_directory = ''")
    except duckdb.Error:
        return False
    if attached or _spare:
        return False
    _spare.append(db)
    return True


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

    with complaints(source):
        try:
            return getattr(db.execute(query), how)()
        except duckdb.OutOfMemoryException:
            db.execute("RESET memory_limit")
            return getattr(db.execute(query), how)()


@contextmanager
def complaints(source: Source) -> Iterator[None]:
    """Say in our words what DuckDB complains of."""
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException, MemoryError) as problem:
        text = "out of memory" if isinstance(problem, MemoryError) else str(problem)
        raise in_words_of_the_system(source.name, text) or in_our_words(source, text) from None
    except (duckdb.Error, RuntimeError) as problem:  # RuntimeError: a path that is not UTF-8
        raise in_our_words(source, str(problem)) from None


_check: ContextVar[Callable[[TextColumns], None] | None] = ContextVar("check", default=None)


@contextmanager
def each_table(check: Callable[[TextColumns], None]) -> Iterator[None]:
    """Hand every table that is opened meanwhile to ``check``, which may raise before anything reads its rows."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def open_table(db: Database, source: Source) -> TextColumns:
    """Find the columns of a file, and how DuckDB reads each of them as text."""
    if source.kind == "parquet":
        table = _parquet_table(db, source)
    elif source.kind == "duckdb":
        table = _table_of_database(db, source)
    else:
        table = _json_table(db, source) if source.is_json else _csv_table(source)
    refuse_long(f"The name of a column of {source.name}", table.texts)
    check = _check.get()
    if check is not None:
        check(table)
    return table


class OpenFiles:
    """Files that are opened once and may be asked often: what can be read only once was copied by then."""

    def __init__(self, db: Database, scratch: Path) -> None:
        self.db, self.scratch = db, scratch
        self._tables: dict[str, TextColumns] = {}

    def table(self, path: AnyPath) -> TextColumns:
        """Return the columns of a file."""
        name = os.fspath(path)
        if name not in self._tables:
            self._tables[name] = open_table(self.db, open_source(path, self.scratch))
        return self._tables[name]

    @contextmanager
    def asked(self) -> Iterator[Database]:
        """Yield a connection for one question, whose tables and views are its own."""
        with self.db.cursor() as db:
            yield db


@contextmanager
def open_files() -> Iterator[OpenFiles]:
    """Yield files that stay open until the end of the block."""
    with scratch_database() as (db, scratch):
        yield OpenFiles(db, scratch)


def refuse_long(what: str, names: Iterable[str]) -> None:
    """Refuse names that no report could show: they are texts in the wrong place."""
    name = max(names, key=len, default="")
    if len(name) > LONGEST_LABEL:
        raise FileError(
            f"{what} has {len(name):,} characters: {name[:60]}…",
            f"at most {LONGEST_LABEL:,} characters",
            "check how the file was written",
        )


def _csv_table(source: Source) -> TextColumns:
    header = _csv_header(source)
    _refuse_repeated(source, "The header", header.names)
    _refuse_odd_lines(source, header)
    _refuse_total(source, header)
    # DuckDB calls the columns c0, c1, ...: it could not tell y from Y
    places = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    options = (
        f"auto_detect=false, header=false, skip={header.skip}, columns={{{places}}},"
        f" delim='{header.delimiter}', quote='\"', escape='\"', nullstr='', strict_mode=true, null_padding=false,"
        " ignore_errors=false"
    )
    rows = f"read_csv({source.sql()}, {options})"
    texts = {name: f"c{i}" for i, name in enumerate(header.names)}
    return TextColumns(source, texts, rows, header.delimiter, places=texts)


@dataclass(frozen=True)
class CsvHeader:
    """The names of the columns, the delimiter, how many records precede the data, and the line, or its last part."""

    names: list[str]
    delimiter: str
    skip: int
    line: str


def _csv_header(source: Source) -> CsvHeader:
    """Read the names, and the delimiter that they suggest."""
    problem = "there are only blank lines"
    try:
        with reading(source.name), source.open() as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
            unquoted = re.sub(r'"[^"]*"', "", text.read(65_536)).lstrip("\r\n")
            first_line = re.split(r"[\r\n]", unquoted, maxsplit=1)[0]
            delimiter = "\t" if source.kind == "tsv" else max(",;\t|", key=first_line.count)
            text.seek(0)
            lines: list[str] = []  # that the reader has taken
            taken = (lines.append(line) or line for line in text)  # type: ignore[func-returns-value]
            for skip, names in enumerate(csv.reader(taken, delimiter=delimiter, strict=True), 1):
                if names:
                    _refuse_other_line_breaks(source, names, lines)
                    if skip == 1 and re.search(LINE_BREAK, names[0]):
                        _refuse_byte_order_mark(source, names[0])
                    return CsvHeader(names, delimiter, skip, lines[-1].rstrip("\r\n"))
    except csv.Error as error:
        problem = str(error)
    except UnicodeDecodeError as error:
        raise in_our_words(source, str(error)) from None
    except GZIP_ERRORS:
        raise in_our_words(source, BROKEN_GZIP) from None
    raise FileError(f"The header of {source.name} cannot be read: {problem}.", EXPECTED_CSV, "correct it")


def _refuse_other_line_breaks(source: Source, names: list[str], lines: list[str]) -> None:
    """DuckDB takes the first line break of a file for that of all its lines, and begins to read elsewhere if not."""
    ends = re.search(rf"({LINE_BREAK})\Z", lines[-1])
    if ends and any(line in LINE_BREAKS and line != ends[0] for line in lines):
        raise in_our_words(source, MIXED_LINES)
    other = [name for name in names if ends and set(re.findall(LINE_BREAK, name)) - {ends[0]}]
    if ends and other:
        raise FileError(
            f"The name {other[0]!r} in the header of {source.name} has a line break of another kind than the lines, "
            f"which end with {LINE_BREAKS[ends[0]]}.",
            "names without line breaks, or with the same as at the end of the lines",
            "rename that column, or convert the file, for example with `dos2unix`",
        )


def _refuse_byte_order_mark(source: Source, name: str) -> None:
    """DuckDB does not see the quote behind the mark, and would take the rest of the header for the first item."""
    with reading(source.name), source.open() as file:
        if file.read(3) == codecs.BOM_UTF8:
            raise FileError(
                f"{source.name} begins with a byte order mark, and the name of its first column, {name!r}, has a line "
                "break.",
                "a name without a line break",
                "rename that column, or save the file as UTF-8 without BOM",
            )


def csv_rows(table: TextColumns) -> int:
    """Count the rows with Python's csv module: slow, but it notices a quote that is never closed."""
    try:
        with _fields_of_any_length():
            return sum(bool(fields) for _, fields in _records(table.source, table.delimiter)) - 1
    except (csv.Error, *GZIP_ERRORS):
        return -1


def _records(source: Source, delimiter: str, *, skip_spaces: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Read with Python's csv module; yield the fields with the number of the line in which they end."""
    with (
        reading(source.name),
        source.open() as file,
        io.TextIOWrapper(file, "utf-8-sig", errors="replace", newline="") as text,
    ):
        reader = csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=skip_spaces)
        yield from ((reader.line_num, fields) for fields in reader)


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Lift the limit of Python's csv module, which all of the process shares, and set it again afterwards."""
    usual = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _refuse_odd_lines(source: Source, header: CsvHeader) -> None:
    """Refuse what DuckDB lets pass: fields beyond the header's if they are empty, text beside a quote, a second header.

    To DuckDB a field that begins with one space and a quote stands between quotes; with two spaces it does not.
    """
    last, width, delimiter = 0, len(header.names), header.delimiter
    try:
        if not _has_odd_lines(source, header):
            return
        with _fields_of_any_length():
            both = zip(_records(source, delimiter), _records(source, delimiter, skip_spaces=True), strict=False)
            for record, ((line, fields), (_, others)) in enumerate(both, 1):
                if len(fields) > width:
                    problem = f"{len(fields)} fields, and the header has {width}: {delimiter.join(fields)[:80]}"
                    raise _odd_line(source, line, problem)
                last = line
                if record > header.skip and width > 1 and _without_mark(fields) == header.names:
                    raise FileError(
                        f"Line {line:,} of {source.name} is the header again, not an item.",
                        "one header, in the first line",
                        "remove that line; files are put together with one header by `awk 'NR == 1 || FNR > 1' a.csv "
                        "b.csv > both.csv`. If the first line is an item, write a header above it",
                    )
                if any(one[:2] == ' "' and one != other for one, other in zip(fields, others, strict=False)):
                    raise _odd_line(source, line, "a space between a delimiter and an opening quote.")
    except csv.Error as error:
        if "expected after" in str(error):
            raise _odd_line(source, last + 1, "something between a closing quote and the end of its field.") from None
    except GZIP_ERRORS:
        return  # DuckDB will say so


def _without_mark(fields: list[str]) -> list[str]:
    """Return fields without the byte order mark of a file that was put behind another."""
    return [fields[0].removeprefix("\ufeff"), *fields[1:]] if fields else fields


def _odd_line(source: Source, line: int, problem: str) -> FileError:
    return FileError(f"Line {line:,} of {source.name} has {problem}", EXPECTED_CSV, "correct that line")


def _has_odd_lines(source: Source, header: CsvHeader) -> bool:
    """Whether a line may end with an empty field, have a space beside a quote or be the header: a look at the bytes."""
    delimiter, line = header.delimiter, header.line.encode()
    comma, quote, before = ord(delimiter), ord('"'), bytes(len(line) + len(codecs.BOM_UTF8) + 1)
    again = [begin + line for begin in (b"\n", b"\r", b"\n" + codecs.BOM_UTF8)] if len(header.names) > 1 else []
    with reading(source.name), source.open() as file:
        while part := file.read(1 << 20):
            part = before + part
            text = np.frombuffer(part, dtype=np.uint8)
            third, second, first, here = text[:-3], text[1:-2], text[2:-1], text[3:]  # bytes that follow each other
            ends = here == ord("\n")
            if b"\r" in part:
                ends |= here == ord("\r")
            if (ends & (first == comma)).any():
                return True
            if b' "' in part and any(begin + b' "' in part for begin in (delimiter.encode(), b"\n", b"\r")):
                return True
            if b'"' in part and (
                (ends & (first == quote) & (second == quote) & (third == comma)).any()
                or ((here == ord(" ")) & (first == quote)).any()
            ):
                return True
            if any(second_header in part for second_header in again):
                return True
            before = part[-len(before) :]
    return before.endswith((delimiter.encode(), (delimiter + '""').encode()))


FEW = 20  # different values of a column, of which every one is expected again
FEWEST_ROWS = 5  # above a total; in fewer, a value that no other row has is nothing strange


def _refuse_total(source: Source, header: CsvHeader) -> None:
    """Refuse a last row that sums up the others, as spreadsheets have it; everywhere else such a word is a label.

    It says so in one cell, and no other row does; and another cell is the sum or the mean of its
    column, or all others are values that no other row has, in columns of few values.
    """
    cells = next(csv.reader([source.last_line], delimiter=header.delimiter), [])
    said = [place for place, cell in enumerate(cells) if sums_up(cell)]
    if len(cells) != len(header.names) or len(said) != 1:
        return
    above = [_Above(cell) for cell in cells]
    try:
        with _fields_of_any_length():
            for _, fields in itertools.islice(_records(source, header.delimiter), header.skip, None):
                for column, text in zip(above, fields, strict=False):
                    column.add(text)
    except (csv.Error, *GZIP_ERRORS):
        return  # DuckDB will say so
    word, kinds = said[0], [column.kind for column in above]
    others = [place for place, cell in enumerate(cells) if place != word and cell.strip()]
    summed = next((place for place in others if kinds[place] in ("sum", "mean")), None)
    is_alone = above[word].times == 1 and above[word].rows > FEWEST_ROWS
    if not is_alone or (summed is None and not (others and all(kinds[place] for place in others))):
        return
    place = others[0] if summed is None else summed
    why = "is in no other row" if summed is None else f"is the {kinds[place]} of the rows above"
    raise FileError(
        f"The last row of {source.name} is a total, not an item: it says {cells[word]!r}, and its "
        f"{header.names[place]!r}, {cells[place]}, {why}.",
        "a row for each item, and no others",
        "remove that row; if it is an item, move it up",
    )


class _Above:
    """What a column holds, of which the ``last`` cell may sum up the others."""

    def __init__(self, last: str) -> None:
        self.last, self.rows, self.times = last, 0, 0
        self._sum, self._numbers, self._filled, self._different = 0.0, 0, 0, set[str]()

    def add(self, text: str) -> None:
        """Look at the next cell, also at the last one."""
        self.rows += 1
        self.times += text.strip().casefold() == self.last.strip().casefold()
        if len(self._different) <= FEW + 1:
            self._different.add(text)
        number = as_number(text)
        self._filled += bool(text.strip())
        if number is not None and math.isfinite(number):
            self._numbers += 1
            self._sum += number

    @property
    def kind(self) -> str:
        """What the last cell is to the others: their "sum", their "mean", "another" value than theirs; else nothing."""
        number = as_number(self.last)
        if self.times != 1:
            return ""
        if number is not None and math.isfinite(number) and self._numbers == self._filled > 1:
            total = self._sum - number
            decimals = len(self.last.strip().partition(".")[2]) if re.fullmatch(r"\s*-?[\d.]+\s*", self.last) else 15
            near = 0.5 * 10.0**-decimals * (1.0 + 1e-9) + 1e-9 * abs(total)
            for kind, value in (("sum", total), ("mean", total / (self._numbers - 1))):
                if abs(number - value) <= near:
                    return kind
        return "another" if len(self._different) <= FEW + 1 else ""


def _json_table(db: Database, source: Source) -> TextColumns:
    """Collect the keys of all lines, in the order in which they first appear: one may appear late."""
    rows = f"read_ndjson_objects({source.sql()})"
    odd = f"regexp_matches(json, {quoted(NOT_JSON)})"
    inside = f"regexp_matches(json, {quoted(OBJECT_INSIDE)})"
    lines = (
        "SELECT json_type(json) AS type, json_keys(json) AS keys, row_number() OVER () AS line,"
        f" {odd} AS odd, {inside} AS nested FROM {rows}"
    )
    shapes = (
        "SELECT type, keys, min(line) AS first, bool_or(odd) AS odd, bool_or(nested) AS nested"
        f" FROM ({lines}) GROUP BY type, keys"
    )
    sound = "type = 'OBJECT' AND len(list_distinct(keys)) = len(keys)"
    checked = f"CASE WHEN {sound} THEN keys ELSE error('not a JSON object, or with a key twice') END"
    found = run(db, source, f"SELECT {checked}, odd, nested FROM ({shapes}) ORDER BY first")
    problem = bad_line(source) if any(odd for _, odd, _ in found) else None
    if problem:
        raise problem
    paths: dict[str, JsonPath] = {key: (key,) for keys, *_ in found for key in keys}
    if not paths:
        raise no_rows(source)
    if any(nested for *_, nested in found):
        nested_paths = _nested_paths(db, source, rows, list(paths.values()))
        paths |= {name: path for name, path in nested_paths.items() if name not in paths}
    lists = {name: f"CAST(json_extract(json, {_pointer(path)}) AS VARCHAR)" for name, path in paths.items()}
    return TextColumns(source, {name: _jsonl_text(name, path) for name, path in paths.items()}, rows, lists=lists)


JsonPath = tuple[str, ...]  # the keys from the outermost object to a value


def _nested_paths(db: Database, source: Source, rows: str, outer: list[JsonPath]) -> dict[str, JsonPath]:
    """Return the paths of what lies in objects, by names that have a point between the keys: outer.inner.

    An object with very many keys maps items to something, so its keys do not become columns.
    """
    paths: list[JsonPath] = []
    for _ in range(MOST_LEVELS):
        pointers = ", ".join(map(_pointer, outer))
        lines = f"SELECT json, row_number() OVER () AS line FROM {rows}"
        inside = (
            f"SELECT unnest(range({len(outer)})) AS parent, unnest(json_keys(json, [{pointers}])) AS keys, line"
            f" FROM ({lines}) WHERE regexp_matches(json, {quoted(OBJECT_INSIDE)})"
        )
        each = f"SELECT parent, unnest(keys) AS key, generate_subscripts(keys, 1) AS place, line FROM ({inside})"
        few = f"QUALIFY count(*) OVER (PARTITION BY parent) <= {MOST_NESTED}"
        order = "ORDER BY parent, min(line), min(place)"
        found = run(db, source, f"SELECT parent, key FROM ({each}) GROUP BY parent, key {few} {order}")
        outer = [(*outer[parent], key) for parent, key in found]
        if not outer:
            break
        paths += outer
    names = Counter(map(".".join, paths))
    return {name: path for path in paths if names[name := ".".join(path)] == 1 and len(name) <= LONGEST_LABEL}


def _pointer(path: JsonPath) -> str:
    return quoted("".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path))


def _jsonl_text(name: str, path: JsonPath) -> str:
    pointer = _pointer(path)
    text = f"json_extract_string(json, {pointer})"
    nested = f"error({quoted(f'nested label in {name}: ')} || left({text}, 60))"
    value = (
        f"CASE json_type(json, {pointer}) WHEN 'OBJECT' THEN {nested} WHEN 'ARRAY' THEN {nested}"
        f" WHEN 'DOUBLE' THEN {_json_number(path)} ELSE {text} END"
    )
    for i in range(1, len(path)):  # the outermost object was looked at already
        keys = f"json_keys(json, {_pointer(path[:i])})"
        twice = f"error({quoted(f'repeated key in {name}')})"
        value = f"CASE WHEN len(list_distinct({keys})) < len({keys}) THEN {twice} ELSE {value} END"
    return value


def _json_number(path: JsonPath) -> str:
    """Write the SQL of a number's text: 1.0 and 1e0 are 1, nan is missing, one of many digits is as it is written."""
    number, many = "TRY_CAST(text AS DOUBLE)", f"regexp_matches(text, {quoted(MANY_DIGITS)})"
    shown = (
        f"CASE WHEN {many} AND regexp_full_match(text, '-?[0-9]+[.][0-9]+') THEN {_without_zeros('text')}"
        f" WHEN {many} THEN text WHEN isnan({number}) THEN NULL"
        f" WHEN {number} = trunc({number}) AND abs({number}) < 1e37"
        f" THEN CAST(TRY_CAST(text AS DECIMAL(38, 0)) AS VARCHAR) ELSE CAST({number} AS VARCHAR) END"
    )
    return _let("text", _as_written(path), shown)


def _as_written(path: JsonPath) -> str:
    """Write the SQL of a number as it stands in the line: DuckDB's JSON has floating-point numbers only, rounded.

    Nearly always the key stands there once, before its number. Where an object inside also has it, or where it may be
    spelled with escapes, all numbers of the line are put between quotes, and DuckDB finds it as a text.
    """
    key = path[-1]
    after_key = re.escape(json.dumps(key, ensure_ascii=False)) + rf"\s*:\s*({NUMBER}|NaN|Infinity)"
    in_escapes = r"(?i)\\u(" + "|".join(f"{ord(letter):04x}" for letter in sorted(set(key))) + ")"
    with_quotes = f"regexp_replace(json, {quoted(f'{BEFORE_NUMBER}({NUMBER}|$)')}, {QUOTED_NUMBER}, 'g')"
    # the last match is the end of the line, and gets quotes, too
    text = f"json_extract_string(left({with_quotes}, -2), {_pointer(path)})"
    once = f"len(found) = 1 AND NOT regexp_matches(json, {quoted(in_escapes)})"
    found = f"regexp_extract_all(json, {quoted(after_key)}, 1)"
    return _let("found", found, f"CASE WHEN {once} THEN found[1] ELSE {text} END")


def _let(name: str, value: str, expression: str) -> str:
    """Write the SQL of an expression in which a value has a name, so that it is made only once."""
    return f"list_transform([{value}], lambda {name}: {expression})[1]"


def _without_zeros(text: str) -> str:
    """Write the SQL that makes 1 of 1.00, as a column of whole numbers has it; the text has a point."""
    return f"rtrim(rtrim({text}, '0'), '.')"


def _parquet_table(db: Database, source: Source) -> TextColumns:
    rows = f"read_parquet({source.sql()}, binary_as_string=true)"
    described = run(db, source, f"DESCRIBE SELECT * FROM {rows}")
    names, too_wide = _parquet_names(db, source)
    _refuse_repeated(source, "The schema", names)
    # DuckDB puts what folders spell behind the columns of the files, also of folders above the one that was named
    spelled = [name for name, *_ in described[len(names) :]]
    columns = {name: sql_type for name, (_, sql_type, *_) in zip([*names, *spelled], described, strict=True)}
    kept = {*names, *source.partitions}
    return _table_of_columns(source, columns, rows, kept, too_wide)


def _table_of_columns(
    source: Source, columns: dict[str, str], rows: str, kept: Collection[str], too_wide: Collection[str] = ()
) -> TextColumns:
    """Say how each of the columns, which have types, is read as text; by their places: DuckDB cannot tell y from Y."""
    texts, lists = {}, {}
    for i, (name, sql_type) in enumerate(columns.items()):
        if name not in kept:
            continue
        texts[name] = _parquet_text(name, f"c{i}", sql_type)
        if name in too_wide:
            texts[name] = f"error({quoted(f'wide number in {name}')})::VARCHAR"
        elif sql_type.endswith("]") and not _is_too_deep(sql_type):
            lists[name] = _parquet_list(f"c{i}", sql_type)
    places = {name: f"c{i}" for i, name in enumerate(columns)}
    # what is nested without end must not even be grouped: it is refused where it would become text
    plain = {name: place for name, place in places.items() if not _is_too_deep(columns[name])}
    return TextColumns(source, texts, f"{rows} AS t({', '.join(places.values())})", lists=lists, places=plain)


def _table_of_database(db: Database, source: Source) -> TextColumns:
    """Attach a database, to be read only, and find the table that was named, or the only one."""
    alias = "of_" + hashlib.sha256(str(source.path.absolute()).encode()).hexdigest()[:16]
    run(db, source, f"ATTACH IF NOT EXISTS {quoted(str(source.path.absolute()))} AS {alias} (TYPE duckdb, READ_ONLY)")
    listed = "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = "
    found = {
        name if schema == "main" else f"{schema}.{name}": (schema, name)
        for schema, name in run(db, source, f"{listed}{quoted(alias)} ORDER BY ALL")
    }
    if source.table not in found and (source.table or len(found) != 1):
        plain = source.name.partition("?")[0]
        if source.table:
            raise UnknownNameError(f"table of {plain}", source.table, found, f"{plain}?table={next(iter(found), '…')}")
        raise FileError(
            f"The table of {plain} that holds the predictions was not given; it has "
            f"{first_few(found, len(found)) or 'none'}.",
            EXPECTED["duckdb"],
            f"{plain}?table={next(iter(found), 'NAME')}",
        )
    place = found[source.table] if source.table else next(iter(found.values()))
    rows = ".".join(f'"{part.replace(chr(34), chr(34) * 2)}"' for part in (alias, *place))
    columns = {name: sql_type for name, sql_type, *_ in run(db, source, f"DESCRIBE SELECT * FROM {rows}")}
    return _table_of_columns(source, columns, rows, columns)


def _parquet_names(db: Database, source: Source) -> tuple[list[str], set[str]]:
    """Return the names of the columns as they stand in the file, and of those with numbers that DuckDB would round.

    If there are many files, all must have the columns of the first.
    """
    query = "SELECT file_name, name, coalesce(num_children, 0), coalesce(precision, 0) FROM parquet_schema"
    files: dict[str, list[str]] = {}
    too_wide: set[str] = set()
    depths: list[int] = []
    # in the order of a tree: the root, a column, what is in it
    for file, name, children, digits in run(db, source, f"{query}({source.sql_paths()})"):
        names = files.setdefault(file, [])
        if len(depths) == 1:
            names.append(name)
        if digits > MOST_DIGITS:
            too_wide.add(names[-1])
        depths.append(children)
        while depths and depths[-1] == 0:
            depths.pop()
            if depths:
                depths[-1] -= 1
    (first, names), *others = files.items()
    for other, own in others:
        if sorted(own) != sorted(names):
            apart = sorted({*own} ^ {*names})
            raise FileError(
                f"{Path(first).name} and {Path(other).name} of {source.name} have different columns: "
                f"{first_few(apart, len(apart))}.",
                "the same columns in all files that are read as one",
                "name fewer files, or write them again with the same columns",
            )
    return names, too_wide


def _parquet_text(name: str, column: str, sql_type: str) -> str:
    """Write the SQL of the text; whole numbers look alike whatever their type, and no digit of them is lost.

    What is refused has a type: DuckDB takes ``left(error(…), 60)`` for NULL, and nothing would be refused.
    """
    text = f"CAST({column} AS VARCHAR)"
    if _is_too_deep(sql_type):
        return f"error({quoted(f'nested label in {name}: {shortened(sql_type, 60)}')})::VARCHAR"
    if re.match(r"STRUCT|MAP|UNION|VARIANT|.*\]$", sql_type):
        return f"error({quoted(f'nested label in {name}: ')} || left({text}, 60))::VARCHAR"
    if sql_type in ("FLOAT", "DOUBLE"):
        whole = f"{column} = trunc({column}) AND abs({column}) < 1e38"
        integer = f"CAST(TRY_CAST({column} AS HUGEINT) AS VARCHAR)"
        return f"CASE WHEN isnan({column}) THEN NULL WHEN {whole} THEN {integer} ELSE {text} END"
    return _without_zeros(text) if _has_fraction(sql_type) else text


def _is_too_deep(sql_type: str) -> bool:
    """Whether values lie in each other too deeply for DuckDB, whose time doubles with each level."""
    return len(re.findall(r"\[|STRUCT|MAP|UNION", sql_type)) > MOST_LEVELS


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
    found = f"SELECT name, {stored} FROM parquet_schema({source.sql_paths()})"
    return dict(run(db, source, f"{found} WHERE duckdb_type = 'FLOAT'"))


def no_rows(source: Source) -> FileError:
    """Say that there is nothing but a header."""
    return FileError(f"{source.name} has no rows.", "at least one item", "check how it was written")


# --- what is wrong with a file ---------------------------------------------------------------------------------

# A pattern in DuckDB's message, what it means, and what to do next. DuckDB's line numbers count records,
# and a field may hold line breaks, so the text of the line is shown as well.
LINE = r"Line: (?P<line>\d+)\s+Original Line: (?P<text>.*?)\n"
COMPLAINTS = (
    (
        LINE + r"Expected .*?: (?P<due>\d+) Found: (?P<fields>\d+)",
        "Line {line} of {name} has {fields} fields, and the header has {due}: {text}",
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
        MIXED_LINES,
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
        'Invalid string encoding.*value "(?P<text>.*)" is not valid',
        "{name} holds bytes that are not text: {text}",
        "save that column as text, for instance as hexadecimal digits, or choose another one",
    ),
    (
        "wide number in (?P<column>.*)",
        "Column {column!r} of {name} holds numbers of more than 38 digits, which would be rounded.",
        "save that column as text, or choose another one",
    ),
    (
        "nested label in (?P<column>.*?): (?P<text>.*)",
        "Column {column!r} of {name} holds a nested value: {text}",
        'choose another column: what lies in an object of JSON has a column of its own, "outer.inner"; for several '
        'labels of each item, `--separator ","`',
    ),
    (
        "repeated key in (?P<column>.*)",
        "Column {column!r} of {name} lies in an object with a key that comes twice.",
        "remove one of the two, or choose another column",
    ),
    (
        "long label in (?P<column>.*?): (?P<length>\\d+) (?P<text>.*)",
        f"Column {{column!r}} of {{name}} holds a value of {{length}} characters, and a label, an id or a number has "
        f"at most {LONGEST_LABEL:,}: {{text}}",
        "choose another column",
    ),
)
# What the system refuses is not a fault of the file: the same words for DuckDB's complaints and for Python's.
NOT_ENOUGH_MEMORY, NO_ROOM_ON_DISK = "There is not enough memory", "There is no room on the disk"
OF_THE_SYSTEM = (
    (
        "No space left|quota exceeded|failed to offload|max_temp_directory_size",
        f"{NO_ROOM_ON_DISK} for the temporary files that reading {{name}} needs.",
        "room in {temporary}",
        "make room there, or use a folder on another disk: `TMPDIR=/folder clearwin …`",
    ),
    (
        "(?i)out of memory|could not allocate|cannot allocate memory|failed to (pin|allocate)",
        f"{NOT_ENOUGH_MEMORY} to read {{name}}.",
        "memory for the columns asked for, however many rows there are",
        "close other programs or raise the limit of memory (`ulimit -v unlimited`), or leave --id out if there is "
        "only one file",
    ),
    (
        "Too many open files",
        "{name} cannot be opened: too many files are open.",
        "permission to open more files",
        "`ulimit -n 4096`, then the same command again",
    ),
    (
        "No such file",
        "{name} vanished while it was being read.",
        "a file that stays in place",
        "put it back, and try again",
    ),
    (
        "Permission denied|not permitted",
        "{name} cannot be opened: Permission denied.",
        "a file that you may read",
        "check its permissions",
    ),
)


def in_words_of_the_system(name: str, complaint: str) -> FileError | None:
    """Say that memory, the disk or permissions are short, if that is the trouble."""
    for pattern, what, expected, next_step in OF_THE_SYSTEM:
        if re.search(pattern, complaint):
            known = {"name": name, "temporary": tempfile.gettempdir()}
            return FileError(what.format(**known), expected.format(**known), next_step)
    return None


def cannot_be_read(name: str, problem: OSError) -> FileError:
    """Say why the system does not let us read a file."""
    why = problem.strerror or str(problem)
    return in_words_of_the_system(name, why) or FileError(
        f"{name} cannot be read: {why}.", "a file that can be read", "check the file and its disk"
    )


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Say of a file, in our words, what the system says while it is read."""
    try:
        yield
    except GZIP_ERRORS:
        raise  # one of them is an OSError, and has words of its own
    except OSError as problem:
        raise cannot_be_read("standard input" if name == "-" else name, problem) from None


def in_our_words(source: Source, complaint: str) -> FileError:
    """Say what DuckDB's complaint means, without DuckDB's advice on options that we do not offer."""
    if source.kind not in ("parquet", "duckdb") and re.search(r"(?i)utf-?8|unicode|JSON", complaint):
        try:
            problem = bad_line(source)
        except GZIP_ERRORS:
            return in_our_words(source, BROKEN_GZIP)
        if problem:
            return problem
    for pattern, what, next_step in COMPLAINTS:
        match = re.search(pattern, complaint, re.DOTALL)
        if match:
            found = {key: value.strip().partition("\n")[0][:80] for key, value in match.groupdict().items()}
            return FileError(what.format(name=source.name, **found), EXPECTED[source.kind], next_step)
    gist = complaint.partition("\n")[0].replace(str(source.path.absolute()), source.name)
    what = f"{source.name} cannot be read. DuckDB says: {gist[:300]}"
    return FileError(what, EXPECTED[source.kind], "check how the file was written")


def bad_line(source: Source) -> FileError | None:
    """Find the line that is not UTF-8 or not a JSON object, which DuckDB counts wrongly or not at all."""
    noun = "item" if source.kind == "json" else "line"  # an array was copied with an item in each line
    with reading(source.name), source.open() as file:
        for number, line in enumerate(file, 1):
            where = f"{noun.capitalize()} {number:,} of {source.name}"
            try:
                text = line.decode("utf-8")
                if source.is_json and text.strip():
                    json_object(text, parse_int=str)  # as text, a number can have any number of digits
            except UnicodeDecodeError:
                convert = "convert it; if it is Latin-1, with `iconv -f latin1 -t utf8`"
                return FileError(f"{where} is not UTF-8.", "text in UTF-8", convert)
            except ValueError as problem:
                what = f"{where} cannot be used: {getattr(problem, 'msg', problem)}."
                return FileError(what, EXPECTED[source.kind], f"correct that {noun}")
    return None


def json_object(text: str, **hooks: Any) -> dict[str, Any]:
    """Read a JSON object in which no key comes twice: the last one would silently win."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        if twice:
            raise ValueError(f"the key {twice[0]!r} comes twice")
        return dict(pairs)

    found = read_json(text, object_pairs_hook=unique, **hooks)
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")
    return found


def read_json(text: str | bytes, **hooks: Any) -> Any:
    """Read JSON; whatever is wrong with it is a ValueError, which says what."""
    try:
        return json.loads(text, **{"parse_int": _whole_number, **hooks})
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole_number(digits: str) -> int:
    if len(digits) > LONGEST_LABEL:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def quoted(text: str) -> str:
    """Write a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def sql_number(text: str) -> str:
    """Write the SQL of the number that a text is, which is NULL where it is none: to DuckDB 1_003 would be 1003."""
    return f"CASE WHEN NOT contains({text}, '_') THEN TRY_CAST({text} AS DOUBLE) END"


def is_number(text: str) -> bool:
    """Whether a text reads as a number; nan and infinity do as well."""
    return as_number(text) is not None
