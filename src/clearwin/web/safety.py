"""What every request is checked for and every answer carries, whatever the route."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clearwin.web.limits import ForeignError, status_of

HOME = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
# a picture opened by itself may have its own styles, and nothing else
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


def is_home(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _netloc(origin: str) -> str:
    """Return the host and port that an origin names; one that cannot be read names none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


class Guard:
    """Refuses requests to foreign names and from foreign pages, and sets the headers.

    A page elsewhere could point a name of its own at 127.0.0.1 (DNS rebinding) or send a form here; the first has
    a strange Host, the second a strange Origin.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = HOME) -> None:
        self.app = app
        self.hosts = {host.lower() for host in hosts}
        # served on all addresses, any address in figures is ours: only a name can be somebody else's
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
        origin = headers.get("origin")
        foreign = origin is not None and _netloc(origin) != host.lower()
        if foreign or headers.get("sec-fetch-site", "none") in ("cross-site", "same-site"):
            return ForeignError("The request comes from another site's page.", "one from this page, or from a program")
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if self.any_address:
            try:
                ipaddress.ip_address(name)
            except ValueError:
                return name in self.hosts
            return True
        return name in self.hosts
