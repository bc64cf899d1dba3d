"""Does the difference differ between slices? Welch's test, by statsmodels and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.oneway import anova_generic

from clearwin.data.questions import Options, Question
from clearwin.data.reading import decisions
from clearwin.measures import find
from clearwin.significance.interaction import interaction
from clearwin.significance.studentised import p_value_function


@pytest.mark.parametrize("k", [2, 4, 7])
def test_the_test_of_slices_is_welchs_anova(k: int) -> None:
    """statsmodels has it for means, variances and sizes; with se² · n as variance and degrees + 1 as n it is ours."""
    rng = np.random.default_rng(k)
    questions = []
    for _ in range(k):
        tally = {key: int(rng.integers(5, 60)) for key in np.ndindex(2, 2, 2)}
        questions.append(Question(*decisions(tally, find("f1"), positive=1), Options()))
    found, functions = interaction(questions), [p_value_function(question) for question in questions]
    assert found is not None
    sizes = np.array([one.degrees + 1.0 for one in functions])
    variances = np.array([one.error**2 for one in functions]) * sizes
    means = np.array([one.observed for one in functions])
    welch = anova_generic(means, variances, sizes, use_var="unequal", welch_correction=True)
    assert found.statistic == pytest.approx(welch.statistic, rel=1e-12)
    assert found.degrees == pytest.approx(welch.df, rel=1e-12)
    assert found.p_value == pytest.approx(stats.f.sf(welch.statistic, *welch.df), rel=1e-9)


@pytest.mark.parametrize(("sets", "most"), [(100, 0.115), pytest.param(300, 0.088, marks=pytest.mark.study)])
@pytest.mark.parametrize("measure", ["accuracy", "f1"])
def test_slices_with_the_same_difference_are_seldom_told_apart(measure: str, sets: int, most: float) -> None:
    """Sets of 4 slices of 40 items: 5 % and three binomial standard errors are 11.5 % of 100 and 8.8 % of 300."""
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(sets):
        questions = []
        for _ in range(4):
            truth = rng.random(40) < 0.4
            u = rng.random(40)
            v = np.where(rng.random(40) < 0.5, u, rng.random(40))
            a, b = np.where(u < 0.75, truth, ~truth), np.where(v < 0.85, truth, ~truth)
            tally: dict[tuple[int, ...], int] = {}
            for key in zip((truth * 1).tolist(), (a * 1).tolist(), (b * 1).tolist(), strict=True):
                tally[key] = tally.get(key, 0) + 1
            questions.append(Question(*decisions(tally, find(measure), positive=1, whole=False), Options()))
        found = interaction(questions)
        assert found is not None
        rejected += found.p_value <= 0.05
    assert rejected <= most * sets
