"""Intervals under each other: rows, marks, margins, places, and what the key says."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import clearwin as cw
from clearwin.numerics.intervals import Interval
from clearwin.plots import pictures
from clearwin.plots.drawing import new_axes
from clearwin.plots.forest import MOST_ROWS, Row, draw_forest
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
    with pytest.raises(cw.errors.OptionError, match="no differences to hold against a margin"):
        made["estimate"].plot(margin=0.1)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.01, 0.01, "lies within the margin of ±0.02"),
        (-0.01, 0.05, "lies above −0.02"),
        (0.03, 0.05, "lies above +0.02"),
        (-0.05, 0.01, "lies below +0.02"),
        (-0.05, -0.03, "lies below −0.02"),
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
    assert f"Drawn are the {MOST_ROWS} with the smallest p." in picture.alt
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
