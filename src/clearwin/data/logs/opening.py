"""From paths to systems: which files are logs, of which format, and which of them belong to one system.

A format is found by the content of a file, never by its ending.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clearwin.data.logs import (
    every_eval_ever,
    helm,
    inspect_ai,
    lm_eval,
    promptfoo,
    score_files,
    swebench,
    trec,
)
from clearwin.data.logs.base import Format, LogFile, Run, without_answers
from clearwin.errors import ClearwinError, FileError, first_few, shortened
from clearwin.text import alike

FORMATS: tuple[Format, ...] = tuple(
    module.FORMAT for module in (lm_eval, inspect_ai, helm, swebench, every_eval_ever, promptfoo, trec, score_files)
)
NOT_AS_LAID_OUT = (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError)
NEXT = "clearwin inspect PATH says what is in a file or folder"


@dataclass(frozen=True)
class System:
    """What was run, whatever the number of tasks: a model with its settings, and a run for each task and variant."""

    name: str
    runs: dict[tuple[str, str], Run]  # by task and variant


def are_logs(paths: Sequence[str]) -> bool:
    """Whether one of the paths is a folder or leads to a log of a known format; what the others are is said later.

    A folder of Parquet files is a table.
    """
    return any(
        (Path(path).is_dir() and not any(Path(path).rglob("*.parquet")))
        or any((_format_of(LogFile(file, path)) or (None, False))[1] for file in _paths(path))
        for path in paths
    )


def _paths(path: str) -> list[Path]:
    """Return the files at a path: itself, those in a folder and its subfolders, or those that fit a pattern."""
    place = Path(path)
    if place.is_dir():
        return sorted(file for file in place.rglob("*") if file.is_file() and not file.name.startswith("."))
    if place.is_file():
        return [place]
    start = Path(place.anchor)  # "" is here
    found = start.glob(str(place.relative_to(start))) if glob.has_magic(path) else ()
    return sorted(file for match in found for file in _paths(str(match)))


def _format_of(file: LogFile) -> tuple[Format, bool] | None:
    """Return the format of a file and whether it is a run itself, not what comes with runs; None of an unknown one."""
    for form in FORMATS:
        if form.recognise(file):
            return form, True
    for form in FORMATS:
        if form.is_companion(file):
            return form, False
    return None


def open_systems(paths: Sequence[str], metric: str | None) -> list[System]:
    """Return the systems whose logs lie at these paths, in the order of the paths."""
    logs: list[dict[str, list[LogFile]]] = []
    companions: dict[str, list[LogFile]] = {}
    for path in paths:
        found = _paths(path)
        if not found:
            raise FileError(f"There is nothing at {path}.", "a log, a folder of logs, or a pattern in quotes", NEXT)
        here: dict[str, list[LogFile]] = {}
        for place in found:
            file = LogFile(place, str(place))
            form = _format_of(file)
            if form is None and len(found) == 1:
                raise _unknown(file)
            if form is not None:
                (here if form[1] else companions).setdefault(form[0].name, []).append(file)
        logs.append(here)
    formats = sorted({name for here in logs for name in here})
    if len(formats) != 1:
        raise FileError(
            f"There are logs of {len(formats)} formats" + (f": {', '.join(formats)}." if formats else "."),
            "logs of one format: " + ", ".join(form.name for form in FORMATS),
            NEXT,
        )
    (only,) = (form for form in FORMATS if form.name == formats[0])
    return _named(
        [
            (path, _read(only, here[only.name], companions.get(only.name, []), metric))
            for path, here in zip(paths, logs, strict=True)
            if here
        ]
    )


def _read(form: Format, files: list[LogFile], companions: list[LogFile], metric: str | None) -> list[Run]:
    """Read the files of one format; where they lack what the format has, say so in words."""
    try:
        if found := list(form.read(files, companions, metric)):
            return found
        raise without_answers(files)
    except ClearwinError:
        raise
    except NOT_AS_LAID_OUT as error:
        names = first_few([file.name for file in files], len(files))
        raise FileError(
            f"{names}: not laid out as {form.name} are ({type(error).__name__}: {shortened(str(error), 200)}).",
            "logs as the tool wrote them",
            "were they cut or edited? If not, tell us the version of the tool",
        ) from error


def _unknown(file: LogFile) -> FileError:
    return FileError(
        f"{file.name} is not a log of a format that clearwin knows.",
        ", ".join(form.name for form in FORMATS),
        "for a table of predictions name its columns: --truth, --a and --b",
    )


def _named(read: Sequence[tuple[str, list[Run]]]) -> list[System]:
    """Put the runs of one system together, and give systems names that can be told apart."""
    systems: list[tuple[str, str, dict[tuple[str, str], Run]]] = []
    for path, runs in read:
        by_key: dict[tuple[str, str], dict[tuple[str, str], Run]] = {}
        for run in runs:
            mine = by_key.setdefault((run.model, run.setting), {})
            place = run.task, run.variant
            mine[place] = run if place not in mine else _newest(mine[place], run)
        for (model, setting), mine in by_key.items():
            typed = Path(setting).name if setting and len(by_key) > 1 else Path(path).name or path
            systems.append((model, typed, mine))
    names = [model for model, _, _ in systems]
    if alike(names):
        names = [typed if names.count(model) > 1 else model for model, typed, _ in systems]
    if alike(names):
        names = [f"{name} ({place})" for place, name in enumerate(names, 1)]
    return [System(name, mine) for name, (_, _, mine) in zip(names, systems, strict=True)]


def _newest(one: Run, other: Run) -> Run:
    """Return the newer of two logs of the same task by the same system, with a doubt; raise if they are not reruns."""
    if not one.rerun_of or one.rerun_of != other.rerun_of or one.time == other.time:
        raise FileError(
            f"There are two logs of {one.task} by {one.model}: {first_few([one.file, other.file], 2)}.",
            "one log of each task and system at a path",
            f"name the files instead of the folder: clearwin compare {one.file} {other.file}",
        )
    older, newer = sorted((one, other), key=lambda run: run.time)
    doubt = f"Of several logs of {one.task} by {one.model} the newest counts, {newer.file}."
    return replace(newer, doubts=tuple(dict.fromkeys((*older.doubts, *newer.doubts, doubt))))
