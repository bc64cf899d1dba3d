"""What a test set has not seen: equal models of which one fails rarely and badly, and ordinary data beside them.

In a null cell, every test set is compared, and for each false alarm it is noted whether a caveat warned of it. On
ordinary data, the power of the default stands beside that of a named test, with the share of results that carry a
caveat or are undecided.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from clearwin.analyses.estimate import estimated
from clearwin.analyses.judging import judge
from clearwin.analyses.rank import rank
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Read, Reading
from clearwin.measures.naming import find
from clearwin.reading.reading import read_data
from clearwin.significance import choose
from clearwin.streams import Seed, Stream
from scorecard.defaults import told
from scorecard.hard_nulls import DIFFERENT, HARD, MILD
from scorecard.rows import Row
from scorecard.trials import STREAM, entropy_of

SETS, N_RESAMPLES, LEVEL, ALPHA = 1_000, 999, 0.95, 0.05
IN_FULL = 10  # of ordinary data one test set of so many is asked for its caveats
Answers = tuple[Any, ...]  # truth, a, b; and groups or strata, where there are any
Draw = Callable[[Stream, int], Answers]


@dataclass(frozen=True)
class Cell:
    """Models to compare: ``n`` units, how they are drawn, and what comes with them."""

    name: str
    measure: str
    null: str
    n: int
    draw: Draw
    together: str = ""  # "groups" or "strata"
    rival: str = ""  # a test by name
    truth: float | None = None  # of B alone, where an estimate is asked for


# --- rare failures ------------------------------------------------------------------------------------------------


def squared(stream: Stream, n: int, share: float = 0.03, k: float = 5.0) -> Answers:
    """Return squared errors: a share of B's errors are k times as large, and the others smaller to make up for it."""
    b = np.where(stream.random(n) < share, k, 1.0) * stream.normal(size=n) / math.sqrt(1 - share + share * k * k)
    return None, stream.normal(size=n) ** 2, b**2


def log_losses(stream: Stream, n: int, share: float, wrong: float) -> Answers:
    """Return probabilities: B gives a share of the items ``wrong`` for their true class, and the others more than A."""
    of_a = 0.2 * -math.log(0.4) + 0.8 * -math.log(0.8)
    sure = math.exp(-(of_a + share * math.log(wrong)) / (1 - share))
    truth = (stream.random(n) < 0.5) * 1
    a, b = np.where(stream.random(n) < 0.2, 0.4, 0.8), np.where(stream.random(n) < share, wrong, sure)
    return truth, np.where(truth == 1, a, 1 - a), np.where(truth == 1, b, 1 - b)


def grades(stream: Stream, n: int, share: float = 0.02) -> Answers:
    """Return grades: B has a 1 on a share of the items, and one more than A on as many others as make up for it."""
    a = 7.0 + (stream.random(n) > 0.2) + (stream.random(n) > 0.8)
    a = np.clip(a, 7.0, 9.0)
    mean = 7.0 + 0.8 + 0.2
    bad = stream.random(n) < share
    return None, a, np.where(bad, 1.0, a + (stream.random(n) < share * (mean - 1.0) / (1.0 - share)))


def ties(stream: Stream, n: int) -> Answers:
    """Return grades that tie on 90 % of the items; B is one better on 9 % and nine worse on 1 %."""
    u = stream.random(n)
    return None, np.where(u < 0.09, 5.0, 10.0), np.where(u < 0.09, 6.0, np.where(u < 0.1, 1.0, 10.0))


def shares(stream: Stream, n: int, fail: float = 0.02) -> Answers:
    """Return values in [0, 1]; a share of B's are 0, and so of A's."""
    a, b = (np.where(stream.random(n) < fail, 0.0, 0.8 + 0.2 * stream.random(n)) for _ in range(2))
    return None, a, b


def right_and_wrong(stream: Stream, n: int, right: float = 0.98) -> Answers:
    """Return values of 0 and 1."""
    a, b = ((stream.random(n) < right) * 1.0 for _ in range(2))
    return None, a, b


def lognormal(stream: Stream, n: int, sigma: float = 2.0, icc: float = 0.5, k: int = 2) -> Answers:
    """Return lognormal values of A in groups of k, and normal ones of B with the same mean."""
    z = math.sqrt(icc) * np.repeat(stream.normal(size=n), k) + math.sqrt(1 - icc) * stream.normal(size=n * k)
    return None, np.exp(sigma * z - sigma**2 / 2), 1.0 + 0.3 * stream.normal(size=n * k), np.repeat(np.arange(n), k)


def in_groups(draw: Callable[..., Answers], k: int, stream: Stream, n: int) -> Answers:
    """Return n groups of k items."""
    return (*draw(stream, n * k), np.repeat(np.arange(n), k))


def in_strata(draw: Callable[..., Answers], stream: Stream, n: int) -> Answers:
    """Return n items in two strata."""
    return (*draw(stream, n)[:3], np.repeat([0, 1], n // 2))


def documents(stream: Stream, n: int, share: float = 0.02, labels: int = 30) -> Answers:
    """Return label sets: B gets nearly all labels of a share of the documents wrong, and the others better than A."""
    truth = stream.random((n, labels)) < 0.3
    rare = (0.05 - share * 0.9) / (1 - share)
    wrong = np.where(stream.random(n) < share, 0.9, rare)[:, None]
    a, b = truth ^ (stream.random((n, labels)) < 0.05), truth ^ (stream.random((n, labels)) < wrong)
    return truth * 1, a * 1, b * 1


def spans(stream: Stream, n: int, share: float = 0.03, times: int = 20, loss: float = 0.3) -> Answers:
    """Return sums of spans: a share of the documents are 20 times as long, and B finds fewer of theirs."""
    long = stream.random(n) < share
    size = np.where(long, 5 * times, 5)
    weight = share * times / (share * times + 1 - share)
    found = [
        stream.binomial(size, 0.7),
        stream.binomial(size, np.where(long, 0.7 - loss, 0.7 + loss * weight / (1 - weight))),
    ]
    return size, *((right, right + stream.binomial(size, 0.2)) for right in found)


def failing_groups(stream: Stream, n: int, k: int = 20, share: float = 0.05) -> Answers:
    """Return decisions in groups of k: B errs on nearly all items of a share of the groups, and less on the others."""
    group = np.repeat(np.arange(n), k)
    truth = stream.random(n * k) < 0.5
    rare = (0.15 - share * 0.95) / (1 - share)
    rates = np.full(n, 0.15), np.where(stream.random(n) < share, 0.95, rare)
    a, b = (truth ^ (stream.random(n * k) < rate[group]) for rate in rates)
    return truth * 1, a * 1, b * 1, group


# --- ordinary data: with ``gap`` 1 about 80 % power -----------------------------------------------------------------


def normal(stream: Stream, n: int, gap: float) -> Answers:
    """Return normal values that correlate .5."""
    a = stream.normal(size=n)
    return None, a, 0.5 * a + math.sqrt(0.75) * stream.normal(size=n) + gap * 2.8 / math.sqrt(n)


LIKERT = np.array([0.1, 0.1, 0.2, 0.4, 0.2])


def likert(stream: Stream, n: int, gap: float, same: float = 0.5) -> Answers:
    """Return grades 1 to 5, on half of the items by the same chance; a share of B's are one higher."""
    u = stream.random(n)
    v = np.where(stream.random(n) < same, u, stream.random(n))
    ends = np.cumsum(LIKERT)[:-1]
    a, b = np.searchsorted(ends, u), np.searchsorted(ends, v)
    step = gap * 2.8 * math.sqrt(2 * 1.41 * (1 - same) / n) / 0.8
    return None, a + 1.0, 1.0 + np.minimum(b + (stream.random(n) < step), 4)


def ten_grades(stream: Stream, n: int, gap: float) -> Answers:
    """Return grades 1 to 10 around 7."""
    z = stream.normal(size=n)
    a, b = (
        np.clip(np.rint(7 + 1.06 * (z + stream.normal(size=n)) + s), 1, 10) for s in (0.0, gap * 4.3 / math.sqrt(n))
    )
    return None, a, b


def close_grades(stream: Stream, n: int, gap: float) -> Answers:
    """Return grades 1 to 10 that differ by one on a fifth of the items."""
    _, a, b = decisions(stream, n, gap)
    return None, a + 7.0, b + 7.0


def decisions(stream: Stream, n: int, gap: float, differ: float = 0.2) -> Answers:
    """Return values of 0 and 1 that differ on a fifth of the items."""
    u = stream.random(n)
    more = (differ + gap * 2.8 * math.sqrt(differ / n)) / 2
    a = np.where(u < more, 0.0, np.where(u < differ, 1.0, (stream.random(n) < 0.7) * 1.0))
    return None, a, np.where(u < more, 1.0, np.where(u < differ, 0.0, a))


def brier(stream: Stream, n: int, gap: float) -> Answers:
    """Return probabilities of two calibrated models that share half of what they know."""
    from scipy.special import ndtr

    z, x, y, noise = stream.normal(size=(4, n))
    own = 0.6 + gap * (9.5 / math.sqrt(n)) * 0.6
    truth = z + 0.6 * x + own * y + noise > 0
    return truth * 1, ndtr((z + 0.6 * x) / math.sqrt(1 + own**2)), ndtr((z + own * y) / math.sqrt(1.36))


# --- cells ----------------------------------------------------------------------------------------------------------

TENS = "mean(lowest=1.0, highest=10.0)"


def cells() -> list[Cell]:
    """Return every cell: rare failures, estimates, and ordinary data."""
    found = [
        Cell("squared errors, 3 % five times as large", "mean_loss", HARD, 100, squared),
        Cell("squared errors, 3 % five times as large", "mean_loss", HARD, 300, squared),
        Cell("squared errors, groups of 2", "mean_loss", HARD, 50, partial(in_groups, squared, 2), "groups"),
        Cell("log loss, 1 % at .0001", "log_loss", HARD, 100, partial(log_losses, share=0.01, wrong=1e-4)),
        Cell("log loss, 1.5 % at .001", "log_loss", HARD, 150, partial(log_losses, share=0.015, wrong=1e-3)),
        Cell("grades 1–10, a 1 on 2 %", TENS, HARD, 80, grades),
        Cell("grades 1–10, a 1 on 2 %, no range declared", "mean", HARD, 80, grades),
        Cell("grades 1–10, groups of 2", TENS, HARD, 60, partial(in_groups, grades, 2), "groups"),
        Cell("grades 1–10, 2 strata", TENS, HARD, 100, partial(in_strata, grades), "strata"),
        Cell("90 % ties, 9 % +1, 1 % −9", TENS, HARD, 100, ties),
        Cell("lognormal values, groups of 2", "mean", HARD, 60, lognormal, "groups"),
        Cell("lognormal values, 2 strata", "mean", HARD, 100, partial(in_strata, partial(lognormal, k=1)), "strata"),
        Cell("label sets, 2 % bad documents", "hamming_loss", HARD, 100, documents),
        Cell("spans, 3 % of documents 20 times as long", "f1_of_sums", HARD, 60, spans),
        Cell("B fails on 5 % of groups of 20", "f1", HARD, 45, failing_groups, "groups"),
        Cell("shares, 2 % of them 0", "mean", "alone", 100, shares, truth=0.98 * 0.9),
        Cell("right on 98 %", "mean", "alone", 100, right_and_wrong, truth=0.98),
    ]
    ordinary: tuple[tuple[str, str, Any, str], ...] = (
        ("normal values", "mean", normal, "paired_t"),
        ("grades 1–5", "mean(lowest=1.0, highest=5.0)", likert, "paired_t"),
        ("grades 1–10", TENS, ten_grades, "paired_t"),
        ("grades 1–10 that tie on 80 %", TENS, close_grades, "paired_t"),
        ("values of 0 and 1", "mean", decisions, "permutation"),
        ("Brier score", "brier", brier, "paired_t"),
    )
    for name, measure, draw, rival in ordinary:
        for n in (50, 200, 1_000):
            for null, gap in ((MILD, 0.0), (DIFFERENT, 1.0)):
                found.append(Cell(name, measure, null, n, partial(draw, gap=gap), rival=rival))
    return found


def jobs(sets: int) -> list[Any]:
    """Return a job for each cell, with half as many test sets where data are ordinary, and that of four models."""
    rare = (HARD, "alone")
    return [*(Job(cell, sets if cell.null in rare else sets // 2) for cell in cells()), RankJob(sets)]


@dataclass(frozen=True)
class Job:
    """One cell, and the number of test sets that are drawn from it."""

    cell: Cell
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask, and count."""
        cell, count = self.cell, Counter[str]()
        stream = Seed(seed).stream(
            STREAM, zlib.crc32(f"unseen|{cell.name}|{cell.measure}|{cell.null}|{cell.n}".encode())
        )
        entropy, measure = entropy_of(stream), find(cell.measure)
        for number in range(self.trials):
            truth, a, b, *together = cell.draw(stream, cell.n)
            reading = Reading(**dict(zip((cell.together,), together, strict=False)))
            how = Options(n_resamples=N_RESAMPLES, confidence_level=LEVEL, seed=Seed(entropy, (number,)))
            if cell.truth is not None:
                _count_estimate(read_data(None, truth, {"b": b}, measure, reading), how, cell.truth, count)
            else:
                question = Question(*read_data(None, truth, {"a": a, "b": b}, measure, reading), how)
                _count(question, cell, number, count)
        return _rows(cell, self.trials, count)


def _count_estimate(read: Read, how: Options, truth: float, count: Counter[str]) -> None:
    one = Options(n_resamples=N_RESAMPLES, confidence_level=LEVEL, seed=how.seed, names=("B",))
    found = estimated(read, one)
    count["covered"] += truth in found.interval
    count["in full"] += 1
    count["warned"] += told(found)


def _count(question: Question[Any], cell: Cell, number: int, count: Counter[str]) -> None:
    p = choose("auto", question)[0].p_value(question)[0].value
    in_full = number % IN_FULL == 0
    if p <= ALPHA or in_full:
        result = judge(question)
        decided = result.decision in ("better", "worse")
        count["shown"] += decided
        count["alarms warned about"] += decided and told(result)
        count["in full"] += in_full
        count["warned"] += in_full and told(result)
    if cell.rival:
        count["rival"] += choose(cell.rival, question)[0].p_value(question.asking(test=cell.rival))[0].value <= ALPHA


def _rows(cell: Cell, trials: int, count: Counter[str]) -> list[Row]:
    share_warned = count["warned"] / max(1, count["in full"])

    def row(kind: str, test: str, hits: int, told: float) -> Row:
        level = LEVEL if kind == "estimate" else ALPHA
        where = (cell.measure, cell.name, cell.null, cell.n, level, hits / trials, trials)
        return Row(kind, test, "", "", *where, told=told)

    if cell.truth is not None:
        return [row("estimate", "auto", count["covered"], share_warned)]
    kind = "power" if cell.null == DIFFERENT else "size"
    if cell.null == HARD:
        share_warned = count["alarms warned about"] / max(1, count["shown"])
    found = [row(kind, "auto", count["shown"], share_warned)]
    return [*found, row(kind, cell.rival, count["rival"], 0.0)] if cell.rival else found


@dataclass(frozen=True)
class RankJob:
    """Four models with the same mean squared error, of which the last fails rarely; false findings of ``rank``."""

    trials: int
    n: int = 150

    def __call__(self, seed: int) -> list[Row]:
        """Draw the boards, rank, and count."""
        stream, count = Seed(seed).stream(STREAM, zlib.crc32(b"unseen|rank")), Counter[str]()
        for number in range(self.trials):
            first, second = squared(stream, self.n), squared(stream, self.n)
            models = {"a": first[1], "b": second[1], "c": squared(stream, self.n)[1], "d": first[2]}
            found = rank(
                None,
                {name: list(values) for name, values in models.items()},
                measure="mean_loss",
                n_resamples=N_RESAMPLES,
                rng=number,
            )
            shown = any(pair.shown for pair in found.pairs)
            count["shown"] += shown
            count["warned"] += shown and told(found)
        where = ("mean_loss", "4 models, squared errors, 3 % of one's large", HARD, self.n, ALPHA)
        value = count["shown"] / self.trials
        return [Row("size", "auto", "", "", *where, value, self.trials, told=count["warned"] / max(1, count["shown"]))]
