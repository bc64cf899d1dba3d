"""Labels in, joint counts out: every kind of array and frame, and every way to get it wrong.

Estimates are compared with scikit-learn's, joint counts with a Counter over the items.
"""

from __future__ import annotations

import array
import decimal
from collections import Counter, UserList, deque
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics

import clearwin as cw
from clearwin.data.arrays import drop_missing, read_sums, taken, tally_arrays, tally_codes
from clearwin.data.frames import tally_frame
from clearwin.data.labels import label_counts
from tests.data.labelled import COLUMNS, EXPECTED, FRAMES, TRUTH, A, B, compare, duck, events, frames, joint, recoded

# --- kinds of arrays ------------------------------------------------------------------------------------------

CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "numpy int64": np.array,
    "numpy int8": lambda x: np.array(x, dtype=np.int8),
    "numpy uint8": lambda x: np.array(x, dtype=np.uint8),
    "numpy uint64": lambda x: np.array(x, dtype=np.uint64),
    "numpy float64": lambda x: np.array(x, dtype=float),
    "numpy float16": lambda x: np.array(x, dtype=np.float16),
    "numpy object": lambda x: np.array(x, dtype=object),
    "numpy, not contiguous": lambda x: np.repeat(np.array(x), 2)[::2],
    "numpy, read only": lambda x: np.frombuffer(bytes(x), dtype=np.uint8),
    "numpy, other byte order": lambda x: np.array(x, dtype=">i4"),
    "masked, nothing masked": np.ma.array,
    "array.array": lambda x: array.array("b", x),
    "pandas": pd.Series,
    "pandas Int64": lambda x: pd.Series(x, dtype="Int64"),
    "pandas object": lambda x: pd.Series(x, dtype=object),
    "pandas Index": pd.Index,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow, two chunks": lambda x: pa.chunked_array([x[:7], x[7:]]),
    "list of numpy scalars": lambda x: list(np.array(x)),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_every_kind_of_array_gives_the_same_counts(container: Any) -> None:
    r = compare(container(TRUTH), container(A), container(B))
    assert joint(container(TRUTH), container(A), container(B)) == EXPECTED
    assert r.signature.data == EXPECTED.fingerprint
    assert (r.positive, r.positive_inferred, r.n) == ("1", True, 30)


def test_kinds_may_be_mixed() -> None:
    assert joint(TRUTH, pd.Series(A), pl.Series(B)) == EXPECTED
    assert joint(pa.array(TRUTH), np.array(A, dtype=float), tuple(B)) == EXPECTED


def test_arrays_are_not_changed() -> None:
    truth, a, b = np.array(TRUTH), np.array(A, dtype=float), np.array(B, dtype=object)
    compare(truth, a, b)
    assert truth.tolist() == TRUTH
    assert a.tolist() == A
    assert b.tolist() == B


# --- lengths, emptiness, shapes -------------------------------------------------------------------------------


def test_lengths_that_differ_are_named() -> None:
    with pytest.raises(cw.errors.DataError, match="truth has 30, a has 29, b has 30"):
        compare(TRUTH, A[:-1], B)
    with pytest.raises(cw.errors.DataError, match="truth has 30, a has 0, b has 30"):
        compare(TRUTH, [], B)
    with pytest.raises(cw.errors.DataError, match="truth has 30, a has 1"):
        cw.estimate(TRUTH, [1])


@pytest.mark.parametrize("empty", [[], (), np.array([]), pd.Series([], dtype=int), pl.Series([]), pa.array([])])
def test_no_items(empty: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="no items"):
        compare(empty, empty, empty)


@pytest.mark.parametrize(
    ("truth", "shape"),
    [
        (np.array(TRUTH).reshape(-1, 1), r"\(30, 1\)"),
        (pd.DataFrame({"y": TRUTH}), r"\(30, 1\)"),
        (pl.DataFrame({"y": TRUTH}), r"\(30, 1\)"),
        (np.zeros((30, 1, 1)), r"\(30, 1, 1\)"),
    ],
)
def test_tables_instead_of_labels(truth: Any, shape: str) -> None:
    with pytest.raises(cw.errors.DataError, match=f"truth has shape {shape}") as caught:
        compare(truth, A, B)
    assert "one label for each item" in caught.value.expected
    assert ("ravel" in caught.value.next) == (shape == r"\(30, 1\)")


@pytest.mark.parametrize("truth", [1, "1101", None, 0.5, True, object(), {1: 0}, {0, 1}, (x for x in TRUTH)])
def test_things_that_are_no_arrays(truth: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="truth"):
        compare(truth, A, B)


@pytest.mark.parametrize("label", [[1], {1: 2}, {1}, np.array([1])], ids=["list", "dict", "set", "array"])
def test_labels_that_cannot_be_labels(label: Any) -> None:
    truth = np.empty(30, dtype=object)
    truth[:] = TRUTH
    truth[4] = label
    with pytest.raises(cw.errors.DataError, match=r"truth\[4\] is") as caught:
        compare(truth, A, B)
    assert "a number, a bool or a text" in caught.value.expected


def test_several_labels_beside_one_get_a_clear_error() -> None:
    for truth, a, b in ((np.eye(2)[TRUTH], A, B), ([["a", "b"], ["c"]], ["a", "c"], ["b", "c"])):
        with pytest.raises(cw.errors.DataError, match="truth has several labels for each item, and a has one"):
            compare(truth, a, b, measure="accuracy")


# --- scores instead of decisions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scores",
    [
        np.linspace(0.01, 0.99, 30),
        [0.3] * 30,
        np.linspace(0, 1, 30, dtype=np.float32),
        [1.0, np.inf, *[0.0] * 28],
        pd.Series(np.linspace(0.01, 0.99, 30)),
        pl.Series(np.linspace(0.01, 0.99, 30)),
    ],
)
def test_scores_are_told_from_decisions(scores: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="looks like a score") as caught:
        compare(TRUTH, A, scores)
    assert "scores >= 0.5" in caught.value.next


@pytest.mark.parametrize("values", [np.arange(2000), np.arange(2000) / 7, [f"id{i}" for i in range(2000)]])
def test_more_different_values_than_labels_can_have(values: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="a has 2,000 different values") as caught:
        compare([0, 1] * 1000, values, [0, 1] * 1000, measure="accuracy")
    assert "at most 1,000" in caught.value.expected


# --- missing values -------------------------------------------------------------------------------------------

NAT = np.datetime64("NaT", "D")
MISSING = {
    "None among numbers": [1, None, 0, 1, None],
    "None among texts": ["1", None, "0", "1", None],
    "None among bools": [True, None, False, True, None],
    "nan in a list": [1, float("nan"), 0, 1, float("nan")],
    "nan among texts, object": np.array(["1", np.nan, "0", "1", np.nan], dtype=object),
    "nan among texts, list": ["1", float("nan"), "0", "1", float("nan")],
    "numpy nan": np.array([1, np.nan, 0, 1, np.nan]),
    "numpy float32 nan": np.array([1, np.nan, 0, 1, np.nan], dtype=np.float32),
    "pandas NA in a list": [1, pd.NA, 0, 1, pd.NA],
    "pandas Int64": pd.Series([1, None, 0, 1, None], dtype="Int64"),
    "pandas boolean": pd.Series([True, None, False, True, None], dtype="boolean"),
    "pandas string": pd.Series(["1", None, "0", "1", None], dtype="string"),
    "pandas category": pd.Series(["1", None, "0", "1", None], dtype="category"),
    "pandas float": pd.Series([1, None, 0, 1, None]),
    "pandas NaT": pd.to_datetime(pd.Series(["2004-07-08", None, "2004-07-08", "2004-07-08", None])),
    "numpy NaT": np.array(["2004-07-08", NAT, "2004-07-08", "2004-07-08", NAT], dtype="M8[D]"),
    "masked": np.ma.array([1, 1, 0, 1, 1], mask=[0, 1, 0, 0, 1]),
    "masked floats": np.ma.array([1.0, 1, 0, 1, 1], mask=[0, 1, 0, 0, 1]),
    "polars null": pl.Series([1, None, 0, 1, None]),
    "polars nan": pl.Series([1.0, float("nan"), 0, 1, float("nan")]),
    "polars text null": pl.Series(["1", None, "0", "1", None]),
    "pyarrow null": pa.array([1, None, 0, 1, None]),
    "pyarrow text null": pa.array(["1", None, "0", "1", None]),
}


@pytest.mark.parametrize("values", MISSING.values(), ids=MISSING.keys())
def test_missing_values_are_refused_with_their_positions(values: Any) -> None:
    with pytest.raises(cw.errors.DataError, match=r"truth has 2 missing values, at positions 1, 4") as caught:
        compare(values, [1, 1, 0, 1, 0], [1, 0, 0, 1, 0], measure="accuracy")
    assert caught.value.expected
    assert caught.value.next
    with pytest.raises(cw.errors.DataError, match=r"b has 2 missing values"):
        compare([1, 1, 0, 1, 0], [1, 0, 0, 1, 0], values, measure="accuracy")


def test_only_three_positions_are_shown() -> None:
    truth = np.array(TRUTH, dtype=float)
    truth[5:25] = np.nan
    with pytest.raises(cw.errors.DataError, match=r"20 missing values, at positions 5, 6, 7 and 17 more"):
        compare(truth, A, B)


@pytest.mark.parametrize("label", ["NA", "nan", "None", "null", "NaN", "", "NaT", "<NA>"])
def test_a_text_is_never_missing(label: str) -> None:
    truth, a, b = (recoded(x, label, "yes") for x in (TRUTH, A, B))
    for container in (list, np.array, pd.Series, pl.Series, pa.array):
        r = compare(container(truth), container(a), container(b), positive=label)
        assert r.estimate_a == pytest.approx(metrics.f1_score(TRUTH, A, pos_label=0), abs=1e-15)
        assert r.positive == label


def test_01_and_1_differ() -> None:
    r = compare(["01", "1", "01", "1"], ["1", "1", "01", "01"], ["01", "1", "01", "1"], measure="accuracy")
    assert (r.estimate_a, r.estimate_b) == (0.5, 1.0)


# --- texts beside numbers -------------------------------------------------------------------------------------


def test_texts_against_numbers_are_refused() -> None:
    with pytest.raises(
        cw.errors.DataError, match=r"Some labels are texts \('0', '1'\) and some are not \(0, 1\)"
    ) as caught:
        compare([str(x) for x in TRUTH], A, B)
    assert "astype(str)" in caught.value.next


@pytest.mark.parametrize("odd", [1, 1.0, True])
def test_texts_beside_numbers_in_one_array_are_refused(odd: Any) -> None:
    truth = ["0", "1", odd, "0"]
    # numpy would silently turn the list into texts
    for mixed in (truth, np.array(truth, dtype=object), pd.Series(truth, dtype=object)):
        with pytest.raises(cw.errors.DataError, match="Some labels are texts"):
            compare(mixed, ["0", "1", "1", "0"], ["0", "1", "0", "0"])


def test_numbers_of_any_type_are_numbers() -> None:
    # DuckDB and pyarrow give decimals for what was written 1.0
    truth, a, b = ([decimal.Decimal(f"{x}.0") for x in labels] for labels in (TRUTH, A, B))
    assert joint(truth, a, b) == EXPECTED
    assert joint(truth, A, B) == EXPECTED


def test_numbers_beyond_64_bits_signed() -> None:
    big = 2**63
    truth, a, b = (np.array(recoded(x, big, big + 1), dtype=np.uint64) for x in (TRUTH, A, B))
    r = compare(truth, a, b, positive=big + 1)
    assert r.estimate_a == pytest.approx(metrics.f1_score(TRUTH, A), abs=1e-15)


@pytest.mark.parametrize(
    ("one", "other", "third"),
    [(2**53, 2**53 + 1, 0), (2**63, 2**63 + 1, -1), (2**70, 2**70 + 1, 0), (2**53, 2**53 + 1, 0.0)],
)
def test_large_numbers_are_kept_apart(one: Any, other: Any, third: Any) -> None:
    # as floats the first two would be the same number
    r = compare([one, other, third] * 9, [one, one, third] * 9, [other, other, third] * 9, measure="accuracy")
    assert r.estimate_a == r.estimate_b == pytest.approx(2 / 3)
    assert r.difference == 0


# --- pandas indexes -------------------------------------------------------------------------------------------


def test_the_same_index_in_another_order_is_refused() -> None:
    truth, a, b = pd.Series(TRUTH), pd.Series(A), pd.Series(B)
    shuffled = a.sample(frac=1, random_state=1)
    with pytest.raises(
        cw.errors.DataError, match="Series truth and a have the same index in a different order"
    ) as caught:
        compare(truth, shuffled, b)
    assert caught.value.next == "a = a.loc[truth.index]"
    with pytest.raises(cw.errors.DataError, match="Series a and b have the same index"):
        compare(TRUTH, a, b[::-1])
    # what the message says to type puts it right
    assert joint(truth, shuffled.loc[truth.index], b) == EXPECTED


def test_other_indexes_are_matched_by_position() -> None:
    assert joint(pd.Series(TRUTH, index=range(100, 130)), pd.Series(A), pd.Series(B)) == EXPECTED
    assert joint(pd.Series(TRUTH), pd.Series(A, index=range(5, 35)), B) == EXPECTED
    same = pd.Series(TRUTH).sample(frac=1, random_state=3).index
    assert joint(pd.Series(TRUTH, index=same), pd.Series(A, index=same), pd.Series(B, index=same)) == EXPECTED
    one = [0] * 30
    assert joint(pd.Series(TRUTH, index=one), pd.Series(A, index=one), pd.Series(B, index=one)) == EXPECTED


def test_indexes_that_cannot_be_sorted() -> None:
    index = [1, "a", *range(2, 30)]
    other = ["a", 1, *range(2, 30)]
    with pytest.raises(cw.errors.DataError, match="different order"):
        compare(pd.Series(TRUTH, index=index), pd.Series(A, index=other), B)


@pytest.mark.parametrize(
    ("a", "b", "names"),
    [
        ("svm", "rbf", ("svm", "rbf")),
        (1, 2, ("1", "2")),
        ("svm", "svm", ("A", "B")),
        ("svm", None, ("A", "B")),
        ("svm", "", ("A", "B")),
        (None, "rbf", ("A", "B")),
    ],
)
def test_models_are_called_by_their_series_if_both_have_names_that_differ(a: Any, b: Any, names: Any) -> None:
    r = compare(TRUTH, pd.Series(A, name=a), pd.Series(B, name=b))
    assert (r.name_a, r.name_b) == names


# --- frames ---------------------------------------------------------------------------------------------------


def of_frame(frame: Any, **options: Any) -> cw.results.Comparison:
    given = {"truth": "y", "a": "svm", "b": "rbf", "rng": 1, "test": "permutation", "n_resamples": 50, **options}
    return cw.compare(data=frame, **given)


@frames
def test_every_frame_gives_what_arrays_give(frame: Any) -> None:
    r = of_frame(frame(COLUMNS))
    assert r == compare(TRUTH, A, B, names=("svm", "rbf"))
    assert r.signature.data == EXPECTED.fingerprint
    assert (r.name_a, r.name_b, r.positive, r.positive_inferred) == ("svm", "rbf", "1", True)


@frames
def test_texts_in_frames(frame: Any) -> None:
    columns = {name: recoded(COLUMNS[name], "NA", "01") for name in ("y", "svm", "rbf")}
    r = of_frame(frame(columns), positive="01")
    assert r == compare(*columns.values(), positive="01", names=("svm", "rbf"))
    with pytest.raises(cw.errors.DataError, match="Which class is positive"):
        of_frame(frame(columns))


@frames
def test_bools_and_floats_in_frames(frame: Any) -> None:
    columns = {"y": [bool(x) for x in TRUTH], "svm": [float(x) for x in A], "rbf": B}
    assert of_frame(frame(columns)).signature.data == EXPECTED.fingerprint


def test_the_order_in_which_an_engine_returns_groups_does_not_matter() -> None:
    # polars returns groups in an order of its own every time, and True == 1 == 1.0
    frame = pl.DataFrame({"y": [bool(x) for x in TRUTH], "svm": [float(x) for x in A], "rbf": B})
    tallies = [tally_frame(frame, truth="y", a="svm", b="rbf") for _ in range(30)]
    kinds = {"needs_positive": True, "any_number_of_classes": False, "measure": "F1"}
    assert {label_counts(tally, **kinds).joint.fingerprint for tally in tallies} == {EXPECTED.fingerprint}


@frames
def test_a_column_that_is_not_there(frame: Any) -> None:
    with pytest.raises(cw.errors.UnknownNameError, match="no column named 'smv'") as caught:
        of_frame(frame(COLUMNS), a="smv")
    assert caught.value.expected == "one of y, svm, rbf, n, truth"
    assert caught.value.next == "did you mean 'svm'?"


@frames
def test_missing_values_in_frames(frame: Any) -> None:
    gaps = [None if i in (2, 5) else x for i, x in enumerate(A)]
    with pytest.raises(cw.errors.DataError, match=r"Column 'svm' has 2 missing values") as caught:
        of_frame(frame({**COLUMNS, "svm": gaps}))
    lazy = frame in (FRAMES["polars, lazy"], FRAMES["DuckDB"])
    # a lazy frame has no rows to number
    assert lazy or "in rows 2, 5 (counted from 0)" in caught.value.what


@frames
def test_nan_in_frames(frame: Any) -> None:
    gaps = [float("nan") if i == 7 else float(x) for i, x in enumerate(B)]
    with pytest.raises(cw.errors.DataError, match=r"Column 'rbf' has 1 missing value"):
        of_frame(frame({**COLUMNS, "rbf": gaps}))


@frames
def test_a_frame_without_rows(frame: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="no rows"):
        of_frame(frame({name: np.array([], dtype=np.int64) for name in COLUMNS}))


@frames
def test_scores_in_frames(frame: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="looks like a score"):
        of_frame(frame({**COLUMNS, "rbf": [x * 0.9 for x in B]}))


@pytest.mark.parametrize("thing", [TRUTH, {"y": TRUTH}, np.zeros((3, 3)), pd.Series(A), pl.Series(A)])
def test_what_is_not_a_frame(thing: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="is not a frame") as caught:
        of_frame(thing)
    assert "compare(truth, a, b)" in caught.value.next


@pytest.mark.parametrize(("column", "told"), [(None, "a is None"), (3, "no column named"), (["svm"], "a has shape")])
def test_columns_that_are_no_names(column: Any, told: str) -> None:
    with pytest.raises(cw.ClearwinError, match=told):
        of_frame(pd.DataFrame(COLUMNS), a=column)


def test_pandas_columns_may_have_numbers_for_names() -> None:
    r = cw.compare(data=pd.DataFrame({0: TRUTH, 1: A, 2: B}), truth=0, a=1, b=2, rng=1)  # type: ignore[arg-type]
    assert (r.name_a, r.name_b, r.signature.data) == ("1", "2", EXPECTED.fingerprint)


def test_pandas_columns_with_the_same_name() -> None:
    frame = pd.DataFrame(np.array([TRUTH, A, B, B]).T, columns=["y", "svm", "rbf", "rbf"])
    with pytest.raises(cw.ClearwinError, match="rbf"):
        of_frame(frame)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, duck])
def test_nested_columns(frame: Any) -> None:
    with pytest.raises(
        cw.errors.DataError, match="Column 'y' has several labels in each row, and column 'svm' has one"
    ):
        of_frame(frame({**COLUMNS, "y": [[x] for x in TRUTH]}))


def test_decimals_in_a_frame_are_numbers() -> None:
    relation = duck(COLUMNS).project("y * 1.0 AS y, svm * 1.0 AS svm, rbf")
    assert of_frame(relation).signature.data == EXPECTED.fingerprint


def test_wide_numbers_as_groups_stay_apart() -> None:
    columns = {name: COLUMNS[name] for name in ("y", "svm", "rbf")}
    n = len(columns["y"])
    wide = [decimal.Decimal("12345678901234567890.00") + decimal.Decimal(i // 2) / 100 for i in range(n)]
    huge = [2**100 + i // 2 for i in range(n)]
    frames = [
        pa.table({**columns, "g": pa.array(wide, pa.decimal128(30, 2))}),
        pd.DataFrame({**columns, "g": wide}),
        pl.DataFrame({**columns, "g": pl.Series(wide, dtype=pl.Decimal(30, 2))}),
        pd.DataFrame({**columns, "g": huge}),
    ]
    if tuple(map(int, pl.__version__.split(".")[:2])) >= (1, 30):  # 1.20 cannot group by such numbers
        frames.append(pl.DataFrame({**columns, "g": pl.Series(huge, dtype=pl.Int128)}))
    for frame in frames:
        tally = tally_frame(frame, truth="y", a="svm", b="rbf", group="g")
        assert len({group for *_, group in tally}) == len(set(huge))
    series = pl.Series(huge, dtype=pl.Int128)  # which numpy has not
    tally = tally_arrays(truth=columns["y"], a=columns["svm"], b=columns["rbf"], group=series)
    assert {group for *_, group in tally} == set(huge)


def test_categorical_columns() -> None:
    columns = {name: [str(x) for x in COLUMNS[name]] for name in ("y", "svm", "rbf")}
    expected = of_frame(pd.DataFrame(columns))
    assert of_frame(pd.DataFrame(columns).astype("category")) == expected
    assert of_frame(pl.DataFrame(columns).cast(pl.Categorical)) == expected
    assert of_frame(pa.table({k: pa.array(v).dictionary_encode() for k, v in columns.items()})) == expected


def test_the_same_column_twice_is_a_slip() -> None:
    with pytest.raises(cw.errors.DataError, match="a and b are both the column 'svm'"):
        of_frame(pd.DataFrame(COLUMNS), b="svm")
    with pytest.raises(cw.errors.DataError, match="a and b are both the column 'svm'"):
        of_frame(pd.DataFrame(COLUMNS), b="svm", measure="auc")
    assert of_frame(pd.DataFrame(COLUMNS), names=("old", "new")).name_a == "old"


def test_the_tally_of_a_frame_is_small() -> None:
    frame = pl.DataFrame({"y": [0, 1] * 50_000, "svm": [1, 1] * 50_000, "rbf": [0, 1] * 50_000})
    assert tally_frame(frame, truth="y", a="svm", b="rbf") == {(0, 1, 0): 50_000, (1, 1, 1): 50_000}


# --- the order of the items, and the slow way to count ---------------------------------------------------------

LABELS = {"two": [0, 1], "texts": ["NA", "01", "1", ""], "numbers": [-3, 0, 5, 9], "bools": [False, True]}


@st.composite
def items(draw: st.DrawFn) -> list[tuple[Any, Any, Any]]:
    label = st.sampled_from(LABELS[draw(st.sampled_from(sorted(LABELS)))])
    return draw(st.lists(st.tuples(label, label, label), min_size=1, max_size=40))


@given(data=st.data(), rows=items())
@settings(deadline=None, max_examples=60)
def test_the_order_of_the_items_does_not_matter(data: st.DataObject, rows: list[tuple[Any, Any, Any]]) -> None:
    shuffled = data.draw(st.permutations(rows))
    try:
        first = compare(*zip(*rows, strict=True), measure="accuracy")
    except cw.errors.DataError:  # "01" for "1" and the like
        with pytest.raises(cw.errors.DataError, match=r"where the truth has|never says"):
            compare(*zip(*shuffled, strict=True), measure="accuracy")
        return
    second = compare(*zip(*shuffled, strict=True), measure="accuracy")
    assert first == second
    assert first.signature.data == second.signature.data


@given(rows=items())
@settings(deadline=None, max_examples=100)
def test_the_tally_is_a_counter(rows: list[tuple[Any, Any, Any]]) -> None:
    truth, a, b = zip(*rows, strict=True)
    for container in (list, np.array, pd.Series, pl.Series):
        assert tally_arrays(truth=container(truth), a=container(a), b=container(b)) == Counter(rows)
    frame = pl.DataFrame({"y": truth, "p": a, "q": b})
    assert tally_frame(frame, truth="y", a="p", b="q") == Counter(rows)


@given(rows=items())
@settings(deadline=None, max_examples=100)
def test_the_joint_counts_are_a_counter_for_any_positive_class(rows: list[tuple[Any, Any, Any]]) -> None:
    truth, a, b = zip(*rows, strict=True)
    for positive in set(truth):
        expected = events(truth, a, b, positive)
        assert joint(truth, a, b, positive=positive).events == expected.events


def test_a_thousand_labels() -> None:
    # so many combinations that they cannot be counted by their position in a table
    rng = np.random.default_rng(0)
    truth, a, b = rng.integers(0, 999, size=(3, 5_000)) - 400
    expected = Counter(zip(truth.tolist(), a.tolist(), b.tolist(), strict=True))
    assert tally_arrays(truth=truth, a=a, b=b) == expected
    texts = [np.char.add("x", x.astype(str)) for x in (truth, a, b)]
    assert tally_arrays(truth=texts[0], a=texts[1], b=texts[2]) == {
        tuple(f"x{label}" for label in key): count for key, count in expected.items()
    }
    r = compare(truth, a, b, measure="accuracy", test="mcnemar")
    assert r.estimate_a == pytest.approx(metrics.accuracy_score(truth, a), abs=1e-15)


def test_more_combinations_than_a_number_can_have_are_counted_one_by_one() -> None:
    """Three columns of three million labels have 2.7e19 combinations, above 2**62; a Counter counts what there is."""
    labels = list(range(3_000_000))
    codes = [np.array(places) for places in ([0, 5, 0], [7, 2_999_999, 7], [1, 1, 1])]
    found = tally_codes([(column, labels) for column in codes])
    assert found == Counter([(0, 7, 1), (5, 2_999_999, 1), (0, 7, 1)])


def test_rows_are_taken_from_whatever_holds_them() -> None:
    rows = np.array([0, 2])
    assert taken(None, rows) is None
    assert taken(pd.Series([1, 2, 3], index=[7, 8, 9]), rows).tolist() == [1, 3]
    assert taken(sparse.coo_matrix(np.eye(3)), rows).toarray().tolist() == [[1, 0, 0], [0, 0, 1]]
    assert taken(np.array([1, 2, 3]), rows).tolist() == [1, 3]
    assert taken(pa.array([1, 2, 3]), rows).to_pylist() == [1, 3]


class Ragged:
    """What numpy cannot read, with and without a way to make a list of it."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no such type")


class Listed(Ragged):
    def to_list(self) -> list[int]:
        return [2**100, 1, 2**100]


def test_arrays_of_types_that_numpy_lacks() -> None:
    assert tally_arrays(truth=Listed(), a=[1, 1, 1]) == {(2**100, 1): 2, (1, 1): 1}
    with pytest.raises(RuntimeError, match="no such type"):
        tally_arrays(truth=Ragged(), a=[1])
    with pytest.raises(cw.errors.DataError, match="rows of different lengths"):
        tally_arrays(truth=[[1, 2], [3]], a=[1, 1])


def test_items_that_lack_something_are_left_out_of_every_column() -> None:
    columns = {
        "truth": np.ma.array([1.0, 2.0, np.nan, 4.0], mask=[True, False, False, False]),
        "a": ["x", None, "y", "z"],
        "b": np.array([1, 2, 3, 4]),
        "groups": None,
    }
    kept, (doubt,) = drop_missing(columns)
    assert (kept["truth"].tolist(), kept["a"], kept["b"].tolist(), kept["groups"]) == ([4.0], ["z"], [4], None)
    assert "3 of 4 items were left out because a value is missing: truth on 2, a on 1." in doubt.text
    whole = {"truth": [1, 2], "b": [[0, 1], [1, 0]]}
    assert drop_missing(whole) == (whole, ())
    assert drop_missing({"a": np.eye(2), "b": None}) == ({"a": pytest.approx(np.eye(2)), "b": None}, ())
    kept, _ = drop_missing({"truth": [1, None, 2], "b": [[0, 1], [], None]})  # a list of labels is one value
    assert kept == {"truth": [1], "b": [[0, 1]]}
    with pytest.raises(cw.errors.DataError, match="b is a table"):
        drop_missing({"truth": [1, None], "b": np.eye(2)})
    with pytest.raises(cw.errors.DataError, match="Every item lacks a value: a on 2"):
        drop_missing({"truth": [1, 2], "a": [None, None]})
    with pytest.raises(cw.errors.OptionError, match="no way to treat missing values named 'skip'"):
        cw.compare([0, 1], [0, 1], [1, 1], measure="accuracy", missing="skip")


@pytest.mark.parametrize(
    ("truth", "model", "told"),
    [
        ([[1], [2]], [[1, 1], [1, 1]], r"truth has shape \(2, 1\)"),
        ([], [], r"truth has shape \(0,\)"),
        ([2, 3], [[3, 1], [1, 1]], r"more right spans than predicted ones at position 0"),
        ([2, 3], [[1, 1], [4, 4]], r"more right spans than true ones at position 1"),
        ([2, "x"], [[1, 1], [1, 1]], "truth holds something that is not a number"),
        ([2, 3], [[1, 1], [1, 1.5]], r"a\[1, 1\] is 1.5"),
        ([2, -3], [[1, 1], [1, 1]], r"truth\[1\] is -3"),
        ([2, 3, 4], [[1, 1]] * 4, "a has shape"),
    ],
)
def test_counts_of_spans_that_cannot_be(truth: Any, model: Any, told: str) -> None:
    with pytest.raises(cw.errors.DataError, match=told):
        read_sums(truth, {"a": model})


VERBS = {
    "compare": lambda made, t, a, b: cw.compare(made(t), made(a), made(b), measure="accuracy", rng=1),
    "groups": lambda made, t, a, b: cw.compare(
        t, a, b, groups=made([i // 3 for i in range(60)]), n_resamples=99, rng=1
    ),
    "by": lambda made, t, a, b: cw.compare(made(t), made(a), made(b), measure="accuracy", by=made(a), rng=1),
    "missing": lambda made, t, a, b: cw.compare(made(t), made(a), made(b), measure="accuracy", missing="drop", rng=1),
    "scores": lambda made, t, a, b: cw.compare(made(t), made(a), made(b), measure="auc", n_resamples=99, rng=1),
    "values": lambda made, t, a, b: cw.compare(None, made(a), made(b), measure="mean", rng=1),
    "label sets": lambda made, t, a, b: cw.compare(
        *(made([[x] for x in column]) for column in (t, a, b)), measure="micro_f1", n_resamples=99, rng=1
    ),
    "estimate": lambda made, t, a, b: cw.estimate(made(t), made(a), measure="accuracy", rng=1),
    "rank": lambda made, t, a, b: cw.rank(made(t), {"x": made(a), "y": made(b)}, n_resamples=99, rng=1),
    "by class": lambda made, t, a, b: cw.compare_by_class(made(t), made(a), made(b), rng=1),
    "study": lambda made, t, a, b: cw.study(
        made(t), made(a), made(b), measure="accuracy", test_size=30, n_sets=5, rng=1
    ),
    "plan": lambda made, t, a, b: cw.plan(
        made(t), made(a), made(b), measure="accuracy", difference=0.05, power=0.8, rng=1
    ),
    "chance": lambda made, t, a, b: cw.against_chance(made(t), made(a), rng=1),
}


@pytest.mark.parametrize("verb", VERBS)
def test_any_sequence_works_as_a_list_does(verb: str) -> None:
    columns = [0, 1] * 30, [0, 1, 1] * 20, [1, 1, 0, 0] * 15
    expected = VERBS[verb](list, *columns).to_json()
    for made in (deque, UserList):
        assert VERBS[verb](made, *columns).to_json() == expected


@pytest.mark.parametrize(
    "made",
    [set, Counter, iter, lambda column: dict(enumerate(column)), lambda column: dict(enumerate(column)).values()],
)
def test_what_is_no_column_is_refused_by_what_it_is(made: Any) -> None:
    truth, a = [0, 1] * 10, [0, 1, 1, 1] * 5
    for ask in (
        lambda: cw.compare(truth, made(a), a, measure="accuracy"),
        lambda: cw.compare(truth, made(a), a, measure="auc"),
    ):
        with pytest.raises(cw.errors.DataError, match=rf"a is a {type(made(a)).__name__}\."):
            ask()


def test_groups_without_an_order_are_refused() -> None:
    with pytest.raises(cw.errors.DataError, match="groups is"):
        cw.compare([0, 1, 1], [0, 1, 1], [1, 1, 0], groups={"x", "y", "z"})
    with pytest.raises(cw.errors.DataError, match="winner is"):
        cw.compare({"a", "b", "tie"}, "a", "b", measure="win_rate")
