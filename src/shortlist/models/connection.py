"""Connection: requests to one HTTP server, kept alive, one connection for each thread."""

from __future__ import annotations

import http.client
import ssl
import threading
import urllib.request
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from shortlist.errors import BadLabeler


class Response(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    content: bytes


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
        self._threads = threading.local()

    def post(self, path: str, content: bytes, headers: dict[str, str]) -> Response:
        """Send, and read the whole answer. An idle connection that the server has closed is opened again."""
        reused = getattr(self._threads, "open", None) is not None
        try:
            return self._post(path, content, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.close()
            if not reused:
                raise
        except BaseException:
            self.close()
            raise
        return self._post(path, content, headers)

    def _post(self, path: str, content: bytes, headers: dict[str, str]) -> Response:
        open_one, prefix = self._open()
        target = f"{prefix}{self.path}/{path}" + (f"?{self.query}" if self.query else "")
        open_one.request("POST", target, content, headers)
        answer = open_one.getresponse()
        found = Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        if answer.will_close:
            self.close()
        return found

    def close(self) -> None:
        """Close the connection of this thread."""
        open_one = getattr(self._threads, "open", None)
        self._threads.open = None
        if open_one is not None:
            open_one[0].close()

    def _open(self) -> tuple[http.client.HTTPConnection, str]:
        found: tuple[http.client.HTTPConnection, str] | None = getattr(self._threads, "open", None)
        if found is None:
            found = self._threads.open = self._connected()
        return found

    def _connected(self) -> tuple[http.client.HTTPConnection, str]:
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
        return {name: value for name, value in self.__dict__.items() if name != "_threads"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._threads = threading.local()
