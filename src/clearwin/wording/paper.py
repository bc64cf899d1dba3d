"""A result in a paper: one sentence with test, statistic, p-value, interval, n and software, and one table."""

from __future__ import annotations

import math
from functools import singledispatch

from clearwin.errors import NotApplicableError
from clearwin.results.base import Result
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import NAMELESS, Comparison, Estimate
from clearwin.results.data_sets import DataSetComparison
from clearwin.results.folds import FoldComparison
from clearwin.results.leaderboard import Leaderboard
from clearwin.text import capital, counted, degrees_of_freedom, percent
from clearwin.wording.base import Grid, Summary
from clearwin.wording.leaderboard import kind_of_test
from clearwin.wording.phrases import CORRECTED, Digits, interval_name, interval_text, level, p_number, p_text

# test → what its statistic is called; of other tests it is the difference, which the sentence has anyway
LETTERS = {
    "studentised": "t",
    "studentised_unpaired": "t",
    "paired_t": "t",
    "delong": "z",
    "delong_unpaired": "t",
    "kosinski": "z",
    "proportion": "z",
    "paired_proportion": "z",
    "wilcoxon": "W",
    "mcnemar/asymptotic": "χ²",
    "mcnemar/corrected": "χ²",
    "mcnemar/unconditional": "χ²",
    "corrected_t": "t",
    "5x2cv_t": "t",
    "5x2cv_f": "F",
}


def in_a_paper(result: Result, summary: Summary) -> str:
    """Return the sentence for a paper; a kind without one gets its verdict, with the software.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> r = cw.compare(joint, measure="accuracy", test="mcnemar", method="asymptotic", names=("svm", "rbf"))
    >>> print(r.verdict(style="paper").partition(", clearwin")[0])
    On 161 items, rbf had a lower accuracy than svm (0.404 against 0.466, difference -0.062, 95 % interval -0.124 to
    -0.005, McNemar test, χ² = 4.55, p = 0.0330
    """
    return sentence(result) or f"{summary.verdict} ({software(result)}.)"


def software(result: Result) -> str:
    """Return what gave the result, to be cited."""
    return f"clearwin {result.signature.version}"


@singledispatch
def sentence(result: Result) -> str:
    """Return the sentence of a kind of result, or nothing."""
    return ""


def _statistic(test: str, method: str, statistic: float | None, degrees: tuple[float, ...] = ()) -> list[str]:
    letter = LETTERS.get(test) or LETTERS.get(f"{test}/{method}")
    if letter is None or statistic is None or not math.isfinite(statistic):
        return []
    on = f" on {degrees_of_freedom(*degrees)}" if degrees else ""
    return [f"{letter} = {statistic:.3g}{on}"]


def _compared(result: Comparison | FoldComparison) -> str:
    """Say which had the higher value, and whether that is significant."""
    a, b, measure = result.name_a, result.name_b, result.measure_label
    if result.decision in ("better", "worse"):
        higher = (result.decision == "better") == result.higher_is_better
        return f"{b} had a {'higher' if higher else 'lower'} {measure} than {a}"
    if result.decision in ("not worse", "equivalent"):
        return f"{b} was {result.decision} {'than' if result.decision == 'not worse' else 'to'} {a} in {measure}"
    return f"{b} and {a} did not differ significantly in {measure}"


@sentence.register
def _(result: Comparison) -> str:
    write = Digits.of(result)
    margin = [] if result.margin is None else [f"margin {result.margin:g}"]
    claim = [] if result.claim == "different" else [f"claim {result.claim.replace('_', ' ')}", *margin]
    drawn = [f"seed {result.signature.seed}"] if result.p_error is not None or result.confidence is not None else []
    clusters = ""
    if result.sampling is not None and result.sampling.unit == "group":
        clusters = f" in {result.sampling.n_units:,} clusters"
    numbers = [
        f"{write.number(result.estimate_b)} against {write.number(result.estimate_a)}",
        f"difference {write.signed(result.difference)}",
        f"{interval_name(result.interval)} {interval_text(result.interval, write.signed)}",
        *claim,
        result.test_label,
        *_statistic(result.test, result.method, result.statistic),
        p_text(result),
        software(result),
        *drawn,
    ]
    return f"On {counted(result.n, 'item')}{clusters}, {_compared(result)} ({', '.join(numbers)})."


@sentence.register
def _(result: FoldComparison) -> str:
    if result.p_value is None:
        return ""
    write = Digits.of(result)
    numbers = [
        f"mean {write.number(result.estimate_b)} against {write.number(result.estimate_a)}",
        f"difference {write.signed(result.difference)}",
        f"{interval_name(result.interval)} {interval_text(result.interval, write.signed)}",
        result.test_label,
        *_statistic(result.test, result.method, result.statistic, result.degrees),
        p_text(result),
        software(result),
    ]
    design = "" if result.design == "not given" else f" ({result.design})"
    return f"Over {counted(result.n, 'fold')}{design}, {_compared(result)} ({', '.join(numbers)})."


@sentence.register
def _(result: Estimate) -> str:
    write = Digits.of_interval(result.interval, result.estimate)
    interval = f"{interval_name(result.interval)} {interval_text(result.interval, write.number)}"
    found = f"{write.number(result.estimate)} ({interval}, {result.interval.method}, {software(result)})"
    return f"On {counted(result.n, 'item')}, {result.name} had {_article(result.measure_label)} of {found}."


def _article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' or noun[:2] in ('F1', 'F-', 'MC', 'MS', 'MA') else 'a'} {noun}"


@sentence.register
def _(result: AgainstChance) -> str:
    better = "more" if result.decision == "better" else "not significantly more"
    name = capital(result.name) if result.name == NAMELESS else result.name
    interval = f"{interval_name(result.interval)} {percent(result.interval.low)} to {percent(result.interval.high)} %"
    right = f"{result.right:,} of {result.n:,} items right ({percent(result.efficiency)} %, {interval})"
    return (
        f"{name} got {right}, {better} "
        f"than the {percent(result.expected_efficiency)} % expected by chance with the same margins "
        f"({result.method.replace('_', ' ')} test, {p_text(result)}, {software(result)})."
    )


@sentence.register
def _(result: Leaderboard) -> str:
    shown = sum(pair.shown for pair in result.pairs)
    pairs = f"{shown:,} of {counted(len(result.pairs), 'pair')} among {len(result.models):,} models"
    corrected = f", {CORRECTED[result.correction]} correction" if result.n_tests > 1 else ""
    return (
        f"On {counted(result.n, 'item')}, {pairs} differed significantly in {result.measure_label} at the "
        f"{100 * level(result):g} % level ({kind_of_test(result)}s{corrected}, "
        f"{software(result)}, seed {result.signature.seed})."
    )


@sentence.register
def _(result: DataSetComparison) -> str:
    found, pairs = result.friedman, sum(pair.decision != "not shown" for pair in result.pairs)
    differed = "differed" if result.decision == "different" else "did not differ significantly"
    return (
        f"Over {result.n:,} data sets, the ranks of {len(result.names):,} models {differed} (Friedman's test, "
        f"χ² = {found.statistic:.3g} on {degrees_of_freedom(*found.degrees)}, {p_text(result.permutation)}), and "
        f"{pairs:,} of {counted(len(result.pairs), 'pair')} differed (Wilcoxon's signed-rank test, "
        f"{CORRECTED[result.correction]} correction, {software(result)})."
    )


@singledispatch
def table(result: Result, summary: Summary) -> Grid:
    """Return the table for a paper: of most kinds the first one that the summary has."""
    for block in summary.blocks:
        if isinstance(block, Grid):
            return block
    raise NotApplicableError(f"A {type(result).__name__} has no table.", "a result with one", "to_markdown()")


@table.register(Comparison)
@table.register(FoldComparison)
def _two_models(result: Comparison | FoldComparison, summary: Summary) -> Grid:
    if isinstance(result, Comparison) and result.slices:
        return next(block for block in summary.blocks if isinstance(block, Grid))
    write = Digits.of(result)
    p = "–" if result.p_value is None else p_number(result.p_value)
    return Grid(
        ("model", result.measure_label, "difference", interval_name(result.interval), "p"),
        (
            (result.name_a, write.number(result.estimate_a), "", "", ""),
            (
                result.name_b,
                write.number(result.estimate_b),
                write.signed(result.difference),
                interval_text(result.interval, write.signed),
                p,
            ),
        ),
    )


@table.register
def _(result: Estimate, summary: Summary) -> Grid:
    write = Digits.of_interval(result.interval, result.estimate)
    row = (result.name, write.number(result.estimate), interval_text(result.interval, write.number))
    return Grid(("model", result.measure_label, interval_name(result.interval)), (row,))


@table.register
def _(result: AgainstChance, summary: Summary) -> Grid:
    shares = (result.efficiency, result.interval.low, result.interval.high, result.expected_efficiency)
    right, low, high, expected = (f"{percent(share)} %" for share in shares)
    head = ("classifier", "right", interval_name(result.interval), "by chance", "p")
    return Grid(head, ((result.name, right, f"{low} to {high}", expected, p_number(result.p_value)),))
