"""The call that made a result, as it can be typed again."""

from __future__ import annotations

from dataclasses import dataclass

CLEARWIN = "import clearwin as cw"


@dataclass(frozen=True)
class Call:
    """A verb and what was given to it, as Python text; data appear under their names.

    Whatever is left out has its default again. The seed is that of the result's signature, also where none was given;
    ``keeps_seed`` is whether the verb takes one.
    """

    verb: str
    data: tuple[str, ...]
    settings: dict[str, str]
    keeps_seed: bool = True
    imports: str = CLEARWIN

    def written(self, seed: str) -> str:
        """Write the call with the seed of a signature.

        >>> Call("cw.compare", ("truth", "a", "b"), {"measure": "'f1'"}).written("7")
        "cw.compare(truth, a, b, measure='f1', rng=7)"
        """
        settings = self.settings | ({"rng": _typed(seed)} if self.keeps_seed else {})
        return f"{self.verb}({', '.join([*self.data, *(f'{name}={value}' for name, value in settings.items())])})"

    def imported(self, seed: str) -> str:
        """Return what has to be imported for it."""
        return f"import numpy\n{self.imports}" if "." in seed and self.keeps_seed else self.imports


def _typed(seed: str) -> str:
    """Write a signature's seed as numpy takes it: a number, with the key of a spawned seed after points.

    >>> _typed("7"), _typed("7.0.2")
    ('7', 'numpy.random.SeedSequence(7, spawn_key=(0, 2))')
    """
    entropy, *key = seed.split(".")
    return f"numpy.random.SeedSequence({entropy}, spawn_key={tuple(map(int, key))})" if key else entropy
