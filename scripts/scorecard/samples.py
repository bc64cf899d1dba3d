"""Data of other kinds than two-class decisions: scores, per-item values, groups of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.errors import DataError
from clearwin.measures import REGISTRY as MEASURES
from clearwin.streams import Stream
from scorecard.trials import Batch, entropy_of, options

Floats = NDArray[np.float64]
# for each measure its own truth, answers of A and B, and groups
Made = Iterable[tuple[str, Any, Any, Any, Any]]


@dataclass(frozen=True)
class Arrays:
    """Draws arrays, one test set after the other; one without an item of a class cannot be asked about."""

    make: Callable[[Stream], Made]

    def __call__(self, stream: Stream, trials: int) -> Iterator[tuple[int, Question[Any]]]:
        entropy = entropy_of(stream)
        for number in range(trials):
            for measure, truth, a, b, groups in self.make(stream):
                try:
                    yield 1, ask(measure, truth, a, b, groups, options(entropy, number))
                except DataError:
                    continue


def ask(measure: str, truth: Any, a: Any, b: Any, groups: Any, how: Options) -> Question[Any]:
    """Return the question as ``compare`` would ask it."""
    return Question(*read_sample(truth, {"a": a, "b": b}, MEASURES[measure], Reading(groups=groups)), how)


# --- scores ---------------------------------------------------------------------------------------------------

APART = 1.2  # how far the classes' mean scores lie apart, in deviations of what the models share


def two_scores(stream: Stream, truth: Any) -> tuple[Floats, Floats]:
    """Return two models' scores: what they share and what is their own weigh the same."""
    common = stream.normal(size=truth.size)
    a, b = (APART * truth + common + stream.normal(size=truth.size) for _ in range(2))
    return a, b


def few_positives(trials: int) -> list[Batch]:
    """Return cells with 2 to 50 positives and 100 negatives: why DeLong's test gets a caveat where a class is small."""
    found = []
    for positives in (2, 5, 10, 20, 50):
        truth = np.repeat([1, 0], [positives, 100])

        def make(stream: Stream, truth: Any = truth) -> Made:
            yield "auc", truth, *two_scores(stream, truth), None

        name = f"{positives} positives, 100 negatives"
        found.append(
            Batch(name, "exchangeable", positives + 100, {"auc": 0.0}, Arrays(make), intervals=True, trials=trials)
        )
    return found


# --- values ---------------------------------------------------------------------------------------------------

SHIFT = 0.3


def values(trials: int) -> list[Batch]:
    """Return cells of per-item values: normal, with heavy tails, in three steps; and differences that are skew."""
    kinds: dict[str, Callable[[Stream, int], tuple[Floats, Floats]]] = {
        "normal": lambda stream, n: (stream.normal(size=n), stream.normal(size=n)),
        "heavy tails": lambda stream, n: (stream.standard_t(3, size=n), stream.standard_t(3, size=n)),
        "grades 0, ½, 1": lambda stream, n: (stream.randint(0, 3, n) / 2, stream.randint(0, 3, n) / 2),
        "skew differences": lambda stream, n: (np.zeros(n), stream.exponential(size=n) - 1.0),
    }
    found = []
    for (name, draw), n, shift in product(kinds.items(), (10, 30, 100), (0.0, SHIFT)):
        measures = ("mean", "trimmed_mean") if name == "heavy tails" else ("mean",)
        null = "different" if shift else "equal" if name == "skew differences" else "exchangeable"

        def make(stream: Stream, n: int = n, shift: float = shift, draw: Any = draw, which: Any = measures) -> Made:
            a, b = draw(stream, n)
            return ((measure, None, a, b + shift, None) for measure in which)

        truth = dict.fromkeys(measures, shift)
        found.append(Batch(name, null, n, truth, Arrays(make), intervals=bool(shift), trials=trials))
    return found


# --- groups ---------------------------------------------------------------------------------------------------

GROUPS, OF = 40, 10


def grouped_null(stream: Stream) -> tuple[Any, ...]:
    """Return (truth, a, b, scores a, scores b) of equally good models on 40 groups of 10 items.

    Each group has a lean of its own, as likely towards A as towards B, so swapping the models on a group changes
    nothing in distribution. Truth has three classes; scores are those of the first class.
    """
    lean = np.repeat(stream.normal(0, 1.2, GROUPS), OF)
    y = stream.randint(0, 3, GROUPS * OF)
    hard = stream.normal(0, 0.7, y.size)
    right = [1 / (1 + np.exp(-(0.8 - hard + sign * lean))) > stream.random(y.size) for sign in (1, -1)]
    a, b = (np.where(ok, y, (y + stream.randint(1, 3, y.size)) % 3) for ok in right)
    scored = [(y == 0) * (1.0 + sign * lean) + stream.normal(size=y.size) for sign in (1, -1)]
    return y, a, b, *scored


OF_GROUPS = ("accuracy", "f1", "macro_f1", "mean", "auc")


def groups(trials: int) -> list[Batch]:
    """Return the cell of 40 groups of 10, asked by groups and as if items were independent."""
    found = []
    for name, given in (("by groups", np.repeat(np.arange(GROUPS), OF)), ("as single items", None)):

        def make(stream: Stream, given: Any = given) -> Made:
            y, a, b, s, t = grouped_null(stream)
            yield "accuracy", y, a, b, given
            yield "f1", (y == 0) * 1, (a == 0) * 1, (b == 0) * 1, given
            yield "macro_f1", y, a, b, given
            yield "mean", None, (a == y) * 1.0, (b == y) * 1.0, given
            yield "auc", (y == 0) * 1, s, t, given

        null = "exchangeable" if given is not None else "equal"
        truth = dict.fromkeys(OF_GROUPS, 0.0)
        cell = f"40 groups of 10, {name}"
        found.append(Batch(cell, null, GROUPS * OF, truth, Arrays(make), intervals=True, trials=trials))
    return found
