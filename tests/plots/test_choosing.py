"""Pictures of results: every kind of result has some, they hold the numbers, and names in them are text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import clearwin as cw
from clearwin.cli import main
from clearwin.plots import picture_svg, pictures
from clearwin.plots.confusion import draw_confusion, draw_mosaic
from clearwin.plots.drawing import Picture, pictures_of
from tests.plots.made import CLASSES, GUESSES, MADE, TRUTH, A, B

every = pytest.mark.parametrize("key", MADE)


KINDS = set(pictures_of.registry) - {object}


def test_every_kind_of_result_is_here(made):
    assert {type(result) for result in made.values()} == KINDS
    for kind in KINDS:
        assert callable(kind.plot)


@every
def test_every_result_has_pictures_with_titles_and_words(made, key):
    found = pictures(made[key])
    assert found
    names = [picture.name for picture in found]
    assert len(set(names)) == len(names)
    for picture in found:
        assert re.fullmatch(r"[a-z_]+", picture.name)
        assert picture.title == picture.title.strip()
        assert picture.alt.endswith(".")
        assert re.search(r"\d", picture.alt), "the numbers are for those who cannot see"
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b", picture.alt)


@every
def test_axes_are_accepted_and_returned(made, key):
    for picture in pictures(made[key]):
        ax = Figure(figsize=(9, 5)).add_subplot(1, 2, 2)
        assert made[key].plot(ax, picture.name) is ax
    assert made[key].plot().figure is not ax.figure


def test_kind_picks_by_name_and_an_unknown_one_is_refused(made):
    ax = made["bootstrap"].plot(kind="confusion_a")
    assert ax.get_xlabel() == "decision of old"
    with pytest.raises(cw.errors.UnknownNameError, match=r"(?s)'mosiac'.*replicates, interval, mosaic.*mean 'mosaic'"):
        made["bootstrap"].plot(kind="mosiac")
    with pytest.raises(cw.errors.NotApplicableError, match="no pictures of a int"):
        pictures(3)


def test_the_best_picture_comes_first(made):
    first = {key: pictures(result)[0].name for key, result in made.items()}
    assert first["bootstrap"] == first["estimate by bootstrap"] == "replicates"
    assert first["permutation"] == first["values"] == "null"
    assert first["mcnemar"] == first["unpaired"] == first["estimate"] == "interval"
    assert (first["board"], first["folds"], first["data sets"]) == ("ranks", "folds", "average_ranks")
    assert (first["roc"], first["det"], first["pr"]) == ("roc", "det", "pr")


# ---- distributions


# ---- what is better, and at which level


# ---- intervals and margins


# ---- tables


# ---- places and folds


# ---- studies


# ---- files and the command


def test_a_picture_of_ones_own():
    picture = Picture("dot", "A dot", "A dot at 1.", lambda ax: ax.plot([1], "o")[0].axes)
    assert 'viewBox="0 0 144 72"' in picture_svg(picture, width=2, height=1)
    assert draw_confusion.__doc__
    assert draw_mosaic.__doc__


def test_the_commands_level_reaches_the_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{y},{a},{b}" for y, a, b in zip(CLASSES, *GUESSES[:2], strict=True)]
    (tmp_path / "x.csv").write_text("\n".join(["y,a,b", *lines]))
    how = ["--truth", "y", "--a", "a", "--b", "b", "--per-class", "--n-resamples", "100", "--confidence-level", "0.999"]
    run = CliRunner().invoke(main, ["compare", "x.csv", *how, "--html", "x.html", "--plot", "x.svg"])
    assert run.exit_code == 0, run.output
    for file in ("x.html", "x.svg"):
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert "shown at 0.001, p corrected" in text
        assert "shown at 0.05" not in text
    assert "at 0.001 with p corrected" in (tmp_path / "x.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("compare", ["--truth", "y", "--a", "a", "--b", "b", "--measure", "accuracy"]),
        ("compare", ["--truth", "y", "--a", "a", "--b", "b", "--per-class", "--n-resamples", "100"]),
        ("estimate", ["--truth", "y", "--a", "a", "--measure", "accuracy"]),
        ("rank", ["--truth", "y", "--models", "a,b", "--measure", "accuracy", "--n-resamples", "100"]),
        ("chance", ["--truth", "y", "--a", "a"]),
        ("folds", ["--a", "a", "--b", "b", "--design", "independent"]),
    ],
)
def test_the_command_draws(tmp_path, monkeypatch, verb, more):
    monkeypatch.chdir(tmp_path)
    lines = [f"{y},{a},{b}" for y, a, b in zip(TRUTH, A, B, strict=True)]
    (tmp_path / "x.csv").write_text("\n".join(["y,a,b", *lines]))
    run = CliRunner().invoke(main, [verb, "x.csv", *more, "--plot", "x.svg"])
    assert run.exit_code == 0, run.output
    assert ET.parse("x.svg").getroot().tag.endswith("svg")
    again = CliRunner().invoke(main, [verb, "x.csv", *more, "--plot", "x.svg"])
    assert again.exit_code == 2
    assert "x.svg exists already" in again.output
    assert CliRunner().invoke(main, [verb, "x.csv", *more, "--plot", "x.svg", "--force"]).exit_code == 0
    wrong = CliRunner().invoke(main, [verb, "x.csv", *more, "--plot", "x.jpg"])
    assert wrong.exit_code == 2
    assert ".png, .svg or .pdf" in wrong.output
