"""Score files with four and five columns: genuine trials, identities that cross, order and missing numbers."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import roc_auc_score

import clearwin as cw
from clearwin.cli import main
from clearwin.errors import DataError, FileError, OptionError

RNG = np.random.default_rng(4)
TRIALS = [(c, r, f"{r}/{k}") for c in range(8) for r in range(8) for k in range(2)]
GENUINE = np.array([c == r for c, r, _ in TRIALS])
SCORES = {name: RNG.normal(size=len(TRIALS)) + shift * GENUINE for name, shift in (("old", 1.0), ("new", 2.0))}


def written(path, scores, *, model=False, order=None):
    lines = [
        f"s{c} {f'm{c} ' if model else ''}s{r} {probe} {score:.8f}"
        for (c, r, probe), score in zip(TRIALS, scores, strict=True)
    ]
    path.write_text("\n".join(lines if order is None else [lines[i] for i in order]) + "\n")
    return path


@pytest.mark.parametrize("model", [False, True])
def test_trials_are_paired_whatever_their_order(tmp_path, model):
    old = written(tmp_path / "old", SCORES["old"], model=model)
    new = written(tmp_path / "new", SCORES["new"], model=model, order=RNG.permutation(len(TRIALS)))
    r = cw.compare(data=cw.logs.read(old, new), measure="auc", n_resamples=99, rng=1)
    assert r.estimate_a == pytest.approx(roc_auc_score(GENUINE, SCORES["old"]))
    assert r.estimate_b == pytest.approx(roc_auc_score(GENUINE, SCORES["new"]))
    assert r.sampling.unit == "group"
    assert r.origin == "score file, scores"


def test_identities_cross(tmp_path):
    old, new = (written(tmp_path / name, scores) for name, scores in SCORES.items())
    runs = cw.logs.read(old, new)
    crossed = cw.compare(data=runs, measure="auc", n_resamples=99, rng=1)
    claimed, real = ([f"s{trial[place]}" for trial in TRIALS] for place in (0, 1))
    direct = cw.compare(GENUINE * 1, *SCORES.values(), measure="auc", groups=[claimed, real], n_resamples=99, rng=1)
    assert crossed.p_value == pytest.approx(direct.p_value)


def test_a_ranking_takes_one_kind_of_groups_and_says_so(tmp_path):
    files = [written(tmp_path / name, scores) for name, scores in SCORES.items()]
    board = cw.rank(data=cw.logs.read(*files), measure="auc", n_resamples=99, rng=1)
    assert board.caveats[0].text == "Groups by claimed and real cross; the ranking takes those by claimed only."


def test_a_measure_has_to_be_named(tmp_path):
    with pytest.raises(OptionError, match="several measures of scores"):
        cw.estimate(data=cw.logs.read(written(tmp_path / "old", SCORES["old"])))


def test_a_score_that_is_not_a_number_is_refused(tmp_path):
    old = written(tmp_path / "old", SCORES["old"])
    old.write_text(old.read_text() + "s1 s1 s1/9 nan\n")
    with pytest.raises(FileError, match=f"line {len(TRIALS) + 1}: the score is 'nan'"):
        cw.logs.read(old)


def test_other_trials_are_refused(tmp_path):
    old, new = (written(tmp_path / name, scores) for name, scores in SCORES.items())
    new.write_text(new.read_text().replace(" 1/0 ", " 1/7 "))
    with pytest.raises(DataError, match="answers are not in all runs"):
        cw.logs.read(old, new)


def test_trials_that_occur_twice_are_paired_by_order_and_doubted(tmp_path):
    old = tmp_path / "old"
    old.write_text("a a x 0.5\na a x 0.7\nb a x 0.1\n")
    runs = cw.logs.read(old)
    assert runs.n == 3
    assert "paired in the order of the lines" in runs.caveats[0].text


def test_four_columns_that_end_in_integers_are_judgements_and_not_scores(tmp_path):
    (tmp_path / "x").write_text("303 0 FBIS3-1 0\n303 0 FBIS3-2 1\n")
    with pytest.raises(FileError, match="logs of 0 formats"):
        cw.logs.read(tmp_path / "x")


def test_lines_that_are_odd_far_down_are_named(tmp_path):
    path = written(tmp_path / "old", SCORES["old"])
    whole = path.read_text()
    for line, words in (
        ("s0 s0 s0/9 0.5 1 2\n", "line 129 has 6 columns"),
        ("s0 s0 s0/9 high\n", "the score is 'high'"),
    ):
        path.write_text(whole + line)
        with pytest.raises(FileError, match=words):
            cw.logs.read(path)


def test_what_is_in_a_score_file_says_how_many_trials_are_genuine(tmp_path):
    old = written(tmp_path / "old", SCORES["old"])
    assert "  items    128 (16 genuine, 112 impostor)" in cw.logs.describe(old).splitlines()
    [system] = cw.logs.contents(old)["systems"]
    assert system["runs"][0]["kinds"] == {"genuine": 16, "impostor": 112}


@pytest.mark.parametrize("call", [cw.logs.read, cw.logs.describe, cw.logs.contents])
def test_four_columns_that_are_others_are_refused_with_a_table_to_make(tmp_path, monkeypatch, call):
    """As ASVspoof has them: utterance, attack, key, score. What is advised works."""
    monkeypatch.chdir(tmp_path)
    keys = ["spoof" if i % 3 else "bonafide" for i in range(60)]
    rows = [f"LA_{i} A{i % 7} {key} {i % 11}.{i % 5}" for i, key in enumerate(keys)]
    (tmp_path / "cm.txt").write_text("\n".join(rows) + "\n")
    with pytest.raises(FileError, match="60 lines like those of a score file, and none is a genuine trial") as caught:
        call("cm.txt")
    make = re.search(r"\(echo .* > scores.csv", caught.value.next)[0]
    ask = re.search(r"clearwin (estimate .*? CLASS)", caught.value.next)[1]
    subprocess.run(["sh", "-c", make], check=True)
    result = CliRunner().invoke(main, ask.replace("CLASS", "bonafide").split())
    assert result.exit_code == 0, result.output
    assert "EER of score" in result.output


def test_a_file_of_genuine_trials_only_is_refused(tmp_path):
    (tmp_path / "x").write_text("s1 s1 p1 0.5\ns2 s2 p2 0.25\n")
    with pytest.raises(FileError, match="none is an impostor trial: the claimed identity is always the real one"):
        cw.logs.describe(tmp_path / "x")


def test_identities_are_compared_as_unicode_says(tmp_path):
    (tmp_path / "x").write_text("S\u00e3o Sa\u0303o p1 0.5\nS\u00e3o Rio p2 0.25\n")
    assert "1 genuine, 1 impostor" in cw.logs.describe(tmp_path / "x")
