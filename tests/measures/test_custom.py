"""Measures that a user brings, and where they have no value."""

import numpy as np
import pytest
from sklearn import metrics

import clearwin as cw


def test_any_callable_is_a_measure():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 120)
    a, b = (np.where(rng.random(120) < e, 1 - y, y) for e in (0.3, 0.2))
    ours = {t: cw.compare(y, a, b, measure="f1", test=t, n_resamples=25, rng=1) for t in ("auto", "permutation")}
    for custom in (lambda c: 2 * c.tp / (2 * c.tp + c.fn + c.fp), lambda t, p: metrics.f1_score(t, p)):
        for test, built_in in ours.items():
            theirs = cw.compare(y, a, b, measure=custom, test=test, n_resamples=25, rng=1)
            expected = built_in if theirs.test == built_in.test else ours["permutation"]
            assert theirs.test == expected.test
            assert theirs.difference == pytest.approx(expected.difference, rel=1e-14)
            assert theirs.p_value == pytest.approx(expected.p_value, rel=1e-9)
    with pytest.raises(cw.errors.NotApplicableError):
        cw.compare(y, a, b, measure=lambda c: c.tp / c.n, test="mcnemar")
    with pytest.raises(cw.errors.OptionError, match="one number for each"):
        cw.compare(y, a, b, measure=lambda c: 0.5)
    loss = cw.custom_measure(lambda c: (c.fp + c.fn) / c.n, name="errors", higher_is_better=False, range=(0, 1))
    assert cw.compare(y, a, b, measure=loss, rng=1).verdict().startswith("B is")


def test_a_custom_nan_is_counted_not_silent():
    for test in ("permutation", "auto"):
        r = cw.compare(
            *([1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 1]),
            measure=lambda c: c.tp / (c.tp + c.fp),
            test=test,
            rng=1,
        )
        assert r.undefined_replicates > 0
        assert any(c.code == "undefined_replicates" for c in r.caveats)


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_a_custom_infinity_is_undefined_and_not_the_largest_float(test):
    likelihood_ratio = cw.custom_measure(lambda c: (c.tp / (c.tp + c.fn)) / (c.fp / (c.fp + c.tn)), name="LR+")
    joint = cw.JointCounts(e1=30, e2=20, e3=2, e4=8, e5=0, e6=1, e7=12, e8=132)
    r = cw.compare(joint, measure=likelihood_ratio, test=test, n_resamples=500, rng=1)
    assert abs(r.interval.high) < 1e6
    assert r.undefined_replicates > 0


def test_a_function_with_the_name_of_a_measure_is_still_the_user_s_own():
    """Label sets have no confusion matrix, so a function on one cannot judge them, whatever it is called."""
    truth = [{"x"}, {"x", "y"}, {"y"}, {"x"}] * 5
    cautious = cw.custom_measure(lambda c: c.tp / c.n, name="accuracy")
    with pytest.raises(cw.errors.OptionError, match="not defined for items with several labels"):
        cw.compare(truth, truth, truth[::-1], measure=cautious, rng=1)
