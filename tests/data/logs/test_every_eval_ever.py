"""every_eval_ever: one line a sample, as its schema (instance_level_eval 0.2.1) has it."""

from __future__ import annotations

import pytest

import clearwin as cw
from clearwin.errors import DataError, OptionError
from tests.data.logs.made import write_lines


def line(model, item, right, *, score=None, **other):
    return {
        "schema_version": "0.2.1",
        "evaluation_id": "x",
        "model_id": model,
        "evaluation_name": "gsm8k",
        "sample_id": item,
        "sample_hash": f"h{item}",
        "interaction_type": "single_turn",
        "input": {"raw": "?", "reference": ["4"]},
        "output": {"raw": ["4"]},
        "answer_attribution": [],
        "evaluation": {"score": float(right) if score is None else score, "is_correct": bool(right)},
        **other,
    }


def samples(path, model, rights, **other):
    return write_lines(path, [line(model, f"g{i}", right, **other) for i, right in enumerate(rights)])


def test_two_models_in_two_files(tmp_path):
    old = samples(tmp_path / "1_samples.jsonl", "old", [0, 1, 0, 0, 0, 0, 0, 1])
    new = samples(tmp_path / "2_samples.jsonl", "new", [1, 1, 1, 1, 1, 1, 0, 1])
    r = cw.compare(data=cw.logs.read(old, new), test="mcnemar", method="exact")
    assert (r.name_a, r.estimate_a, r.estimate_b, r.p_value) == ("old", 2 / 8, 7 / 8, 2 * 0.5**5)
    assert r.origin == "every_eval_ever samples, metric is_correct"


def test_two_models_in_one_file(tmp_path):
    both = [line(model, str(i), (i + len(model)) % 2) for model in ("a", "bb") for i in range(6)]
    assert cw.logs.read(write_lines(tmp_path / "x.jsonl", both)).names == ("a", "bb")


def test_a_score_of_its_own_has_to_be_chosen(tmp_path):
    log = samples(tmp_path / "x.jsonl", "old", [0, 1, 1], score=0.25)
    with pytest.raises(OptionError, match="2 metrics: is_correct, score"):
        cw.estimate(data=cw.logs.read(log))
    assert cw.estimate(data=cw.logs.read(log, metric="score"), n_resamples=9, rng=1).estimate == 0.25


def test_other_questions_under_the_same_id_are_refused(tmp_path):
    old = samples(tmp_path / "1.jsonl", "old", [0, 1])
    new = samples(tmp_path / "2.jsonl", "new", [0, 1], sample_hash="other")
    with pytest.raises(DataError, match="The questions or references of 2 items differ"):
        cw.logs.read(old, new)


def test_an_error_is_not_a_wrong_answer_and_a_sample_once_more_is_a_repeat(tmp_path):
    old = write_lines(tmp_path / "1.jsonl", [line("old", "1", 1), line("old", "2", 0, error="timeout")])
    with pytest.raises(DataError, match="2 ended with an error"):
        cw.logs.read(old)
    twice = write_lines(tmp_path / "2.jsonl", [line("old", str(i // 2), i % 2) for i in range(8)])
    assert cw.estimate(data=cw.logs.read(twice), n_resamples=99, rng=1).sampling.n_units == 4
