"""How fast is clearwin? Processor times, ratios and peak memory (`make bench`).

    python scripts/bench.py [--keep] [PART OF A CASE'S NAME]

Machines are shared and noisy, so times are processor times of all cores together, contenders take turns, and the best
of several rounds counts for each. Ratios can be compared between machines, times cannot. With --keep the figures go
into docs/bench.json, of which `make docs` makes docs/benchmarks.md. Speed is not a test: the exit status is 0, also
when a target is missed, unless a case crashes.

To add a case, write a function that returns rows and put `@case(…)` on it.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import traceback
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import clearwin as cw
from clearwin.reports.html import as_html

Labels = NDArray[np.int8]
Arrays = tuple[Labels, Labels, Labels]

REPLICATES = 10_000
# (truth, a, b) of the events e1 … e8, and how often each occurs: one item in ten is positive, and the two
# classifiers are alike, so that the difference of their F1 is near the limit of what 7,909 items can show
EVENTS = np.array(
    [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)], dtype=np.int8
)
N_7909 = {"e1": 574, "e2": 82, "e3": 52, "e4": 86, "e5": 77, "e6": 71, "e7": 69, "e8": 6898}
N_8000 = {"e1": 580, "e2": 83, "e3": 53, "e4": 87, "e5": 78, "e6": 72, "e7": 70, "e8": 6977}


# --- what a case is -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One line of the table; ``met`` is None for a line that only informs."""

    what: str
    measured: str
    met: bool | None = None


Run = Callable[[], list[Row]]


@dataclass(frozen=True)
class Case:
    """One question about speed: what is compared, what is aimed at, why more cannot be had, and what measures it."""

    name: str
    compares: str
    target: str
    explained: str
    run: Run


CASES: list[Case] = []


def case(name: str, *, compares: str, target: str, explained: str = "") -> Callable[[Run], Run]:
    """Register a function that returns rows as a case; cases run in the order in which they are written."""

    def register(run: Run) -> Run:
        CASES.append(Case(name, compares, target, explained, run))
        return run

    return register


def best_of(rounds: int, contenders: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least processor time of each contender; they take turns, after one unmeasured call each."""
    for contender in contenders.values():
        contender()
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, contender in contenders.items():
            start = time.process_time()
            contender()
            best[name] = min(best[name], time.process_time() - start)
    return best


def seconds(value: float) -> str:
    """Write a time in the unit that suits it."""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"


# --- the data -------------------------------------------------------------------------------------------------


def arrays(counts: Mapping[str, int]) -> Arrays:
    """Return truth, a and b as arrays of 0 and 1 with these joint counts, always in the same random order."""
    which = np.repeat(np.arange(8, dtype=np.int8), list(counts.values()))
    np.random.default_rng(2004).shuffle(which)
    truth, a, b = (np.ascontiguousarray(column[which]) for column in EVENTS.T)
    return truth, a, b


def times(counts: Mapping[str, int], factor: int) -> dict[str, int]:
    """Return the counts of a test set that is larger by a factor."""
    return {name: count * factor for name, count in counts.items()}


def bootstrap(truth: Labels, a: Labels, b: Labels) -> cw.results.Comparison:
    """Call clearwin as a user would: arrays in, verdict out."""
    return cw.compare(truth, a, b, measure="f1", test="bootstrap", n_resamples=REPLICATES, rng=1)


def f1_difference(truth: Labels, a: Labels, b: Labels, axis: int = -1) -> Any:
    """Return F1 of b less F1 of a along an axis, as one would write it for scipy's vectorised bootstrap."""
    positives = truth.sum(axis=axis)
    f1_a = 2 * (truth & a).sum(axis=axis) / (positives + a.sum(axis=axis))
    f1_b = 2 * (truth & b).sum(axis=axis) / (positives + b.sum(axis=axis))
    return f1_b - f1_a


# --- the cases ------------------------------------------------------------------------------------------------


@case(
    "bootstrap-scipy",
    compares="F1 bootstrap, N = 7,909, 10,000 replicates: a whole compare() against scipy.stats.bootstrap",
    target="at least 200 times faster, also than scipy tuned by hand where the draws allow it",
    explained="numpy's own draws of the eight joint outcomes take more than half of our time: a program that did "
    "nothing else would not be 200 times faster than scipy tuned by hand, either",
)
def bootstrap_against_scipy() -> list[Row]:
    """The call as it stands in scipy's manual counts; one with hand-tuned arrays and batches is shown beside it."""
    from scipy import stats

    data, fewer = arrays(N_7909), 1_000
    assert abs(bootstrap(*data).difference - f1_difference(*data)) < 1e-12
    scipy = partial(stats.bootstrap, statistic=f1_difference, paired=True, vectorized=True, rng=1)
    percentile = partial(scipy, method="percentile")
    wide = tuple(column.astype(np.int64) for column in data)
    plain = best_of(3, {"": partial(percentile, wide, n_resamples=REPLICATES)})[""]
    batches = {str(size): partial(percentile, data, n_resamples=fewer, batch=size) for size in (10, 25, 50, 100)}
    best = best_of(10, {"clearwin": partial(bootstrap, *data), **batches})
    batch = min(batches, key=best.__getitem__)
    ours, tuned = best["clearwin"], best[batch] * REPLICATES / fewer
    stream, shares = np.random.RandomState(1), np.array(list(N_7909.values())) / 7_909
    draws = best_of(10, {"": lambda: stream.multinomial(7_909, shares, size=REPLICATES)})[""]
    return [
        Row("clearwin", seconds(ours)),
        Row('scipy.stats.bootstrap(vectorized=True, method="percentile"), int64 labels', seconds(plain)),
        Row("scipy / clearwin", f"{plain / ours:.0f}", plain / ours >= 200),
        Row(f"scipy tuned by hand: int8, batch={batch} ({fewer:,} replicates, scaled)", seconds(tuned)),
        Row("scipy tuned by hand / clearwin", f"{tuned / ours:.0f}", tuned / ours >= 200),
        Row("scipy tuned by hand / numpy's draws of the eight outcomes alone", f"{tuned / draws:.0f}"),
    ]


@case(
    "bootstrap-sklearn",
    compares="F1 bootstrap, N = 7,909, 10,000 replicates: a whole compare() against a loop over sklearn's f1_score",
    target="at least 3,000 times faster",
)
def bootstrap_against_sklearn() -> list[Row]:
    """A replicate of the loop is an index draw and two calls."""
    from sklearn.metrics import f1_score

    data, fewer = arrays(N_7909), 50
    truth, a, b = data
    assert abs(bootstrap(*data).difference - (f1_score(truth, b) - f1_score(truth, a))) < 1e-12

    def loop() -> list[float]:
        rng, differences = np.random.default_rng(1), []
        for _ in range(fewer):
            drawn = rng.integers(0, len(truth), len(truth))
            y = truth[drawn]
            differences.append(f1_score(y, b[drawn]) - f1_score(y, a[drawn]))
        return differences

    best = best_of(8, {"clearwin": partial(bootstrap, *data), "loop": loop})
    ours, theirs = best["clearwin"], best["loop"] * REPLICATES / fewer
    return [
        Row("clearwin", seconds(ours)),
        Row(f"loop over f1_score ({fewer} replicates, scaled)", seconds(theirs)),
        Row("loop / clearwin", f"{theirs / ours:,.0f}", theirs / ours >= 3_000),
    ]


@case(
    "bootstrap-items",
    compares="F1 bootstrap from counts, 10,000 replicates: N = 8,000,000 against N = 8,000 with the same shares",
    target="at most 1.2 times as long",
)
def bootstrap_at_many_items() -> list[Row]:
    """The replicates must not cost more when there are more items; counting the items has to."""
    from_counts = partial(cw.compare, measure="f1", test="bootstrap", n_resamples=REPLICATES, rng=1)
    small = partial(from_counts, cw.JointCounts(**N_8000))
    large = partial(from_counts, cw.JointCounts(**times(N_8000, 1_000)))
    best = best_of(15, {"small": small, "large": large})
    ratio = best["large"] / best["small"]
    whole = best_of(3, {"": partial(bootstrap, *arrays(times(N_8000, 1_000)))})[""]
    return [
        Row("N = 8,000", seconds(best["small"])),
        Row("N = 8,000,000", seconds(best["large"])),
        Row("8,000,000 / 8,000", f"{ratio:.2f}", ratio <= 1.2),
        Row("counting 8,000,000 rows of int8, for information", seconds(whole - best["large"])),
    ]


def label_sets(documents: int, labels: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """RCV1-like label sets: a few labels per document, rare and common ones; the models agree on most."""
    rng = np.random.default_rng(2004)
    truth = rng.random((documents, labels)) < rng.beta(1, 12, labels)
    heard = [np.where(rng.random(truth.shape) < 0.8, truth, False) | (rng.random(truth.shape) < 0.005) for _ in "ab"]
    return truth, heard[0], np.where(rng.random(truth.shape) < 0.5, heard[0], heard[1])


@case(
    "label-sets-sklearn",
    compares="the paper's job: macro F1, 7,909 documents, 21 categories, 10,000 replicates: a whole compare() against "
    "a loop over sklearn's f1_score",
    target="at least 200 times faster",
)
def label_sets_against_sklearn() -> list[Row]:
    """keller2004 section 5. The loop's replicate is an index draw and two calls; the permutation is shown beside it."""
    from sklearn.metrics import f1_score

    truth, a, b = data = label_sets(7_909, 21)
    fewer = 20
    ours = partial(cw.compare, *data, measure="macro_f1", n_resamples=REPLICATES, rng=1)
    score = partial(f1_score, average="macro", zero_division=0)
    assert abs(ours(test="bootstrap").difference - (score(truth, b) - score(truth, a))) < 1e-12

    def loop() -> None:
        rng = np.random.default_rng(1)
        for _ in range(fewer):
            at = rng.integers(0, len(truth), len(truth))
            score(truth[at], b[at]) - score(truth[at], a[at])

    jobs: dict[str, Callable[[], object]] = {
        "": partial(ours, test="bootstrap"),
        "swap": partial(ours, test="permutation"),
        "default": ours,
        "loop": loop,
    }
    best = best_of(3, jobs)
    ratio, slower = best["loop"] / fewer * REPLICATES / best[""], best["default"] / best["swap"]
    return [
        Row("clearwin, bootstrap", seconds(best[""])),
        Row("clearwin, permutation with bootstrap interval", seconds(best["swap"])),
        Row("clearwin, the default", seconds(best["default"])),
        Row(f"sklearn, {REPLICATES:,} replicates from {fewer}", seconds(best["loop"] / fewer * REPLICATES)),
        Row("sklearn / clearwin", f"{ratio:.0f}", ratio >= 200),
        Row("the default / the permutation, which was the default", f"{slower:.1f}", slower <= 2),
    ]


@case(
    "classes-scipy",
    compares="macro F1 of 20 classes, n = 10,000, 10,000 replicates: a whole compare() against scipy.stats.bootstrap",
    target="at least 40 times faster",
)
def classes_against_scipy() -> list[Row]:
    """scipy's statistic counts all 20 classes at once, vectorised over its batch."""
    from scipy import stats

    rng = np.random.default_rng(20)
    n, k, fewer = 10_000, 20, 200
    y = rng.integers(0, k, n)
    a, b = (np.where(rng.random(n) < p, rng.integers(0, k, n), y) for p in (0.3, 0.25))

    def macro(truth: NDArray[np.int64], x: NDArray[np.int64]) -> NDArray[np.float64]:
        total = 0.0
        for i in range(k):
            t, p = truth == i, x == i
            total = total + 2.0 * (t & p).sum(axis=-1) / (t.sum(axis=-1) + p.sum(axis=-1))
        return np.asarray(total / k)

    def statistic(t: Any, a: Any, b: Any, axis: int = -1) -> Any:
        return macro(t, b) - macro(t, a)

    ours = partial(cw.compare, y, a, b, measure="macro_f1", test="bootstrap", n_resamples=REPLICATES, rng=1)
    assert abs(ours().difference - statistic(y, a, b)) < 1e-12
    scipy = partial(
        stats.bootstrap,
        (y, a, b),
        statistic,
        paired=True,
        vectorized=True,
        method="percentile",
        rng=1,
        n_resamples=fewer,
        batch=fewer,
    )
    best = best_of(3, {"": ours, "scipy": scipy})
    ratio = best["scipy"] / fewer * REPLICATES / best[""]
    return [
        Row("clearwin", seconds(best[""])),
        Row(f"scipy, {REPLICATES:,} replicates from {fewer}", seconds(best["scipy"] / fewer * REPLICATES)),
        Row("scipy / clearwin", f"{ratio:.0f}", ratio >= 40),
    ]


@case(
    "permutation-exact",
    compares="exact permutation of F1, 1,800 disagreements on each side: a whole compare()",
    target="under 0.2 s",
    explained="the target was set in seconds of the clock, and this is the processor time of all threads",
)
def exact_permutation() -> list[Row]:
    """1,801² arrangements, and the bootstrap interval that comes with them."""
    joint = cw.JointCounts(e1=5000, e2=930, e3=870, e4=1500, e5=1400, e6=880, e7=920, e8=40_000)
    exact = partial(cw.compare, joint, measure="f1", test="permutation", method="exact", rng=1)
    best = best_of(5, {"": exact})[""]
    return [Row("clearwin", seconds(best), best < 0.2)]


@case(
    "chance-exact",
    compares="exact test against chance: N = 10,000 with k = 10, and N = 100,000 with k = 100",
    target="under 1 s and under 15 s, memory under 1 GB",
)
def chance_exact() -> list[Row]:
    """Margins all alike, as in nyssen1998, and a hundred unequal ones, which cannot share their products."""
    from clearwin.significance.chance import Margins, exact

    rng = np.random.default_rng(1998)
    unequal = tuple(int(x) for x in rng.multinomial(100_000, rng.dirichlet(np.full(100, 20.0))))
    cases = {
        "N = 10,000, k = 10, 1,050 right": (Margins((1000,) * 10, (1000,) * 10, 1050), 1.0),
        "N = 100,000, k = 100, 1,080 right": (Margins((1000,) * 100, (1000,) * 100, 1080), 15.0),
        "the same with 100 unequal classes": (Margins(unequal, unequal[::-1], 1080), 15.0),
    }
    rows = []
    for name, (margins, limit) in cases.items():
        took = best_of(1, {"": partial(exact, margins)})[""]
        rows.append(Row(name, seconds(took), took < limit))
    # VmHWM is the child's own; ru_maxrss would be inherited from this process
    alone = (
        "from clearwin.significance.chance import Margins, exact; "
        f"exact(Margins({unequal}, {unequal[::-1]}, 1080)); "
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    found = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, check=True)
    peak = float(found.stdout) / 1e6
    rows.append(Row("peak memory of a process that does the last one, in GB", f"{peak:.2f}", peak < 1.0))
    return rows


def scored(n: int) -> tuple[Labels, NDArray[np.float64], NDArray[np.float64]]:
    """Return the truth (three items in ten positive) and the scores of two models, without ties."""
    rng = np.random.default_rng(2004)
    truth = (rng.random(n) < 0.3).astype(np.int8)
    return truth, truth + rng.normal(size=n), 1.1 * truth + rng.normal(size=n)


@case(
    "auc-bootstrap",
    compares="AUC bootstrap, N = 100,000, 1,000 replicates: a whole compare() against a loop over roc_auc_score",
    target="at least 100 times faster; at most 1.5 ns to draw an item and scan it for both models",
    explained="a draw is a random number, a counter in the cache and a step of two scans; none can be left out",
)
def auc_bootstrap() -> list[Row]:
    """A replicate of the loop is an index draw and two calls."""
    from sklearn.metrics import roc_auc_score

    n, replicates, fewer = 100_000, 1_000, 5
    truth, a, b = scored(n)
    ours = partial(cw.compare, truth, a, b, measure="auc", test="bootstrap", n_resamples=replicates, rng=1)

    def loop() -> list[float]:
        rng = np.random.default_rng(1)
        drawn = [rng.integers(0, n, n) for _ in range(fewer)]
        return [roc_auc_score(truth[at], b[at]) - roc_auc_score(truth[at], a[at]) for at in drawn]

    best = best_of(5, {"clearwin": ours, "longer": partial(ours, n_resamples=4 * replicates), "loop": loop})
    theirs = best["loop"] * replicates / fewer
    draw = (best["longer"] - best["clearwin"]) / (3 * n * replicates) * 1e9
    return [
        Row("clearwin", seconds(best["clearwin"])),
        Row(f"loop over roc_auc_score ({fewer} replicates, scaled)", seconds(theirs)),
        Row("loop / clearwin", f"{theirs / best['clearwin']:.0f}", theirs / best["clearwin"] >= 100),
        Row("an item of each further replicate", f"{draw:.2f} ns", draw <= 1.5),
        Row("an item, with reading and sorting", f"{best['clearwin'] / (n * replicates) * 1e9:.2f} ns"),
    ]


@case(
    "delong",
    compares="DeLong's test at 1,000,000 items, and both ROC curves",
    target="under 1.2 s together",
)
def delong_at_a_million() -> list[Row]:
    """The verdict, and every point of both curves."""
    from clearwin.curves.points import operating_points, roc_curve

    truth, a, b = scored(1_000_000)
    positive = truth.astype(np.bool_)

    def both() -> None:
        cw.compare(truth, a, b, measure="auc", test="delong")
        for scores in (a, b):
            roc_curve(operating_points(positive, scores))

    best = best_of(3, {"all": both})["all"]
    tracemalloc.start()
    cw.compare(truth, a, b, measure="auc", test="bootstrap", n_resamples=2, rng=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = truth.nbytes + a.nbytes + b.nbytes
    return [
        Row("DeLong and two curves", seconds(best), best < 1.2),
        Row("peak memory of the bootstrap there, times the data", f"{peak / size:.1f}"),
    ]


def process_time(command: list[str], folder: str | None = None) -> float:
    """Return the least processor time, user and system, of five runs of a command to its end.

    Before them it runs once: as a user's second call, these find modules that are compiled, and files in memory.
    """
    found = []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(6):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=folder, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{Path(command[0]).name} {command[1]} ended with status {process.returncode}")
        found.append(usage.ru_utime + usage.ru_stime)
    return min(found[1:])


def own_command(*arguments: str) -> list[str]:
    """Return the words that call the command that is installed beside this Python."""
    return [str(Path(sys.executable).with_name("clearwin")), *arguments]


@case(
    "command-help",
    compares="process time (user + system) of clearwin --help",
    target="under 0.12 s",
)
def command_help() -> list[Row]:
    """What every use of the command pays."""
    best, alone = process_time(own_command("--help")), process_time([sys.executable, "-c", "pass"])
    return [
        Row("clearwin --help", seconds(best), best < 0.12),
        Row("a Python that does nothing", seconds(alone)),
    ]


@case(
    "command-compare",
    compares="process time (user + system) of clearwin compare, F1, auto, on a CSV file of 1,000 rows",
    target="under 0.35 s",
    explained="importing numpy and DuckDB alone takes more than half of it",
)
def command_compare() -> list[Row]:
    """From file to verdict."""
    rows = np.column_stack(arrays(N_8000))[:1_000]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "preds.csv"
        lines = [f"item{i:04d},{y},{a},{b}" for i, (y, a, b) in enumerate(rows)]
        file.write_text("\n".join(["id,y,svm,rbf", *lines, ""]), encoding="utf-8")
        columns = ["--truth", "y", "--a", "svm", "--b", "rbf"]
        best = process_time(own_command("compare", str(file), *columns, "--measure", "f1", "--seed", "7"))
    alone = process_time([sys.executable, "-c", "import duckdb, numpy"])
    return [
        Row("clearwin compare", seconds(best), best < 0.35),
        Row("a Python that only imports numpy and DuckDB", seconds(alone)),
    ]


@case(
    "bootstrap-memory",
    compares="peak memory (tracemalloc) of the F1 bootstrap, N = 20,000, 10,000 replicates",
    target="none, for information",
)
def bootstrap_memory() -> list[Row]:
    """Counts are held, never index matrices."""
    data = arrays({**N_7909, "e8": N_7909["e8"] + 20_000 - 7_909})
    bootstrap(*data)  # what is imported and cached on the first call is not the bootstrap's
    tracemalloc.start()
    try:
        bootstrap(*data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return [Row("clearwin", f"{peak / 1e6:.1f} MB")]


WITH_IDS = """
import duckdb

rows = "FROM range(10_000_000) AS r(i)"
said = [f"(hash(i, {k}) % 10 < {k + 1})::INT AS {name}" for k, name in enumerate(("y", "svm", "rbf"))]
with duckdb.connect() as db:
    db.execute("SET memory_limit = '1GB'")
    db.execute(f"COPY (SELECT printf('item%08d', i) AS id, {', '.join(said)} {rows}) TO 'one.csv'")
    for name in ("y", "svm", "rbf"):
        db.execute(f"COPY (SELECT id, {name} FROM 'one.csv' ORDER BY hash(id, '{name}')) TO '{name}.csv'")
"""


@case(
    "id-memory",
    compares="peak memory of clearwin compare --id, F1, 10,000,000 items: one CSV file, and three joined by id",
    target="under 0.5 GB",
)
def memory_with_ids() -> list[Row]:
    """Each in a process of its own; the ids of the three files stand in three orders."""
    command = str(Path(sys.executable).with_name("clearwin"))
    files = {"one file": "one.csv --truth y --a svm --b rbf", "three files": "y.csv svm.csv rbf.csv"}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", WITH_IDS], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        for name, given in files.items():
            asked = [command, "compare", *given.split(), "--id", "id", "--n-resamples", "1000", "--seed", "7"]
            # a process inherits the peak memory of the one that starts it: this small one, not the bench
            peak = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=2, check=True); "
            peak += "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
            peak += "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6)"
            line = ["sh", "-c", '"$0" "$@"; exit $?', sys.executable, "-c", peak, *asked]
            found = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=True)
            took, memory = (float(x) for x in found.stdout.split())
            rows += [Row(f"{name}, in GB", f"{memory:.2f}", memory < 0.5), Row(f"{name}, time", seconds(took))]
    return rows


@case(
    "report-size",
    compares="size of the HTML report of the F1 bootstrap, N = 7,909, 10,000 replicates, and the time to write it",
    target="under 500 kB",
)
def report_size() -> list[Row]:
    """One file to mail around."""
    result = bootstrap(*arrays(N_7909))
    size = len(as_html(result).encode())
    time_taken = best_of(3, {"report": lambda: as_html(result)})["report"]
    return [Row("clearwin report", f"{size / 1e3:.0f} kB in {seconds(time_taken)}", size < 500_000)]


MANY_MODELS = """
import sys
import time
import numpy as np
import clearwin as cw

rng, m = np.random.default_rng(2004), int(sys.argv[1])
truth = (rng.random(100_000) < 0.3).astype(np.int8)
models = {f"m{j}": np.where(rng.random(truth.size) < 0.35 + j / 2_000, 1 - truth, truth) for j in range(m)}
cw.rank(truth[:1_000], {name: said[:1_000] for name, said in models.items()}, n_resamples=50)
start = time.process_time()
found = cw.rank(truth, models, measure="f1", n_resamples=10_000, rng=1)
print(time.process_time() - start, found.n_tests)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@case(
    "rank-many",
    compares="rank(): F1 of 20 and 60 models on 100,000 items that nearly all differ, 10,000 shared replicates",
    target="20 models in 4 s, 60 models in 40 s; memory under 1 GB",
)
def rank_many_models() -> list[Row]:
    """In processes of their own, whose VmHWM is their peak memory."""
    rows = []
    for models, limit in ((20, 4.0), (60, 40.0)):
        line = [sys.executable, "-c", MANY_MODELS, str(models)]
        found = subprocess.run(line, capture_output=True, text=True, check=True)
        work, tests, peak = found.stdout.split()
        memory = float(peak) / 1e6
        rows += [
            Row(f"{models} models, {tests} tests", seconds(float(work)), float(work) < limit),
            Row("peak memory of the process, in GB", f"{memory:.2f}", memory < 1.0),
        ]
    return rows


LARGE_STUDY = """
import resource
import sys
import time
import joblib
import numpy as np
import clearwin as cw


def made_up(n, k=21):
    # frequencies from 20 % down to 0.5 %, 1.2 labels a document, errors that the two models mostly share
    rng = np.random.default_rng(2004)
    often = 0.2 * 0.025 ** (np.arange(k) / (k - 1))
    truth = rng.random((n, k), dtype=np.float32) < often
    hard = rng.random((n, k), dtype=np.float32)
    models = []
    for better in (0.0, 0.01):
        own = np.where(rng.random((n, k), dtype=np.float32) < 0.7, hard, rng.random((n, k), dtype=np.float32))
        models.append(np.where(truth, own < 0.78 + better, own < 0.22 * often * (1 - better)))
    return truth, *models


if __name__ == "__main__":
    data = made_up(790_900)
    start = time.process_time()
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = cw.study(*data, measure="macro_f1", test_size=7_909, n_sets=1_000, rng=1, progress=False)
    work = time.process_time() - start
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    work += workers.ru_utime + workers.ru_stime
    print(work, (own.ru_maxrss + 2 * workers.ru_maxrss) / 1e6)
    print(next(row.value for row in found.coverage), file=sys.stderr)
"""


@case(
    "study-large",
    compares="study(): all parts, macro F1 of 1,000 sets of 7,909 from 790,900 documents with 21 categories, 2 workers",
    target="50 s, which two cores do in 25, and 2 GB",
    explained="the target is from before the default test drew test sets of its own for every set that is studied",
)
def study_large() -> list[Row]:
    """In a process of its own, with two workers, each a process, too."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large_study.py"
        file.write_text(LARGE_STUDY, encoding="utf-8")
        # a process inherits the peak memory of the one that starts it: a shell here, not this one
        line = ["sh", "-c", '"$0" "$1"; exit $?', sys.executable, str(file)]
        found = subprocess.run(line, capture_output=True, text=True, check=True)
    work, memory = (float(x) for x in found.stdout.split())
    return [
        Row("clearwin and its two workers together", seconds(work), work < 50),
        Row("peak memory of all processes at most, in GB", f"{memory:.2f}", memory < 2.0),
    ]


LARGE_LOGS = """
import json, resource, sys, time
from pathlib import Path

import clearwin as cw

folder = Path(sys.argv[1])
for name, step in (("a", 3), ("b", 4)):
    (folder / name).mkdir()
    with (folder / name / "samples_quiz_2026-01-01T00-00-00.jsonl").open("w") as file:
        for i in range(100_000):
            line = {"doc_id": i, "doc": {"question": "x" * 600}, "target": "A", "arguments": "y" * 200}
            line |= {"resps": [["z" * 60]], "filtered_resps": ["A"], "filter": "none", "metrics": ["exact_match"]}
            line |= {"prompt_hash": f"{i:064}", "target_hash": f"{i:064}", "exact_match": float(i % step > 0)}
            file.write(json.dumps(line) + "\\n")
begin = time.process_time()
cw.compare(data=cw.logs.read(folder / "a", folder / "b"), rng=1)
print(time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
"""


@case(
    "logs",
    compares="two logs of lm-evaluation-harness with 100,000 samples of 1.2 kB each, read, paired and compared",
    target="at most 5 s and 500 MB",
)
def large_logs() -> list[Row]:
    """In a process of its own, so that the peak is that of reading."""
    with tempfile.TemporaryDirectory() as folder:
        line = ["sh", "-c", '"$0" -c "$1" "$2"; exit $?', sys.executable, LARGE_LOGS, folder]
        found = subprocess.run(line, capture_output=True, text=True, check=True)
    took, memory = (float(x) for x in found.stdout.split())
    return [
        Row("clearwin, read and compared", seconds(took), took < 5),
        Row("peak memory in MB", f"{memory:.0f}", memory < 500),
    ]


# --- large data ---------------------------------------------------------------------------------------------------

# items come from DuckDB, which makes them while they are counted; the process tells its peak memory itself
LARGE_FRAMES = """
import sys, time
import duckdb
import clearwin as cw

what, n = sys.argv[1], int(sys.argv[2])
u = "(hash(i * 8 + {}) % 4294967296) / 4294967296.0".format
roles = {"truth": "y", "a": "a", "b": "b"}
if what in ("decisions", "groups"):
    said = [f"({u(k)} < {0.3 + k / 100})::INT AS {name}" for k, name in enumerate(("y", "a", "b"))]
    how = {"measure": "f1"}
    if what == "groups":
        said.append("'author ' || (hash(i * 8 + 5) % 10_000) AS who")
        how["groups"] = "who"
elif what == "label sets":
    cell = "((hash(i * 64 + {}) % 1000 < 77) != (hash(i * 256 + {}) % 1000 < {}))::INT AS {}_{}".format
    said = [cell(j, 64 * k + j, 20 * (k > 0), name, j) for k, name in enumerate(("y", "a", "b")) for j in range(50)]
    how = {"measure": "macro_f1"}
else:
    noise = {"a": f"{u(3)} * 0.5 + 0.4 * y", "b": f"{u(4)} * 0.5 + 0.4005 * y"}
    said = [f"({u(0)} < 0.3)::INT AS y", *(f"{u(1)} + {u(2)} + {x} AS {name}" for name, x in noise.items())]
    how = {"measure": "auc"}
duckdb.sql("SET enable_progress_bar = false")
frame = duckdb.sql(f"SELECT {', '.join(said)} FROM range({n}) r(i)")
start = time.process_time()
if what == "label sets":
    roles = {role: [f"{name}_{j}" for j in range(50)] for role, name in roles.items()}
found = cw.compare(data=frame, **roles, rng=1, **how)
print(time.process_time() - start)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
print(found.difference, *[caveat.text for caveat in found.caveats if caveat.code == "binned"])
"""


def large_frame(what: str, n: int) -> tuple[float, float, str]:
    """Return processor time, peak memory in GB and what was found, of a process of its own."""
    line = ["sh", "-c", '"$0" -c "$1" "$2" "$3"; exit $?', sys.executable, LARGE_FRAMES, what, str(n)]
    found = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    work, peak, *told = found.splitlines()
    return float(work), float(peak) / 1e6, " ".join(told)


@case(
    "large-decisions",
    compares="compare(data=): F1 of 100,000,000 rows of decisions that DuckDB makes and counts",
    target="under 1 GB",
)
def large_decisions() -> list[Row]:
    """Only counts come back."""
    work, memory, _ = large_frame("decisions", 100_000_000)
    return [
        Row("clearwin, from the frame to the verdict", seconds(work)),
        Row("peak memory in GB", f"{memory:.2f}", memory < 1.0),
    ]


@case(
    "large-groups",
    compares="compare(data=): F1 of 10,000,000 rows of decisions in 10,000 groups that DuckDB makes and counts",
    target="under 1 GB",
)
def large_groups() -> list[Row]:
    """Only the counts of each group come back."""
    work, memory, _ = large_frame("groups", 10_000_000)
    return [
        Row("clearwin, from the frame to the verdict", seconds(work)),
        Row("peak memory in GB", f"{memory:.2f}", memory < 1.0),
    ]


@case(
    "large-scores",
    compares="compare(data=): AUC of 100,000,000 pairs of scores that DuckDB makes and counts in bins",
    target="under 2 GB",
)
def large_scores() -> list[Row]:
    """DeLong's test, with what it says of its bounds."""
    work, memory, told = large_frame("scores", 100_000_000)
    return [
        Row("clearwin, from the frame to the verdict", seconds(work)),
        Row("peak memory in GB", f"{memory:.2f}", memory < 2.0),
        Row(f"difference {told}", ""),
    ]


@case(
    "bins-exact",
    compares="AUC of 2,000,000 pairs of scores: DeLong's test from a million bins against the exact one",
    target="within the bounds that the result tells",
)
def bins_against_exact() -> list[Row]:
    """Both on the same scores."""
    import polars as pl

    from clearwin.data.binned_scores import bin_scores
    from clearwin.numerics.auc_covariance import auc_covariance, difference_variance

    rng = np.random.default_rng(2004)
    truth = rng.random(2_000_000) < 0.3
    shared = rng.normal(size=truth.size) + truth
    a, b = (shared + rng.normal(scale=scale, size=truth.size) for scale in (0.5, 0.49))
    frame = pl.DataFrame({"y": truth, "a": a, "b": b})
    exact = auc_covariance(truth, [a, b])
    binned = bin_scores(frame, "y", {"a": "a", "b": "b"}, 2**20).areas
    off, deviation = np.abs(binned.aucs - exact.aucs), np.sqrt(difference_variance(exact))
    low, high = binned.deviations
    return [
        Row("areas are off by at most", f"{off.max():.1e}", bool((off <= binned.errors).all())),
        Row("and are said to be off by at most", f"{binned.errors.max():.1e}"),
        Row("standard error of the difference", f"{deviation:.3e}", bool(low <= deviation <= high)),
        Row("and is said to lie from", f"{low:.3e}"),
        Row("to", f"{high:.3e}"),
    ]


LARGE_CSV = """
import duckdb

said = [f"(hash(i * 8 + {k}) % 10 < {k + 1})::INT AS {name}" for k, name in enumerate(("y", "svm", "rbf"))]
duckdb.sql(f"COPY (SELECT {', '.join(said)} FROM range(10_000_000) AS r(i)) TO 'large.csv'")
"""


@case(
    "large-csv",
    compares="from a CSV file of 10,000,000 rows to the verdict, F1, against DuckDB's own GROUP BY of the same columns",
    target="at most 1.3 times as long",
    explained="counting the file is within the target; the command also starts, imports and prints, whatever the rows",
)
def large_csv() -> list[Row]:
    """Both in this process; then both as whole processes, which import whatever the rows."""
    import duckdb

    from clearwin.analyses.compare import compare_tally
    from clearwin.data.files.predictions import tally_file

    columns = {"truth": "y", "a": "svm", "b": "rbf"}
    command = own_command("compare", "large.csv", "--seed", "7")
    command += [word for role, name in columns.items() for word in (f"--{role}", name)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", LARGE_CSV], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        file = str(Path(folder, "large.csv"))
        counted = f"SELECT y, svm, rbf, count(*) FROM read_csv('{file}', all_varchar=true) GROUP BY ALL"
        best = best_of(
            5,
            {
                "clearwin": lambda: compare_tally(tally_file(file, columns).counts, rng=7),
                "DuckDB": lambda: duckdb.execute(counted).fetchall(),
            },
        )
        alone = [sys.executable, "-c", f"import duckdb; duckdb.execute({counted!r}).fetchall()"]
        own, its = process_time(command, folder), process_time(alone, folder)
    ratio = best["clearwin"] / best["DuckDB"]
    return [
        *(Row(name, seconds(took)) for name, took in best.items()),
        Row("clearwin / DuckDB", f"{ratio:.2f}", ratio <= 1.3),
        Row("the whole command", seconds(own)),
        Row("a Python that imports DuckDB and counts", seconds(its)),
        Row("the command / that Python", f"{own / its:.2f}", own / its <= 1.3),
    ]


LARGE_LABEL_SETS = """
import time
import numpy as np
import clearwin as cw

rng, n, k = np.random.default_rng(2004), 1_000_000, 50
drawn = lambda: rng.random((n, k), dtype=np.float32)
truth = drawn() < rng.beta(1, 12, k)
a = ((drawn() < 0.8) & truth) | (drawn() < 0.005)
b = np.where(drawn() < 0.5, a, ((drawn() < 0.8) & truth) | (drawn() < 0.005))
start = time.process_time()
cw.compare(truth, a, b, measure="macro_f1", rng=1)
print(time.process_time() - start)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@case(
    "large-label-sets",
    compares="compare(): macro F1 of 1,000,000 documents with 50 labels, from arrays and from a frame of DuckDB",
    target="within 20 s and 1 GB, with the arrays themselves and what made them",
)
def large_label_sets() -> list[Row]:
    """In processes of their own."""
    line = ["sh", "-c", '"$0" -c "$1"; exit $?', sys.executable, LARGE_LABEL_SETS]
    found = subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()
    work_of_arrays, peak = (float(x) for x in found)
    measured = {"arrays": (work_of_arrays, peak / 1e6), "a frame": large_frame("label sets", 1_000_000)[:2]}
    rows = []
    for name, (work, memory) in measured.items():
        rows += [
            Row(f"clearwin, from {name}", seconds(work), work < 20),
            Row("peak memory in GB", f"{memory:.2f}", memory < 1.0),
        ]
    return rows


# --- the table ------------------------------------------------------------------------------------------------

# --- growth -------------------------------------------------------------------------------------------------------

MORE = 4  # times as much of what a row is about


def peak_of(work: Callable[[], object]) -> float:
    """Return the most memory that Python holds while it works, in MB, after one call that is not measured."""
    work()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def growth(
    what: str, job: Callable[[int], Callable[[], object]], size: int, limit: float, *, memory: bool = False
) -> Row:
    """Return by what factor MORE times as much costs more: processor time, or memory."""
    small, large = job(size), job(MORE * size)
    if memory:
        few, many = peak_of(small), peak_of(large)
        shown = f"{few:.3g} MB, {many:.3g} MB"
    else:
        best = best_of(3, {"small": small, "large": large})
        few, many = best["small"], best["large"]
        shown = f"{seconds(few)}, {seconds(many)}"
    measured = f"{many / few:.1f} ({shown})"
    return Row(f"{what}: {MORE * size:,} / {size:,}", measured, many / few <= limit)


def many_labels(labels: int) -> Callable[[], object]:
    """Compare label sets of 500 documents, whose labels are as many whatever the number of kinds."""
    from scipy.sparse import csr_array

    rng, documents, given = np.random.default_rng(2004), 500, 1_500
    told = []
    for _ in range(3):
        places = rng.integers(0, documents, given), rng.integers(0, labels, given)
        told.append((csr_array((np.ones(given, dtype=np.int8), places), shape=(documents, labels)) > 0).astype(np.int8))
    a, b = (((told[0] + own) > 0).astype(np.int8) for own in told[1:])
    return partial(cw.compare, told[0], a, b, measure="micro_f1", n_resamples=200, rng=1)


def many_data_sets(n: int) -> Callable[[], object]:
    """Rank two models on data sets, so that their permutations are counted by a coin."""
    rng = np.random.default_rng(2006)
    scores = {name: (0.7 + 0.2 * rng.random(n) + 0.01 * i).round(4) for i, name in enumerate("ab")}
    return partial(cw.rank_data_sets, scores, n_resamples=100, rng=1)


def many_models(m: int) -> Callable[[], object]:
    """Rank models by the AUC of 500 items."""
    rng = np.random.default_rng(1988)
    truth = (rng.random(500) < 0.3).astype(int)
    scores = {f"m{j:03d}": truth * (1 + j / 100) + rng.normal(size=truth.size) for j in range(m)}
    return partial(cw.rank, truth, scores, measure="auc", n_resamples=500, rng=1)


def many_values(n: int) -> Callable[[], object]:
    """Compare trimmed means."""
    rng = np.random.default_rng(1963)
    a = rng.normal(size=n)
    b = a + rng.normal(0.01, 0.3, n)
    return partial(cw.compare, None, a, b, measure="trimmed_mean", n_resamples=100, rng=1)


@case(
    "growth",
    compares="how time and memory grow with labels, data sets, models and items: of four times as many to as many",
    target="time and memory at most five times as much; sixteen times for models, whose pairs are the answer",
)
def growth_of_verbs() -> list[Row]:
    """Ratios, which machines share."""
    pairs = MORE**2
    return [
        growth("labels, memory", many_labels, 500, 5, memory=True),
        growth("labels, time", many_labels, 500, 5),
        growth("data sets, memory", many_data_sets, 2_000, 5, memory=True),
        growth("data sets, time", many_data_sets, 2_000, 5),
        growth("models ranked by AUC, memory", many_models, 30, pairs, memory=True),
        growth("models ranked by AUC, time", many_models, 30, pairs),
        growth("items of a trimmed mean, memory", many_values, 50_000, 5, memory=True),
        growth("items of a trimmed mean, time", many_values, 50_000, 5),
    ]


KEPT = Path(__file__).parents[1] / "docs" / "bench.json"


def heading() -> str:
    """Say what was measured with what."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("clearwin", "numpy", "scipy", "scikit-learn", "duckdb"))
    return f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores"


def show(chosen: Case) -> list[Row]:
    """Run one case and print its part of the table."""
    print(f"\n{chosen.name}: {chosen.compares}\n  target: {chosen.target}", flush=True)
    rows = chosen.run()
    for row in rows:
        verdict = {None: "", True: "met", False: "MISSED  <<<"}[row.met]
        print(f"  {row.what:<62}{row.measured:>10}  {verdict}".rstrip(), flush=True)
    return rows


def kept() -> dict[str, Any]:
    """Return the figures that were kept, by the names of the cases."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8"))) if KEPT.exists() else {}


def keep(name: str, rows: list[Row]) -> None:
    """Write a case's figures down, in the order of the cases, with the commit and the versions they were taken at."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, cwd=KEPT.parent, capture_output=True, text=True, check=True).stdout.strip()
    figures = kept() | {name: {"commit": commit, "with": heading(), "rows": [asdict(row) for row in rows]}}
    ordered = {one.name: figures[one.name] for one in CASES if one.name in figures}
    KEPT.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(*words: str) -> int:
    """Run the cases whose names contain the word that is given; return the exit status."""
    part = next((word for word in words if word != "--keep"), "")
    chosen = [one for one in CASES if part in one.name]
    if not chosen:
        known = ", ".join(one.name for one in CASES)
        print(f"no case is called {part!r}; there are {known}", file=sys.stderr)
        return 2
    print(heading())
    met: list[bool] = []
    crashed: list[str] = []
    for one in chosen:
        try:
            rows = show(one)
        except Exception:
            traceback.print_exc()
            crashed.append(one.name)
            continue
        met += [row.met for row in rows if row.met is not None]
        if "--keep" in words:
            keep(one.name, rows)
    print(f"\n{sum(met)} of {len(met)} targets met, {met.count(False)} missed.")
    if crashed:
        print(f"CRASHED: {', '.join(crashed)}")
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
