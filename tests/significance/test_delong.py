"""DeLong's test: against the bootstrap and a direct solution, and where it is out of its range."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import clearwin as cw
from clearwin.resampling.bootstrap import left_out
from clearwin.significance.delong import ShiftedAreas
from tests.data.scored import ORACLE, question_of, sample


def test_delong_and_bootstrap_standard_errors_agree():
    y, a, b = sample(12, n=2_000)
    delong = cw.compare(y, a, b, measure="auc", test="delong")
    error = delong.difference / delong.statistic
    boot = cw.compare(y, a, b, measure="auc", test="bootstrap", rng=1).distribution.values.std()
    # a bootstrap deviation from 10,000 replicates has a relative error of .7 %; four of them
    assert boot == pytest.approx(error, rel=0.03)


def test_delong_says_when_it_is_out_of_its_range():
    y, a, b = sample(18, n=60, share=0.2)
    assert any(c.code == "delong_few_items" for c in cw.compare(y, a, b, measure="auc", test="delong").caveats)
    # it is not the area that counts, but how many items are ranked wrongly: n(1 − AUC) of the smaller class
    for n, doubted in ((2_000, False), (200, True)):
        y, a, b = sample(19, n=n, sharpness=2.5)
        r = cw.compare(y, a, b, measure="auc", test="delong")
        assert min(r.estimate_a, r.estimate_b) > 0.95
        assert (min(y.sum(), (1 - y).sum()) * (1 - min(r.estimate_a, r.estimate_b)) < 3) == doubted
        assert ("delong_near_1" in [c.code for c in r.caveats]) == doubted
    perfect = np.r_[np.zeros(30), np.ones(30)]
    with pytest.raises(cw.errors.NotApplicableError, match="permutation"):
        cw.compare(perfect.astype(int), perfect, -perfect, measure="auc", test="delong")


def test_several_areas_against_a_direct_solution():
    y, a, b = sample(24, n=400)
    c = np.random.default_rng(1).random(400)
    board = cw.rank(y, {"a": a, "b": b, "c": c}, measure="auc", n_resamples=20, rng=1)
    areas = [metrics.roc_auc_score(y, s) for s in (a, b, c)]
    assert {one.name: one.estimate for one in board.models} == pytest.approx(dict(zip("abc", areas, strict=True)))
    # DeLong's covariance by its definition: how each item of one class stands among those of the other
    pairs = ((s[y == 1][:, None], s[y == 0]) for s in (a, b, c))
    above = np.array([(positive > negative) + (positive == negative) / 2.0 for positive, negative in pairs])
    covariance = np.cov(above.mean(axis=2)) / np.sum(y == 1) + np.cov(above.mean(axis=1)) / np.sum(y == 0)
    difference = np.array([[-1, 1, 0], [0, -1, 1]])
    gap, spread = difference @ areas, difference @ covariance @ difference.T
    found = board.overall
    statistic = gap @ np.linalg.solve(spread, gap)
    assert (found.statistic, found.degrees) == (pytest.approx(statistic, rel=1e-9), 2)
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, 2), rel=1e-9)
    assert "all models have the same AUC" in " ".join(str(board).split())
    # for two models it is the square of the pair's z
    pair, overall = (
        cw.compare(y, a, b, measure="auc", test="delong"),
        cw.rank(y, {"a": a, "b": b}, measure="auc", n_resamples=20, rng=1).overall,
    )
    assert overall.statistic == pytest.approx(pair.statistic**2)
    assert overall.p_value == pytest.approx(pair.p_value, rel=1e-9)
    same = cw.rank(y, {"a": a, "twin": a}, measure="auc", n_resamples=20, rng=1).overall
    assert (same.statistic, same.degrees, same.p_value) == (0.0, 0, 1.0)


def test_delong_refuses_a_class_of_one_item_and_auto_takes_another_test():
    y = np.r_[1, np.zeros(200)].astype(int)
    a, b = np.r_[0, np.linspace(-3, 3, 200)], np.r_[1.5, np.linspace(-3, 3, 200)]
    auto = cw.compare(y, a, b, measure="auc", rng=1, n_resamples=999)
    assert auto.test == "studentised"
    assert auto.p_value > 0.1
    for refuse in (
        lambda: cw.compare(y, a, b, measure="auc", test="delong"),
        lambda: cw.compare_unpaired(y, a, y, b),
    ):
        with pytest.raises(cw.errors.NotApplicableError, match="only one item"):
            refuse()


def test_areas_carry_the_caveats_of_the_data():
    y, a, b = sample(27)
    three = np.where(np.arange(300) % 2, np.array(["x", "y"])[y], "z")
    three[:2] = "x", "y"
    found = [c.code for c in cw.compare_unpaired(three, -a, three, -b, positive="y").caveats]
    assert "against_others" in found
    board = cw.rank(y, {"a": -a, "b": b}, measure="auc", n_resamples=20, rng=1)
    assert "wrong_way_round" in [c.code for c in board.caveats]


def test_stratified_bca_accelerates_class_by_class():
    """Two-sample acceleration by its definition (Efron and Tibshirani 1993, 14.3) on each item left out in turn."""
    y, a, _ = sample(28, n=90, share=0.2)
    question = question_of(y, a, a, "average_precision", stratified=True)
    left = left_out(question)
    values, times = left.accelerating(left.a)
    centred = values - np.average(values, weights=times)
    ours = -(centred**3).sum() / (6 * ((centred**2).sum()) ** 1.5)
    top = bottom = 0.0
    for c in (0, 1):
        here = np.flatnonzero(y == c)
        left = np.array([ORACLE["average_precision"](np.delete(y, i), np.delete(a, i)) for i in here])
        influence = (here.size - 1) * (left.mean() - left)
        top += (influence**3).sum() / here.size**3
        bottom += (influence**2).sum() / here.size**2
    assert ours == pytest.approx(top / (6 * bottom**1.5), rel=1e-9)


def test_groups_that_are_all_alike_have_no_variance():
    rng = np.random.default_rng(1)
    y, (a, b) = np.array([1, 1, 1, 0, 0, 0, 0]), rng.normal(size=(2, 7))
    with pytest.raises(cw.errors.NotApplicableError, match="variance of the difference is 0"):
        cw.compare(
            np.tile(y, 5), np.tile(a, 5), np.tile(b, 5), measure="auc", test="delong", groups=np.repeat(np.arange(5), 7)
        )


def test_a_class_needs_two_groups_at_least():
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    a, b = np.arange(10.0) % 4, np.arange(10.0) % 3
    of_negatives = [2, 3, 4, 5, 6, 7]
    how = {"measure": "auc", "test": "delong"}
    assert 0 < cw.compare(y, a, b, groups=[0, 0, 1, 1, *of_negatives], **how).p_value <= 1
    with pytest.raises(cw.errors.NotApplicableError, match="All items of a class are in one group"):
        cw.compare(y, a, b, groups=[0, 0, 0, 0, *of_negatives], **how)


def test_degrees_of_freedom_are_those_by_groups_or_infinitely_many():
    assert ShiftedAreas(SimpleNamespace(difference=0.1), 0.05, None).degrees == np.inf
    by_groups = ShiftedAreas(SimpleNamespace(difference=0.1), 0.05, 7.5)
    assert (by_groups.degrees, by_groups.t(0.025)) == (7.5, pytest.approx(1.5))
    assert by_groups.p_value(0.025, "better").value == pytest.approx(stats.t.sf(1.5, 7.5))
