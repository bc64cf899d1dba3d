"""What others take for the same job: time, peak memory and growth, each in a process of its own (`make rivals`).

    python scripts/rivals.py            measure all, and write docs/rivals.json
    python scripts/rivals.py JOB TOOL   measure one tool again, and keep the others' rows
    python scripts/rivals.py JOB TOOL N one call: its processor seconds and its peak memory

A job has a tool for each package that users would pick; the tools run in an environment of their own, beside clearwin.
The last row of a job is its limit: what no tool can do without, such as one pass over the columns. Processor time is
that of the call, without importing. Each is measured at growing numbers of items until one call takes longer than a few
seconds, and the exponent of its growth is fitted to the largest three. Replicates that take too long are drawn in a
part, and their time is scaled: they are independent.

The last jobs measure clearwin alone, as replicates, labels, models or drawn items grow.
"""

from __future__ import annotations

import json
import math
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

SEED = 2004
REPLICATES = 1_000
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
LINE = 0.33  # between the names of two tools in a picture, in powers of ten
LONGEST = 4.0  # seconds: a tool that took longer is not asked for ten times as many items
FOUND = Path(__file__).parents[1] / "docs" / "rivals.json"
Call = Callable[[], object]


def decided(n: int) -> tuple[Any, ...]:
    """Return 0/1 labels, one in ten positive, and the decisions of two models that are right on 9 items of 10."""
    rng = np.random.default_rng(SEED)
    truth = (rng.random(n) < 0.1).astype(int)
    return truth, *(np.where(rng.random(n) < wrong, 1 - truth, truth) for wrong in (0.06, 0.055))


def scored(n: int) -> tuple[Any, ...]:
    """Return 0/1 labels, three in ten positive, and two models' probabilities."""
    rng = np.random.default_rng(SEED)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, *(1 / (1 + np.exp(-(lift * truth + rng.normal(size=n) - 1))) for lift in (1.0, 1.1))


# --- F1: an interval by 1,000 bootstrap replicates --------------------------------------------------------------


def clearwin_f1(n: int) -> tuple[Call, float]:
    """Two models, their difference and its test."""
    import clearwin as cw

    data = decided(n)
    return lambda: cw.compare(*data, measure="f1", test="bootstrap", n_resamples=REPLICATES, rng=1), 1.0


def sklearn_f1(n: int) -> tuple[Call, float]:
    """Return a loop over f1_score, two models."""
    from sklearn.metrics import f1_score

    (truth, a, b), part, rng = decided(n), 20, np.random.default_rng(1)

    def loop() -> list[float]:
        drawn = (rng.integers(0, n, n) for _ in range(part))
        return [f1_score(truth[at], b[at]) - f1_score(truth[at], a[at]) for at in drawn]

    return loop, REPLICATES / part


def scipy_f1(n: int) -> tuple[Call, float]:
    """scipy.stats.bootstrap, paired, with a formula on whole blocks of replicates, two models."""
    from scipy.stats import bootstrap

    truth, a, b = decided(n)
    part = min(REPLICATES, max(20, 20_000_000 // n))

    def f1(y: Any, x: Any, axis: int) -> Any:
        return 2 * (y & x).sum(axis=axis) / np.maximum(y.sum(axis=axis) + x.sum(axis=axis), 1)

    def difference(y: Any, x: Any, z: Any, axis: int = -1) -> Any:
        return f1(y, z, axis) - f1(y, x, axis)

    asked: dict[str, Any] = {"paired": True, "vectorized": True, "method": "percentile", "batch": 20}
    return lambda: bootstrap((truth, a, b), difference, n_resamples=part, rng=1, **asked), REPLICATES / part


def confidenceinterval_f1(n: int) -> tuple[Call, float]:
    """confidenceinterval.f1_score, one model."""
    from confidenceinterval import f1_score

    truth, a, _ = decided(n)
    part = 20
    return lambda: f1_score(truth, a, method="bootstrap_percentile", n_resamples=part), REPLICATES / part


def mlxtend_f1(n: int) -> tuple[Call, float]:
    """mlxtend.evaluate.bootstrap over f1_score, one model."""
    from mlxtend.evaluate import bootstrap
    from sklearn.metrics import f1_score

    truth, a, _ = decided(n)
    both, part = np.column_stack([truth, a]), 20
    return lambda: bootstrap(both, lambda x: f1_score(x[:, 0], x[:, 1]), num_rounds=part, seed=1), REPLICATES / part


def torchmetrics_f1(n: int) -> tuple[Call, float]:
    """torchmetrics' BootStrapper around BinaryF1Score, one model."""
    import torch
    from torchmetrics.classification import BinaryF1Score
    from torchmetrics.wrappers import BootStrapper

    torch.set_num_threads(1)
    truth, a, _ = (torch.from_numpy(x) for x in decided(n))
    part = 50

    def run() -> object:
        metric = BootStrapper(BinaryF1Score(), num_bootstraps=part, quantile=torch.tensor([0.025, 0.975]))
        metric.update(a, truth)
        return metric.compute()

    return run, REPLICATES / part


def statkit_f1(n: int) -> tuple[Call, float]:
    """statkit's paired permutation test of f1_score, two models."""
    from sklearn.metrics import f1_score
    from statkit.non_parametric import paired_permutation_test

    truth, a, b = decided(n)
    part = 20
    return lambda: paired_permutation_test(truth, a, b, metric=f1_score, n_iterations=part), REPLICATES / part


def limit_f1(n: int) -> tuple[Call, float]:
    """Return one pass over the three columns, and the draws of the eight joint outcomes."""
    data, rng, outcomes = decided(n), np.random.default_rng(1), np.full(8, 1 / 8)
    return lambda: ([column.sum() for column in data], rng.multinomial(n, outcomes, size=REPLICATES)), 1.0


# --- AUC: is one area larger? -----------------------------------------------------------------------------------


def clearwin_auc(n: int) -> tuple[Call, float]:
    """Return the default test and its interval, two models."""
    import clearwin as cw

    data = scored(n)
    return lambda: cw.compare(*data, measure="auc", rng=1), 1.0


def sklearn_auc(n: int) -> tuple[Call, float]:
    """Return a bootstrap loop over roc_auc_score, two models."""
    from sklearn.metrics import roc_auc_score

    (truth, a, b), part, rng = scored(n), 10, np.random.default_rng(1)

    def loop() -> list[float]:
        drawn = (rng.integers(0, n, n) for _ in range(part))
        return [roc_auc_score(truth[at], b[at]) - roc_auc_score(truth[at], a[at]) for at in drawn]

    return loop, REPLICATES / part


def confidenceinterval_auc(n: int) -> tuple[Call, float]:
    """DeLong's interval of confidenceinterval, one model."""
    from confidenceinterval import roc_auc_score

    truth, a, _ = scored(n)
    return lambda: roc_auc_score(truth, a, method="delong"), 1.0


def torchmetrics_auc(n: int) -> tuple[Call, float]:
    """torchmetrics' BootStrapper around BinaryAUROC, one model."""
    import torch
    from torchmetrics.classification import BinaryAUROC
    from torchmetrics.wrappers import BootStrapper

    torch.set_num_threads(1)
    truth, a, _ = scored(n)
    part = 20

    def run() -> object:
        metric = BootStrapper(BinaryAUROC(), num_bootstraps=part, quantile=torch.tensor([0.025, 0.975]))
        metric.update(torch.from_numpy(a), torch.from_numpy(truth))
        return metric.compute()

    return run, REPLICATES / part


def limit_auc(n: int) -> tuple[Call, float]:
    """Return the sorting of both models' scores by numpy."""
    _, a, b = scored(n)
    return lambda: (np.sort(a), np.sort(b)), 1.0


# --- accuracy: McNemar's test -----------------------------------------------------------------------------------


def clearwin_accuracy(n: int) -> tuple[Call, float]:
    """From arrays to the verdict, with the interval."""
    import clearwin as cw

    data = decided(n)
    return lambda: cw.compare(*data, measure="accuracy", test="mcnemar", rng=1), 1.0


def statsmodels_accuracy(n: int) -> tuple[Call, float]:
    """Return the table by numpy, and statsmodels' exact test on it."""
    from statsmodels.stats.contingency_tables import mcnemar

    truth, a, b = decided(n)

    def run() -> object:
        right = np.stack([a == truth, b == truth]).astype(int)
        return mcnemar(np.bincount(2 * right[0] + right[1], minlength=4).reshape(2, 2), exact=True)

    return run, 1.0


def mlxtend_accuracy(n: int) -> tuple[Call, float]:
    """mlxtend's table and its exact test."""
    from mlxtend.evaluate import mcnemar, mcnemar_table

    data = decided(n)
    return lambda: mcnemar(mcnemar_table(*data), exact=True), 1.0


def limit_accuracy(n: int) -> tuple[Call, float]:
    """Return one pass over the three columns."""
    data = decided(n)
    return lambda: [column.sum() for column in data], 1.0


# --- a CSV file: from the file to the answer --------------------------------------------------------------------


def written(n: int) -> str:
    """Return the path of a CSV file of decisions, which the process leaves to the system to remove."""
    import duckdb
    import pandas as pd

    path = Path(tempfile.gettempdir()) / f"rivals-{n}.csv"
    if not path.exists():
        truth, a, b = decided(n)
        duckdb.from_df(pd.DataFrame({"truth": truth, "a": a, "b": b})).write_csv(str(path))
    return str(path)


def clearwin_file(n: int) -> tuple[Call, float]:
    """From the file to the verdict in F1, by the command."""
    from click.testing import CliRunner

    from clearwin.cli import main

    words = ["compare", written(n), "--truth", "truth", "--a", "a", "--b", "b", "--measure", "f1", "--positive", "1"]
    return lambda: CliRunner().invoke(main, [*words, "--test", "bootstrap", "--seed", "1"], catch_exceptions=False), 1.0


def pandas_file(n: int) -> tuple[Call, float]:
    """pandas.read_csv and scikit-learn's f1_score of both models: a difference without a test."""
    import pandas as pd
    from sklearn.metrics import f1_score

    path = written(n)

    def run() -> float:
        frame = pd.read_csv(path)
        return float(f1_score(frame.truth, frame.b) - f1_score(frame.truth, frame.a))

    return run, 1.0


def limit_file(n: int) -> tuple[Call, float]:
    """DuckDB's own GROUP BY over the file."""
    import duckdb

    path = written(n)
    query = f"SELECT truth, a, b, count(*) FROM read_csv('{path}') GROUP BY ALL"
    return lambda: duckdb.execute(query).fetchall(), 1.0


# --- clearwin alone: what else grows ----------------------------------------------------------------------------


def replicates(n: int) -> tuple[Call, float]:
    """F1 of 10,000 items, n replicates."""
    import clearwin as cw

    data = decided(10_000)
    return lambda: cw.compare(*data, measure="f1", test="bootstrap", n_resamples=n, rng=1), 1.0


def labels(n: int) -> tuple[Call, float]:
    """Macro F1 of 2,000 items with sets of n labels, 1,000 replicates."""
    import clearwin as cw

    rng = np.random.default_rng(SEED)
    truth = rng.random((2_000, n)) < 0.1
    a, b = ((truth ^ (rng.random(truth.shape) < 0.05)).astype(int) for _ in range(2))
    how: dict[str, Any] = {"measure": "macro_f1", "test": "bootstrap", "n_resamples": REPLICATES, "rng": 1}
    return lambda: cw.compare(truth.astype(int), a, b, **how), 1.0


def models(n: int) -> tuple[Call, float]:
    """Rank n models of 10,000 items by F1, 1,000 replicates, all pairs by max-T."""
    import clearwin as cw

    rng = np.random.default_rng(SEED)
    truth = (rng.random(10_000) < 0.3).astype(int)
    answers = {f"m{i}": np.where(rng.random(truth.size) < 0.1, 1 - truth, truth) for i in range(n)}
    how: dict[str, Any] = {"measure": "f1", "correction": "max-t", "n_resamples": REPLICATES, "rng": 1}
    return lambda: cw.rank(truth, answers, **how), 1.0


def drawn(n: int) -> tuple[Call, float]:
    """AUC of n items, 1,000 bootstrap replicates of two models."""
    import clearwin as cw

    data = scored(n)
    return lambda: cw.compare(*data, measure="auc", test="bootstrap", n_resamples=REPLICATES, rng=1), 1.0


def limit_drawn(n: int) -> tuple[Call, float]:
    """Return a random number for each of so many draws, a hundredth of them measured."""
    rng, part = np.random.default_rng(1), max(REPLICATES // 100, 1)
    return lambda: [rng.integers(0, n, n, dtype=np.uint32) for _ in range(part)], REPLICATES / part


LIMIT = "the limit"
JOBS: dict[str, tuple[str, dict[str, Callable[[int], tuple[Call, float]]]]] = {
    "f1": (
        f"F1, {REPLICATES:,} replicates",
        {
            "clearwin": clearwin_f1,
            "scikit-learn": sklearn_f1,
            "scipy": scipy_f1,
            "confidenceinterval": confidenceinterval_f1,
            "mlxtend": mlxtend_f1,
            "torchmetrics": torchmetrics_f1,
            "statkit": statkit_f1,
            LIMIT: limit_f1,
        },
    ),
    "auc": (
        f"AUC, the default test or {REPLICATES:,} replicates",
        {
            "clearwin": clearwin_auc,
            "scikit-learn": sklearn_auc,
            "confidenceinterval": confidenceinterval_auc,
            "torchmetrics": torchmetrics_auc,
            LIMIT: limit_auc,
        },
    ),
    "accuracy": (
        "accuracy, McNemar's exact test",
        {
            "clearwin": clearwin_accuracy,
            "statsmodels": statsmodels_accuracy,
            "mlxtend": mlxtend_accuracy,
            LIMIT: limit_accuracy,
        },
    ),
    "file": (
        "a CSV file, F1",
        {"clearwin": clearwin_file, "pandas": pandas_file, LIMIT: limit_file},
    ),
    "replicates": ("F1 of 10,000 items, by replicates", {"clearwin": replicates}),
    "labels": (f"macro F1 of 2,000 items, {REPLICATES:,} replicates, by labels", {"clearwin": labels}),
    "models": (f"F1 of 10,000 items, {REPLICATES:,} replicates, by models", {"clearwin": models}),
    "drawn": (f"AUC, {REPLICATES:,} bootstrap replicates, by items", {"clearwin": drawn, LIMIT: limit_drawn}),
}
SIZES_OF = {
    "replicates": (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    "labels": (5, 50, 500),
    "models": (4, 16, 64),
    "drawn": (1_000, 10_000, 100_000, 1_000_000),
}


@dataclass(frozen=True)
class Measured:
    """One call: processor seconds of all replicates, and the peak memory of its process in MB."""

    job: str
    tool: str
    n: int
    seconds: float
    memory: float
    drawn: float  # the share of the replicates that were drawn


def once(job: str, tool: str, n: int) -> None:
    """Run a call on few items, which loads and compiles, then the one that is measured, and print its figures."""
    run, times = JOBS[job][1][tool](n)
    JOBS[job][1][tool](SIZES_OF.get(job, (20_000,))[0])[0]()
    took = processor_time(run)
    if took < LONGEST:  # other sizes may take another way, which is compiled when it is first needed
        took = min(took, processor_time(run))
    print(json.dumps([took, times, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3]))


def processor_time(run: Call) -> float:
    """Return the processor seconds of a call."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def measured(job: str, tool: str) -> list[Measured]:
    """Measure a tool at growing numbers of items, as long as it does not take too long."""
    found: list[Measured] = []
    for n in SIZES_OF.get(job, SIZES):
        line = [sys.executable, __file__, job, tool, str(n)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            print(f"  {tool}, {n:,} items: {done.stderr.strip().splitlines()[-1]}", flush=True)
            break
        took, times, memory = json.loads(done.stdout.splitlines()[-1])
        found.append(Measured(job, tool, n, took * times, memory, 1 / times))
        print(f"  {tool:<20}{n:>12,} items {took * times:>10.3f} s {memory:>8.0f} MB", flush=True)
        if took > LONGEST:
            break
    return found


def exponent(rows: list[Measured]) -> float | None:
    """Return k of time ∝ nᵏ over the largest three numbers of items, by least squares on logarithms."""
    last = rows[-3:]
    if len(last) < 3:
        return None
    x, y = (np.log([float(v) for v in values]) for values in ([r.n for r in last], [r.seconds for r in last]))
    return float(np.polyfit(x, y, 1)[0])


def kept() -> tuple[dict[str, Any], list[Measured]]:
    """Return what was measured last, and its rows."""
    record = json.loads(FOUND.read_text(encoding="utf-8"))
    return record, [Measured(**row) for row in record["rows"]]


def plot(job: str) -> Any:
    """Return a picture of time against items, a line for each tool."""
    from matplotlib.figure import Figure

    record, rows = kept()
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    ends = []
    for tool in dict.fromkeys(row.tool for row in rows if row.job == job):
        mine = [row for row in rows if (row.job, row.tool) == (job, tool)]
        ours = tool == "clearwin"
        line = {"color": "#0b5fa5" if ours else "0.55", "lw": 2.2 if ours else 1.2, "marker": "o", "ms": 4}
        if tool == LIMIT:
            line |= {"ls": ":", "marker": ""}
        axes.loglog([row.n for row in mine], [row.seconds for row in mine], **line)
        ends.append((mine[-1].seconds, mine[-1].n, tool))
    above: dict[int, float] = {}  # the height of the last name at each end, so that names do not cover one another
    for seconds, n, tool in sorted(ends):
        height = above[n] = max(math.log10(seconds), above.get(n, -math.inf) + LINE)
        axes.text(n * 1.25, 10**height, tool, va="center", fontsize=9)
    axes.set(xlabel="items", ylabel="processor seconds", title=record["jobs"][job])
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlim(right=axes.get_xlim()[1] * 8)
    return figure


def main(only: tuple[str, ...] = ()) -> int:
    """Measure everything, or one tool of a job, and write it down."""
    packages = ["clearwin", *sorted({tool for _, tools in JOBS.values() for tool in tools} - {"clearwin", LIMIT})]
    before = kept()[1] if only else []
    for n in SIZES if not only or only[0] == "file" else ():
        written(n)  # here, so that no measured process has to
    rows: list[Measured] = []
    for job, (label, tools) in JOBS.items():
        print(label, flush=True)
        for tool in tools:
            again = not only or (job, tool) == only
            rows += measured(job, tool) if again else [row for row in before if (row.job, row.tool) == (job, tool)]
    record = {
        "python": platform.python_version(),
        "versions": {name: version(name) for name in (*packages, "numpy", "torch")},
        "seed": SEED,
        "jobs": {job: label for job, (label, _) in JOBS.items()},
        "rows": [
            {name: round(v, 6) if isinstance(v, float) else v for name, v in asdict(row).items()}
            for row in rows
            if math.isfinite(row.seconds)
        ],
    }
    FOUND.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 4:
        once(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main(tuple(sys.argv[1:])))
