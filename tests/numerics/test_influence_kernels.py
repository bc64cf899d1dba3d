"""The influence of items on measures of ranking: the derivative of scikit-learn's weighted measure."""

import numpy as np
import pytest
from sklearn import metrics

from clearwin.data.scores import scored_items
from clearwin.measures import find
from clearwin.resampling.functionals import functional
from tests.resampling.scored import scores


def partial_auc(y, scores, sample_weight):
    return metrics.roc_auc_score(y, scores, max_fpr=0.3, sample_weight=sample_weight)


@pytest.mark.parametrize(
    ("measure", "reference"),
    [
        ("auc", metrics.roc_auc_score),
        ("average_precision", metrics.average_precision_score),
        ("partial_auc(max_fpr=0.3)", partial_auc),
    ],
)
def test_influence_of_scores_is_the_derivative_of_scikit_learns_weighted_measure(measure, reference):
    y, a, b = scores()
    found = functional(scored_items(y, a, b, positive=1), find(measure))
    weights = np.random.default_rng(1).uniform(0.5, 2.0, y.size)
    of_units = np.bincount(found.unit_of_item, weights, minlength=found.times.size)
    assert found.times.size < y.size  # items of a class in a row are one unit
    ours = found.influence(of_units[:, None])[found.unit_of_item, 0]
    assert found.values(of_units[:, None])[0] == pytest.approx(
        reference(y, b, sample_weight=weights) - reference(y, a, sample_weight=weights), abs=1e-12
    )
    n, step = weights.sum(), 1e-6
    for item in range(0, y.size, 7):
        moved = weights.copy()
        moved[item] += step * n
        slope = (
            reference(y, b, sample_weight=moved)
            - reference(y, b, sample_weight=weights)
            - reference(y, a, sample_weight=moved)
            + reference(y, a, sample_weight=weights)
        ) / step
        assert ours[item] == pytest.approx(slope, abs=1e-3)
