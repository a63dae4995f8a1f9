"""Connection: requests to one HTTP server, over connections that are kept open between them."""

from __future__ import annotations

import http.client
import ssl
import urllib.request
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from shortlist.errors import BadLabeler


class Response(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    content: bytes


Open = tuple[http.client.HTTPConnection, str]  # a connection, and what stands before every path


class Connection:
    """A base address and the connections to it. A proxy is taken from the environment, as everywhere."""

    def __init__(self, url: str, time_out: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadLabeler(f"the address of a model server begins with http:// or https://; got {url!r}")
        if parts.username or parts.password:
            raise BadLabeler("the address holds a password: put it in an environment variable and name that in key_env")
        self.secure, self.host = parts.scheme == "https", parts.hostname
        self.port = parts.port or (443 if self.secure else 80)
        self.path, self.query = parts.path.rstrip("/"), parts.query
        self.time_out = time_out
        self._idle: list[Open] = []

    def post(self, path: str, content: bytes, headers: dict[str, str]) -> Response:
        """Send, and read the whole answer. An idle connection that the server has closed meanwhile is opened again."""
        idle = self._idle_one()
        if idle is not None:
            try:
                return self._post(idle, path, content, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                pass
        return self._post(self._connected(), path, content, headers)

    def _post(self, open_one: Open, path: str, content: bytes, headers: dict[str, str]) -> Response:
        connection, prefix = open_one
        target = f"{prefix}{self.path}/{path}" + (f"?{self.query}" if self.query else "")
        try:
            connection.request("POST", target, content, headers)
            answer = connection.getresponse()
            found = Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._idle.append(open_one)
        return found

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while (idle := self._idle_one()) is not None:
            idle[0].close()

    def _idle_one(self) -> Open | None:
        try:
            return self._idle.pop()  # lists do this in one step, whatever other threads do
        except IndexError:
            return None

    def _connected(self) -> Open:
        """A connection, and what stands before the path (the whole address, for a proxy without a tunnel)."""
        proxy = None if urllib.request.proxy_bypass(self.host) else urllib.request.getproxies().get(self._scheme)
        if proxy is None:
            return self._to(self.host, self.port), ""
        through = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        connection = self._to(through.hostname or "", through.port or 8080, secure=self.secure)
        if self.secure:
            connection.set_tunnel(self.host, self.port)
            return connection, ""
        return connection, f"http://{self.host}:{self.port}"

    @property
    def _scheme(self) -> str:
        return "https" if self.secure else "http"

    def _to(self, host: str, port: int, secure: bool | None = None) -> http.client.HTTPConnection:
        if self.secure if secure is None else secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=self.time_out, context=context)
        return http.client.HTTPConnection(host, port, timeout=self.time_out)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_idle": []}
