"""From what a user gives to per-item values: values as such, or the losses of scores against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data import refuse_shuffled_indexes
from clearwin.errors import DataError, OptionError
from clearwin.execution import Seed
from clearwin.grouping import read_grouping
from clearwin.judging import About
from clearwin.measures import Measure
from clearwin.result import Claim
from clearwin.scores import numbers, scored_items
from clearwin.significance import ValueQuestion
from clearwin.values import LARGEST_VALUE, PairedValues, paired_values

Floats = NDArray[np.float64]
OF_ITEMS = ("losses", "values")  # measures that are read off one number for each item


@dataclass(frozen=True, eq=False)
class ItemValues:
    """The values of two models (of one: twice), what is known of the classes, and the measure to judge them by."""

    values: PairedValues
    measure: Measure
    about: About
    classes: tuple[tuple[object, int], ...] = ()

    def ask(
        self, claim: Claim, method: str, interval: str, confidence_level: float, n_resamples: int, seed: Seed
    ) -> ValueQuestion:
        """Return the question about these values."""
        return ValueQuestion(
            self.values, self.measure, claim, method, interval, confidence_level, n_resamples, seed, self.classes
        )


def check_truth(measure: Measure, truth: Any) -> None:
    """Raise unless there is a truth just where the measure needs one."""
    if measure.takes == "values" and truth is not None:
        raise OptionError(
            f"{measure.label} is a mean of the items' own values and takes no truth.",
            "None as the truth, for a measure of values",
            f"compare(None, a, b, measure={measure.name!r}), or mae for predictions of a number",
        )
    if measure.takes != "values" and truth is None:
        raise DataError(
            f"{measure.label} needs the truth, and there is none.",
            "the true label or number of every item",
            "compare(truth, a, b), or measure='mean' for values that need no truth",
        )


def read_values(
    measure: Measure, truth: Any, a: Any, b: Any = None, *, positive: Any = None, stratified: bool = False,
    rank_infinite: bool = False, groups: Any = None, strata: Any = None, **others: Any,
) -> ItemValues:  # fmt: skip
    """Validate values, or make losses of truth and scores; of one model when ``b`` is None."""
    _refuse_others(measure, others)
    refuse_shuffled_indexes({"truth": truth, "a": a, "b": b, "groups": groups, "strata": strata})
    if measure.takes == "values":
        _refuse_others(measure, {"positive": positive, "stratified": stratified, "rank_infinite": rank_infinite})
        columns = paired_values(a, b)
        return ItemValues(
            PairedValues(*columns, read_grouping(columns[0].size, groups, strata)), measure, About(None, inferred=False)
        )
    regression = _numeric_truth(measure, truth) if positive is None else None
    if regression is not None and stratified and np.unique(regression).size == 2:
        regression = None  # drawn class by class, so they are classes
    if regression is not None:
        _refuse_others(measure, {"stratified": stratified, "rank_infinite": rank_infinite})
        columns = _losses(measure, regression, _predictions(regression, a, b), single=b is None)
        grouping = read_grouping(columns[0].size, groups, strata)
        return ItemValues(PairedValues(*columns, grouping), measure, About(None, inferred=False))
    return _of_classes(
        measure, truth, (a,) if b is None else (a, b), positive, stratified, rank_infinite, groups, strata
    )


def _refuse_others(measure: Measure, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None and value is not False:
            raise OptionError(
                f"{measure.label} is a mean or a sum of numbers and takes no {name}.",
                f"{name} with a measure that has a use for it",
                f"leave {name} out" + (', or measure="f1"' if name in ("threshold", "dev") else ""),
            )


def _of_classes(
    measure: Measure, truth: Any, scores: tuple[Any, ...], positive: Any, stratified: bool, rank_infinite: bool,
    groups: Any, strata: Any,
) -> ItemValues:  # fmt: skip
    """Losses of scores against two classes: y = 1 for the positive class and 0 for the other."""
    items = scored_items(truth, *scores, positive=positive, rank_infinite=rank_infinite)
    if stratified and strata is not None:
        raise OptionError(
            "stratified draws class by class, and strata were given, too.", "one of them", "leave stratified out"
        )
    if stratified:
        strata = np.where(items.truth, str(items.positive), str(items.negative))
    columns = _losses(measure, items.truth, items.scores, single=len(scores) == 1)
    return ItemValues(
        PairedValues(*columns, read_grouping(items.n, groups, strata)),
        measure,
        About(items.positive, items.inferred, items.against_others),
        ((items.negative, items.n - items.positives), (items.positive, items.positives)),
    )


def _numeric_truth(measure: Measure, truth: Any) -> Floats | None:
    """Return the truth as numbers where the measure takes any numbers, and they are not just 0 and 1.

    Of 0 and 1 the numbers are the same and the classes are known besides; −1 and 1 are taken as the numbers they are.
    """
    if not measure.any_truth:
        return None
    try:
        found = numbers("truth", truth, rank_infinite=True, noun="number")
    except DataError:
        return None  # labels: whatever is wrong with them is said where they are read
    return numbers("truth", found, noun="number") if not np.isin(found, (0.0, 1.0)).all() else None


def _predictions(truth: Floats, a: Any, b: Any) -> tuple[Floats, Floats]:
    columns = paired_values(a, b, noun="prediction")
    if columns[0].size != truth.size:
        what = f"The lengths differ: truth has {truth.size:,}, a has {columns[0].size:,}."
        raise DataError(what, "one prediction for each item, in the same order", "leave out what one of them lacks")
    return columns


def _losses(
    measure: Measure, truth: NDArray[Any], scores: tuple[Floats, ...], *, single: bool
) -> tuple[Floats, Floats]:
    with np.errstate(over="ignore"):
        a = measure.losses(truth, scores[0])
        b = a if single else measure.losses(truth, scores[-1])
    if not (max(a.max(), b.max()) <= LARGEST_VALUE):
        raise DataError(
            f"{measure.label} overflows: an item's loss is above {LARGEST_VALUE:g}.",
            "finite scores of a usual size",
            "rescale the scores, or judge their order alone by auc",
        )
    return a, b
