"""promptfoo: systems in one file, tests known by their variables, errors apart from failures."""

from __future__ import annotations

import pytest

import clearwin as cw
from clearwin.errors import DataError, FileError
from tests.data.logs.made import promptfoo_answer, promptfoo_output

RIGHT = {0: [1, 0, 0, 0, 0, 0, 1], 1: [1, 1, 1, 1, 1, 1, 1]}


def answers(prompt, order=range(7), **other):
    return [promptfoo_answer(n, prompt, bool(RIGHT[prompt][i]), {"topic": i}, **other) for n, i in enumerate(order)]


def test_two_prompts_in_one_file_are_two_systems(tmp_path):
    log = promptfoo_output(tmp_path / "output.json", answers(0) + answers(1))
    r = cw.compare(data=cw.logs.read(log), test="mcnemar", method="exact")
    assert (r.name_a, r.name_b) == ("openai:gpt prompt 1", "openai:gpt prompt 2")
    assert (r.n, r.p_value) == (7, 2 * 0.5**5)


def test_providers_are_systems(tmp_path):
    other = answers(0, provider={"id": "x", "label": "mine"})
    log = promptfoo_output(tmp_path / "output.json", answers(0) + other)
    assert cw.logs.read(log).names == ("openai:gpt", "mine")


def test_tests_of_two_files_are_paired_by_their_variables(tmp_path):
    old = promptfoo_output(tmp_path / "old.json", answers(0))
    new = promptfoo_output(tmp_path / "new.json", [a | {"promptIdx": 0} for a in answers(1, range(6, -1, -1))])
    runs = cw.logs.read(old, new)
    assert runs.names == ("old.json", "new.json")
    assert runs.columns["item"][0] == '{"topic": 0}'
    assert cw.compare(data=runs, test="mcnemar", method="exact").p_value == 2 * 0.5**5


def test_the_same_variables_once_more_are_a_repeat(tmp_path):
    once_more = [promptfoo_answer(i, 0, i % 2 == 0, {"topic": i % 5}) for i in range(15)]
    log = promptfoo_output(tmp_path / "output.json", once_more)
    assert cw.estimate(data=cw.logs.read(log), n_resamples=99, rng=1).sampling.n_units == 5


def test_an_error_is_not_a_failure(tmp_path):
    both = answers(0) + answers(1)
    both[2] |= {"failureReason": 2, "success": False}
    log = promptfoo_output(tmp_path / "output.json", both)
    with pytest.raises(DataError, match="ended with an error"):
        cw.logs.read(log)
    assert cw.logs.read(log, partial=True).n == 6


def test_version_2_is_refused(tmp_path):
    with pytest.raises(FileError, match="version 2 of promptfoo's results"):
        cw.logs.read(promptfoo_output(tmp_path / "output.json", [], version=2))


def test_named_scores_are_metrics(tmp_path):
    found = [a | {"namedScores": {"tone": 0.5}} for a in answers(0)]
    log = promptfoo_output(tmp_path / "output.json", found)
    runs = cw.logs.read(log, metric="tone")
    assert cw.estimate(data=runs, measure="mean", n_resamples=9, rng=1).estimate == 0.5


def test_a_file_without_answers_is_refused_alone_and_beside_others(tmp_path):
    some = promptfoo_output(tmp_path / "some.json", answers(0))
    none = promptfoo_output(tmp_path / "none.json", [])
    for paths in ((none,), (some, none), (tmp_path,)):
        with pytest.raises(FileError, match=r"no answers in .*none.json"):
            cw.logs.read(*paths)
