"""Real data: ``cw.study`` on two large labelled sets. They are not part of the project: the folder is given.

* ``goemotions/linear_vs_gaussian_svm.npz``: keller2004's section 5 on GoEmotions (Demszky et al. 2020, Apache-2.0), a
  linear and a Gaussian SVM trained on 5,000 comments, one against the others; 44,763 further comments with 28 labels,
  of which the most frequent one is judged.
* ``hans/hans_predictions.csv.gz``: answers of four models to the 30,000 items of HANS (McCoy, Pavlick and Linzen 2019,
  MIT); here SPINN (A) and BERT (B).
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import clearwin as cw
from scorecard.rows import Row
from scorecard.trials import APPROXIMATION_CAVEATS

SIZES = (500, 2000)
SETS = 400
N_RESAMPLES = 499
LOOKED_AT = 20  # test sets whose caveats are read
NULLS = {"swapped": "exchangeable", "recentred": "equal"}


def goemotions(folder: Path) -> tuple[Any, Any, Any]:
    """Return gold, linear and Gaussian: the large part, comments × labels."""
    kept = np.load(folder / "goemotions" / "linear_vs_gaussian_svm.npz")
    large, labels = kept["split"] == 1, int(kept["n_labels"])
    gold, a, b = (
        np.unpackbits(kept[name], axis=1)[:, :labels][large].astype(np.int64) for name in ("gold", "A_linear", "B_rbf")
    )
    return gold, a, b


def hans(folder: Path) -> tuple[Any, Any, Any]:
    """Return gold and the answers of two models, 1 for entailment."""
    with gzip.open(folder / "hans" / "hans_predictions.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        items = list(csv.DictReader(lines))
    gold, a, b = (np.array([item[name] == "entailment" for item in items]) * 1 for name in ("gold", "SPINN", "BERT"))
    return gold, a, b


STUDIES = {
    ("GoEmotions, one label", "f1"): (goemotions, ("auto", "permutation")),
    ("HANS", "accuracy"): (hans, ("auto", "permutation")),
    ("HANS", "f1"): (hans, ("auto", "permutation")),
}


def jobs(folder: str | None) -> list[Callable[[int], list[Row]]]:
    """Return a job for every data set, measure and test size."""
    if folder is None:
        return []
    return [_Job(Path(folder), *key, size, SETS) for key in STUDIES for size in SIZES]


@dataclass(frozen=True)
class _Job:
    folder: Path
    name: str
    measure: str
    size: int
    trials: int

    def __call__(self, seed: int) -> list[Row]:
        read, tests = STUDIES[self.name, self.measure]
        gold, a, b = read(self.folder)
        if self.name.endswith("one label"):  # the one that occurs most often
            most = int(gold.sum(axis=0).argmax())
            gold, a, b = gold[:, most], a[:, most], b[:, most]
        found = cw.study(
            gold,
            a,
            b,
            measure=self.measure,
            tests=tests,
            test_size=self.size,
            n_sets=self.trials,
            sizes=[self.size],
            alphas=(0.05, 0.01),
            n_resamples=N_RESAMPLES,
            rng=seed,
            progress=False,
        )
        told = self.told(gold, a, b, seed)
        return [replace(row, told=told) for row in (*self.sizes(found), *self.others(found))]

    def told(self, gold: Any, a: Any, b: Any, seed: int) -> float:
        """Return how many of some test sets' results carry a caveat about the approximation."""
        stream, warned = np.random.default_rng(seed), 0
        for _ in range(LOOKED_AT):
            items = stream.integers(len(gold), size=self.size)
            r = cw.compare(gold[items], a[items], b[items], measure=self.measure, n_resamples=N_RESAMPLES, rng=1)
            warned += any(caveat.code in APPROXIMATION_CAVEATS for caveat in r.caveats)
        return warned / LOOKED_AT

    def sizes(self, found: cw.results.Study) -> list[Row]:
        """Return how often models without a difference were told apart."""
        ran = {test.name: max(test.ran, key=lambda form: test.ran[form]) for test in found.tests}
        return [
            self.row(
                "size", row.test, NULLS[row.null], row.alpha, row.value, row.sets, made=row.null, ran=ran[row.test]
            )
            for row in found.size
            if "/" not in row.test  # another interval is the same test
        ]

    def others(self, found: cw.results.Study) -> list[Row]:
        """Return how often the interval held the difference of the large set, and how often it was found."""
        covered = [
            self.row(
                "coverage", row.test, "different", row.level, row.value, row.sets - row.refused, width=row.mean_width
            )
            for row in found.coverage
            if row.value is not None  # it is of the sets that were answered
        ]
        power = [
            self.row("power", row.test, "different", row.alpha, row.value, row.sets)
            for row in found.power
            if row.alpha == 0.05 and "/" not in row.test
        ]
        return covered + power

    def row(
        self,
        kind: str,
        test: str,
        null: str,
        level: float,
        value: float,
        sets: int,
        *,
        made: str = "",
        ran: str = "",
        width: float | None = None,
    ) -> Row:
        """Return a figure of this study; ``made`` says how its null hypothesis was made of the data."""
        name, _, form = test.partition("/")
        interval = form or "auto" if kind == "coverage" else ""
        cell, method = f"{self.name}, {made}" if made else self.name, ran.rpartition("/")[2]
        return Row(kind, name, method, interval, self.measure, cell, null, self.size, level, value, sets, width)
