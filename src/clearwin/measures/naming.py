"""From what a user wrote to a measure: ``"f1"``, ``"dcf(cost_fn=10)"``, a record, a function."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from clearwin.errors import OptionError, UnknownNameError, setting
from clearwin.measures.base import REGISTRY, Measure
from clearwin.measures.custom import custom_measure
from clearwin.text import MINUS, with_underscores


def find(spelled: str | Measure | Callable[..., Any]) -> Measure:
    """Return the measure that a user named: ``"f1"``, ``"dcf(cost_fn=10)"``, a record, or any callable.

    >>> find("dcf(cost_fn=10, cost_fp=1, prior=0.01)").settings["prior"]
    0.01
    """
    if isinstance(spelled, Measure):
        return spelled
    if callable(spelled):
        return custom_measure(spelled)
    if not isinstance(spelled, str):
        raise OptionError(
            f"measure is {spelled!r}.", "a name, a measure record or a function", setting("measure", "f1")
        )
    name, options = _parse(spelled)
    by_alias = {alias: m for m in REGISTRY.values() for alias in m.aliases}
    measure = REGISTRY.get(name) or by_alias.get(name)
    if measure is None:
        raise UnknownNameError("measure", name, sorted([*REGISTRY, *by_alias]))
    return measure(**options)


def _parse(spelled: str) -> tuple[str, dict[str, float]]:
    """Split ``name(option=number, …)``, written as in Python."""
    name, bracket, options_given = spelled.strip().partition("(")
    name = with_underscores(name)
    if not bracket:
        return name.lower(), {}
    text = f"{name}({options_given.replace(MINUS, '-')}"
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError("not a name with options")
        options = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords if k.arg}
        if len(options) != len(call.keywords):
            raise ValueError("an option without a name, or one twice")
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise OptionError(
            f"The measure {spelled!r} cannot be read.",
            "a name, or a name with options",
            'f1, or "dcf(cost_fn=10, cost_fp=1, prior=0.01)"',
        ) from None
    return call.func.id.lower(), options


MeasureLike = str | Measure | Callable[..., Any]
