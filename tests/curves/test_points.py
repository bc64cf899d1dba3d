"""Curves against scikit-learn, brute force in exact fractions, and their own definitions."""

import itertools
import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from sklearn import metrics as sk

from clearwin.curves.bands import bands
from clearwin.curves.dominance import Stretch, crossings, dominance
from clearwin.curves.key_points import break_even, cost_table, equal_error, lowest_cost, roc_at, threshold_table
from clearwin.curves.one_vs_rest import multiclass_auc, one_against_others
from clearwin.curves.points import det_curve, operating_points, pr_curve, roc_curve
from clearwin.errors import DataError, OptionError, UnknownNameError

SEEDS = range(12)


def tied_data(seed, n=200, levels=None):
    """Truth and scores with many ties: both classes, and from 2 to n different scores."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < rng.uniform(0.1, 0.9)
    truth[:2] = True, False
    return truth, np.round((truth + rng.normal(size=n)) * (levels or rng.choice([0.5, 2, 10, 1e6])), 0)


def small_data(seed):
    """Data small enough for fractions and permutations."""
    rng = np.random.default_rng(seed)
    return tied_data(seed, n=int(rng.integers(2, 10)), levels=rng.choice([0.5, 1, 3]))


def small_points(seed):
    return operating_points(*small_data(seed))


def exact_rates(points):
    """The operating points as fractions (fpr, tpr)."""
    return [
        (Fraction(int(fp), points.negatives), Fraction(int(tp), points.positives))
        for tp, fp in zip(points.tp, points.fp, strict=True)
    ]


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


# --- single points --------------------------------------------------------------------------------------------


def exact_equal_error(points):
    """Walk the polyline in fractions until fpr − fnr turns positive."""
    for (x0, y0), (x1, y1) in itertools.pairwise(exact_rates(points)):
        before, after = x0 - (1 - y0), x1 - (1 - y1)
        if before <= 0 <= after:
            return x0 + (x1 - x0) * (-before / (after - before))
    raise AssertionError


@pytest.mark.parametrize("seed", range(60))
def test_equal_error_by_fractions(seed):
    points = small_points(seed)
    found = equal_error(points)
    assert found.eer == pytest.approx(float(exact_equal_error(points)), abs=1e-15)
    gaps = [abs(x - (1 - y)) for x, y in exact_rates(points)]
    nearest = gaps.index(min(gaps))
    own = (points.thresholds[nearest], points.fpr[nearest], points.fnr[nearest])
    assert (found.threshold, found.fpr, found.fnr) == own
    assert min(found.fpr, found.fnr) <= found.eer <= max(found.fpr, found.fnr)


@pytest.mark.parametrize("seed", range(30))
def test_break_even_is_the_mean_over_all_orders_of_tied_items(seed):
    rng = np.random.default_rng(seed)
    truth, scores = tied_data(seed, n=int(rng.integers(3, 8)), levels=1)
    positives = int(truth.sum())
    shares = []
    for order in itertools.permutations(range(truth.size)):
        ranked = sorted(order, key=lambda i: -scores[i])  # stable: the permutation breaks the ties
        shares.append(Fraction(sum(bool(truth[i]) for i in ranked[:positives]), positives))
    assert break_even(operating_points(truth, scores)) == pytest.approx(float(sum(shares) / len(shares)), abs=1e-14)


def test_break_even_is_where_precision_and_recall_of_scikit_learn_meet():
    rng = np.random.default_rng(1)
    truth = rng.random(500) < 0.3
    scores = truth + rng.normal(size=500)  # no ties, so the two meet at an operating point
    precision, recall, _ = sk.precision_recall_curve(truth, scores)
    [meet] = set(precision[(precision == recall) & (precision > 0)])
    assert break_even(operating_points(truth, scores)) == meet


def heights(rates, asked):
    """All heights of the polyline at this fpr, lowest and highest, in fractions."""
    found = []
    for (x0, y0), (x1, y1) in itertools.pairwise(rates):
        if x0 <= asked <= x1:
            found += [y0, y1] if x0 == x1 else [y0 + (y1 - y0) * (asked - x0) / (x1 - x0)]
    return min(found), max(found)


@pytest.mark.parametrize("seed", range(40))
def test_a_point_of_the_roc_curve_by_fractions(seed):
    points = small_points(seed)
    rates = exact_rates(points)
    turned = [(y, x) for x, y in rates]
    asked = {Fraction(i, 16) for i in range(17)} | {x for x, _ in rates} | {y for _, y in rates}
    for rate in asked:
        found = roc_at(points, fpr=float(rate))
        assert found.tpr == pytest.approx(float(heights(rates, rate)[1]), abs=1e-14)
        at = points.thresholds.tolist().index(found.threshold)
        assert rates[at][0] <= rate
        assert at + 1 == len(rates) or rates[at + 1][0] > rate
        assert found.exact == (rates[at][0] == rate)
        found = roc_at(points, tpr=float(rate))
        assert found.fpr == pytest.approx(float(heights(turned, rate)[0]), abs=1e-14)
        at = points.thresholds.tolist().index(found.threshold)
        assert rates[at][1] <= rate
        assert found.exact == (rates[at][1] == rate)
        assert found.exact or rates[at + 1][1] > rate


# --- costs and thresholds -------------------------------------------------------------------------------------


def exact_costs(truth, scores, cost_fn, cost_fp, prior):
    """Expected cost by looking at every item at every threshold, from the highest down."""
    positives = int(truth.sum())
    negatives = truth.size - positives
    prior = Fraction(positives, truth.size) if prior is None else prior
    for t in [math.inf, *sorted(set(scores.tolist()), reverse=True)]:
        fn = sum(bool(y) and s < t for y, s in zip(truth, scores, strict=True))
        fp = sum(not y and s >= t for y, s in zip(truth, scores, strict=True))
        yield cost_fn * prior * Fraction(fn, positives) + cost_fp * (1 - prior) * Fraction(fp, negatives), t


@pytest.mark.parametrize("seed", range(20))
def test_lowest_cost_by_brute_force(seed):
    truth, scores = tied_data(seed, n=25, levels=4)
    points = operating_points(truth, scores)
    for fn, fp, prior in itertools.product((0, 1, 10), (1, 3), (None, Fraction(1, 100), Fraction(1, 2))):
        # the first of the lowest: the highest threshold
        cost, threshold = min(exact_costs(truth, scores, fn, fp, prior), key=lambda found: found[0])
        best = lowest_cost(points, cost_fn=fn, cost_fp=fp, prior=None if prior is None else float(prior))
        assert best.cost == pytest.approx(float(cost), rel=1e-12, abs=1e-15)
        assert best.threshold == threshold
        assert best.tp == (truth & (scores >= threshold)).sum()
        assert (best.tp + best.fn, best.fp + best.tn) == (points.positives, points.negatives)
        assert best.fpr == best.fp / points.negatives
        assert best.fnr == best.fn / points.positives
    rows = cost_table(points, [0.1, 1, 1e15], prior=0.2)
    assert [row["cost"] for row in rows] == [lowest_cost(points, cost_fn=r, prior=0.2).cost for r in (0.1, 1, 1e15)]
    assert [row["ratio"] for row in rows] == [0.1, 1, 1e15]
    assert rows[2]["fn"] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_fewest_errors_of_many_items_are_found_to_the_last_one(seed):
    truth, scores = tied_data(seed, n=1000, levels=1e6)
    errors = min(int(((scores >= t) != truth).sum()) for t in [math.inf, *scores])
    best = lowest_cost(operating_points(truth, scores))
    assert best.fn + best.fp == errors
    assert best.cost == pytest.approx(errors / 1000, abs=1e-15)


def test_extreme_costs_do_not_drown_each_other():
    # false positives cost 1e15 times as much: accept all that costs none of them, which is the 3 and the 2
    points = operating_points([True, True, False, True], [3, 2, 1, 0])
    best = lowest_cost(points, cost_fp=1e15)
    assert (best.threshold, best.tp, best.fp) == (2, 2, 0)
    # and the other way round: everything down to the last positive
    assert lowest_cost(points, cost_fn=1e15).threshold == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_threshold_table_against_scikit_learn(seed):
    truth, scores = tied_data(seed)
    points = operating_points(truth, scores)
    asked = [-math.inf, -0.7, 0, 0.3, 1, *scores[:5].tolist(), math.inf]
    rows = threshold_table(points, asked, cost_fp=2)
    for t, row in zip(asked, rows, strict=True):
        called = scores >= t
        assert row["threshold"] == t
        assert [row[k] for k in ("tn", "fp", "fn", "tp")] == sk.confusion_matrix(truth, called).ravel().tolist()
        assert row["f1"] == pytest.approx(sk.f1_score(truth, called), abs=1e-15)
        assert row["accuracy"] == pytest.approx(sk.accuracy_score(truth, called), abs=1e-15)
        assert row["recall"] == pytest.approx(sk.recall_score(truth, called), abs=1e-15)
        assert row["precision"] == pytest.approx(sk.precision_score(truth, called, zero_division=1), abs=1e-15)
        assert row["fpr"] == row["fp"] / points.negatives
        # with the data's own prior the expected cost is the mean over items
        assert row["cost"] == pytest.approx((row["fn"] + 2 * row["fp"]) / truth.size, abs=1e-15)
    whole = threshold_table(points)
    assert len(whole) == points.tp.size
    assert "cost" not in whole[0]
    assert whole[1:] == threshold_table(points, points.thresholds[1:])
    assert {type(v) for v in whole[0].values()} == {int, float}


# --- two curves -----------------------------------------------------------------------------------------------


def exact_stretches(a, b):
    """Who is above where, from the vertical view and in fractions: between knots the difference is a line."""
    a, b = exact_rates(a), exact_rates(b)
    pieces = []
    for left, right in itertools.pairwise(sorted({x for x, _ in a + b})):
        # both heights are single-valued inside; a line through two inner points gives the ends
        inner = [left + (right - left) * Fraction(k, 3) for k in (1, 2)]
        one, two = (heights(a, x)[0] - heights(b, x)[0] for x in inner)
        start, end = 2 * one - two, 2 * two - one
        cuts = [left, left + (right - left) * start / (start - end), right] if start * end < 0 else [left, right]
        for x0, x1 in itertools.pairwise(cuts):
            middle = (x0 + x1) / 2
            lead = heights(a, middle)[0] - heights(b, middle)[0]
            who = "a" if lead > 0 else "b" if lead < 0 else "equal"
            if pieces and pieces[-1][2] == who:
                x0 = pieces.pop()[0]
            pieces.append((x0, x1, who))
    return pieces


@pytest.mark.parametrize("seed", range(200))
def test_dominance_and_crossings_by_fractions(seed):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n := int(rng.integers(2, 12))) < rng.integers(1, n))
    a = operating_points(truth, rng.integers(0, rng.integers(1, 9), n))
    # every second time another set of items, so that the steps are of other sizes
    b = small_points(seed) if seed % 2 else operating_points(truth, rng.integers(0, rng.integers(1, 9), n))
    found, expected = dominance(a, b), exact_stretches(a, b)
    assert [s.above for s in found.stretches] == [who for _, _, who in expected]
    for stretch, (start, end, _) in zip(found.stretches, expected, strict=True):
        assert (stretch.fpr_from, stretch.fpr_to) == pytest.approx((float(start), float(end)), abs=1e-13)
    sides = [(end, who) for _, end, who in expected if who != "equal"]
    crossed = [float(end) for (end, who), (_, other) in itertools.pairwise(sides) if who != other]
    assert crossings(a, b) == pytest.approx(crossed, abs=1e-13)
    winners = {who for _, who in sides}
    assert found.overall == ("neither" if len(winners) == 2 else "".join(winners) or "equal")
    assert (found.overall == "neither") == bool(crossed)
    back = dominance(b, a)
    assert [s.above for s in back.stretches] == [{"a": "b", "b": "a"}.get(s.above, s.above) for s in found.stretches]
    assert crossings(b, a) == pytest.approx(crossings(a, b), abs=1e-13)


def points_through(*rates):
    """Operating points of 60 + 60 items through the given (fpr, tpr), one distinct score for each."""
    steps = np.diff(np.array([(0, 0), *rates, (1, 1)]), axis=0) * 60
    counts = np.rint(steps).astype(int)
    truth = np.concatenate([np.repeat([False, True], pair) for pair in counts])
    return operating_points(truth, -np.repeat(np.arange(len(counts)), counts.sum(axis=1)))


def test_dominance_of_hand_made_curves():
    diagonal, above = points_through(), points_through((0.5, 0.75))
    assert dominance(above, diagonal).stretches == (Stretch(0, 1, "a"),)
    assert dominance(above, above).stretches == (Stretch(0, 1, "equal"),)
    # touching the diagonal at (.5, .5) breaks nothing
    touching = points_through((0.25, 0.5), (0.5, 0.5), (0.75, 0.9))
    assert dominance(touching, diagonal).stretches == (Stretch(0, 1, "a"),)
    assert crossings(touching, diagonal) == ()
    # an S-shaped curve crosses the diagonal in the middle, at a knot or inside a step
    for middle in ([(0.5, 0.5)], []):
        s_shaped = points_through((0.25, 0.5), *middle, (0.75, 0.5))
        assert crossings(s_shaped, diagonal) == pytest.approx((0.5,), abs=1e-15)
        assert dominance(s_shaped, diagonal).overall == "neither"
    # together on a stretch, then one above: that one dominates
    partly = points_through((0.5, 0.5), (0.75, 0.9))
    assert [s.above for s in dominance(diagonal, partly).stretches] == ["equal", "b"]
    assert dominance(diagonal, partly).overall == "b"
    # sides changed over a common stretch: one crossing, where it begins
    common = points_through((0.1, 0.25), (0.25, 0.25), (0.75, 0.75), (0.9, 0.75))
    assert [s.above for s in dominance(common, diagonal).stretches] == ["a", "equal", "b"]
    assert crossings(common, diagonal) == pytest.approx((0.25,), abs=1e-15)


def test_overlapping_jumps_are_not_a_stretch():
    # at fpr .5 one jumps from .2 to .6, the other from .4 to .8: the second is above before and after
    low, high = points_through((0.5, 0.2), (0.5, 0.6)), points_through((0.5, 0.4), (0.5, 0.8))
    assert dominance(low, high).stretches == (Stretch(0, 1, "b"),)


# --- confidence bands -----------------------------------------------------------------------------------------


def slow_heights(kind, truth, scores, x):
    """One replicate from copied items, by scikit-learn."""
    if kind == "roc":
        fpr, tpr, _ = sk.roc_curve(truth, scores, drop_intermediate=False)
        return [np.interp(v, fpr, tpr) for v in x]
    precision, recall, _ = (v[::-1] for v in sk.precision_recall_curve(truth, scores))
    return [next(p for p, r in zip(precision, recall, strict=False) if r >= v) for v in x]


@pytest.mark.parametrize("kind", ["roc", "pr"])
@pytest.mark.parametrize("stratified", [False, True])
def test_bands_are_those_of_copied_items(kind, stratified):
    truth, scores = tied_data(5, n=80, levels=3)
    found = bands(truth, scores, kind=kind, stratified=stratified, n_resamples=99, rng=np.random.default_rng(7))
    order = np.argsort(scores)[::-1]
    sorted_truth, sorted_scores = truth[order], scores[order]
    rng = np.random.default_rng(7)
    groups = [np.flatnonzero(sorted_truth), np.flatnonzero(~sorted_truth)] if stratified else [np.arange(80)]
    slow = []
    for _ in range(99):
        drawn = np.concatenate([items[(rng.random(items.size) * items.size).astype(int)] for items in groups])
        slow.append(slow_heights(kind, sorted_truth[drawn], sorted_scores[drawn], found.x))
    # (99 + 1) · .025 = 2.5, so two replicates are left out at each end: the 2nd is the limit
    slow = np.sort(slow, axis=0)
    np.testing.assert_allclose(found.low, slow[1], atol=1e-14)
    np.testing.assert_allclose(found.high, slow[-2], atol=1e-14)
    np.testing.assert_allclose(found.y, slow_heights(kind, truth, scores, found.x), atol=1e-14)
    assert found.undefined_replicates == 0


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_bands_contain_the_curve_and_shrink_with_the_root_of_n(kind):
    rng = np.random.default_rng(11)
    widths = []
    for n in (500, 8_000):
        truth = rng.random(n) < 0.4
        scores = truth + rng.normal(size=n)
        found = bands(truth, scores, kind=kind, n_resamples=399, rng=rng)
        # the ends are held by convention, and precision at the first few items is skewed
        inner = (found.x >= 0.05) & (found.x <= 0.95)
        assert ((found.low <= found.y) & (found.y <= found.high))[inner].all()
        widths.append((found.high - found.low)[inner].mean())
        wider = bands(truth, scores, kind=kind, n_resamples=399, level=0.99, rng=rng)
        assert (wider.high - wider.low)[inner].mean() > 1.15 * widths[-1]
    # 16 times the items, a quarter of the width
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.15)


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_bands_cover_the_true_curve(kind):
    """Normal scores one standard deviation apart, half of the items positive: the true curve is known."""
    rng = np.random.default_rng(3)
    # roc: recall at fpr .2 is Φ(1 + Φ⁻¹(.2)); pr: at recall .5 the threshold is 1, where fpr is Φ(−1)
    x, true = (0.2, ndtr(1 + ndtri(0.2))) if kind == "roc" else (0.5, 0.5 / (0.5 + ndtr(-1)))
    trials, covered = 400, 0
    for _ in range(trials):
        truth = rng.random(300) < 0.5
        found = bands(truth, truth + rng.normal(size=300), kind=kind, n_resamples=199, rng=rng, grid=[x])
        covered += found.low[0] <= true <= found.high[0]
    # 3 standard errors of a rate of 95 % over 400 trials
    assert covered / trials == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / trials))


def test_the_grid_meets_the_hundredths():
    # 100 positives, the negatives in between: at recall k/100 the precision is that of exactly k true positives
    truth = np.tile([True, False], 100)
    found = bands(truth, -np.arange(200.0), kind="pr", n_resamples=39, rng=np.random.default_rng(1))
    np.testing.assert_allclose(found.y[1:], [k / (2 * k - 1) for k in range(1, 101)], rtol=1e-15)


def test_the_fewest_resamples_give_their_lowest_and_highest():
    # (19 + 1) · (1 − .9) / 2 = 1, though 1 − .9 is less than .1 to the machine; 39 at level .95 likewise
    for level, n_resamples in ((0.9, 19), (0.95, 39), (0.99, 199)):
        found = bands(*tied_data(2), level=level, n_resamples=n_resamples, rng=np.random.default_rng(1))
        assert (found.low <= found.high).all()


def test_replicates_without_a_class_are_kept_and_counted():
    truth = np.arange(8) == 0
    for kind in ("roc", "pr"):
        found = bands(truth, np.arange(8.0), kind=kind, rng=np.random.default_rng(1))
        # a draw of 8 misses the one positive with probability (7/8)⁸ = .344
        assert found.undefined_replicates / 1000 == pytest.approx((7 / 8) ** 8, abs=3 * math.sqrt(0.344 * 0.656 / 1000))
        assert np.isfinite(found.low).all()
        assert found.low[50] == 0
    assert bands(truth, np.arange(8.0), stratified=True, rng=np.random.default_rng(1)).undefined_replicates == 0


def test_the_same_generator_gives_the_same_bands():
    truth, scores = tied_data(1)
    one, two = (bands(truth, scores, n_resamples=99, rng=np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(one.low, two.low)
    np.testing.assert_array_equal(one.high, two.high)


def test_bands_hold_a_small_multiple_of_the_data():
    rng = np.random.default_rng(1)
    truth = rng.random(200_000) < 0.5
    scores = truth + rng.normal(size=200_000)
    tracemalloc.start()
    bands(truth, scores, n_resamples=100, rng=rng)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # a (replicates × items) matrix would be 100 times the scores
    assert peak < 12 * scores.nbytes


# --- more than two classes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_multiclass_auc_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    labels = ["ant", "bee", "cat", "dog"]
    truth = np.array(labels)[np.append(np.arange(4), rng.choice(4, 150, p=[0.5, 0.3, 0.15, 0.05]))]
    scores = rng.integers(1, 6, (truth.size, 4)) + 2.0 * (truth[:, None] == np.array(labels))
    scores /= scores.sum(axis=1, keepdims=True)  # scikit-learn wants probabilities
    for average in ("macro", "weighted"):
        theirs = sk.roc_auc_score(truth, scores, multi_class="ovr", average=average, labels=labels)
        assert multiclass_auc(truth, scores, labels, average=average) == pytest.approx(theirs, abs=1e-14)
    found = one_against_others(truth, scores, labels)
    assert list(found) == labels
    assert roc_curve(found["bee"]).area == pytest.approx(sk.roc_auc_score(truth == "bee", scores[:, 1]), abs=1e-14)


# --- refusals -------------------------------------------------------------------------------------------------

Y, S = [True, False, True], [3.0, 2.0, 1.0]
POINTS = operating_points(Y, S)
RNG = np.random.default_rng(0)

REFUSALS = {
    "only positive": (lambda: operating_points([True, True], [1, 2]), DataError, "only positive items"),
    "only negative": (lambda: operating_points([False], [1]), DataError, "only negative items"),
    "no items": (lambda: operating_points(np.zeros(0, bool), []), DataError, "no items"),
    "one class by weight": (lambda: operating_points(Y, S, [1, 0, 1]), DataError, "only positive items"),
    "nan": (lambda: operating_points(Y, [1, math.nan, math.nan]), DataError, r"2 score\(s\) are nan, at .* 1, 2"),
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
