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


GROUPS, OF = 40, 10


def grouped_null(rng):
    """Models that are equally good, on 40 groups of 10 items of which a group tends to favour one model.

    Each group has a lean of its own, as likely towards A as towards B, so swapping the models changes nothing in
    distribution. Truth has three classes; scores are those of the first class.
    """
    lean = np.repeat(rng.normal(0, 1.2, GROUPS), OF)
    y = rng.integers(0, 3, GROUPS * OF)
    hard = rng.normal(0, 0.7, y.size)
    right = [1 / (1 + np.exp(-(0.8 - hard + sign * lean))) > rng.random(y.size) for sign in (1, -1)]
    a, b = (np.where(ok, y, (y + rng.integers(1, 3, y.size)) % 3) for ok in right)
    scores = [(y == 0) * (1.0 + sign * lean) + rng.normal(size=y.size) for sign in (1, -1)]
    return y, a, b, *scores


def asked_of_groups(y, a, b, s, t, how):
    """Yield (what, p-value) for every kind of data, with or without the groups."""
    one_hot = [np.equal.outer(x, np.arange(3)) for x in (y, a, b)]
    grade_a, grade_b = (a == y) * 1.0, (b == y) * 1.0
    settings = {"n_resamples": 499, **how}
    yield "accuracy, permutation", cw.compare(y, a, b, measure="accuracy", test="permutation", **settings).p_value
    yield "F1, permutation", cw.compare(y == 0, a == 0, b == 0, test="permutation", **settings).p_value
    yield "F1, bootstrap", cw.compare(y == 0, a == 0, b == 0, test="bootstrap", **settings).p_value
    yield "macro F1, permutation", cw.compare(y, a, b, measure="macro_f1", test="permutation", **settings).p_value
    yield "label sets, macro F1", cw.compare(*one_hot, measure="macro_f1", test="permutation", **settings).p_value
    yield "mean, paired t", cw.compare(None, grade_a, grade_b, measure="mean", test="paired_t", **settings).p_value
    yield "AUC, permutation", cw.compare(y == 0, s, t, measure="auc", test="permutation", **settings).p_value
    yield "AUC, DeLong", cw.compare(y == 0, s, t, measure="auc", test="delong", **settings).p_value


@pytest.mark.study
def test_groups_keep_the_level_and_naive_tests_do_not():
    """How often equally good models are told apart at 5 %, by groups and as if items were independent; printed."""
    rng = np.random.default_rng(40)
    trials = 2_000
    found: dict[str, dict[str, int]] = {"groups": {}, "naive": {}}
    for i in range(trials):
        data = grouped_null(rng)
        for kind, how in (("groups", {"groups": np.repeat(np.arange(GROUPS), OF)}), ("naive", {})):
            for what, p in asked_of_groups(*data, {"rng": i, **how}):
                found[kind][what] = found[kind].get(what, 0) + (p <= 0.05)
    print(f"\n40 groups of 10, {trials} test sets, seed 40: false alarms at 5 %, by groups (as if independent)")  # noqa: T201
    for what, n in found["groups"].items():
        print(f"  {what:<24} {n / trials:6.1%}  ({found['naive'][what] / trials:.1%})")  # noqa: T201
        # a standard error is half a point: 3.5 % to 6.5 % is three of them about the level
        assert 0.035 <= n / trials <= 0.065, what
        assert found["naive"][what] / trials > 0.1, what


def test_groups_keep_the_level_in_short():
    """The study above, 400 test sets and two of its questions: 4 standard errors (of 1.1 points) about the level."""
    rng = np.random.default_rng(42)
    group = np.repeat(np.arange(GROUPS), OF)
    found = np.zeros((2, 2))
    for i in range(400):
        y, a, b, *_ = grouped_null(rng)
        for j, groups in enumerate((group, None)):
            how = {"groups": groups, "test": "permutation", "n_resamples": 199, "rng": i}
            found[j] += [
                cw.compare(y, a, b, measure="accuracy", **how).p_value <= 0.05,
                cw.compare(y == 0, a == 0, b == 0, measure="f1", **how).p_value <= 0.05,
            ]
    by_groups, naive = found / 400
    assert (np.abs(by_groups - 0.05) <= 4 * np.sqrt(0.05 * 0.95 / 400)).all()
    assert (naive > 0.15).all()


@pytest.mark.study
def test_the_t_test_by_groups_bears_unequal_sizes():
    """Why it takes the jackknife's error on N²/Σn² − 1 degrees: equal models, the usual form beside it; printed."""
    from scipy import stats

    rng = np.random.default_rng(69)
    trials = 1_000
    for name, sizes in (
        ("one of 300, 30 of 5", [300] + [5] * 30),
        ("40 of 3 to 80", [80, 60, 40, 30, 20] + [8] * 10 + [3] * 25),
    ):
        n = np.array(sizes)
        group = np.repeat(np.arange(n.size), n)
        usual = ours = 0
        for _ in range(trials):
            d = rng.normal(size=n.size)[group] + rng.normal(size=group.size)
            gaps = np.bincount(group, weights=d) - n * d.mean()
            error = np.sqrt(n.size / (n.size - 1) * (gaps**2).sum()) / n.sum()
            usual += abs(d.mean()) / error > stats.t.ppf(0.975, n.size - 1)
            r = cw.compare(None, np.zeros(d.size), d, measure="mean", test="paired_t", groups=group)
            ours += r.p_value <= 0.05
        print(f"t by groups, {name}: {ours / trials:.1%} at 5 %, the usual form {usual / trials:.1%}")  # noqa: T201
        assert ours / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
        assert usual / trials > 0.08
