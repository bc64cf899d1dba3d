"""From a table, or arrays, and a measure to the sample: the only place that asks what kind of data a measure takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from clearwin.data.clusters import Grouping, read_grouping
from clearwin.data.marks import are_marks
from clearwin.data.model_columns import refuse_forgotten_truth
from clearwin.data.reading import (
    Read,
    ReadByLabels,
    Reading,
    by_groups,
    can_bin,
    decisions_in_groups,
    read_sample,
    refuse_classes,
    refuse_labels,
    refuse_score_settings,
    refuse_unranked,
    source_of_arrays,
    source_of_label_sets,
    source_of_tally,
    with_doubts,
)
from clearwin.data.time_order import time_points
from clearwin.data.values import check_truth
from clearwin.errors import OptionError, setting
from clearwin.measures import Measure
from clearwin.reading.opening import opened
from clearwin.reading.table import AnsweredItems, LabelledItems, Table, Tallied, extra_columns


def read_data(table: Table | None, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Read arrays, or the columns of a table that have these names."""
    if table is None:
        if how.bins not in ("auto", None):
            raise OptionError(
                "bins are for frames and files, and these are arrays, which are in memory already.",
                "data with the names of its columns",
                'compare(data=frame, truth="y", a="svm", b="rbf", bins=…)',
            )
        return read_sample(truth, models, measure, how)
    how = settled(table, truth, models, measure, how)
    read = _read_table(table, truth, models, measure, how)
    if how.ranked or how.order is not None or not how.whole:
        return read
    return table.with_rows(read, truth, models, measure, how)


def _read_table(table: Table, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    if how.ranked:
        refuse_unranked(measure)
        answers = table.answers(truth, models, measure, how)
        if answers is not None:
            return _read_answers(answers, truth, models, measure, how)
    if table.counts(truth, models, measure, how):
        tallied = counted(table, truth, models, measure, how)
        return with_doubts(decisions_of(tallied, models, measure, how), tallied.caveats)
    found = labelled(table, truth, models, measure, how)
    if found is not None:
        return label_sets_of(found, measure, how)
    bins = table.binned(truth, models, measure, how)
    if bins is not None:
        return bins, measure
    truth, models, how = fetched(table, truth, models, measure, how)
    return read_sample(truth, models, measure, how)


def read_by_labels(
    table: Table | None,
    truth: Any,
    models: Mapping[str, Any],
    measure: Measure,
    how: Reading,
    *,
    stratified: bool = False,
) -> ReadByLabels:
    """Read the large set of a study, whose labels are chosen later; decisions of a table are only counted."""
    if table is None:
        return source_of_arrays(truth, models["a"], models["b"], measure, how, stratified=stratified)
    how = settled(table, truth, models, measure, how)
    several = len(named_groups(how.groups)) > 1
    if table.counts(truth, models, measure, how) and not several:
        tallied = counted(table, truth, models, measure, how)
        return source_of_tally(tallied.counts, measure, positive=how.positive, extra=tallied.extra, by_outcomes=True)
    found = labelled(table, truth, models, measure, how)
    if found is not None:
        return source_of_label_sets(found.sets, measure, grouping_of(found))
    truth, columns, how = fetched(table, truth, models, measure, how)
    return source_of_arrays(truth, columns["a"], columns["b"], measure, how, stratified=stratified)


def _read_answers(found: AnsweredItems, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Return the sample of many models whose answers were put together."""
    missing = how.missing if found.items is None else "refuse"  # what was missing has been dropped
    groups: Any = found.groups[0] if found.groups else None
    how = replace(how, groups=groups, strata=found.strata, items=found.items, missing=missing)
    how = replace(how, columns=_called(truth, models, how))
    return with_doubts(read_sample(found.truth, found.models, measure, how), found.caveats)


def settled(table: Table, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Reading:
    """Refuse what no table can answer, and return the settings with labels as the table has them."""
    can_bin(measure, how)  # or bins are refused
    if not table.has_truth(truth, models, measure) and are_marks(truth, measure):
        refuse_forgotten_truth(table.like_truth(), [*models.values(), how.strata, how.order, *named_groups(how.groups)])
        if table.labels_are_text and not how.makes_decisions:
            refuse_classes(positive=how.positive, labels=how.labels, separator=how.separator)
    elif truth is not None or not table.labels_are_text:
        check_truth(measure, truth)
    for role, column in (("groups", how.groups), ("strata", how.strata), ("order", how.order)):
        if not (column is None or isinstance(column, str) or (role == "groups" and isinstance(column, list))):
            raise OptionError(f"{role} is a {type(column).__name__}.", "the name of a column", f'{role}="author"')
    labels = how.labels if how.labels is None or isinstance(how.labels, str) else [*map(table.label, _each(how.labels))]
    return replace(how, positive=table.label(how.positive), labels=labels)


def counted(
    table: Table, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading, by: Any = None
) -> Tallied:
    """Count decisions where the rows are, by groups, stratum and slice where they are named."""
    refuse_score_settings(how)
    with_truth = {"truth": truth} if table.has_truth(truth, models, measure) else {}
    columns = {**with_truth, **models, **extra_columns(how, by)}
    return table.tally(columns, how.missing)


def decisions_of(tallied: Tallied, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Return the sample of decisions that were counted."""
    called = tuple(str(name) for name in models.values())
    asked = {"positive": how.positive, "labels": how.labels, "models": called, "whole": how.whole}
    return decisions_in_groups(tallied.counts, measure, extra=tallied.extra, **asked)


def labelled(
    table: Table,
    truth: Any,
    models: Mapping[str, Any],
    measure: Measure,
    how: Reading,
    by: Any = None,
    *,
    with_ids: bool = False,
) -> LabelledItems | None:
    """Return label sets where the table reads these columns as such."""
    if measure.takes not in ("decisions", "label sets") or how.makes_decisions:
        return None
    found = table.label_sets({"truth": truth, **models}, how, by, with_ids=with_ids)
    if found is None:
        return None
    refuse_score_settings(how)
    if how.positive is not None:
        what = setting("positive", python="positive") + " is for items with one label each."
        raise OptionError(what, setting("labels", python="labels") + " to choose among labels")
    return found


def label_sets_of(found: LabelledItems, measure: Measure, how: Reading) -> Read:
    """Return the sample of label sets."""
    if found.order is not None or len(found.groups) < 2:
        return source_of_label_sets(found.sets, measure, grouping_of(found))(how.labels)

    def with_groups(groups: Any) -> Read:
        grouping = read_grouping(found.sets.n, groups, found.strata, found.sets.times)
        return source_of_label_sets(found.sets, measure, grouping)(how.labels)

    return by_groups(found.groups, with_groups)


def grouping_of(found: LabelledItems) -> Grouping:
    """Return what the items of label sets belong to."""
    groups: Any = found.groups or None
    if found.order is not None:
        return read_grouping(found.sets.n, time_points(found.order, groups, found.strata))
    return read_grouping(found.sets.n, groups, found.strata, found.sets.times)


def fetched(
    table: Table, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading, **more: Any
) -> tuple[Any, dict[str, Any], Reading]:
    """Return the truth, the models' columns and the settings with groups and strata, one value for each item.

    ``more`` columns come among the models'.
    """
    if measure.takes in ("scores", "losses", "values", "sums") or how.makes_decisions:
        refuse_labels(how.labels, how.separator)
    roles = {role: f"model {role}" if how.ranked else role for role in models}
    with_truth = {"truth": truth} if table.has_truth(truth, models, measure) else {}
    found = table.fetched({**with_truth, **{roles[role]: name for role, name in models.items()}, **more}, how)
    if isinstance(how.dev, str | os.PathLike):
        how = replace(how, dev=_columns_of_dev(how.dev, truth, models, how))
    groups = found.get("groups")
    called = _called(truth, models, how, by=more.get("by"))
    how = replace(how, groups=groups, strata=found.get("strata"), order=found.get("order"), columns=called)
    columns_of = {role: found[roles[role]] for role in models} | {name: found.get(name) for name in more}
    return found.get("truth"), columns_of, how


def _called(truth: Any, models: Mapping[str, Any], how: Reading, by: Any = None) -> dict[str, str]:
    """Return what to call the column of each role, where it has a name."""
    groups = {f"groups {i}": name for i, name in enumerate(named_groups(how.groups), 1)}
    columns = {"truth": truth, **models, "strata": how.strata, "order": how.order, "by": by, **groups}
    return {role: str(name) for role, name in columns.items() if isinstance(name, str | int)}


def _columns_of_dev(path: Any, truth: Any, models: Mapping[str, Any], how: Reading) -> tuple[Any, ...]:
    """Return the truth and the scores of other items, from a file with the same columns."""
    with opened(path) as other:
        plain = replace(how, groups=None, strata=None, order=None, missing="refuse")
        found = other.fetched({"truth": truth, **models}, plain)
    return (found["truth"], *(found[role] for role in models))


def named_groups(groups: Any) -> list[Any]:
    """Return the columns of groups, of which there may be one, several or none."""
    return [] if groups is None else groups if isinstance(groups, list) else [groups]


def _each(labels: Any) -> Iterable[Any]:
    return labels if isinstance(labels, Iterable) else [labels]
