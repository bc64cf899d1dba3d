"""Tables of counts as pictures: areas are shares, names stay apart, numbers can be read."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import clearwin as cw
from clearwin.plots import pictures
from clearwin.plots.confusion import PARTS, _shade, contrast, draw_confusion, ink_on, spread
from clearwin.plots.drawing import GREY, STYLES
from clearwin.plots.forest import MOST_ROWS
from clearwin.results.comparison import Confusion
from tests.plots.made import RNG, drawn


def test_areas_of_the_mosaic_are_shares_of_all_items(made):
    for key in ("three classes", "bootstrap", "mcnemar"):
        r = made[key]
        ax = r.plot(kind="mosaic")
        expected = [getattr(one, part) / r.n for one in r.joint.classes for part, *_ in PARTS if getattr(one, part)]
        assert [bar.get_width() * bar.get_height() for bar in ax.patches] == pytest.approx(expected)
        assert sum(expected) == pytest.approx(1)


def test_cells_of_a_confusion_matrix(made):
    r = made["chance"]
    ax = r.plot()
    cells = {tuple(map(int, text.get_position())): int(text.get_text().replace(",", "")) for text in ax.texts}
    assert cells == {(j, i): n for i, row in enumerate(r.matrix) for j, n in enumerate(row) if n}
    assert [text.get_text() for text in ax.get_yticklabels()] == list(r.labels)
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "truth goes down, as in a table"


def test_a_very_large_matrix_is_not_drawn_but_its_recalls_are():
    r = cw.against_chance(np.arange(300) % 70, np.arange(300) % 69, method="chi2")
    [picture] = pictures(r)
    assert picture.name == "recalls"
    assert f"Only the first {MOST_ROWS} are drawn." in picture.alt


def test_parts_of_the_mosaic_differ_in_grey():
    def grey(colour):
        return np.dot(to_rgb(colour), (0.299, 0.587, 0.114))

    shades = sorted(grey(colour) for _, colour, _ in PARTS)
    assert min(np.diff(shades)) > 0.1
    assert STYLES[0][1] != STYLES[1][1]
    assert grey(STYLES[0][0]) != pytest.approx(grey(GREY), abs=0.05)


@pytest.mark.parametrize("k", [2, 10, 28])
def test_many_classes_with_long_names_do_not_overlap(k):
    labels = np.array([f"a rather long class name {i}" for i in range(k)])
    y = np.arange(1200) % k
    a = np.where(RNG.random(1200) < 0.7, y, RNG.integers(0, k, 1200))
    r = cw.compare(labels[y], labels[a], labels[y], measure="accuracy")
    for kind in ("confusion_a", "mosaic"):
        ax = drawn(r.plot(kind=kind))
        for axis in (ax.get_xticklabels(), ax.get_yticklabels()):
            boxes = [text.get_window_extent() for text in axis]
            if kind == "mosaic" and axis[0].get_text().startswith("0"):
                continue
            # turned names have larger boxes than letters: look at what is drawn upright or at right angles
            if axis and axis[0].get_rotation() in (0, 90):
                assert not any(one.overlaps(two) for one, two in itertools.pairwise(boxes)), (kind, k)
        assert ax.get_window_extent().width > 0.4 * ax.figure.bbox.width


@pytest.mark.parametrize(
    ("sizes", "labels"),
    [
        ((980, 12, 8), "012"),
        ((8, 12, 980), "012"),
        ((960, 20, 12, 8), ("a common class", "rare one", "rarer", "the rarest of all")),
        ((2000, *[4] * 24), [str(i) for i in range(25)]),
        ((2000, *[1] * 10, 2000), [f"long name {i}" for i in range(12)]),
    ],
)
def test_names_of_rare_classes_stay_apart_and_lines_lead_to_them(sizes, labels):
    y = np.array(list(labels))[np.repeat(np.arange(len(sizes)), sizes)]
    r = cw.compare(y, np.where(np.arange(y.size) % 7 == 0, y[0], y), y, measure="accuracy")
    ax = drawn(r.plot(kind="mosaic"))
    ticks = ax.get_xticklabels()
    assert len(ticks) == len(sizes)
    places = np.array([text.get_position()[0] for text in ticks])
    if ticks[0].get_rotation() in (0, 90):
        boxes = [text.get_window_extent() for text in ticks]
        assert not any(one.overlaps(two) for one, two in itertools.pairwise(boxes))
    else:  # letters at an angle: the distance of the lines they stand on
        apart = np.diff(places) * ax.get_window_extent().width / ax.figure.dpi * 72
        assert (apart * np.sin(np.radians(ticks[0].get_rotation())) >= ticks[0].get_fontsize()).all()
    leaders = [line for line in ax.get_lines() if line.get_gid() == "leader"]
    ends = np.array([line.get_xdata() for line in leaders])
    shares = np.array([sum(getattr(one, part) for part, *_ in PARTS) for one in r.joint.classes]) / r.n
    assert ends[:, 0] == pytest.approx(np.cumsum(shares) - shares / 2)
    assert ends[:, 1] == pytest.approx(places)


def test_wide_columns_need_no_lines(made):
    ax = made["three classes"].plot(kind="mosaic")
    assert not [line for line in ax.get_lines() if line.get_gid() == "leader"]
    assert spread(np.array([0.1, 0.9]), np.array([0.1])).tolist() == pytest.approx([0.1, 0.9])
    assert spread(np.array([0.5, 0.5, 0.5]), np.array([1.0, 1.0])).tolist() == pytest.approx([0.0, 0.5, 1.0])
    assert spread(np.array([0.5]), np.array([])).tolist() == [0.5]


def test_numbers_in_tables_can_be_read_on_every_shade():
    for share in np.linspace(0, 1, 26):
        n = 1000
        right = round(share * n)
        cells = ((right, n - right), (0, 1))
        for text in draw_confusion(Confusion(("a", "b"), cells), "x").texts:
            x, y = map(int, text.get_position())
            shade = _shade(cells[y][x] / sum(cells[y]))
            assert contrast(text.get_color(), shade) >= 4.5, share
    assert contrast("black", "white") == pytest.approx(21)
    for _, colour, _ in PARTS:
        assert contrast(ink_on(colour), colour) >= 4.5
