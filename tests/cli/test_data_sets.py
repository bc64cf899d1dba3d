"""clearwin datasets: what Python says, its picture, and what it refuses."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from tests.analyses.many_data_sets import frame


def run(*arguments):
    return CliRunner().invoke(main, ["datasets", *map(str, arguments)])


@pytest.fixture
def file(tmp_path):
    frame().to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def test_the_command_gives_what_python_gives(file):
    # pandas before 3 does not read every number back as it has written it
    expected = cw.rank_data_sets(frame(), rng=1, margin=0.1)
    done = run(file, "--margin", 0.1, "--seed", 1, "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, expected.to_dict())
    assert run(file, "--margin", 0.1, "--seed", 1).stdout.rstrip() == str(expected)
    two = run(file, "--models", "j48,nbc", "--name", "data", "--lower-is-better", "--baseline", "nbc", "--json")
    found = json.loads(two.stdout)
    assert (found["names"], found["higher_is_better"], len(found["pairs"])) == (["j48", "nbc"], False, 1)


def test_settings_are_spelled_alike_in_python_and_on_the_command_line():
    in_python = set(inspect.signature(cw.rank_data_sets).parameters) - {"scores", "names", "higher_is_better"}
    assert in_python <= {p.name for p in main.commands["datasets"].params}


def test_scipy_stats_is_never_needed(file):
    words = ["datasets", str(file), "--n-resamples", "99"]
    code = f"import sys; from clearwin.cli import main; main({words}, standalone_mode=False); "
    code += "print('scipy.stats' in sys.modules, 'matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.endswith("False False\n")


def test_the_command_draws_and_does_not_write_over(file, tmp_path):
    picture = tmp_path / "cd.svg"
    assert run(file, "--plot", picture).exit_code == 0
    assert "average rank" in picture.read_text()
    again = run(file, "--plot", picture)
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    assert run(file, "--plot", tmp_path / "cd.txt").exit_code == 2


def test_the_command_refuses_in_three_parts(file, tmp_path):
    for arguments, what in (
        ([file, "--models", "nbc,aodf"], "no column of"),
        ([file, "--name", "date"], "no column of"),
        ([file, "--baseline", "zero"], "no model named 'zero'"),
        ([file, "--margin", "-1"], "--margin 0.01"),
        ([tmp_path / "none.csv"], "There is no file"),
    ):
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (2, "")
        assert what in done.stderr
        assert "expected:" in done.stderr
    broken = tmp_path / "broken.csv"
    broken.write_text("data,a,b\niris,1,2\nwine,,3\n")
    assert "The score of a on data set wine is None" in run(broken).stderr
    broken.write_text("data,note,a,b\niris,x,1,2\nwine,y,1,3\n")
    assert "--name data --models a,b" in run(broken).stderr
    broken.write_text("a,b\n")
    assert "There are no data sets" in run(broken).stderr
