"""What can go wrong, as a tree.

::

    ClearwinError
    ├── DataError             the labels, counts or items given cannot be used
    │   └── FileError         ... and they came from a file: says which, and which rows
    ├── OptionError           a setting is outside its range
    │   └── UnknownNameError  a measure, test, method, claim or column that does not exist: says the nearest
    ├── NotApplicableError    the test cannot judge this measure: says why, and what to use
    └── UndefinedError        the measure is undefined on this data: says which measures are not

Every message has three parts: what is wrong and where, what was expected, what to do next.
All of them are also ``ValueError``, as users of numpy and scikit-learn expect.

A message that tells its reader to use a setting names it with :func:`setting`: Python, the command and the page call
the same setting differently, and each spells it in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_PART = 2_000  # characters of a part of a message
LONGEST_NAME = 300  # characters of a name in it


class Setting(NamedTuple):
    """A setting to use, with the values to choose among; without any the choice is left open."""

    name: str
    values: tuple[Any, ...] = ()
    python: str = ""  # what to do in Python, where only the command has such a setting

    def __str__(self) -> str:
        return self.python or f"{self.name}={' or '.join(map(_literal, self.values))}"


def _literal(value: Any) -> str:
    """Write a value for Python; words in double quotes, as in our examples, unless they hold some themselves."""
    literal = repr(value)
    return literal if set(literal) & {'"', "\\"} else literal.replace("'", '"')


class Advice(str):
    """A text that names settings. As a text it is spelled for Python; what is added to it with + keeps its settings."""

    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: str | Setting) -> Advice:
        """Put texts and settings together."""
        advice = super().__new__(cls, "".join(map(str, parts)))
        advice.parts = parts
        return advice

    def __add__(self, other: str) -> Advice:
        return Advice(*self.parts, *_parts(other))

    def __radd__(self, other: str) -> Advice:
        return Advice(*_parts(other), *self.parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Advice, self.parts  # errors must survive being pickled by workers


def setting(name: str, *values: Any, python: str = "") -> Advice:
    """Return a text that names a setting to use; several values are a choice.

    >>> print("use " + setting("test", "permutation", "sign") + ", or leave the strata out")
    use test="permutation" or "sign", or leave the strata out
    >>> spelled("wait, or " + setting("n_sets", 500), lambda one: f"--sets {one.values[0]}")
    'wait, or --sets 500'
    """
    return Advice(Setting(name, values, python))


def spelled(text: str, spell: Callable[[Setting], str]) -> str:
    """Return a text with its settings as a door spells them; one without settings is the same everywhere."""
    return "".join(spell(part) if isinstance(part, Setting) else part for part in _parts(text))


def settings_in(text: str) -> tuple[Setting, ...]:
    """Return the settings that a text names."""
    return tuple(part for part in _parts(text) if isinstance(part, Setting))


def _parts(text: str) -> tuple[str | Setting, ...]:
    return text.parts if isinstance(text, Advice) else (text,)


class ClearwinError(ValueError):
    """The root: ``what`` is wrong, what was ``expected``, what to type ``next``."""

    def __init__(self, what: str, expected: str = "", next: str = "") -> None:
        super().__init__(what, expected, next)
        self.what = what
        self.expected = expected
        self.next = next

    def __str__(self) -> str:
        parts = [self.what]
        if self.expected:
            parts.append(f"Expected: {self.expected}")
        if self.next:
            parts.append(f"Next: {self.next}")
        return "\n".join(parts)


class DataError(ClearwinError):
    """The labels, counts or items given cannot be used."""


class FileError(DataError):
    """A file cannot be read, or what it holds cannot be used."""


class OptionError(ClearwinError):
    """A setting is outside its range."""


class UnknownNameError(OptionError):
    """A name that does not exist; the message lists what does and the nearest."""

    def __init__(self, kind: str, name: object, known: Iterable[str], next: str = "") -> None:
        choices = list(known)
        near = nearest(str(name), choices)
        super().__init__(
            f"There is no {shortened(kind)} named {shortened(repr(name), LONGEST_NAME)}.",
            shortened("one of " + ", ".join(choices)) if choices else "",
            next or (f"did you mean {' or '.join(repr(n) for n in near)}?" if near else ""),
        )
        self.kind, self.name, self.known = kind, name, choices
        # BaseException pickles its args, so that workers can send the error back.
        self.args = (kind, name, choices, next)


class NotApplicableError(ClearwinError):
    """The test cannot judge this measure."""


class UndefinedError(ClearwinError):
    """The measure is undefined on this data."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to two known names that look most like ``name``.

    >>> nearest("acuracy", ["accuracy", "recall"])
    ['accuracy']
    """
    import difflib

    if len(name) > LONGEST_NAME:  # comparing would take long, and no name is near it
        return []
    choices = [choice for choice in known if len(choice) <= LONGEST_NAME]
    lower = difflib.get_close_matches(name.lower(), {k.lower() for k in choices}, n=2, cutoff=0.55)
    return [k for match in lower for k in choices if k.lower() == match and k != name][:2]


def shortened(text: str, most: int = LONGEST_PART) -> str:
    """Return a text that might have come from a file, cut where it is longer than anyone would read.

    >>> shortened("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def first_few(values: Iterable[object], count: int) -> str:
    """List the first three offenders and count the rest.

    >>> first_few([2, 5, 7, 9], 4)
    '2, 5, 7 and 1 more'
    """
    examples = [str(v) for _, v in zip(range(3), values, strict=False)]
    rest = count - len(examples)
    return ", ".join(examples) + (f" and {rest:,} more" if rest > 0 else "")


def at_positions(positions: Sequence[int] | NDArray[np.int64]) -> str:
    """Say where the offenders are.

    >>> at_positions([4]), at_positions([2, 5, 7, 9])
    ('at position 4', 'at positions 2, 5, 7 and 1 more')
    """
    return f"at position{'s' * (len(positions) > 1)} {first_few(positions, len(positions))}"
