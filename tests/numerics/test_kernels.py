"""Weights, swaps and what is left out, against drawing items one by one."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn import metrics

from clearwin.data.questions import Options, Question
from clearwin.data.scores import scored_items
from clearwin.measures import find
from clearwin.resampling.bootstrap import draw, left_out
from clearwin.resampling.of_scores import swap_scores
from tests.data.scored import ORACLE, RANKING, question_of, sample


@pytest.mark.parametrize("name", ["auc", "average_precision", "eer", "brier"])
@pytest.mark.parametrize("stratified", [False, True])
def test_weights_equal_drawing_items_in_distribution(name, stratified):
    y, a, b = sample(9, n=120, ties=True)
    rng = np.random.default_rng(2)
    slow = np.empty(150)
    for i in range(slow.size):
        if stratified:
            at = np.concatenate([rng.choice(np.flatnonzero(y == c), (y == c).sum()) for c in (0, 1)])
        else:
            at = rng.integers(0, 120, 120)
        slow[i] = ORACLE[name](y[at], b[at]) - ORACLE[name](y[at], a[at])
    drawn = draw(question_of(y, a, b, name, stratified=stratified))
    values_a, values_b = drawn.a, drawn.b
    assert drawn.undefined == 0
    # samples of 150 and 3,000 from one distribution: p < .001 once in a thousand seeds
    assert stats.ks_2samp(slow, values_b - values_a).pvalue > 0.001


def test_weights_are_exactly_multinomial():
    """Counts of three kinds of item against the multinomial, over block borders and a block that is not full."""
    from clearwin.numerics import kernels

    n = 2 * kernels.BLOCK_SIZE + 777
    first = np.array([0, kernels.BLOCK_SIZE, 2 * kernels.BLOCK_SIZE])
    sizes = np.array([kernels.BLOCK_SIZE, kernels.BLOCK_SIZE, 777])
    rng = np.random.default_rng(1)
    seen = np.zeros(n, dtype=np.int64)
    replicates = 400
    for _ in range(replicates):
        weights = np.zeros(n, np.uint16)
        totals = rng.multinomial(n, sizes / n)
        kernels.draw_weights(weights, first, sizes, totals, rng.integers(0, 2**64, 4, dtype=np.uint64))
        assert weights.sum() == n
        assert (np.add.reduceat(weights.astype(int), first) == totals).all()
        seen += weights
    # every item is drawn `replicates` times on average with variance replicates·(1 − 1/n): a χ² over all items
    chi2 = ((seen - replicates) ** 2 / replicates).sum()
    assert abs(chi2 - (n - 1)) < 5 * math.sqrt(2 * (n - 1))
    # and single draws are Poisson-like: share of items never drawn in one replicate is (1 − 1/n)^n
    assert (weights == 0).mean() == pytest.approx((1 - 1 / n) ** n, abs=5 * math.sqrt(0.25 / n))


@pytest.mark.parametrize(("n", "times"), [(1, 1), (7, 1), (64, 1), (1_000, 1), (256, 60_000)])
def test_areas_in_lanes_are_scikit_learns_and_those_of_the_plain_scan(n, times):
    """Lanes that are not full, of one item, and so heavy (240,000 draws each) that the plain scan takes over."""
    from clearwin.numerics import kernels

    rng = np.random.default_rng(n)
    truth, scores = rng.random(n) < 0.4, rng.random((2, n))
    truth[0] = True
    orders = np.argsort(-scores, axis=1).astype(np.int32)
    sizes = np.array(kernels.block_sizes(n))
    first = np.cumsum(sizes) - sizes
    totals = rng.multinomial(n * times, sizes / n, size=3)
    states = rng.integers(0, 2**64, (3, 4), dtype=np.uint64)
    last, none = np.ones((2, n), bool), np.empty(0)
    found = []
    for models in (2, 0):
        lanes = kernels.in_lanes(orders[:models], truth[orders[:models]])
        how = (orders, truth[orders].astype(np.uint8), last, none.astype(np.int64), none.astype(np.uint16), *lanes)
        found.append(kernels.bootstrap_scans(kernels.AUC, none, first, sizes, totals, states.copy(), *how))
    assert np.array_equal(*found, equal_nan=True)
    for r in range(3):
        weights = np.zeros(n, np.uint16)
        kernels.draw_weights(weights, first, sizes, totals[r], states[r])
        if weights[truth].any() and weights[~truth].any():
            wanted = [metrics.roc_auc_score(truth, s, sample_weight=weights) for s in scores]
            assert found[0][:, r] == pytest.approx(wanted, abs=1e-12)
        else:
            assert np.isnan(found[0][:, r]).all()


@pytest.mark.parametrize("lane", [0, 30, 63])
@pytest.mark.parametrize(("first", "heavy"), [(32_767, False), (32_768, True)])
def test_a_lane_is_added_up_just_as_long_as_its_area_fits_32_bits(first, heavy, lane):
    """Two positives above two negatives of 2¹⁵ draws each: 2¹⁶ · 2¹⁶ pairs are one more than 32 bits can tell."""
    from clearwin.numerics import kernels

    truth = np.tile([1, 1, 0, 0], 64)
    weights = np.ones(257, np.uint16)
    weights[4 * lane : 4 * lane + 4] = [first, 32_768, 32_768, 32_768]
    places, marks = kernels.in_lanes(np.arange(256, dtype=np.int32)[None], truth[None].astype(np.uint8))
    room = [np.zeros(64, kind) for kind in (np.uint16, np.uint32, np.uint32, np.uint32)]
    found = kernels._auc_in_lanes(weights, places[0], marks[0], *room)
    expected = metrics.roc_auc_score(truth, -np.arange(256), sample_weight=weights[:256])
    assert found == (-1.0 if heavy else pytest.approx(expected, rel=1e-12))


@pytest.mark.parametrize("name", RANKING)
@pytest.mark.parametrize("lone", [0, 1])
def test_a_class_of_one_item_can_be_ranked(name, lone):
    from clearwin.numerics import kernels

    measure, last = find(name), np.array([True, False, True, True, True, True])
    for place in range(6):
        y = np.full(6, 1 - lone)
        y[place] = lone
        options = np.array(measure.scan_options(), dtype=np.float64)
        which = getattr(kernels, measure.scan)
        found = kernels.scan(which, np.ones(6, np.uint16), y.astype(np.uint8), last, options)
        assert found == pytest.approx(ORACLE[name](y, np.array([5, 4, 4, 3, 2, 1])), abs=1e-12)


def test_swaps_are_fair_and_of_ranks():
    y, a, b = sample(10, n=200)
    values_a, values_b, _ = swap_scores(question_of(y, a, b, "auc", n_resamples=4_000))
    assert np.mean(values_b - values_a) == pytest.approx(0, abs=5 * np.std(values_b - values_a) / math.sqrt(4_000))
    # slow: swap midranks item by item
    ranks = np.stack([stats.rankdata(a), stats.rankdata(b)])
    rng = np.random.default_rng(3)
    slow = np.empty(300)
    for i in range(slow.size):
        coin = rng.integers(0, 2, 200)
        mine, other = np.where(coin, ranks[1], ranks[0]), np.where(coin, ranks[0], ranks[1])
        slow[i] = metrics.roc_auc_score(y, other) - metrics.roc_auc_score(y, mine)
    assert stats.ks_2samp(slow, values_b - values_a).pvalue > 0.001


@pytest.mark.parametrize("groups", [None, [0, 1, 1, 2, 0, 3]])
def test_all_swaps_are_every_way_to_give_an_item_or_a_group_the_other_models_ranks(groups):
    y, a, b = np.array([1, 0, 1, 0, 1, 0]), np.array([3, 1, 2, 2, 5, 4]), np.array([6, 6, 2, 1, 5, 3])
    asked = Question(scored_items(y, a, b, groups=groups, positive=1), find("auc"), Options())
    values_a, values_b, undefined = swap_scores(asked, all_of_them=True)
    unit, ranks = np.arange(6) if groups is None else np.array(groups), [stats.rankdata(a), stats.rankdata(b)]
    slow = []
    for coins in itertools.product([False, True], repeat=unit.max() + 1):
        swap = np.array(coins)[unit]
        slow.append([metrics.roc_auc_score(y, np.where(swap, *pair)) for pair in (ranks[::-1], ranks)])
    found = np.stack([values_a, values_b], axis=1)
    assert sorted(found.round(9).tolist()) == sorted(np.round(slow, 9).tolist())
    assert undefined == 0


# what xoshiro256++ gives from the state 1, 2, 3, 4: the test of rand_xoshiro, from its authors' program in C
PUBLISHED = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]


@pytest.mark.parametrize("n", [1, 63, 64, 150, 320])
def test_coins_are_the_bits_of_the_published_generator(n):
    from clearwin.numerics import kernels

    bits = np.zeros(n, np.uint8)
    kernels.draw_bits(bits, np.array([1, 2, 3, 4], dtype=np.uint64))
    assert bits.tolist() == [word >> k & 1 for word in PUBLISHED for k in range(64)][:n]


def test_coins_drawn_later_are_the_words_that_follow():
    from clearwin.numerics import kernels

    state, drawn = np.array([1, 2, 3, 4], dtype=np.uint64), []
    for size in (100, 64, 64, 64):  # the first take two words, of which the second is not used up
        bits = np.zeros(size, np.uint8)
        kernels.draw_bits(bits, state)
        drawn.append(sum(int(bit) << k for k, bit in enumerate(bits)))
    first, second, third, fourth, fifth = PUBLISHED
    assert drawn == [first + (second % 2**36 << 64), third, fourth, fifth]


@pytest.mark.parametrize("replicates", [1, 4, 7])
def test_steps_are_taken_as_often_as_their_coins_show_heads(replicates):
    """Coins within a word, across words, a whole word and none, for fewer and more replicates than words of a state.

    A step moves some features, and one feature is never moved.
    """
    from clearwin.numerics import kernels

    times = np.array([3, 61, 0, 64, 10, 150, 1])
    steps = sparse.csr_array(
        [[1, 0, -1, 0], [0, 0, 2, 0], [4, 0, 0, 0], [0, 0, 8, -8], [0, 0, 0, 0], [3, 0, 32, 5], [0, 0, 0, 64]]
    )
    states = np.tile(np.array([1, 2, 3, 4], dtype=np.uint64), (replicates, 1))
    bits = [word >> k & 1 for word in PUBLISHED for k in range(64)]
    ends = np.cumsum(times)
    heads = np.array([sum(bits[end - n : end]) for n, end in zip(times, ends, strict=True)])
    entries = (steps.indptr.astype(np.int64), steps.indices.astype(np.int64), steps.data)
    found = kernels.swapped_totals(states, times, *entries, 4)
    assert found.tolist() == [(heads @ steps).tolist()] * replicates


@pytest.mark.parametrize("name", ["auc", "eer", "brier", "sse"])
def test_jackknife_leaves_out_each_item(name):
    y, a, b = sample(11, n=60, ties=True)
    left = left_out(question_of(y, a, b, name))
    found_a, found_b, times = left.a, left.b, left.times
    assert times.tolist() == [1] * 60
    keep = [np.arange(60) != i for i in range(60)]
    factor = 60 / 59 if name == "sse" else 1  # a sum is the mean over the rest times n
    slow = sorted(factor * ORACLE[name](y[k], a[k]) for k in keep)
    np.testing.assert_allclose(np.sort(found_a), slow, rtol=1e-10)
    np.testing.assert_allclose(np.sort(found_b), sorted(factor * ORACLE[name](y[k], b[k]) for k in keep), rtol=1e-10)
