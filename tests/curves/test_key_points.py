"""Single points of a curve: equal errors, break-even, lowest cost, thresholds, by fractions and scikit-learn."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn import metrics as sk

from clearwin.curves.key_points import break_even, cost_table, equal_error, lowest_cost, roc_at, threshold_table
from clearwin.curves.points import operating_points
from tests.curves.scored import SEEDS, exact_rates, heights, small_points, tied_data


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
