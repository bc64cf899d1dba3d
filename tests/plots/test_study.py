"""Pictures of studies: they hold the rows with their errors, and lines differ without colour."""

from __future__ import annotations

import numpy as np
import pytest

import clearwin as cw
from clearwin.errors import OptionError
from clearwin.plots import pictures
from clearwin.plots.drawing import SERIES, new_axes
from tests.plots.made import drawn, key_of, named
from tests.simulation.asked import FEW


def test_colours_go_with_tests_in_every_picture():
    rng = np.random.default_rng(2)
    truth = rng.random((300, 4)) < 0.4
    a, b = (truth ^ (rng.random((300, 4)) < rate) for rate in (0.1, 0.05))
    s = cw.study(
        truth,
        a,
        b,
        measure="macro_f1",
        tests=["permutation", "bootstrap"],
        category_sets={"Y": [2, 3], "X": [0, 1]},
        **{**FEW, "sizes": [50, 100]},
    )
    colours = {}
    for kind in ("power", "calibration", "coverage"):
        ax = s.plot(kind=kind)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        colours[kind] = {label: line.lines[0].get_color() for label, line in zip(labels, ax.containers, strict=False)}
        assert ("as stated" in labels) == (kind == "coverage")
    assert list(colours["power"]) == ["permutation, Y", "bootstrap, Y", "permutation, X", "bootstrap, X"]
    assert colours["calibration"] == colours["power"]
    assert colours["coverage"] == colours["power"]
    assert "need not match the stated confidence" in next(p.alt for p in pictures(s) if p.name == "calibration")


def test_figure_1_shows_the_replicates_of_one_set(small):
    ax = small.plot(kind="figure_y")
    heights = [bar.get_height() for bar in ax.patches if bar.get_width() and bar.get_y() == 0 and bar.get_height() >= 1]
    assert sum(heights) in (500, 501)  # the shaded span is 1 high
    values = small.replicates["Y"]
    inside = abs(values.mean()) <= np.quantile(np.abs(values - values.mean()), 0.95)
    assert f"0 (dashed) is {'inside' if inside else 'outside'}" in ax.get_title()
    assert small.plot().get_title().splitlines()[0].endswith("category set X")
    with pytest.raises(OptionError, match="no kind of picture named 'figure_w'"):
        small.plot(kind="figure_w")


def test_a_studys_curves_hold_its_rows_with_their_errors(made):
    r = made["study"]
    assert [picture.name for picture in pictures(r)] == ["power", "calibration", "coverage", "size", "confidence"]
    for kind, rows, x in (
        ("power", [row for row in r.power if row.alpha == 0.05], "test_size"),
        ("calibration", [row for row in r.calibration if row.kind == "winner"], "stated"),
        ("coverage", [row for row in r.calibration if row.kind == "level"], "stated"),
    ):
        lines = r.plot(kind=kind).containers
        assert len(lines) == len({row.test for row in rows})
        drawn_points = [tuple(point) for line in lines for point in line.lines[0].get_xydata()]
        assert sorted(drawn_points) == sorted((getattr(row, x), row.value) for row in rows)
        ends = [tuple(end[:, 1]) for line in lines for end in line.lines[2][0].get_segments()]
        expected = [(max(0, row.value - 2 * row.error), min(1, row.value + 2 * row.error)) for row in rows]
        assert np.array(sorted(ends)) == pytest.approx(np.array(sorted(expected)))
        styles = {(line.lines[0].get_linestyle(), line.lines[0].get_marker()) for line in lines}
        assert len(styles) == len(lines)
    marks = [line.get_xdata()[0] for line in r.plot(kind="size").get_lines() if line.get_marker() in ("s", "o")]
    assert sorted(marks) == sorted(row.value for row in r.size if row.alpha == 0.05)
    [row] = r.confidence
    told = next(line for line in r.plot(kind="confidence").get_lines() if line.get_marker() == "o")
    assert told.get_xdata()[0] == row.confidence


def test_bars_of_a_study_say_how_long_they_are(made):
    r = made["study"]
    for picture in pictures(r):
        ax = picture.draw(new_axes(picture.size))
        said = " ".join([ax.get_xlabel(), *key_of(ax)])
        assert "± 2 Monte-Carlo standard errors" in said, picture.name
        assert "Bars reach 2 Monte-Carlo standard errors to either side." in picture.alt
    assert "numbers: ± 1 standard error" in r.plot(kind="size").get_xlabel()
    assert "± one Monte-Carlo standard error" in named(r, "size").alt


def test_the_legend_of_a_study_hides_nothing(made):
    for kind in ("power", "calibration", "coverage"):
        ax = drawn(made["study"].plot(kind=kind))
        assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1, kind


def test_many_lines_differ_without_colour():
    assert len({(str(style), marker) for _, style, marker in SERIES}) == len(SERIES)
    assert len({marker for *_, marker in SERIES}) == len(SERIES)
