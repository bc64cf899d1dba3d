"""clearwin curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from clearwin.text import listed

if TYPE_CHECKING:
    from clearwin.data.files.predictions import FileModels, FileScores


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
    from clearwin.analyses.curve import curve as curve_of_arrays
    from clearwin.errors import OptionError

    kind = _kind_of_curve({"roc": roc, "det": det, "pr": pr})
    how = wanted(settings, reads=files)
    as_read = {name: settings[name] for name in ("rank_infinite", "missing")}
    if models is not None:
        if a is not None or b is not None or len(files) != 1:
            raise OptionError("--models was given with --a, --b or several files.", "one file, and --models alone")
        many = _many(files[0], truth, models, id_column, as_read)
        show(
            curve_of_arrays(many.truth, dict(zip(many.names, many.models, strict=True)), kind=kind, **settings), how=how
        )
        return
    found = _curve_files(files, {"truth": truth, "a": a, "b": b}, id_column, as_read)
    _, *names = found.names
    called = tuple(names) if len(set(names)) == len(names) else ("A", "B")
    result = curve_of_arrays(found.truth, *found.scores, kind=kind, names=called, **settings)
    show(result, how=how)


def _many(file: str, truth: str | None, models: str, id_column: str | None, as_read: dict[str, Any]) -> FileModels:
    from clearwin.data.files.predictions import read_models
    from clearwin.measures import find

    names = listed(models)
    how = {"id_column": id_column, **as_read}
    return read_models(file, {"truth": truth}, find("auc"), wanted=names, **how)


def _kind_of_curve(asked: dict[str, bool]) -> str:
    from clearwin.errors import OptionError

    kinds = [kind for kind, wanted in asked.items() if wanted] or ["roc"]
    if len(kinds) > 1:
        raise OptionError(f"{' and '.join(f'--{kind}' for kind in kinds)} were given.", "one kind of curve")
    return kinds[0]


def _curve_files(
    files: tuple[str, ...], columns: dict[str, str | None], id_column: str | None, how: dict[str, Any]
) -> FileScores:
    from clearwin.data.files.predictions import scores_file
    from clearwin.errors import OptionError

    if len(files) == 1:
        # without --b there is one model
        wanted = {role: column for role, column in columns.items() if role != "b" or column is not None}
        return scores_file(files[0], wanted, id_column=id_column, **how)
    if len(files) in (2, 3) and id_column:
        paths = dict(zip(columns, files, strict=False))
        if columns["b"] is None or "b" in paths:
            return scores_file(paths, columns, id_column=id_column, **how)
    raise OptionError(
        f"{len(files)} files were given" + ("" if id_column else " without --id") + ".",
        "one file with all columns, or a file each for truth, A and perhaps B and the column that joins them",
        "clearwin curve gold.csv a.csv b.csv --id doc",
    )
