"""Proportion tests (4), (6), (8) and (9) by their formulas."""

import itertools
import math

import pytest

import clearwin as cw
from tests.joint_counts import JOINTS, compare


def test_proportion_4_and_8_by_their_formulas():
    for joint in JOINTS:
        e = joint.events
        n, wrong_a, wrong_b = joint.n, joint.only_a_wrong + joint.both_wrong, joint.only_b_wrong + joint.both_wrong
        mean = (wrong_a + wrong_b) / (2 * n)  # keller2004 (4) with the + that belongs there
        z = (wrong_a - wrong_b) / n / math.sqrt(2 * mean * (1 - mean) / n)
        assert compare(joint, measure="accuracy", test="proportion").statistic == pytest.approx(z, rel=1e-12)
        # keller2004 (8), written out for DCF with Cost(fn) = 10, Cost(fp) = 1, P(p) = .01
        n_p, n_n = e["e1"] + e["e2"] + e["e3"] + e["e4"], e["e5"] + e["e6"] + e["e7"] + e["e8"]
        fn_a, fn_b, fp_a, fp_b = e["e2"] + e["e4"], e["e3"] + e["e4"], e["e5"] + e["e7"], e["e5"] + e["e6"]
        fn, fp = (fn_a + fn_b) / 2, (fp_a + fp_b) / 2
        variance = 2 * (0.1**2 * fn / n_p**2 * (1 - fn / n_p) + 0.99**2 * fp / n_n**2 * (1 - fp / n_n))
        difference = 0.1 * (fn_b - fn_a) / n_p + 0.99 * (fp_b - fp_a) / n_n
        r = compare(joint, measure="dcf(cost_fn=10, cost_fp=1, prior=0.01)", test="proportion")
        assert r.difference == pytest.approx(difference, rel=1e-12)
        assert r.statistic == pytest.approx(difference / math.sqrt(variance), rel=1e-12)


def test_paired_9_by_its_formula():
    for joint in JOINTS:
        e = joint.events
        n_p, n_n = e["e1"] + e["e2"] + e["e3"] + e["e4"], e["e5"] + e["e6"] + e["e7"] + e["e8"]
        deviation = math.sqrt(0.1**2 * (e["e2"] + e["e3"]) / n_p**2 + 0.99**2 * (e["e6"] + e["e7"]) / n_n**2)
        measure = "dcf(cost_fn=10, cost_fp=1, prior=0.01)"
        r = compare(joint, measure=measure, test="paired_proportion", method="asymptotic")
        assert r.statistic == pytest.approx(r.difference / deviation, rel=1e-12)


def test_the_interval_of_one_share_is_tangos_and_of_several_classes_movers():
    for joint in JOINTS:
        assert compare(joint, measure="accuracy", test="paired_proportion").interval.method == "tango"
        several = compare(joint, measure="balanced_accuracy", test="paired_proportion")
        assert several.interval.method == "mover"
        # a claim with a margin is shown by the interval of twice its level (Schuirmann 1987): the same ends
        asked = {"measure": "balanced_accuracy", "test": "paired_proportion"}
        claimed = compare(joint, **asked, claim="equivalent", margin=0.1).interval
        plain = compare(joint, **asked, confidence_level=0.9).interval
        assert (claimed.low, claimed.high) == pytest.approx((plain.low, plain.high), abs=1e-8)


@pytest.mark.parametrize(
    ("measure", "method"),
    [
        ("recall", "asymptotic"),
        ("balanced_accuracy", "mover"),
        ("dcf(cost_fn=2, cost_fp=2, prior=0.5)", "mover"),  # two classes that weigh 1 each
        ("dcf(cost_fn=0, cost_fp=1, prior=0.5)", "mover"),  # one class that weighs a half
    ],
)
def test_a_margin_is_judged_by_tangos_score_for_one_share_alone(measure, method):
    found = compare(JOINTS[0], measure=measure, test="paired_proportion", claim="not_worse", margin=0.1)
    assert found.method == method
    assert ("Tango's score test" in found.why) == (method == "asymptotic")


def test_identical_models_support_no_claim():
    for right, wrong in ((9, 3), (5, 0)):
        joint = cw.JointCounts(e1=right, e2=0, e3=0, e4=wrong, e5=wrong, e6=0, e7=0, e8=right)
        for claim in ("different", "better", "worse"):
            for test, measure in itertools.product(
                ("proportion", "paired_proportion"), ("accuracy", "balanced_accuracy")
            ):
                r = compare(joint, measure=measure, test=test, claim=claim)
                assert (r.p_value, r.statistic) == (1.0, 0.0)
