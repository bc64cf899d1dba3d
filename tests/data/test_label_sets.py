"""Several labels for each item: every form in which they come, and every way to get it wrong."""

from __future__ import annotations

import decimal
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import clearwin as cw
from clearwin.data.label_sets import LabelSets, category, exact_matches, is_label_sets, read_label_sets
from clearwin.errors import DataError, OptionError, UnknownNameError
from tests.data.labels_of_items import DENSE, EXPECTED, NAMED, NAMES, collections, refusal, same


def shuffled_frame(table: Any, seed: int = 0) -> pd.DataFrame:
    frame = pd.DataFrame(table, columns=NAMES)
    return frame[np.random.default_rng(seed).permutation(NAMES)]


# --- every form -----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("form", NAMED.values(), ids=NAMED.keys())
def test_every_form_with_names_gives_the_same(form: Any) -> None:
    expected = LabelSets(tuple(NAMES), 40, EXPECTED.truth, EXPECTED.a, EXPECTED.b)
    same(read_label_sets(*map(form, DENSE)), expected)
    same(read_label_sets(form(DENSE[0]), NAMED["pandas"](DENSE[1]), DENSE[2]), expected)
    reordered = (shuffled_frame(DENSE[1], 1), shuffled_frame(DENSE[2], 2))
    same(read_label_sets(NAMED["pandas"](DENSE[0]), *reordered), expected)


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


def test_two_orders_of_names_and_a_table_without_names() -> None:
    frames = NAMED["pandas"](DENSE[0]), shuffled_frame(DENSE[1])
    assert "truth and a have the same columns in a different order" in refusal(*frames, DENSE[2])


def test_pandas_indexes_in_another_order() -> None:
    frames = [pd.DataFrame(table, columns=NAMES) for table in DENSE]
    with pytest.raises(DataError, match="same index in a different order"):
        cw.compare(frames[0], frames[1][::-1], frames[2], measure="micro_f1")


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


def test_lists_of_one_label_each_are_label_sets():
    sets = [["x"], ["y"]] * 10
    assert cw.compare(sets, sets[::-1], sets, measure="micro_f1", n_resamples=50).estimate_b == 1.0


def test_sets_beside_single_labels_are_refused() -> None:
    with pytest.raises(DataError, match="truth has several labels for each item, and a has one"):
        read_label_sets([["joy"], ["joy", "anger"]], ["joy", "anger"])
