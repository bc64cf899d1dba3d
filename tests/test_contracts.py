"""What every significance test must keep, by the registry: whoever adds one is held to these."""

import itertools
import math
from functools import cache

import joblib
import numpy as np
import pytest

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.samples import DecisionSample
from clearwin.measures import find
from clearwin.streams import Seed
from tests.every_test import OF_FOLDS, SCORES, a_measure_of, ask, every_test_of_decisions, judged, of_decisions
from tests.tables import BALANCED, EVERYDAY, IDENTICAL, NEVER_POSITIVE, ORDINARY, STRONG

CLAIMS = ("different", "better", "worse")
MIRRORED = {"different": "different", "better": "worse", "worse": "better"}
RATIO = {"resampled": 0.5, "k-fold": None, "5x2": None, "independent": None}
asked = cache(ask)  # several contracts look at the same answer
every_test_of_folds = pytest.mark.parametrize("test", OF_FOLDS, ids=lambda t: t.name)


@judged
def test_identical_models_give_p_1(test, measure, method):
    for claim in CLAIMS:
        r = asked(IDENTICAL, test, measure, method, claim=claim)
        assert (r.difference, r.p_value, r.log10_p) == (0.0, 1.0, 0.0)
        assert 0.0 in r.interval
        assert any(c.code == "few_disagreements" for c in r.caveats)
        assert r.verdict().startswith("No clear evidence that ")


@judged
def test_swapping_the_models_mirrors_the_result(test, measure, method):
    claims = ("different", "better")  # worse and better is better and worse with the models swapped
    for joint, claim in itertools.product(EVERYDAY.values(), claims):
        there = asked(joint, test, measure, method, claim=claim)
        back = asked(joint.swapped(), test, measure, method, claim=MIRRORED[claim])
        assert back.difference == -there.difference
        # sampled p-values may differ by their error: 6 standard errors of a difference, and a step of the +1 rule
        slack = 0 if there.p_error is None else 6 * math.hypot(there.p_error, back.p_error) + 2 / 501
        assert back.p_value == pytest.approx(there.p_value, rel=1e-12, abs=slack)


@judged
def test_p_and_interval_are_sane(test, measure, method):
    for joint, claim in itertools.product((*EVERYDAY.values(), NEVER_POSITIVE), CLAIMS):
        r = asked(joint, test, measure, method, claim=claim)
        assert 0 < r.p_value <= 1
        assert r.log10_p <= 0
        assert r.p_value == pytest.approx(10**r.log10_p)
        assert r.interval.low <= r.interval.high
        assert math.isfinite(r.statistic)
        assert r.difference == pytest.approx(r.estimate_b - r.estimate_a)
        assert r.test == test.name
        assert r.method in test.methods
        assert r.interval.side == "two-sided" if claim == "different" else r.interval.side in ("lower", "upper")


@judged
def test_the_two_tails_belong_together(test, measure, method):
    for joint in EVERYDAY.values():
        two, up, down = (asked(joint, test, measure, method, claim=claim) for claim in CLAIMS)
        assert up.p_value + down.p_value >= 1 - 1e-9
        if method == "corrected":  # its two-sided form is capped at the middle, the one-sided forms are not
            continue
        slack = 0 if two.p_error is None else 6 * two.p_error + 0.01
        if test.name == "studentised":  # both tails together, of a distribution that need not be symmetric
            assert min(up.p_value, down.p_value) - slack <= two.p_value
            continue
        assert two.p_value == pytest.approx(min(1, 2 * min(up.p_value, down.p_value)), rel=1e-9, abs=slack)


@judged
def test_the_p_value_alone_is_that_of_the_whole_answer(test, measure, method):
    for claim in CLAIMS:
        options = Options(method=method, claim=claim, n_resamples=99, seed=Seed.of(1))
        question = Question(DecisionSample(ORDINARY), find(measure), options)
        whole = test.answer(question)
        assert test.p_value(question) == (whole.p, whole.lead_in(question))


@judged
def test_a_clear_win_is_found_and_named(test, measure, method):
    r = asked(STRONG, test, measure, method)
    assert r.p_value < 0.01
    assert r.verdict().startswith("B is better than A")
    assert 0.0 not in r.interval
    r = asked(STRONG.swapped(), test, measure, method)
    assert r.verdict().startswith("B is worse than A")


@every_test_of_decisions
def test_every_interval_has_its_level_and_side(test):
    measure = a_measure_of(test)
    for name in test.intervals:
        if name == "studentised":  # for means of values and losses: tests/data/test_values.py
            with pytest.raises(cw.errors.NotApplicableError, match="studentised"):
                ask(ORDINARY, test, measure, interval=name)
            continue
        found = {
            level: ask(ORDINARY, test, measure, interval=name, confidence_level=level).interval for level in (0.5, 0.95)
        }
        assert found[0.95].method == name
        assert found[0.95].low <= found[0.5].low <= found[0.5].high <= found[0.95].high
        lower = ask(ORDINARY, test, measure, interval=name, claim="better").interval
        assert (lower.side, lower.high) == ("lower", 1.0)
        better_is_less = ("error_rate", "better") if measure == "accuracy" else (measure, "worse")
        upper = ask(ORDINARY, test, better_is_less[0], interval=name, claim=better_is_less[1]).interval
        assert (upper.side, upper.low) == ("upper", -1.0)


@judged
def test_the_same_seed_gives_the_same_bits_whoever_works(test, measure, method):
    settings = {"n_resamples": 2_500, "rng": 11}
    alone = ask(ORDINARY, test, measure, method, **settings)
    with joblib.parallel_config(backend="threading", n_jobs=16):
        together = ask(ORDINARY, test, measure, method, **settings)
    assert together.to_json() == alone.to_json()
    if alone.distribution is not None:
        np.testing.assert_array_equal(alone.distribution.values, together.distribution.values)


def test_processes_give_the_same_bits_too():
    alone = cw.compare(ORDINARY, measure="f1", test="bootstrap", n_resamples=3_000, rng=5)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        together = cw.compare(ORDINARY, measure="f1", test="bootstrap", n_resamples=3_000, rng=5)
    np.testing.assert_array_equal(alone.distribution.values, together.distribution.values)
    assert together.to_json() == alone.to_json()


@every_test_of_decisions
def test_what_it_cannot_judge_it_refuses_with_a_reason(test):
    for measure in cw.list_measures().values():
        if test.can_judge(measure) or measure.takes != "decisions":
            continue
        with pytest.raises(cw.errors.NotApplicableError) as raised:
            ask(ORDINARY, test, measure.name)
        text = str(raised.value)
        assert measure.label in text
        assert test.label in text
        assert "use test=" in text
        assert '"permutation"' in text


# --- every kind of data ---------------------------------------------------------------------------------------------

N = 60
SPEAKING = ("mean", "trimmed_mean", "auc", "brier", "micro_f1", "macro_f1")  # each for the others of its kind
MIRROR_OF_WORDS = {
    "sign": ("B wins more items than A", "B wins fewer items than A"),
    "wilcoxon": ("B tends to be better than A", "B tends to be worse than A"),
}


def clear_win(kind, measure):
    """Return the truth and two models of which B is clearly better, by this measure of this kind of data."""
    rng = np.random.default_rng(2 if kind == "scores" else 24)
    if kind == "values":
        a = rng.random(N).round(3)
        b = (a + rng.normal(0.3, 0.2, N)).round(3)
        return (None, a, b) if find(measure).higher_is_better else (None, b, a)
    if kind == "scores":
        y = np.arange(N) % 2
        a, b = (1 / (1 + np.exp(-(sharpness * (2 * y - 1) + rng.normal(size=N)))) for sharpness in (0.5, 1.5))
        return y, a, b
    y = rng.integers(0, 3, N) if kind == "classes" else rng.random((N, 4)) < 0.4
    other = (y + 1) % 3 if kind == "classes" else ~y
    return y, *(np.where(rng.random(y.shape) < wrong, other, y) for wrong in (0.5, 0.1))


def designs():
    """Groups of two items and strata of whole groups."""
    groups = np.random.default_rng(1).permutation(np.arange(N) // 2)
    return {"items": {}, "groups": {"groups": groups}, "groups in strata": {"groups": groups, "strata": groups < 10}}


def every_kind():
    """Yield every test and method with the measures of the kinds of data that it can judge."""
    measures = cw.list_measures().values()
    kinds = {
        "values": [m.name for m in measures if m.takes == "values" and not m.of_winners],
        "scores": [m.name for m in measures if m.takes in ("scores", "losses")],
        "label sets": [m.name for m in measures if m.of_label_sets],
        "classes": ["macro_f1", "balanced_accuracy", "mcc"],
    }
    for kind, test in itertools.product(kinds, cw.list_tests().values()):
        of_counts, studentised = kind in ("label sets", "classes"), test.name == "studentised"
        if of_counts and test.name not in ("studentised", "bootstrap", "permutation"):
            continue
        for measure, method, design in itertools.product(kinds[kind], test.methods, designs()):
            if method.startswith("horizon_") and method != "horizon_1":
                continue  # more steps ahead need an order in time
            if (test.name, method) == ("permutation", "exact") and measure not in ("mean", "mean_loss"):
                continue  # too many swaps to count
            if studentised and (measure.startswith("trimmed") or (of_counts and measure not in SPEAKING)):
                continue  # no influence, or a long search for the same
            speaks = measure in SPEAKING and measure != "macro_f1" and method == test.methods[0]
            if test.can_judge(find(measure)) and (design == "items" or (speaks and not test.takes_order)):
                yield pytest.param(kind, test, method, measure, design, id=f"{test.name}-{method}-{measure}-{design}")


@pytest.mark.parametrize(("kind", "test", "method", "measure", "design"), list(every_kind()))
def test_every_kind_of_data_is_judged_alike(kind, test, method, measure, design):
    truth, *models = clear_win(kind, measure)
    how = {"measure": measure, "test": test.name, "method": method, "n_resamples": 99, "rng": 1}

    def judged_as(a, b, order=slice(None), **more):
        columns = (x if x is None else x[order] for x in (truth, a, b))
        return cw.compare(*columns, **{name: x[order] for name, x in designs()[design].items()}, **how, **more)

    a, b = models
    r = judged_as(a, b)
    assert 0 < r.p_value <= 1
    assert r.interval.low <= r.interval.high
    assert r.to_json()
    better, worse = MIRROR_OF_WORDS.get(test.name, ("B is better than A", "B is worse than A"))
    # of a partial area three negatives decide
    assert r.verdict().startswith(better) or measure == "partial_auc"
    assert r.null_hypothesis in r.verdict()
    for claim in CLAIMS if design == "items" and measure in SPEAKING else CLAIMS[:1]:
        there, back = judged_as(a, b, claim=claim), judged_as(b, a, claim=MIRRORED[claim])
        assert back.difference == pytest.approx(-there.difference, rel=1e-12)
        # sampled p-values may differ by their error: 6 standard errors of a difference, and a step of the +1 rule
        slack = 0 if there.p_error is None else 6 * math.hypot(there.p_error, back.p_error) + 2 / 100
        assert back.p_value == pytest.approx(there.p_value, rel=1e-9, abs=slack)
        assert claim != "different" or back.verdict().startswith(worse) or measure == "partial_auc"
        same = judged_as(a, a, claim=claim)
        assert (same.difference, same.p_value, same.log10_p) == (0.0, 1.0, 0.0)
        assert 0.0 in same.interval
        assert kind == "scores" or "few_disagreements" in {c.code for c in same.caveats}
        assert same.verdict().startswith("No clear evidence that ")
    assert judged_as(a, b, np.random.default_rng(5).permutation(N)).to_json() == r.to_json()
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert judged_as(a, b).to_json() == r.to_json()


# --- folds ----------------------------------------------------------------------------------------------------------


def ask_folds(a, b, test, **settings):
    return cw.compare_folds(
        a, b, test=test.name, design=test.designs[0], test_train_ratio=RATIO[test.designs[0]], **settings
    )


@every_test_of_folds
def test_identical_learners_give_p_1(test):
    for claim in test.claims:
        r = ask_folds(SCORES[0], SCORES[0], test, claim=claim)
        assert r.difference == 0.0
        # of arrangements that ignore the pairs some are further out to one side
        assert r.p_value in (1.0, None) or (claim != "different" and r.p_value > 0.5)
        assert 0.0 in r.interval
        assert ("No clear evidence" if r.posterior is None else "practically equivalent") in r.verdict()
        assert r.caveats[0].code == "no_difference"
        if r.interval.low == r.interval.high == 0:
            assert [c.code for c in r.caveats] == ["no_difference", "no_width"]
        assert "nan" not in str(r) + r.to_json() + r._repr_html_() + repr(r)


@every_test_of_folds
def test_swapping_the_learners_mirrors_the_result(test):
    for claim in test.claims:
        there, back = ask_folds(*SCORES, test, claim=claim), ask_folds(*SCORES[::-1], test, claim=MIRRORED[claim])
        assert (back.difference, back.interval.low) == (-there.difference, pytest.approx(-there.interval.high))
        assert back.p_value == (there.p_value and pytest.approx(there.p_value, rel=1e-12))
        errors = ask_folds(*(-np.array(scores) for scores in SCORES), test, claim=claim, higher_is_better=False)
        assert errors.p_value == (there.p_value and pytest.approx(there.p_value, rel=1e-12))


@every_test_of_folds
def test_what_has_no_direction_refuses_a_side(test):
    for claim in set(CLAIMS) - set(test.claims):
        with pytest.raises(cw.errors.OptionError, match=f"{test.label} is two-sided"):
            ask_folds(*SCORES, test, claim=claim)


def test_relabelling_the_classes_changes_nothing():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 80)
    a, b = (np.where(rng.random(80) < e, 1 - y, y) for e in (0.3, 0.2))
    plain = cw.compare(y, a, b, rng=3)
    for negative, positive in (("ham", "spam"), (-1, 1), (False, True), ("z", "a"), (7, 3)):
        names = np.array([negative, positive])
        other = cw.compare(names[y], names[a], names[b], positive=names[1], rng=3)
        assert (other.difference, other.p_value, other.interval) == (plain.difference, plain.p_value, plain.interval)


def test_balanced_disagreement_is_no_difference():
    for test in of_decisions:
        r = ask(BALANCED, test, a_measure_of(test))
        assert r.difference == 0
        assert r.p_value == pytest.approx(1.0, abs=0.05)
