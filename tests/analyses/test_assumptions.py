"""Plans without a pilot: assumed populations have the rates that were assumed, and sizes are the formulas'."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

import clearwin as cw
from clearwin.analyses.assumptions import Assumed, binormal, of_rates
from clearwin.measures import find

RATES = {"disagreement": 0.1, "prevalence": 0.3, "recall_a": 0.7, "false_positive_rate_a": 0.1}
DCF = "dcf(cost_fn=1, cost_fp=1, prior=0.3)"


@pytest.mark.parametrize("measure", ["f1", "mcc", "precision", "balanced_accuracy", DCF])
@pytest.mark.parametrize("difference", [0.02, -0.02])
def test_an_assumed_population_has_its_rates(measure, difference):
    found = of_rates(Assumed(**RATES), find(measure))(difference).estimand
    shares = found.times / found.times.sum()
    positive, right_a, right_b = found.truth == 1, found.a == found.truth, found.b == found.truth
    assert shares[positive].sum() == pytest.approx(0.3)
    assert shares[positive & right_a].sum() / 0.3 == pytest.approx(0.7)
    assert shares[~positive & ~right_a].sum() / 0.7 == pytest.approx(0.1)
    assert shares[right_a != right_b].sum() == pytest.approx(0.1)
    assert found.observed == pytest.approx(difference, abs=1e-9)
    assert (found.times >= 0).all()


def test_connor_and_his_example():
    """p = 0.05 against 0.45 and 80 % take 23 items: Connor, Biometrics 43 (1987), p. 209."""
    found = cw.plan(measure="accuracy", difference=0.4, disagreement=0.5)
    assert (found.items, found.method, found.spread) == (23, "Connor 1987", None)
    assert cw.plan(measure="accuracy", items=23, disagreement=0.5).difference == pytest.approx(0.39, abs=0.01)


def test_keller2004_9_has_the_size_that_the_variances_of_the_classes_give():
    """V = Σ w²(p(only A wrong) + p(only B wrong) − d²)/π within the classes, by hand."""
    wrong, sizes = np.array([0.1, 0.3]), np.array([0.7, 0.3])
    apart = wrong * 0.1 / (wrong @ sizes)
    weights = np.array([0.7, 0.3])  # cost · prior of each class
    lead = 0.02 / (weights @ apart)
    variance = (weights**2 * (apart - (lead * apart) ** 2) / sizes).sum()
    n = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2 * variance / 0.02**2
    found = cw.plan(measure=DCF, difference=0.02, **RATES)
    assert found.method == "keller2004 (9)"
    assert found.items == math.ceil(n)


@pytest.mark.parametrize("sets", [30, pytest.param(80, marks=pytest.mark.study)])
@pytest.mark.parametrize("measure", ["f1", "mcc"])
def test_measures_without_a_formula_are_simulated(measure, sets):
    """Test sets of the planned size, drawn here and judged by compare, show it: 4 standard errors of so many."""
    found = cw.plan(measure=measure, difference=0.15, n_resamples=1_000, rng=1, **RATES)
    assert found.method == "simulated"
    population = of_rates(Assumed(**RATES), find(measure))(0.15).estimand
    rng, shares = np.random.default_rng(2), population.times / population.times.sum()
    shown = 0
    for i in range(sets):
        k = rng.choice(shares.size, found.items, p=shares)
        data = population.truth[k], population.a[k], population.b[k]
        shown += cw.compare(*data, measure=measure, n_resamples=500, rng=i).decision == "better"
    assert shown / sets == pytest.approx(0.8, abs=4 * math.sqrt(0.8 * 0.2 / sets))


def test_binormal_scores_are_as_assumed():
    truth, a, b = binormal(Assumed(auc_a=0.8, prevalence=0.3, correlation=0.5))
    assert truth.mean() == pytest.approx(0.3)
    assert roc_auc_score(truth, a) == pytest.approx(0.8, abs=0.002)
    assert roc_auc_score(truth, b) == pytest.approx(0.8, abs=0.002)
    assert np.corrcoef(a[truth == 0], b[truth == 0])[0, 1] == pytest.approx(0.5, abs=0.01)


def test_areas_take_what_obuchowskis_variance_gives():
    """Uncorrelated binormal scores: the variances of both areas by numerical integration; within 5 %."""
    shift = math.sqrt(2) * stats.norm.ppf(0.8)
    x = np.linspace(-8, 8 + shift, 20_001)
    step = x[1] - x[0]
    beats = (stats.norm.cdf(x) ** 2 * stats.norm.pdf(x - shift)).sum() * step - 0.8**2
    beaten = (stats.norm.sf(x - shift) ** 2 * stats.norm.pdf(x)).sum() * step - 0.8**2
    variance = 2 * (beats / 0.3 + beaten / 0.7)
    n = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2 * variance / 0.04**2
    assumed = {"auc_a": 0.8, "prevalence": 0.3, "correlation": 0.0}
    found = cw.plan(measure="auc", difference=0.04, n_resamples=1_000, rng=1, **assumed)
    assert found.items == pytest.approx(n, rel=0.05)


def test_a_mean_by_its_deviation():
    n = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2 / 0.1**2
    assert cw.plan(measure="mean", difference=0.1, deviation=1.0).items == math.ceil(n)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"measure": "accuracy"}, "disagreement is not given"),
        ({"measure": "f1", "disagreement": 0.1}, "prevalence is not given"),
        ({"measure": "accuracy", "disagreement": 0.1, "auc_a": 0.9}, "auc_a does not apply to accuracy"),
        ({"measure": "accuracy", "disagreement": 1.5}, "disagreement is 1.5"),
        ({"measure": "accuracy", "disagreement": 0.04}, "as large as the disagreement"),
        ({"measure": "accuracy", "disagreement": 0.5, "accuracy_a": 0.9}, "A is wrong on 0.1"),
        ({"measure": "f1", **RATES, "difference": 0.5}, "differ by less than 0.5"),
        ({"measure": "f1_of_sums"}, "rates alone are not enough"),
        ({"measure": "brier"}, "rates alone are not enough"),
    ],
)
def test_refusals_say_what_to_assume(settings, words):
    with pytest.raises(cw.ClearwinError, match=words):
        cw.plan(**{"difference": 0.05, **settings})
