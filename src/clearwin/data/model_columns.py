"""Which columns of a table are models: those that are named, that match a pattern, or that hold answers.

For a measure of decisions, answers are labels that the truth also has; for scores and values, they are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from numbers import Real
from typing import Any

from clearwin.data.arrays import is_missing
from clearwin.data.frames import frame_and_columns
from clearwin.data.marks import mark_of
from clearwin.errors import OptionError, UnknownNameError, setting
from clearwin.measures import Measure
from clearwin.results.caveats import Caveat, caveat
from clearwin.text import as_number, other_number

LOOKED_AT = 20_000  # rows
# how people call them, the surest first
TRUTHS = (
    "truth",
    "gold",
    "ground_truth",
    "groundtruth",
    "y_true",
    "true_label",
    "gold_label",
    "label",
    "labels",
    "target",
    "actual",
    "reference",
    "true",
    "class",
    "diagnosis",
    "outcome",
    "status",
    "y",
    "answer",
    "expected",
    "key",
)
IDS = ("id", "uid", "doc", "item", "index", "key_id", "doc_id", "item_id", "name", "key", "")


@dataclass(frozen=True)
class ModelColumns:
    """The columns that are models, and those that were left out if nobody had named any."""

    names: tuple[Any, ...]
    left_out: tuple[str, ...] = ()
    columns: Mapping[Any, Any] = field(default_factory=dict)  # of a name, where its column is called otherwise

    @property
    def by_name(self) -> dict[Any, Any]:
        """The column of each name."""
        return {name: self.columns.get(name, name) for name in self.names}

    def caveats(self, measure: Measure, truth: Any) -> tuple[Caveat, ...]:
        """Return the caveats about columns that were left out."""
        if not self.left_out:
            return ()
        return (caveat("columns_left_out", answers=_answers(measure, truth), columns=self.left_out),)


def named_columns(
    known: Sequence[Any], wanted: Sequence[str], besides: Sequence[Any] = (), of: str = "column"
) -> ModelColumns:
    """Return the columns of these names; of a pattern with * or ? all that it matches, in the order of the table.

    >>> named_columns(["y", "bert-1", "bert-2", "lr"], ["lr", "bert*"], ["y"]).names
    ('lr', 'bert-1', 'bert-2')
    """
    found: dict[Any, None] = {}
    for name in wanted:
        if name in known:
            matching = [name]
        else:
            matching = [one for one in known if one not in besides and fnmatchcase(str(one), name)]
        if not matching:
            raise UnknownNameError(of, name, [str(one) for one in known])
        if wanted.count(name) > 1:
            raise OptionError(f"{name!r} is named more than once.", "a different column for each model")
        found |= dict.fromkeys(matching)
    return ModelColumns(tuple(found))


def columns_with_answers(
    columns: Mapping[Any, Sequence[Any]], truth: Any, besides: Sequence[Any], measure: Measure
) -> ModelColumns:
    """Return the columns that may well be models, judged by some of their values; None is a missing one.

    >>> from clearwin.measures import find
    >>> columns = {"id": ["a", "b", "c"], "y": [1, 0, 1], "svm": [1, 1, 0], "rbf": [0, 0, 1]}
    >>> columns_with_answers(columns, "y", ["y"], find("f1"))
    ModelColumns(names=('svm', 'rbf'), left_out=('id',), columns={})
    """
    others = {name: [x for x in values if x is not None] for name, values in columns.items() if name not in besides}
    if measure.needs_numbers:
        names = [name for name, values in others.items() if _are_numbers(values) and not _are_ids(name, values)]
    elif truth is None:
        names = [name for name, values in others.items() if values and all(map(mark_of, _labels(values)))]
    else:
        true = _labels(columns[truth])
        names = [name for name, values in others.items() if 2 * len(_labels(values) & true) >= len(_labels(values)) > 0]
    if len(names) < 2:
        one_or_none = "Only one column holds" if names else "None of the other columns holds"
        raise OptionError(
            f"{one_or_none} {_answers(measure, truth)}.",
            "two models or more",
            setting("models", ["svm", "rbf"]),
        )
    return ModelColumns(tuple(names), tuple(str(name) for name in others if name not in names))


def _answers(measure: Measure, truth: Any) -> str:
    if measure.needs_numbers:
        return "numbers"
    return "right and wrong, as True and False or 1 and 0" if truth is None else "labels of the truth"


def _labels(values: Sequence[Any]) -> set[Any]:
    """Return the different values; lists and tables are not labels."""
    return {value for value in values if isinstance(value, Hashable)}


def _are_numbers(values: Sequence[Any]) -> bool:
    """Whether all are numbers; those that were not written plainly are refused where they are read, not left out."""
    return bool(values) and all(
        _number(value) is not None or (isinstance(value, str) and other_number(value) is not None) for value in values
    )


def _number(value: Any) -> float | None:
    """Return the number that is meant, in a frame or in the text of a file."""
    if isinstance(value, bool) or not isinstance(value, Real | str):
        return None
    return as_number(value) if isinstance(value, str) else float(value)


def _are_ids(name: Any, values: Sequence[Any]) -> bool:
    """Whether whole numbers without a repetition are called like ids, or count the rows."""
    known = [number for number in map(_number, values) if number is not None]
    if len(set(known)) < len(known) or not all(math.isfinite(x) and x == math.floor(x) for x in known):
        return False
    called = written_plainly(name)
    return called in IDS or called.endswith("_id") or called.startswith("unnamed") or _count(known)


def written_plainly(name: Any) -> str:
    """Return a name in small letters, with underscores."""
    return str(name).lower().replace(" ", "_").replace("-", "_")


def columns_like_truth(frame: Any) -> dict[Any, list[Any]]:
    """Return the first values of a frame's columns that are called like a truth."""
    table, known = frame_and_columns(frame)
    called = [name for name in known if written_plainly(name) in TRUTHS]
    return first_values(table, called) if called else {}


def refuse_forgotten_truth(columns: Mapping[Any, Sequence[Any]], used: Sequence[Any]) -> None:
    """Raise if right/wrong columns stand beside a column that is called like a truth and holds the same values.

    Without the truth, decisions of 1 and 0 would be taken for right and wrong.
    """
    for name, values in columns.items():
        labels = _labels([x for x in values if x is not None])
        if name not in used and written_plainly(name) in TRUTHS and labels and all(map(mark_of, labels)):
            raise OptionError(
                f"No truth was given, and the column {name} is called like one and holds nothing but 1 and 0.",
                "the truth, for decisions; or right/wrong columns without such a column beside them",
                setting("truth", str(name)) + f", or rename {name} if it is something else",
            )


def _count(numbers: Sequence[float]) -> bool:
    return len(numbers) > 2 and max(numbers) - min(numbers) == len(numbers) - 1


def model_columns(frame: Any, models: Any, truth: str | None, besides: Sequence[Any], measure: Measure) -> ModelColumns:
    """Return the columns of a frame that are models: as named, or all that hold answers if ``models`` is None."""
    table, known = frame_and_columns(frame)
    taken = [name for name in (truth, *besides) if name is not None]
    if models is not None:
        wanted = [models] if isinstance(models, str) else models
        if not isinstance(wanted, list | tuple) or not all(isinstance(x, str) for x in wanted):
            raise OptionError(
                f"models is {models!r}.",
                'names of columns of the frame, or patterns such as "bert*"',
                setting("models", ["svm", "rbf"]),
            )
        return named_columns(known, wanted, taken)
    for name in taken:
        if name not in known:
            raise UnknownNameError("column", name, [str(one) for one in known])
    return columns_with_answers(first_values(table, known), truth, taken, measure)


def first_values(table: Any, columns: Sequence[Any]) -> dict[Any, list[Any]]:
    """Return the first values of columns of a frame as narwhals has it; None is a missing one."""
    first = table.head(LOOKED_AT)
    rows = first.collect() if hasattr(first, "collect") else first
    return {name: [None if is_missing(x) else x for x in rows.get_column(name).to_list()] for name in columns}
