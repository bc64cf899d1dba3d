"""Tests of all models at once: Cochran's Q against statsmodels, and where it does not hold."""

import numpy as np
import pytest

import clearwin as cw
from tests.boards import three_classes, two_classes


@pytest.mark.parametrize("data", [two_classes(), three_classes()], ids=["two classes", "three classes"])
def test_cochrans_q_is_that_of_statsmodels(data):
    from statsmodels.stats.contingency_tables import cochrans_q

    y, models = data
    theirs = cochrans_q(np.stack([said == y for said in models.values()], axis=1).astype(int))
    ours = cw.rank(y, models, measure="accuracy", n_resamples=20, rng=1).overall
    assert (ours.name, ours.degrees) == ("cochran_q", theirs.df)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p_value == pytest.approx(theirs.pvalue)


def test_overall_tests_are_left_out_where_they_do_not_hold():
    y, models = two_classes()
    assert cw.rank(y, models, n_resamples=20).overall is None  # F1 is no mean over items
    assert cw.rank(y, models, measure="accuracy", groups=np.arange(y.size) // 2, n_resamples=20).overall is None
    same = cw.rank(y, {"a": y, "b": y}, measure="accuracy", n_resamples=20).overall
    assert (same.statistic, same.p_value) == (0.0, 1.0)
