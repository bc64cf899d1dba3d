"""clearwin compare and clearwin estimate: what Python says, for one file, three, or counts."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import clearwin as cw
from tests.cli.calling import (
    COUNTS,
    NAMES,
    PREDS,
    PREDS01,
    TRUTH,
    A,
    B,
    line,
    ran,
    refused,
    run,
    spaced,
    strict_json,
    table,
)

COLUMNS = "--truth y --a svm --b rbf"


def test_compare_one_file(folder: Path) -> None:
    command = (
        "clearwin compare preds.csv --truth y --a svm --b rbf --measure f1 --positive spam --test auto "
        "--claim different --seed 7"
    )
    out = spaced(ran(*line(command)))
    # scikit-learn's f1_score
    assert f"F1 of svm {metrics.f1_score(TRUTH, A):.3f}" in out
    assert f"F1 of rbf {metrics.f1_score(TRUTH, B):.3f}" in out
    assert out.startswith("rbf is better than svm in F1 by ")
    assert "seed 7" in out
    assert "positive class spam reproduce" in out


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
    assert ran("compare", *PREDS01, "--test", "bootstrap") == out
    assert ran("compare", *PREDS01, "--test", "bootstrap", "--seed", "random") != out


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
    assert "No clear evidence that rbf differs from svm" in told
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


def test_two_files_of_which_one_has_the_truth(folder: Path) -> None:
    ids = list(range(len(TRUTH)))
    Path("with_a.csv").write_text(table({"doc": ids, "truth": TRUTH, "said": A}))
    Path("with_b.csv").write_text(table({"doc": ids[::-1], "truth": TRUTH[::-1], "said": B[::-1]}))
    Path("only_b.csv").write_text(table({"doc": ids, "said": B}))
    options = shlex.split("--id doc --truth truth --a said --b said --measure accuracy --test mcnemar --json")
    expected = cw.compare(TRUTH, A, B, measure="accuracy", test="mcnemar")
    for files in (("with_a.csv", "with_b.csv"), ("with_a.csv", "only_b.csv")):
        found = json.loads(run("compare", *files, *options).stdout)
        assert (found["estimate_a"], found["p_value"]) == (expected.estimate_a, expected.p_value)
        assert (found["name_a"], found["name_b"]) == tuple(Path(file).stem for file in files)
    turned = json.loads(run("compare", "only_b.csv", "with_a.csv", *options).stdout)  # the truth is B's
    assert (turned["estimate_b"], turned["p_value"]) == (expected.estimate_a, expected.p_value)
    named = json.loads(run("compare", "with_a.csv", "with_b.csv", *options, "--names", "old,new").stdout)
    assert (named["name_a"], named["name_b"]) == ("old", "new")


def test_all_columns_called_truth_are_compared(folder: Path) -> None:
    ids = list(range(len(TRUTH)))
    shifted = TRUTH[1:] + TRUTH[:1]
    differing = sum(x != y for x, y in zip(TRUTH, shifted, strict=True))
    Path("key.csv").write_text(table({"doc": ids, "y": TRUTH}))
    Path("p.csv").write_text(table({"doc": ids, "gold": TRUTH, "said": A}))
    Path("q.csv").write_text(table({"doc": ids, "Truth": shifted, "said": B}))
    for words in (
        "compare key.csv p.csv q.csv --truth y --a said --b said",
        "compare p.csv q.csv --truth gold --a said --b said",
        "compare p.csv q.csv --a said --b said --measure mean",  # no truth is asked for, and two are there
        "rank key.csv p.csv q.csv --truth y --models said",
        "curve key.csv p.csv q.csv --truth y --a said --b said",
    ):
        found = run(*words.split(), "--id", "doc")
        assert found.exit_code == 2, words
        assert f"differ on {differing} of {len(TRUTH)} items" in found.stderr, words
        assert found.stderr.count("' and '") == 3, words  # the first three
    assert run(*line("clearwin compare key.csv p.csv only.csv --id doc --truth y --a said --b said")).exit_code == 2
    words = {"doc": ids, "truth": ["spam" if y else "ham" for y in TRUTH], "said": B}  # of texts, too
    Path("q.csv").write_text(table(words | {"truth": ["spam" if y else "ham" for y in shifted]}))
    Path("r.csv").write_text(table(words))
    found = run(*line("clearwin compare r.csv q.csv --id doc --truth truth --a said --b said --positive spam"))
    assert f"differ on {differing} of {len(TRUTH)} items" in found.stderr
    Path("q.csv").write_text(table({"doc": ids, "Truth": [f"{y}.0" for y in TRUTH], "said": B}))  # 1.0 is 1
    assert (
        run(
            *line("clearwin compare key.csv p.csv q.csv --truth y --a said --b said --id doc --n-resamples 99")
        ).exit_code
        == 0
    )


def test_columns_that_were_not_named_are_guessed_and_said(folder: Path) -> None:
    frame = pd.read_csv("preds01.csv")
    frame.index = frame.index[::-1]
    frame.to_csv("index.csv")  # a column without a name
    frame.to_parquet("index.parquet")
    how = ["--seed", "1", "--n-resamples", "99", "--json"]
    outright = run("compare", "preds01.csv", *COLUMNS.split(), "--measure", "f1", "--positive", "1", *how)
    for file in ("preds01.csv", "index.csv", "index.parquet"):
        found = json.loads(run("compare", file, *how).stdout)
        question, *caveats = found["caveats"]
        assert (question["code"], question["changes"]) == ("guessed", "the decision")
        assert "y as the truth, svm as A, rbf as B, 1 as the positive class" in question["text"]
        [typed] = re.findall(r"To name them: (clearwin .*)", question["text"])
        assert json.loads(run(*line(typed), "--json").stdout) == found | {"caveats": caveats}
        assert found | {"caveats": caveats} == json.loads(outright.stdout)
        assert run("compare", file, *how[:-1]).stdout.startswith("Warning: Is this what you mean?")
    by_mcc = run("compare", "preds01.csv", "--measure", "mcc", *how)
    assert json.loads(by_mcc.stdout)["measure"] == "mcc"
    assert "--measure mcc" in by_mcc.stdout
    three = run("compare", "gold.csv", "a.csv", "b.csv", *how)
    assert "--truth label --a label --b label --id doc" in three.stdout
    assert json.loads(three.stdout)["estimate_a"] == json.loads(outright.stdout)["estimate_a"]
    Path("alone.csv").write_text("doc,y\n1,0\n2,1\n")
    assert "--truth COLUMN" in run("compare", "alone.csv").stderr


def test_an_index_column_is_no_obstacle_to_a_join(folder: Path) -> None:
    for name in ("gold", "a", "b"):
        pd.read_csv(f"{name}.csv").to_csv(f"{name}_i.csv")
        pd.read_csv(f"{name}.csv").iloc[::-1].to_parquet(f"{name}_i.parquet")
    how = shlex.split("--id doc --measure accuracy --test mcnemar --json")
    plain = json.loads(run("compare", "gold.csv", "a.csv", "b.csv", *how).stdout)
    for ending in ("csv", "parquet"):
        found = json.loads(run("compare", *(f"{name}_i.{ending}" for name in ("gold", "a", "b")), *how).stdout)
        assert found["p_value"] == plain["p_value"]


def test_the_command_turns_scores_and_drops_what_is_missing(folder: Path) -> None:
    scores = np.random.RandomState(1).normal(size=len(TRUTH)) + TRUTH
    Path("scores.csv").write_text(table({"y": TRUTH, "d": -scores, "net": scores + 0.1 * np.array(A)}))
    how = shlex.split("--truth y --a d --b net --measure eer --seed 1 --n-resamples 99")
    told = run("compare", "scores.csv", *how).stdout
    assert "--lower-is-positive d" in told
    assert told.startswith("Warning: Do higher scores mean the negative class?")
    turned = json.loads(run("compare", "scores.csv", *how, "--lower-is-positive", "d", "--json").stdout)
    expected = cw.compare(TRUTH, scores, scores + 0.1 * np.array(A), measure="eer", n_resamples=99, rng=1)
    assert (turned["estimate_a"], turned["lower_is_positive"]) == (expected.estimate_a, ["d"])
    assert json.loads(
        run(
            "rank", "scores.csv", "--truth", "y", "--models", "d,net", *how[6:], "--lower-is-positive", "d", "--json"
        ).stdout
    )["lower_is_positive"] == ["d"]
    estimated = run(*line("clearwin estimate scores.csv --truth y --a d --measure eer --lower-is-positive --json"))
    assert json.loads(estimated.stdout)["estimate"] == expected.estimate_a
    curves = json.loads(run(*line("clearwin curve scores.csv --truth y --a d --lower-is-positive --json")).stdout)
    assert curves["models"][0]["equal_error"]["eer"] == pytest.approx(expected.estimate_a)
    holes = {"y": ["", *TRUTH[1:]], "svm": [A[0], "", *A[2:]], "rbf": B}
    Path("holes.csv").write_text(table(holes))
    refused = run("compare", "holes.csv", *COLUMNS.split())
    assert "--missing drop" in refused.stderr
    dropped = run("compare", "holes.csv", *COLUMNS.split(), "--missing", "drop", "--n-resamples", "99")
    assert f"2 of {len(TRUTH)} items were left out because a value is missing: y on 1, svm on 1" in dropped.stdout
    board = run(*line("clearwin rank holes.csv --truth y --models svm,rbf --missing drop --n-resamples 99 --json"))
    assert json.loads(board.stdout)["n"] == len(TRUTH) - 2
    Path("nan.csv").write_text(table({"y": TRUTH, "d": ["nan", *scores[1:]], "net": scores}))
    found = run(
        *line("clearwin compare nan.csv --truth y --a d --b net --measure auc --missing drop --json --n-resamples 99")
    )
    assert json.loads(found.stdout)["n"] == len(TRUTH) - 1


def test_rounds_and_folds_long_tables_and_hyphens(folder: Path) -> None:
    stream = np.random.RandomState(2)
    rounds = {"a": stream.rand(20), "b": stream.rand(20)}
    Path("folds.csv").write_text(table(rounds))
    found = json.loads(run(*line("clearwin folds folds.csv --a a --b b --design 2x10 --json")).stdout)
    by_name = cw.compare_folds(rounds["a"], rounds["b"], design="repeated k-fold", repeats=2)
    assert found["p_value"] == pytest.approx(by_name.p_value, rel=1e-12)
    assert "2 × 10" in run(*line("clearwin folds folds.csv --a a --b b --design 2x10")).stdout
    wide = {name: stream.rand(8) for name in ("x", "y", "z")}
    rows = [(f"d{i}", name, wide[name][i]) for i in range(8) for name in wide]
    Path("long.csv").write_text("\n".join(["task,model,acc", *(f"{a},{b},{c}" for a, b, c in rows)]))
    board = json.loads(
        run(*line("clearwin datasets long.csv --long task,model,acc --seed 1 --n-resamples 200 --json")).stdout
    )
    expected = cw.rank_data_sets(wide, rng=1, n_resamples=200)
    assert board["mean_ranks"] == pytest.approx(list(expected.mean_ranks))
    by_hyphen = run(
        "compare", "preds01.csv", *COLUMNS.split(), "--test", "paired-proportion", "--measure", "error-rate", "--json"
    )
    assert json.loads(by_hyphen.stdout)["test"] == "paired_proportion"
    by_underscore = run(
        "compare",
        "preds01.csv",
        *COLUMNS.split(),
        "--test",
        "mcnemar",
        "--method",
        "mid_p",
        "--measure",
        "accuracy",
        "--json",
    )
    assert json.loads(by_underscore.stdout)["method"] == "mid-p"


# --- large data -----------------------------------------------------------------------------------------------------


@pytest.fixture
def scores(folder: Path) -> pd.DataFrame:
    """The same scores as CSV, as two Parquet files and as a file for each model."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 600)
    rows = pd.DataFrame(
        {"id": np.arange(600), "y": y, "svm": y + rng.normal(size=600), "rbf": y + rng.normal(size=600)}
    )
    rows.to_csv("scores.csv", index=False)
    Path("many").mkdir()
    rows[:200].to_parquet("many/1.parquet")
    rows[200:].to_parquet("many/2.parquet")
    rows[["id", "y", "svm"]].to_csv("of_svm.csv", index=False)
    rows[["id", "rbf"]].sample(frac=1, random_state=1).to_csv("of_rbf.csv", index=False)
    return rows


@pytest.mark.parametrize("files", ["scores.csv", "many", '"many/*.parquet"', "of_svm.csv of_rbf.csv --id id"])
def test_scores_are_counted_in_bins(scores: pd.DataFrame, files: str) -> None:
    out = ran(*line(f"clearwin compare {files} {COLUMNS} --measure auc --bins 300 --seed 1 --json"))
    found = strict_json(out)
    expected = cw.compare(data=scores, truth="y", a="svm", b="rbf", measure="auc", bins=300)
    assert (found["test"], found["n"]) == ("delong", 600)
    # ids are sorted as texts where files are joined, so that the first rows are others
    assert found["p_value"] == pytest.approx(expected.p_value, rel=0.05)
    assert found["estimate_a"] == pytest.approx(metrics.roc_auc_score(scores["y"], scores["svm"]), abs=0.002)


def test_bins_are_taken_where_the_memory_limit_says_so(scores: pd.DataFrame) -> None:
    asked = f"clearwin compare scores.csv {COLUMNS} --measure eer --n-resamples 50 --seed 1"
    assert "counted in" not in ran(*line(asked))
    assert "counted in at most 1,048,576 bins" in spaced(ran(*line(f"{asked} --memory-limit 10KB")))
    assert "counted in" not in ran(*line(f"{asked} --memory-limit 10KB --bins none"))
    assert "counted in at most 100 bins" in spaced(
        ran(*line("clearwin estimate many --truth y --a svm --measure auc --bins 100 --n-resamples 50 --seed 1"))
    )
    assert "measures of scores" in refused(*line(f"clearwin compare scores.csv {COLUMNS} --measure f1 --bins 100"))
    assert "bins is '0'" in refused(*line(f"{asked} --bins 0"))
