"""The same words on a terminal, with rich: wrapped, aligned, a little colour."""

from __future__ import annotations

from rich import table as grids
from rich.console import Console
from rich.text import Text

from clearwin.text import one_line
from clearwin.words.summary import WARNING, Block, Grid, Sentences, Summary


def show(summary: Summary) -> None:
    """Print what a result says: warnings, verdict, tables, null hypothesis, caveats."""
    console = Console(highlight=False)
    for warning in summary.warnings:
        console.print(_text(f"{WARNING}{warning}", "bold red"))
    if summary.warnings:
        console.print()
    for place, line in enumerate(summary.opening):
        console.print(_text(line, "" if place else "bold"))
    for block in summary.blocks:
        console.print()
        _print(block, console)
    if summary.null_hypothesis:
        console.print()
        console.print(_text(f"{summary.null_title}: {summary.null_hypothesis}."))
    for caveat in summary.caveats:
        console.print(_text(f"Caveat: {caveat}", "yellow"))


def _print(block: Block, console: Console) -> None:
    if isinstance(block, Sentences):
        console.print(_text(block.text))
        return
    if isinstance(block, Grid):
        if block.title:
            console.print(_text(block.title))
        console.print(_columns(block.titles, block.rows))
        if block.note:
            console.print(_text(block.note))
        return
    grid = grids.Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", overflow="fold")
    grid.add_column(overflow="fold")
    for name, value in block.rows:
        grid.add_row(_text(name), _text(value))
    console.print(grid)


def show_table(records: list[dict[str, str]]) -> None:
    """Print records as a table, one column for each key."""
    table = _columns(tuple(records[0]), tuple(tuple(record.values()) for record in records))
    for column in table.columns:
        column.no_wrap = str(column.header) == "name"
    Console(highlight=False).print(table)


def _columns(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> grids.Table:
    table = grids.Table(box=None, header_style="bold cyan", pad_edge=False)
    for name in head:
        table.add_column(_text(name), overflow="fold")
    for row in rows:
        table.add_row(*map(_text, row))
    return table


def _text(words: str, style: str = "") -> Text:
    """Names and labels are text, never markup or control codes."""
    return Text(one_line(words), style=style)
