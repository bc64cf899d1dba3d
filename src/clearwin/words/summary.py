"""What a result says, in parts, for every reader: a terminal, a notebook, a report, a pull request.

One part is the call in Python that gives the result again, where a verb made it; data appear under their names.

Readers lay out the parts of the :class:`Summary`. Names and labels come from files, so a summary has them as
:func:`one_line` writes them: they are text, never markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any

from clearwin.errors import Advice, Setting
from clearwin.text import one_line, printable, wrapped

FactRows = tuple[tuple[str, str], ...]
WARNING = "Warning: "  # starts a caveat that could reverse the decision


@dataclass(frozen=True)
class Facts:
    """A table of two columns: a name and its value."""

    rows: FactRows

    def __str__(self) -> str:
        width = max(len(one_line(name)) for name, _ in self.rows)
        return "\n".join(wrapped(value, f"  {one_line(name):<{width}}  ") for name, value in self.rows)


@dataclass(frozen=True)
class Grid:
    """Columns with titles; the first cell of a row names it. ``note`` explains the table.

    ``over`` has lines of titles above those of ``head``; a title there also covers the empty cells to its right.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""
    over: tuple[tuple[str, ...], ...] = ()

    @property
    def titles(self) -> tuple[str, ...]:
        """The whole title of every column, for readers with one line for it.

        >>> Grid(("", "low", "high"), (), over=(("", "interval", ""),)).titles
        ('', 'interval low', 'interval high')
        """
        lines = [[*accumulate(line, _carried)] for line in self.over]
        return tuple(" ".join(filter(None, cells)) for cells in zip(*lines, self.head, strict=True))

    @property
    def lines(self) -> list[str]:
        """The lines of the table with aligned columns."""
        lines = [[one_line(cell) for cell in line] for line in (*self.over, self.head, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return [f"  {'  '.join(map(str.ljust, line, widths))}".rstrip() for line in lines]

    def __str__(self) -> str:
        title, note = ([wrapped(words)] if words else [] for words in (self.title, self.note))
        return "\n".join([*title, *self.lines, *note])


def _carried(title: str, cell: str) -> str:
    return cell or title


def grid(lines: Sequence[Sequence[str]], title: str = "", note: str = "") -> Grid:
    """Return a table of lines, of which the first has the titles."""
    head, *rows = (tuple(line) for line in lines)
    return Grid(head, tuple(rows), title, note)


@dataclass(frozen=True)
class Sentences:
    """A sentence or two between the tables."""

    text: str

    def __str__(self) -> str:
        return wrapped(self.text)


Block = Facts | Grid | Sentences


@dataclass(frozen=True)
class Summary:
    """A result in words.

    ``warnings`` are the caveats that could reverse the decision, so they stand above everything else. ``opening`` is
    what a text begins with, in sentences for the person who decides: the effect, how sure it is, what would change the
    decision. ``verdict`` is all of it in one paragraph, with the null hypothesis.
    ``method`` has what was done, its formula and its source; ``limits`` is what it does not show; ``call`` is what to
    type in Python for the same, after ``imports``, or nothing for a result that was not made there.
    """

    opening: tuple[str, ...]
    verdict: str
    blocks: tuple[Block, ...]
    method: FactRows = ()
    null_hypothesis: str = ""
    warnings: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    call: str = ""
    limits: tuple[str, ...] = ()
    null_title: str = "Null hypothesis"
    imports: str = ""

    def __post_init__(self) -> None:
        """Write out invisible characters in names and labels."""
        fields_with_names = "opening verdict blocks null_hypothesis warnings caveats method call limits"
        for part in fields_with_names.split():
            object.__setattr__(self, part, _in_lines(getattr(self, part)))

    @property
    def headline(self) -> str:
        """The first sentence, without its full stop."""
        return self.opening[0].removesuffix(".")

    @property
    def body(self) -> str:
        """The verdict without its first sentence, for readers that use it as a heading."""
        return self.verdict.removeprefix(self.opening[0]).lstrip()

    def warned(self, text: str) -> str:
        """Return a text after the warnings."""
        for warning in reversed(self.warnings):
            text = WARNING + warning + " " + text  # + keeps the settings that a warning names
        return text

    def __str__(self) -> str:
        """Lay it out as plain text: warnings, verdict, tables, null hypothesis, caveats.

        >>> facts = Facts((("F1 of svm", "0.8"), ("items", "50")))
        >>> print(Summary(("rbf is better.",), "", (facts,), null_hypothesis="both are alike", caveats=("Few items.",)))
        rbf is better.
        <BLANKLINE>
          F1 of svm  0.8
          items      50
        <BLANKLINE>
        Null hypothesis: both are alike.
        Caveat: Few items.
        """
        warnings = [wrapped(warning, WARNING) for warning in self.warnings]
        lines = [*warnings, *([""] if warnings else []), *map(wrapped, self.opening)]
        before: Block | None = None
        for block in self.blocks:
            together = isinstance(block, Sentences) and isinstance(before, Sentences)
            lines += [str(block)] if together else ["", str(block)]
            before = block
        if self.null_hypothesis:
            lines += ["", wrapped(f"{self.null_hypothesis}.", f"{self.null_title}: ")]
        lines += [wrapped(caveat, "Caveat: ") for caveat in self.caveats]
        return printable("\n".join(lines))


def _in_lines(part: Any) -> Any:
    """Return a part of a summary in which every text fits on a line."""
    if isinstance(part, Advice):
        return Advice(*(inner if isinstance(inner, Setting) else one_line(inner) for inner in part.parts))
    if isinstance(part, str):
        return one_line(part)
    if isinstance(part, tuple):
        return tuple(map(_in_lines, part))
    return type(part)(**{f.name: _in_lines(getattr(part, f.name)) for f in fields(part)})
