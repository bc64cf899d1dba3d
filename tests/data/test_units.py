"""Label sets, groups and strata: the units are what they should be, and drawing and swapping them is too."""

import math

import numpy as np
import pytest
from scipy import sparse

import clearwin as cw
from clearwin.data.clusters import read_grouping
from clearwin.data.units import units_of_label_sets, units_of_sums
from tests.data.grouped import classes, label_sets


def test_a_group_of_copies_counts_once():
    """Five copies of every item, grouped: the same estimates, p and interval as without the copies."""
    y, a, b = classes(41, n=80)
    once = cw.compare(y, a, b, measure="macro_f1", test="bootstrap", rng=3)
    item = np.repeat(np.arange(80), 5)
    grouped = cw.compare(y[item], a[item], b[item], measure="macro_f1", test="bootstrap", rng=3, groups=item)
    naive = cw.compare(y[item], a[item], b[item], measure="macro_f1", test="bootstrap", rng=3)
    assert grouped.difference == pytest.approx(once.difference)
    one, whole, narrow = (r.interval.high - r.interval.low for r in (once, grouped, naive))
    assert whole == pytest.approx(one, rel=0.06)
    assert narrow == pytest.approx(one / math.sqrt(5), rel=0.06)
    assert grouped.sampling.design_effect == pytest.approx(5, rel=0.05)
    assert (grouped.sampling.n_units, grouped.sampling.smallest, grouped.sampling.largest) == (80, 5, 5)
    swapped = [
        cw.compare(y[i], a[i], b[i], measure="accuracy", test="permutation", groups=g, rng=1).p_value
        for i, g in ((np.arange(80), None), (item, item))
    ]
    assert swapped[0] == pytest.approx(swapped[1], rel=1e-9)


# --- what holds of all ----------------------------------------------------------------------------------------


def test_every_form_of_label_sets_gives_the_same_result():
    truth, a, b = label_sets(71, odd=False)
    dense = cw.compare(truth, a, b, measure="micro_f1", n_resamples=300, rng=1)
    forms = [
        [x.astype(int) for x in (truth, a, b)],
        [sparse.csr_matrix(x) for x in (truth, a, b)],
        [sparse.coo_array(x.astype(float)) for x in (truth, a, b)],
        [[np.flatnonzero(row).tolist() for row in x] for x in (truth, a, b)],
        [[set(np.flatnonzero(row).tolist()) for row in x] for x in (truth, a, b)],
    ]
    for form in forms:
        assert cw.compare(*form, measure="micro_f1", n_resamples=300, rng=1).to_json() == dense.to_json()
    texts = [[",".join(map(str, np.flatnonzero(row))) for row in x] for x in (truth, a, b)]
    told = cw.compare(*texts, measure="micro_f1", n_resamples=300, rng=1, separator=",")
    assert (told.p_value, told.difference, told.interval) == (dense.p_value, dense.difference, dense.interval)


def test_per_label_results_are_those_of_each_label_alone():
    truth, a, b = label_sets(81)
    groups = np.arange(300) // 6
    for how in ({}, {"groups": groups}):
        found = cw.compare_by_class(truth, a, b, n_resamples=200, rng=1, labels=[2, 3, 5], **how)
        assert [c.label for c in found.classes] == ["2", "3", "5"]
        for one, j in zip(found.classes, (2, 3, 5), strict=True):
            alone = cw.compare(truth[:, j], a[:, j], b[:, j], n_resamples=200, rng=1, **how)
            assert (one.p_value, one.interval, one.n) == (alone.p_value, alone.interval, truth[:, j].sum())
            assert one.p_value <= one.adjusted_p
        assert "3" in str(found)


def test_what_label_sets_cannot_be_asked():
    truth, a, b = label_sets(91)
    for measure in ("f1", "mcc", "dcf"):
        with pytest.raises(cw.errors.OptionError, match="several labels"):
            cw.compare(truth, a, b, measure=measure)
    with pytest.raises(cw.errors.NotApplicableError, match="label sets"):
        cw.compare(truth, a, b, measure="micro_f1", test="mcnemar")
    assert cw.compare(truth, a, b, measure="accuracy", test="mcnemar").measure == "subset_accuracy"
    with pytest.raises(cw.errors.OptionError, match="positive"):
        cw.compare(truth, a, b, measure="micro_f1", positive=1)
    y, c, d = classes(91)
    with pytest.raises(cw.errors.OptionError, match="not an average"):
        cw.compare(y, c, d, measure="mcc", labels=[1])
    with pytest.raises(cw.errors.UnknownNameError, match="7"):
        cw.compare(y, c, d, measure="macro_f1", labels=[7])
    with pytest.raises(cw.errors.OptionError, match="label sets"):
        cw.compare(y, c, d, measure="hamming_loss")


# --- groups and strata ----------------------------------------------------------------------------------------


def test_strata_whose_items_all_have_one_outcome():
    """Two perfect models: of every class there is one combination of labels, and of it many items."""
    y = [0] * 10 + [1] * 10
    for verb in (
        lambda: cw.compare(y, y, y, measure="accuracy", strata=y, n_resamples=50),
        lambda: cw.rank(y, {"a": y, "b": y}, measure="accuracy", strata=y, n_resamples=50),
    ):
        assert verb().sampling.strata == {"0": 10, "1": 10}


def smallest_disagreements(units):
    """The counts of A and of B for each of them alone."""
    rows = units.disagreements
    return units.read(rows.add_up(np.eye(rows.size, dtype=np.int64), units.n_features))


def test_the_smallest_disagreements_of_spans():
    """A span that is there and found by one model, and one that one model predicts in vain: as counts of A and of B."""
    units = units_of_sums(np.array([[3, 2], [1, 1], [2, 1], [2, 2], [2, 3]]), read_grouping(2, None, None))
    a, b = smallest_disagreements(units)
    assert a.truths[0].tolist() == b.truths[0].tolist() == [1, 1, 0, 0]
    assert (a.hits[0].tolist(), a.predicted[0].tolist()) == ([1, 0, 0, 0], [1, 0, 1, 0])
    assert (b.hits[0].tolist(), b.predicted[0].tolist()) == ([0, 1, 0, 0], [0, 1, 0, 1])


@pytest.mark.parametrize("count_items", [False, True])
def test_the_smallest_disagreements_of_label_sets(count_items):
    """Each of two labels is given by B in vain, by A in vain, found by B alone, by A alone, in one document each."""
    codes, who, times = np.arange(2), np.array([7, 7], np.uint8), np.ones(1, np.int64)
    units = units_of_label_sets(codes, who, 2, times, read_grouping(1, None, None), count_items=count_items)
    a, b = smallest_disagreements(units)
    kinds = {  # in vain by B, by A, found by B, by A
        "truths": ([0, 0, 1, 1], [0, 0, 1, 1]),
        "predicted": ([0, 1, 0, 1], [1, 0, 1, 0]),
        "hits": ([0, 0, 0, 1], [0, 0, 1, 0]),
    }
    for name, adds in kinds.items():
        for found, of_model in zip((a, b), adds, strict=True):
            assert getattr(found, name).tolist() == np.kron(of_model, np.eye(2)).tolist(), name
    assert a.n.tolist() == b.n.tolist() == [1] * 8
