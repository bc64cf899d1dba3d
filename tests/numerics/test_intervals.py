"""Intervals against scipy, statsmodels and their own definitions."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import clearwin as cw
from clearwin.numerics.intervals import BOOTSTRAP, PROPORTION, Coverage, Replicates, symmetric
from clearwin.numerics.paired_intervals import PAIRED

PROPORTION_COVERAGE = Coverage(0.95, "two-sided", 0.0, 1.0)


@pytest.mark.parametrize("right", [0, 1, 3, 17, 39, 40])
def test_one_proportion_against_scipy_and_statsmodels(right):
    n = 40
    for name, method in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        theirs = stats.binomtest(right, n).proportion_ci(0.95, method=method)
        ours = PROPORTION[name](right, n, PROPORTION_COVERAGE)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12)
    low, high = proportion_confint(right, n, method="normal")
    ours = PROPORTION["normal"](right, n, PROPORTION_COVERAGE)
    assert (ours.low, ours.high) == pytest.approx((max(low, 0), min(high, 1)), rel=1e-9)


def test_tango_limits_are_where_the_constrained_likelihood_score_is_z():
    """Independent of the closed form: the nuisance parameter by a grid search of the likelihood itself."""
    gains, losses, rest = 6, 16, (59, 80)
    n = 161
    found = PAIRED["tango"](gains, losses, rest, Coverage(0.95))
    for delta, sign in ((found.low, 1), (found.high, -1)):
        loss = np.linspace(max(0, -delta) + 1e-9, (1 - delta) / 2 - 1e-9, 2_000_001)
        likelihood = gains * np.log(loss + delta) + losses * np.log(loss) + sum(rest) * np.log1p(-2 * loss - delta)
        best = loss[likelihood.argmax()]
        z = (gains - losses - n * delta) / math.sqrt(n * (2 * best + delta * (1 - delta)))
        assert z == pytest.approx(sign * 1.959964, abs=2e-4)


@pytest.mark.parametrize("name", list(PAIRED))
def test_paired_intervals_hold_together_at_the_edges(name):
    for gains, losses, right, wrong in itertools.product((0, 1, 7), (0, 1, 7), (0, 5), (0, 9)):
        if gains + losses + right + wrong == 0:
            continue
        found = PAIRED[name](gains, losses, (right, wrong), Coverage(0.95))
        mirrored = PAIRED[name](losses, gains, (right, wrong), Coverage(0.95))
        estimate = (gains - losses) / (gains + losses + right + wrong)
        assert -1 <= found.low <= found.high <= 1
        assert (found.low, found.high) == pytest.approx((-mirrored.high, -mirrored.low), abs=1e-12)
        if name != "bonett-price":  # its centre is shrunken, so an estimate of ±1 may lie outside
            assert found.low - 1e-12 <= estimate <= found.high + 1e-12


def test_tango_coverage_by_enumeration():
    """Coverage of the default paired interval over all outcomes of N = 30 with both error rates .2."""
    n, p_win, p_loss = 30, 0.12, 0.12
    covered = 0.0
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            weight = stats.multinomial.pmf([wins, losses, n - wins - losses], n, [p_win, p_loss, 1 - p_win - p_loss])
            rest = n - wins - losses
            found = PAIRED["tango"](wins, losses, (rest, 0), Coverage(0.95))
            covered += weight * (found.low <= 0 <= found.high)
    # Tango (1998) reports coverage close to nominal; plain Wald is at .93 here
    assert 0.945 <= covered <= 0.965


def replicates(values, observed, left_out=None):
    return Replicates(np.asarray(values, dtype=float), observed, left_out or (lambda: (np.zeros(2), np.ones(2, int))))


def test_percentile_takes_the_order_statistics():
    found = BOOTSTRAP["percentile"](replicates(np.arange(1, 1000), 500), Coverage(0.95, "two-sided", -1e9, 1e9))
    # (B + 1)·.025 = 25: the 25th from either end
    assert (found.low, found.high) == (25, 975)
    found = BOOTSTRAP["percentile"](replicates(np.arange(1, 1000), 500), Coverage(0.95, "lower", -1e9, 1e9))
    assert (found.low, found.high) == (50, 1e9)


def test_the_symmetric_interval_reaches_as_far_as_the_second_of_nine_gaps_at_80_per_cent():
    """By hand: (9 + 1) · 0.2 = 2, and of the nine gaps from 0.25 the second largest is 0.5."""
    gaps = np.array([0.0, 0.125, -0.125, 0.25, -0.25, 0.375, 0.5, -0.0625, -0.75])
    replicates = Replicates(0.25 + gaps, 0.25, None)
    found = symmetric(replicates, Coverage(0.8))
    assert (found.low, found.high) == (-0.25, 0.75)
    cut = symmetric(replicates, Coverage(0.8, "lower"))
    assert (cut.low, cut.high) == (0.0, 1.0)  # one tail of 20 % is both of 40 %: the fourth largest gap, 0.25


def test_centred_is_symmetric_about_the_mean_and_holds_its_share():
    # keller2004 section 4: "95 % centred around the mean"
    values = np.random.default_rng(1).exponential(size=10_000)
    found = BOOTSTRAP["centred"](replicates(values, 1.0), Coverage(0.95, "two-sided", -99, 99))
    assert (found.low + found.high) / 2 == pytest.approx(values.mean())
    assert ((values >= found.low) & (values <= found.high)).mean() == pytest.approx(0.95, abs=1e-4)
    equal_tailed = BOOTSTRAP["percentile"](replicates(values, 1.0), Coverage(0.95, "two-sided", -99, 99))
    assert abs(equal_tailed.low - found.low) > 0.1  # not the same thing for a skewed distribution


def test_basic_reflects_the_percentiles():
    values = np.arange(1, 1000)
    found = BOOTSTRAP["basic"](replicates(values, 400), Coverage(0.95, "two-sided", -1e9, 1e9))
    assert (found.low, found.high) == (2 * 400 - 975, 2 * 400 - 25)


def f1_along(y, p, axis):
    return 2 * (y * p).sum(axis=axis) / (y.sum(axis=axis) + p.sum(axis=axis))


def test_bca_agrees_with_scipy():
    """scipy.stats.bootstrap draws items and jackknifes n times; ours draws counts and jackknifes eight times."""
    rng = np.random.default_rng(5)
    y = (rng.random(120) < 0.3).astype(int)
    a, b = (np.where(rng.random(120) < e, 1 - y, y) for e in (0.25, 0.04))

    def scipy_bca(data, statistic):
        found = stats.bootstrap(
            data, statistic, paired=True, vectorized=True, n_resamples=20_000, method="BCa", rng=2, batch=500
        )
        return pytest.approx(tuple(found.confidence_interval), abs=0.006)  # 4 Monte-Carlo errors of a 2.5 % quantile

    ours = cw.compare(y, a, b, test="bootstrap", interval="bca", n_resamples=50_000, rng=1).interval
    assert (ours.low, ours.high) == scipy_bca(
        (y, a, b), lambda y, a, b, axis: f1_along(y, b, axis) - f1_along(y, a, axis)
    )
    # one good model: its F1 is skewed, so the correction is far larger than the error allowed
    ours, plain = (
        cw.estimate(y, b, interval=interval, n_resamples=50_000, rng=1).interval for interval in ("bca", "percentile")
    )
    assert (ours.low, ours.high) == scipy_bca((y, b), f1_along)
    assert plain.low - ours.low > 0.012  # twice the error allowed


def test_a_rate_of_one_class_gets_tangos_interval():
    joint = cw.JointCounts(e1=20, e2=0, e3=0, e4=5, e5=10, e6=30, e7=20, e8=200)
    r = cw.compare(joint, measure="recall", test="paired_proportion")
    expected = PAIRED["tango"](0, 0, (25, 0), Coverage(0.95))
    assert (r.interval.low, r.interval.high) == (expected.low, expected.high)
    assert any(c.code == "few_disagreements" for c in r.caveats)  # the 50 in the other class have no say
    wald = cw.compare(joint, measure="recall", test="paired_proportion", interval="wald")
    assert (wald.interval.low, wald.interval.high) == (0.0, 0.0)
    assert any(c.code == "no_width" for c in wald.caveats)
    swapped = cw.compare(joint, measure="recall", test="permutation", interval="percentile", rng=1)
    assert any(c.code == "no_width" for c in swapped.caveats)
    missed = cw.compare(joint, measure="false_rejection_rate", test="paired_proportion", interval="tango")
    assert missed.interval.method == "tango"
    with pytest.raises(cw.errors.NotApplicableError, match="several classes"):
        cw.compare(joint, measure="dcf", test="paired_proportion", interval="tango")


def test_a_one_sided_bound_at_the_estimate_has_no_width():
    joint = cw.JointCounts(e1=0, e2=30, e3=0, e4=0, e5=10, e6=0, e7=0, e8=200)
    r = cw.compare(joint, measure="hter", test="paired_proportion", claim="better", interval="wald")
    assert r.interval.high == r.difference
    assert any(c.code == "no_width" for c in r.caveats)


def test_a_one_sided_level_must_be_above_a_half():
    joint = cw.JointCounts(e1=50, e2=10, e3=4, e4=36, e5=0, e6=0, e7=0, e8=0)
    with pytest.raises(cw.errors.OptionError, match="a level above"):
        cw.compare(joint, measure="accuracy", claim="better", confidence_level=0.3)


def test_bca_says_when_it_runs_out_of_replicates():
    joint = cw.JointCounts(e1=5, e2=3, e3=0, e4=1, e5=0, e6=0, e7=2, e8=30)
    r = cw.compare(joint, test="bootstrap", interval="bca", confidence_level=0.999, n_resamples=2_000, rng=1)
    assert r.interval.low == -1 or r.interval.high == 1
    assert any(c.code == "few_replicates" for c in r.caveats)
