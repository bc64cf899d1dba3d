"""The settings of a comparison, as the command has them: one table for the form, the endpoint and the command line.

They are click's options of `clearwin compare`, so the page can neither offer what the command does not know nor call
it otherwise, and both refuse with the same words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import click

from clearwin.cli.comparing import compare
from clearwin.cli.repeating import LEFT_OUT, quoted
from clearwin.errors import OptionError, UnknownNameError

# what is about showing and writing a result
NOT_ASKED = {"margin", *LEFT_OUT}
# nor a development set, whose files would have to be told from the others
NOT_OFFERED = {"dev", *NOT_ASKED}
LONGEST = 1_000


def _name(option: click.Parameter) -> str:
    return option.opts[0].removeprefix("--").replace("-", "_")


SETTINGS: dict[str, click.Option] = {
    _name(option): option
    for option in compare.params
    if isinstance(option, click.Option) and option.name not in NOT_OFFERED
}


def arguments(files: list[str], given: Mapping[str, Any]) -> list[str]:
    """Write files and settings as `clearwin compare` takes them; what is empty or the default is left out."""
    words = [f"./{file}" if file.startswith("-") else file for file in files]
    for name, value in given.items():
        if name not in SETTINGS:
            raise UnknownNameError("setting", name, SETTINGS)
        option, flag = SETTINGS[name], SETTINGS[name].opts[0]
        text = _text(name, value)
        if option.is_flag:
            words += [flag] if text in ("true", "on", "1") else []
        elif text and text != str(option.default):
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise OptionError(f"{name} is {json.dumps(value)[:60]}.", "a text, a number, true or false")
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    if len(text) > LONGEST:
        raise OptionError(f"{name} is {len(text):,} characters long.", f"at most {LONGEST:,} characters")
    return text


def setting_named(*texts: str) -> str:
    """Return the setting that a refusal is about: the first of the texts that names any decides.

    >>> setting_named("Which class is positive?", "--positive spam"), setting_named("alpha is 2.0.")
    ('positive', 'alpha')
    >>> setting_named("Line 2 has 2 fields.")
    ''
    """
    for text in texts:
        found = re.match(r"(\w+) (?:is|was) ", text) or re.search(r"(?<![\w-])--([a-z][a-z-]*)", text)
        name = found[1].replace("-", "_") if found else ""
        if name in SETTINGS:
            return name
    return ""


def setting_of_column(text: str, given: Mapping[str, Any]) -> str:
    """Return the setting that names the column which a refusal complains of.

    >>> setting_of_column("Column 'x' of p.csv is not a number in 3 rows.", {"a": "w", "b": "x"})
    'b'
    """
    found = re.search(r"[Cc]olumn (?:.*?named )?(['\"])(.*?)\1", text)
    roles = ("truth", "a", "b", "id", "group", "strata")
    return next((role for role in roles if found and given.get(role) == found[2]), "")


def command_line(words: list[str]) -> str:
    """Write the command that gives the same result, for a shell."""
    return " ".join(map(quoted, ["clearwin", "compare", *words]))


def parsed(words: list[str]) -> dict[str, Any]:
    """Return what `clearwin compare` understands, or raise what it would complain of."""
    try:
        found = compare.make_context("compare", list(words)).params
    except click.UsageError as error:
        raise OptionError(error.format_message()) from None
    return {name: value for name, value in found.items() if name not in NOT_ASKED}
