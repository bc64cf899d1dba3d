"""Columns are matched by position: two pandas indexes with the same labels in another order are refused, everywhere.

Every verb looks through all that it was given, so a setting that takes a column is covered without being named here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

from clearwin.errors import DataError

P = ParamSpec("P")
R = TypeVar("R")
OF_OTHER_ITEMS = ("dev", "test_set")  # settings that are about other items than the rest
MOST_COLUMNS = 1_000  # in a list; a longer one holds items


def matched_by_position(*apart: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a verb refuse shuffled indexes in whatever it is given; ``apart`` names parameters about other items."""

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        positions = list(inspect.signature(verb).parameters)

        @functools.wraps(verb)
        def checked(*args: P.args, **given: P.kwargs) -> R:
            arguments = dict(zip(positions, args, strict=False)) | given
            alone = {name: arguments.pop(name) for name in OF_OTHER_ITEMS if name in arguments}
            others = {name: arguments.pop(name) for name in apart if name in arguments}
            for columns in (arguments, others, *({name: value} for name, value in alone.items())):
                refuse_shuffled_indexes(columns)
            return verb(*args, **given)

        return checked

    return decorate


def refuse_shuffled_indexes(columns: Mapping[str, Any]) -> None:
    """Raise if two pandas objects have the same index in another order: they are surely not meant to be so."""
    orders: list[tuple[str, Any]] = []
    for name, value in (indexed for role, column in columns.items() for indexed in _indexed(role, column)):
        index = value.index.to_pandas() if hasattr(value.index, "to_pandas") else value.index  # on an accelerator
        if any(index.equals(known) for _, known in orders):
            continue
        first = next((role for role, known in orders if len(known) == len(index) and set(known) == set(index)), None)
        if first is not None:
            raise DataError(
                f"The Series {first} and {name} have the same index in a different order.",
                "items in the same order; arrays are matched by position, as in scikit-learn",
                f"{name} = {name}.loc[{first}.index]"
                if index.is_unique
                else "the rows of both in one order, and .reset_index(drop=True) on each",
            )
        orders.append((name, index))


def _indexed(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the pandas objects in a value, with what to call them; of lazy frames nobody knows the index."""
    if hasattr(value, "iloc") and hasattr(value, "index"):
        if not hasattr(value, "__dask_graph__"):
            yield name, value
    elif isinstance(value, Mapping):
        for key, column in value.items():
            yield from _indexed(f"{name}[{key!r}]", column)
    elif isinstance(value, list | tuple) and len(value) <= MOST_COLUMNS:
        for place, column in enumerate(value):
            yield from _indexed(f"{name}[{place}]", column)
