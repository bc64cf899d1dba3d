"""Kernels are compiled wherever the program may run: in a folder that nobody can write to, on a full disk."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

import clearwin
from clearwin.numerics.compiling import compiled

SOURCE = Path(clearwin.__file__).parent
KERNELS = "kernels", "influence_kernels", "value_kernels"


@pytest.fixture
def nowhere_to_write(tmp_path):
    """A copy of the package, and an environment in which numba finds no folder for its cache, not even as root."""
    copy = tmp_path / "site" / "clearwin"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "numerics" / "__pycache__").write_text("a file where numba wants a folder")
    (tmp_path / "file").write_text("")
    environment = {name: text for name, text in os.environ.items() if name != "XDG_CACHE_HOME"}
    places = {"HOME": "/dev/null", "NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache"), "PYTHONPATH": str(copy.parent)}
    return environment | places | {"PYTHONDONTWRITEBYTECODE": "1"}


def told(program, environment):
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_without_a_place_for_a_cache_kernels_are_compiled_in_memory(nowhere_to_write):
    program = "import importlib, clearwin; print(clearwin.__file__)\n"
    program += f"for name in {KERNELS}: importlib.import_module('clearwin.numerics.' + name)\n"
    program += "print(clearwin.compare(None, [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.5], measure='mean', "
    program += "n_resamples=99, rng=1).difference)"
    place, difference = told(program, nowhere_to_write).split()
    assert Path(place).parent.parent == Path(nowhere_to_write["PYTHONPATH"])
    assert float(difference) == 2.625  # (2 + 4 + 6 + 8.5 − 1 − 2 − 3 − 4)/4


EVERY_MEASURE = """
import clearwin as cw

truth, low, high = [0, 1] * 20, [], []
for i, y in enumerate(truth):
    low.append((i % 37 / 37 + 0.3 * y) / 2)
    high.append((i % 29 / 29 + 0.4 * y) / 2)
for name, measure in cw.list_measures().items():
    if measure.takes in ("scores", "losses", "values") and not measure.of_winners:
        for test in ("bootstrap", "permutation", "auto"):
            data = truth if measure.needs_truth else None, low, high
            cw.compare(*data, measure=name, test=test, n_resamples=50, rng=1)
cw.curve(truth, {"low": low, "high": high}, n_resamples=50, rng=1)
"""


@pytest.mark.study
def test_every_measure_works_without_a_cache(nowhere_to_write):
    """Compiling everything anew takes minutes."""
    told(EVERY_MEASURE, nowhere_to_write)


def test_no_kernel_is_compiled_in_another_way():
    """``compiled`` alone knows what to do without a cache."""
    others = [path for path in SOURCE.rglob("*.py") if "njit" in path.read_text(encoding="utf-8")]
    assert [path.name for path in others] == ["compiling.py"]


def area(x):
    """Return a sum, as a kernel of the tests."""
    total = 0.0
    for value in x:
        total += value * value
    return total


@pytest.fixture
def cached_in(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def test_what_was_compiled_is_kept(cached_in):
    assert compiled()(area)(np.arange(4.0)) == 14.0
    assert list(cached_in.rglob("*.nbc"))
    again = compiled()(area)
    assert again(np.arange(3.0)) == 5.0
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_full_disk_costs_time_and_not_the_answer(cached_in, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", full)
    assert compiled()(area)(np.arange(4.0)) == 14.0


def test_a_broken_cache_costs_time_and_not_the_answer(cached_in):
    compiled()(area)(np.arange(4.0))
    for file in cached_in.rglob("*.nbi"):
        file.write_bytes(b"")  # as after a power failure
    assert compiled()(area)(np.arange(4.0)) == 14.0
