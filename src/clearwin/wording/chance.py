"""From one confusion matrix against chance to words."""

from __future__ import annotations

from typing import Any

from clearwin.results.chance import AgainstChance, ClassRecall
from clearwin.results.comparison import NAMELESS
from clearwin.text import capital, percent
from clearwin.wording.base import FactRows, Facts, Summary, particulars, words_of
from clearwin.wording.methods import chance_rows
from clearwin.wording.phrases import (
    interval_row,
    interval_text,
    judged_at,
    number,
    p_row,
    p_text,
    repeat_row,
)

METHODS = {"exact": "exact", "monte_carlo": "Monte-Carlo", "chi2": "chi-square, halved"}


@words_of.register
def _(result: AgainstChance) -> Summary:
    opening = f"{_headline(result)} ({p_text(result)}{judged_at(result)})."
    return Summary(
        opening=(opening,),
        verdict=f"{opening} Tested against the null hypothesis: {result.null_hypothesis}.",
        blocks=(Facts(_rows(result)),),
        method=chance_rows(result.method),
    )


def _headline(result: AgainstChance) -> str:
    words = "is better than chance" if result.decision == "better" else "is not shown to be better than chance"
    name = capital(result.name) if result.name == NAMELESS else result.name
    return (
        f"{name} {words}: {result.right:,} of {result.n:,} right ({percent(result.efficiency)} %), where "
        f"chance with the same margins gets {percent(result.expected_efficiency)} %"
    )


def _rows(result: AgainstChance) -> FactRows:
    name, p = p_row(result, result.p_error)
    certain = "" if result.p_bound is None else f"  (certain to a relative error of {result.p_bound:.1e})"
    return (
        ("right", f"{number(result.efficiency)}  ({result.right:,} of {result.n:,})"),
        interval_row(result.interval),
        ("right by chance", number(result.expected_efficiency)),
        ("Cohen's kappa", "undefined: chance is always right" if result.kappa is None else number(result.kappa)),
        (name, f"{p}{certain}"),
        ("method", METHODS[result.method]),
        ("why this method", result.why),
        *((f"recall of {one.label}", _recall(one)) for one in result.recalls),
        repeat_row(result.signature, drawn=result.p_error is not None),
    )


def _recall(one: ClassRecall) -> str:
    if one.recall is None or one.interval is None:
        return "undefined: the class never occurs"
    return f"{number(one.recall)}  ({one.right:,} of {one.n:,}; {interval_text(one.interval)})"


@particulars.register
def _(result: AgainstChance) -> dict[str, Any]:
    return {"n_resamples": result.signature.n_resamples if result.method == "monte_carlo" else None}
