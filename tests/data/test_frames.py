"""Frames of every engine: counted, checked and joined where their rows are, to the same bits."""

import shutil
import warnings
from collections import Counter
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clearwin as cw
from clearwin.data.binned_scores import bin_scores
from clearwin.data.frames import count_label_columns, tally_complete_rows, tally_frame

N = 400
RNG = np.random.default_rng(21)
Y = RNG.integers(0, 3, N)
ROWS = pd.DataFrame(
    {
        "item": [f"i{i:03}" for i in RNG.permutation(N)],
        "y": Y,
        "svm": np.where(RNG.random(N) < 0.75, Y, (Y + 1) % 3),
        "rbf": np.where(RNG.random(N) < 0.85, Y, (Y + 1) % 3),
        "who": RNG.integers(0, 40, N),
        "when": RNG.integers(0, 30, N),
        "where": RNG.integers(0, 2, N),
    }
)
COLUMNS = {"truth": "y", "a": "svm", "b": "rbf"}
ASKED = {
    "items": {},
    "groups": {"groups": "who"},
    "crossed groups": {"groups": ["who", "when"]},
    "strata": {"strata": "where"},
    "slices": {"by": "where"},
}


def of_dask(rows: pd.DataFrame) -> Any:
    frames = pytest.importorskip("dask.dataframe", reason="no Dask: pip install 'dask[dataframe]'")
    return frames.from_pandas(rows, npartitions=3)


@pytest.fixture(scope="module")
def spark() -> Any:
    """A session with two threads."""
    sql = pytest.importorskip("pyspark.sql", reason="no Spark: pip install pyspark")
    if shutil.which("java") is None:
        pytest.skip("no Java: install Debian's package default-jre-headless")
    build = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = build.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        yield session
        session.stop()


ENGINES = {
    "pandas": lambda rows: rows,
    "polars": pl.from_pandas,
    "polars lazy": lambda rows: pl.from_pandas(rows).lazy(),
    "pyarrow": pa.Table.from_pandas,
    "duckdb": duckdb.from_df,
    "dask": of_dask,
}
engines = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


def answers(frame: Any) -> dict[str, str]:
    """Everything that a comparison says, for every way to draw items."""
    how = {"measure": "macro_f1", "rng": 7, "n_resamples": 50}
    return {name: cw.compare(data=frame, **COLUMNS, **asked, **how).to_json() for name, asked in ASKED.items()}


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    """What arrays give."""
    how = {"measure": "macro_f1", "rng": 7, "n_resamples": 50, "names": ("svm", "rbf")}
    columns = {role: ROWS[name].to_numpy() for role, name in COLUMNS.items()}
    found = {}
    for name, asked in ASKED.items():
        units = {k: [ROWS[c] for c in v] if isinstance(v, list) else ROWS[v] for k, v in asked.items()}
        found[name] = cw.compare(**columns, **units, **how).to_json()
    return found


@engines
def test_every_engine_gives_the_bits_that_arrays_give(engine: Any, expected: dict[str, str]) -> None:
    assert answers(engine(ROWS)) == expected


def counted(rows: pd.DataFrame) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(rows[name].tolist() for name in COLUMNS.values()), strict=True))


def test_only_counts_come_back() -> None:
    """Nothing but the group-by is ever collected: a relation of ten million rows would not fit into the test's time."""
    rows = (
        "SELECT i % 2 AS y, (i % 7 < 3)::INT AS svm, (i % 5 < 2)::INT AS rbf, i % 3 AS part FROM range(3_000_000) r(i)"
    )
    frame = duckdb.sql(rows)
    how = {"test": "mcnemar", "measure": "accuracy", "rng": 1}
    r = cw.compare(data=frame, **COLUMNS, **how, missing="drop", by="part")
    assert (r.n, len(r.slices)) == (3_000_000, 3)
    assert len(tally_frame(frame, **COLUMNS)) == 8


TOPICS = RNG.random((N, 4)) < 0.3
SETS = {"y": TOPICS, **{name: np.where(RNG.random((N, 4)) < 0.8, TOPICS, ~TOPICS) for name in ("svm", "rbf")}}
CELLS = {f"{name}_{j}": SETS[name][:, j] for name in SETS for j in range(4)}
# whole numbers, bools and fractions, as engines have them
TABLES = ROWS[["who", "when", "where"]].assign(
    **{
        name: cell if "y" in name else cell * 1.0 if "_3" in name else cell.astype(np.int8)
        for name, cell in CELLS.items()
    }
)
LABELS = {role: [f"{name}_{j}" for j in range(4)] for role, name in COLUMNS.items()}


# crossed groups are for the studentised test alone, whose search takes long for macro F1
JUDGED = {
    "items": ("macro_f1", "bootstrap"),
    "groups": ("subset_accuracy", "bootstrap"),
    "crossed groups": ("hamming_loss", "studentised"),
    "strata": ("macro_f1", "bootstrap"),
}
FEW: dict[str, Any] = {"rng": 7, "n_resamples": 50, "names": ("svm", "rbf")}


@cache
def of_arrays(asked: str) -> Any:
    """What arrays give."""
    units = {k: [ROWS[c] for c in v] if isinstance(v, list) else ROWS[v] for k, v in ASKED[asked].items()}
    measure, test = JUDGED[asked]
    return cw.compare(*SETS.values(), **units, measure=measure, test=test, **FEW)


@engines
@pytest.mark.parametrize("asked", JUDGED)
def test_label_columns_are_counted_on_the_engine(engine: Any, asked: str) -> None:
    frame, (measure, test) = engine(TABLES), JUDGED[asked]
    assert cw.compare(data=frame, **LABELS, **ASKED[asked], measure=measure, test=test, **FEW) == of_arrays(asked)
    patterns = count_label_columns(frame, LABELS, {"group": "where"})
    assert patterns is not None
    assert patterns.times.sum() == N
    different = np.unique(np.column_stack([*SETS.values(), ROWS["where"]]), axis=0)
    assert patterns.times.size == len(different) < N


@engines
def test_what_is_wrong_in_a_label_column_is_told_as_of_arrays(engine: Any) -> None:
    for spoilt, told in ((2, "a holds 2.0 in row 5 of column 1"), (None, "a has 1 missing value")):
        rows = TABLES.assign(svm_1=TABLES["svm_1"].astype(float))
        rows.loc[5, "svm_1"] = spoilt
        with pytest.raises(cw.errors.DataError, match=told):
            cw.compare(data=engine(rows), **LABELS, measure="macro_f1")


def test_nan_in_a_label_column_is_missing() -> None:
    """polars and DuckDB take nan for equal to itself; polars leaves it out of the least and the greatest."""
    rows = TABLES.assign(svm_1=TABLES["svm_1"].astype(float))
    rows.loc[5, "svm_1"] = np.nan
    frame = pl.from_pandas(rows, nan_to_null=False)
    for spoilt in (frame, frame.lazy(), frame.to_arrow(), duckdb.from_arrow(frame.to_arrow())):
        with pytest.raises(cw.errors.DataError, match="a has 1 missing value"):
            cw.compare(data=spoilt, **LABELS, measure="macro_f1")


@engines
def test_label_columns_that_are_named_twice_are_a_slip(engine: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="truth and b are both the column 'y_0'"):
        cw.compare(data=engine(TABLES), **LABELS | {"b": LABELS["truth"]}, measure="macro_f1")
    with pytest.raises(cw.errors.DataError, match="a and b are both the columns svm_0, svm_1, svm_2 and 1 more"):
        cw.compare(data=engine(TABLES), **LABELS | {"b": LABELS["a"]}, measure="macro_f1")


LISTS = {name: [np.flatnonzero(row).tolist() for row in table] for name, table in SETS.items()}
of_lists = pytest.mark.parametrize("engine", [e for name, e in ENGINES.items() if name != "dask"])  # it makes texts


@of_lists
@pytest.mark.parametrize("row", [0, 5])
def test_lists_that_are_missing(engine: Any, row: int) -> None:
    how = {"measure": "macro_f1", "rng": 7, "n_resamples": 50, "names": ("svm", "rbf"), "test": "bootstrap"}
    frame = engine(pd.DataFrame({**LISTS, "svm": [None if i == row else x for i, x in enumerate(LISTS["svm"])]}))
    with pytest.raises(cw.errors.DataError, match=rf"a has 1 missing value: a\[{row}\]"):
        cw.compare(data=frame, **COLUMNS, **how)
    rest = cw.compare(*([x for i, x in enumerate(LISTS[name]) if i != row] for name in COLUMNS.values()), **how)
    left = cw.compare(data=frame, **COLUMNS, **how, missing="drop")
    assert (left.signature, left.interval) == (rest.signature, rest.interval)
    assert left.caveats[0].text.startswith("1 of 400 items were left out because a value is missing: svm on 1.")


@of_lists
def test_lists_are_not_groups(engine: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="groups holds lists"):
        cw.compare(data=engine(pd.DataFrame({**LISTS, "who": LISTS["y"]})), **COLUMNS, measure="macro_f1", groups="who")


@of_lists
def test_columns_of_lists_are_label_sets(engine: Any) -> None:
    how = {"measure": "macro_f1", "rng": 7, "n_resamples": 50, "names": ("svm", "rbf"), "test": "bootstrap"}
    frame = engine(pd.DataFrame({**LISTS, "who": ROWS["who"]}))
    expected = cw.compare(*LISTS.values(), groups=ROWS["who"], **how)
    assert cw.compare(data=frame, **COLUMNS, groups="who", **how) == expected
    assert cw.compare_by_class(data=frame, **COLUMNS, **how | {"measure": "f1"}).kind == "label"


@engines
def test_rows_that_lack_something_are_left_out_on_the_engine(engine: Any) -> None:
    texts = ROWS[[*COLUMNS.values(), "who"]].astype(str)
    texts.loc[[3, 5], "rbf"] = None
    texts.loc[[5, 8], "who"] = None
    tally, doubts = tally_complete_rows(engine(texts), **COLUMNS, group="who")
    assert sum(tally.values()) == N - 3
    assert doubts[0].text.startswith("3 of 400 items were left out because a value is missing: rbf on 2, who on 2.")
    with pytest.raises(cw.errors.DataError, match=r"Column 'rbf' has 2 missing values"):
        tally_frame(engine(texts), **COLUMNS)


@engines
def test_classes_are_counted_on_the_engine(engine: Any) -> None:
    how = {"rng": 7, "n_resamples": 50, "test": "bootstrap"}
    columns = {role: ROWS[name] for role, name in COLUMNS.items()}
    assert cw.compare_by_class(data=engine(ROWS), **COLUMNS, **how) == cw.compare_by_class(**columns, **how)


# --- joined by id -------------------------------------------------------------------------------------------------


def parts_of(engine: Any, rows: pd.DataFrame = ROWS) -> dict[str, Any]:
    """The truth and each model in a frame of its own, in an order of its own."""
    names = {"gold": "y", "svm": "svm", "rbf": "rbf"}
    shuffled = {name: rows[["item", c]].sample(frac=1, random_state=i) for i, (name, c) in enumerate(names.items())}
    return {name: engine(part.reset_index(drop=True)) for name, part in shuffled.items()}


@engines
def test_frames_are_joined_by_id(engine: Any) -> None:
    joined = cw.join_frames(parts_of(engine), id="item")
    assert tally_frame(joined, truth="gold", a="svm", b="rbf") == counted(ROWS)


@pytest.mark.parametrize(
    "made", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, lambda columns: duckdb.from_df(pd.DataFrame(columns))]
)
def test_ids_in_two_spellings_of_unicode_are_joined(made: Any) -> None:
    ids = [f"S\u00e3o {i}" for i in range(5)]
    gold = made({"id": ids, "y": [0, 1, 0, 1, 1]})
    svm = made({"id": [f"Sa\u0303o {i}" for i in range(5)], "p": [0, 1, 0, 1, 0]})
    joined = cw.join_frames({"gold": gold, "svm": svm}, id="id")
    assert tally_frame(joined, truth="gold", a="svm") == {(0, 0): 2, (1, 1): 2, (1, 0): 1}


WRONG_IDS = [
    (lambda rows: rows.assign(item=rows["item"].replace({"i007": "i009"})), r"svm repeats 1 id \('i009'\)"),
    (lambda rows: rows.assign(item=rows["item"].replace({"i007": None})), "svm has 1 rows without an id"),
    (lambda rows: rows.assign(item=rows["item"].replace({"i007": "i7"})), r"svm lacks 1 id \('i007'\) of gold"),
    (lambda rows: rows[2:], r"svm lacks 2 ids \('i\d+', 'i\d+'\) of gold"),
    (lambda rows: rows[:0], "svm has no rows"),
]


@engines
@pytest.mark.parametrize(("change", "complaint"), WRONG_IDS)
def test_ids_that_are_wrong(engine: Any, change: Any, complaint: str) -> None:
    gold, svm = ROWS[["item", "y"]], change(ROWS[["item", "svm"]]).reset_index(drop=True)
    with pytest.raises(cw.errors.DataError, match=complaint):
        cw.join_frames({"gold": engine(gold), "svm": engine(svm)}, id="item")


def test_frames_that_cannot_be_joined() -> None:
    gold = pl.from_pandas(ROWS[["item", "y"]])
    with pytest.raises(cw.errors.DataError, match="different engines"):
        cw.join_frames({"gold": gold, "svm": ROWS[["item", "svm"]]}, id="item")
    with pytest.raises(cw.errors.DataError, match="Ids are texts in gold"):
        cw.join_frames(
            {"gold": gold, "svm": gold.with_row_index("n").select(pl.col("n").alias("item"), "y")}, id="item"
        )
    with pytest.raises(cw.errors.UnknownNameError, match="no column of svm named 'item'"):
        cw.join_frames({"gold": gold, "svm": gold.rename({"item": "id"})}, id="item")
    with pytest.raises(cw.errors.DataError, match="no column besides 'item'"):
        cw.join_frames({"gold": gold, "svm": gold.select("item")}, id="item")
    with pytest.raises(cw.errors.DataError, match="not two frames"):
        cw.join_frames({"gold": gold}, id="item")


def test_columns_of_joined_frames_are_called_by_the_frame() -> None:
    gold = pl.from_pandas(ROWS[["item", "y"]])
    joined = cw.join_frames({"gold": gold, "svm": pl.from_pandas(ROWS[["item", "svm", "who"]])}, id="item")
    assert joined.columns == ["item", "gold", "svm.svm", "svm.who"]


# --- Spark, where it is installed ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_spark_gives_the_bits_that_arrays_give(spark: Any, expected: dict[str, str]) -> None:
    assert answers(spark.createDataFrame(ROWS)) == expected
    scores = pd.DataFrame({"y": Y > 0, "a": Y + RNG.normal(size=N), "b": Y + RNG.normal(size=N)})
    frames = (scores, spark.createDataFrame(scores))
    binned = [bin_scores(frame, "y", {"a": "a", "b": "b"}, 50) for frame in frames]
    assert binned[0].fingerprint == binned[1].fingerprint
    how = {"truth": "y", "a": "a", "b": "b", "measure": "auc", "bins": 50, "rng": 7}
    there, here = (cw.compare(data=frame, **how).to_json() for frame in frames)
    assert there == here


@pytest.mark.filterwarnings("ignore")
def test_spark_does_what_other_engines_do(spark: Any) -> None:
    engine = spark.createDataFrame
    for asked in ("groups", "crossed groups", "strata"):
        test_label_columns_are_counted_on_the_engine(engine, asked)
    test_what_is_wrong_in_a_label_column_is_told_as_of_arrays(engine)
    test_label_columns_that_are_named_twice_are_a_slip(engine)
    test_columns_of_lists_are_label_sets(engine)
    test_lists_that_are_missing(engine, 5)
    test_lists_are_not_groups(engine)
    test_rows_that_lack_something_are_left_out_on_the_engine(engine)
    test_classes_are_counted_on_the_engine(engine)
    test_frames_are_joined_by_id(engine)
    for change, complaint in WRONG_IDS[:-1]:  # Spark makes no frame without rows
        test_ids_that_are_wrong(engine, change, complaint)
