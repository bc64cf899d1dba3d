"""The schemas of what the endpoint answers; that of a result is read off its record, so that both change together."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from clearwin.results.base import Result
from clearwin.results.comparison import Comparison, PerClass

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
YES_OR_NO: Schema = {"type": "boolean"}
# JSON has no infinity: a record writes it as null
MAY_BE_INFINITE: Schema = {"type": ["number", "null"]}
PLAIN: dict[Any, Schema] = {
    str: TEXT,
    int: WHOLE,
    bool: YES_OR_NO,
    float: MAY_BE_INFINITE,
    type(None): {"type": "null"},
    Any: {},
}
STATES = ("receiving", "waiting", "running", "done", "refused", "failed", "cancelled")
RESULTS: tuple[type[Result], ...] = (Comparison, PerClass)


def schemas() -> dict[str, Schema]:
    """Return every schema that a route names."""
    parts = {"what": TEXT, "expected": TEXT, "next": TEXT}
    about = TEXT | {"description": "The setting that it is about, where that is known."}
    error = an_object({**parts, "field": about}, required=tuple(parts))
    job = {
        "id": TEXT,
        "verb": {"enum": ["compare", "columns"]},
        "state": {"enum": list(STATES)},
        "elapsed": NUMBER,
        "stage": TEXT,
        "done": WHOLE,
        "total": WHOLE,
        "step": WHOLE,
        "left": NUMBER,
        "estimate": NUMBER,
        "error": error,
    }
    found: dict[str, Schema] = {
        "Error": an_object({"error": error}),
        "Job": an_object(job, required=("id", "verb", "state", "elapsed")),
        "Columns": _columns(),
        "Thresholds": _thresholds(),
        "Result": {
            "description": "A comparison; with per_class one for each class.",
            "oneOf": [{"$ref": f"#/components/schemas/{record.__name__}"} for record in RESULTS],
        },
    }
    for record in RESULTS:
        of_type(record, found)
    return found


def an_object(properties: dict[str, Schema], required: tuple[str, ...] | None = None) -> Schema:
    """Return the schema of an object, of which all properties are required unless said otherwise."""
    return {"type": "object", "properties": properties, "required": list(properties if required is None else required)}


def a_list(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def of_type(kind: Any, found: dict[str, Schema]) -> Schema:
    """Return the schema of a type as JSON has it; those of records are put into ``found``, each once.

    >>> of_type(tuple[str, ...] | None, {})
    {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
    """
    if kind in PLAIN:
        return PLAIN[kind]
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _of_record(kind, found)
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inside)}
    if origin in (Union, types.UnionType):
        # a number may be null anyway
        kinds = [one for one in inside if not (one is type(None) and float in inside)]
        return of_type(kinds[0], found) if len(kinds) == 1 else {"anyOf": [of_type(one, found) for one in kinds]}
    if origin is tuple and inside[-1] is Ellipsis:
        return a_list(of_type(inside[0], found))
    if origin is dict:
        return {"type": "object", "additionalProperties": of_type(inside[1], found)}
    raise TypeError(f"no schema for {kind}")


def _of_record(kind: type, found: dict[str, Schema]) -> Schema:
    name = kind.__name__
    if name not in found:
        found[name] = {}  # before its fields, which may be of the same kind
        hints = get_type_hints(kind)
        own = [field.name for field in dataclasses.fields(kind) if field.name not in getattr(kind, "not_written", ())]
        told = {"description": inspect.cleandoc(kind.__doc__ or "").partition("\n")[0]}
        found[name] = told | an_object({field: of_type(hints[field], found) for field in own})
    return {"$ref": f"#/components/schemas/{name}"}


def _columns() -> Schema:
    column = an_object(
        {
            "name": TEXT,
            "values": a_list(TEXT),
            "different": WHOLE,
            "of": WHOLE,
            "more": YES_OR_NO,
            "classes": a_list(TEXT),
            "scores": YES_OR_NO,
        }
    )
    file = an_object({"file": TEXT, "columns": a_list(column)})
    roles = ("truth", "a", "b", "id", "measure", "positive", "separator")
    guess = dict.fromkeys(roles, TEXT) | {"roles": a_list({"enum": ["truth", "a", "b"]})}
    shown = {
        "type": "object",
        "additionalProperties": TEXT,
        "description": "How to show the names in which something cannot be seen. Ask with the names as they are.",
    }
    guessed = an_object(guess, required=("roles", "measure"))
    return an_object({"files": a_list(file), "guess": guessed, "shown": shown})


def _thresholds() -> Schema:
    model = an_object({"name": TEXT, "tp": a_list(WHOLE), "fp": a_list(WHOLE)})
    return an_object(
        {
            "thresholds": a_list({"type": ["number", "string"]}),
            "models": a_list(model),
            "positives": WHOLE,
            "negatives": WHOLE,
            "positive": TEXT,
            "negative": TEXT,
            "start": {"anyOf": [a_list(WHOLE), {"type": "null"}]},
        }
    )
