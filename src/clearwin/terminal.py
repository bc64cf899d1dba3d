"""The same words on a terminal, with rich: wrapped, aligned, a little colour."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clearwin.result import PerClass, Record
from clearwin.verdict import Judged, headline, p_text, printable, rows


def show(result: Record, alpha: float) -> None:
    """Print a result: verdict, table, null hypothesis, caveats."""
    console = Console(highlight=False)
    if isinstance(result, PerClass):
        console.print(_text(f"{headline(result, alpha)}.", "bold"))
        console.print()
    if isinstance(result, Judged):
        console.print(_text(f"{headline(result, alpha)} ({p_text(result)}).", "bold"))
        console.print()
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", overflow="fold")
    grid.add_column(overflow="fold")
    for name, value in rows(result):
        grid.add_row(_text(name), _text(value))
    console.print(grid)
    if isinstance(result, Judged | PerClass):
        console.print()
        console.print(_text(f"Null hypothesis: {result.null_hypothesis}."))
    for caveat in result.caveats:
        console.print(_text(f"Caveat: {caveat}", "yellow"))


def show_table(records: list[dict[str, str]]) -> None:
    """Print records as a table, one column for each key."""
    table = Table(box=None, header_style="bold cyan", pad_edge=False)
    for name in records[0]:
        table.add_column(name, overflow="fold", no_wrap=name == "name")
    for record in records:
        table.add_row(*(_text(value) for value in record.values()))
    Console(highlight=False).print(table)


def _text(words: str, style: str = "") -> Text:
    """Names and labels are text, never markup or control codes."""
    return Text(printable(words), style=style)
