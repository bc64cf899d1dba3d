"""Tables as CSV that are safe in a spreadsheet: what begins like a formula stays text, numbers stay numbers."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterable
from numbers import Real
from typing import Any

# Spreadsheets read a cell that begins with one of these as a formula, in full-width forms, too.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def csv_cell(value: Any) -> str | float:
    """Return a cell: a number as it is, a text that begins like a formula with an apostrophe before it.

    >>> csv_cell("=1+1"), csv_cell("svm"), csv_cell(-0.5), csv_cell(None)
    ("'=1+1", 'svm', -0.5, '')
    """
    if isinstance(value, Real):  # numpy's numbers, too
        return value  # type: ignore[return-value]
    text = "" if value is None else str(value)
    # Spreadsheets skip invisible characters and find the formula behind them.
    visible = "".join(c for c in text if c.isprintable()).lstrip()
    return f"'{text}" if visible.startswith(FORMULA) or text.startswith(("\t", "\r", "\n")) else text


def csv_table(records: Iterable[Any], kind: type | None = None) -> str:
    """Return records as CSV, a column for each field; an interval takes several. Every text is in quotes.

    Without records, the titles are written if their ``kind`` is given.

    >>> from clearwin.numerics.intervals import Interval
    >>> print(csv_table([Interval(-0.1, 0.4, 0.95, "wald")]).strip())
    "low","high","level","method","side"
    -0.1,0.4,0.95,"wald","two-sided"
    """
    rows = [_flat(record) for record in records]
    written = io.StringIO(newline="")
    # Quoted texts stay whole where semicolons separate cells. Line ends follow RFC 4180.
    sheet = csv.writer(written, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    sheet.writerow(map(csv_cell, rows[0] if rows or kind is None else [f.name for f in dataclasses.fields(kind)]))
    sheet.writerows([csv_cell(value) for value in row.values()] for row in rows)
    return written.getvalue()


def _flat(record: Any) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if dataclasses.is_dataclass(value):
            cells |= {f"{field.name}_{name}": inner for name, inner in _flat(value).items()}
        else:
            cells[field.name] = value
    return cells
