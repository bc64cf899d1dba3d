"""Scores over folds: what is refused, which shapes fit, and the sample that the tests see."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import clearwin as cw
from clearwin.data.folds import Design, FoldOptions, margin_of, read_design, read_folds, score_over_folds
from clearwin.data.questions import Question

GOOD = [0.1, 0.2, 0.4, 0.5, 0.3, 0.2, 0.1]


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ([], [], "no scores"),
        ([1, 2], [1], "a has 2 scores and b has 1"),
        (["x"], [1], "a does not hold numbers"),
        ([1, math.nan], [1, 2], "a holds nan for fold 2"),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]], "2 rows of 2"),
        (np.zeros((2, 2, 2)), np.zeros((2, 2, 2)), "3 dimensions"),
        (np.zeros(6000), np.zeros(6000), "too many for folds"),
        ([1e308, 1e308, -1e308], [0, 0, 0], "a score of 1e.308"),
        (pd.Series([1, 2, 3]), pd.Series([1, 2, 3])[::-1], "same index in a different order"),
    ],
)
def test_refused_scores(a, b, says):
    with pytest.raises(cw.errors.DataError, match=says):
        cw.compare_folds(a, b, design="k-fold")


def test_shapes_that_do_not_fit_say_which_would():
    with pytest.raises(cw.errors.DataError, match="they come as 2 × 5, and 5 × 2 is wanted"):
        cw.compare_folds(np.zeros((2, 5)), np.ones((2, 5)), design="5x2")
    with pytest.raises(cw.errors.OptionError, match="Next: repeats=2 or 3 or 4 or 6, or scores"):
        cw.compare_folds(np.zeros(12), np.ones(12), design="repeated k-fold", repeats=5)
    with pytest.raises(cw.errors.OptionError, match="Next: scores of the shape"):
        cw.compare_folds(GOOD, GOOD, design="repeated k-fold", repeats=3)


def test_a_question_about_folds_is_a_question():
    a, b = np.array([0.7, 0.8, 0.9, 0.6]), np.array([0.8, 0.8, 0.7, 0.9])
    sample = read_folds(a.reshape(2, 2), b.reshape(2, 2), "repeated k-fold", None, None)
    assert (str(sample.design), sample.design.ratio) == ("repeated k-fold, 2 × 2", 1.0)
    losses = Question(sample, score_over_folds("loss", False), FoldOptions(claim="better", margin=1))
    assert losses.n == 4
    assert losses.estimates == (pytest.approx(a.mean()), pytest.approx(b.mean()))
    assert losses.gain == pytest.approx(a.mean() - b.mean())  # numpy's means
    assert (losses.coverage.side, losses.coverage.highest) == ("upper", math.inf)
    assert sample.deviation == pytest.approx(np.std(b - a, ddof=1))
    assert sample.outcomes == {"b_higher": 2, "a_higher": 1, "equal": 1}
    assert sample.n_differing_units(losses.measure) == 3
    assert sample.ungrouped() is sample
    assert sample.class_sizes(losses.measure) == []


@pytest.mark.parametrize(
    ("design", "n", "same_as"),
    [
        ("10x10", 100, {"design": "repeated k-fold", "repeats": 10}),
        ("2 × 10 cv", 20, {"design": "repeated k-fold", "repeats": 2}),
        ("5x2cv", 10, {"design": "5x2"}),
        ("1x10", 10, {"design": "k-fold"}),
        (10, 10, {"design": "k-fold"}),
    ],
)
def test_designs_are_taken_as_cross_compare_takes_them(design, n, same_as):
    stream = np.random.RandomState(n)
    a, b = stream.rand(n), stream.rand(n)
    there, here = cw.compare_folds(a, b, **same_as, rng=1), cw.compare_folds(a, b, design=design, rng=1)
    assert (here.p_value, here.interval, here.design) == (there.p_value, there.interval, there.design)
    with pytest.raises(cw.errors.DataError):
        cw.compare_folds(a[1:], b[1:], design=design)


def test_the_ratio_of_k_folds_follows_from_their_number():
    """One part of k is for the test, the other k − 1 for training; Nadeau and Bengio's t (2003) by its formula."""
    stream = np.random.RandomState(4)
    a, b = stream.rand(10), stream.rand(10)
    d = b - a
    for how, ratio in (
        ({"design": "k-fold"}, 1 / 9),
        ({"design": "repeated k-fold", "repeats": 2}, 1 / 4),
        ({"design": "resampled", "test_train_ratio": 0.25}, 0.25),
    ):
        t = d.mean() / math.sqrt((1 / 10 + ratio) * d.var(ddof=1))
        found = cw.compare_folds(a, b, test="corrected_t", rng=1, **how).p_value
        assert found == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"claim": "not_worse"}, "tests over folds do not take"),
        ({"n_resamples": 10**9}, "at most"),
        ({"margin": -0.1}, "margin is -0.1"),
        ({"margin": True}, "margin is True"),
        ({"margin": "5%"}, "margin is '5%'"),
    ],
)
def test_options_that_folds_do_not_take(options, says):
    with pytest.raises(cw.errors.OptionError) as raised:
        FoldOptions(**options)
    assert says in str(raised.value)


@pytest.mark.parametrize(("label", "higher"), [("", True), (7, True), ("accuracy", "yes"), ("accuracy", None)])
def test_scores_over_folds_have_a_name_and_a_direction(label, higher):
    with pytest.raises(cw.errors.OptionError, match=r"measure_label is|higher_is_better is"):
        score_over_folds(label, higher)


@pytest.mark.parametrize(
    ("design", "says"),
    [
        ({"name": "10-fold cv"}, "no design of folds named"),
        ({"name": "k-fold", "repeats": 2}, "repeats is 2 and the design is 'k-fold'"),
        ({"name": "k-fold", "test_train_ratio": 0.5}, "test_train_ratio is 0.5, and the design has 10 folds"),
        ({"name": "k-fold", "test_train_ratio": True}, "test_train_ratio is True"),
        ({"name": "k-fold", "test_train_ratio": 0}, "test_train_ratio is 0"),
    ],
)
def test_designs_that_contradict_themselves(design, says):
    given = {"shape": (10,), "repeats": None, "test_train_ratio": None, **design}
    with pytest.raises(cw.errors.OptionError) as raised:
        read_design(**given)
    assert says in str(raised.value)


def test_folds_that_differ_by_the_same_amount_have_no_deviation():
    sample = read_folds([0.1, 0.2, 0.3], [0.2, 0.3, 0.4], "k-fold", None, None)
    assert sample.deviation == 0.0
    question = Question(sample, score_over_folds("accuracy", True), FoldOptions(margin=0.05))
    assert margin_of(question) == 0.05
    assert question.options.claimed_margin is None


def test_a_design_tells_its_rounds_unless_its_name_does():
    designs = [Design("5x2", 5, 2, None), Design("k-fold", 1, 10, None), Design("repeated k-fold", 3, 10, None)]
    assert [str(one) for one in designs] == ["5x2", "k-fold", "repeated k-fold, 3 × 10"]


@pytest.mark.parametrize(
    ("name", "n", "repeats", "rounds", "folds"),
    [
        (None, 7, None, 1, 7),
        ("k-fold", 7, None, 1, 7),
        ("resampled", 7, None, 1, 7),
        ("5x2", 10, None, 5, 2),
        ("repeated k-fold", 12, 3, 3, 4),
    ],
)
def test_scores_fill_all_folds_of_all_rounds(name, n, repeats, rounds, folds):
    design = read_design(name, (n,), repeats, None)
    assert (design.repeats, design.folds) == (rounds, folds)


def test_a_fingerprint_is_of_the_scores_in_their_order():
    def of(a, b):
        return read_folds(a, b, "k-fold", None, None).fingerprint

    assert of(GOOD, GOOD[::-1]) == of(list(GOOD), GOOD[::-1])
    assert len({of(GOOD, GOOD), of(GOOD, GOOD[::-1]), of(GOOD[::-1], GOOD), ""}) == 4
