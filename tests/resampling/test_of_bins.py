"""Replicates of binned scores: multinomial over the cells of a grid."""

import numpy as np
import polars as pl
import pytest

from clearwin.data.binned_scores import bin_scores
from clearwin.data.questions import Options, Question
from clearwin.errors import NotApplicableError
from clearwin.measures import find
from clearwin.resampling.bootstrap import draw, left_out
from clearwin.streams import Seed

ROLES = {"a": "a", "b": "b"}


def question(rows: pl.DataFrame, measure: str = "auc", n: int = 500) -> Question:
    return Question(bin_scores(rows, "y", ROLES, 2**20), find(measure), Options(n_resamples=n, seed=Seed(1)))


def few_scores(n: int = 400) -> pl.DataFrame:
    """Ten different scores, so that every bin and every cell is exact."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, n)
    return pl.DataFrame({"y": y, "a": rng.integers(0, 9, n) + y, "b": rng.integers(0, 9, n) + 2 * y})


def test_replicates_vary_as_delong_says() -> None:
    """DeLong's variance and that of 2,000 replicates, whose standard deviation is known to 1.6 %: four of these."""
    asked = question(few_scores(), n=2_000)
    spread = np.std(draw(asked).differences) / np.sqrt(asked.sample.area_variance)
    assert 0.93 < spread < 1.07


def test_replicates_are_centred_on_the_estimates() -> None:
    for name in ("auc", "eer", "average_precision"):
        asked = question(few_scores(), name)
        drawn = draw(asked)
        error = 4 * drawn.values.std(axis=1) / np.sqrt(500)
        bias = np.abs(np.median(drawn.values, axis=1) - asked.estimates)
        assert (bias < 2 * error).all()


def test_a_class_that_some_replicates_lack() -> None:
    rows = pl.DataFrame({"y": [1, 0, 0, 0], "a": [0.9, 0.1, 0.2, 0.3], "b": [0.8, 0.1, 0.2, 0.9]})
    drawn = draw(question(rows))
    assert 0 < drawn.undefined < 500  # (3/4)⁴ of them lack the positive item
    assert abs(drawn.undefined / 500 - (0.75**4 + 0.25**4)) < 0.09
    assert not np.isnan(drawn.values).any()


def test_nothing_can_be_left_out() -> None:
    with pytest.raises(NotApplicableError, match="counted in bins"):
        left_out(question(few_scores()))
