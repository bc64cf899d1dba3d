"""Doubts about tests over folds: true levels, few folds, units of a margin."""

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.streams import Seed
from scorecard import learners
from tests.fold_scores import made


@pytest.mark.parametrize("test", ["paired_t", "permutation", "partition", "wilcoxon", "sign"])
def test_naive_tests_tell_their_true_level(test):
    a, b = made(10, 1)
    told = {c.code: c.text for c in cw.compare_folds(a, b, design="k-fold", test=test).caveats}
    assert "true level of about 0.154" in told["naive"]
    told = {c.code: c.text for c in cw.compare_folds(a, b, test=test).caveats}
    assert "design of the folds was not given" in told["naive"]
    told = {c.code: c.text for c in cw.compare_folds(a, b, design="resampled", test=test).caveats}
    assert "Give test_train_ratio" in told["naive"]
    assert "naive" not in [c.code for c in cw.compare_folds(a, b, design="independent", test=test).caveats]


def test_few_folds():
    for n, few in ((29, True), (30, False)):
        codes = [c.code for c in cw.compare_folds(*made(n, 1), design="k-fold").caveats]
        assert ("few_folds" in codes) == few
    codes = [c.code for c in cw.compare_folds(*made(4, 1), design="independent").caveats]
    assert "few_arrangements" in codes


def test_the_5x2cv_tests_say_that_they_find_too_much():
    for test in ("5x2cv_t", "5x2cv_f"):
        told = {c.code: c.text for c in cw.compare_folds(*made(10, 1), design="5x2", test=test).caveats}
        assert "in up to 13 % of data sets of 100 items" in told["dependent_halves"]
        assert 'Use test="corrected_t"' in told["dependent_halves"]
    for test in ("corrected_t", "bayes_t"):
        codes = [c.code for c in cw.compare_folds(*made(10, 1), design="5x2", test=test).caveats]
        assert codes == ["few_folds"]


def test_a_rope_in_other_units_is_doubted():
    a, b = made(10, 1)
    for factor, doubted in ((1, False), (100, True)):
        r = cw.compare_folds(factor * a, factor * b, design="k-fold", test="bayes_t")
        assert ("tiny_margin" in [c.code for c in r.caveats]) == doubted


def rounds_differ(differences):
    a = np.full(differences.shape, 0.8)
    return "rounds_differ" in [c.code for c in cw.compare_folds(a, a + differences, design="10x10").caveats]


def test_rounds_that_differ_more_than_one_correlation_allows_are_doubted():
    """Folds that all correlate alike: the analysis of variance by rounds rejects 1 % at .01, in the same data sets."""
    stream, found = np.random.default_rng(2), 0
    for _ in range(300):
        alike = 0.02 * stream.normal() + 0.05 * stream.normal(size=(10, 10))
        by_scipy = stats.f_oneway(*alike).pvalue
        assert rounds_differ(alike) == (by_scipy < 0.01)
        found += by_scipy < 0.01
    assert 0 < found <= 9  # 1 % and three and a half binomial standard errors
    assert rounds_differ(alike + 0.1 * stream.normal(size=(10, 1)))
    # it does not look at the mean difference
    assert rounds_differ(alike + 0.3) == rounds_differ(alike)


def test_rounds_of_one_data_set_differ_less_than_that():
    """Even of 1-nearest neighbour, so no caveat can tell its false alarms from others."""
    splits = next(s for s in learners.SPLITS if s.name == "10 × 10 folds")
    drawn = learners.accuracies(
        Seed(1).stream(1, 1), learners.nearest_neighbour, splits, learners.FEATURES[0], 80, data_sets=50
    )
    assert not any(rounds_differ((b - a).reshape(10, 10)) for a, b in drawn)
