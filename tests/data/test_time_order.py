"""Times become places, whatever they are written as."""

import datetime

import numpy as np
import pandas as pd
import pytest

from clearwin.data.time_order import time_points
from clearwin.errors import ClearwinError, DataError, NotApplicableError, OptionError

N = 12
DAYS = [datetime.date(2026, 1, 1) + datetime.timedelta(days=i) for i in range(N)]
SHUFFLED = np.random.default_rng(1).permutation(N)


@pytest.mark.parametrize(
    "times",
    [
        DAYS,
        [str(day) for day in DAYS],
        [str(i) for i in range(N)],  # as numbers: 10 comes after 9
        np.arange(N) * 1.5,
        pd.Series(pd.to_datetime(DAYS)),
        np.array(DAYS, dtype="datetime64[D]"),
        [f"2026-01-01T{i:02d}:30:00" for i in range(N)],
    ],
)
def test_places_follow_the_times(times):
    mixed = [times[i] for i in SHUFFLED] if isinstance(times, list) else np.asarray(times)[SHUFFLED]
    assert time_points(mixed).places.tolist() == SHUFFLED.tolist()


def test_items_of_one_time_have_one_place():
    assert time_points([i // 2 for i in range(24)]).places.tolist() == [i // 2 for i in range(24)]


@pytest.mark.parametrize(
    ("error", "words", "given"),
    [
        (DataError, "9 different values", {"order": range(9)}),
        (DataError, "'Jan 0', and texts have no order", {"order": [f"Jan {i}" for i in range(N)]}),
        (DataError, "cannot be sorted", {"order": [*range(N), "x", 3.5]}),
        (DataError, "order is 'day'", {"order": "day"}),
        (DataError, "missing value", {"order": [None, *range(N)]}),
        (DataError, "1 missing value", {"order": pd.Series([pd.NaT, *pd.to_datetime(DAYS)])}),
        (OptionError, "strata were both given", {"order": range(N), "strata": [0] * N}),
        (NotApplicableError, "items of several times", {"order": range(N), "groups": [0, 1] * 6}),
    ],
)
def test_what_has_no_order_is_refused_in_three_parts(error, words, given):
    with pytest.raises(ClearwinError, match=words) as caught:
        time_points(**given)
    assert type(caught.value) is error
    assert caught.value.expected
    assert caught.value.next


def test_groups_within_one_time_are_taken():
    assert time_points([i // 2 for i in range(24)], list(range(24))).places.max() == 11
