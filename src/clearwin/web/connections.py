"""The connections: each has to say what it wants in time, and one that says nothing gives way to one that comes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from clearwin.web.limits import Limits
from clearwin.web.safety import HEADERS

FULL = {"what": "The server has as many connections as it takes.", "expected": "fewer", "next": "try it again soon"}
LATE = {"what": "The head of the request did not come in time.", "expected": "a faster one", "next": "send it again"}


class Connection(H11Protocol):
    """uvicorn's connection, with a bound on how many there are and on how long one may owe or hold something.

    uvicorn by itself waits for ever for the head of a request, for the rest of a body that nobody reads, and for a
    client that does not take its answer; a few hundred such connections would keep out everyone else.
    """

    limits = Limits()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.owing_since: float | None = None  # the client owes the head of a request, or has to go
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
        """Whether it still counts."""
        return not self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def _look(self) -> None:
        """Start the clock while the client owes something, and stop it while we do."""
        working = self.cycle is not None and not self.cycle.response_complete
        if working:
            self.owing_since = None
            _stop(self._deadline)
        elif self.owing_since is None:
            self.owing_since = self.loop.time()
            self._deadline = self.loop.call_later(self.limits.head_seconds, self.end)

    def end(self) -> None:
        """Close it; where that has been tried and what was sent is not taken, cut it off."""
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
