"""How much of every reader its tests reach, branches counted: `python -m proof.coverage`.

Readers are the modules of `data/`, and their tests those of `tests/data/`. They run once, in this process, under
coverage.py.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from proof.record import ROOT, Row, write

READERS = ROOT / "src" / "clearwin" / "data"
LEAST = 95.0  # per cent of the lines and branches of each reader


def rows(shares: dict[str, tuple[float, int]], seconds: float) -> list[Row]:
    """Return a row for all readers together and one for each that misses the band.

    >>> found = rows({"files/sources.py": (97.2, 700), "logs/trec.py": (93.4, 120)}, 60.0)
    >>> [(row.what, row.figure, row.met) for row in found]
    [('lines and branches of 2 readers that their tests reach', '93.4 % to 97.2 %', False),
     ('lines and branches of data/logs/trec.py', '93.4 %', False)]
    """
    band = f"≥ {LEAST:g} % of each"
    least, most = min(share for share, _ in shares.values()), max(share for share, _ in shares.values())
    what = f"lines and branches of {len(shares)} readers that their tests reach"
    every = Row(
        what, sum(n for _, n in shares.values()), f"{least:.1f} % to {most:.1f} %", band, least >= LEAST, 0, seconds
    )
    missed = [
        Row(f"lines and branches of data/{name}", n, f"{share:.1f} %", band, False, 0, seconds)
        for name, (share, n) in shares.items()
        if share < LEAST
    ]
    return [every, *missed]


def measured(tests: str) -> dict[str, tuple[float, int]]:
    """Run the tests, and return the share reached and the number of lines and branches of each reader."""
    import coverage
    import pytest

    looked = coverage.Coverage(data_file=None, branch=True, source=[str(READERS)], config_file=False)
    looked.start()
    failed = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", tests])
    looked.stop()
    if failed:
        raise SystemExit(f"{tests} fails, so what it reaches tells nothing")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "coverage.json")
        looked.json_report(outfile=str(report))
        files = json.loads(report.read_text())["files"]
    found = {}
    for file, told in sorted(files.items()):
        of = told["summary"]["num_statements"] + told["summary"]["num_branches"]
        if of:
            name = (ROOT / file).relative_to(READERS).as_posix()
            found[name] = (float(told["summary"]["percent_covered"]), int(of))
    return found


def main() -> None:
    """Measure, print the share of every reader, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", default="tests/data", help="the tests to run, for a first look at one reader")
    parser.add_argument("--dry", action="store_true", help="write nothing down")
    asked = parser.parse_args()
    os.chdir(ROOT)
    began = time.monotonic()
    shares = measured(str(Path(asked.tests)))
    for name, (share, of) in sorted(shares.items(), key=lambda one: one[1]):
        print(f"{share:6.1f} % of {of:5,} {name}", flush=True)
    if not asked.dry:
        write("coverage", rows(shares, time.monotonic() - began))


if __name__ == "__main__":
    main()
