"""Many models on many data sets: published tables, scipy, brute force, edges, words, files and the command."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest

import clearwin as cw
from tests.analyses.many_data_sets import RNG, TABLE

# --- pairs ----------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bits_for_any_workers():
    import joblib

    first = cw.rank_data_sets(TABLE, rng=7)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert cw.rank_data_sets(TABLE, rng=7) == first
    assert cw.rank_data_sets(TABLE, rng=8).pairs != first.pairs
    # a pair's posterior does not depend on which others are asked for
    alone = cw.rank_data_sets(TABLE, baseline="A", rng=7)
    assert [pair.posterior for pair in alone.pairs] == [pair.posterior for pair in first.pairs[:3]]


# --- edges ----------------------------------------------------------------------------------------------------


def test_swapped_and_turned():
    r = cw.rank_data_sets(TABLE[:, :2], rng=1)
    swapped = cw.rank_data_sets(TABLE[:, 1::-1], rng=1)
    turned = cw.rank_data_sets(-TABLE[:, :2], higher_is_better=False, rng=1)
    [p], [s], [t] = r.pairs, swapped.pairs, turned.pairs
    assert (s.difference, t.difference) == pytest.approx((-p.difference, -p.difference))
    assert p.p_value == s.p_value == t.p_value
    assert p.nemenyi_p == s.nemenyi_p == t.nemenyi_p
    assert (p.b_better, p.a_better) == (s.a_better, s.b_better) == (t.b_better, t.a_better)
    assert p.posterior == t.posterior
    assert (p.posterior.better, p.posterior.worse) == (s.posterior.worse, s.posterior.better)
    assert r.mean_ranks == turned.mean_ranks == swapped.mean_ranks[::-1]


@pytest.mark.parametrize("k", [2, 3, 6])
def test_identical_models_have_p_one(k):
    r = cw.rank_data_sets(np.repeat(TABLE[:, :1], k, axis=1), rng=1)
    assert (r.p_value, r.friedman.statistic, r.friedman.p_value) == (1.0, 0.0, 1.0)
    for pair in r.pairs:
        assert (pair.p_value, pair.adjusted_p, pair.nemenyi_p, pair.difference) == (1.0, 1.0, 1.0, 0.0)
        assert (pair.interval.low, pair.interval.high, pair.posterior.equivalent) == (0.0, 0.0, 1.0)
    assert r.groups == (r.names,)
    assert "No clear evidence that" in r.verdict()


def test_two_data_sets_are_few_and_that_is_said():
    r = cw.rank_data_sets([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]], rng=1)
    codes = [caveat.code for caveat in r.caveats]
    assert {"too_few_data_sets", "unbounded_interval", "chi2_approximation", "margin"} <= set(codes)
    assert r.pairs[0].interval.low == -math.inf
    assert "unbounded" in str(r)
    assert json.loads(r.to_json())["pairs"][0]["interval"]["low"] == "-inf"


def test_caveats_come_when_they_should_and_not_else():
    codes = {caveat.code for caveat in cw.rank_data_sets(RNG.random((11, 6)), rng=1).caveats}
    assert codes == {"one_number_each"}
    codes = {caveat.code for caveat in cw.rank_data_sets(RNG.integers(0, 3, (11, 6)) / 9, rng=1).caveats}
    assert codes == {"one_number_each", "ties", "zero_differences"}


@pytest.mark.parametrize(
    ("scores", "what"),
    [
        ([[1.0, 2.0]], "There is only 1 data set."),
        ([[1.0], [2.0]], "There is only 1 model."),
        (np.zeros((0, 3)), "There are no data sets."),
        ([1.0, 2.0], "shape (2,)"),
        ([[1.0, 2.0], [1.0]], "different lengths"),
        ([[1.0, math.nan], [1.0, 2.0]], "The score of B on data set 1 is"),
        ([[1.0, math.inf], [1.0, 2.0]], "The score of B on data set 1 is"),
        ([[1.0, 1e200], [1.0, 2.0]], "The score of B on data set 1 is"),
        ([[True, False], [True, True]], "The score of A on data set 1 is"),
        ({"x": [1, 2], "y": [1]}, "not equally long"),
        ({"x": [1, 2], "y": ["a", 1]}, "The score of y on data set 1 is 'a'."),
        (pd.DataFrame({"d": ["iris", "iris"], "x": [1, 2], "y": [2, 3]}), "'iris' has 2 rows"),
        (pd.DataFrame({"d": ["iris", "wine"], "e": ["a", "b"], "x": [1, 2], "y": [2, 3]}), "d, e are not numbers"),
    ],
)
def test_refusals_say_what_is_wrong(scores, what):
    with pytest.raises(cw.errors.DataError) as caught:
        cw.rank_data_sets(scores)
    assert what in caught.value.what
    assert caught.value.expected


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"margin": -1}, "margin is -1"),
        ({"margin": math.nan}, "margin is nan"),
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"correction": "none"}, "no correction named 'none'"),
        ({"baseline": "E"}, "no model named 'E'"),
        ({"names": ["x"]}, "names is ['x']"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_settings_outside_their_range(settings, what):
    with pytest.raises(cw.errors.OptionError) as caught:
        cw.rank_data_sets(TABLE, **settings)
    assert what in caught.value.what


# --- Friedman by permutation ----------------------------------------------------------------------------------


def test_a_pair_beside_nothing_is_told():
    a = np.linspace(0.6, 0.9, 40)
    r = cw.rank_data_sets({"a": a, "b": a + np.r_[np.full(21, -0.0001), np.full(19, 0.05)]}, n_resamples=50, rng=1)
    assert r.p_value > 0.05
    assert any(c.code == "overall_and_pairs" for c in r.caveats)


def test_a_long_table_is_the_same_as_a_wide_one():
    stream = np.random.RandomState(4)
    wide = {name: stream.rand(6) for name in ("x", "y", "z")}
    rows = [(f"d{i}", name, wide[name][i]) for name in wide for i in range(6)]
    long = pd.DataFrame(rows, columns=["task", "model", "acc"])
    columns = ("task", "model", "acc")
    there = cw.rank_data_sets(wide, rng=1, n_resamples=200)
    for frame in (long, dict(long), long.sample(frac=1.0, random_state=1).sort_values("model")):
        here = cw.rank_data_sets(frame, long=columns, rng=1, n_resamples=200)
        assert here.mean_ranks == there.mean_ranks
        assert [p.difference for p in here.pairs] == [p.difference for p in there.pairs]
    with pytest.raises(cw.errors.DataError, match="two scores or more of x on the data set 'd0'"):
        cw.rank_data_sets(pd.concat([long, long.head(1)]), long=columns)
    with pytest.raises(cw.errors.DataError, match="There is no score of z on 'd5'"):
        cw.rank_data_sets(long.head(17), long=columns)
    with pytest.raises(cw.errors.OptionError, match="three columns"):
        cw.rank_data_sets(long, long="task")
    with pytest.raises(cw.errors.DataError, match="long="):
        cw.rank_data_sets(long)


def test_groups_go_by_the_test_of_the_verdict():
    """b is a little better than a on every data set: Wilcoxon's test shows it, Nemenyi's average ranks cannot."""
    rng = np.random.default_rng(3)
    a = rng.random(12)
    others = {f"m{i}": a + rng.normal(scale=1.0, size=12) for i in range(6)}
    scores = {"a": a, "b": a + 0.001 * np.arange(1, 13), **others}
    r = cw.rank_data_sets(scores, n_resamples=10, rng=1)
    by_name = {frozenset((pair.name_a, pair.name_b)): pair for pair in r.pairs}
    together = {frozenset(two) for group in r.groups for two in itertools.combinations(group, 2)}
    assert together == {two for two, pair in by_name.items() if pair.decision == "not shown"}
    assert by_name[frozenset("ab")].decision == "better"
    assert any({"a", "b"} <= set(group) for group in r.nemenyi_groups)
    assert not any({"a", "b"} <= set(group) for group in r.groups)
    alone = cw.rank_data_sets(
        {"a": a, "b": a + 0.001 * np.arange(1, 13), **others}, baseline="a", n_resamples=10, rng=1
    )
    assert all("a" in group and len(group) == 2 for group in alone.groups)
    assert {name for group in alone.groups for name in group} == {"a", *others}
