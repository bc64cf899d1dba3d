"""Build the site: run the code of every page, lay the pages out with Zensical, check every link.

    python scripts/make_site.py

Pages come from docs/, README.md (the first page) and the other documents of the root; the page of the API is written
from what the package exports. The site lies in build/site and loads nothing from elsewhere, which is checked, too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from api_page import api_page
from cells import executed, write_notebooks

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"
OF_THE_ROOT = {"README.md": "index.md", **{name: name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")}}
IN_CSS = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")]+)")
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


def written_pages() -> Iterator[tuple[str, str]]:
    """Yield the path of every page of the site and its Markdown, with the output of its cells."""
    for name, target in OF_THE_ROOT.items():
        yield target, (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
    for path in sorted((ROOT / "docs").rglob("*.md")):
        target = path.relative_to(ROOT / "docs").as_posix()
        text = path.read_text(encoding="utf-8")
        # what lies beside docs/ lies beside its pages in the site
        text = text.replace("](../", "](") if path.parent == ROOT / "docs" else with_notebook(path, text)
        yield target, executed(text, target)
    yield "api.md", api_page()


def with_notebook(path: Path, text: str) -> str:
    """Return a tutorial with a link to its notebook below its title."""
    title, rest = text.split("\n", 1)
    return f"{title}\n\n[Download this tutorial as a notebook]({path.stem}.ipynb)\n{rest}"


def write_pages() -> int:
    """Write the pages, whatever else lies in docs/ and the notebooks; return the number of pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    other = shutil.ignore_patterns("*.md")
    shutil.copytree(ROOT / "docs", PAGES, ignore=other)
    shutil.copytree(ROOT / "examples", PAGES / "examples")
    write_notebooks(PAGES / "tutorials")
    pages = dict(written_pages())
    for name, text in pages.items():
        path = PAGES / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return len(pages)


class Links(HTMLParser):
    """What a page has: ids that can be linked to, links, and what a browser loads with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids, self.links, self.loaded = set[str](), list[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what matters of a tag."""
        found = {name: value for name, value in attrs if value}
        self.ids |= {found["id"]} if "id" in found else set()
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        # a link element may only say something about the page, as which address is its own
        if tag in LOADED and LOADED[tag] in found and found.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(found[LOADED[tag]])


def faults(site: Path) -> list[str]:
    """Return a line for every link of the site that leads nowhere and everything that is loaded from elsewhere."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        for address in page.loaded:
            if urlsplit(address).netloc:
                found.append(f"{name} loads {address}")
        for address in page.links + page.loaded:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or path.name == "404.html":  # shown at any depth, so its links are absolute
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.exists():
                found.append(f"{name} links to {address}, which is not there")
            elif anchor and target in pages and anchor not in pages[target].ids and not anchor.startswith("__"):
                found.append(f"{name} links to {address}: the page has no such place")
    for path in sorted(site.rglob("*.css")):
        found += [f"{path.name} loads {url}" for url in IN_CSS.findall(path.read_text(encoding="utf-8"))]
    return found


def main() -> int:
    """Build the site and return 1 if something is wrong with it."""
    start = time.perf_counter()
    number = write_pages()
    ran = time.perf_counter()
    shutil.rmtree(SITE, ignore_errors=True)
    zensical = Path(sys.executable).with_name("zensical")
    built = subprocess.run([zensical, "build", "--clean", "--strict"], cwd=ROOT, check=False)
    wrong = faults(SITE) if SITE.exists() else ["nothing was built"]
    print("\n".join(wrong))
    whole = time.perf_counter() - start
    print(f"{number} pages in build/site: their code ran in {ran - start:.1f} s, all in {whole:.1f} s")
    return 1 if wrong or built.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
