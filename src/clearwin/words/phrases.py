"""What the words about all kinds of results share: a closed set of verdicts, claims and levels, and numbers as text.

"No clear evidence that B differs", never "equal"; never "the probability that B is better". Every verdict names the
null hypothesis that was tested.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from clearwin.errors import ClearwinError
from clearwin.measures import find
from clearwin.numerics.intervals import DRAWN, INVERTED, Interval, alpha_of
from clearwin.numerics.pvalues import AnyClaim, Claim, at_the_floor
from clearwin.results.base import MeasureResult, Result, Sampling, Signature, margin_text
from clearwin.text import counted, rounded
from clearwin.words.summary import FactRows

if TYPE_CHECKING:
    from clearwin.results.study import StudySignature


NO_EVIDENCE = "No clear evidence that"
# For what a test looks at and each claim, the text if the claim is significant and the text if it is not. Tests of wins
# (who wins more items) and of ranks (whose gains have the higher ranks) do not look at the measure.
FINDINGS = {
    "measure": {
        "different": ("{b} is {direction} than {a}", "{b} differs from {a}"),
        "better": ("{b} is better than {a}", "{b} is better than {a}"),
        "worse": ("{b} is worse than {a}", "{b} is worse than {a}"),
    },
    "wins": {
        "different": ("{b} wins {more} {units} than {a}", "{b} wins more or fewer {units} than {a}"),
        "better": ("{b} wins more {units} than {a}", "{b} wins more {units} than {a}"),
        "worse": ("{b} wins fewer {units} than {a}", "{b} wins fewer {units} than {a}"),
    },
    "ranks": {
        "different": ("{b} tends to be {direction} than {a}", "{b} tends to be better or worse than {a}"),
        "better": ("{b} tends to be better than {a}", "{b} tends to be better than {a}"),
        "worse": ("{b} tends to be worse than {a}", "{b} tends to be worse than {a}"),
    },
}
# The forms of a test, which a reader must know because each gives another p-value. Other tests have only one form.
FORMS = {
    "mid-p": "mid-p {test}",
    "exact": "exact {test}",
    "asymptotic": "asymptotic {test}",
    "corrected": "continuity-corrected {test}",
    "unconditional": "unconditional exact {test}",
    "pratt": "asymptotic {test} with Pratt's zeros",
    "pratt-corrected": "continuity-corrected {test} with Pratt's zeros",
    "monte_carlo": "{test} with {n:,} sampled permutations",
    "drawn": "{test} with {n:,} drawn test sets",
    "student": "{test} by Student's t",
    "mover": "{test} by MOVER",
    "newey_west": "{test} with Newey–West standard errors",
    **{f"horizon_{steps}": f"{{test}}, {steps} ahead" for steps in range(1, 13)},
}
LONGEST_LABEL = 24  # characters of a measure's label that still fits before a model's name
MOST_DRAWS_NAMED = 1_000_000  # a smaller probability is written as "fewer than 1 of 1,000,000"
# What a result does not show.
ONE_MODEL_EACH = (
    "It judges the models as they were trained, not the methods that trained them. Another training run can differ."
)
THESE_ITEMS = "It holds for items drawn like these {n:,}. It says nothing about data from another source or time."
NOT_EQUAL = (
    "It does not show that the models are equally good. That takes a margin and the claim that they are equivalent."
)


def level(result: Result) -> float:
    """Return the level at which a result was judged, 1 − the confidence level of its call."""
    assert isinstance(result.signature, Signature)  # a study has several levels
    return alpha_of(result.signature.confidence_level)


def judged_at(result: Result) -> str:
    """Say the level of a verdict, to follow its p-value, unless it is the usual 5 %."""
    return "" if level(result) == 0.05 else f", judged at {level(result):g}"


def one_sided_row(claim: AnyClaim, name_a: str, name_b: str, margin: str | None = None) -> FactRows:
    """Say the claim unless it is the usual "different".

    >>> one_sided_row("better", "svm", "rbf"), one_sided_row("different", "svm", "rbf")
    ((('claim', 'better, one-sided: that rbf is better than svm'),), ())
    """
    if claim == "different":
        return ()
    if claim == "not_worse":
        return (("claim", f"not worse: that {name_b} is not worse than {name_a} by {margin} or more"),)
    if claim == "equivalent":
        return (("claim", f"equivalent: that {name_a} and {name_b} differ by less than {margin}"),)
    by = "" if margin is None else f" by more than {margin}"
    return (("claim", f"{claim}, one-sided: that {name_b} is {claim} than {name_a}{by}"),)


def margin_of(result: HasMargin) -> str | None:
    """Write the margin of a claim, if it has one."""
    return None if result.margin is None else margin_text(result.margin, relative=getattr(result, "relative", False))


def for_items_like(n: int, sampling: Sampling | None) -> str:
    """Say for which items or groups a result holds."""
    if sampling is not None and sampling.unit == "group":
        return (
            f"It holds for groups drawn like these {sampling.n_units:,}. It says nothing about other kinds of groups."
        )
    if sampling is not None and sampling.unit == "time point":
        return f"It holds for a stretch of time like these {sampling.n_units:,} times, in which nothing drifts."
    return THESE_ITEMS.format(n=n)


def no_worth(measure_label: str) -> str:
    """Say that whether the measure matters is open."""
    return f"It does not show that {measure_label} is the measure that matters to you, or what a difference is worth."


def value_rows(label: str, *values: tuple[str, str]) -> FactRows:
    """Return a row for the value of each model; a long label has its own, or it would widen the whole table."""
    if len(label) > LONGEST_LABEL:
        return (("measure", label), *((f"of {name}", value) for name, value in values))
    return tuple((f"{label} of {name}", value) for name, value in values)


def _sizes(sampling: Sampling) -> str:
    """Say how many items each unit has."""
    if sampling.smallest == sampling.largest:
        return counted(sampling.largest, "item")
    return f"{sampling.smallest:,} to {sampling.largest:,} items"


def sampling_rows(result: MeasureResult) -> FactRows:
    """Say what was drawn whole, what was held fixed, which labels count, and how to repeat it."""
    rows = [] if result.origin is None else [("read from", result.origin)]
    sampling = result.sampling
    if sampling is not None and sampling.unit == "group":
        effect = "" if sampling.design_effect is None else f"; design effect {sampling.design_effect:.2f}"
        rows.append(("groups", f"{sampling.n_units:,} of {_sizes(sampling)}{effect}"))
    if sampling is not None and sampling.unit == "time point":
        rows.append(("in time order", f"{counted(sampling.n_units, 'time')} of {_sizes(sampling)}"))
    if sampling is not None and sampling.strata:
        sizes_of_strata = [f"{name} {n:,}" for name, n in sampling.strata.items()]
        rows.append(("strata", f"{len(sizes_of_strata)}, sizes held fixed: {name_list(sizes_of_strata)}"))
    if result.labels is not None:
        rows.append(("labels", name_list(result.labels)))
    if result.positive is not None:
        rows.append(("positive class", result.positive + ("  (inferred)" if result.positive_inferred else "")))
    if result.lower_is_positive:
        rows.append(("lower is positive", name_list(result.lower_is_positive)))
    return (*rows, repeat_row(result.signature, drawn=result.interval.method in (*DRAWN, INVERTED)))


def repeat_row(signature: Signature | StudySignature, *, drawn: bool = True) -> tuple[str, str]:
    """Say what gives the same numbers again; the seed only where something was drawn."""
    return ("reproduce with", (f"seed {signature.seed}, " if drawn else "") + f"clearwin {signature.version}")


def direction(higher_is_better: bool) -> str:
    """Say which way is better."""
    return "higher is better" if higher_is_better else "lower is better"


def gain(difference: float, higher_is_better: bool) -> float:
    """Return how much better the second of two is."""
    return difference if higher_is_better else -difference


def finding(judged: str, claim: Claim, decision: str, name_a: str, name_b: str, units: str = "items") -> str:
    """Say what was shown about B, or that nothing was.

    >>> finding("measure", "different", "worse", "svm", "rbf"), finding("wins", "better", "not shown", "svm", "rbf")
    ('rbf is worse than svm', 'No clear evidence that rbf wins more items than svm')
    """
    significant, not_significant = FINDINGS.get(judged, FINDINGS["measure"])[claim]
    is_significant = decision in ("better", "worse")
    words = {"direction": decision, "more": "more" if decision == "better" else "fewer", "units": units}
    text = (significant if is_significant else not_significant).format(a=name_a, b=name_b, **words)
    return text if is_significant else f"{NO_EVIDENCE} {text}"


def frequency(p: float) -> str:
    """Write a probability as a frequency: about 5 of 100.

    >>> frequency(0.0005), frequency(0.0098), frequency(0.86), frequency(1e-9)
    ('about 5 of 10,000', 'about 1 of 100', 'about 86 of 100', 'fewer than 1 of 1,000,000')
    """
    if p * MOST_DRAWS_NAMED < 1.0:
        return f"fewer than 1 of {MOST_DRAWS_NAMED:,}"
    of = max(100, 10 ** -math.floor(math.log10(p)))
    of = of // 10 if of > 100 and round(p * of) == 10 else of
    return f"about {round(p * of):,} of {of:,}"


def by_chance(result: HasPValue, who: str = "chance alone", does: str = "go this far", of: str = "test set") -> str:
    """Say a p-value in natural frequencies, as the end of a sentence; ``who`` obeys the null hypothesis.

    >>> from types import SimpleNamespace
    >>> by_chance(SimpleNamespace(p_value=0.0623, log10_p=-1.2, p_error=None))
    'chance alone would go this far in about 6 of 100 test sets'
    """
    p = result.p_value
    if p is None:
        return ""
    if p > 0.995:
        return f"{who} would {does} in nearly every {of}"
    if at_the_floor(p, getattr(result, "p_error", None)):
        return f"{who} would {does} in at most 1 of {math.floor(1.0 / p - 0.25):,} {of}s"  # n + 1, or half of that
    return f"{who} would {does} in {frequency(p)} {of}s"


def at_least(decision: str, size: str) -> str:
    """Say what to count on: the end of the interval nearer to 0.

    >>> at_least("better", "1.8 points"), at_least("worse", "0.012")
    ('Count on at least 1.8 points; the rest could be luck', 'Expect to lose at least 0.012; the rest could be luck')
    """
    start = "Count on" if decision == "better" else "Expect to lose"
    return f"{start} at least {size}; the rest could be luck"


# How each correction is written in a text.
CORRECTED = {"holm": "Holm", "benjamini-hochberg": "Benjamini and Hochberg", "max-t": "max-T"}
SMALLEST_SHOWN = -300.0  # log10 of a p-value
ALMOST_ONE, ROUNDING = 0.9999, 1.0 - 1e-12  # a share between them is not written as 1


FEWEST_DECIMALS, MOST_DECIMALS = 3, 12  # the fewest if half the interval is less than 1
LARGE = 10_000.0  # numbers from this size on get four significant digits


class HasDifference(Protocol):
    """Whatever has two estimates, their difference and its interval."""

    @property
    def estimate_a(self) -> float:
        """A's value."""

    @property
    def estimate_b(self) -> float:
        """B's value."""

    @property
    def difference(self) -> float:
        """b − a."""

    @property
    def interval(self) -> Interval:
        """That of the difference."""


class HasMargin(Protocol):
    """Whatever can have a margin."""

    @property
    def margin(self) -> float | None:
        """The largest difference that does not matter."""


class HasPValue(Protocol):
    """Whatever has a p-value."""

    @property
    def p_value(self) -> float | None:
        """Never 0: one too small for a float stands at the smallest one."""

    @property
    def log10_p(self) -> float | None:
        """Its logarithm, which has it exactly."""


def p_text(result: HasPValue) -> str:
    """Write the p-value; one below any float as a bound.

    A bound is true at any size: 1e-300 is far below every level that anyone uses.
    """
    if result.p_value is None or result.log10_p is None:
        return "no p-value"
    if result.log10_p < SMALLEST_SHOWN:
        return f"p < 1e-300, log10 p = {result.log10_p:.1f}"
    return p_equals(result.p_value, bound=at_the_floor(result.p_value, getattr(result, "p_error", None)))


def p_row(result: HasPValue, error: float | None) -> tuple[str, str]:
    """Return the row of a p-value; a sampled one has its standard error."""
    text = p_text(result).removeprefix("p = ").removeprefix("p ")
    if result.p_value is not None and at_the_floor(result.p_value, error):
        return ("p-value", f"{text}  (no random draw came as far; raise n_resamples for more)")
    return ("p-value", f"{text} ± {error:.2g}  (sampled)" if error else text)


def p_equals(p: float, *, bound: bool = False) -> str:
    """Write what p is, or is at most.

    >>> p_equals(0.0346897), p_equals(0.00059994, bound=True)
    ('p = 0.0347', 'p ≤ 0.0006')
    """
    return f"p {p_number(p, bound=True)}" if bound else f"p = {p_number(p)}"


def p_number(p: float, *, bound: bool = False) -> str:
    """Write a p-value with three significant digits; a ``bound`` with two.

    >>> p_number(0.0346897), p_number(0.04), p_number(0.00000123), p_number(1.0), p_number(0.00009999, bound=True)
    ('0.0347', '0.0400', '1.23e-06', '1', '≤ 0.0001')
    """
    if bound:
        return f"≤ {p:.2g}"
    return "1" if p == 1.0 else f"{p:#.3g}"


def number(value: float) -> str:
    """Write an estimate: four decimals, or four digits when it is very small or large; only 1 is written as 1.

    >>> number(0.5), number(0.00012345), number(1.0), number(0.999992)
    ('0.5000', '0.0001234', '1.0000', '0.999992')
    """
    if ALMOST_ONE < value < ROUNDING:
        return rounded(value, 4)
    return f"{value:.4f}" if value == 0 or 0.001 <= abs(value) < 10_000 else f"{value:.4g}"


@dataclass(frozen=True)
class Digits:
    """The number of decimals of estimates and differences: as many as their interval makes meaningful.

    Two digits of half the interval's width are shown, and at least three decimals if it is less than 1. Where the
    estimates and their difference would then contradict each other (0.4444 and 0.4448, and a difference of +0.0003), up
    to three more are shown. A number that is not 0 or 1 gets enough digits not to be rounded to it. Differences that
    are ``relative``, shares of A's value, are written in per cent.
    """

    decimals: int = 4
    relative: bool = False

    @classmethod
    def of(cls, result: HasDifference) -> Digits:
        """Return those of two models' values and their difference.

        >>> from types import SimpleNamespace
        >>> interval = Interval(-0.0052, 0.0058, 0.95, "wald")
        >>> found = SimpleNamespace(estimate_a=0.44444, estimate_b=0.44476, difference=0.00032, interval=interval)
        >>> write = Digits.of(found)
        >>> write.number(found.estimate_a), write.number(found.estimate_b), write.signed(found.difference)
        ('0.44444', '0.44476', '+0.00032')
        """
        a, b, difference = result.estimate_a, result.estimate_b, result.difference
        fewest = cls.of_interval(result.interval, difference).decimals
        if getattr(result, "relative", False):
            return cls(fewest, relative=True)
        for decimals in range(fewest, fewest + 4):
            if round(round(b, decimals) - round(a, decimals), decimals) == round(difference, decimals):
                return cls(decimals)
        return cls(fewest)

    @classmethod
    def of_interval(cls, interval: Interval, value: float) -> Digits:
        """Return those of a value and its interval.

        >>> Digits.of_interval(Interval(0.70, 0.84, 0.95, "wilson"), 0.78).number(0.78)
        '0.780'
        """
        ends = {"two-sided": (interval.high - interval.low) / 2.0, "lower": value - interval.low}
        half = ends.get(interval.side, interval.high - value)
        if not 1e-12 * abs(value) < half < math.inf:
            return cls()
        fewest = FEWEST_DECIMALS if half < 1.0 else 0
        return cls(min(max(1 - math.floor(math.log10(half)), fewest), MOST_DECIMALS))

    @classmethod
    def of_table(cls, rows: Iterable[tuple[Interval, float]], *, relative: bool = False) -> Digits:
        """Return those of a table, whose numbers are aligned: as many as the middle one of its rows has."""
        decimals = sorted(cls.of_interval(interval, value).decimals for interval, value in rows)
        return cls(decimals[len(decimals) // 2] if decimals else cls.decimals, relative)

    def number(self, value: float) -> str:
        """Write an estimate."""
        return rounded(value, self.decimals) if abs(value) < LARGE else f"{value:.4g}"

    def signed(self, value: float) -> str:
        """Write a difference with its sign; 0 has none."""
        if self.relative:
            return f"{Digits(max(self.decimals - 2, 0)).signed(100.0 * value)} %"
        if value == 0:
            return "0"
        if abs(value) >= LARGE:
            return f"{value:+.4g}"
        return f"{value:+.{self.decimals}f}" if abs(value) >= 10.0**-self.decimals else f"{value:+.2g}"


@dataclass(frozen=True)
class Effect:
    """A difference as the person who decides reads it: in percentage points where the measure is a share.

    A relative one is in per cent of A's value.
    """

    digits: Digits
    points: bool
    relative: bool = False

    @classmethod
    def of(cls, result: HasDifference, measure: str | None = None) -> Effect:
        """Return how the differences of a result are written; without a ``measure`` in plain numbers."""
        relative = bool(getattr(result, "relative", False))
        return cls(Digits.of(result), relative or (measure is not None and is_share(measure)), relative)

    def size(self, value: float) -> str:
        """Write how large a difference is.

        >>> Effect(Digits(4), True).size(-0.0857), Effect(Digits(3), False).size(0.218)
        ('8.57 points', '0.218')
        """
        if not self.points:
            return self.digits.number(abs(value))
        points, decimals = 100.0 * abs(value), max(self.digits.decimals - 2, 0)
        text = rounded(points, decimals, 100.0) if points < LARGE else f"{points:.4g}"
        return f"{text}{self.unit}"

    def signed(self, value: float) -> str:
        """Write a difference with its sign, without its unit."""
        if not self.points:
            return self.digits.signed(value)
        return Digits(max(self.digits.decimals - 2, 0)).signed(100.0 * value)

    @property
    def unit(self) -> str:
        """The unit after a number."""
        return " % of A's value" if self.relative else " points" if self.points else ""

    def excluded(self, interval: Interval) -> str:
        """Say which differences the interval rules out.

        >>> Effect(Digits(3), True).excluded(Interval(-0.006, 0.082, 0.95, "wald"))
        'Differences beyond -0.6 to +8.2 points are ruled out (95 % interval)'
        """
        name = interval_name(interval)
        low, high = self.signed(interval.low), self.signed(interval.high)
        if math.isinf(interval.low) and math.isinf(interval.high):
            return f"No difference is ruled out ({name})"
        if interval.side == "two-sided" and interval.low == interval.high:
            return "These data cannot show how much the difference would vary"
        if interval.side == "lower":
            return f"Differences below {low}{self.unit} are ruled out ({name})"
        if interval.side == "upper":
            return f"Differences above {high}{self.unit} are ruled out ({name})"
        return f"Differences beyond {low} to {high}{self.unit} are ruled out ({name})"


def is_share(measure: str) -> bool:
    """Return whether a measure is a share of 1, whose hundredths are called points; losses and costs are not.

    >>> is_share("f1"), is_share("dcf(cost_fn=10)"), is_share("mcc"), is_share("brier")
    (True, False, False, False)
    """
    try:
        declared = find(measure)
    except ClearwinError:  # a function of the user's own
        return False
    return declared.bounds == (0.0, 1.0) and declared.takes != "losses"


def every_digit(threshold: float) -> str:
    """Write a threshold in full, because a rounded one could call other items positive.

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


def interval_row(interval: Interval, write: Callable[[float], str] = number) -> tuple[str, str]:
    """Return the row of an interval, with its method."""
    return (interval_name(interval), f"{interval_text(interval, write)}  ({interval.method})")


def name_list(names: Sequence[str], most: int = 8) -> str:
    """Write the first of many names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
