"""clearwin curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.options import options
from clearwin.text import listed

if TYPE_CHECKING:
    from clearwin.data.files.predictions import FileModels, FileScores


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("curve")
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
    how = {"id_column": id_column, "own_types": True, **as_read}
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
        return scores_file(files[0], wanted, id_column=id_column, own_types=True, **how)
    if len(files) in (2, 3) and id_column:
        paths = dict(zip(columns, files, strict=False))
        if columns["b"] is None or "b" in paths:
            return scores_file(paths, columns, id_column=id_column, own_types=True, **how)
    raise OptionError(
        f"{len(files)} files were given" + ("" if id_column else " without --id") + ".",
        "one file with all columns, or a file each for truth, A and perhaps B and the column that joins them",
        "clearwin curve gold.csv a.csv b.csv --id doc",
    )
