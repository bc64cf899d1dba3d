"""What a result does not show: two or three lines that every report ends with, as they follow from the result."""

from __future__ import annotations

from functools import singledispatch

from clearwin.results.base import MeasureResult, Result
from clearwin.results.comparison import Comparison, PerClass
from clearwin.results.folds import FoldComparison
from clearwin.results.gate import Gate
from clearwin.significance.folds.caveats import BY_CORRELATION
from clearwin.words.phrases import NOT_EQUAL, ONE_MODEL_EACH, THESE_ITEMS, for_items_like, no_worth


@singledispatch
def limits(result: Result) -> tuple[str, ...]:
    """Return what the result does not show, each in a line.

    >>> import clearwin as cw
    >>> for line in limits(cw.compare_folds([0.8, 0.7, 0.9], [0.9, 0.8, 0.8], design="k-fold", measure_label="F1")):
    ...     print(line)  # doctest: +NORMALIZE_WHITESPACE
    It compares learners trained on sets of this size, not the one model that you will use.
    All folds come from one data set, so it does not show which learner is better on other data. It assumes that the
    differences of two folds correlate by 0.33, which no data can show (Bengio and Grandvalet 2004).
    It does not show that the learners are equally good, nor that F1 is the measure that matters to you.
    """
    return (
        "It holds for data like these, and for the settings that are listed above.",
        "It does not show that the measure is the one that matters to you.",
    )


@limits.register
def _(result: MeasureResult) -> tuple[str, ...]:  # an estimate
    return (for_items_like(result.n, result.sampling), ONE_MODEL_EACH, no_worth(result.measure_label))


@limits.register
def _(result: Comparison) -> tuple[str, ...]:
    last = NOT_EQUAL if result.decision == "not shown" and result.margin is None else no_worth(result.measure_label)
    return (for_items_like(result.n, result.sampling), ONE_MODEL_EACH, last)


@limits.register
def _(result: PerClass) -> tuple[str, ...]:
    return (
        THESE_ITEMS.format(n=result.n),
        ONE_MODEL_EACH,
        NOT_EQUAL.replace("the models", "models without a difference"),
    )


@limits.register
def _(result: FoldComparison) -> tuple[str, ...]:
    equal = "the learners are equally good, nor that " if result.decision == "not shown" else ""
    return (
        "It compares learners trained on sets of this size, not the one model that you will use.",
        "All folds come from one data set, so it does not show which learner is better on other data."
        + _assumed_of_folds(result)
        if result.design != "independent"
        else "It holds for data sets like these.",
        f"It does not show that {equal}{result.measure_label} is the measure that matters to you.",
    )


def _assumed_of_folds(result: FoldComparison) -> str:
    """Say what the correction for overlapping training sets rests on (docs/scorecard.md)."""
    if result.test not in BY_CORRELATION or result.test_train_ratio is None:
        return ""
    rho = result.test_train_ratio / (1.0 + result.test_train_ratio)
    text = f" It assumes that the differences of two folds correlate by {rho:.2f}, which no data can show (Bengio and "
    text += "Grandvalet 2004)."
    if result.design.startswith(("repeated", "resampled")):
        text += " Folds of learners that follow single items, such as 1-nearest neighbour, correlate more, and many "
        text += "splits of one data set find a difference too often. For them use one round of 10 folds."
    return text


@limits.register
def _(result: Gate) -> tuple[str, ...]:
    passed = f"A pass does not show that {result.name_b} is better, only that it loses less than the margins."
    return (
        passed if result.outcome == "pass" else "Measures and slices without a check were not looked at.",
        THESE_ITEMS.format(n=result.n),
        ONE_MODEL_EACH,
    )
