"""Table 3 of keller2004: the bootstrap's confidence on D_te beside how often that model wins on sets from D_true.

The draws are those of :func:`clearwin.study`, which shows more and takes longer. The same seed gives the same table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearwin.analyses.compare import answer
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Read, Reading, read_sample
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats
from clearwin.results.comparison import Comparison
from clearwin.results.keller2004 import NAMES, Decisions
from clearwin.results.study import ConfidenceRow, Study
from clearwin.simulation.blocks import PHASES, SETS, StudyBlock, StudySetup, set_stream, test_seed
from clearwin.simulation.populations import Population, population
from clearwin.simulation.rates import standard_error
from clearwin.simulation.study import study
from clearwin.streams import Seed


def table_3(
    test: Decisions,
    true: Decisions,
    sets: dict[str, tuple[str, ...]],
    *,
    measure: Measure,
    n_resamples: int = 10_000,
    n_sets: int = 1_000,
    seed: Seed,
) -> tuple[tuple[ConfidenceRow, ...], dict[str, Floats]]:
    """Return a row for each category set, and the bootstrap replicates of the difference on D_te.

    The columns of the decisions are the sets' categories, one after the other.
    """
    rows, replicates = [], {}
    for number, (name, here) in enumerate(columns_of(sets).items()):
        block = StudyBlock("test set", number, len(test.truth), 0, 1)
        plan = StudySetup((), (), seed)
        drawn_by = test_seed(plan, PHASES.index("test set"), block, 0)
        options = Options(test="bootstrap", n_resamples=n_resamples, names=NAMES, seed=drawn_by)
        comparison = answer(_read(test.columns(here), measure), options)
        assert comparison.distribution is not None
        replicates[name] = comparison.distribution.values
        whole = population(Question(*_read(true.columns(here), measure)), stratified=False)
        rows.append(_row(name, comparison, whole, _differences(whole, plan, number, comparison.n, n_sets)))
    return tuple(rows), replicates


def _read(columns: tuple[Any, Any, Any], measure: Measure) -> Read:
    truth, a, b = columns
    return read_sample(truth, {"a": a, "b": b}, measure, Reading())


def columns_of(sets: dict[str, tuple[str, ...]]) -> dict[str, list[int]]:
    """Return the columns of each set where all categories stand one after the other.

    >>> columns_of({"X": ("earn", "acq"), "Y": ("grain", "corn")})
    {'X': [0, 1], 'Y': [2, 3]}
    """
    ends = np.cumsum([len(categories) for categories in sets.values()]).tolist()
    return {
        name: list(range(end - len(categories), end))
        for (name, categories), end in zip(sets.items(), ends, strict=True)
    }


def _differences(whole: Population, plan: StudySetup, category: int, size: int, n_sets: int) -> Floats:
    """Return the differences B − A on ``n_sets`` test sets of this size, drawn from D_true with replacement."""
    differences = []
    for number, start in enumerate(range(0, n_sets, SETS)):
        stream = set_stream(plan, StudyBlock("drawn", category, size, number, SETS))
        for _ in range(min(SETS, n_sets - start)):
            differences.append(whole.ask(*whole.urn.draw(stream, size), plan.seed).difference)
    return np.array(differences)


def _row(name: str, test: Comparison, whole: Population, drawn: Floats) -> ConfidenceRow:
    """Put the two columns together; the leader is the model that is better on D_te."""
    assert test.distribution is not None
    side = np.sign(test.difference)
    wins = int((np.sign(drawn) == side).sum())
    b_leads = side == (1.0 if test.higher_is_better else -1.0)
    true_a, true_b = whole.question.estimates
    return ConfidenceRow(
        category_set=name,
        test_size=test.n,
        leader=None if side == 0.0 else NAMES[int(b_leads)],
        estimate_a=test.estimate_a,
        estimate_b=test.estimate_b,
        difference=test.difference,
        confidence=float((np.sign(test.distribution.values) == side).mean()) if side else None,
        replicates=test.distribution.values.size,
        true_a=true_a,
        true_b=true_b,
        true_difference=true_b - true_a,
        value=wins / drawn.size if side else None,
        error=standard_error(wins, drawn.size) if side else None,
        ties=float((drawn == 0.0).mean()),
        sets=drawn.size,
        refused=0,
        overlap=1.0 - (1.0 - 1.0 / whole.urn.total) ** test.n,
    )


def beyond_table_3(
    test: Decisions,
    true: Decisions,
    sets: dict[str, tuple[str, ...]],
    *,
    measure: Measure,
    n_sets: int,
    seed: Seed,
    progress: bool | None,
) -> Study:
    """Study the bootstrap test on sets of D_te's size from D_true: its size, coverage, power and calibration."""
    everything = slice(None)
    return study(
        *true.columns(everything),
        measure=measure,
        tests=("bootstrap",),
        test_set=test.columns(everything),
        sizes=(len(test.truth),),
        n_sets=n_sets,
        category_sets=columns_of(sets),
        names=NAMES,
        progress=progress,
        rng=np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key),
    )
