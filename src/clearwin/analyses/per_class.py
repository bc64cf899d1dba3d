"""In which classes or labels does B differ from A? Each on its own, with p-values corrected for their number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from clearwin.analyses.parts import in_parts
from clearwin.analyses.repeating import repeatable
from clearwin.data.arrays import (
    Label,
    Tally,
    check_missing,
    drop_missing,
    names_of,
    tally_arrays,
)
from clearwin.data.clusters import Grouping, read_grouping
from clearwin.data.label_sets import LabelSets, category, chosen_labels, is_label_sets, read_label_sets, restricted
from clearwin.data.labels import in_order, plain_keys
from clearwin.data.questions import Options
from clearwin.data.reading import Read, Reading, decisions, tally_by_units
from clearwin.errors import DataError, OptionError, setting
from clearwin.measures import Measure, find
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.reading.opening import refuse_id_of_arrays, takes_data
from clearwin.reading.reading import counted, fetched, grouping_of, labelled, settled
from clearwin.reading.table import LabelledItems
from clearwin.results.caveats import CAVEATS, Caveat
from clearwin.results.comparison import PerClass


@repeatable()
@matched_by_position()
@takes_data
def compare_by_class(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    data: Any = None,
    id: str | None = None,
    measure: MeasureLike = "f1",
    correction: str = "holm",
    groups: Any = None,
    strata: Any = None,
    labels: Any = None,
    separator: str | None = None,
    missing: str = "refuse",
    **settings: Any,
) -> PerClass:
    """Return whether B is better than A in each class.

    Each class is compared against the others; for label sets each label is compared by itself.

    Every class gets its estimates, difference and interval, a p-value and one adjusted for the number of classes
    (``correction``: "holm", the default, or "benjamini-hochberg"). ``labels`` chooses among them; the other
    ``settings`` are those of :func:`compare`, and so are ``data``, a file or frame whose columns are named, and ``id``.

    >>> import clearwin as cw
    >>> truth = ["cat", "dog", "eel"] * 30
    >>> a = ["cat", "dog", "dog"] * 30
    >>> r = cw.compare_by_class(truth, a, truth, rng=1)
    >>> [(c.label, round(c.difference, 3), c.adjusted_p < 0.05) for c in r.classes]
    [('cat', 0.0, False), ('dog', 0.333, True), ('eel', 1.0, True)]
    """
    refuse_id_of_arrays(data, id)
    check_missing(missing)
    how = Reading(groups=groups, strata=strata, labels=labels, separator=separator, missing=missing)
    if data is not None:
        models, chosen = {"a": a, "b": b}, find(measure)
        if settings.get("names") is None:
            settings["names"] = data.names(truth, models, how)
        how = settled(data, truth, models, chosen, how)
        if data.counts(truth, models, chosen, how):
            tallied = counted(data, truth, models, chosen, how)
            settings |= {"labels": how.labels, "extra": tallied.extra, "doubts": tallied.caveats}
            return classes_of_tally(tallied.counts, measure=measure, correction=correction, **settings)
        if data.labels_are_text:
            items = labelled(data, truth, models, chosen, how)
            if items is not None:
                return _classes_of_items(items, how, measure, correction, settings)
        truth, columns, how = fetched(data, truth, models, chosen, how)
        a, b, groups, strata = columns["a"], columns["b"], how.groups, how.strata
    settings.setdefault("names", names_of(a, b))
    doubts: tuple[Caveat, ...] = ()
    if missing == "drop":
        of_items = {"truth": truth, "a": a, "b": b, "groups": groups, "strata": strata}
        kept, doubts = drop_missing(of_items, how.columns)
        truth, a, b, groups, strata = kept.values()
    if separator is not None or is_label_sets(truth, a, b):
        sets = read_label_sets(truth, a, b, labels=labels, separator=separator)
        grouping = read_grouping(sets.n, groups, strata)
        found = classes_of_label_sets(sets, grouping, measure=measure, correction=correction, **settings)
        return replace(found, caveats=doubts + found.caveats)
    tally, extra = tally_by_units({"truth": truth, "a": a, "b": b}, groups, strata)
    settings |= {"labels": labels, "extra": extra, "doubts": doubts}
    return classes_of_tally(tally, measure=measure, correction=correction, **settings)


def _classes_of_items(
    found: LabelledItems, how: Reading, measure: MeasureLike, correction: str, settings: dict[str, Any]
) -> PerClass:
    sets = found.sets if how.labels is None else restricted(found.sets, how.labels)
    return classes_of_label_sets(sets, grouping_of(found), measure=measure, correction=correction, **settings)


def classes_of_tally(
    tally: Tally,
    *,
    measure: MeasureLike = "f1",
    correction: str = "holm",
    labels: Any = None,
    extra: tuple[str, ...] = (),
    doubts: tuple[Caveat, ...] = (),
    **settings: Any,
) -> PerClass:
    """Compare in every class that occurs in the truth, from a tally of (truth, a, b) label combinations.

    ``doubts`` arose when the data were read.
    """
    chosen, asked = _of_one_class(measure), Options.of("compare_by_class", settings)
    width = len(next(iter(tally))) - len(extra)
    sizes: dict[Label, int] = {}
    base = dict.fromkeys(key[:width] for key in tally)
    plain = dict(zip(base, plain_keys(dict.fromkeys(base, 1)), strict=True))
    for key, count in tally.items():
        truth = plain[key[:width]][0]
        sizes[truth] = sizes.get(truth, 0) + count
    found = in_order(sizes)
    if len(found) < 2:
        raise DataError("All items are of one class.", "items of two classes or more", "compare() on these items")
    if labels is not None:
        found = list(chosen_labels(labels, tuple(found), "class"))
    how = partial(decisions, tally, chosen, extra=extra, models=asked.names)
    ask = {str(label): partial(how, positive=label) for label in found}
    told = _per_class(ask, asked, [sizes[label] for label in found], correction, "class")
    return replace(told, caveats=doubts + told.caveats)


def classes_of_label_sets(
    sets: LabelSets, grouping: Grouping, *, measure: MeasureLike = "f1", correction: str = "holm", **settings: Any
) -> PerClass:
    """Compare in every label of label sets: whether an item has it is a question of two classes."""
    chosen, asked = _of_one_class(measure), Options.of("compare_by_class", settings)
    extra = grouping.columns()
    ask = {}
    for position, label in enumerate(sets.labels):
        tally = category(sets, position) if not extra else _grouped_category(sets, position, extra)
        # called by its name, where 0 and 1 would be called classes
        names = (f"not {label}", str(label))
        named = {(*(names[own] for own in key[:3]), *key[3:]): count for key, count in tally.items()}
        ask[str(label)] = partial(decisions, named, chosen, positive=str(label), extra=tuple(extra), whole=False)
    sizes = sets.tables[:, 4:].sum(axis=1).tolist()
    return _per_class(ask, asked, sizes, correction, "label")


def _grouped_category(sets: LabelSets, position: int, extra: dict[str, Any]) -> Tally:
    columns = {}
    for role, codes in (("truth", sets.truth), ("a", sets.a), ("b", sets.b)):
        documents, labels = np.divmod(codes, len(sets.labels))
        columns[role] = np.zeros(sets.n, dtype=np.int64)
        columns[role][documents[labels == position]] = 1
    return tally_arrays(**columns, **extra)


def _of_one_class(measure: MeasureLike) -> Measure:
    chosen = find(measure)
    of_all = chosen.any_number_of_classes and not chosen.needs_positive and chosen.decomposition != "items"
    if of_all or chosen.of_label_sets:
        raise OptionError(
            f"{chosen.label} is a measure of all classes together.",
            "a measure of one class against the others",
            setting("measure", "f1", "recall"),
        )
    return chosen


def _per_class(
    ask: Mapping[str, Callable[[], Read]], options: Options, sizes: list[int], correction: str, kind: str
) -> PerClass:
    """Ask about every class, adjust the p-values and put the classes together; one without a value is left out."""
    options = options.with_seed_of(repr(dict(zip(ask, sizes, strict=True))))
    found = in_parts(ask, options, sizes, correction, kind)
    first = found.first
    shared = tuple(c for c in first.caveats if kind in CAVEATS[c.code].said_once_of)
    return PerClass(
        n=first.n,
        interval=first.interval,
        # what is doubtful in one class names that class
        caveats=(*found.left_out, *shared, *found.caveats(besides=("against_others", "at_chance"))),
        signature=first.signature,
        name_a=first.name_a,
        name_b=first.name_b,
        measure=first.measure,
        measure_label=first.measure_label,
        higher_is_better=first.higher_is_better,
        test=first.test,
        test_label=first.test_label,
        claim=first.claim,
        correction=correction,
        null_hypothesis=first.null_hypothesis,
        classes=found.rows,
        kind=kind,
    )
