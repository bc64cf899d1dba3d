"""Plain English: banned phrases do not occur, and the first line of a docstring says what is returned.

The phrases stand in one place, the table in docs/glossary.md.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import clearwin as cw
from tests.reports.pages import every_kind

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
HEADING = "## Phrases that nobody has to read twice"
SOURCES = [
    *sorted((ROOT / "src").rglob("*.py")),
    *sorted((ROOT / "src").rglob("*.html")),
    *sorted((ROOT / "src").rglob("*.js")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "tests" / "snapshots").iterdir()),
]
# pages whose words stand in the scripts that measure them
MEASURED = ("scorecard.md", "reliability.md")
# "there is no file" is English, and so are these; "is no sum" is meant as "is not a sum"
NO_FOR_NOT_A = re.compile(
    r"(?<!there )\b(is|are|was|were) no (?!longer|more|fewer|less|evidence|value|difference|covariance)\w+", re.I
)
# translated word order and the like, with what to write instead; upper case counts
WRONG = {
    r"[.;:] Of (?!course)[a-z]|\"\"\"Of (?!course)[a-z]": "For scores the …, not Of scores the …",
    r"\bso many(?! [^.]{0,60}that)\b": "this many, or the number",
    r"(?:value|item|row|position|score|label|file|class)\((?:s|es)\)": "counted(n, 'value')",
    r"\b(?:taken|takes? \w+) as independent\b": "treated as independent",
    r"\bspeaks? for (?:the|B|A|it|one|either)\b": "favours, means",
    r"\b(?:Drawn are|Marked is)\b": "Only … are drawn",
    r", for (?:it|they|what|then) ": "because",
}
LONGEST_FIRST_LINE = 12  # words


def banned() -> list[str]:
    """Return the phrases in the first column of the table."""
    table = GLOSSARY.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| .+ \|$", table, flags=re.M)[1:]
    return [phrase.strip().lower() for row in rows for phrase in row.split(", ")]


def text_of(path: Path) -> str:
    """Return the text in one line, without the table of phrases; comment signs and quotes do not break a phrase."""
    text = path.read_text(encoding="utf-8")
    if path == GLOSSARY:
        before, _, after = text.partition(HEADING)
        text = before + after.partition("\n## ")[2]
    text = re.sub(r"\"\n\s*f?\"|\n\s*#", " ", text)
    return " ".join(text.split())


def test_the_list_is_read() -> None:
    found = banned()
    assert len(found) > 40
    assert {"is told", "interchangeable", "rather too"} <= set(found)


def test_banned_phrases_do_not_occur() -> None:
    any_banned = re.compile(rf"\b(?:{'|'.join(map(re.escape, banned()))})\b(?! apart)")
    for path in SOURCES:
        text = text_of(path)
        assert not any_banned.findall(text.lower()), path
        assert not [found[0] for found in NO_FOR_NOT_A.finditer(text)], path


def test_translated_sentences_do_not_occur() -> None:
    for path in SOURCES:
        if path.name in MEASURED:
            continue
        text = text_of(path)
        for pattern, better in WRONG.items():
            found = re.search(pattern, text)
            assert found is None, f"{path}: {text[max(found.start() - 40, 0) : found.end() + 40]} ({better})"


@every_kind
def test_a_sentence_has_one_colon_or_semicolon_at_most(results, kind) -> None:
    for line in results[kind].summary().opening:
        for sentence in re.split(r"(?<=[.?!]) ", re.sub(r"\([^)]*\)", "", line)):
            assert len(re.findall(r"[:;](?=\s)", sentence)) <= 1, sentence


def public() -> dict[str, object]:
    """Return everything public that has a docstring: names of the package and its namespaces, methods of results."""
    found: dict[str, object] = {name: getattr(cw, name) for name in cw.__all__}
    for space in (cw.results, cw.curves):
        found |= {f"{space.__name__}.{name}": getattr(space, name) for name in space.__all__}
    for name, value in list(found.items()):
        if inspect.isclass(value) and value.__module__.startswith("clearwin"):
            methods = inspect.getmembers(value, inspect.isfunction)
            found |= {f"{name}.{method}": f for method, f in methods if not method.startswith("_")}
    known = {value: name for name, value in found.items() if inspect.isfunction(value) or inspect.isclass(value)}
    return {name: value for value, name in known.items()}  # what is inherited once


@pytest.mark.parametrize("name", public())
def test_the_first_line_says_what_is_returned(name: str) -> None:
    value = public()[name]
    first = (inspect.getdoc(value) or "").partition("\n")[0]
    assert first, name
    assert first.endswith((".", "?")), first
    assert len(re.sub(r"\(.*?\)", "", first).split()) <= LONGEST_FIRST_LINE, first
    if inspect.isfunction(value):
        assert first.startswith(("Return ", "Write ", "Draw ", "Log ", "Raise ", "Make ")), first
