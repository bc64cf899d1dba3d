"""What the defaults do, measure by measure: the table on the scorecard's first page."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from clearwin.analyses.estimate import estimated
from clearwin.analyses.judging import judge
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading
from clearwin.errors import ClearwinError
from clearwin.measures.naming import find
from clearwin.numerics.pvalues import Claim
from clearwin.reading.reading import read_data
from clearwin.results.base import MeasureResult
from clearwin.significance import choose
from clearwin.significance.studentised import judged
from clearwin.streams import Seed
from scorecard import hard_nulls
from scorecard.hard_nulls import DIFFERENT, Cell
from scorecard.rows import Row
from scorecard.trials import ALPHAS, DUAL, LEVEL, STREAM, entropy_of

SETS = 600
N_RESAMPLES = 999
IN_FULL = 20  # one test set of so many is asked for its interval and caveats
INTERVALS = 4  # where the models differ, one of so many: an interval costs ten to thirty p-values
NOT_DECIDED = "not decided"
TOGETHER = {"in groups": "groups", "in strata": "strata"}  # what the items of these cells come with
ABOUT_THE_DRAWS = {"sampled_near_level"}  # caveats about the draws, not about the data


@cache
def _cells() -> tuple[Cell, ...]:
    return tuple(hard_nulls.cells())


def jobs(sets: int) -> list[Job]:
    """Return a job for each cell."""
    return [Job(cell, sets) for cell in _cells()]


def jobs_of_rare(sets: int) -> list[Job]:
    """Return a job for each cell in which what matters is rare."""
    return [Job(cell, sets) for cell in hard_nulls.rare_cells()]


@dataclass(frozen=True)
class Job:
    """One cell, and the number of test sets that are drawn from it."""

    cell: Cell
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        """Draw the test sets, ask, and count."""
        cell, count = self.cell, Counter[Any]()
        words = f"{cell.data}|{cell.measure}|{cell.name}|{cell.null}|{cell.n}"
        stream = Seed(seed).stream(STREAM, zlib.crc32(words.encode()))
        entropy = entropy_of(stream)
        trials = self.trials if cell.null != DIFFERENT else max(2, self.trials // INTERVALS)
        measure, value = find(cell.measure), cell.population.values(cell.measure)[1]
        for number in range(trials):
            truth, a, b, *together = cell.population.draw(stream, cell.n)
            reading = Reading(**dict(zip((TOGETHER.get(cell.data, ""),), together, strict=False)))
            how = Options(n_resamples=N_RESAMPLES, confidence_level=LEVEL, seed=Seed(entropy, (number,)))
            try:
                question = Question(*read_data(None, truth, {"a": a, "b": b}, measure, reading), how)
                _count_comparison(question, cell, number, count)
                one = Options(n_resamples=N_RESAMPLES, confidence_level=LEVEL, seed=how.seed, names=("B",))
                estimate = estimated(read_data(None, truth, {"b": b}, measure, reading), one)
            except ClearwinError:
                count["refused"] += 1
                continue
            count["estimates"] += 1
            count["estimates told"] += told(estimate)
            count["value held"] += value in estimate.interval
        return _rows(cell, trials, count)


def _count_comparison(question: Question[Any], cell: Cell, number: int, count: Counter[Any]) -> None:
    test = choose("auto", question)[0]
    dual = test.name == DUAL
    if dual:  # one function has all p-values, so that test sets are drawn once
        (function, two_sided, _), gain = judged(question), question.gain
    else:
        two_sided, gain = test.p_value(question)
    claim: Claim = "better" if gain > 0 else "worse"  # the other one's p-value is above a half
    count["test", test.name] += 1
    if cell.null != DIFFERENT:
        asked = question.asking(claim=claim)
        one_sided = judged(asked, function)[1] if dual else test.p_value(asked)[0]
        for kind, p, of in (("size", two_sided, question), (claim, one_sided, asked)):
            shown = p.value <= max(ALPHAS) and judge(of).decision != NOT_DECIDED
            for alpha in ALPHAS:
                count[kind, alpha] += shown and p.value <= alpha
    holds = two_sided.value > 1 - LEVEL  # p-value function and interval are one
    if cell.null == DIFFERENT or number % IN_FULL == 0 or not dual:
        result = judge(question)
        count["asked in full"] += 1
        count["told"] += told(result)
        count["contradictions"] += cell.null != DIFFERENT and dual and (0.0 in result.interval) != holds
        holds = cell.difference in result.interval
    count["intervals"] += 1
    count["difference held"] += holds


def told(result: MeasureResult) -> bool:
    """Whether a caveat warns the reader."""
    caveats = {caveat.code for caveat in result.caveats} - ABOUT_THE_DRAWS
    return bool(caveats) or getattr(result, "decision", "") == NOT_DECIDED


def _rows(cell: Cell, trials: int, count: Counter[Any]) -> list[Row]:
    asked_of = max((key for key in count if isinstance(key, tuple) and key[0] == "test"), key=lambda key: count[key])
    share_told = (count["told"] + count["refused"]) / max(1, count["asked in full"] + count["refused"])

    def row(kind: str, level: float, hits: int, asked: int, told: float = share_told) -> Row:
        where = (cell.measure, f"{cell.data}: {cell.name}", cell.null, cell.n, level, hits / max(1, asked), asked)
        return Row(kind, "auto", asked_of[1], "auto", *where, told=told)

    rows = []
    if cell.null != DIFFERENT:
        for alpha in ALPHAS:
            rows.append(row("size", alpha, count["size", alpha], trials))
            rows.append(row("claim", alpha, max(count["better", alpha], count["worse", alpha]), trials))
    rows.append(row("interval", LEVEL, count["difference held"], count["intervals"]))
    estimates = count["estimates"]
    told_of_one = (count["estimates told"] + count["refused"]) / max(1, estimates + count["refused"])
    rows.append(row("estimate", LEVEL, count["value held"], estimates, told_of_one))
    if count["contradictions"]:
        rows.append(row("contradictions", LEVEL, count["contradictions"], count["asked in full"]))
    return rows
