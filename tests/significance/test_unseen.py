"""What a test set may have missed: the p-value by brute force, duality, levels, and what is said without a range."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading
from clearwin.measures.naming import find
from clearwin.reading.reading import read_data
from clearwin.significance.studentised import judged, p_value_function
from clearwin.significance.unseen import HARMLESS, AllowingForUnseen
from clearwin.streams import Seed

GRADES = "mean(lowest=1, highest=10)"


def largest_tail(gain, error, degrees, n, loss):
    """The same from the definition, by scipy: (1 − q)^n · P(t ≥ (gain − q · loss/(1 − q))/error) over all q."""

    def lost(expected):
        q = -np.expm1(-expected / n)
        return -((1 - q) ** n) * stats.t.sf((gain - q * loss / (1 - q)) / error, degrees)

    ends = [0.0, 0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 14.0, 40.0]
    return max(-optimize.minimize_scalar(lost, bounds=pair, method="bounded").fun for pair in itertools.pairwise(ends))


def missed(rng, n, share=0.02):
    """Grades of equal mean; B has a 1 on a share of the items."""
    a = rng.choice([7.0, 8.0, 9.0], n, p=[0.2, 0.6, 0.2])
    return a, np.where(rng.random(n) < share, 1.0, a + (rng.random(n) < share * 7 / (1 - share)))


def close(rng, n, gap=0.08):
    """Grades that differ by one on a fifth of the items, more often in favour of B."""
    u = rng.random(n)
    return np.full(n, 8.0), 8.0 + np.where(u < 0.1 + gap / 2, 1.0, np.where(u < 0.2, -1.0, 0.0))


def codes(result):
    return {caveat.code for caveat in result.caveats}


def question_of(a, b, measure, *, claim="different", n_resamples=499, seed=1, **reading):
    read = read_data(None, None, {"a": a, "b": b}, find(measure), Reading(**reading))
    return Question(*read, Options(claim=claim, n_resamples=n_resamples, seed=Seed.of(seed)))


def test_the_p_value_is_the_larger_of_that_of_what_was_seen_and_the_largest_tail():
    rng = np.random.default_rng(1)
    a, b = close(rng, 200)
    bounded, plain = (cw.compare(None, a, b, measure=m, rng=1, n_resamples=999) for m in (GRADES, "mean"))
    function, p, _ = judged(question_of(a, b, GRADES, n_resamples=999))
    assert isinstance(function, AllowingForUnseen)
    wanted = largest_tail(abs(bounded.difference), function.error, 199, 200, 9.0)
    assert wanted > plain.p_value
    assert bounded.p_value == pytest.approx(wanted, rel=1e-3)
    assert bounded.p_value == p.value
    # at a margin the worst that B can lose is 9 + δ, for a claim that B is not worse by .5
    margin = cw.compare(None, a, b, measure=GRADES, rng=1, n_resamples=999, claim="not_worse", margin=0.5)
    wanted = largest_tail(bounded.difference + 0.5, function.error, 199, 200, 8.5)
    assert margin.p_value == pytest.approx(max(wanted, 1 / 1000), rel=1e-3)


@pytest.mark.parametrize("reading", ["items", "groups", "strata"])
def test_p_falls_with_the_distance_and_agrees_with_the_interval(reading):
    rng = np.random.default_rng(3)
    for seed in range(12):
        n = int(rng.integers(40, 300)) * 2
        a, b = close(rng, n, gap=rng.uniform(0, 0.15)) if seed % 2 else missed(rng, n, 0.01)
        how = {"items": {}, "groups": {"groups": np.arange(n) // 2}, "strata": {"strata": np.arange(n) % 2}}[reading]
        for claim in ("different", "better", "worse"):
            r = cw.compare(None, a, b, measure=GRADES, claim=claim, rng=seed, n_resamples=499, **how)
            assert (r.p_value > 0.05) == (0.0 in r.interval), (seed, claim)
        function = p_value_function(question_of(a, b, GRADES, seed=seed, **how))
        if reading == "groups":  # a caveat says what is assumed
            assert not isinstance(function, AllowingForUnseen)
            continue
        assert isinstance(function, AllowingForUnseen)
        for side, direction in (("better", -1), ("worse", 1)):
            deltas = function.observed + direction * np.linspace(0, 6, 40) * function.error
            found = [function.unseen.p_value(function.observed, delta, side).value for delta in deltas]
            assert (np.diff(found) <= 0).all()


def test_equal_models_of_which_one_fails_rarely_are_told_apart_no_more_often_than_stated():
    """150 sets at 5 %: three standard errors are 5.3 points. Without a range 12 to 19 % are shown."""
    rng, shown = np.random.default_rng(5), 0
    for seed in range(150):
        a, b = missed(rng, 80)
        p = judged(question_of(a, b, GRADES, seed=seed, n_resamples=199))[1]
        shown += p.value <= 0.05
    assert shown / 150 < 0.103


def test_it_costs_nothing_where_values_vary_as_much_as_their_range():
    """Grades from 1 to 5 with half of them the same: every p-value of 200 items is what it is without a range."""
    rng = np.random.default_rng(6)
    for seed in range(20):
        a = rng.choice(np.arange(1.0, 6.0), 200, p=[0.1, 0.1, 0.2, 0.4, 0.2])
        b = np.where(rng.random(200) < 0.5, a, rng.choice(np.arange(1.0, 6.0), 200, p=[0.08, 0.08, 0.2, 0.4, 0.24]))
        with_range, without = (
            judged(question_of(a, b, measure, seed=seed))[1].value for measure in ("mean(lowest=1, highest=5)", "mean")
        )
        assert with_range == without or without > 0.3


def test_a_result_that_a_missed_kind_could_explain_is_not_decided_and_says_how_many_items_would_do():
    rng = np.random.default_rng(1)
    a, b = close(rng, 200, gap=0.1)
    r = cw.compare(None, a, b, measure=GRADES, rng=1)
    plain = cw.compare(None, a, b, measure="mean", rng=1)
    assert (r.decision, plain.decision) == ("not decided", "better")
    assert 0.0 in r.interval
    [text] = [c.text for c in r.caveats if c.code == "unseen_failures"]
    # .05^(1/200) = 1 − .0149
    assert "that 200 items would miss (up to 1.5 % of all), on which B gets 1 and A 10" in text
    needed = int(text.split("About ")[1].split(" ")[0].replace(",", ""))
    assert needed == pytest.approx((9 / HARMLESS / np.std(b - a, ddof=1)) ** 2, rel=0.06)
    many = cw.compare(None, np.tile(a, 4), np.tile(b, 4), measure=GRADES, rng=1)
    assert many.decision == "better"
    turned = cw.compare(None, b, a, measure=GRADES, rng=1)
    assert (turned.p_value, turned.decision) == (r.p_value, "not decided")
    assert turned.interval.low == -r.interval.high


def test_values_of_0_and_1_are_decisions():
    rng = np.random.default_rng(2)
    for n in (20, 90, 1500):
        a = (rng.random(n) < 0.6) * 1
        b = np.where(rng.random(n) < 0.25, (rng.random(n) < 0.85) * 1, a)
        truth = [1] * n
        for claim, margin in (("different", None), ("better", None), ("not_worse", 0.05)):
            asked = {"claim": claim, "margin": margin, "rng": 1, "n_resamples": 999}
            counts = cw.compare(truth, a, b, measure="accuracy", **asked)
            values = cw.compare(None, a * 1.0, b * 1.0, measure="mean", **asked)
            assert (values.p_value, values.interval) == (counts.p_value, counts.interval)
        for how in ({"groups": np.arange(n) // 2}, {"strata": np.arange(n) % 3}):
            counts = cw.compare(truth, a, b, measure="accuracy", rng=1, **how)
            values = cw.compare(None, a * 1.0, b * 1.0, measure="mean", rng=1, **how)
            assert values.p_value == pytest.approx(counts.p_value, rel=1e-3)
            assert values.interval.low == pytest.approx(counts.interval.low, abs=1e-4)


def test_grades_that_differ_by_one_take_the_counts_path():
    """McNemar's table has all that matters: 30 items on which B is one better, 12 on which A is."""
    a = np.repeat([3.0, 4.0, 2.0], [60, 12, 30])
    b = np.repeat([3.0, 3.0, 3.0], [60, 12, 30])
    counts = cw.compare(cw.JointCounts(e1=60, e2=30, e3=12, e4=0, e5=0, e6=0, e7=0, e8=0), measure="accuracy", rng=1)
    assert cw.compare(None, a, b, measure="mean", rng=1).p_value == counts.p_value


@pytest.mark.parametrize(("ones", "n"), [(100, 100), (0, 50), (98, 100)])
def test_an_estimate_of_0_and_1_has_wilsons_interval(ones, n):
    found = cw.estimate(None, np.repeat([1.0, 0.0], [ones, n - ones]), measure="mean")
    wilson = stats.binomtest(ones, n).proportion_ci(method="wilson")
    assert (found.interval.low, found.interval.high) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
    assert found.interval.method == "wilson"


def test_intervals_of_shares_cover_where_few_are_0():
    """2 % of the values are 0, the others lie between .8 and 1: 150 sets, three standard errors are 5 points."""
    rng, covered = np.random.default_rng(7), 0
    for seed in range(150):
        values = np.where(rng.random(100) < 0.02, 0.0, rng.uniform(0.8, 1.0, 100))
        interval = cw.estimate(None, values, measure="mean", rng=seed, n_resamples=199).interval
        covered += 0.98 * 0.9 in interval
    assert covered / 150 > 0.9


def test_values_without_a_range_say_what_they_assume():
    rng = np.random.default_rng(3)
    y, a, b = rng.normal(size=(3, 2_000))
    many = cw.compare(y, y + a, y + b, measure="mse", rng=1, n_resamples=99)
    assert "unseen_assumed" not in codes(many)
    few = cw.compare(y[:100], (y + a)[:100], (y + b)[:100], measure="mse", rng=1, n_resamples=99)
    [text] = [c.text for c in few.caveats if c.code == "unseen_assumed"]
    gaps = (b**2 - a**2)[:100]
    error = gaps.std(ddof=1) / 10
    assert f"are rarer than {100 * error / (3 * np.abs(gaps).max() + error):.1f} %" in text
    assert "100 items can miss a kind that makes up to 3.0 % of all" in text
    values = cw.compare(None, rng.normal(size=60), rng.normal(size=60), measure="mean", rng=1, n_resamples=99)
    assert any("lowest=1, highest=10" in str(c.text) for c in values.caveats)


def test_log_loss_assumes_no_probability_below_one_in_four_times_the_items():
    rng = np.random.default_rng(4)
    truth, a = rng.integers(0, 2, 100), rng.uniform(0.3, 0.9, 100)
    b = np.clip(a + rng.normal(0, 0.05, 100), 0.2, 0.95)
    r = cw.compare(truth, a, b, measure="log_loss", rng=1, n_resamples=99)
    [text] = [c.text for c in r.caveats if c.code == "unseen_assumed"]
    assert "gives a probability of 0.0025" in text  # 1/400
    # clipped above that, it has a range
    clipped = cw.compare(truth, a, b, measure="log_loss(clip=0.05)", rng=1, n_resamples=99)
    assert "unseen_assumed" not in codes(clipped)


def test_skewed_values_in_groups_and_strata_are_not_decided():
    rng = np.random.default_rng(1)
    a, b = rng.lognormal(0, 2.0, 120), 1.0 + rng.normal(0, 0.3, 120)
    for how in ({"groups": np.arange(120) // 2}, {"strata": np.arange(120) % 2}):
        r = cw.compare(None, a, b, measure="mean", rng=1, **how)
        assert r.decision == "not decided"
        assert "too_skewed" in codes(r)
    even = cw.compare(None, rng.normal(0, 1, 120), rng.normal(2, 1, 120), measure="mean", groups=np.arange(120) // 2)
    assert even.decision == "better"


def test_documents_and_groups_that_could_fail_are_named():
    rng = np.random.default_rng(8)
    truth = rng.random((60, 30)) < 0.3
    a, b = truth ^ (rng.random((60, 30)) < 0.05), truth ^ (rng.random((60, 30)) < 0.04)
    labels = cw.compare(truth * 1, a * 1, b * 1, measure="hamming_loss", rng=1, n_resamples=99)
    assert any("documents of which one model gets every label wrong" in c.text for c in labels.caveats)
    size = np.full(40, 5)
    right_a, right_b = rng.binomial(5, 0.7, 40), rng.binomial(5, 0.7, 40)
    spans = cw.compare(
        size, (right_a, right_a + 1), (right_b, right_b + 1), measure="f1_of_sums", rng=1, n_resamples=99
    )
    assert any("documents that differ three times as much as any here" in c.text for c in spans.caveats)
    y = rng.integers(0, 2, 900)
    p, q = (np.where(rng.random(900) < 0.15, 1 - y, y) for _ in range(2))
    groups = cw.compare(y, p, q, measure="f1", groups=np.arange(900) // 20, rng=1)
    assert any("groups that differ three times as much as any here" in c.text for c in groups.caveats)
    assert "unseen_assumed" not in codes(cw.compare(y, p, q, measure="f1", rng=1, n_resamples=99))


def test_values_outside_the_declared_range_are_refused():
    with pytest.raises(cw.errors.DataError, match="declared to lie between 1 and 5") as refused:
        cw.compare(None, [1.0, 2.0, 7.0], [2.0, 3.0, 4.0], measure="mean(lowest=1, highest=5)")
    assert "highest=7" in str(refused.value)
    with pytest.raises(cw.errors.OptionError, match="lowest is 5"):
        find("mean(lowest=5, highest=1)")


def test_ratios_and_ranges_scale_with_the_values():
    """Grades times 10 with their range times 10: the same p-value, and an interval ten times as wide."""
    a, b = close(np.random.default_rng(9), 150)
    one = cw.compare(None, a, b, measure=GRADES, rng=1, n_resamples=499)
    function = p_value_function(question_of(10 * a, 10 * b, "mean(lowest=10, highest=100)"))
    same = p_value_function(question_of(a, b, GRADES))
    assert isinstance(function, AllowingForUnseen)
    assert isinstance(same, AllowingForUnseen)
    scaled = replace(function.unseen, error=same.unseen.error * 10)
    assert scaled.ratio == pytest.approx(same.unseen.ratio)
    assert one.interval.high < 9.0


def test_close_shares_are_compared_without_a_guess_of_their_range():
    """Values between 0 and 1 that differ by hundredths: only a declared range widens the interval."""
    rng = np.random.default_rng(10)
    a = rng.uniform(0.2, 0.9, 60)
    b = a + rng.uniform(-0.01, 0.03, 60)
    plain = cw.compare(None, a, b, measure="mean", rng=1, n_resamples=999)
    declared = cw.compare(None, a, b, measure="mean(lowest=0, highest=1)", rng=1, n_resamples=999)
    assert (plain.decision, declared.decision) == ("better", "not decided")
    assert "unseen_assumed" in codes(plain)
