"""HTTP: every server that speaks the OpenAI protocol: hosted models, vLLM, llama.cpp, ollama and others."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from shortlist.errors import BadLabeler, ModelFailed
from shortlist.models.cost import Budget, Price, checked_budget, checked_price
from shortlist.models.language_model import model_kind
from shortlist.models.protocols import BadReply, Body, decoded, error_message, prompt_error
from shortlist.models.server_model import RateLimit, Reply, ServerModel, Unanswered, backoff, retry_after


class Response(NamedTuple):
    """Status, headers (names in lower case) and content."""

    status: int
    headers: dict[str, str]
    content: str


LARGEST = 32 << 20  # bytes of a reply
Open = tuple[http.client.HTTPConnection, str]  # a connection, and the prefix of every path


class Connection:
    """A base address, and connections to it that stay open between requests. Proxies come from the environment."""

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
        self._busy: set[socket.socket] = set()  # those that a reply is waited for

    def post(self, path: str, content: bytes, headers: dict[str, str]) -> Response:
        """Send a request and read the response; redirects are not followed. A closed connection is opened again."""
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
            with self._in_time(connection.sock):
                answer = connection.getresponse()
                raw = answer.read(LARGEST + 1)
            if len(raw) > LARGEST:
                raise http.client.HTTPException(f"the reply is larger than {LARGEST >> 20} MB")
            response_headers = {name.lower(): value for name, value in answer.getheaders()}
            response = Response(answer.status, response_headers, raw.decode(json.detect_encoding(raw), "replace"))
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._idle.append(open_one)
        return response

    @contextmanager
    def _in_time(self, sock: socket.socket) -> Iterator[None]:
        """Hang up when the time for the whole reply is over: a time-out of the socket begins anew with each packet."""
        self._busy.add(sock)
        watch = threading.Timer(self.time_out, self.hang_up, [[sock]])
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()
            if sock not in self._busy:
                raise TimeoutError
            self._busy.discard(sock)

    def hang_up(self, sockets: Iterable[socket.socket] | None = None) -> None:
        """End requests that are waited for: some, or all."""
        for sock in list(self._busy if sockets is None else sockets):
            self._busy.discard(sock)
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the idle connections."""
        while (idle := self._idle_one()) is not None:
            idle[0].close()

    def _idle_one(self) -> Open | None:
        try:
            return self._idle.pop()  # lists do this in one step, whatever other threads do
        except IndexError:
            return None

    def _connected(self) -> Open:
        """Open a connection. For a proxy without a tunnel, the prefix is the whole address."""
        scheme = "https" if self.secure else "http"
        proxy = None if urllib.request.proxy_bypass(self.host) else urllib.request.getproxies().get(scheme)
        if proxy is None:
            return self._to(self.host, self.port), ""
        through = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        connection = self._to(through.hostname or "", through.port or 8080)
        if self.secure:
            connection.set_tunnel(self.host, self.port)
            return connection, ""
        return connection, f"http://{self.host}:{self.port}"

    def _to(self, host: str, port: int) -> http.client.HTTPConnection:
        if self.secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=self.time_out, context=context)
        return http.client.HTTPConnection(host, port, timeout=self.time_out)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_idle": [], "_busy": set()}


@model_kind("http")
class HTTP(ServerModel):
    """A model on a server.

    url         the address that ends in /v1
    model       the name of the model there
    key_env     the environment variable that holds the key; the key itself is never stored or shown, unless it is
                shorter than 8 characters, as placeholders are
    at_once     requests in flight at a time
    per_minute  requests a minute at most
    time_out    seconds to wait for a whole answer
    tries       how often a request is sent at most; only time-outs, 429 and 5xx are tried again
    wait        seconds before the second try, doubled each time, unless the server says how long (Retry-After)
    chat        True: as a chat only; False: as text to be continued only; None: find out, continuing text first
    parameters  more fields for every request, such as {"seed": 1}
    """

    takes_images = True

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key_env: str | None = None,
        at_once: int = 8,
        per_minute: float | None = None,
        time_out: float = 60.0,
        tries: int = 5,
        wait: float = 0.5,
        chat: bool | None = None,
        parameters: Mapping[str, Any] | None = None,
        price: Price | Mapping[str, float] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        kept: str | os.PathLike[str] | None = None,
        max_failed: float = 0.2,
    ) -> None:
        super().__init__()
        self.url, self.model, self.key_env = url.rstrip("/"), model, key_env
        self.at_once, self.per_minute, self.time_out = _at_least(1, "at_once", at_once), per_minute, time_out
        self.tries, self.first_wait, self.chat = _at_least(1, "tries", tries), wait, chat
        self.parameters = dict(parameters or {})
        self.price = checked_price(price)
        self.budget = checked_budget(budget, self.price)
        self.kept, self.max_failed = kept, max_failed
        self.rate_limit = RateLimit(per_minute)
        self.connection = Connection(self.url, time_out)
        self._reached = False

    @property
    def id(self) -> str:  # type: ignore[override]
        asked = f" {json.dumps(self.parameters, sort_keys=True)}" if self.parameters else ""
        manner = {None: "", True: ", chat", False: ", text"}[self.chat]
        return f"{self.model} at {self.url}{manner}{asked}"

    def __repr__(self) -> str:
        key = f", key_env={self.key_env!r}" if self.key_env else ""
        return f"HTTP({self.url!r}, {self.model!r}{key})"

    def record(self) -> dict[str, Any]:
        options = {"key_env": self.key_env or None, "chat": self.chat, "parameters": self.parameters or None}
        changed = {name: value for name, value in options.items() if value is not None}
        return {"kind": "http", "url": self.url, "model": self.model, **changed}

    def send(self, path: str, body: Body) -> Reply:
        content = json.dumps({"model": self.model, **body, **self.parameters}).encode("utf-8")
        headers = self._headers()
        last, status = "it was stopped", None
        for attempt in range(1, self.tries + 1):
            self.rate_limit.wait()
            if self.rate_limit.stop.is_set():
                break
            if attempt > 1:
                self.charge_extra()
            pause: float | None = None
            try:
                response = self._response(path, content, headers)
                self._reached = True
                if response.status == 200:
                    return Reply(decoded(response.content), attempt - 1)
                last, status, pause = self._again(response, attempt), response.status, retry_after(response.headers)
            except (OSError, http.client.HTTPException, BadReply) as error:
                last, status = self._transient(error), None
            if attempt < self.tries:
                self._before_retry(attempt, pause)
        raise Unanswered("failed", last, attempt - 1, status)

    def _response(self, path: str, content: bytes, headers: dict[str, str]) -> Response:
        """Send a request once. Every text of the server passes here, and loses the key before anybody else sees it."""
        try:
            response = self.connection.post(path, content, headers)
        except (OSError, http.client.HTTPException) as error:
            hidden = without_key(str(error), self._key)
            if hidden == str(error):
                raise
            raise http.client.HTTPException(hidden) from None
        return response._replace(content=without_key(response.content, self._key))

    def close_idle(self) -> None:
        self.connection.close()

    def hang_up(self) -> None:
        self.connection.hang_up()

    def _before_retry(self, attempt: int, pause: float | None) -> None:
        """Wait before the next try. A wait that the server asks for holds for all threads."""
        if pause is None:
            self.rate_limit.stop.wait(backoff(attempt, self.first_wait))
        elif pause > 600.0:
            raise ModelFailed(
                f"{self.url} asks to wait {pause:,.0f} s: run it again after that. All answers so far are kept",
                model=self.id,
            )
        else:
            self.rate_limit.pause(pause)

    def _again(self, response: Response, attempt: int) -> str:
        """Describe an error that another try may solve. Raises Unanswered for this prompt, or ModelFailed for all."""
        status, said = response.status, error_message(response.content)
        if status == 429 or (status >= 500 and status != 501) or status == 408:
            return f"HTTP {status}: {said}"
        if status in (401, 403):
            asks = "asks for a key" if self.key_env is None else f"does not take the key in ${self.key_env}"
            remedy = ": name the environment variable in key_env" if self.key_env is None else ""
            raise ModelFailed(f"{self.url} {asks} (HTTP {status}: {said}){remedy}", model=self.id, status=status)
        why = "too long" if status == 413 else prompt_error(response.content) if status in (400, 422) else ""
        if why or not self._protocols:  # a refusal is the result of a trial
            raise Unanswered(why or "failed", f"HTTP {status}: {said}", attempt - 1, status)
        raise ModelFailed(f"{self.url} does not answer for {self.model!r}: HTTP {status}: {said}", model=self.id,
                          status=status)  # fmt: skip

    def _transient(self, error: Exception) -> str:
        """Describe a failed connection; one that was refused from the start is a wrong address."""
        if isinstance(error, OSError) and not isinstance(error, TimeoutError) and not self._reached:
            raise ModelFailed(f"nothing answers at {self.url} ({error}): is the server running?", model=self.id)
        if isinstance(error, TimeoutError):
            return f"no answer within {self.time_out:g} s"
        return f"{type(error).__name__}: {error}"

    @property
    def _key(self) -> str:
        """The key, read from the environment whenever it is needed."""
        return os.environ.get(self.key_env or "", "").strip()

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "shortlist"}
        if self.key_env is None:
            return headers
        if not self._key or not self._key.isascii() or not self._key.isprintable():
            problem = (
                "holds no key: it has odd characters" if self._key else "is not set: it holds the key of " + self.url
            )
            raise ModelFailed(f"the environment variable {self.key_env} {problem}", model=self.id)
        return headers | {"Authorization": f"Bearer {self._key}"}


def _at_least(least: int, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadLabeler(f"{name} is a whole number from {least}; got {value!r}", option=(name,))
    return value


def without_key(text: str, key: str) -> str:
    """Remove a key from a text of a server, however it is escaped. Placeholders, such as EMPTY, are left."""
    return _key_pattern(key).sub("…", text) if len(key) >= 8 else text


@lru_cache(maxsize=8)
def _key_pattern(key: str) -> re.Pattern[str]:
    r"""The key, each character as it is or as JSON, Python, HTML or an address write it: /, \/, \u002f, %2F, &#47;."""
    forms = []
    for sign in key:
        code, html = ord(sign), re.escape(escape(sign))
        backslash = rf"\\{{0,8}}(?:{re.escape(sign)}|u00{code:02x}|x{code:02x})"
        forms.append(rf"(?:{backslash}|%{code:02x}|{html}|&#0*(?:{code}|x{code:x});)")
    return re.compile("".join(forms), re.IGNORECASE)
