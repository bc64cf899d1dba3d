"""Where differences lie relative to a margin, the largest difference that does not matter, and what that shows.

A two-sided interval of 95 % is what two one-sided tests at 2.5 % each do not reject. If all of it lies on the good side
of −margin, B is not worse than A by more than the margin (non-inferiority); if it lies within ±margin, the two are
equivalent up to it. The result itself has no margin; its reader brings one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from clearwin.errors import OptionError, setting
from clearwin.measures import find
from clearwin.numerics.intervals import Interval
from clearwin.results.base import Result
from clearwin.words.phrases import few, interval_name

# what an interval of gains shows about B and A, in a sentence, and as a heading over many
SHOWN = {
    "better": ("{b} is better than {a} by more than the margin", "better by more than the margin"),
    "equivalent": ("{b} and {a} are equivalent up to the margin", "equivalent up to the margin"),
    "not worse": (
        "{b} is not worse than {a} by more than the margin, and equivalence is not shown",
        "not worse by more than the margin",
    ),
    "worse": ("{b} is worse than {a} by more than the margin", "worse by more than the margin"),
    "nothing": (
        "it shows neither that {b} is not worse than {a} by more than the margin nor that they are equivalent",
        "neither is shown",
    ),
}


def check_margin(margin: Any, measure: str | None = None) -> float:
    """Return the margin, or raise unless it is a size that a difference can have, in the measure if it is known."""
    if isinstance(margin, str):
        raise OptionError(
            f"margin is {margin!r}, and no claim is made about it.",
            "a number in the measure's own units, or a claim that the margin belongs to",
            setting("claim", "not_worse"),
        )
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin < math.inf:
        raise OptionError(
            f"margin is {margin!r}.", "the largest difference that does not matter", setting("margin", 0.01)
        )
    widest = math.inf if measure is None else _widest(measure)
    if margin >= widest:
        meant = setting("margin", margin / 100) + ", if hundredths were meant"
        meant = meant if margin < 100 * widest else setting("margin", widest / 100)
        raise OptionError(
            f"margin is {margin!r}, and no two values of {measure} are more than {widest:g} apart.",
            f"the largest difference that does not matter, less than {widest:g}",
            meant,
        )
    return float(margin)


def _widest(measure: str) -> float:
    """Return how far apart two values of the measure can be; for a user's own it is unknown."""
    try:
        low, high = find(measure).bounds
    except OptionError:
        return math.inf
    return high - low


def margin_for(result: Result, margin: Any) -> float:
    """Return the margin, or raise unless the result's differences can be compared with it."""
    if not result.has_differences:
        raise OptionError(f"This {type(result).__name__} has no differences to compare with a margin.", "no margin")
    if getattr(result, "relative", False):
        raise OptionError(
            "The interval is in per cent of A's value, as the margin of the claim was.", "no other margin", "verdict()"
        )
    return check_margin(margin, getattr(result, "measure", None))


def lies(interval: Interval, margin: float) -> str:
    """Say where the interval of a difference lies.

    >>> lies(Interval(-0.005, 0.025, 0.95, "wald"), 0.02)
    'lies above -0.02'
    """
    if -margin < interval.low and interval.high < margin:
        return f"lies within the margin of ±{margin:g}"
    if interval.low > -margin:
        return f"lies above {'+' if interval.low > margin else '-'}{margin:g}"
    if interval.high < margin:
        return f"lies below {'-' if interval.high < -margin else '+'}{margin:g}"
    return f"reaches beyond the margin of ±{margin:g} on both sides"


def shown(interval: Interval, higher_is_better: bool, margin: float) -> str:
    """Return what the interval shows, a key of ``SHOWN``."""
    low, high = (interval.low, interval.high) if higher_is_better else (-interval.high, -interval.low)
    if low > margin:
        return "better"
    if high < -margin:
        return "worse"
    if low > -margin:
        return "equivalent" if high < margin else "not worse"
    return "nothing"


def tail(interval: Interval) -> str:
    """Return the level of a one-sided test that goes with the interval."""
    missed = 1.0 - interval.level
    return f"{(missed / 2 if interval.side == 'two-sided' else missed) * 100:.12g} %"


def of_many(differences: Sequence[tuple[str, Interval]], higher_is_better: bool, margin: float) -> str:
    """Say which intervals show what."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in SHOWN}
    for label, interval in differences:
        by_kind[shown(interval, higher_is_better, margin)].append(label)
    listed = "; ".join(f"{SHOWN[kind][1]}: {few(labels)}" for kind, labels in by_kind.items() if labels)
    first = differences[0][1]
    alone = f", not corrected for {len(differences):,} of them" if len(differences) > 1 else ""
    return (
        f"Against a margin of ±{margin:g}, by each {interval_name(first)} alone ({tail(first)} on a side"
        f"{alone}): {listed}."
    )
