"""A study says what its numbers carry, can be repeated from its own words, and loses nobody's file."""

import numpy as np
import pytest

from clearwin.execution import Seed
from clearwin.judging import Settings
from clearwin.measures import find
from clearwin.significance import choose
from clearwin.study_blocks import _stated
from clearwin.study_data import source_of_arrays


def decisions(n=2_000, seed=1, rates=(0.25, 0.20)):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return truth, *(np.where(rng.random(n) < rate, 1 - truth, truth) for rate in rates)


FEW = {"test_size": 100, "n_sets": 20, "sizes": [100], "n_resamples": 19, "rng": 1}


# --- numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_confidence_in_the_leader_is_the_same_whoever_is_called_a(test):
    """Replicates in which both are level speak for neither: 12 items that differ, so ties are frequent."""
    truth = np.array([0, 1] * 30)
    first, second = truth.copy(), truth.copy()
    first[:7], second[10:15] = 1 - first[:7], 1 - second[10:15]
    stated = []
    for a, b in ((first, second), (second, first)):
        ask = source_of_arrays(truth, a, b, find("accuracy"))(None).ask
        question = ask(*Settings(n_resamples=4_000, rng=1).for_question()[:-1], Seed(1))
        stated.append(_stated(question, choose(test, question)[0].answer(question)))
    rng = np.random.default_rng(2)
    gains = ((second == truth) * 1 - (first == truth))[rng.integers(0, 60, (20_000, 60))].sum(axis=1)
    assert np.mean(gains == 0) > 0.05
    error = 4 * np.sqrt(0.25 / 4_000)
    assert stated == pytest.approx([np.mean(gains > 0)] * 2, abs=error)
