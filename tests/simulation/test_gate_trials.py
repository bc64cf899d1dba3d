"""Trying a gate: the planted drop is as large as it says, by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from clearwin.analyses.gate import Check
from clearwin.simulation.gate_trials import DROP, _spoilt
from tests.analyses.test_gate import models


@pytest.mark.parametrize("measure", ["accuracy", "f1"])
def test_the_planted_drop_has_its_size(measure: str) -> None:
    truth, a, b = models(n=500)
    tally: dict[tuple[int, ...], int] = {}
    for key in zip(truth.tolist(), a.tolist(), b.tolist(), strict=True):
        tally[key] = tally.get(key, 0) + 1
    keys, counts = list(tally), np.array(list(tally.values()))
    pairs, share = _spoilt(keys, counts / counts.sum(), Check(measure, 0.02), {"positive": None})
    of_truth = np.repeat([key[0] for key in keys], counts)
    old = np.repeat([key[1] for key in keys], counts)
    spoilt = np.repeat([pair[2] for pair in pairs], counts)
    score = metrics.f1_score if measure == "f1" else metrics.accuracy_score
    both = np.concatenate([of_truth, of_truth])
    weights = np.repeat([1.0 - share, share], of_truth.size)
    drop = score(of_truth, old) - score(both, np.concatenate([old, spoilt]), sample_weight=weights)
    assert drop == pytest.approx(DROP * 0.02, abs=1e-4)
