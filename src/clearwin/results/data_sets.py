"""The frozen record of many models on many data sets."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clearwin.numerics.intervals import Interval
from clearwin.results.base import Caveat, Signature, Told

if TYPE_CHECKING:
    from clearwin.wording.base import Story


@dataclass(frozen=True)
class Posterior:
    """How likely B is practically worse than A, equivalent, practically better (Bayesian signed-rank test)."""

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

    ``difference`` is the Hodges–Lehmann middle of b − a, ``interval`` its own, not corrected for many pairs.
    ``p_value`` is that of Wilcoxon's signed-rank test, ``adjusted_p`` the same after the correction; ``nemenyi_p``
    is corrected in itself. ``equal`` data sets without a difference were dropped from Wilcoxon's test.
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
    nemenyi_p: float
    posterior: Posterior


@dataclass(frozen=True, kw_only=True, repr=False)
class DataSetComparison(Told):
    """Several models on the same data sets.

    ``mean_ranks`` go with ``names``; rank 1 is the best. ``friedman`` is corrected for ties: its χ² was divided by
    ``tie_correction``. The verdict on all models together is ``permutation``'s: Friedman's statistic among all ways to
    give out the ranks, "exact" or sampled ("monte_carlo", with its standard error); for very many data sets it is
    ``iman_davenport``'s ("F"). ``groups`` are the models that
    Nemenyi's test does not tell apart at ``alpha``; ``nemenyi`` has its p-value for every pair, ``pairs`` the pairs
    asked for: all of them, or each model against the ``baseline``. ``posterior_error`` bounds the Monte-Carlo
    standard error of the posterior probabilities.
    """

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
    alpha: float
    critical_value: float
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    nemenyi: tuple[tuple[float, ...], ...]
    baseline: str | None
    pairs: tuple[ModelPair, ...]
    correction: str
    rope: float
    posterior_error: float
    null_hypothesis: str
    caveats: tuple[Caveat, ...]
    signature: Signature

    @property
    def p_value(self) -> float:
        """That of all models together."""
        return self.permutation.p_value

    def verdict(self, alpha: float | None = None) -> str:
        """Say what was shown at the level ``alpha``, by default the one that was asked for, after the correction."""
        from clearwin.text import one_line
        from clearwin.wording.data_sets import sentence

        return one_line(sentence(self, self.alpha if alpha is None else alpha))

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values that JSON can carry; an infinite number is the text "inf" or "-inf"."""
        return {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_csv(self) -> str:
        """Return the pairs as CSV, a row for each; names that begin like a formula are kept from being one."""
        from clearwin.reports.csv import csv_table

        return csv_table(self.pairs)

    def story(self, alpha: float | None = None) -> Story:
        """Return what the result tells, in parts; it was judged at its own ``alpha``, whatever is given here."""
        from clearwin.wording.data_sets import story

        return story(self)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name!r} {rank:.4g}" for name, rank in zip(self.names, self.mean_ranks, strict=True))
        return f"DataSetComparison({inside}; {self.n} data sets, p={self.p_value:.4g})"


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: records as dictionaries, infinities as text."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return str(value) if isinstance(value, float) and math.isinf(value) else value
