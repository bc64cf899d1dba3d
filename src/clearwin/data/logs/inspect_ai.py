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
from typing import Any

from clearwin.data.files.sources import read_json
from clearwin.data.logs.base import Answer, Format, LogFile, Run, text_of
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
        entries = {entry.filename: entry for entry in log.infolist()}  # of an entry written twice the last
        if "header.json" not in entries:
            raise FileError(
                f"{file.name} has no header: the run was stopped before its end.",
                "a log of a run that ended",
                f"inspect eval-retry {file.name}",
            )
        header = read_json(_entry(log, entries["header.json"], file))
        if "summaries.json" in entries:
            return header, read_json(_entry(log, entries["summaries.json"], file))
        parts = [name for name in entries if name.startswith("_journal/summaries/")]
        parts.sort(key=lambda name: int("".join(filter(str.isdigit, name)) or 0))
        return header, [row for name in parts for row in read_json(_entry(log, entries[name], file))]


def _entry(log: zipfile.ZipFile, entry: zipfile.ZipInfo, file: LogFile) -> bytes:
    """Return an entry unpacked; zipfile knows zstd from Python 3.14 on only."""
    if entry.compress_type != ZSTD:
        try:
            return log.read(entry)
        except BROKEN_ZIP as error:
            raise _not_unpacked(file, entry, error) from None
    try:
        import zstandard
    except ImportError:
        raise FileError(
            f"{file.name} is packed with zstd, which needs a package that is not installed.",
            "zstandard",
            'pip install "clearwin[inspect]"',
        ) from None
    try:
        with file.path.open("rb") as raw:
            raw.seek(entry.header_offset)
            raw.seek(entry.header_offset + LOCAL_HEADER.size + sum(LOCAL_HEADER.unpack(raw.read(LOCAL_HEADER.size))))
            packed = raw.read(entry.compress_size)
        return bytes(zstandard.ZstdDecompressor().decompressobj().decompress(packed))
    except (*BROKEN_ZIP, zstandard.ZstdError) as error:
        raise _not_unpacked(file, entry, error) from None


def _not_unpacked(file: LogFile, entry: zipfile.ZipInfo, error: Exception) -> FileError:
    return FileError(
        f"{file.name}: {entry.filename} cannot be unpacked: {shortened(str(error), 200).rstrip('.')}.",
        "a complete log",
        "was it cut while it was copied? Copy it again",
    )


FORMAT = Format(NAME, _is_log, _read)
