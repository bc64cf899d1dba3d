"""What a measure is. Read me first.

A measure is one decorated function on a confusion matrix. The matrix may hold single counts or arrays of counts
(one per replicate), so the same formula serves the estimate and ten thousand replicates. The decorator declares
what everything else needs to know; registering a measure puts it on the command line, into the docs and into
every contract test.

The one field that decides which tests apply is the ``decomposition`` (keller2004):

* ``"items"``: a mean over test items (accuracy);
* ``"classes"``: a weighted sum of per-class error rates (DCF, HTER, recall), each a mean over its class;
* ``"none"``: neither, a *bizarre* measure (F1, MCC).

Division goes through the ``ratio`` that the function receives. It applies one stated convention for 0/0
(``zero_division``, by default 0 as in scikit-learn) and records where it was needed.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import AnyCounts, ClassCounts, ConfusionMatrix, Counts
from clearwin.errors import OptionError, UnknownNameError
from clearwin.numerics.arrays import Floats

Decomposition = Literal["items", "classes", "none"]
Formula = Callable[..., Any]
LARGEST_OPTION = 1e100  # so that its square is still a float
STEP = 1e-6  # of all items, for a derivative
FEW_CLASSES = 50  # up to here each is moved by itself, as any formula can be
FEW_NUMBERS = 2**12  # of matrices: calls take longer than so few numbers
MOVES = np.append(np.zeros(4), np.eye(4)).reshape(5, 2, 2, 1).transpose(1, 2, 0, 3)  # none, and one in each cell


class Ratio:
    """Division with one stated value for 0/0, which records where it was needed."""

    def __init__(self, zero_division: float) -> None:
        self.zero_division = zero_division
        self.undefined: NDArray[np.bool_] = np.zeros((), dtype=np.bool_)

    def __call__(self, numerator: Any, denominator: Any) -> Floats:
        denominator = np.asarray(denominator, dtype=np.float64)
        empty = denominator == 0.0
        if not empty.any():
            return np.asarray(numerator / denominator)
        self.undefined = self.undefined | empty
        return np.where(empty, self.zero_division, numerator / np.where(empty, 1.0, denominator))


@dataclass(frozen=True, eq=False)
class Values:
    """A measure's values, and where the convention for 0/0 was used."""

    values: Floats
    undefined: NDArray[np.bool_]


@dataclass(frozen=True)
class DataKind:
    """What measures of one kind of data have in common."""

    over: Literal["items", "folds"] = "items"
    truth: bool = True  # answers are judged against a truth
    classes: bool = True  # items come in classes that may be small
    scores: bool = False  # judged by the order of scores, or by every item's loss
    decisions: bool = False  # one decision for each item, which together make a confusion matrix
    predicted: bool = True  # by learners


KINDS: Mapping[str, DataKind] = {
    "decisions": DataKind(decisions=True),
    "label sets": DataKind(),
    "sums": DataKind(classes=False, predicted=False),
    "scores": DataKind(scores=True),
    "losses": DataKind(scores=True),
    "values": DataKind(truth=False, classes=False, predicted=False),
    "folds": DataKind(over="folds", truth=False, classes=False, predicted=False),
}


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with its options filled in. Calling it with other options gives another measure.

    >>> import clearwin as cw
    >>> str(cw.list_measures()["f_beta"](beta=0.5))
    'f_beta(beta=0.5)'
    """

    name: str
    label: str
    higher_is_better: bool
    decomposition: Decomposition
    formula: str
    source: str
    function: Formula
    undefined_when: str
    range: Callable[..., tuple[float, float]]
    any_number_of_classes: bool = False
    needs_positive: bool = True
    is_proportion: bool = False
    takes: Literal["decisions", "label sets", "sums", "scores", "losses", "values", "folds"] = "decisions"
    of_label_sets: bool = False  # also defined where an item has several labels or none
    of_whole_sets: bool = False  # judges all labels of an item as one answer, so that it has no classes
    mean_over_documents: bool = False  # for label sets: a mean over documents of a share, which needs their number
    is_share_right: bool = False  # the share of the items that are right
    in_parts: bool = False  # a mean over classes, of which some may be undefined
    mean_over_classes: bool = False  # a plain mean of one term for each class, made of that class's counts alone
    weighted_over_classes: bool = False  # the same, weighted by the classes' items
    of_totals: bool = False  # a formula on the counts of all classes added up
    needs_matrix: bool = False  # needs more than each class's items, hits and predictions
    scan: str = ""  # for scores: the kernel that computes it from the ranking
    is_area: bool = False  # for scores: the area under the ROC curve, a mean over pairs of items
    mean_over_positives: bool = False  # for scores: each positive item has a value of its own
    whole_ranking: bool = False  # for scores: every item's place counts
    at_one_threshold: bool = False  # for scores: the value at one threshold, which depends on all items
    is_sum: bool = False
    clipped: bool = False  # for losses: the largest one is where it was clipped, which says nothing about the items
    of_winners: bool = False  # for values: they are points, read from who won each battle
    whole_items: bool = False  # a user's own function may not accept fractions of items
    any_truth: bool = False  # for losses: the truth may be any numbers, not only two classes
    class_weights: Callable[..., list[float]] | None = None
    check: Callable[..., None] | None = None
    aliases: tuple[str, ...] = ()
    defaults: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, float] = field(default_factory=dict)

    @property
    def kind(self) -> DataKind:
        """What it has in common with the other measures of the same kind of data."""
        return KINDS[self.takes]

    @property
    def needs_truth(self) -> bool:
        """Return whether answers are judged against a truth; values are not."""
        return self.kind.truth

    @property
    def judges_marks(self) -> bool:
        """Return whether it only asks which items are right, so that right/wrong columns need no truth."""
        return self.takes == "decisions" and self.is_proportion and self.decomposition == "items"

    @property
    def needs_scores(self) -> bool:
        """Return whether it judges scores, by their order or by every item's loss."""
        return self.kind.scores

    @property
    def needs_numbers(self) -> bool:
        """Return whether every item has a number for each model: a score or a value."""
        return self.needs_scores or not self.needs_truth

    @property
    def declares_range(self) -> bool:
        """Return whether the user can declare the least and the largest value of an item."""
        return "lowest" in self.defaults

    @property
    def keys(self) -> tuple[str, str, str]:
        """The keys for tables about measures, the most specific first."""
        return self.name, self.takes, self.decomposition

    @property
    def is_mean(self) -> bool:
        """Return whether it is a mean or a sum over items; a trimmed mean is neither."""
        return self.decomposition == "items"

    @property
    def settings(self) -> dict[str, float]:
        """All options, given or default."""
        return {**self.defaults, **self.options}

    @property
    def _own(self) -> dict[str, float]:
        return {name: value for name, value in self.settings.items() if name != "zero_division"}

    @property
    def sign(self) -> int:
        """+1 when higher is better, −1 when lower is."""
        return 1 if self.higher_is_better else -1

    @property
    def better(self) -> str:
        """Which values are better: "higher" or "lower"."""
        return "higher" if self.higher_is_better else "lower"

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value it can have."""
        return self.range(**self._own)

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={shortest(value)}" for name, value in self.options.items())
        return f"{self.name}({inside})" if inside else self.name

    def __call__(self, **options: float) -> Measure:
        for name, value in options.items():
            if name not in self.defaults:
                raise UnknownNameError(f"option of {self.name}", name, self.defaults)
            check_option(self.name, name, value)
        made = replace(self, options={**self.options, **{name: float(value) for name, value in options.items()}})
        if made.check is not None:
            made.check(**made._own)
        return made

    def evaluate(self, counts: AnyCounts) -> Values:
        """Return the value for every replicate in ``counts``, and where 0/0 was set by convention."""
        ratio = Ratio(self.settings.get("zero_division", 0.0))
        if self.is_proportion:
            values = ratio(*self.function(counts, **self._own))
        else:
            values = self.function(counts, ratio, **self._own)
        values = np.asarray(values, dtype=np.float64)
        return Values(values, np.broadcast_to(ratio.undefined, values.shape))

    def derivative(self, counts: AnyCounts) -> AnyCounts:
        """Return how fast the value grows with each count, at counts that may be fractions of items.

        By finite differences with a step of a millionth of all items. Rounding and curvature leave about six correct
        digits, and a standard error needs three.
        """
        if isinstance(counts, ConfusionMatrix):
            cells = counts.cells
            if counts.k == 2 and cells.ndim == 3 and cells.size <= FEW_NUMBERS:
                return ConfusionMatrix(self._slopes_of_two_classes(cells))
            return ConfusionMatrix(self._slopes(cells, ConfusionMatrix))
        parts = {"truths": counts.truths, "predicted": counts.predicted, "hits": counts.hits}
        if counts.k > FEW_CLASSES and (self.of_totals or self.weighted_over_classes):
            parts = (
                self._slopes_of_totals(parts, counts.n) if self.of_totals else self._slopes_of_weighted(parts, counts.n)
            )
            return ClassCounts(**parts, n=self._slopes_of_n(counts))
        if self.mean_over_classes:  # each class is one more replicate, so that one step serves all classes at once
            parts = {name: part[None] for name, part in parts.items()}
        slopes = {}
        for name, part in parts.items():
            slope = self._slopes(part, lambda moved, of=name: ClassCounts(**{**parts, of: moved}, n=counts.n))  # type: ignore[misc]
            slopes[name] = slope[0] / counts.k if self.mean_over_classes else slope
        return ClassCounts(**slopes, n=self._slopes_of_n(counts))

    def _slopes_of_n(self, counts: ClassCounts) -> Any:
        n = np.asarray(counts.n, dtype=np.float64)[None]
        return self._slopes(n, lambda moved: replace(counts, n=moved[0]))[0]

    def _slopes_of_totals(self, parts: dict[str, Counts], n: Counts) -> dict[str, Any]:
        """Return the slopes of a formula on totals: one item more of any class moves the same one."""
        totals = self.derivative(ClassCounts(**{name: part.sum(axis=0)[None] for name, part in parts.items()}, n=n))
        return {name: np.broadcast_to(getattr(totals, name), part.shape) for name, part in parts.items()}

    def _slopes_of_weighted(self, parts: dict[str, Counts], n: Counts) -> dict[str, Any]:
        """Return the slopes of a mean weighted by the classes' items: a step in a class moves its own term alone."""

        def terms(moved: dict[str, Any]) -> tuple[Any, Any]:
            of_class = self.evaluate(ClassCounts(**{name: part[None] for name, part in moved.items()}, n=n)).values
            return moved["truths"] * of_class, moved["truths"]

        step = STEP * np.maximum(n, 1.0)
        own, items = terms(parts)
        every, all_items = own.sum(axis=0), items.sum(axis=0)
        start = self.evaluate(ClassCounts(**parts, n=n)).values
        slopes = {}
        for name, part in parts.items():
            moved, more = terms({**parts, name: part + step})
            with np.errstate(invalid="ignore"):
                slopes[name] = np.nan_to_num(((every - own + moved) / (all_items - items + more) - start) / step)
        return slopes

    def _slopes(self, numbers: Any, read: Callable[[Any], AnyCounts]) -> Any:
        """Return the slope along every number; the last of several axes is that of the replicates."""
        slopes = np.empty(numbers.shape)
        start = self.evaluate(read(numbers)).values
        step = STEP * np.maximum(read(numbers).n, 1.0)
        for place in np.ndindex(numbers.shape[: numbers.ndim - start.ndim]):
            moved = np.array(numbers, dtype=np.float64)
            moved[place] += step
            with np.errstate(invalid="ignore"):
                slopes[place] = (self.evaluate(read(moved)).values - start) / step
            if np.isnan(slopes[place]).any():  # out of the formula's range, so step the other way
                moved[place] -= 2 * step
                with np.errstate(invalid="ignore"):
                    back = (start - self.evaluate(read(moved)).values) / step
                slopes[place] = np.nan_to_num(np.where(np.isnan(slopes[place]), back, slopes[place]))
        return slopes

    def _slopes_of_two_classes(self, cells: Any) -> Any:
        """Return the slope along each of the four cells of a few matrices, which one evaluation moves all at once.

        One more item in a cell is a matrix like any other, so no step leads out of a formula's range.
        """
        step = STEP * np.maximum(ConfusionMatrix(cells).n, 1.0)
        moved = (cells[:, :, None] + MOVES * step).reshape(2, 2, -1)
        start, *values = self.evaluate(ConfusionMatrix(moved)).values.reshape(5, -1)
        return ((np.array(values) - start) / step).reshape(cells.shape)

    def scan_options(self) -> tuple[float, ...]:
        """Return the parameters for the kernel of a ranking measure."""
        return tuple(self.function(**self._own))

    def losses(self, truth: Any, scores: Any) -> Floats:
        """Return each item's loss, for a measure that is a mean or a sum of losses."""
        return np.asarray(self.function(truth, scores, **self._own), dtype=np.float64)

    @property
    def trimmed(self) -> float:
        """The share of the items that a mean of values leaves out at each end."""
        return float(self.function(**self._own)) if not self.needs_truth else 0.0

    def proportion(self, counts: ConfusionMatrix) -> tuple[int, int]:
        """Return successes and trials of a measure that is a plain proportion."""
        successes, trials = self.function(counts, **self._own)
        return int(successes), int(trials)

    def weights(self, k: int) -> list[float]:
        """Return the weight of each class's error rate; for two classes in the order negative, positive."""
        assert self.class_weights is not None  # only called for the decomposition "classes", as the contracts check
        return self.class_weights(k, **self._own)


def shortest(value: float) -> str:
    """Write a number as briefly as possible without losing digits.

    >>> shortest(10.0), shortest(0.01), shortest(1234567.891)
    ('10', '0.01', '1234567.891')
    """
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def check_option(measure: str, name: str, value: object) -> None:
    """Raise unless the value can be computed with."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not -LARGEST_OPTION <= value <= LARGEST_OPTION:  # type: ignore[operator]
        raise OptionError(f"{measure}: {name} is {value!r}.", f"a finite number, at most {LARGEST_OPTION:g} in size")
    if name == "zero_division" and not 0 <= value <= 1:  # type: ignore[operator]
        raise OptionError(f"{measure}: zero_division is {value!r}.", "a value from 0 to 1 for 0/0")


REGISTRY: dict[str, Measure] = {}


def measure(
    *,
    label: str,
    higher_is_better: bool = True,
    decomposition: Decomposition,
    formula: str,
    source: str,
    range: Callable[..., tuple[float, float]] | tuple[float, float] = (0.0, 1.0),
    undefined_when: str = "never",
    **more: Any,
) -> Callable[[Formula], Formula]:
    """Register a function ``(counts, ratio, *, options) → value`` as a measure under its own name."""
    assert decomposition in get_args(Decomposition)

    def register(function: Formula) -> Formula:
        parameters = inspect.signature(function).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        if undefined_when != "never":
            defaults["zero_division"] = 0.0
        REGISTRY[function.__name__] = Measure(
            name=function.__name__,
            label=label,
            higher_is_better=higher_is_better,
            decomposition=decomposition,
            formula=formula,
            source=source,
            function=function,
            undefined_when=undefined_when,
            range=range if callable(range) else lambda **_: range,
            defaults=defaults,
            **more,
        )
        return function

    return register


def rank_measure(**declared: Any) -> Callable[[Formula], Formula]:
    """Register a function ``options → numbers for the kernel named scan``: a measure of how scores rank the items."""
    return measure(decomposition="none", takes="scores", **declared)


def loss_measure(**declared: Any) -> Callable[[Formula], Formula]:
    """Register a function ``(truth, scores, *, options) → losses``: a mean or a sum over items of a loss."""
    return measure(decomposition="items", takes="losses", higher_is_better=False, **declared)


def value_measure(**declared: Any) -> Callable[[Formula], Formula]:
    """Register a function ``options → share to trim at each end``: a mean of values that every item comes with."""
    return measure(**{"takes": "values", "range": (-math.inf, math.inf), **declared})


def proportion(**declared: Any) -> Callable[[Formula], Formula]:
    """Register a function ``counts → (successes, trials)``: a measure that is a plain proportion of items."""
    return measure(is_proportion=True, **declared)


def label_of(measure: Measure) -> str:
    """Return the measure's label, with the options that were given."""
    given = ", ".join(f"{name} {shortest(value)}" for name, value in measure.options.items())
    return f"{measure.label} ({given})" if given else measure.label
