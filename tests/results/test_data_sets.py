"""The record of models on many data sets: the test of all of them is its p-value, and JSON has every pair."""

import json

import pytest


def test_its_p_value_is_that_of_all_models_together(results):
    found = results["data_sets"]
    assert found.p_value == found.permutation.p_value
    assert sum(found.mean_ranks) == pytest.approx(len(found.names) * (len(found.names) + 1) / 2)


def test_json_has_every_pair_with_its_wins_and_its_posterior(results):
    found = results["data_sets"]
    told = json.loads(found.to_json())["pairs"]
    assert [(one["name_a"], one["name_b"]) for one in told] == [(pair.name_a, pair.name_b) for pair in found.pairs]
    for one in told:
        assert one["a_better"] + one["b_better"] + one["equal"] == found.n
        assert sum(one["posterior"].values()) == pytest.approx(1.0)
