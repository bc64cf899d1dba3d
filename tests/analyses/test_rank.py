"""Many models on one test set: replicates, pairs, corrections, letters, ranks, overall tests, words, files."""

import itertools
import json

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.analyses import model_pairs
from clearwin.analyses.model_pairs import PairScore, decided_pairs
from clearwin.analyses.rank import Contest
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.numerics.pvalues import of_bootstrap
from clearwin.resampling import of_counts
from clearwin.resampling.bootstrap import draw
from clearwin.streams import Seed
from scorecard import family
from tests.boards import CORRECTIONS, draw_all, three_classes, two_classes


def scored(n=200, m=3, seed=3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    common = rng.normal(size=n)
    return y, {f"m{j}": y * (1.2 - 0.3 * j) + common + rng.normal(size=n).round(1) for j in range(m)}


CASES = {
    "f1": two_classes(m=3),
    "accuracy": two_classes(m=3),
    "dcf(cost_fn=3)": two_classes(m=3),
    "macro_f1": three_classes(m=3),
    "error_rate": three_classes(m=3),
    "mcc": three_classes(m=3),
    "auc": scored(),
    "eer": scored(),
    "average_precision": scored(),
}


# --- the same numbers as compare() ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grouped", "measure"),
    [*((False, measure) for measure in CASES), *((True, measure) for measure in ("f1", "macro_f1", "auc"))],
)
def test_estimates_and_differences_are_those_of_compare(measure, grouped):
    y, models = CASES[measure]
    how = {"groups": np.arange(len(y)) // 3} if grouped else {}
    r = cw.rank(y, models, measure=measure, n_resamples=50, rng=1, **how)
    assert r.n_tests == len(models) * (len(models) - 1) // 2
    place = {model.name: model for model in r.models}
    for pair in r.pairs:
        two = cw.compare(
            y, models[pair.a], models[pair.b], measure=measure, test="permutation", n_resamples=20, rng=1, **how
        )
        assert place[pair.a].estimate == pytest.approx(two.estimate_a, abs=1e-15)
        assert place[pair.b].estimate == pytest.approx(two.estimate_b, abs=1e-15)
        assert pair.difference == pytest.approx(two.difference, abs=1e-14)
        i, j = r.names.index(pair.a), r.names.index(pair.b)
        assert r.differences[j, i] == pytest.approx(two.difference, abs=1e-14)  # row − column
        assert r.adjusted_p[i, j] == r.adjusted_p[j, i] == pair.adjusted_p
    gains = [m.estimate if r.higher_is_better else -m.estimate for m in r.models]
    assert gains == sorted(gains, reverse=True)


def graded(n=150, m=3, seed=4):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    return None, {f"m{j}": (common + 0.2 * j + rng.normal(size=n)).round(2) for j in range(m)}


VALUES = {
    "mean": graded(),
    "mean_loss": graded(),
    "trimmed_mean(share=0.1)": graded(),
    "brier": (scored()[0], {name: 1 / (1 + np.exp(-s)) for name, s in scored()[1].items()}),
    "sse": (np.arange(150) / 50, graded()[1]),
}


@pytest.mark.parametrize("measure", VALUES)
@pytest.mark.parametrize("kind", ["plain", "groups", "strata"])
def test_values_and_losses_are_those_of_compare(measure, kind):
    """Estimates to the last digits, replicates by Kolmogorov and Smirnov."""
    y, models = VALUES[measure]
    n = models["m0"].size
    how = {"plain": {}, "groups": {"groups": np.arange(n) // 3}, "strata": {"strata": np.arange(n) % 2}}[kind]
    drawn = draw_all(y, models, measure, 1_000, 8, **how)
    r = cw.rank(y, models, measure=measure, n_resamples=300, rng=1, **how)
    for i, j in itertools.combinations(range(3), 2):
        two = cw.compare(
            y, models[f"m{i}"], models[f"m{j}"], measure=measure, test="bootstrap", n_resamples=1_000, rng=i + j, **how
        )
        [pair] = [p for p in r.pairs if {p.a, p.b} == {f"m{i}", f"m{j}"}]
        assert abs(pair.difference) == pytest.approx(abs(two.difference), rel=1e-12)
        assert stats.ks_2samp(drawn[j] - drawn[i], two.distribution.values).pvalue > 1e-4
    turned = np.random.default_rng(1).permutation(n)
    moved = {name: column[turned] for name, column in reversed(models.items())}
    how = {name: column[turned] for name, column in how.items()}
    again = cw.rank(None if y is None else y[turned], moved, measure=measure, n_resamples=300, rng=1, **how)
    assert again.to_dict() == r.to_dict()


@pytest.mark.parametrize("kind", ["plain", "groups", "strata"])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_replicates_are_distributed_as_those_of_compare(kind, one_by_one, monkeypatch):
    """Kolmogorov and Smirnov on each model's values and on differences, drawn by multinomials and one by one."""
    if one_by_one:
        monkeypatch.setattr(of_counts, "FEW_ROWS", 0)
        monkeypatch.setattr(of_counts, "OFTEN", 10**9)
    y, models = three_classes(n=150)
    how = {"plain": {}, "groups": {"groups": np.arange(150) // 4}, "strata": {"strata": y}}[kind]
    measure = find("macro_f1")
    values = draw_all(y, models, "macro_f1", 800, 5, **how)
    for i, j in itertools.combinations(range(len(models)), 2):
        read = read_sample(y, {"a": models[f"m{i}"], "b": models[f"m{j}"]}, measure, Reading(**how))
        drawn = draw(Question(*read, Options(n_resamples=800, seed=Seed(100 + 10 * i + j))))
        for ours, theirs in ((values[i], drawn.a), (values[j], drawn.b), (values[j] - values[i], drawn.b - drawn.a)):
            assert stats.ks_2samp(ours, theirs).pvalue > 1e-4


# --- letters and ranks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["f1", "error_rate"])
def test_rank_intervals_follow_from_the_pairs(measure):
    y, models = two_classes(n=600, m=6, step=0.04)
    r = cw.rank(y, models, measure=measure, n_resamples=1_999, rng=3)
    sign = 1 if r.higher_is_better else -1
    for model in r.models:
        better, worse = set(), set()
        for pair in r.pairs:
            if pair.adjusted_p <= 0.05 and model.name in (pair.a, pair.b):
                mine = sign * (pair.difference if pair.b == model.name else -pair.difference)
                other = pair.a if pair.b == model.name else pair.b
                (worse if mine > 0 else better).add(other)
        assert (model.best_rank, model.worst_rank) == (1 + len(better), 6 - len(worse))
        assert model.best_rank <= model.rank <= model.worst_rank
    assert len({m.letters for m in r.models}) > 1


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize(("data", "measure"), [(two_classes(m=2), "f1"), (scored(m=2), "auc"), (graded(m=2), "mean")])
def test_identical_models_are_tied(correction, data, measure):
    y, models = data
    models = {**models, "twin": models["m0"]}
    r = cw.rank(y, models, measure=measure, correction=correction, n_resamples=500, rng=1)
    [pair] = [p for p in r.pairs if {p.a, p.b} == {"m0", "twin"}]
    assert (pair.difference, pair.p_value, pair.adjusted_p, pair.shown) == (0.0, 1.0, 1.0, False)
    first, second = (m for m in r.models if m.name in ("m0", "twin"))
    assert (first.rank, first.letters, first.best_rank) == (second.rank, second.letters, second.best_rank)
    thrice = {"x": models["m0"], "y": models["m0"], "z": models["m0"]}
    same = cw.rank(y, thrice, measure=measure, correction=correction, n_resamples=500, rng=1)
    assert {m.letters for m in same.models} == {"a"}
    assert {(m.rank, m.best_rank, m.worst_rank) for m in same.models} == {(1, 1, 3)}


def test_the_baseline_is_compared_with_every_other_and_nothing_else():
    y, models = two_classes(m=5)
    r = cw.rank(y, models, baseline="m2", rng=1)
    assert {(p.a, p.b) for p in r.pairs} == {("m2", name) for name in models if name != "m2"}
    assert r.groups == ()
    assert "4 studentised tests against the baseline" in r.verdict()
    assert np.isnan(r.adjusted_p[0, 1]) == ("m2" not in r.names[:2])


# --- the level of the whole family ----------------------------------------------------------------------------


def false_alarms(trials, board, seed):
    """How often a board has a false finding at 5 %, by correction; then its ranks do not hold together."""
    found, stream = dict.fromkeys(family.CORRECTIONS, 0), np.random.default_rng(seed)
    for number in range(trials):
        for correction, ranked in board.ranked(stream, number):
            wrong = board.false_finding(ranked)
            assert wrong != board.ranks_hold(ranked)
            found[correction] += wrong
    return {correction: count / trials for correction, count in found.items()}


def equal_models(n, measure, m=10):
    return family.Board("interchangeable", "exchangeable", measure, n, m, family.equally_good)


@pytest.mark.parametrize(("measure", "correction", "m"), [("f1", "holm", 4), ("accuracy", "max-t", 6)])
def test_a_few_equal_models_are_seldom_told_apart(measure, correction, m):
    """Twenty test sets: at a level of 6 % more than 5 alarms have a chance of 0.09 %.

    m is large enough that p-values without a correction give more of them (6 and 7 of these sets), so that a correction
    that is lost is seen here; the study below and the scorecard measure the level.
    """
    rng = np.random.default_rng(6)
    alarms = uncorrected = 0
    for number in range(20):
        y, answers, _ = family.equally_good(rng, 100, m, measure)
        models = {f"m{model}": mine for model, mine in enumerate(answers)}
        r = cw.rank(y, models, measure=measure, correction=correction, n_resamples=499, rng=number)
        alarms += any(pair.shown for pair in r.pairs)
        uncorrected += any(pair.p_value <= 0.05 for pair in r.pairs)
    assert alarms <= 5 < uncorrected


@pytest.mark.study
@pytest.mark.parametrize("measure", ["f1", "accuracy"])
def test_ten_equal_models_are_seldom_told_apart(measure):
    """Forty test sets: at a level of 6 % more than 8 alarms have a chance of 0.03 %. The scorecard is larger."""
    assert max(false_alarms(40, equal_models(100, measure), seed=6).values()) <= 8 / 40


@pytest.mark.study
@pytest.mark.parametrize("way", ["percentile", "wald"])
def test_plainer_p_values_do_not_keep_it(way, monkeypatch):
    """Why pairs are judged as they are: the percentile test by Holm, and max-T without the null's variance."""
    monkeypatch.setattr(model_pairs, "_can_be_compared", lambda *_: False)
    monkeypatch.setattr(model_pairs, "_by_t", lambda *_: None)
    if way == "wald":
        monkeypatch.setattr(PairScore, "score", property(lambda self: self.difference))
    else:
        by_percentile = lambda self, board: of_bootstrap(board.strayed(self.pair) + self.difference, "different")  # noqa: E731
        monkeypatch.setattr(PairScore, "p_value", by_percentile)
    found = {measure: false_alarms(1_500, equal_models(60, measure), seed=120) for measure in ("f1", "accuracy")}
    print(f"\nten equal models, 60 items, 1500 test sets, {way}: {found}")  # noqa: T201
    worst = max(rates["holm" if way == "percentile" else "max-t"] for rates in found.values())
    assert worst > 0.06


def test_few_disagreements_never_show_a_difference():
    """Three items of 1,000 tell the models apart, all for b: an exact test, and rank in groups, give 2/8 at least."""
    y = np.array([1] * 500 + [0] * 500)
    a = y.copy()
    a[:3] = 0
    for correction, (least, how) in itertools.product(CORRECTIONS, ((0.25, {"groups": np.arange(1_000)}), (0.05, {}))):
        r = cw.rank(y, {"a": a, "b": y}, measure="accuracy", correction=correction, n_resamples=999, rng=1, **how)
        assert r.pairs[0].adjusted_p >= least
        assert (r.pairs[0].units, r.pairs[0].shown) == (3, False)
        assert "few_disagreements" in {c.code for c in r.caveats}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_models_that_are_always_right_and_always_wrong(correction):
    """Nothing varies but the half items that are added: the difference is shown, and its interval has a width."""
    y = np.array([1, 0] * 50)
    for how in ({"groups": np.arange(100)}, {}):
        r = cw.rank(y, {"a": y, "b": 1 - y}, measure="accuracy", correction=correction, n_resamples=999, rng=1, **how)
        assert (r.names, r.pairs[0].shown) == (("a", "b"), True)
        assert r.pairs[0].adjusted_p <= (0.01 if how else 0.001)  # groups leave fewer degrees of freedom
        assert r.pairs[0].interval.low < r.pairs[0].interval.high
        assert r.pairs[0].difference in r.pairs[0].interval
    once = cw.rank(y, {"a": y, "b": 1 - y, "c": y * 0}, correction=correction, n_resamples=1, rng=1)
    assert not any(pair.shown for pair in once.pairs)
    assert str(once)


# --- invariance -----------------------------------------------------------------------------------------------


def test_the_order_of_items_and_of_models_does_not_matter():
    for (y, models), measure in ((two_classes(m=3), "f1"), (scored(), "eer")):
        groups = np.arange(y.size) // 3
        turned = np.random.default_rng(4).permutation(y.size)
        for how in ({}, {"groups": groups}):
            one = cw.rank(y, models, measure=measure, n_resamples=300, rng=1, **how)
            moved = {name: values[turned] for name, values in reversed(models.items())}
            how = {name: values[turned] for name, values in how.items()}
            assert cw.rank(y[turned], moved, measure=measure, n_resamples=300, rng=1, **how).to_dict() == one.to_dict()


@pytest.mark.parametrize("m", [3, 12])
def test_the_same_bits_for_any_number_of_workers(m):
    import joblib

    y, models = two_classes(n=500, m=m)
    alone = cw.rank(y, models, n_resamples=2_100, rng=1).to_dict()  # two blocks
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert cw.rank(y, models, n_resamples=2_100, rng=1).to_dict() == alone


def test_frames_and_labels_of_every_kind_give_the_same():
    import pandas as pd
    import polars as pl

    y, models = two_classes(m=3)
    expected = cw.rank(y, models, n_resamples=100, rng=1).to_dict()
    for frame in (pd.DataFrame(models), pl.DataFrame(models)):
        assert cw.rank(y, frame, n_resamples=100, rng=1).to_dict() == expected
    mixed = {"m0": models["m0"].astype(bool), "m1": models["m1"].astype(float), "m2": models["m2"].tolist()}
    assert cw.rank(y.astype(np.uint8), mixed, n_resamples=100, rng=1).to_dict() == expected


def test_one_class_against_the_others():
    y, models = three_classes()
    r = cw.rank(y, models, positive=1, n_resamples=100, rng=1)
    folded = cw.rank((y == 1) * 1, {n: (v == 1) * 1 for n, v in models.items()}, n_resamples=100, rng=1)
    assert [(m.name, m.estimate) for m in r.models] == [(m.name, m.estimate) for m in folded.models]
    assert "against_others" in {c.code for c in r.caveats}


# --- what cannot be asked -------------------------------------------------------------------------------------

Y, MODELS = two_classes(n=20, m=2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cw.rank(Y, {"a": Y}), "two models or more"),
        (lambda: cw.rank(Y, {}), "There are no models to rank"),
        (lambda: cw.rank(Y, [Y, Y]), "mapping from names"),
        (lambda: cw.rank(Y, {1: Y, "1": Y}), "More than one model is called '1'"),
        (lambda: cw.rank(Y, {"a": Y, "b": Y[:-1]}), "b has 19"),
        (lambda: cw.rank(Y, {"a": Y * 1.0, "b": Y[:-1] * 1.0}, measure="auc"), "b has 19"),
        (lambda: cw.rank(Y, MODELS, baseline="m7"), "no model named 'm7'"),
        (lambda: cw.rank(Y, MODELS, correction="bonferroni"), "one of holm, benjamini-hochberg, max-t"),
        (lambda: cw.rank(Y, MODELS, correction=["holm"]), "no correction named"),
        (lambda: cw.rank(Y, MODELS, confidence_level=0), "confidence_level is 0"),
        (lambda: cw.rank(Y, MODELS, n_resamples=0), "n_resamples is 0"),
        (lambda: cw.rank(Y, MODELS, measure="mean"), "does not use a truth"),
        (lambda: cw.rank(None, MODELS, measure="f1"), "needs the truth"),
        (lambda: cw.rank(Y, {"a": Y * 1.0, "b": Y[:-1] * 1.0}, measure="brier"), "b has 19"),
        (lambda: cw.rank(None, {"a": [1.0, np.nan], "b": [1.0, 2.0]}, measure="mean"), "a has 1 value"),
        (lambda: cw.rank(Y, MODELS, measure="hamming_loss"), "does not take yet"),
        (lambda: cw.rank(Y, MODELS, measure="f1_of_sums"), "does not take yet"),
        (lambda: cw.rank(Y, MODELS, rank_infinite=True), "for scores"),
        (lambda: cw.rank(Y, {"a": Y, "b": Y * 0.5}), "b holds 0.5, which looks like a score"),
        (lambda: cw.rank(Y, {"a": Y, "b": [None, *Y[1:]]}), "b has 1 missing"),
        (lambda: cw.rank(Y, {"a": Y, "b": Y.astype(str)}), "Some labels are texts"),
        (lambda: cw.rank(Y, {"a": np.full(20, np.nan), "b": Y}, measure="auc"), "a has 20 score"),
        (lambda: cw.rank(Y, {"a": np.stack([Y, Y]), "b": Y}), "rank does not compare label sets yet"),
        (lambda: cw.rank(Y * 0, {"a": Y, "b": Y}, measure="recall"), "undefined: class 1 never occurs in the truth"),
    ],
)
def test_wrong_use_is_told_in_three_parts(call, words):
    with pytest.raises(cw.ClearwinError, match=words.replace("(", r"\(")) as found:
        call()
    assert found.value.what
    assert found.value.expected


def test_undefined_replicates_are_counted_and_few_replicates_doubted():
    y = np.array([1, 1] + [0] * 30)
    r = cw.rank(y, {"a": y, "b": 1 - y, "c": y * 0}, rng=1, n_resamples=40)
    codes = {c.code for c in r.caveats}
    assert {"few_of_a_class", "few_resamples"} <= codes
    some = cw.rank(y, {"a": y, "b": y * 0, "c": y * 0}, measure="precision", rng=1, n_resamples=200)
    assert some.undefined_replicates == 200
    assert {"undefined_estimate", "undefined_replicates"} <= {c.code for c in some.caveats}
    loose = cw.rank(y, {"a": y, "b": 1 - y}, correction="benjamini-hochberg", n_resamples=20)
    assert "not_family_wise" in {c.code for c in loose.caveats}


# --- words, JSON, files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{"groups": np.arange(400)}, {}], ids=["groups", "items"])
def test_near_copies_of_scores_are_told_apart_by_few_items(how):
    n = 400
    y = (np.arange(n) < 100) * 1
    a = np.random.default_rng(3).normal(size=n) + y
    b = a.copy()
    b[np.argsort(a[:100])[:4]] = 10 + np.arange(4)
    for measure in ("auc", "average_precision"):
        r = cw.rank(y, {"a": a, "b": b}, measure=measure, rng=1, n_resamples=500, **how)
        assert r.pairs[0].units == 4
        assert r.pairs[0].p_value >= 2 * 0.5**4
        assert any(c.code == "few_disagreements" for c in r.caveats)


def test_many_models_get_enough_replicates():
    rng = np.random.default_rng(0)
    n = 1_000
    y = (rng.random(n) < 0.3).astype(int)
    models = {f"m{i}": np.where(rng.random(n) < (0.02 if i == 0 else 0.4), 1 - y, y) for i in range(33)}
    by_holm, by_max_t = (Contest(None, how).options(tuple(models)) for how in ("holm", None))  # as rank asks
    assert by_holm.n_resamples == 2 * 33 * 32 // 2 * 20
    assert by_max_t.n_resamples == 10_000
    few = cw.rank(y, models, correction="holm", rng=1, n_resamples=100)
    assert "100 replicates are too few to separate any of 528 pairs" in few.verdict()
    assert "m0 is better than every other model" in cw.rank(y, models, rng=1, n_resamples=100).verdict()


def test_frames_of_every_engine_and_numbers_as_names():
    y, a, b = [1, 0] * 20, [1, 0, 0, 0] * 10, [1, 0] * 20
    import polars as pl
    import pyarrow as pa

    made = cw.rank(y, {"a": a, "b": b}, measure="accuracy", rng=1, n_resamples=50)
    for frame in (pl.DataFrame({"a": a, "b": b}), pl.LazyFrame({"a": a, "b": b}), pa.table({"a": a, "b": b})):
        assert cw.rank(y, frame, measure="accuracy", rng=1, n_resamples=50).to_json() == made.to_json()
    assert cw.rank(y, {1: a, 2: b}, measure="accuracy", baseline=1, n_resamples=50).baseline == "1"
    assert any(c.code == "truth_itself" and c.text.startswith("b ") for c in made.caveats)


# --- two models, and pairs by t -------------------------------------------------------------------------------

TWO = {
    **{measure: two_classes(n=150, m=2, step=0.08) for measure in ("f1", "precision", "accuracy", "dcf(cost_fn=3)")},
    **{measure: three_classes(n=150, m=2) for measure in ("macro_f1", "mcc", "accuracy")},
    **{measure: scored(n=80, m=2) for measure in ("auc", "eer", "average_precision", "min_dcf")},
    "mean": graded(n=60, m=2),
    "mean_loss": graded(n=60, m=2),
    "sse": (np.arange(60) / 20, graded(n=60, m=2)[1]),
    "skewed": (None, {"m0": np.exp(graded(n=60)[1]["m0"]), "m1": np.exp(3 * graded(n=60)[1]["m1"])}),
}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_two_models_are_ranked_as_they_are_compared(name, correction):
    """The same test, so the same bits: p-value, interval and what is decided, whatever the correction."""
    (y, models), measure = TWO[name], "mean" if name == "skewed" else name
    how = {"measure": measure, "n_resamples": 499, "rng": 3}
    [pair] = cw.rank(y, models, correction=correction, **how).pairs
    two = cw.compare(y, models[pair.a], models[pair.b], **how)
    assert (pair.p_value, pair.adjusted_p) == (two.p_value, two.p_value)
    assert (pair.interval.low, pair.interval.high) == (two.interval.low, two.interval.high)
    assert pair.difference == two.difference
    undecided = "too_skewed" in {c.code for c in two.caveats}
    assert undecided == (name == "skewed")
    assert pair.shown == (two.p_value <= 0.05 and not undecided)


@pytest.mark.parametrize("correction", ["holm", "max-t"])
def test_many_rankings_with_few_positives_are_judged_as_two_are(correction):
    """36 pairs are too many to be tested one by one; p-values and intervals are those of ``compare`` all the same."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [12, 188])
    models = {f"m{j}": rng.normal(size=200) + 0.5 * j * y for j in range(9)}
    r = cw.rank(y, models, measure="auc", correction=correction, rng=1, n_resamples=999)
    assert any(pair.shown for pair in r.pairs)
    for pair in r.pairs[::5]:
        two = cw.compare(y, models[pair.a], models[pair.b], measure="auc", rng=1)
        assert (pair.p_value, pair.difference) == pytest.approx((two.p_value, two.difference), rel=1e-9)
        ends = (two.interval.low, two.interval.high)
        assert (pair.interval.low, pair.interval.high) == pytest.approx(ends, abs=1e-9)
        assert pair.p_value <= pair.adjusted_p


def test_a_board_with_a_far_too_skewed_pair_decides_nothing():
    assert decided_pairs(np.array([0.1, 0.3, 0.2])).tolist() == [True, False, True]
    assert not decided_pairs(np.array([0.1, 0.5, 0.2])).any()
    rng = np.random.default_rng(1)
    models = {f"m{j}": rng.normal(2.0 * j, 1.0, 60) for j in range(3)}
    assert len(cw.rank(None, models, measure="mean", rng=1, n_resamples=999).groups) == 3
    models["m2"] = np.exp(3.0 * rng.normal(size=60))
    r = cw.rank(None, models, measure="mean", rng=1, n_resamples=999)
    assert not any(pair.shown for pair in r.pairs)
    [text] = [c.text for c in r.caveats if c.code == "too_skewed"]
    assert "nothing is decided" in text


few_and_many = pytest.mark.parametrize("trials", [6, pytest.param(200, marks=pytest.mark.study)])


def seldom(board, trials, seed=11):
    """The level is at most 6 %: as many alarms or fewer have a chance of 99.9 %, 3 of 6 and 24 of 200."""
    most = stats.binom.isf(0.001, trials, 0.06)
    assert max(false_alarms(trials, board, seed).values()) <= most / trials


@few_and_many
@pytest.mark.parametrize("of", [2, 4])
def test_strata_of_few_items_do_not_raise_the_level(of, trials):
    """Drawing n of n items per stratum gave 33 to 47 alarms in 100 (strata of two)."""
    [board] = [b for b in family.boards() if b.name.endswith(f"strata of {of}")]
    seldom(board, trials)


@few_and_many
def test_models_of_equal_auc_with_few_positives_are_seldom_told_apart(trials):
    """One standard error for all test sets gave 12 to 17 alarms in 100."""
    make = family.partial(family.rare_positives, spread=True)
    seldom(family.Board("few positives", "equal", "auc", 120, 10, make), trials)


@few_and_many
def test_boards_of_skewed_values_are_seldom_wrong(trials):
    make = family.partial(family.lognormal, spread=True)
    seldom(family.Board("skewed", "equal", "mean", 120, 10, make), trials)


def test_rank_intervals_know_what_follows_from_what_was_shown():
    """bert is shown to be better than lr, and lr than two others: so bert is, too, though nobody compared them."""
    rng = np.random.default_rng(1)
    y = (rng.random(2_000) < 0.5).astype(int)
    error = {"bert": 0.05, "roberta": 0.055, "lr": 0.15, "tree": 0.25, "knn": 0.26}
    models = {name: np.where(rng.random(y.size) < e, 1 - y, y) for name, e in error.items()}
    r = cw.rank(y, models, measure="accuracy", baseline="lr", n_resamples=999, rng=1)
    assert all(pair.shown for pair in r.pairs)
    ranks = {model.name: (model.best_rank, model.worst_rank) for model in r.models}
    assert ranks == {"bert": (1, 2), "roberta": (1, 2), "lr": (3, 3), "tree": (4, 5), "knn": (4, 5)}


@pytest.mark.parametrize(("m", "baseline", "used"), [(10, None, "holm"), (11, None, "max-t"), (30, "m02", "holm")])
def test_many_pairs_are_corrected_by_max_t_unless_told(m, baseline, used):
    """45 pairs and 29 are few; of 55 the smallest p-value that replicates can give would be multiplied by 55."""
    y, models = two_classes(m=m, n=100)
    models = {f"m{int(name[1:]):02}": said for name, said in models.items()}
    how = {"measure": "accuracy", "baseline": baseline, "n_resamples": 50, "rng": 1}
    r = cw.rank(y, models, **how)
    assert r.correction == used
    assert r.pairs == cw.rank(y, models, correction=used, **how).pairs
    assert Contest(baseline).options(tuple(models)).n_resamples == 10_000


def test_a_p_value_of_all_together_below_any_float_is_told_as_a_bound():
    y = np.tile([0, 1], 5_000)
    models = {"right": y, "wrong": 1 - y, "half": np.zeros_like(y)}
    r = cw.rank(y, models, measure="accuracy", n_resamples=20, rng=1)
    # Q = 2(3 Σ G² − T²)/(3 T − Σ L²) = 15,000 on 2 degrees, and P(χ² ≥ q) is exp(−q/2) there
    assert r.overall.log10_p == pytest.approx(-7_500 / np.log(10))
    assert "p < 1e-300, log10 p = -3257.2, against" in str(r)


@pytest.mark.parametrize("correction", ["holm", "max-t"])
def test_p_values_that_no_draw_reached_are_bounds(correction):
    """Two models are nearly always right and two guess: 99 draws cannot say how small p is."""
    rng = np.random.default_rng(2)
    y = rng.random(120) < 0.4
    models = {
        name: np.where(rng.random(120) < share, y, ~y)
        for name, share in zip("abcd", (0.5, 0.97, 0.5, 0.95), strict=True)
    }
    board = cw.rank(y, models, measure="accuracy", correction=correction, rng=1, n_resamples=99)
    for pair in board.pairs:
        apart = (pair.a in "bd") != (pair.b in "bd")
        assert pair.p_is_bound == apart, pair
        assert not apart or pair.p_value in (0.01, 0.02)
    told = str(board.summary())
    assert told.count("≤ ") == 4
    assert [pair["p_is_bound"] for pair in json.loads(board.to_json())["pairs"]].count(True) == 4


@pytest.mark.parametrize("measure", ["micro_f1", "macro_f1", "accuracy"])
def test_label_sets_are_refused_by_name(measure):
    """The shape of an array was told, which says nothing about what rank can do."""
    truth = np.random.default_rng(1).integers(0, 2, (40, 3))
    sets = [[label for label, there in enumerate(row) if there] for row in truth]
    for of_items in (truth, sets):
        with pytest.raises(cw.errors.OptionError, match="rank does not compare label sets yet") as refusal:
            cw.rank(of_items, {"a": of_items, "b": of_items, "c": of_items}, measure=measure)
        assert "compare() takes two models at a time" in str(refusal.value)


def test_values_of_0_and_1_are_ranked_as_decisions_are():
    """Pass or fail is counted, as for the accuracy: however rare the disagreements, they are not too skewed."""
    rng = np.random.default_rng(0)
    a = (rng.random(200) < 0.6) * 1.0
    models = {"a": a, "b": np.where(rng.random(200) < 0.2, 1.0, a), "c": 1.0 - a}
    values = cw.rank(None, models, measure="mean", rng=1)
    right = cw.rank(np.ones(200, dtype=int), {k: v.astype(int) for k, v in models.items()}, measure="accuracy", rng=1)
    assert [(p.a, p.b, p.shown) for p in values.pairs] == [(p.a, p.b, p.shown) for p in right.pairs]
    assert [p.p_value for p in values.pairs] == pytest.approx([p.p_value for p in right.pairs])
    assert not any(c.code == "too_skewed" for c in values.caveats)


def test_a_rare_failure_that_was_missed_can_hide_a_pair_of_three():
    rng = np.random.default_rng(0)
    a = rng.choice([7.0, 8.0], 80)
    b = a + (rng.random(80) < 0.12)
    models = {"a": a, "b": b, "c": b - (rng.random(80) < 0.1)}
    r = cw.rank(None, models, measure="mean(lowest=1, highest=10)", rng=1)
    (text,) = (c.text for c in r.caveats if c.code == "unseen_failures")
    assert "Not decided: a kind of item that 80 items would miss" in text
    assert not any(p.shown for p in r.pairs)
