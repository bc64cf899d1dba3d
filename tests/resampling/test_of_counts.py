"""Units drawn, swapped and left out, against drawing by index and brute force."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.resampling import of_counts
from clearwin.resampling.bootstrap import draw, left_out
from tests.data.grouped import CASES, classes, every_case, question


@cache
def by_index(name, n_resamples=1_500):
    """Draw units one by one, stratum by stratum, and recount: the slow, obvious bootstrap."""
    data, how = CASES[name]
    rng = np.random.default_rng(2)
    n = len(data[0])
    groups = how.get("groups", np.arange(n))
    strata = how.get("strata", np.zeros(n))
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    stratum = np.array([strata[m[0]] for m in members])
    differences = np.empty(n_resamples)
    for i in range(n_resamples):
        drawn = []
        for s in np.unique(stratum):
            here = np.flatnonzero(stratum == s)
            drawn += [members[j] for j in rng.choice(here, here.size)]
        at = np.concatenate(drawn)
        differences[i] = slow_macro_f1(data[0][at], data[2][at]) - slow_macro_f1(data[0][at], data[1][at])
    return differences


def slow_macro_f1(truth, x):
    """Over the four classes or the columns there are, whatever the sample."""
    if truth.ndim == 1:
        truth, x = (np.equal.outer(v, np.arange(4)) for v in (truth, x))
    below = truth.sum(axis=0) + x.sum(axis=0)
    return float(np.mean(np.where(below > 0, 2 * (truth & x).sum(axis=0) / np.maximum(below, 1), 0.0)))


@pytest.fixture(params=["multinomial", "one by one", "both"])
def way(request, monkeypatch):
    """All rows as multinomial counts, all one by one by the kernel, or some of each."""
    limits = {"multinomial": (10**9, 32), "one by one": (0, 10**9), "both": (0, 3)}[request.param]
    monkeypatch.setattr(of_counts, "FEW_ROWS", limits[0])
    monkeypatch.setattr(of_counts, "OFTEN", limits[1])


@every_case
def test_drawing_units_is_drawing_by_index(name, way):
    data, how = CASES[name]
    slow = by_index(name)
    fast = draw(question(*data, **how)).differences
    # two samples from one distribution: p < .001 once in a thousand seeds
    assert stats.ks_2samp(slow, fast).pvalue > 0.001
    # the deviation of the slow one has a relative error of 1/√3,000: 5 standard errors
    assert fast.std() == pytest.approx(slow.std(), rel=0.1)


@every_case
def test_both_ways_of_drawing_agree(name, monkeypatch):
    data, how = CASES[name]
    samples = []
    for few, often in ((10**9, 32), (0, 10**9)):
        monkeypatch.setattr(of_counts, "FEW_ROWS", few)
        monkeypatch.setattr(of_counts, "OFTEN", often)
        samples.append(draw(question(*data, **how, n_resamples=20_000)).differences)
    assert stats.ks_2samp(*samples).pvalue > 0.001
    assert samples[0].std() == pytest.approx(samples[1].std(), rel=0.035)  # 5 standard errors of √(1/20,000)


def test_replicates_keep_the_sizes_of_the_strata(way, monkeypatch):
    y, a, b = classes(4)
    asked = question(y, a, b, "accuracy", strata=y, n_resamples=300)
    seen = []
    table = asked.sample.table(asked.measure)
    read = table.read
    object.__setattr__(table, "read", lambda totals: seen.append(totals) or read(totals))
    draw(asked)
    for totals in seen:
        for counts in read(totals):
            assert np.allclose(counts.truths, np.bincount(y)[:, None], rtol=1e-12)


@every_case
def test_jackknife_leaves_out_whole_units(name):
    data, how = CASES[name]
    n = len(data[0])
    groups = how.get("groups", np.arange(n))
    strata = how.get("strata", np.zeros(n))
    slow = {}
    for g in np.unique(groups):
        keep = groups != g
        value = slow_macro_f1(data[0][keep], data[2][keep]) - slow_macro_f1(data[0][keep], data[1][keep])
        slow.setdefault(strata[groups == g][0], []).append(value)
    if len(slow) > 1:
        slow = {s: (np.array(v) - np.mean(v)) * (1 - 1 / len(v)) for s, v in slow.items()}
    found = left_out(question(*data, **how))
    values, times = found.accelerating(found.differences)
    np.testing.assert_allclose(np.sort(np.repeat(values, times)), np.sort(np.concatenate([*slow.values()])), atol=1e-12)


def exact_f1(truth, x):
    hits, total = int((truth & x).sum()), int(truth.sum() + x.sum())
    return Fraction(2 * hits, total) if total else Fraction(0)


def brute_force(truth, a, b, groups, value):
    """Swap every set of groups, in fractions."""
    ids = np.unique(groups)
    observed = abs(value(truth, b) - value(truth, a))
    extreme = 0
    for coins in itertools.product([False, True], repeat=len(ids)):
        swap = np.array(coins)[np.searchsorted(ids, groups)]
        swap = swap[:, None] if truth.ndim == 2 else swap
        c, d = np.where(swap, b, a), np.where(swap, a, b)
        extreme += abs(value(truth, d) - value(truth, c)) >= observed
    return extreme / 2 ** len(ids)


@pytest.mark.parametrize("grouped", [False, True])
def test_exact_permutation_of_label_sets_is_brute_force(grouped):
    rng = np.random.default_rng(21)
    for _ in range(25):
        n, k = int(rng.integers(3, 11)), int(rng.integers(2, 4))
        truth, a, b = (rng.random((n, k)) < 0.4 for _ in range(3))
        groups = rng.integers(0, 4, n) if grouped else np.arange(n)
        if len(np.unique(groups)) < 2:
            continue

        def macro(t, x):
            return sum(exact_f1(t[:, j], x[:, j]) for j in range(t.shape[1])) / t.shape[1]

        for measure, value in (("micro_f1", exact_f1), ("macro_f1", macro)):
            found = cw.compare(
                truth,
                a,
                b,
                measure=measure,
                test="permutation",
                method="exact",
                n_resamples=50,
                rng=1,
                groups=groups if grouped else None,
            )
            assert found.p_value == pytest.approx(brute_force(truth, a, b, groups, value), rel=1e-12)


def test_exact_permutation_of_groups_is_brute_force():
    rng = np.random.default_rng(22)
    for _ in range(25):
        n = int(rng.integers(6, 40))
        truth, a, b = (rng.random(n) < 0.5 for _ in range(3))
        groups = rng.integers(0, 8, n)
        for measure, value in (("f1", exact_f1), ("accuracy", lambda t, x: Fraction(int((t == x).sum()), t.size))):
            found = cw.compare(truth, a, b, measure=measure, test="permutation", groups=groups, n_resamples=50, rng=1)
            assert found.method == "exact"
            assert found.p_value == pytest.approx(brute_force(truth, a, b, groups, value), rel=1e-12)


@every_case
def test_sampled_swaps_agree_with_slow_ones(name, monkeypatch):
    data, how = CASES[name]
    n = len(data[0])
    groups = how.get("groups", np.arange(n))
    _, group = np.unique(groups, return_inverse=True)
    rng = np.random.default_rng(31)
    slow = np.empty(500)
    for i in range(slow.size):
        swap = rng.random(group.max() + 1)[group] < 0.5
        swap = swap[:, None] if data[0].ndim == 2 else swap
        a, b = np.where(swap, data[2], data[1]), np.where(swap, data[1], data[2])
        slow[i] = slow_macro_f1(data[0], b) - slow_macro_f1(data[0], a)
    for few in (10**9, 0):
        monkeypatch.setattr(of_counts, "FEW_ROWS", few)
        a, b, _ = of_counts.swap_units(question(*data, **how))
        assert stats.ks_2samp(slow, b - a).pvalue > 0.001
        assert (b - a).std() == pytest.approx(slow.std(), rel=0.1)
