"""Frozen records: what a comparison found, and what makes it repeatable.

A result is a fact; verdicts, plots and reports read it. Its methods ``verdict``, ``story``, ``to_html`` and ``__str__``
only open the door to those readers.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from clearwin.outcomes import Confusion, JointOutcomes
from clearwin.streams import STREAMS
from clearwin.telling import Told

if TYPE_CHECKING:
    from clearwin.story import Story

NOT_WRITTEN = ("distribution",)  # what a record leaves out of its JSON
NAMELESS = "the classifier"  # who is told of when no name was given
Claim = Literal["different", "better", "worse"]
Side = Literal["two-sided", "lower", "upper"]
CLAIMS: tuple[Claim, ...] = ("different", "better", "worse")


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    ``side`` is "two-sided", or "lower"/"upper" when a one-sided claim asks for one bound only; the other end is
    then as far as the measure can go.
    """

    low: float
    high: float
    level: float
    method: str
    side: Side = "two-sided"

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Caveat:
    """A statistical doubt, in words, with the source of the rule behind it."""

    code: str
    text: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.source})" if self.source else self.text


@dataclass(frozen=True)
class Signature:
    """What is needed to repeat a result: settings, seed, versions and a hash of the counts that went in.

    ``streams`` is the version of all that is drawn: the same seed gives the same numbers wherever it is the same.
    """

    version: str
    n: int
    measure: str
    test: str
    method: str
    interval: str
    claim: str
    confidence_level: float
    n_resamples: int
    seed: str
    data: str
    streams: int = STREAMS

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in dataclasses.asdict(self).items())


@dataclass(frozen=True)
class ErrorReduction:
    """How many errors B avoids (lecture-measures, "Issues with Accuracy").

    ``absolute`` = error(A) − error(B); ``relative`` = absolute / error(A), None when A makes no error.
    """

    absolute: float
    relative: float | None


@dataclass(frozen=True)
class Sampling:
    """What was drawn and swapped whole, and what was held fixed.

    ``unit`` is "item", "document" or "group"; ``strata`` has the number of units in each stratum, or is empty.
    ``effective`` is how many groups of one size would weigh as much: N²/Σn², less than there are if some are large.
    ``design_effect`` says how many times as large the variance of the difference is by groups as it would be if the
    items were independent.
    """

    unit: str
    n_units: int
    smallest: int
    largest: int
    strata: dict[str, int]
    effective: float = 0.0
    design_effect: float | None = None


@dataclass(frozen=True, eq=False)
class Distribution:
    """Differences under the null hypothesis, or replicates (of the bootstrap, of the posterior), for plotting.

    ``weights`` are probabilities; None means that all values weigh the same.
    """

    kind: Literal["null", "bootstrap", "posterior"]
    values: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, kw_only=True)
class Record(Told):
    """What every result carries."""

    n: int
    interval: Interval
    caveats: tuple[Caveat, ...]
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values that JSON can carry; the distribution is left out, a missing bound is None."""
        own = [f.name for f in dataclasses.fields(self)]
        inherited = {f.name for f in dataclasses.fields(MeasureRecord)}
        # what is particular to the result first, what every result carries after it
        own.sort(key=lambda name: name in inherited)
        return {name: _plain(getattr(self, name)) for name in own if name not in NOT_WRITTEN}

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def story(self, alpha: float = 0.05) -> Story:
        """Return what the result tells, in parts, with a verdict at the level ``alpha``."""
        from clearwin.verdict_rows import story

        return story(self, alpha)  # type: ignore[arg-type]  # folds, leaderboards and data sets have words of their own


@dataclass(frozen=True, kw_only=True)
class MeasureRecord(Record):
    """What every result about a measure carries.

    ``sampling`` says what was drawn whole and held fixed where items do not stand for themselves; ``labels`` are those
    chosen among more.
    """

    measure: str
    measure_label: str
    higher_is_better: bool
    positive: str | None
    positive_inferred: bool
    undefined_replicates: int
    sampling: Sampling | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(MeasureRecord):
    """Two classifiers on one test set. ``difference`` is b − a, as in keller2004 section 4.

    ``p_value`` is never 0: one too small for a float stands at the smallest normal float and ``log10_p`` has it
    exactly. ``p_error`` is the Monte-Carlo standard error of a sampled p-value. ``confidence`` is keller2004 (13):
    the fraction of bootstrap replicates in which B is better; it is not a p-value. ``judged`` says what the p-value
    speaks of: the "measure", or the "wins" or "ranks" of a test that does not look at the measure; ``lead`` is above 0
    when that speaks for B. ``joint`` has the confusion matrices of decisions in at most 30 classes; ``n_classes`` says
    in how many they were made.
    """

    name_a: str
    name_b: str
    estimate_a: float
    estimate_b: float
    difference: float
    test: str
    test_label: str
    method: str
    why: str
    claim: Claim
    null_hypothesis: str
    statistic: float
    p_value: float
    log10_p: float
    p_error: float | None
    confidence: float | None
    thresholds: tuple[float, ...] | None
    outcomes: dict[str, int]
    error_reduction: ErrorReduction | None
    judged: str = "measure"
    lead: float = 0.0
    joint: JointOutcomes | None = None
    n_classes: int | None = None
    distribution: Distribution | None = field(default=None, compare=False)

    def verdict(self, alpha: float = 0.05, *, margin: float | None = None) -> str:
        """Say in one or two sentences what was shown at the level ``alpha``, and against which null hypothesis.

        ``margin`` is the largest difference that does not matter: what the interval shows against it is said, too.
        """
        from clearwin.margins import told

        return told(self, alpha, margin).verdict

    def __repr__(self) -> str:
        return (
            f"Comparison({self.measure}: {self.name_a} {self.estimate_a:.4g}, {self.name_b} {self.estimate_b:.4g}, "
            f"difference {self.difference:+.4g}, p={self.p_value:.4g}, {self.test}/{self.method})"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Estimate(MeasureRecord):
    """One classifier on one test set: a measure with its interval, and the confusion matrix of decisions.

    ``n_classes`` says in how many classes they were made; of more than 30 there is no ``confusion``.
    """

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


@dataclass(frozen=True)
class ClassRecall:
    """How many items of one class are right; ``recall`` and ``interval`` are None for a class that never occurs."""

    label: str
    n: int
    right: int
    recall: float | None
    interval: Interval | None


@dataclass(frozen=True, kw_only=True, repr=False)
class AgainstChance(Record):
    """One confusion matrix against a random classifier with the same margins (nyssen1998).

    ``efficiency`` is the share of right items, ``interval`` its interval, ``expected_efficiency`` what chance gets;
    ``kappa`` is how far it comes from there to 1. ``p_error`` is the standard error of a sampled p-value, ``p_bound``
    the certified relative error of an exact one. ``seconds`` says what each method was predicted to cost.
    """

    name: str
    labels: tuple[str, ...]
    matrix: tuple[tuple[int, ...], ...]
    right: int
    efficiency: float
    expected_efficiency: float
    kappa: float | None
    recalls: tuple[ClassRecall, ...]
    method: str
    why: str
    seconds: dict[str, float]
    null_hypothesis: str
    statistic: float
    p_value: float
    log10_p: float
    p_error: float | None
    p_bound: float | None

    def verdict(self, alpha: float = 0.05) -> str:
        """Say whether it is better than chance at the level ``alpha``, and what chance would have got."""
        from clearwin.margins import told

        return told(self, alpha).verdict

    def __repr__(self) -> str:
        return (
            f"AgainstChance({self.right} of {self.n} right, {self.efficiency:.4g} against "
            f"{self.expected_efficiency:.4g} by chance, p={self.p_value:.4g}, {self.method})"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Areas(Record):
    """The areas of several models on the same items, and DeLong's overall test that they are all equal.

    ``interval`` is that of the first model, ``intervals`` has them all; ``statistic`` is χ² on ``degrees`` of freedom.
    """

    names: tuple[str, ...]
    areas: tuple[float, ...]
    intervals: tuple[Interval, ...]
    covariance: tuple[tuple[float, ...], ...]
    statistic: float
    degrees: int
    p_value: float
    log10_p: float
    null_hypothesis: str

    def verdict(self, alpha: float = 0.05) -> str:
        """Say whether the areas were shown to differ at the level ``alpha``."""
        from clearwin.margins import told

        return told(self, alpha).verdict

    def __repr__(self) -> str:
        inside = ", ".join(f"{name} {area:.4g}" for name, area in zip(self.names, self.areas, strict=True))
        return f"Areas({inside}; χ² = {self.statistic:.4g} on {self.degrees}, p={self.p_value:.4g})"


@dataclass(frozen=True)
class ClassDifference:
    """B against A in one class; ``adjusted_p`` takes account of how many classes were tested."""

    label: str
    n: int
    estimate_a: float
    estimate_b: float
    difference: float
    interval: Interval
    p_value: float
    adjusted_p: float


@dataclass(frozen=True, kw_only=True, repr=False)
class PerClass(Record):
    """Two classifiers in every class, one against the others, or in every label of label sets: ``kind`` says which.

    ``interval`` is that of the first one.
    """

    name_a: str
    name_b: str
    measure: str
    measure_label: str
    higher_is_better: bool
    test: str
    test_label: str
    claim: Claim
    correction: str
    null_hypothesis: str
    classes: tuple[ClassDifference, ...]
    kind: str = "class"

    def verdict(self, alpha: float = 0.05, *, margin: float | None = None) -> str:
        """Say in which classes a difference was shown at the level ``alpha``, after the correction.

        ``margin`` is the largest difference that does not matter: what the interval shows against it is said, too.
        """
        from clearwin.margins import told

        return told(self, alpha, margin).verdict

    def to_csv(self) -> str:
        """Return the classes as CSV, a row for each; names that begin like a formula are kept from being one."""
        from clearwin.csv_cells import csv_table

        return csv_table(self.classes)

    def __repr__(self) -> str:
        return f"PerClass({self.measure}: {self.name_a}, {self.name_b}, {len(self.classes)} classes, {self.correction})"


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: records as dictionaries, an infinite bound as None."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return None if isinstance(value, float) and not math.isfinite(value) else value
