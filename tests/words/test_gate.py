"""A gate in words: one opening for each outcome, and at most three reasons."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.one_of_each import gate


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("pass", "Pass: new may"), ("fail", "Fail: new breaks a margin against old"), ("undecided", "Undecided")],
)
def test_the_outcome_comes_first(outcome: str, words: str) -> None:
    found = gate()
    checks = tuple(replace(found.checks[0], name=f"check {i}", outcome=outcome) for i in range(5))
    told = replace(found, outcome=outcome, checks=checks).verdict()
    assert told.startswith(words)
    reasons = sum(f"check {i}: " in told for i in range(5))
    assert reasons == (0 if outcome == "pass" else 3)
    assert ("(“check 0”, “check 1” and 3 more)" in told) == (outcome != "pass")


def test_items_that_would_decide_are_told() -> None:
    found = gate()
    checks = tuple(replace(one, outcome="undecided", items_needed=1_234) for one in found.checks)
    text = str(replace(found, outcome="undecided", checks=checks))
    assert "if both are equally good, about 1,234 items would decide it" in " ".join(text.split())
    assert "items that would decide" in text


def test_a_gate_names_its_weakest_claim():
    """The p-value of an intersection–union test is the largest of its parts (Berger 1982)."""
    found = gate()
    weakest = max(found.checks, key=lambda one: one.p_pass)
    told = found.verdict(style="paper")
    assert "new kept 1 of 2 preset margins against old and broke none, so the gate was undecided" in told
    assert "intersection–union of 2 studentised tests at 0.05" in told
    assert f"largest p = {weakest.p_pass:#.3g} for “{weakest.name}”, margin 0.02" in told
