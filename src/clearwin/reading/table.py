"""Tables: what holds the answers on many items in columns, whoever made it.

A role is what a column is for: ``truth``, the models, and ``group``, ``stratum`` or ``slice``. A role of label sets
or of counts takes several columns, or a pattern for columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from clearwin.data.arrays import GROUP_ROLES
from clearwin.data.label_sets import LabelSets
from clearwin.data.model_columns import ModelColumns
from clearwin.data.reading import Read, Reading
from clearwin.measures import Measure
from clearwin.numerics.arrays import Ints
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Disagreement


@dataclass(frozen=True, eq=False)
class Tallied:
    """How many items have each combination of labels; ``extra`` says what the keys carry besides."""

    counts: Mapping[tuple[Any, ...], int]
    extra: tuple[str, ...]
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, eq=False)
class LabelledItems:
    """Label sets, and what each of the items belongs to."""

    sets: LabelSets
    groups: list[Any]
    strata: Any = None
    order: Any = None
    by: Any = None
    ids: Sequence[Any] | None = None


@dataclass(frozen=True, eq=False)
class AnsweredItems:
    """The truth and every model's answers: distinct rows, and how many ``items`` each is, or one row for each item."""

    truth: Any
    models: Mapping[str, Any]
    items: Ints | None
    groups: list[Any]
    strata: Any = None
    caveats: tuple[Caveat, ...] = ()


class Table(ABC):
    """Answers in columns."""

    labels_are_text = False
    first_row = 0  # how rows are counted
    id: str | None = None  # the column that names the items

    @property
    def given(self) -> Any:
        """What a verb takes as ``data`` to open this table again, where that can be written down."""
        return None

    @abstractmethod
    def known(self) -> list[Any]:
        """Return the names of the columns."""

    @abstractmethod
    def names(self, truth: Any, models: Mapping[str, Any], how: Reading) -> tuple[str, ...]:
        """Return what to call each model."""

    def has_truth(self, truth: Any, models: Mapping[str, Any], measure: Measure) -> bool:
        """Whether there is a truth: a column of it need not be named where it can be no other."""
        return truth is not None

    @abstractmethod
    def model_columns(self, models: Any, truth: Any, besides: Sequence[Any], measure: Measure) -> ModelColumns:
        """Return the columns of many models: as named, or all that hold answers where ``models`` is None."""

    def has_both(self, b: Any) -> bool:
        """Whether there is a second model: its column need not be named where it can be no other."""
        return b is not None

    def label(self, value: Any) -> Any:
        """Return a label as the table has it."""
        return value

    @abstractmethod
    def counts(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> bool:
        """Whether what is asked for can be counted where the rows are."""

    @abstractmethod
    def tally(self, columns: Mapping[str, Any], missing: str) -> Tallied:
        """Count the rows with each combination of labels."""

    @abstractmethod
    def fetched(self, columns: Mapping[str, Any], how: Reading) -> dict[str, Any]:
        """Return the columns of each role, one value for each item; ``groups`` as a list, ``strata`` and ``order``."""

    def like_truth(self) -> Mapping[Any, Sequence[Any]]:
        """Return some values of the columns that are called like a truth."""
        return {}

    def label_sets(
        self, roles: Mapping[str, Any], how: Reading, by: Any = None, *, with_ids: bool = False
    ) -> LabelledItems | None:
        """Return several labels for each item where the columns are read as such here; None where they are not."""
        return None

    def answers(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> AnsweredItems | None:
        """Return the answers of many models, if they are put together here; else None."""
        return None

    def differing(
        self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading, ids: Any
    ) -> list[Disagreement] | None:
        """Return the items with different decisions, if they are found here; else None."""
        return None

    def binned(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Any:
        """Return the scores counted in bins; None where exact ones are to be read."""
        return None

    def with_rows(self, read: Read, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
        """Attach a way to read the first rows again in their order, if they have one."""
        return read

    @contextmanager
    def again(self) -> Iterator[Table]:
        """Yield the table, which is opened again if it was closed."""
        yield self


def extra_columns(how: Reading, by: Any = None) -> dict[str, Any]:
    """Return the role of each column that says what items belong to."""
    groups = how.groups
    named = [] if groups is None else list(groups) if isinstance(groups, list | tuple) else [groups]
    found = dict(zip(GROUP_ROLES, named, strict=False)) | {"order": how.order, "stratum": how.strata, "slice": by}
    return {role: column for role, column in found.items() if column is not None}


def without_star(pattern: str) -> str:
    """Return what a pattern calls the model: svm for svm_* and *_svm.

    >>> without_star("svm_*"), without_star("is_*_by_svm"), without_star("*")
    ('svm', 'is by_svm', '*')
    """
    parts = [part.strip(" _-.:/") for part in pattern.split("*")]
    return " ".join(part for part in parts if part) or pattern
