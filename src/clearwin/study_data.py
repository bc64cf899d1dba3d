"""The large set of a study, read once: a question about it for every set of labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from clearwin.asking import (
    OF_COUNTS,
    Asked,
    ask_arrays,
    ask_decisions,
    ask_label_sets,
    refuse_labels,
)
from clearwin.data import Tally, refuse_shuffled_indexes, tally_arrays
from clearwin.errors import DataError, OptionError
from clearwin.grouping import Grouping, read_grouping
from clearwin.item_values import OF_ITEMS, check_truth, read_values
from clearwin.judging import About
from clearwin.label_sets import LabelSets, is_label_sets, read_label_sets, restricted
from clearwin.measures import Measure
from clearwin.scores import scored_items
from clearwin.significance import ScoreQuestion
from clearwin.thresholds import best_thresholds, decide, read_thresholds

Source = Callable[[Any], Asked]  # the labels to average over, or None → what is asked about them


def source_of_arrays(
    truth: Any, a: Any, b: Any, measure: Measure, *, positive: Any = None, groups: Any = None, strata: Any = None,
    separator: str | None = None, threshold: Any = None, stratified: bool = False, rank_infinite: bool = False,
) -> Source:  # fmt: skip
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
            measure, truth, a, b, positive=positive, rank_infinite=rank_infinite, threshold=threshold,
            stratified=by_class, **units,
        )  # fmt: skip
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
