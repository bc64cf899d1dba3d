"""What an attack found, kept as rows in `docs/reliability/<name>.json`."""

import json
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from clearwin import __version__

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reliability"


@dataclass(frozen=True)
class Row:
    """One line of the table: what was tried, how much of it, the figure that came out, and the band it should lie in.

    >>> Row("inputs to the readers", 1000, "0 tracebacks", "0 tracebacks", True, seed=1, seconds=12.0).met
    True
    """

    what: str
    tried: int
    figure: str
    band: str
    met: bool
    seed: int
    seconds: float


def commit() -> str:
    """Return the commit that is attacked, with a + where what runs differs from it; "unknown" outside a checkout."""
    asked = (["rev-parse", "--short=10", "HEAD"], ["status", "--porcelain", "--", "src", "scripts"])
    found, changed = (
        subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout for words in asked
    )
    return found.strip() + ("+" if found and changed else "") or "unknown"


STARTED = commit()  # what an attack began with: an hour later the tree may be another


def write(name: str, rows: list[Row], folder: Path = FOLDER) -> Path:
    """Write the rows of one attack, with commit and version, in place of what was there; return the file."""
    stamp = {"commit": STARTED, "version": __version__}
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    kept = [{"name": name, **asdict(row), "seconds": round(row.seconds, 1), **stamp} for row in rows]
    file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file
