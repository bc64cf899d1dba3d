"""clearwin datasets."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.options import options
from clearwin.errors import OptionError
from clearwin.text import listed


@click.command(cls=Subcommand)
@click.argument("file")
@options("datasets")
def datasets(
    file: str,
    models: str | None,
    name_column: str | None,
    long: str | None,
    lower_is_better: bool,
    margin: float,
    **settings: Any,
) -> None:
    """Compare models over many data sets.

    The tests are Friedman's, Nemenyi's, Wilcoxon's and the Bayesian signed-rank test.

    FILE has one row for each data set and one column for each model's scores, or with --long one row for each score. It
    is CSV, TSV, Parquet, JSON or JSONL, by its ending; - is standard input.
    """
    from clearwin.analyses.data_sets import rank_data_sets
    from clearwin.data.score_tables import read_scores_file

    how = wanted(settings, reads=(file,))
    chosen = None if models is None else listed(models)
    if long is not None and (chosen or name_column):
        raise OptionError("--long names all columns.", "neither --models nor --name with it", f"--long {long}")
    table = read_scores_file(file, chosen, name_column, long)
    result = rank_data_sets(table, higher_is_better=not lower_is_better, margin=margin, **settings)
    show(result, how=how)
