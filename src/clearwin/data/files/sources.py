"""Where predictions come from: a file or standard input, its format, and what is wrong with it in plain words.

DuckDB does the reading, but its complaints name options that we do not offer and lines that it miscounts, so they
never reach the user as they are.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
import os
import re
import shutil
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clearwin.errors import FileError, nearest

AnyPath = str | os.PathLike[str]
KINDS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
EXPECTED_CSV = (
    "a header, then as many fields in every line; a field that holds a delimiter, a quote or a line break "
    'stands between double quotes, and a quote inside it is written twice: "say ""yes"""'
)
EXPECTED = {
    "csv": EXPECTED_CSV,
    "tsv": EXPECTED_CSV,
    "jsonl": 'one JSON object in each line: {"truth": "cat", "a": "dog"}',
    "parquet": "a complete Parquet file, with a plain text, number or truth value in each column",
}
BROKEN_GZIP = "GZIP stream"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte-order marks, as spreadsheets write them with "Unicode text"
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)
LONGEST_LINE = 2_000_000  # bytes that DuckDB takes for a line of CSV
BY_STANDARD_INPUT = ", or pass it through standard input (-)"  # which the page has not
LONGEST_LABEL = 1_000  # characters of a label, an id or the name of a column
PATIENCE = 2.0  # seconds in which somebody has to begin to write to a pipe


@dataclass(frozen=True)
class Source:
    """A file to read, with its format."""

    path: Path
    name: str  # as the user calls it
    kind: str
    zipped: bool

    def open(self) -> gzip.GzipFile | io.BufferedReader:
        return gzip.open(self.path) if self.zipped else self.path.open("rb")

    def sql(self) -> str:
        """Write the path for DuckDB, which takes * ? [ for a pattern and a folder y=1 for a column."""
        path = quoted(glob.escape(str(self.path.absolute())))
        packing = "" if self.kind == "parquet" else f", compression='{'gzip' if self.zipped else 'none'}'"
        return f"{path}, hive_partitioning=false{packing}"


def open_source(path: AnyPath, scratch: Path) -> Source:
    """Find the file, or copy standard input or a pipe into one, and decide its format."""
    name, place, kind = os.fspath(path), Path(path), ""
    if _is_read_once(path):
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


def _is_read_once(path: AnyPath) -> bool:
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
        kind = "parquet" if start.startswith(b"PAR1") else "jsonl" if text.startswith(b"{") else "csv"
    source = replace(source, kind=kind)
    refuse_silent_losses(source)
    return source


def refuse_silent_losses(source: Source) -> None:
    """Refuse what DuckDB reads without a word: a gzip file whose checksum is wrong, a last line that is too long.

    It compares no checksum, and drops the last line of a CSV file where that is longer than its buffer.
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


def read_text(path: AnyPath) -> tuple[str, str]:
    """Return what the user calls a small file, and its text."""
    name = os.fspath(path)
    if not _is_read_once(path):
        refuse_unreadable(Path(path))
    with reading(name):
        content = b"".join(_parts(name)) if _is_read_once(path) else Path(path).read_bytes()
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
            f"The ending of {path} does not tell its format.",
            "a file ending with .csv, .tsv, .jsonl, .ndjson (each also with .gz) or .parquet",
            "save it as CSV in the program that wrote it"
            if lower.endswith(SPREADSHEETS)
            else f"rename it or save it as one of these{BY_STANDARD_INPUT}",
        )
    return kind


# --- what is wrong with a file ---------------------------------------------------------------------------------

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
        '`--separator ","` if it holds several labels for each item; else choose another column',
    ),
    (
        "long label in (?P<column>.*?): (?P<length>\\d+) (?P<text>.*)",
        f"Column {{column!r}} of {{name}} holds a value of {{length}} characters, and a label, an id or a number has "
        f"at most {LONGEST_LABEL:,}: {{text}}",
        "choose another column",
    ),
)
# What the system refuses is no fault of the file: the same words for DuckDB's complaints and for Python's.
NOT_ENOUGH_MEMORY = "There is not enough memory"
OF_THE_SYSTEM = (
    (
        "No space left|quota exceeded|failed to offload|max_temp_directory_size",
        "There is no room on the disk for the temporary files that reading {name} needs.",
        "room in {temporary}",
        "make room there, or take a folder on another disk: `TMPDIR=/folder clearwin …`",
    ),
    (
        "(?i)out of memory|could not allocate|cannot allocate memory|failed to (pin|allocate)",
        f"{NOT_ENOUGH_MEMORY} to read {{name}}.",
        "memory for the columns asked for, however many rows there are",
        "close other programs or raise the limit of memory (`ulimit -v unlimited`), or leave --id out if there is but "
        "one file",
    ),
    (
        "Too many open files",
        "{name} cannot be opened: too many files are open.",
        "some files that may still be opened",
        "`ulimit -n 4096`, then the same command again",
    ),
    ("No such file", "{name} has vanished while it was read.", "a file that stays", "put it back, and try again"),
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
    if source.kind != "parquet" and re.search(r"(?i)utf-?8|unicode|JSON", complaint):
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
    with reading(source.name), source.open() as file:
        for number, line in enumerate(file, 1):
            where = f"Line {number:,} of {source.name}"
            try:
                text = line.decode("utf-8")
                if source.kind == "jsonl" and text.strip():
                    json_object(text, parse_int=str)  # as text, a number may have any number of digits
            except UnicodeDecodeError:
                convert = "convert it; if it is Latin-1, with `iconv -f latin1 -t utf8`"
                return FileError(f"{where} is not UTF-8.", "text in UTF-8", convert)
            except ValueError as problem:
                what = f"{where} cannot be used: {getattr(problem, 'msg', problem)}."
                return FileError(what, EXPECTED["jsonl"], "correct that line")
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


def read_json(text: str, **hooks: Any) -> Any:
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


def is_number(text: str) -> bool:
    """Whether a text reads as a number; nan and infinity do, too."""
    try:
        float(text)
    except ValueError:
        return False
    return True
