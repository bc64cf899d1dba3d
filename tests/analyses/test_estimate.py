"""One model alone: its value with an interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
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
    with pytest.raises(cw.errors.UndefinedError, match="undefined: class 0 never occurs in the truth"):
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


def test_estimate_uses_wilson_for_proportions_and_dirichlet_for_the_rest():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200)
    p = np.where(rng.random(200) < 0.2, 1 - y, y)
    for name, measure in ((m.name, m) for m in cw.list_measures().values() if m.takes == "decisions"):
        r = cw.estimate(y, p, measure=name, rng=1, n_resamples=500)
        assert r.interval.method == ("wilson" if measure.is_proportion else "dirichlet")
        assert r.estimate in r.interval
    right = int((y == p).sum())
    theirs = stats.binomtest(right, 200).proportion_ci(0.9, method="exact")
    ours = cw.estimate(y, p, measure="accuracy", interval="clopper-pearson", confidence_level=0.9).interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    with pytest.raises(cw.errors.NotApplicableError, match="percentile"):
        cw.estimate(y, p, measure="f1", interval="wilson")
    with pytest.raises(cw.errors.UnknownNameError, match="wilson"):
        cw.estimate(y, p, measure="f1", interval="wilsen")


def test_the_normal_interval_carries_the_lectures_condition():
    y = [1] * 50 + [0] * 50
    good = cw.estimate(y, [1] * 45 + [0] * 55, measure="accuracy", interval="normal")
    codes = [c.code for c in good.caveats]
    assert "normal_approximation" in codes  # 100 · .95 · .05 = 4.75 < 5
    fine = cw.estimate(y, [1] * 44 + [0] * 56, measure="accuracy", interval="normal")
    assert "normal_approximation" not in [c.code for c in fine.caveats]  # 100 · .94 · .06 = 5.64


def test_a_threshold_is_chosen_on_a_development_set():
    """As compare chooses it: for a copy of the model, the same threshold and value."""
    rng = np.random.default_rng(2)
    truth, dev_truth = rng.integers(0, 2, (2, 200))
    scores, dev_scores = truth + rng.normal(size=200), dev_truth + rng.normal(size=200)
    alone = cw.estimate(truth, scores, dev=(dev_truth, dev_scores), n_resamples=200, rng=1)
    both = cw.compare(truth, scores, scores**3, dev=(dev_truth, dev_scores, dev_scores**3), n_resamples=200, rng=1)
    assert alone.estimate == both.estimate_a
    with pytest.raises(cw.errors.OptionError, match="dev is not a development set") as refusal:
        cw.estimate(truth, scores, dev=(dev_truth, dev_scores, dev_scores))
    assert "dev=(truth, scores_a)" in str(refusal.value)
