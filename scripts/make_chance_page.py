"""Write docs/chance.md: nyssen1998's comparison of three tests, told again with today's exact test and times here."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

import clearwin as cw

PAGE = Path(__file__).parents[1] / "docs" / "chance.md"
SEED = 1998


@dataclass(frozen=True)
class Example:
    """A matrix, and what the paper says of it: exact, Monte-Carlo, chi-square, with its times."""

    name: str
    matrix: np.ndarray
    exact: str = "not tried"
    monte_carlo: str = "not tried"
    chi2: str = "not tried"
    confidence_level: float = 0.95


def even(k: int, each: int, right: int) -> np.ndarray:
    """Return a matrix with all margins alike and this many right, spread as evenly as it goes."""
    diagonal = np.full(k, right // k) + (np.arange(k) < right % k)
    matrix = np.diag(diagonal)
    # what is wrong in class i goes round to the classes after it, so that rows and columns have the same totals
    left_rows, left_columns = each - diagonal, each - diagonal
    for shift in range(1, k):
        for i in range(k):
            j = (i + shift) % k
            share = min(left_rows[i] // max(k - shift, 1) if shift < k - 1 else left_rows[i], left_columns[j])
            matrix[i, j] += share
            left_rows[i] -= share
            left_columns[j] -= share
    while left_rows.any():
        i, j = int(left_rows.argmax()), int(left_columns.argmax())
        j = j if i != j else int(np.where(np.arange(k) == i, -1, left_columns).argmax())
        matrix[i, j] += 1
        left_rows[i] -= 1
        left_columns[j] -= 1
    assert (matrix.sum(axis=0) == each).all()
    assert (matrix.sum(axis=1) == each).all()
    assert np.trace(matrix) == right
    return matrix


ULCER = np.array([[9, 7, 3], [15, 17, 13], [3, 7, 28]])
EXAMPLES = [
    Example("ulcer patients, N = 102, k = 3", ULCER, "5.85e-5", "5.87e-5 (f = 10⁷)", "4.08e-5", 0.999),
    Example("the same, cells / 3", np.rint(ULCER / 3).astype(int), "0.0113", "not given", "0.0068", 0.99),
    Example("N = 25, k = 5, 10 right", even(5, 5, 10), "0.0195, 393 s", "0.0204, 3.4 s (f = 30,000)", "0.0062", 0.99),
    Example("N = 10,000, k = 10, 1,050 right", even(10, 1000, 1050), "out of reach", "0.050, 1440 s", "0.048"),
    Example("N = 10,000, k = 10, 1,100 right", even(10, 1000, 1100), "out of reach", "7.7e-4, 1440 s", "4.3e-4", 0.999),
    Example("N = 100,000, k = 100, 1,080 right", even(100, 1000, 1080)),
    Example("N = 1,000,000, k = 2, 501,000 right", even(2, 500_000, 501_000)),
    Example("N = 10,000, k = 10, 9,000 right", even(10, 1000, 9000)),
]

HEAD = """# Better than chance

<!-- made by scripts/make_chance_page.py (make chance-page); do not edit -->

Does a k-class classifier get more items right than a random classifier that predicts each class as often? nyssen1998
compares three tests of that. The exact test adds up the probabilities of all tables with the same
margins and at least as many right, which for 25 items in 5 classes took 1,254,250 terms and 393 s; so the paper
advises Monte-Carlo for anything larger, and the chi-square test only where even that takes too long, because its
p-values come out too small. They do where the margins are alike; where some classes are far more frequent than others,
they come out too large, since the number of right items then varies less than the χ² test assumes (truth and
prediction 95 : 5 each, N = 100: ±0.95 instead of ±2.93). The result says which of the two holds.

The number of tables is not the number of right items, though. That number is the hits of a random permutation on a
board of rectangles, one for each class, and inclusion and exclusion gives its tail from the board's rook polynomial
(see `src/clearwin/numerics/rook.py`): a few products of polynomials instead of millions of tables. Up to 2,000
items they are whole numbers and the p-value is a fraction; beyond, they are balls with certified error bounds, at a
precision planned from the expected number of right items. So `method="auto"` takes the exact test when that is
predicted to take under two seconds, else Monte-Carlo with as many tables as the level asks for (the paper's Table 1:
5,024 at 5 %, 26,074 at 1 %, 52,386 at 0.5 %, 262,880 at 0.1 %; all a relative standard error of 6.16 %). Tables are
drawn cell by cell, or by dealing out the predictions where that is quicker.

What `method="exact"` would take is estimated first, from the lengths and the precision of the polynomials (right within
a factor of two from a third of a second on). Beyond about a minute or 2 GB it is refused, with the estimate; beyond two
seconds it runs in a process of its own, with a bar on a terminal, and Ctrl-C ends it at once. Two classes take one sum
of hypergeometric terms, of which about √N matter: a tenth of a second for a hundred million items.

"""

TAIL = """
The paper's times are of a SPARCstation 1. Its exact values come from enumeration, ours from the rook polynomial;
where both exist they agree to every digit it prints. Its Monte-Carlo value 7.7e-4 for 1,100 right is off by 45 %:
with 30,000 tables about 16 are expected, and 22 were met. The chi-square column is the paper's halved test; it is too
small in every row in which it matters, most where the expected counts are small; all of these rows have margins that
are alike or nearly so.

In Python: `cw.against_chance(matrix)` or `cw.against_chance(truth, prediction)`. On the command line: `clearwin
chance matrix.csv`, or `clearwin chance preds.csv --truth y --a model`. Rows are truth. A matrix file may have a
header, a first column of labels, both or neither; labels that are numbers need both. A class that never occurs has no
recall and one that is never predicted has recall 0; neither can have a right item, and the result says so. With one
class only, nothing can be shown and p = 1.
"""


def timed(run: Callable[[], cw.results.AgainstChance]) -> tuple[cw.results.AgainstChance, float]:
    """Return a result and how long it took."""
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def p_text(result: cw.results.AgainstChance) -> str:
    """Write a p-value, or its power of ten where no float is small enough."""
    if result.log10_p < -300:
        return f"10^{result.log10_p:.2f}"
    text = f"{result.p_value:.6g}" if result.p_error is None else f"{result.p_value:.3g}"
    return text if result.p_error is None else f"{text} ± {result.p_error:.1g}"


def row(example: Example) -> str:
    """Return one line of the table."""
    cells = [example.name]
    for method, paper in (("exact", example.exact), ("monte_carlo", example.monte_carlo), ("chi2", example.chi2)):
        result, seconds = timed(
            lambda method=method: cw.against_chance(  # type: ignore[misc]
                example.matrix, method=method, confidence_level=example.confidence_level, rng=SEED
            )
        )
        took = "" if method == "chi2" else f", {seconds:.2g} s"
        if method == "monte_carlo":
            took += f" (f = {result.signature.n_resamples:,})"
        cells += [paper, f"{p_text(result)}{took}"]
        print(f"{example.name}: {method} {p_text(result)} {seconds:.3g} s")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Measure and write."""
    for method in ("exact", "monte_carlo", "chi2"):  # imports are not what is measured
        cw.against_chance(ULCER, method=method)
    lines = [
        "| example | paper: exact | exact here | paper: Monte-Carlo | Monte-Carlo here | paper: χ² | χ² here |",
        "|---|---|---|---|---|---|---|",
        *(row(example) for example in EXAMPLES),
    ]
    versions = f"clearwin {cw.__version__}, python-flint {version('python-flint')}, numpy {version('numpy')}"
    made = f"Made with {versions}, Python {platform.python_version()}, {os.cpu_count()} cores, seed {SEED}.\n"
    PAGE.write_text(HEAD + "\n".join(lines) + "\n\n" + made + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
