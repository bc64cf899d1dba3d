"""Tests that must coincide, whatever the numbers."""

import pytest

import clearwin as cw
from tests.joint_counts import JOINTS, compare
from tests.tables import EVERYDAY


@pytest.mark.parametrize("claim", ["different", "better", "worse"])
def test_exact_permutation_of_accuracy_is_exact_mcnemar(claim):
    for joint in JOINTS:
        permuted = compare(joint, measure="accuracy", test="permutation", method="exact", claim=claim)
        mcnemar = compare(joint, measure="accuracy", test="mcnemar", method="exact", claim=claim)
        assert permuted.p_value == pytest.approx(mcnemar.p_value, rel=1e-12)


def test_z_squared_of_6_is_uncorrected_mcnemar():
    for joint in JOINTS:
        z = compare(joint, measure="accuracy", test="paired_proportion", interval="wald")
        chi2 = compare(joint, measure="accuracy", test="mcnemar", method="asymptotic")
        assert z.statistic**2 == pytest.approx(chi2.statistic, rel=1e-12)
        assert z.p_value == pytest.approx(chi2.p_value, rel=1e-12)
        wald = compare(joint, measure="accuracy", test="mcnemar", interval="wald").interval
        assert (z.interval.low, z.interval.high) == pytest.approx((wald.low, wald.high), rel=1e-12)


def test_9_with_class_frequencies_as_prior_is_6():
    for joint in JOINTS:
        positives = int(joint.counts[:4].sum())
        measure = f"dcf(prior={positives / joint.n!r})"
        by_class = compare(joint, measure=measure, test="paired_proportion", method="asymptotic")
        by_item = compare(joint, measure="error_rate", test="paired_proportion")
        assert by_class.difference == pytest.approx(by_item.difference, rel=1e-9)
        assert by_class.statistic == pytest.approx(by_item.statistic, rel=1e-9)
        assert by_class.p_value == pytest.approx(by_item.p_value, rel=1e-9)


def test_dcf_with_equal_costs_is_hter_and_1_minus_balanced_accuracy():
    for joint in JOINTS:
        found = [compare(joint, measure=m, test="paired_proportion") for m in ("dcf", "hter", "balanced_accuracy")]
        assert found[0].p_value == pytest.approx(found[1].p_value)
        assert found[0].p_value == pytest.approx(found[2].p_value)
        assert found[0].difference == pytest.approx(-found[2].difference)


def test_recall_by_9_is_mcnemar_on_the_positives():
    for joint in JOINTS:
        positives = cw.JointCounts(**{**joint.events, "e5": 0, "e6": 0, "e7": 0, "e8": 0})
        recall = compare(joint, measure="recall", test="paired_proportion")
        accuracy = compare(positives, measure="accuracy", test="paired_proportion")
        assert recall.p_value == pytest.approx(accuracy.p_value, rel=1e-12)
        assert recall.difference == pytest.approx(accuracy.difference, rel=1e-12)


def test_more_of_the_same_items_is_more_evidence():
    once = EVERYDAY["ordinary"]
    many = cw.JointCounts(**{name: 10 * n for name, n in once.events.items()})
    for test in (t for t in cw.list_tests().values() if "decisions" in t.takes):
        measure = test.only[0] if test.only else "accuracy"
        first, second = (cw.compare(j, measure=measure, test=test.name, rng=1) for j in (once, many))
        assert first.difference == pytest.approx(second.difference)
        assert second.p_value < first.p_value


def test_error_reduction_as_in_the_lecture():
    # lecture-measures: 99.90 % to 99.99 % is 90 % relative and .09 % absolute; 50 % to 75 % is 50 % and 25 %
    rare = cw.JointCounts(e1=9990, e2=9, e3=0, e4=1, e5=0, e6=0, e7=0, e8=0)
    r = compare(rare, measure="accuracy").error_reduction
    assert (r.absolute, r.relative) == (pytest.approx(0.0009), pytest.approx(0.9))
    half = cw.JointCounts(e1=50, e2=25, e3=0, e4=25, e5=0, e6=0, e7=0, e8=0)
    r = compare(half, measure="error_rate").error_reduction
    assert (r.absolute, r.relative) == (pytest.approx(0.25), pytest.approx(0.5))
    perfect = cw.JointCounts(e1=50, e2=0, e3=5, e4=0, e5=0, e6=0, e7=0, e8=9)
    r = compare(perfect, measure="accuracy")
    assert r.error_reduction.relative is None
    assert "makes none" in str(r)
    assert compare(half, measure="f1").error_reduction is None
