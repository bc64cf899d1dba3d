"""What there is: every measure and every test, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from clearwin.measures import REGISTRY as MEASURES
from clearwin.measures import Measure
from clearwin.significance import REGISTRY as TESTS
from clearwin.significance import Test
from clearwin.significance.folds import fold_tests
from clearwin.significance.folds.base import FoldTest

Listed = TypeVar("Listed")


class Listing(dict[str, Listed]):
    """Records by name, which print as a table."""

    def __init__(self, records: Mapping[str, Listed], row: Callable[[Any], tuple[str, ...]], *head: str) -> None:
        super().__init__(records)
        self._rows = [head, *(row(record) for record in records.values())]

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in self._rows)
        return "\n".join(line.rstrip() for line in lines)


def list_measures() -> Listing[Measure]:
    """Return every registered measure: name → record. It prints as a table.

    >>> import clearwin as cw
    >>> cw.list_measures()["f1"].decomposition
    'none'
    """

    def row(measure: Measure) -> tuple[str, ...]:
        better = "higher" if measure.higher_is_better else "lower"
        return measure.name, measure.label, measure.takes, better, measure.decomposition

    return Listing(MEASURES, row, "measure", "label", "takes", "better", "sum over")


def list_tests(takes: Literal["items", "folds"] = "items") -> Listing[Any]:
    """Return every registered test: name → record. It prints as a table.

    ``takes="folds"`` lists the tests of learners over folds, for :func:`compare_folds` and :func:`cross_compare`.

    >>> import clearwin as cw
    >>> cw.list_tests()["mcnemar"].judges
    ('items',)
    >>> [test.name for test in cw.list_tests("folds").values() if "k-fold" in test.designs]
    ['corrected_t', 'bayes_t']
    """
    if takes == "folds":
        return Listing(fold_tests(), _fold_row, "test", "label", "designs")
    return Listing(TESTS, _row, "test", "label", "takes", "methods")


def _row(test: Test) -> tuple[str, ...]:
    return test.name, test.label, ", ".join(test.takes), ", ".join(test.methods)


def _fold_row(test: FoldTest) -> tuple[str, ...]:
    return test.name, test.label, ", ".join(test.designs)
