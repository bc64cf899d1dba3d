"""HELM: book-keeping is not quality, records of an instance belong together, perturbations repeat it."""

from __future__ import annotations

import pytest

import clearwin as cw
from clearwin.errors import DataError, UnknownNameError
from tests.data.logs.made import helm_record, helm_run

BOOK = {"num_prompt_tokens": 80.0, "inference_runtime": 0.8, "finish_reason_stop": 1.0, "max_prob": 1.0}


def records(right):
    return [helm_record(f"id{i}", {**BOOK, "exact_match": float(x)}) for i, x in enumerate(right)]


def test_the_only_metric_is_not_book_keeping(tmp_path):
    old = helm_run(tmp_path, "old", records([0, 1, 0, 1, 0, 0, 0, 1]))
    new = helm_run(tmp_path, "new", records([1, 1, 1, 1, 0, 1, 1, 1]))
    r = cw.compare(data=cw.logs.read(old, new), test="mcnemar", method="exact")
    assert (r.name_a, r.name_b, r.measure_label) == ("org/old", "org/new", "exact_match")
    assert (r.estimate_a, r.estimate_b, r.p_value) == (3 / 8, 7 / 8, pytest.approx(2 * 0.5**4))


def test_a_folder_of_runs_is_ranked(tmp_path):
    for name, right in (("a", [0, 1, 0, 1]), ("b", [1, 1, 1, 1]), ("c", [1, 0, 1, 1])):
        helm_run(tmp_path, name, records(right))
    board = cw.rank(data=cw.logs.read(tmp_path), n_resamples=99, rng=1)
    assert board.names == ("org/b", "org/c", "org/a")
    assert board.origin == "HELM per-instance statistics, metric exact_match"


def test_success_of_a_request_is_not_a_metric(tmp_path):
    run = helm_run(tmp_path, "old", [record | {"result": {"success": True}} for record in records([0, 1])])
    with pytest.raises(UnknownNameError, match="success"):
        cw.estimate(data=cw.logs.read(run, metric="success"))


def test_records_of_one_instance_are_put_together(tmp_path):
    judged = [helm_record(f"id{i}", {"safety_score": 0.5}) for i in range(4)]
    run = helm_run(tmp_path, "old", records([0, 1, 0, 1]) + judged)
    runs = cw.logs.read(run, metric="safety_score")
    assert runs.n == 4
    assert cw.estimate(data=runs, n_resamples=99, rng=1).estimate == 0.5


def test_perturbations_and_trials_repeat_an_instance(tmp_path):
    perturbed = [record | {"perturbation": {"name": "typos"}} for record in records([1, 1, 0, 0])]
    trial = [record | {"train_trial_index": 1} for record in records([1, 1, 0, 0])]
    runs = [
        helm_run(tmp_path, name, records([1, 0, 1, int(name == "new")]) + perturbed + trial) for name in ("old", "new")
    ]
    r = cw.compare(data=cw.logs.read(*runs), n_resamples=99, rng=1)
    assert (r.n, r.sampling.n_units) == (12, 4)


def test_splits_must_agree(tmp_path):
    old = helm_run(tmp_path, "old", records([0, 1]))
    new = helm_run(tmp_path, "new", [helm_record(f"id{i}", {"exact_match": 1.0}, split="valid") for i in range(2)])
    with pytest.raises(DataError, match="The splits of 2 items differ"):
        cw.logs.read(old, new)


def test_what_was_not_computed_is_not_0(tmp_path):
    found = records([0, 1, 1])
    found[0]["stats"][-1] |= {"count": 0, "sum": 0}
    run = helm_run(tmp_path, "old", found)
    with pytest.raises(DataError, match="exact_match is not a finite number for 1 of 3 items: id0"):
        cw.estimate(data=cw.logs.read(run))


def test_without_a_specification_the_folder_tells_the_model(tmp_path):
    run = helm_run(tmp_path, "old", records([0, 1]))
    (run / "run_spec.json").unlink()
    assert cw.logs.read(run).names == ("old",)
