"""From data and a measure to the question: what the units are, what is held fixed, what was decided about classes.

Every verb asks through here, so groups, strata and labels mean the same to all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from clearwin.data.binned_scores import bin_scores, number_of_bins, rows_of
from clearwin.data.clusters import Grouping, columns_of_groups, crossed_groups, read_grouping, sampling_of_rows
from clearwin.data.decisions import read_answers
from clearwin.data.frames import count_label_columns, fetch_columns, hold_collections, tally_complete_rows, tally_frame
from clearwin.data.label_sets import LabelSets, chosen_labels, exact_matches, is_label_sets, read_label_sets, restricted
from clearwin.data.label_sets import label_sets as read_label_tables
from clearwin.data.label_tables import packed_table
from clearwin.data.labels import label_counts, strange_codes
from clearwin.data.marks import are_marks, marked_items
from clearwin.data.model_columns import columns_like_truth, refuse_forgotten_truth
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
from clearwin.data.units import Cells, Units, units_of_classes, units_of_label_sets, units_of_outcomes, units_of_sums
from clearwin.data.values import OF_ITEMS, check_truth, read_values
from clearwin.errors import DataError, OptionError, setting
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
    ``lower_is_positive`` has the roles of the models whose scores are turned. Items that lack a value are refused, or
    left out where ``missing`` is "drop". Scores of a frame are counted in ``bins`` where they would not fit into the
    ``memory_limit``.
    """

    positive: Any = None
    groups: Any = None
    strata: Any = None
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

    @property
    def makes_decisions(self) -> bool:
        """Whether thresholds make decisions of scores."""
        return self.threshold is not None or self.dev is not None


def read_sample(truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Read decisions, label sets, sums, scores or values of every model, by name, whatever the measure takes."""
    check_missing(how.missing)
    truth, models = _at_hand(truth), {name: _at_hand(answers) for name, answers in models.items()}
    how = replace(how, groups=_at_hand(how.groups), strata=_at_hand(how.strata))
    if how.missing == "drop":
        return _read_complete_items(truth, models, measure, replace(how, missing="refuse"))
    if are_marks(truth, measure) and not how.makes_decisions:
        refuse_classes(positive=how.positive, labels=how.labels, separator=how.separator)
        truth, models = marked_items(models)
    if how.makes_decisions:
        refuse_labels(how.labels, how.separator)
    if how.ranked:
        return _read_once(truth, models, measure, how)(how.labels)
    return _by_groups(
        how.groups, lambda groups: _read_once(truth, models, measure, replace(how, groups=groups))(how.labels)
    )


def _at_hand(values: Any) -> Any:
    """Return a column in the memory of this machine; sequences other than lists as lists."""
    return as_rows(on_host(values))


def _by_groups(groups: Any, read: Callable[[Any], Read]) -> Read:
    """Read the data with their groups; with each of the groupings that crossed ones make."""
    several = crossed_groups(groups)
    if not several:
        return read(groups)
    return _crossed([sign for sign, _ in several], [read(codes) for _, codes in several])


def _read_complete_items(truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Read the items that lack nothing, and say how many do."""
    groups = {f"groups {i}": column for i, column in enumerate(columns_of_groups(how.groups), 1)}
    kept, doubts = drop_missing({"truth": truth, **models, **groups, "strata": how.strata})
    together = [kept[name] for name in groups]
    how = replace(how, strata=kept["strata"], groups=together if len(together) > 1 else together[0])
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
        _refuse_score_settings(how)
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
        dev = _read_scores(how.dev[0], columns, replace(how, groups=None, strata=None), measure)
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


def _refuse_score_settings(how: Reading) -> None:
    for name in ("rank_infinite", "lower_is_positive"):
        if getattr(how, name):
            raise OptionError(f"{name} is for scores.", "a measure of scores, or a threshold")


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


def read_data(data: Any, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
    """Read arrays, or the columns of a frame that have these names."""
    if data is None:
        if how.bins not in ("auto", None):
            raise OptionError(
                "bins are for frames and files, and these are arrays, which are in memory already.",
                "data with the names of its columns",
                'compare(data=frame, truth="y", a="svm", b="rbf", bins=…)',
            )
        return read_sample(truth, models, measure, how)
    can_bin(measure, how)  # or bins are refused
    if are_marks(truth, measure):
        refuse_forgotten_truth(columns_like_truth(data), [*models.values(), how.strata, *_named(how.groups)])
    else:
        check_truth(measure, truth)
    for role, column in (("groups", how.groups), ("strata", how.strata)):
        if not (column is None or isinstance(column, str) or (role == "groups" and isinstance(column, list))):
            raise OptionError(f"{role} is a {type(column).__name__}.", "the name of a column", f'{role}="author"')
    if is_counted(data, measure, how, truth, models):
        _refuse_score_settings(how)
        counted = count_frame(data, truth, models, how)
        asked = {"positive": how.positive, "labels": how.labels, "models": tuple(models.values()), "whole": how.whole}
        return with_doubts(decisions_in_groups(counted.tally, measure, extra=counted.extra, **asked), counted.doubts)
    counted_sets = _count_label_columns(data, measure, truth, models, how)
    if counted_sets is not None:
        return counted_sets
    bins = None if how.ranked else _bins_of(data, measure, truth, models, how)
    if bins is not None:
        asked = {"positive": how.positive, "lower_is_positive": how.lower_is_positive, "missing": how.missing}
        return bin_scores(data, truth, models, bins, **asked), measure
    columns = {f"model {name}" if how.ranked else name: column for name, column in models.items()}
    found = fetch_columns(data, {"truth": truth, **columns, "strata": how.strata}, how.groups)
    how = replace(how, groups=found.get("groups"), strata=found.get("strata"))
    answers = {name: found[role] for name, role in zip(models, columns, strict=True)}
    return read_sample(found.get("truth"), answers, measure, how)


def _named(groups: Any) -> list[Any]:
    """Return the columns of groups, of which there may be one, several or none."""
    return groups if isinstance(groups, list) else [groups]


def _count_label_columns(
    data: Any, measure: Measure, truth: Any, models: Mapping[str, Any], how: Reading
) -> Read | None:
    """Read label sets that have a column for each label, counted on the frame's engine; None where they are not."""
    tables = {"truth": truth, **models}
    widths = {len(names) if isinstance(names, list | tuple) else 0 for names in tables.values()}
    given = [name for name in _named(how.groups) if name is not None]
    plain = how.positive is None and how.separator is None and how.missing == "refuse" and not how.makes_decisions
    of_sets = measure.takes in ("decisions", "label sets") and not how.ranked
    if not (of_sets and plain and len(widths) == 1 and min(widths) > 1 and len(given) <= len(GROUP_ROLES)):
        return None
    _refuse_score_settings(how)
    extra = dict(zip(GROUP_ROLES, given, strict=False)) | ({} if how.strata is None else {"stratum": how.strata})
    counted = count_label_columns(data, tables, extra)
    if counted is None:
        return None
    read = {role: packed_table(words, *widths) for role, words in counted.words.items()}
    sets = read_label_tables(read, times=counted.times)
    groups = [counted.extra[role] for role in GROUP_ROLES if role in extra]

    def with_groups(groups: Any) -> Read:
        grouping = read_grouping(sets.n, groups, counted.extra.get("stratum"), sets.times)
        return source_of_label_sets(sets, measure, grouping)(how.labels)

    return _by_groups(groups if len(groups) > 1 else groups[0] if groups else None, with_groups)


def _bins_of(data: Any, measure: Measure, truth: Any, models: Mapping[str, Any], how: Reading) -> int | None:
    """Return in how many bins the engine is to count the scores; None where exact scores are read."""
    check_missing(how.missing)
    named = all(isinstance(column, str | int) for column in (truth, *models.values()))
    if not can_bin(measure, how) or not named:
        return None
    return number_of_bins(how.bins, how.memory_limit, rows_of(data) if how.bins == "auto" else 0, len(models))


def can_bin(measure: Measure, how: Reading) -> bool:
    """Whether scores may be counted in bins: of single items, by a measure of scores; raise if bins were asked for."""
    besides = {"groups": how.groups is not None, "strata": how.strata is not None, "rank_infinite": how.rank_infinite}
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


@dataclass(frozen=True)
class CountedFrame:
    """How many rows of a frame have each combination of labels; ``extra`` says what the keys carry besides."""

    tally: Tally
    extra: tuple[str, ...]
    doubts: tuple[Caveat, ...]


def is_counted(data: Any, measure: Measure, how: Reading, truth: Any, models: Mapping[str, Any]) -> bool:
    """Whether the frame's own engine can count what is asked for: single decisions of few models, and their truth.

    With many models almost every row is unique.
    """
    named = all(isinstance(column, str | int | None) for column in (truth, *models.values()))
    few = not how.ranked and not (isinstance(how.groups, list) and len(how.groups) > len(GROUP_ROLES))
    of_decisions = measure.takes == "decisions" and not how.makes_decisions and how.separator is None
    counted = of_decisions and truth is not None and named and few
    return counted and not hold_collections(data, (truth, *models.values()))


def count_frame(data: Any, truth: str, models: Mapping[str, str], how: Reading, by: str | None = None) -> CountedFrame:
    """Count decisions by one group-by on the frame's own engine, by groups, stratum and slice where they are named."""
    check_missing(how.missing)
    groups = how.groups if isinstance(how.groups, list) else [how.groups]
    named = [name for name in groups if name is not None]
    extra = dict(zip(GROUP_ROLES, named, strict=False)) | {"stratum": how.strata, "slice": by}
    extra = {role: name for role, name in extra.items() if name is not None}
    columns = {"truth": truth, **models, **extra}
    if how.missing == "drop":
        tally, doubts = tally_complete_rows(data, **columns)
    else:
        tally, doubts = tally_frame(data, **columns), ()
    return CountedFrame(tally, tuple(extra), doubts)


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
    columns = dict(zip(extra, zip(*(key[width:] for key in tally), strict=True), strict=True))
    grouping = read_grouping(items.size, columns.get("group"), columns.get("stratum"), items)
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
