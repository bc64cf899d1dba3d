"""From a gate to words: pass, fail or undecided, and why."""

from __future__ import annotations

from clearwin.results.gate import Gate, GateCheck
from clearwin.significance import REGISTRY as TESTS
from clearwin.text import counted
from clearwin.words.base import ResultWords
from clearwin.words.methods import WITH_MARGIN, correction_rows
from clearwin.words.phrases import (
    CORRECTED,
    ONE_MODEL_EACH,
    THESE_ITEMS,
    Digits,
    interval_name,
    interval_text,
    margin_of,
    name_list,
    p_equals,
    p_number,
    repeat_row,
)
from clearwin.words.summary import Block, FactRows, Facts, Grid

OPENING = {
    "pass": "Pass: {b} may replace {a}",
    "fail": "Fail: {b} breaks a margin against {a}",
    "undecided": "Undecided: these items do not show whether {b} keeps its margins against {a}",
}
MOST_REASONS = 3
NUMBERS = ("difference", "interval", "margin", "p")
MARKS = {"pass": "pass", "fail": "FAIL", "undecided": "undecided", "not gating": "too few items"}


class GateWords(ResultWords[Gate]):
    """Pass, fail or undecided, and which checks say so."""

    def headline(self) -> str:
        return OPENING[self.result.outcome].format(a=self.result.name_a, b=self.result.name_b)

    def opening(self) -> tuple[str, ...]:
        deciding = [check for check in self.result.checks if check.outcome == self.result.outcome]
        if self.result.outcome == "pass":
            return (f"{self.headline()} ({counted(len(deciding), 'check')} passed).",)
        names = name_list([f"“{check.name}”" for check in deciding], 2)
        return (f"{self.headline()} ({names}).", *map(self.check_sentence, deciding[:MOST_REASONS]))

    def verdict(self) -> str:
        r = self.result
        uses = "" if r.uses is None else f", at use {r.uses:,} of this test set"
        judged = f"Each claim was judged at {r.alpha:.3g}{uses}, failures corrected by {CORRECTED[r.correction]}."
        return " ".join([*self.opening(), judged])

    def blocks(self) -> tuple[Block, ...]:
        r = self.result
        numbers = (r.name_a, r.name_b, *NUMBERS)
        rows = []
        for check in r.checks:
            p_of_failure = p_number(check.adjusted_p_fail, bound=check.p_fail_is_bound)
            rows.append((check.name, MARKS[check.outcome], f"{check.n:,}", *_numbers(check), p_of_failure))
        return (Grid(("check", "outcome", "items", *numbers, "p of failure"), tuple(rows)), Facts(self._rows()))

    def method(self) -> FactRows:
        return (
            ("gate", "passes if every claim holds (intersection–union test); fails if a contrary one is shown"),
            ("formula", WITH_MARGIN),
            *correction_rows(self.result.correction, len(self.result.checks)),
        )

    def limits(self) -> tuple[str, ...]:
        r = self.result
        passed = f"A pass does not show that {r.name_b} is better, only that it loses less than the margins."
        return (
            passed if r.outcome == "pass" else "Measures and slices without a check were not looked at.",
            THESE_ITEMS.format(n=r.n),
            ONE_MODEL_EACH,
        )

    def paper(self) -> str:
        r = self.result
        gating = [check for check in r.checks if check.outcome != "not gating"]
        passed, failed = (sum(check.outcome == outcome for check in gating) for outcome in ("pass", "fail"))
        worst = max(gating, key=lambda check: (check.outcome != "pass", check.p_pass))
        write = Digits.of(worst)
        numbers = [
            f"margin {margin_of(worst)}",
            f"difference {write.signed(worst.difference)}",
            f"{interval_name(worst.interval)} {interval_text(worst.interval, write.signed)}",
        ]
        parts = [
            f"intersection–union of {counted(len(gating), TESTS['items'][r.signature.test].label)} at {r.alpha:.3g}",
            f"largest {p_equals(worst.p_pass, bound=worst.p_pass_is_bound)} for “{worst.name}”, {', '.join(numbers)}",
            f"{CORRECTED[r.correction]} correction of failures",
            ", ".join(self.seeded()),
        ]
        broken = f"{failed:,}" if failed else "none"
        outcome = {"pass": "passed", "fail": "failed", "undecided": "was undecided"}[r.outcome]
        return (
            f"On {counted(r.n, 'item')}, {r.name_b} kept {passed:,} of {counted(len(gating), 'preset margin')} "
            f"against {r.name_a} and broke {broken}, so the gate {outcome} ({'; '.join(parts)})."
        )

    def table(self) -> Grid:
        r = self.result
        sized = any(check.n != r.n for check in r.checks)
        numbers = (r.name_a, r.name_b, *NUMBERS)
        rows = (
            (check.name, *([f"{check.n:,}"] if sized else []), *_numbers(check), MARKS[check.outcome].lower())
            for check in r.checks
        )
        return Grid(("check", *(["items"] if sized else []), *numbers, "outcome"), tuple(rows))

    def check_sentence(self, check: GateCheck) -> str:
        """Say in a sentence what one check shows."""
        a, b, write = self.result.name_a, self.result.name_b, Digits.of(check)
        items = counted(check.n, "item")
        values = f"{write.number(check.estimate_b)} against {write.number(check.estimate_a)} on {items}"
        if check.identical:
            return f"{check.name}: both models gave the same answer to every item."
        if check.outcome == "fail":
            beyond = f"differs from {a}" if check.claim == "equivalent" else f"is worse than {a}"
            p = p_equals(check.adjusted_p_fail, bound=check.p_fail_is_bound)
            return f"{check.name}: {b} {beyond} by more than {margin_of(check)} ({values}, corrected {p})."
        p = p_equals(check.p_pass, bound=check.p_pass_is_bound)
        if check.outcome == "pass":
            return f"{check.name}: within {margin_of(check)} ({values}, {p})."
        if check.outcome == "not gating":
            return f"{check.name}: too few items to count ({values})."
        label = check.measure_label
        needed = f"; {label} is undefined or unbounded here, so how many would decide it cannot be estimated"
        if check.items_needed is not None:
            needed = f"; if both are equally good, about {check.items_needed:,} items would decide it"
        return f"{check.name}: not decided at a margin of {margin_of(check)} ({values}, {p}{needed})."

    def _rows(self) -> FactRows:
        r = self.result
        undecided = [check for check in r.checks if check.outcome == "undecided" and check.items_needed is not None]
        needed = [f"{check.items_needed:,} for “{check.name}”" for check in undecided]
        return (
            *([("items that would decide", name_list(needed))] if needed else []),
            ("level", f"{r.alpha:.3g}" + ("" if r.uses is None else f", use {r.uses:,} of this test set")),
            *([("baseline", r.baseline)] if r.baseline else []),
            *([("test set", r.test_set)] if r.test_set else []),
            ("items", f"{r.n:,}"),
            repeat_row(r.signature),
        )


def _numbers(check: GateCheck) -> tuple[str, ...]:
    """Return both values, their difference, its interval, the margin and the p-value of a check."""
    write = Digits.of(check)
    return (
        write.number(check.estimate_a),
        write.number(check.estimate_b),
        write.signed(check.difference),
        interval_text(check.interval, write.signed),
        str(margin_of(check)),
        p_number(check.p_pass, bound=check.p_pass_is_bound),
    )
