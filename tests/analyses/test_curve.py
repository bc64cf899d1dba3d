"""The verb ``curve`` and its command: numbers from their own definitions, words, JSON, files and refusals."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn import metrics as sk

import clearwin as cw
from tests.two_scores import HOSTILE, TRUTH, A, B, spaced

# --- the verb -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_thresholds_as_printed_call_the_told_items_positive(kind):
    r = cw.curve(TRUTH, A.astype(kind), cost_fn=2)
    printed = [float(line.split()[-1]) for line in str(r).splitlines() if "at threshold" in line]
    equal, best = r.models[0].equal_error, r.models[0].lowest_cost
    assert printed == [equal.threshold, best.threshold]
    negative = A.astype(kind)[TRUTH == 0]
    assert [(negative >= t).mean() for t in printed] == [equal.fpr, best.fpr]
    same = cw.compare(TRUTH, A.astype(kind), B, measure="accuracy", threshold=printed[1], test="mcnemar")
    assert same.estimate_a == pytest.approx(1 - (best.fp + best.fn) / 300)


@pytest.mark.parametrize("kind", ["roc", "det", "pr"])
def test_key_points_are_those_of_the_definitions(kind):
    r = cw.curve(TRUTH, A, B, kind=kind, cost_fn=3, prior=0.2, names=("old", "new"))
    for model, scores in zip(r.models, (A, B), strict=True):
        points = cw.curves.operating_points(TRUTH == 1, scores)
        assert model.auc == pytest.approx(sk.roc_auc_score(TRUTH, scores), abs=1e-14)
        assert model.average_precision == pytest.approx(sk.average_precision_score(TRUTH, scores), abs=1e-14)
        assert model.equal_error == cw.curves.equal_error(points)
        assert model.lowest_cost == cw.curves.lowest_cost(points, cost_fn=3, prior=0.2)
        expected = {"roc": cw.curves.roc_curve, "det": cw.curves.det_curve, "pr": cw.curves.pr_curve}[kind](points)
        np.testing.assert_array_equal(model.curve.x, expected.x)
        np.testing.assert_array_equal(model.curve.y, expected.y)
        fpr, tpr, _ = sk.roc_curve(TRUTH, scores, drop_intermediate=False)
        assert [at.fpr for at in model.recall_at] == [0.01, 0.05, 0.1]
        assert [at.tpr for at in model.recall_at] == pytest.approx(np.interp([0.01, 0.05, 0.1], fpr, tpr))
        assert model.bands is None
    assert (r.kind, r.n, r.positives, r.negatives) == (kind, 300, TRUTH.sum(), 300 - TRUTH.sum())
    assert (r.positive, r.positive_inferred) == ("1", True)
    assert [model.name for model in r.models] == ["old", "new"]


def test_one_model_and_no_dominance():
    r = cw.curve(TRUTH, A)
    assert [model.name for model in r.models] == ["A"]
    assert r.dominance is None
    assert "cross" not in str(r)
    assert cw.curve(TRUTH, A, names=("svm",)).models[0].name == "svm"
    assert repr(r).startswith("ScoreCurves(roc: 'A' AUC 0.")


def test_labels_of_any_kind_and_the_other_class():
    words = np.where(TRUTH == 1, "spam", "ham")
    assert cw.curve(words, A, positive="spam").models[0].auc == cw.curve(TRUTH, A).models[0].auc
    turned = cw.curve(words, A, positive="ham").models[0].auc
    assert turned == pytest.approx(1 - cw.curve(TRUTH, A).models[0].auc, abs=1e-14)


@pytest.mark.parametrize("kind", ["roc", "det", "pr"])
def test_bands_hold_the_curve_and_come_again_with_the_seed(kind):
    first, again, other = (cw.curve(TRUTH, A, B, kind=kind, bands=True, n_resamples=199, rng=s) for s in (7, 7, 8))
    for one, two, three in zip(first.models, again.models, other.models, strict=True):
        np.testing.assert_array_equal(one.bands.low, two.bands.low)
        assert not np.array_equal(one.bands.low, three.bands.low)
        inner = slice(len(one.bands.x) // 10, -len(one.bands.x) // 10)
        assert (one.bands.low <= one.bands.y)[inner].all()
        assert (one.bands.y <= one.bands.high)[inner].all()
    assert first.to_json() == again.to_json()
    assert first.signature.seed == "7"
    assert "95 % at each point by itself, from 199 bootstrap replicates, seed 7" in spaced(first)


def test_bands_of_a_det_curve_are_those_of_the_roc_curve_bent():
    roc, det = (cw.curve(TRUTH, A, kind=k, bands=True, n_resamples=99, rng=1).models[0].bands for k in ("roc", "det"))
    np.testing.assert_array_equal(det.x, ndtri(roc.x[1:-1]))
    np.testing.assert_array_equal(det.low, ndtri(1 - roc.high[1:-1]))
    np.testing.assert_array_equal(det.high, ndtri(1 - roc.low[1:-1]))


def test_scores_that_speak_for_the_other_class_get_a_caveat_and_are_not_flipped():
    r = cw.curve(TRUTH, A, -B, names=("fine", "turned"))
    [found] = [caveat for caveat in r.caveats if caveat.code == "wrong_way_round"]
    assert "turned has 0." in found.text
    assert "fine" not in found.text
    assert r.models[1].auc < 0.4
    assert not [caveat for caveat in cw.curve(TRUTH, A, B).caveats if caveat.code == "wrong_way_round"]


def test_more_than_two_classes_few_items_and_empty_replicates_are_said():
    truth = ["x"] * 1 + ["y"] * 4 + ["z"] * 4
    r = cw.curve(truth, np.arange(9.0), positive="x", bands=True, n_resamples=99, rng=1)
    assert {"against_others", "few_of_a_class", "class_lost_in_bands"} <= {caveat.code for caveat in r.caveats}


def test_hard_scores_give_the_curve_of_an_easy_copy():
    hard = np.array([-math.inf, -1e308, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1, 2), 1e308, math.inf])
    ranks = np.random.default_rng(3).integers(0, len(hard), 100)
    truth = np.random.default_rng(4).random(100) < (ranks + 2) / 12
    r, easy = cw.curve(truth, hard[ranks], rank_infinite=True), cw.curve(truth, ranks.astype(float))
    np.testing.assert_array_equal(r.models[0].curve.x, easy.models[0].curve.x)
    np.testing.assert_array_equal(r.models[0].curve.y, easy.models[0].curve.y)
    json.loads(r.to_json(points=True), parse_constant=pytest.fail)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name):
    text = str(cw.curve(TRUTH, A, B, names=(name, "B")))
    assert "\x1b" not in text
    assert name.replace("\x1b", r"\x1b").replace("\n", r"\n") in text


REFUSALS = {
    "kind": ({"kind": "rok"}, "did you mean 'roc'"),
    "kind of another type": ({"kind": ["roc"]}, "kind of curve"),
    "level": ({"confidence_level": 1.0}, "confidence_level is 1.0"),
    "level of another type": ({"confidence_level": "0.95"}, "confidence_level"),
    "resamples": ({"n_resamples": 0}, "n_resamples is 0"),
    "too few for the bands": ({"n_resamples": 38, "bands": True}, "n_resamples=39"),
    "cost": ({"cost_fn": -1}, "cost_fn is -1"),
    "cost of another type": ({"cost_fp": "3"}, "cost_fp is '3'"),
    "prior": ({"prior": 1.0}, "prior is 1.0"),
    "prior of another type": ({"prior": "half"}, "prior is 'half'"),
    "seed": ({"rng": -1}, "rng is -1"),
    "names": ({"names": "AB"}, "two different names"),
    "the same name twice": ({"names": ("x", "x")}, "two different names"),
    "one name for two": ({"names": ("x",)}, "two different names"),
}


@pytest.mark.parametrize("name", list(REFUSALS))
def test_refused_settings(name):
    settings, text = REFUSALS[name]
    with pytest.raises(cw.errors.OptionError) as refusal:
        cw.curve(TRUTH, A, B, **settings)
    assert text in str(refusal.value)


def test_refused_data():
    with pytest.raises(cw.errors.DataError, match="nan or missing"):
        cw.curve([1, 0], [1.0, math.nan])
    with pytest.raises(cw.errors.DataError, match="infinite"):
        cw.curve([1, 0], [1.0, math.inf])
    with pytest.raises(cw.errors.DataError, match="All items are of class"):
        cw.curve([1, 1], [1.0, 2.0])
    with pytest.raises(cw.errors.DataError, match="lengths differ"):
        cw.curve([1, 0], [1.0, 2.0], [1.0])


def test_intervals_are_those_of_estimate():
    r = cw.curve(TRUTH, A, B, confidence_level=0.9, rng=3)
    for model, scores in zip(r.models, (A, B), strict=True):
        for measure, interval in (("auc", model.auc_interval), ("eer", model.eer_interval)):
            assert interval == cw.estimate(TRUTH, scores, measure=measure, confidence_level=0.9, rng=3).interval
