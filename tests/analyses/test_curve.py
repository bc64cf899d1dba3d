"""The verb ``curve`` and its command: numbers from their own definitions, words, JSON, files and refusals."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtri
from sklearn import metrics as sk

import clearwin as cw
from clearwin.cli import main
from clearwin.curves.dominance import Dominance, Stretch
from clearwin.wording.curves import dominance_words

HOSTILE = ["$x_1$", "<b>", "[bold]", "a\x1b[2J", "_hidden", "two\nlines", "{}", "\\$y$", "%s"]


def made(n=300, seed=1):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, truth + rng.normal(size=n), 2 * truth + rng.normal(size=n)


TRUTH, A, B = made()


def spaced(text):
    return " ".join(str(text).split())


# --- the verb -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_thresholds_as_printed_call_the_told_items_positive(kind):
    r = cw.curve(TRUTH, A.astype(kind), cost_fn=2)
    printed = [float(line.split()[-1]) for line in str(r).splitlines() if "at threshold" in line]
    equal, best = r.models[0].equal_error, r.models[0].lowest_cost
    assert printed == [equal.threshold, best.threshold]
    negative = A.astype(kind)[TRUTH == 0]
    assert [(negative >= t).mean() for t in printed] == [equal.fpr, best.fpr]
    same = cw.compare(TRUTH, A.astype(kind), B, measure="accuracy", threshold=printed[1], test="mcnemar")
    assert same.estimate_a == pytest.approx(1 - (best.fp + best.fn) / 300)


@pytest.mark.parametrize("kind", ["roc", "det", "pr"])
def test_key_points_are_those_of_the_definitions(kind):
    r = cw.curve(TRUTH, A, B, kind=kind, cost_fn=3, prior=0.2, names=("old", "new"))
    for model, scores in zip(r.models, (A, B), strict=True):
        points = cw.curves.operating_points(TRUTH == 1, scores)
        assert model.auc == pytest.approx(sk.roc_auc_score(TRUTH, scores), abs=1e-14)
        assert model.average_precision == pytest.approx(sk.average_precision_score(TRUTH, scores), abs=1e-14)
        assert model.equal_error == cw.curves.equal_error(points)
        assert model.lowest_cost == cw.curves.lowest_cost(points, cost_fn=3, prior=0.2)
        expected = {"roc": cw.curves.roc_curve, "det": cw.curves.det_curve, "pr": cw.curves.pr_curve}[kind](points)
        np.testing.assert_array_equal(model.curve.x, expected.x)
        np.testing.assert_array_equal(model.curve.y, expected.y)
        fpr, tpr, _ = sk.roc_curve(TRUTH, scores, drop_intermediate=False)
        assert [at.fpr for at in model.recall_at] == [0.01, 0.05, 0.1]
        assert [at.tpr for at in model.recall_at] == pytest.approx(np.interp([0.01, 0.05, 0.1], fpr, tpr))
        assert model.bands is None
    assert (r.kind, r.n, r.positives, r.negatives) == (kind, 300, TRUTH.sum(), 300 - TRUTH.sum())
    assert (r.positive, r.positive_inferred) == ("1", True)
    assert [model.name for model in r.models] == ["old", "new"]


def test_one_model_and_no_dominance():
    r = cw.curve(TRUTH, A)
    assert [model.name for model in r.models] == ["A"]
    assert r.dominance is None
    assert "cross" not in str(r)
    assert cw.curve(TRUTH, A, names=("svm",)).models[0].name == "svm"
    assert repr(r).startswith("ScoreCurves(roc: 'A' AUC 0.")


def test_labels_of_any_kind_and_the_other_class():
    words = np.where(TRUTH == 1, "spam", "ham")
    assert cw.curve(words, A, positive="spam").models[0].auc == cw.curve(TRUTH, A).models[0].auc
    turned = cw.curve(words, A, positive="ham").models[0].auc
    assert turned == pytest.approx(1 - cw.curve(TRUTH, A).models[0].auc, abs=1e-14)


@pytest.mark.parametrize("kind", ["roc", "det", "pr"])
def test_bands_hold_the_curve_and_come_again_with_the_seed(kind):
    first, again, other = (cw.curve(TRUTH, A, B, kind=kind, bands=True, n_resamples=199, rng=s) for s in (7, 7, 8))
    for one, two, three in zip(first.models, again.models, other.models, strict=True):
        np.testing.assert_array_equal(one.bands.low, two.bands.low)
        assert not np.array_equal(one.bands.low, three.bands.low)
        inner = slice(len(one.bands.x) // 10, -len(one.bands.x) // 10)
        assert (one.bands.low <= one.bands.y)[inner].all()
        assert (one.bands.y <= one.bands.high)[inner].all()
    assert first.to_json() == again.to_json()
    assert first.signature.seed == "7"
    assert "95 % at each point by itself, from 199 bootstrap replicates, seed 7" in spaced(first)


def test_bands_of_a_det_curve_are_those_of_the_roc_curve_bent():
    roc, det = (cw.curve(TRUTH, A, kind=k, bands=True, n_resamples=99, rng=1).models[0].bands for k in ("roc", "det"))
    np.testing.assert_array_equal(det.x, ndtri(roc.x[1:-1]))
    np.testing.assert_array_equal(det.low, ndtri(1 - roc.high[1:-1]))
    np.testing.assert_array_equal(det.high, ndtri(1 - roc.low[1:-1]))


def test_json_carries_everything_and_no_infinity():
    r = cw.curve(TRUTH, A, B, kind="det", bands=True, n_resamples=99, rng=1)
    found = json.loads(r.to_json(), parse_constant=pytest.fail)
    assert [model["name"] for model in found["models"]] == ["A", "B"]
    assert found["models"][0]["auc"] == r.models[0].auc
    assert found["dominance"]["crossings"] == list(r.dominance.crossings)
    assert "curve" not in found["models"][0]
    assert set(map(float, found["models"][0]["bands"]["low"])) == set(r.models[0].bands.low)
    whole = json.loads(cw.curve(TRUTH, A).to_json(points=True), parse_constant=pytest.fail)["models"][0]["curve"]
    assert whole["thresholds"][0] == "inf"
    assert float(whole["thresholds"][0]) == math.inf
    assert len(whole["x"]) == len(whole["y"]) == len(whole["thresholds"]) == 301


def test_the_table_in_words():
    text = spaced(cw.curve([1, 0, 1, 0], [0.9, 0.5, 0.4, 0.1], [0.9, 0.2, 0.8, 0.3], names=("old", "new"), rng=1))
    assert text.startswith("ROC curves of old and new, 4 items: 2 positive (1, inferred), 2 negative.")
    # by hand: old has one pair of four the wrong way round; between 0.9 and 0.4 one error of each kind meets
    for row in (
        "old new AUC 0.7500 1.0000",
        "average precision 0.8333 1.0000",
        "EER 0.5000 0.0000 95 % interval",
        "at threshold 0.5 0.8 lowest cost",
        "lowest cost 0.2500 0.0000 at threshold 0.9 0.8",
        "false negatives 1 (0.5000) 0 (0.0000) false positives 0 (0.0000) 0 (0.0000)",
        "break-even point 0.5000 1.0000",
        "recall at 1 % false positives 0.5000 1.0000",
        "new dominates: its ROC curve is nowhere below that of old.",
        "The smaller class has 2 items",
    ):
        assert row in text, row


def test_where_they_cross_in_words():
    same = dominance_words(Dominance("equal", (Stretch(0, 1, "equal"),)), "a", "b")
    assert same == "The two ROC curves are the same."
    three = tuple(Stretch(i / 4, (i + 1) / 4, "ab"[i % 2]) for i in range(4))
    assert dominance_words(Dominance("neither", three), "{}", "$") == (
        "The ROC curves cross 3 times, at false positive rates of 0.25, 0.5 and 0.75: {} lies above from 0 to 0.25, "
        "$ from 0.25 to 0.5, {} from 0.5 to 0.75, $ from 0.75 to 1."
    )
    many = tuple(Stretch(i / 20, (i + 1) / 20, "ab"[i % 2]) for i in range(20))
    words = dominance_words(Dominance("neither", many), "x", "y")
    assert "cross 19 times, at false positive rates between 0.05 and 0.95" in words
    assert words.endswith("in all x over 50.0 % and y over 50.0 % of the axis.")
    assert words.count(" from ") == 4
    tiny = (Stretch(0, 0.9, "a"), *(Stretch(0.9 + i / 1000, 0.901 + i / 1000, "ba"[i % 2]) for i in range(100)))
    words = dominance_words(Dominance("neither", tiny), "x", "y")
    assert "x lies above from 0 to 0.9, and shorter stretches; in all x over 95.0 % and y over 5.0 %" in words
    words = dominance_words(Dominance("neither", tiny[1:]), "x", "y")
    assert words.endswith("in short stretches, in all x over 5.0 % and y over 5.0 % of the axis.")


def test_scores_that_speak_for_the_other_class_get_a_caveat_and_are_not_flipped():
    r = cw.curve(TRUTH, A, -B, names=("fine", "turned"))
    [found] = [caveat for caveat in r.caveats if caveat.code == "wrong_way_round"]
    assert "turned has 0." in found.text
    assert "fine" not in found.text
    assert r.models[1].auc < 0.4
    assert not [caveat for caveat in cw.curve(TRUTH, A, B).caveats if caveat.code == "wrong_way_round"]


def test_more_than_two_classes_few_items_and_empty_replicates_are_said():
    truth = ["x"] * 1 + ["y"] * 4 + ["z"] * 4
    r = cw.curve(truth, np.arange(9.0), positive="x", bands=True, n_resamples=99, rng=1)
    assert {"against_others", "few_of_a_class", "undefined_replicates"} <= {caveat.code for caveat in r.caveats}


def test_hard_scores_give_the_curve_of_an_easy_copy():
    hard = np.array([-math.inf, -1e308, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1, 2), 1e308, math.inf])
    ranks = np.random.default_rng(3).integers(0, len(hard), 100)
    truth = np.random.default_rng(4).random(100) < (ranks + 2) / 12
    r, easy = cw.curve(truth, hard[ranks], rank_infinite=True), cw.curve(truth, ranks.astype(float))
    np.testing.assert_array_equal(r.models[0].curve.x, easy.models[0].curve.x)
    np.testing.assert_array_equal(r.models[0].curve.y, easy.models[0].curve.y)
    json.loads(r.to_json(points=True), parse_constant=pytest.fail)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name):
    text = str(cw.curve(TRUTH, A, B, names=(name, "B")))
    assert "\x1b" not in text
    assert name.replace("\x1b", r"\x1b").replace("\n", r"\n") in text


REFUSALS = {
    "kind": ({"kind": "rok"}, "did you mean 'roc'"),
    "kind of another type": ({"kind": ["roc"]}, "kind of curve"),
    "level": ({"confidence_level": 1.0}, "confidence_level is 1.0"),
    "level of another type": ({"confidence_level": "0.95"}, "confidence_level"),
    "resamples": ({"n_resamples": 0}, "n_resamples is 0"),
    "too few for the bands": ({"n_resamples": 38, "bands": True}, "n_resamples=39"),
    "cost": ({"cost_fn": -1}, "cost_fn is -1"),
    "cost of another type": ({"cost_fp": "3"}, "cost_fp is '3'"),
    "prior": ({"prior": 1.0}, "prior is 1.0"),
    "prior of another type": ({"prior": "half"}, "prior is 'half'"),
    "seed": ({"rng": -1}, "rng is -1"),
    "names": ({"names": "AB"}, "two different names"),
    "the same name twice": ({"names": ("x", "x")}, "two different names"),
    "one name for two": ({"names": ("x",)}, "two different names"),
}


@pytest.mark.parametrize("name", list(REFUSALS))
def test_refused_settings(name):
    settings, text = REFUSALS[name]
    with pytest.raises(cw.errors.OptionError) as refusal:
        cw.curve(TRUTH, A, B, **settings)
    assert text in str(refusal.value)


def test_refused_data():
    with pytest.raises(cw.errors.DataError, match="nan or missing"):
        cw.curve([1, 0], [1.0, math.nan])
    with pytest.raises(cw.errors.DataError, match="infinite"):
        cw.curve([1, 0], [1.0, math.inf])
    with pytest.raises(cw.errors.DataError, match="All items are of class"):
        cw.curve([1, 1], [1.0, 2.0])
    with pytest.raises(cw.errors.DataError, match="lengths differ"):
        cw.curve([1, 0], [1.0, 2.0], [1.0])


# --- the command ----------------------------------------------------------------------------------------------


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


def test_intervals_are_those_of_estimate():
    r = cw.curve(TRUTH, A, B, confidence_level=0.9, rng=3)
    for model, scores in zip(r.models, (A, B), strict=True):
        for measure, interval in (("auc", model.auc_interval), ("eer", model.eer_interval)):
            assert interval == cw.estimate(TRUTH, scores, measure=measure, confidence_level=0.9, rng=3).interval


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
    assert text.startswith("ROC curves of 9 models")
    rows = [line.split()[0] for line in text.splitlines() if line.strip().startswith("sys")]
    assert rows == [model.name for model in sorted(r.models, key=lambda model: -model.auc)]
    assert "--models was given with --a" in refused(*BOTH, "--models", "sys*")
    with pytest.raises(cw.errors.OptionError, match="Many models were given and b"):
        cw.curve(TRUTH, scores, A)


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
    assert "which column" in refused("scores.csv", "--truth", "key")
    assert "--n-resamples 39" in refused(*BOTH, "--bands", "--n-resamples", 38)
    assert "prior is 2.0" in refused(*BOTH, "--prior", 2)
    assert "2 files were given and no --id" in refused("gold.csv", "one.csv")
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
        "import sys; from clearwin.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "print(sorted(m for m in ('matplotlib', 'matplotlib.pyplot', 'scipy.stats') if m in sys.modules))"
    )
    for extra, imported in (((), []), (("--det", "--plot", "x.png"), ["matplotlib"])):
        call = [sys.executable, "-c", code, "curve", *BOTH, *extra]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == str(imported)
