"""What the sentences that go with pictures share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clearwin.numerics.intervals import Interval
from clearwin.plots.forest import Row
from clearwin.results.comparison import Comparison, PerClass
from clearwin.results.folds import FoldComparison
from clearwin.text import one_line
from clearwin.wording.margins import lies
from clearwin.wording.verdict import few, interval_name, interval_text, number, signed


def models(name_a: str, name_b: str) -> str:
    """Say which difference it is."""
    return f"{one_line(name_b)} − {one_line(name_a)}"


def side_in_words(r: Comparison | PerClass | FoldComparison) -> str:
    """Say on which side of zero B is better."""
    return f"Differences {'above' if r.higher_is_better else 'below'} 0 favour {one_line(r.name_b)}."


def with_interval(difference: float, interval: Interval) -> str:
    """Write a difference with its interval, and whether that holds 0."""
    zero = "holds 0" if 0.0 in interval else "leaves 0 out"
    return f"{signed(difference)}, {interval_name(interval)} {interval_text(interval, signed)}, which {zero}"


def listed(rows: Sequence[Row], write: Callable[[float], str] = number, most: int = 8) -> str:
    """Write the first rows: label, value, interval."""
    words = []
    for row in rows:
        interval = "" if row.interval is None else f" ({interval_text(row.interval, write)})"
        words.append(f"{one_line(row.label)} {write(row.value)}{interval}")
    return few(words, most)


def against_margin(rows: Sequence[Row], margin: float) -> str:
    """Say where intervals of differences lie.

    >>> row = Row("B − A", 0.01, Interval(-0.005, 0.025, 0.95, "wald"))
    >>> against_margin([row], 0.02)
    'The interval lies above −0.0200.'
    """
    known = [row.interval for row in rows if row.interval is not None]
    inside = [one for one in known if -margin < one.low and one.high < margin]
    if len(rows) > 1:
        return f"Within the margin of ±{number(margin)} lie {len(inside)} of {len(rows)} intervals."
    [interval] = known
    return f"The interval {lies(interval, margin)}."
