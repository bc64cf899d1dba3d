"""Student's paired t against scipy, a cluster-robust regression and its formulas."""

import decimal
import math

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from tests.data.valued import CLAIMS, sample


@pytest.mark.parametrize(("claim", "alternative"), CLAIMS.items())
def test_paired_t_equals_scipy(claim, alternative):
    for seed, n in enumerate((2, 3, 10, 60, 500)):
        a, b = sample(seed, n=n)
        r = cw.compare(None, a, b, measure="mean", test="paired_t", claim=claim)
        expected = stats.ttest_rel(b, a, alternative=alternative)
        assert r.statistic == pytest.approx(expected.statistic, rel=1e-12)
        assert r.p_value == pytest.approx(expected.pvalue, rel=1e-11)
        bounds = expected.confidence_interval(0.95)
        assert (r.interval.low, r.interval.high) == (pytest.approx(bounds.low), pytest.approx(bounds.high))
        turned = cw.compare(None, a, b, measure="mean_loss", test="paired_t", claim=claim)
        mirrored = stats.ttest_rel(a, b, alternative=alternative)
        assert turned.p_value == pytest.approx(mirrored.pvalue, rel=1e-11)


def test_grouped_t_is_the_cluster_robust_regression():
    """With groups of one size; with unequal ones the standard error is the jackknife's, on N²/Σn² − 1 degrees."""
    import statsmodels.api as statsmodels

    rng = np.random.default_rng(4)
    for seed in range(5):
        a, b = sample(seed, n=90)
        groups = rng.permutation(np.arange(90) % 15)
        r = cw.compare(None, a, b, measure="mean", test="paired_t", groups=groups)
        fit = statsmodels.OLS(b - a, np.ones(90)).fit(
            cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True
        )
        # statsmodels multiplies by G/(G − 1) · (N − 1)/(N − 1)
        assert r.statistic == pytest.approx(float(fit.tvalues[0]), rel=1e-12)
        assert r.p_value == pytest.approx(2 * stats.t.sf(abs(r.statistic), 14), rel=1e-10)
        groups = rng.integers(0, 17, 90)
        r = cw.compare(None, a, b, measure="mean", test="paired_t", groups=groups)
        ids, d = np.unique(groups), b - a
        without = np.array([d[groups != g].mean() for g in ids])
        error = math.sqrt((ids.size - 1) / ids.size * ((without - d.mean()) ** 2).sum())
        degrees = 90**2 / (np.bincount(groups) ** 2).sum() - 1
        assert r.statistic == pytest.approx(d.mean() / error, rel=1e-9)
        assert r.p_value == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), degrees), rel=1e-9)
        half = stats.t.ppf(0.975, degrees) * error
        assert (r.interval.low, r.interval.high) == pytest.approx((d.mean() - half, d.mean() + half))


def test_stratified_t_by_its_formula():
    a, b = sample(5, n=120)
    groups = np.arange(120) // 3
    strata = np.where(groups < 13, "small", "large")
    r = cw.compare(None, a, b, measure="mean", test="paired_t", groups=groups, strata=strata)
    d = b - a
    sums = np.bincount(groups, weights=d)
    e = sums - 3 * d.mean()
    variance = sum(len(x) / (len(x) - 1) * ((x - x.mean()) ** 2).sum() for x in (e[:13], e[13:]))
    t = d.mean() / (math.sqrt(variance) / 120)
    assert r.statistic == pytest.approx(t, rel=1e-12)
    assert r.p_value == pytest.approx(2 * stats.t.sf(abs(t), 38), rel=1e-11)
    assert "38 degrees of freedom" in r.why
    assert any("held fixed" in c.text for c in r.caveats)


def test_t_far_out_keeps_its_logarithm():
    """The closed form for an even number of degrees (Abramowitz and Stegun 26.7.4) in 2,000 decimal digits."""
    rng = np.random.default_rng(6)
    d = rng.normal(1.0, 0.5, 2_999)
    r = cw.compare(None, np.zeros(2_999), d, measure="mean", test="paired_t")
    with decimal.localcontext(decimal.Context(prec=2_000)):
        n, t = decimal.Decimal(2_998), decimal.Decimal(r.statistic)
        square = n / (n + t * t)
        term = total = decimal.Decimal(1)
        for k in range(2, 2_998, 2):
            term *= square * (k - 1) / k
            total += term
        expected = (1 - t / (n + t * t).sqrt() * total).log10()
    assert r.log10_p == pytest.approx(float(expected), rel=1e-12)
    assert r.log10_p < -308


def test_t_without_variance():
    a, _ = sample(7)
    with pytest.raises(cw.errors.NotApplicableError, match="permutation"):
        cw.compare(None, a, a + 1.0, measure="mean", test="paired_t")
    with pytest.raises(cw.errors.NotApplicableError, match="only one item or group"):
        cw.compare(None, [1.0], [2.0], measure="mean", test="paired_t")
    with pytest.raises(cw.errors.NotApplicableError, match="stratum has one"):
        cw.compare(None, [1.0, 2, 3], [2.0, 5, 1], measure="mean", test="paired_t", strata=[1, 1, 2])
    with pytest.raises(cw.errors.NotApplicableError, match="not a sum over test items"):
        cw.compare(None, a, a, measure="trimmed_mean", test="paired_t")


def test_t_of_equal_values_is_0_and_of_an_error_of_1_the_difference():
    """Differences of 0 and 2: their standard deviation is √2, the error of the mean 1."""
    same = cw.compare(None, [1.0, 2.0, 4.0], [1.0, 2.0, 4.0], measure="mean", test="paired_t")
    assert (same.statistic, same.p_value) == (0.0, 1.0)
    assert cw.compare(None, [5.0, 5.0], [5.0, 7.0], measure="mean", test="paired_t").statistic == 1.0


@pytest.mark.parametrize("sets", [60, pytest.param(300, marks=pytest.mark.study)])
def test_one_large_group_does_not_make_the_t_test_reject(sets):
    """One group of 300 items and 30 of 5, equal models: the usual cluster-robust t rejects 69 % of the time."""
    group = np.repeat(np.arange(31), np.r_[300, np.full(30, 5)])
    rng = np.random.default_rng(1)
    rejected = np.zeros(2)
    for _ in range(sets):
        a, b = (rng.normal(size=31)[group] + rng.normal(size=group.size) for _ in "ab")
        r = cw.compare(None, a, b, measure="mean", test="paired_t", groups=group)
        y = rng.integers(0, 2, group.size)
        lean = rng.normal(size=31)[group]
        scores = (y * (1 + s * lean) + rng.normal(size=y.size) for s in (1, -1))
        d = cw.compare(y, *scores, measure="auc", test="delong", groups=group)
        rejected += [r.p_value <= 0.05, d.p_value <= 0.05]
        assert any(c.code == "few_groups" for c in r.caveats)
    assert (rejected / sets <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)).all()
