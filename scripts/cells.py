"""Pages with code that runs: text and cells, which are executed in order as a notebook executes them.

A cell is a fenced block of Markdown whose first line says ``python run`` or ``console run``. A caption may follow, and
becomes the caption of the picture that the cell shows. What a cell prints, and the value of its last line, is written
below it. The same page becomes a notebook, so that both show the same code:

    python scripts/cells.py FOLDER

writes every tutorial as a notebook into the folder.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
FENCE = re.compile(r"^```(python|console) run(?: caption=\"([^\"\n]*)\")?\n(.*?)^```$", flags=re.M | re.S)


class CellError(Exception):
    """A cell failed; the message names the page and the cell."""


@dataclass(frozen=True)
class Cell:
    """A piece of a page: Markdown, Python or the lines of a terminal."""

    kind: Literal["text", "python", "console"]
    source: str
    caption: str = ""


def cells(page: str) -> list[Cell]:
    """Return the pieces of a page in order.

    >>> [cell.kind for cell in cells("# Sum\\n\\n```python run\\n1 + 1\\n```\\n")]
    ['text', 'python']
    """
    found, end = [], 0
    for match in FENCE.finditer(page):
        found += _text(page[end : match.start()])
        kind: Literal["python", "console"] = "python" if match[1] == "python" else "console"
        found.append(Cell(kind, match[3].rstrip("\n"), match[2] or ""))
        end = match.end()
    return found + _text(page[end:])


def _text(source: str) -> list[Cell]:
    return [Cell("text", source.strip("\n"))] if source.strip() else []


def executed(page: str, name: str) -> str:
    """Return a page with the output of every cell below it; the cells share their names and an empty folder.

    >>> print(executed("```python run\\n1 + 1\\n```", "sum.md"))
    ```python
    1 + 1
    ```
    <BLANKLINE>
    ```text
    2
    ```
    """
    parts, names = [], {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for number, cell in enumerate(cells(page), 1):
            try:
                parts += [cell.source] if cell.kind == "text" else _run(cell, names)
            except (Exception, SystemExit) as error:
                said = f"{type(error).__name__}: {error}"
                raise CellError(f"{name}, piece {number}: {said}\n\n{cell.source}") from error
    return "\n\n".join(parts)


def _run(cell: Cell, names: dict[str, Any]) -> list[str]:
    if cell.kind == "console":
        return [_fenced("\n".join(_typed(line) for line in cell.source.splitlines()), "console")]
    shown = Shown(cell.caption)
    names["display"] = shown.display
    tree = ast.parse(cell.source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(shown.printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            shown.display(eval(compile(ast.Expression(last.value), "<cell>", "eval"), names))
    shown.flush()
    return [_fenced(cell.source, "python"), *shown.parts]


def _typed(line: str) -> str:
    """Return a line of the terminal with what the command printed."""
    if not line.startswith("$ "):
        raise ValueError(f"a line of a console cell begins with '$ ': {line!r}")
    # the command of this environment, and of this tree where it is not the installed one
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "TERM": "dumb"}
    run = subprocess.run(line[2:], shell=True, env=environment, capture_output=True, text=True, encoding="utf-8")
    if run.returncode:
        raise ValueError(f"{line[2:]} ended with {run.returncode}: {run.stderr}")
    return f"{line}\n{run.stdout.rstrip()}".rstrip()


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"


class Shown:
    """What a cell shows: printed lines and displayed values, in order."""

    def __init__(self, caption: str) -> None:
        self.caption, self.printed, self.parts = caption, io.StringIO(), list[str]()

    def flush(self) -> None:
        """Move what was printed so far to the parts."""
        text = self.printed.getvalue().rstrip()
        self.printed.seek(0)
        self.printed.truncate()
        if text:
            self.parts.append(_fenced(text, "text"))

    def display(self, value: Any) -> None:
        """Show a value as a notebook would: pictures as SVG, results as HTML, anything else as text."""
        self.flush()
        if value is None:
            return
        picture = _picture(value, self.caption)
        if picture:
            self.parts.append(picture)
        elif hasattr(value, "_repr_html_"):
            # one line, because a blank line ends raw HTML in Markdown
            self.parts.append("<div class='shown'>" + re.sub(r"\s*\n\s*", " ", value._repr_html_()) + "</div>")
        else:
            self.parts.append(_fenced(builtins.repr(value), "text"))


def _picture(value: Any, caption: str) -> str:
    """Return a figure with inline SVG, or nothing if the value is not a picture; phones get the narrow form."""
    from matplotlib.axes import Axes

    from clearwin.plots import Picture, picture_svg

    if isinstance(value, Axes):
        said = caption or value.get_title() or f"Picture of {value.get_xlabel()}"
        return _figure([("", picture_svg(Picture("cell", said, said, lambda _: value)))], caption)
    if not isinstance(value, Picture):
        return ""
    forms = [("", picture_svg(value))]
    if value.narrow is not None:
        forms = [("wide", forms[0][1]), ("narrow", picture_svg(value, narrow=True))]
    return _figure(forms, caption or value.title)


def _figure(forms: list[tuple[str, str]], caption: str) -> str:
    drawn = "".join(f"<div class='picture {form}'>{' '.join(svg.split(chr(10)))}</div>" for form, svg in forms)
    return f"<figure>{drawn}<figcaption>{html.escape(caption)}</figcaption></figure>"


def notebook(page: str) -> str:
    """Return a page as a notebook without output, the same bytes each time."""
    made: list[dict[str, Any]] = []
    for number, cell in enumerate(cells(page), 1):
        source = cell.source
        if cell.kind == "console":
            source = "\n".join(f"!{line[2:]}" for line in source.splitlines())
        common = {"id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
        if cell.kind == "text":
            made.append({"cell_type": "markdown", **common})
        else:
            made.append({"cell_type": "code", "execution_count": None, "outputs": [], **common})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def write_notebooks(folder: Path) -> None:
    """Write every tutorial as a notebook into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(TUTORIALS.glob("*.md")):
        (folder / f"{page.stem}.ipynb").write_text(notebook(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write_notebooks(Path(sys.argv[1]))
