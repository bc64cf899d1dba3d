"""The site: every page is in its navigation, the API has every public name, and faults of a built site are found."""

import doctest
import inspect
import re
import tomllib
from pathlib import Path

import api_page as the_module
import clearwin as cw
from api_page import api_page, docstring, prose, signature
from make_site import OF_THE_ROOT, faults

ROOT = Path(__file__).parents[2]


def files_of(nav):
    for entry in nav:
        for target in entry.values():
            yield from [target] if isinstance(target, str) else files_of(target)


def test_every_page_is_in_the_navigation():
    nav = list(files_of(tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(nav) == sorted(pages | set(OF_THE_ROOT.values()) | {"api.md"})


def section(page, anchor):
    """Return a page, or the part of it below the heading that the anchor names."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    if not anchor:
        return text
    _, *parts = re.split(r"^#+ (.+)$", text, flags=re.M)
    heads = [re.sub(r"[^a-z0-9 -]", "", head.lower()).replace(" ", "-") for head in parts[::2]]
    texts = dict(zip(heads, parts[1::2], strict=True))
    assert anchor in texts, f"{page} has no heading {anchor}"
    return texts[anchor]


def test_each_of_the_ten_questions_is_answered_within_two_clicks():
    """The README is the first page: one click leads from a question to its answer, a second to the page around it."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Ten questions")[2].partition("\n## ")[0]
    rows = [row for row in table.splitlines() if row.startswith("| ") and "](" in row]
    assert len(rows) == 10
    for row in rows:
        links = re.findall(r"\]\(docs/([\w-]+\.md)#?([\w-]*)\)", row)
        assert links, row
        for page, anchor in links:
            assert re.search(r"clearwin [a-z]+ |cw\.[a-z_]+\(|\bby=|\bgroups=", section(page, anchor)), row


def test_the_api_has_every_public_name():
    page = api_page()
    for name in cw.__all__:
        assert f"### {name}\n" in page or f"## clearwin.{name}\n" in page
    for space in (cw.results, cw.curves):
        for name in space.__all__:
            assert f"### {name}\n" in page
    assert page.count("```") % 2 == 0
    assert not re.search(r"^>>>", re.sub(r"```.*?```", "", page, flags=re.S), flags=re.M)  # a quotation in Markdown
    assert ":class:" not in page
    assert ":func:" not in page


def test_examples_in_docstrings_run():
    assert doctest.testmod(the_module).failed == 0


def test_docstrings_become_markdown():
    def halve(number: float, *, digits: int = 3) -> float:
        """Return half of :func:`number`, d* of it.

        Parameters
        ----------
        number, digits
            What to halve
            and how exactly.

        >>> 1 + 1
        2
        """
        return round(number / 2, digits)

    told = docstring(inspect.getdoc(halve))
    assert told.startswith("Return half of `number`, d\\* of it.")
    assert "**Parameters**\n\n- `number`, `digits`:\n  What to halve\n  and how exactly." in told
    assert told.endswith("```python\n>>> 1 + 1\n2\n```")
    assert prose("a_b") == "a\\_b"
    assert "    *,\n    data: Any = None," in signature("compare", cw.compare)


def test_faults_of_a_site_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<h2 id="here"></h2><a href="#here"></a><a href="sub/"></a><a href="sub/#there"></a>'
        '<a href="https://doi.org/1"></a><link rel="canonical" href="https://a.example/">'
    )
    (tmp_path / "sub" / "index.html").write_text('<i id="there"></i><a href="../index.html#here">up</a>')
    assert faults(tmp_path) == []
    (tmp_path / "sub" / "index.html").write_text(
        '<a href="../gone/"></a><a href="../#gone"></a><script src="https://b.example/x.js"></script>'
        '<img src="//c.example/x.png">'
    )
    (tmp_path / "x.css").write_text("@import 'https://d.example/x.css'; a { background: url(//e.example/x) }")
    found = "\n".join(faults(tmp_path))
    assert len(faults(tmp_path)) == 7
    for part in ("sub/#there: the page has no such place", "../gone/, which is not there", "../#gone", *"bcde"):
        assert (f"{part}.example" if len(part) == 1 else part) in found
