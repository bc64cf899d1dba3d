"""Distributions against scipy, far into their tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from clearwin.numerics import pvalues


@pytest.mark.parametrize("k", [2, 3, 5, 12, 50])
def test_the_studentised_range_is_scipys(k):
    for width in (1e-3, 0.5, 1, 2, 3.5, 5, 8):
        assert pvalues.of_range(width, k).value == pytest.approx(
            stats.studentized_range.sf(width, k, np.inf), abs=1e-10
        )


def test_the_range_of_two_is_normal_however_far_out():
    for width in (0.0, 0.1, 1.0, 10.0, 40.0, 200.0):
        normal = pvalues.of_normal(width / math.sqrt(2), 1.0, "different")
        assert pvalues.of_range(width, 2).log10 == pytest.approx(normal.log10, rel=1e-12, abs=1e-12)


def test_students_t_with_very_many_degrees_of_freedom():
    """Both tails by Arb's incomplete beta function with 600 bits, which takes seconds for some of them."""
    for degrees, t, log10 in (
        (2e9, 0.5, -0.20966199356254365902),
        (2e9, 2.449, -1.8438949130962056294),
        (2e9, 12.4, -34.582820073100310697),
        (2e9, 40.0, -349.13583731585806485),
        (1e12, 2.449, -1.8438949156739229704),
        (1e12, 12.4, -34.582821370598963337),
    ):
        assert pvalues.of_student(t, degrees, "different").log10 == pytest.approx(log10, rel=1e-14)


@pytest.mark.parametrize("degrees", [1e20, 7.5e299, math.inf])
def test_students_t_with_no_end_of_degrees_of_freedom_is_normal(degrees):
    for t in (-40.0, -2.0, 0.0, 1e-4, 2.449, 12.4):
        for claim in pvalues.CLAIMS:
            found, normal = pvalues.of_student(t, degrees, claim), pvalues.of_normal(t, 1.0, claim)
            assert found.log10 == pytest.approx(normal.log10, rel=1e-14, abs=1e-15)


def test_f_is_scipys():  # which before 1.17 is right to nine digits only with a million degrees of freedom
    for f, upper, lower in ((0.0, 3, 39), (1e-3, 1, 1), (3.69, 3, 39), (30.0, 11, 500), (1.0, 11, 10**6)):
        assert pvalues.of_f(f, upper, lower).value == pytest.approx(stats.f.sf(f, upper, lower), rel=1e-9)


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        ("better", [1.0, 0.8, 0.6, 0.4, 0.2]),
        ("worse", [0.2, 0.4, 0.6, 0.8, 1.0]),
        ("different", [0.4, 0.8, 1.0, 0.8, 0.4]),
    ],
)
def test_tails_of_a_symmetric_number_are_counted_up(claim, wanted):
    """−2, −1, 0, 1 and 2 with a fifth each."""

    def log_upper(k):
        return math.log((3 - k) / 5) if k < 3 else -math.inf

    found = [pvalues.of_symmetric(observed, log_upper, claim).value for observed in range(-2, 3)]
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("claim", ["different", "better"])
@pytest.mark.parametrize("draws", [1, 99, 1_000_000])
def test_a_sampled_p_is_a_bound_exactly_where_no_draw_came_as_far(draws, claim):
    gains = np.linspace(-1.0, 1.0, draws)
    none, one = (pvalues.of_sample(gains, observed, claim, 1.0) for observed in (1.5, gains.max()))
    assert (none.value, none.is_bound, pvalues.times(none, 0.5).is_bound) == (1 / (draws + 1), True, True)
    assert (one.is_bound, pvalues.of_sample(gains, -9.0, "better", 1.0).is_bound) == (False, False)
    assert pvalues.of_normal(9.0, 1.0, claim).is_bound is False


@pytest.mark.parametrize(("k", "n"), [(1_090, 1_100), (1_100, 1_100), (12_600, 20_000), (15_000, 20_000)])
def test_tails_of_coins_below_every_float_are_those_of_whole_numbers(k, n):
    here = ways = math.comb(n, k)
    for j in range(k, n):
        here = here * (n - j) // (j + 1)
        ways += here
    wanted = math.log(ways) - n * math.log(2.0)
    assert wanted < math.log(1e-280)
    assert pvalues.log_upper_tail(k, n) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("gain", [-400.0, -31.5, -3.0, 0.0, 0.5, 12.0, 77.0, 400.0])
def test_tails_of_a_whole_number_are_scipys(gain):
    found = pvalues.tails_of_normal(gain, 4.0)
    wanted = special.ndtr((gain + 0.5) / 4.0), special.ndtr((0.5 - gain) / 4.0)
    assert found == pytest.approx([max(p, pvalues.SMALLEST) for p in wanted], rel=1e-13, abs=0.0)
    assert min(pvalues.tails_of_normal(gain, 0.0)) == 1.0


@pytest.mark.parametrize("loss", [0.0, 0.1, 1.0, 9.0])
@pytest.mark.parametrize(("t", "degrees", "units"), [(0.0, 9, 10), (2.0, 30, 31), (4.0, 199, 200), (6.0, 999, 1000)])
def test_the_tail_with_an_unseen_kind_is_the_largest_over_its_share(t, degrees, units, loss):
    """The largest on a fine grid of (1 − q)^n · P(T ≥ (gain − q · loss/(1 − q))/error)."""

    q = -np.expm1(-np.concatenate([np.linspace(0.0, 10.0, 4_001), np.linspace(10.0, 60.0, 2_001)]) / units)
    gain, error = 0.1 * t, 0.1
    tails = (1 - q) ** units * stats.t.sf((gain - q * loss / (1 - q)) / error, degrees)
    found = pvalues.of_unseen(gain, error, degrees, units, loss)
    assert found.value == pytest.approx(tails.max(), rel=2e-3)
    assert found.log10 == pytest.approx(np.log10(tails.max()), abs=1e-3)
