"""The record of a study, assembled from its finished blocks, and its caveats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clearwin.data.questions import Question
from clearwin.measures.base import label_of
from clearwin.resampling.on_device import settings_of
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.study import (
    ConfidenceRow,
    CoverageRow,
    NotStudied,
    PowerRow,
    SizeRow,
    StudiedTest,
    Study,
    StudySignature,
)
from clearwin.significance import caveats
from clearwin.significance.base import smallest_by_coins
from clearwin.simulation.blocks import REPLICATES, JobResult, StudyBlock, StudySetup
from clearwin.simulation.plan import StudyOptions
from clearwin.simulation.rates import (
    NEVER_ABOVE,
    Outcomes,
    calibration_points,
    coverage_row,
    detectable_row,
    needed_row,
    power_rows,
    size_rows,
    standard_error,
)

NULLS = ("swapped", "recentred")
Key = tuple[str, int, int, str]  # phase, category set, size, test


def record_of(
    asking: StudyOptions,
    plan: StudySetup,
    jobs: list[StudyBlock],
    done: dict[str, JobResult],
    left_out: tuple[NotStudied, ...],
    header: dict[str, Any],
) -> Study:
    """Return what the blocks add up to."""
    first = plan.categories[0].whole
    question = first.question
    size = header["settings"]["test_size"]
    all_outcomes = _outcomes(plan, jobs, done)
    drawn = {key: outcomes for key, outcomes in all_outcomes.items() if key[0] == "drawn"}
    main = [outcomes for key, outcomes in drawn.items() if key[2] == size]
    nulls: list[tuple[Any, Outcomes]] = [
        (key[0], outcomes) for key, outcomes in all_outcomes.items() if key[0] in ("swapped", "recentred")
    ]
    alphas, level = tuple(float(x) for x in asking.alphas), float(asking.confidence_level)
    names, tests = [c.name for c in plan.categories], [t.text for t in plan.tests]
    by_size = sorted(drawn.values(), key=lambda o: (names.index(o.category_set), tests.index(o.test), o.test_size))
    power = tuple(row for outcomes in by_size if outcomes.has_something_to_find for row in power_rows(outcomes, alphas))
    keys = list(dict.fromkeys((row.category_set, row.test, row.alpha) for row in power))
    needed = [[row for row in power if (row.category_set, row.test, row.alpha) == key] for key in keys]
    ran = [_counted(all_outcomes, test.text, size) for test in plan.tests]
    exact = {test.text: _keeps_its_level(rates) for test, (rates, _) in zip(plan.tests, ran, strict=True)}
    sampling = question.sampling
    study = Study(
        name_a=str(asking.names[0]),
        name_b=str(asking.names[1]),
        measure=str(question.measure),
        measure_label=label_of(question.measure),
        higher_is_better=question.measure.higher_is_better,
        n=question.n,
        test_size=size,
        unit="item" if sampling is None else sampling.unit,
        units=first.units_of(size),
        items_per_unit=first.items_per_unit,
        n_sets=int(asking.n_sets),
        alphas=alphas,
        confidence_level=level,
        sizes=tuple(header["settings"]["sizes"]),
        stratified=bool(asking.stratified),
        claim=asking.claim,
        own_test_set=plan.categories[0].test_set is not None,
        tests=tuple(StudiedTest(t.text, r[0]) for t, r in zip(plan.tests, ran, strict=True)),
        confidence=tuple(_confidence_row(i, plan, done, main, asking, size) for i in range(len(plan.categories))),
        size=tuple(row for null, o in nulls for row in size_rows(o, null, alphas, exact=exact[o.test])),
        coverage=tuple(coverage_row(o, level) for o in main),
        power=power,
        detectable=tuple(detectable_row(o, level) for o in main),
        needed=tuple(needed_row(rows) for rows in needed),
        calibration=tuple(point for o in main for point in calibration_points(o)),
        left_out=left_out + _refused_test_sets(plan, done, size),
        refusals=tuple(dict.fromkeys(why for r in ran for why in r[1])),
        options=_options(asking, question),
        signature=StudySignature(
            header["version"], header["seed"], header["settings"], header["data"], header["test_set"], header["streams"]
        ),
    )
    levels = caveats.chance_levels(question.sample)
    probabilities = question.measure.takes == "losses"
    first_of_all = caveats.against_chance(levels, (study.name_a, study.name_b), probabilities=probabilities)
    return replace(study, caveats=first_of_all + caveats_of(study, asking.test_size))


def _options(asking: StudyOptions, question: Question[Any]) -> dict[str, Any]:
    """Return how the data were read, as a call takes it; for groups and strata only whether there were some."""
    given = {**asking.reading, "labels": asking.labels, "category_sets": asking.category_sets, **settings_of(asking)}
    given["lower_is_positive"] = given.get("lower_is_positive") or None
    options = {name: plain_option(value) for name, value in given.items() if value is not None and value is not False}
    return options | {"strata": question.sampling is not None and bool(question.sampling.strata)}


def plain_option(value: Any) -> Any:
    """Return a setting as JSON can carry it."""
    if isinstance(value, Mapping):
        return {str(name): plain_option(part) for name, part in value.items()}
    if not isinstance(value, str) and np.ndim(value) > 0:
        return [plain_option(part) for part in value]
    value = value.item() if isinstance(value, np.generic | np.ndarray) else value
    return value if isinstance(value, str | int | float) else str(value)


def _outcomes(plan: StudySetup, jobs: list[StudyBlock], done: dict[str, JobResult]) -> dict[Key, Outcomes]:
    """Put the blocks together: what each test found, by phase, category set and size."""
    outcomes: dict[Key, Outcomes] = {}
    for job in jobs:
        if job.phase == "test set":
            continue
        category = plan.categories[job.category]
        measure, side = category.whole.question.measure, category.whole.question.coverage.side
        for test, columns in zip(plan.tests, done[job.key]["tests"], strict=True):
            key = (job.phase, job.category, job.size, test.text)
            if key not in outcomes:
                truth = category.whole.difference
                low, high = measure.bounds
                outcomes[key] = Outcomes(category.name, test.text, job.size, truth, measure.sign, high - low, {}, side)
            for name, values in columns.items():
                outcomes[key].columns.setdefault(name, []).extend(values)
    return outcomes


def _counted(all_outcomes: dict[Key, Outcomes], test: str, size: int) -> tuple[dict[str, int], list[str]]:
    """Return what ran how often on sets of the test size, and why the test refused on any set."""
    ran: dict[str, int] = {}
    reasons: dict[str, None] = {}
    for (phase, _, items, name), outcomes in all_outcomes.items():
        for what in outcomes.columns["ran"] if name == test else ():
            if what.startswith("refused: "):
                reasons[what.removeprefix("refused: ")] = None
            elif (phase, items) == ("drawn", size):
                ran[what] = ran.get(what, 0) + 1
    return dict(sorted(ran.items())), list(reasons)


def _keeps_its_level(ran: dict[str, int]) -> bool:
    """Return whether every test that ran keeps its level by construction where the models are exchangeable."""
    return bool(ran) and all(what.split("/")[1] in NEVER_ABOVE for what in ran)


def _refused_test_sets(plan: StudySetup, done: dict[str, JobResult], size: int) -> tuple[NotStudied, ...]:
    """Return the caveat that the measure is undefined on the one test set that was drawn."""
    reasons = [done[StudyBlock("test set", i, size, 0, 1).key]["refused"] for i in range(len(plan.categories))]
    refused = zip(plan.categories, reasons, strict=True)
    what = "the confidence on one drawn test set"
    return tuple(NotStudied(category.name, what, why.rstrip(".")) for category, why in refused if why is not None)


def _confidence_row(
    i: int, plan: StudySetup, done: dict[str, JobResult], main: list[Outcomes], asking: StudyOptions, size: int
) -> ConfidenceRow:
    """Return the row of Table 3: the one test set beside the sets drawn from the large one."""
    category = plan.categories[i]
    answer = done[StudyBlock("test set", i, size, 0, 1).key]
    outcomes = next(o for o in main if o.category_set == category.name)
    differences = outcomes["difference"]
    lead = answer["difference"] or 0.0
    sign = outcomes.sign * ((lead > 0) - (lead < 0))
    wins = int((outcomes.sign * differences * sign > 0).sum())
    units, drawn = category.whole.urn.total, category.whole.units_of(size)
    true_a, true_b = category.whole.question.estimates
    return ConfidenceRow(
        category_set=category.name,
        test_size=answer["n"],
        leader=None if sign == 0 else str(asking.names[1] if sign > 0 else asking.names[0]),
        estimate_a=answer["a"],
        estimate_b=answer["b"],
        difference=answer["difference"],
        confidence=answer["confidence"],
        replicates=REPLICATES,
        true_a=true_a,
        true_b=true_b,
        true_difference=outcomes.truth,
        value=wins / outcomes.sets if sign else None,
        error=standard_error(wins, outcomes.sets) if sign else None,
        ties=int((differences == 0).sum()) / outcomes.sets,
        sets=outcomes.sets,
        refused=outcomes.refused,
        overlap=1.0 - (1.0 - 1.0 / units) ** drawn,
    )


# with this many sets or more a test that errs twice as often as it says at 0.05 is caught at least four times in five:
# of 700 sets 63 are the fewest beyond the tolerated 6 % (P(X ≥ 63) < 0.00135 for Bin(700, 0.06)), and P(X ≥ 63) = 0.83
# for Bin(700, 0.1); that is 0.80 or more from 682 sets on, but 0.20 for 200
FEW_SETS = 700
FAR_OFF = 0.8  # ratio of a set's real size to the one asked for, either way
BY_DRAWING = ("permutation/monte_carlo", "bootstrap/multinomial")  # p is never below one in B + 1
TWICE = "bootstrap/multinomial"  # unless both sides count: the smaller tail is doubled


def caveats_of(study: Study, asked_size: int | None) -> tuple[Caveat, ...]:
    """Return the caveats of an assembled study."""
    caveats = (*_left_out(study), *_refused(study), *_few_sets(study), *_whole_groups(study, asked_size))
    return (*caveats, *_beyond_the_data(study), *_blind(study))


def _left_out(study: Study) -> Iterator[Caveat]:
    several = len(study.confidence) > 1
    for gone in study.left_out:
        category_set = gone.category_set if several else None
        yield caveat("left_out", "study", category_set=category_set, what=gone.what, why=gone.why)


def _refused(study: Study) -> Iterator[Caveat]:
    if study.refusals:
        tables: list[Sequence[CoverageRow | SizeRow | PowerRow]] = [study.coverage, study.size, study.power]
        most = max(row.refused for rows in tables for row in rows)
        yield caveat("refused_sets", most=most, n_sets=study.n_sets, reasons=list(study.refusals))


def _few_sets(study: Study) -> Iterator[Caveat]:
    if study.n_sets < FEW_SETS:
        yield caveat("few_sets", n_sets=study.n_sets)


def _whole_groups(study: Study, asked_size: int | None) -> Iterator[Caveat]:
    if study.unit != "group" or asked_size is None or FAR_OFF <= asked_size / study.test_size <= 1 / FAR_OFF:
        return
    sizes = {"items_per_unit": study.items_per_unit, "units": study.units, "size": study.test_size}
    yield caveat("whole_groups", asked=asked_size, **sizes)


def _beyond_the_data(study: Study) -> Iterator[Caveat]:
    beyond = [f"{size:,}" for size in study.sizes if size > study.n]
    if beyond:
        yield caveat("beyond_the_data", sizes=beyond, n=study.n)


def _blind(study: Study) -> Iterator[Caveat]:
    """Say at which levels nothing can be found, once per reason."""
    reasons: dict[tuple[str, float], list[str]] = {}
    for test in study.tests:
        p, why = smallest_p(study, test.name)
        if any(p > alpha for alpha in study.alphas):
            reasons.setdefault((why, p), []).append(test.name)
    for (why, p), tests in reasons.items():
        levels = ", ".join(f"{alpha:g}" for alpha in study.alphas if p > alpha)
        what = "replicates" if why.endswith("replicates") else f"{study.unit}s"
        yield caveat("level_out_of_reach", what=what, why=why, tests=tests, smallest=p, levels=levels)


def smallest_p(study: Study, test: str) -> tuple[float, str]:
    """Return the smallest p-value that the test can give on sets of the test size, and what limits it.

    It is the smallest over all tests that ran; 0 if one of them has no limit, or nothing ran.
    """
    ran = next(studied.ran for studied in study.tests if studied.name == test)
    return min((_smallest(study, what) for what in ran), default=(0.0, ""))


def _smallest(study: Study, ran: str) -> tuple[float, str]:
    units = f"{study.units:,} {study.unit}{'s' * (study.units != 1)} in a set"
    coins = smallest_by_coins(ran, study.units, study.claim)
    replicates = study.signature.settings["n_resamples"]
    tails = 2.0 if ran == TWICE and study.claim == "different" else 1.0
    drawn = min(1.0, tails / (replicates + 1)) if ran in BY_DRAWING else 0.0
    return (coins, units) if coins >= drawn else (drawn, f"{replicates:,} replicates")
