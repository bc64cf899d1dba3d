"""Columns of a file with a few values, and a guess which is which."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

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
    Path("v.csv").write_text("x,z\n" + "".join(f"0.{i:03d}1,0.{i:03d}7\n" for i in range(40)))
    assert look(["v.csv"])["guess"]["measure"] == "mean"
    assert look(["counts.json"])["files"][0]["columns"] == []


def columns_of(path, head, rows):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path.name


def test_roles_are_guessed_from_names_and_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    many, few = range(50), rng.integers(0, 2, (50, 3))

    def guess(head, row):
        found = look([columns_of(tmp_path / "f.csv", head, map(row, many))])["guess"]
        return [found.get(role) for role in ("truth", "id", "a", "b", "measure")]

    sick = ["healthy", "sick"]
    # ratings share no value with the truth: they are scores
    rated = guess("patient,diagnosis,r1,r2", lambda i: (f"p{i}", sick[few[i, 0]], i % 5, i * 7 % 5))
    assert rated == ["diagnosis", "patient", "r1", "r2", "auc"]
    # what is no model comes first; the id is not unique by its name alone
    meta = guess("age,fold,status,m1,m2", lambda i: (20 + i % 7, i % 5, *(sick[k] for k in few[i])))
    assert meta == ["status", None, "m1", "m2", "f1"]
    unnamed = guess("doc_id,x,m1,m2", lambda i: (i, *few[i]))
    assert unnamed == ["x", "doc_id", "m1", "m2", "f1"]
    assert guess("q,latency_old,latency_new", lambda i: (f"q{i}", i + 0.25, i + 0.5))[4] == "mean_loss"
    assert guess("id,y,m1,m2", lambda i: (i, i + 0.25, i + 0.5, i + 0.75))[0::4] == ["y", "mae"]
    sets = ["x|y", "x", "y|z", "z"]
    columns_of(tmp_path / "f.csv", "gold,a,b", ((sets[i % 4], sets[i % 3], sets[(i + 1) % 4]) for i in many))
    assert look(["f.csv"])["guess"]["separator"] == "|"
    for name, key in (("m1", "score"), ("m2", "score"), ("gold", "label")):
        lines = [json.dumps({"id": i, key: sick[few[i, 0]] if key == "label" else i / 7}) for i in many]
        Path(f"{name}.jsonl").write_text("\n".join(lines))
    several = look(["m1.jsonl", "gold.jsonl", "m2.jsonl"])["guess"]
    assert several["roles"] == ["a", "truth", "b"]
    assert (several["truth"], several["a"], several["measure"]) == ("label", "score", "auc")
    plain = look(["m1.jsonl", "m2.jsonl"])["guess"]
    assert plain == {"id": "id", "a": "score", "b": "score", "roles": ["a", "b"], "measure": "mean"}
    for name in ("old", "new"):
        columns_of(tmp_path / f"{name}.csv", f"id,status,{name}", ((i, *(sick[k] for k in few[i, :2])) for i in many))
    both = look(["old.csv", "new.csv"])["guess"]
    roles = {"truth": "status", "id": "id", "a": "old", "b": "new", "roles": ["a", "b"]}
    assert both == {**roles, "measure": "f1", "positive": "sick"}


def test_columns_of_jsonl_keep_the_order_of_the_file(tmp_path, monkeypatch):
    """Sorted by name, A and B would be guessed the other way round than from the same rows in CSV."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": i, "gold": "xy"[i % 2], "svm": "x", "rbf": "y"} for i in range(6)]
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"z": 1, **rows[0], "b": 2}]))
    Path("p.csv").write_text("id,gold,svm,rbf\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows))
    found, as_csv = look(["p.jsonl"]), look(["p.csv"])
    assert [column["name"] for column in found["files"][0]["columns"]] == ["id", "gold", "svm", "rbf", "z", "b"]
    assert (as_csv["guess"]["a"], as_csv["guess"]["b"]) == ("svm", "rbf")
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert look(["p.jsonl"])["guess"] == as_csv["guess"]


def test_names_in_which_something_cannot_be_seen_come_with_how_to_show_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("truth,a\u202eb,constructor\n" + "y\u200des,no,no\nno,no,no\n" * 9)
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
