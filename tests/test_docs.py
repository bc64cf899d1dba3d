"""Docs that cannot rot: the README's examples run, every command and option is told, generated pages are fresh."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from clearwin.cli import main
from tests.data.logs.made import quiz_runs

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/tests.md",
        "docs/scores.md",
        "docs/units.md",
        "docs/folds.md",
        "docs/data-sets.md",
        "docs/rank.md",
        "docs/logs.md",
        "docs/study.md",
        "docs/planning.md",
        "docs/plots.md",
        "docs/report.md",
    ],
)
def test_python_examples_run_and_print_what_is_shown(name):
    flags = doctest.NORMALIZE_WHITESPACE
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(>>>.*?)```", text, flags=re.S))
    assert blocks
    test = doctest.DocTestParser().get_doctest(blocks, {}, name, name, 0)
    failures = []
    doctest.DocTestRunner(optionflags=flags).run(test, out=failures.append)
    assert not failures, "".join(failures)


def console_examples(text):
    """Yield (command, shown output) of every `$ …` in the console blocks."""
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.S):
        yield from re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, flags=re.M)


def test_console_examples_run_and_print_what_is_shown(tmp_path):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    quiz_runs(tmp_path)
    examples = list(console_examples(README))
    assert len(examples) >= 4
    for command, shown in examples:
        assert shlex.split(command)[0] == "clearwin"
        run = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.strip() == shown.strip()


def options_of(command):
    return {option for p in command.params if isinstance(p, click.Option) for option in (*p.opts, *p.secondary_opts)}


def test_every_command_is_told_in_the_readme():
    for name in main.commands:
        assert f"clearwin {name}" in README, name


def test_every_option_has_a_help_text():
    for name, command in main.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.opts}"
        assert command.help


def test_every_option_in_the_docs_exists():
    known = {option for command in main.commands.values() for option in options_of(command)} | {"--help", "--check"}
    for page in (README, *((p.read_text(encoding="utf-8")) for p in (ROOT / "docs").glob("*.md"))):
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", page)) <= known


def test_settings_are_spelled_alike_in_python_and_on_the_command_line():
    import inspect

    import clearwin as cw

    in_python = set(inspect.signature(cw.compare).parameters) - {"data", "rng"}
    on_the_line = {p.name for p in main.commands["compare"].params}
    assert in_python <= on_the_line


def test_what_auto_takes_is_told_as_it_is():
    import clearwin as cw
    from clearwin.significance import AUTO

    page = (ROOT / "docs" / "tests.md").read_text(encoding="utf-8")
    for drawn, (name, why) in AUTO["items"].items():
        assert f"| {drawn} | `{name}`: {why} |" in page
    assert cw.compare([0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 1], n_resamples=9, rng=1).test == AUTO["items"]["any"][0]
    assert "The studentised test asks whether the measure is equal" in README


def test_every_test_of_folds_is_told():
    import clearwin as cw

    page = (ROOT / "docs" / "folds.md").read_text(encoding="utf-8")
    for name, test in cw.list_tests("folds").items():
        assert f"| `{name}` |" in page, name
        assert test.label in page


def test_links_in_the_docs_lead_somewhere():
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} → {target}"
