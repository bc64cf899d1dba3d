"""Replicates of many models at once: every model is judged on the same test sets drawn with replacement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearwin.answers import ModelTable
from clearwin.execution import Seed, run_blocks
from clearwin.measures import Measure
from clearwin.significance.unit_draws import BOOTSTRAP_STREAM, drawing
from clearwin.streams import Stream

Floats = NDArray[np.float64]


def draw_answers(table: ModelTable, measure: Measure, n_resamples: int, seed: Seed) -> tuple[Floats, int]:
    """Return the measure of every model (rows) on every test set, and in how many it was 0/0 for any model.

    A replicate is exactly multinomial over the units, stratum by stratum; see ``unit_draws``. Replicates come in blocks
    and only the measure's values are kept of them, so memory does not grow with items × replicates.
    """
    draws = drawing(table.rows, table.strata, table.n_features)

    def block(stream: Stream, size: int) -> tuple[Floats, int]:
        totals = draws.totals(stream, size)
        found = [measure.evaluate(table.read(totals, model)) for model in range(table.models)]
        undefined = np.logical_or.reduce([one.undefined for one in found])
        return np.stack([one.values for one in found]), int(undefined.sum())

    parts = run_blocks(
        block, n_resamples, seed, BOOTSTRAP_STREAM, block=draws.block, releases_gil=draws.compiled
    )  # fmt: skip
    values, undefined = zip(*parts, strict=True)
    return np.concatenate(values, axis=1), sum(undefined)
