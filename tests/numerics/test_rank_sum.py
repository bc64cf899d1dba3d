"""The area under the ROC curve against chance: scipy's exact and asymptotic tests, and every arrangement by hand."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from clearwin.numerics.rank_sum import MOST_COUNTED, against_chance


def level(truth, scores):
    values, place = np.unique(scores, return_inverse=True)
    of_classes = [np.bincount(place[truth == y], minlength=values.size) for y in (1, 0)]
    return against_chance(*of_classes)


@pytest.mark.parametrize(("n", "method"), [(12, "exact"), (MOST_COUNTED, "exact"), (200, "asymptotic")])
def test_without_ties_as_scipy_has_it(n, method):
    stream = np.random.RandomState(n)
    truth = np.arange(n) % 3 == 0
    for shift in (-1.0, 0.0, 0.7):
        scores = stream.normal(size=n) + shift * truth
        found = level(truth, scores)
        sides = [
            stats.mannwhitneyu(scores[truth], scores[~truth], alternative=side, method=method).pvalue
            for side in ("less", "greater")
        ]
        assert [found.below, found.above] == pytest.approx(sides, rel=1e-9)


def test_with_ties_every_arrangement_counts():
    scores, positives = np.array([1, 1, 2, 2, 2, 3, 3, 4]), (2, 5, 7)
    ranks = stats.rankdata(scores)
    sums = np.array([ranks[list(chosen)].sum() for chosen in combinations(range(8), 3)])
    truth = np.isin(np.arange(8), positives)
    observed = ranks[truth].sum()
    found = level(truth, scores)
    assert found.below == pytest.approx((sums <= observed).mean(), rel=1e-12)
    assert found.above == pytest.approx((sums >= observed).mean(), rel=1e-12)


@pytest.mark.parametrize("n", [10, 100])
def test_a_model_that_says_nothing_is_at_chance_both_ways(n):
    found = level(np.arange(n) % 2 == 0, np.zeros(n))
    assert (found.below, found.above, found.area) == (1.0, 1.0, 0.5)
