"""The paired permutation test: if the models were exchangeable, how often would swapping go as far?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.questions import Question
from clearwin.data.samples import CountSample, Sample
from clearwin.data.scores import ScoreSample
from clearwin.data.values import ValueSample
from clearwin.errors import OptionError, setting
from clearwin.numerics import pvalues, sign_flips
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import DRAWN
from clearwin.resampling import dirichlet
from clearwin.resampling.bootstrap import confidence, confidence_in_a, draw, interval_of
from clearwin.resampling.of_counts import swap_units
from clearwin.resampling.of_scores import swap_scores
from clearwin.resampling.of_values import flip_values
from clearwin.results.base import Distribution
from clearwin.significance.base import Finding, test
from clearwin.significance.caveats import of_replicates
from clearwin.text import counted

# the most atoms of the exact null distribution that "auto" enumerates: about a tenth of a second
EXACT_BUDGET = 2**22
# and the most that method="exact" will: about a second
EXACT_LIMIT = 2**25
BLOCK = 2**15
BINS = 512
MOST_UNITS_OF_SCORES = 12  # 4,096 rankings
SWAPPED = "the two models' answers were swapped, and "


def _p_alone(question: Question[Any]) -> pvalues.PValue:
    return _null(question.sample, question).p


@test(
    label="paired permutation test",
    question="Could the two models be exchangeable?",
    null_hypothesis="{a} and {b} are exchangeable: on every {unit}, the swapped answers were as likely as the observed "
    "ones (the statistic is the difference in {measure})",
    judges=("items", "classes", "none"),
    methods=("exact", "monte_carlo"),
    intervals=DRAWN,
    formula="P(|d| ≥ |observed|) over all swaps; for two classes d takes its swaps from two independent binomials, "
    "Bin(e2+e3, 1/2) and Bin(e6+e7, 1/2)",
    one_sided="P(g ≥ observed) over all swaps, g = d with the sign for which above 0 favours the claim; for two "
    "classes d takes its swaps from two independent binomials, Bin(e2+e3, 1/2) and Bin(e6+e7, 1/2)",
    source="Fisher 1935; Yeh 2000 for F1; the two-binomial theorem is clearwin's",
    assumes="items are independent",
    draws="replicates",
    takes=("decisions", "label sets", "sums", "scores", "losses", "values"),
    whole_units=("decisions", "label sets", "sums", "scores", "losses", "values"),
    p_alone=_p_alone,
)
def permutation(question: Question[Any]) -> Finding:
    """Test the difference of any measure by swapping A's and B's decisions on each item.

    Null hypothesis: the two models are exchangeable. Swapping changes nothing where they agree; where they
    disagree, the numbers of swapped items are independent binomials, one for each unordered disagreement. For two
    classes there are two, so the exact null distribution has at most (e2+e3+1)(e6+e7+1) atoms, whatever the measure.
    For accuracy it is McNemar's exact test.

    ``exact`` adds up all atoms; ``auto`` does so up to 2²² of them (a tenth of a second) and otherwise draws
    ``n_resamples`` (``monte_carlo``), p = (count + 1)/(draws + 1) with its standard error. Ties are compared with a
    tolerance of 1e-12 of the measure's size, so rounding cannot lose them.

    The interval for decisions between two classes is the Dirichlet one (single items), otherwise the bootstrap's.

    Scores are swapped by their ranks, always by ``monte_carlo``. With per-item values and losses, whole units (items
    or groups of them) are swapped: for a mean the difference is then Σ ± s over N items, s being a unit's difference.
    That is exact by dynamic programming where all s are whole numbers of some 10⁻ᵏ, k up to 6 (``auto`` within 2³⁰
    additions), or where there are at most 2²⁰ distinct outcomes; a trimmed mean is always drawn.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> for measure in ("accuracy", "f1"):
    ...     r = cw.compare(joint, measure=measure, test="permutation", rng=1)
    ...     print(f"{r.method}: p = {r.p_value:.6f}")
    exact: p = 0.052479
    exact: p = 0.052479
    """
    null = _null(question.sample, question)
    drawn = draw(question)
    interval = interval_of(question, drawn, dirichlet.default(question))
    return Finding(
        null.method,
        question.difference,
        null.p,
        interval,
        null.why,
        confidence=confidence(question, drawn),
        confidence_in_a=confidence_in_a(question, drawn),
        distribution=null.distribution,
        replicates=drawn.differences,
        undefined_replicates=drawn.undefined,
        caveats=of_replicates(question, drawn, interval),
    )


@dataclass(frozen=True, eq=False)
class Null:
    """What swapping found."""

    method: str
    why: str
    p: pvalues.PValue
    distribution: Distribution


@singledispatch
def _null(sample: Sample, question: Question[Any]) -> Null:
    """Swap the models on every unit."""
    raise TypeError(type(sample).__name__)


@_null.register(ValueSample)
def _of_values(sample: ValueSample, question: Question[ValueSample]) -> Null:
    return Null(*flip_values(question))


@_null.register(CountSample)
def _of_counts(sample: CountSample, question: Question[CountSample]) -> Null:
    times = sample.table(question.measure).swaps.steps.times.tolist()
    atoms = arrangements(question)
    method = question.method
    if method != "monte_carlo" and atoms > EXACT_BUDGET and question.measure.decomposition == "items":
        null = _of_net_wins(question)
        if null is not None:
            return null
    if method == "auto":
        method = "exact" if atoms <= EXACT_BUDGET else "monte_carlo"
    if method == "exact":
        why = SWAPPED + ("there is only 1 outcome" if atoms == 1 else f"all {atoms:,} possible outcomes were counted")
        return Null(method, why, *exact_null(question, times, atoms))
    why = f"{SWAPPED}{question.n_resamples:,} random swaps were drawn"
    if question.method == "auto":
        why += f", because {_size(atoms)} possible outcomes are too many to count"
    a, b, _ = swap_units(question)
    p = pvalues.of_sample(question.measure.sign * (b - a), question.gain, question.claim, _scale(a, b))
    return Null(method, why, p, Distribution("null", b - a))


def _of_net_wins(question: Question[CountSample]) -> Null | None:
    """Return the exact distribution of a mean over items: each unit's items won less those lost change sign or not.

    Swapping keeps the number of items, so the difference is a sum of whole numbers with fair signs, whatever the
    number of arrangements.
    """
    table = question.sample.table(question.measure)
    steps = table.swaps.steps
    a, b = table.read(steps.spread(0, steps.size, table.n_features))
    # a step swaps a unit, so it changes right_b − right_a by twice what the unit won
    won, times = np.abs(b.right - a.right) // 2, steps.times
    won, times = won[won > 0], times[won > 0]
    differing = int(times.sum())
    a, b = question.sample.counts(question.measure)
    gain = int(b.right) - int(a.right)  # also for an error rate, because fewer errors mean more right
    if np.unique(won).size == 1:
        p, sums, chances = sign_flips.equal_sign_flips(differing, int(won[0]), gain, question.claim)
    elif differing <= sign_flips.MOST_PLACES and sign_flips.affordable(wins := np.repeat(won, times)):
        p = sign_flips.integer_sign_flips(wins, gain, question.claim)
        sums, chances = sign_flips.integer_distribution(wins)
    else:
        return None
    why = f"{SWAPPED}all swaps of {counted(differing, 'unit')} that differ{'s' * (differing == 1)} were counted"
    return Null("exact", why, p, Distribution("null", sums / int(a.n), chances))


def arrangements(question: Question[CountSample]) -> int:
    """Return how many distinct arrangements there are; each step may be taken 0 to ``times`` times."""
    return math.prod(t + 1 for t in question.sample.table(question.measure).swaps.steps.times.tolist())


def _size(atoms: int) -> str:
    """Write a number that may be beyond any float."""
    digits = len(str(atoms)) if atoms < 10**300 else int(math.log2(atoms) * math.log10(2)) + 1
    return f"{atoms:.3g}" if atoms < 10**300 else f"10^{digits}"


@_null.register(ScoreSample)
def _of_scores(sample: ScoreSample, question: Question[ScoreSample]) -> Null:
    units = sample.grouping.n_groups or sample.n
    if question.method == "exact" and units > MOST_UNITS_OF_SCORES:
        raise OptionError(
            f"The permutation test of scores cannot count every arrangement of {units:,} items or groups.",
            f"at most {MOST_UNITS_OF_SCORES} of them, or the method monte_carlo",
            setting("method", "monte_carlo", "auto"),
        )
    exact = units <= MOST_UNITS_OF_SCORES and question.method != "monte_carlo"
    a, b, _ = swap_scores(question, all_of_them=exact)
    gains, null = question.measure.sign * (b - a), Distribution("null", b - a)
    if not exact:
        p = pvalues.of_sample(gains, question.gain, question.claim, _scale(a, b))
        return Null("monte_carlo", f"{question.n_resamples:,} arrangements were drawn", p, null)
    tail = pvalues.ExactTail(question.gain, question.claim)
    tail.add(gains, np.full(gains.size, -units * math.log(2.0)), _scale(a, b))
    return Null("exact", f"all {gains.size:,} arrangements were counted", tail.p_value(), null)


def _scale(a: Floats, b: Floats) -> float:
    return float(max(np.abs(a).max(), np.abs(b).max()))


def exact_null(question: Question[CountSample], times: list[int], atoms: int) -> tuple[pvalues.PValue, Distribution]:
    """Return the p-value and the null distribution from every distinct arrangement."""
    if atoms > EXACT_LIMIT:
        raise OptionError(
            f"The exact permutation test would have to count {_size(atoms)} arrangements.",
            f"at most {EXACT_LIMIT:,}",
            setting("method", "monte_carlo", "auto"),
        )
    sign = question.measure.sign
    tail = pvalues.ExactTail(question.gain, question.claim)
    seen: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
    for differences, log_weights, scale in _half_of_the_atoms(question, times, atoms):
        # the arrangement with all swaps reversed is as likely and has the opposite difference
        tail.add(sign * differences, log_weights, scale)
        tail.add(-sign * differences, log_weights, scale)
        seen.append((differences.astype(np.float32), log_weights.astype(np.float32)))
    return tail.p_value(), _binned(seen)


def _half_of_the_atoms(
    question: Question[CountSample], times: list[int], atoms: int
) -> Iterator[tuple[Floats, Floats, float]]:
    """Yield differences, log probabilities and the measure's size, in blocks, for one of each mirrored pair.

    Where every number of swaps is even the middle atom is its own mirror image: it is yielded at half its weight.
    """
    swaps = question.sample.table(question.measure).swaps
    logs = [pvalues.log_fair_binomial(np.arange(t + 1), t) for t in times]
    half = (atoms + 1) // 2
    for start in range(0, half, BLOCK):
        index = np.arange(start, min(start + BLOCK, half))
        log_weights = np.where(2 * index + 1 == atoms, math.log(0.5), 0.0)
        moved = np.empty((len(times), index.size), dtype=np.int64)
        for step, (t, log) in enumerate(zip(times, logs, strict=True)):
            index, moved[step] = np.divmod(index, t + 1)
            log_weights += log[moved[step]]
        (a, b), _ = question.sample.evaluate(question.measure, swaps.totals(moved))
        yield b - a, log_weights, _scale(a, b)


def _binned(seen: list[tuple[NDArray[np.float32], NDArray[np.float32]]]) -> Distribution:
    """Return the null distribution for plotting: a symmetric histogram as bin centres and probabilities."""
    furthest = max(float(np.abs(differences).max()) for differences, _ in seen)
    if furthest == 0.0:
        return Distribution("null", np.zeros(1), np.ones(1))
    mass = np.zeros(BINS + 1)
    for differences, log_weights in seen:
        place = np.rint((differences / furthest + 1.0) * (BINS / 2)).astype(np.int64)
        mass += np.bincount(place, weights=np.exp(log_weights), minlength=BINS + 1)
    mass += mass[::-1].copy()
    return Distribution("null", np.linspace(-furthest, furthest, BINS + 1), mass)
