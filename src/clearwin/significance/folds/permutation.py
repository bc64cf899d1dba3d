"""Tests over folds that count arrangements: sign flips, partitions, signed ranks, signs.

Each has the interval that is its dual: all shifts δ that the test does not reject when δ is subtracted from B's scores.
For sign flips and partitions these are order statistics of what Hartigan (1969) calls typical values: a flipped set of
folds makes the sum at least as large as observed just when the mean of its differences is at most δ.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from clearwin.data.folds import FoldSample
from clearwin.data.questions import Question
from clearwin.numerics import pvalues, sign_flips
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Coverage, Interval
from clearwin.significance.base import Finding, test
from clearwin.significance.wilcoxon import signed_ranks
from clearwin.streams import Purpose, Stream, shuffled

Bits = NDArray[np.bool_]
MOST_ARRANGEMENTS = 2**20  # that are all counted: a tenth of a second
AT_ONCE = 2**22  # bits that are unpacked at once


@test(
    label="sign-flip permutation test",
    question="How many ways to swap the learners within folds are as extreme as the observed one?",
    null_hypothesis="the learning algorithms {a} and {b} are exchangeable: in every fold, the swapped scores were as "
    "likely as the observed ones",
    formula="p = arrangements with |d̄*| ≥ |d̄| / all 2ᴶ; sampled: (p + 1)/(n + 1)",
    one_sided="p = arrangements with g* ≥ g / all 2ᴶ, g = d̄ with the sign for which above 0 favours the claim; "
    "sampled: (p + 1)/(n + 1)",
    source="Fisher 1935; Menke and Martinez 2004",
    assumes="independent folds, differences symmetric about 0",
    takes=("folds",),
    designs=("independent",),
)
def permutation(question: Question[FoldSample]) -> Finding:
    """Return the paired permutation test: every arrangement up to 2²⁰, else sampled without repeats.

    The five folds of lecture-measures:

    >>> import clearwin as cw
    >>> r = cw.compare_folds([92, 90, 91, 93, 91], [90, 90, 92, 90, 89], test="permutation")
    >>> r.hits, r.arrangements, r.p_value
    (8, 32, 0.25)
    """
    d = question.sample.differences
    if question.n <= 60 and 2**question.n <= MOST_ARRANGEMENTS:
        sums, sizes = _subsets(d)
        return _count(question, sums[1:], sizes[1:], exact=True)
    flipped = _without_repeats(question, lambda rng, n: rng.random((n, question.n)) < 0.5)
    sums, sizes = _totals(flipped, question.n, d)
    return _count(question, sums, sizes, exact=False)


@test(
    label="partition permutation test",
    question="How many ways to deal all scores to the two learners are as extreme as the observed one?",
    null_hypothesis="the scores of the learning algorithms {a} and {b} come from one distribution, whatever the fold",
    formula="p = partitions with |mean(R) − mean(T)| ≥ |d̄| / all C(2J, J); sampled: (p + 1)/(n + 1)",
    one_sided="p = partitions with g* ≥ g / all C(2J, J), g = the difference of the two means with the sign for "
    "which above 0 favours the claim; sampled: (p + 1)/(n + 1)",
    source="lecture-measures, Permutation Test Details",
    assumes="independent scores; pairs are ignored, so it has less power than a paired test where folds differ",
    takes=("folds",),
    designs=("independent",),
)
def partition(question: Question[FoldSample]) -> Finding:
    """Return the unpaired permutation test of lecture-measures: every partition up to 2²⁰, else sampled.

    >>> import clearwin as cw
    >>> r = cw.compare_folds([92, 90, 91, 93, 91], [90, 90, 92, 90, 89], test="partition")
    >>> r.hits, r.arrangements, round(r.p_value, 6)
    (50, 252, 0.198413)
    """
    n = question.n
    if math.comb(2 * n, n) <= MOST_ARRANGEMENTS:
        (sums_a, sizes_a), (sums_b, sizes_b) = _subsets(question.sample.a), _subsets(question.sample.b)
        pairs = [np.subtract.outer(sums_b[sizes_b == m], sums_a[sizes_a == m]).ravel() for m in range(1, n + 1)]
        sizes = np.repeat(np.arange(1.0, n + 1), [pair.size for pair in pairs])
        return _count(question, np.concatenate(pairs), sizes, exact=True)

    def deal(rng: Stream, draws: int) -> Bits:
        """Draw which scores A gives to B (first half) and which it takes from B (second half)."""
        dealt = shuffled(rng, np.arange(2 * n) < n, draws)
        dealt[:, :n] = ~dealt[:, :n]
        return dealt

    moved = _without_repeats(question, deal)
    sums, sizes = _totals(moved, 2 * n, np.concatenate([-question.sample.a, question.sample.b]))
    return _count(question, sums, sizes / 2.0, exact=False)


def _subsets(values: Floats) -> tuple[Floats, Floats]:
    """Return the sum and the size of every subset, the empty one first."""
    sums, sizes = np.zeros(1), np.zeros(1)
    for value in values.tolist():
        sums, sizes = np.concatenate([sums, sums + value]), np.concatenate([sizes, sizes + 1.0])
    return sums, sizes


def _without_repeats(question: Question[FoldSample], draw: Callable[[Stream, int], Bits]) -> NDArray[np.uint8]:
    """Draw ``n_resamples`` arrangements as packed bits, none twice and none the observed one, where no bit is set."""
    wanted, rng = question.n_resamples, question.seed.stream(Purpose.FOLD_ARRANGEMENTS, 0)
    arrangements: NDArray[np.uint8] = np.zeros((0, 0), dtype=np.uint8)
    while len(arrangements) < wanted:
        new = [np.packbits(draw(rng, min(wanted, 10_000)), axis=1) for _ in range(-(-wanted // 10_000))]
        rows = np.concatenate([*([arrangements] if len(arrangements) else []), *new])
        rows = rows[rows.any(axis=1)]
        _, first = np.unique(rows, axis=0, return_index=True)
        arrangements = rows[np.sort(first)]  # in the order drawn: a sorted sample cut short would not be random
    return arrangements[:wanted]


def _totals(packed: NDArray[np.uint8], width: int, values: Floats) -> tuple[Floats, Floats]:
    """Return the sum of the values, and the number of them, at the bits of every row."""
    sums, sizes = [], []
    step = max(AT_ONCE // width, 1)
    for start in range(0, len(packed), step):
        bits = np.unpackbits(packed[start : start + step], axis=1, count=width)
        sums.append(bits @ values)
        sizes.append(bits.sum(axis=1, dtype=np.float64))
    return np.concatenate(sums), np.concatenate(sizes)


def _count(question: Question[FoldSample], sums: Floats, sizes: Floats, *, exact: bool) -> Finding:
    """Count arrangements; ``sums`` are what changes sides in each but the observed one, ``sizes`` how many folds."""
    gains = question.measure.sign * (question.difference - 2.0 * sums / question.n)
    gain, total = question.gain, sums.size + 1
    hits = int(pvalues.at_least(gains, gain, question.claim, question.sample.scale).sum()) + 1
    sampled = pvalues.of_sample(gains, gain, question.claim, question.sample.scale)
    shifts = sums / sizes
    shifts[np.abs(shifts) <= pvalues.TIE * question.sample.scale] = 0.0
    rank = math.floor(question.coverage.tail * total + 1e-9)
    return Finding(
        "exact" if exact else "monte_carlo",
        question.difference,
        pvalues.of_count(hits, total) if exact else sampled,
        _order_statistics(shifts, rank, question.coverage, "typical values"),
        why=f"all {total:,} arrangements were counted"
        if exact
        else f"{total:,} different arrangements were counted, the observed one among them",
        hits=hits,
        arrangements=total,
    )


def _order_statistics(values: Floats, rank: int, coverage: Coverage, method: str) -> Interval:
    """Return the ``rank``-th smallest and largest value; rank 0 means that too few values bound nothing."""
    if rank == 0:
        return coverage.interval(-math.inf, math.inf, method)
    last = values.size - rank
    ordered = np.partition(values, (rank - 1, last))
    return coverage.interval(float(ordered[rank - 1]), float(ordered[last]), method)


@test(
    label="Wilcoxon signed-rank test",
    question="Do B's wins outweigh its defeats, by the ranks of the differences?",
    null_hypothesis="the differences between the learning algorithms {a} and {b} are symmetric about 0: a gain is as "
    "likely as a loss of the same size",
    formula="W⁺ = sum of the midranks of |d| where B is better; exact over all signs",
    source="Wilcoxon 1945; over data sets: Demšar 2006",
    assumes="independent folds; folds without a difference are left out",
    takes=("folds",),
    designs=("independent",),
)
def wilcoxon(question: Question[FoldSample]) -> Finding:
    """Return the signed-rank test; its interval is that of the pseudomedian, from the Walsh averages (dᵢ + dⱼ)/2."""
    gains = question.measure.sign * question.sample.differences
    ranks = signed_ranks(gains, 2.0 * pvalues.TIE * question.sample.scale, question.claim)
    i, j = np.triu_indices(question.n)
    walsh = (question.sample.differences[i] + question.sample.differences[j]) / 2.0
    walsh[np.abs(walsh) <= pvalues.TIE * question.sample.scale] = 0.0
    return Finding(
        ranks.method,
        ranks.statistic,
        ranks.p,
        _order_statistics(walsh, _walsh_rank(question), question.coverage, "of the pseudomedian, Walsh averages"),
        why=f"{ranks.dropped} without a difference left out, {ranks.ranked} ranked",
        arrangements=2**ranks.ranked,
        judged="ranks",
        lead=ranks.net / 4.0,
    )


def _walsh_rank(question: Question[FoldSample]) -> int:
    """Return how many values W⁺ can take in the tail: the largest r with P(W⁺ ≤ r − 1) ≤ tail."""
    n, tail = question.n, question.coverage.tail
    ranks = np.arange(1, n + 1)
    if not sign_flips.affordable(ranks):  # by the normal approximation
        deviation = math.sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0)
        return max(math.floor(n * (n + 1.0) / 4.0 - question.coverage.z * deviation), 0)
    _, chances = sign_flips.integer_distribution(ranks)
    return int((np.cumsum(chances) <= tail * (1.0 + 1e-12)).sum())


@test(
    label="sign test",
    question="In how many folds does B win?",
    null_hypothesis="the learning algorithms {a} and {b} win equally often, fold by fold",
    formula="wins of B ~ Bin(wins + defeats, 1/2); exact",
    source="Arbuthnot 1710; over data sets: Demšar 2006",
    assumes="independent folds; folds without a difference are left out",
    takes=("folds",),
    designs=("independent",),
)
def sign(question: Question[FoldSample]) -> Finding:
    """Return the sign test; its interval is that of the median difference, from order statistics."""
    gains = question.measure.sign * question.sample.differences
    wins, defeats = int((gains > 0).sum()), int((gains < 0).sum())
    n = question.n
    chances = np.cumsum(np.exp(pvalues.log_fair_binomial(np.arange(n + 1), n)))
    rank = int((chances <= question.coverage.tail * (1.0 + 1e-12)).sum())
    return Finding(
        "exact",
        float(wins),
        pvalues.of_coin(wins, defeats, question.claim, mid=False),
        _order_statistics(question.sample.differences, rank, question.coverage, "of the median, order statistics"),
        why=f"{wins} wins, {defeats} defeats, {n - wins - defeats} without a difference",
        arrangements=2 ** (wins + defeats),
        judged="wins",
        lead=float(wins - defeats),
    )
