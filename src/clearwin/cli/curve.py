"""clearwin curve."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.options import options
from clearwin.cli.typed import as_taken, data_of
from clearwin.text import listed


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("curve")
def curve(
    files: tuple[str, ...],
    truth: str | None,
    a: str | None,
    b: str | None,
    models: str | None,
    id: str | None,
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
    if len(files) > 1 and (not id or len(files) > 3 or (b is not None and len(files) == 2)):
        raise OptionError(
            f"{len(files)} files were given" + ("" if id else " without --id") + ".",
            "one file with all columns, or a file each for truth, A and perhaps B and the column that joins them",
            "clearwin curve gold.csv a.csv b.csv --id doc",
        )
    columns = {"truth": truth, "a": a if models is None else listed(models), "b": b, "id": id}
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
