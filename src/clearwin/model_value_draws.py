"""Replicates of many models' per-item values: every model on the same units drawn with replacement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearwin.execution import Seed, run_blocks
from clearwin.measures import Measure
from clearwin.model_values import ModelValues
from clearwin.significance.score_draws import REPLICATES_PER_BLOCK, blocks_of, totals_of
from clearwin.significance.value_draws import BOOTSTRAP_STREAM
from clearwin.streams import Stream

Floats = NDArray[np.float64]


def draw_model_values(values: ModelValues, measure: Measure, n_resamples: int, seed: Seed) -> Floats:
    """Return the mean, sum or trimmed mean of every model (rows) on every test set; it is never undefined."""
    from clearwin import value_kernels

    units, is_mean = values.units, measure.decomposition == "items"
    first, sizes, strata = blocks_of([int(n) for n in np.diff(units.first)])
    # equal values are ordered by their units, so that the order of the input does not matter
    order = [] if is_mean else [np.lexsort((units.of_item, row)) for row in values.values]
    ordered = np.stack([row[o] for row, o in zip(values.values, order, strict=True)]) if order else np.empty((0, 0))
    places = np.stack([units.of_item[o] for o in order]) if order else np.empty((0, 0), dtype=np.int64)

    def block(stream: Stream, size: int) -> Floats:
        totals = totals_of(stream, sizes, strata, size)
        states = stream.randint(0, 2**64, size=(size, 4), dtype=np.uint64)
        if not is_mean:
            return np.asarray(
                value_kernels.bootstrap_trimmed_means(first, sizes, totals, states, ordered, places, measure.trimmed)
            )
        found = value_kernels.bootstrap_means(
            first, sizes, totals, states, units.sums, units.counts, np.empty(0), units.first
        )
        return np.asarray(found[:-1])  # the last row is for standard errors, which nobody asked for

    parts = run_blocks(block, n_resamples, seed, BOOTSTRAP_STREAM, block=REPLICATES_PER_BLOCK, releases_gil=True)
    factor = float(values.n) if measure.is_sum else 1.0
    return np.asarray(factor * np.concatenate(parts, axis=1))
