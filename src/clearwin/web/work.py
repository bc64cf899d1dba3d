"""How much work the replicates are: rehearsed before they are drawn, told while they are, and refused if too much."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from clearwin.errors import OptionError, setting
from clearwin.execution import watched
from clearwin.measures import Measure
from clearwin.web.folder import read_json, write_json
from clearwin.web.limits import MIB, Limits, duration, size

LARGE = 4 * MIB  # bytes of files; more take seconds to read
SURE_SECONDS = 2.0  # of drawing, before an estimate is believed
REHEARSED = 10_000  # replicates
MANY = 20 * REHEARSED  # from here on it pays to rehearse
# Bytes that a replicate takes at the peak, with the copies that putting together and sorting take. Measured with up to
# 20,000,000 of them over tests, measures and intervals: 38 to 53 of counts, 75 to 105 of scores and values.
BYTES_EACH = 64
BYTES_EACH_OF_NUMBERS = 112
FOR_PICTURES = 100 * MIB  # that drawing takes, with matplotlib where it is not loaded yet
DOUBT = 1.25  # a rehearsal is short: what seems to take a little too long is let begin


def looks_long(folder: Path) -> bool:
    """Whether a comparison will probably take many seconds, as far as can be told before anything is read."""
    sent = sum(path.stat().st_size for path in (*folder.glob("input/*"), *folder.glob("body.json")))
    settings = (read_json(folder / "task.json") or {}).get("settings", {})
    asked = str(settings.get("n_resamples", ""))
    return sent > LARGE or (asked.isdecimal() and len(asked) < 20 and int(asked) > MANY)


class Progress:
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
            raise too_much(total, estimate, total * self.limits.seconds / estimate, self.limits)
        if now - self.told > 0.2:
            self.told = now
            drawn = {"stage": "drawing replicates", "step": self.step, "done": done, "total": total}
            write_json(self.path, drawn | {"left": round(left, 1), "estimate": round(estimate, 1)})


class Rehearsal:
    """Takes note of what the replicates of each step cost; a first block may have waited for a compiler."""

    def __init__(self) -> None:
        self.steps: list[list[tuple[int, float]]] = []  # replicates done and when, after each block

    def replicates(self, done: int, total: int) -> None:
        """Take note of a block; steps that draw a number of their own do not grow with what was asked for."""
        if total != REHEARSED:
            return
        if not self.steps or done <= self.steps[-1][-1][0]:
            self.steps.append([])
        self.steps[-1].append((done, time.monotonic()))

    def seconds(self, replicates: int) -> float:
        """Return what so many replicates take to draw, in all steps together."""
        ends = [(step[0], step[-1]) for step in self.steps]
        return sum(replicates * (end - start) / max(done - first, 1) for (first, start), (done, end) in ends)


def rehearse(compare: Callable[[int], object], wanted: int, each: int, limits: Limits) -> None:
    """Compare with few replicates where very many are wanted, and refuse what would take too long or too much.

    ``each`` are the bytes that one takes.
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
    """Return the bytes that count for the limit of memory; 0 where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        import resource

        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    return 0


def bytes_each(measure: Measure) -> int:
    """Return what a replicate of this measure takes in memory."""
    return BYTES_EACH_OF_NUMBERS if measure.needs_numbers else BYTES_EACH


def too_much(total: int, seconds: float, fitting: float, limits: Limits, memory: int = 0) -> OptionError:
    """Say what the replicates would take, what they may, and how many would be ``fitting``."""
    need, most = f"about {duration(seconds)}", duration(limits.seconds)
    if memory:
        need, most = f"{need} and {size(memory)} of memory", f"{most} and {size(limits.memory)}"
    return OptionError(
        f"{total:,} replicates would take {need} here.",
        f"work of at most {most}",
        setting("n_resamples", rounded_down(fitting)) + ", or the command, which has no such limit",
    )


def rounded_down(n: float) -> int:
    """Return a number that is easily read, and no larger.

    >>> rounded_down(39_812_345.6), rounded_down(0.3)
    (30000000, 1)
    """
    whole = max(int(n), 1)
    unit: int = 10 ** (len(str(whole)) - 1)
    return whole // unit * unit
