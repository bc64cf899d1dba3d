"""clearwin rank."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from clearwin.cli.command import (
    Subcommand,
    device_option,
    draw_settings,
    id_option,
    margin_option,
    measure_settings,
    missing_option,
    output,
    score_settings,
    show,
    truth_option,
    wanted,
)
from clearwin.cli.logs import ask_logs, log_settings, refuse_log_settings, runs_of
from clearwin.cli.typed import as_taken, data_of


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@truth_option
@click.option(
    "--models",
    metavar="NAMES",
    help="Columns with the models' answers: svm,rbf,tree, or patterns: bert*. By default all columns with answers.",
)
@id_option
@measure_settings
@click.option(
    "--baseline", metavar="NAME", help="Compare every model with this one; by default all pairs are compared."
)
@click.option(
    "--correction",
    metavar="NAME",
    help="Correction for many tests: holm (default up to 50 pairs), max-t (default beyond) or benjamini-hochberg.",
)
@click.option(
    "--groups",
    "groups",
    metavar="COLUMN",
    help="Column with the group of each item (author, passage, repeated run); groups are drawn whole.",
)
@click.option(
    "--strata",
    metavar="COLUMN",
    help="Column of strata, whose sizes every replicate keeps. Name the truth to stratify by class.",
)
@missing_option
@draw_settings
@device_option
@score_settings
@log_settings
@margin_option
@output
def rank(
    files: tuple[str, ...],
    truth: str | None,
    models: str | None,
    id_column: str | None,
    groups: str | None,
    strata: str | None,
    **settings: Any,
) -> None:
    """Rank many models: which of them are really ahead?

    FILE... is one file with a column for the truth and one for each model; or a file with the truth and one for each
    model, joined by --id. A measure of values, such as mean, needs no truth. Files are CSV, TSV, Parquet, JSON or
    JSONL, by their endings. FILE... may also be evaluation logs, one path for each system or a folder of them.
    """
    from clearwin.analyses.rank import rank as rank_data

    how = wanted(settings, reads=files)
    columns = {"truth": truth, "models": models, "groups": groups, "strata": strata}
    runs = runs_of(files, {**columns, "id_column": id_column, **settings})
    if runs is not None:
        show(ask_logs(rank_data, runs), how=how)
        return
    refuse_log_settings(files, settings)
    given = as_taken(rank_data, {**columns, "id": id_column, **settings})
    if click.get_current_context().get_parameter_source("n_resamples") is ParameterSource.DEFAULT:
        given.pop("n_resamples", None)  # as many as the number of tests asks for
    with data_of(files, given) as data:
        given.pop("id", None)
        show(rank_data(data=data, **given), how=how)
