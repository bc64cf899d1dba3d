"""Table 3 by slow obvious code, and by a study."""

import numpy as np
import pytest

import clearwin as cw
from clearwin.measures import find
from clearwin.results.keller2004 import NAMES, Decisions
from clearwin.simulation.keller2004.table_3 import columns_of, table_3
from clearwin.streams import Seed


def micro_f1(truth, decided):
    return 2 * (truth & decided).sum() / (truth.sum() + decided.sum())


def test_table_3_by_slow_obvious_code(small):
    """Redraw documents one by one: both columns agree within five standard errors."""
    rng = np.random.default_rng(8)
    for row, here in zip(small.table, columns_of(small.sets).values(), strict=True):
        found = {}
        for part, n in (("test", 2000), ("true", 2000)):
            truth, a, b = small.decisions[part].columns(here)
            drawn = [rng.integers(0, len(truth), row.test_size) for _ in range(n)]
            found[part] = np.array([micro_f1(truth[i], b[i]) - micro_f1(truth[i], a[i]) for i in drawn])
        truth, a, b = small.decisions["test"].columns(here)
        assert row.estimate_a == pytest.approx(micro_f1(truth, a))
        assert row.estimate_b == pytest.approx(micro_f1(truth, b))
        side = np.sign(row.difference)
        assert row.leader == NAMES[int(side > 0)]
        assert row.confidence == pytest.approx(
            np.mean(np.sign(found["test"]) == side), abs=5 * 0.5 * (1 / 500 + 1 / 2000) ** 0.5
        )
        assert row.value == pytest.approx(
            np.mean(np.sign(found["true"]) == side), abs=5 * 0.5 * (1 / 100 + 1 / 2000) ** 0.5
        )


def test_table_3_is_the_studys_own():
    """The same seed draws the same sets, so that --study adds to the table and does not change it."""
    rng = np.random.default_rng(3)
    truth = rng.random((900, 6)) < 0.2
    a, b = (np.where(rng.random(truth.shape) < 0.06, ~truth, truth) for _ in "ab")
    test, true = (Decisions(truth[rows], a[rows], b[rows]) for rows in (slice(100), slice(100, None)))
    sets = {"X": ("p", "q"), "Y": ("r", "s"), "Z": ("t", "u")}
    rows, replicates = table_3(test, true, sets, measure=find("micro_f1"), n_sets=30, seed=Seed(7))
    study = cw.study(
        *true.columns(slice(None)),
        measure="micro_f1",
        tests=("bootstrap",),
        test_set=test.columns(slice(None)),
        sizes=(100,),
        n_sets=30,
        n_resamples=99,
        category_sets=columns_of(sets),
        names=NAMES,
        rng=7,
        progress=False,
    )
    assert rows == study.confidence
    assert {len(values) for values in replicates.values()} == {10_000}


def test_two_models_alike_are_not_told_apart():
    truth = np.random.default_rng(0).random((300, 6)) < 0.3
    same = Decisions(truth, truth.copy(), truth.copy())
    sets = {"X": ("p", "q"), "Y": ("r", "s"), "Z": ("t", "u")}
    rows, _ = table_3(same, same, sets, measure=find("micro_f1"), n_resamples=100, n_sets=20, seed=Seed(1))
    assert {(row.leader, row.confidence, row.value, row.ties) for row in rows} == {(None, None, None, 1.0)}


def test_a_measure_of_which_less_is_better_has_the_right_leader():
    rng = np.random.default_rng(0)
    truth = rng.random((400, 6)) < 0.3
    bad = np.where(rng.random(truth.shape) < 0.2, ~truth, truth)
    better_b = Decisions(truth, bad, truth.copy())
    sets = {"X": ("p", "q"), "Y": ("r", "s"), "Z": ("t", "u")}
    rows, _ = table_3(better_b, better_b, sets, measure=find("hamming_loss"), n_resamples=100, n_sets=20, seed=Seed(1))
    assert {(row.leader, row.confidence, row.value) for row in rows} == {("gaussian", 1.0, 1.0)}
    assert rows[0].difference < 0
