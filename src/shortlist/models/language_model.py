"""LanguageModel: what can be asked how likely it is to go on from a prompt with each of some choices.

A model of your own has an `id` and `scores`; nothing else is needed:

    class Coin:
        id = "coin"
        def scores(self, prompts, choices):
            return np.full((len(prompts), len(choices)), np.log(1 / len(choices)))
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler, ModelFailed
from shortlist.models.cost import Budget, Price
from shortlist.registry import make_from_record


class Prompt(str):
    """A text for a model, perhaps with a picture (the bytes of its file)."""

    image: bytes | None
    __slots__ = ("image",)

    def __new__(cls, text: str, image: bytes | None = None) -> Prompt:
        made = super().__new__(cls, text)
        made.image = image
        return made


@runtime_checkable
class LanguageModel(Protocol):
    """The protocol: an id that changes when answers may change, and scores."""

    @property
    def id(self) -> str:
        """One line that stands for the model and all that its answers depend on."""

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> npt.ArrayLike:
        """(n, c): the log-probability of each choice after each prompt; NaN for no answer."""


@dataclass(frozen=True)
class Answer:
    """The answer to one prompt.

    scores   (c,): log-probabilities of the choices; NaN throughout where there is no answer
    why      why there is none: "refused", "outside" (the choices), "too long", or "failed" (after all retries)
    how      how it was asked: "whole strings", "first token", "constrained", "free text"
    detail   the last error, where it failed
    """

    scores: Floats
    why: str = ""
    how: str = ""
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    detail: str = ""


def no_answer(choices: Sequence[str], why: str, **facts: Any) -> Answer:
    """An answer that says why there is none."""
    return Answer(np.full(len(choices), np.nan), why, **facts)


Answers = list[tuple[int, Answer]]  # (the number of a prompt, what came back)


class Model(ABC):
    """Base class of language models, with defaults for everything but `id` and `scores`. Your own models may use it.

    kept         the SQLite file that scores are kept in; without one, until Python ends
    price        what tokens cost; without it, money is not counted
    budget       what may be spent in all
    max_failed   the share of prompts without an answer above which it is an error
    """

    id: str
    kept: str | os.PathLike[str] | None = None
    price: Price | None = None
    budget: Budget | None = None
    max_failed: float = 0.2
    takes_images: ClassVar[bool] = False

    @abstractmethod
    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> npt.ArrayLike:
        """(n, c): the log-probability of each choice after each prompt; NaN for no answer."""

    def answers(self, prompts: Iterable[Prompt], choices: Sequence[str]) -> Iterator[Answers]:
        """Yield answers as they arrive. A prompt is drawn when there is room for it, never ahead of time."""
        source = enumerate(prompts)
        while batch := list(islice(source, 32)):
            scores = np.asarray(self.scores([prompt for _, prompt in batch], choices), np.float64)
            if scores.shape != (len(batch), len(choices)):
                shapes = f"{scores.shape} for {len(batch)} prompts and {len(choices)} choices"
                raise ModelFailed(f"model {self.id!r} gave scores of shape {shapes}", model=self.id)
            yield [
                (number, no_answer(choices, "outside") if np.isnan(row).all() else Answer(row))
                for (number, _), row in zip(batch, scores, strict=True)
            ]

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:  # noqa: ARG002
        """The text that the model writes after a prompt."""
        raise ModelFailed(f"model {self.id!r} only scores choices: it has no write(prompt, max_tokens)", model=self.id)

    def protocols(self) -> tuple[str, ...]:
        """The names of the protocols that it supports, the best first; empty until that was tried."""
        return ()

    def plain_protocols(self) -> list[Any]:
        """The supported protocols as plain data, for the score store."""
        return []

    def restore_protocols(self, plain: Sequence[Sequence[Any]]) -> None:  # noqa: B027  there may be none
        """Take the supported protocols from the score store."""

    def trials(self) -> int:
        """The number of requests at most to find out which protocols it supports; 0 if that is known."""
        return 0

    def remarks(self) -> list[str]:
        """Warnings about the answers so far."""
        return []

    def record(self) -> dict[str, Any] | None:
        """The model as plain data for a file, without keys. None where it is Python code."""
        return None


class Wrapped(Model):
    """A model that is no subclass of `Model`, with defaults for what it lacks."""

    def __init__(self, model: LanguageModel) -> None:
        self.model, self.id = model, model.id
        for name in ("kept", "price", "budget", "max_failed"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> npt.ArrayLike:
        return self.model.scores(prompts, choices)

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:
        own = getattr(self.model, "write", None)
        return str(own(prompt, max_tokens=max_tokens)) if own else super().write(prompt)


def as_model(model: Any) -> Model:
    """Check a language model, and wrap it if it is no subclass of `Model`."""
    named = isinstance(getattr(model, "id", None), str)
    if isinstance(model, Model) and named:
        return model
    if not named or not callable(getattr(model, "scores", None)):
        raise BadLabeler(
            f"{model!r} is no language model: one has an id (a text) and scores(prompts, choices)", option=("model",)
        )
    return Wrapped(model)


Maker = TypeVar("Maker", bound=Callable[..., Any])
_MODEL_KINDS: dict[str, Callable[..., Any]] = {}


def model_kind(name: str) -> Callable[[Maker], Maker]:
    """Register a class or a function that makes a language model as a kind that files can hold."""

    def register(make: Maker) -> Maker:
        _MODEL_KINDS[name] = make
        return make

    return register


def model_from_record(record: Mapping[str, Any]) -> Model:
    """Make a model from plain data: `[models.NAME]` of shortlist.toml. `error.option` names a wrong setting."""
    return as_model(make_from_record(record, _MODEL_KINDS, "model"))
