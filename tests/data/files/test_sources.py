"""Files of every format: read as text, exactly, and what is wrong with one is said by its line."""

from __future__ import annotations

import csv
import datetime
import errno
import gzip
import io
import json
import os
import random
import shutil
import socket
import threading
from collections import Counter
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clearwin.data.files import sources
from clearwin.data.files.columns import read_columns
from clearwin.data.files.guessing import look
from clearwin.data.files.predictions import (
    read_joint_counts,
    scores_file,
    tally_file,
)
from clearwin.errors import ClearwinError, FileError, UnknownNameError
from tests.data.files.written import CSV, JSONL, ROLES, TALLY, TWO, message, refused


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", CSV),
        ("P.CSV", CSV),
        ("p.csv.gz", gzip.compress(CSV, mtime=0)),
        ("p.Csv.GZ", gzip.compress(CSV, mtime=0)),
        ("p.csv", gzip.compress(CSV, mtime=0)),  # the bytes decide whether it is zipped
        ("p.csv", b"\xef\xbb\xbf" + CSV),
        ("p.csv", CSV.replace(b"\n", b"\r\n")),
        ("p.csv", CSV.replace(b"\n", b"\r")),
        ("p.csv", CSV.removesuffix(b"\n")),
        ("p.csv", CSV + b"\n"),
        ("p.csv", CSV.replace(b"\n", b"\r\n") + b"\r\n\r\n"),
        ("p.csv", b"\n\n" + CSV),
        ("p.csv", b"\xef\xbb\xbf\r\n" + CSV.replace(b"\n", b"\r\n\r\n")),
        ("p.csv", b'"i\nd",' + CSV.removeprefix(b"id,")),
        ("p.csv", CSV.replace(b",", b";")),
        ("p.csv", CSV.replace(b",", b"\t")),
        ("p.csv", CSV.replace(b",", b"|")),
        ("p.csv", CSV.replace(b",", b";").replace(b"id;", b'"i,d,e,f";')),
        ("p.tsv", CSV.replace(b",", b"\t").replace(b"id\t", b"i,d,e,f,g\t")),
        ("p.tsv.gz", gzip.compress(CSV.replace(b",", b"\t"), mtime=0)),
    ],
)
def test_csv_dialects(write, name, content):
    found = tally_file(write(content, name), ROLES)
    assert found.counts == TALLY
    assert found.names == ("y", "svm", "rbf")


def test_csv_is_text(write):
    rows = 'NA,null\nnull,None\n01,1\n001,1.0\nnan, x \n"a,b","say ""yes""\nor no"\n#,\\\n'
    found = tally_file(write("y,svm\n" + rows), TWO)
    assert found.counts == dict.fromkeys(
        [
            ("NA", "null"),
            ("null", "None"),
            ("01", "1"),
            ("001", "1.0"),
            ("nan", " x "),
            ("a,b", 'say "yes"\nor no'),
            ("#", "\\"),
        ],
        1,
    )


def test_random_csv_agrees_with_the_csv_module(write):
    rng = random.Random(4)
    labels = ["cat", "dog", "NA", "01", "1", "ünï", 'q"q', "a,b", "a\nb", " pad ", "null", "'", "\\n"]
    for ending in ("\n", "\r\n"):
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator=ending)
        writer.writerow(["id", "y", "svm", "rbf"])
        writer.writerows([i, *rng.choices(labels, k=3)] for i in range(20_000))
        expected = Counter(tuple(row[1:]) for row in csv.reader(io.StringIO(text.getvalue(), newline="")))
        del expected["y", "svm", "rbf"]
        assert tally_file(write(text.getvalue()), ROLES).counts == expected


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
def test_a_line_break_in_the_header(write, ends, inside):
    """Of the same kind as those between the lines it is read; DuckDB finds no rows after another, so that is told."""
    name = f"new{inside}line"
    path = write(ends.join([f'y,"{name}"', "1,1", '0,"1"', "1,1", ""]))
    if inside == ends:
        assert tally_file(path, {"truth": "y", "a": name}).counts == {("0", "1"): 1, ("1", "1"): 2}
    else:
        with pytest.raises(FileError, match="has a line break of another kind") as caught:
            tally_file(path, {"truth": "y", "a": name})
        assert repr(name) in str(caught.value)


def test_quoted_line_breaks_that_look_like_rows(write):
    """Several threads cannot tell such text from rows; one thread can, so the file is read again by one."""
    article = "\n".join(["7,evil,evil"] * 3_000)
    rows = [f'{i},"{article}",{"yn"[i % 2]}\n' for i in range(500)]
    found = tally_file(write("id,text,svm\n" + "".join(rows)), {"a": "svm"})
    assert found.counts == {("y",): 250, ("n",): 250}


ROWS = "".join(f"{i},{'cat' if i % 2 else 'dog'},{'cat' if i % 3 else 'dog'}\n" for i in range(30))


@pytest.mark.parametrize(
    "content",
    [
        "id,y,svm\n" + ROWS + "id,y,svm\n" + ROWS,
        "id,y,svm\r\n" + ROWS.replace("\n", "\r\n") + "id,y,svm\r\n" + ROWS.replace("\n", "\r\n"),
        '"id","y","svm"\n' + ROWS + '"id","y","svm"\n' + ROWS,
        "\ufeffid,y,svm\n" + ROWS + "\ufeffid,y,svm\n" + ROWS,
        "id,y,svm\n" + ROWS + "id,y,svm",
        gzip.compress(("id,y,svm\n" + ROWS + "id,y,svm\n").encode()),
    ],
)
def test_a_second_header_is_no_item(write, content):
    """As `cat a.csv b.csv > both.csv` has it."""
    assert "Line 32 of p.csv is the header again" in refused(write, content, "p.csv").replace(
        str(write("", "q").parent) + "/", ""
    )


def test_a_header_again_far_down_the_file_is_found(write):
    """Also where the parts end in which the bytes are looked at."""
    for size in range(2**20 - 24, 2**20 + 4, 3):
        before = "id,y,svm\n" + "1,cat,cat\n" * ((size - 9) // 10)
        content = before + "x" * (size - len(before) - 7) + ",cat,c\n" + "id,y,svm\n" + ROWS
        assert "is the header again" in refused(write, content)


def test_labels_that_are_the_names_of_columns_are_kept(write):
    assert tally_file(write("y\ny\nn\n"), {"a": "y"}).counts == {("y",): 1, ("n",): 1}
    assert tally_file(write("y,n\nn,y\ny,y\n"), {"truth": "y", "a": "n"}).counts == {("n", "y"): 1, ("y", "y"): 1}
    text = 'y,n\n"a\ny,n\n",x\n'
    assert tally_file(write(text), {"truth": "y", "a": "n"}).counts == {("a\ny,n\n", "x"): 1}


MARKED = "".join(f"i{i},{i % 2},{i % 3 % 2}\n" for i in range(30))
GRADED = "".join(f"i{i},{(i * 7 % 30) / 30:.3f},{(i * 11 % 30) / 30:.3f}\n" for i in range(30))


@pytest.mark.parametrize(
    ("rows", "last", "why"),
    [
        (MARKED, "Total,15,10", "it says 'Total', and its 'y', 15, is the sum of the rows above"),
        (MARKED, "TOTAL:,15,10\n\n", "'y', 15, is the sum"),
        (MARKED, "Sum,,10", "'svm', 10, is the sum"),
        (MARKED, "Mean,0.5,0.33", "'y', 0.5, is the mean"),
        (MARKED, "Average,50%,33%", "'y', 50%, is in no other row"),
        (GRADED, "mean,0.483,0.483", "'y', 0.483, is the mean"),
        (GRADED, "Total,14.500,14.5", "'y', 14.500, is the sum"),
    ],
)
def test_a_last_row_that_sums_up_the_others_is_no_item(write, rows, last, why):
    told = refused(write, f"id,y,svm\n{rows}{last}\n")
    assert "is a total, not an item" in told
    assert why in told
    assert "move it up" in told
    if "Total" in last:
        told = refused(write, gzip.compress(f"id;y;svm\n{rows}{last}\n".replace(",", ";").encode()), "p.csv.gz")
        assert why in told


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (MARKED, "total,1,0"),  # a word like any other, with labels like any others
        (MARKED, "sum,0,1"),
        (GRADED, "mean,0.123,0.456"),
        (GRADED, "average,0.900,0.100"),
        ("total,1,1\n" + MARKED, "Total,15,10"),  # a label that occurs again
        (MARKED[:36], "Total,9,9"),  # too few rows above to tell
        (MARKED, "Totally,15,10"),
        (MARKED + "Total,15,10\n", "i30,1,1"),  # not the last row
    ],
)
def test_words_for_totals_may_be_items(write, rows, last):
    path = write(f"id,y,svm\n{rows}{last}\n")
    size = (
        scores_file(path, {"a": "y"}).scores[0].size if rows == GRADED else sum(tally_file(path, TWO).counts.values())
    )
    assert size == rows.count("\n") + 1


# --- JSON that is not in lines ------------------------------------------------------------------------------------

ITEMS = [
    {"y": "cat", "svm": "cat", "n": 1.50},
    {"svm": "dog", "y": "a\nb\u2028\u00e9", "n": 12345678901234567890123},
    {"y": "cat", "svm": "cat", "text": '}], [{"'},
]
OF_ITEMS = {("cat", "cat"): 2, ("a\nb\u2028\u00e9", "dog"): 1}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(ITEMS),
        json.dumps(ITEMS, indent=2, ensure_ascii=False),
        json.dumps(ITEMS, indent="\t").replace("\n", "\r\n"),
        "\n\n " + json.dumps(ITEMS, separators=(",", ":")) + "\n \n",
        "\ufeff" + json.dumps(ITEMS),
        "\n".join(map(json.dumps, ITEMS)),
    ],
)
def test_an_array_of_objects_is_read_as_its_lines_would_be(write, feed, monkeypatch, content):
    for part in (1, 7, 1 << 20):  # wherever a part of the file ends
        monkeypatch.setattr(sources, "PART_OF_TEXT", part)
        assert tally_file(write(content, "p.json"), TWO).counts == OF_ITEMS
    assert tally_file(write(gzip.compress(content.encode()), "p.json.gz"), TWO).counts == OF_ITEMS
    assert tally_file(write(content.encode("utf-16"), "p.json"), TWO).counts == OF_ITEMS
    feed(content.strip().encode())
    assert tally_file("-", TWO).counts == OF_ITEMS


def test_numbers_in_an_array_keep_their_digits(write):
    array = '[{"y": 1.0, "svm": 0.1000000000000000055511151231257827}, {"y": 1e0, "svm": 12345678901234567890123}]'
    expected = {("1", "0.1000000000000000055511151231257827"): 1, ("1", "12345678901234567890123"): 1}
    assert tally_file(write(array, "p.json"), TWO).counts == expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[]", "p.json has no rows."),
        ("[1]", "Item 1 of p.json cannot be used: it begins with 1"),
        ("[[1]]", "Item 1 of p.json cannot be used: it begins with ["),
        ('[{"y": 1, "svm": 1},]', "Item 2 of p.json cannot be used: a comma stands before the closing bracket"),
        ('[{"y": 1, "svm": 1,}]', "Item 1 of p.json cannot be used: Expecting property name"),
        ('[{"y": 1, "svm": 1} {"y": 1}]', "Item 1 of p.json cannot be used: { follows it, not a comma"),
        ('[{"y": 1, "svm": 1}', "the file ends behind it"),
        ('[{"y": 1, "svm": 1},', "Item 2 of p.json cannot be used: the file ends there"),
        ('[{"y": 1, "svm"', "Item 1 of p.json cannot be used"),
        ('[{"y": 1, "svm": 1}] []', "[ follows the closing bracket"),
        (
            '[{"y": 1, "svm": 1}, {"y": 1, "svm": 1, "y": 2}]',
            "Item 2 of p.json cannot be used: the key 'y' comes twice",
        ),
        ('[{"y": 1, "svm": nan}]', "Expecting value"),
        ('[{"y": 01, "svm": 1}]', "Expecting ',' delimiter"),
        ('[{"y": 1, "svm": [' + "[" * 100_000, "nested too deeply"),
        ('[{"y": 1 /* one */, "svm": 1}]', "Expecting ',' delimiter"),
        (b'[{"y": "\xe9", "svm": 1}]', "is not UTF-8"),
        (gzip.compress(json.dumps(ITEMS).encode())[:-9], "broken or cut off gzip"),
        ('{"y": ["cat"], "svm": ["dog"]}', "does not hold an array of objects"),
    ],
)
def test_arrays_that_are_broken(write, monkeypatch, tmp_path, content, reason):
    monkeypatch.chdir(tmp_path)
    write(content, "p.json")
    assert reason in message(FileError, "p.json", TWO)


def test_an_item_of_an_array_that_is_too_long(write, monkeypatch):
    monkeypatch.setattr(sources, "PART_OF_TEXT", 10)
    monkeypatch.setattr(sources, "LONGEST_OBJECT", 100)
    assert "longer than 100 characters" in refused(write, f'[{{"y": "{"x" * 500}"}}]', "p.json")


NESTED = [
    {"y": 1, "gpt": {"right": True, "score": 1.50, "labels": ["a"], "deep": {"er": "x"}}},
    {"y": 0, "gpt": {"right": False, "score": 2, "~/": "odd"}, "llama": {"score": 0.25}},
    {"y": 0, "gpt": {"right": None}},
]


@pytest.mark.parametrize("name", ["p.json", "p.jsonl"])
def test_what_lies_in_an_object_is_a_column(write, name):
    text = json.dumps(NESTED) if name == "p.json" else "\n".join(map(json.dumps, NESTED))
    path = write(text, name)
    with sources.scratch_database() as (db, scratch):
        columns = list(sources.open_table(db, sources.open_source(path, scratch)).texts)
    inner = ["gpt.right", "gpt.score", "gpt.labels", "gpt.deep", "gpt.~/", "llama.score", "gpt.deep.er"]
    assert columns == ["y", "gpt", "llama", *inner]
    right = tally_file(path, {"truth": "y", "a": "gpt.right"}, missing="drop")
    assert right.counts == {("0", "false"): 1, ("1", "true"): 1}
    assert tally_file(path, {"a": "gpt.score"}, missing="drop").counts == {("1.5",): 1, ("2",): 1}
    assert tally_file(path, {"a": "gpt.deep.er"}, missing="drop").counts == {("x",): 1}
    assert tally_file(path, {"a": "gpt.~/"}, missing="drop").counts == {("odd",): 1}
    assert "outer.inner" in message(FileError, path, {"truth": "y", "a": "gpt"})


def test_a_key_with_a_point_comes_before_what_lies_in_an_object(write):
    path = write('{"m.a": 1, "m": {"a": 7, "b.c": 1, "b": {"c": 2}}}\n', "p.jsonl")
    assert tally_file(path, {"a": "m.a"}).counts == {("1",): 1}
    assert "no column" in message(UnknownNameError, path, {"a": "m.b.c"}), "two paths have that name"


def test_a_repeated_key_within_an_object_is_refused_where_it_is_asked_for(write):
    path = write('{"y": 1, "m": {"a": 1, "a": 2}}\n', "p.jsonl")
    assert tally_file(path, {"a": "y"}).counts == {("1",): 1}
    assert "a key that comes twice" in message(FileError, path, {"a": "m.a"})


def test_an_object_that_maps_items_has_no_columns(write):
    path = write("\n".join(json.dumps({"y": 1, "of": {f"doc{i}": 1}}) for i in range(200)), "p.jsonl")
    with sources.scratch_database() as (db, scratch):
        assert list(sources.open_table(db, sources.open_source(path, scratch)).texts) == ["y", "of"]


@pytest.mark.parametrize(("name", "pack"), [("p.jsonl", bytes), ("p.ndjson", bytes), ("p.JSONL.gz", gzip.compress)])
def test_jsonl(write, name, pack):
    labels = [
        "01",
        "2020-01-01",
        "null",
        "a\nb",
        1,
        1.0,
        1e2,
        -0.0,
        2.5,
        True,
        False,
        12345678901234567890123,
    ]
    lines = [json.dumps({"y": label, "svm": "x"}) for label in labels]
    found = tally_file(write(pack(("\n\n".join(lines) + "\n").encode()), name), TWO)
    texts = "01 2020-01-01 null a\nb 1 100 0 2.5 true false 12345678901234567890123"
    expected = {(text, "x"): 1 for text in texts.split(" ")}
    assert found.counts == {**expected, ("1", "x"): 2}


def test_jsonl_keys_in_any_order_and_late(write):
    lines = ['{"y": 1, "svm": 0}'] * 3_000 + ['{"new": 3, "svm": 1, "y": 0}']
    path = write("\n".join(lines), "p.jsonl")
    assert tally_file(path, TWO).counts == {("1", "0"): 3_000, ("0", "1"): 1}
    assert "column 'new'" in message(FileError, path, {"truth": "y", "a": "new"}).lower()  # known, mostly empty


def test_parquet_types(write_parquet):
    day = datetime.date(2020, 1, 2)
    path = write_parquet(
        {
            "y": [1.0, -0.0, 2.5],
            "int": [1, 2, 3],
            "bool": [True, False, True],
            "text": ["01", "NA", "nan"],
            "day": [day, day, day],
            "decimal": [Decimal("1.00"), Decimal("2.00"), Decimal("2.50")],
            "binary": [b"x", b"y", b"z"],
        }
    )

    def labels(column: str) -> set[str]:
        return {b for _, b in tally_file(path, {"truth": "y", "b": column}).counts}

    assert {y for y, _ in tally_file(path, {"truth": "y", "b": "int"}).counts} == {"1", "0", "2.5"}
    assert labels("int") == {"1", "2", "3"}
    assert labels("bool") == {"true", "false"}
    assert labels("text") == {"01", "NA", "nan"}
    assert labels("day") == {"2020-01-02"}
    assert labels("decimal") == {"1", "2", "2.5"}
    assert labels("binary") == {"x", "y", "z"}


WIDE = Decimal("12345678901234567890.00")
MOMENT = 1_700_000_000_000_000_001


@pytest.mark.parametrize(
    ("values", "type_", "text"),
    [
        ([WIDE + Decimal(i) / 100 for i in range(100)], pa.decimal128(38, 2), None),
        ([WIDE + i for i in range(100)], pa.decimal128(22, 2), None),
        ([Decimal(10**37 + i) for i in range(100)], pa.decimal128(38, 0), None),
        ([Decimal(i) / 4 for i in range(100)], pa.decimal128(4, 2), None),
        ([2**64 - 1 - i for i in range(100)], pa.uint64(), None),
        ([-(2**63) + i for i in range(100)], pa.int64(), None),
        ([2.0**53 + 2 * i for i in range(100)], pa.float64(), None),
        ([2.0**100 + i * 2.0**60 for i in range(100)], pa.float64(), None),
        ([2.0**24 + 2 * i for i in range(100)], pa.float32(), None),
        ([float(i) for i in range(100)], pa.float16(), None),
        ([MOMENT + i for i in range(100)], pa.timestamp("ns"), "2023-11-14 22:13:20.000000001"),
        ([MOMENT // 10**3 + i for i in range(100)], pa.timestamp("us", "Europe/Berlin"), "2023-11-14 22:13:20+00"),
        ([MOMENT // 10**6 + i for i in range(100)], pa.timestamp("ms"), "2023-11-14 22:13:20"),
        ([MOMENT // 10**9 + i for i in range(100)], pa.timestamp("s"), "2023-11-14 22:13:20"),
        (list(range(100)), pa.time64("ns"), "00:00:00"),
        (list(range(100)), pa.time64("us"), "00:00:00"),
        (list(range(100)), pa.date32(), "1970-01-01"),
        (list(range(100)), pa.duration("us"), "0"),
        ([i.to_bytes(16, "big") for i in range(100)], pa.uuid(), "00000000-0000-0000-0000-000000000000"),
        ([f"{i:020}" for i in range(100)], pa.large_string(), "0" * 20),
        ([b"%d" % i for i in range(100)], pa.binary(), "0"),
        ([False, True] * 50, pa.bool_(), "false"),
    ],
    ids=lambda value: str(value) if isinstance(value, pa.DataType) else "",
)
@pytest.mark.parametrize("as_dictionary", [False, True])
def test_every_type_of_parquet_keeps_all_its_values(tmp_path, values, type_, text, as_dictionary):
    column = pa.array(values, type_)
    if as_dictionary and pa.types.is_large_string(type_):
        column = column.dictionary_encode()
    rows = len(values)
    table = pa.table({"y": ["x"] * rows, "svm": ["x"] * rows, "g": column})
    pq.write_table(table, tmp_path / "p.parquet", use_dictionary=as_dictionary)
    found = tally_file(tmp_path / "p.parquet", {**TWO, "group": "g"}).counts
    groups = {group for *_, group in found}
    read_back = pq.read_table(tmp_path / "p.parquet")["g"]
    assert len(groups) == len(read_back.cast(pa.binary(16)).unique() if type_ == pa.uuid() else read_back.unique())
    if text is None:  # a number: its exact value, and a whole one as a column of integers would have it
        read_back = read_back.to_pylist()
        assert {Decimal(group) for group in groups} == {Decimal(value) for value in read_back}
        assert {group for group in groups if "." not in group} == {str(int(v)) for v in read_back if v == int(v)}
        assert not any(group.endswith((".", "0")) for group in groups if "." in group)
    else:
        assert text in groups


def test_times_are_the_same_text_wherever_they_are_read(tmp_path, monkeypatch):
    moments = pa.array([MOMENT], pa.timestamp("ns", "Asia/Tokyo"))
    pq.write_table(pa.table({"y": moments, "svm": moments}), tmp_path / "p.parquet")
    monkeypatch.setenv("TZ", "America/New_York")
    assert set(tally_file(tmp_path / "p.parquet", TWO).counts) == {("2023-11-14 22:13:20.000000001+00",) * 2}


def test_decimals_that_would_be_rounded_and_bytes_that_are_no_text_are_refused(tmp_path):
    wide = pa.array([Decimal("1" * 50)], pa.decimal256(60, 2))
    columns = {
        "y": ["x"],
        "svm": wide,
        "lists": pa.array([[1]]),
        "bytes": [b"\xff"],
        "w": pa.array([[wide[0].as_py()]]),
    }
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    for column in ("svm", "w"):
        text = message(FileError, tmp_path / "p.parquet", {"truth": "y", "b": column})
        assert f"Column '{column}' of" in text
        assert "more than 38 digits" in text
    assert "bytes that are not text" in message(FileError, tmp_path / "p.parquet", {"truth": "y", "b": "bytes"})
    assert "nested value" in message(FileError, tmp_path / "p.parquet", {"truth": "y", "b": "lists"})


def test_parquet_columns_go_by_their_own_names(tmp_path):
    def write_columns(*names: str) -> Path:
        arrays = [pa.array([name, f"{name}{i}"]) for i, name in enumerate(names)]
        nested = pa.array([{"y": 1, "z": [{"y": 2}]}] * 2)
        pq.write_table(pa.Table.from_arrays([nested, *arrays], names=["s", *names]), tmp_path / "p.parquet")
        return tmp_path / "p.parquet"

    path = write_columns("y", "Y", "Y_1", "svm")
    for name in ("y", "Y", "Y_1"):
        assert ((name, "svm")) in tally_file(path, {"truth": name, "a": "svm"}).counts
    text = message(FileError, write_columns("y", "svm", "y"), TWO)
    assert "names more than one column 'y'" in text


def test_jsonl_keys_that_differ_by_case(write):
    path = write('{"y": "low", "Y": "high", "svm": 1}\n', "p.jsonl")
    assert set(tally_file(path, {"truth": "y", "a": "svm"}).counts) == {("low", "1")}
    assert set(tally_file(path, {"truth": "Y", "a": "svm"}).counts) == {("high", "1")}


def test_numbers_in_jsonl_are_exact(write):
    rng = random.Random(13)

    def number() -> str:
        whole = str(rng.choice([0, 1, 12, 2**53 + 1, 10**18 + 7, rng.randrange(10**25)]))
        digits = "".join(rng.choice("0019") for _ in range(rng.choice([1, 2, 3, 16, 22])))
        return rng.choice(["", "-"]) + whole + rng.choice(["", f".{digits}", f".{digits}"])

    numbers = [number() for _ in range(2_000)]
    spellings = (
        '{{"s": "{0} \\"n\\": -1.5", "n": {0}, "y": 1, "svm": "{0}"}}\n',
        '{{"n": {0}, "y": 1, "svm": "{0}", "in": {{"n": 7.5}}, "é": "\\u006e \\\\"}}\n',  # more than one n
    )
    for spelling in spellings:
        path = write("".join(spelling.format(x) for x in numbers), "p.jsonl")
        found = tally_file(path, {"truth": "y", "group": "n", "stratum": "svm"}).counts
        for _, text, written in found:
            assert Decimal(written) == Decimal(text)
        assert len({text for _, text, _ in found}) == len({Decimal(x) for x in numbers})


def test_numbers_with_exponents_in_jsonl(write):
    wanted = {
        "1e2": "100",
        "100e-2": "1",
        "1e+22": "1" + "0" * 22,
        "123456789012345e10": "1234567890123450000000000",
        "0e5": "0",
        "1e-7": "1e-07",
        "0.0000001": "1e-07",
        "1e400": "1e400",
        "1e-400": "1e-400",
        "-Infinity": "-inf",
        "1.00000000000000000000001e2": "1.00000000000000000000001e2",
    }
    for written, text in wanted.items():
        path = write(f'{{"y": {written}, "long": 1.2345678901234567, "svm": 1}}\n', "p.jsonl")
        assert set(tally_file(path, TWO).counts) == {(text, "1")}


def test_standard_input(feed, write_parquet):
    parquet = write_parquet({"y": ["cat", "dog"], "svm": ["cat", "cat"]}).read_bytes()
    tsv = b"y\tsvm\ncat\tcat\ndog\tcat\n"
    for content in (JSONL, b"\n " + JSONL, parquet, tsv, tsv.replace(b"\t", b","), gzip.compress(JSONL, mtime=0)):
        feed(content)
        assert tally_file("-", TWO).counts == {("cat", "cat"): 1, ("dog", "cat"): 1}
    feed(b"")
    assert "standard input is empty" in message(FileError, "-", TWO)
    feed(b"y,svm\n1\n")
    assert "Line 2 of standard input" in message(FileError, "-", TWO)


def test_standard_input_leaves_nothing_behind(feed, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    feed(JSONL)
    tally_file("-", TWO)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "column", ['a"b', "select", "a,b", "it's", "a/b~c", "$.y", "{y}", "Y", "y ", "ÿ", "id", "*", "0"]
)
def test_hostile_column_names(write, write_parquet, column):
    text = io.StringIO()
    csv.writer(text).writerows([["y", column], ["1", "2"]])
    paths = [write(text.getvalue()), write(json.dumps({"y": "1", column: "2"}), "p.jsonl")]
    if column != "Y":  # DuckDB itself renames a Parquet column that differs from another only by its case
        paths.append(write_parquet({"y": ["1"], column: ["2"]}))
    for path in paths:
        found = tally_file(path, {"truth": "y", "a": column})
        assert found.counts == {("1", "2"): 1}
        assert found.names == ("y", column)


@pytest.mark.parametrize(
    "name",
    ["it's", "x*", "x?", "x[ab]", "x[!a]", "{a,b}", "**/x", "y=3/x", "two words", "-", "~", "a;b", "ü"],
)
def test_hostile_paths(write, name):
    for bait in ("xa", "xb", "x1", "other/x"):
        write("y,svm\nWRONG,WRONG\n", f"{bait}.csv")
        write(b'{"y":"WRONG"}', f"{bait}.jsonl")
    assert tally_file(write(CSV, f"{name}.csv"), ROLES).counts == TALLY
    assert sum(tally_file(write(JSONL, f"{name}.jsonl"), TWO).counts.values()) == 2


def test_hostile_parquet_path(write_parquet):
    write_parquet({"y": ["WRONG"], "svm": ["WRONG"]}, "xa.parquet")
    path = write_parquet({"y": ["1"], "svm": ["2"]}, "x[a]'*.parquet")
    assert tally_file(path, TWO).counts == {("1", "2"): 1}


def test_relative_path(write, tmp_path, monkeypatch):
    write(CSV)
    monkeypatch.chdir(tmp_path)
    assert tally_file("preds.csv", ROLES).counts == TALLY
    assert list(tmp_path.iterdir()) == [tmp_path / "preds.csv"]


def test_no_such_file(write, tmp_path):
    path = write(CSV)
    assert f"did you mean {path}?" in message(FileError, tmp_path / "pred.csv", ROLES)
    assert "There is no folder" in message(FileError, tmp_path / "no" / "pred.csv", ROLES)
    assert "There is no file" in message(FileError, tmp_path / "*.tsv", ROLES)


def test_folder(tmp_path):
    assert "is a folder" in message(FileError, tmp_path, ROLES)


def test_unreadable(write, monkeypatch):
    path = write(CSV)

    def denied(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert "cannot be opened: Permission denied" in message(FileError, path, ROLES)


def test_what_the_system_refuses_is_not_told_as_a_bad_file(write, tmp_path):
    source = sources.open_source(write(CSV), tmp_path)
    sorting = "SELECT max(x) FROM (SELECT md5(i::VARCHAR) AS x FROM range(300000) r(i) ORDER BY x LIMIT 299999)"
    with duckdb.connect(config={"memory_limit": "8MB", "temp_directory": "", "threads": 1}) as db:
        # no more memory is to be had, so that asking for it changes nothing
        little = SimpleNamespace(execute=lambda query: db.execute("SELECT 1" if query.startswith("RESET") else query))
        for call in (sources.run, sources.run_as_arrays):
            text = message(FileError, little, source, sorting, call=call)
            assert "There is not enough memory to read" in text
            assert "ulimit -v" in text

    def full(*_):
        raise duckdb.IOException('IO Error: Could not write file "spill/duckdb_temp_0.tmp": No space left on device')

    text = message(FileError, SimpleNamespace(execute=full), source, sorting, call=sources.run)
    assert "There is no room on the disk" in text
    assert "TMPDIR=" in text


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "no room on the disk"),
        (errno.EMFILE, "ulimit -n"),
        (errno.EIO, "preds.csv cannot be read: Input/output error."),
        (errno.ENOENT, "preds.csv vanished while it was being read"),
    ],
)
def test_trouble_while_a_file_is_read(write, monkeypatch, code, words):
    path = write(CSV)

    def fail(*_, **__):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(sources, "refuse_silent_losses", fail)
    assert words in message(FileError, path, ROLES)
    monkeypatch.undo()
    monkeypatch.setattr("tempfile.TemporaryDirectory", fail)
    assert words.replace("preds.csv", "temporary files") in message(FileError, path, ROLES).replace(
        str(path), path.name
    )


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_pipe_is_read_as_standard_input_is(pipe):
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(CSV * 1),))
    writer.start()
    found = tally_file(pipe, ROLES)
    writer.join()
    assert found.counts == TALLY
    read, write = os.pipe()  # as a shell gives it for <(program)
    os.write(write, CSV)
    os.close(write)
    assert tally_file(f"/dev/fd/{read}", ROLES).counts == TALLY
    os.close(read)


def test_a_pipe_whose_writer_takes_its_time(pipe, monkeypatch):
    monkeypatch.setattr(sources, "PATIENCE", 0.0)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # only to let the writer in
    writing = os.open(pipe, os.O_WRONLY)
    os.close(reading)
    wait = os.set_blocking

    def begin_to_wait(number, blocking):
        wait(number, blocking)
        os.write(writing, CSV)
        os.close(writing)

    monkeypatch.setattr(os, "set_blocking", begin_to_wait)
    assert tally_file(pipe, ROLES).counts == TALLY


@pytest.mark.parametrize("call", [tally_file, read_joint_counts])
def test_a_pipe_to_which_nobody_writes(pipe, monkeypatch, call):
    monkeypatch.setattr(sources, "PATIENCE", 0.05)
    text = message(FileError, pipe, *([ROLES] if call is tally_file else []), call=call)
    assert "no program writes to it" in text
    assert "| clearwin" in text


def test_devices_and_sockets_are_no_files(tmp_path, monkeypatch):
    for name in ("/dev/null", "/dev/zero"):
        assert f"{name} is a device, not a file." in message(FileError, name, ROLES)
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.csv")
        assert "s.csv is a socket" in message(FileError, "s.csv", ROLES)


@pytest.mark.parametrize("name", ["p.txt", "p.xlsx", "p", "p.parquet.gz", "p.gz"])
def test_unknown_ending(write, name):
    text = refused(write, CSV, name)
    assert name in text
    assert ".csv, .tsv, .json, .jsonl, .ndjson (each also with .gz) or .parquet" in text
    assert ("save it as CSV" in text) == (name == "p.xlsx")


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet", "p.csv.gz"])
def test_empty_file(write, name):
    assert f"{name} is empty" in refused(write, gzip.compress(b"", mtime=0) if name.endswith("gz") else b"", name)


def test_no_rows(write, write_parquet):
    assert "has no rows" in refused(write, "y,svm\n")
    assert "has no rows" in refused(write, "y,svm")
    assert "only blank lines" in refused(write, "\n\n\n")
    assert "has no rows" in refused(write, "\n\n\n", "p.jsonl")
    assert "has no rows" in refused(write, "{}\n", "p.jsonl")
    assert "has no rows" in message(
        FileError, write_parquet({"y": pa.array([], "str"), "svm": pa.array([], "str")}), TWO
    )
    assert "has no rows" in message(FileError, write("y,svm,id\n"), TWO, id_column="id")


def test_header_with_repeated_names(write):
    assert "more than one column 'y' and 'z'" in refused(write, "y,svm,y,z,z\n1,2,3,4,5\n")
    assert tally_file(write("y,svm,,\n1,2,3,4\n"), TWO).counts == {("1", "2"): 1}  # nobody asks for nameless ones


def test_header_with_open_quote(write):
    assert "header of" in refused(write, 'y,"svm\n1,2\n')


def test_ragged_rows(write):
    text = refused(write, "y,svm\n1,2\n1,2,3\n")
    assert "Line 3 of" in text
    assert "3 fields, and the header has 2: 1,2,3" in text
    assert "Line 2 of" in refused(write, "y,svm\n1\n1,2\n")
    late = refused(write, "y,svm\n" + "1,2\n" * 200_000 + "7\n" + "1,2,3\n" * 10)
    assert "Line 200002 of" in late
    assert "1 fields, and the header has 2: 7" in late


@pytest.mark.parametrize("line", ["1,0,1,", '1,0,1,""', "1,0,1,,,", ",,,", '"1","0","1",'])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_more_fields_than_the_header_has_even_if_they_are_empty(write, line, ends, last):
    rows = ["id,y,svm", "1,0,", line] + ([] if last else ["2,0,1", ""])
    fields = len(next(csv.reader([line])))
    text = refused(write, ends.join(rows))
    assert "Line 3 of" in text
    assert f"has {fields} fields, and the header has 3" in text


@pytest.fixture
def databases(monkeypatch):
    """Every DuckDB that is opened, none of which is there at first."""
    made, new = [], sources._new_database
    monkeypatch.setattr(sources, "_spare", [])
    monkeypatch.setattr(sources, "_new_database", lambda: made.append(new()) or made[-1])
    return made


def test_one_database_reads_file_after_file(write, databases):
    """Opening one takes longer than reading: it is kept, also after a file that is refused, as it was at first."""
    path = write(CSV)
    for _ in range(3):
        assert dict(tally_file(path, ROLES).counts) == TALLY
        assert "no rows" in refused(write, "id,y,svm,rbf\n", "empty.csv")
    assert len(databases) == 1
    with sources.scratch_database() as (db, _):
        before = db.execute("SELECT current_setting('memory_limit')").fetchone()
        db.execute("CREATE TEMP TABLE held AS SELECT 1")
        db.execute("RESET memory_limit")
        assert db.execute("SELECT current_setting('memory_limit')").fetchone() != before
        with sources.scratch_database():  # at the same time: another one
            assert len(databases) == 2
    with sources.scratch_database() as (db, scratch):
        assert db.execute("SELECT current_setting('memory_limit')").fetchone() == before
        assert db.execute("SELECT current_setting('temp_directory')").fetchone() == (str(scratch / "spill"),)
        assert db.execute("SELECT current_setting('TimeZone')").fetchone() == ("UTC",)
        with pytest.raises(duckdb.CatalogException):
            db.execute("FROM held")
    assert len(databases) == 2
    assert len(sources._spare) == 1


def test_a_database_that_holds_a_file_is_not_kept(tmp_path, databases):
    with duckdb.connect(str(tmp_path / "p.db")) as db:
        db.execute("CREATE TABLE preds AS SELECT 'x' AS y, 'x' AS svm, 'y' AS rbf")
    assert tally_file(f"duckdb://{tmp_path / 'p.db'}", ROLES).counts == {("x", "x", "y"): 1}
    assert sources._spare == []
    with duckdb.connect(str(tmp_path / "p.db")) as db:  # it can be written to
        db.execute("INSERT INTO preds VALUES ('x', 'x', 'y')")
    assert tally_file(f"duckdb://{tmp_path / 'p.db'}", ROLES).counts == {("x", "x", "y"): 2}


def test_a_file_that_changes_within_the_grain_of_the_clock_is_read_anew(tmp_path):
    path = tmp_path / "p.parquet"
    for label in "xyxy":
        pq.write_table(pa.table({"y": [label] * 9, "svm": ["x"] * 9, "rbf": ["y"] * 9}), path)
        os.utime(path, (1e9, 1e9))
        assert tally_file(path, ROLES).counts == {(label, "x", "y"): 9}


def test_a_copy_of_the_process_has_no_database(write):
    """Its threads are not copied, so that a query in the copy would wait for ever."""
    tally_file(write(CSV), ROLES)
    assert sources._spare
    child = os.fork()
    if child == 0:
        os._exit(len(sources._spare))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_random_lines_pass_only_if_the_csv_module_takes_them(write):
    rng = random.Random(13)
    fields = ["a", "b", "", '""', '"x"', '"a,b"', '"x" ', '"a""b"', " ", '"x""', '"', ' "x"', '  "x"', '", ""x"']
    passed = 0
    with sources.scratch_database() as (db, scratch):
        for _ in range(200):
            width = rng.randint(2, 3)
            lines = [",".join(rng.choices(fields, k=width + rng.choice([0, 0, 0, 1, -1]))) for _ in range(2)]
            content = "\n".join([",".join("xyz"[:width]), *lines]) + rng.choice(["", "\n"])
            path = write(content)
            try:
                table = sources.open_table(db, sources.open_source(path, scratch))
                found = read_columns(db, table, {name: name for name in table.texts}, "FROM items")
            except FileError:
                continue
            passed += 1
            _, *rows = csv.reader(io.StringIO(content, newline=""), strict=True)
            assert [[value or "" for value in row] for row in found] == [row for row in rows if row]
    assert passed > 10


def test_text_after_a_closing_quote(write):
    text = refused(write, 'id,y,svm\n1,"a",b\n2,"a" ,b\n')
    assert "Line 3 of" in text
    assert "between a closing quote and the end of its field" in text
    # to DuckDB, to which a quote may follow a space, this header has it as well
    text = refused(write, 'id, "y"x,svm\n1,a,b\n')
    assert "Line 1 of" in text
    assert "between a closing quote and the end of its field" in text


def test_space_before_an_opening_quote(write):
    """The csv module takes ` "b"` as it stands, DuckDB reads b."""
    for line in ('2,"a", "b"', ' "2",a,b'):
        text = refused(write, f'id,y,svm\n1,"a",b\n{line}\n')
        assert "Line 3 of" in text
        assert "a space between a delimiter and an opening quote" in text


def test_the_limit_of_the_csv_module_is_as_before(write):
    """All of the process shares it, and a file with odd ends is read twice at once."""
    before = csv.field_size_limit()
    refused(write, 'id,y,svm\n1,"a",b\n2,"a", "b"\n')
    assert csv.field_size_limit() == before


def test_quotes_in_the_wrong_place(write):
    assert "Line 3 of" in (text := refused(write, 'y,svm\n1,2\n1,"2\n3,4\n'))
    assert "quote that is never closed" in text
    assert "Line 2 of" in refused(write, 'y,svm\n1,"2"x\n3,4\n')
    assert "Line 2 of" in refused(write, 'y,svm\n1, "2\n3,4\n')
    assert "Line 100002 of" in refused(write, "y,svm\n" + "1,2\n" * 100_000 + '"1,2\n' + "3,4\n" * 9)


def test_mixed_line_endings(write):
    text = refused(write, "y,svm\r\n1,2\n3,4\r\n")
    assert "mixes line endings" in text
    assert "dos2unix" in text
    for blank, end in (("\r\n", "\r"), ("\n", "\r\n"), ("\r", "\n")):  # lines before the header
        assert "mixes line endings" in refused(write, f'{blank}id,y,svm{end}"1",2,3{end}'.encode())


def test_endless_line(write):
    text = refused(write, "y,svm\n1,2\n1," + "x" * 3_000_000 + "\n1,2\n")
    assert "Line 3 of" in text
    assert "longer than" in text
    assert len(text) < 1_000


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz"])
def test_not_utf8(write, name):
    pack = gzip.compress if name.endswith("gz") else bytes
    for rows in (b"1,\xe9t\xe9\n", b"1,2\n" * 50_000 + b"1,\xe9t\xe9\n"):
        text = refused(write, pack(b"y,svm\n" + rows), name)
        assert f"Line {rows.count(b'1,') + 1:,} of" in text
        assert "is not UTF-8" in text
        assert "iconv -f latin1 -t utf8" in text
    assert "Line 1 of" in refused(write, pack(b"y,\xe9\n1,2\n"), name)


def test_utf16(write):
    plain = tally_file(write(CSV), ROLES)
    for code in ("utf-16-le", "utf-16-be"):
        path = write(("\ufeff" + CSV.decode()).encode(code))
        assert tally_file(path, ROLES) == plain
        packed = write(gzip.compress(("\ufeff" + CSV.decode()).encode(code)), "preds.csv.gz")
        assert tally_file(packed, ROLES) == plain
    text = refused(write, "\ufeffy,svm\n1,1".encode("utf-16-le") + b"\x00")
    assert "UTF-16" in text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"y": "dog", "svm"', "delimiter"),
        (b'{"y": "dog", "svm": 1} x', "Extra data"),
        (b'{"y": "dog", "svm": 1}{"y": 2}', "Extra data"),
        (b"y,svm", "Expecting value"),
        (b"[1, 2]", "not a JSON object"),
        (b"3", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'{"y": 1, "svm": 1, "svm": 2}', "'svm' comes twice"),
        (b'{"y": "\xe9"}', "not UTF-8"),
        (b'{"y": "a", "svm": 1,}', "property name"),
        (b'{"y": "a", "svm": [1, 2, ]}', "Expecting value"),
        (b'{"y": inf, "svm": 1}', "Expecting value"),
        (b'{"y": -nan, "svm": 1}', "Expecting value"),
        (b'{"y": 1, "svm": 1} // why', "Extra data"),
        (b"{'y': 1, 'svm': 1}", "property name"),
    ],
)
def test_broken_jsonl_line(write, line, reason):
    for before in (2, 3_000):
        text = refused(write, JSONL * (before // 2) + b"\n" + line + b"\n" + JSONL, "p.jsonl")
        assert f"Line {before + 2:,} of" in text
        assert reason in text


def test_texts_that_look_like_what_json_has_not(write):
    path = write('{"y": "a,}", "svm": ":nan,]"}\n\n  \n{"y": NaN, "svm": [1]}\n{"y": "b", "svm": "c"}\n', "p.jsonl")
    with sources.scratch_database() as (db, scratch):
        table = sources.open_table(db, sources.open_source(path, scratch))
        # NaN and Infinity, which Python writes, are taken, and so are blank lines
        assert read_columns(db, table, {"y": "y"}, "FROM items") == [("a,}",), (None,), ("b",)]


def test_jsonl_that_starts_with_a_mark_or_is_an_array(write):
    assert "BOM" in refused(write, b"\xef\xbb\xbf" + JSONL, "p.jsonl")
    assert "Line 1 of" in refused(write, '[\n{"y": 1, "svm": 2}\n]', "p.jsonl")


def test_a_line_break_behind_a_byte_order_mark_is_refused(tmp_path):
    """Found by the fuzzer: the rest of the header was an item. In any other name, or without the mark, it is read."""
    for first, second, marked, read in (
        ('"i\nd"', "y", True, False),
        ('"i\nd"', "y", False, True),
        ("id", '"y\n"', True, True),
        ('\n"i\nd"', "y", True, True),
    ):
        text = f"{first},{second},svm,rbf\n1,cat,cat,dog\n2,dog,dog,dog\n"
        (tmp_path / "p.csv").write_text(text, encoding="utf-8-sig" if marked else "utf-8")
        columns = {"truth": second.strip('"'), "a": "svm", "b": "rbf"}
        if read:
            assert tally_file(tmp_path / "p.csv", columns).counts == {
                ("cat", "cat", "dog"): 1,
                ("dog", "dog", "dog"): 1,
            }
        else:
            assert "begins with a byte order mark" in message(FileError, tmp_path / "p.csv", columns)


def test_nested_labels(write, write_parquet):
    text = refused(write, '{"y": "cat", "svm": 1}\n{"y": {"label": "dog"}, "svm": 1}\n', "p.jsonl")
    assert "Column 'y' of" in text
    assert 'nested value: {"label":"dog"}' in text
    assert "nested value: [1]" in refused(write, '{"y": "cat", "svm": [1]}\n', "p.jsonl")
    path = write_parquet({"y": [1], "svm": [[1, 2]], "rbf": [{"k": 1}], "fine": [1]})
    assert "Column 'svm' of" in message(FileError, path, TWO)
    assert "Column 'rbf' of" in message(FileError, path, {"truth": "y", "b": "rbf"})
    assert tally_file(path, {"truth": "y", "a": "fine"}).counts == {("1", "1"): 1}


def test_values_nested_without_end_are_refused_at_once(tmp_path):
    """DuckDB takes twice as long for each level; sixty of them held a job until its time was over."""
    lists, structs = pa.int8(), pa.int8()
    for _ in range(60):
        lists, structs = pa.list_(lists), pa.struct({"x": structs})
    columns = {"y": [1] * 3, "svm": pa.nulls(3, lists), "rbf": pa.nulls(3, structs), "fine": [1] * 3}
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    for column in ("svm", "rbf"):
        text = message(FileError, tmp_path / "p.parquet", {"truth": "y", "b": column})
        assert f"Column {column!r} of" in text
        assert "nested value" in text
    assert tally_file(tmp_path / "p.parquet", {"truth": "y", "a": "fine"}).counts == {("1", "1"): 3}
    assert [one["name"] for one in look([str(tmp_path / "p.parquet")])["files"][0]["columns"]] == list(columns)


def test_broken_parquet(write, write_parquet):
    whole = write_parquet({"y": list(range(5_000)), "svm": list(range(5_000))}).read_bytes()
    for content in (whole[: len(whole) // 2], b"PAR1", CSV):
        assert "not a Parquet file, or it is cut off" in refused(write, content, "p.parquet")
    footer = int.from_bytes(whole[-8:-4], "little")
    spoiled = whole[: -footer - 8] + b"\xff" * footer + whole[-8:]
    assert "p.parquet cannot be read. DuckDB says" in refused(write, spoiled, "p.parquet")


@pytest.mark.parametrize(
    ("name", "content"), [("p.csv.gz", b"y,svm\n" + b"1,2\n" * 90_000), ("p.jsonl.gz", JSONL * 9_000)]
)
def test_broken_gzip(write, name, content):
    packed = gzip.compress(content, mtime=0)
    for broken in (packed[:12], packed[: len(packed) // 2], packed[:-8]):
        text = refused(write, broken, name)
        assert "broken or cut off gzip file" in text
        assert "gzip -t" in text


def flipped(packed, place):
    return packed[:place] + bytes([packed[place] ^ 1]) + packed[place + 1 :]


@pytest.mark.parametrize(
    ("name", "content"), [("p.csv.gz", b"y,svm\n" + b"1,2\n" * 60_000), ("p.jsonl.gz", JSONL * 5_000)]
)
def test_damaged_gzip_that_still_unpacks(write, name, content):
    """Stored, not compressed: nothing but the checksum tells that a letter is another one."""
    packed = gzip.compress(content, 0, mtime=0)
    spoiled = flipped(packed, len(packed) - 100)
    assert len(packed) > 2**17
    for broken in (spoiled, spoiled + gzip.compress(content, mtime=0), packed + flipped(packed, -5)):
        assert "broken or cut off gzip file" in refused(write, broken, name)
    twice = tally_file(write(packed + gzip.compress(content.partition(b"\n")[2], mtime=0), name), TWO)
    assert sum(twice.counts.values()) == 2 * sum(tally_file(write(packed, name), TWO).counts.values()) - (
        "json" in name
    )


def test_damaged_gzip_in_utf_16(write):
    packed = gzip.compress(("y,svm\n" + "1,2\n" * 9_000).encode("utf-16"), 0, mtime=0)
    for broken in (flipped(packed, len(packed) - 100), packed[:-8]):
        assert "broken or cut off gzip file" in refused(write, broken, "p.csv.gz")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_last_line_that_duckdb_would_drop(write, pack):
    rows = b"truth,a,b\n" + b"x,y,x\n" * 30 + b"x,y," + b"z" * 33_000_000
    for end in (b"", b"\n", b"\r\n\r\n"):
        text = refused(write, pack(rows + end), "p.csv", {"truth": "truth", "a": "a"})
        assert "last line of" in text
        assert "longer than 2,000,000 bytes" in text


def test_a_last_line_of_as_many_bytes_as_may_be_is_not_called_longer(write):
    """There is nothing but a header, which is what the refusal is about."""
    content = "y,svm," + "z" * 1_999_994
    assert len(content) == 2_000_000
    assert "The header of" in refused(write, content)
    assert "The last line of" in refused(write, content + "z")


def test_a_long_last_line_is_found_in_a_gzip_file_that_is_larger_than_its_content(write):
    """Where the end begins cannot be told from the size of the packed file."""
    rows = b"truth,a,b\n" + b"x,y,x\n" * 30 + b"x,y," + b"z" * 33_000_000
    packed = gzip.compress(rows, 0)
    assert len(packed) > len(rows)
    assert "The last line of" in refused(write, packed, "p.csv", {"truth": "truth", "a": "a"})


def test_labels_ids_and_names_that_are_too_long(write, write_parquet, monkeypatch):
    long = "z" * 1_001
    for name, text in [("p.csv", f"id,y,svm\n1,x,{long}\n"), ("p.jsonl", json.dumps({"id": 1, "y": "x", "svm": long}))]:
        text = refused(write, text, name)
        assert "Column 'svm' of" in text
        assert "1001 characters" in text
        assert len(text) < 1_000
    assert "1001 characters" in message(FileError, write_parquet({"y": ["x"], "svm": [long]}), TWO)
    assert "1001 characters" in message(FileError, write(f"id,y,svm\n{long},x,y\n"), TWO, id_column="id")
    assert "The name of a column of" in refused(write, f"y,svm,{long}\nx,y,z\n")
    assert tally_file(write(f"y,svm\nx,{long[1:]}\n"), TWO).counts == {("x", long[1:]): 1}
    assert tally_file(write(f"y,svm,text\nx,y,{long}\n"), TWO).counts == {("x", "y"): 1}


def test_what_duckdb_says_is_cut_to_its_first_line(write):
    source = sources.Source(write(CSV), "preds.csv", "csv", zipped=False)
    text = str(sources.in_our_words(source, f"Odd Error: {source.path} is odd\n\nLINE 1: SELECT"))
    assert text.startswith("preds.csv cannot be read. DuckDB says: Odd Error: preds.csv is odd\nExpected:")


# --- many files, and tables of a database ---------------------------------------------------------------------------


@pytest.fixture
def many(tmp_path, monkeypatch):
    """The same 300 rows as one file, two files, Hive partitions, and a table and a view of a database."""
    monkeypatch.chdir(tmp_path)
    Path("parts/y=9").mkdir(parents=True)
    said = "i AS id, hash(i) % 2 AS truth, hash(i, 1) % 2 AS a, hash(i, 2) % 2 AS b, printf('%02d', i % 3) AS lang"
    with duckdb.connect("preds.db") as db:
        db.execute(f"CREATE TABLE preds AS SELECT {said} FROM range(300) r(i); CREATE VIEW seen AS FROM preds")
        db.execute("COPY preds TO 'one.csv'")
        db.execute("COPY (FROM preds WHERE id < 100) TO 'parts/1.parquet'")
        db.execute("COPY (SELECT b, a, truth, id, lang FROM preds WHERE id >= 100) TO 'parts/2.parquet'")
        db.execute("COPY preds TO 'parts/y=9/hive' (FORMAT parquet, PARTITION_BY (lang))")
    return {"truth": "truth", "a": "a", "b": "b", "group": "lang"}


@pytest.mark.parametrize(
    "given",
    [
        "parts/[12].parquet",
        "duckdb://preds.db?table=preds",
        "duckdb://preds.db?table=seen",
        "parts/y=9/hive",
        "parts/y=9/hive/*/*.parquet",
        "parts/y=9/*",
    ],
)
def test_many_files_and_tables_are_read_as_one(many, given):
    assert tally_file(given, many).counts == tally_file("one.csv", many).counts
    assert {key[-1] for key in tally_file(given, many).counts} == {"00", "01", "02"}


def test_a_folder_of_parquet_files_is_one_table(many):
    shutil.rmtree("parts/y=9")
    assert tally_file("parts", many).counts == tally_file("one.csv", many).counts
    assert tally_file("duckdb://preds.db?table=preds", many).names == ("truth", "a", "b")


def test_a_folder_above_the_one_that_was_named_is_not_a_column(many):
    with sources.scratch_database() as (db, scratch):
        table = sources.open_table(db, sources.open_source("parts/y=9/hive", scratch))
    assert set(table.texts) == {"id", "truth", "a", "b", "lang"}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("duckdb://preds.db", "that holds the predictions was not given; it has preds, seen"),
        ("duckdb://preds.db?table=pred", "no table of duckdb://preds.db named 'pred'"),
        ("duckdb://preds.db?tabel=preds", "asks for tabel"),
        ("duckdb://perds.db?table=preds", "There is no file perds.db"),
        ("duckdb://one.csv?table=preds", "one.csv"),
        ("*.*", "which is not a Parquet file"),
        ("p*/*.orc", "There is no file p*/*.orc"),
        ("parts", "1.parquet and data_0.parquet of parts have different columns: lang"),
    ],
)
def test_many_files_that_cannot_be_read(many, given, complaint):
    with pytest.raises(ClearwinError) as caught:
        tally_file(given, many)
    assert complaint in str(caught.value)


def test_a_file_with_the_name_of_a_pattern_is_that_file(many):
    Path("one.csv").rename("[12].csv")
    Path("1.csv").write_text("truth,a,b,lang\n1,1,1,de\n")
    assert sum(tally_file("[12].csv", many).counts.values()) == 300
