"""The grid for decisions: eight joint probabilities for every prevalence and kind of models.

The models find ``FOUND`` of the positives, raise false alarms by the prevalence, and answer independently. Under the
null hypothesis either they are exchangeable (e2 = e3 and e6 = e7), or they are not but have the same value of the
measure: B finds fewer positives and raises fewer false alarms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import ConfusionMatrix, JointCounts
from clearwin.data.questions import Question
from clearwin.data.samples import DecisionSample
from clearwin.measures import REGISTRY as MEASURES
from clearwin.streams import Stream, multinomial
from scorecard.trials import Batch, entropy_of, options

Floats = NDArray[np.float64]
SIZES = (50, 200, 1000)
FALSE_ALARMS = {0.5: 0.2, 0.1: 0.05}  # by prevalence
FEW_ITEMS = 50  # with so few and the next, one positive is expected
RARE = 0.02  # prevalence
FALSE_ALARMS_OF_SIMILAR = 0.01  # of models that hardly differ
FOUND = 0.8
MEASURED = ("accuracy", "f1", "mcc", "dcf", "recall")
KEPT = (0.8, 1 / 3, 0.2)  # the share of A's positives that B predicts, too, where their precision is the same
TRADE = (0.9, 0.7)  # what A and B find where their measures are the same but they are not exchangeable
BIG = 10**12
RARE_CELL = f"prevalence {RARE:g}, similar models"


@dataclass(frozen=True)
class Cell:
    """What joint outcomes are drawn from, and which measures are asked for."""

    name: str
    null: str
    n: int
    shares: tuple[float, ...]
    measures: tuple[str, ...]

    def difference(self, measure: str) -> float:
        """Return the true difference b − a."""
        joint = JointCounts(**{f"e{i}": round(BIG * x) for i, x in enumerate(self.shares, 1)})
        a, b = (float(MEASURES[measure].evaluate(counts).values) for counts in joint.confusions())
        return 0.0 if self.null != "different" else b - a


def null_cells() -> Iterator[Cell]:
    """Yield the cells in which the null hypothesis is true."""
    for n in SIZES:
        for prevalence in FALSE_ALARMS:
            yield Cell(f"prevalence {prevalence:g}", "exchangeable", n, two_models(prevalence, lean=0.0), MEASURED)
            for measure in ("accuracy", "f1", "mcc", "dcf"):
                shares = traded(prevalence, measure)
                yield Cell(f"prevalence {prevalence:g}, traded", "equal", n, shares, (measure,))

    yield Cell(RARE_CELL, "exchangeable", FEW_ITEMS, similar_models(lean=0.0), MEASURED)


def true_differences() -> Iterator[Cell]:
    """Yield the cells in which B is better."""
    for n in SIZES:
        for prevalence in FALSE_ALARMS:
            yield Cell(f"prevalence {prevalence:g}", "different", n, two_models(prevalence, lean=0.25), MEASURED)

    yield Cell(RARE_CELL, "different", FEW_ITEMS, similar_models(lean=0.5), MEASURED)


def precision_cells() -> Iterator[Cell]:
    """Yield cells for precision: B keeps a share of A's positives, right ones as often as wrong ones, or is better."""
    for n in SIZES:
        for prevalence in FALSE_ALARMS:
            for kept in KEPT:
                name = f"prevalence {prevalence:g}, B predicts {kept:.2g} of A's positives"
                yield Cell(name, "equal", n, thinned(prevalence, kept), ("precision",))
            shares = two_models(prevalence, lean=0.25)
            yield Cell(f"prevalence {prevalence:g}, different", "different", n, shares, ("precision",))


def thinned(prevalence: float, kept: float) -> tuple[float, ...]:
    """Return shares with the same precision for A and for B, who keeps a share of what A predicts positive."""
    found = [(FOUND, prevalence), (FALSE_ALARMS[prevalence], 1.0 - prevalence)]
    return tuple(share * p for a, share in found for p in (a * kept, 0.0, a * (1 - kept), 1 - a))


def two_models(prevalence: float, lean: float) -> tuple[float, ...]:
    """Return the shares of e1 … e8 of models that answer independently; ``lean`` moves disagreements towards B."""
    alarms = FALSE_ALARMS[prevalence]
    return _shares(prevalence, alarms, FOUND * (1 - FOUND), alarms * (1 - alarms), lean)


def similar_models(lean: float) -> tuple[float, ...]:
    """Return the shares of models that differ on few items, where positives are rare."""
    return _shares(RARE, FALSE_ALARMS_OF_SIMILAR, 0.02, 0.1 * FALSE_ALARMS_OF_SIMILAR, lean)


def _shares(prevalence: float, alarms: float, apart: float, alarms_apart: float, lean: float) -> tuple[float, ...]:
    p, q = prevalence, 1.0 - prevalence
    return (
        p * (FOUND - apart),
        p * apart * (1 + lean),
        p * apart * (1 - lean),
        p * (1 - FOUND - apart),
        q * (alarms - alarms_apart),
        q * alarms_apart * (1 - lean),
        q * alarms_apart * (1 + lean),
        q * (1 - alarms - alarms_apart),
    )


def traded(prevalence: float, measure: str) -> tuple[float, ...]:
    """Return shares with the same value of the measure for A, who finds more, and B, who raises fewer false alarms."""
    found_a, found_b = TRADE
    alarms_b = FALSE_ALARMS[prevalence] / 2
    target = _value(measure, prevalence, found_b, alarms_b)
    low, high = alarms_b, 1.0
    for _ in range(100):  # more false alarms make A worse, until it is as good as B
        middle = (low + high) / 2
        better = MEASURES[measure].sign * (_value(measure, prevalence, found_a, middle) - target) > 0
        low, high = (middle, high) if better else (low, middle)
    found = [(found_a, found_b, prevalence), (low, alarms_b, 1.0 - prevalence)]
    # each class: both say positive, B alone, A alone, neither; on their own they are independent
    return tuple(share * p for a, b, share in found for p in (a * b, (1 - a) * b, a * (1 - b), (1 - a) * (1 - b)))


def _value(measure: str, prevalence: float, found: float, alarms: float) -> float:
    p, q = BIG * prevalence, BIG * (1 - prevalence)
    counts = ConfusionMatrix.of_two_classes(
        tp=round(p * found), fn=round(p * (1 - found)), fp=round(q * alarms), tn=round(q * (1 - alarms))
    )
    return float(MEASURES[measure].evaluate(counts).values)


def batches(cells: Iterator[Cell], trials: int, tests: tuple[str, ...] = ()) -> list[Batch]:
    """Return the cells with a way to draw from them: each distinct table once, with the number of times it came up."""
    return [
        Batch(
            cell.name,
            cell.null,
            cell.n,
            {m: cell.difference(m) for m in cell.measures},
            _Tables(cell),
            intervals=cell.null == "different",
            trials=trials,
            tests=tests,
        )
        for cell in cells
    ]


@dataclass(frozen=True)
class _Tables:
    """Draws joint counts; a test set that came up twice is asked about once."""

    cell: Cell

    def __call__(self, stream: Stream, trials: int) -> Iterator[tuple[int, Question[DecisionSample]]]:
        weights = np.array([round(BIG * share) for share in self.cell.shares])
        tables, times = np.unique(multinomial(stream, self.cell.n, weights, trials).T, axis=0, return_counts=True)
        entropy = entropy_of(stream)
        for number, (table, often) in enumerate(zip(tables.tolist(), times.tolist(), strict=True)):
            joint = JointCounts(**{f"e{i}": x for i, x in enumerate(table, 1)})
            for measure in self.cell.measures:
                yield often, Question(DecisionSample(joint), MEASURES[measure], options(entropy, number))
