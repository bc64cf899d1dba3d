"""Label sets, groups and strata: the units are what they should be, and drawing and swapping them is too."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn import metrics

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.execution import Seed
from clearwin.measures import find
from clearwin.resampling import of_counts
from clearwin.resampling.bootstrap import draw, left_out

SKLEARN = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
}
LABEL_SET_MEASURES = [m.name for m in cw.list_measures().values() if m.of_label_sets]


def label_sets(seed, n=300, k=6, odd=True):
    """Several labels per item, with what is odd: items without any, a label that never occurs, one never predicted."""
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < rng.random(k) * 0.4
    a, b = (truth ^ (rng.random((n, k)) < p) for p in (0.12, 0.09))
    if odd:
        truth[:, 0] = False
        a[:, 1] = b[:, 1] = False
        truth[: n // 10] = a[: n // 20] = b[: n // 20] = False
    return truth, a, b


def classes(seed, n=300, k=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    a, b = (np.where(rng.random(n) < p, rng.integers(0, k, n), y) for p in (0.35, 0.25))
    return y, a, b


def question(truth, a, b, measure="macro_f1", *, groups=None, strata=None, labels=None, n_resamples=4_000, seed=1):
    read = read_sample(truth, {"a": a, "b": b}, find(measure), Reading(groups=groups, strata=strata, labels=labels))
    return Question(*read, Options(n_resamples=n_resamples, seed=Seed(seed)))


# --- values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("what", SKLEARN)
def test_label_sets_equal_scikit_learn(average, what):
    for seed, k in itertools.product(range(5), (2, 6, 13)):
        truth, a, b = label_sets(seed, n=40 + 60 * seed, k=k)
        found = question(truth, a, b, f"{average}_{what}").estimates
        expected = [SKLEARN[what](truth, x, average=average, zero_division=0) for x in (a, b)]
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("what", SKLEARN)
def test_some_labels_of_many_equal_scikit_learn(average, what):
    for seed in range(4):
        truth, a, b = label_sets(seed, k=9)
        chosen = [7, 2, 4]
        found = question(truth, a, b, f"{average}_{what}", labels=chosen).estimates
        y, c, d = classes(seed, k=6)
        found += question(y, c, d, f"{average}_{what}", labels=[5, 1]).estimates
        score = SKLEARN[what]
        expected = [score(truth, x, average=average, labels=chosen, zero_division=0) for x in (a, b)]
        expected += [score(y, x, average=average, labels=[1, 5], zero_division=0) for x in (c, d)]
        assert found == pytest.approx(expected, abs=1e-12)


def test_f_beta_hamming_loss_and_subset_accuracy_equal_scikit_learn():
    for seed in range(5):
        truth, a, b = label_sets(seed)
        for measure, score in (
            ("macro_f_beta(beta=2)", lambda t, x: metrics.fbeta_score(t, x, beta=2, average="macro", zero_division=0)),
            ("micro_f_beta(beta=0.5)", lambda t, x: metrics.fbeta_score(t, x, beta=0.5, average="micro")),
            ("hamming_loss", metrics.hamming_loss),
            ("subset_accuracy", metrics.accuracy_score),
            ("accuracy", metrics.accuracy_score),
        ):
            found = question(truth, a, b, measure).estimates
            assert found == pytest.approx([score(truth, x) for x in (a, b)], abs=1e-12), measure


def test_macro_f1_is_the_mean_of_f1s_and_the_other_definition_has_its_own_name():
    truth, a, b = label_sets(3)
    p, r = (SKLEARN[w](truth, a, average="macro", zero_division=0) for w in ("precision", "recall"))
    assert question(truth, a, b, "f1_of_macro").estimates[0] == pytest.approx(2 * p * r / (p + r))
    assert "mean over classes of F1" in cw.list_measures()["macro_f1"].formula


def test_f1_of_sums_is_the_f1_of_the_added_counts():
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 6, 50)
    right = [rng.integers(0, gold + 1) for _ in range(2)]
    made = [r + rng.integers(0, 3, 50) for r in right]
    found = cw.compare(
        gold, np.stack([right[0], made[0]], axis=1), (right[1], made[1]), measure="f1_of_sums", n_resamples=99, rng=1
    )
    expected = [2 * r.sum() / (gold.sum() + m.sum()) for r, m in zip(right, made, strict=True)]
    assert [found.estimate_a, found.estimate_b] == pytest.approx(expected)
    assert "higher" in str(found)
    for bad, words in (
        ((gold, (right[0], right[0] - 1), (right[1], made[1])), "b|a"),
        ((gold - 1, (right[0], made[0]), (right[1], made[1])), "truth"),
        ((gold, (right[0] + 9, made[0] + 9), (right[1], made[1])), "more right spans than true"),
        ((gold, right[0], right[1]), "shape"),
        ((gold, (right[0] + 0.5, made[0]), (right[1], made[1])), "a"),
    ):
        with pytest.raises(cw.errors.DataError, match=words):
            cw.compare(*bad, measure="f1_of_sums")


# --- draws ----------------------------------------------------------------------------------------------------


def cases():
    truth, a, b = label_sets(11, odd=False)
    y, c, d = classes(12)
    rng = np.random.default_rng(13)
    groups = rng.integers(0, 60, 300)
    strata = np.where(np.arange(300) < 100, "old", "new")
    of_groups = np.where(groups < 20, "old", "new")
    yield "classes", (y, c, d), {}
    yield "label sets", (truth, a, b), {}
    yield "groups of classes", (y, c, d), {"groups": groups}
    yield "groups of label sets", (truth, a, b), {"groups": groups}
    yield "strata of classes", (y, c, d), {"strata": strata}
    yield "strata of label sets", (truth, a, b), {"strata": strata}
    yield "groups in strata", (y, c, d), {"groups": groups, "strata": of_groups}


CASES = {name: (data, how) for name, data, how in cases()}
every_case = pytest.mark.parametrize("name", CASES)


def by_index(data, how, rng, n_resamples):
    """Draw units one by one, stratum by stratum, and recount: the slow, obvious bootstrap."""
    n = len(data[0])
    groups = how.get("groups", np.arange(n))
    strata = how.get("strata", np.zeros(n))
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    stratum = np.array([strata[m[0]] for m in members])
    differences = np.empty(n_resamples)
    for i in range(n_resamples):
        drawn = []
        for s in np.unique(stratum):
            here = np.flatnonzero(stratum == s)
            drawn += [members[j] for j in rng.choice(here, here.size)]
        at = np.concatenate(drawn)
        differences[i] = slow_macro_f1(data[0][at], data[2][at]) - slow_macro_f1(data[0][at], data[1][at])
    return differences


def slow_macro_f1(truth, x):
    """Over the four classes or the columns there are, whatever the sample."""
    if truth.ndim == 1:
        truth, x = (np.equal.outer(v, np.arange(4)) for v in (truth, x))
    below = truth.sum(axis=0) + x.sum(axis=0)
    return float(np.mean(np.where(below > 0, 2 * (truth & x).sum(axis=0) / np.maximum(below, 1), 0.0)))


@pytest.fixture(params=["multinomial", "one by one", "both"])
def way(request, monkeypatch):
    """All rows as multinomial counts, all one by one by the kernel, or some of each."""
    limits = {"multinomial": (10**9, 32), "one by one": (0, 10**9), "both": (0, 3)}[request.param]
    monkeypatch.setattr(of_counts, "FEW_ROWS", limits[0])
    monkeypatch.setattr(of_counts, "OFTEN", limits[1])


@every_case
def test_drawing_units_is_drawing_by_index(name, way):
    data, how = CASES[name]
    slow = by_index(data, how, np.random.default_rng(2), 1_500)
    fast = draw(question(*data, **how)).differences
    # two samples from one distribution: p < .001 once in a thousand seeds
    assert stats.ks_2samp(slow, fast).pvalue > 0.001
    # the deviation of the slow one has a relative error of 1/√3,000: 5 standard errors
    assert fast.std() == pytest.approx(slow.std(), rel=0.1)


@every_case
def test_both_ways_of_drawing_agree(name, monkeypatch):
    data, how = CASES[name]
    samples = []
    for few, often in ((10**9, 32), (0, 10**9)):
        monkeypatch.setattr(of_counts, "FEW_ROWS", few)
        monkeypatch.setattr(of_counts, "OFTEN", often)
        samples.append(draw(question(*data, **how, n_resamples=20_000)).differences)
    assert stats.ks_2samp(*samples).pvalue > 0.001
    assert samples[0].std() == pytest.approx(samples[1].std(), rel=0.035)  # 5 standard errors of √(1/20,000)


def test_replicates_keep_the_sizes_of_the_strata(way, monkeypatch):
    y, a, b = classes(4)
    asked = question(y, a, b, "accuracy", strata=y, n_resamples=300)
    seen = []
    table = asked.sample.table(asked.measure)
    read = table.read
    object.__setattr__(table, "read", lambda totals: seen.append(totals) or read(totals))
    draw(asked)
    for totals in seen:
        for counts in read(totals):
            assert np.allclose(counts.truths, np.bincount(y)[:, None], rtol=1e-12)


@every_case
def test_jackknife_leaves_out_whole_units(name):
    data, how = CASES[name]
    n = len(data[0])
    groups = how.get("groups", np.arange(n))
    strata = how.get("strata", np.zeros(n))
    slow = {}
    for g in np.unique(groups):
        keep = groups != g
        value = slow_macro_f1(data[0][keep], data[2][keep]) - slow_macro_f1(data[0][keep], data[1][keep])
        slow.setdefault(strata[groups == g][0], []).append(value)
    if len(slow) > 1:
        slow = {s: (np.array(v) - np.mean(v)) * (1 - 1 / len(v)) for s, v in slow.items()}
    found = left_out(question(*data, **how))
    values, times = found.accelerating(found.differences)
    np.testing.assert_allclose(np.sort(np.repeat(values, times)), np.sort(np.concatenate([*slow.values()])), atol=1e-12)


# --- swaps ----------------------------------------------------------------------------------------------------


def exact_f1(truth, x):
    hits, total = int((truth & x).sum()), int(truth.sum() + x.sum())
    return Fraction(2 * hits, total) if total else Fraction(0)


def brute_force(truth, a, b, groups, value):
    """Swap every set of groups, in fractions."""
    ids = np.unique(groups)
    observed = abs(value(truth, b) - value(truth, a))
    extreme = 0
    for coins in itertools.product([False, True], repeat=len(ids)):
        swap = np.array(coins)[np.searchsorted(ids, groups)]
        swap = swap[:, None] if truth.ndim == 2 else swap
        c, d = np.where(swap, b, a), np.where(swap, a, b)
        extreme += abs(value(truth, d) - value(truth, c)) >= observed
    return extreme / 2 ** len(ids)


@pytest.mark.parametrize("grouped", [False, True])
def test_exact_permutation_of_label_sets_is_brute_force(grouped):
    rng = np.random.default_rng(21)
    for _ in range(25):
        n, k = int(rng.integers(3, 11)), int(rng.integers(2, 4))
        truth, a, b = (rng.random((n, k)) < 0.4 for _ in range(3))
        groups = rng.integers(0, 4, n) if grouped else np.arange(n)
        if len(np.unique(groups)) < 2:
            continue

        def macro(t, x):
            return sum(exact_f1(t[:, j], x[:, j]) for j in range(t.shape[1])) / t.shape[1]

        for measure, value in (("micro_f1", exact_f1), ("macro_f1", macro)):
            found = cw.compare(
                truth,
                a,
                b,
                measure=measure,
                test="permutation",
                method="exact",
                n_resamples=50,
                rng=1,
                groups=groups if grouped else None,
            )
            assert found.p_value == pytest.approx(brute_force(truth, a, b, groups, value), rel=1e-12)


def test_exact_permutation_of_groups_is_brute_force():
    rng = np.random.default_rng(22)
    for _ in range(25):
        n = int(rng.integers(6, 40))
        truth, a, b = (rng.random(n) < 0.5 for _ in range(3))
        groups = rng.integers(0, 8, n)
        for measure, value in (("f1", exact_f1), ("accuracy", lambda t, x: Fraction(int((t == x).sum()), t.size))):
            found = cw.compare(truth, a, b, measure=measure, test="permutation", groups=groups, n_resamples=50, rng=1)
            assert found.method == "exact"
            assert found.p_value == pytest.approx(brute_force(truth, a, b, groups, value), rel=1e-12)


@every_case
def test_sampled_swaps_agree_with_slow_ones(name, monkeypatch):
    data, how = CASES[name]
    n = len(data[0])
    groups = how.get("groups", np.arange(n))
    _, group = np.unique(groups, return_inverse=True)
    rng = np.random.default_rng(31)
    slow = np.empty(1_500)
    for i in range(slow.size):
        swap = rng.random(group.max() + 1)[group] < 0.5
        swap = swap[:, None] if data[0].ndim == 2 else swap
        a, b = np.where(swap, data[2], data[1]), np.where(swap, data[1], data[2])
        slow[i] = slow_macro_f1(data[0], b) - slow_macro_f1(data[0], a)
    for few in (10**9, 0):
        monkeypatch.setattr(of_counts, "FEW_ROWS", few)
        a, b, _ = of_counts.swap_units(question(*data, **how))
        assert stats.ks_2samp(slow, b - a).pvalue > 0.001
        assert (b - a).std() == pytest.approx(slow.std(), rel=0.1)


def test_a_group_of_copies_counts_once():
    """Five copies of every item, grouped: the same estimates, p and interval as without the copies."""
    y, a, b = classes(41, n=80)
    once = cw.compare(y, a, b, measure="macro_f1", test="bootstrap", rng=3)
    item = np.repeat(np.arange(80), 5)
    grouped = cw.compare(y[item], a[item], b[item], measure="macro_f1", test="bootstrap", rng=3, groups=item)
    naive = cw.compare(y[item], a[item], b[item], measure="macro_f1", test="bootstrap", rng=3)
    assert grouped.difference == pytest.approx(once.difference)
    one, whole, narrow = (r.interval.high - r.interval.low for r in (once, grouped, naive))
    assert whole == pytest.approx(one, rel=0.06)
    assert narrow == pytest.approx(one / math.sqrt(5), rel=0.06)
    assert grouped.sampling.design_effect == pytest.approx(5, rel=0.05)
    assert (grouped.sampling.n_units, grouped.sampling.smallest, grouped.sampling.largest) == (80, 5, 5)
    swapped = [
        cw.compare(y[i], a[i], b[i], measure="accuracy", test="permutation", groups=g, rng=1).p_value
        for i, g in ((np.arange(80), None), (item, item))
    ]
    assert swapped[0] == pytest.approx(swapped[1], rel=1e-9)


# --- what holds of all ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", LABEL_SET_MEASURES)
@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_identical_and_swapped_models(measure, test):
    truth, a, b = label_sets(51, n=60)
    for claim in ("different", "better", "worse"):
        same = cw.compare(truth, a, a, measure=measure, test=test, n_resamples=200, rng=1, claim=claim)
        assert (same.difference, same.p_value) == (0.0, 1.0)
        assert any(c.code == "few_disagreements" for c in same.caveats)
    there, back = (
        cw.compare(truth, *pair, measure=measure, test=test, n_resamples=2_000, rng=1) for pair in ((a, b), (b, a))
    )
    assert back.difference == -there.difference
    slack = 1e-12 if there.p_error is None else 6 * math.hypot(there.p_error, back.p_error) + 1e-3
    assert back.p_value == pytest.approx(there.p_value, abs=slack)


@every_case
def test_the_order_of_the_items_does_not_matter(name):
    data, how = CASES[name]
    order = np.random.default_rng(61).permutation(len(data[0]))
    there = cw.compare(*data, measure="macro_f1", n_resamples=500, rng=1, **how)
    back = cw.compare(
        *(x[order] for x in data), measure="macro_f1", n_resamples=500, rng=1, **{k: v[order] for k, v in how.items()}
    )
    assert there.to_json() == back.to_json()


def test_every_form_of_label_sets_gives_the_same_result():
    truth, a, b = label_sets(71, odd=False)
    dense = cw.compare(truth, a, b, measure="micro_f1", n_resamples=300, rng=1)
    forms = [
        [x.astype(int) for x in (truth, a, b)],
        [sparse.csr_matrix(x) for x in (truth, a, b)],
        [sparse.coo_array(x.astype(float)) for x in (truth, a, b)],
        [[np.flatnonzero(row).tolist() for row in x] for x in (truth, a, b)],
        [[set(np.flatnonzero(row).tolist()) for row in x] for x in (truth, a, b)],
    ]
    for form in forms:
        assert cw.compare(*form, measure="micro_f1", n_resamples=300, rng=1).to_json() == dense.to_json()
    texts = [[",".join(map(str, np.flatnonzero(row))) for row in x] for x in (truth, a, b)]
    told = cw.compare(*texts, measure="micro_f1", n_resamples=300, rng=1, separator=",")
    assert (told.p_value, told.difference, told.interval) == (dense.p_value, dense.difference, dense.interval)


def test_per_label_results_are_those_of_each_label_alone():
    truth, a, b = label_sets(81)
    groups = np.arange(300) // 6
    for how in ({}, {"groups": groups}):
        found = cw.compare_by_class(truth, a, b, n_resamples=200, rng=1, labels=[2, 3, 5], **how)
        assert [c.label for c in found.classes] == ["2", "3", "5"]
        for one, j in zip(found.classes, (2, 3, 5), strict=True):
            alone = cw.compare(truth[:, j], a[:, j], b[:, j], n_resamples=200, rng=1, **how)
            assert (one.p_value, one.interval, one.n) == (alone.p_value, alone.interval, truth[:, j].sum())
            assert one.p_value <= one.adjusted_p
        assert "label 3" in str(found)


def test_what_label_sets_cannot_be_asked():
    truth, a, b = label_sets(91)
    for measure in ("f1", "mcc", "dcf"):
        with pytest.raises(cw.errors.OptionError, match="several labels"):
            cw.compare(truth, a, b, measure=measure)
    with pytest.raises(cw.errors.NotApplicableError, match="label sets"):
        cw.compare(truth, a, b, measure="micro_f1", test="mcnemar")
    assert cw.compare(truth, a, b, measure="accuracy", test="mcnemar").measure == "subset_accuracy"
    with pytest.raises(cw.errors.OptionError, match="positive"):
        cw.compare(truth, a, b, measure="micro_f1", positive=1)
    y, c, d = classes(91)
    with pytest.raises(cw.errors.OptionError, match="no average"):
        cw.compare(y, c, d, measure="mcc", labels=[1])
    with pytest.raises(cw.errors.UnknownNameError, match="7"):
        cw.compare(y, c, d, measure="macro_f1", labels=[7])
    with pytest.raises(cw.errors.OptionError, match="label sets"):
        cw.compare(y, c, d, measure="hamming_loss")


# --- groups and strata ----------------------------------------------------------------------------------------


def test_naive_tests_on_groups_say_how_wrong_they_are():
    y, a, b = classes(101, n=100)
    item = np.repeat(np.arange(100), 4)
    found = cw.compare(y[item], a[item], b[item], measure="accuracy", test="mcnemar", groups=item)
    [caveat] = [c for c in found.caveats if c.code == "ignores_groups"]
    assert "4.0" in caveat.text or "3.9" in caveat.text
    assert "too small" in caveat.text
    whole = cw.compare(y[item], a[item], b[item], measure="accuracy", groups=item, rng=1)
    assert whole.test == "studentised"
    assert "that the groups were drawn from" in whole.null_hypothesis
    assert "groups" in str(whole)
    assert not any(c.code == "ignores_groups" for c in whole.caveats)
    single = cw.estimate(y[item], a[item], measure="accuracy", groups=item, rng=1)
    assert single.interval.method == "inverted"
    assert single.sampling.design_effect == pytest.approx(4, rel=0.05)
    wilson = cw.estimate(y[item], a[item], measure="accuracy", groups=item, interval="wilson")
    assert any(c.code == "ignores_groups" for c in wilson.caveats)


def test_nested_groups_are_taken_by_the_coarser_and_strange_ones_refused():
    y, a, b = classes(111, n=120)
    fine, coarse = np.arange(120) // 4, np.arange(120) // 12
    nested = cw.compare(y, a, b, measure="macro_f1", groups=[fine, coarse], n_resamples=200, rng=1)
    alone = cw.compare(y, a, b, measure="macro_f1", groups=coarse, n_resamples=200, rng=1)
    assert nested.to_json() == alone.to_json()
    crossed = cw.compare(y, a, b, measure="macro_f1", groups=np.stack([fine, np.arange(120) % 10], axis=1))
    assert "10 groups, crossed with 30" in crossed.why
    with pytest.raises(cw.errors.DataError, match="crossed"):
        cw.rank(y, {"a": a, "b": b}, measure="macro_f1", groups=np.stack([fine, np.arange(120) % 10], axis=1))
    with pytest.raises(cw.errors.DataError, match="several strata"):
        cw.compare(y, a, b, measure="macro_f1", groups=coarse, strata=np.arange(120) % 2)
    with pytest.raises(cw.errors.DataError, match="one group"):
        cw.compare(y, a, b, measure="macro_f1", groups=np.zeros(120))
    with pytest.raises(cw.errors.DataError, match="119 values for 120 items"):
        cw.compare(y, a, b, measure="macro_f1", groups=coarse[1:])
    with pytest.raises(cw.errors.DataError, match="missing"):
        cw.compare(y, a, b, measure="macro_f1", groups=[None, *coarse[1:].tolist()])


def test_strata_are_told_and_few_groups_doubted():
    y, a, b = classes(121)
    found = cw.compare(y, a, b, measure="macro_f1", strata=y, n_resamples=200, rng=1)
    assert found.sampling.strata == {str(i): int(n) for i, n in enumerate(np.bincount(y))}
    assert "held fixed" in str(found)
    naive = cw.compare(y, a, b, measure="accuracy", test="mcnemar", strata=y)
    assert any(c.code == "ignores_strata" for c in naive.caveats)
    few = cw.compare(y, a, b, measure="macro_f1", groups=np.arange(300) // 50, n_resamples=200, rng=1)
    assert any(c.code == "few_groups" for c in few.caveats)


def test_grouping_has_its_own_fingerprint():
    y, a, b = classes(131)
    prints = {
        cw.compare(y, a, b, measure="macro_f1", n_resamples=9, rng=1, **how).signature.data
        for how in (
            {},
            {"groups": np.arange(300) // 10},
            {"groups": np.arange(300) // 20},
            {"strata": np.arange(300) // 150},
        )
    }
    assert len(prints) == 4


def test_strata_whose_items_all_have_one_outcome():
    """Two perfect models: of every class there is one combination of labels, and of it many items."""
    y = [0] * 10 + [1] * 10
    for verb in (
        lambda: cw.compare(y, y, y, measure="accuracy", strata=y, n_resamples=50),
        lambda: cw.rank(y, {"a": y, "b": y}, measure="accuracy", strata=y, n_resamples=50),
    ):
        assert verb().sampling.strata == {"0": 10, "1": 10}
