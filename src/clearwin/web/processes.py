"""The processes of jobs: copies of one that has everything loaded, or started anew where that cannot be."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

COPIES = sys.platform == "linux"  # elsewhere the system's libraries may not survive being copied
KILLED, FAILED = -9, 1


class Processes:
    """Runs jobs, each in a process of its own; must be made and used inside one event loop."""

    def __init__(self) -> None:
        self._warm: Process | None = None
        self._ends: dict[str, asyncio.Future[int]] = {}
        self._listener: asyncio.Task[None] | None = None
        self._loading = asyncio.Lock()

    async def run(self, id: str, verb: str, folder: Path, seconds: float) -> int:
        """Let a job work and return its exit code, or minus the signal; whatever happens meanwhile, it is gone then.

        Raises ``TimeoutError`` after so many seconds.
        """
        (folder / "scratch").mkdir(exist_ok=True)
        if not COPIES:
            return await _anew(verb, folder, seconds)
        await self.warm_up()
        end = self._ends[id] = asyncio.get_running_loop().create_future()
        self._order(start=id, verb=verb, folder=str(folder))
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(end)
        finally:
            if not end.done():
                self._order(kill=id)
                await asyncio.shield(end)

    async def warm_up(self) -> None:
        """Start the process that the others are copies of, unless it is there."""
        if not COPIES:
            return
        async with self._loading:
            if self._warm is None:
                # -P: never import from a folder that holds what others sent. Its own session: Ctrl-C is for the server
                self._warm = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", "clearwin.web.warm"),
                    env=_environment(),
                    stdin=PIPE,
                    stdout=PIPE,
                    start_new_session=True,
                )
                self._listener = asyncio.create_task(self._listen(self._warm))

    def _order(self, **order: str) -> None:
        if self._warm is not None and self._warm.stdin is not None:
            self._warm.stdin.write(json.dumps(order).encode() + b"\n")

    async def _listen(self, warm: Process) -> None:
        """Take note of the jobs that have ended; if the process that they are copies of is gone, they all have."""
        assert warm.stdout is not None
        loaded = False
        while line := await warm.stdout.readline():
            told = json.loads(line)
            loaded = True
            if told:
                self._ends.pop(told["id"]).set_result(told["code"])
        self._warm = None
        for end in self._ends.values():
            end.set_result(KILLED if loaded else FAILED)
        self._ends.clear()
        await warm.wait()

    async def close(self) -> None:
        """End them all, at once."""
        if self._warm is not None and self._warm.stdin is not None:
            self._warm.stdin.close()
            with contextlib.suppress(ProcessLookupError):
                self._warm.kill()
        if self._listener is not None:
            await self._listener


async def _anew(verb: str, folder: Path, seconds: float) -> int:
    with (folder / "stderr").open("wb") as complaints:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "clearwin.web.job", verb, str(folder)),
            env=_environment() | {"TMPDIR": str(folder / "scratch")},
            stdin=PIPE,
            stdout=DEVNULL,
            stderr=complaints,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(seconds):
            return await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(process.wait())
        if process.stdin is not None:
            process.stdin.close()


def _environment() -> dict[str, str]:
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
