"""Replicates of per-item values: units drawn with replacement, flipped between the models, left out."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.clusters import effective_number
from clearwin.data.questions import Question
from clearwin.data.values import ValueSample
from clearwin.errors import NotApplicableError, OptionError, setting
from clearwin.numerics import pvalues, sign_flips
from clearwin.numerics.arrays import Floats
from clearwin.numerics.pvalues import ROUNDING
from clearwin.resampling.bootstrap import Drawn, LeftOut, StratumDraws, replicates, without_units
from clearwin.resampling.of_scores import REPLICATES_PER_BLOCK, blocks_of, parts_of, totals_of
from clearwin.results.base import Distribution
from clearwin.streams import Purpose, Stream
from clearwin.text import counted
from clearwin.workers import run_blocks

Found = tuple[str, str, pvalues.PValue, Distribution]
BINS = 512


# --- test sets like this one ------------------------------------------------------------------------------------


@replicates.register(ValueSample)
def draw_values(sample: ValueSample, question: Question[ValueSample]) -> Drawn:
    """Return the measure of every model on units drawn with replacement, with standard errors where they are asked for.

    It is never undefined. Units are drawn stratum by stratum; the mean is that of all items drawn, Σ w·sum / Σ w·count.
    A standard error needs at least two units of a stratum, so where errors are asked for as many are drawn as it has.
    """
    from clearwin.numerics import value_kernels

    units, wants_errors = question.sample.units, question.interval == "studentised"
    first, sizes, strata = blocks_of(units.stratum_sizes)
    draws = StratumDraws.of(units.stratum_sizes, question.n, whole=wants_errors)
    each = draws.of_units(units.stratum_sizes)
    target = studentised_target(question) if wants_errors else np.empty(0)
    ordered, places = _ordered(question) if not question.measure.is_mean else (np.empty((0, 0)), np.empty((0, 0)))
    # differences of two models on their own: those of two means would carry the rounding of values that both share
    own = [units.differences] if len(units.sums) == 2 else []
    sums = np.stack([*units.sums, *own])

    def block(stream: Stream, size: int) -> Floats:
        totals = totals_of(stream, sizes, strata, draws.drawn, size)
        states = stream.randint(0, 2**64, size=(size, 4), dtype=np.uint64)
        if question.measure.is_mean:
            means = value_kernels.bootstrap_means(
                first, sizes, totals, states, each, sums, units.counts, target, units.first
            )
        else:
            share = question.measure.trimmed
            means = value_kernels.bootstrap_trimmed_means(first, sizes, totals, states, each, ordered, places, share)
        return np.asarray(means)

    values = question.sample.factor(question.measure) * _collect(question, block, Purpose.VALUES_BOOTSTRAP)
    if not question.measure.is_mean:
        return Drawn(values)
    m = len(units.sums)
    errors, error = (values[-1], standard_error(question)) if wants_errors else (None, None)
    return Drawn(values[:m], None, errors, error, values[m] if own else None)


def studentised_target(question: Question[ValueSample]) -> Floats:
    """Return the sums whose mean a studentised interval is about: of b − a, or of a where there is one model only."""
    if not question.measure.is_mean:
        raise NotApplicableError(
            f"{question.measure.label} is not a mean or a sum over items, so it has no studentised interval.",
            "a mean or a sum of per-item values or losses",
            setting("interval", "bca", "percentile"),
        )
    standard_error(question)  # refuses strata of one unit
    return question.sample.units.a if question.sample.single else question.sample.units.differences


def standard_error(question: Question[ValueSample]) -> float:
    """Return the cluster-robust standard error of the difference, or of A's value where there is one model only.

    With d̄ = Σ s_g / N over groups and e_g = s_g − n_g·d̄ it is the root of Σ_h G_h/(G_h − 1) Σ_g (e_g − ē_h)² / N²,
    h for strata. Where every item is a group of its own it is the textbooks' s/√n.
    """
    from clearwin.numerics import value_kernels

    units = question.sample.units
    if min(units.stratum_sizes) < 2:
        what = "There is only one item or group" if len(units.stratum_sizes) == 1 else "A stratum has one item or group"
        raise NotApplicableError(
            f"{what}, so how much they vary cannot be estimated.",
            "at least two items or groups in every stratum",
            setting("test", "sign") + (", or leave the strata out" if len(units.stratum_sizes) > 1 else ""),
        )
    sums = units.a if question.sample.single else units.differences
    return question.sample.factor(question.measure) * float(
        value_kernels.standard_error(sums, units.counts, units.first)
    )


def robust_error(question: Question[ValueSample]) -> tuple[float, float]:
    """Return the jackknife's standard error by groups, and its degrees of freedom: Σ over strata of G* − 1.

    Groups of unequal sizes pull the mean towards themselves; dividing by 1 − n_g/N undoes that. Groups of one size give
    the form of ``standard_error`` and G − 1 degrees.
    """
    standard_error(question)  # refuses strata of one unit
    units = question.sample.units
    sums = units.a if question.sample.single else units.differences
    total = float(units.counts.sum())
    gaps = sums - units.counts * (sums.sum() / total)
    gaps[np.abs(gaps) <= pvalues.TIE * (units.counts * np.abs(sums.sum() / total) + np.abs(sums))] = 0.0
    square, degrees = 0.0, 0.0
    for start, end in pairwise(units.first.tolist()):
        counts, k = units.counts[start:end], end - start
        leverage = (1.0 - 1.0 / k) / (1.0 - counts / counts.sum())
        here = gaps[start:end] * leverage
        square += k / (k - 1) * float(((here - here.mean()) ** 2).sum() if len(units.first) > 2 else (here**2).sum())
        degrees += effective_number(counts) - 1.0
    return question.sample.factor(question.measure) * math.sqrt(square) / total, degrees


@without_units.register(ValueSample)
def leave_out_values(sample: ValueSample, question: Question[ValueSample]) -> LeftOut:
    """Return the measure of A and B without each unit, or without each of many random parts of them."""
    units = question.sample.units
    parts, strata = parts_of(units.stratum_sizes, question.seed.stream(Purpose.VALUES_BOOTSTRAP, -1 % 2**32))
    values = question.sample.factor(question.measure) * _without_parts(question, parts, len(strata))
    return LeftOut(values[0], values[-1], np.ones(len(strata), dtype=np.int64), strata)


def _without_parts(question: Question[ValueSample], parts: NDArray[np.int64], n_parts: int) -> Floats:
    from clearwin.numerics import value_kernels

    units = question.sample.units
    if question.measure.is_mean:
        left = question.n - np.bincount(parts, weights=units.counts, minlength=n_parts)
        sums = [x.sum() - np.bincount(parts, weights=x, minlength=n_parts) for x in units.sums]
        return np.stack(sums) / np.maximum(left, 1)
    ordered, places = _ordered(question)
    share = question.measure.trimmed
    return np.stack(
        [
            value_kernels.leave_out_trimmed_means(x, parts[where], n_parts, share)
            for x, where in zip(ordered, places, strict=True)
        ]
    )


def _ordered(question: Question[ValueSample]) -> tuple[Floats, NDArray[np.int64]]:
    """Return each model's values, rising, and the unit of each."""
    values = question.sample.values
    of_item = question.sample.units.of_item
    # equal values are ordered by their units, so that the order of the input does not matter
    order = np.stack([np.lexsort((of_item, row)) for row in values])
    return np.take_along_axis(values, order, axis=1), of_item[order]


def _collect(question: Question[ValueSample], block: Any, purpose: Purpose) -> Floats:
    parts = run_blocks(
        block, question.n_resamples, question.seed, purpose, block=REPLICATES_PER_BLOCK, releases_gil=True
    )
    return np.concatenate(parts, axis=-1)


# --- the models interchanged ------------------------------------------------------------------------------------


def flip_values(question: Question[ValueSample]) -> Found:
    """Return method, reason, p-value and null distribution of swapping A's and B's values on whole units.

    Swapping keeps the number of items, so for a mean the difference is Σ ± s_g / N. Exact, where the s_g are whole
    numbers of some 10⁻ᵏ, or where there are few distinct outcomes.
    """
    if question.measure.is_mean and question.method != "monte_carlo":
        exact = _exact_flips(question)
        if exact is not None:
            return exact
    if question.method == "exact":
        raise OptionError(
            f"The exact permutation test cannot count every swap for {question.measure.label} on these items.",
            "a mean or a sum, with differences that are whole numbers of some 10⁻ᵏ (k up to 6), or few units",
            setting("method", "monte_carlo", "auto"),
        )
    why = f"{question.n_resamples:,} swaps of whole {question.sample.noun}s were drawn"
    if question.measure.is_mean and question.method == "auto":
        why += ", because counting all of them would take too long"
    return "monte_carlo", why, *(_sampled_sums(question) if question.measure.is_mean else _sampled_trimmed(question))


def _those_that_differ(question: Question[ValueSample], n: int) -> str:
    return f"{counted(n, question.sample.noun)} that differ{'s' if n == 1 else ''}"


def _exact_flips(question: Question[ValueSample]) -> Found | None:
    units = question.sample.units
    steps = units.differences
    to_difference = question.sample.factor(question.measure) / question.n
    whole = sign_flips.as_integers(steps, units.sizes)
    if whole is not None and sign_flips.affordable(whole[0]):
        integers, scale = whole
        p = sign_flips.integer_sign_flips(integers, question.measure.sign * int(integers.sum()), question.claim)
        sums, chances = sign_flips.integer_distribution(integers)
        why = f"all swaps of {_those_that_differ(question, int(np.count_nonzero(integers)))} were counted"
        return "exact", why, p, _binned(sums * (to_difference / scale), chances)
    moving = np.abs(steps[steps != 0])
    levels, which = sign_flips.distinct(moving, ROUNDING * units.sizes[steps != 0])
    times = np.bincount(which)
    outcomes = sign_flips.count_outcomes(times)
    if outcomes > sign_flips.MOST_OUTCOMES:
        return None
    sums, logs = sign_flips.enumerate_sums(levels * to_difference, times)
    tail = pvalues.ExactTail(_observed(question), question.claim)
    tail.add(sums, logs, _tie_scale(question))
    why = f"all {outcomes:,} distinct swaps of {_those_that_differ(question, moving.size)} were counted"
    return "exact", why, tail.p_value(), _binned(sums, np.exp(logs))


def _sampled_sums(question: Question[ValueSample]) -> tuple[pvalues.PValue, Distribution]:
    from clearwin.numerics import value_kernels

    steps = question.sample.units.differences
    steps = steps[steps != 0] * (question.sample.factor(question.measure) / question.n)

    def block(stream: Stream, size: int) -> Floats:
        states = stream.randint(0, 2**64, size=(size, 4), dtype=np.uint64)
        return np.asarray(value_kernels.flipped_sums(states, steps))

    sums = _collect(question, block, Purpose.VALUES_FLIPS)
    p = pvalues.of_sample(question.measure.sign * sums, _observed(question), question.claim, _tie_scale(question))
    return p, Distribution("null", sums)


def _observed(question: Question[ValueSample]) -> float:
    """Return the gain by the units' differences: that of two means would carry the rounding errors of the values."""
    return (
        question.measure.sign
        * float(question.sample.units.differences.sum())
        * question.sample.factor(question.measure)
        / question.n
    )


def _tie_scale(question: Question[ValueSample]) -> float:
    """Return the size below which differences are ties: that of the differences, or of the rounding of large values."""
    units = question.sample.units
    moving = units.differences != 0
    size = float(np.abs(units.differences).sum()) + ROUNDING / pvalues.TIE * float(units.sizes[moving].sum())
    return size * question.sample.factor(question.measure) / question.n


def _sampled_trimmed(question: Question[ValueSample]) -> tuple[pvalues.PValue, Distribution]:
    from clearwin.numerics import value_kernels

    values = question.sample
    pooled, of_b = np.concatenate([values.a, values.b]), np.repeat(np.array([0, 1], dtype=np.uint8), values.n)
    of_item = np.concatenate([values.units.of_item, values.units.of_item])
    order = np.lexsort((of_b, of_item, pooled))
    unit, from_b = of_item[order], of_b[order]
    ordered, n_units, share = pooled[order], values.units.counts.size, question.measure.trimmed

    def block(stream: Stream, size: int) -> Floats:
        states = stream.randint(0, 2**64, size=(size, 4), dtype=np.uint64)
        return np.asarray(value_kernels.flipped_trimmed_means(states, ordered, unit, from_b, n_units, share))

    a, b = _collect(question, block, Purpose.VALUES_FLIPS)
    p = pvalues.of_sample(question.measure.sign * (b - a), question.gain, question.claim, values.scale)
    return p, Distribution("null", b - a)


def _binned(values: Floats, chances: Floats) -> Distribution:
    """Return a null distribution for plotting: as it is, or as a histogram when it has very many values."""
    furthest = float(np.abs(values).max())
    if values.size <= BINS + 1 or furthest == 0.0:
        order = np.argsort(values)
        return Distribution("null", values[order], chances[order])
    place = np.rint((values / furthest + 1.0) * (BINS / 2)).astype(np.int64)
    mass = np.bincount(place, weights=chances, minlength=BINS + 1).astype(np.float64)
    return Distribution("null", np.linspace(-furthest, furthest, BINS + 1), mass)
