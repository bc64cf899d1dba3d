"""What a result does not show: two or three lines that every report ends with, as they follow from the result."""

from __future__ import annotations

from functools import singledispatch

from clearwin.results.base import MeasureResult, Result, Sampling
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import Comparison, PerClass
from clearwin.results.curves import ScoreCurves
from clearwin.results.data_sets import DataSetComparison
from clearwin.results.folds import FoldComparison
from clearwin.results.gate import Gate
from clearwin.results.leaderboard import Leaderboard
from clearwin.results.plan import Plan
from clearwin.significance.folds.caveats import BY_CORRELATION

ONE_MODEL_EACH = (
    "It judges the models as they were trained, not the methods that trained them. Another training run can differ."
)
THESE_ITEMS = "It holds for items drawn like these {n:,}. It says nothing about data from another source or time."
INDEPENDENT = (
    "The items were treated as independent. If some belong together (one author, one document), name their groups."
)
NOT_EQUAL = (
    "It does not show that the models are equally good. That takes a margin and the claim that they are equivalent."
)


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


def _measure(label: str) -> str:
    return f"It does not show that {label} is the measure that matters to you, or what a difference is worth."


def _items(n: int, sampling: Sampling | None) -> str:
    if sampling is not None and sampling.unit == "group":
        return (
            f"It holds for groups drawn like these {sampling.n_units:,}. It says nothing about other kinds of groups."
        )
    if sampling is not None and sampling.unit == "time point":
        return f"It holds for a stretch of time like these {sampling.n_units:,} times, in which nothing drifts."
    return THESE_ITEMS.format(n=n)


@limits.register
def _(result: MeasureResult) -> tuple[str, ...]:  # an estimate
    return (_items(result.n, result.sampling), ONE_MODEL_EACH, _measure(result.measure_label))


@limits.register
def _(result: Comparison) -> tuple[str, ...]:
    last = NOT_EQUAL if result.decision == "not shown" and result.margin is None else _measure(result.measure_label)
    return (_items(result.n, result.sampling), ONE_MODEL_EACH, last)


@limits.register
def _(result: PerClass) -> tuple[str, ...]:
    return (
        THESE_ITEMS.format(n=result.n),
        ONE_MODEL_EACH,
        NOT_EQUAL.replace("the models", "models without a difference"),
    )


@limits.register
def _(result: Leaderboard) -> tuple[str, ...]:
    together = "Models that are not told apart need not be equally good, as more items could separate them."
    return (_items(result.n, result.sampling), ONE_MODEL_EACH, together)


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
def _(result: DataSetComparison) -> tuple[str, ...]:
    return (
        f"It treats the {result.n:,} data sets as a sample of all that matter. Similar ones among them count too much.",
        "A better average rank does not say by how much a model is better, or on which data set.",
    )


@limits.register
def _(result: AgainstChance) -> tuple[str, ...]:
    return (
        "Better than chance is a low bar, and it does not show that the classifier is good enough to use.",
        THESE_ITEMS.format(n=result.n),
        INDEPENDENT,
    )


@limits.register
def _(result: Gate) -> tuple[str, ...]:
    passed = f"A pass does not show that {result.name_b} is better, only that it loses less than the margins."
    return (
        passed if result.outcome == "pass" else "Measures and slices without a check were not looked at.",
        THESE_ITEMS.format(n=result.n),
        ONE_MODEL_EACH,
    )


@limits.register
def _(result: Plan) -> tuple[str, ...]:
    rates = "assumed rates" if result.pilot_items is None else "the pilot"
    return (
        f"It does not show that there is such a difference. It rests on your numbers and on {rates}.",
        "It holds for new items drawn like those, and for the test that is named above.",
    )


@limits.register
def _(result: ScoreCurves) -> tuple[str, ...]:
    return (
        "Curves describe. Whether one model is better than another takes a test (compare).",
        f"The thresholds were chosen on these {result.n:,} items, so costs at them look better than on new items.",
    )
