"""From tables and arrays to samples."""

import pandas as pd
import pytest

import clearwin as cw

HOLES = pd.DataFrame({"gold": [1, 0, None, 0] * 8, "svm": [1, 0, 1, 0] * 8, "rbf": [1, None, 1, 1] * 8})


@pytest.mark.parametrize("measure", ["accuracy", "auc", "brier"])
def test_what_is_missing_is_called_by_its_column(measure):
    """As decisions, which are counted, and as scores, which are fetched."""
    asked = {"a": "svm", "b": "rbf", "missing": "drop", "n_resamples": 30, "rng": 1}
    r = cw.compare(data=HOLES, truth="gold", measure=measure, **asked)
    [dropped] = [caveat.text for caveat in r.caveats if caveat.code == "dropped"]
    assert "gold on 8, rbf on 8" in dropped
    assert r.n == 16
