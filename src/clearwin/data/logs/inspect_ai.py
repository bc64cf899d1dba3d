"""Inspect: `.eval` zip files (deflate and zstd) and `.json` logs.

The summaries in a zip have id, epoch, target and scores of every sample, so samples are never listed by file name: new
logs keep a sample in several files. Samples come in the order of completion; a sample that occurs twice in a log
that was rewritten counts as it was last. Epochs are repeats of an item. A score may be a letter, a number, or several
numbers by name.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clearwin.data.files.sources import read_json
from clearwin.data.logs.base import MOST_UNPACKED, Answer, Format, LogFile, Run, text_of, too_large_unpacked
from clearwin.errors import FileError, shortened

NAME = "Inspect log"
ZSTD = 93
LOCAL_HEADER = struct.Struct("<26xHH")  # of an entry in a zip: where the lengths of its name and its extra field are
# what zipfile raises of damaged files: places outside of the file, methods that do not exist, sizes that cannot be
BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
)
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partially correct, no answer
PART = 1 << 20  # bytes that are unpacked at once
CUT_AT = 1_000  # characters from which summaries cut a field


def _is_log(file: LogFile) -> bool:
    if file.is_zip:
        try:
            with zipfile.ZipFile(file.path) as log:
                names = set(log.namelist())
        except BROKEN_ZIP:
            return False
        return "header.json" in names or "_journal/start.json" in names
    found = file.document
    return isinstance(found, dict) and "eval" in found and "status" in found


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    for file in files:
        header, samples = _of_zip(file) if file.is_zip else _of_json(file)
        about, status = header["eval"], header.get("status")
        if status != "success":
            raise FileError(
                f"{file.name} is a log of a run that was not finished: its status is {status!r}.",
                "a log with the status success",
                f"inspect eval-retry {file.name}",
            )
        yield _run(file, about, samples, (header.get("results") or {}).get("total_samples"))


def _run(file: LogFile, about: dict[str, Any], samples: list[dict[str, Any]], total: int | None) -> Run:
    latest: dict[tuple[str, str], dict[str, Any]] = {}
    for sample in samples:
        latest[text_of(sample.get("id")), text_of(sample.get("epoch", 1))] = sample
    rows, unscored = [], {}
    for (item, epoch), sample in latest.items():
        scores = _scores(sample.get("scores") or {})
        if scores:
            rows.append(Answer(item, scores, repeat=epoch, same=_target(sample)))
        else:
            unscored[item] = "has no score" + (": it ended with an error" if sample.get("error") else "")
    if not rows:
        raise FileError(
            f"{file.name} has {len(latest):,} samples, and none of them is scored.",
            "a log with scores",
            f"inspect score {file.name}",
        )
    twice = len(samples) - len(latest)
    facts = {"inspect_ai": about.get("packages", {}).get("inspect_ai"), "task version": about.get("task_version")}
    return Run(
        format=NAME,
        file=file.name,
        model=str(about.get("model") or file.path.stem),
        task=str(about.get("task")),
        rows=rows,
        time=str(about.get("created", "")),
        expected=total,
        facts={key: str(value) for key, value in facts.items() if value is not None},
        doubts=(f"{twice:,} samples occur twice in {file.name}; the last of each counts.",) if twice else (),
        left_out=unscored,
        rerun_of=str(about.get("task_id", "")),
    )


def _scores(found: dict[str, Any]) -> dict[str, float]:
    """Return the scorers' numbers; of one that gives several by name, scorer/name."""
    scores: dict[str, float] = {}
    for scorer, score in found.items():
        value = score.get("value") if isinstance(score, dict) else score
        parts = {f"{scorer}/{key}": part for key, part in value.items()} if isinstance(value, dict) else {scorer: value}
        for name, part in parts.items():
            number = LETTERS.get(part) if isinstance(part, str) else part
            if isinstance(number, int | float):
                scores[name] = float(number)
    return scores


def _target(sample: dict[str, Any]) -> str | None:
    """Return the target; where a summary might have cut it there is nothing to check by."""
    target = text_of(sample.get("target"))
    return None if len(target) >= CUT_AT else target


def _of_json(file: LogFile) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    header = file.document
    samples = header.get("samples")
    if not samples:
        said = (header.get("results") or {}).get("total_samples", 0)
        raise FileError(
            f"{file.name} has only a header: it lists {said:,} samples, and none is in the file.",
            "a log with its samples",
            "the .eval file that it was made from, or a log written without --no-log-samples",
        )
    return header, samples


def _of_zip(file: LogFile) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    with zipfile.ZipFile(file.path) as log:
        left = MOST_UNPACKED
        read = []
        for entry in _entries(log, file):
            content = _content(log, entry, file, left)
            left -= len(content)
            read.append(read_json(content))
    header, *parts = read
    return header, [row for rows in parts for row in rows]


def _entries(log: zipfile.ZipFile, file: LogFile) -> list[zipfile.ZipInfo]:
    """Return the entries of a log that are read: its header, then its summaries; samples are never opened."""
    entries = {entry.filename: entry for entry in log.infolist()}  # of an entry written twice the last
    if "header.json" not in entries:
        raise FileError(
            f"{file.name} has no header: the run was stopped before its end.",
            "a log of a run that ended",
            f"inspect eval-retry {file.name}",
        )
    parts = ["summaries.json"]
    if "summaries.json" not in entries:
        parts = [name for name in entries if name.startswith("_journal/summaries/")]
        parts.sort(key=lambda name: int("".join(filter(str.isdigit, name)) or 0))
    return [entries[name] for name in ("header.json", *parts)]


def _content(log: zipfile.ZipFile, entry: zipfile.ZipInfo, file: LogFile, most: int) -> bytes:
    """Return an entry unpacked; raise as soon as it has more bytes than allowed, whatever the zip declares."""
    content = bytearray()
    for part in _unpacked_entry(log, entry, file):
        content += part
        if len(content) > most:
            raise too_large_unpacked(file.name)
    return bytes(content)


def unpacked(file: LogFile) -> Iterator[bytes]:
    """Yield all that reading a log unpacks, part by part; nothing of any other zip."""
    if _is_log(file):
        with zipfile.ZipFile(file.path) as log:
            for entry in _entries(log, file):
                yield from _unpacked_entry(log, entry, file)


def _unpacked_entry(log: zipfile.ZipFile, entry: zipfile.ZipInfo, file: LogFile) -> Iterator[bytes]:
    """Yield the parts of an entry; the packings are those of which a small part stays small until it is asked for."""
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD):
        raise _not_unpacked(file, entry, f"it is packed by method {entry.compress_type}, which Inspect does not use")
    try:
        with _zstd_entry(entry, file) if entry.compress_type == ZSTD else log.open(entry) as content:
            while part := content.read(PART):
                yield part
    except FileError:
        raise
    except BROKEN_ZIP as error:
        raise _not_unpacked(file, entry, str(error)) from None


@contextmanager
def _zstd_entry(entry: zipfile.ZipInfo, file: LogFile) -> Iterator[Any]:
    """Open an entry packed with zstd, which zipfile knows from Python 3.14 on only."""
    try:
        import zstandard
    except ImportError:
        raise FileError(
            f"{file.name} is packed with zstd, which needs a package that is not installed.",
            "zstandard",
            "pip install zstandard",
        ) from None
    with file.path.open("rb") as raw:
        raw.seek(entry.header_offset)
        raw.seek(entry.header_offset + LOCAL_HEADER.size + sum(LOCAL_HEADER.unpack(raw.read(LOCAL_HEADER.size))))
        packed = raw.read(entry.compress_size)
    try:
        yield zstandard.ZstdDecompressor().stream_reader(packed)
    except zstandard.ZstdError as error:
        raise _not_unpacked(file, entry, str(error)) from None


def _not_unpacked(file: LogFile, entry: zipfile.ZipInfo, problem: str) -> FileError:
    return FileError(
        f"{file.name}: {entry.filename} cannot be unpacked: {shortened(problem, 200).rstrip('.')}.",
        "a complete log",
        "was it cut while it was copied? Copy it again",
    )


FORMAT = Format(NAME, _is_log, _read)
