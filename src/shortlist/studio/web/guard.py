"""Guard: who may talk to the studio: one browser of this machine, from the page itself.

The studio stands before the user's own Python, so a port that others could reach would be a way to run code.

- The Host of every request is this very address, so that no other name can be pointed at it (DNS rebinding).
- The address that is opened holds a token, which is good for one use. It becomes a cookie that scripts cannot read and
  that other sites cannot send. Without the cookie nothing is answered.
- Whatever changes something, and the stream of events, must come from the page itself (Origin, Sec-Fetch-Site).
- Nothing is loaded from elsewhere, and no other page can frame this one (Content-Security-Policy).
- Bodies are limited.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST = 1 << 20  # bytes of a body
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
CLOSED = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Shortlist studio</title><h1>This page is locked</h1>"
    "<p>Open the address that <code>shortlist studio</code> printed when it started. It works once, in one browser. "
    "Start the studio again for a new one.</p>"
)


class TooLarge(Exception):  # noqa: N818
    """A body that goes on for longer than is allowed."""


class Guard:
    """Stands before the application. `token` opens it once; `key` is what the cookie holds from then on."""

    def __init__(self, app: App, port: int) -> None:
        self.app, self.port = app, port
        self.token: str | None = secrets.token_urlsafe(32)
        self.key = secrets.token_urlsafe(32)
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a machine, so the name holds the port."""
        return f"shortlist-{self.port}"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return None  # a web socket is never opened
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refusal(scope, headers)
        if refused is not None:
            return await answer(send, *refused)
        if scope["path"] == "/" and "token" in (given := parse_qs(scope["query_string"].decode("latin-1"))):
            return await self._enter(given["token"][0], headers, send)
        if not self._knows(headers):
            return await answer(send, 403, CLOSED)
        return await self._pass_on(scope, headers, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is not even looked at."""
        host = headers.get("host", "")
        if host not in self.hosts:
            return 421, "this studio answers to its own address only"
        own = f"http://{host}"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        changing = scope["method"] not in ("GET", "HEAD")
        if changing and origin != own:
            return 403, "changes are taken from the studio's own page only"
        if (origin is not None and origin != own) or (scope["path"].startswith("/api/") and site != "same-origin"):
            return 403, "other pages are not answered"
        return None

    async def _enter(self, token: str, headers: dict[str, str], send: Send) -> None:
        """The token becomes a cookie, and the address is clean again."""
        if self.token is not None and secrets.compare_digest(token.encode(), self.token.encode()):
            self.token = None
            kept = f"{self.cookie}={self.key}; HttpOnly; SameSite=Strict; Path=/"
            return await answer(send, 303, "", {"location": "/", "set-cookie": kept})
        if self._knows(headers):  # the same address opened again, in the same browser
            return await answer(send, 303, "", {"location": "/"})
        return await answer(send, 403, CLOSED)

    def _knows(self, headers: dict[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and secrets.compare_digest(found.value.encode(), self.key.encode())

    async def _pass_on(self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send) -> None:
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            return await answer(send, 413, "that is too much at once")

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        return await self.app(scope, limited(receive), sent)


def limited(receive: Receive) -> Receive:
    """The same body, up to a size."""
    seen = 0

    async def received() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LARGEST:
            raise TooLarge
        return message

    return received


async def answer(send: Send, status: int, text: str, extra: dict[str, str] | None = None) -> None:
    """A short answer of the guard's own."""
    kind = "text/html; charset=utf-8" if text.startswith("<") else "text/plain; charset=utf-8"
    headers = {**HEADERS, "content-type": kind, "content-length": str(len(text.encode())), **(extra or {})}
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": text.encode()})
