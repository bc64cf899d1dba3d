"""The command line that gives the same result again: what was typed, in the shell's quotes, and the seed."""

from __future__ import annotations

import re
import shlex
from typing import Any

import click
from click.core import ParameterSource

# where to write it, not what to do
LEFT_OUT = {"as_json", "as_markdown", "html", "output", "plot", "save", "force", "resume"}


def command_line(seed: str) -> str:
    """Return the command that is running as it can be typed again; a seed that was drawn at random is added."""
    context = click.get_current_context()
    words = ["clearwin", str(context.info_name)]
    arguments: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params.get(name)
        if isinstance(parameter, click.Argument):
            arguments += [str(v) for v in (value if isinstance(value, tuple) else (value,))]
        elif name == "rng" and value is None and re.fullmatch(r"\d+", seed):
            words += [parameter.opts[0], seed]
        elif name not in LEFT_OUT and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += _option(parameter, value)
    if any(text.startswith("-") and text != "-" for text in arguments):
        words += ["--", *arguments]  # what begins with a dash is a file only after two of them
    else:
        words[2:2] = arguments
    return " ".join(map(quoted, words))


def _option(parameter: click.Parameter, value: Any) -> list[str]:
    name = parameter.opts[0]
    if value is True:
        return [name]
    several = value if isinstance(value, tuple) else (value,)
    return [part for v in several for part in ([f"{name}={v}"] if str(v).startswith("-") else [name, str(v)])]


def quoted(text: str) -> str:
    r"""Return a word in the shell's quotes; what nobody sees is written as bash and zsh read it.

    >>> quoted("my file.csv"), quoted("a\nb"), quoted("a\u202eb'c"), quoted("\xa0")
    ("'my file.csv'", "$'a\\nb'", "$'a\\u202eb\\'c'", "$'\\u00a0'")
    """
    from clearwin.story import one_line

    if one_line(text) == text:
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(c if one_line(c) == c else _escape(c) for c in escaped) + "'"


def _escape(c: str) -> str:
    """Return what bash reads as this character; from \\x80 on, \\x is a byte to it."""
    code = ord(c)
    if code < 0x80:
        return repr(c)[1:-1]
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a path that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
