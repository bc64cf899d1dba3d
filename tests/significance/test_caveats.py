"""Doubts: told where they should be, and nowhere else."""

from types import SimpleNamespace

import numpy as np
import pytest

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.numerics.intervals import Coverage, Interval
from clearwin.results.base import Sampling
from clearwin.results.caveats import TOO_NARROW, TOO_WIDE
from clearwin.significance import caveats
from clearwin.significance.base import REGISTRY

ZEROS, ONE_DISASTER = np.zeros(31), np.r_[np.full(30, 0.01), -10]


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
    with pytest.raises(cw.errors.DataError, match="every replicate equals the data"):
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
    assert text.startswith("50 of 125 strata have only one item")
    assert "0.87" in text  # √(1 − 50/200)
    y = np.arange(200) % 4 < 2
    own = cw.custom_measure(lambda truth, said: np.mean(truth == said), name="own")
    found = cw.compare(y, b > 0, b < 0.3, measure=own, test="bootstrap", strata=pairs, rng=1, n_resamples=200)
    assert any(c.code == "small_strata" and "0.71" in c.text and "whole items" in c.text for c in found.caveats)


def told_of_replicates(n, interval=None, **coverage):
    """Return what is said of n replicates; of an interval within the range unless another is given."""
    reach = Coverage(0.95, **coverage)
    asked = SimpleNamespace(n_resamples=n, coverage=reach, confidence_level=0.95)
    found = caveats.few_replicates(asked, interval or Interval(-0.1, 0.2, 0.95, "percentile"))
    return "".join(caveat.text for caveat in found)


def test_replicates_beyond_the_ends_are_counted():
    """Of 2.5 % beyond each end: 1 of 40 draws, and 20 of 800, whose share is known to a fifth."""
    assert told_of_replicates(800) == ""
    assert told_of_replicates(799).startswith("Only about 20 of 799 replicates")
    assert "n_resamples=800" in told_of_replicates(799)
    assert told_of_replicates(39).startswith("Only about 1 of 39 replicates")
    assert told_of_replicates(38).startswith("38 replicates cannot bound a 0.95 interval")
    assert "n_resamples=800" in told_of_replicates(38)
    # one side: 5 % beyond the end
    assert told_of_replicates(400, side="lower") == ""
    assert told_of_replicates(399, side="lower").startswith("Only about 20 of 399")
    assert told_of_replicates(18, side="lower").startswith("18 replicates cannot bound")


def test_a_bca_interval_that_reaches_the_end_of_the_range_asks_for_more():
    ends = {"lowest": -1.0, "highest": 1.0}
    for low, high in ((-1.0, 0.2), (-0.1, 1.0)):
        told = told_of_replicates(5_000, Interval(low, high, 0.95, "bca"), **ends)
        assert told.startswith("5,000 replicates cannot bound")
        assert "n_resamples=50000" in told
        assert told_of_replicates(5_000, Interval(low, high, 0.95, "percentile"), **ends) == ""
        assert told_of_replicates(5_000, Interval(low, high, 0.95, "bca", side="lower"), **ends) == ""
    assert told_of_replicates(5_000, Interval(-0.1, 0.2, 0.95, "bca"), **ends) == ""


def test_delongs_test_is_doubted_where_hardly_an_item_is_ranked_wrongly():
    def codes(areas, smallest):
        return [caveat.code for caveat in caveats.delong_out_of_range(areas, smallest)]

    assert codes((0.75, 0.96875), 12) == ["delong_few_items"]  # 12 · 1/4 = 3, not under it
    assert codes((0.75, 0.96875), 11) == ["delong_near_1", "delong_few_items"]
    assert codes((0.96875, 0.984375), 96) == []  # by the model with more mistakes: 96/32 = 3
    assert codes((0.96875, 0.984375), 95) == ["delong_near_1"]
    assert codes((0.03125, 0.015625), 95) == ["delong_near_1"]  # scores that run the wrong way
    assert codes((0.7, 0.8), 20) == []
    assert codes((0.7, 0.8), 19) == ["delong_few_items"]
    (near,) = caveats.delong_out_of_range((0.96875, 0.984375), 64)
    assert "n(1 − AUC) is 2 in the smaller class, and under 3" in near.text


def test_groups_that_are_ignored_matter_only_where_they_widen():
    sample, measure = read_sample([0, 1] * 20, {"a": [0, 1] * 20, "b": [1, 1] * 20}, find("accuracy"), Reading())
    question = Question(sample, measure, Options())
    for effect, matters in ((0.9, False), (1.0, False), (1.1, True)):
        sampling = Sampling("group", 10, 4, 4, {}, design_effect=effect)
        [told] = caveats.not_whole_units(REGISTRY["items"]["mcnemar"], question, sampling)
        assert f"{effect:.2f} times as large" in told.text
        assert ("too small" in told.text) == matters


def test_only_bootstrap_intervals_with_strata_are_doubted_for_small_ones():
    mean, strata = find("mean"), {"a": 1, "b": 1, "c": 8}

    def told(method, **how):
        sampling = Sampling("item", 10, 1, 8, **{"strata": strata, **how})
        return caveats.small_strata(mean, Interval(0.0, 1.0, 0.95, method), sampling)

    assert len(told("percentile")) == 1
    assert told("percentile", strata={}) == told("studentised") == told("wald") == ()
    assert caveats.small_strata(mean, Interval(0.0, 1.0, 0.95, "percentile"), None) == ()


def test_replicates_without_spread_matter_to_studentised_intervals_where_others_have_some():
    asked = SimpleNamespace(n_resamples=100)

    def told(count, method="studentised"):
        return "".join(c.text for c in caveats.flat_replicates(asked, count, Interval(0.0, 1.0, 0.95, method)))

    assert told(0) == told(100) == told(7, "percentile") == ""
    assert told(7).startswith("In 7 of 100 replicates all units agreed")


def test_a_class_of_twenty_items_is_not_called_few():
    for n, doubted in ((19, True), (20, False)):
        y = np.r_[np.ones(n, dtype=int), np.zeros(60, dtype=int)]
        a, b = y.copy(), y.copy()
        a[::5] ^= 1
        b[2::7] ^= 1
        found = cw.compare(y, a, b, measure="f1", rng=1, n_resamples=99)
        assert any(c.code == "few_of_a_class" for c in found.caveats) == doubted


def test_groups_are_called_unequal_where_they_count_for_less_than_nine_tenths():
    for effective, words in (
        (9.0, "only 10 groups."),
        (8.9, "only 10 groups of very unequal weight, which count as 8.9."),
    ):
        [told] = caveats.few_groups(None, Sampling("group", 10, 2, 9, {}, effective))
        assert words in told.text


def test_the_replicates_without_spread_are_counted():
    """Of three items two are the same: 8 + 1 of 27 replicates hold one value only. Four standard errors."""
    asked = {"measure": "mean", "test": "bootstrap", "interval": "studentised", "n_resamples": 2_000, "rng": 1}
    found = cw.compare(None, np.zeros(3), [1.0, 1.0, 2.0], **asked)
    [told] = [c.text for c in found.caveats if c.code == "flat_replicates"]
    count = int(told.split()[1])
    assert abs(count - 2_000 / 3) < 4 * np.sqrt(2_000 * 2 / 9)


@pytest.mark.parametrize(
    ("side", "low", "high", "flat"),
    [
        ("two-sided", 0.3, 0.3, True),
        ("two-sided", 0.2, 0.3, False),
        ("lower", 0.3, 1.0, True),
        ("lower", 0.2, 1.0, False),
        ("upper", -1.0, 0.3, True),
        ("upper", -1.0, 0.4, False),
    ],
)
def test_an_interval_that_ends_at_the_estimate_is_doubted(side, low, high, flat):
    found = caveats.no_width(Interval(low, high, 0.95, "percentile", side), 0.3)
    assert [caveat.code for caveat in found] == ["no_width"] * flat


@pytest.mark.parametrize(
    ("interval", "words"),
    [("wald", TOO_NARROW), ("tango", TOO_WIDE), ("percentile", TOO_NARROW)],
)
def test_few_items_of_a_class_make_each_interval_err_in_its_way(interval, words):
    joint = cw.JointCounts(e1=6, e2=2, e3=1, e4=3, e5=10, e6=3, e7=4, e8=50)
    test = "bootstrap" if interval == "percentile" else "paired_proportion"
    found = cw.compare(joint, measure="recall", test=test, interval=interval, n_resamples=200, rng=1)
    [told] = [c.text for c in found.caveats if c.code == "few_of_a_class"]
    assert f"{words}." in told


def test_labels_that_the_truth_lacks_are_told_only_where_there_are_some():
    y, a = ["cat", "dog", "cat", "dog"] * 10, ["cat", "dog", "dog", "dog"] * 10
    b = ["cat", "cow", "cat", "dog"] * 10
    for other, told in ((b, True), (y, False)):
        found = cw.compare(y, a, other, measure="accuracy", rng=1, n_resamples=99)
        texts = [c.text for c in found.caveats if c.code == "labels_not_in_truth"]
        assert len(texts) == told
        assert all("B predicts 'cow' on 10 of 40 items" in text for text in texts)


@pytest.mark.parametrize(("holding", "doubted"), [(8, True), (60, False)])
def test_groups_are_few_by_what_they_hold_and_not_by_their_number(holding, doubted):
    """60 groups of ten items, with two positives in each of those that hold any: G* is the number of these."""
    rng = np.random.default_rng(1)
    group, place = np.repeat(np.arange(60), 10), np.tile(np.arange(10), 60)
    y = ((group < holding) & (place < 2)) * 1
    z = rng.normal(size=600)
    r = cw.compare(y, z + y, z + rng.normal(size=600) + 2 * y, measure="auc", groups=group, rng=1)
    assert r.sampling.effective == pytest.approx(holding)
    told = [c.text for c in r.caveats if c.code.startswith("few_groups")]
    assert len(told) == doubted
    assert all("60 groups of very unequal weight, which count as 8.0" in text for text in told)
