"""Table 3 of keller2004: the bootstrap's confidence on D_te beside how often that model wins on sets from D_true."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.asking import ask_arrays
from clearwin.compare import compare
from clearwin.execution import Seed
from clearwin.judging import Settings
from clearwin.measures import Measure
from clearwin.reproduce.record import Decisions, TableRow

Floats = NDArray[np.float64]
DRAWING = 43  # the stream of the seed that draws test sets from D_true


@dataclass(frozen=True, eq=False)
class Table3:
    """The rows, the replicates on D_te of each set, the overlaps of the sub-samples and, if asked for, the studies."""

    rows: tuple[TableRow, ...]
    replicates: dict[str, Floats]
    overlap: dict[str, float]
    studies: dict[str, Any] = field(default_factory=dict)


def table_3(
    test: Decisions, true: Decisions, sets: dict[str, tuple[str, ...]], *, measure: Measure, n_resamples: int,
    n_sets: int, seed: Seed,
) -> Table3:  # fmt: skip
    """Compute a row for each category set; the columns of the decisions are the sets' categories in their order."""
    rows, replicates = [], {}
    first = 0
    for number, (name, categories) in enumerate(sets.items()):
        here = slice(first, first + len(categories))
        first += len(categories)
        found = compare(
            test.truth[:, here], test.a[:, here], test.b[:, here], measure=measure, test="bootstrap",
            n_resamples=n_resamples, rng=seed.stream(DRAWING, 2 * number),
        )  # fmt: skip
        true_a, true_b, drawn = _on_true(true, here, measure, len(test.truth), n_sets, seed, 2 * number + 1)
        assert found.distribution is not None
        replicates[name] = found.distribution.values
        sign = 1.0 if measure.higher_is_better else -1.0
        wins = {"b": float(np.mean(sign * replicates[name] > 0)), "a": float(np.mean(sign * replicates[name] < 0))}
        leader = None if wins["a"] == wins["b"] else max(wins, key=lambda role: wins[role])
        won = float(np.mean(sign * drawn > 0 if leader == "b" else sign * drawn < 0))
        confidence = max(wins.values())
        rows.append(TableRow(name, leader, confidence, won, found.estimate_a, found.estimate_b, true_a, true_b))
    return Table3(tuple(rows), replicates, {})


def _on_true(
    true: Decisions, here: slice, measure: Measure, size: int, n_sets: int, seed: Seed, number: int
) -> tuple[float, float, Floats]:
    """Return A's and B's values on D_true, and the differences on test sets drawn from it with replacement."""
    asked = ask_arrays(true.truth[:, here], true.a[:, here], true.b[:, here], measure, None, None, None, None, None)
    question: Any = asked.ask(*Settings(rng=0).for_question())
    rows, n_features = question.table.rows, question.table.n_features
    stream = seed.stream(DRAWING, number)
    totals = np.zeros((n_features, n_sets), dtype=np.int64)
    for i in range(n_sets):
        times = stream.multinomial(size, rows.times / rows.times.sum())
        np.add.at(totals[:, i], rows.features, rows.values * times[rows.row_of_entry])
    a, b, _ = question.evaluate(totals)
    return *question.estimates, np.asarray(b - a)
