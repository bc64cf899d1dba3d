"""The record of a plan: two were given, the third was found, and the curve is around it."""

import json

import clearwin as cw


def test_the_curve_rises_and_has_what_was_asked_for():
    found = cw.plan(measure="accuracy", difference=0.05, disagreement=0.2)
    powers = [one.power for one in found.curve]
    assert powers == sorted(powers)
    assert found.items in [one.items for one in found.curve]
    assert repr(found) == "Plan(626 items, a difference of 0.05 in accuracy, power 0.8, claim 'different')"


def test_json_and_csv_carry_it():
    found = cw.plan(measure="accuracy", items=500, difference=0.05, disagreement=0.2)
    read = json.loads(found.to_json())
    assert (read["asked"], read["items"], read["assumed"]) == ("power", 500, {"disagreement": 0.2})
    assert found.to_csv().splitlines()[0] == '"items","power","error"'
