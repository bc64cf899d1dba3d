"""Published numbers: tests/reference/*.toml says where each comes from."""

import tomllib
from pathlib import Path

import pytest

import clearwin as cw

MCNEMAR = tomllib.loads((Path(__file__).parent / "reference" / "decisions.toml").read_text())["mcnemar"]


def joint_of(case):
    # the numbers concern right and wrong only, so every item may count as positive
    return cw.JointCounts(
        e1=case["both_right"],
        e2=case["only_a_wrong"],
        e3=case["only_b_wrong"],
        e4=case["both_wrong"],
        e5=0,
        e6=0,
        e7=0,
        e8=0,
    )


@pytest.mark.parametrize("case", MCNEMAR, ids=lambda case: case["origin"][:20])
def test_mcnemar_p_values(case):
    for method, p in case["p"].items():
        r = cw.compare(joint_of(case), measure="accuracy", test="mcnemar", method=method)
        assert r.p_value == pytest.approx(p, abs=0.51 * 10 ** -case["p_digits"])
        assert r.difference == pytest.approx(case["difference"], abs=5e-5)


@pytest.mark.parametrize("case", MCNEMAR, ids=lambda case: case["origin"][:20])
def test_mcnemar_statistics_and_intervals(case):
    for method, statistic in case.get("statistic", {}).items():
        r = cw.compare(joint_of(case), measure="accuracy", test="mcnemar", method=method)
        assert r.statistic == pytest.approx(statistic, abs=5e-4)
    for interval, (low, high) in case.get("intervals", {}).items():
        r = cw.compare(joint_of(case), measure="accuracy", test="mcnemar", interval=interval)
        assert (r.interval.low, r.interval.high) == (pytest.approx(low, abs=5.1e-5), pytest.approx(high, abs=5.1e-5))


def test_the_error_rate_is_the_mirror_image():
    joint = joint_of(MCNEMAR[0])
    up, down = (cw.compare(joint, measure=m, test="mcnemar") for m in ("accuracy", "error_rate"))
    assert up.p_value == down.p_value
    assert (up.interval.low, up.interval.high) == pytest.approx((-down.interval.high, -down.interval.low))
