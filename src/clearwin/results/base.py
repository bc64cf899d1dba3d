"""Frozen records: what every result carries, and what it can be turned into for people.

A result is a fact; verdicts, plots and reports read it. Its methods only open the door to those readers.
"""

from __future__ import annotations

import dataclasses
import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from clearwin.execution import STREAMS
from clearwin.numerics.intervals import Interval

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from matplotlib.axes import Axes

    from clearwin.results.study import StudySignature
    from clearwin.wording.base import Story


class Told(ABC):
    """A result that tells a story."""

    if TYPE_CHECKING:
        signature: Signature | StudySignature

    @abstractmethod
    def story(self, alpha: float = 0.05) -> Story:
        """Return what the result tells, in parts, with a verdict at the level ``alpha``."""

    @abstractmethod
    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the record as JSON text."""

    def plot(
        self,
        ax: Axes | None = None,
        kind: str | None = None,
        *,
        margin: float | None = None,
        alpha: float | None = None,
    ) -> Axes:
        """Draw the result on the axes, or on those of a new figure, and return the axes.

        ``kind`` picks among the pictures by name, the first one without; ``margin`` is the largest difference that does
        not matter, to be drawn where a picture shows differences; ``alpha`` is the level that p-values are held
        against, by default the one that goes with the interval: 0.05 with 95 %.
        """
        from clearwin.plots import plot

        return plot(self, ax, kind, margin=margin, alpha=alpha)

    def to_html(self, path: str | os.PathLike[str], *, alpha: float | None = None, margin: float | None = None) -> Path:
        """Write a report, one HTML file that needs nothing else, over the path, and return where it is.

        ``alpha`` is the level of the verdict and of the pictures, by default 0.05. ``margin`` is the largest difference
        that does not matter: the report then says what the interval shows against it, and draws that first.
        Leaderboards and comparisons over data sets have been judged at a level of their own and take no other.
        """
        from clearwin.reports.html import as_html
        from clearwin.results.writing import write_text

        return write_text(path, as_html(self, alpha=alpha, margin=margin))

    def to_markdown(self, *, alpha: float | None = None, margin: float | None = None) -> str:
        """Return a short report in Markdown, for a pull request; ``margin`` as for ``to_html``."""
        from clearwin.reports.html import as_markdown

        return as_markdown(self, alpha=alpha, margin=margin)

    def __str__(self) -> str:
        from clearwin.wording.base import as_text

        return as_text(self.story())

    def _repr_html_(self) -> str:
        from clearwin.reports.html import as_fragment

        return as_fragment(self)


NOT_WRITTEN = ("distribution",)  # what a record leaves out of its JSON


@dataclass(frozen=True)
class Caveat:
    """A statistical doubt, in words, with the source of the rule behind it."""

    code: str
    text: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.source})" if self.source else self.text


@dataclass(frozen=True)
class Signature:
    """What is needed to repeat a result: settings, seed, versions and a hash of the counts that went in.

    ``streams`` is the version of all that is drawn: the same seed gives the same numbers wherever it is the same.
    """

    version: str
    n: int
    measure: str
    test: str
    method: str
    interval: str
    claim: str
    confidence_level: float
    n_resamples: int
    seed: str
    data: str
    streams: int = STREAMS

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in dataclasses.asdict(self).items())


@dataclass(frozen=True)
class Sampling:
    """What was drawn and swapped whole, and what was held fixed.

    ``unit`` is "item", "document" or "group"; ``strata`` has the number of units in each stratum, or is empty.
    ``effective`` is how many groups of one size would weigh as much: N²/Σn², less than there are if some are large.
    ``design_effect`` says how many times as large the variance of the difference is by groups as it would be if the
    items were independent.
    """

    unit: str
    n_units: int
    smallest: int
    largest: int
    strata: dict[str, int]
    effective: float = 0.0
    design_effect: float | None = None


@dataclass(frozen=True, eq=False)
class Distribution:
    """Differences under the null hypothesis, or replicates (of the bootstrap, of the posterior), for plotting.

    ``weights`` are probabilities; None means that all values weigh the same.
    """

    kind: Literal["null", "bootstrap", "posterior"]
    values: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, kw_only=True)
class Record(Told):
    """What every result carries."""

    n: int
    interval: Interval
    caveats: tuple[Caveat, ...]
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values that JSON can carry; the distribution is left out, a missing bound is None."""
        own = [f.name for f in dataclasses.fields(self)]
        inherited = {f.name for f in dataclasses.fields(MeasureRecord)}
        # what is particular to the result first, what every result carries after it
        own.sort(key=lambda name: name in inherited)
        return {name: _plain(getattr(self, name)) for name in own if name not in NOT_WRITTEN}

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def story(self, alpha: float = 0.05) -> Story:
        """Return what the result tells, in parts, with a verdict at the level ``alpha``."""
        from clearwin.wording.comparison import story

        return story(self, alpha)  # type: ignore[arg-type]  # folds, leaderboards and data sets have words of their own


@dataclass(frozen=True, kw_only=True)
class MeasureRecord(Record):
    """What every result about a measure carries.

    ``sampling`` says what was drawn whole and held fixed where items do not stand for themselves; ``labels`` are those
    chosen among more.
    """

    measure: str
    measure_label: str
    higher_is_better: bool
    positive: str | None
    positive_inferred: bool
    undefined_replicates: int
    sampling: Sampling | None = None
    labels: tuple[str, ...] | None = None


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: records as dictionaries, an infinite bound as None."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return None if isinstance(value, float) and not math.isfinite(value) else value
