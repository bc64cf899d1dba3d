"""Seeds and blocks."""

import contextlib
import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import clearwin as cw
from clearwin import execution
from clearwin.execution import BLOCK, MOST_SUBMITTED, Seed, run_blocks, watched
from tests.tables import ORDINARY


def draws(seed, n=2_500, purpose=1):
    return np.concatenate(run_blocks(lambda stream, size: stream.random(size), n, Seed.of(seed), purpose))


def test_every_kind_of_seed_is_read():
    assert Seed.of(7) == Seed.of(np.int64(7)) == Seed.of(np.random.SeedSequence(7))
    assert Seed.of(None) != Seed.of(None)
    generator = np.random.default_rng(1)
    first, second = Seed.of(generator), Seed.of(generator)
    assert first != second  # a generator moves on, as SPEC 7 expects
    assert first == Seed.of(np.random.default_rng(1)) == Seed.of(np.random.PCG64(1))


def test_a_spawned_sequence_is_its_own_seed_and_is_not_used_up():
    parent = np.random.SeedSequence(7)
    child, other = parent.spawn(2)
    assert Seed.of(child) != Seed.of(other) != Seed.of(parent)
    assert (draws(child) == draws(child)).all()
    assert not (draws(child) == draws(other)).any()
    assert Seed.of(np.random.SeedSequence([1, 2, 3])) == Seed.of(np.random.SeedSequence([1, 2, 3]))


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", True, [1, 2]])
def test_a_bad_seed_is_explained(bad):
    with pytest.raises(cw.errors.OptionError, match="rng is"):
        Seed.of(bad)


def test_blocks_are_fixed_so_more_replicates_extend_the_same_ones():
    assert (draws(3, 3 * BLOCK)[: 2 * BLOCK] == draws(3, 2 * BLOCK)).all()
    assert len(draws(3, 1)) == 1
    assert np.unique(draws(3, 5_000)).size == 5_000
    assert not (draws(3, purpose=1) == draws(3, purpose=2)).any()


def test_a_shown_seed_repeats_the_result():
    first = cw.compare(ORDINARY, test="bootstrap", n_resamples=200)
    again = cw.compare(ORDINARY, test="bootstrap", n_resamples=200, rng=int(first.signature.seed))
    assert first.to_json() == again.to_json()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"n_resamples": -5}, "n_resamples is -5"),
        ({"n_resamples": 1.5}, "n_resamples is 1.5"),
        ({"n_resamples": True}, "n_resamples is True"),
        ({"n_resamples": "many"}, "n_resamples is 'many'"),
        ({"confidence_level": 0}, "confidence_level is 0"),
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"confidence_level": 95}, "confidence_level is 95"),
        ({"confidence_level": float("nan")}, "confidence_level is nan"),
        ({"confidence_level": "high"}, "confidence_level is 'high'"),
        ({"claim": "greater"}, "no claim named 'greater'"),
        ({"test": "mcnemer"}, "did you mean 'mcnemar'"),
        ({"test": None}, "no test named None"),
        ({"names": ("same", "same")}, "names is"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_bad_settings_are_explained(settings, message):
    with pytest.raises(cw.errors.OptionError) as raised:
        cw.compare(ORDINARY, **{"measure": "accuracy", **settings})
    assert message in str(raised.value)


@pytest.mark.parametrize("level", [0, 1, -0.1, 2, float("nan"), "5%"])
def test_a_bad_level_is_explained(level):
    with pytest.raises(cw.errors.OptionError, match="confidence_level is"):
        cw.compare(ORDINARY, measure="accuracy", confidence_level=level)


def test_alpha_is_called_confidence_level():
    with pytest.raises(TypeError, match="'alpha'; did you mean 'confidence_level'"):
        cw.compare_by_class([0, 1], [0, 1], [1, 1], alpha=0.01)


def test_an_unknown_setting_names_the_verb_and_the_nearest_word():
    with pytest.raises(
        TypeError, match=r"compare_by_class\(\) got an unexpected keyword argument 'n_resample'; did you mean"
    ):
        cw.compare_by_class([0, 1], [0, 1], [1, 1], n_resample=10)


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
from clearwin import execution

def drawn(seconds, blocks=5):
    work = lambda stream, size: time.sleep(seconds / blocks)
    execution.run_blocks(work, 10 * blocks, execution.Seed(1), 1, block=10, releases_gil={threads})

execution.LONG_SECONDS = 0.5  # so that this need not take long
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
    told = on_a_terminal("[drawn(0.7) for _ in execution.with_progress(range(2), 2, 'outer')]")
    assert "outer" in told
    assert "drawing" not in told
    assert on_a_terminal("[drawn(0.7) for _ in execution.with_progress(range(2), 2, 'outer', False)]") == ""


def test_nothing_is_shown_where_nobody_looks(capfd, monkeypatch):
    monkeypatch.setattr(execution, "LONG_SECONDS", 0.0)
    run_blocks(lambda stream, size: time.sleep(0.01), 50, Seed.of(3), 1, block=10)
    assert capfd.readouterr() == ("", "")


def test_work_apart_is_ended_at_once_by_an_interrupt(monkeypatch):
    """The process that does the work is gone when Ctrl-C has ended the wait for it."""
    started = []

    class Interrupted(subprocess.Popen):
        def communicate(self, *arguments, **how):
            started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(execution.subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        execution.run_apart(time.sleep, 600, seconds=600, what="sleep")
    assert started[0].returncode is not None


def test_work_apart_that_dies_ends_nothing_else():
    with pytest.raises(cw.ClearwinError, match="was ended"):
        execution.run_apart(os.abort, seconds=1, what="abort")
    assert execution.run_apart(math.gcd, 12, 18, seconds=1, what="gcd") == 6
