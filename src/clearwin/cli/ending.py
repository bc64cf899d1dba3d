"""How the command ends: its exit codes. Those of the gate's verdicts, 1 and 3, never mean anything else.

Python itself ends with 1 after an error that nobody has caught, and click after an interrupt and a closed pipe; a
pipeline would take that for a model that has failed its gate.
"""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

WRONG_USE = 2
FAULT = 70  # EX_SOFTWARE of sysexits.h: an error in clearwin itself
INTERRUPTED, UNREAD, TERMINATED = 130, 141, 143  # what shells report of SIGINT, SIGPIPE and SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM, as from `kill` or a service manager: like Ctrl-C, but with an exit code of its own."""


@contextmanager
def terminable() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: temporary files are removed, finished blocks are kept, and workers end."""
    if threading.current_thread() is not threading.main_thread():  # which alone may say so
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def end_interrupted(stop: BaseException) -> NoReturn:
    """End the process after Ctrl-C or SIGTERM, with the notes that the work has left on the interrupt."""
    click.echo(" ".join(("interrupted.", *getattr(stop, "__notes__", ()))), err=True)
    sys.exit(TERMINATED if isinstance(stop, Terminated) else INTERRUPTED)


def end_with_fault() -> NoReturn:
    """End the process after an error that nobody expected, with what is needed to report it."""
    traceback.print_exc()
    click.echo("error: clearwin failed, which is a bug in clearwin and not your mistake.", err=True)
    click.echo("  next: report it with the lines above", err=True)
    sys.exit(FAULT)
