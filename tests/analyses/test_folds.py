"""Learners over folds: published numbers, scipy and brute force, duality, true levels, and what is said."""

import itertools
import json
import math
import sys

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from tests.fold_scores import GOOD, REFERENCE, TESTS, design_for, made

WITH_P = [name for name in TESTS if name != "bayes_t"]


# --- scipy, textbooks, brute force ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("claim", "side"), [("different", "two-sided"), ("better", "greater"), ("worse", "less")], ids=lambda x: x
)
def test_against_scipy(seed, claim, side):
    a, b = made(12, seed)
    ours = {
        t: cw.compare_folds(a, b, test=t, claim=claim, design="independent")
        for t in WITH_P
        if "5x2" not in t and t != "corrected_t"
    }
    t = stats.ttest_rel(b, a, alternative=side)
    assert (ours["paired_t"].statistic, ours["paired_t"].p_value) == pytest.approx((t.statistic, t.pvalue), rel=1e-12)
    w = stats.wilcoxon(b - a, alternative=side, method="exact")
    assert ours["wilcoxon"].p_value == pytest.approx(w.pvalue, rel=1e-12)
    s = stats.binomtest(int((b > a).sum()), 12, alternative=side)
    assert ours["sign"].p_value == pytest.approx(s.pvalue, rel=1e-12)
    flips = stats.permutation_test(
        (b, a), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf, alternative=side
    )
    assert ours["permutation"].p_value == pytest.approx(flips.pvalue, rel=1e-12)
    low, high = t.confidence_interval(0.95)
    found = ours["paired_t"].interval
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-12)


def test_wilcoxon_with_ties_by_brute_force():
    d = np.array([2, 2, -1, 3, 0, -2, 1, 4.0])
    moving = d[d != 0]
    ranks = stats.rankdata(np.abs(moving))
    all_w = [sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in itertools.product((0, 1), repeat=7)]
    w, middle = ranks[moving > 0].sum(), ranks.sum() / 2
    p = np.mean([abs(x - middle) >= abs(w - middle) - 1e-9 for x in all_w])
    r = cw.compare_folds(np.zeros(8), d, test="wilcoxon")
    assert (r.statistic, r.p_value) == (w, pytest.approx(p, rel=1e-12))


def test_many_folds_take_the_normal_approximation():
    rng = np.random.default_rng(1)
    d = rng.normal(0.02, 1, 2_000)
    r = cw.compare_folds(np.zeros(2_000), d, test="wilcoxon")
    assert r.method == "asymptotic"
    theirs = stats.wilcoxon(d, method="asymptotic", correction=False).pvalue
    assert r.p_value == pytest.approx(theirs, rel=1e-9)
    assert (r.p_value <= 0.05) == (0 not in r.interval)


# --- duality and symmetry ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("test", "claim"), [(t, c) for t in WITH_P for c in cw.list_tests("folds")[t].claims])
def test_the_interval_is_the_dual_of_the_test(test, claim):
    a, b = made(10, 8, shift=0.01)
    how = {"test": test, "claim": claim, **design_for(test)}
    r = cw.compare_folds(a, b, **how)
    for end, inwards in ((r.interval.low, 1e-7), (r.interval.high, -1e-7)):
        if math.isfinite(end):
            assert cw.compare_folds(a, b - end - inwards, **how).p_value > 0.05
            assert cw.compare_folds(a, b - end + inwards, **how).p_value <= 0.05 * (1 + 1e-9)
    assert math.isfinite(r.interval.low) or claim == "worse"
    assert math.isfinite(r.interval.high) or claim == "better"


# --- nothing varies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", TESTS)
def test_constant_differences(test):
    a, _ = made(10, 1)
    r = cw.compare_folds(a, a + 0.01, test=test, **design_for(test))
    if test in ("permutation", "sign", "wilcoxon"):
        assert r.p_value == pytest.approx(2 / 2**10, rel=1e-12)
        assert r.interval.low == pytest.approx(0.01)
    elif test != "partition":
        assert (r.statistic, r.p_value) in ((None, 1.0), (None, None))
        assert "no_variance" in [c.code for c in r.caveats]
        told = "is practically equivalent to" if test == "bayes_t" else "No clear evidence that"  # within the margin
        assert told in r.verdict()
    assert "nan" not in str(r) + r.to_json()


@pytest.mark.parametrize("claim", ["better", "worse"])
def test_a_bound_without_width_is_doubted(claim):
    a, _ = made(10, 1)
    for test, gap in (("corrected_t", 0.0), ("permutation", 0.01)):
        r = cw.compare_folds(a, a + gap, test=test, claim=claim, design="k-fold")
        assert "no_width" in [c.code for c in r.caveats]
    for test, gap in (("corrected_t", 0.01), ("partition", 0.01)):  # unbounded; with width
        r = cw.compare_folds(a, a + gap, test=test, claim=claim, design="k-fold")
        assert "no_width" not in [c.code for c in r.caveats]


@pytest.mark.parametrize("test", ["5x2cv_t", "5x2cv_f"])
def test_halves_alike_in_every_round_have_no_variance(test):
    r = cw.compare_folds(np.zeros(10), np.repeat([0.01, 0.02, -0.03, 0.05, 0.01], 2), test=test, design="5x2")
    assert (r.p_value, r.statistic) == (1.0, None)
    assert [c.code for c in r.caveats] == ["no_variance"]
    assert "In every round both folds" in r.caveats[0].text


@pytest.mark.parametrize("test", [t for t in TESTS if not t.startswith("5x2")])
def test_one_fold(test):
    r = cw.compare_folds([0.8], [0.9], test=test, design="k-fold")
    assert r.p_value in (1.0, None)
    assert r.caveats[0].code == "one_fold"
    assert r.deviation_a is None
    assert "unbounded" in str(r)
    assert json.loads(r.to_json())["interval"]["low"] is None


def test_rounding_errors_make_no_difference():
    a = np.array([0.1, 0.2, 0.3, 0.7])
    r = cw.compare_folds(a, a + 0.1 + 0.2 - 0.3, test="corrected_t", design="k-fold")
    assert (r.difference, r.p_value) == (0.0, 1.0)


# --- the design, and true levels -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("design", "test"),
    [("k-fold", "corrected_t"), ("resampled", "corrected_t"), ("5x2", "corrected_t"), ("independent", "permutation")],
)
def test_auto_goes_by_the_design(design, test):
    a, b = made(10, 1)
    r = cw.compare_folds(a, b, design=design, test_train_ratio=0.5 if design == "resampled" else None)
    assert r.test == test
    assert design in cw.list_tests("folds")[r.test].designs
    assert "naive" not in [c.code for c in r.caveats]


def test_one_sided_claims_over_5x2_folds():
    r = cw.compare_folds(*made(10, 1), design="5x2", claim="better")
    assert (r.test, r.interval.side) == ("corrected_t", "lower")
    with pytest.raises(cw.errors.OptionError, match='test="5x2cv_t" or "corrected_t"'):
        cw.compare_folds(*made(10, 1), design="5x2", test="5x2cv_f", claim="better")


def simulated_levels(case, trials, seed):
    """Return how often paired and corrected t find a difference between equal learners in the equicorrelated model."""
    rng = np.random.default_rng(seed)
    ratio = case["ratio"][0] / case["ratio"][1]
    rho, j = ratio / (1 + ratio), case["folds"]
    found = {"paired_t": 0, "corrected_t": 0}
    for _ in range(trials):
        d = math.sqrt(rho) * rng.normal() + math.sqrt(1 - rho) * rng.normal(size=j)
        for test in found:
            r = cw.compare_folds(np.zeros(j), d, test=test, design="resampled", test_train_ratio=ratio, rng=1)
            found[test] += r.p_value <= 0.05
    return {test: count / trials for test, count in found.items()}


def check_levels(case, trials, seed):
    found = simulated_levels(case, trials, seed)
    for test, level in (("paired_t", case["level"]), ("corrected_t", 0.05)):
        error = math.sqrt(level * (1 - level) / trials)
        sys.stdout.write(f"{case['origin']}, {test}: {found[test]:.4f}, expected {level:.4f} ± {error:.4f}\n")
        assert abs(found[test] - level) < 3.5 * error


@pytest.mark.parametrize("case", REFERENCE["naive"], ids=lambda case: case["origin"])
def test_true_levels_by_simulation(case):
    check_levels(case, 600, seed=11)  # standard errors .014, .021, .020; .009 for the corrected test


@pytest.mark.study
@pytest.mark.parametrize("case", REFERENCE["naive"], ids=lambda case: case["origin"])
def test_true_levels_by_a_large_simulation(case):
    check_levels(case, 40_000, seed=12)


# --- words and errors ----------------------------------------------------------------------------------------------


def test_5x2cv_is_refused_for_other_designs():
    a, b = made(10, 1)
    with pytest.raises(cw.errors.NotApplicableError, match=r'The folds are k-fold(.|\n)*Next: test="auto"'):
        cw.compare_folds(a, b, design="k-fold", test="5x2cv_f")
    r = cw.compare_folds(a, b, design="repeated k-fold", repeats=5, test="5x2cv_f")
    assert r.p_value == cw.compare_folds(a, b, design="5x2", test="5x2cv_f").p_value


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "The design of the folds was not given(.|\n)*Next: design="),
        ({"design": "kfold"}, "did you mean 'k-fold'"),
        ({"design": "resampled"}, "Next: (.|\n)*test_train_ratio=0.5"),
        ({"test": "corrected_t"}, "Next: design="),
        ({"test": "5x2cv_t"}, "there are 7(.|\n)*Next: test="),
        ({"design": "5x2"}, "there are 7"),
        ({"design": "repeated k-fold"}, "repeats was not given"),
        ({"design": "repeated k-fold", "repeats": 3}, "repeats is 3"),
        ({"design": "k-fold", "repeats": 3}, "repeated cross-validation only"),
        ({"test": "ttest"}, "one of auto, permutation"),
        ({"design": "k-fold", "test_train_ratio": 0}, "test_train_ratio is 0"),
        ({"design": "k-fold", "margin": -1}, "margin is -1"),
        ({"design": "k-fold", "claim": "best"}, "claim"),
        ({"design": "k-fold", "test": "bayes_t", "claim": "better"}, "leave claim out"),
        ({"design": "k-fold", "n_resamples": 2_000_000}, "at most 1,000,000"),
        ({"design": "k-fold", "names": ("x", "x")}, "two different names"),
        ({"design": "k-fold", "higher_is_better": "no"}, "higher_is_better is 'no'"),
        ({"design": "k-fold", "test_train_ratio": 3}, r"has 7 folds\.\nExpected: 1/6"),
        ({"design": "k-fold", "measure_label": " "}, "measure_label is ' '"),
        ({"design": "k-fold", "measure_label": 3}, "measure_label is 3"),
    ],
)
def test_refusals_say_what_to_type(change, says):
    with pytest.raises(cw.ClearwinError, match=says):
        cw.compare_folds(GOOD, GOOD[::-1], **change)


def test_names_cannot_write_over_the_terminal():
    names = ("two\nlines", "red\x1b[31m")
    r = cw.compare_folds(GOOD, GOOD[::-1], design="k-fold", names=names, measure_label="F\r1")
    for told in (r.verdict(), str(r)):
        assert r"two\nlines" in " ".join(told.split())
        assert "\x1b" not in told
        assert "\r" not in told
    assert r.name_a == "two\nlines"
