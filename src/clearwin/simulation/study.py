"""The verb ``study``: can this test be trusted on data like mine? keller2004 section 5, and what it could not show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import Any

from clearwin.analyses.repeating import repeatable
from clearwin.data.arrays import names_of
from clearwin.data.questions import two_names
from clearwin.data.reading import ReadByLabels, Reading, source_of_arrays
from clearwin.data.scores import models_with_lower_positive
from clearwin.data.values import refuse_winners
from clearwin.errors import OptionError, setting
from clearwin.measures import Measure, find
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.pvalues import Claim
from clearwin.reading.opening import opened, refuse_id_of_arrays, takes_data
from clearwin.reading.reading import read_by_labels
from clearwin.reading.table import Table
from clearwin.resampling.on_device import on_accelerator
from clearwin.results.study import Study
from clearwin.simulation.blocks import JobResult, StudyBlock, StudySetup, run_job
from clearwin.simulation.checkpoints import Header, Keeping, forget, keep_file, read_kept
from clearwin.simulation.plan import StudyOptions, ask, categories_of, checked, jobs_of
from clearwin.simulation.summary import record_of
from clearwin.streams import RngLike, Seed
from clearwin.workers import run_jobs, with_progress


@repeatable()
@matched_by_position()
@takes_data
def study(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    data: Any = None,
    id: str | None = None,
    measure: MeasureLike = "f1",
    tests: Sequence[str] = ("auto",),
    test_size: int | None = None,
    n_sets: int = 1_000,
    test_set: tuple[Any, ...] | None = None,
    sizes: Sequence[int] | None = None,
    alphas: Sequence[float] = (0.1, 0.05, 0.01),
    category_sets: Mapping[str, Any] | None = None,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    labels: Any = None,
    separator: str | None = None,
    threshold: Any = None,
    stratified: bool = False,
    rank_infinite: bool = False,
    lower_is_positive: Any = False,
    claim: Claim = "different",
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] | None = None,
    device: str = "cpu",
    keep: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> Study:
    """Return whether a test can be trusted on data like these.

    One large labelled set is treated as the truth, many test sets are drawn from it, and every test is run on each.

    Parameters
    ----------
    truth, a, b, data, id, measure, positive, groups, strata, labels, separator, threshold, rank_infinite,
    lower_is_positive
        The large set, as :func:`compare` takes it.
    tests
        Names that :func:`list_tests` lists, or "auto"; with a method or an interval after a slash: "mcnemar/exact",
        "bootstrap/bca".
    test_size, n_sets, sizes
        Items in a test set, the number of sets drawn, and the sizes at which power is measured (by default an eighth, a
        quarter and a half of ``test_size``, and ``test_size`` itself; at most ten times the large set).
    test_set
        The one test set D_te as (truth, a, b), perhaps with groups and strata after them; otherwise one is drawn.
    alphas
        Levels at which the true size and the power are reported.
    category_sets
        {"X": [labels], …}: each is a row of the tables.
    stratified
        Sets keep the shares of the strata, or of the true classes where no strata are given.
    claim
        What the tests should show about B, as in :func:`compare`: "different", or one-sided "better" or "worse". Size,
        coverage and power are for that claim.
    n_resamples, confidence_level, rng, names, device
        Replicates that a test draws on each set, level of its interval, seed, and what to call the two. A ``device``
        draws the replicates of the bootstrap, as in :func:`compare`, in one process, however many workers there are.
    keep, resume, progress
        A file that keeps finished blocks until the study is finished, or a folder for a file named by data and
        settings; whether to continue with the blocks that are there; whether to show a bar.

    Sets are drawn with replacement, as in keller2004 section 5, so the large set's own difference is exactly the true
    one.

    Examples
    --------
    >>> import clearwin as cw, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 2, 20_000)
    >>> a, b = (np.where(rng.random(truth.size) < wrong, 1 - truth, truth) for wrong in (0.20, 0.17))
    >>> s = cw.study(truth, a, b, measure="accuracy", tests=["mcnemar"], test_size=400, n_sets=100, rng=7)
    >>> [(row.null, row.value <= 0.12) for row in s.size if row.alpha == 0.05]
    [('swapped', True), ('recentred', True)]
    """
    refuse_id_of_arrays(data, id)
    chosen, models, units = find(measure), {"a": a, "b": b}, Reading(groups=groups, strata=strata)
    refuse_winners(chosen)
    called: Any = names
    if names is None:
        called = names_of(a, b) if data is None else data.names(truth, models, units)
    how: dict[str, Any] = {"positive": positive, "separator": separator, "threshold": threshold}
    how |= {"rank_infinite": rank_infinite}
    names_by_role = dict(zip("ab", two_names(called), strict=True))
    how["lower_is_positive"] = models_with_lower_positive(lower_is_positive, names_by_role)
    reading = Reading(groups=groups, strata=strata, **how)
    large, small = study_sources_of(data, truth, models, chosen, reading, test_set, stratified=stratified)
    asking = StudyOptions(
        tests=tests,
        test_size=test_size,
        n_sets=n_sets,
        sizes=sizes,
        alphas=alphas,
        category_sets=category_sets,
        labels=labels,
        stratified=stratified,
        claim=claim,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=rng,
        names=called,
        device=device,
        keep=keep,
        resume=resume,
        progress=progress,
        reading=how,
    )
    result, kept = study_sources(large, small, asking)
    forget(kept)
    return result


def study_sources_of(
    data: Table | None,
    truth: Any,
    models: Mapping[str, Any],
    measure: Measure,
    how: Reading,
    test_set: Any,
    *,
    stratified: bool,
) -> tuple[ReadByLabels, ReadByLabels | None]:
    """Return the large set, and the test set if there is one: arrays, or a file with the same columns."""
    large = read_by_labels(data, truth, models, measure, how, stratified=stratified)
    if test_set is None:
        return large, None
    if data is not None and isinstance(test_set, str | os.PathLike):
        with opened(test_set, data.id) as other:
            return large, read_by_labels(other, truth, models, measure, how, stratified=stratified)
    return large, _source_of_test_set(test_set, measure, how, stratified=stratified)


def _source_of_test_set(given: Any, measure: Measure, how: Reading, *, stratified: bool) -> ReadByLabels:
    if not isinstance(given, tuple | list) or not 3 <= len(given) <= 5:
        raise OptionError(
            "test_set is not a test set.",
            "three arrays, perhaps with groups and strata after them",
            "test_set=(truth, a, b)",
        )
    truth, a, b, *units = given
    units_of_items = dict(zip(("groups", "strata"), units, strict=False))
    how = replace(how, groups=units_of_items.get("groups"), strata=units_of_items.get("strata"))
    return source_of_arrays(truth, a, b, measure, how, stratified=stratified)


def study_sources(large: ReadByLabels, small: ReadByLabels | None, asking: StudyOptions) -> tuple[Study, Path | None]:
    """Study a large set that was read already, with a test set of its own or without.

    Returns the study and the file with its finished blocks, which whoever shows the study can then ``forget``.
    """
    asking = checked(asking)
    seed = Seed.of(asking.rng).by_data(large(asking.labels)[0].fingerprint)
    divided = ask(large, small, asking, seed)
    header, file = divided.header, keep_file(asking.keep, divided.header, resume=asking.resume, force=asking.force)
    done: dict[str, JobResult] = {}
    if asking.resume:
        assert file is not None  # keep_file has refused
        kept, done = read_kept(file, {**header, "seed": None if asking.rng is None else header["seed"]})
        header, seed = kept, Seed.from_text(kept["seed"])
    categories, left_out = categories_of(divided, asking.stratified)
    plan = StudySetup(categories, divided.tests, seed)
    jobs = jobs_of(divided, categories, asking.n_sets)
    done = {job.key: done[job.key] for job in jobs if job.key in done}
    left = [job for job in jobs if job.key not in done]
    work = [(job, plan.of_category(job)) for job in left]
    again = (
        setting("keep", "study.jsonl") + ", and what is finished is kept"
        if file is None
        else setting("resume", True) + " continues with what is finished"
    )
    # workers would share one device, and each would hold its own copy of what lies there
    one_after_another = on_accelerator(asking)
    run = enumerate(starmap(run_job, work)) if one_after_another else run_jobs(run_job, work, if_lost=again)
    finished = with_progress(run, len(jobs), "studying", asking.progress, already=len(jobs) - len(left))
    if file is None:
        done |= {left[i].key: result for i, result in finished}
    else:
        done |= _kept(file, header, left, finished, append=asking.resume)
    return record_of(asking, plan, jobs, done, left_out, header), file


def _kept(
    file: Path, header: Header, jobs: list[StudyBlock], finished: Iterable[tuple[int, JobResult]], *, append: bool
) -> dict[str, JobResult]:
    """Keep every block as soon as it is finished."""
    results = {}
    with Keeping(file, header, append=append) as keeping:
        try:
            for i, result in finished:
                keeping.add(jobs[i].key, result)
                results[jobs[i].key] = result
        except KeyboardInterrupt as stop:
            stop.add_note(f"Finished blocks are kept in {file}.")
            raise
    return results
