"""Diebold and Mariano's test: a published number, the formula by hand, and what it refuses."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.errors import NotApplicableError, OptionError
from tests.serial_data import TIMES, VALUES, N

PUBLISHED = tomllib.loads((Path(__file__).parents[1] / "reference" / "serial.toml").read_text())["diebold_mariano"]


def ask(a, b, **how):
    return cw.compare(None, a, b, measure="mean_loss", test="diebold_mariano", **how)


def test_the_published_number():
    """R takes a − b, and we take b − a."""
    a, b = (np.array(PUBLISHED[name]) ** 2 for name in "ab")
    r = ask(a, b, order=range(a.size))
    assert -r.statistic == pytest.approx(PUBLISHED["statistic"], abs=1e-7)
    assert r.p_value == pytest.approx(PUBLISHED["p"], abs=1e-7)


@pytest.mark.parametrize("h", [1, 2, 4, 12])
def test_the_formula(h):
    """Harvey, Leybourne and Newbold 1997, equations (5), (6) and (9)."""
    gaps = VALUES[1] - VALUES[0]
    centred = gaps - gaps.mean()
    gamma = [(centred[k:] * centred[: N - k]).sum() / N for k in range(h)]
    plain = gaps.mean() / np.sqrt((gamma[0] + 2 * sum(gamma[1:])) / N)
    known = plain * np.sqrt((N + 1 - 2 * h + h * (h - 1) / N) / N)
    mixed = np.random.default_rng(1).permutation(N)
    r = ask(*VALUES[:, mixed], order=TIMES[mixed], method=f"horizon_{h}")
    assert r.statistic == pytest.approx(known)
    assert r.p_value == pytest.approx(2 * stats.t(N - 1).sf(abs(known)))
    assert (0.0 in r.interval) == (r.p_value > 0.05)


def test_one_step_ahead_is_the_paired_t_test():
    assert ask(*VALUES).p_value == pytest.approx(stats.ttest_rel(*VALUES).pvalue)


def test_what_it_refuses():
    with pytest.raises(OptionError, match="order of the items is not known"):
        ask(*VALUES, method="horizon_2")
    with pytest.raises(NotApplicableError, match="one item at each time"):
        ask(*VALUES, order=TIMES // 2)


def test_equal_losses_do_not_differ():
    assert ask(VALUES[0], VALUES[0], order=TIMES).p_value == 1.0
