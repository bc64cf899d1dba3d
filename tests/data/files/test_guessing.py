"""Columns of a file with a few values, and a guess which is which."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from clearwin.cli import main
from clearwin.data.files.guessing import look
from clearwin.text import one_line


def test_columns_are_shown_with_values_and_a_guess(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").write_text('{"id": 1, "gold": "spam", "m1": 0.25, "tags": ["x"]}\n' * 3)
    [found] = look(["p.jsonl"])["files"]
    shown = {column["name"]: column["values"] for column in found["columns"]}
    assert shown == {"gold": ["spam"], "id": ["1"], "m1": ["0.25"], "tags": ['["x"]']}
    Path("s.csv").write_text("uid,y,new,old\n" + "".join(f"{i},{i % 2},0.{i:03d}1,0.{i:03d}7\n" for i in range(40)))
    guess = look(["s.csv"])["guess"]
    roles = {"truth": "y", "id": "uid", "a": "new", "b": "old", "roles": []}
    assert guess == {**roles, "measure": "auc", "positive": "1"}
    assert look(["counts.json"])["files"][0]["columns"] == []


def columns_of(path, head, rows):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path.name


def noisy(truth, classes, rng):
    """Answers that are right three times in four."""
    return [t if rng.random() < 0.75 else classes[rng.integers(len(classes))] for t in truth]


def test_roles_are_guessed_from_names_and_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    many, sick = range(80), ["healthy", "sick"]
    true = [sick[i] for i in rng.integers(0, 2, 80)]
    first, second = noisy(true, sick, rng), noisy(true, sick, rng)

    def guess(head, row):
        found = look([columns_of(tmp_path / "f.csv", head, map(row, many))])["guess"]
        return [found.get(role) for role in ("truth", "id", "a", "b", "measure")]

    # ratings share no value with the truth: they are scores
    rated = guess("patient,diagnosis,r1,r2", lambda i: (f"p{i}", true[i], i % 5, i * 7 % 5))
    assert rated == ["diagnosis", "patient", "r1", "r2", "auc"]
    # texts of their own are no model's answers
    noted = guess("ward,status,m1,m2,notes", lambda i: ("xyz"[i % 3], true[i], first[i], second[i], f"note {i}"))
    assert noted == ["status", None, "m1", "m2", "f1"]
    assert guess("id,y,m1,m2", lambda i: (i, i + 0.25, i + 0.5, i + 0.75))[0::4] == ["y", "mae"]
    sets = ["x|y", "x", "y|z", "z"]
    columns_of(tmp_path / "f.csv", "gold,a,b", ((sets[i % 4], sets[i % 3], sets[(i + 1) % 4]) for i in many))
    assert look(["f.csv"])["guess"]["separator"] == "|"
    for name, key in (("m1", "score"), ("m2", "score"), ("gold", "label")):
        lines = [json.dumps({"id": i, key: true[i] if key == "label" else i / 7}) for i in many]
        Path(f"{name}.jsonl").write_text("\n".join(lines))
    several = look(["m1.jsonl", "gold.jsonl", "m2.jsonl"])["guess"]
    assert several["roles"] == ["a", "truth", "b"]
    assert (several["truth"], several["a"], several["measure"]) == ("label", "score", "auc")
    for name, answers in (("old", first), ("new", second)):
        columns_of(tmp_path / f"{name}.csv", f"id,status,{name}", zip(many, true, answers, strict=True))
    both = look(["old.csv", "new.csv"])["guess"]
    roles = {"truth": "status", "id": "id", "a": "old", "b": "new", "roles": ["a", "b"]}
    assert both == {**roles, "measure": "f1", "positive": "sick"}
    marked = guess("item,x.is_correct,y.is_correct", lambda i: (f"q{i}", i % 2 == 0, i % 3 == 0))
    assert marked == [None, "item", "x.is_correct", "y.is_correct", "accuracy"]


# head, and a row of it for item i with truth t (0 or 1), decisions d and e that are mostly right, a coin c
TRAPS = {
    "right/wrong columns of four models": ("item,m1,m2,m3,m4", lambda i, t, d, e, c: (i, t, d, e, c)),
    "the same as True and False": ("item,m1,m2,m3", lambda i, t, d, e, c: (i, bool(t), bool(d), bool(e))),
    "two columns of 0 and 1 without a telling name": ("item,old,new", lambda i, t, d, e, c: (i, d, e)),
    "scores of cross-validation": ("nbc,aode,j48", lambda i, t, d, e, c: (80 + i / 7, 81 + i / 9, 79 + i / 11)),
    "more than two models": ("id,label,m1,m2,m3", lambda i, t, d, e, c: (i, t, d, e, d)),
    "probabilities, no truth by name": ("tx,Fraud found?,p,q", lambda i, t, *_: (f"t{i}", "NY"[t], i / 99, i / 98)),
    "numbers that describe the items": ("id,target,age,pay,p", lambda i, t, *_: (i, t, 20 + i % 9, 1.5 * i, i / 97)),
    "one model and notes": ("id,label,svm,notes", lambda i, t, d, e, c: (i, t, d, f"note {i}")),
    "a column that shares the labels by chance": ("id,y,weekend,svm", lambda i, t, d, e, c: (i, t, c, d)),
    "a price and what describes the house": ("target,m2,rooms", lambda i, t, *_: (1e5 + 100.5 * i, 20.5 + i, i % 5)),
    "two columns called like a truth": ("id,label,target,svm", lambda i, t, d, e, c: (i, t, d, e)),
    "numbers without a truth": ("q,latency_old,latency_new", lambda i, t, d, e, c: (f"q{i}", i + 0.25, i + 0.5)),
    "decisions and scores of two models": ("id,y,a,b,sa,sb", lambda i, t, d, e, c: (i, t, d, e, i / 97, i / 95)),
    "battles of many models": ("model_a,model_b,winner", lambda i, t, d, e, c: ("xyz"[i % 3], "yzx"[i % 3], "model_a")),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_nothing_is_guessed_where_two_readings_are_possible(name, tmp_path, monkeypatch):
    """And whatever the error advises can be typed as it is."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    head, row = TRAPS[name]
    truth = rng.integers(0, 2, 100).tolist()
    columns = [noisy(truth, [0, 1], rng), noisy(truth, [0, 1], rng), [i // 2 % 2 for i in range(100)]]
    if name == "a column that shares the labels by chance":
        truth = [i % 2 for i in range(100)]  # with which the coin agrees on every second item
        columns[0] = noisy(truth, [0, 1], rng)
    file = columns_of(tmp_path / "f.csv", head, (row(i, truth[i], *(c[i] for c in columns)) for i in range(100)))
    guess = look([file])["guess"]
    assert not {"truth", "a", "b"} & guess.keys(), guess
    assert guess["doubt"].endswith(".")
    refused = CliRunner().invoke(main, ["compare", file])
    assert refused.exit_code == 2
    assert guess["doubt"] in refused.stderr
    assert all(line in refused.stderr for line in guess["commands"])
    for line in guess["commands"]:
        words = shlex.split(line, comments=True)
        draws = ["--n-resamples", "99"] if words[1] in ("compare", "rank", "estimate") else []
        answered = CliRunner().invoke(main, [*words[1:], *draws])
        assert answered.exit_code == 0, (line, answered.stderr)
    if name != "battles of many models":
        assert guess["commands"]


def test_several_files_are_not_guessed_where_a_column_is_unclear(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 60).tolist()
    for name in ("p", "q", "r", "s"):
        said = noisy(truth, [0, 1], rng)
        columns_of(tmp_path / f"{name}.csv", "id,said,other,score", zip(range(60), said, said, truth, strict=True))
        columns_of(tmp_path / f"v{name}.csv", "id,score", zip(range(60), rng.normal(size=60), strict=True))
    columns_of(tmp_path / "gold.csv", "id,label", zip(range(60), truth, strict=True))
    columns_of(tmp_path / "plain.csv", "x,label", zip([i // 2 for i in range(60)], truth, strict=True))
    doubts = {
        ("gold.csv", "p.csv", "q.csv"): "Several columns of p.csv could be",
        ("p.csv", "q.csv"): "Several columns of p.csv could be",
        ("vp.csv", "vq.csv"): "Neither file has a column that is called like a truth",
        ("plain.csv", "vp.csv"): "No single column looks like the id",
        ("gold.csv", "p.csv", "q.csv", "r.csv"): "4 files are not two models and their truth",
    }
    for files, doubt in doubts.items():
        guess = look(list(files))["guess"]
        assert doubt in guess["doubt"], files
        assert not {"truth", "a", "b"} & guess.keys()


def test_columns_of_jsonl_keep_the_order_of_the_file(tmp_path, monkeypatch):
    """Sorted by name, A and B would be guessed the other way round than from the same rows in CSV."""
    monkeypatch.chdir(tmp_path)
    said = ["xyxyxyxx", "xyxyxyyy"]  # each model is wrong once
    rows = [{"id": i, "gold": "xy"[i % 2], "svm": said[0][i], "rbf": said[1][i]} for i in range(8)]
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"z": 1, **rows[0], "b": 2}]))
    Path("p.csv").write_text("id,gold,svm,rbf\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows))
    found, as_csv = look(["p.jsonl"]), look(["p.csv"])
    assert [column["name"] for column in found["files"][0]["columns"]] == ["id", "gold", "svm", "rbf", "z", "b"]
    assert (as_csv["guess"]["a"], as_csv["guess"]["b"]) == ("svm", "rbf")
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert look(["p.jsonl"])["guess"] == as_csv["guess"]


def test_names_in_which_something_cannot_be_seen_come_with_how_to_show_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(
        "truth,a\u202eb,constructor\n" + "y\u200des,y\u200des,no\nno,no,no\n" * 9 + "y\u200des,no,y\u200des\n" * 9
    )
    found = look(["p.csv"])
    assert found["shown"] == {name: one_line(name) for name in ("a\u202eb", "y\u200des")}
    assert all(text.isprintable() for text in found["shown"].values())
    assert [column["name"] for column in found["files"][0]["columns"]] == ["truth", "a\u202eb", "constructor"]
    assert found["guess"]["positive"] == "y\u200des"


def test_looking_at_what_cannot_be_a_label(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ['{"y": 1, "deep": ' + "[" * 50_000 + "]" * 50_000 + "}", '{"y": 2, "deep": ' + "9" * 5_000 + "}"]
    Path("p.jsonl").write_text("\n".join([*rows, json.dumps({"y": "z" * 5_000, "deep": 1})]))
    deep, y = look(["p.jsonl"])["files"][0]["columns"]
    assert deep["different"] == 3
    assert max(map(len, (*deep["classes"], *y["classes"], *deep["values"]))) < 1_100
