"""What a test of learners over folds is. Read me first.

As elsewhere a test is one decorated function, in five movements: take the differences → choose method → statistic →
p-value and interval → finding. It is handed a :class:`FoldQuestion` and returns a :class:`FoldFinding`; the decorator
declares what the docs, the command and the verdict need to know.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearwin.errors import OptionError, UnknownNameError, setting
from clearwin.execution import Seed
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Coverage, Interval, Side
from clearwin.numerics.pvalues import CLAIMS, Claim, PValue
from clearwin.results.base import Caveat
from clearwin.results.folds import FoldPosterior
from clearwin.significance.folds.designs import LIST, NOT_GIVEN, Design


@dataclass(frozen=True, eq=False)
class FoldQuestion:
    """The scores of two learners on the same folds, how the folds came about, and how to answer."""

    a: Floats
    b: Floats
    design: Design
    claim: Claim
    higher_is_better: bool
    confidence_level: float
    n_resamples: int
    seed: Seed
    margin: float

    @property
    def n(self) -> int:
        """The number of folds."""
        return self.a.size

    @property
    def sign(self) -> int:
        """+1 when higher is better, −1 when lower is."""
        return 1 if self.higher_is_better else -1

    @cached_property
    def scale(self) -> float:
        """The largest score in size, which rounding errors are measured by."""
        return max(float(np.abs(self.a).max()), float(np.abs(self.b).max()))

    @cached_property
    def differences(self) -> Floats:
        """Return b − a for each fold; what is only a rounding error is 0."""
        found = self.b - self.a
        found[np.abs(found) <= pvalues.TIE * self.scale] = 0.0
        return found

    @cached_property
    def mean(self) -> float:
        """The mean difference."""
        found = math.fsum(self.differences.tolist()) / self.n
        return 0.0 if abs(found) <= pvalues.TIE * self.scale else found

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the differences, 0 where they differ by rounding errors only or there is one."""
        if self.n == 1 or float(np.ptp(self.differences)) <= 2.0 * pvalues.TIE * self.scale:
            return 0.0
        return float(np.std(self.differences, ddof=1))

    @property
    def coverage(self) -> Coverage:
        """What is asked of the interval: a one-sided claim asks for one bound."""
        wants_more = (self.claim == "better") == self.higher_is_better
        side: Side = "two-sided" if self.claim == "different" else "lower" if wants_more else "upper"
        return Coverage(self.confidence_level, side, -math.inf, math.inf)


@dataclass(frozen=True, eq=False)
class FoldFinding:
    """What a test found. ``statistic`` is None where it has no value, ``p`` where the test has no p-value.

    ``hits`` of ``arrangements`` were as far out as observed: lecture-measures' p and n. ``judged`` is what the test
    looks at: the "mean" difference, the "first" fold's, "wins" or "ranks"; ``lead`` is above 0 where B is ahead in
    that, and None for the mean.
    """

    method: str
    statistic: float | None
    p: PValue | None
    interval: Interval
    degrees: tuple[int, ...] = ()
    why: str = ""
    hits: int | None = None
    arrangements: int | None = None
    posterior: FoldPosterior | None = None
    ratio: float | None = None
    judged: str = "mean"
    lead: float | None = None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, eq=False)
class FoldTest:
    """A test of learners over folds. ``designs`` are those in which it keeps its level."""

    __test__ = False  # pytest takes every class named …Test for its own

    name: str
    label: str
    question: str
    null_hypothesis: str
    formula: str
    source: str
    assumes: str
    designs: tuple[str, ...]
    claims: tuple[Claim, ...]
    function: Callable[[FoldQuestion], FoldFinding]
    one_sided: str = ""  # the formula of a one-sided claim, where it is another one

    def answer(self, question: FoldQuestion) -> FoldFinding:
        """Run the test, or refuse a claim that it cannot support."""
        if question.claim not in self.claims:
            raise OptionError(
                f"The {self.label} has no direction, so it cannot show that B is {question.claim}.",
                setting("claim", "different"),
                setting("test", "5x2cv_t", "corrected_t") + " for a one-sided claim"
                if self.name == "5x2cv_f"
                else "leave claim out: the posterior tells all three at once",
            )
        return self.function(question)


REGISTRY: dict[str, FoldTest] = {}


def fold_test(
    *,
    name: str,
    label: str,
    question: str,
    null_hypothesis: str,
    formula: str,
    source: str,
    assumes: str,
    designs: tuple[str, ...],
    claims: tuple[Claim, ...] = CLAIMS,
    one_sided: str = "",
) -> Callable[[Callable[[FoldQuestion], FoldFinding]], Callable[[FoldQuestion], FoldFinding]]:
    """Register a function ``FoldQuestion → FoldFinding`` as a test."""

    def register(function: Callable[[FoldQuestion], FoldFinding]) -> Callable[[FoldQuestion], FoldFinding]:
        REGISTRY[name] = FoldTest(
            name, label, question, null_hypothesis, formula, source, assumes, designs, claims, function, one_sided
        )
        return function

    return register


# never a test that takes folds with overlapping training sets as independent
CORRECTED = "the training sets overlap, and the corrected t test allows for the correlation that this makes"
AUTO = {
    "k-fold": ("corrected_t", CORRECTED),
    "repeated k-fold": ("corrected_t", CORRECTED),
    "resampled": ("corrected_t", CORRECTED),
    "5x2": ("5x2cv_f", "it is made for five rounds of two folds, and no order of the folds decides, as it does for t"),
    "independent": (
        "permutation",
        "independent differences may swap signs, which needs no normal distribution and speaks of the mean",
    ),
}


def choose(name: str, design: Design, claim: Claim) -> tuple[FoldTest, str]:
    """Return the test by name, or by the design of the folds (and the claim) for "auto", and why."""
    if name == "auto":
        if design.name == NOT_GIVEN:
            raise OptionError(
                "The design of the folds was not given, and the right test depends on it.",
                LIST,
                setting("design", "k-fold")
                + "; or a test by its name, such as "
                + setting("test", "corrected_t")
                + " with "
                + setting("test_train_ratio", 0.5),
            )
        chosen, why = AUTO[design.name]
        if claim not in REGISTRY[chosen].claims:
            chosen, why = "5x2cv_t", "it is made for five rounds of two folds, and unlike the F test it has a direction"
        return REGISTRY[chosen], f"chosen automatically: {why}"
    if not isinstance(name, str) or name not in REGISTRY:
        raise UnknownNameError("test of folds", name, ("auto", *REGISTRY))
    return REGISTRY[name], "asked for"
