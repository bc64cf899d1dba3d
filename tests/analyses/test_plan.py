"""cw.plan: planned sizes have the planned power, pilots only say how much test sets vary."""

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

import clearwin as cw

NORMAL = NormalDist()
PILOT = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
QUICK = {"n_resamples": 500, "rng": 1}
# (truth, a, b): a population in which B is better by 0.05 in accuracy and in DCF, by 0.083 in F1
SHARES = {
    (1, 1, 1): 0.16,
    (1, 0, 1): 0.05,
    (1, 1, 0): 0.03,
    (1, 0, 0): 0.06,
    (0, 1, 1): 0.03,
    (0, 0, 1): 0.02,
    (0, 1, 0): 0.05,
    (0, 0, 0): 0.60,
}
DCF = "dcf(cost_fn=1, cost_fp=1, prior=0.3)"


def whole(measure):
    """Return a large set that is the truth."""
    if measure == "auc":
        rng, n = np.random.default_rng(1), 20_000
        truth, shared = np.repeat([1, 0], [6_000, 14_000]), rng.normal(size=n)
        a, b = (truth * shift + 0.7 * shared + 0.7 * rng.normal(size=n) for shift in (1.2, 1.35))
        return truth, a, b
    outcomes = np.repeat(np.array(list(SHARES)), [round(40_000 * share) for share in SHARES.values()], axis=0)
    return tuple(outcomes.T)


def plans(measure, data, size, pilots, **settings):
    truth, a, b = data
    named = abs(np.subtract(*(cw.estimate(truth, x, measure=measure, n_resamples=20).estimate for x in (a, b))))
    rng, found = np.random.default_rng(11), []
    for i in range(pilots):
        k = rng.integers(0, truth.size, size)
        found.append(cw.plan(truth[k], a[k], b[k], measure=measure, difference=float(named), rng=i, **settings))
    return found


@pytest.mark.parametrize(("pilots", "least"), [(6, 2), pytest.param(12, 6, marks=pytest.mark.study)])
def test_planned_sizes_have_the_power_by_connors_formula(pilots, least):
    """Of accuracy the formula is known: pilots of 300, whose power varies by 5 points; 3 points and 3 errors."""
    found = plans("accuracy", whole("accuracy"), 300, pilots, n_resamples=500)
    truth = cw.plan(measure="accuracy", difference=0.05, disagreement=0.15)
    power = [cw.plan(measure="accuracy", difference=0.05, disagreement=0.15, items=p.items).power for p in found]
    assert np.mean(power) == pytest.approx(0.8, abs=0.03 + 3 * 0.05 / np.sqrt(pilots))
    held = [p.spread.low <= truth.items <= p.spread.high for p in found]
    assert sum(held) >= least  # 8 of 10, less 3 standard errors


@pytest.mark.study
@pytest.mark.parametrize("measure", ["accuracy", "f1", DCF, "auc"])
def test_planned_sizes_have_the_planned_power(measure):
    """The test itself is studied at three sizes; on average over 100 pilots of 200 the power is right within 3 points.

    The range holds the true size for 80 of 100 pilots: 3 standard errors are 12.
    """
    data = whole(measure)
    found = plans(measure, data, 200, 100, n_resamples=1_000)
    guess = np.median([p.items for p in found])
    sizes = [round(guess * part) for part in (0.6, 1.0, 1.5)]
    how = {"test_size": sizes[-1], "sizes": sizes, "n_sets": 400, "alphas": [0.05], "rng": 5, "progress": False}
    study = cw.study(*data, measure=measure, **how)
    slope, start = np.polyfit(
        [np.sqrt(row.test_size) for row in study.power], [NORMAL.inv_cdf(row.value) for row in study.power], 1
    )
    power = np.mean([NORMAL.cdf(start + slope * np.sqrt(p.items)) for p in found])
    true = ((NORMAL.inv_cdf(0.8) - start) / slope) ** 2
    held = np.mean([p.spread.low <= true <= p.spread.high for p in found])
    print(f"\n{measure}: N = {true:.0f}, planned {guess:.0f}, power {power:.3f}, range holds {held:.2f}")  # noqa: T201
    assert power == pytest.approx(0.8, abs=0.03)
    assert held == pytest.approx(0.8, abs=0.12)


def test_the_pilots_own_difference_does_not_matter():
    """Pilots that lean to either side by nearly two standard errors plan alike: by theirs there would be no plan."""
    pilots = [
        cw.JointCounts(e1=200, e2=30 + x, e3=30 - x, e4=40, e5=25, e6=30 - x, e7=30 + x, e8=615) for x in (5, 0, -5)
    ]
    one, level, other = (cw.plan(p, measure="accuracy", difference=0.05, n_resamples=4_000, rng=1) for p in pilots)
    assert one.items == pytest.approx(level.items, rel=0.06)
    assert other.items == pytest.approx(level.items, rel=0.06)


def test_two_of_three_are_given():
    items = cw.plan(PILOT, difference=0.08, **QUICK)
    power = cw.plan(PILOT, difference=0.08, items=items.items, **QUICK)
    smallest = cw.plan(PILOT, items=items.items, **QUICK)
    assert [p.asked for p in (items, power, smallest)] == ["items", "power", "difference"]
    assert power.power == pytest.approx(0.8, abs=0.05)
    assert smallest.difference == pytest.approx(0.08, rel=0.08)
    for p in (power, smallest):
        assert p.spread.low < {"power": p.power, "difference": p.difference}[p.asked] < p.spread.high


def test_a_design_effect_multiplies_the_items():
    plain = cw.plan(PILOT, difference=0.08, **QUICK)
    doubled = cw.plan(PILOT, difference=0.08, design_effect=2.0, **QUICK)
    assert doubled.items == pytest.approx(2 * plain.items, abs=2)


def test_groups_have_their_own_design_effect():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 400)
    a, b = (np.where(rng.random(100).repeat(4) < wrong, 1 - truth, truth) for wrong in (0.3, 0.2))
    how = {"measure": "accuracy", "difference": 0.1, **QUICK}
    alone, grouped = cw.plan(truth, a, b, **how), cw.plan(truth, a, b, groups=np.arange(400) // 4, **how)
    assert grouped.design_effect == pytest.approx(4.0, rel=0.1)  # items of a group are right or wrong together
    assert grouped.items == pytest.approx(4 * alone.items, rel=0.25)
    assert grouped.items == 4 * grouped.units  # whole groups
    assert "as the pilot has only 100 groups" in grouped.verdict()
    with pytest.raises(cw.ClearwinError, match="design effect was given as well"):
        cw.plan(truth, a, b, groups=np.arange(400) // 4, design_effect=2.0, **how)


def test_claims_with_margins():
    not_worse = cw.plan(PILOT, claim="not_worse", margin=0.1, **QUICK)
    equivalent = cw.plan(PILOT, claim="equivalent", margin=0.1, **QUICK)
    truly_worse = cw.plan(PILOT, claim="not_worse", margin=0.1, difference=-0.05, **QUICK)
    assert not_worse.items < equivalent.items < truly_worse.items
    assert not_worse.difference == 0.0
    beyond = cw.plan(PILOT, claim="better", margin=0.05, difference=0.15, **QUICK)
    assert beyond.items == pytest.approx(cw.plan(PILOT, claim="better", difference=0.1, **QUICK).items, rel=0.2)
    assert cw.plan(PILOT, claim="better", margin=0.05, items=beyond.items, **QUICK).difference == pytest.approx(
        0.15, rel=0.1
    )


def test_frames_scores_values_and_label_sets():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 150)
    a, b = (truth + rng.normal(size=150) for _ in range(2))
    frame = pd.DataFrame({"y": truth, "old": a, "new": b})
    found = cw.plan(data=frame, truth="y", a="old", b="new", measure="auc", difference=0.08, **QUICK)
    assert (found.name_a, found.name_b) == ("old", "new")
    assert found.items == cw.plan(truth, a, b, measure="auc", difference=0.08, **QUICK).items
    # of a mean the size is (z + z')²·s²/d², and of few a little more
    mean, deviation = cw.plan(None, a, b, measure="mean", difference=0.4, rng=1), np.std(b - a)
    assert mean.items == pytest.approx((1.96 + 0.84) ** 2 * deviation**2 / 0.16, rel=0.05)
    sets = rng.random((150, 3)) < 0.4
    labels = [sets ^ (rng.random(sets.shape) < 0.1) for _ in range(2)]
    assert cw.plan(sets, *labels, measure="macro_f1", difference=0.05, **QUICK).items > 100


def test_the_same_seed_plans_the_same():
    one, other = (cw.plan(PILOT, difference=0.1, **QUICK) for _ in range(2))
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "No difference worth finding was given"),
        ({"difference": 0.1, "items": 100, "power": 0.8}, "Items, power and the difference were all given"),
        ({"difference": -0.1}, "difference is -0.1"),
        ({"difference": 2.0}, "difference is 2.0"),
        ({"difference": 0.1, "power": 0.01}, "power is 0.01"),
        ({"difference": 0.1, "items": 1.5}, "items is 1.5"),
        ({"difference": 0.1, "design_effect": 0.0}, "design_effect is 0.0"),
        ({"difference": 0.1, "disagreement": 0.2}, "Both a pilot and"),
        ({"difference": 0.3, "claim": "equivalent", "margin": 0.1}, "difference is 0.3"),
        ({"difference": 0.1, "measure": "auc"}, "score"),
    ],
)
def test_refusals_say_what_to_give(settings, words):
    with pytest.raises(cw.ClearwinError, match=words):
        cw.plan(PILOT, **settings)


def test_few_disagreements_are_doubted():
    few = cw.JointCounts(e1=40, e2=1, e3=1, e4=8, e5=5, e6=0, e7=0, e8=129)
    found = cw.plan(few, difference=0.05, **QUICK)
    assert [c.code for c in found.caveats] == ["few_telling"]
    assert found.spread.high > 2 * found.spread.low
