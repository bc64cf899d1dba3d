"""What is said about B against A in every part of the items: a class, a label, a slice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from clearwin.numerics.pvalues import MARGIN_CLAIMS, Claim
from clearwin.results.comparison import Comparison, PartDifference, PerClass
from clearwin.text import called
from clearwin.words.phrases import (
    NO_EVIDENCE,
    Digits,
    finding,
    interval_name,
    interval_text,
    margin_of,
    name_list,
    p_number,
)
from clearwin.words.summary import Grid


def digits_of_parts(result: Comparison | PerClass, parts: Sequence[PartDifference]) -> Digits:
    """Return how many decimals a table of parts has."""
    relative = isinstance(result, Comparison) and result.relative
    return Digits.of_table(((part.interval, part.difference) for part in parts), relative=relative)


def table_of_parts(
    result: Comparison | PerClass,
    parts: Sequence[PartDifference],
    kind: str,
    correction: str,
    more: Iterable[tuple[str, ...]] = (),
) -> Grid:
    """Return the parts one under the other, a column for each number."""
    write = digits_of_parts(result, parts)
    head = (kind, "items", result.name_a, result.name_b, "difference", interval_name(result.interval), "p")
    rows = (
        (
            part.label,
            f"{part.n:,}",
            write.number(part.estimate_a),
            write.number(part.estimate_b),
            write.signed(part.difference),
            interval_text(part.interval, write.signed),
            p_number(part.p_value, bound=part.p_is_bound),
            p_number(part.adjusted_p, bound=part.p_is_bound),
        )
        for part in parts
    )
    return Grid((*head, f"p, {correction}"), (*rows, *more), result.measure_label)


def shown_in_parts(result: Comparison | PerClass, parts: Sequence[PartDifference], kind: str) -> str:
    """Say where B is better and where it is worse, or that nothing is shown."""
    plural = "classes" if kind == "class" else f"{kind}s"
    differences = [
        f"{word} {'to' if word == 'equivalent' else 'than'} {result.name_a}{_by_more(result, word)} in "
        + (called(kind, labels[0]) if len(labels) == 1 else f"{plural} {name_list(labels)}")
        for word in ("better", "worse", "not worse", "equivalent")
        if (labels := [part.label for part in parts if part.decision == word])
    ]
    if differences:
        return f"{result.name_b} is {' and '.join(differences)}"
    if result.claim in MARGIN_CLAIMS:
        return f"{NO_EVIDENCE} {result.name_b} is {result.claim.replace('_', ' ')} in any {kind}"
    return f"{finding('measure', cast(Claim, result.claim), 'not shown', result.name_a, result.name_b)} in any {kind}"


def _by_more(result: Comparison | PerClass, word: str) -> str:
    """Say that a part is beyond the margin: worse, or better unless the claim was only that it is not worse."""
    margin = margin_of(result) if isinstance(result, Comparison) else None
    beyond = word == "worse" or (word == "better" and result.claim != "not_worse")
    return f" by more than {margin}" if margin is not None and beyond else ""
