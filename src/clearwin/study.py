"""The verb ``study``: can this test be trusted on data like mine? keller2004 section 5, and what it could not show."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from clearwin.asking import Asked
from clearwin.errors import OptionError, UndefinedError, UnknownNameError
from clearwin.execution import RngLike, Seed, run_jobs, with_progress
from clearwin.judging import MeasureLike, Settings, label_of
from clearwin.measures import find
from clearwin.populations import population
from clearwin.recentring import recentred
from clearwin.significance import AnyQuestion
from clearwin.significance.base import check_probability
from clearwin.study_blocks import REPLICATES, SETS, AskedTest, Category, Job, Phase, Plan, Result, read_test, run_job
from clearwin.study_data import Source, source_of_arrays
from clearwin.study_keep import Keeping, check_header, read_kept
from clearwin.study_record import ConfidenceRow, LeftOut, Study, StudiedTest, StudySignature
from clearwin.study_rows import (
    Outcomes,
    calibration_points,
    coverage_row,
    detectable_row,
    needed_row,
    power_rows,
    size_rows,
    standard_error,
)

PARTS = (8, 4, 2)  # of the test size, at which power is measured by default
MOST_SETS = 1_000_000
SMALLEST_SET = 2


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How to study; the defaults of ``study`` and of the command."""

    tests: Sequence[str] = ("auto",)
    test_size: int | None = None
    n_sets: int = 1_000
    sizes: Sequence[int] | None = None
    alphas: Sequence[float] = (0.1, 0.05, 0.01)
    category_sets: Mapping[str, Any] | None = None
    labels: Any = None
    stratified: bool = False
    n_resamples: int = 999
    confidence_level: float = 0.95
    rng: RngLike = None
    names: tuple[str, str] = ("A", "B")
    keep: str | os.PathLike[str] | None = None
    resume: bool = False
    progress: bool | None = None


def study(
    truth: Any,
    a: Any,
    b: Any,
    *,
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
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] = ("A", "B"),
    keep: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> Study:
    """Take one large labelled set as the truth, draw many test sets from it, and see what a test makes of them.

    Parameters
    ----------
    truth, a, b, measure, positive, groups, strata, labels, separator, threshold, rank_infinite
        The large set, as :func:`compare` takes it.
    tests
        Names that :func:`tests` lists, or "auto"; with a method or an interval after a slash: "mcnemar/exact",
        "bootstrap/bca".
    test_size, n_sets, sizes
        Items of a test set, how many sets are drawn, and the sizes at which power is measured (by default an eighth, a
        quarter and a half of ``test_size``, and itself).
    test_set
        The one test set D_te as (truth, a, b), perhaps with groups and strata after them; otherwise one is drawn.
    alphas
        Levels at which the true size and the power are told.
    category_sets
        {"X": [labels], …}: each is a row of the tables.
    stratified
        Sets keep the shares of the strata, or of the true classes where no strata are given.
    n_resamples, confidence_level, rng, names
        Replicates that a test draws on each set, level of its interval, seed, and what to call the two.
    keep, resume, progress
        A file to keep finished blocks in; whether to go on with those; whether to show a bar.

    Sets are drawn with replacement, as keller2004 section 5 does, so that the large set's own difference is exactly
    what is true of them.

    Examples
    --------
    >>> import clearwin as cw, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 2, 20_000)
    >>> a, b = (np.where(rng.random(truth.size) < wrong, 1 - truth, truth) for wrong in (0.20, 0.17))
    >>> s = cw.study(truth, a, b, measure="accuracy", test_size=400, n_sets=100, rng=7)
    >>> [(row.null, row.value <= 0.12) for row in s.size if row.alpha == 0.05]
    [('swapped', True), ('recentred', True)]
    """
    chosen = find(measure)
    how: dict[str, Any] = {"positive": positive, "separator": separator, "threshold": threshold}
    how |= {"stratified": stratified, "rank_infinite": rank_infinite}
    large = source_of_arrays(truth, a, b, chosen, groups=groups, strata=strata, **how)
    small = None
    if test_set is not None:
        small = _read_test_set(test_set, lambda *columns, **units: source_of_arrays(*columns, chosen, **units, **how))
    asking = Asking(
        tests=tests, test_size=test_size, n_sets=n_sets, sizes=sizes, alphas=alphas, category_sets=category_sets,
        labels=labels, stratified=stratified, n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
        names=names, keep=keep, resume=resume, progress=progress,
    )  # fmt: skip
    return study_sources(large, small, asking)


def _read_test_set(given: Any, read: Callable[..., Source]) -> Source:
    if not isinstance(given, tuple | list) or not 3 <= len(given) <= 5:
        raise OptionError(
            "test_set is not a test set.",
            "three arrays, perhaps with groups and strata after them",
            "test_set=(truth, a, b)",
        )
    truth, a, b, *units = given
    return read(truth, a, b, **dict(zip(("groups", "strata"), units, strict=False)))


def study_sources(large: Source, small: Source | None, asking: Asking) -> Study:
    """Study a large set that was read already, with a test set of its own or without."""
    seed = Seed.of(asking.rng)
    questions = _questions(large, asking, seed)
    test_sets = {} if small is None else _questions(small, asking, seed)
    first = next(iter(questions.values()))
    size = _test_size(asking, first, next(iter(test_sets.values()), None))
    sizes = _sizes(asking, size)
    tests = _tests(asking, first)
    header = _header(asking, questions, test_sets, tests, size, sizes, seed)
    done: dict[str, Result] = {}
    if asking.resume:
        if asking.keep is None:
            raise OptionError("There is no file to resume from.", "the file of finished blocks", "keep=FILE")
        kept, done = read_kept(asking.keep)
        check_header(asking.keep, kept, {**header, "seed": None if asking.rng is None else header["seed"]})
        header, seed = kept, Seed.from_text(kept["seed"])
    categories, left_out = _categories(questions, test_sets, asking.stratified)
    plan = Plan(categories, tests, seed)
    jobs = _jobs(categories, size, sizes, asking.n_sets)
    done |= _work([job for job in jobs if job.key not in done], plan, header, asking, already=len(done))
    return _record(asking, plan, jobs, done, left_out, header, sizes)


def keep_name(large: Source, small: Source | None, asking: Asking) -> str:
    """Return the name of the file to keep blocks in: it goes by the data and the settings, but not by the seed."""
    seed = Seed(0)
    questions = _questions(large, asking, seed)
    test_sets = {} if small is None else _questions(small, asking, seed)
    first = next(iter(questions.values()))
    size = _test_size(asking, first, next(iter(test_sets.values()), None))
    header = _header(asking, questions, test_sets, _tests(asking, first), size, _sizes(asking, size), seed)
    text = json.dumps({**header, "seed": None}, sort_keys=True)
    return f"clearwin-study-{hashlib.sha256(text.encode()).hexdigest()[:8]}.jsonl"


def _questions(source: Source, asking: Asking, seed: Seed) -> dict[str, AnyQuestion]:
    """Ask about every category set."""
    settings = Settings(
        n_resamples=asking.n_resamples, confidence_level=asking.confidence_level, names=asking.names, rng=0
    )
    sets = asking.category_sets
    if sets is None:
        sets = {"all": asking.labels}
    elif asking.labels is not None:
        raise OptionError("labels and category_sets were both given.", "one of them", "leave labels out")
    if not isinstance(sets, Mapping) or not sets:
        raise OptionError(
            f"category_sets is {sets!r}.", "names with their labels", 'category_sets={"X": ["earn", "acq"]}'
        )
    found = {}
    for name, chosen in sets.items():
        asked: Asked = source(chosen)
        *others, _ = settings.for_question()
        found[str(name)] = asked.ask(*others, seed)
    return found


def _test_size(asking: Asking, question: AnyQuestion, test_set: AnyQuestion | None) -> int:
    size = asking.test_size if asking.test_size is not None or test_set is None else test_set.n
    if size is None:
        raise OptionError(
            "It is not said how large a test set is.",
            f"the number of items in one, at most the {question.n:,} that there are",
            f"test_size={max(SMALLEST_SET, question.n // 100)}",
        )
    if not _is_count(size, SMALLEST_SET, question.n):
        raise OptionError(
            f"test_size is {size!r}.",
            f"a whole number from {SMALLEST_SET} to the {question.n:,} items of the large set",
            f"test_size={max(SMALLEST_SET, question.n // 100)}",
        )
    if not _is_count(asking.n_sets, 2, MOST_SETS):
        raise OptionError(f"n_sets is {asking.n_sets!r}.", f"a whole number from 2 to {MOST_SETS:,}", "n_sets=1000")
    return int(size)


def _is_count(value: Any, least: int, most: int) -> bool:
    import numbers

    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and least <= int(value) <= most


def _sizes(asking: Asking, test_size: int) -> tuple[int, ...]:
    if asking.sizes is None:
        parts = {test_size // part for part in PARTS if test_size // part >= SMALLEST_SET}
        return tuple(sorted({*parts, test_size}))
    for size in asking.sizes:
        if not _is_count(size, SMALLEST_SET, 10**9):
            raise OptionError(
                f"sizes has {size!r}.", f"whole numbers of {SMALLEST_SET} or more", "sizes=[500, 1000, 2000]"
            )
    return tuple(sorted({*(int(size) for size in asking.sizes), test_size}))


def _tests(asking: Asking, question: AnyQuestion) -> list[AskedTest]:
    tests = [asking.tests] if isinstance(asking.tests, str) else list(asking.tests)
    if not tests or len(set(tests)) < len(tests):
        raise OptionError(f"tests is {asking.tests!r}.", "names of tests, each once", 'tests=["permutation"]')
    if not asking.alphas:
        raise OptionError("alphas is empty.", "levels between 0 and 1", "alphas=[0.05]")
    for alpha in asking.alphas:
        check_probability("alpha", alpha)
    return [read_test(test, question) for test in tests]


def _header(
    asking: Asking, questions: dict[str, AnyQuestion], test_sets: dict[str, AnyQuestion], tests: list[AskedTest],
    size: int, sizes: tuple[int, ...], seed: Seed,
) -> dict[str, Any]:  # fmt: skip
    """Return what a file of finished blocks begins with."""
    from clearwin import __version__

    data = {name: question.fingerprint for name, question in questions.items()}
    first = next(iter(questions.values()))
    settings = {
        "measure": str(first.measure), "tests": [test.text for test in tests], "test_size": size,
        "n_sets": int(asking.n_sets), "sizes": list(sizes), "stratified": bool(asking.stratified),
        "n_resamples": first.n_resamples, "confidence_level": float(asking.confidence_level),
    }  # fmt: skip
    return {
        "what": "clearwin study", "version": __version__, "settings": settings, "data": data,
        "test_set": {name: question.fingerprint for name, question in test_sets.items()}, "seed": str(seed),
    }  # fmt: skip


def _categories(
    questions: dict[str, AnyQuestion], test_sets: dict[str, AnyQuestion], stratified: bool
) -> tuple[list[Category], tuple[LeftOut, ...]]:
    found, left_out = [], []
    for name, question in questions.items():
        whole = population(question, stratified=stratified)
        try:
            centred = recentred(whole)
        except UndefinedError as error:
            centred = None
            left_out.append(LeftOut(name, "the size under the recentred null", error.what))
        found.append(Category(name, whole, centred, test_sets.get(name)))
    return found, tuple(left_out)


def _jobs(categories: list[Category], size: int, sizes: tuple[int, ...], n_sets: int) -> list[Job]:
    """Return all blocks, in the order in which they are put together."""
    jobs: list[Job] = []
    for i, category in enumerate(categories):
        jobs.append(Job("test set", i, size, 0, 1))
        nulls: list[tuple[Phase, int]] = [("swapped", size)]
        nulls += [("recentred", size)] if category.recentred is not None else []
        for phase, items in [*(("drawn", s) for s in reversed(sizes)), *nulls]:
            blocks = range(0, n_sets, SETS)
            jobs += [
                Job(phase, i, items, number, min(SETS, n_sets - start))  # type: ignore[arg-type]
                for number, start in enumerate(blocks)
            ]
    return jobs


def _work(jobs: list[Job], plan: Plan, header: dict[str, Any], asking: Asking, *, already: int) -> dict[str, Result]:
    """Do what is not done yet, and keep every block as soon as it is finished."""
    arguments = [(job, plan.of_category(job)) for job in jobs]
    finished: Iterable[tuple[int, Result]] = run_jobs(run_job, arguments)
    finished = with_progress(finished, len(jobs) + already, "studying", asking.progress, already=already)
    if asking.keep is None:
        return {jobs[i].key: result for i, result in finished}
    found = {}
    with Keeping(asking.keep, header, append=asking.resume) as keeping:
        for i, result in finished:
            keeping.add(jobs[i].key, result)
            found[jobs[i].key] = result
    return found


def _record(
    asking: Asking, plan: Plan, jobs: list[Job], done: dict[str, Result], left_out: tuple[LeftOut, ...],
    header: dict[str, Any], sizes: tuple[int, ...],
) -> Study:  # fmt: skip
    first = plan.categories[0].whole
    question = first.question
    size = header["settings"]["test_size"]
    found = _outcomes(plan, jobs, done)
    drawn = {key: outcomes for key, outcomes in found.items() if key[0] == "drawn"}
    main = [outcomes for key, outcomes in drawn.items() if key[2] == size]
    nulls = [(key[0], outcomes) for key, outcomes in found.items() if key[0] in ("swapped", "recentred")]
    alphas, level = tuple(float(x) for x in asking.alphas), float(asking.confidence_level)
    by_size = sorted(drawn.values(), key=lambda o: (o.category_set, o.test, o.test_size))
    power = tuple(row for outcomes in by_size for row in power_rows(outcomes, alphas))
    keys = list(dict.fromkeys((row.category_set, row.test, row.alpha) for row in power))
    needed = [[row for row in power if (row.category_set, row.test, row.alpha) == key] for key in keys]
    ran = [_counted([o for o in found.values() if o.test == asked.text]) for asked in plan.tests]
    sampling = question.sampling
    return Study(
        name_a=str(asking.names[0]), name_b=str(asking.names[1]), measure=str(question.measure),
        measure_label=label_of(question.measure), higher_is_better=question.measure.higher_is_better,
        n=question.n, test_size=size, unit="item" if sampling is None else sampling.unit,
        units=first.units_of(size), n_sets=int(asking.n_sets), sizes=sizes, alphas=alphas, confidence_level=level,
        stratified=bool(asking.stratified), own_test_set=plan.categories[0].test_set is not None,
        tests=tuple(StudiedTest(t.text, r[0]) for t, r in zip(plan.tests, ran, strict=True)),
        confidence=tuple(_confidence_row(i, plan, done, main, asking, size) for i in range(len(plan.categories))),
        size=tuple(row for null, o in nulls for row in size_rows(o, null, alphas)),  # type: ignore[arg-type]
        coverage=tuple(coverage_row(o, level) for o in main), power=power,
        detectable=tuple(detectable_row(o, level) for o in by_size), needed=tuple(needed_row(rows) for rows in needed),
        calibration=tuple(point for o in main for point in calibration_points(o)),
        left_out=left_out, refusals=tuple(dict.fromkeys(why for r in ran for why in r[1])),
        signature=StudySignature(
            header["version"], header["seed"], header["settings"], json.dumps([header["data"], header["test_set"]])
        ),
    )  # fmt: skip


def _outcomes(plan: Plan, jobs: list[Job], done: dict[str, Result]) -> dict[tuple[str, int, int, str], Outcomes]:
    """Put the blocks together: what each test found, by phase, category set and size."""
    found: dict[tuple[str, int, int, str], Outcomes] = {}
    for job in jobs:
        if job.phase == "test set":
            continue
        category = plan.categories[job.category]
        measure = category.whole.question.measure
        for asked, columns in zip(plan.tests, done[job.key]["tests"], strict=True):
            key = (job.phase, job.category, job.size, asked.text)
            if key not in found:
                truth = category.whole.difference
                found[key] = Outcomes(category.name, asked.text, job.size, truth, measure.sign, {})
            for name, values in columns.items():
                found[key].columns.setdefault(name, []).extend(values)
    return found


def _counted(outcomes: list[Outcomes]) -> tuple[dict[str, int], list[str]]:
    """Return what ran how often, and why the test refused."""
    ran: dict[str, int] = {}
    for one in outcomes:
        for name in one.columns["ran"]:
            ran[name] = ran.get(name, 0) + 1
    reasons = [name.removeprefix("refused: ") for name in ran if name.startswith("refused: ")]
    return {name: count for name, count in sorted(ran.items()) if not name.startswith("refused: ")}, reasons


def _confidence_row(
    i: int, plan: Plan, done: dict[str, Result], main: list[Outcomes], asking: Asking, size: int
) -> ConfidenceRow:
    """Return the row of Table 3: the one test set beside the sets drawn from the large one."""
    category = plan.categories[i]
    one = done[Job("test set", i, size, 0, 1).key]
    found = next(o for o in main if o.category_set == category.name)
    differences = found["difference"]
    sign = found.sign * (one["difference"] > 0) - found.sign * (one["difference"] < 0)
    wins = int((found.sign * differences * sign > 0).sum())
    units, drawn = category.whole.urn.total, category.whole.units_of(size)
    true_a, true_b = category.whole.question.estimates
    return ConfidenceRow(
        category_set=category.name, test_size=one["n"],
        leader=None if sign == 0 else str(asking.names[1] if sign > 0 else asking.names[0]),
        estimate_a=one["a"], estimate_b=one["b"], difference=one["difference"], confidence=one["confidence"],
        replicates=REPLICATES, true_a=true_a, true_b=true_b, true_difference=found.truth,
        value=wins / found.sets if sign else None, error=standard_error(wins, found.sets) if sign else None,
        ties=int((differences == 0).sum()) / found.sets, sets=found.sets, refused=found.refused,
        overlap=1.0 - (1.0 - 1.0 / units) ** drawn,
    )  # fmt: skip
