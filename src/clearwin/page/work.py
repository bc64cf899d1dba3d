"""How much work the replicates are: rehearsed before they are drawn, told while they are, and refused if too much."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from clearwin.errors import OptionError
from clearwin.execution import watched
from clearwin.page.folder import write_json
from clearwin.page.limits import MIB, Limits, duration, size

SURE_SECONDS = 2.0  # of drawing, before an estimate is believed
REHEARSED = 10_000  # replicates
MANY = 20 * REHEARSED  # from here on it pays to rehearse
# measured over tests, measures and intervals: what stays of a replicate, with the copies that sorting takes
BYTES_EACH = 64
FOR_PICTURES = 100 * MIB  # matplotlib, which is not loaded yet
DOUBT = 1.25  # a rehearsal is short: what seems to take a little too long is let begin


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
            raise too_much(total, estimate, 0, self.limits)
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


def rehearse(compare: Callable[[int], object], wanted: int, limits: Limits) -> None:
    """Compare with few replicates where very many are wanted, and refuse what would take too long or too much."""
    if wanted <= MANY:
        return
    rehearsal, began = Rehearsal(), time.monotonic()
    with watched(rehearsal.replicates):
        compare(REHEARSED)
    if not rehearsal.steps:
        return  # the test draws nothing
    seconds = time.monotonic() - began + rehearsal.seconds(wanted)
    memory = held_now() + FOR_PICTURES + wanted * BYTES_EACH
    if seconds > DOUBT * limits.seconds or memory > limits.memory:
        raise too_much(wanted, seconds, memory, limits)


def held_now() -> int:
    """Return the bytes that count for the limit of memory; 0 where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        import resource

        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    return 0


def too_much(total: int, seconds: float, memory: int, limits: Limits) -> OptionError:
    """Say what the replicates would take, what they may, and how many would be fine."""
    need = f"about {duration(seconds)}" + (f" and {size(memory)} of memory" if memory else "")
    most = total * min(limits.seconds / seconds, 1.0)
    if memory:
        most = min(most, (limits.memory - memory) / BYTES_EACH + total)
    return OptionError(
        f"{total:,} replicates would take {need} here.",
        f"work of at most {duration(limits.seconds)}" + (f" and {size(limits.memory)}" if memory else ""),
        f"n_resamples={rounded_down(most)}, or the command, which has no such limit",
    )


def rounded_down(n: float) -> int:
    """Return a number that is easily read, and no larger.

    >>> rounded_down(39_812_345.6), rounded_down(0.3)
    (30000000, 1)
    """
    whole = max(int(n), 1)
    unit: int = 10 ** (len(str(whole)) - 1)
    return whole // unit * unit
