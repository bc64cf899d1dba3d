"""Found by a statistician and by a hostile user: each of these went wrong once."""

import itertools

import numpy as np
import pandas as pd
import pytest

import clearwin as cw

ZEROS, ONE_DISASTER = np.zeros(31), np.r_[np.full(30, 0.01), -10]


def two(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.where(rng.random(n) < 0.3, 1 - y, y), np.where(rng.random(n) < 0.2, 1 - y, y)


@pytest.mark.parametrize(
    ("test", "words"), [("sign", "B wins more items than A"), ("wilcoxon", "B tends to be better")]
)
def test_a_test_of_wins_names_no_winner_in_the_mean(test, words):
    """30 small wins and one disaster: more items won, a worse mean."""
    for claim in ("different", "better"):
        r = cw.compare(None, ZEROS, ONE_DISASTER, measure="mean", test=test, claim=claim, rng=1, n_resamples=200)
        assert r.p_value < 0.001
        assert r.verdict().startswith(words)
        assert any(c.code == "leads_elsewhere" for c in r.caveats)
    assert not any(c.code == "leads_elsewhere" for c in cw.compare(None, ZEROS, -ONE_DISASTER, measure="mean").caveats)


def test_one_large_group_does_not_make_the_t_test_reject():
    """One group of 300 items and 30 of 5, equal models: the usual cluster-robust t rejects 69 % of the time."""
    group = np.repeat(np.arange(31), np.r_[300, np.full(30, 5)])
    rng = np.random.default_rng(1)
    rejected = np.zeros(2)
    for _ in range(300):
        a, b = (rng.normal(size=31)[group] + rng.normal(size=group.size) for _ in "ab")
        r = cw.compare(None, a, b, measure="mean", test="paired_t", groups=group)
        y = rng.integers(0, 2, group.size)
        lean = rng.normal(size=31)[group]
        scores = (y * (1 + s * lean) + rng.normal(size=y.size) for s in (1, -1))
        d = cw.compare(y, *scores, measure="auc", test="delong", groups=group)
        rejected += [r.p_value <= 0.05, d.p_value <= 0.05]
        assert any(c.code == "few_groups" for c in r.caveats)
    assert (rejected / 300 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)).all()


@pytest.mark.parametrize("measure", ["accuracy", "f1", "macro_f1"])
def test_the_design_effect_of_groups_of_one_is_1(measure):
    y, a, b = two()
    for strata in (None, np.arange(200) // 2, np.arange(200) // 20):
        r = cw.compare(y, a, b, measure=measure, groups=np.arange(200), strata=strata, n_resamples=50, rng=1)
        assert r.sampling.design_effect == pytest.approx(1.0, abs=1e-9)
    truth, c, d = (np.stack([x, 1 - x, y], axis=1) for x in (y, a, b))
    for size in (5, 20):
        sets = cw.compare(truth[:size], c[:size], d[:size], measure="hamming_loss", groups=range(size), n_resamples=50)
        assert sets.sampling.design_effect == pytest.approx(1.0, abs=1e-9)
    values = cw.compare(None, a, b, measure="mean", groups=np.arange(200), strata=np.arange(200) // 4, n_resamples=50)
    assert values.sampling.design_effect == pytest.approx(1.0, abs=1e-9)


def test_a_class_in_one_group_is_no_division_by_zero():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 10)
    y = (group == 0) * 1
    a, b = rng.normal(size=(2, 300))
    for test in ("auto", "bootstrap"):
        r = cw.compare(y, a, b, measure="auc", groups=group, test=test, n_resamples=99, rng=1)
        assert r.sampling.design_effect is None
    assert cw.estimate(y, a, measure="auc", groups=group, n_resamples=99, rng=1).sampling.design_effect is None
    assert cw.compare([0, 1], [0.1, 0.2], [0.3, 0.2], measure="auc", groups=[0, 1], rng=1).p_value == 0.5


def test_a_handful_of_units_proves_nothing():
    assert cw.compare([1], [0], [1], measure="accuracy", test="bootstrap", rng=1).p_value == 1.0
    for n, least in ((2, 0.5), (3, 0.25), (5, 0.0625)):
        values = cw.compare(None, np.zeros(n), np.arange(1.0, n + 1), measure="mean", test="bootstrap", rng=1)
        assert values.p_value == least
        one_sided = cw.compare(
            None, np.zeros(n), np.arange(1.0, n + 1), measure="mean", test="bootstrap", claim="better", rng=1
        )
        assert one_sided.p_value == least / 2
        y = [1] * n + [0] * n
        grouped = cw.compare(
            y * 4, [0] * 8 * n, y * 4, measure="f1", test="bootstrap", groups=list(range(2 * n)) * 4, rng=1
        )
        assert grouped.p_value >= least
    with pytest.raises(cw.errors.DataError, match="no replicate could differ"):
        cw.compare(None, [0.0] * 8, [3, -1, 2, 5, -4, 1, 2, 6], measure="mean", strata=range(8))


def test_strata_that_hide_how_much_their_units_vary_are_doubted():
    rng = np.random.default_rng(1)
    b = rng.normal(0.15, 1, 200)
    pairs, some_alone = np.arange(200) // 2, np.where(np.arange(200) < 150, np.arange(200) // 2, np.arange(200))

    def told(**how):
        found = cw.compare(None, np.zeros(200), b, measure="mean", rng=1, **how)
        return [c.text for c in found.caveats if c.code == "small_strata"]

    assert told(test="bootstrap", strata=pairs) == told(test="paired_t", strata=pairs) == []
    [text] = told(test="bootstrap", strata=some_alone)
    assert text.startswith("50 of 125 strata have one item only")
    assert "0.87" in text  # √(1 − 50/200)
    y = np.arange(200) % 4 < 2
    own = cw.custom_measure(lambda truth, said: np.mean(truth == said), name="own")
    found = cw.compare(y, b > 0, b < 0.3, measure=own, test="bootstrap", strata=pairs, rng=1, n_resamples=200)
    assert any(c.code == "small_strata" and "0.71" in c.text and "whole items" in c.text for c in found.caveats)


def test_a_mean_over_classes_is_undefined_in_part():
    y = ["a"] * 30 + ["b"] * 30 + ["c"] * 2
    r = cw.compare(y, y[::-1], y, measure="macro_f1", test="bootstrap", rng=1, n_resamples=500)
    [caveat] = [c for c in r.caveats if c.code == "undefined_replicates"]
    assert "a part of macro F1 was undefined" in caveat.text


def test_groups_that_are_all_alike_have_no_variance():
    rng = np.random.default_rng(1)
    y, (a, b) = np.array([1, 1, 1, 0, 0, 0, 0]), rng.normal(size=(2, 7))
    with pytest.raises(cw.errors.NotApplicableError, match="variance of the difference is 0"):
        cw.compare(
            np.tile(y, 5), np.tile(a, 5), np.tile(b, 5), measure="auc", test="delong", groups=np.repeat(np.arange(5), 7)
        )


@pytest.mark.parametrize("outlier", [0.0, 1e8, 1e11, 1e12])
def test_a_value_that_both_share_changes_nothing(outlier):
    x = np.random.default_rng(0).random(12)
    z = x + 0.1 * np.random.default_rng(1).random(12)
    values = (None, np.r_[x, outlier], np.r_[z, outlier])
    r = cw.compare(*values, measure="mean", test="permutation", rng=1)
    assert r.p_value == pytest.approx(2 / 2**12)
    slow = cw.compare(*values, measure="mean", rng=1, test="permutation", method="monte_carlo")
    assert slow.p_value < 0.002
    usual, plain = (cw.compare(*both, measure="mean", rng=1) for both in (values, (None, np.r_[x, 0], np.r_[z, 0])))
    assert usual.p_value == plain.p_value < 0.002
    assert usual.interval.low == pytest.approx(plain.interval.low, rel=0.05)  # other draws
    for found in (r, usual):
        assert found.difference == pytest.approx((z - x).sum() / 13)
        assert found.interval.low > 0


def test_small_differences_of_large_values():
    r = cw.compare(None, np.full(10, 1e6), 1e6 + 1e-6 * np.arange(1, 11), measure="mean", rng=1)
    assert r.p_value == pytest.approx(2 / 2**10)
    with pytest.raises(cw.errors.DataError, match="no float can hold exactly"):
        cw.compare(None, [2**53 + 1] * 30, [2**53] * 30, measure="mean")


def test_numbers_as_truth_are_taken_as_they_are():
    t = [-1.0, 1.0] * 10
    r = cw.compare(t, t, [0.0, 1.0] * 10, measure="mse", rng=1)
    assert (r.estimate_a, r.estimate_b) == (0.0, 0.5)
    assert cw.compare([3, 5] * 15, [3, 4] * 15, [3, 5] * 15, measure="mae", rng=1).estimate_a == 0.5
    assert cw.estimate([3.5] * 10, [3] * 10, measure="mse", rng=1).estimate == 0.25


def test_a_missing_model_is_no_comparison():
    for data in (([1, 0], [1, 0], None), (None, [1.0, 2.0], None), ([{1}, {2}], [{1}, {2}], None)):
        with pytest.raises(cw.errors.DataError, match="b is None"):
            cw.compare(*data, measure="mean" if data[0] is None else "accuracy")


def test_groups_in_another_order_are_refused():
    y, a, b = (pd.Series(x) for x in two(40))
    shuffled = pd.Series(np.arange(40) // 4).sample(frac=1, random_state=0)
    for how, verb in itertools.product(({"groups": shuffled}, {"strata": shuffled}), (cw.compare, cw.compare_by_class)):
        with pytest.raises(cw.errors.DataError, match="same index in a different order"):
            verb(y, a, b, **how)
    with pytest.raises(cw.errors.DataError, match="same index in a different order"):
        cw.compare(y, a * 0.5, b * 0.7, measure="auc", groups=shuffled)


@pytest.mark.parametrize("how", [{"groups": "author"}, {"groups": 3}, {"strata": 3}, {"groups": np.array(3)}])
def test_what_is_no_column_of_groups(how):
    y, a, b = two(6)
    [name] = how
    for data, measure in (((y, a, b), "f1"), ((None, a, b), "mean"), ((y, a * 0.5, b * 0.7), "auc")):
        with pytest.raises(cw.errors.DataError, match=f"{name} is"):
            cw.compare(*data, measure=measure, **how)


def test_tuples_name_groups():
    y, a, b = two(60)
    pairs = [(f"d{i // 10}", i // 5 % 2) for i in range(60)]
    r = cw.compare(y, a, b, groups=pairs, n_resamples=99, rng=1)
    assert r.sampling.n_units == 12
    assert r.to_json() == cw.compare(y, a, b, groups=np.arange(60) // 5, n_resamples=99, rng=1).to_json()


def test_per_class_results_take_groups_labels_and_no_positive():
    data = list("xyz") * 6, list("xyy") * 6, list("xxz") * 6
    groups = [i // 3 for i in range(18)]
    for how in ({"groups": groups}, {"strata": [i // 9 for i in range(18)]}):
        found = cw.compare_by_class(*data, n_resamples=50, rng=1, **how)
        assert [c.label for c in found.classes] == ["x", "y", "z"]
        assert [c.n for c in found.classes] == [6, 6, 6]
    with pytest.raises(TypeError, match=r"compare_by_class.*positive"):
        cw.compare_by_class(*data, positive="x")
    for labels, message in (([], "empty"), (["x", "x"], "more than once"), ("q", "no class named 'q'")):
        with pytest.raises(cw.ClearwinError, match=message):
            cw.compare_by_class(*data, labels=labels)
    assert [c.label for c in cw.compare_by_class(*data, labels="x", n_resamples=50).classes] == ["x"]


def test_a_label_without_a_value_is_left_out_and_named():
    truth = [{"joy"}, {"joy", "fear"}, {"fear"}, set()] * 10
    a, b = [{"joy"}, {"joy"}, {"fear"}, {"anger"}] * 10, [{"joy"}, {"joy"}, {"fear"}, set()] * 10
    found = cw.compare_by_class(truth, a, b, n_resamples=50, rng=1)
    assert [c.label for c in found.classes] == ["fear", "joy"]
    assert any("Label anger was left out" in c.text for c in found.caveats)


def test_labels_are_found_by_any_spelling():
    y, a, b = two()
    for labels in ([1.0], [True], ["1"], "1", 1):
        assert cw.compare(y, a, b, measure="macro_f1", labels=labels, n_resamples=50).labels == ("1",)
    texts = np.array(["a,b", " c"])[y], np.array(["a,b", " c"])[a], np.array(["a,b", " c"])[b]
    assert cw.compare(*texts, measure="macro_f1", labels="a,b", n_resamples=50).labels == ("a,b",)
    with pytest.raises(cw.errors.OptionError, match="one of them"):
        cw.compare(list("xyz") * 6, list("xyy") * 6, list("xxz") * 6, measure="macro_f1", labels=["x"], positive="y")


def test_lists_of_one_label_each_are_label_sets():
    sets = [["x"], ["y"]] * 10
    assert cw.compare(sets, sets[::-1], sets, measure="micro_f1", n_resamples=50).estimate_b == 1.0


def test_frames_say_where_label_sets_and_sums_go():
    frame = pd.DataFrame({"y": [1, 0], "a": [1, 0], "b": [0, 1]})
    for measure in ("hamming_loss", "f1_of_sums"):
        with pytest.raises(cw.ClearwinError, match=r"is a measure of label sets|a has shape"):
            cw.compare(data=frame, truth="y", a="a", b="b", measure=measure)
    with pytest.raises(cw.errors.OptionError, match="name of a column"):
        cw.compare(data=frame, truth="y", a="a", b="b", groups=np.array([1, 2]))


def test_few_units_of_scores_are_swapped_in_every_way():
    rng = np.random.default_rng(5)
    for trial in range(10):
        group = np.repeat(np.arange(4), 3)
        y = np.r_[1, 0, 1, 0, rng.integers(0, 2, 8)]
        a, b = rng.normal(size=(2, 12)).round(1)
        r = cw.compare(y, a, b, measure="auc", groups=group, test="permutation", n_resamples=50, rng=trial)
        assert r.method == "exact"
        ranks = [pd.Series(x).rank().to_numpy() for x in (a, b)]
        area = lambda t, s: np.mean(  # noqa: E731
            np.greater.outer(s[t == 1], s[t == 0]) + 0.5 * np.equal.outer(s[t == 1], s[t == 0])
        )
        observed = abs(area(y, b) - area(y, a))
        extreme = 0
        for coins in itertools.product((False, True), repeat=4):
            swap = np.array(coins)[group]
            c, d = np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
            extreme += abs(area(y, d) - area(y, c)) >= observed - 1e-12
        assert r.p_value == pytest.approx(extreme / 16)
