"""clearwin curve."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import (
    Subcommand,
    id_option,
    missing_option,
    output,
    score_settings,
    seed_option,
    show,
    truth_option,
    wanted,
)
from clearwin.cli.typed import as_taken, data_of
from clearwin.text import listed


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@truth_option
@click.option("--a", "a", metavar="COLUMN", help="Column with the scores of A, the reference.")
@click.option("--b", "b", metavar="COLUMN", help="Column with the scores of B, the challenger, if there is one.")
@click.option(
    "--models", metavar="NAMES", help="Columns with the scores of many models: svm,rbf,tree, or patterns: bert*."
)
@id_option
@click.option("--roc", is_flag=True, help="Recall against the false positive rate; this is the default.")
@click.option("--det", is_flag=True, help="Both error rates, on axes of normal deviates.")
@click.option("--pr", is_flag=True, help="Precision against recall.")
@click.option("--positive", metavar="LABEL", help="The positive class; inferred only for 0/1, False/True, -1/1.")
@missing_option
@score_settings
@click.option("--cost-fn", type=float, default=1.0, help="Cost of a false negative.")
@click.option("--cost-fp", type=float, default=1.0, help="Cost of a false positive.")
@click.option("--prior", type=float, help="Share of positives to expect; by default that in the file.")
@click.option("--bands", is_flag=True, help="Draw confidence bands, by the bootstrap.")
@click.option("--confidence-level", type=float, default=0.95, help="Level of the bands.")
@click.option("--n-resamples", type=int, default=1000, help="Replicates to draw for the bands.")
@seed_option
@output
def curve(
    files: tuple[str, ...],
    truth: str | None,
    a: str | None,
    b: str | None,
    models: str | None,
    id_column: str | None,
    roc: bool,
    det: bool,
    pr: bool,
    **settings: Any,
) -> None:
    """Draw ROC, DET or precision-recall curves of one or more models.

    FILE... is one file with all columns, or separate files for truth, A and perhaps B, joined by --id. The key points
    are printed.
    """
    from clearwin.analyses.curve import curve as curve_of_data
    from clearwin.errors import OptionError

    kind = _kind_of_curve({"roc": roc, "det": det, "pr": pr})
    how = wanted(settings, reads=files)
    if models is not None and (a is not None or b is not None or len(files) != 1):
        raise OptionError("--models was given with --a, --b or several files.", "one file, and --models alone")
    if len(files) > 1 and (not id_column or len(files) > 3 or (b is not None and len(files) == 2)):
        raise OptionError(
            f"{len(files)} files were given" + ("" if id_column else " without --id") + ".",
            "one file with all columns, or a file each for truth, A and perhaps B and the column that joins them",
            "clearwin curve gold.csv a.csv b.csv --id doc",
        )
    columns = {"truth": truth, "a": a if models is None else listed(models), "b": b, "id": id_column}
    given = as_taken(curve_of_data, {**columns, "kind": kind, **settings})
    with data_of(files, given) as data:
        given.pop("id", None)
        show(curve_of_data(data=data, **given), how=how)


def _kind_of_curve(asked: dict[str, bool]) -> str:
    from clearwin.errors import OptionError

    kinds = [kind for kind, wanted in asked.items() if wanted] or ["roc"]
    if len(kinds) > 1:
        raise OptionError(f"{' and '.join(f'--{kind}' for kind in kinds)} were given.", "one kind of curve")
    return kinds[0]
