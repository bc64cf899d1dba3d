"""How scores over folds came about: which training sets overlap, and how large a test set is against its training set.

The right test depends on it. Folds of one data set share most of their training items, so their differences are
correlated and a plain paired t test finds differences that are none (Dietterich 1998; Nadeau and Bengio 2003).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.errors import DataError, OptionError, UnknownNameError, setting

NOT_GIVEN = "not given"
DESIGNS: Mapping[str, str] = {
    "k-fold": "one round of k-fold cross-validation",
    "repeated k-fold": "several rounds, each with the data shuffled anew",
    "resampled": "random training and test sets drawn again and again from one data set",
    "5x2": "five rounds of two-fold cross-validation",
    "independent": "a data set of its own for every score, or training and test sets that share nothing",
}
MOST_OFF = 0.1
LIST = "; ".join(f"{name!r}: {what}" for name, what in DESIGNS.items())


@dataclass(frozen=True)
class Design:
    """The design of the folds; ``ratio`` is the size of a test set over that of its training set, where it is known."""

    name: str
    repeats: int
    folds: int
    ratio: float | None

    @property
    def overlaps(self) -> bool:
        """Whether training sets share items; where nothing was said they may."""
        return self.name != "independent"

    def __str__(self) -> str:
        if self.name == "5x2" or self.repeats == 1:
            return self.name
        return f"{self.name}, {self.repeats} × {self.folds}"


def read_design(name: Any, shape: tuple[int, ...], repeats: Any, test_train_ratio: Any) -> Design:
    """Return the design of scores of this shape, or say what does not fit."""
    n = int(np.prod(shape))
    ratio = None if test_train_ratio is None else _ratio(test_train_ratio)
    if name is not None and (not isinstance(name, str) or name not in DESIGNS):
        raise UnknownNameError("design of folds", name, DESIGNS)
    if repeats is not None and name != "repeated k-fold":
        raise OptionError(
            f"repeats is {repeats!r} and the design is {name!r}.",
            "repeats with repeated cross-validation only",
            setting("design", "repeated k-fold"),
        )
    if name == "5x2" and (n != 10 or (len(shape) == 2 and shape != (5, 2))):
        raise DataError(*wrong_number_for_5x2(n, shape))
    if name == "repeated k-fold":
        rounds = _repeats(repeats, shape)
        _refuse_other_ratio(ratio, n // rounds)
        return Design(name, rounds, n // rounds, 1.0 / (n // rounds - 1) if ratio is None else ratio)
    if len(shape) == 2 and name != "5x2":
        raise DataError(
            f"The scores have {shape[0]} rows of {shape[1]}.",
            "one row of scores, or the designs 'repeated k-fold' (repeats × folds) and '5x2' (5 × 2)",
            setting("design", "repeated k-fold"),
        )
    if name == "5x2":
        return Design(name, 5, 2, 1.0 if ratio is None else ratio)
    if name == "k-fold" and n > 1:
        _refuse_other_ratio(ratio, n)
        ratio = 1.0 / (n - 1) if ratio is None else ratio
    return Design(NOT_GIVEN if name is None else name, 1, n, ratio)


def _refuse_other_ratio(ratio: float | None, folds: int) -> None:
    """In k-fold cross-validation the ratio follows from k, but for folds of not quite the same size."""
    if ratio is not None and abs(ratio * (folds - 1) - 1.0) > MOST_OFF:
        raise OptionError(
            f"test_train_ratio is {ratio:g}, and the design has {folds} folds.",
            f"1/{folds - 1}, which follows from {folds} folds",
            "leave test_train_ratio out, or " + setting("design", "resampled"),
        )


def wrong_number_for_5x2(n: int, shape: tuple[int, ...] = ()) -> tuple[str, str, str]:
    """Say what 5x2 cross-validation needs: the three parts of an error."""
    found = f"there {'is' if n == 1 else 'are'} {n}"
    if n == 10:
        found = f"they come as {' × '.join(map(str, shape))}, and 5 × 2 is wanted"
    return (
        f"5x2 cross-validation has 10 scores, and {found}.",
        "five rounds of two scores, in the order round 1 fold 1, round 1 fold 2, round 2 fold 1, …",
        setting("test", "corrected_t")
        + " with "
        + setting("design", "k-fold", "repeated k-fold")
        + " for other cross-validations",
    )


def _ratio(value: Any) -> float:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 < value < float("inf"):
        raise OptionError(
            f"test_train_ratio is {value!r}.",
            "a number above 0: the size of a test set over the size of its training set",
            setting("test_train_ratio", 0.5) + " for two thirds of the items to train on and one third to test on",
        )
    return float(value)


def _repeats(repeats: Any, shape: tuple[int, ...]) -> int:
    n = int(np.prod(shape))
    if len(shape) == 2 and repeats in (None, shape[0]):
        repeats = shape[0]
    whole = isinstance(repeats, int | np.integer) and not isinstance(repeats, bool) and repeats >= 1
    if not whole or (len(shape) == 2 and repeats != shape[0]) or n % repeats or n // repeats < 2:
        raise OptionError(
            f"repeats {'was not given' if repeats is None else f'is {repeats!r}'} for "
            f"{' × '.join(map(str, shape))} scores.",
            "how many rounds of cross-validation there were, two folds or more in each",
            _possible_repeats(n if len(shape) == 1 else 0),
        )
    return int(repeats)


def _possible_repeats(n: int) -> str:
    """Suggest rounds that ``n`` scores can be of."""
    found = [rounds for rounds in range(2, n // 2 + 1) if n % rounds == 0]
    shape = "scores of the shape (repeats, folds)"
    return setting("repeats", *found[:4]) + f", or {shape}" if found else shape
