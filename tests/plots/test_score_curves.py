"""Pictures of curves: the axes hold the numbers, names stay text, and files repeat byte for byte."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy.special import ndtri

import clearwin as cw
from clearwin.plots.drawing import STYLES, picture_format, rendered, save
from clearwin.plots.score_curves import draw_curve
from tests.two_scores import HOSTILE, TRUTH, A, B

KINDS = ["roc", "det", "pr"]


def drawn(kind="roc", *, a=A, b=B, **settings):
    return cw.curve(TRUTH, a, b, kind=kind, rng=1, **settings)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("kind", KINDS)
def test_the_lines_hold_the_curves(kind):
    r = drawn(kind, names=("old", "new"))
    ax = r.plot()
    for line, model, (colour, _) in zip(ax.get_lines(), r.models, STYLES, strict=False):
        np.testing.assert_array_equal(line.get_xdata(), model.curve.x)
        np.testing.assert_array_equal(line.get_ydata(), model.curve.y)
        assert to_hex(line.get_color()) == colour.lower()
    first, second = ax.get_lines()[:2]
    # without colour they can still be told apart
    assert first.get_linestyle() != second.get_linestyle()
    one, two = r.models
    assert (
        legend(ax)[:2]
        == {
            "roc": [f"old (AUC {one.auc:.4f})", f"new (AUC {two.auc:.4f})"],
            "det": [f"old (EER {100 * one.equal_error.eer:.3g} %)", f"new (EER {100 * two.equal_error.eer:.3g} %)"],
            "pr": [f"old (AP {one.average_precision:.4f})", f"new (AP {two.average_precision:.4f})"],
        }[kind]
    )
    assert ax.get_aspect() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_given_axes_are_drawn_on_and_returned(kind):
    ax = Figure().add_subplot(1, 2, 2)
    assert drawn(kind, b=None).plot(ax) is ax
    assert draw_curve(drawn(kind, b=None), ax) is ax
    assert drawn(kind).plot().figure is not ax.figure


@pytest.mark.parametrize("kind", KINDS)
def test_bands_are_translucent_areas_between_the_limits(kind):
    r = drawn(kind, bands=True, n_resamples=99)
    areas = r.plot().collections
    assert len(areas) == 2
    for area, model in zip(areas, r.models, strict=True):
        assert area.get_alpha() < 0.5
        [path] = area.get_paths()
        inside = np.isfinite(path.vertices).all(axis=1)
        assert inside.all()
        limits = np.concatenate([model.bands.low, model.bands.high])
        finite = limits[np.isfinite(limits)]
        assert np.isin(finite, path.vertices[:, 1]).all()


def test_the_diagonal_the_prevalence_and_the_equal_error_line():
    diagonal = drawn("roc").plot().get_lines()[2]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == [0, 1]
    ax = drawn("pr").plot()
    assert set(ax.get_lines()[2].get_ydata()) == {TRUTH.mean()}
    assert legend(ax)[2] == f"prevalence {100 * TRUTH.mean():.3g} %"
    r = drawn("roc")
    lines = draw_curve(r, equal_error_line=True).get_lines()
    for line, model in zip(lines[-2:], r.models, strict=True):
        eer = model.equal_error.eer
        assert (list(line.get_xdata()), list(line.get_ydata())) == ([eer], [1 - eer])
    assert len(draw_curve(r).get_lines()) == 3
    marks = drawn("det").plot().get_lines()[-2:]
    assert [mark.get_xdata()[0] for mark in marks] == [ndtri(model.equal_error.eer) for model in r.models]
    assert len(draw_curve(drawn("det"), equal_error_line=False).get_lines()) == 2


def test_a_det_axis_is_labelled_in_percent_at_normal_deviates():
    ax = drawn("det").plot()
    assert "%" in ax.get_xlabel()
    assert ax.get_xlim() == ax.get_ylim()
    labels = [text.get_text() for text in ax.get_xticklabels()]
    assert {"1", "5", "20", "40"} <= set(labels)
    np.testing.assert_allclose(ax.get_xticks(), ndtri(np.array(list(map(float, labels))) / 100))
    for model in drawn("det").models:
        assert ax.get_xlim()[0] < ndtri(model.equal_error.eer) < ax.get_xlim()[1]


def test_a_det_window_reaches_as_far_as_the_data():
    rng = np.random.default_rng(2)
    truth = rng.random(40_000) < 0.5
    ax = cw.curve(truth, 5 * truth + rng.normal(size=40_000), kind="det").plot()
    assert ax.get_xlim()[0] < ndtri(1e-4)
    # an EER above one half moves the other end
    assert drawn("det", b=-A).plot().get_xlim()[1] > ndtri(0.8)


def test_perfect_scores_have_no_det_curve_and_that_is_said():
    ax = cw.curve(TRUTH, TRUTH, kind="det").plot()
    assert "no threshold makes errors of both kinds" in ax.texts[0].get_text()
    assert not drawn("det").plot().texts


@pytest.mark.parametrize("kind", ["roc", "pr", "det"])
def test_the_same_input_gives_the_same_bytes(kind):
    """In SVG; that PNG and PDF are saved alike, too, is tested with the pictures of results."""
    first, second = (rendered(drawn(kind, bands=True, n_resamples=99).plot().figure, "svg") for _ in "ab")
    assert first == second


def test_a_png_is_fine_enough_for_print(tmp_path):
    save(drawn().plot().figure, tmp_path / "x.png")
    width, height = np.frombuffer((tmp_path / "x.png").read_bytes()[16:24], dtype=">u4")
    assert min(width, height) >= 150 * 5


# every name as SVG, whose texts can be read; the others take turns
@pytest.mark.parametrize(
    ("name", "ending"),
    [*((name, "svg") for name in HOSTILE), *zip(HOSTILE[::3], itertools.cycle(["png", "pdf"]), strict=False)],
)
def test_hostile_names_are_drawn_as_they_are(tmp_path, name, ending):
    ax = drawn(names=(name, "日本語")).plot()
    shown = name.replace("\x1b", r"\x1b").replace("\n", r"\n")
    assert legend(ax)[0].startswith(f"{shown} (AUC ")
    path = tmp_path / f"x.{ending}"
    save(ax.figure, path)
    if ending == "svg":
        texts = ["".join(node.itertext()) for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        assert any(text.strip().startswith(shown) for text in texts)


def test_a_long_name_loses_its_middle():
    [label] = legend(drawn(b=None, names=("a" * 50 + "z" * 50,)).plot())
    assert label.startswith("aaaaaaaaaaaa…zzzzzzzzzzz (AUC ")


@pytest.mark.parametrize("kind", KINDS)
def test_the_widest_names_stay_inside_and_do_not_squeeze_the_axes(kind):
    ax = drawn(kind, names=("W" * 80, "m" * 80)).plot()
    ax.figure.draw_without_rendering()
    inside, box = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert box.x0 <= inside.x0
    assert inside.x1 <= box.x1
    assert box.width > 0.8 * ax.figure.bbox.width


def test_a_style_that_asks_for_tex_does_not_get_the_names():
    import matplotlib as mpl

    with mpl.rc_context({"text.usetex": True}):
        ax = drawn(names=("$x$", "50 %")).plot()
    assert not any(text.get_usetex() for text in ax.get_legend().get_texts())


def test_endings():
    assert [picture_format(name) for name in ("a.png", "b.SVG", "c/d.Pdf")] == ["png", "svg", "pdf"]
    for name in ("a.jpg", "a", "a.png.gz", ".png"):
        with pytest.raises(cw.errors.FileError, match=r"\.png, \.svg or \.pdf"):
            picture_format(name)


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(cw.errors.FileError, match="cannot be written"):
        save(drawn().plot().figure, tmp_path / "nowhere" / "x.png")


@pytest.mark.parametrize(("kind", "m"), [("roc", 3), ("roc", 8), ("roc", 20), ("det", 12), ("pr", 8)])
def test_many_models_are_told_apart_or_thin(kind, m):
    """Up to eight have a line of their own; of more the best eight, and the others are one line of the legend."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    names = [f"meta-llama/Llama-3.1-{j:03}-instruct-quantised-checkpoint" for j in range(m)]
    scores = {name: y * (0.5 + 2 * j / m) + rng.normal(size=200) for j, name in enumerate(names)}
    ax = cw.curve(y, scores, kind=kind, rng=1).plot()
    ax.figure.draw_without_rendering()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(set(labels)) == len(labels) == min(m, 8) + (m > 8) + (kind == "pr")
    assert (f"{m - 8} more" in labels) == (m > 8)
    inside, box = ax.figure.bbox, ax.get_legend().get_window_extent()
    assert inside.x0 <= box.x0 < box.x1 <= inside.x1
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1
    assert ax.get_window_extent().width > 0.7 * inside.width
