"""The limits of a job and the server, and how a refusal is reported: in three parts, with the setting concerned."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clearwin.cli.command import as_typed
from clearwin.data.files.sources import NO_ROOM_ON_DISK
from clearwin.errors import ClearwinError, UnknownNameError, shortened
from clearwin.results.writing import NO_ROOM
from clearwin.text import printable
from clearwin.web.folder import INLINE
from clearwin.web.settings import COMPARE, Offered

MIB = 2**20
FULL = 28  # exit code of a job that has no room to write its outcome


@dataclass(frozen=True)
class Limits:
    """How much is taken from a client, and how much a job may use."""

    upload: int = 64 * MIB  # bytes of one request
    unpacked: int = 512 * MIB  # bytes of its files after decompression
    rows: int = 20_000_000  # that a Parquet file may declare
    memory: int = 2048 * MIB  # bytes of a job's process
    seconds: float = 600.0  # that a job may take
    columns: int = 2_000  # of a file
    upload_seconds: float = 120.0  # that a client may take to send a request
    idle_seconds: float = 20.0  # that it may send nothing meanwhile
    receiving: int = 20  # requests that are being sent at the same time
    slow: int = 16 * 1024  # bytes a second; where all places are taken, a request that comes more slowly gives way
    slow_seconds: float = 1.0  # before one is called slow, and that others wait for its place
    connections: int = 200  # open at the same time
    head_seconds: float = 10.0  # in which the head of a request has to come, after the connection or the last answer
    stall_seconds: float = 60.0  # in which a client has to take some of its answer
    workers: int = 2  # short jobs at the same time, and as many long ones
    queue: int = 8  # looks at columns that wait, and long jobs
    short_queue: int = 48  # short jobs that wait
    short_seconds: float = 5.0  # after which a job counts as a long one
    kept: int = 40  # finished jobs whose results can still be fetched
    kept_seconds: float = 1800.0
    # seconds after which a watched job that nobody asks for is ended; a hidden page may ask only once a minute
    lapse_seconds: float = 90.0

    def places(self, lane: Literal["columns", "short", "long"]) -> int:
        """Return how many jobs of a lane may work or wait."""
        return self.workers + (self.short_queue if lane == "short" else self.queue)


class TooLargeError(ClearwinError):
    """More was sent than the server takes."""

    status = 413


class NoRoomError(ClearwinError):
    """The disk of the server is full."""

    status = 507


class BusyError(ClearwinError):
    """Too many jobs wait already."""

    status = 429


class TooSlowError(ClearwinError):
    """A client took too long to send its request."""

    status = 408


class ForeignError(ClearwinError):
    """The request came from another site's page, or to a name that is not ours."""

    status = 403


class NoSuchJobError(ClearwinError):
    """There is no such job, or its results are gone."""

    status = 404


def status_of(error: ClearwinError) -> int:
    """Return the HTTP status of a refusal; wrong data or settings are 422."""
    return int(getattr(error, "status", 422))


def size(n: float) -> str:
    """Write a number of bytes.

    >>> size(64 * 2**20), size(2**31), size(1500)
    ('64 MiB', '2 GiB', '1 KiB')
    """
    for unit, power in (("GiB", 30), ("MiB", 20)):
        if n >= 2**power:
            return f"{n / 2**power:.3g} {unit}"
    return f"{n / 1024:.0f} KiB"


def duration(seconds: float) -> str:
    """Write a rough duration, as people would say it.

    >>> duration(4.2), duration(90), duration(8000)
    ('4 seconds', '1.5 minutes', '2.2 hours')
    """
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.2g} {unit}" if seconds < 10 * length else f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} second" + ("" if round(seconds) == 1 else "s")


def out_of_memory(limits: Limits) -> dict[str, str]:
    """Say that a job needed more memory than it can have."""
    return {
        "what": f"The job needed more than the {size(limits.memory)} of memory that a job can use here.",
        "expected": "less data at once",
        "next": "leave out items, draw fewer replicates, or use the command, which has no such limit",
    }


def no_room() -> NoRoomError:
    """Return the refusal of what the server's disk has no room for; the sender cannot know or change its folders."""
    return NoRoomError(
        "There is no room left on the disk of the server for what was sent and for temporary files.",
        "room in the server's folder for temporary files",
        "make room there, or start the server with another folder: `TMPDIR=/folder clearwin serve`; then send it again",
    )


def is_lack_of_room(error: BaseException) -> bool:
    """Return whether an error says that the disk is full, whoever says it."""
    if isinstance(error, ClearwinError):
        return error.what.startswith(NO_ROOM_ON_DISK)
    return isinstance(error, OSError) and error.errno in NO_ROOM


def in_words(error: ClearwinError, given: Mapping[str, Any], of: Offered = COMPARE) -> dict[str, str]:
    """Return the three parts of an error, spelled and cleaned as the command does, and the setting that it is about."""
    expected, next = as_typed(error.expected, of.command), as_typed(error.next, of.command)
    parts = {"what": error.what, "expected": expected, "next": next}
    field = field_of(error, given, of)
    told = {part: printable(shortened(of_what_was_sent(text))) for part, text in parts.items()}
    return told | ({"field": field} if field else {})


def fault(told: str) -> dict[str, str]:
    """Write what went wrong to the server's terminal under a reference; return what the client gets: the reference."""
    reference = secrets.token_hex(4)
    sys.stderr.write(f"clearwin: a fault, reference {reference}:\n{told.rstrip()}\n")
    return {
        "what": f"clearwin failed, which is a bug in clearwin and not your mistake (reference {reference}).",
        "expected": "an answer or a refusal",
        "next": "try the command, and report the bug with what the server's terminal shows for this reference",
    }


def of_what_was_sent(text: str) -> str:
    """Replace the name of the file with inline columns, which the client does not know.

    >>> of_what_was_sent("Column 'truth' of data.jsonl is empty in 1 row (2).")
    "Column 'truth' of the body is empty in 1 row (2)."
    """
    return re.sub(rf"(?<=of ){re.escape(INLINE)}(?=[ .,:])", "the body", text)


def field_of(error: ClearwinError, given: Mapping[str, Any], of: Offered = COMPARE) -> str:
    """Return the setting that a refusal is about, or an empty text where that is not known."""
    if isinstance(error, UnknownNameError):
        kind = error.kind.partition(" of ")[0]
        if kind in ("class", "label"):
            return "positive" if str(given.get("positive")) == str(error.name) else "labels"
        kind = {"option": "measure"}.get(kind, kind)
        if kind in of.settings:
            return kind
    next = as_typed(error.next, of.command)
    return setting_of_column(error.what, given) or setting_named(error.what, next, of=of)


def setting_named(*texts: str, of: Offered = COMPARE) -> str:
    """Return the setting that a refusal is about, from the first text that names one.

    >>> setting_named("Which class is positive?", "--positive spam"), setting_named("n_resamples is 0.")
    ('positive', 'n_resamples')
    >>> setting_named("Line 2 has 2 fields.")
    ''
    """
    for text in texts:
        found = re.match(r"(\w+) (?:is|was) ", text) or re.search(r"(?<![\w-])--([a-z][a-z-]*)", text)
        name = found[1].replace("-", "_") if found else ""
        if name in of.settings:
            return name
    return ""


def setting_of_column(text: str, given: Mapping[str, Any]) -> str:
    """Return the setting that names the column in a refusal.

    >>> setting_of_column("Column 'x' of p.csv is not a number in 3 rows.", {"a": "w", "b": "x"})
    'b'
    >>> setting_of_column("There is no column of p.csv named 'who'.", {"groups": ["what", "who"]})
    'groups'
    """
    found = re.search(r"[Cc]olumn (?:.*?named )?(['\"])(.*?)\1", text)
    if found is None:
        return ""
    named = {name: given.get(name) for name, row in COMPARE.settings.items() if row.reads.kind == "column"}
    lists = {name: value if isinstance(value, list) else [value] for name, value in named.items()}
    return next((name for name, columns in lists.items() if found[2] in columns), "")
