"""Sums with signs from fair coins: brute force, exact integers, deep tails."""

import itertools
import math

import numpy as np
import pytest
from flint import fmpz_poly

import clearwin as cw
from clearwin.numerics import sign_flips
from tests.data.valued import sample


def brute_force(steps, observed):
    """p-values over all 2^n signs."""
    sums = np.array([np.dot(signs, steps) for signs in itertools.product((-1, 1), repeat=len(steps))])
    slack = 1e-9
    return {
        "different": (np.abs(sums) >= abs(observed) - slack).mean(),
        "better": (sums >= observed - slack).mean(),
        "worse": (sums <= observed + slack).mean(),
    }


def test_whole_numbers_equal_brute_force():
    rng = np.random.default_rng(11)
    for _ in range(60):
        n = int(rng.integers(1, 12))
        d = rng.integers(-9, 10, n)
        scale = 10.0 ** rng.integers(0, 5)
        asked = {"measure": "mean", "test": "permutation", "n_resamples": 5, "rng": 1}
        for claim, p in brute_force(d, d.sum()).items():
            assert sign_flips.integer_sign_flips(d, int(d.sum()), claim).value == pytest.approx(p, rel=1e-12)
            r = cw.compare(None, np.full(n, 0.3), 0.3 + d / scale, **asked, claim=claim)
            assert r.method == "exact"
            assert r.p_value == pytest.approx(p, rel=1e-12)


def test_an_item_on_which_both_models_have_0_leaves_whole_numbers_whole():
    """All sums of ± 1, …, ± 40 are more than could be enumerated; the tail is a product of polynomials."""
    steps = np.arange(41)
    d = np.where(steps % 3, steps, -steps)
    r = cw.compare(None, np.zeros(41), d, measure="mean", test="permutation", n_resamples=20, rng=1)
    assert r.method == "exact"
    assert r.log10_p == pytest.approx(exact_log10(dict.fromkeys(range(1, 41), 1), int(d.sum())) + math.log10(2))


def test_other_numbers_equal_brute_force():
    rng = np.random.default_rng(12)
    for _ in range(50):
        n = int(rng.integers(2, 11))
        a, b = rng.normal(size=(2, n))
        groups = np.arange(n) // 2
        asked = {"test": "permutation", "n_resamples": 5, "rng": 1}
        for claim, p in brute_force(b - a, (b - a).sum()).items():
            r = cw.compare(None, a, b, measure="mean", claim=claim, method="exact", **asked)
            assert r.p_value == pytest.approx(p, rel=1e-12)
        if n > 2:
            sums = np.bincount(groups, weights=b - a)
            r = cw.compare(None, a, b, measure="mean_loss", groups=groups, **asked)
            assert r.p_value == pytest.approx(brute_force(sums, sums.sum())["different"], rel=1e-12)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1e7, 1e60])
def test_very_small_and_very_large_values(size):
    """Found by a hostile user: values of 1e-9 were once taken for whole numbers of 1, that is for 0."""
    rng = np.random.default_rng(31)
    a, b = rng.random((2, 9))
    for x, y in ((a, b), (np.ones(9), np.arange(9) / 1000)):
        expected = brute_force(y - x, (y - x).sum())
        for claim, p in expected.items():
            asked = {"measure": "mean", "claim": claim, "n_resamples": 99, "rng": 1}
            r = cw.compare(None, x * size, y * size, test="permutation", **asked)
            assert (r.method, r.p_value) == ("exact", pytest.approx(p, rel=1e-12))
            r, plain = (cw.compare(None, x * by, y * by, **asked) for by in (size, 1.0))
            assert (r.test, r.p_value) == ("studentised", pytest.approx(plain.p_value, rel=1e-12))
            assert r.statistic == pytest.approx(plain.statistic, rel=1e-9)
            by_ranks = cw.compare(
                None, x * size, y * size, measure="mean", test="wilcoxon", claim=claim, n_resamples=20
            )
            plain = cw.compare(None, x, y, measure="mean", test="wilcoxon", claim=claim, n_resamples=20)
            assert by_ranks.p_value == plain.p_value


def test_many_equal_differences_collapse():
    """Forty differences of three irrational sizes: 2^40 signs, but a few thousand outcomes."""
    sizes = np.repeat([math.sqrt(2), math.pi, math.e], (20, 12, 8))
    signs = np.where(np.arange(40) % 3, 1, -1)
    r = cw.compare(None, np.zeros(40), signs * sizes, measure="mean", test="permutation", n_resamples=5, rng=1)
    assert (r.method, "2,457 distinct" in r.why) == ("exact", True)
    sampled = cw.compare(
        None, np.zeros(40), signs * sizes, measure="mean", test="permutation", method="monte_carlo", rng=1
    )
    assert sampled.p_value == pytest.approx(r.p_value, abs=5 * sampled.p_error)


def exact_log10(times, at_least):
    """log10 P(X ≥ at_least) for X = Σ ± step, as exact integers: a product of polynomials (python-flint)."""
    total = sum(step * count for step, count in times.items())
    product = fmpz_poly([1])
    for step, count in times.items():
        product *= fmpz_poly([1] + [0] * (step - 1) + [1]) ** count
    first = -(-(total + at_least) // 2)
    tail = sum(int(product[k]) for k in range(first, total + 1))
    return math.log10(tail) - sum(times.values()) * math.log10(2)


@pytest.mark.parametrize(
    ("times", "observed"),
    [
        ({1: 3_000}, 2_990),
        ({1: 3_000}, 20),
        ({1: 2_000, 2: 1_000}, 3_986),
        ({1: 500, 3: 400, 7: 50}, 1_900),
        ({1: 500, 3: 400, 7: 50}, 2_048),
        ({1: 500, 3: 400, 7: 50}, 2_050),
        ({1: 500, 3: 400, 7: 50}, 2),
        ({5: 40, 11: 300, 100: 3}, 3_000),
    ],
)
def test_deep_tails_equal_exact_integers(times, observed):
    steps = np.repeat(list(times), list(times.values()))
    found = sign_flips.integer_sign_flips(steps, observed, "better")
    assert found.log10 == pytest.approx(exact_log10(times, observed), rel=1e-13, abs=1e-12)
    two = sign_flips.integer_sign_flips(steps, -observed, "different")
    assert two.log10 == pytest.approx(found.log10 + math.log10(2), rel=1e-13, abs=1e-12)
    other = sign_flips.integer_sign_flips(steps, observed, "worse")  # 1 − P(X > observed)
    beyond = 10 ** exact_log10(times, observed + 1) if observed < steps.sum() else 0.0
    assert other.value == pytest.approx(1 - beyond, rel=1e-12)


def test_three_thousand_wins_and_five_defeats():
    d = np.r_[np.ones(2_995), -np.ones(5)]
    r = cw.compare(None, np.zeros(3_000), d, measure="mean", test="permutation", n_resamples=20, rng=1)
    assert r.log10_p == pytest.approx(exact_log10({1: 3_000}, 2_990) + math.log10(2), rel=1e-12)
    mixed = np.r_[np.ones(2_000), 2 * np.ones(995), -2 * np.ones(5)] / 100
    r = cw.compare(None, np.zeros(3_000), mixed, measure="mean", test="permutation", n_resamples=20, rng=1)
    assert r.log10_p == pytest.approx(exact_log10({1: 2_000, 2: 1_000}, 3_980) + math.log10(2), rel=1e-12)


def test_budget_of_the_exact_form():
    rng = np.random.default_rng(13)
    assert sign_flips.affordable(np.ones(10**6, dtype=np.int64))  # all alike: one binomial
    assert not sign_flips.affordable(rng.integers(1, 10**5, 3_000))
    whole_budget = np.repeat([1, 2**15 - 1], 128)  # 2⁸ terms that add up to 2²²: all the additions, and all the places
    assert sign_flips.affordable(whole_budget)
    assert not sign_flips.affordable(np.append(whole_budget, 1))
    assert not sign_flips.affordable(np.array([1, 2**22]))  # few additions, but one place too many
    a, b = rng.random((2, 3_000))
    asked = {"test": "permutation", "n_resamples": 50}
    assert cw.compare(None, a, b, measure="mean", rng=1, **asked).method == "monte_carlo"
    with pytest.raises(cw.errors.OptionError, match="cannot count every swap"):
        cw.compare(None, a, b, measure="mean", method="exact", **asked)
    with pytest.raises(cw.errors.OptionError, match="cannot count every swap"):
        cw.compare(None, a, b, measure="trimmed_mean", method="exact", **asked)


def test_the_null_distribution_belongs_to_the_p_value():
    for a, b in (sample(14, n=60, digits=1), sample(14, n=60, digits=3), sample(14, n=12)):
        r = cw.compare(None, a, b, measure="mean", test="permutation", n_resamples=20, rng=1)
        null = r.distribution
        assert null.weights.sum() == pytest.approx(1)
        assert (null.values * null.weights).sum() == pytest.approx(0, abs=1e-12)
        # the variance of Σ ± d/n is Σ d²/n²; a histogram moves it by its bins
        assert (null.values**2 * null.weights).sum() == pytest.approx(((b - a) ** 2).sum() / a.size**2, rel=0.01)
