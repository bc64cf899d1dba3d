"""What a job and the server may take, and the refusals when that is not enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clearwin.errors import ClearwinError

MIB = 2**20


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
    # a watched job of which nobody has asked for so long is ended; browsers let a hidden page ask once a minute only
    lapse_seconds: float = 90.0

    def places(self, lane: Literal["columns", "short", "long"]) -> int:
        """How many jobs of a lane there may be that work or wait."""
        return self.workers + (self.short_queue if lane == "short" else self.queue)


class TooLargeError(ClearwinError):
    """More was sent than the server takes."""

    status = 413


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
    """Return the HTTP status of a refusal; what is wrong with data or settings is 422."""
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
    """Write a time roughly, as people would say it.

    >>> duration(4.2), duration(90), duration(8000)
    ('4 seconds', '1.5 minutes', '2.2 hours')
    """
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.2g} {unit}" if seconds < 10 * length else f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} second" + ("" if round(seconds) == 1 else "s")


def out_of_memory(limits: Limits) -> dict[str, str]:
    """Say that a job needed more memory than it may have."""
    return {
        "what": f"The job needed more than the {size(limits.memory)} of memory that a job may take here.",
        "expected": "less data at once",
        "next": "leave out items, draw fewer replicates, or use the command, which has no such limit",
    }
