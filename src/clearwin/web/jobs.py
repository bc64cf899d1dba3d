"""The jobs: each in its own process, a few at a time, some waiting, the results kept for a while.

They queue in lanes, so that nobody waits behind work of another size: looks at columns, short comparisons, long ones. A
comparison that turns out to be long changes lanes while it works.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import re
import secrets
import shutil
import sys
import time
import traceback
from asyncio.subprocess import DEVNULL, PIPE, Process
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from clearwin.errors import shortened
from clearwin.web.comparing import MANY
from clearwin.web.folder import held_folder, read_json, write_json
from clearwin.web.refusals import (
    FULL,
    MIB,
    BusyError,
    Limits,
    NoSuchJobError,
    duration,
    fault,
    in_words,
    is_lack_of_room,
    no_room,
    out_of_memory,
)

Verb = Literal["compare", "plan", "columns"]
Lane = Literal["columns", "short", "long"]
State = Literal["receiving", "waiting", "running", "done", "refused", "failed", "cancelled"]
CANCELLED = {"what": "The job was cancelled.", "expected": "", "next": ""}
ENDED = ("done", "refused", "failed", "cancelled")
OUT_OF_MEMORY = re.compile(
    r"(?i)MemoryError|out of ?memory|bad_alloc|(cannot|unable to) allocate|can't start new thread"
)
LARGE = 4 * MIB  # bytes of files; more take seconds to read
COPIES = sys.platform == "linux"  # elsewhere the system's libraries may not survive being copied
KILLED, FAILED = -9, 1


@dataclass(eq=False)
class Job:
    """One request and its outcome; its output is in its folder."""

    verb: Verb
    folder: Path
    only_result: bool = False  # nobody will fetch its pictures
    lane: Lane = "short"
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: State = "receiving"
    status: int = 200
    error: dict[str, str] | None = None
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    task: asyncio.Task[None] | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    asked: float | None = None  # when its client last asked for it, if the client promised to

    def read(self, name: str) -> Any:
        """Return what the job wrote into a JSON file, or None."""
        return read_json(self.folder / name)

    def end(self, state: State, status: int = 200, error: dict[str, str] | None = None) -> None:
        """Set the outcome; the uploads are no longer needed."""
        words = None if error is None else {part: shortened(text) for part, text in error.items()}
        self.state, self.status, self.error, self.ended = state, status, words, time.monotonic()
        for path in (*self.folder.glob("input/*"), *self.folder.glob("scratch/*"), self.folder / "body.json"):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        self.over.set()

    def describe(self) -> dict[str, Any]:
        """Return what a client may know."""
        elapsed = (self.ended or time.monotonic()) - self.began
        found = {"id": self.id, "verb": self.verb, "state": self.state, "elapsed": round(elapsed, 1)}
        if self.error is not None:
            found["error"] = self.error
        if self.state == "running":
            found |= self.read("progress.json") or {"stage": "starting"}
        return found


class Pool:
    """Runs the jobs; must be made and used inside one event loop."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.root, self._lock = held_folder("clearwin-page-")
        self.jobs: dict[str, Job] = {}
        self.processes = Processes()
        slots = {"columns": 1, "short": limits.workers, "long": limits.workers}
        self._slots = {lane: asyncio.Semaphore(most) for lane, most in slots.items()}

    def reserve(self, verb: Verb, *, only_result: bool = False) -> Job:
        """Make a job to receive into, or refuse if its lanes are full."""
        self.sweep()
        lanes: list[Lane] = ["columns"] if verb == "columns" else ["short", "long"]
        if all(self._is_full(lane) for lane in lanes):
            self._refuse(lanes[0])
        job = Job(verb, self.root, only_result)
        job.folder = self.root / job.id
        job.folder.mkdir(mode=0o700)
        self.jobs[job.id] = job
        return job

    def _count(self, lane: Lane) -> int:
        return sum(job.state in ("waiting", "running") and job.lane == lane for job in self.jobs.values())

    def _is_full(self, lane: Lane) -> bool:
        return self._count(lane) >= self.limits.places(lane)

    def _refuse(self, lane: Lane) -> None:
        what = {"columns": "looks at columns", "short": "jobs", "long": "long jobs"}[lane]
        now, expected = self._count(lane), f"at most {self.limits.places(lane)} at the same time"
        raise BusyError(f"{now} {what} are under way or waiting already.", expected, "wait a few seconds and try again")

    def start(self, job: Job) -> None:
        """Run it as soon as there is a free place; the last one might be taken by then."""
        job.lane = "columns" if job.verb == "columns" else "long" if looks_long(job.folder) else "short"
        if self._is_full(job.lane):
            self._refuse(job.lane)
        job.state = "waiting"
        job.task = asyncio.create_task(self._run(job))
        # a task that is cancelled before its first step runs none of its own code
        job.task.add_done_callback(lambda _: None if job.state in ENDED else job.end("cancelled", 410, CANCELLED))

    async def _run(self, job: Job) -> None:
        try:
            await self._slots[job.lane].acquire()
            try:
                job.state = "running"
                await self._work(job)
            finally:
                self._slots[job.lane].release()
        except asyncio.CancelledError:
            job.end("cancelled", 410, CANCELLED)
        except Exception as error:  # whatever a job does, its client must get an answer
            if is_lack_of_room(error):
                self._end_without_room(job)
            else:
                job.end("failed", 422, fault(traceback.format_exc()))

    def _end_without_room(self, job: Job) -> None:
        full = no_room()
        job.end("refused", full.status, in_words(full, {}))

    async def _work(self, job: Job) -> None:
        write_json(job.folder / "limits.json", dataclasses.asdict(self.limits))
        verb = "result" if job.verb == "compare" and job.only_result else job.verb
        mover = asyncio.create_task(self._move_over(job))
        try:
            code = await self.processes.run(job.id, verb, job.folder, 1.2 * self.limits.seconds + 5)
        except TimeoutError:
            what = f"The job took more than {duration(self.limits.seconds)} and was ended."
            words = {"what": what, "expected": "less work", "next": "fewer replicates, fewer items, or the command"}
            job.end("refused", 422, words)
        else:
            self._read_outcome(job, code)
        finally:
            mover.cancel()

    async def _move_over(self, job: Job) -> None:
        """Give the place of a short job to the next one if this one turns out to be long."""
        if job.lane == "short":
            await asyncio.sleep(self.limits.short_seconds)
            await self._slots["long"].acquire()
            self._slots["short"].release()
            job.lane = "long"

    def _read_outcome(self, job: Job, code: int) -> None:
        outcome = job.read("outcome.json")
        if code == 0 and outcome is not None:
            job.end(outcome["state"], outcome["status"], outcome["error"])
            return
        if code == FULL:
            self._end_without_room(job)
            return
        complaints = ""
        with contextlib.suppress(OSError):  # it might have ended before it could complain
            complaints = (job.folder / "stderr").read_text(encoding="utf-8", errors="replace")[-4000:]
        if code < 0 or OUT_OF_MEMORY.search(complaints):
            job.end("refused", 422, out_of_memory(self.limits))
            return
        job.end("failed", 422, fault(complaints))

    async def cancel(self, job: Job) -> None:
        """End a job, wherever it stands; of one that is over the results go."""
        if job.task is not None and job.state not in ENDED:
            job.task.cancel()
            await job.over.wait()
        elif job.state == "receiving":
            job.end("cancelled", 410)
        else:
            self.forget(job)

    def find(self, id: str) -> Job:
        """Return the job of this id."""
        self.sweep()
        if id not in self.jobs:
            raise NoSuchJobError("There is no such job, or its results are gone.", "a job of the last minutes")
        job = self.jobs[id]
        job.asked = job.asked and time.monotonic()
        return job

    def forget(self, job: Job) -> None:
        """Remove a job and everything it wrote."""
        self.jobs.pop(job.id, None)
        shutil.rmtree(job.folder, ignore_errors=True)

    def sweep(self) -> None:
        """End jobs that nobody watches; forget old ones, and beyond the limit those that ended first, verb by verb."""
        now = time.monotonic()
        for job in self.jobs.values():
            lapsed = job.asked is not None and now - job.asked > self.limits.lapse_seconds
            if lapsed and job.state not in ENDED and job.task is not None:
                job.asked = None  # once is enough
                job.task.cancel()
        for verb in ("compare", "plan", "columns"):
            ended = {job: job.ended for job in self.jobs.values() if job.verb == verb and job.ended is not None}
            for place, job in enumerate(sorted(ended, key=ended.__getitem__, reverse=True)):
                if now - ended[job] > self.limits.kept_seconds or place >= self.limits.kept:
                    self.forget(job)

    async def close(self) -> None:
        """End all jobs and remove all files."""
        for job in list(self.jobs.values()):
            if job.state not in ENDED:
                await self.cancel(job)
        tasks = (job.task for job in self.jobs.values() if job.task is not None)
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.processes.close()
        shutil.rmtree(self.root, ignore_errors=True)
        os.close(self._lock)


def looks_long(folder: Path) -> bool:
    """Return whether a comparison will probably take many seconds, as far as is known before reading."""
    sent = sum(path.stat().st_size for path in (*folder.glob("input/*"), *folder.glob("body.json")))
    settings = (read_json(folder / "task.json") or {}).get("settings", {})
    asked = str(settings.get("n_resamples", ""))
    return sent > LARGE or (asked.isdecimal() and len(asked) < 20 and int(asked) > MANY)


class Processes:
    """Runs jobs, each in its own process; must be made and used inside one event loop."""

    def __init__(self) -> None:
        self._warm: Process | None = None
        self._ends: dict[str, asyncio.Future[int]] = {}
        self._listener: asyncio.Task[None] | None = None
        self._loading = asyncio.Lock()

    async def run(self, id: str, verb: str, folder: Path, seconds: float) -> int:
        """Let a job work and return its exit code, or minus the signal; whatever happens meanwhile, it is gone then.

        Raises ``TimeoutError`` after the time limit.
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
                    *(sys.executable, "-P", "-m", "clearwin.web.worker"),
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
            *(sys.executable, "-P", "-m", "clearwin.web.worker", verb, str(folder)),
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
