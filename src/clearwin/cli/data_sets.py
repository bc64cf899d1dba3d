"""clearwin datasets."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import LEVEL_HELP, Subcommand, output_to, seed_option, show, wanted
from clearwin.errors import OptionError
from clearwin.text import listed


@click.command(cls=Subcommand)
@click.argument("file")
@click.option("--models", metavar="COLUMNS", help="Columns with the models' scores: nbc,aode; by default all others.")
@click.option(
    "--name",
    "name_column",
    metavar="COLUMN",
    help="Column with the names of the data sets; by default the only one without numbers.",
)
@click.option(
    "--long",
    metavar="COLUMNS",
    help="Columns of data set, model and score, for a table with one row for each score: task,model,accuracy.",
)
@click.option("--lower-is-better", is_flag=True, help="The scores are losses or error rates.")
@click.option("--baseline", metavar="COLUMN", help="Compare each model with this one; by default all pairs.")
@click.option("--correction", default="holm", metavar="NAME", help="holm or benjamini-hochberg.")
@click.option(
    "--margin",
    type=float,
    default=0.01,
    help="Scores that differ by at most this are practically equivalent.",
)
@click.option("--confidence-level", type=float, default=0.95, help=LEVEL_HELP)
@click.option("--n-resamples", type=int, default=50_000, help="Draws from the posterior.")
@seed_option
@output_to("Draw the critical-difference diagram")
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
