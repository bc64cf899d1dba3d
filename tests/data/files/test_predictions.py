"""Every format that is read, and every way in which a file can be wrong."""

from __future__ import annotations

import gzip
import json
import unicodedata
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from clearwin.data.binned_scores import MOST_BINS
from clearwin.data.files import predictions, sources
from clearwin.data.files.predictions import (
    is_counts_file,
    items_of_file,
    read_joint_counts,
    read_models,
    scores_file,
    tally_file,
)
from clearwin.data.reading import Reading, read_sample
from clearwin.errors import FileError, UnknownNameError
from clearwin.measures import find
from tests.data.files.written import ROLES, join, message

COUNTS = {f"e{i}": i for i in range(1, 9)}


def test_joint_counts(write, feed):
    assert is_counts_file("a/b.JSON")
    assert not is_counts_file("b.jsonl")
    assert not is_counts_file(Path("-"))
    assert is_counts_file(write(json.dumps(COUNTS, indent=1), "c.json"))
    assert not is_counts_file(write(json.dumps([COUNTS]), "items.json"))
    assert not is_counts_file(write(f"{json.dumps(COUNTS)}\n{json.dumps(COUNTS)}\n", "lines.json"))
    assert read_joint_counts(write(json.dumps(COUNTS), "c.json")) == COUNTS
    assert read_joint_counts(write(b"\xef\xbb\xbf" + json.dumps({**COUNTS, "e3": 3.0}).encode(), "c.json")) == COUNTS
    feed(json.dumps(COUNTS).encode())
    assert read_joint_counts("-") == COUNTS


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (json.dumps({k: v for k, v in COUNTS.items() if k not in ("e2", "e7")}), "lacks e2, e7."),
        (json.dumps({**COUNTS, "e9": 1, "n": 2}), "has the unknown e9, n."),
        (json.dumps(COUNTS).replace("e8", "E8"), "lacks e8 and has the unknown E8."),
        (json.dumps({**COUNTS, "e2": -1}), "e2 in c.json is -1."),
        (json.dumps({**COUNTS, "e2": 1.5}), "e2 in c.json is 1.5."),
        (json.dumps({**COUNTS, "e2": float("nan")}), "e2 in c.json is NaN."),
        (json.dumps({**COUNTS, "e2": float("inf")}), "e2 in c.json is Infinity."),
        (json.dumps({**COUNTS, "e2": "7"}), 'e2 in c.json is "7".'),
        (json.dumps({**COUNTS, "e2": None}), "e2 in c.json is null."),
        (json.dumps({**COUNTS, "e2": True}), "e2 in c.json is true."),
        (json.dumps({**COUNTS, "e2": [1]}), "e2 in c.json is [1]."),
        (json.dumps(COUNTS)[:-1] + ', "e2": 9}', "the key 'e2' comes twice"),
        (json.dumps([1, 2]), "not a JSON object"),
        ("e1=1", "Expecting value"),
        ("", "Expecting value"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps(COUNTS)[:-1] + ', "e2": ' + "9" * 5_000 + "}", "a number has 5,000 digits"),
    ],
)
def test_joint_counts_refused(write, tmp_path, monkeypatch, content, reason):
    write(content, "c.json")
    monkeypatch.chdir(tmp_path)
    text = message(FileError, "c.json", call=read_joint_counts)
    assert reason in text
    assert "whole number for each of e1 to e8" in text


def test_joint_counts_that_are_not_utf_8(write):
    text = message(FileError, write(b"\xff\xfe{", "c.json"), call=read_joint_counts)
    assert "is not UTF-8" in text
    assert "iconv" in text


def test_joint_counts_not_found(tmp_path, write):
    path = write("{}", "counts.json")
    assert f"did you mean {path}?" in message(FileError, tmp_path / "count.json", call=read_joint_counts)


GROUPED = b"id,y,svm,rbf,who,part\n1,1,1,0,x,1.25\n2,0,0,0,x,1.25\n3,1,1,0,x,1.25\n4,1,0,1,y,2\n"
FIVE = {"group": "who", **ROLES, "stratum": "part"}
GROUPED_TALLY = {("0", "0", "0", "x", "1.25"): 1, ("1", "0", "1", "y", "2"): 1, ("1", "1", "0", "x", "1.25"): 2}


@pytest.mark.parametrize("id_column", [None, "id"])
def test_groups_and_strata(write, id_column):
    path = write(GROUPED)
    found = tally_file(path, FIVE, id_column=id_column)
    assert found.counts == GROUPED_TALLY
    assert found.names == ("y", "svm", "rbf")
    only = tally_file(path, {**ROLES, "group": None, "stratum": "y"}, id_column=id_column)
    assert only.counts == {("0", "0", "0", "0"): 1, ("1", "0", "1", "1"): 1, ("1", "1", "0", "1"): 2}


def test_groups_and_strata_of_joined_files(write):
    paths = {
        "truth": write("id,y,who,part\n4,1,y,2\n2,0,x,1.25\n1,1,x,1.25\n3,1,x,1.25\n", "gold.csv"),
        "a": write("id,svm\n1,1\n2,0\n3,1\n4,0\n", "svm.csv"),
        "b": write("id,rbf\n4,1\n3,0\n2,0\n1,0\n", "rbf.csv"),
    }
    columns = {"truth": None, "a": None, "b": None, "group": "who", "stratum": "part"}
    found = join(paths, columns)
    assert found.counts == GROUPED_TALLY
    assert found.names == ("y", "svm", "rbf")
    scores = scores_file(paths, columns, id_column="id")
    assert scores.truth == ["1", "0", "1", "1"]
    assert scores.extra == {"group": ["x", "x", "x", "y"], "stratum": ["1.25", "1.25", "1.25", "2"]}
    assert scores.names == ("y", "svm", "rbf")
    assert "'wo'" in message(UnknownNameError, paths, {**columns, "group": "wo"}, call=join)


def test_scores_with_groups(write):
    found = scores_file(write(GROUPED), FIVE)
    assert found.extra == {"group": ["x", "x", "x", "y"], "stratum": ["1.25", "1.25", "1.25", "2"]}
    assert [column.tolist() for column in found.scores] == [[1, 0, 1, 0], [0, 0, 0, 1]]
    assert found.names == ("y", "svm", "rbf")
    assert scores_file(write(GROUPED), ROLES).extra == {}


def test_groups_that_are_missing(write):
    path = write(GROUPED.replace(b",x,", b",,"))
    for call in (tally_file, scores_file):
        text = message(FileError, path, FIVE, call=call)
        assert "Column 'who' of" in text
        assert "is empty in 3 rows (1, 2, 3)" in text
        assert "a group in every row" in text


def test_rows_without_a_label_are_left_out_on_request_and_counted(write):
    path = write("y,svm,rbf\n" + "cat,cat,dog\n" * 4 + "cat,,dog\n" * 3 + "dog,,\n" * 2)
    found = tally_file(path, ROLES, missing="drop")
    assert found.counts == {("cat", "cat", "dog"): 4}
    [doubt] = found.doubts
    assert "5 of 9 items were left out because a value is missing: svm on 5, rbf on 2." in doubt.text


def test_groups_may_look_like_scores_and_be_many(write, monkeypatch):
    rows = "".join(f"{i % 2},1,0,0.{i}1\n" for i in range(3_000))
    path = write("y,svm,rbf,who\n" + rows)
    assert len(tally_file(path, {**ROLES, "group": "who"}).counts) == 3_000
    monkeypatch.setattr(predictions, "MOST_COMBINATIONS", 2_000)
    assert len(tally_file(path, {**ROLES, "group": "who"}).counts) == 3_000
    monkeypatch.setattr(predictions, "MOST_GROUPED", 2_500)
    text = message(FileError, path, {**ROLES, "group": "who"})
    assert "more than 2,500 combinations of labels with group" in text


def test_duckdb_keeps_its_settings():
    with sources.scratch_database() as (db, _), pytest.raises(duckdb.Error, match="locked"):
        db.execute("SET autoload_known_extensions = true")


@pytest.mark.parametrize("measure", ["f1", "auc", "mean"])
def test_many_models_come_from_one_file_as_from_one_for_each(tmp_path, measure):
    """Decisions are rows with a number of items, numbers are one for every item; groups are those of the first file."""
    rng = np.random.default_rng(4)
    columns = {"y": rng.integers(0, 2, 50), "who": rng.integers(0, 5, 50)}
    columns |= {f"m{j}": rng.integers(0, 2, 50) for j in range(3)}
    frame = pd.DataFrame({"id": np.arange(50)} | columns)
    frame.to_csv(tmp_path / "all.csv", index=False)
    roles = {} if measure == "mean" else {"truth": "y"}
    roles |= {f"model_{j}": f"m{j}" for j in range(3)}
    paths = {role: tmp_path / f"{column}.csv" for role, column in roles.items()}
    for i, column in enumerate(roles.values()):
        shuffled = frame[["id", column, *(["who"] if i == 0 else [])]].sample(frac=1, random_state=i)
        shuffled.to_csv(paths[list(roles)[i]], index=False)
    asked = {**roles, "group": "who"}
    named = {role: column for role, column in asked.items() if not role.startswith("model_")}
    one = read_models(tmp_path / "all.csv", named, find(measure), wanted=["m0", "m1", "m2"])
    several = read_models(paths, asked, find(measure), id_column="id")
    assert one.names == several.names == ("m0", "m1", "m2")
    assert one.truth is None if measure == "mean" else one.truth is not None
    assert (one.items is None) == (measure != "f1")
    if measure == "f1":
        assert sum(one.items) == sum(several.items) == 50
    read = [
        read_sample(f.truth, dict(zip(f.names, f.models, strict=True)), find(measure), Reading(**how(f), ranked=True))[
            0
        ]
        for f in (one, several)
    ]
    assert read[0].fingerprint == read[1].fingerprint


def how(found):
    return {"groups": found.extra["group"], "items": found.items}


def test_items_of_a_file_are_counted_however_many_they_are(tmp_path, monkeypatch):
    """More ids than there may be combinations of labels, in several parts. pandas says how many differ."""
    monkeypatch.setattr(predictions, "MOST_COMBINATIONS", 100_000)
    n = 300_000
    frame = pd.DataFrame({"id": np.arange(n) // 2, "y": np.arange(n) % 3})
    frame.to_parquet(tmp_path / "big.parquet")
    frame.iloc[::-1].to_parquet(tmp_path / "other.parquet")
    frame.assign(y=frame.y.where(frame.index != 7, 0)).to_parquet(tmp_path / "changed.parquet")
    found, shuffled, changed = (
        items_of_file(tmp_path / f"{name}.parquet", ["id", "y"]) for name in ("big", "other", "changed")
    )
    assert (found.rows, found.different) == (n, len(frame.drop_duplicates()))
    assert items_of_file(tmp_path / "big.parquet", ["id"]).different == n // 2
    assert found == shuffled
    assert found.digest != changed.digest


def test_decisions_beside_scores_are_those_of_a_model(write):
    """The truth has words, too; the message is about the model whose decisions the scores could be compared with."""
    rows = "".join(f"{'xy'[i % 2]},{'xy'[i % 3 % 2]},0.{i}5\n" for i in range(1, 30))
    assert "column 'svm' holds decisions" in message(FileError, write("y,svm,rbf\n" + rows), ROLES)
    assert "column 'rbf' holds decisions" in message(FileError, write("y,rbf,svm\n" + rows), ROLES)


def test_columns_that_are_no_scores_say_what_to_do(write):
    roles = {"truth": "y", "a": "svm", "b": "rbf"}

    def refused(*values):
        rows = "".join(f"{i % 2};{value};0.{i}\n" for i, value in enumerate(values))
        return message(FileError, write("y;svm;rbf\n" + rows), roles, call=scores_file)

    assert "decimal commas, for instance 0,5" in refused("0.1", "0,5")
    assert "write 0.5 instead of 0,5" in refused("0.1", "0,5")
    assert "is infinite in 1 row (2)" in refused("0.1", "inf")
    assert "fill in the scores" in refused("0.1", "cat")
    assert "these are labels: if all models have labels" in refused("dog", "cat")
    one = {"truth": "y", "a": "svm"}
    alone = message(FileError, write("y;svm\n0;dog\n1;cat\n"), one, call=scores_file)
    assert "these are labels: choose a measure of decisions" in alone


@pytest.mark.parametrize(
    ("text", "has", "instead"),
    [
        ("1.0%", "percent signs", "0.010"),
        ("$3.20", "signs of a currency", "3.20"),
        ("3,20 \u20ac", "signs of a currency", "3.20"),
        ("1,234", "commas between thousands or before decimals", "1234 or 1.234"),
        ("1_003", "underscores between digits", "1003"),
        ("\u0661\u0662", "characters that are not ASCII", "12"),
        ("\u22120.5", "characters that are not ASCII", "-0.5"),
    ],
)
def test_numbers_that_are_not_plain_are_called_by_what_they_have(write, text, has, instead):
    path = write(f"y;svm;rbf\n0;0.1;0.2\n1;n/a;0.3\n1;{text};0.3\n")
    told = message(FileError, path, {"truth": "y", "a": "svm", "b": "rbf"}, call=scores_file)
    assert f"Column 'svm' of {path} has {has}, for instance {text} in row 3; row 1 is the first item." in told
    assert f"write {instead} instead of {text}" in told
    path = write(f"svm;rbf\n0.1;0.2\n0.1;0.3\n{text};0.3\n")
    values = message(FileError, path, {}, call=read_models, measure=find("mean"))
    assert f"has {has}" in values


def test_labels_ids_and_groups_are_compared_as_unicode_says(write):
    """The forms are those of Python's unicodedata, whose decomposed texts DuckDB composes again."""
    names = ["S\u00e3o Paulo", "Gda\u0144sk", "\uac01", "\u212b", "plain"]
    apart = [unicodedata.normalize("NFD", name) for name in names]
    together = [unicodedata.normalize("NFC", name) for name in names]
    rows = "".join(f"{a},{b},{a}\n" for a, b in zip(names, apart, strict=True))
    path = write("y,svm,where\n" + rows)
    expected = {(name, name, name): 1 for name in together}
    assert tally_file(path, {"truth": "y", "a": "svm", "group": "where"}).counts == expected
    lines = "".join(json.dumps({"y": a, "svm": b}) + "\n" for a, b in zip(names, apart, strict=True))
    assert tally_file(write(lines, "p.jsonl"), {"truth": "y", "a": "svm"}).counts == {(x, x): 1 for x in together}
    gold = write("id,y\n" + "".join(f"{name},x\n" for name in names), "gold.csv")
    a, b = (write("id,l\n" + "".join(f"{name},x\n" for name in apart[::-1]), f"{m}.csv") for m in "ab")
    assert join({"truth": gold, "a": a, "b": b}).counts == {("x", "x", "x"): 5}
    assert read_models(path, {"truth": "y"}, find("accuracy"), wanted=["svm", "where"]).truth.labels == sorted(together)


def test_a_repeated_id_is_found_in_two_spellings(write):
    path = write("id,y,svm\nS\u00e3o,1,1\nSa\u0303o,1,0\n")
    assert "repeats 1 id" in message(FileError, path, {"truth": "y", "a": "svm"}, id_column="id")


def test_a_column_is_found_in_another_spelling_of_unicode(write):
    path = write("y,Sa\u0303o\n1,0\n1,1\n")
    assert tally_file(path, {"truth": "y", "a": "S\u00e3o"}).counts == {("1", "0"): 1, ("1", "1"): 1}


def test_items_on_which_models_differ_are_called_by_id_or_row(write):
    path = write("id,y,svm,rbf\nx9,cat,cat,dog\nx2,dog,dog,dog\nx5,cat,dog,cat\n")
    by_id = predictions.disagreements_file(path, ROLES, id_column="id")
    assert [(one.item, one.truth, one.a, one.b) for one in by_id] == [
        ("x9", "cat", "cat", "dog"),
        ("x5", "cat", "dog", "cat"),
    ]
    assert [one.item for one in predictions.disagreements_file(path, ROLES)] == [1, 3]


@pytest.mark.parametrize("packed", [False, True])
def test_scores_of_a_file_are_counted_in_bins(tmp_path, packed):
    """Bins as fine as the scores lose nothing: every item is in the bin of its own score."""
    rows = "".join(f"{i % 2},{(i * 7) % 10 / 10},{(i * 3) % 10 / 10}\n" for i in range(60)).encode()
    path = tmp_path / ("p.csv.gz" if packed else "p.csv")
    path.write_bytes(gzip.compress(b"y,svm,rbf\n" + rows) if packed else b"y,svm,rbf\n" + rows)
    assert predictions.bin_file(path, ROLES, Reading()) is None
    found = predictions.bin_file(path, ROLES, Reading(bins=1000))
    assert found.names == ("y", "svm", "rbf")
    assert found.sample.n == 60
    auto = predictions.bin_file(path, ROLES, Reading(memory_limit="1KB"))
    assert (auto.sample.n, auto.sample.bins) == (60, MOST_BINS)


def test_models_that_are_not_named_are_found_beside_the_truth_which_is(write):
    """The command gives the column of every role, and None where there is none: only the truth must be there."""
    path, asked = write("y,svm,rbf\ncat,cat,dog\ndog,dog,dog\ncat,dog,cat\n"), find("accuracy")
    found = read_models(path, {"truth": "y", "group": None, "stratum": None}, asked)
    assert (found.names, int(found.items.sum())) == (("svm", "rbf"), 3)
    refused = message(FileError, path, {"truth": None, "group": None}, asked, call=read_models)
    assert "for truth was not given" in refused


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_among_columns_that_are_not_named_nested_ones_are_no_models_and_no_truth(tmp_path, kind):
    columns = {"y": ["cat", "dog"] * 3, "svm": ["cat"] * 6, "rbf": ["dog"] * 6, "meta": [["cat"]] * 6}
    table, path = pd.DataFrame(columns), tmp_path / f"p.{kind}"
    table.to_json(path, orient="records", lines=True) if kind == "jsonl" else table.to_parquet(path)
    found = read_models(path, {"truth": "y"}, find("accuracy"))
    assert (found.names, int(found.items.sum())) == (("svm", "rbf"), 6)
    assert "Left out: meta" in found.doubts[0].text
    for measure in ("accuracy", "auc"):
        refused = message(FileError, path, {"truth": "meta"}, find(measure), call=read_models)
        assert refused.startswith("Column 'meta' of ")
        assert "holds a nested value: [" in refused


def test_many_models_leave_out_what_is_missing_and_refuse_ids(write, monkeypatch):
    path = write("y,m1,m2,m3\ncat,cat,dog,cat\ndog,,dog,dog\ncat,dog,cat,cat\n")
    asked = ({"truth": "y"}, find("accuracy"))
    how = {"wanted": ["m1", "m2", "m3"], "missing": "drop", "call": read_models}
    found = read_models(path, *asked, wanted=["m1", "m2", "m3"], missing="drop")
    assert int(found.items.sum()) == 2
    assert "1 of 3 items were left out" in found.doubts[0].text
    monkeypatch.setattr(predictions, "MOST_GROUPED", 1)
    assert "more than 1 different rows" in message(FileError, path, *asked, **how)
    monkeypatch.setattr(predictions, "MOST_LABELS", 1)
    told = message(FileError, path, *asked, **how)
    assert "as ids or scores do" in told


def test_whole_numbers_that_a_float_would_round_are_refused(write):
    """2**53 + 1 would silently become 2**53."""
    text = message(FileError, write("y,svm,rbf\n1,9007199254740993,1\n0,2,3\n"), ROLES, call=scores_file)
    assert "cannot hold exactly, in 1 row (1)" in text
    found = scores_file(write("y,svm,rbf\n1,9007199254740994,9007199254740993.5\n0,2,-9007199254740992\n"), ROLES)
    assert found.scores[0].tolist() == [2.0**53 + 2, 2]
