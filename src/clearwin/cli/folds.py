"""clearwin folds."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.options import options


@click.command(cls=Subcommand)
@click.argument("file")
@options("folds")
def folds(
    file: str,
    a: str | None,
    b: str | None,
    id: str | None,
    lower_is_better: bool,
    **settings: Any,
) -> None:
    """Compare two learning algorithms by their scores over folds.

    FILE has a row for every fold and a column with the scores of each learner, both on the same folds in the same
    order; repeated cross-validation goes round by round. It is CSV, TSV, Parquet, JSON or JSONL, by its ending; - is
    standard input.
    """
    from clearwin.analyses.folds import compare_folds
    from clearwin.data.reading import Reading
    from clearwin.reading.opening import opened

    how = wanted(settings, reads=(file,))
    if how.margin is not None:
        settings["margin"] = how.margin  # of the posterior, too
    columns = {"a": a, "b": b}
    with opened(file, id) as table:
        scores, names = table.fetched(columns, Reading()), table.names(None, columns, Reading())
    both, two = (scores["a"], scores["b"]), (names[0], names[-1])
    result = compare_folds(*both, names=two, higher_is_better=not lower_is_better, **settings)
    show(result, how)
