"""Text that stays text in Markdown as GitHub and others show it: nothing in a name becomes a link, a tag or a table.

Backslashes make Markdown's signs plain text. They do not protect @names, #1, addresses and $formulas$, which are
converted afterwards, so an empty comment breaks those up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clearwin.text import one_line, right_to_left

BREAK = "<!-- -->"
SIGNS = re.compile(r"([\\`*_\[\]|~])")
# GitHub converts these even in finished text: mentions and mail, issues, addresses, emoji.
LIVE = re.compile(r"(@|#(?=\w)|:(?=//)|(?<=(?i:www))\.|(?<=:)(?=[\w+-]+:)|(?i:gh-)(?=\d))")
STARTS_A_BLOCK = re.compile(r"^(\d*)([-+=#.)])")


def text(words: str) -> str:
    r"""Return a line of text with nothing live in it.

    >>> text("<b>*x*</b> @you"), text("a|b $x$")
    ('&lt;b&gt;\\*x\\*&lt;/b&gt; @<!-- -->you', 'a\\|b <span>$</span>x<span>$</span>')
    """
    pieces = []
    for turned, piece in right_to_left(" ".join(one_line(words).split())):
        escaped = SIGNS.sub(r"\\\1", piece.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
        escaped = LIVE.sub(rf"\1{BREAK}", escaped).replace("$", "<span>$</span>")
        # isolated so that it cannot reorder the text around it
        pieces.append(f"\u2068{escaped}\u2069" if turned else escaped)
    return "".join(pieces)


def paragraph(words: str) -> str:
    r"""Return text at the beginning of a line, where a dash or a number would start a list.

    >>> paragraph("- x"), paragraph("1. x"), paragraph("0.5 is less")
    ('\\- x', '1\\. x', '0\\.5 is less')
    """
    return STARTS_A_BLOCK.sub(r"\1\\\2", text(words))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; every cell is text.

    >>> print(table(("model", "F1"), [("a|b", "0.8")]))
    | model | F1 |
    |---|---|
    | a\\|b | 0.8 |
    """
    lines = [f"| {' | '.join(map(_cell, line))} |" for line in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def _cell(words: str) -> str:
    """Return a cell; indentation is kept."""
    return "&nbsp;" * (len(words) - len(words.lstrip(" "))) + text(words)


def code(language: str, words: str) -> str:
    """Return a block of code; its fence is longer than any that the code holds."""
    longest = max((len(run) for run in re.findall(r"`+", words)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{words}\n{fence}"
