"""Scores, losses and thresholds by groups and strata."""

import joblib
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.scores import scored_items
from clearwin.measures import find
from clearwin.numerics.auc_covariance import auc, auc_covariance, clustered_variance, difference_variance
from clearwin.resampling.bootstrap import draw, left_out
from clearwin.resampling.of_scores import swap_scores
from clearwin.streams import Seed


def sample(seed, groups=40, ties=False):
    """Groups of 1 to 9 items with a common part in their scores; classes mixed within groups."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 10, groups)
    group = np.repeat(np.arange(groups), sizes)
    y = (rng.random(group.size) < 0.4).astype(int)
    common = rng.normal(size=groups)[group]
    a, b = (p * y + common + rng.normal(size=y.size) for p in (1.0, 1.6))
    return (y, a.round(1), b.round(1), group) if ties else (y, a, b, group)


def question(y, a, b, measure="auc", *, n_resamples=3_000, seed=1, **how):
    items = scored_items(y, a, b, **how)
    return Question(items, find(measure), Options(n_resamples=n_resamples, seed=Seed(seed)))


def members_of(group):
    return [np.flatnonzero(group == g) for g in np.unique(group)]


def auc_by_hand(y, scores):
    """Of every pair of a positive and a negative item: is the positive one above? Much faster than scikit-learn's."""
    above = scores[y == 1][:, None] - scores[y == 0]
    return np.mean((above > 0) + 0.5 * (above == 0))


def test_the_area_by_hand_is_scikit_learns():
    y, a, b, _ = sample(1, ties=True)
    for scores in (a, b):
        assert auc_by_hand(y, scores) == pytest.approx(roc_auc_score(y, scores), rel=1e-12)


@pytest.mark.parametrize("measure", ["auc", "average_precision"])
@pytest.mark.parametrize("stratified", [False, True])
def test_drawing_groups_is_drawing_by_index(measure, stratified):
    y, a, b, group = sample(1, ties=True)
    strata = np.where(group < 15, "first", "second") if stratified else np.zeros(y.size, dtype=int)
    score = {"auc": auc_by_hand, "average_precision": average_precision_score}[measure]
    members, rng = members_of(group), np.random.default_rng(2)
    of_members = np.array([strata[m[0]] for m in members])
    slow = np.empty(200)
    for i in range(slow.size):
        at = np.concatenate(
            [
                members[j]
                for s in np.unique(of_members)
                for j in rng.choice(np.flatnonzero(of_members == s), (of_members == s).sum())
            ]
        )
        slow[i] = score(y[at], b[at]) - score(y[at], a[at])
    fast = draw(question(y, a, b, measure, groups=group, strata=strata if stratified else None)).differences
    assert stats.ks_2samp(slow, fast).pvalue > 0.001
    assert fast.std() == pytest.approx(slow.std(), rel=0.25)  # 5 standard errors: the slow one's is 1/√400


def test_swapping_groups_is_swapping_their_ranks_whole():
    y, a, b, group = sample(3)
    ranks = [stats.rankdata(x) for x in (a, b)]
    rng = np.random.default_rng(4)
    slow = np.empty(1_500)
    for i in range(slow.size):
        swap = (rng.random(group.max() + 1) < 0.5)[group]
        c, d = np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
        slow[i] = auc_by_hand(y, d) - auc_by_hand(y, c)
    c, d, _ = swap_scores(question(y, a, b, groups=group))
    assert stats.ks_2samp(slow, d - c).pvalue > 0.001
    assert (d - c).std() == pytest.approx(slow.std(), rel=0.12)


def test_jackknife_leaves_out_whole_groups():
    y, a, b, group = sample(5)
    slow = []
    for m in members_of(group):
        keep = np.setdiff1d(np.arange(y.size), m)
        slow.append(roc_auc_score(y[keep], b[keep]) - roc_auc_score(y[keep], a[keep]))
    found = left_out(question(y, a, b, groups=group))
    assert (found.times == 1).all()
    np.testing.assert_allclose(np.sort(found.differences), np.sort(slow), atol=1e-12)


def slow_obuchowski(y, a, b, group):
    """Obuchowski (1997) by its definition, every pair of a positive and a negative; sums divided by 1 − share."""
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    psi = [
        (np.greater.outer(s[positive], s[negative]) + 0.5 * np.equal.outer(s[positive], s[negative])) for s in (a, b)
    ]
    gap = psi[1] - psi[0]
    v10, v01, area = gap.mean(axis=1), gap.mean(axis=0), gap.mean()
    ids = np.unique(group)
    e10 = np.array([(v10[group[positive] == g] - area).sum() for g in ids])
    e01 = np.array([(v01[group[negative] == g] - area).sum() for g in ids])
    k10, k01, k = (np.unique(x).size for x in (group[positive], group[negative], group))
    m, n = positive.size, negative.size
    e10 = e10 * (1 - 1 / k10) / (1 - np.array([(group[positive] == g).mean() for g in ids]))
    e01 = e01 * (1 - 1 / k01) / (1 - np.array([(group[negative] == g).mean() for g in ids]))
    s10, s01 = k10 / ((k10 - 1) * m) * (e10**2).sum(), k01 / ((k01 - 1) * n) * (e01**2).sum()
    return s10 / m + s01 / n + 2 * k / (k - 1) * (e10 * e01).sum() / (m * n)


def test_obuchowski_against_its_definition_and_delong():
    for seed in range(20):
        y, a, b, group = sample(seed, groups=12, ties=seed % 2 == 0)
        assert clustered_variance(y == 1, [a, b], group) == pytest.approx(slow_obuchowski(y, a, b, group), rel=1e-10)
        alone = clustered_variance(y == 1, [a, b], np.arange(y.size))
        assert alone == pytest.approx(difference_variance(auc_covariance(y == 1, [a, b])), rel=1e-10)
        one = clustered_variance(y == 1, [a], np.arange(y.size))
        assert one == pytest.approx(float(auc_covariance(y == 1, [a]).covariance[0, 0]), rel=1e-10)


def test_obuchowski_agrees_with_the_bootstrap_of_groups():
    y, a, b, group = sample(8, groups=150)
    drawn = draw(question(y, a, b, groups=group, n_resamples=4_000)).differences
    assert drawn.std() == pytest.approx(np.sqrt(clustered_variance(y == 1, [a, b], group)), rel=0.08)


def test_delong_by_groups():
    y, a, b, group = sample(9)
    found = cw.compare(y, a, b, measure="auc", test="delong", groups=group)
    deviation = np.sqrt(slow_obuchowski(y, a, b, group))
    difference = auc(y == 1, b) - auc(y == 1, a)
    degrees = min((y == c).sum() ** 2 / (np.bincount(group[y == c]) ** 2).sum() for c in (0, 1)) - 1
    assert found.statistic == pytest.approx(difference / deviation)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(difference / deviation), degrees))
    half = stats.t.ppf(0.975, degrees) * deviation
    assert (found.interval.low, found.interval.high) == pytest.approx((difference - half, difference + half))
    naive = cw.compare(y, a, b, measure="auc", test="delong")
    # that of influence values, which DeLong's and Obuchowski's variances are but for n/(n − 1) in each class
    assert found.sampling.design_effect == pytest.approx((naive.statistic / found.statistic) ** 2, rel=0.03)
    with pytest.raises(cw.errors.NotApplicableError, match="one group"):
        cw.compare(y, a, b, measure="auc", test="delong", groups=np.where(y == 1, "p", group.astype(str)))


@pytest.mark.parametrize("measure", [m.name for m in cw.list_measures().values() if m.takes in ("scores", "losses")])
def test_every_measure_of_scores_takes_groups_and_strata(measure):
    y, a, b, group = sample(10)
    a, b = (1 / (1 + np.exp(-x)) for x in (a, b))
    strata = np.where(group < 20, "first", "second")
    how = {"measure": measure, "groups": group, "strata": strata, "n_resamples": 300, "rng": 1}
    found = cw.compare(y, a, b, **how)
    assert found.test == "studentised"
    assert found.sampling.n_units == 40
    assert found.sampling.strata == {"first": 20, "second": 20}
    assert 0 < found.sampling.design_effect < 20
    order = np.random.default_rng(11).permutation(y.size)
    moved = cw.compare(y[order], a[order], b[order], **{**how, "groups": group[order], "strata": strata[order]})
    assert moved.to_json() == found.to_json()
    renamed = cw.compare(y, a, b, **{**how, "groups": [f"g{(g * 7) % 40}" for g in group]})
    assert renamed.to_json() == found.to_json()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert cw.compare(y, a, b, **how).to_json() == found.to_json()
    same = cw.compare(y, a, a, **how)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    back = cw.compare(y, b, a, **how)
    assert back.difference == pytest.approx(-found.difference)
    single = cw.estimate(y, a, measure=measure, groups=group, n_resamples=300, rng=1)
    assert single.interval.low <= single.estimate <= single.interval.high


def test_thresholds_keep_the_groups():
    y, a, b, group = sample(12)
    cut = cw.compare(y, a, b, measure="f1", threshold=0.5, groups=group, n_resamples=300, rng=1)
    made = cw.compare(y, a >= 0.5, b >= 0.5, measure="f1", groups=group, positive=1, n_resamples=300, rng=1)
    assert (cut.p_value, cut.interval, cut.sampling) == (made.p_value, made.interval, made.sampling)
    one = cw.estimate(y, a, measure="f1", threshold=0.5, groups=group, n_resamples=300, rng=1)
    assert one.sampling.n_units == 40


def test_the_classes_as_strata():
    y, a, b, group = sample(13)
    with pytest.raises(cw.errors.DataError, match="has items in several strata"):
        cw.compare(y, a, b, measure="auc", strata=y, groups=group)
    by_class = cw.compare(y, a, b, measure="eer", strata=y, n_resamples=300, rng=1)
    assert by_class.sampling.strata == {"0": int((y == 0).sum()), "1": int(y.sum())}
    by_area = cw.compare(y, a, b, measure="auc", strata=y)
    delong = cw.compare(y, a, b, measure="auc", test="delong", strata=y)  # its variance is that of the two classes
    assert by_area.statistic == pytest.approx(delong.statistic, rel=0.05)
    assert not any(c.code == "ignores_strata" for c in (*by_area.caveats, *delong.caveats))
    naive = cw.compare(y, a, b, measure="auc", test="delong", strata=np.arange(y.size) % 2)
    assert any(c.code == "ignores_strata" for c in naive.caveats)
