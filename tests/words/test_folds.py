"""Learners over folds in words: never equal, and what each interval is of."""

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from tests.fold_scores import TESTS, design_for, made
from tests.one_of_each import folds


def test_words_are_about_learning_algorithms_and_never_equal():
    a, b = made(10, 1)
    for test in TESTS:
        r = cw.compare_folds(a, b, test=test, names=("svm", "tree"), **design_for(test))
        assert "learning algorithms svm and tree" in r.null_hypothesis
        assert "equal" not in r.verdict().replace("equally", "")
        assert r.null_hypothesis in " ".join(str(r).split())
        assert "<table" in r._repr_html_()


def test_5x2cv_t_judges_the_first_fold():
    d = np.array([0.3, 0.29, -0.01, 0.01, -0.5, -0.52, -0.3, -0.31, -0.2, -0.21])
    r = cw.compare_folds(np.zeros(10), d, design="5x2", test="5x2cv_t")
    assert r.difference < 0 < r.statistic
    assert "is better than" in r.verdict()
    assert "95 % interval of the first fold's difference" in r.verdict()
    assert {"first_fold", "leads_elsewhere"} <= {c.code for c in r.caveats}


SKEW = [0.01 + i * 1e-4 for i in range(11)] + [-0.5]  # B wins 11 of 12 and loses by the mean


@pytest.mark.parametrize(
    ("test", "claim", "b_first", "a_first"),
    [
        ("sign", "different", "B wins more folds than A", "B wins fewer folds than A"),
        ("sign", "better", "B wins more folds than A", "No clear evidence that B wins more folds than A"),
        ("sign", "worse", "No clear evidence that B wins fewer folds than A", "B wins fewer folds than A"),
        (
            "wilcoxon",
            "different",
            "B tends to be better than A, by signed ranks",
            "B tends to be worse than A, by signed",
        ),
        ("wilcoxon", "better", "B tends to be better than A", "No clear evidence that B tends to be better than A"),
        ("wilcoxon", "worse", "No clear evidence that B tends to be worse than A", "B tends to be worse than A"),
    ],
)
def test_wins_and_ranks_have_a_direction_of_their_own(test, claim, b_first, a_first):
    how = {"test": test, "claim": claim, "design": "independent"}
    r, turned = (cw.compare_folds([0] * 12, SKEW, higher_is_better=higher, **how) for higher in (True, False))
    assert r.verdict().startswith(b_first)
    assert turned.verdict().startswith(a_first)
    assert r.difference < 0 < r.lead == -turned.lead
    for found, says in ((r, "B"), (turned, "A")):
        told = {c.code: c.text for c in found.caveats}["leads_elsewhere"]
        assert told.startswith(f"{says} {'wins more folds' if test == 'sign' else 'has the higher signed ranks'}, but ")


def test_wins_and_ranks_that_show_nothing():
    a, b = [0] * 8, [1, -1.5, 2, -2.5, 3, -3.5, 4, 5]
    r = cw.compare_folds(a, b, test="sign", design="independent")
    assert r.verdict().startswith("No clear evidence that B wins more or fewer folds than A")
    r = cw.compare_folds(a, b, test="wilcoxon", design="independent")
    assert r.verdict().startswith("No clear evidence that B tends to be better or worse than A")
    assert "leads_elsewhere" not in [c.code for c in r.caveats]


def test_the_interval_says_what_it_is_of():
    a, b = made(10, 1)
    of = {"sign": "median difference", "wilcoxon": "pseudomedian difference", "5x2cv_t": "first fold's difference"}
    for test in TESTS:
        r = cw.compare_folds(a, b, test=test, **design_for(test))
        for told in (r.verdict(), str(r)):
            assert ("interval of the" in told) == (test in of)
            assert f"95 % interval of the {of[test]}" in told if test in of else True


def test_5x2cv_f_that_rejects_everything_says_so():
    d = np.repeat([0.3, -0.3, 0.2, -0.2, 0.1], 2) + 0.001 * np.tile([1, -1], 5)
    how = {"design": "5x2", "test": "5x2cv_f"}
    r = cw.compare_folds(np.zeros(10), d, **how)
    assert [c.code for c in r.caveats] == ["empty_interval", "dependent_halves"]
    assert r.interval.low == r.interval.high == pytest.approx(r.difference)
    for sign in (1, -1):  # the mean is no ground for a direction
        r = cw.compare_folds(np.zeros(10), sign * d, **how)
        assert "B and A differ between the rounds, but neither is better throughout" in r.verdict()
        assert "empty" in r.verdict()
    assert "empty" in str(r)
    assert r.decision == "different"
    strict = cw.compare_folds(np.zeros(10), d, **how, confidence_level=1 - 1e-12)
    assert strict.decision == "not shown"
    assert "No clear evidence that" in strict.verdict()
    shifted = cw.compare_folds(np.zeros(10), d + 10 * (1 + np.tile([1e-2, -1e-2], 5)), **how)
    assert "B is better than A" in shifted.verdict()


def test_folds_have_their_degrees_of_freedom():
    a, b = [92, 90, 91, 93, 91], [90, 90, 92, 90, 89]
    t = stats.ttest_rel(b, a)
    told = cw.compare_folds(a, b, test="paired_t", design="independent").verdict(style="paper")
    assert f"t = {t.statistic:.3g} on 4 degrees of freedom, p = {t.pvalue:#.3g}" in told


def test_a_posterior_is_not_called_a_p_value():
    told = folds(test="bayes_t", margin=0.01).verdict(style="paper")
    assert told.startswith("Over 5 folds (k-fold), the posterior probabilities in score are ")
    assert "p =" not in told


def test_what_is_assumed_of_folds_is_said_where_it_matters():
    stream = np.random.default_rng(3)
    told = {}
    for design, shape in (("10x10", (10, 10)), ("k-fold", 10), ("independent", 10)):
        a, b = 0.8 + 0.05 * stream.normal(size=(2, *np.atleast_1d(shape)))
        told[design] = " ".join(cw.compare_folds(a, b, design=design).summary().limits)
    assert all("correlate by 0.10, which no data can show" in told[design] for design in ("10x10", "k-fold"))
    assert "1-nearest neighbour" in told["10x10"]
    assert "1-nearest neighbour" not in told["k-fold"]
    assert "correlate" not in told["independent"]
