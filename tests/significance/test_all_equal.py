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


def test_delongs_overall_test_is_for_the_auc_of_single_items_alone():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    models = {name: y * shift + rng.normal(size=60) for name, shift in (("a", 0.5), ("b", 1.0), ("c", 1.5))}

    def overall(**how):
        return cw.rank(y, models, n_resamples=20, rng=1, **how).overall

    assert (overall(measure="auc").name, overall(measure="auc").degrees) == ("delong", 2)
    assert overall(measure="average_precision") is None
    assert overall(measure="auc", groups=np.arange(60) // 2) is None
    few = np.array([1, 0, 0, 0, 0])  # one positive item has no variance
    two = {"a": [1, 2, 3, 4, 5], "b": [5, 4, 3, 1, 2]}
    assert cw.rank(few, two, measure="auc", n_resamples=20, rng=1).overall is None
