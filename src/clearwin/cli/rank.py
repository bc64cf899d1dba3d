"""clearwin rank."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.logs import ask_logs, refuse_log_settings, runs_of
from clearwin.cli.options import options
from clearwin.cli.typed import as_taken, data_of


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("rank")
def rank(
    files: tuple[str, ...],
    truth: str | None,
    models: str | None,
    id: str | None,
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
    runs = runs_of(files, {**columns, "id": id, **settings})
    if runs is not None:
        show(ask_logs(rank_data, runs), how=how)
        return
    refuse_log_settings(files, settings)
    given = as_taken(rank_data, {**columns, "id": id, **settings})
    if click.get_current_context().get_parameter_source("n_resamples") is ParameterSource.DEFAULT:
        given.pop("n_resamples", None)  # as many as the number of tests asks for
    with data_of(files, given) as data:
        given.pop("id", None)
        show(rank_data(data=data, **given), how=how)
