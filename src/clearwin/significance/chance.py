"""Is one classifier better than chance? Three tests of the number of right items, the margins held fixed (nyssen1998).

Null hypothesis: the predictions are assigned to the items at random, with each class predicted as often as it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import OptionError, setting
from clearwin.numerics import pvalues, rook
from clearwin.numerics.rank_sum import ChanceLevel
from clearwin.results.caveats import Caveat, caveat
from clearwin.streams import Purpose, Seed, Stream, hypergeometric, shuffled
from clearwin.workers import run_apart, run_blocks

MOST_DRAWN = 10**9  # beyond, numpy's hypergeometric numbers are not exact enough; its Generator refuses them
METHODS = ("exact", "monte_carlo", "chi2")
QUICK_SECONDS = 0.005  # seconds spent on checking a caveat
EXACT_SECONDS = 2.0  # the most that "auto" spends on exactness
# a method asked for by name may take as long as a person waits, and the memory of a small machine
MOST_EXACT_SECONDS = 60.0
MOST_EXACT_BYTES = 2e9
# nyssen1998 Table 1. The rule behind it: the relative standard error of a p-value at alpha is 6.16 %
F_MIN = {0.05: 5024, 0.01: 26074, 0.005: 52386, 0.001: 262880}
RELATIVE_ERROR = 0.0616
NARROWER = 0.9  # up to here the χ² test's standard deviation is so much too large that its p-values are, too
SECONDS_PER_HYPERGEOMETRIC = 2.4e-7
SECONDS_PER_SHUFFLED_ITEM = 1.5e-8


@dataclass(frozen=True)
class Margins:
    """How often each class is true and predicted, and how many items are right."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    right: int

    @property
    def n(self) -> int:
        """All items."""
        return sum(self.rows)

    @property
    def expected(self) -> float:
        """How many are right by chance: Σ r_i c_i / N."""
        return sum(r * c for r, c in zip(self.rows, self.columns, strict=True)) / self.n

    @property
    def deviation(self) -> float:
        """The standard deviation of that number, the margins held fixed.

        A pair of items is right where both are of one class (r_i(r_i − 1) c_i(c_i − 1)/(N(N − 1))) or of two
        (r_i c_i r_j c_j/(N(N − 1))).
        """
        n, hits = self.n, [r * c for r, c in zip(self.rows, self.columns, strict=True)]
        if n < 2:
            return 0.0
        # whole numbers until the end: what is left of them may be tiny
        pairs = sum(hits) ** 2 - sum(h * (r + c - 1) for h, r, c in zip(hits, self.rows, self.columns, strict=True))
        variance = n * pairs + n * (n - 1) * sum(hits) - (n - 1) * sum(hits) ** 2
        return math.sqrt(variance / (n * n * (n - 1)))

    @property
    def board(self) -> rook.Rectangles:
        """The rectangles in which an item is right."""
        return rook.Rectangles.of_margins(list(self.rows), list(self.columns))


def exact(margins: Margins) -> pvalues.PValue:
    """Return the probability that chance gets as many right or more: nyssen1998's exact test, by rook polynomials.

    >>> round(exact(Margins((19, 45, 38), (27, 31, 44), 54)).value, 9)  # the ulcer patients of nyssen1998, Fig. 1
    5.8535e-05
    """
    board, right = margins.board, margins.right
    seconds, memory = rook.predicted_seconds(board, right), rook.predicted_bytes(board, right)
    if not is_affordable(margins):
        raise OptionError(
            f"The exact test of {margins.n:,} items would take {_duration(seconds)} and {_size(memory)} of memory.",
            f"at most about {MOST_EXACT_SECONDS:g} s and {_size(MOST_EXACT_BYTES)}",
            setting("method", "chi2") if margins.n >= MOST_DRAWN else setting("method", "monte_carlo", "chi2"),
        )
    if seconds <= EXACT_SECONDS:
        return _by_rooks(margins)
    what = f"exact, about {seconds:.0f} s"
    return run_apart(_by_rooks, margins, seconds=seconds, what=what, if_lost=setting("method", "monte_carlo"))


def is_affordable(margins: Margins) -> bool:
    """Return whether the exact test stays within the budget."""
    board, right = margins.board, margins.right
    return (
        rook.predicted_seconds(board, right) <= MOST_EXACT_SECONDS
        and rook.predicted_bytes(board, right) <= MOST_EXACT_BYTES
    )


def level_of(margins: Margins) -> ChanceLevel:
    """Return how rarely chance gets as few right, and as many: exactly if that is quick, else by mean and variance.

    >>> level_of(Margins((19, 45, 38), (27, 31, 44), 54)).above < 0.001
    True
    """
    if rook.predicted_seconds(margins.board, margins.right) <= QUICK_SECONDS:
        above = _by_rooks(margins).value
        more = _by_rooks(replace(margins, right=margins.right + 1)).value if margins.right < margins.n else 0.0
        return ChanceLevel(1.0 - more, above)
    below, above = pvalues.tails_of_normal(margins.right - margins.expected, margins.deviation)
    return ChanceLevel(below, above)


def _by_rooks(margins: Margins) -> pvalues.PValue:
    return pvalues.of_number(rook.tail(margins.board, margins.right))


def _duration(seconds: float) -> str:
    for unit, length in (("years", 31_557_600), ("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"about {seconds / length:.2g} {unit}"
    return f"about {seconds:.2g} s"


def _size(memory: float) -> str:
    return f"{memory / 1e9:.2g} GB"


def chi2(margins: Margins) -> tuple[pvalues.PValue, float, tuple[Caveat, ...]]:
    """Return the halved χ² test of right and wrong items: p-value, h and caveats.

    h = (n_c − E_c)²/E_c + (n_w − E_w)²/E_w; the null hypothesis is rejected only when n_c > E_c *and* h is beyond the
    critical value, so the tabulated probability is halved. Both conditions at once are the upper tail of ±√h.

    >>> p, h, caveats = chi2(Margins((19, 45, 38), (27, 31, 44), 54))
    >>> round(p.value, 9)
    4.0818e-05
    """
    right, wrong = margins.expected, margins.n - margins.expected
    gain = margins.right - right
    h = gain**2 / right + gain**2 / wrong if right > 0 and wrong > 0 else 0.0
    deviation = math.sqrt(right * wrong / margins.n) if h else 0.0
    return pvalues.of_normal(gain, deviation, "better"), h, _chi2_caveats(margins)


def _chi2_caveats(margins: Margins) -> tuple[Caveat, ...]:
    """Say which way it errs: with unequal margins the number of right items varies less than it assumes."""
    expected = np.outer(margins.rows, margins.columns) / margins.n
    right = margins.expected
    taken, true = math.sqrt(right * (1.0 - right / margins.n)), margins.deviation
    if true < NARROWER * taken:
        caveats = [caveat("chi2_approximation", "narrow margins", assumed=taken, true=true)]
    else:
        caveats = [caveat("chi2_approximation")]
    under = float((expected < 5).mean())
    if expected.min() < 1 or under > 0.2:
        caveats.append(caveat("small_expected_counts", share=under, smallest=float(expected.min())))
    return tuple(caveats)


def tables_needed(alpha: float) -> int:
    """Return how many random tables the Monte-Carlo test draws for a decision at ``alpha``.

    >>> tables_needed(0.05), tables_needed(0.02)
    (5024, 12914)
    """
    return F_MIN.get(alpha) or math.ceil((1.0 - alpha) / (alpha * RELATIVE_ERROR**2))


def monte_carlo(margins: Margins, draws: int, seed: Seed) -> pvalues.PValue:
    """Return (count + 1)/(draws + 1) over random classifiers with the same margins: nyssen1998's Monte-Carlo test."""
    if margins.n >= MOST_DRAWN:
        raise OptionError(
            f"Random tables of {margins.n:,} items cannot be drawn.",
            f"fewer than {MOST_DRAWN:,} items",
            setting("method", "chi2"),
        )
    tabled = _seconds_by_tables(margins) <= _seconds_by_shuffling(margins)

    def block(stream: Stream, size: int) -> NDArray[np.int64]:
        return (hits_by_tables if tabled else hits_by_shuffling)(margins, stream, size)

    hits = np.concatenate(run_blocks(block, draws, seed, Purpose.CHANCE_TABLES)).astype(np.float64)
    return pvalues.of_sample(hits, float(margins.right), "better", 0.0)


def hits_by_tables(margins: Margins, stream: Stream, size: int) -> NDArray[np.int64]:
    """Draw whole tables row by row: how many items of a class get each prediction is hypergeometric.

    Only the cells on and right of the diagonal are needed: what a row takes from the columns before it changes no
    later hit, so those columns are one pool.
    """
    classes = [(r, c) for r, c in zip(margins.rows, margins.columns, strict=True) if r * c > 0]
    left = np.repeat(np.array([c for _, c in classes], dtype=np.int64)[:, None], size, axis=1)
    unassigned = margins.n
    hits = np.zeros(size, dtype=np.int64)
    for i, (r, _) in enumerate(classes):
        wanted = np.full(size, r, dtype=np.int64)
        pool = np.full(size, unassigned, dtype=np.int64)
        for j in range(i, len(classes)):
            pool -= left[j]
            taken = hypergeometric(stream, left[j], pool, wanted)
            left[j] -= taken
            wanted -= taken
            if j == i:
                hits += taken
        unassigned -= r
    return hits


def hits_by_shuffling(margins: Margins, stream: Stream, size: int) -> NDArray[np.int64]:
    """Deal the predictions out to the items one by one: quicker when there are many classes and few items."""
    truth = np.repeat(np.arange(len(margins.rows)), margins.rows)
    prediction = np.repeat(np.arange(len(margins.columns)), margins.columns).astype(np.int32)
    step = max(1, 1_000_000 // margins.n)
    parts = []
    for start in range(0, size, step):
        parts.append((shuffled(stream, prediction, min(step, size - start)) == truth).sum(axis=1))
    return np.concatenate(parts)


def _seconds_by_tables(margins: Margins) -> float:
    k = len(margins.board.rectangles)
    return SECONDS_PER_HYPERGEOMETRIC * k * (k + 1) / 2


def _seconds_by_shuffling(margins: Margins) -> float:
    return SECONDS_PER_SHUFFLED_ITEM * margins.n


def predicted_seconds(margins: Margins, draws: int) -> dict[str, float]:
    """Say about how long each method takes."""
    each = min(_seconds_by_tables(margins), _seconds_by_shuffling(margins))
    return {
        "exact": rook.predicted_seconds(margins.board, margins.right),
        "monte_carlo": draws * each,
        "chi2": 1e-5,
    }
