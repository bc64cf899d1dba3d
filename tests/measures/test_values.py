"""Means, trimmed means and errors of numbers against scipy and scikit-learn."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import clearwin as cw
from tests.data.valued import MEANS, sample


def test_means_are_means():
    a, _ = sample(1, n=137)
    for name in MEANS:
        assert cw.estimate(None, a, measure=name, n_resamples=1).estimate == pytest.approx(a.mean(), rel=1e-15)


@pytest.mark.parametrize("share", [0, 0.05, 0.1, 0.2, 0.25, 0.49])
def test_trimmed_mean_equals_scipy(share):
    for seed, n in enumerate((1, 2, 7, 40, 101)):
        a, _ = sample(seed, n=n, digits=1)
        for name in ("trimmed_mean", "trimmed_mean_loss"):
            found = cw.estimate(None, a, measure=f"{name}(share={share})", n_resamples=1).estimate
            assert found == pytest.approx(stats.trim_mean(a, share), rel=1e-13)


def test_a_share_is_rounded_down_without_rounding_errors():
    values = np.arange(100.0) ** 2  # 0.29 · 100 is 28.999… to the machine
    found = cw.estimate(None, values, measure="trimmed_mean(share=0.29)", n_resamples=1).estimate
    assert found == pytest.approx(values[29:71].mean())


def test_errors_of_numbers_equal_scikit_learn():
    rng = np.random.default_rng(3)
    y = rng.normal(size=80)
    a, b = y + rng.normal(size=80), y + rng.normal(0, 0.5, 80)
    for name, oracle in (
        ("mse", metrics.mean_squared_error),
        ("mae", metrics.mean_absolute_error),
        ("sse", lambda y, s: ((s - y) ** 2).sum()),
    ):
        r = cw.compare(y, a, b, measure=name, test="paired_t")
        assert (r.estimate_a, r.estimate_b) == (pytest.approx(oracle(y, a)), pytest.approx(oracle(y, b)))
        assert (r.positive, r.positive_inferred) == (None, False)
        assert "positive class" not in str(r)
        texts = cw.compare([str(x) for x in y], a, b, measure=name, test="paired_t")  # as files give them
        assert texts.difference == pytest.approx(r.difference)
    # two classes keep their meaning: the positive class is 1 and the other 0, whatever they are called
    y = rng.integers(0, 2, 80)
    p = rng.random(80)
    for labels in (y, np.where(y, 7, 3), np.where(y, "spam", "ham")):
        positive = {"positive": labels[y == 1][0]} if labels is not y else {}
        assert cw.estimate(labels, p, measure="mae", n_resamples=1, **positive).estimate == pytest.approx(
            np.abs(p - y).mean()
        )
    many = rng.integers(0, 4, 80)
    one = cw.estimate(many, p, measure="mse", positive=2, n_resamples=1)
    assert one.estimate == pytest.approx(((p - (many == 2)) ** 2).mean())
    assert one.positive == "2"
