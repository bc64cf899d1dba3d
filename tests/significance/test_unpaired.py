"""p(δ) of two test sets, against scipy's and by brute force."""

import numpy as np
import pytest
from scipy import stats

from clearwin.numerics.intervals import Coverage
from clearwin.significance.unpaired import Component, PValuesOfTwoSets, component_of


def test_a_part_has_the_moments_that_scipy_has():
    numbers = np.random.default_rng(1).exponential(size=30)
    part = component_of(numbers, "item")
    assert part.variance == pytest.approx(stats.kstatvar(numbers, 1))
    assert part.skewness == pytest.approx(stats.kstat(numbers, 3) / 30**2 / part.variance**1.5)
    huge = component_of(1e150 * numbers, "item")
    assert huge.skewness == pytest.approx(part.skewness)
    assert component_of(np.ones(5), "item", 0.01).variance == 0.01


def test_what_was_missed_is_the_worst_share_by_brute_force():
    """The chance (1 − q)^n that none was drawn, times the tail if each loses so much: the worst q of a fine grid."""
    a, b = Component(500, "item", 1e-4, 499.0), Component(40, "item", 2e-3, 39.0, lost=0.6)
    function = PValuesOfTwoSets(0.15, [a], [b])
    assert function.degrees == pytest.approx((1e-4 + 2e-3) ** 2 / (1e-8 / 499 + 4e-6 / 39))
    q = np.linspace(0.0, 0.3, 200_001)[:-1]
    tails = stats.t.sf((0.15 - q / (1 - q) * 0.6) / np.sqrt(2.1e-3), function.degrees)
    worst = 2.0 * float(((1 - q) ** 40 * tails).max())
    assert function.p_value(0.0, "different").value == pytest.approx(worst, rel=2e-3)
    assert function.p_value(0.0, "different").value > function.seen(0.0, "different").value
    # the same from the other side: what A's small test set missed and gains
    mirrored = PValuesOfTwoSets(-0.15, [b], [a])
    assert mirrored.p_value(0.0, "different").value == function.p_value(0.0, "different").value
    gained = PValuesOfTwoSets(
        -0.15, [Component(500, "item", 1e-4, 499.0)], [Component(40, "item", 2e-3, 39.0, gained=0.6)]
    )
    assert gained.p_value(0.0, "worse").value == pytest.approx(worst / 2.0, rel=2e-3)


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_the_interval_ends_where_p_falls_to_the_level(side):
    parts = [Component(60, "item", 1e-3, 59.0, 0.2, 0.4, 0.1), Component(20, "item", 2e-3, 19.0, -0.3, 0.3, 0.2)]
    function = PValuesOfTwoSets(0.1, parts[:1], parts[1:])
    interval = function.interval(Coverage(0.95, side))
    claims = {"two-sided": "different", "lower": "better", "upper": "worse"}
    ends = [end for end in (interval.low, interval.high) if abs(end) < 1.0]
    assert len(ends) == (2 if side == "two-sided" else 1)
    for end in ends:
        assert function.p_value(end, claims[side]).value == pytest.approx(0.05, rel=0.05)
