"""The page of the API: every public name with its signature and docstring, as Markdown."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import clearwin as cw
from clearwin.results.base import Result

ROLE = re.compile(r":(?:class|func|meth|mod):`~?(?:[\w.]*\.)?(\w+)`")
CODE = re.compile(r"(`+[^`]+`+)")
LONGEST = 88  # characters of a signature on one line


def api_page() -> str:
    """Return the page: the verbs and records first, then each namespace."""
    spaces = {name: getattr(cw, name) for name in cw.__all__ if isinstance(getattr(cw, name), ModuleType)}
    parts = ["# API", f"`import clearwin as cw`. {_first_line(cw)}", "## Verbs and records"]
    for name in cw.__all__:
        if name not in spaces:
            parts += entry(name, getattr(cw, name))
    for name, space in spaces.items():
        exported = getattr(space, "__all__", None) or [n for n, x in vars(space).items() if _is_error(x)]
        parts += [f"## clearwin.{name}", prose(_first_line(space))]
        for one in exported:
            # what stands at the top already is not told twice
            parts += entry(one, getattr(space, one)) if one not in cw.__all__ else []
    return "\n\n".join(parts) + "\n"


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, cw.ClearwinError)


def _first_line(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]


def entry(name: str, value: Any) -> Iterator[str]:
    """Yield the heading, the signature, the docstring and, for a class, what it has."""
    yield f"### {name}"
    if not (isinstance(value, type) and issubclass(value, cw.ClearwinError | Result)):  # nobody makes them by hand
        yield f"```python\n{signature(name, value)}\n```"
    yield docstring(inspect.getdoc(value) or "")
    if isinstance(value, type):
        yield from _members(value)


def signature(name: str, value: Any) -> str:
    """Return how it is called, one parameter a line where one line would be too long.

    >>> signature("list_measures", cw.list_measures).splitlines()[0]
    'list_measures() -> Listing[Measure]'
    """
    found = inspect.signature(value)
    # annotations are texts, because the modules ask for that; quotes around them would say nothing
    whole = re.sub(r"(?<=[:>] )'([^']+)'", r"\1", str(found))
    if len(name) + len(whole) <= LONGEST or not found.parameters:
        return name + whole
    lines, starred = [], False
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            lines.append("    *,")
            starred = True
        lines.append("    " + re.sub(r"(?<=: )'([^']+)'", r"\1", str(one)) + ",")
    returned = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    return "\n".join([f"{name}(", *lines, f"){returned}"])


def _members(kind: type) -> Iterator[str]:
    """Yield the fields of a record and a table of its methods and properties."""
    if dataclasses.is_dataclass(kind):
        fields = ", ".join(f"`{field.name}`" for field in dataclasses.fields(kind) if not field.name.startswith("_"))
        yield f"Fields: {fields}." if fields else ""
    rows = []
    for name, member in inspect.getmembers(kind):
        told = _first_line(member) if callable(member) or isinstance(member, property) else ""
        if not name.startswith("_") and told and not hasattr(Exception, name) and not hasattr(object, name):
            called = f"`{name}`" if isinstance(member, property) else f"`{name}()`"
            rows.append(f"| {called} | {prose(told).replace('|', chr(92) + '|')} |")
    if rows:
        yield "\n".join(["| method | what it gives |", "|---|---|", *rows])


def prose(text: str) -> str:
    """Return a sentence of a docstring as Markdown: roles become code, stars stay stars.

    >>> prose("a :class:`JointCounts` of d* and ``b*``")
    'a `JointCounts` of d\\\\* and ``b*``'
    """
    parts = CODE.split(ROLE.sub(r"`\1`", text))
    return "".join(part if part.startswith("`") else re.sub(r"([*_<])", r"\\\1", part) for part in parts)


def docstring(text: str) -> str:
    """Return a docstring as Markdown: sections in bold, parameters as a list, examples as code."""
    text = re.sub(r"^(\w[\w ]*)\n-{3,}$", r"\n**\1**\n", text, flags=re.M)
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: str) -> str:
    lines = inspect.cleandoc(block).splitlines() if block.startswith(" ") else block.splitlines()
    if lines[0].startswith(">>>"):
        return "\n".join(["```python", *lines, "```"])
    if lines[0].startswith("==="):  # a table
        return "\n".join(["```text", *lines, "```"])
    if re.fullmatch(r"\*\*[\w ]+\*\*", block.strip()):
        return block.strip()
    if len(lines) > 1 and not lines[0].startswith(" ") and lines[1].startswith("    "):  # names and what they mean
        made = []
        for line in lines:
            names = "" if line.startswith(" ") else ", ".join(f"`{name.strip()}`" for name in line.split(","))
            made.append(f"- {names}:" if names else f"  {prose(line.strip())}")
        return "\n".join(made)
    return "\n".join(prose(line) for line in lines)
