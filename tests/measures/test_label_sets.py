"""Measures of label sets against scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn import metrics

import clearwin as cw
from tests.data.grouped import SKLEARN, classes, label_sets, question


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("what", SKLEARN)
def test_label_sets_equal_scikit_learn(average, what):
    for seed, k in itertools.product(range(5), (2, 6, 13)):
        truth, a, b = label_sets(seed, n=40 + 60 * seed, k=k)
        found = question(truth, a, b, f"{average}_{what}").estimates
        expected = [SKLEARN[what](truth, x, average=average, zero_division=0) for x in (a, b)]
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("what", SKLEARN)
def test_some_labels_of_many_equal_scikit_learn(average, what):
    for seed in range(4):
        truth, a, b = label_sets(seed, k=9)
        chosen = [7, 2, 4]
        found = question(truth, a, b, f"{average}_{what}", labels=chosen).estimates
        y, c, d = classes(seed, k=6)
        found += question(y, c, d, f"{average}_{what}", labels=[5, 1]).estimates
        score = SKLEARN[what]
        expected = [score(truth, x, average=average, labels=chosen, zero_division=0) for x in (a, b)]
        expected += [score(y, x, average=average, labels=[1, 5], zero_division=0) for x in (c, d)]
        assert found == pytest.approx(expected, abs=1e-12)


def test_f_beta_hamming_loss_and_subset_accuracy_equal_scikit_learn():
    for seed in range(5):
        truth, a, b = label_sets(seed)
        for measure, score in (
            ("macro_f_beta(beta=2)", lambda t, x: metrics.fbeta_score(t, x, beta=2, average="macro", zero_division=0)),
            ("micro_f_beta(beta=0.5)", lambda t, x: metrics.fbeta_score(t, x, beta=0.5, average="micro")),
            ("hamming_loss", metrics.hamming_loss),
            ("subset_accuracy", metrics.accuracy_score),
            ("accuracy", metrics.accuracy_score),
        ):
            found = question(truth, a, b, measure).estimates
            assert found == pytest.approx([score(truth, x) for x in (a, b)], abs=1e-12), measure


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [("precision_of_sums", 4 / 8, 5 / 6), ("recall_of_sums", 4 / 10, 5 / 10), ("f1_of_sums", 8 / 18, 10 / 16)],
)
def test_spans_are_added_up_over_items(name, a, b):
    """In three sentences there are 5 + 2 + 3 spans; A finds 4 of them and predicts 8, B finds 5 and predicts 6."""
    right, predicted = np.array([[2, 1, 1], [3, 2, 0]]), np.array([[3, 2, 3], [3, 3, 0]])
    models = (np.stack(pair, axis=1) for pair in zip(right, predicted, strict=True))
    r = cw.compare([5, 2, 3], *models, measure=name, test="permutation", n_resamples=9, rng=1)
    assert (r.estimate_a, r.estimate_b) == (pytest.approx(a), pytest.approx(b))
