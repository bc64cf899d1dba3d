"""Corrections for many tests against statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import clearwin as cw
from clearwin.numerics.corrections import adjust, benjamini_hochberg, holm, max_t


@pytest.mark.parametrize(("ours", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_corrections_against_statsmodels(ours, name):
    rng = np.random.default_rng(1)
    for size in (1, 2, 7, 40):
        p = rng.random(size).round(2) ** 2 + 1e-6  # with ties
        assert ours(p) == pytest.approx(multipletests(p, method=name)[1], rel=1e-12)
    with pytest.raises(cw.errors.UnknownNameError, match="benjamini-hochberg"):
        adjust([0.1], "benjamini")


def test_max_t_of_one_statistic_is_its_own_p_value():
    draws = np.array([0.1, 0.2, 0.9, 1.4])
    assert max_t(np.array([1.0]), lambda _: draws) == [0.4]
