"""Docs that cannot rot: examples run, every command, option and public name is told, links lead somewhere."""

import doctest
import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import clearwin as cw
from cells import executed
from clearwin.cli import main
from tests.data.logs.made import quiz_runs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(DOCS.rglob("*.md"))


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
        "docs/deciding.md",
        "docs/logs.md",
        pytest.param("docs/study.md", marks=pytest.mark.study),  # 2,800 test sets
        "docs/planning.md",
        "docs/plots.md",
        "docs/report.md",
        "docs/scale.md",
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


@pytest.mark.parametrize("name", ["python.md", "how-tests-work.md", "other-tools.md", "benchmarks.md"])
def test_pages_with_cells_run(name):
    """Those that are quick; the others run when the site is built, and the tutorials in tests/scripts."""
    assert executed((DOCS / name).read_text(encoding="utf-8"), name)


def test_the_readme_is_read_in_two_minutes():
    assert len(README) < 6000
    questions = README.partition("## Ten questions")[2].partition("\n## ")[0]
    assert questions.count("\n| ") == 11  # ten and the head


def console_examples(text):
    """Yield (command, shown output) of every `$ …` in the console blocks."""
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.S):
        yield from re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, flags=re.M)


def test_console_examples_run_and_print_what_is_shown(tmp_path, monkeypatch):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    quiz_runs(tmp_path)
    logs = (DOCS / "logs.md").read_text(encoding="utf-8")
    examples = [*console_examples(README), *console_examples(logs)]
    assert len(examples) >= 5
    monkeypatch.chdir(tmp_path)
    for number, (command, shown) in enumerate(examples):
        program, *words = shlex.split(command)
        assert program == "clearwin"
        if number == 0 or set("|<>") & set(command):  # as a shell runs it, which takes most of a second
            run = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, encoding="utf-8")
            assert (run.returncode, run.stderr) == (0, "")
        else:
            run = CliRunner().invoke(main, words, prog_name="clearwin")
            assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout.strip() == shown.strip()


def options_of(command):
    return {option for p in command.params if isinstance(p, click.Option) for option in (*p.opts, *p.secondary_opts)}


def test_every_command_is_told():
    page = (DOCS / "command.md").read_text(encoding="utf-8")
    for name in main.commands:
        assert f"clearwin {name}" in page, name


def test_every_option_has_a_help_text():
    for name, command in main.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.opts}"
        assert command.help


def test_every_option_in_the_docs_exists():
    known = {option for command in (main, *main.commands.values()) for option in options_of(command)}
    for path in PAGES:
        if path.name != "CONTRIBUTING.md":  # it tells options of scripts, too
            found = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", path.read_text(encoding="utf-8")))
            assert found <= known | {"--help", "--check"}, path.name


def test_settings_are_spelled_alike_in_python_and_on_the_command_line():
    in_python = set(inspect.signature(cw.compare).parameters) - {"data", "rng"}
    on_the_line = {p.name for p in main.commands["compare"].params}
    assert in_python <= on_the_line


def test_what_auto_takes_is_told_as_it_is():
    from clearwin.significance import AUTO

    page = (ROOT / "docs" / "tests.md").read_text(encoding="utf-8")
    for drawn, (name, why) in AUTO["items"].items():
        assert f"| {drawn} | `{name}`: {why} |" in page
    assert cw.compare([0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 1], n_resamples=9, rng=1).test == AUTO["items"]["any"][0]
    questions = (DOCS / "questions.md").read_text(encoding="utf-8")
    assert "The studentised test asks whether the measure is equal" in questions


def test_every_test_is_explained():
    page = (DOCS / "how-tests-work.md").read_text(encoding="utf-8")
    for name in (*cw.list_tests(), *cw.list_tests("folds")):
        assert f"`{name}`" in page, name


def test_every_test_of_folds_is_told():
    page = (ROOT / "docs" / "folds.md").read_text(encoding="utf-8")
    for name, test in cw.list_tests("folds").items():
        assert f"| `{name}` |" in page, name
        assert test.label in page


def anchors(path):
    """Return the places of a page that a link may name, as Markdown makes them of headings."""
    titles = re.findall(r"^#+ (.*)", path.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


def test_links_in_the_docs_lead_somewhere():
    for page in PAGES:
        for target, _, place in re.findall(r"\]\(([^)#:]*)(#([^)]+))?\)", page.read_text(encoding="utf-8")):
            path = page.parent / target if target else page
            assert path.exists(), f"{page.name} → {target}"
            assert not place or place in anchors(path), f"{page.name} → {target}#{place}"


def test_the_glossary_has_every_public_name_and_no_other():
    """A name, a parameter or a record that has no term is one that nobody can look up."""
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    verbs = (getattr(cw, name) for name in cw.__all__)
    parameters = {name for verb in verbs if inspect.isfunction(verb) for name in inspect.signature(verb).parameters}
    public = parameters | {*cw.__all__, *cw.results.__all__, *cw.curves.__all__}
    assert set(re.findall(r"`(\w+)`", page)) - {"code"} == public


def test_every_target_of_make_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    workflow = ROOT / ".github" / "workflows" / "ci.yml"
    for path in (*PAGES, workflow):
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"`make ([a-z-]+)", text) + re.findall(
            r"^(?:make|      - run: make) ([a-z-]+)", text, flags=re.M
        )
        assert set(named) <= targets, path.name
    assert {"demo", "test"} <= set(re.findall(r"^make ([a-z-]+)", README, flags=re.M))


def test_the_version_is_the_same_everywhere():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, flags=re.M)[1] == cw.__version__
    assert f"\nversion: {cw.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for page in (README, (DOCS / "folds.md").read_text(encoding="utf-8")):
        assert set(re.findall(r"reproduce with .*clearwin (\S+)", page)) == {cw.__version__}


def test_no_page_promises_a_release_that_does_not_exist():
    """An index would install nothing, or somebody else's package of that name."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    promises = [page.name for page in pages if re.search(r"pip install [\"']?clearwin", page.read_text())]
    assert not promises
