"""Result → verdict and tables: ``summarise`` is the one door from results to words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clearwin.results.base import Result
from clearwin.wording.base import Summary, call_of, read_words_about, words_of, written
from clearwin.wording.margins import against_margin
from clearwin.wording.phrases import USUAL_LEVEL, level_of

__all__ = ["Summary", "summarise"]


def summarise(result: Result, alpha: float | None = None, margin: float | None = None) -> Summary:
    """Return what a result says at the level ``alpha``; with a margin also what the intervals show against it."""
    read_words_about(result)
    alpha = level_of(result, alpha)
    found, call = words_of(result, alpha), call_of(result)
    asked: dict[str, Any] = {"alpha": alpha if result.at_any_level and alpha != USUAL_LEVEL else None, "margin": margin}
    if any(value is not None for value in asked.values()):  # the call alone would give another verdict
        call = written(f"{call}.verdict", **asked)
    shown = [] if margin is None else [against_margin(result, margin)]
    return replace(
        found,
        opening=(*found.opening, *shown),
        verdict=" ".join([found.verdict, *shown]),
        null_hypothesis=getattr(result, "null_hypothesis", ""),
        caveats=(*map(str, result.caveats), *found.caveats),
        call=call,
    )
