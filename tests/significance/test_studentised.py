"""The studentised test against an exact enumeration, and p-value and interval against each other."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.samples import DecisionSample
from clearwin.measures import find
from clearwin.resampling.functionals import OfDecisions
from clearwin.streams import Seed
from tests.tables import EVERYDAY


def accuracy_by_hand(counts):
    """t of accuracy: the difference over the root of its variance with half an item on each disagreement."""
    _, e2, e3, _, _, e6, e7, _ = counts
    n = sum(counts)
    difference = ((e2 - e3) - (e6 - e7)) / n  # B right where A is wrong, less A right where B is wrong
    won, lost, m = e2 + e7 + 1.0, e3 + e6 + 1.0, n + 2.0
    variance = (won + lost) / m - ((won - lost) / m) ** 2
    return difference / math.sqrt(variance / m)


def exact_p(counts):
    """P(|t*| ≥ |t|) over every test set of this size from the likeliest population without a difference.

    Accuracy knows three kinds of items only: B alone right, A alone right, neither. In the likeliest population in
    which the first two have equal shares each has half of what both have in the sample.
    """
    e1, e2, e3, e4, e5, e6, e7, e8 = counts
    n = sum(counts)
    won, lost, rest = e2 + e7 + 1.0, e3 + e6 + 1.0, e1 + e4 + e5 + e8
    each = (won + lost) / 2
    share = each / (2 * each + rest)
    t, total = abs(accuracy_by_hand(counts)), 0.0
    for w, x in itertools.product(range(n + 1), repeat=2):
        if w + x > n:
            continue
        chance = math.comb(n, w) * math.comb(n - w, x) * share ** (w + x) * (1 - 2 * share) ** (n - w - x)
        if abs(accuracy_by_hand((n - w - x, w, x, 0, 0, 0, 0, 0))) >= t - 1e-9:
            total += chance
    return min(total, 1.0)


@pytest.mark.parametrize(
    "counts",
    [(9, 4, 1, 2, 1, 0, 2, 11), (5, 5, 0, 0, 0, 0, 0, 10), (20, 6, 2, 1, 0, 3, 1, 7), (3, 2, 2, 1, 0, 1, 1, 0)],
)
def test_accuracy_is_the_exact_p_value_at_the_restricted_fit(counts):
    """Lloyd 2008: the probability of as large a statistic at the fit under the null hypothesis, here enumerated."""
    joint = cw.JointCounts(**dict(zip((f"e{i}" for i in range(1, 9)), counts, strict=True)))
    r = cw.compare(joint, measure="accuracy", test="studentised", rng=1, n_resamples=40_000)
    assert r.statistic == pytest.approx(accuracy_by_hand(counts), rel=1e-4)
    exact = exact_p(counts)
    # 5 standard errors of 40,000 draws
    assert r.p_value == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 40_000) + 1e-4)


def random_tables(n, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        size = int(rng.choice([20, 60, 200, 1_000]))
        shares = rng.dirichlet(rng.choice([0.3, 1.0, 3.0]) * np.array([3, 1, 1, 1, 1, 1, 1, 4]))
        counts = rng.multinomial(size, shares)
        if counts[:4].sum() and counts[4:].sum():
            yield cw.JointCounts(**{f"e{i + 1}": int(c) for i, c in enumerate(counts)})


@pytest.mark.parametrize("measure", ["accuracy", "f1", "precision", "mcc", "dcf", "balanced_accuracy"])
def test_p_and_interval_cannot_contradict_each_other(measure):
    asked = itertools.product(["different", "better", "worse"], [0.95, 0.9, 0.99])
    for joint, (claim, level) in zip(random_tables(18, 4), itertools.cycle(asked), strict=False):
        r = cw.compare(joint, measure=measure, claim=claim, confidence_level=level, rng=1, n_resamples=199)
        assert (r.p_value <= 1 - level + 1e-12) == (0.0 not in r.interval), (joint, claim, level, r)
        assert r.interval.low <= r.difference <= r.interval.high


def test_compare_and_rank_say_the_same_of_two_models():
    """The counts of which compare said .0266 and rank .0668."""
    rows = {"e1": (1, 1, 1), "e3": (1, 1, 0), "e5": (0, 1, 1), "e6": (0, 0, 1), "e7": (0, 1, 0), "e8": (0, 0, 0)}
    times = {"e1": 8, "e3": 6, "e5": 1, "e6": 1, "e7": 37, "e8": 147}
    y, a, b = np.repeat(np.array([rows[e] for e in times]), list(times.values()), axis=0).T
    for measure in ("f1", "accuracy", "precision"):
        pair = cw.rank(y, {"a": a, "b": b}, measure=measure, positive=1, rng=5, n_resamples=2_000).pairs[0]
        first, second = (a, b) if pair.a == "a" else (b, a)
        r = cw.compare(y, first, second, measure=measure, positive=1, rng=5, n_resamples=2_000)
        assert (pair.p_value, pair.interval) == (r.p_value, r.interval)


@pytest.mark.parametrize("joint", EVERYDAY.values())
def test_exchanging_the_models_mirrors_everything_to_the_last_bit(joint):
    for measure in ("f1", "accuracy", "mcc"):
        there = cw.compare(joint, measure=measure, rng=3, n_resamples=500)
        back = cw.compare(joint.swapped(), measure=measure, rng=3, n_resamples=500)
        assert back.p_value == there.p_value
        assert (back.interval.low, back.interval.high) == (-there.interval.high, -there.interval.low)


def precision_with_few_predictions(n, sets, seed):
    """Both have a precision of .6; B predicts a fifth as many positives: equal in the measure, not exchangeable."""
    prevalence, recall, alarm = 0.1, 0.85, 0.85 * 0.1 * (1 / 0.6 - 1) / 0.9
    cells = []
    for share, rate in ((prevalence, recall), (1 - prevalence, alarm)):
        both = 0.5 * rate / 5 + 0.5 * rate * rate / 5
        # keller2004's events: both, only B, only A, neither say yes
        cells += [share * both, share * (rate / 5 - both), share * (rate - both), share * (1 - rate - rate / 5 + both)]
    return np.random.default_rng(seed).multinomial(n, cells, sets)


def test_models_with_equal_precision_are_told_apart_no_more_often_than_stated():
    """150 sets at 5 %: three standard errors are 5.3 points; swapping the models finds 14 to 18 %."""
    found = {"studentised": 0, "permutation": 0}
    for i, counts in enumerate(precision_with_few_predictions(1_000, 150, 2)):
        joint = cw.JointCounts(**{f"e{j + 1}": int(c) for j, c in enumerate(counts)})
        question = Question(DecisionSample(joint), find("precision"), Options(n_resamples=99, seed=Seed(i)))
        for test in found:
            p, _ = cw.list_tests()[test].p_value(question)
            found[test] += p.value <= 0.05
    assert found["studentised"] / 150 < 0.103
    assert found["permutation"] / 150 > 0.1


def test_means_of_skewed_values_are_not_decided():
    rng = np.random.default_rng(1)
    a, b = rng.lognormal(0, 2.0, 40), np.full(40, 1.0) + rng.normal(0, 0.1, 40)
    r = cw.compare(None, a, b, measure="mean", rng=1)
    assert r.decision == "not decided"
    assert "remains undecided" in r.verdict()
    assert "too_skewed" in [caveat.code for caveat in r.caveats]
    even = cw.compare(None, rng.normal(0, 1, 40), rng.normal(2, 1, 40), measure="mean", rng=1)
    assert even.decision == "better"


def test_means_agree_with_students_t_where_there_are_many_items():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 1, 5_000), rng.normal(0.04, 1, 5_000)
    r = cw.compare(None, a, b, measure="mean", rng=1)
    assert r.method == "student"
    assert r.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=0.02)


def test_areas_agree_with_delong_where_there_are_many_items():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 4_000)
    a, b = rng.normal(y, 1), rng.normal(1.05 * y, 1)
    ours, delong = (cw.compare(y, a, b, measure="auc", test=test, rng=1) for test in ("auto", "delong"))
    assert (ours.test, ours.method) == ("studentised", "student")
    assert ours.p_value == pytest.approx(delong.p_value, rel=0.02)
    assert ours.interval.low == pytest.approx(delong.interval.low, abs=2e-4)


def test_a_one_sided_claim_the_wrong_way_says_so():
    joint = cw.JointCounts(e1=40, e2=3, e3=19, e4=8, e5=5, e6=12, e7=4, e8=129)
    r = cw.compare(joint, measure="f1", claim="better", rng=1)
    assert r.decision == "not shown"
    assert "points the other way" in r.verdict()


def test_identical_models_have_an_interval_about_0():
    joint = cw.JointCounts(e1=40, e2=0, e3=0, e4=8, e5=5, e6=0, e7=0, e8=147)
    for measure in ("f1", "accuracy", "mcc"):
        r = cw.compare(joint, measure=measure, rng=1)
        assert (r.p_value, r.difference, r.decision) == (1.0, 0.0, "not shown")
        assert r.interval.low == -r.interval.high < 0


@pytest.mark.parametrize("method", ["drawn", "student"])
def test_the_form_can_be_asked_for(method):
    joint = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    r = cw.compare(joint, measure="f1", test="studentised", method=method, rng=1, n_resamples=500)
    assert r.method == method


def test_an_estimate_of_skewed_values_is_doubted():
    values = np.exp(2.0 * np.random.default_rng(3).normal(size=40))
    [told] = [c.text for c in cw.estimate(None, values, measure="mean", rng=1).caveats if c.code == "too_skewed"]
    assert "the interval can miss the true mean" in told
    assert not any(c.code == "too_skewed" for c in cw.estimate(None, np.arange(40.0), measure="mean", rng=1).caveats)


def test_one_degree_is_no_plural_and_names_take_any_hyphen():
    r = cw.compare(None, [1.0, 2.0, 5.0], [2.0, 2.5, 7.0], measure="mean", groups=[0, 0, 1], rng=1)
    assert r.why.endswith("varies with 1 degree of freedom")
    truth = [1, 0] * 20
    r = cw.compare(truth, truth[::-1], truth, measure="accuracy", test="paired-proportion")
    assert r.test == "paired_proportion"
    assert cw.compare(truth, truth[::-1], truth, measure="accuracy", test="mcnemar", method="mid–p").method == "mid-p"
    assert (
        cw.estimate(truth, truth, measure="accuracy", interval="clopper_pearson").interval.method == "clopper-pearson"
    )
    with pytest.raises(cw.errors.UnknownNameError):
        cw.compare(truth, truth[::-1], truth, measure="accuracy", test="mcnemar", method="middle")


@pytest.mark.parametrize("n_resamples", [9, 18])
def test_so_few_test_sets_that_none_is_excluded_give_the_whole_range_at_once(n_resamples, monkeypatch):
    """p is at least 1/(n + 1), so that fewer than 19 test sets exclude nothing at 5 %: no end is looked for."""
    asked = []
    tilted = OfDecisions.tilted
    monkeypatch.setattr(OfDecisions, "tilted", lambda self, value: asked.append(value) or tilted(self, value))
    joint = cw.JointCounts(e1=40, e2=4, e3=9, e4=7, e5=6, e6=8, e7=3, e8=43)
    r = cw.compare(joint, measure="f1", test="studentised", method="drawn", n_resamples=n_resamples, rng=1)
    assert (r.interval.low, r.interval.high) == (-1.0, 1.0)
    assert asked == [0.0]
    one_more = cw.compare(joint, measure="f1", test="studentised", method="drawn", n_resamples=19, rng=1)
    assert -1.0 < one_more.interval.low < one_more.interval.high < 1.0


def test_a_margin_in_per_cent_says_what_its_p_value_rests_on():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    a, b = (np.where(rng.random(60) < 0.2, 1 - y, y) for _ in "ab")
    found = cw.compare(y, a, b, measure="f1", claim="not_worse", margin="10%", n_resamples=199, rng=1)
    assert "199 test sets were drawn from a population where the difference is the margin" in found.why


def test_the_interval_of_a_margin_in_per_cent_is_about_the_ratio_to_a():
    a, b = np.random.default_rng(5).normal([[10.0], [12.0]], 1.0, (2, 200))
    found = cw.compare(None, a, b, measure="mean", claim="equivalent", margin="30%", rng=1).interval
    assert (found.low + found.high) / 2 == pytest.approx(b.mean() / a.mean() - 1.0, abs=0.001)


def in_groups(means):
    """Return values of groups of two items with these means, against zeros."""
    values = np.repeat(means, 2) + np.tile([-0.1, 0.1], len(means))
    return cw.compare(
        None, np.zeros(values.size), values, measure="mean", groups=np.arange(values.size) // 2, claim="better", rng=1
    )


@pytest.mark.parametrize(("groups", "times"), [(12, 2.0), (40, 1.0)])
def test_a_one_sided_claim_of_groups_is_doubled_where_their_skewness_cannot_be_seen(groups, times):
    means = stats.norm.ppf((np.arange(groups) + 0.5) / groups) + 2.0 / np.sqrt(groups)
    wanted = stats.ttest_1samp(means, 0.0, alternative="greater").pvalue
    r = in_groups(means)
    assert r.p_value == pytest.approx(times * wanted, rel=1e-6)
    assert (r.interval.low > 0.0) == (r.p_value <= 0.05)


def test_a_one_sided_claim_of_skewed_groups_is_doubled():
    """40 exponential groups: their mean's skewness is about 0.25. Their long tail helps the claim, so t decides."""
    means = -np.log((np.arange(40) + 0.5) / 40)
    means -= means.mean() - 0.25
    assert stats.skew(means) / np.sqrt(40) > 0.2
    wanted = stats.ttest_1samp(means, 0.0, alternative="greater").pvalue
    assert in_groups(means).p_value == pytest.approx(2.0 * wanted, rel=1e-6)


@pytest.mark.parametrize(("spread", "times"), [(0.15, 1.0), (1.0, 2.0)])
def test_the_nearer_tail_of_skewed_values_counts_twice(spread, times):
    """By brute force: 40,000 test sets like this one, about their own mean; and never less than Student's t."""
    values = -np.exp(spread * stats.norm.ppf((np.arange(20) + 0.5) / 20))  # a few large losses
    values += 2.0 * stats.sem(values) - values.mean()
    rng = np.random.default_rng(1)
    drawn = values[rng.integers(0, 20, (40_000, 20))]
    t_drawn = (drawn.mean(axis=1) - values.mean()) / np.maximum(stats.sem(drawn, axis=1), 1e-12)
    nearer, student = (t_drawn >= 2.0).mean(), 2.0 * stats.t.sf(2.0, 19)
    r = cw.compare(None, np.zeros(20), values, measure="mean", n_resamples=20_000, rng=1)
    assert r.p_value == pytest.approx(max(student, times * nearer), abs=0.006)
    assert 2.0 * nearer > student + 0.012  # so that the two can be told apart


def test_a_tail_beyond_the_draws_is_near_that_of_a_million_test_sets():
    """At a level of 1 in 100,000 the 20 outermost of 100,000 draws carry Student's tail; a million show what it is."""
    joint = cw.JointCounts(e1=30, e2=27, e3=4, e4=8, e5=8, e6=4, e7=3, e8=129)
    extended = cw.compare(joint, measure="f1", rng=1, confidence_level=0.99999)
    drawn = cw.compare(joint, measure="f1", rng=2, n_resamples=1_000_000)
    assert 20e-6 < drawn.p_value < 200e-6  # of which a hundred thousand draws would see fewer than 20
    assert 0.7 * drawn.p_value < extended.p_value < 4.0 * drawn.p_value
    assert "beyond them p follows Student's distribution" in extended.why
    assert -1.0 < extended.interval.low < 0.0 < extended.interval.high < 1.0
    assert (extended.p_value <= 1e-5) == (0.0 not in extended.interval)


def test_the_usual_level_draws_what_was_asked_for():
    joint = cw.JointCounts(e1=40, e2=4, e3=9, e4=7, e5=6, e6=8, e7=3, e8=43)
    for confidence_level, drawn in ((0.95, 500), (0.99, 2_000), (0.9999, 100_000)):
        r = cw.compare(joint, measure="f1", n_resamples=500, rng=1, confidence_level=confidence_level)
        assert r.distribution.values.size == drawn
        doubted = any(caveat.code == "few_replicates" for caveat in r.caveats)
        assert doubted == (confidence_level == 0.95)  # where no more than 500 are drawn
