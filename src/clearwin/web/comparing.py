"""One job's work: the verbs, the refusals before they begin, and their progress."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.cli.command import as_typed, margin_to_show
from clearwin.cli.compare import FileComparison
from clearwin.cli.logs import LOG_OPTIONS, ask_logs, runs_of
from clearwin.data.files.guessing import look
from clearwin.data.files.sources import (
    BROKEN_GZIP,
    GZIP_ERRORS,
    Source,
    TextColumns,
    each_table,
    in_our_words,
    json_object,
    open_source,
    run,
    scratch_database,
)
from clearwin.data.logs import describe, inspect_ai
from clearwin.data.logs.base import GZIP, ZIP, LogFile
from clearwin.data.logs.opening import are_logs
from clearwin.errors import DataError, OptionError, UnknownNameError, setting
from clearwin.measures import Measure
from clearwin.text import printable
from clearwin.web.folder import INLINE, read_json, write_json
from clearwin.web.refusals import MIB, Limits, TooLargeError, duration, size
from clearwin.web.settings import COMPARE, PLAN, arguments, command_line, context_of, parsed
from clearwin.workers import watched

if TYPE_CHECKING:
    from clearwin.results.base import Result

EXPECTED = '{"columns": {"truth": […], "a": […], "b": […]}, "measure": "f1", "seed": 7}'
ROLES = ("truth", "a", "b", "id")
SURE_SECONDS = 2.0  # seconds of drawing before an estimate is trusted
REHEARSED = 10_000  # replicates
N_RESAMPLES = 10_000  # that a comparison draws by default
MANY = 20 * REHEARSED  # from here on it pays to rehearse
# Bytes that a replicate takes at the peak, with the copies that putting together and sorting take. Measured with up to
# 20,000,000 of them over tests, measures and intervals: 38 to 53 of counts, 75 to 105 of scores and values.
BYTES_EACH = 64
BYTES_EACH_OF_NUMBERS = 112
FOR_PICTURES = 100 * MIB  # seconds that drawing takes, including loading matplotlib
DOUBT = 1.25  # a rehearsal is short and inexact, so work slightly over the limit may begin


@dataclass(frozen=True)
class Task:
    """What was sent: the names of the files, the settings, and those that follow from the names of inline columns."""

    files: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    implied: dict[str, Any] = field(default_factory=dict)
    renamed: list[dict[str, str]] = field(default_factory=list)

    @property
    def given(self) -> dict[str, Any]:
        """All settings."""
        return self.implied | self.settings


def read_task(folder: Path) -> Task:
    """Return what was sent; columns that came inline are written into a file."""
    body = folder / "body.json"
    if not body.exists():
        return Task(**read_json(folder / "task.json"))
    file, settings, implied = unpack(body, folder / "input")
    return Task([file], settings, implied)


def look_at_columns(folder: Path, limits: Limits, task: Task) -> None:
    """Write what columns the files have."""
    _refuse_no_file(task.files)
    for name in task.settings:
        raise UnknownNameError("field of a look at the columns", name, ("files", "example", "columns"))
    with _inside(folder / "input"), each_table(partial(refuse_columns, limits=limits)):
        refuse_unpacked(task.files, limits)
        logs = are_logs(task.files)
        write_json(folder / "columns.json", _described(task.files) if logs else look(task.files))


def _described(files: list[str]) -> dict[str, Any]:
    """Return what the command says about evaluation logs, which need no columns to be named."""
    told = as_typed(describe(*files), COMPARE.command).splitlines()
    found = [{"file": file, "columns": []} for file in files]
    words = "\n".join(map(printable, told))
    return {"files": found, "guess": {"roles": [], "measure": ""}, "shown": {}, "logs": words}


def compare(folder: Path, limits: Limits, task: Task) -> None:
    """Compare, and write everything that the page shows."""
    from clearwin.web.showing import write_answer

    progress = Progress(folder / "progress.json", limits)
    if _has_logs(folder, task, limits):
        words = arguments(task.files, task.given)
        result = _compared_logs(folder, progress, task, words)
        margin = margin_to_show(parsed(words), "compare")
        write_answer(folder, result, command_line(words), None, task.renamed, progress.stage, margin)
        return
    asked = _asked(task)
    result, points = _compared(folder, progress, task, asked, with_points=True)
    write_answer(folder, result, command_line(asked.words), points, task.renamed, progress.stage, asked.margin)


def compare_only(folder: Path, limits: Limits, task: Task) -> None:
    """Compare for a client that waits only for the result and cannot come back for pictures and a report."""
    from clearwin.web.showing import write_result

    progress = Progress(folder / "progress.json", limits)
    if _has_logs(folder, task, limits):
        words = arguments(task.files, task.given)
        result, margin = _compared_logs(folder, progress, task, words), margin_to_show(parsed(words), "compare")
    else:
        asked = _asked(task)
        (result, _), margin = _compared(folder, progress, task, asked), asked.margin
    write_result(folder, result, margin)


def plan(folder: Path, limits: Limits, task: Task) -> None:
    """Say how many items a difference needs, from the files as a pilot or from assumed rates."""
    from clearwin.cli.plan import planned
    from clearwin.web.showing import write_answer

    progress, given = Progress(folder / "progress.json", limits), task.given
    words = arguments(task.files, given, PLAN)
    asked = parsed(words, PLAN)
    progress.stage("reading the files" if task.files else "planning")
    with _inside(folder / "input"), each_table(partial(refuse_columns, limits=limits)), watched(progress.replicates):
        refuse_unpacked(task.files, limits)
        result = planned(**{name: value for name, value in asked.items() if name not in LOG_OPTIONS})
    write_answer(folder, result, command_line(words, PLAN), None, task.renamed, progress.stage)


VERBS = {"compare": compare, "result": compare_only, "columns": look_at_columns, "plan": plan}


@dataclass(frozen=True)
class SentComparison:
    """A task as the command understands it: what to compare, and the words to type."""

    comparison: FileComparison
    words: list[str]
    margin: float | None = None  # to read the interval against


def _asked(task: Task) -> SentComparison:
    """Read the settings; errors in them are reported before a file is opened."""
    _refuse_no_file(task.files)
    words = arguments(task.files, task.given)
    settings = parsed(words)
    margin = margin_to_show(settings, "compare")
    comparison = FileComparison.of(**settings)
    _refuse_incomplete(comparison)
    return SentComparison(comparison, words, margin)


def _has_logs(folder: Path, task: Task, limits: Limits) -> bool:
    """Return whether the files are evaluation logs, and no column of a table was named."""
    if not task.files or any(task.given.get(name) for name in ("truth", "id")):
        return False
    with _inside(folder / "input"):
        refuse_unpacked(task.files, limits)
        return are_logs(task.files)


def _compared_logs(folder: Path, progress: Progress, task: Task, words: list[str]) -> Result:
    """Compare evaluation logs as the command does; the logs decide what was not chosen."""
    from clearwin.analyses.compare import compare as compare_arrays

    context = context_of(words)
    progress.stage("reading the logs")
    with _inside(folder / "input"), context:
        runs = runs_of(tuple(task.files), dict(context.params))
        assert runs is not None  # they are logs
        progress.stage("comparing")
        with watched(progress.replicates):
            found: Result = ask_logs(compare_arrays, runs)
            return found


def _compared(
    folder: Path, progress: Progress, task: Task, asked: SentComparison, *, with_points: bool = False
) -> tuple[Result, dict[str, Any] | None]:
    """Compare, and count what the slider shows while the files are open."""
    from clearwin.web.showing import points_of

    comparison, limits = asked.comparison, progress.limits
    progress.stage("reading the files")
    with _inside(folder / "input"), each_table(partial(refuse_columns, limits=limits)):
        refuse_unpacked(task.files, limits)
        progress.stage("estimating the work")
        each, drawn = bytes_each(comparison.measure), comparison.settings.get("n_resamples", N_RESAMPLES)
        with comparison.opened() as data:
            rehearse(lambda n: comparison.result(data, n_resamples=n), drawn, each, limits)
            progress.stage("comparing")
            with watched(progress.replicates):
                result = comparison.result(data)
            return result, points_of(comparison, data, result) if with_points else None


def _refuse_no_file(names: list[str]) -> None:
    if not names:
        raise OptionError("There is no file.", "one file with all columns, or one each for truth, A and B")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Change into the upload folder so that messages show the user's own file names."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


def refuse_unpacked(names: list[str], limits: Limits) -> None:
    """Measure packed files, and check the rows that a Parquet file declares, before anything reads them."""
    total = 0
    for name in names:
        with Path(name).open("rb") as file:
            start = file.read(4)
        if start == b"PAR1":
            _refuse_rows(name, limits)
        for part in _unpacked(name, start):
            total += len(part)
            if total > limits.unpacked:
                raise TooLargeError(
                    f"{name} holds more than {size(limits.unpacked)} when it is unpacked.",
                    "less than that",
                    "leave out columns that are not needed, or use the command, which takes more",
                )


def _unpacked(name: str, start: bytes) -> Iterator[bytes]:
    """Yield what reading a packed file will unpack, part by part; nothing of another file."""
    if start.startswith(GZIP):
        try:
            with gzip.open(name) as file:
                yield from iter(partial(file.read, 1 << 20), b"")
        except GZIP_ERRORS:
            raise in_our_words(Source(Path(name), name, "csv", zipped=True), BROKEN_GZIP) from None
    elif start == ZIP:
        yield from inspect_ai.unpacked(LogFile(Path(name), name))


def refuse_columns(table: TextColumns, limits: Limits) -> None:
    """Count the columns before anything reads them, because the work grows with their square."""
    if len(table.texts) > limits.columns:
        raise TooLargeError(
            f"{table.source.name} has {len(table.texts):,} columns.",
            f"at most {limits.columns:,}",
            "leave out columns that are not needed, or use the command, which has no such limit",
        )


def _refuse_rows(name: str, limits: Limits) -> None:
    with scratch_database() as (db, scratch):
        source = open_source(name, scratch)
        path = source.sql().partition(", hive")[0]
        [(rows, unpacked)] = run(
            db,
            source,
            f"SELECT (SELECT sum(num_rows) FROM parquet_file_metadata({path})), "
            f"(SELECT sum(total_uncompressed_size) FROM parquet_metadata({path}))",
        )
    if (rows or 0) > limits.rows or (unpacked or 0) > limits.unpacked:
        raise TooLargeError(
            f"{name} declares {rows:,} rows and {size(unpacked)}.",
            f"at most {limits.rows:,} rows and {size(limits.unpacked)}",
            "use the command, which has no such limit",
        )


def unpack(body: Path, folder: Path) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Write the columns as JSONL and return the file, the settings, and those that follow from the columns' names."""
    try:
        found = json_object(body.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise DataError(f"The body cannot be read as JSON: {problem}.", EXPECTED) from None
    columns = found.pop("columns", None)
    if not isinstance(columns, dict) or not columns or not all(isinstance(c, list) for c in columns.values()):
        raise DataError("The body has no columns.", EXPECTED)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        told = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
        raise DataError(f"The lengths of the columns differ: {told}.", "one value for each item in every column")
    for name in ("file", "files"):
        if name in found:
            raise OptionError(f"{name} is not taken with columns.", EXPECTED, "send files as multipart/form-data")
    with (folder / INLINE).open("w", encoding="utf-8") as file:
        for values in zip(*columns.values(), strict=True):
            file.write(json.dumps(dict(zip(columns, values, strict=True))) + "\n")
    return INLINE, found, {role: role for role in ROLES if role in columns}


def _refuse_incomplete(asked: FileComparison) -> None:
    """Raise if several files were sent without an id column or a truth column."""
    sent, measure = len(asked.files), asked.measure
    if sent < 2 or measure.takes == "sums":
        return  # reading counts reports by itself that it takes one file
    if measure.needs_truth and not measure.judges_marks and sent == 2 and "truth" not in asked.settings:
        raise OptionError(
            "There are two files, and the column of the truth was not given.",
            "a column with the true labels in the file of A or B, or a third file with the truth",
            "choose the column with --truth, or a measure of values, such as --measure mean",
        )
    if not measure.needs_truth and sent == 3:
        raise OptionError(
            f"There are three files, and {measure.label} does not use a truth.",
            "the two files of A and B",
            "leave the file with the truth out, or choose another --measure",
        )
    if "id" not in asked.settings:
        raise OptionError(
            f"The column that joins the {sent} files was not given.",
            "a column with the items' ids, of the same name in every file",
            "choose the column with --id",
        )


class Progress:
    """Reports progress to the server, and refuses work that would take too long."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.began = self.told = time.monotonic()
        self.first = (0, 0, 0.0)  # of these replicates: how many in all, how many the first block had, when it was done
        self.step = self.last = 0  # a test and its interval are drawn one after the other

    def stage(self, name: str) -> None:
        write_json(self.path, {"stage": name})

    def replicates(self, done: int, total: int) -> None:
        """Record a block, and raise if the rest would take too long."""
        now = time.monotonic()
        in_all, block, since = self.first
        self.step += total != in_all or done <= self.last
        self.last = done
        if (
            done <= block or total != in_all
        ):  # the first block might have waited for a compiler, so time counts after it
            self.first = (total, done, now)
            return
        left = (now - since) * (total - done) / (done - block)
        estimate = now - self.began + left
        if estimate > self.limits.seconds and now - since > SURE_SECONDS:
            raise too_much(total, estimate, total * self.limits.seconds / estimate, self.limits)
        if now - self.told > 0.2:
            self.told = now
            drawn = {"stage": "drawing replicates", "step": self.step, "done": done, "total": total}
            write_json(self.path, drawn | {"left": round(left, 1), "estimate": round(estimate, 1)})


class Rehearsal:
    """Records what the replicates of each step cost; a first block might have waited for a compiler."""

    def __init__(self) -> None:
        self.steps: list[list[tuple[int, float]]] = []  # replicates done and when, after each block

    def replicates(self, done: int, total: int) -> None:
        """Record a block; steps that draw a fixed number do not grow with the number asked for."""
        if total != REHEARSED:
            return
        if not self.steps or done <= self.steps[-1][-1][0]:
            self.steps.append([])
        self.steps[-1].append((done, time.monotonic()))

    def seconds(self, replicates: int) -> float:
        """Return the time to draw this many replicates, in all steps together."""
        ends = [(step[0], step[-1]) for step in self.steps]
        return sum(replicates * (end - start) / max(done - first, 1) for (first, start), (done, end) in ends)


def rehearse(compare: Callable[[int], object], wanted: int, each: int, limits: Limits) -> None:
    """Compare with few replicates where very many are wanted, and refuse what would take too long or too much.

    ``each`` is the number of bytes for one.
    """
    if wanted <= MANY:
        return
    rehearsal, began = Rehearsal(), time.monotonic()
    with watched(rehearsal.replicates):
        compare(REHEARSED)
    if not rehearsal.steps:
        return  # the test draws nothing
    seconds = time.monotonic() - began + rehearsal.seconds(wanted)
    fixed = held_now() + FOR_PICTURES
    memory = fixed + wanted * each
    if seconds > DOUBT * limits.seconds or memory > limits.memory:
        fitting = wanted * min(limits.seconds / seconds, 1.0)
        raise too_much(wanted, seconds, min(fitting, (limits.memory - fixed) / each), limits, memory)


def held_now() -> int:
    """Return the bytes that count towards the memory limit; 0 if the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        import resource

        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    return 0


def bytes_each(measure: Measure) -> int:
    """Return what a replicate of this measure takes in memory."""
    return BYTES_EACH_OF_NUMBERS if measure.needs_numbers else BYTES_EACH


def too_much(total: int, seconds: float, fitting: float, limits: Limits, memory: int = 0) -> OptionError:
    """Raise, with what the replicates would take, the limit, and the ``fitting`` number."""
    need, most = f"about {duration(seconds)}", duration(limits.seconds)
    if memory:
        need, most = f"{need} and {size(memory)} of memory", f"{most} and {size(limits.memory)}"
    return OptionError(
        f"{total:,} replicates would take {need} here.",
        f"work of at most {most}",
        setting("n_resamples", rounded_down(fitting)) + ", or the command, which has no such limit",
    )


def rounded_down(n: float) -> int:
    """Return a round number that is not larger.

    >>> rounded_down(39_812_345.6), rounded_down(0.3)
    (30000000, 1)
    """
    whole = max(int(n), 1)
    unit: int = 10 ** (len(str(whole)) - 1)
    return whole // unit * unit
