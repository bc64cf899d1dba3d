"""gate: pass, fail or undecided; few false alarms, whatever the number of checks."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import clearwin as cw
from clearwin.analyses.gate import Check, Rules, gated
from clearwin.errors import OptionError, UnknownNameError

QUICK: dict[str, Any] = {"n_resamples": 500, "rng": 1}
Arrays = tuple[Any, Any, Any]


def models(n: int = 800, better: float = 0.0, seed: int = 1) -> Arrays:
    """Two models that share most of their answers; B is right more often by about so much."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    a = np.where(rng.random(n) < 0.85, truth, 1 - truth)
    redrawn = rng.random(n) < 0.3
    b = np.where(redrawn, np.where(rng.random(n) < 0.85 + better / 0.3, truth, 1 - truth), a)
    return truth, a, b


CHECKS = [
    {"measure": "f1", "margin": 0.05},
    {"measure": "accuracy", "margin": 0.05},
    {"measure": "mcc", "margin": 0.1, "claim": "equivalent"},
]


def test_each_check_is_what_compare_says() -> None:
    found = cw.gate(*models(), checks=CHECKS, **QUICK)
    for check, asked in zip(found.checks, CHECKS, strict=True):
        how: dict[str, Any] = {"measure": asked["measure"], "margin": asked["margin"], **QUICK}
        claimed = cw.compare(*models(), claim=asked.get("claim", "not_worse"), **how)
        worse, better = (cw.compare(*models(), claim=claim, **how).p_value for claim in ("worse", "better"))
        assert (check.p_pass, check.interval) == (claimed.p_value, claimed.interval)
        assert check.p_fail == (min(1.0, 2 * min(worse, better)) if "claim" in asked else worse)
    corrected = multipletests([check.p_fail for check in found.checks], method="holm")[1]
    assert [check.adjusted_p_fail for check in found.checks] == pytest.approx(corrected)


def test_outcomes_and_exit_codes() -> None:
    passed = cw.gate(*models(better=0.02), measure="accuracy", margin=0.05, **QUICK)
    failed = cw.gate(*models(better=-0.15), measure="accuracy", margin=0.02, **QUICK)
    undecided = cw.gate(*models(n=60), measure="accuracy", margin=0.01, **QUICK)
    assert [(one.outcome, one.exit_code) for one in (passed, failed, undecided)] == [
        ("pass", 0),
        ("fail", 1),
        ("undecided", 3),
    ]
    assert undecided.checks[0].items_needed is not None
    assert undecided.checks[0].items_needed > 60
    assert "items would decide it" in undecided.verdict()


def test_one_failure_fails_and_all_must_pass() -> None:
    truth, a, b = models(better=-0.15)
    both = [{"measure": "accuracy", "margin": 0.02}, {"measure": "f1", "margin": 0.5}]
    found = cw.gate(truth, a, b, checks=both, **QUICK)
    assert [one.outcome for one in found.checks] == ["fail", "pass"]
    assert found.outcome == "fail"


@pytest.mark.parametrize("measure", ["accuracy", "f1", "auc", "mean"])
def test_a_model_against_itself_always_passes(measure: str) -> None:
    truth, a, _ = models(n=40)
    first = None if measure == "mean" else truth
    found = cw.gate(first, a * 1.0, a * 1.0, measure=measure, margin=1e-6, **QUICK)
    assert found.outcome == "pass"
    assert found.checks[0].identical


def test_a_model_against_itself_passes_in_every_slice_too() -> None:
    truth, a, _ = models(n=200)
    found = cw.gate(truth, a, a, measure="f1", margin=1e-6, by=np.arange(200) % 2, **QUICK)
    assert [one.outcome for one in found.checks] == ["pass"] * 3


def test_small_slices_are_reported_and_do_not_count() -> None:
    truth, a, b = models(n=800)
    where = np.array(["big"] * 780 + ["small"] * 20)
    b[780:] = 1 - truth[780:]
    found = cw.gate(truth, a, b, measure="accuracy", margin=0.05, by=where, **QUICK)
    outcomes = {one.name.rpartition(" ")[2]: one.outcome for one in found.checks[1:]}
    assert outcomes["small"] == "not gating"
    assert found.outcome != "fail"
    assert "small" in str(found)
    assert cw.gate(truth, a, b, measure="accuracy", margin=0.05, by=where, min_slice=10, **QUICK).outcome == "fail"


def false_alarms(runs: int, seed: int) -> float:
    """Ten checks on models that are equal: answers swapped by a fair coin."""
    rng = np.random.default_rng(seed)
    checks = [
        {"measure": name, "margin": margin}
        for name in ("accuracy", "f1", "mcc", "balanced_accuracy", "precision")
        for margin in (0.001,)
    ]
    checks += [{**one, "claim": "equivalent"} for one in checks]
    failed = 0
    for _ in range(runs):
        truth, a, b = models(n=200, seed=int(rng.integers(2**31)))
        swap = rng.random(200) < 0.5
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        failed += cw.gate(truth, a, b, checks=checks, n_resamples=200, rng=1).outcome == "fail"
    return failed / runs


@pytest.mark.parametrize(("runs", "most"), [(4, 2), pytest.param(30, 6, marks=pytest.mark.study)])
def test_equal_models_seldom_fail(runs: int, most: int) -> None:
    """Gates of ten checks: of 5 % a binomial has at most so many with probability .9995 of 4, and .9995 of 30."""
    assert false_alarms(runs, 2) <= most / runs


@pytest.mark.study
def test_a_thousand_gates_of_equal_models() -> None:
    """1,000 gates of ten checks fail at most alpha, 5 %."""
    found = false_alarms(1_000, 3)
    assert found <= 0.05


def test_assert_not_worse_says_the_verdict() -> None:
    kept: dict[str, Any] = {}
    found = cw.assert_not_worse(*models(better=0.02), measure="accuracy", margin=0.05, record_property=kept.__setitem__)
    assert found.outcome == "pass"
    assert kept["clearwin.accuracy, not worse.outcome"] == "pass"
    with pytest.raises(AssertionError, match="Fail: B breaks a margin against A"):
        cw.assert_not_worse(*models(better=-0.15), measure="accuracy", margin=0.02, **QUICK)
    with pytest.raises(AssertionError, match="Undecided"):
        cw.assert_not_worse(*models(n=60), measure="accuracy", margin=0.01, **QUICK)
    assert cw.assert_not_worse(*models(n=60), margin=0.01, undecided="pass", **QUICK).outcome == "undecided"


def test_what_a_gate_needs() -> None:
    arrays = models(n=60)
    with pytest.raises(OptionError, match="There is no margin"):
        cw.gate(*arrays)
    with pytest.raises(OptionError, match="The check of f1 has no margin"):
        cw.gate(*arrays, checks=[{"measure": "f1"}])
    with pytest.raises(UnknownNameError, match="'margn'"):
        cw.gate(*arrays, checks=[{"measure": "f1", "margn": 0.1}])
    with pytest.raises(UnknownNameError, match="claim of a gate"):
        cw.gate(*arrays, margin=0.1, claim="better")
    with pytest.raises(OptionError, match="occurs twice"):
        cw.gate(*arrays, checks=[{"measure": "f1", "margin": 0.1}] * 2, **QUICK)
    with pytest.raises(OptionError, match="There are no checks"):
        cw.gate(*arrays, checks=[])


def test_numbers_go_to_a_tracker() -> None:
    class Run:
        def __init__(self) -> None:
            self.metrics: dict[str, float] = {}

        def log_metrics(self, metrics: dict[str, float]) -> None:
            self.metrics |= metrics

    run = Run()
    found = cw.compare(*models(n=60), measure="accuracy", **QUICK)
    found.log_to(run, prefix="eval")
    assert run.metrics["eval/p_value"] == found.p_value
    assert run.metrics["eval/interval/low"] == found.interval.low
    cw.gate(*models(n=60), margin=0.1, **QUICK).log_to(run)
    assert run.metrics["clearwin/checks/F1, not worse/margin"] == 0.1
    with pytest.raises(cw.errors.NotApplicableError, match="neither log_metrics nor log"):
        found.log_to(object())


def test_how_many_items_is_not_estimated_from_a_measure_that_is_undefined():
    """A never predicts the positive class: its precision is 0/0 and was set to 0, from which nothing follows."""
    rng = np.random.default_rng(1)
    truth = [1] * 10 + [0] * 390
    a, b = [0] * 400, (rng.random(400) < 0.1) * 1
    found = cw.gate(truth, a, b, measure="precision", margin=0.02, n_resamples=300, rng=1)
    assert found.outcome == "undecided"
    assert found.checks[0].items_needed is None
    for text in (found.verdict(), str(found)):
        assert "items would decide it" not in text
        assert "how many would decide it cannot be estimated" in " ".join(text.split())
    slices = ["small"] * 60 + ["large"] * 340
    truth = [1] * 10 + [0] * 50 + [1, 0] * 170
    a = [0] * 60 + [int(x) for x in rng.random(340) < 0.5]
    b = [int(x) for x in rng.random(400) < 0.4]
    found = cw.gate(truth, a, b, measure="precision", margin=0.02, by=slices, n_resamples=300, rng=1)
    needed = {one.name: one.items_needed for one in found.checks}
    assert needed["precision, not worse, slice small"] is None
    assert needed["precision, not worse, slice large"] > 340


@pytest.mark.parametrize("use", [1, 18, 100])
def test_a_worn_test_set_still_decides(use: int) -> None:
    """At use 100 the level is 3 in a million: a drop of a third of F1 fails, and equal models do not."""
    rules, check = Rules(uses=use), Check("f1", 0.02)
    rng = np.random.default_rng(use)
    truth = (rng.random(400) < 0.3).astype(int)
    a, noise = (np.where(rng.random(400) < 0.9, truth, 1 - truth) for _ in range(2))
    dropped = np.where((truth == 1) & (rng.random(400) < 0.55), 0, a)
    found = gated(partial(cw.compare, truth, a, dropped, **QUICK), [check], rules)
    assert found.checks[0].difference < -0.25
    assert found.outcome == "fail"
    assert np.isfinite(found.checks[0].interval.low)
    assert found.checks[0].interval.low > -1.0
    assert gated(partial(cw.compare, truth, a, noise, **QUICK), [check], rules).outcome != "fail"
