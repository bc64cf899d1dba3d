"""The page of benchmarks: what `make bench` and `make rivals` measured, as tables and a picture (`make docs`)."""

from __future__ import annotations

import bench
import rivals

HEAD = """# Benchmarks

<!-- made by scripts/benchmarks_page.py from docs/bench.json and docs/rivals.json (make docs); do not edit -->

Why is clearwin quick? A test set becomes the counts of a few joint outcomes. A bootstrap replicate is one multinomial
draw over them, so its cost does not grow with the number of items. See [the architecture](architecture.md).

All times are processor times of all cores together, because machines are shared: contenders take turns, and the best
of several rounds counts for each. Compare ratios, not times, with what your machine shows.

## Targets

`make bench` measures these cases, keeps the figures and writes this page; `python scripts/bench.py large-csv` shows
one case. Data come from fixed seeds. A figure without a verdict is there for information.
"""

OTHERS = """
## Beside other packages

`make rivals` measures what other packages take for the same jobs. All of them are installed in one environment, and
every call runs in a process of its own. The figures are seconds of the call, without importing, and the peak memory
of its process in MB; *k* is fitted to the largest three sizes: time grows as nᵏ. A tool that takes longer than four
seconds is not asked for more items. Slow tools draw a part of the replicates, and their time is scaled.
confidenceinterval, mlxtend and torchmetrics judge one model, the others two. *The limit* is what no tool can do
without: one pass over the columns and the draws, sorting the scores, or DuckDB's own `GROUP BY` over the file; of
drawn items it is numpy's random numbers.

{versions}

![F1 with 1,000 replicates: time against items, a line for each package](benchmarks.svg)
"""

LAST = """
Once the items are counted, a bootstrap of F1 does not grow with them. The test of two areas sorts each model's scores
once. McNemar's exact test is a few lines in any package: clearwin takes a millisecond or two longer because it checks
its input and inverts the test for the interval. On a file, pandas with scikit-learn gives a difference without a
test.

[Scale](scale.md) has the figures of an accelerator. `make proof` measures the local page under load;
[reliability](reliability.md) has the figures.
"""


def page() -> str:
    """Return the whole page."""
    record, _ = rivals.kept()
    versions = ", ".join([f"Python {record['python']}", *(f"{name} {of}" for name, of in record["versions"].items())])
    parts = [HEAD, targets(), OTHERS.format(versions=f"{versions}; seed {record['seed']}.")]
    for job, label in record["jobs"].items():
        parts.append(f"\n### {label[0].upper()}{label[1:]}\n\n{of_job(job)}")
    return "".join([*parts, LAST])


def targets() -> str:
    """Return the table of targets, the reasons for those that were missed, and where the figures were taken."""
    figures = bench.kept()
    lines, missed = ["", "| | measured | target |", "|---|---:|---|"], []
    for case in bench.CASES:
        found = figures.get(case.name, {"rows": []})
        lines.append(f"| **`{case.name}`** {case.compares} | | {case.target} |")
        for row in found["rows"]:
            lines.append(f"| {row['what']} | {row['measured']} | {VERDICTS[row['met']]} |")
        if any(row["met"] is False for row in found["rows"]):
            missed.append(f"- `{case.name}`: {case.explained or 'to be done'}.")
        if not found["rows"]:
            lines.append("| not measured yet | | |")
    taken: dict[str, list[str]] = {}
    for name, found in figures.items():
        taken.setdefault(f"{found['with']}; commit {found['commit']}", []).append(f"`{name}`")
    if missed:
        lines += ["", "Missed, and why:", "", *missed]
    lines += ["", "Measured with", "", *(f"- {how}: {', '.join(names)}" for how, names in taken.items()), ""]
    return "\n".join(lines)


VERDICTS = {None: "", True: "met", False: "**missed**"}


def of_job(job: str) -> str:
    """Return what each tool took for a job, at every size."""
    _, rows = rivals.kept()
    mine = [row for row in rows if row.job == job]
    sizes = sorted({row.n for row in mine})
    lines = [f"| | {' | '.join(f'{n:,}' for n in sizes)} | *k* |", f"|---{'|---:' * (len(sizes) + 1)}|"]
    for tool in dict.fromkeys(row.tool for row in mine):
        of_tool = [row for row in mine if row.tool == tool]
        found = {row.n: f"{written(row.seconds)} ({row.memory:,.0f})" for row in of_tool}
        grows = rivals.exponent(of_tool)
        name = f"*{tool}*" if tool == rivals.LIMIT else tool
        cells = [found.get(n, "") for n in sizes]
        lines.append(f"| {name} | {' | '.join(cells)} | {'' if grows is None else f'{grows:.2f}'} |")
    return "\n".join([*lines, ""])


def written(seconds: float) -> str:
    """Write seconds with two digits at least, and without exponents."""
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:.3g}" if seconds >= 0.001 else f"{seconds:.2g}"
