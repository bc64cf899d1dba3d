"""The tests of what changed: each changed module leads to its mirror, and changed tests to themselves."""

import doctest
import subprocess

import changed_tests as the_module
from changed_tests import ROOT, changed, mirrors_of


def test_examples_in_docstrings_run():
    assert doctest.testmod(the_module) == (0, 1)


def test_every_module_leads_to_a_test_file_that_exists_or_to_none():
    modules = [path.relative_to(ROOT).as_posix() for path in (ROOT / "src/clearwin/significance").glob("[a-z]*.py")]
    assert modules
    assert all((ROOT / path).is_file() for path in mirrors_of(modules))


def test_changes_are_found_whether_committed_or_not(tmp_path, monkeypatch):
    def run(*words):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words], cwd=tmp_path, check=True)

    monkeypatch.setattr(the_module, "ROOT", tmp_path)
    run("init", "--quiet", "--initial-branch=main")
    (tmp_path / "kept.py").touch()
    (tmp_path / "edited.py").touch()
    run("add", ".")
    run("commit", "--quiet", "--message", "first")
    run("switch", "--quiet", "--create", "work")
    (tmp_path / "committed.py").touch()
    run("add", ".")
    run("commit", "--quiet", "--message", "second")
    (tmp_path / "edited.py").write_text("1\n")
    (tmp_path / "new.py").touch()
    assert sorted(changed()) == ["committed.py", "edited.py", "new.py"]
    assert sorted(changed("HEAD")) == ["edited.py", "new.py"]
