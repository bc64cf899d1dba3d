"""Result → verdict and tables: ``summarise`` is the one door from results to words."""

from __future__ import annotations

from dataclasses import replace

from clearwin.errors import UnknownNameError
from clearwin.results.base import Result
from clearwin.text import one_line
from clearwin.words.base import Summary, read_words_about, words_of
from clearwin.words.limits import limits
from clearwin.words.margins import against_margin

__all__ = ["STYLES", "Summary", "summarise", "told_briefly", "verdict_of"]

STYLES = ("full", "paper", "brief")  # of a verdict


def summarise(result: Result, margin: float | None = None) -> Summary:
    """Return what a result says; with a margin also what the intervals show against it."""
    read_words_about(result)
    found, seed = words_of(result), str(result.signature.seed)
    call, imports = ("", "") if result.call is None else (result.call.written(seed), result.call.imported(seed))
    if call and margin is not None:  # the call alone would give another verdict
        call = f"{call}.verdict(margin={margin!r})"
    shown = [] if margin is None else [against_margin(result, margin)]
    return replace(
        found,
        opening=(*found.opening, *shown),
        verdict=" ".join([found.verdict, *shown]),
        null_hypothesis=getattr(result, "null_hypothesis", ""),
        warnings=tuple(str(caveat) for caveat in result.caveats if caveat.changes == "the decision"),
        caveats=(*(str(caveat) for caveat in result.caveats if caveat.changes == "how sure"), *found.caveats),
        call=call,
        imports=imports,
        limits=limits(result),
    )


def verdict_of(result: Result, style: str = "full", margin: float | None = None) -> str:
    """Return the verdict in a style, after the caveats that could reverse the decision."""
    summary = summarise(result, margin)
    return summary.warned(summary.verdict if style == "full" else told_briefly(result, style, margin))


def told_briefly(result: Result, style: str, margin: float | None = None) -> str:
    """Return the verdict as one sentence: for a "paper", or "brief" for a chat."""
    if style not in STYLES:
        raise UnknownNameError("style", style, STYLES)
    from clearwin.words.paper import in_a_chat, in_a_paper

    summary = summarise(result, margin)
    shown = [] if margin is None else [against_margin(result, margin)]
    told = in_a_chat(result, summary) if style == "brief" else in_a_paper(result, summary)
    return one_line(" ".join([told, *shown]))
