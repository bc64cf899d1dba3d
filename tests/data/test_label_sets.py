"""Several labels for each item: every form in which they come, and every way to get it wrong."""

from __future__ import annotations

import decimal
from collections import Counter
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from clearwin.data.label_sets import LabelSets, category, exact_matches, is_label_sets, read_label_sets
from clearwin.errors import ClearwinError, DataError, OptionError, UnknownNameError

RNG = np.random.default_rng(2004)
DENSE = tuple((RNG.random((40, 12)) < share).astype(np.int64) for share in (0.2, 0.25, 0.15))
for _table in DENSE:
    _table[:3] = 0  # items without any label
    _table[3] = 1  # and one with all of them: every label occurs
NAMES = [f"c{i:02}" for i in range(12)]


def codes(table: Any) -> list[int]:
    """The definition, slowly."""
    rows, columns = np.asarray(table).shape
    return [i * columns + j for i in range(rows) for j in range(columns) if table[i][j]]


def same(found: LabelSets, expected: LabelSets) -> None:
    assert found.labels == expected.labels
    assert [type(label) for label in found.labels] == [type(label) for label in expected.labels]
    assert found.n == expected.n
    for role in ("truth", "a", "b"):
        assert getattr(found, role).tolist() == getattr(expected, role).tolist()
        assert getattr(found, role).dtype == np.int64
    assert found.fingerprint == expected.fingerprint


def collections(table: Any, names: Any = range(12)) -> list[list[Any]]:
    return [[names[j] for j in np.flatnonzero(row)] for row in table]


def shuffled_frame(table: Any, seed: int = 0) -> pd.DataFrame:
    frame = pd.DataFrame(table, columns=NAMES)
    return frame[np.random.default_rng(seed).permutation(NAMES)]


def refusal(*data: Any, error: type[ClearwinError] = DataError, **options: Any) -> str:
    with pytest.raises(error) as caught:
        read_label_sets(*data, **options)
    assert caught.value.what
    assert caught.value.expected
    assert caught.value.next
    return str(caught.value)


# --- every form -----------------------------------------------------------------------------------------------

EXPECTED = LabelSets(tuple(range(12)), 40, *(np.array(codes(table)) for table in DENSE))


NUMBERED = {
    "int64": np.asarray,
    "bool": lambda x: x.astype(bool),
    "uint8": lambda x: x.astype(np.uint8),
    "float32": lambda x: x.astype(np.float32),
    "object": lambda x: np.array([[bool(v) if v else decimal.Decimal(0) for v in row] for row in x], dtype=object),
    "Fortran order": np.asfortranarray,
    "masked, nothing masked": np.ma.masked_array,
    "lists": collections,
    "tuples": lambda x: tuple(map(tuple, collections(x))),
    "sets": lambda x: [set(item) for item in collections(x)],
    "frozensets in an object array": lambda x: pd.Series([frozenset(i) for i in collections(x)]).to_numpy(),
    "arrays": lambda x: [np.array(item, dtype=np.int32) for item in collections(x)],
    "floats": lambda x: [[float(label) for label in item] for item in collections(x)],
    "pandas series": lambda x: pd.Series(collections(x)),
    "polars series": lambda x: pl.Series(collections(x)),
    "pyarrow": lambda x: pa.array(collections(x)),
    "pyarrow, chunked": lambda x: pa.chunked_array([collections(x)]),
    **{
        f"sparse {form}": (lambda x, form=form: sp.csr_array(x).asformat(form))
        for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
    },
    "sparse bool": lambda x: sp.csc_matrix(x.astype(bool)),
    "sparse, duplicates in bools": lambda x: sp.coo_array(
        (np.ones(2 * np.count_nonzero(x), dtype=bool), tuple(np.tile(at, 2) for at in np.nonzero(x))), shape=x.shape
    ),
    "pandas, numbers for names": pd.DataFrame,
}


@pytest.mark.parametrize("form", NUMBERED.values(), ids=NUMBERED.keys())
def test_every_form_gives_the_same(form: Any) -> None:
    same(read_label_sets(*map(form, DENSE)), EXPECTED)
    # forms may be mixed
    same(read_label_sets(DENSE[0], form(DENSE[1]), form(DENSE[2])), EXPECTED)
    same(read_label_sets(form(DENSE[0]), DENSE[1], DENSE[2]), EXPECTED)


def test_sparse_entries_that_come_twice_are_added_up() -> None:
    x = DENSE[0]
    row, column = np.nonzero(x)
    ones, zeros = np.ones(len(row)), np.zeros(len(row))
    again = sp.coo_array((np.r_[ones, zeros], (np.r_[row, row][::-1], np.r_[column, column][::-1])), shape=x.shape)
    same(read_label_sets(again, *DENSE[1:]), EXPECTED)
    twice = sp.coo_array((np.ones(3, dtype=np.int8), ([1, 4, 4], [0, 7, 7])), shape=x.shape)
    assert "truth holds 2 in row 4 of column 7" in refusal(twice, *DENSE[1:])
    assert twice.nnz == 3  # what was given is left alone


NAMED = {
    "pandas": lambda x: pd.DataFrame(x, columns=NAMES),
    "pandas, nullable": lambda x: pd.DataFrame(x, columns=NAMES).astype("Int64"),
    "pandas, bools": lambda x: pd.DataFrame(x.astype(bool), columns=NAMES),
    "pandas, sparse": lambda x: pd.DataFrame.sparse.from_spmatrix(sp.csc_matrix(x), columns=NAMES),
    "polars": lambda x: pl.DataFrame(x, schema=NAMES, orient="row"),
    "polars, lazy": lambda x: pl.LazyFrame(x, schema=NAMES, orient="row"),
    "pyarrow": lambda x: pa.table(dict(zip(NAMES, x.T, strict=True))),
    "narwhals": lambda x: nw.from_native(pl.DataFrame(x, schema=NAMES, orient="row")),
    "lists of texts": lambda x: collections(x, NAMES),
    "sets of numpy's texts": lambda x: [set(np.array(item, dtype=str)) for item in collections(x, NAMES)],
}


@pytest.mark.parametrize("form", NAMED.values(), ids=NAMED.keys())
def test_every_form_with_names_gives_the_same(form: Any) -> None:
    expected = LabelSets(tuple(NAMES), 40, EXPECTED.truth, EXPECTED.a, EXPECTED.b)
    same(read_label_sets(*map(form, DENSE)), expected)
    same(read_label_sets(form(DENSE[0]), NAMED["pandas"](DENSE[1]), DENSE[2]), expected)
    reordered = (shuffled_frame(DENSE[1], 1), shuffled_frame(DENSE[2], 2))
    same(read_label_sets(NAMED["pandas"](DENSE[0]), *reordered), expected)


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


def test_one_classifier_is_compared_with_itself() -> None:
    sets = read_label_sets(DENSE[0], DENSE[1])
    assert sets.b is sets.a
    same(sets, read_label_sets(DENSE[0], DENSE[1], DENSE[1]))


# --- some of the labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [[7, 2, 9], (7, 2, 9), np.array([7, 2, 9]), "7, 2,9", ["7", 2.0, "9"]])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, collections, pd.DataFrame])
def test_a_choice_of_labels(form: Any, wanted: Any) -> None:
    found = read_label_sets(*map(form, DENSE), labels=wanted)
    expected = read_label_sets(*(table[:, [7, 2, 9]] for table in DENSE))
    same(found, LabelSets((7, 2, 9), 40, expected.truth, expected.a, expected.b))


def test_a_choice_of_named_labels() -> None:
    frames = [shuffled_frame(table, i) for i, table in enumerate(DENSE)]
    expected = read_label_sets(*(table[:, [5]] for table in DENSE))
    same(
        read_label_sets(*frames, labels="c05"),
        LabelSets(("c05",), 40, expected.truth, expected.a, expected.b),
    )
    sets = read_label_sets([["a,b", "c"]], [["c"]], labels="a,b")
    assert sets.labels == ("a,b",)


def test_choices_that_cannot_be() -> None:
    text = refusal(*DENSE, labels=[3, 12], error=UnknownNameError)
    assert "no label named 12" in text
    assert "one of 0, 1, 2" in text
    frames = [shuffled_frame(table) for table in DENSE]
    assert "did you mean 'c11' or" in refusal(*frames, labels="c111", error=UnknownNameError)
    assert "3 more than once" in refusal(*DENSE, labels="3,4,3", error=OptionError)
    assert "labels is empty" in refusal(*DENSE, labels=[], error=OptionError)
    # never seen in the data, so perhaps misspelt
    with pytest.raises(UnknownNameError):
        read_label_sets([["joy"]], [[]], labels=["joy", "anger"])


# --- what is refused ------------------------------------------------------------------------------------------


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
    assert "a has 1 missing value(s): row 5 of column 3." in refusal(DENSE[0], spoilt(missing))
    lists: list[Any] = collections(DENSE[1])
    lists[4] = lists[9] = missing
    assert "a has 2 missing value(s): a[4], a[9]." in refusal(DENSE[0], lists)
    lists[4], lists[9] = [], [1, missing]
    assert "a has 1 missing value(s): a[9]." in refusal(DENSE[0], lists)
    assert "truth has 1 missing value(s): truth[1]." in refusal(["1", missing], ["1", "2"], separator=",")


def test_missing_cells_elsewhere() -> None:
    masked = np.ma.masked_array(DENSE[1], mask=np.zeros((40, 12), dtype=bool))
    masked[7, 1] = np.ma.masked
    assert "a has 1 missing value(s): row 7 of column 1." in refusal(DENSE[0], masked)
    where = "a has 1 missing value(s): row 5 of column 'c03'."
    table = spoilt(np.nan, float)
    assert where in refusal(NAMED["pandas"](DENSE[0]), pd.DataFrame(table, columns=NAMES))
    assert where in refusal(NAMED["pandas"](DENSE[0]), pl.DataFrame(table, schema=NAMES, orient="row"))
    nullable = pd.DataFrame(table, columns=NAMES).astype("Int64")
    assert where in refusal(NAMED["pandas"](DENSE[0]), nullable)
    assert "a has 1 missing value(s): row 5 of column 3." in refusal(DENSE[0], sp.csr_array(table))


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
    assert "truth has the label(s) 'c03', which a has not" in refusal(
        NAMED["pandas"](DENSE[0]), frame.drop(columns="c03")
    )
    assert "a has the label(s) 'x', which truth has not" in refusal(
        NAMED["pandas"](DENSE[0]), frame.rename(columns={"c03": "x"})
    )
    assert "a has the label(s) 12, which truth has not" in refusal(DENSE[0], [*collections(DENSE[1])[1:], [12]])
    twice = frame.set_axis(["c01", *NAMES[1:]], axis=1)
    assert "a different name for every column" in refusal(NAMED["pandas"](DENSE[0]), twice)


def test_two_orders_of_names_and_a_table_without_names() -> None:
    frames = NAMED["pandas"](DENSE[0]), shuffled_frame(DENSE[1])
    assert "truth and a have the same columns in a different order" in refusal(*frames, DENSE[2])


def test_pandas_indexes_in_another_order() -> None:
    frames = [pd.DataFrame(table, columns=NAMES) for table in DENSE]
    assert "same index in a different order" in refusal(frames[0], frames[1][::-1], frames[2])


# --- what looks like label sets -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        DENSE[0],
        sp.csr_array(DENSE[0]),
        sp.csr_array(DENSE[0][:, :1]),
        shuffled_frame(DENSE[0]),
        pl.LazyFrame({"x": [1]}),
        pa.table({"x": [1], "z": [0]}),
        collections(DENSE[0]),
        [[], [1]],
        [{1}, {2}],
        [(1, 2), (1,)],
        pd.Series(collections(DENSE[0])),
        pl.Series(collections(DENSE[0])),
        pd.Series([[1], [1, 2]], index=[0.5, 0.1]),
        pd.Series(collections(DENSE[0])).to_numpy(),
        [np.array([1, 2])],
        pa.array([[1], [1, 2]]),
    ],
    ids=lambda values: type(values).__name__,
)
def test_what_looks_like_label_sets(values: Any) -> None:
    assert is_label_sets(values, values, values)
    assert is_label_sets([0, 1], values)


@pytest.mark.parametrize(
    "values",
    [
        [0, 1],
        (0, 1),
        np.array([0, 1]),
        DENSE[0][:, :1],
        np.zeros((2, 2, 2)),
        [],
        "ab",
        ["3,17", "2"],
        pd.Series(["a", "b"]),
        pl.Series([1, 2]),
        pl.Series([], dtype=pl.Int64),
        pa.array([1, 2]),
        None,
        3,
        np.array(3),
        [None, 1],
        {1: 2},
        {1, 2},
        range(3),
        np.array(["a", None], dtype=object),
        pd.Series([1, 2], index=[5, 6]),
        iter([1]),
    ],
    ids=lambda values: type(values).__name__,
)
def test_what_does_not(values: Any) -> None:
    assert not is_label_sets(values, values, values)


# --- what they give -------------------------------------------------------------------------------------------


def test_exact_matches_are_those_of_the_rows() -> None:
    truth, a, b = (table.copy() for table in DENSE)
    a[::3] = truth[::3]
    b[::7] = truth[::7]
    for found, table in zip(exact_matches(read_label_sets(truth, a, b)), (a, b), strict=True):
        assert found.tolist() == (table == truth).all(axis=1).tolist()
        assert 3 < found.sum() < 37


def test_categories_are_those_of_the_columns() -> None:
    for j in range(12):
        expected = Counter(zip(*(table[:, j].tolist() for table in DENSE), strict=True))
        assert category(EXPECTED, j) == expected
    assert category(read_label_sets(*DENSE, labels=[4, 3]), 0) == category(EXPECTED, 4)


def test_the_fingerprint_does_not_depend_on_the_order_of_the_items() -> None:
    order = np.random.default_rng(1).permutation(40)
    assert read_label_sets(*(table[order] for table in DENSE)).fingerprint == EXPECTED.fingerprint


def test_other_data_have_other_fingerprints() -> None:
    truth, a, b = DENSE
    moved = a.copy()
    moved[[10, 11]] = a[[11, 10]]  # the items are no longer the same, though each has the same labels
    changed = a.copy()
    changed[20, 5] = 1 - changed[20, 5]
    others = [
        EXPECTED,
        read_label_sets(truth, b, a),
        read_label_sets(a, truth, b),
        read_label_sets(truth, moved, b),
        read_label_sets(truth, changed, b),
        read_label_sets(*(np.vstack([x, np.zeros((1, 12), dtype=int)]) for x in DENSE)),
        read_label_sets(*(x[:, ::-1] for x in DENSE)),
        read_label_sets(*map(NAMED["pandas"], DENSE)),
        read_label_sets(*DENSE, labels=[1, 2]),
    ]
    assert len({sets.fingerprint for sets in others}) == len(others)
