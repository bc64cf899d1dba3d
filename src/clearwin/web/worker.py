"""The process of a job: `python -m clearwin.web.worker compare FOLDER`, or a copy of one with everything loaded.

A job limits itself before it reads anything, talks by JSON files in its folder, and ends when the server does.

Loading takes longer than a usual job works, so `python -m clearwin.web.worker` loads everything and copies itself
(fork) for each job. A copy costs almost nothing, and it is still a separate process that can be limited, killed and
discarded. For that, the process must never have a second thread or read uploads.

Orders come as lines of JSON on standard input: {"start": id, "verb": …, "folder": …}, {"kill": id}. It answers {} once
everything is loaded, and for each job that has ended {"id": id, "code": exit code, or minus the signal}.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import Any

from clearwin.data.files.sources import NOT_ENOUGH_MEMORY
from clearwin.errors import ClearwinError
from clearwin.web.comparing import VERBS, Task, read_task
from clearwin.web.folder import read_json, write_json
from clearwin.web.refusals import FULL, Limits, in_words, is_lack_of_room, no_room, out_of_memory, status_of
from clearwin.web.settings import COMPARE, PLAN
from clearwin.workers import end_with

LOADED = (
    "duckdb",
    "clearwin.analyses.per_class",
    "clearwin.cli.compare",
    "clearwin.analyses.compare",
    "clearwin.analyses.plan",
    "clearwin.numerics.kernels",
    "clearwin.data.files.guessing",
    "clearwin.web.showing",
    "clearwin.plots",
    "clearwin.reports.html",
    "clearwin.significance",
    "clearwin.numerics.value_kernels",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
)


def main() -> None:
    """Do the one job on the command line, or be the process that jobs are copies of."""
    os.umask(0o077)
    trust_no_folder()
    if len(sys.argv) > 1:
        threading.Thread(target=_end_with_the_server, daemon=True).start()
        sys.exit(work(sys.argv[1], Path(sys.argv[2]).absolute()))
    else:
        be_warm()


def trust_no_folder() -> None:
    """Import nothing from the current folder, which holds the uploads."""
    sys.path[:] = [entry for entry in sys.path if Path(entry).is_absolute()]


def work(verb: str, folder: Path) -> int:
    """Do one job within its limits, write its outcome, and return the exit code: where there is no room to write it."""
    try:
        _work(verb, folder)
    except OSError as error:
        if is_lack_of_room(error):
            return FULL
        raise
    return 0


def _work(verb: str, folder: Path) -> None:
    limits = Limits(**read_json(folder / "limits.json"))
    _limit_myself(limits)
    outcome: dict[str, Any] = {"state": "done", "status": 200, "error": None}
    task = Task()
    try:
        task = read_task(folder)
        VERBS[verb](folder, limits, task)
    except ClearwinError as refusal:
        error = no_room() if is_lack_of_room(refusal) else refusal
        lacking = error.what.startswith(NOT_ENOUGH_MEMORY)  # of which the sender cannot get more
        words = out_of_memory(limits) if lacking else in_words(error, task.given, PLAN if verb == "plan" else COMPARE)
        outcome = {"state": "refused", "status": status_of(error), "error": words}
    except MemoryError:
        outcome = {"state": "refused", "status": 422, "error": out_of_memory(limits)}
    write_json(folder / "outcome.json", outcome)


def _limit_myself(limits: Limits) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    wanted = {
        "RLIMIT_DATA": limits.memory,
        "RLIMIT_CPU": int(2 * limits.seconds) * (os.cpu_count() or 1) + 60,
        "RLIMIT_FSIZE": 2 * limits.unpacked,  # what does not fit into memory goes to the disk, within limits
        "RLIMIT_CORE": 0,
    }
    for name, most in wanted.items():
        with contextlib.suppress(ValueError, OSError):  # a lower limit than ours is already set
            resource.setrlimit(getattr(resource, name), (most, most))


def _end_with_the_server() -> None:
    os.read(0, 1)  # returns when the server's end of the pipe is gone
    os._exit(1)


def be_warm() -> None:
    """Load everything, then start, kill and reap jobs until the server is gone."""
    for name in LOADED:
        importlib.import_module(name)
    _practise()
    gc.freeze()  # so that no copy touches what it shares
    _tell({})
    with selectors.DefaultSelector() as selector:
        Nursery(selector).work()
    os._exit(0)  # nothing needs cleaning up, and frozen objects would be reported as leaks


def _practise() -> None:
    """Answer one small question, so that fonts and templates are also loaded."""
    from clearwin.analyses.compare import compare
    from clearwin.reports.html import as_html

    as_html(compare([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], rng=1, n_resamples=100))


class Nursery:
    """The running jobs; each holds the end of a pipe, which closes when it is gone."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self.selector = selector
        self.jobs: dict[str, int] = {}  # id → process
        self.orders = b""

    def work(self) -> None:
        """Wait for orders and for the end of jobs."""
        self.selector.register(0, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.data is not None:
                    self._bury(key.fd, key.data)
                elif part := os.read(0, 1 << 16):
                    *lines, self.orders = (self.orders + part).split(b"\n")
                    for line in lines:
                        self._obey(json.loads(line))
                else:
                    for process in self.jobs.values():
                        os.kill(process, signal.SIGKILL)
                    return

    def _obey(self, order: dict[str, str]) -> None:
        if "start" in order:
            self._start(order["start"], order["verb"], Path(order["folder"]))
        elif (process := self.jobs.get(order.get("kill", ""))) is not None:
            os.kill(process, signal.SIGKILL)

    def _start(self, id: str, verb: str, folder: Path) -> None:
        me = os.getpid()
        gone, alive = os.pipe()
        try:
            process = os.fork()
        except OSError:  # no memory, or too many processes, which ends this job but not the others
            os.close(gone)
            (folder / "stderr").write_text(traceback.format_exc(), encoding="utf-8")
            _tell({"id": id, "code": 1})
            return
        finally:
            if os.getpid() == me:
                os.close(alive)
        if process == 0:
            _be_a_job(me, verb, folder)
        self.jobs[id] = process
        self.selector.register(gone, selectors.EVENT_READ, id)

    def _bury(self, gone: int, id: str) -> None:
        _, status = os.waitpid(self.jobs.pop(id), 0)
        self.selector.unregister(gone)
        os.close(gone)
        _tell({"id": id, "code": os.waitstatus_to_exitcode(status)})


def _tell(told: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the server has gone; no more orders will come, either
        os.write(1, json.dumps(told).encode() + b"\n")


def _be_a_job(parent: int, verb: str, folder: Path) -> None:
    """Do the job in this copy, and never return."""
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        complaints = os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for to, standard in ((nowhere, 0), (nowhere, 1), (complaints, 2)):
            os.dup2(to, standard)
        end_with(parent)
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "scratch")
        code = work(verb, folder)
    except BaseException as error:
        code = FULL if is_lack_of_room(error) else code
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
