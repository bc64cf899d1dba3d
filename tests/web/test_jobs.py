"""Jobs: each in its own process, a few at a time, some waiting, and results kept for a while."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from clearwin.web.jobs import Pool
from clearwin.web.refusals import BusyError, Limits
from tests.web.asking import EIGHTS, LONG, SHIPPED, asking, children_of, form, until, words_of


def jobs_of(app):
    """Return the processes of all jobs."""
    warm = app.state.pool.processes._warm
    return [] if warm is None else children_of(warm.pid)


def test_what_was_sent_is_gone_when_the_job_is_over(compared):
    assert compared["left"] == []
    there, answer = compared["gone"]
    assert not there
    words_of(answer, 404)


def test_a_full_queue_refuses_and_cancelling_kills_the_process():
    async def work(client, app):
        job = (await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"]
        full = await client.post("/api/compare", files=form(LONG))
        while "done" not in (now := await until(client, job, "running")):
            await asyncio.sleep(0.05)
        early = await client.get(f"/api/jobs/{job}/result")
        [process] = jobs_of(app)
        assert any((app.state.pool.root / job / "input").iterdir())
        after = (await client.delete(f"/api/jobs/{job}")).json()
        gone = not Path(f"/proc/{process}").exists()
        left = list((app.state.pool.root / job / "input").iterdir())
        result = await client.get(f"/api/jobs/{job}/result")
        next_one = await client.post("/api/columns", files=form({"example": "eights"}))
        return full, now, early, after, gone, left, result, next_one, app.state.pool.root

    full, now, early, after, gone, left, result, next_one, root = asking(work, workers=1, queue=0)
    assert "1 long jobs are under way" in words_of(full, 429)
    assert int(full.headers["retry-after"]) > 0
    assert now["stage"] == "drawing replicates"
    assert 0 < now["done"] < now["total"]
    assert now["estimate"] > 0
    assert "not finished" in words_of(early, 404)
    assert after["state"] == "cancelled"
    assert (gone, left) == (True, [])
    assert "cancelled" in words_of(result, 410)
    assert next_one.status_code == 200
    assert not root.exists()


def test_short_jobs_do_not_wait_behind_long_ones():
    async def work(client, app):
        long = [(await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"] for _ in range(2)]
        await until(client, long[0], "running")
        short = await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))
        states = [(await client.get(f"/api/jobs/{job}")).json()["state"] for job in long]
        return short.status_code, states

    assert asking(work, workers=1) == (200, ["running", "waiting"])


def test_a_comparison_that_turns_out_to_be_long_moves_over():
    """Sent as JSON, which the server does not read, its two million replicates are not seen before it works."""
    rows = [line.split(",") for line in (SHIPPED / "digits_eight_scores.csv").read_text().splitlines()[1:]]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("id", "truth", "a", "b"))}
    body = {"columns": columns, "positive": "eight", "seed": 1}
    body |= {name: LONG[name] for name in ("measure", "test", "n_resamples")}

    async def work(client, app):
        job = (await client.post("/api/compare?wait=false", json=body)).json()["id"]
        lanes = [app.state.pool.jobs[job].lane]
        short = await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))
        lanes.append(app.state.pool.jobs[job].lane)
        return short.status_code, lanes, (await client.get(f"/api/jobs/{job}")).json()["state"]

    assert asking(work, workers=1, short_seconds=0.05) == (200, ["short", "long"], "running")


def test_a_job_that_is_killed_harms_no_other_and_the_warm_process_can_be_lost():
    async def work(client, app):
        small = form({**EIGHTS, "example": "eights"})
        jobs = [(await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"]]
        await until(client, jobs[0], "running")
        while not jobs_of(app):
            await asyncio.sleep(0.05)
        [first] = jobs_of(app)
        jobs.append((await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"])
        while len(jobs_of(app)) < 2:
            await asyncio.sleep(0.05)
        os.kill(first, signal.SIGKILL)
        killed = await until(client, jobs[0], "refused")
        other = (await client.get(f"/api/jobs/{jobs[1]}")).json()["state"]
        warm = app.state.pool.processes._warm.pid
        threads = len(list(Path(f"/proc/{warm}/task").iterdir()))
        os.kill(warm, signal.SIGKILL)
        lost = await until(client, jobs[1], "refused")
        return killed["error"], other, threads, lost["state"], (await client.post("/api/compare", files=small)).json()

    killed, other, threads, lost, after = asking(work)
    assert "memory" in killed["what"]
    assert (other, lost) == ("running", "refused")
    assert threads == 1  # or copies of it could stand still for ever
    assert "p_value" in after


def test_a_watched_job_ends_when_nobody_asks_and_columns_never_wait_for_comparisons():
    async def work(client, app):
        watched = (await client.post("/api/compare?wait=false&watched=true", files=form(LONG))).json()["id"]
        looked = await client.post("/api/columns", files=form({"example": "eights"}))
        pool = app.state.pool
        await until(client, watched, "running")
        pool.sweep()
        kept = pool.jobs[watched].state
        pool.jobs[watched].asked -= 100
        pool.sweep()
        ended = await until(client, watched, "cancelled")
        unwatched = (await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"]
        asked = pool.jobs[unwatched].asked
        await pool.cancel(pool.jobs[unwatched])  # before it has begun
        return looked.status_code, kept, ended["state"], asked

    looked, kept, ended, unwatched = asking(work, workers=1, queue=0)
    assert (looked, kept, ended, unwatched) == (200, "running", "cancelled", None)


def test_results_are_kept_for_a_while_and_not_too_many():
    async def work():
        pool = Pool(Limits(kept=2, kept_seconds=100.0))
        jobs = [pool.reserve("compare") for _ in range(4)]
        for job in jobs:
            job.end("done")
        pool.sweep()
        few = set(pool.jobs) == {job.id for job in jobs[2:]}
        jobs[2].ended = time.monotonic() - 101
        pool.sweep()
        folders = [path.name for path in pool.root.iterdir()]
        await pool.close()
        return few, folders == [jobs[3].id], pool.root.exists()

    assert asyncio.run(work()) == (True, True, False)


def test_what_ended_last_is_kept_and_looks_push_nothing_out():
    async def work():
        pool = Pool(Limits(kept=2))
        long, *short = [pool.reserve("compare") for _ in range(4)]
        looks = [pool.reserve("columns") for _ in range(3)]
        for i, job in enumerate((*short, long, *looks)):
            job.end("done")
            job.ended += i  # clocks may be coarse
        pool.sweep()
        kept = set(pool.jobs)
        await pool.close()
        return kept == {short[-1].id, long.id, looks[1].id, looks[2].id}

    assert asyncio.run(work())

    async def ask(client, app):
        answer = await client.post("/api/columns", files=form({"example": "eights"}))
        return answer.json()["files"], dict(app.state.pool.jobs)

    files, jobs = asking(ask, in_process=True)
    assert files
    assert jobs == {}


def test_a_place_that_was_taken_while_receiving():
    async def work():
        pool = Pool(Limits(workers=1, short_queue=0))
        first, second = pool.reserve("compare"), pool.reserve("compare")
        first.state = "running"
        with pytest.raises(BusyError, match="1 jobs are under way"):
            pool.start(second)
        first.end("done")
        await pool.close()

    asyncio.run(work())
