"""The short form of `python -m proof.soak`, whose full form is an hour."""

import numpy as np
import pytest
from scipy.stats import linregress

from proof.soak import growth_in_an_hour, work_of


def test_growth_is_the_slope_of_a_line():
    rng = np.random.default_rng(1)
    seconds, sizes = np.arange(50.0), 10**8 + np.arange(50) * 1000 + rng.integers(0, 500, 50)
    expected = 3600 * linregress(seconds, sizes).slope
    assert growth_in_an_hour(list(seconds), list(sizes)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.study
def test_every_kind_of_work_can_be_done_again(tmp_path):
    """What fails there would be left out of the hour."""
    for kind in work_of(tmp_path).values():
        assert kind(np.random.default_rng(1)) is not None
