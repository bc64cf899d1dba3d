"""Score files of biometric tools (bob, NIST): four columns (claimed identity, real identity, probe, score), or five.

With five columns the second is the model of the claimed identity. A trial is genuine where both identities are the
same. Trials share identities, so the claimed and the real one are groups that cross.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from clearwin.data.logs.base import Answer, Format, LogFile, Run
from clearwin.errors import FileError
from clearwin.text import as_number, composed

NAME = "score file"


def _is_scores(file: LogFile) -> bool:
    """Whether all lines have four columns, or all five, the last a score."""
    rows = file.columns
    if not rows or len(rows[0]) not in (4, 5) or any(len(row) != len(rows[0]) for row in rows):
        return False
    if any(as_number(row[-1]) is None for row in rows):
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
        genuine = sum(row.groups["claimed"] == row.groups["real"] for row in rows)
        _refuse_one_kind(file, rows, genuine)
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
            kinds={"genuine": genuine, "impostor": len(rows) - genuine},
        )


def _refuse_one_kind(file: LogFile, rows: list[Answer], genuine: int) -> None:
    """Refuse a file without genuine or without impostor trials: its columns may well be others."""
    if 0 < genuine < len(rows):
        return
    first = rows[0].groups
    why = (
        "the claimed identity is always the real one"
        if genuine
        else f"the claimed identity ({first['claimed']} in line 1) is never the real one ({first['real']})"
    )
    width = len(file.columns[0])
    columns = {"claimed": 1, "real": width - 2, "probe": width - 1}
    of_two = [place for role, place in columns.items() if len({row.groups[role] for row in rows}) == 2]
    truth = f"c{of_two[0]}" if of_two else "COLUMN"
    names = ",".join(f"c{i}" for i in range(1, width))
    raise FileError(
        f"{file.name} has {len(rows):,} lines like those of a score file, and none is "
        f"{'an impostor' if genuine else 'a genuine'} trial: {why}.",
        "the columns claimed identity, real identity, probe, score, with genuine and impostor trials",
        f"if the columns are others, make a table with a header of them, (echo {names},score; tr -s '[:blank:]' , < "
        f"{file.name}) > scores.csv, and name them: clearwin estimate scores.csv --truth {truth} --a score --measure "
        "eer --positive CLASS; for two such tables, clearwin compare with --truth {truth} --a score --b score --id c1",
    )


def _row(fields: list[str], where: str, seen: dict[str, int]) -> Answer:
    claimed, real, probe = composed(fields[0]), composed(fields[-3]), fields[-2]
    trial = " ".join(fields[:-1])
    place = seen[trial] = seen.get(trial, 0) + 1
    score = as_number(fields[-1])
    if score is None or math.isnan(score):
        raise FileError(
            f"{where}: the score is {fields[-1]!r}.", "a number for every trial", "remove the trial from all files"
        )
    return Answer(
        f"{trial} #{place}" if place > 1 else trial,
        {"score": (int(claimed == real), score)},
        groups={"claimed": claimed, "real": real, "probe": probe},
    )


FORMAT = Format(NAME, _is_scores, _read)
