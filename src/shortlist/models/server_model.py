"""ServerModel: a model that answers requests of the OpenAI protocol, in this process or over HTTP.

Trials find out once which protocols it supports. Several requests are in flight at a time. After a fatal error no more
are sent, and those in flight are waited for: their answers count.
"""

from __future__ import annotations

import random
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import ModelFailed
from shortlist.models.language_model import Answer, Answers, Model, Prompt, no_answer
from shortlist.models.protocols import (
    BadReply,
    Body,
    Constrained,
    RequestProtocol,
    SharedToken,
    all_protocols,
    messages,
    protocol_from_plain,
    reply_text,
)


class RateLimit:
    """Spaces the requests of all threads that ask one server, and lets them wait when the server asks for it."""

    def __init__(self, per_minute: float | None = None) -> None:
        self.spacing = 60.0 / per_minute if per_minute else 0.0
        self.stop = threading.Event()  # set when no thread should wait any longer
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self) -> None:
        """Wait until a request may be sent."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self.spacing if self.spacing else self._next
        if start > now:
            self.stop.wait(start - now)

    def pause(self, seconds: float) -> None:
        """Hold back all threads."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def backoff(attempt: int, first: float) -> float:
    """Seconds before the next try after try number `attempt` (from 1): doubled each time, at most 60, with jitter."""
    longest: float = min(60.0, first * 2 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)


def retry_after(headers: dict[str, str]) -> float | None:
    """Seconds that the server asks to wait: a number in retry-after-ms or retry-after, or a date in the latter."""
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name, "")
        with suppress(ValueError):
            return max(0.0, float(value) * scale)
        with suppress(ValueError, TypeError):
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None


class Reply(NamedTuple):
    """The content of a response, and the retries that it took."""

    content: dict[str, Any]
    retries: int


class Unanswered(Exception):  # noqa: N818  as in errors.py
    """One prompt has no answer, but others may have one: `why` as in Answer."""

    def __init__(self, why: str, detail: str = "", retries: int = 0, status: int | None = None) -> None:
        super().__init__(detail)
        self.why, self.detail, self.retries, self.status = why, detail, retries, status


class ServerModel(Model):
    """Base class of HTTP and LlamaCpp."""

    at_once: int
    chat: bool | None
    rate_limit: RateLimit
    charge: Callable[[int, str, Answer | None], None] | None = None  # books calls and tokens, or raises BudgetSpent

    def __init__(self) -> None:
        self.rate_limit = RateLimit()
        self._protocols: tuple[RequestProtocol, ...] = ()
        self._unsupported: ModelFailed | None = None
        self._remarks: dict[str, None] = {}
        self._lock = threading.Lock()

    @abstractmethod
    def send(self, path: str, body: Body) -> Reply:
        """Send a request, with retries. Raises Unanswered for this prompt only, or ModelFailed for all."""

    def charge_extra(self, calls: int = 1, prompt: str = "", answer: Answer | None = None) -> None:
        """Book a request besides the first about a prompt (a trial, a retry) before it is sent, or what it cost."""
        if self.charge is not None:
            self.charge(calls, prompt, answer)

    # -- protocols -------------------------------------------------------------------------------------

    def protocols(self) -> tuple[str, ...]:
        return tuple(protocol.name for protocol in self._protocols)

    def plain_protocols(self) -> list[Any]:
        return [protocol.plain() for protocol in self._protocols]

    def restore_protocols(self, plain: Sequence[Sequence[Any]]) -> None:
        with suppress(ValueError, KeyError, TypeError):  # of a damaged store: they are tried again
            self._protocols = tuple(protocol_from_plain(one) for one in plain)

    def trials(self) -> int:
        return 0 if self._protocols else sum(map(len, all_protocols(self.chat)))

    def try_protocols(self) -> None:
        """Find out which protocols it supports."""
        with self._lock:
            if self._protocols:
                return
            if self._unsupported is not None:  # another thread found that out
                raise self._unsupported
            supported: list[RequestProtocol] = []
            refusal = ""
            for variants in all_protocols(self.chat):
                for protocol in variants:
                    self.charge_extra()
                    refusal = self._refusal(protocol)
                    if not refusal:
                        supported.append(protocol)
                        break
            if not supported:
                message = f"model {self.id!r} supports no protocol that we know: {refusal}"
                self._unsupported = ModelFailed(message, model=self.id)
                raise self._unsupported
            self._protocols = tuple(supported)

    def _refusal(self, protocol: RequestProtocol) -> str:
        """Try a protocol; returns why it is not supported, or an empty text."""
        prompt, choices = Prompt("The capital of France is"), (" Paris", " Rome")
        try:
            answer = protocol.read(self.send(protocol.path, protocol.body(prompt, choices)).content, prompt, choices)
            self.charge_extra(0, prompt, answer)
        except (BadReply, SharedToken) as error:
            return str(error)
        except Unanswered as error:
            if error.status in (400, 404, 405, 415, 422, 500, 501) or error.why != "failed":
                return error.detail
            raise ModelFailed(f"model {self.id!r} does not answer: {error.detail}", model=self.id) from error
        return "it answered with none of the choices" if isinstance(protocol, Constrained) and answer.why else ""

    # -- asking ----------------------------------------------------------------------------------------

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> Floats:
        scores = np.full((len(prompts), len(choices)), np.nan)
        for answers in self.answers((Prompt(p, getattr(p, "image", None)) for p in prompts), choices):
            for number, answer in answers:
                scores[number] = answer.scores
        return scores

    def answers(self, prompts: Iterable[Prompt], choices: Sequence[str]) -> Iterator[Answers]:
        self.rate_limit.stop.clear()
        self._unsupported = None
        try:
            yield from self._side_by_side(enumerate(prompts), choices)
        finally:
            self.close_idle()

    def close_idle(self) -> None:
        """Close what is not needed until the next request."""

    def hang_up(self) -> None:
        """End requests in flight, where that is possible."""

    def _side_by_side(self, source: Iterator[tuple[int, Prompt]], choices: Sequence[str]) -> Iterator[Answers]:
        fatal: BaseException | None = None
        patience = float("inf")  # the time at which requests in flight are given up
        running: dict[Future[Answer], int] = {}
        with ThreadPoolExecutor(self.at_once) as pool, self._ended():
            while True:
                try:
                    for number, prompt in islice(source, 0 if fatal else self.at_once - len(running)):
                        running[pool.submit(self.answer, prompt, choices)] = number
                    if not running:
                        break
                    # A short wait: polars keeps signals from a long one
                    done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                except KeyboardInterrupt as interrupt:  # answers in flight are paid for, and get two seconds
                    patience = time.monotonic() + (0.0 if fatal else 2.0)
                    fatal = self._halt(interrupt)
                    continue
                if time.monotonic() > patience:
                    self.hang_up()
                numbers = {future: running.pop(future) for future in done}
                for error in filter(None, (future.exception() for future in done)):
                    fatal = fatal or self._halt(error)
                if answers := [(numbers[future], future.result()) for future in done if future.exception() is None]:
                    yield answers
        if fatal is not None:
            raise fatal

    @contextmanager
    def _ended(self) -> Iterator[None]:
        """Where the answers are no longer wanted, end the requests in flight."""
        try:
            yield
        except BaseException as error:
            self._halt(error)
            self.hang_up()
            raise

    def _halt(self, reason: BaseException) -> BaseException:
        """Stop all waits for another try."""
        self.rate_limit.stop.set()
        return reason

    def answer(self, prompt: Prompt, choices: Sequence[str]) -> Answer:
        """The answer to one prompt, by the best protocol that distinguishes the choices."""
        self.try_protocols()
        for place, protocol in enumerate(self._protocols_for(prompt)):
            if place:
                self.charge_extra()
            try:
                return self._answered(protocol, prompt, choices)
            except SharedToken:
                listed = ", ".join(map(repr, choices))
                self._remarks[
                    f"model {self.id!r}: some answers begin like several of the choices ({listed}). Such rows are "
                    "asked again in another way, or abstain. Write choices that differ in their first letters"
                ] = None
        return no_answer(choices, "outside")

    def _protocols_for(self, prompt: Prompt) -> tuple[RequestProtocol, ...]:
        """The supported protocols; with a picture, only chats."""
        usable = tuple(protocol for protocol in self._protocols if prompt.image is None or protocol.chat)
        if not usable:
            raise ModelFailed(f"model {self.id!r} cannot be asked about pictures: it has no chat", model=self.id)
        return usable

    def _answered(self, protocol: RequestProtocol, prompt: Prompt, choices: Sequence[str]) -> Answer:
        try:
            reply = self.send(protocol.path, protocol.body(prompt, choices))
            return replace(protocol.read(reply.content, prompt, choices), retries=reply.retries)
        except BadReply as error:
            return no_answer(choices, "failed", how=protocol.name, detail=str(error))
        except Unanswered as error:
            return no_answer(choices, error.why, how=protocol.name, retries=error.retries, detail=error.detail)

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:
        body: Body = {"messages": messages(prompt), "max_tokens": max_tokens, "temperature": 0}
        self.rate_limit.stop.clear()
        try:
            return reply_text(self.send("chat/completions", body).content)
        except (BadReply, Unanswered) as error:
            raise ModelFailed(f"model {self.id!r} wrote nothing: {error}", model=self.id) from error
        finally:
            self.close_idle()

    def remarks(self) -> list[str]:
        return list(self._remarks)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("rate_limit", "_lock", "charge")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self.rate_limit = RateLimit(getattr(self, "per_minute", None))
