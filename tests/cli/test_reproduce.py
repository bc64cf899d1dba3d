"""clearwin reproduce: on a file, by default, with its study, and what it refuses."""

import json
import sys

import pytest
from click.testing import CliRunner

from clearwin.cli import main
from tests.simulation.keller2004.texts import ROOT, TOPICS, made_up, rows_of, write_csv


def invoke(*arguments):
    return CliRunner().invoke(main, ["reproduce", *map(str, arguments)])


def test_the_command_without_a_name_lists_what_there_is():
    run = invoke()
    assert run.exit_code == 0
    assert run.output.startswith("keller2004\t")
    run = invoke("keler2004")
    assert run.exit_code == 2
    assert "no experiment to reproduce named 'keler2004'" in run.output
    assert "did you mean 'keller2004'" in run.output


@pytest.fixture
def corpus_file(tmp_path):
    return write_csv(tmp_path / "news.csv", rows_of(made_up(400)))


def test_the_command_on_a_file(corpus_file, tmp_path):
    tiny = ["--train-size", 80, "--test-size", 60, "--n-resamples", 200, "--sets", 20, "--seed", 1, "--jobs", 1]
    figure, output, saved = tmp_path / "figure.png", tmp_path / "found.json", tmp_path / "decided.csv"
    files = ["--plot", figure, "--json", output, "--save", saved]
    run = invoke("keller2004", "--corpus", corpus_file, *tiny, *files)
    assert run.exit_code == 0, run.output
    assert "keller2004, section 5, on news.csv" in run.output
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert len(saved.read_text().splitlines()) == 1 + 400 - 80
    again = invoke("keller2004", "--corpus", corpus_file, *tiny, "--json")
    assert json.loads(again.output) == json.loads(output.read_text(encoding="utf-8"))
    same = invoke("keller2004", "--corpus", corpus_file, *tiny, "--html", "x", "--save", "x")
    assert same.exit_code == 2
    assert "both name x" in same.output
    refused = invoke("keller2004", "--corpus", corpus_file, *tiny, "--json", output)
    assert refused.exit_code == 2
    assert "exists already" in refused.output


def test_the_command_adds_the_study_when_asked(corpus_file):
    tiny = ["--train-size", 80, "--test-size", 60, "--n-resamples", 10_000, "--sets", 20, "--seed", 1, "--jobs", 1]
    run = invoke("keller2004", "--corpus", corpus_file, *tiny, "--study", "--json")
    assert run.exit_code == 0, run.output
    found = json.loads(run.output)
    assert found["study"]["coverage"][0]["test"] == "bootstrap"
    assert found["study"]["confidence"] == found["table"]


def test_wrong_use_is_told_before_anything_is_trained(corpus_file, tmp_path):
    run = invoke("keller2004", "--corpus", "rcv1", "--corpus", corpus_file)
    assert run.exit_code == 2
    assert "rcv1 alone, or files" in run.output
    run = invoke("keller2004", "--plot", tmp_path / "figure.gif")
    assert run.exit_code == 2
    assert ".png, .svg or .pdf" in run.output
    run = invoke("keller2004", "--corpus", corpus_file, "--measure", "auc")
    assert run.exit_code == 2
    assert "label sets" in run.output
    run = invoke("keller2004", "--corpus", corpus_file, "--sets", 0)
    assert run.exit_code == 2


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    run = invoke("keller2004")
    assert run.exit_code == 2
    assert "pip install 'scikit-learn>=1.5'" in run.output


def test_names_from_files_are_text_and_nothing_else(tmp_path):
    topics = {f"[bold]{name}\x1b[31m": words for name, words in TOPICS.items()}
    rows = rows_of(made_up(300, categories=topics))
    path = write_csv(tmp_path / "news.csv", rows)
    tiny = ["--train-size", 80, "--test-size", 60, "--n-resamples", 100, "--sets", 10, "--seed", 1, "--jobs", 1]
    run = invoke("keller2004", "--corpus", path, *tiny)
    assert run.exit_code == 0, run.output
    assert "\x1b" not in run.output
    assert "[bold]grain" in run.output


def test_the_default_corpus_from_end_to_end(shipped, monkeypatch):
    monkeypatch.setattr(
        "clearwin.simulation.keller2004.experiment.documentation", lambda: shipped
    )  # read once for all tests
    run = invoke(
        "keller2004",
        "--train-size",
        200,
        "--test-size",
        100,
        "--categories-per-set",
        3,
        "--n-resamples",
        200,
        "--sets",
        20,
        "--seed",
        2004,
    )
    assert run.exit_code == 0, run.output
    assert run.output.startswith("keller2004, section 5, on scikit-learn's documentation\n")
    assert "D_tr 200, D_te 100" in run.output
    assert "are not independent" in run.output
    assert run.output.count("Experiment over") == 3


@pytest.mark.study
def test_the_page_shows_what_the_command_prints():
    """docs/reproduce.md, for the version of scikit-learn that it names."""
    import re

    import sklearn

    page = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    [(arguments, shown)] = re.findall(r"```console\n\$ clearwin reproduce ([^\n]*)\n(.*?)```", page, flags=re.S)
    if f"scikit-learn {sklearn.__version__}," not in " ".join(shown.split()):
        pytest.skip("the page was made with another version of scikit-learn")
    assert invoke(*arguments.split()).output.strip() == shown.strip()
