"""The record of a study: what a test did on many test sets drawn from one large labelled set.

Every row says for which ``category_set``, ``test`` and ``test_size`` it holds, its ``value`` with the Monte-Carlo
standard ``error``, over how many ``sets``, and on how many of those the test ``refused``. A refused set counts as
finding nothing in size and power. It has no interval and no winner, so coverage, widths and calibration are those of
the sets that were answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from clearwin.numerics.pvalues import Claim
from clearwin.results.base import Result
from clearwin.results.caveats import Caveat
from clearwin.streams import STREAMS

StudiedNull = Literal["swapped", "recentred"]


@dataclass(frozen=True)
class ConfidenceRow:
    """A row of keller2004's Table 3: the confidence on one test set beside how often its winner wins.

    ``confidence`` is the share of bootstrap replicates of the one test set in which its ``leader`` is ahead (13);
    ``value`` is the share of sets drawn from the large one in which that model is ahead, ``ties`` the share in which
    neither is. A ``leader`` of None means that both tied on the one test set. ``overlap`` is the share of a set's units
    to be expected in another set. Where the measure is undefined on the drawn test set, its fields are None.
    """

    category_set: str
    test_size: int
    leader: str | None
    estimate_a: float | None
    estimate_b: float | None
    difference: float | None
    confidence: float | None
    replicates: int
    true_a: float
    true_b: float
    true_difference: float
    value: float | None
    error: float | None
    ties: float
    sets: int
    refused: int
    overlap: float


@dataclass(frozen=True)
class SizeRow:
    """How often the test finds a difference at ``alpha`` where there is none; ``value`` should not be above alpha.

    ``null`` is "swapped" (A and B interchanged on every unit by a fair coin) or "recentred" (units reweighted until the
    difference is 0). ``tolerated`` is the largest acceptable true size (``simulation/rates.py``): alpha itself where A
    and B are exchangeable and the test keeps its level by construction, else half as much again, at most a point more.
    ``above`` says that the value is above that by more than Monte-Carlo error explains (exact binomial, as rare as
    three standard errors).
    """

    category_set: str
    test: str
    null: StudiedNull
    test_size: int
    alpha: float
    value: float
    error: float
    tolerated: float
    above: bool
    sets: int
    refused: int


@dataclass(frozen=True)
class CoverageRow:
    """How often the test's interval covers the true difference, and its width, over the sets that were answered.

    ``below`` and ``above`` are the shares of intervals that lie wholly below and above the truth. ``short`` says that
    the value is under what is ``tolerated``, a point less than the level, by more than Monte-Carlo error explains.
    Where every set was refused there is no value.
    """

    category_set: str
    test: str
    test_size: int
    level: float
    value: float | None
    error: float | None
    below: float | None
    above: float | None
    tolerated: float
    short: bool
    mean_width: float | None
    width_error: float | None
    median_width: float | None
    sets: int
    refused: int


@dataclass(frozen=True)
class PowerRow:
    """How often the true difference is found at ``alpha`` with the right sign, and with the ``wrong`` one."""

    category_set: str
    test: str
    test_size: int
    alpha: float
    value: float
    error: float
    wrong: float
    sets: int
    refused: int


@dataclass(frozen=True)
class DetectableRow:
    """The smallest difference whose interval excludes 0 on four sets in five, found by shifting the intervals.

    ``value`` is None where it is not known, and ``why`` gives the reason: intervals cannot simply be shifted if they
    cover the truth too rarely, have zero width, or end on the same few values on many sets.
    """

    category_set: str
    test: str
    test_size: int
    level: float
    value: float | None
    error: float | None
    why: str
    sets: int
    refused: int


@dataclass(frozen=True)
class NeededSizeRow:
    """The test size at which the true difference would be found four times in five at ``alpha``, by interpolation.

    ``value`` is None outside the sizes that were tried, where power falls again with more items, and between sizes too
    far apart; ``why`` gives the reason. If the models do not differ there is no row, neither here nor for power.
    """

    category_set: str
    test: str
    alpha: float
    value: int | None
    why: str


@dataclass(frozen=True)
class CalibrationPoint:
    """A stated confidence against how often it was right, over ``sets`` sets; ``refused`` others had no answer at all.

    For the kind "winner", ``stated`` is the mean confidence in the named winner among the sets of one bin, and
    ``value`` how often that model is the true winner. For the kind "level", ``stated`` is the level of the test's
    interval and ``value`` how often it covers the true difference.
    """

    category_set: str
    test: str
    test_size: int
    kind: Literal["winner", "level"]
    stated: float
    value: float
    error: float
    sets: int
    refused: int


@dataclass(frozen=True)
class StudiedTest:
    """A test by its name, and the forms of it that ran on the drawn sets: {"permutation/exact": 1000}."""

    name: str
    ran: dict[str, int]


@dataclass(frozen=True)
class NotStudied:
    """What could not be studied, and why."""

    category_set: str
    what: str
    why: str


def _plainly(value: Any) -> str:
    """Write settings and hashes without Python's brackets: all values, with their names if they have any.

    >>> _plainly({"X": "0360", "Y": ["a", "b"]}), _plainly([0.05, 0.01]), _plainly({"all": "0360"})
    ('X=0360, Y=a+b', '0.05, 0.01', '0360')
    """
    if isinstance(value, dict):
        parts = [f"{name}={_plainly(part).replace(', ', '+')}" for name, part in value.items() if part is not None]
        return ", ".join(parts).removeprefix("all=") or ", ".join(value)
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True)
class StudySignature:
    """What is needed to repeat a study: versions, seed, settings, and hashes of the data by category set."""

    version: str
    seed: str
    settings: dict[str, Any]
    data: dict[str, str]
    test_set: dict[str, str]
    streams: int = STREAMS

    def __str__(self) -> str:
        parts = {"version": self.version, "seed": self.seed, **self.settings}
        parts |= {"data": self.data, "test_set": self.test_set, "streams": self.streams}
        return "|".join(f"{name}:{_plainly(value)}" for name, value in parts.items() if value not in (None, {}))


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(Result):
    """Can these tests be trusted on data like these?

    Every share that is judged has its Monte-Carlo error.

    ``n`` items were taken as the population; a set has ``units`` of the kind ``unit`` ("item", "document", "group"),
    which makes ``test_size`` items, for groups on average (``items_per_unit`` each). ``options`` says how the data were
    read, as the verb takes it. With a one-sided ``claim`` a difference is found where B is shown to be better, or
    worse, and intervals have one bound.
    """

    tables = ("confidence", "size", "coverage", "power", "detectable", "needed", "calibration")

    name_a: str
    name_b: str
    measure: str
    measure_label: str
    higher_is_better: bool
    n: int
    test_size: int
    unit: str
    units: int
    items_per_unit: float
    n_sets: int
    sizes: tuple[int, ...]
    alphas: tuple[float, ...]
    confidence_level: float
    stratified: bool
    claim: Claim
    own_test_set: bool
    tests: tuple[StudiedTest, ...]
    confidence: tuple[ConfidenceRow, ...]
    size: tuple[SizeRow, ...]
    coverage: tuple[CoverageRow, ...]
    power: tuple[PowerRow, ...]
    detectable: tuple[DetectableRow, ...]
    needed: tuple[NeededSizeRow, ...]
    calibration: tuple[CalibrationPoint, ...]
    left_out: tuple[NotStudied, ...]
    refusals: tuple[str, ...]
    options: dict[str, Any]
    signature: StudySignature
    caveats: tuple[Caveat, ...] = ()

    def to_csv(self, table: str | None = "power") -> str:
        """Return one of the tables as CSV.

        The tables are "confidence", "size", "coverage" and the others.
        """
        return super().to_csv(table)

    def verdict(self, *, margin: float | None = None, style: str = "full") -> str:
        """Return whether each test can be trusted on data like these."""
        if style != "full":
            return super().verdict(margin=margin, style=style)
        summary = self.summary(margin=margin)
        return summary.warned(" ".join(summary.opening))

    def __repr__(self) -> str:
        tests = ", ".join(test.name for test in self.tests)
        return f"Study({self.measure}: {self.n_sets:,} sets of {self.test_size:,} from {self.n:,} items; {tests})"
