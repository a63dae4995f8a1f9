"""ServerModel: a model that answers requests of the OpenAI protocol, in this process or over HTTP.

The first prompt finds out which protocols it supports. Then several requests are in flight at a time. After a fatal
error no more are sent, and those in flight are waited for: their answers count.
"""

from __future__ import annotations

import random
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import ModelFailed, Stopped
from shortlist.models.language_model import Answer, Answers, Model, no_answer
from shortlist.models.protocols import BadReply, Body, Protocol, all_protocols, messages, reply_text
from shortlist.progress import still_wanted


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


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None


class Unanswered(Exception):  # noqa: N818  as in errors.py
    """One prompt has no answer, but others may have one: `why` as in Answer."""

    def __init__(self, why: str, detail: str = "", retries: int = 0, status: int | None = None) -> None:
        super().__init__(detail)
        self.why, self.detail, self.retries, self.status = why, detail, retries, status


class _NotSupported(Exception):  # noqa: N818
    """What a server says of a protocol that it does not support."""


class ServerModel(Model):
    """Base class of HTTP and LlamaCpp."""

    is_code = False
    at_once: int
    rate_limit: RateLimit
    charge: Callable[[], None] | None = None  # books a request besides the first about a prompt, or raises BudgetSpent

    def __init__(self, chat: bool | None) -> None:
        self.chat = chat
        self.settled = False
        self.rate_limit = RateLimit()
        self._refused: set[Protocol] = set()  # that it does not support
        self._supported: set[Protocol] = set()  # that it answered by
        self._unsupported: ModelFailed | None = None
        self._remarks: dict[str, None] = {}
        self._lock = threading.Lock()

    @abstractmethod
    def send(self, path: str, body: Body) -> tuple[dict[str, Any], int]:
        """Send a request: (reply, retries). Raises Unanswered for this prompt only, or ModelFailed for all."""

    # -- asking ----------------------------------------------------------------------------------------

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> Floats:
        scores = np.full((len(prompts), len(choices)), np.nan)
        for answers in self.answers(prompts, choices):
            for number, answer in answers:
                scores[number] = answer.scores
        return scores

    def answers(self, prompts: Iterable[str], choices: Sequence[str]) -> Iterator[Answers]:
        self.rate_limit.stop.clear()
        self._unsupported = None
        yield from self._side_by_side(enumerate(prompts), choices)

    def hang_up(self) -> None:
        """End requests in flight, where that is possible."""

    def _side_by_side(self, source: Iterator[tuple[int, str]], choices: Sequence[str]) -> Iterator[Answers]:
        fatal: BaseException | None = None
        patience = float("inf")  # the time at which requests in flight are given up
        running: dict[Future[Answer], int] = {}
        check: Callable[[], object] = still_wanted.get()
        with ThreadPoolExecutor(self.at_once) as pool:
            try:
                while True:
                    try:
                        for number, prompt in islice(source, 0 if fatal else self.at_once - len(running)):
                            running[pool.submit(self.answer, prompt, choices)] = number
                        if not running:
                            break
                        # A short wait: polars keeps signals from a long one
                        done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                        check()
                    except (KeyboardInterrupt, Stopped) as interrupt:  # answers in flight are paid for: two seconds
                        check = bool
                        patience = time.monotonic() + (0.0 if fatal else 2.0)
                        fatal = interrupt
                        self.rate_limit.stop.set()
                        continue
                    if time.monotonic() > patience:
                        self.hang_up()
                    answers = [(running.pop(future), future) for future in done]
                    fatal = fatal or next(filter(None, (future.exception() for _, future in answers)), None)
                    if fatal is not None:
                        self.rate_limit.stop.set()  # no thread waits for another try
                    if good := [(number, future.result()) for number, future in answers if not future.exception()]:
                        yield good
            except BaseException:  # the answers are no longer wanted
                self.rate_limit.stop.set()
                self.hang_up()
                raise
        if fatal is not None:
            raise fatal

    def answer(self, prompt: str, choices: Sequence[str]) -> Answer:
        """The answer to one prompt. Until there is one, one thread asks, to find out how."""
        with self._lock:
            if not self.settled:
                try:
                    if self._unsupported is not None:  # another thread found that out
                        raise self._unsupported
                    return self._by_best(prompt, choices)
                except ModelFailed as error:
                    self._unsupported = error
                    raise
        return self._by_best(prompt, choices)

    def _by_best(self, prompt: str, choices: Sequence[str]) -> Answer:
        """The answer by the best protocol that is supported and distinguishes the choices."""
        said, shared, tried = "", None, 0
        for protocol in all_protocols(self.chat):
            if protocol in self._refused or (shared is not None and protocol.top):
                continue
            if tried and self.charge is not None:
                self.charge()
            tried += 1
            try:
                answer = self._answered(protocol, prompt, choices)
            except _NotSupported as error:
                said = str(error)
                continue
            if answer.why != "shared":
                return answer if shared is None else replace(answer, tokens_in=answer.tokens_in + shared.tokens_in)
            shared = replace(answer, why="outside")
            self._remarks[
                f"model {self.id!r}: some answers begin like several of the choices ({', '.join(map(repr, choices))}). "
                "Such rows are asked again in another way, or abstain. Write choices that differ in their first letters"
            ] = None
        if shared is None:
            raise ModelFailed(f"model {self.id!r} supports no protocol that we know: {said}", model=self.id)
        return shared

    def _answered(self, protocol: Protocol, prompt: str, choices: Sequence[str]) -> Answer:
        try:
            reply, retries = self.send(protocol.path, protocol.body(prompt, choices))
            answer = replace(protocol.read(reply, choices), retries=retries)
        except (BadReply, Unanswered) as error:
            failure = error if isinstance(error, Unanswered) else Unanswered("failed", str(error), status=200)
            self._check(protocol, failure)
            return no_answer(choices, failure.why, how=protocol.name, retries=failure.retries, detail=failure.detail)
        self._supported.add(protocol)
        self.settled = True
        if not any(one.top for one in self._supported):
            self._remarks[f"model {self.id!r} gives no log-probabilities: `margin` has no effect on its answers"] = None
        return answer

    def _check(self, protocol: Protocol, failure: Unanswered) -> None:
        """Raise where a failure is not about one prompt: about the protocol, or about all prompts."""
        status = failure.status or 0
        if failure.why != "failed":
            return
        if protocol not in self._supported and status in (200, 400, 404, 405, 415, 422, 500, 501):
            nowhere = [one for one in all_protocols(self.chat) if status in (404, 405) and one.path == protocol.path]
            self._refused.update([protocol, *nowhere])
            raise _NotSupported(failure.detail)
        if not self.settled or (400 <= status < 500 and status not in (408, 429)):
            raise ModelFailed(
                f"model {self.id!r} does not answer: {failure.detail}", model=self.id, status=status or None
            )

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:
        body: Body = {"messages": messages(prompt), "max_tokens": max_tokens, "temperature": 0}
        self.rate_limit.stop.clear()
        try:
            return reply_text(self.send("chat/completions", body)[0])
        except (BadReply, Unanswered) as error:
            raise ModelFailed(f"model {self.id!r} wrote nothing: {error}", model=self.id) from error

    def remarks(self) -> list[str]:
        return list(self._remarks)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("rate_limit", "_lock", "charge")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, settled=False)
        self._lock = threading.Lock()
        self.rate_limit = RateLimit(getattr(self, "per_minute", None))
