"""Claims with a margin: not worse, equivalent, better or worse by more than it; one p-value function, one interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import brentq
from scipy.stats import norm
from statsmodels.stats.weightstats import ttost_paired

import clearwin as cw
from clearwin.analyses.compare import compare_tally
from clearwin.cli import main
from clearwin.errors import NotApplicableError, OptionError

QUICK: dict[str, Any] = {"n_resamples": 1_000, "rng": 1}


def test_equivalent_means_are_two_one_sided_t_tests() -> None:
    """statsmodels has them; with 2,000 normal differences the drawn t is Student's to a point."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=2_000)
    b = a + rng.normal(0.01, 0.5, 2_000)
    for margin in (0.02, 0.03, 0.05):
        p, *_ = ttost_paired(b, a, -margin, margin)
        r = cw.compare(None, a, b, measure="mean", claim="equivalent", margin=margin, rng=1)
        assert r.p_value == pytest.approx(p, abs=0.01)
        assert r.decision == ("equivalent" if r.p_value <= 0.05 else "not shown")


def test_many_items_are_judged_by_the_shifted_normal() -> None:
    joint = cw.JointCounts(e1=9_000, e2=300, e3=280, e4=700, e5=350, e6=400, e7=400, e8=9_000)
    r = cw.compare(joint, measure="accuracy", claim="not_worse", margin=0.005, rng=1)
    n = joint.n
    wins, losses = joint.only_a_wrong, joint.only_b_wrong
    d = (wins - losses) / n
    error = np.sqrt((wins + losses) / n - d * d) / np.sqrt(n)
    assert r.p_value == pytest.approx(norm.sf((d + 0.005) / error), rel=0.1)
    assert r.interval.low == pytest.approx(d - 1.645 * error, abs=0.02 * error)


MEASURES = ["accuracy", "f1", "dcf(cost_fn=10, cost_fp=1, prior=0.1)", "auc", "mean", "groups"]


@pytest.mark.parametrize("measure", MEASURES)
def test_p_value_and_interval_never_contradict_each_other(measure: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(12):
        n = int(rng.integers(30, 300))
        truth = rng.random(n) < 0.4
        truth[:2] = [True, False]
        a, b = (rng.normal(size=n) + truth * rng.uniform(0.5, 2.0) for _ in "ab")
        margin = float(rng.uniform(0.01, 0.2))
        groups = None
        name = measure
        if measure == "groups":
            name, groups = "f1", np.arange(n) % 15
        if name not in ("auc", "mean"):
            a, b = a > 0.7, b > 0.7
        for claim in ("not_worse", "equivalent", "worse", "better"):
            how: dict[str, Any] = {"measure": name, "claim": claim, "margin": margin, "groups": groups}
            r = cw.compare(None if name == "mean" else truth * 1, a * 1.0, b * 1.0, **how, **QUICK)
            low, high = r.interval.low, r.interval.high
            if not r.higher_is_better:
                low, high = -high, -low
            kept = {
                "not_worse": low > -margin,
                "equivalent": low > -margin and high < margin,
                "worse": high < -margin,
                "better": low > margin,
            }
            assert (r.p_value <= 0.05) == kept[claim]
            assert (r.decision in ("not shown", "not decided")) == (not kept[claim])


def at_the_margin(measure: str, margin: float) -> dict[tuple[int, int, int], float]:
    """Make two models of which B is worse by just the margin: found by hand, without clearwin."""

    def outcomes(recall: float) -> dict[tuple[int, int, int], float]:
        found = {}
        for y, of_a, of_b, share in ((1, 0.8, recall, 0.3), (0, 0.1, 0.1 + 0.4 * (0.8 - recall), 0.7)):
            both = 0.6 * min(of_a, of_b) + 0.4 * of_a * of_b
            shares = {(1, 1): both, (1, 0): of_a - both, (0, 1): of_b - both, (0, 0): 1 - of_a - of_b + both}
            found |= {(y, *key): share * value for key, value in shares.items()}
        return found

    def value(found: dict[tuple[int, int, int], float], model: int) -> float:
        tp = sum(share for key, share in found.items() if key[0] == 1 == key[model])
        wrong = sum(share for key, share in found.items() if key[0] != key[model])
        return 1 - wrong if measure == "accuracy" else 2 * tp / (2 * tp + wrong)

    def gap(recall: float) -> float:
        found = outcomes(recall)
        return value(found, 2) - value(found, 1) + margin

    return outcomes(brentq(gap, 0.05, 0.8))


def shown(measure: str, n: int, sets: int, seed: int) -> float:
    population = at_the_margin(measure, 0.05)
    rng = np.random.default_rng(seed)
    found = 0
    for counts in rng.multinomial(n, list(population.values()), sets).tolist():
        tally = {key: count for key, count in zip(population, counts, strict=True) if count}
        how: dict[str, Any] = {"measure": measure, "positive": 1, "claim": "not_worse", "margin": 0.05}
        found += compare_tally(tally, **how, n_resamples=600, rng=1).p_value <= 0.05
    return found / sets


@pytest.mark.parametrize("measure", ["accuracy", "f1"])
def test_what_lies_on_the_margin_is_seldom_shown_to_be_better_than_it(measure: str) -> None:
    """150 test sets of 100 items: 5 % and three binomial standard errors are 10.3 %."""
    assert shown(measure, 100, 150, 3) <= 0.103


@pytest.mark.study
@pytest.mark.parametrize("measure", ["accuracy", "f1"])
@pytest.mark.parametrize("n", [50, 200, 1_000, 5_000])
def test_the_level_at_the_margin(measure: str, n: int) -> None:
    """1,000 test sets: 6 % and three binomial standard errors are 8.2 %."""
    assert shown(measure, n, 1_000, n) <= 0.082


def test_a_claim_says_what_it_needs() -> None:
    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    with pytest.raises(OptionError, match="There is no margin"):
        cw.compare(joint, claim="not_worse")
    with pytest.raises(OptionError, match="the claim is that the models are different"):
        cw.compare(joint, margin=0.01)
    for margin in (0, -0.1, "x", True, float("inf")):
        with pytest.raises(OptionError, match="margin is"):
            cw.compare(joint, claim="equivalent", margin=margin)
    with pytest.raises(NotApplicableError, match="tests for any difference at all"):
        cw.compare(joint, measure="accuracy", claim="not_worse", margin=0.01, test="mcnemar")


def test_the_words_are_from_a_closed_list() -> None:
    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    told = {
        (claim, margin): cw.compare(joint, measure="accuracy", claim=claim, margin=margin, rng=1).verdict()
        for claim in ("not_worse", "equivalent", "worse")
        for margin in (0.05, 0.005)
    }
    assert told["not_worse", 0.05].startswith("B is not worse than A in accuracy by 0.05 or more (")
    assert told["not_worse", 0.005].startswith("It is not decided whether B is worse than A in accuracy by 0.005 or ")
    assert told["equivalent", 0.05].startswith("B and A are equivalent in accuracy, as they differ by less than 0.05 (")
    assert told["worse", 0.05].startswith("It is not decided whether B is worse than A in accuracy by more than 0.05")
    assert "null hypothesis is that B is worse than A in accuracy by 0.05 or more" in told["not_worse", 0.05]
    better = cw.compare(
        [1] * 60 + [0] * 60, [0] * 120, [1] * 60 + [0] * 60, measure="accuracy", claim="not_worse", margin=0.01, **QUICK
    )
    assert better.decision == "better"
    assert "B is better than A in accuracy, and so not worse by 0.01 or more" in better.verdict()


def test_the_command_claims_with_a_margin(tmp_path: Any) -> None:
    path = tmp_path / "p.csv"
    rows = ["y,old,new"] + ["1,1,1"] * 90 + ["1,1,0"] + ["1,0,1"] * 2 + ["0,0,0"] * 100 + ["0,1,0", "0,0,1"]
    path.write_text("\n".join(rows) + "\n")
    words = ["compare", str(path), "--truth", "y", "--a", "old", "--b", "new", "--measure", "accuracy", "--seed", "1"]
    found = CliRunner().invoke(main, [*words, "--claim", "not_worse", "--margin", "0.05", "--n-resamples", "500"])
    assert found.output.startswith(
        "new is not worse than old in accuracy by 0.05 or more (0.990 against 0.985, p ≤ "
    ), found.output
    found = CliRunner().invoke(main, [*words, "--claim", "not_worse"])
    assert "There is no margin" in found.output
    assert found.exit_code == 2
