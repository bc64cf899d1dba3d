"""The description of the endpoint, made from the settings of the command and the routes of the page."""

from __future__ import annotations

from typing import Any

from clearwin import __version__
from clearwin.analyses.listing import list_measures
from clearwin.web.form import choices_of
from clearwin.web.inline import EXPECTED
from clearwin.web.schemas import schemas
from clearwin.web.settings import SETTINGS
from clearwin.web.uploads import EXAMPLES, MOST_FILES

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}, "description": "The job's id."}
WAIT = {
    "name": "wait",
    "in": "query",
    "schema": {"type": "boolean", "default": True},
    "description": "false answers 202 with the job at once; ask for it at /api/jobs/{id}.",
}
WATCHED = {
    "name": "watched",
    "in": "query",
    "schema": {"type": "boolean", "default": False},
    "description": "With wait=false: end the job when nobody has asked for it for 90 seconds, as the page does. "
    "Without it a job goes on, however seldom it is asked for.",
}
TYPES = {"float": "number", "integer": "integer", "integer range": "integer"}


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
        "403": "To a strange name or from another site's page.",
        "404": "No such job, or its results are gone.",
        "405": "The path does not take this method; Allow says which it takes.",
        "408": "The request came too slowly.",
        "410": "The job was cancelled.",
        "413": "Too large, as sent or when unpacked.",
        "422": "What was asked cannot be done: what is wrong, what was expected, what to do next.",
        "429": "Too many jobs wait; Retry-After says when to come back.",
    }
    return {status: _answer(words[status], "Error") for status in ("403", "405", *also)}


def _properties() -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for name, option in SETTINGS.items():
        kind = "boolean" if option.is_flag else TYPES.get(option.type.name, "string")
        found[name] = {"type": kind, "description": option.help or ""}
        if choices := choices_of(name):
            found[name]["enum"] = choices
        if name == "measure":  # no enum: options may follow, as in dcf(cost_fn=10)
            found[name]["examples"] = list(list_measures())
        if isinstance(option.default, bool | int | float | str):
            found[name]["default"] = option.default
    return found


def _sent() -> dict[str, Any]:
    return {
        "files": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "maxItems": MOST_FILES,
            "description": "One file with all columns; or truth, A and B, joined by id; or A and B, where A's has the "
            "truth, too, or the measure is one of values.",
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
        "responses": {"200": answer, **begun, **_refusals("408", "410", "413", "422", "429")},
    }


def _compare() -> dict[str, Any]:
    answer = _answer("The result, as `clearwin compare --json` prints it.", "Result")
    return _post("Compare two classifiers on one test set.", answer, _properties())


def _columns() -> dict[str, Any]:
    answer = _answer("The columns, and a guess which is which.", "Columns")
    return _post("Look what columns the files have.", answer, {})


def _job(words: str, schema: str) -> dict[str, Any]:
    refusals = _refusals("404") if schema == "Job" else _refusals("404", "410", "413", "422")
    return {"summary": words, "parameters": [ID], "responses": {"200": _answer(words, schema), **refusals}}


def _cancel() -> dict[str, Any]:
    words = "Cancel a job, or forget one that is over."
    return {"summary": words, "parameters": [ID], "responses": {"200": _answer(words, "Job"), **_refusals("404")}}
