"""The doubts about a board of many models: one rule, one wording, one source each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearwin.counts import JointCounts
from clearwin.errors import first_few
from clearwin.model_pairs import MAX_T, PairDifference
from clearwin.result import Caveat
from clearwin.significance.caveats import FEWEST_DISAGREEMENTS


def doubts_of_pairs(
    pairs: Sequence[PairDifference], correction: str, alpha: float, n_resamples: int, unit: str
) -> tuple[Caveat, ...]:
    """Return what must be told of the pairs."""
    return (
        *_few_units(pairs, unit),
        *_no_width(pairs, unit),
        *_few_resamples(len(pairs), correction, alpha, n_resamples),
        *_near_level(pairs, correction, alpha, n_resamples),
        *_not_family_wise(correction),
    )


def truth_itself(joint: JointCounts, name: str) -> tuple[Caveat, ...]:
    """A model without any error may be the column of the truth, left in the table by mistake."""
    if joint.both_right < joint.n:
        return ()
    return (Caveat("truth_itself", f"{name} agrees with the truth on every item: is it the truth itself?"),)


def _few_units(pairs: Sequence[PairDifference], unit: str) -> tuple[Caveat, ...]:
    """With fewer than 6 fair coins both tails of the most extreme outcome hold more than .05."""
    few = [f"{p.a} and {p.b} {p.units}" for p in pairs if p.units < FEWEST_DISAGREEMENTS]
    if not few:
        return ()
    text = (
        f"Fewer than 6 {unit}s tell {len(few):,} of {len(pairs):,} pairs apart ({first_few(few, len(few))}): their "
        "p-values are not taken below what an exact test could give, and their intervals can be far too narrow."
    )
    return (Caveat("few_disagreements", text, "2 · (1/2)^5 = 0.0625"),)


def _no_width(pairs: Sequence[PairDifference], unit: str) -> tuple[Caveat, ...]:
    """An interval that ends at the estimate itself says nothing about how far off that may be."""
    flat = [f"{p.a} and {p.b}" for p in pairs if p.difference != 0.0 and p.interval.low == p.interval.high]
    if not flat:
        return ()
    text = (
        f"The interval of {first_few(flat, len(flat))} has no width: every {unit} that counts says the same, so these "
    )
    return (Caveat("no_width", text + "cannot show how much the difference would vary."),)


def _few_resamples(tests: int, correction: str, alpha: float, n_resamples: int) -> tuple[Caveat, ...]:
    """The smallest p-value that replicates can give, times the number of tests, must be able to reach the level."""
    factor = 1 if correction == MAX_T else tests
    needed = math.ceil(factor / alpha - 1e-9) - 1
    if n_resamples >= needed:
        return ()
    text = (
        f"With {n_resamples:,} replicates a single corrected p-value cannot be below {factor / (n_resamples + 1):.2g}; "
        f"take n_resamples of {needed:,} or more, or the correction max-t."
    )
    return (Caveat("few_resamples", text),)


def _near_level(pairs: Sequence[PairDifference], correction: str, alpha: float, n_resamples: int) -> tuple[Caveat, ...]:
    """More replicates could change a decision."""
    near = []
    for pair in pairs:
        q = pair.adjusted_p if correction == MAX_T else pair.p_value
        error = pair.adjusted_p / q * math.sqrt(q * (1.0 - q) / n_resamples)
        if error > 0.0 and abs(pair.adjusted_p - alpha) <= 3.0 * error:
            near.append(f"{pair.a} and {pair.b}")
    if not near:
        return ()
    text = (
        f"The corrected p-value of {first_few(near, len(near))} is within three standard errors of the level "
        f"{alpha:g}, so more replicates could change the decision."
    )
    return (Caveat("sampled_near_level", text),)


def _not_family_wise(correction: str) -> tuple[Caveat, ...]:
    if correction != "benjamini-hochberg":
        return ()
    text = (
        "Benjamini and Hochberg keep the share of false findings, not the chance of any: the intervals of the ranks "
        "and the groups have no joint confidence. Holm and max-t give it."
    )
    return (Caveat("not_family_wise", text, "Benjamini and Hochberg 1995"),)
