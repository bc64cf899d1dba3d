"""How server and job talk: by JSON files in the job's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any) -> None:
    """Write a whole file or none: whoever reads it meanwhile finds the old one."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(value, allow_nan=False), encoding="utf-8")
    fresh.replace(path)


def read_json(path: Path) -> Any:
    """Return what the file holds, or None where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return None
