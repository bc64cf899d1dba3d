"""Rankings with few items of a class: against scipy, p-value against interval, level and power."""

import numpy as np
import pytest
from scipy import optimize, stats

import clearwin as cw
from clearwin.data.scores import ScoreSample
from clearwin.measures import find
from clearwin.resampling.by_class import Moments, by_class, moments_of
from clearwin.resampling.functionals import functional
from clearwin.significance.by_class import PValuesByClass
from clearwin.significance.power import Claimed, PlannedPopulation
from clearwin.streams import Seed

MEASURES = ("auc", "eer", "min_dcf")


def drawn(rng, positives=10, negatives=190, apart=(1.0, 2.5), deviation=1.0, correlation=0.5):
    """Normal scores; the positives of B lie ``apart`` and have a deviation of their own."""
    truth = np.repeat([1, 0], [positives, negatives])
    z, own = rng.normal(size=(2, truth.size))
    other = correlation * z + np.sqrt(1 - correlation**2) * own
    return truth, z + apart[0] * truth, np.where(truth == 1, apart[1] + deviation * other, other)


def tails(moments, delta):
    """P(as far above δ), P(as far below): the larger of those of t and of t corrected for skewness (Hall 1992)."""
    g, t = moments.skewness, (moments.observed - delta) / np.sqrt(moments.variance)
    both = stats.t(moments.degrees)
    corrected = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
    return max(both.sf(t), both.sf(corrected)), max(both.cdf(t), both.cdf(corrected))


@pytest.mark.parametrize("skewness", [-1.3, -0.2, 0.0, 1e-10, 0.7])
@pytest.mark.parametrize("degrees", [2.0, 9.0, 40.0])
def test_p_and_interval_are_those_of_the_formula(skewness, degrees):
    moments = Moments(0.11, 0.002, skewness, degrees)
    function = PValuesByClass(moments)
    for delta in (-0.3, 0.0, 0.1, 0.11, 0.2, 0.4):
        above, below = tails(moments, delta)
        p = {claim: function.p_value(delta, claim).value for claim in ("different", "better", "worse")}
        assert p["different"] == pytest.approx(min(1.0, 2 * min(above, below)), rel=1e-9)
        assert p["better"] == pytest.approx(min(1.0, 2 * above), rel=1e-9)
        assert p["worse"] == pytest.approx(min(1.0, 2 * below), rel=1e-9)
    q = stats.t.isf(0.025, degrees)
    for side, tail in ((-1, 0), (1, 1)):
        end = optimize.brentq(
            lambda x, side=side, tail=tail: tails(moments, 0.11 + side * x)[tail] - 0.025, 0.0, 9.0 * q, xtol=1e-13
        )
        assert function.furthest(-side, 0.025) * function.error == pytest.approx(end, rel=1e-6)


@pytest.mark.parametrize("measure", MEASURES)
def test_p_and_interval_never_contradict_each_other(measure):
    rng = np.random.default_rng(3)
    for _ in range(25):
        positives = int(rng.integers(3, 30))
        truth, a, b = drawn(rng, positives, 60, (1.0, 1.0 + 2.0 * rng.random()), rng.choice([0.4, 1.0, 2.5]))
        for claim in ("different", "better"):
            r = cw.compare(truth, a, b, measure=measure, claim=claim, rng=1)
            assert r.method == "student"
            assert (r.p_value <= 0.05) == (0.0 not in r.interval)
        turned = cw.compare(truth, b, a, measure=measure, rng=1)
        both = cw.compare(truth, a, b, measure=measure, rng=1)
        assert turned.p_value == both.p_value
        ends = (-both.interval.high, -both.interval.low)
        assert (turned.interval.low, turned.interval.high) == pytest.approx(ends, abs=1e-12)


def test_p_falls_on_both_sides_of_what_was_observed():
    rng = np.random.default_rng(4)
    for _ in range(10):
        truth, a, b = drawn(rng, 6, 40, deviation=rng.choice([0.3, 3.0]))
        sample = ScoreSample(truth == 1, (a, b), ("float64", "float64"), 1, 0)
        function = PValuesByClass(by_class(sample, find("auc")))
        away = function.error * np.linspace(0.0, 12.0, 60)
        for side in (-1, 1):
            p = [function.p_value(function.observed + side * x, "different").value for x in away]
            assert p[0] == 1.0
            assert (np.diff(p) <= 1e-12).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_a_model_is_as_good_as_itself(measure):
    truth, a, _ = drawn(np.random.default_rng(5))
    r = cw.compare(truth, a, a, measure=measure, rng=1)
    assert (r.p_value, r.difference, r.decision) == (1.0, 0.0, "not shown")
    assert r.interval.low == -r.interval.high < 0.0


def test_ten_positives_show_a_large_difference():
    """AUC .76 against .96: test sets drawn from the likeliest population showed it in 18 to 27 of 100."""
    rng = np.random.default_rng(6)
    p = [cw.compare(*drawn(rng), measure="auc", rng=1).p_value for _ in range(60)]
    assert np.mean(np.array(p) <= 0.05) > 0.55  # 75 %, less 3.5 standard errors


@pytest.mark.parametrize("positives", [5, 10, 20])
@pytest.mark.parametrize(
    ("apart", "deviation", "correlation"), [(1.0, 1.0, 0.5), (5**0.5, 3.0, 0.9), (0.7454, 1 / 3, 0.9)]
)
def test_areas_that_are_equal_are_seldom_told_apart(positives, apart, deviation, correlation):
    """The level is at most 6 %: 18 or more of 120 have a chance of one in 3,000."""
    rng = np.random.default_rng(7)
    count = 0
    for _ in range(120):
        truth, a, b = drawn(rng, positives, 100, (1.0, apart), deviation, correlation)
        sample = ScoreSample(truth == 1, (a, b), ("float64", "float64"), 1, 0)
        count += PValuesByClass(by_class(sample, find("auc"))).p_value(0.0, "different").value <= 0.05
    assert count < 18


def test_drawing_class_by_class_changes_nothing():
    truth, a, b = drawn(np.random.default_rng(8))
    free, kept = (cw.compare(truth, a, b, measure="auc", rng=1, strata=strata) for strata in (None, truth))
    assert (free.p_value, free.interval) == (kept.p_value, kept.interval)


def test_test_sets_are_drawn_where_they_are_asked_for():
    few = drawn(np.random.default_rng(9), 12, 60)
    how = {"measure": "auc", "test": "studentised", "rng": 1, "n_resamples": 99}
    free, by_class, by_draws = (cw.compare(*few, method=method, **how) for method in ("auto", "student", "drawn"))
    assert (free.method, by_draws.method) == ("student", "drawn")
    assert (free.p_value, free.interval) == (by_class.p_value, by_class.interval)
    assert free.why.endswith("the smaller class has 12 items, which leaves 11 degrees of freedom")


def test_a_lowest_cost_that_does_not_vary_is_judged_by_test_sets():
    """Both models rank every positive last, so the lowest cost is that of calling no item positive."""
    rng = np.random.default_rng(10)
    truth = np.repeat([1, 0], [8, 52])
    a, b = (rng.normal(size=60) - 9.0 * truth for _ in range(2))
    r = cw.compare(truth, a, b, measure="min_dcf", rng=1, n_resamples=199)
    assert (r.method, r.p_value) == ("drawn", 1.0)
    assert r.interval.low < 0.0 < r.interval.high


@pytest.mark.parametrize(("positives", "doubted"), [(7, True), (8, False)])
def test_fewer_than_eight_items_of_a_class_are_doubted(positives, doubted):
    found = cw.compare(*drawn(np.random.default_rng(11), positives, 60), measure="auc", rng=1)
    told = [c.text for c in found.caveats if c.code == "few_of_a_class"]
    assert len(told) == doubted
    assert not doubted or "only a large difference can be shown" in told[0]
    by_name = cw.compare(
        *drawn(np.random.default_rng(11), 12, 60), measure="auc", test="permutation", rng=1, n_resamples=99
    )
    assert "few_of_a_class" in {c.code for c in by_name.caveats}


@pytest.mark.parametrize("claim", ["different", "better"])
def test_a_plan_counts_on_the_same_test(claim):
    """Power by one critical value for all test sets, against test sets of which each is judged as the test judges."""
    truth, a, b = drawn(np.random.default_rng(12), 50, 950, (1.0, 1.8))
    found = functional(ScoreSample(truth == 1, (a, b), ("float64", "float64"), 1, 0), find("auc"))
    population = PlannedPopulation(found, 0.18)
    power = population.simulated(Claimed(claim, None, 1.0, 0.05), 250, 1_000, Seed(1))
    counts = np.random.default_rng(13).multinomial(250, population.shares, 300).astype(float)
    judged = [PValuesByClass(moments_of(found, times)).p_value(0.0, claim).value <= 0.05 for times in counts]
    assert power == pytest.approx(np.mean(judged), abs=0.1)
