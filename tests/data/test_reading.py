"""Every verb takes arrays, or a frame and the names of its columns, and says the same of both."""

from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics

import clearwin as cw
from clearwin.data.reading import (
    Reading,
    _thresholds,
    read_sample,
    refuse_labels,
    refuse_unranked,
    source_of_arrays,
)
from clearwin.data.scores import scored_items
from clearwin.measures import find

RNG = np.random.default_rng(14)
N = 300
TRUTH = RNG.integers(0, 2, N)
DECISIONS = {name: np.where(RNG.random(N) < rate, 1 - TRUTH, TRUTH) for name, rate in (("svm", 0.25), ("rbf", 0.15))}
SCORES = {f"score_{name}": 0.8 * x + RNG.random(N) for name, x in DECISIONS.items()}
LABELS = RNG.random((N, 3)) < 0.4
SAID = {name: LABELS ^ (RNG.random((N, 3)) < rate) for name, rate in (("a", 0.2), ("b", 0.1))}
AUTHOR, SOURCE = RNG.integers(0, 40, N), RNG.integers(0, 3, N)
COLUMNS = {"y": TRUTH, **DECISIONS, **SCORES, "author": AUTHOR, "source": SOURCE}
COLUMNS |= {f"gold_{i}": LABELS[:, i] * 1 for i in range(3)}
COLUMNS |= {f"{name}_{i}": SAID[name][:, i] * 1 for name in "ab" for i in range(3)}
FEW = {"n_resamples": 99, "rng": 7}


def duck(columns):
    frame = pd.DataFrame(columns)  # noqa: F841 - DuckDB finds it by its name
    return duckdb.sql("SELECT * FROM frame")


ENGINES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "arrow": pa.table, "duckdb": duck}


@pytest.fixture(params=ENGINES)
def frame(request):
    return ENGINES[request.param](COLUMNS)


def same(from_frame, from_arrays):
    """Compare all numbers; only the hash of rows that came in another order may differ, and it does not."""
    assert from_frame.to_dict() == from_arrays.to_dict()


@pytest.mark.parametrize("units", [{}, {"groups": "author"}, {"strata": "source"}], ids=str)
def test_compare_and_estimate(frame, units):
    arrays = {role: COLUMNS[name] for role, name in units.items()}
    names = ("svm", "rbf")
    for prefix, measure in (("", "f1"), ("score_", "auc"), ("score_", "mse")):
        a, b = (f"{prefix}{name}" for name in names)
        ours = cw.compare(data=frame, truth="y", a=a, b=b, measure=measure, **units, **FEW)
        same(ours, cw.compare(TRUTH, COLUMNS[a], COLUMNS[b], measure=measure, names=(a, b), **arrays, **FEW))
        ours = cw.estimate(data=frame, truth="y", a=a, measure=measure, **units, **FEW)
        same(ours, cw.estimate(TRUTH, COLUMNS[a], measure=measure, name=a, **arrays, **FEW))


def test_values_need_no_truth(frame):
    ours = cw.compare(data=frame, a="score_svm", b="score_rbf", measure="mean", **FEW)
    same(ours, cw.compare(None, *SCORES.values(), measure="mean", names=tuple(SCORES), **FEW))


def test_many_models(frame):
    for names, measure in ((["svm", "rbf"], "f1"), (["score_svm", "score_rbf"], "auc")):
        ours = cw.rank(data=frame, truth="y", models=names, measure=measure, groups="author", **FEW)
        same(ours, cw.rank(TRUTH, {name: COLUMNS[name] for name in names}, measure=measure, groups=AUTHOR, **FEW))
    with pytest.raises(cw.errors.OptionError, match="names of columns"):
        cw.rank(data=frame, truth="y", models={"svm": "svm"})
    with pytest.raises(cw.errors.UnknownNameError, match="no column named 'sum'"):
        cw.rank(data=frame, truth="y", models=["svm", "sum"])


def test_classes_curves_and_the_study(frame):
    ours = cw.compare_by_class(data=frame, truth="y", a="svm", b="rbf", strata="source", **FEW)
    same(ours, cw.compare_by_class(TRUTH, *DECISIONS.values(), strata=SOURCE, names=("svm", "rbf"), **FEW))
    ours = cw.curve(data=frame, truth="y", a="score_svm", b="score_rbf", rng=1)
    same(ours, cw.curve(TRUTH, *SCORES.values(), names=tuple(SCORES), rng=1))
    how = {"tests": ["permutation"], "test_size": 50, "n_sets": 4, "n_resamples": 19, "rng": 1}
    ours = cw.study(data=frame, truth="y", a="svm", b="rbf", **how)
    same(ours, cw.study(TRUTH, *DECISIONS.values(), names=("svm", "rbf"), **how))


def test_label_sets_are_lists_of_columns(frame):
    columns = {role: [f"{role}_{i}" for i in range(3)] for role in ("gold", "a", "b")}
    ours = cw.compare(data=frame, truth=columns["gold"], a=columns["a"], b=columns["b"], measure="macro_f1", **FEW)
    same(ours, cw.compare(LABELS, SAID["a"], SAID["b"], measure="macro_f1", **FEW))


def test_a_series_tells_its_name():
    frame = pd.DataFrame(COLUMNS)
    r = cw.compare(frame["y"], frame["svm"], frame["rbf"], **FEW)
    assert (r.name_a, r.name_b) == ("svm", "rbf")
    assert cw.estimate(frame["y"], frame["svm"], **FEW).name == "svm"
    # two of one name, or one without, are A and B
    assert cw.compare(frame["y"], frame["svm"], frame["svm"].copy(), **FEW).name_a == "A"
    assert cw.compare(frame["y"], frame["svm"], DECISIONS["rbf"], **FEW).name_b == "B"
    assert cw.compare(frame["y"], frame["svm"], frame["rbf"], names=("old", "new"), **FEW).name_a == "old"


def test_frames_say_where_label_sets_and_sums_go():
    frame = pd.DataFrame({"y": [1, 0], "a": [1, 0], "b": [0, 1]})
    for measure in ("hamming_loss", "f1_of_sums"):
        with pytest.raises(cw.ClearwinError, match=r"is a measure of label sets|a has shape"):
            cw.compare(data=frame, truth="y", a="a", b="b", measure=measure)
    with pytest.raises(cw.errors.OptionError, match="name of a column"):
        cw.compare(data=frame, truth="y", a="a", b="b", groups=np.array([1, 2]))


def test_classes_in_groups_are_counted_by_class():
    """Macro F1 of four classes in groups is scikit-learn's, also of some of the classes."""
    rng = np.random.default_rng(12)
    y, a, b = (rng.integers(0, 4, 80) for _ in "yab")
    for labels in (None, [1, 3]):
        how = {"measure": "macro_f1", "groups": np.arange(80) // 4, "labels": labels, "n_resamples": 20, "rng": 1}
        r = cw.compare(y, a, b, **how)
        for ours, said in ((r.estimate_a, a), (r.estimate_b, b)):
            assert ours == pytest.approx(metrics.f1_score(y, said, labels=labels, average="macro"), rel=1e-12)
        assert r.sampling.n_units == 20


def test_items_that_lack_something_are_left_out_with_their_groups():
    truth, a, b = [0, 1, 1, 0, 1], [0, 1, None, 0, 0], [0, 0, 1, 0, 1]
    groups = ["u", "u", "v", "v", None]
    some = cw.compare(truth, a, b, measure="accuracy", groups=groups, missing="drop", test="permutation", rng=1)
    plain = cw.compare(
        [0, 1, 0], [0, 1, 0], [0, 0, 0], measure="accuracy", groups=["u", "u", "v"], test="permutation", rng=1
    )
    assert (some.p_value, some.estimate_a, some.signature.n) == (plain.p_value, plain.estimate_a, 3)
    assert any(doubt.code == "dropped" for doubt in some.caveats)


def test_what_cannot_be_read_together_is_refused():
    with pytest.raises(cw.errors.OptionError, match="which rank does not take yet"):
        refuse_unranked(find("span_f1"))
    scored = scored_items([0, 1], [0.2, 0.8], [0.3, 0.6])
    with pytest.raises(cw.errors.OptionError, match="Both a threshold and a development set"):
        _thresholds(scored, find("accuracy"), 0.5, scored)
    with pytest.raises(cw.errors.OptionError, match="labels is for decisions and label sets"):
        refuse_labels(["x"], None)
    with pytest.raises(cw.errors.OptionError, match="separator is for decisions"):
        refuse_labels(None, ",")
    with pytest.raises(cw.errors.OptionError, match="does not have classes, so positive does not apply"):
        read_sample([2, 1], {"a": [[1, 1], [1, 1]], "b": [[2, 2], [0, 1]]}, find("span_f1"), Reading(positive=1))
    with pytest.raises(cw.errors.DataError, match="b is None"):
        source_of_arrays([0, 1], [0, 1], None, find("accuracy"), Reading())


def test_the_large_set_of_a_study_reads_some_classes_in_groups():
    """Macro F1 of two classes out of three, of the totals of all items, is that of scikit-learn."""
    stream = np.random.RandomState(2)
    truth, a, b = (stream.randint(0, 3, 60) for _ in range(3))
    how = Reading(groups=np.arange(60) // 4)
    sample, _ = source_of_arrays(truth, a, b, find("macro_f1"), how)([0, 2])
    of_a, _ = sample.units.read(sample.joint.counts)
    theirs = metrics.f1_score(truth, a, labels=[0, 2], average="macro")
    found = 2 * of_a.hits / (of_a.truths + of_a.predicted)
    assert found.mean() == pytest.approx(theirs)


def test_items_with_counts_are_won_by_the_higher_f1():
    """F1 = 2 right / (true + predicted) of each item, as fractions."""
    rng = np.random.default_rng(8)
    gold = rng.integers(1, 9, 60)
    models = {}
    for name in "ab":
        right = rng.integers(0, gold + 1)
        models[name] = np.stack([right, right + rng.integers(0, 4, 60)], axis=1)
    sample, _ = read_sample(gold, models, find("span_f1"), Reading())
    of = {
        name: [Fraction(int(2 * r), int(g + p)) for g, (r, p) in zip(gold, m, strict=True)]
        for name, m in models.items()
    }
    pairs = list(zip(of["a"], of["b"], strict=True))
    assert sample.items.outcomes == {
        "b_higher": sum(b > a for a, b in pairs),
        "a_higher": sum(a > b for a, b in pairs),
        "equal": sum(a == b for a, b in pairs),
    }
