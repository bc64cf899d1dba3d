"""Blocks, workers and progress."""

import contextlib
import math
import os
import signal
import subprocess
import sys
import time
import warnings
from itertools import islice

import joblib
import numpy as np
import pandas as pd
import pytest

import clearwin as cw
from clearwin import workers
from clearwin.streams import Seed
from clearwin.workers import BLOCK, MOST_SUBMITTED, run_blocks, run_jobs, watched
from tests.tables import ORDINARY


def draws(seed, n=2_500, purpose=1):
    return np.concatenate(run_blocks(lambda stream, size: stream.random(size), n, Seed.of(seed), purpose))


def test_a_spawned_sequence_is_its_own_seed_and_is_not_used_up():
    parent = np.random.SeedSequence(7)
    child, other = parent.spawn(2)
    assert Seed.of(child) != Seed.of(other) != Seed.of(parent)
    assert (draws(child) == draws(child)).all()
    assert not (draws(child) == draws(other)).any()
    assert Seed.of(np.random.SeedSequence([1, 2, 3])) == Seed.of(np.random.SeedSequence([1, 2, 3]))


def test_blocks_are_fixed_so_more_replicates_extend_the_same_ones():
    assert (draws(3, 3 * BLOCK)[: 2 * BLOCK] == draws(3, 2 * BLOCK)).all()
    assert len(draws(3, 1)) == 1
    assert np.unique(draws(3, 5_000)).size == 5_000
    assert not (draws(3, purpose=1) == draws(3, purpose=2)).any()


def test_a_shown_seed_repeats_the_result():
    first = cw.compare(ORDINARY, test="bootstrap", n_resamples=200)
    again = cw.compare(ORDINARY, test="bootstrap", n_resamples=200, rng=int(first.signature.seed))
    assert first.to_json() == again.to_json()


@pytest.mark.parametrize("releases_gil", [False, True])
def test_who_watches_is_told_of_every_block_and_can_end_the_work(releases_gil):
    def drawn(n):
        how = {"block": 10, "releases_gil": releases_gil}
        return np.concatenate(run_blocks(lambda stream, size: stream.random(size), n, Seed.of(3), 1, **how))

    n = 10 * (2 * MOST_SUBMITTED) + 7  # more blocks than wait for a thread at once
    told = []
    with watched(lambda done, total: told.append((done, total))):
        seen = drawn(n)
    assert (seen == drawn(n)).all()
    assert told[-1] == (n, n)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len(told) == 2 * MOST_SUBMITTED + 1

    def stop(done, total):
        told.append((done, total))
        raise cw.errors.DataError("enough")

    told.clear()
    with watched(stop), pytest.raises(cw.errors.DataError, match="enough"):
        drawn(n)
    assert len(told) == 1


ON_A_TERMINAL = """
import time
import clearwin as cw
from clearwin import streams, workers

def drawn(seconds, blocks=5):
    work = lambda stream, size: time.sleep(seconds / blocks)
    workers.run_blocks(work, 10 * blocks, streams.Seed(1), 1, block=10, releases_gil={threads})

workers.LONG_SECONDS = 0.5  # so that this need not take long
{asked}
"""


def on_a_terminal(asked, *, threads=False):
    """Return what a process writes to standard error, which is a terminal; standard output is none."""
    own, other = os.openpty()
    code = ON_A_TERMINAL.format(asked=asked, threads=threads)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=other) as child:
        os.close(other)
        parts = []
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(own, 4_096):
                parts.append(part)
        out = child.stdout.read()
    os.close(own)
    assert child.returncode == 0, b"".join(parts)
    assert out == b""
    return b"".join(parts).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
@pytest.mark.parametrize("threads", [False, True])
def test_long_work_shows_how_much_is_done_and_short_work_nothing(threads):
    long = on_a_terminal("drawn(0.9)", threads=threads)
    assert "drawing replicates" in long
    assert "%" in long
    assert "0:00:0" in long  # that is left
    assert on_a_terminal("drawn(0.2)", threads=threads) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_one_bar_at_a_time_and_none_where_none_is_wanted():
    told = on_a_terminal("[drawn(0.7) for _ in workers.with_progress(range(2), 2, 'outer')]")
    assert "outer" in told
    assert "drawing" not in told
    assert on_a_terminal("[drawn(0.7) for _ in workers.with_progress(range(2), 2, 'outer', False)]") == ""


def test_nothing_is_shown_where_nobody_looks(capfd, monkeypatch):
    monkeypatch.setattr(workers, "LONG_SECONDS", 0.0)
    run_blocks(lambda stream, size: time.sleep(0.01), 50, Seed.of(3), 1, block=10)
    assert capfd.readouterr() == ("", "")


def test_work_apart_is_ended_at_once_by_an_interrupt(monkeypatch):
    """The process that does the work is gone when Ctrl-C has ended the wait for it."""
    started = []

    class Interrupted(subprocess.Popen):
        def communicate(self, *arguments, **how):
            started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(workers.subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        workers.run_apart(time.sleep, 600, seconds=600, what="sleep")
    assert started[0].returncode is not None


def test_work_apart_that_dies_ends_nothing_else():
    with pytest.raises(cw.ClearwinError, match="was killed"):
        workers.run_apart(os.abort, seconds=1, what="abort")
    assert workers.run_apart(math.gcd, 12, 18, seconds=1, what="gcd") == 6


def test_an_error_of_work_apart_is_raised_here_as_it_is():
    """A bug there is a bug here, not a process that somebody killed."""
    with pytest.raises(ValueError, match="math domain error") as found:
        workers.run_apart(math.sqrt, -1.0, seconds=1, what="root")
    assert not isinstance(found.value, cw.ClearwinError)
    assert "Traceback" in found.value.__notes__[0]


def killed_on(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_worker_is_told_with_what_to_type():
    with joblib.parallel_config(backend="loky", n_jobs=2), pytest.raises(cw.ClearwinError) as error:
        list(run_jobs(killed_on, [(i,) for i in range(8)], if_lost="resume=True goes on"))
    assert "was killed" in error.value.what
    assert error.value.next == "fewer workers; resume=True goes on"


def test_breaking_off_is_quiet():
    """joblib warns of cancelled jobs, with the path of its installation."""
    with joblib.parallel_config(backend="threading", n_jobs=2), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        answers = run_jobs(abs, [(i,) for i in range(200)])
        assert len(list(islice(answers, 2))) == 2
        answers.close()
    assert not told


def everything_drawn():
    """Replicates of counts, of scores and of scores in bins."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 500)
    a, b = y + rng.normal(size=500), y + rng.normal(size=500)
    frame = pd.DataFrame({"y": y, "a": a, "b": b})
    how = {"test": "bootstrap", "rng": 3}
    return [
        cw.compare(y, (a > 0) * 1, (b > 0) * 1, n_resamples=5_000, **how).to_json(),
        cw.compare(y, a, b, measure="eer", n_resamples=200, **how).to_json(),
        cw.compare(data=frame, truth="y", a="a", b="b", measure="eer", bins=500, n_resamples=300, **how).to_json(),
    ]


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_any_number_of_workers_gives_the_same_bits(backend, monkeypatch):
    handed, hand = [], joblib.Parallel.__call__

    def counted(self, jobs):
        jobs = list(jobs)
        handed.append(len(jobs))
        return hand(self, jobs)

    monkeypatch.setattr(joblib.Parallel, "__call__", counted)
    with contextlib.ExitStack() as stack:
        if backend == "dask":
            distributed = pytest.importorskip("distributed", reason="no Dask: pip install 'dask[distributed]'")
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            local = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
            stack.enter_context(distributed.Client(**local))
        alone = everything_drawn()
        for n_jobs in (1, 2, 4):
            with joblib.parallel_config(backend=backend, n_jobs=n_jobs):
                assert everything_drawn() == alone
    assert len(handed) == 6  # one worker is no reason to ask joblib
    assert min(handed) > 1
