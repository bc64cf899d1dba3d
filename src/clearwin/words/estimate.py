"""From one model's value to words."""

from __future__ import annotations

from clearwin.numerics.intervals import DRAWN, INVERTED
from clearwin.results.comparison import Estimate
from clearwin.text import capital, counted
from clearwin.words.base import ResultWords
from clearwin.words.methods import in_parts, interval_method, measure_rows
from clearwin.words.phrases import (
    ONE_MODEL_EACH,
    Digits,
    direction,
    for_items_like,
    interval_name,
    interval_row,
    interval_text,
    no_worth,
    sampling_rows,
    value_rows,
)
from clearwin.words.summary import Block, FactRows, Facts, Grid


class EstimateWords(ResultWords[Estimate]):
    """The value of one model and its interval."""

    def headline(self) -> str:
        r, write = self.result, self._write()
        interval = f"{interval_name(r.interval)} {interval_text(r.interval, write.number)}"
        return capital(f"{r.measure_label} of {r.name}: {write.number(r.estimate)} ({interval})")

    def opening(self) -> tuple[str, ...]:
        return (f"{self.headline()}.", self._coverage())

    def verdict(self) -> str:
        items = counted(self.result.n, "item")
        return " ".join([*self.opening(), f"This is an estimate on {items}, not a test."])

    def blocks(self) -> tuple[Block, ...]:
        r, write = self.result, self._write()
        rows = (
            *value_rows(r.measure_label, (r.name, f"{write.number(r.estimate)}  ({direction(r.higher_is_better)})")),
            interval_row(r.interval, write.number),
            ("items", f"{r.n:,}"),
            *sampling_rows(r),
        )
        return (Facts(rows),)

    def method(self) -> FactRows:
        r = self.result
        return (*measure_rows(r.measure, r.measure_label), interval_method(r.interval.method))

    def limits(self) -> tuple[str, ...]:
        r = self.result
        return (for_items_like(r.n, r.sampling), ONE_MODEL_EACH, no_worth(r.measure_label))

    def paper(self) -> str:
        r, write = self.result, self._write()
        interval = f"{interval_name(r.interval)} {interval_text(r.interval, write.number)}"
        software = self.seeded() if r.interval.method in (*DRAWN, INVERTED) else [self.software()]
        value = f"{write.number(r.estimate)} ({', '.join([interval, f'method {r.interval.method}', *software])})"
        return f"On {counted(r.n, 'item')}, {r.name} had {_with_article(r.measure_label)} of {value}."

    def table(self) -> Grid:
        r, write = self.result, self._write()
        row = (r.name, write.number(r.estimate), interval_text(r.interval, write.number))
        return Grid(("model", r.measure_label, interval_name(r.interval)), (row,))

    def _write(self) -> Digits:
        return Digits.of_interval(self.result.interval, self.result.estimate)

    def _coverage(self) -> str:
        """Say how often such an interval covers the true value, unless it shows nothing here."""
        r, codes = self.result, {caveat.code for caveat in self.result.caveats}
        if "no_width" in codes:
            return "The interval has zero width, so these items cannot show how far off the estimate may be."
        often = f"{r.interval.level * 100:.12g} of 100 test sets"
        covers = f"On {often} an interval made this way covers the true value"
        if "undefined_estimate" in codes and not in_parts(r.measure):
            return f"{covers}, but {r.measure_label} is undefined (0/0) here."
        return f"{covers}, and with four times as many items it would be about half as wide."


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' or noun[:2] in ('F1', 'F-', 'MC', 'MS', 'MA') else 'a'} {noun}"
