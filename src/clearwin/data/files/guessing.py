"""What is in a file: its columns with a few values, and a guess at which is which and what measure fits.

A guess is only a start: the page shows it in a form, the command says what it took, and whoever asks can change it.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

from clearwin.data.files.columns import INDEX, name_of, read_columns
from clearwin.data.files.predictions import broken_numbers, is_counts_file
from clearwin.data.files.sources import LONGEST_LABEL, Table, is_number, open_source, open_table, workshop
from clearwin.text import one_line

LOOKED_AT = 20_000  # rows
SHOWN = 4
MOST_CLASSES = 60
LONGEST = 60
Column = dict[str, Any]  # as _describe makes one, with all its different values
File = dict[str, Any]
# how people call them, the surest first
TRUTHS = (
    "truth",
    "gold",
    "ground_truth",
    "groundtruth",
    "y_true",
    "true_label",
    "gold_label",
    "label",
    "labels",
    "target",
    "actual",
    "reference",
    "true",
    "class",
    "diagnosis",
    "outcome",
    "status",
    "y",
    "key",
)
IDS = ("id", "uid", "doc", "item", "index", "key_id", "doc_id", "item_id", "name", "key")
LOSS = re.compile(r"(?i)(latency|time|loss|error|cost|second|distance|perplexity)|(^|_)(ms|wer|cer|mae|mse|rmse)(_|$)")
SEPARATORS = "|;,"
NEGATIVE = {
    "other",
    "no",
    "false",
    "negative",
    "neg",
    "ham",
    "none",
    "0",
    "-1",
    "normal",
    "benign",
    "not",
    "healthy",
    "n",
    "f",
}
FILE_OF_TRUTH = re.compile(r"(?i)truth|gold|label|key|ref|target")


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


def guess_roles(files: list[File]) -> dict[str, Any]:
    """Return the likely column of each role, the role of each of several files, and the measure."""
    if not files or not all(file["columns"] for file in files):
        return {"roles": ["truth", "a", "b"][-len(files) :], "measure": "f1"}
    by_role = {1: _of_one, 2: _of_two, 3: _of_three}[min(len(files), 3)](files)
    columns = {role: column for role, column in by_role["columns"].items() if column is not None}
    measure = _measure(columns.get("truth"), [columns[role] for role in ("a", "b") if role in columns])
    return {role: column["name"] for role, column in columns.items()} | {"roles": by_role["roles"]} | measure


def _of_one(files: list[File]) -> dict[str, Any]:
    columns = _besides(files[0], None)
    truth = _truth(columns)
    id = _id([column for column in columns if column is not truth])
    a, b = _models([column for column in columns if column is not truth and column is not id], truth)
    return {"roles": [], "columns": {"truth": truth, "id": id, "a": a, "b": b}}


def _of_two(files: list[File]) -> dict[str, Any]:
    """Two files, one of each model; the truth may be in both."""
    id = _common_id(files)
    truth = _truth(_besides(files[0], id)) if len(_besides(files[0], id)) > 1 else None
    found = [_last([c for c in _besides(file, id) if truth is None or c["name"] != truth["name"]]) for file in files]
    return {"roles": ["a", "b"], "columns": {"truth": truth, "id": id, "a": found[0], "b": found[1]}}


def _of_three(files: list[File]) -> dict[str, Any]:
    """One file each: the truth is the one that is called so, else the first."""
    place = next((i for i, file in enumerate(files) if FILE_OF_TRUTH.search(file["file"])), 0)
    id = _common_id(files)
    truth = _called(_besides(files[place], id), TRUTHS) or _last(_besides(files[place], id))
    models = [file for i, file in enumerate(files) if i != place]
    a, b = (
        _last([c for c in _besides(file, id) if len(_besides(file, id)) == 1 or c["name"] != (truth or c)["name"]])
        for file in models
    )
    roles = ["a", "b"]
    roles.insert(place, "truth")
    return {"roles": roles, "columns": {"truth": truth, "id": id, "a": a, "b": b}}


def _besides(file: File, id: Column | None) -> list[Column]:
    """Return the columns that are neither the id nor an index that pandas wrote without a name."""
    names = (*INDEX, *([] if id is None else [id["name"]]))
    return [column for column in file["columns"] if column["name"] not in names]


def _last(columns: list[Column]) -> Column | None:
    usable = [column for column in columns if not _is_nested(column)] or columns
    return usable[-1] if usable else None


def _is_nested(column: Column) -> bool:
    """Whether it holds objects, or lists of something else than labels."""
    return column["all"] == ["(nested)"] or any(value.startswith("{") for value in column["all"][:5])


def _numeric(column: Column) -> bool:
    return bool(column["all"]) and all(map(is_number, column["all"]))


def _called(columns: list[Column], names: tuple[str, ...]) -> Column | None:
    lower = {column["name"].lower().replace(" ", "_").replace("-", "_"): column for column in reversed(columns)}
    return next((lower[name] for name in names if name in lower), None)


def _unique(column: Column) -> bool:
    return bool(column["of"] > 1 and column["different"] == column["of"])


def _truth(columns: list[Column]) -> Column | None:
    """Return the column called so, else the only one with classes, else the first of several with the same classes."""
    named = _called([column for column in columns if not _is_nested(column)], TRUTHS)
    if named is not None:
        return named
    labels = [
        c
        for c in columns
        if 2 <= c["different"] <= MOST_CLASSES and not c["scores"] and not _unique(c) and not _is_nested(c)
    ]
    texts = [column for column in labels if not _numeric(column)]
    if len(texts) == 1:
        return texts[0]
    alike = [column for column in labels if set(column["all"]) & set(labels[0]["all"])]
    return labels[0] if len(labels) == 1 or len(alike) > 2 else None


def _id(columns: list[Column]) -> Column | None:
    """Return a column without repetitions that is called so, or stands first before those of two models."""
    unique = [column for column in columns if _unique(column) and not _is_nested(column)]
    named = _called(unique, IDS) or next((c for c in unique if c["name"].lower().endswith(("_id", " id", "-id"))), None)
    if named is not None:
        return named
    first = columns[0] if len(columns) > 2 else None
    return first if first in unique and first is not None and not first["scores"] else None


def _common_id(files: list[File]) -> Column | None:
    others = [{column["name"] for column in file["columns"]} for file in files[1:]]
    common = [column for column in _besides(files[0], None) if all(column["name"] in names for names in others)]
    unique = [column for column in common if _unique(column)]
    return _called(unique, IDS) or next(iter(unique or common), None)


def _models(columns: list[Column], truth: Column | None) -> tuple[Column | None, Column | None]:
    """Return the last two columns of the same kind: decisions among the truth's classes, else numbers."""
    usable = [column for column in columns if not _is_nested(column)]
    decisions = [column for column in usable if truth is not None and _decides(column, truth)]
    numbers = [column for column in usable if _numeric(column) and column not in decisions]
    for kind in (decisions, numbers, usable, columns):
        if len(kind) >= 2:
            return kind[-2], kind[-1]
    return next(iter(usable), None), None


def _decides(column: Column, truth: Column) -> bool:
    """Whether the column contains the truth's labels; for numbers most must match, because scores can be 0 or 1."""
    shared = set(column["all"]) & (set(truth["all"]) | _labels_in(truth))
    if column["scores"] and not truth["scores"]:
        return False
    return 2 * len(shared) >= len(column["all"]) > 0 if _numeric(column) else bool(shared or _separator(column))


def _separator(column: Column) -> str:
    """Return what parts several labels in one field: then there are fewer labels than combinations of them."""
    for separator in SEPARATORS:
        several = [value for value in column["all"] if separator in value]
        labels = {label.strip() for value in column["all"] for label in value.split(separator)}
        if several and len(labels) < max(len(column["all"]), 3) and not _numeric(column):
            return separator
    return ""


def _labels_in(column: Column) -> set[str]:
    separator = _separator(column)
    return {label.strip() for value in column["all"] for label in value.split(separator)} if separator else set()


def _measure(truth: Column | None, models: list[Column]) -> dict[str, str]:
    if truth is None:
        lower = any(LOSS.search(column["name"]) for column in models)
        numbers = models and all(map(_numeric, models))
        return {"measure": ("mean_loss" if lower else "mean") if numbers else "accuracy"}
    if any(value.startswith("[") for value in truth["all"][:5]):
        return {"measure": "micro_f1", "separator": ","}  # which any will do for lists
    separator = next(filter(None, map(_separator, [truth, *models])), "")
    if separator:
        return {"measure": "micro_f1", "separator": separator}
    if truth["scores"] or truth["different"] > MOST_CLASSES:
        return {"measure": "mae" if _numeric(truth) and all(map(_numeric, models)) else "accuracy"}
    scores = bool(models) and all(_numeric(column) and not _decides(column, truth) for column in models)
    if truth["different"] == 2:
        return {"measure": "auc" if scores else "f1", "positive": likely_positive(truth["all"])}
    return {"measure": "macro_f1" if truth["different"] > 2 else "accuracy"}


def likely_positive(classes: list[str]) -> str:
    """Return the one that is not called something like no; clearwin infers 0/1 and the like itself.

    >>> likely_positive(["ham", "spam"]), likely_positive(["cat", "dog"])
    ('spam', '')
    """
    left = [name for name in classes if name.lower() not in NEGATIVE]
    return left[0] if len(left) == 1 else ""
