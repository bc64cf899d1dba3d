"""The record of many models on one test set: their ranks, and which pairs are shown to differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearwin.numerics.arrays import Floats
from clearwin.numerics.corrections import fewest_replicates
from clearwin.numerics.intervals import Interval, alpha_of
from clearwin.results.base import MeasureResult


@dataclass(frozen=True)
class PairDifference:
    """Model b against model a: ``difference`` is b − a; ``shown`` says that the corrected p-value is small enough.

    ``units`` is the number of items (or groups) on which the two disagree. The interval is that of this pair alone.
    ``p_is_bound`` says that no draw was as extreme, so ``p_value`` and ``adjusted_p`` are the least that the draws can
    give, and the true ones may be far smaller.
    """

    a: str
    b: str
    difference: float
    interval: Interval
    p_value: float
    adjusted_p: float
    units: int
    shown: bool
    p_is_bound: bool = False


@dataclass(frozen=True)
class OverallTest:
    """A χ² statistic on ``degrees`` of freedom for "all models are the same"."""

    name: str
    label: str
    statistic: float
    degrees: int
    p_value: float
    log10_p: float
    null_hypothesis: str


@dataclass(frozen=True)
class Standing:
    """One model: its value with an interval, its place, and the range of its rank.

    Tied models share the better place. ``letters`` are those of its groups: models that share one are not told apart.
    With a baseline there are none.
    """

    name: str
    estimate: float
    interval: Interval
    rank: int
    best_rank: int
    worst_rank: int
    letters: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Leaderboard(MeasureResult):
    """Models on one test set, the best first.

    ``interval`` is that of the best one.

    ``pairs`` are all pairs, with the lower-ranked model as ``a`` and the higher one as ``b``, or every model ``b``
    against the ``baseline`` ``a``. The ranks from ``best_rank`` (1 is best) to ``worst_rank`` of all models hold
    jointly at the confidence level if the correction keeps the family's level, because a model cannot be ahead of one
    that is shown to be better (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 91, 2024). ``groups``
    are the largest groups in which no two models are shown to differ.
    """

    tables = ("models",)
    has_differences = True

    models: tuple[Standing, ...]
    pairs: tuple[PairDifference, ...]
    groups: tuple[tuple[str, ...], ...]
    baseline: str | None
    correction: str
    overall: OverallTest | None
    null_hypothesis: str

    @property
    def names(self) -> tuple[str, ...]:
        """The models, the best first."""
        return tuple(model.name for model in self.models)

    @property
    def n_tests(self) -> int:
        """How many p-values there are, and were corrected for."""
        return len(self.pairs)

    @property
    def has_too_few_resamples(self) -> bool:
        """Whether no corrected p-value could reach the level, whatever the replicates."""
        tests = 1 if self.correction == "max-t" else self.n_tests
        alpha = alpha_of(self.signature.confidence_level)
        return self.signature.n_resamples < fewest_replicates(tests, alpha)

    @property
    def differences(self) -> Floats:
        """The matrix of differences, row − column, in the order of ``names``."""
        values = np.array([model.estimate for model in self.models])
        return np.asarray(values[:, None] - values)

    @property
    def adjusted_p(self) -> Floats:
        """The matrix of corrected p-values in the order of ``names``; nan where a pair was not tested."""
        place = {name: i for i, name in enumerate(self.names)}
        matrix = np.full((len(place), len(place)), np.nan)
        np.fill_diagonal(matrix, 1.0)
        for pair in self.pairs:
            i, j = place[pair.a], place[pair.b]
            matrix[i, j] = matrix[j, i] = pair.adjusted_p
        return matrix

    def __repr__(self) -> str:
        inside = ", ".join(f"{model.name} {model.estimate:.4g} {model.letters}".strip() for model in self.models)
        return f"Leaderboard({self.measure}: {inside}; {self.n_tests} tests, {self.correction})"
