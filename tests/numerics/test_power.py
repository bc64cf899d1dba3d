"""Power by the normal approximation: published sizes, and the enumerated power of McNemar's test."""

import math

import numpy as np
import pytest
from scipy import stats

from clearwin.numerics.power import NormalPower


def connor(difference, disagreement, tail=0.025):
    return NormalPower((difference,), tail, math.sqrt(disagreement - difference**2), math.sqrt(disagreement))


@pytest.mark.parametrize(
    ("difference", "disagreement", "tail", "power", "items"),
    [
        (0.40, 0.50, 0.025, 0.8, 23),  # Connor 1987, p. 209, as powerandsamplesize.com has it
        (0.40, 0.50, 0.050, 0.9, 23),  # the same page, one-sided
        (0.15, 0.45, 0.025, 0.8, 155),  # the example of clinicaltrials-tools' calculator, after Connor 1987
    ],
)
def test_published_sizes_of_mcnemars_test(difference, disagreement, tail, power, items):
    assert math.ceil(connor(difference, disagreement, tail).units(power)) == items


def test_power_and_units_are_inverse():
    for found in (connor(0.05, 0.2), NormalPower((0.03, 0.05), 0.05, 0.4, 0.4)):
        for power in (0.1, 0.5, 0.8, 0.99):
            assert found.power(found.units(power)) == pytest.approx(power, abs=1e-9)
    assert connor(0.05, 0.2).smallest(500, 0.8) == pytest.approx(0.0560, abs=1e-4)


def test_the_formula_has_the_enumerated_power_of_mcnemars_test():
    """All numbers of disagreements, and of those that speak for B: z² without correction; within 1.5 points."""
    for disagreement, difference, n in ((0.2, 0.05, 600), (0.1, 0.03, 800), (0.4, 0.1, 300)):
        share, power = (disagreement + difference) / (2 * disagreement), 0.0
        for apart in range(1, n + 1):
            wins = np.arange(apart + 1)
            shown = (2 * wins - apart) / np.sqrt(apart) > stats.norm.isf(0.025)
            power += stats.binom.pmf(apart, n, disagreement) * stats.binom.pmf(wins[shown], apart, share).sum()
        assert connor(difference, disagreement).power(n) == pytest.approx(power, abs=0.015)


def test_two_one_sided_tests_by_brute_force():
    """Schuirmann's test of a normal mean: both must reject, drawn a million times; 4 standard errors of 0.05 points."""
    found, n = NormalPower((0.05, 0.05), 0.05, 0.5, 0.5), 1_000
    means = np.random.default_rng(1).normal(0.0, 0.5 / np.sqrt(n), 10**6)
    critical = stats.norm.isf(0.05) * 0.5 / np.sqrt(n)
    shown = ((means + 0.05 > critical) & (means - 0.05 < -critical)).mean()
    assert found.power(n) == pytest.approx(shown, abs=0.002)
    assert found.power(10) == 0.0
