"""What is asked of a test besides the data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from clearwin.errors import OptionError, nearest
from clearwin.execution import RngLike, Seed
from clearwin.numerics.pvalues import CLAIMS, Claim
from clearwin.significance.base import check_settings
from clearwin.text import refuse_alike


@dataclass(frozen=True)
class Settings:
    """How to answer; the defaults of every verb that compares."""

    test: str = "auto"
    method: str = "auto"
    interval: str = "auto"
    claim: Claim = "different"
    n_resamples: int = 10_000
    confidence_level: float = 0.95
    rng: RngLike = None
    names: tuple[str, str] = ("A", "B")

    def __post_init__(self) -> None:
        check_settings(self.claim, self.confidence_level, self.n_resamples, CLAIMS)
        names = self.names
        if not isinstance(names, tuple | list) or len(names) != 2 or str(names[0]) == str(names[1]):
            raise OptionError(f"names is {names!r}.", "two different names", 'names=("svm", "rbf")')
        refuse_alike([str(name) for name in names])

    @classmethod
    def of(cls, verb: str, given: dict[str, Any]) -> Settings:
        """Take keyword arguments of a verb, and name the verb and the nearest word when one is unknown."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                near = nearest(name, known)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}{hint}")
        return cls(**given)

    def for_question(self) -> tuple[Claim, str, str, float, int, Seed]:
        """Return the part that a question carries, in its order."""
        return (self.claim, self.method, self.interval, self.confidence_level, int(self.n_resamples), Seed.of(self.rng))
