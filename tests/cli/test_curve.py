"""clearwin curve: what Python says, its pictures, and what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from tests.two_scores import TRUTH, A, B


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids, words = [f"{i:03}" for i in range(300)], np.where(TRUTH == 1, "yes", "no")
    rows = zip(ids, words, map(repr, A.tolist()), map(repr, B.tolist()), strict=True)
    Path("scores.csv").write_text("utt,key,sys1,sys2\n" + "".join(",".join(row) + "\n" for row in rows))
    for name, column in (("gold", words), ("one", A.tolist()), ("two", B.tolist())):
        pairs = list(zip(ids, column, strict=True))[::-1]
        Path(f"{name}.csv").write_text("utt,value\n" + "".join(f"{i},{v}\n" for i, v in pairs))
    return tmp_path


BOTH = ("scores.csv", "--truth", "key", "--a", "sys1", "--b", "sys2", "--positive", "yes")


def run(*arguments):
    result = CliRunner().invoke(main, ["curve", *map(str, arguments)], catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def ran(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refused(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error:" in result.stderr.lower()
    return result.stderr


def test_the_command_prints_what_the_verb_says(folder):
    words = np.where(TRUTH == 1, "yes", "no")
    for flags, kind in (((), "roc"), (("--roc",), "roc"), (("--det",), "det"), (("--pr",), "pr")):
        r = cw.curve(words, A, B, kind=kind, positive="yes", names=("sys1", "sys2"), rng=1)
        assert ran(*BOTH, *flags, "--seed", 1) == f"{r}\n"
    assert json.loads(ran(*BOTH, "--pr", "--json", "--seed", 1)) == r.to_dict()


def test_one_model_costs_and_bands(folder):
    one = BOTH[:5] + BOTH[7:]
    costs = ("--cost-fn", 10, "--cost-fp", 2, "--prior", 0.01)
    found = json.loads(ran(*one, *costs, "--bands", "--n-resamples", 99, "--confidence-level", 0.9, "--json"))
    [model] = found["models"]
    assert [model["lowest_cost"][name] for name in ("cost_fn", "cost_fp", "prior")] == [10, 2, 0.01]
    assert (model["bands"]["level"], model["bands"]["n_resamples"]) == (0.9, 99)
    assert found["dominance"] is None


def test_files_of_their_own_joined_by_id(folder):
    together = json.loads(ran(*BOTH, "--id", "utt", "--json"))
    how = ("--id", "utt", "--positive", "yes", "--seed", 1, "--json")
    apart = json.loads(ran("gold.csv", "one.csv", "two.csv", *how))
    assert [model["name"] for model in apart["models"]] == ["one", "two"]
    assert [model["auc"] for model in apart["models"]] == [model["auc"] for model in together["models"]]
    single = json.loads(ran("gold.csv", "one.csv", *how))
    assert single["models"] == apart["models"][:1]


def test_one_column_twice_is_refused(folder):
    assert "sys1" in refused(*BOTH[:5], "--b", "sys1", "--positive", "yes")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "PNG"])
def test_pictures_are_of_their_kind(folder, ending):
    path = folder / f"curve.{ending}"
    ran(*BOTH, "--det", "--plot", path)
    start = path.read_bytes()[:400]
    kinds = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<svg", "pdf": b"%PDF-"}
    assert kinds[ending.lower()] in start


def test_a_file_is_not_written_over_unless_forced(folder):
    path = folder / "curve.svg"
    path.write_text("mine")
    text = refused(*BOTH, "--plot", path)
    assert "exists already" in text
    assert "--force" in text
    assert path.read_text() == "mine"
    ran(*BOTH, "--plot", path, "--force")
    assert "<svg" in path.read_text()


def test_refusals_of_the_command(folder):
    for name in ("curve.jpg", "curve", "curve.svg.gz"):
        text = refused(*BOTH, "--plot", name)
        assert ".png, .svg or .pdf" in text
        assert not Path(name).exists()
    assert "cannot be written" in refused(*BOTH, "--plot", "nowhere/curve.png")
    assert "--roc and --det were given" in refused(*BOTH, "--roc", "--det")
    assert "Which class is positive?" in refused(*BOTH[:7])
    assert "There is no column" in refused("scores.csv", "--truth", "key", "--a", "sys3")
    assert "is not a number" in refused("scores.csv", "--truth", "utt", "--a", "key")
    assert "for a was not given" in refused("scores.csv", "--truth", "key")
    assert "--n-resamples 39" in refused(*BOTH, "--bands", "--n-resamples", 38)
    assert "prior is 2.0" in refused(*BOTH, "--prior", 2)
    assert "2 files were given without --id" in refused("gold.csv", "one.csv")
    assert "2 files were given" in refused("gold.csv", "one.csv", "--id", "utt", "--b", "value")
    Path("bad.csv").write_text("key,s\nyes,1\nno,inf\n")
    assert "infinite" in refused("bad.csv", "--truth", "key", "--a", "s", "--positive", "yes")
    ran("bad.csv", "--truth", "key", "--a", "s", "--positive", "yes", "--rank-infinite")


@pytest.mark.parametrize("name", ["$x_1$", "<b>", "[bold]", "a\x1b[2J", "_hidden"])
def test_hostile_columns(folder, name):
    path = folder / "hostile.csv"
    path.write_text(f"key,{name}\nyes,3\nno,1\nyes,2\nno,2.5\n")
    text = ran(path, "--truth", "key", "--a", name, "--positive", "yes", "--plot", "hostile.svg")
    assert "\x1b" not in text
    shown = name.replace("\x1b", r"\x1b")
    assert shown in text
    picture = (folder / "hostile.svg").read_text(encoding="utf-8")
    assert f"{shown} (AUC 0.7500)".replace("<", "&lt;").replace(">", "&gt;") in picture
    assert "<b>" not in picture


def test_matplotlib_is_imported_only_for_a_picture(folder):
    code = (
        "import sys; from clearwin.cli import main\n"
        "for extra in ([], ['--det', '--plot', 'x.png']):\n"
        "    main([*sys.argv[1:], *extra], standalone_mode=False)\n"
        "    heavy = ('matplotlib', 'matplotlib.pyplot', 'scipy.stats')\n"
        "    print('imported', *(m for m in heavy if m in sys.modules))"
    )
    call = [sys.executable, "-c", code, "curve", *BOTH]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert re.findall("^imported.*", done.stdout, flags=re.M) == ["imported", "imported matplotlib"]


def test_many_models(folder, tmp_path):
    """Of every model what a curve of it alone says; by mapping, frame, pattern and command."""
    import polars as pl

    rng = np.random.default_rng(1)
    scores = {f"sys{j}": TRUTH * j / 4 + rng.normal(size=TRUTH.size) for j in range(9)}
    r = cw.curve(TRUTH, scores, rng=1)
    for model in r.models:
        alone = cw.curve(TRUTH, scores[model.name], names=(model.name,), rng=1).models[0]
        assert (model.auc, model.auc_interval, model.eer_interval) == (
            alone.auc,
            alone.auc_interval,
            alone.eer_interval,
        )
    assert r.dominance is None
    frame = pl.DataFrame({"y": TRUTH, **scores})
    for wanted in ("sys*", list(scores)):
        assert cw.curve("y", wanted, data=frame, rng=1).to_dict() == r.to_dict()
    frame.write_csv(tmp_path / "many.csv")
    told = json.loads(ran(str(tmp_path / "many.csv"), "--truth", "y", "--models", "sys*", "--seed", 1, "--json"))
    assert [model["auc"] for model in told["models"]] == [model.auc for model in r.models]
    text = str(r)
    assert "\nROC curves of 9 models" in text
    rows = [line.split()[0] for line in text.splitlines() if line.strip().startswith("sys")]
    assert rows == [model.name for model in sorted(r.models, key=lambda model: -model.auc)]
    assert "--models was given with --a" in refused(*BOTH, "--models", "sys*")
    with pytest.raises(cw.errors.OptionError, match="Both many models and b were given"):
        cw.curve(TRUTH, scores, A)


def test_recall_is_listed_at_a_further_rate(folder):
    """At half of the negatives by Python and by the command alike, and the printed call says so."""
    r = cw.curve(TRUTH, A, fpr=0.5, rng=1)
    assert r.models[0].recall_at[-1].fpr == 0.5
    assert "fpr=0.5" in r.summary().call
    told = json.loads(ran(*BOTH, "--fpr", 0.5, "--json"))
    assert [point["fpr"] for point in told["models"][0]["recall_at"]] == [0.01, 0.05, 0.1, 0.5]
