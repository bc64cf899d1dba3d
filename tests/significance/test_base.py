"""Every test is declared, and unknown names, methods and intervals are explained."""

import numpy as np
import polars as pl
import pytest

import clearwin as cw
from clearwin.errors import NotApplicableError
from clearwin.measures import find
from tests.every_test import OF_FOLDS, SCORES, a_measure_of, ask, every_test_of_decisions, judged
from tests.tables import ORDINARY

every_test = pytest.mark.parametrize(
    "test", [*cw.list_tests().values(), *OF_FOLDS], ids=lambda t: f"{t.name} of {t.over}"
)


@every_test
def test_every_test_is_fully_declared(test):
    for text in (test.label, test.question, test.formula, test.source, test.assumes):
        assert text.strip()
    assert "{a}" in test.null_hypothesis
    assert "{b}" in test.null_hypothesis
    assert set(test.judges) <= {"items", "classes", "none"}
    assert (test.takes == ("folds",)) == bool(test.designs) == (not test.methods)
    for word in () if test.designs else ("Null hypothesis", ">>>"):
        assert word in test.function.__doc__, f"the docstring of {test.name} lacks {word!r}"


def test_names_are_of_items_or_of_folds():
    for ask_by, names in (
        (lambda name: cw.compare(ORDINARY, test=name), cw.list_tests()),
        (lambda name: cw.compare_folds(*SCORES, test=name), cw.list_tests("folds")),
    ):
        for foreign in {*cw.list_tests(), *cw.list_tests("folds")} - set(names):
            with pytest.raises(cw.errors.UnknownNameError):
                ask_by(foreign)
    with pytest.raises(cw.errors.UnknownNameError, match="items, folds"):
        cw.list_tests("fold")


@every_test_of_decisions
def test_unknown_methods_and_intervals_are_explained(test):
    with pytest.raises(cw.errors.UnknownNameError, match="method of"):
        ask(ORDINARY, test, a_measure_of(test), method="exactly")
    with pytest.raises(cw.errors.UnknownNameError, match="interval of"):
        ask(ORDINARY, test, a_measure_of(test), interval="tangoo")


@judged
def test_every_verdict_names_its_null_hypothesis(test, measure, method):
    r = ask(ORDINARY, test, measure, method, names=("old", "new"))
    assert f"The null hypothesis is that {r.null_hypothesis}" in r.verdict()
    assert "old" in r.null_hypothesis
    assert "new" in r.null_hypothesis
    assert "probability that" not in str(r)
    assert " equal" not in r.verdict()


def test_auto_asks_whether_the_measure_is_equal():
    for measure in (m for m in cw.list_measures().values() if m.takes == "decisions"):
        r = cw.compare(ORDINARY, measure=measure, rng=1, n_resamples=100)
        assert (r.test, r.interval.method) == ("studentised", "inverted")
        assert "chosen automatically" in r.why
        assert f"same {r.measure_label}" in r.null_hypothesis


@pytest.mark.parametrize("name", [name for name, one in cw.list_tests().items() if one.can_judge(find("auc"))])
def test_scores_in_bins_are_for_tests_that_take_them(name):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    rows = pl.DataFrame({"y": y, "a": y + rng.normal(size=60), "b": y + rng.normal(size=60)})
    asked = {"truth": "y", "a": "a", "b": "b", "measure": "auc", "test": name, "bins": 64, "n_resamples": 50, "rng": 1}
    if name in ("delong", "bootstrap"):
        assert cw.compare(data=rows, **asked).caveats[0].code == "binned"
    else:
        with pytest.raises(NotApplicableError, match=r"counted in bins, and the .* needs each"):
            cw.compare(data=rows, **asked)


@pytest.mark.parametrize("name", [name for name, one in cw.list_tests().items() if one.can_judge(find("accuracy"))])
def test_crossed_groups_are_for_tests_that_take_them(name):
    """Twelve subjects, each seen by each of ten annotators."""
    rng = np.random.default_rng(3)
    subject, annotator = (place.ravel() for place in np.indices((12, 10)))
    y = rng.integers(0, 2, 120)
    a, b = (np.where(rng.random(120) < share, 1 - y, y) for share in (0.3, 0.2))
    asked = {"measure": "accuracy", "test": name, "groups": [subject, annotator], "n_resamples": 50, "rng": 1}
    if name == "studentised":
        assert "10 groups, crossed with 12," in cw.compare(y, a, b, **asked).why
    else:
        with pytest.raises(NotApplicableError, match="the groups here are crossed"):
            cw.compare(y, a, b, **asked)


@pytest.mark.parametrize(
    ("classes", "items", "test"), [(2, 4, "studentised"), (3, 4, "paired_proportion"), (3, 5, "studentised")]
)
def test_classes_of_a_handful_are_judged_one_by_one_where_there_are_many(classes, items, test):
    rng = np.random.default_rng(3)
    y = np.r_[np.zeros(items, dtype=int), rng.integers(1, classes, 80)]
    a, b = (np.where(rng.random(y.size) < share, rng.integers(0, classes, y.size), y) for share in (0.4, 0.3))
    assert cw.compare(y, a, b, measure="balanced_accuracy", n_resamples=50, rng=1).test == test
