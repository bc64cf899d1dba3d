"""The critical-difference diagram: places of names and bars, nothing overlaps, nothing leaves the figure."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

import clearwin as cw
from clearwin.plots.critical_difference import draw_diagram, layout
from clearwin.plots.drawing import rendered, save
from tests.two_scores import HOSTILE


def made(k, n=20, names=None, gap=1.2, seed=1):
    scores = np.random.default_rng(seed).normal(size=(n, k)) + np.linspace(0, gap, k)
    return cw.rank_data_sets(scores, names=names, n_resamples=10, rng=1)


def boxes(ax):
    ax.figure.draw_without_rendering()
    return {text.get_text(): text.get_window_extent() for text in ax.texts}


@pytest.mark.parametrize(
    ("k", "name"),
    [*((k, "W" * 40) for k in (2, 3, 5, 8, 12, 20)), (2, "m"), (20, "m"), (5, "a longer name"), (12, "a longer name")],
)
def test_no_two_texts_overlap_and_all_stay_inside(k, name):
    ax = made(k, names=[f"{i}{name}{i}" for i in range(k)]).plot()
    found = boxes(ax)
    assert len(found) >= k + 3
    assert sum("joined: not told apart at 0.05 by Wilcoxon's test" in text for text in found) == 1
    inside = ax.figure.bbox
    for text, box in found.items():
        assert inside.x0 <= box.x0, text
        assert box.x1 <= inside.x1, text
        assert inside.y0 <= box.y0, text
        assert box.y1 <= inside.y1, text
    for (one, a), (two, b) in itertools.combinations(found.items(), 2):
        assert not a.overlaps(b), (one, two)


def test_names_stand_beside_the_scale_in_the_order_of_their_ranks():
    r = made(5)
    plan = layout(r)
    assert [label.rank for label in plan.labels] == sorted(r.mean_ranks)
    assert [label.side for label in plan.labels] == ["left"] * 3 + ["right"] * 2
    rows = [(label.side, label.row) for label in plan.labels]
    assert len(set(rows)) == 5
    # the best is highest at the left, the worst highest at the right, so that no two lines cross
    assert rows[0][1] == rows[4][1] < rows[1][1] == rows[3][1] < rows[2][1]
    assert all(label.text.endswith(f"{label.rank:.2f}") for label in plan.labels)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("by_nemenyi", [False, True])
def test_bars_span_the_groups_and_do_not_meet(seed, by_nemenyi):
    r = made(12, n=60, seed=seed, gap=3)
    plan = layout(r, by_nemenyi=by_nemenyi)
    rank = dict(zip(r.names, r.mean_ranks, strict=True))
    groups = r.nemenyi_groups if by_nemenyi else r.groups
    assert [bar.ranks for bar in plan.bars] == [tuple(rank[name] for name in group) for group in groups]
    assert ("Nemenyi" in plan.words) == by_nemenyi
    for one, two in itertools.combinations(plan.bars, 2):
        assert one.row != two.row or one.end < two.start or two.end < one.start
    assert max(bar.row for bar in plan.bars) < min(label.row for label in plan.labels)


def test_the_ruler_is_as_long_as_the_critical_difference():
    r = made(5)
    ax = r.plot(kind="critical_difference")
    ruler = next(line for line in ax.get_lines() if line.get_color() == "#D55E00")
    start, end = ruler.get_xdata()
    assert end - start == pytest.approx(r.critical_difference)
    assert any("joined: not told apart at 0.05 by Nemenyi's test" in text.get_text() for text in ax.texts)
    assert not [line for line in r.plot().get_lines() if line.get_color() == "#D55E00"]  # Wilcoxon's has none


def test_a_ruler_longer_than_the_axes_ends_inside():
    ax = made(2, n=2).plot(kind="critical_difference")
    assert all(max(line.get_xdata()) <= ax.get_xlim()[1] for line in ax.get_lines())


def test_given_axes_are_drawn_on_and_returned():
    ax = Figure(figsize=(9, 4)).add_subplot(1, 2, 2)
    r = made(4)
    assert r.plot(ax) is ax
    assert draw_diagram(r).figure is not ax.figure


def test_identical_models_are_drawn():
    r = cw.rank_data_sets(np.ones((5, 4)), n_resamples=10)
    assert len(layout(r).bars) == 1
    boxes(r.plot())


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_drawn_as_they_are(tmp_path, name):
    path = tmp_path / "x.svg"
    save(made(3, names=[name, "日本語", "c"]).plot().figure, path)
    shown = name.replace("\x1b", r"\x1b").replace("\n", r"\n")
    texts = ["".join(node.itertext()) for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.strip().startswith(shown) for text in texts)


def test_the_same_input_gives_the_same_bytes():
    """In SVG; that PNG and PDF are saved alike, too, is tested with the pictures of results."""
    first, second = (rendered(made(5).plot().figure, "svg") for _ in "ab")
    assert first == second
