"""The exact permutation test against brute force over every swap, in exact arithmetic."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.samples import DecisionSample
from clearwin.measures import find
from clearwin.significance.permutation import EXACT_BUDGET, exact_null
from clearwin.streams import Seed

DCF = "dcf(cost_fn=10, cost_fp=1, prior=0.01)"


def over(numerator, denominator):
    return Fraction(numerator, denominator) if denominator else Fraction(0)


# slow and obvious, from the textbook formulas, with 0/0 = 0
ORACLE = {
    "accuracy": lambda tp, fn, fp, tn: over(tp + tn, tp + fn + fp + tn),
    "f1": lambda tp, fn, fp, tn: over(2 * tp, 2 * tp + fn + fp),
    DCF: lambda tp, fn, fp, tn: Fraction(10, 100) * over(fn, fn + tp) + Fraction(99, 100) * over(fp, fp + tn),
}


def exact_mcc(tp, fn, fp, tn):
    """MCC is a square root, so 60 digits stand for it: N ≤ 8 leaves no two values nearer than 1e-20 but unequal."""
    with localcontext() as context:
        context.prec = 60
        square = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
        return Decimal(tp * tn - fp * fn) / Decimal(square).sqrt() if square else Decimal(0)


ORACLE["mcc"] = exact_mcc


def brute_force(events, value, tie):
    """P(|d| ≥ |observed|) over all 2^disagreements swaps of single items."""
    e1, e2, e3, e4, e5, e6, e7, e8 = events

    def difference(e2, e3, e6, e7):
        a = value(e1 + e3, e2 + e4, e5 + e7, e6 + e8)
        b = value(e1 + e2, e3 + e4, e5 + e6, e7 + e8)
        return b - a

    observed = abs(difference(e2, e3, e6, e7))
    items = [2] * e2 + [3] * e3 + [6] * e6 + [7] * e7
    partner = {2: 3, 3: 2, 6: 7, 7: 6}
    hits = 0
    for swaps in itertools.product((False, True), repeat=len(items)):
        now = [partner[e] if swap else e for e, swap in zip(items, swaps, strict=True)]
        d = difference(now.count(2), now.count(3), now.count(6), now.count(7))
        hits += abs(d) >= observed - tie
    return Fraction(hits, 2 ** len(items))


def tables_up_to(total):
    """Every 8-event table with 1 ≤ N ≤ total."""
    for cuts in itertools.combinations(range(total + 8), 8):
        parts = [b - a - 1 for a, b in itertools.pairwise((-1, *cuts))]
        if sum(parts) > 0:
            yield tuple(parts)


def exact_p(events, measure, claim="different"):
    joint = cw.JointCounts(**{f"e{i + 1}": n for i, n in enumerate(events)})
    how = Options(claim=claim, method="exact", n_resamples=1, seed=Seed(1))
    question = Question(DecisionSample(joint), measure, how)
    totals = question.sample.table(measure).swaps.steps.times.tolist()
    return exact_null(question, totals, math.prod(t + 1 for t in totals))[0].value


@pytest.mark.parametrize("name", list(ORACLE))
@pytest.mark.parametrize("most", [5, pytest.param(8, marks=pytest.mark.study)])
def test_equals_brute_force_on_every_table_of_few_items(name, most):
    value = cache(ORACLE[name])
    tie = Decimal("1e-40") if name == "mcc" else 0
    measure = find(name)
    # the p-value depends on the disagreements through brute force alone; 1,286 tables, up to 8 items 12,869
    count = 0
    for events in tables_up_to(most):
        assert exact_p(events, measure) == pytest.approx(float(brute_force(events, value, tie)), rel=1e-12), events
        count += 1
    assert count == math.comb(most + 8, 8) - 1


@pytest.mark.parametrize("claim", ["better", "worse"])
def test_one_sided_by_brute_force(claim):
    rng = np.random.default_rng(1)
    for _ in range(60):
        events = tuple(int(x) for x in rng.integers(0, 4, size=8))
        if sum(events) == 0:
            continue
        e1, e2, e3, e4, e5, e6, e7, e8 = events

        def difference(i, j, e1=e1, e2=e2, e3=e3, e4=e4, e5=e5, e6=e6, e7=e7, e8=e8):
            a = ORACLE["f1"](e1 + (e2 + e3 - i), i + e4, e5 + (e6 + e7 - j), j + e8)
            return ORACLE["f1"](e1 + i, e2 + e3 - i + e4, e5 + j, e6 + e7 - j + e8) - a

        observed = difference(e2, e6)
        p = Fraction(0)
        for i, j in itertools.product(range(e2 + e3 + 1), range(e6 + e7 + 1)):
            weight = Fraction(math.comb(e2 + e3, i) * math.comb(e6 + e7, j), 2 ** (e2 + e3 + e6 + e7))
            d = difference(i, j)
            p += weight if (d >= observed if claim == "better" else d <= observed) else 0
        assert exact_p(events, find("f1"), claim) == pytest.approx(float(p), rel=1e-12)


def test_k_classes_by_brute_force():
    rng = np.random.default_rng(3)
    for _ in range(25):
        truth, a, b = rng.integers(0, 3, size=(3, 9))
        if len({*truth}) < 3:
            continue

        def balanced(decisions, truth=truth):
            return (
                sum(Fraction(int(((decisions == y) & (truth == y)).sum()), int((truth == y).sum())) for y in range(3))
                / 3
            )

        observed = abs(balanced(b) - balanced(a))
        hits = 0
        for swaps in itertools.product((False, True), repeat=9):
            swap = np.array(swaps)
            hits += abs(balanced(np.where(swap, a, b)) - balanced(np.where(swap, b, a))) >= observed
        r = cw.compare(truth, a, b, measure="balanced_accuracy", test="permutation", method="exact", n_resamples=1)
        assert r.p_value == pytest.approx(hits / 2**9, rel=1e-12)


def test_exact_is_chosen_within_the_budget_and_sampling_beyond():
    small = cw.compare(cw.JointCounts(e1=9, e2=9, e3=9, e4=9, e5=9, e6=9, e7=9, e8=9), test="permutation", rng=1)
    assert small.method == "exact"
    assert "all 361 possible outcomes" in small.why
    side = math.isqrt(EXACT_BUDGET)
    many = cw.JointCounts(e1=9, e2=side, e3=9, e4=9, e5=9, e6=side, e7=9, e8=9)
    big = cw.compare(many, test="permutation", rng=1)
    assert big.method == "monte_carlo"
    assert "too many to count" in big.why


def test_sampled_agrees_with_exact_within_its_error():
    # the number of hits is binomial with the exact p; over 15 tables a right test fails once in 6,700 seeds
    rng = np.random.default_rng(7)
    for seed in range(15):
        events = {f"e{i}": int(n) for i, n in enumerate(rng.integers(1, 40, size=8), start=1)}
        joint = cw.JointCounts(**events)
        exact = cw.compare(joint, test="permutation", method="exact", n_resamples=1, rng=1).p_value
        sampled = cw.compare(joint, test="permutation", method="monte_carlo", rng=seed)
        assert sampled.p_error == pytest.approx(math.sqrt(sampled.p_value * (1 - sampled.p_value) / 10_000))
        hits = round(sampled.p_value * 10_001) - 1
        assert stats.binomtest(hits, 10_000, exact).pvalue > 1e-5


def test_tiny_p_keeps_its_logarithm():
    joint = cw.JointCounts(e1=10, e2=1500, e3=0, e4=5, e5=5, e6=0, e7=1500, e8=10)
    r = cw.compare(joint, measure="accuracy", test="permutation", method="exact", n_resamples=1)
    assert r.log10_p == pytest.approx(-2999 * math.log10(2), rel=1e-12)


def test_null_distribution_is_symmetric_and_whole():
    joint = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    r = cw.compare(joint, test="permutation", rng=1)
    null = r.distribution
    assert null.kind == "null"
    assert null.weights.sum() == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(null.weights, null.weights[::-1])
    # the middle of the mass lies on both sides of the observed difference as the p-value says
    assert null.weights[np.abs(null.values) >= abs(r.difference) - 2e-3].sum() == pytest.approx(r.p_value, abs=0.02)


def test_too_many_atoms_are_refused_with_what_to_do():
    joint = cw.JointCounts(e1=1, e2=40_000, e3=1, e4=1, e5=1, e6=40_000, e7=1, e8=1)
    with pytest.raises(cw.errors.OptionError, match="monte_carlo"):
        cw.compare(joint, test="permutation", method="exact")


@pytest.mark.parametrize("method", ["auto", "exact"])
@pytest.mark.parametrize("measure", ["accuracy", "error_rate"])
def test_counts_of_quadrillions_are_counted_without_being_laid_out(measure, method):
    x = 10**15
    joint = cw.JointCounts(e1=x, e2=x // 10, e3=x // 10 + 60_000_000, e4=x, e5=0, e6=7, e7=9, e8=x)
    r = cw.compare(joint, measure=measure, test="permutation", method=method, n_resamples=9, rng=1)
    by_coins = cw.compare(joint, measure=measure, test="mcnemar", method="exact")
    assert r.method == "exact"
    assert r.p_value == pytest.approx(by_coins.p_value, rel=1e-12)
    assert r.distribution.values.size < 10_000
    deviation = math.sqrt(2 * (x // 10) + 60_000_016) / joint.n  # of so many coins, over all items
    spread = np.sqrt(np.average(r.distribution.values**2, weights=r.distribution.weights))
    assert spread == pytest.approx(deviation, 1e-3)


@pytest.mark.parametrize("test", ["permutation", "mcnemar", "sign", "paired_proportion", "proportion", "bootstrap"])
def test_every_test_answers_counts_of_quadrillions_or_refuses_them_in_words(test):
    x = 10**15
    joint = cw.JointCounts(e1=x, e2=x, e3=x - 10**8, e4=5, e5=0, e6=x // 2, e7=x // 2 + 1, e8=x)
    for measure in ("accuracy", "f1"):
        for method in ("auto", "exact"):
            try:
                r = cw.compare(joint, measure=measure, test=test, method=method, n_resamples=9, rng=1)
            except cw.errors.ClearwinError as error:
                refused = error.what, error.expected
                assert all(refused)
                continue
            assert 0 < r.p_value <= 1


def test_few_units_of_scores_are_swapped_in_every_way():
    rng = np.random.default_rng(5)
    for trial in range(10):
        group = np.repeat(np.arange(4), 3)
        y = np.r_[1, 0, 1, 0, rng.integers(0, 2, 8)]
        a, b = rng.normal(size=(2, 12)).round(1)
        r = cw.compare(y, a, b, measure="auc", groups=group, test="permutation", n_resamples=50, rng=trial)
        assert r.method == "exact"
        ranks = [pd.Series(x).rank().to_numpy() for x in (a, b)]
        area = lambda t, s: np.mean(  # noqa: E731
            np.greater.outer(s[t == 1], s[t == 0]) + 0.5 * np.equal.outer(s[t == 1], s[t == 0])
        )
        observed = abs(area(y, b) - area(y, a))
        extreme = 0
        for coins in itertools.product((False, True), repeat=4):
            swap = np.array(coins)[group]
            c, d = np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
            extreme += abs(area(y, d) - area(y, c)) >= observed - 1e-12
        assert r.p_value == pytest.approx(extreme / 16)


def test_the_null_distribution_of_scores_has_every_swap_of_items():
    """Four items, sixteen ways to swap their places in the two rankings; the areas by scikit-learn."""
    y, a, b = np.array([1, 0, 1, 0]), np.array([9.0, 3.0, 6.0, 7.0]), np.array([0.2, 0.8, 0.5, 0.1])
    expected, a, b = [], stats.rankdata(a), stats.rankdata(b)
    for swapped in itertools.product((False, True), repeat=4):
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        expected.append(roc_auc_score(y, other) - roc_auc_score(y, one))
    found = cw.compare(y, a, b, measure="auc", test="permutation").distribution.values
    assert sorted(found) == pytest.approx(sorted(expected), abs=1e-12)
