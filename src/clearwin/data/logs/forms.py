"""What a metric of a log is for clearwin: decisions, label sets, counts of spans, scores or values, and the measure.

A number says what an item is worth; 0 and 1 whether it is right. [gold, predicted] are decisions, so that F1 and
MCC are tested as such; two lists are label sets; a text and a list of texts are spans, which are counted.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearwin.data.logs.base import Answer, text_of
from clearwin.data.logs.lm_eval import count_spans, right_choice
from clearwin.errors import DataError, OptionError, UnknownNameError, first_few, setting, shortened
from clearwin.measures import Measure, find
from clearwin.measures.base import REGISTRY
from clearwin.text import composed

Paired = Mapping[str, Sequence[Answer]]  # of every system, matched by position
REPEATED = re.compile(r"pass([@^])(\d+)(?:\((.+)\))?")
LOWER_IS_BETTER = ("mae", "mse", "rmse", "perplexity", "ter", "wer", "cer", "loss", "error", "brier")
HIGHER_IS_BETTER = ("acc", "exact", "match", "f1", "bleu", "rouge", "score", "success", "correct", "pass", "reward")
# of all items together, by rules that clearwin has not
OF_CORPORA = ("bleu", "chrf", "ter", "perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
OF_PAIRS = {"acc": "accuracy", "f1_score": "f1"}  # what metrics of pairs are called that have another name here


@dataclass(frozen=True)
class MetricColumns:
    """What the verbs take: the measure, the truth and every system's answers; and what of the log they are."""

    measure: Measure
    truth: Any
    answers: dict[str, Any]
    what: str = ""


@dataclass(frozen=True)
class Wish:
    """What is asked of logs: the metric, the measure, and what the tool says of which direction is better."""

    metric: str | None
    measure: Measure | None
    higher_is_better: Mapping[str, bool]

    @property
    def names_metric(self) -> bool:
        """Whether a metric is asked for, by its name or by that of a measure; scores may come without one."""
        return self.metric is not None or self.measure is None or not self.measure.needs_scores


def metric_of(rows: Paired, wish: Wish) -> str:
    """Return the metric that is meant: as was said, the only one, or the one that the measure is called by."""
    known = [{name for row in own for name in row.metrics} for own in rows.values()]
    shared = sorted(set.intersection(*known))
    if wish.metric is not None:
        if wish.metric not in shared:
            raise UnknownNameError("metric in all of these logs", wish.metric, shared)
        return wish.metric
    if wish.measure is not None and wish.measure.name in shared:
        return wish.measure.name
    if len(shared) == 1:
        return shared[0]
    if not shared:
        raise DataError("These logs share no metric.", "a metric that all runs have", "clearwin inspect PATH")
    raise OptionError(
        f"These logs have {len(shared)} metrics: {', '.join(shared)}.", "one of them", setting("metric", shared[0])
    )


def columns_of(rows: Paired, wish: Wish) -> MetricColumns:
    """Return what the verbs take, for a metric or a measure."""
    if wish.measure is not None and not wish.names_metric:
        scored = _scores(rows, wish) or _choices(rows, wish.measure)
        if scored is not None:
            return scored
    metric = metric_of(rows, wish)
    raw = {name: [row.metrics.get(metric) for row in own] for name, own in rows.items()}
    sample = next(value for values in raw.values() for value in values if value is not None)
    _refuse_mixed(raw, metric, sample)
    if isinstance(sample, tuple):
        found = _scores(rows, replace(wish, metric=metric))
        assert found is not None
        return found
    if isinstance(sample, bool | int | float):
        return _numbers(raw, metric, wish)
    if isinstance(sample, list) and _shape(sample) != "?":
        if isinstance(sample[1], list):
            return _lists(raw, metric, wish)
        return _pairs(raw, metric, wish)
    raise DataError(
        f"The metric {metric} is {shortened(repr(sample), 60)} for the first item.",
        "a number, or [gold, predicted]",
        setting("metric"),
    )


def _refuse_mixed(raw: Mapping[str, list[Any]], metric: str, sample: Any) -> None:
    """Refuse a metric that is a number for some items and something else for others."""
    for value in (value for values in raw.values() for value in values if value is not None):
        if _shape(value) != _shape(sample):
            raise DataError(
                f"The metric {metric} is {shortened(repr(sample), 60)} for one item and {shortened(repr(value), 60)} "
                "for another.",
                "the same kind of value for every item",
                "another metric, with " + setting("metric") + ", or a run whose log was not edited",
            )


def _shape(value: Any) -> str:
    """Return what kind of value a metric has for an item."""
    if not isinstance(value, list):
        return "number" if isinstance(value, bool | int | float) else type(value).__name__
    gold, answer = value if len(value) == 2 else (None, None)
    if not isinstance(answer, list):
        return "pair" if len(value) == 2 and not isinstance(gold, list | dict) and not isinstance(answer, dict) else "?"
    if isinstance(gold, str):
        return "texts" if all(isinstance(part, str) for part in answer) else "?"
    return "lists" if isinstance(gold, list) else "?"


# --- numbers ----------------------------------------------------------------------------------------------------


def is_number(value: Any) -> bool:
    """Whether a value can be judged as a number: infinite ones cannot, nor can whole ones beyond any float."""
    return isinstance(value, bool | int | float) and abs(value) <= sys.float_info.max


def _numbers(raw: Mapping[str, list[Any]], metric: str, wish: Wish) -> MetricColumns:
    arrays = {name: np.array(values, dtype=np.float64) for name, values in raw.items()}
    right_or_wrong = all(np.isin(values, (0.0, 1.0)).all() for values in arrays.values())
    measure = wish.measure
    if measure is None and right_or_wrong and _higher(metric, wish) is not False:
        measure = replace(find("accuracy"), label="accuracy" if metric == "acc" else metric)
    elif measure is None:
        higher = _higher(metric, wish)
        if higher is None:
            raise OptionError(
                f"The log does not say whether a higher or a lower {metric} is better.",
                "a mean for which higher is better, or one for which lower is",
                setting("measure", "mean", "mean_loss"),
            )
        measure = replace(find("mean" if higher else "mean_loss"), label=metric)
    if measure.takes == "values":
        return MetricColumns(measure, None, dict(arrays))
    if not measure.judges_marks or measure.of_whole_sets or not right_or_wrong:
        kind = "whether an answer is right" if right_or_wrong else "a number for each item"
        raise OptionError(
            f"The metric {metric} says {kind}, and {measure.label} needs {measure.takes}.",
            "a metric that carries them, or a measure of what there is",
            setting("measure", "accuracy", "mean") if right_or_wrong else setting("measure", "mean", "mean_loss"),
        )
    ones = np.ones(next(iter(arrays.values())).size, dtype=np.int64)
    return MetricColumns(measure, ones, {name: values.astype(np.int64) for name, values in arrays.items()})


def _higher(metric: str, wish: Wish) -> bool | None:
    """Return whether higher is better: as the tool says, or by the name; None where neither tells."""
    said = wish.higher_is_better.get(metric)
    if said is not None:
        return said
    words = metric.lower()
    lower = any(word in words for word in LOWER_IS_BETTER)
    higher = any(word in words for word in HIGHER_IS_BETTER)
    return None if lower == higher else higher


# --- decisions, label sets and spans ----------------------------------------------------------------------------


def _meant(metric: str, wish: Wish, kind: str) -> Measure:
    if wish.measure is not None:
        return wish.measure
    if metric in OF_CORPORA:
        raise OptionError(
            f"{metric} is computed from all items together, and clearwin does not have it as a measure.",
            "another metric of the log, or a value for each item",
            setting("metric"),
        )
    name = OF_PAIRS.get(metric, metric)
    if name not in REGISTRY:
        raise OptionError(
            f"The metric {metric} carries {kind} for every item, and clearwin has no measure of this name.",
            "a measure of them",
            setting("measure", "f1", "mcc", "accuracy"),
        )
    return REGISTRY[name]


def _same_truth(raw: Mapping[str, list[Any]], metric: str) -> list[Any]:
    """Return the gold answers of the first run; raise where another has others. A list is a set of labels."""
    first, *others = ([gold for gold, _ in values] for values in raw.values())
    for other in others:
        pairs = zip(map(_comparable, first), map(_comparable, other), strict=True)
        differ = [place for place, (one, two) in enumerate(pairs) if one != two]
        if differ:
            raise DataError(
                f"The gold answers in {metric} differ between the runs for {len(differ):,} items.",
                "runs on the same data",
                "run both on the same version of the task",
            )
    return first


def _comparable(gold: Any) -> Any:
    """Return a gold answer as what is equal if it is the same: of labels, the set."""
    return frozenset(map(text_of, gold)) if isinstance(gold, list) else composed(gold)


def _pairs(raw: Mapping[str, list[Any]], metric: str, wish: Wish) -> MetricColumns:
    measure = _meant(metric, wish, "[gold, predicted]")
    if measure.takes not in ("decisions", "label sets"):
        raise OptionError(
            f"The metric {metric} carries decisions, and {measure.label} is a measure of {measure.takes}.",
            "a measure of decisions",
            setting("measure", "f1", "accuracy"),
        )
    truth = _same_truth(raw, metric)
    return MetricColumns(measure, truth, {name: [answer for _, answer in values] for name, values in raw.items()})


def _lists(raw: Mapping[str, list[Any]], metric: str, wish: Wish) -> MetricColumns:
    truth = _same_truth(raw, metric)
    if not isinstance(truth[0], str):
        labels = {name: [list(map(str, answer)) for _, answer in values] for name, values in raw.items()}
        gold_labels = [list(map(str, gold)) for gold in truth]
        return MetricColumns(_meant(metric, wish, "two sets of labels"), gold_labels, labels)
    measure = wish.measure or (replace(find("f1_of_sums"), label="span F1") if metric == "f1" else None)
    if measure is None or measure.takes != "sums":
        raise OptionError(
            f"The metric {metric} carries texts with spans.",
            "a measure of counts of spans",
            setting("measure", "f1_of_sums", "recall_of_sums"),
        )
    counted = {name: [count_spans(gold, answer) for gold, answer in values] for name, values in raw.items()}
    gold = [true for true, _, _ in next(iter(counted.values()))]
    answers = {name: ([r for _, r, _ in found], [p for _, _, p in found]) for name, found in counted.items()}
    return MetricColumns(measure, gold, answers)


# --- scores -----------------------------------------------------------------------------------------------------


def _scores(rows: Paired, wish: Wish) -> MetricColumns | None:
    """Return truth and scores of files that have nothing else; None of other logs."""
    metric = wish.metric or "score"
    raw: dict[str, list[Any]] = {name: [row.metrics.get(metric) for row in own] for name, own in rows.items()}
    if not all(isinstance(value, tuple) for values in raw.values() for value in values):
        return None
    if wish.measure is None:
        raise OptionError(
            "These are scores, and there are several measures of scores.",
            "the measure to compare by",
            setting("measure", "eer", "auc", "min_dcf"),
        )
    truth, scores = _same_truth(raw, metric), {name: [score for _, score in own] for name, own in raw.items()}
    return MetricColumns(wish.measure, truth, scores, "scores")


def _choices(rows: Paired, measure: Measure) -> MetricColumns | None:
    """Return scores from the log-likelihoods of two choices: how far the second is ahead, or its probability."""
    first = next(iter(rows.values()))
    if any(len(row.choices) != 2 for own in rows.values() for row in own):
        if any(row.choices for row in first):
            raise OptionError(
                f"{measure.label} is a measure of two classes, and these tasks have more choices.",
                "tasks with two choices",
                setting("measure", "accuracy"),
            )
        return None
    truth = [right_choice(row) for row in first]
    unknown = [row.item for row, right in zip(first, truth, strict=True) if right not in (0, 1)]
    if unknown:
        raise DataError(
            f"The log does not say which choice is right for {first_few(unknown, len(unknown))}.",
            "a target that is the place or the letter of a choice",
        )
    ahead = {name: np.array([row.choices[1] - row.choices[0] for row in own]) for name, own in rows.items()}
    if measure.takes == "losses":
        ahead = {name: 1 / (1 + np.exp(-values)) for name, values in ahead.items()}
    return MetricColumns(measure, truth, dict(ahead), "log-likelihoods of the choices")


# --- repeats ----------------------------------------------------------------------------------------------------


def of_repeats(spelled: str, right: int, n: int) -> float:
    """Return pass@k (some of k repeats is right) or pass^k (all of k are), without bias, from n repeats.

    pass@k = 1 − C(n − right, k)/C(n, k) (Chen et al. 2021, arXiv:2107.03374, eq. 1); pass^k = C(right, k)/C(n, k) (Yao
    et al. 2024, arXiv:2406.12045).

    >>> of_repeats("pass@2", 1, 4), of_repeats("pass^2", 3, 4)
    (0.5, 0.5)
    """
    found = REPEATED.fullmatch(spelled)
    assert found is not None
    k = int(found[2])
    if not 1 <= k <= n:
        raise OptionError(
            f"{spelled} needs {k} repeats of every item, and there are {n}.",
            "at most as many as there are",
            setting("metric", f"pass{found[1]}{n}"),
        )
    return 1 - math.comb(n - right, k) / math.comb(n, k) if found[1] == "@" else math.comb(right, k) / math.comb(n, k)
