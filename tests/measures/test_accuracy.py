"""Accuracy and rates of single classes against scikit-learn, and against each other."""

import numpy as np
import pytest
from sklearn import metrics

import clearwin as cw

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 200)
SAID = np.where(RNG.random(200) < 0.25, 1 - TRUTH, TRUTH)
RATES = {
    "accuracy": metrics.accuracy_score(TRUTH, SAID),
    "error_rate": metrics.zero_one_loss(TRUTH, SAID),
    "recall": metrics.recall_score(TRUTH, SAID),
    "specificity": metrics.recall_score(TRUTH, SAID, pos_label=0),
    "balanced_accuracy": metrics.balanced_accuracy_score(TRUTH, SAID),
}


def value(measure, truth=TRUTH, said=SAID):
    return cw.estimate(truth, said, measure=measure, n_resamples=9, rng=1).estimate


@pytest.mark.parametrize("measure", RATES)
def test_rates_are_those_of_scikit_learn(measure):
    assert value(measure) == pytest.approx(RATES[measure], abs=1e-15)


def test_false_acceptance_and_rejection_are_what_the_other_rates_leave():
    assert value("false_acceptance_rate") == pytest.approx(1 - RATES["specificity"], abs=1e-15)
    assert value("false_rejection_rate") == pytest.approx(1 - RATES["recall"], abs=1e-15)


def test_subset_accuracy_asks_for_every_label_of_an_item():
    truth, said = np.array([[1, 0], [1, 1], [0, 1], [0, 0]]), np.array([[1, 0], [1, 0], [0, 1], [0, 0]])
    assert value("subset_accuracy", truth, said) == metrics.accuracy_score(truth, said) == 0.75
