"""What is in a file: its columns with a few values, with a guess which is which."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from clearwin.data.files.columns import name_of, read_columns
from clearwin.data.files.predictions import broken_numbers, is_counts_file
from clearwin.data.files.sources import LONGEST_LABEL, Table, open_source, open_table, workshop
from clearwin.text import one_line
from clearwin.web.guessing import guess_roles

LOOKED_AT = 20_000  # rows
SHOWN = 4
MOST_CLASSES = 60
LONGEST = 60


def look(files: list[str]) -> dict[str, Any]:
    """Return the columns of each file, and what the comparison probably is."""
    found: list[dict[str, Any]] = [
        {"file": file, "columns": [] if is_counts_file(file) else _columns_of(file)} for file in files
    ]
    guess = guess_roles(found)
    for column in (column for file in found for column in file["columns"]):
        del column["all"]  # only to guess from
    return {"files": found, "guess": guess, "shown": _written_out(found)}


def _written_out(files: list[dict[str, Any]]) -> dict[str, str]:
    """Return how to show the names in which something cannot be seen; they are asked for as they are."""
    columns = [column for file in files for column in file["columns"]]
    names = [file["file"] for file in files] + [column["name"] for column in columns]
    names += [name for column in columns for name in column["classes"]]
    return {name: shown for name in names if (shown := one_line(name)) != name}


def _columns_of(file: str) -> list[dict[str, Any]]:
    with workshop() as (db, scratch):
        table = open_table(db, open_source(file, scratch))
        names = list(table.texts)
        roles = {f"c{i}": name for i, name in enumerate(names)}
        wanted = ", ".join(f"left({name_of(role)}, {LONGEST_LABEL + 1})" for role in roles)
        rows = read_columns(db, _to_look_at(table), roles, f"SELECT {wanted} FROM items LIMIT {LOOKED_AT}", (), roles)
    return [_describe(name, [as_label(table, row[i]) for row in rows]) for i, name in enumerate(names)]


def _to_look_at(table: Table) -> Table:
    """Show a list as its JSON: as a label it would be refused, but here it is only looked at."""
    plain = {name: "'(nested)'" if text.startswith("error(") else text for name, text in table.texts.items()}
    return dataclasses.replace(table, texts=plain | table.lists)


def as_label(table: Table, value: str | None) -> str | None:
    """Return the text that a label has: in JSON that without quotes, and 1 for 1.0."""
    if table.source.kind != "jsonl" or value is None:
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):  # cut off, nested too deeply or a number of thousands of digits
        return value
    if isinstance(found, str):
        return found
    return str(int(found)) if isinstance(found, float) and found.is_integer() else value


def _describe(name: str, values: list[str | None]) -> dict[str, Any]:
    different = list(dict.fromkeys(value for value in values if value is not None))
    return {
        "name": name,
        "values": [one_line(value[:LONGEST]) for value in different[:SHOWN]],
        "different": len(different),
        "of": len(values),
        "more": len(values) == LOOKED_AT,
        "classes": sorted(different) if len(different) <= MOST_CLASSES else [],
        "scores": len(broken_numbers(different)) > 10,
        "all": different,
    }
