"""A request in JSON with the columns inline becomes a file like any other, so that one reader checks both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clearwin.data.files.sources import json_object
from clearwin.errors import DataError, OptionError

FILE = "data.jsonl"
EXPECTED = '{"columns": {"truth": […], "a": […], "b": […]}, "measure": "f1", "seed": 7}'
ROLES = ("truth", "a", "b", "id")


def unpack(body: Path, folder: Path) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Write the columns as JSONL and return the file, the settings, and those that follow from the columns' names."""
    try:
        found = json_object(body.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise DataError(f"The body cannot be read as JSON: {problem}.", EXPECTED) from None
    columns = found.pop("columns", None)
    if not isinstance(columns, dict) or not columns or not all(isinstance(c, list) for c in columns.values()):
        raise DataError("The body has no columns.", EXPECTED)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        told = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
        raise DataError(f"The lengths of the columns differ: {told}.", "one value for each item in every column")
    for name in ("file", "files"):
        if name in found:
            raise OptionError(f"{name} is not taken with columns.", EXPECTED, "send files as multipart/form-data")
    with (folder / FILE).open("w", encoding="utf-8") as file:
        for values in zip(*columns.values(), strict=True):
            file.write(json.dumps(dict(zip(columns, values, strict=True))) + "\n")
    return FILE, found, {role: role for role in ROLES if role in columns}
