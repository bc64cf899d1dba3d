"""Tests of learners over folds: on differences drawn from a model of them, and on learners that are really trained."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from clearwin.data.folds import Design, FoldOptions, FoldSample, score_over_folds
from clearwin.data.questions import Question
from clearwin.errors import OptionError
from clearwin.numerics.pvalues import Claim
from clearwin.significance import AUTO, REGISTRY, Finding
from clearwin.significance.folds.caveats import of_folds
from clearwin.streams import Seed
from scorecard import learners
from scorecard.rows import Row
from scorecard.trials import ALPHAS, LEVEL, STREAM

N_RESAMPLES = 999
SHIFT = 0.5  # the true difference for coverage and power, in standard deviations of a fold's


@dataclass(frozen=True)
class Folds:
    """A design of folds; every two differences are correlated by ``rho``."""

    name: str
    design: Design
    rho: float

    @property
    def n(self) -> int:
        """How many differences there are."""
        return self.design.repeats * self.design.folds


def designs() -> list[Folds]:
    """Return the designs: ρ = ratio/(1 + ratio) by Nadeau and Bengio (2003)."""
    return [
        Folds("10 folds", Design("k-fold", 1, 10, 1 / 9), 0.1),
        Folds("30 resamples, 2 : 1", Design("resampled", 1, 30, 1 / 2), 1 / 3),
        Folds("10 × 10 folds", Design("repeated k-fold", 10, 10, 1 / 9), 0.1),
        Folds("5 × 2 folds", Design("5x2", 5, 2, 1.0), 0.5),
        Folds("10 independent", Design("independent", 1, 10, None), 0.0),
        Folds("30 independent", Design("independent", 1, 30, None), 0.0),
    ]


def jobs(trials: int) -> list[Callable[[int], list[Row]]]:
    """Return a job for each design, without and with a true difference."""
    return [_Job(folds, shift, trials) for folds in designs() for shift in (0.0, SHIFT)]


@dataclass(frozen=True)
class _Job:
    folds: Folds
    shift: float
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        folds, n = self.folds, self.folds.n
        null = "different" if self.shift else "exchangeable" if folds.rho == 0 else "equal"
        default = AUTO["folds"][folds.design.name][0]
        hits: dict[tuple[str, str, str, str, float], list[float]] = {}
        for question in self.questions(seed):
            for test in REGISTRY["folds"].values():
                if test.name.startswith("5x2") and folds.design.name != "5x2":
                    continue
                try:
                    finding = test.answer(question)
                except OptionError:  # a correction without a ratio to correct by
                    continue
                told = any(c.code != "few_folds" for c in of_folds(question, test, finding))
                width = finding.interval.high - finding.interval.low
                for who in (test.name, "auto") if test.name == default else (test.name,):
                    for kind, interval, level, hit in self.figures(finding):
                        count = hits.setdefault((kind, who, finding.method, interval, level), [0, 0, 0, 0])
                        for i, more in enumerate((hit, 1, width, told)):
                            count[i] += more
        return [
            Row(
                *(kind, test, method, interval, "mean over folds", folds.name, null, n, level, hit / asked, int(asked)),
                width=width / asked if kind == "coverage" else None,
                told=told / asked,
            )
            for (kind, test, method, interval, level), (hit, asked, width, told) in hits.items()
        ]

    def questions(self, seed: int) -> Iterator[Question[FoldSample]]:
        """Yield the trials."""
        folds, n = self.folds, self.folds.n
        key = zlib.crc32(f"{folds.name}|{self.shift}".encode())
        stream = Seed(seed).stream(STREAM, key)
        for number in range(self.trials):
            # the differences have variance 1 and the correlation ρ; without it the scores are exchangeable, too
            a, b = math.sqrt((1 - folds.rho) / 2) * stream.normal(size=(2, n))
            b += math.sqrt(folds.rho) * stream.normal() + self.shift
            options = FoldOptions(confidence_level=LEVEL, n_resamples=N_RESAMPLES, seed=Seed(key, (number,)))
            yield Question(FoldSample(a, b, folds.design), score_over_folds("score", True), options)

    def figures(self, finding: Finding) -> list[tuple[str, str, float, bool]]:
        """Return (kind, interval, level, whether it happened) of what a test found."""
        kind, alphas = ("power", ALPHAS[:1]) if self.shift else ("size", ALPHAS)
        found = [] if finding.p is None else [(kind, "", alpha, finding.p.value <= alpha) for alpha in alphas]
        return [*found, ("coverage", finding.interval.method, LEVEL, self.shift in finding.interval)]


# --- learners on equivalent feature sets ------------------------------------------------------------------------

ITEMS = (100, 200)
ITEMS_OF_UNSTABLE = (80, 200, 500)
LARGER = 1.5  # times the ratio of test to training size
AHEAD = 0.5  # how far B is ahead, over the root of the number of tested items: about a standard deviation of a fold
CLAIMS: tuple[Claim, ...] = ("better", "worse")


def learner_jobs(trials: int) -> list[Callable[[int], list[Row]]]:
    """Return a job for each way to split, learner, kind of features and number of items."""
    return [
        _LearnerJob(splits, name, features, n, trials)
        for splits in learners.SPLITS
        for name in learners.LEARNERS
        for features in learners.FEATURES
        for n in ITEMS
    ]


def unstable_jobs(trials: int) -> list[Callable[[int], list[Row]]]:
    """Return a job for each way to split and number of items, of learners that follow single items and of others."""
    return [
        _RatioJob(splits, name, n, trials)
        for name in (*learners.UNSTABLE, "naive Bayes")
        for splits in learners.SPLITS
        for n in ITEMS_OF_UNSTABLE
    ]


@dataclass(frozen=True)
class _RatioJob:
    """The corrected t test, and the same with a larger ratio; equally good learners, and B ahead in every fold."""

    splits: learners.Splits
    learner: str
    n: int
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Count what is shown; ``told`` is the share of that with a caveat besides that of few folds."""
        design, test = self.splits.design, REGISTRY["folds"]["corrected_t"]
        assert design.ratio is not None
        cell = f"{self.splits.name}: {self.learner}"
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"{cell}|{self.n}".encode()))
        learner = (learners.LEARNERS | learners.UNSTABLE)[self.learner]
        tested = self.n * design.ratio / (1.0 + design.ratio)
        ahead = AHEAD / math.sqrt(tested)
        designs = {"auto": design, f"ratio × {LARGER:g}": replace(design, ratio=LARGER * design.ratio)}
        hits: Counter[tuple[str, str]] = Counter()
        warned: Counter[tuple[str, str]] = Counter()
        for a, b in learners.accuracies(stream, learner, self.splits, learners.FEATURES[0], self.n, self.trials):
            for kind, more in (("size", 0.0), ("power", ahead)):
                for name, one in designs.items():
                    question = Question(FoldSample(a, b + more, one), score_over_folds("accuracy", True), FoldOptions())
                    finding = test.answer(question)
                    if _p(finding) > ALPHAS[0]:
                        continue
                    hits[kind, name] += 1
                    warned[kind, name] += any(c.code != "few_folds" for c in of_folds(question, test, finding))
        return [
            Row(
                *(kind, name, "", "", "accuracy", cell, "equal" if kind == "size" else "different", self.n, ALPHAS[0]),
                hits[kind, name] / self.trials,
                self.trials,
                told=warned[kind, name] / max(1, hits[kind, name]),
            )
            for kind in ("size", "power")
            for name in designs
        ]


@dataclass(frozen=True)
class _LearnerJob:
    splits: learners.Splits
    learner: str
    features: learners.Features
    n: int
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Ask what ``auto`` takes, and the tests that are made for the design or take folds as independent."""
        design = self.splits.design
        cell = f"{self.splits.name}: {self.learner}, {self.features.name}"
        stream = Seed(seed).stream(STREAM, zlib.crc32(f"{cell}|{self.n}".encode()))
        default = AUTO["folds"][design.name][0]
        asked = ("auto", "paired_t", *(("5x2cv_t", "5x2cv_f") if design.name == "5x2" else ()))
        hits: Counter[tuple[str, str, float]] = Counter()
        told: Counter[str] = Counter()
        learner = learners.LEARNERS[self.learner]
        for a, b in learners.accuracies(stream, learner, self.splits, self.features, self.n, self.trials):
            question = Question(FoldSample(a, b, design), score_over_folds("accuracy", True), FoldOptions())
            for name in asked:
                test = REGISTRY["folds"][default if name == "auto" else name]
                finding = test.answer(question)
                told[name] += any(c.code != "few_folds" for c in of_folds(question, test, finding))
                for alpha in ALPHAS:
                    hits["size", name, alpha] += _p(finding) <= alpha
                if name == "auto":
                    hits["interval", name, LEVEL] += 0.0 in finding.interval
                    for claim in CLAIMS:
                        one_sided = _p(test.answer(question.asking(claim=claim)))
                        for alpha in ALPHAS:
                            hits[claim, name, alpha] += one_sided <= alpha
        for alpha in ALPHAS:  # whichever is shown more often
            hits["claim", "auto", alpha] = max(hits.pop((claim, "auto", alpha)) for claim in CLAIMS)
        return [
            Row(
                *(kind, name, "", "auto" if kind == "interval" else "", "accuracy", cell, "equal", self.n, level),
                count / self.trials,
                self.trials,
                told=told[name] / self.trials,
            )
            for (kind, name, level), count in hits.items()
        ]


def _p(finding: Finding) -> float:
    assert finding.p is not None  # none of these tests is Bayesian
    return finding.p.value
