"""The Dirichlet interval: what the counts of joint outcomes leave possible, outcomes that never occurred included.

A bootstrap replicate has no item of an outcome that the test set lacks, so where a handful of items decide its
intervals are far too narrow: 95 % intervals of F1 held the truth one time in ten (docs/scorecard.md). A Dirichlet
distribution over the outcomes' probabilities knows better: every class adds one item to what was counted, divided
evenly over its outcomes. Drawing it is the Bayesian bootstrap (Rubin 1981) with those items added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from clearwin.counts import ConfusionMatrix, Counts
from clearwin.data.questions import Question
from clearwin.data.samples import DecisionSample
from clearwin.errors import NotApplicableError, setting
from clearwin.measures import REGISTRY as MEASURES
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import DIRICHLET, Coverage, Interval, Replicates, percentile
from clearwin.streams import Purpose, Stream
from clearwin.workers import run_blocks

WHOLE = 2**40  # items: probabilities become counts again, because a measure is a formula on counts


def default(question: Question[Any]) -> str:
    """Return the interval for a test that has none of its own: this one where it can be had."""
    return "percentile" if _obstacle(question) else DIRICHLET


def interval(question: Question[Any]) -> Interval:
    """Return the equal-tailed interval of the difference, extended to what was observed."""
    joint = _checked(question).joint
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, (joint.truth, joint.a, joint.b), joint.counts)
    mirrored = counts.swapaxes(1, 2)
    # drawn one way round for both, so that B against A says the same as A against B
    turned = mirrored.ravel().tolist() < counts.ravel().tolist()
    # Berger, Bernardo and Sun (Bayesian Analysis 10, 2015): 1/m for each of m outcomes, here the four of a class
    shapes = (mirrored if turned else counts) + 0.25
    a, b = _draw(question, shapes, lambda drawn: (drawn.sum(axis=2), drawn.sum(axis=1)))
    return _between(a - b if turned else b - a, question.difference, question.coverage)


def interval_of_one(question: Question[Any], coverage: Coverage) -> tuple[Interval, Floats]:
    """Return the same for A's value alone, and the draws: a class has two outcomes, each gets half an item."""
    cells = _checked(question).confusions[0].cells.astype(np.float64)
    [draws] = _draw(question, cells + 0.5, lambda drawn: (drawn,))
    return _between(draws, question.estimates[0], coverage), draws


def _obstacle(question: Question[Any]) -> tuple[str, str] | None:
    """Say what is in the way, and what is expected instead."""
    measure = question.measure
    if question.sample.joint_outcomes is None:
        return "The Dirichlet interval needs one decision for each item, and these data have none.", "decisions"
    if question.sample.units is not None:
        return "The items come in groups or strata, and the Dirichlet interval ignores that.", "single items"
    if question.sample.joint.k != 2:
        # one item more for each of many classes, on wrong answers for the most part, would pull the value down
        return (
            f"There are {question.sample.joint.k} classes, and the Dirichlet interval works for two only.",
            "two classes",
        )
    if measure.name not in MEASURES or MEASURES[measure.name].function is not measure.function:
        return f"{measure.label} need not be a formula on shares of items.", "one of clearwin's measures"
    return None


def _checked(question: Question[Any]) -> DecisionSample:
    obstacle = _obstacle(question)
    if obstacle:
        raise NotApplicableError(*obstacle, setting("interval", "percentile", "auto"))
    sample: DecisionSample = question.sample
    return sample


def _draw(question: Question[Any], shapes: Floats, read: Callable[[Counts], tuple[Counts, ...]]) -> list[Floats]:
    """Return the measure on draws of the Dirichlet distribution; ``read`` makes confusion matrices of each."""

    def block(stream: Stream, size: int) -> list[Floats]:
        drawn = stream.standard_gamma(shapes[..., None], size=(*shapes.shape, size))
        drawn *= WHOLE / drawn.sum(axis=tuple(range(shapes.ndim)))
        counts = np.rint(drawn).astype(np.int64)
        return [question.measure.evaluate(ConfusionMatrix(cells)).values for cells in read(counts)]

    parts = run_blocks(block, question.n_resamples, question.seed, Purpose.DIRICHLET)
    return [np.concatenate(values) for values in zip(*parts, strict=True)]


def _between(draws: Floats, observed: float, coverage: Coverage) -> Interval:
    interval = percentile(Replicates(draws, observed, lambda: (draws, np.ones_like(draws, dtype=np.int64))), coverage)
    # all of A's items right and none of B's: no draw is as extreme, but what was seen is possible
    return replace(interval, low=min(interval.low, observed), high=max(interval.high, observed), method=DIRICHLET)
