"""Preferences: win rates with ties against scipy's binomial test, who was shown first against brute force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

import clearwin as cw
from clearwin.cli import main
from clearwin.data.preferences import Battles
from clearwin.errors import DataError, OptionError

WINNER = ["new"] * 58 + ["old"] * 35 + ["tie"] * 7


def test_the_sign_test_of_battles_is_scipys_binomial_test() -> None:
    r = cw.compare(WINNER, "old", "new", measure="win_rate", test="sign", n_resamples=200, rng=1)
    assert r.p_value == pytest.approx(stats.binomtest(58, 93).pvalue)
    assert (r.estimate_a, r.estimate_b) == pytest.approx((0.385, 0.615))
    assert (r.name_a, r.name_b) == ("old", "new")
    assert "new wins 58, old wins 35, ties 7" in str(r)


def test_the_default_is_a_t_test_of_points_and_tells_the_win_rate() -> None:
    r = cw.compare(WINNER, "old", "new", measure="win_rate", rng=1)
    points = np.array([1.0] * 58 + [0.0] * 35 + [0.5] * 7)
    t = stats.ttest_1samp(points, 0.5)
    assert r.statistic == pytest.approx(t.statistic, rel=0.02)  # with half an item added each way
    assert r.p_value == pytest.approx(t.pvalue, abs=0.01)
    low, high = ((1 + end) / 2 for end in (r.interval.low, r.interval.high))
    assert (low, high) == pytest.approx(t.confidence_interval(0.95), abs=0.01)
    assert f"new 0.615, 95 % interval {low:.3f} to {high:.3f}" in str(r)
    assert r.decision == "better"
    turned = cw.compare(WINNER, "new", "old", measure="win_rate", rng=1)
    assert (turned.p_value, turned.difference) == (r.p_value, -r.difference)


@pytest.mark.parametrize(
    ("winner", "points"),
    [
        (["A", "B", "tie"], [0, 1, 0.5]),
        (["model_a", "model_b", "tie (bothbad)"], [0, 1, 0.5]),  # Chatbot Arena
        ([1, 2, 1.5, 0], [0, 1, 0.5, 0.5]),  # AlpacaEval
        ([1.0, 1.25, 1.9, 2.0], [0, 0.25, 0.9, 1]),  # ... weighted
    ],
)
def test_who_won_is_read_as_tools_write_it(winner: list[Any], points: list[float]) -> None:
    assert Battles(winner, ("A", "B")).points.tolist() == pytest.approx(points)


def test_zero_and_one_are_read_when_it_is_said_which_is_b() -> None:
    assert Battles([0, 1, 1], (0, 1)).points.tolist() == [0.0, 1.0, 1.0]
    with pytest.raises(DataError, match="not given which of them is B"):
        cw.compare([0, 1, 1], measure="win_rate")


def biased(n: int, worth: float, seed: int) -> tuple[list[str], list[str]]:
    """Battles of equal models; the one shown first wins more often, by so much."""
    rng = np.random.default_rng(seed)
    first = np.where(np.arange(n) % 2 == 0, "old", "new")
    wins_first = rng.random(n) < 0.5 + worth
    other = np.where(first == "old", "new", "old")
    return np.where(wins_first, first, other).tolist(), first.tolist()


def test_position_is_a_stratum_and_its_worth_a_caveat() -> None:
    winner, first = biased(400, 0.15, 1)
    r = cw.compare(winner, "old", "new", measure="win_rate", strata=first, rng=1)
    points, b_first = np.array(winner) == "new", np.array(first) == "new"
    worth = (points[b_first].mean() - points[~b_first].mean()) / 2
    [caveat] = [c for c in r.caveats if c.code == "position_bias"]
    assert f"worth {100 * worth:+.1f} points" in caveat.text
    # by hand: only what varies within the orders counts
    spread = sum(points[own].var(ddof=1) * own.sum() for own in (b_first, ~b_first))
    error = 2 * np.sqrt(spread) / 400
    assert r.statistic == pytest.approx(r.difference / error, rel=0.02)
    plain = cw.compare(winner, "old", "new", measure="win_rate", rng=1)
    assert r.interval.high - r.interval.low < plain.interval.high - plain.interval.low
    assert not any(c.code == "position_bias" for c in plain.caveats)


def test_orders_that_are_not_balanced_are_told() -> None:
    """B is first in three of four battles, and the first one always wins: alike, nobody is better."""
    first = ["new"] * 75 + ["old"] * 25
    winner = [*first[:70], *["old"] * 5, *first[75:95], *["new"] * 5]
    r = cw.compare(winner, "old", "new", measure="win_rate", strata=first, rng=1)
    [caveat] = [c for c in r.caveats if c.code == "position_bias"]
    assert "new was shown first in 75 % of the battles" in caveat.text
    assert f"its win rate is {(70 / 75 + 5 / 25) / 2:.3f}, not 0.750" in caveat.text


def told_of_position(a_first: list[float], b_first: list[float]) -> str:
    """What is told of battles in which B has these points, shown second and shown first."""
    first = ["A"] * len(a_first) + ["B"] * len(b_first)
    battles = Battles([1 + point for point in a_first + b_first], ("A", "B"), first)
    return " ".join(caveat.text for caveat in battles.sample().about.caveats)


def test_a_judge_who_always_prefers_the_first_is_told() -> None:
    """Nothing varies within the orders, and the errors are Agresti and Caffo's: by statsmodels, of 50 and 50."""
    low, high = confint_proportions_2indep(50, 50, 0, 50, method="agresti-caffo")
    told = told_of_position([0.0] * 50, [1.0] * 50)
    assert told == f"Position matters: being shown first is worth +50.0 points of win rate (± {25 * (high - low):.1f})."


def test_a_few_battles_of_an_order_that_end_alike_say_nothing_of_position() -> None:
    halves = [0.0, 1.0] * 20
    for few in (1, 2, 3):
        assert told_of_position(halves, [1.0] * few).startswith("B was shown first in")
        assert told_of_position([1.0] * few, halves).startswith("B was shown first in")
    assert told_of_position(halves, [1.0] * 10).startswith("Position matters: being shown first is worth +25.0 points")


def test_position_is_seldom_told_where_it_does_not_matter() -> None:
    """Every outcome of so many battles in either order, weighted by its probability: 5 %, at most 8.1."""
    for n, m in ((1, 2), (1, 100), (2, 2), (2, 40), (3, 10), (5, 5), (10, 40), (20, 20)):
        told = np.array(
            [
                [
                    "Position" in told_of_position([1.0] * x + [0.0] * (n - x), [1.0] * y + [0.0] * (m - y))
                    for y in range(m + 1)
                ]
                for x in range(n + 1)
            ]
        )
        for p in (0.02, 0.05, 0.1, 0.3, 0.5):
            chances = np.outer(stats.binom.pmf(range(n + 1), n, p), stats.binom.pmf(range(m + 1), m, p))
            assert chances[told].sum() <= 0.081, (n, m, p)


def test_equal_models_are_seldom_told_apart() -> None:
    """200 sets of 60 battles with a judge that prefers the first: 5 % and three standard errors are 9.6 %."""
    found = 0
    for seed in range(200):
        winner, first = biased(60, 0.2, seed)
        found += cw.compare(winner, "old", "new", measure="win_rate", strata=first, rng=1).p_value <= 0.05
    assert found / 200 <= 0.096


def test_battles_about_one_prompt_are_one_group() -> None:
    """Each prompt judged in both orders and decided alike: as many groups as prompts, by scipy's t test of them."""
    winner = [name for name in WINNER for _ in range(2)]
    r = cw.compare(winner, "old", "new", measure="win_rate", groups=np.arange(200) // 2, rng=1)
    once = cw.compare(WINNER, "old", "new", measure="win_rate", rng=1)
    assert r.interval.high - r.interval.low == pytest.approx(once.interval.high - once.interval.low, rel=0.05)
    assert r.sampling is not None
    assert r.sampling.n_units == 100


def test_frames_files_and_the_command(tmp_path: Path) -> None:
    winner, first = biased(80, 0.1, 2)
    frame = pd.DataFrame({"winner": winner, "first": first, "prompt": np.arange(80) // 2})
    frame.to_csv(tmp_path / "battles.csv", index=False)
    how: dict[str, Any] = {"measure": "win_rate", "rng": 1}
    arrays = cw.compare(winner, "old", "new", strata=first, **how)
    assert cw.compare("winner", "old", "new", data=frame, strata="first", **how).to_json() == arrays.to_json()
    words = ["compare", str(tmp_path / "battles.csv"), "--truth", "winner", "--a", "old", "--b", "new"]
    words += ["--measure", "win_rate", "--seed", "1"]
    found = CliRunner().invoke(main, [*words, "--strata", "first", "--json"])
    assert json.loads(found.stdout) == json.loads(arrays.to_json())
    assert CliRunner().invoke(main, [*words, "--groups", "prompt"]).exit_code == 0
    named = CliRunner().invoke(main, [*words, "--names", "v1,v2"])
    assert "v2 wins" in named.output


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="neither A, B nor a tie"):
        cw.compare(["old", "new"], measure="win_rate")
    with pytest.raises(DataError, match="The winner is missing in 1 of 3 battles"):
        cw.compare(["A", None, "B"], measure="win_rate")
    kept = cw.compare([*"AABBBBBA", None], measure="win_rate", missing="drop", rng=1)
    assert kept.n == 8
    with pytest.raises(DataError, match="winners were not given"):
        cw.compare(measure="win_rate")
    with pytest.raises(OptionError, match="neither slices nor classes"):
        cw.compare(list("AB"), measure="win_rate", by=[1, 2])
    with pytest.raises(OptionError, match="who won each battle"):
        cw.estimate(list("AB"), measure="win_rate", a=[1, 0])
    with pytest.raises(OptionError, match="who won each battle"):
        cw.rank(None, {"a": [1.0, 0.0], "b": [0.0, 1.0]}, measure="win_rate")


@pytest.mark.parametrize(
    "words",
    [
        ["study", "battles.csv", "--test-size", "10"],
        ["plan", "--pilot", "battles.csv", "--difference", "0.1"],
        ["estimate", "battles.csv"],
    ],
)
def test_commands_that_take_no_battles_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"winner": WINNER}).to_csv("battles.csv", index=False)
    found = CliRunner().invoke(main, [*words, "--truth", "winner", "--measure", "win_rate"])
    assert found.exit_code == 2
    assert "Win rate compares two models by who won each battle" in found.stderr


def test_battles_of_many_models_or_on_changing_sides_are_not_pooled(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["gpt", "claude", "llama", "qwen"]
    draws = np.random.RandomState(1)
    for k, words in ((4, "These are battles of 4 models"), (2, "The column model_a holds both claude and gpt")):
        pairs = [draws.permutation(k)[:2] for _ in range(80)]
        frame = pd.DataFrame(
            {side: [names[pair[i]] for pair in pairs] for i, side in enumerate(("model_a", "model_b"))}
        )
        frame["winner"] = draws.choice(["model_a", "model_b", "tie"], 80)
        frame.to_csv("battles.csv", index=False)
        with pytest.raises(DataError, match=words):
            cw.compare(data=frame, truth="winner", measure="win_rate")
        for command in ("compare battles.csv --truth winner --measure win_rate", "compare battles.csv"):
            refused = CliRunner().invoke(main, command.split())
            assert refused.exit_code == 2, command
            if k == 4 or "--truth" in command:
                assert words in refused.stderr, command
    won = np.where(frame["winner"] == "model_a", frame["model_a"], frame["model_b"])
    frame["winner"] = np.where(frame["winner"] == "tie", "tie", won)  # by name, whichever side they were on
    frame.to_csv("battles.csv", index=False)
    advised = "compare battles.csv --truth winner --a claude --b gpt --measure win_rate --json"
    r = json.loads(CliRunner().invoke(main, advised.split()).stdout)
    points = {"gpt": 1.0, "claude": 0.0, "tie": 0.5}
    assert r["estimate_b"] == pytest.approx(np.mean([points[name] for name in frame["winner"]]))
