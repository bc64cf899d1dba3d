"""Data of other kinds than two-class decisions: many classes, label sets, scores, per-item values, groups of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import JointCounts
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.data.samples import DecisionSample
from clearwin.data.scores import scored_items
from clearwin.errors import DataError
from clearwin.execution import Stream, multinomial
from clearwin.measures import REGISTRY as MEASURES
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


# --- three classes --------------------------------------------------------------------------------------------

CLASS_SHARES = (0.6, 0.3, 0.1)
OF_CLASSES = ("macro_f1", "mcc", "balanced_accuracy")


def three_classes(trials: int) -> list[Batch]:
    """Return cells of three unequal classes; similar models give the same answer nine times in ten."""
    found = []
    for n, (kind, same), better in product((50, 200, 1000), (("similar", 0.9), ("different", 0.0)), (0.0, 0.05)):
        tables = ClassTables(n, same, 0.75, 0.75 + better)
        truth = {measure: tables.difference(measure) if better else 0.0 for measure in OF_CLASSES}
        null = "different" if better else "exchangeable"
        found.append(Batch(f"three classes, {kind}", null, n, truth, tables, intervals=bool(better), trials=trials))
    return found


@dataclass(frozen=True)
class ClassTables:
    """Draws k × k × k joint counts; with the probability ``same`` B repeats what A says, else it is on its own."""

    n: int
    same: float
    right_a: float
    right_b: float

    def shares(self) -> dict[tuple[int, int, int], float]:
        """Return the probability of every (truth, a, b)."""
        k = len(CLASS_SHARES)
        found = {}
        for y, a, b in product(range(k), repeat=3):
            p_a, p_b = (r if x == y else (1 - r) / (k - 1) for x, r in ((a, self.right_a), (b, self.right_b)))
            found[y, a, b] = CLASS_SHARES[y] * p_a * (self.same * (a == b) + (1 - self.same) * p_b)
        return found

    def difference(self, measure: str) -> float:
        """Return the true difference."""
        joint = JointCounts.of_outcomes((0, 1, 2), {key: round(1e12 * p) for key, p in self.shares().items()})
        a, b = (float(MEASURES[measure].evaluate(counts).values) for counts in joint.confusions())
        return b - a

    def __call__(self, stream: Stream, trials: int) -> Iterator[tuple[int, Question[Any]]]:
        entropy, shares = entropy_of(stream), self.shares()
        weights = np.array([round(1e12 * share) for share in shares.values()])
        for number in range(trials):
            drawn = multinomial(stream, self.n, weights, 1)[:, 0].tolist()
            outcomes = {key: count for key, count in zip(shares, drawn, strict=True) if count}
            joint = JointCounts.of_outcomes((0, 1, 2), outcomes)
            for measure in OF_CLASSES:
                yield 1, Question(DecisionSample(joint), MEASURES[measure], options(entropy, number))


# --- label sets -----------------------------------------------------------------------------------------------

N_LABELS, LABEL_SHARE, LABEL_ALARMS = 10, 0.2, 0.05


def label_sets(trials: int) -> list[Batch]:
    """Return cells of documents with several of ten labels, hard documents and easy ones."""

    def make(n: int, found_b: float) -> Callable[[Stream], Made]:
        def one(stream: Stream) -> Made:
            truth = stream.random((n, N_LABELS)) < LABEL_SHARE
            answers = []
            for found in (0.7, found_b):
                hits = stream.random(truth.shape) < found
                alarms = stream.random(truth.shape) < LABEL_ALARMS
                answers.append(np.where(truth, hits, alarms))
            for measure in ("macro_f1", "micro_f1"):
                yield measure, truth * 1, answers[0] * 1, answers[1] * 1, None

        return one

    p, q = LABEL_SHARE, 1 - LABEL_SHARE
    f1 = [2 * p * t / (p * t + p + q * LABEL_ALARMS) for t in (0.7, 0.75)]  # the same for every label and for all
    cells = []
    for n, found_b in product((50, 200), (0.7, 0.75)):
        gain = 0.0 if found_b == 0.7 else f1[1] - f1[0]
        null = "different" if gain else "exchangeable"
        truth = dict.fromkeys(("macro_f1", "micro_f1"), gain)
        cells.append(Batch("ten labels", null, n, truth, Arrays(make(n, found_b)), bool(gain), trials))
    return cells


# --- scores ---------------------------------------------------------------------------------------------------

OF_SCORES = ("auc", "eer", "average_precision")
APART_A, APART_B = 1.2, 1.7  # how far the classes' mean scores lie apart, in deviations of what the models share


def scores(trials: int) -> list[Batch]:
    """Return cells of normal scores of which the models share one half; the positives' are higher."""
    found = []
    for n, prevalence in ((100, 0.5), (100, 0.1), (500, 0.1), (500, 0.02)):
        measures = OF_SCORES
        for apart_b in (APART_A, APART_B):
            null = "exchangeable" if apart_b == APART_A else "different"
            truth = {m: true_difference(m, prevalence) if null == "different" else 0.0 for m in measures}
            make = score_maker(n, prevalence, apart_b, measures)
            found.append(Batch(f"prevalence {prevalence:g}", null, n, truth, Arrays(make), null == "different", trials))
    return found


def score_maker(n: int, prevalence: float, apart_b: float, measures: tuple[str, ...]) -> Callable[[Stream], Made]:
    """Return what draws scores of n items; the numbers of positives vary."""

    def make(stream: Stream) -> Made:
        truth = (stream.random(n) < prevalence) * 1
        return ((measure, truth, *two_scores(stream, truth, apart_b), None) for measure in measures)

    return make


def two_scores(stream: Stream, truth: Any, apart_b: float) -> tuple[Floats, Floats]:
    """Return two models' scores: what they share and what is their own weigh the same."""
    common = stream.normal(size=truth.size)
    return (
        APART_A * truth + common + stream.normal(size=truth.size),
        apart_b * truth + common + stream.normal(size=truth.size),
    )


def true_difference(measure: str, prevalence: float, n: int = 200_000) -> float:
    """Return the difference in the population: of scores at the normal quantiles, as many as make no difference."""
    from scipy.special import ndtri

    positives = round(n * prevalence)
    truth = np.repeat([1, 0], [positives, n - positives])
    at = np.concatenate([ndtri((np.arange(m) + 0.5) / m) for m in (positives, n - positives)]) * np.sqrt(2.0)
    items = scored_items(truth, APART_A * truth + at, APART_B * truth + at)
    return items.difference(MEASURES[measure])


def few_positives(trials: int) -> list[Batch]:
    """Return cells with 2 to 50 positives and 100 negatives: why ``auto`` leaves DeLong where a class is small."""
    found = []
    for positives in (2, 5, 10, 20, 50):
        truth = np.repeat([1, 0], [positives, 100])

        def make(stream: Stream, truth: Any = truth) -> Made:
            yield "auc", truth, *two_scores(stream, truth, APART_A), None

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
