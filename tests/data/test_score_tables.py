"""Tables of scores: arrays, mappings, frames and files with one row for each data set."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clearwin as cw
from clearwin.data.score_tables import read_long, read_scores, read_scores_file
from tests.analyses.many_data_sets import TABLE


def test_arrays_mappings_and_frames_are_the_same():
    few = TABLE[:6]
    columns = dict(zip("ABCD", few.T, strict=True))
    named = {"data": [f"set {i}" for i in range(6)], **columns}
    r = cw.rank_data_sets(few, n_resamples=99, rng=1)
    assert cw.rank_data_sets(columns, n_resamples=99, rng=1) == r
    assert cw.rank_data_sets(pl.DataFrame(columns), n_resamples=99, rng=1) == r
    assert cw.rank_data_sets(pd.DataFrame(columns), n_resamples=99, rng=1) == r
    for frame in (pd.DataFrame(named), pl.DataFrame(named), pd.DataFrame(named).set_index("data")):
        found = cw.rank_data_sets(frame, n_resamples=99, rng=1)
        assert (found.data_sets[5], found.pairs, found.names) == ("set 5", r.pairs, tuple("ABCD"))
    assert (
        cw.rank_data_sets(few, names=["w", "x", "y", "z"], baseline="x", n_resamples=99, rng=1).pairs[0].name_a == "x"
    )


def test_columns_that_are_no_models():
    from decimal import Decimal

    import pandas as pd

    frame = pd.DataFrame({name: np.random.default_rng(1).random(12) for name in ("nbc", "aode", "j48")})
    for kind in (object, lambda x: x.map(lambda v: Decimal(str(v)))):
        turned = frame.assign(j48=frame.j48.astype(object) if kind is object else kind(frame.j48))
        assert cw.rank_data_sets(turned, n_resamples=50, rng=1).names == ("nbc", "aode", "j48")
    for rows in (np.arange(12), np.arange(1, 13)):
        with pytest.raises(cw.errors.DataError, match="counts the rows"):
            cw.rank_data_sets(frame.assign(id=rows))
        with pytest.raises(cw.errors.DataError, match="counts the rows"):
            cw.rank_data_sets(frame[:3].assign(id=rows[:3]))
        # of two scores, 1 and 2 may well be what they are
        assert cw.rank_data_sets(frame[:2].assign(id=rows[:2]), n_resamples=50, rng=1).names[-1] == "id"
    with pytest.raises(cw.errors.OptionError, match="higher_is_better"):
        cw.rank_data_sets(frame, higher_is_better="no")
    with pytest.raises(cw.errors.DataError, match="masked"):
        cw.rank_data_sets(np.ma.array(frame.to_numpy(), mask=frame.to_numpy() > 0.9))


LONG = {"set": ["x", "x", "y", "y"], "who": ["svm", "knn", "svm", "knn"], "acc": [0.9, 0.8, 0.7, 0.6]}
WIDE = "data,svm,knn\nx,0.9,0.8\ny,0.7,0.6\nz,0.5,0.6\n"


def test_one_row_for_each_score_is_the_same_table():
    for rows in (LONG, pd.DataFrame(LONG), pl.DataFrame(LONG)):
        for columns in (("set", "who", "acc"), "set, who, acc"):
            table = read_long(rows, columns)
            assert (table.models, table.data_sets) == (("svm", "knn"), ("x", "y"))
            assert table.scores.tolist() == [[0.9, 0.8], [0.7, 0.6]]


@pytest.mark.parametrize(
    ("changed", "columns", "says"),
    [
        ({}, ("set", "who"), "long is"),
        ({}, 7, "long is 7"),
        ({}, ("set", "model", "acc"), "no column named 'model'"),
        ({"who": ["svm", "svm", "svm", "knn"]}, ("set", "who", "acc"), "two scores or more of svm on the data set 'x'"),
        ({"set": ["x", "z", "y", "y"]}, ("set", "who", "acc"), "There is no score of "),
    ],
)
def test_rows_of_scores_that_make_no_table(changed, columns, says):
    with pytest.raises(cw.errors.ClearwinError, match=says):
        read_long({**LONG, **changed}, columns)


@pytest.mark.parametrize(
    ("scores", "names", "says"),
    [
        ([[1, 2], [3]], None, "different lengths"),
        ([1, 2], None, r"has shape \(2,\)"),
        ({"a": [1, 2], "b": [1]}, None, "not equally long: a has 2, b has 1"),
        ({"a": [1, 2]}, None, "only 1 model"),
        ({}, None, "There are no models"),
        ({"a": [1], "b": [2]}, None, "only 1 data set"),
        ({"a": [], "b": []}, None, "There are no data sets"),
        ({"a": [1, True], "b": [2, 3]}, None, "The score of a on data set 2 is True"),
        ({"a": [1, "x"], "b": [2, 3]}, None, "The score of a on data set 2 is 'x'"),
        ({"a": [1, float("nan")], "b": [2, 3]}, None, "is nan"),
        ({"a": [1, 1e200], "b": [2, 3]}, None, "is 1e\\+200"),
        ([[1, 2], [3, 4]], ["x"], "a name for each of the 2 models"),
        ([[1, 2], [3, 4]], "xy", "names is 'xy'"),
        ([[1, 2], [3, 4]], ["x", "x"], "Two models are called 'x'"),
        (pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"], "c": [1, 2]}), None, "The columns a, b are not numbers"),
    ],
)
def test_tables_that_cannot_be_ranked(scores, names, says):
    with pytest.raises(cw.errors.ClearwinError, match=says):
        read_scores(scores, names)


def test_many_models_and_lazy_frames_have_names():
    assert read_scores(np.random.default_rng(1).random((3, 27))).models[-1] == "model 27"
    lazy = read_scores(pl.LazyFrame({"a": [0.1, 0.2], "b": [0.3, 0.4]}))
    assert (lazy.models, lazy.scores.tolist()) == (("a", "b"), [[0.1, 0.3], [0.2, 0.4]])

    class Strange:
        columns = ("a", "b")

    with pytest.raises(cw.errors.DataError, match="The Strange cannot be used"):
        read_scores(Strange())


def test_files_of_scores(tmp_path):
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    wide.write_text(WIDE)
    long.write_text("set,who,acc\nx,svm,0.9\nx,knn,0.8\ny,svm,0.7\ny,knn,0.6\n")
    found = read_scores_file(wide)
    assert (found.models, found.data_sets) == (("svm", "knn"), ("x", "y", "z"))
    assert found.scores.tolist() == [[0.9, 0.8], [0.7, 0.6], [0.5, 0.6]]
    assert read_scores_file(wide, ["knn", "svm"], "data").models == ("knn", "svm")
    assert read_scores_file(long, long="set,who,acc").scores.tolist() == [[0.9, 0.8], [0.7, 0.6]]


@pytest.mark.parametrize(
    ("text", "how", "says"),
    [
        (WIDE, {"models": ["svm", "rbf"]}, "no column of .* named 'rbf'"),
        (WIDE, {"long": "data,svm,rbf"}, "no column of .* named 'rbf'"),
        (WIDE.replace("0.9", "good"), {}, "t.csv: The score of svm on data set x is 'good'"),
        (WIDE.replace("y,", "x,"), {}, "t.csv: The data set 'x' has 2 rows"),
        ("data,of,svm,knn\nx,b,1,2\ny,b,2,2\n", {}, "the columns data, of do not hold numbers"),
        ("svm,knn\n", {}, "There are no data sets"),
    ],
)
def test_files_of_scores_that_cannot_be_ranked(tmp_path, text, how, says):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(cw.errors.ClearwinError, match=says):
        read_scores_file(tmp_path / "t.csv", **how)
