"""The record of a classifier against chance: its shares are those of its matrix."""

import json

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import clearwin as cw

MATRIX = [[9, 7, 3], [15, 17, 13], [3, 7, 28]]


def test_shares_and_kappa_are_those_of_the_matrix():
    found = cw.against_chance(MATRIX, method="chi2")
    cells = np.array(MATRIX)
    assert (found.right, found.n) == (cells.trace(), cells.sum())
    assert found.efficiency == cells.trace() / cells.sum()
    assert found.expected_efficiency == pytest.approx((cells.sum(axis=0) * cells.sum(axis=1)).sum() / cells.sum() ** 2)
    truth, said = (np.repeat(x.ravel(), cells.ravel()) for x in np.indices((3, 3)))
    assert found.kappa == pytest.approx(cohen_kappa_score(truth, said), rel=1e-12)
    assert [(one.right, one.n) for one in found.recalls] == [(9, 19), (17, 45), (28, 38)]


def test_a_class_that_never_occurs_has_no_recall():
    found = cw.against_chance([[8, 2, 0], [3, 9, 1], [0, 0, 0]], method="chi2")
    assert found.recalls[2].recall is found.recalls[2].interval is None
    assert json.loads(found.to_json())["recalls"][2]["recall"] is None
