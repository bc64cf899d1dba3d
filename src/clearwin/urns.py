"""What test sets are drawn from: kinds of units with whole-number weights, with replacement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearwin.counts import Counts
from clearwin.streams import Stream, multinomial

ONE_BY_ONE = 2_000  # so many units are drawn one by one as quickly as by kinds


@dataclass(frozen=True, eq=False)
class Urn:
    """Kinds of units and how many there are of each; with ``strata``, every set keeps their shares.

    >>> import numpy as np
    >>> urn = Urn(np.array([90, 10]), np.array([0, 1]))
    >>> [x.tolist() for x in urn.draw(Stream(np.random.PCG64(1)), 20)]
    [[0, 1], [18, 2]]
    """

    weights: Counts
    strata: Counts | None = None

    @cached_property
    def total(self) -> int:
        """All units."""
        return int(self.weights.sum())

    @cached_property
    def _parts(self) -> list[tuple[Counts, Counts]]:
        """The kinds of each stratum, and where the units of each end when they are counted through."""
        occupied = np.flatnonzero(self.weights)
        if self.strata is None:
            return [(occupied, np.cumsum(self.weights[occupied]))]
        parts = [occupied[self.strata[occupied] == stratum] for stratum in np.unique(self.strata[occupied])]
        return [(kinds, np.cumsum(self.weights[kinds])) for kinds in parts]

    def draw(self, stream: Stream, n: int) -> tuple[Counts, Counts]:
        """Draw ``n`` units with replacement: the kinds that were drawn, and how often each."""
        sizes = [n] if self.strata is None else self.shares(stream, n)
        drawn = [_draw(stream, kinds, ends, size) for (kinds, ends), size in zip(self._parts, sizes, strict=True)]
        if len(drawn) == 1:
            return drawn[0]
        kinds, times = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
        return kinds, times

    def shares(self, stream: Stream, n: int) -> list[int]:
        """Divide ``n`` units over the strata: each gets its share, rounded down or up so that it has it on average.

        Were leftover units always given to the same strata, the sets would not be what the whole is: one random start
        rounds all the running totals (systematic sampling, Madow 1949).
        """
        through = np.cumsum([int(ends[-1]) for _, ends in self._parts])
        start = int(stream.randint(0, int(through[-1]), dtype=np.int64))
        passed = [(n * int(end) + start) // int(through[-1]) for end in through]
        return [int(size) for size in np.diff(passed, prepend=0)]


def _draw(stream: Stream, kinds: Counts, ends: Counts, n: int) -> tuple[Counts, Counts]:
    """Draw from one stratum: a multinomial over few kinds, or unit by unit among many. Both are exact."""
    if n > ONE_BY_ONE and kinds.size <= n // 8:
        times = multinomial(stream, n, np.diff(ends, prepend=0), 1)[:, 0]
    else:
        places = np.searchsorted(ends, stream.randint(0, ends[-1], size=n, dtype=np.int64), side="right")
        times = np.bincount(places, minlength=kinds.size)
    drawn = np.flatnonzero(times)
    return kinds[drawn], times[drawn]
