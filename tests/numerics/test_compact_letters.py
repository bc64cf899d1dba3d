"""Letters of models that were not told apart, by brute force."""

import itertools

import numpy as np
import pytest

from clearwin.numerics.compact_letters import groups_that_hold_together, letters


def brute_force_cliques(n, differing):
    """Every subset without a differing pair that no larger one holds."""
    fine = [
        set(group)
        for size in range(1, n + 1)
        for group in itertools.combinations(range(n), size)
        if not any((i, j) in differing or (j, i) in differing for i, j in itertools.combinations(group, 2))
    ]
    return sorted(tuple(sorted(group)) for group in fine if not any(group < other for other in fine))


@pytest.mark.parametrize("seed", range(30))
def test_letters_are_the_largest_groups_by_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    pairs = list(itertools.combinations(range(n), 2))
    differing = {pair for pair in pairs if rng.random() < rng.random()}
    groups = groups_that_hold_together(n, differing)
    assert groups == brute_force_cliques(n, differing)
    shown = letters(n, groups)
    for i, j in pairs:
        assert bool(set(shown[i]) & set(shown[j])) == ((i, j) not in differing)
