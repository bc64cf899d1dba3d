"""Finished blocks of a study, kept in a file of JSON lines, so that an interrupted study can continue.

The first line says what is studied: versions, settings, hashes of the data, seed. Every further line is one finished
block, with a checksum of itself and the first line. A line is written in one go and forced to disk. A line that was cut
off is ignored, and one that was changed is refused. Only a file that begins like one of these is ever overwritten or
removed, and only one run at a time writes to it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from types import TracebackType
from typing import Any

from clearwin.errors import FileError, OptionError, setting
from clearwin.results.writing import LineFile

Header = dict[str, Any]
BEGINNING = b'{"what": "clearwin study"'
NAMED = "clearwin-study-"


def keep_file(keep: str | os.PathLike[str] | None, header: Header, *, resume: bool, force: bool) -> Path | None:
    """Return the file to keep blocks in; in a folder it is named by the data and the settings.

    The seed and the streams are not part of the name, so a resumed study finds the file and reports if they differ.
    """
    if keep is None:
        if resume:
            raise OptionError(
                "There is no file to resume from.", "the file of finished blocks", setting("keep", "study.jsonl")
            )
        return None
    path = Path(keep)
    if path.is_dir():
        named_by = {name: value for name, value in header.items() if name != "streams"}
        text = json.dumps({**named_by, "seed": None}, sort_keys=True)
        path /= f"{NAMED}{hashlib.sha256(text.encode()).hexdigest()[:8]}.jsonl"
    if resume and not path.exists():
        raise _nothing_to_resume(path)
    if not resume and path.exists() and _refuse_others(path) and not force:
        raise FileError(
            f"{path} already has finished blocks of an interrupted study.",
            "a decision: continue with them, or start again",
            setting("resume", True) + " to continue, or " + setting("force", True, python="delete the file"),
        )
    return path


def _refuse_others(path: Path) -> bool:
    """Return whether the file holds a study's blocks; raise if it holds anything else, which belongs to someone."""
    try:
        with path.open("rb") as file:
            beginning = file.read(len(BEGINNING))
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.", "a file of finished blocks") from None
    if not BEGINNING.startswith(beginning[: len(BEGINNING)]):
        raise FileError(
            f"{path} is not a file of finished blocks, so it was not overwritten.",
            "a new file, or a folder",
            setting("keep", "study.jsonl"),
        )
    return bool(beginning)


def _nothing_to_resume(path: Path) -> FileError:
    others = sorted(file.name for file in path.parent.glob(f"{NAMED}*.jsonl") if file != path)
    there = f" {', '.join(others)} belongs to other data, settings or another version." if others else ""
    return FileError(
        f"{path} does not exist, so it cannot be resumed.{there}",
        "a file of finished blocks, left by an interrupted study of the same data with the same settings",
        "leave " + setting("resume", True) + " out to start again",
    )


def read_kept(path: str | os.PathLike[str], wanted: Header) -> tuple[Header, dict[str, Any]]:
    """Return the header and the finished blocks by their keys, if they belong to the study that is asked for.

    An incomplete line is ignored; a block that was changed is refused.
    """
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.", "a file of finished blocks") from None
    header = _parsed(lines[0]) if len(lines) > 1 else None
    if header is None or not _is_header(header):
        raise FileError(
            f"{path} does not begin like a file of finished blocks.",
            "a file that an interrupted study has left",
            "leave " + setting("resume", True) + " out to start again",
        )
    _check_header(path, header, wanted)
    blocks = {}
    for number, line in enumerate(lines[1:-1], 2):  # a whole line ends with a line break
        block = _parsed(line)
        if isinstance(block, dict) and isinstance(block.get("key"), str) and isinstance(block.get("result"), dict):
            if block.get("checksum") != _checksum(header, block["key"], block["result"]):
                raise _changed(path, number, block["key"])
            blocks[block["key"]] = block["result"]
    return header, blocks


def _checksum(header: Header, key: str, result: Any) -> str:
    """Return the checksum that reveals a block that was changed or comes from another study."""
    return hashlib.sha256(json.dumps([header, key, result], sort_keys=True).encode()).hexdigest()[:32]


def _changed(path: str | os.PathLike[str], number: int, key: str) -> FileError:
    return FileError(
        f"Line {number} of {path}, the block {key!r}, was changed after it was written, because its checksum differs.",
        "blocks as they were written",
        f"delete line {number}, and that block is computed again; if all are refused, start again with another file",
    )


def _is_header(parsed: Any) -> bool:
    return (
        isinstance(parsed, dict)
        and parsed.get("what") == "clearwin study"
        and isinstance(parsed.get("settings"), dict)
        and re.fullmatch(r"\d{1,200}(\.\d{1,20})*", str(parsed.get("seed")), re.ASCII) is not None
        and isinstance(parsed["seed"], str)
    )


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _check_header(path: str | os.PathLike[str], kept: Header, wanted: Header) -> None:
    """Raise if the kept blocks belong to another study, and say what differs."""
    if kept.get("streams", 1) != wanted["streams"]:  # before streams had versions, they were version 1
        raise FileError(
            f"{path} was begun with version {kept.get('streams', 1)} of the random streams, and clearwin now draws "
            f"with version {wanted['streams']}, so the same seed gives different numbers.",
            "blocks that were all drawn from the same streams",
            "another file or folder to start again, or the version of clearwin that began it",
        )
    mine, theirs = wanted["settings"], kept["settings"]
    differences = [
        f"{name} {theirs.get(name)!r} instead of {mine[name]!r}" for name in mine if theirs.get(name) != mine[name]
    ]
    if kept.get("version") != wanted["version"]:
        differences.append(f"version {kept.get('version')!r} instead of {wanted['version']!r}")
    differences += [
        f"other {what}"
        for name, what in (("data", "data"), ("test_set", "data in the test set"))
        if kept.get(name) != wanted[name]
    ]
    if wanted["seed"] is not None and kept["seed"] != wanted["seed"]:
        differences.append(f"seed {kept['seed']} instead of {wanted['seed']}")
    if differences:
        raise FileError(
            f"{path} belongs to another study: it has {'; '.join(differences)}.",
            "the same data, settings, seed and version as when it was begun",
            "the same settings as then, or another file to keep blocks in",
        )


class Keeping:
    """Writes finished blocks to a file that nobody else writes to meanwhile."""

    def __init__(self, path: str | os.PathLike[str], header: Header, *, append: bool) -> None:
        self.header = header
        self.file = LineFile(path, anew=not append, instead="wait for it, or " + setting("keep", "study-2.jsonl"))
        if self.file.found:
            return
        try:
            self._line(header)
        except BaseException:
            self.file.close()
            raise

    def add(self, key: str, result: Any) -> None:
        """Write one finished block and force it to disk."""
        self._line({"key": key, "result": result, "checksum": _checksum(self.header, key, result)})

    def _line(self, content: Any) -> None:
        try:
            self.file.add(json.dumps(content).encode())
        except OSError as error:
            raise FileError(
                f"A finished block cannot be kept in {self.file.path}: {error.strerror}.",
                "room on the disk; what is in the file already is not lost",
                "make room, and " + setting("resume", True) + " continues",
            ) from None

    def __enter__(self) -> Keeping:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()


def forget(path: Path | None) -> None:
    """Remove the file of a study that was finished and shown; a study interrupted earlier can still be resumed."""
    if path is not None:
        path.unlink(missing_ok=True)
