"""Receiving files: counted while they stream, under harmless names, slowly or quickly."""

from __future__ import annotations

import asyncio
import gzip
import html
import re
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clearwin.errors import FileError
from clearwin.web.refusals import MIB, Limits
from clearwin.web.uploads import Upload, as_chosen, harmless
from tests.web.asking import HOSTILE, SHIPPED, _shown, asking, form, words_of


def test_too_large_by_the_header_while_streaming_and_when_unpacked(tmp_path, shared):
    async def endless():
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="p.csv"\r\n\r\n'
        for _ in range(100):
            yield b"y" * 100_000

    told = {"content": b"x" * (MIB + 1), "headers": {"content-type": "application/json"}}
    assert "1 MiB" in words_of(shared(lambda c: c.post("/api/compare", **told)), 413)
    kind = {"content-type": "multipart/form-data; boundary=x"}
    streamed = shared(lambda c: c.post("/api/compare", content=endless(), headers=kind))
    assert "content-length" not in streamed.request.headers
    assert "1 MiB" in words_of(streamed, 413)

    bomb = gzip.compress(b"y,a,b\n" + b"1,1,1\n" * 4_000_000)
    assert len(bomb) < 50_000
    pq.write_table(pa.table({"y": [1] * 50_000, "a": [1] * 50_000, "b": [0] * 50_000}), tmp_path / "p.parquet")
    rows = (tmp_path / "p.parquet").read_bytes()

    async def work(client, app):
        sent = [("bomb.csv.gz", bomb), ("p.parquet", rows)]
        answers = [await client.post("/api/compare", files=[("files", file)]) for file in sent]
        return answers, len(list(app.state.pool.root.rglob("*.gz")))

    (zipped, parquet), left = asking(work, in_process=True, unpacked=4 * MIB, rows=10_000)
    assert "bomb.csv.gz holds more than 4 MiB" in words_of(zipped, 413)
    assert "p.parquet declares 50,000 rows" in words_of(parquet, 413)
    assert left == 0


def test_slow_uploads_keep_nobody_from_the_jobs():
    async def trickle():
        yield b"--x\r\n"
        await asyncio.sleep(30)

    async def work(client, app):
        kind = {"content-type": "multipart/form-data; boundary=x"}
        slow = [asyncio.create_task(client.post("/api/compare", content=trickle(), headers=kind)) for _ in range(4)]
        while len(app.state.pool.jobs) < 4:
            await asyncio.sleep(0.01)
        fine = await client.post("/api/columns", files=form({"example": "eights"}))
        done, still = await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
        dropped = [task.result() for task in done]
        for task in still:
            task.cancel()
        await asyncio.gather(*still, return_exceptions=True)
        return fine, dropped, len(still), dict(app.state.pool.jobs)

    fine, dropped, still, jobs = asking(work, in_process=True, workers=1, queue=0, receiving=4, slow_seconds=0.1)
    assert fine.status_code == 200
    assert still == 3
    assert "came slowly while others waited" in words_of(dropped[0], 408)
    assert jobs == {}


def test_uploads_that_come_quickly_are_not_dropped_for_others():
    async def steady():
        for _ in range(200):
            yield b"x" * 10_000
            await asyncio.sleep(0.01)

    async def work(client, app):
        kind = {"content-type": "application/json"}
        quick = asyncio.create_task(client.post("/api/compare", content=steady(), headers=kind))
        while not app.state.pool.jobs:
            await asyncio.sleep(0.01)
        full = await client.post("/api/columns", files=form({"example": "eights"}))
        received = quick.done()
        quick.cancel()
        await asyncio.gather(quick, return_exceptions=True)
        return full, received

    full, received = asking(work, receiving=1, slow_seconds=0.1)
    assert "1 requests are being received" in words_of(full, 429)
    assert not received


def test_what_has_come_whole_is_not_slow():
    """Of 200 clients on a busy machine 18 were told to send faster what the server had received already."""
    upload = Upload()
    upload.began -= 10.0
    upload.clock, upload.length = asyncio.Timeout(None), 900
    upload.received = 899
    assert upload.is_slow(Limits())
    upload.received = 900
    assert not upload.is_slow(Limits())


def test_a_broken_form_writes_nothing_on_the_terminal(shared, caplog):
    sent = {"content": b"xx", "headers": {"content-type": "multipart/form-data; boundary=x"}}
    assert "The form cannot be read" in words_of(shared(lambda c: c.post("/api/compare", **sent)), 422)
    assert caplog.records == []


def test_uploaded_names_stay_in_their_folder():
    taken = []
    for name in [*HOSTILE, *HOSTILE, "-", "x" * 3000]:
        kept = harmless(f"{name}.csv", taken)
        taken.append(kept)
        assert Path(kept).name == kept
        assert kept.isprintable()
        assert not kept.startswith(".")
        assert len(kept.encode()) < 150
    assert len(set(taken)) == len(taken)
    for name in ("matplotlibrc", "numpy.py", ".csv", "", "x.csv/..", "a.csv\x00.py", ".numba_config.yaml"):
        with pytest.raises(FileError):
            harmless(name, [])
    assert harmless("gold.v2.csv.gz", ["gold.v2.csv.gz"]) == "gold.v2-2.csv.gz"


def test_a_file_is_called_as_its_owner_does_or_it_is_said():
    """A browser sends a double quote as %22; the command has to find the file all the same."""
    name = "<b>x'%22&.csv"
    assert as_chosen(name) == "<b>x'\"&.csv"

    async def work(client, _):
        rows = b"truth,a,b\n" + b"1,0,1\n0,0,0\n" * 9
        settings = form({"truth": "truth", "a": "a", "b": "b", "seed": "1", "positive": "1"})
        return [await _shown(client, [("files", (n, rows)), *settings]) for n in (name, "a\u202eb.csv")]

    quoted, turned = (html.unescape(text) for text in asking(work, in_process=True))
    command = re.search(r"<pre[^>]*>(.*?)</pre>", quoted, re.DOTALL)[1]
    assert shlex.split(command)[2] == as_chosen(name)
    assert "is called" not in quoted
    assert "b.csv is called a_b.csv here. Rename or copy it" in turned


def test_the_shipped_scores_make_the_shipped_decisions():
    scores, labels = (
        [line.split(",") for line in (SHIPPED / name).read_text().splitlines()[1:]]
        for name in ("digits_eight_scores.csv", "digits_eight.csv")
    )
    decided = [[i, t, *("eight" if float(x) > 0 else "other" for x in models)] for i, t, *models in scores]
    assert decided == labels
