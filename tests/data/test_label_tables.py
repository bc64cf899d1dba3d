"""The labels of one role in every form: cells, collections, texts, and every way to get them wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from clearwin.data import label_tables
from clearwin.data.label_sets import LabelSets, read_label_sets
from clearwin.errors import DataError, OptionError
from tests.data.labels_of_items import DENSE, EXPECTED, NAMED, NAMES, RNG, collections, refusal, same


def test_sparse_entries_that_come_twice_are_added_up() -> None:
    x = DENSE[0]
    row, column = np.nonzero(x)
    ones, zeros = np.ones(len(row)), np.zeros(len(row))
    again = sp.coo_array((np.r_[ones, zeros], (np.r_[row, row][::-1], np.r_[column, column][::-1])), shape=x.shape)
    same(read_label_sets(again, *DENSE[1:]), EXPECTED)
    twice = sp.coo_array((np.ones(3, dtype=np.int8), ([1, 4, 4], [0, 7, 7])), shape=x.shape)
    assert "truth holds 2 in row 4 of column 7" in refusal(twice, *DENSE[1:])
    assert twice.nnz == 3  # what was given is left alone


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
@pytest.mark.parametrize("order", ["falling", "falling columns", "falling rows", "mixed"])
def test_sparse_entries_in_any_order_are_the_same_table(kind: Any, order: str) -> None:
    """scipy keeps entries as they come, also those of one row."""
    tables = []
    for x in DENSE:
        row, column = np.nonzero(x)
        key = {
            "falling": np.arange(len(row))[::-1],
            "falling columns": np.lexsort((-column, row)),
            "falling rows": np.lexsort((column, -row)),
            "mixed": np.random.default_rng(4).permutation(len(row)),
        }[order]
        entries = np.ones(len(row)), (row[key], column[key])
        table = kind(sp.coo_array(entries, shape=x.shape))
        tables.append(table)
        assert (table.toarray() == x).all()
    same(read_label_sets(*tables), EXPECTED)


def test_rows_whose_columns_fall() -> None:
    """Of the first entry that cannot be used the place is told, wherever it stands among the entries."""
    falling = sp.csr_array((np.array([1.0, 1.0, 1.0]), np.array([7, 3, 0]), np.array([0, 3, 3])), shape=(2, 9))
    assert not falling.has_sorted_indices
    read = read_label_sets(falling, falling)
    assert read.truth.tolist() == read.a.tolist() == [0, 3, 7]
    falling.data[0] = 5.0
    assert "a holds 5.0 in row 0 of column 7" in refusal(sp.csr_array((2, 9)), falling)


@pytest.mark.parametrize(("separator", "between"), [(",", ","), (",", " ,  "), (";", ";"), ("||", "||"), (" ", "  ")])
def test_texts_with_a_separator(separator: str, between: str) -> None:
    expected = LabelSets(tuple(map(str, range(12))), 40, EXPECTED.truth, EXPECTED.a, EXPECTED.b)
    texts = [[between.join(map(str, item)) for item in collections(table)] for table in DENSE]
    for form in (list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda x: np.array(x, dtype=object)):
        same(read_label_sets(*map(form, texts), separator=separator), expected)


def test_labels_are_sorted_numbers_by_value() -> None:
    assert read_label_sets([[10, 2]], [[-3]]).labels == (-3, 2, 10)
    assert read_label_sets(["10,2"], ["9"], separator=",").labels == ("2", "9", "10")
    assert read_label_sets(["10,x"], ["9"], separator=",").labels == ("10", "9", "x")


def spoilt(value: Any, kind: Any = object) -> Any:
    table = DENSE[1].astype(kind)
    table[5, 3] = value
    return table


@pytest.mark.parametrize(
    ("value", "kind"),
    [(2, int), (-1, int), (0.5, float), (np.inf, float), (2, object), ("1", object), ([1], object), (b"1", object)],
)
def test_cells_that_are_neither_0_nor_1(value: Any, kind: Any) -> None:
    text = refusal(DENSE[0], spoilt(value, kind), DENSE[2])
    assert f"a holds {value!r} in row 5 of column 3;" in text
    if kind is float and np.isfinite(value):
        assert "row 5 of column 3;" in refusal(DENSE[0], sp.csc_array(spoilt(value, kind)))
        frames = [pd.DataFrame(table, columns=NAMES) for table in (DENSE[0], spoilt(value, kind))]
        assert "row 5 of column 'c03';" in refusal(*frames)


def test_tables_of_other_things() -> None:
    assert "a holds '1' in row 0 of column 0" in refusal(DENSE[0], np.full((40, 12), "1"))
    assert "truth has shape (2, 2, 2)" in refusal(np.zeros((2, 2, 2)), DENSE[1])
    assert "truth is a str" in refusal("3,17", "3", separator=",")
    assert "truth is a dict" in refusal({1: 2}, [[1]])
    assert "truth is a NoneType" in refusal(None, [[1]])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_values(missing: Any) -> None:
    assert "a has 1 missing value: row 5 of column 3." in refusal(DENSE[0], spoilt(missing))
    lists: list[Any] = collections(DENSE[1])
    lists[4] = lists[9] = missing
    assert "a has 2 missing values: a[4], a[9]." in refusal(DENSE[0], lists)
    lists[4], lists[9] = [], [1, missing]
    assert "a has 1 missing value: a[9]." in refusal(DENSE[0], lists)
    assert "truth has 1 missing value: truth[1]." in refusal(["1", missing], ["1", "2"], separator=",")


def test_missing_cells_elsewhere() -> None:
    masked = np.ma.masked_array(DENSE[1], mask=np.zeros((40, 12), dtype=bool))
    masked[7, 1] = np.ma.masked
    assert "a has 1 missing value: row 7 of column 1." in refusal(DENSE[0], masked)
    where = "a has 1 missing value: row 5 of column 'c03'."
    table = spoilt(np.nan, float)
    assert where in refusal(NAMED["pandas"](DENSE[0]), pd.DataFrame(table, columns=NAMES))
    assert where in refusal(NAMED["pandas"](DENSE[0]), pl.DataFrame(table, schema=NAMES, orient="row"))
    nullable = pd.DataFrame(table, columns=NAMES).astype("Int64")
    assert where in refusal(NAMED["pandas"](DENSE[0]), nullable)
    assert "a has 1 missing value: row 5 of column 3." in refusal(DENSE[0], sp.csr_array(table))


def test_shapes_that_differ() -> None:
    text = refusal(DENSE[0], DENSE[1][:, :11], DENSE[2])
    assert "truth has 40 items × 12 labels, a has 40 items × 11 labels, b has 40 items × 12 labels" in text
    text = refusal(DENSE[0], collections(DENSE[1])[1:], sp.csr_array(DENSE[2]))
    assert "truth has 40 items × 12 labels, a has 39 items, b has 40 items × 12 labels" in text


def test_nothing_at_all() -> None:
    assert "no items" in refusal(np.zeros((0, 4)), np.zeros((0, 4)))
    assert "no items" in refusal([], [])
    assert "no labels" in refusal(np.zeros((4, 0)), np.zeros((4, 0)))
    assert "no labels" in refusal([[], []], [[], []])
    assert "no labels" in refusal(["", " "], ["", ""], separator=",")
    # no label is set, but there are labels
    assert read_label_sets(np.zeros((4, 3)), np.zeros((4, 3))).tables.tolist() == [[4] + [0] * 7] * 3


def test_items_that_are_no_collections() -> None:
    text = refusal(["3,17", "2"], ["3", "2"])
    assert "truth[0] is '3,17'" in text
    assert 'separator=","' in text
    assert "a[1] is 5" in refusal([[1], [2]], [[1], 5])
    assert "a[0] is 3" in refusal(["1"], [3], separator=",")
    assert "holds [1]" in refusal([[[1]]], [[1]])
    assert "holds ([],)" in refusal([[([],)]], [[1]])
    assert "truth holds 0.5, which looks like a score" in refusal([[0.5]], [[1]])


def test_labels_that_come_twice() -> None:
    assert "a[1] has the label '3' more than once" in refusal(["1", "2"], ["1", "3, 2 ,3"], separator=",")
    assert "truth[0] has the label 1 more than once" in refusal([[1, 1.0]], [[1]])
    assert "np.array(truth)" in refusal([[0, 1, 1], [1, 0, 0]], [[1, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize("text", ["3,", ",3", "3,,4", ","])
def test_empty_labels(text: str) -> None:
    assert f"a[1] is {text!r}, where a label is empty" in refusal(["1", "2"], ["1", text], separator=",")


@pytest.mark.parametrize("separator", ["", 3, [","]])
def test_separators_that_cannot_be(separator: Any) -> None:
    assert "The separator is" in refusal(["1"], ["1"], separator=separator, error=OptionError)


def test_lists_of_0_and_1_are_perhaps_columns() -> None:
    assert "two columns, or the labels 0 and 1?" in refusal([[0, 1], [1, 0]], [[0, 1], [0, 1]])
    assert "np.array(truth)" in refusal([[True, False], [False, True]], [[True, False]] * 2)
    assert read_label_sets([{0, 1}, {1, 0}], [{0, 1}, {1}]).labels == (0, 1)


def test_texts_beside_numbers() -> None:
    assert "Some labels are texts" in refusal([[1], [2]], [["1"], ["2"]])


def test_labels_that_only_one_has() -> None:
    frame = NAMED["pandas"](DENSE[1])
    assert "truth has 1 label that a lacks: 'c03'" in refusal(NAMED["pandas"](DENSE[0]), frame.drop(columns="c03"))
    assert "a has 1 label that truth lacks: 'x'" in refusal(
        NAMED["pandas"](DENSE[0]), frame.rename(columns={"c03": "x"})
    )
    assert "a has 1 label that truth lacks: 12" in refusal(DENSE[0], [*collections(DENSE[1])[1:], [12]])
    twice = frame.set_axis(["c01", *NAMES[1:]], axis=1)
    assert "a different name for every column" in refusal(NAMED["pandas"](DENSE[0]), twice)


def test_objects_are_0_and_1_as_numbers_are() -> None:
    for kind in (int, float, bool):
        same(read_label_sets(*(table.astype(kind).astype(object) for table in DENSE)), read_label_sets(*DENSE))


def test_columns_are_packed_into_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_tables, "BLOCK", 7)
    for width in (2, 55, 56, 57, 130):
        cells = RNG.random((40, width)) < 0.3
        words = [
            sum(cells[:, j].astype(np.int64) << (j - first) for j in range(first, min(first + 56, width)))
            for first in range(0, width, 56)
        ]
        found = label_tables.packed_table(words, width)
        assert found.codes.tolist() == np.flatnonzero(cells).tolist()
        assert (found.n, len(found.names), found.kind) == (40, width, "numbered")


@pytest.mark.parametrize("form", [list, pd.Series, pl.Series, pa.array])
def test_collections_are_read_in_blocks(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [collections(table) for table in DENSE]
    texts = [[",".join(map(str, item)) for item in table] for table in lists]
    spoilt = [*lists[0][:20], [3, None], *lists[0][21:30], [None], *lists[0][31:]]
    together = read_label_sets(*map(form, texts), separator=",")
    told = refusal(form(spoilt), *map(form, lists[1:]))
    assert "2 missing values" in told
    monkeypatch.setattr(label_tables, "BLOCK", 7)
    same(read_label_sets(*map(form, lists)), EXPECTED)
    same(read_label_sets(*map(form, texts), separator=","), together)
    assert refusal(form(spoilt), *map(form, lists[1:])) == told


def test_a_single_text_is_not_a_list_of_texts() -> None:
    with pytest.raises(DataError, match="truth is a ndarray"):
        label_tables.read_table("truth", np.array("joy, anger"), ", ")
