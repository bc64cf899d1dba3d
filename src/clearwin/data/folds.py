"""Scores of two learners over the same folds, and how the folds came about.

The right test depends on which training sets overlap, and how large a test set is against its training set. Folds of
one data set share most of their training items, so their differences are correlated and a plain paired t test finds
differences where there are none (Dietterich 1998; Nadeau and Bengio 2003).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clearwin.data.arrays import refuse_texts
from clearwin.data.questions import Options, Question
from clearwin.data.samples import ReadingNotes, Sample
from clearwin.errors import ClearwinError, DataError, OptionError, UnknownNameError, setting
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats
from clearwin.numerics.pvalues import MARGIN_CLAIMS, TIE

MOST_FOLDS = 5_000
MOST_DRAWN = 1_000_000
LARGEST_SCORE = 1e150  # squares of larger ones are above any float
NOT_GIVEN = "not given"
DESIGNS: Mapping[str, str] = {
    "k-fold": "one round of k-fold cross-validation",
    "repeated k-fold": "several rounds, each with the data shuffled anew",
    "resampled": "random training and test sets drawn again and again from one data set",
    "5x2": "five rounds of two-fold cross-validation",
    "independent": "a data set of its own for every score, or training and test sets that share nothing",
}
ROUNDS = re.compile(r"(\d+)\s*[x×]\s*(\d+)\s*(cv)?")
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


@dataclass(frozen=True, eq=False)
class FoldSample(Sample):
    """The scores of two learners on the same folds, and how the folds came about."""

    a: Floats
    b: Floats
    design: Design
    about: ReadingNotes = field(default_factory=ReadingNotes)
    sampling: None = None

    @property
    def n(self) -> int:
        """The number of folds."""
        return self.a.size

    @cached_property
    def scale(self) -> float:
        """The largest score in size, which rounding errors are measured by."""
        return max(float(np.abs(self.a).max()), float(np.abs(self.b).max()))

    @cached_property
    def differences(self) -> Floats:
        """Return b − a for each fold; what is only a rounding error is 0."""
        found = self.b - self.a
        found[np.abs(found) <= TIE * self.scale] = 0.0
        return found

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the differences, 0 where they differ by rounding errors only or there is one."""
        if self.n == 1 or float(np.ptp(self.differences)) <= 2.0 * TIE * self.scale:
            return 0.0
        return float(np.std(self.differences, ddof=1))

    def estimates(self, measure: Measure) -> tuple[float, float]:
        """Return the mean scores of A and B."""
        return math.fsum(self.a.tolist()) / self.n, math.fsum(self.b.tolist()) / self.n

    def difference(self, measure: Measure) -> float:
        """Return the mean of the folds' differences."""
        found = math.fsum(self.differences.tolist()) / self.n
        return 0.0 if abs(found) <= TIE * self.scale else found

    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Scores have no classes."""
        return []

    def ungrouped(self) -> FoldSample:
        """Folds have no groups."""
        return self

    def n_differing_units(self, measure: Measure) -> int:
        """Return how many folds have a difference."""
        return int(np.count_nonzero(self.differences))

    @property
    def outcomes(self) -> dict[str, int]:
        """Who has the higher score in how many folds."""
        higher, lower = int((self.differences > 0).sum()), int((self.differences < 0).sum())
        return {"b_higher": higher, "a_higher": lower, "equal": self.n - higher - lower}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the scores, in their order."""
        return hashlib.sha256(self.a.tobytes() + self.b.tobytes()).hexdigest()[:16]


@dataclass(frozen=True)
class FoldOptions(Options):
    """How to answer; differences up to ``margin``, in units of the scores, are practically equivalent."""

    margin: float = 0.01

    def _check_margin(self) -> None:
        """Over folds the margin is that of the posterior; no claim is about it."""
        if self.claim in MARGIN_CLAIMS:
            raise OptionError(
                f"The claim is {self.claim!r}, which tests over folds do not take.",
                "different, better or worse",
                setting("claim", "better") + "; the posterior says how probable it is that the margin holds",
            )

    @property
    def claimed_margin(self) -> float | None:
        """None: no claim is about the margin."""
        return None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_resamples > MOST_DRAWN:
            what = f"n_resamples is {self.n_resamples:,}."
            raise OptionError(what, f"at most {MOST_DRAWN:,} over folds", setting("n_resamples", 100000))
        number = isinstance(self.margin, int | float | np.number) and not isinstance(self.margin, bool)
        if not number or not 0 <= self.margin < math.inf:
            raise OptionError(
                f"margin is {self.margin!r}.",
                "the largest difference that does not matter, 0 or more",
                setting("margin", 0.01),
            )
        object.__setattr__(self, "margin", float(self.margin))


def margin_of(question: Question[FoldSample]) -> float:
    """Return the largest difference that does not matter."""
    assert isinstance(question.options, FoldOptions)
    return question.options.margin


def score_over_folds(label: Any, higher_is_better: Any) -> Measure:
    """Return the scores as a measure: a mean over folds that goes by this name."""
    if not isinstance(higher_is_better, bool | np.bool_):
        what = f"higher_is_better is {higher_is_better!r}."
        raise OptionError(what, "True, or False for errors, losses and costs", "higher_is_better=False")
    if not isinstance(label, str) or not label.strip():
        raise OptionError(
            f"measure_label is {label!r}.", "what to call the scores", setting("measure_label", "accuracy")
        )
    return Measure(
        name=label,
        label=label,
        higher_is_better=bool(higher_is_better),
        decomposition="items",
        formula="mean over folds",
        source="",
        function=np.mean,
        undefined_when="never",
        range=lambda: (-math.inf, math.inf),
        takes="folds",
    )


def read_folds(a: Any, b: Any, design: Any, repeats: Any, test_train_ratio: Any) -> FoldSample:
    """Validate the scores of two learners, matched by position, and what was said of the folds."""
    scores_a, scores_b = read_scores("a", a), read_scores("b", b)
    if scores_a.shape != scores_b.shape:
        raise DataError(
            f"a has {_by(scores_a.shape)} scores and b has {_by(scores_b.shape)}.",
            "a score of both learners for every fold, in the same order",
            "run both on the same splits: cross_compare(learner_a, learner_b, X, y) does",
        )
    return FoldSample(
        scores_a.ravel(), scores_b.ravel(), read_design(design, scores_a.shape, repeats, test_train_ratio)
    )


def read_scores(name: str, given: Any) -> Floats:
    """Return one learner's scores as finite numbers, in one row or in rows."""
    try:
        if np.iscomplexobj(given):
            raise TypeError
        refuse_texts(name, np.asarray(given))
        found = np.array(given, dtype=np.float64)
    except ClearwinError:
        raise
    except (TypeError, ValueError):
        raise DataError(f"{name} does not hold numbers.", "a score for each fold", f"{name}=[0.91, 0.88, …]") from None
    if found.ndim not in (1, 2) or found.size == 0:
        raise DataError(
            f"{name} has {'no scores' if found.size == 0 else f'{found.ndim} dimensions'}.",
            "a score for each fold in one row, or repeats × folds",
        )
    if not np.isfinite(found).all():
        place = int(np.flatnonzero(~np.isfinite(found.ravel()))[0])
        raise DataError(
            f"{name} holds {found.ravel()[place]} for fold {place + 1}.",
            "a finite score for every fold",
            "find out why the learner failed there; leaving the fold out would favour it",
        )
    if np.abs(found).max() > LARGEST_SCORE:
        raise DataError(
            f"{name} holds a score of {found.ravel()[np.abs(found).argmax()]:g}.",
            f"scores of at most {LARGEST_SCORE:g} in size",
            "divide the scores of both learners by the same number",
        )
    if found.size > MOST_FOLDS:
        raise DataError(
            f"{name} has {found.size:,} scores, too many for folds.",
            f"at most {MOST_FOLDS:,}",
            'compare(None, a, b, measure="mean") for a score of every test item',
        )
    return found


def rounds_and_folds(text: str) -> tuple[int, int] | None:
    """Read rounds × folds of cross-validation.

    >>> rounds_and_folds("5x2cv"), rounds_and_folds("10 x 10"), rounds_and_folds("k-fold")
    ((5, 2), (10, 10), None)
    """
    found = ROUNDS.fullmatch(text.strip().lower())
    return (int(found[1]), int(found[2])) if found and int(found[1]) >= 1 and int(found[2]) >= 2 else None


def _spelled_as_rounds(name: Any, n: int, repeats: Any) -> tuple[Any, Any]:
    """Return the design and the repeats that "10x10", "5x2cv" or a number of folds stand for."""
    number = isinstance(name, int | np.integer) and not isinstance(name, bool)
    wanted = (1, int(name)) if number else rounds_and_folds(name) if isinstance(name, str) else None
    if wanted is None:
        return name, repeats
    if wanted == (5, 2):
        return "5x2", repeats
    if n != wanted[0] * wanted[1] or repeats not in (None, wanted[0]):
        raise DataError(
            f"{name} is {wanted[0]} × {wanted[1]} scores, and there are {n}"
            + (f" of {repeats} rounds" if repeats is not None else "")
            + ".",
            "a score of each learner for every fold of every round",
            setting("design", "k-fold") if wanted[0] == 1 else setting("design", "repeated k-fold"),
        )
    return ("k-fold", None) if wanted[0] == 1 else ("repeated k-fold", wanted[0])


def read_design(name: Any, shape: tuple[int, ...], repeats: Any, test_train_ratio: Any) -> Design:
    """Return the design of scores of this shape, or say what does not fit."""
    n = int(np.prod(shape))
    ratio = None if test_train_ratio is None else _ratio(test_train_ratio)
    name, repeats = _spelled_as_rounds(name, n, repeats)
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
        found = f"they come as {_by(shape)}, and 5 × 2 is wanted"
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
            f"repeats {'was not given' if repeats is None else f'is {repeats!r}'} for {_by(shape)} scores.",
            "how many rounds of cross-validation there were, two folds or more in each",
            _possible_repeats(n if len(shape) == 1 else 0),
        )
    return int(repeats)


def _possible_repeats(n: int) -> str:
    """Suggest rounds that ``n`` scores can be of."""
    found = [rounds for rounds in range(2, n // 2 + 1) if n % rounds == 0]
    shape = "scores of the shape (repeats, folds)"
    return setting("repeats", *found[:4]) + f", or {shape}" if found else shape


def _by(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
