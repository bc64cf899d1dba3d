"""clearwin plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.logs import ask_logs, refuse_log_settings, runs_of
from clearwin.cli.options import options
from clearwin.cli.typed import as_taken, data_of
from clearwin.errors import OptionError

if TYPE_CHECKING:
    from clearwin.results.plan import Plan


@click.command(cls=Subcommand)
@options("plan")
def plan(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id: str | None, **settings: Any
) -> None:
    """Plan how many items a test set needs.

    Or see how often a number of items shows a difference, or which difference they can show.

    Give two of --difference, --items and --power. A pilot shows how much test sets vary, never what the difference is.
    Without one, give assumed rates: --disagreement for accuracy, with --prevalence, --recall-a and
    --false-positive-rate-a for other measures of two classes, --auc-a, --prevalence and --correlation for measures of
    scores, --deviation for a mean.
    """
    margin = settings.pop("margin")  # part of the claim, because a plan has no interval to compare with it
    how = wanted(settings, reads=files)
    settings["margin"] = margin
    runs = runs_of(files, {"truth": truth, "a": a, "b": b, "id": id, **settings}) if files else None
    if runs is not None:
        from clearwin.analyses.plan import plan as plan_arrays

        show(ask_logs(plan_arrays, runs), how)
        return
    refuse_log_settings(files, settings)
    show(planned(files, truth, a, b, id, **settings), how)


def planned(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id: str | None, **settings: Any
) -> Plan:
    """Plan by the columns of pilot files, or by assumed rates where there are none."""
    from clearwin.analyses.plan import plan as plan_data

    columns = {"truth": truth, "a": a, "b": b, "id": id}
    if not files:
        for name, value in {**columns, "groups": settings["groups"] or None}.items():
            if value is not None:
                raise OptionError(
                    f"--{name} was given without --pilot.", "a file with that column", "--pilot preds.csv"
                )
        return plan_data(**as_taken(plan_data, settings))
    given = as_taken(plan_data, {**columns, **settings})
    with data_of(files, given) as data:
        given.pop("id", None)
        return plan_data(data=data, **given)
