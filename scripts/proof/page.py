"""The local page under load and attack: many clients, slow ones, bombs, foreign pages, hostile names, many jobs.

`python -m proof.page --seconds 60 --seed 1` starts `clearwin serve` and lets clients ask for so many seconds under each
heading, one comparison after another, each waiting as long as a refusal tells it to. No answer may be an error of the
server (5xx), and the server goes on. With `--only load` only the load is measured, with `--only names` the browser is
asked, and so on.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from proof import record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Request

MIB = 2**20
ASKED = {"example": "eights", "truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight", "seed": "1"}
FIELDS = [(name, (None, value)) for name, value in ASKED.items()]
MOST_MEMORY = 1024 * MIB  # of server and jobs together under load
PASSWORDS = b"root:x:"  # how /etc/passwd begins


@dataclass
class Seen:
    """What the clients saw."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def faults(self) -> int:
        """How many answers were errors of the server."""
        return sum(count for status, count in self.statuses.items() if status >= 500)


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


def tree(root: int) -> list[int]:
    """Return a process and all below it."""
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):  # it may end while we look
            tasks = list(Path(f"/proc/{pid}/task").iterdir())
            found.append(pid)
            for task in tasks:
                waiting += [int(child) for child in (task / "children").read_text().split()]
    return found


def memory(pid: int) -> int:
    """Return the bytes of resident memory of a process; 0 where it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def memory_of_tree(root: int) -> int:
    """Return the memory of a process and all below it; what several share is counted each time."""
    return sum(memory(pid) for pid in tree(root))


def percentile(seconds: list[float], share: float) -> float:
    """Return the time that so large a share of them did not exceed."""
    return sorted(seconds)[int(share * (len(seconds) - 1))] if seconds else float("nan")


# --- load -------------------------------------------------------------------------------------------------------------


async def client(url: str, until: float, seen: Seen, ask: Ask) -> None:
    """Ask for one comparison after another, and wait when told to."""
    async with httpx.AsyncClient(base_url=url, timeout=120) as session:
        while time.monotonic() < until:
            began = time.monotonic()
            while (answer := await ask(session, seen)).status_code in (408, 429):  # both say: send it again
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


def under_load(asked: argparse.Namespace) -> Iterator[record.Row]:
    """50 and 200 clients at once as programs, and 50 as pages."""
    for clients, like, ask in ((50, "programs", as_program), (200, "programs", as_program), (50, "pages", as_page)):
        began, busy = time.monotonic(), os.getloadavg()[0]
        with served() as (pid, url):
            seen = asyncio.run(load(pid, url, clients, asked.seconds, ask))
        told = ", ".join(f"{count:,} × {status}" for status, count in sorted(seen.statuses.items()))
        if seen.statuses[408] or seen.statuses[429]:
            told += "; requests answered 408 (too slow) or 429 (too many waiting) were sent again"
        middle, slow = percentile(seen.seconds, 0.5), percentile(seen.seconds, 0.95)
        figure = (
            f"{seen.faults} × 5xx ({told}); {len(seen.seconds):,} results, median {middle:.1f} s, 95th percentile "
            f"{slow:.1f} s; at most {seen.peak / MIB:.0f} MiB; {os.cpu_count()} cores with a load of {busy:.1f} before"
        )
        met = seen.faults == 0 and bool(seen.seconds) and seen.peak < MOST_MEMORY
        yield record.Row(
            f"{clients} clients at once, as {like}, {asked.seconds:g} s",
            sum(seen.statuses.values()),
            figure,
            "0 × 5xx, below 1 GiB",
            met,
            asked.seed,
            time.monotonic() - began,
        )


# --- attacks ----------------------------------------------------------------------------------------------------------


async def said(url: str, request: bytes, seconds: float = 60.0) -> bytes:
    """Send bytes as they are and return all that is answered; httpx would put paths and headers in order."""
    host, port = urlsplit(url).hostname, urlsplit(url).port
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(request)
        return await asyncio.wait_for(reader.read(), seconds)
    finally:
        writer.close()


def status(answer: bytes) -> int:
    """Return the status of an answer; 0 where the connection was closed without one."""
    found = re.match(rb"HTTP/1.1 (\d{3})", answer)
    return int(found[1]) if found else 0


def head(method: str, path: str, **headers: str) -> bytes:
    """Return the head of a request, written as it stands."""
    named = {"host": "127.0.0.1", "connection": "close"} | headers
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("utf-8", "surrogateescape")


async def drip(url: str, begin: bytes, until: asyncio.Event) -> None:
    """Send a request one byte a second, and begin again whenever the server has had enough."""
    host, port = urlsplit(url).hostname, urlsplit(url).port
    while not until.is_set():
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(host, port)
            writer.write(begin)
            while not until.is_set() and not writer.transport.is_closing():
                writer.write(b"x")
                await asyncio.sleep(1.0)
            writer.close()
        await asyncio.sleep(0.05)


def slow_clients(asked: argparse.Namespace) -> Iterator[record.Row]:
    """More slow heads than there are connections, more slow bodies than there are places, and an honest client."""

    async def work(url: str, begin: bytes, slow: int) -> Seen:
        seen, stop = Seen(), asyncio.Event()
        dripping = [asyncio.create_task(drip(url, begin, stop)) for _ in range(slow)]
        await asyncio.sleep(1.0)
        await client(url, time.monotonic() + asked.seconds, seen, as_program)
        stop.set()
        await asyncio.gather(*dripping)
        return seen

    heads = head("GET", "/")[:-2] + b"x-slow: "
    bodies = head("POST", "/api/compare", content_length="1000000", content_type="multipart/form-data; boundary=x")
    bodies += b'--x\r\nContent-Disposition: form-data; name="files"; filename="p.csv"\r\n\r\n'
    for what, begin, slow in (("heads", heads, 250), ("bodies", bodies, 60)):
        began = time.monotonic()
        with served() as (_, url):
            seen = asyncio.run(work(url, begin, slow))
        others = sum(seen.statuses.values()) - seen.statuses[200]
        yield record.Row(
            f"{slow} clients that send {what} of requests byte by byte, beside an honest one",
            sum(seen.statuses.values()),
            f"{others} answers of the honest one were not 200; 95th percentile {percentile(seen.seconds, 0.95):.1f} s",
            "all 200",
            others == 0 and bool(seen.seconds),
            asked.seed,
            time.monotonic() - began,
        )


def file_bombs() -> Iterator[tuple[str, str, bytes]]:
    """Yield files that are small and become large: a label, the file's name, its bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def parquet(table: pa.Table) -> bytes:
        out = io.BytesIO()
        pq.write_table(table, out)
        return out.getvalue()

    rows = b"truth,a,b\n" + b"1,1,0\n" * 100
    packed = gzip.compress(b"1,1,0\n" * (8 * MIB))
    yield "gzip, 960 MiB unpacked", "p.csv.gz", gzip.compress(rows) + packed * 20
    yield "gzip of gzip", "p.csv.gz", gzip.compress(gzip.compress(b"1,1,0\n" * (8 * MIB)))
    yield "gzip, one line of 480 MiB", "p.csv.gz", gzip.compress(b"truth,a,b\n" + b"1" * (480 * MIB), 1)
    yield "gzip, cut off", "p.csv.gz", packed[: len(packed) // 2]
    yield "gzip of JSONL", "p.jsonl.gz", gzip.compress(b'{"truth": 1, "a": 1, "b": 0}\n' * (8 * MIB), 1)
    ones = pa.array([1], pa.int8()).take(pa.repeat(0, 30_000_000))
    yield "Parquet, 30,000,000 rows in few bytes", "p.parquet", parquet(pa.table({"truth": ones, "a": ones, "b": ones}))
    long = pa.DictionaryArray.from_arrays(pa.repeat(0, 3_000_000).cast(pa.int32()), ["x" * 900])
    yield "Parquet, 2.5 GiB of one text", "p.parquet", parquet(pa.table({"truth": long, "a": long, "b": long}))
    yield "Parquet, 20,000 columns", "p.parquet", parquet(pa.table({f"c{i}": [1] for i in range(20_000)}))
    nested: pa.DataType = pa.int8()
    for _ in range(60):
        nested = pa.list_(nested)
    yield "Parquet, lists in lists", "p.parquet", parquet(pa.table({"truth": pa.nulls(9, nested)}))
    yield "Parquet, broken at its end", "p.parquet", b"PAR1" + b"\xff" * 4000 + b"\xff\xff\xff\x7fPAR1"
    yield "CSV, 1,000,000 columns", "p.csv", b",".join([b"c"] * 1_000_000) + b"\n" + b",".join([b"1"] * 1_000_000)
    yield "CSV, a quotation mark that never closes", "p.csv", b'truth,a,b\n"' + b"1,1,0\n" * 2_000_000
    yield (
        "CSV, a million different labels",
        "p.csv",
        b"truth,a,b\n" + b"".join(b"%d,%d,0\n" % (i, i) for i in range(10**6)),
    )
    yield "CSV, NUL and broken UTF-8", "p.csv", b"truth,a,b\n\x00,\xff\xfe,\xed\xa0\x80\n" * 100
    yield "CSV, empty", "p.csv", b""
    yield "JSONL, lists in lists", "p.jsonl", b'{"truth": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    keys = b"".join(b'{"c%d": 1}\n' % i for i in range(50_000))
    yield "JSONL, 50,000 keys", "p.jsonl", keys
    yield "JSONL, a number of a million digits", "p.jsonl", b'{"truth": ' + b"9" * 1_000_000 + b', "a": 1, "b": 1}\n'
    yield "a name that is no format", "p.exe", b"MZ"


def body_bombs() -> Iterator[tuple[str, str, bytes]]:
    """Yield bodies of requests that are made to harm: a label, the content type, the bytes."""
    yield "JSON, lists in lists", "application/json", b"[" * 1_000_000
    yield "JSON, columns in columns", "application/json", b'{"columns":' * 50_000 + b"1" + b"}" * 50_000
    yield "JSON, a number of a million digits", "application/json", b'{"seed": ' + b"9" * 1_000_000 + b"}"
    yield (
        "JSON, half a surrogate",
        "application/json",
        b'{"columns": {"truth": ["\\ud800"], "a": ["\\udfff"], "b": ["x"]}}',
    )
    yield "JSON, half a surrogate as a name", "application/json", b'{"columns": {"\\ud800": [1]}, "truth": "\\ud800"}'
    yield (
        "JSON, not a number",
        "application/json",
        b'{"columns": {"truth": [NaN, 1e999], "a": [1, 0], "b": [1, -Infinity]}}',
    )
    yield "JSON, columns of other kinds", "application/json", b'{"columns": {"truth": {"x": 1}, "a": 7, "b": null}}'
    many = json.dumps({"columns": {f"c{i}": [1] for i in range(100_000)}}).encode()
    yield "JSON, 100,000 columns", "application/json", many
    yield "JSON in UTF-16", "application/json", '{"columns": {}}'.encode("utf-16")
    yield (
        "JSON, twice the same key",
        "application/json",
        b'{"seed": 1, "seed": 2, "columns": {"a": [1]}, "columns": {}}',
    )
    part = b'--x\r\nContent-Disposition: form-data; name="%d"\r\n\r\n1\r\n'
    yield (
        "a form of 50,000 parts",
        "multipart/form-data; boundary=x",
        b"".join(part % i for i in range(50_000)) + b"--x--\r\n",
    )
    yield "a form without a boundary", "multipart/form-data", b"--x\r\n"
    yield (
        "a form with an endless head",
        "multipart/form-data; boundary=x",
        b"--x\r\nContent-Disposition: " + b"y" * 10**6,
    )
    yield "a form that ends in its middle", "multipart/form-data; boundary=x", (part % 1)[:-5]
    broken = b'--x\r\nContent-Disposition: form-data; name="files"; filename="\xff\xfe.csv"\r\n\r\n1\r\n--x--\r\n'
    yield "a form with a broken file name", "multipart/form-data; boundary=x", broken
    yield "an unknown kind of body", "text/html", b"<script>alert(1)</script>"
    yield "a body that says it is packed", "application/json", gzip.compress(b" " * 100 * MIB)
    yield "a huge setting", "application/x-www-form-urlencoded", b"truth=" + b"y" * 10**6


def bombs(asked: argparse.Namespace) -> Iterator[record.Row]:
    """Send every bomb to both endpoints; each is refused or answered, and the server goes on."""
    began, seen, others = time.monotonic(), Seen(), []

    async def work(pid: int, url: str) -> None:
        watcher = asyncio.create_task(watch(pid, seen))
        async with httpx.AsyncClient(base_url=url, timeout=300) as session:
            settings = [(name, (None, name)) for name in ("truth", "a", "b")]
            for label, name, content in file_bombs():
                await send(session, label, "/api/columns", files=[("files", (name, content))])
                await send(session, label, "/api/compare", files=[("files", (name, content)), *settings])
            for label, kind, content in body_bombs():
                for path in ("/api/columns", "/api/compare"):
                    await send(session, label, path, content=content, headers={"content-type": kind})
            await send(session, "an honest request", "/api/compare", files=FIELDS)
        watcher.cancel()

    async def send(session: httpx.AsyncClient, label: str, path: str, **sent: Any) -> None:
        at = time.monotonic()
        try:
            answer = await session.post(path, **sent)
        except httpx.TimeoutException:
            answer = httpx.Response(504)  # for whoever waits that is no better than an error
        seen.seconds.append(time.monotonic() - at)
        seen.statuses[answer.status_code] += 1
        expected = (200,) if label == "an honest request" else (200, 400, 408, 413, 415, 422)
        if asked.verbose or answer.status_code not in expected:
            print(
                f"  {label}, {path}: {answer.status_code}, {seen.seconds[-1]:.1f} s, {answer.text[:200]}",
                file=sys.stderr,
            )
        if answer.status_code not in expected:
            others.append(label)

    with served() as (pid, url):
        asyncio.run(work(pid, url))
    told = ", ".join(f"{count} × {status}" for status, count in sorted(seen.statuses.items()))
    yield record.Row(
        "bombs: gzip, Parquet, nesting, columns, broken bodies",
        sum(seen.statuses.values()),
        f"{seen.faults} × 5xx, {len(others)} unexpected ({told}); at most {max(seen.seconds):.0f} s and "
        f"{seen.peak / MIB:.0f} MiB",
        "0 × 5xx, 0 unexpected, below 2.5 GiB",  # a job may take 2 GiB
        not others and seen.peak < 2560 * MIB,
        asked.seed,
        time.monotonic() - began,
    )


def strange_paths(draw: random.Random, count: int) -> Iterator[str]:
    """Yield paths that lead out of the folders of the server, if anything does."""
    dots = ["..", "%2e%2e", "%252e%252e", ".%2e", "..;", "..%00", "%c0%ae%c0%ae", "..%5c", "....", "\uff0e\uff0e"]
    slashes = ["/", "%2f", "//", "\\", "%5c", "/./", "%252f"]
    begins = ["/static/", "/examples/", "/jobs/", "/api/jobs/", "/", "/static/%00/", "//"]
    goals = ["etc/passwd", "etc/passwd.csv", "app.py", "web/app.py", "outcome.json", "etc/passwd%00.csv"]
    for _ in range(count):
        up = draw.choice(dots) + draw.choice(slashes)
        yield draw.choice(begins) + up * draw.randint(1, 9) + draw.choice(goals)


def traversal(asked: argparse.Namespace) -> Iterator[record.Row]:
    """Ask for files that are not the page's, by path, by setting and by the name of an upload."""
    began, seen, leaks = time.monotonic(), Seen(), 0
    draw = random.Random(asked.seed)
    names = [
        "/etc/passwd",
        "../../../../etc/passwd",
        "file:///etc/passwd",
        "/proc/self/environ",
        "\\\\host\\share",
        "-",
    ]
    boundary = "multipart/form-data; boundary=x"

    def posted(fields: dict[str, str], file: str = "") -> bytes:
        parts = [f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items()]
        if file:
            begin = f'--x\r\nContent-Disposition: form-data; name="files"; filename="{file}"\r\n\r\n'
            parts.append(begin + "truth,a,b\n1,1,0\n0,1,0\n\r\n")
        body = ("".join(parts) + "--x--\r\n").encode()
        return head("POST", "/api/compare", content_length=str(len(body)), content_type=boundary) + body

    async def work(url: str) -> None:
        nonlocal leaks
        requests = [head("GET", path) for path in strange_paths(draw, 400)]
        for name in names:
            requests += [
                posted(ASKED | {one: name}) for one in ("example", "truth", "a", "b", "id", "dev", "html", "json")
            ]
            requests += [posted({"truth": "truth", "a": "a", "b": "b"}, f"{name}{ending}") for ending in ("", ".csv")]
        for request in requests:
            answer = await said(url, request)
            seen.statuses[status(answer)] += 1
            leaks += PASSWORDS in answer or b"def make_app" in answer

    with served() as (_, url):
        asyncio.run(work(url))
    told = ", ".join(f"{count} × {status}" for status, count in sorted(seen.statuses.items()))
    yield record.Row(
        "paths, settings and file names that lead elsewhere",
        sum(seen.statuses.values()),
        f"{leaks} foreign files shown, {seen.faults} × 5xx ({told})",
        "0 foreign files, 0 × 5xx",
        leaks == 0 and seen.faults == 0,
        asked.seed,
        time.monotonic() - began,
    )


FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:8765",
    "localhost.evil.example",
    "LOCALHOST.evil",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example",
    "127.0.0.1,evil.example",
    "evil.example#localhost",
    "evil.example/localhost",
    "xn--localhost-x",
    "localhost.",
    "0.0.0.0",
    "127.1",
    "127.0.0.2",
    "2130706433",
    "0x7f000001",
    "[::1",
    "[::ffff:7f00:1]",
]
FOREIGN_ORIGINS = [
    "http://evil.example",
    "https://evil.example",
    "http://localhost.evil.example",
    "http://localhost@evil.example",
    "http://127.0.0.1.evil",
    "http://127.0.0.1%00.evil",
    "http://evil.example/127.0.0.1",
    "http://127.0.0.1:1",
    "http://0.0.0.0",
    "http://[",
    "null",
    "file://",
    "data:",
    "javascript:0",
    "chrome-extension://abc",
]


def foreign(asked: argparse.Namespace) -> Iterator[record.Row]:
    """Requests to a name that is not the server's, and from other sites' pages."""
    began, seen = time.monotonic(), {"rebinding": Counter[int](), "forgery": Counter[int]()}
    reads = ["/", "/openapi.json", "/static/page.js", "/api/jobs/x", "/examples/digits_eight.csv"]
    writes = [
        ("POST", "/api/compare"),
        ("POST", "/api/columns"),
        ("DELETE", "/api/jobs/x"),
        ("PUT", "/"),
        ("PATCH", "/"),
    ]

    async def work(url: str) -> None:
        for host in FOREIGN_HOSTS:
            for path in reads:
                seen["rebinding"][status(await said(url, head("GET", path, host=host)))] += 1
        for method, path in writes:
            for origin in FOREIGN_ORIGINS:
                told = head(method, path, origin=origin, content_length="0")
                seen["forgery"][status(await said(url, told))] += 1
            for site in ("cross-site", "same-site"):
                told = head(method, path, sec_fetch_site=site, content_length="0")
                seen["forgery"][status(await said(url, told))] += 1

    with served() as (_, url):
        asyncio.run(work(url))
    for what, label in (("rebinding", "foreign Host (DNS rebinding)"), ("forgery", "foreign Origin (CSRF)")):
        tried = sum(seen[what].values())
        passed = tried - seen[what][403] - seen[what][400]  # 400: not HTTP at all
        figure = f"{passed} were not refused ({', '.join(f'{n} × {s}' for s, n in sorted(seen[what].items()))})"
        yield record.Row(
            f"requests with a {label}",
            tried,
            figure,
            "0 not refused",
            passed == 0,
            asked.seed,
            time.monotonic() - began,
        )


# --- hostile names in a browser --------------------------------------------------------------------------------------

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
# what only something live could bring about: a script that was not there, a handler, a link to a foreign host
LIVE = """() => [...document.querySelectorAll('*')].flatMap(e => [
    ...(e.tagName === 'SCRIPT' && !e.src.startsWith(location.origin + '/static/') ? ['script'] : []),
    ...(['IFRAME', 'OBJECT', 'EMBED', 'BASE'].includes(e.tagName) ? [e.tagName] : []),
    ...[...e.attributes].filter(a => a.name.startsWith('on')).map(a => a.name),
    ...(/^(javascript|data:text|https?:\\/\\/(?!127\\.0\\.0\\.1|localhost))/i.test(e.getAttribute('href') || '')
        && e.namespaceURI.endsWith('xhtml') ? ['href'] : []),
])"""


def names(asked: argparse.Namespace) -> Iterator[record.Row]:
    """Show every hostile name in a browser as a column and as a label, some as the name of a file; page and report."""
    executable = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if executable is None:
        print("names: skipped, there is no browser (Debian's package chromium)", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright
    from tests.hostile import BASE, NAMES

    began, live = time.monotonic(), list[str]()
    hostile = [name for name in dict.fromkeys([*NAMES, *BASE]) if "\x00" not in name]  # which no CSV can hold
    with served() as (_, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=BROWSER_OPTIONS)
        shown = 0
        for at in range(0, len(hostile), 3):
            few = hostile[at : at + 3]
            done = _shown_in(browser, url, few, f"{few[0]}.csv"[-200:], live)
            # where one of three is refused, or the name of the file, each is shown alone
            shown += done or sum(_shown_in(browser, url, [name], "plain.csv", live) for name in few)
        browser.close()
    yield record.Row(
        "hostile names in a browser, each a column and a label, every third a file's name; page and report",
        len(hostile),
        f"{len(live)} live; {shown} names came as far as a verdict, {len(hostile) - shown} were refused in words",
        "0 live",
        not live,
        asked.seed,
        time.monotonic() - began,
    )


def _shown_in(browser: Browser, url: str, few: list[str], called: str, live: list[str]) -> int:
    """Compare with up to three names in a file that is called so, and return how many came as far as a verdict.

    What was live is added, and so is a refusal without words.
    """
    from playwright.sync_api import Error

    context = browser.new_context()
    page = context.new_page()
    own = f"{urlsplit(url).scheme}://{urlsplit(url).netloc}/"

    def of_dialog(dialog: Dialog) -> None:
        live.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def of_request(request: Request) -> None:
        if not request.url.startswith((own, "data:", "blob:", "about:")):
            live.append(f"a request: {request.url}")

    context.on("dialog", of_dialog)
    context.on("request", of_request)
    page.on("pageerror", lambda error: live.append(f"an error: {error}"))
    page.goto(url)
    columns = [*few, *("x", "y", "z")][:3]
    labels = [*few, "other"]
    quote = lambda text: '"' + text.replace('"', '""') + '"'  # noqa: E731
    places = [(i, i // 3, i + (i % 8 == 0)) for i in range(48)]
    rows = [columns, *([labels[at % len(labels)] for at in row] for row in places)]
    content = "\n".join(",".join(map(quote, row)) for row in rows) + "\n"
    page.set_input_files("#files", {"name": called, "mimeType": "text/csv", "buffer": content.encode()})
    done = 0
    try:
        page.wait_for_selector("#question:not([hidden]), #files-error:not([hidden])", timeout=20_000)
        if page.locator("#question").is_visible():
            choose = "names => ['truth', 'a', 'b'].forEach((id, i) => { const s = document.getElementById(id);"
            choose += " s.selectedIndex = [...s.options].findIndex(o => o.value === names[i]); })"
            page.evaluate(choose, columns)
            page.fill("#positive", "")
            page.select_option("#measure", "accuracy")
            page.click("button.main")
            page.wait_for_selector("#result .verdict, .error:not([hidden])", timeout=30_000)
            if page.locator("#result .verdict").count():
                done = len(few)
                live.extend(f"on the page: {what}" for what in page.evaluate(LIVE))
                with page.expect_download() as waiting:
                    page.click("text=Download the report")
                report = context.new_page()
                report.set_content(Path(waiting.value.path()).read_text(encoding="utf-8"))
                live.extend(f"in the report: {what}" for what in report.evaluate(LIVE))
        if not done:
            told = page.locator("#files-error:not([hidden]), .error:not([hidden])").first.inner_text().strip()
            print(f"  {[name[:40] for name in few]!r}: {told[:160]!r}", file=sys.stderr)
            live.extend([] if told else [f"{few!r}: refused without words"])
        live.extend(f"on the page: {what}" for what in page.evaluate(LIVE))
    except Error as error:
        live.append(f"{few!r}: {error}")
    for what in live:
        print(f"  {what}", file=sys.stderr)
    context.close()
    return done


# --- many jobs --------------------------------------------------------------------------------------------------------


def many_jobs(asked: argparse.Namespace) -> Iterator[record.Row]:
    """Many jobs after each other: memory, open files and processes of the server stay as they are."""
    began = time.monotonic()
    first = min(100, asked.count // 2)  # by then results are forgotten as quickly as they come

    async def work(url: str, jobs: int) -> Counter[int]:
        seen = Seen()
        async with httpx.AsyncClient(base_url=url, timeout=120) as session:
            for number in range(jobs):
                ask = as_page if number % 5 == 0 else as_program
                await ask(session, seen)
        return seen.statuses

    def now(pid: int) -> dict[str, int]:
        time.sleep(1.0)
        all_of_it = tree(pid)
        opened = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        return {"memory": sum(map(memory, all_of_it)), "files": opened, "processes": len(all_of_it)}

    with served() as (pid, url):
        statuses = asyncio.run(work(url, first))
        before = now(pid)
        statuses += asyncio.run(work(url, asked.count - first))
        after = now(pid)
    faults = sum(count for status, count in statuses.items() if status >= 500)
    grown = {name: after[name] - before[name] for name in before}
    figure = (
        f"{faults} × 5xx; from job {first} to {asked.count}: {grown['memory'] / MIB:+.1f} MiB, "
        f"{grown['files']:+d} open files, {grown['processes']:+d} processes"
    )
    met = faults == 0 and grown["memory"] < 16 * MIB and grown["files"] <= 2 and grown["processes"] <= 0
    band = "0 × 5xx, below +16 MiB, at most +2 files, +0 processes"
    yield record.Row("jobs after each other", asked.count, figure, band, met, asked.seed, time.monotonic() - began)


ATTACKS: dict[str, Callable[[argparse.Namespace], Iterator[record.Row]]] = {
    "load": under_load,
    "slow": slow_clients,
    "bombs": bombs,
    "traversal": traversal,
    "foreign": foreign,
    "names": names,
    "jobs": many_jobs,
}


def main() -> int:
    """Attack, write the figures and print them; 1 where a band was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="of load, under each heading")
    parser.add_argument("--count", type=int, default=500, help="jobs after each other")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, default=record.FOLDER, help="the folder of the figures")
    parser.add_argument("--verbose", action="store_true", help="tell what each bomb came to")
    parser.add_argument("--only", choices=ATTACKS, action="append", help="one kind of attack, or several")
    asked = parser.parse_args()
    rows = []
    for name in asked.only or ATTACKS:
        for row in ATTACKS[name](asked):
            rows.append(row)
            print(f"{row.what}: {row.tried:,}, {row.figure}, {row.seconds:.0f} s", flush=True)
    record.write("page", rows, asked.into)
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
