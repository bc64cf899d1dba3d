"""One measured figure, and the data file that keeps them all: docs/scorecard.json."""

from __future__ import annotations

import json
import math
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from scorecard import bands

DOCS = Path(__file__).parents[2] / "docs"
DATA = DOCS / "scorecard.json"


@dataclass(frozen=True)
class Row:
    """How often something happened in one cell.

    ``kind`` is "size" (how often a true null hypothesis was rejected at ``level``), "coverage" (how often an interval
    of that level held the true difference), "ranks" (how often all intervals of ranks held together) or "power".
    ``test`` "auto" is what clearwin takes when it is not told.
    ``told`` is the share of the test sets whose result carried a caveat about the approximation.
    """

    kind: str
    test: str
    method: str
    interval: str
    measure: str
    cell: str
    null: str  # "exchangeable", "equal" (the same value of the measure, but not exchangeable) or "different"
    n: int
    level: float
    value: float
    trials: int  # 0 where every outcome was enumerated
    width: float | None = None
    told: float = 0.0

    @property
    def band(self) -> bands.Band:
        """What is demanded of the figure."""
        return bands.band_of(self.kind, self.test, self.method, self.null, self.level, self.trials)

    @property
    def missed(self) -> bool:
        """Whether the figure is out of its band."""
        return not self.band.low - ROUNDING <= self.value <= self.band.high + ROUNDING

    @property
    def carries_caveats(self) -> bool:
        """Whether it is out of the band but for what is allowed to chance."""
        strict = bands.band_of(self.kind, self.test, self.method, self.null, self.level, 0)
        return not self.missed and not strict.low <= self.value <= strict.high

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error."""
        return bands.error(self.value, self.trials)


COLUMNS = tuple(field.name for field in fields(Row))
ROUNDING = 1e-6  # of figures that were read from the file, which has six decimals


@dataclass(frozen=True)
class Section:
    """The rows that one run measured, with what is needed to measure them again."""

    rows: tuple[Row, ...]
    version: str
    commit: str
    seed: int
    n_resamples: int
    seconds: float


def load(path: Path = DATA) -> dict[str, Section]:
    """Read the data file; there are no sections before the first run."""
    if not path.exists():
        return {}
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    columns = kept["columns"]
    return {
        name: Section(
            tuple(Row(**dict(zip(columns, row[: len(columns)], strict=True))) for row in part["rows"]),
            **{key: value for key, value in part.items() if key != "rows"},
        )
        for name, part in kept["sections"].items()
    }


def save(sections: dict[str, Section], path: Path = DATA) -> None:
    """Write the data file, a row on each line; the band's limits and whether it was missed stand behind every row."""
    parts = []
    for name, section in sections.items():
        head = {key: getattr(section, key) for key in ("version", "commit", "seed", "n_resamples", "seconds")}
        lines = ",\n".join(json.dumps(_line(row), ensure_ascii=False) for row in section.rows)
        parts.append(f'{json.dumps(name)}: {json.dumps(head)[:-1]}, "rows": [\n{lines}\n]}}')
    columns, behind = json.dumps(COLUMNS), json.dumps(["low", "high", "missed"])
    text = f'{{"columns": {columns}, "behind": {behind}, "sections": {{\n' + ",\n".join(parts) + "\n}}\n"
    path.write_text(text, encoding="utf-8")


def _line(row: Row) -> list[Any]:
    told = (*astuple(row), row.band.low, row.band.high, row.missed)
    return [_written(value) for value in told]


def _written(value: Any) -> Any:
    """Round to what can be seen; a mean width is none where an interval had no end."""
    if not isinstance(value, float):
        return value
    return round(value, 6) if math.isfinite(value) else None
