"""Precision, F1 and its family: bizarre measures, which are not sums over items or classes."""

from __future__ import annotations

from typing import Any

from clearwin.counts import ConfusionMatrix
from clearwin.errors import OptionError
from clearwin.measures.base import Ratio, measure, proportion

NO_POSITIVES_AT_ALL = "no item is positive and none is predicted positive"


@proportion(
    label="precision",
    decomposition="none",
    formula="tp / (tp + fp)",
    source="keller2004 section 4",
    undefined_when="no item is predicted positive",
)
def precision(counts: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the items predicted positive that are positive."""
    return counts.tp, counts.tp + counts.fp


@measure(
    label="F1",
    decomposition="none",
    formula="2 tp / (2 tp + fn + fp)",
    source="keller2004 (11)",
    undefined_when=NO_POSITIVES_AT_ALL,
)
def f1(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Harmonic mean of precision and recall."""
    return ratio(2 * counts.tp, 2 * counts.tp + counts.fn + counts.fp)


def check_beta(beta: float) -> None:
    """Raise unless beta is a valid weight of recall against precision."""
    if beta <= 0:
        raise OptionError(f"beta is {beta!r}.", "a number above 0", "f_beta(beta=0.5)")


@measure(
    label="F-beta",
    decomposition="none",
    formula="(1 + β²) tp / ((1 + β²) tp + β² fn + fp)",
    source="van Rijsbergen 1975, cited by keller2004 as [8]",
    undefined_when=NO_POSITIVES_AT_ALL,
    check=check_beta,
)
def f_beta(counts: ConfusionMatrix, ratio: Ratio, *, beta: float = 1.0) -> Any:
    """Weighted harmonic mean of precision and recall; recall weighs β times as much as precision."""
    b2 = beta * beta
    return ratio((1 + b2) * counts.tp, (1 + b2) * counts.tp + b2 * counts.fn + counts.fp)


@proportion(
    label="Jaccard index",
    decomposition="none",
    formula="tp / (tp + fn + fp)",
    source="Jaccard 1901, as in scikit-learn's jaccard_score",
    undefined_when=NO_POSITIVES_AT_ALL,
)
def jaccard(counts: ConfusionMatrix) -> tuple[Any, Any]:
    """Overlap of the items that are positive and those predicted positive: intersection over union."""
    return counts.tp, counts.tp + counts.fn + counts.fp
