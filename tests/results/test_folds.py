"""The record of learners over folds: its numbers are those of the folds, and JSON says null where there is none."""

import dataclasses
import json

import numpy as np
import pytest


def test_the_difference_is_the_mean_over_the_folds(results):
    found = results["folds"]
    assert found.n == len(found.differences)
    assert found.difference == pytest.approx(np.mean(found.differences), rel=1e-12)
    assert found.difference == pytest.approx(found.estimate_b - found.estimate_a, rel=1e-12)


def test_a_record_cannot_be_changed(results):
    with pytest.raises(dataclasses.FrozenInstanceError):
        results["folds"].p_value = 0.5


def test_json_says_null_for_what_the_test_does_not_have(results):
    found = results["folds"]
    told = json.loads(found.to_json())
    assert told["posterior"] is found.posterior is None
    assert told["differences"] == list(found.differences)
