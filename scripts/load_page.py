"""Many clients at once on the local page: what is answered, how quickly, and how much memory it takes.

`python scripts/load_page.py` starts `clearwin serve`, lets 50 clients ask for a minute, one comparison after another,
each waiting as long as a refusal tells it to, and prints how many answers of each status there were, how long a client
waited for a result, refusals included, and the largest memory of server and jobs together. With `--as page` they do as
the page in a browser does: they begin a job, ask how far it is, and fetch the words and the pictures.
"""

import argparse
import asyncio
import contextlib
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx

MIB = 2**20
ASKED = {"example": "eights", "truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight", "seed": "1"}
FIELDS = [(name, (None, value)) for name, value in ASKED.items()]


@dataclass
class Seen:
    """What the clients saw."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    peak: int = 0


Ask = Callable[[httpx.AsyncClient, Seen], Awaitable[httpx.Response]]


@contextlib.contextmanager
def served(*options: str) -> Iterator[tuple[int, str]]:
    """Run the server on a free port and yield its process id and address."""
    words = [sys.executable, "-c", "from clearwin.cli import main; main()", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen([*words, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        try:
            yield process.pid, found[0]
        finally:
            process.terminate()


def memory_of_tree(root: int) -> int:
    """Return the bytes of resident memory of a process and all below it; what several share is counted each time."""
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):  # it may end while we look
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text().split()]
    return total


async def client(url: str, until: float, seen: Seen, ask: Ask) -> None:
    """Ask for one comparison after another, and wait when told to."""
    async with httpx.AsyncClient(base_url=url, timeout=120) as session:
        while time.monotonic() < until:
            began = time.monotonic()
            while (answer := await ask(session, seen)).status_code == 429:
                await asyncio.sleep(float(answer.headers.get("retry-after", 0)))
            if answer.status_code == 200:
                seen.seconds.append(time.monotonic() - began)


async def as_program(session: httpx.AsyncClient, seen: Seen) -> httpx.Response:
    """Look at the page and wait for a result."""
    page = await session.get("/")
    answer = await session.post("/api/compare", files=FIELDS)
    seen.statuses.update([page.status_code, answer.status_code])
    return answer


async def as_page(session: httpx.AsyncClient, seen: Seen) -> httpx.Response:
    """Begin a job, ask for it until it is over, and fetch what the page shows."""
    answer = await session.post("/api/compare?wait=false&watched=true", files=FIELDS)
    seen.statuses.update([answer.status_code])
    if answer.status_code != 202:
        return answer
    job = answer.json()["id"]
    while (await session.get(f"/api/jobs/{job}")).json()["state"] in ("waiting", "running"):
        await asyncio.sleep(0.4)  # as page.js does
    answer = await session.get(f"/jobs/{job}/shown")
    seen.statuses.update([answer.status_code])
    for number in range(answer.text.count("<img")):
        seen.statuses.update([(await session.get(f"/jobs/{job}/pictures/{number}.svg")).status_code])
    return answer


async def watch(pid: int, seen: Seen) -> None:
    """Remember the largest memory."""
    while True:
        seen.peak = max(seen.peak, memory_of_tree(pid))
        await asyncio.sleep(0.1)


async def load(pid: int, url: str, clients: int, seconds: float, ask: Ask) -> Seen:
    """Let all clients ask at once."""
    seen, until = Seen(), time.monotonic() + seconds
    watcher = asyncio.create_task(watch(pid, seen))
    await asyncio.gather(*(client(url, until, seen, ask) for _ in range(clients)))
    watcher.cancel()
    return seen


def main() -> None:
    """Start the server, load it and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--as", dest="like", choices=("program", "page"), default="program")
    asked = parser.parse_args()
    ask = as_page if asked.like == "page" else as_program
    with served() as (pid, url):
        idle = memory_of_tree(pid)
        seen = asyncio.run(load(pid, url, asked.clients, asked.seconds, ask))
    print(
        f"{asked.clients} clients, each as a {asked.like}, {asked.seconds:g} s, {os.cpu_count()} cores, 2 workers, "
        f"load average {os.getloadavg()[0]:.1f}"
    )
    for status, count in sorted(seen.statuses.items()):
        print(f"  {status}: {count:,}")
    times = sorted(seen.seconds)
    if times:
        middle, slow = times[len(times) // 2], times[int(0.95 * (len(times) - 1))]
        print(f"  {len(times)} results took {middle:.1f} s at the median, {slow:.1f} s at the 95th percentile")
    print(f"  memory of server and jobs: {idle / MIB:.0f} MiB idle, at most {seen.peak / MIB:.0f} MiB")


if __name__ == "__main__":
    main()
