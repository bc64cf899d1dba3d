"""cw.study and clearwin study: against enumeration, brute force, other workers, and a process that was killed."""

import joblib
import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from tests.simulation.asked import correlated, label_sets, within

# --- what comes out -----------------------------------------------------------------------------------------------


def test_the_size_of_mcnemars_exact_test_is_the_enumerated_one():
    """Swapped: every disagreement is a coin. n of them is binomial, and of each n the exact level is enumerated."""
    truth, a, b = correlated(n=2_000)
    size, alpha = 60, 0.1
    s = cw.study(
        truth,
        a,
        b,
        measure="accuracy",
        tests=["mcnemar/exact"],
        test_size=size,
        n_sets=300,
        sizes=[size],
        alphas=[alpha],
        rng=11,
    )
    rate = np.mean(a != b)
    level = 0.0
    for n in range(size + 1):
        k = np.arange(n + 1)
        p = np.minimum(1.0, 2 * np.minimum(stats.binom.cdf(k, n, 0.5), stats.binom.sf(k - 1, n, 0.5)))
        chance = stats.binom.pmf(k, n, 0.5)
        level += stats.binom.pmf(n, size, rate) * chance[p <= alpha].sum()
    row = next(r for r in s.size if r.null == "swapped")
    assert within(row.value, level, 300)
    assert not row.above
    assert 0.02 < level < 0.08


@pytest.mark.parametrize("measure", ["f1", "accuracy"])
def test_exact_permutation_never_exceeds_its_level_where_models_are_interchangeable(measure):
    s = cw.study(
        *correlated(rates=(0.3, 0.1)),
        measure=measure,
        tests=["permutation/exact"],
        test_size=80,
        n_sets=200,
        sizes=[80],
        alphas=[0.2, 0.1, 0.05, 0.01],
        n_resamples=19,
        rng=17,
    )
    rows = [row for row in s.size if row.null == "swapped"]
    assert len(rows) == 4
    assert not any(row.above for row in rows)
    assert s.tests[0].ran == {"permutation/exact": 200}


# --- workers, interruptions ---------------------------------------------------------------------------------------


def test_equal_results_for_one_and_two_workers():
    how = {
        "measure": "macro_f1",
        "test_size": 200,
        "n_sets": 50,
        "n_resamples": 99,
        "tests": ["permutation/monte_carlo"],
    }
    alone = cw.study(*label_sets(), rng=21, **how)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        together = cw.study(*label_sets(), rng=21, **how)
    assert alone.to_json() == together.to_json()
