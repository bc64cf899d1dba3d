"""Two models on two test sets: equal ones whose values are skewed or whose areas are near 1, and ones that differ."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.analyses.unpaired import compare_unpaired
from clearwin.numerics.auc_covariance import auc_covariance
from clearwin.streams import Seed, Stream
from scorecard.defaults import told
from scorecard.hard_nulls import DIFFERENT, HARD, MILD
from scorecard.rows import Row
from scorecard.trials import STREAM

SETS = 1_000
ALPHA = 0.05
Floats = NDArray[np.float64]
Values = Callable[[Stream, int], Floats]
Scores = Callable[[Stream, int, int], tuple[Floats, Floats]]
GRADES = "mean(lowest=0.0, highest=1.0)"


def normal(stream: Stream, n: int, mean: float = 1.0, sd: float = 0.3) -> Floats:
    """Return normal values."""
    return mean + sd * stream.normal(size=n)


def lognormal(stream: Stream, n: int, sigma: float = 1.0) -> Floats:
    """Return lognormal values with the mean 1."""
    found: Floats = np.exp(sigma * stream.normal(size=n) - sigma**2 / 2.0)
    return found


def exponential(stream: Stream, n: int, more: float = 0.0) -> Floats:
    """Return exponential values with the mean 1, or more."""
    return more - np.log1p(-stream.random(n))


def shares(stream: Stream, n: int, fail: float = 0.02) -> Floats:
    """Return values from .8 to 1, of which a share are 0; the mean is .882."""
    return np.where(stream.random(n) < fail, 0.0, 0.8 + 0.2 * stream.random(n))


def between(stream: Stream, n: int, mean: float = 0.882) -> Floats:
    """Return values within .1 of a mean."""
    return mean + 0.2 * (stream.random(n) - 0.5)


def ranked(stream: Stream, m: int, n: int, area: float, sd: float = 1.0, low: float = 0.0) -> tuple[Floats, Floats]:
    """Return normal scores of positives and negatives with this area; a share of the positives has an area of .1."""
    from scipy.special import ndtri

    width = math.sqrt(1.0 + sd * sd)
    high = float(ndtri((area - low * 0.1) / (1.0 - low))) * width
    centre = np.where(stream.random(m) < low, float(ndtri(0.1)) * width, high)
    return centre + sd * stream.normal(size=m), stream.normal(size=n)


@dataclass(frozen=True)
class Cell:
    """How A's and B's test sets are drawn, with their sizes: of items, or of positives and negatives."""

    name: str
    null: str
    a: Any
    sizes_a: tuple[int, ...]
    b: Any
    sizes_b: tuple[int, ...]
    measure: str = "mean"

    @property
    def label(self) -> str:
        """The name with the sizes."""
        of_a, of_b = (" + ".join(map(str, sizes)) for sizes in (self.sizes_a, self.sizes_b))
        return f"{self.name}, {of_a} and {of_b}"


def cells() -> list[Cell]:
    """Return every cell."""
    found = [
        Cell(f"lognormal (σ = {sigma:g}) and normal values", HARD, partial(lognormal, sigma=sigma), (n,), normal, (m,))
        for sigma, n, m in ((0.5, 20, 200), (1, 20, 200), (1, 50, 50), (1.5, 50, 50), (2, 20, 200), (2, 100, 100))
    ]
    found += [
        Cell("exponential values", HARD, exponential, (20,), exponential, (200,)),
        Cell("exponential values", MILD, exponential, (50,), exponential, (50,)),
        Cell("shares, 2 % of A's are 0", HARD, shares, (100,), between, (100,), GRADES),
        Cell("shares, 2 % of A's are 0", HARD, shares, (50,), between, (500,), GRADES),
        Cell("normal values, sd 1 and 3", MILD, partial(normal, sd=1.0), (20,), partial(normal, sd=3.0), (50,)),
    ]

    def areas(name: str, null: str, sizes: tuple[int, ...], of_b: tuple[int, ...], a: Scores, b: Scores) -> Cell:
        return Cell(name, null, a, sizes, b, of_b, "auc")

    for area, few, many in (
        (0.8, (20, 80), (200, 800)),
        (0.9, (10, 90), (100, 900)),
        (0.98, (10, 90), (100, 900)),
        (0.98, (10, 10), (100, 100)),
    ):
        found.append(areas(f"AUC {area}", HARD, few, many, partial(ranked, area=area), partial(ranked, area=area)))
    for few, many in (((20, 80), (200, 800)), ((50, 450), (500, 4500))):
        low = partial(ranked, area=0.95, low=0.04)
        found.append(
            areas("AUC .95, 4 % of A's positives ranked low", HARD, few, many, low, partial(ranked, area=0.95))
        )
    wide, spread_out = partial(ranked, area=0.95, sd=3.0), "AUC .95, A's positives three times as wide"
    found += [
        areas(spread_out, HARD, (20, 80), (200, 800), wide, partial(ranked, area=0.95)),
        areas("AUC .8", MILD, (50, 50), (50, 50), partial(ranked, area=0.8), partial(ranked, area=0.8)),
    ]
    for n, m in ((20, 20), (50, 50), (20, 200), (200, 200)):
        more = 2.8 * math.sqrt(1.0 / n + 1.0 / m)
        one = partial(normal, sd=1.0)
        found.append(Cell("normal values", DIFFERENT, one, (n,), partial(one, mean=1.0 + more), (m,)))
    for n in (50, 200):
        more = 2.8 * math.sqrt(2.0 / n)
        found.append(Cell("exponential values", DIFFERENT, exponential, (n,), partial(exponential, more=more), (n,)))
        more = 2.8 * math.sqrt(2.0 / n / 300.0)
        spread = partial(between, mean=0.6)
        found.append(Cell("shares", DIFFERENT, spread, (n,), partial(between, mean=0.6 + more), (n,), GRADES))
    for a, b, sizes in (
        (0.75, 0.95, (10, 90)),
        (0.7, 0.9, (20, 180)),
        (0.8, 0.93, (50, 50)),
        (0.9, 0.97, (50, 450)),
        (0.7, 0.8, (200, 200)),
    ):
        of_a, of_b = partial(ranked, area=a), partial(ranked, area=b)
        found.append(areas(f"AUC {a} and {b}", DIFFERENT, sizes, sizes, of_a, of_b))
    return found


def jobs(sets: int) -> list[Any]:
    """Return a job for each cell."""
    return [Job(cell, sets) for cell in cells()]


@dataclass(frozen=True)
class Job:
    """One cell, and the number of pairs of test sets that are drawn from it."""

    cell: Cell
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask, and count; ``told`` is the share of what is shown that carries a caveat."""
        cell, count = self.cell, Counter[str]()
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"two sets|{cell.label}|{cell.null}".encode()))
        for _ in range(self.trials):
            sides = [_drawn(draw, stream, sizes) for draw, sizes in ((cell.a, cell.sizes_a), (cell.b, cell.sizes_b))]
            found = compare_unpaired(*sides[0], *sides[1], measure=cell.measure)
            shown = found.decision in ("better", "worse")
            count["auto"] += shown
            count["told"] += shown and told(found)
            count["rival"] += _rival(cell.measure, sides) <= ALPHA
        kind, rival = "power" if cell.null == DIFFERENT else "size", "delong" if cell.measure == "auc" else "welch"
        share_warned = count["told"] / max(1, count["auto"])
        where = (cell.measure, cell.label, cell.null, sum((*cell.sizes_a, *cell.sizes_b)), ALPHA)
        return [
            Row(kind, test, "", "", *where, count[hits] / self.trials, self.trials, told=share)
            for test, hits, share in (("auto", "auto", share_warned), (rival, "rival", 0.0))
        ]


def _drawn(draw: Any, stream: Stream, sizes: tuple[int, ...]) -> tuple[Any, Any]:
    """Return truth and answers."""
    if len(sizes) == 1:
        return None, draw(stream, *sizes)
    positives, negatives = draw(stream, *sizes)
    return np.repeat([1, 0], sizes), np.concatenate([positives, negatives])


def _rival(measure: str, sides: list[tuple[Any, Any]]) -> float:
    """Return the p-value of Welch's t test, or of DeLong's as R's pROC has it."""
    from scipy import stats

    if measure != "auc":
        return float(stats.ttest_ind(sides[0][1], sides[1][1], equal_var=False).pvalue)
    of_sets = [auc_covariance(truth == 1, [scores]) for truth, scores in sides]
    variances = np.array([float(found.covariance[0, 0]) for found in of_sets])
    difference = float(of_sets[1].aucs[0] - of_sets[0].aucs[0])
    if not variances.any():
        return 1.0 if difference == 0.0 else 0.0
    degrees = variances.sum() ** 2 / (variances**2 / [truth.size - 1 for truth, _ in sides]).sum()
    return float(2.0 * stats.t.sf(abs(difference) / math.sqrt(variances.sum()), degrees))
