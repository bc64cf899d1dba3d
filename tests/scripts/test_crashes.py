"""The short form of `python -m proof.crashes`, whose full form is 200 kills and every byte."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.skipif(sys.platform != "linux", reason="copies of a process, and limits on what it may do")
def test_nothing_is_lost_when_runs_are_killed(tmp_path):
    words = [sys.executable, "-m", "proof.crashes", "--count", "3", "--only", "kills", "--into", str(tmp_path)]
    done = subprocess.run(words, cwd=SCRIPTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "crashes.json").read_text(encoding="utf-8"))
    assert len(rows) == 3
    assert all(row["met"] and row["tried"] >= 1 and row["figure"].startswith("0 lost or wrong") for row in rows)
