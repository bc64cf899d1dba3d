"""Measures of values that every item comes with (a grade, a loss, a sentence's BLEU): means, plain or trimmed.

A trimmed mean leaves out the floor(share · n) lowest and as many highest of each model's own values, so that a few
extreme items do not decide. Which items these are depends on all others, so it is not a sum over items.
"""

from __future__ import annotations

import math

from clearwin.errors import OptionError
from clearwin.measures.base import value_measure

TRIMMED = "mean of each model's values without the floor(share·n) lowest and as many highest"


def _check_range(lowest: float, highest: float) -> None:
    if not lowest < highest:
        raise OptionError(
            f"lowest is {lowest!r} and highest is {highest!r}.",
            "the least value that an item can have, below the largest",
            "mean(lowest=1, highest=10)",
        )


def _declared(lowest: float, highest: float) -> tuple[float, float]:
    return lowest, highest


@value_measure(
    label="mean value",
    decomposition="items",
    formula="Σ value / n",
    source="per-item values, higher is better",
    range=_declared,
    check=_check_range,
)
def mean(*, lowest: float = -math.inf, highest: float = math.inf) -> float:
    """Mean of values where higher is better: grades, BLEU, rewards. Their range can be declared."""
    return 0.0


@value_measure(
    label="mean loss",
    decomposition="items",
    formula="Σ value / n",
    source="per-item values, lower is better",
    higher_is_better=False,
    range=_declared,
    check=_check_range,
)
def mean_loss(*, lowest: float = -math.inf, highest: float = math.inf) -> float:
    """Mean of values where lower is better: losses, edit distances, seconds. Their range can be declared."""
    return 0.0


@value_measure(
    label="win rate",
    decomposition="items",
    formula="(wins + ties/2)/battles",
    source="preferences of people or a judge; ties count half, as in Chatbot Arena and AlpacaEval",
    range=(0.0, 1.0),
    of_winners=True,
)
def win_rate() -> float:
    """Share of battles won; a tie is half a win for either model."""
    return 0.0


def _check_share(share: float) -> None:
    if not 0 <= share < 0.5:
        raise OptionError(f"share is {share!r}.", "a part from 0 to below 0.5", "trimmed_mean(share=0.1)")


@value_measure(
    label="trimmed mean", decomposition="none", formula=TRIMMED, source="Tukey and McLaughlin 1963", check=_check_share
)
def trimmed_mean(*, share: float = 0.1) -> float:
    """Mean without the extremes, higher is better."""
    return share


@value_measure(
    label="trimmed mean loss",
    decomposition="none",
    formula=TRIMMED,
    source="Tukey and McLaughlin 1963",
    higher_is_better=False,
    check=_check_share,
)
def trimmed_mean_loss(*, share: float = 0.1) -> float:
    """Mean without the extremes, lower is better."""
    return share
