"""The first rows are read as their whole is."""

from contextlib import nullcontext

import numpy as np
import pandas as pd

from clearwin.data.reading import Reading
from clearwin.data.row_order import MOST_ROWS
from clearwin.measures import find
from clearwin.reading.opening import opened
from clearwin.reading.reading import read_data

RNG = np.random.default_rng(2)
TRUTH, A, B = (RNG.integers(0, 3, size=40) for _ in range(3))


def rows_of(measure, *columns, data=None, **how):
    truth, a, b = columns
    table = nullcontext() if data is None else opened(data)
    with table as data:
        sample, _ = read_data(data, truth, {"a": a, "b": b}, find(measure), Reading(**how))
        return sample.about.in_rows()


def test_decisions_have_their_outcome_and_their_class():
    found = rows_of("macro_f1", TRUTH, A, B)
    joint = found.sample.joint
    assert np.array_equal(joint.truth[found.outcomes], TRUTH)
    assert np.array_equal(joint.b[found.outcomes], B)
    assert np.array_equal(found.kinds, TRUTH)


def test_slices_and_strata_are_kinds():
    strata = np.arange(40) % 2
    found = rows_of("accuracy", TRUTH, A, B, strata=strata)
    assert np.array_equal(found.kinds, np.unique(2 * TRUTH + strata, return_inverse=True)[1])


def test_groups_come_in_the_order_of_their_first_item():
    found = rows_of("macro_f1", TRUTH, A, B, groups=np.arange(40) // 4)
    assert found.sample.sampling.unit == "time point"
    assert found.sample.sampling.n_units == found.kinds.size == 10


def test_a_column_or_an_index_of_dates_says_the_order():
    days = pd.date_range("2026-01-01", periods=40)
    frame = pd.DataFrame({"y": TRUTH, "a": A, "b": B, "day": days})
    mixed = frame.sample(frac=1, random_state=1)
    for data, times in ((mixed, "day"), (mixed.set_index("day"), None)):
        found = rows_of("macro_f1", "y", "a", "b", data=data)
        assert found.times == times
        assert np.array_equal(found.sample.joint.truth[found.outcomes], TRUTH)


def test_only_the_first_rows_are_looked_at():
    many = RNG.integers(0, 2, size=(3, MOST_ROWS + 10))
    assert rows_of("f1", *many).outcomes.size == MOST_ROWS


def test_lazy_frames_have_no_order_of_rows():
    import polars as pl

    assert rows_of("macro_f1", "y", "a", "b", data=pl.LazyFrame({"y": TRUTH, "a": A, "b": B})) is None


def test_classes_that_are_many_are_no_kinds():
    """Then every row is of one kind, and none is without."""
    truth = np.arange(120)
    assert rows_of("accuracy", truth, truth, truth[::-1]).kinds.tolist() == [0] * 120
