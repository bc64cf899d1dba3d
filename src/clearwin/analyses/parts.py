"""A family of comparisons, one for each part of a test set: asked one by one, p-values corrected for their number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clearwin.analyses.judging import decided, judge
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Read
from clearwin.errors import DataError, NotApplicableError, UndefinedError, UnknownNameError
from clearwin.numerics.corrections import adjust
from clearwin.numerics.intervals import alpha_of
from clearwin.results.caveats import CAVEATS, Caveat, caveat
from clearwin.results.comparison import Comparison, Decision, PartDifference
from clearwin.text import called, capital
from clearwin.workers import with_progress

MOST_NAMED = 3  # of the parts that share a caveat
PLURALS = {"class": "classes", "label": "labels", "slice": "slices"}


@dataclass(frozen=True)
class Parts:
    """The findings in every part that has a value, why other parts have none, and the caveats in each."""

    kind: str
    questions: dict[str, Question[Any]]
    results: dict[str, Comparison]
    rows: tuple[PartDifference, ...]
    without_value: dict[str, int]
    left_out: tuple[Caveat, ...]

    @property
    def first(self) -> Comparison:
        """The first comparison, which holds what all of them share."""
        return next(iter(self.results.values()))

    def caveats(self, besides: tuple[str, ...] = ()) -> tuple[Caveat, ...]:
        """Return one caveat of each code, with the parts that it concerns."""
        found: dict[str, dict[str, Caveat]] = {}
        for label, result in self.results.items():
            for own in result.caveats:
                if own.code not in besides and self.kind not in CAVEATS[own.code].said_once_of:
                    found.setdefault(own.code, {}).setdefault(label, own)
        return tuple(_in_one(self.kind, of_code) for of_code in found.values())


def in_parts(
    ask: Mapping[str, Callable[[], Read]], options: Options, sizes: list[int], correction: str, kind: str
) -> Parts:
    """Ask about every part and adjust the p-values; a part without a value is reported without one."""
    questions: dict[str, Question[Any]] = {}
    results: dict[str, Comparison] = {}
    without_value: dict[str, int] = {}
    left_out: list[Caveat] = []
    # a slice may lack a class, or have too few items for the test that was named
    refusals = (UndefinedError, DataError, NotApplicableError, UnknownNameError) if kind == "slice" else UndefinedError
    each = with_progress(zip(ask.items(), sizes, strict=True), len(ask), f"comparing {PLURALS[kind]}", late=True)
    for (label, read), n in each:
        try:
            question = Question(*read(), options)
            results[label] = judge(question)
        except refusals as error:
            without_value[label] = n
            left_out.append(caveat("left_out", part=called(kind, label), why=error.what))
        else:
            questions[label] = question
    if not results:
        raise UndefinedError(
            f"The measure is undefined in every {kind}.",
            f"a {kind} that occurs in the truth",
            "look at the truth",
        )
    adjusted = adjust([r.p_value for r in results.values()], correction)
    # a contrary that was not shown is above the level, whatever its p-value
    contrary = adjust([1.0 if r.contrary is None else r.contrary.p_value for r in results.values()], correction)
    held = [n for label, n in zip(ask, sizes, strict=True) if label in results]
    rows = tuple(
        PartDifference(
            label,
            n,
            r.estimate_a,
            r.estimate_b,
            r.difference,
            r.interval,
            r.p_value,
            p,
            _after_correction(r, min(p, q)),
            r.p_is_bound,
            r.undefined_for,
        )
        for (label, r), n, p, q in zip(results.items(), held, adjusted, contrary, strict=True)
    )
    return Parts(kind, questions, results, rows, without_value, tuple(left_out))


def _after_correction(one: Comparison, adjusted_p: float) -> Decision:
    """Return what is shown about B in a part; the measure's own difference must point the same way."""
    if one.margin is not None:
        return one.decision if adjusted_p <= alpha_of(one.signature.confidence_level) else "not shown"
    gain = one.difference if one.higher_is_better else -one.difference
    found = decided(adjusted_p, one.signature.confidence_level, gain)
    return one.decision if one.decision in (found, "not decided") else "not shown"


def _in_one(kind: str, found: Mapping[str, Caveat]) -> Caveat:
    """Return one caveat for all parts that have it."""
    (first, its), *others = found.items()
    if not others:
        return replace(its, text=f"{capital(called(kind, first))}: {its.text}")
    labels = list(found)
    shown = labels if len(labels) <= MOST_NAMED else labels[: MOST_NAMED - 1]
    more = len(labels) - len(shown)
    told = ", ".join(shown) + f" and {more} more" if more else ", ".join(shown[:-1]) + f" and {shown[-1]}"
    who, in_common = f"{capital(PLURALS[kind])} {told}", CAVEATS[its.code].in_common
    if in_common:
        return replace(its, text=f"{who}: {in_common}.", source="")
    return replace(its, text=f"{who}, for instance {first}: {its.text}")
