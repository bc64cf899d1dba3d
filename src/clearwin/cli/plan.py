"""clearwin plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import (
    LEVEL_HELP,
    Subcommand,
    a_option,
    claimed_margin_option,
    id_option,
    measure_settings,
    missing_option,
    names_option,
    options,
    output,
    score_settings,
    seed_option,
    show,
    truth_option,
    unit_settings,
    wanted,
)
from clearwin.cli.logs import ask_logs, log_settings, refuse_log_settings, runs_of
from clearwin.cli.typed import as_taken, data_of
from clearwin.errors import OptionError

if TYPE_CHECKING:
    from clearwin.results.plan import Plan

RATES = {
    "disagreement": "Share of items on which exactly one model is right.",
    "accuracy_a": "A's accuracy, to check the disagreement.",
    "prevalence": "Share of positive items.",
    "recall_a": "A's recall.",
    "false_positive_rate_a": "A's false positive rate.",
    "auc_a": "A's AUC.",
    "correlation": "Correlation of the models' scores among items of one class.",
    "deviation": "Standard deviation of B's values minus A's.",
}
goal = options(
    click.option("--difference", type=float, metavar="D", help="The difference worth finding: how much better B is."),
    click.option(
        "--items", type=int, metavar="N", help="The number of items that you have, to see what they can show."
    ),
    click.option("--power", type=float, metavar="P", help="How often it should be shown; 0.8 by default."),
    click.option(
        "--claim",
        default="different",
        metavar="CLAIM",
        help="What you want to show about B: different, better or worse; with --margin not_worse or equivalent.",
    ),
    claimed_margin_option,
    click.option(
        "--design-effect",
        type=float,
        metavar="X",
        help="Variance relative to independent items. Twice the variance takes twice the items.",
    ),
)
rates = options(
    *(click.option(f"--{name.replace('_', '-')}", type=float, metavar="X", help=text) for name, text in RATES.items())
)


@click.command(cls=Subcommand)
@click.option(
    "--pilot",
    "files",
    multiple=True,
    metavar="FILE",
    help="Answers of two models on some items, as for compare; several files, joined by --id, one after the other.",
)
@truth_option
@a_option
@click.option("--b", "b", metavar="COLUMN", help="Column with B's decisions, scores or values; B is the challenger.")
@names_option
@id_option
@measure_settings
@goal
@rates
@unit_settings
@missing_option
@click.option(
    "--threshold", metavar="T[,T]", help="Turn scores into decisions: one threshold, one for each model, or best."
)
@score_settings
@log_settings
@click.option("--confidence-level", type=float, default=0.95, help=LEVEL_HELP)
@click.option("--n-resamples", type=int, default=4_000, help="Test sets to draw at each size.")
@seed_option
@output
def plan(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id_column: str | None, **settings: Any
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
    runs = runs_of(files, {"truth": truth, "a": a, "b": b, "id_column": id_column, **settings}) if files else None
    if runs is not None:
        from clearwin.analyses.plan import plan as plan_arrays

        show(ask_logs(plan_arrays, runs), how)
        return
    refuse_log_settings(files, settings)
    show(planned(files, truth, a, b, id_column, **settings), how)


def planned(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id_column: str | None, **settings: Any
) -> Plan:
    """Plan by the columns of pilot files, or by assumed rates where there are none."""
    from clearwin.analyses.plan import plan as plan_data

    columns = {"truth": truth, "a": a, "b": b, "id": id_column}
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
