"""Which columns are models: named, by pattern, or all that hold answers; in frames of any engine and in files."""

import contextlib
import json

import numpy as np
import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from clearwin.data.model_columns import _are_ids

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 60)
LABELS = {name: np.where(RNG.random(60) < e, 1 - Y, Y) for name, e in (("bert-1", 0.1), ("bert-2", 0.2), ("lr", 0.3))}
SCORES = {f"score of {name}": Y + RNG.normal(size=60) for name in LABELS}
TABLE = {"doc_id": np.arange(60), "text": [f"text {i}" for i in range(60)], "y": Y, **LABELS, **SCORES}


def frame(engine):
    return pytest.importorskip(engine).DataFrame(TABLE)


@pytest.mark.parametrize("engine", ["pandas", "polars"])
def test_without_names_the_models_are_the_columns_that_hold_answers(engine):
    how = {"n_resamples": 50, "rng": 1}
    found = cw.rank("y", data=frame(engine), **how)
    assert sorted(found.names) == sorted(LABELS)
    [told] = [c for c in found.caveats if c.code == "columns_left_out"]
    assert told.text.startswith("The models are all columns that hold labels of the truth. Left out: doc_id, text")
    assert found.pairs == cw.rank(Y, LABELS, **how).pairs
    scored = cw.rank("y", data=frame(engine)[["y", "doc_id", *SCORES]], measure="auc", **how)
    assert sorted(scored.names) == sorted(SCORES)
    lazy = frame("polars").lazy()
    assert sorted(cw.rank(data=lazy, measure="mean", **how).names) == sorted(["y", *LABELS, *SCORES])


@pytest.mark.parametrize("wanted", ["bert*", ["bert-?"], ["bert-1", "b*[12]"]])
def test_patterns_name_columns(wanted):
    found = cw.rank("y", wanted, data=frame("polars"), n_resamples=50, rng=1)
    assert sorted(found.names) == ["bert-1", "bert-2"]
    assert not [c for c in found.caveats if c.code == "columns_left_out"]


def test_a_column_that_is_called_like_a_pattern_is_that_column():
    import polars as pl

    odd = pl.DataFrame({"y": Y, "m*": LABELS["lr"], "m1": LABELS["bert-1"], "m2": LABELS["bert-2"]})
    assert sorted(cw.rank("y", ["m*", "m1"], data=odd, n_resamples=50).names) == ["m*", "m1"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"models": ["gpt*"]}, "There is no column named 'gpt*'"),
        ({"models": 3}, "models is 3"),
        ({"truth": "text"}, "None of the other columns holds labels of the truth"),
        ({"truth": "z"}, "There is no column named 'z'"),
        ({"models": "lr"}, "There is only 1 model to rank"),
    ],
)
def test_columns_that_cannot_be_found_are_explained(how, message):
    with pytest.raises(cw.ClearwinError) as raised:
        cw.rank(**{"truth": "y", "models": None, **how}, data=frame("polars"))
    assert message in str(raised.value)


def command(folder, *arguments):
    with contextlib.chdir(folder):
        return CliRunner().invoke(main, ["rank", *arguments, "--seed", "1", "--n-resamples", "50"])


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_the_command_takes_the_same_columns_from_files(tmp_path, ending):
    table, file = frame("polars"), tmp_path / f"preds.{ending}"
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[ending](file)
    every = command(tmp_path, file.name, "--truth", "y", "--json")
    assert every.exit_code == 0, every.output
    found = json.loads(every.stdout)
    assert sorted(model["name"] for model in found["models"]) == sorted(LABELS)
    [told] = [c["text"] for c in found["caveats"] if c["code"] == "columns_left_out"]
    assert told.startswith("The models are all columns that hold labels of the truth. Left out: doc_id, text")
    some = json.loads(command(tmp_path, file.name, "--truth", "y", "--models", "bert*", "--json").stdout)
    assert sorted(model["name"] for model in some["models"]) == ["bert-1", "bert-2"]
    scored = command(tmp_path, file.name, "--truth", "y", "--models", "score*", "--measure", "auc", "--json")
    assert sorted(model["name"] for model in json.loads(scored.stdout)["models"]) == sorted(SCORES)
    assert "use --models svm,rbf" in command(tmp_path, file.name, "--truth", "y").output
    unsaid = command(tmp_path, file.name)
    assert "The column of preds" in unsaid.output


def test_a_pipe_is_read_once(tmp_path):
    frame("polars").write_csv(tmp_path / "preds.csv")
    with contextlib.chdir(tmp_path):
        text = (tmp_path / "preds.csv").read_text()
        found = CliRunner().invoke(main, ["rank", "-", "--truth", "y", "--n-resamples", "50", "--json"], input=text)
    assert sorted(model["name"] for model in json.loads(found.stdout)["models"]) == sorted(LABELS)


@pytest.mark.parametrize(
    ("name", "values", "are_ids"),
    [
        ("id", [5, 9, 7], True),
        ("User-ID", ["5", "9", "7"], True),
        ("Unnamed: 0", [5, 9, 7], True),
        ("svm", [3, 4, 2], True),  # which count the rows
        ("svm", [5, 9, 7], False),
        ("id", [5, 5, 7], False),
        ("id", [0.5, 9, 7], False),
    ],
)
def test_ids_are_whole_numbers_without_repetition_that_are_called_so_or_count(name, values, are_ids):
    assert _are_ids(name, values) == are_ids
