"""A plan: how many items show a named difference, how often, or which difference a number of items shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clearwin.numerics.pvalues import AnyClaim
from clearwin.results.base import Result, Sampling, Signature
from clearwin.results.caveats import Caveat


@dataclass(frozen=True)
class PlannedPower:
    """How often test sets of this many items show the claim; ``error`` is the Monte-Carlo error of what was drawn."""

    items: int
    power: float
    error: float | None


@dataclass(frozen=True)
class Spread:
    """Where eight of ten pilots of the same size would put what was asked for."""

    low: float
    high: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Result):
    """How many ``items`` show a ``difference`` with a ``power``.

    Two of them were given, and ``asked`` is the third.

    ``difference`` is how much better B would be (worse, if that is the claim) and was named by the user; it is never
    the pilot's own. For claims with a ``margin`` it is B's true gain, usually 0. ``spread`` is the range that the
    pilot's size leaves for what was asked, None without a pilot. The pilot has ``pilot_items`` items. ``units`` is the
    number of groups where whole groups are drawn, and ``design_effect`` is how many items are needed for one
    independent item. ``assumed`` has the rates that take the place of a pilot, and ``method`` says how power was found.
    """

    tables = ("curve",)

    asked: Literal["items", "power", "difference"]
    name_a: str
    name_b: str
    measure: str
    measure_label: str
    higher_is_better: bool
    claim: AnyClaim
    margin: float | None
    difference: float
    power: float
    items: int
    units: int | None
    spread: Spread | None
    curve: tuple[PlannedPower, ...]
    method: str
    design_effect: float | None
    pilot_items: int | None
    assumed: dict[str, float]
    caveats: tuple[Caveat, ...]
    signature: Signature
    positive: str | None = None
    positive_inferred: bool = False
    thresholds: tuple[float, ...] | None = None
    sampling: Sampling | None = None
    labels: tuple[str, ...] | None = None
    lower_is_positive: tuple[str, ...] = ()
    origin: str | None = None

    def __repr__(self) -> str:
        return (
            f"Plan({self.items:,} items, a difference of {self.difference:.4g} in {self.measure_label}, power "
            f"{self.power:.3g}, claim {self.claim!r})"
        )
