"""Kosinski's test of precision against R's DTComPair, statsmodels' robust regression, and the truth by simulation."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.genmod.cov_struct import Independence
from statsmodels.genmod.families import Gaussian
from statsmodels.genmod.generalized_estimating_equations import GEE

import clearwin as cw
from scorecard.cells import thinned

PAIRED1 = cw.JointCounts(e1=319, e2=22, e3=78, e4=32, e5=31, e6=22, e7=53, e8=155)


def other_class(joint):
    """The same data with the other class as the positive one: its precision is the negative predictive value."""
    e = joint.events
    return cw.JointCounts(**{f"e{i}": e[f"e{9 - i}"] for i in range(1, 9)})


def test_as_dtcompair_prints():
    # README of DTComPair 1.2.6, pv.wgs of its data Paired1
    ppv = cw.compare(PAIRED1, measure="precision", test="kosinski")
    assert (ppv.estimate_a, ppv.estimate_b) == pytest.approx((0.82536383, 0.86548223), abs=1e-8)
    assert ppv.statistic**2 == pytest.approx(5.46588745, abs=1e-8)
    assert ppv.p_value == pytest.approx(0.01939120, abs=1e-8)
    npv = cw.compare(other_class(PAIRED1), measure="precision", test="kosinski")
    assert npv.difference == pytest.approx(-1.121457e-01, abs=1e-7)
    assert npv.statistic**2 == pytest.approx(16.53540, abs=1e-5)
    assert npv.p_value == pytest.approx(4.775012e-05, abs=1e-10)


def test_the_standard_error_at_the_estimate_is_that_of_a_robust_regression():
    """Far from 0 the interval's variance is the sandwich of GEE: right ~ model over all positive predictions."""
    rows = []
    for item, (right, a, b) in enumerate(
        outcome
        for times, outcome in zip(
            PAIRED1.events.values(),
            [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)],
            strict=True,
        )
        for outcome in [outcome] * times
    ):
        rows += [(item, right, 0)] * a + [(item, right, 1)] * b
    items, right, is_b = np.array(rows).T
    fit = GEE(
        right, np.column_stack([np.ones(is_b.size), is_b]), items, family=Gaussian(), cov_struct=Independence()
    ).fit()
    narrow = cw.compare(PAIRED1, measure="precision", test="kosinski", confidence_level=0.001).interval
    ours = (narrow.high - narrow.low) / 2 / stats.norm.ppf(0.5005)
    assert ours == pytest.approx(fit.bse[1], rel=1e-4)
    assert (narrow.high + narrow.low) / 2 == pytest.approx(fit.params[1], abs=1e-6)


@pytest.mark.parametrize("claim", ["different", "better", "worse"])
def test_p_and_interval_are_dual(claim):
    stream = np.random.RandomState(5)
    for table in stream.multinomial(150, [0.2, 0.1, 0.08, 0.12, 0.1, 0.05, 0.1, 0.25], 100).tolist():
        joint = cw.JointCounts(**{f"e{i}": x for i, x in enumerate(table, 1)})
        r = cw.compare(joint, measure="precision", test="kosinski", claim=claim, confidence_level=0.8)
        assert (r.p_value <= 0.2) == (0.0 not in r.interval)
        assert r.difference in r.interval


@pytest.mark.parametrize("sets", [250, pytest.param(4_000, marks=pytest.mark.study)])
@pytest.mark.parametrize("kept", [0.8, 0.2])
def test_size_at_equal_precision(kept, sets):
    """B predicts fewer positives with the same precision: 5 % are found different, where swaps find 17 % (kept 0.2)."""
    stream, found = np.random.RandomState(11), 0
    tables = stream.multinomial(1_000, thinned(0.1, kept), sets).tolist()
    for table in tables:
        joint = cw.JointCounts(**{f"e{i}": x for i, x in enumerate(table, 1)})
        found += cw.compare(joint, measure="precision", test="kosinski").p_value <= 0.05
    assert abs(found / sets - 0.05) < 3 * (0.05 * 0.95 / sets) ** 0.5


def test_a_model_that_never_predicts_the_class_is_not_judged():
    r = cw.compare(
        cw.JointCounts(e1=0, e2=10, e3=0, e4=5, e5=0, e6=3, e7=0, e8=20), measure="precision", test="kosinski"
    )
    assert (r.p_value, r.interval.low, r.interval.high) == (1.0, -1.0, 1.0)
    assert any(c.code == "undefined" or "0/0" in c.text for c in r.caveats)
    with pytest.raises(cw.errors.NotApplicableError, match="only decisions by precision"):
        cw.compare(PAIRED1, measure="f1", test="kosinski")
