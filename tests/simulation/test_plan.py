"""What a study is asked: settings checked, sizes of whole groups, sizes beyond the data."""

import numpy as np
import pytest

import clearwin as cw
from tests.simulation.asked import ASKED, FEW, correlated, decisions, grouped, label_sets


def test_sizes_of_whole_groups_are_those_that_are_drawn():
    a, b, groups = grouped(30, 100)
    s = cw.study(None, a, b, measure="mean", groups=groups, test_size=200, n_sets=4, n_resamples=19, rng=1)
    assert s.sizes == (200,)  # 25, 50, 100 and 200 items are two groups, all of them
    assert {row.test_size for row in s.power} == {200}
    a, b, groups = grouped(2, 200)
    s = cw.study(None, a, b, measure="mean", groups=groups, test_size=100, n_sets=4, n_resamples=19, rng=1)
    assert (s.test_size, s.units, s.items_per_unit) == (400, 2, 200)
    assert "2 groups (about 400 items)" in str(s)
    assert "100 items were asked for" in str(s)
    assert "of 100" not in s.summary().headline
    whole = cw.study(None, a, b, measure="mean", groups=groups, test_size=400, n_sets=4, n_resamples=19, rng=1)
    assert s.power == whole.power
    assert {caveat.code for caveat in s.caveats} - {caveat.code for caveat in whole.caveats} == {"whole_groups"}


def test_one_level_and_one_size_are_lists_of_one():
    data = decisions(300)
    how = {**FEW, "n_sets": 3}
    one = cw.study(*data, **{**how, "sizes": 50, "alphas": 0.05, "tests": "bootstrap"})
    assert one.sizes == (50, 100)
    assert one.alphas == (0.05,)
    several = cw.study(*data, **{**how, "sizes": np.array([50]), "alphas": [0.05, 0.05], "tests": ["bootstrap"]})
    assert several.to_json() == one.to_json()


def test_sizes_beyond_the_data_are_told_or_refused():
    data = decisions(300)
    s = cw.study(*data, **{**ASKED, "sizes": [600], "n_sets": 3})
    [told] = [caveat.text for caveat in s.caveats if caveat.code == "beyond_the_data"]
    assert "sets of 600 items are larger than the large set of 300" in told
    assert "beyond_the_data" not in {caveat.code for caveat in cw.study(*data, **{**ASKED, "n_sets": 3}).caveats}
    for size in (3_001, 10**9):
        with pytest.raises(cw.errors.OptionError, match=f"sizes has {size}") as error:
            cw.study(*data, **{**ASKED, "sizes": [size]})
        assert "10 times the 300 items" in error.value.expected


def test_category_sets_are_rows():
    s = cw.study(
        *label_sets(),
        measure="macro_f1",
        category_sets={"X": [0, 1], "Y": [2, 3]},
        test_size=200,
        n_sets=20,
        sizes=[200],
        n_resamples=99,
        tests=["bootstrap"],
        rng=1,
    )
    assert [row.category_set for row in s.confidence] == ["X", "Y"]
    for name, labels in (("X", [0, 1]), ("Y", [2, 3])):
        whole = cw.compare(*label_sets(), measure="macro_f1", labels=labels, test="permutation", n_resamples=1, rng=1)
        row = next(r for r in s.confidence if r.category_set == name)
        assert row.true_difference == pytest.approx(whole.difference)
    truth, a, b = (np.argmax(x, axis=1) for x in label_sets())
    s = cw.study(
        truth,
        a,
        b,
        measure="macro_f1",
        category_sets={"X": [0, 1]},
        test_size=200,
        n_sets=4,
        sizes=[200],
        n_resamples=99,
        tests=["bootstrap"],
        rng=1,
    )
    alone = cw.compare(truth, a, b, measure="macro_f1", labels=[0, 1], test="permutation", n_resamples=1, rng=1)
    assert s.confidence[0].true_difference == pytest.approx(alone.difference)


def test_settings_are_checked():
    data = correlated(n=200)
    for wrong, words in (
        ({}, "size of a test set was not given"),
        ({"test_size": 1}, "test_size is 1"),
        ({"test_size": 201}, "test_size is 201"),
        ({"test_size": 50, "n_sets": 1}, "n_sets is 1"),
        ({"test_size": 50, "sizes": [1.5]}, "sizes has 1.5"),
        ({"test_size": 50, "alphas": [0]}, "alphas has 0"),
        ({"test_size": 50, "tests": ["mcnemar"]}, "F1 is not a sum"),
        ({"test_size": 50, "tests": ["bootstrap/exact"]}, "'exact', which is not a method"),
        ({"test_size": 50, "tests": []}, "tests is"),
        ({"test_size": 50, "category_sets": {}}, "category_sets is"),
        ({"test_size": 50, "resume": True}, "no file to resume"),
        ({"test_set": (1, 2)}, "not a test set"),
    ):
        with pytest.raises(cw.ClearwinError, match=words):
            cw.study(*data, **wrong)
