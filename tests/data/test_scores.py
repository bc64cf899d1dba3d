"""Measures of scores and their tests: against scikit-learn, slow definitions, and the contracts that all must keep."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn import metrics

import clearwin as cw
from clearwin.cli import main
from clearwin.data.clusters import read_grouping
from clearwin.data.scores import are_classes, models_with_lower_positive, scored_items
from clearwin.measures import find
from tests.data.scored import EVERY, MIN_DCF, ORACLE, sample


def test_every_measure_of_scores_has_an_oracle():
    assert {name.split("(")[0] for name in ORACLE} == {
        m.name for m in cw.list_measures().values() if m.takes in ("scores", "losses")
    }


@pytest.mark.parametrize("name", EVERY)
def test_differences_are_those_of_the_oracle(name):
    y, a, b = sample(3, n=250)
    r = cw.compare(y, a, b, measure=name, test="bootstrap", n_resamples=20, rng=1)
    assert r.difference == pytest.approx(ORACLE[name](y, b) - ORACLE[name](y, a), rel=1e-9)


# --- replicates -------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("accuracy", metrics.accuracy_score),
        ("balanced_accuracy", metrics.balanced_accuracy_score),
        ("mcc", metrics.matthews_corrcoef),
        ("precision", metrics.precision_score),
    ],
)
def test_the_best_threshold_is_that_of_the_measure(name, theirs):
    """Against trying them all; of equally good ones it calls the fewest items positive."""
    y, a, b = sample(17, n=120, ties=True)
    asked = cw.compare(y, a, b, measure=name, threshold="best", test="bootstrap", n_resamples=9, rng=1)
    for scores, chosen in zip((a, b), asked.thresholds, strict=True):
        values = {t: theirs(y, scores >= t) for t in set(scores)}
        best = max(t for t, value in values.items() if value == pytest.approx(max(values.values())))
        assert (scores >= chosen).tolist() == (scores >= best).tolist()


def test_no_threshold_is_chosen_above_an_infinite_score():
    y, scores = np.array([0, 1, 0]), np.array([np.inf, 5.0, 4.0])
    r = cw.compare(y, scores, scores, measure="accuracy", threshold="best", rank_infinite=True, test="mcnemar")
    assert r.estimate_a == max(((scores >= t) == y).mean() for t in scores)


# --- doubts and refusals ----------------------------------------------------------------------------------------


def test_auto_takes_the_studentised_test_for_every_measure_of_scores():
    y, a, b = sample(17, n=80)
    for measure in ("auc", "eer", "brier"):
        assert cw.compare(y, a, b, measure=measure, n_resamples=99, rng=1).test == "studentised"


def test_scores_the_wrong_way_round_are_told_and_not_flipped():
    y, a, b = sample(20)
    r = cw.compare(y, -a, b, measure="auc", names=("flipped", "fine"))
    assert r.estimate_a == pytest.approx(1 - metrics.roc_auc_score(y, a))
    assert any("flipped has" in c.text for c in r.caveats if c.code == "wrong_way_round")


Y = [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        ((Y, [0.1, np.nan, 0.2, None], [1, 2, 3, 4]), {}, "2 scores that are nan or missing, at positions 1, 3"),
        ((Y, [0.1, np.inf, 0.2, 1], [1, 2, 3, 4]), {}, "infinite score, at position 1"),
        ((Y, [1, 2, 3], [1, 2, 3, 4]), {}, "truth has 4, a has 3"),
        ((Y, ["x", "y", "z", "w"], [1, 2, 3, 4]), {}, "a holds something that is not a number"),
        ((Y, [[1], [2], [3], [4]], [1, 2, 3, 4]), {}, "shape (4, 1)"),
        (([1, 1, 1, 1], [1, 2, 3, 4], [1, 2, 3, 4]), {}, "All items are of class 1"),
        ((["h", "s", "h", "s"], [1, 2, 3, 4], [1, 2, 3, 4]), {}, "Which class is positive"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "brier"}, "needs probabilities"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "auc", "threshold": 0.5}, "does not use a threshold"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "f1", "threshold": "high"}, "threshold is 'high'"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "f1", "threshold": (1, 2, 3)}, "2 numbers"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "f1", "rank_infinite": True}, "is for scores"),
        ((Y, [1, 2, 3, 4], [1, 2, 3, 4]), {"measure": "eer", "test": "delong"}, "judges only scores by auc"),
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
    with pytest.raises(cw.errors.OptionError, match="does not use a threshold"):
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
    (tmp_path / "counts.json").write_text(json.dumps({f"e{i}": i for i in range(1, 9)}))
    run = CliRunner().invoke(main, ["compare", str(tmp_path / "counts.json"), "--measure", "auc"])
    assert "AUC is a measure of scores, and these are decisions or counts of them" in run.stderr
    assert "--measure f1" in run.stderr
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


NAMES = {"a": "distance", "b": "network"}


@pytest.mark.parametrize(
    ("given", "roles"),
    [
        (None, ()),
        (False, ()),
        (np.True_, ("a", "b")),
        ("ALL", ("a", "b")),
        ("true", ("a", "b")),
        ("false", ()),
        ("", ()),
        ("distance", ("a",)),
        ("b", ("b",)),
        ("network, distance", ("a", "b")),
        (["network"], ("b",)),
    ],
)
def test_models_whose_lower_scores_are_positive(given, roles):
    assert models_with_lower_positive(given, NAMES) == roles


@pytest.mark.parametrize("given", ["distanc", ["x"], 7])
def test_models_that_are_not_there_cannot_be_turned(given):
    with pytest.raises(cw.errors.ClearwinError, match="no model named"):
        models_with_lower_positive(given, NAMES)


def test_strata_are_the_classes_if_they_are_the_same():
    truth = [0, 1, 1]
    assert are_classes(truth, truth)
    assert are_classes(np.array([0, 1, 1]), truth)
    assert not are_classes([0, 1, 0], truth)
    assert not are_classes(None, truth)
    assert not are_classes(pd.array([0, 1, None], dtype="Int64"), truth)


@pytest.fixture
def scored():
    stream = np.random.RandomState(7)
    truth = np.array([True, False] * 15)
    scores = [np.round(truth + stream.normal(size=30), 1) for _ in "ab"]
    return scored_items(truth.astype(int), *scores, groups=np.arange(30) // 3)


def test_a_part_of_the_items_with_models_swapped(scored):
    items, swapped = np.array([0, 1, 5]), np.array([False, True, False])
    part = scored.take(items, scored.grouping.take(items), swapped)
    assert part.scores[0].tolist() == [scored.scores[0][0], scored.scores[1][1], scored.scores[0][5]]
    assert part.scores[1].tolist() == [scored.scores[1][0], scored.scores[0][1], scored.scores[1][5]]
    with pytest.raises(cw.errors.UndefinedError, match="of one class"):
        scored.take(np.array([0, 2]), scored.grouping.take(np.array([0, 2])), np.zeros(2, dtype=bool))


def test_weights_count_items_several_times_and_influence_is_their_derivative(scored):
    """The weighted area is that of scikit-learn; its change by one more copy of an item is its influence/n."""
    auc = find("auc")
    weights = np.arange(30) % 4 + 1
    theirs = [metrics.roc_auc_score(scored.truth, s, sample_weight=weights) for s in scored.scores]
    assert scored.weighted_difference(auc, weights) == pytest.approx(theirs[1] - theirs[0], abs=1e-12)
    step = 1e-6
    for item in (0, 1, 7):
        more = np.ones(30)
        more[item] += step
        a, b = (
            metrics.roc_auc_score(scored.truth, s, sample_weight=more) - metrics.roc_auc_score(scored.truth, s)
            for s in scored.scores
        )
        assert scored.influence(auc)[item] / 30 == pytest.approx((b - a) / step, abs=1e-5)


def test_variance_of_areas_by_groups(scored):
    """Groups of one item each are DeLong's variance; a class in a single group has none."""
    alone = replace(scored, grouping=read_grouping(30, np.arange(30), None))
    plain = replace(scored, grouping=read_grouping(30, None, None))
    assert alone.area_variance == pytest.approx(plain.area_variance, rel=0.1)
    assert plain.of_model(0).area_variance == pytest.approx(plain.areas.covariance[0, 0])
    assert scored.area_variance > 0
    one = replace(scored, grouping=read_grouping(30, np.where(scored.truth, 0, np.arange(30)), None))
    assert one.area_variance is None
    assert plain.groups_of_classes is None


def test_ties_between_groups_are_ordered_by_what_they_hold(scored):
    order = np.random.RandomState(3).permutation(30)
    groups = (np.arange(30) // 3)[order]
    other = scored_items(scored.truth[order].astype(int), *(s[order] for s in scored.scores), groups=groups)
    assert other.fingerprint == scored.fingerprint
    for one, two in zip(scored.arranged.scores, other.arranged.scores, strict=True):
        assert one.tolist() == two.tolist()


def test_outcomes_are_the_sizes_of_the_classes():
    y = np.array([1, 0, 0, 0, 1])
    assert scored_items(y, y * 1.0, y * 2.0, positive=1).outcomes == {"positives": 2, "negatives": 3}


@pytest.mark.parametrize(
    ("text", "has"), [("1_003", "underscores"), ("\u0661", "not ASCII"), ("1.0%", "percent"), ("0,5", "commas")]
)
def test_texts_that_are_no_plain_numbers_are_refused_by_name(text: str, has: str) -> None:
    """Python's float takes the first two of them, numpy as well."""
    truth, texts, plain = [0, 1, 1, 0], ["0.5", "0.25", text, "1"], [0.1, 0.2, 0.3, 0.4]
    for made in (list, np.array, lambda x: np.array(x, dtype=object), pd.Series):
        for ask in (
            lambda column: cw.compare(truth, column, plain, measure="auc"),
            lambda column: cw.compare(None, plain, column, measure="mean"),
            lambda column: cw.compare_folds(plain, column),
            lambda column: cw.rank_data_sets({"a": plain, "b": column}),
            lambda column: cw.compare([9] * 4, (column, [9] * 4), (plain, plain), measure="f1_of_sums"),
        ):
            with pytest.raises(cw.errors.DataError, match=f"has .*{has}"):
                ask(made(texts))
    with pytest.raises(cw.errors.DataError, match=has):
        cw.against_chance([["5", text], ["1", "5"]])
