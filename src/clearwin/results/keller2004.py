"""The record of the experiment, which words, pictures and JSON read."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clearwin.numerics.arrays import Bools
from clearwin.results.base import Result
from clearwin.results.caveats import Caveat
from clearwin.results.study import ConfidenceRow, Study, StudySignature
from clearwin.results.writing import write_text

if TYPE_CHECKING:
    import os


NAMES = ("linear", "gaussian")
SEPARATOR = "|"


@dataclass(frozen=True, eq=False)
class Decisions:
    """The truth, and the decisions of the linear (A) and Gaussian machines (B): documents × categories."""

    truth: Bools
    a: Bools
    b: Bools

    def columns(self, categories: list[int] | slice) -> tuple[Bools, Bools, Bools]:
        """Return truth, A and B in some of the categories."""
        return self.truth[:, categories], self.a[:, categories], self.b[:, categories]


# Table 3 as keller2004 prints it; the values of F1 are not printed.
PRINTED = ("leader", "confidence", "value")
PAPER = {"X": ("gaussian", 0.956, 0.924), "Y": ("gaussian", 0.542, 0.691), "Z": ("linear", 0.965, 0.825)}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Experiment(Result):
    """The experiment of keller2004 section 5 on one corpus.

    ``sizes`` are those of train, test and true; ``sets`` names the categories of X, Y and Z; ``settings`` has what
    cross-validation chose for each category, for A and for B; ``table`` is Table 3, ``replicates`` the bootstrap
    differences on D_te of each set. ``study`` is there when it was asked for: what Table 3 cannot show.
    """

    not_written = ("replicates", "decisions")

    corpus: str
    origin: str
    sizes: dict[str, int]
    n_categories: int
    n_terms: int
    tfidf_by_corpus: bool
    sets: dict[str, tuple[str, ...]]
    settings: dict[str, dict[str, dict[str, float]]]
    measure: str
    measure_label: str
    table: tuple[ConfidenceRow, ...]
    n_resamples: int
    n_sets: int
    caveats: tuple[Caveat, ...]
    signature: StudySignature
    study: Study | None = None
    replicates: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    decisions: dict[str, Decisions] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with the numbers that the paper printed."""
        record = super().to_dict()
        paper = {name: dict(zip(PRINTED, row, strict=True)) for name, row in PAPER.items()}
        return record | {"paper": paper, "study": record.pop("study")}

    def __repr__(self) -> str:
        rows = ", ".join(f"{row.category_set} {row.leader}" for row in self.table)
        return f"Experiment(keller2004 on {self.corpus}: {self.measure}; leaders {rows})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what A and B decided on D_te and D_true: a CSV file that ``clearwin study`` and ``compare`` read.

        A row for each document; the labels of truth, linear and gaussian are separated by "|". They are written as they
        are, even if one begins like a formula, because an apostrophe before it would make it another label when read
        back.
        """
        names = np.array([category for categories in self.sets.values() for category in categories], dtype=object)
        text = StringIO(newline="")
        out = csv.writer(text)
        out.writerow(["part", "truth", *NAMES])
        for part, decisions in self.decisions.items():
            for rows in zip(decisions.truth, decisions.a, decisions.b, strict=True):
                out.writerow([part, *(SEPARATOR.join(names[row]) for row in rows)])
        write_text(path, text.getvalue())
