"""Many tests at once: p-values adjusted so that the whole family keeps its level.

cs446 warns that of 20 experiments without any effect one is likely to look significant (the chance is 64 %). An
adjusted p-value can be compared with the level as if it were the only one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from clearwin.errors import UnknownNameError
from clearwin.numerics.arrays import Floats


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979): controls the chance of any false finding, whatever the dependence.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(x) for x in adjusted]


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up adjustment (1995): controls the share of false findings among all findings.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")[::-1]
    steps = np.minimum.accumulate(p[order] * p.size / np.arange(p.size, 0, -1))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(x) for x in adjusted]


def fewest_replicates(tests: int, alpha: float) -> int:
    """Return how many replicates the smallest corrected p-value needs to reach the level.

    >>> fewest_replicates(1, 0.05), fewest_replicates(45, 0.05)
    (19, 899)
    """
    return math.ceil(tests / alpha - 1e-9) - 1


def max_t(statistics: Floats, nulls: Callable[[int], Floats], slack: float = 1e-9) -> list[float]:
    """Westfall and Young's step-down max-T (1993): as Holm, but knows how the statistics vary together.

    ``nulls(i)`` are the draws of |statistic i| under its null hypothesis; draw b of all statistics belongs together.
    The largest statistic is compared with the largest of all in every draw, the next with the largest of the rest, and
    so on: p = (count + 1)/(draws + 1), never below that of a larger one. Statistics are fetched one by one, so memory
    does not grow with their number.

    >>> draws = np.array([[0.5, 1.5, 0.2], [2.5, 0.1, 0.3]])
    >>> max_t(np.array([2.0, 1.0]), lambda i: draws[i])
    [0.5, 0.5]
    """
    order = np.argsort(-statistics, kind="stable")
    adjusted = np.empty(statistics.size)
    largest = np.zeros(1)
    for i in order[::-1].tolist():
        largest = np.maximum(largest, nulls(i))
        adjusted[i] = (int((largest >= statistics[i] * (1.0 - slack)).sum()) + 1) / (largest.size + 1)
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return [float(p) for p in adjusted]


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
}


def adjust(p_values: Sequence[float], correction: str) -> list[float]:
    """Adjust p-values by the correction of this name."""
    check_known(correction)
    return CORRECTIONS[correction](p_values)


def check_known(correction: str) -> None:
    """Raise unless there is a correction of this name."""
    if correction not in tuple(CORRECTIONS):  # whatever it is
        raise UnknownNameError("correction", correction, CORRECTIONS)
