"""What every reader of evaluation logs makes of a file: runs, each with a row for every item that was answered.

A format is one module with a declared mapping. It says by the content whether a file is one of its own, and where in it
item, truth, metrics, groups and repeats are; what must agree between runs is ``same``, what only deserves a caveat is
``alike``. Nothing is judged here: ``pairing`` puts runs together, and the verbs judge them.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from clearwin.data.files.sources import read_json
from clearwin.errors import DataError, FileError, first_few, shortened
from clearwin.text import composed

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
MOST_UNPACKED = 1 << 30  # bytes that are read of a packed log, which may be a thousand times smaller than what it holds
HEAD = 1 << 16  # bytes by which a file of text lines is recognised


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one system: to which item, in which repeat, and what the tool says of it, metric by metric.

    ``groups`` is what the item belongs to, by name: a repository, a prompt. ``choices`` are the log-likelihoods of the
    answers to choose from, and ``truth`` is which of them is right, where the tool says so.
    """

    item: str
    metrics: Mapping[str, Any]
    repeat: str = ""
    groups: Mapping[str, str] = field(default_factory=dict)
    same: str | None = None
    alike: str | None = None
    choices: tuple[float, ...] = ()
    truth: Any = None


@dataclass(frozen=True)
class Run:
    """One system on one task, as one log has it.

    ``expected`` is how many answers the tool says there are; ``reported`` is its own value of each metric.
    ``facts`` should be the same for all runs (versions); ``variant`` tells several readings of the same answers apart
    (a filter). ``doubts`` are caveats that hold whatever the run is compared with. ``left_out`` are items without a
    verdict of the tool: they are refused unless part of the items will do.
    """

    format: str
    file: str
    model: str
    task: str
    rows: list[Answer]
    variant: str = ""
    time: str = ""
    expected: int | None = None
    reported: Mapping[str, float] = field(default_factory=dict)
    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    same_is: str = "targets"  # what the rows' ``same`` is, in words
    setting: str = ""  # what tells systems of the same model apart: the folder, where each has one
    grouped_by: tuple[str, ...] = ()  # the groups that are taken whole unless others are named
    kinds: Mapping[str, int] = field(default_factory=dict)  # how many trials are genuine, how many impostors
    rerun_of: str = ""  # logs of one task that share it are tries of the same run, so that the newest counts

    @property
    def is_cut(self) -> bool:
        """Whether the log has fewer answers than the tool reports."""
        return self.expected is not None and len(self.rows) + len(self.left_out) < self.expected

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics, in the order in which they occur."""
        return list(dict.fromkeys(name for row in self.rows for name in row.metrics))


class LogFile:
    """A file that may be a log: its bytes, and what they are, each found out once."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked if they are gzipped; none of what cannot be read."""
        try:
            with self._opened() as file:
                return bytes(file.read(HEAD))
        except (OSError, FileError):
            return b""

    @cached_property
    def is_gzipped(self) -> bool:
        """Whether its bytes are those of a gzip file."""
        with self.path.open("rb") as file:
            return file.read(len(GZIP)) == GZIP

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with gzip.open(self.path) if self.is_gzipped else self.path.open("rb") as file:
            try:
                yield file
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise FileError(f"{self.name} is a broken gzip file: {error}.", "a complete file") from None

    @property
    def is_zip(self) -> bool:
        return self.start.startswith(ZIP)

    @cached_property
    def first_line(self) -> str:
        """The first line, whole: one of JSON may be long."""
        with self._opened() as file:
            return str(_bounded(file.readline, self).decode("utf-8", "replace"))

    @cached_property
    def first_object(self) -> dict[str, Any]:
        """The object in the first line of JSON lines; empty where there is none."""
        if self.start.lstrip()[:1] != b"{":
            return {}
        line = self.first_line  # whose refusals are ours
        try:
            found = read_json(line)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @cached_property
    def document(self) -> Any:
        """The file as one JSON document; None where it is not one."""
        if self.start.lstrip()[:1] not in (b"{", b"[") or (self.first_object and self._has_more_lines()):
            return None
        content = self.bytes()
        try:
            return read_json(content)
        except ValueError:
            return None

    def _has_more_lines(self) -> bool:
        with self._opened() as file:
            file.readline()
            return bool(file.readline().strip())

    @cached_property
    def columns(self) -> list[list[str]]:
        """The first lines, split at white space; empty for JSON, zip files and what is not text."""
        if self.start.lstrip()[:1] in (b"{", b"[", b"") or b"\0" in self.start:
            return []
        lines = self.start.decode("utf-8", "replace").splitlines()
        return [line.split() for line in lines[: max(1, min(len(lines) - 1, 50))]]

    def bytes(self) -> bytes:
        """Return the whole file, unpacked."""
        with self._opened() as file:
            return _bounded(file.read, self)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not empty, with their numbers from 1."""
        with self._opened() as raw, io.TextIOWrapper(raw, "utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if not line.isspace():
                    yield number, line

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects of JSON lines, with the numbers of their lines."""
        for number, text in self.lines():
            try:
                found = read_json(text)
            except ValueError as error:
                raise FileError(
                    f"{self.name}, line {number}: {shortened(str(error), 200)}.",
                    "one JSON object in each line",
                    "was the run stopped while it wrote? Remove the line, or run it again",
                ) from None
            if not isinstance(found, dict):
                raise FileError(f"{self.name}, line {number} is not an object.", "one JSON object in each line")
            yield number, found


def _bounded(read: Callable[[int], bytes], file: LogFile) -> bytes:
    """Read up to the limit of what a packed file may hold; what is not packed is as large as it looks."""
    if not file.is_gzipped:
        return bytes(read(-1))
    content = bytes(read(MOST_UNPACKED + 1))
    if len(content) > MOST_UNPACKED:
        raise too_large_unpacked(file.name)
    return content


@dataclass(frozen=True)
class Format:
    """A kind of log: what it is called, how it is recognised, and how its files become runs.

    ``read`` gets all files of this format under one of the paths that a user named, and the ``companions``: files that
    say something about runs without being one (results, judgements, the ids of a data set).
    """

    name: str
    recognise: Callable[[LogFile], bool]
    read: Callable[[list[LogFile], list[LogFile], str | None], Iterable[Run]]
    is_companion: Callable[[LogFile], bool] = lambda file: False


def too_large_unpacked(name: str) -> FileError:
    """Return the refusal of a packed log that holds more than any log of its kind."""
    return FileError(
        f"{name} holds more than {MOST_UNPACKED >> 30} GiB when it is unpacked, and reading was stopped there.",
        f"at most {MOST_UNPACKED >> 30} GiB of answers in one log",
        "check where it comes from; if it is sound, evaluate fewer samples in one run",
    )


def text_of(value: Any) -> str:
    """Return a value as a key: equal for equal values, whatever the order of their parts.

    >>> text_of({"b": 1, "a": [2]}), text_of("x"), text_of(7)
    ('{"a": [2], "b": 1}', 'x', '7')
    """
    if isinstance(value, str) or type(value) is int:
        return str(composed(str(value)))
    return str(composed(json.dumps(value, sort_keys=True, ensure_ascii=False)))


def without_copy(rows: Iterable[Answer], copy: str, original: str) -> list[Answer]:
    """Return the rows without a metric that says of every item the same as another one."""
    rows = list(rows)
    if any(row.metrics.get(copy) != row.metrics.get(original) for row in rows):
        return rows
    return [replace(row, metrics={k: v for k, v in row.metrics.items() if k != copy}) for row in rows]


def without_answers(files: Sequence[LogFile]) -> FileError:
    """Return the refusal of logs that hold no answer at all."""
    names = first_few([file.name for file in files], len(files))
    text = f"There are no answers in {names}."
    return FileError(text, "logs of runs that reached their end", "leave it out, or run the evaluation again")


def required(found: Mapping[str, Any], key: str, where: str) -> Any:
    """Return what a log must have at a key, or raise."""
    if key not in found:
        raise DataError(f"{where} has no {key!r}.", "a log as the tool wrote it", "was it cut or edited?")
    return found[key]
