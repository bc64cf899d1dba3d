"""What metrics are: numbers, decisions, label sets, spans, scores; and repeats."""

from __future__ import annotations

from itertools import combinations

import pytest

from clearwin.data.logs.base import Answer
from clearwin.data.logs.forms import Wish, columns_of, is_number, metric_of, of_repeats
from clearwin.errors import DataError, OptionError
from clearwin.measures import find


def rows(*values, metric="m"):
    return {"x": [Answer(str(i), {metric: value}) for i, value in enumerate(values)]}


def wish(measure=None, metric=None, **higher):
    return Wish(metric, None if measure is None else find(measure), higher)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("right", range(6))
def test_repeats_are_all_subsets(k, right):
    outcomes = [1] * right + [0] * (5 - right)
    subsets = list(combinations(outcomes, k))
    assert of_repeats(f"pass@{k}", right, 5) == pytest.approx(sum(map(any, subsets)) / len(subsets))
    assert of_repeats(f"pass^{k}", right, 5) == pytest.approx(sum(map(all, subsets)) / len(subsets))


def test_the_measure_follows_the_form():
    assert columns_of(rows(0, 1, 1, metric="exact_match"), wish()).measure.name == "accuracy"
    assert columns_of(rows(0.2, 1, 1, metric="rouge"), wish()).measure.name == "mean"
    assert columns_of(rows(0.2, 1, 1, metric="wer"), wish()).measure.name == "mean_loss"
    assert columns_of(rows(0, 1, 1, metric="mcc_loss"), wish(mcc_loss=False)).measure.name == "mean_loss"
    assert columns_of(rows([0, 1], [1, 1], metric="mcc"), wish()).measure.name == "mcc"
    assert columns_of(rows([["a"], ["b"]], [[], ["b"]], metric="macro_f1"), wish()).measure.name == "macro_f1"


def test_a_measure_that_the_metric_cannot_serve_is_refused():
    with pytest.raises(OptionError, match="says whether an answer is right, and F1 needs decisions"):
        columns_of(rows(0, 1), wish("f1"))
    with pytest.raises(OptionError, match="carries decisions, and mean value is a measure of values"):
        columns_of(rows([0, 1]), wish("mean"))
    with pytest.raises(OptionError, match="clearwin has no measure of this name"):
        columns_of(rows([0, 1], metric="mine"), wish())
    assert columns_of(rows([0, 1], metric="mine"), wish("kappa")).truth == [0]


def test_another_truth_is_refused():
    two = {**rows([0, 1], [1, 1]), "y": [Answer("0", {"m": [0, 1]}), Answer("1", {"m": [0, 1]})]}
    with pytest.raises(DataError, match="gold answers in m differ between the runs for 1 items"):
        columns_of(two, wish("f1"))


def test_gold_labels_are_sets():
    """The order of labels says nothing, so two runs that list them in another order have the same truth."""
    own = rows([["X", "Y"], ["X"]], [["Z"], ["Z"]], metric="micro_f1")
    other = [Answer("0", {"micro_f1": [["Y", "X"], ["Y"]]}), Answer("1", {"micro_f1": [["Z"], []]})]
    found = columns_of({**own, "y": other}, wish())
    assert found.truth == [["X", "Y"], ["Z"]]
    with pytest.raises(DataError, match="gold answers in micro_f1 differ between the runs for 1 items"):
        columns_of({**own, "y": [other[0], Answer("1", {"micro_f1": [["X"], []]})]}, wish())
    spelled = {m: [Answer("0", {"f1": [text, 0]})] for m, text in (("x", "S\u00e3o"), ("y", "Sa\u0303o"))}
    assert columns_of(spelled, wish()).truth == ["S\u00e3o"]


def test_the_metric_that_all_runs_share():
    two = {"x": [Answer("0", {"a": 1, "b": 1})], "y": [Answer("0", {"b": 1})]}
    assert metric_of(two, wish()) == "b"
    with pytest.raises(DataError, match="share no metric"):
        metric_of({**two, "z": [Answer("0", {})]}, wish())


def test_more_than_two_choices_have_no_scores():
    many = {"x": [Answer("0", {"acc": 1.0}, choices=(-1.0, -2.0, -3.0), truth=0)]}
    with pytest.raises(OptionError, match="these tasks have more choices"):
        columns_of(many, wish("auc"))


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (1.0, [0, 1]),
        ([0, 1], 1.0),
        ([0, 1], [0, 1, 1]),
        ([0, 1], [[0], 1]),
        ([0, 1], [0, {"x": 1}]),
        ([["a"], ["b"]], ["a", ["b"]]),
        (["PER: Ann", ["PER: Ann"]], ["PER: Ann", [7]]),
        (["PER: Ann", ["PER: Ann"]], [7, ["PER: Ann"]]),
    ],
)
def test_a_metric_that_is_not_the_same_kind_of_value_for_every_item_is_refused(first, other):
    with pytest.raises(DataError, match=r"for one item and .* for another"):
        columns_of(rows(first, other, metric="f1"), wish())


def test_two_choices_are_scores_of_the_second():
    rows = {"x": [Answer(str(i), {"acc": 1.0}, choices=(-2.0, -1.0 - i), truth=i % 2) for i in range(4)]}
    found = columns_of(rows, wish("auc"))
    assert (found.truth, found.answers["x"].tolist()) == ([0, 1, 0, 1], [1.0, 0.0, -1.0, -2.0])
    rows["x"].append(Answer("4", {"acc": 1.0}, choices=(-2.0, -1.0), truth=2))
    with pytest.raises(DataError, match="does not say which choice is right for"):
        columns_of(rows, wish("auc"))


def test_numbers_that_no_float_can_hold_cannot_be_judged():
    assert all(map(is_number, (0, True, 0.5, -(10**300), 10**308)))
    assert not any(map(is_number, (10**400, -(10**400), float("inf"), float("nan"), "1", None, [1])))
