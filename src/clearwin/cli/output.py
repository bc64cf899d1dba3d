"""What the commands share on the way out: words for people, JSON for machines, files never written over by accident."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from clearwin.result import Plotted, Record


def show(result: Record, alpha: float, as_json: bool, output: str | None) -> None:
    """Print a result: JSON when asked for, rich on a terminal, plain text in a pipe; and write it when asked to."""
    if output is not None:
        write(output, result.to_json() + "\n")
    if as_json:
        echo(result.to_json())
    elif sys.stdout is not None and sys.stdout.isatty():
        from clearwin.terminal import show

        show(result, alpha)
    else:
        from clearwin.verdict import as_text

        echo(as_text(result, alpha))


def echo(text: str) -> None:
    """Print what an old encoding cannot carry in plain letters instead of failing."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # there may be no standard output at all
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate({ord("−"): "-", ord("±"): "+/-", ord("·"): "*"})
        text = text.encode(encoding, "replace").decode(encoding)
    click.echo(text)


def show_list(rows: list[dict[str, str]], as_json: bool) -> None:
    """Print what there is: a table on a terminal, tabs in a pipe."""
    if as_json:
        import json

        echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif sys.stdout is not None and sys.stdout.isatty():
        from clearwin.terminal import show_table

        show_table(rows)
    else:
        for row in rows:
            echo("\t".join(row.values()))


def refuse_overwriting(path: str | None, force: bool) -> None:
    """Raise before any work is done when a file would be lost."""
    from clearwin.errors import FileError

    if path == "":
        raise FileError("The name of the file to write is empty.", "a file name")
    if path is not None and Path(path).exists() and not force:
        raise FileError(f"{path} exists already.", "a new file", "another name, or --force to write over it")


def check_picture(path: str | None, force: bool) -> None:
    """Raise before any work is done when no picture can be written there, or a file would be lost."""
    if path is not None:
        from clearwin.pictures.drawing import picture_format

        picture_format(path)
    refuse_overwriting(path, force)


def draw(result: Plotted, path: str | None) -> None:
    """Write the best picture of a result, when asked to."""
    if path is not None:
        from clearwin.pictures.drawing import save

        save(result.plot().figure.get_figure(root=True), path)


def write(path: str, text: str) -> None:
    """Write a text file, or say why it cannot be written."""
    from clearwin.errors import FileError

    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.", "a file in a folder that exists") from None
