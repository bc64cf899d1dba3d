"""What a careful colleague would have noticed: scores the wrong way, rows in another order, values that are missing."""

import html
import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics

import clearwin as cw
from clearwin.significance import chance

STREAM = np.random.RandomState(17)
Y = (np.arange(300) % 3 == 0).astype(int)
A = STREAM.normal(size=300) + 1.2 * Y
B = STREAM.normal(size=300) + 2.0 * Y
OF_SCORES = ("auc", "average_precision", "eer", "min_dcf", "partial_auc")
QUICK = {"n_resamples": 99, "rng": 1}


def codes(result):
    return [caveat.code for caveat in result.caveats]


# --- scores that run the wrong way ------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", OF_SCORES)
def test_every_measure_of_scores_says_first_which_model_runs_the_wrong_way(measure):
    r = cw.compare(Y, -A, B, measure=measure, names=("distance", "network"), **QUICK)
    first = r.caveats[0]
    assert first.code == "wrong_way_round"
    assert f"distance has {1 - metrics.roc_auc_score(Y, A):.3f}" in first.text
    assert "network has" not in first.text
    assert 'use lower_is_positive="distance"' in first.text
    both = cw.compare(Y, -A, -B, measure=measure, **QUICK)
    assert "lower_is_positive=True" in both.caveats[0].text
    assert "wrong_way_round" not in codes(cw.compare(Y, A, B, measure=measure, **QUICK))


@pytest.mark.parametrize("measure", OF_SCORES)
def test_lower_is_positive_is_as_good_as_turning_the_scores(measure):
    turned = cw.compare(Y, A, B, measure=measure, names=("x", "y"), **QUICK)
    for lower, a, b in ((True, -A, -B), ("x", -A, B), (["y"], A, -B), ("b", A, -B), ("x,y", -A, -B), ("all", -A, -B)):
        r = cw.compare(Y, a, b, measure=measure, names=("x", "y"), lower_is_positive=lower, **QUICK)
        assert (r.estimate_a, r.estimate_b, r.p_value, r.interval) == (
            turned.estimate_a,
            turned.estimate_b,
            turned.p_value,
            turned.interval,
        )
        assert set(r.lower_is_positive) <= {"x", "y"}
        assert "wrong_way_round" not in codes(r)


def test_thresholds_are_those_of_the_scores_as_given():
    how = {"measure": "hter", "test": "bootstrap", **QUICK}
    turned = cw.compare(Y, A, B, threshold="best", **how)
    r = cw.compare(Y, -A, B, threshold="best", lower_is_positive="a", **how)
    assert r.thresholds == (-turned.thresholds[0], turned.thresholds[1])
    assert r.estimate_a == turned.estimate_a
    # at most the threshold is positive, as numpy has it
    said = cw.compare(Y, -A, B, threshold=(-0.5, 0.5), lower_is_positive="a", **how)
    assert said.estimate_a == cw.estimate(Y, (-A <= -0.5).astype(int), measure="hter").estimate
    # on a development set, too: its thresholds were infinite, and the rates those of a model that accepts nothing
    dev = cw.compare(Y, -A, -B, dev=(Y, -A, -B), lower_is_positive=True, **how)
    assert np.isfinite(dev.thresholds).all()
    assert dev.estimate_b == turned.estimate_b


def test_decisions_made_of_scores_and_probabilities_tell_the_direction_first():
    r = cw.compare(Y, -A, B, measure="f1", threshold="best", test="bootstrap", **QUICK)
    assert codes(r)[:2] == ["wrong_way_round", "threshold_on_test"]
    p = 1 / (1 + np.exp(-A))
    r = cw.compare(Y, 1 - p, p, measure="brier", **QUICK)
    assert codes(r)[0] == "wrong_way_round"
    assert "use 1 − p" in r.caveats[0].text
    with pytest.raises(cw.errors.OptionError, match="1 − p"):
        cw.compare(Y, 1 - p, p, measure="brier", lower_is_positive=True)


def test_every_verb_that_takes_scores_looks_and_turns():
    verbs = {
        "estimate": lambda a, **how: cw.estimate(Y, a, measure="eer", name="a", **QUICK, **how),
        "rank": lambda a, **how: cw.rank(Y, {"a": a, "b": B, "c": A + B}, measure="eer", **QUICK, **how),
        "curve": lambda a, **how: cw.curve(Y, a, B, names=("a", "b"), **how),
        "unpaired": lambda a, **how: cw.compare_unpaired(Y, a, Y, B, names=("a", "b"), **how),
        "study": lambda a, **how: cw.study(
            Y, a, B, measure="auc", test_size=100, n_sets=2, tests=["delong"], names=("a", "b"), **QUICK, **how
        ),
    }
    for verb, ask in verbs.items():
        assert codes(ask(-A))[0] == "wrong_way_round", verb
        told = ask(-A, lower_is_positive="a")
        assert "wrong_way_round" not in codes(told), verb
        assert "lower_is_positive=" in told.summary().call, verb
        assert "lower_is_positive" in told.to_json(), verb


def test_a_curve_has_thresholds_of_the_scores_as_given():
    there = cw.curve(Y, A, names=("a",)).models[0]
    back = cw.curve(Y, -A, names=("a",), lower_is_positive=True).models[0]
    assert back.auc == there.auc
    assert back.equal_error.threshold == -there.equal_error.threshold
    assert back.lowest_cost.threshold == -there.lowest_cost.threshold
    assert [point.threshold for point in back.recall_at] == [-point.threshold for point in there.recall_at]


def test_frames_take_it_by_column():
    frame = pd.DataFrame({"y": Y, "distance": -A, "net": B})
    r = cw.compare("y", "distance", "net", data=frame, measure="eer", lower_is_positive="distance", **QUICK)
    assert r.lower_is_positive == ("distance",)
    assert r.estimate_a == cw.compare(Y, A, B, measure="eer", **QUICK).estimate_a


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"measure": "auc", "lower_is_positive": "nobody"}, "no model named 'nobody'"),
        ({"measure": "auc", "lower_is_positive": 3}, "no model named 3"),
        ({"measure": "f1", "lower_is_positive": True}, "lower_is_positive is for scores"),
    ],
)
def test_what_cannot_be_turned_is_refused(settings, message):
    with pytest.raises(cw.errors.OptionError, match=message):
        cw.compare(Y, Y, 1 - Y, **settings)


def test_chance_alone_rarely_looks_like_the_wrong_way():
    """A model that knows nothing is told to run the wrong way in 2.5 % of test sets at most; bound by the binomial."""
    stream = np.random.RandomState(4)
    sets = 150
    told = sum("wrong_way_round" in codes(cw.curve(Y, stream.normal(size=300), names=("a",))) for _ in range(sets))
    assert told <= 0.025 * sets + 3 * math.sqrt(0.025 * 0.975 * sets)


# --- rows in another order --------------------------------------------------------------------------------------


def test_a_model_at_chance_beside_one_that_is_not_is_asked_about_its_rows():
    shuffled = np.random.RandomState(6).permutation(300)
    decisions = (B > 1).astype(int)
    for r in (
        cw.compare(Y, decisions[shuffled], decisions, names=("x", "y"), **QUICK),
        cw.compare(Y, B[shuffled], B, measure="auc", names=("x", "y"), **QUICK),
        cw.rank(Y, {"x": decisions[shuffled], "y": decisions, "z": (A > 1).astype(int)}, **QUICK),
    ):
        assert codes(r)[0] == "at_chance"
        assert r.caveats[0].text.startswith("x (p = 0.")
        assert "rows in the same order" in r.caveats[0].text
    # neither a model that always says the same nor two that know something
    assert "at_chance" not in codes(cw.compare(Y, np.zeros(300, dtype=int), decisions, measure="accuracy", **QUICK))
    assert "at_chance" not in codes(cw.compare(Y, (A > 1).astype(int), decisions, **QUICK))


def test_the_quick_level_of_many_items_is_close_to_the_exact_one():
    exact = chance.Margins((1500, 1500), (1400, 1600), 1530)
    by_normal = chance.level_of(chance.Margins((500, 500, 500), (500, 500, 500), 530))
    assert chance.level_of(exact).above == pytest.approx(chance.exact(exact).value, rel=0.02)
    assert by_normal.above == pytest.approx(
        chance.exact(chance.Margins((500, 500, 500), (500, 500, 500), 530)).value, rel=0.05
    )


# --- what is missing --------------------------------------------------------------------------------------------


def test_items_that_lack_something_are_refused_or_dropped_and_counted():
    truth, a, b = ([*map(str, column)] for column in (Y, (A > 1) * 1, (B > 1) * 1))
    keep = [i for i in range(300) if i not in (3, 5, 6)]
    complete = [[column[i] for i in keep] for column in (truth, a, b)]
    truth[3], a[5], b[5], b[6] = None, None, None, float("nan")
    with pytest.raises(cw.errors.DataError, match='missing="drop"'):
        cw.compare(truth, a, b, positive="1")
    r = cw.compare(truth, a, b, positive="1", missing="drop", **QUICK)
    assert r.n == 297
    assert r.caveats[0].code == "dropped"
    assert "3 of 300 items" in r.caveats[0].text
    assert "truth on 1, a on 1, b on 2" in r.caveats[0].text
    assert r.p_value == cw.compare(*complete, positive="1", **QUICK).p_value
    by_class = cw.compare_by_class(truth, a, b, missing="drop", test="bootstrap", **QUICK)
    assert by_class.caveats[0].code == "dropped"


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame])
def test_scores_of_frames_groups_and_many_models(engine):
    columns = {"y": [*map(float, Y)], "a": [*A], "b": [*B], "g": [str(i // 5) for i in range(300)]}
    columns["y"][0] = columns["a"][7] = columns["g"][9] = None
    frame = engine(columns)
    how = {"data": frame, "measure": "auc", "missing": "drop", "groups": "g"}
    r = cw.compare("y", "a", "b", **how, **QUICK)
    keep = [i for i in range(300) if i not in (0, 7, 9)]
    assert r.n == 297
    assert r.estimate_b == metrics.roc_auc_score(Y[keep], B[keep])
    board = cw.rank("y", ["a", "b"], **how, **QUICK)
    assert "3 of 300 items" in next(c.text for c in board.caveats if c.code == "dropped")
    assert cw.estimate("y", "a", **how, **QUICK).n == 297
    assert "dropped" in codes(cw.curve("y", "a", "b", data=frame, missing="drop"))


def test_what_to_do_with_missing_values_is_one_of_two_things():
    with pytest.raises(cw.errors.UnknownNameError, match="refuse, drop"):
        cw.compare(Y, A, B, measure="auc", missing="ignore")
    with pytest.raises(cw.errors.DataError, match="Every item lacks a value"):
        cw.compare([0, 1], [None, 1], [1, None], missing="drop")


# --- identical models, and tests that always answer --------------------------------------------------------------


def test_models_that_never_differ_have_one_kind_of_interval():
    right = (np.random.RandomState(3).rand(1000) < 0.8).astype(int)
    truth = np.arange(1000) % 2
    decisions = np.where(right, truth, 1 - truth)
    groups = np.arange(1000) // 10
    for units in ({}, {"groups": groups}):
        of_mean = cw.compare(None, right, right, measure="mean", rng=1, **units)
        of_share = cw.compare(truth, decisions, decisions, measure="accuracy", rng=1, **units)
        assert (of_mean.test, of_mean.interval.method) == (of_share.test, of_share.interval.method)
        assert of_mean.p_value == of_share.p_value == 1.0
        assert of_mean.interval.low == -of_mean.interval.high < 0.0
        # the same added items; the ends are found with draws of their own
        assert of_mean.interval.high == pytest.approx(of_share.interval.high, rel=0.2)
    # in units of the values; only 0 and 1 are judged as decisions, so the ends are not quite the same
    cents = cw.compare(None, 100 * right, 100 * right, measure="mean", rng=1)
    assert cents.interval.high == pytest.approx(
        100 * cw.compare(None, right, right, measure="mean", rng=1).interval.high, rel=0.25
    )


@pytest.mark.parametrize("measure", OF_SCORES)
def test_auto_answers_where_delong_refuses(measure):
    truth = np.repeat([0, 1], 30)
    perfect, noisy = truth * 1.0, np.random.RandomState(1).normal(size=60) + truth
    hard = (noisy > 0.5).astype(int)
    for a, b in ((perfect, noisy), (perfect, -perfect), (perfect, perfect), (hard, noisy), (hard, hard)):
        r = cw.compare(truth, a, b, measure=measure, **QUICK)
        assert 0.0 < r.p_value <= 1.0
    # two test sets: areas of 1 and 0 have no variance by DeLong
    if measure == "auc":
        assert cw.compare_unpaired(truth, perfect, truth, -perfect).p_value < 0.001


# --- scores that run the wrong way --------------------------------------------------------------------------------

AWAY = np.random.default_rng(3)
SIDE = AWAY.integers(0, 2, 200)
DISTANCES, CLOSENESS = -(SIDE * 1.5 + AWAY.normal(size=200)), SIDE * 2 + AWAY.normal(size=200)
OTHER = CLOSENESS + 0.01 * AWAY.normal(size=200)
FEW_DRAWS = {"n_resamples": 200, "rng": 1}
OF_SCORES = {
    "compare": lambda: cw.compare(SIDE, DISTANCES, CLOSENESS, measure="auc", **FEW_DRAWS),
    "compare at a threshold": lambda: cw.compare(SIDE, DISTANCES, CLOSENESS, threshold=0.0, **FEW_DRAWS),
    "compare in slices": lambda: cw.compare(
        SIDE, DISTANCES, CLOSENESS, measure="auc", by=np.arange(200) % 2, **FEW_DRAWS
    ),
    "compare_unpaired": lambda: cw.compare_unpaired(SIDE, DISTANCES, SIDE, CLOSENESS),
    "estimate": lambda: cw.estimate(SIDE, DISTANCES, measure="auc", **FEW_DRAWS),
    "rank": lambda: cw.rank(SIDE, {"a": DISTANCES, "b": CLOSENESS, "c": OTHER}, measure="auc", **FEW_DRAWS),
    "curve": lambda: cw.curve(SIDE, DISTANCES, CLOSENESS, **FEW_DRAWS),
    "gate": lambda: cw.gate(SIDE, DISTANCES, CLOSENESS, measure="auc", margin=0.05, **FEW_DRAWS),
    "plan": lambda: cw.plan(SIDE, DISTANCES, CLOSENESS, measure="auc", difference=0.9, **FEW_DRAWS),
    "study": lambda: cw.study(
        SIDE, DISTANCES, CLOSENESS, measure="auc", test_size=60, n_sets=4, tests=["bootstrap"], **FEW_DRAWS
    ),
}


@pytest.mark.parametrize("verb", OF_SCORES)
def test_scores_of_the_other_class_are_asked_about_before_anything_else(verb, tmp_path):
    """A verdict such as "worse by 92.76 points" stood above the question."""
    result, asked = OF_SCORES[verb](), "Do higher scores mean the negative class?"
    headline = result.summary().headline
    report = result.to_html(tmp_path / "report.html").read_text(encoding="utf-8").partition("<body>")[2]
    for text in (str(result), result.verdict(), result.to_markdown(), result._repr_html_(), report):
        words = " ".join(html.unescape(text).split())
        assert 0 <= words.find(asked) < words.find(headline.split("(")[0].strip())
    for style in ("paper", "brief"):
        assert result.verdict(style=style).startswith(f"Warning: {asked}")
    assert result.to_latex().startswith(f"% Warning: {asked}")
    caveats = json.loads(result.to_json())["caveats"]
    assert caveats[0]["text"].startswith(asked)
    assert [caveat["changes"] for caveat in caveats] == sorted(
        (caveat["changes"] for caveat in caveats), key=lambda changes: changes != "the decision"
    )
