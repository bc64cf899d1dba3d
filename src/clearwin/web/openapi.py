"""The description of the endpoint, made from the settings of the command, the routes and the records of results."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from clearwin import __version__
from clearwin.analyses.listing import list_measures
from clearwin.results.base import Result
from clearwin.results.comparison import Comparison, PerClass
from clearwin.results.plan import Plan
from clearwin.settings import Option, choices_of
from clearwin.web.comparing import EXPECTED
from clearwin.web.settings import COMPARE, PLAN, Offered
from clearwin.web.uploads import EXAMPLES, MOST_FILES

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}, "description": "The job's id."}
WAIT = {
    "name": "wait",
    "in": "query",
    "schema": {"type": "boolean", "default": True},
    "description": "false returns 202 with the job at once; ask for its state at /api/jobs/{id}.",
}
WATCHED = {
    "name": "watched",
    "in": "query",
    "schema": {"type": "boolean", "default": False},
    "description": "With wait=false: end the job when nobody has asked for it for 90 seconds, as the page does. "
    "Without it a job continues, however rarely it is asked for.",
}
# what an option reads → its types in JSON; every other is a text
TYPES = {
    "flag": ["boolean"],
    "number": ["number"],
    "whole number": ["integer"],
    "share": ["number", "string"],
    "seed": ["integer", "string"],
    "thresholds": ["number", "string"],
    "names or all": ["boolean", "string"],
}
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
RESULTS: tuple[type[Result], ...] = (Comparison, PerClass, Plan)


def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "clearwin",
            "version": __version__,
            "description": "Is classifier B really better than classifier A, or is the difference luck?",
        },
        "paths": {
            "/api/columns": {"post": _columns()},
            "/api/compare": {"post": _compare()},
            "/api/plan": {"post": _plan()},
            "/api/jobs/{id}": {"get": _job("How far a job is.", "Job"), "delete": _cancel()},
            "/api/jobs/{id}/result": {"get": _job("The result, as `clearwin compare --json` prints it.", "Result")},
            "/api/jobs/{id}/thresholds": {"get": _job("The counts at each threshold of scores.", "Thresholds")},
        },
        "components": {"schemas": schemas()},
    }


def _answer(words: str, schema: str) -> dict[str, Any]:
    return {
        "description": words,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }


def _refusals(*also: str) -> dict[str, Any]:
    words = {
        "403": "The request went to an unknown host name or came from another site's page.",
        "404": "No such job, or its results are gone.",
        "405": "The path does not take this method; Allow says which it takes.",
        "408": "The request came too slowly.",
        "410": "The job was cancelled.",
        "413": "Too large, as sent or when unpacked.",
        "422": "What was asked cannot be done: what is wrong, what was expected, what to do next.",
        "429": "Too many jobs wait; Retry-After says when to come back.",
        "507": "There is no room on the disk of the server.",
    }
    return {status: _answer(words[status], "Error") for status in ("403", "405", *also)}


def _properties(of: Offered) -> dict[str, Any]:
    return {name: _property(row) for name, row in of.settings.items()}


def _property(row: Option) -> Schema:
    types = TYPES.get(row.reads.kind, ["string"])
    found: Schema = {"type": types[0] if len(types) == 1 else types, "description": row.help}
    if row.reads.takes_a_list:
        found |= {"type": [*types, "array"], "items": {"type": ["string", "number"]}}
    if choices := choices_of(row):
        found["enum"] = list(choices)
    if row.name == "measure":  # no enum: options may follow, as in dcf(cost_fn=10)
        found["examples"] = list(list_measures())
    default = False if row.reads.kind == "flag" else row.command_default
    return found if default is None else found | {"default": default}


def _sent() -> dict[str, Any]:
    return {
        "files": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "maxItems": MOST_FILES,
            "description": "One file with all columns; or truth, A and B, joined by id; or A and B, if A's file has "
            "the truth or the measure uses values alone.",
        },
        "example": {"type": "string", "enum": list(EXAMPLES), "description": "Shipped data instead of files."},
    }


def _post(summary: str, answer: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Describe a route that takes files, or columns inline, with these settings."""
    columns = {"type": "object", "additionalProperties": {"type": "array"}, "description": EXPECTED}
    form = {"type": "object", "properties": {**_sent(), **settings}, "additionalProperties": False}
    inline = {
        "type": "object",
        "required": ["columns"],
        "properties": {"columns": columns, **settings},
        "additionalProperties": False,
    }
    content = {"multipart/form-data": {"schema": form}, "application/json": {"schema": inline}}
    begun = {"202": _answer("The job has begun.", "Job")}
    return {
        "summary": summary,
        "parameters": [WAIT, WATCHED],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": answer, **begun, **_refusals("408", "410", "413", "422", "429", "507")},
    }


def _compare() -> dict[str, Any]:
    answer = _answer("The result, as `clearwin compare --json` prints it.", "Result")
    return _post("Compare two classifiers on one test set.", answer, _properties(COMPARE))


def _plan() -> dict[str, Any]:
    answer = _answer("The plan, as `clearwin plan --json` prints it.", "Plan")
    words = "Plan how many items a difference needs, from a pilot or from assumed rates."
    return _post(words, answer, _properties(PLAN))


def _columns() -> dict[str, Any]:
    answer = _answer("The columns, and a guess at which is which.", "Columns")
    return _post("List the columns of the files.", answer, {})


def _job(words: str, schema: str) -> dict[str, Any]:
    refusals = _refusals("404") if schema == "Job" else _refusals("404", "410", "413", "422", "507")
    return {"summary": words, "parameters": [ID], "responses": {"200": _answer(words, schema), **refusals}}


def _cancel() -> dict[str, Any]:
    words = "Cancel a job, or forget one that is over."
    return {"summary": words, "parameters": [ID], "responses": {"200": _answer(words, "Job"), **_refusals("404")}}


def schemas() -> dict[str, Schema]:
    """Return every schema that a route names."""
    parts = {"what": TEXT, "expected": TEXT, "next": TEXT}
    about = TEXT | {"description": "The setting that it is about, if known."}
    error = an_object({**parts, "field": about}, required=tuple(parts))
    job = {
        "id": TEXT,
        "verb": {"enum": ["compare", "plan", "columns"]},
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
        "Columns": _columns_schema(),
        "Thresholds": _thresholds_schema(),
        "Result": {
            "description": "A comparison; with per_class one for each class; or a plan.",
            "oneOf": [{"$ref": f"#/components/schemas/{record.__name__}"} for record in RESULTS],
        },
    }
    for record in RESULTS:
        of_type(record, found)
    return found


def an_object(properties: dict[str, Schema], required: tuple[str, ...] | None = None) -> Schema:
    """Return the schema of an object, whose properties are all required unless stated otherwise."""
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


def _columns_schema() -> Schema:
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
    guess |= {
        "doubt": TEXT | {"description": "Why no column was guessed, if none was."},
        "commands": a_list(TEXT),
    }
    shown = {
        "type": "object",
        "additionalProperties": TEXT,
        "description": "How to show names with invisible characters. Send the names as they are.",
    }
    guessed = an_object(guess, required=("roles", "measure"))
    logs = TEXT | {"description": "For evaluation logs, which have no columns: what is in them, in words."}
    known = {"files": a_list(file), "guess": guessed, "shown": shown}
    return an_object(known | {"logs": logs}, required=tuple(known))


def _thresholds_schema() -> Schema:
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
