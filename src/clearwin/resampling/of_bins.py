"""Replicates of scores that are counted in bins: how often each cell of the models' joint grid is drawn."""

from __future__ import annotations

import numpy as np

from clearwin.counts import Counts
from clearwin.data.binned_scores import BinnedScores, Margin
from clearwin.data.questions import Question
from clearwin.errors import NotApplicableError, setting
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats
from clearwin.resampling.bootstrap import Drawn, LeftOut, replicates, without_units
from clearwin.streams import Purpose, Stream, multinomial
from clearwin.workers import run_blocks

REPLICATES_PER_BLOCK = 100
DRAWN_GRID = 128  # bins of each model that test sets are drawn by: at most 32,768 cells, whatever the number of items


@replicates.register(BinnedScores)
def draw_bins(sample: BinnedScores, question: Question[BinnedScores]) -> Drawn:
    """Return the measure of every model on test sets drawn with replacement.

    A replicate is multinomial over the cells of a coarse grid, which both models share. What the grid makes of the
    observed counts differs a little from what the fine bins make of them; all replicates are moved by that much.
    """
    measure = question.measure
    width = int(sample.cells.max()) // DRAWN_GRID + 1
    places = sample.cells // width
    both = np.concatenate([sample.positives_in, sample.negatives_in])
    key = np.ravel_multi_index(tuple(places), (DRAWN_GRID,) * len(places))
    keys, cell = np.unique(np.concatenate([key, key + DRAWN_GRID ** len(places)]), return_inverse=True)
    counts = np.bincount(cell, weights=both).astype(np.int64)
    negative, where = np.divmod(keys, DRAWN_GRID ** len(places))
    at = np.stack(np.unravel_index(where, (DRAWN_GRID,) * len(places))) + DRAWN_GRID * negative

    def block(stream: Stream, size: int) -> Floats:
        return _values(multinomial(stream, sample.n, counts, size), at, measure)

    shift = np.array(question.estimates)[:, None] - _values(counts[:, None], at, measure)
    blocks = run_blocks(
        block,
        question.n_resamples,
        question.seed,
        Purpose.BINS_BOOTSTRAP,
        block=REPLICATES_PER_BLOCK,
        releases_gil=True,
    )
    values = np.concatenate(blocks, axis=1)
    undefined = np.asarray(np.isnan(values).any(axis=0))
    values = np.where(undefined, measure.settings["zero_division"], values + shift)
    return Drawn(values, undefined if undefined.any() else None)


def _values(drawn: Counts, at: Counts, measure: Measure) -> Floats:
    """Return the measure of every model (rows) for every column of drawn cells; ``at`` has each model's bin of each."""
    values = np.empty((len(at), drawn.shape[1]))
    tied = np.zeros(DRAWN_GRID, dtype=np.bool_)
    for model, places in enumerate(at):
        bins = np.zeros((2 * DRAWN_GRID, drawn.shape[1]), dtype=np.int64)
        np.add.at(bins, places, drawn)
        for i, column in enumerate(bins.T):
            values[model, i] = Margin(column[:DRAWN_GRID], column[DRAWN_GRID:], tied).scanned(measure)
    return values


@without_units.register(BinnedScores)
def leave_out_bins(sample: BinnedScores, question: Question[BinnedScores]) -> LeftOut:
    """Refuse: leaving out single items needs them."""
    raise NotApplicableError(
        f"The interval {question.interval!r} leaves out items, and their scores are counted in bins.",
        "an interval that is made of replicates alone",
        setting("interval", "percentile", "centred", "basic"),
    )
