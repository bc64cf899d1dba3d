"""Whatever is given as data becomes a table."""

import json

import pandas as pd
import pytest

import clearwin as cw
from clearwin.errors import DataError, OptionError
from clearwin.reading.frame_table import FrameTable
from clearwin.reading.opening import opened

COUNTS = {"e1": 40, "e2": 9, "e3": 3, "e4": 8, "e5": 5, "e6": 2, "e7": 4, "e8": 129}
FRAME = pd.DataFrame({"y": [1, 0, 1, 0], "svm": [1, 0, 0, 0], "rbf": [1, 1, 1, 0]})


def test_a_frame_and_a_table_are_taken():
    with opened(FRAME) as table:
        assert isinstance(table, FrameTable)
        assert table.known() == ["y", "svm", "rbf"]
        with opened(table) as again:
            assert again is table


def test_a_file_of_counts_is_their_counts(tmp_path):
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(COUNTS))
    asked = {"n_resamples": 30, "rng": 1}
    assert cw.compare(data=path, **asked).to_json() == cw.compare(cw.JointCounts(**COUNTS), **asked).to_json()
    with pytest.raises(OptionError, match="holds counts, without columns"):
        cw.compare(data=path, a="svm", **asked)


def test_what_is_no_data_is_refused():
    with pytest.raises(DataError, match="is not a frame"):
        cw.compare(data=3, truth="y", a="svm", b="rbf")
    with pytest.raises(OptionError, match="id joins files"):
        cw.compare(data=FRAME, id="doc", truth="y", a="svm", b="rbf")
