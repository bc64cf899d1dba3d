"""How a result comes to know the call that made it: what was given to the verb, and nothing else."""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from clearwin.measures import REGISTRY, Measure
from clearwin.results.base import Result
from clearwin.results.call import CLEARWIN, Call
from clearwin.settings import ROWS

P = ParamSpec("P")
R = TypeVar("R", bound=Result)
# besides what a verb takes by position: one value for every item, or another set of items
DATA = {row.name for row in ROWS if row.reads.kind in ("data", "column", "file")}
# how the work is done and where it is kept; the seed is read from the signature
LEFT_OUT = {row.name for row in ROWS if not row.in_calls}
LONGEST = 300  # characters of a value; a longer one appears under its name


def repeatable(room: str = "cw", imports: str = CLEARWIN) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let the results of a verb know the call that made them; ``imports`` brings the room that the verb is in."""

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(verb).parameters
        positions = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
        left_out = {name for name, one in parameters.items() if one.default is None}
        keeps_seed = "rng" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())

        @functools.wraps(verb)
        def called(*args: P.args, **given: P.kwargs) -> R:
            result = verb(*args, **given)
            asked = dict(zip(positions, args, strict=False)) | given
            table: Any = asked.get("data")
            if getattr(table, "given", None) is not None:  # a table that was open already
                asked |= {"data": table.given} | ({} if table.id is None else {"id": table.id})
            asked = {name: value for name, value in asked.items() if value is not None or name not in left_out}
            call = Call(f"{room}.{verb.__name__}", *_spelled(asked, positions), keeps_seed, imports)
            object.__setattr__(result, "call", call)  # a result is frozen
            return result

        return called

    return decorate


def _spelled(asked: Mapping[str, Any], positions: list[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the data that are given by position, and the rest by name."""
    of_frame = asked.get("data") is not None
    settings = {
        name: _data(name, value, of_frame) if name in DATA or name in positions else _setting(name, value)
        for name, value in asked.items()
        if name not in LEFT_OUT
    }
    if of_frame:
        order = [name for name in ("data", *positions) if name in settings]
        return (), {name: settings.pop(name) for name in order} | settings
    last = max((place for place, name in enumerate(positions, 1) if name in settings), default=0)
    return tuple(settings.pop(name, "None") for name in positions[:last]), settings


def _data(name: str, value: Any, of_frame: bool) -> str:
    """Spell a column by its name and a label by itself; values for every item appear under the parameter's name."""
    names = isinstance(value, list | tuple) and bool(value) and all(isinstance(one, str | os.PathLike) for one in value)
    value = [os.fspath(one) for one in value] if names and name == "data" else value
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    spelled = isinstance(value, str | int | np.integer) or (names and of_frame)
    return _setting(name, value) if spelled else name


def _setting(name: str, value: Any) -> str:
    """Spell a setting; what Python could not read appears under the setting's name."""
    if isinstance(value, Measure):
        ours = value.name in REGISTRY and REGISTRY[value.name].function is value.function
        return repr(str(value)) if ours else name
    if callable(value):  # the user's own function
        own = getattr(value, "__name__", "")
        return own if own.isidentifier() else name
    text = _literal(value)
    return name if text is None or len(text) > LONGEST else text


def _literal(value: Any) -> str | None:
    """Return what Python reads as the value; None where there is no such text.

    >>> _literal(("svm", 1, {"a": [None, 0.5]})), _literal([1, {2}]), _literal(float("nan"))
    ("('svm', 1, {'a': [None, 0.5]})", None, None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return repr(value)
    if type(value) is dict:
        keys, values = _literal(list(value)), _literal(list(value.values()))
        pairs = (f"{_literal(key)}: {_literal(one)}" for key, one in value.items())
        return None if keys is None or values is None else f"{{{', '.join(pairs)}}}"
    if type(value) not in (list, tuple):
        return None
    parts = [_literal(one) for one in value]
    if None in parts:
        return None
    inside = ", ".join(map(str, parts))
    return f"[{inside}]" if type(value) is list else f"({inside}{',' * (len(parts) == 1)})"
