"""What tests, measures, intervals and corrections are: question, formula, source, assumptions, as they are declared."""

from __future__ import annotations

import math
import re

from clearwin.errors import ClearwinError
from clearwin.measures import Measure, find
from clearwin.numerics.pvalues import MARGIN_CLAIMS, AnyClaim
from clearwin.significance.base import Test
from clearwin.words.summary import FactRows


def claim_row(claim: AnyClaim) -> tuple[str, str]:
    """Say whether the p-value is one-sided or two-sided."""
    if claim == "not_worse":
        return ("claim", "not worse by the margin or more, one-sided: non-inferiority")
    if claim == "equivalent":
        return ("claim", "equivalent within the margin: two one-sided tests, of which the larger p counts")
    if claim == "different":
        return ("claim", "different, two-sided: differences in either direction count")
    return ("claim", f"{claim}, one-sided: only differences in that direction count")


# The full references behind the short names of sources.
SOURCES = {
    "keller2004": "Keller, Mariéthoz and Bengio, Significance tests for bizarre measures in 2-class classification "
    "tasks, IDIAP-RR 04-34, 2004",
    "nyssen1998": "Nyssen, Comparison of different methods for testing the significance of classification efficiency, "
    "1998",
    "cs446": "lecture on evaluation, course CS 446, University of Illinois, 2015",
    "lecture-measures": "the lecture Statistical significance and performance measures",
}
WITH_MARGIN = (
    "p(δ) = P(t* ≥ t), t = (g − δ)/se(g), g = d with the sign for which above 0 favours B, t* from test sets of the "
    "likeliest population with g = δ; not worse: p(−margin); equivalent: the larger of p(−margin) and that of −g at "
    "−margin"
)
CORRECTIONS = {
    "holm": "Holm 1979: controls the chance of any false finding, whatever the dependence",
    "benjamini-hochberg": "Benjamini and Hochberg 1995: controls the share of false findings among the findings",
    "max-t": "Westfall and Young 1993, step-down max-T: controls the chance of any false finding and uses the fact "
    "that the models share their items",
}
INTERVALS = {
    "wilson": "Wilson 1927: all p with (r/n − p)² ≤ z² p(1 − p)/n",
    "clopper-pearson": "Clopper and Pearson 1934: all p that the exact binomial test does not reject",
    "normal": "p ± z √(p(1 − p)/n)",
    "tango": "Tango 1998: all differences that the score test of paired proportions does not reject",
    "newcombe": "Newcombe 1998, method 10: Wilson's limits of both rates, squared and added with their correlation",
    "bonett-price": "Bonett and Price 2012: Wald's with one item added on each side",
    "wald": "D ± z · standard error",
    "score": "all differences in precision that the weighted generalised score test does not reject",
    "mover": "Zou and Donner 2008: D ∓ √(Σ w²(dᵢ − limitᵢ)²) over the classes, with Tango's limits of each, and never "
    "narrower than by keller2004 (9)",
    "percentile": "percentiles of the bootstrap replicates (Efron and Tibshirani 1993)",
    "centred": "symmetric about the replicates' mean, with the level's share of them inside (keller2004 (14))",
    "basic": "2 · observed − the percentiles of the bootstrap replicates (Davison and Hinkley 1997)",
    "bca": "bias-corrected and accelerated percentiles of the bootstrap replicates (Efron 1987)",
    "studentised": "D − t* · standard error, t* = (d* − D)/se* of the bootstrap replicates (Hall 1988)",
    "inverted": "every value that the studentised test does not reject (Lloyd 2008)",
    "dirichlet": "percentiles of the measure under a Dirichlet distribution of the outcomes of two classes: the "
    "counts, plus one item for each class, divided evenly over its outcomes (Rubin 1981; Berger, Bernardo and Sun "
    "2015)",
    "t": "mean ± t · standard error (Student 1908)",
}


def rows_of_test(test: Test | None, label: str, claim: AnyClaim | None) -> FactRows:
    """Say what a registered test asks and does; for any other test only its name.

    ``claim`` is what the p-value tests, None without a p-value.
    """
    claimed = () if claim is None else (claim_row(claim),)
    if test is None:
        return (("test", label), *claimed)
    formula = test.one_sided if claim in ("better", "worse") and test.one_sided else test.formula
    if claim in MARGIN_CLAIMS:
        formula = WITH_MARGIN
    return (
        ("test", test.label),
        ("question", test.question),
        *claimed,
        ("formula", formula),
        ("assumes", test.assumes),
        ("source", test.source),
    )


def measure_rows(spelled: str, label: str = "") -> FactRows:
    """Say what a measure is; for a user's own function only its name."""
    try:
        measure: Measure = find(spelled)
    except ClearwinError:
        return (("measure", f"{label or spelled}, a measure of the user's own"),)
    rows = [("measure", label or measure.label), ("its formula", measure.formula), ("its source", measure.source)]
    if measure.undefined_when != "never":
        instead = measure.settings.get("zero_division")
        convention = "" if instead is None else f"; it is then taken as {instead:g}"
        rows.append(("undefined when", f"{measure.undefined_when}{convention}"))
    return tuple(rows)


def in_parts(spelled: str) -> bool:
    """Return whether the measure is an average over classes, some of which may be 0/0."""
    try:
        return find(spelled).in_parts
    except ClearwinError:
        return False


def of_winners(spelled: str) -> bool:
    """Return whether the measure judges who won each battle."""
    try:
        return find(spelled).of_winners
    except ClearwinError:
        return False


def bounds_of_difference(spelled: str, *, relative: bool) -> tuple[float, float]:
    """Return the least and the largest difference of two values; of a user's own measure nothing is known."""
    try:
        low, high = find(spelled).bounds
    except ClearwinError:
        low, high = -math.inf, math.inf
    return (-1.0, math.inf) if relative else (low - high, high - low)


def interval_method(method: str) -> tuple[str, str]:
    """Say what the interval is."""
    return ("interval", f"{method}: {INTERVALS[method]}" if method in INTERVALS else method)


def correction_rows(correction: str, tests: int) -> FactRows:
    """Say how p-values were corrected for the number of tests."""
    return (("correction", f"{CORRECTIONS[correction]}; {tests:,} tests"),) if tests > 1 else ()


def cited(rows: FactRows) -> FactRows:
    """Return what the short names of sources in the rows stand for.

    >>> [name for name, _ in cited((("source", "keller2004 (11); cs446"),))]
    ['keller2004', 'cs446']
    """
    text = " ".join(value for _, value in rows)
    return tuple((key, full) for key, full in SOURCES.items() if re.search(rf"\b{key}\b", text))
