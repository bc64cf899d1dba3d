"""One model alone: its value with an interval."""

from __future__ import annotations

import pytest
from sklearn import metrics

import clearwin as cw
from tests.data.labelled import K_A, K_TRUTH, TRUTH, A
from tests.measures.every import MANY


def test_one_against_the_others_in_an_estimate() -> None:
    r = cw.estimate(K_TRUTH, K_A, measure="f1", positive="dog", rng=1, n_resamples=50)
    expected = metrics.f1_score([x == "dog" for x in K_TRUTH], [x == "dog" for x in K_A])
    assert r.estimate == pytest.approx(expected, abs=1e-15)
    assert "against_others" in [caveat.code for caveat in r.caveats]


def test_an_estimate_with_one_class() -> None:
    with pytest.raises(cw.errors.UndefinedError, match="no item truly is of class 0"):
        cw.estimate([1] * 30, A, measure="specificity")
    assert cw.estimate([1] * 30, A, measure="recall").estimate == pytest.approx(sum(A) / 30)


def test_an_estimate_speaks_of_one_model() -> None:
    r = cw.estimate(TRUTH, [0] * 30, measure="precision", rng=1)
    [caveat] = [caveat for caveat in r.caveats if caveat.code == "undefined_estimate"]
    assert "both" not in caveat.text


# of a single item there is one class only, which a mean over classes refuses
@pytest.mark.parametrize("name", [name for name in MANY if name not in ("balanced_accuracy", "macro_recall")])
def test_a_single_item_has_an_interval(name):
    """The jackknife leaves nothing of it, which must not warn or fail."""
    r = cw.estimate([1], [1], measure=name, interval="bca", n_resamples=20, rng=1)
    assert r.interval.low <= r.interval.high
