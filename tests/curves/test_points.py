"""Curves against scikit-learn, brute force in exact fractions, and their own definitions."""

import math

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn import metrics as sk

from clearwin.curves.bands import bands
from clearwin.curves.dominance import dominance
from clearwin.curves.key_points import break_even, cost_table, equal_error, lowest_cost, roc_at, threshold_table
from clearwin.curves.one_vs_rest import multiclass_auc, one_against_others
from clearwin.curves.points import det_curve, operating_points, pr_curve, roc_curve
from clearwin.errors import DataError, OptionError, UnknownNameError
from tests.curves.scored import SEEDS, tied_data

# --- operating points and curves against scikit-learn ---------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_roc_is_that_of_scikit_learn(seed):
    truth, scores = tied_data(seed)
    curve = roc_curve(operating_points(truth, scores))
    fpr, tpr, thresholds = sk.roc_curve(truth, scores, drop_intermediate=False)
    np.testing.assert_array_equal(curve.x, fpr)
    np.testing.assert_array_equal(curve.y, tpr)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    assert curve.area == pytest.approx(sk.roc_auc_score(truth, scores), abs=1e-14)
    # Mann and Whitney: the share of pairs in the right order, a tie one half
    pairs = np.sign(scores[truth][:, None] - scores[~truth][None, :])
    assert curve.area == pytest.approx((pairs.mean() + 1) / 2, abs=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_precision_and_recall_are_those_of_scikit_learn(seed):
    truth, scores = tied_data(seed)
    curve = pr_curve(operating_points(truth, scores))
    precision, recall, thresholds = sk.precision_recall_curve(truth, scores)
    np.testing.assert_allclose(curve.y, precision[::-1], rtol=1e-15)
    np.testing.assert_allclose(curve.x, recall[::-1], rtol=1e-15)
    np.testing.assert_array_equal(curve.thresholds[1:], thresholds[::-1])
    assert curve.area == pytest.approx(sk.average_precision_score(truth, scores), abs=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_det_is_that_of_scikit_learn_inside_the_square(seed):
    truth, scores = tied_data(seed)
    curve = det_curve(operating_points(truth, scores))
    fpr, fnr, thresholds = (v[::-1] for v in sk.det_curve(truth, scores))
    inside = (fpr > 0) & (fpr < 1) & (fnr > 0) & (fnr < 1)
    np.testing.assert_allclose(curve.x, ndtri(fpr[inside]), atol=1e-12)
    np.testing.assert_allclose(curve.y, ndtri(fnr[inside]), atol=1e-12)
    np.testing.assert_array_equal(curve.thresholds, thresholds[inside])
    assert curve.area is None


def test_a_det_curve_of_perfect_scores_is_empty():
    assert det_curve(operating_points([True, False], [1, 0])).x.size == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_weights_are_repeated_items_and_others_are_those_of_scikit_learn(seed):
    truth, scores = tied_data(seed)
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, truth.size)
    weighted = operating_points(truth, scores, times)
    repeated = operating_points(np.repeat(truth, times), np.repeat(scores, times))
    for name in ("thresholds", "tp", "fp", "positives", "negatives"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))
    assert weighted.tp.dtype == np.int64
    weights = rng.random(truth.size)
    found = operating_points(truth, scores, weights)
    assert roc_curve(found).area == pytest.approx(sk.roc_auc_score(truth, scores, sample_weight=weights), abs=1e-12)
    ap = sk.average_precision_score(truth, scores, sample_weight=weights)
    assert pr_curve(found).area == pytest.approx(ap, abs=1e-12)
    assert dominance(found, operating_points(truth, 8 * scores, weights)).overall == "equal"


def test_rates_and_their_ends():
    points = operating_points(*tied_data(3))
    assert (points.thresholds[0], points.accepted[0], points.accepted[-1]) == (math.inf, 0, 200)
    assert (points.precision[0], points.tpr[-1], points.fpr[-1]) == (1, 1, 1)
    assert (np.diff(points.thresholds) < 0).all()
    np.testing.assert_allclose(points.tpr + points.fnr, 1, rtol=1e-15)
    np.testing.assert_allclose(points.fpr + points.tnr, 1, rtol=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        points.tp[0] = 1


# --- scores that are hard for a machine -----------------------------------------------------------------------

HARD = [-math.inf, -1e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e308, math.inf]


@pytest.mark.parametrize("seed", SEEDS)
def test_hard_scores_give_the_curve_of_their_ranks(seed):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(0, len(HARD), 60)
    truth = rng.random(60) < (ranks + 3) / 16
    hard, easy = operating_points(truth, np.array(HARD)[ranks]), operating_points(truth, ranks)
    np.testing.assert_array_equal(hard.tp, easy.tp)
    np.testing.assert_array_equal(hard.fp, easy.fp)
    assert dominance(hard, easy).overall == "equal"
    assert equal_error(hard).eer == equal_error(easy).eer
    # a decision at a hard threshold is still score >= threshold, also at +inf
    rows = threshold_table(hard, HARD)
    assert [row["tp"] for row in rows] == [int((truth & (np.array(HARD)[ranks] >= t)).sum()) for t in HARD]


def test_minus_zero_is_zero():
    assert operating_points([True, False, True], [0.0, -0.0, 1.0]).tp.tolist() == [0, 1, 2]


# --- contracts ------------------------------------------------------------------------------------------------


def everything(points):
    """Every number about a model that does not name a threshold."""
    best = lowest_cost(points, cost_fn=3, prior=0.3)
    return [
        roc_curve(points).area,
        pr_curve(points).area,
        equal_error(points).eer,
        break_even(points),
        best.cost,
        best.fpr,
        roc_at(points, fpr=0.13).tpr,
        roc_at(points, tpr=0.77).fpr,
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_monotone_transforms_order_and_repeated_data_change_nothing(seed):
    truth, scores = tied_data(seed)
    plain = everything(operating_points(truth, scores))
    assert everything(operating_points(truth, np.unique(scores, return_inverse=True)[1])) == plain
    shuffled = np.random.default_rng(seed).permutation(truth.size)
    assert everything(operating_points(truth[shuffled], scores[shuffled])) == plain
    assert everything(operating_points(np.tile(truth, 3), np.tile(scores, 3))) == pytest.approx(plain, rel=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_swapped_classes_with_turned_scores_mirror_the_curve(seed):
    truth, scores = tied_data(seed)
    there, back = operating_points(truth, scores), operating_points(~truth, -scores)
    np.testing.assert_array_equal(back.tpr, there.tnr[::-1])
    assert roc_curve(back).area == pytest.approx(roc_curve(there).area, abs=1e-15)
    assert equal_error(back).eer == pytest.approx(equal_error(there).eer, abs=1e-15)
    np.testing.assert_array_equal(det_curve(back).x, det_curve(there).y[::-1])


# --- refusals -------------------------------------------------------------------------------------------------

Y, S = [True, False, True], [3.0, 2.0, 1.0]
POINTS = operating_points(Y, S)
RNG = np.random.default_rng(0)

REFUSALS = {
    "only positive": (lambda: operating_points([True, True], [1, 2]), DataError, "only positive items"),
    "only negative": (lambda: operating_points([False], [1]), DataError, "only negative items"),
    "no items": (lambda: operating_points(np.zeros(0, bool), []), DataError, "no items"),
    "one class by weight": (lambda: operating_points(Y, S, [1, 0, 1]), DataError, "only positive items"),
    "nan": (lambda: operating_points(Y, [1, math.nan, math.nan]), DataError, r"2 of the scores are nan, at .* 1, 2"),
    "lengths": (lambda: operating_points(Y, [1, 2]), DataError, r"shape \(3,\) and the scores have shape \(2,\)"),
    "truth not boolean": (lambda: operating_points([1, 0, 1], S), DataError, "truth is of type int64"),
    "scores are text": (lambda: operating_points(Y, ["a", "b", "c"]), DataError, "scores are of type <U1"),
    "negative weight": (lambda: operating_points(Y, S, [1, -1, 1]), DataError, "3 finite numbers"),
    "infinite weight": (lambda: operating_points(Y, S, [1, math.inf, 1]), DataError, "3 finite numbers"),
    "weights too short": (lambda: operating_points(Y, S, [1.0]), DataError, "3 finite numbers"),
    "both rates": (lambda: roc_at(POINTS, fpr=0.1, tpr=0.1), OptionError, "both rates or none"),
    "no rate": (lambda: roc_at(POINTS), OptionError, r"roc_at\(points, fpr=0.1\)"),
    "rate above 1": (lambda: roc_at(POINTS, fpr=1.1), OptionError, "fpr is 1.1"),
    "rate nan": (lambda: roc_at(POINTS, tpr=math.nan), OptionError, "tpr is nan"),
    "negative cost": (lambda: lowest_cost(POINTS, cost_fn=-1), OptionError, "cost_fn is -1"),
    "infinite cost": (lambda: lowest_cost(POINTS, cost_fp=math.inf), OptionError, "cost_fp is inf"),
    "prior 1": (lambda: lowest_cost(POINTS, prior=1), OptionError, "prior is 1"),
    "ratio nan": (lambda: cost_table(POINTS, [math.nan]), OptionError, "cost_fn is nan"),
    "threshold nan": (lambda: threshold_table(POINTS, [math.nan]), OptionError, "threshold is nan"),
    "kind": (lambda: bands(Y, S, kind="rok", rng=RNG), UnknownNameError, "did you mean 'roc'"),
    "level": (lambda: bands(Y, S, level=1.0, rng=RNG), OptionError, "level is 1.0"),
    "too few resamples": (lambda: bands(Y, S, n_resamples=38, rng=RNG), OptionError, "n_resamples=39"),
    "grid": (lambda: bands(Y, S, grid=[0.5, 1.5], rng=RNG), OptionError, "rates from 0 to 1"),
    "grid nan": (lambda: bands(Y, S, grid=[math.nan], rng=RNG), OptionError, "rates from 0 to 1"),
    "bands of one class": (lambda: bands([True], [1], rng=RNG), DataError, "only positive items"),
    "matrix shape": (lambda: one_against_others(["x", "y"], [[1, 2]], ["x", "y"]), DataError, r"shape \(1, 2\)"),
    "label twice": (lambda: one_against_others(["x"], [[1, 2]], ["x", "x"]), DataError, "each once"),
    "label without items": (lambda: one_against_others(["x"], [[1, 2]], ["x", "y"]), DataError, "No item is 'y'"),
    "unknown label": (
        lambda: one_against_others(["x", "y", "z"], np.ones((3, 2)), ["x", "y"]),
        DataError,
        "such as 'z'",
    ),
    "another type of label": (lambda: one_against_others(["1", "2"], np.eye(2), [1, 2]), DataError, "No item is 1"),
    "average": (lambda: multiclass_auc(["x", "y"], np.eye(2), ["x", "y"], average="micro"), UnknownNameError, "macro"),
}


@pytest.mark.parametrize("name", list(REFUSALS))
def test_refusals_say_what_was_expected(name):
    call, error, text = REFUSALS[name]
    with pytest.raises(error, match=text) as refusal:
        call()
    assert refusal.value.expected


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_a_threshold_that_is_told_selects_the_same_items_in_the_array_and_in_its_text(kind):
    rng = np.random.default_rng(7)
    truth = rng.random(200) < 0.4
    scores = (truth * 0.3 + rng.random(200)).astype(kind)
    text = np.array([float(str(score)) for score in scores])  # as a file has it
    points = operating_points(truth, scores)
    told = [lowest_cost(points, cost_fn=2), equal_error(points), roc_at(points, fpr=0.1)]
    for threshold in [t.threshold for t in told] + [row["threshold"] for row in cost_table(points, [0.5, 1, 3])]:
        row = threshold_table(points, [threshold])[0]
        for accepted in (scores >= threshold, text >= threshold):
            assert (row["tp"], row["fp"]) == ((accepted & truth).sum(), (accepted & ~truth).sum())
    assert threshold_table(points, [0.7])[0]["tp"] == ((scores >= 0.7) & truth).sum()
    rows = threshold_table(points)
    assert [row["tp"] for row in rows] == [int(((text >= row["threshold"]) & truth).sum()) for row in rows]
