"""What several test files of this folder are given."""

from __future__ import annotations

import asyncio
import contextlib
import stat

import pytest

from clearwin.web.refusals import MIB
from tests.web.asking import EIGHTS, SHIPPED, asking, form, page, until


@pytest.fixture(scope="session")
def compared():
    """Compare the shipped scores, sent as a file, and keep everything that the page then offers."""

    async def work(client, app):
        sent = [("files", ("eight scores.csv", (SHIPPED / "digits_eight_scores.csv").read_bytes()))]
        settings = {**EIGHTS, "threshold": "0", "n_resamples": "500", "confidence_level": "0.99"}
        begun = await client.post("/api/compare?wait=false", files=[*sent, *form(settings)])
        assert begun.status_code == 202
        job = begun.json()["id"]
        assert begun.headers["location"] == f"/api/jobs/{job}"
        folder = app.state.pool.root / job
        assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
        found = {"done": await until(client, job, "done"), "left": [p.name for p in (folder / "input").iterdir()]}
        assert stat.S_IMODE((folder / "result.json").stat().st_mode) == 0o600
        paths = ["shown", "report.html", "result.json", "pictures/0.svg", "pictures/1.svg"]
        found |= {path: await client.get(f"/jobs/{job}/{path}") for path in paths}
        found |= {path: await client.get(f"/api/jobs/{job}/{path}") for path in ("result", "thresholds")}
        found["no picture"] = await client.get(f"/jobs/{job}/pictures/99.svg")
        assert (await client.delete(f"/api/jobs/{job}")).json()["state"] == "done"
        found["gone"] = (folder.exists(), await client.get(f"/api/jobs/{job}"))
        return found

    return asking(work)


@pytest.fixture(scope="session")
def shared():
    """One page for many small requests."""
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        client, _ = runner.run(stack.enter_async_context(page(upload=MIB)))
        yield lambda ask: runner.run(_awaited(ask(client)))
        runner.run(stack.aclose())


async def _awaited(coroutine):
    return await coroutine
