"""Wilcoxon's signed-rank test against scipy and every assignment of signs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.significance.wilcoxon import signed_ranks
from tests.data.valued import CLAIMS, sample


@pytest.mark.parametrize("seed", range(8))
def test_wilcoxon_is_scipys_exact_one_and_its_correction_holms(seed):
    scores = np.random.default_rng(seed).normal(size=(11, 4))
    r = cw.rank_data_sets(scores, n_resamples=10, rng=1)
    expected = [
        stats.wilcoxon(scores[:, b], scores[:, a], method="exact") for a, b in itertools.combinations(range(4), 2)
    ]
    assert [pair.p_value for pair in r.pairs] == pytest.approx([found.pvalue for found in expected], rel=1e-12)
    step = sorted(found.pvalue for found in expected)
    holm = np.maximum.accumulate([min(1, p * (6 - i)) for i, p in enumerate(step)])
    assert sorted(pair.adjusted_p for pair in r.pairs) == pytest.approx(holm.tolist(), rel=1e-12)
    assert all(pair.method == "exact" for pair in r.pairs)


def test_ties_and_zeros_in_wilcoxon_by_brute_force():
    gains = np.array([0.0, 1.0, -1.0, 2.0, 2.0, 3.0, 0.0])
    found = signed_ranks(gains, 1e-12, "different")
    ranks = stats.rankdata(np.abs(gains[gains != 0]))
    observed = abs((np.sign(gains[gains != 0]) * ranks).sum())
    flips = [abs(np.dot(signs, ranks)) >= observed for signs in itertools.product((-1, 1), repeat=5)]
    assert (found.p.value, found.dropped, found.ranked) == (pytest.approx(np.mean(flips), rel=1e-12), 2, 5)


@pytest.mark.parametrize(("claim", "alternative"), CLAIMS.items())
def test_wilcoxon_equals_scipy(claim, alternative):
    for seed, n in enumerate((5, 12, 30, 50)):
        a, b = sample(seed, n=n)
        settings = {"measure": "mean", "test": "wilcoxon", "claim": claim, "n_resamples": 50, "rng": 1}
        exact = cw.compare(None, a, b, method="exact", **settings)
        expected = stats.wilcoxon(b - a, alternative=alternative, method="exact")
        assert exact.p_value == pytest.approx(expected.pvalue, rel=1e-12)
        normal = cw.compare(None, a, b, method="asymptotic", **settings)
        expected = stats.wilcoxon(b - a, alternative=alternative, method="approx", correction=False)
        assert normal.p_value == pytest.approx(expected.pvalue, rel=1e-12)
        # ties and zeros: the normal form has scipy's correction for ties; eighths are exact floats
        d = np.rint(8 * (b - a)) / 8
        tied = cw.compare(None, np.zeros(n), d, method="asymptotic", **settings)
        expected = stats.wilcoxon(d, alternative=alternative, method="approx", correction=False)
        assert tied.p_value == pytest.approx(expected.pvalue, rel=1e-12)
        assert f"{(d == 0).sum()} without a difference dropped" in tied.why


@pytest.mark.parametrize(
    ("claim", "alternative"), [("different", "two-sided"), ("better", "greater"), ("worse", "less")]
)
@pytest.mark.parametrize(
    ("method", "zeros", "correction"),
    [("corrected", "wilcox", True), ("pratt", "pratt", False), ("pratt-corrected", "pratt", True)],
)
def test_wilcoxon_with_continuity_and_with_pratts_zeros_equals_scipy(claim, alternative, method, zeros, correction):
    rng = np.random.default_rng(1959)
    settings = {"measure": "mean", "test": "wilcoxon", "claim": claim, "n_resamples": 39, "rng": 1}
    apart = 0
    for n in (12, 60, 400):
        d = rng.integers(-3, 5, n).astype(float)  # ties, and zeros
        expected = stats.wilcoxon(d, alternative=alternative, method="approx", zero_method=zeros, correction=correction)
        r = cw.compare(None, np.zeros(n), d, method=method, **settings)
        assert r.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        apart += r.p_value != cw.compare(None, np.zeros(n), d, method="asymptotic", **settings).p_value
    assert apart >= 2
    assert ("ranked first and dropped" in r.why) == method.startswith("pratt")


def test_wilcoxon_is_exact_with_ties():
    """Every sign of every midrank, by brute force."""
    rng = np.random.default_rng(8)
    for _ in range(40):
        d = rng.integers(-3, 4, rng.integers(2, 11)) / 10  # tenths, so that ties hang on rounding errors
        base = rng.random(d.size).round(1)
        ranks = stats.rankdata(np.abs(d[d != 0]).round(9))
        observed = ranks[d[d != 0] > 0].sum()
        sums = np.array(
            [
                sum(x for x, s in zip(ranks, signs, strict=True) if s)
                for signs in itertools.product((0, 1), repeat=ranks.size)
            ]
        )
        middle = ranks.sum() / 2
        expected = {
            "different": (np.abs(sums - middle) >= abs(observed - middle) - 1e-9).mean(),
            "better": (sums >= observed - 1e-9).mean(),
            "worse": (sums <= observed + 1e-9).mean(),
        }
        for claim, p in expected.items():
            r = cw.compare(None, base, base + d, measure="mean", test="wilcoxon", claim=claim, n_resamples=20, rng=1)
            assert (r.method, r.p_value) == ("exact", pytest.approx(p, rel=1e-12))


def test_wilcoxon_goes_over_to_the_normal_and_says_so():
    a, b = sample(9, n=3_000)
    r = cw.compare(None, a, b, measure="mean", test="wilcoxon", n_resamples=20, rng=1)
    assert r.method == "asymptotic"
    with pytest.raises(cw.errors.OptionError, match="too long"):
        cw.compare(None, a, b, measure="mean", test="wilcoxon", method="exact", n_resamples=20)
    # at 600 both forms are there: they agree to the error of the normal approximation
    a, b = a[:600], b[:600] - 0.09
    both = [
        cw.compare(None, a, b, measure="mean", test="wilcoxon", method=m, n_resamples=20).p_value
        for m in ("exact", "asymptotic")
    ]
    assert both[0] == pytest.approx(both[1], rel=0.02)
