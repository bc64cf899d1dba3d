"""The options of every command, made from the table of settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from clearwin.settings import Option, ValueKind, at_door, choices_of
from clearwin.text import as_number


class SeedText(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click only
    """A seed as the command takes it: a whole number, or the word random."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the number or the word."""
        text = str(value).strip().lower()
        if text != "random" and not (text.isascii() and text.isdigit()):
            self.fail(f"{value!r} is neither a whole number, 0 or more, nor random.", param, ctx)
        return text if text == "random" else int(text)


class NumberOrShare(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click only
    """A margin: a number in the measure's units, or the text of one in per cent of A's value, as Python takes it."""

    name = "number or share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        """Return the number or the text."""
        text = str(value)
        number = as_number(text)
        if number is None and not text.strip().endswith("%"):
            self.fail(f"{text!r} is neither a number nor per cent, such as 5%.", param, ctx)
        return text if number is None else number


TYPES: dict[ValueKind, Any] = {"number": float, "seed": SeedText(), "share": NumberOrShare()}


def options(verb: str) -> Callable[..., Any]:
    """Put the options of a verb on its command, in the order of the table."""

    def decorate(command: Any) -> Any:
        for row in reversed(at_door(verb, "command").values()):
            command = click.option(row.typed, row.name, **_settings(row))(command)
        return command

    return decorate


def _settings(row: Option) -> dict[str, Any]:
    """Return what click wants to know of an option."""
    reads, default = row.reads, row.command_default
    given: dict[str, Any] = {"help": row.help, "metavar": reads.metavar or None, "default": default}
    if reads.kind == "flag":
        return given | {"is_flag": True, "default": bool(default)}
    if row.choices:
        given["shell_complete"] = lambda _ctx, _option, begun: [c for c in choices_of(row) if c.startswith(begun)]
    if reads.several:
        return given | {"multiple": True, "default": None}  # the code that uses it has the default
    if isinstance(default, tuple):
        given["default"] = ",".join(map(str, default))
    if reads.kind == "folder":
        given["show_default"] = False  # the help says it in words
    if reads.alone:
        given |= {"is_flag": False, "flag_value": reads.alone}
        given["default"] = None
    return given | {"type": _type(row)}


def _type(row: Option) -> Any:
    reads = row.reads
    if reads.kind == "whole number":
        return int if reads.within is None else click.IntRange(*reads.within)
    if reads.kind == "new file":
        return click.Path(dir_okay=False, allow_dash=bool(reads.alone))
    return TYPES.get(reads.kind)
