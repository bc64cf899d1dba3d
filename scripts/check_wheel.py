"""Build the wheel and use it as a stranger would: in an empty environment, away from the sources (`make wheel`).

    python scripts/check_wheel.py [FOLDER]

The wheel lies in the folder, dist/ by default. It is installed into a new environment together with mypy. There the
demo runs, a small program is checked by mypy and run, and the files that the page and the reports need are found.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """\
import clearwin as cw

r: cw.results.Comparison = cw.compare([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], measure="accuracy", test="mcnemar")
low: float = r.interval.low
print(r.verdict(), low, r.to_markdown(), len(cw.list_measures()))
"""
WRONG = PROGRAM + 'cw.compare([1], [1], [1], claim="wonderful")\nr.difference = 1.0\nname: int = r.name_a\n'
PARTS = ("py.typed", "data/shipped/digits.csv", "reports/templates/report.html", "web/templates", "web/static")


def build(folder: Path) -> Path:
    """Build the wheel into a folder, and return where it is."""
    for old in folder.glob("clearwin-*.whl"):
        old.unlink()
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    [wheel] = folder.glob("clearwin-*.whl")
    return wheel


def run(*words: str | Path, within: Path = ROOT, fails: bool = False) -> str:
    """Run a command away from these sources; return what it printed, or stop if it did not end as it should."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    done = subprocess.run([str(word) for word in words], cwd=within, env=clean, capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        raise SystemExit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(wheel: Path, within: Path) -> list[str]:
    """Install the wheel into a new environment in a folder, and return what was seen there."""
    run(sys.executable, "-m", "venv", within / "empty")
    python = within / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, "mypy")
    seen = [run(python.with_name("clearwin"), "--version", within=within).strip()]
    seen.append(run(python.with_name("clearwin"), "demo", within=within).partition("\n")[0])
    home = Path(run(python, "-c", "import clearwin; print(clearwin.__path__[0])", within=within).strip())
    if lacking := [part for part in PARTS if not (home / part).exists()]:
        raise SystemExit(f"the wheel lacks {', '.join(lacking)}")
    return [*seen, *check_types(python, within)]


def check_types(python: Path, within: Path) -> list[str]:
    """Have mypy read a right and a wrong program; return how the wrong one failed."""
    (within / "right.py").write_text(PROGRAM, encoding="utf-8")
    (within / "wrong.py").write_text(WRONG, encoding="utf-8")
    mypy = (python, "-m", "mypy", "--strict", "--cache-dir", within / "cache")
    run(*mypy, "right.py", within=within)
    run(python, "right.py", within=within)
    return run(*mypy, "wrong.py", within=within, fails=True).splitlines()


def main(folder: Path = ROOT / "dist") -> int:
    """Build and check the wheel."""
    folder.mkdir(exist_ok=True)
    wheel = build(folder)
    within = Path(tempfile.mkdtemp())
    try:
        print("\n".join([wheel.name, *check(wheel, within)]))
    finally:
        shutil.rmtree(within)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
