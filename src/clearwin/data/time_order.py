"""When each item was seen: numbers or dates become places among all times, and items of one time belong together."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from clearwin.data.clusters import TimePoints, codes, columns_of_groups, split_group
from clearwin.errors import DataError, NotApplicableError, OptionError, setting
from clearwin.text import as_number

FEWEST_TIMES = 10
DATES = "numbers, or dates and times as 2026-01-31 or 2026-01-31T12:00:00"


def time_points(order: Any, groups: Any = None, strata: Any = None) -> TimePoints:
    """Return the place of each item's time; items of one group must have one time, and strata are refused.

    >>> time_points(["2026-02-01", "2026-01-31", "2026-01-31", *(f"2026-03-{day}" for day in range(10, 19))]).places
    array([ 1,  0,  0,  2,  3,  4,  5,  6,  7,  8,  9, 10])
    """
    if strata is not None:
        raise OptionError(
            "order and strata were both given, and test sets with fixed strata have no order.",
            "one of them",
            "leave the strata out",
        )
    if isinstance(order, str | bytes) or np.ndim(order) == 0:
        raise DataError(
            f"order is {order!r}.", "when each item was seen, one value for each", f"order=frame[{order!r}]"
        )
    if getattr(getattr(order, "dtype", None), "kind", "") == "M" and hasattr(order, "astype"):
        order = np.asarray(order).astype("datetime64[ns]")
        if np.isnat(order).any():
            raise _missing(int(np.isnat(order).sum()))
        order = order.view(np.int64)
    n = len(order)
    first_come, times = codes(order, "order", n)
    if len(times) < FEWEST_TIMES:
        raise DataError(
            f"order has {len(times)} different values, and serial correlation cannot be estimated from so few times.",
            f"at least {FEWEST_TIMES} times, ideally 100 or more",
            "leave the order out, or " + setting("groups") + " for a few periods whose items belong together",
        )
    place = np.empty(len(times), dtype=np.int64)
    place[_sorted(times)] = np.arange(len(times))
    found = place[first_come]
    for column in [] if groups is None else columns_of_groups(groups):
        fine, names = codes(column, "groups", n)
        where = split_group(fine, found)
        if where is not None:
            raise NotApplicableError(
                f"Group {names[where]!r} has items of several times, so groups and times cross each other.",
                "groups that lie within one time each, or one of the two",
                "leave the groups out, or leave the order out",
            )
    return TimePoints(found)


def _missing(count: int) -> DataError:
    return DataError(f"order has {count:,} missing values.", "a time for every item", setting("missing", "drop"))


def _sorted(times: list[Hashable]) -> Any:
    """Return the places of distinct times in rising order; raise if they have none."""
    keys: list[Any] = list(times)
    if all(isinstance(time, str) for time in times):
        readers: tuple[Callable[[str], Any], ...] = (as_number, _as_date)
        read = [[reader(str(time)) for time in times] for reader in readers]
        keys = next((found for found in read if None not in found), [])
        if not keys:
            wrong = next(time for time, *both in zip(times, *read, strict=True) if None in both)
            raise DataError(
                f"order holds {wrong!r}, and texts have no order in time.",
                DATES,
                "give the number of each item instead",
            )
    try:
        return sorted(range(len(keys)), key=keys.__getitem__)
    except TypeError:
        kinds = ", ".join(sorted({type(time).__name__ for time in times}))
        raise DataError(
            f"order holds values that cannot be sorted ({kinds}).",
            DATES,
            "give values of one kind, all with or without a time zone",
        ) from None


def _as_date(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
