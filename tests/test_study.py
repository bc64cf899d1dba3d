"""Slow studies of the tests themselves (`make study`): do they keep their level, do the intervals cover?"""

import numpy as np
import pytest

import clearwin as cw

TRIALS = 4_000
# two models that are interchangeable, at three prevalences: shares of e1 … e8 with e2 = e3 and e6 = e7
NULLS = {
    "half positive": [0.35, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.35],
    "a tenth": [0.05, 0.015, 0.015, 0.02, 0.02, 0.02, 0.02, 0.84],
    "one in fifty": [0.01, 0.003, 0.003, 0.004, 0.005, 0.005, 0.005, 0.965],
}


@pytest.mark.study
@pytest.mark.parametrize("null", list(NULLS))
@pytest.mark.parametrize("n", [50, 200, 1000])
def test_exact_permutation_never_exceeds_its_level(null, n):
    rng = np.random.default_rng(1)
    rejected = {"f1": 0, "mcc": 0}
    for i in range(TRIALS):
        joint = cw.JointCounts(**{f"e{k}": int(x) for k, x in enumerate(rng.multinomial(n, NULLS[null]), 1)})
        for measure in rejected:
            try:
                r = cw.compare_counts(joint, measure=measure, test="permutation", method="exact", n_resamples=40, rng=i)
            except cw.UndefinedError:
                continue  # a test set without positives is refused, which rejects nothing
            rejected[measure] += r.p_value <= 0.05
    # 3 standard errors above the level
    assert max(rejected.values()) / TRIALS <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / TRIALS)


@pytest.mark.study
@pytest.mark.parametrize("interval", ["percentile", "centred", "basic", "bca"])
def test_bootstrap_intervals_cover(interval):
    shares = np.array(NULLS["half positive"]) + np.array([0, 0.02, -0.02, 0, 0, 0, 0, 0])
    big = cw.JointCounts(**{f"e{k}": round(1e9 * x) for k, x in enumerate(shares, 1)})
    truth = cw.compare_counts(big, measure="f1", n_resamples=1, test="bootstrap").difference
    rng = np.random.default_rng(2)
    covered = 0
    for i in range(TRIALS):
        joint = cw.JointCounts(**{f"e{k}": int(x) for k, x in enumerate(rng.multinomial(500, shares), 1)})
        r = cw.compare_counts(joint, measure="f1", test="bootstrap", interval=interval, n_resamples=999, rng=i)
        covered += truth in r.interval
    # the bootstrap is an approximation: within 1 point of 95 % and 3 standard errors
    assert abs(covered / TRIALS - 0.95) <= 0.01 + 3 * np.sqrt(0.95 * 0.05 / TRIALS)


@pytest.mark.study
def test_delong_rejects_too_often_with_few_of_a_class():
    """Why ``auto`` leaves DeLong under 10 items of a class: equal models, 100 negatives. Prints the sizes."""
    rng = np.random.default_rng(3)
    sizes = {}
    for positives in (2, 5, 10, 20, 50):
        y = np.r_[np.ones(positives), np.zeros(100)].astype(int)
        rejected = 0
        for _ in range(TRIALS):
            common = 1.2 * y + rng.normal(size=y.size)
            a, b = common + rng.normal(size=y.size), common + rng.normal(size=y.size)
            rejected += cw.compare(y, a, b, measure="auc", test="delong").p_value <= 0.05
        sizes[positives] = rejected / TRIALS
    print(f"DeLong's size at 5 %, by positives: {sizes}")  # noqa: T201
    error = np.sqrt(0.05 * 0.95 / TRIALS)
    assert sizes[2] > 0.05 + 5 * error
    assert sizes[5] > 0.05 + 3 * error
    assert sizes[50] <= 0.05 + 4 * error
