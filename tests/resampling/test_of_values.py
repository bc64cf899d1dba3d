"""Replicates of values: drawn, flipped and left out as slow loops do it, and their studentised interval."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading
from clearwin.data.values import read_values
from clearwin.measures import find
from clearwin.numerics.intervals import Coverage, Replicates, studentised
from clearwin.resampling.bootstrap import draw, interval_of, left_out
from clearwin.resampling.of_values import robust_error
from clearwin.streams import Seed
from tests.data.valued import MEANS, sample, slow_errors


def question(a, b, measure="mean", interval="auto", n_resamples=400, seed=1, **grouping):
    options = Options(interval=interval, n_resamples=n_resamples, seed=Seed(seed))
    return Question(read_values(find(measure), None, {"a": a, "b": b}, Reading(**grouping)), find(measure), options)


def test_sampled_flips_of_groups_equal_the_exact_p():
    a, b = sample(15, n=60, digits=2)
    groups = np.arange(60) // 3
    for measure in (*MEANS, "trimmed_mean(share=0)", "trimmed_mean_loss(share=0)"):
        swapped = {"groups": groups, "test": "permutation", "rng": 1}
        exact = cw.compare(None, a, b, measure="mean", n_resamples=20, **swapped)
        sampled = cw.compare(None, a, b, measure=measure, method="monte_carlo", **swapped)
        assert sampled.p_value == pytest.approx(exact.p_value, abs=5 * sampled.p_error)


def test_flips_of_trimmed_means_equal_a_slow_sample():
    a, b = sample(16, n=40)
    rng = np.random.default_rng(1)
    swap = rng.integers(0, 2, (3_000, 20)).repeat(2, axis=1).astype(bool)
    mine, other = np.where(swap, b, a), np.where(swap, a, b)
    slow = stats.trim_mean(other, 0.2, axis=1) - stats.trim_mean(mine, 0.2, axis=1)
    r = cw.compare(None, a, b, measure="trimmed_mean(share=0.2)", groups=np.arange(40) // 2, n_resamples=3_000, rng=2)
    assert stats.ks_2samp(slow, r.distribution.values).pvalue > 0.001


@pytest.mark.parametrize("measure", ["mean", "trimmed_mean(share=0.2)"])
@pytest.mark.parametrize("stratified", [False, True])
def test_drawing_units_equals_drawing_groups_of_items(measure, stratified):
    a, b = sample(17, n=66)
    groups = np.sort(np.random.default_rng(3).integers(0, 20, 66))
    strata = groups < 7
    mean = partial(stats.trim_mean, proportiontocut=0.2) if "trimmed" in measure else np.mean
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    kinds = np.array([strata[m[0]] for m in members])
    rng = np.random.default_rng(4)
    slow = np.empty(1_000)
    for i in range(slow.size):
        parts = [np.flatnonzero(kinds == k) for k in (True, False)] if stratified else [np.arange(len(members))]
        drawn = np.concatenate([rng.choice(part, part.size) for part in parts])
        at = np.concatenate([members[g] for g in drawn])
        slow[i] = mean(b[at]) - mean(a[at])
    grouping = {"groups": groups, "strata": strata if stratified else None}
    found = draw(question(a, b, measure, n_resamples=3_000, **grouping))
    assert stats.ks_2samp(slow, found.differences).pvalue > 0.001


@pytest.mark.parametrize("measure", ["mean", "trimmed_mean(share=0.2)"])
def test_jackknife_leaves_out_each_group(measure):
    a, b = sample(18, n=40, digits=1)
    groups = np.arange(40) // 4
    left = left_out(question(a, b, measure, groups=groups))
    found_a, found_b, times = left.a, left.b, left.times
    share = 0.2 if "trimmed" in measure else 0.0
    keep = [groups != g for g in range(10)]
    assert times.tolist() == [1] * 10
    np.testing.assert_allclose(np.sort(found_a), np.sort([stats.trim_mean(a[k], share) for k in keep]), rtol=1e-12)
    np.testing.assert_allclose(np.sort(found_b), np.sort([stats.trim_mean(b[k], share) for k in keep]), rtol=1e-12)


def test_of_many_values_parts_of_one_or_two_items_are_left_out():
    """6,000 items in 5,000 parts: without a single item 4,000 times, and without 1,000 pairs of others."""
    values = 2.0 ** (np.arange(6_000) % 30) + np.arange(6_000)
    left = left_out(question(values, 2.0 * values))
    gone = np.sort(np.minimum(*(values.sum() - left.a * (6_000 - size) for size in (1, 2))))
    assert left.a.size == left.times.sum() == 5_000
    np.testing.assert_allclose(left.b, 2.0 * left.a, rtol=1e-12)
    assert gone.size == 5_000


def test_differences_of_large_values_are_drawn_on_their_own():
    """As exact as without what both models share; the difference of two means would be lost in its rounding."""
    d = np.sort(np.random.default_rng(7).integers(-500, 1_000, 20)) / 2**10
    plain, shifted = (draw(question(shared + 0 * d, shared + d)).differences for shared in (0.0, 2.0**40))
    assert np.count_nonzero(plain) > 390
    np.testing.assert_allclose(shifted, plain, rtol=1e-12)


def test_the_studentised_interval_by_its_formula():
    a, b = sample(20, n=45)
    groups = np.arange(45) // 3
    asked = question(a, b, interval="studentised", n_resamples=999, groups=groups)
    drawn, d = draw(asked), (b - a).mean()
    sums = np.bincount(groups, weights=b - a)
    _, error = slow_errors(np.ones(15, dtype=int), sums, np.full(15, 3), np.zeros(15))
    t = np.sort((drawn.differences - d) / drawn.errors)
    found = interval_of(asked, drawn)
    # 999 replicates: the 25th from either end
    assert found.low == pytest.approx(d - t[974] * error, rel=1e-10)
    assert found.high == pytest.approx(d - t[24] * error, rel=1e-10)
    one = cw.compare(
        None,
        a,
        b,
        measure="mean",
        interval="studentised",
        claim="better",
        groups=groups,
        n_resamples=999,
        rng=1,
        test="bootstrap",
    ).interval
    assert (one.side, one.high, one.low) == ("lower", math.inf, pytest.approx(d - t[949] * error, rel=1e-10))


def test_the_studentised_interval_against_a_slow_bootstrap():
    a, b = sample(21, n=30)
    d = b - a
    rng = np.random.default_rng(5)
    at = rng.integers(0, 30, (40_000, 30))
    t = (d[at].mean(axis=1) - d.mean()) / (d[at].std(axis=1, ddof=1) / math.sqrt(30))
    error = d.std(ddof=1) / math.sqrt(30)
    slow = d.mean() - np.quantile(t, [0.975, 0.025]) * error
    fast = cw.compare(None, a, b, measure="mean", interval="studentised", test="bootstrap", n_resamples=40_000, rng=6)
    # a quantile of 40,000 draws of t near 2 has a standard error of about 0.02: four of them, twice
    assert (fast.interval.low, fast.interval.high) == pytest.approx(tuple(slow), abs=0.1 * error)


@pytest.mark.parametrize("samples", [60, pytest.param(1_000, marks=pytest.mark.study)])
def test_the_studentised_interval_covers(samples):
    """Skew differences, 25 items: bootstrap-t covers near its 95 %, better than the percentile."""
    rng = np.random.default_rng(22)
    covered = {"studentised": 0, "percentile": 0}
    for i in range(samples):
        d = rng.exponential(size=25)
        for name in covered:
            r = cw.compare(
                None, np.zeros(25), d, measure="mean", test="bootstrap", interval=name, n_resamples=299, rng=i
            )
            covered[name] += 1.0 in r.interval
    # 3.5 standard errors of so many binomial trials; skewness costs it a point
    error = math.sqrt(0.94 * 0.06 / samples)
    assert abs(covered["studentised"] / samples - 0.94) <= 3.5 * error
    assert covered["studentised"] > covered["percentile"]


def test_replicates_without_spread_count_as_infinitely_far():
    values, errors = np.array([1.0, 2.0, 3.0, 2.0]), np.array([0.5, 0.0, 0.0, 0.5])
    replicates = Replicates(values, 2.0, None, errors, 1.0)
    everything = Coverage(0.2, "two-sided", -math.inf, math.inf)  # ranks 2 and 3 of t* = −2, 0, 0, ∞
    found = studentised(replicates, everything)
    assert (found.low, found.high) == (2.0, 2.0)
    assert studentised(replicates, Coverage(0.6, "two-sided", -9, 9)).low == -9  # rank 4 is the infinite one
    a, b = np.zeros(4), np.array([1.0, 1, 1, 2])
    r = cw.compare(None, a, b, measure="mean", test="bootstrap", interval="studentised", n_resamples=500, rng=1)
    assert any(c.code == "flat_replicates" for c in r.caveats)
    assert r.interval.low <= r.difference <= r.interval.high


def test_studentised_is_for_means():
    a, b = sample(23)
    y = (b > 0.5).astype(int)
    for refused in (
        lambda: cw.compare(None, a, b, measure="trimmed_mean", test="bootstrap", interval="studentised"),
        lambda: cw.compare(y, a, b, measure="eer", test="bootstrap", interval="studentised", n_resamples=20),
        lambda: cw.compare(y, y, 1 - y, measure="f1", test="bootstrap", interval="studentised", n_resamples=20),
        lambda: cw.estimate(y, y, measure="f1", interval="studentised", n_resamples=20),
    ):
        with pytest.raises(cw.errors.NotApplicableError, match="studentised"):
            refused()
    with pytest.raises(cw.errors.NotApplicableError, match="only one item or group"):
        cw.compare(None, [1.0], [2.0], measure="mean", test="bootstrap", interval="studentised")
    for measure in ("brier", "sse"):
        p = np.clip(np.stack([a, b]), 0, 1)
        r = cw.compare(y, *p, measure=measure, test="permutation", interval="studentised", rng=1)
        t = cw.compare(y, *p, measure=measure, test="paired_t")
        width = t.interval.high - t.interval.low
        assert (r.interval.low, r.interval.high) == pytest.approx((t.interval.low, t.interval.high), abs=0.2 * width)
    one = cw.estimate(None, a, measure="mean", interval="studentised", rng=1)
    low, high = stats.ttest_1samp(a, 0).confidence_interval()
    assert (one.interval.low, one.interval.high) == pytest.approx((low, high), rel=0.05)


@pytest.mark.parametrize("n_strata", [1, 2, 3])
def test_the_error_of_equal_groups_in_strata_is_the_textbooks(n_strata):
    """Cochran 1977, (5.13) with groups as units: the variances of the strata add up, each about its own mean."""
    rng = np.random.default_rng(n_strata)
    groups, strata = np.arange(120) // 4, np.arange(120) // 40 % n_strata
    a, b = rng.normal(size=120), rng.normal(size=120) + strata
    found, degrees = robust_error(question(a, b, groups=groups, strata=None if n_strata == 1 else strata))
    sums, of = (b - a).reshape(30, 4).sum(axis=1), strata[::4]
    parts = [sums[of == h] for h in range(n_strata)]
    assert found == pytest.approx(math.sqrt(sum(part.size * part.var(ddof=1) for part in parts)) / 120, rel=1e-12)
    assert degrees == pytest.approx(30 - n_strata)
