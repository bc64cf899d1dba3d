"""Per-item values and losses: against scipy, statsmodels, brute force and exact integers, and the common contracts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import clearwin as cw
from clearwin.cli import main
from clearwin.data.clusters import read_grouping
from clearwin.data.values import ValueSample
from clearwin.measures import find
from tests.data.valued import CLAIMS, sample

VALUES = [m.name for m in cw.list_measures().values() if m.takes == "values" and not m.of_winners]
LOSSES = [m.name for m in cw.list_measures().values() if m.takes == "losses"]


# --- ranks and signs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "alternative"), CLAIMS.items())
def test_sign_equals_the_binomial_test(claim, alternative):
    for seed in range(5):
        a, b = sample(seed, n=70, digits=1)
        r = cw.compare(None, a, b, measure="mean", test="sign", claim=claim, n_resamples=50, rng=1)
        d = (b - a).round(9)
        won, lost = int((d > 0).sum()), int((d < 0).sum())
        assert r.p_value == pytest.approx(stats.binomtest(won, won + lost, alternative=alternative).pvalue, rel=1e-12)
        assert r.statistic == won
        assert r.outcomes == {"b_higher": won, "a_higher": lost, "equal": 70 - won - lost}
        # by groups a group is won by its mean
        groups = np.arange(70) // 7
        sums = np.bincount(groups, weights=d).round(9)
        r = cw.compare(None, a, b, measure="mean", test="sign", claim=claim, groups=groups, n_resamples=50, rng=1)
        won, lost = int((sums > 0).sum()), int((sums < 0).sum())
        assert r.p_value == pytest.approx(stats.binomtest(won, won + lost, alternative=alternative).pvalue, rel=1e-12)
    with pytest.raises(cw.errors.NotApplicableError, match="tango interval is for shares"):
        cw.compare(None, a, b, measure="mean", test="sign", interval="tango")


def test_zeros_and_ones_are_mcnemar_exact():
    rng = np.random.default_rng(10)
    y = rng.integers(0, 2, 300)
    a, b = (np.where(rng.random(300) < e, 1 - y, y) for e in (0.3, 0.2))
    by_counts = cw.compare(y, a, b, measure="accuracy", test="mcnemar", method="exact")
    for test in ("permutation", "sign", "wilcoxon"):
        by_values = cw.compare(None, a == y, b == y, measure="mean", test=test, n_resamples=50, rng=1)
        assert by_values.p_value == pytest.approx(by_counts.p_value, rel=1e-12)
        assert by_values.difference == pytest.approx(by_counts.difference)


# --- the test that is chosen ------------------------------------------------------------------------------------


def data_for(name, seed=24, n=60, shift=0.3):
    """(truth, a, b) for a measure of values or losses; b is higher where that is better."""
    a, b = sample(seed, n=n, shift=shift, digits=3)
    if name in VALUES:
        return (None, a, b) if find(name).higher_is_better else (None, b, a)
    y = np.arange(n) % 2
    near, far = (np.clip(np.abs(y - x / 2), 0.001, 0.999) for x in (np.clip(a, 0, 2), np.clip(b, 0, 2)))
    return y, far, near


def test_every_measure_of_values_can_be_judged():
    for name in VALUES + LOSSES:
        truth, a, b = data_for(name)
        r = cw.compare(truth, a, b, measure=name, n_resamples=20, rng=1)
        assert r.test == ("bootstrap" if name.startswith("trimmed") else "studentised")
        r = cw.compare(truth, a, b, measure=name, groups=np.arange(60) // 2, n_resamples=20, rng=1)
        assert r.test == ("permutation" if name.startswith("trimmed") else "studentised")


def test_the_fingerprint_knows_values_groups_and_strata():
    a, b = sample(26, n=12, digits=1)
    groups, strata = np.arange(12) // 3, np.repeat([0, 1], 6)
    made = [
        (a, b, {}),
        (b, a, {}),
        (a, a, {}),
        (a, b, {"groups": groups}),
        (a, b, {"groups": np.arange(12) % 4}),
        (a, b, {"strata": strata}),
        (a, b, {"groups": groups, "strata": strata}),
        (a, b, {"strata": 1 - strata}),
        (np.r_[a[1], a[0], a[2:]], b, {}),
    ]
    found = [ValueSample(np.stack([x, y]), read_grouping(12, **grouping)).fingerprint for x, y, grouping in made]
    assert len(set(found)) == len(found)
    assert {len(one) for one in found} == {16}
    renamed = ValueSample(np.stack([a, b]), read_grouping(12, groups=[f"g{g}" for g in groups])).fingerprint
    assert renamed == found[3]


def test_groups_matter_and_singletons_do_not():
    a, b = sample(27, n=60, shift=0.05)
    twins = np.repeat(np.arange(60), 5)
    plain = cw.compare(None, a, b, measure="mean", test="paired_t")
    alone = cw.compare(None, a, b, measure="mean", test="paired_t", groups=range(60))
    assert (alone.p_value, alone.signature.data) == (plain.p_value, plain.signature.data)
    # every item five times, as five runs of the same question: nothing was learnt
    repeated = cw.compare(None, a[twins], b[twins], measure="mean", test="paired_t", groups=twins)
    assert repeated.p_value == pytest.approx(plain.p_value)
    assert cw.compare(None, a[twins], b[twins], measure="mean", test="paired_t").p_value < plain.p_value / 2
    for test in ("permutation", "wilcoxon", "sign"):
        few, many = (
            cw.compare(None, *x, measure="mean", test=test, n_resamples=50, rng=1, **g).p_value
            for x, g in (((a.round(2), b.round(2)), {}), ((a.round(2)[twins], b.round(2)[twins]), {"groups": twins}))
        )
        assert many == pytest.approx(few, rel=1e-9)


# --- doors ------------------------------------------------------------------------------------------------------


def test_frames_of_values():
    a, b = sample(28, n=40)
    groups = np.arange(40) // 4
    plain = cw.compare(None, a, b, measure="mean", groups=groups, strata=groups < 4, rng=1)
    for make in (pd.DataFrame, pl.DataFrame, pl.LazyFrame):
        frame = make({"old": a, "new": b, "doc": groups, "line": np.arange(40), "long": groups < 4})
        r = cw.compare(data=frame, a="old", b="new", measure="mean", groups="doc", strata="long", rng=1)
        assert (r.p_value, r.interval, r.name_b) == (plain.p_value, plain.interval, "new")
        nested = cw.compare(data=frame, a="old", b="new", measure="mean", groups=["doc", "line"], strata="long", rng=1)
        assert nested.p_value == plain.p_value
    y = (a > 0.5).astype(int)
    frame = pd.DataFrame({"y": y, "old": a, "new": np.clip(b, 0, 1), "doc": groups})
    r = cw.compare(data=frame, truth="y", a="old", b="new", measure="brier", groups="doc", rng=1)
    assert r.p_value == cw.compare(y, a, np.clip(b, 0, 1), measure="brier", groups=groups, rng=1).p_value


def run(*words):
    return CliRunner().invoke(main, [str(w) for w in words])


def test_the_command_reads_values(tmp_path):
    a, b = sample(29, n=50, digits=3)
    frame = pd.DataFrame({"id": range(50), "bleu_a": a, "bleu_b": b})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    for name in ("bleu_a", "bleu_b"):
        frame[["id", name]].sample(frac=1, random_state=len(name)).to_csv(tmp_path / f"{name}.csv", index=False)
    expected = cw.compare(None, a, b, measure="mean", rng=3, names=("bleu_a", "bleu_b"))
    one = run(
        "compare", tmp_path / "scores.csv", "--a", "bleu_a", "--b", "bleu_b", "--measure", "mean", "--seed", 3, "--json"
    )
    assert one.stdout.strip() == expected.to_json(), one.output
    two = run(
        "compare",
        tmp_path / "bleu_a.csv",
        tmp_path / "bleu_b.csv",
        "--id",
        "id",
        "--measure",
        "mean",
        "--seed",
        3,
        "--json",
    )
    assert two.stdout.strip() == expected.to_json(), two.output
    text = run("compare", tmp_path / "scores.csv", "--a", "bleu_a", "--b", "bleu_b", "--measure", "mean").stdout
    assert f"50: bleu_b higher {(b > a).sum()}, bleu_a higher {(a > b).sum()}, equal {(a == b).sum()}" in text
    assert "positive class" not in text
    single = run("estimate", tmp_path / "scores.csv", "--a", "bleu_a", "--measure", "mean", "--seed", 3, "--json")
    assert single.stdout.strip() == cw.estimate(None, a, measure="mean", rng=3, name="bleu_a").to_json()
    for words, message in (
        (["scores.csv", "--truth", "id", "--a", "bleu_a", "--b", "bleu_b"], "does not use a truth"),
        (["scores.csv", "--a", "bleu_a"], "scores.csv for b was not given"),
        (["bleu_a.csv", "bleu_b.csv", "--a", "bleu_a"], "two files (A, B)"),
        (["scores.csv", "--a", "bleu_a", "--b", "bleu_b", "--threshold", "0.5"], "does not use threshold"),
        (["scores.csv", "--a", "bleu_a", "--b", "bleu_b", "--per-class"], "--per-class"),
    ):
        files = [tmp_path / w if w.endswith(".csv") else w for w in words]
        wrong = run("compare", *files, "--measure", "mean")
        assert (wrong.exit_code, wrong.stdout) == (2, "")
        assert message in wrong.stderr


def test_the_command_reads_numbers_as_truth(tmp_path):
    rng = np.random.default_rng(30)
    y = rng.normal(size=40).round(2)
    a, b = y + 1, y + rng.normal(size=40)
    pd.DataFrame({"y": y, "a": a, "b": b}).to_csv(tmp_path / "p.csv", index=False)
    found = run("compare", tmp_path / "p.csv", "--truth", "y", "--a", "a", "--b", "b", "--measure", "mae", "--seed", 1)
    assert "MAE of a        1.000" in found.stdout, found.output


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (([0, 1], [1, 2], [1, 2]), {}, "does not use a truth"),
        ((None, [1, 2], [1, 2]), {"measure": "f1"}, "needs the truth"),
        ((None, [1, 2], [1, 2]), {"measure": "brier"}, "needs the truth"),
        ((None, [1, np.nan], [1, 2]), {}, "1 value that is nan or missing, at position 1"),
        ((None, [1, 2], [1, np.inf]), {}, "infinite value, at position 1"),
        ((None, [1, 2], [1, 1e200]), {}, "overflow"),
        ((None, [1, 2], ["x", "y"]), {}, "b holds something that is not a number"),
        ((None, [1, 2], [1, 2, 3]), {}, "a has 2, b has 3"),
        ((None, [], []), {}, "no items"),
        ((None, [[1], [2]], [1, 2]), {}, "shape (2, 1)"),
        ((None, pd.Series([1, 2]), pd.Series([2, 1], index=[1, 0])), {}, "same index in a different order"),
        ((None, [1, 2], [1, 2]), {"positive": 1}, "does not use positive"),
        ((None, [1, 2], [1, 2]), {"threshold": 0.5}, "does not use threshold"),
        ((None, [1, 2], [1, 2]), {"dev": ([1], [1], [1])}, "does not use dev"),
        ((None, [1, 2], [1, 2]), {"groups": [1, 1]}, "All items are in one group"),
        ((None, [1, 2], [1, 2]), {"groups": [1, 2, 3]}, "groups has 3 values for 2 items"),
        ((None, [1, 2], [1, 2]), {"test": "mcnemar"}, "measure of values"),
        ((None, [1, 2], [1, 2]), {"measure": "trimmed_mean(share=0.5)"}, "share is 0.5"),
        (([0, 1, 2], [1, 0, 1], [1, 0, 1]), {"measure": "mse", "strata": [0, 1, 2]}, "Every stratum has only one item"),
        (([0, 1, 2], [1, 0], [1, 0]), {"measure": "mse"}, "truth has 3, a has 2"),
        (([0, 1, np.inf], [1, 0, 1], [1, 0, 1]), {"measure": "mse"}, "truth has 1 infinite number"),
        (([0, 1e60, 2], [1, 0, 1], [1, 0, 1]), {"measure": "mse"}, "overflows"),
        (([0, 1, 2], [1, 0, 1], [1, 0, 1]), {"measure": "brier"}, "positive"),
        (([0, 1, 1], [1, 0, 1], [1, 0, 1]), {"measure": "mse", "strata": [0, 1, 1], "groups": [1, 1, 2]}, "in several"),
    ],
)
def test_what_cannot_be_judged_is_explained(arguments, settings, message):
    with pytest.raises(cw.ClearwinError) as raised:
        cw.compare(*arguments, **{"measure": "mean", "n_resamples": 20, **settings})
    assert message in str(raised.value)
    for part in (raised.value.what, raised.value.expected):
        assert part


def test_counts_and_decisions_have_no_values():
    joint = cw.JointCounts(e1=1, e2=1, e3=1, e4=1, e5=1, e6=1, e7=1, e8=1)
    with pytest.raises(cw.errors.OptionError, match="measure of values"):
        cw.compare(joint, measure="mean")
    with pytest.raises(cw.errors.OptionError, match="measure of losses"):
        cw.compare(joint, measure="brier")
    with pytest.raises(cw.errors.OptionError, match="measure of values"):
        cw.compare_by_class([0, 1, 2], [0, 1, 2], [0, 1, 1], measure="mean")


@pytest.mark.parametrize(("n", "told"), [(10, True), (39, True), (40, False)])
def test_bootstrap_intervals_of_few_values_say_so(n, told):
    """P(|t| < z √((n − 1)/n)): within a point of 95 % from 40 on, by scipy; the scorecard measures the same."""
    values = np.random.default_rng(1).normal(size=(2, n))
    r = cw.compare(None, *values, measure="mean", test="permutation", rng=1, n_resamples=99)
    found = [c for c in r.caveats if c.code == "few_for_the_bootstrap"]
    assert bool(found) == told
    holds = 1 - 2 * stats.t.sf(stats.norm.ppf(0.975) * np.sqrt((n - 1) / n), n - 1)
    assert (holds < 0.9395) == told
    if told:
        assert f"{100 * holds:.0f} % of the time, not 0.95" in found[0].text
    by_t = {"test": "permutation", "interval": "studentised"}
    for how in ({}, by_t, {"test": "paired_t"}, {"measure": "trimmed_mean"}):
        other = cw.compare(None, *values, **{"measure": "mean", "rng": 1, "n_resamples": 99, **how})
        assert "few_for_the_bootstrap" not in {c.code for c in other.caveats}


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
    with pytest.raises(cw.errors.DataError, match="a float cannot hold exactly"):
        cw.compare(None, [2**53 + 1] * 30, [2**53] * 30, measure="mean")


def test_numbers_as_truth_are_taken_as_they_are():
    t = [-1.0, 1.0] * 10
    r = cw.compare(t, t, [0.0, 1.0] * 10, measure="mse", rng=1)
    assert (r.estimate_a, r.estimate_b) == (0.0, 0.5)
    assert cw.compare([3, 5] * 15, [3, 4] * 15, [3, 5] * 15, measure="mae", rng=1).estimate_a == 0.5
    assert cw.estimate([3.5] * 10, [3] * 10, measure="mse", rng=1).estimate == 0.25


@pytest.mark.parametrize(
    ("a", "b", "step"), [([2, 3, 5], [4, 2, 4], 3), ([-4, -4], [-4, -4], 4), ([-1, 2], [0, 1], 3), ([0, 0], [0, 0], 0)]
)
def test_models_may_be_as_far_apart_as_the_values_reach_or_as_large_as_they_are(a, b, step):
    assert ValueSample(np.array([a, b], dtype=float)).step == step


def test_parts_weights_and_influence_of_values():
    """By numpy and scipy on the items written out as often as they count."""
    a, b = sample(5, n=40)
    found = ValueSample(np.stack([a, b]))
    items, swapped = np.array([3, 3, 7]), np.array([True, False, True])
    part = found.take(items, found.grouping, swapped)
    assert part.values.tolist() == [[b[3], a[3], b[7]], [a[3], b[3], a[7]]]
    weights = np.arange(40) % 3 + 1
    a_times, b_times = np.repeat(a, weights), np.repeat(b, weights)
    assert found.weighted_difference(find("mean"), weights) == pytest.approx(b_times.mean() - a_times.mean())
    trimmed = found.weighted_difference(find("trimmed_mean"), weights)
    assert trimmed == pytest.approx(stats.trim_mean(b_times, 0.2) - stats.trim_mean(a_times, 0.2), abs=0.02)
    assert found.influence(find("mean")) == pytest.approx((b - a) - (b - a).mean())


def test_losses_are_not_turned_and_labels_are_no_numbers():
    with pytest.raises(cw.errors.OptionError, match="cannot be reversed"):
        cw.compare([0, 1, 1], [0.2, 0.7, 0.6], [0.3, 0.6, 0.8], measure="brier", lower_is_positive=True)
    texts = cw.estimate(["x", "y", "y", "x"], [0.2, 0.7, 0.6, 0.1], measure="brier", positive="y", rng=1, n_resamples=9)
    assert texts.estimate == pytest.approx(np.mean([0.04, 0.09, 0.16, 0.01]))
