"""Two learning algorithms over folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clearwin.numerics.intervals import Interval
from clearwin.numerics.pvalues import Claim
from clearwin.results.base import Result, Signature
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Decision

FoldDecision = Decision | Literal["different", "equivalent"]


@dataclass(frozen=True)
class FoldPosterior:
    """The posterior probabilities that B is worse by more than ``margin``, within it, and better by more than it."""

    worse: float
    practically_equivalent: float
    better: float
    margin: float


@dataclass(frozen=True, kw_only=True, repr=False)
class FoldComparison(Result):
    """Two learning algorithms over folds, and the test of their difference.

    There are the means and the mean difference b − a.

    ``n`` is the number of folds, ``deviation_…`` the standard deviation of a learner's scores (None for one fold).
    ``judged`` says what the p-value is about: the "mean" difference, the "first" fold's, who "wins" more folds, or
    whose gains have the higher "ranks"; ``lead`` is above 0 where B is ahead in that. The interval is of the mean
    difference, the first fold's, the median or the pseudomedian. ``statistic`` is None where it is undefined,
    ``degrees`` are its degrees of freedom. ``largest_confidence`` is the largest level at which the difference holds
    (lecture-measures). ``hits`` of ``arrangements`` were as extreme as observed: lecture-measures' p and n. The
    Bayesian test has a ``posterior`` and no p-value. ``splits_drawn`` says that the splits also follow from the seed.

    ``decision`` is judged at 1 − confidence level: "better" or "worse" (of B), "not shown", or "different" where the
    combined F test separates the rounds and rejects every difference. With a posterior it is about practical
    differences, and can also be "equivalent".
    """

    has_differences = True

    name_a: str
    name_b: str
    estimate_a: float
    estimate_b: float
    deviation_a: float | None
    deviation_b: float | None
    difference: float
    differences: tuple[float, ...]
    design: str
    test_train_ratio: float | None
    test: str
    test_label: str
    method: str
    why: str
    claim: Claim
    judged: str
    lead: float
    null_hypothesis: str
    statistic: float | None
    degrees: tuple[int, ...]
    p_value: float | None
    log10_p: float | None
    p_error: float | None
    largest_confidence: float | None
    hits: int | None
    arrangements: int | None
    posterior: FoldPosterior | None
    decision: FoldDecision
    splits_drawn: bool = False
    n: int
    interval: Interval
    caveats: tuple[Caveat, ...]
    signature: Signature
    measure_label: str
    higher_is_better: bool

    def __repr__(self) -> str:
        evidence = f"p={self.p_value:.4g}" if self.p_value is not None else "posterior"
        return (
            f"FoldComparison({self.measure_label}: {self.name_a} {self.estimate_a:.4g}, {self.name_b} "
            f"{self.estimate_b:.4g}, difference {self.difference:+.4g}, {evidence}, {self.n} folds, {self.test})"
        )
