"""Groups of models that cannot be told apart, shown by letters: models that share a letter are not told apart."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator


def groups_that_hold_together(n: int, differing: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return all largest groups of 0 … n − 1 without a pair that differs, sorted by their members.

    So the best comes first where 0 is the best. They are the maximal cliques of those that do not differ, which Bron
    and Kerbosch's algorithm with pivots (1973; Tomita et al. 2006) finds in a time that goes with their number.
    Piepho's insert and absorb (2004) finds the same ones, but compares all groups with each other at every pair.

    >>> groups_that_hold_together(3, [(0, 2)])
    [(0, 1), (1, 2)]
    """
    alike = [(1 << n) - 1 - (1 << i) for i in range(n)]  # a bit for each other member
    for i, j in differing:
        alike[i] &= ~(1 << j)
        alike[j] &= ~(1 << i)
    groups = []
    # a group, who could still join all of it, and who could have joined but is in other groups
    waiting = [(0, (1 << n) - 1, 0)]
    while waiting:
        group, candidates, left_out = waiting.pop()
        if not candidates | left_out:
            groups.append(tuple(_members(group)))
            continue
        # whoever is alike to the pivot joins in groups with it, or with one who is not alike to it
        pivot = max(_members(candidates | left_out), key=lambda i: (candidates & alike[i]).bit_count())
        for i in _members(candidates & ~alike[pivot]):
            waiting.append((group | 1 << i, candidates & alike[i], left_out & alike[i]))
            candidates &= ~(1 << i)
            left_out |= 1 << i
    return sorted(groups)


def _members(bits: int) -> Iterator[int]:
    """Return the places of the bits that are set, the lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def letters(n: int, groups: list[tuple[int, ...]]) -> list[str]:
    """Return each member's letters: one for each group that it is in; beyond z follow A … Z and then numbers.

    >>> letters(3, [(0, 1), (1, 2)])
    ['a', 'ab', 'b']
    """
    alphabet = string.ascii_letters
    names = [alphabet[i] if i < len(alphabet) else f"({i + 1})" for i in range(len(groups))]
    of_member: list[list[str]] = [[] for _ in range(n)]
    for name, group in zip(names, groups, strict=True):
        for member in group:
            of_member[member].append(name)
    return ["".join(own) for own in of_member]
