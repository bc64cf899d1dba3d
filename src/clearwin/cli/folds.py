"""clearwin folds."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.options import options
from clearwin.cli.reading import names_of


@click.command(cls=Subcommand)
@click.argument("file")
@options("folds")
def folds(
    file: str,
    a: str | None,
    b: str | None,
    id_column: str | None,
    lower_is_better: bool,
    **settings: Any,
) -> None:
    """Compare two learning algorithms by their scores over folds.

    FILE has a row for every fold and a column with the scores of each learner, both on the same folds in the same
    order; repeated cross-validation goes round by round. It is CSV, TSV, Parquet, JSON or JSONL, by its ending; - is
    standard input.
    """
    from clearwin.analyses.folds import compare_folds
    from clearwin.data.files.predictions import scores_file

    how = wanted(settings, reads=(file,))
    if how.margin is not None:
        settings["margin"] = how.margin  # of the posterior, too
    found = scores_file(file, {"a": a, "b": b}, id_column=id_column)
    result = compare_folds(*found.scores, names=names_of(found.names), higher_is_better=not lower_is_better, **settings)
    show(result, how)
