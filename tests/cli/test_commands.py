"""The command: every call of the interface, every refusal, what goes to which stream, what is imported."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from sklearn import metrics

import clearwin as cw
from clearwin.cli import main
from clearwin.reports import terminal

ANSI = re.compile(r"\x1b\[")


def made(n: int, seed: int) -> tuple[list[int], list[int], list[int]]:
    """Make a truth and two models of it, one with about 30 % and one with about 8 % errors."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    a, b = (np.where(rng.random(n) < rate, 1 - truth, truth) for rate in (0.30, 0.08))
    return truth.tolist(), a.tolist(), b.tolist()


TRUTH, A, B = made(120, seed=1)
NAMES = {0: "ham", 1: "spam"}
COUNTS = {"e1": 40, "e2": 9, "e3": 3, "e4": 8, "e5": 5, "e6": 2, "e7": 4, "e8": 129}


def table(columns: dict[str, list[Any]], separator: str = ",") -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(separator.join(map(str, row)) + "\n" for row in [columns.keys(), *rows])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with the files of the issue's interface."""
    monkeypatch.chdir(tmp_path)
    ids = [f"{i:03}" for i in range(len(TRUTH))]
    words = {name: [NAMES[x] for x in labels] for name, labels in (("y", TRUTH), ("svm", A), ("rbf", B))}
    Path("preds.csv").write_text(table({"doc": ids, **words}))
    Path("preds01.csv").write_text(table({"y": TRUTH, "svm": A, "rbf": B}))
    for name, labels, turn in (("gold", TRUTH, 0), ("a", A, 50), ("b", B, 77)):
        # each file in an order of its own
        columns = {"doc": ids[turn:] + ids[:turn], "label": labels[turn:] + labels[:turn]}
        Path(f"{name}.csv").write_text(table(columns))
    Path("counts.json").write_text(json.dumps(COUNTS))
    return tmp_path


def run(*arguments: object, input: str | bytes | None = None) -> Result:
    """Run the command in this process; whatever it does not handle itself is raised here."""
    result = CliRunner().invoke(main, [str(x) for x in arguments], input=input, catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def line(command: str) -> list[str]:
    program, *arguments = shlex.split(command)
    assert program == "clearwin"
    return arguments


def ran(*arguments: object, input: str | bytes | None = None) -> str:
    result = run(*arguments, input=input)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def spaced(text: str) -> str:
    """Take any run of spaces and line breaks as one space: how lines are wrapped and aligned is not the point."""
    return " ".join(text.split())


def refused(*arguments: object, input: str | bytes | None = None) -> str:
    result = run(*arguments, input=input)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert not ANSI.search(result.stderr)
    assert "error:" in result.stderr.lower()
    return result.stderr


PREDS = ("preds.csv", "--truth", "y", "--a", "svm", "--b", "rbf")
PREDS01 = ("preds01.csv", "--truth", "y", "--a", "svm", "--b", "rbf")


# --- the interface as the issue writes it ---------------------------------------------------------------------


def test_compare_one_file(folder: Path) -> None:
    command = (
        "clearwin compare preds.csv --truth y --a svm --b rbf --measure f1 --positive spam --test auto "
        "--claim different --seed 7"
    )
    out = spaced(ran(*line(command)))
    # scikit-learn's f1_score
    assert f"F1 of svm {metrics.f1_score(TRUTH, A):.4f}" in out
    assert f"F1 of rbf {metrics.f1_score(TRUTH, B):.4f}" in out
    assert out.startswith("rbf is better than svm in F1 (p = ")
    assert "seed 7" in out
    assert "positive class spam repeat" in out


def test_compare_three_files_joined_by_id(folder: Path) -> None:
    out = spaced(ran(*line("clearwin compare gold.csv a.csv b.csv --id doc")))
    assert f"F1 of a {metrics.f1_score(TRUTH, A):.4f}" in out
    assert f"F1 of b {metrics.f1_score(TRUTH, B):.4f}" in out
    assert "positive class 1 (inferred)" in out


def test_compare_counts(folder: Path) -> None:
    out = spaced(ran(*line("clearwin compare counts.json")))
    # 2 tp / (2 tp + fn + fp) with tp = e1 + e3, fn = e2 + e4, fp = e5 + e7 for A
    assert f"F1 of A {2 * 43 / (2 * 43 + 17 + 9):.4f}" in out
    assert f"F1 of B {2 * 49 / (2 * 49 + 11 + 7):.4f}" in out


def test_estimate(folder: Path) -> None:
    command = 'clearwin estimate {} --truth y --a svm --measure "dcf(cost_fn=10, cost_fp=1, prior=0.01)"'
    # keller2004 (7) from scikit-learn's rates
    fnr = 1 - metrics.recall_score(TRUTH, A)
    fpr = 1 - metrics.recall_score(TRUTH, A, pos_label=0)
    cost = 10 * 0.01 * fnr + 1 * 0.99 * fpr
    out = spaced(ran(*line(command.format("preds01.csv"))))
    assert f"DCF (cost_fn 10, cost_fp 1, prior 0.01) of svm {cost:.4f} (lower is better)" in out
    # with spam and ham the positive class must be said
    assert "--positive spam" in refused(*line(command.format("preds.csv")))
    assert f"{cost:.4f}" in ran(*line(command.format("preds.csv")), "--positive", "spam")


def test_measures_lists_every_name() -> None:
    rows = [row.split("\t") for row in ran("measures").splitlines()]
    assert [row[0].split(" ")[0] for row in rows] == list(cw.list_measures())
    listed = json.loads(ran("measures", "--json"))
    assert [row["name"].split(" ")[0] for row in listed] == list(cw.list_measures())
    for row, measure in zip(listed, cw.list_measures().values(), strict=True):
        assert row["label"] == measure.label
        assert row["decomposition"] == measure.decomposition
        assert all(alias in row["name"] for alias in measure.aliases)
        assert all(option in row["options"] for option in measure.defaults)


def test_fold_tests_are_listed_by_name() -> None:
    listed = [line.split("\t")[0] for line in ran("tests", "--folds").splitlines()]
    assert listed == list(cw.list_tests("folds"))
    assert {row["name"] for row in strict_json(ran("tests", "--folds", "--json"))} == set(listed)


def test_tests_lists_every_name() -> None:
    rows = [row.split("\t") for row in ran("tests").splitlines()]
    assert [row[0] for row in rows] == list(cw.list_tests())
    listed = json.loads(ran("tests", "--json"))
    for row, test in zip(listed, cw.list_tests().values(), strict=True):
        assert row["name"] == test.name
        assert row["methods"].split(", ") == list(test.methods)
        assert row["intervals"].split(", ") == list(test.intervals)


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    out = ran("demo")
    assert "gaussian is better than linear in F1" in out
    assert list(tmp_path.iterdir()) == []


def test_what_the_demo_says_to_type_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    *_, save, compare = ran("demo").splitlines()
    out = ran(*line(save.strip()))
    assert Path("eights.csv").is_file()
    assert ran(*line(compare.strip())).strip() in out
    out = spaced(out)
    # the shipped predictions, read with pandas and judged by scikit-learn
    shipped = pd.read_csv("eights.csv")
    f1 = metrics.f1_score(shipped["truth"], shipped["gaussian"], pos_label="eight")
    assert f"F1 of gaussian {f1:.4f}" in out


def test_what_the_demo_says_to_type_can_be_typed_for_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    *_, save, compare = ran("demo", "--save", "my eights.csv").splitlines()
    assert line(save.strip()) == ["demo", "--save", "my eights.csv"]
    ran(*line(compare.strip()))


def test_the_demo_writes_what_other_verbs_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = ran("demo")
    assert ran("demo", "--html", "r.html", "--plot", "r.svg", "--json", "r.json") == text
    assert "<h1>gaussian is better than linear" in Path("r.html").read_text(encoding="utf-8")
    assert Path("r.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert json.loads(ran("demo", "--json")) == json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert ran("demo", "--markdown").startswith("### gaussian is better than linear")
    assert "r.html exists already" in refused("demo", "--html", "r.html")
    assert "both name x.csv" in refused("demo", "--save", "x.csv", "--html", "x.csv")
    assert not Path("x.csv").exists()


def test_demo_does_not_write_over(folder: Path) -> None:
    before = Path("preds.csv").read_text()
    assert "preds.csv exists already" in refused("demo", "--save", "preds.csv")
    assert Path("preds.csv").read_text() == before
    ran("demo", "--save", "preds.csv", "--force")
    assert Path("preds.csv").read_text() != before
    assert "cannot be written" in refused("demo", "--save", "no/such/folder.csv")


def test_the_command_is_installed() -> None:
    [script] = entry_points(group="console_scripts", name="clearwin")
    assert script.load() is main


def test_help_and_version() -> None:
    assert ran("--version") == f"clearwin, version {cw.__version__}\n"
    assert ran("-h") == ran("--help")
    for command in main.commands:
        assert command in ran("--help")
        assert "--help" in ran(command, "--help")


# --- JSON -----------------------------------------------------------------------------------------------------

FIELDS = {
    "name_a",
    "name_b",
    "n",
    "measure",
    "measure_label",
    "higher_is_better",
    "estimate_a",
    "estimate_b",
    "difference",
    "test",
    "test_label",
    "method",
    "why",
    "claim",
    "null_hypothesis",
    "statistic",
    "p_value",
    "log10_p",
    "p_error",
    "interval",
    "confidence",
    "positive",
    "positive_inferred",
    "thresholds",
    "outcomes",
    "error_reduction",
    "decision",
    "judged",
    "lead",
    "joint",
    "n_classes",
    "undefined_replicates",
    "sampling",
    "labels",
    "lower_is_positive",
    "caveats",
    "signature",
}


def strict_json(text: str) -> Any:
    def no(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=no)


def test_json_has_the_documented_fields(folder: Path) -> None:
    found = strict_json(ran("compare", *PREDS01, "--seed", "7", "--json"))
    assert set(found) == FIELDS
    assert set(found["interval"]) == {"low", "high", "level", "method", "side"}
    assert set(found["signature"]) == {
        "version",
        "n",
        "measure",
        "test",
        "method",
        "interval",
        "claim",
        "confidence_level",
        "n_resamples",
        "seed",
        "data",
        "streams",
    }
    assert found["joint"]["confusion_a"] == metrics.confusion_matrix(TRUTH, A).tolist()
    assert found["joint"]["confusion_b"] == metrics.confusion_matrix(TRUTH, B).tolist()
    assert found["difference"] == found["estimate_b"] - found["estimate_a"]
    assert found["estimate_a"] == pytest.approx(metrics.f1_score(TRUTH, A), abs=1e-15)
    assert found["estimate_b"] == pytest.approx(metrics.f1_score(TRUTH, B), abs=1e-15)
    assert found["log10_p"] == pytest.approx(np.log10(found["p_value"]), abs=1e-12)
    assert found["interval"]["low"] < found["difference"] < found["interval"]["high"]


def test_json_of_an_estimate(folder: Path) -> None:
    found = strict_json(ran("estimate", "preds01.csv", "--truth", "y", "--a", "svm", "--measure", "recall", "--json"))
    assert set(found) == {
        "name",
        "estimate",
        "n",
        "measure",
        "measure_label",
        "higher_is_better",
        "interval",
        "positive",
        "positive_inferred",
        "undefined_replicates",
        "sampling",
        "labels",
        "lower_is_positive",
        "caveats",
        "signature",
        "confusion",
        "n_classes",
    }
    assert found["confusion"]["cells"] == metrics.confusion_matrix(TRUTH, A).tolist()
    assert found["estimate"] == pytest.approx(metrics.recall_score(TRUTH, A), abs=1e-15)


def test_caveats_in_json_have_code_text_and_source(folder: Path) -> None:
    Path("few.csv").write_text("y,svm,rbf\n1,1,0\n0,1,0\n")
    found = strict_json(ran("compare", "few.csv", *PREDS[1:], "--json", "--seed", 1))
    assert "few_disagreements" in [caveat["code"] for caveat in found["caveats"]]
    assert all(set(caveat) == {"code", "text", "source"} for caveat in found["caveats"])


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


# --- formats, standard input, streams -------------------------------------------------------------------------


def test_formats_by_ending_and_standard_input_give_the_same(folder: Path) -> None:
    expected = ran("compare", *PREDS, "--positive", "spam", "--seed", 1, "--json")
    frame = pd.read_csv("preds.csv", dtype=str)
    frame.to_csv("preds.tsv", sep="\t", index=False)
    frame.to_csv("preds.csv.gz", index=False)
    frame.to_parquet("preds.parquet")
    frame.to_json("preds.jsonl", orient="records", lines=True)
    for name in ("preds.tsv", "preds.csv.gz", "preds.parquet", "preds.jsonl"):
        assert ran("compare", name, *PREDS[1:], "--positive", "spam", "--seed", 1, "--json") == expected
        piped = ran(
            "compare", "-", *PREDS[1:], "--positive", "spam", "--seed", 1, "--json", input=Path(name).read_bytes()
        )
        assert piped == expected
    by_id = ran("compare", *PREDS, "--id", "doc", "--positive", "spam", "--seed", 1, "--json")
    assert by_id == expected


def test_labels_are_text(folder: Path) -> None:
    Path("text.csv").write_text("y,svm,rbf\n01,1,01\n1,1,1\nNA,NA,nan\nNA,01,NA\n")
    found = strict_json(ran("compare", "text.csv", *PREDS[1:], "--measure", "accuracy", "--json"))
    assert (found["estimate_a"], found["estimate_b"]) == (0.5, 0.75)


def test_standard_input_as_one_of_three(folder: Path) -> None:
    expected = ran(
        "compare", "gold.csv", "a.csv", "b.csv", "--id", "doc", "--measure", "accuracy", "--seed", 1, "--json"
    )
    columns = ("--truth", "label", "--a", "label", "--b", "label")
    out = ran(
        "compare",
        "gold.csv",
        "-",
        "b.csv",
        "--id",
        "doc",
        *columns,
        "--measure",
        "accuracy",
        "--seed",
        1,
        "--json",
        input=Path("a.csv").read_text(),
    )
    assert {**strict_json(out), "name_a": "", "null_hypothesis": ""} == {
        **strict_json(expected),
        "name_a": "",
        "null_hypothesis": "",
    }


def test_estimate_reads_standard_input(folder: Path) -> None:
    arguments = ("--truth", "y", "--a", "svm", "--measure", "accuracy", "--json", "--seed", 1)
    assert ran("estimate", "-", *arguments, input=Path("preds.csv").read_text()) == ran(
        "estimate", "preds.csv", *arguments
    )


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


@pytest.mark.parametrize("command", ["compare", "folds", "rank", "datasets", "chance"])
def test_alpha_is_called_confidence_level(command: str) -> None:
    assert "Did you mean --confidence-level?" in refused(command, "x.csv", "--alpha", "0.01")


def test_piped_output_has_no_colours(folder: Path) -> None:
    for arguments in (("compare", *PREDS01), ("measures",), ("tests",), ("demo",), ("--help",)):
        assert not ANSI.search(ran(*arguments))
    assert not ANSI.search(refused("compare", "nope.csv"))


# --- --json FILE -------------------------------------------------------------------------------------------------


def test_json_with_a_file_writes_it_and_alone_prints_it(folder: Path) -> None:
    out = ran("compare", *PREDS01, "--seed", 1, "--json", "result.json")
    assert out == ran("compare", *PREDS01, "--seed", 1)
    assert Path("result.json").read_text() == ran("compare", *PREDS01, "--seed", 1, "--json")


@pytest.mark.parametrize("command", [("compare", *PREDS01), ("estimate", "preds01.csv", "--truth", "y", "--a", "svm")])
def test_json_does_not_write_over(folder: Path, command: tuple[str, ...]) -> None:
    Path("result.json").write_text("precious")
    text = refused(*command, "--json", "result.json")
    assert "result.json exists already" in text
    assert "--force" in text
    assert Path("result.json").read_text() == "precious"
    ran(*command, "--json", "result.json", "--force")
    assert strict_json(Path("result.json").read_text())["measure"] == "f1"


ONE_FILE_TWICE = [
    ("compare preds01.csv --truth y --a svm --b rbf", "--json", "--html"),
    ("compare preds01.csv --truth y --a svm --b rbf", "--html", "--plot"),
    ("estimate preds01.csv --truth y --a svm", "--json", "--html"),
    ("rank preds01.csv --truth y --models svm,rbf", "--json", "--html"),
    ("chance preds01.csv --truth y --a svm", "--json", "--plot"),
    ("curve preds01.csv --truth y --a svm", "--plot", "--html"),
    ("folds preds01.csv --a svm --b rbf", "--json", "--html"),
    ("datasets preds01.csv", "--plot", "--html"),
    ("study preds01.csv --truth y --a svm --b rbf --test-size 9", "--json", "--html"),
    ("study preds01.csv --truth y --a svm --b rbf --test-size 9", "--keep", "--html"),
    ("reproduce keller2004 --corpus preds01.csv", "--save", "--json"),
    ("demo", "--save", "--html"),
]
SPELLINGS = {
    "another spelling": lambda path: f"./{path}",
    "through a folder": lambda path: f"sub/../{path}",
    "from the root": lambda path: Path(path).absolute(),
    "a folder's link": lambda path: f"linked/{path}",
    "a link": lambda path: "link.png",
}


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
@pytest.mark.parametrize("spelled", SPELLINGS)
@pytest.mark.parametrize(("command", "one", "other"), ONE_FILE_TWICE)
def test_one_file_for_two_results_is_refused_by_any_name(
    folder: Path, command: str, one: str, other: str, spelled: str
) -> None:
    Path("sub").mkdir()
    Path("linked").symlink_to(".")
    Path("link.png").symlink_to("new.png")
    before = sorted(folder.iterdir())
    for names in (("new.png", SPELLINGS[spelled]("new.png")), (SPELLINGS[spelled]("new.png"), "new.png")):
        text = refused(*shlex.split(command), one, names[0], other, names[1])
        assert "both name the same file" in text
        assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_two_names_of_one_old_file_are_refused(folder: Path) -> None:
    Path("old.json").write_text("precious")
    os.link("old.json", "hard.html")
    assert "both name the same file" in refused(
        "compare", *PREDS01, "--json", "old.json", "--html", "hard.html", "--force"
    )
    assert Path("old.json").read_text() == "precious"


def test_two_files_of_one_name_in_two_folders_are_two_files(folder: Path) -> None:
    Path("sub").mkdir()
    ran("compare", *PREDS01, "--json", "new.json", "--html", "sub/new.json")
    assert strict_json(Path("new.json").read_text())
    assert Path("sub/new.json").read_text().startswith("<!DOCTYPE html>")


def test_no_result_takes_a_name_that_the_finished_blocks_may_get(folder: Path) -> None:
    command = ("study", *PREDS01, "--test-size", 9, "--keep", "sub")
    Path("sub").mkdir()
    assert "both name" in refused(*command, "--html", "./sub/clearwin-study-0123abcd.jsonl")


READ = [
    ("compare {} --truth y --a svm --b rbf", "--json"),
    ("compare {} --truth y --a svm --b rbf", "--html"),
    ("compare preds.csv --truth y --a svm --b rbf --measure accuracy --threshold best --dev {}", "--html"),
    ("compare gold.csv {} b.csv --id doc", "--json"),
    ("estimate {} --truth y --a svm", "--json"),
    ("rank gold.csv a.csv {} --id doc", "--html"),
    ("chance {} --truth y --a svm", "--html"),
    ("curve {} --truth y --a svm", "--html"),
    ("folds {} --a svm --b rbf", "--json"),
    ("datasets {}", "--html"),
    ("study {} --truth y --a svm --b rbf --test-size 9", "--json"),
    ("study preds.csv --truth y --a svm --b rbf --test-set {}", "--html"),
    ("study {} --truth y --a svm --b rbf --test-size 9", "--keep"),
    ("reproduce keller2004 --corpus preds.csv --corpus {}", "--save"),
    ("reproduce keller2004 --corpus preds.csv --label-names {}", "--json"),
]


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("name", ["preds01.csv", "./preds01.csv", "link.csv", "hard.csv"])
@pytest.mark.parametrize(("command", "option"), READ)
def test_no_input_is_ever_written_over(
    folder: Path, command: str, option: str, name: str, force: tuple[str, ...]
) -> None:
    Path("link.csv").symlink_to("preds01.csv")
    os.link("preds01.csv", "hard.csv")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    text = refused(*shlex.split(command.format("preds01.csv")), option, name, *force)
    assert f"{option} names {name}, which is read" in text
    assert "--force" not in text
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_picture_is_never_drawn_over_an_input(folder: Path) -> None:
    Path("scores.png").write_bytes(Path("preds01.csv").read_bytes())
    for command in ("chance scores.png --truth y --a svm --plot", "curve scores.png --truth y --a svm --plot"):
        assert "which is read" in refused(*shlex.split(command), "scores.png", "--force")
    assert Path("scores.png").read_bytes() == Path("preds01.csv").read_bytes()


def test_the_file_behind_standard_input_is_an_input(folder: Path) -> None:
    arguments = ["compare", "-", *PREDS01[1:], "--json", "preds01.csv", "--force"]
    before = Path("preds01.csv").read_bytes()
    with Path("preds01.csv").open("rb") as file:
        result = subprocess.run([*PYTHON, *arguments], stdin=file, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "--json names preds01.csv, which is read as standard input." in result.stderr
    assert Path("preds01.csv").read_bytes() == before


def test_the_data_of_the_demo_are_never_written_over(folder: Path) -> None:
    shipped = Path(cw.__file__).parent / "data" / "shipped" / "digits_eight.csv"
    before = shipped.read_bytes()
    assert "which is read" in refused("demo", "--save", shipped, "--force")
    assert shipped.read_bytes() == before


def test_every_command_with_an_output_is_held_to_this() -> None:
    writes = {
        name
        for name, command in main.commands.items()
        if {"--html", "--save", "--plot", "--keep"} & {o for p in command.params for o in p.opts}
    }
    assert writes == {command.split()[0] for command, *_ in ONE_FILE_TWICE}
    assert writes == {command.split()[0] for command, _ in READ} | {"demo"}


def test_a_refusal_writes_nothing(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    refused("compare", *PREDS, "--json", "result.json")
    refused("compare", *PREDS01, "--test", "mcnemar", "--json", "preds01.csv", "--force")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_output_that_cannot_be_written(folder: Path) -> None:
    assert "cannot be written" in refused("compare", *PREDS01, "--json", "no/such/folder.json")
    Path("folder.json").mkdir()
    assert "directory" in refused("compare", *PREDS01, "--json", "folder.json")


SWALLOWED = {
    "the only file": "compare --json preds01.csv --truth y --a svm --b rbf",
    "a file of counts": "compare --json counts.json --force",
    "the first of several": "compare --json gold.csv a.csv b.csv --id doc",
    "one of enough": "curve --json b.csv gold.csv a.csv --id doc",
    "standard input": "compare --json - --truth y --a svm --b rbf",
    "an experiment": "reproduce --json keller2004",
    "no ending": "demo --json result",
    "nothing": "demo --json ''",
}


@pytest.mark.parametrize("title", SWALLOWED)
def test_json_never_takes_a_file_to_read_for_one_to_write(folder: Path, title: str) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    text = refused(*shlex.split(SWALLOWED[title]))
    assert "the word after it" in text
    assert "--json behind everything else" in text
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_what_a_refused_json_says_to_type_works(folder: Path) -> None:
    text = refused(*shlex.split(SWALLOWED["a file of counts"]))
    assert "next: clearwin compare counts.json … --json" in text
    assert strict_json(ran("compare", "counts.json", "--json"))["measure"] == "f1"
    assert strict_json(ran("compare", "--json", "--", "counts.json"))["measure"] == "f1"


def test_lists_are_written_as_json_too(folder: Path) -> None:
    for verb in ("measures", "tests"):
        assert ran(verb, "--json", f"{verb}.json") == ran(verb)
        assert Path(f"{verb}.json").read_text() == ran(verb, "--json")
        assert "exists already" in refused(verb, "--json", f"{verb}.json")


@pytest.mark.parametrize("option", ["--json=no/x.json", "--html=no/x.html", "--plot=no/x.png"])
def test_a_place_that_is_none_is_told_before_any_work(folder: Path, option: str) -> None:
    # the file to read is not even looked for
    assert "there is no folder no" in refused("compare", "nothing.csv", "--truth", "y", "--a", "s", "--b", "t", option)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_cannot_be_written_is_printed_all_the_same(folder: Path) -> None:
    full = [*PYTHON, "compare", *PREDS01, "--seed", "1", "--json", "full.json", "--force"]
    Path("full.json").symlink_to("/dev/full")
    run = subprocess.run(full, capture_output=True, text=True)
    assert run.returncode == 2
    assert "full.json cannot be written: there is no room for it." in run.stderr
    assert run.stdout == ran("compare", *PREDS01, "--seed", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_cannot_be_printed_is_written_all_the_same(folder: Path) -> None:
    asked = [*PYTHON, "compare", *PREDS01, "--seed", "1", "--json", "result.json"]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(asked, stdout=full, stderr=subprocess.PIPE).returncode == 2
    assert strict_json(Path("result.json").read_text())["measure"] == "f1"


# --- bad input: the issue's list, in its order ----------------------------------------------------------------

GOOD = "y,svm,rbf\n1,1,0\n0,0,0\n1,0,1\n0,1,0\n"
COLUMNS = "--truth y --a svm --b rbf"
MIXED = "y,svm,rbf\n" + "".join(f"yes,0.{i},yes\nno,0.{i + 1},yes\n" for i in range(11, 51, 2))
# title: (files to make, command, what the error must mention)
BAD_INPUT: dict[str, tuple[dict[str, str | bytes], str, tuple[str, ...]]] = {
    "unknown column": (
        {},
        "compare preds.csv --truth y --a smv --b rbf",
        ("'smv'", "doc, y, svm, rbf", "did you mean 'svm'"),
    ),
    "unknown column, other case": ({}, "compare preds.csv --truth Y --a svm --b rbf", ("'Y'", "did you mean 'y'")),
    "unknown column in an estimate": ({}, "estimate preds.csv --truth y --a smv", ("'smv'", "'svm'")),
    "unknown id column": ({}, f"compare preds.csv {COLUMNS} --id dok", ("'dok'", "'doc'")),
    "no column named, and none to guess": ({"y.csv": "y\n0\n1\n"}, "compare y.csv", ("--truth",)),
    "no column for b named": ({}, "compare preds.csv --truth y --a svm", ("--b",)),
    "the truth as a prediction": ({}, "compare preds.csv --truth y --a y --b rbf", ("'y'", "--a")),
    "id sets that differ": (
        {"c.csv": "doc,label\n" + "".join(f"{i:03},1\n" for i in range(5, 121))},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "000, 001, 002", "5 ids", "120"),
    ),
    "ids that differ by a zero": (
        {"c.csv": "doc,label\n" + "".join(f"{i},1\n" for i in range(120))},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "000, 001, 002", "100 ids"),
    ),
    "lengths that differ": (
        {"c.csv": "doc,label\n000,1\n001,0\n"},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "118 ids"),
    ),
    "duplicate ids": (
        {"c.csv": "doc,label\n000,1\n001,0\n000,1\n"},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "'doc'", "000", "1 id"),
    ),
    "duplicate ids in one file": (
        {"x.csv": "doc,y,svm,rbf\n7,1,1,1\n7,0,0,0\n8,0,0,0\n"},
        f"compare x.csv {COLUMNS} --id doc",
        ("'doc'", "7"),
    ),
    "missing values": (
        {"x.csv": "y,svm,rbf\n1,1,0\n0,,0\n1,0,1\n0,,0\n"},
        f"compare x.csv {COLUMNS}",
        ("'svm'", "2 rows", "2, 4"),
    ),
    "missing ids": (
        {"c.csv": "doc,label\n000,1\n,0\n"},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "'doc'", "2"),
    ),
    "null in JSONL": (
        {"x.jsonl": '{"y": 1, "svm": 1, "rbf": 0}\n{"y": 0, "svm": null, "rbf": 0}\n'},
        f"compare x.jsonl {COLUMNS}",
        ("'svm'", "1 row", "2"),
    ),
    "ragged rows, too short": ({"x.csv": "y,svm,rbf\n1,1,0\n0,0\n"}, f"compare x.csv {COLUMNS}", ("x.csv", "3", "2")),
    "ragged rows, too long": (
        {"x.csv": "y,svm,rbf\n1,1,0\n0,0,0,1\n"},
        f"compare x.csv {COLUMNS}",
        ("x.csv", "3", "4"),
    ),
    "not UTF-8": ({"x.csv": "y,svm,rbf\nça,ça,là\n".encode("latin1")}, f"compare x.csv {COLUMNS}", ("x.csv", "UTF-8")),
    "a spreadsheet": ({"x.xlsx": b"PK"}, f"compare x.xlsx {COLUMNS}", ("x.xlsx", "save it as CSV")),
    "labels in another case": (
        {"x.csv": "y,svm,rbf\n" + "churn,Churn ,churn\nstay,stay,churn\n" * 20},
        f"compare x.csv {COLUMNS} --positive churn",
        ("svm says 'Churn '", "truth has 'churn'", "20 item"),
    ),
    "labels of another kind": (
        {"x.csv": "y,svm,rbf\n" + "churn,0.7,churn\nstay,0.2,churn\n" * 20},
        f"compare x.csv {COLUMNS} --positive churn",
        ("svm never says", "'0.2', '0.7'", "'churn', 'stay'", "--threshold"),
    ),
    "decimal commas": (
        {"x.csv": "y;svm;rbf\n1;0,5;0,25\n0;0,1;1\n"},
        f"compare x.csv {COLUMNS} --measure auc",
        ("'svm'", "decimal commas", "0.5 instead of 0,5"),
    ),
    "one column for both": ({}, "compare preds01.csv --truth y --a svm --b svm", ("column 'svm'", "--b COLUMN")),
    "one column for both scores": (
        {},
        "compare preds01.csv --truth y --a svm --b svm --measure auc",
        ("column 'svm'", "--b COLUMN"),
    ),
    "one pattern for both": (
        {"x.csv": "y_1,y_2,s_1,s_2\n1,0,1,0\n0,1,1,0\n"},
        'compare x.csv --truth "y_*" --a "s_*" --b "s_*"',
        ("'s_*'", "--b COLUMN"),
    ),
    "one file for both": ({}, "compare gold.csv a.csv a.csv --id doc", ("column 'label' of a.csv", "--b COLUMN")),
    "scores beside decisions": (
        {"x.csv": MIXED},
        "compare x.csv --truth y --a svm --b rbf --positive yes",
        ("'svm' holds 0.", "column 'rbf' holds decisions", "turn the scores into decisions first"),
    ),
    "decisions beside scores": (
        {"x.csv": MIXED},
        "compare x.csv --truth y --a svm --b rbf --positive yes --threshold 0.5",
        ("'rbf'", "these are labels", "if svm has scores, turn them into decisions"),
    ),
    "infinite scores": (
        {"x.csv": "y,svm,rbf\n1,0.5,inf\n0,0.1,0\n1,0.2,-inf\n"},
        f"compare x.csv {COLUMNS} --measure auc",
        ("'rbf'", "2 rows (1, 3)", "row 1 is the first", "--rank-infinite"),
    ),
    "a misspelled correction": ({}, f"compare preds01.csv {COLUMNS} --correction hulm", ("'hulm'", "'holm'")),
    "binary": ({"x.csv": bytes(range(256)) * 9}, f"compare x.csv {COLUMNS}", ("x.csv",)),
    "not Parquet": ({"x.parquet": GOOD}, f"compare x.parquet {COLUMNS}", ("x.parquet",)),
    "not JSON lines": ({"x.jsonl": GOOD}, f"compare x.jsonl {COLUMNS}", ("x.jsonl",)),
    "empty file": ({"x.csv": ""}, f"compare x.csv {COLUMNS}", ("x.csv", "empty")),
    "header only": ({"x.csv": "y,svm,rbf\n"}, f"compare x.csv {COLUMNS}", ("x.csv", "no rows")),
    "no such file": ({}, f"compare pred.csv {COLUMNS}", ("pred.csv", "preds.csv")),
    "a folder": ({"sub/x.csv": GOOD}, f"compare sub {COLUMNS}", ("sub", "folder")),
    "an unknown ending": ({"x.txt": GOOD}, f"compare x.txt {COLUMNS}", ("x.txt", ".csv")),
    "one class only": (
        {"x.csv": "y,svm,rbf\n1,1,0\n1,0,1\n"},
        f"compare x.csv {COLUMNS} --measure mcc",
        ("class 0", "accuracy", "recall"),
    ),
    "one class only in an estimate": (
        {"x.csv": "y,svm,rbf\n1,1,0\n1,0,1\n"},
        "estimate x.csv --truth y --a svm --measure specificity",
        ("class 0", "accuracy", "recall"),
    ),
    "a class that is not there": (
        {},
        f"compare preds.csv {COLUMNS} --positive Spam",
        ("'Spam'", "ham, spam", "'spam'"),
    ),
    "no class named": ({}, f"compare preds.csv {COLUMNS}", ("positive", "--positive spam", "accuracy")),
    "three classes": (
        {"x.csv": "y,svm,rbf\na,b,c\nb,b,c\n"},
        f"compare x.csv {COLUMNS}",
        ("3 labels", "--positive a", "accuracy"),
    ),
    "nan counts": ({"x.json": json.dumps({**COUNTS, "e3": float("nan")})}, "compare x.json", ("e3", "NaN")),
    "infinite counts": ({"x.json": json.dumps({**COUNTS, "e3": float("inf")})}, "compare x.json", ("e3",)),
    "negative counts": ({"x.json": json.dumps({**COUNTS, "e2": -9})}, "compare x.json", ("e2", "-9")),
    "fractional counts": ({"x.json": json.dumps({**COUNTS, "e2": 0.5})}, "compare x.json", ("e2", "0.5")),
    "counts that are texts": ({"x.json": json.dumps({**COUNTS, "e2": "9"})}, "compare x.json", ("e2", "9")),
    "counts that are true": ({"x.json": json.dumps({**COUNTS, "e2": True})}, "compare x.json", ("e2", "true")),
    "huge counts": ({"x.json": json.dumps({**COUNTS, "e2": 2**63})}, "compare x.json", ("e2",)),
    "counts with a huge sum": (
        {"x.json": json.dumps({**COUNTS, "e1": 2**62, "e2": 2**62, "e4": 2**62})},
        "compare x.json",
        ("counts",),
    ),
    "all counts 0": ({"x.json": json.dumps(dict.fromkeys(COUNTS, 0))}, "compare x.json", ("All counts are 0",)),
    "a count missing": (
        {"x.json": json.dumps({k: v for k, v in COUNTS.items() if k != "e5"})},
        "compare x.json",
        ("e5",),
    ),
    "a count too many": ({"x.json": json.dumps({**COUNTS, "e9": 1})}, "compare x.json", ("e9",)),
    "counts that are no object": ({"x.json": "[1, 2, 3]"}, "compare x.json", ("x.json",)),
    "counts that are no JSON": ({"x.json": "{e1: 4}"}, "compare x.json", ("x.json", "JSON")),
    "counts in an empty file": ({"x.json": ""}, "compare x.json", ("x.json",)),
    "columns of counts": ({}, "compare counts.json --truth y", ("counts.json", "--truth")),
    "counts in an estimate": ({}, "estimate counts.json --truth y --a svm", ("counts.json",)),
    "negative costs": (
        {},
        f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn=-1)"',
        ("cost_fn", "-1", "0 or more"),
    ),
    "infinite costs": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn=1e999)"', ("cost_fn", "finite")),
    "costs beyond any float": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn={"9" * 400})"', ("cost_fn",)),
    "costs that are texts": ({}, f"compare preds01.csv {COLUMNS} --measure \"dcf(cost_fn='x')\"", ("cost_fn", "'x'")),
    "a prior above 1": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(prior=1.5)"', ("prior", "1.5", "0 to 1")),
    "a prior below 0": ({}, 'estimate preds01.csv --truth y --a svm --measure "dcf(prior=-0.1)"', ("prior", "-0.1")),
    "beta of 0": ({}, f'compare preds01.csv {COLUMNS} --measure "f_beta(beta=0)"', ("beta", "above 0")),
    "a level of 1": ({}, f"compare preds01.csv {COLUMNS} --confidence-level 1", ("between 0 and 1",)),
    "a level that is no number": (
        {},
        f"compare preds01.csv {COLUMNS} --confidence-level x",
        ("--confidence-level", "'x'"),
    ),
    "a level of 95": ({}, f"compare preds01.csv {COLUMNS} --confidence-level 95", ("confidence_level", "95", "0.95")),
    "a level of 0": ({}, "estimate preds01.csv --truth y --a svm --confidence-level 0", ("confidence_level",)),
    "a level that is nan": ({}, f"compare preds01.csv {COLUMNS} --confidence-level nan", ("confidence_level", "nan")),
    "no replicates": ({}, f"compare preds01.csv {COLUMNS} --n-resamples 0", ("n_resamples", "1 or more")),
    "fewer than no replicates": ({}, f"compare preds01.csv {COLUMNS} --n-resamples -5", ("n_resamples", "-5")),
    "half a replicate": ({}, f"compare preds01.csv {COLUMNS} --n-resamples 0.5", ("--n-resamples", "0.5")),
    "a negative seed": ({}, f"compare preds01.csv {COLUMNS} --seed -1", ("--seed", "-1")),
    "a misspelled measure": ({}, f"compare preds01.csv {COLUMNS} --measure acuracy", ("'acuracy'", "'accuracy'")),
    "a misspelled option of a measure": (
        {},
        f'compare preds01.csv {COLUMNS} --measure "dcf(cost_nf=1)"',
        ("'cost_nf'", "'cost_fn'"),
    ),
    "an unreadable measure": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn="', ("dcf(cost_fn=",)),
    "an option without a name": ({}, f'compare preds01.csv {COLUMNS} --measure "f_beta(2)"', ("f_beta(2)",)),
    "code instead of a measure": (
        {},
        f"compare preds01.csv {COLUMNS} --measure \"__import__('os').getcwd()\"",
        ("cannot be read",),
    ),
    "no measure": ({}, f'compare preds01.csv {COLUMNS} --measure ""', ("measure", "accuracy")),
    "a misspelled test": ({}, f"compare preds01.csv {COLUMNS} --test macnemar", ("'macnemar'", "'mcnemar'")),
    "a misspelled method": (
        {},
        f"compare preds01.csv {COLUMNS} --method exakt",
        ("'exakt'", "'exact'", "--test permutation"),
    ),
    "a method of another test": (
        {},
        f"compare preds01.csv {COLUMNS} --method mid-p",
        ("'mid-p'", "method of studentised"),
    ),
    "a misspelled interval": (
        {},
        f"compare preds01.csv {COLUMNS} --interval percentil",
        ("'percentile'", "--test bootstrap"),
    ),
    "a misspelled interval of the test": (
        {},
        f"compare preds01.csv {COLUMNS} --test bootstrap --interval percentil",
        ("of bootstrap", "did you mean 'percentile'?"),
    ),
    "a misspelled interval of an estimate": (
        {},
        "estimate preds01.csv --truth y --a svm --interval wilsen",
        ("'wilsen'", "'wilson'"),
    ),
    "a misspelled claim": ({}, f"compare preds01.csv {COLUMNS} --claim beter", ("'beter'", "'better'")),
    "a misspelled command": ({}, "compair preds.csv", ("compair", "compare")),
    "a misspelled option": ({}, f"compare preds01.csv {COLUMNS} --mesure f1", ("--mesure", "--measure")),
    "a test that cannot judge the measure": (
        {},
        f"compare preds01.csv {COLUMNS} --measure f1 --test mcnemar",
        ("F1 is not a sum over test items", "bootstrap", "permutation", "accuracy"),
    ),
    "a test that cannot judge the classes": (
        {},
        f"compare preds01.csv {COLUMNS} --measure recall --test sign",
        ("recall is not", "paired_proportion"),
    ),
    "an interval that cannot bound the measure": (
        {},
        "estimate preds01.csv --truth y --a svm --measure f1 --interval wilson",
        ("F1", "wilson", "percentile"),
    ),
    "no file": ({}, "compare", ("FILE",)),
    "no file to estimate": ({}, "estimate", ("FILE",)),
    "two files": ({}, "compare a.csv b.csv --id doc", ("2 files", "--truth")),
    "three files without an id": ({}, "compare gold.csv a.csv b.csv --truth label", ("--id",)),
    "a model that was not turned but a file": (
        {},
        f"compare {COLUMNS} --measure auc --lower-is-positive preds01.csv",
        ("--lower-is-positive would turn preds01.csv",),
    ),
    "a model to turn that is none": (
        {},
        f"compare preds01.csv {COLUMNS} --measure auc --lower-is-positive nobody",
        ("'nobody'", "svm, rbf"),
    ),
    "decisions to turn": ({}, f"compare preds01.csv {COLUMNS} --lower-is-positive", ("--lower-is-positive is for",)),
    "another way with what is missing": ({}, f"compare preds01.csv {COLUMNS} --missing keep", ("refuse, drop",)),
    "long and models": ({}, "datasets preds01.csv --long y,svm,rbf --models svm", ("--long names all columns",)),
    "three files and one file's worth of columns": (
        {},
        "compare gold.csv a.csv b.csv --id doc --a svm",
        ("'svm'", "a.csv", "label"),
    ),
    "standard input twice": ({}, "compare - - b.csv --id doc", ("-",)),
    "empty standard input": ({}, f"compare - {COLUMNS}", ("standard input", "empty")),
    "more to measures than a flag": ({}, "measures f1", ("f1",)),
}


@pytest.mark.parametrize("title", BAD_INPUT)
def test_bad_input_gets_a_clear_error(folder: Path, title: str) -> None:
    files, command, mentions = BAD_INPUT[title]
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    text = refused(*shlex.split(command))
    for mention in mentions:
        assert mention in text, text


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


# --- on a terminal --------------------------------------------------------------------------------------------


def shown(result: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal.show(result.summary())
    return capsys.readouterr().out


def unwrapped(text: str) -> str:
    return spaced(re.sub(r"\x1b\[[0-9;]*m", "", text))


HOSTILE = ("[bold]x[/bold]", "[link=http://x]y[/link]")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_terminal_shows_verdict_and_caveats(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    r = cw.compare([1, 0] * 2, [1, 1] * 2, [0, 0] * 2, names=HOSTILE, rng=1)
    assert len(r.caveats) >= 2
    out = unwrapped(shown(r, monkeypatch, capsys, columns))
    # wrapped at the spaces, so that only spaces may differ
    bare = out.replace(" ", "")
    assert f"{HOSTILE[1]} is not shown to be different from {HOSTILE[0]} in F1 (p = ".replace(" ", "") in bare
    for caveat in r.caveats:
        assert str(caveat).replace(" ", "") in bare
    assert f"Null hypothesis: {r.null_hypothesis}".replace(" ", "") in bare


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", ["svm", "meta-llama/Llama-3.1-70B-Instruct-fine-tuned-on-everything-we-have"])
def test_the_terminal_shows_every_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int, name: str
) -> None:
    r = cw.compare(TRUTH, A, B, names=(name, "rbf"), measure="dcf(cost_fn=10, cost_fp=1, prior=0.01)", rng=1)
    out = shown(r, monkeypatch, capsys, columns)
    assert f"{r.estimate_a:.4f}" in out
    assert f"{r.difference:+.4f}" in out
    assert "…" not in out


def test_the_terminal_shows_an_estimate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    r = cw.estimate(TRUTH, A, measure="recall", name="[red]svm[/red]")
    out = unwrapped(shown(r, monkeypatch, capsys, 100))
    assert f"recall of [red]svm[/red] {metrics.recall_score(TRUTH, A):.4f}" in out


def test_the_terminal_shows_the_names_of_methods_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    terminal.show_table(
        [
            {
                "name": t.name,
                "question": t.question,
                "judges": ", ".join(t.judges),
                "methods": ", ".join(t.methods),
                "intervals": ", ".join(t.intervals),
                "source": t.source,
            }
            for t in cw.list_tests().values()
        ]
    )
    out = capsys.readouterr().out
    for test in cw.list_tests().values():
        assert test.name in out
    # "bonett-pr…" cannot be typed
    assert "…" not in out


@pytest.mark.parametrize("columns", [60, 120])
def test_escape_codes_in_names_do_not_reach_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    r = cw.compare(TRUTH, A, B, names=("\x1b[2J\x1b]0;owned\x07svm", "rbf"), measure="accuracy", rng=1)
    out = shown(r, monkeypatch, capsys, columns)
    assert "\x1b[2J" not in out
    assert "\x1b]0;" not in out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_real_terminal_gets_colours_and_the_same_words(folder: Path) -> None:
    import pty

    Path("x.csv").write_text("y,[bold]x[/bold],rbf\n1,1,0\n0,1,0\n")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "300", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    arguments = ["compare", "x.csv", "--truth", "y", "--a", "[bold]x[/bold]", "--b", "rbf", "--seed", "1"]
    with subprocess.Popen([*PYTHON, *arguments], stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        chunks = []
        try:
            while chunk := os.read(ours, 65536):
                chunks.append(chunk)
        except OSError:  # how Linux says that the other side has hung up
            pass
    os.close(ours)
    out = b"".join(chunks).decode()
    assert process.returncode == 0, out
    assert ANSI.search(out)
    assert unwrapped(out) == spaced(ran(*arguments))


# --- what is imported -----------------------------------------------------------------------------------------

PYTHON = (sys.executable, "-c", "from clearwin.cli import main; main(prog_name='clearwin')")
LIST_MODULES = """
import sys
from clearwin.cli import main
try:
    main(sys.argv[1:], prog_name="clearwin")
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def modules(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", LIST_MODULES, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_imports_nothing_heavy() -> None:
    heavy = {
        "numpy",
        "scipy",
        "duckdb",
        "numba",
        "joblib",
        "matplotlib",
        "rich",
        "narwhals",
        "flint",
        "starlette",
        "uvicorn",
        "jinja2",
        "pandas",
        "sklearn",
    }
    assert modules("--help").isdisjoint(heavy)
    assert modules("compare", "--help").isdisjoint(heavy)


def test_compare_imports_only_what_it_needs(folder: Path) -> None:
    heavy = {
        "scipy.stats",
        "numba",
        "matplotlib",
        "joblib",
        "pandas",
        "sklearn",
        "polars",
        "pyarrow",
        "narwhals",
        "rich",
        "starlette",
    }
    found = modules("compare", *PREDS, "--positive", "spam")
    assert "duckdb" in found
    assert found.isdisjoint(heavy)


# --- as a real process ----------------------------------------------------------------------------------------


def test_a_process_reports_errors_on_stderr_with_exit_code_2(folder: Path) -> None:
    done = subprocess.run([*PYTHON, "compare", "nope.csv"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_a_reader_that_stops_reading_is_no_traceback(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PYTHON, "measures"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert "Traceback" not in done.stderr


def test_an_output_that_cannot_carry_our_signs_is_no_traceback(folder: Path) -> None:
    # what a pipe is on Windows before Python 3.15
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [*PYTHON, "compare", *PREDS01, "--seed", "1"], capture_output=True, env=environment, check=False
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0
    assert b"F1 of svm" in done.stdout


# --- every option is explained --------------------------------------------------------------------------------


def test_every_option_has_a_help_text() -> None:
    for name, command in main.commands.items():
        assert command.help, name
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, (name, parameter.name)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", ["measures", "demo"])
def test_a_full_disk_is_told(command: str) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run([*PYTHON, command], stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 2
    assert "the output cannot be written" in run.stderr
    assert "Traceback" not in run.stderr


def test_an_error_of_the_system_is_told_of_what_it_happened_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*names: str) -> Any:
        return lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EMFILE, os.strerror(errno.EMFILE), *names))

    monkeypatch.setattr("clearwin.data.files.predictions.tally_file", fail("workers.tmp"))
    said = refused("compare", *PREDS01)
    assert "workers.tmp cannot be opened: too many files are open." in said
    assert "ulimit -n" in said
    monkeypatch.setattr("clearwin.data.files.predictions.tally_file", fail())
    said = refused("compare", *PREDS01)
    assert "The system says: Too many open files." in said
    assert "output cannot be written" not in said


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names for open files")
def test_what_a_shell_makes_of_a_program_is_read(folder: Path) -> None:
    command = f"{shlex.join(PYTHON)} compare <(gzip -c preds01.csv) {shlex.join(PREDS01[1:])} --seed 1"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout == ran("compare", *PREDS01, "--seed", 1)


# --- label sets, groups, strata, counts per item --------------------------------------------------------------

LABELS = ("joy", "anger", "fear")


def units_folder(path: Path) -> None:
    """Write the same label sets as lists, as columns and as JSON; with authors and parts; and spans of sentences."""
    rng = np.random.default_rng(8)
    truth = rng.random((120, 3)) < 0.4
    models = [truth ^ (rng.random((120, 3)) < p) for p in (0.2, 0.12)]
    tables = dict(zip(("gold", "svm", "rbf"), (truth, *models), strict=True))
    texts = {
        name: [",".join(label for label, on in zip(LABELS, row, strict=True) if on) for row in x]
        for name, x in tables.items()
    }
    lines = ["id;author;part;gold;svm;rbf"]
    lines += [f"{i};w{i // 4};p{i // 60};{texts['gold'][i]};{texts['svm'][i]};{texts['rbf'][i]}" for i in range(120)]
    (path / "sets.csv").write_text("\n".join(lines) + "\n")
    names = [f"{name}_{label}" for name in tables for label in LABELS]
    rows = np.concatenate(list(tables.values()), axis=1).astype(int)
    (path / "columns.csv").write_text("\n".join([",".join(names), *(",".join(map(str, r)) for r in rows)]) + "\n")
    with (path / "sets.jsonl").open("w") as file:
        for i in range(120):
            row = {name: [t for t in texts[name][i].split(",") if t] for name in tables}
            file.write(json.dumps({"id": i, "author": f"w{i // 4}", **row}) + "\n")
    gold = rng.integers(0, 5, 40)
    right = [rng.integers(0, gold + 1) for _ in "ab"]
    spans = np.stack([np.arange(40) // 4, gold, right[0], right[0] + 1, right[1], right[1] + 1], axis=1)
    header = "page,gold,right_a,made_a,right_b,made_b"
    (path / "spans.csv").write_text("\n".join([header, *(",".join(map(str, r)) for r in spans)]) + "\n")


SETS = ("sets.csv", "--truth", "gold", "--a", "svm", "--b", "rbf", "--separator", ",")


def found_in(*arguments: str) -> Any:
    return strict_json(ran("compare", *arguments, "--seed", "1", "--n-resamples", "300", "--json"))


def test_label_sets_in_every_form(folder: Path) -> None:
    units_folder(folder)
    lists = found_in(*SETS, "--measure", "macro_f1")
    columns = found_in("columns.csv", "--truth", "gold_*", "--a", "svm_*", "--b", "rbf_*", "--measure", "macro_f1")
    nested = found_in("sets.jsonl", *SETS[1:], "--measure", "macro_f1")
    assert (lists["name_a"], lists["n"], lists["measure"]) == ("svm", 120, "macro_f1")
    assert columns["difference"] == pytest.approx(lists["difference"])
    assert nested["p_value"] == lists["p_value"]
    assert lists["sampling"]["unit"] == "document"
    some = found_in(*SETS, "--measure", "micro_f1", "--labels", "joy, fear")
    assert some["labels"] == ["joy", "fear"]
    each = found_in(*SETS, "--per-class")
    assert [one["label"] for one in each["classes"]] == sorted(LABELS)
    single = strict_json(ran("estimate", *SETS[:5], *SETS[7:], "--measure", "hamming_loss", "--seed", "1", "--json"))
    assert 0 < single["estimate"] < 1


def test_groups_and_strata_of_every_kind(folder: Path) -> None:
    units_folder(folder)
    grouped = found_in(*SETS, "--measure", "micro_f1", "--groups", "author", "--strata", "part")
    assert (grouped["sampling"]["n_units"], grouped["sampling"]["strata"]) == (30, {"p0": 15, "p1": 15})
    spans = (
        "spans.csv",
        "--truth",
        "gold",
        "--a",
        "right_a,made_a",
        "--b",
        "right_b,made_b",
        "--measure",
        "f1_of_sums",
    )
    assert found_in(*spans, "--groups", "page")["sampling"]["n_units"] == 10
    single = strict_json(ran("estimate", *spans[:5], *spans[7:], "--groups", "page", "--seed", "1", "--json"))
    assert single["sampling"]["smallest"] == 4
    values = ("spans.csv", "--a", "right_a", "--b", "right_b", "--measure", "mean", "--groups", "page")
    assert found_in(*values)["sampling"]["n_units"] == 10
    scores = ("spans.csv", "--truth", "page", "--a", "made_a", "--b", "made_b", "--measure", "auc", "--positive", "0")
    assert found_in(*scores, "--groups", "gold")["sampling"]["unit"] == "group"
    decisions = ("spans.csv", "--truth", "gold", "--a", "right_a", "--b", "right_b", "--measure", "macro_f1")
    assert found_in(*decisions, "--groups", "page", "--labels", "1,2")["sampling"]["n_units"] == 10
    assert found_in(*decisions[:-1], "accuracy", "--strata", "page")["sampling"]["unit"] == "item"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SETS, *4 * ("--groups", "author"), "--measure", "macro_f1"), "--groups was given 4 times"),
        ((*SETS, "--groups", "autor", "--measure", "macro_f1"), "did you mean 'author'"),
        ((*SETS, "--groups", "part", "--strata", "author", "--measure", "macro_f1"), "has items in several strata"),
        ((*SETS, "--labels", "joi", "--measure", "macro_f1"), "did you mean 'joy'"),
        ((*SETS, "--positive", "joy", "--measure", "macro_f1"), "--labels to choose"),
        ((*SETS, "--measure", "f1"), "--measure macro_f1"),
        ((*SETS, "--measure", "macro_f1", "--threshold", "0.5"), "no separator with scores"),
        (("sets.jsonl", "--truth", "gold", "--a", "svm", "--b", "rbf", "--measure", "macro_f1"), "--separator"),
        (("columns.csv", "--truth", "gold_*", "--a", "svn_*", "--b", "rbf_*"), "svm_joy"),
        (("spans.csv", "--truth", "gold", "--a", "right_a", "--b", "right_b", "--measure", "span_f1"), "two columns"),
        (
            ("spans.csv", "--truth", "gold", "--a", "made_a,right_a", "--b", "right_b,made_b", "--measure", "span_f1"),
            "more right spans",
        ),
        (("counts.json", "--groups", "author"), "--groups"),
        (("counts.json", "--separator", ","), "has no label sets"),
        (("columns.csv", "--truth", "gold_*", "--a", "svm_*", "--b", "rbf_*", "--separator", ","), "one of them"),
    ],
)
def test_units_that_cannot_be_are_told(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    units_folder(folder)
    (folder / "counts.json").write_text(json.dumps({f"e{i}": 5 for i in range(1, 9)}))
    result = run("compare", *arguments)
    assert result.exit_code == 2
    assert message in result.output


# --- what to type ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["svm\u200b", "svm\u3164", "s'vm\u202e"])
@pytest.mark.parametrize("typed", ["svm", "as shown", "zzzzzzzzz"])
def test_a_column_with_something_unseen_in_its_name_can_be_typed(folder: Path, name: str, typed: str) -> None:
    from clearwin.cli.command import quoted
    from clearwin.text import one_line

    Path("unseen.csv").write_text(table({"y": TRUTH, name: A, "rbf": B}), encoding="utf-8")
    words = ["compare", "unseen.csv", "--truth", "y", "--b", "rbf", "--a"]
    found = CliRunner().invoke(main, [*words, one_line(name) if typed == "as shown" else typed])
    assert found.exit_code == 2
    assert f"  next: type {quoted(name)}\n" in found.stderr
    assert quoted(name).startswith("$'")
    assert found.stderr.replace("\n", "").isprintable()
    read = subprocess.run(
        ["bash", "-c", f"printf %s {quoted(name)}"],
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert read.stdout.decode() == name


def test_an_interval_or_method_of_another_test_is_told_with_that_test(folder: Path) -> None:
    words = ["compare", "preds01.csv", "--truth", "y", "--a", "svm", "--b", "rbf", "--measure", "accuracy"]
    for option, name, what in (("--interval", "dirichlet", "interval"), ("--method", "monte_carlo", "method")):
        found = CliRunner().invoke(main, [*words, option, name])
        assert f"There is no {what} of studentised named '{name}'." in found.stderr
        able = [
            t.name
            for t in cw.list_tests().values()
            if name in getattr(t, f"{what}s") and t.can_judge(cw.list_measures()["accuracy"])
        ]
        assert f"  next: use --test {' or '.join(able)}\n" in found.stderr
        again = CliRunner().invoke(main, [*words, option, name, "--test", able[0], "--n-resamples", "200"])
        assert again.exit_code == 0, again.stderr
    nowhere = CliRunner().invoke(main, [*words, "--interval", "tangoo"])
    assert "next: did you mean 'tango'? It needs --test mcnemar" in nowhere.stderr


def test_folds_are_told_in_the_spelling_of_the_command(folder: Path) -> None:
    scores = {"svm": [0.81, 0.79, 0.84, 0.80, 0.78] * 2, "rbf": [0.85, 0.80, 0.88, 0.84, 0.79] * 2}
    Path("folds.csv").write_text(table(scores))
    words = ["folds", "folds.csv", "--a", "svm", "--b", "rbf"]
    naive = CliRunner().invoke(main, [*words, "--design", "k-fold", "--test", "paired_t"])
    assert "Use --test corrected_t." in " ".join(naive.stdout.split())
    in_python = cw.compare_folds(*scores.values(), design="k-fold", test="paired_t")
    assert 'Use test="corrected_t".' in " ".join(str(in_python).split())
    refused = CliRunner().invoke(main, [*words, "--design", "5x2", "--test", "5x2cv_f", "--claim", "better"])
    assert "expected: --claim different" in refused.stderr


@pytest.mark.parametrize(
    "trouble",
    [
        MemoryError("Unable to allocate 7.28 PiB for an array"),
        MemoryError(),
        RuntimeError("can't start new thread"),
        OSError(12, "Cannot allocate memory"),
        ImportError("libscipy.so: failed to map segment from shared object"),
    ],
    ids=lambda trouble: type(trouble).__name__,
)
def test_what_fails_for_want_of_memory_is_told_as_that(trouble, monkeypatch):
    def fails(*_, **__):
        raise trouble

    monkeypatch.setattr("clearwin.data.matrices.read_matrix", fails)
    said = CliRunner().invoke(main, ["chance", "matrix.csv"])
    assert said.exit_code == 2
    assert "used up" in said.output
    assert "ulimit -v unlimited" in said.output


def test_other_errors_of_the_runtime_keep_their_traceback(monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("a bug")

    monkeypatch.setattr("clearwin.data.matrices.read_matrix", fails)
    assert isinstance(CliRunner().invoke(main, ["chance", "matrix.csv"]).exception, RuntimeError)


# --- what a careful colleague would have noticed -------------------------------------------------------------------


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
        found = run("compare", file, *how)
        assert json.loads(found.stdout) == json.loads(outright.stdout)
        assert "took a svm, b rbf, truth y, measure f1, positive 1" in found.stderr
        [typed] = re.findall(r"to say so: (clearwin .*)", found.stderr)
        assert run(*line(typed), "--json").stdout == found.stdout
    by_mcc = run("compare", "preds01.csv", "--measure", "mcc", *how)
    assert json.loads(by_mcc.stdout)["measure"] == "mcc"
    assert "--measure mcc" in by_mcc.stderr
    three = run("compare", "gold.csv", "a.csv", "b.csv", *how)
    assert "--truth label --a label --b label --id doc" in three.stderr
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
    assert told.index("Caveat") == told.index("Caveat: The scores run the wrong way")
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
    assert f"2 of {len(TRUTH)} items were left out because something is missing: y on 1, svm on 1" in dropped.stdout
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
