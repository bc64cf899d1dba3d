"""From a plan to words: who named the difference, what it takes, and how little the pilot knows."""

from __future__ import annotations

from clearwin.numerics.pvalues import MARGIN_CLAIMS
from clearwin.results.plan import Plan
from clearwin.text import capital, counted, percent
from clearwin.words.base import ResultWords
from clearwin.words.methods import measure_rows
from clearwin.words.phrases import judged_at, level, margin_of, one_sided_row, repeat_row
from clearwin.words.summary import Block, FactRows, Facts, Grid

OFTEN = {0.5: "every second time", 0.75: "three times in four", 0.8: "four times in five", 0.9: "nine times in ten"}
ASSUMED = {
    "disagreement": "items on which one model is right",
    "accuracy_a": "accuracy of A",
    "prevalence": "positive items",
    "recall_a": "recall of A",
    "false_positive_rate_a": "false positive rate of A",
    "auc_a": "AUC of A",
    "correlation": "correlation of the scores",
    "deviation": "deviation of the differences",
}
SPREAD = {"items": "{:,.0f}", "power": "{:.0%}", "difference": "{:.2g}"}
METHODS = {
    "simulated": "studentised test, simulated",
    "normal approximation": "studentised test, normal approximation",
    "Connor 1987": "McNemar test, Connor 1987",
    "keller2004 (9)": "paired proportion test, variance of keller2004 (9)",
}
POWER = {
    "simulated": "of the studentised test, by test sets from the likeliest population that has the difference",
    "normal approximation": "of the studentised test, by the normal approximation with the standard error of the "
    "likeliest population that has the difference",
    "Connor 1987": "of McNemar's test, n = (z√ψ + z'√(ψ − d²))²/d², ψ the disagreement (Connor, Biometrics 43)",
    "keller2004 (9)": "of the paired proportion test, n = (z + z')²·V/d², V the variance of keller2004 (9)",
}


class PlanWords(ResultWords[Plan]):
    """Who named the difference, what it takes, and how little the pilot knows."""

    def headline(self) -> str:
        r = self.result
        power = f"about {percent(r.power, 0)} % of the time" if r.asked == "power" else power_in_words(r.power)
        return f"{self._answer(power)}{self._with_range()}"

    def opening(self) -> tuple[str, ...]:
        return (f"{self.headline()}.", *self._chosen_difference())

    def blocks(self) -> tuple[Block, ...]:
        r = self.result
        rows = tuple(
            (f"{size.items:,}", f"{percent(size.power)} %" + (f" ± {size.error * 100:.1f}" if size.error else ""))
            for size in r.curve
        )
        note = "± is the Monte-Carlo error of the draws" if any(size.error for size in r.curve) else ""
        title = f"How often test sets {self.aim().rstrip(',')}"
        return (Grid(("items", "power"), rows, title, note), Facts(self._rows()))

    def method(self) -> FactRows:
        return (("power", self._power_source()), *measure_rows(self.result.measure, self.result.measure_label))

    def limits(self) -> tuple[str, ...]:
        rates = "assumed rates" if self.result.pilot_items is None else "the pilot"
        return (
            f"It does not show that there is such a difference. It rests on your numbers and on {rates}.",
            "It holds for new items drawn like those, and for the test that is named above.",
        )

    def paper(self) -> str:
        r = self.result
        pilots = []
        if r.spread is not None and r.pilot_items is not None:
            pilots = [f"eight of ten pilots of {counted(r.pilot_items, 'item')} would give {self._range_of_pilots()}"]
        assumed = ", ".join(f"{name} {value:g}" for name, value in r.assumed.items())
        numbers = [
            METHODS.get(r.method, r.method),
            *pilots,
            *([f"assuming {assumed}"] if assumed else []),
            *(self.seeded() if self._drawn() else [self.software()]),
        ]
        about = "about " if r.asked == "power" else ""
        power = f"with a power of {about}{percent(r.power, 0)} % at the {100 * level(r):g} % level"
        return f"{self._answer(power)} ({', '.join(numbers)})."

    def aim(self) -> str:
        """Say what the test set should show, as it follows "to".

        >>> import clearwin as cw
        >>> PlanWords(cw.plan(measure="accuracy", claim="not_worse", margin=0.02, disagreement=0.1)).aim()
        'show that B is not worse than A in accuracy by 0.02 or more, if neither is better,'
        """
        r = self.result
        a, b, measure = r.name_a, r.name_b, r.measure_label
        if r.claim in MARGIN_CLAIMS:
            true = f"{abs(r.difference):g} {'better' if r.difference > 0 else 'worse'}"
            really = "if neither is better" if r.difference == 0 else f"if it is {true}"
            if r.claim == "not_worse":
                return f"show that {b} is not worse than {a} in {measure} by {r.margin:g} or more, {really},"
            really = really if r.difference == 0 else f"if {b} is {true}"
            return f"show that {a} and {b} differ in {measure} by less than {r.margin:g}, {really},"
        if r.claim == "different":
            return f"find a difference of {self._size()} in {measure}"
        by = "" if r.margin is None else f" in {measure} by more than {r.margin:g}"
        true = f"{self._size()}{f' in {measure}' * (not by)}"
        return f"show that {b} is {r.claim} than {a}{by}, if it really is by {true},"

    def _answer(self, power: str) -> str:
        """Answer the question of the plan; ``power`` says how often the difference is found."""
        r = self.result
        if r.asked == "items":
            return f"To {self.aim()} {power} takes about {self._items()}"
        if r.asked == "power":
            return f"{capital(self._items())} {self.aim()} {power}"
        smallest = f"The smallest difference in {r.measure_label} that {self._items()}"
        if r.margin is not None:
            return f"{smallest} show {power} to be above {r.margin:g} is about {self._size()}"
        return f"{smallest} find {power} is about {self._size()}"

    def _size(self) -> str:
        return f"{self.result.difference:g}" if self.result.asked != "difference" else f"{self.result.difference:.2g}"

    def _items(self) -> str:
        groups = "" if self.result.units is None else f" in {counted(self.result.units, 'group')}"
        return f"{counted(self.result.items, 'item')}{groups}"

    def _range_of_pilots(self) -> str:
        """Write the range of answers that eight of ten pilots of the same size would give."""
        spread, write = self.result.spread, SPREAD[self.result.asked]
        return "" if spread is None else f"{write.format(spread.low)} to {write.format(spread.high)}".replace("%", " %")

    def _with_range(self) -> str:
        r = self.result
        if r.spread is None:
            return ""
        pilot = f"{r.pilot_items:,}"
        if r.units is not None and r.sampling is not None:
            pilot = counted(r.sampling.n_units, "group")
        return f" ({self._range_of_pilots()}, as the pilot has only {pilot})"

    def _chosen_difference(self) -> tuple[str, ...]:
        r = self.result
        if r.asked == "difference":
            return ()
        chosen = f"{r.margin if r.claim in MARGIN_CLAIMS else r.difference:g}"
        if r.pilot_items is None:
            return (f"You chose the {chosen} and the rates.",)
        return (f"You chose the {chosen}; it does not come from the pilot.",)

    def _power_source(self) -> str:
        """Say where the power comes from."""
        return POWER.get(self.result.method, f"by the {self.result.method}")

    def _drawn(self) -> bool:
        return self.result.method == "simulated" or self.result.spread is not None

    def _rows(self) -> FactRows:
        r = self.result
        pilot = () if r.pilot_items is None else (("pilot", counted(r.pilot_items, "item")),)
        rates = tuple((ASSUMED[name], f"{value:g}  (assumed)") for name, value in r.assumed.items())
        return (
            ("measure", f"{r.measure_label}{judged_at(r)}"),
            *one_sided_row(r.claim, r.name_a, r.name_b, margin_of(r)),
            *pilot,
            *rates,
            *(() if r.origin is None else (("read from", r.origin),)),
            *(() if r.design_effect is None else (("design effect", f"{r.design_effect:.2f}"),)),
            ("power", self._power_source()),
            repeat_row(r.signature, drawn=self._drawn()),
        )


def power_in_words(power: float) -> str:
    """Write a power as a frequency.

    >>> power_in_words(0.8), power_in_words(0.85)
    ('four times in five', '85 % of the time')
    """
    return OFTEN.get(power) or f"{percent(power, 0)} % of the time"
