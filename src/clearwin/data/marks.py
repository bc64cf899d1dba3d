"""Right/wrong columns in: whether each model was right on each item, where no truth is given.

Accuracy and the error rate ask for nothing else. A mark becomes a decision, the truth of which is always
"right", so each test of decisions applies as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearwin.data.arrays import Label, LabelColumn, Tally, label_codes
from clearwin.data.labels import DECISIONS, RIGHT, WRONG
from clearwin.errors import DataError, setting
from clearwin.measures import Measure

# how evaluation tools write them; of a number, its text without ".0"
MARKS = {
    **dict.fromkeys(("1", "true", "right", "correct", "pass", "passed"), RIGHT),
    **dict.fromkeys(("0", "false", "wrong", "incorrect", "fail", "failed"), WRONG),
}


def mark_of(label: Any) -> str | None:
    """Return "right" or "wrong", whichever a label says; None for any other label.

    >>> mark_of(True), mark_of("0"), mark_of(1.0), mark_of("Correct"), mark_of("spam"), mark_of(0.5)
    ('right', 'wrong', 'right', 'right', None, None)
    """
    return MARKS.get(str(label).strip().lower().removesuffix(".0"))


def are_marks(truth: Any, measure: Measure) -> bool:
    """Return whether the models' columns must say right or wrong: there is no truth, and the measure needs none."""
    return truth is None and measure.judges_marks


def marked_items(models: Mapping[str, Any]) -> tuple[LabelColumn, dict[str, LabelColumn]]:
    """Return a truth of "right" for every item, and each model's marks as decisions."""
    marked = {role: _marked_column(role, values) for role, values in models.items()}
    n = max((column.places.size for column in marked.values()), default=0)
    return LabelColumn(np.full(n, DECISIONS.index(RIGHT)), list(DECISIONS)), marked


def _marked_column(role: str, values: Any) -> LabelColumn:
    places, labels = label_codes(role, values)
    mark_at = np.zeros(len(labels), dtype=np.int64)
    for place in np.unique(places).tolist():  # whole numbers come with all labels between the least and the greatest
        mark_at[place] = DECISIONS.index(_mark(role, labels[place]))
    return LabelColumn(mark_at[places], list(DECISIONS))


def _mark(column: str, label: Label) -> str:
    mark = mark_of(label)
    if mark is None:
        raise DataError(
            f"There is no truth, and {column} holds {label!r}, which says neither right nor wrong.",
            "the truth, or columns of True and False (or 1 and 0) that say whether each model was right",
            setting("truth", "label") + ", or " + setting("measure", "mean") + " for grades of each item",
        )
    return mark


def marked_tally(tally: Tally, columns: Mapping[str, str]) -> dict[tuple[Any, ...], int]:
    """Return a tally of (truth, models, …) from one of models' marks; ``columns`` has each model's role and column.

    >>> marked_tally({("1", "0", "x"): 3, ("true", "0", "x"): 2}, {"a": "svm", "b": "rbf"})
    {('right', 'right', 'wrong', 'x'): 5}
    """
    marked: dict[tuple[Any, ...], int] = {}
    for key, count in tally.items():
        marks = (_mark(column, label) for column, label in zip(columns.values(), key, strict=False))
        decision = (RIGHT, *marks, *key[len(columns) :])
        marked[decision] = marked.get(decision, 0) + count
    return marked
