"""The record of a gate: exit codes, a table for CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from tests.one_of_each import gate


@pytest.mark.parametrize(("outcome", "code"), [("pass", 0), ("fail", 1), ("undecided", 3)])
def test_exit_codes_are_those_that_pipelines_know(outcome: str, code: int) -> None:
    assert replace(gate(), outcome=outcome).exit_code == code


def test_a_comment_can_be_found_again_and_fits() -> None:
    text = gate().to_markdown()
    assert text.startswith("<!-- clearwin gate -->\n\n### ")
    assert len(text.encode()) <= 65_536


def test_checks_are_rows_of_csv() -> None:
    found = gate()
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["name"] for row in rows] == [check.name for check in found.checks]
