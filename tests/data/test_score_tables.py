"""Tables of scores: arrays, mappings, frames and files with one row for each data set."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clearwin as cw
from tests.analyses.many_data_sets import TABLE


def test_arrays_mappings_and_frames_are_the_same():
    few = TABLE[:6]
    columns = dict(zip("ABCD", few.T, strict=True))
    named = {"data": [f"set {i}" for i in range(6)], **columns}
    r = cw.rank_data_sets(few, n_resamples=99, rng=1)
    assert cw.rank_data_sets(columns, n_resamples=99, rng=1) == r
    assert cw.rank_data_sets(pl.DataFrame(columns), n_resamples=99, rng=1) == r
    assert cw.rank_data_sets(pd.DataFrame(columns), n_resamples=99, rng=1) == r
    for frame in (pd.DataFrame(named), pl.DataFrame(named), pd.DataFrame(named).set_index("data")):
        found = cw.rank_data_sets(frame, n_resamples=99, rng=1)
        assert (found.data_sets[5], found.pairs, found.names) == ("set 5", r.pairs, tuple("ABCD"))
    assert (
        cw.rank_data_sets(few, names=["w", "x", "y", "z"], baseline="x", n_resamples=99, rng=1).pairs[0].name_a == "x"
    )


def test_columns_that_are_no_models():
    from decimal import Decimal

    import pandas as pd

    frame = pd.DataFrame({name: np.random.default_rng(1).random(12) for name in ("nbc", "aode", "j48")})
    for kind in (object, lambda x: x.map(lambda v: Decimal(str(v)))):
        turned = frame.assign(j48=frame.j48.astype(object) if kind is object else kind(frame.j48))
        assert cw.rank_data_sets(turned, n_resamples=50, rng=1).names == ("nbc", "aode", "j48")
    for rows in (np.arange(12), np.arange(1, 13)):
        with pytest.raises(cw.errors.DataError, match="counts the rows"):
            cw.rank_data_sets(frame.assign(id=rows))
    with pytest.raises(cw.errors.OptionError, match="higher_is_better"):
        cw.rank_data_sets(frame, higher_is_better="no")
    with pytest.raises(cw.errors.DataError, match="masked"):
        cw.rank_data_sets(np.ma.array(frame.to_numpy(), mask=frame.to_numpy() > 0.9))
