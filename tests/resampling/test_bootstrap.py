"""Strata: n − 1 of n units are drawn and weigh n/(n − 1) each (Rao and Wu 1988)."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.resampling import of_counts
from clearwin.resampling.bootstrap import StratumDraws, draw
from clearwin.streams import Seed

STRATA = np.array(["two"] * 2 + ["three"] * 3 + ["too"] * 3 + ["one"])
Y = np.array([1, 0, 1, 0, 0, 1, 1, 0, 1])
SCORES = np.array([0.9, 0.4, 0.3, 0.35, 0.1, 0.8, 0.2, 0.6, 0.7])
OTHERS = np.array([0.3, 0.4, 0.9, 0.1, 0.6, 0.5, 0.9, 0.2, 0.1])


def drawn(measure, a, b, n_resamples=20_000, truth=Y):
    read = read_sample(truth, {"a": a, "b": b}, find(measure), Reading(strata=STRATA[: len(a)]))
    return draw(Question(*read, Options(n_resamples=n_resamples, seed=Seed(3))))


def every_weighting():
    """Return the weights of all 2 · 9 · 9 ways to draw one of two, two of three and two of three."""
    places = [np.flatnonzero(name == STRATA) for name in ("two", "three", "too")]
    for picked in itertools.product(*(itertools.product(here, repeat=here.size - 1) for here in places)):
        weights = (STRATA == "one") * 1.0
        for here, mine in zip(places, picked, strict=True):
            np.add.at(weights, list(mine), here.size / (here.size - 1))
        yield weights


def decided(scores):
    return (scores >= 0.4) * 1


def both_classes(weights):
    """Without a class a measure of scores is 0 by convention."""
    return 0.0 < weights @ Y < weights.sum() - 1e-9


# scikit-learn's own formulas on weighted items
WEIGHTED = {
    "f1": lambda scores, w: metrics.f1_score(Y, decided(scores), sample_weight=w, zero_division=0),
    "accuracy": lambda scores, w: metrics.accuracy_score(Y, decided(scores), sample_weight=w),
    "auc": lambda scores, w: both_classes(w) and metrics.roc_auc_score(Y, scores, sample_weight=w),
    "average_precision": lambda scores, w: (
        both_classes(w) and metrics.average_precision_score(Y, scores, sample_weight=w)
    ),
    "mean": lambda scores, w: np.average(scores, weights=w),
}


@cache
def enumerated(measure):
    return np.array([[WEIGHTED[measure](s, w) for s in (SCORES, OTHERS)] for w in every_weighting()])


@pytest.mark.parametrize("measure", WEIGHTED)
@pytest.mark.parametrize("one_by_one", [False, True])
def test_replicates_are_all_ways_to_draw_one_less(measure, one_by_one, monkeypatch):
    """Every value occurs as often as by enumeration: χ² of some dozen values, p < .001 once in a thousand seeds."""
    if one_by_one:
        monkeypatch.setattr(of_counts, "FEW_ROWS", 0)
        monkeypatch.setattr(of_counts, "OFTEN", 10**9)
    of_decisions = measure in ("f1", "accuracy")
    a, b = (decided(s) if of_decisions else s for s in (SCORES, OTHERS))
    found = drawn(measure, a, b, truth=None if measure == "mean" else Y)
    for ours, theirs in zip(found.values, enumerated(measure).T, strict=True):
        values, counts = np.unique(theirs.round(9), return_counts=True)
        seen, times = np.unique(ours.round(9), return_counts=True)
        place = np.abs(values - seen[:, None]).argmin(axis=1)
        assert values[place] == pytest.approx(seen, abs=3e-9)
        observed = np.bincount(place, weights=times, minlength=values.size)
        if values.size > 1:
            assert stats.chisquare(observed, counts / counts.sum() * times.sum()).pvalue > 0.001


@pytest.mark.parametrize("measure", ["mean", "accuracy", "trimmed_mean(share=0)"])
def test_the_variance_is_that_of_a_stratified_mean(measure):
    """Σ (n_h/N)² s_h²/n_h (Cochran 1977, 5.13); drawing n of n gave (n − 1)/n of it."""
    a, b = (decided(s) if measure == "accuracy" else s for s in (SCORES, OTHERS))
    found = drawn(measure, a, b, 100_000, None if measure != "accuracy" else Y)
    gaps = (b == Y) * 1.0 - (a == Y) if measure == "accuracy" else b - a
    parts = [gaps[name == STRATA] for name in ("two", "three", "too")]
    expected = sum(x.size * x.var(ddof=1) for x in parts) / gaps.size**2
    assert found.differences.var() == pytest.approx(expected, rel=0.02)  # 4 standard errors of √(2/100,000)
    assert found.differences.mean() == pytest.approx(gaps.mean(), abs=5 * np.sqrt(expected / 100_000))


def test_sums_of_weights_are_exact():
    sizes = [3, 4, 7, 11, 50_000]
    draws = StratumDraws.of(sizes, 10**7)
    assert draws.weights * draws.drawn == pytest.approx(sizes, rel=1e-7)
    every = np.repeat(draws.weights, 1_000)
    shuffled = np.random.default_rng(1).permutation(every)
    assert every.sum() == shuffled.sum() == np.add.reduce(every[::-1])


def test_one_stratum_and_whole_items_are_drawn_as_they_are():
    assert StratumDraws.of([7]).drawn == [7]
    assert StratumDraws.of([2, 3], whole=True).drawn == [2, 3]
    assert StratumDraws.of([2, 3], whole=True).weights.tolist() == [1.0, 1.0]
