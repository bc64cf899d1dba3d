"""What every connection and request is held to and every answer carries."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket

import httpx
import pytest
import uvicorn
from starlette.datastructures import Headers

from clearwin.web.app import make_app
from clearwin.web.refusals import Limits
from clearwin.web.safety import POLICY, Guard, connections_with


@contextlib.asynccontextmanager
async def listening(**limits):
    """Serve the page to real connections; yield how to make one, and those that the server has."""
    chosen = Limits(**limits)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            make_app(chosen), http=connections_with(chosen), ws="none", log_level="warning", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        streams = []

        async def connect(head=b""):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            streams.append(writer)
            writer.write(head)
            return reader, writer

        try:
            yield connect, server.server_state.connections
        finally:
            for writer in streams:
                writer.close()
            server.should_exit = True
            await task


async def status_of_page(connect):
    reader, _ = await connect(b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
    return int((await asyncio.wait_for(reader.read(), 30)).split()[1])


PART_OF_A_HEAD = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: "


def test_many_connections_that_never_say_what_they_want_keep_nobody_out():
    """Slowloris: more of them than there are connections, and time enough for all of them to stay."""

    async def work():
        async with listening(connections=20) as (connect, held):
            for _ in range(50):
                await connect(PART_OF_A_HEAD)
            return [await status_of_page(connect) for _ in range(5)], len(held)

    found, held = asyncio.run(work())
    assert found == [200] * 5
    assert held <= 21


HOSTILE_HOSTS = (
    *("evil\\@127.0.0.1", "evil@127.0.0.1", "evil:x@127.0.0.1:8765", "@127.0.0.1", "127.0.0.1@evil.example"),
    *("127.0.0.1\\evil.example", "127.0.0.1/evil", "evil.example/127.0.0.1", "127.0.0.1?evil", "127.0.0.1#evil"),
    *("127.0.0.1 evil.example", "127.0.0.1,evil.example", "127.0.0.1:8765:80", "127.0.0.1:", "127.0.0.1:80x"),
    *(
        "127.0.0.1:+80",
        "127.0.0.1:99999999",
        "[127.0.0.1]",
        "[::1]evil",
        "[::1].evil.example",
        "[::1",
        "::1",
        "[[::1]]",
    ),
    *("localhost.evil.example", "localhost.", ".localhost", "localhost%00.evil", "local\thost", "http://127.0.0.1"),
    *("0x7f.1", "127.1", "2130706433", "127.0.0.01", "127.0.0.1\xa0", "\xb9\xb27.0.0.1", "*", ".", "::1"),
)


@pytest.mark.parametrize("given", HOSTILE_HOSTS)
def test_a_host_is_a_name_of_ours_and_perhaps_a_port_and_nothing_else(given):
    """A browser and Python's urlsplit read such texts in different ways; neither reading may let anything in."""
    guard = Guard(None)
    assert guard._complaint("GET", Headers({"host": given})) is not None
    assert guard._complaint("GET", Headers({"host": f" {given}"})) is not None


@pytest.mark.parametrize("given", ["127.0.0.1", "127.0.0.1:8765", "LocalHost:1", "[::1]", "[::1]:65535"])
def test_our_own_names_are_let_in_and_nothing_before_or_after_them(given):
    guard = Guard(None)
    assert guard._complaint("POST", Headers({"host": given, "origin": f"http://{given}".lower()})) is None
    hosts = [f"{given}{c}" for c in "\\/@?#%,; \t\x00x"] + [f"{c}{given}" for c in "\\/@?#%,; \t\x00x"]
    assert [host for host in hosts if guard._complaint("GET", Headers({"host": host})) is None] == []


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "http://evil\\@127.0.0.1:8765",
            "http://user@127.0.0.1:8765",
            "http://127.0.0.1:8765/",
            "null",
            "",
            "file://",
        ),
        *(
            "http://127.0.0.1:8765.evil.example",
            "http://127.0.0.1",
            "http://127.0.0.1:87650",
            "127.0.0.1:8765",
            "http://",
        ),
        *("ftp://127.0.0.1:8765", "http://localhost:8765", "http://127.0.0.1:8765 http://evil.example", "*"),
    ],
)
def test_a_request_that_changes_something_comes_from_our_own_page(origin):
    guard, host = Guard(None), {"host": "127.0.0.1:8765"}
    assert guard._complaint("POST", Headers(host | {"origin": "http://127.0.0.1:8765"})) is None
    assert guard._complaint("POST", Headers(host | {"origin": origin})) is not None
    several = [(b"host", b"127.0.0.1:8765"), (b"origin", b"http://127.0.0.1:8765"), (b"origin", origin.encode())]
    assert guard._complaint("POST", Headers(raw=several)) is not None


def test_a_head_that_trickles_is_dropped_in_time_and_told_so():
    async def work():
        async with listening(head_seconds=0.2) as (connect, _):
            silent, _ = await connect()
            trickling, writer = await connect(PART_OF_A_HEAD)
            answer = asyncio.create_task(trickling.read())
            while not answer.done():
                writer.write(b"y")
                await asyncio.wait([answer], timeout=0.05)
            # asked once and answered, then a second head that never ends, on the same connection
            again, _ = await connect(b"GET /nowhere HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" + PART_OF_A_HEAD)
            # a body that nobody reads: it is answered before it is complete
            unread, _ = await connect(b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99\r\n\r\nx")
            others = [await asyncio.wait_for(stream.read(), 30) for stream in (silent, again, unread)]
            return answer.result(), *others

    trickling, silent, again, unread = asyncio.run(asyncio.wait_for(work(), 30))
    assert silent == b""
    assert trickling.startswith(b"HTTP/1.1 408 ")
    assert json.loads(trickling.partition(b"\r\n\r\n")[2])["error"]["what"]
    assert re.findall(rb"HTTP/1.1 (\d+)", again) == [b"404", b"408"]
    assert unread.startswith(b"HTTP/1.1 405 ")


def test_a_client_that_does_not_take_its_answer_is_dropped():
    async def work():
        async with listening(head_seconds=0.2, stall_seconds=0.2) as (connect, held):
            _, writer = await connect()
            writer.transport.pause_reading()
            writer.write(b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" * 1_000)
            while not held:
                await asyncio.sleep(0.01)
            while held:
                await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(work(), 30))


@pytest.mark.parametrize(
    "path", ["/", "/static/page.js", "/static/threshold.js", "/openapi.json", "/nowhere", "/static/../app.py"]
)
def test_every_answer_carries_the_headers(path, shared):
    answer = shared(lambda client: client.get(path))
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in answer.headers
    assert answer.status_code == (404 if path in ("/nowhere", "/static/../app.py") else 200)


def test_the_policy_lets_nothing_inline_run():
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"host": "localhost:8765"}, 200),
        ("GET", {"host": "[::1]:8765"}, 200),
        ("GET", {"host": "evil.example"}, 403),
        ("GET", {"host": "127.0.0.1.evil.example"}, 403),
        ("GET", {"host": "[::1"}, 403),
        ("GET", {"host": "evil\\@127.0.0.1"}, 403),
        ("GET", {"host": ""}, 403),
        ("POST", {"origin": "http://evil.example"}, 403),
        ("POST", {"origin": "null"}, 403),
        ("POST", {"origin": "http://["}, 403),
        ("POST", {"sec-fetch-site": "cross-site"}, 403),
        ("POST", {"origin": "http://localhost", "sec-fetch-site": "same-origin"}, 405),
    ],
)
def test_foreign_names_and_foreign_pages_are_refused(method, headers, status, shared):
    assert shared(lambda client: client.request(method, "/", headers=headers)).status_code == status


def test_served_on_all_addresses_only_names_can_be_foreign():
    async def status(host):
        app = make_app(hosts=("localhost", "0.0.0.0"))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            return (await client.get("/openapi.json", headers={"host": host})).status_code

    assert [asyncio.run(status(host)) for host in ("192.168.1.7:80", "localhost", "evil.example")] == [200, 200, 403]
