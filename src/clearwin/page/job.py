"""One job, in a process of its own: `python -m clearwin.page.job compare FOLDER`.

It limits itself before it reads anything, talks by JSON files in its folder, and ends when the server does.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clearwin.errors import ClearwinError, DataError, OptionError, shortened
from clearwin.page.folder import read_json, write_json
from clearwin.page.limits import Limits, TooLargeError, duration, out_of_memory, size, status_of

MOST_SEEDS = 2**32
SURE_SECONDS = 2.0  # of drawing, before an estimate is believed


def main() -> None:
    """Do one job and write its outcome."""
    verb, folder = sys.argv[1], Path(sys.argv[2]).absolute()
    limits = Limits(**read_json(folder / "limits.json"))
    os.umask(0o077)
    _limit_myself(limits)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    sys.path[:] = [entry for entry in sys.path if Path(entry).is_absolute()]  # "" would be where the uploads are
    outcome: dict[str, Any] = {"state": "done", "status": 200, "error": None}
    try:
        {"compare": _compare, "columns": _columns}[verb](folder, limits)
    except ClearwinError as error:
        words = out_of_memory(limits) if "Out of Memory" in error.what else in_words(error, folder)  # DuckDB's
        outcome = {"state": "refused", "status": status_of(error), "error": words}
    except MemoryError:
        outcome = {"state": "refused", "status": 422, "error": out_of_memory(limits)}
    write_json(folder / "outcome.json", outcome)


def in_words(error: ClearwinError, folder: Path) -> dict[str, str]:
    """Return the three parts of an error, spelled and cleaned as the command does, and the setting that it is about."""
    from clearwin.cli.options import as_options
    from clearwin.page.settings import setting_named, setting_of_column
    from clearwin.story import printable

    parts = {"what": error.what, "expected": error.expected, "next": as_options(error.next)}
    given = (read_json(folder / "task.json") or {}).get("settings", {})
    field = setting_of_column(parts["what"], given) or setting_named(parts["what"], parts["next"])
    return {part: printable(shortened(text)) for part, text in parts.items()} | ({"field": field} if field else {})


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


# --- the two verbs ---------------------------------------------------------------------------------------------


def _columns(folder: Path, limits: Limits) -> None:
    from clearwin.page.columns import look

    names, _ = _task(folder)
    _refuse_no_file(names)
    with _inside(folder / "input"):
        refuse_unpacked(names, limits)
        refuse_columns(names, limits)
        write_json(folder / "columns.json", look(names))


def _compare(folder: Path, limits: Limits) -> None:
    from clearwin.cli.comparing import compare_files
    from clearwin.execution import watched
    from clearwin.page.settings import arguments, parsed
    from clearwin.page.showing import points_of, write_answer
    from clearwin.page.two_files import refuse_other_truth, truth_in_a
    from clearwin.significance.base import check_probability

    progress = _Progress(folder / "progress.json", limits)
    progress.stage("reading the files")
    names, given = _task(folder)
    _refuse_no_file(names)
    if given.get("seed") in (None, ""):
        given["seed"] = int.from_bytes(os.urandom(4), "little") % MOST_SEEDS  # so that the command gives the same
    words = arguments(names, given)
    asked = parsed(words)
    twice = truth_in_a(asked)
    if twice:
        words = arguments([names[0], *names], given)
        asked = parsed(words)
    alpha = asked.pop("alpha")
    check_probability("alpha", alpha)
    with _inside(folder / "input"), watched(progress.replicates):
        refuse_unpacked(names, limits)
        refuse_columns(names, limits)
        if twice:
            refuse_other_truth(asked)
        progress.stage("comparing")
        result = compare_files(**asked)
        points = points_of(parsed(words), result)
    renamed = (read_json(folder / "task.json") or {}).get("renamed", [])
    write_answer(folder, result, alpha, words, points, renamed, progress.stage)


def _refuse_no_file(names: list[str]) -> None:
    if not names:
        raise OptionError("There is no file.", "one file with all columns, or one each for truth, A and B")


def _task(folder: Path) -> tuple[list[str], dict[str, Any]]:
    body = folder / "body.json"
    if not body.exists():
        task = read_json(folder / "task.json")
        return task["files"], task["settings"]
    from clearwin.page.inline import unpack

    return unpack(body, folder / "input")


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
    from clearwin.sources import BROKEN_GZIP, GZIP_ERRORS, Source, in_our_words

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
    from clearwin.files import is_counts_file
    from clearwin.formats import open_table, workshop
    from clearwin.sources import open_source

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
    from clearwin.formats import run, workshop
    from clearwin.sources import open_source

    with workshop() as (db, scratch):
        source = open_source(name, scratch)
        path = source.sql().partition(", hive")[0]
        [(rows, unpacked)] = run(
            db, source,
            f"SELECT (SELECT sum(num_rows) FROM parquet_file_metadata({path})), "
            f"(SELECT sum(total_uncompressed_size) FROM parquet_metadata({path}))",
        )  # fmt: skip
    if (rows or 0) > limits.rows or (unpacked or 0) > limits.unpacked:
        raise TooLargeError(
            f"{name} declares {rows:,} rows and {size(unpacked)}.",
            f"at most {limits.rows:,} rows and {size(limits.unpacked)}",
            "use the command, which has no such limit",
        )


class _Progress:
    """Tells the server how far the work is, and refuses work that would take too long."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.began = self.told = time.monotonic()
        self.first = (0, 0, 0.0)  # of these replicates: how many in all, how many the first block had, when it was done
        self.step = self.last = 0  # a test and its interval are drawn one after the other

    def stage(self, name: str) -> None:
        write_json(self.path, {"stage": name})

    def replicates(self, done: int, total: int) -> None:
        """Take note of a block, and raise when the rest would take too long."""
        now = time.monotonic()
        in_all, block, since = self.first
        self.step += total != in_all or done <= self.last
        self.last = done
        if done <= block or total != in_all:  # the first block may have waited for a compiler: time counts after it
            self.first = (total, done, now)
            return
        left = (now - since) * (total - done) / (done - block)
        estimate = now - self.began + left
        if estimate > self.limits.seconds and now - since > SURE_SECONDS:
            self._refuse(total, estimate)
        if now - self.told > 0.2:
            self.told = now
            drawn = {"stage": "drawing replicates", "step": self.step, "done": done, "total": total}
            write_json(self.path, drawn | {"left": round(left, 1), "estimate": round(estimate, 1)})

    def _refuse(self, total: int, estimate: float) -> None:
        most = max(int(total * self.limits.seconds / estimate), 1)
        raise DataError(
            f"{total:,} replicates would take about {duration(estimate)} here.",
            f"work of at most {duration(self.limits.seconds)}",
            f"n_resamples={float(f'{most:.1g}'):.0f}, or the command, which has no such limit",
        )


if __name__ == "__main__":
    main()
