"""A refusal as the page and the endpoint tell it: three parts, cleaned, and the setting that it is about."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Mapping
from typing import Any

from clearwin.cli.compare import compare
from clearwin.cli.options import as_typed
from clearwin.errors import ClearwinError, UnknownNameError, shortened
from clearwin.text import printable
from clearwin.web.inline import FILE
from clearwin.web.settings import SETTINGS

ROLES = ("truth", "a", "b", "id", "groups", "strata")


def in_words(error: ClearwinError, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the three parts of an error, spelled and cleaned as the command does, and the setting that it is about."""
    parts = {"what": error.what, "expected": as_typed(error.expected, compare), "next": as_typed(error.next, compare)}
    field = field_of(error, given)
    told = {part: printable(shortened(of_what_was_sent(text))) for part, text in parts.items()}
    return told | ({"field": field} if field else {})


def fault(told: str) -> dict[str, str]:
    """Write what went wrong to the server's terminal under a reference; return what a client is told: the reference."""
    reference = secrets.token_hex(4)
    sys.stderr.write(f"clearwin: a fault, reference {reference}:\n{told.rstrip()}\n")
    return {
        "what": f"clearwin failed on this, and that is a fault of clearwin, not yours (reference {reference}).",
        "expected": "an answer or a refusal",
        "next": "try the command, and report the fault with what the server's terminal says under the reference",
    }


def of_what_was_sent(text: str) -> str:
    """Call columns that came inline by what was sent: nobody knows of the file that they were written into.

    >>> of_what_was_sent("Column 'truth' of data.jsonl is empty in 1 row (2).")
    "Column 'truth' of the body is empty in 1 row (2)."
    """
    return re.sub(rf"(?<=of ){re.escape(FILE)}(?=[ .,:])", "the body", text)


def field_of(error: ClearwinError, given: Mapping[str, Any]) -> str:
    """Return the setting that a refusal is about, or an empty text where that is not known."""
    if isinstance(error, UnknownNameError):
        kind = error.kind.partition(" of ")[0]
        if kind in ("class", "label"):
            return "positive" if str(given.get("positive")) == str(error.name) else "labels"
        kind = {"option": "measure"}.get(kind, kind)
        if kind in SETTINGS:
            return kind
    return setting_of_column(error.what, given) or setting_named(error.what, as_typed(error.next, compare))


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
    return next((role for role in ROLES if found and given.get(role) == found[2]), "")
