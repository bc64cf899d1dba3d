"""Replicates of scores: weights drawn and scanned by compiled kernels, swaps of ranks, groups left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearwin.data.questions import Question
from clearwin.data.scores import Ranking, ScoreSample, midranks
from clearwin.numerics.arrays import Floats
from clearwin.resampling.bootstrap import Drawn, LeftOut, StratumDraws, replicates, without_units
from clearwin.streams import Purpose, Stream, multinomial
from clearwin.workers import run_blocks

REPLICATES_PER_BLOCK = 50
# beyond this many items the jackknife leaves out groups: the skewness it needs is the same in expectation
MOST_LEFT_OUT_SINGLY = 5_000


@replicates.register(ScoreSample)
def draw_scores(sample: ScoreSample, question: Question[ScoreSample]) -> Drawn:
    """Return the measure of every model on test sets drawn with replacement, and where it was undefined.

    A replicate is exactly multinomial: how many draws fall into each block of items, then where in the block. All
    models share it. Groups are drawn whole, strata (or the two classes, if stratified) apart.
    """
    from clearwin.numerics import kernels

    unit = sample.arranged.unit_of_item
    first, sizes, strata = blocks_of(sample.arranged.stratum_sizes)
    draws = StratumDraws.of(sample.arranged.stratum_sizes, sample.n)
    each = draws.of_units(sample.arranged.stratum_sizes)
    each = each[unit] if unit.size and each.size else each
    options, which, orders, positive, last = _scan_arguments(question)
    quick = len(orders) if which == kernels.AUC and last.all() and not each.size else 0
    places, marks = kernels.in_lanes(orders[:quick], positive[:quick])

    def block(stream: Stream, size: int) -> Floats:
        totals = totals_of(stream, sizes, strata, draws.drawn, size)
        states = stream.randint(0, 2**64, size=(size, 4), dtype=np.uint64)
        drawn = (which, options, first, sizes, totals, states)
        scanned = (orders, positive, last, unit, each, places, marks)
        return np.asarray(kernels.bootstrap_scans(*drawn, *scanned))

    return Drawn(*_collect(question, block, Purpose.SCORES_BOOTSTRAP))


def swap_scores(question: Question[ScoreSample], *, all_of_them: bool = False) -> tuple[Floats, Floats, int]:
    """Return the measure of A and B with their ranks swapped on each item, or group, by a fair coin; or by all coins.

    Ranks, because scores of two models are not comparable: the result does not change when a model's scores are
    rescaled.
    """
    from clearwin.numerics import kernels

    items = question.sample.arranged
    options, which, *_ = _scan_arguments(question)
    pooled = np.concatenate([midranks(scores) for scores in items.scores])
    merged = Ranking.of(pooled, np.concatenate([items.truth, items.truth]))
    item, from_b = merged.order % items.n, (merged.order >= items.n).astype(np.uint8)
    coin = items.unit_of_item[item] if items.unit_of_item.size else item

    none = np.empty((0, 0), dtype=np.uint8)
    if all_of_them:
        units = items.grouping.n_groups or items.n
        coins = (np.arange(2**units)[:, None] >> np.arange(units) & 1).astype(np.uint8)
        no_states = np.empty((0, 4), dtype=np.uint64)
        scans = kernels.swapped_scans(which, options, no_states, coin, from_b, merged.positive, merged.last, coins)
        values, undefined = with_convention(question, np.asarray(scans))
        return values[0], values[-1], int(undefined.sum())

    def block(stream: Stream, size: int) -> Floats:
        states = stream.randint(0, 2**64, size=(size, 4), dtype=np.uint64)
        return np.asarray(
            kernels.swapped_scans(which, options, states, coin, from_b, merged.positive, merged.last, none)
        )

    values, undefined = _collect(question, block, Purpose.SCORES_SWAPS)
    return values[0], values[-1], int(undefined.sum())


@without_units.register(ScoreSample)
def leave_out_scores(sample: ScoreSample, question: Question[ScoreSample]) -> LeftOut:
    """Return the measure of A and B without each item or group, or without each of many random parts of them."""
    arranged = sample.arranged
    groups, strata = parts_of(arranged.stratum_sizes, question.seed.stream(Purpose.SCORES_BOOTSTRAP, -1 % 2**32))
    if arranged.unit_of_item.size:
        groups = groups[arranged.unit_of_item]
    values = _without_groups(question, groups, len(strata))
    return LeftOut(values[0], values[-1], np.ones(len(strata), dtype=np.int64), strata)


def parts_of(sizes: list[int], stream: Stream) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide strata of these sizes into parts to leave out: each item's part and each part's stratum."""
    n = sum(sizes)
    groups: list[NDArray[np.int64]] = []
    strata: list[int] = []
    for stratum, size in enumerate(sizes):
        count = size if n <= MOST_LEFT_OUT_SINGLY else min(size, max(2, MOST_LEFT_OUT_SINGLY * size // n))
        mine = np.arange(size) % count
        groups.append(len(strata) + (stream.permutation(mine) if count < size else mine))
        strata += [stratum] * count
    return np.concatenate(groups), np.array(strata)


def _without_groups(question: Question[ScoreSample], groups: NDArray[np.int64], n_groups: int) -> Floats:
    from clearwin.numerics import kernels

    options, which, orders, positive, last = _scan_arguments(question)
    values = np.stack(
        [
            kernels.leave_out_scans(which, options, groups, n_groups, orders[m], positive[m], last[m])
            for m in range(len(orders))
        ]
    )
    return np.asarray(np.nan_to_num(values, nan=question.measure.settings["zero_division"]))


def _collect(question: Question[ScoreSample], block: object, purpose: Purpose) -> tuple[Floats, NDArray[np.bool_]]:
    assert callable(block)
    parts = run_blocks(
        block, question.n_resamples, question.seed, purpose, block=REPLICATES_PER_BLOCK, releases_gil=True
    )
    return with_convention(question, np.concatenate(parts, axis=1))


def with_convention(question: Question[ScoreSample], values: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Give what is undefined its value by convention, and say where that was for any model."""
    undefined = np.asarray(np.isnan(values).any(axis=0))
    if undefined.any():
        values = np.nan_to_num(values, nan=question.measure.settings["zero_division"])
    return values, undefined


def blocks_of(strata: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[slice]]:
    """Return where each block starts, its size, and which blocks belong to each stratum of these sizes."""
    from clearwin.numerics.kernels import block_sizes

    sizes: list[int] = []
    slices: list[slice] = []
    for n in strata:
        mine = block_sizes(n)
        slices.append(slice(len(sizes), len(sizes) + len(mine)))
        sizes += mine
    lengths = np.array(sizes, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths, slices


def totals_of(
    stream: Stream, sizes: NDArray[np.int64], strata: list[slice], drawn: list[int], replicates: int
) -> NDArray[np.int64]:
    """Return how many draws fall into each block, for every replicate; each stratum has its number ``drawn``."""
    parts = [multinomial(stream, n, sizes[s], replicates) for s, n in zip(strata, drawn, strict=True)]
    return np.ascontiguousarray(np.concatenate(parts).T)


def _scan_arguments(
    question: Question[ScoreSample],
) -> tuple[Floats, int, NDArray[np.int32], NDArray[np.uint8], NDArray[np.bool_]]:
    from clearwin.numerics import kernels

    rankings = question.sample.arranged.rankings
    options = np.array(question.measure.scan_options(), dtype=np.float64)
    return (
        options,
        getattr(kernels, question.measure.scan),
        np.stack([r.order for r in rankings]),
        np.stack([r.positive for r in rankings]),
        np.stack([r.last for r in rankings]),
    )
