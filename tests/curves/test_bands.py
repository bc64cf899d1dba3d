"""Bands: those of copied items, and they cover the true curve."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from sklearn import metrics as sk

from clearwin.curves.bands import bands
from tests.curves.scored import tied_data


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


@pytest.mark.parametrize("trials", [100, pytest.param(400, marks=pytest.mark.study)])
@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_bands_cover_the_true_curve(kind, trials):
    """Normal scores one standard deviation apart, half of the items positive: the true curve is known."""
    rng = np.random.default_rng(3)
    # roc: recall at fpr .2 is Φ(1 + Φ⁻¹(.2)); pr: at recall .5 the threshold is 1, where fpr is Φ(−1)
    x, true = (0.2, ndtr(1 + ndtri(0.2))) if kind == "roc" else (0.5, 0.5 / (0.5 + ndtr(-1)))
    covered = 0
    for _ in range(trials):
        truth = rng.random(300) < 0.5
        found = bands(truth, truth + rng.normal(size=300), kind=kind, n_resamples=199, rng=rng, grid=[x])
        covered += found.low[0] <= true <= found.high[0]
    # 3 standard errors of a rate of 95 % over so many trials
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
