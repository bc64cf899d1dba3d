"""Name the test files of what changed: those that mirror a changed module, and changed tests themselves.

    python scripts/changed_tests.py [BASE]

What changed since BASE (default: main, or the last commit if main is checked out) counts, committed or not. The checks
of the whole tree that take seconds are always among them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
ALWAYS = ("tests/test_layers.py", "tests/test_words.py", "tests/test_dependencies.py")


def changed(base: str = "") -> list[str]:
    """Return the paths of tracked and new files that differ from a commit."""
    on_main = git("rev-parse", "--abbrev-ref", "HEAD") == ["main"]
    tracked = git("diff", "--name-only", base or ("HEAD^" if on_main else "main"))
    return [*tracked, *git("ls-files", "--others", "--exclude-standard")]


def git(*words: str) -> list[str]:
    """Return the lines that git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def mirrors_of(paths: Iterable[str]) -> Iterator[str]:
    """Yield the test file of each path that has one.

    >>> list(mirrors_of(["src/clearwin/cli/gate.py", "docs/start.md", "tests/cli/test_rank.py", "scripts/bench.py"]))
    ['tests/cli/test_gate.py', 'tests/test_docs.py', 'tests/cli/test_rank.py', 'tests/scripts/test_bench.py']
    """
    for path in map(PurePosixPath, paths):
        if path.parts[0] == "tests" and path.name.startswith("test_"):
            yield str(path)
        elif path.suffix == ".md":
            yield "tests/test_docs.py"
        elif path.suffix == ".py" and path.parts[0] in ("src", "scripts"):
            room = path.relative_to("src/clearwin") if path.parts[0] == "src" else path
            yield str("tests" / room.with_name(f"test_{room.name}"))


if __name__ == "__main__":
    every = dict.fromkeys([*ALWAYS, *mirrors_of(changed(*sys.argv[1:2]))])
    print(" ".join(path for path in every if (ROOT / path).is_file()))
