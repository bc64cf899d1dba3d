"""Mixed numbers: those of the published generator, and sums that do not depend on the order."""

import numpy as np

from clearwin.numerics.fingerprints import mixed, sums

# the first outputs of splitmix64 with the seed 1234567, as Rosetta Code lists them for every language
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
STEP = 0x9E3779B97F4A7C15


def test_mixed_numbers_are_the_outputs_of_splitmix64():
    states = np.array([(1234567 + i * STEP) % 2**64 for i in range(5)], dtype=np.uint64)
    assert mixed(states).tolist() == PUBLISHED


def test_sums_know_the_items_and_not_their_order():
    items = np.random.default_rng(1).integers(0, 2**63, 100).astype(np.uint64)
    assert sums(items[::-1]) == sums(items)
    assert sums(items)[0] == sum(items.tolist()) % 2**64
    # two items that trade a part of their value have the same plain sum, and another mixed one
    traded = items.copy()
    traded[0], traded[1] = items[0] + np.uint64(1), items[1] - np.uint64(1)
    assert sums(traded)[0] == sums(items)[0]
    assert sums(traded)[1] != sums(items)[1]
