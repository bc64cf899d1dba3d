"""Write docs/reliability.md from what the attacks left in docs/reliability/; --check only says whether it is fresh.

`python -m proof.table` ends with 1 where a figure misses its band, so that `make proof` does.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from proof.record import FOLDER

PAGE = FOLDER.parent / "reliability.md"
# in this order, under these headings; an attack that is not listed comes last, under its own name
HEADINGS = {
    "fuzz": "Damaged input",
    "differential": "The same answer as other tools, by every entrance",
    "coverage": "What the tests of the readers reach",
    "mutants": "Faults put into the source",
    "crashes": "Crashes",
    "page": "The local page under load and attack",
    "soak": "Long use",
}
HEAD = """<!-- made by scripts/proof/table.py from docs/reliability/*.json (make proof); do not edit -->

# Reliability

[The scorecard](scorecard.md) says whether the statistics can be trusted. This page says whether the program can: how
it was attacked, how often, and what happened. `make proof` runs every attack from a clone, with nothing but the
project's own dependencies, and writes this page; `make proof ONLY="crashes soak"` runs some of them. All of them take
between three and four hours on two cores that do nothing else, most of it for a million fuzzed inputs, the mutants and
an hour of soak; `make proof FOR=60` stops each of the four longest after a minute. The attacks are the modules of
`scripts/proof`. Short forms of them run in `make test`.

Every row has its band, set before the run. A figure that misses its band is in bold. The commit is the one that was
attacked, with a `+` if the working tree differed from it. A row tells what was found at its commit; `make test`
replays the inputs that the fuzzer has kept (`tests/corpus`).
"""
OTHERS = """
## What others publish

We looked for such figures of other tools for the same work. This is what their public pages and repositories say.
"Not found" means that we did not find it, not that nobody has measured it.

| tool | what it publishes |
|---|---|
"""
HUB = "https://github.com"
TOOLS = {
    "SciPy": "Two fuzzers, of the readers of MATLAB and WAV files, are part of "
    f"[OSS-Fuzz]({HUB}/google/oss-fuzz/tree/master/projects/scipy), and there are tests by properties with Hypothesis "
    f"[since 2023]({HUB}/scipy/scipy/pull/18927). Figures of mutants, crashes or long use: not found.",
    "scikit-learn": "A fuzzer of encoders is part of "
    f"[OSS-Fuzz]({HUB}/google/oss-fuzz/tree/master/projects/scikit-learn). Tests by properties were "
    f"[proposed]({HUB}/scikit-learn/scikit-learn/issues/13846) in 2019. Figures: not found.",
    "statsmodels": "[Most results](https://www.statsmodels.org/stable/about.html) were verified with R, Stata or SAS, "
    "and some methods by Monte Carlo studies. Figures: not found.",
    "pROC": "The share of lines that its tests reach is "
    f"[measured]({HUB}/xrobin/pROC/blob/master/.github/workflows/test-coverage.yaml) and published on Codecov. Other "
    "figures: not found.",
    "lm-evaluation-harness": f"Its [workflows]({HUB}/EleutherAI/lm-evaluation-harness/tree/main/.github/workflows) run "
    "unit tests. Figures: not found.",
}


def load(folder: Path = FOLDER) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every attack that has left some, in the order of the page."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    return {name: found[name] for name in [*HEADINGS, *(set(found) - set(HEADINGS))] if name in found}


def text(attacks: dict[str, list[dict[str, Any]]]) -> str:
    """Return the whole page."""
    parts = [HEAD]
    for name, rows in attacks.items():
        parts.append(f"\n## {HEADINGS.get(name, name)}\n\n`python -m proof.{name}`, {duration(rows)}.\n")
        parts.append("| what was tried | how much | figure | band | seed | commit |\n|---|---:|---|---|---:|---|")
        parts.extend(line(row) for row in rows)
    others = "".join(f"| {tool} | {what} |\n" for tool, what in TOOLS.items())
    return "\n".join(parts) + "\n" + OTHERS + others


def line(row: dict[str, Any]) -> str:
    """Return one line of a table.

    >>> line({"what": "kills", "tried": 2000, "figure": "1 lost", "band": "0 lost", "met": False, "seed": 1,
    ...       "commit": "abc"})
    '| kills | 2,000 | **1 lost** | 0 lost | 1 | abc |'
    """
    figure = row["figure"] if row["met"] else f"**{row['figure']}**"
    cells = (row["what"], f"{row['tried']:,}", figure, row["band"], str(row["seed"]), row["commit"])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def duration(rows: list[dict[str, Any]]) -> str:
    """Say how long an attack took; rows of attacks that ran at the same time count once.

    >>> duration([{"seconds": 200.0}, {"seconds": 40.0}])
    '4 minutes'
    """
    minutes = sum(dict.fromkeys(row["seconds"] for row in rows)) / 60
    return f"{minutes:.0f} minute" + ("" if round(minutes) == 1 else "s")


def main() -> int:
    """Write the page, or with --check compare it with what is there; 1 where a figure misses its band."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    attacks = load()
    if parser.parse_args().check:
        fresh = PAGE.read_text(encoding="utf-8") == text(attacks)
        print(
            "" if fresh else "docs/reliability.md is not what docs/reliability/*.json make: python -m proof.table",
            end="",
        )
        return 0 if fresh else 1
    PAGE.write_text(text(attacks), encoding="utf-8")
    missed = [row["what"] for rows in attacks.values() for row in rows if not row["met"]]
    print(f"{PAGE.name}: {sum(map(len, attacks.values()))} figures, {len(missed)} outside their bands")
    for what in missed:
        print(f"  {what}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
