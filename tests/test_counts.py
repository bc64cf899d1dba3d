"""Joint counts: what is one, and what is refused."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clearwin as cw
from tests.data.labelled import EVENTS

ONES = dict.fromkeys(EVENTS, 1)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -1,
        -0.5,
        0.5,
        np.float32(2.5),
        True,
        False,
        np.True_,
        None,
        "x",
        "3",
        b"3",
        [1],
        np.array([1, 2]),
        3 + 0j,
        pd.NA,
        pd.NaT,
        decimal.Decimal("1.5"),
        decimal.Decimal("NaN"),
        {},
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("event", ["e1", "e8"])
def test_counts_that_are_no_counts(value: Any, event: str) -> None:
    with pytest.raises(cw.errors.DataError, match=f"{event} is") as caught:
        cw.JointCounts(**{**ONES, event: value})
    assert "a whole number from 0 to" in caught.value.expected


@pytest.mark.parametrize("value", [0, 3, 3.0, np.int8(3), np.uint64(3), np.float64(3), 2**40, 4_000_000_000])
def test_counts_that_are(value: Any) -> None:
    assert cw.JointCounts(**{**ONES, "e1": value}).events == {**ONES, "e1": int(value)}


@pytest.mark.parametrize("value", [2**53 + 1, 2**63, 2**64, 10**30, 1e300])
def test_counts_too_large_for_a_float_to_hold_them_exactly(value: Any) -> None:
    with pytest.raises(cw.errors.DataError, match="e1"):
        cw.JointCounts(**{**ONES, "e1": value})


def test_all_items_together_are_no_more_than_a_float_holds_exactly() -> None:
    halves = {**dict.fromkeys(EVENTS, 0), "e1": 2**52, "e8": 2**52}
    assert cw.JointCounts(**halves).n == 2**53
    with pytest.raises(cw.errors.DataError, match="The counts overflow"):
        cw.JointCounts(**{**halves, "e2": 1})


def test_counts_whose_sum_is_too_large_for_64_bits() -> None:
    with pytest.raises(cw.errors.DataError):
        cw.compare(cw.JointCounts(**{**ONES, "e1": 2**62, "e2": 2**62, "e4": 2**62}), measure="accuracy")


def test_counts_that_are_all_0() -> None:
    with pytest.raises(cw.errors.DataError, match="All counts are 0"):
        cw.JointCounts(**dict.fromkeys(EVENTS, 0))


def test_counts_must_be_joint_counts() -> None:
    for thing in (ONES, [1] * 8, np.ones(8), None):
        with pytest.raises(cw.errors.DataError, match="a is None"):
            cw.compare(thing)


def test_the_order_of_the_rows_changes_nothing():
    """A tally is a set of counts: the same items in another order draw the same replicates."""
    rng = np.random.default_rng(3)
    truth, a, b = (np.array(["ham", "spam", "eggs"])[rng.integers(0, 3, 200)] for _ in range(3))
    order = rng.permutation(200)

    def asked(*columns):
        study = {"test_size": 40, "n_sets": 3, "n_resamples": 20, "rng": 1}
        test = {"measure": "macro_f1", "test": "permutation", "n_resamples": 50, "rng": 1}
        return cw.study(*columns, measure="macro_f1", **study).to_json(), cw.compare(*columns, **test).to_json()

    assert asked(truth, a, b) == asked(truth[order], a[order], b[order])
