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
from clearwin.words.phrases import interval_name, name_list

# What an interval of gains shows about B and A, as a sentence and as a heading over several intervals.
OUTCOMES = {
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
        next_step = setting("margin", margin / 100) + ", if hundredths were meant"
        next_step = next_step if margin < 100 * widest else setting("margin", widest / 100)
        raise OptionError(
            f"margin is {margin!r}, and no two values of {measure} are more than {widest:g} apart.",
            f"the largest difference that does not matter, less than {widest:g}",
            next_step,
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


def interval_against_margin(interval: Interval, margin: float) -> str:
    """Say where the interval of a difference lies relative to the margin.

    >>> interval_against_margin(Interval(-0.005, 0.025, 0.95, "wald"), 0.02)
    'lies above -0.02'
    """
    if -margin < interval.low and interval.high < margin:
        return f"lies within the margin of ±{margin:g}"
    if interval.low > -margin:
        return f"lies above {'+' if interval.low > margin else '-'}{margin:g}"
    if interval.high < margin:
        return f"lies below {'-' if interval.high < -margin else '+'}{margin:g}"
    return f"reaches beyond the margin of ±{margin:g} on both sides"


def outcome_at_margin(interval: Interval, higher_is_better: bool, margin: float) -> str:
    """Return what the interval shows, a key of ``OUTCOMES``."""
    low, high = (interval.low, interval.high) if higher_is_better else (-interval.high, -interval.low)
    if low > margin:
        return "better"
    if high < -margin:
        return "worse"
    if low > -margin:
        return "equivalent" if high < margin else "not worse"
    return "nothing"


def one_sided_level(interval: Interval) -> str:
    """Write the level of the one-sided test that agrees with the interval."""
    missed = 1.0 - interval.level
    return f"{(missed / 2 if interval.side == 'two-sided' else missed) * 100:.12g} %"


def outcomes_of_intervals(differences: Sequence[tuple[str, Interval]], higher_is_better: bool, margin: float) -> str:
    """Group the intervals by what they show at the margin."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in OUTCOMES}
    for label, interval in differences:
        by_kind[outcome_at_margin(interval, higher_is_better, margin)].append(label)
    listed = "; ".join(f"{OUTCOMES[kind][1]}: {name_list(labels)}" for kind, labels in by_kind.items() if labels)
    first = differences[0][1]
    alone = f", not corrected for {len(differences):,} of them" if len(differences) > 1 else ""
    return (
        f"Against a margin of ±{margin:g}, by each {interval_name(first)} alone ({one_sided_level(first)} on a side"
        f"{alone}): {listed}."
    )
