"""From one confusion matrix against chance to words."""

from __future__ import annotations

from clearwin.results.chance import AgainstChance, ClassRecall
from clearwin.results.comparison import NAMELESS
from clearwin.text import capital, percent
from clearwin.words.base import FactRows, Facts, Summary, words_of
from clearwin.words.methods import chance_rows
from clearwin.words.phrases import (
    NO_EVIDENCE,
    by_chance,
    interval_name,
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
    effect = f"{_headline(result)} ({p_text(result)}{judged_at(result)})."
    shares = f"{percent(result.interval.low)} to {percent(result.interval.high)} %"
    sure = (
        f"Shares beyond {shares} right are ruled out ({interval_name(result.interval)}), and "
        f"{by_chance(result, does='get as many right')}."
    )
    return Summary(
        opening=(effect, sure),
        verdict=f"{effect} {sure} The null hypothesis is that {result.null_hypothesis}.",
        blocks=(Facts(_rows(result)),),
        method=chance_rows(result.method),
    )


def _headline(result: AgainstChance) -> str:
    shown = result.decision == "better"
    name = capital(result.name) if result.name == NAMELESS and shown else result.name
    words = f"{'' if shown else f'{NO_EVIDENCE} '}{name} is better than chance"
    return (
        f"{words}: {result.right:,} of {result.n:,} right ({percent(result.efficiency)} %), where "
        f"chance with the same margins gets {percent(result.expected_efficiency)} %"
    )


def _rows(result: AgainstChance) -> FactRows:
    return (
        ("right", f"{number(result.efficiency)}  ({result.right:,} of {result.n:,})"),
        interval_row(result.interval),
        ("right by chance", number(result.expected_efficiency)),
        ("Cohen's kappa", "undefined: chance is always right" if result.kappa is None else number(result.kappa)),
        p_row(result, result.p_error),
        ("method", METHODS[result.method]),
        ("why this method", result.why),
        *((f"recall of {one.label}", _recall(one)) for one in result.recalls),
        repeat_row(result.signature, drawn=result.p_error is not None),
    )


def _recall(one: ClassRecall) -> str:
    if one.recall is None or one.interval is None:
        return "undefined: the class never occurs"
    return f"{number(one.recall)}  ({one.right:,} of {one.n:,}; {interval_text(one.interval)})"
