"""Recentring: one limit on how far weights may go, applied to the weights that are taken."""

import numpy as np
import pytest
from scipy.optimize import brentq

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.execution import Seed
from clearwin.measures import find
from clearwin.simulation.populations import FURTHEST, population, recentred


def whole(truth, a, b, measure):
    read = source_of_arrays(truth, a, b, find(measure), Reading())(None)
    return population(Question(*read, Options(n_resamples=19, seed=Seed(1))), stratified=False)


def one_sided(n, against):
    """B is right on all items but those few on which A is."""
    truth = np.arange(n) % 2
    few = np.arange(n) < against
    return whole(truth, np.where(few, truth, 1 - truth), np.where(few, 1 - truth, truth), "accuracy")


def factors(before, after):
    there = before.urn.weights > 0
    return (after.urn.weights[there] / after.urn.total) / (before.urn.weights[there] / before.urn.total)


def test_the_limit_is_where_it_is_said_to_be_whatever_the_size():
    """Items against are to weigh half of all: against · f = n / 2, so f is the limit at n = 2,000 · against."""
    for against in (1, 3, 20):
        below, above = (one_sided(round(2 * FURTHEST * against * part), against) for part in (0.98, 1.02))
        assert 900 < factors(below, recentred(below)).max() <= FURTHEST
        with pytest.raises(cw.errors.UndefinedError, match="weights up to 1,000 times"):
            recentred(above)


def test_it_stays_so_for_ever_larger_sets():
    kept = []
    for n in np.geomspace(100, 200_000, 23).astype(int) * 2:
        source = one_sided(int(n), 1)
        try:
            found = factors(source, recentred(source))
        except cw.errors.UndefinedError:
            kept.append(False)
        else:
            kept.append(True)
            assert found.max() <= FURTHEST
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) == 2


def test_no_item_is_weighed_away():
    """Weights are whole numbers, and of items 256 on average: a 700th of that would be none."""
    values = np.concatenate([np.linspace(-1, 1, 999) + 0.5, [3.9]])
    found = recentred(whole(None, np.zeros(1_000), values, "mean"))
    assert abs(found.difference) < 1e-3
    tilt = brentq(lambda x: (np.exp(x * values) * values).sum(), -5, 0)
    factor = np.exp(tilt * values[-1]) / np.exp(tilt * values).mean()
    assert 1 / FURTHEST < factor < 1 / 512  # or there is nothing to see here
    assert found.urn.weights[-1] == 1
