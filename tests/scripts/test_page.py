"""The short form of `python -m proof.page`, whose full form is 50 and 200 clients for a minute each and 500 jobs."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from proof.page import Seen, as_program, load, percentile, served

SCRIPTS = Path(__file__).parents[2] / "scripts"
pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")


@pytest.mark.study
def test_many_clients_get_answers_or_are_told_to_wait():
    with served() as (pid, url):
        seen = asyncio.run(load(pid, url, 50, 1.0, as_program))
    assert set(seen.statuses) == {200}  # there is a place for each of so many
    assert seen.peak < 2**30


def test_foreign_names_and_pages_are_refused_by_the_server_itself(tmp_path):
    """Over a real connection, because a client in the same process would put strange hosts in order."""
    words = [sys.executable, "-m", "proof.page", "--only", "foreign", "--into", str(tmp_path)]
    done = subprocess.run(words, cwd=SCRIPTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    assert [row["figure"].partition(" (")[0] for row in rows] == ["0 were not refused"] * 2


def test_percentiles_and_faults():
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    seen = Seen()
    seen.statuses.update([200, 429, 500, 503])
    assert seen.faults == 2
