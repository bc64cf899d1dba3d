"""clearwin compare and clearwin estimate: what Python says, for one file, three, or counts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sklearn import metrics

import clearwin as cw
from tests.cli.calling import COUNTS, NAMES, PREDS, PREDS01, TRUTH, A, B, line, ran, refused, run, spaced, strict_json


def test_compare_one_file(folder: Path) -> None:
    command = (
        "clearwin compare preds.csv --truth y --a svm --b rbf --measure f1 --positive spam --test auto "
        "--claim different --seed 7"
    )
    out = spaced(ran(*line(command)))
    # scikit-learn's f1_score
    assert f"F1 of svm {metrics.f1_score(TRUTH, A):.3f}" in out
    assert f"F1 of rbf {metrics.f1_score(TRUTH, B):.3f}" in out
    assert out.startswith("rbf is better than svm in F1 (p = ")
    assert "seed 7" in out
    assert "positive class spam repeat" in out


def test_compare_three_files_joined_by_id(folder: Path) -> None:
    out = spaced(ran(*line("clearwin compare gold.csv a.csv b.csv --id doc")))
    assert f"F1 of a {metrics.f1_score(TRUTH, A):.3f}" in out
    assert f"F1 of b {metrics.f1_score(TRUTH, B):.3f}" in out
    assert "positive class 1 (inferred)" in out


def test_compare_counts(folder: Path) -> None:
    out = spaced(ran(*line("clearwin compare counts.json")))
    # 2 tp / (2 tp + fn + fp) with tp = e1 + e3, fn = e2 + e4, fp = e5 + e7 for A
    assert f"F1 of A {2 * 43 / (2 * 43 + 17 + 9):.3f}" in out
    assert f"F1 of B {2 * 49 / (2 * 49 + 11 + 7):.3f}" in out


def test_estimate(folder: Path) -> None:
    command = 'clearwin estimate {} --truth y --a svm --measure "dcf(cost_fn=10, cost_fp=1, prior=0.01)"'
    # keller2004 (7) from scikit-learn's rates
    fnr = 1 - metrics.recall_score(TRUTH, A)
    fpr = 1 - metrics.recall_score(TRUTH, A, pos_label=0)
    cost = 10 * 0.01 * fnr + 1 * 0.99 * fpr
    out = spaced(ran(*line(command.format("preds01.csv"))))
    assert f"DCF (cost_fn 10, cost_fp 1, prior 0.01) of svm {cost:.3f} (lower is better)" in out
    # with spam and ham the positive class must be said
    assert "--positive spam" in refused(*line(command.format("preds.csv")))
    assert f"{cost:.3f}" in ran(*line(command.format("preds.csv")), "--positive", "spam")


@pytest.mark.parametrize(
    "options",
    [
        {"measure": "accuracy"},
        {"measure": "f1", "claim": "better"},
        {"measure": "dcf(cost_fn=10, cost_fp=1, prior=0.01)", "claim": "worse"},
        {"measure": "accuracy", "test": "mcnemar", "method": "corrected", "interval": "newcombe"},
        {"measure": "mcc", "test": "bootstrap", "interval": "bca", "confidence_level": 0.9, "n_resamples": 500},
        {"measure": "balanced_accuracy", "test": "permutation", "method": "monte_carlo"},
    ],
    ids=str,
)
def test_the_command_says_what_python_says(folder: Path, options: dict[str, Any]) -> None:
    spelled = [x for name, value in options.items() for x in (f"--{name.replace('_', '-')}", value)]
    found = strict_json(ran("compare", *PREDS, "--positive", "spam", "--seed", 3, "--json", *spelled))
    words = ([NAMES[x] for x in labels] for labels in (TRUTH, A, B))
    expected = cw.compare(*words, positive="spam", rng=3, names=("svm", "rbf"), **options)
    assert found == json.loads(expected.to_json())


def test_counts_give_what_python_gives(folder: Path) -> None:
    found = strict_json(ran("compare", "counts.json", "--measure", "mcc", "--seed", 3, "--json"))
    expected = cw.compare(cw.JointCounts(**COUNTS), measure="mcc", rng=3)
    assert found == json.loads(expected.to_json())


def test_the_same_seed_gives_the_same_bytes(folder: Path) -> None:
    sampled = ("--test", "permutation", "--method", "monte_carlo", "--json")
    for arguments in (("--json",), (), ("--test", "bootstrap"), sampled):
        first, second = (ran("compare", *PREDS01, "--seed", 5, *arguments) for _ in range(2))
        assert first == second
    assert ran("compare", *PREDS01, "--seed", 6) != ran("compare", *PREDS01, "--seed", 5)
    assert ran("demo") == ran("demo")


def test_without_a_seed_the_output_says_how_to_repeat_it(folder: Path) -> None:
    out = ran("compare", *PREDS01, "--test", "bootstrap")
    [seed] = re.findall(r"seed (\d+),", out)
    assert ran("compare", *PREDS01, "--test", "bootstrap", "--seed", seed) == out
    assert ran("compare", *PREDS01, "--test", "bootstrap") != out


def test_the_signature_repeats_the_result(folder: Path) -> None:
    measure = "dcf(cost_fn=1234567.891, cost_fp=1, prior=0.0123456789)"
    first = strict_json(ran("compare", *PREDS01, "--measure", measure, "--json"))
    kept = first["signature"]
    options = [
        x for name in ("measure", "test", "method", "interval", "claim", "seed") for x in (f"--{name}", kept[name])
    ]
    again = strict_json(ran("compare", *PREDS01, *options, "--n-resamples", kept["n_resamples"], "--json"))
    assert again["estimate_a"] == first["estimate_a"]
    assert (again["p_value"], again["interval"]) == (first["p_value"], first["interval"])


def test_one_level_decides_interval_and_verdict(folder: Path) -> None:
    usual, strict = ("compare", *PREDS01, "--seed", 1), ("compare", *PREDS01, "--seed", 1, "--confidence-level")
    assert "rbf is better than svm" in ran(*usual)
    told = ran(*strict, "0.999999999")
    assert "rbf is not shown to be different from svm" in told
    assert "judged at 1e-09" in told
    found = [strict_json(ran(*how, "--json")) for how in (usual, (*strict, "0.999999999"))]
    assert [one["decision"] for one in found] == ["better", "not shown"]
    assert found[1]["interval"]["low"] < 0 < found[0]["interval"]["low"]


@pytest.mark.parametrize(
    "measure", ["f_beta(beta=1e200)", "dcf(cost_fn=1e308, cost_fp=1e308)", "dcf(cost_fn=1e200)", "f1(zero_division=7)"]
)
def test_options_of_a_measure_that_break_its_arithmetic(folder: Path, measure: str) -> None:
    # an answer or a clear refusal, but no traceback, no warning, and no value outside the measure's range
    result = run("compare", *PREDS01, "--measure", measure, "--seed", 1, "--json")
    assert result.exit_code in (0, 2)
    if result.exit_code == 0:
        found = strict_json(result.stdout)
        low, high = cw.list_measures()[measure.split("(")[0]].bounds if "1e" not in measure else (0, float("inf"))
        assert low <= found["estimate_a"] <= high
        assert 0 < found["p_value"] <= 1


@pytest.mark.parametrize("level", ["0.999999999999999", "1e-300", "0.5"])
@pytest.mark.parametrize("measure", ["accuracy", "f1", "dcf"])
def test_extreme_levels(folder: Path, level: str, measure: str) -> None:
    found = strict_json(
        ran("compare", *PREDS01, "--measure", measure, "--confidence-level", level, "--seed", 1, "--json")
    )
    assert -1 <= found["interval"]["low"] <= found["interval"]["high"] <= 1


def test_zero_division_outside_the_range_of_the_measure(folder: Path) -> None:
    Path("x.csv").write_text("y,svm,rbf\n1,0,0\n0,0,1\n1,0,1\n")
    result = run("compare", "x.csv", *PREDS01[1:], "--measure", "precision(zero_division=7)", "--seed", 1, "--json")
    assert result.exit_code == 2 or strict_json(result.stdout)["estimate_a"] <= 1
