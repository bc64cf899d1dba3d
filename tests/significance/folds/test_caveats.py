"""Doubts about tests over folds: true levels, few folds, units of a margin."""

import pytest

import clearwin as cw
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
