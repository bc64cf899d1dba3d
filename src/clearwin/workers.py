"""Blocks of replicates → workers, with progress and Ctrl-C: the same bits, whoever does the work.

Replicates come in fixed blocks, each with its own stream, and blocks are put together in their order. How many workers
there are, and which joblib backend runs them, changes nothing.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any, TypeVar

from clearwin.errors import ClearwinError
from clearwin.streams import Purpose, Seed, Stream

BLOCK = 2_000
LONG_SECONDS = 2.0  # work that takes longer has a bar
TICKS = 100  # of a bar that goes by the clock
MOST_SUBMITTED = 1_024  # blocks that wait for a thread
LOOK_SECONDS = 0.5  # between two looks whether the parent still lives
T = TypeVar("T")
_ALONE: ContextVar[bool] = ContextVar("alone", default=False)  # a worker's job, inside which nothing runs in parallel


def run_blocks(
    work: Callable[[Stream, int], T],
    n: int,
    seed: Seed,
    purpose: Purpose,
    *,
    block: int = BLOCK,
    releases_gil: bool = False,
) -> list[T]:
    """Call ``work(stream, size)`` for every block of ``n`` replicates and return the answers in order.

    Whoever wants workers says so to joblib: ``with joblib.parallel_config(backend="loky", n_jobs=4): …``. If
    nobody has imported joblib then nobody has asked, and we do not pay for importing it either. Compiled work that
    releases the GIL runs on all cores unless joblib was told otherwise.
    """
    jobs = ((work, seed, purpose, number, min(block, n - start)) for number, start in enumerate(range(0, n, block)))
    if _ALONE.get():
        return [_one_block(*job) for job in jobs]
    if _asked_for_workers() and n > block:
        import joblib

        return list(joblib.Parallel()(joblib.delayed(_one_block)(*job) for job in jobs))
    with ProgressBar(n, "drawing replicates", late=True) as bar:
        tell = _teller(n, _WATCHER.get() or bar.tell)

        def told(job: tuple[Callable[[Stream, int], T], Seed, Purpose, int, int]) -> T:
            tell(0)  # is it still wanted?
            found = _one_block(*job)
            tell(job[-1])
            return found

        if releases_gil and n > block:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                parts = iter(lambda: list(islice(jobs, MOST_SUBMITTED)), [])  # millions at once would fill the memory
                return [found for part in parts for found in pool.map(told, part)]
        return [told(job) for job in jobs]


Watcher = Callable[[int, int], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Call ``by(replicates done, replicates in all)`` after every block drawn inside; what it raises ends the work.

    Blocks that joblib gives to workers do not count, because they may be on another machine.
    """
    token = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def _teller(total: int, watcher: Watcher) -> Callable[[int], None]:
    """Return what counts the replicates of this call and tells whoever watches; once that raised, it raises again."""
    lock, done = threading.Lock(), 0
    stopped: list[BaseException] = []

    def tell(size: int) -> None:
        nonlocal done
        with lock:
            if stopped:
                raise stopped[0]
            done += size
            try:
                if size:
                    watcher(done, total)
            except BaseException as reason:
                stopped.append(reason)
                raise

    return tell


def _asked_for_workers() -> bool:
    """Whether the caller stands inside ``joblib.parallel_config``."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    _, n_jobs = get_active_backend()
    return n_jobs not in (None, 1)


def _one_block(work: Callable[[Stream, int], T], seed: Seed, purpose: Purpose, block: int, size: int) -> T:
    return work(seed.stream(purpose, block), size)


def run_jobs(
    work: Callable[..., T], arguments: Sequence[tuple[Any, ...]], *, if_lost: str = ""
) -> Iterator[tuple[int, T]]:
    """Call ``work`` with each of the arguments and yield (number, answer) as they come, in any order.

    Jobs know their own seeds. Whoever wants workers says so to joblib, as for :func:`run_blocks`; inside a worker
    nothing runs in parallel once more. ``if_lost`` says what to type when a worker was ended from outside.
    """
    if _asked_for_workers() and len(arguments) > 1:
        yield from _by_workers(work, arguments, if_lost)
        return
    for i, some in enumerate(arguments):
        yield i, work(*some)


def _by_workers(work: Callable[..., T], arguments: Sequence[tuple[Any, ...]], if_lost: str) -> Iterator[tuple[int, T]]:
    from concurrent.futures import BrokenExecutor

    import joblib

    jobs = (joblib.delayed(_numbered)(work, i, some) for i, some in enumerate(arguments))
    answers = joblib.Parallel(return_as="generator_unordered")(jobs)
    try:
        # not "yield from", which would close the answers before anything here can be quiet about it
        for answer in answers:  # noqa: UP028
            yield answer
    except BrokenExecutor:
        raise ClearwinError(
            "A worker process was killed, or memory ran out.",
            "enough memory for all workers, and nothing that kills them",
            "fewer workers" + ("; " + if_lost if if_lost else ""),
        ) from None
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that jobs are cancelled when somebody breaks off is not news
            answers.close()


def _numbered(work: Callable[..., T], number: int, arguments: tuple[Any, ...]) -> tuple[int, T]:
    token = _ALONE.set(True)
    try:
        return number, work(*arguments)
    finally:
        _ALONE.reset(token)


def begin_as_worker(parent: int) -> None:
    """Make this process a worker of ours: it leaves signals to its parent, ends with it, and holds no terminal.

    Ctrl-C and what a service manager sends reach all processes: the one that waits for the work ends it. A parent that
    was killed can end nobody, and a pipe that its workers have inherited would stay open for whoever reads from it.
    """
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    end_with(parent)


def end_with(parent: int) -> None:
    """End this process soon after its parent has ended, however that came about."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def run_apart(work: Callable[..., T], *arguments: Any, seconds: float, what: str, if_lost: str = "") -> T:
    """Call ``work`` in a process of its own, with a bar by the ``seconds`` it is thought to take.

    A C library that keeps the interpreter to itself for a minute cannot be broken off from inside. This way Ctrl-C
    ends it at once, and whatever ends it ends nothing else; ``if_lost`` says what to type then. ``work`` is a function
    of a module; where no process can be started it is called here.
    """
    code = "from sys import argv, path; path[:] = argv[1:]; from clearwin.workers import _answer; _answer()"
    pipe = subprocess.PIPE
    try:
        child = subprocess.Popen([sys.executable, "-c", code, *sys.path], stdin=pipe, stdout=pipe, stderr=pipe)
    except (OSError, ValueError):
        return work(*arguments)
    answer: list[bytes] = []

    def ticks() -> Iterator[None]:
        sent: bytes | None = pickle.dumps((work, arguments))
        tick = max(seconds / TICKS, 0.1)
        for _ in range(TICKS - 1):
            try:
                answer.extend(child.communicate(sent, timeout=tick))
                return
            except subprocess.TimeoutExpired:
                sent = None
                yield
        answer.extend(child.communicate(sent))

    with child:  # closes the pipes
        try:
            for _ in with_progress(ticks(), TICKS, what):
                pass
        finally:
            child.kill()
    if child.returncode:
        reason = answer[1].decode(errors="replace").strip().rpartition("\n")[2]
        raise ClearwinError(
            f"The process that did the work was killed: {reason or f'exit code {child.returncode}'}.",
            "enough memory, and nothing that kills the process",
            if_lost,
        )
    found: T | Exception = pickle.loads(answer[0])
    if isinstance(found, Exception):
        raise found
    return found


def _answer() -> None:
    """Do what standard input says and write the answer, as the child of ``run_apart``."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that waits for the answer ends the work
    end_with(os.getppid())
    work, arguments = pickle.load(sys.stdin.buffer)
    try:
        answer = work(*arguments)
    except MemoryError:
        raise  # ends this process, and its parent says what to type then
    except Exception as error:
        error.add_note(traceback.format_exc())
        answer = error
    sys.stdout.buffer.write(pickle.dumps(answer))


def with_progress(
    done: Iterable[T], total: int, what: str, wanted: bool | None = None, *, already: int = 0, late: bool = False
) -> Iterator[T]:
    """Hand on what is done as it is done, with a :class:`ProgressBar`; ``already`` of them were done before."""
    with ProgressBar(total, what, wanted, already=already, late=late) as bar:
        for number, found in enumerate(done, already + 1):
            yield found
            bar.tell(number, total)


_SCREEN = threading.Lock()


class ProgressBar:
    """A bar on standard error with the time that is left: if wanted, or if that is a terminal.

    A ``late`` one is drawn as soon as the work is seen to take more than two seconds. There is one bar at a time: what
    counts inside of something that counts is silent.
    """

    def __init__(
        self, total: int, what: str, wanted: bool | None = None, *, already: int = 0, late: bool = False
    ) -> None:
        self.total, self.what, self.already, self.late = total, what, already, late
        self.wanted = sys.stderr is not None and sys.stderr.isatty() if wanted is None else wanted
        self._move: Callable[[int], None] | None = None
        self._close: Callable[[], None] | None = None

    def __enter__(self) -> ProgressBar:
        self._first = _SCREEN.acquire(blocking=False)
        self._start = time.monotonic()
        if self.wanted and self._first and not self.late:
            self._open()
        return self

    def __exit__(self, *_: object) -> None:
        if self._close is not None:
            self._close()
        if self._first:
            _SCREEN.release()

    def tell(self, done: int, total: int) -> None:
        """Move the bar to what is done, or draw it once the work turns out to take long."""
        if not (self.wanted and self._first):
            return
        if self._move is None:
            expected = (time.monotonic() - self._start) * (total - self.already) / (done - self.already)
            if expected <= LONG_SECONDS or done == total:
                return
            self._open()
        assert self._move is not None
        self._move(done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        drawn = Progress(console=Console(stderr=True), transient=True)
        task = drawn.add_task(self.what, total=self.total, completed=self.already)
        drawn.start()
        self._move, self._close = lambda done: drawn.update(task, completed=done), drawn.stop
