"""From every class or label to words: in which of them B is better, and a table of all."""

from __future__ import annotations

from clearwin.numerics.intervals import DRAWN, INVERTED
from clearwin.results.comparison import PerClass
from clearwin.significance import REGISTRY as TESTS
from clearwin.text import called, counted
from clearwin.words.base import ResultWords
from clearwin.words.margins import outcomes_of_intervals
from clearwin.words.methods import correction_rows, measure_rows, rows_of_test
from clearwin.words.parts import shown_in_parts, table_of_parts
from clearwin.words.phrases import (
    CORRECTED,
    FORMS,
    NOT_EQUAL,
    ONE_MODEL_EACH,
    THESE_ITEMS,
    Digits,
    judged_at,
    one_sided_row,
    p_equals,
    repeat_row,
)
from clearwin.words.summary import Block, FactRows, Facts

MOST_NAMED = 3  # classes that the sentence names with their numbers; the table has them all
CHOSEN_BY_THE_DATA = ("studentised", "permutation", "wilcoxon")  # tests whose form depends on the size of the data


class PerClassWords(ResultWords[PerClass]):
    """B against A in every class or label."""

    null_is = "The null hypothesis of each is that"

    def headline(self) -> str:
        r = self.result
        unit = "each class against the others" if r.kind == "class" else "each label by itself"
        return f"{shown_in_parts(r, r.classes, r.kind)} ({r.measure_label}, {unit})"

    def opening(self) -> tuple[str, ...]:
        r = self.result
        corrected = f"The p-values of {self._tests()} are corrected by {CORRECTED[r.correction]}."
        return (f"{self.headline()}{judged_at(r)}.", corrected)

    def blocks(self) -> tuple[Block, ...]:
        r = self.result
        rows = (
            *one_sided_row(r.claim, r.name_a, r.name_b),
            ("test", f"{r.test_label}; {self._tests()}, p corrected by {r.correction}"),
            ("items", f"{r.n:,}"),
            repeat_row(r.signature, drawn=r.interval.method in (*DRAWN, INVERTED)),
        )
        return (table_of_parts(r, r.classes, r.kind, r.correction), Facts(rows))

    def method(self) -> FactRows:
        r = self.result
        return (
            *rows_of_test(TESTS["items"].get(r.test), r.test_label, r.claim),
            *correction_rows(r.correction, len(r.classes)),
            *measure_rows(r.measure, r.measure_label),
        )

    def limits(self) -> tuple[str, ...]:
        equal = NOT_EQUAL.replace("the models", "models without a difference")
        return (THESE_ITEMS.format(n=self.result.n), ONE_MODEL_EACH, equal)

    def paper(self) -> str:
        r = self.result
        significant = [part for part in r.classes if part.decision not in ("not shown", "not decided")]
        examples = []
        for part in significant[:MOST_NAMED]:
            write = Digits.of(part)
            numbers = f"{write.number(part.estimate_b)} against {write.number(part.estimate_a)}"
            p = p_equals(part.adjusted_p, bound=part.p_is_bound)
            examples.append(f"{part.label}: {part.decision}, {numbers}, corrected {p}")
        claim = "different from" if r.claim == "different" else f"{r.claim.replace('_', ' ')} against"
        plural = "classes" if r.kind == "class" else "labels"
        form = "{test}" if r.test in CHOSEN_BY_THE_DATA else FORMS.get(r.signature.method, "{test}")
        procedure = [form.format(test=r.test_label), f"{CORRECTED[r.correction]} correction", *self.seeded()]
        return (
            f"On {counted(r.n, 'item')}, {r.name_b} was significantly {claim} {r.name_a} in {r.measure_label} for "
            f"{len(significant):,} of {len(r.classes):,} {plural} ({'; '.join([*examples, ', '.join(procedure)])})."
        )

    def against(self, margin: float) -> str:
        differences = [(called(self.result.kind, part.label), part.interval) for part in self.result.classes]
        return outcomes_of_intervals(differences, self.result.higher_is_better, margin)

    def _tests(self) -> str:
        return counted(len(self.result.classes), "test")
