"""On a terminal: verdict, caveats, every number, whole names, and names that are text."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn import metrics

import clearwin as cw
from clearwin.reports import terminal
from tests.cli.calling import TRUTH, A, B, unwrapped


def shown(result: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal.show(result.summary())
    return capsys.readouterr().out


HOSTILE = ("[bold]x[/bold]", "[link=http://x]y[/link]")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_terminal_shows_verdict_and_caveats(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    r = cw.compare([1, 0] * 2, [1, 1] * 2, [0, 0] * 2, names=HOSTILE, rng=1)
    assert len(r.caveats) >= 2
    out = unwrapped(shown(r, monkeypatch, capsys, columns))
    # wrapped at the spaces, so that only spaces may differ
    bare = out.replace(" ", "")
    assert f"No clear evidence that {HOSTILE[1]} differs from {HOSTILE[0]} in F1 (".replace(" ", "") in bare
    for caveat in r.caveats:
        assert str(caveat).replace(" ", "") in bare
    assert f"Null hypothesis: {r.null_hypothesis}".replace(" ", "") in bare


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", ["svm", "meta-llama/Llama-3.1-70B-Instruct-fine-tuned-on-everything-we-have"])
def test_the_terminal_shows_every_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int, name: str
) -> None:
    r = cw.compare(TRUTH, A, B, names=(name, "rbf"), measure="dcf(cost_fn=10, cost_fp=1, prior=0.01)", rng=1)
    out = shown(r, monkeypatch, capsys, columns)
    assert f"{r.estimate_a:.3f}" in out
    assert f"{r.difference:+.3f}" in out
    assert "…" not in out


def test_the_terminal_shows_an_estimate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    r = cw.estimate(TRUTH, A, measure="recall", name="[red]svm[/red]")
    out = unwrapped(shown(r, monkeypatch, capsys, 100))
    assert f"recall of [red]svm[/red] {metrics.recall_score(TRUTH, A):.3f}" in out


def test_the_terminal_shows_the_names_of_methods_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    terminal.show_table(
        [
            {
                "name": t.name,
                "question": t.question,
                "judges": ", ".join(t.judges),
                "methods": ", ".join(t.methods),
                "intervals": ", ".join(t.intervals),
                "source": t.source,
            }
            for t in cw.list_tests().values()
        ]
    )
    out = capsys.readouterr().out
    for test in cw.list_tests().values():
        assert test.name in out
    # "bonett-pr…" cannot be typed
    assert "…" not in out


@pytest.mark.parametrize("columns", [60, 120])
def test_escape_codes_in_names_do_not_reach_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    r = cw.compare(TRUTH, A, B, names=("\x1b[2J\x1b]0;owned\x07svm", "rbf"), measure="accuracy", rng=1)
    out = shown(r, monkeypatch, capsys, columns)
    assert "\x1b[2J" not in out
    assert "\x1b]0;" not in out
