"""HTTP: every server that speaks the OpenAI protocol: hosted models, vLLM, llama.cpp, ollama and others."""

from __future__ import annotations

import http.client
import json
import math
import os
import re
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from shortlist.errors import BadLabeler, ModelFailed
from shortlist.models.language_model import Budget, Price, checked_budget, checked_price, model_kind
from shortlist.models.protocols import BadReply, Body, decoded, error_message, prompt_error
from shortlist.models.server_model import RateLimit, ServerModel, Unanswered, backoff, retry_after


class Response(NamedTuple):
    """Status, headers (names in lower case) and content."""

    status: int
    headers: dict[str, str]
    content: str


LARGEST = 32 << 20  # bytes of a reply


class Connection:
    """Sends requests to an address. Proxies come from the environment, and redirects are not followed."""

    def __init__(self, url: str, time_out: float) -> None:
        self.parts, self.time_out = urlsplit(url), time_out
        if self.parts.scheme not in ("http", "https") or not self.parts.hostname:
            raise BadLabeler(f"the address of a model server begins with http:// or https://; got {url!r}")
        if self.parts.username or self.parts.password:
            raise BadLabeler("the address holds a password: put it in an environment variable and name that in key_env")
        self._busy: set[socket.socket] = set()  # those that a reply is waited for

    def post(self, path: str, content: bytes, headers: dict[str, str]) -> Response:
        """Send a request and read the response, which has `time_out` seconds as a whole."""
        target = self.parts._replace(path=f"{self.parts.path.rstrip('/')}/{path}").geturl()
        handler = _Handler(self._busy)
        watch = threading.Timer(self.time_out, lambda: self.hang_up(handler.opened))  # that of a socket is a packet's
        watch.daemon = True
        watch.start()
        try:
            request = urllib.request.Request(target, content, headers)
            with urllib.request.build_opener(handler, _AnyStatus()).open(request, timeout=self.time_out) as reply:
                raw = reply.read(LARGEST + 1)
        except (OSError, http.client.HTTPException) as error:
            if self._busy.issuperset(handler.opened):
                inner = getattr(error, "reason", None)  # of an error of urllib
                raise inner if isinstance(inner, Exception) else error from None
        finally:
            watch.cancel()
            late = not self._busy.issuperset(handler.opened)
            self._busy.difference_update(handler.opened)
        if late:
            raise TimeoutError
        if len(raw) > LARGEST:
            raise http.client.HTTPException(f"the reply is larger than {LARGEST >> 20} MB")
        names = {name.lower(): value for name, value in reply.headers.items()}
        return Response(reply.status, names, raw.decode(json.detect_encoding(raw), "replace"))

    def hang_up(self, sockets: Iterable[socket.socket] | None = None) -> None:
        """End requests that are waited for: some, or all."""
        for sock in list(self._busy if sockets is None else sockets):
            self._busy.discard(sock)
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_busy": set()}


class _Handler(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
    """Opens connections that other threads can end: their sockets are in `busy`."""

    def __init__(self, busy: set[socket.socket]) -> None:
        super().__init__(context=_certificates())
        self.busy, self.opened = busy, set[socket.socket]()

    def do_open(self, http_class: Any, *args: Any, **options: Any) -> Any:
        def opened(*where: Any, **how: Any) -> http.client.HTTPConnection:
            connection = http_class(*where, **how)
            connect = connection.connect

            def connected() -> None:
                connect()
                self.opened.add(connection.sock)
                self.busy.add(connection.sock)

            connection.connect = connected
            return connection  # type: ignore[no-any-return]

        return super().do_open(opened, *args, **options)


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


class _AnyStatus(urllib.request.HTTPErrorProcessor):
    """Responses of any status are responses, not errors."""

    def http_response(self, request: Any, response: Any) -> Any:  # noqa: ARG002
        return response

    https_response = http_response


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
        super().__init__(chat)
        limits = (
            ("time_out", time_out, 0.01),
            ("per_minute", per_minute, 0.01),
            ("wait", wait, 0),
            ("max_failed", max_failed, 0),
        )
        for name, value, least in limits:
            if value is not None and not least <= value < math.inf:
                raise BadLabeler(f"{name} is a number from {least:g}; got {value!r}", option=(name,))
        self.url, self.model, self.key_env = url.rstrip("/"), model, key_env
        self.at_once, self.per_minute, self.time_out = _at_least(1, "at_once", at_once), per_minute, time_out
        self.tries, self.first_wait = _at_least(1, "tries", tries), wait
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

    def send(self, path: str, body: Body) -> tuple[dict[str, Any], int]:
        content = json.dumps({"model": self.model, **body, **self.parameters}).encode("utf-8")
        headers = self._headers()
        last, status = "it was stopped", None
        for attempt in range(1, self.tries + 1):
            self.rate_limit.wait()
            if self.rate_limit.stop.is_set():
                break
            if attempt > 1 and self.charge is not None:
                self.charge()
            pause: float | None = None
            try:
                response = self._response(path, content, headers)
                self._reached = True
                if response.status == 200:
                    return decoded(response.content), attempt - 1
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
        raise Unanswered(why or "failed", f"HTTP {status}: {said}", attempt - 1, status)

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
