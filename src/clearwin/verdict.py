"""From a result to sentences, with a closed set of words.

"Not shown to be different", never "equal"; never "the probability that B is better". Every verdict names the null
hypothesis that was tested.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Callable, Sequence

from clearwin.errors import OptionError
from clearwin.intervals import BOOTSTRAP
from clearwin.result import (
    AgainstChance,
    Areas,
    ClassDifference,
    ClassRecall,
    Comparison,
    Estimate,
    Interval,
    MeasureRecord,
    PerClass,
    Record,
)

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
WIDTH = 110
LONGEST_LABEL = 24


def sentence(result: Judged | PerClass, alpha: float = 0.05) -> str:
    """Say what was shown at the level ``alpha``, with the numbers and the null hypothesis."""
    if not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise OptionError(f"alpha is {alpha!r}.", "a number between 0 and 1, both excluded", "alpha=0.05")
    if isinstance(result, PerClass):
        tests = f"{len(result.classes)} tests, corrected by {result.correction}"
        return f"{headline(result, alpha)}. {tests}, each against the null hypothesis: {result.null_hypothesis}."
    if isinstance(result, AgainstChance | Areas):
        found = f"{headline(result, alpha)} ({p_text(result)})"
        return f"{found}. Tested against the null hypothesis: {result.null_hypothesis}."
    value = "" if result.judged == "measure" else f"the {result.measure_label} is "
    return (
        f"{headline(result, alpha)}: {value}{number(result.estimate_b)} against {number(result.estimate_a)}, a "
        f"difference of {signed(result.difference)} ({interval_name(result.interval)} "
        f"{interval_text(result.interval, signed)}, {p_text(result)}). "
        f"Tested against the null hypothesis: {result.null_hypothesis}."
    )


def headline(result: Judged | PerClass, alpha: float = 0.05) -> str:
    """Say who won, if anyone did."""
    if isinstance(result, PerClass):
        return _class_headline(result, alpha)
    if isinstance(result, Areas):
        words = "are not all the same" if result.p_value <= alpha else "are not shown to be different"
        return f"The AUCs of {', '.join(result.names)} {words}"
    if isinstance(result, AgainstChance):
        words = "is better than chance" if result.p_value <= alpha else "is not shown to be better than chance"
        return (
            f"{result.name} {words}: {result.right:,} of {result.n:,} right ({result.efficiency * 100:.1f} %), where "
            f"chance with the same margins gets {result.expected_efficiency * 100:.1f} %"
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
    """Write an estimate: four decimals, or four digits when it is very small or large."""
    return f"{value:.4f}" if value == 0 or 0.001 <= abs(value) < 10_000 else f"{value:.4g}"


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


def rows(result: Record) -> list[tuple[str, str]]:
    """Return the table that goes with the verdict: what is called what."""
    table: list[tuple[str, str]] = []
    if isinstance(result, AgainstChance):
        return _chance_rows(result)
    if isinstance(result, Areas):
        return _area_rows(result)
    if isinstance(result, PerClass):
        return _class_rows(result)
    if isinstance(result, Comparison):
        direction = _direction(result)
        table += [
            *_measure_row(result.measure_label),
            (_of(result.measure_label, result.name_a), number(result.estimate_a)),
            (_of(result.measure_label, result.name_b), f"{number(result.estimate_b)}  ({direction})"),
            ("difference", f"{signed(result.difference)}  ({result.name_b} − {result.name_a})"),
            (interval_name(result.interval), f"{interval_text(result.interval, signed)}  ({result.interval.method})"),
            ("p-value", _p_with_error(result)),
            ("test", f"{result.test_label}, {result.method}"),
            ("why this test", result.why),
            *_extra_rows(result),
        ]
    if isinstance(result, Estimate):
        table += [
            *_measure_row(result.measure_label),
            (_of(result.measure_label, result.name), f"{number(result.estimate)}  ({_direction(result)})"),
            (interval_name(result.interval), f"{interval_text(result.interval)}  ({result.interval.method})"),
        ]
    table.append(("items", f"{result.n:,}" + _split(result)))
    if isinstance(result, MeasureRecord):
        table += _sampling_rows(result)
    if isinstance(result, MeasureRecord) and result.positive is not None:
        table.append(("positive class", result.positive + ("  (inferred)" if result.positive_inferred else "")))
    table.append(("repeat with", _repeat(result)))
    return table


def _sampling_rows(result: MeasureRecord) -> list[tuple[str, str]]:
    """Say what was drawn whole, what was held fixed, and which labels count."""
    found = []
    sampling = result.sampling
    if sampling is not None and sampling.unit == "group":
        sizes = f"{sampling.smallest:,}" + (f" to {sampling.largest:,}" if sampling.largest > sampling.smallest else "")
        effect = "" if sampling.design_effect is None else f"; design effect {sampling.design_effect:.2f}"
        found.append(("groups", f"{sampling.n_units:,} of {sizes} items{effect}"))
    if sampling is not None and sampling.strata:
        named = [f"{name} {n:,}" for name, n in sampling.strata.items()]
        found.append(("strata", f"{len(named)}, sizes held fixed: {few(named)}"))
    if result.labels is not None:
        found.append(("labels", few(result.labels)))
    return found


def few(names: Sequence[str], most: int = 8) -> str:
    """Write the first of many names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _measure_row(label: str) -> list[tuple[str, str]]:
    """A long label would push the whole table to the right: it gets a row of its own."""
    return [("measure", label)] if len(label) > LONGEST_LABEL else []


def _of(label: str, name: str) -> str:
    return f"of {name}" if len(label) > LONGEST_LABEL else f"{label} of {name}"


def _repeat(result: Record) -> str:
    sampled = result.p_error is not None if isinstance(result, AgainstChance) else result.interval.method in BOOTSTRAP
    return (f"seed {result.signature.seed}, " if sampled else "") + f"clearwin {result.signature.version}"


def _direction(result: MeasureRecord) -> str:
    return "higher is better" if result.higher_is_better else "lower is better"


def _chance_rows(result: AgainstChance) -> list[tuple[str, str]]:
    share = f"{number(result.efficiency)}  ({result.right:,} of {result.n:,})"
    kappa = "undefined: chance is always right" if result.kappa is None else number(result.kappa)
    table = [
        ("right", share),
        (interval_name(result.interval), f"{interval_text(result.interval)}  ({result.interval.method})"),
        ("right by chance", number(result.expected_efficiency)),
        ("Cohen's kappa", kappa),
        ("p-value", _p_with_error(result)),
        ("method", {"exact": "exact", "monte_carlo": "Monte-Carlo", "chi2": "chi-square, halved"}[result.method]),
        ("why this method", result.why),
    ]
    table += [(f"recall of {recall.label}", _recall_text(recall)) for recall in result.recalls]
    table.append(("repeat with", _repeat(result)))
    return table


def _area_rows(result: Areas) -> list[tuple[str, str]]:
    table = [
        (f"AUC of {name}", f"{number(area)}  ({interval_name(interval)} {interval_text(interval)})")
        for name, area, interval in zip(result.names, result.areas, result.intervals, strict=True)
    ]
    return [
        *table,
        ("DeLong's χ²", f"{result.statistic:.4g} on {result.degrees} degrees of freedom"),
        ("p-value", p_text(result).removeprefix("p = ").removeprefix("p ")),
        ("items", f"{result.n:,}"),
        ("repeat with", f"clearwin {result.signature.version}"),
    ]


def _class_headline(result: PerClass, alpha: float) -> str:
    better: list[str] = []
    worse: list[str] = []
    for one in result.classes:
        gain = one.difference if result.higher_is_better else -one.difference
        if one.adjusted_p <= alpha and gain != 0.0:
            (better if gain > 0 else worse).append(one.label)
    how = "each class against the others" if result.kind == "class" else "each label on its own"
    nouns = (result.kind, "classes" if result.kind == "class" else "labels")
    told = [
        f"{word} than {result.name_a} in {nouns[len(labels) > 1]} {few(labels)}"
        for word, labels in (("better", better), ("worse", worse))
        if labels
    ]
    if told:
        return f"{result.name_b} is {' and '.join(told)} ({result.measure_label}, {how})"
    words = WORDS[result.claim][1]
    return f"{result.name_b} {words} {result.name_a} in any {result.kind} ({result.measure_label}, {how})"


def _class_rows(result: PerClass) -> list[tuple[str, str]]:
    table = [(f"{result.kind} {one.label}", _class_text(one)) for one in result.classes]
    return [
        *table,
        ("test", f"{result.test_label}; {len(table)} tests, p corrected by {result.correction}"),
        ("items", f"{result.n:,}"),
        ("repeat with", _repeat(result)),
    ]


def _class_text(one: ClassDifference) -> str:
    return (
        f"{number(one.estimate_a)} → {number(one.estimate_b)}  {signed(one.difference)} "
        f"({interval_text(one.interval, signed)})  p = {p_number(one.p_value)}, corrected {p_number(one.adjusted_p)}  "
        f"({one.n:,} items)"
    )


def _recall_text(recall: ClassRecall) -> str:
    if recall.recall is None or recall.interval is None:
        return "undefined: the class never occurs"
    return f"{number(recall.recall)}  ({recall.right:,} of {recall.n:,}; {interval_text(recall.interval)})"


def _p_with_error(result: Comparison | AgainstChance) -> str:
    text = p_text(result).removeprefix("p = ").removeprefix("p ")
    if isinstance(result, AgainstChance) and result.p_bound is not None:
        return f"{text}  (certain to a relative error of {result.p_bound:.1e})"
    return text if result.p_error is None else f"{text} ± {result.p_error:.2g}  (sampled)"


def _extra_rows(result: Comparison) -> list[tuple[str, str]]:
    extra = []
    if result.thresholds is not None:
        extra.append(("thresholds", ", ".join(f"{t:.6g}" for t in result.thresholds)))
    if result.error_reduction is not None:
        reduction = result.error_reduction
        relative = (
            f"{reduction.relative:+.1%} relative" if reduction.relative is not None
            else f"relative undefined: {result.name_a} makes no error"
        )  # fmt: skip
        extra.append(("error reduction", f"{reduction.absolute * 100:+.2f} points absolute, {relative}"))
    if result.confidence is not None:
        text = f"{result.name_b} is better in {result.confidence:.1%} of the bootstrap replicates"
        extra.append(("confidence", f"{text} (keller2004 (13), not a p-value)"))
    return extra


def _split(result: Record) -> str:
    if not isinstance(result, Comparison):
        return ""
    o = result.outcomes
    if "positives" in o:
        return f": {o['positives']:,} positive, {o['negatives']:,} negative"
    if "equal" in o:
        higher = f"{result.name_b} higher {o['b_higher']:,}, {result.name_a} higher {o['a_higher']:,}"
        return f": {higher}, equal {o['equal']:,}"
    return (
        f": both right {o['both_right']:,}, only {result.name_a} wrong {o['only_a_wrong']:,}, "
        f"only {result.name_b} wrong {o['only_b_wrong']:,}, both wrong {o['both_wrong']:,}"
    )


def as_text(result: Record, alpha: float = 0.05) -> str:
    """Write the whole result for a person: verdict, table, null hypothesis, caveats."""
    parts = []
    if isinstance(result, PerClass):
        parts.append(headline(result, alpha) + ".\n")
    if isinstance(result, Judged):
        parts.append(headline(result, alpha) + f" ({p_text(result)}).\n")
    table = rows(result)
    width = max(len(name) for name, _ in table)
    parts += [_wrapped(value, f"  {name:<{width}}  ") for name, value in table]
    if isinstance(result, Judged | PerClass):
        parts.append("\n" + _wrapped(f"{result.null_hypothesis}.", "Null hypothesis: "))
    parts += [_wrapped(str(caveat), "Caveat: ") for caveat in result.caveats]
    return printable("\n".join(parts))


def printable(text: str) -> str:
    """Replace control characters, which a name or label from a file could use to write over the terminal.

    >>> printable("rbf\\x1b[2J")
    'rbf�[2J'
    """
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _wrapped(text: str, lead: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def as_html(result: Record) -> str:
    """Write a small table for a notebook; every name is text, never markup."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(value)}"
        "</td></tr>"
        for name, value in rows(result)
    )
    top = f"<p><strong>{html.escape(headline(result))}</strong></p>" if isinstance(result, Judged) else ""
    bottom = f"<p>Null hypothesis: {html.escape(result.null_hypothesis)}.</p>" if isinstance(result, Judged) else ""
    doubts = "".join(f"<li>{html.escape(str(caveat))}</li>" for caveat in result.caveats)
    return f"{top}<table>{cells}</table>{bottom}" + (f"<p>Caveats</p><ul>{doubts}</ul>" if doubts else "")
