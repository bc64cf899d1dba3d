"""Two areas on two test sets against R's pROC and against the truth by simulation."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics
from statsmodels.stats.proportion import confint_proportions_2indep

import clearwin as cw
from clearwin.errors import NotApplicableError
from tests.data.scored import sample

# aSAH of R's pROC (Turck et al. 2010), read off the ROC curves in its tests (helper-roc-expected.R): from the lowest
# value to the highest, P is a patient with a poor outcome and G one with a good outcome; letters together are tied
WFNS = " ".join("P" * poor + "G" * good for poor, good in [(2, 37), (12, 20), (1, 3), (8, 8), (18, 4)])
S100B = (
    "P GGGGG GGG GG PPPGGGGGG PGGGGGG PPGGGGGG PPGGGGGGG PGGGG P PPGGG PGGGG GGGG PGGG GG G GG P P G P P P G P PG PG G "
    "P G P G PP G G GG PG P GG P P P P PP P P P P P P"
)
NDKA = (
    "G P G G P P P G G G G G G G G G P G G G G G G P P G G P G GG G P PG G G G G P G G P G G G G G G P P P G P G G P G "
    "G G G G P G PG G G P G G P P G P P G G PG P P G G G P G G G G P P P P G G P G G G P P P P G G P G P G P G P"
)


def patients(ranked):
    """Return outcome and rank of every patient."""
    groups = ranked.split()
    return [int(c == "P") for g in groups for c in g], [float(i) for i, g in enumerate(groups) for _ in g]


@pytest.mark.parametrize(
    ("first", "second", "statistic", "p"),
    [  # test-roc.test.R of pROC: "unpaired roc.test statistic and p are as expected"; its D is A − B
        (WFNS, S100B, 1.43490640926908, 0.152825378808796),
        (WFNS, NDKA, 3.10125096778969, 0.00220950791756457),
        (NDKA, S100B, -1.55995743389685, 0.120192832430845),
    ],
)
def test_as_proc_has_it(first, second, statistic, p):
    """The statistic is pROC's; the p-value also allows for skewness, and is a little larger with 41 poor outcomes."""
    r = cw.compare_unpaired(*patients(first), *patients(second))
    assert r.statistic == pytest.approx(-statistic, rel=1e-10)
    assert p < r.p_value < 1.07 * p


def test_one_side_as_proc_has_it():
    sides = [cw.compare_unpaired(*patients(WFNS), *patients(S100B), claim=c).p_value for c in ("worse", "better")]
    assert sides == pytest.approx([0.076412689404398, 0.923587310595602], rel=0.01)
    assert sum(sides) >= 1.0


@pytest.mark.parametrize("claim", ["different", "better", "worse"])
def test_p_and_interval_are_dual(claim):
    areas = (NDKA, WFNS) if claim == "better" else (WFNS, NDKA)
    data = [column for area in areas for column in patients(area)]
    r = cw.compare_unpaired(*data, claim=claim)
    for level in (1 - r.p_value * 1.001, 1 - r.p_value * 0.999):
        found = cw.compare_unpaired(*data, claim=claim, confidence_level=level)
        assert (0.0 in found.interval) == (r.p_value > 1 - level)


@pytest.mark.parametrize("sets", [60, pytest.param(1000, marks=pytest.mark.study)])
def test_few_items_are_judged_with_more_caution_than_by_the_normal_distribution(sets):
    stream, found, by_normal = np.random.RandomState(3), 0, 0
    truth = np.repeat([0, 1], 6)
    for _ in range(sets):
        r = cw.compare_unpaired(truth, stream.normal(size=12) + truth, truth, stream.normal(size=12) + truth)
        found += r.p_value <= 0.05
        by_normal += 2 * stats.norm.sf(abs(r.statistic)) <= 0.05
    assert found < by_normal


def test_models_that_make_no_mistakes_are_alike():
    truth = [0, 0, 1, 1]
    r = cw.compare_unpaired(truth, truth, truth, truth)
    assert (r.p_value, r.statistic) == (1.0, 0.0)
    assert r.interval.low == -r.interval.high < 0.0  # two items of a class say next to nothing


def test_unpaired_areas_add_their_variances():
    y, a, _ = sample(25, n=300)
    z, _, b = sample(26, n=500)
    r = cw.compare_unpaired(y, a, z, b, names=("old", "new"))
    boot = [cw.estimate(t, s, measure="auc", interval="percentile", rng=1).interval for t, s in ((y, a), (z, b))]
    # widths of the two bootstrap intervals, added in squares; ours is a little wider, as it allows for skewness
    width = math.hypot(*(i.high - i.low for i in boot))
    assert 0.95 * width < r.interval.high - r.interval.low < 1.1 * width
    assert r.difference == pytest.approx(metrics.roc_auc_score(z, b) - metrics.roc_auc_score(y, a))
    assert r.n == 800
    assert r.verdict().startswith("new is")
    same = cw.compare_unpaired(y, a, y, a)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    back = cw.compare_unpaired(z, b, y, a)
    assert (back.difference, back.p_value) == (-r.difference, pytest.approx(r.p_value))
    one_sided = [cw.compare_unpaired(y, a, z, b, claim=claim).p_value for claim in ("better", "worse")]
    assert sum(one_sided) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("claim", ["different", "better", "worse"])
def test_means_of_two_samples_are_judged_by_welchs_test(claim):
    """Values that are not skewed: every one has its mirror image."""
    stream = np.random.RandomState(8)
    a, b = stream.normal(size=20), 2 * stream.normal(size=35)
    a, b = np.concatenate([a, -a]), 0.8 + np.concatenate([b, -b])
    r = cw.compare_unpaired(None, a, None, b, measure="mean", claim=claim)
    sides = {"different": "two-sided", "better": "greater", "worse": "less"}
    found = stats.ttest_ind(b, a, equal_var=False, alternative=sides[claim])
    assert r.statistic == pytest.approx(found.statistic, rel=1e-10)
    assert r.p_value == pytest.approx(found.pvalue, rel=1e-9)
    ends = found.confidence_interval(0.95)
    error = (b.mean() - a.mean()) / found.statistic
    for end, theirs in ((r.interval.low, ends.low), (r.interval.high, ends.high)):
        assert end == theirs or end == pytest.approx(theirs, abs=0.01 * error)  # to a hundredth of a standard error
    loss = cw.compare_unpaired(None, a, None, b, measure="mean_loss", claim=claim)
    if claim != "different":
        assert loss.p_value == pytest.approx(1 - r.p_value)


def decisions(stream, n):
    truth = (stream.rand(n) < 0.3).astype(int)
    truth[:2] = 0, 1
    scores = stream.normal(size=n) + 1.5 * truth
    return truth, (scores > 0.9).astype(int), scores


@pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc", "dcf(cost_fn=10, cost_fp=1, prior=0.3)", "hter"])
def test_decisions_and_scores_of_two_test_sets(measure):
    stream = np.random.RandomState(5)
    (y, a, score_a), (z, b, score_b) = decisions(stream, 200), decisions(stream, 300)
    r = cw.compare_unpaired(y, a, z, b, measure=measure, names=("old", "new"))
    assert r.estimate_a == cw.estimate(y, a, measure=measure).estimate
    assert r.estimate_b == cw.estimate(z, b, measure=measure).estimate
    assert (r.n, r.test, r.method) == (500, "studentised_unpaired", "welch")
    assert (r.p_value > 0.05) == (0.0 in r.interval)
    assert "200 of old, 300 of new" in str(r)
    assert f"measure={r.measure!r}" in r.summary().call
    cut = cw.compare_unpaired(y, score_a, z, score_b, measure=measure, threshold=0.9)
    assert cut.p_value == pytest.approx(r.p_value, rel=1e-9)
    back = cw.compare_unpaired(z, b, y, a, measure=measure)
    assert (back.p_value, back.difference) == (r.p_value, -r.difference)


def test_an_accuracy_has_about_the_variance_of_a_share():
    stream = np.random.RandomState(6)
    (y, a, _), (z, b, _) = decisions(stream, 2_000), decisions(stream, 3_000)
    r = cw.compare_unpaired(y, a, z, b, measure="accuracy")
    p, q = (y == a).mean(), (z == b).mean()
    wald = (q - p) / np.sqrt(p * (1 - p) / 2_000 + q * (1 - q) / 3_000)
    assert r.statistic == pytest.approx(wald, rel=0.01)


@pytest.mark.parametrize("sets", [60, pytest.param(200, marks=pytest.mark.study)])
def test_the_level_is_kept_on_two_test_sets(sets):
    """Pairs of test sets of 60 and 150 items at 5 %; bound: three standard errors about 5 %."""
    stream = np.random.RandomState(7)
    found = 0
    for _ in range(sets):
        (y, a, _), (z, b, _) = decisions(stream, 60), decisions(stream, 150)
        found += cw.compare_unpaired(y, a, z, b, measure="f1").p_value <= 0.05
    assert found / sets <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)


def answers(right, n):
    """Answers of which so many are right, about items of one class."""
    return [1] * n, [1] * right + [0] * (n - right)


@pytest.mark.parametrize(
    ("right", "n", "other", "m"), [(0, 1, 1, 1), (20, 20, 12, 20), (3, 5, 190, 200), (7, 12, 7, 12)]
)
def test_shares_of_right_answers_have_the_interval_of_agresti_and_caffo(right, n, other, m):
    """As in statsmodels, which does not cut it off at ±1."""
    for level in (0.8, 0.95):
        wanted = confint_proportions_2indep(other, m, right, n, method="agresti-caffo", alpha=1 - level)
        r = cw.compare_unpaired(*answers(right, n), *answers(other, m), measure="accuracy", confidence_level=level)
        assert (r.interval.low, r.interval.high) == pytest.approx((max(wanted[0], -1.0), min(wanted[1], 1.0)))
        assert (r.p_value > 1 - level) == (0.0 in r.interval)
        wrong = cw.compare_unpaired(*answers(right, n), *answers(other, m), measure="error_rate")
        assert wrong.p_value == pytest.approx(r.p_value)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 3), (4, 4), (5, 5), (10, 10), (5, 20), (4, 200)])
def test_the_level_of_shares_is_kept_with_few_items(n, m):
    """Every outcome weighted by its probability, at 5 %: up to 5.6 %, but 7.1 with 4 items each, 9.8 with 4 and 200."""
    rejected = np.zeros((n + 1, m + 1), dtype=bool)
    for x, z in itertools.product(range(n // 2 + 1), range(m + 1)):
        p = cw.compare_unpaired(*answers(x, n), *answers(z, m), measure="accuracy").p_value
        # the error rate, in which right and wrong are exchanged, has the same p-value
        rejected[x, z] = rejected[n - x, m - z] = p <= 0.05
    for p in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        chances = np.outer(stats.binom.pmf(range(n + 1), n, p), stats.binom.pmf(range(m + 1), m, p))
        assert chances[rejected].sum() <= {(4, 4): 0.071, (4, 200): 0.098}.get((n, m), 0.056)


def test_too_little_to_know_how_much_a_measure_varies():
    with pytest.raises(NotApplicableError, match="A has a single item"):
        cw.compare_unpaired([1], [1], [0, 1], [1, 1], measure="f1")
    with pytest.raises(NotApplicableError, match="How much macro F1 of A varies cannot be estimated"):
        cw.compare_unpaired([1] * 5, [1] * 5, [1] * 5, [1, 0, 0, 0, 1], measure="macro_f1")


def test_what_does_not_vary_or_has_no_variance_is_refused():
    values = np.random.RandomState(1).normal(size=20)
    with pytest.raises(cw.errors.NotApplicableError, match="varies"):
        cw.compare_unpaired(None, values, None, values + 1, measure="trimmed_mean")
    with pytest.raises(cw.errors.NotApplicableError, match="variance is 0"):
        cw.compare_unpaired(None, [1.5] * 5, None, [2.7] * 5, measure="mean")


def test_series_give_their_names():
    values = np.random.RandomState(1).normal(size=20)
    r = cw.compare_unpaired(
        None, pd.Series(values, name="old"), None, pd.Series(values + 1, name="new"), measure="mean"
    )
    assert (r.name_a, r.name_b) == ("old", "new")


def lognormal(stream, n, sigma=1.5):
    return np.exp(sigma * stream.normal(size=n) - sigma**2 / 2)


def test_skewed_values_are_corrected_as_hall_has_it():
    """Hall (1992), with the unbiased third cumulants that scipy has (kstat); the larger tail counts."""
    stream, larger = np.random.RandomState(3), 0
    for _ in range(10):
        a, b = stream.exponential(size=60), 1.2 + stream.normal(size=50)
        r = cw.compare_unpaired(None, a, None, b, measure="mean")
        found = stats.ttest_ind(b, a, equal_var=False)
        variance = a.var(ddof=1) / 60 + b.var(ddof=1) / 50
        g, t = (stats.kstat(b, 3) / 50**2 - stats.kstat(a, 3) / 60**2) / variance**1.5, found.statistic
        corrected = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
        plain, halls = (stats.t.sf(x * np.sign(t), found.df) for x in (t, corrected))
        assert r.p_value == pytest.approx(2 * max(plain, halls), rel=1e-9)
        larger += halls > plain
    assert larger


@pytest.mark.parametrize("claim", ["different", "better", "worse"])
@pytest.mark.parametrize("kind", ["areas", "shares"])
def test_p_and_interval_are_dual_where_kinds_may_have_been_missed(kind, claim):
    stream = np.random.RandomState(12)
    for _ in range(20):
        if kind == "areas":
            y, z = np.repeat([0, 1], (40, 12)), np.repeat([0, 1], (200, 100))
            r = cw.compare_unpaired(y, stream.normal(size=52) + 1.5 * y, z, stream.normal(size=300) + z, claim=claim)
        else:
            a, b = stream.beta(8, 2, size=30), stream.beta(9, 1, size=80)
            r = cw.compare_unpaired(None, a, None, b, measure="mean(lowest=0, highest=1)", claim=claim)
        assert (0.0 in r.interval) == (r.p_value > 0.05)


def test_a_small_test_set_without_failures_does_not_decide():
    """Ten positives that A ranks right: an AUC of 1 against one of .93 on 100 positives, by DeLong p < .001."""
    stream = np.random.RandomState(5)
    y, z = np.repeat([0, 1], (90, 10)), np.repeat([0, 1], (900, 100))
    a, b = stream.normal(size=100) + 5 * y, stream.normal(size=1000) + 2.1 * z
    r = cw.compare_unpaired(y, a, z, b, names=("small", "large"))
    assert r.estimate_a > 0.99 > 0.95 > r.estimate_b
    assert r.decision == "not decided"
    missed = next(caveat.text for caveat in r.caveats if caveat.code == "unseen_failures")
    assert "10 positives of small can miss a kind that makes up to 25.9 % of all" in missed  # 1 − .05^(1/10)
    # what it advises: more positives for A
    y = np.repeat([0, 1], (900, 100))
    more = cw.compare_unpaired(y, stream.normal(size=1000) + 5 * y, z, b, names=("small", "large"))
    assert more.decision == "worse"


def test_values_too_skewed_are_not_decided_and_the_advice_works():
    stream = np.random.RandomState(4)
    a, b = lognormal(stream, 40), 5 + stream.normal(size=40)
    r = cw.compare_unpaired(None, a, None, b, measure="mean")
    assert r.decision == "not decided"
    text = next(caveat.text for caveat in r.caveats if caveat.code == "too_skewed")
    assert "one test set for both models, on which trimmed means can be compared" in text
    assert cw.compare(None, a, b, measure="trimmed_mean", rng=1).decision == "better"


def test_few_ranked_wrongly_is_called_cautious_and_the_advice_works():
    stream = np.random.RandomState(6)
    y = np.repeat([0, 1], (50, 12))
    a, b = stream.normal(size=62) + 4 * y, stream.normal(size=62) + 3 * y
    r = cw.compare_unpaired(y, a, y, b)
    texts = " ".join(caveat.text for caveat in r.caveats)
    assert "little power" not in texts
    assert "so only a large difference can be shown. On one test set for both models a smaller one can." in texts
    assert cw.compare(y, a, b, measure="auc", rng=1).p_value < r.p_value


def most(pairs):
    """5 % of so many pairs, and three binomial standard errors: 11.5 % of 100 and 8.8 % of 300."""
    return 0.05 * pairs + 3 * math.sqrt(0.05 * 0.95 * pairs)


@pytest.mark.parametrize("pairs", [100, pytest.param(300, marks=pytest.mark.study)])
@pytest.mark.parametrize("sizes", [(50, 50), (20, 200)])
def test_skewed_values_keep_the_level_or_are_not_decided(sizes, pairs):
    """Lognormal against normal values with the same mean."""
    stream, found, welch = np.random.RandomState(9), 0, 0
    for _ in range(pairs):
        a, b = lognormal(stream, sizes[0]), 1 + 0.3 * stream.normal(size=sizes[1])
        found += cw.compare_unpaired(None, a, None, b, measure="mean").decision in ("better", "worse")
        welch += stats.ttest_ind(a, b, equal_var=False).pvalue <= 0.05
    assert found <= most(pairs) < welch


@pytest.mark.parametrize("pairs", [60, pytest.param(200, marks=pytest.mark.study)])
def test_areas_near_1_keep_the_level_on_a_small_test_set(pairs):
    """Equal areas of .98, 10 and 100 positives."""
    stream, found = np.random.RandomState(10), 0
    y, z = np.repeat([0, 1], (90, 10)), np.repeat([0, 1], (900, 100))
    for _ in range(pairs):
        a, b = stream.normal(size=100) + 2.904 * y, stream.normal(size=1000) + 2.904 * z  # √2 · 2.0537
        found += cw.compare_unpaired(y, a, z, b).decision in ("better", "worse")
    assert found <= most(pairs)
