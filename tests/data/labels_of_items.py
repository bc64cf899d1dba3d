"""Several labels for each item, and what is said when they are spoilt."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from clearwin.data.label_sets import LabelSets, read_label_sets
from clearwin.errors import ClearwinError, DataError

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


def refusal(*data: Any, error: type[ClearwinError] = DataError, **options: Any) -> str:
    with pytest.raises(error) as caught:
        read_label_sets(*data, **options)
    assert caught.value.what
    assert caught.value.expected
    assert caught.value.next
    return str(caught.value)


EXPECTED = LabelSets(tuple(range(12)), 40, *(np.array(codes(table)) for table in DENSE))
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
