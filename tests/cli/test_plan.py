"""clearwin plan."""

import json

import pytest

import clearwin as cw
from clearwin.cli import main
from tests.cli.calling import COUNTS, TRUTH, A, B, ran, run, spaced, table

GOAL = ["--difference", "0.1", "--n-resamples", "500", "--seed", "1"]


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "pilot.csv"
    path.write_text(table({"y": TRUTH, "old": A, "new": B, "g": [i // 3 for i in range(len(A))]}))
    return ["--pilot", path, "--truth", "y", "--a", "old", "--b", "new"]


def planned(**settings):
    settings = {"difference": 0.1, "n_resamples": 500, "rng": 1, "names": ("old", "new"), **settings}
    return cw.plan(TRUTH, A, B, **settings)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ([], {}),
        (["--measure", "accuracy", "--claim", "better"], {"measure": "accuracy", "claim": "better"}),
        (["--claim", "not_worse", "--margin", "0.1"], {"claim": "not_worse", "margin": 0.1}),
        (["--items", "200"], {"items": 200}),
        (["--groups", "g"], {"groups": [i // 3 for i in range(len(A))]}),
        (["--measure", "auc"], {"measure": "auc"}),
        (["--design-effect", "2", "--power", "0.9"], {"design_effect": 2.0, "power": 0.9}),
    ],
)
def test_the_command_plans_as_python_does(pilot, options, settings):
    found = json.loads(ran("plan", *pilot, *GOAL, *options, "--json"))
    wanted = json.loads(planned(**settings).to_json())
    assert {**found, "signature": None, "sampling": None} == {**wanted, "signature": None, "sampling": None}


def test_counts_and_rates(tmp_path):
    counts = tmp_path / "counts.json"
    counts.write_text(json.dumps(COUNTS))
    found = json.loads(ran("plan", "--pilot", counts, *GOAL, "--json"))
    assert found["items"] == cw.plan(cw.JointCounts(**COUNTS), difference=0.1, n_resamples=500, rng=1).items
    told = spaced(ran("plan", "--measure", "accuracy", "--difference", "0.4", "--disagreement", "0.5"))
    assert told.startswith("To find a difference of 0.4 in accuracy four times in five takes about 23 items.")


def test_a_report_and_a_picture(pilot, tmp_path):
    ran("plan", *pilot, *GOAL, "--html", tmp_path / "plan.html", "--plot", tmp_path / "plan.png")
    assert "four times in five" in (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert (tmp_path / "plan.png").stat().st_size > 1_000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--measure", "accuracy", "--difference", "0.1"], "--disagreement 0.1, or a pilot"),
        (["--truth", "y", "--difference", "0.1"], "--truth was given without --pilot"),
        ([], "--difference 0.02, or --items 1000"),
    ],
)
def test_refusals_are_spelled_for_the_command(options, words):
    found = run("plan", *options)
    assert found.exit_code == 2
    assert words in found.stderr


def test_settings_are_spelled_as_in_python():
    import inspect

    in_python = set(inspect.signature(cw.plan).parameters) - {"data", "id"}
    assert in_python <= {p.name for p in main.commands["plan"].params}
