"""Learners over folds: published numbers, scipy and brute force, duality, true levels, and what is said."""

import itertools
import json
import math
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import integrate, stats

import clearwin as cw
from clearwin.cli import main
from clearwin.significance.folds import permutation
from clearwin.significance.folds.caveats import naive_level

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "folds.toml").read_text())
TESTS = list(cw.list_tests("folds"))
WITH_P = [name for name in TESTS if name != "bayes_t"]
ONE_SIDED = [name for name in WITH_P if name != "5x2cv_f"]


def made(n, seed, shift=0.004):
    rng = np.random.default_rng(seed)
    a = rng.normal(0.8, 0.02, n)
    return a, a + rng.normal(shift, 0.01, n)


def design_for(test):
    return {"design": "5x2"} if test.startswith("5x2") else {"design": "k-fold"}


# --- published numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", REFERENCE["folds"], ids=lambda case: case["origin"][:16])
def test_folds_of_the_lectures(case):
    r = cw.compare_folds(case["a"], case["b"], test="paired_t")
    assert r.statistic == pytest.approx(case["t"], abs=5e-6)
    assert r.p_value == pytest.approx(case["p"], abs=5e-7)
    assert r.largest_confidence == 1 - r.p_value
    for test in ("partition", "permutation"):
        if test in case:
            r = cw.compare_folds(case["a"], case["b"], test=test)
            assert [r.hits, r.arrangements] == case[test]
            assert r.p_value == case[test][0] / case[test][1]
            assert r.method == "exact"


def test_the_largest_confidence_puts_0_at_the_end_of_the_interval():
    a, b = REFERENCE["folds"][1]["a"], REFERENCE["folds"][1]["b"]
    level = cw.compare_folds(a, b, test="paired_t").largest_confidence
    low = cw.compare_folds(a, b, test="paired_t", confidence_level=level).interval.low
    assert low == pytest.approx(0, abs=1e-11)  # 1 − level is rounded to 12 digits


def test_bayesian_correlated_t_by_integration():
    """The posterior ∝ Q(μ)^(−J/2), Q the quadratic form of the equicorrelated normal with σ integrated out."""
    d = np.array(REFERENCE["bayes"]["differences"])
    j, rho = d.size, 1 / 10
    inverse = np.linalg.inv((1 - rho) * np.eye(j) + rho * np.ones((j, j)))
    least = (d - d.mean()) @ inverse @ (d - d.mean())

    def density(mu):
        return float(((d - mu) @ inverse @ (d - mu) / least) ** (-j / 2))

    ends = (d.mean() - 40 * d.std(), -1.0, 1.0, d.mean() + 40 * d.std())
    parts = [
        integrate.quad(density, x, y, epsabs=0, epsrel=1e-11, limit=500, points=[min(max(d.mean(), x), y)])[0]
        for x, y in itertools.pairwise(ends)
    ]
    r = cw.compare_folds(np.zeros(j), d, test="bayes_t", design="repeated k-fold", repeats=10, margin=1.0)
    found = [r.posterior.worse, r.posterior.practically_equivalent, r.posterior.better]
    assert found == pytest.approx(np.array(parts) / sum(parts), rel=1e-9)
    assert sum(found) == pytest.approx(1)
    assert r.p_value is None
    assert "null" not in r.verdict()
    assert json.loads(r.to_json())["posterior"]["margin"] == 1.0


@pytest.mark.parametrize(
    ("gap", "where"), [(0.05, "better"), (-0.05, "worse"), (0.004, "practically_equivalent"), (0.01, None), (0.0, None)]
)
def test_the_posterior_is_a_point_where_folds_do_not_vary(gap, where):
    """The limit of posteriors of folds that vary less and less; at ± margin the difference is within it."""
    a = np.array([0.8, 0.7, 0.9, 0.75, 0.85])
    flat = cw.compare_folds(a, a + gap, design="k-fold", test="bayes_t", margin=0.01)
    found = vars(flat.posterior)
    assert sum(found[name] for name in ("worse", "practically_equivalent", "better")) == 1
    assert found[where or "practically_equivalent"] == 1
    assert (flat.interval.low, flat.interval.high) == pytest.approx((gap, gap), abs=1e-12)
    assert {"no_width"} <= {c.code for c in flat.caveats}
    assert "nan" not in str(flat)
    if where:
        noise = 1e-7 * np.array([1, -1, 2, -2, 0])
        nearly = vars(cw.compare_folds(a, a + gap + noise, design="k-fold", test="bayes_t", margin=0.01).posterior)
        assert nearly == pytest.approx(found, abs=1e-9)


def test_one_fold_has_no_posterior():
    r = cw.compare_folds([0.8], [0.9], design="k-fold", test="bayes_t")
    assert r.posterior is None
    assert "The posterior has no value: there is one fold only" in r.verdict()


def test_the_posterior_turns_with_the_direction():
    a, b = made(10, 3)
    up = cw.compare_folds(a, b, test="bayes_t", design="k-fold").posterior
    down = cw.compare_folds(a, b, test="bayes_t", design="k-fold", higher_is_better=False).posterior
    assert (up.better, up.worse) == pytest.approx((down.worse, down.better))


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


def test_partitions_against_scipy():
    a, b = made(5, 1)
    theirs = stats.permutation_test(
        (b, a), lambda x, y: x.mean() - y.mean(), permutation_type="independent", n_resamples=np.inf
    )
    assert cw.compare_folds(a, b, test="partition").p_value == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_corrected_and_5x2_against_their_formulas(seed):
    a, b = made(10, seed)
    d = b - a
    for design, ratio in (
        ({"design": "k-fold"}, 1 / 9),
        ({"design": "repeated k-fold", "repeats": 2}, 1 / 4),
        ({"design": "resampled", "test_train_ratio": 0.5}, 0.5),
        ({"design": "5x2"}, 1.0),
    ):
        r = cw.compare_folds(a, b, **design)
        t = d.mean() / math.sqrt((1 / 10 + ratio) * d.var(ddof=1))
        assert (r.test, r.statistic) == ("corrected_t", pytest.approx(t, rel=1e-12))
        assert r.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-12)
    p = d.reshape(5, 2)  # Dietterich 1998, Alpaydin 1999
    s2 = ((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    t, f = p[0, 0] / math.sqrt(s2.sum() / 5), (p**2).sum() / (2 * s2.sum())
    r = cw.compare_folds(a, b, design="5x2", test="5x2cv_t")
    assert (r.statistic, r.p_value) == pytest.approx((t, 2 * stats.t.sf(abs(t), 5)), rel=1e-12)
    r = cw.compare_folds(a.reshape(5, 2), b.reshape(5, 2), design="5x2", test="5x2cv_f")
    assert (r.test, r.degrees) == ("5x2cv_f", (10, 5))
    assert (r.statistic, r.p_value) == pytest.approx((f, stats.f.sf(f, 10, 5)), rel=1e-12)


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


@pytest.mark.parametrize("test", ["permutation", "partition"])
def test_sampled_arrangements_agree_with_all_of_them(test, monkeypatch):
    a, b = made(9, 5, shift=0.007)
    exact = cw.compare_folds(a, b, test=test)
    monkeypatch.setattr(permutation, "MOST_ARRANGEMENTS", 1)
    n = 400 if test == "permutation" else 20_000
    r = cw.compare_folds(a, b, test=test, n_resamples=n, rng=1)
    assert r.method == "monte_carlo"
    assert r.arrangements == n + 1
    assert abs(r.p_value - exact.p_value) < 4 * r.p_error
    assert (r.interval.low, r.interval.high) == pytest.approx((exact.interval.low, exact.interval.high), abs=2e-3)
    assert r.p_value == cw.compare_folds(a, b, test=test, n_resamples=n, rng=1).p_value
    # without repeats: as many draws as there are other arrangements find them all
    if test == "permutation":
        everything = cw.compare_folds(a, b, test=test, n_resamples=2**9 - 1, rng=2)
        assert (everything.hits, everything.arrangements) == (exact.hits, exact.arrangements)


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


@pytest.mark.parametrize("test", WITH_P)
def test_swapped_learners_and_the_other_direction(test):
    a, b = made(10, 2)
    how = {"test": test, **design_for(test)}
    r, swapped = cw.compare_folds(a, b, **how), cw.compare_folds(b, a, **how)
    assert r.p_value == pytest.approx(swapped.p_value, rel=1e-12)
    assert (r.interval.low, r.interval.high) == pytest.approx((-swapped.interval.high, -swapped.interval.low))
    if test in ONE_SIDED:
        better = cw.compare_folds(a, b, claim="better", **how)
        as_errors = cw.compare_folds(-a, -b, claim="better", higher_is_better=False, **how)
        assert better.p_value == pytest.approx(as_errors.p_value, rel=1e-12)


# --- nothing varies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", TESTS)
def test_identical_learners(test):
    a, _ = made(10, 1)
    r = cw.compare_folds(a, a, test=test, **design_for(test))
    assert r.p_value in (1.0, None)
    assert r.caveats[0].code == "no_difference"
    if r.interval.low == r.interval.high == 0:
        assert [c.code for c in r.caveats] == ["no_difference", "no_width"]
    assert (r.interval.low == 0) == (test != "partition")
    assert ("is practically equivalent to" if test == "bayes_t" else "is not shown to") in r.verdict()
    assert "nan" not in str(r) + r.to_json() + r._repr_html_() + repr(r)


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
        told = "is practically equivalent to" if test == "bayes_t" else "not shown to be different"  # within the margin
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


@pytest.mark.parametrize("test", ["paired_t", "permutation", "partition", "wilcoxon", "sign"])
def test_naive_tests_tell_their_true_level(test):
    a, b = made(10, 1)
    told = {c.code: c.text for c in cw.compare_folds(a, b, design="k-fold", test=test).caveats}
    assert "true level of about 0.154" in told["naive"]
    told = {c.code: c.text for c in cw.compare_folds(a, b, test=test).caveats}
    assert "design of the folds was not given" in told["naive"]
    told = {c.code: c.text for c in cw.compare_folds(a, b, design="resampled", test=test).caveats}
    assert "Give test_train_ratio" in told["naive"]
    assert "naive" not in [c.code for c in cw.compare_folds(a, b, design="independent", test=test).caveats]


def test_few_folds():
    for n, few in ((29, True), (30, False)):
        codes = [c.code for c in cw.compare_folds(*made(n, 1), design="k-fold").caveats]
        assert ("few_folds" in codes) == few
    codes = [c.code for c in cw.compare_folds(*made(4, 1), design="independent").caveats]
    assert "few_arrangements" in codes


@pytest.mark.parametrize("case", REFERENCE["naive"], ids=lambda case: case["origin"])
def test_true_level_of_the_naive_t_by_formula(case):
    assert naive_level(case["folds"], case["ratio"][0] / case["ratio"][1]) == pytest.approx(case["level"], abs=5e-5)


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
    check_levels(case, 1_500, seed=11)  # standard errors .009, .013, .013; .006 for the corrected test


@pytest.mark.study
@pytest.mark.parametrize("case", REFERENCE["naive"], ids=lambda case: case["origin"])
def test_true_levels_by_a_large_simulation(case):
    check_levels(case, 40_000, seed=12)


# --- words and errors ----------------------------------------------------------------------------------------------


def test_words_are_about_learning_algorithms_and_never_equal():
    a, b = made(10, 1)
    for test in TESTS:
        r = cw.compare_folds(a, b, test=test, names=("svm", "tree"), **design_for(test))
        assert "learning algorithms svm and tree" in r.null_hypothesis
        assert "equal" not in r.verdict().replace("equally", "")
        assert r.null_hypothesis in " ".join(str(r).split())
        assert "<table" in r._repr_html_()


def test_5x2cv_t_judges_the_first_fold():
    d = np.array([0.3, 0.29, -0.01, 0.01, -0.5, -0.52, -0.3, -0.31, -0.2, -0.21])
    r = cw.compare_folds(np.zeros(10), d, design="5x2", test="5x2cv_t")
    assert r.difference < 0 < r.statistic
    assert "is better than" in r.verdict()
    assert "95 % interval of the first fold's difference" in r.verdict()
    assert {"first_fold", "leads_elsewhere"} <= {c.code for c in r.caveats}


SKEW = [0.01 + i * 1e-4 for i in range(11)] + [-0.5]  # B wins 11 of 12 and loses by the mean


@pytest.mark.parametrize(
    ("test", "claim", "b_first", "a_first"),
    [
        ("sign", "different", "B wins more folds than A", "B wins fewer folds than A"),
        ("sign", "better", "B wins more folds than A", "B is not shown to win more folds than A"),
        ("sign", "worse", "B is not shown to win fewer folds than A", "B wins fewer folds than A"),
        (
            "wilcoxon",
            "different",
            "B tends to be better than A, by signed ranks",
            "B tends to be worse than A, by signed",
        ),
        ("wilcoxon", "better", "B tends to be better than A", "B is not shown to tend to be better than A"),
        ("wilcoxon", "worse", "B is not shown to tend to be worse than A", "B tends to be worse than A"),
    ],
)
def test_wins_and_ranks_have_a_direction_of_their_own(test, claim, b_first, a_first):
    how = {"test": test, "claim": claim, "design": "independent"}
    r, turned = (cw.compare_folds([0] * 12, SKEW, higher_is_better=higher, **how) for higher in (True, False))
    assert r.verdict().startswith(b_first)
    assert turned.verdict().startswith(a_first)
    assert r.difference < 0 < r.lead == -turned.lead
    for found, says in ((r, "B"), (turned, "A")):
        told = {c.code: c.text for c in found.caveats}["leads_elsewhere"]
        assert told.startswith(f"{says} {'wins more folds' if test == 'sign' else 'has the higher signed ranks'}, but ")


def test_wins_and_ranks_that_show_nothing():
    a, b = [0] * 8, [1, -1.5, 2, -2.5, 3, -3.5, 4, 5]
    r = cw.compare_folds(a, b, test="sign", design="independent")
    assert r.verdict().startswith("B is not shown to win more or fewer folds than A")
    r = cw.compare_folds(a, b, test="wilcoxon", design="independent")
    assert r.verdict().startswith("B is not shown to tend to be better or worse than A")
    assert "leads_elsewhere" not in [c.code for c in r.caveats]


def test_the_interval_says_what_it_is_of():
    a, b = made(10, 1)
    of = {"sign": "median difference", "wilcoxon": "pseudomedian difference", "5x2cv_t": "first fold's difference"}
    for test in TESTS:
        r = cw.compare_folds(a, b, test=test, **design_for(test))
        for told in (r.verdict(), str(r)):
            assert ("interval of the" in told) == (test in of)
            assert f"95 % interval of the {of[test]}" in told if test in of else True


def test_5x2cv_f_that_rejects_everything_says_so():
    d = np.repeat([0.3, -0.3, 0.2, -0.2, 0.1], 2) + 0.001 * np.tile([1, -1], 5)
    how = {"design": "5x2", "test": "5x2cv_f"}
    r = cw.compare_folds(np.zeros(10), d, **how)
    assert [c.code for c in r.caveats] == ["no_width", "dependent_halves"]
    assert r.interval.low == r.interval.high == pytest.approx(r.difference)
    for sign in (1, -1):  # the mean is no ground for a direction
        r = cw.compare_folds(np.zeros(10), sign * d, **how)
        assert "B and A differ between the rounds; which is better is not shown" in r.verdict()
        assert "empty" in r.verdict()
    assert "empty" in str(r)
    assert r.decision == "different"
    strict = cw.compare_folds(np.zeros(10), d, **how, confidence_level=1 - 1e-12)
    assert strict.decision == "not shown"
    assert "not shown to be different" in strict.verdict()
    shifted = cw.compare_folds(np.zeros(10), d + 10 * (1 + np.tile([1e-2, -1e-2], 5)), **how)
    assert "B is better than A" in shifted.verdict()


def test_the_5x2cv_tests_say_that_they_find_too_much():
    for test in ("5x2cv_t", "5x2cv_f"):
        told = {c.code: c.text for c in cw.compare_folds(*made(10, 1), design="5x2", test=test).caveats}
        assert "in up to 13 % of data sets of 100 items" in told["dependent_halves"]
        assert 'Use test="corrected_t"' in told["dependent_halves"]
    for test in ("corrected_t", "bayes_t"):
        codes = [c.code for c in cw.compare_folds(*made(10, 1), design="5x2", test=test).caveats]
        assert codes == ["few_folds"]


def test_5x2cv_is_refused_for_other_designs():
    a, b = made(10, 1)
    with pytest.raises(cw.errors.NotApplicableError, match=r'The folds are k-fold(.|\n)*Next: test="auto"'):
        cw.compare_folds(a, b, design="k-fold", test="5x2cv_f")
    r = cw.compare_folds(a, b, design="repeated k-fold", repeats=5, test="5x2cv_f")
    assert r.p_value == cw.compare_folds(a, b, design="5x2", test="5x2cv_f").p_value


def test_a_rope_in_other_units_is_doubted():
    a, b = made(10, 1)
    for factor, doubted in ((1, False), (100, True)):
        r = cw.compare_folds(factor * a, factor * b, design="k-fold", test="bayes_t")
        assert ("tiny_margin" in [c.code for c in r.caveats]) == doubted


GOOD = [0.1, 0.2, 0.4, 0.5, 0.3, 0.2, 0.1]


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


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def scores(tmp_path):
    file = tmp_path / "scores.csv"
    lines = ["fold,svm,tree"] + [f"{i},{x},{y}" for i, (x, y) in enumerate(zip(GOOD, GOOD[::-1], strict=True))]
    file.write_text("\n".join(lines) + "\n")
    return str(file)


def test_the_command_says_what_python_says(scores):
    run = CliRunner().invoke(main, ["folds", scores, "--a", "svm", "--b", "tree", "--design", "k-fold"])
    assert run.exit_code == 0
    assert run.output.strip() == str(cw.compare_folds(GOOD, GOOD[::-1], design="k-fold", names=("svm", "tree")))
    line = ["folds", scores, "--a", "svm", "--b", "tree", "--test", "corrected_t", "--test-train-ratio", "0.5"]
    run = CliRunner().invoke(main, [*line, "--lower-is-better", "--claim", "better", "--json", "--seed", "1"])
    r = cw.compare_folds(
        GOOD,
        GOOD[::-1],
        test="corrected_t",
        test_train_ratio=0.5,
        higher_is_better=False,
        claim="better",
        rng=1,
        names=("svm", "tree"),
    )
    assert json.loads(run.output) == r.to_dict()


def test_the_command_refuses_in_three_lines(scores):
    run = CliRunner().invoke(main, ["folds", scores, "--a", "svm", "--b", "tree"])
    assert run.exit_code == 2
    assert "design of the folds was not given" in run.stderr
    assert "next: --design" in run.stderr


def test_the_command_does_not_pay_for_scipy_stats(scores):
    code = f"""
import sys
from clearwin.cli import main
main(["folds", {scores!r}, "--a", "svm", "--b", "tree", "--design", "k-fold"], standalone_mode=False)
assert "scipy.stats" not in sys.modules and "sklearn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_settings_are_spelled_alike_in_python_and_on_the_command_line():
    import inspect

    in_python = set(inspect.signature(cw.compare_folds).parameters) - {"names", "higher_is_better"}
    assert in_python <= {p.name for p in main.commands["folds"].params}
    help_of_test = next(p.help for p in main.commands["folds"].params if p.name == "test")
    assert all(name in help_of_test for name in TESTS)
