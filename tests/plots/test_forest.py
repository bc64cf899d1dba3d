"""Intervals under each other: rows, marks, margins, places, and what the key says."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import clearwin as cw
from clearwin.numerics.intervals import Interval
from clearwin.plots import pictures
from clearwin.plots.drawing import new_axes, rendered
from clearwin.plots.forest import MOST_ROWS, Row, draw_forest, letter_columns
from tests.plots.made import CLASSES, FEW, GUESSES, RNG, decisions, interval_line, key_of, marks, named


def test_a_filled_mark_means_what_the_decision_is_and_the_key_says_so(made):
    r = made["mcnemar"]
    for decision, words in {"better": "shown", "not shown": "not shown", "not decided": "not decided"}.items():
        so = dataclasses.replace(r, decision=decision)
        assert marks(so.plot(kind="interval")) == [decision == "better"]
        assert key_of(so.plot(kind="interval")) == ["shown at 0.05", "not shown", "95 % interval"]
        assert named(so, "interval").alt.endswith(f": {words} at 0.05.")
    wider = decisions(measure="accuracy", test="mcnemar", confidence_level=0.99)
    assert key_of(wider.plot(kind="interval"))[0] == "shown at 0.01"
    assert key_of(made["board"].plot(kind="values")) == ["estimate", "95 % interval"]
    assert key_of(made["chance"].plot(kind="recalls")) == ["all items", "one class", "95 % interval"]


def test_the_level_reaches_the_forest_and_its_words(made):
    strict = cw.compare_by_class(CLASSES, *GUESSES[:2], names=("a", "b"), **FEW, confidence_level=1 - 1e-9)
    for r, level in ((made["per class"], "0.05"), (strict, "1e-09")):
        count = sum(one.decision in ("better", "worse") for one in r.classes)
        assert (count > 0) == (level == "0.05")
        ax = r.plot()
        assert sum(marks(ax)) == count
        assert key_of(ax)[:2] == [f"shown at {level}, p corrected", "not shown"]
        assert f"shown in {count} of them at {level} with p corrected" in pictures(r)[0].alt


def test_forests_say_that_intervals_are_not_corrected(made):
    for key, kind in (("per class", "forest"), ("board", "pairs"), ("data sets", "pairs")):
        assert key_of(made[key].plot(kind=kind))[2].endswith("interval, not corrected")
        assert "The intervals are not corrected." in named(made[key], kind).alt
    alone = cw.rank(CLASSES, dict(zip("ab", GUESSES, strict=False)), measure="accuracy", **FEW)
    assert key_of(alone.plot(kind="pairs")) == ["shown at 0.05", "not shown", "95 % interval"]
    assert "not corrected" not in named(alone, "pairs").alt


def test_a_margin_is_drawn_and_told(made):
    r = made["mcnemar"]
    ax = r.plot(margin=0.05)
    verticals = [
        line.get_xdata()[0] for line in ax.get_lines() if len(set(line.get_xdata())) == 1 and len(line.get_xdata()) == 2
    ]
    assert {-0.05, 0.0, 0.05} <= set(verticals)
    assert tuple(interval_line(ax).get_xdata()) == (r.interval.low, r.interval.high)
    assert pictures(made["bootstrap"], margin=0.5)[0].name == "interval"
    assert "lies within the margin of ±0.9" in pictures(made["bootstrap"], margin=0.9)[0].alt
    for key in ("per class", "board", "folds"):
        made[key].plot(margin=0.01)
    with pytest.raises(cw.errors.OptionError, match="margin is -1"):
        r.plot(margin=-1)
    with pytest.raises(cw.errors.OptionError, match="no differences to compare with a margin"):
        made["estimate"].plot(margin=0.1)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.01, 0.01, "lies within the margin of ±0.02"),
        (-0.01, 0.05, "lies above -0.02"),
        (0.03, 0.05, "lies above +0.02"),
        (-0.05, 0.01, "lies below +0.02"),
        (-0.05, -0.03, "lies below -0.02"),
        (-0.05, 0.05, "beyond the margin of ±0.02 on both sides"),
        (-np.inf, 0.01, "lies below +0.02"),
    ],
)
def test_where_an_interval_lies(low, high, words):
    from clearwin.plots.forest import against_margin

    assert words in against_margin([Row("B − A", 0.0, Interval(low, high, 0.95, "wald"))], 0.02)


def test_forests_have_a_row_for_each_class_label_model_and_pair(made):
    for key, kind, values in (
        ("per class", "forest", [one.difference for one in made["per class"].classes]),
        ("board", "values", [one.estimate for one in made["board"].models]),
        ("board", "pairs", [one.difference for one in made["board"].pairs]),
        ("chance", "recalls", [made["chance"].efficiency, *(one.recall for one in made["chance"].recalls)]),
        ("data sets", "pairs", [one.difference for one in made["data sets"].pairs]),
    ):
        ax = made[key].plot(kind=kind)
        marks = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() in ("s", "o")]
        assert sorted(marks) == pytest.approx(sorted(values)), (key, kind)
        assert len(ax.get_yticklabels()) == len(values)
        lines = [tuple(line.get_xdata()) for line in ax.get_lines() if line.get_gid() == "interval"]
        assert len(lines) == len(values)


def test_shown_and_not_shown_differ_without_colour():
    rows = [Row("yes", 1.0, None, True), Row("no", 2.0, None, False)]
    first, second = (line for line in draw_forest(rows, x="x").get_lines() if line.get_marker() in ("s", "o"))
    assert first.get_marker() != second.get_marker()
    assert second.get_markerfacecolor() == "white"


def test_very_many_pairs_are_cut_and_that_is_told():
    models = {f"m{i}": np.where(RNG.random(150) < 0.5, CLASSES, 0) for i in range(14)}
    r = cw.rank(CLASSES, models, measure="accuracy", n_resamples=200, rng=1)
    picture = named(r, "pairs")
    assert f"Only the {MOST_ROWS} with the smallest p are drawn." in picture.alt
    assert len(picture.draw(new_axes(picture.size)).get_yticklabels()) == MOST_ROWS


def test_places_and_letters(made):
    r = made["board"]
    ax = r.plot()
    spans = [tuple(line.get_xdata()) for line in ax.get_lines() if line.get_alpha() == 0.45]
    assert spans == [(one.best_rank, one.worst_rank) for one in r.models]
    assert [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "s"] == [
        one.rank for one in r.models
    ]
    letters = [text for text in ax.texts if len(text.get_text()) == 1]
    written = dict.fromkeys(range(len(r.models)), "")
    for text in sorted(letters, key=lambda text: text.get_position()):
        written[round(text.get_position()[1])] += text.get_text()
    assert [written[i] for i in range(len(r.models))] == ["".join(sorted(one.letters)) for one in r.models]


def board(m):
    """Models that differ in steps, so that groups overlap; their long names differ in the middle."""
    rng = np.random.default_rng(1)
    y = (rng.random(1_500) < 0.4).astype(int)
    names = [f"meta-llama/Llama-3.1-8B-Instruct-{j:03}-quantised-checkpoint-final" for j in range(m)]
    models = {name: np.where(rng.random(y.size) < 0.1 + 0.25 * j / m, 1 - y, y) for j, name in enumerate(names)}
    return cw.rank(y, models, measure="accuracy", correction="max-t", n_resamples=200, rng=1)


@pytest.fixture(scope="module", params=[2, 12, 60])
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
    r = board(40)
    letters = ["".join(chr(97 + g) for g in range(26) if abs(g - row) <= 20) for row in range(40)]
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
