"""Slips in the sources, one test each. ``docs/errata.md`` tells them; its anchors name these tests."""

import itertools
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.counts import ConfusionMatrix
from clearwin.measures import find
from clearwin.numerics import pvalues
from tests.tables import ORDINARY

ERRATA = Path(__file__).parents[1] / "docs" / "errata.md"


def test_keller_3_the_risk_is_the_other_tail():
    r = cw.compare(ORDINARY, measure="accuracy", test="paired_proportion")
    beyond = stats.norm.sf(abs(r.statistic)) + stats.norm.cdf(-abs(r.statistic))
    assert r.p_value == pytest.approx(beyond, rel=1e-12)
    assert r.p_value != pytest.approx(1 - beyond)


def test_keller_4_the_mean_error_is_a_sum():
    # two models with the same error rate on different items: as printed C̄ = 0 and σ = 0, so 0/0
    joint = cw.JointCounts(e1=40, e2=10, e3=10, e4=0, e5=0, e6=0, e7=0, e8=40)
    r = cw.compare(joint, measure="accuracy", test="proportion")
    assert r.p_value == 1.0
    half = 1.959964 * math.sqrt(2 * 0.1 * 0.9 / 100)
    assert r.interval.high == pytest.approx(half, rel=1e-5)


def test_keller_5_the_difference_is_of_the_two_kinds_of_disagreement():
    joint = cw.JointCounts(e1=40, e2=9, e3=4, e4=0, e5=0, e6=0, e7=0, e8=47)
    r = cw.compare(joint, measure="accuracy", test="paired_proportion")
    assert r.difference == pytest.approx((9 - 4) / 100)
    assert r.difference != pytest.approx((9 + 4) / 100)  # N_AB/N, as printed


def test_keller_10_f1_is_the_harmonic_mean():
    c = ConfusionMatrix.of_two_classes(tp=30, fn=10, fp=20, tn=5)
    precision, recall, f1 = (float(find(m).evaluate(c).values) for m in ("precision", "recall", "f1"))
    assert f1 == pytest.approx(stats.hmean([precision, recall]))
    assert f1 != pytest.approx(1 / stats.hmean([precision, recall]))


def test_keller_12_from_its_own_table_1():
    e1, e2, e3, e4, e5, e6, e7, _ = (ORDINARY.events[f"e{i}"] for i in range(1, 9))
    n_p = e1 + e2 + e3 + e4
    right = 2 * (e1 + e2) / (n_p + e1 + e2 + e5 + e6) - 2 * (e1 + e3) / (n_p + e1 + e3 + e5 + e7)
    printed = 2 * ((e1 + e3) / (n_p + e1 + e3 + e4 + e6) - (e1 + e2) / (n_p + e1 + e2 + e4 + e5))
    r = cw.compare(ORDINARY, measure="f1", n_resamples=99)
    assert r.difference == pytest.approx(right, rel=1e-14)
    assert r.difference != pytest.approx(printed, abs=0.01)


def test_keller_13_is_a_confidence_and_no_p_value():
    r = cw.compare(ORDINARY, measure="f1", test="bootstrap", rng=1)
    values = r.distribution.values
    assert r.confidence == (values > 0).sum() / values.size
    assert r.p_value == pytest.approx(2 * min((values <= 0).sum() + 1, (values >= 0).sum() + 1) / (values.size + 1))
    assert r.p_value != pytest.approx(2 * (1 - r.confidence), abs=1e-9)


def test_keller_table_3_compares_two_columns_with_different_centres():
    """Equal models: D_true says 50 %, yet the confidence on one test set is anything from 0 to 100 %, as it must be."""
    shares = np.array([0.10, 0.03, 0.03, 0.04, 0.02, 0.03, 0.03, 0.72])
    rng = np.random.default_rng(3)
    confidence = []
    for i in range(300):
        joint = cw.JointCounts(**{f"e{k}": int(n) for k, n in enumerate(rng.multinomial(1500, shares), 1)})
        confidence.append(cw.compare(joint, measure="f1", test="bootstrap", n_resamples=300, rng=i).confidence)
    # a right bootstrap makes it uniform: D = .078 is the .1 % point of Kolmogorov's statistic .113 · … for n = 300
    assert stats.kstest(confidence, "uniform").pvalue > 0.001
    assert np.std(confidence) > 0.25


CS446 = (np.array([80, 82, 85, 78, 85]), np.array([81, 81, 86, 80, 88]))


def test_cs446_t_of_the_folds():
    a, b = CS446
    assert np.std(a - b, ddof=1) == pytest.approx(1.4832, abs=5e-5)
    found = stats.ttest_rel(a, b)
    assert (found.statistic, found.pvalue) == (pytest.approx(-1.80907, abs=5e-6), pytest.approx(0.144704, abs=5e-7))
    assert stats.t.ppf(0.975, 4) == pytest.approx(2.776445, abs=5e-7)
    ours = cw.compare_folds(b, a, test="paired_t")  # A − B, as on the slide
    assert (ours.statistic, ours.p_value) == pytest.approx((found.statistic, found.pvalue), rel=1e-12)
    assert ours.interval.high - ours.difference == pytest.approx(2.776445 * 1.4832 / math.sqrt(5), abs=1e-4)
    # the slide's deviations are each 1.2 further from 0 than the differences, instead of 1.2 higher
    printed = np.array([-2.2, 2.2, -2.2, -3.2, -4.2])
    assert math.sqrt((printed**2).sum() / 4) == pytest.approx(3.256, abs=5e-4)
    assert np.allclose(np.abs(printed), np.abs(a - b) + 1.2)


def test_cs446_one_tailed_critical_value():
    assert stats.chi2.isf(0.02, 1) == pytest.approx(5.412, abs=5e-4)
    # and our one-sided p agrees: z² = 5.412 is 1 %
    assert pvalues.of_normal(math.sqrt(5.4119), 1.0, "better").value == pytest.approx(0.01, abs=1e-5)


def test_cs446_twenty_experiments():
    assert pytest.approx(0.64, abs=0.005) == 1 - 0.95**20


FOLDS = ((92, 90, 91, 93, 91), (90, 90, 92, 90, 89))


def test_lecture_p_over_n_is_for_complete_enumeration():
    a, b = FOLDS
    pooled, observed = a + b, abs(sum(a) - sum(b))
    splits = list(itertools.combinations(range(10), 5))
    hits = sum(abs(2 * sum(pooled[i] for i in chosen) - sum(pooled)) >= observed for chosen in splits)
    assert (hits, len(splits)) == (50, 252)
    ours = {test: cw.compare_folds(a, b, test=test) for test in ("partition", "permutation")}
    assert (ours["partition"].hits, ours["partition"].arrangements) == (50, 252)
    assert (ours["permutation"].hits, ours["permutation"].arrangements) == (8, 32)
    d = [x - y for x, y in zip(a, b, strict=True)]
    flips = [abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in itertools.product((1, -1), repeat=5)]
    assert (sum(f >= abs(sum(d)) for f in flips), len(flips)) == (8, 32)
    # sampled: the observed arrangement is one of the draws
    assert pvalues.of_sample(np.zeros(999), 1.0, "better", 1.0).value == 1 / 1000


def efficiency_p(table):
    """P(at least as many right) with fixed margins, by the rook polynomial in exact rationals."""
    rows, columns = [sum(r) for r in table], [sum(c) for c in zip(*table, strict=True)]
    n, t = sum(rows), sum(table[i][i] for i in range(len(table)))
    rook = [1]
    for r, c in zip(rows, columns, strict=True):
        factor = [math.comb(r, j) * math.comb(c, j) * math.factorial(j) for j in range(min(r, c) + 1)]
        product = [0] * (len(rook) + len(factor) - 1)
        for (i, x), (j, y) in itertools.product(enumerate(rook), enumerate(factor)):
            product[i + j] += x * y
        rook = product
    if t == 0:
        return Fraction(1)
    terms = (
        (-1) ** (j - t) * math.comb(j - 1, t - 1) * rook[j] * Fraction(math.factorial(n - j), math.factorial(n))
        for j in range(t, len(rook))
    )
    return sum(terms, Fraction(0))


def test_nyssen_figure_2():
    assert float(efficiency_p([[2] * 4] * 4)) == pytest.approx(0.565573, abs=5e-7)  # printed: 0.55


def test_nyssen_figure_1():
    ulcer = [[9, 7, 3], [15, 17, 13], [3, 7, 28]]
    assert sum(map(sum, ulcer)) == 102
    assert float(efficiency_p(ulcer)) == pytest.approx(5.8535e-5, rel=1e-5)


def test_every_erratum_has_its_test_and_every_test_its_erratum():
    told = set(re.findall(r"`(test_[a-z0-9_]+)`", ERRATA.read_text()))
    made = {name for name in globals() if name.startswith(("test_keller", "test_cs446", "test_lecture", "test_nyssen"))}
    assert told == made
