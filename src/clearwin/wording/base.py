"""What a result tells, in parts, whoever shows it: a terminal, a notebook, a report, a pull request.

The words of a result have one owner, the module that makes its :class:`Story`; whoever shows it lays the parts out.
Names and labels come from files: a story has them as :func:`one_line` writes them; they are text, never markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any

from clearwin.text import one_line, printable, wrapped


@dataclass(frozen=True)
class Facts:
    """What is called what: a table of two columns."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """Columns with titles; the first cell of a row names it. ``note`` says what stands in it.

    ``over`` has lines of titles above those of ``head``; a title there holds for the empty cells to its right, too.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""
    over: tuple[tuple[str, ...], ...] = ()

    @property
    def titles(self) -> tuple[str, ...]:
        """The whole title of every column, for whoever has one line for it.

        >>> Table(("", "low", "high"), (), over=(("", "interval", ""),)).titles
        ('', 'interval low', 'interval high')
        """
        lines: list[list[str]] = [[*accumulate(line, _carried)] for line in self.over]
        return tuple(" ".join(filter(None, cells)) for cells in zip(*lines, self.head, strict=True))


def _carried(left: str, cell: str) -> str:
    return cell or left


def table(lines: Sequence[Sequence[str]], title: str = "", note: str = "") -> Table:
    """Return a table of lines, of which the first has the titles."""
    head, *rows = (tuple(line) for line in lines)
    return Table(head, tuple(rows), title, note)


@dataclass(frozen=True)
class Words:
    """A sentence or two between the tables."""

    text: str


Block = Facts | Table | Words


@dataclass(frozen=True)
class Story:
    """A result in words.

    ``opening`` is what a text begins with, the verdict in a line or two; ``verdict`` says it in full sentences.
    ``method`` has what was done, its formula and its source; ``call`` is what to type in Python for the same, after
    ``imports``.
    """

    opening: tuple[str, ...]
    verdict: str
    blocks: tuple[Block, ...]
    null_hypothesis: str
    caveats: tuple[str, ...]
    method: tuple[tuple[str, str], ...]
    call: str
    null_title: str = "Null hypothesis"
    imports: str = "import clearwin as cw"

    def __post_init__(self) -> None:
        """Write out what cannot be seen in names and labels, for whoever reads the parts."""
        for part in ("opening", "verdict", "blocks", "null_hypothesis", "caveats", "method", "call"):
            object.__setattr__(self, part, _in_lines(getattr(self, part)))

    @property
    def headline(self) -> str:
        """The first line, without its full stop."""
        return self.opening[0].removesuffix(".")


def _in_lines(part: Any) -> Any:
    """Return a part of a story in which every text can stand inside a line."""
    if isinstance(part, str):
        return one_line(part)
    if isinstance(part, tuple):
        return tuple(map(_in_lines, part))
    return type(part)(**{f.name: _in_lines(getattr(part, f.name)) for f in fields(part)})


def as_text(story: Story) -> str:
    """Lay the story out as plain text: verdict, tables, null hypothesis, caveats.

    >>> facts = Facts((("F1 of svm", "0.8"), ("items", "50")))
    >>> print(as_text(Story(("rbf is better.",), "", (facts,), "both are alike", ("Few items.",), (), "")))
    rbf is better.
    <BLANKLINE>
      F1 of svm  0.8
      items      50
    <BLANKLINE>
    Null hypothesis: both are alike.
    Caveat: Few items.
    """
    lines = [wrapped(line) for line in story.opening]
    before: Block | None = None
    for block in story.blocks:
        if not (isinstance(block, Words) and isinstance(before, Words)):
            lines.append("")
        lines += _lines(block)
        before = block
    if story.null_hypothesis:
        lines += ["", wrapped(f"{story.null_hypothesis}.", f"{story.null_title}: ")]
    lines += [wrapped(caveat, "Caveat: ") for caveat in story.caveats]
    return printable("\n".join(lines))


def _lines(block: Block) -> list[str]:
    if isinstance(block, Words):
        return [wrapped(block.text)]
    if isinstance(block, Table):
        told = [wrapped(block.title)] if block.title else []
        return [*told, *aligned(block), *([wrapped(block.note)] if block.note else [])]
    width = max(len(one_line(name)) for name, _ in block.rows)
    return [wrapped(value, f"  {one_line(name):<{width}}  ") for name, value in block.rows]


def aligned(table: Table) -> list[str]:
    """Return the lines of a table with its columns under each other."""
    lines = [[one_line(cell) for cell in line] for line in (*table.over, table.head, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
