"""Boards of 2 to 60 models with long names: nothing is cut off, nothing meets, names stay different, no warning."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import clearwin as cw
from clearwin.plots import pictures
from clearwin.plots.drawing import new_axes, rendered
from clearwin.plots.forest import letter_columns


def board(m):
    """Models that differ in steps, so that groups overlap; their long names differ in the middle."""
    rng = np.random.default_rng(1)
    y = (rng.random(1_500) < 0.4).astype(int)
    names = [f"meta-llama/Llama-3.1-8B-Instruct-{j:03}-quantised-checkpoint-final" for j in range(m)]
    models = {name: np.where(rng.random(y.size) < 0.1 + 0.25 * j / m, 1 - y, y) for j, name in enumerate(names)}
    return cw.rank(y, models, measure="accuracy", correction="max-t", n_resamples=200, rng=1)


@pytest.fixture(scope="module", params=[2, 8, 12, 60])
def ranked(request):
    return board(request.param)


@pytest.mark.parametrize("kind", ["ranks", "values", "pairs"])
def test_all_words_stay_inside_and_apart(ranked, kind):
    ax = ranked.plot(kind=kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rendered(ax.figure, "svg")
    names = ax.get_yticklabels()
    shown = [text.get_text() for text in names]
    assert len(set(shown)) == len(shown) == min(60, len(ranked.pairs) if kind == "pairs" else len(ranked.models))
    inside = ax.figure.bbox
    boxes = [text.get_window_extent() for text in [*names, *ax.texts] if text.get_text()]
    for box in boxes:
        assert box.x0 >= inside.x0
        assert box.x1 <= inside.x1
        assert box.y0 >= inside.y0
        assert box.y1 <= inside.y1
    rows = [text.get_window_extent() for text in names]
    assert not any(one.overlaps(two) for one, two in itertools.pairwise(rows))
    assert ax.get_window_extent().width > 0.2 * inside.width  # room is left for what is drawn


def test_letters_stand_where_the_models_have_them(ranked):
    ax = ranked.plot()
    drawn = {(text.get_text(), text.get_position()[1]) for text in ax.texts}
    for row, model in enumerate(ranked.models):
        assert all((letter, row) in drawn for letter in model.letters)
    bars = [line for line in ax.get_lines() if line.get_gid() == "letter"]
    assert len(bars) == len(ranked.groups)
    inside = ax.figure.bbox
    ax.figure.draw_without_rendering()
    assert all(bar.get_window_extent().x1 <= inside.x1 for bar in bars)


def test_more_letters_than_find_room_are_bars_only():
    """26 groups that all meet in the middle."""
    r = board(60)
    letters = ["".join(chr(97 + g) for g in range(26) if abs(g - row) <= 20) for row in range(60)]
    crowded = replace(r, models=tuple(replace(one, letters=word) for one, word in zip(r.models, letters, strict=True)))
    ax = crowded.plot()
    rendered(ax.figure, "svg")
    assert ax.get_window_extent().width > 0.2 * ax.figure.bbox.width
    assert len([line for line in ax.get_lines() if line.get_gid() == "letter"]) == 26
    assert not [text for text in ax.texts if text.get_text() == "a"]


@pytest.mark.parametrize("seed", range(20))
def test_groups_in_one_column_do_not_meet(seed):
    rng = np.random.default_rng(seed)
    groups = {letter: sorted({int(x) for x in rng.integers(0, 30, 2)}) for letter in "abcdefghij"}
    letters = ["".join(x for x, rows in groups.items() if rows[0] <= row <= rows[-1]) for row in range(30)]
    columns = letter_columns(letters)
    assert sorted(letter for column in columns for letter in column) == sorted(groups)
    for column in columns:
        spans = sorted((rows[0], rows[-1]) for rows in column.values())
        assert all(one[1] < two[0] for one, two in itertools.pairwise(spans))


def test_numbers_serve_as_letters():
    assert letter_columns(["a(53)", "(53)"]) == [{"a": [0]}, {"(53)": [0, 1]}]


@pytest.mark.parametrize("m", [2, 12])
def test_on_a_phone_names_stand_above_their_rows_and_zero_is_seen(m):
    for picture in pictures(board(m)):
        assert picture.narrow is not None
        ax = picture.draw(new_axes(picture.narrow))
        ax.figure.draw_without_rendering()
        inside = ax.figure.bbox
        assert ax.get_window_extent().width > 0.85 * inside.width
        boxes = [(text.get_text(), text.get_window_extent()) for text in ax.texts if text.get_text().strip()]
        assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 for _, box in boxes)
        assert not [(a, b) for (a, one), (b, two) in itertools.combinations(boxes, 2) if one.overlaps(two)]
        if picture.name == "pairs":
            left, right = ax.get_xlim()
            assert left <= 0.0 <= right
