"""Labels of thirty items as arrays, and the eight joint outcomes that they make."""

from __future__ import annotations

from collections import Counter
from typing import Any

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clearwin as cw
from clearwin.data.arrays import tally_arrays
from clearwin.data.labels import label_counts

# 30 items; 1 is the positive class
TRUTH = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
A = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
B = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

# the eight events of keller2004 Table 1 as (truth, a, b), written out by hand and not taken from the package
EVENTS = {
    "e1": (1, 1, 1),
    "e2": (1, 0, 1),
    "e3": (1, 1, 0),
    "e4": (1, 0, 0),
    "e5": (0, 1, 1),
    "e6": (0, 0, 1),
    "e7": (0, 1, 0),
    "e8": (0, 0, 0),
}


def events(truth: Any, a: Any, b: Any, positive: Any = 1) -> cw.JointCounts:
    """Count the slow, obvious way."""
    seen = Counter(
        (int(y == positive), int(i == positive), int(j == positive)) for y, i, j in zip(truth, a, b, strict=True)
    )
    return cw.JointCounts(**{name: seen[event] for name, event in EVENTS.items()})


def joint(truth: Any, a: Any, b: Any, positive: Any = None) -> cw.JointCounts:
    """Count the way of the package, for a measure of two classes."""
    return label_counts(
        tally_arrays(truth=truth, a=a, b=b),
        positive=positive,
        needs_positive=True,
        any_number_of_classes=False,
        measure="F1",
    ).joint


def compare(truth: Any, a: Any, b: Any, **options: Any) -> cw.results.Comparison:
    """Compare by a test that needs no replicates for its p-value: how answers are read does not depend on it."""
    return cw.compare(truth, a, b, **{"rng": 1, "test": "permutation", "n_resamples": 50, **options})


def recoded(values: list[int], negative: Any, positive: Any) -> list[Any]:
    return [positive if value else negative for value in values]


EXPECTED = events(TRUTH, A, B)
K_TRUTH = ["cat", "dog", "eel", "cat", "dog", "eel", "cat", "cat", "dog", "eel", "cat", "dog"] * 3
K_A = ["cat", "dog", "cat", "cat", "eel", "eel", "dog", "cat", "dog", "dog", "cat", "cat"] * 3
COLUMNS = {"y": TRUTH, "svm": A, "rbf": B, "n": [f"item {i}" for i in range(30)], "truth": [7] * 30}


def duck(columns: dict[str, Any]) -> Any:
    return duckdb.connect().from_arrow(pa.table(columns))


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas, one index for all": lambda columns: pd.DataFrame(columns).set_axis([3] * len(columns["y"])),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "DuckDB": duck,
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
