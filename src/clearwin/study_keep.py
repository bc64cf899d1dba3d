"""Finished blocks of a study, kept in a file of JSON lines, so that an interrupted study can go on.

The first line says what is studied: version, settings, hashes of the data, seed. Every further line is one finished
block. A line is written at once and forced to disk; one that was cut off is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from clearwin.errors import FileError, OptionError

Header = dict[str, Any]


def keep_file(keep: str | os.PathLike[str] | None, header: Header, *, resume: bool, force: bool) -> Path | None:
    """Return the file to keep blocks in; in a folder it is named by the data and the settings, but not by the seed."""
    if keep is None:
        if resume:
            raise OptionError("There is no file to resume from.", "the file of finished blocks", "keep=FILE")
        return None
    path = Path(keep)
    if path.is_dir():
        text = json.dumps({**header, "seed": None}, sort_keys=True)
        path /= f"clearwin-study-{hashlib.sha256(text.encode()).hexdigest()[:8]}.jsonl"
    if path.exists() and not resume and not force:
        raise FileError(
            f"{path} has finished blocks of an interrupted study already.",
            "to go on with them, or to begin anew",
            "resume=True to go on, or delete the file",
        )
    return path


def read_kept(path: str | os.PathLike[str]) -> tuple[Header, dict[str, Any]]:
    """Return the header and the finished blocks by their keys."""
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except FileNotFoundError:
        raise FileError(
            f"There is no {path}, so there is nothing to resume.",
            "a file of finished blocks, left by an interrupted study of the same data with the same settings",
            "leave resume=True out to begin anew",
        ) from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.", "a file of finished blocks") from None
    header = _parsed(lines[0]) if len(lines) > 1 else None
    if not isinstance(header, dict) or header.get("what") != "clearwin study":
        raise FileError(f"{path} holds no blocks of a study.", "a file that clearwin study has begun", "another name")
    blocks = {}
    for line in lines[1:-1]:  # a whole line ends with a line break
        found = _parsed(line)
        if isinstance(found, dict) and "key" in found:
            blocks[found["key"]] = found["result"]
    return header, blocks


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def check_header(path: str | os.PathLike[str], kept: Header, asked: Header) -> None:
    """Raise when the kept blocks belong to another study, and name what differs."""
    differ = [name for name in asked if name not in ("seed", "settings") and kept.get(name) != asked[name]]
    mine, theirs = asked["settings"], kept.get("settings", {})
    told = [f"{name} {theirs.get(name)!r} instead of {mine[name]!r}" for name in mine if theirs.get(name) != mine[name]]
    told += [f"{name} {kept.get(name)!r} instead of {asked[name]!r}" for name in differ]
    if asked["seed"] is not None and kept["seed"] != asked["seed"]:
        told.append(f"seed {kept['seed']} instead of {asked['seed']}")
    if told:
        raise FileError(
            f"{path} was begun by another study: it has {'; '.join(told)}.",
            "the same data, settings, seed and version as when it was begun",
            "the same settings as then, or another file to keep blocks in",
        )


class Keeping:
    """Writes finished blocks to a file."""

    def __init__(self, path: str | os.PathLike[str], header: Header, *, append: bool) -> None:
        try:
            if append:
                _cut_torn_line(Path(path))
            self.file = Path(path).open("ab" if append else "wb")  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise FileError(f"{path} cannot be written: {error.strerror}.", "a file in a folder that exists") from None
        if not append:
            self._line(header)

    def add(self, key: str, result: Any) -> None:
        """Write one finished block and force it to disk."""
        self._line({"key": key, "result": result})

    def _line(self, content: Any) -> None:
        self.file.write(json.dumps(content).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def __enter__(self) -> Keeping:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()


def _cut_torn_line(path: Path) -> None:
    """Remove what follows the last line break, so that the next block starts on a line of its own."""
    with path.open("r+b") as file:
        whole = file.read()
        file.truncate(whole.rfind(b"\n") + 1)
