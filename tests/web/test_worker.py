"""The process of a job: it dies alone, tells its faults, and imports nothing that was sent."""

from __future__ import annotations

import dataclasses
import json
import re
import selectors
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from clearwin.web.jobs import Job
from clearwin.web.refusals import MIB
from clearwin.web.worker import Nursery
from tests.web.asking import EIGHTS, SHIPPED, asking, form, words_of


def test_a_copy_that_cannot_be_made_is_told_and_the_others_go_on(monkeypatch, tmp_path):
    def full():
        raise OSError(12, "Cannot allocate memory")

    told = []
    monkeypatch.setattr("clearwin.web.worker.os.fork", full)
    monkeypatch.setattr("clearwin.web.worker._tell", told.append)
    nursery = Nursery(selectors.DefaultSelector())
    nursery._start("x", "compare", tmp_path)
    nursery.selector.close()
    assert (told, nursery.jobs) == ([{"id": "x", "code": 1}], {})
    assert "Cannot allocate" in (tmp_path / "stderr").read_text()


def test_an_unknown_fault_of_a_job_is_told_calmly_and_logged(monkeypatch, capfd):
    async def broken(*_):
        raise RuntimeError("secret of the job's inside")

    async def work(client, app):
        pool = app.state.pool
        folder = pool.root / "x"
        folder.mkdir()
        (folder / "limits.json").write_text(json.dumps(dataclasses.asdict(pool.limits)))
        (folder / "task.json").write_text("{}")
        code = await pool.processes.run("x", "no such verb", folder, 60)
        job = Job("compare", folder)
        pool._read_outcome(job, code)
        monkeypatch.setattr(pool.processes, "run", broken)
        return code, job, await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))

    code, job, answer = asking(work)
    logged = capfd.readouterr().err
    assert code == 1
    told = [(job.status, job.error, "KeyError"), (answer.status_code, answer.json()["error"], "secret")]
    for status, error, secret in told:
        assert status == 422
        reference = re.search(r"reference (\w{8})", error["what"])[1]
        assert f"reference {reference}" in logged
        assert secret in logged
        assert "Traceback" in logged
        assert not re.search(r"KeyError|secret|Traceback|\.py", json.dumps(error))


def test_a_job_that_needs_too_much_memory_dies_alone():
    """Two columns of a million and a half numbers, held as texts of 18 letters, do not fit into 256 MiB."""
    table = pa.table({name: pa.array(np.arange(1_500_000) / 7) for name in ("a", "b")})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)

    async def work(client, _):
        hungry = [
            ("files", ("p.parquet", sink.getvalue().to_pybytes())),
            *form({"a": "a", "b": "b", "measure": "mean"}),
        ]
        return await client.post("/api/compare", files=hungry), await client.get("/openapi.json")

    hungry, after = asking(work, memory=256 * MIB)
    assert "more than the 256 MiB of memory" in words_of(hungry, 422)
    assert after.status_code == 200


def test_a_job_never_imports_from_what_was_sent(tmp_path):
    """The same flag that jobs are started with, in a folder with a module that must not be found."""
    (tmp_path / "clearwin_trap.py").write_text("raise SystemExit(7)")
    found = subprocess.run([sys.executable, "-P", "-c", "import clearwin_trap"], cwd=tmp_path, capture_output=True)
    assert b"ModuleNotFoundError" in found.stderr
    source = (SHIPPED.parent.parent / "web" / "jobs.py").read_text(encoding="utf-8")
    assert source.count("sys.executable") == source.count('sys.executable, "-P", "-m", "clearwin.web.') == 2
