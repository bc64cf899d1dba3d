"""Models on many data sets in words: the null hypothesis, the number of tests, names as text."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from tests.analyses.many_data_sets import TABLE
from tests.one_of_each import data_sets


def test_the_verdict_counts_the_tests_and_names_the_null_hypothesis():
    a = np.linspace(0.5, 0.9, 12)
    scores = {"a": a, "b": a + 0.02 + np.arange(12) / 1000, "c": a + 0.004}
    r = cw.rank_data_sets(scores, rng=1)
    words = r.verdict()
    assert "The 3 models differ over 12 data sets" in words
    assert "b has the best average rank, 1.000, and is better than a, c." in words
    assert "Also better: c than a." in words
    assert "Pairs were compared by Wilcoxon's signed-rank test (3 tests, Holm-corrected)." in words
    assert "null hypothesis" in words
    against = cw.rank_data_sets(scores, baseline="c", correction="benjamini-hochberg", rng=1).verdict()
    assert "Better than c: b. Worse than c: a. " in against
    assert "2 tests, Benjamini–Hochberg-corrected" in against
    same = cw.rank_data_sets({"a": a, "b": a}, rng=1)
    assert "a, b share the best average rank, 1.500, and a is not told apart from b." in same.verdict()
    assert "1 test, nothing to correct" in str(same)


def test_hostile_names_stay_text():
    r = cw.rank_data_sets(TABLE, names=["<b>", "a\x1b[2J", "two\nlines", "{}"], rng=1)
    assert "<b>" not in r._repr_html_()
    assert "&lt;b&gt;" in r._repr_html_()
    assert "\x1b" not in str(r) + r.verdict() + r._repr_html_()
    assert r"two\nlines" in str(r)
    assert repr(r).startswith("DataSetComparison('<b>' ")
    assert json.loads(r.to_json())["names"][0] == "<b>"


def test_equal_means_are_not_the_null_hypothesis_and_the_verdict_says_so():
    """Three models of mean 0: normal scores, and exponential ones, which are below their mean 63 times in 100."""
    rng = np.random.default_rng(2006)
    sets, n = 25, 40
    found = 0
    for _ in range(sets):
        scores = np.column_stack([rng.normal(size=n), rng.normal(size=n), 3.0 * (rng.exponential(size=n) - 1.0)])
        r = cw.rank_data_sets(scores, n_resamples=99, rng=1)
        found += r.decision == "different"
    assert found / sets > 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5  # more than chance makes of 5 %
    assert "the models are exchangeable: on every data set all rankings of them are equally likely" in r.verdict()
    assert "This is not the hypothesis of equal mean scores" in r.verdict()


def test_a_statistic_stands_with_the_p_value_that_it_has():
    """The verdict on ranks is the permutation's; χ² on its degrees of freedom has another p-value, scipy's."""
    found = data_sets()
    told = found.verdict(style="paper")
    statistic, asymptotic = found.friedman.statistic, found.friedman.p_value
    assert stats.chi2.sf(statistic, 2) == pytest.approx(asymptotic)
    assert found.permutation.p_value != pytest.approx(asymptotic, rel=0.01)
    assert f"Friedman's χ² = {statistic:.3g}, exact permutation test, p = {found.permutation.p_value:#.3g}" in told
    assert "degrees of freedom" not in told
    assert "(exact Wilcoxon signed-rank test, Holm correction" in told
