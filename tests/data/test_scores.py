"""Measures of scores and their tests: against scikit-learn, slow definitions, and the contracts that all must keep."""

import itertools
import json
import math

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn import metrics

import clearwin as cw
from clearwin.cli import main
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.execution import Seed
from clearwin.measures import find
from clearwin.resampling.bootstrap import draw, left_out
from clearwin.resampling.of_scores import swap_scores

MIN_DCF = "min_dcf(cost_fn=10, cost_fp=1, prior=0.1)"
RANKING = ["auc", "partial_auc(max_fpr=0.2)", "average_precision", "eer", MIN_DCF, "break_even"]
LOSSES = ["brier", "log_loss", "mse", "sse", "mae"]
EVERY = RANKING + LOSSES


def sample(seed, n=300, share=0.3, ties=False, sharpness=1.2):
    """Two models with probabilities, one better than the other."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    a, b = (1 / (1 + np.exp(-(2 * s * y - s + rng.normal(size=n)))) for s in (0.6 * sharpness, sharpness))
    return (y, a.round(1), b.round(1)) if ties else (y, a, b)


def slow_points(y, scores):
    """(tp, fp) at every threshold, accepting nothing first: slow and obvious."""
    accepted = [scores >= t for t in sorted(set(scores))[::-1]]
    return [(0, 0)] + [(int((now & (y == 1)).sum()), int((now & (y == 0)).sum())) for now in accepted]


def slow_eer(y, scores):
    """Where the polyline through the operating points meets fpr = 1 − tpr."""
    P, N = y.sum(), (1 - y).sum()
    points = [(fp / N, tp / P) for tp, fp in slow_points(y, scores)]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x1 + y1 >= 1:
            share = (1 - x0 - y0) / (x1 + y1 - x0 - y0)
            return x0 + share * (x1 - x0)
    raise AssertionError


def slow_min_dcf(y, scores, cost_fn=10, cost_fp=1, prior=0.1):
    P, N = y.sum(), (1 - y).sum()
    return min(cost_fn * prior * (P - tp) / P + cost_fp * (1 - prior) * fp / N for tp, fp in slow_points(y, scores))


def slow_break_even(y, scores):
    P = int(y.sum())
    for (tp0, fp0), (tp1, fp1) in itertools.pairwise(slow_points(y, scores)):
        if tp1 + fp1 >= P:
            return (tp0 + (tp1 - tp0) * (P - tp0 - fp0) / (tp1 + fp1 - tp0 - fp0)) / P
    raise AssertionError


ORACLE = {
    "auc": metrics.roc_auc_score,
    "partial_auc(max_fpr=0.2)": lambda y, s: metrics.roc_auc_score(y, s, max_fpr=0.2),
    "average_precision": metrics.average_precision_score,
    "eer": slow_eer,
    MIN_DCF: slow_min_dcf,
    "break_even": slow_break_even,
    "brier": metrics.brier_score_loss,
    "log_loss": metrics.log_loss,
    "mse": lambda y, s: ((s - y) ** 2).mean(),
    "sse": lambda y, s: ((s - y) ** 2).sum(),
    "mae": metrics.mean_absolute_error,
}


def test_every_measure_of_scores_has_an_oracle():
    assert {name.split("(")[0] for name in ORACLE} == {
        m.name for m in cw.list_measures().values() if m.takes in ("scores", "losses")
    }


@pytest.mark.parametrize("name", EVERY)
def test_equals_scikit_learn_or_a_slow_definition(name):
    for seed, ties in itertools.product(range(12), (False, True)):
        y, a, _ = sample(seed, n=30 + 20 * seed, share=(0.1, 0.3, 0.7)[seed % 3], ties=ties)
        value = cw.estimate(y, a, measure=name, interval="percentile", n_resamples=1).estimate
        assert value == pytest.approx(ORACLE[name](y, a), rel=1e-12, abs=1e-13)


def test_auc_is_mann_whitney():
    y, a, _ = sample(1, ties=True)
    u = stats.mannwhitneyu(a[y == 1], a[y == 0]).statistic
    area = cw.estimate(y, a, measure="auc", interval="percentile", n_resamples=1).estimate
    assert area == pytest.approx(u / (y.sum() * (1 - y).sum()))


def judged():
    for test, name in itertools.product(cw.list_tests().values(), EVERY):
        if test.can_judge(find(name)):
            yield pytest.param(test.name, name, id=f"{test.name}-{name}")


@pytest.mark.parametrize(("test", "name"), list(judged()))
def test_contracts(test, name):
    settings = {"measure": name, "test": test, "n_resamples": 400, "rng": 1}
    y, a, b = sample(3, n=250)
    r = cw.compare(y, a, b, **settings)
    assert 0 < r.p_value <= 1
    assert r.interval.low <= r.interval.high
    assert r.difference == pytest.approx(ORACLE[name](y, b) - ORACLE[name](y, a), rel=1e-9)
    # swapped models: the difference changes sign, p stays (sampled ones within 6 standard errors)
    back = cw.compare(y, b, a, **settings)
    assert back.difference == pytest.approx(-r.difference, rel=1e-12)
    slack = 0 if r.p_error is None else 6 * math.hypot(r.p_error, back.p_error) + 2 / 401
    assert back.p_value == pytest.approx(r.p_value, rel=1e-9, abs=slack)
    # identical scores: p = 1 for every claim; of losses that never differ the studentised test by name says nothing
    named = settings | {"test": "auto"} if test == "studentised" else settings
    for claim in ("different", "better", "worse"):
        same = cw.compare(y, a, a, **named, claim=claim)
        assert (same.difference, same.p_value) == (0.0, 1.0)
        assert 0.0 in same.interval
    # the same seed gives the same bits for any number of workers, and the order of the items does not matter
    for backend, workers in (("threading", 2), ("threading", 5), ("loky", 2)):
        with joblib.parallel_config(backend=backend, n_jobs=workers):
            assert cw.compare(y, a, b, **settings).to_json() == r.to_json()
    shuffled = np.random.default_rng(5).permutation(len(y))
    again = cw.compare(y[shuffled], a[shuffled], b[shuffled], **settings)
    assert again.signature == r.signature
    assert again.p_value == pytest.approx(r.p_value, rel=1e-9)
    # a clear win is found and named
    y, a, b = sample(4, n=1500, sharpness=3)
    r = cw.compare(y, a, b, **settings)
    if test == "studentised" and name in ("auc", "average_precision"):
        # near 1 a handful of items decide, and the test is careful: A .996, B 1.000 has p = .065 here
        y, a, b = sample(4, n=1500, sharpness=1)
        r = cw.compare(y, a, b, **settings)
    assert r.verdict().startswith(("B is better than A", "B wins more items than A", "B tends to be better than A"))
    assert r.null_hypothesis in r.verdict()


@pytest.mark.parametrize(
    ("test", "name"), [("delong", "auc"), *itertools.product(("bootstrap", "permutation"), RANKING)]
)
def test_monotone_transforms_change_nothing(test, name):
    y, a, b = sample(6, n=200, ties=True)
    plain = cw.compare(y, a, b, measure=name, test=test, n_resamples=300, rng=2)
    moved = cw.compare(y, np.exp(5 * a), -1 / (b + 1), measure=name, test=test, n_resamples=300, rng=2)
    assert (moved.p_value, moved.interval, moved.difference) == (plain.p_value, plain.interval, plain.difference)


@pytest.mark.parametrize("name", EVERY)
def test_every_item_twice_changes_no_estimate(name):
    y, a, _ = sample(7, n=90, ties=True)
    twice = cw.estimate(np.r_[y, y], np.r_[a, a], measure=name, interval="percentile", n_resamples=1).estimate
    factor = 2 if name == "sse" else 1
    once = cw.estimate(y, a, measure=name, interval="percentile", n_resamples=1).estimate
    assert twice == pytest.approx(factor * once, rel=1e-12)


@pytest.mark.parametrize("scale", [1e308, 1e-310, 1.0])
def test_extreme_scores_give_the_same_answer_as_an_easy_copy(scale):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 80)
    ranks_a, ranks_b = (rng.permutation(80) + 40 * y for _ in range(2))
    if scale == 1.0:  # near-ties: neighbouring floats
        hard = [np.array([np.nextafter(1.0, 2.0) + k * np.finfo(float).eps for k in r]) for r in (ranks_a, ranks_b)]
    else:
        hard = [r / r.max() * scale for r in (ranks_a, ranks_b)]
        assert len(set(hard[0])) == len(set(ranks_a))
    for name in RANKING:
        easy = cw.compare(y, ranks_a, ranks_b, measure=name, test="bootstrap", n_resamples=50, rng=1)
        assert cw.compare(y, *hard, measure=name, test="bootstrap", n_resamples=50, rng=1).interval == easy.interval


# --- replicates -------------------------------------------------------------------------------------------------


def question_of(y, a, b, name, n_resamples=3_000, stratified=False):
    read = read_sample(y, {"a": a, "b": b}, find(name), Reading(strata=y if stratified else None))
    return Question(*read, Options(n_resamples=n_resamples, seed=Seed(1)))


@pytest.mark.parametrize("name", ["auc", "average_precision", "eer", "brier"])
@pytest.mark.parametrize("stratified", [False, True])
def test_weights_equal_drawing_items_in_distribution(name, stratified):
    y, a, b = sample(9, n=120, ties=True)
    rng = np.random.default_rng(2)
    slow = np.empty(600)
    for i in range(slow.size):
        if stratified:
            at = np.concatenate([rng.choice(np.flatnonzero(y == c), (y == c).sum()) for c in (0, 1)])
        else:
            at = rng.integers(0, 120, 120)
        slow[i] = ORACLE[name](y[at], b[at]) - ORACLE[name](y[at], a[at])
    drawn = draw(question_of(y, a, b, name, stratified=stratified))
    values_a, values_b = drawn.a, drawn.b
    assert drawn.undefined == 0
    # samples of 600 and 3,000 from one distribution: p < .001 once in a thousand seeds
    assert stats.ks_2samp(slow, values_b - values_a).pvalue > 0.001


def test_weights_are_exactly_multinomial():
    """Counts of three kinds of item against the multinomial, over block borders and a block that is not full."""
    from clearwin.numerics import kernels

    n = 2 * kernels.BLOCK_SIZE + 777
    first = np.array([0, kernels.BLOCK_SIZE, 2 * kernels.BLOCK_SIZE])
    sizes = np.array([kernels.BLOCK_SIZE, kernels.BLOCK_SIZE, 777])
    rng = np.random.default_rng(1)
    seen = np.zeros(n, dtype=np.int64)
    replicates = 400
    for _ in range(replicates):
        weights = np.zeros(n, np.uint16)
        totals = rng.multinomial(n, sizes / n)
        kernels.draw_weights(weights, first, sizes, totals, rng.integers(0, 2**64, 4, dtype=np.uint64))
        assert weights.sum() == n
        assert (np.add.reduceat(weights.astype(int), first) == totals).all()
        seen += weights
    # every item is drawn `replicates` times on average with variance replicates·(1 − 1/n): a χ² over all items
    chi2 = ((seen - replicates) ** 2 / replicates).sum()
    assert abs(chi2 - (n - 1)) < 5 * math.sqrt(2 * (n - 1))
    # and single draws are Poisson-like: share of items never drawn in one replicate is (1 − 1/n)^n
    assert (weights == 0).mean() == pytest.approx((1 - 1 / n) ** n, abs=5 * math.sqrt(0.25 / n))


def test_swaps_are_fair_and_of_ranks():
    y, a, b = sample(10, n=200)
    values_a, values_b, _ = swap_scores(question_of(y, a, b, "auc", n_resamples=4_000))
    assert np.mean(values_b - values_a) == pytest.approx(0, abs=5 * np.std(values_b - values_a) / math.sqrt(4_000))
    # slow: swap midranks item by item
    ranks = np.stack([stats.rankdata(a), stats.rankdata(b)])
    rng = np.random.default_rng(3)
    slow = np.empty(600)
    for i in range(slow.size):
        coin = rng.integers(0, 2, 200)
        mine, other = np.where(coin, ranks[1], ranks[0]), np.where(coin, ranks[0], ranks[1])
        slow[i] = metrics.roc_auc_score(y, other) - metrics.roc_auc_score(y, mine)
    assert stats.ks_2samp(slow, values_b - values_a).pvalue > 0.001


@pytest.mark.parametrize("name", ["auc", "eer", "brier", "sse"])
def test_jackknife_leaves_out_each_item(name):
    y, a, b = sample(11, n=60, ties=True)
    left = left_out(question_of(y, a, b, name))
    found_a, found_b, times = left.a, left.b, left.times
    assert times.tolist() == [1] * 60
    keep = [np.arange(60) != i for i in range(60)]
    factor = 60 / 59 if name == "sse" else 1  # a sum is the mean over the rest times n
    slow = sorted(factor * ORACLE[name](y[k], a[k]) for k in keep)
    np.testing.assert_allclose(np.sort(found_a), slow, rtol=1e-10)
    np.testing.assert_allclose(np.sort(found_b), sorted(factor * ORACLE[name](y[k], b[k]) for k in keep), rtol=1e-10)


def test_delong_and_bootstrap_standard_errors_agree():
    y, a, b = sample(12, n=2_000)
    delong = cw.compare(y, a, b, measure="auc", test="delong")
    error = delong.difference / delong.statistic
    boot = cw.compare(y, a, b, measure="auc", test="bootstrap", rng=1).distribution.values.std()
    # a bootstrap deviation from 10,000 replicates has a relative error of .7 %; four of them
    assert boot == pytest.approx(error, rel=0.03)


def test_paired_proportion_at_a_threshold_agrees_with_the_bootstrap_of_hter():
    y, a, b = sample(13, n=3_000)
    formula = cw.compare(y, a, b, measure="hter", threshold=0.5, test="paired_proportion")
    boot = cw.compare(y, a, b, measure="hter", threshold=0.5, test="bootstrap", rng=1).distribution.values.std()
    half = (formula.interval.high - formula.interval.low) / 2 / 1.959964
    assert boot == pytest.approx(half, rel=0.04)


def test_undefined_replicates_are_counted_and_kept():
    y = np.array([1] + [0] * 30)
    rng = np.random.default_rng(1)
    r = cw.compare(y, rng.random(31), rng.random(31), measure="auc", test="bootstrap", n_resamples=2_000, rng=1)
    expected = (1 - 1 / 31) ** 31
    assert stats.binomtest(r.undefined_replicates, 2_000, expected).pvalue > 1e-4
    assert r.distribution.values.size == 2_000
    kept = cw.compare(y, rng.random(31), rng.random(31), measure="auc", test="bootstrap", strata=y, rng=1)
    assert kept.undefined_replicates == 0
    assert any("held fixed" in c.text for c in kept.caveats)


# --- thresholds -------------------------------------------------------------------------------------------------


def test_a_threshold_makes_decisions():
    y, a, b = sample(14)
    by_scores = cw.compare(y, a, b, measure="f1", threshold=0.5, rng=1)
    by_decisions = cw.compare(y, (a >= 0.5).astype(int), (b >= 0.5).astype(int), measure="f1", rng=1)
    assert by_scores.p_value == by_decisions.p_value
    assert by_scores.interval == by_decisions.interval
    assert by_scores.thresholds == (0.5, 0.5)
    assert (by_scores.positive, by_scores.positive_inferred) == ("1", True)
    one_each = cw.compare(y, a, b, measure="f1", threshold=(0.4, 0.6), rng=1)
    assert one_each.estimate_b == pytest.approx(metrics.f1_score(y, b >= 0.6))
    assert "thresholds" in str(one_each)
    labels = np.array(["ham", "spam"])[y]
    assert cw.compare(labels, a, b, threshold=0.5, positive="spam", rng=1).p_value == by_scores.p_value
    assert cw.estimate(y, a, measure="f1", threshold=0.5, n_resamples=9).estimate == by_scores.estimate_a


def test_thresholds_chosen_on_a_development_set():
    y, a, b = sample(15, n=200, ties=True)
    dev = sample(16, n=150, ties=True)
    r = cw.compare(y, a, b, measure="f1", dev=dev, rng=1)
    for scores, chosen in zip(dev[1:], r.thresholds, strict=True):
        best = max(metrics.f1_score(dev[0], scores >= t) for t in set(scores))
        assert metrics.f1_score(dev[0], scores >= chosen) == pytest.approx(best)
        assert chosen not in scores  # in the middle between two scores
    assert r.estimate_a == pytest.approx(metrics.f1_score(y, a >= r.thresholds[0]))
    assert not any(c.code == "threshold_on_test" for c in r.caveats)
    flattered = cw.compare(y, a, b, measure="f1", threshold="best", rng=1)
    assert any(c.code == "threshold_on_test" for c in flattered.caveats)
    assert flattered.estimate_a >= r.estimate_a


NARROW = [np.float64, np.float32, np.float16]


def tenths(seed, kind, n=300):
    """Scores of one decimal in a type of their own, which only float64 holds as Python writes them."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, *(np.clip(y * s + rng.integers(0, 9, n) / 10, 0, 1).round(1).astype(kind) for s in (0.1, 0.2))


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.7])
def test_a_threshold_is_compared_in_the_type_of_the_scores_wherever_they_come_from(kind, threshold, tmp_path):
    y, a, b = tenths(51, kind)
    expected = tuple(metrics.f1_score(y, scores >= threshold) for scores in (a, b))
    table = pa.table({"y": y, "a": a, "b": b})
    frame = table.to_pandas()
    frame.to_csv(tmp_path / "scores.csv", index=False)
    pq.write_table(table, tmp_path / "scores.parquet")
    how = {"threshold": threshold, "test": "bootstrap", "n_resamples": 9, "rng": 1}
    found = {
        "arrays": cw.compare(y, a, b, **how),
        "lists": cw.compare(y, list(a), list(b), **how),
        "objects": cw.compare(y, *(np.array(list(scores), dtype=object) for scores in (a, b)), **how),
        "series": cw.compare(frame.y, frame.a, frame.b, **how),
        **{
            type(data).__module__: cw.compare(data=data, truth="y", a="a", b="b", **how)
            for data in (frame, table, pl.from_arrow(table), pl.from_arrow(table).lazy())
        },
    }
    for name, result in found.items():
        assert (result.estimate_a, result.estimate_b) == pytest.approx(expected, abs=1e-12), name
    for file in ("scores.csv", "scores.parquet"):
        options = [
            "--truth",
            "y",
            "--a",
            "a",
            "--b",
            "b",
            "--threshold",
            str(threshold),
            "--n-resamples",
            "9",
            "--json",
        ]
        said = CliRunner().invoke(main, ["compare", str(tmp_path / file), *options])
        result = json.loads(said.output)
        assert (result["estimate_a"], result["estimate_b"]) == pytest.approx(expected, abs=1e-12), file
    assert cw.estimate(y, a, threshold=threshold, n_resamples=9).estimate == pytest.approx(expected[0], abs=1e-12)


def test_models_of_different_types_are_each_compared_in_their_own():
    y, a, b = tenths(52, np.float32)
    r = cw.compare(y, a, b.astype(str).astype(float), threshold=0.7, test="bootstrap", n_resamples=9)
    assert r.estimate_a == pytest.approx(metrics.f1_score(y, a >= 0.7))
    assert r.estimate_b == pytest.approx(metrics.f1_score(y, b >= 0.7))


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("threshold", [1e300, -1e300, 1e-300, 0.0])
def test_a_threshold_beyond_the_type_of_the_scores_is_what_numpy_takes_it_for(kind, threshold):
    y, a, b = tenths(53, kind)
    with np.errstate(over="ignore", under="ignore"):
        limit = np.float64(threshold).astype(kind)
    r = cw.compare(y, a, b, measure="accuracy", threshold=threshold, test="mcnemar")
    assert r.estimate_a == pytest.approx(((a >= limit) == y).mean())


@pytest.mark.parametrize("kind", NARROW)
def test_a_threshold_chosen_between_neighbouring_floats_parts_them(kind):
    low = kind(0.7)
    scores = np.array([low, np.nextafter(low, kind(1))] * 20, dtype=kind)
    y = np.array([0, 1] * 20)
    for how in ({"threshold": "best"}, {"dev": (y, scores, scores)}):
        r = cw.compare(y, scores, scores, measure="accuracy", test="mcnemar", **how)
        assert r.estimate_a == r.estimate_b == 1.0


@pytest.mark.parametrize("chosen_in", NARROW)
@pytest.mark.parametrize("used_in", NARROW)
def test_a_threshold_of_a_development_set_of_another_type_is_rounded_to_the_scores(chosen_in, used_in):
    dev, (y, a, b) = tenths(54, chosen_in), tenths(55, used_in)
    r = cw.compare(y, a, b, dev=dev, test="bootstrap", n_resamples=9)
    for scores, found in zip(dev[1:], r.thresholds, strict=True):
        best = max(metrics.f1_score(dev[0], scores >= t) for t in set(scores.tolist()))
        assert metrics.f1_score(dev[0], scores >= found) == pytest.approx(best)
    assert r.estimate_a == pytest.approx(metrics.f1_score(y, a >= r.thresholds[0]))


def test_no_threshold_is_chosen_above_an_infinite_score():
    y, scores = np.array([0, 1, 0]), np.array([np.inf, 5.0, 4.0])
    r = cw.compare(y, scores, scores, measure="accuracy", threshold="best", rank_infinite=True, test="mcnemar")
    assert r.estimate_a == max(((scores >= t) == y).mean() for t in scores)


# --- doubts and refusals ----------------------------------------------------------------------------------------


def test_auto_takes_the_studentised_test_for_every_measure_of_scores():
    y, a, b = sample(17, n=80)
    for measure in ("auc", "eer", "brier"):
        assert cw.compare(y, a, b, measure=measure, n_resamples=99, rng=1).test == "studentised"


def test_delong_says_when_it_is_out_of_its_range():
    y, a, b = sample(18, n=60, share=0.2)
    assert any(c.code == "delong_few_items" for c in cw.compare(y, a, b, measure="auc", test="delong").caveats)
    # it is not the area that counts, but how many items are ranked wrongly: n(1 − AUC) of the smaller class
    for n, doubted in ((2_000, False), (200, True)):
        y, a, b = sample(19, n=n, sharpness=2.5)
        r = cw.compare(y, a, b, measure="auc", test="delong")
        assert min(r.estimate_a, r.estimate_b) > 0.95
        assert (min(y.sum(), (1 - y).sum()) * (1 - min(r.estimate_a, r.estimate_b)) < 3) == doubted
        assert ("delong_near_1" in [c.code for c in r.caveats]) == doubted
    perfect = np.r_[np.zeros(30), np.ones(30)]
    with pytest.raises(cw.errors.NotApplicableError, match="permutation"):
        cw.compare(perfect.astype(int), perfect, -perfect, measure="auc", test="delong")


def test_scores_the_wrong_way_round_are_told_and_not_flipped():
    y, a, b = sample(20)
    r = cw.compare(y, -a, b, measure="auc", names=("flipped", "fine"))
    assert r.estimate_a == pytest.approx(1 - metrics.roc_auc_score(y, a))
    assert any("flipped has" in c.text for c in r.caveats if c.code == "wrong_way_round")


Y = [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        ((Y, [0.1, np.nan, 0.2, None], [1, 2, 3, 4]), {}, "2 score(s) that are nan or missing, at position(s) 1, 3"),
        ((Y, [0.1, np.inf, 0.2, 1], [1, 2, 3, 4]), {}, "infinite score(s), at position(s) 1"),
        ((Y, [1, 2, 3], [1, 2, 3, 4]), {}, "truth has 4, a has 3"),
        ((Y, ["x", "y", "z", "w"], [1, 2, 3, 4]), {}, "a holds something that is not a number"),
        ((Y, [[1], [2], [3], [4]], [1, 2, 3, 4]), {}, "shape (4, 1)"),
        (([1, 1, 1, 1], [1, 2, 3, 4], [1, 2, 3, 4]), {}, "All items are of class 1"),
        ((["h", "s", "h", "s"], [1, 2, 3, 4], [1, 2, 3, 4]), {}, "Which class is positive"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "brier"}, "needs probabilities"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "auc", "threshold": 0.5}, "takes no threshold"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "f1", "threshold": "high"}, "threshold is 'high'"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "f1", "threshold": (1, 2, 3)}, "2 numbers"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "f1", "rank_infinite": True}, "is for scores"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "eer", "test": "delong"}, "judges scores by auc only"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "auc", "test": "mcnemar"}, "measure of scores"),
        (
            (Y * 5, [1, 2, 3, 4] * 5, [1, 2, 3, 4] * 5),
            {"measure": "eer", "test": "permutation", "method": "exact"},
            "monte_carlo",
        ),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "partial_auc(max_fpr=0)"}, "max_fpr is 0"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "min_dcf(prior=2)"}, "prior is 2"),
        ((Y, [0, 0, 1, 1], [0, 0, 1, 1]), {"measure": "log_loss(clip=0.9)"}, "clip is 0.9"),
    ],
)
def test_bad_scores_are_explained(arguments, settings, message):
    with pytest.raises(cw.ClearwinError) as raised:
        cw.compare(*arguments, **{"measure": "auc", **settings})
    assert message in str(raised.value)


def test_infinite_scores_are_ranked_on_request():
    y, a, b = sample(21, n=50)
    a[:3], b[-3:] = np.inf, -np.inf
    r = cw.compare(y, a, b, measure="auc", rank_infinite=True)
    finite = np.nan_to_num(a, posinf=1e9), np.nan_to_num(b, neginf=-1e9)
    assert r.difference == cw.compare(y, *finite, measure="auc").difference


def test_counts_cannot_be_judged_by_scores():
    joint = cw.JointCounts(e1=1, e2=1, e3=1, e4=1, e5=1, e6=1, e7=1, e8=1)
    with pytest.raises(cw.errors.OptionError, match="measure of scores"):
        cw.compare(joint, measure="auc")


def test_frames_of_scores():
    y, a, b = sample(22, n=60)
    plain = cw.compare(y, a, b, measure="auc", test="delong")
    for make in (pd.DataFrame, pl.DataFrame, pl.LazyFrame):
        frame = make({"y": y, "svm": a, "rbf": b})
        r = cw.compare(data=frame, truth="y", a="svm", b="rbf", measure="auc", test="delong")
        assert (r.p_value, r.signature.data, r.name_b) == (plain.p_value, plain.signature.data, "rbf")
        at = cw.compare(data=frame, truth="y", a="svm", b="rbf", measure="f1", threshold=0.5, rng=1)
        assert at.p_value == cw.compare(y, a, b, measure="f1", threshold=0.5, rng=1).p_value


def test_the_command_reads_scores(tmp_path):
    from click.testing import CliRunner

    from clearwin.cli import main

    y, a, b = sample(23, n=120)
    keys = np.array(["spoof", "bonafide"])[y]
    pd.DataFrame({"id": range(120), "key": keys, "sys1": a, "sys2": b}).to_csv(tmp_path / "scores.csv", index=False)
    for name in ("key", "sys1", "sys2"):
        order = np.random.default_rng(len(name)).permutation(120)
        column = {"key": keys, "sys1": a, "sys2": b}[name]
        pd.DataFrame({"id": order, name: column[order]}).to_csv(tmp_path / f"{name}.csv", index=False)
    run = lambda *words: CliRunner().invoke(main, [str(w) for w in words])  # noqa: E731
    base = ["--truth", "key", "--a", "sys1", "--b", "sys2", "--positive", "bonafide", "--seed", "3", "--json"]
    for name in ("auc", "eer", MIN_DCF, "average_precision"):
        found = run("compare", tmp_path / "scores.csv", "--measure", name, "--n-resamples", 200, *base)
        assert found.exit_code == 0, found.output
        expected = cw.compare(
            keys, a, b, measure=name, positive="bonafide", n_resamples=200, rng=3, names=("sys1", "sys2")
        )
        assert found.stdout.strip() == expected.to_json()
        joined = run(
            "compare",
            *(tmp_path / f"{x}.csv" for x in ("key", "sys1", "sys2")),
            "--id",
            "id",
            "--measure",
            name,
            "--n-resamples",
            200,
            "--positive",
            "bonafide",
            "--seed",
            "3",
            "--json",
        )
        assert joined.stdout.strip() == expected.to_json()
    dev = run("compare", tmp_path / "scores.csv", "--measure", "f1", "--dev", tmp_path / "scores.csv", *base)
    assert '"thresholds"' in dev.stdout
    one_each = run("compare", tmp_path / "scores.csv", "--measure", "f1", "--threshold", "0.4,0.6", *base)
    assert "0.4" in one_each.stdout
    single = run(
        "estimate",
        tmp_path / "scores.csv",
        "--truth",
        "key",
        "--a",
        "sys1",
        "--positive",
        "bonafide",
        "--measure",
        "auc",
        "--json",
    )
    assert '"measure": "auc"' in single.stdout
    (tmp_path / "bad.csv").write_text("key,sys1,sys2\nspoof,0.1,x\nbonafide,nan,0.2\n")
    bad = run("compare", tmp_path / "bad.csv", "--measure", "auc", *base)
    assert bad.exit_code == 2
    assert "is not a number in 1 row (2)" in bad.stderr
    for words in (["--threshold", "x"], ["--strata", "nothing"], ["--dev", "nowhere.csv"]):
        wrong = run("compare", tmp_path / "scores.csv", "--measure", "f1", *words, *base)
        assert wrong.exit_code == 2
        assert "Traceback" not in wrong.stderr


# --- more than one pair -----------------------------------------------------------------------------------------


def test_several_areas_against_a_direct_solution():
    y, a, b = sample(24, n=400)
    c = np.random.default_rng(1).random(400)
    board = cw.rank(y, {"a": a, "b": b, "c": c}, measure="auc", n_resamples=20, rng=1)
    areas = [metrics.roc_auc_score(y, s) for s in (a, b, c)]
    assert {one.name: one.estimate for one in board.models} == pytest.approx(dict(zip("abc", areas, strict=True)))
    # DeLong's covariance by its definition: how each item of one class stands among those of the other
    pairs = ((s[y == 1][:, None], s[y == 0]) for s in (a, b, c))
    above = np.array([(positive > negative) + (positive == negative) / 2.0 for positive, negative in pairs])
    covariance = np.cov(above.mean(axis=2)) / np.sum(y == 1) + np.cov(above.mean(axis=1)) / np.sum(y == 0)
    difference = np.array([[-1, 1, 0], [0, -1, 1]])
    gap, spread = difference @ areas, difference @ covariance @ difference.T
    found = board.overall
    statistic = gap @ np.linalg.solve(spread, gap)
    assert (found.statistic, found.degrees) == (pytest.approx(statistic, rel=1e-9), 2)
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, 2), rel=1e-9)
    assert "all models have the same AUC" in " ".join(str(board).split())
    # for two models it is the square of the pair's z
    pair, overall = (
        cw.compare(y, a, b, measure="auc", test="delong"),
        cw.rank(y, {"a": a, "b": b}, measure="auc", n_resamples=20, rng=1).overall,
    )
    assert overall.statistic == pytest.approx(pair.statistic**2)
    assert overall.p_value == pytest.approx(pair.p_value, rel=1e-9)
    same = cw.rank(y, {"a": a, "twin": a}, measure="auc", n_resamples=20, rng=1).overall
    assert (same.statistic, same.degrees, same.p_value) == (0.0, 0, 1.0)


def test_unpaired_areas_add_their_variances():
    y, a, _ = sample(25, n=300)
    z, _, b = sample(26, n=500)
    r = cw.compare_unpaired(y, a, z, b, names=("old", "new"))
    boot = [cw.estimate(t, s, measure="auc", interval="percentile", rng=1).interval for t, s in ((y, a), (z, b))]
    # widths of the two bootstrap intervals, added in squares, within 5 %
    width = math.hypot(*(i.high - i.low for i in boot))
    assert r.interval.high - r.interval.low == pytest.approx(width, rel=0.05)
    assert r.difference == pytest.approx(metrics.roc_auc_score(z, b) - metrics.roc_auc_score(y, a))
    assert r.n == 800
    assert r.verdict().startswith("new is")
    same = cw.compare_unpaired(y, a, y, a)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    back = cw.compare_unpaired(z, b, y, a)
    assert (back.difference, back.p_value) == (-r.difference, pytest.approx(r.p_value))
    one_sided = [cw.compare_unpaired(y, a, z, b, claim=claim).p_value for claim in ("better", "worse")]
    assert sum(one_sided) == pytest.approx(1)


# --- found by review: each was wrong once ------------------------------------------------------------------------


def test_delong_refuses_a_class_of_one_item_and_auto_takes_another_test():
    y = np.r_[1, np.zeros(200)].astype(int)
    a, b = np.r_[0, np.linspace(-3, 3, 200)], np.r_[1.5, np.linspace(-3, 3, 200)]
    auto = cw.compare(y, a, b, measure="auc", rng=1, n_resamples=999)
    assert auto.test == "studentised"
    assert auto.p_value > 0.1
    for refuse in (
        lambda: cw.compare(y, a, b, measure="auc", test="delong"),
        lambda: cw.compare_unpaired(y, a, y, b),
    ):
        with pytest.raises(cw.errors.NotApplicableError, match="one item only"):
            refuse()


def test_areas_carry_the_caveats_of_the_data():
    y, a, b = sample(27)
    three = np.where(np.arange(300) % 2, np.array(["x", "y"])[y], "z")
    three[:2] = "x", "y"
    found = [c.code for c in cw.compare_unpaired(three, -a, three, -b, positive="y").caveats]
    assert "against_others" in found
    board = cw.rank(y, {"a": -a, "b": b}, measure="auc", n_resamples=20, rng=1)
    assert "wrong_way_round" in [c.code for c in board.caveats]


def test_stratified_bca_accelerates_class_by_class():
    """Two-sample acceleration by its definition (Efron and Tibshirani 1993, 14.3) on each item left out in turn."""
    y, a, _ = sample(28, n=90, share=0.2)
    question = question_of(y, a, a, "average_precision", stratified=True)
    left = left_out(question)
    values, times = left.accelerating(left.a)
    centred = values - np.average(values, weights=times)
    ours = -(centred**3).sum() / (6 * ((centred**2).sum()) ** 1.5)
    top = bottom = 0.0
    for c in (0, 1):
        here = np.flatnonzero(y == c)
        left = np.array([ORACLE["average_precision"](np.delete(y, i), np.delete(a, i)) for i in here])
        influence = (here.size - 1) * (left.mean() - left)
        top += (influence**3).sum() / here.size**3
        bottom += (influence**2).sum() / here.size**2
    assert ours == pytest.approx(top / (6 * bottom**1.5), rel=1e-9)


# --- found by a hostile user: each went wrong once ---------------------------------------------------------------


def test_series_in_another_order_and_masked_scores_are_refused():
    y, a, b = sample(29, n=60)
    shuffled = pd.Series(a).sample(frac=1, random_state=1)
    for settings in ({"measure": "auc"}, {"measure": "f1", "threshold": 0.5}):
        with pytest.raises(cw.errors.DataError, match="same index in a different order"):
            cw.compare(pd.Series(y), shuffled, pd.Series(b), **settings)
        with pytest.raises(cw.errors.DataError, match="nan or missing, at position"):
            cw.compare(y, np.ma.array(a, mask=np.arange(60) == 3), b, **settings)
    for bad in (a + 0j, np.array(a * 1e9, dtype="datetime64[s]"), [10**400] * 60):
        with pytest.raises(cw.errors.DataError, match="not a number"):
            cw.compare(y, bad, b, measure="auc")


def test_log_loss_stays_in_its_range():
    y = np.r_[np.ones(30), np.zeros(30)].astype(int)
    r = cw.compare(y, y.astype(float), 1.0 - y, measure="log_loss", rng=1, n_resamples=200)
    assert r.estimate_b == pytest.approx(-math.log(1e-15), rel=1e-12)
    assert r.interval.low - 1e-9 <= r.difference <= r.interval.high + 1e-9
    assert any(c.code == "no_width" for c in r.caveats)


def test_losses_that_overflow_are_refused():
    y, a, b = sample(30, n=40)
    for scores in (a * 1e153, a * 1e200, np.where(a > 0.5, np.inf, a)):
        with pytest.raises(cw.errors.DataError, match="overflows"):
            cw.compare(y, scores, b, measure="mse", rank_infinite=True, n_resamples=50)


@pytest.mark.parametrize("name", EVERY)
def test_the_order_of_the_items_never_matters(name):
    y, a, b = sample(31, n=150, ties=True)
    order = np.random.default_rng(2).permutation(150)
    settings = {"measure": name, "test": "bootstrap", "n_resamples": 200, "rng": 1}
    there, back = cw.compare(y, a, b, **settings), cw.compare(y[order], a[order], b[order], **settings)
    assert there.to_json() == back.to_json()


def test_dates_as_labels():
    import datetime

    y, a, b = sample(32, n=50)
    days = [datetime.date(2020, 1, 1 + int(x)) for x in y]
    r = cw.compare(days, a, b, measure="auc", positive=datetime.date(2020, 1, 2))
    assert r.difference == cw.compare(y, a, b, measure="auc").difference


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"measure": "f1", "dev": (1, 2)}, "dev is not a development set"),
        ({"measure": "auc", "test": "bootstrap", "n_resamples": 10**12}, "at most 100,000,000"),
    ],
)
def test_settings_that_do_not_go_together(settings, message):
    y, a, b = sample(33, n=40)
    with pytest.raises(cw.errors.OptionError) as raised:
        cw.compare(y, a, b, **settings)
    assert message in str(raised.value)
    assert cw.compare(y, a, b, threshold=np.array([0.4, 0.6]), n_resamples=9).thresholds == (0.4, 0.6)
    with pytest.raises(cw.errors.OptionError, match="takes no threshold"):
        cw.estimate(y, a, measure="auc", threshold=0.5)
    with pytest.raises(cw.errors.OptionError, match="is for scores"):
        cw.estimate(y, y, measure="f1", rank_infinite=True)


def test_the_command_does_not_take_scores_for_labels(tmp_path):
    from click.testing import CliRunner

    from clearwin.cli import main

    y, a, b = sample(34, n=60)
    pd.DataFrame({"key": y, "s": a, "t": b}).to_csv(tmp_path / "scores.csv", index=False)
    for words in (["compare", "--b", "t"], ["compare", "--b", "t", "--measure", "accuracy"], ["chance"], ["estimate"]):
        command, *more = words
        run = CliRunner().invoke(main, [command, str(tmp_path / "scores.csv"), "--truth", "key", "--a", "s", *more])
        assert (run.exit_code, run.stdout) == (2, "")
        assert "look like scores" in run.stderr
        assert "--threshold 0.5" in run.stderr
    (tmp_path / "counts.json").write_text("{}")
    run = CliRunner().invoke(main, ["compare", str(tmp_path / "counts.json"), "--measure", "auc"])
    assert "counts has no scores" in run.stderr
    empty = CliRunner().invoke(main, ["demo", "--save", ""])
    assert "name of the file to write is empty" in empty.stderr


def test_the_truth_as_strata_draws_class_by_class_wherever_it_comes_from(tmp_path):
    y, a, b = sample(41, n=80)
    asked = {"measure": "average_precision", "test": "bootstrap", "n_resamples": 200, "rng": 1}
    kept = cw.compare(y, a, b, strata=y, **asked)
    assert kept.sampling.strata == {"0": int((y == 0).sum()), "1": int(y.sum())}
    frame = pd.DataFrame({"y": y, "a": a, "b": b})
    for strata in (y.tolist(), pd.Series(y)):
        assert cw.compare(y, a, b, strata=strata, **asked).to_dict() == kept.to_dict()
    of_frame = cw.compare(data=frame, truth="y", a="a", b="b", strata="y", **asked)
    assert of_frame.interval == kept.interval
    frame.to_csv(tmp_path / "scores.csv", index=False)
    words = f"compare {tmp_path / 'scores.csv'} --truth y --a a --b b --strata y --measure average_precision"
    told = CliRunner().invoke(main, f"{words} --test bootstrap --n-resamples 200 --seed 1 --json".split())
    assert json.loads(told.stdout)["interval"] == kept.to_dict()["interval"]
