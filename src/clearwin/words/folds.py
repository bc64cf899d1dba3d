"""From a comparison over folds to words: about learning algorithms, not about the models they made."""

from __future__ import annotations

import math

from clearwin.results.folds import FoldComparison
from clearwin.significance import REGISTRY as TESTS
from clearwin.significance.folds.caveats import BY_CORRELATION
from clearwin.text import counted, degrees_of_freedom, rounded
from clearwin.words.methods import rows_of_test
from clearwin.words.phrases import (
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
from clearwin.words.summary import Block, FactRows, Facts
from clearwin.words.two_models import LETTERS, TwoModels

# What the interval is of, where it is not the mean difference.
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
POSTERIOR = "Posterior probabilities: "


class FoldComparisonWords(TwoModels[FoldComparison]):
    """Two learners over folds: who won, and what the interval is of."""

    units = "folds"

    def headline(self) -> str:
        """Say who won, if anyone did, over how many folds."""
        r = self.result
        a, b = r.name_a, r.name_b
        where = f"in {r.measure_label} over {counted(r.n, 'fold')}"
        if r.p_value is None:
            words = f"{NO_EVIDENCE} {{b}} differs from {{a}}" if r.posterior is None else BY_POSTERIOR[r.decision]
            return f"{words.format(a=a, b=b)} {where}"
        if r.decision == "different":
            return f"I{where[1:]} {b} and {a} differ between the rounds, but neither is better throughout"
        by = {"wins": f" in {r.measure_label}, of {r.n}", "ranks": f", by signed ranks, {where}"}
        return f"{finding(r.judged, r.claim, r.decision, a, b, 'folds')}{by.get(r.judged, f' {where}')}"

    def opening(self) -> tuple[str, ...]:
        change = [] if self.result.p_value is None else [f"{self._what_would_change()}."]
        return (f"{self._who_won()}.", f"{self._uncertainty()}.", *change)

    def verdict(self) -> str:
        return super().verdict() if self.result.p_value is not None else " ".join(self.opening())

    def blocks(self) -> tuple[Block, ...]:
        return (Facts(self._rows()),)

    def method(self) -> FactRows:
        r = self.result
        claim = None if r.p_value is None else r.claim
        return rows_of_test(TESTS["folds"].get(r.test), r.test_label, claim)

    def limits(self) -> tuple[str, ...]:
        """Return what the result does not show, each in a line.

        >>> import clearwin as cw
        >>> r = cw.compare_folds([0.8, 0.7, 0.9], [0.9, 0.8, 0.8], design="k-fold", measure_label="F1")
        >>> for line in FoldComparisonWords(r).limits():
        ...     print(line)  # doctest: +NORMALIZE_WHITESPACE
        It compares learners trained on sets of this size, not the one model that you will use.
        All folds come from one data set, so it does not show which learner is better on other data. It assumes that the
        differences of two folds correlate by 0.33, which no data can show (Bengio and Grandvalet 2004).
        It does not show that the learners are equally good, nor that F1 is the measure that matters to you.
        """
        r = self.result
        equal = "the learners are equally good, nor that " if r.decision == "not shown" else ""
        one_data_set = "All folds come from one data set, so it does not show which learner is better on other data."
        return (
            "It compares learners trained on sets of this size, not the one model that you will use.",
            "It holds for data sets like these." if r.design == "independent" else one_data_set + self._assumed(),
            f"It does not show that {equal}{r.measure_label} is the measure that matters to you.",
        )

    def paper(self) -> str:
        r, write = self.result, Digits.of(self.result)
        where = f"Over {counted(r.n, 'fold')}{'' if r.design == 'not given' else f' ({r.design})'}"
        means = [
            f"mean {write.number(r.estimate_b)} against {write.number(r.estimate_a)}",
            f"difference {write.signed(r.difference)}",
        ]
        if r.p_value is None:
            beliefs = self._posterior().removeprefix(POSTERIOR)
            subject = f"the posterior probabilities in {r.measure_label} are " if r.posterior is not None else ""
            return f"{where}, {subject}{beliefs} ({', '.join([*means, r.test_label, self.software()])})."
        numbers = [
            *means,
            f"{interval_name(r.interval)} {interval_text(r.interval, write.signed)}",
            self.named_test(has_forms=r.method != "student"),  # a t test of folds has no other form
            *self.statistic(r.degrees),
            p_text(r),
            self.software(),
        ]
        return f"{where}, {self.compared()} ({', '.join(numbers)})."

    def against(self, margin: float) -> str:
        if not empty_interval(self.result):
            return super().against(margin)
        no = f"There is no {self.interval_name()} to compare with the margin of ±{margin:g}"
        return f"{no}, because the test rejects every difference."

    def interval_name(self) -> str:
        """Name the interval, and what it is about if not the mean difference."""
        name = super().interval_name() + OF.get(self.result.judged, "")
        return name if self.result.p_value is not None else name.replace("interval", "credible interval")

    def _who_won(self) -> str:
        """Say who won, by how much in the units of the scores, and the p-value."""
        r, write = self.result, Digits.of(self.result)
        value = f"mean {r.measure_label} " if r.judged in FINDINGS else ""
        numbers = f"{value}{write.number(r.estimate_b)} against {write.number(r.estimate_a)}"
        plain = r.decision in ("better", "worse") and r.judged == "mean"
        by = f" by {Effect.of(r).size(r.difference)}" if plain else ""
        p = "" if r.p_value is None else f", {p_text(r)}"
        return f"{self.headline()}{by} ({numbers}{p}{judged_at(r)})"

    def _uncertainty(self) -> str:
        """Say what the interval rules out, and the p-value in natural frequencies, or the posterior."""
        r = self.result
        if empty_interval(r):
            return "The interval is empty, because the test rejects every difference"
        if r.p_value is None:
            return f"The {self.interval_name()} is {self._interval()}. {self._posterior()}"
        excluded = Effect.of(r).excluded(r.interval).replace(interval_name(r.interval), self.interval_name())
        return f"{excluded}, and {by_chance(r, of='experiment')}"

    def _what_would_change(self) -> str:
        """Say what the decision can rest on, or what would change it."""
        r, low, high = self.result, self.result.interval.low, self.result.interval.high
        gains = (low, high) if r.higher_is_better else (-high, -low)
        near = gains[0] if r.decision == "better" else -gains[1]
        if r.decision not in ("better", "worse") or near <= 0.0:
            return "More data would narrow the interval; more repeats on the same data hardly would"
        return at_least(r.decision, Effect.of(r).size(near))

    def _posterior(self) -> str:
        """Write the three posterior probabilities."""
        posterior = self.result.posterior
        if posterior is None:
            return "The posterior is undefined, because there is only one fold"
        margin = f"{posterior.margin:g}"
        return (
            f"{POSTERIOR}{rounded(posterior.better, 4)} that {self.result.name_b} is better by more than {margin}, "
            f"{rounded(posterior.practically_equivalent, 4)} that they are within {margin}, "
            f"{rounded(posterior.worse, 4)} that it is worse by more"
        )

    def _interval(self) -> str:
        """Write an interval of differences, or say that it is empty or unbounded."""
        interval = self.result.interval
        if empty_interval(self.result):
            return "empty: the test rejects every difference"
        if math.isinf(interval.low) and math.isinf(interval.high):
            return "unbounded: too few folds for it, or nothing varies"
        return interval_text(interval, Digits.of(self.result).signed)

    def _assumed(self) -> str:
        """Say what the correction for overlapping training sets rests on (docs/scorecard.md)."""
        r = self.result
        if r.test not in BY_CORRELATION or r.test_train_ratio is None:
            return ""
        rho = r.test_train_ratio / (1.0 + r.test_train_ratio)
        text = f" It assumes that the differences of two folds correlate by {rho:.2f}, which no data can show (Bengio "
        text += "and Grandvalet 2004)."
        if r.design.startswith(("repeated", "resampled")):
            text += " Folds of learners that follow single items, such as 1-nearest neighbour, correlate more, and "
            text += "many splits of one data set find a difference too often. For them use one round of 10 folds."
        return text

    def _rows(self) -> FactRows:
        r, write = self.result, Digits.of(self.result)
        a, b = r.name_a, r.name_b
        better = direction(r.higher_is_better)
        rows = [
            (f"mean of {a}", write.number(r.estimate_a) + _spread(r.deviation_a, write)),
            (f"mean of {b}", f"{write.number(r.estimate_b)}{_spread(r.deviation_b, write)}  ({better})"),
            ("mean difference", f"{write.signed(r.difference)}  ({b} − {a})"),
            (self.interval_name(), f"{self._interval()}  ({r.interval.method})"),
            *one_sided_row(r.claim, a, b),
        ]
        if r.p_value is None:
            rows.append(("posterior", self._posterior().removeprefix(POSTERIOR)))
        else:
            rows.append(p_row(r, r.p_error))
        if r.hits is not None and r.arrangements is not None:
            rows.append(("arrangements", f"p = {r.hits:,} of n = {r.arrangements:,} as extreme as observed"))
        folds = f"{r.n}, {r.design if r.design != 'not given' else 'design not given'}"
        ratio = "" if r.test_train_ratio is None else f"; test/train ratio {r.test_train_ratio:.4g}"
        return (
            *rows,
            ("test", f"{r.test_label}, {self._form()}"),
            ("why this test", r.why),
            ("folds", folds + ratio),
            repeat_row(r.signature, drawn=r.method == "monte_carlo" or r.splits_drawn),
        )

    def _form(self) -> str:
        """Say which form the test took, or its statistic with its degrees of freedom."""
        r = self.result
        if r.p_value is None:
            return degrees_of_freedom(r.degrees[0]) if r.degrees else "one fold"
        if not r.degrees:
            return r.method
        value = "is undefined" if r.statistic is None else f"= {r.statistic:.5g}"
        return f"{LETTERS.get(r.test, 't')} {value} on {degrees_of_freedom(*r.degrees)}"


def empty_interval(result: FoldComparison) -> bool:
    """Return whether the test rejects every difference, so that there is no interval to show."""
    return result.decision == "different"


def _spread(deviation: float | None, write: Digits) -> str:
    return "" if deviation is None else f" ± {write.number(deviation)} (sd)"
