"""Server: the functions of the studio over HTTP, for one page on this machine."""

from __future__ import annotations

import json
import socket
import sys
import traceback
from collections.abc import Callable
from importlib import resources
from typing import Any

from shortlist.errors import ShortlistError, require
from shortlist.reporting.page import template
from shortlist.studio.desk import Desk
from shortlist.studio.preview import Superseded
from shortlist.studio.rules import Conflict
from shortlist.studio.web.events import events
from shortlist.studio.web.guard import App, Guard, TooLarge
from shortlist.studio.web.service import ASKS, READS, Given, Service

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(desk: Desk, stopping: Callable[[], bool] = lambda: False) -> App:
    """The application without its guard."""
    require("starlette", extra="studio")
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route

    service = Service(desk)

    def endpoint(name: str) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            try:
                body = await request.body()
            except TooLarge:
                return Response("that is too much at once", 413)
            answer = await run_in_threadpool(answered, getattr(service, name), body)
            return Response(answer, media_type="application/json")

        return respond

    async def stream(_request: Request) -> Response:
        return StreamingResponse(events(desk, stopping), media_type="text/event-stream")

    async def asset(request: Request) -> Response:
        found = _asset(request.path_params.get("name", "index.html"))
        return Response(status_code=404) if found is None else Response(found[0], media_type=found[1])

    routes = [Route(f"/api/{name}", endpoint(name), methods=["GET"]) for name in READS]
    routes += [Route(f"/api/{name}", endpoint(name), methods=["POST"]) for name in ASKS]
    return Starlette(routes=[*routes, Route("/api/events", stream), Route("/", asset), Route("/{name}", asset)])


def answered(function: Callable[[Given], Any], body: bytes) -> bytes:
    """What a function says as JSON, or what went wrong: a mistake of a person is an answer like any other."""
    try:
        given = json.loads(body) if body else {}
        if not isinstance(given, dict):
            raise ShortlistError("a request is a JSON object")
        return _json(function(given))
    except Superseded:
        return _json({"superseded": True})
    except Conflict as error:
        return _json({"error": {"message": error.message, "conflict": True, "now": error.now}})
    except ShortlistError as error:
        return _json({"error": {"message": str(error), **error.facts}})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        traceback.print_exc(file=sys.stderr)
        return _json({"error": {"message": f"the request cannot be understood ({type(error).__name__}: {error})"}})


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False).encode("utf-8", "replace")


def _asset(name: str) -> tuple[bytes, str] | None:
    """A file of the page; the style sheet of the report is one of them."""
    if name == "report.css":
        return template("page.css").encode(), "text/css"
    path = resources.files("shortlist.studio") / "assets" / name
    kind = KINDS.get("." + name.rpartition(".")[2])
    if kind is None or "/" in name or "\\" in name or not path.is_file():
        return None
    return path.read_bytes(), kind


def listening(port: int = 0) -> socket.socket:
    """A socket on this machine only; port 0 takes one that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.bind(("127.0.0.1", port))
        found.listen(128)  # a browser that comes before the server is ready waits
    except OSError as error:
        found.close()
        raise ShortlistError(f"port {port} is taken ({error.strerror}): choose another with --port") from error
    return found


class Server:
    """The studio on a port of this machine: `address` is to be opened, `run` serves until `stop` or Ctrl-C."""

    def __init__(self, desk: Desk, port: int = 0) -> None:
        uvicorn = require("uvicorn", extra="studio")
        self.desk = desk
        app = make_app(desk, lambda: self._server.should_exit)
        self._socket = listening(port)
        self.port = int(self._socket.getsockname()[1])
        self.guard = Guard(app, self.port)
        options = {"log_level": "warning", "access_log": False, "lifespan": "off", "timeout_graceful_shutdown": 3}
        self._server = uvicorn.Server(uvicorn.Config(self.guard, **options))

    @property
    def address(self) -> str:
        return self.guard.address

    def run(self) -> None:
        self.desk.start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.desk.close()
            self._socket.close()

    def stop(self) -> None:
        self._server.should_exit = True
