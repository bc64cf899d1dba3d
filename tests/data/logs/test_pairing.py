"""The same items side by side, and what is said of logs."""

from __future__ import annotations

import unicodedata

import pytest

import clearwin as cw
from clearwin.errors import OptionError
from tests.data.logs.made import lm_eval_line, lm_eval_run


@pytest.fixture
def runs(tmp_path):
    for name in "abc":
        lm_eval_run(tmp_path / name, [lm_eval_line(i, {"acc": float(i % 3 > 0)}) for i in range(80)])
    return cw.logs.read(*(tmp_path / name for name in "abc"))


def test_what_is_read_is_told(runs, tmp_path):
    assert str(runs) == "lm-evaluation-harness samples: a against b against c on 80 items"
    told = cw.logs.describe(tmp_path / "a", tmp_path / "b")
    assert told.splitlines()[:4] == [
        "lm-evaluation-harness samples",
        "a",
        "  task     quiz, filter none",
        f"  file     {tmp_path / 'a' / 'samples_quiz_2026-01-16T20-57-28.313639.jsonl'}",
    ]
    assert told.endswith("Paired: a against b on 80 items")
    assert cw.logs.describe(tmp_path / "a").startswith("lm-evaluation-harness samples\na\n"), "of one system, too"
    lm_eval_run(tmp_path / "d", [lm_eval_line(i, {"acc": 1.0}) for i in range(70)])
    assert "Not paired: 10 answers are not in all runs" in cw.logs.describe(tmp_path / "a", tmp_path / "d")


def test_every_task_has_its_own_filters(tmp_path):
    """A filter is chosen where a task has several; the only one of another task is kept."""
    for name in "xy":
        for task, filters in (("gsm8k", ("strict", "loose")), ("arc", ("none",))):
            lines = [lm_eval_line(i, {"acc": 1.0}, filter=one) for one in filters for i in range(5)]
            lm_eval_run(tmp_path / name, lines, task=task, results=False)
    with pytest.raises(OptionError, match="The log of gsm8k by x has 2 filters: loose, strict"):
        cw.logs.read(tmp_path / "x", tmp_path / "y")
    assert cw.logs.read(tmp_path / "x", tmp_path / "y", filter="strict").n == 10


def test_items_of_logs_are_paired_as_unicode_says(tmp_path):
    for name, form in (("x", "NFC"), ("y", "NFD")):
        ids = [unicodedata.normalize(form, f"S\u00e3o {i}") for i in range(5)]
        lines = [lm_eval_line(i, {"acc": 1.0}, doc_id=item, target_hash=item) for i, item in enumerate(ids)]
        lm_eval_run(tmp_path / name, lines)
    assert cw.logs.read(tmp_path / "x", tmp_path / "y").n == 5
