"""Evaluation logs on the command."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.calling import run
from tests.data.logs.made import lm_eval_line, lm_eval_run

N = 30


@pytest.fixture
def two(tmp_path):
    paths = []
    for name, wrong in (("old", 3), ("new", 10)):
        lines = [lm_eval_line(i, {"acc": float(i % wrong > 0), "f1": [i % 2, int(i % wrong > 0)]}) for i in range(N)]
        paths.append(lm_eval_run(tmp_path / name, lines))
    return paths


def test_compare_says_the_format_and_the_metric(two):
    result = run("compare", *two, "--metric", "acc", "--test", "mcnemar")
    assert result.exit_code == 0
    assert "new is better than old in accuracy" in result.output
    assert "lm-evaluation-harness samples, metric acc" in result.output


def test_options_are_those_of_tables(two, tmp_path):
    result = run(
        *("compare", *two, "--metric", "f1", "--names", "A1,B1", "--seed", "1", "--n-resamples", "99", "--json"),
        *("--disagreements", tmp_path / "d.csv"),
    )
    found = json.loads(result.output)
    assert (found["name_a"], found["name_b"], found["measure"], found["signature"]["seed"]) == ("A1", "B1", "f1", "1")
    rows = list(csv.DictReader((tmp_path / "d.csv").read_text().splitlines()))
    assert [row["item"] for row in rows[:2]] == ["3", "6"]


def test_a_margin_of_no_claim_is_what_the_interval_is_read_against(two):
    result = run("compare", *two, "--metric", "acc", "--margin", "0.05", "--json")
    assert json.loads(result.output)["margin"]["margin"] == 0.05
    claimed = run("compare", *two, "--metric", "acc", "--margin", "0.05", "--claim", "not_worse", "--json")
    assert json.loads(claimed.output)["claim"] == "not_worse"


def test_refusals_say_what_to_type(two):
    result = run("compare", *two)
    assert result.exit_code == 2
    assert "next: --metric acc" in result.stderr
    result = run("compare", *two, "--metric", "acc", "--per-class")
    assert "--per-class is for tables, and these are logs" in result.stderr


def test_rank_and_estimate(two):
    result = run("rank", two[0].parent, "--metric", "acc", "--n-resamples", "999", "--seed", "1")
    assert "new is better than old" in result.output
    result = run("estimate", two[0], "--metric", "acc")
    assert "Accuracy of old: 0.667" in result.output


def test_two_of_many_are_named_and_the_others_need_not_fit(two, tmp_path):
    lm_eval_run(tmp_path / "other", [lm_eval_line(i, {"bleu": 1.0}) for i in range(3)])
    result = run("compare", tmp_path, "--a", "new", "--b", "old", "--metric", "acc", "--test", "mcnemar")
    assert "old is worse than new in accuracy" in result.output
    assert "There is no system named 'nwe'" in run("compare", tmp_path, "--a", "nwe", "--b", "old").stderr


def test_inspect_says_what_is_there_and_what_would_be_paired(two, tmp_path):
    result = run("inspect", *two)
    assert result.output.splitlines()[-1] == "Paired: old against new on 30 items"
    assert "  metrics  acc, f1" in result.output
    short = lm_eval_run(tmp_path / "short", [lm_eval_line(i, {"acc": 1.0}) for i in range(N - 1)])
    assert "Next: --partial to compare on the 29 that all have" in run("inspect", two[0], short).output


def test_options_of_logs_are_refused_with_tables(tmp_path):
    table = tmp_path / "preds.csv"
    table.write_text("y,a,b\n" + "1,0,1\n0,0,1\n" * 5)
    for command, words in (
        ("compare", ["--truth", "y", "--a", "a", "--b", "b"]),
        ("estimate", ["--truth", "y", "--a", "a"]),
        ("rank", ["--truth", "y", "--models", "a,b"]),
    ):
        result = run(command, table, *words, "--metric", "acc")
        assert result.exit_code == 2
        assert "--metric is for evaluation logs" in result.stderr


def test_inspect_prints_json(two, tmp_path):
    found = json.loads(run("inspect", *two, "--json").output)
    assert found["format"] == "lm-evaluation-harness samples"
    assert [(s["name"], s["runs"][0]["items"], s["runs"][0]["metrics"]) for s in found["systems"]] == [
        ("old", N, ["acc", "f1"]),
        ("new", N, ["acc", "f1"]),
    ]
    assert (found["paired"]["items"], found["error"]) == (N, None)
    other = lm_eval_run(tmp_path / "cut", [lm_eval_line(i, {"acc": 1.0}) for i in range(N - 5)])
    found = json.loads(run("inspect", two[0], other, "--json").output)
    assert found["paired"] is None
    assert "--partial" in found["error"]["next"]


def test_estimate_takes_a_trec_run_with_its_judgements(tmp_path):
    """Reciprocal ranks of two topics by hand: 1/2 and 1."""
    (tmp_path / "run.txt").write_text("1 Q0 d1 1 3 x\n1 Q0 d2 2 2 x\n2 Q0 d1 1 3 x\n")
    (tmp_path / "qrels.txt").write_text("1 0 d2 1\n2 0 d1 1\n")
    words = ("estimate", tmp_path / "run.txt", tmp_path / "qrels.txt", "--metric", "rr", "--json", "--seed", "1")
    assert json.loads(run(*words).output)["estimate"] == 0.75
    alone = run("estimate", tmp_path / "run.txt", "--metric", "rr")
    assert "0 files of judgements" in alone.stderr
    (tmp_path / "a.csv").write_text("y,m\n1,1\n0,0\n")
    two = run("estimate", tmp_path / "a.csv", tmp_path / "a.csv", "--truth", "y", "--a", "m")
    assert "2 files were given" in two.stderr
