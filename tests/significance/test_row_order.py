"""Rows in time order get a question above the verdict; rows that are sorted by something else do not."""

import numpy as np
import pytest

import clearwin as cw
from tests.serial_data import TIMES, TRUTH, VALUES, A, B, N, decisions


def asks(result):
    found = [caveat for caveat in result.caveats if caveat.code == "time_order"]
    assert all(caveat.changes == "the decision" and "order=" in caveat.text for caveat in found)
    return bool(found)


@pytest.mark.parametrize("measure", ["f1", "accuracy", "macro_f1"])
def test_decisions_that_follow_one_another_are_noticed(measure):
    assert asks(cw.compare(TRUTH, A, B, measure=measure, rng=1))
    truth, a, _ = decisions(np.random.default_rng(2), 600, 0.8)
    assert asks(cw.estimate(truth, a, measure=measure, rng=1))


def test_the_question_stands_above_the_verdict():
    text = str(cw.compare(TRUTH, A, B, rng=1).verdict())
    assert text.startswith("Warning: Are these rows in time order?")


def test_it_is_not_asked_where_the_order_was_given_or_is_none():
    assert not asks(cw.compare(TRUTH, A, B, rng=1, order=TIMES))
    mixed = np.random.default_rng(1).permutation(N)
    assert not asks(cw.compare(TRUTH[mixed], A[mixed], B[mixed], rng=1))


@pytest.mark.parametrize("measure", ["mean", "f1", "auc", "brier"])
def test_files_sorted_by_anything_are_not_serial(measure):
    rng = np.random.default_rng(5)
    truth = (rng.random(N) < 0.4) * 1
    a, b = (1 / (1 + np.exp(-2 * truth + 1 - rng.normal(size=N))) for _ in range(2))
    a, b = ((a > 0.5) * 1, (b > 0.5) * 1) if measure == "f1" else (a, b)
    by_class = () if measure == "mean" else ((a, truth), (b, a, truth))
    for keys in ((truth,), (a,), (b,), (b - a,), *by_class):
        order = np.lexsort(keys)
        given = None if measure == "mean" else truth[order]
        assert not asks(cw.compare(given, a[order], b[order], measure=measure, rng=1, n_resamples=99)), keys


def test_slices_explain_their_part():
    slices = np.repeat(np.arange(5), N // 5)
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(2, N)) + np.array([[0.0], [1.0]]) * (slices % 2) * 3
    assert asks(cw.compare(None, a, b, measure="mean", rng=1))
    assert not asks(cw.compare(None, a, b, measure="mean", rng=1, by=slices))


def test_groups_are_looked_at_in_the_order_in_which_they_come():
    rng = np.random.default_rng(3)
    truth, a, b = (np.repeat(x, 2) for x in decisions(rng, 300, 0.9))
    assert asks(cw.compare(truth, a, b, measure="accuracy", groups=np.repeat(np.arange(300), 2), rng=1))
    truth, a, b = (np.repeat(x, 2) for x in decisions(rng, 300, 0.0))
    assert not asks(cw.compare(truth, a, b, measure="accuracy", groups=np.repeat(np.arange(300), 2), rng=1))


def test_a_column_of_dates_is_named():
    import pandas as pd

    frame = pd.DataFrame({"a": VALUES[0], "b": VALUES[1], "day": pd.date_range("2026-01-01", periods=N)})
    [caveat] = [
        c for c in cw.compare(data=frame, a="a", b="b", measure="mean", rng=1).caveats if c.code == "time_order"
    ]
    assert 'order="day"' in caveat.text
