"""t of every pair of many models: errors as for two models, and t* against plain loops over drawn test sets."""

import numpy as np
import pytest
from scipy import stats

from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.resampling import boards
from clearwin.resampling.boards import pair_statistics, skewness
from clearwin.resampling.functionals import functional
from clearwin.streams import Seed

N, M = 80, 4
PAIRS = [(0, 1), (2, 1), (3, 0)]


def data(measure, seed=5):
    rng = np.random.default_rng(seed)
    classes = 3 if measure in ("macro_f1", "mcc") else 2
    y = rng.integers(0, classes, N)
    if find(measure).takes == "values":
        return None, {f"m{j}": np.exp(rng.normal(size=N)) for j in range(M)}
    if find(measure).needs_scores:
        return y, {f"m{j}": (y + rng.normal(size=N)).round(1) for j in range(M)}
    return y, {f"m{j}": np.where(rng.random(N) < 0.25, rng.integers(0, classes, N), y) for j in range(M)}


def sample_of(measure, **how):
    y, models = data(measure)
    return read_sample(y, models, find(measure), Reading(ranked=True, **how))


MEASURES = ("f1", "precision", "accuracy", "macro_f1", "auc", "average_precision", "eer", "min_dcf", "mean")
# of three classes the half item that is wrong goes where all models err most, not these two
NEAR = {"macro_f1": 0.05, "eer": 0.01}  # a pair's items in a row are one unit, whose slope is that of all


@pytest.mark.parametrize("measure", MEASURES)
def test_errors_and_degrees_are_those_of_two_models(measure):
    sample, asked = sample_of(measure)
    found = pair_statistics(sample, asked, PAIRS, 100)
    for pair, error, degrees in zip(PAIRS, found.errors, found.degrees, strict=True):
        two = functional(sample.of_pair(*pair), asked)
        assert error == pytest.approx(two.error, rel=NEAR.get(measure, 1e-9))
        assert degrees == pytest.approx(two.degrees, rel=NEAR.get(measure, 1e-6))


@pytest.mark.parametrize("measure", ["f1", "macro_f1", "auc", "eer"])
def test_t_of_a_test_set_is_that_of_two_models_on_it(measure):
    """Weights of some test sets, given to the functional of each pair: another way to the same numbers."""
    sample, asked = sample_of(measure)
    found = pair_statistics(sample, asked, PAIRS, 100)
    rng = np.random.default_rng(1)
    weights = rng.multinomial(N, found.times / N, size=5).T.astype(float)
    ours = found.statistics(weights)
    for i, pair in enumerate(PAIRS):
        two = functional(sample.of_pair(*pair), asked)
        theirs = np.zeros((two.times.size, 5))
        if measure in ("auc", "eer"):  # the items of two models stand in an order of their own
            mine, its = (
                np.stack([s.scores[j] for j in js])
                for s, js in ((sample.arranged, pair), (sample.of_pair(*pair), (0, 1)))
            )
            order = [np.lexsort((*x, s.truth)) for x, s in ((mine, sample.arranged), (its, sample.of_pair(*pair)))]
            of_items = np.empty((N, 5))
            of_items[order[1]] = weights[order[0]]
            np.add.at(theirs, two.unit_of_item, of_items)
        else:
            for u, (y, *said) in enumerate(zip(sample.truth, *sample.decisions[list(pair)], strict=True)):
                theirs[(two.truth == y) & (two.a == said[0]) & (two.b == said[1])] += weights[u]
        expected = (two.values(theirs) - two.observed) / two.errors(theirs)
        assert ours[i] == pytest.approx(expected, abs=NEAR.get(measure, 1e-6))


def test_t_of_means_is_that_of_the_textbook():
    sample, asked = sample_of("mean")
    found = pair_statistics(sample, asked, PAIRS, 100)
    weights = np.random.default_rng(2).multinomial(N, np.full(N, 1 / N), size=20).T
    ours = found.statistics(weights.astype(float))
    for i, (a, b) in enumerate(PAIRS):
        gaps = sample.units.sums[b] - sample.units.sums[a]
        drawn = [np.repeat(gaps, w) for w in weights.T]
        assert ours[i] == pytest.approx([stats.ttest_1samp(x, gaps.mean()).statistic for x in drawn])
        assert found.errors[i] == pytest.approx(stats.sem(gaps))


def test_skewness_is_that_of_scipy():
    sample, asked = sample_of("mean")
    gaps = [sample.units.sums[b] - sample.units.sums[a] for a, b in PAIRS]
    assert skewness(sample, asked, PAIRS) == pytest.approx([abs(stats.skew(x)) / np.sqrt(N) for x in gaps])
    assert not skewness(*sample_of("f1"), PAIRS).any()


@pytest.mark.parametrize("measure", ["f1", "auc", "mean"])
def test_units_of_more_than_one_item_strata_and_long_work_have_none(measure, monkeypatch):
    groups, strata = np.arange(N) // 2, np.arange(N) % 2
    assert pair_statistics(*sample_of(measure, groups=groups), PAIRS, 100) is None
    assert pair_statistics(*sample_of(measure, strata=strata), PAIRS, 100) is None
    assert pair_statistics(*sample_of(measure), PAIRS, 10**9) is None
    monkeypatch.setattr(boards, "MOST_WORK", 100)
    assert pair_statistics(*sample_of(measure), PAIRS, 100) is None


def test_a_test_set_without_a_class_says_nothing():
    sample, asked = sample_of("auc")
    found = pair_statistics(sample, asked, PAIRS, 100)
    one_class = sample.arranged.truth.astype(float)[:, None]
    assert (found.statistics(one_class) == 0.0).all()
    assert np.isfinite(found.drawn(200, Seed(1))).all()


def test_means_are_drawn_up_to_the_most_work_and_models_themselves_are_none(monkeypatch):
    """Of means a pair is one difference for each item: n · pairs · replicates numbers, and not one more."""
    sample, measure = sample_of("mean")
    pairs = [(0, 1), (0, 2)]
    for limit, most in (("MOST_WORK", sample.n * len(pairs) * 50), ("MOST_STATISTICS", len(pairs) * 50)):
        with monkeypatch.context() as patched:
            patched.setattr(boards, limit, most)
            assert pair_statistics(sample, measure, pairs, 50) is not None
            assert pair_statistics(sample, measure, pairs, 51) is None
