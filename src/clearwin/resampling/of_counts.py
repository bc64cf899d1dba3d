"""Replicates of units: how often each distinct unit is drawn, left out or swapped, added up over its features.

Drawing units one by one and recounting is a multinomial draw over the distinct ones, stratum by stratum. Where many
units are nearly all different, that would be a binomial for each; those are drawn one by one by a compiled kernel,
many to a block, and only how many fall into each block is multinomial. Both are exact. Many models are judged on the
same replicates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.data.questions import Question
from clearwin.data.samples import CountSample, FeatureSample
from clearwin.data.units import Rows
from clearwin.numerics.arrays import Floats
from clearwin.resampling.bootstrap import Drawn, LeftOut, StratumDraws, replicates, without_units
from clearwin.streams import Purpose, Stream, multinomial
from clearwin.workers import BLOCK, run_blocks

AnyTotals = NDArray[Any]

FEW_ROWS = 256  # up to here plain multinomials and binomials are quick enough, and numba need not be imported
OFTEN = 32  # a unit that occurs as often is cheaper as one binomial than drawn one by one
MOST_BITS = 64  # more swaps than bits in a word are cheaper as one binomial
KERNEL_BLOCK = 250
MOST_NUMBERS = 2**24  # held at once by a block of replicates


@dataclass(frozen=True, eq=False)
class Stratum:
    """What one multinomial draw of a stratum is divided over: rows, and blocks of units that are drawn one by one."""

    sizes: Counts
    drawn: int  # how many of all these units are drawn
    places: Counts  # where the draws of each go: first the rows that are drawn as such, then the blocks


@dataclass(frozen=True, eq=False)
class DrawingPlan:
    """How the units are drawn: ``often`` as multinomial counts, ``seldom`` one by one in blocks."""

    strata: list[Stratum]
    often: Counts
    seldom: Counts
    ends: Counts  # the units of each seldom row end here, counted over all blocks
    first: Counts
    sizes: Counts
    weights: Floats | None  # of every row's units, where not all weigh 1


def plan(units: Rows, strata_of_units: Counts, *, whole: bool = False) -> DrawingPlan:
    """Divide the units into those that occur often and blocks of the others."""
    times = units.times
    present, stratum_of_unit = np.unique(strata_of_units, return_inverse=True)
    n_items = int((np.bincount(units.row_of_entry, weights=units.values, minlength=units.size) * times).sum())
    stratum_sizes = np.bincount(stratum_of_unit, weights=times).astype(np.int64).tolist()
    draws = StratumDraws.of(stratum_sizes, n_items, whole=whole)
    is_often = (times >= OFTEN) | (units.size <= FEW_ROWS)
    often = np.flatnonzero(is_often & (times > 0))
    strata: list[Stratum] = []
    rows: list[Counts] = []
    blocks: list[int] = []
    for stratum, drawn in zip(present, draws.drawn, strict=True):
        here = often[strata_of_units[often] == stratum]
        seldom = np.flatnonzero(~is_often & (strata_of_units == stratum) & (times > 0))
        parts = _blocks(int(times[seldom].sum()))
        sizes = np.concatenate([times[here], parts]).astype(np.int64)
        places = np.concatenate([np.searchsorted(often, here), often.size + len(blocks) + np.arange(len(parts))])
        rows.append(seldom)
        blocks += parts
        strata.append(Stratum(sizes, drawn, places.astype(np.int64)))
    lengths = np.array(blocks, dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    everyone = np.concatenate(rows)
    weights = None if draws.whole else draws.weights[stratum_of_unit]
    return DrawingPlan(strata, often, everyone, np.cumsum(times[everyone]), first, lengths, weights)


def _blocks(n: int) -> list[int]:
    if not n:
        return []
    from clearwin.numerics.kernels import block_sizes

    return block_sizes(n)


@dataclass(frozen=True, eq=False)
class Drawing:
    """Draws test sets with replacement: ``totals(stream, size)`` are the features' totals of ``size`` replicates."""

    totals: Callable[[Stream, int], AnyTotals]
    compiled: bool


def drawing(rows: Rows, strata: Counts, n_features: int, *, plain: bool = False, whole: bool = False) -> Drawing:
    """Prepare to draw units; ``plain`` says that every row adds 1 to the feature of its own number.

    With several strata the totals are fractions, unless the measure needs ``whole`` units.
    """
    how = plan(rows, strata, whole=whole)
    often = rows.take(how.often)

    def totals(stream: Stream, size: int) -> AnyTotals:
        drawn = np.zeros((how.often.size + how.sizes.size, size), dtype=np.int64)
        for stratum in how.strata:
            drawn[stratum.places] = multinomial(stream, stratum.drawn, stratum.sizes, size)
        amounts: AnyTotals = drawn[: how.often.size]
        if how.weights is not None:
            amounts = amounts * how.weights[how.often, None]
        if plain:
            added = np.zeros((n_features, size), dtype=amounts.dtype)
            added[how.often] = amounts
        else:
            added = often.add_up(amounts, n_features)
        if how.sizes.size:
            added += _one_by_one(rows, how, drawn[how.often.size :], stream, n_features)
        return added

    return Drawing(totals, compiled=how.sizes.size > 0)


@replicates.register(FeatureSample)
def draw_units(sample: FeatureSample, question: Question[FeatureSample]) -> Drawn:
    """Return the measure of every model on test sets drawn with replacement, and where it was 0/0 for any.

    Only the measure's values are kept of each block, so memory does not grow with items × replicates.
    """
    units = sample.table(question.measure)
    whole = question.measure.whole_items
    draws = drawing(units.rows, units.strata, units.n_features, plain=units.plain, whole=whole)

    def block(stream: Stream, size: int) -> tuple[Floats, NDArray[np.bool_]]:
        return sample.evaluate(question.measure, draws.totals(stream, size))

    return Drawn(*_collect(question, block, Purpose.COUNTS_BOOTSTRAP, compiled=draws.compiled))


def _one_by_one(rows: Rows, how: DrawingPlan, drawn: Counts, stream: Stream, n_features: int) -> AnyTotals:
    from clearwin.numerics import kernels

    values = rows.values if how.weights is None else rows.values * how.weights[rows.row_of_entry]

    states = stream.randint(0, 2**64, size=(drawn.shape[1], 4), dtype=np.uint64)
    totals = kernels.drawn_totals(
        how.first,
        how.sizes,
        np.ascontiguousarray(drawn.T),
        states,
        how.ends,
        how.seldom,
        rows.starts,
        rows.features,
        values,
        n_features,
    )
    return np.asarray(totals).T


def swap_units(question: Question[CountSample]) -> tuple[Floats, Floats, int]:
    """Return the measure of A and B with their answers swapped on each unit by a fair coin."""
    swaps = question.sample.table(question.measure).swaps
    steps = swaps.steps
    by_bits = np.flatnonzero((steps.times <= MOST_BITS) & (steps.size > FEW_ROWS))
    by_draw = np.setdiff1d(np.arange(steps.size), by_bits)
    drawn_steps, bit_steps = steps.take(by_draw), steps.take(by_bits)

    def block(stream: Stream, size: int) -> tuple[Floats, NDArray[np.bool_]]:
        moved = np.empty((by_draw.size, size), dtype=np.int64)
        for i, times in enumerate(drawn_steps.times.tolist()):
            moved[i] = stream.binomial(times, 0.5, size=size)
        totals = swaps.base[:, None] + drawn_steps.add_up(moved, swaps.base.size)
        if by_bits.size:
            from clearwin.numerics import kernels

            states = stream.randint(0, 2**64, size=(size, 4), dtype=np.uint64)
            changes = kernels.swapped_totals(
                states, bit_steps.times, bit_steps.starts, bit_steps.features, bit_steps.values, swaps.base.size
            )
            totals = totals + np.asarray(changes).T
        return question.sample.evaluate(question.measure, totals)

    (a, b), undefined = _collect(question, block, Purpose.COUNTS_SWAPS, compiled=by_bits.size > 0)
    return a, b, int(undefined.sum())


def _collect(
    question: Question[FeatureSample],
    block: Callable[[Stream, int], tuple[Floats, NDArray[np.bool_]]],
    purpose: Purpose,
    *,
    compiled: bool,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Run the block until there are as many replicates as asked for, as many at once as the memory limit allows."""
    units = question.sample.table(question.measure)
    size = KERNEL_BLOCK if compiled else max(1, min(BLOCK, MOST_NUMBERS // max(units.rows.size, units.n_features)))
    parts = run_blocks(block, question.n_resamples, question.seed, purpose, block=size, releases_gil=compiled)
    values, undefined = zip(*parts, strict=True)
    return np.concatenate(values, axis=1), np.concatenate(undefined)


@without_units.register(FeatureSample)
def leave_out_units(sample: FeatureSample, question: Question[FeatureSample]) -> LeftOut:
    """Return the measure of A and B without one unit of each distinct kind."""
    units = sample.table(question.measure)
    occupied = np.flatnonzero(units.rows.times)
    rows = units.rows.take(occupied)
    step = max(1, MOST_NUMBERS // units.n_features)
    parts = []
    for start in range(0, rows.size, step):
        end = min(start + step, rows.size)
        totals = units.observed[:, None] - rows.spread(start, end, units.n_features)
        parts.append(sample.evaluate(question.measure, totals)[0])
    values = np.concatenate(parts, axis=1)
    return LeftOut(values[0], values[-1], rows.times, units.strata[occupied])
