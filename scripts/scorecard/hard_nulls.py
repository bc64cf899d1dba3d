"""Populations in which two models are equally good and yet not exchangeable, for every measure of the registry.

A family of joint populations has one free parameter of B (how many false alarms it raises, how far its positives'
scores lie above the negatives'), which is solved for the value of the measure that A has. *Mild* populations are what
two good models look like; in *hard* ones B answers in quite another way, or few items decide.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

from clearwin.counts import ClassCounts, ConfusionMatrix
from clearwin.measures.naming import find
from clearwin.streams import Stream

Floats = NDArray[np.float64]
Answers = tuple[Any, ...]  # the truth, what A and B answer, and the groups or strata of the items where there are some
EXCHANGEABLE, MILD, HARD, DIFFERENT = "exchangeable", "equal", "hard", "different"
BIG = 10**12  # items that stand for the population
GRID = 25  # points among which a change of sign is looked for


class Population(ABC):
    """What test sets are drawn from."""

    @abstractmethod
    def draw(self, stream: Stream, n: int) -> Answers:
        """Return a test set of n items."""

    @abstractmethod
    def values(self, measure: str) -> tuple[float, float]:
        """Return the true values of A and B."""


Family = Callable[[float], Population]


@dataclass(frozen=True)
class Cell:
    """A population and a number of items, or of groups or strata, with the measure that is asked for."""

    data: str
    measure: str
    name: str
    null: str
    n: int
    population: Population

    @property
    def difference(self) -> float:
        """The true difference b − a."""
        a, b = self.population.values(self.measure)
        return b - a if self.null == DIFFERENT else 0.0


def equal_at(family: Family, measure: str, low: float, high: float) -> float:
    """Return the parameter at which A and B have the same value of the measure; the first, if there are several."""

    def gap(t: float) -> float:
        a, b = family(t).values(measure)
        return b - a

    at = np.linspace(low, high, GRID)
    gaps = np.array([gap(float(t)) for t in at])
    changes = np.flatnonzero(np.sign(gaps[:-1]) != np.sign(gaps[1:]))
    if not changes.size:
        raise ValueError(f"{measure} is nowhere equal: b − a goes from {gaps.min():.3g} to {gaps.max():.3g}")
    return float(brentq(gap, at[changes[0]], at[changes[0] + 1], xtol=1e-14))


# --- one decision for each item ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Decided(Population):
    """Items of classes with shares ``prior``; a row of a model's confusion says how it answers items of a class.

    On a share ``same`` of the items both answer by the same chance, so that they agree as far as their rates allow; on
    the others they answer on their own.
    """

    prior: Floats
    a: Floats
    b: Floats
    same: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return the numbers of classes."""
        truth = _chosen(np.broadcast_to(self.prior, (n, self.prior.size)), stream.random(n))
        by_a, alone = stream.random(n), stream.random(n)
        by_b = np.where(stream.random(n) < self.same, by_a, alone)
        return truth, _chosen(self.a[truth], by_a), _chosen(self.b[truth], by_b)

    def values(self, measure: str) -> tuple[float, float]:
        """Return the measure of the expected confusion matrices."""
        a, b = (
            float(find(measure).evaluate(_matrix(BIG * self.prior[:, None] * rows)).values[0])
            for rows in (self.a, self.b)
        )
        return a, b


def _matrix(cells: Any) -> ConfusionMatrix:
    return ConfusionMatrix(np.rint(cells).astype(np.int64)[..., None])


def _class_counts(truths: Any, predicted: Any, hits: Any) -> ClassCounts:
    t, p, h = (np.rint(BIG * x).astype(np.int64)[:, None] for x in (truths, predicted, hits))
    return ClassCounts(t, p, h, n=np.array([BIG]))


def _chosen(shares: Floats, chance: Floats) -> NDArray[np.int64]:
    return np.asarray((chance[:, None] > np.cumsum(shares, axis=1)[:, :-1]).sum(axis=1))


def two_classes(
    prevalence: float, found: tuple[float, float], alarms: tuple[float, float], same: float = 0.5
) -> Decided:
    """Return models that find shares of the positives and raise false alarms on shares of the negatives."""
    a, b = (np.array([[1 - f, f], [1 - r, r]]) for r, f in zip(found, alarms, strict=True))
    return Decided(np.array([1 - prevalence, prevalence]), a, b, same)


def zipf(k: int) -> Floats:
    """Return the shares of k classes, each 1/rank."""
    shares = 1.0 / np.arange(1, k + 1)
    return np.asarray(shares / shares.sum())


def often_right(prior: Floats, right: Floats) -> Floats:
    """Return a confusion with these rates on the diagonal; mistakes go to the other classes by their shares."""
    others = prior[None, :] * (1 - np.eye(prior.size))
    return np.asarray(np.diag(right) + (1 - right)[:, None] * others / others.sum(axis=1, keepdims=True))


def many_classes(k: int, lean: tuple[float, float]) -> Callable[[float], Decided]:
    """Return the family in which B is better on frequent classes than on rare ones (``lean``), shifted by t."""
    prior = zipf(k)
    a = often_right(prior, np.full(k, 0.7))

    def family(t: float) -> Decided:
        return Decided(prior, a, often_right(prior, np.clip(np.linspace(*lean, k) + t, 0.02, 0.98)), same=0.7)

    return family


def one_rare_class(t: float) -> Decided:
    """Return three classes, one of 3 %: A finds nearly all of it among many false ones, B the reverse (the audit's)."""
    a = np.array([[0.80, 0.10, 0.10], [0.08, 0.80, 0.12], [0.02, 0.03, 0.95]])
    b = np.array([[0.97 - t, 0.02 + t, 0.01], [0.10 + t / 2, 0.88 - t / 2, 0.02], [0.30, 0.25, 0.45]])
    return Decided(np.array([0.80, 0.17, 0.03]), a, b, same=0.7)


# --- label sets and sums ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Labelled(Population):
    """Documents with any of several labels, each on its own with its rate; found and false alarms by label."""

    rates: Floats
    a: tuple[Floats, Floats]
    b: tuple[Floats, Floats]
    same: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return documents × labels."""
        shape = (n, self.rates.size)
        truth = stream.random(shape) < self.rates
        by_a, alone = stream.random(shape), stream.random(shape)
        by_b = np.where(stream.random(shape) < self.same, by_a, alone)
        a, b = (chance < np.where(truth, *model) for chance, model in ((by_a, self.a), (by_b, self.b)))
        return truth * 1, a * 1, b * 1

    def values(self, measure: str) -> tuple[float, float]:
        """Return the measure of the expected counts of each label."""
        a, b = (self._value(measure, *model) for model in (self.a, self.b))
        return a, b

    def _value(self, measure: str, found: Floats, alarms: Floats) -> float:
        q = self.rates
        if measure == "subset_accuracy":  # labels come on their own
            return float(np.prod(q * found + (1 - q) * (1 - alarms)))
        counts = _class_counts(q, q * found + (1 - q) * alarms, q * found)
        return float(find(measure).evaluate(counts).values[0])


def label_sets(labels: int, lean: tuple[float, float]) -> Callable[[float], Labelled]:
    """Return the family in which B finds more of frequent labels than of rare ones; t shifts what it finds."""
    rates = 0.4 / np.arange(1, labels + 1)
    a = np.full(labels, 0.7), np.full(labels, 0.05)

    def family(t: float) -> Labelled:
        found = np.clip(np.linspace(*lean, labels) + t, 0.02, 0.98)
        return Labelled(rates, a, (found, np.full(labels, 0.02 if lean[0] - lean[1] > 0.3 else 0.04)), same=0.7)

    return family


LONG = 0.05  # of the sentences
SHORT_SPANS, LONG_SPANS, PLACES = 3, 25, 3


@dataclass(frozen=True)
class Counted(Population):
    """Sentences with spans, a few with many: each model finds a share of them, and tells some that are none."""

    a: tuple[float, float]
    b: tuple[float, float]

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return true spans, and (right, predicted) of the models."""
        true = np.where(stream.random(n) < LONG, LONG_SPANS, SHORT_SPANS)
        spans = np.arange(LONG_SPANS) < true[:, None]
        by_a, alone = stream.random(spans.shape), stream.random(spans.shape)
        by_b = np.where(stream.random(spans.shape) < 0.5, by_a, alone)  # half of the spans are as easy for both
        found = []
        for chance, (hit, alarm) in ((by_a, self.a), (by_b, self.b)):
            right = (spans & (chance < hit)).sum(axis=1)
            alarms = (stream.random((n, PLACES)) < alarm).sum(axis=1)
            found.append((right, right + alarms * (1 + 3 * (true == LONG_SPANS))))
        return true, found[0], found[1]

    def values(self, measure: str) -> tuple[float, float]:
        """Return the measure of the expected sums."""
        true = LONG * LONG_SPANS + (1 - LONG) * SHORT_SPANS
        places = PLACES * (1 + 3 * LONG)
        a, b = (
            float(
                find(measure)
                .evaluate(_class_counts(*np.array([[true], [true * hit + places * alarm], [true * hit]])))
                .values[0]
            )
            for hit, alarm in (self.a, self.b)
        )
        return a, b


# --- scores -----------------------------------------------------------------------------------------------------

AT = np.linspace(-8.0, 48.0, 14_001)  # thresholds
MAX_FPR = 0.1
APART = 1.5  # how far A's positives lie above the negatives, in deviations


@dataclass(frozen=True)
class Scored(Population):
    """Normal scores: the negatives' are standard, B's positives have a mean and deviation of their own."""

    apart: float
    prevalence: float
    deviation: float
    correlation: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return 0/1 and two scores."""
        truth = (stream.random(n) < self.prevalence) * 1
        first, second = stream.normal(size=n), stream.normal(size=n)
        second = self.correlation * first + math.sqrt(1 - self.correlation**2) * second
        b = np.where(truth == 1, self.apart + self.deviation * second, second)
        return truth, APART * truth + first, b

    def values(self, measure: str) -> tuple[float, float]:
        """Return the measure of the population's curve."""
        return binormal(measure, APART, 1.0, self.prevalence), binormal(
            measure, self.apart, self.deviation, self.prevalence
        )


@cache
def binormal(measure: str, apart: float, deviation: float, prevalence: float) -> float:
    """Return the measure where the scores of positives lie ``apart`` from standard normal ones."""
    if measure == "auc":
        return float(norm.cdf(apart / math.sqrt(1 + deviation**2)))
    alarms = norm.sf(AT)
    found = norm.sf((AT - apart) / deviation)
    if measure == "partial_auc":
        fpr = np.linspace(0.0, MAX_FPR, 2_001)
        area = float(np.trapezoid(np.interp(fpr, alarms[::-1], found[::-1]), fpr))
        least = MAX_FPR**2 / 2
        return (1 + (area - least) / (MAX_FPR - least)) / 2
    if measure == "min_dcf":
        return float((0.5 * (1 - found) + 0.5 * alarms).min())
    if measure == "eer":
        return float(norm.sf(brentq(lambda x: norm.sf(x) - norm.cdf((x - apart) / deviation), -30, 60)))
    told = prevalence * found + (1 - prevalence) * alarms
    if measure == "break_even":
        at = brentq(
            lambda x: prevalence * norm.sf((x - apart) / deviation) + (1 - prevalence) * norm.sf(x) - prevalence,
            -30,
            60,
        )
        return float(norm.sf((at - apart) / deviation))
    assert measure == "average_precision"
    precision = np.where(told > 0, prevalence * found / np.maximum(told, 1e-300), 1.0)
    return float(np.trapezoid(precision[::-1], found[::-1]))


# --- losses and values ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certain(Population):
    """Probabilities: A gives the true class 0.8 or, in one item of five, 0.4; B is surer and sometimes quite wrong."""

    sure: float
    wrong: float
    share: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return 0/1 and the probabilities of a 1."""
        truth = (stream.random(n) < 0.3) * 1
        chance = stream.random(n)
        a = np.where(chance < 0.2, 0.4, 0.8)
        b = np.where(np.where(stream.random(n) < 0.5, chance, stream.random(n)) < self.share, self.wrong, self.sure)
        return truth, np.where(truth == 1, a, 1 - a), np.where(truth == 1, b, 1 - b)

    def values(self, measure: str) -> tuple[float, float]:
        """Return the expected losses."""

        def loss(p: float) -> float:
            return (1 - p) ** 2 if measure == "brier" else -math.log(p)

        return 0.2 * loss(0.4) + 0.8 * loss(0.8), self.share * loss(self.wrong) + (1 - self.share) * loss(self.sure)


@dataclass(frozen=True)
class Missing(Population):
    """Predicted numbers: A's errors are normal; B's are, too, but for a few that are five times as large."""

    deviation: float
    share: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return numbers and predictions."""
        truth = stream.normal(size=n)
        large = np.where(stream.random(n) < self.share, 5.0, 1.0)
        return truth, truth + stream.normal(size=n), truth + self.deviation * large * stream.normal(size=n)

    def values(self, measure: str) -> tuple[float, float]:
        """Return the expected losses."""
        if measure == "mse":
            return 1.0, self.deviation**2 * (1 + 24 * self.share)
        assert measure == "mae"
        return math.sqrt(2 / math.pi), math.sqrt(2 / math.pi) * self.deviation * (1 + 4 * self.share)


TRIMMED = 0.1


@dataclass(frozen=True)
class Skewed(Population):
    """Values: B's are lognormal with mean 1; A's are as well, or normal around ``level`` with a deviation of 0.3."""

    level: float | None
    sigma: float

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return no truth and two values of each item."""
        a, b = (np.exp(self.sigma * stream.normal(size=n) - self.sigma**2 / 2) for _ in range(2))
        return None, a if self.level is None else self.level + 0.3 * stream.normal(size=n), b

    def values(self, measure: str) -> tuple[float, float]:
        """Return the means, or those of the middle 80 %."""
        b = 1.0
        if measure == "trimmed_mean":
            end = norm.ppf(1 - TRIMMED)
            b = float(norm.cdf(end - self.sigma) - norm.cdf(-end - self.sigma)) / (1 - 2 * TRIMMED)
        return b if self.level is None else self.level, b


# --- the cells --------------------------------------------------------------------------------------------------

# measures that are another one seen from the other side, or the same where every item has one label; their rows would
# be the same to the last digit
SAME_AS = {
    "error_rate": "accuracy",
    "false_rejection_rate": "recall",
    "specificity": "recall",
    "false_acceptance_rate": "recall",
    "hter": "balanced_accuracy",
    "sse": "mse",
    "mean_loss": "mean",
    "win_rate": "mean",
    "trimmed_mean_loss": "trimmed_mean",
}
# --- items that come together ----------------------------------------------------------------------------------

SIZE = 20  # items of a group
APART_IN_GROUPS = 1.2  # of the positives' and the negatives' mean scores, in standard deviations


@dataclass(frozen=True, eq=False)
class Clustered(Population):
    """Groups of items in which A and B are lucky or not: ``alike`` is the intraclass correlation of each model's luck.

    A group has 20 items, or, where sizes are ``unequal``, a lognormal number about 20.
    """

    measure: str
    alike: tuple[float, float]
    unequal: bool = False

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return the items of n groups, and their groups."""
        sizes = np.full(n, SIZE)
        if self.unequal:
            sizes = np.maximum(2, np.exp(np.log(SIZE) + 0.7 * stream.normal(size=n)).astype(int))
        group = np.repeat(np.arange(n), sizes)
        if self.measure == "mean":
            a, b = (np.exp(self._luck(stream, group, alike) - 0.5) for alike in self.alike)
            return None, a, b, group
        if self.measure == "auc":
            truth = stream.random(group.size) < 0.4
            turned = np.where(truth, 1.0, -1.0)  # a lucky group has its positives above and its negatives below
            a, b = (APART_IN_GROUPS * truth + turned * self._luck(stream, group, alike) for alike in self.alike)
            return truth.astype(int), a, b, group
        truth = stream.random(group.size) < 0.3
        answers = []
        for alike in self.alike:
            right = [self._rates(stream, n, rate, alike)[group] for rate in (0.7, 0.12)]
            answers.append(stream.random(group.size) < np.where(truth, *right))
        return truth.astype(int), *(answer.astype(int) for answer in answers), group

    @staticmethod
    def _luck(stream: Stream, group: NDArray[np.int64], alike: float) -> Floats:
        """Return normal numbers of variance 1 that correlate within a group."""
        shared = stream.normal(size=int(group[-1]) + 1)[group]
        return np.asarray(math.sqrt(alike) * shared + math.sqrt(1.0 - alike) * stream.normal(size=group.size))

    @staticmethod
    def _rates(stream: Stream, n: int, mean: float, alike: float) -> Floats:
        weight = (1.0 - alike) / alike
        return np.asarray(stream.beta(mean * weight, (1.0 - mean) * weight, size=n))

    def values(self, measure: str) -> tuple[float, float]:
        """Return the values of the mean rates, which are the same for A and B."""
        if measure == "mean":
            return 1.0, 1.0
        if measure == "auc":
            area = float(norm.cdf(APART_IN_GROUPS / math.sqrt(2.0)))
            return area, area
        return two_classes(0.3, (0.7, 0.7), (0.12, 0.12)).values(measure)


@dataclass(frozen=True, eq=False)
class InStrata(Population):
    """Strata of few items, some easier than others; the share of positives is that of the stratum."""

    measure: str
    size: int
    spread: tuple[float, float]  # of the errors of A and of B

    def draw(self, stream: Stream, n: int) -> Answers:
        """Return the items of n strata, and their strata."""
        stratum = np.repeat(np.arange(n), self.size)
        truth = np.arange(stratum.size) % 2
        ease = (stratum % 5 - 2) / 2.0
        a, b = (APART_IN_GROUPS * truth + ease + spread * stream.normal(size=stratum.size) for spread in self.spread)
        if self.measure == "auc":
            return truth, a, b, stratum
        middle = APART_IN_GROUPS / 2.0
        return truth, (a > middle).astype(int), (b > middle).astype(int), stratum

    def values(self, measure: str) -> tuple[float, float]:
        """Return the values of models that are alike."""
        eases = (np.arange(5) - 2) / 2.0
        if measure == "auc":
            gaps = APART_IN_GROUPS + eases[:, None] - eases[None, :]
            area = float(norm.cdf(gaps / math.sqrt(2.0)).mean())
            return area, area
        found = float(norm.cdf(APART_IN_GROUPS / 2.0 + eases).mean())
        alarms = float(norm.cdf(eases - APART_IN_GROUPS / 2.0).mean())
        return two_classes(0.5, (found, found), (alarms, alarms)).values(measure)


OF_TWO = (
    "accuracy",
    "recall",
    "balanced_accuracy",
    "dcf(cost_fp=2.0)",
    "precision",
    "f1",
    "f_beta(beta=0.5)",
    "jaccard",
    "mcc",
    "kappa",
)
OF_MANY = (
    "macro_f1",
    "macro_precision",
    "macro_recall",
    "f1_of_macro",
    "macro_f_beta(beta=0.5)",
    "weighted_f1",
    "weighted_precision",
    "weighted_f_beta(beta=0.5)",
    "mcc",
    "kappa",
)
OF_LABELS = (
    "macro_f1",
    "macro_precision",
    "macro_recall",
    "weighted_f1",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "micro_f_beta(beta=2.0)",
    "hamming_loss",
    "subset_accuracy",
)
OF_SUMS = ("f1_of_sums", "precision_of_sums", "recall_of_sums")
OF_SCORES = ("auc", "partial_auc", "average_precision", "eer", "min_dcf", "break_even")
OF_PROBABILITIES, OF_ERRORS, OF_VALUES = ("brier", "log_loss"), ("mse", "mae"), ("mean", "trimmed_mean")


def cells() -> list[Cell]:
    """Return every cell, in the order of the page's rows."""
    single = (_of_two(), _of_many(), _of_labels(), _of_sums(), _of_scores(), _of_losses(), _of_values())
    parts = (*single, _of_groups(), _of_strata())
    return [cell for part in parts for cell in part]


def _solved(cell: Cell, family: Family, low: float, high: float, *, apart: float | None = None) -> Iterator[Cell]:
    """Yield the cell with a population of equal models; and one ``apart`` from it, where that is given."""
    t = equal_at(family, cell.measure, low, high)
    yield replace(cell, population=family(t))
    if apart is not None:
        yield replace(cell, null=DIFFERENT, population=family(t + apart * (high - low)))


def trade(measure: str, prevalence: float, found: tuple[float, float], alarms: float, same: float) -> Family:
    """Return the family in which B finds fewer positives and raises a share t of A's false alarms."""
    if measure == "recall":  # of which the negatives are no part
        found = (found[0], found[0])
    return lambda t: two_classes(prevalence, found, (alarms, t * alarms), same)


def _of_two() -> Iterator[Cell]:
    for measure in OF_TWO:

        def cell(name: str, null: str, n: int, population: Population, measure: str = measure) -> Cell:
            return Cell("two classes", measure, name, null, n, population)

        for prevalence, n in ((0.5, 50), (0.1, 200)):
            alike = two_classes(prevalence, (0.8, 0.8), (0.06, 0.06))
            yield cell(f"alike, prevalence {prevalence:g}", EXCHANGEABLE, n, alike)
        if measure == "recall":
            yield cell("other false alarms", MILD, 200, two_classes(0.1, (0.8, 0.8), (0.1, 0.03)))
            for prevalence, n in ((0.1, 200), (0.02, 500)):
                few = two_classes(prevalence, (0.95, 0.95), (0.3, 0.02), 0.9)
                yield cell(f"other false alarms, prevalence {prevalence:g}", HARD, n, few)
            yield cell("B finds fewer", DIFFERENT, 200, two_classes(0.1, (0.9, 0.7), (0.1, 0.03)))
            continue
        if measure == "precision":
            for share, prevalence, n, null in ((0.5, 0.1, 200, MILD), (0.2, 0.1, 1000, HARD), (1 / 3, 0.1, 5000, HARD)):
                family = trade(measure, prevalence, (0.85, 0.85 * share), 0.063, 0.5)
                where = cell(f"B predicts {share:.2g} as many positives", null, n, family(0.5))
                yield from _solved(where, family, 0.0, 1.0, apart=-0.1 if n == 1000 else None)
            continue
        family = trade(measure, 0.1, (0.85, 0.75), 0.15, 0.5)
        yield from _solved(cell("B finds fewer, fewer false alarms", MILD, 200, family(0.5)), family, 0.0, 1.0)
        by_class = measure.startswith(("balanced", "dcf"))  # which false alarms are cheap for
        for prevalence, n, alarms in ((0.1, 200, 0.1), (0.02, 500, 0.03)):
            family = trade(measure, prevalence, (0.95, 0.65), 0.4 if by_class else alarms, 0.9)
            where = cell(f"B finds far fewer, prevalence {prevalence:g}", HARD, n, family(0.5))
            yield from _solved(where, family, 0.0, 1.0, apart=-0.03 if n == 200 else None)


def _of_many() -> Iterator[Cell]:
    for measure in OF_MANY:
        sizes = ((2, 100), (10, 300), (50, 500)) if measure == "macro_f1" else ((5, 150),)
        for k, n in sizes:
            prior = zipf(k)
            alike = often_right(prior, np.full(k, 0.7))
            where = Cell("many classes", measure, f"{k} classes", EXCHANGEABLE, n, Decided(prior, alike, alike, 0.7))
            yield where
            for null, lean in ((MILD, (0.75, 0.6)), (HARD, (0.95, 0.2))) if k < 50 else ((HARD, (0.9, 0.4)),):
                apart = 0.05 if null == HARD and k < 50 and measure in ("macro_f1", "mcc") else None
                yield from _solved(replace(where, null=null), many_classes(k, lean), -0.5, 0.5, apart=apart)
        if measure == "macro_f1":
            for n in (300, 4000):
                where = Cell("many classes", measure, "3 classes, one of 3 %", HARD, n, one_rare_class(0.1))
                yield from _solved(where, one_rare_class, 0.0, 0.6)


def _of_labels() -> Iterator[Cell]:
    for measure in OF_LABELS:
        alike = label_sets(10, (0.7, 0.7))(0.0)
        where = Cell("label sets", measure, "10 labels", EXCHANGEABLE, 100, replace(alike, b=alike.a))
        yield where
        yield from _solved(replace(where, null=MILD), label_sets(10, (0.75, 0.6)), -0.6, 0.6)
        apart = 0.05 if measure in ("macro_f1", "micro_f1") else None
        yield from _solved(replace(where, null=HARD), label_sets(10, (0.95, 0.3)), -0.6, 0.6, apart=apart)


def _of_sums() -> Iterator[Cell]:
    for measure in OF_SUMS:
        where = Cell("sums", measure, "spans of sentences", EXCHANGEABLE, 60, Counted((0.7, 0.3), (0.7, 0.3)))
        yield where
        if measure == "recall_of_sums":
            yield replace(where, null=MILD, population=Counted((0.7, 0.3), (0.7, 0.1)))
            yield replace(where, null=HARD, population=Counted((0.95, 0.8), (0.95, 0.02)))
            yield replace(where, null=DIFFERENT, population=Counted((0.8, 0.8), (0.7, 0.02)))
            continue
        yield from _solved(replace(where, null=MILD), lambda t: Counted((0.75, 0.3), (0.68, t)), 0.0, 0.9)
        yield from _solved(replace(where, null=HARD), lambda t: Counted((0.9, 0.9), (0.6, t)), 0.0, 0.9, apart=-0.1)


def _of_scores() -> Iterator[Cell]:
    for measure in OF_SCORES:
        for null, deviation, prevalence, n, correlation in (
            (EXCHANGEABLE, 1.0, 0.1, 200, 0.5),
            (MILD, 1.3, 0.3, 200, 0.5),
            (HARD, 3.0, 0.1, 200, 0.9),
            (HARD, 1 / 3, 0.1, 200, 0.9),
            *(((HARD, 1 / 3, 0.5, 1000, 0.9),) if measure == "partial_auc" else ()),
            *(((HARD, 3.0, 0.5, 1000, 0.9),) if measure == "min_dcf" else ()),
            *(((EXCHANGEABLE, 1.0, 0.1, 60, 0.5), (HARD, 3.0, 0.1, 60, 0.9)) if measure == "auc" else ()),
        ):
            family = partial(Scored, prevalence=prevalence, deviation=deviation, correlation=correlation)
            shape = "alike" if null == EXCHANGEABLE else f"B's deviation × {deviation:.2g}"
            where = Cell("scores", measure, f"{shape}, prevalence {prevalence:g}", null, n, family(APART))
            if null == EXCHANGEABLE:
                yield where
            else:
                apart = 0.05 if (null, deviation, n) == (HARD, 3.0, 200) else None
                yield from _solved(where, family, -1.0, 12.0, apart=apart)


def _of_losses() -> Iterator[Cell]:
    for measure in OF_PROBABILITIES:
        where = Cell("losses", measure, "both as A", EXCHANGEABLE, 100, Certain(0.8, 0.4, 0.2))
        yield where
        for null, wrong, share in ((MILD, 0.2, 0.15), (HARD, 0.02, 0.04)):
            named = replace(where, null=null, name=f"B is quite wrong in {100 * share:g} % of the items")
            sure = partial(Certain, wrong=wrong, share=share)
            yield from _solved(named, sure, 0.55, 0.999, apart=0.1 if null == HARD else None)
    for measure in OF_ERRORS:
        where = Cell("losses", measure, "normal errors", EXCHANGEABLE, 100, Missing(1.0, 0.0))
        yield where
        for null, share in ((MILD, 0.2), (HARD, 0.03)):
            named = replace(where, null=null, name=f"{100 * share:g} % of B's errors are large")
            yield from _solved(named, partial(Missing, share=share), 0.2, 2.0, apart=0.1 if null == HARD else None)


def _of_values() -> Iterator[Cell]:
    for measure in OF_VALUES:
        where = Cell("values", measure, "both lognormal (σ 1.5)", EXCHANGEABLE, 100, Skewed(None, 1.5))
        yield where
        for null, sigma in ((MILD, 0.5), (HARD, 1.5)):
            named = replace(where, null=null, name=f"one lognormal (σ {sigma:g}), one normal")
            yield from _solved(named, partial(Skewed, sigma=sigma), 0.1, 1.9, apart=0.1 if null == HARD else None)


def _of_groups() -> Iterator[Cell]:
    for measure in ("accuracy", "precision", "f1", "auc", "mean"):
        where = Cell("in groups", measure, "", EXCHANGEABLE, 10, Clustered(measure, (0.2, 0.2)))
        yield replace(where, name="10 groups, both correlate .2")
        yield replace(where, null=MILD, name="10 groups, .02 and .2", population=Clustered(measure, (0.02, 0.2)))
        for n in (5, 10, 20, 50):
            for unequal in (False, True):
                sizes = "unequal" if unequal else "equal"
                hard = Clustered(measure, (0.02, 0.5), unequal)
                yield replace(where, null=HARD, n=n, name=f"{n} {sizes} groups, .02 and .5", population=hard)


def rare_cells() -> list[Cell]:
    """Return cells of equal models in which few items or groups carry most of the loss, by their number."""
    found: list[Cell] = []
    for n in (100, 300, 1_000, 3_000):
        where = Cell("losses", "mse", "3 % of B's errors are large", HARD, n, Missing(1.0, 0.0))
        found += _solved(where, partial(Missing, share=0.03), 0.2, 2.0)
    for measure in ("precision", "mean"):
        for n in (10, 20, 50, 100, 200):
            population = Clustered(measure, (0.02, 0.5))
            found.append(Cell("in groups", measure, "groups, .02 and .5", HARD, n, population))
    return found


def _of_strata() -> Iterator[Cell]:
    for measure in ("accuracy", "f1", "auc"):
        for n, size in ((100, 2), (50, 4)):
            name = f"{n} strata of {size}"
            yield Cell("in strata", measure, name, EXCHANGEABLE, n, InStrata(measure, size, (1.0, 1.0)))
