"""What there is: every measure and every test, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from clearwin.errors import UnknownNameError
from clearwin.measures import REGISTRY as MEASURES
from clearwin.measures import Measure
from clearwin.significance import REGISTRY as TESTS

Listed = TypeVar("Listed")


class Listing(dict[str, Listed]):
    """Records by name, which print as a table of what is ``shown``: heading → the field of a record."""

    def __init__(self, records: Mapping[str, Listed], shown: Mapping[str, str]) -> None:
        super().__init__(records)
        self._rows = [tuple(shown)]
        self._rows += [tuple(_cell(getattr(record, name)) for name in shown.values()) for record in records.values()]

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in self._rows)
        return "\n".join(line.rstrip() for line in lines)


def _cell(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def list_measures() -> Listing[Measure]:
    """Return every registered measure: name → record. It prints as a table.

    >>> import clearwin as cw
    >>> cw.list_measures()["f1"].decomposition
    'none'
    """
    shown = {"measure": "name", "label": "label", "takes": "takes", "better": "better", "sum over": "decomposition"}
    return Listing(MEASURES, shown)


def list_tests(takes: Literal["items", "folds"] = "items") -> Listing[Any]:
    """Return every registered test: name → record. It prints as a table.

    ``takes="folds"`` lists the tests of learners over folds, for :func:`compare_folds` and :func:`cross_compare`.

    >>> import clearwin as cw
    >>> cw.list_tests()["mcnemar"].judges
    ('items',)
    >>> [test.name for test in cw.list_tests("folds").values() if "k-fold" in test.designs]
    ['corrected_t', 'bayes_t']
    """
    if takes not in TESTS:
        raise UnknownNameError("kind of data", takes, TESTS)
    more = {"designs": "designs"} if takes == "folds" else {"takes": "takes", "methods": "methods"}
    return Listing(TESTS[takes], {"test": "name", "label": "label"} | more)


def names_of_tests() -> tuple[str, ...]:
    """Return what `test` can be for items."""
    return ("auto", *TESTS["items"])


def names_of_methods() -> tuple[str, ...]:
    """Return every `method` that some test of items has, in the order of the registry."""
    return tuple(dict.fromkeys(("auto", *(method for test in TESTS["items"].values() for method in test.methods))))


def names_of_intervals() -> tuple[str, ...]:
    """Return every `interval` that some test of items has, in the order of the registry."""
    return tuple(dict.fromkeys(("auto", *(kind for test in TESTS["items"].values() for kind in test.intervals))))
