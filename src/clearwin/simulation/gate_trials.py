"""Trying a gate on the user's own items: how often equal models fail, and how often a planted drop is caught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearwin.analyses.compare import compare_tally
from clearwin.analyses.gate import Check, Rules, gated
from clearwin.data.arrays import Tally
from clearwin.errors import ClearwinError
from clearwin.numerics.arrays import Floats
from clearwin.streams import Purpose, Seed, multinomial
from clearwin.text import percent

RUNS = 200
N_RESAMPLES = 500
DROP = 3.0  # margins by which the planted model is worse
HALVINGS = 30
SHARES = 2.0**40  # weights are whole numbers


def tried(tally: Tally, checks: Sequence[Check], rules: Rules, settings: Mapping[str, Any], seed: int = 1) -> str:
    """Return what the trials show: the share of equal models that fail, and of planted drops that are caught.

    Equal models are the two models in the file with their answers swapped by a fair coin on every item of a drawn test
    set. The planted model is A with right answers turned into wrong ones until the first check's measure has dropped by
    three margins.
    """
    keys, counts = list(tally), np.array(list(tally.values()), dtype=np.float64)
    n, shares = int(counts.sum()), counts / counts.sum()
    stream = Seed.of(seed).stream(Purpose.GATE_TRIALS, 0)
    wanted = [Check(check.measure, check.margin, check.claim) for check in checks]
    outcomes: dict[str, list[str]] = {"equal": [], "drop": []}
    swapped = [(key[0], key[2], key[1], *key[3:]) for key in keys]
    spoilt, share = _spoilt(keys, shares, wanted[0], settings)
    same = [(key[0], key[1], key[1]) for key in keys]
    made = {
        "equal": ([*keys, *swapped], np.concatenate([shares, shares])),
        "drop": ([*same, *spoilt], np.concatenate([shares * (1.0 - share), shares * share])),
    }
    for name, (outcome_keys, parts) in made.items():
        weights = np.rint(parts * SHARES).astype(np.int64)
        for counts_drawn in multinomial(stream, n, weights, RUNS).T:
            outcomes[name].append(_outcome(outcome_keys, counts_drawn, wanted, rules, settings))
    equal, drop = (np.array(outcomes[name]) for name in ("equal", "drop"))
    return (
        f"Equal models: {percent(float((equal == 'fail').mean()))} % of {RUNS} gates failed, "
        f"{percent(float((equal == 'pass').mean()))} % passed, and the others were undecided.\n"
        f"A planted drop of {DROP:g} margins in {wanted[0].measure}: {percent(float((drop == 'fail').mean()))} % of "
        f"{RUNS} gates failed, {percent(float((drop == 'pass').mean()))} % passed."
    )


def _outcome(
    keys: Sequence[tuple[Any, ...]], counts: Any, checks: Sequence[Check], rules: Rules, settings: Mapping[str, Any]
) -> str:
    drawn: dict[tuple[Any, ...], int] = {}
    for key, count in zip(keys, counts.tolist(), strict=True):
        if count:
            drawn[key] = drawn.get(key, 0) + count

    def ask(**how: Any) -> Any:
        how = {**how, "positive": settings["positive"], "n_resamples": N_RESAMPLES, "rng": 1}
        return compare_tally(drawn, **how)

    try:
        return gated(ask, checks, rules).outcome
    except ClearwinError:
        return "undecided"  # a test set without a class


def _spoilt(
    keys: Sequence[tuple[Any, ...]], shares: Floats, check: Check, settings: Mapping[str, Any]
) -> tuple[list[tuple[Any, ...]], float]:
    """Return A's answers beside A's answers all made wrong, and the share of items that must be wrong for the drop."""
    labels = sorted({label for key in keys for label in key[:3]}, key=str)
    wrong = {label: labels[(i + 1) % len(labels)] for i, label in enumerate(labels)}
    pairs = [(key[0], key[1], wrong[key[0]] if key[1] == key[0] else key[1]) for key in keys]

    def drop(share: float) -> float:
        parts: dict[tuple[Any, ...], int] = {}
        for key, pair, weight in zip(keys, pairs, shares.tolist(), strict=True):
            same = (key[0], key[1], key[1])
            parts[same] = parts.get(same, 0) + round(1e9 * weight * (1.0 - share))
            parts[pair] = parts.get(pair, 0) + round(1e9 * weight * share)
        how: dict[str, Any] = {"positive": settings["positive"], "test": "auto", "method": "student", "rng": 1}
        comparison = compare_tally({key: count for key, count in parts.items() if count}, measure=check.measure, **how)
        size = comparison.estimate_a if check.relative else 1.0
        return (-comparison.difference if comparison.higher_is_better else comparison.difference) / size

    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if drop(middle) < DROP * check.size else (low, middle)
    return pairs, high
