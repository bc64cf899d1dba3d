"""From data and a measure to the question: what the units are, what is held fixed, what was decided about classes.

Every verb asks through here, so groups, strata and labels mean the same to all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import numpy as np

from clearwin.counts import ClassCounts, Counts, JointCounts
from clearwin.data.arrays import (
    GROUP_ROLES,
    Tally,
    as_rows,
    check_missing,
    drop_missing,
    read_sums,
    tally_arrays,
)
from clearwin.data.clusters import (
    Grouping,
    TimePoints,
    columns_of_groups,
    crossed_groups,
    read_grouping,
    sampling_of_rows,
)
from clearwin.data.decisions import read_answers
from clearwin.data.frames import fetch_columns, rows_in_memory
from clearwin.data.label_sets import LabelSets, chosen_labels, exact_matches, is_label_sets, read_label_sets, restricted
from clearwin.data.labels import label_counts, strange_codes
from clearwin.data.marks import are_marks, marked_items
from clearwin.data.row_order import MOST_ROWS, ItemsInRows, first_rows, of_decisions, of_items
from clearwin.data.samples import DecisionSample, Items, ReadingNotes, Sample, UnitSample
from clearwin.data.scores import (
    ScoreSample,
    are_classes,
    as_given,
    best_thresholds,
    decide,
    read_thresholds,
    scored_items,
)
from clearwin.data.time_order import time_points
from clearwin.data.units import Cells, Units, units_of_classes, units_of_label_sets, units_of_outcomes, units_of_sums
from clearwin.data.values import OF_ITEMS, check_truth, read_values
from clearwin.errors import ClearwinError, DataError, OptionError, setting
from clearwin.measures import Measure, find
from clearwin.measures.base import REGISTRY
from clearwin.numerics.devices import on_host
from clearwin.results.base import Sampling
from clearwin.results.caveats import Caveat, caveat

OF_COUNTS = ("decisions", "label sets", "sums")  # measures that are formulas on counts


Read = tuple[Sample, Measure]  # what was read, and the measure as it judges these data


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How data are to be read; every verb that takes arrays takes these.

    In a part of the data (``whole`` is False: a fold) the truth may lack any class. Models that are ``ranked`` may be
    any number, and share their replicates; ``items`` says how many items each row of theirs is, 1 unless given.
    ``slices`` are those that items come in, which explain some of their order. ``lower_is_positive`` has the roles of
    the models whose scores are turned. Items that lack a value are refused, or left out where ``missing`` is "drop".
    Scores of a frame are counted in ``bins`` where they would not fit into the ``memory_limit``.
    """

    positive: Any = None
    groups: Any = None
    strata: Any = None
    order: Any = None
    labels: Any = None
    separator: str | None = None
    threshold: Any = None
    dev: Any = None
    rank_infinite: bool = False
    lower_is_positive: tuple[str, ...] = ()
    missing: str = "refuse"
    whole: bool = True
    ranked: bool = False
    items: Any = None
    bins: Any = "auto"
    memory_limit: Any = "2GB"
    columns: Mapping[str, str] = field(default_factory=dict)  # what to call the columns of roles that lack values
    slices: Any = None

    @property
    def makes_decisions(self) -> bool:
        """Whether thresholds make decisions of scores."""
        return self.threshold is not None or self.dev is not None


def read_sample(truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Read decisions, label sets, sums, scores or values of every model, by name, whatever the measure takes."""
    check_missing(how.missing)
    truth, models = _at_hand(truth), {name: _at_hand(answers) for name, answers in models.items()}
    how = replace(how, groups=_at_hand(how.groups), strata=_at_hand(how.strata), order=_at_hand(how.order))
    if how.missing == "drop":
        return _read_complete_items(truth, models, measure, replace(how, missing="refuse"))
    if how.order is not None:
        how = replace(how, order=None, groups=time_points(how.order, how.groups, how.strata))
    if are_marks(truth, measure) and not how.makes_decisions:
        refuse_classes(positive=how.positive, labels=how.labels, separator=how.separator)
        truth, models = marked_items(models)
    if how.makes_decisions:
        refuse_labels(how.labels, how.separator)
    if how.ranked:
        return _read_once(truth, models, measure, how)(how.labels)
    read = by_groups(
        how.groups, lambda groups: _read_once(truth, models, measure, replace(how, groups=groups))(how.labels)
    )
    if isinstance(how.groups, TimePoints) or not how.whole:
        return read
    return with_rows(read, partial(_in_rows, read[0].n, truth, models, read[0].about, measure, how))


def with_rows(read: Read, rows: Callable[[], ItemsInRows | None]) -> Read:
    """Attach a way to read the first items again in the order of their rows."""
    sample, measure = read
    return replace(cast(Any, sample), about=replace(sample.about, in_rows=rows)), measure


def _in_rows(
    n: int,
    truth: Any,
    models: Mapping[str, Any],
    about: ReadingNotes,
    measure: Measure,
    how: Reading,
    times: Any = None,
) -> ItemsInRows | None:
    """Read the first rows again as if they were in time order; None where that is not known."""
    within = replace(how, groups=None, strata=None, positive=about.positive, whole=False)
    if about.thresholds is not None:
        within = replace(within, threshold=about.thresholds, dev=None)

    def read(truth: Any, models: Mapping[str, Any], places: TimePoints) -> Read:
        return _read_once(truth, models, measure, replace(within, groups=places))(how.labels)

    rows = first_rows(n, truth, models, (how.groups, how.strata, how.slices), times, pairs=measure.takes == "sums")
    plain = how.groups is None and how.labels is None and how.separator is None and not how.makes_decisions
    try:
        if plain and measure.takes == "decisions" and truth is not None:
            return of_decisions(rows, measure, about.positive)
        return of_items(rows, read)
    except ClearwinError:  # a part of the rows may lack a class, and several columns of groups have no one order
        return None


def _at_hand(values: Any) -> Any:
    """Return a column in the memory of this machine; sequences other than lists as lists."""
    return as_rows(on_host(values))


def by_groups(groups: Any, read: Callable[[Any], Read]) -> Read:
    """Read the data with their groups; with each of the groupings that crossed ones make."""
    several = crossed_groups(groups)
    if not several:
        return read(groups)
    return _crossed([sign for sign, _ in several], [read(codes) for _, codes in several])


def _read_complete_items(truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Read the items that lack nothing, and say how many do."""
    groups = {f"groups {i}": column for i, column in enumerate(columns_of_groups(how.groups), 1)}
    of_items = {"truth": truth, **models, **groups, "strata": how.strata, "order": how.order}
    kept, doubts = drop_missing(of_items, how.columns)
    together = [kept[name] for name in groups]
    how = replace(
        how, strata=kept["strata"], order=kept["order"], groups=together if len(together) > 1 else together[0]
    )
    read = read_sample(kept["truth"], {name: kept[name] for name in models}, measure, how)
    return with_doubts(read, doubts)


def with_doubts(read: Read, doubts: tuple[Caveat, ...]) -> Read:
    """Return what was read, with doubts that arose on the way."""
    sample, measure = read
    about = replace(sample.about, caveats=doubts + sample.about.caveats)
    return (replace(cast(Any, sample), about=about) if doubts else sample), measure


def _crossed(signs: list[int], read: list[Read]) -> Read:
    """Return the first sample, which knows the others: the same items in groups that cross its own."""
    sample, measure = read[0]
    others = tuple((sign, other) for sign, (other, _) in zip(signs[1:], read[1:], strict=True))
    return replace(cast(Any, sample), about=replace(sample.about, crossed=others)), measure


ReadByLabels = Callable[[Any], Read]  # the labels to average over, or None → the data that were read, for these labels


def _read_once(
    truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading, *, by_outcomes: bool = False
) -> ReadByLabels:
    """Read the data once, to be asked about with any labels; ``by_outcomes`` as in ``decisions``."""
    if how.ranked:
        refuse_unranked(measure)
    check_truth(measure, truth)
    if measure.takes in OF_COUNTS and not how.makes_decisions:
        refuse_score_settings(how)
        return _read_counts(truth, models, measure, how, by_outcomes=by_outcomes)
    refuse_labels(None, how.separator)
    if measure.takes in OF_ITEMS:
        return _without_labels(read_values(measure, truth, models, how), measure)
    scores = _read_scores(truth, models, how, measure)
    dev = None
    if how.dev is not None:
        if not isinstance(how.dev, tuple | list) or len(how.dev) != 1 + len(models):
            raise OptionError(
                "dev is not a development set.",
                f"the truth and the scores of {'the model' if len(models) == 1 else 'each model'} on other items",
                f"dev=({', '.join(['truth', *(f'scores_{name}' for name in models)])})",
            )
        columns = dict(zip(models, how.dev[1:], strict=True))
        dev = _read_scores(how.dev[0], columns, replace(how, groups=None, strata=None, order=None), measure)
    if measure.takes == "scores":
        if how.makes_decisions:
            raise OptionError(
                f"{measure.label} is a measure of scores and does not use a threshold.",
                "a measure of decisions with a threshold, or none",
                setting("measure", "f1") + ", " + setting("threshold", 0.5),
            )
        return _without_labels(scores, measure)
    thresholds, doubts = _thresholds(scores, measure, how.threshold, dev)
    told = as_given(thresholds, scores.about)
    about = replace(scores.about, thresholds=told, caveats=doubts, chance=tuple(r.chance for r in scores.rankings))
    tally, extra = decide(scores, thresholds)
    return source_of_tally(tally, measure, positive=scores.positive, extra=extra, about=about, by_outcomes=by_outcomes)


def refuse_score_settings(how: Reading) -> None:
    """Raise when a setting for scores was given with decisions."""
    for name in ("rank_infinite", "lower_is_positive"):
        if getattr(how, name):
            raise OptionError(setting(name, python=name) + " is for scores.", "a measure of scores, or a threshold")


def refuse_classes(**named: Any) -> None:
    """Raise if classes are named where the columns only say right or wrong."""
    for name, value in named.items():
        if value is not None:
            raise OptionError(
                setting(name, value)
                + " names classes, and without a truth the columns only say which answers are right.",
                "the truth, or right/wrong columns alone",
                setting("truth", "label") + f", or leave {name} out",
            )


def refuse_unranked(measure: Measure) -> None:
    """Raise when the measure wants label sets or counts of spans, which are not ranked yet."""
    if measure.takes in ("label sets", "sums"):
        raise OptionError(
            f"{measure.label} is a measure of {measure.takes}, which rank does not take yet.",
            "a measure of decisions, of scores or of values",
            setting("measure", "f1", "auc") + "; compare() takes two models at a time by any measure",
        )


def refuse_ranked_label_sets(*columns: Any) -> None:
    """Raise when the items that are to be ranked have several labels each."""
    if is_label_sets(*columns):
        raise OptionError(
            "rank does not compare label sets yet, and these items have several labels each.",
            "one label, score or value of each model for every item",
            "compare() takes two models at a time, and label sets",
        )


def with_first_items(
    read: Read, columns: Callable[[], Mapping[str, Any] | None] | None, labels: Any, models: Sequence[str]
) -> Read:
    """Attach a way to fetch the ``columns`` of the first items by role, if there is one."""
    if columns is None:
        return read
    return with_rows(read, partial(_rows_of_columns, columns, read[0].about, read[1], labels, models))


def _rows_of_columns(
    fetch: Callable[[], Mapping[str, Any] | None],
    about: ReadingNotes,
    measure: Measure,
    labels: Any,
    models: Sequence[str],
) -> ItemsInRows | None:
    columns = fetch()
    if not columns or any(role in columns for role in GROUP_ROLES[1:]):
        return None
    how = Reading(groups=columns.get("group"), strata=columns.get("stratum"), labels=labels)
    answers = {role: columns[role] for role in models}
    n = len(answers[models[0]])
    if "truth" in columns:
        return _in_rows(n, columns["truth"], answers, about, measure, how)
    return _in_rows(n, *marked_items(answers), about, measure, how)


def rows_of_frame(
    data: Any, truth: Any, models: Mapping[str, Any], about: ReadingNotes, measure: Measure, how: Reading
) -> ItemsInRows | None:
    """Read the first rows of a frame that is in memory, in the order of its column or index of times if it has one."""
    used = [
        name for role in (truth, *models.values(), how.strata) for name in (role if isinstance(role, list) else [role])
    ]
    seen = rows_in_memory(data, MOST_ROWS, [*used, *(how.groups if isinstance(how.groups, list) else [how.groups])])
    if seen is None:
        return None
    rows, times, name = seen
    columns = fetch_columns(rows, {"truth": truth, **models, "strata": how.strata}, how.groups)
    within = replace(how, groups=columns.get("groups"), strata=columns.get("strata"))
    answers = {role: columns[role] for role in models}
    found = _in_rows(len(rows), columns.get("truth"), answers, about, measure, within, times)
    return None if found is None else replace(found, times=name)


def can_bin(measure: Measure, how: Reading) -> bool:
    """Whether scores may be counted in bins: of single items, by a measure of scores; raise if bins were asked for."""
    besides = {role: getattr(how, role) is not None for role in ("groups", "strata", "order")}
    besides["rank_infinite"] = how.rank_infinite
    exact = [name for name, is_given in besides.items() if is_given]
    if measure.takes == "scores" and not exact and not how.makes_decisions:
        return True
    if how.bins not in ("auto", None):
        if exact:
            raise OptionError(
                f"bins and {exact[0]} were both given, and {exact[0]} can only be used with exact scores.",
                f"bins, or {exact[0]}",
                setting("bins", None)
                + " reads exact scores; if they do not fit into memory, use a random sample of "
                + ("whole groups" if exact[0] == "groups" else "the items"),
            )
        raise OptionError(
            "bins are for measures of scores of single items of a frame or file.",
            "a measure of scores, such as auc, without a threshold, groups, strata or infinite scores",
            setting("bins", "auto"),
        )
    return False


def _read_scores(truth: Any, models: Mapping[str, Any], how: Reading, measure: Measure) -> ScoreSample:
    # the classes as strata: replicates by a measure of scores are drawn class by class
    by_class = measure.takes == "scores" and how.groups is None and are_classes(how.strata, truth)
    found = scored_items(
        truth,
        *models.values(),
        roles=tuple(models),
        positive=how.positive,
        rank_infinite=how.rank_infinite,
        groups=how.groups,
        strata=None if by_class else how.strata,
        lower_is_positive=how.lower_is_positive,
    )
    return replace(found, stratified=by_class)


def _thresholds(
    scores: ScoreSample, measure: Measure, threshold: Any, dev: ScoreSample | None
) -> tuple[tuple[float, ...], tuple[Caveat, ...]]:
    """Return the thresholds: given, or chosen on ``dev`` or on the items themselves, which is put in doubt.

    They apply to the scores as they are ranked: where lower scores mean the positive class, negated.
    """
    if dev is not None:
        if threshold is not None:
            raise OptionError("Both a threshold and a development set were given.", "one of them")
        return best_thresholds(dev, measure), ()
    if isinstance(threshold, str) and threshold == "best":
        return best_thresholds(scores, measure), (caveat("threshold_on_test"),)
    return as_given(read_thresholds(threshold, len(scores.scores)), scores.about), ()


def _read_counts(
    truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading, *, by_outcomes: bool
) -> ReadByLabels:
    """Read decisions, label sets or sums."""
    groups, strata = how.groups, how.strata
    if how.ranked:
        refuse_ranked_label_sets(truth, *models.values())
        units = {"groups": groups, "strata": strata, "items": how.items}
        return _without_labels(read_answers(truth, models, measure, positive=how.positive, **units), measure)
    if measure.takes == "sums":
        refuse_labels(None, how.separator)
        if how.positive is not None:
            raise OptionError(
                f"{measure.label} does not have classes, so positive does not apply.",
                "no positive with counts of spans",
            )
        gold, *tables = read_sums(truth, models)
        return _without_labels(*sums(gold, tables[0], tables[-1], measure, read_grouping(gold.size, groups, strata)))
    if how.separator is not None or is_label_sets(truth, *models.values()):
        if how.positive is not None:
            raise OptionError(
                "positive is for items with one label each.", setting("labels") + " to choose among labels"
            )
        sets = read_label_sets(truth, *models.values(), separator=how.separator)
        return source_of_label_sets(sets, measure, read_grouping(sets.n, groups, strata))
    tally, extra = tally_by_units({"truth": truth, **models}, groups, strata)
    how_read = {"positive": how.positive, "extra": extra, "whole": how.whole, "by_outcomes": by_outcomes}
    return source_of_tally(tally, measure, **how_read)


def tally_by_units(columns: dict[str, Any], groups: Any, strata: Any) -> tuple[Tally, tuple[str, ...]]:
    """Count the label combinations, by group and stratum where there are some, and say which of them the keys carry."""
    loose = tally_arrays(**columns)  # whatever is wrong with the labels is said here
    if groups is None and strata is None:
        return loose, ()
    extra = read_grouping(sum(loose.values()), groups, strata).columns()
    return tally_arrays(**columns, **extra), tuple(extra)


def decisions_in_groups(tally: Tally, measure: Measure, *, extra: tuple[str, ...] = (), **how: Any) -> Read:
    """Take decisions as ``decisions`` does, whose keys may carry several columns of groups."""
    width = len(next(iter(tally))) - len(extra)
    kept = [width + place for place, role in enumerate(extra) if role in GROUP_ROLES]
    if "order" in extra:
        return _decisions_in_order(tally, measure, extra, **how)
    if len(kept) < 2:
        return decisions(tally, measure, extra=extra, **how)
    strata = [width + place for place, role in enumerate(extra) if role not in GROUP_ROLES]
    several = crossed_groups([[key[place] for key in tally] for place in kept])
    read = []
    for _, codes in several:
        regrouped: dict[tuple[Any, ...], int] = {}
        for (key, count), code in zip(tally.items(), codes.tolist(), strict=True):
            new = (*key[:width], code, *(key[place] for place in strata))
            regrouped[new] = regrouped.get(new, 0) + count
        read.append(decisions(regrouped, measure, extra=("group", "stratum")[: 1 + len(strata)], **how))
    return _crossed([sign for sign, _ in several], read)


def _decisions_in_order(tally: Tally, measure: Measure, extra: tuple[str, ...], **how: Any) -> Read:
    """Take decisions whose keys carry times: groups must lie within one time each, and then the times count."""
    width = len(next(iter(tally))) - len(extra)
    columns = {role: [key[width + place] for key in tally] for place, role in enumerate(extra)}
    groups = [columns[role] for role in extra if role in GROUP_ROLES]
    places = time_points(columns["order"], groups or None, columns.get("stratum")).places
    in_order: dict[tuple[Any, ...], int] = {}
    for (key, count), place in zip(tally.items(), places.tolist(), strict=True):
        in_order[*key[:width], place] = in_order.get((*key[:width], place), 0) + count
    return decisions(in_order, measure, extra=("order",), **how)


def decisions(
    tally: Tally,
    measure: Measure,
    *,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    extra: tuple[str, ...] = (),
    about: ReadingNotes | None = None,
    by_outcomes: bool = False,
    models: Sequence[str] = ("a", "b"),
    whole: bool = True,
) -> Read:
    """Take decisions, tallied by (truth, a, b); ``extra`` names what the keys carry besides: group, stratum.

    ``by_outcomes`` asks for units whose features are the joint outcomes, whatever the measure. ``models`` is what to
    call the models where their labels are refused; ``whole`` as in ``Reading``.
    """
    refuse_other_data(measure)
    width = len(next(iter(tally))) - len(extra)
    base: dict[tuple[Any, ...], int] = {}
    for key, count in tally.items():
        base[key[:width]] = base.get(key[:width], 0) + count
    labelled = label_counts(
        base,
        positive=positive,
        needs_positive=measure.needs_positive,
        any_number_of_classes=measure.any_number_of_classes,
        measure=measure.label,
        models=models,
        whole=whole,
    )
    about = about or ReadingNotes(
        labelled.positive, labelled.inferred, labelled.against_others, strange=labelled.strange
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
    if not extra and chosen is None and not by_outcomes:
        return DecisionSample(joint, about), measure
    # of every key its group and stratum, its outcome, and how many items it is
    items = np.array(list(tally.values()), dtype=np.int64)
    columns = dict(zip(extra, map(list, zip(*(key[width:] for key in tally), strict=True)), strict=True))
    groups: Any = time_points(columns["order"]) if "order" in columns else columns.get("group")
    grouping = read_grouping(items.size, groups, columns.get("stratum"), items)
    place = dict(zip(base, labelled.places, strict=True))
    outcome = np.array([place[key[:width]] for key in tally], dtype=np.int64)
    cells, sampling = Cells.of(outcome, items, grouping), sampling_of_rows(items, grouping) if grouping else None
    if by_outcomes:
        units = units_of_outcomes(joint, cells)
        if chosen is not None:
            units = replace(units, read=partial(_read_some_classes, joint, chosen))
        return DecisionSample(joint, about, units, sampling=sampling), measure
    units = _units(joint, measure, cells, chosen)
    alone = _units(joint, measure, Cells.of(outcome, items, grouping.without_groups()), chosen)
    return DecisionSample(joint, about, units, alone, sampling), measure


def _read_some_classes(joint: JointCounts, chosen: tuple[int, ...], totals: Counts) -> tuple[ClassCounts, ClassCounts]:
    """Read the outcomes' totals as the counts of the chosen classes, of A and of B."""
    some = list(chosen)
    a, b = (ClassCounts(c.truths[some], c.predicted[some], c.hits[some], c.n) for c in joint.confusions(totals))
    return a, b


def _units(joint: JointCounts, measure: Measure, cells: Cells | None, chosen: tuple[int, ...] | None) -> Units:
    if chosen is None and (joint.k <= 2 or measure.needs_matrix):
        return units_of_outcomes(joint, cells)
    return units_of_classes(joint, cells, chosen)


def _positions(labels: Sequence[Any], joint: JointCounts, measure: Measure) -> tuple[int, ...]:
    """Return the places of the classes to average over."""
    if not measure.of_label_sets or measure.of_whole_sets:
        raise OptionError(
            f"{measure.label} is not an average over classes, so labels cannot choose among them.",
            "an average: " + ", ".join(m.name for m in REGISTRY.values() if m.of_label_sets and m.takes == "decisions"),
            setting("measure", "macro_f1") + ", or " + setting("positive") + " for one class against the others",
        )
    return tuple(joint.labels.index(label) for label in chosen_labels(labels, joint.labels, "class"))


def label_sets(sets: LabelSets, measure: Measure, grouping: Grouping, *, subset: bool = False) -> Read:
    """Take label sets: the document, with all its labels, is drawn and swapped whole."""
    about = ReadingNotes(
        labels=tuple(str(x) for x in sets.labels) if subset else None,
        strange=strange_codes(sets.labels, sets.truth, sets.a, sets.b, times=sets.times),
    )
    right_a, right_b = exact_matches(sets)
    if measure.is_share_right:
        # a document is right or wrong as a whole: two classes, and every test of decisions applies
        extra = grouping.columns()
        truth = np.ones(sets.n, dtype=np.int64)
        tally = tally_arrays(sets.times, truth=truth, a=right_a * 1, b=right_b * 1, **extra)
        return decisions(tally, find("subset_accuracy"), extra=tuple(extra), about=about)
    if not measure.of_label_sets:
        raise OptionError(
            f"{measure.label} is not defined for items with several labels.",
            "one of " + ", ".join(m.name for m in REGISTRY.values() if m.of_label_sets),
            setting("measure", "macro_f1") + "; for one label alone give its columns of 0 and 1, or per-class results",
        )
    measure = replace(measure, takes="label sets", decomposition="none")
    outcomes = {
        "both_right": sets.count(right_a & right_b),
        "only_a_wrong": sets.count(~right_a & right_b),
        "only_b_wrong": sets.count(right_a & ~right_b),
        "both_wrong": sets.count(~right_a & ~right_b),
    }
    items = Items(sets.n_documents, sets.labels, outcomes, sets.fingerprint)
    times = np.ones(sets.n, dtype=np.int64) if sets.times is None else sets.times

    def units(by: Grouping) -> Units:
        counts_items = measure.mean_over_documents
        return units_of_label_sets(*sets.outcomes, len(sets.labels), times, by, count_items=counts_items)

    return _units_of(units, items, grouping, about, sampling_of_rows(times, grouping, "document")), measure


def sums(gold: Counts, a: Counts, b: Counts, measure: Measure, grouping: Grouping) -> Read:
    """Take counts per item: true ones, and for each model the right and the predicted ones."""
    net = b[:, 0] * (gold + a[:, 1]) - a[:, 0] * (gold + b[:, 1])
    outcomes = {"b_higher": int((net > 0).sum()), "a_higher": int((net < 0).sum()), "equal": int((net == 0).sum())}
    items = Items(gold.size, ("sum",), outcomes, "")
    columns = np.stack([gold, a[:, 0], a[:, 1], b[:, 0], b[:, 1]])
    sampling = grouping.sampling(gold.size)
    return _units_of(lambda by: units_of_sums(columns, by), items, grouping, ReadingNotes(), sampling), measure


def _units_of(
    units: Callable[[Grouping], Units], items: Items, grouping: Grouping, about: ReadingNotes, sampling: Sampling | None
) -> UnitSample:
    alone = units(grouping.without_groups()) if grouping else None
    return UnitSample(units(grouping), items, about, alone, sampling)


def refuse_other_data(measure: Measure) -> None:
    """Raise when the measure wants other data than one decision for each item and model."""
    decisions = "or ask for a measure of decisions: " + setting("measure", "f1")
    wants = {
        "values": ("values for every item", "name the values of each model; " + decisions),
        "losses": ("scores for every item", "name the scores of each model; " + decisions),
        "scores": ("scores for every item", "name the scores of each model; " + decisions),
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
    """Raise if labels are to be chosen or split where there are none."""
    for name, value in (("labels", labels), ("separator", separator)):
        if value is not None:
            raise OptionError(
                f"{name} is for decisions and label sets.",
                f"no {name} with scores or values",
                setting("measure", "macro_f1"),
            )


def source_of_arrays(
    truth: Any, a: Any, b: Any, measure: Measure, how: Reading, *, stratified: bool = False
) -> ReadByLabels:
    """Read the large set of a study.

    Draws of a study are ``stratified`` by its urns, so here only scores and losses need to know of it.
    """
    models = {"a": a, "b": b}
    for role, values in models.items():
        if values is None:
            raise DataError(f"{role} is None.", "the answers of two models", "study(truth, a, b)")
    if stratified and measure.needs_scores and how.strata is None and (how.groups is None or not measure.scan):
        how = replace(how, strata=truth)
    return _read_once(truth, models, measure, how, by_outcomes=True)


def source_of_tally(tally: Tally, measure: Measure, **how: Any) -> ReadByLabels:
    """Take decisions that were tallied already; ``how`` as in ``decisions``."""
    return lambda labels: decisions(tally, measure, labels=labels, **how)


def source_of_label_sets(sets: LabelSets, measure: Measure, grouping: Grouping) -> ReadByLabels:
    """Take label sets that were read already."""

    def read(labels: Any) -> Read:
        chosen = sets if labels is None else restricted(sets, labels)
        return label_sets(chosen, measure, grouping, subset=labels is not None)

    return read


def _without_labels(sample: Sample, measure: Measure) -> ReadByLabels:
    def read(labels: Any) -> Read:
        refuse_labels(labels, None)
        return sample, measure

    return read
