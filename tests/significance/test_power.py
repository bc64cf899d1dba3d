"""How often the studentised test would show a claim: against what the test itself does with drawn test sets."""

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.resampling.contributions import contributions
from clearwin.resampling.functionals import functional
from clearwin.significance.power import Claimed, PlannedPopulation, PowerCurve, of_units
from clearwin.streams import Seed
from tests.one_of_each import _arrays, _scores

TRUTH, (A, B, _) = _arrays(n=300)


def population(difference, measure="f1", data=(TRUTH, A, B)):
    sample, read = read_sample(data[0], dict(zip("ab", data[1:], strict=True)), find(measure), Reading())
    return PlannedPopulation(functional(sample, read), difference)


def claimed(claim="different", margin=None, alpha=0.05):
    return Claimed(claim, margin, 1.0, alpha)


@pytest.mark.parametrize("difference", [0.02, 0.1, -0.05])
@pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc"])
def test_the_population_has_the_difference_and_not_the_pilots(measure, difference):
    found = population(difference, measure)
    assert found.estimand.values(found.shares[:, None])[0] == pytest.approx(difference, abs=1e-3)
    assert found.estimand.observed != pytest.approx(difference, abs=1e-3)
    assert found.shares.sum() == pytest.approx(1.0)


def test_power_is_that_of_the_test():
    """40 sets of 200 items are drawn and given to compare: 4 standard errors of 7.8 points."""
    found, rng, n = population(0.1, "accuracy"), np.random.default_rng(2), 200
    outcomes, shares = found.estimand, found.shares
    shown = 0
    for i in range(40):
        k = rng.choice(shares.size, n, p=shares)
        data = outcomes.truth[k], outcomes.a[k], outcomes.b[k]
        shown += cw.compare(*data, measure="accuracy", n_resamples=500, rng=i, positive=1).decision == "better"
    assert found.simulated(claimed(), n, 4_000, Seed.of(1)) == pytest.approx(shown / 40, abs=4 * 0.078)


def test_power_of_a_mean_is_that_of_students_t():
    """Values that are as normal as 2,000 can be: the noncentral t of scipy; 4 standard errors of 0.8 points."""
    b = stats.norm.ppf((np.arange(2_000) + 0.5) / 2_000)
    found = population(0.4, "mean", (None, np.zeros(2_000), b))
    n, degrees = 50, 49
    critical = stats.t.isf(0.025, degrees)
    expected = stats.nct.sf(critical, degrees, 0.4 * np.sqrt(n) / found.deviation)
    assert found.deviation == pytest.approx(1.0, abs=0.01)
    assert found.simulated(claimed(), n, 4_000, Seed.of(1)) == pytest.approx(expected, abs=0.032)


def test_one_sided_claims_and_margins_have_their_order():
    find_it, better = (population(0.05).simulated(claimed(c), 400, 2_000, Seed.of(1)) for c in ("different", "better"))
    assert better > find_it
    equal = population(0.0)
    not_worse, equivalent = (
        equal.simulated(claimed(c, 0.1), 400, 2_000, Seed.of(1)) for c in ("not_worse", "equivalent")
    )
    assert not_worse > equivalent > 0.05
    assert claimed("equivalent", 0.1).tests(0.0) == [(-0.1, 1.0), (0.1, -1.0)]
    assert Claimed("better", None, -1.0, 0.05).difference(0.02) == -0.02  # a cost that falls


def test_at_the_boundary_power_is_the_level():
    """What is just not true is shown as often as the level says: 4 standard errors of 0.4 points, and 1 point."""
    edge = population(-0.1).simulated(claimed("not_worse", 0.1), 400, 4_000, Seed.of(1))
    assert edge == pytest.approx(0.05, abs=0.025)


def test_groups_of_copies_are_worth_one_item_each():
    """Four copies of every item: as many groups are needed as there would be items."""
    truth, (a, b, _) = _scores(n=200)
    groups = np.arange(truth.size * 4) % truth.size
    four = [np.tile(x, 4) for x in (a, b)]
    how = Reading(groups=groups)
    sample, read = read_sample(None, dict(zip("ab", four, strict=True)), find("mean"), how)
    by_groups = of_units(contributions(sample, read), 0.3)
    alone = population(0.3, "mean", (None, a, b))
    assert by_groups.deviation == pytest.approx(alone.deviation, rel=1e-6)


@pytest.mark.parametrize(("groups", "times"), [(12, 2.0), (40, 1.0)])
def test_power_of_a_one_sided_claim_in_groups_is_that_of_students_t(groups, times):
    """Normal groups: the noncentral t of scipy, of half the level with few groups; 4 standard errors of 0.8 points."""
    b = stats.norm.ppf((np.arange(1_000) + 0.5) / 1_000)
    how = Reading(groups=np.arange(1_000))
    sample, read = read_sample(None, {"a": np.zeros(1_000), "b": b}, find("mean"), how)
    found = of_units(contributions(sample, read), 0.5)
    expected = stats.nct.sf(stats.t.isf(0.05 / times, groups - 1), groups - 1, 0.5 * np.sqrt(groups) / found.deviation)
    assert found.simulated(claimed("better"), groups, 4_000, Seed.of(1)) == pytest.approx(expected, abs=0.032)


@pytest.mark.parametrize("sets", [40, pytest.param(60, marks=pytest.mark.study)])
def test_a_plan_allows_for_what_a_test_set_can_miss(sets):
    """Grades that differ by one on a fifth of the items: sets of the planned size are given to compare."""
    rng = np.random.default_rng(3)

    def grades(n):
        u = rng.random(n)
        return np.where(u < 0.14, 7.0, 8.0), np.where(u < 0.14, 8.0, np.where(u < 0.2, 7.0, 8.0))

    measure = "mean(lowest=1.0, highest=10.0)"
    planned = cw.plan(None, *grades(4_000), measure=measure, difference=0.08, n_resamples=1_000, rng=1)
    shown = [
        cw.compare(None, *grades(planned.items), measure=measure, n_resamples=199, rng=i).decision == "better"
        for i in range(sets)
    ]
    assert np.mean(shown) == pytest.approx(0.8, abs=4 * np.sqrt(0.8 * 0.2 / sets))
    free = cw.plan(None, *grades(4_000), measure="mean", difference=0.08, n_resamples=1_000, rng=1)
    assert planned.items > 1.2 * free.items
    # what could be missed has one tail, whatever is claimed
    better = cw.plan(None, *grades(4_000), measure=measure, difference=0.08, claim="better", n_resamples=1_000, rng=1)
    assert better.items == pytest.approx(planned.items, rel=0.1)


def test_what_cannot_be_reached_and_what_does_not_vary_are_refused():
    with pytest.raises(cw.ClearwinError, match="The nearest that was found is"):
        population(1.9, "mcc").shares  # noqa: B018
    never = population(0.0, "mean", (None, A, A))
    assert never.deviation > 0.0  # half an item on which they differ was added
    same = _grouped_without_disagreement()
    with pytest.raises(cw.ClearwinError, match="never disagree"):
        of_units(contributions(*same), 0.0).deviation  # noqa: B018


def _grouped_without_disagreement():
    return read_sample(TRUTH, {"a": A, "b": A}, find("accuracy"), Reading(groups=np.arange(TRUTH.size) // 3))


def test_the_curve_goes_through_what_was_drawn():
    curve = PowerCurve(population(0.08), claimed(), 2_000, Seed.of(1))
    assert curve.ratio(100) == 1.0  # nothing drawn: the approximation
    for power in (0.5, 0.8):
        curve.draw(curve.units(power))
    for size, share in curve.drawn.items():
        assert curve.power(size) == pytest.approx(share, abs=0.02)
        assert curve.error(size) == pytest.approx(np.sqrt(share * (1 - share) / 2_000))
    assert curve.power(curve.units(0.8)) == pytest.approx(0.8, abs=1e-3)


def test_what_was_drawn_counts_most_at_its_own_size():
    """At 100 units as many claims were shown as the approximation has at 150, at 400 as many as it has at 400."""
    curve = PowerCurve(population(0.08), claimed(), 2_000, Seed.of(1))
    curve.drawn = {100: curve.normal.power(150), 400: curve.normal.power(400)}
    assert 1.5 > curve.ratio(100) > curve.ratio(200) > curve.ratio(400) > 1.0
