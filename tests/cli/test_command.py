"""The command: every call of the interface, every refusal, what goes to which stream, what is imported."""

from __future__ import annotations

import errno
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
import pytest
from click.testing import CliRunner
from sklearn import metrics

import clearwin as cw
from clearwin.cli import main
from clearwin.cli.command import as_typed
from clearwin.cli.typed import read_names
from clearwin.errors import setting
from clearwin.text import as_listed, shell_word
from tests.cli.calling import (
    ANSI,
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
    unwrapped,
)
from tests.data.logs.made import lm_eval_line, lm_eval_run


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
    "p_is_bound",
    "interval",
    "confidence",
    "positive",
    "positive_inferred",
    "thresholds",
    "outcomes",
    "error_reduction",
    "margin",
    "relative",
    "contrary",
    "slices",
    "slicing",
    "decision",
    "judged",
    "lead",
    "undefined_for",
    "joint",
    "n_classes",
    "undefined_replicates",
    "sampling",
    "labels",
    "lower_is_positive",
    "origin",
    "caveats",
    "signature",
}


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
        "device",
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
        "origin",
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
    assert all(set(caveat) == {"code", "text", "source", "changes"} for caveat in found["caveats"])


# --- formats, standard input, streams -------------------------------------------------------------------------


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
    ("plan --pilot preds01.csv --truth y --a svm --b rbf --difference 0.1", "--json", "--html"),
    ("reproduce keller2004 --corpus preds01.csv", "--save", "--json"),
    ("gate preds01.csv --truth y --a svm --b rbf --margin 0.1", "--junit", "--ledger"),
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
    ("gate {} --truth y --a svm --b rbf --margin 0.1", "--junit"),
    ("gate {} --truth y --a svm --b rbf --margin 0.1", "--ledger"),
    ("rank gold.csv a.csv {} --id doc", "--html"),
    ("plan --pilot {} --truth y --a svm --b rbf --difference 0.1", "--html"),
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
    assert f"{option} names {name}, which is also an input" in text
    assert "--force" not in text
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_picture_is_never_drawn_over_an_input(folder: Path) -> None:
    Path("scores.png").write_bytes(Path("preds01.csv").read_bytes())
    for command in ("chance scores.png --truth y --a svm --plot", "curve scores.png --truth y --a svm --plot"):
        assert "which is also an input" in refused(*shlex.split(command), "scores.png", "--force")
    assert Path("scores.png").read_bytes() == Path("preds01.csv").read_bytes()


def test_the_file_behind_standard_input_is_an_input(folder: Path) -> None:
    arguments = ["compare", "-", *PREDS01[1:], "--json", "preds01.csv", "--force"]
    before = Path("preds01.csv").read_bytes()
    with Path("preds01.csv").open("rb") as file:
        result = subprocess.run([*PYTHON, *arguments], stdin=file, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "--json names preds01.csv, which is also an input (standard input)." in result.stderr
    assert Path("preds01.csv").read_bytes() == before


def test_the_data_of_the_demo_are_never_written_over(folder: Path) -> None:
    shipped = Path(cw.__file__).parent / "data" / "shipped" / "digits_eight.csv"
    before = shipped.read_bytes()
    assert "which is also an input" in refused("demo", "--save", shipped, "--force")
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
    assert "read the next word" in text
    assert "--json as the last word" in text
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_what_a_refused_json_says_to_type_works(folder: Path) -> None:
    text = refused(*shlex.split(SWALLOWED["a file of counts"]))
    assert "next: clearwin compare counts.json … --json" in text
    assert strict_json(ran("compare", "counts.json", "--json"))["measure"] == "f1"
    assert strict_json(ran("compare", "--json", "--", "counts.json"))["measure"] == "f1"


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


# --- on a terminal --------------------------------------------------------------------------------------------


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


def test_f1_of_a_thousand_items_needs_neither_scipy_nor_other_records_nor_logs(folder: Path) -> None:
    """They took more than a third of the time that the command takes."""
    lines = [f"{i % 2},{int(i % 10 < 8) ^ i % 2},{int(i % 7 < 6) ^ i % 2}" for i in range(1_000)]
    (folder / "thousand.csv").write_text("\n".join(["y,a,b", *lines, ""]), encoding="utf-8")
    columns = ["--truth", "y", "--a", "a", "--b", "b"]
    found = modules("compare", "thousand.csv", *columns, "--measure", "f1", "--positive", "1")
    unneeded = {"clearwin.results.study", "clearwin.data.logs.runs", "clearwin.analyses.per_class"}
    assert found.isdisjoint({"scipy", "concurrent.futures", *unneeded})


# --- as a real process ----------------------------------------------------------------------------------------


@pytest.fixture
def commas(folder: Path) -> Path:
    """Write a file in which the names of models hold what parts names, and quotes."""
    rows = zip(TRUTH, A, B, strict=True)
    head = 'y,"gpt, v2","""best"", say","x,y"\n'
    (folder / "commas.csv").write_text(head + "".join(f"{y},{a},{b},{a}\n" for y, a, b in rows))
    return folder


COMMAS = (
    *("commas.csv", "--truth", "y", "--a", "gpt, v2", "--b", '"best", say'),
    *("--measure", "accuracy", "--test", "mcnemar", "--seed", "1"),
)


def test_a_model_whose_name_holds_a_comma(commas: Path) -> None:
    found = strict_json(ran("compare", *COMMAS, "--json"))
    assert (found["name_a"], found["name_b"]) == ("gpt, v2", '"best", say')
    named = strict_json(ran("compare", *COMMAS, "--names", '"gpt, v3", new', "--json"))
    assert (named["name_a"], named["name_b"]) == ("gpt, v3", "new")
    for names in ("gpt, v3,new", '"gpt, v3"', '"gpt, v3",', "a,b,c"):
        assert "two names separated by a comma" in refused("compare", *COMMAS, "--names", names)
    some = as_listed(["gpt, v2", '"best", say', "x,y"])
    ranked = strict_json(ran("rank", *COMMAS[:3], "--models", some, "--measure", "accuracy", "--json"))
    assert {model["name"] for model in ranked["models"]} == {"gpt, v2", '"best", say', "x,y"}


def test_names_with_commas_are_advised_as_they_are_typed() -> None:
    text = as_typed(setting("names", ["gpt, v2", "new"]), main.commands["compare"])
    option, typed = shlex.split(text)
    assert (option, read_names(typed)) == ("--names", ("gpt, v2", "new"))


def test_the_line_to_repeat_a_comparison_of_names_with_commas_runs(commas: Path) -> None:
    names = ("--names", '"gpt, v2","new, too"')
    shown = ran("compare", *COMMAS, *names, "--markdown")
    program, *words = shlex.split(shown.partition("```sh\n")[2].partition("\n")[0])
    assert program == "clearwin"
    assert ran(*words, "--json") == ran("compare", *COMMAS, *names, "--json")


def test_the_three_parts_of_an_error_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the command and on the page: each part in its place and nowhere else."""
    from clearwin.web.refusals import in_words

    error = cw.errors.FileError("It is wrong.", "what is right", "put it right")

    def work() -> None:
        raise error

    monkeypatch.setattr(main.commands["measures"], "callback", work)
    monkeypatch.setattr(main.commands["measures"], "params", [])
    told = CliRunner().invoke(main, ["measures"])
    assert told.stderr == "error: It is wrong.\n  expected: what is right\n  next: put it right\n"
    assert in_words(error, {}) == {"what": "It is wrong.", "expected": "what is right", "next": "put it right"}


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

    monkeypatch.setattr("clearwin.reading.file_table.tally_file", fail("workers.tmp"))
    said = refused("compare", *PREDS01)
    assert "workers.tmp cannot be opened: too many files are open." in said
    assert "ulimit -n" in said
    monkeypatch.setattr("clearwin.reading.file_table.tally_file", fail())
    said = refused("compare", *PREDS01)
    assert "The operating system reported: Too many open files." in said
    assert "output cannot be written" not in said


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names for open files")
def test_what_a_shell_makes_of_a_program_is_read(folder: Path) -> None:
    command = f"{shlex.join(PYTHON)} compare <(gzip -c preds01.csv) {shlex.join(PREDS01[1:])} --seed 1"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout == ran("compare", *PREDS01, "--seed", 1)


# --- what to type ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["svm\u200b", "svm\u3164", "s'vm\u202e"])
@pytest.mark.parametrize("typed", ["svm", "as shown", "zzzzzzzzz"])
def test_a_column_with_something_unseen_in_its_name_can_be_typed(folder: Path, name: str, typed: str) -> None:
    from clearwin.text import one_line, shell_word

    Path("unseen.csv").write_text(table({"y": TRUTH, name: A, "rbf": B}), encoding="utf-8")
    words = ["compare", "unseen.csv", "--truth", "y", "--b", "rbf", "--a"]
    found = CliRunner().invoke(main, [*words, one_line(name) if typed == "as shown" else typed])
    assert found.exit_code == 2
    assert f"  next: type {shell_word(name)}\n" in found.stderr
    assert shell_word(name).startswith("$'")
    assert found.stderr.replace("\n", "").isprintable()
    read = subprocess.run(
        ["bash", "-c", f"printf %s {shell_word(name)}"],
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
    assert "ran out of memory" in said.output
    assert "ulimit -v unlimited" in said.output


def test_other_errors_of_the_runtime_keep_their_traceback(monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("a bug")

    monkeypatch.setattr("clearwin.data.matrices.read_matrix", fails)
    assert isinstance(CliRunner().invoke(main, ["chance", "matrix.csv"]).exception, RuntimeError)


def test_a_byte_of_a_path_that_is_not_utf_8():
    import subprocess

    path = b"a\xe9b.csv".decode(errors="surrogateescape")
    run = subprocess.run(
        ["bash", "-c", f"printf %s {shell_word(path)}"], capture_output=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert run.stdout == b"a\xe9b.csv"


def test_one_sentence_for_a_paper_or_a_chat(folder: Path) -> None:
    words = ("compare", *PREDS01, "--seed", 1)
    told = {style: ran(*words, "--style", style).strip() for style in ("full", "paper", "brief")}
    assert told["full"] == ran(*words).strip()
    assert told["full"].startswith(told["brief"].partition(" (")[0])
    assert "\n" not in told["brief"]
    assert f"clearwin {cw.__version__}" in told["paper"]
    assert "did you mean 'paper'" in refused(*words, "--style", "papr")
    assert "one of them to print" in refused(*words, "--style", "paper", "--json")


def test_a_table_for_a_paper_is_written(folder: Path) -> None:
    ran("compare", *PREDS01, "--seed", 1, "--latex", "table.tex")
    assert r"\toprule" in Path("table.tex").read_text(encoding="utf-8")
    assert "a file that ends in .tex" in refused("compare", *PREDS01, "--latex", "table.csv")


# --- the command that a report prints -----------------------------------------------------------------------------

# what to type, with few draws; the command that the report prints must give the same JSON
REPEATED = {
    "compare": "compare preds.csv --truth y --a svm --b rbf --positive spam",
    "counts": "compare counts.json --test permutation",
    "three files": "compare gold.csv a.csv b.csv --id doc",
    "standard names": "compare table.csv --truth y --a 'a b' --b '-c' --names 'old one,-new' --measure accuracy",
    "missing": "compare table.csv --truth y --a gaps --b '-c' --missing drop --measure mcc",
    "groups": "compare table.csv --truth y --a 'a b' --b=-c --groups author --groups doc --measure accuracy",
    "strata": "compare table.csv --truth y --a 'a b' --b=-c --strata y --confidence-level 0.9 --claim better",
    "slices": "compare table.csv --truth y --a 'a b' --b=-c --by BasePolicy --correction benjamini-hochberg",
    "every class": "compare preds.csv --truth y --a svm --b rbf --per-class --measure recall",
    "thresholds": "compare table.csv --truth y --a s --b t --threshold=-0.4,0.7",
    "a threshold chosen here": "compare table.csv --truth y --a s --b t --threshold best",
    "a development set": "compare table.csv --truth y --a s --b t --dev dev.csv",
    "lower is positive": "compare table.csv --truth y --a s --b t --measure auc --lower-is-positive s",
    "all lower are positive": "compare table.csv --truth y --a s --b t --measure auc --lower-is-positive",
    "infinite": "compare table.csv --truth y --a s --b infinite --measure auc --rank-infinite",
    "bins": "compare table.csv --truth y --a s --b t --measure auc --bins 40",
    "a margin of a share": "compare table.csv --truth y --a 'a b' --b=-c --claim not_worse --margin 5%",
    "a margin for showing": "compare table.csv --truth y --a 'a b' --b=-c --margin 0.1",
    "options of a measure": "compare table.csv --truth y --a 'a b' --b=-c --measure 'dcf(cost_fn=10, prior=0.01)'",
    "label sets": "compare sets.csv --truth gold --a one --b two --separator '|' --labels x,z --measure macro_f1",
    "labels in columns": "compare table.csv --truth 'gold*' --a 'one*' --b 'two*' --measure micro_f1",
    "values": "compare table.csv --a s --b t --measure 'trimmed_mean(share=0.1)'",
    "battles": "compare battles.csv --truth winner --a old --b new --measure win_rate",
    "columns that are guessed": "compare guessed.csv",
    "logs": "compare runs/old runs/new --metric acc --by task",
    "estimate": "estimate preds.csv --truth y --a svm --positive spam --interval bca",
    "estimate at a threshold": "estimate table.csv --truth y --a s --threshold 0.5 --groups author",
    "estimate of a log": "estimate runs/old --metric acc",
    "gate": "gate preds.csv --truth y --a svm --b rbf --positive spam --margin 0.05 --claim equivalent",
    "gate with a table": "gate preds.csv --config gate.toml --min-slice 20",
    "gate of slices": "gate table.csv --truth y --a 'a b' --b=-c --by BasePolicy --margin 5%",
    "rank": "rank table.csv --truth y --models 'a b,-c,third' --baseline third --correction max-t",
    "rank scores": "rank table.csv --truth y --models s,t,u --measure auc --lower-is-positive u --missing drop",
    "rank files": "rank gold.csv a.csv b.csv --id doc",
    "rank logs": "rank runs --metric acc",
    "curve": "curve table.csv --truth y --a s --b t --pr --bands --prior 0.1 --cost-fn 10",
    "curves of many": "curve table.csv --truth y --models s,t,u --det",
    "folds": "folds folds.csv --a one --b two --design 5x2 --lower-is-better --measure-label loss",
    "folds with a margin": "folds folds.csv --a one --b two --test-train-ratio 0.5 --test bayes_t --margin 0.02",
    "data sets": "datasets folds.csv --models one,two,three --baseline one --lower-is-better",
    "data sets in a long table": "datasets long.csv --long task,model,score",
    "chance": "chance preds.csv --truth y --a svm --method monte_carlo",
    "plan": "plan --pilot preds.csv --truth y --a svm --b rbf --positive spam --difference 0.1",
    "plan of rates": "plan --measure accuracy --difference 0.02 --disagreement 0.1 --design-effect 1.5",
    "study": "study preds01.csv --truth y --a svm --b rbf --test-size 60 --sets 10 --test sign --measure accuracy",
}
FEW = {"--n-resamples": "300"}


@pytest.fixture
def many_files(folder: Path) -> Path:
    rng = np.random.default_rng(8)
    n = len(TRUTH)
    truth = np.array(TRUTH)
    scores = {name: truth * shift + rng.normal(size=n).round(3) for name, shift in (("s", 0.9), ("t", 1.5), ("u", 1.1))}
    labels = {f"{who}{i}": rng.integers(0, 2, n) for who in ("gold", "one", "two") for i in (1, 2)}
    columns = {"y": truth, "a b": A, "-c": B, "third": np.where(rng.random(n) < 0.2, 1 - truth, truth), **scores}
    columns |= {"gaps": ["" if i % 30 == 0 else x for i, x in enumerate(A)], "infinite": ["inf", *scores["t"][1:]]}
    columns |= {"author": rng.integers(0, 50, n), "doc": rng.integers(0, 45, n), **labels}
    columns |= {"BasePolicy": [["Liability", "All Perils"][i % 2] for i in range(n)]}
    Path("table.csv").write_text(table(columns))
    Path("dev.csv").write_text(table({"y": truth, **{name: rng.permutation(s) for name, s in scores.items()}}))
    Path("guessed.csv").write_text(table({"truth": truth, "svm": A, "rbf": B}))
    sets = {name: rng.choice(["x|y", "y", "x", "z"], n) for name in ("gold", "one", "two")}
    Path("sets.csv").write_text(table(sets))
    Path("battles.csv").write_text(table({"winner": rng.choice(["old", "new", "new", "tie"], n)}))
    folds = {name: (0.7 + 0.1 * rng.random(10)).round(4) for name in ("one", "two", "three")}
    Path("folds.csv").write_text(table(folds))
    long = [(i, name, s) for name, column in folds.items() for i, s in enumerate(column)]
    tasks, models, values = (list(column) for column in zip(*long, strict=True))
    Path("long.csv").write_text(table({"task": tasks, "model": models, "score": values}))
    Path("gate.toml").write_text(
        'truth = "y"\na = "svm"\nb = "rbf"\npositive = "spam"\nchecks = [{measure = "f1", margin = 0.05}]\n'
    )
    for name, right in (("old", 0.6), ("new", 0.8), ("third", 0.7)):
        for task in ("quiz", "riddle"):
            lines = [lm_eval_line(i, {"acc": float(rng.random() < right)}) for i in range(60)]
            lm_eval_run(Path("runs") / name, lines, task=task)
    return folder


@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize("title", REPEATED)
def test_the_command_that_a_report_prints_gives_the_same_json(title: str) -> None:
    """Without a seed, so that the command has to give the one that was drawn."""
    words = shlex.split(REPEATED[title])
    options = {str(option.opts[0]) for option in main.commands[words[0]].params}
    words += [word for option, value in FEW.items() if option in options for word in (option, value)]
    report = run(*words, "--markdown", "--json", "first.json", "--force")
    assert report.exit_code in (0, 1, 3), report.output
    command = re.search(r"```sh\n(.*?)\n```", report.stdout, re.DOTALL)
    assert command is not None
    again = run(*line(command[1]), "--json", "again.json")
    assert again.exit_code == report.exit_code, again.output
    records = [strict_json(Path(file).read_text()) for file in ("again.json", "first.json")]
    if title == "columns that are guessed":  # the command that names them answers this question
        records[1]["caveats"] = [one for one in records[1]["caveats"] if one["code"] != "guessed"]
    assert records[0] == records[1]
