"""Which files and functions of clearwin one comparison passes, from the words that are typed to the verdict.

    python scripts/walk.py

counts them in a second run of the same command, so that what runs at import is left out, and so are comprehensions and
lambdas. ``tests/scripts/test_walk.py`` holds a ceiling, so that the way cannot grow unseen.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from click.testing import CliRunner

import clearwin
from clearwin.cli import main

ROOT = Path(clearwin.__file__).parent
Step = tuple[str, str]  # the file below src/clearwin, and the function with its class


def walked(words: list[str]) -> list[Step]:
    """Return the functions that the command passes, each once, in the order in which they are first called."""
    run(words)
    seen: dict[Step, None] = {}

    def look(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event == "call" and not code.co_name.startswith("<") and path.is_relative_to(ROOT):
            seen[str(path.relative_to(ROOT)), code.co_qualname] = None

    sys.setprofile(look)
    try:
        run(words)
    finally:
        sys.setprofile(None)
    return list(seen)


def run(words: list[str]) -> None:
    """Run the command, which must succeed."""
    found = CliRunner().invoke(main, words)
    if found.exit_code:
        raise SystemExit(found.output)


def comparison(folder: Path) -> list[str]:
    """Write a small file of predictions, and return what to type for their comparison."""
    rows = [(i % 2, int(i % 5 == 0) ^ i % 2, int(i % 7 == 0) ^ i % 2) for i in range(200)]
    file = folder / "preds.csv"
    file.write_text("t,a,b\n" + "".join(f"{t},{a},{b}\n" for t, a, b in rows), encoding="utf-8")
    return ["compare", str(file), "--truth", "t", "--a", "a", "--b", "b", "--measure", "f1"]


def told(steps: list[Step]) -> str:
    """Return how many files and functions there are, in all and in every room."""
    rooms = Counter(file.partition("/")[0].removesuffix(".py") for file, _ in steps)
    lines = [f"{len({file for file, _ in steps})} files, {len(steps)} functions"]
    return "\n".join([*lines, *(f"{room:<13} {n:>4}" for room, n in rooms.most_common())])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        passed = walked(comparison(Path(folder)))
    print(told(passed))
    if "--all" in sys.argv:
        print(*(f"{file}: {function}" for file, function in passed), sep="\n")
