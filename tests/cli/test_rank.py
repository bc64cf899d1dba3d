"""clearwin rank: what Python says, its files, and what it refuses."""

import inspect
import json

import numpy as np
import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from tests.boards import two_classes


@pytest.fixture
def files(tmp_path):
    import polars as pl

    y, models = two_classes(n=80, m=3)
    ids = [f"{i:03}" for i in range(80)]
    author = [f"w{i // 4}" for i in range(80)]
    frame = pl.DataFrame({"doc": ids, "y": y, "author": author, **models})
    frame.write_csv(tmp_path / "preds.csv")
    frame.write_parquet(tmp_path / "preds.parquet")
    frame.select("doc", "y", "author").write_csv(tmp_path / "gold.csv")
    for name in models:
        shuffled = frame.select("doc", pl.col(name).alias("label")).sample(fraction=1, shuffle=True, seed=1)
        shuffled.write_csv(tmp_path / f"{name}.csv")
    return tmp_path, y, models, author


def run(folder, *arguments):
    import contextlib

    with contextlib.chdir(folder):
        return CliRunner().invoke(main, ["rank", *arguments])


@pytest.mark.parametrize(
    "how",
    [("f1", []), ("f1", ["--groups", "author"]), ("accuracy", ["--strata", "y"]), ("auc", ["--groups", "author"])],
)
def test_the_command_gives_what_python_gives(files, how):
    folder, y, models, author = files
    measure, more = how
    extra = {"groups": author} if "--groups" in more else {"strata": y.astype(str)} if more else {}
    settings = ["--measure", measure, "--seed", "1", "--n-resamples", "200", "--json", *more]
    scores = measure == "auc"
    texts = models if scores else {name: said.astype(str) for name, said in models.items()}
    expected = json.loads(cw.rank(y.astype(str), texts, measure=measure, rng=1, n_resamples=200, **extra).to_json())
    found = [
        run(folder, "preds.csv", "--truth", "y", "--models", "m0,m1,m2", *settings),
        run(folder, "preds.parquet", "--truth", "y", "--models", "m2,m0,m1", *settings),
        run(folder, "gold.csv", "m0.csv", "m1.csv", "m2.csv", "--truth", "y", "--id", "doc", *settings),
    ]
    for result in found:
        assert result.exit_code == 0, result.output
        assert json.loads(result.output) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["preds.csv", "--truth", "doc"], "--models svm,rbf"),
        (["preds.csv", "--truth", "y", "--models", "m0,m0"], "more than once"),
        (["preds.csv", "--truth", "y", "--models", "m0,m9"], "no column of preds.csv named 'm9'"),
        (["preds.csv", "--truth", "y", "--models", "m0,y"], "--models COLUMN,COLUMN"),
        (["preds.csv", "--models", "m0,m1"], "--truth COLUMN"),
        (["preds.csv", "--truth", "y", "--models", "m0,m1", "--baseline", "m2"], "no model named 'm2'"),
        (["gold.csv", "m0.csv", "m1.csv"], "without --id"),
        (["gold.csv", "m0.csv", "preds.csv", "--truth", "y", "--id", "doc"], "--models COLUMN,COLUMN"),
        (["gold.csv", "m0.csv", "m0.csv", "--truth", "y", "--id", "doc"], "Two models would be called m0.csv"),
        (["gold.csv", "m0.csv", "m1.csv", "--id", "doc", "--models", "a,b,c"], "--models names 3 columns"),
        (["preds.csv", "--truth", "y", "--models", "m0,m1", "--rank-infinite"], "for scores"),
        (["preds.csv", "--truth", "y", "--models", "m0,m1", "--confidence-level", "2"], "confidence_level is 2"),
    ],
)
def test_wrong_use_of_the_command(files, arguments, words):
    result = run(files[0], *arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_the_command_takes_values_without_a_truth(files):
    folder, _, models, author = files
    expected = cw.rank(None, models, measure="mean", rng=1, n_resamples=200, groups=author).to_dict()
    settings = ["--measure", "mean", "--seed", "1", "--n-resamples", "200", "--json"]
    one = run(folder, "preds.csv", "--models", "m0,m1,m2", "--groups", "author", *settings)
    assert json.loads(one.output) == json.loads(json.dumps(expected))
    several = run(folder, "m0.csv", "m1.csv", "m2.csv", "--id", "doc", *settings)
    names = {model["name"] for model in json.loads(several.output)["models"]}
    assert names == {"m0", "m1", "m2"}
    assert "does not use a truth" in run(folder, "preds.csv", "--truth", "y", "--models", "m0,m1", *settings).output


def test_settings_are_spelled_alike_in_python_and_on_the_command_line():
    assert set(inspect.signature(cw.rank).parameters) - {"data", "id"} <= {p.name for p in main.commands["rank"].params}


def test_ids_and_scores_are_no_decisions(files):
    import polars as pl

    folder = files[0]
    n = 1_200
    pl.DataFrame({"y": [0, 1] * (n // 2), "a": [0, 1] * (n // 2), "s": np.arange(n) / n}).write_csv(folder / "s.csv")
    result = run(folder, "s.csv", "--truth", "y", "--models", "a,s")
    assert result.exit_code == 2
    assert "as ids or scores do" in result.output


def test_the_command_writes_its_json(files):
    folder = files[0]
    ask = ["preds.csv", "--truth", "y", "--models", "m0,m1,m2", "--seed", "1", "--json", "board.json"]
    result = run(folder, *ask)
    assert result.exit_code == 0
    assert "3 studentised tests" in result.output
    assert json.loads((folder / "board.json").read_text())["correction"] == "holm"
    assert "exists already" in run(folder, *ask).output
