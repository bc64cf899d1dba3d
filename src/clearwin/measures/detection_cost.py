"""Detection cost: weighted sums of the two classes' error rates, as used in person authentication."""

from __future__ import annotations

from typing import Any

from clearwin.counts import ConfusionMatrix
from clearwin.errors import OptionError
from clearwin.measures.base import Ratio, measure

ONE_CLASS = "no item is positive, or none is negative"


def check_costs(cost_fn: float, cost_fp: float, prior: float) -> None:
    """Raise unless the costs and the prior are valid."""
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if cost < 0:
            raise OptionError(f"dcf: {name} is {cost!r}.", "a cost of 0 or more", "dcf(cost_fn=10, cost_fp=1)")
    if cost_fn == cost_fp == 0:
        raise OptionError("dcf: both costs are 0, so every error is free.", "one above 0", "dcf(cost_fn=10, cost_fp=1)")
    if not 0 <= prior <= 1:
        raise OptionError(f"dcf: prior is {prior!r}.", "a probability from 0 to 1", "dcf(prior=0.01)")


def _weights(k: int, cost_fn: float, cost_fp: float, prior: float) -> list[float]:
    return [cost_fp * (1 - prior), cost_fn * prior]


@measure(
    label="DCF",
    higher_is_better=False,
    decomposition="classes",
    formula="cost_fn · prior · fn/(fn + tp) + cost_fp · (1 − prior) · fp/(fp + tn)",
    source="keller2004 (7)",
    range=lambda **options: (0.0, sum(_weights(2, **options))),
    undefined_when=ONE_CLASS,
    class_weights=_weights,
    check=check_costs,
    in_parts=True,
)
def dcf(
    counts: ConfusionMatrix, ratio: Ratio, *, cost_fn: float = 1.0, cost_fp: float = 1.0, prior: float = 0.5
) -> Any:
    """Detection cost: what the errors cost when positives come with probability ``prior``."""
    negative, positive = _weights(2, cost_fn, cost_fp, prior)
    missed = ratio(counts.fn, counts.fn + counts.tp)
    false_alarms = ratio(counts.fp, counts.fp + counts.tn)
    return positive * missed + negative * false_alarms


@measure(
    label="HTER",
    higher_is_better=False,
    decomposition="classes",
    formula="(fn/(fn + tp) + fp/(fp + tn)) / 2",
    source="keller2004 (7) with equal costs and priors",
    undefined_when=ONE_CLASS,
    needs_positive=False,
    class_weights=lambda k: [0.5, 0.5],
    in_parts=True,
)
def hter(counts: ConfusionMatrix, ratio: Ratio) -> Any:
    """Half total error rate: mean of false acceptance and false rejection rate."""
    return (ratio(counts.fn, counts.fn + counts.tp) + ratio(counts.fp, counts.fp + counts.tn)) / 2
