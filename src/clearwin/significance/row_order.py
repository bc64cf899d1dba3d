"""Are the rows in time order? Items that resemble those before them vary together, unlike independent ones.

What each item adds to the difference is looked at in the order of the rows (``numerics/serial_correlation.py``), after
what classes, strata and slices explain. A file that is sorted by an answer, or by the difference, says nothing of time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearwin.counts import Counts
from clearwin.data.questions import Question
from clearwin.data.row_order import ItemsInRows, numbered
from clearwin.data.samples import DecisionSample
from clearwin.data.values import ValueSample, without_rounding
from clearwin.numerics.arrays import Floats
from clearwin.numerics.serial_correlation import resemble_neighbours
from clearwin.resampling.contributions import contributions
from clearwin.resampling.functionals import OfDecisions, has_functional
from clearwin.results.caveats import Caveat, caveat
from clearwin.streams import Purpose

FEW_VALUES = 0.2  # of the rows: a column with fewer different values is sorted where equal ones stand together


def in_time_order(question: Question[Any], *, single: bool = False) -> tuple[Caveat, ...]:
    """Ask whether the rows are in time order, where they resemble those before them."""
    rows = question.sample.about.in_rows
    found = rows() if rows is not None else None
    numbers = None if found is None else _added(found, single=single)
    if found is None or numbers is None:
        return ()
    if not resemble_neighbours(numbers, found.kinds, question.seed.stream(Purpose.ROW_ORDER, 0)) or _are_sorted(
        found, numbers
    ):
        return ()
    return (caveat("time_order", what="value" if single else "difference", column=found.times),)


def _added(rows: ItemsInRows, *, single: bool) -> Floats | None:
    """Return what each item, or group, adds to the difference or to a model's value; None if that is not known."""
    sample, measure = rows.sample, rows.measure
    if isinstance(sample, ValueSample) and measure.is_mean and sample.grouping.groups is not None:
        numbers = sample.a if single else sample.differences
        gaps = without_rounding(numbers - numbers.mean(), np.abs(numbers))
        return np.bincount(sample.grouping.groups, gaps).astype(np.float64)
    if not has_functional(sample, measure):
        return None
    if rows.outcomes is not None and isinstance(sample, DecisionSample):
        found = OfDecisions(sample.joint, measure, single=single, weight=1.0)
        return np.asarray(found.influence(found.times[:, None])[found.places(sample.joint)[rows.outcomes], 0])
    added = contributions(sample, measure, single=single)
    return None if added is None else added.at(added.observed)[0][np.argsort(added.strata, kind="stable")]


def _are_sorted(rows: ItemsInRows, numbers: Floats) -> bool:
    """Return whether the rows are sorted by a model's answers, or by what they add, within each of their kinds."""
    order = np.argsort(rows.kinds, kind="stable")
    ends = np.flatnonzero(np.diff(rows.kinds[order])) + 1
    columns = (numbered(column, order.size) for column in (*rows.columns, numbers))
    return any(_is_sorted(np.split(column[order], ends)) for column in columns if column is not None)


def _is_sorted(parts: list[Counts]) -> bool:
    steps = [np.diff(part) for part in parts]
    if not any(step.any() for step in steps):
        return False
    together = all(
        np.count_nonzero(step) + 1 == np.unique(part).size <= max(FEW_VALUES * part.size, 1)
        for part, step in zip(parts, steps, strict=True)
    )
    return together or all((step >= 0).all() for step in steps) or all((step <= 0).all() for step in steps)
