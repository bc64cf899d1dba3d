"""Groups of models that cannot be told apart, shown by letters: models that share a letter are not told apart."""

from __future__ import annotations

import string
from collections.abc import Iterable


def groups_that_hold_together(n: int, differing: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return all largest groups of 0 … n − 1 without a pair that differs: insert and absorb (Piepho 2004).

    All start in one group. A pair that differs splits every group that holds both into one without either; a group
    that lies within another says nothing new and is absorbed. Sorted by their members, so the best comes first where
    0 is the best.

    >>> groups_that_hold_together(3, [(0, 2)])
    [(0, 1), (1, 2)]
    """
    groups = {frozenset(range(n))}
    for i, j in differing:
        split = [group for group in groups if i in group and j in group]
        kept = groups.difference(split)
        for part in sorted((group - {left} for group in split for left in (i, j)), key=len, reverse=True):
            if not any(part <= other for other in kept):
                kept.add(part)
        groups = kept
    return sorted(tuple(sorted(group)) for group in groups)


def letters(n: int, groups: list[tuple[int, ...]]) -> list[str]:
    """Return each member's letters: one for each group that it is in; beyond z follow A … Z and then numbers.

    >>> letters(3, [(0, 1), (1, 2)])
    ['a', 'ab', 'b']
    """
    alphabet = string.ascii_letters
    names = [alphabet[i] if i < len(alphabet) else f"({i + 1})" for i in range(len(groups))]
    return ["".join(name for name, group in zip(names, groups, strict=True) if member in group) for member in range(n)]
