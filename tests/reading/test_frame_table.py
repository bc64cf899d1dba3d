"""Frames as tables: what is counted where the rows are."""

import numpy as np
import pandas as pd

from clearwin.data.reading import Reading
from clearwin.measures import find
from clearwin.reading.frame_table import FrameTable

RNG = np.random.default_rng(14)
DECISIONS = {name: RNG.integers(0, 2, 60) for name in ("y", "svm", "rbf")}
COLUMNS = DECISIONS | {f"score_{name}": RNG.random(60) for name in ("svm", "rbf")}
COLUMNS |= {f"{name}_{i}": RNG.integers(0, 2, 60) for name in ("gold", "a", "b") for i in range(3)}


def test_a_frame_is_counted_only_if_every_column_is_named():
    frame, how = pd.DataFrame(COLUMNS), Reading()
    assert FrameTable(frame).counts("y", {"a": "svm", "b": "rbf"}, find("accuracy"), how)
    assert not FrameTable(frame).counts("y", {"a": "svm", "b": DECISIONS["rbf"]}, find("accuracy"), how)
    assert not FrameTable(frame).counts("y", {"a": "score_svm", "b": "score_rbf"}, find("auc"), how)


def test_label_columns_are_counted_only_as_they_stand():
    columns = {name: [f"{name}_{i}" for i in range(3)] for name in ("gold", "a", "b")}
    asked, table = {"truth": columns["gold"], "a": columns["a"], "b": columns["b"]}, FrameTable(pd.DataFrame(COLUMNS))
    assert table.label_sets(asked, Reading()) is not None
    for how in (Reading(positive=1), Reading(separator=","), Reading(missing="drop")):
        assert table.label_sets(asked, how) is None


def test_models_are_called_by_their_columns_if_these_differ():
    table, how = FrameTable(pd.DataFrame(COLUMNS)), Reading()
    assert table.names("y", {"a": "svm", "b": "rbf"}, how) == ("svm", "rbf")
    assert table.names("y", {"a": "svm", "b": "svm"}, how) == ("A", "B")
    assert table.names("y", {"a": ["a_0", "a_1"]}, how) == ("A",)
