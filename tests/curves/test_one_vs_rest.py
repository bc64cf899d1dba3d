"""One class against the others, as scikit-learn averages them."""

import numpy as np
import pytest
from sklearn import metrics as sk

from clearwin.curves.one_vs_rest import multiclass_auc, one_against_others
from clearwin.curves.points import roc_curve
from tests.curves.scored import SEEDS


@pytest.mark.parametrize("seed", SEEDS)
def test_multiclass_auc_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    labels = ["ant", "bee", "cat", "dog"]
    truth = np.array(labels)[np.append(np.arange(4), rng.choice(4, 150, p=[0.5, 0.3, 0.15, 0.05]))]
    scores = rng.integers(1, 6, (truth.size, 4)) + 2.0 * (truth[:, None] == np.array(labels))
    scores /= scores.sum(axis=1, keepdims=True)  # scikit-learn wants probabilities
    for average in ("macro", "weighted"):
        theirs = sk.roc_auc_score(truth, scores, multi_class="ovr", average=average, labels=labels)
        assert multiclass_auc(truth, scores, labels, average=average) == pytest.approx(theirs, abs=1e-14)
    found = one_against_others(truth, scores, labels)
    assert list(found) == labels
    assert roc_curve(found["bee"]).area == pytest.approx(sk.roc_auc_score(truth == "bee", scores[:, 1]), abs=1e-14)
