"""Influence values against derivatives by brute force, standard errors against the bootstrap, tilted samples."""

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.data.reading import Reading
from clearwin.data.scores import scored_items
from clearwin.measures import find
from clearwin.reading.reading import read_data
from clearwin.resampling.functionals import functional, has_functional, is_designed
from clearwin.streams import Seed
from tests.resampling.scored import scores

EVERY = cw.list_measures()
OF_DECISIONS = [name for name, m in EVERY.items() if m.takes == "decisions"]
OF_MANY = [name for name in OF_DECISIONS if EVERY[name].any_number_of_classes]
OF_SCORES = [name for name, m in EVERY.items() if m.takes == "scores"]


def decisions(k, n=400, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(k, 0, -1) / np.arange(1, k + 1).sum())
    a, b = (np.where(rng.random(n) < right, y, rng.integers(0, k, n)) for right in (0.6, 0.7))
    return y, a, b


def found_of(data, measure, **how):
    y, a, b = data
    sample, judged = read_data(None, y, {"a": a, "b": b}, find(measure), Reading(**how))
    return functional(sample, judged)


def by_brute_force(found, weights):
    """The derivative along every unit's share, one unit at a time."""
    n, step = weights.sum(), 1e-5
    slopes = np.empty(weights.size)
    for u in range(weights.size):
        more, less = weights.copy(), weights.copy()
        more[u] += step * n
        less[u] -= step * n
        slopes[u] = np.diff(found.values(np.stack([less, more], axis=1)))[0] / (2 * step)
    return slopes - weights @ slopes / n


@pytest.mark.parametrize("measure", OF_DECISIONS)
def test_influence_on_two_classes(measure):
    found = found_of(decisions(2), measure, positive=1 if EVERY[measure].needs_positive else None)
    weights = found.times + found.extra
    assert found.influence(weights[:, None])[:, 0] == pytest.approx(by_brute_force(found, weights), abs=1e-4)


@pytest.mark.parametrize("measure", OF_MANY)
def test_influence_on_many_classes(measure):
    found = found_of(decisions(4), measure)
    weights = found.times + found.extra
    assert found.influence(weights[:, None])[:, 0] == pytest.approx(by_brute_force(found, weights), abs=1e-4)


@pytest.mark.parametrize("measure", ["macro_f1", "micro_f1", "weighted_f1", "hamming_loss", "macro_precision"])
def test_influence_on_label_sets(measure):
    rng = np.random.default_rng(2)
    truth = [[label for label in "wxyz" if rng.random() < 0.4] for _ in range(150)]
    a, b = ([[x for x in "wxyz" if (x in doc) != (rng.random() < e)] for doc in truth] for e in (0.2, 0.15))
    found = found_of((truth, a, b), measure)
    weights = found.times + found.extra
    assert found.influence(weights[:, None])[:, 0] == pytest.approx(by_brute_force(found, weights), abs=1e-4)


@pytest.mark.parametrize("measure", OF_SCORES)
def test_the_standard_error_of_scores_is_near_the_bootstraps(measure):
    y, a, b = scores(n=1_500, ties=False)
    found = functional(scored_items(y, a, b, positive=1), find(measure))
    drawn = cw.compare(y, a, b, measure=measure, test="bootstrap", rng=1, n_resamples=2_000).distribution
    # 2,000 replicates know their standard deviation to 1.6 %; a slope at a threshold is known less well
    assert found.error == pytest.approx(drawn.values.std(), rel=0.2 if found.stepped else 0.1)


@pytest.mark.parametrize("measure", OF_SCORES)
def test_influence_sums_to_nothing_and_the_value_is_that_of_compare(measure):
    y, a, b = scores()
    found = functional(scored_items(y, a, b, positive=1), find(measure))
    influence = found.influence(found.times[:, None])[:, 0]
    assert found.times @ influence == pytest.approx(0.0, abs=1e-9)
    assert found.observed == pytest.approx(cw.compare(y, a, b, measure=measure, rng=1, n_resamples=50).difference)


@pytest.mark.parametrize("measure", ["accuracy", "f1", "precision", "mcc", "macro_f1", "dcf", "auc", "partial_auc"])
def test_a_tilted_sample_has_the_value_that_was_asked_for(measure):
    data = scores() if EVERY[measure].takes == "scores" else decisions(2)
    found = found_of(data, measure, positive=1 if EVERY[measure].needs_positive else None)
    for value in (0.0, found.observed / 2, found.observed + 2 * found.error):
        shares = found.tilted(value)
        assert shares.sum() == pytest.approx(1.0)
        assert (shares >= 0).all()
        assert found.values(shares[:, None])[0] == pytest.approx(value, abs=1e-6)


def test_satterthwaites_degrees_of_a_proportion():
    """Of n values 0 and 2 with share p, h² is as (1 − p)² or p²: the degrees follow from the formula by hand."""
    values = np.repeat([0.0, 2.0], [80, 20])
    found = found_of((None, np.zeros(100), values), "mean")
    variance, fourth = 0.2 * 0.8, 0.2 * 0.8**4 + 0.8 * 0.2**4
    assert found.degrees == pytest.approx(2 * 100 * variance**2 / (fourth - variance**2))
    assert found.error == pytest.approx(2 * np.sqrt(variance / 99))


def test_few_hits_leave_few_degrees():
    many = found_of(decisions(2, n=2_000), "precision", positive=1).degrees
    few = found_of(decisions(2, n=60), "precision", positive=1).degrees
    assert few < 60 < many


def test_a_formula_that_counts_items_has_no_functional():
    items = cw.custom_measure(lambda c: c.tp - c.fp, name="net")
    share = cw.custom_measure(lambda c: (c.tp - c.fp) / c.n, name="net share")
    joint = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    assert cw.compare(joint, measure=items, rng=1, n_resamples=200).test == "permutation"
    assert cw.compare(joint, measure=share, rng=1, n_resamples=200).test == "studentised"


@pytest.mark.parametrize(("a", "b", "varies"), [([1.0], [2.0], False), ([1.0, 2.0], [2.0, 5.0], True)])
def test_two_items_show_how_values_vary_and_one_does_not(a, b, varies):
    sample, measure = read_data(None, None, {"a": np.array(a), "b": np.array(b)}, find("mean"), Reading())
    assert has_functional(sample, measure) == varies
    if varies:  # differences of 1 and 3, as scipy says
        assert functional(sample, measure).error == pytest.approx(stats.sem([1.0, 3.0]))


def test_groups_and_strata_are_not_items_that_stand_for_themselves():
    y, a, b = decisions(2)
    for how in ({"groups": np.arange(y.size) // 4}, {"strata": y}):
        sample, measure = read_data(None, y, {"a": a, "b": b}, find("f1"), Reading(positive=1, **how))
        assert is_designed(sample)
        assert has_functional(sample, measure)
        assert functional(sample, measure) is None


def test_the_same_seed_gives_the_same_statistics():
    found = found_of(decisions(2), "f1", positive=1)
    there, again, other = (found.statistics(0.0, 300, Seed.of(seed))[0] for seed in (1, 1, 2))
    assert (there == again).all()
    assert not (there == other).all()


def one_by_one(found, drawn):
    """Values and standard errors from the influence values alone, test set by test set."""
    values = found.values(drawn)
    errors = []
    for weights in (drawn + found.extra[:, None]).T:
        influence = found.influence(weights[:, None])[:, 0]
        errors.append(np.sqrt((weights * influence**2).sum()) / weights.sum())
    return values, np.array(errors)


@pytest.mark.parametrize("measure", ["macro_f1", "f1_of_macro", "hamming_loss", "auc", "average_precision", "f1"])
def test_what_is_measured_in_compiled_loops_is_what_influence_says(measure):
    rng = np.random.default_rng(6)
    if EVERY[measure].takes == "scores":
        y, a, b = scores()
        found = functional(scored_items(y, a, b, positive=1), find(measure))
    elif measure == "f1":
        found = found_of(decisions(2), measure, positive=1)
    else:
        truth = [[label for label in "wxyz" if rng.random() < 0.4] for _ in range(60)]
        answers = ([[x for x in "wxyz" if (x in doc) != (rng.random() < e)] for doc in truth] for e in (0.2, 0.15))
        found = found_of((truth, *answers), measure)
    drawn = rng.poisson(1.5, (found.times.size, 5)).astype(float) * found.times[:, None]
    values, errors, undefined = found.measured(drawn)
    expected = one_by_one(found, drawn)
    assert undefined == 0
    assert values == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
    assert errors == pytest.approx(expected[1], rel=1e-9)


def test_small_differences_of_large_values_are_not_taken_for_rounding():
    """t of normal differences has Student's distribution, also where the models share a value of millions of them."""
    stream = np.random.RandomState(12)
    d = stream.normal(size=40) / 2**10
    sample, measure = read_data(None, None, {"a": 2.0**13 + 0 * d, "b": 2.0**13 + d}, find("mean"), Reading())
    found, undefined = functional(sample, measure).statistics(0.0, 999, Seed.of(3))
    assert undefined == 0
    assert np.count_nonzero(found) > 990
    assert stats.kstest(found, stats.t(39).cdf).statistic < 0.08


def test_the_skewness_of_a_mean_is_scipys_over_the_root_of_n():
    d = np.random.default_rng(4).exponential(size=50)
    sample, read = read_data(None, None, {"a": np.zeros(50), "b": d}, find("mean"), Reading())
    assert functional(sample, read).skewness == pytest.approx(stats.skew(d) / np.sqrt(50), rel=1e-9)


def test_two_items_added_to_equal_values_stand_around_their_mean():
    """By hand: half of 1, 2, 3, 4 is left, about 1.25, and an item for each model lies the range, 3, from that."""
    a = np.array([1.0, 2.0, 3.0, 4.0])
    sample, measure = read_data(None, None, {"a": a, "b": a}, find("mean"), Reading())
    found = functional(sample, measure, weight=0.5)
    assert found.observed == pytest.approx(1.25)
    assert found.values((found.times + found.extra)[:, None]) == pytest.approx(1.25)
    squares = [0.75**2, 0.25**2, 0.25**2, 0.75**2, 3.0**2, 3.0**2]
    assert found.error == pytest.approx(np.sqrt(sum(squares)) / 6)


def test_the_error_of_macro_f1_over_many_classes_is_about_how_much_it_varies():
    """50 classes, 500 items, two models that are alike: 150 sets, whose deviation is known to 6 %."""
    rng, shares = np.random.default_rng(5), 1.0 / np.arange(1, 51)
    differences, errors = [], []
    for _ in range(150):
        truth = rng.choice(50, 500, p=shares / shares.sum())
        same = rng.random(500) < 0.7
        a = np.where(rng.random(500) < 0.7, truth, rng.integers(0, 50, 500))
        b = np.where(same, a, np.where(rng.random(500) < 0.7, truth, rng.integers(0, 50, 500)))
        sample, measure = read_data(None, truth, {"a": a, "b": b}, find("macro_f1"), Reading())
        found = functional(sample, measure)
        differences.append(found.observed)
        errors.append(found.error)
    assert 0.9 < np.mean(errors) / np.std(differences) < 1.3
