"""Where is B better, and where worse? One comparison for each slice of the test set: a task, a language, a hospital."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from clearwin.analyses.judging import judge
from clearwin.analyses.parts import in_parts
from clearwin.counts import Counts
from clearwin.data.arrays import GROUP_ROLES, Tally, drop_missing, taken
from clearwin.data.clusters import codes, columns_of_groups
from clearwin.data.label_sets import of_documents, restricted
from clearwin.data.labels import in_order
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Read, Reading, decisions_in_groups, label_sets, read_sample, with_doubts
from clearwin.errors import DataError
from clearwin.measures import Measure
from clearwin.reading.reading import counted, fetched, grouping_of, labelled, settled
from clearwin.reading.table import LabelledItems, Table
from clearwin.resampling.functionals import is_in_order
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.comparison import Comparison, Slicing
from clearwin.significance.interaction import interaction

MOST_SLICES = 1_000
NEXT = "a column with few different values, such as a task or a language"


def compare_slices(
    data: Table | None,
    truth: Any,
    models: Mapping[str, Any],
    by: Any,
    measure: Measure,
    how: Reading,
    options: Options,
    correction: str,
) -> Comparison:
    """Compare on all items, and in every slice that a column of arrays or of a frame makes of them."""
    name = by if isinstance(by, str) else str(getattr(by, "name", None) or "slice")
    if data is not None:
        how = settled(data, truth, models, measure, how)
        if data.counts(truth, models, measure, how):
            tallied = counted(data, truth, models, measure, how, by)
            asked = {"positive": how.positive, "labels": how.labels, "extra": tallied.extra, "doubts": tallied.caveats}
            return slices_of_tally(tallied.counts, name, measure, options, correction, **asked)
        found = labelled(data, truth, models, measure, how, by)
        if found is not None:
            return _slices_of_label_sets(found, name, measure, how, options, correction)
        truth, columns, how = fetched(data, truth, models, measure, how, by=by)
        by, models = columns["by"], {role: columns[role] for role in models}
    elif isinstance(by, str):
        raise DataError(
            f"by is {by!r}.",
            "the slice of each item, in the same order",
            f"by=frame[{by!r}], or compare(data=frame, …, by={by!r})",
        )
    doubts: tuple[Caveat, ...] = ()
    if how.missing == "drop":
        several = [] if how.groups is None else columns_of_groups(how.groups)
        named = {f"groups {i}": column for i, column in enumerate(several, 1)}
        others = {"strata": how.strata, "order": how.order, "by": by}
        kept, doubts = drop_missing({"truth": truth, **models, **named, **others}, how.columns)
        truth, by, models = kept["truth"], kept["by"], {role: kept[role] for role in models}
        how = replace(
            how,
            groups=[kept[name] for name in named] or None,
            strata=kept["strata"],
            order=kept["order"],
            missing="refuse",
        )
    whole = with_doubts(read_sample(truth, models, measure, replace(how, slices=by)), doubts)
    sample, n = whole[0], whole[0].n
    slice_of, labels = _slices(by, n)
    groups = [] if how.groups is None else list(columns_of_groups(how.groups))
    # classes are decided on all items, because a slice may lack one
    how = replace(how, whole=False)
    if sample.about.positive is not None:
        how = replace(how, positive=sample.about.positive)
    if sample.about.thresholds is not None:
        how = replace(how, threshold=sample.about.thresholds, dev=None)

    def read(place: int) -> Read:
        rows = np.flatnonzero(slice_of == place)
        some = [taken(column, rows) for column in groups]
        inside = replace(
            how,
            groups=None if not some else some[0] if len(some) == 1 else some,
            strata=taken(how.strata, rows),
            order=taken(how.order, rows),
        )
        answers = {role: taken(values, rows, pairs=measure.takes == "sums") for role, values in models.items()}
        return read_sample(taken(truth, rows), answers, measure, inside)

    ask = {label: partial(read, place) for place, label in enumerate(labels)}
    sizes = np.bincount(slice_of, minlength=len(labels)).tolist()
    found_groups = [codes(column, "groups", n)[0] for column in groups]
    return _by_slice(whole, ask, sizes, options, correction, name, _spans(slice_of, found_groups))


def slices_of_tally(
    tally: Tally,
    by: str,
    measure: Measure,
    options: Options,
    correction: str,
    *,
    positive: Any = None,
    labels: Any = None,
    extra: tuple[str, ...] = (),
    doubts: tuple[Caveat, ...] = (),
) -> Comparison:
    """Compare by slice from a tally of (truth, a, b) label combinations whose keys end with the slice."""
    kept = extra[:-1]
    parts: dict[Any, dict[tuple[Any, ...], int]] = {}
    everything: dict[tuple[Any, ...], int] = {}
    for (*key, part), count in tally.items():
        parts.setdefault(part, {})[tuple(key)] = count
        everything[tuple(key)] = everything.get(tuple(key), 0) + count
    read = partial(decisions_in_groups, measure=measure, extra=kept, models=options.names, labels=labels)
    whole = with_doubts(read(everything, positive=positive), doubts)
    if whole[0].about.positive is not None:
        positive = whole[0].about.positive
    _check_number(len(parts))
    ask = {str(part): partial(read, parts[part], positive=positive, whole=False) for part in _in_order(parts)}
    sizes = [sum(parts[part].values()) for part in _in_order(parts)]
    width = len(next(iter(everything))) - len(kept)
    groups = [width + place for place, role in enumerate(kept) if role in GROUP_ROLES]
    number = {part: place for place, part in enumerate(parts)}
    slice_of = np.array([number[key[-1]] for key in tally], dtype=np.int64)
    found_groups = [codes([key[place] for key in tally], "groups", len(tally))[0] for place in groups]
    return _by_slice(whole, ask, sizes, options, correction, by, _spans(slice_of, found_groups))


def _slices_of_label_sets(
    found: LabelledItems, name: str, measure: Measure, how: Reading, options: Options, correction: str
) -> Comparison:
    """Compare by slice from label sets that were read already."""
    sets = found.sets if how.labels is None else restricted(found.sets, how.labels)
    slice_of, labels = _slices(found.by, sets.n)
    grouping = grouping_of(found)
    read_sets = partial(label_sets, measure=measure, subset=how.labels is not None)

    def read(place: int) -> Read:
        rows = np.flatnonzero(slice_of == place)
        return read_sets(of_documents(sets, rows), grouping=grouping.of_items(rows))

    ask = {label: partial(read, place) for place, label in enumerate(labels)}
    sizes = np.bincount(slice_of, minlength=len(labels)).tolist()
    found_groups = [] if grouping.groups is None else [grouping.groups]
    whole = read_sets(sets, grouping=grouping)
    return _by_slice(whole, ask, sizes, options, correction, name, _spans(slice_of, found_groups))


def _slices(by: Any, n: int) -> tuple[Counts, list[str]]:
    """Return each item's slice, and the slices' names in order."""
    first_come, values = codes(by, "by", n)
    _check_number(len(values))
    order = _in_order(values)
    place = {value: i for i, value in enumerate(order)}
    return np.array([place[value] for value in values], dtype=np.int64)[first_come], [str(value) for value in order]


def _in_order(values: Any) -> list[Any]:
    try:
        return in_order(values)
    except TypeError:  # they have no order of their own
        return sorted(values, key=str)


def _check_number(slices: int) -> None:
    if slices < 2:
        raise DataError("All items are in one slice.", "two slices or more", f"leave `by` out, or give {NEXT}")
    if slices > MOST_SLICES:
        raise DataError(
            f"There are {slices:,} slices.", f"at most {MOST_SLICES:,}, with some items in each", f"give {NEXT}"
        )


def _spans(slice_of: Counts, groups: list[Counts]) -> bool:
    """Return whether a group has items in several slices."""
    return any(np.unique(np.stack([own, slice_of]), axis=1).shape[1] > np.unique(own).size for own in groups)


def _by_slice(
    whole: Read,
    ask: Mapping[str, Callable[[], Read]],
    sizes: list[int],
    options: Options,
    correction: str,
    name: str,
    spans: bool,
) -> Comparison:
    options = options.with_seed_of(whole[0].fingerprint)
    overall = judge(Question(*whole, options))
    found = in_parts(ask, options, sizes, correction, "slice")
    in_order = is_in_order(whole[0])
    differs = None if spans or in_order else interaction(found.questions.values())
    return replace(
        overall,
        slices=found.rows,
        slicing=Slicing(name, correction, differs, found.without_value),
        caveats=(*overall.caveats, *found.left_out, *found.caveats(), *_about_interaction(spans, in_order)),
    )


def _about_interaction(spans: bool, in_order: bool) -> tuple[Caveat, ...]:
    if in_order:
        return (caveat("slices_share_times"),)
    if not spans:
        return ()
    return (caveat("slices_share_groups"),)
