"""Counts per item in: how many true spans a sentence has, how many a model predicted, how many of these are right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearwin.counts import Counts
from clearwin.errors import DataError, first_few

RULE = "whole numbers, 0 or more, one for each item"


def read_sums(truth: Any, models: Mapping[str, Any]) -> list[Counts]:
    """Return the true counts, and for each model a table of (right, predicted) counts.

    A model's counts are a table of two columns, or two columns: right ones first, then predicted ones.

    >>> gold, a, b = read_sums([2, 3], {"a": [[1, 2], [3, 4]], "b": ([2, 3], [2, 3])})
    >>> a.tolist(), b.tolist()
    ([[1, 2], [3, 4]], [[2, 2], [3, 3]])
    """
    gold = _whole("truth", truth)
    if gold.ndim != 1 or not gold.size:
        raise DataError(f"truth has shape {gold.shape}.", f"the number of true spans: {RULE}")
    tables = []
    for role, values in models.items():
        table = _table(role, values, gold.size)
        for column, limit, words in ((0, table[:, 1], "predicted"), (0, gold, "true")):
            wrong = np.flatnonzero(table[:, column] > limit)
            if wrong.size:
                raise DataError(
                    f"{role} has more right spans than {words} ones at position(s) {first_few(wrong, wrong.size)}.",
                    "the columns (right, predicted) of each model, and the true ones as truth",
                    "look whether the columns are in this order",
                )
        tables.append(table)
    return [gold, *tables]


def _table(role: str, values: Any, n: int) -> Counts:
    # a tuple or list of two columns, unless there are two items and it reads as a table
    if isinstance(values, tuple) or (isinstance(values, list) and len(values) == 2 and n != 2):
        values = np.stack([_whole(role, column) for column in values], axis=1)
    table = _whole(role, values)
    if table.shape != (n, 2):
        raise DataError(
            f"{role} has shape {table.shape} for {n:,} items.",
            "two columns, right and predicted, with a row for each item",
            f"{role}=(right, predicted)",
        )
    return table


def _whole(role: str, values: Any) -> Counts:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{role} holds something that is not a number.", RULE) from None
    wrong = np.argwhere(~(numbers >= 0) | (numbers != np.floor(numbers)) | (numbers > 2**53))
    if wrong.size:
        where = ", ".join(str(i) for i in wrong[0].tolist())
        raise DataError(f"{role}[{where}] is {numbers[tuple(wrong[0])]:g}.", RULE)
    return numbers.astype(np.int64)
