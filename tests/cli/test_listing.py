"""clearwin measures, clearwin tests and clearwin demo."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from sklearn import metrics

import clearwin as cw
from tests.cli.calling import line, ran, refused, spaced, strict_json


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
    assert f"F1 of gaussian {f1:.3f}" in out


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


def test_lists_are_written_as_json_too(folder: Path) -> None:
    for verb in ("measures", "tests"):
        assert ran(verb, "--json", f"{verb}.json") == ran(verb)
        assert Path(f"{verb}.json").read_text() == ran(verb, "--json")
        assert "exists already" in refused(verb, "--json", f"{verb}.json")
