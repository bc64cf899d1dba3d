"""Two ROC curves: where they cross, and which lies above where."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from clearwin.curves.points import OperatingPoints
from clearwin.numerics.arrays import Floats

Above = Literal["a", "b", "equal"]
SAME_RATE = 1e-14  # Closer rates are equal up to rounding, which is below 1e-15; one item in 10⁷ makes 1e-7.


@dataclass(frozen=True)
class Stretch:
    """Between these false positive rates this curve lies above the other, or they coincide."""

    fpr_from: float
    fpr_to: float
    above: Above


@dataclass(frozen=True)
class Dominance:
    """``overall`` is the curve that is somewhere above and nowhere below; "neither" when they cross."""

    overall: Literal["a", "b", "neither", "equal"]
    stretches: tuple[Stretch, ...]

    @property
    def crossings(self) -> tuple[float, ...]:
        """The false positive rates where the curves change sides."""
        sides = [stretch for stretch in self.stretches if stretch.above != "equal"]
        return tuple(left.fpr_to for left, right in pairwise(sides) if left.above != right.above)


def dominance(a: OperatingPoints, b: OperatingPoints) -> Dominance:
    """Return which ROC curve lies above where.

    If two curves do not intersect, one dominates (lecture-measures).

    Points where the curves only touch, and vertical pieces that they share, do not end a stretch.

    >>> from clearwin.curves import operating_points
    >>> truth = [True, False, True, False]
    >>> dominance(operating_points(truth, [4, 2, 3, 1]), operating_points(truth, [4, 3, 2, 1])).overall
    'a'
    """
    # As functions of fpr + tpr the curves are single-valued, even where they are vertical in fpr.
    along_a, along_b = a.fpr + a.tpr, b.fpr + b.tpr
    knots = np.union1d(along_a, along_b)
    lead = np.interp(knots, along_a, a.tpr) - np.interp(knots, along_b, b.tpr)
    lead[np.abs(lead) <= SAME_RATE] = 0.0
    turns = np.flatnonzero(lead[:-1] * lead[1:] < 0)
    share = lead[turns] / (lead[turns] - lead[turns + 1])
    knots = np.insert(knots, turns + 1, knots[turns] + share * (knots[turns + 1] - knots[turns]))
    lead = np.insert(lead, turns + 1, 0.0)
    stretches = _stretches(np.sign(lead[:-1] + lead[1:]), np.interp(knots, along_a, a.fpr))
    winners = {stretch.above for stretch in stretches} - {"equal"}
    overall = "neither" if len(winners) == 2 else winners.pop() if winners else "equal"
    return Dominance(overall, tuple(stretches))


def _stretches(ahead: Floats, fpr: Floats) -> list[Stretch]:
    """Join neighbouring pieces with one sign of ``ahead``, which is 1 where a is above; piece i begins at fpr[i]."""
    names: dict[float, Above] = {1.0: "a", -1.0: "b", 0.0: "equal"}
    stretches: list[Stretch] = []
    start = 0.0
    for last in np.append(np.flatnonzero(np.diff(ahead)), ahead.size - 1):
        above, end = names[float(ahead[last])], float(fpr[last + 1])
        if above == "equal" and end - start <= SAME_RATE:
            continue
        if stretches and stretches[-1].above == above:
            stretches[-1] = Stretch(stretches[-1].fpr_from, end, above)
        else:
            stretches.append(Stretch(start, end, above))
        start = end
    return stretches


def crossings(a: OperatingPoints, b: OperatingPoints) -> tuple[float, ...]:
    """Return the false positive rates where the two ROC curves change sides; none if and only if one dominates.

    Touching, or running together, is not a crossing. When they change sides over a common piece, it counts once, where
    that piece begins.

    >>> import clearwin as cw
    >>> truth = [True, False, True, False]
    >>> crossings(cw.curves.operating_points(truth, [4, 3, 1, 2]), cw.curves.operating_points(truth, [3, 4, 2, 1]))
    (0.5,)
    """
    return dominance(a, b).crossings
