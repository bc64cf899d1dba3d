"""Sums over classes by MOVER: Tango's interval of one class, its own test, its level where a class has few items."""

import math

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.numerics.intervals import Coverage
from clearwin.numerics.paired_intervals import PAIRED, Share, _crossing, mover, mover_score, mover_z

DCF = "dcf(cost_fn=10, cost_fp=1, prior=0.05)"


def tables(n, size, seed, p=(0.05, 0.04, 0.02, 0.03, 0.02, 0.05, 0.03, 0.76)):
    for counts in np.random.default_rng(seed).multinomial(n, p, size=size):
        joint = cw.JointCounts(**{f"e{i}": int(x) for i, x in enumerate(counts, 1)})
        if counts[:4].sum() and counts[4:].sum():
            yield joint


def test_of_one_class_it_is_tangos_interval_and_mcnemars_z():
    for gains, losses, n in ((6, 16, 161), (0, 0, 25), (4, 0, 4), (1, 0, 200)):
        found, tango = mover([Share(1.0, n, gains, losses)], Coverage(0.9)), PAIRED["tango"]
        expected = tango(gains, losses, (n - gains - losses, 0), Coverage(0.9))
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        if gains + losses:
            z = (gains - losses) / math.sqrt(gains + losses)
            assert mover_z([Share(0.3, n, gains, losses)]) == pytest.approx(z, rel=1e-9)


@pytest.mark.parametrize("delta", [-0.1, 0.05, 0.25])
@pytest.mark.parametrize("weights", [(1.0,), (1.0, 1.0), (0.5, 0.5), (1.0, 0.4, 0.2)])
def test_the_score_of_a_margin_is_the_z_at_which_the_interval_ends_there(weights, delta):
    """For one class, for both classes of Youden's J, whose weights are 1, and for others."""
    counts = [(40, 9, 2), (160, 6, 3), (25, 0, 1)]
    shares = [Share(weight, *count) for weight, count in zip(weights, counts, strict=False)]
    z = mover_score(shares, delta)
    there = mover(shares, Coverage(1 - 2 * stats.norm.sf(abs(z))))
    assert (there.low if z > 0 else there.high) == pytest.approx(delta, abs=1e-9)


@pytest.mark.parametrize("share", [(0.5, 4, 0, 4), (0.5, 4, 4, 0), (1.0, 4, 0, 4), (0.5, 4, 1, 3)])
def test_the_score_of_what_was_observed_is_0_also_at_the_end_of_the_range(share):
    weight, n, gains, losses = share
    assert mover_score([Share(*share)], weight * (gains - losses) / n) == pytest.approx(0.0, abs=1e-12)


def test_the_distances_of_the_classes_are_squared_and_added():
    joint = cw.JointCounts(e1=20, e2=6, e3=2, e4=5, e5=10, e6=3, e7=9, e8=200)
    r = cw.compare(joint, measure=DCF, test="paired_proportion")
    assert (r.test, r.method, r.interval.method) == ("paired_proportion", "mover", "mover")
    # cost b − a: items that only B has wrong speak for it; 10 · .05 of 33 positives, 1 · .95 of 222 negatives
    parts = [
        (0.5, PAIRED["tango"](2, 6, (25, 0), Coverage(0.95)), -4 / 33),
        (0.95, PAIRED["tango"](3, 9, (210, 0), Coverage(0.95)), -6 / 222),
    ]
    total = sum(weight * d for weight, _, d in parts)
    low = total - math.sqrt(sum((weight * (d - i.low)) ** 2 for weight, i, d in parts))
    high = total + math.sqrt(sum((weight * (i.high - d)) ** 2 for weight, i, d in parts))
    by_9 = stats.norm.ppf(0.975) * math.sqrt((0.5 / 33) ** 2 * 8 + (0.95 / 222) ** 2 * 12)  # never narrower than that
    low, high = min(low, total - by_9), max(high, total + by_9)
    assert (r.difference, r.interval.low, r.interval.high) == pytest.approx((total, low, high), abs=1e-12)


@pytest.mark.parametrize("claim", ["different", "better", "worse"])
def test_the_interval_reaches_0_where_p_says(claim):
    """At the level 1 − p the interval ends at 0, whatever the side."""
    checked = 0
    for joint in tables(150, 80, seed=3):
        asked = {"measure": DCF, "claim": claim, "test": "paired_proportion"}
        r = cw.compare(joint, **asked)
        if 1e-6 < r.p_value < 0.4:
            there = cw.compare(joint, **asked, confidence_level=1 - r.p_value).interval
            assert min(abs(there.low), abs(there.high)) < 1e-9
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("claim", ["different", "better", "worse"])
def test_the_default_interval_holds_0_exactly_where_p_says(claim):
    """Its ends are found by drawing, more often at rarer levels; on which side of 0 one lies is always exact."""
    outcomes = set()
    for joint in tables(150, 16, seed=3):
        asked = {"measure": DCF, "claim": claim, "n_resamples": 999, "rng": 1}
        p = cw.compare(joint, **asked).p_value
        for level in (1 - p + 1e-4, 1 - p - 1e-4) if 0.002 < p < 0.4 else ():
            r = cw.compare(joint, **asked, confidence_level=level)
            assert (r.interval.method, 0.0 in r.interval) == ("inverted", r.p_value > 1 - level)
            outcomes.add(0.0 in r.interval)
    assert outcomes == {True, False}


def test_what_is_left_of_rounding_is_no_difference():
    shares = [Share(0.1, 10, 3, 0), Share(0.1, 10, 0, 1), Share(0.1, 10, 0, 2)]
    assert 0 < abs(sum(share.difference for share in shares)) < 1e-16
    assert mover_z(shares) == 0.0
    truth = np.repeat([0, 1, 2], 10)
    a, b = truth.copy(), truth.copy()
    a[:3], b[10], b[20:22] = 1, 0, 0
    for test, method in (("paired_proportion", "mover"), ("auto", "drawn")):
        r = cw.compare(truth, a, b, measure="balanced_accuracy", test=test, rng=1)
        assert (r.method, r.p_value) == (method, 1.0)


@pytest.mark.parametrize("unit", [1e-13, 1e13])
def test_the_unit_of_the_costs_changes_no_z(unit):
    shares = [(0.1, 10, 3, 0), (0.1, 10, 0, 1), (0.1, 10, 0, 2)]
    more = [(0.5, 40, 9, 2), (0.2, 160, 6, 3)]
    assert mover_z([Share(unit * weight, *counts) for weight, *counts in shares]) == 0.0
    expected = mover_z([Share(*share) for share in more])
    assert expected > 1.0
    assert mover_z([Share(unit * weight, *counts) for weight, *counts in more]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "of", [lambda z: 1 - z**20, lambda z: ((2 - z) ** 20 - 1) / (2**20 - 1), lambda z: 1 - z, lambda z: 1 - z**3]
)
def test_a_crossing_is_found_however_bent_the_function_is(of):
    """All cross 0 at 1. The plain rule of false position keeps one end of the first two for ever."""
    assert _crossing(of, 0.0, 2.0) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("test", ["auto", "paired_proportion"])
def test_a_b_and_b_a_say_the_same(test):
    for joint in tables(60, 20, seed=4):
        one, other = (
            cw.compare(j, measure="balanced_accuracy", test=test, n_resamples=999, rng=1)
            for j in (joint, joint.swapped())
        )
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
        assert one.statistic == pytest.approx(-other.statistic, rel=1e-9)
        assert (one.interval.low, one.interval.high) == pytest.approx((-other.interval.high, -other.interval.low))


@pytest.mark.parametrize("sets", [150, pytest.param(2_000, marks=pytest.mark.study)])
def test_a_class_of_few_items_is_not_taken_as_known(sets):
    """keller2004 (9) finds differences that are none where a class has four items; 4 standard errors.

    A finds 90 % and B 70 % of the positives, and B raises as many fewer false alarms: both cost the same.
    """
    positives, p, q = 0.02, (0.9, 0.7), (0.21, 0.01)
    of_class = [[x * y, (1 - x) * y, x * (1 - y), (1 - x) * (1 - y)] for x, y in (p, q)]
    shares = [positives * x for x in of_class[0]] + [(1 - positives) * x for x in of_class[1]]
    found = {"mover": 0, "asymptotic": 0}
    all_tables = list(tables(200, sets, seed=5, p=shares))
    for joint in all_tables:
        for method in found:
            r = cw.compare(joint, measure="hter", test="paired_proportion", method=method)
            found[method] += r.p_value <= 0.05
    n = len(all_tables)
    assert found["mover"] / n < 0.05 + 4 * (0.05 * 0.95 / n) ** 0.5
    assert found["asymptotic"] / n > 0.2


def test_many_classes_of_few_items_show_no_more_than_keller2004_9():
    """The limits of a class end at ±1: with one item each they would add up to next to nothing."""
    truth = np.arange(50)
    a, b = (np.where((truth < 31) == right, truth, (truth + 1) % 50) for right in (False, True))
    r = cw.compare(truth, a, b, measure="macro_recall", test="paired_proportion")
    assert r.statistic == pytest.approx((31 - 19) / math.sqrt(50), rel=1e-9)  # McNemar's z of these items
    assert 0.0 in r.interval
    assert 0.0 in cw.compare(truth, a, b, measure="macro_recall", rng=1).interval  # 31 of 50 coins: p = 0.12
    truth = np.repeat(np.arange(10), 2)
    r = cw.compare(truth, (truth + 1) % 10, truth, measure="balanced_accuracy", test="paired_proportion")
    assert r.p_value == pytest.approx(2 * stats.norm.sf(math.sqrt(20)))


def test_no_p_from_items_that_could_not_show_it():
    joint = cw.JointCounts(e1=20, e2=0, e3=1, e4=20, e5=20, e6=2, e7=0, e8=20)
    r = cw.compare(joint, measure="dcf", test="paired_proportion")
    assert (r.p_value, r.p_error) == (0.25, None)  # three coins, nothing sampled
    truth = np.repeat(np.arange(10), 2)
    for test in ("auto", "paired_proportion"):
        same = cw.compare(truth, truth, truth, measure="balanced_accuracy", test=test, rng=1)
        assert (same.p_value, same.statistic) == (1.0, 0.0)
        assert same.interval.low < 0 < same.interval.high
    # the default does not condition on how many differ, so its p is below three coins', and still shows nothing
    assert cw.compare(joint, measure="dcf", rng=1).decision == "not shown"


def test_many_items_agree_with_keller2004_9():
    joint = cw.JointCounts(e1=40_000, e2=900, e3=800, e4=5_000, e5=2_000, e6=1_500, e7=1_650, e8=400_000)
    ours, theirs = (cw.compare(joint, measure=DCF, test="paired_proportion", method=m) for m in ("mover", "asymptotic"))
    assert ours.statistic == pytest.approx(theirs.statistic, rel=5e-3)
    assert ours.p_value == pytest.approx(2 * stats.norm.sf(abs(ours.statistic)), rel=1e-9)
