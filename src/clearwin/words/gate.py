"""From a gate to words: pass, fail or undecided, and why."""

from __future__ import annotations

from clearwin.results.gate import Gate, GateCheck
from clearwin.text import counted
from clearwin.words.base import words_of
from clearwin.words.methods import WITH_MARGIN, correction_rows
from clearwin.words.phrases import CORRECTED, Digits, few, interval_text, margin_of, p_equals, p_number, repeat_row
from clearwin.words.summary import Facts, Grid, Summary

OPENING = {
    "pass": "Pass: {b} may replace {a}",
    "fail": "Fail: {b} breaks a margin against {a}",
    "undecided": "Undecided: these items do not show whether {b} keeps its margins against {a}",
}
MOST_REASONS = 3
MARKS = {"pass": "pass", "fail": "FAIL", "undecided": "undecided", "not gating": "too few items"}


@words_of.register
def _(result: Gate) -> Summary:
    same = [one for one in result.checks if one.outcome == result.outcome]
    which = (
        f"{counted(len(same), 'check')} passed"
        if result.outcome == "pass"
        else few([f"“{one.name}”" for one in same], 2)
    )
    reasons = [] if result.outcome == "pass" else [sentence(result, one) for one in same[:MOST_REASONS]]
    opening = (f"{OPENING[result.outcome].format(a=result.name_a, b=result.name_b)} ({which}).", *reasons)
    return Summary(
        opening=opening,
        verdict=" ".join([*opening, _how(result)]),
        blocks=(_table(result), Facts(_rows(result))),
        method=(
            ("gate", "passes if every claim holds (intersection–union test); fails if a contrary one is shown"),
            ("formula", WITH_MARGIN),
            *correction_rows(result.correction, len(result.checks)),
        ),
    )


def sentence(result: Gate, one: GateCheck) -> str:
    """Say in a sentence what one check shows."""
    a, b, write = result.name_a, result.name_b, Digits.of(one)
    values = f"{write.number(one.estimate_b)} against {write.number(one.estimate_a)} on {counted(one.n, 'item')}"
    if one.identical:
        return f"{one.name}: both models gave the same answer to every item."
    if one.outcome == "fail":
        beyond = f"differs from {a}" if one.claim == "equivalent" else f"is worse than {a}"
        p = p_equals(one.adjusted_p_fail, bound=one.p_fail_is_bound)
        return f"{one.name}: {b} {beyond} by more than {margin_of(one)} ({values}, corrected {p})."
    p = p_equals(one.p_pass, bound=one.p_pass_is_bound)
    if one.outcome == "pass":
        return f"{one.name}: within {margin_of(one)} ({values}, {p})."
    if one.outcome == "not gating":
        return f"{one.name}: too few items to count ({values})."
    needed = f"; {one.measure_label} is undefined or unbounded here, so how many would decide it cannot be estimated"
    if one.items_needed is not None:
        needed = f"; if both are equally good, about {one.items_needed:,} items would decide it"
    return f"{one.name}: not decided at a margin of {margin_of(one)} ({values}, {p}{needed})."


def _how(result: Gate) -> str:
    uses = "" if result.uses is None else f", at use {result.uses:,} of this test set"
    return f"Each claim was judged at {result.alpha:.3g}{uses}, failures corrected by {CORRECTED[result.correction]}."


def _table(result: Gate) -> Grid:
    head = (
        "check",
        "outcome",
        "items",
        result.name_a,
        result.name_b,
        "difference",
        "interval",
        "margin",
        "p",
        "p of failure",
    )
    rows = []
    for one in result.checks:
        write = Digits.of(one)
        rows.append(
            (
                one.name,
                MARKS[one.outcome],
                f"{one.n:,}",
                write.number(one.estimate_a),
                write.number(one.estimate_b),
                write.signed(one.difference),
                interval_text(one.interval, write.signed),
                str(margin_of(one)),
                p_number(one.p_pass, bound=one.p_pass_is_bound),
                p_number(one.adjusted_p_fail, bound=one.p_fail_is_bound),
            )
        )
    return Grid(head, tuple(rows))


def _rows(result: Gate) -> tuple[tuple[str, str], ...]:
    undecided = [one for one in result.checks if one.outcome == "undecided" and one.items_needed is not None]
    needed = [f"{one.items_needed:,} for “{one.name}”" for one in undecided]
    return (
        *([("items that would decide", few(needed))] if needed else []),
        ("level", f"{result.alpha:.3g}" + ("" if result.uses is None else f", use {result.uses:,} of this test set")),
        *([("baseline", result.baseline)] if result.baseline else []),
        *([("test set", result.test_set)] if result.test_set else []),
        ("items", f"{result.n:,}"),
        repeat_row(result.signature),
    )
