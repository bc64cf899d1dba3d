"""The page of benchmarks has every case, and a reason wherever a target is missed."""

import bench
import benchmarks_page


def test_every_target_is_met_or_explained():
    figures = bench.kept()
    reasons = {case.name: case.explained for case in bench.CASES}
    missed = {name for name, found in figures.items() if any(row["met"] is False for row in found["rows"])}
    assert {name for name in missed if not reasons[name]} == set()


def test_a_case_that_was_not_measured_says_so(monkeypatch):
    row = {"what": "clearwin", "measured": "2.00 s", "met": False}
    monkeypatch.setattr(bench, "kept", lambda: {"logs": {"commit": "abc", "with": "Python", "rows": [row]}})
    table = benchmarks_page.targets()
    assert "| clearwin | 2.00 s | **missed** |" in table
    assert table.count("| not measured yet | | |") == len(bench.CASES) - 1
    assert "- Python; commit abc: `logs`" in table
