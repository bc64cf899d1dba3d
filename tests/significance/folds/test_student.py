"""Student's t over folds, corrected, 5x2 and Bayesian: lectures, formulas and integration."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import integrate, stats

import clearwin as cw
from clearwin.significance.folds.caveats import naive_level
from tests.fold_scores import REFERENCE, made


@pytest.mark.parametrize("case", REFERENCE["folds"], ids=lambda case: case["origin"][:16])
def test_folds_of_the_lectures(case):
    r = cw.compare_folds(case["a"], case["b"], test="paired_t")
    assert r.statistic == pytest.approx(case["t"], abs=5e-6)
    assert r.p_value == pytest.approx(case["p"], abs=5e-7)
    assert r.largest_confidence == 1 - r.p_value
    for test in ("partition", "permutation"):
        if test in case:
            r = cw.compare_folds(case["a"], case["b"], test=test)
            assert [r.hits, r.arrangements] == case[test]
            assert r.p_value == case[test][0] / case[test][1]
            assert r.method == "exact"


def test_the_largest_confidence_puts_0_at_the_end_of_the_interval():
    a, b = REFERENCE["folds"][1]["a"], REFERENCE["folds"][1]["b"]
    level = cw.compare_folds(a, b, test="paired_t").largest_confidence
    low = cw.compare_folds(a, b, test="paired_t", confidence_level=level).interval.low
    assert low == pytest.approx(0, abs=1e-11)  # 1 − level is rounded to 12 digits


def test_bayesian_correlated_t_by_integration():
    """The posterior ∝ Q(μ)^(−J/2), Q the quadratic form of the equicorrelated normal with σ integrated out."""
    d = np.array(REFERENCE["bayes"]["differences"])
    j, rho = d.size, 1 / 10
    inverse = np.linalg.inv((1 - rho) * np.eye(j) + rho * np.ones((j, j)))
    least = (d - d.mean()) @ inverse @ (d - d.mean())

    def density(mu):
        return float(((d - mu) @ inverse @ (d - mu) / least) ** (-j / 2))

    ends = (d.mean() - 40 * d.std(), -1.0, 1.0, d.mean() + 40 * d.std())
    parts = [
        integrate.quad(density, x, y, epsabs=0, epsrel=1e-11, limit=500, points=[min(max(d.mean(), x), y)])[0]
        for x, y in itertools.pairwise(ends)
    ]
    r = cw.compare_folds(np.zeros(j), d, test="bayes_t", design="repeated k-fold", repeats=10, margin=1.0)
    found = [r.posterior.worse, r.posterior.practically_equivalent, r.posterior.better]
    assert found == pytest.approx(np.array(parts) / sum(parts), rel=1e-9)
    assert sum(found) == pytest.approx(1)
    assert r.p_value is None
    assert "null" not in r.verdict()
    assert json.loads(r.to_json())["posterior"]["margin"] == 1.0


@pytest.mark.parametrize(
    ("gap", "where"), [(0.05, "better"), (-0.05, "worse"), (0.004, "practically_equivalent"), (0.01, None), (0.0, None)]
)
def test_the_posterior_is_a_point_where_folds_do_not_vary(gap, where):
    """The limit of posteriors of folds that vary less and less; at ± margin the difference is within it."""
    a = np.array([0.8, 0.7, 0.9, 0.75, 0.85])
    flat = cw.compare_folds(a, a + gap, design="k-fold", test="bayes_t", margin=0.01)
    found = vars(flat.posterior)
    assert sum(found[name] for name in ("worse", "practically_equivalent", "better")) == 1
    assert found[where or "practically_equivalent"] == 1
    assert (flat.interval.low, flat.interval.high) == pytest.approx((gap, gap), abs=1e-12)
    assert {"no_width"} <= {c.code for c in flat.caveats}
    assert "nan" not in str(flat)
    if where:
        noise = 1e-7 * np.array([1, -1, 2, -2, 0])
        nearly = vars(cw.compare_folds(a, a + gap + noise, design="k-fold", test="bayes_t", margin=0.01).posterior)
        assert nearly == pytest.approx(found, abs=1e-9)


def test_one_fold_has_no_posterior():
    r = cw.compare_folds([0.8], [0.9], design="k-fold", test="bayes_t")
    assert r.posterior is None
    assert "The posterior is undefined, because there is only one fold" in r.verdict()


def test_the_posterior_turns_with_the_direction():
    a, b = made(10, 3)
    up = cw.compare_folds(a, b, test="bayes_t", design="k-fold").posterior
    down = cw.compare_folds(a, b, test="bayes_t", design="k-fold", higher_is_better=False).posterior
    assert (up.better, up.worse) == pytest.approx((down.worse, down.better))


@pytest.mark.parametrize("seed", range(3))
def test_corrected_and_5x2_against_their_formulas(seed):
    a, b = made(10, seed)
    d = b - a
    for design, ratio in (
        ({"design": "k-fold"}, 1 / 9),
        ({"design": "repeated k-fold", "repeats": 2}, 1 / 4),
        ({"design": "resampled", "test_train_ratio": 0.5}, 0.5),
        ({"design": "5x2"}, 1.0),
    ):
        r = cw.compare_folds(a, b, **design)
        t = d.mean() / math.sqrt((1 / 10 + ratio) * d.var(ddof=1))
        assert (r.test, r.statistic) == ("corrected_t", pytest.approx(t, rel=1e-12))
        assert r.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-12)
    p = d.reshape(5, 2)  # Dietterich 1998, Alpaydin 1999
    s2 = ((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    t, f = p[0, 0] / math.sqrt(s2.sum() / 5), (p**2).sum() / (2 * s2.sum())
    r = cw.compare_folds(a, b, design="5x2", test="5x2cv_t")
    assert (r.statistic, r.p_value) == pytest.approx((t, 2 * stats.t.sf(abs(t), 5)), rel=1e-12)
    r = cw.compare_folds(a.reshape(5, 2), b.reshape(5, 2), design="5x2", test="5x2cv_f")
    assert (r.test, r.degrees) == ("5x2cv_f", (10, 5))
    assert (r.statistic, r.p_value) == pytest.approx((f, stats.f.sf(f, 10, 5)), rel=1e-12)


@pytest.mark.parametrize("case", REFERENCE["naive"], ids=lambda case: case["origin"])
def test_true_level_of_the_naive_t_by_formula(case):
    assert naive_level(case["folds"], case["ratio"][0] / case["ratio"][1]) == pytest.approx(case["level"], abs=5e-5)


def test_a_difference_equal_to_the_margin_is_within_it_whatever_the_size_of_the_scores():
    """2,000,000.1 − 2,000,000 is a little more than 0.1 to the machine."""
    a = np.full(5, 2e6)
    assert (a + 0.1 - a).min() > 0.1
    assert cw.compare_folds(a, a + 0.1, design="k-fold", test="bayes_t", margin=0.1).posterior.better == 0.0
    assert cw.compare_folds(a, a + 0.2, design="k-fold", test="bayes_t", margin=0.1).posterior.better == 1.0


def test_folds_that_do_not_vary_have_their_degrees_of_freedom():
    a = np.array([0.8, 0.7, 0.9, 0.75, 0.85])
    for test in ("corrected_t", "bayes_t"):
        assert cw.compare_folds(a, a, design="k-fold", test=test).degrees == (4,)
