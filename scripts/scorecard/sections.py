"""The sections of the scorecard: what each measures, job by job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from scorecard import (
    cells,
    contradictions,
    defaults,
    enumerated,
    family,
    fold_cells,
    ledger,
    margins,
    powers,
    real,
    samples,
    serial,
    slice_cells,
    trials,
    two_sets,
    unseen,
)
from scorecard.rows import Row
from scorecard.trials import Batch


@dataclass(frozen=True)
class Plan:
    """A section: cells to draw from (``batches``), or jobs of another kind, each a function of the seed and folder."""

    title: str
    batches: Callable[[], list[Batch]] | None = None
    others: Callable[[str | None], list[Callable[[int], list[Row]]]] | None = None
    needs_data: bool = False
    n_resamples: int = trials.N_RESAMPLES


TRIALS, FEWER, UNSTABLE_SETS = 400, 200, 1_000
BY_DEFAULT = (*trials.by_name(), trials.DUAL)  # the default beside the tests by name

SECTIONS = {
    "defaults": Plan(
        "the defaults",
        others=lambda folder: list(defaults.jobs(defaults.SETS)),
        n_resamples=defaults.N_RESAMPLES,
    ),
    "rare": Plan(
        "what few items cannot show",
        others=lambda folder: list(defaults.jobs_of_rare(defaults.SETS)),
        n_resamples=defaults.N_RESAMPLES,
    ),
    "unseen": Plan(
        "what the test set has not seen",
        others=lambda folder: unseen.jobs(unseen.SETS),
        n_resamples=unseen.N_RESAMPLES,
    ),
    "serial": Plan(
        "items in time order", others=lambda folder: serial.jobs(serial.SETS), n_resamples=serial.N_RESAMPLES
    ),
    "unpaired": Plan("two models on two test sets", others=lambda folder: two_sets.jobs(two_sets.SETS), n_resamples=0),
    "slices": Plan("slices", others=lambda folder: slice_cells.jobs(slice_cells.SETS), n_resamples=0),
    "ledger": Plan("the ledger", others=lambda folder: ledger.jobs(ledger.SETS)),
    "unstable": Plan(
        "learners that follow single items", others=lambda folder: fold_cells.unstable_jobs(UNSTABLE_SETS)
    ),
    "powers": Plan(
        "the power of the defaults",
        others=lambda folder: list(powers.jobs(powers.SETS)),
        n_resamples=powers.N_RESAMPLES,
    ),
    "margins": Plan(
        "claims at their margins",
        others=lambda folder: list(margins.jobs(margins.SETS)),
        n_resamples=margins.N_RESAMPLES,
    ),
    "contradictions": Plan(
        "random data",
        others=lambda folder: list(contradictions.jobs()),
        n_resamples=contradictions.N_RESAMPLES,
    ),
    "mcnemar": Plan("McNemar's test, enumerated", others=lambda folder: [enumerated.mcnemar_rows]),
    "size": Plan("decisions under the null hypothesis", lambda: cells.batches(cells.null_cells(), TRIALS, BY_DEFAULT)),
    "coverage": Plan(
        "decisions with a true difference", lambda: cells.batches(cells.true_differences(), TRIALS, BY_DEFAULT)
    ),
    "precision": Plan("precision", lambda: cells.batches(cells.precision_cells(), TRIALS, ("kosinski",))),
    "positives": Plan("AUC with few positives", lambda: samples.few_positives(TRIALS)),
    "values": Plan("per-item values", lambda: samples.values(FEWER)),
    "groups": Plan("groups of items", lambda: samples.groups(FEWER)),
    "folds": Plan("learners over folds", others=lambda folder: fold_cells.jobs(TRIALS)),
    "learners": Plan("learners that are trained", others=lambda folder: fold_cells.learner_jobs(TRIALS)),
    "rank": Plan("many models", others=lambda folder: list(family.jobs()), n_resamples=family.REPLICATES),
    "real": Plan("real data", others=real.jobs, needs_data=True),
}


def jobs(name: str, folder: str | None) -> int:
    """Return how many jobs a section is."""
    plan = SECTIONS[name]
    return len(plan.batches()) if plan.batches else len(plan.others(folder)) if plan.others else 0


def rows_of(name: str, number: int, seed: int, folder: str | None, sets: int = 0) -> list[Row]:
    """Do one job, of at most so many test sets if given; a worker lists the jobs, so that only numbers travel."""
    plan = SECTIONS[name]
    if plan.batches:
        return trials.measure(_with_sets(plan.batches()[number], sets), seed)
    assert plan.others is not None
    found: list[Row] = _with_sets(plan.others(folder)[number], sets)(seed)
    return found


def _with_sets(job: Any, sets: int) -> Any:
    """Return the job with fewer test sets; one that enumerates has none."""
    return replace(job, trials=min(sets, job.trials)) if sets and hasattr(job, "trials") else job
