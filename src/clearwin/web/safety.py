"""The limits on every connection and request, and the headers of every answer, whatever the route."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import socket
from collections.abc import Collection
from typing import Any

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from clearwin.web.refusals import ForeignError, Limits, status_of

HOME = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
# a picture opened by itself can have its own styles, and nothing else
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
FULL = {"what": "The server has reached its limit of connections.", "expected": "fewer", "next": "try again soon"}
LATE = {"what": "The head of the request did not come in time.", "expected": "a faster one", "next": "send it again"}


def is_home(host: str) -> bool:
    """Return whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# of a Host header: a name or an address of version 4, or one of version 6 in brackets, and perhaps a port
HOST = re.compile(r"(?P<name>[a-z0-9._-]+|\[(?P<v6>[0-9a-f]*:[0-9a-f:.]+)\])(:[0-9]{1,5})?")


def _name_of(host: str) -> str:
    """Return the name that a Host header asks for; none if it holds anything else, such as a user or a path."""
    found = HOST.fullmatch(host.lower())
    return "" if found is None else found["v6"] or found["name"]


class Guard:
    """Refuses requests to foreign names and from foreign pages, and sets the headers.

    A foreign page could point its own name at 127.0.0.1 (DNS rebinding) or send a form here; the first has a foreign
    Host, the second a foreign Origin.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = HOME) -> None:
        self.app = app
        self.hosts = {host.lower() for host in hosts}
        # if served on all addresses, any numeric address is ours, and only a name can be foreign
        self.any_address = any(host in ("0.0.0.0", "::") for host in self.hosts)
        if self.any_address:
            self.hosts.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        error = self._complaint(scope["method"], Headers(scope=scope))
        if error is None:
            await self.app(scope, receive, send_guarded)
            return
        words = {"what": error.what, "expected": error.expected, "next": error.next}
        await JSONResponse({"error": words}, status_of(error))(scope, receive, send_guarded)

    def _complaint(self, method: str, headers: Headers) -> ForeignError | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            what = f"This server is not called {host[:80]!r}."
            return ForeignError(what, "a name it was started with", "clearwin serve --host NAME")
        if method in ("GET", "HEAD"):
            return None
        ours = {f"{scheme}://{host.lower()}" for scheme in ("http", "https")}
        foreign = any(origin.lower() not in ours for origin in headers.getlist("origin"))
        if foreign or headers.get("sec-fetch-site", "none") in ("cross-site", "same-site"):
            return ForeignError("The request comes from another site's page.", "one from this page, or from a program")
        return None

    def _is_ours(self, host: str) -> bool:
        name = _name_of(host)
        if self.any_address:
            try:
                ipaddress.ip_address(name)
            except ValueError:
                return name in self.hosts
            return True
        return name in self.hosts


class Connection(H11Protocol):
    """uvicorn's connection, with limits on their number and on how long a client may keep one waiting.

    By itself uvicorn waits forever for the head of a request, for the rest of a body that nobody reads, and for a
    client that does not take its answer; a few hundred such connections would keep out everyone else.
    """

    limits = Limits()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.owing_since: float | None = None  # the client must send the head of a request, or is cut off
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()
        others = [other for other in self.connections if isinstance(other, Connection) and other.is_open]
        if len(others) <= self.limits.connections:
            return
        owing = {other: other.owing_since for other in others if other is not self and other.owing_since is not None}
        if owing:
            min(owing, key=owing.__getitem__).end()
        else:
            self.app = _full

    @property
    def is_open(self) -> bool:
        """Return whether it still counts."""
        return not self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def _look(self) -> None:
        """Run the clock while we wait for the client, and stop it while the client waits for us."""
        working = self.cycle is not None and not self.cycle.response_complete
        if working:
            self.owing_since = None
            _stop(self._deadline)
        elif self.owing_since is None:
            self.owing_since = self.loop.time()
            self._deadline = self.loop.call_later(self.limits.head_seconds, self.end)

    def end(self) -> None:
        """Close it; if that was tried and the client does not take its answer, cut it off."""
        _stop(self._deadline)
        if self.transport.is_closing():
            self.transport.abort()
            return
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:  # a part of a head
            self.transport.write(_late())
        self.transport.close()
        self._deadline = self.loop.call_later(self.limits.head_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(self.limits.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _stop(self._stalled)

    def connection_lost(self, exc: Exception | None) -> None:
        _stop(self._deadline)
        _stop(self._stalled)
        super().connection_lost(exc)


def connections_with(limits: Limits) -> type[Connection]:
    """Return the class that uvicorn makes its connections of."""
    return type("Connection", (Connection,), {"limits": limits})


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def _late() -> bytes:
    body = json.dumps({"error": LATE}).encode()
    head = f"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + body


async def _full(scope: Scope, receive: Receive, send: Send) -> None:
    headers = HEADERS | {"connection": "close", "retry-after": "5"}
    await JSONResponse({"error": FULL}, 503, headers)(scope, receive, send)
