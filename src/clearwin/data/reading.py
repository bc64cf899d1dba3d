"""From data and a measure to the question: what the units are, what is held fixed, what was decided about classes.

Every verb asks through here, so groups, strata and labels mean the same to all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from clearwin.counts import ClassCounts, Counts, JointCounts
from clearwin.data.arrays import Tally, refuse_shuffled_indexes, tally_arrays
from clearwin.data.clusters import Grouping, read_grouping, sampling_of
from clearwin.data.label_sets import LabelSets, chosen_labels, exact_matches, is_label_sets, read_label_sets, restricted
from clearwin.data.labels import label_counts
from clearwin.data.samples import About, AnyQuestion, Items, Question, UnitQuestion
from clearwin.data.scores import ScoreQuestion, scored_items
from clearwin.data.spans import read_sums
from clearwin.data.spelling import answers_of_tally, refuse_misspelt, strange_codes, strange_labels
from clearwin.data.thresholds import best_thresholds, decide, read_thresholds
from clearwin.data.units import Cells, Units, units_of_classes, units_of_label_sets, units_of_outcomes, units_of_sums
from clearwin.data.values import OF_ITEMS, check_truth, read_values
from clearwin.errors import DataError, OptionError
from clearwin.measures import Measure, find
from clearwin.measures.base import REGISTRY
from clearwin.results.base import Sampling

OF_COUNTS = ("decisions", "label sets", "sums")  # measures that are formulas on counts


@dataclass(frozen=True, eq=False)
class Asked:
    """A question that still needs its settings, and what was decided on the way to it."""

    ask: Callable[..., AnyQuestion]
    about: About


def ask_arrays(
    truth: Any,
    a: Any,
    b: Any,
    measure: Measure,
    positive: Any,
    groups: Any,
    strata: Any,
    labels: Any,
    separator: str | None,
    *,
    whole: bool = True,
) -> Asked:
    """Ask about decisions, label sets or sums that came as arrays; without b about one classifier.

    Of a part of the data (``whole`` is False: a fold) the truth may lack any class.
    """
    refuse_shuffled_indexes({"truth": truth, "a": a, "b": b, "groups": groups, "strata": strata})
    if measure.takes == "sums":
        refuse_labels(labels, separator)
        if positive is not None:
            raise OptionError(
                f"{measure.label} has no classes, so none is positive.", "no positive with counts of spans"
            )
        gold, *models = read_sums(truth, a, a if b is None else b)
        return ask_sums(gold, models[0], models[1], measure, read_grouping(gold.size, groups, strata))
    if separator is not None or is_label_sets(truth, a, b):
        if positive is not None:
            raise OptionError("positive is for items with one label each.", "labels= to choose among labels")
        sets = read_label_sets(truth, a, b, labels=labels, separator=separator)
        return ask_label_sets(sets, measure, read_grouping(sets.n, groups, strata), subset=labels is not None)
    columns = {"truth": truth, "a": a} | ({} if b is None else {"b": b})
    loose = tally_arrays(**columns)  # whatever is wrong with the labels is said here
    if groups is None and strata is None:
        return ask_decisions(loose, measure, positive=positive, labels=labels, whole=whole)
    grouping = read_grouping(sum(loose.values()), groups, strata)
    extra = grouping.columns()
    tally = tally_arrays(**columns, **extra)
    return ask_decisions(tally, measure, positive=positive, labels=labels, extra=tuple(extra), whole=whole)


def ask_decisions(
    tally: Tally,
    measure: Measure,
    *,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    extra: tuple[str, ...] = (),
    about: About | None = None,
    by_outcomes: bool = False,
    models: Sequence[str] = ("a", "b"),
    whole: bool = True,
) -> Asked:
    """Ask about decisions, tallied by (truth, a, b); ``extra`` names what the keys carry besides: group, stratum.

    ``by_outcomes`` asks for units whose features are the joint outcomes, whatever the measure. ``models`` is what to
    call the models where their labels are refused; ``whole`` as in ``ask_arrays``.
    """
    refuse_other_data(measure)
    width = len(next(iter(tally))) - len(extra)
    base: dict[tuple[Any, ...], int] = {}
    for key, count in tally.items():
        base[key[:width]] = base.get(key[:width], 0) + count
    answers = answers_of_tally(base, models)
    if whole:
        refuse_misspelt(*answers)
    labelled = label_counts(
        base,
        positive=positive,
        needs_positive=measure.needs_positive,
        any_number_of_classes=measure.any_number_of_classes,
        measure=measure.label,
    )
    about = about or About(
        labelled.positive, labelled.inferred, labelled.against_others, strange=strange_labels(*answers)
    )
    joint = labelled.joint
    if labels is not None and positive is not None and about.against_others:
        raise OptionError(
            "positive judges one class against the others, and labels averages over several.",
            "one of them",
            "leave positive out",
        )
    chosen = None if labels is None else _positions(labels, joint, measure)
    if chosen is not None:
        # over some classes only, not every item counts and nothing is a sum over them
        measure = replace(measure, decomposition="none")
        about = replace(about, labels=tuple(str(joint.labels[i]) for i in chosen))
    cells, sampling = None, None
    if extra:
        cells, sampling = _cells(tally, width, extra, dict(zip(base, labelled.places, strict=True)))
    if by_outcomes:
        units = units_of_outcomes(joint, cells)
        if chosen is not None:
            units = replace(units, read=partial(_read_some_classes, joint, chosen))
        return Asked(lambda *settings: Question(joint, measure, *settings, units=units, sampling=sampling), about)
    if cells is None and chosen is None:
        return Asked(lambda *settings: Question(joint, measure, *settings), about)
    units = _units(joint, measure, cells, chosen)
    ungrouped = _ungrouped(tally, width, extra, dict(zip(base, labelled.places, strict=True)))
    alone = _units(joint, measure, ungrouped, chosen)
    return Asked(
        lambda *settings: Question(joint, measure, *settings, units=units, alone=alone, sampling=sampling), about
    )


def _read_some_classes(joint: JointCounts, chosen: tuple[int, ...], totals: Counts) -> tuple[ClassCounts, ClassCounts]:
    """Read the outcomes' totals as the counts of the chosen classes, of A and of B."""
    some = list(chosen)
    a, b = (ClassCounts(c.truths[some], c.predicted[some], c.hits[some], c.n) for c in joint.confusions(totals))
    return a, b


def _ungrouped(tally: Tally, width: int, extra: tuple[str, ...], place: dict[tuple[Any, ...], int]) -> Cells | None:
    """Return the items of each stratum by outcome, as if there were no groups."""
    if "stratum" not in extra:
        return None
    loose: dict[tuple[Any, ...], int] = {}
    for key, count in tally.items():
        loose[(*key[:width], key[-1])] = loose.get((*key[:width], key[-1]), 0) + count
    return _cells(loose, width, ("stratum",), place)[0]


def _units(joint: JointCounts, measure: Measure, cells: Cells | None, chosen: tuple[int, ...] | None) -> Units:
    if chosen is None and (joint.k <= 2 or measure.needs_matrix):
        return units_of_outcomes(joint, cells)
    return units_of_classes(joint, cells, chosen)


def _positions(labels: Sequence[Any], joint: JointCounts, measure: Measure) -> tuple[int, ...]:
    """Return the places of the classes to average over."""
    if not measure.of_label_sets or measure.name == "subset_accuracy":
        raise OptionError(
            f"{measure.label} is no average over classes, so labels cannot choose among them.",
            "an average: " + ", ".join(m.name for m in REGISTRY.values() if m.of_label_sets and m.takes == "decisions"),
            'measure="macro_f1", or positive=LABEL for one class against the others',
        )
    return tuple(joint.labels.index(label) for label in chosen_labels(labels, joint.labels, "class"))


def _cells(
    tally: Tally, width: int, extra: tuple[str, ...], place: dict[tuple[Any, ...], int]
) -> tuple[Cells, Sampling]:
    """Return the items of each group or stratum by outcome, and how they are drawn."""
    columns = dict(zip(extra, zip(*(key[width:] for key in tally), strict=True), strict=True))
    grouping = read_grouping(len(tally), columns.get("group"), columns.get("stratum"))
    outcome = np.array([place[key[:width]] for key in tally], dtype=np.int64)
    count = np.array(list(tally.values()), dtype=np.int64)
    if grouping.groups is None:
        each, strata = np.arange(outcome.size), grouping.strata
        assert strata is not None  # there is nothing else to be asked for
        sampling = sampling_of("item", np.ones_like(count), count, strata, grouping)
        return Cells(each, outcome, np.ones_like(count), count, strata), sampling
    sizes = np.bincount(grouping.groups, weights=count).astype(np.int64)
    strata = grouping.strata_of_units(outcome.size)
    cells = Cells(grouping.groups, outcome, count, np.ones_like(sizes), strata)
    return cells, sampling_of("group", sizes, np.ones_like(sizes), strata, grouping)


def ask_label_sets(sets: LabelSets, measure: Measure, grouping: Grouping, *, subset: bool = False) -> Asked:
    """Ask about label sets: the document, with all its labels, is drawn and swapped whole."""
    about = About(
        None,
        inferred=False,
        labels=tuple(str(x) for x in sets.labels) if subset else None,
        strange=strange_codes(sets.labels, sets.truth, sets.a, sets.b),
    )
    right_a, right_b = exact_matches(sets)
    if measure.name in ("accuracy", "subset_accuracy"):
        # a document is right or wrong as a whole: two classes, and every test of decisions applies
        extra = grouping.columns()
        tally = tally_arrays(truth=np.ones(sets.n, dtype=np.int64), a=right_a * 1, b=right_b * 1, **extra)
        return ask_decisions(tally, find("subset_accuracy"), extra=tuple(extra), about=about)
    if not measure.of_label_sets:
        raise OptionError(
            f"{measure.label} is not defined for items with several labels.",
            "one of " + ", ".join(m.name for m in REGISTRY.values() if m.of_label_sets),
            'measure="macro_f1"; for one label alone give its columns of 0 and 1, or per-class results',
        )
    measure = replace(measure, takes="label sets", decomposition="none")
    outcomes = {
        "both_right": int((right_a & right_b).sum()),
        "only_a_wrong": int((~right_a & right_b).sum()),
        "only_b_wrong": int((right_a & ~right_b).sum()),
        "both_wrong": int((~right_a & ~right_b).sum()),
    }
    items = Items(sets.n, sets.labels, outcomes, sets.fingerprint)
    codes, who = sets.outcomes
    document, label = np.divmod(codes, len(sets.labels))

    def units(by: Grouping) -> Units:
        counted = measure.name == "hamming_loss"  # the one that divides by the number of items
        return units_of_label_sets(
            document, label, who.astype(np.int64), len(sets.labels), sets.n, by, count_items=counted
        )

    return _ask_units(units, items, measure, grouping, about, "document")


def ask_sums(gold: Counts, a: Counts, b: Counts, measure: Measure, grouping: Grouping) -> Asked:
    """Ask about counts per item: true ones, and for each model the right and the predicted ones."""
    net = b[:, 0] * (gold + a[:, 1]) - a[:, 0] * (gold + b[:, 1])
    outcomes = {"b_higher": int((net > 0).sum()), "a_higher": int((net < 0).sum()), "equal": int((net == 0).sum())}
    items = Items(gold.size, ("sum",), outcomes, "")
    sums = np.stack([gold, a[:, 0], a[:, 1], b[:, 0], b[:, 1]])
    about = About(None, inferred=False)
    return _ask_units(lambda by: units_of_sums(sums, by), items, measure, grouping, about, "item")


def _ask_units(
    units: Callable[[Grouping], Units], items: Items, measure: Measure, grouping: Grouping, about: About, unit: str
) -> Asked:
    together, alone = units(grouping), units(grouping.without_groups()) if grouping else None
    sampling = grouping.sampling(items.n, unit)

    def ask(*settings: Any) -> UnitQuestion:
        return UnitQuestion(together, items, measure, *settings, alone=alone, sampling=sampling)

    return Asked(ask, about)


def refuse_other_data(measure: Measure) -> None:
    """Raise when the measure wants other data than one decision for each item and model."""
    wants = {
        "values": ("values for every item", "compare(None, values_a, values_b), or a measure of decisions, such as f1"),
        "losses": (
            "scores for every item",
            "compare(truth, scores_a, scores_b), or a measure of decisions, such as f1",
        ),
        "scores": (
            "scores for every item",
            "compare(truth, scores_a, scores_b), or a measure of decisions, such as f1",
        ),
        "label sets": (
            "several labels for each item",
            "arrays of items × labels, or the error rate for one label each",
        ),
        "sums": ("numbers of right, predicted and true spans per item", "compare(gold, a, b), a = (right, predicted)"),
    }
    if measure.takes in wants:
        expected, next_step = wants[measure.takes]
        raise OptionError(
            f"{measure.label} is a measure of {measure.takes}, and these are decisions or counts of them.",
            expected,
            next_step,
        )


def refuse_labels(labels: Any, separator: str | None) -> None:
    """Raise when labels are to be chosen or taken apart where there are none."""
    for name, value in (("labels", labels), ("separator", separator)):
        if value is not None:
            raise OptionError(
                f"{name} is for decisions and label sets.", f"no {name} with scores or values", 'measure="macro_f1"'
            )


def refuse_two_strata(stratified: bool, grouping: Grouping) -> None:
    """Raise when scores are to be drawn class by class and by groups or strata, too."""
    if stratified and grouping:
        raise OptionError(
            "stratified draws class by class, and groups or strata were given, too.",
            "one of them",
            "strata=CLASS with the class of each item, if every group lies within one class",
        )


Source = Callable[[Any], Asked]  # the labels to average over, or None → what is asked about them


def source_of_arrays(
    truth: Any,
    a: Any,
    b: Any,
    measure: Measure,
    *,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    separator: str | None = None,
    threshold: Any = None,
    stratified: bool = False,
    rank_infinite: bool = False,
) -> Source:
    """Read decisions, label sets, sums, scores or values, whatever the measure takes."""
    for role, values in (("a", a), ("b", b)):
        if values is None:
            raise DataError(f"{role} is None.", "the answers of two models", "study(truth, a, b)")
    check_truth(measure, truth)
    units = {"groups": groups, "strata": strata}
    if measure.takes in OF_COUNTS and threshold is None:
        if rank_infinite:
            raise OptionError("rank_infinite is for scores.", "a measure of scores, or a threshold")
        return _source_of_counts(truth, a, b, measure, positive, separator, units)
    refuse_labels(None, separator)
    if measure.takes in OF_ITEMS:
        by_class = stratified and strata is None and measure.takes == "losses"
        read = read_values(
            measure,
            truth,
            a,
            b,
            positive=positive,
            rank_infinite=rank_infinite,
            threshold=threshold,
            stratified=by_class,
            **units,
        )
        return _without_labels(Asked(read.ask, read.about))
    items = scored_items(truth, a, b, positive=positive, rank_infinite=rank_infinite, **units)
    about = About(items.positive, items.inferred, items.against_others)
    if measure.takes == "scores":
        if threshold is not None:
            raise OptionError(
                f"{measure.label} is a measure of scores and takes no threshold.", "no threshold", 'measure="f1"'
            )
        by_class = stratified and not items.grouping

        def ask(*settings: Any) -> ScoreQuestion:
            return replace(ScoreQuestion(items, measure, *settings), stratified=by_class)

        return _without_labels(Asked(ask, about))
    best = isinstance(threshold, str) and threshold == "best"
    thresholds = best_thresholds(items, measure) if best else read_thresholds(threshold, 2)
    tally, extra = decide(items, thresholds)
    return source_of_tally(tally, measure, positive=items.positive, extra=extra)


def _source_of_counts(
    truth: Any, a: Any, b: Any, measure: Measure, positive: Any, separator: str | None, units: dict[str, Any]
) -> Source:
    refuse_shuffled_indexes({"truth": truth, "a": a, "b": b, **units})
    if measure.takes == "sums":
        return _without_labels(
            ask_arrays(truth, a, b, measure, positive, units["groups"], units["strata"], None, separator)
        )
    if separator is not None or is_label_sets(truth, a, b):
        if positive is not None:
            raise OptionError("positive is for items with one label each.", "labels= to choose among labels")
        sets = read_label_sets(truth, a, b, separator=separator)
        return source_of_label_sets(sets, measure, read_grouping(sets.n, **units))
    columns = {"truth": truth, "a": a, "b": b}
    tally = tally_arrays(**columns)  # whatever is wrong with the labels is said here
    extra = read_grouping(sum(tally.values()), **units).columns()
    if extra:
        tally = tally_arrays(**columns, **extra)
    return source_of_tally(tally, measure, positive=positive, extra=tuple(extra))


def source_of_tally(tally: Tally, measure: Measure, *, positive: Any = None, extra: tuple[str, ...] = ()) -> Source:
    """Take decisions that were tallied already."""
    return lambda labels: ask_decisions(tally, measure, positive=positive, labels=labels, extra=extra, by_outcomes=True)


def source_of_label_sets(sets: LabelSets, measure: Measure, grouping: Grouping) -> Source:
    """Take label sets that were read already."""

    def ask(labels: Any) -> Asked:
        chosen = sets if labels is None else restricted(sets, labels)
        return ask_label_sets(chosen, measure, grouping, subset=labels is not None)

    return ask


def _without_labels(asked: Asked) -> Source:
    def ask(labels: Any) -> Asked:
        refuse_labels(labels, None)
        return asked

    return ask
