"""Frozen records: what every result carries, and what it can be turned into for people.

A result is a fact; verdicts, plots and reports read it. Its methods only open the door to those readers.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import NotApplicableError, UnknownNameError
from clearwin.numerics.intervals import Interval
from clearwin.numerics.pvalues import AnyClaim
from clearwin.numerics.thresholds import written
from clearwin.results.call import Call
from clearwin.results.caveats import Caveat, in_order
from clearwin.results.writing import write_text
from clearwin.streams import STREAMS

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from matplotlib.axes import Axes

    from clearwin.results.study import StudySignature
    from clearwin.words import Summary


@dataclass(frozen=True)
class Signature:
    """What is needed to repeat a result: settings, seed, versions and a hash of the counts that went in.

    ``streams`` is the version of the random streams: with the same version the same seed gives the same numbers.
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
    device: str = "cpu"  # another device draws other test sets from the same seed

    def __str__(self) -> str:
        fields = {name: value for name, value in dataclasses.asdict(self).items() if (name, value) != ("device", "cpu")}
        return "|".join(f"{name}:{value}" for name, value in fields.items())


@dataclass(frozen=True)
class Sampling:
    """What was drawn and swapped whole, and what was held fixed.

    ``unit`` is "item", "document", "group" or "time point"; ``strata`` has the number of units in each stratum, or is
    empty. ``effective`` is how many groups of one size would weigh as much: N²/Σn², fewer if some are large.
    ``design_effect`` is the variance of the difference by groups over what it would be if the items were independent.
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


class Result:
    """A frozen record that can be put into words, drawn and written.

    A kind of result declares as data what is particular to it: which fields JSON leaves out and whether it writes an
    infinite number as text ("inf", which ``float`` reads) or as None; which fields are tables that CSV can carry; and
    whether it ``has differences`` that can be compared with a margin. It was judged at 1 − its confidence level when it
    was made, and its readers never judge again.
    """

    not_written: ClassVar[tuple[str, ...]] = ()
    infinite_as_text: ClassVar[bool] = False
    tables: ClassVar[tuple[str, ...]] = ()
    has_differences: ClassVar[bool] = False
    marker: ClassVar[str] = ""  # a hidden comment in Markdown, by which a later run finds and replaces the text
    call: Call | None = None  # the call that made it, if that was a verb; not part of the record

    if TYPE_CHECKING:
        caveats: tuple[Caveat, ...]
        signature: Signature | StudySignature

    def summary(self, *, margin: float | None = None) -> Summary:
        """Return what the result says, in parts.

        The parts are verdict, tables, null hypothesis, caveats, method, limits and call.

        ``margin`` is the largest difference that does not matter; the summary then also says what the intervals show
        against it.
        """
        from clearwin.words import words_about

        return words_about(self, margin).summary()

    def verdict(self, *, margin: float | None = None, style: str = "full") -> str:
        """Return what was shown, in sentences, with the null hypothesis.

        A caveat that could reverse the decision comes first. ``margin`` is as for ``summary``.

        ``style="paper"`` is one sentence for a paper: test, statistic, p-value, interval, n and software.
        ``style="brief"`` is one line for a chat.
        """
        from clearwin.words import words_about

        return words_about(self, margin).in_style(style)

    def plot(self, ax: Axes | None = None, kind: str | None = None, *, margin: float | None = None) -> Axes:
        """Draw the result, and return the axes.

        Without ``ax`` it is drawn on a new figure.

        ``kind`` picks a picture by name, by default the first; ``margin``, the largest difference that does not matter,
        is drawn where a picture shows differences.
        """
        from clearwin.plots import plot

        return plot(self, ax, kind, margin=margin)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values that JSON can carry.

        What is particular to the kind comes first, then what it shares. Caveats come in the order of reading: those
        that could change the decision before the others.
        """
        fields = [f.name for f in dataclasses.fields(self) if f.name not in self.not_written]  # type: ignore[arg-type]
        fields.sort(key=lambda name: name not in type(self).__annotations__)
        record = {name: _plain(getattr(self, name), self.infinite_as_text) for name in fields}
        record["caveats"] = _plain(in_order(self.caveats), self.infinite_as_text)
        return record

    def to_json(self, *, indent: int | None = 2, margin: float | None = None, **written: Any) -> str:
        """Return the record as JSON text; ``written`` is what ``to_dict`` takes.

        With a ``margin`` it also has what the intervals show against it: in words, and for a single difference in one
        word ("better", "equivalent", "not worse", "worse" or "nothing").
        """
        record = self.to_dict(**written)
        if margin is not None:
            from clearwin.words import words_about

            record["margin"] = words_about(self, margin).margin_record()
        return json.dumps(record, indent=indent, allow_nan=False)

    def to_csv(self, table: str | None = None) -> str:
        """Return a table of the record as CSV.

        Names that begin like a formula get an apostrophe before them.
        """
        tables = [name for name in self.tables if getattr(self, name)]
        if not tables:
            raise NotApplicableError(
                f"This {type(self).__name__} has no table for CSV.", "a result with rows", "to_json()"
            )
        table = tables[0] if table is None else table
        if table not in tables:
            raise UnknownNameError(f"table of this {type(self).__name__.lower()}", table, tables)
        from clearwin.reports import csv_table

        return csv_table(getattr(self, table))

    def to_html(self, path: str | os.PathLike[str], *, margin: float | None = None) -> Path:
        """Write a report as one HTML file, and return its path.

        The file needs nothing else, and what is at the path is overwritten.

        ``margin`` is as for ``summary``, and is drawn first.
        """
        from clearwin.reports import as_html

        return write_text(path, as_html(self, margin=margin))

    def to_markdown(self, *, margin: float | None = None) -> str:
        """Return a short report in Markdown, for a pull request.

        ``margin`` is as for ``summary``.
        """
        from clearwin.reports import as_markdown

        return as_markdown(self, margin=margin)

    def to_latex(self, *, margin: float | None = None) -> str:
        """Return a table in LaTeX, with the sentence for a paper.

        The sentence is its caption, and it needs the package booktabs.
        """
        from clearwin.reports import as_latex

        return as_latex(self, margin=margin)

    def log_to(self, client: Any, *, prefix: str = "clearwin") -> dict[str, float]:
        """Log every number to an experiment tracker, and return them.

        The client is the user's own.

        ``client`` is a module or run with ``log_metrics`` (MLflow) or ``log`` (Weights & Biases), which take a mapping
        from names to numbers.
        """
        numbers = _numbers(self.to_dict(), prefix)
        for name in ("log_metrics", "log"):
            if callable(getattr(client, name, None)):
                getattr(client, name)(numbers)
                return numbers
        raise NotApplicableError(
            f"A {type(client).__name__} has neither log_metrics nor log.", "a tracker's client", "log_to(mlflow)"
        )

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        from clearwin.reports import as_fragment

        return as_fragment(self.summary())


def _numbers(value: Any, name: str) -> dict[str, float]:
    """Return the numbers inside a record by path; rows go by their names.

    >>> _numbers({"p_value": 0.5, "checks": [{"name": "f1", "n": 7}], "test": "x", "shown": True}, "cw")
    {'cw/p_value': 0.5, 'cw/checks/f1/n': 7.0}
    """
    if isinstance(value, list):
        value = {str(_called(row, place)): row for place, row in enumerate(value)}
    if not isinstance(value, dict):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return {name: float(value)} if number else {}
    return {key: n for part, inner in value.items() for key, n in _numbers(inner, f"{name}/{part}").items()}


def _called(row: Any, place: int) -> Any:
    return row.get("name", row.get("label", place)) if isinstance(row, dict) else place


def _plain(value: Any, infinite_as_text: bool) -> Any:
    """Return a value for JSON: records as dictionaries, arrays as lists, non-finite numbers as text or None."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        value = (written(value) if value.dtype.kind == "f" else value).tolist()
    if isinstance(value, tuple | list):
        return [_plain(v, infinite_as_text) for v in value]
    if isinstance(value, dict):
        return {key: _plain(v, infinite_as_text) for key, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name), infinite_as_text) for f in dataclasses.fields(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value) if infinite_as_text else None
    return value


@dataclass(frozen=True, kw_only=True)
class MeasureResult(Result):
    """What every result about one measure on one test set carries.

    ``sampling`` says what was drawn whole and held fixed where items are not independent; ``labels`` are those chosen
    among more. ``lower_is_positive`` are the models whose lower scores mean the positive class; ``origin`` is the
    format and the metric of the logs that it was read from.
    """

    n: int
    interval: Interval
    caveats: tuple[Caveat, ...]
    signature: Signature
    measure: str
    measure_label: str
    higher_is_better: bool
    positive: str | None
    positive_inferred: bool
    undefined_replicates: int
    sampling: Sampling | None = None
    labels: tuple[str, ...] | None = None
    lower_is_positive: tuple[str, ...] = ()
    origin: str | None = None


def margin_text(margin: float, *, relative: bool = False) -> str:
    """Write a margin: in the measure's units, or in per cent of A's value.

    >>> margin_text(0.01), margin_text(0.025, relative=True)
    ('0.01', '2.5 % (relative)')
    """
    return f"{100.0 * margin:.12g} % (relative)" if relative else f"{margin:g}"


def with_margin(measure: str, claim: AnyClaim, margin: str, name_a: str, name_b: str) -> str:
    """Return the null hypothesis of a claim with a margin, as ``margin_text`` writes it.

    >>> with_margin("F1", "not_worse", "0.01", "A", "B")
    'B is worse than A in F1 by 0.01 or more'
    >>> with_margin("F1", "equivalent", "5 % (relative)", "A", "B")
    'A and B differ in F1 by 5 % (relative) or more'
    """
    if claim in ("better", "worse"):
        return f"{name_b} is not {claim} than {name_a} in {measure} by more than {margin}"
    if claim == "not_worse":
        return f"{name_b} is worse than {name_a} in {measure} by {margin} or more"
    return f"{name_a} and {name_b} differ in {measure} by {margin} or more"


def with_side(null_hypothesis: str, claim: AnyClaim, name_b: str) -> str:
    """Return the null hypothesis, and for a one-sided claim what counts against it.

    >>> with_side("A and B have the same F1", "better", "B")
    'A and B have the same F1. The claim is that B is better, so only evidence for that counts'
    """
    if claim == "different":
        return null_hypothesis
    return f"{null_hypothesis}. The claim is that {name_b} is {claim}, so only evidence for that counts"
