"""Result → verdict and tables: ``words_about`` is the one door from results to words."""

from __future__ import annotations

from clearwin.results.base import Result
from clearwin.words.base import STYLES, ResultWords, words_about
from clearwin.words.summary import Summary

__all__ = ["STYLES", "ResultWords", "Summary", "summarise", "verdict_of", "words_about"]


def summarise(result: Result, margin: float | None = None) -> Summary:
    """Return what a result says; with a margin also what the intervals show against it."""
    return words_about(result, margin).summary()


def verdict_of(result: Result, style: str = "full", margin: float | None = None) -> str:
    """Return the verdict in a style, after the caveats that could reverse the decision."""
    words = words_about(result, margin)
    return words.summary().warned(words.in_style(style))
