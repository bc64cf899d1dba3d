"""Soak: mixed work for a long time in one process and on one page, with memory that must not grow.

`python -m proof.soak --seconds 3600 --seed 1` compares, ranks and studies in this process, and asks a local page beside
it, in an order drawn at random. Resident memory is read after every piece of work. The first quarter of the time warms
up; a line through the rest says how much an hour would add.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from os import getpid
from pathlib import Path

import httpx
import numpy as np

import clearwin as cw
from proof import record
from proof.page import MIB, Seen, as_page, as_program, memory, served

MOST_GROWTH = 50 * MIB  # in an hour
SHORTEST = 1_200  # seconds: what a minute shows says nothing about an hour
N_RESAMPLES = 199


def work_of(folder: Path) -> dict[str, Callable[[np.random.Generator], object]]:
    """Return the kinds of work, each a function of where its data are drawn from."""

    def decisions(rng: np.random.Generator, models: int = 2) -> tuple[np.ndarray, ...]:
        truth = rng.integers(0, 2, 400)
        return truth, *(truth ^ (rng.random(400) < rate) for rate in np.linspace(0.2, 0.3, models))

    def scores(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        truth = rng.integers(0, 2, 300)
        return truth, *(truth + rng.normal(0, spread, 300) for spread in (1.0, 1.2))

    def label_sets(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        truth = rng.random((200, 4)) < 0.3
        return truth, *(truth ^ (rng.random((200, 4)) < rate) for rate in (0.1, 0.12))

    def compared(rng: np.random.Generator, measure: str, **how: object) -> object:
        result = cw.compare(*decisions(rng), measure=measure, n_resamples=N_RESAMPLES, rng=1, **how)  # type: ignore[arg-type]
        return result.to_markdown(), result.to_json()

    def from_file(rng: np.random.Generator) -> object:
        import pandas as pd

        frame = pd.DataFrame(dict(zip(("y", "a", "b"), decisions(rng), strict=True))).astype(int)
        frame.to_csv(folder / "p.csv", index=False)
        from clearwin.data.files.predictions import tally_file

        return tally_file(folder / "p.csv", {"truth": "y", "a": "a", "b": "b"})

    def ranked(rng: np.random.Generator) -> object:
        truth, *models = decisions(rng, 4)
        named = {f"m{i}": model for i, model in enumerate(models)}
        return cw.rank(truth, named, measure="f1", n_resamples=N_RESAMPLES, rng=1).to_markdown()

    def studied(rng: np.random.Generator) -> object:
        asked = {"tests": ["permutation"], "test_size": 50, "n_sets": 3, "sizes": [50], "n_resamples": 19, "rng": 1}
        return cw.study(*decisions(rng), **asked).to_json()  # type: ignore[arg-type]

    def drawn(rng: np.random.Generator) -> object:
        result = cw.compare(*decisions(rng), n_resamples=N_RESAMPLES, rng=1)
        return result.to_html(folder / "r.html")

    groups = {"groups": np.arange(400) // 4}
    return {
        "accuracy": lambda rng: compared(rng, "accuracy", test="mcnemar"),
        "F1 by swaps": lambda rng: compared(rng, "f1", test="permutation"),
        "F1 by the bootstrap": lambda rng: compared(rng, "f1", test="bootstrap"),
        "F1 of groups": lambda rng: compared(rng, "f1", **groups),
        "AUC": lambda rng: cw.compare(*scores(rng), measure="auc", test="delong").to_json(),
        "EER": lambda rng: cw.compare(*scores(rng), measure="eer", test="bootstrap", n_resamples=99, rng=1).to_json(),
        "classes": lambda rng: cw.compare(*rng.integers(0, 3, (3, 300)), measure="accuracy", rng=1).to_json(),
        "label sets": lambda rng: cw.compare(*label_sets(rng), measure="macro_f1", n_resamples=99, rng=1).to_json(),
        "values": lambda rng: cw.compare(None, *rng.normal(size=(2, 200)), measure="mean", rng=1).to_json(),
        "folds": lambda rng: cw.compare_folds(*rng.random((2, 10)), design="k-fold").to_json(),
        "a refusal": lambda rng: refused(rng),
        "a file": from_file,
        "a ranking": ranked,
        "a study": studied,
        "a report": drawn,
    }


def refused(rng: np.random.Generator) -> str:
    """Ask for what cannot be answered."""
    try:
        cw.compare([1, 0, 1], [1, 0], [0, 1, 1], rng=int(rng.integers(9)))
    except cw.ClearwinError as error:
        return str(error)
    raise AssertionError("three items and two answers were taken")


def growth_in_an_hour(seconds: list[float], sizes: list[int]) -> float:
    """Return the slope of a line through sizes over time, by least squares, in bytes an hour.

    >>> round(growth_in_an_hour([0.0, 1.0, 2.0, 3.0], [100, 101, 102, 103]))
    3600
    """
    slope, _ = np.polyfit(seconds, sizes, 1)
    return float(slope) * 3600


def soak(seconds: float, seed: int) -> list[record.Row]:
    """Work for so long; return a row for this process and one for the page."""
    began, draw, rng = time.monotonic(), random.Random(seed), np.random.default_rng(seed)
    done: Counter[str] = Counter()
    seen, times = Seen(), list[float]()
    sizes: dict[str, list[int]] = {"this process": [], "the page": []}
    with tempfile.TemporaryDirectory(prefix="clearwin-soak-") as folder, served() as (pid, url):
        kinds = work_of(Path(folder))
        for kind in kinds.values():  # each once, so that kernels and fonts are there
            kind(rng)
        while (now := time.monotonic() - began) < seconds:
            name = draw.choice([*kinds, "the page"])
            if name == "the page":
                asyncio.run(_asked(url, seen, draw))
            else:
                kinds[name](rng)
            done[name] += 1
            gc.collect()
            times.append(now)
            sizes["this process"].append(memory(getpid()))
            sizes["the page"].append(memory(pid))
    faults = seen.faults
    first = next(i for i, at in enumerate(times) if at >= seconds / 4)
    rows = []
    for what, size in sizes.items():
        net = float(np.mean(size[-20:]) - np.mean(size[first : first + 20])) / MIB
        slope = growth_in_an_hour(times[first:], size[first:]) / MIB if seconds >= SHORTEST else None
        tried = done["the page"] if what == "the page" else sum(done.values()) - done["the page"]
        figure = "" if slope is None else f"{slope:+.1f} MiB an hour by a line, "
        figure += f"{net:+.1f} MiB from the first quarter to the end"
        met = (net if slope is None else slope) * MIB <= MOST_GROWTH and (what != "the page" or faults == 0)
        figure += f", {faults} × 5xx" if what == "the page" else ""
        band = f"at most {MOST_GROWTH // MIB:+d} MiB" + ("" if slope is None else " an hour")
        band += ", 0 × 5xx" if what == "the page" else ""
        label = f"mixed work for {seconds / 60:.0f} minutes: memory of {what}"
        rows.append(record.Row(label, tried, figure, band, met, seed, time.monotonic() - began))
    print(", ".join(f"{count} × {name}" for name, count in sorted(done.items())))
    return rows


async def _asked(url: str, seen: Seen, draw: random.Random) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=120) as session:
        await draw.choice([as_program, as_page])(session, seen)


def main() -> int:
    """Work, write the figures and print them; 1 where memory grew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, default=record.FOLDER, help="the folder of the figures")
    asked = parser.parse_args()
    rows = soak(asked.seconds, asked.seed)
    for row in rows:
        print(f"{row.what}: {row.tried:,}, {row.figure}")
    record.write("soak", rows, asked.into)
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
