"""Decisions of many models: equal rows put together, counts of every model, one model alone, what tells two apart."""

import numpy as np
import pytest

import clearwin as cw
from clearwin.data import decisions
from clearwin.data.arrays import LabelColumn
from clearwin.data.decisions import read_answers
from clearwin.measures import find
from clearwin.resampling import of_counts
from tests.boards import three_classes, two_classes


def test_strata_keep_their_sizes_in_every_replicate():
    y, models = two_classes(m=3)
    measure = find("f1")
    table = read_answers(y, models, measure, strata=y).table(measure)
    totals = of_counts.drawing(table.rows, table.strata, table.n_features).totals(np.random.default_rng(1), 50)
    assert totals[:2] == pytest.approx(np.broadcast_to(np.bincount(y)[:, None], (2, 50)))  # n − 1 draws of n/(n − 1)


@pytest.mark.parametrize("measure", ["f1", "mcc", "macro_f1"])
def test_the_table_of_all_models_reads_the_confusion_matrix_of_each(measure):
    """Against a plain count of pairs."""
    y, models = (two_classes if measure == "f1" else three_classes)()
    chosen = find(measure)
    table = read_answers(y, models, chosen).table(chosen)
    k = 2 if measure == "f1" else 3
    for said, counts in zip(models.values(), table.read(table.observed), strict=True):
        matrix = np.zeros((k, k), dtype=int)
        np.add.at(matrix, (y, said), 1)
        assert counts.hits.tolist() == matrix.diagonal().tolist()
        assert counts.predicted.tolist() == matrix.sum(axis=0).tolist()
        assert counts.truths.tolist() == matrix.sum(axis=1).tolist()


def test_rows_are_put_together_exactly_however_many_combinations_there_are(monkeypatch):
    y, models = two_classes(n=400, m=12)
    measure = find("f1")
    plain = read_answers(y, models, measure)
    monkeypatch.setattr(decisions, "MOST_KEYS", 64)
    folded = read_answers(y, models, measure)
    assert plain.fingerprint == folded.fingerprint
    assert plain.items.size == len({tuple(row) for row in np.stack([y, *models.values()]).T.tolist()})


def test_one_model_alone_is_what_estimate_reads():
    y, models = three_classes()
    measure = find("macro_f1")
    many = read_answers(y, models, measure)
    for j, said in enumerate(models.values()):
        alone = many.of_model(j)
        assert alone.estimates(measure)[0] == many.estimates(measure)[j]
        assert alone.estimates(measure)[0] == cw.estimate(y, said, measure="macro_f1", n_resamples=9).estimate
        assert alone.class_sizes(measure) == many.class_sizes(measure)
    assert many.outcomes["all_right"] == int(np.all([said == y for said in models.values()], axis=0).sum())


def test_rows_that_stand_for_several_items_are_those_items():
    y, models = two_classes(m=3)
    measure = find("f1")
    every = read_answers(y, models, measure, strata=y)
    rows, items = np.unique(np.stack([y, *models.values()]), axis=1, return_counts=True)
    columns = [LabelColumn(places, [0, 1]) for places in rows]
    told = read_answers(columns[0], dict(zip(models, columns[1:], strict=True)), measure, strata=rows[0], items=items)
    assert (told.fingerprint, told.n, told.sampling) == (every.fingerprint, every.n, every.sampling)


def test_what_tells_two_models_apart_depends_on_the_measure():
    """A right answer and a wrong one differ for accuracy; two different wrong ones do so for F1 over classes only."""
    y, a, b = np.array([0, 1, 2, 2]), np.array([0, 1, 0, 2]), np.array([0, 0, 1, 2])
    pairs = [(0, 1)]
    for measure, expected in (("accuracy", 1), ("macro_f1", 2)):
        found = read_answers(y, {"a": a, "b": b}, find(measure))
        assert found.units_that_differ(find(measure), pairs) == [expected] == [found.n_differing_units(find(measure))]
    grouped = read_answers(y, {"a": a, "b": b}, find("macro_f1"), groups=[0, 1, 1, 0])
    assert grouped.units_that_differ(find("macro_f1"), pairs) == [1]
    assert grouped.ungrouped().units_that_differ(find("macro_f1"), pairs) == [2]
