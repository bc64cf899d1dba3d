"""Figures are kept with the commit and version they are of."""

import json

import clearwin
from proof.record import STARTED, Row, write


def test_rows_are_written_in_place_of_the_last_ones(tmp_path):
    row = Row("inputs", 7, "0 wrong", "0 wrong", True, seed=3, seconds=1.26)
    write("fuzz", [row, row], tmp_path)
    file = write("fuzz", [row], tmp_path)
    [kept] = json.loads(file.read_text())
    assert kept == {
        "name": "fuzz",
        "what": "inputs",
        "tried": 7,
        "figure": "0 wrong",
        "band": "0 wrong",
        "met": True,
        "seed": 3,
        "seconds": 1.3,
        "commit": STARTED,
        "version": clearwin.__version__,
    }
