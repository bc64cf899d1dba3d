"""clearwin chance."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.options import options


@click.command(cls=Subcommand)
@click.argument("file")
@options("chance")
def chance(file: str, truth: str | None, a: str | None, id: str | None, **settings: Any) -> None:
    """Test whether one classifier is better than chance.

    A random classifier predicts each class as often as this one did.

    FILE is a confusion matrix (CSV or TSV, rows = truth, with or without labels), or with --truth and --a a file of
    predictions.
    """
    from clearwin.analyses.chance import against_chance
    from clearwin.data.files.predictions import tally_file
    from clearwin.data.matrices import matrix_of_tally, read_matrix

    how = wanted(settings, reads=(file,))
    if truth is None and a is None:
        result = against_chance(read_matrix(file), **settings)
    else:
        found = tally_file(file, {"truth": truth, "a": a}, id_column=id)
        result = against_chance(matrix_of_tally(found.counts), name=found.names[1], **settings)
    show(result, how)
