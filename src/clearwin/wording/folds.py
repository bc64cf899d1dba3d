"""From a comparison over folds to words: about learning algorithms, not about the models they made."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from clearwin.numerics.intervals import Interval, alpha_of
from clearwin.results.folds import FoldComparison
from clearwin.significance.folds import fold_tests
from clearwin.significance.folds.student import rejects_every_difference
from clearwin.text import degrees_of_freedom, one_line, percent, rounded
from clearwin.wording.base import Facts, Story
from clearwin.wording.methods import Name, call, rows_of_test
from clearwin.wording.verdict import (
    OTHER_WORDS,
    WORDS,
    check_alpha,
    interval_name,
    judged_at,
    level_row,
    number,
    one_sided_row,
    p_number,
    signed,
)

SMALLEST_SHOWN = -300.0
# what the interval is of, where that is not the mean difference
OF = {
    "first": " of the first fold's difference",
    "wins": " of the median difference",
    "ranks": " of the pseudomedian difference",
}


def sentence(result: FoldComparison, alpha: float = 0.05) -> str:
    """Say what was shown at the level ``alpha``, with the numbers and the null hypothesis."""
    check_alpha(alpha)
    result = _in_lines(result)
    told = f"{interval_of(result)} {_interval_told(result)}"
    told = (told if result.p_value is None else f"{told}, {p_words(result)}") + judged_at(alpha)
    value = f"the mean {result.measure_label} is " if result.judged in OTHER_WORDS else ""
    found = (
        f"{headline(result, alpha)}: {value}{number(result.estimate_b)} against {number(result.estimate_a)}, a "
        f"{'' if value else 'mean '}difference of {signed(result.difference)} ({told})."
    )
    if result.p_value is None:
        return f"{found} {posterior_words(result)}."
    return f"{found} Tested against the null hypothesis: {result.null_hypothesis}."


def _in_lines(result: FoldComparison) -> FoldComparison:
    """Return the result with names and labels that can stand inside a line, without control characters."""
    told = ("name_a", "name_b", "measure_label", "null_hypothesis", "why")
    cleaned: dict[str, Any] = {name: one_line(getattr(result, name)) for name in told}
    return replace(result, **cleaned)


def headline(result: FoldComparison, alpha: float = 0.05) -> str:
    """Say who won, if anyone did, over how many folds."""
    where = f"in {result.measure_label} over {result.n} fold{'s' if result.n > 1 else ''}"
    if result.p_value is None:
        return f"{result.name_b} {_by_posterior(result, alpha)} {result.name_a} {where}"
    significant = result.p_value <= alpha and result.lead != 0.0
    if result.p_value <= alpha and _rounds_disagree(result, alpha):
        both = f"{result.name_b} and {result.name_a}"
        return f"I{where[1:]} {both} differ between the rounds; which is better is not shown"
    by = {"wins": f" in {result.measure_label}, of {result.n}", "ranks": f", by signed ranks, {where}"}
    return f"{result.name_b} {_words(result, significant)} {result.name_a}{by.get(result.judged, f' {where}')}"


def _words(result: FoldComparison, significant: bool) -> str:
    """Say what the test judged: who is better, who wins more folds, or whose gains have the higher ranks."""
    known = OTHER_WORDS.get(result.judged, WORDS)
    words = known[result.claim][0 if significant else 1].replace("items", "folds")
    ahead = result.lead > 0
    return words.format(direction="better" if ahead else "worse", more="more" if ahead else "fewer")


def _rounds_disagree(result: FoldComparison, alpha: float) -> bool:
    """Whether the combined F test rejects every difference, so that it shows no direction."""
    return result.test == "5x2cv_f" and rejects_every_difference(result.differences, alpha)


def _by_posterior(result: FoldComparison, alpha: float) -> str:
    found = result.posterior
    if found is None:
        return "is not shown to be different from"
    if found.better >= 1.0 - alpha:
        return "is practically better than"
    if found.worse >= 1.0 - alpha:
        return "is practically worse than"
    if found.practically_equivalent >= 1.0 - alpha:
        return "is practically equivalent to"
    return "is shown to be neither practically different from nor practically equivalent to"


def posterior_words(result: FoldComparison) -> str:
    """Write the three posterior probabilities."""
    found = result.posterior
    if found is None:
        return "The posterior has no value: the differences do not vary"
    rope = f"{found.rope:g}"
    return (
        f"Posterior probabilities: {rounded(found.better, 4)} that {result.name_b} is better by more than {rope}, "
        f"{rounded(found.practically_equivalent, 4)} that they are within {rope}, {rounded(found.worse, 4)} that it is "
        "worse by more"
    )


def p_words(result: FoldComparison) -> str:
    """Write the p-value; one below any float as a bound."""
    if result.p_value is None or result.log10_p is None:
        return "no p-value"
    if result.log10_p < SMALLEST_SHOWN:
        return f"p < 1e-300, log10 p = {result.log10_p:.1f}"
    return f"p = {p_number(result.p_value)}"


def interval_words(interval: Interval) -> str:
    """Write an interval of differences; where nothing bounds it that is said."""
    bounded = math.isfinite(interval.low), math.isfinite(interval.high)
    if not any(bounded):
        return "unbounded: too few folds for it, or nothing varies"
    if all(bounded):
        return f"{signed(interval.low)} to {signed(interval.high)}"
    return f"at least {signed(interval.low)}" if bounded[0] else f"at most {signed(interval.high)}"


def interval_of(result: FoldComparison) -> str:
    """Say what the interval is, and of what where that is not the mean difference."""
    name = interval_name(result.interval) + OF.get(result.judged, "")
    return name if result.p_value is not None else name.replace("interval", "credible interval")


def _interval_told(result: FoldComparison) -> str:
    return "empty: the test rejects every difference" if empty_interval(result) else interval_words(result.interval)


def empty_interval(result: FoldComparison) -> bool:
    """Say whether the test keeps no difference at all, so that there is no interval to show."""
    return result.statistic is not None and _rounds_disagree(result, alpha_of(result.interval.level))


def rows(result: FoldComparison, alpha: float = 0.05) -> list[tuple[str, str]]:
    """Return the table that goes with the verdict at the level ``alpha``: what is called what."""
    better = "higher is better" if result.higher_is_better else "lower is better"
    table = [
        (f"mean of {result.name_a}", number(result.estimate_a) + _spread(result.deviation_a)),
        (f"mean of {result.name_b}", f"{number(result.estimate_b)}{_spread(result.deviation_b)}  ({better})"),
        ("mean difference", f"{signed(result.difference)}  ({result.name_b} − {result.name_a})"),
        (interval_of(result), f"{_interval_told(result)}  ({result.interval.method})"),
    ]
    table += one_sided_row(result.claim, result.name_a, result.name_b)
    if result.p_value is None:
        table.append(("posterior", posterior_words(result).removeprefix("Posterior probabilities: ")))
    else:
        error = "" if result.p_error is None else f" ± {result.p_error:.2g}  (sampled)"
        table.append(("p-value", p_words(result).removeprefix("p = ").removeprefix("p ") + error))
    table += level_row(alpha)
    if result.largest_confidence is not None:
        table.append(
            ("largest confidence", f"the difference holds up to a level of {percent(result.largest_confidence, 2)}%")
        )
    if result.hits is not None and result.arrangements is not None:
        counted = f"p = {result.hits:,} of n = {result.arrangements:,} as far out as observed"
        table.append(("arrangements", counted))
    folds = f"{result.n}, {result.design if result.design != 'not given' else 'design not given'}"
    ratio = "" if result.test_train_ratio is None else f"; test/train ratio {result.test_train_ratio:.4g}"
    table += [
        ("test", f"{result.test_label}, {_statistic(result)}"),
        ("why this test", result.why),
        ("folds", folds + ratio),
        ("repeat with", _repeat(result)),
    ]
    return table


def _spread(deviation: float | None) -> str:
    return "" if deviation is None else f" ± {number(deviation)} (sd)"


def _statistic(result: FoldComparison) -> str:
    if result.p_value is None:
        return degrees_of_freedom(result.degrees[0]) if result.degrees else "one fold"
    if not result.degrees:
        return result.method
    letter = "F" if result.test == "5x2cv_f" else "t"
    value = "has no value" if result.statistic is None else f"= {result.statistic:.5g}"
    return f"{letter} {value} on {degrees_of_freedom(*result.degrees)}"


def _repeat(result: FoldComparison) -> str:
    seed = f"seed {result.signature.seed}, " if result.method == "monte_carlo" or result.splits_drawn else ""
    return f"{seed}clearwin {result.signature.version}"


def story(result: FoldComparison, alpha: float = 0.05) -> Story:
    """Return what the result tells, in parts; the verdict is at the level ``alpha``."""
    verdict = sentence(result, alpha)
    result = _in_lines(result)
    found = judged_at(alpha) if result.p_value is None else f" ({p_words(result)}{judged_at(alpha)})"
    claim = None if result.p_value is None else result.claim
    return Story(
        opening=(f"{headline(result, alpha)}{found}.",),
        verdict=verdict,
        blocks=(Facts(tuple(rows(result, alpha))),),
        null_hypothesis=result.null_hypothesis,
        caveats=tuple(map(str, result.caveats)),
        method=rows_of_test(fold_tests().get(result.test), result.test_label, claim),
        call=_call(result),
    )


def _call(result: FoldComparison) -> str:
    """Write the call in Python that gives the same; of learners and splits only the names are known."""
    signature = result.signature
    shared = {
        "test": result.test,
        "claim": result.claim,
        "rope": result.posterior.rope if result.posterior else None,
        "n_resamples": signature.n_resamples,
        "confidence_level": signature.confidence_level,
        "rng": signature.seed,
        "names": (result.name_a, result.name_b),
    }
    if result.splits_drawn:
        return call("cross_compare", "learner_a, learner_b, X, y", cv=Name("cv"), measure=Name("measure"), **shared)
    name, _, rounds = result.design.partition(", ")
    return call(
        "compare_folds",
        "a, b",
        design=name if name != "not given" else None,
        repeats=int(rounds.split()[0]) if rounds else None,
        test_train_ratio=result.test_train_ratio,
        higher_is_better=result.higher_is_better,
        measure_label=result.measure_label,
        **shared,
    )
