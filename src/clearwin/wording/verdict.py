"""From a result to sentences, with a closed set of words.

"Not shown to be different", never "equal"; never "the probability that B is better". Every verdict names the null
hypothesis that was tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clearwin.errors import OptionError
from clearwin.numerics.intervals import Interval
from clearwin.numerics.pvalues import Claim
from clearwin.results.chance import AgainstChance
from clearwin.results.claims import Rows
from clearwin.results.comparison import NAMELESS, Comparison, Estimate, PerClass
from clearwin.results.leaderboard import Areas
from clearwin.text import called, capital, counted, percent, rounded


def one_sided_row(claim: Claim, name_a: str, name_b: str) -> Rows:
    """Say what was claimed where that is not the usual "different".

    >>> one_sided_row("better", "svm", "rbf"), one_sided_row("different", "svm", "rbf")
    ((('claim', 'better, one-sided: that rbf is better than svm'),), ())
    """
    if claim == "different":
        return ()
    return (("claim", f"{claim}, one-sided: that {name_b} is {claim} than {name_a}"),)


Judged = Comparison | AgainstChance | Areas
# claim → (shown, not shown); {b} and {a} are the models
WORDS = {
    "different": ("is {direction} than", "is not shown to be different from"),
    "better": ("is better than", "is not shown to be better than"),
    "worse": ("is worse than", "is not shown to be worse than"),
}
# of tests that do not look at the measure: who wins more items, whose gains have the higher ranks
OTHER_WORDS = {
    "wins": {
        "different": ("wins {more} items than", "is not shown to win more or fewer items than"),
        "better": ("wins more items than", "is not shown to win more items than"),
        "worse": ("wins fewer items than", "is not shown to win fewer items than"),
    },
    "ranks": {
        "different": ("tends to be {direction} than", "is not shown to tend to be better or worse than"),
        "better": ("tends to be better than", "is not shown to tend to be better than"),
        "worse": ("tends to be worse than", "is not shown to tend to be worse than"),
    },
}
SMALLEST_SHOWN = -300.0
USUAL_LEVEL = 0.05  # of a verdict; any other is told
ALMOST_ONE, ROUNDING = 0.9999, 1.0 - 1e-12  # a share between them is not 1


def check_alpha(alpha: float) -> None:
    """Raise unless it can be the level of a verdict."""
    if not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise OptionError(f"alpha is {alpha!r}.", "a number between 0 and 1, both excluded", "alpha=0.05")


def level_of(result: object, alpha: float | None) -> float:
    """Return the level to judge a result at: the one asked for, or the usual one; some results have had theirs."""
    own: float | None = getattr(result, "alpha", None)
    if own is None or alpha is not None:
        check_alpha(USUAL_LEVEL if alpha is None else alpha)
    if own is not None and alpha not in (None, own):
        raise OptionError(
            f"alpha is {alpha!r}, and this {type(result).__name__} has been judged at {own:g}.",
            "that level, or none",
            f"give alpha={alpha!r} to the call that makes it",
        )
    return own if own is not None else USUAL_LEVEL if alpha is None else alpha


def judged_at(alpha: float) -> str:
    """Say the level of a verdict, to go on with after its p-value, unless it is the usual one.

    >>> judged_at(0.01), judged_at(0.05)
    (', judged at 0.01', '')
    """
    return "" if alpha == USUAL_LEVEL else f", judged at {alpha:g}"


def level_row(alpha: float) -> list[tuple[str, str]]:
    """Return the row that has the level of a verdict, unless it is the usual one."""
    return [] if alpha == USUAL_LEVEL else [("level of the verdict", f"{alpha:g}")]


def sentence(result: Judged | PerClass | Estimate, alpha: float = 0.05) -> str:
    """Say what was shown at the level ``alpha``, with the numbers and the null hypothesis."""
    check_alpha(alpha)
    if isinstance(result, Estimate):
        return f"{headline(result)}, on {counted(result.n, 'item')}. An estimate: nothing is tested."
    if isinstance(result, PerClass):
        tests = f"{counted(len(result.classes), 'test')}, corrected by {result.correction}{judged_at(alpha)}"
        return f"{headline(result, alpha)}. {tests}, each against the null hypothesis: {result.null_hypothesis}."
    if isinstance(result, AgainstChance | Areas):
        found = f"{headline(result, alpha)} ({p_text(result)}{judged_at(alpha)})"
        return f"{found}. Tested against the null hypothesis: {result.null_hypothesis}."
    value = "" if result.judged == "measure" else f"the {result.measure_label} is "
    return (
        f"{headline(result, alpha)}: {value}{number(result.estimate_b)} against {number(result.estimate_a)}, a "
        f"difference of {signed(result.difference)} ({interval_name(result.interval)} "
        f"{interval_text(result.interval, signed)}, {p_text(result)}{judged_at(alpha)}). "
        f"Tested against the null hypothesis: {result.null_hypothesis}."
    )


def headline(result: Judged | PerClass | Estimate, alpha: float = 0.05) -> str:
    """Say who won, if anyone did."""
    if isinstance(result, Estimate):
        found = f"{interval_name(result.interval)} {interval_text(result.interval)}"
        return capital(f"{result.measure_label} of {result.name}: {number(result.estimate)} ({found})")
    if isinstance(result, PerClass):
        return _class_headline(result, alpha)
    if isinstance(result, Areas):
        words = "are not all the same" if result.p_value <= alpha else "are not shown to be different"
        return f"The AUCs of {few(result.names)} {words}"
    if isinstance(result, AgainstChance):
        words = "is better than chance" if result.p_value <= alpha else "is not shown to be better than chance"
        name = capital(result.name) if result.name == NAMELESS else result.name
        return (
            f"{name} {words}: {result.right:,} of {result.n:,} right ({percent(result.efficiency)} %), where "
            f"chance with the same margins gets {percent(result.expected_efficiency)} %"
        )
    shown, not_shown = WORDS[result.claim]
    gain = result.difference if result.higher_is_better else -result.difference
    if result.judged != "measure":
        gain, (shown, not_shown) = result.lead, OTHER_WORDS[result.judged][result.claim]
    significant = result.p_value <= alpha and gain != 0.0
    better = gain > 0
    words = shown.format(direction="better" if better else "worse", more="more" if better else "fewer")
    what = {"measure": f" in {result.measure_label}", "wins": "", "ranks": ", by signed ranks"}[result.judged]
    return f"{result.name_b} {words if significant else not_shown} {result.name_a}{what}"


def p_text(result: Judged) -> str:
    """Write the p-value: sampled ones with their error, those below any float as a bound.

    A bound is true at any size: 1e-300 is far below every level that anyone uses.
    """
    if result.log10_p < SMALLEST_SHOWN:
        return f"p < 1e-300, log10 p = {result.log10_p:.1f}"
    return f"p = {p_number(result.p_value)}"


def p_number(p: float) -> str:
    """Write a p-value with three significant digits.

    >>> p_number(0.0346897), p_number(0.04), p_number(0.00000123), p_number(1.0)
    ('0.0347', '0.0400', '1.23e-06', '1')
    """
    return "1" if p == 1.0 else f"{p:#.3g}"


def number(value: float) -> str:
    """Write an estimate: four decimals, or four digits when it is very small or large; only 1 is written as 1.

    >>> number(0.5), number(0.00012345), number(1.0), number(0.999992)
    ('0.5000', '0.0001234', '1.0000', '0.999992')
    """
    if ALMOST_ONE < value < ROUNDING:
        return rounded(value, 4)
    return f"{value:.4f}" if value == 0 or 0.001 <= abs(value) < 10_000 else f"{value:.4g}"


def every_digit(threshold: float) -> str:
    """Write a threshold whole: a rounded one could call other items positive.

    >>> every_digit(0.7), every_digit(1 / 3), every_digit(2.0)
    ('0.7', '0.3333333333333333', '2')
    """
    return repr(threshold).removesuffix(".0")


def signed(value: float) -> str:
    """Write a difference with its sign; 0 has none."""
    if value == 0:
        return "0"
    if abs(value) >= 10_000:
        return f"{value:+.4g}"
    return f"{value:+.4f}" if abs(value) >= 0.0001 else f"{value:+.2e}"


def interval_text(interval: Interval, write: Callable[[float], str] = number) -> str:
    """Write an interval: both ends, or the one bound of a one-sided claim."""
    if interval.side == "two-sided":
        return f"{write(interval.low)} to {write(interval.high)}"
    return f"at least {write(interval.low)}" if interval.side == "lower" else f"at most {write(interval.high)}"


def interval_name(interval: Interval) -> str:
    """Say what the interval is: "95 % interval", or "95 % bound" for a one-sided claim."""
    return f"{interval.level * 100:.12g} % {'interval' if interval.side == 'two-sided' else 'bound'}"


def few(names: Sequence[str], most: int = 8) -> str:
    """Write the first of many names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _class_headline(result: PerClass, alpha: float) -> str:
    better: list[str] = []
    worse: list[str] = []
    for one in result.classes:
        gain = one.difference if result.higher_is_better else -one.difference
        if one.adjusted_p <= alpha and gain != 0.0:
            (better if gain > 0 else worse).append(one.label)
    how = "each class against the others" if result.kind == "class" else "each label on its own"
    many = "classes" if result.kind == "class" else "labels"
    told = [
        f"{word} than {result.name_a} in "
        + (called(result.kind, labels[0]) if len(labels) == 1 else f"{many} {few(labels)}")
        for word, labels in (("better", better), ("worse", worse))
        if labels
    ]
    if told:
        return f"{result.name_b} is {' and '.join(told)} ({result.measure_label}, {how})"
    words = WORDS[result.claim][1]
    return f"{result.name_b} {words} {result.name_a} in any {result.kind} ({result.measure_label}, {how})"
