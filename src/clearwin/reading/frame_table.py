"""Frames of any engine as tables: what can be counted is counted where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from clearwin.data.arrays import EXTRA_ROLES, GROUP_ROLES
from clearwin.data.binned_scores import bin_scores, number_of_bins, rows_of
from clearwin.data.frames import (
    count_label_columns,
    fetch_columns,
    frame_and_columns,
    hold_collections,
    tally_complete_rows,
    tally_frame,
)
from clearwin.data.label_sets import label_sets as read_label_tables
from clearwin.data.label_tables import named_table, packed_table, true_cells
from clearwin.data.model_columns import ModelColumns, columns_like_truth, model_columns
from clearwin.data.reading import Read, Reading, can_bin, rows_of_frame, with_rows
from clearwin.errors import OptionError, UnknownNameError
from clearwin.measures import Measure
from clearwin.reading.table import LabelledItems, Table, Tallied, extra_columns, without_star
from clearwin.text import composed


class FrameTable(Table):
    """A frame that narwhals knows."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def known(self) -> list[Any]:
        """Return the names of the columns."""
        return frame_and_columns(self.frame)[1]

    def names(self, truth: Any, models: Mapping[str, Any], how: Reading) -> tuple[str, ...]:
        """Return the names of the models' columns, or their roles where they have several or the same."""
        shown = tuple(without_star(name) if self._is_pattern(name) else name for name in models.values())
        named = all(isinstance(name, str | int) and name != "" for name in shown) and len({*shown}) == len(shown)
        return tuple(map(str, shown)) if named else tuple(role.upper() for role in models)

    def model_columns(self, models: Any, truth: Any, besides: Sequence[Any], measure: Measure) -> ModelColumns:
        """Return the columns of many models."""
        return model_columns(self.frame, models, truth, besides, measure)

    def counts(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> bool:
        """Whether these are single decisions of few models, and their truth: of many models most rows are unique."""
        named = all(isinstance(column, str | int | None) for column in (truth, *models.values()))
        few = not how.ranked and not (isinstance(how.groups, list) and len(how.groups) > len(GROUP_ROLES))
        of_decisions = measure.takes == "decisions" and not how.makes_decisions and how.separator is None
        starred = any(map(self._is_pattern, (truth, *models.values())))
        counted = of_decisions and truth is not None and named and few and not starred
        return counted and not hold_collections(self.frame, (truth, *models.values()))

    def tally(self, columns: Mapping[str, Any], missing: str) -> Tallied:
        """Count decisions by one group-by on the frame's own engine."""
        extra = tuple(role for role in columns if role in EXTRA_ROLES)
        if missing == "drop":
            counts, caveats = tally_complete_rows(self.frame, **columns)
            return Tallied(counts, extra, caveats)
        return Tallied(tally_frame(self.frame, **columns), extra)

    def fetched(self, columns: Mapping[str, Any], how: Reading) -> dict[str, Any]:
        """Return columns as arrays or lists; a role with several columns as an array with a column for each."""
        starred = {role: self._by_label(role, name) for role, name in columns.items() if self._is_pattern(name)}
        plain = {role: list(starred[role].values()) if role in starred else name for role, name in columns.items()}
        found = fetch_columns(self.frame, {**plain, "strata": how.strata, "order": how.order}, how.groups)
        for role, by_label in starred.items():
            found[role] = named_table(true_cells(role, found[role], list(by_label.values())), list(by_label))
        return found

    def _is_pattern(self, name: Any) -> bool:
        """Whether it stands for columns of 0 and 1, one for each label."""
        return isinstance(name, str) and "*" in name and name not in self.known()

    def _by_label(self, role: str, pattern: str) -> dict[str, str]:
        """Return the columns that match a pattern, by the label in the place of the star."""
        if pattern.count("*") > 1:
            raise OptionError(f"{pattern!r} has more than one star.", "one star, for the label", f'{role}="{role}_*"')
        start, end = pattern.split("*")
        known = [name for name in self.known() if isinstance(name, str) and len(name) > len(start) + len(end)]
        fitting = [name for name in known if name.startswith(start) and name.endswith(end)]
        if not fitting:
            raise UnknownNameError("column", pattern, [str(name) for name in self.known()])
        return {composed(name[len(start) : len(name) - len(end)]): name for name in fitting}

    def like_truth(self) -> Mapping[Any, Sequence[Any]]:
        """Return the first values of the columns that are called like a truth."""
        return columns_like_truth(self.frame)

    def label_sets(
        self, roles: Mapping[str, Any], how: Reading, by: Any = None, *, with_ids: bool = False
    ) -> LabelledItems | None:
        """Count rows that have the same labels in 0/1 columns; None where rows are otherwise."""
        starred = {role: self._by_label(role, name) for role, name in roles.items() if self._is_pattern(name)}
        roles = {role: list(starred[role].values()) if role in starred else name for role, name in roles.items()}
        widths = {len(names) if isinstance(names, list | tuple) else 0 for names in roles.values()}
        given = [name for name in (how.groups if isinstance(how.groups, list) else [how.groups]) if name is not None]
        plain = how.positive is None and how.separator is None and how.missing == "refuse"
        plain = plain and by is None and how.order is None and not how.ranked and not how.makes_decisions
        if not (plain and len(widths) == 1 and min(widths) > 1 and len(given) <= len(GROUP_ROLES)):
            return None
        counted = count_label_columns(self.frame, roles, extra_columns(how))
        if counted is None:
            return None
        tables = {role: packed_table(words, *widths) for role, words in counted.words.items()}
        for role, by_label in starred.items():
            tables[role] = replace(tables[role], names=tuple(by_label), kind="named")
        groups = [counted.extra[role] for role in GROUP_ROLES if role in counted.extra]
        return LabelledItems(read_label_tables(tables, times=counted.times), groups, counted.extra.get("stratum"))

    def with_rows(self, read: Read, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
        """Look at the first rows of a frame in memory."""
        if any(map(self._is_pattern, (truth, *models.values()))):
            return read
        return with_rows(read, partial(rows_of_frame, self.frame, truth, models, read[0].about, measure, how))

    def binned(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Any:
        """Count the scores on the frame's engine where that was asked for, or where they would not fit."""
        named = all(isinstance(column, str | int) for column in (truth, *models.values()))
        if how.ranked or not can_bin(measure, how) or not named:
            return None
        size = rows_of(self.frame) if how.bins == "auto" else 0
        bins = number_of_bins(how.bins, how.memory_limit, size, len(models))
        if bins is None:
            return None
        asked = {"positive": how.positive, "lower_is_positive": how.lower_is_positive, "missing": how.missing}
        return bin_scores(self.frame, truth, models, bins, **asked)
