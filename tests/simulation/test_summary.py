"""The record of a study, and what is said beside its numbers."""

from dataclasses import replace

import numpy as np
import pytest

import clearwin as cw
from clearwin.plots import pictures
from clearwin.results.study import StudiedTest
from clearwin.simulation.summary import smallest_p
from tests.simulation.asked import ASKED, FEW, QUICK, decisions, grouped, of_one_test


def test_too_few_groups_for_any_small_p_are_told():
    """With g groups the smallest two-sided p of all 2^g swaps is 2 / 2^g."""
    a, b, groups = grouped(40, 5)
    b += 1.0
    how = {"tests": ["permutation"], "n_sets": 200, "n_resamples": 19, "rng": 1}
    s = cw.study(None, a, b, measure="mean", groups=groups, test_size=15, sizes=[15], **how)
    assert s.units == 3
    assert all(row.value == 0 for row in s.power)  # however large the difference is
    assert "cannot find anything" in s.summary().headline
    [told] = [caveat.text for caveat in s.caveats if caveat.code == "level_out_of_reach"]
    assert (
        "with 3 groups in a set no p-value of permutation is below 0.25, so nothing can be found at 0.1, 0.05, 0.01"
        in told
    )
    t = cw.study(
        None, a, b, measure="mean", groups=groups, test_size=15, sizes=[15], n_sets=20, tests=["paired_t"], rng=1
    )
    assert not [caveat for caveat in t.caveats if caveat.code == "level_out_of_reach"]


def test_models_that_do_not_differ_have_no_difference_to_find():
    truth, a, _ = decisions()
    s = cw.study(truth, a, a, **QUICK)
    assert s.power == ()
    assert s.needed == ()
    assert "finds the true difference" not in str(s)
    assert "so a true difference cannot be found" in str(s)
    level = cw.study(
        [1, 0] * 50, [1, 0, 0, 0] * 25, [0, 0, 1, 0] * 25, measure="accuracy", **{**QUICK, "test_size": 50}
    )
    assert level.confidence[0].true_difference == 0.0
    assert not [point for point in level.calibration if point.kind == "winner"]
    assert [picture.name for picture in pictures(s)][:1] != ["power"]


def test_small_values_keep_their_digits_and_their_null():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=600), rng.normal(0.2, 1, 600)
    for scale in (1e-7, 1e-300):
        s = cw.study(None, a * scale, b * scale, measure="mean", **FEW)
        assert s.left_out == ()
        assert "0.0000" not in str(s)
    plain = cw.study(None, a, b, measure="mean", **FEW)
    assert [(row.null, row.value) for row in s.size] == [(row.null, row.value) for row in plain.size]


def test_too_few_replicates_can_find_nothing():
    s = cw.study(*decisions(), measure="f1", tests=["bootstrap"], **{**ASKED, "n_resamples": 9})
    assert all(row.value == 0 for row in s.power if row.alpha == 0.05)
    assert (
        "with 9 replicates the p-value cannot fall below 0.2, so it never finds a difference at 0.05"
        in s.summary().headline
    )
    assert "level_out_of_reach" in {caveat.code for caveat in s.caveats}


def test_too_few_items_can_find_nothing():
    s = cw.study(*decisions(), measure="accuracy", tests=["mcnemar/exact"], **{**ASKED, "test_size": 5, "sizes": [5]})
    assert s.summary().headline.startswith(
        "The McNemar test (exact) cannot find anything on test sets of 5 like these, because with 5 "
    )
    [told] = [caveat.text for caveat in s.caveats if caveat.code == "level_out_of_reach"]
    assert "is below 0.0625, so nothing can be found at 0.05, 0.01" in told
    assert cw.compare([1] * 5, [0] * 5, [1] * 5, measure="accuracy", test="mcnemar", method="exact").p_value == 0.0625


@pytest.mark.parametrize(
    ("ran", "units", "replicates", "p"),
    [
        ("mcnemar/mid-p", 4, 999, 0.0625),
        ("permutation/exact", 4, 9, 0.125),
        ("permutation/monte_carlo", 100, 9, 0.1),
        ("bootstrap/multinomial", 4, 999, 0.125),
        ("wilcoxon/exact", 3, 999, 0.25),
        ("wilcoxon/asymptotic", 3, 999, 0.0),
        ("paired_t/t", 3, 999, 0.0),
    ],
)
def test_the_smallest_p_of_each(ran, units, replicates, p):
    s = of_one_test()
    settings = {**s.signature.settings, "n_resamples": replicates}
    signature = replace(s.signature, settings=settings)
    made = replace(s, tests=(StudiedTest("auto", {ran: 20}),), units=units, signature=signature)
    assert smallest_p(made, "auto")[0] == p


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_few_groups_are_told_of_every_test_by_swaps(test):
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 5)
    a, b = rng.normal(size=200), rng.normal(1.0, 1, 200)
    how = {**ASKED, "test_size": 15, "sizes": [15], "tests": [test]}
    s = cw.study(None, a, b, measure="mean", groups=groups, **how)
    assert all(row.value == 0 for row in s.power)
    assert "level_out_of_reach" in {caveat.code for caveat in s.caveats}


def test_what_cannot_be_recentred_is_said():
    truth = np.array([0, 1] * 200)
    b = np.where(np.arange(400) < 40, 1 - truth, truth)
    s = cw.study(truth, np.where(np.arange(400) < 80, 1 - truth, truth), b, measure="accuracy", test_size=50, n_sets=4)
    assert [gone.what for gone in s.left_out] == ["the size under the recentred null"]
    assert {row.null for row in s.size} == {"swapped"}
    assert "Left out" in str(s)
