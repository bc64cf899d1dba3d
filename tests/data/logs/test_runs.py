"""Runs as data of the verbs, and what is said of them."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

import clearwin as cw
from clearwin.data.logs import takes_logs
from clearwin.errors import OptionError, UnknownNameError
from tests.data.logs.made import inspect_json, inspect_sample, lm_eval_line, lm_eval_run

RNG = np.random.default_rng(5)
RIGHT = {name: (RNG.random(80) < rate) * 1 for name, rate in (("a", 0.4), ("b", 0.6), ("c", 0.9))}


@pytest.fixture
def runs(tmp_path):
    for name, right in RIGHT.items():
        lm_eval_run(tmp_path / name, [lm_eval_line(i, {"acc": float(x)}) for i, x in enumerate(right)])
    return cw.logs.read(*(tmp_path / name for name in RIGHT))


def test_two_of_many_are_named(runs):
    r = cw.compare(data=runs, a="c", b="a", test="mcnemar")
    direct = cw.compare(np.ones(80, int), RIGHT["c"], RIGHT["a"], measure="accuracy", test="mcnemar")
    assert (r.name_a, r.name_b, r.p_value) == ("c", "a", direct.p_value)
    with pytest.raises(OptionError, match="There are 3 systems in these logs: a, b, c"):
        cw.compare(data=runs)
    with pytest.raises(UnknownNameError, match="system for b"):
        cw.compare(data=runs, a="a", b="x")
    with pytest.raises(UnknownNameError, match="column of these logs"):
        cw.compare(data=runs, a="a", b="b", groups="nothing")


def test_all_are_ranked_as_arrays_are(runs):
    board = cw.rank(data=runs, n_resamples=99, rng=1)
    direct = cw.rank(np.ones(80, int), RIGHT, measure="accuracy", n_resamples=99, rng=1)
    assert [pair.p_value for pair in board.pairs] == [pair.p_value for pair in direct.pairs]


def test_a_ranking_takes_the_first_of_groups_that_cross(runs):
    topics, authors = [str(i // 8) for i in range(80)], [str(i % 8) for i in range(80)]
    crossed = replace(runs, columns={**runs.columns, "topic": topics, "author": authors})
    board = cw.rank(data=crossed, groups=["topic", "author"], n_resamples=99, rng=1)
    direct = cw.rank(np.ones(80, int), RIGHT, measure="accuracy", groups=topics, n_resamples=99, rng=1)
    assert [pair.p_value for pair in board.pairs] == [pair.p_value for pair in direct.pairs]
    assert board.caveats[0].text == "Groups by topic and author cross; the ranking takes those by topic only."


def test_what_runs_are_is_told_in_a_line(runs):
    assert str(runs) == "lm-evaluation-harness samples: a against b against c on 80 items"
    assert str(replace(runs, grouped_by=("topic", "author"))) == f"{runs}, in groups by topic and author"


def test_one_is_estimated(runs):
    assert cw.estimate(data=runs, a="b").estimate == RIGHT["b"].mean()
    with pytest.raises(UnknownNameError):
        cw.estimate(data=runs)


def test_repeats_of_an_item_share_in_the_variance(tmp_path):
    """Of three items one is answered right every other time: w = 1/6, m − w/2 = 1/4 − 1/12, so w has one half."""
    answers = {"1": "CI", "2": "CC", "3": "II"}
    samples = [inspect_sample(item, one, epoch=k) for item, own in answers.items() for k, one in enumerate(own, 1)]
    r = cw.estimate(data=cw.logs.read(inspect_json(tmp_path / "old.json", samples)), n_resamples=9, rng=1)
    assert r.origin.endswith("; 50 % of the variance lies between repeats of an item")


def test_studies_take_logs(runs):
    s = cw.study(data=runs, a="a", b="c", tests=["mcnemar"], test_size=20, n_sets=20, rng=1)
    assert (s.name_a, s.name_b) == ("a", "c")


def test_classes_take_logs(tmp_path):
    gold = RNG.integers(0, 3, 60)
    for name in "xy":
        answers = np.where(RNG.random(60) < 0.3, RNG.integers(0, 3, 60), gold)
        lines = [
            lm_eval_line(i, {"macro_f1": [int(g), int(p)]}) for i, (g, p) in enumerate(zip(gold, answers, strict=True))
        ]
        lm_eval_run(tmp_path / name, lines)
    runs = cw.logs.read(tmp_path)
    r = cw.compare_by_class(data=runs, measure="f1", n_resamples=99, rng=1)
    assert ([part.label for part in r.classes], r.name_a) == (["0", "1", "2"], "x")


def test_items_are_called_by_their_ids(runs):
    found = cw.compare(data=runs, a="a", b="c", test="mcnemar").disagreements()
    assert [one.item for one in found] == [str(i) for i in np.flatnonzero(RIGHT["a"] != RIGHT["c"])]


def test_verbs_keep_their_signature_and_arrays(runs):
    assert "test" in inspect.signature(cw.compare).parameters
    assert takes_logs(lambda *, data=None: data)(data=3) == 3
    with pytest.raises(OptionError, match="Both logs and arrays were given"):
        cw.compare([1, 0], [1, 0], [1, 1], data=runs)
