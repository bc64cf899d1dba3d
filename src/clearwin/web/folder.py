"""How server and job communicate: JSON files in the job's folder, in a folder that lives as long as the server."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Any

INLINE = "data.jsonl"  # into which columns that came inline are written


def write_json(path: Path, value: Any) -> None:
    """Write a whole file or none; a reader finds the old one meanwhile."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(value, allow_nan=False), encoding="utf-8")
    fresh.replace(path)


def read_json(path: Path) -> Any:
    """Return the file's content, or None if there is no file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return None


FRESH_SECONDS = 60.0  # a folder this young may be about to be locked


def held_folder(prefix: str) -> tuple[Path, int]:
    """Make a folder that only its owner may look into, and remove those of servers that were killed.

    Its lock, which ends with the process, shows that the server still runs.
    """
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            _remove_if_left(left)
    root = Path(tempfile.mkdtemp(prefix=prefix))
    return root, _locked(root)


def _locked(folder: Path) -> int:
    """Return the descriptor that holds the lock, or raise if another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows, where a folder cannot be opened either
        return os.open(os.devnull, os.O_RDONLY)
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise
    return held


def _remove_if_left(folder: Path) -> None:
    found = folder.lstat()
    mine = stat.S_ISDIR(found.st_mode) and hasattr(os, "getuid") and found.st_uid == os.getuid()
    if mine and time.time() - found.st_mtime > FRESH_SECONDS:
        held = _locked(folder)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)
