"""Bootstrap replicates: test sets like this one; for every test without an interval of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import JointCounts
from clearwin.execution import run_blocks
from clearwin.intervals import BOOTSTRAP, Replicates
from clearwin.measures import Measure
from clearwin.pvalues import TIE
from clearwin.result import Caveat, Interval
from clearwin.significance import caveats
from clearwin.significance.questions import AnyQuestion, Question, ScoreQuestion, ValueQuestion
from clearwin.significance.score_draws import draw_scores, leave_out_scores
from clearwin.significance.value_draws import draw_values, leave_out_values, standard_error

Floats = NDArray[np.float64]
STREAM = 1


@dataclass(frozen=True, eq=False)
class Drawn:
    """Bootstrap replicates of the measure for A and B, and in how many of them it was 0/0 for either.

    ``errors`` are the standard errors that a studentised interval needs.
    """

    a: Floats
    b: Floats
    undefined: int
    errors: Floats | None = None

    @cached_property
    def differences(self) -> Floats:
        """Replicates of b − a, with rounding errors around 0 set to 0 so that ties stay ties."""
        differences = self.b - self.a
        differences[np.abs(differences) <= TIE * self.scale] = 0.0
        return differences

    @property
    def scale(self) -> float:
        """The largest value of the measure among the replicates."""
        return float(max(np.abs(self.a).max(), np.abs(self.b).max()))


def draw(question: AnyQuestion) -> Drawn:
    """Draw test sets of the same size with replacement and return the measure on each."""
    if isinstance(question, ScoreQuestion):
        return Drawn(*draw_scores(question))
    if isinstance(question, ValueQuestion):
        return Drawn(*draw_values(question))
    assert isinstance(question, Question)
    return _draw_counts(question)


def _draw_counts(question: Question) -> Drawn:
    """Draw multinomial counts of the joint outcomes.

    That is the distribution of drawing items one by one and recounting, at a cost that does not grow with their
    number.
    """
    joint, measure = question.joint, question.measure
    # empty outcomes are never drawn; the largest comes last, where numpy gives it what is left over
    occupied = np.flatnonzero(joint.counts)
    occupied = occupied[np.argsort(joint.counts[occupied], kind="stable")]
    shares = joint.counts[occupied] / joint.n

    def block(stream: np.random.Generator, size: int) -> tuple[Floats, Floats, int]:
        draws = np.zeros((len(joint.counts), size), dtype=np.int64)
        draws[occupied] = stream.multinomial(joint.n, shares, size=size).T
        return evaluate(joint, measure, draws)

    a, b, undefined = zip(*run_blocks(block, question.n_resamples, question.seed, STREAM), strict=True)
    return Drawn(np.concatenate(a), np.concatenate(b), sum(undefined))


def evaluate(joint: JointCounts, measure: Measure, draws: NDArray[np.int64]) -> tuple[Floats, Floats, int]:
    """Return the measure of A and of B for every column of ``draws``, and how often it was 0/0 for either."""
    a, b = (measure.evaluate(confusion) for confusion in joint.confusions(draws))
    return a.values, b.values, int((a.undefined | b.undefined).sum())


def leave_one_out(joint: JointCounts, measure: Measure) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return the measure of A and B without one item, and for how many items that is the value.

    Leaving out an item only matters by its outcome: eight evaluations for two classes instead of n.
    """
    occupied = np.flatnonzero(joint.counts)
    draws = np.repeat(joint.counts[:, None], len(occupied), axis=1)
    draws[occupied, np.arange(len(occupied))] -= 1
    a, b, _ = evaluate(joint, measure, draws)
    return a, b, joint.counts[occupied]


def left_out(question: AnyQuestion) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return the measure of A and B without one item or group of items, and how many of these there are."""
    if isinstance(question, ScoreQuestion):
        return leave_out_scores(question)
    if isinstance(question, ValueQuestion):
        return leave_out_values(question)
    assert isinstance(question, Question)
    return leave_one_out(question.joint, question.measure)


def interval_of(question: AnyQuestion, drawn: Drawn) -> Interval:
    """Return the bootstrap interval of the difference that was asked for."""

    def without() -> tuple[Floats, NDArray[np.int64]]:
        a, b, times = left_out(question)
        return b - a, times

    name = "percentile" if question.interval == "auto" else question.interval
    error = standard_error(question) if isinstance(question, ValueQuestion) and drawn.errors is not None else None
    replicates = Replicates(drawn.differences, question.difference, without, drawn.errors, error)
    return BOOTSTRAP[name](replicates, question.coverage)


def confidence(question: AnyQuestion, drawn: Drawn) -> float:
    """keller2004 (13) as printed: the fraction of replicates in which B is better, ties not counted."""
    return float((question.measure.sign * drawn.differences > 0).mean())


def doubts(question: AnyQuestion, drawn: Drawn, interval: Interval) -> tuple[Caveat, ...]:
    """Return what every user of the replicates must be told."""
    flat = () if drawn.errors is None else caveats.flat_replicates(question, int((drawn.errors == 0.0).sum()), interval)
    return caveats.undefined_replicates(question, drawn.undefined) + caveats.few_replicates(question, interval) + flat
