"""From what was typed to what a verb takes: numbers, lists and columns out of words."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clearwin.errors import OptionError
from clearwin.text import as_number, listed

if TYPE_CHECKING:
    from clearwin.measures import Measure

MODELS = ("a", "b")


def as_taken(verb: Callable[..., Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings as the verb takes them, without those that have their defaults."""
    from clearwin.measures import find

    takes = inspect.signature(verb).parameters
    found = dict(settings)
    for name, read in READERS.items():
        if found.get(name) is not None:
            found[name] = read(found[name])
    if found.get("measure") is not None:
        found |= _pairs(find(found["measure"]), found)
    default = {name: one.default for name, one in takes.items()}
    exact = {"bins": None} if isinstance(found.get("bins"), str) and found["bins"].lower() == "none" else {}
    return {
        name: value
        for name, value in found.items()
        if value is not None and value not in ((), []) and (name not in default or value != default[name])
    } | exact


def _pairs(measure: Measure, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the two columns of each model, where the measure takes counts of right and predicted spans."""
    if measure.takes != "sums":
        return {}
    named = {role: settings[role] for role in MODELS if role in settings}
    found = {}
    for role, text in named.items():
        parts = [part.strip() for part in (text or "").split(",")]
        if len(parts) != 2:
            raise OptionError(
                f"--{role} is {text!r}.",
                "two columns, the right and the predicted ones",
                f"--{role} right_{role},predicted_{role}",
            )
        found[role] = parts
    if len(found) > 1 and found["a"] == found["b"]:
        raise OptionError("--a and --b name the same columns.", "columns of their own for each model")
    return found


def read_names(text: str) -> tuple[str, str]:
    """Read "old,new"."""
    first, *more = listed(text)
    if len(more) != 1 or not first or not more[0]:
        raise OptionError(
            f"--names is {text!r}.",
            "two names separated by a comma, in double quotes where a name holds a comma itself",
            "--names old,new",
        )
    return first, more[0]


def read_threshold(text: str) -> Any:
    """Return "best", a number, or a number for each model; what is none is refused where it is used."""
    numbers = [part if (number := as_number(part)) is None else number for part in text.split(",")]
    return numbers[0] if len(numbers) == 1 else numbers


READERS: dict[str, Callable[[Any], Any]] = {
    "names": lambda text: read_names(text) if isinstance(text, str) else text,
    "threshold": lambda text: read_threshold(text) if isinstance(text, str) else text,
    "groups": lambda columns: columns if isinstance(columns, str) else list(columns),
    "models": lambda text: listed(text) if isinstance(text, str) else text,
}


@contextmanager
def data_of(files: tuple[str, ...], settings: dict[str, Any]) -> Iterator[Any]:
    """Yield the files as an open table, or the path of a file of counts, which has no columns."""
    from clearwin.data.files.predictions import is_counts_file
    from clearwin.reading.opening import OF_COLUMNS, opened

    named = any(settings.get(name) for name in OF_COLUMNS)
    if any(map(is_counts_file, files)) or (files == ("-",) and not named):
        if len(files) > 1:
            raise OptionError("A file of counts stands alone.", "one file of counts, or files with items")
        yield files[0]
        return
    with opened(list(files) if len(files) > 1 else files[0], settings.get("id")) as table:
        yield table
