"""MCC and kappa: exact for a billion items and many classes."""

import math

import numpy as np
import pytest

import clearwin as cw
from clearwin.counts import ConfusionMatrix
from clearwin.measures import find


def test_mcc_and_kappa_survive_a_billion_items():
    c = ConfusionMatrix.of_two_classes(tp=10**9, fn=10**8, fp=2 * 10**8, tn=3 * 10**9)
    tp, fn, fp, tn = 10**9, 10**8, 2 * 10**8, 3 * 10**9
    square = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)  # Python integers do not overflow
    assert find("mcc").evaluate(c).values == pytest.approx((tp * tn - fp * fn) / math.sqrt(square), rel=1e-14)
    n = tp + fn + fp + tn
    expected = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / n**2
    assert find("kappa").evaluate(c).values == pytest.approx(((tp + tn) / n - expected) / (1 - expected), rel=1e-12)


def test_rounded_shares_of_almost_one_class_have_a_value():
    """n² less the sum of squares is a little below 0 in the populations that the interval asks for."""
    truth = ["eel", "dog", "dog", "eel", "dog", "eel", "eel", "dog", "eel", "cat", "eel", "cat"]
    a = ["eel", "dog", "eel", "cat", "cat", "eel", "eel", "eel", "dog", "cat", "eel", "eel"]
    b = ["dog", "cat", "cat", "cat", "cat", "cat", "eel", "dog", "eel", "dog", "dog", "dog"]
    r = cw.compare(truth, a, b, measure="mcc", groups=range(12), n_resamples=20, rng=1)
    assert r.interval.low < r.difference < r.interval.high
    shares = ConfusionMatrix(np.array([[0.1, 0.0, 0.0], [0.2, 0.0, 0.0], [0.7, 0.0, 0.0]])[:, :, None])
    assert not np.isnan(find("mcc").evaluate(shares).values).any()


def test_ties_of_mcc_and_kappa_survive_many_classes_and_items():
    """Almost everything goes to one class and 6 of 9 million items disagree; 60 digits say p = .09375."""
    outcomes = {(y, 0, 0): 10**6 for y in range(9)}
    outcomes |= {(6, 0, 6): 1, (6, 6, 0): 1, (7, 7, 0): 1, (3, 3, 0): 1, (5, 5, 0): 1, (4, 4, 0): 1}
    joint = cw.JointCounts.of_outcomes(tuple(range(9)), outcomes)
    for name in ("mcc", "kappa"):
        r = cw.compare(joint, measure=name, test="permutation", method="exact", n_resamples=1, rng=1)
        by_hand = exact_p_in_decimals(outcomes, name)
        assert r.p_value == pytest.approx(by_hand, rel=1e-12)
    assert by_hand == pytest.approx(0.09375)


def exact_p_in_decimals(outcomes, name):
    """Every swap of the 6 disagreements, in 60 digits."""
    import itertools
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        fixed = {key: n for key, n in outcomes.items() if key[1] == key[2]}
        loose = [key for key in outcomes if key[1] != key[2]]

        def value(pairs):
            n = sum(pairs.values())
            right = sum(c for (y, p), c in pairs.items() if y == p)
            t = [sum(c for (y, _), c in pairs.items() if y == k) for k in range(9)]
            p = [sum(c for (_, q), c in pairs.items() if q == k) for k in range(9)]
            both = sum(x * z for x, z in zip(t, p, strict=True))
            if name == "kappa":
                return Decimal(n * right - both) / Decimal(n * n - both)
            spread = Decimal(n * n - sum(x * x for x in t)) * Decimal(n * n - sum(x * x for x in p))
            return Decimal(n * right - both) / spread.sqrt() if spread else Decimal(0)

        def difference(swaps):
            a = {(y, d): c for (y, d, _), c in fixed.items()}
            b = dict(a)
            for (y, d, e), swap in zip(loose, swaps, strict=True):
                d, e = (e, d) if swap else (d, e)
                a[y, d] = a.get((y, d), 0) + 1
                b[y, e] = b.get((y, e), 0) + 1
            return value(b) - value(a)

        observed = abs(difference([False] * len(loose)))
        all_swaps = list(itertools.product((False, True), repeat=len(loose)))
        return sum(abs(difference(s)) >= observed - Decimal("1e-45") for s in all_swaps) / len(all_swaps)
