"""Random data: do a p-value and its interval, or ``compare`` and ``rank``, ever contradict each other?

Every result is checked on its own: the interval excludes 0 exactly where p is at most 1 − confidence level, it contains
the difference, and the decision follows. Of one in ten data sets, ``rank`` of the same two models must give
the same p-value and the same interval to the last bit.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import clearwin as cw
from clearwin.errors import ClearwinError
from clearwin.numerics.pvalues import CLAIMS
from clearwin.results import Comparison
from clearwin.streams import Seed, Stream
from scorecard.rows import Row
from scorecard.trials import LEVEL, STREAM

KIND = "contradictions"
OF_RESULTS, OF_VERBS = "p-value and interval", "compare and rank"
RANKED = 10  # one result of so many is ranked, too
N_RESAMPLES = 99  # the fewest that can reject at 1 %; what must not differ does not depend on them
ASKED = tuple(product(CLAIMS, (0.95, 0.9, 0.99)))
Drawn = tuple[Any, Any, Any, dict[str, Any]]  # truth, answers of A and B, and what else they are asked with


def two_classes(stream: Stream) -> Drawn:
    """Draw a table of eight joint outcomes: shares from a Dirichlet distribution, more or less uneven."""
    n = (20, 60, 200, 1_000)[stream.randint(0, 4)]
    evenness = (0.3, 1.0, 3.0)[stream.randint(0, 3)]
    shares = stream.standard_gamma(evenness * np.array([3, 1, 1, 1, 1, 1, 1, 4]), size=8)
    outcomes = np.sort(np.searchsorted(np.cumsum(shares / shares.sum()), stream.random(n)).clip(0, 7))
    truth, a, b = (np.array([1, 1, 1, 1, 0, 0, 0, 0]), np.array([1, 0, 1, 0, 1, 0, 1, 0]), np.array([1, 1, 0, 0] * 2))
    return truth[outcomes], a[outcomes], b[outcomes], {"positive": 1}


def three_classes(stream: Stream) -> Drawn:
    """Draw models that are right on a random share of the items of each class."""
    n = (30, 100, 300)[stream.randint(0, 3)]
    truth = stream.randint(0, 3, n)
    right = [stream.random(n) < stream.random(3)[truth] for _ in range(2)]
    a, b = (np.where(ok, truth, (truth + stream.randint(1, 3, n)) % 3) for ok in right)
    return truth, a, b, {}


def scores(stream: Stream) -> Drawn:
    """Draw normal scores, rounded now and then, so that some are equal."""
    n = (20, 50, 100)[stream.randint(0, 3)]
    truth = (stream.random(n) < 0.1 + 0.8 * stream.random(1)) * 1
    common = stream.normal(size=n)
    a, b = (2.0 * stream.random(1) * truth + common + stream.normal(size=n) for _ in range(2))
    return (truth, np.round(a, 1), np.round(b, 1), {}) if stream.randint(0, 2) else (truth, a, b, {})


def values(stream: Stream) -> Drawn:
    """Draw values of every item, from nearly normal to very skewed ones."""
    n = (10, 30, 100)[stream.randint(0, 3)]
    skew, shift = 1.5 * stream.random(1), stream.random(1)
    a, b = (np.exp(skew * stream.normal(size=n)) + shift * of for of in (0, 1))
    return None, a, b, {}


def in_groups(stream: Stream) -> Drawn:
    """Draw decisions on groups of one to seven items."""
    truth, a, b, how = two_classes(stream)
    order = np.argsort(stream.random(truth.size))
    groups = np.cumsum(stream.random(truth.size) < 0.25)
    return truth[order], a[order], b[order], {**how, "groups": groups}


DATA: dict[str, tuple[Callable[[Stream], Drawn], int, tuple[str, ...]]] = {
    "two classes": (
        two_classes,
        10_000,
        (
            "accuracy",
            "recall",
            "precision",
            "f1",
            "f_beta(beta=0.5)",
            "mcc",
            "kappa",
            "dcf(cost_fp=2.0)",
            "balanced_accuracy",
        ),
    ),
    "three classes": (three_classes, 1_500, ("macro_f1", "mcc")),
    "scores": (scores, 1_000, ("auc", "average_precision", "eer")),
    "values": (values, 2_000, ("mean",)),
    "in groups": (in_groups, 2_000, ("f1",)),
}


def jobs() -> list[Job]:
    """Return a job for each kind of data and measure."""
    return [Job(data, measure, draw, sets) for data, (draw, sets, names) in DATA.items() for measure in names]


@dataclass(frozen=True)
class Job:
    """So many random data sets of one kind, judged by one measure."""

    data: str
    measure: str
    draw: Callable[[Stream], Drawn]
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Count results that contradict themselves, and pairs of which ``rank`` says something else."""
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"{KIND}|{self.data}|{self.measure}".encode()))
        count: Counter[str] = Counter()
        number = 0
        while count[OF_RESULTS] < self.trials:
            truth, a, b, how = self.draw(stream)
            claim, level = ASKED[number % len(ASKED)]
            number += 1
            how = {**how, "measure": self.measure, "confidence_level": level, "rng": number, "n_resamples": N_RESAMPLES}
            try:
                found = cw.compare(truth, a, b, claim=claim, **how)
            except ClearwinError:  # a class without items, say: there is nothing to contradict
                continue
            count[OF_RESULTS] += 1
            count[OF_RESULTS + " contradict"] += contradicts_itself(found)
            if number % RANKED == 0:
                count[OF_VERBS] += 1
                count[OF_VERBS + " contradict"] += _ranked_differently(truth, a, b, how)
        return [
            Row(KIND, "auto", "", "", self.measure, f"{self.data}: {what}", "random", 0, LEVEL, bad / asked, asked)
            for what in (OF_RESULTS, OF_VERBS)
            if (asked := count[what])
            for bad in (count[what + " contradict"],)
        ]


def contradicts_itself(found: Comparison) -> bool:
    """Whether p-value, interval, difference and decision do not go together."""
    rejected = found.p_value <= 1.0 - found.interval.level + 1e-12
    excluded = 0.0 not in found.interval
    decided = found.decision in ("better", "worse")
    if found.decision != "not decided" and decided != (rejected and found.difference != 0.0):
        return True
    return rejected != excluded or not found.interval.low <= found.difference <= found.interval.high


def _ranked_differently(truth: Any, a: Any, b: Any, how: dict[str, Any]) -> bool:
    pair = cw.rank(truth, {"a": a, "b": b}, **how).pairs[0]
    first, second = (a, b) if pair.a == "a" else (b, a)
    again = cw.compare(truth, first, second, **how)
    return (pair.p_value, pair.interval) != (again.p_value, again.interval)
