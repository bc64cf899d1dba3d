"""What is in a file: its columns with a few values, and a guess which is which."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from clearwin.file_columns import name_of, read_columns
from clearwin.files import broken_numbers, is_counts_file
from clearwin.formats import Table, open_table, workshop
from clearwin.sources import LONGEST_LABEL, open_source
from clearwin.story import printable

LOOKED_AT = 20_000  # rows
SHOWN = 4
MOST_CLASSES = 60
LONGEST = 60
# how people call them
CALLED = {
    "truth": ("truth", "gold", "label", "target", "y", "y_true", "true", "actual", "key", "class", "reference"),
    "id": ("id", "doc", "item", "key_id", "index", "uid", "name"),
}


def look(files: list[str]) -> dict[str, Any]:
    """Return the columns of each file, and what the comparison probably is."""
    found = [{"file": file, "columns": [] if is_counts_file(file) else _columns_of(file)} for file in files]
    return {"files": found, "guess": _guess(found)}


def _columns_of(file: str) -> list[dict[str, Any]]:
    with workshop() as (db, scratch):
        table = open_table(db, open_source(file, scratch))
        names = list(table.texts)
        roles = {f"c{i}": name for i, name in enumerate(names)}
        wanted = ", ".join(f"left({name_of(role)}, {LONGEST_LABEL + 1})" for role in roles)
        rows = read_columns(db, _to_look_at(table), roles, f"SELECT {wanted} FROM items LIMIT {LOOKED_AT}", (), roles)
    read = _of_json if table.source.kind == "jsonl" else _as_it_is
    return [_describe(name, [read(row[i]) for row in rows]) for i, name in enumerate(names)]


def _to_look_at(table: Table) -> Table:
    """Show a list as its JSON: as a label it would be refused, but here it is only looked at."""
    plain = {name: "'(nested)'" if text.startswith("error(") else text for name, text in table.texts.items()}
    return dataclasses.replace(table, texts=plain | table.lists)


def _as_it_is(value: str | None) -> str | None:
    return value


def _of_json(value: str | None) -> str | None:
    """Return the text that a label in JSON has: that without quotes, and 1 for 1.0."""
    try:
        found = None if value is None else json.loads(value)
    except (ValueError, RecursionError):  # cut off, nested too deeply or a number of thousands of digits
        return value
    if isinstance(found, str):
        return found
    return str(int(found)) if isinstance(found, float) and found.is_integer() else value


def _describe(name: str, values: list[str | None]) -> dict[str, Any]:
    different = list(dict.fromkeys(value for value in values if value is not None))
    return {
        "name": name,
        "values": [printable(value[:LONGEST]) for value in different[:SHOWN]],
        "different": len(different),
        "of": len(values),
        "more": len(values) == LOOKED_AT,
        "classes": sorted(different) if len(different) <= MOST_CLASSES else [],
        "scores": len(broken_numbers(different)) > 10,
    }


def _guess(found: list[dict[str, Any]]) -> dict[str, str]:
    """Return the likely column of each role; of several files the columns besides the id are each file's own."""
    columns = {column["name"]: column for file in found for column in file["columns"]}
    roles = {role: _called(columns, names) for role, names in CALLED.items()}
    if len(found) == 1 and columns:
        rest = [name for name in columns if name not in roles.values()]
        ids = columns.get(roles["id"], {"different": 0, "of": 1})
        if ids["different"] < ids["of"]:
            roles["id"] = ""
        roles |= dict(zip(("a", "b"), rest, strict=False))
    return {role: name for role, name in roles.items() if name} | _guess_measure(columns, roles, len(found))


def _called(columns: dict[str, Any], names: tuple[str, ...]) -> str:
    lower = {name.lower(): name for name in reversed(columns)}
    return next((lower[name] for name in names if name in lower), "")


def _guess_measure(columns: dict[str, Any], roles: dict[str, str], files: int) -> dict[str, str]:
    classes = columns.get(roles.get("truth", ""), {"classes": []})["classes"]
    scores = [c for name, c in columns.items() if c["scores"] and name not in (roles.get("truth"), roles.get("id"))]
    if not roles.get("truth") and scores and files < 3:
        return {"measure": "mean"}
    if len(classes) == 2:
        return {"measure": "auc" if scores else "f1", "positive": _likely_positive(classes)}
    return {"measure": "macro_f1" if len(classes) > 2 else "accuracy"}


def _likely_positive(classes: list[str]) -> str:
    """Return the one that is not called something like no; clearwin infers 0/1 and the like itself."""
    negative = {"other", "no", "false", "negative", "neg", "ham", "none", "0", "-1", "normal", "benign", "not"}
    left = [name for name in classes if name.lower() not in negative]
    return left[0] if len(left) == 1 else ""
