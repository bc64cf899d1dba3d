"""Right/wrong columns: whether each model was right on each item, where no truth is given."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

import clearwin as cw
from clearwin.cli import main
from clearwin.errors import DataError, OptionError

N = 300
DRAWS = np.random.RandomState(5).uniform(size=(3, N))
RIGHT = {name: draws < share for name, draws, share in zip("abc", DRAWS, (0.4, 0.6, 0.62), strict=True)}
SPELLINGS = {
    "True and False": lambda x: x,
    "1 and 0": lambda x: x.astype(int),
    "1.0 and 0.0": lambda x: x.astype(float),
    "texts": lambda x: np.where(x, "correct", "incorrect"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_marks_are_accuracy(name):
    """Only the items on which one model is right count: exact McNemar is a binomial test (scipy)."""
    a, b = (SPELLINGS[name](RIGHT[model]) for model in "ab")
    r = cw.compare(None, a, b, measure="accuracy", test="mcnemar", method="exact")
    only_b, only_a = int((RIGHT["b"] & ~RIGHT["a"]).sum()), int((RIGHT["a"] & ~RIGHT["b"]).sum())
    assert (r.estimate_a, r.estimate_b) == (RIGHT["a"].mean(), RIGHT["b"].mean())
    assert r.p_value == pytest.approx(binomtest(only_b, only_a + only_b).pvalue, rel=1e-9)
    assert (r.positive, r.caveats) == (None, ())
    assert cw.compare(None, a, b, measure="error_rate", rng=1).estimate_a == pytest.approx(1 - RIGHT["a"].mean())


def test_every_verb_and_every_door_takes_marks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({**RIGHT, "g": np.arange(N) // 3})
    frame.to_csv("marks.csv", index=False)
    frame.to_parquet("marks.parquet")
    how = {"measure": "accuracy", "rng": 1}

    def typed(line):
        answered = CliRunner().invoke(main, [*line.split(), "--measure", "accuracy", "--seed", "1"])
        assert answered.exit_code in (0, 1), answered.stderr
        return json.loads(answered.stdout)

    plain = json.loads(cw.compare(None, frame["a"], frame["b"], **how).to_json())
    for data in (frame, pl.DataFrame(frame)):
        assert json.loads(cw.compare(data=data, a="a", b="b", **how).to_json()) == plain
        ranked = json.loads(cw.rank(data=data, measure="accuracy", models=["a", "b", "c"], rng=1).to_json())
        assert ranked == json.loads(cw.rank(None, RIGHT, measure="accuracy", rng=1).to_json())
    for file in ("marks.csv", "marks.parquet"):
        assert typed(f"compare {file} --a a --b b --json") == plain
        assert typed(f"rank {file} --models a,b,c --json")["models"] == ranked["models"]
        found = typed(f"estimate {file} --a a --json")
        assert found == json.loads(cw.estimate(None, frame["a"], **how).to_json())
        grouped = cw.compare(None, frame["a"], frame["b"], groups=frame["g"], **how)
        assert typed(f"compare {file} --a a --b b --groups g --json")["p_value"] == grouped.p_value
        assert typed(f"plan --pilot {file} --a a --b b --difference 0.1 --json")["items"] > 10
        assert typed(f"gate {file} --a a --b b --margin 0.01 --json")["outcome"] == "pass"
    listed = CliRunner().invoke(
        main, [*["compare", "marks.csv", "--a", "a", "--b", "b", "--measure", "accuracy", "--disagreements", "d.csv"]]
    )
    assert listed.exit_code == 0
    assert len(Path("d.csv").read_text().splitlines()) == 1 + int((RIGHT["a"] != RIGHT["b"]).sum())


def test_a_model_that_is_always_right_is_no_copy_of_a_truth():
    r = cw.rank(None, {**RIGHT, "d": np.ones(N, dtype=bool)}, measure="accuracy", n_resamples=99, rng=1)
    assert not {"truth_itself", "labels_not_in_truth"} & {caveat.code for caveat in r.caveats}
    few = cw.compare(None, [True, None] * 20, [False, True] * 20, measure="accuracy", missing="drop")
    assert few.n == 20


def test_what_is_neither_right_nor_wrong_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="b holds 2, which says neither right nor wrong"):
        cw.compare(None, [0, 1, 1], [0, 1, 2], measure="accuracy")
    with pytest.raises(OptionError, match="names classes, and without a truth"):
        cw.compare(None, RIGHT["a"], RIGHT["b"], measure="accuracy", positive=True)
    with pytest.raises(DataError, match="F1 needs the truth"):
        cw.compare(None, RIGHT["a"], RIGHT["b"], measure="f1")
    frame = pd.DataFrame({**RIGHT, "label": RIGHT["c"]}).astype(int)
    frame.to_csv("f.csv", index=False)
    words = "No truth was given, and the column label is called like one"
    with pytest.raises(OptionError, match=words):
        cw.compare(data=frame, a="a", b="b", measure="accuracy")
    with pytest.raises(OptionError, match=words):
        cw.rank(data=frame, models=["a", "b"], measure="accuracy")
    for line in ("compare f.csv --a a --b b", "estimate f.csv --a a", "rank f.csv --models a,b"):
        refused = CliRunner().invoke(main, [*line.split(), "--measure", "accuracy"])
        assert (refused.exit_code, words in refused.stderr) == (2, True), line
    named = CliRunner().invoke(main, [*["compare", "f.csv", "--a", "a", "--b", "b", "--measure", "mean"]])
    assert named.exit_code == 0  # as the mean of numbers, which says so
    frame.astype(bool).to_csv("t.csv", index=False)
    refused = CliRunner().invoke(main, [*["compare", "t.csv", "--a", "a", "--b", "b", "--measure", "mean"]])
    assert "these are right and wrong answers: --measure accuracy" in refused.stderr
