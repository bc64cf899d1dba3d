"""The variance class by class against every pair of a positive and a negative, compared one by one."""

import numpy as np
import pytest

from clearwin.data.scores import ScoreSample, own_type
from clearwin.measures import find
from clearwin.resampling.by_class import MomentsOfPairs, by_class, has_few_of_a_class


def sample_of(truth, *scores):
    return ScoreSample(np.asarray(truth, dtype=bool), scores, tuple(own_type(s) for s in scores), 1, 0)


def scored(seed, positives, negatives, models=2, ties=False):
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [positives, negatives])
    scores = [rng.normal(size=truth.size) + (1.0 + 0.5 * j) * truth for j in range(models)]
    mixed = rng.permutation(truth.size)
    return sample_of(truth[mixed], *(np.round(s[mixed], 0 if ties else 9) for s in scores))


def placements(sample, model):
    """Return what share of the negatives each positive beats, and what share of the positives beats each negative."""
    scores = sample.scores[model]
    won = scores[sample.truth][:, None] - scores[~sample.truth][None, :]
    won = np.where(won > 0, 1.0, np.where(won == 0, 0.5, 0.0))
    return won.mean(axis=1), won.mean(axis=0)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("positives", "negatives"), [(3, 20), (10, 60), (40, 7), (50, 50)])
def test_areas_have_delongs_variance_and_a_floor(positives, negatives, ties):
    """DeLong et al. 1988, with w parts of an item added that one model ranks first and the other last."""
    sample = scored(positives, positives, negatives, ties=ties)
    (va, ua), (vb, ub) = placements(sample, 0), placements(sample, 1)
    v, u, w = vb - va, ub - ua, min(min(positives, negatives) / 500, 1 / 20)
    d = v.mean()
    # about the observed difference: (1 − d)² and (−1 − d)² for either class
    floor = w * (1 / positives**2 + 1 / negatives**2) * ((1 - d) ** 2 + (1 + d) ** 2)
    variance = v.var(ddof=1) / positives + u.var(ddof=1) / negatives + floor
    third = sum(
        ((x - x.mean()) ** 3).sum() / (x.size * (x.size - 1) * (x.size - 2)) for x in (v, u)
    )  # the unbiased third cumulant of a mean, κ₃/n²
    found = by_class(sample, find("auc"))
    assert found.observed == pytest.approx(d, abs=1e-12)
    assert found.variance == pytest.approx(variance, rel=1e-10)
    assert found.skewness == pytest.approx(third / variance**1.5, abs=1e-10)
    assert found.degrees == min(positives, negatives) - 1


def test_exchanging_the_models_turns_everything_round():
    sample = scored(5, 12, 80)
    for measure in ("auc", "eer", "min_dcf"):
        one, other = (by_class(sample, find(measure), swapped=swapped) for swapped in (False, True))
        assert (one.observed, one.skewness) == pytest.approx((-other.observed, -other.skewness), abs=1e-12)
        assert (one.variance, one.degrees) == pytest.approx((other.variance, other.degrees))


@pytest.mark.parametrize("measure", ["auc", "eer", "min_dcf"])
def test_pairs_of_many_models_have_the_moments_of_two(measure):
    sample, pairs = scored(7, 15, 90, models=4), [(0, 1), (0, 3), (2, 1)]
    found = MomentsOfPairs(sample, find(measure), pairs).moments
    for pair, mine in zip(pairs, found, strict=True):
        two = by_class(sample.of_pair(*pair), find(measure))
        assert vars(mine) == pytest.approx(vars(two), rel=1e-9)


def test_it_is_for_few_but_enough_items_of_the_smaller_class():
    auc = find("auc")
    for positives, negatives, is_for_these in ((2, 90, False), (3, 90, True), (50, 60, True), (90, 50, True)):
        assert has_few_of_a_class(scored(1, positives, negatives), auc) == is_for_these
    assert not has_few_of_a_class(scored(1, 51, 51), auc)
    for measure in ("average_precision", "partial_auc", "break_even"):
        assert not has_few_of_a_class(scored(1, 10, 90), find(measure))
