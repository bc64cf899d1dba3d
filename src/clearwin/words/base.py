"""What all kinds of results say in the same way, and where the words about each kind are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from importlib import import_module
from typing import Any, Generic, TypeVar

from clearwin.errors import NotApplicableError, UnknownNameError
from clearwin.results.base import Result
from clearwin.results.call import Call
from clearwin.results.caveats import SEVERITIES, in_order
from clearwin.text import one_line
from clearwin.words.margins import margin_for, outcome_at_margin
from clearwin.words.summary import Block, FactRows, Grid, Summary

R = TypeVar("R", bound=Result)
STYLES = ("full", "paper", "brief")  # in which a verdict can be written
# The module with the words about each kind of result.
HOMES = {
    "AgainstChance": "chance",
    "Comparison": "comparison",
    "DataSetComparison": "data_sets",
    "Estimate": "estimate",
    "Experiment": "keller2004",
    "FoldComparison": "folds",
    "Gate": "gate",
    "Leaderboard": "leaderboard",
    "PerClass": "per_class",
    "Plan": "plan",
    "ScoreCurves": "curves",
    "Study": "study",
}


class ResultWords(ABC, Generic[R]):
    """What is said about one kind of result; a ``margin`` is compared with its differences.

    The words of a kind are in a module of their own (``HOMES``), in a class that is named after its record.
    """

    null_title = "Null hypothesis"
    null_is = "The null hypothesis is that"

    def __init__(self, result: R, margin: float | None = None) -> None:
        if margin is not None:
            margin_for(result, margin)
        self.result, self.margin = result, margin
        self.caveats = result.caveats

    @abstractmethod
    def headline(self) -> str:
        """Say in a few words, without a full stop, what was shown."""

    @abstractmethod
    def opening(self) -> tuple[str, ...]:
        """Return sentences for the person who decides; the first begins with the headline."""

    @abstractmethod
    def blocks(self) -> tuple[Block, ...]:
        """Return the tables, and the sentences between them."""

    @abstractmethod
    def method(self) -> FactRows:
        """Say what was done, by which formula and after whom."""

    def limits(self) -> tuple[str, ...]:
        """Return what the result does not show, each in a line."""
        return (
            "It holds for data like these, and for the settings that are listed above.",
            "It does not show that the measure is the one that matters to you.",
        )

    def verdict(self) -> str:
        """Return the opening in one paragraph, with the null hypothesis if there is one."""
        null = getattr(self.result, "null_hypothesis", "")
        return " ".join([*self.opening(), *([f"{self.null_is} {null}."] if null else [])])

    def paper(self) -> str:
        """Return a sentence for a paper: what was compared, by which test, on how many items, by which software."""
        return f"{self.verdict()} ({self.software()}.)"

    def brief(self) -> str:
        """Return one line for a chat."""
        return self.opening()[0]

    def table(self) -> Grid:
        """Return the table for a paper, for most kinds the first one of the summary."""
        for block in self.blocks():
            if isinstance(block, Grid):
                return block
        raise NotApplicableError(
            f"This {type(self.result).__name__} has no table.", "a result with one", "to_markdown()"
        )

    def margin_sentence(self) -> str:
        """Say what the intervals show against the margin, and at which level; nothing without a margin."""
        return "" if self.margin is None else self.against(self.margin)

    def against(self, margin: float) -> str:
        """Say what the intervals show against a margin, for a kind that has differences."""
        raise TypeError(f"A {type(self.result).__name__} has no differences.")

    def margin_record(self) -> dict[str, Any]:
        """Return what the intervals show against the margin, for JSON."""
        record = {"margin": self.margin, "verdict": self.margin_sentence()}
        interval, higher = getattr(self.result, "interval", None), getattr(self.result, "higher_is_better", True)
        if (
            self.margin is not None and hasattr(self.result, "difference") and interval is not None
        ):  # only one difference has one outcome
            record["shown"] = outcome_at_margin(interval, higher, self.margin)
        return record

    def settings_of_call(self) -> dict[str, str]:
        """Return the settings that give the result again, as Python text, without the seed."""
        return {} if self.result.call is None else self.result.call.settings

    def software(self) -> str:
        """Return what gave the result, to be cited."""
        return f"clearwin {self.result.signature.version}"

    def seeded(self) -> list[str]:
        """Return software and seed, to end a list of numbers that were drawn."""
        return [self.software(), f"seed {self.result.signature.seed}"]

    def in_style(self, style: str) -> str:
        """Return the verdict in a style, after the caveats that could reverse the decision."""
        return self.summary().warned(self.sentence(style))

    def sentence(self, style: str) -> str:
        """Return the verdict in a style, with what is shown against the margin."""
        if style not in STYLES:
            raise UnknownNameError("style", style, STYLES)
        words = {"full": self.verdict, "paper": self.paper, "brief": self.brief}[style]()
        return one_line(" ".join(filter(None, [words, self.margin_sentence()])))

    def summary(self) -> Summary:
        """Return all parts, for readers to lay out."""
        against = () if self.margin is None else (self.margin_sentence(),)
        call, imports = ("", "") if self.result.call is None else self._call(self.result.call)
        caveats = in_order(self.caveats)
        return Summary(
            opening=(*self.opening(), *against),
            verdict=" ".join([self.verdict(), *against]),
            blocks=self.blocks(),
            method=self.method(),
            null_hypothesis=getattr(self.result, "null_hypothesis", ""),
            warnings=tuple(str(caveat) for caveat in caveats if caveat.changes == SEVERITIES[0]),
            caveats=tuple(str(caveat) for caveat in caveats if caveat.changes != SEVERITIES[0]),
            call=call,
            limits=self.limits(),
            null_title=self.null_title,
            imports=imports,
        )

    def _call(self, call: Call) -> tuple[str, str]:
        """Return what to type in Python for the same, and what to import before it."""
        seed = str(self.result.signature.seed)
        # Without its margin the call would give another verdict.
        verdict = "" if self.margin is None else f".verdict(margin={self.margin!r})"
        return replace(call, settings=self.settings_of_call()).written(seed) + verdict, call.imported(seed)


def words_about(result: Result, margin: float | None = None) -> ResultWords[Any]:
    """Return the words about a result; only the module with those about its kind is imported."""
    for kind in type(result).__mro__:
        if kind.__name__ in HOMES:
            module = import_module(f"clearwin.words.{HOMES[kind.__name__]}")
            words: ResultWords[Any] = getattr(module, f"{kind.__name__}Words")(result, margin)
            return words
    raise NotApplicableError(f"There are no words for a {type(result).__name__}.", "a result of one of the verbs")
