"""Two models on one test set, one model's value, every class: what was found, and how the items divide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from clearwin.errors import NotApplicableError
from clearwin.numerics.intervals import Interval
from clearwin.numerics.pvalues import AnyClaim, Claim
from clearwin.results.base import Distribution, MeasureResult, Result, Signature
from clearwin.results.caveats import Caveat

Matrix = tuple[tuple[int, ...], ...]
Decision = Literal["better", "worse", "not worse", "equivalent", "not shown", "not decided"]


@dataclass(frozen=True)
class Confusion:
    """A confusion matrix with the names of its classes: rows are the truth, columns the decisions."""

    labels: tuple[str, ...]
    cells: Matrix


@dataclass(frozen=True)
class ClassOutcomes:
    """The items of one true class: both models right, only A wrong, only B wrong, both wrong."""

    label: str
    both_right: int
    only_a_wrong: int
    only_b_wrong: int
    both_wrong: int


@dataclass(frozen=True)
class JointOutcomes:
    """Both models' confusion matrices on the same items (rows are the truth), and who is right in each true class."""

    labels: tuple[str, ...]
    confusion_a: Matrix
    confusion_b: Matrix
    classes: tuple[ClassOutcomes, ...]


NAMELESS = "the classifier"  # the name of a model that was given none


@dataclass(frozen=True)
class ErrorReduction:
    """How many errors B avoids (lecture-measures, "Issues with Accuracy").

    ``absolute`` = error(A) − error(B); ``relative`` = absolute / error(A), None when A makes no error.
    """

    absolute: float
    relative: float | None


@dataclass(frozen=True)
class Disagreement:
    """An item on which the models differ, named by id, by its label in an index, or by its position from 0.

    ``shift`` is how far scores move the item from A to B: its place in the ranking (as a share of all items), or its
    value. Decisions have none.
    """

    item: Any
    truth: Any
    a: Any
    b: Any
    shift: float | None = None


@dataclass(frozen=True)
class PartDifference:
    """B against A in one class, label or slice; ``adjusted_p`` is corrected for how many were tested.

    ``decision`` follows it: what is shown about B in this part, also after the correction. ``p_is_bound`` and
    ``undefined_for`` are as in ``Comparison``.
    """

    label: str
    n: int
    estimate_a: float
    estimate_b: float
    difference: float
    interval: Interval
    p_value: float
    adjusted_p: float
    decision: Decision
    p_is_bound: bool = False
    undefined_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contrary:
    """What is shown where a claim with a margin is wrong: B is "worse", or "better", by more than the margin.

    ``bound`` is the end of a one-sided interval of this ``level``, beyond the margin: the least loss or gain.
    """

    claim: Claim
    p_value: float
    log10_p: float
    p_error: float | None
    bound: float
    level: float


@dataclass(frozen=True)
class Interaction:
    """Whether the difference varies between slices: Brown and Forsythe's F test (1974) of equal differences.

    ``slices`` is how many took part; one in which nothing varies does not.
    """

    slices: int
    statistic: float
    degrees: tuple[float, ...]
    p_value: float
    log10_p: float


@dataclass(frozen=True)
class Slicing:
    """How a test set was sliced: by which column, and how p-values were corrected for the number of slices.

    ``interaction`` is None where slices share groups, or where nothing varies in all but one. ``without_value`` has the
    slices in which the measure is undefined, with their numbers of items.
    """

    by: str
    correction: str
    interaction: Interaction | None
    without_value: dict[str, int]


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(MeasureResult):
    """Two models on one test set, compared by one measure.

    ``difference`` is b − a, as in keller2004 section 4.

    ``p_value`` is never 0: one too small for a float is set to the smallest normal float, and ``log10_p`` has it
    exactly. ``p_error`` is the Monte-Carlo standard error of a sampled p-value; with ``p_is_bound`` no draw came as far
    as the data, so p is at most ``p_value`` and may be far smaller. ``confidence`` is keller2004 (13): the fraction
    of bootstrap replicates in which B is better, of those in which the measure is defined (not 0/0) for both; it is not
    a p-value. ``judged`` says what the p-value is about: the "measure", or the "wins" or "ranks" of a test that does
    not look at the measure. ``lead`` is above 0 if that favours B. ``joint`` has the confusion matrices of
    decisions in at most 30 classes; ``n_classes`` is the number of classes.

    ``decision`` is what headline, verdict and pictures say, judged at 1 − confidence level: "better" or "worse" (of B),
    "not shown", or "not decided" where no test is known to keep its level on such data. A claim with a ``margin`` is
    decided as "not worse" (by the margin or more), "equivalent" (within it), "better" if even that is shown, or "not
    shown". Where the claim is shown to be wrong, ``decision`` is "worse" or "better" by more than the margin, and
    ``contrary`` has the test of that. With a ``relative`` margin, given in per cent, ``margin``, ``difference`` and
    ``interval`` are shares of A's value: the difference is then b/a − 1.

    ``undefined_for`` has the models for which the measure, or a part of it, is 0/0 and was set by convention.

    ``slices`` has the same comparison in every slice of the items, where ``by`` was given, and ``slicing`` says how.
    """

    not_written = ("distribution", "look_up")
    has_differences = True
    tables = ("slices",)

    name_a: str
    name_b: str
    estimate_a: float
    estimate_b: float
    difference: float
    test: str
    test_label: str
    method: str
    why: str
    claim: AnyClaim
    null_hypothesis: str
    statistic: float
    p_value: float
    log10_p: float
    p_error: float | None
    confidence: float | None
    thresholds: tuple[float, ...] | None
    outcomes: dict[str, int]
    error_reduction: ErrorReduction | None
    decision: Decision
    judged: str = "measure"
    lead: float = 0.0
    p_is_bound: bool = False
    undefined_for: tuple[str, ...] = ()
    joint: JointOutcomes | None = None
    n_classes: int | None = None
    margin: float | None = None
    relative: bool = False
    contrary: Contrary | None = None
    slices: tuple[PartDifference, ...] = ()
    slicing: Slicing | None = None
    distribution: Distribution | None = field(default=None, compare=False)
    look_up: Callable[..., list[Disagreement]] | None = field(default=None, compare=False)

    def disagreements(self, *, ids: Any = None) -> list[Disagreement]:
        """Return the items on which the models differ.

        Each has the truth and both answers; for scores those with the largest shifts come first.

        ``ids`` names the items: one for each, or a column of the frame that was compared. pandas and polars turn the
        list into a frame.

        >>> import clearwin as cw
        >>> r = cw.compare([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 1], measure="accuracy")
        >>> r.disagreements()
        [Disagreement(item=1, truth=1, a=0, b=1, shift=None)]
        """
        if self.look_up is None:
            raise NotApplicableError(
                "This comparison was made from counts, which do not list items.",
                "a comparison of items",
                "compare(truth, a, b)",
            )
        return self.look_up(ids)

    def __repr__(self) -> str:
        return (
            f"Comparison({self.measure}: {self.name_a} {self.estimate_a:.4g}, {self.name_b} {self.estimate_b:.4g}, "
            f"difference {self.difference:+.4g}, p={self.p_value:.4g}, {self.test}/{self.method})"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Estimate(MeasureResult):
    """One model's value of a measure, with its interval.

    Decisions also have a confusion matrix.

    ``n_classes`` is the number of classes; with more than 30 there is no ``confusion``.
    """

    not_written = ("distribution",)

    name: str
    estimate: float
    confusion: Confusion | None = None
    n_classes: int | None = None
    distribution: Distribution | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return (
            f"Estimate({self.measure}: {self.name} {self.estimate:.4g}, {self.interval.level * 100:.12g}% interval "
            f"{self.interval.low:.4g} to {self.interval.high:.4g}, {self.interval.method})"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class PerClass(Result):
    """Two models compared in every class or label.

    A class is judged against the others, a label of label sets by itself: ``kind`` says which.

    ``interval`` is that of the first one.
    """

    tables = ("classes",)
    has_differences = True

    name_a: str
    name_b: str
    test: str
    test_label: str
    claim: AnyClaim
    correction: str
    null_hypothesis: str
    classes: tuple[PartDifference, ...]
    kind: str = "class"
    n: int
    interval: Interval
    caveats: tuple[Caveat, ...]
    signature: Signature
    measure: str
    measure_label: str
    higher_is_better: bool

    def __repr__(self) -> str:
        return f"PerClass({self.measure}: {self.name_a}, {self.name_b}, {len(self.classes)} classes, {self.correction})"
