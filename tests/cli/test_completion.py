"""The shell completes what the command has."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clearwin.cli.completion import PLACES
from tests.cli.calling import run


@pytest.mark.parametrize("shell", PLACES)
def test_the_script_is_written_where_the_shell_looks(shell, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    for words in (["--install-completion"], ["--install-completion", shell]):
        found = run(*words)
        assert found.exit_code == 0
        assert str(tmp_path / PLACES[shell]) in found.stdout
        assert f"{shell}_complete" in (tmp_path / PLACES[shell]).read_text()
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / PLACES[shell]]


@pytest.mark.parametrize(("variable", "words"), [("", []), ("/bin/tcsh", []), ("/bin/bash", ["csh"])])
def test_an_unknown_shell_is_refused(variable, words, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("SHELL", variable)
    found = run("--install-completion", *words)
    assert found.exit_code == 2
    assert "Name one of bash, zsh, fish: clearwin --install-completion bash" in " ".join(found.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / ".zfunc").write_text("a file where a folder should be")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    found = run("--install-completion", "zsh")
    assert found.exit_code == 2
    assert str(tmp_path / ".zfunc") in found.stderr


def test_bash_completes_commands_options_and_their_values(tmp_path):
    """Ask as the script does: the words so far and the position come in variables."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    program = [sys.executable, "-c", "from clearwin.cli import main; main(prog_name='clearwin')"]
    for words, position, wanted in (
        ("clearwin com", "1", "compare"),
        ("clearwin compare --mea", "2", "--measure"),
        ("clearwin gate --claim eq", "3", "equivalent"),
        ("clearwin rank --missing ", "3", "drop"),
    ):
        asked = {"_CLEARWIN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": position}
        done = subprocess.run(program, env={**os.environ, **asked}, capture_output=True, text=True)
        assert f"plain,{wanted}" in done.stdout.split()
