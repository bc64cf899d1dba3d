"""Preferences in: who won each battle of two models, A, B or neither, and who was shown first.

A win is a point, a tie half a point for either. So every battle has a value for both models, and the mean of B's is its
win rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.data.arrays import COLLECTIONS, is_missing
from clearwin.data.clusters import read_grouping
from clearwin.data.samples import ReadingNotes
from clearwin.data.values import ValueSample
from clearwin.errors import DataError, first_few, setting
from clearwin.numerics.arrays import Floats
from clearwin.results.caveats import Caveat, caveat
from clearwin.text import as_number, composed

# who won, or was first, as tools write it; Chatbot Arena has model_a, AlpacaEval 1 and 2
OF_A = ("a", "model_a", "1", "1.0", "ab", "a,b")
OF_B = ("b", "model_b", "2", "2.0", "ba", "b,a")
TIES = ("tie", "draw", "equal", "both", "neither", "tie (bothbad)", "both_bad", "1.5", "0", "0.0")
UNBALANCED = 0.05  # of the battles, by which one order may be the more frequent


def _text(value: Any) -> str:
    return str(composed(str(value).strip()))


@dataclass(frozen=True)
class Battles:
    """Who won each battle, as it was given, what the two models are called there, and who was shown first."""

    winner: Sequence[Any]
    labels: tuple[Any, Any]
    first: Any = None
    groups: Any = None

    @property
    def _names(self) -> tuple[str, str]:
        a, b = (composed(str(label)) for label in self.labels)
        return a, b

    def sample(self, doubts: tuple[Caveat, ...] = ()) -> ValueSample:
        """Return the points of A and of B in each battle; who was shown first is a stratum."""
        points = self.points
        grouping = read_grouping(points.size, self.groups, self.first)
        about = ReadingNotes(caveats=(*doubts, *self._position()))
        return ValueSample(np.stack([1.0 - points, points]), grouping, about)

    @property
    def points(self) -> Floats:
        """B's points: 1 for a win, 1/2 for a tie, 0 for a loss; a preference between 1 (A) and 2 (B) is a part."""
        if not isinstance(self.winner, Iterable) or isinstance(self.winner, str | bytes | Mapping | Set):
            raise DataError(f"The winner is {self.winner!r}.", "the winner of each battle, in a column")
        winner = list(self.winner)
        if not winner or any(isinstance(value, COLLECTIONS) for value in winner):
            what = "The winner of a battle is a list or a table." if winner else "There are no battles."
            raise DataError(what, "in each battle the winner, or a tie")
        lacking = [i for i, value in enumerate(winner) if is_missing(value)]
        if lacking:
            raise DataError(
                f"The winner is missing in {len(lacking):,} of {len(winner):,} battles: "
                f"{first_few([str(i) for i in lacking], len(lacking))}.",
                "A, B or a tie in each of them",
                setting("missing", "drop"),
            )
        known = {text: self._point(text) for text in {_text(value) for value in winner}}
        strange = sorted(text for text, point in known.items() if point is None)
        if strange:
            a, b = self._names
            raise DataError(
                f"The winner is {first_few(strange, len(strange))}, which is neither {a}, {b} nor a tie.",
                "in each battle the winner, or a tie: " + ", ".join(TIES[:4]),
                setting("a", strange[0]) + ", " + setting("b", strange[-1]) + ", as the column calls the two models",
            )
        if {"0", "1"} >= set(known) and set(self._names) != {"0", "1"}:
            raise DataError(
                "The winner is 0 or 1, and it was not given which of them is B.",
                "names, A and B, or 1 and 2 with 1.5 for a tie",
                setting("a", 0) + ", " + setting("b", 1),
            )
        return np.array([known[_text(value)] for value in winner], dtype=np.float64)

    def _point(self, text: str) -> float | None:
        side = self._side(text)
        if side is not None:
            return side
        if text.lower() in TIES:
            return 0.5
        number = as_number(text)
        return number - 1.0 if number is not None and 1.0 <= number <= 2.0 else None

    def _side(self, text: str) -> float | None:
        """Return 0 for A and 1 for B, by the names that were given, or by what tools write."""
        if text in self._names:
            return float(self._names.index(text))
        if text.lower() in OF_A:
            return 0.0
        return 1.0 if text.lower() in OF_B else None

    def _position(self) -> tuple[Caveat, ...]:
        """Say how much it is worth to be shown first, where that is beyond chance or the orders are not balanced."""
        if self.first is None:
            return ()
        sides = [self._side(_text(value)) for value in self.first]
        if None in sides or len(set(sides)) < 2:
            return ()
        b_first, points = np.array(sides) == 1.0, self.points
        rates = points[~b_first].mean(), points[b_first].mean()
        worth = float(rates[1] - rates[0]) / 2.0
        # Agresti and Caffo (2000): with a win and a loss more in each order, battles that all end alike still have a
        # spread, so a few of them prove nothing and many of them do
        eased = [np.append(points[own], [0.0, 1.0]) for own in (~b_first, b_first)]
        seen = float(eased[1].mean() - eased[0].mean()) / 2.0
        error = 0.5 * math.sqrt(sum(some.var() / some.size for some in eased))
        share, balanced, plain = float(b_first.mean()), float(sum(rates)) / 2.0, float(points.mean())
        matters, unbalanced = abs(seen) > 1.96 * error, abs(share - 0.5) > UNBALANCED
        if not matters and not unbalanced:
            return ()
        first = (100 * worth, 196 * error) if matters else None
        rates_of_b = (100 * share, balanced, plain) if unbalanced else None
        return (caveat("position_bias", worth=first, name_b=self._names[1], unbalanced=rates_of_b),)


def refuse_other_battles(winners: Iterable[Any], left: Iterable[Any], right: Iterable[Any]) -> None:
    """Raise unless the columns ``model_a`` and ``model_b`` of a table of battles name one model each.

    With more models a win rate would pool the battles of all of them; with the two on changing sides, "model_a won"
    does not say which of them.
    """
    on_the_left, on_the_right = {str(name) for name in left}, {str(name) for name in right}
    models = on_the_left | on_the_right
    if len(models) > 2:
        raise DataError(
            many_models_in_battles(models),
            "battles of the same two models in all rows",
            "keep the rows of one pair of models, with the same model in model_a",
        )
    sides = {str(winner).strip().lower() for winner in winners} <= {*OF_A, *OF_B, *TIES}
    if len(on_the_left) > 1 and sides:
        raise DataError(
            f"The column model_a holds both {' and '.join(sorted(models))}, so its wins are not those of one model.",
            "the same model in model_a in every row, or winners by name",
            "replace model_a and model_b in the column of winners by the models' names, and add "
            + setting("a", min(models))
            + ", "
            + setting("b", max(models)),
        )


def many_models_in_battles(models: Iterable[str]) -> str:
    """Say that battles of more than two models are not ranked yet."""
    names = sorted(models)
    return f"These are battles of {len(names)} models ({first_few(names, len(names))}), and a win rate compares two."
