"""From a comparison over folds to words: about learning algorithms, not about the models they made."""

from __future__ import annotations

import math

from clearwin.results.folds import FoldComparison
from clearwin.significance import REGISTRY as TESTS
from clearwin.text import counted, degrees_of_freedom, rounded
from clearwin.wording.base import FactRows, Facts, Summary, words_of
from clearwin.wording.margins import held_against, of_one
from clearwin.wording.methods import rows_of_test
from clearwin.wording.phrases import (
    FINDINGS,
    NO_EVIDENCE,
    Digits,
    Effect,
    at_least,
    by_chance,
    direction,
    finding,
    interval_name,
    interval_text,
    judged_at,
    one_sided_row,
    p_row,
    p_text,
    repeat_row,
)

# what the interval is about, if not the mean difference
OF = {
    "first": " of the first fold's difference",
    "wins": " of the median difference",
    "ranks": " of the pseudomedian difference",
}
BY_POSTERIOR = {
    "better": "{b} is practically better than {a}",
    "worse": "{b} is practically worse than {a}",
    "equivalent": "{b} is practically equivalent to {a}",
    "not shown": f"{NO_EVIDENCE} {{b}} is practically different from {{a}} or equivalent to it",
}


@words_of.register
def _(result: FoldComparison) -> Summary:
    tested = result.p_value is not None
    opening = (f"{_effect(result)}.", f"{_uncertainty(result)}.", *([f"{_change(result)}."] if tested else []))
    null = f"The null hypothesis is that {result.null_hypothesis}."
    return Summary(
        opening=opening,
        verdict=" ".join([*opening, *([null] if tested else [])]),
        blocks=(Facts(_rows(result)),),
        method=rows_of_test(TESTS["folds"].get(result.test), result.test_label, result.claim if tested else None),
    )


def _effect(result: FoldComparison) -> str:
    """Say who won, by how much in the units of the scores, and the p-value."""
    write = Digits.of(result)
    value = f"mean {result.measure_label} " if result.judged in FINDINGS else ""
    numbers = f"{value}{write.number(result.estimate_b)} against {write.number(result.estimate_a)}"
    plain = result.decision in ("better", "worse") and result.judged == "mean"
    by = f" by {Effect.of(result).size(result.difference)}" if plain else ""
    p = "" if result.p_value is None else f", {p_text(result)}"
    return f"{_headline(result)}{by} ({numbers}{p}{judged_at(result)})"


def _uncertainty(result: FoldComparison) -> str:
    """Say what the interval rules out, and the p-value in natural frequencies, or the posterior."""
    if empty_interval(result):
        return "The interval is empty, because the test rejects every difference"
    if result.p_value is None:
        return f"The {interval_of(result)} is {_interval_words(result)}. {posterior_words(result)}"
    excluded = Effect.of(result).excluded(result.interval).replace(interval_name(result.interval), interval_of(result))
    return f"{excluded}, and {by_chance(result, of='experiment')}"


def _change(result: FoldComparison) -> str:
    """Say what the decision can rest on, or what would change it."""
    low, high = result.interval.low, result.interval.high
    gains = (low, high) if result.higher_is_better else (-high, -low)
    near = gains[0] if result.decision == "better" else -gains[1]
    if result.decision not in ("better", "worse") or near <= 0.0:
        return "More data would narrow the interval; more repeats on the same data hardly would"
    return at_least(result.decision, Effect.of(result).size(near))


def _headline(result: FoldComparison) -> str:
    """Say who won, if anyone did, over how many folds."""
    a, b = result.name_a, result.name_b
    where = f"in {result.measure_label} over {counted(result.n, 'fold')}"
    if result.p_value is None:
        words = f"{NO_EVIDENCE} {{b}} differs from {{a}}" if result.posterior is None else BY_POSTERIOR[result.decision]
        return f"{words.format(a=a, b=b)} {where}"
    if result.decision == "different":
        return f"I{where[1:]} {b} and {a} differ between the rounds, but neither is better throughout"
    words = finding(result.judged, result.claim, result.decision, a, b, "folds")
    by = {"wins": f" in {result.measure_label}, of {result.n}", "ranks": f", by signed ranks, {where}"}
    return f"{words}{by.get(result.judged, f' {where}')}"


def posterior_words(result: FoldComparison) -> str:
    """Write the three posterior probabilities."""
    found = result.posterior
    if found is None:
        return "The posterior is undefined, because there is only one fold"
    margin = f"{found.margin:g}"
    return (
        f"Posterior probabilities: {rounded(found.better, 4)} that {result.name_b} is better by more than {margin}, "
        f"{rounded(found.practically_equivalent, 4)} that they are within {margin}, {rounded(found.worse, 4)} that it "
        "is worse by more"
    )


def _interval_words(result: FoldComparison) -> str:
    """Write an interval of differences, or say that it is unbounded."""
    interval = result.interval
    if math.isinf(interval.low) and math.isinf(interval.high):
        return "unbounded: too few folds for it, or nothing varies"
    return interval_text(interval, Digits.of(result).signed)


def interval_of(result: FoldComparison) -> str:
    """Name the interval, and what it is about if not the mean difference."""
    name = interval_name(result.interval) + OF.get(result.judged, "")
    return name if result.p_value is not None else name.replace("interval", "credible interval")


def _interval_told(result: FoldComparison) -> str:
    return "empty: the test rejects every difference" if empty_interval(result) else _interval_words(result)


def empty_interval(result: FoldComparison) -> bool:
    """Return whether the test rejects every difference, so that there is no interval to show."""
    return result.decision == "different"


def _rows(result: FoldComparison) -> FactRows:
    a, b, write = result.name_a, result.name_b, Digits.of(result)
    better = direction(result.higher_is_better)
    rows = [
        (f"mean of {a}", write.number(result.estimate_a) + _spread(result.deviation_a, write)),
        (f"mean of {b}", f"{write.number(result.estimate_b)}{_spread(result.deviation_b, write)}  ({better})"),
        ("mean difference", f"{write.signed(result.difference)}  ({b} − {a})"),
        (interval_of(result), f"{_interval_told(result)}  ({result.interval.method})"),
        *one_sided_row(result.claim, a, b),
    ]
    if result.p_value is None:
        rows.append(("posterior", posterior_words(result).removeprefix("Posterior probabilities: ")))
    else:
        rows.append(p_row(result, result.p_error))
    if result.hits is not None and result.arrangements is not None:
        rows.append(("arrangements", f"p = {result.hits:,} of n = {result.arrangements:,} as extreme as observed"))
    folds = f"{result.n}, {result.design if result.design != 'not given' else 'design not given'}"
    ratio = "" if result.test_train_ratio is None else f"; test/train ratio {result.test_train_ratio:.4g}"
    return (
        *rows,
        ("test", f"{result.test_label}, {_statistic(result)}"),
        ("why this test", result.why),
        ("folds", folds + ratio),
        repeat_row(result.signature, drawn=result.method == "monte_carlo" or result.splits_drawn),
    )


def _spread(deviation: float | None, write: Digits) -> str:
    return "" if deviation is None else f" ± {write.number(deviation)} (sd)"


def _statistic(result: FoldComparison) -> str:
    if result.p_value is None:
        return degrees_of_freedom(result.degrees[0]) if result.degrees else "one fold"
    if not result.degrees:
        return result.method
    letter = "F" if result.test == "5x2cv_f" else "t"
    value = "is undefined" if result.statistic is None else f"= {result.statistic:.5g}"
    return f"{letter} {value} on {degrees_of_freedom(*result.degrees)}"


@held_against.register
def _(result: FoldComparison, margin: float) -> str:
    name = interval_of(result)
    if empty_interval(result):
        return (
            f"There is no {name} to compare with the margin of ±{margin:g}, because the test rejects every difference."
        )
    return of_one(result, name, margin)
