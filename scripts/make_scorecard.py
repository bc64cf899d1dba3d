"""Measure the sizes, coverages and powers of every test, and write docs/scorecard.json and docs/scorecard.md.

``--only defaults`` measures some sections (here page one) and keeps the rest of the data file; ``--page`` only writes
the page anew; ``--check`` says whether the page is what the data file makes; ``--again 20`` measures every twentieth
cell again and says which figures differ from those that are kept. ``--data FOLDER`` is where the real data are.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import joblib

import clearwin as cw
from clearwin.workers import with_progress
from scorecard import page
from scorecard.rows import ROUNDING, Row, Section, load, save
from scorecard.sections import SECTIONS, jobs, rows_of

SEED = 2004


def commit() -> str:
    """Return the commit that is measured, with a sign that the code differs from it."""
    try:
        found, changed = (
            subprocess.run(["git", *words], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
            for words in (["rev-parse", "--short=8", "HEAD"], ["status", "--porcelain", "--", "src", "scripts"])
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip() + ("+" if changed.stdout else "")


def measure(name: str, workers: int, folder: str | None, sets: int) -> Section:
    """Measure one section; the numbers do not depend on the number of workers."""
    start = time.perf_counter()
    work = jobs(name, folder)
    parallel = joblib.Parallel(n_jobs=workers, backend="loky", return_as="generator")
    done = parallel(joblib.delayed(rows_of)(name, number, SEED, folder, sets) for number in range(work))
    rows = [row for part in with_progress(done, work, name, wanted=True) for row in part]
    seconds = round(time.perf_counter() - start, 1)
    print(f"{name}: {len(rows):,} figures in {seconds:.0f} s", flush=True)
    return Section(tuple(rows), cw.__version__, commit(), SEED, SECTIONS[name].n_resamples, seconds)


def differing(name: str, every: int, workers: int, folder: str | None) -> int:
    """Measure one cell of so many again, say which figures are not those that are kept, and return how many."""
    kept = {_what(row): row for row in load()[name].rows}
    numbers = range(0, jobs(name, folder), every)
    parallel = joblib.Parallel(n_jobs=workers, backend="loky")
    found = [row for part in parallel(joblib.delayed(rows_of)(name, i, SEED, folder) for i in numbers) for row in part]
    changed = [row for row in found if _what(row) not in kept or not _same(row, kept[_what(row)])]
    for row in changed:
        before = kept.get(_what(row))
        print(f"{row.kind}, {row.measure}, {row.cell}: {row.value:.4f}, was {before.value if before else 'not there'}")
    print(f"{name}: {len(found):,} figures of {len(numbers):,} cells were measured again, {len(changed):,} differ")
    return len(changed)


def _what(row: Row) -> Row:
    return replace(row, value=0.0, trials=0, width=None, told=0.0)


def _same(row: Row, other: Row) -> bool:
    return abs(row.value - other.value) < ROUNDING and abs(row.told - other.told) < ROUNDING


def main() -> int:
    """Measure what is asked for, and write."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    options.add_argument("--only", default="", help="sections, with commas: " + ", ".join(SECTIONS))
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--data", default="", help="folder of the real data; without it their rows are kept")
    options.add_argument("--sets", type=int, default=0, help="the most test sets of each cell, for a first look")
    options.add_argument("--again", type=int, default=0, help="measure one cell of so many again, and compare")
    options.add_argument("--page", action="store_true", help="only write the page anew")
    options.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    given = options.parse_args()
    if given.check:
        fresh = page.PAGE.read_text(encoding="utf-8") == page.text(load())
        if not fresh:
            print("docs/scorecard.md is not what docs/scorecard.json makes: python scripts/make_scorecard.py --page")
        return 0 if fresh else 1
    names = [name for name in given.only.split(",") if name] or list(SECTIONS)
    for name in names:
        if name not in SECTIONS:
            options.error(f"there is no section {name!r}; there are {', '.join(SECTIONS)}")
    if given.again:
        return min(1, sum(differing(name, given.again, given.workers, given.data or None) for name in names))
    for name in [] if given.page else names:
        if SECTIONS[name].needs_data and not given.data:
            print(f"{name}: no folder of data was given, so its rows stay as they were measured")
            continue
        measured = measure(name, given.workers, given.data or None, given.sets)
        sections = load() | {name: measured}
        save({name: sections[name] for name in SECTIONS if name in sections})
    page.PAGE.write_text(page.text(load()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
