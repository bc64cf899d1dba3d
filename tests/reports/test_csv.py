"""Tables as CSV: one row for each record, and a spreadsheet only shows what a name says."""

import csv
import dataclasses
import io

import numpy as np
import pytest

import clearwin as cw
from clearwin.reports.csv import csv_cell
from tests.hostile import FORMULA
from tests.one_of_each import MAKERS
from tests.reports.pages import every_kind


@every_kind
def test_tables_are_written_as_csv_where_there_are_some(results, kind):
    r = results[kind]
    if any(getattr(r, table) for table in r.tables):
        rows = list(csv.reader(io.StringIO(r.to_csv())))
        assert len(rows) - 1 == len(getattr(r, "power" if kind == "study" else r.tables[0]))
        with pytest.raises(cw.errors.UnknownNameError, match="nowhere"):
            r.to_csv("nowhere")
    else:
        with pytest.raises(cw.errors.NotApplicableError, match=f"This {type(r).__name__} has no table"):
            r.to_csv()


def test_cells_that_look_like_formulas():
    for name in FORMULA:
        cell = csv_cell(name)
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "＝"))
        assert cell.removeprefix("'") == name.removeprefix("'") or cell == name
    for name in ("\ufeff=1", "\u200b=1", "\x00=1", "\xa0 \u2066+1"):
        assert csv_cell(name) == f"'{name}"
    assert type(csv_cell(np.float32(-0.5))) is np.float32
    assert csv_cell(-0.5) == -0.5
    assert csv_cell(np.float64(-0.25)) == -0.25


@pytest.mark.parametrize("kind", ["leaderboard", "per_class", "data_sets"])
def test_tables_as_csv(kind):
    names = ('=cmd|"x"', "-2,\n;@SUM(A1)")
    result = MAKERS[kind](names=names)
    head, *rows = csv.reader(io.StringIO(result.to_csv(), newline=""))
    records = {"leaderboard": "models", "per_class": "classes", "data_sets": "pairs"}[kind]
    found = getattr(result, records)
    assert len(rows) == len(found)
    for row, record in zip(rows, found, strict=True):
        cells = dict(zip(head, row, strict=True))
        for field in dataclasses.fields(record):
            value = getattr(record, field.name)
            if isinstance(value, float):
                assert float(cells[field.name]) == value
            if isinstance(value, str):
                assert cells[field.name].removeprefix("'") == value
        assert float(cells["interval_low"]) == record.interval.low
        assert not any(cell.startswith(("=", "@")) for cell in row)
