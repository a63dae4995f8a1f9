"""A studio that runs, for tests that talk to it as a browser does."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shortlist.studio import OpenProject
from shortlist.studio.server import Server


class Running:
    """A studio on a port of this machine.

    `key` is the cookie of a browser that opened its address, `page_key` the header of its page.
    """

    def __init__(self, folder: Path, by: str = "") -> None:
        self.server = Server(OpenProject(folder, by))
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        self.host = f"127.0.0.1:{self.server.port}"
        self.key: str | None = None
        self.page_key: str | None = None

    @property
    def address(self) -> str:
        return self.server.address

    def enter(self) -> str:
        """Open the address once, as the browser does; its cookie is kept."""
        parts = urlsplit(self.address)
        response = self.send("GET", f"/?{parts.query}")
        self.key = (response.headers["set-cookie"] or "").split(";")[0]
        self.page_key = response.text.partition("#key=")[2].partition('"')[0]
        return self.key

    def send(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> http.client.HTTPResponse:
        """One request. Headers that are None are left out; `Host`, `Origin` and the cookie are right unless given."""
        given = {
            "Host": self.host,
            "Cookie": self.key,
            "X-Shortlist-Key": self.page_key,
            **({"Origin": f"http://{self.host}"} if method != "GET" else {}),
        }
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        try:
            if body is not None:
                connection.send(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it hung up before the end, and has said why
        response = connection.getresponse()
        response.text = "" if response.headers.get_content_type() == "text/event-stream" else response.read().decode()
        connection.close()
        return response

    def ask(self, name: str, given: dict[str, Any] | None = None) -> Any:
        """What the page asks for."""
        body = None if given is None else json.dumps(given).encode()
        return json.loads(self.send("GET" if given is None else "POST", f"/api/{name}", body).text)

    def until_open(self, seconds: float = 120.0) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while not (found := self.ask("overview"))["open"]:
            assert time.monotonic() < end, found
            time.sleep(0.05)
        return found

    def stop(self) -> None:
        self.server.stop()
        self.thread.join(20)


@contextmanager
def running(folder: Path, by: str = "") -> Iterator[Running]:
    found = Running(folder, by)
    try:
        yield found
    finally:
        found.stop()
