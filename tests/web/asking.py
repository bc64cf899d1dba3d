"""A page to ask, with jobs in processes of their own or, much more quickly, in this one."""

from __future__ import annotations

import asyncio
import contextlib
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from clearwin.cli import main
from clearwin.web.app import make_app
from clearwin.web.refusals import Limits
from clearwin.web.worker import work as do_job
from tests.hostile import BASE

SHIPPED = Path(str(files("clearwin"))) / "data" / "shipped"
EIGHTS = {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight", "seed": "2004"}
LONG = {**EIGHTS, "example": "scores", "measure": "average_precision", "test": "bootstrap", "n_resamples": "2000000"}
HOSTILE = [*BASE, *(f"x {name}" for name in BASE), *(f'"{name}' for name in BASE)]


def form(settings):
    """Return multipart fields: httpx sends them so even without files."""
    return [(name, (None, value)) for name, value in settings.items()]


@contextlib.asynccontextmanager
async def page(**limits):
    app = make_app(Limits(**limits))
    transport = httpx.ASGITransport(app)
    client = httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60)
    async with app.router.lifespan_context(app), client:
        yield client, app


def asking(work, *, in_process=False, **limits):
    """Run ``work(client, app)`` with a page of its own, whose jobs are processes or, much more quickly, are not."""

    async def run():
        async with page(**limits) as (client, app):
            if in_process:
                app.state.pool.processes = InProcess()
            return await work(client, app)

    return asyncio.run(run())


class InProcess:
    """Does the jobs in this process, without limits and one after the other, for they change its folder."""

    def __init__(self):
        self.free = asyncio.Lock()

    async def run(self, id, verb, folder, seconds):
        (folder / "scratch").mkdir()
        async with self.free:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("clearwin.web.worker._limit_myself", lambda limits: None)
                return await asyncio.to_thread(do_job, verb, folder)

    async def warm_up(self):
        """Nothing has to be loaded."""

    async def close(self):
        """No process is left."""


async def until(client, job, *states):
    for _ in range(600):
        now = (await client.get(f"/api/jobs/{job}")).json()
        if now["state"] in states:
            return now
        await asyncio.sleep(0.05)
    raise AssertionError(now)


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def words_of(answer, status):
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) - {"field"} == {"what", "expected", "next"}
    return f"{error['what']} {error['expected']} {error['next']}"


def command(*words):
    answer = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


async def _shown(client, sent):
    job = (await client.post("/api/compare?wait=false", files=sent)).json()["id"]
    await until(client, job, "done")
    return (await client.get(f"/jobs/{job}/shown")).text
