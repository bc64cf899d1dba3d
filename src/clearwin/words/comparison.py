"""From two models on one test set, or on two, to words."""

from __future__ import annotations

import math
from typing import cast

from clearwin.numerics.power import NormalPower
from clearwin.numerics.pvalues import MARGIN_CLAIMS, Claim
from clearwin.results.comparison import Comparison, Contrary, ErrorReduction, Interaction, Slicing
from clearwin.significance import REGISTRY as TESTS
from clearwin.text import capital, counted, percent
from clearwin.words import methods
from clearwin.words.parts import digits_of_parts, shown_in_parts, table_of_parts
from clearwin.words.phrases import (
    NO_EVIDENCE,
    NOT_EQUAL,
    ONE_MODEL_EACH,
    Digits,
    Effect,
    at_least,
    by_chance,
    direction,
    every_digit,
    finding,
    for_items_like,
    interval_name,
    interval_row,
    interval_text,
    judged_at,
    level,
    margin_of,
    no_worth,
    one_sided_row,
    p_number,
    p_row,
    p_text,
    sampling_rows,
    value_rows,
)
from clearwin.words.summary import Block, FactRows, Facts, Grid
from clearwin.words.two_models import TwoModels

NO_VALUE = "–"
UNPAIRED = {
    "delong_unpaired": {
        "question": "Do the two models rank the items equally well, each on its own test set?",
        "formula": "t = (AUC_b − AUC_a)/√Σv on (Σv)²/Σ(v²/(n − 1)) degrees of freedom, v the variance of a class of n "
        "items on a test set; the tail is the largest of that of t, of t corrected for skewness, and of t less "
        "what a kind of item that was missed could explain",
        "assumes": f"{TESTS['items']['delong'].assumes}; two independent test sets",
        "source": f"{TESTS['items']['delong'].source}; Welch 1947; Hall 1992",
    },
    "studentised_unpaired": {
        "question": "Is the measure the same for both models, each on its own test set?",
        "formula": "t = (b − a)/√(var_a + var_b), on (var_a + var_b)²/(var_a²/ν_a + var_b²/ν_b) degrees of freedom; of "
        "values the tail is the larger of that of t and of t corrected for skewness, and where they have a range it "
        "allows for items that were missed",
        "assumes": "independent items; two independent test sets",
        "source": "Welch 1947; Hall 1992; variances from influence values, ν by Satterthwaite 1946",
    },
}


class ComparisonWords(TwoModels[Comparison]):
    """Who won, by how much, how sure that is, and what would change it."""

    def headline(self) -> str:
        r = self.result
        if r.margin is not None:
            return self._headline_with_margin()
        subject = {"measure": f" in {r.measure_label}", "wins": "", "ranks": ", by signed ranks"}[r.judged]
        if r.decision == "not decided":
            claimed = "differs from" if r.claim == "different" else f"is {r.claim} than"
            return f"It remains undecided whether {r.name_b} {claimed} {r.name_a}{subject}"
        return f"{finding(r.judged, cast(Claim, r.claim), r.decision, r.name_a, r.name_b)}{subject}"

    def opening(self) -> tuple[str, ...]:
        slicing = self.result.slicing
        by_slice = [] if slicing is None else [self._by_slice(slicing)]
        return (f"{self._who_won()}.", f"{self._uncertainty()}.", f"{self._what_would_change()}.", *by_slice)

    def verdict(self) -> str:
        """Return the opening with the null hypothesis: that of the claim, or of its contrary."""
        r = self.result
        if r.contrary is None:
            return super().verdict()
        return " ".join([*self.opening(), f"{self.null_is} {r.name_b} is not {self._beyond_margin(r.contrary.claim)}."])

    def blocks(self) -> tuple[Block, ...]:
        r, write = self.result, Digits.of(self.result)
        a, b = r.name_a, r.name_b
        facts = (
            *value_rows(
                r.measure_label,
                (a, write.number(r.estimate_a)),
                (b, f"{write.number(r.estimate_b)}  ({direction(r.higher_is_better)})"),
            ),
            ("difference", f"{write.signed(r.difference)}  ({f'{b}/{a} − 1' if r.relative else f'{b} − {a}'})"),
            interval_row(r.interval, write.signed),
            *one_sided_row(r.claim, a, b, margin_of(r)),
            *(() if r.margin is None else self._smallest_margin()),
            p_row(r, r.p_error),
            *(() if r.contrary is None else [self._contrary_row(r.contrary)]),
            ("test", f"{r.test_label}, {r.method}"),
            ("why this test", r.why),
            *self._extra_rows(),
            ("items", f"{r.n:,}: {self._split()}"),
            *sampling_rows(r),
        )
        return (Facts(facts),) if r.slicing is None else (self._slices(r.slicing), Facts(facts))

    def method(self) -> FactRows:
        r, slicing = self.result, self.result.slicing
        test = methods.rows_of_test(TESTS["items"].get(r.test), r.test_label, r.claim)
        if r.test in UNPAIRED:
            question, *further = UNPAIRED[r.test].items()
            test = (("test", r.test_label), question, methods.claim_row(r.claim), *further)
        slices: FactRows = ()
        if slicing is not None:
            differ = "Brown and Forsythe's F test of equal differences, Technometrics 16 (1974)"
            corrected = methods.correction_rows(slicing.correction, len(r.slices))
            slices = (*corrected, ("do slices differ?", differ))
        return (
            *test,
            ("form of the test", r.method),
            methods.interval_method(r.interval.method),
            *methods.measure_rows(r.measure, r.measure_label),
            *slices,
        )

    def limits(self) -> tuple[str, ...]:
        r = self.result
        last = NOT_EQUAL if r.decision == "not shown" and r.margin is None else no_worth(r.measure_label)
        return (for_items_like(r.n, r.sampling), ONE_MODEL_EACH, last)

    def paper(self) -> str:
        """Return a sentence for a paper.

        >>> import clearwin as cw
        >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
        >>> r = cw.compare(joint, measure="accuracy", test="mcnemar", method="asymptotic", names=("svm", "rbf"))
        >>> print(r.verdict(style="paper").partition(", clearwin")[0])
        On 161 items, rbf had a lower accuracy than svm (0.404 against 0.466, difference -0.062, 95 % interval -0.124 to
        -0.005, asymptotic McNemar test, χ² = 4.55, p = 0.0330
        """
        r, write, test = self.result, Digits.of(self.result), TESTS["items"].get(self.result.test)
        margin = [] if r.margin is None else [f"margin {r.margin:g}"]
        claim = [] if r.claim == "different" else [f"claim {r.claim.replace('_', ' ')}", *margin]
        contrary = []
        if r.contrary is not None:
            contrary = [f"{r.contrary.claim} by more than the margin: {p_text(r.contrary)}"]
        clusters = ""
        if r.sampling is not None and r.sampling.unit == "group":
            clusters = f" in {r.sampling.n_units:,} clusters"
        if r.sampling is not None and r.sampling.unit == "time point":
            clusters = f" at {r.sampling.n_units:,} times"
        numbers = [
            f"{write.number(r.estimate_b)} against {write.number(r.estimate_a)}",
            f"difference {write.signed(r.difference)}",
            f"{interval_name(r.interval)} {interval_text(r.interval, write.signed)}",
            *claim,
            self.named_test(has_forms=test is not None and len(test.methods) > 1),
            *self.statistic(),
            p_text(r),
            *contrary,
            *(self.seeded() if r.p_error is not None or r.confidence is not None else [self.software()]),
        ]
        return f"On {counted(r.n, 'item')}{clusters}, {self.compared()} ({', '.join(numbers)})."

    def table(self) -> Grid:
        slicing = self.result.slicing
        return self._slices(slicing) if slicing is not None and self.result.slices else super().table()

    def _who_won(self) -> str:
        """Say who won, by how much in the measure's units, and the p-value."""
        r, write = self.result, Digits.of(self.result)
        plain = r.decision in ("better", "worse") and r.judged == "measure" and r.margin is None
        by = f" by {Effect.of(r, r.measure).size(r.difference)}" if plain else ""
        value = "" if r.judged == "measure" else f"{r.measure_label} "
        numbers = f"{value}{write.number(r.estimate_b)} against {write.number(r.estimate_a)}"
        return f"{self.headline()}{by} ({numbers}, {p_text(r.contrary or r)}{judged_at(r)})"

    def _uncertainty(self) -> str:
        """Say what the interval rules out, and the p-value in natural frequencies."""
        r, effect = self.result, Effect.of(self.result, self.result.measure)
        if r.contrary is not None:
            return self._least_difference(r.contrary)
        excluded = effect.excluded(r.interval)
        if r.outcomes.get("only_a_wrong") == 0 == r.outcomes.get("only_b_wrong"):
            return excluded
        # The p-value and the interval come from different approximations and can disagree near the level.
        borderline = (r.p_value <= level(r)) == (0.0 in r.interval)
        if r.margin is None and r.judged == "measure" and borderline:
            interval = interval_text(r.interval, effect.signed)
            includes = "includes" if 0.0 in r.interval else "excludes"
            return f"This is borderline, because the {interval_name(r.interval)}, {interval}{effect.unit}, {includes} 0"
        if r.decision == "not decided":
            return excluded
        if r.margin is None:
            return f"{excluded}, and {by_chance(r)}"
        if r.claim == "equivalent":
            return f"{excluded}, and {by_chance(r, 'models that differ by the margin', 'look this much alike')}"
        looks = {"not_worse": "worse", "better": "better", "worse": "worse"}[r.claim]
        does = "look this bad" if r.claim == "worse" else "look this good"
        return f"{excluded}, and {by_chance(r, f'a {r.name_b} that is {looks} by the margin', does)}"

    def _least_difference(self, contrary: Contrary) -> str:
        """Say how far beyond the margin B is at least."""
        direction_of_change = "loss" if contrary.claim == "worse" else "gain"
        sure = f"{100.0 * contrary.level:.12g} % confidence, one-sided"
        size = Effect.of(self.result, self.result.measure).size(contrary.bound)
        return f"The true {direction_of_change} is at least {size} ({sure})"

    def _what_would_change(self) -> str:
        """Say what the decision can rest on, or what would change it: another margin, or more items."""
        r, interval, write = self.result, self.result.interval, Effect.of(self.result, self.result.measure)
        unit = "group" if r.sampling and r.sampling.unit == "group" else "item"
        if r.decision == "not decided":
            more = f"More {unit}s would decide it"
            unseen = any(caveat.code == "unseen_failures" for caveat in r.caveats)
            return more if unseen else f"{more}, or a measure that a few large values do not dominate"
        if r.decision == "not shown":
            return self._more_items(unit)
        if r.contrary is not None:
            return f"Any margin up to {write.size(r.contrary.bound)} would have failed, too"
        gains = (interval.low, interval.high) if r.higher_is_better else (-interval.high, -interval.low)
        if r.margin is not None and r.claim in MARGIN_CLAIMS:
            ends = {"equivalent": max(map(abs, gains))}
            smallest = ends.get(r.claim, -gains[0])
            if smallest <= 0.0:
                return "The decision holds for any margin"
            return f"Any margin above {write.size(smallest)} would have passed, too"
        near = gains[0] if r.decision == "better" else -gains[1]
        if near <= 0.0:
            return f"The {r.measure_label} itself could still be the same, as its interval includes 0"
        if interval.low == interval.high:
            return "How much of it is luck cannot be said, because the interval has zero width"
        return at_least(r.decision, write.size(near))

    def _more_items(self, unit: str) -> str:
        """Say what more items would do where nothing is shown.

        It does not say how many would show the observed difference, which is not the true one. A margin was named, and
        n·(z + z')²·se²/margin² items show that B is not worse by it, if neither is better. Without one the interval's
        width, which falls with √n, is all that is known.
        """
        r = self.result
        half = r.interval.reach(r.difference, *methods.bounds_of_difference(r.measure, relative=r.relative))
        # If the models never disagree, the interval rests on the pseudo-counts alone and does not shrink with √n.
        if r.outcomes.get("only_a_wrong") == 0 == r.outcomes.get("only_b_wrong"):
            return f"Only {unit}s on which the models disagree could change this"
        if r.undefined_for and not methods.in_parts(r.measure):
            who = " and ".join(r.undefined_for)
            return f"How many {unit}s it takes cannot be estimated, as {r.measure_label} is undefined (0/0) for {who}"
        if not 0.0 < half < math.inf:
            return f"Only more {unit}s could bound the difference"
        if r.margin is None or r.claim not in MARGIN_CLAIMS:
            points_away = r.lead < 0 if r.claim == "better" else r.lead > 0
            if r.claim != "different" and points_away:
                return f"The difference points the other way, so more {unit}s would have to reverse it"
            return f"With four times as many {unit}s the interval would be about half as wide"
        # Equivalence takes two tests, so each may miss only half as often.
        missed = 0.1 if r.claim == "equivalent" else 0.2
        power = NormalPower((r.margin,), level(r), 1.0, 1.0)
        needed = r.n * (half / power.critical) ** 2 * power.units(1.0 - missed)
        about = "A test set of this size" if needed <= r.n else f"About {float(f'{needed:.2g}'):,.0f} items"
        return f"{about} would show it four times in five if neither is better"

    def _headline_with_margin(self) -> str:
        """Say whether B is not worse by the margin, or equivalent within it: one of a closed list."""
        r = self.result
        a, b, margin = r.name_a, r.name_b, margin_of(r)
        by = f"by {margin} or more"
        if r.contrary is not None:
            return f"{b} is {self._beyond_margin(r.contrary.claim)}"
        if r.claim in ("better", "worse"):
            more = self._beyond_margin(r.claim)
            return f"{b} is {more}" if r.decision == r.claim else f"It remains undecided whether {b} is {more}"
        if r.decision == "better":
            return f"{b} is better than {a} in {r.measure_label}, and so not worse {by}"
        if r.decision == "not worse":
            return f"{b} is not worse than {a} in {r.measure_label} {by}"
        if r.decision == "equivalent":
            return f"{b} and {a} are equivalent in {r.measure_label}, as they differ by less than {margin}"
        if r.claim == "not_worse":
            return f"It remains undecided whether {b} is worse than {a} in {r.measure_label} {by}"
        return f"It remains undecided whether {b} and {a} differ in {r.measure_label} {by}"

    def _beyond_margin(self, claim: str) -> str:
        r = self.result
        return f"{claim} than {r.name_a} in {r.measure_label} by more than {margin_of(r)}"

    def _smallest_margin(self) -> FactRows:
        """Say which margin these data could have shown: where the interval ends."""
        r, low, high = self.result, self.result.interval.low, self.result.interval.high
        write = Digits.of(r)
        if r.claim in ("better", "worse"):
            return ()
        ends = {"equivalent": max(abs(low), abs(high))}
        smallest = ends.get(r.claim, -low if r.higher_is_better else high)
        bound = write.signed(smallest).removeprefix("+") if r.relative else write.number(smallest)
        margins = "any" if smallest <= 0.0 else f"above {bound}"
        return (("margins that hold", f"{margins}, at the level {level(r):g}"),)

    def _contrary_row(self, contrary: Contrary) -> tuple[str, str]:
        """Say how sure it is that the claim is wrong."""
        size = Effect.of(self.result, self.result.measure).size(contrary.bound)
        return ("the contrary", f"{contrary.claim} by at least {size}, {p_text(contrary)}")

    def _extra_rows(self) -> FactRows:
        r, rows = self.result, []
        if r.thresholds is not None:
            rows.append(("thresholds", ", ".join(map(every_digit, r.thresholds))))
        if r.error_reduction is not None:
            rows.append(("errors", _errors(r.error_reduction, r.name_a)))
        if r.confidence is not None:
            everywhere = not r.undefined_replicates or methods.in_parts(r.measure)
            where = "" if everywhere else " that define the measure"
            scored = f"{r.name_b} scored {'higher' if r.higher_is_better else 'lower'}"
            rows.append(("confidence", f"{scored} in {percent(r.confidence)} % of resampled test sets{where}"))
        if methods.of_winners(r.measure) and r.interval.side == "two-sided" and not r.relative:
            write = Digits.of(r).number
            # B's win rate is (1 + difference)/2.
            low, high = ((1.0 + end) / 2.0 for end in (r.interval.low, r.interval.high))
            rate = f"{write(r.estimate_b)}, {interval_name(r.interval)} {write(low)} to {write(high)}"
            rows.append(("win rate", f"{r.name_b} {rate}; 0.5 means that neither is better"))
        return tuple(rows)

    def _split(self) -> str:
        a, b, o = self.result.name_a, self.result.name_b, self.result.outcomes
        if methods.of_winners(self.result.measure):
            return f"{b} wins {o['b_higher']:,}, {a} wins {o['a_higher']:,}, ties {o['equal']:,}"
        if "positives" in o:
            return f"{o['positives']:,} positive, {o['negatives']:,} negative"
        if "items_of_a" in o:
            return f"{o['items_of_a']:,} of {a}, {o['items_of_b']:,} of {b}"
        if "equal" in o:
            return f"{b} higher {o['b_higher']:,}, {a} higher {o['a_higher']:,}, equal {o['equal']:,}"
        return (
            f"both right {o['both_right']:,}, only {a} wrong {o['only_a_wrong']:,}, only {b} wrong "
            f"{o['only_b_wrong']:,}, both wrong {o['both_wrong']:,}"
        )

    def _by_slice(self, slicing: Slicing) -> str:
        """Say where B is better and where worse, and whether the difference varies between slices."""
        where = shown_in_parts(self.result, self.result.slices, "slice")
        where = where.replace(NO_EVIDENCE, NO_EVIDENCE.lower(), 1) if where.startswith(NO_EVIDENCE) else where
        tests = f"{counted(len(self.result.slices), 'slice')}, p corrected by {slicing.correction}"
        differs = f" {capital(self._interaction(slicing.interaction))}." if slicing.interaction else ""
        return f"By {slicing.by}, {f'there is {where}' if where.startswith('no ') else where} ({tests}).{differs}"

    def _interaction(self, interaction: Interaction) -> str:
        above, below = interaction.degrees
        test = f"Brown and Forsythe's F({above:.1f}, {below:.1f}) = {interaction.statistic:.2f}, {p_text(interaction)}"
        if interaction.p_value <= level(self.result):
            return f"the difference is not the same in all slices ({test})"
        return f"there is {NO_EVIDENCE.lower()} the difference varies between slices ({test})"

    def _slices(self, slicing: Slicing) -> Grid:
        """Return the slices one under the other, those without a value too, and all items last."""
        r = self.result
        hidden = [(label, f"{n:,}", *[NO_VALUE] * 6) for label, n in slicing.without_value.items()]
        write = digits_of_parts(r, r.slices)
        numbers = (write.number(r.estimate_a), write.number(r.estimate_b), write.signed(r.difference))
        overall = ("all items", f"{r.n:,}", *numbers, interval_text(r.interval, write.signed))
        more = [*hidden, (*overall, p_number(r.p_value, bound=r.p_is_bound), "")]
        return table_of_parts(r, r.slices, slicing.by, slicing.correction, more)


def _errors(reduction: ErrorReduction, name_a: str) -> str:
    """Say how many errors fewer or more B makes.

    >>> _errors(ErrorReduction(-0.007, -0.105), "A"), _errors(ErrorReduction(0.2, 0.5), "A")
    ('10.5 % more (0.70 points)', '50.0 % fewer (20.00 points)')
    """
    if reduction.absolute == 0.0:
        return "the same number"
    more, points = ("fewer" if reduction.absolute > 0 else "more"), f"{abs(reduction.absolute) * 100:.2f} points"
    if reduction.relative is None:
        return f"{points} {more}; {name_a} makes none"
    return f"{percent(abs(reduction.relative))} % {more} ({points})"
