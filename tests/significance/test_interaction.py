"""Does the difference differ between slices? Brown and Forsythe's test, by statsmodels and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.oneway import anova_generic

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import decisions
from clearwin.measures import find
from clearwin.results.comparison import Interaction
from clearwin.significance.interaction import interaction


def sliced(slices, measure="accuracy"):
    """Return a question for each slice of (truth, a, b)."""
    questions = []
    for truth, a, b in slices:
        tally: dict[tuple[int, ...], int] = {}
        for key in zip(truth.tolist(), a.tolist(), b.tolist(), strict=True):
            tally[key] = tally.get(key, 0) + 1
        questions.append(Question(*decisions(tally, find(measure), positive=1, whole=False), Options()))
    return questions


def answered(rng, n, right_a, right_b):
    """Return truth and answers, half of which hang together."""
    truth = (rng.random(n) < 0.4) * 1
    truth[:2] = 1, 0
    u = rng.random(n)
    v = np.where(rng.random(n) < 0.5, u, rng.random(n))
    return truth, np.where(u < right_a, truth, 1 - truth), np.where(v < right_b, truth, 1 - truth)


def interaction_of(questions) -> Interaction:
    found = interaction(questions)
    assert found is not None
    return found


@pytest.mark.parametrize("k", [2, 4, 7])
def test_the_test_of_slices_is_brown_and_forsythes(k: int) -> None:
    """statsmodels has it for means, variances and sizes; of accuracy they are those of right minus right."""
    rng = np.random.default_rng(k)
    slices = [answered(rng, int(rng.integers(5, 60)), 0.7, rng.uniform(0.5, 0.9)) for _ in range(k)]
    found = interaction_of(sliced(slices))
    gains = [(b == truth) * 1.0 - (a == truth) for truth, a, b in slices]
    means, variances, sizes = (np.array([f(d) for d in gains]) for f in (np.mean, lambda d: np.var(d, ddof=1), len))
    expected = anova_generic(means, variances, sizes, use_var="bf")
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-5)  # influence values are numeric derivatives
    assert found.degrees == pytest.approx(expected.df, rel=1e-5)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-4)


def value(measure, y, x):
    """Return F1, or the share of pairs of a positive and a negative item that are in the right order."""
    if measure == "f1":
        return 2 * (y & x).sum() / (y.sum() + x.sum())
    return (x[y == 1][:, None] > x[y == 0]).mean()


@pytest.mark.parametrize("measure", ["mean", "auc", "f1"])
def test_other_data_have_their_own_variances(measure: str) -> None:
    """Means as statsmodels has them; of AUC and F1 the statistic is near that of bootstrapped variances."""
    rng = np.random.default_rng(4)
    truth, by = rng.integers(0, 2, 600), np.repeat(["x", "y", "z"], 200)
    a, b = truth + rng.normal(size=600), truth + rng.normal(size=600)
    b[:200] += rng.normal(size=200)
    if measure == "f1":
        a, b = (a > 0.5) * 1, (b > 0.5) * 1
    r = cw.compare(None if measure == "mean" else truth, a, b, measure=measure, by=by, n_resamples=200, rng=1)
    found = r.slicing.interaction
    if measure == "mean":
        gains = (b - a).reshape(3, 200)
        expected = anova_generic(gains.mean(axis=1), gains.var(axis=1, ddof=1), np.full(3, 200), use_var="bf")
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-4)
        return
    differences, variances = [], []
    for at in (slice(0, 200), slice(200, 400), slice(400, 600)):
        y, *models = truth[at], a[at], b[at]
        drawn = [
            [value(measure, y[rows], x[rows]) for x in models]
            for rows in (rng.integers(0, 200, 200) for _ in range(150))
        ]
        variances.append(np.var(np.diff(drawn)) * 200)
        differences.append(value(measure, y, models[1]) - value(measure, y, models[0]))
    expected = anova_generic(np.array(differences), np.array(variances), np.full(3, 200), use_var="bf")
    assert found.statistic == pytest.approx(expected.statistic, rel=0.25)  # a variance of 150 draws is known to 12 %


@pytest.mark.parametrize(("sets", "most"), [(100, 0.115), pytest.param(300, 0.088, marks=pytest.mark.study)])
@pytest.mark.parametrize("n", [10, 40])
@pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc"])
def test_slices_with_the_same_difference_are_seldom_told_apart(measure: str, n: int, sets: int, most: float) -> None:
    """Sets of 4 slices: 5 % and three binomial standard errors are 11.5 % of 100 and 8.8 % of 300."""
    rng = np.random.default_rng(11)
    rejected = sum(
        interaction_of(sliced([answered(rng, n, 0.75, 0.85) for _ in range(4)], measure)).p_value <= 0.05
        for _ in range(sets)
    )
    assert rejected <= most * sets


def test_small_slices_that_differ_are_told_apart() -> None:
    """B better in half of 10 slices of 20 items and worse in the others: F of a pooled variance is the rival."""
    rng = np.random.default_rng(12)
    ours = theirs = 0
    for _ in range(100):
        slices = [answered(rng, 20, 0.75, 0.9 if i % 2 else 0.65) for i in range(10)]
        gains = [(b == truth) * 1.0 - (a == truth) for truth, a, b in slices]
        ours += interaction_of(sliced(slices)).p_value <= 0.05
        theirs += stats.f_oneway(*gains).pvalue <= 0.05
    assert ours >= theirs - 6


def test_slices_that_cannot_vary_are_not_tested() -> None:
    right = np.array([1, 0] * 5)
    assert interaction(sliced([(right, right, right), (right, right, right)])) is None
