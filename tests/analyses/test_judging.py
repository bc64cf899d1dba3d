"""From a question to its record: the design effect of groups."""

import numpy as np
import pytest

import clearwin as cw
from tests.two_models import two


@pytest.mark.parametrize("measure", ["accuracy", "f1", "macro_f1"])
def test_the_design_effect_of_groups_of_one_is_1(measure):
    y, a, b = two()
    for strata in (None, np.arange(200) // 2, np.arange(200) // 20):
        r = cw.compare(y, a, b, measure=measure, groups=np.arange(200), strata=strata, n_resamples=50, rng=1)
        assert r.sampling.design_effect == pytest.approx(1.0, abs=1e-9)


def test_the_design_effect_of_label_sets_and_values_in_groups_of_one_is_1():
    y, a, b = two()
    truth, c, d = (np.stack([x, 1 - x, y], axis=1) for x in (y, a, b))
    for size in (5, 20):
        sets = cw.compare(truth[:size], c[:size], d[:size], measure="hamming_loss", groups=range(size), n_resamples=50)
        assert sets.sampling.design_effect == pytest.approx(1.0, abs=1e-9)
    values = cw.compare(None, a, b, measure="mean", groups=np.arange(200), strata=np.arange(200) // 4, n_resamples=50)
    assert values.sampling.design_effect == pytest.approx(1.0, abs=1e-9)


def test_a_class_in_one_group_is_no_division_by_zero():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 10)
    y = (group == 0) * 1
    a, b = rng.normal(size=(2, 300))
    for test in ("auto", "bootstrap"):
        r = cw.compare(y, a, b, measure="auc", groups=group, test=test, n_resamples=99, rng=1)
        assert r.sampling.design_effect is None
    assert cw.estimate(y, a, measure="auc", groups=group, n_resamples=99, rng=1).sampling.design_effect is None
    assert cw.compare([0, 1], [0.1, 0.2], [0.3, 0.2], measure="auc", groups=[0, 1], rng=1).p_value == 0.5
