"""Server: a model that is asked with requests of the OpenAI protocol, in this process or over HTTP.

What it can do is found out once, by trials. Several requests are under way at a time. When one shows that there is no
point in going on, no more are sent, and those under way are waited for: their answers count.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import ModelFailed
from shortlist.models.gate import Gate
from shortlist.models.matching import SharedToken
from shortlist.models.model import Answer, Answers, Model, Prompt, no_answer
from shortlist.models.reply import BadReply, text
from shortlist.models.ways import Body, Way, all_ways, from_plain, messages, proves

TRIAL = Prompt("The capital of France is"), (" Paris", " Rome")
NOT_THERE = (400, 404, 405, 415, 422, 500, 501)  # what servers answer to what they do not know


class Reply(NamedTuple):
    """What came back, after how many retries."""

    content: dict[str, Any]
    retries: int


class Unanswered(Exception):  # noqa: N818  as in errors.py
    """One prompt has no answer, and others may: `why` as in Answer."""

    def __init__(self, why: str, detail: str = "", retries: int = 0, status: int | None = None) -> None:
        super().__init__(detail)
        self.why, self.detail, self.retries, self.status = why, detail, retries, status


class Server(Model):
    """What HTTP and LlamaCpp have in common."""

    at_once: int
    chat: bool | None
    gate: Gate

    def __init__(self) -> None:
        self.gate = Gate()
        self._ways: tuple[Way, ...] = ()
        self._remarks: dict[str, None] = {}
        self._lock = threading.Lock()

    @abstractmethod
    def send(self, path: str, body: Body) -> Reply:
        """Send a request, again where that may help. Unanswered for this prompt, or ModelFailed for all."""

    # -- what it can do --------------------------------------------------------------------------------

    def ways(self) -> tuple[str, ...]:
        return tuple(way.name for way in self._ways)

    def plain_ways(self) -> list[Any]:
        return [way.plain() for way in self._ways]

    def know_ways(self, plain: Sequence[Sequence[Any]]) -> None:
        self._ways = tuple(from_plain(one) for one in plain)

    def trials(self) -> int:
        return 0 if self._ways else sum(map(len, all_ways(self.chat)))

    def try_ways(self) -> int:
        """Find out what it can do; how many requests that took comes back."""
        with self._lock:
            if self._ways:
                return 0
            found: list[Way] = []
            calls, last = 0, ""
            for rung in all_ways(self.chat):
                for way in rung:
                    calls += 1
                    last = self._refusal(way)
                    if not last:
                        found.append(way)
                        break
            if not found:
                raise ModelFailed(f"model {self.id!r} can be asked in no way we know: {last}", model=self.id)
            self._ways = tuple(found)
            return calls

    def _refusal(self, way: Way) -> str:
        """Why it cannot be asked this way, or nothing."""
        prompt, choices = TRIAL
        try:
            answer = way.read(self.send(way.path, way.body(prompt, choices)).content, prompt, choices)
        except (BadReply, SharedToken) as error:
            return str(error)
        except Unanswered as error:
            if error.status in NOT_THERE or error.why != "failed":
                return error.detail
            raise ModelFailed(f"model {self.id!r} does not answer: {error.detail}", model=self.id) from error
        return "" if proves(way, answer) else "it answered with none of the choices"

    # -- asking ----------------------------------------------------------------------------------------

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> Floats:
        found = np.full((len(prompts), len(choices)), np.nan)
        for some in self.answers((Prompt(p, getattr(p, "image", None)) for p in prompts), choices):
            for number, answer in some:
                found[number] = answer.scores
        return found

    def answers(self, prompts: Iterable[Prompt], choices: Sequence[str]) -> Iterator[Answers]:
        self.gate.stop.clear()
        try:
            yield from self._side_by_side(enumerate(prompts), choices)
        finally:
            self.rest()

    def rest(self) -> None:
        """Nothing more is asked for now."""

    def _side_by_side(self, source: Iterator[tuple[int, Prompt]], choices: Sequence[str]) -> Iterator[Answers]:
        fatal: BaseException | None = None
        running: dict[Future[Answer], int] = {}
        with ThreadPoolExecutor(self.at_once) as pool:
            while True:
                try:
                    for number, prompt in islice(source, 0 if fatal else self.at_once - len(running)):
                        running[pool.submit(self.answer, prompt, choices)] = number
                    if not running:
                        break
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                except KeyboardInterrupt as interrupt:
                    fatal = self._halt(interrupt)
                    continue
                for error in filter(None, (future.exception() for future in done)):
                    fatal = fatal or self._halt(error)
                yield [(running.pop(one), one.result()) for one in done if not _failed(one, running)]
        if fatal is not None:
            raise fatal

    def _halt(self, reason: BaseException) -> BaseException:
        """Nobody waits for another try any longer."""
        self.gate.stop.set()
        return reason

    def answer(self, prompt: Prompt, choices: Sequence[str]) -> Answer:
        """The answer to one prompt, the best way that tells the choices apart."""
        calls = self.try_ways()
        for way in self._ways_for(prompt):
            calls += 1
            try:
                answer = self._answered(way, prompt, choices)
                return replace(answer, calls=calls + answer.retries)
            except SharedToken:
                listed = ", ".join(map(repr, choices))
                self._remarks[
                    f"model {self.id!r}: some answers begin like several of the choices ({listed}). Such rows are "
                    "asked again in another way, or abstain. Write choices that differ in their first letters"
                ] = None
        return no_answer(choices, "outside", calls=calls)

    def _ways_for(self, prompt: Prompt) -> tuple[Way, ...]:
        """The ways that there are; with a picture, those that are chats."""
        found = tuple(way for way in self._ways if prompt.image is None or way.chat)
        if not found:
            raise ModelFailed(f"model {self.id!r} cannot be asked about pictures: it has no chat", model=self.id)
        return found

    def _answered(self, way: Way, prompt: Prompt, choices: Sequence[str]) -> Answer:
        try:
            reply = self.send(way.path, way.body(prompt, choices))
            return replace(way.read(reply.content, prompt, choices), retries=reply.retries)
        except BadReply as error:
            return no_answer(choices, "failed", how=way.name, detail=str(error))
        except Unanswered as error:
            return no_answer(choices, error.why, how=way.name, retries=error.retries, detail=error.detail)

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:
        body: Mapping[str, Any] = {"messages": messages(prompt), "max_tokens": max_tokens, "temperature": 0}
        try:
            return text(self.send("chat/completions", dict(body)).content)
        except (BadReply, Unanswered) as error:
            raise ModelFailed(f"model {self.id!r} wrote nothing: {error}", model=self.id) from error
        finally:
            self.rest()

    def remarks(self) -> list[str]:
        return list(self._remarks)

    # -- to other processes ----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("gate", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self.gate = Gate(getattr(self, "per_minute", None))


def _failed(future: Future[Answer], running: dict[Future[Answer], int]) -> bool:
    """Whether a request ended in an error; it is then no longer under way."""
    return future.exception() is not None and running.pop(future, None) is not None
