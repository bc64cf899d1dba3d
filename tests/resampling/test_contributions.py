"""Groups, strata and crossed groups, against Student's t, a stratified variance and statsmodels."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_curve

import clearwin as cw
from clearwin.data.questions import Question
from clearwin.data.reading import Reading
from clearwin.measures import find
from clearwin.reading.reading import read_data
from clearwin.resampling.contributions import contributions

MEASURES = ("accuracy", "f1", "precision", "mcc", "macro_f1", "auc", "average_precision", "eer", "mean", "brier")


def in_groups(measure, seed, groups=12, size=15):
    """Return items of which groups share their luck; scores for measures of scores, values for the mean."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), rng.integers(2, 2 * size, groups))
    luck = rng.normal(size=groups)[group]
    truth = rng.integers(0, 2, group.size)
    a, b = 1.2 * truth + 0.8 * luck + rng.normal(size=group.size), 1.5 * truth + rng.normal(size=group.size)
    if measure == "mean":
        return None, a, b, group
    if measure == "brier":
        return truth, 1 / (1 + np.exp(-a)), 1 / (1 + np.exp(-b)), group
    return (truth, a, b, group) if find(measure).takes == "scores" else (truth, a > 0.6, b > 0.6, group)


def added_by(measure, truth, a, b, **how):
    if truth is not None and find(measure).takes == "decisions":
        a, b = np.asarray(a, dtype=int), np.asarray(b, dtype=int)
    sample, asked = read_data(None, truth, {"a": a, "b": b}, find(measure), Reading(**how))
    return contributions(sample, asked)


def test_of_groups_of_one_size_t_is_students():
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(8), 5)
    a, b = rng.normal(size=(2, 40))
    means = (b - a).reshape(8, 5).mean(axis=1)
    added = added_by("mean", None, a, b, groups=group)
    for delta in (0.0, 0.3, -1.0):
        there = stats.ttest_1samp(means, delta)
        assert added.deviation(delta).t == pytest.approx(there.statistic)
        assert added.deviation(delta).degrees == there.df
    assert added.error == pytest.approx(stats.sem(means))


def test_groups_of_one_item_each_are_items():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 60)
    a, b = (np.where(rng.random(60) < wrong, 1 - truth, truth) for wrong in (0.3, 0.2))
    alone = (b == truth) * 1.0 - (a == truth)
    added = added_by("accuracy", truth, a, b, groups=np.arange(60))
    # half an item on each side is added to the variance: (½ + ½ for each class)/n²
    t = alone.sum() / np.sqrt(60 / 59 * ((alone - alone.mean()) ** 2).sum() + 2.0)
    assert added.deviation(0.0).t == pytest.approx(t, rel=0.02)


def test_the_corrected_t_is_halls():
    rng = np.random.default_rng(3)
    values = np.exp(rng.normal(size=30))
    added = added_by("mean", None, np.zeros(30), values, groups=np.arange(30))
    tau = (values.mean() - 1.5) / values.std(ddof=1)
    skewness = stats.skew(values)
    wanted = np.sqrt(30) * (tau + skewness * tau**2 / 3 + skewness**2 * tau**3 / 27 + skewness / 180)
    assert added.deviation(1.5).corrected == pytest.approx(wanted)
    assert added.deviation(1.5).skewness == pytest.approx(skewness / np.sqrt(30))


def test_of_strata_only_what_varies_within_them_counts():
    rng = np.random.default_rng(4)
    stratum = np.repeat(np.arange(6), [2, 3, 5, 8, 13, 4])
    a, b = rng.normal(size=(2, stratum.size)) + 5.0 * stratum
    within = [(b - a)[stratum == s] for s in range(6)]
    variance = sum(part.size**2 * part.var(ddof=1) / part.size for part in within) / stratum.size**2
    assert added_by("mean", None, a, b, strata=stratum).error == pytest.approx(np.sqrt(variance))


def test_strata_of_one_item_are_taken_together():
    rng = np.random.default_rng(5)
    stratum = np.append(np.repeat(np.arange(3), 10), [3, 4, 5])
    a, b = rng.normal(size=(2, 33))
    together = np.minimum(stratum, 3)
    found, wanted = (added_by("mean", None, a, b, strata=s).error for s in (stratum, together))
    assert found == pytest.approx(wanted)


def test_crossed_groups_have_the_variance_of_statsmodels():
    sandwich = pytest.importorskip("statsmodels.stats.sandwich_covariance")
    api = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(6)
    first, second = rng.integers(0, 7, 200), rng.integers(0, 11, 200)
    values = rng.normal(size=7)[first] + rng.normal(size=11)[second] + rng.normal(size=200)
    fitted = api.OLS(values, np.ones(200)).fit()
    both = np.unique(np.stack([first, second]), axis=1, return_inverse=True)[1].ravel()
    # statsmodels divides by no degree of freedom here; ours has G/(G − 1) for each of the three groupings
    parts = [
        float(sandwich.cov_cluster(fitted, of, use_correction=False)[0, 0]) * (of.max() + 1) / of.max()
        for of in (first, second, both)
    ]
    added = added_by("mean", None, np.zeros(200), values, groups=[first, second])
    assert added.error**2 == pytest.approx(parts[0] + parts[1] - parts[2])
    assert added.deviation(0.0).degrees == 6


def test_nested_groups_are_the_coarsest():
    truth, a, b, group = in_groups("f1", 7)
    fine = group * 3 + np.arange(group.size) % 3
    coarse, both = (cw.compare(truth, a * 1, b * 1, measure="f1", groups=g, rng=1) for g in (group, [fine, group]))
    assert both.p_value == coarse.p_value
    assert both.interval == coarse.interval


@pytest.mark.parametrize("measure", MEASURES)
def test_p_value_and_interval_never_contradict_and_swapping_the_models_mirrors_both(measure):
    for seed in (0, 2):
        truth, a, b, group = in_groups(measure, seed, groups=4 + 6 * seed)
        a, b = (x.astype(int) if x.dtype == bool else x for x in (a, b))
        for level in (0.95, 0.6):
            found = cw.compare(truth, a, b, measure=measure, groups=group, rng=1, confidence_level=level)
            assert found.test == "studentised"
            assert (found.p_value <= 1 - level + 1e-12) == (0.0 not in found.interval)
        mirrored = cw.compare(truth, b, a, measure=measure, groups=group, rng=1, confidence_level=level)
        assert mirrored.p_value == found.p_value
        assert (mirrored.interval.low, mirrored.interval.high) == (-found.interval.high, -found.interval.low)


@pytest.mark.parametrize("measure", MEASURES)
def test_every_end_of_an_interval_has_the_level_as_its_p_value(measure):
    truth, a, b, group = in_groups(measure, 3, groups=25)
    found = added_by(measure, truth, a, b, groups=group)
    assert found.at(found.observed)[0] @ found.times == pytest.approx(0.0, abs=1e-9)
    a, b = (x.astype(int) if x.dtype == bool else x for x in (a, b))
    interval = cw.compare(truth, a, b, measure=measure, groups=group, rng=1).interval
    for end in (interval.low, interval.high):
        there = found.deviation(end)
        tail = max(stats.t.sf(np.abs([there.t, there.corrected]), there.degrees))
        assert 2 * tail == pytest.approx(0.05, abs=0.003)  # ends are found to a hundredth of a standard error


def rejected(sets, groups, draw):
    """Return how many of the test sets tell models apart whose measure is equal."""
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(sets):
        measure, truth, a, b, group = draw(rng, groups)
        found += cw.compare(truth, a, b, measure=measure, groups=group, rng=1).p_value <= 0.05
    return found


def clustered_values(rng, groups):
    """Only B's lognormal values are alike within a group; both have the mean 1."""
    group = np.repeat(np.arange(groups), 20)
    a, own, shared = rng.normal(size=group.size), rng.normal(size=group.size), rng.normal(size=groups)[group]
    return "mean", None, np.exp(a - 0.5), np.exp(np.sqrt(0.5) * (own + shared) - 0.5), group


@pytest.mark.parametrize("sets", [60, pytest.param(200, marks=pytest.mark.study)])
def test_models_of_which_one_clusters_are_seldom_told_apart(sets):
    # 6 % and three standard errors
    assert rejected(sets, 20, clustered_values) <= 0.06 * sets + 3 * np.sqrt(sets * 0.06 * 0.94)


def test_crossed_groups_are_refused_by_what_draws_or_swaps_one_of_them():
    truth, a, b, group = in_groups("f1", 9)
    other = np.arange(group.size) % 5
    for test in ("permutation", "bootstrap"):
        with pytest.raises(cw.errors.NotApplicableError, match="the groups here are crossed"):
            cw.compare(truth, a * 1, b * 1, measure="f1", groups=[group, other], test=test)
    with pytest.raises(cw.errors.NotApplicableError, match="the groups here are crossed"):
        cw.estimate(truth, a * 1, measure="f1", groups=[group, other], interval="percentile")
    assert "crossed with 12" in cw.compare(truth, a * 1, b * 1, measure="f1", groups=[group, other], rng=1).why


def test_the_question_is_asked_of_the_same_sample():
    truth, a, b, group = in_groups("f1", 10)
    question = Question(*read_data(None, truth, {"a": a * 1, "b": b * 1}, find("f1"), Reading(groups=group)))
    assert contributions(question.sample, question.measure).observed == pytest.approx(question.difference)


@pytest.mark.parametrize("measure", MEASURES)
def test_rank_says_of_two_models_in_groups_what_compare_says(measure):
    truth, a, b, group = in_groups(measure, 5, groups=15)
    a, b = (x.astype(int) if x.dtype == bool else x for x in (a, b))
    for how in ({"groups": group}, {"strata": group}):
        pair = cw.rank(truth, {"a": a, "b": b}, measure=measure, rng=3, n_resamples=300, **how).pairs[0]
        first, second = (a, b) if pair.a == "a" else (b, a)
        found = cw.compare(truth, first, second, measure=measure, rng=3, n_resamples=300, **how)
        assert (pair.p_value, pair.interval) == (found.p_value, found.interval)


def test_few_groups_of_very_unequal_sizes_have_a_finite_interval():
    rng = np.random.default_rng(11)
    group = np.repeat(np.arange(5), [2, 3, 2, 120, 4])
    values = np.exp(rng.normal(size=group.size))
    for found in (
        cw.estimate(None, values, measure="mean", groups=group, rng=1).interval,
        cw.compare(None, values, values[::-1], measure="mean", groups=group, rng=1).interval,
    ):
        assert np.isfinite([found.low, found.high]).all()


COST = "min_dcf(cost_fn=1, cost_fp=10, prior=0.99)"


def trials(rng, people):
    """Verification trials of people, some of them hard for one system only; the worst cost, 0.1, is not far away."""
    person, target = np.repeat(np.arange(people), 20), np.tile([1] * 6 + [0] * 14, people)
    ease = rng.normal(0, 0.4, people)
    a, b = (
        target * (gap + (ease + rng.normal(0, 0.5, people))[person]) + rng.normal(size=target.size)
        for gap in (2.0, 2.5)
    )
    return target, a, b, person


def test_a_lowest_cost_by_groups_is_about_as_wide_as_the_bootstrap_of_groups():
    """No population like this one has a difference beyond the last threshold: such a difference is not kept for it."""
    target, a, b, person = trials(np.random.default_rng(5), 60)
    r = cw.compare(target, a, b, measure=COST, groups=person, rng=1)

    def lowest(y, scores):
        fpr, tpr, _ = roc_curve(y, scores)
        return (0.99 * (1 - tpr) + 0.1 * fpr).min()

    rng, found = np.random.default_rng(1), []
    items = np.arange(1200).reshape(60, 20)
    for _ in range(200):
        own = items[rng.integers(0, 60, 60)].ravel()
        found.append(lowest(target[own], b[own]) - lowest(target[own], a[own]))
    low, high = np.percentile(found, [2.5, 97.5])
    # percentiles cannot pass the worst cost, and are too narrow near it
    assert 0.8 < (r.interval.high - r.interval.low) / (high - low) < 1.8
    added = added_by(COST, target, a, b, groups=person)
    distances = [added.deviation(delta).t for delta in np.linspace(-0.1, 0.1, 21)]
    assert all(np.diff(distances) < 0.5)  # t falls with δ, but for what a jump of the threshold makes


@pytest.mark.study
def test_a_lowest_cost_by_groups_is_covered():
    """150 sets of 40 people; true costs by numbers. 93 % less three standard errors is 86.8 %."""
    x = np.linspace(-5, 8, 20_001)
    old, new = ((0.99 * stats.norm.cdf((x - gap) / np.sqrt(1.41)) + 0.1 * stats.norm.sf(x)).min() for gap in (2.0, 2.5))
    held = [
        new - old in cw.compare(y, a, b, measure=COST, groups=person, rng=1).interval
        for y, a, b, person in (trials(np.random.default_rng(seed), 40) for seed in range(150))
    ]
    assert np.mean(held) >= 0.868


def test_degrees_of_freedom_by_what_groups_hold_of_a_precision():
    """G* − 1, G* = (Σ w)²/Σ w² of what a model predicts positive (Carter et al. 2017), for whoever has the fewer."""
    rng = np.random.default_rng(12)
    group = np.repeat(np.arange(12), 15)
    y = rng.random(180) < 0.4
    rate = np.where(group < 3, 0.8, 0.1)
    a, b = (np.where(rng.random(180) < rate, 1, 0) for _ in range(2))
    r = cw.compare(y * 1, a, b, measure="precision", groups=group, rng=1)
    held = [np.bincount(group, x) for x in (a, b)]
    effective = min(w.sum() ** 2 / (w**2).sum() for w in held)
    assert r.sampling.effective == pytest.approx(effective)
    assert f"varies with {round(effective - 1)} degrees of freedom" in r.why
    # an accuracy counts every item
    assert cw.compare(y * 1, a, b, measure="accuracy", groups=group, rng=1).sampling.effective == pytest.approx(12)


def test_the_difference_of_areas_by_groups_is_obuchowskis():
    """DeLong's placements summed by groups (Obuchowski 1997), by brute force; the degrees by who holds positives."""
    rng = np.random.default_rng(6)
    group = np.repeat(np.arange(30), 10)
    y = np.where(group < 6, rng.random(300) < 0.3, rng.random(300) < 0.02)
    z = rng.normal(size=300)
    models = z + y, 0.5 * z + rng.normal(size=300) + 3.0 * y
    moved = np.zeros(300)
    for sign, score in zip((-1, 1), models, strict=True):
        above = (score[y][:, None] > score[~y]) * 1.0
        moved[y] += sign * (above.mean(axis=1) - above.mean()) / y.sum()
        moved[~y] += sign * (above.mean(axis=0) - above.mean()) / (~y).sum()
    sums = np.bincount(group, moved)
    error = np.sqrt(30 / 29 * ((sums - sums.mean()) ** 2).sum())
    difference = np.subtract(*(stats.mannwhitneyu(s[y], s[~y]).statistic for s in models[::-1])) / y.sum() / (~y).sum()
    found = added_by("auc", y * 1, *models, groups=group).deviation(0.0)
    held = np.bincount(group[y])
    assert found.t == pytest.approx(difference / error, rel=0.02)
    assert found.degrees == pytest.approx(held.sum() ** 2 / (held**2).sum() - 1.0)
