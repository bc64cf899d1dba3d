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


@every_test_of_folds
def test_swapping_the_learners_mirrors_the_result(test):
    for claim in test.claims:
        there, back = ask_folds(*SCORES, test, claim=claim), ask_folds(*SCORES[::-1], test, claim=MIRRORED[claim])
        assert (back.difference, back.interval.low) == (-there.difference, pytest.approx(-there.interval.high))
        assert back.p_value == (there.p_value and pytest.approx(there.p_value, rel=1e-12))


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
