"""The Dirichlet interval: against scipy's beta and Dirichlet distributions, its coverage, and where it is refused."""

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.counts import ConfusionMatrix
from clearwin.numerics.intervals import Coverage
from clearwin.resampling import dirichlet
from tests.data.grouped import question

LEVELS = (0.025, 0.975)
MEASURES = [m for m in cw.list_measures().values() if m.takes == "decisions"]


def assert_quantiles(interval, draws):
    """Both ends are quantiles of draws that were made otherwise: within 5 standard errors of two samples' shares."""
    for end, level in zip((interval.low, interval.high), LEVELS, strict=True):
        assert (draws <= end).mean() == pytest.approx(level, abs=5 * (level * (1 - level) * 2 / draws.size) ** 0.5)


def test_of_one_rate_it_is_jeffreys_interval():
    truth, a = [1] * 25 + [0] * 40, [1] * 22 + [0] * 43
    found = cw.estimate(truth, a, measure="recall", interval="dirichlet", n_resamples=200_000, rng=1).interval
    assert found.method == "dirichlet"
    theirs = stats.beta.ppf(LEVELS, 22.5, 3.5)
    assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=2e-3)


def test_of_a_difference_in_f1_against_numpys_dirichlet():
    joint = cw.JointCounts(e1=12, e2=3, e3=0, e4=2, e5=1, e6=0, e7=4, e8=80)
    found = cw.compare(
        joint, measure="f1", test="permutation", interval="dirichlet", n_resamples=100_000, rng=1
    ).interval
    p = np.random.default_rng(99).dirichlet(joint.counts + 0.25, size=100_000).T
    tp_a, tp_b, fp_a, fp_b = p[0] + p[2], p[0] + p[1], p[4] + p[6], p[4] + p[5]
    positives = p[:4].sum(axis=0)
    assert_quantiles(found, 2 * tp_b / (positives + tp_b + fp_b) - 2 * tp_a / (positives + tp_a + fp_a))


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_measures_of_decisions_are_formulas_on_shares(measure):
    """A posterior has shares, which are handed to the measure as counts of very many items."""
    for cells in ([[12, 3], [1, 30]], [[0, 0], [4, 9]], [[900, 100], [100, 900]]):
        few, many = (measure.evaluate(ConfusionMatrix(np.array(cells) * times)) for times in (1, 2**38))
        assert float(many.values) == pytest.approx(float(few.values), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("sets", [80, pytest.param(300, marks=pytest.mark.study)])
def test_it_covers_where_a_handful_of_items_decide(sets):
    """F1, five positives among 50, models that differ on a few items: bounds 4 standard errors off."""
    p = np.array([0.078, 0.003, 0.001, 0.018, 0.0405, 0.00225, 0.00675, 0.8505])
    p /= p.sum()
    tp_a, tp_b, fp_a, fp_b = p[0] + p[2], p[0] + p[1], p[4] + p[6], p[4] + p[5]
    true = 2 * tp_b / (p[:4].sum() + tp_b + fp_b) - 2 * tp_a / (p[:4].sum() + tp_a + fp_a)
    held = {"dirichlet": 0, "percentile": 0}
    for counts in np.random.default_rng(2004).multinomial(50, p, size=sets):
        joint = cw.JointCounts(**{f"e{i}": int(n) for i, n in enumerate(counts, 1)})
        for name in held:
            r = cw.compare(joint, measure="f1", test="permutation", interval=name, n_resamples=400, rng=1)
            held[name] += true in r.interval
    assert held["dirichlet"] / sets > 0.95 - 4 * (0.05 * 0.95 / sets) ** 0.5
    assert held["percentile"] / sets < 0.6  # what the bootstrap does: no replicate has what the test set lacks


def test_what_was_seen_is_always_inside_and_identical_models_have_a_width():
    perfect = cw.estimate([1] * 9 + [0] * 9, [1] * 9 + [0] * 9, measure="f1", rng=1)
    assert (perfect.interval.method, perfect.interval.high) == ("dirichlet", 1.0)
    assert 0.5 < perfect.interval.low < 0.95
    for test in ("permutation", "auto"):
        extreme = cw.compare([1] * 9 + [0] * 9, [0] * 9 + [1] * 9, [1] * 9 + [0] * 9, measure="mcc", test=test, rng=1)
        assert extreme.interval.high == extreme.difference == 2.0
    for test, told in (("permutation", True), ("auto", False)):
        same = cw.compare([1] * 9 + [0] * 9, [1] * 8 + [0] * 10, [1] * 8 + [0] * 10, measure="f1", test=test, rng=1)
        assert (same.p_value, same.difference) == (1.0, 0.0)
        assert same.interval.low < -0.05 < 0.05 < same.interval.high
        assert [c.code for c in same.caveats] == ["few_disagreements", "few_of_a_class"]
        assert ("leans on its prior" in " ".join(str(same).split())) == told
        assert "far too narrow" not in str(same)


def test_permutation_takes_it_for_decisions_one_by_one_and_it_is_refused_elsewhere():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    a, b = (np.where(rng.random(60) < 0.2, 1 - truth, truth) for _ in "ab")
    settings = {"measure": "f1", "test": "permutation", "n_resamples": 400, "rng": 1}
    assert cw.compare(truth, a, b, **settings).interval.method == "dirichlet"
    assert cw.compare(truth, a, b, **settings | {"test": "bootstrap"}).interval.method == "percentile"
    groups = np.arange(60) // 2
    assert cw.compare(truth, a, b, groups=groups, **settings).interval.method == "percentile"
    with pytest.raises(cw.errors.NotApplicableError, match="groups or strata"):
        cw.compare(truth, a, b, groups=groups, interval="dirichlet", **settings)
    scores, three = rng.random((2, 60)), np.arange(60) % 3
    assert cw.compare(three, three, np.roll(three, 1), **settings | {"measure": "mcc"}).interval.method == "percentile"
    assert cw.estimate(three, three, measure="macro_f1", n_resamples=400).interval.method == "inverted"
    with pytest.raises(cw.errors.NotApplicableError, match="one decision for each item, and these data have none"):
        cw.compare(truth, *scores, measure="eer", test="permutation", interval="dirichlet", n_resamples=400)
    with pytest.raises(cw.errors.NotApplicableError, match="There are 3 classes"):
        cw.compare(three, three, np.roll(three, 1), **settings | {"measure": "macro_f1", "interval": "dirichlet"})
    own = cw.custom_measure(lambda c: c.tp / (c.tp + c.fn + 1), name="own")
    assert cw.compare(truth, a, b, **settings | {"measure": own}).interval.method == "percentile"
    with pytest.raises(cw.errors.NotApplicableError, match="own need not be a formula on shares of items"):
        cw.estimate(truth, a, measure=own, interval="dirichlet", n_resamples=400)


def test_a_b_and_b_a_say_the_same():
    for counts in ((40, 9, 3, 8, 6, 5, 9, 80), (5, 1, 0, 2, 0, 3, 3, 20), (9, 2, 2, 1, 0, 1, 4, 30)):
        joint = cw.JointCounts(**{f"e{i}": n for i, n in enumerate(counts, 1)})
        one, other = (cw.compare(j, measure="f1", rng=1).interval for j in (joint, joint.swapped()))
        assert (one.low, one.high) == (-other.high, -other.low)


def test_of_two_models_the_interval_of_one_is_that_of_the_first():
    truth, a, b = np.repeat([[1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]], [20, 5, 9, 30], axis=0).T
    coverage = Coverage(0.95, lowest=0.0)
    both, first, second = (
        dirichlet.interval_of_one(question(truth, *models, "recall"), coverage)[0]
        for models in ((a, b), (a, a), (b, b))
    )
    assert both == first != second


def test_it_is_drawn_by_the_seed():
    joint = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    first, again, other = (cw.compare(joint, measure="f1", rng=seed) for seed in (1, 1, 2))
    assert first.interval == again.interval != other.interval
    assert f"seed {first.signature.seed}" in str(first)
