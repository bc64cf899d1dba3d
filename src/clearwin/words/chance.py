"""From one confusion matrix against chance to words."""

from __future__ import annotations

from clearwin.results.chance import AgainstChance, ClassRecall
from clearwin.results.comparison import NAMELESS
from clearwin.text import capital, percent
from clearwin.words.base import ResultWords
from clearwin.words.methods import interval_method
from clearwin.words.phrases import (
    NO_EVIDENCE,
    THESE_ITEMS,
    by_chance,
    interval_name,
    interval_row,
    interval_text,
    judged_at,
    number,
    p_number,
    p_row,
    p_text,
    repeat_row,
)
from clearwin.words.summary import Block, FactRows, Facts, Grid

METHODS = {"exact": "exact", "monte_carlo": "Monte-Carlo", "chi2": "chi-square, halved"}
TESTS = {"exact": "exact test", "monte_carlo": "Monte-Carlo test", "chi2": "χ² test"}
FORMULAS = {
    "exact": "P(right ≥ observed) over all ways to assign the predictions to the items with both margins fixed, "
    "counted by rook polynomials",
    "monte_carlo": "(tables with as many right or more + 1)/(tables drawn + 1), both margins fixed",
    "chi2": "χ² = Σ (observed − expected)²/expected on (k − 1)² degrees of freedom, halved because more right items "
    "than by chance are one side only",
}
INDEPENDENT = (
    "The items were treated as independent. If some belong together (one author, one document), name their groups."
)


class AgainstChanceWords(ResultWords[AgainstChance]):
    """How many items are right, and how many chance would get right."""

    def headline(self) -> str:
        r, is_better = self.result, self.result.decision == "better"
        name = self._name() if is_better else r.name
        words = f"{'' if is_better else f'{NO_EVIDENCE} '}{name} is better than chance"
        return (
            f"{words}: {r.right:,} of {r.n:,} right ({percent(r.efficiency)} %), where chance with the same margins "
            f"gets {percent(r.expected_efficiency)} %"
        )

    def opening(self) -> tuple[str, ...]:
        r = self.result
        return (
            f"{self.headline()} ({p_text(r)}{judged_at(r)}).",
            f"Shares beyond {self._shares()} right are ruled out ({interval_name(r.interval)}), and "
            f"{by_chance(r, does='get as many right')}.",
        )

    def blocks(self) -> tuple[Block, ...]:
        r = self.result
        rows = (
            ("right", f"{number(r.efficiency)}  ({r.right:,} of {r.n:,})"),
            interval_row(r.interval),
            ("right by chance", number(r.expected_efficiency)),
            ("Cohen's kappa", "undefined: chance is always right" if r.kappa is None else number(r.kappa)),
            p_row(r, r.p_error),
            ("method", METHODS[r.method]),
            ("why this method", r.why),
            *((f"recall of {recall.label}", _recall(recall)) for recall in r.recalls),
            repeat_row(r.signature, drawn=r.p_error is not None),
        )
        return (Facts(rows),)

    def method(self) -> FactRows:
        return (
            ("test", "number of right items with both margins held fixed"),
            ("question", "Is the classifier better than one that assigns its predictions at random?"),
            ("claim", "better, one-sided: only more right items than by chance count"),
            ("formula", FORMULAS[self.result.method]),
            ("assumes", "items are independent"),
            ("source", "nyssen1998"),
            interval_method("wilson"),
        )

    def limits(self) -> tuple[str, ...]:
        return (
            "Better than chance is a low bar, and it does not show that the classifier is good enough to use.",
            THESE_ITEMS.format(n=self.result.n),
            INDEPENDENT,
        )

    def paper(self) -> str:
        r = self.result
        better = "more" if r.decision == "better" else "not significantly more"
        interval = f"{interval_name(r.interval)} {self._shares()}"
        return (
            f"{self._name()} got {r.right:,} of {r.n:,} items right ({percent(r.efficiency)} %, {interval}), {better} "
            f"than the {percent(r.expected_efficiency)} % expected by chance with the same margins "
            f"({TESTS[r.method]}, {p_text(r)}, {self.software()})."
        )

    def table(self) -> Grid:
        r = self.result
        head = ("classifier", "right", interval_name(r.interval), "by chance", "p")
        low, high = (f"{percent(share)} %" for share in (r.interval.low, r.interval.high))
        right, expected = (f"{percent(share)} %" for share in (r.efficiency, r.expected_efficiency))
        return Grid(head, ((r.name, right, f"{low} to {high}", expected, p_number(r.p_value)),))

    def _name(self) -> str:
        """Return the name as a sentence begins with it."""
        return capital(self.result.name) if self.result.name == NAMELESS else self.result.name

    def _shares(self) -> str:
        return f"{percent(self.result.interval.low)} to {percent(self.result.interval.high)} %"


def _recall(recall: ClassRecall) -> str:
    if recall.recall is None or recall.interval is None:
        return "undefined: the class never occurs"
    return f"{number(recall.recall)}  ({recall.right:,} of {recall.n:,}; {interval_text(recall.interval)})"
