"""DeLong's arithmetic against its definition, against other people's code, and against what must hold exactly."""

import math
import sys
import tracemalloc

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from clearwin.errors import DataError
from clearwin.numerics import auc_covariance as module
from clearwin.numerics.auc_covariance import (
    auc,
    auc_covariance,
    binned_auc_covariance,
    contrast_chi2,
    difference_variance,
)

# --- the definition: DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988), all P·N pairs ----------------------


def textbook(truth, models):
    """Return the AUCs, S10/P and S01/N by comparing every positive with every negative."""
    positives, negatives = np.flatnonzero(truth), np.flatnonzero(~truth)
    v10 = np.empty((len(models), positives.size))
    v01 = np.empty((len(models), negatives.size))
    for m, scores in enumerate(models):
        psi = np.empty((positives.size, negatives.size))
        for row, i in enumerate(positives):
            for column, j in enumerate(negatives):
                x, y = scores[i], scores[j]
                psi[row, column] = 1.0 if x > y else 0.5 if x == y else 0.0
        v10[m] = psi.mean(axis=1)
        v01[m] = psi.mean(axis=0)
    return v10.mean(axis=1), covariance_of(v10) / positives.size, covariance_of(v01) / negatives.size


def covariance_of(components):
    centred = components - components.mean(axis=1, keepdims=True)
    return centred @ centred.T / (components.shape[1] - 1)


def random_set(seed, models=None, n=None):
    """Draw a set: two to four correlated models, balanced or not, with no, some or many ties."""
    rng = np.random.default_rng([4, seed])
    n = n or int(rng.integers(6, 60))
    positives = max(2, min(n - 2, round(n * rng.choice([0.05, 0.2, 0.5, 0.9]))))
    truth = rng.permutation(np.arange(n) < positives)
    difficulty = rng.normal(size=n)
    decimals = int(rng.choice([0, 1, 12]))
    scores = [
        np.round(rng.uniform(-1, 3) * truth + difficulty + rng.normal(size=n), decimals)
        for _ in range(models or int(rng.integers(2, 5)))
    ]
    return truth, scores


def test_it_is_the_textbook_definition():
    for seed in range(100):
        truth, models = random_set(seed)
        aucs, s10, s01 = textbook(truth, models)
        c = auc_covariance(truth, models)
        assert (c.positives, c.negatives) == (truth.sum(), (~truth).sum())
        np.testing.assert_allclose(c.aucs, aucs, rtol=0, atol=1e-12)
        np.testing.assert_allclose(c.covariance, s10 + s01, rtol=1e-12, atol=1e-14)
        for i, j in np.ndindex(c.covariance.shape):
            expected = (s10 + s01)[i, i] + (s10 + s01)[j, j] - 2 * (s10 + s01)[i, j]
            assert difference_variance(c, i, j) == pytest.approx(expected, rel=1e-12, abs=1e-14)
        assert [auc(truth, s) for s in models] == c.aucs.tolist()


def test_the_random_sets_are_varied():
    """What the test above claims to cover: ties across the classes, few positives, two to four models."""
    sets = [random_set(seed) for seed in range(200)]
    tied = [np.intersect1d(s[0][truth], s[0][~truth]).size > 0 for truth, s in sets]
    assert 40 < sum(tied) < 160
    assert {len(s) for _, s in sets} == {2, 3, 4}
    assert min(truth.sum() for truth, _ in sets) == 2
    assert min((~truth).sum() for truth, _ in sets) == 2


# --- other people's code -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_auc_is_scikit_learns_and_mann_whitneys(seed):
    truth, models = random_set(seed, n=None if seed else 200_000)
    for scores in models:
        value = auc(truth, scores)
        u = mannwhitneyu(scores[truth], scores[~truth], method="asymptotic").statistic
        assert value == pytest.approx(roc_auc_score(truth, scores), rel=0, abs=1e-12)
        assert value == pytest.approx(u / (truth.sum() * (~truth).sum()), rel=0, abs=1e-15)


@pytest.mark.parametrize("seed", range(30))
def test_contrast_is_the_direct_solution(seed):
    truth, models = random_set(seed, n=80)
    aucs, s10, s01 = textbook(truth, models)
    contrasts = np.diff(np.eye(len(models)), axis=0)
    variance = contrasts @ (s10 + s01) @ contrasts.T
    difference = contrasts @ aucs
    statistic, df = contrast_chi2(auc_covariance(truth, models))
    assert statistic == pytest.approx(difference @ np.linalg.solve(variance, difference), rel=1e-10)
    assert df == len(models) - 1


def test_contrast_is_flints_exact_solution():
    """python-flint reduces the same integers to rows in its own way: the same fraction, so the same bits."""
    from flint import fmpz_mat

    truth, models = random_set(7, models=12, n=300)
    c = auc_covariance(truth, models)
    variances = np.diff(np.diff(c.numerators, axis=0), axis=1)
    differences = np.diff(c.net_wins)
    reduced, pivot, rank = fmpz_mat(np.column_stack([variances, differences]).tolist()).rref()
    numerator = sum(int(d) * int(reduced[k, 11]) for k, d in enumerate(differences))
    expected = numerator * (c.positives - 1) * (c.negatives - 1) / int(pivot)
    assert contrast_chi2(c) == (expected, rank)


# --- what must hold exactly --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_models_and_of_items_does_not_matter(seed):
    truth, models = random_set(seed)
    c = auc_covariance(truth, models)
    swapped = auc_covariance(truth, models[::-1])
    assert np.array_equal(swapped.aucs, c.aucs[::-1])
    assert np.array_equal(swapped.covariance, c.covariance[::-1, ::-1])
    assert np.array_equal(c.covariance, c.covariance.T)
    assert difference_variance(c, 1, 0) == difference_variance(c, 0, 1)
    assert contrast_chi2(swapped) == contrast_chi2(c)
    shuffle = np.random.default_rng(seed).permutation(truth.size)
    shuffled = auc_covariance(truth[shuffle], [s[shuffle] for s in models])
    assert np.array_equal(shuffled.covariance, c.covariance)


@pytest.mark.parametrize(
    "transform",
    [np.exp, np.arctan, lambda x: x**3 / 7, lambda x: 2.0**900 * x, lambda x: 2.0**-900 * x],
    ids=["exp", "arctan", "cube", "huge", "tiny"],
)
def test_monotone_transforms_change_no_bit(transform):
    for seed in range(10):
        truth, models = random_set(seed)
        moved = [transform(s) for s in models]
        c, after = auc_covariance(truth, models), auc_covariance(truth, moved)
        assert np.array_equal(after.aucs, c.aucs)
        assert np.array_equal(after.covariance, c.covariance)
        assert [auc(truth, s) for s in moved] == c.aucs.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_turned_scores_and_turned_truth_turn_the_auc(seed):
    truth, models = random_set(seed)
    c = auc_covariance(truth, models)
    for turned in (auc_covariance(truth, [-s for s in models]), auc_covariance(~truth, models)):
        assert turned.net_wins.tolist() == (-c.net_wins).tolist()
        assert np.array_equal(turned.covariance, c.covariance)
    assert np.array_equal(auc_covariance(~truth, [-s for s in models]).aucs, c.aucs)


@pytest.mark.parametrize("seed", range(20))
def test_every_item_twice(seed):
    """The components stay, each twice: SS/(P − 1)/P becomes 2·SS/(2P − 1)/(2P), so the factor is (P − 1)/(2P − 1)."""
    truth, models = random_set(seed)
    _, s10, s01 = textbook(truth, models)
    once = auc_covariance(truth, models)
    twice = auc_covariance(np.tile(truth, 2), [np.tile(s, 2) for s in models])
    p, n = once.positives, once.negatives
    expected = s10 * (p - 1) / (2 * p - 1) + s01 * (n - 1) / (2 * n - 1)
    assert np.array_equal(twice.aucs, once.aucs)
    np.testing.assert_allclose(twice.covariance, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_identical_scores_differ_by_exactly_nothing(seed):
    truth, (a, b) = random_set(seed, models=2)
    c = auc_covariance(truth, [a, a.copy(), np.exp(a), b])
    assert c.aucs[0] == c.aucs[1] == c.aucs[2]
    assert difference_variance(c, 0, 1) == difference_variance(c, 0, 2) == 0.0
    assert difference_variance(c, 1, 3) == difference_variance(auc_covariance(truth, [a, b]))


def test_one_pair_in_a_hundred_million():
    """Neighbours change places, so ψ of one pair does: the variance is 2/(P·N)², eleven digits below var and cov."""
    n = 20_000
    truth = np.random.default_rng(0).random(n) < 0.5
    a = np.arange(n, dtype=float)
    low = int(np.flatnonzero(~truth[:-1] & truth[1:])[100])
    b = a.copy()
    b[[low, low + 1]] = a[[low + 1, low]]
    c = auc_covariance(truth, [a, b])
    assert difference_variance(c) == pytest.approx(2 / (c.positives * c.negatives) ** 2, rel=1e-15)
    assert contrast_chi2(c) == (0.5, 1)


def test_threads_change_no_bit(monkeypatch):
    truth, models = random_set(3, models=4, n=5_000)
    results = []
    for threads_from in (0, 10**9):
        monkeypatch.setattr(module, "THREADS_FROM", threads_from)
        results.append(auc_covariance(truth, models))
    assert results[0].numerators.tolist() == results[1].numerators.tolist()
    assert results[0].net_wins.tolist() == results[1].net_wins.tolist()


def test_products_beyond_63_bits_are_exact():
    """Net wins as large as two billion items would give: blocks of 8, added as Python's whole numbers."""
    bound = 2**30
    x, y = np.random.default_rng(1).integers(-bound, bound, size=(2, 1001), endpoint=True)
    products, sums = module._centred_products([x, y], bound)
    for i, j in np.ndindex(2, 2):
        u, v = [(x, y)[k].tolist() for k in (i, j)]
        assert products[i, j] == 1001 * sum(a * b for a, b in zip(u, v, strict=True)) - sum(u) * sum(v)
    assert sums.tolist() == [sum(x.tolist()), sum(y.tolist())]


# --- the overall test where variances vanish ---------------------------------------------------------------------


def test_contrast_of_two_is_the_square_of_z():
    truth, models = random_set(11, models=2)
    c = auc_covariance(truth, models)
    statistic, df = contrast_chi2(c)
    assert statistic == pytest.approx((c.aucs[1] - c.aucs[0]) ** 2 / difference_variance(c), rel=1e-12)
    assert df == 1


@pytest.mark.parametrize("seed", range(10))
def test_a_model_that_follows_from_the_others_adds_nothing(seed):
    truth, (a, b, d) = random_set(seed, models=3, n=400)
    expected = contrast_chi2(auc_covariance(truth, [a, b, d]))
    assert contrast_chi2(auc_covariance(truth, [a, a, b, d, b])) == expected
    # a turned copy and a constant: all three lie on one line through AUC ½
    c = auc_covariance(truth, [a, -a, np.zeros(a.size)])
    statistic, df = contrast_chi2(c)
    assert statistic == pytest.approx((c.aucs[0] - 0.5) ** 2 / c.covariance[0, 0], rel=1e-12)
    assert df == 1


def test_contrast_of_the_same():
    truth, (a,) = random_set(5, models=1)
    for models in ([a], [a, a], [a, a + 1.0, a * 2.0]):
        assert contrast_chi2(auc_covariance(truth, models)) == (0.0, 0)


def test_a_difference_without_variance_is_never_left_out():
    truth = np.array([True, True, True, False, False, False])
    perfect = truth.astype(float)
    assert contrast_chi2(auc_covariance(truth, [perfect, perfect])) == (0.0, 0)
    assert contrast_chi2(auc_covariance(truth, [perfect, -perfect])) == (math.inf, 0)
    some = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 0.0])
    assert contrast_chi2(auc_covariance(truth, [perfect, some, -perfect])) == (math.inf, 1)
    assert contrast_chi2(auc_covariance(truth, [some, perfect, -perfect])) == (math.inf, 1)


# --- bins --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("models", [1, 2])
def test_bins_that_leave_nothing_open_give_the_standard_error_itself(models):
    """With one score in each bin, and every bin a row of the grid, nothing is unknown."""
    truth, scores = random_set(13, models=models, n=60)
    scores = [np.round(s) for s in scores]
    bins = [np.unique(s, return_inverse=True)[1] for s in scores]
    cells, cell = np.unique(bins, axis=1, return_inverse=True)
    rows = [b.max() + 1 for b in bins]
    margins = [
        (*(np.bincount(b[which], minlength=m) for which in (truth, ~truth)), np.ones(m, bool))
        for b, m in zip(bins, rows, strict=True)
    ]
    held = (np.bincount(cell.ravel()[which], minlength=cells.shape[1]) for which in (truth, ~truth))
    found = binned_auc_covariance(margins, [np.arange(m) for m in rows], cells, *held)
    exact = auc_covariance(truth, scores)
    variance = difference_variance(exact) if models == 2 else exact.covariance.item()
    assert found.aucs.tolist() == pytest.approx(exact.aucs.tolist(), abs=1e-15)
    assert found.variance == pytest.approx(variance, rel=1e-12)
    assert found.deviations == pytest.approx([math.sqrt(variance)] * 2, rel=1e-12)
    assert not found.errors.any()


def test_a_bin_of_unlike_scores_leaves_the_standard_error_open():
    """By hand: two positives and three negatives, of which one each share a bin, in whichever order.

    The positives' components are 5/6 and 1, with variance 1/72, and the first may be off by 1/6. The negatives' are
    0, 0 and 1/4 as far as they lose, with variance 1/48, and the last may be off by 1/4.
    """
    margin = np.array([0, 1, 1]), np.array([2, 1, 0]), np.array([True, False, True])
    found = binned_auc_covariance([margin], [np.arange(3)], np.arange(3)[None], *margin[:2])
    assert found.errors.tolist() == pytest.approx([1 / 12])
    of_positives, of_negatives = (math.sqrt(1 / 72), 1 / 6), (math.sqrt(1 / 48), math.sqrt(1 / 16 / 2))
    assert found.variance == pytest.approx(1 / 72 / 2 + 1 / 48 / 3)
    assert found.deviations[0] == 0.0  # if the positive is above the negative, the ranking is perfect
    assert found.deviations[1] == pytest.approx(math.sqrt(sum(of_positives) ** 2 / 2 + sum(of_negatives) ** 2 / 3))


# --- extremes ----------------------------------------------------------------------------------------------------

LARGEST, TINIEST = sys.float_info.max, 5e-324
BELOW = [-math.inf, -LARGEST, -1e308, np.nextafter(-1e308, 0), -1.0, -TINIEST, 0.0]
ABOVE = [TINIEST, 2 * TINIEST, 2.2e-308, 1.0, np.nextafter(1.0, 2), 1e308, np.nextafter(1e308, math.inf), math.inf]
LADDER = np.array([*BELOW, *ABOVE])


@pytest.mark.parametrize("n", [12, 300, 60_000])
def test_extreme_scores_rank_like_an_easy_copy(n):
    assert np.all(LADDER[1:] > LADDER[:-1])
    rng = np.random.default_rng(n)
    truth = rng.permutation(np.arange(n) < n // 3)
    easy = [rng.integers(LADDER.size, size=n) for _ in range(2)]
    hard = [LADDER[e] for e in easy]
    hard[0] = np.where((hard[0] == 0) & (rng.random(n) < 0.5), -0.0, hard[0])
    c, expected = auc_covariance(truth, hard), auc_covariance(truth, easy)
    assert np.array_equal(c.aucs, expected.aucs)
    assert np.array_equal(c.covariance, expected.covariance)
    assert auc(truth, hard[0]) == expected.aucs[0]


def test_ends_of_the_scale():
    truth = np.array([True, False, True, False])
    c = auc_covariance(truth, [truth, ~truth, np.full(4, math.inf)])
    assert c.aucs.tolist() == [1.0, 0.0, 0.5]
    assert not c.covariance.any()


@pytest.mark.parametrize("lone", [True, False])
def test_a_class_of_one_has_no_variance_of_its_own(lone):
    truth = np.array([lone] + [not lone] * 4)
    scores = np.array([2.0, 1.0, 2.0, 3.0, 0.0])
    c = auc_covariance(truth, [scores])
    # by hand: the others' components are 1, ½, 0, 1 (or 0, ½, 1, 0), sum of squares 11/16, over 4 − 1 and over 4
    assert c.covariance.item() == pytest.approx(11 / 16 / 3 / 4, rel=1e-15)
    assert c.degenerate
    assert c.aucs.item() == (0.625 if lone else 0.375)
    alone = auc_covariance([True, False], [[1.0, 0.0], [0.0, 1.0]])
    assert alone.degenerate
    assert alone.aucs.tolist() == [1.0, 0.0]
    assert not alone.covariance.any()
    assert not auc_covariance([True, True, False, False], [[1.0, 2.0, 3.0, 4.0]]).degenerate


@pytest.mark.parametrize("nan", [math.nan, -math.nan])
def test_nan_is_refused_with_its_place(nan):
    scores = np.random.default_rng(0).normal(size=5_000)
    scores[[1234, 4000]] = nan
    truth = np.arange(5_000) % 2 == 0
    with pytest.raises(DataError, match=r"2 scores are nan, the first is item 1234"):
        auc_covariance(truth, [truth, scores])
    with pytest.raises(DataError, match="are nan"):
        auc(truth, scores)


def test_what_cannot_be_ranked_is_refused():
    for truth in ([True, True], [False], []):
        with pytest.raises(DataError, match="cannot be ranked"):
            auc(truth, [0.0] * len(truth))
    with pytest.raises(DataError, match="one score for every item"):
        auc([True, False], [1.0])
    with pytest.raises(DataError, match="no scores"):
        auc_covariance([True, False], [])


def test_memory_is_a_small_multiple_of_the_data():
    truth, models = random_set(2, models=2, n=200_000)
    models = [s + np.arange(200_000) * 1e-9 for s in models]
    tracemalloc.start()
    auc_covariance(truth, models)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * sum(s.nbytes for s in models)


def test_a_known_order_saves_the_sort_and_changes_nothing():
    rng = np.random.default_rng(7)
    truth = rng.random(500) < 0.3
    scores = [np.round(rng.normal(size=500), 1), rng.normal(size=500)]  # with ties and without
    orders = [np.lexsort((-np.arange(500), s)).astype(np.int32) for s in scores]  # ties the other way round
    there, here = auc_covariance(truth, scores), auc_covariance(truth, scores, orders)
    assert there.aucs.tolist() == here.aucs.tolist()
    assert there.numerators.tolist() == here.numerators.tolist()
    wrong = auc_covariance(truth, scores, [orders[1], orders[0]])
    assert wrong.aucs.tolist() != there.aucs.tolist()  # it is really the order that is read
