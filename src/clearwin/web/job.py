"""One job, in a process of its own: a copy of a warm one, or `python -m clearwin.web.job compare FOLDER`.

It limits itself before it reads anything, talks by JSON files in its folder, and ends when the server does.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.data.files.sources import NOT_ENOUGH_MEMORY
from clearwin.errors import ClearwinError, OptionError, UnknownNameError
from clearwin.web.folder import read_json, write_json
from clearwin.web.limits import Limits, TooLargeError, out_of_memory, size, status_of
from clearwin.web.refusals import in_words
from clearwin.web.work import Progress, bytes_each, rehearse

if TYPE_CHECKING:
    from clearwin.results.base import Result


MOST_SEEDS = 2**32


def main() -> None:
    """Do one job, told on the command line."""
    os.umask(0o077)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    trust_no_folder()
    work(sys.argv[1], Path(sys.argv[2]).absolute())


def trust_no_folder() -> None:
    """Import nothing from where we stand: "" would be where the uploads are."""
    sys.path[:] = [entry for entry in sys.path if Path(entry).is_absolute()]


def work(verb: str, folder: Path) -> None:
    """Do one job within its limits and write its outcome."""
    limits = Limits(**read_json(folder / "limits.json"))
    _limit_myself(limits)
    outcome: dict[str, Any] = {"state": "done", "status": 200, "error": None}
    task = Task()
    try:
        task = _read_task(folder)
        {"compare": _compare, "result": _compare_only, "columns": _columns}[verb](folder, limits, task)
    except ClearwinError as error:
        lacking = error.what.startswith(NOT_ENOUGH_MEMORY)  # which the one who sent the files cannot get more of
        words = out_of_memory(limits) if lacking else in_words(error, task.given)
        outcome = {"state": "refused", "status": status_of(error), "error": words}
    except MemoryError:
        outcome = {"state": "refused", "status": 422, "error": out_of_memory(limits)}
    write_json(folder / "outcome.json", outcome)


def _limit_myself(limits: Limits) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    wanted = {
        "RLIMIT_DATA": limits.memory,
        "RLIMIT_CPU": int(2 * limits.seconds) * (os.cpu_count() or 1) + 60,
        "RLIMIT_FSIZE": 2 * limits.unpacked,  # what does not fit into memory is put on the disk, but not for ever
        "RLIMIT_CORE": 0,
    }
    for name, most in wanted.items():
        with contextlib.suppress(ValueError, OSError):  # a lower limit than ours holds already
            resource.setrlimit(getattr(resource, name), (most, most))


def _end_with_the_server() -> None:
    os.read(0, 1)  # returns when the server's end of the pipe is gone
    os._exit(1)


# --- the verbs ---------------------------------------------------------------------------------------------


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


def _read_task(folder: Path) -> Task:
    body = folder / "body.json"
    if not body.exists():
        return Task(**read_json(folder / "task.json"))
    from clearwin.web.inline import unpack

    file, settings, implied = unpack(body, folder / "input")
    return Task([file], settings, implied)


def _columns(folder: Path, limits: Limits, task: Task) -> None:
    from clearwin.web.columns import look

    _refuse_no_file(task.files)
    for name in task.settings:
        raise UnknownNameError("field of a look at the columns", name, ("files", "example", "columns"))
    with _inside(folder / "input"):
        refuse_unpacked(task.files, limits)
        refuse_columns(task.files, limits)
        write_json(folder / "columns.json", look(task.files))


def _compare(folder: Path, limits: Limits, task: Task) -> None:
    from clearwin.web.showing import points_of, write_answer

    progress = Progress(folder / "progress.json", limits)
    result, asked, words = _compared(folder, progress, task)
    with _inside(folder / "input"):
        points = points_of(asked, result)
    write_answer(folder, result, asked["alpha"], words, points, task.renamed, progress.stage)


def _compare_only(folder: Path, limits: Limits, task: Task) -> None:
    """Compare for a client that waits for the result alone: nobody could come back for pictures and a report."""
    from clearwin.web.showing import write_result

    result, _, _ = _compared(folder, Progress(folder / "progress.json", limits), task)
    write_result(folder, result)


def _compared(folder: Path, progress: Progress, task: Task) -> tuple[Result, dict[str, Any], list[str]]:
    """Return the result, what the command would have been asked, and its words."""
    from clearwin.data.questions import check_probability
    from clearwin.web.settings import arguments, parsed
    from clearwin.web.two_files import refuse_incomplete, truth_in_a

    progress.stage("reading the files")
    names, given = task.files, task.given
    _refuse_no_file(names)
    if given.get("seed") in (None, ""):
        given["seed"] = int.from_bytes(os.urandom(4), "little") % MOST_SEEDS  # so that the command gives the same
    words = arguments(names, given)
    asked = parsed(words)
    refuse_incomplete(asked)
    if truth_in_a(asked):
        words = arguments([names[0], *names], given)
        asked = parsed(words)
    check_probability("alpha", asked["alpha"])
    with _inside(folder / "input"):
        refuse_unpacked(names, progress.limits)
        refuse_columns(names, progress.limits)
        result = _result({name: value for name, value in asked.items() if name != "alpha"}, names, progress)
    return result, asked, words


def _result(asked: dict[str, Any], sent: list[str], progress: Progress) -> Result:
    from clearwin.cli.compare import compare_files
    from clearwin.execution import watched
    from clearwin.web.two_files import refuse_other_truth

    if len(asked["files"]) > len(sent):  # A's file stands for the truth, too
        refuse_other_truth(asked)
    progress.stage("estimating the work")
    each = bytes_each(asked["measure"])
    rehearse(lambda n: compare_files(**(asked | {"n_resamples": n})), asked["n_resamples"], each, progress.limits)
    progress.stage("comparing")
    with watched(progress.replicates):
        return compare_files(**asked)


def _refuse_no_file(names: list[str]) -> None:
    if not names:
        raise OptionError("There is no file.", "one file with all columns, or one each for truth, A and B")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Stand where the files are, so that messages call them as their owner does."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


def refuse_unpacked(names: list[str], limits: Limits) -> None:
    """Count what packed files hold, and look how many rows a Parquet file declares, before anything reads them."""
    from clearwin.data.files.sources import BROKEN_GZIP, GZIP_ERRORS, Source, in_our_words

    total = 0
    for name in names:
        with Path(name).open("rb") as file:
            start = file.read(4)
        if start == b"PAR1":
            _refuse_rows(name, limits)
        if start[:2] != b"\x1f\x8b":
            continue
        try:
            with gzip.open(name) as file:
                while part := file.read(1 << 20):
                    total += len(part)
                    if total > limits.unpacked:
                        raise TooLargeError(
                            f"{name} holds more than {size(limits.unpacked)} when it is unpacked.",
                            "less than that",
                            "leave out columns that are not needed, or use the command, which has no such limit",
                        )
        except GZIP_ERRORS:
            raise in_our_words(Source(Path(name), name, "csv", zipped=True), BROKEN_GZIP) from None


def refuse_columns(names: list[str], limits: Limits) -> None:
    """Count the columns before anything reads them: the work grows with their square."""
    from clearwin.data.files.predictions import is_counts_file
    from clearwin.data.files.sources import open_source, open_table, workshop

    for name in names:
        if is_counts_file(name):
            continue
        with workshop() as (db, scratch):
            found = len(open_table(db, open_source(name, scratch)).texts)
        if found > limits.columns:
            raise TooLargeError(
                f"{name} has {found:,} columns.",
                f"at most {limits.columns:,}",
                "leave out columns that are not needed, or use the command, which has no such limit",
            )


def _refuse_rows(name: str, limits: Limits) -> None:
    from clearwin.data.files.sources import open_source, run, workshop

    with workshop() as (db, scratch):
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


if __name__ == "__main__":
    main()
