"""The work of a study, in blocks: test sets are drawn, every test judges each of them, and plain numbers come back.

A block depends only on the populations, the plan and its own number, so any worker can do any block, and a finished one
can be kept in a file and read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, Literal

import numpy as np

from clearwin.data.questions import Question
from clearwin.data.samples import CountSample, Sample
from clearwin.errors import DataError, NotApplicableError, OptionError, UndefinedError, nearest, setting
from clearwin.numerics.pvalues import TIE
from clearwin.significance import Finding, choose
from clearwin.significance.base import refuse_undefined
from clearwin.significance.permutation import arrangements
from clearwin.simulation.populations import Population
from clearwin.simulation.rates import reach
from clearwin.streams import Purpose, Seed, Stream

PHASES = ("drawn", "swapped", "recentred", "test set")
Phase = Literal["drawn", "swapped", "recentred", "test set"]
SETS = 20  # in a block
MOST_ARRANGEMENTS = 2**17  # of the permutation test, counted on each set; compare() counts 2²²
REPLICATES = 10_000  # keller2004 section 5
JobResult = dict[str, Any]  # what JSON can carry
OF_P = ("p", "lead")
OF_ANSWER = ("p", "difference", "lead", "low", "high", "stated", "reach")
# errors that mean "no answer on this set"; a wrong setting would be wrong on every set
REFUSALS = (UndefinedError, DataError, NotApplicableError)
ONE_SET = ("n", "a", "b", "difference", "confidence")


@dataclass(frozen=True)
class AskedTest:
    """A test as it was asked for: a name, and perhaps a method and an interval, with slashes between."""

    text: str
    name: str
    method: str = "auto"
    interval: str = "auto"


@dataclass(frozen=True)
class StudyBlock:
    """One block: which phase, which category set, the size of its sets in items, its number, and how many sets.

    ``p_only`` means that the intervals are not needed.
    """

    phase: Phase
    category: int
    size: int
    number: int
    sets: int
    p_only: bool = False

    @property
    def key(self) -> str:
        """The block's name in a file."""
        return f"{self.phase}/{self.category}/{self.size}/{self.number}"


@dataclass(frozen=True, eq=False)
class Category:
    """A category set: the large set as a population, the same with a difference of 0, and the one test set."""

    name: str
    whole: Population
    recentred: Population | None
    test_set: Question[Any] | None


@dataclass(frozen=True, eq=False)
class StudySetup:
    """What every block needs."""

    categories: Sequence[Category]
    tests: Sequence[AskedTest]
    seed: Seed

    def of_category(self, job: StudyBlock) -> StudySetup:
        """Return the part that one job needs, to be sent to a worker."""
        only = [category if i == job.category else None for i, category in enumerate(self.categories)]
        return replace(self, categories=only)  # type: ignore[arg-type]


def read_test(text: str, question: Question[Any]) -> AskedTest:
    """Read "bootstrap", or "mcnemar/exact", or "bootstrap/bca": a test, its method or its interval."""
    name, *more = str(text).split("/")
    test, _ = choose(name, question)
    test_asked = AskedTest(str(text), name)
    known = (*test.methods, *test.intervals)
    if name == "auto" and more:
        example = setting("tests", [f"{test.name}/{more[0] if more[0] in known else known[0]}"])
        raise OptionError(f"{text!r} names a method after the slash, but auto chooses it.", "auto, or a test", example)
    for word in more:
        if word in test.methods:
            test_asked = replace(test_asked, method=word)
        elif word in test.intervals:
            test_asked = replace(test_asked, interval=word)
        else:
            near = (*nearest(word, known), *known)[0]
            raise OptionError(
                f"{text!r} names {word!r}, which is not a method or interval of {test.name}.",
                "one of " + ", ".join(known),
                setting("tests", [f"{test.name}/{near}"]),
            )
    if not test.can_judge(question.measure):
        raise test.refusal(question.measure)
    test.check_draws(question)
    return test_asked


def run_job(job: StudyBlock, plan: StudySetup) -> JobResult:
    """Do one block."""
    category = plan.categories[job.category]
    phase = PHASES.index(job.phase)
    stream = set_stream(plan, job)
    if job.phase == "test set":
        return _one_test_set(job, category, plan, stream)
    source = category.recentred if job.phase == "recentred" else category.whole
    assert source is not None  # there is no such job
    columns: list[dict[str, list[Any]]] = [{} for _ in plan.tests]
    for i in range(job.sets):
        seed = test_seed(plan, phase, job, job.number * SETS + i)
        drawn = source.urn.draw(stream, source.units_of(job.size))
        coins = stream if job.phase == "swapped" else None
        for column, answer in zip(columns, _judge_all(source, drawn, coins, seed, plan.tests, job.p_only), strict=True):
            for name, value in answer.items():
                column.setdefault(name, []).append(value)
    return {"tests": columns}


def set_stream(plan: StudySetup, job: StudyBlock) -> Stream:
    """Return what draws the sets of a block."""
    return plan.seed.stream(Purpose.STUDY_SETS, PHASES.index(job.phase), job.category, job.size, job.number)


def test_seed(plan: StudySetup, phase: int, job: StudyBlock, number: int) -> Seed:
    """Return the seed for the tests of one set."""
    return plan.seed.child(Purpose.STUDY_TESTS, phase, job.category, job.size, number)


def _judge_all(
    source: Population,
    drawn: tuple[Any, Any],
    coins: Stream | None,
    seed: Seed,
    tests: Sequence[AskedTest],
    p_only: bool,
) -> list[dict[str, Any]]:
    try:
        question = source.ask(*drawn, seed, coins)
        refuse_undefined(question)
    except REFUSALS as error:
        return [_refused(error.what, p_only) for _ in tests]
    return [_judge(studied, question, source, p_only) for studied in tests]


def _judge(studied: AskedTest, question: Question[Any], source: Population, p_only: bool) -> dict[str, Any]:
    """Run one test on one set."""
    question = question.asking(method=studied.method, interval=studied.interval)
    try:
        test, _ = choose(studied.name, question)
        if test.name == "permutation" and studied.method == "auto" and _is_long(question.sample, question):
            question = question.asking(method="monte_carlo")
        if p_only:
            p, lead = test.p_value(question)
            return {"p": p.value, "lead": float(np.sign(lead)), "ran": test.name}
        finding = test.answer(question)
        truth = source.difference
        # a value within a rounding error of the truth is the truth
        slack = TIE * max(abs(truth), *map(abs, question.estimates))
        reached = reach(test, question, finding, truth, slack)
    except REFUSALS as error:
        return _refused(error.what, p_only)
    assert finding.p is not None  # tests of items have one
    low, high = (truth if abs(x - truth) <= slack else x for x in (finding.interval.low, finding.interval.high))
    return {
        "p": finding.p.value,
        "difference": question.difference,
        "lead": float(np.sign(finding.lead_in(question))),
        "low": low,
        "high": high,
        "stated": _stated(question, finding),
        "reach": reached,
        "ran": f"{test.name}/{finding.method}",
    }


@singledispatch
def _is_long(sample: Sample, question: Question[Any]) -> bool:
    """Return whether counting all arrangements of a set takes too long, given that there are many sets."""
    return False


@_is_long.register(CountSample)
def _has_many_arrangements(sample: CountSample, question: Question[Any]) -> bool:
    return not question.measure.is_mean and arrangements(question) > MOST_ARRANGEMENTS


def _refused(why: str, p_only: bool) -> dict[str, Any]:
    return {**dict.fromkeys(OF_P if p_only else OF_ANSWER), "ran": f"refused: {why}"}


def _stated(question: Question[Any], finding: Finding) -> float | None:
    """Return the confidence in the winner that the set names: keller2004 (13), or 1 − p/2, one-sided 1 − p.

    None if they tie, or if the p-value is about signs or ranks and these favour the other model.
    """
    if question.gain == 0.0 or np.sign(finding.lead_in(question)) != np.sign(question.gain):
        return None
    if finding.confidence is not None:
        return finding.confidence if question.gain > 0.0 else finding.confidence_in_a
    if finding.p is None:
        return None
    if question.claim == "different":
        return 1.0 - finding.p.value / 2.0
    claimed = (question.claim == "better") == (question.gain > 0.0)
    return 1.0 - finding.p.value if claimed else finding.p.value


def _one_test_set(job: StudyBlock, category: Category, plan: StudySetup, stream: Stream) -> JobResult:
    """Return the bootstrap confidence on one test set: the one given, or one drawn from the large set."""
    seed = test_seed(plan, PHASES.index("test set"), job, 0)
    if category.test_set is not None:
        return _confidence(category.test_set.asking(seed=seed))
    drawn = category.whole.urn.draw(stream, category.whole.units_of(job.size))
    try:
        return _confidence(category.whole.ask(*drawn, seed))
    except REFUSALS as error:
        return {**dict.fromkeys(ONE_SET), "n": job.size, "refused": error.what}


def _confidence(question: Question[Any]) -> JobResult:
    question = question.asking(n_resamples=REPLICATES, method="auto", interval="auto")
    refuse_undefined(question)
    finding = choose("bootstrap", question)[0].answer(question)
    a, b = question.estimates
    return {
        "n": question.n,
        "a": a,
        "b": b,
        "difference": question.difference,
        "confidence": _stated(question, finding),
        "refused": None,
    }
