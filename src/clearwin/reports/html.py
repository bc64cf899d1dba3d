"""From a result to one self-contained page, to a notebook, and to Markdown for a pull request.

All three lay out the result's :class:`~clearwin.words.Summary`. The page loads nothing and runs nothing, because its
policy allows only its own style sheet. Everything that goes into a template is escaped and cleaned.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import platform
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from clearwin.reports import markdown
from clearwin.text import one_line, right_to_left
from clearwin.words import Summary
from clearwin.words.methods import cited
from clearwin.words.summary import WARNING, Block, FactRows, Facts, Grid, Sentences

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from clearwin.plots.drawing import Picture
    from clearwin.results.base import Result

    DrawnPicture = tuple[Picture, str, str]  # the picture, its SVG, and its SVG for phones or nothing


NOT_SHOWN = "What this does not show"  # the end of every report
LONGEST_TITLE = 120
LARGEST_PAGE = 500_000  # bytes
FOR_PICTURES = 380_000  # of these
LARGEST_COMMENT = 65_000  # GitHub takes 65,536 characters


def as_html(
    result: Result,
    *,
    margin: float | None = None,
    command: str | None = None,
    drawn: Sequence[DrawnPicture] | None = None,
) -> str:
    """Return the report as one page: warnings, verdict, pictures, numbers, caveats, method, repetition, limits.

    ``margin`` is the largest difference that does not matter; the page then says what the interval shows against it.
    ``command`` is the command line that gave the result, if any; ``drawn`` are its :func:`pictures_of` if they were
    drawn already. The same result gives the same page.

    >>> import clearwin as cw
    >>> page = as_html(cw.compare([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], rng=7))
    >>> page.count("<h1>"), "<script" in page
    (1, False)
    """
    fitting, not_drawn = _fitting_pictures(result, pictures_of(result, margin) if drawn is None else drawn)
    style = _environment().get_template("report.css").render()
    style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    parts = {"pictures": fitting, "not_drawn": not_drawn, "style": style, "style_hash": style_hash, "command": command}
    template = _environment().get_template("report.html")

    def page(summary: Summary) -> str:
        title, sources = _shortened(summary.headline), cited(_all_rows(summary))
        return template.render(summary=summary, title=title, sources=sources, versions=versions(result), **parts)

    return _fitting(result.summary(margin=margin), page, LARGEST_PAGE)


def pictures_of(result: Result, margin: float | None = None) -> list[DrawnPicture]:
    """Return the pictures of a result, each with its SVG and, if there is one, the SVG for phones."""
    from clearwin.plots import picture_svg, pictures

    return [
        (picture, picture_svg(picture), "" if picture.narrow is None else picture_svg(picture, narrow=True))
        for picture in pictures(result, margin=margin)
    ]


def _fitting_pictures(
    result: Result, drawn: Sequence[DrawnPicture]
) -> tuple[list[tuple[Picture, Markup, Markup]], list[str]]:
    """Return the pictures that a page has room for, and a sentence on those that are not drawn."""
    from markupsafe import Markup

    from clearwin.plots import not_drawn

    fitting, left_out, room = [], [], FOR_PICTURES
    for picture, svg, narrow in drawn:
        size = len(svg.encode()) + len(narrow.encode())
        if size <= room:
            room -= size
            fitting.append((picture, Markup(svg), Markup(narrow)))
        else:
            left_out.append(f"{picture.title} (plot(kind={picture.name!r}) draws it)")
    words = [f"Left out, as the page would be too large: {'; '.join(left_out)}."] if left_out else []
    return fitting, [*filter(None, [not_drawn(result)]), *words]


def _fitting(summary: Summary, laid_out: Callable[[Summary], str], largest: int) -> str:
    """Lay the summary out, with fewer rows of long tables if it would be too large, and say what is left out."""
    text = laid_out(summary)
    most = max((len(block.rows) for block in summary.blocks if not isinstance(block, Sentences)), default=0)
    while len(text.encode()) > largest and most > 1:
        # Rows make up most of a large text, so this comes close at the first try.
        most = max(1, min(3 * most // 4, int(0.9 * most * largest / len(text.encode()))))
        blocks = tuple(_cut(block, most) for block in summary.blocks)
        text = laid_out(dataclasses.replace(summary, blocks=blocks))
    return text


def _cut(block: Block, most: int) -> Block:
    if isinstance(block, Sentences) or len(block.rows) <= most:
        return block
    note = f"Only the first {most:,} of {len(block.rows):,} rows are shown here. The JSON has all of them."
    if isinstance(block, Facts):
        return Facts((*block.rows[:most], ("left out", note)))
    return dataclasses.replace(block, rows=block.rows[:most], note=f"{note} {block.note}".rstrip())


def as_fragment(summary: Summary) -> str:
    """Return the verdict, the tables, the null hypothesis and the caveats for a notebook."""
    return _environment().get_template("fragment.html").render(summary=summary)


def as_markdown(result: Result, *, margin: float | None = None, command: str | None = None) -> str:
    """Return a short report for a pull request: verdict, a table, caveats; the rest is folded away.

    >>> import clearwin as cw
    >>> print(as_markdown(cw.compare([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], rng=7)).splitlines()[0])
    ### No clear evidence that B differs from A in F1 (1.000 against 0.500, p = 0.286)
    """
    return _fitting(result.summary(margin=margin), lambda summary: _comment(result, summary, command), LARGEST_COMMENT)


def _comment(result: Result, summary: Summary, command: str | None) -> str:
    first, *more = summary.blocks
    parts = [f"> **{WARNING.strip()}** {markdown.text(warning)}" for warning in summary.warnings]
    parts += [f"### {markdown.paragraph(summary.headline)}", markdown.paragraph(summary.body), _in_markdown(first)]
    if summary.caveats:
        parts += ["**Caveats**", "\n".join(f"- {markdown.paragraph(caveat)}" for caveat in summary.caveats)]
    parts += ["<details><summary>Method, and how to repeat it</summary>", *map(_in_markdown, more)]
    parts.append(markdown.table(("", "method"), [*summary.method, *cited(_all_rows(summary))]))
    if command is not None:
        parts.append(markdown.code("sh", command))
    elif summary.call:
        parts.append(markdown.code("python", _python(summary)))
    parts += [
        markdown.table(("", "reproduce with"), versions(result)),
        "</details>",
        f"**{NOT_SHOWN}**",
        "\n".join(f"- {markdown.paragraph(line)}" for line in summary.limits),
    ]
    return "\n\n".join([*([result.marker] if result.marker else []), *parts]) + "\n"


def versions(result: Result) -> FactRows:
    """Return what it takes to get the same numbers: seed, versions, hash of the data, signature.

    Python and numpy are the versions that write the report.
    """
    import numpy as np

    signature = result.signature
    return (
        ("seed", signature.seed),
        ("clearwin", signature.version),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
        ("hash of the data", _plain(signature.data)),
        ("signature", str(signature)),
    )


def _plain(data: str | dict[str, str]) -> str:
    return data if isinstance(data, str) else ", ".join(dict.fromkeys(data.values()))


def _all_rows(summary: Summary) -> FactRows:
    facts = [row for block in summary.blocks if isinstance(block, Facts) for row in block.rows]
    return (*summary.method, *facts, *(("", caveat) for caveat in (*summary.warnings, *summary.caveats)))


def _python(summary: Summary) -> str:
    return f"{summary.imports}\n\n{one_line(summary.call)}"


def _in_markdown(block: Block) -> str:
    if isinstance(block, Sentences):
        return markdown.paragraph(block.text)
    if isinstance(block, Facts):
        return markdown.table(("", ""), block.rows)
    title = f"{markdown.paragraph(block.title)}\n\n" if block.title else ""
    note = f"\n\n{markdown.paragraph(block.note)}" if block.note else ""
    return title + markdown.table(block.titles, block.rows) + note


def _shortened(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= LONGEST_TITLE else f"{text[: LONGEST_TITLE - 1]}…"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("clearwin.reports"),
        autoescape=lambda name: name != "report.css",
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["attribute"] = _attribute
    environment.filters["lines"] = _lines
    environment.tests["facts"] = lambda block: isinstance(block, Facts)
    environment.tests["table"] = lambda block: isinstance(block, Grid)
    environment.globals["python"] = _python
    environment.globals["warning_word"] = WARNING
    environment.globals["not_shown"] = NOT_SHOWN
    return environment


def _shown(value: Any) -> Any:
    """Clean and escape a text for the page; text from right to left is isolated."""
    from markupsafe import Markup

    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    pieces = right_to_left(one_line(value))
    return Markup("").join(Markup("<bdi>{}</bdi>").format(piece) if turned else piece for turned, piece in pieces)


def _attribute(value: str) -> Markup:
    from markupsafe import escape

    return escape(one_line(value))


def _lines(value: str) -> Markup:
    """Return code line by line."""
    from markupsafe import Markup

    return Markup("\n").join(_shown(line) for line in value.split("\n"))
