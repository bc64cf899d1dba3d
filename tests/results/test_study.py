"""The record of a study as tables and JSON."""

import csv
import io
import json

import pytest

import clearwin as cw
from tests.simulation.asked import by_default, correlated


def test_tables_are_csv():
    s = by_default()
    for table in ("confidence", "size", "coverage", "power", "detectable", "needed", "calibration"):
        rows = list(csv.DictReader(io.StringIO(s.to_csv(table))))
        assert len(rows) == len(getattr(s, table))
        assert rows[0]["category_set"] == "all"
    with pytest.raises(cw.errors.UnknownNameError, match="coverage"):
        s.to_csv("coverge")


def test_names_are_text_and_the_record_is_json():
    s = cw.study(*correlated(), test_size=50, n_sets=4, names=("a\x1b[2J", "<b>"), n_resamples=19, rng=1)
    assert "\x1b" not in str(s)
    found = json.loads(s.to_json())
    assert found["power"][0]["category_set"] == "all"
    assert set(found) >= {"confidence", "size", "coverage", "power", "calibration", "signature"}
    assert "auto" in s.verdict()
