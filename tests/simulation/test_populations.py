"""Recentring: one limit on how far weights may go, applied to the weights that are taken."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.measures import find
from clearwin.simulation.populations import FURTHEST, Urn, population, recentred
from clearwin.streams import Seed, Stream
from tests.simulation.asked import correlated, label_sets, whole


def population_of(truth, a, b, measure):
    read = source_of_arrays(truth, a, b, find(measure), Reading())(None)
    return population(Question(*read, Options(n_resamples=19, seed=Seed(1))), stratified=False)


def one_sided(n, against):
    """B is right on all items but those few on which A is."""
    truth = np.arange(n) % 2
    few = np.arange(n) < against
    return population_of(truth, np.where(few, truth, 1 - truth), np.where(few, 1 - truth, truth), "accuracy")


def factors(before, after):
    there = before.urn.weights > 0
    return (after.urn.weights[there] / after.urn.total) / (before.urn.weights[there] / before.urn.total)


def test_the_limit_is_where_it_is_said_to_be_whatever_the_size():
    """Items against are to weigh half of all: against · f = n / 2, so f is the limit at n = 2,000 · against."""
    for against in (1, 3, 20):
        below, above = (one_sided(round(2 * FURTHEST * against * part), against) for part in (0.98, 1.02))
        assert 900 < factors(below, recentred(below)).max() <= FURTHEST
        with pytest.raises(cw.errors.UndefinedError, match="weights up to 1,000 times"):
            recentred(above)


def test_it_stays_so_for_ever_larger_sets():
    kept = []
    for n in np.geomspace(100, 200_000, 23).astype(int) * 2:
        source = one_sided(int(n), 1)
        try:
            found = factors(source, recentred(source))
        except cw.errors.UndefinedError:
            kept.append(False)
        else:
            kept.append(True)
            assert found.max() <= FURTHEST
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) == 2


def test_no_item_is_weighed_away():
    """Weights are whole numbers, and of items 256 on average: a 700th of that would be none."""
    values = np.concatenate([np.linspace(-1, 1, 999) + 0.5, [3.9]])
    found = recentred(population_of(None, np.zeros(1_000), values, "mean"))
    assert abs(found.difference) < 1e-3
    tilt = brentq(lambda x: (np.exp(x * values) * values).sum(), -5, 0)
    factor = np.exp(tilt * values[-1]) / np.exp(tilt * values).mean()
    assert 1 / FURTHEST < factor < 1 / 512  # or there is nothing to see here
    assert found.urn.weights[-1] == 1


@pytest.mark.parametrize(("kinds", "n"), [(5, 3_000), (400, 300)], ids=["multinomial", "unit by unit"])
def test_an_urn_draws_as_one_draws_items_by_their_numbers(kinds, n):
    """χ² of what is drawn in all against the weights; and the variance of one kind is binomial."""
    weights = np.random.default_rng(3).integers(1, 4, kinds)
    weights[[0, -1]] = 1  # where counting units through from 0 could go wrong by one
    urn, rng, sets = Urn(weights), Stream(np.random.PCG64(4)), 400
    drawn = np.zeros((sets, kinds), dtype=int)
    for row in drawn:
        which, times = urn.draw(rng, n)
        row[which] = times
    assert (drawn.sum(axis=1) == n).all()
    share = weights / weights.sum()
    assert stats.chisquare(drawn.sum(axis=0), sets * n * share).pvalue > 1e-4
    top = int(np.argmax(weights))
    expected = n * share[top] * (1 - share[top])
    assert abs(drawn[:, top].var(ddof=1) / expected - 1) < 4 * np.sqrt(2 / sets)


def test_strata_keep_their_shares():
    urn = Urn(np.array([70, 30, 100]), np.array([0, 0, 1]))
    rng = Stream(np.random.PCG64(5))
    for _ in range(20):
        which, times = urn.draw(rng, 51)
        of_second = times[which == 2].sum()
        assert of_second in (25, 26)
        assert times.sum() == 51


def test_many_small_strata_have_their_shares_on_average():
    """Half an item for each of 100 strata: chance gives out the leftover items, or sets are not like the whole."""
    urn = Urn(np.full(100, 200), np.arange(100))
    rng, sets = Stream(np.random.PCG64(8)), 800
    drawn = np.zeros(100)
    for _ in range(sets):
        which, times = urn.draw(rng, 50)
        assert times.max() == 1
        drawn[which] += times
    assert drawn.sum() == 50 * sets
    # each is in half of the sets, give or take 4 standard errors
    assert np.abs(drawn / sets - 0.5).max() < 4 * np.sqrt(0.25 / sets)


@pytest.mark.parametrize("kind", ["decisions", "label sets", "values", "scores"])
def test_drawn_sets_are_distributed_as_sets_of_drawn_indexes(kind):
    """Differences on 400 sets by counts against 400 sets by indexes, recounted by the verb itself."""
    rng, stream = np.random.default_rng(6), Stream(np.random.PCG64(6))
    if kind == "decisions":
        data, measure = correlated(), "f1"
    elif kind == "label sets":
        data, measure = label_sets(), "macro_f1"
    elif kind == "values":
        data, measure = (None, rng.normal(size=900), rng.normal(0.1, 1, 900)), "mean"
    else:
        truth = rng.integers(0, 2, 900)
        data, measure = (truth, truth + rng.normal(size=900), truth + rng.normal(0, 0.8, 900)), "auc"
    source = whole(*data, measure=measure)
    assert source.difference == pytest.approx(source.question.difference)
    n, sets = 150, 400
    by_counts = [source.ask(*source.urn.draw(stream, n), Seed(1)).difference for _ in range(sets)]
    by_index = []
    for _ in range(sets):
        index = rng.integers(0, len(data[1]), n)
        some = [None if column is None else column[index] for column in data]
        by_index.append(whole(*some, measure=measure).question.difference)
    assert stats.ks_2samp(by_counts, by_index).pvalue > 1e-3


def test_groups_are_drawn_whole_and_swapped_whole():
    rng = Stream(np.random.PCG64(7))
    groups = np.repeat(np.arange(300), 5)
    values = rng.normal(size=(2, 300)).repeat(5, axis=1)  # constant within a group
    source = whole(None, *values, measure="mean", groups=groups)
    assert source.items_per_unit == 5
    assert source.units_of(100) == 20
    question = source.ask(*source.urn.draw(rng, 20), Seed(1), rng)
    of_group = question.sample.grouping.groups
    assert question.n == 100
    assert np.unique(of_group).size == 20
    for group in range(20):
        assert np.ptp(question.sample.a[of_group == group]) == 0
    swapped = np.isin(question.sample.a, values[1])
    assert 0 < swapped.mean() < 1


def test_swapped_sets_are_exchangeable_and_keep_what_is_not_swapped():
    source = whole(*label_sets(), measure="micro_f1")
    rng = Stream(np.random.PCG64(8))
    differences = np.array([source.ask(*source.urn.draw(rng, 2_000), Seed(1), rng).difference for _ in range(400)])
    assert abs(differences.mean()) < 4 * differences.std() / 20 < abs(source.difference) / 10
    assert abs(source.difference) > 0.01
    drawn = source.urn.draw(rng, 200)
    plain, swapped = source.ask(*drawn, Seed(1)), source.ask(*drawn, Seed(1), rng)
    assert plain.class_sizes == swapped.class_sizes
    total = [sum(counts.predicted.sum() for counts in q.sample.counts(q.measure)) for q in (plain, swapped)]
    assert total[0] == total[1]


@pytest.mark.parametrize("kind", ["f1", "macro_f1", "mean", "trimmed_mean", "auc", "eer"])
def test_a_recentred_population_has_no_difference_and_is_near_the_given_one(kind):
    rng, stream = np.random.default_rng(9), Stream(np.random.PCG64(9))
    if kind in ("f1", "macro_f1"):
        source = whole(*(correlated() if kind == "f1" else label_sets()), measure=kind)
    elif kind in ("mean", "trimmed_mean"):
        source = whole(None, rng.normal(size=900), rng.normal(0.1, 1, 900), measure=kind)
    else:
        truth = rng.integers(0, 2, 900)
        source = whole(truth, truth + rng.normal(size=900), truth + rng.normal(0, 0.8, 900), measure=kind)
    found = recentred(source)
    assert abs(found.difference) < 1e-4 < abs(source.difference)
    weights, before = found.urn.weights / found.urn.total, source.urn.weights / source.urn.total
    assert np.abs(weights - before).sum() / 2 < 0.25
    # and what is drawn from it is centred there
    drawn = np.array([found.ask(*found.urn.draw(stream, 300), Seed(1)).difference for _ in range(300)])
    assert abs(drawn.mean()) < 4 * drawn.std() / np.sqrt(300) + 2e-3  # F1 on a set is not quite unbiased


def test_tilting_moves_a_mean_as_the_textbook_says():
    """Of a mean w ∝ exp(λ d): with the λ that solves Σ w d = 0, found by scipy."""
    from scipy.optimize import brentq

    rng = np.random.default_rng(10)
    a, b = rng.normal(size=400), rng.normal(0.2, 1, 400)
    d = b - a
    factor = brentq(lambda x: (np.exp(x * d) * d).sum(), -5, 5)
    expected = np.exp(factor * d) / np.exp(factor * d).sum()
    found = recentred(whole(None, a, b, measure="mean")).urn
    assert np.abs(found.weights / found.total - expected).max() < 2e-5  # weights are whole numbers of 256 on average


def test_the_overlap_is_that_of_drawn_sets():
    rng = np.random.default_rng(18)
    n, size = 2_000, 200
    shared = [
        np.isin(first, second).mean()
        for first, second in ((rng.integers(0, n, size), rng.integers(0, n, size)) for _ in range(300))
    ]
    s = cw.study(*correlated(n=n), test_size=size, n_sets=2, sizes=[size], rng=1)
    assert s.confidence[0].overlap == pytest.approx(np.mean(shared), abs=4 * np.std(shared) / np.sqrt(300))
    # keller2004 section 5: a hundredth of the set
    assert pytest.approx(0.00995, abs=1e-6) == 1 - (1 - 1 / 790_900) ** 7_909
