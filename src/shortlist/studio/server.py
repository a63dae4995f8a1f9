"""The studio over HTTP, for one page on this machine.

The studio runs the user's own Python, so a port that others could reach would let them run code:

- Every request must name this very address as its Host, so that no other name can be pointed at it (DNS rebinding).
- The address that is opened contains a token that works once. It becomes a cookie that scripts cannot read and other
  sites cannot send. Without the cookie, nothing is answered.
- Browsers send a cookie to every port of a machine. So the page gets a second secret, which it sends as a header: it is
  handed over behind the # of an address and stored by origin, and never reaches another port.
- Whatever changes something, and the stream of events, must come from the page itself (Origin, Sec-Fetch-Site).
- Nothing is loaded from elsewhere, and no other page can frame this one (Content-Security-Policy).
- The size of a request is limited, and so is the time in which it must arrive.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import socket
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from shortlist.errors import ShortlistError
from shortlist.reporting.page import asset as report_asset
from shortlist.studio.open_project import OpenProject
from shortlist.studio.rules import Conflict, Superseded
from shortlist.studio.service import GETS, POSTS, Service

MAX_BODY = 1 << 20  # bytes
PAGE_KEY = "x-shortlist-key"  # the header with the second secret
MAX_WAITING, WAITING_TIME = 64, 10.0  # connections without a whole request, and seconds until they are closed
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
LOCKED = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Shortlist studio</title><h1>This page is locked</h1>"
    "<p>Open the address that <code>shortlist studio</code> printed when it started. It works once, in one browser. "
    "Restart the studio to get a new one.</p>"
)


class Server:
    """The studio on a port of this machine: open `address`; `run` serves until `stop` or Ctrl-C."""

    def __init__(self, project: OpenProject, port: int = 0) -> None:
        self.project = project
        app = make_app(project, lambda: self._server.should_exit)
        self._socket = listening(port)
        self.port = int(self._socket.getsockname()[1])
        self.guard = AccessGuard(app, self.port)
        config = uvicorn.Config(
            self.guard, http=PageConnection, log_level="warning", access_log=False, lifespan="off",
            backlog=128, timeout_graceful_shutdown=3,
        )  # fmt: skip
        self._server = uvicorn.Server(config)

    @property
    def address(self) -> str:
        return self.guard.address

    @contextmanager
    def address_file(self) -> Iterator[Path]:
        """A page that goes to the address, in a folder that only this user can read."""
        with TemporaryDirectory(prefix="shortlist-") as folder:
            path = Path(folder) / "studio.html"
            path.write_text(f'<meta http-equiv="refresh" content="0;url={self.address}">', "utf-8")
            yield path

    def run(self) -> None:
        self.project.start()
        log = logging.getLogger("uvicorn.error")
        log.addFilter(self._serves)  # answers that the end cuts off are no errors
        try:
            self._server.run(sockets=[self._socket])
        finally:
            log.removeFilter(self._serves)
            self.project.close()
            self._socket.close()

    def stop(self) -> None:
        self._server.should_exit = True

    def _serves(self, _record: logging.LogRecord) -> bool:
        return not self._server.should_exit


def listening(port: int = 0) -> socket.socket:
    """Open a socket on this machine only; port 0 picks a free one."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        opened.bind(("127.0.0.1", port))
        opened.listen(128)  # a browser that connects before the server is ready waits
    except OSError as error:
        opened.close()
        raise ShortlistError(f"port {port} is in use ({error.strerror}): choose another with --port") from error
    return opened


class PageConnection(H11Protocol):
    """A connection, which is closed if it sends no whole request in time, or is the oldest of many such ones."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.since = self.loop.time()
        waiting = [one for one in self.connections if isinstance(one, PageConnection) and one.waits]
        if len(waiting) > MAX_WAITING:
            min(waiting, key=lambda one: one.since).transport.abort()
        self._check()

    @property
    def waits(self) -> bool:
        """It is open, and no request is being answered."""
        return not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete)

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        super().on_response_complete()

    def _check(self) -> None:
        if self.waits and self.loop.time() - self.since >= WAITING_TIME:
            self.transport.abort()
        elif not self.transport.is_closing():
            self.loop.call_later(WAITING_TIME / 4, self._check)


# -- the application -----------------------------------------------------------------------------------


def make_app(project: OpenProject, stopping: Callable[[], bool] = lambda: False) -> ASGIApp:
    """Make the application without its guard."""
    service = Service(project)

    def endpoint(name: str) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            try:
                body = await request.body()
            except TooLarge:
                return Response("the request is too large", 413)
            except ClientDisconnect:
                return Response("the request was cut", 400)
            answer = await run_in_threadpool(call, getattr(service, name), body)
            return Response(answer, media_type="application/json")

        return respond

    async def stream(_request: Request) -> Response:
        return StreamingResponse(events(project, stopping), media_type="text/event-stream")

    async def asset(request: Request) -> Response:
        content = read_asset(request.path_params.get("name", "index.html"))
        return Response(status_code=404) if content is None else Response(content[0], media_type=content[1])

    async def file(request: Request) -> Response:
        path = service.output(request.path_params["name"])
        return Response(status_code=404) if path is None else FileResponse(path, filename=path.name)

    routes = [Route(f"/api/{name}", endpoint(name), methods=["GET"]) for name in GETS]
    routes += [Route(f"/api/{name}", endpoint(name), methods=["POST"]) for name in POSTS]
    return Starlette(
        routes=[
            *routes,
            Route("/api/events", stream),
            Route("/api/files/{name}", file),
            Route("/", asset),
            Route("/{name}", asset),
        ]
    )


def call(method: Callable[[dict[str, Any]], Any], body: bytes) -> bytes:
    """Call a method of the service; return its answer, or its error, as JSON."""
    try:
        request = json.loads(body) if body else {}
        if not isinstance(request, dict):
            raise ShortlistError("a request must be a JSON object")
        return _json(method(request))
    except Superseded:
        return _json({"superseded": True})
    except Conflict as error:
        return _problem(error.message, conflict=True, now=error.now)
    except ShortlistError as error:
        return _problem(str(error), **error.facts)
    except OSError as error:  # such as a full disk, or a folder without permission
        return _problem(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return _problem(f"invalid request ({type(error).__name__}: {error})")


def _problem(message: str, **facts: Any) -> bytes:
    try:
        return _json({"error": {"message": message, **facts}})
    except ValueError:  # infinity is no number of JSON
        return _json({"error": {"message": message}})


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False).encode("utf-8", "replace")


def read_asset(name: str) -> tuple[bytes, str] | None:
    """A file of the page and its media type; style and tips are shared with the report."""
    kind = {"html": "text/html", "js": "text/javascript", "css": "text/css"}.get(name.rpartition(".")[2])
    if kind is None:
        return None
    if name in ("style.css", "tips.js"):
        return report_asset(name).encode(), kind
    page = {one.name: one for one in (resources.files("shortlist.studio") / "assets").iterdir()}
    return (page[name].read_bytes(), kind) if name in page else None


async def events(project: OpenProject, stopping: Callable[[], bool]) -> AsyncIterator[str]:
    """Server-sent events: what happens to the project, as JSON, until the server stops."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str] = asyncio.Queue()

    def send(kind: str, facts: dict[str, Any]) -> None:
        text = json.dumps({"kind": kind, **facts}, ensure_ascii=False)
        loop.call_soon_threadsafe(queue.put_nowait, f"data: {text}\n\n")

    project.subscribers.append(send)
    try:
        yield f"data: {json.dumps({'kind': 'hello', 'revision': project.revision})}\n\n"
        idle = 0.0
        while not stopping():
            try:
                yield await asyncio.wait_for(queue.get(), 0.3)  # then look whether the server stops
                idle = 0.0
            except TimeoutError:
                idle += 0.3
            if idle >= 15:  # seconds: writing shows whether the page is still there
                idle = 0.0
                yield ": still here\n\n"
    finally:
        project.subscribers.remove(send)


# -- the guard -----------------------------------------------------------------------------------------


class TooLarge(Exception):  # noqa: N818
    """A request body over the limit."""


class AccessGuard:
    """Middleware that admits one browser.

    `token` opens it once; from then on, the cookie must contain `key`, and requests for data `page_key`.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app, self.port = app, port
        self.token: str | None = secrets.token_urlsafe(32)
        self.key, self.page_key = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.cookie = f"shortlist-{port}"  # all ports of a machine share their cookies

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def _cookie(self, request: Request) -> str:
        """Value of our cookie. Quotation marks are not read: that takes seconds for a long hostile value."""
        pairs = (part.partition("=") for part in request.headers.get("cookie", "").split(";"))
        return next((value.strip() for name, _, value in pairs if name.strip() == self.cookie), "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":  # web sockets are never opened
            request = Request(scope)
            app = self._refusal(request) or self._entry(request) or self.app
            await app(scope, limited(receive), with_headers(send))

    def _refusal(self, request: Request) -> Response | None:
        """Refuse a wrong host, a wrong origin, or a request that is too large."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        length = request.headers.get("content-length", "0")
        if host not in self.hosts:
            return PlainTextResponse("wrong host", 421)
        if request.method not in ("GET", "HEAD") and origin != f"http://{host}":
            return PlainTextResponse("only the studio's own page may make changes", 403)
        elsewhere = request.headers.get("sec-fetch-site", "same-origin") != "same-origin"
        if origin not in (None, f"http://{host}") or (elsewhere and request.url.path.startswith("/api/")):
            return PlainTextResponse("wrong origin", 403)
        if not length.isdecimal() or int(length) > MAX_BODY:
            return PlainTextResponse("the request is too large", 413)
        return None

    def _entry(self, request: Request) -> Response | None:
        """Exchange the token for a cookie and the key of the page; refuse who lacks either of these."""
        path, token = request.url.path, request.query_params.get("token")
        opens = (
            path == "/" and request.method == "GET" and token is not None
        )  # a preview of the link does not use it up
        if opens and self.token is not None and _equal(str(token), self.token):
            self.token = None
            # Not a redirect: browsers would not send the cookie, where another page or a file opened the address
            go = f'<meta http-equiv="refresh" content="0;url=/#key={self.page_key}">'
            response = HTMLResponse(f'<!doctype html><link rel="icon" href="data:,">{go}')
            response.set_cookie(self.cookie, self.key, httponly=True, samesite="strict", path="/")
            return response
        if not _equal(self._cookie(request), self.key):
            return HTMLResponse(LOCKED, 403)
        if path.startswith("/api/") and not _equal(request.headers.get(PAGE_KEY, ""), self.page_key):
            return JSONResponse(
                {"error": {"message": "This page is locked: use the browser that opened the studio"}}, 403
            )
        return RedirectResponse("/", 303) if path == "/" and token is not None else None  # the address once more


def _equal(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def limited(receive: Receive) -> Receive:
    """Receive a body, and raise `TooLarge` past the limit."""
    size = 0

    async def receive_some() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_BODY:
            raise TooLarge
        return message

    return receive_some


def with_headers(send: Send) -> Send:
    """Send every response with the headers of the page."""

    async def send_some(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message.get("headers", ()), *headers]
        await send(message)

    return send_some
