"""One monotone p(δ) for every measure, design and claim, and intervals that are nested in the level."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import clearwin as cw
from clearwin.errors import ClearwinError
from clearwin.numerics import pvalues
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.significance import studentised
from clearwin.significance.claims import PValueFunction
from clearwin.significance.envelope import Envelope

DESIGNS = ("independent", "groups", "strata", "both", "crossed")
OF_DECISIONS = ("accuracy", "f1", "mcc", "precision", "balanced_accuracy", "macro_f1")
OF_SCORES = ("auc", "average_precision", "partial_auc", "eer", "min_dcf", "brier")
LEVELS = (0.8, 0.9, 0.93, 0.95, 0.97, 0.99)
MARGINS = (0.001, 0.01, 0.03, 0.05, 0.1, 0.2)
QUICK: dict[str, Any] = {"n_resamples": 199, "rng": 1, "test": "studentised"}


def random_question(rng: np.random.Generator, design: str, measure: str) -> tuple[Any, dict[str, Any]]:
    """Return truth and two models of few items in few groups, which are the hardest, and the question about them."""
    n, few = int(rng.integers(20, 120)), int(rng.integers(4, 25))
    truth = rng.random(n) < rng.uniform(0.1, 0.6)
    truth[:6] = [True, True, True, False, False, False]
    both = rng.normal(size=n) + truth * rng.uniform(0.5, 2.0)
    models = [both + rng.normal(size=n) * 0.6 + truth * rng.uniform(-0.3, 0.6) for _ in "ab"]
    models = [1 / (1 + np.exp(-x)) if measure in OF_SCORES else (x > 0.7).astype(int) for x in models]
    groups = rng.integers(0, few, n)
    designs: dict[str, dict[str, Any]] = {
        "independent": {},
        "groups": {"groups": groups},
        "strata": {"strata": rng.integers(0, 3, n)},
        "both": {"groups": groups, "strata": groups % 3},
        "crossed": {"groups": [groups, rng.integers(0, 6, n)]},
    }
    return (truth.astype(int), *models), {"measure": measure, **designs[design], **QUICK}


def contradictions(columns: Any, how: dict[str, Any], *, relative: bool) -> list[str]:
    """Return the claims whose p-value moves the wrong way with the margin, or whose intervals are not nested."""
    margins = [f"{100 * margin}%" for margin in MARGINS] if relative else MARGINS
    found = []
    for claim, falls in (("not_worse", True), ("equivalent", True), ("better", False), ("worse", False)):
        p = [cw.compare(*columns, claim=claim, margin=margin, **how).p_value for margin in margins]
        if p != sorted(p, reverse=falls):
            found.append(f"{claim}: {p}")
    if not relative:
        for claim in ("different", "better", "worse"):
            ends = [cw.compare(*columns, claim=claim, confidence_level=level, **how).interval for level in LEVELS]
            if any(one.low < other.low or one.high > other.high for one, other in pairwise(ends)):
                found.append(f"{claim}: {ends}")
    return found


def functions(columns: Any, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[PValueFunction]:
    """Yield what judges a margin, in the measure's own units and in per cent of A's value."""
    made = studentised._function_at_margin
    kept: list[PValueFunction] = []
    monkeypatch.setattr(studentised, "_function_at_margin", lambda question: kept.append(made(question)) or kept[-1])
    for margin in (0.05,):
        cw.compare(*columns, claim="not_worse", margin=margin, **how)
        yield kept[-1]


@pytest.mark.parametrize("measure", ["f1", "partial_auc"])
@pytest.mark.parametrize("design", DESIGNS[1:])
def test_p_never_rises_further_out(design: str, measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns, how = random_question(np.random.default_rng(14), design, measure)
    for p in functions(columns, how, monkeypatch):
        steps = np.random.default_rng(1).normal(size=20) * 2.0 * p.error
        below, above = np.sort(p.observed - abs(steps)), np.sort(p.observed + abs(steps))
        everywhere = np.concatenate([below, above])
        for claim, line in (("better", everywhere[::-1]), ("worse", everywhere), ("different", above)):
            sizes = [p.p_value(float(delta), claim).log10 for delta in line]
            assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("design", ["strata", "groups"])
def test_no_claim_holds_at_one_margin_and_fails_at_an_easier_one(design: str) -> None:
    columns, how = random_question(np.random.default_rng(2), design, "precision")
    assert contradictions(columns, how, relative=False) == []


@pytest.mark.study
@pytest.mark.parametrize("measure", OF_DECISIONS + OF_SCORES)
@pytest.mark.parametrize("design", DESIGNS[1:])
def test_no_measure_contradicts_itself_in_any_design(design: str, measure: str) -> None:
    for seed in range(20):
        columns, how = random_question(np.random.default_rng(seed), design, measure)
        try:
            assert contradictions(columns, how, relative=False) == []
        except ClearwinError:  # nothing varies
            continue


class Wavy(Envelope):
    """p falls with the distance, but for a bump at one standard error and another one far out."""

    method, observed, error, degrees, why = "wavy", 0.0, 1.0, 1e6, ""

    def __init__(self, *, smooth: bool) -> None:
        self.smooth = smooth

    def t(self, delta: float) -> float:
        return -delta

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        return False

    def is_smooth(self, delta: float) -> bool:
        return self.smooth

    def alone(self, delta: float, claim: Claim) -> PValue:
        bump = 0.8 if 0.9 < abs(delta) < 1.2 or 6.0 < abs(delta) < 9.0 else 0.0
        return pvalues.of_normal(-delta * (1.0 - bump), 1.0, claim)


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("claim", ["better", "worse", "different"])
def test_a_bump_raises_what_is_nearer_and_one_far_out_raises_nothing(claim: Claim, smooth: bool) -> None:
    wavy = Wavy(smooth=smooth)
    sides = [np.linspace(0.0, 12.0, 241), np.linspace(0.0, -12.0, 241)]
    out = sides[claim == "better"]
    lines = sides if claim == "different" else [np.concatenate([-out[:0:-1], out])]
    for line in lines:
        p = [wavy.p_value(float(delta), claim).log10 for delta in line]
        assert all(b <= a + 1e-12 for a, b in pairwise(p))
    way = 1.0 if out[-1] > 0.0 else -1.0
    assert wavy.p_value(0.5 * way, claim).value >= wavy.alone(1.01 * way, claim).value
    assert wavy.p_value(7.5 * way, claim).value <= wavy.alone(5.5 * way, claim).value


def test_where_p_is_monotone_already_it_stays_as_it_is() -> None:
    class Plain(Wavy):
        def alone(self, delta: float, claim: Claim) -> PValue:
            return pvalues.of_normal(-delta, 1.0, claim)

    plain = Plain(smooth=True)
    for delta in np.linspace(-2.9, 2.9, 59):
        for claim in ("better", "worse", "different"):
            assert plain.p_value(float(delta), claim) == plain.alone(float(delta), claim)
