"""The same words on a terminal, with rich: wrapped, aligned, a little colour."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from clearwin.result import Comparison, Record
from clearwin.verdict import headline, p_text, rows


def show(result: Record, alpha: float) -> None:
    """Print a result: verdict, table, null hypothesis, caveats."""
    console = Console(highlight=False)
    if isinstance(result, Comparison):
        console.print(Text(f"{headline(result, alpha)} ({p_text(result)}).", style="bold"))
        console.print()
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column()
    for name, value in rows(result):
        grid.add_row(escape(name), escape(value))
    console.print(grid)
    if isinstance(result, Comparison):
        console.print()
        console.print(Text(f"Null hypothesis: {result.null_hypothesis}."))
    for caveat in result.caveats:
        console.print(Text(f"Caveat: {caveat}", style="yellow"))


def show_table(records: list[dict[str, str]]) -> None:
    """Print records as a table, one column for each key."""
    table = Table(box=None, header_style="bold cyan", pad_edge=False)
    for name in records[0]:
        table.add_column(name, no_wrap=name == "name")
    for record in records:
        table.add_row(*(escape(value) for value in record.values()))
    Console(highlight=False).print(table)
