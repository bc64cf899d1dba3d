"""The first items in the order of their rows, to see whether they resemble those before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.counts import Counts
from clearwin.data.arrays import label_codes, taken
from clearwin.data.clusters import TimePoints, codes
from clearwin.data.labels import label_counts
from clearwin.data.samples import DecisionSample, Sample
from clearwin.measures import Measure

MOST_ROWS = 5_000  # that are looked at
MOST_KINDS = 100  # of one column: more are numbers, not kinds


@dataclass(frozen=True, eq=False)
class ItemsInRows:
    """A sample of the first items. Every row, or every group, is a time point, or has its outcome in ``outcomes``.

    ``kinds`` are what is known to differ between them, such as classes, slices and strata. A file may be sorted by the
    answers in ``columns``. ``times`` is what the column of times is called, if there is one.
    """

    sample: Sample
    measure: Measure
    kinds: Counts
    columns: tuple[Any, ...] = ()
    outcomes: Counts | None = None
    times: str | None = None


@dataclass(frozen=True, eq=False)
class FirstRows:
    """The columns of the first rows: truth and models, groups, and what else is known of each item."""

    n: int
    truth: Any
    models: Mapping[str, Any]
    groups: Any
    others: tuple[Any, ...]


def first_rows(
    n: int, truth: Any, models: Mapping[str, Any], besides: tuple[Any, ...], times: Any, *, pairs: bool
) -> FirstRows:
    """Return the first rows of ``n``, in the order of the times, of an index of dates, or else as they come.

    ``besides`` are groups, strata and slices; ``pairs`` says that a model is two columns.
    """
    columns = [truth, *models.values(), *besides]
    if times is None:
        indexes = (getattr(column, "index", None) for column in columns)
        times = next((index for index in indexes if getattr(getattr(index, "dtype", None), "kind", "") == "M"), None)
    if n > MOST_ROWS or times is not None:
        order = np.arange(n) if times is None else np.argsort(np.asarray(times), kind="stable")
        columns = [taken(column, order[:MOST_ROWS], pairs=pairs) for column in columns]
    truth, *answers = columns[: 1 + len(models)]
    groups, *others = columns[1 + len(models) :]
    return FirstRows(min(n, MOST_ROWS), truth, dict(zip(models, answers, strict=True)), groups, tuple(others))


def of_decisions(rows: FirstRows, measure: Measure, positive: Any) -> ItemsInRows:
    """Take one decision for each item: what it adds depends on its outcome alone."""
    columns = {"truth": rows.truth, **rows.models}
    coded = [label_codes(role, values) for role, values in columns.items()]
    outcome = np.zeros(rows.n, dtype=np.int64)
    for places, labels in coded:
        outcome = outcome * len(labels) + places
    _, first, outcome = np.unique(outcome, return_index=True, return_inverse=True)
    keys = [tuple(labels[places[row]] for places, labels in coded) for row in first.tolist()]
    labelled = label_counts(
        dict(zip(keys, np.bincount(outcome).tolist(), strict=True)),
        positive=positive,
        needs_positive=measure.needs_positive,
        any_number_of_classes=measure.any_number_of_classes,
        measure=measure.label,
    )
    joint = labelled.joint
    known = np.array(labelled.places, dtype=np.int64)[outcome]
    kinds = _together(rows.n, joint.truth[known], *(numbered(column, rows.n) for column in rows.others))
    answers = (joint.a[known], joint.b[known])
    return ItemsInRows(DecisionSample(joint), measure, kinds, answers, known)


def of_items(
    rows: FirstRows, read: Callable[[Any, Mapping[str, Any], TimePoints], tuple[Sample, Measure]]
) -> ItemsInRows:
    """Read the rows, or the groups in the order in which they come, as time points."""
    places = np.arange(rows.n) if rows.groups is None else codes(rows.groups, "groups", rows.n)[0]
    sample, measure = read(rows.truth, rows.models, TimePoints(places))
    first = np.unique(places, return_index=True)[1]
    kinds = _together(rows.n, *(numbered(column, rows.n) for column in (rows.truth, *rows.others)))[first]
    return ItemsInRows(sample, measure, kinds, () if rows.groups is not None else tuple(rows.models.values()))


def _together(n: int, *columns: Counts | None) -> Counts:
    """Number what is known to differ between rows: class, stratum and slice together, if they are few."""
    kinds = np.zeros(n, dtype=np.int64)
    for column in columns:
        if column is not None and column.max() < MOST_KINDS:
            kinds = np.unique(kinds * MOST_KINDS + column, return_inverse=True)[1]
    return kinds


def numbered(column: Any, n: int) -> Counts | None:
    """Number the values of a column in rising order; None for what is not one value for each row."""
    if column is None:
        return None
    try:
        values = np.asarray(column)
        places = np.unique(values, return_inverse=True)[1] if values.shape == (n,) else None
    except (TypeError, ValueError):  # values of several kinds, or lists
        return None
    return None if places is None else np.asarray(places, dtype=np.int64)
