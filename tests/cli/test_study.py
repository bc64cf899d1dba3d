"""clearwin study: what it takes, how it goes on after a kill, what to type next."""

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from tests.simulation.asked import correlated, label_sets, large_file, study


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return large_file(tmp_path)


@pytest.fixture
def big(tmp_path):
    rows = np.column_stack(correlated())
    file = tmp_path / "big.csv"
    file.write_text("\n".join(["y,svm,rbf", *(",".join(map(str, row)) for row in rows), ""]), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--sizes", "0"], "--sizes 25,50"),
        (["--sizes", "50,4001"], "--sizes 25,50"),  # ten times the 400 items are the most
        (["--alphas", "5"], "--alphas 0.1,0.05"),
        (["--test", "bootstrap/bcaa"], "--test bootstrap/bca"),
        (["--test", "auto/exact"], "--test studentised/drawn"),
        (["--test", "bootstrap", "--test", "bootstrap"], "--test permutation"),
        (["--measure", "macro_f1", "--category-set", "X=0,0"], "--category-set X=earn,acq"),
    ],
)
def test_what_to_type_next_can_be_typed(here, options, hint):
    run = study(*options)
    assert run.exit_code == 2
    assert run.stderr.splitlines()[-1] == f"  next: {hint}"


def test_a_large_set_of_one_item_is_refused_as_such(here):
    (here / "big.csv").write_text("y,svm,rbf\n1,1,0\n", encoding="utf-8")
    assert "The large set has one item" in study().stderr


def test_the_command_studies_a_claim(here):
    done = study("--claim", "better")
    assert done.exit_code == 0, done.output
    assert "for the claim that rbf is better" in " ".join(done.output.split())
    assert json.loads(study("--claim", "better", "--json").output)["claim"] == "better"


def test_help_says_what_stratified_does_here():
    told = " ".join(CliRunner().invoke(main, ["study", "--help"]).stdout.split())
    assert "Draw sets that keep the shares of the strata" in told


COLUMNS = ["--truth", "y", "--a", "svm", "--b", "rbf", "--test-size", "200", "--n-resamples", "99"]


def test_a_killed_study_goes_on_to_the_same_result(big, tmp_path, monkeypatch):
    """kill -9 after some blocks; --resume gives what the study gives that nobody has killed."""

    def command(*more, before=""):
        line = ["study", str(big), *COLUMNS, "--test", "bootstrap", "--sets", "160", "--json", *more]
        return [sys.executable, "-c", f"{before}from clearwin.cli import main; main()", *line]

    # killed from within, so that it is neither early nor late however slow the machine is
    killed_after_four = (
        "import os; from clearwin.simulation.checkpoints import Keeping; add, left = Keeping.add, list(range(4))\n"
        "def fatal(*block): left.pop() if left else os.kill(os.getpid(), 9); add(*block)\n"
        "Keeping.add = fatal\n"
    )
    victim = subprocess.run(command("--seed", "5", before=killed_after_four), cwd=tmp_path, stdout=subprocess.DEVNULL)
    assert victim.returncode == -signal.SIGKILL
    [kept] = tmp_path.glob("clearwin-study-*.jsonl")
    assert len(kept.read_bytes().splitlines()) == 1 + 4  # what it is a study of, and four blocks
    with kept.open("ab") as file:
        file.write(b'{"key": "drawn/0/200/99", "resu')  # a torn line
    monkeypatch.chdir(tmp_path)
    line = command("--seed", "5")[3:]
    refused = CliRunner().invoke(main, line)
    assert (refused.exit_code, "--resume" in refused.stderr) == (2, True)
    resumed = subprocess.run(command("--resume"), cwd=tmp_path, capture_output=True, text=True)
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert not list(tmp_path.glob("clearwin-study-*.jsonl"))
    assert resumed.stdout == CliRunner().invoke(main, line).stdout


def test_ctrl_c_keeps_finished_blocks_and_says_how_to_go_on(big, tmp_path, monkeypatch):
    from clearwin.simulation import checkpoints

    monkeypatch.chdir(tmp_path)
    written = itertools.count()
    add = checkpoints.Keeping.add

    def interrupted(self, key, result):
        if next(written) == 3:
            raise KeyboardInterrupt
        add(self, key, result)

    line = ["study", str(big), *COLUMNS, "--test", "permutation", "--sets", "40", "--json"]
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints.Keeping, "add", interrupted)
        stopped = CliRunner().invoke(main, line)
    [kept] = tmp_path.glob("*.jsonl")
    assert stopped.exit_code == 130
    assert kept.name in stopped.stderr
    assert "--resume" in stopped.stderr
    seed = json.loads(kept.read_text().splitlines()[0])["seed"]
    resumed = CliRunner().invoke(main, [*line, "--resume"])
    assert resumed.exit_code == 0
    assert json.loads(resumed.stdout)["signature"]["seed"] == seed  # chosen at random, and kept
    assert resumed.stdout == CliRunner().invoke(main, [*line, "--seed", seed]).stdout


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143)])
def test_a_study_that_is_ended_leaves_no_worker_and_no_open_pipe(big, tmp_path, sent, code):
    """Whoever reads what the study prints, as `| head` or a step of a pipeline does, must not wait for its workers."""
    line = ["study", str(big), *COLUMNS, "--test", "permutation", "--sets", "1000000", "--jobs", "2", "--json"]
    words = [sys.executable, "-c", "from clearwin.cli import main; main()", *line]
    study = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    workers = []
    try:
        while not any(file.read_bytes().count(b"\n") > 1 for file in tmp_path.glob("*.jsonl")):
            assert study.poll() is None
            time.sleep(0.05)
        workers = children_of(study.pid)
        assert len(workers) >= 2
        study.send_signal(sent)
        said, complaints = study.communicate(timeout=20)
        for _ in range(200):
            if not any(Path(f"/proc/{worker}").exists() for worker in workers):
                break
            time.sleep(0.05)
        assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]
    finally:
        for process in (study.pid, *workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    assert (study.returncode, said) == (code, "")
    if sent == signal.SIGTERM:
        assert "Finished blocks are kept in" in complaints
        assert "--resume continues" in complaints
        assert "Traceback" not in complaints


def test_resuming_another_study_is_refused(tmp_path):
    from clearwin.simulation.checkpoints import Keeping, read_kept

    file = tmp_path / "blocks.jsonl"
    header = {"what": "clearwin study", "version": "1", "streams": 2, "settings": {"n_sets": 10}}
    header |= {"data": {}, "test_set": {}}
    with Keeping(file, {**header, "seed": "5"}, append=False) as keeping:
        keeping.add("drawn/0/50/0", {"tests": [1.5, None]})
    kept, blocks = read_kept(file, {**header, "seed": None})
    assert kept == {**header, "seed": "5"}
    assert blocks == {"drawn/0/50/0": {"tests": [1.5, None]}}
    with pytest.raises(cw.errors.FileError, match="n_sets 10 instead of 20; seed 5 instead of 6"):
        read_kept(file, {**header, "settings": {"n_sets": 20}, "seed": "6"})
    with pytest.raises(cw.errors.FileError, match="cannot be resumed"):
        cw.study(*correlated(n=200), test_size=50, keep=tmp_path / "none", resume=True)
    with pytest.raises(cw.errors.FileError, match="finished blocks of an interrupted study"):
        cw.study(*correlated(n=200), test_size=50, keep=file)
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(cw.errors.FileError, match="does not begin like a file of finished blocks"):
        cw.study(*correlated(n=200), test_size=50, keep=tmp_path / "other", resume=True)


def test_the_command_takes_what_compare_takes(big, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = tmp_path / "labels.csv"
    rows = np.column_stack([x.astype(int) for x in label_sets(n=400)])
    head = ",".join(f"{role}_{c}" for role in ("gold", "a", "b") for c in "wxyz")
    labels.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows), ""]), encoding="utf-8")
    scores = tmp_path / "scores.csv"
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    noise = rng.normal(size=(400, 2))
    lines = [f"{y},{y + noise[i, 0]:.4f},{y + noise[i, 1]:.4f},{i // 4}" for i, y in enumerate(truth)]
    scores.write_text("\n".join(["y,a,b,speaker", *lines, ""]), encoding="utf-8")
    few = ["--test-size", "80", "--sets", "4", "--sizes", "80", "--n-resamples", "19", "--seed", "1", "--json"]
    for line, unit in (
        (
            [
                "labels.csv",
                "--truth",
                "gold_*",
                "--a",
                "a_*",
                "--b",
                "b_*",
                "--measure",
                "macro_f1",
                "--category-set",
                "X=w,x",
                "--category-set",
                "Y=y,z",
                "--test",
                "permutation",
            ],
            "document",
        ),
        (["scores.csv", "--truth", "y", "--a", "a", "--b", "b", "--measure", "auc", "--groups", "speaker"], "group"),
        (["scores.csv", "--truth", "y", "--a", "a", "--b", "b", "--threshold", "0.5", "--stratified"], "item"),
        (["scores.csv", "--a", "a", "--b", "b", "--measure", "mean", "--test", "paired_t"], "item"),
        (["big.csv", "--truth", "y", "--a", "svm", "--b", "rbf", "--test-set", "big.csv", "--alphas", "0.2"], "item"),
    ):
        run = CliRunner().invoke(main, ["study", *line, *few])
        assert run.exit_code == 0, run.output
        assert json.loads(run.stdout)["unit"] == unit
    run = CliRunner().invoke(main, ["study", "big.csv", "--truth", "y", "--a", "svm", "--b", "rbf"])
    assert run.exit_code == 2
    assert "--test-size 40" in run.stderr
    assert not list(tmp_path.glob("*.jsonl"))
