"""Put simulated questions to every registered test that can answer them, and count.

A test that is registered later is asked by itself, in every cell with a measure that it can judge.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearwin.analyses.judging import data_caveats
from clearwin.data.questions import Options, Question
from clearwin.data.samples import CountSample
from clearwin.errors import ClearwinError
from clearwin.numerics.intervals import DRAWN, Interval
from clearwin.numerics.paired_intervals import PAIRED
from clearwin.resampling.bootstrap import draw, interval_of
from clearwin.significance import REGISTRY, Finding, Test
from clearwin.significance.base import refuse_undefined
from clearwin.significance.caveats import no_width, not_whole_units
from clearwin.significance.studentised import studentised
from clearwin.streams import Seed, Stream
from scorecard.bands import NEVER_ABOVE
from scorecard.rows import Row

DUAL = studentised.__name__  # the test whose p-value and interval are one function
# of these what is drawn is as good as what is counted, or Student's t stands for the draws where there are many items
IN_ONE_ROW = ("permutation", DUAL)
ALPHAS = (0.05, 0.01)
LEVEL = 0.95
N_RESAMPLES = 499
STREAM = 77
# replicates where the p-value needs none: the fewest that bound a 95 % interval, which is not looked at
HARDLY_ANY = 39
MOST_ATOMS = 20_000  # beyond, arrangements are drawn: as exact a test, and quicker than counting them all
WITHOUT_REPLICATES = (
    "exact",
    "asymptotic",
    "mid-p",
    "corrected",
    "unconditional",
    "pratt",
    "pratt-corrected",
    "mover",
    "student",
)
# Caveats about the approximation; the others are about conventions or about this one p-value.
APPROXIMATION_CAVEATS = {
    "few_of_a_class",
    "few_disagreements",
    "normal_approximation",
    "delong_near_1",
    "delong_few_items",
    "few_groups",
    "few_groups_of_a_class",
    "no_width",
    "small_strata",
    "flat_replicates",
    "few_for_the_bootstrap",
}


@dataclass(frozen=True)
class Batch:
    """A cell with a way to draw from it: ``draw(stream, trials)`` yields (how often, question).

    ``truth`` holds the true difference of every measure; ``intervals`` says whether coverage is measured.
    """

    name: str
    null: str
    n: int
    truth: dict[str, float]
    draw: Callable[[Stream, int], Iterator[tuple[int, Question[Any]]]]
    intervals: bool = False
    trials: int = 1_000
    tests: tuple[str, ...] = ()  # those asked; all but the default where empty

    @property
    def key(self) -> int:
        """A number of its own, whatever other cells there are."""
        return zlib.crc32(f"{self.name}|{self.null}|{self.n}|{sorted(self.truth)}".encode())


def options(entropy: int, number: int) -> Options:
    """Return how a question is asked, with a seed of its own."""
    return Options(confidence_level=LEVEL, n_resamples=N_RESAMPLES, seed=Seed(entropy, (number,)))


def entropy_of(stream: Stream) -> int:
    """Return what the replicates of a cell's questions are seeded by."""
    return int(stream.randint(0, 2**63, dtype=np.int64))


@dataclass
class Count:
    """How often something happened, of how many."""

    hits: int = 0
    asked: int = 0
    width: float = 0.0
    told: int = 0
    methods: set[str] = field(default_factory=set)


Key = tuple[str, str, str, str, str, float]  # kind, test, method, interval, measure, level


def measure(batch: Batch, seed: int) -> list[Row]:
    """Draw the test sets of a cell, ask every test, and return the rows."""
    trials = batch.trials
    counts: dict[Key, Count] = defaultdict(Count)
    for times, question in batch.draw(Seed(seed).stream(STREAM, batch.key), trials):
        tests = [REGISTRY["items"][name] for name in batch.tests or by_name()]
        _count_answers(batch, times, question, counts, tests)
    rows = []
    for (kind, test, method, interval, name, level), count in counts.items():
        # a refused test set rejects nothing and has no interval
        asked = count.asked if kind == "coverage" else trials
        how = method or _named(count.methods)
        where = (name, batch.name, batch.null, batch.n, level, count.hits / asked, asked)
        width = count.width / count.asked if kind == "coverage" else None
        rows.append(Row(kind, test, how, interval, *where, width=width, told=count.told / count.asked))
    return rows


def by_name() -> list[str]:
    """Return the tests that are not the default, whose rows are on page one."""
    return [name for name in REGISTRY["items"] if name != DUAL]


def _named(methods: set[str]) -> str:
    """Return what the methods of a row are called: those that have the wider band, or all that keep the level."""
    return next((m for m in sorted(methods) if m not in NEVER_ABOVE), " or ".join(sorted(methods)))


@dataclass(frozen=True, eq=False)
class Answer:
    """A p-value of a test, and whether a caveat warns of it."""

    test: str
    method: str
    finding: Finding
    told: bool


def _count_answers(
    batch: Batch, times: int, question: Question[Any], counts: dict[Key, Count], tests: list[Test]
) -> None:
    measure = str(question.measure)
    try:
        refuse_undefined(question)
        found = list(answers(question, tests))
    except ClearwinError:
        return
    if batch.null == "equal":  # signs and ranks have other null hypotheses, which are false there
        found = [answer for answer in found if answer.finding.judged == "measure"]
    kind = "power" if batch.null == "different" else "size"
    for answer in found:
        for alpha in ALPHAS if kind == "size" else ALPHAS[:1]:
            # swaps that are drawn with the +1 rule keep the level as those that are counted: one row for both
            method = "" if answer.test in IN_ONE_ROW else answer.method
            count = counts[kind, answer.test, method, "", measure, alpha]
            count.methods.add(answer.method)
            count.asked += times
            count.told += times * answer.told
            assert answer.finding.p is not None  # tests of items have one
            count.hits += times * (answer.finding.p.value <= alpha)
    if batch.intervals:
        truth = batch.truth[measure]
        for test, interval, told in intervals(question, found, tests):
            count = counts["coverage", test, "", interval.method, measure, LEVEL]
            count.methods.add(interval.method)
            count.asked += times
            count.told += times * told
            count.hits += times * (truth in interval)
            count.width += times * (interval.high - interval.low)


def answers(question: Question[Any], tests: list[Test]) -> Iterator[Answer]:
    """Yield what every test that can judge the measure finds, by each of its methods."""
    for test in tests:
        if not test.can_judge(question.measure):
            continue
        first = "monte_carlo" if test.name == "permutation" and _atoms(question) > MOST_ATOMS else "auto"
        asked: set[str] = set()
        for method in (first, *test.methods):
            if method in asked or (asked and test.name in IN_ONE_ROW):
                continue
            try:
                finding = test.answer(_asked_by(question, test, method))
            except ClearwinError:
                continue
            asked |= {method, finding.method}
            known = _approximation_caveats(data_caveats(question, ("A", "B"), finding.interval))
            told = bool(
                known | _approximation_caveats(finding.caveats) or not_whole_units(test, question, question.sampling)
            )
            yield Answer(test.name, finding.method, finding, told)


def _asked_by(question: Question[Any], test: Test, method: str) -> Question[Any]:
    """Ask by a method, with hardly any replicates where the p-value does not need them."""
    if method == "auto":
        draws = test.name in ("bootstrap", "permutation") and not (
            test.name == "permutation" and isinstance(question.sample, CountSample)
        )
        few = not draws and (test.name == "permutation" or set(test.methods) <= set(WITHOUT_REPLICATES))
    else:
        few = method in WITHOUT_REPLICATES
    return question.asking(method=method, **({"n_resamples": HARDLY_ANY} if few else {}))


def _atoms(question: Question[Any]) -> float:
    if not isinstance(question.sample, CountSample):
        return 0.0
    return float(np.prod(question.sample.table(question.measure).swaps.steps.times + 1.0))


def owner(test: str, interval: str) -> str:
    """Return the test whose row speaks for an interval: the bootstrap's intervals are one function for all tests."""
    if interval in DRAWN and REGISTRY["items"][test].draws == "replicates" and test != DUAL:
        return "bootstrap"
    return "mcnemar" if test == "sign" and interval in PAIRED else test


def intervals(question: Question[Any], found: list[Answer], tests: list[Test]) -> Iterator[tuple[str, Interval, bool]]:
    """Yield (test, interval, told) for every interval, each once."""
    drawn = draw(question) if any(a.test == "bootstrap" for a in found) else None
    told = {answer.test: answer.told for answer in reversed(found)}
    made: dict[tuple[str, str], Interval] = {}
    own: dict[tuple[str, str], bool] = {}
    for test in tests:
        for name in test.intervals if test.name in told else ():
            if owner(test.name, name) != test.name:
                continue
            if test.name == DUAL:
                made[test.name, name] = next(a.finding.interval for a in found if a.test == DUAL)
                continue
            changed = question.asking(interval=name)
            try:
                if test.name == "bootstrap" and drawn is not None and name != "studentised":
                    made[test.name, name] = interval_of(changed, drawn)
                else:
                    finding = test.answer(changed)
                    made[test.name, name] = finding.interval
                    if name == "studentised":  # what the others are told does not hold for it
                        own[test.name, name] = bool(_approximation_caveats(finding.caveats))
            except ClearwinError:
                continue
    flat = {key for key, interval in made.items() if no_width(interval, question.difference)}
    for (name, kind), interval in made.items():
        yield name, interval, own.get((name, kind), told[name]) or (name, kind) in flat


def _approximation_caveats(caveats: tuple[object, ...]) -> set[str]:
    return {getattr(caveat, "code", "") for caveat in caveats} & APPROXIMATION_CAVEATS
