"""Evaluation logs in, the same items of all systems side by side out: ``read`` and what it returns, ``Runs``.

``describe`` says what is in them, ``contents`` returns that as JSON has it, and ``takes_logs`` lets a verb take them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from clearwin.errors import OptionError

if TYPE_CHECKING:
    from clearwin.data.logs.pairing import contents, describe, read
    from clearwin.data.logs.runs import Runs

P = ParamSpec("P")
R = TypeVar("R")
# names are fetched on first use: whoever compares arrays must not pay for the formats of logs
_HOME = {"Runs": "runs", "contents": "pairing", "describe": "pairing", "read": "pairing"}

__all__ = ["Runs", "contents", "describe", "read"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'clearwin.data.logs' has no attribute {name!r}")
    return getattr(import_module(f"clearwin.data.logs.{_HOME[name]}"), name)


def takes_logs(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb take runs as ``data``: then they say the truth, the answers, the groups and the measure."""

    @functools.wraps(verb)
    def asked(*args: P.args, **given: P.kwargs) -> R:
        data = given.get("data")
        if data is None:
            return verb(*args, **given)
        from clearwin.data.logs.runs import Runs

        if not isinstance(data, Runs):
            return verb(*args, **given)
        if args:
            raise OptionError("Both logs and arrays were given.", "one of them", "compare(data=runs)")
        found: R = data.ask(verb, **{name: value for name, value in given.items() if name != "data"})
        return found

    return asked
