"""The frozen record of many models on many data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clearwin.numerics.intervals import Interval
from clearwin.results.base import Result, Signature
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Decision


@dataclass(frozen=True)
class RankPosterior:
    """How likely B is practically worse than A, equivalent or practically better (Bayesian signed-rank test)."""

    worse: float
    equivalent: float
    better: float


@dataclass(frozen=True)
class RankTest:
    """A test of all models together; ``degrees`` are those of χ², or both of F. F may be infinite."""

    statistic: float
    degrees: tuple[int, ...]
    p_value: float
    log10_p: float


@dataclass(frozen=True, kw_only=True)
class ModelPair:
    """B against A over the data sets.

    ``difference`` is the Hodges–Lehmann estimate of the middle of b − a, ``interval`` its own, not corrected for many
    pairs. ``p_value`` is that of Wilcoxon's signed-rank test, ``adjusted_p`` the same after the correction;
    ``nemenyi_p`` is corrected in itself. ``decision`` is what ``adjusted_p`` shows about B, in the direction of W⁺,
    whatever the middle difference. ``equal`` data sets without a difference were dropped from Wilcoxon's test.
    """

    name_a: str
    name_b: str
    difference: float
    interval: Interval
    b_better: int
    a_better: int
    equal: int
    statistic: float
    method: str
    p_value: float
    log10_p: float
    adjusted_p: float
    decision: Decision
    nemenyi_p: float
    posterior: RankPosterior


@dataclass(frozen=True, kw_only=True, repr=False)
class DataSetComparison(Result):
    """Several models on the same data sets.

    ``mean_ranks`` go with ``names``; rank 1 is the best. ``friedman`` is corrected for ties: its χ² was divided by
    ``tie_correction``. The verdict on all models together is ``permutation``'s: Friedman's statistic among all ways to
    give out the ranks, "exact" or sampled ("monte_carlo", with its standard error); for very many data sets it is
    ``iman_davenport``'s ("F"). ``decision`` says whether it shows that they are "different". ``pairs`` are the pairs
    asked for: all of them, or each model against the ``baseline``. ``groups`` are the largest groups in which the
    pairwise test separates no two models; with a baseline, the baseline and one model that is not separated from it.
    ``nemenyi_groups`` are the models that Nemenyi's test does not tell apart, ``nemenyi`` has its p-value for every
    pair. All of this is judged at 1 − confidence level. ``posterior_error`` bounds the Monte-Carlo standard error of
    the posterior probabilities.
    """

    infinite_as_text = True
    tables = ("pairs",)

    names: tuple[str, ...]
    data_sets: tuple[str, ...]
    n: int
    higher_is_better: bool
    mean_ranks: tuple[float, ...]
    friedman: RankTest
    tie_correction: float
    iman_davenport: RankTest
    permutation: RankTest
    permutation_method: str
    permutation_error: float | None
    decision: Literal["different", "not shown"]
    critical_value: float
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    nemenyi_groups: tuple[tuple[str, ...], ...]
    nemenyi: tuple[tuple[float, ...], ...]
    baseline: str | None
    pairs: tuple[ModelPair, ...]
    correction: str
    margin: float
    posterior_error: float
    null_hypothesis: str
    caveats: tuple[Caveat, ...]
    signature: Signature

    @property
    def p_value(self) -> float:
        """That of all models together."""
        return self.permutation.p_value

    def __repr__(self) -> str:
        inside = ", ".join(f"{name!r} {rank:.4g}" for name, rank in zip(self.names, self.mean_ranks, strict=True))
        return f"DataSetComparison({inside}; {self.n} data sets, p={self.p_value:.4g})"
