"""The record of curves as JSON."""

from __future__ import annotations

import json
import math

import pytest

import clearwin as cw
from tests.two_scores import TRUTH, A, B


def test_json_carries_everything_and_no_infinity():
    r = cw.curve(TRUTH, A, B, kind="det", bands=True, n_resamples=99, rng=1)
    found = json.loads(r.to_json(), parse_constant=pytest.fail)
    assert [model["name"] for model in found["models"]] == ["A", "B"]
    assert found["models"][0]["auc"] == r.models[0].auc
    assert found["dominance"]["crossings"] == list(r.dominance.crossings)
    assert "curve" not in found["models"][0]
    assert set(map(float, found["models"][0]["bands"]["low"])) == set(r.models[0].bands.low)
    whole = json.loads(cw.curve(TRUTH, A).to_json(points=True), parse_constant=pytest.fail)["models"][0]["curve"]
    assert whole["thresholds"][0] == "inf"
    assert float(whole["thresholds"][0]) == math.inf
    assert len(whole["x"]) == len(whole["y"]) == len(whole["thresholds"]) == 301
