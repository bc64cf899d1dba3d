"""Score files of biometric tools (bob, NIST): four columns (claimed identity, real identity, probe, score), or five.

With five columns the second is the model of the claimed identity. A trial is genuine where both identities are the
same. Trials share identities, so the claimed and the real one are groups that cross.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from clearwin.data.logs.base import Answer, Format, LogFile, Run
from clearwin.errors import FileError

NAME = "score file"


def _is_scores(file: LogFile) -> bool:
    """Whether all lines have four columns, or all five, the last a score; some are genuine trials, and some not."""
    rows = file.columns
    if not rows or len(rows[0]) not in (4, 5) or any(len(row) != len(rows[0]) for row in rows):
        return False
    try:
        [float(row[-1]) for row in rows]
    except ValueError:
        return False
    return any("." in row[-1] or "e" in row[-1].lower() or "nan" in row[-1].lower() for row in rows)


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    for file in files:
        rows: list[Answer] = []
        seen: dict[str, int] = {}
        for number, line in file.lines():
            fields = line.split()
            if len(fields) not in (4, 5):
                raise FileError(
                    f"{file.name}, line {number} has {len(fields)} columns.",
                    "claimed identity, real identity, probe, score; or with the model in the second column",
                )
            rows.append(_row(fields, f"{file.name}, line {number}", seen))
        twice = sum(count > 1 for count in seen.values())
        doubt = f"{twice:,} trials of {file.name} occur more than once, and are paired in the order of the lines."
        yield Run(
            format=NAME,
            file=file.name,
            model=file.path.name,
            task="verification",
            rows=rows,
            doubts=(doubt,) if twice else (),
            grouped_by=("claimed", "real"),
        )


def _row(fields: list[str], where: str, seen: dict[str, int]) -> Answer:
    claimed, real, probe = fields[0], fields[-3], fields[-2]
    trial = " ".join(fields[:-1])
    place = seen[trial] = seen.get(trial, 0) + 1
    try:
        score = float(fields[-1])
    except ValueError:
        score = math.nan
    if math.isnan(score):
        raise FileError(
            f"{where}: the score is {fields[-1]!r}.", "a number for every trial", "remove the trial from all files"
        )
    return Answer(
        f"{trial} #{place}" if place > 1 else trial,
        {"score": (int(claimed == real), score)},
        groups={"claimed": claimed, "real": real, "probe": probe},
    )


FORMAT = Format(NAME, _is_scores, _read)
