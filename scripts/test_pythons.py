"""Run the tests on every Python from 3.11 to 3.14 that this machine has; what is not there is skipped by name.

Each gets an environment of its own under .venv-pythons/, with the newest versions of everything. Arguments go to
pytest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
ROOT = Path(__file__).parents[1]


def main(arguments: list[str]) -> int:
    """Say for each version what came of it; 1 if the tests failed on any."""
    said = {version: _tried(version, arguments) for version in VERSIONS}
    for version, what in said.items():
        print(f"Python {version}: {what}")
    return int(any(what.startswith("failed") for what in said.values()))


def _tried(version: str, arguments: list[str]) -> str:
    found = next((python for python in _candidates(version) if _is(python, version)), None)
    if found is None:
        return "skipped, it is not on this machine"
    place = ROOT / ".venv-pythons" / version
    python = str(place / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--upgrade"]
    commands = (
        [found, "-m", "venv", "--clear", str(place)],
        [*pip, "pip>=25.1"],
        [*pip, "--editable", ".[page]", "--group", "test"],
        [python, "-m", "pytest", "-q", *arguments],
    )
    for command in commands:
        ended = subprocess.run(command, cwd=ROOT, check=False)
        if ended.returncode:
            return f"failed at {' '.join(command)}"
    return "passed"


def _candidates(version: str) -> Iterator[str]:
    """Yield what may be this Python: on the path, of pyenv, and what uv knows of."""
    yield from filter(None, [shutil.which(f"python{version}")])
    yield from map(str, sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"), reverse=True))
    if uv := shutil.which("uv"):
        command = [uv, "python", "find", "--quiet", "--no-python-downloads", version]
        yield subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _is(python: str, version: str) -> bool:
    """Whether it runs at all, which a shim of pyenv need not, and is that version."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        ended = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return ended.stdout.strip() == version


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
