"""What all pictures share: axes that say what is better, names that can be told apart, files."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import clearwin as cw
from clearwin.plots import pictures
from clearwin.plots.drawing import new_axes, save, short_names
from tests.plots.made import CLASSES, FEW, FOLDS, GUESSES, MADE, RNG, TRUTH, A, B, drawn, named

LEFT = cw.compare(TRUTH, A, B, measure="error_rate", names=("old", "new"), test="permutation", **FEW)


def axis_words(ax):
    return " ".join(ax.get_xlabel().split())


def test_the_axis_and_the_words_say_which_side_is_better(made):
    for r, kinds in (
        (made["permutation"], ("null", "interval")),
        (made["bootstrap"], ("replicates", "interval")),
        (made["per class"], ("forest",)),
    ):
        for kind in kinds:
            assert axis_words(r.plot(kind=kind)).endswith("new better →"), kind
            assert "Differences above 0 favour new." in named(r, kind).alt
    for kind in ("null", "interval"):
        assert axis_words(LEFT.plot(kind=kind)).startswith("← new better"), kind
        assert "Differences below 0 favour new." in named(LEFT, kind).alt
    figure = next(picture for picture in pictures(made["experiment"]) if picture.name.startswith("figure_"))
    assert axis_words(figure.draw(new_axes())).endswith("B better →")
    assert figure.alt.endswith("Differences above 0 favour B.")
    for higher, arrow, words in ((True, "new better →", "above"), (False, "← new better", "below")):
        folds = cw.compare_folds(*FOLDS, design="k-fold", higher_is_better=higher, names=("old", "new"))
        assert arrow in folds.plot().get_ylabel().split("\n")
        assert f"Differences {words} 0 favour new." in named(folds, "folds").alt
        sets = cw.rank_data_sets(np.random.default_rng(1).random((12, 3)), higher_is_better=higher, n_resamples=50)
        assert (axis_words(sets.plot(kind="pairs")).endswith("first of the two better →")) is higher
        assert f"Differences {words} 0 favour the first of the two." in named(sets, "pairs").alt


def test_values_of_which_less_is_better_say_so(made):
    models = dict(zip("abc", GUESSES, strict=True))
    board = cw.rank(CLASSES, models, measure="error_rate", **FEW)
    assert board.plot(kind="values").get_xlabel() == "error rate (lower is better)"
    assert "Lower is better." in named(board, "values").alt
    assert axis_words(board.plot(kind="pairs")).startswith("← first of the two better")
    lower = cw.estimate(TRUTH, A, measure="error_rate")
    assert "lower is better" in lower.plot().get_xlabel()
    assert "lower is better" not in made["estimate"].plot().get_xlabel()
    assert any("1 is best" in text.get_text() for text in made["data sets"].plot().texts)


LONG = [f"class number {i} of a list with a very long name" for i in range(40)]
LOOK_ALIKE = (
    LONG,
    [*LONG, "class number…r long name"],  # looks like one that was cut
    [f"{'x' * 60}{i}{'y' * 60}" for i in range(12)],
    [f"{'x' * 60}{i}{'y' * 60}{j}{'z' * 60}" for i in range(5) for j in range(5)],
    ["the same name, and a long one it is"] * 3,
    ["a", "b", "a" * 23, "a" * 24, "a" * 25, "a" * 26],
)


@pytest.mark.parametrize("names", LOOK_ALIKE)
@pytest.mark.parametrize("longest", [12, 14, 16, 24, 34])
def test_different_names_are_not_drawn_alike(names, longest):
    short = short_names(names, longest)
    assert len(set(short)) == len(set(names))
    assert max(map(len, short)) <= longest
    for name, each in zip(names, short, strict=True):
        assert len(name) > longest or each == name or " #" in each


def test_classes_and_pairs_with_long_names_can_be_told_apart():
    labels = np.array(LONG[:12])
    y = np.arange(240) % 12
    a, b = (np.where(RNG.random(240) < 0.7, y, RNG.integers(0, 12, 240)) for _ in "ab")
    classes = cw.compare_by_class(labels[y], labels[a], labels[b], measure="f1", **FEW)
    sets = cw.rank_data_sets({name: RNG.random(8) for name in LONG[:5]}, n_resamples=50, rng=1)
    for ax, count in ((classes.plot(), 12), (sets.plot(kind="pairs"), 10)):
        assert len({text.get_text() for text in ax.get_yticklabels()}) == count
    assert len({text.get_text().split("  ")[0] for text in sets.plot().texts if "number" in text.get_text()}) == 5


@pytest.mark.parametrize("key", ["bootstrap", "permutation", "per class", "board", "folds", "estimate"])
def test_names_of_axes_stay_inside_the_picture(key):
    made = MADE[key]("gradient boosting, 500 trees, depth 6", "logistic regression, second order")
    result = dataclasses.replace(made, measure_label="a measure of one's own with a name that is long")
    for picture in pictures(result):
        ax = drawn(result.plot(kind=picture.name))
        for label in (ax.xaxis.label, ax.yaxis.label):
            box, page = label.get_window_extent(), ax.figure.bbox
            assert page.x0 <= box.x0 <= box.x1 <= page.x1, (picture.name, label.get_text())
            assert page.y0 <= box.y0 <= box.y1 <= page.y1, (picture.name, label.get_text())


@pytest.mark.parametrize("sizes", [1, 4])
def test_the_key_above_long_names_stays_inside_the_picture(sizes, made):
    study = made["study"]
    rows = tuple(
        dataclasses.replace(row, test=test)
        for row in study.size
        for test in ("bootstrap/dirichlet", "permutation/dirichlet", "paired_proportion/mover", "permutation")[:sizes]
    )
    ax = drawn(dataclasses.replace(study, size=rows).plot(kind="size"))
    for text in ax.get_legend().get_texts():
        assert text.get_window_extent().x1 <= ax.figure.bbox.x1, text.get_text()


def test_a_legend_above_narrow_axes_has_one_column(made):
    for width, columns in ((6.8, 2), (3.4, 1)):
        ax = made["per class"].plot(new_axes((width, 3)))
        assert ax.get_legend()._ncols == columns
        assert drawn(ax).get_window_extent().width > 0.4 * ax.figure.bbox.width


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_saved_alike_on_any_day(tmp_path, made, ending):
    contents = []
    for i in range(2):
        save(made["bootstrap"].plot().figure, tmp_path / f"{i}.{ending}")
        contents.append((tmp_path / f"{i}.{ending}").read_bytes())
    assert contents[0] == contents[1]
    assert b"<dc:date>" not in contents[0]
    assert b"CreationDate" not in contents[0]


def test_pyplot_is_never_needed():
    code = (
        "import sys, clearwin as cw; from clearwin.plots import pictures, picture_svg; "
        "assert 'matplotlib' not in sys.modules; "
        "r = cw.compare([1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0], measure='f1', rng=1, n_resamples=50); "
        "c = cw.curve([1, 0, 1], [3, 2, 1]); assert 'matplotlib' not in sys.modules; "
        "c.plot(); [picture_svg(p) for p in pictures(r)]; print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
