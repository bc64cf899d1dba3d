"""Label sets from files: every form gives what the arrays give, and every refusal says where."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clearwin.data.files.label_sets import label_sets_file
from clearwin.data.label_sets import LabelSets, read_label_sets
from clearwin.errors import FileError, OptionError, UnknownNameError

LABELS = ("acq", "corn", "earn")
TRUTH = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1]])
A = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 1]])
B = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
TABLES = {"gold": TRUTH, "svm": A, "rbf": B}
PATTERNS = {"truth": "gold_*", "a": "svm_*", "b": "rbf_*"}
COLUMNS = {"truth": "gold", "a": "svm", "b": "rbf"}
IDS = ["d1", "d2", "d3", "d4"]
GROUPS = ["x", "x", "y", "y"]


def lists(table):
    return [[LABELS[j] for j in np.flatnonzero(row)] for row in table]


EXPECTED = read_label_sets(*(lists(table) for table in TABLES.values()))


def same(found: LabelSets, expected: LabelSets = EXPECTED) -> None:
    assert found.labels == expected.labels
    assert found.n == expected.n
    for role in ("truth", "a", "b"):
        assert getattr(found, role).tolist() == getattr(expected, role).tolist()


@pytest.fixture
def write(tmp_path):
    def write(columns, name="sets.csv", order=None):
        path = tmp_path / name
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        rows = [rows[i] for i in order] if order else rows
        if name.endswith(".parquet"):
            pq.write_table(pa.Table.from_pylist(rows), path)
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            lines = [",".join(f'"{value}"' if value != "" else "" for value in row.values()) for row in rows]
            path.write_text(",".join(columns) + "\n" + "\n".join(lines) + "\n")
        return path

    return write


def cells(spell=str):
    return {
        f"{name}_{label}": [spell(x) for x in table[:, j].tolist()]
        for name, table in TABLES.items()
        for j, label in enumerate(LABELS)
    }


def texts(between=","):
    return {name: [between.join(item) for item in lists(table)] for name, table in TABLES.items()}


def refusal(path, columns, error=FileError, call=label_sets_file, **options):
    with pytest.raises(error) as caught:
        call(path, columns, **options)
    assert caught.value.what
    assert caught.value.expected
    assert caught.value.next
    return str(caught.value)


# --- one file -------------------------------------------------------------------------------------------------


SPELLINGS = {"text": str, "int": int, "bool": bool, "TRUE": lambda x: str(bool(x)).upper()}


@pytest.mark.parametrize(
    ("name", "spell"),
    [(name, spell) for name in ("sets.csv", "sets.jsonl", "sets.parquet") for spell in SPELLINGS.values()]
    + [("sets.jsonl", float), ("sets.parquet", float)],  # in a CSV, 1.0 is text and not 1
)
def test_columns_by_a_pattern(write, name, spell):
    found = label_sets_file(write({"id": IDS, **cells(spell), "who": GROUPS}, name), {**PATTERNS, "group": "who"})
    same(found.sets)
    assert found.names == ("gold", "svm", "rbf")
    assert found.extra == {"group": GROUPS}


@pytest.mark.parametrize("name", ["sets.csv", "sets.jsonl", "sets.parquet"])
@pytest.mark.parametrize(("separator", "between"), [(",", ","), (",", " , "), (";", ";"), (" ", " ")])
def test_a_column_of_texts(write, name, separator, between):
    path = write({"id": IDS, **texts(between), "who": GROUPS}, name)
    found = label_sets_file(path, {**COLUMNS, "stratum": "who", "group": None}, separator=separator, id_column="id")
    same(found.sets)
    assert found.names == ("gold", "svm", "rbf")
    assert found.extra == {"stratum": GROUPS}


@pytest.mark.parametrize("name", ["sets.jsonl", "sets.parquet"])
def test_a_column_of_lists(write, name):
    same(label_sets_file(write({role: lists(x) for role, x in TABLES.items()}, name), COLUMNS).sets)
    numbers = {role: [[LABELS.index(x) for x in item] for item in lists(table)] for role, table in TABLES.items()}
    found = label_sets_file(write(numbers, name), COLUMNS).sets
    same(found, LabelSets(("0", "1", "2"), 4, EXPECTED.truth, EXPECTED.a, EXPECTED.b))


def test_patterns_of_any_kind(write):
    columns = {
        f"is {label} ({name})": column
        for name in TABLES
        for label, column in zip(LABELS, (cells()[f"{name}_{label}"] for label in LABELS), strict=True)
    }
    for nothing in ({}, {"is (gold)": IDS}, {"is  (gold)": IDS}):  # in the place of the star
        path = write({**columns, **nothing})
        found = label_sets_file(path, {"truth": "is * (gold)", "a": "is * (svm)", "b": "is * (rbf)"})
        same(found.sets)
    assert found.names == ("is (gold)", "is (svm)", "is (rbf)")


def test_one_classifier(write):
    found = label_sets_file(write(cells()), {"truth": "gold_*", "a": "svm_*"})
    same(found.sets, read_label_sets(lists(TRUTH), lists(A)))
    assert found.names == ("gold", "svm")


def test_a_choice_of_labels(write):
    expected = read_label_sets(lists(TRUTH), lists(A), lists(B), labels=["earn", "acq"])
    same(label_sets_file(write(cells()), PATTERNS, labels="earn,acq").sets, expected)
    same(label_sets_file(write(texts()), COLUMNS, separator=",", labels=["earn", "acq"]).sets, expected)
    assert "no label named 'eern'" in refusal(write(cells()), PATTERNS, UnknownNameError, labels="eern")


# --- joined files ---------------------------------------------------------------------------------------------


def three(write, columns, name):
    return {
        "truth": write({"id": IDS, **columns["gold"], "who": GROUPS}, f"gold{name}", order=[3, 1, 0, 2]),
        "a": write({**columns["svm"], "id": IDS}, f"svm{name}", order=[2, 3, 1, 0]),
        "b": write({"id": IDS, **columns["rbf"]}, f"rbf{name}"),
    }


@pytest.mark.parametrize("name", [".csv", ".jsonl", ".parquet"])
def test_joined_files_in_any_order(write, name):
    by_model = {m: {k: v for k, v in cells().items() if k.startswith(m)} for m in TABLES}
    paths = three(write, by_model, name)
    found = label_sets_file(paths, {**PATTERNS, "group": "who"}, id_column="id")
    same(found.sets)
    assert found.extra == {"group": GROUPS}
    assert found.names == ("gold", "svm", "rbf")
    bare = three(write, {m: dict(zip(LABELS, by_model[m].values(), strict=True)) for m in TABLES}, name)
    stars = label_sets_file(bare, {**dict.fromkeys(PATTERNS, "*"), "group": "who"}, id_column="id")
    same(stars.sets)
    assert stars.names == ("gold", "svm", "rbf")
    labels = three(write, {m: {"labels": texts()[m]} for m in TABLES}, name)
    found = label_sets_file(labels, {"group": "who"}, id_column="id", separator=",")
    same(found.sets)
    assert (found.extra, found.names) == ({"group": GROUPS}, ("gold", "svm", "rbf"))


def test_joined_lists(write):
    paths = three(write, {m: {"labels": lists(TABLES[m])} for m in TABLES}, ".jsonl")
    same(label_sets_file(paths, dict.fromkeys(COLUMNS, "labels"), id_column="id").sets)


def test_joined_files_with_other_items(write):
    paths = three(write, {m: {"labels": texts()[m]} for m in TABLES}, ".csv")
    paths["b"] = write({"id": ["d1", "d2", "d3", "d5"], "labels": texts()["rbf"]}, "rbf.csv")
    columns = dict.fromkeys(COLUMNS, "labels")
    text = refusal(paths, columns, id_column="id", separator=",")
    assert "lacks 1 id (d4)" in text


def test_a_wrong_cell_of_joined_files_is_named_by_its_id(write):
    bad = {"gold_acq": ["1", "0", "maybe", "1"]}
    by_model = {m: {k: v for k, v in {**cells(), **bad}.items() if k.startswith(m)} for m in TABLES}
    paths = three(write, by_model, ".csv")
    text = refusal(paths, PATTERNS, id_column="id")
    assert "Column 'gold_acq' of" in text
    assert "id d3, is 'maybe'." in text


# --- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["2", "yes", "1.0", "", " 1"])
def test_cells_that_are_neither_0_nor_1(write, value):
    text = refusal(write({**cells(), "svm_corn": ["1", "0", value, "0"]}), PATTERNS)
    assert "Column 'svm_corn' of" in text
    assert f"row 3, {f'is {value!r}' if value else 'is empty'}." in text
    missing = write({**cells(int), "svm_corn": [1, 0, None, 0]}, "sets.jsonl")
    assert "Column 'svm_corn' of" in refusal(missing, PATTERNS)


def test_labels_that_a_role_lacks(write):
    columns = {name: column for name, column in cells().items() if name not in ("svm_corn", "gold_acq")}
    text = refusal(write(columns), PATTERNS)
    assert "lacks 'gold_acq'" in text
    assert "lacks 'svm_corn'" in text


def test_patterns_that_cannot_be(write):
    path = write(cells())
    text = refusal(path, {**PATTERNS, "a": "smv_*"})
    assert "matches 'smv_*'" in text
    assert "svm_" in text
    assert "more than one star" in refusal(path, {**PATTERNS, "a": "*_*"}, OptionError)
    assert "The truth and b are both column 'gold_*'" in refusal(path, {**PATTERNS, "b": "gold_*"})
    text = refusal(path, {**PATTERNS, "a": "svm_acq"})
    assert "how it holds several labels was not given" in text
    assert '--separator ","' in text
    assert "was not given" in refusal(path, {**PATTERNS, "a": None})


def test_texts_that_cannot_be(write):
    path = write({**texts(), "svm": ["acq", "", "acq,corn,acq", "x"]})
    text = refusal(path, COLUMNS, separator=",")
    assert "Column 'svm' of" in text
    assert "row 3, has the label 'acq' more than once" in text
    text = refusal(write({**texts(), "svm": ["acq", "corn,,acq", "", "x"]}), COLUMNS, separator=",")
    assert "row 2, is 'corn,,acq', where a label is empty" in text
    assert "The separator is ''" in refusal(path, COLUMNS, OptionError, separator="")
    assert "no labels" in refusal(write({name: ["", ""] for name in TABLES}), COLUMNS, separator=",")
    missing = write({**texts(), "svm": ["acq", None, "", "x"]}, "sets.jsonl")
    assert "row 2, is null" in refusal(missing, COLUMNS, separator=",")
    assert "no column of" in refusal(path, PATTERNS, UnknownNameError, separator=",")


@pytest.mark.parametrize("value", ['"acq"', "null", '["acq", null]', '[["acq"]]', "[0.5]", '[""]', "[true]", "3"])
def test_lists_that_cannot_be(tmp_path, value):
    path = tmp_path / "sets.jsonl"
    path.write_text(f'{{"gold": ["acq"], "svm": ["acq"]}}\n{{"gold": [], "svm": {value}}}\n')
    text = refusal(path, {"truth": "gold", "a": "svm"})
    assert "Column 'svm' of" in text
    assert "row 2" in text or "row (2)" in text


@pytest.mark.parametrize("value", ["[" * 100_000 + "]" * 100_000, f"[{'9' * 5_000}]", "[9007199254740993.0]"])
def test_lists_that_python_cannot_read_or_would_round(tmp_path, value):
    path = tmp_path / "sets.jsonl"
    path.write_text(f'{{"gold": ["acq"], "svm": {value}}}\n')
    text = refusal(path, {"truth": "gold", "a": "svm"})
    assert "row 1" in text or "A label has 5,000 characters" in text


def test_an_empty_separator_of_lists(tmp_path):
    path = tmp_path / "sets.jsonl"
    path.write_text('{"gold": ["acq"], "svm": "acq"}\n')
    assert "The separator is ''" in refusal(path, {"truth": "gold", "a": "svm"}, OptionError, separator="")


def test_long_numbers_as_labels_in_lists(tmp_path):
    numbers = [12345678901234567890123400 + i for i in range(5)]
    (tmp_path / "sets.jsonl").write_text("".join(f'{{"gold": [{x}, -0], "svm": ["{x}", "0"]}}\n' for x in numbers))
    found = label_sets_file(tmp_path / "sets.jsonl", {"truth": "gold", "a": "svm"}).sets
    assert {str(label) for label in found.labels} == {"0", *map(str, numbers)}
    assert np.array_equal(found.truth, found.a)
    decimals = [[Decimal(f"{x}.00"), Decimal("1.00")] for x in numbers]
    lists = {"gold": pa.array(decimals, pa.list_(pa.decimal128(38, 2))), "svm": [[str(x), "1"] for x in numbers]}
    pq.write_table(pa.table(lists), tmp_path / "sets.parquet")
    found = label_sets_file(tmp_path / "sets.parquet", {"truth": "gold", "a": "svm"}).sets
    assert {str(label) for label in found.labels} == {"1", *map(str, numbers)}
    assert np.array_equal(found.truth, found.a)


def test_missing_groups_and_repeated_ids(write):
    path = write({"id": ["1", "2", "2", "3"], **texts(), "who": ["x", "", "y", "y"]})
    assert "Column 'who' of" in refusal(path, {**COLUMNS, "group": "who"}, separator=",")
    assert "repeats 1 id (2)" in refusal(path, COLUMNS, separator=",", id_column="id")
    assert "'wo'" in refusal(path, {**COLUMNS, "group": "wo"}, UnknownNameError, separator=",")


def test_many_rows_keep_their_order(tmp_path):
    tables = (np.random.default_rng(3).random((3, 60_000, 5)) < 0.3).astype(int)
    header = ",".join(f"{role}_{j}" for role in ("t", "a", "b") for j in range(5))
    path = tmp_path / "sets.csv"
    np.savetxt(path, np.hstack(tables), fmt="%d", delimiter=",", header=header, comments="")
    found = label_sets_file(path, {"truth": "t_*", "a": "a_*", "b": "b_*"}).sets
    expected = read_label_sets(*tables)
    for role in ("truth", "a", "b"):
        assert np.array_equal(getattr(found, role), getattr(expected, role))


def test_labels_that_are_too_long_though_several_may_be(write):
    many = ["|".join(f"label{i}" for i in range(300))] * 2
    found = label_sets_file(write({"gold": many, "svm": many}), {"truth": "gold", "a": "svm"}, separator="|")
    assert len(found.sets.labels) == 300
    for name, cell in (("p.csv", "z" * 1_001), ("p.jsonl", ["z" * 1_001])):
        path = write({"gold": [cell], "svm": [cell]}, name)
        with pytest.raises(FileError, match="A label has 1,001 characters"):
            label_sets_file(path, {"truth": "gold", "a": "svm"}, separator="|")
