"""The description of the endpoint fits its routes and its answers."""

from __future__ import annotations

import json
import re

from starlette.routing import Route

import clearwin as cw
from clearwin.web.app import make_app
from clearwin.web.openapi import description
from clearwin.web.settings import SETTINGS
from tests.web.asking import EIGHTS, asking, form


def test_the_description_matches_the_routes():
    told = description()
    assert told["openapi"].startswith("3.1")
    routes = {r.path: r.methods - {"HEAD"} for r in make_app().routes if isinstance(r, Route) and "/api/" in r.path}
    assert {path: {method.upper() for method in methods} for path, methods in told["paths"].items()} == routes
    for path, methods in told["paths"].items():
        for method in methods.values():
            assert method["summary"]
            assert method["responses"]
            named = {p["name"] for p in method.get("parameters", []) if p["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))
    for name in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(told)):
        assert name in told["components"]["schemas"]
    body = told["paths"]["/api/compare"]["post"]["requestBody"]["content"]
    for kind, own in (("multipart/form-data", {"files", "example"}), ("application/json", {"columns"})):
        properties = body[kind]["schema"]["properties"]
        assert set(properties) == own | set(SETTINGS)
        for one in properties.values():
            named = one["type"] if isinstance(one["type"], list) else [one["type"]]
            assert set(named) <= {"string", "number", "integer", "boolean", "array", "object"}
            assert ("array" in named) == ("items" in one)
        assert properties["groups"]["type"] == ["string", "array"]
        assert properties["margin"]["type"] == ["number", "string"]
        assert properties["seed"]["type"] == ["integer", "string"]
        assert properties["n_resamples"] == {"type": "integer", "description": "Replicates to draw.", "default": 10_000}


def fits(value, schema, told):
    """Whether a value is what a schema of ours says."""
    if "$ref" in schema:
        return fits(value, told["components"]["schemas"][schema["$ref"].rpartition("/")[2]], told)
    if several := schema.get("anyOf") or schema.get("oneOf"):
        found = sum(fits(value, one, told) for one in several)
        return found == 1 if "oneOf" in schema else found > 0
    if "enum" in schema:
        return value in schema["enum"]
    kinds = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
        "array": list,
        "object": dict,
    }
    named = schema.get("type", list(kinds))
    if not any(isinstance(value, kinds[kind]) for kind in ([named] if isinstance(named, str) else named)):
        return False
    if isinstance(value, list):
        return all(fits(one, schema["items"], told) for one in value)
    if not isinstance(value, dict):
        return True
    own, more = schema.get("properties", {}), schema.get("additionalProperties")
    if not set(schema.get("required", ())) <= set(value) or (more is None and not set(value) <= set(own)):
        return False
    return all(fits(one, own.get(name, more), told) for name, one in value.items())


def test_the_description_fits_what_is_answered(compared):
    told = description()

    async def work(client, _):
        eights = {**EIGHTS, "example": "eights"}
        digits = {"truth": "truth", "a": "linear", "b": "gaussian", "seed": "1"}
        digits |= {"example": "digits", "measure": "f1"}
        sent = [eights, eights | {"measure": "accuracy"}, digits | {"per_class": "true"}, {"example": "scores"}]
        paths = ["/api/compare"] * 3 + ["/api/columns"]
        return [await client.post(path, files=form(one)) for path, one in zip(paths, sent, strict=True)]

    *results, columns = asking(work, in_process=True)
    for answer in (*results, compared["result"]):
        assert answer.status_code == 200, answer.text
        assert fits(answer.json(), {"$ref": "#/components/schemas/Result"}, told)
    assert fits(columns.json(), {"$ref": "#/components/schemas/Columns"}, told)
    assert fits(compared["thresholds"].json(), {"$ref": "#/components/schemas/Thresholds"}, told)
    assert fits(compared["done"], {"$ref": "#/components/schemas/Job"}, told)
    assert fits(compared["no picture"].json(), {"$ref": "#/components/schemas/Error"}, told)
    assert not fits(results[0].json() | {"news": 1}, {"$ref": "#/components/schemas/Result"}, told)
    body = told["paths"]["/api/compare"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert body["properties"]["claim"]["enum"] == ["different", "better", "worse", "not_worse", "equivalent"]
    assert body["properties"]["test"]["enum"] == ["auto", *cw.list_tests()]
    assert body["properties"]["correction"]["enum"] == ["holm", "benjamini-hochberg"]
    assert "f1" in body["properties"]["measure"]["examples"]
    looked = told["paths"]["/api/columns"]["post"]["requestBody"]["content"]
    assert set(looked["multipart/form-data"]["schema"]["properties"]) == {"files", "example"}
    assert set(looked["application/json"]["schema"]["properties"]) == {"columns"}
