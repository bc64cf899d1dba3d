"""clearwin gate: exit codes, tables of checks, the ledger, JUnit, the step summary, and trying the gate itself."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from clearwin.cli import main
from tests.analyses.test_gate import models
from tests.cli.calling import table

COLUMNS = ["--truth", "y", "--a", "prod", "--b", "candidate", "--n-resamples", "300", "--seed", "1"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for name, better, n in (("good", 0.02, 800), ("bad", -0.15, 800), ("few", 0.0, 60)):
        truth, a, b = models(n=n, better=better)
        kind = np.where(np.arange(n) % 2, "odd", "even")
        frame = pd.DataFrame({"id": np.arange(n), "y": truth, "prod": a, "candidate": b, "copy": a, "kind": kind})
        frame.to_csv(f"{name}.csv", index=False)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["gate", *words])


CODES = {("good", "0.05"): 0, ("bad", "0.02"): 1, ("few", "0.01"): 3}


def test_exit_codes(folder: Path) -> None:
    how = [*COLUMNS, "--measure", "accuracy"]
    assert {at: run(f"{at[0]}.csv", *how, "--margin", at[1]).exit_code for at in CODES} == CODES
    for way, code in (("pass", 0), ("fail", 1), ("3", 3)):
        assert run("few.csv", *how, "--margin", "0.01", "--undecided", way).exit_code == code
    assert run("few.csv", *how, "--margin", "0.01", "--undecided", "maybe").exit_code == 2
    assert run("few.csv", *how).exit_code == 2
    assert run("nowhere.csv", *how, "--margin", "0.01").exit_code == 2


def test_identical_columns_pass(folder: Path) -> None:
    words = ["--truth", "y", "--a", "prod", "--b", "copy", "--measure", "f1", "--margin", "0.0001"]
    assert run("few.csv", *words).exit_code == 0


def test_a_table_of_checks_in_pyproject(folder: Path) -> None:
    table = (
        '[tool.clearwin.gate]\ntruth = "y"\na = "prod"\nb = "candidate"\nseed = 1\nn_resamples = 300\n'
        'checks = [{measure = "f1", margin = 0.05}, {measure = "accuracy", margin = 0.05, by = "kind"}]\n'
    )
    Path("pyproject.toml").write_text(table)
    found = run("good.csv", "--json", "r.json")
    assert found.exit_code == 0, found.output
    names = [check["name"] for check in json.loads(Path("r.json").read_text())["checks"]]
    assert names == [
        "F1, not worse",
        "accuracy, not worse",
        "accuracy, not worse, kind even",
        "accuracy, not worse, kind odd",
    ]
    Path("pyproject.toml").write_text(table.replace("seed", "sead"))
    assert "did you mean 'seed'?" in run("good.csv").output
    Path("pyproject.toml").write_text("[tool.clearwin.gate\n")
    assert "cannot be read" in run("good.csv").output


CHECKS = 'checks = [{measure = "accuracy", margin = 0.05}]\n'


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (f"[[tool.clearwin.gate]]\n{CHECKS}", "tool.clearwin.gate of gate.toml is not a table."),
        ("tool = 5\n", "tool of gate.toml is not a table."),
        ("checks = 5\n", "checks of gate.toml is 5."),
        ("checks = [5]\n", "A check is 5."),
        ('checks = [{measure = "f1", margin = 0.05, by = 2.5}]\n', "by of gate.toml is 2.5."),
        (f"confidence_level = 'much'\n{CHECKS}", "confidence_level of gate.toml is 'much'."),
        (f"confidence_level = true\n{CHECKS}", "confidence_level of gate.toml is True."),
        (f"n_resamples = 2.5\n{CHECKS}", "n_resamples of gate.toml is 2.5."),
        (f"seed = -1\n{CHECKS}", "seed of gate.toml is -1."),
        (f"min_slice = [1, 2]\n{CHECKS}", "min_slice of gate.toml is [1, 2]."),
        (f"id = 1979-05-27\n{CHECKS}", "id of gate.toml is datetime.date(1979, 5, 27)."),
        (f"id = 0.5\n{CHECKS}", "There is no column of good.csv named '0.5'."),
        (f"names = [[]]\n{CHECKS}", "names of gate.toml is [[]]."),
        (f"baseline_sha256 = -1\n{CHECKS}", "sha256:-1, the digest that you gave"),
    ],
)
def test_a_wrong_value_in_a_table_is_refused_in_words(folder: Path, table: str, told: str) -> None:
    Path("gate.toml").write_text(table)
    found = run("good.csv", *COLUMNS[:6], "--config", "gate.toml")
    assert found.exit_code == 2
    assert told in found.stderr


def test_a_table_holds_what_options_take(folder: Path) -> None:
    """Names and groups in lists, numbers as numbers; options come first."""
    more = 'names = ["old", "new"]\ngroups = ["id"]\npositive = 1\nundecided = 3\nconfidence_level = 0.9\nseed = 7\n'
    Path("gate.toml").write_text(more + CHECKS)
    written = [*COLUMNS[:-2], "--config", "gate.toml", "--json", "table.json"]
    options = [*COLUMNS[:-2], "--names", "old,new", "--groups", "id", "--positive", "1", "--confidence-level", "0.9"]
    options += ["--seed", "7", "--measure", "accuracy", "--margin", "0.05", "--json", "options.json"]
    assert (run("good.csv", *written).exit_code, run("good.csv", *options).exit_code) == (0, 0)
    assert Path("table.json").read_text() == Path("options.json").read_text()


def test_a_check_can_read_scores_in_its_own_way(folder: Path) -> None:
    """Each check is the comparison that `clearwin compare` makes with the same options."""
    numbers = np.random.default_rng(4)
    truth = numbers.integers(0, 2, 400)
    scores = {name: (truth + numbers.normal(0, 0.6, 400)).round(3) for name in ("prod", "candidate")}
    pd.DataFrame({"y": truth, **scores}).to_csv("scores.csv", index=False)
    Path("gate.toml").write_text(
        "checks = [\n"
        '  {measure = "auc", margin = 0.1},\n'
        '  {measure = "f1", margin = 0.1, threshold = 0.5},\n'
        '  {measure = "f1", margin = 0.1, threshold = [0.4, 0.6]},\n'
        '  {measure = "f1", margin = 0.1, threshold = 0.5, positive = 0},\n'
        "]\n"
    )
    words = ["scores.csv", *COLUMNS]
    assert run(*words, "--config", "gate.toml", "--json", "gate.json").exit_code == 0
    checks = json.loads(Path("gate.json").read_text())["checks"]
    own = [["auc"], ["f1", "0.5"], ["f1", "0.4,0.6"], ["f1", "0.5", "0"]]
    for check, values in zip(checks, own, strict=True):
        options = [
            word for pair in zip(("--measure", "--threshold", "--positive"), values, strict=False) for word in pair
        ]
        claim = ["--claim", "not_worse", "--margin", "0.1", "--json"]
        made = json.loads(CliRunner().invoke(main, ["compare", *words, *options, *claim]).stdout)
        assert (check["difference"], check["p_pass"]) == (made["difference"], made["p_value"])
    assert [check["name"] for check in checks[1:3]] == [
        "F1, not worse, threshold 0.5",
        "F1, not worse, threshold 0.4,0.6",
    ]
    assert "read alike by all checks" in run(*words, "--config", "gate.toml", "--self-test").output


@pytest.mark.parametrize(
    ("table", "options", "measure"),
    [
        ("missing = 'drop'\nrank_infinite = true\nlower_is_positive = true", ["--missing", "drop"], "auc"),
        (
            "missing = 'drop'\nrank_infinite = true\nlower_is_positive = ['prod', 'candidate']",
            ["--missing=drop"],
            "auc",
        ),
        ("separator = ','\nlabels = ['x', 'y']", ["--separator", ",", "--labels", "x,y"], "micro_f1"),
    ],
)
def test_a_table_says_how_to_read_as_the_options_do(folder: Path, table: str, options: list[str], measure: str) -> None:
    numbers = np.random.default_rng(4)
    truth = numbers.integers(0, 2, 200)
    models = {name: (numbers.normal(0, 0.6, 200) - truth).round(3).astype(str) for name in ("prod", "candidate")}
    models["prod"][:3] = ["", "inf", "-inf"]
    if measure == "auc":
        options = [*options, "--rank-infinite", "--lower-is-positive", "prod,candidate"]
    else:
        truth, models = (np.array(["x", "x,y", "z"])[truth + 1], {name: ["x", "y,z"] * 100 for name in models})
    pd.DataFrame({"y": truth, **models}).to_csv("read.csv", index=False)
    Path("gate.toml").write_text(f'{table}\nchecks = [{{measure = "{measure}", margin = 0.2}}]\n')
    written = run("read.csv", *COLUMNS, "--config", "gate.toml", "--json")
    typed = run("read.csv", *COLUMNS, *options, "--measure", measure, "--margin", "0.2", "--json")
    assert json.loads(written.stdout) == json.loads(typed.stdout)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('missing = "sometimes"\n', "There is no way to treat missing values named 'sometimes'."),
        ("rank_infinite = 1\n", "rank_infinite of gate.toml is 1."),
        ("lower_is_positive = 1.5\n", "There is no model named '1.5'."),
        ("measure = 'f1'\n", "write it into a check"),
        ("interval = 'auto'\n", "every check takes the default test"),
        ("rng = 5\n", "seed = …"),
        ("ledger = 'uses.jsonl'\n", "type --ledger"),
    ],
)
def test_keys_of_a_table_are_those_of_the_settings(folder: Path, table: str, told: str) -> None:
    Path("gate.toml").write_text(table + CHECKS)
    found = run("good.csv", *COLUMNS[:6], "--config", "gate.toml")
    assert found.exit_code == 2
    assert told in found.stderr


def test_junit_has_unique_cases_and_the_verdict_in_the_failure(folder: Path) -> None:
    words = [*COLUMNS, "--measure", "accuracy", "--margin", "0.02", "--by", "kind", "--junit", "junit.xml"]
    assert run("bad.csv", *words).exit_code == 1
    suite = ElementTree.parse("junit.xml").getroot()
    names = [case.get("name") for case in suite.iter("testcase")]
    assert len(set(names)) == len(names) == 3
    failures = [case.findtext("failure") for case in suite.iter("testcase") if case.find("failure") is not None]
    assert suite.get("failures") == str(len(failures))
    assert "candidate is worse than prod by more than 0.02" in (failures[0] or "")


def test_a_ledger_spends_the_level(folder: Path) -> None:
    words = [*COLUMNS, "--measure", "accuracy", "--margin", "0.05", "--ledger", "uses.jsonl"]
    for use in (1, 2, 3):
        run("good.csv", *words, "--json", f"{use}.json")
        assert json.loads(Path(f"{use}.json").read_text())["uses"] == use
    lines = [json.loads(line) for line in Path("uses.jsonl").read_text().splitlines()]
    assert [line["alpha"] for line in lines] == pytest.approx([0.05 * 6 / np.pi**2 / k**2 for k in (1, 2, 3)])
    run("few.csv", *words, "--json", "other.json")
    assert json.loads(Path("other.json").read_text())["uses"] == 1  # another test set
    values = ["--a", "prod", "--b", "candidate", "--measure", "mean", "--margin", "0.05", "--ledger", "uses.jsonl"]
    assert "by its truth or ids, and neither was given" in run("good.csv", *values).output
    for somebody_elses in ("no json\n", "[1]\n", "no line break"):
        Path("uses.jsonl").write_text(somebody_elses)
        assert "is not a ledger" in run("good.csv", *words).output
        assert Path("uses.jsonl").read_text() == somebody_elses


def test_a_worn_test_set_lets_no_large_drop_pass(folder: Path) -> None:
    """From use 18 on the level is below 1/10,001: ten thousand draws could never fail a gate there."""
    rng = np.random.default_rng(0)
    truth = (rng.random(400) < 0.3).astype(int)
    a = np.where(rng.random(400) < 0.9, truth, 1 - truth)
    b = np.where((truth == 1) & (rng.random(400) < 0.55), 0, a)
    pd.DataFrame({"y": truth, "prod": a, "candidate": b}).to_csv("drop.csv", index=False)
    words = ["drop.csv", "--truth", "y", "--a", "prod", "--b", "candidate", "--measure", "f1", "--margin", "0.02"]
    words += ["--ledger", "uses.jsonl", "--undecided", "pass", "--json", "r.json", "--force"]
    assert run(*words).exit_code == 1
    line = Path("uses.jsonl").read_text()
    for use in (18, 100):
        Path("uses.jsonl").write_text(line * (use - 1))
        assert run(*words).exit_code == 1
        assert json.loads(Path("r.json").read_text())["uses"] == use


def test_naming_further_columns_does_not_make_a_new_test_set(folder: Path) -> None:
    """Adding --id used to start a new count, and so did any other spelling of the same test set."""
    ledger = ["--measure", "accuracy", "--margin", "0.05", "--ledger", "uses.jsonl", "--json", "r.json", "--force"]
    frame = pd.read_csv("good.csv")
    frame[["id", "y", "prod"]].to_csv("base.csv", index=False)
    frame.iloc[::-1][["id", "candidate"]].to_csv("new.csv", index=False)
    ways = [["good.csv"], ["good.csv", "--id", "id"], ["base.csv", "new.csv", "--id", "id"], ["good.csv", "--by", "y"]]
    for use, words in enumerate(ways, 1):
        run(*words, *COLUMNS, *ledger)
        assert json.loads(Path("r.json").read_text())["uses"] == use, words
    frame["id"] = frame["id"].astype(str) + "x"  # the same truth on other items
    frame.to_csv("others.csv", index=False)
    run("others.csv", "--id", "id", *COLUMNS, *ledger)
    assert json.loads(Path("r.json").read_text())["uses"] == 1 + 2  # as the two uses that named no ids


def test_a_use_is_counted_before_its_verdict_is_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is killed or cannot print after it has shown something must not leave a use that nobody counts."""
    words = [*COLUMNS, "--measure", "accuracy", "--margin", "0.05", "--ledger", "uses.jsonl"]
    with monkeypatch.context() as patch:
        seen: list[str] = []
        patch.setattr("clearwin.cli.gate.show", lambda *_: seen.append(Path("uses.jsonl").read_text()))
        run("good.csv", *words)
        assert [json.loads(text)["use"] for text in seen] == [1]

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("clearwin.results.writing.LineFile.add", full)
        refused = run("good.csv", *words)
    assert refused.exit_code == 2
    assert "cannot be counted" in refused.stderr
    assert refused.stdout == ""
    assert "there is no folder" in run("good.csv", *words[:-1], "no/uses.jsonl").stderr


def test_a_baseline_of_other_items_or_content_is_refused(folder: Path) -> None:
    frame = pd.read_csv("good.csv")
    frame[["id", "y", "prod"]].to_csv("base.csv", index=False)
    frame[["id", "candidate"]].to_csv("new.csv", index=False)
    words = ["--truth", "y", "--a", "prod", "--b", "candidate", "--id", "id", "--margin", "0.05", "--seed", "1"]
    digest = hashlib.sha256(Path("base.csv").read_bytes()).hexdigest()
    found = run("base.csv", "new.csv", *words, "--baseline-sha256", digest, "--json", "r.json")
    assert found.exit_code == 0, found.output
    assert json.loads(Path("r.json").read_text())["baseline"] == f"sha256:{digest}"
    assert "The baseline has the digest" in run("base.csv", "new.csv", *words, "--baseline-sha256", "0" * 64).output
    frame[["id", "candidate"]].head(700).to_csv("new.csv", index=False)
    assert run("base.csv", "new.csv", *words).exit_code == 2


def test_repeats_of_an_item_are_one_group(folder: Path) -> None:
    frame = pd.read_csv("good.csv")
    pd.concat([frame] * 3).to_csv("thrice.csv", index=False)
    words = [*COLUMNS, "--id", "id", "--measure", "accuracy", "--margin", "0.05"]
    once, thrice = (run(name, *words, "--json") for name in ("good.csv", "thrice.csv"))
    one, three = (json.loads(found.stdout)["checks"][0] for found in (once, thrice))
    assert three["n"] == 3 * one["n"]
    # as wide as for the items once, within 5 %: nothing was gained
    assert three["difference"] - three["interval"]["low"] == pytest.approx(
        one["difference"] - one["interval"]["low"], rel=0.1
    )


def test_the_step_summary_is_appended_under_its_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    words = [*COLUMNS, "--measure", "accuracy", "--margin", "0.05"]
    Path("summary.md").write_text("before\n")
    run("good.csv", *words)
    text = Path("summary.md").read_text()
    assert text.startswith("before\n")
    assert "candidate may replace prod" in text
    Path("summary.md").write_text("x" * 999_990)
    run("good.csv", *words)
    assert Path("summary.md").stat().st_size == 999_990


def test_a_step_summary_that_cannot_be_written_changes_no_verdict(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*COLUMNS, "--measure", "accuracy", "--seed", "1"]
    expected = {(name, margin): run(f"{name}.csv", *words, "--margin", margin) for name, margin in CODES}
    for place in ("missing/summary.md", "good.csv/summary.md", "."):
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", place)
        for (name, margin), code in CODES.items():
            found = run(f"{name}.csv", *words, "--margin", margin)
            assert (found.exit_code, found.stdout) == (code, expected[name, margin].stdout)
            assert found.stderr.startswith(f"The report is not in the step's summary, {place}: ")
            assert found.stderr.count("\n") == 1


def test_the_gate_is_tried(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clearwin.simulation.gate_trials.RUNS", 12)
    found = run("good.csv", *COLUMNS, "--measure", "accuracy", "--margin", "0.05", "--self-test")
    assert "of 12 gates failed" in found.output, found.output
    assert "A planted drop of 3 margins in accuracy: 100.0 %" in found.output


def test_more_items_are_gated_than_there_may_be_combinations_of_labels(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clearwin.data.files.predictions.MOST_COMBINATIONS", 100_000)
    n = 150_000
    truth = np.arange(n) % 2
    prod = np.where(np.arange(n) % 10 == 0, 1 - truth, truth)
    candidate = np.where(np.arange(n) % 10 == 1, 1 - truth, truth)
    frame = pd.DataFrame({"id": np.arange(n), "y": truth, "prod": prod, "candidate": candidate})
    frame.to_parquet("many.parquet")
    found = run("many.parquet", *COLUMNS, "--id", "id", "--measure", "accuracy", "--margin", "0.01", "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["n"] == n


# --- keys of the table --------------------------------------------------------------------------------------------


@pytest.fixture
def scored(folder: Path) -> Path:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 300)
    columns = {"y": truth, **{name: (truth + rng.normal(size=300)).round(3) for name in ("old", "new")}}
    Path("scores.csv").write_text(table(columns))
    Path("dev.csv").write_text(table({name: values[::-1] for name, values in columns.items()}))
    Path("gaps.csv").write_text(table(columns | {"old": ["", *columns["old"][1:]]}))
    Path("lower.csv").write_text(table(columns | {"old": -columns["old"]}))
    sets = {name: rng.choice(["x|y", "y", "x", "z"], 300) for name in ("y", "old", "new")}
    Path("sets.csv").write_text(table(sets))
    return folder


KEYS = {
    "threshold": ("scores.csv", "f1", "threshold = 0.5", ("--threshold", "0.5")),
    "thresholds": ("scores.csv", "f1", "threshold = [0.5, 0.4]", ("--threshold", "0.5,0.4")),
    "dev": ("scores.csv", "f1", 'dev = "dev.csv"', ("--dev", "dev.csv")),
    "missing": ("gaps.csv", "auc", 'missing = "drop"', ("--missing", "drop")),
    "labels": ("sets.csv", "macro_f1", 'separator = "|"\nlabels = ["x", "z"]', ("--separator", "|", "--labels", "x,z")),
    "one lower": ("lower.csv", "auc", 'lower_is_positive = ["old"]', ("--lower-is-positive", "old")),
    "rank infinite": ("scores.csv", "auc", "rank_infinite = true", ("--rank-infinite",)),
}


@pytest.mark.usefixtures("scored")
@pytest.mark.parametrize("title", KEYS)
def test_a_key_of_the_table_means_what_its_option_means(title: str) -> None:
    file, measure, key, options = KEYS[title]
    Path("gate.toml").write_text(f'{key}\nchecks = [{{measure = "{measure}", margin = 0.05}}]\n')
    shared = (file, "--truth", "y", "--a", "old", "--b", "new", "--n-resamples", "300", "--seed", "1", "--json")
    by_table = run(*shared, "--config", "gate.toml")
    by_options = run(*shared, "--measure", measure, "--margin", "0.05", *options)
    assert by_table.exit_code in (0, 1, 3), by_table.output
    assert by_table.stdout == by_options.stdout


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("margin = 0.01", "write it into a check"),
        ('measure = "f1"', "write it into a check"),
        ('test = "sign"', "every check takes the default test"),
        ("rng = 7", "seed = …"),
        ('ledger = "uses.jsonl"', "leave it out, and type --ledger"),
        ('truht = "y"', "did you mean 'truth'"),
        ("rank_infinite = 1", "expected: true or false"),
    ],
)
def test_what_is_no_key_of_the_table_is_refused_with_what_works(folder: Path, key: str, told: str) -> None:
    Path("gate.toml").write_text(f'{key}\nchecks = [{{measure = "f1", margin = 0.05}}]\n')
    found = run("few.csv", *COLUMNS, "--config", "gate.toml")
    assert found.exit_code == 2
    assert told in found.stderr
    assert "gate.toml" in found.stderr


def test_the_gate_reads_standard_input(tmp_path, monkeypatch):
    """It is copied once, and every check and the digest of the test set are asked of the copy."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 2},{(i % 2) ^ (i % 9 == 0)},{(i % 2) ^ (i % 11 == 0)}\n" for i in range(300))
    Path("preds.csv").write_text("y,a,b\n" + rows)
    words = [
        "--truth",
        "y",
        "--a",
        "a",
        "--b",
        "b",
        "--measure",
        "accuracy",
        "--margin",
        "0.2",
        "--seed",
        "1",
        "--json",
    ]
    of_file = CliRunner().invoke(main, ["gate", "preds.csv", *words])
    of_input = CliRunner().invoke(main, ["gate", "-", *words], input="y,a,b\n" + rows)
    assert of_input.exit_code == of_file.exit_code == 0
    assert json.loads(of_input.stdout) == json.loads(of_file.stdout)
