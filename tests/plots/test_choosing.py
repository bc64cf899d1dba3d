"""Pictures of results: every kind of result has some, they hold the numbers, and names in them are text."""

from __future__ import annotations

import dataclasses
import itertools
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import clearwin as cw
from clearwin.cli import main
from clearwin.numerics.intervals import Interval
from clearwin.plots import picture_svg, pictures
from clearwin.plots.confusion import PARTS, _shade, contrast, draw_confusion, draw_mosaic, ink_on, spread
from clearwin.plots.differences import as_far_out, bars
from clearwin.plots.drawing import GREY, SERIES, STYLES, Picture, new_axes, pictures_of, save, short_name, short_names
from clearwin.plots.forest import MOST_ROWS, Row, draw_forest, ends_of
from clearwin.results.comparison import Confusion
from tests.analyses.test_curve import HOSTILE
from tests.one_of_each import experiment

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, 200)
A = np.where(RNG.random(200) < 0.7, TRUTH, 1 - TRUTH)
B = np.where(RNG.random(200) < 0.8, TRUTH, 1 - TRUTH)
SCORES = [TRUTH + RNG.normal(size=200) for _ in range(3)]
CLASSES = RNG.integers(0, 3, 150)
GUESSES = [np.where(RNG.random(150) < share, CLASSES, RNG.integers(0, 3, 150)) for share in (0.5, 0.7, 0.8)]
FOLDS = [0.8 + 0.02 * RNG.normal(size=10) for _ in range(2)]
SETS = [RNG.random((60, 4)) < 0.5 for _ in range(3)]
FEW = {"n_resamples": 300, "rng": 1}


def decisions(names=("A", "B"), **settings):
    return cw.compare(TRUTH, A, B, names=names, **{"measure": "f1", **FEW, **settings})


# one for each kind of result, and more where a result may look different; all take the names of two models
MADE = {
    "bootstrap": lambda *n: decisions(n, test="bootstrap"),
    "permutation": lambda *n: decisions(n, test="permutation"),
    "sampled": lambda *n: decisions(n, test="permutation", method="monte_carlo"),
    "one-sided": lambda *n: decisions(n, test="bootstrap", claim="better"),
    "one-sided permutation": lambda *n: decisions(n, test="permutation", claim="worse"),
    "mcnemar": lambda *n: decisions(n, measure="accuracy", test="mcnemar"),
    "classes of one item each": lambda *n: cw.compare(range(40), range(40), range(40), measure="accuracy", names=n),
    "three classes": lambda *n: cw.compare(CLASSES, *GUESSES[:2], measure="macro_f1", names=n, **FEW),
    "scores": lambda *n: cw.compare(TRUTH, *SCORES[:2], measure="auc", names=n, **FEW),
    "values": lambda *n: cw.compare(None, *SCORES[:2], measure="mean", names=n, **FEW),
    "label sets": lambda *n: cw.compare(*SETS, measure="macro_f1", names=n, **FEW),
    "whole label sets": lambda *n: cw.compare(*SETS, measure="subset_accuracy", names=n, **FEW),
    "unpaired": lambda *n: cw.compare_unpaired(TRUTH, SCORES[0], TRUTH, SCORES[1], names=n),
    "estimate": lambda *n: cw.estimate(TRUTH, A, measure="accuracy", name=n[0]),
    "estimate by bootstrap": lambda *n: cw.estimate(TRUTH, A, measure="f1", name=n[0], **FEW),
    "estimate of scores": lambda *n: cw.estimate(TRUTH, SCORES[0], measure="auc", name=n[0], **FEW),
    "chance": lambda *n: cw.against_chance(CLASSES, GUESSES[0], name=n[0], rng=1),
    "per class": lambda *n: cw.compare_by_class(CLASSES, *GUESSES[:2], names=n, **FEW),
    "per label": lambda *n: cw.compare_by_class(*SETS, names=n, **FEW),
    "board": lambda *n: cw.rank(CLASSES, dict(zip((*n, "c"), GUESSES, strict=True)), measure="accuracy", **FEW),
    "board with baseline": lambda *n: cw.rank(
        CLASSES, dict(zip((*n, "c"), GUESSES, strict=True)), measure="accuracy", baseline="c", **FEW
    ),
    "folds": lambda *n: cw.compare_folds(*FOLDS, design="k-fold", names=n),
    "folds, one-sided": lambda *n: cw.compare_folds(*FOLDS, design="k-fold", claim="better", names=n),
    "folds, posterior": lambda *n: cw.compare_folds(*FOLDS, design="k-fold", test="bayes_t", names=n),
    "many folds": lambda *n: cw.compare_folds(*RNG.random((2, 400)), design="independent", names=n),
    "roc": lambda *n: cw.curve(TRUTH, *SCORES[:2], bands=True, names=n, n_resamples=50, rng=1),
    "det": lambda *n: cw.curve(TRUTH, SCORES[0], kind="det", names=n),
    "pr": lambda *n: cw.curve(TRUTH, *SCORES[:2], kind="pr", names=n),
    "study": lambda *n: cw.study(
        TRUTH,
        A,
        B,
        measure="accuracy",
        tests=("mcnemar", "bootstrap"),
        test_size=60,
        n_sets=30,
        n_resamples=49,
        alphas=(0.1, 0.05),
        rng=1,
        names=n,
    ),
    "experiment": lambda *n: experiment(n),
    "data sets": lambda *n: cw.rank_data_sets({name: RNG.random(12) for name in (*n, "c")}, n_resamples=50, rng=1),
}
# whose pictures are drawn by the same code as those of others
ALIKE = {
    "sampled",
    "one-sided permutation",
    "whole label sets",
    "scores",
    "values",
    "unpaired",
    "estimate of scores",
    "board with baseline",
    "folds, one-sided",
    "folds, posterior",
    "per label",
}
every = pytest.mark.parametrize("key", MADE)


@pytest.fixture(scope="module")
def made():
    return {key: make("old", "new") for key, make in MADE.items()}


def texts(svg):
    root = ET.fromstring(svg)
    return [" ".join("".join(node.itertext()).split()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def named(result, name, **how):
    return next(picture for picture in pictures(result, **how) if picture.name == name)


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


@pytest.mark.parametrize("key", sorted(set(MADE) - ALIKE))
def test_svg_is_plain_and_repeatable(made, key):
    ids = []
    for picture in pictures(made[key]):
        text = picture_svg(picture)
        root = ET.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        for node in root.iter():
            assert node.tag.rpartition("}")[2] in {
                "svg",
                "title",
                "desc",
                "g",
                "path",
                "text",
                "tspan",
                "use",
                "defs",
                "clipPath",
                "rect",
                "pattern",
            }
            for name, value in node.attrib.items():
                assert name not in ("style", "class")
                assert not name.startswith("on")
                assert "http" not in value
                if name.endswith("href"):
                    assert value.startswith("#")
        found = [node.attrib["id"] for node in root.iter() if "id" in node.attrib]
        used = set(re.findall(r'(?:href="|url\()#([\w-]+)', text)) | set(re.findall(r'aria-\w+="([^"]+)"', text))
        assert used == set(found), "every id is used, and every use has its id"
        assert all(i.startswith("cw") for i in found)
        assert root[0].text == picture.title
        assert root[1].text == picture.alt
        assert len(text) < 100_000
        ids += found
    assert len(set(ids)) == len(ids), "several pictures fit into one page"
    assert text == picture_svg(picture)


NASTY = [*HOSTILE, "=1+2", "../x", "\u202eevil", "</svg><script>alert(1)</script>"]
OF_MODELS = ("bootstrap", "mcnemar", "estimate", "chance", "board", "folds", "roc", "data sets")


@pytest.mark.parametrize(("i", "key"), list(enumerate(OF_MODELS)))
def test_hostile_names_are_text(i, key):
    # every kind of text meets names of every kind in turn
    for name in (NASTY[i % len(NASTY)], NASTY[(i + 7) % len(NASTY)]):
        cut = " ".join(short_name(name).split())[:6]
        for picture in pictures(MADE[key](name, "other")):
            found = picture_svg(picture)
            assert "<script" not in found
            if picture.name not in ("recalls", "confusion_b"):
                assert any(cut in text for text in texts(found)), picture.name


@pytest.mark.parametrize("name", NASTY)
def test_hostile_names_are_text_in_ticks_legends_and_labels(name):
    shown = " ".join(short_name(name).split())[:6]
    r = decisions((name, "other"), measure="accuracy", test="mcnemar")
    for kind in ("interval", "mosaic", "confusion_a"):
        ax = r.plot(kind=kind)
        legend = ax.get_legend().get_texts() if ax.get_legend() else []
        holding = [text for text in (ax.xaxis.label, *ax.get_yticklabels(), *legend) if shown in text.get_text()]
        assert holding
        assert not any(text.get_parse_math() or text.get_usetex() for text in holding)


def test_hostile_labels_are_text():
    labels = np.array([*HOSTILE, "</text><script>"])
    y = RNG.integers(0, len(labels), 200)
    a = np.where(RNG.random(200) < 0.5, y, RNG.integers(0, len(labels), 200))
    for result in (
        cw.compare(labels[y], labels[a], labels[y], measure="accuracy"),
        cw.against_chance(labels[y], labels[a]),
    ):
        for picture in pictures(result):
            found = texts(picture_svg(picture))
            if picture.name in ("mosaic", "confusion", "confusion_a", "confusion_b", "recalls"):
                for label in labels:
                    assert any(text.startswith(" ".join(short_name(label, 14).split())[:6]) for text in found), label


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


def steps(ax, which=0):
    data = ax.patches[which].get_data()
    return data.values, data.edges


def interval_line(ax):
    return next(line for line in ax.get_lines() if line.get_gid() == "interval")


def test_bars_hold_all_replicates_and_the_interval_ends_where_it_should(made):
    for key, value in (("bootstrap", "difference"), ("estimate by bootstrap", "estimate")):
        r = made[key]
        ax = r.plot()
        heights, edges = steps(ax)
        assert heights.sum() == r.distribution.values.size == 300
        np.testing.assert_array_equal(heights, np.histogram(r.distribution.values, edges)[0])
        assert tuple(interval_line(ax).get_xdata()) == (r.interval.low, r.interval.high)
        mark = next(line for line in ax.get_lines() if line.get_marker() == "D")
        assert mark.get_xdata()[0] == getattr(r, value)
        zeros = [line for line in ax.get_lines() if list(line.get_xdata()) == [0, 0]]
        assert len(zeros) == (key == "bootstrap")


def test_an_open_side_reaches_the_edge_with_an_arrow(made):
    r = made["one-sided"]
    ax = r.plot()
    assert tuple(interval_line(ax).get_xdata()) == (r.interval.low, ax.get_xlim()[1])
    assert [line.get_marker() for line in ax.get_lines() if line.get_marker() in "<>"] == [">"]
    assert ends_of(Interval(-np.inf, 0.5, 0.95, "t")) == (None, 0.5)


def test_the_null_distribution_holds_all_probability_and_its_tails_are_the_p_value(made):
    for key in ("permutation", "sampled", "one-sided permutation"):
        r = made[key]
        ax = r.plot()
        (everything, _), (tails, _) = steps(ax, 0), steps(ax, 1)
        total = 1.0 if r.distribution.weights is not None else 300
        assert everything.sum() == pytest.approx(total)
        # of a sampled one the observed arrangement counts, too (+1 in numerator and denominator)
        expected = r.p_value if total == 1.0 else (r.p_value * 301 - 1) / 300
        assert tails.sum() / total == pytest.approx(expected, rel=1e-4)
        observed = [line for line in ax.get_lines() if list(line.get_xdata()) == [r.difference] * 2]
        assert len(observed) == 1


def test_the_shaded_part_of_an_exact_null_distribution_is_p():
    rng = np.random.default_rng(5)
    shown = 0
    for n in (20, 30, 45, 60, 90, 140):
        truth = rng.integers(0, 2, n)
        a, b = (np.where(rng.random(n) < share, truth, 1 - truth) for share in (0.6, 0.85))
        for measure, claim in itertools.product(
            ("f1", "mcc", "accuracy", "error_rate"), ("different", "better", "worse")
        ):
            r = cw.compare(truth, a, b, measure=measure, claim=claim, test="permutation", n_resamples=50, rng=1)
            assert r.distribution.weights is not None
            (everything, _), (tails, _) = (steps(r.plot(), which) for which in (0, 1))
            assert everything.sum() == pytest.approx(1.0)
            assert tails.sum() == pytest.approx(r.p_value, rel=1e-4), (n, measure, claim)
            assert (tails <= everything + 1e-9).all()
            shown += 1
    assert shown == 72


def test_the_shaded_part_lies_outside_the_observed_difference():
    values = cw.compare(
        None, *np.random.default_rng(1).integers(0, 500, (2, 60)) / 10, measure="mean", test="permutation"
    )
    for r in (decisions(test="permutation"), decisions(test="permutation", claim="better"), values):
        assert r.distribution.weights is not None
        bin_width = r.distribution.values[1] - r.distribution.values[0]
        shaded = as_far_out(r, r.distribution)
        out = np.abs(r.distribution.values) if r.claim == "different" else r.distribution.values
        observed = abs(r.difference)
        assert (shaded[out < observed - bin_width] == 0).all()
        outside = out > observed + bin_width
        assert shaded[outside] == pytest.approx(r.distribution.weights[outside])


# ---- what is better, and at which level


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


def marks(ax):
    """Return which rows have filled marks."""
    return [line.get_markerfacecolor() != "white" for line in ax.get_lines() if line.get_marker() in ("s", "o")]


def key_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


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


def test_bars_of_a_lattice_hold_equally_many_points():
    values = RNG.integers(-70, 71, 5000) / 1500
    heights, edges = bars(values, None)
    assert heights.sum() == 5000
    assert heights.size <= 60
    points = np.histogram(np.arange(-70, 71) / 1500, edges)[0]
    assert set(points[:-1]) == {3}
    assert bars(np.zeros(7), None)[0].tolist() == [7.0]
    heights, _ = bars(np.array([-1.0, 0.0, 1.0]), np.array([0.25, 0.5, 0.25]))
    assert heights[heights > 0].tolist() == [0.25, 0.5, 0.25]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_any_scale_is_drawn(scale):
    a, b = RNG.normal(size=(2, 30)) * scale
    for test in ("bootstrap", "permutation"):
        r = cw.compare(None, a, b, measure="mean", test=test, **FEW)
        heights, _ = steps(r.plot())
        assert heights.sum() == pytest.approx(300)
        [(box, _)] = [(text.get_window_extent(), text) for text in drawn(r.plot()).get_legend().get_texts()][1:2]
        assert box.x1 < r.plot().figure.bbox.x1 * 1.01


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


def drawn(ax):
    ax.figure.draw_without_rendering()
    return ax


def test_identical_models_are_drawn():
    for test in ("bootstrap", "permutation", "mcnemar"):
        cw.compare(TRUTH, A, A, measure="accuracy", test=test, **FEW).plot().figure.draw_without_rendering()


# ---- intervals and margins


def test_a_margin_is_drawn_and_told(made):
    r = made["mcnemar"]
    ax = r.plot(margin=0.05)
    verticals = [
        line.get_xdata()[0] for line in ax.get_lines() if len(set(line.get_xdata())) == 1 and len(line.get_xdata()) == 2
    ]
    assert {-0.05, 0.0, 0.05} <= set(verticals)
    assert tuple(interval_line(ax).get_xdata()) == (r.interval.low, r.interval.high)
    assert pictures(made["bootstrap"], margin=0.5)[0].name == "interval"
    assert "lies within the margin of ±0.5000" in pictures(made["bootstrap"], margin=0.9)[0].alt.replace(
        "0.9000", "0.5000"
    )
    for key in ("per class", "board", "folds"):
        made[key].plot(margin=0.01)
    with pytest.raises(cw.errors.OptionError, match="margin is -1"):
        r.plot(margin=-1)
    with pytest.raises(cw.errors.OptionError, match="no differences to hold against a margin"):
        made["estimate"].plot(margin=0.1)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.01, 0.01, "lies within the margin of ±0.0200"),
        (-0.01, 0.05, "lies above −0.0200"),
        (0.03, 0.05, "lies above +0.0200"),
        (-0.05, 0.01, "lies below +0.0200"),
        (-0.05, -0.03, "lies below −0.0200"),
        (-0.05, 0.05, "beyond the margin of ±0.0200 on both sides"),
        (-np.inf, 0.01, "lies below +0.0200"),
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


# ---- tables


def test_the_record_carries_the_joint_outcomes(made):
    joint = made["three classes"].joint
    assert joint.labels == ("0", "1", "2")
    for cells, guess in ((joint.confusion_a, GUESSES[0]), (joint.confusion_b, GUESSES[1])):
        for i in range(3):
            for j in range(3):
                assert cells[i][j] == ((i == CLASSES) & (guess == j)).sum()
    right_a, right_b = (guess == CLASSES for guess in GUESSES[:2])
    for i, one in enumerate(joint.classes):
        here = i == CLASSES
        assert one.both_right == (here & right_a & right_b).sum()
        assert one.only_a_wrong == (here & ~right_a & right_b).sum()
        assert one.only_b_wrong == (here & right_a & ~right_b).sum()
        assert one.both_wrong == (here & ~right_a & ~right_b).sum()
    found = made["three classes"].to_dict()["joint"]
    assert found["confusion_a"] == [list(row) for row in joint.confusion_a]
    assert made["estimate"].to_dict()["confusion"]["labels"] == ["0", "1"]
    # too many classes, and data without classes
    for key in ("classes of one item each", "scores", "values", "label sets", "whole label sets"):
        assert made[key].joint is None
    assert "mosaic" in [picture.name for picture in pictures(made["label sets"])]
    assert [picture.name for picture in pictures(made["scores"])] == ["null", "interval"]


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
    assert f"Drawn are the first {MOST_ROWS}." in picture.alt


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
    for share in np.linspace(0, 1, 101):
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


# ---- places and folds


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


def test_folds_are_dots_with_mean_and_interval(made):
    r = made["folds"]
    ax = r.plot(margin=0.03)
    dots = next(line for line in ax.get_lines() if line.get_marker() == "o")
    assert dots.get_ydata() == pytest.approx(r.differences)
    heights = [line.get_ydata()[0] for line in ax.get_lines() if line.get_marker() != "o"]
    assert heights == pytest.approx([r.difference, 0.0, -0.03, 0.03])
    [band] = ax.patches
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx((r.interval.low, r.interval.high))
    counts, _ = steps(made["many folds"].plot())
    assert counts.sum() == 400


def test_folds_without_an_interval_show_none():
    # the combined F test rejects every difference: all rounds far apart from each other in both folds
    a = np.zeros((5, 2))
    b = np.array([[1.0, 1.0001], [-1.0, -1.0001], [1.0, 1.0001], [-1.0, -1.0001], [1.0, 1.0001]])
    r = cw.compare_folds(a, b, design="5x2", test="5x2cv_f")
    assert "empty" in str(r)
    assert not r.plot().patches
    assert "interval" not in pictures(r)[0].alt


# ---- studies


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


def test_a_legend_above_narrow_axes_has_one_column(made):
    for width, columns in ((6.8, 2), (3.4, 1)):
        ax = made["per class"].plot(new_axes((width, 3)))
        assert ax.get_legend()._ncols == columns
        assert drawn(ax).get_window_extent().width > 0.4 * ax.figure.bbox.width


def test_many_lines_differ_without_colour():
    assert len({(str(style), marker) for _, style, marker in SERIES}) == len(SERIES)
    assert len({marker for *_, marker in SERIES}) == len(SERIES)


# ---- files and the command


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_saved_alike_on_any_day(tmp_path, made, ending):
    contents = []
    for i in range(2):
        save(made["bootstrap"].plot().figure, tmp_path / f"{i}.{ending}")
        contents.append((tmp_path / f"{i}.{ending}").read_bytes())
    assert contents[0] == contents[1]


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


def test_pyplot_is_never_needed():
    code = (
        "import sys, clearwin as cw; from clearwin.plots import pictures, picture_svg; "
        "assert 'matplotlib' not in sys.modules; "
        "r = cw.compare([1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0], measure='f1', rng=1, n_resamples=50); "
        "[picture_svg(p) for p in pictures(r)]; print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_picture_of_ones_own():
    picture = Picture("dot", "A dot", "A dot at 1.", lambda ax: ax.plot([1], "o")[0].axes)
    assert 'viewBox="0 0 144 72"' in picture_svg(picture, width=2, height=1)
    assert draw_confusion.__doc__
    assert draw_mosaic.__doc__
