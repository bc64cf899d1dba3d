"""Columns of prediction files: found by name, checked, and joined by id."""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter

import pytest

from clearwin.data.files import columns, predictions, sources
from clearwin.data.files.predictions import (
    tally_file,
)
from clearwin.errors import FileError, UnknownNameError
from tests.data.files.written import CSV, JSONL, ROLES, TALLY, TWO, join, message, refused


def test_unknown_column(write):
    path = write("id,true label, svm\n1,2,3\n")
    text = message(UnknownNameError, path, {"truth": "true_label", "a": "svm"})
    assert f"There is no column of {path} named 'true_label'" in text
    assert "one of id, true label,  svm" in text
    assert "did you mean 'true label'?" in text
    text = message(UnknownNameError, path, {"truth": "true label", "a": "svm"})
    assert "did you mean ' svm'?" in text
    assert "'idd'" in message(UnknownNameError, path, {"truth": "id", "a": " svm"}, id_column="idd")
    assert "give one of these names" in message(UnknownNameError, path, {"truth": "qqqq", "a": " svm"})


def test_unknown_column_of_other_formats(write, write_parquet):
    assert "'svm'" in message(UnknownNameError, write(JSONL, "p.jsonl"), {"truth": "y", "a": "smv"})
    assert "'svm'" in message(UnknownNameError, write_parquet({"y": [1], "svm": [1]}), {"truth": "y", "a": "smv"})


def test_column_not_given(write):
    text = message(FileError, write(CSV), {"truth": None, "a": "svm"})
    assert "was not given" in text
    assert "one of id, y, svm, rbf" in text
    assert "`--truth COLUMN`" in text


def test_truth_compared_with_itself(write):
    path = write(CSV)
    assert "The truth and b are both column 'y'" in message(FileError, path, {"truth": "y", "a": "svm", "b": "y"})
    same = {"truth": "y", "a": "svm", "b": "svm"}
    assert "Two models are both column 'svm'" in message(FileError, path, same)
    text = message(FileError, dict.fromkeys(TWO, path), {"truth": "y", "a": "y"}, call=tally_file, id_column="id")
    assert "The truth and a are both column 'y' of" in text


def test_ids_taken_for_labels(write, monkeypatch):
    monkeypatch.setattr(predictions, "MOST_COMBINATIONS", 2)
    assert "more than 2 combinations" in refused(write, CSV, columns={"truth": "id", "a": "svm"})


def test_missing_values(write, write_parquet):
    text = refused(write, 'y,svm\n1,2\n,2\n\n3,4\n"",2\n,2\n,2\n')
    assert "Column 'y' of" in text
    assert "is empty in 4 rows (2, 4, 5 and 1 more)" in text
    assert "Column 'svm' of" in (text := refused(write, '{"y": 1, "svm": 1}\n\n{"y": 1}\n', "p.jsonl"))
    assert "in 1 row (2)" in text
    for nothing in ("null", '""', "NaN"):
        assert "in 1 row (2)" in refused(write, f'{{"y":1,"svm":1}}\n{{"y":1,"svm":{nothing}}}\n', "p.jsonl")
    path = write_parquet({"y": [1.0, None, float("nan")], "svm": ["a", "b", "c"]})
    assert "in 2 rows (2, 3)" in message(FileError, path, TWO)


def test_ids_of_one_file(write):
    assert tally_file(write(CSV), ROLES, id_column="id").counts == TALLY
    repeated = write("id,y,svm\n" + "".join(f"{i % 5},1,1\n" for i in range(9)))
    text = message(FileError, repeated, TWO, id_column="id")
    assert "Column 'id' of" in text
    assert "repeats 4 ids (0, 1, 2 and 1 more)" in text
    missing = write("id,y,svm\n1,1,1\n,1,1\n")
    assert "Column 'id' of" in (text := message(FileError, missing, TWO, id_column="id"))
    assert "in 1 row (2)" in text


@pytest.fixture
def three(write):
    return {
        "truth": write("id,label\n1,cat\n2,dog\n03,cat\n", "gold.csv"),
        "a": write("label\tid\ncat\t03\ncat\t1\ndog\t2\n", "svm.v2.tsv"),
        "b": write(
            gzip.compress(b'{"id":2,"label":"dog"}\n{"id":"03","label":"dog"}\n{"id":1.0,"label":"dog"}', mtime=0),
            "rbf.jsonl.gz",
        ),
    }


def test_join_in_any_order(three):
    found = join(three)
    assert found.counts == TALLY
    assert found.names == ("gold", "svm.v2", "rbf")
    assert list(found.counts) == sorted(found.counts)


def test_join_of_files_with_one_name(three, write):
    copy = str(write(three["a"].read_bytes(), "other/svm.v2.tsv"))
    assert join({**three, "b": copy}).names == (str(three["truth"]), str(three["a"]), copy)


def test_join_names_columns_that_differ(three, write, write_parquet):
    three["truth"] = write("id,gold\n1,cat\n2,dog\n03,cat\n", "1.csv")
    three["a"] = write("id,x,svm\n1,x,cat\n2,x,dog\n03,x,cat\n", "2.csv")
    three["b"] = write_parquet({"id": ["1", "2", "03"], "rbf": ["dog", "dog", "dog"]})
    found = join(three, {"truth": None, "a": "svm", "b": "rbf"})
    assert found.counts == TALLY
    assert found.names == ("gold", "svm", "rbf")


def test_join_with_standard_input(three, feed):
    feed(three["a"].read_bytes())
    assert join({**three, "a": "-"}).counts == TALLY
    assert "given twice" in message(FileError, {**three, "a": "-", "b": "-"}, call=join)


def test_join_of_columns_not_given(three, write):
    three["a"] = write(CSV)
    text = message(FileError, three, call=join)
    assert "one of y, svm, rbf" in text
    assert "`--a COLUMN`" in text
    three["a"] = write("id\n1\n2\n03\n")
    assert "a column besides id" in message(FileError, three, call=join)
    three["a"] = write("id_,label\n1,cat\n")
    assert "did you mean 'id_'?" in message(UnknownNameError, three, call=join)


def test_join_of_different_items(three, write):
    three["a"] = write("id,label\n1,cat\n4,dog\n3,cat\n7,x\n6,x\n", "svm.csv")
    text = message(FileError, three, call=join)
    assert re.search(r"svm\.csv lacks 2 ids \(03, 2\) of \S*gold\.csv", text)
    assert re.search(r"gold\.csv lacks 4 ids \(3, 4, 6 and 1 more\) of \S*svm\.csv", text)
    assert "1 and 01 differ" in text
    assert "rbf" not in text


def test_join_with_bad_ids(three, write):
    three["b"] = write("id,label\n1,cat\n2,dog\n2,dog\n", "rbf.csv")
    assert re.search(r"Column 'id' of \S*rbf\.csv repeats 1 id \(2\)", message(FileError, three, call=join))
    three["b"] = write("id,label\n1,cat\n,dog\n03,dog\n", "rbf.csv")
    assert re.search(r"Column 'id' of \S*rbf\.csv is empty in 1 row \(2\)", message(FileError, three, call=join))
    three["b"] = write("id,label\n1,cat\n2,\n03,dog\n", "rbf.csv")
    assert re.search(r"Column 'label' of \S*rbf\.csv is empty in 1 row \(2\)", message(FileError, three, call=join))


def test_join_of_many(write):
    rng = random.Random(7)
    count = 200_000
    labels = {role: rng.choices("01", k=count) for role in ROLES}
    paths = {}
    for role, column in labels.items():
        order = rng.sample(range(count), count)
        paths[role] = write("id,label\n" + "".join(f"doc{i},{column[i]}\n" for i in order), f"{role}.csv")
    assert join(paths).counts == Counter(zip(*labels.values(), strict=True))


@pytest.fixture
def columns_held(monkeypatch):
    """What every table of DuckDB holds while a file is read: its columns and their types."""
    held = set()

    def seen(db, source, query):
        found = run(db, source, query)
        columns = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE table_name IN "
        held.update(db.execute(f"{columns} (SELECT table_name FROM duckdb_tables())").fetchall())
        return found

    run = sources.run
    for module in (columns, predictions):
        monkeypatch.setattr(module, "run", seen)
    return held


def test_the_texts_of_ids_are_never_held(write, three, columns_held):
    """Ten million of them fill a gigabyte; 64 bits of each do to count and to join."""
    tally_file(write(CSV), ROLES, id_column="id")
    assert columns_held == {("held", "id", "UBIGINT")}
    columns_held.clear()
    join(three)
    assert {kind for _, column, kind in columns_held if column.startswith("id")} == {"UBIGINT"}
    assert {column for table, column, _ in columns_held if table == "held"} == set(ROLES)


def told(call, *arguments, **options):
    """Return what is found, or what is refused."""
    try:
        return call(*arguments, **options).counts
    except FileError as error:
        return str(error)


@pytest.mark.parametrize("memory", ["300MB", "1MB"])
@pytest.mark.parametrize("key", ["hash(id)", "(unicode(id) % 2)::UBIGINT"])
def test_ids_in_parts_with_the_same_hash_and_in_little_memory(write, monkeypatch, memory, key):
    """Whatever stands for an id, and however little memory there is, the texts decide."""
    sound = {role: [(f"{i:02d}", "xyz"[(i * k) % 3]) for i in range(1, 13)] for k, role in enumerate(ROLES, 1)}
    repeated = sound["b"][:9] + sound["b"][2:7]
    other = [(i.lstrip("0"), label) for i, label in sound["b"]]

    def paths(**files):
        return {
            role: write("id,label\n" + "".join(f"{i},{label}\n" for i, label in rows), f"{role}.csv")
            for role, rows in {**sound, **files}.items()
        }

    monkeypatch.setattr(columns, "KEYS", (key, "id"))
    monkeypatch.setattr(columns, "PART", 3)
    monkeypatch.setattr(sources, "LITTLE_MEMORY", memory)
    labels = [dict(rows) for rows in sound.values()]
    assert told(join, paths(b=sound["b"][::-1])) == Counter(tuple(of[i] for of in labels) for i, _ in sound["a"])
    assert "b.csv repeats 5 ids (03, 04, 05 and 2 more)" in told(join, paths(b=repeated))
    one = write("id,y,svm\n" + "".join(f"{i},{label},x\n" for i, label in repeated))
    assert "preds.csv repeats 5 ids (03, 04, 05 and 2 more)" in told(tally_file, one, TWO, id_column="id")
    text = told(join, paths(b=other))
    assert re.search(r"b\.csv lacks 9 ids \(01, 02, 03 and 6 more\) of \S*truth\.csv", text)
    assert re.search(r"truth\.csv lacks 9 ids \(1, 2, 3 and 6 more\) of \S*b\.csv", text)


def test_files_that_have_the_truth_besides_are_held_to_it(write):
    """Each model's own file often repeats the truth; where it is another one, the items are not the same."""
    gold = write("id,y\n1,cat\n2,dog\n3,1.0\n", "gold.csv")
    a = write("id,truth,svm\n1,cat,cat\n2,dog,dog\n3,1,1\n", "a.csv")
    b = write("id,y,rbf\n3,,1\n1,cat,dog\n2,dog,dog\n", "b.csv")
    paths = {"truth": gold, "a": a, "b": b}
    assert join(paths, ROLES).counts == {("1.0", "1", "1"): 1, ("cat", "cat", "dog"): 1, ("dog", "dog", "dog"): 1}
    write("id,y,rbf\n3,2,1\n1,cat,dog\n2,cat,dog\n", "b.csv")
    with pytest.raises(FileError) as caught:
        join(paths, ROLES)
    assert "(column 'y') differ on 2 of 3 items: 2 is 'dog' and 'cat', 3 is '1.0' and '2'" in str(caught.value)


def test_the_truth_in_the_file_of_a_model_and_columns_by_pattern(write):
    both = write("id,y,label\n1,cat,cat\n2,dog,dog\n", "svm.csv")
    other = write("id,label\n1,dog\n2,dog\n", "rbf.csv")
    found = join({"truth": both, "a": both, "b": other}, {"truth": "y", "a": "label", "b": "label"})
    assert found.names == ("y", "svm", "rbf")
    with sources.open_files() as home:
        table = home.table(both)
    assert columns.holds(table, "label")
    assert columns.holds(table, "lab*")
    assert not columns.holds(table, "LABEL")
