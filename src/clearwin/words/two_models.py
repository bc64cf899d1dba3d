"""What two models on one test set and two learners over folds say alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from clearwin.numerics.pvalues import at_the_floor
from clearwin.text import degrees_of_freedom
from clearwin.words.base import ResultWords
from clearwin.words.margins import OUTCOMES, interval_against_margin, one_sided_level, outcome_at_margin
from clearwin.words.phrases import FORMS, Digits, finding, interval_name, interval_text, p_number
from clearwin.words.summary import Grid

if TYPE_CHECKING:
    from clearwin.results.comparison import Comparison
    from clearwin.results.folds import FoldComparison

C = TypeVar("C", bound="Comparison | FoldComparison")
# The letter of each test's statistic. For the other tests it is the difference, which the sentence gives anyway.
LETTERS = {
    "studentised": "t",
    "studentised_unpaired": "t",
    "paired_t": "t",
    "delong": "z",
    "delong_unpaired": "t",
    "kosinski": "z",
    "proportion": "z",
    "paired_proportion": "z",
    "wilcoxon": "W",
    "mcnemar/asymptotic": "χ²",
    "mcnemar/corrected": "χ²",
    "mcnemar/unconditional": "χ²",
    "corrected_t": "t",
    "5x2cv_t": "t",
    "5x2cv_f": "F",
}


class TwoModels(ResultWords[C]):
    """B against A: the sentence for a paper, its table, and the interval beside a margin."""

    units = "items"

    def table(self) -> Grid:
        r, write = self.result, Digits.of(self.result)
        p = "–" if r.p_value is None else p_number(r.p_value, bound=at_the_floor(r.p_value, r.p_error))
        b = (write.number(r.estimate_b), write.signed(r.difference), interval_text(r.interval, write.signed), p)
        return Grid(
            ("model", r.measure_label, "difference", interval_name(r.interval), "p"),
            ((r.name_a, write.number(r.estimate_a), "", "", ""), (r.name_b, *b)),
        )

    def against(self, margin: float) -> str:
        """Say what the interval of the difference shows.

        >>> import clearwin as cw
        >>> joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
        >>> r = cw.compare(joint, measure="accuracy", rng=1)
        >>> print(r.verdict(margin=0.05)[-146:].replace(": ", ":\\n"))
        The 95 % interval, -0.030 to +0.019, lies within the margin of ±0.05:
        B and A are equivalent up to the margin (two one-sided tests at 2.5 % each).
        """
        r, interval = self.result, self.result.interval
        outcome = outcome_at_margin(interval, r.higher_is_better, margin)
        conclusion = OUTCOMES[outcome][0].format(a=r.name_a, b=r.name_b)
        where = "without bounds"
        if math.isfinite(interval.low) or math.isfinite(interval.high):
            where = f"{interval_text(interval, Digits.of(r).signed)}, {interval_against_margin(interval, margin)}"
        sentence = f"The {self.interval_name()}, {where}: {conclusion}"
        if r.p_value is None:
            return f"{sentence}."
        is_two_tests = interval.side == "two-sided" and outcome in ("equivalent", "nothing")
        alpha = one_sided_level(interval)
        tests = f"two one-sided tests at {alpha} each" if is_two_tests else f"a one-sided test at {alpha}"
        return f"{sentence} ({tests})."

    def interval_name(self) -> str:
        """Say what the interval is called."""
        return interval_name(self.result.interval)

    def named_test(self, *, has_forms: bool) -> str:
        """Name the test and its form, if it has several."""
        form = FORMS.get(self.result.method, "{test}") if has_forms else "{test}"
        return form.format(test=self.result.test_label, n=self.result.signature.n_resamples)

    def statistic(self, degrees: tuple[float, ...] = ()) -> list[str]:
        """Give the statistic, unless it is the difference or undefined."""
        r = self.result
        letter = LETTERS.get(r.test) or LETTERS.get(f"{r.test}/{r.method}")
        if letter is None or r.statistic is None or not math.isfinite(r.statistic):
            return []
        on = f" on {degrees_of_freedom(*degrees)}" if degrees else ""
        return [f"{letter} = {r.statistic:.3g}{on}"]

    def compared(self) -> str:
        """Say which had the higher value, and whether that is significant."""
        r = self.result
        a, b, measure = r.name_a, r.name_b, r.measure_label
        if r.judged in ("wins", "ranks") and r.decision in ("better", "worse"):
            return f"{finding(r.judged, 'different', r.decision, a, b, self.units)} in {measure}"
        if r.decision in ("better", "worse"):
            higher = (r.decision == "better") == r.higher_is_better
            return f"{b} had a {'higher' if higher else 'lower'} {measure} than {a}"
        if r.decision in ("not worse", "equivalent"):
            return f"{b} was {r.decision} {'than' if r.decision == 'not worse' else 'to'} {a} in {measure}"
        return f"{b} and {a} did not differ significantly in {measure}"
